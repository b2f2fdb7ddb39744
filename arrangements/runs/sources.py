"""What a run sweeps; here the sign vectors of an arrangement, or the rankings of a score model.

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
from arrangements.forecast.sizes import generic_half
from arrangements.polyhedra.inequalities import Point
from arrangements.polyhedra.inner_points import point_inside
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within
from arrangements.search.chamber_sweep import ChamberSweep
from arrangements.search.flag import Flag, arrangement_flag
from arrangements.search.label_flag import LabelFlag
from arrangements.search.pair_sweep import PairSweep, PairSweepWithin, pair_flag
from arrangements.search.parts import Part
from arrangements.search.ranking_sweep import RankingSweep
from arrangements.search.sweep import Sweep
from arrangements.search.within_sweep import Inside, WithinSweep
from arrangements.sets import packed
from arrangements.sets.pattern_set import PatternSet

Rows = NDArray[Any]

# A number that takes longer to know by another method is not cheap.
_CHEAP_SECONDS = 60


class Source(ABC):
    """What is to be swept in parts.

    Attributes
    ----------
    noun : str
        "chambers", "rankings" or "regions".
    subject : Arrangement, ScoreModel or Network
        What the question is about.
    question : object
        How many rows are expected, and of how many bytes.
    n : int
        Hyperplanes, labels or units.
    half : bool
        Whether a row stands for a pattern and its opposite.
    no_rows : (0, width) ndarray
    width, dtype : int, dtype
        Entries of a row, and their type.
    words : int
        Words of a row.
    line_rows : int
        Most rows of a line.
    numbers : list of ndarray
        All exact numbers.
    names : object
        What else changes an answer, as JSON has it: labels, and those left out; the graph of
        layers.
    polyhedron : Polyhedron or None
        Only patterns that occur in its relative interior.
    """

    noun: ClassVar[str]
    subject: Any
    question: Any
    n: int
    half: bool
    no_rows: Rows
    width: int
    dtype: np.dtype[Any]
    words: int
    line_rows: int
    numbers: list[ExactArray]
    names: Any
    polyhedron: Polyhedron | None

    @property
    def inequalities(self) -> list[ExactArray]:
        """A, c, E and f of the polyhedron ``A @ x <= c``, ``E @ x == f``, if there is one."""
        P = self.polyhedron
        return [] if P is None else [*P.inequalities, *P.equations]

    @property
    @abstractmethod
    def columns(self) -> list[tuple[str, str]]:
        """Names and types of the columns of a file; none if it has a column of lists."""

    @abstractmethod
    def members(self) -> storage.Members:
        """Arrays that hold the question, exactly."""

    @abstractmethod
    def flags(self, seed: int) -> Iterator[Any]:
        """Coordinates of sweeps that find these patterns, the fastest one first.

        None if there is nothing to cut into parts.
        """

    def flag(self, seed: int) -> Any:
        """Coordinates of the fastest sweep."""
        return next(self.flags(seed))

    @abstractmethod
    def coordinates(self, flag: Any) -> str:
        """Text that differs for flags whose sweeps differ: runs are known by it."""

    def first_parts(self, flag: Any) -> list[Part] | None:
        """Parts to begin with; None if they are to be planned."""
        return None if flag is not None else [Part((), 0, 0, own=True)]

    @abstractmethod
    def sweep(self, flag: Any) -> Any:
        """A sweep along the flag."""

    @abstractmethod
    def to_words(self, rows: Rows) -> NDArray[np.uint64]:
        """Rows as words, equal iff the rows are; perhaps the same array."""

    @abstractmethod
    def from_words(self, words: NDArray[np.uint64]) -> Rows:
        """The rows of such words."""

    @abstractmethod
    def wrap(self, rows: Rows, half: bool = False) -> Any:
        """The patterns of the rows, and their opposites if `half`."""

    @abstractmethod
    def point_of(self, row: Rows) -> Point | None:
        """An exact point at which the pattern of a row occurs; None if it does not."""

    @abstractmethod
    def row_of(self, pattern: Any) -> Rows | None:
        """The row of a pattern as the caller writes it; None if no run has it."""

    @abstractmethod
    def opposite(self, rows: Rows) -> Rows:
        """Rows of the opposite patterns."""

    @abstractmethod
    def known_number(self) -> tuple[int, str] | None:
        """How many patterns there are and what says so, where that is cheap to know."""

    def trim(self, rows: Rows) -> Rows:
        """Rows of a sweep without the words of facets."""
        return np.ascontiguousarray(rows[:, : self.width])

    def blocks(self, rows: int | None) -> Iterator[Rows]:
        """The rows of a source without a flag, in blocks of at most about `rows`."""
        return map(self.trim, self.question.blocks(rows, False))

    def all_rows(self) -> Rows:
        """All rows of a source without a flag."""
        return np.concatenate([self.no_rows, *self.blocks(None)])


@dataclass(eq=False)
class PatternSource(Source):
    """The sign vectors of an arrangement, or the rankings of a score model."""

    subject: Arrangement | ScoreModel
    question: ListingRequest[Any]
    line_rows: int
    numbers: list[ExactArray]
    names: Any

    def __post_init__(self) -> None:
        self.n: int = self.question.n
        self.half: bool = self.question.half
        self._empty: PatternSet = self.question.wrap(None, True)
        self.no_rows: Rows = self._empty._stored
        self.width: int = self.no_rows.shape[1]
        self.dtype: np.dtype[Any] = self.no_rows.dtype
        self.words: int = -(-self.question.row_bytes // 8)
        inside = self.question.inside
        self.polyhedron: Polyhedron | None = None if inside is None else inside.polyhedron
        self._rows_inside: Inside | None = None if inside is None else inside.rows
        if self._rows_inside is not None:
            self.line_rows += self._rows_inside.k

    def members(self) -> storage.Members:
        """Arrays that hold the question, exactly."""
        return self._empty._subject_members()

    def flags(self, seed: int) -> Iterator[Flag | None]:
        """Coordinates of sweeps that find these patterns, the fastest one first.

        None if there is nothing to cut into parts.
        """
        inside = self.question.inside
        for flag in self._flags(seed) if inside is None else [inside.flag(seed)]:
            yield None if flag is None or flag.d == 2 else flag

    @abstractmethod
    def _flags(self, seed: int) -> Iterator[Flag | None]:
        """The same without a polyhedron."""

    def coordinates(self, flag: Flag) -> str:
        """Text that differs for flags whose sweeps differ: runs are known by it."""
        facets = self._rows_inside
        rows = "" if facets is None else repr(facets.rows[: facets.k].tolist())
        return repr(flag.mix.tolist()) + rows

    def bound(self, flag: Flag | None) -> int:
        """Most rows of a sweep along the flag, reached in general position."""
        if flag is not None and self.polyhedron is not None:  # facets have lines, too
            return generic_half(flag.n - 1, flag.d)
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
        return self._empty._part(rows, half)

    def point_of(self, row: Rows) -> Point | None:
        """An exact point at which the pattern of a row occurs; None if it does not."""
        arrangement, signs = self._signs_of(row)
        if self.polyhedron is None:
            return feasible(arrangement, signs).point
        return point_inside(arrangement, self.polyhedron, signs.tolist())

    @abstractmethod
    def _signs_of(self, row: Rows) -> tuple[Arrangement, NDArray[np.int8]]:
        """Hyperplanes, and their signs where the pattern of a row occurs."""

    def row_of(self, pattern: Any) -> Rows | None:
        """The row of a pattern as the caller writes it; None if no run has it."""
        return self._empty._parse(pattern)

    def opposite(self, rows: Rows) -> Rows:
        """Rows of the opposite patterns."""
        return self._empty._opposite(rows)


class ChamberSource(PatternSource):
    """The chambers of an arrangement."""

    noun = "chambers"

    def __init__(self, arrangement: Arrangement, within: Within | None = None) -> None:
        self._arrangement, n = arrangement, arrangement.n_hyperplanes
        question = request_chambers(arrangement, method="sweep", within=within)
        numbers = _with_offsets(arrangement.normals, arrangement.offsets)
        super().__init__(arrangement, question, n + 2, numbers, arrangement.labels)

    @property
    def columns(self) -> list[tuple[str, str]]:
        """A column for each word."""
        return [(f"word{k}", "uint64") for k in range(self.width)]

    def _flags(self, seed: int) -> Iterator[Flag | None]:
        yield arrangement_flag(self._arrangement, seed)

    def sweep(self, flag: Flag) -> Sweep:
        """A sweep along the flag."""
        inside = self._rows_inside
        return ChamberSweep(flag) if inside is None else WithinSweep(flag, inside)

    def children(self, flag: Flag, child: int) -> int:
        """Children of a node are below this number, if this child leads to it."""
        return child

    def known_number(self) -> tuple[int, str] | None:
        """How many patterns there are and what says so, where that is cheap to know."""
        if self.polyhedron is not None:
            return _known_inside(self)
        with suppress(TooLargeError):
            if self._arrangement.is_generic:
                return self.question.bound() * self.question.sides, "the closed form"
        return _cheap_polynomial(self._arrangement)

    def _signs_of(self, row: Rows) -> tuple[Arrangement, NDArray[np.int8]]:
        return self._arrangement, packed.unpack_signs(row, self.n)[0]


class RankingSource(PatternSource):
    """The rankings of a score model.

    The sweep along a `LabelFlag` is one over labels, that along another `Flag` one over pairs of
    them. Which is faster is a guess; a run that was begun with one of them goes on with it.
    """

    noun = "rankings"

    def __init__(self, model: ScoreModel, within: Within | None = None) -> None:
        self._model, n = model, model.n_labels
        self._question = request_of_model(model, within=within)
        names = (model.labels, sorted(model.dropped.items()))
        pairs = n * (n - 1) // 2
        numbers = _with_offsets(model.weights, model.offsets)
        super().__init__(model, self._question, pairs + 2, numbers, names)

    @property
    def columns(self) -> list[tuple[str, str]]:
        """None: a row is a list."""
        return []

    def _flags(self, seed: int) -> Iterator[Flag | None]:
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
        hyperplanes, inside = self._question.hyperplanes, self._rows_inside
        if inside is None:
            return PairSweep(flag, hyperplanes)
        return PairSweepWithin(flag, inside, hyperplanes=hyperplanes)

    def bound(self, flag: Flag | None) -> int:
        """Most rows of a sweep along the flag, reached in general position."""
        if flag is None or isinstance(flag, LabelFlag) or self.polyhedron is not None:
            return super().bound(flag)
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
        if self.polyhedron is not None:
            return _known_inside(self)
        known = self._question.closed_form()
        if known is not None:
            return known, "the closed form"
        by_pairs = self._question.by_pairs
        return _cheap_polynomial(self._question.hyperplanes.arrangement) if by_pairs else None

    def _signs_of(self, row: Rows) -> tuple[Arrangement, NDArray[np.int8]]:
        above, below = row[0, :-1], row[0, 1:]
        return of_pairs(self._model, above, below), np.ones(self.n - 1, np.int8)


def _cheap_polynomial(arrangement: Arrangement) -> tuple[int, str] | None:
    with suppress(TooLargeError):
        count = count_by_polynomial(arrangement, False, _CHEAP_SECONDS / 3600)
        return count, "the characteristic polynomial"
    return None


def _with_offsets(W: ExactArray, offsets: ExactArray | None) -> list[ExactArray]:
    """W, and the offsets if any of them is not 0."""
    return [W] if offsets is None or not offsets.any() else [W, offsets]


def _known_inside(source: PatternSource) -> tuple[int, str] | None:
    """No cheap number is known unless the polyhedron lies in a hyperplane, or is empty."""
    if source.question.bound():
        return None
    return 0, "the polyhedron, which is empty or lies in a hyperplane,"
