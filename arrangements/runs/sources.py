"""What a run sweeps: the sign vectors of an arrangement, or the rankings of a score model.

A source is made from its members alone, the arrays that ``input.npz`` holds, so every process that
opens a run has the same one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.counting.polynomials import count_by_polynomial
from arrangements.enumeration.chambers import request_chambers
from arrangements.enumeration.listing import ListingRequest
from arrangements.enumeration.rankings import request_of_model
from arrangements.errors import TooLargeError
from arrangements.exact.numbers import ExactArray
from arrangements.files import storage
from arrangements.search.chamber_sweep import ChamberSweep
from arrangements.search.flag import Flag, arrangement_flag
from arrangements.search.label_flag import LabelFlag
from arrangements.search.pair_sweep import PairSweep, pair_flag
from arrangements.search.ranking_sweep import RankingSweep
from arrangements.search.sweep import Sweep
from arrangements.sets import packed
from arrangements.sets.pattern_set import PatternSet

Rows = NDArray[Any]

# A number that takes longer to know by another method is not cheap.
_CHEAP_SECONDS = 60


@dataclass(eq=False)
class Source(ABC):
    """A sweep to be cut into parts.

    Attributes
    ----------
    noun : str
        "chambers" or "rankings".
    subject : Arrangement or ScoreModel
        What the question is about.
    question : ListingRequest
        The checked question.
    n : int
        Hyperplanes, or labels.
    half : bool
        Whether a row stands for a pattern and its opposite.
    no_rows : (0, width) ndarray
    width, dtype : int, dtype
        Entries of a row, and their type.
    words : int
        Words of a row.
    line_rows : int
        Most rows of a line.
    numbers : (ndarray, ndarray or None)
        The exact matrix and the offsets.
    names : object
        Labels, and those left out, as JSON has them: they change what an answer says.
    """

    noun: ClassVar[str]
    subject: Arrangement | ScoreModel
    question: ListingRequest[Any]
    line_rows: int
    numbers: tuple[ExactArray, ExactArray | None]
    names: Any

    def __post_init__(self) -> None:
        self.n: int = self.question.n
        self.half: bool = self.question.half
        self._empty: PatternSet = self.question.wrap(None, True)
        self.no_rows: Rows = self._empty._stored
        self.width: int = self.no_rows.shape[1]
        self.dtype: np.dtype[Any] = self.no_rows.dtype
        self.words: int = -(-self.question.row_bytes // 8)

    def members(self) -> storage.Members:
        """Arrays that hold the question, exactly."""
        return self._empty._origin_members()

    @abstractmethod
    def flags(self, seed: int) -> Iterator[Flag | None]:
        """Coordinates of sweeps that find these patterns, the fastest one first.

        None if there is nothing to cut into parts.
        """

    def flag(self, seed: int) -> Flag | None:
        """Coordinates of the fastest sweep."""
        return next(self.flags(seed))

    def coordinates(self, flag: Flag) -> str:
        """Text that differs for flags whose sweeps differ: runs are known by it."""
        return repr(flag.mix.tolist())

    @abstractmethod
    def sweep(self, flag: Flag) -> Sweep:
        """A sweep along the flag."""

    def bound(self, flag: Flag | None) -> int:
        """Most rows of a sweep along the flag, reached in general position."""
        return self.question.bound()

    @abstractmethod
    def children(self, flag: Flag, child: int) -> int:
        """Children of a node are below this number, if this child leads to it."""

    def to_words(self, rows: Rows) -> NDArray[np.uint64]:
        """Rows as words, equal iff the rows are; perhaps the same array."""
        return self._empty._keys(rows)

    def from_words(self, words: NDArray[np.uint64]) -> Rows:
        """The rows of such words."""
        return self._empty._from_keys(words)

    def wrap(self, rows: Rows, half: bool = False) -> PatternSet:
        """The patterns of the rows, and their opposites if `half`."""
        return self._empty._make(rows, half, True, True)

    @abstractmethod
    def proof(self, row: Rows) -> Certificate:
        """Whether the pattern of a row of this form occurs, with a proof."""

    def row_of(self, pattern: Any) -> Rows | None:
        """The row of a pattern as the caller writes it; None if no run has it."""
        return self._empty._parse(pattern)

    def opposite(self, rows: Rows) -> Rows:
        """Rows of the opposite patterns."""
        return self._empty._opposite(rows)

    @abstractmethod
    def known_number(self) -> tuple[int, str] | None:
        """How many patterns there are and what says so, where that is cheap to know."""

    def all_rows(self) -> Rows:
        """All rows of a source without a flag."""
        return np.concatenate([self.no_rows, *self.question.blocks(None, False)])


class ChamberSource(Source):
    """The chambers of an arrangement."""

    noun = "chambers"

    def __init__(self, arrangement: Arrangement) -> None:
        self._arrangement, n = arrangement, arrangement.n_hyperplanes
        question = request_chambers(arrangement, method="sweep")
        numbers = arrangement.normals, arrangement.offsets
        super().__init__(arrangement, question, n + 2, numbers, arrangement.labels)

    def flags(self, seed: int) -> Iterator[Flag | None]:
        """Coordinates of sweeps that find these patterns, the fastest one first."""
        flag = arrangement_flag(self._arrangement, seed)
        yield None if flag is None or flag.d == 2 else flag

    def sweep(self, flag: Flag) -> Sweep:
        """A sweep along the flag."""
        return ChamberSweep(flag)

    def children(self, flag: Flag, child: int) -> int:
        """Children of a node are below this number, if this child leads to it."""
        return child

    def known_number(self) -> tuple[int, str] | None:
        """How many patterns there are and what says so, where that is cheap to know."""
        with suppress(TooLargeError):
            if self._arrangement.is_generic:
                return self.question.bound() * self.question.sides, "the closed form"
        return _cheap_polynomial(self._arrangement)

    def proof(self, row: Rows) -> Certificate:
        """Whether the pattern of a row of this form occurs, with a proof."""
        return feasible(self._arrangement, packed.unpack_signs(row, self.n)[0])


class RankingSource(Source):
    """The rankings of a score model.

    The sweep along a `LabelFlag` is one over labels, that along another `Flag` one over pairs of
    them. Which is faster is a guess; a run that was begun with one of them goes on with it.
    """

    noun = "rankings"

    def __init__(self, model: ScoreModel) -> None:
        self._model, n = model, model.n_labels
        self._question = request_of_model(model)
        names = (model.labels, sorted(model.dropped.items()))
        pairs = n * (n - 1) // 2
        super().__init__(model, self._question, pairs + 2, (model.weights, model.offsets), names)

    def flags(self, seed: int) -> Iterator[Flag | None]:
        """Coordinates of sweeps that find these patterns, the fastest one first."""
        if self._model.rank + (not self._model.is_central) <= 2:
            yield None
            return
        question = self._question
        if question.by_pairs:
            yield pair_flag(question.hyperplanes, seed)
            yield question.flag(seed)
            return
        yield question.flag(seed)
        if question.may_be_by_pairs:
            yield pair_flag(question.hyperplanes, seed)

    def coordinates(self, flag: Flag) -> str:
        """Text that differs for flags whose sweeps differ: runs are known by it."""
        over_pairs = "" if isinstance(flag, LabelFlag) else f", {flag.n} pairs"
        return super().coordinates(flag) + over_pairs

    def sweep(self, flag: Flag) -> Sweep:
        """A sweep along the flag."""
        if isinstance(flag, LabelFlag):
            return RankingSweep(flag)
        return PairSweep(flag, self._question.hyperplanes)

    def bound(self, flag: Flag | None) -> int:
        """Most rows of a sweep along the flag, reached in general position."""
        if flag is None or isinstance(flag, LabelFlag):
            return self.question.bound()
        return request_chambers(self._question.hyperplanes.arrangement).bound()

    def children(self, flag: Flag, child: int) -> int:
        """Children of a node are below this number, if this child leads to it."""
        if not isinstance(flag, LabelFlag):
            return child
        larger = int((1 + np.sqrt(1 + 8 * child)) // 2)  # pairs are numbered by it, then the other
        larger += (child >= larger * (larger + 1) // 2) - (child < larger * (larger - 1) // 2)
        return larger * (larger - 1) // 2

    def known_number(self) -> tuple[int, str] | None:
        """How many patterns there are and what says so, where that is cheap to know."""
        known = self._question.closed_form()
        if known is not None:
            return known, "the closed form"
        by_pairs = self._question.by_pairs
        return _cheap_polynomial(self._question.hyperplanes.arrangement) if by_pairs else None

    def proof(self, row: Rows) -> Certificate:
        """Whether the pattern of a row of this form occurs, with a proof."""
        above, below = row[0, :-1], row[0, 1:]
        return feasible(of_pairs(self._model, above, below), np.ones(self.n - 1, np.int8))


def _cheap_polynomial(arrangement: Arrangement) -> tuple[int, str] | None:
    with suppress(TooLargeError):
        count = count_by_polynomial(arrangement, False, _CHEAP_SECONDS / 3600)
        return count, "the characteristic polynomial"
    return None


def source_of(noun: str, members: storage.Members) -> Source:
    """The source that the members of a run hold."""
    if noun == ChamberSource.noun:
        arrangement = storage.read_arrangement(members)
        assert arrangement is not None
        return ChamberSource(arrangement)
    model = storage.read_score_model(members)
    assert model is not None
    return RankingSource(model)
