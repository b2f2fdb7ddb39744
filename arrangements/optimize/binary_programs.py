"""Quadratic forms of low rank over vectors of signs, in integers, and their floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUNDING = 2.0**-53
# Added to error bounds: far above all that underflow loses.
_TINY = 2.0**-1000


@dataclass(frozen=True)
class BinaryProgram:
    """Maximize ``sum of weights[k] * z_k**2 + linear @ s`` over signs s, in integers.

    ``z_k`` is ``shifts[k] + sum of s_i rows[i][k]``, and a vector s counts if every ``z_k`` lies in
    ``ranges[k]``. A column whose weight is 0 is a linear condition.

    Attributes
    ----------
    rows : (n, K) tuple of tuple of int
    weights, shifts : (K,) tuple of int
    linear : (n,) tuple of int
    ranges : (K,) tuple of pairs
        The least and the largest value, int or None.

    Examples
    --------
    >>> P = BinaryProgram(((1, 1), (2, 1)), (3, 0), (0, 0), (0, 5), ((None, None), (0, 0)))
    >>> P.value([1, -1]), P.value([1, 1]), P.step
    (-2, None, 2)
    """

    rows: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]
    shifts: tuple[int, ...]
    linear: tuple[int, ...]
    ranges: tuple[tuple[int | None, int | None], ...]

    def sums(self, signs: Sequence[int]) -> list[int]:
        """The exact z at a vector of signs."""
        sums = list(self.shifts)
        for s, row in zip(signs, self.rows, strict=True):
            sums = [total + s * v for total, v in zip(sums, row, strict=True)]
        return sums

    def value(self, signs: Sequence[int]) -> int | None:
        """The exact value at a vector of signs; None if it does not count."""
        sums = self.sums(signs)
        for z, (low, high) in zip(sums, self.ranges, strict=True):
            if (low is not None and z < low) or (high is not None and z > high):
                return None
        squares = sum(w * z * z for w, z in zip(self.weights, sums, strict=True))
        return squares + sum(s * v for s, v in zip(signs, self.linear, strict=True))

    @property
    def most(self) -> int:
        """No value is above this."""
        sizes = [sum(map(abs, column)) for column in zip(self.shifts, *self.rows, strict=True)]
        squares = sum(max(w, 0) * z * z for w, z in zip(self.weights, sizes, strict=True))
        return squares + sum(map(abs, self.linear))

    @cached_property
    def step(self) -> int:
        """A positive number of which all differences of values are multiples."""
        # the value is a constant + sum of s_i s_j 2 Q_ij over i < j + sum of s_i b_i
        found, weights = 0, self.weights
        for i, row in enumerate(self.rows):
            scaled = [2 * w * v for w, v in zip(weights, row, strict=True)]
            shifted = sum(x * t for x, t in zip(scaled, self.shifts, strict=True))
            found = gcd(found, self.linear[i] + shifted)
            for other in self.rows[:i]:
                found = gcd(found, sum(x * v for x, v in zip(scaled, other, strict=True)))
        return 2 * found or 1

    @property
    def is_even(self) -> bool:
        """Whether s and -s have the same value, and both count or neither."""
        free = [r for r in self.ranges if r != (None, None)]
        same = all(None not in r and r[0] == -r[1] for r in free)  # type: ignore[operator]
        return same and not any(self.shifts) and not any(self.linear)

    @cached_property
    def equal_rows(self) -> list[list[int]]:
        """Groups of two or more rows that are equal, with their linear terms."""
        groups: dict[tuple[int, ...], list[int]] = {}
        for i, row in enumerate(self.rows):
            groups.setdefault((*row, self.linear[i]), []).append(i)
        return [group for group in groups.values() if len(group) > 1]

    @cached_property
    def floats(self) -> FloatProgram:
        """The same over powers of two, rounded."""
        columns = list(zip(self.shifts, *self.rows, strict=True))
        units = [1 << max(map(abs, column)).bit_length() for column in columns]
        sizes = [abs(w) * u * u for w, u in zip(self.weights, units, strict=True)]
        unit = 1 << max(1, *sizes, *map(abs, self.linear)).bit_length()
        # the division of integers is rounded correctly
        table = np.array([[v / u for v, u in zip(row, units, strict=True)] for row in self.rows])
        return FloatProgram(
            table.reshape(len(self.rows), len(units)),
            np.array([w * u * u / unit for w, u in zip(self.weights, units, strict=True)]),
            np.array([t / u for t, u in zip(self.shifts, units, strict=True)]),
            np.array([v / unit for v in self.linear]),
            self._ends(units, 0),
            self._ends(units, 1),
            tuple(units),
            unit,
        )

    def _ends(self, units: list[int], side: int) -> Floats:
        """The ends of the ranges, rounded outwards; no farther out than all values."""
        outwards = 2 * side - 1
        far = [(len(self.rows) + 2) * u for u in units]
        ends = [
            f if r[side] is None else outwards * (r[side] or 0)
            for r, f in zip(self.ranges, far, strict=True)
        ]
        near = [max(-f, min(e, f)) for e, f in zip(ends, far, strict=True)]
        scaled = [outwards * e / u for e, u in zip(near, units, strict=True)]
        return np.nextafter(np.array(scaled), outwards * np.inf)


@dataclass(frozen=True)
class FloatProgram:
    """A `BinaryProgram` whose column k is divided by ``units[k]``, and values by ``unit``.

    Each number is the nearest float, and `low` and `high` contain the ranges.
    """

    rows: Floats
    weights: Floats
    shifts: Floats
    linear: Floats
    low: Floats
    high: Floats
    units: tuple[int, ...]
    unit: int

    @cached_property
    def sizes(self) -> Floats:
        """Bounds of ``abs(z)``."""
        return np.asarray(np.abs(self.rows).sum(axis=0) + np.abs(self.shifts))

    @cached_property
    def least(self) -> float:
        """No value is below this, about."""
        return -float(np.abs(self.weights) @ self.sizes**2 + np.abs(self.linear).sum())

    @cached_property
    def rounding(self) -> float:
        """The relative error of a sum of products of three, with all entries."""
        n, columns = self.rows.shape
        return float(8 * (n + columns + 10) * _ROUNDING)

    @cached_property
    def margins(self) -> Floats:
        """Errors of z."""
        return np.asarray(self.rounding * self.sizes + _TINY)

    def errors(self, slopes: Floats, sums: Floats) -> Floats:
        """Errors of bounds by slopes a, attained at z, (m, K), of `dual_bounds`."""
        slopes, sums = np.abs(slopes), np.abs(sums)
        ends = np.abs(self.weights) * sums**2 + slopes * (sums + self.sizes)
        return np.asarray(self.rounding * (ends.sum(axis=1) + np.abs(self.linear).sum()) + _TINY)

    @property
    def value_error(self) -> float:
        """The error of a value."""
        return -4 * self.rounding * self.least + _TINY

    def below(self, value: int) -> float:
        """A float that is no larger than an exact value."""
        return float(np.nextafter(value / self.unit, -np.inf))
