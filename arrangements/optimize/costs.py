"""Exact values of sign vectors that are sums over the rows, and regions that limit the chambers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.core.alignment import align_columns
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, axes_of, plain_array
from arrangements.exact.numbers import fractions, times_common_denominator
from arrangements.feasibility.one_sign_vector import feasible
from arrangements.messages import quote

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
    constant : int
    denominator : int
        Positive.

    Examples
    --------
    >>> Costs.of([[0, 0.5], [1, 0]], 2).value(np.array([1, -1]))
    Fraction(3, 2)
    """

    gains: tuple[int, ...]
    constant: int
    denominator: int

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
        (low, high), common = times_common_denominator([off, on])
        gains = tuple(b - a for a, b in zip(low, high, strict=True))
        return cls(gains, sum(low), common)

    @classmethod
    def of_number(cls, n: int) -> Costs:
        """Each of n signs + costs 1."""
        return cls((1,) * n, 0, 1)

    def negated(self) -> Costs:
        """What is to be least where these are to be largest."""
        return Costs(tuple(-g for g in self.gains), -self.constant, self.denominator)

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


def read_region(
    within: ArrangementLike, columns: Sequence[Any] | None, dimension: int
) -> Arrangement:
    """The region in which all rows of `within` are positive; of pandas, by the columns of W.

    Raises
    ------
    InputError
        If it is of another dimension, empty, or a pair.

    Examples
    --------
    >>> read_region([[1, 0], [0, 1]], None, 2)
    Arrangement(2 hyperplanes in dimension 2, central)
    """
    within = align_columns(within, columns, "within", "columns of W")
    two = isinstance(within, (tuple, list)) and len(within) == 2
    if two and (isinstance(within, tuple) or axes_of(within[0]) == 2):  # type: ignore[index]
        raise InputError(
            f"within is {quote(within)}, a pair; expected rows that shall be positive, a matrix or "
            "an Arrangement. For A @ x < c pass Arrangement(-A, c); for two rows pass a list."
        )
    region = Arrangement.coerce(within)
    if region.dimension != dimension:
        raise InputError(
            f"within has {region.dimension} columns; expected {dimension}, one for each coordinate."
        )
    if not feasible(region, np.ones(region.n_hyperplanes, np.int8)):
        raise InputError("within is empty: no point makes all of its rows positive.")
    return region


def outside_is_worst(costs: Costs, rows: int) -> Costs:
    """The costs, where each of this many rows that is - costs more than all others can save."""
    most = sum(map(abs, costs.gains)) + 1
    gains, constant = costs.gains + (-most,) * rows, costs.constant + rows * most
    return Costs(gains, constant, costs.denominator)
