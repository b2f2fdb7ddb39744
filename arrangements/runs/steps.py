"""Steps of a fold: what is made of a block of rows, and how partial results are combined.

A `Tally` takes the rows of one part block by block. Of a source that has one row for each pair of
opposites, the built-in ones know what the opposite rows add; steps of the caller see both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import prod
from numbers import Integral
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

Result = NDArray[Any]
Combine = Callable[[Any, Any], Any]
# The packed rows of the line on which the chamber of a name is.
LineOf = Callable[[int], Rows]
_LARGEST = np.iinfo(np.int64).max


class Tally(ABC):
    """The result of one part, while it grows."""

    # Whether it is made of what a function of the caller returns.
    of_caller = False

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
        self._histograms = np.zeros((TURNS, 64 * source.width + 1), np.int64)

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
        self._words = source.width
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
    """The results of a step of the caller's own, combined."""

    of_caller = True

    def __init__(self, source: Source, step: Callable[[Any], Any], combine: Combine) -> None:
        super().__init__(source)
        self._step, self._combine = step, combine
        self._total: Result | None = None

    def add(self, rows: Rows) -> None:
        # a copy, since sets are immutable and the next block overwrites the rows
        both = np.concatenate([rows, self.source.opposite(rows)] if self.source.half else [rows])
        found = self._of_rows(both) if is_jitted(self._step) else self._of_block(both)
        self._total = combine_results(self._combine, self._total, found)

    def _of_block(self, rows: Rows) -> Result:
        found = as_numbers(self._step(self.source.wrap(rows)), "step")
        return widen(found) if self._combine is add_exactly else found

    def _of_rows(self, rows: Rows) -> Result:
        """The numbers of a compiled step, combined."""
        try:
            numbers = values_of_rows(self._step, rows)
        except NumbaError as error:
            raise InputTypeError(
                f"step is {quote(self._step)}, and compiled for a row of {rows.dtype} it gives "
                f"no number ({_reason(error)}); expected a compiled function of one packed row "
                "that returns one number."
            ) from error
        if self._combine is add_exactly:
            return sum_exactly(numbers)
        assert isinstance(self._combine, np.ufunc)
        return np.asarray(self._combine.reduce(numbers))

    def result(self) -> Result:
        assert self._total is not None
        return self._total


def combine_results(combine: Combine, first: Result | None, second: Result) -> Result:
    """Two results as one; None is the result of no row."""
    return second if first is None else as_numbers(combine(first, second), "combine")


def join_steps(
    source: Source, names: Sequence[str]
) -> tuple[Step, Callable[[Result], list[Result]]]:
    """Some built-in steps as one, and what takes their results apart again."""
    tallies = [BUILT_IN[source.noun][name] for name in names]
    shapes = [tally(source).result().shape for tally in tallies]

    def split(found: Result) -> list[Result]:
        stops = np.cumsum([prod(shape) for shape in shapes])[:-1]
        pieces = np.split(found, stops)
        return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]

    return Step(None, partial(_Several, tallies=tallies), add_exactly), split


def make_step(source: Source, step: Any, combine: Any, name: Any) -> Step:
    """The step that a caller means."""
    if name is not None and not (isinstance(name, str) and name):
        raise InputTypeError(f"name is {quote(name)}; expected text that is not empty.")
    if not callable(combine):
        raise InputTypeError(f"combine is {quote(combine)}; expected a function of two results.")
    own = add_exactly if combine is np.add else combine
    if callable(step):
        ufunc = own is add_exactly or (isinstance(combine, np.ufunc) and combine.nin == 2)
        if is_jitted(step) and not ufunc:
            raise InputError(
                f"combine is {quote(combine)}; with a compiled step expected a ufunc of two "
                "numbers, such as np.add or np.maximum."
            )
        tally = partial(_OwnTally, step=step, combine=own)
        return Step(name and f"{name!r} of your own", tally, own)
    tallies = BUILT_IN[source.noun]
    check_option("step", step, tallies, " (a step of your own is a function)")
    if own is not add_exactly or name is not None:
        raise InputError(f"step {step!r} has its name and is summed: leave out combine and name.")
    # the bits of one word are counted faster than they are added up along a line
    gains = np.ones(source.n, np.int64) if step == "positives" and source.n > 64 else None
    return Step(step, tallies[step], add_exactly, gains, counts=step == "on" and source.half)


# ------------------------------------------------------------------ exact sums


def as_numbers(found: Any, whose: str) -> NDArray[Any]:
    """An array of numbers from what the caller's function returned, and may write to again.

    Examples
    --------
    >>> as_numbers([1, 2.5], "step")
    array([1. , 2.5])
    >>> as_numbers([2**63, -1], "step")
    array([9223372036854775808, -1], dtype=object)
    >>> as_numbers("many", "step")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputTypeError: step returned 'many'; expected a number or an array of \
numbers.
    """
    try:
        array = np.array(found)
    except Exception:  # rows of several lengths, or whatever the value raises
        array = np.array(None)
    if array.dtype.kind == "f" and isinstance(found, list | tuple):
        array = _restore_integers(np.array(found, object), array)
    exact = array.dtype == object and all(isinstance(x, (int, Fraction)) for x in array.flat)
    if array.dtype.kind not in "biufc" and not exact:
        raise InputTypeError(
            f"{whose} returned {quote(found)}; expected a number or an array of numbers."
        )
    return array


def _restore_integers(values: NDArray[Any], floats: NDArray[Any]) -> NDArray[Any]:
    """Numbers that NumPy made floats, exactly: integers alone, or beside floats that round one.

    Examples
    --------
    >>> _restore_integers(np.array([2**60 + 1, 0.5], object), np.array([2.0**60, 0.5]))
    array([Fraction(1152921504606846977, 1), Fraction(1, 2)], dtype=object)
    """
    whole = [int(x) if isinstance(x, Integral) else None for x in values.flat]
    numbers = floats.ravel().tolist()
    exact: list[Any] = whole
    if None in whole:
        if all(x in (None, y) for x, y in zip(whole, numbers, strict=True)):
            return floats
        if not np.isfinite(floats).all():
            return floats
        exact = [
            Fraction(*y.as_integer_ratio()) if x is None else Fraction(x)
            for x, y in zip(whole, numbers, strict=True)
        ]
    found = np.empty(len(exact), object)
    found[:] = exact
    return found.reshape(floats.shape)


def add_exactly(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """The sum of two arrays of one shape; that of integers is exact, whatever their size.

    Examples
    --------
    >>> add_exactly(np.array([True, True]), np.array([2**63 - 1, 1]))
    array([9223372036854775808, 2], dtype=object)
    """
    if first.shape != second.shape:
        raise InputError(
            f"step returned an array of shape {second.shape}, and one of shape {first.shape} "
            "before; expected one shape, or a combine that copes with several."
        )
    first, second = widen(first), widen(second)
    if first.dtype != np.int64 or second.dtype != np.int64:
        return np.asarray(first + second)
    total = np.asarray(first + second)
    if ((first ^ total) & (second ^ total) < 0).any():  # a sign that neither has
        return np.asarray(first.astype(object) + second.astype(object), object)
    return total


def sum_exactly(numbers: NDArray[Any]) -> NDArray[Any]:
    """The sum of some numbers; that of integers is exact.

    Examples
    --------
    >>> int(sum_exactly(np.array([2**63, 2**63], np.uint64))) == 2**64
    True
    """
    numbers = widen(numbers)
    if numbers.dtype == np.int64:
        largest = max(int(numbers.max()), -int(numbers.min()))
        if largest * len(numbers) > _LARGEST:
            numbers = numbers.astype(object)
    return np.asarray(numbers.sum(), numbers.dtype)


def widen(numbers: NDArray[Any]) -> NDArray[Any]:
    """Integers and truth values as int64, or as Python integers where these do not suffice."""
    if numbers.dtype.kind not in "biu":
        return numbers
    if numbers.dtype == np.uint64 and (numbers > np.uint64(_LARGEST)).any():
        return numbers.astype(object)
    return numbers.astype(np.int64, copy=False)
