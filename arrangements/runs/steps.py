"""Steps of a fold: what is made of a block of rows, and how partial results are combined.

A `Tally` takes the rows of one part block by block. Of a source that has one row for each pair of
opposites, the built-in ones know what the opposite rows add; steps of the caller see both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.extending import is_jitted
from numpy.typing import NDArray

from arrangements.checks import check_option
from arrangements.errors import InputError, InputTypeError
from arrangements.kernels.numba_internals import NumbaError
from arrangements.kernels.statistics.bit_columns import (
    GROUP,
    LANES,
    add_pairs,
    add_singles,
    turn_rows,
)
from arrangements.kernels.statistics.places import add_places
from arrangements.kernels.statistics.populations import TURNS, add_numbers, add_populations
from arrangements.messages import first_line, quote
from arrangements.runs.sources import Rows, Source
from arrangements.runs.sums import added, as_numbers, summed, widened

Result = NDArray[Any]
Combine = Callable[[Any, Any], Any]
# The packed rows of the line on which the chamber of a name is.
LineOf = Callable[[int], Rows]


class Tally(ABC):
    """The result of one part, while it grows."""

    def __init__(self, source: Source) -> None:
        self.source = source

    @abstractmethod
    def add(self, rows: Rows) -> None:
        """Take a block, which is not empty, into account."""

    def add_sums(self, sums: Rows, line_of: LineOf) -> None:
        """The same of values and names of chambers, for a step with gains."""
        raise NotImplementedError

    @property
    def indifferent(self) -> tuple[int, int]:
        """Sums strictly between these two change nothing any more."""
        return 0, 0

    @abstractmethod
    def result(self) -> Result:
        """The result so far."""


class _Positives(Tally):
    """Entry k: the chambers with k labels on."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._histograms = np.zeros((TURNS, 64 * source.shape[0] + 1), np.int64)

    def add(self, rows: Rows) -> None:
        add_populations(rows, self._histograms)

    def add_sums(self, sums: Rows, line_of: LineOf) -> None:
        add_numbers(sums, self._histograms)

    def result(self) -> Result:
        found = self._histograms.sum(axis=0)[: self.source.n + 1]
        return found + found[::-1] if self.source.half else found


class _On(Tally):
    """Entry i: the chambers with label i on."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._singles, self._rows = np.zeros(source.n, np.int64), 0
        self._columns = _Columns(source)

    def add(self, rows: Rows) -> None:
        self._rows += len(rows)
        if not self.source.half:  # else `Step.counts`
            add_singles(self._columns.of(rows), self._singles)

    def result(self) -> Result:
        # a label is on in a row or in its opposite
        return np.full_like(self._singles, self._rows) if self.source.half else self._singles


class _Pairs(Tally):
    """Entry (i, j): the chambers with labels i and j on."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._pairs, self._rows = np.zeros((source.n, source.n), np.int64), 0
        self._columns = _Columns(source)

    def add(self, rows: Rows) -> None:
        self._rows += len(rows)
        add_pairs(self._columns.of(rows), self._pairs)

    def result(self) -> Result:
        found = self._pairs + np.triu(self._pairs, 1).T
        if not self.source.half:
            return found
        on = found.diagonal()  # both are on in the opposite row if neither is
        return self._rows - on - on[:, None] + 2 * found


class _Places(Tally):
    """Entry (i, r): the rankings with label i in place r."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._table = np.zeros((source.n, source.n), np.int64)

    def add(self, rows: Rows) -> None:
        add_places(rows, self._table)

    def result(self) -> Result:
        found = self._table.T
        return found + found[:, ::-1] if self.source.half else found


class _Several(Tally):
    """Several results, flat, one after the other."""

    def __init__(self, source: Source, tallies: Sequence[type[Tally]]) -> None:
        super().__init__(source)
        self.tallies = [tally(source) for tally in tallies]

    def add(self, rows: Rows) -> None:
        for tally in self.tallies:
            tally.add(rows)

    def result(self) -> Result:
        return np.concatenate([tally.result().ravel() for tally in self.tallies])


class _Columns:
    """Blocks of packed rows as columns of bits, in arrays that are used again."""

    def __init__(self, source: Source) -> None:
        self._words = source.shape[0]
        self._tile = np.empty((64, LANES), np.uint64)
        self._columns = np.empty((0, 0), np.uint64)

    def of(self, rows: Rows) -> NDArray[np.uint64]:
        """The columns of a block, which those of the next overwrite."""
        width = GROUP * -(-len(rows) // (64 * GROUP))
        if self._columns.shape[1] != width:
            self._columns = np.empty((64 * self._words, width), np.uint64)
        turn_rows(rows, self._tile, self._columns)
        return self._columns


BUILT_IN: dict[str, dict[str, type[Tally]]] = {
    "chambers": {"positives": _Positives, "on": _On, "pairs": _Pairs},
    "rankings": {"places": _Places},
}


class Step(NamedTuple):
    """What a fold does.

    Attributes
    ----------
    name : str or None
        By which a checkpoint knows it; None if it has no name.
    tally : callable
        ``tally(source)`` is a `Tally` for a part.
    combine : callable
        Of the results of neighboring parts.
    gains : (n,) ndarray of int64, optional
        The tally needs only the sums of these over the rows +: it can add sums.
    counts : bool
        The tally needs only to know how many rows there are: it takes blocks without columns.
    """

    name: str | None
    tally: Callable[[Source], Tally]
    combine: Combine
    gains: NDArray[np.int64] | None = None
    counts: bool = False


class _OwnStep:
    """Makes tallies of a step of the caller's own."""

    def __init__(self, function: Callable[[Any], Any], combine: Combine) -> None:
        self.function, self.combine = function, combine

    def __call__(self, source: Source) -> Tally:
        return _OwnTally(source, self)

    def of(self, source: Source, rows: Rows) -> Result:
        """The result of a block."""
        found = as_numbers(self.function(source.wrapped(rows)), "step")
        return widened(found) if self.combine is added else found


class _CompiledStep(_OwnStep):
    """The same for a compiled function of one row."""

    def of(self, source: Source, rows: Rows) -> Result:
        """The numbers of the rows, combined."""
        try:
            numbers = values_of_rows(self.function, rows)
        except NumbaError as error:
            raise InputTypeError(
                f"step is {quote(self.function)}, and compiled for a row of {rows.dtype} it gives "
                f"no number ({_reason(error)}); expected a compiled function of one packed row "
                "that returns one number."
            ) from error
        if self.combine is added:
            return summed(numbers)
        assert isinstance(self.combine, np.ufunc)
        return np.asarray(self.combine.reduce(numbers))


def _reason(error: NumbaError) -> str:
    """What numba says, without its pipelines."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    reasons = [line for line in lines if not line.startswith("Failed in ")]
    return first_line(ValueError((reasons or lines or [""])[0]))


@njit(nogil=True)
def values_of_rows(function: Any, rows: Rows) -> Any:
    """What the function says of each row."""
    return np.array([function(rows[k]) for k in range(len(rows))])


class _OwnTally(Tally):
    def __init__(self, source: Source, step: _OwnStep) -> None:
        super().__init__(source)
        self._step = step
        self._total: Result | None = None

    def add(self, rows: Rows) -> None:
        # a copy, since sets are immutable and the next block overwrites the rows
        both = np.concatenate([rows, self.source.opposite(rows)] if self.source.half else [rows])
        found = self._step.of(self.source, both)
        self._total = combined(self._step.combine, self._total, found)

    def result(self) -> Result:
        assert self._total is not None
        return self._total


def combined(combine: Combine, first: Result | None, second: Result) -> Result:
    """Two results as one; None is the result of no row."""
    return second if first is None else as_numbers(combine(first, second), "combine")


def several(source: Source, names: Sequence[str]) -> tuple[Step, Callable[[Result], list[Result]]]:
    """Some built-in steps as one, and what takes their results apart again."""
    tallies = [BUILT_IN[source.noun][name] for name in names]
    shapes = [tally(source).result().shape for tally in tallies]

    def apart(found: Result) -> list[Result]:
        stops = np.cumsum([prod(shape) for shape in shapes])[:-1]
        pieces = np.split(found, stops)
        return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]

    return Step(None, partial(_Several, tallies=tallies), added), apart


def checked_step(source: Source, step: Any, combine: Any, name: Any) -> Step:
    """The step that a caller means."""
    if name is not None and not (isinstance(name, str) and name):
        raise InputTypeError(f"name is {quote(name)}; expected text that is not empty.")
    if not callable(combine):
        raise InputTypeError(f"combine is {quote(combine)}; expected a function of two results.")
    own = added if combine is np.add else combine
    if callable(step):
        name = name and f"{name!r} of your own"
        if not is_jitted(step):
            return Step(name, _OwnStep(step, own), own)
        if own is not added and not (isinstance(combine, np.ufunc) and combine.nin == 2):
            raise InputError(
                f"combine is {quote(combine)}; with a compiled step expected a ufunc of two "
                "numbers, such as np.add or np.maximum."
            )
        return Step(name, _CompiledStep(step, own), own)
    tallies = BUILT_IN[source.noun]
    check_option("step", step, tallies, " (a step of your own is a function)")
    if own is not added or name is not None:
        raise InputError(f"step {step!r} has its name and is summed: leave out combine and name.")
    # the bits of one word are counted faster than they are added up along a line
    gains = np.ones(source.n, np.int64) if step == "positives" and source.n > 64 else None
    return Step(step, tallies[step], added, gains, counts=step == "on" and source.half)
