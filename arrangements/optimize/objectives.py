"""What a chamber costs or is worth: costs of signs, and functions of the caller."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numba.extending import is_jitted
from numpy.typing import ArrayLike, NDArray

from arrangements.core.labels import align_columns
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, plain_array
from arrangements.exact.numbers import check_rational, fractions, times_common_denominator
from arrangements.messages import quote
from arrangements.runs.folding import run_fold
from arrangements.runs.sources import Rows, Source
from arrangements.runs.steps import Result, Step, Tally, as_numbers, values_of_rows
from arrangements.sets.packed import pack_signs
from arrangements.sets.sign_vectors import SignVectors

# Sums of absolute values below this fit in int64 with room for a difference.
_MOST = 2**61


class Rounded(NamedTuple):
    """Gains that fit in int64.

    Attributes
    ----------
    gains : (n,) ndarray of int64
        Those of `Costs`, or these over a power of two, rounded.
    slack : int
        By how much the value of a best sign vector may exceed the least value of any; 0 if exact.
    """

    gains: NDArray[np.int64]
    slack: int


@dataclass(frozen=True)
class Costs:
    """What a sign vector costs: ``(constant + sum of gains[i] over signs +) / denominator``.

    Attributes
    ----------
    gains : tuple of int
    lows : tuple of int
        What signs - cost; `constant` is their sum.
    denominator : int
        Positive, of both.

    Examples
    --------
    >>> Costs.of([[0, 0.5], [1, 0]], 2).value(np.array([1, -1]))
    Fraction(3, 2)
    """

    gains: tuple[int, ...]
    lows: tuple[int, ...]
    denominator: int

    @property
    def constant(self) -> int:
        """What signs - cost at all rows."""
        return sum(self.lows)

    @classmethod
    def of(cls, costs: ArrayLike, n: int, labels: Sequence[Any] | None = None) -> Costs:
        """Costs of + at each row, (n,), or of - and of +, (2, n); of pandas, by the labels.

        Raises
        ------
        InputError
            If the shape is another, or an entry is no number.
        """
        costs = align_columns(costs, labels, "costs", "rows")
        shape = plain_array(costs, "costs").shape
        if shape == (2, n):
            sides = as_exact_matrix(costs, "costs") if n else np.zeros(shape, object)
            off, on = map(fractions, sides)
        elif shape == (n,):
            on = fractions(as_exact_vector(costs, n, "costs"))
            off = (Fraction(0),) * n
        else:
            raise InputError(
                f"costs has shape {shape}; expected ({n},), the cost of + at each row, or "
                f"(2, {n}), those of - and of +."
            )
        check_rational("costs", on, off)
        (low, high), common = times_common_denominator([off, on])
        gains = tuple(b - a for a, b in zip(low, high, strict=True))
        return cls(gains, tuple(low), common)

    @classmethod
    def of_number(cls, n: int) -> Costs:
        """Each of n signs + costs 1."""
        return cls((1,) * n, (0,) * n, 1)

    def negated(self) -> Costs:
        """What is to be least where these are to be largest."""
        gains, lows = (tuple(-x for x in part) for part in (self.gains, self.lows))
        return Costs(gains, lows, self.denominator)

    def of_bits(self, bits: NDArray[Any]) -> int:
        """The sum of the gains where `bits` is True."""
        return sum(g for g, bit in zip(self.gains, bits.tolist(), strict=True) if bit)

    def values(self, rows: NDArray[np.uint64]) -> NDArray[Any]:
        """The sums of the gains of packed rows, as int64 or Python integers."""
        bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")
        exact: NDArray[Any] = np.array(self.gains, object)
        gains = exact if self.rounded.slack else self.rounded.gains
        return np.asarray(bits[:, : len(gains)].astype(gains.dtype) @ gains)

    def value(self, signs: NDArray[Any]) -> Fraction:
        """The exact value of a sign vector."""
        return self.exact(self.of_bits(np.asarray(signs) > 0))

    def exact(self, gained: int) -> Fraction:
        """The value where the gains sum to this number."""
        return Fraction(self.constant + gained, self.denominator)

    @cached_property
    def rounded(self) -> Rounded:
        """The gains in 64 bits."""
        size, shift = sum(map(abs, self.gains)), 0
        while size >> shift >= _MOST - len(self.gains):
            shift += 1
        half = (1 << shift) >> 1
        gains = np.array([(g + half) >> shift for g in self.gains], np.int64)
        # each is off by a half at most, so that two values are off by a half for each row
        return Rounded(gains, len(self.gains) + 1 if shift else 0)


def outside_is_worst(costs: Costs, rows: int) -> Costs:
    """The costs behind those of other rows, each of which, if -, costs more than all can save."""
    most = sum(map(abs, costs.gains)) + 1
    gains, lows = (-most,) * rows + costs.gains, (most,) * rows + costs.lows
    return Costs(gains, lows, costs.denominator)


class Objective(ABC):
    """A number for each chamber."""

    @abstractmethod
    def values(self, rows: Rows) -> NDArray[Any]:
        """Values of packed rows."""

    def value(self, signs: NDArray[Any]) -> Fraction:
        """The exact value of a sign vector."""
        return Fraction(self.values(pack_signs(np.asarray(signs)[None])).tolist()[0])


class StepValue(Objective):
    """The number that a step has for each chamber of a block, or, compiled, for a packed row."""

    def __init__(self, step: Any, n: int) -> None:
        if not callable(step):
            raise InputTypeError(
                f"step is {quote(step)}; expected a function of a block of chambers, or a "
                "compiled one of a packed row."
            )
        self._step, self._n = step, n

    def values(self, rows: Rows) -> NDArray[Any]:
        """The numbers that the step returns."""
        if is_jitted(self._step):
            found = values_of_rows(self._step, rows)
        else:
            found = self._step(SignVectors(rows, self._n, half=False))
        return _check_values(found, len(rows), "step")


class StatisticValue(Objective):
    """A function of the sums ``V.T @ s``."""

    def __init__(self, V: ArrayLike, objective: Any, n: int) -> None:
        matrix = as_exact_matrix(V, "statistic")
        if len(matrix) != n:
            raise InputError(
                f"statistic has {len(matrix)} rows; expected {n}, one for each hyperplane."
            )
        if not callable(objective):
            raise InputTypeError(
                f"objective is {quote(objective)}; expected a function of an (m, r) array, the "
                "sums V.T @ s of m chambers."
            )
        whole, self._common = times_common_denominator([fractions(row) for row in matrix])
        fits = sum(abs(x) for row in whole for x in row) < 2**62
        self._whole = np.array(whole, np.int64 if fits else object)
        self._objective = objective

    def values(self, rows: Rows) -> NDArray[Any]:
        """The numbers that the objective returns."""
        n = len(self._whole)
        bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little")[:, :n]
        sums = (2 * bits.astype(np.int64) - 1).astype(self._whole.dtype) @ self._whole
        if self._common > 1:
            exact = np.empty(sums.size, object)
            exact[:] = [Fraction(x, self._common) for x in sums.ravel().tolist()]
            sums = exact.reshape(sums.shape)
        return _check_values(self._objective(sums), len(rows), "objective")


def _check_values(found: Any, number: int, whose: str) -> NDArray[Any]:
    """The numbers that a function of the caller returned."""
    values = as_numbers(found, whose)
    if values.shape != (number,):
        raise InputError(
            f"{whose} returned an array of shape {values.shape} for {number} chambers; expected "
            f"({number},), a number for each."
        )
    if values.dtype.kind == "c":
        raise InputTypeError(f"{whose} returned complex numbers, which have no order.")
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise InputError(f"{whose} returned a number that is not finite; expected numbers.")
    return values.astype(np.int64) if values.dtype.kind == "b" else values


class LeastTally(Tally):
    """The least value among the rows of a part: (value, how many rows have it, one of them).

    A value is exact; it is None before the first row.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.found: list[Any] = [None, 0, np.zeros(0, np.int64)]
        self._largest = -np.inf

    def take(self, value: Any, row: Rows, number: int = 1) -> None:
        """Take rows of one value into account."""
        least = self.found[0]
        if least is None or value < least:
            self.found = [value, number, row]
        elif value == least:
            self.found[1] += number

    def nearly_largest(self, values: NDArray[np.float64], error: float) -> list[int]:
        """Places of values with this error that may be the largest of all."""
        self._largest = max(self._largest, float(values.max()))
        places: list[int] = np.flatnonzero(values >= self._largest - 2 * error).tolist()
        return places

    def result(self) -> Result:
        """The result so far; a row is filled up with zeros."""
        value, number, row = self.found
        padding = [0] * (self.source.width - len(row))
        return np.array([value, number, *row.tolist(), *padding], object)


def better(first: Result, second: Result) -> Result:
    """The result of the lesser value; of equal ones the first, and both numbers of rows."""
    if first[0] is None or (second[0] is not None and second[0] < first[0]):
        return second
    if second[0] == first[0]:
        first = first.copy()
        first[1] += second[1]
    return first


def least_row(
    source: Source, tally: Callable[[Source], LeastTally], **options: Any
) -> tuple[Any, int, list[int]]:
    """The least value of all rows, how many rows have it, and one of them."""
    value, number, *row = run_fold(source, Step(None, tally, better), None, **options)
    return value, int(number), row


class LeastValue(LeastTally):
    """The least value, times `factor`, among the rows of a part."""

    def __init__(self, source: Source, objective: Objective | Costs, factor: int) -> None:
        super().__init__(source)
        self._objective, self._factor = objective, factor

    def add(self, rows: Rows) -> None:
        """Take a block into account."""
        # a copy, since sets are immutable and the next block overwrites the rows
        rows = np.concatenate([rows, self.source.opposite(rows)] if self.source.half else [rows])
        if len(rows):
            values = self._objective.values(rows)
            at = int(values.argmin() if self._factor > 0 else values.argmax())
            value = self._factor * Fraction(values[at : at + 1].tolist()[0])
            self.take(value, rows[at], int((values == values[at]).sum()))
