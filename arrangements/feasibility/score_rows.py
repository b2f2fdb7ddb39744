"""The rows that many questions are about: exact, and as floats with a bound of the error of scores.

A score is ``w . x + b``. Computed in floating point as one product sum of D terms, in any order and
with or without fused operations, it is off by at most ``gamma |(x, 1)| |(w, b)|``, gamma = D u /
(1 - D u) with the unit roundoff u, plus what underflows (Higham, Accuracy and Stability of
Numerical Algorithms, 3.1). So a product of matrices proves the signs of scores beyond the bound; a
BLAS that multiplies by Strassen's method would void it, and none that NumPy is built with does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import Label
from arrangements.core.score_model import tied_groups
from arrangements.core.short_rows import widened
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    fractions,
    nearest_floats,
    primitive,
    unify_fields,
)
from arrangements.exact.products import product
from arrangements.execution.devices import Device
from arrangements.feasibility.whitening import Whitened, whiten
from arrangements.feasibility.wide_rows import WideRows

Floats = NDArray[np.floating[Any]]
Multiply = Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]]

# Unit roundoff of each type, and far more than one product can lose to underflow.
_UNIT = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float64): 2.0**-53}
# Rows that are copied at a time, at most, and their entries.
_AT_ONCE, _ENTRIES = 8192, 2**24
# Norms of the longest row for which float32 is used: what its range cuts off is far smaller.
_SHORTEST, _LONGEST = 2.0**-60, 2.0**100
_UNDERFLOW = {np.dtype(np.float32): 2.0**-120, np.dtype(np.float64): 2.0**-1000}


class Regression(NamedTuple):
    """What a regression on rows ``W / scale - mean`` needs: their sum, and the inverse of C.

    C is the sum of the products of each row with itself. Its inverse is the product of `factors`,
    which leave out, where there are fewer rows than columns, what is orthogonal to all rows.
    Rounded.
    """

    scale: float
    mean: NDArray[np.float64]
    total: NDArray[np.float64]
    factors: tuple[NDArray[np.float64], ...]
    multiply: Multiply = np.matmul

    def solve(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows times the inverse of C."""
        for factor in self.factors:
            sums = self.multiply(sums, factor)
        return sums


class ScoreRows:
    """Rows w with offsets b, and what floats know about their scores.

    Parameters
    ----------
    weights : (n, d) ndarray
        As `as_exact_matrix` returns it; in float32 where many of them hold in it, see `short`.
    offsets : (n,) ndarray, optional
        As `as_exact_vector` returns it.
    labels : tuple of int or str, optional
    compared : bool
        Whether scores are only compared with each other, so that equal offsets change nothing.
    facets : int
        This many rows, the last ones, are facets of a polyhedron: positive at every point in
        question.
    center : (d,) ndarray of float, optional
        A point, rounded, where the facets are positive.
    device : Device, optional
        Where products in float32 are computed, and those of a regression; without facets only.

    Attributes
    ----------
    simplices : list of ndarray of int
        Circuits of some labels that refuted others, the last ones.
    inner : object
        What `inner_labels` prepares of the rows for all questions about them.
    affine : bool
        Whether offsets matter: they are not zero, or not equal. Then D is d + 1, else d.
    """

    def __init__(
        self,
        weights: ExactArray,
        offsets: ExactArray | None = None,
        labels: tuple[Label, ...] | None = None,
        *,
        compared: bool = False,
        facets: int = 0,
        center: NDArray[np.float64] | None = None,
        device: Device | None = None,
    ) -> None:
        weights, offsets = unify_fields(weights, offsets)
        self.facets: int = facets
        self.center: NDArray[np.float64] | None = center
        self.device: Device | None = device
        self.offsets: ExactArray | None = offsets
        self.labels = labels
        self.simplices: list[NDArray[np.int32]] = []
        self.inner: Any = None
        idle = offsets is None or (compared and not facets and bool((offsets == offsets[:1]).all()))
        self.affine: bool = offsets is not None and not idle and bool(offsets.any())
        if weights.dtype == np.float32 and (facets or (self.affine and not _are_short(offsets))):
            weights = weights.astype(np.float64)
        self.weights: ExactArray = weights
        self._regressions: dict[bool, Regression | None] = {}
        self._coordinates: dict[bool, Whitened] = {}

    @classmethod
    def of(cls, arrangement: Arrangement) -> ScoreRows:
        """The rows of an arrangement, prepared once for all questions about it."""
        held: dict[str, ScoreRows] = arrangement.__dict__
        if "_score_rows" not in held:
            rows = cls(arrangement.normals, arrangement.offsets, arrangement.labels)
            held["_score_rows"] = rows
        return held["_score_rows"]

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.weights.shape[0])

    @property
    def n_own(self) -> int:
        """Number of rows that are no facets."""
        return self.n - self.facets

    @property
    def dimension(self) -> int:
        """Number d of coordinates of a point."""
        return int(self.weights.shape[1])

    @property
    def wide_weights(self) -> ExactArray:
        """The weights, in float64 where they are kept in float32."""
        return widened(self.weights)

    @cached_property
    def short(self) -> NDArray[np.float32] | None:
        """Rows (w, b), or w if central, (n, D), where all of them are kept in float32."""
        if self.weights.dtype != np.float32:
            return None
        if not self.affine:
            return self.weights
        assert self.offsets is not None
        return np.hstack([self.weights, self.offsets.astype(np.float32)[:, None]])

    @cached_property
    def floats(self) -> Any:
        """Rows (w, b), or w if central, (n, D), rounded where float64 does not hold an entry.

        Infinite beyond the range of float64, where they prove nothing. An ndarray, or `WideRows`.
        """
        if self.short is not None:
            return WideRows(self.short)
        W = nearest_floats(self.weights)
        if not self.affine:
            return W
        assert self.offsets is not None
        return np.hstack([W, nearest_floats(self.offsets)[:, None]])

    @cached_property
    def _singles(self) -> NDArray[np.float32] | None:
        """The rows in float32, rounded; None if they are too long or too short for it."""
        largest = self.norms.max(initial=0.0)
        if not (largest == 0 or _SHORTEST < largest < _LONGEST):
            return None
        return self.floats.astype(np.float32) if self.short is None else self.short

    @cached_property
    def norms(self) -> NDArray[np.float64]:
        """Upper bounds of the Euclidean norms of `floats`."""
        return upper_norms(self.floats if self.short is None else self.short)

    @cached_property
    def rivals(self) -> NDArray[np.int64]:
        """For each label another with equal weights and no smaller offset, or -1."""
        found, b = np.full(self.n, -1), self.offsets if self.affine else None
        for group in tied_groups(self.weights[: self.n_own], None):
            best = max(group, key=lambda i: 0 if b is None else b[i])
            second = max((i for i in group if i != best), key=lambda i: 0 if b is None else b[i])
            found[group] = best
            found[best] = second if b is None or b[second] == b[best] else -1
        return found

    def is_above(self, i: int, j: int) -> bool:
        """Whether offsets matter, and that of i is larger."""
        return self.affine and self.offsets is not None and bool(self.offsets[i] > self.offsets[j])

    def regression(self, center: bool) -> Regression | None:
        """Correlations of the weights, minus their mean if `center`; None if all are zero."""
        if center not in self._regressions:
            table = self.floats if self.short is None else self.short
            weights = table[: self.n_own, : self.dimension]
            there = self.device if self.device is not None and self.device.has_doubles else None
            multiply = np.matmul if there is None else there.multiply
            self._regressions[center] = _fit_regression(weights, center, multiply)
        return self._regressions[center]

    def whiten(self, center: bool) -> Whitened:
        """The rows less their mean if `center`, but not facets, about uncorrelated."""
        if center not in self._coordinates:
            self._coordinates[center] = whiten(self.floats, self.n_own, self.affine, center)
        return self._coordinates[center]

    def table(self, kind: type[np.floating[Any]]) -> Any:
        """`floats` in a type of float, rounded; None where it is too narrow."""
        return self._singles if kind is np.float32 else self.floats

    def scores(self, points: Floats, out: Floats | None = None) -> Floats:
        """Scores of all rows at points, extended, in the type of these, which must have a table."""
        table = self.table(points.dtype.type)
        if not isinstance(table, WideRows):
            return np.matmul(points, table.T, out=out)
        found = np.empty((len(points), self.n), points.dtype) if out is None else out
        for part, rows in table.blocks():
            found[:, part] = points @ rows.T
        return found

    @cached_property
    def table_there(self) -> Any:
        """`table` of float32 on the device, which must hold it."""
        assert self.device is not None and self._singles is not None
        self.device.check(self._singles.shape[1])
        return self.device.put(self._singles)

    def extended(self, points: Floats) -> Floats:
        """Points with the coordinate 1 that multiplies offsets."""
        if not self.affine:
            return points
        return np.hstack([points, np.ones((len(points), 1), points.dtype)])

    def relative_error(self, points: Floats) -> NDArray[np.float64]:
        """Bounds that, times `norms`, plus `absolute_error`, bound the errors of scores.

        points : (m, D), extended, of the type in which the scores are computed
        """
        # two more than D terms: entries of the rows may be rounded, and so is this bound
        terms = (points.shape[1] + 4) * _UNIT[points.dtype]
        return upper_norms(points) * (terms / (1 - terms) if terms < 0.5 else np.inf)

    def absolute_error(self, points: Floats) -> NDArray[np.float64]:
        """What underflow can change: see `relative_error`."""
        largest = np.abs(points).max(axis=1, initial=0.0).astype(np.float64)
        return (1 + largest) * (points.shape[1] * _UNDERFLOW[points.dtype])

    def exact_scores(self, point: Sequence[Fraction]) -> NDArray[np.object_]:
        """Scores of all rows at a point, times one positive number, as Python integers."""
        W = self.wide_weights
        if not self.affine or self.offsets is None:
            return product(W, point)
        return product(append_column(W, self.offsets), [*point, Fraction(1)])

    def exact_rows(self, rows: Iterable[int]) -> list[tuple[Fraction, ...]]:
        """Rows (w, b), or w if central, as Fractions."""
        found = []
        for i in rows:
            row = fractions(self.weights[i])
            if self.affine and self.offsets is not None:
                row += fractions(self.offsets[i : i + 1])
            found.append(row)
        return found

    def scaled_rows(self, rows: Sequence[int]) -> tuple[list[list[int]], int] | None:
        """The same rows times one power of two, as integers, and this power.

        None if they are neither floats nor integers of 64 bits.
        """
        chosen = np.array(rows, np.int64)
        b = self.offsets if self.affine else None
        matrix = widened(self.weights[chosen])
        if b is not None:
            matrix = append_column(matrix, b[chosen])
        if matrix.dtype == np.int64:
            return matrix.tolist(), 1
        if matrix.dtype != np.float64:
            return None
        mantissas, exponents = np.frexp(matrix)
        integers = (mantissas * 2.0**53).astype(np.int64)
        lowest = min(53, int(exponents[integers != 0].min(initial=53)))
        shifts = np.maximum(exponents - lowest, 0)
        found = [
            [m << s for m, s in zip(row, by, strict=True)]
            for row, by in zip(integers.tolist(), shifts.tolist(), strict=True)
        ]
        return found, 1 << (53 - lowest)


def _are_short(numbers: ExactArray | None) -> bool:
    """Whether these are floats that float32 holds exactly."""
    if numbers is None or numbers.dtype != np.float64:
        return False
    with np.errstate(over="ignore", under="ignore"):
        return bool((numbers.astype(np.float32) == numbers).all())


def _fit_regression(W: Floats, center: bool, multiply: Multiply) -> Regression | None:
    scale = max(float(W.max(initial=0.0)), -float(W.min(initial=0.0)))
    if not np.isfinite(scale) or scale == 0.0:
        return None
    mean = W.mean(axis=0, dtype=np.float64) / scale if center else np.zeros(W.shape[1])
    total = W.sum(axis=0, dtype=np.float64) / scale - len(W) * mean
    if len(W) < W.shape[1]:
        factors = _inverse_in_span(np.divide(W, scale, dtype=np.float64) - mean)
        return Regression(scale, mean, total, factors, multiply)
    products = np.zeros((W.shape[1], W.shape[1]))
    step = min(_AT_ONCE, max(1, _ENTRIES // W.shape[1]))
    for start in range(0, len(W), step):
        rows = np.divide(W[start : start + step], scale, dtype=np.float64)
        rows -= mean
        products += multiply(rows.T, rows)
    products.flat[:: len(products) + 1] += 1e-9 * np.trace(products) / len(products) + 1e-300
    inverse = np.asarray(np.linalg.inv(products), np.float64)
    return Regression(scale, mean, total, (inverse,), multiply)


def _inverse_in_span(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Factors of the inverse of ``rows.T @ rows`` in the span of the rows: (d, n) and (n, d)."""
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    squares = values * values
    ridge = 1e-9 * squares.mean() + 1e-300
    return directions.T / (squares + ridge), directions


def upper_norms(rows: Floats) -> NDArray[np.float64]:
    """Upper bounds of the Euclidean norms of rows; infinite where they may overflow."""
    if len(rows) > _AT_ONCE:
        starts = range(0, len(rows), _AT_ONCE)
        return np.concatenate([upper_norms(rows[start : start + _AT_ONCE]) for start in starts])
    largest = np.abs(rows).max(axis=1, initial=0.0).astype(np.float64)
    safe = np.where((largest > 1e-100) & (largest < 1e100), 1.0, np.where(largest > 0, largest, 1))
    if (safe == 1).all():
        squares = np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    else:
        with np.errstate(invalid="ignore"):
            scaled = rows / safe[:, None]
        squares = np.einsum("ij,ij->i", scaled, scaled, dtype=np.float64)
    with np.errstate(over="ignore"):
        norms: NDArray[np.float64] = np.sqrt(squares) * safe * (1 + (rows.shape[1] + 8) * 2.0**-52)
    if not (safe == 1).all():
        np.nextafter(norms, np.inf, out=norms)  # safe may be subnormal
    return norms


def as_integers(row: Sequence[Fraction]) -> list[int]:
    """The primitive row that is a positive multiple of a row.

    Examples
    --------
    >>> as_integers([Fraction(1, 2), Fraction(-3, 4)])
    [2, -3]
    """
    return primitive(list(row))
