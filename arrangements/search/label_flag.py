"""Coordinates of labels along a random flag: what the ranking sweep starts from."""

from __future__ import annotations

from math import lcm
from operator import truediv
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.score_model import ScoreModel
from arrangements.exact.numbers import whole_rows
from arrangements.execution import limits
from arrangements.search.flag import Flag, finite_floats

_UNIT = 2.0**-53


class LabelFlag(Flag):
    """Coordinates of n labels along a random flag of slices, relative to label 1.

    A hyperplane of the arrangement is a pair of labels, and its row is the difference of their
    rows. So one row for each label is enough, and a common row may be subtracted from all of them;
    this is done before anything is rounded. The row at infinity of a central arrangement is that of
    the pair (0, 1).

    Parameters
    ----------
    matrix : (n, d) ndarray of float64, int64, or object (int, Fraction, FieldElement)
        Rows ``(w_i, b_i)`` of an affine or ``w_i`` of a central arrangement, no two equal,
        n >= 2, d >= 2. Their differences, with ``e_d`` if affine, have column rank d.
    central : bool
    seed : int
        Of the flag.
    images : dict, optional
        As in `Flag`.
    """

    _terms = 2

    def _scale(self) -> None:
        """Floats of the differences, every column times a power of two near its size.

        The rows keep a common scale: only then is a pair the difference of two rows.
        """
        self._integers = self._integers_of(self._matrix)
        columns = zip(*self._integers, strict=True)
        sizes = [max(map(abs, column)).bit_length() for column in columns]
        self.column_shift: NDArray[np.int64] = -np.array(sizes, np.int64)
        units = [1 << size for size in sizes]
        # correctly rounded quotients of integers
        quotients = [list(map(truediv, row, units)) for row in self._integers]
        self.scaled: NDArray[np.float64] = np.array(quotients)

    def _integers_of(self, matrix: NDArray[Any]) -> list[list[int]]:
        """Differences from row 1, with a common denominator in each column."""
        columns = [_integers(column) for column in matrix.T.tolist()]
        return [list(row) for row in zip(*columns, strict=True)]

    def _integral_rows(self, matrix: NDArray[Any]) -> list[list[Any]]:
        return whole_rows(matrix)

    def _mix(self) -> None:
        """As for hyperplanes, with errors and magnitudes of the differences of lanes, rounded."""
        super()._mix()
        lanes = self.magnitude
        self.errors: NDArray[np.float64] = 2.0 * self.error + 1.01 * 2.0 * _UNIT * lanes
        self.magnitude: NDArray[np.float64] = 2.0 * lanes

    def _row_at_infinity(self) -> list[Any]:
        """That of the pair (0, 1), in integers: it may be tiny compared with the others."""
        assert self._integers is not None
        shifts = self.column_shift.tolist()
        low = min(shifts)
        return [v << k - low for v, k in zip(self._integers[0], shifts, strict=True)]

    def check_workspace(self, workers: int = 1) -> None:
        """Refuse a sweep if `taken`, the states of the pairs, does not fit."""
        needed = workers * self.n * (self.n - 1) // 2 * (self.d - 1)
        limits.check_workspace(f"a sweep of {self.n} labels in rank {self.d}", needed)

    def most_in_line(self) -> int:
        """Most rankings that the root's line gives."""
        return 1 + self.n * (self.n - 1) // 2 - self.central

    def most_below(self, depth: int) -> NDArray[np.float64]:
        """Most rankings below each pair (a, c), its own line included; pairs go by c, then a.

        They are the ways to choose, from 1 to d - 2 - depth times, a smaller c and an a below it:
        the elementary symmetric polynomials of 1..c-1 (from 2 on if central).
        """
        levels = self.d - 2 - depth
        below, polynomial = [], [1] + [0] * levels
        for c in range(self.n):
            below.append(sum(polynomial[1:]))
            if c > self.central:
                for k in range(levels, 0, -1):
                    polynomial[k] += c * polynomial[k - 1]
        return np.repeat(finite_floats(below), np.arange(self.n))

    def _shifted_bits(self) -> NDArray[np.int64]:
        """Bits of the largest entry of each row, columns shifted, and one bit for a difference.

        Independent pairs form a forest. Each of their minors is a minor of rows ``v_c - v_r``,
        where r is the smallest row of the tree of c, so each row counts once.
        """
        return super()._shifted_bits() + 1


def _integers(column: list[Any]) -> list[int]:
    """Differences from entry 1, as integers over a common denominator."""
    ratios = [value.as_integer_ratio() for value in column]
    scale = lcm(*(denominator for _, denominator in ratios))
    scaled = [int(p) * (scale // int(q)) for p, q in ratios]
    return [value - scaled[1] for value in scaled]


def model_flag(model: ScoreModel, seed: int) -> LabelFlag:
    """Flag coordinates of a score model of rank at least 1."""
    images = model.__dict__.setdefault("_images", {})
    return LabelFlag(model.reduced, model.is_central, seed, images)
