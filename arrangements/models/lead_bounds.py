"""Proved bounds of leads: by how much the score of a label can exceed all others.

Of label i at inputs of length at most r the lead is the largest ``min_j (w_i - w_j) . x + b_i -
b_j``. A point x bounds it from below. A mean of the other labels, with weights y, bounds it from
above by ``r |w_i - sum y_j w_j| + b_i - sum y_j b_j``. At the best point and mean both are equal.

Here rows are ``(w, b / r)`` times a power of two, so that points have length at most 1 and no entry
is larger than 1. Bounds count all rounding errors: products of D terms are off by at most D + 28
units, relative to the products of norms (Higham, Accuracy and Stability of Numerical Algorithms,
3.1). What underflows is far less than `TINY`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.rows import Rows
from arrangements.exact.numbers import ExactArray, as_objects, mantissas, nearest_floats
from arrangements.feasibility.score_rows import upper_norms

Floats = NDArray[np.floating[Any]]
Numbers = NDArray[np.intp]

# Unit roundoff of each type, and more than one sum or product can lose to underflow.
_UNIT = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}
_UNDERFLOW = {np.dtype(np.float32): 2.0**-120, np.dtype(np.float64): 2.0**-1000}
TINY = 2.0**-990


class LeadRows:
    """Rows of labels, scaled, and the proved bounds that floats give.

    Parameters
    ----------
    rows : Rows
    radius : float
        Largest length of an input, positive.

    Attributes
    ----------
    affine : bool
        Whether biases differ. Then the last column holds them, and D is d + 1, else d.
    table : (n, D) ndarray of float
        The rows minus about their mean. Each entry is off by at most 2**-50 of itself.
    norms : (n,) ndarray of float
        Upper bounds of the norms of its rows.
    short : (n, D) ndarray of float32
    noise : float
        Intervals of this width are as narrow as floats make them.
    """

    def __init__(self, rows: Rows, radius: float) -> None:
        b = rows.offsets
        self.affine = b is not None and bool((b != b[:1]).any())
        self.radius, self.dimension, self._weights = radius, rows.weights.shape[1], rows.weights
        self._mantissa, self._exact, self._exponent = self._scale(rows, radius)
        center = nearest_floats(self._exact).mean(axis=0)
        self.table = self._as_floats(self._exact, center)
        self.norms = upper_norms(self.table)
        self.short = self.table.astype(np.float32)
        self.noise = float(self.norms.max()) * (self.table.shape[1] + 64) * 2.0**-52

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.table)

    def _scale(self, rows: Rows, radius: float) -> tuple[float, ExactArray, int]:
        """The mantissa of the radius, rows times powers of two, and the exponent of the weights."""
        mantissa, e = math.frexp(radius)
        columns, shifts = [rows.weights], [0]
        if self.affine and rows.offsets is not None:
            columns.append(rows.offsets[:, None])
            shifts.append(e - 1)
        exponents = [
            int(mantissas(part)[1].max()) - shift
            for part, shift in zip(columns, shifts, strict=True)
        ]
        most = max(exponents)
        most = 0 if most < -(2**23) else most  # all entries are zero
        found = [_times_power(part, -most - s) for part, s in zip(columns, shifts, strict=True)]
        if any(part.dtype == object for part in found):
            found = [as_objects(part) for part in found]
        return 2 * mantissa, np.hstack(found), most

    def _as_floats(self, rows: ExactArray, other: Any) -> NDArray[np.float64]:
        """Rows minus another, rounded, the biases divided by the radius."""
        if rows.dtype == object and isinstance(other, np.ndarray) and other.dtype != object:
            other = np.array([Fraction(entry) for entry in other.tolist()], object)
        found = nearest_floats(rows - other)
        if self.affine:
            found[:, -1] /= self._mantissa
        return found

    def differences(self, i: int, others: Numbers) -> NDArray[np.float64]:
        """Row i minus others; each entry is off by at most 2**-50 of itself."""
        return -self._as_floats(self._exact[others], self._exact[i])

    def repeats(self, i: int, others: Numbers) -> bool:
        """Whether a row is among others, exactly."""
        return any((self._weights[j] == self._weights[i]).all() for j in others[:2])

    def score_error(self, kind: Any) -> float:
        """Bound of the error of a difference of scores, by products with `table` or `short`."""
        D, kind = self.table.shape[1], np.dtype(kind)
        length = np.sqrt(1.0 + self.affine) * 1.001  # of points in the ball, with a last 1
        terms = (D + 28) * _UNIT[kind] * 1.01
        one = terms * length * self.norms.max(initial=0.0) + 4 * D * _UNDERFLOW[kind]
        return float(2.01 * one)

    def extended(self, points: Floats) -> Floats:
        """Points with the coordinate 1 that multiplies biases."""
        if not self.affine:
            return points
        return np.hstack([points, np.ones((len(points), 1), points.dtype)])

    def upper(self, weights: NDArray[np.float64], steps: NDArray[np.float64]) -> float:
        """Bound by a mean of other labels: with these weights, at these `differences`."""
        k, d = len(weights), self.dimension
        total, error = weights @ steps, weights @ np.abs(steps)
        error = error * ((k + 16) * 2.0**-53 * 1.01) + k * TINY
        norm, off = upper_norms(np.stack([total[:d], error[:d]])).tolist()
        last = float(total[d]) if self.affine else 0.0
        off += float(error[d]) if self.affine else 0.0
        value = norm + last + off
        slack = 16 * 2.0**-53 * (norm + abs(last) + off) + TINY
        share = math.fsum(weights.tolist())
        value = (value + slack) / share
        return value + abs(value) * 2.0**-50 + TINY

    def lower(self, point: Floats, steps: NDArray[np.float64], norms: NDArray[np.float64]) -> float:
        """Bound by a point in the ball, as far as it is about some `differences`.

        norms : upper bounds of the norms of the differences
        """
        x = self.extended(point[None].astype(np.float64))
        terms = (x.shape[1] + 16) * 2.0**-53 * 1.01 * float(upper_norms(x)[0])
        margins = steps @ x[0] - norms * terms
        return float(margins.min()) - x.shape[1] * TINY

    def unscaled(self, lower: Any, upper: Any) -> NDArray[np.float64]:
        """Intervals in the units of the caller, rounded outwards."""
        found = np.stack([lower, upper], axis=-1).astype(np.float64)
        fraction, exponent = np.frexp(found)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            # a product of mantissas is rounded first, then where it leaves the range of floats
            half = fraction * (self._mantissa / 2)
            made = np.ldexp(half, exponent + self._exponent + math.frexp(self.radius)[1])
            infinite = np.isinf(made) & np.isfinite(found)
            made[infinite] = np.copysign(np.finfo(np.float64).max, made[infinite])
            below, above = np.nextafter(made[..., 0], -np.inf), np.nextafter(made[..., 1], np.inf)
        below = np.where(found[..., 0] == 0, 0.0, below)
        above = np.where(found[..., 1] == 0, 0.0, above)
        return np.stack([below, above], axis=-1)


def _times_power(values: ExactArray, exponent: int) -> ExactArray:
    """Values times a power of two, exact but for what underflows."""
    if values.dtype != object and (values.dtype == np.float64 or _fits(values)):
        return np.ldexp(values.astype(np.float64), exponent)
    return np.asarray(as_objects(values) * Fraction(2) ** exponent)


def _fits(values: ExactArray) -> bool:
    """Whether float64 holds these integers."""
    return bool((np.abs(values.astype(np.float64)) <= 2.0**52).all())


def into_ball(points: Floats, kind: Any) -> Floats:
    """Points scaled to length at most 1, also after they are rounded."""
    norms = upper_norms(points)[:, None]
    short = 1 - 8 * _UNIT[np.dtype(kind)]
    with np.errstate(all="ignore"):
        scaled = np.where(norms > short, points / norms * short, points)
    scaled = np.where(np.isfinite(scaled), scaled, 0.0)
    return np.asarray(scaled.astype(kind))
