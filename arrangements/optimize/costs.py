"""Values of sign vectors that are sums over the rows, exact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.core.alignment import align_columns
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, plain_array
from arrangements.exact.numbers import fractions

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
    def of(cls, given: ArrayLike, n: int, labels: Sequence[Any] | None = None) -> Costs:
        """Costs of + at each row, (n,), or of - and of +, (2, n); of pandas, by the labels.

        Raises
        ------
        InputError
            If the shape is another, or an entry is no number.
        """
        given = align_columns(given, labels, "costs", "rows")
        shape = plain_array(given, "costs").shape
        if shape == (2, n):
            sides = as_exact_matrix(given, "costs") if n else np.zeros(shape, object)
            off, on = map(fractions, sides)
        elif shape == (n,):
            on = fractions(as_exact_vector(given, n, "costs"))
            off = (Fraction(0),) * n
        else:
            raise InputError(
                f"costs has shape {shape}; expected ({n},), the cost of + at each row, or "
                f"(2, {n}), those of - and of +."
            )
        common = lcm(*(x.denominator for x in (*off, *on)))
        low, high = ([int(x * common) for x in side] for side in (off, on))
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
        gains: NDArray[Any] = np.array(self.gains, object)
        if not self.rounded.slack:  # int64 holds them
            gains = self.rounded.gains
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
