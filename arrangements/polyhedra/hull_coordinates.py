"""Scores at the points of a polyhedron, in coordinates in which it has full dimension."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import Label
from arrangements.core.score_model import ScoreModel, untied_model
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    as_objects,
    exactly_equal,
    nearest_floats,
    primitive,
    quotient,
    unify_fields,
    whole_rows,
)
from arrangements.feasibility.score_rows import ScoreRows, upper_norms
from arrangements.polyhedra.polyhedron import Polyhedron

# Steps of a random walk.
_STEPS = 50


class HullCoordinates:
    """Coordinates u of the affine hull of a polyhedron that is not empty.

    Where the hull is the whole space, u is the point itself.

    Attributes
    ----------
    polyhedron : Polyhedron
    is_full : bool
        Whether u is the point itself.
    numbers : list of int
        The inequalities that are positive in the relative interior, and not constant.
    facets : (k, r + 1) ndarray
        Positive multiples of these, on (u, 1); r is at least 1.

    Examples
    --------
    >>> inside = HullCoordinates(Polyhedron.simplex(2))
    >>> inside.point([Fraction(1, 4)])
    (Fraction(3, 4), Fraction(1, 4))
    >>> inside.numbers, inside.facets.tolist()
    ([0, 1], [[-1, 1], [1, 0]])
    """

    def __init__(self, polyhedron: Polyhedron) -> None:
        self.polyhedron = polyhedron
        found = polyhedron.strict_rows()
        assert found is not None  # it is not empty
        rows, basis = found
        self.is_full: bool = len(basis) == polyhedron.ambient_dimension + 1
        if self.is_full:
            self._matrix = np.eye(len(basis), dtype=np.int64)
        else:
            heights = [vector[-1] for vector in basis]
            self._matrix = _dehomogenize(np.array(basis, object).T, heights)
            rows = _dehomogenize(rows, heights)
        implicit = set(polyhedron.implicit_equations)
        strict = [j for j in range(len(polyhedron.inequalities[0])) if j not in implicit]
        proper = rows[:-1, :-1].any(axis=1)
        self.numbers: list[int] = np.array(strict, np.intp)[proper].tolist()
        self.facets: ExactArray = rows[:-1][proper]

    def point(self, u: Sequence[Any]) -> tuple[Any, ...]:
        """The point that has these coordinates, exact."""
        if self.is_full:
            return tuple(u)
        y = [sum(map(mul, row, (*u, 1))) for row in self._matrix.tolist()]
        return tuple(quotient(entry, Fraction(1) * y[-1]) for entry in y[:-1])

    def float_points(self, coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
        """The points that have these coordinates, a row each, rounded."""
        if self.is_full:
            return coordinates
        matrix = nearest_floats(self._matrix)
        ones = np.ones((len(coordinates), 1))
        with np.errstate(all="ignore"):
            y = np.hstack([coordinates, ones]) @ matrix.T
            return np.asarray(y[:, :-1] / y[:, -1:])

    def restrict(self, weights: ExactArray, offsets: ExactArray | None) -> ExactArray:
        """Rows (w, b) on (u, 1), all of them times the same positive number."""
        if self.is_full:
            return append_column(weights, offsets)
        weights, offsets, matrix = unify_fields(weights, offsets, self._matrix)
        integers = whole_rows(append_column(weights, offsets))
        return np.asarray(np.array(integers, object).reshape(len(weights), len(matrix)) @ matrix)

    def score_rows(
        self,
        weights: ExactArray,
        offsets: ExactArray | None,
        labels: tuple[Label, ...] | None = None,
        *,
        compared: bool = False,
    ) -> ScoreRows:
        """Rows of scores in these coordinates, and after them the facets; see `ScoreRows`."""
        rows = self.restrict(weights, offsets)
        rows = _without_common_offset(rows) if compared else rows
        rows, facets = map(_in_floats, unify_fields(rows, self.facets))
        if len(rows) and len(facets):
            facets = _scale(facets, float(np.median(upper_norms(nearest_floats(rows)))))
        both = _stack(rows, facets)
        columns = np.ascontiguousarray(both[:, :-1])
        return ScoreRows(
            columns,
            both[:, -1],
            labels,
            compared=compared,
            facets=len(facets),
            center=self.center() if len(facets) else None,
        )

    def arrangement(self, arrangement: Arrangement) -> Arrangement:
        """Hyperplanes in these coordinates, and after them the facets.

        Examples
        --------
        >>> HullCoordinates(Polyhedron.simplex(2)).arrangement(Arrangement([[1, 2]]))
        Arrangement(3 hyperplanes in dimension 1, affine)
        """
        rows = self._beside(self.restrict(arrangement.normals, arrangement.offsets))
        return Arrangement(rows[:, :-1], rows[:, -1])

    def signs(self, signs: NDArray[np.int8]) -> NDArray[np.int8]:
        """Sign vectors of hyperplanes with a + for each facet."""
        return np.hstack([signs, np.ones((len(signs), len(self.facets)), np.int8)])

    def model(self, model: ScoreModel) -> ScoreModel:
        """Labels in these coordinates; after them one of score 0, and one for each facet."""
        rows = _without_common_offset(self.restrict(model.weights, model.offsets))
        rows = self._beside(np.concatenate([rows, np.zeros((1, rows.shape[1]), rows.dtype)]))
        return untied_model(rows[:, :-1], rows[:, -1])

    def pairs(self, orders: NDArray[np.integer[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Pairs of labels of `model`, the first above the second for rankings inside.

        Examples
        --------
        >>> HullCoordinates(Polyhedron.simplex(2)).pairs(np.array([[1, 0]]))
        (array([[1, 3, 4]]), array([[0, 2, 2]]))
        """
        m, n = orders.shape
        facets = np.tile(np.arange(n + 1, n + 1 + len(self.facets)), (m, 1))
        above = np.hstack([orders[:, :-1].astype(np.intp), facets])
        return above, np.hstack([orders[:, 1:].astype(np.intp), np.full_like(facets, n)])

    def whole_point(self, u: Sequence[int]) -> list[Any]:
        """Homogeneous coordinates of a point, last a positive one, from those in the hull."""
        return primitive([sum(map(mul, row, u)) for row in self._matrix.tolist()])

    def _beside(self, rows: ExactArray) -> ExactArray:
        """Rows, and after them the facets."""
        return _stack(*map(_in_floats, unify_fields(rows, self.facets)))

    def center(self) -> NDArray[np.float64] | None:
        """The coordinates of the interior point, rounded; None beyond the range of floats."""
        y = nearest_floats(np.array([*(self.polyhedron.interior_point or ()), 1], object))
        if not self.is_full:
            matrix = nearest_floats(self._matrix)
            if not (np.isfinite(matrix).all() and np.isfinite(y).all()):
                return None
            shifted = y * matrix[-1, -1] - matrix[:, -1]
            y = np.linalg.lstsq(matrix[:, :-1], shifted, rcond=None)[0]
        else:
            y = y[:-1]
        return y if np.isfinite(y).all() else None


def random_points(P: Polyhedron, m: int, rng: np.random.Generator) -> ExactArray:
    """Points of the relative interior of a polyhedron, at the ends of random walks; some of m.

    Each walk begins at the interior point and goes on to a random point of a random line (hit and
    run), about as far as a normal variable where the line does not end. Points that rounding moves
    to the boundary are left out.

    Examples
    --------
    >>> P = Polyhedron.simplex(3)
    >>> points = random_points(P, 10, np.random.default_rng(0))
    >>> len(points), P.contains(points, interior=True).all()
    (10, np.True_)
    """
    if P.is_empty:
        return np.zeros((0, P.ambient_dimension))
    hull = HullCoordinates(P)
    rows, center = nearest_floats(hull.facets), hull.center()
    if center is None or not np.isfinite(rows).all():
        center, rows = np.zeros(rows.shape[1] - 1), rows[:0]
    u = np.tile(center, (m, 1))
    lengths = np.abs(rows[:, :-1]).max(initial=0.0) or 1.0
    for _ in range(_STEPS):
        directions = rng.standard_normal(u.shape)
        gaps, slopes = u @ rows[:, :-1].T + rows[:, -1], directions @ rows[:, :-1].T
        with np.errstate(all="ignore"):
            ends = -gaps / slopes
        free = np.abs(rng.standard_normal((2, m))) / lengths
        high = np.where(slopes < 0, ends, np.inf).min(axis=1, initial=np.inf)
        low = np.where(slopes > 0, ends, -np.inf).max(axis=1, initial=-np.inf)
        high, low = np.where(high < np.inf, high, free[0]), np.where(low > -np.inf, low, -free[1])
        u += (low + (high - low) * rng.uniform(0.0, 1.0, m))[:, None] * directions
    u = u[np.isfinite(u).all(axis=1)]
    if hull.is_full:
        points: ExactArray = u
    else:
        points = np.array([hull.point(list(map(Fraction, row))) for row in u.tolist()], object)
    points = points.reshape(len(u), P.ambient_dimension)
    return points[P.contains(points, interior=True)]


def _dehomogenize(rows: ExactArray, heights: list[Any]) -> ExactArray:
    """Values on vectors of height 0, and last on one of positive height, that span the same.

    rows : values on vectors of these heights
    """
    lead = next(k for k, height in enumerate(heights) if height)
    sign = 1 if heights[lead] > 0 else -1
    last = sign * rows[:, lead]
    columns = [
        rows[:, k] * (sign * heights[lead]) - last * height
        for k, height in enumerate(heights)
        if k != lead
    ]
    return np.stack([*(columns or [0 * last]), last], axis=1)


def _stack(rows: ExactArray, facets: ExactArray) -> ExactArray:
    """Both, of one type."""
    if rows.dtype != facets.dtype:
        rows, facets = as_objects(rows), as_objects(facets)
    return np.concatenate([rows, facets])


def _without_common_offset(rows: ExactArray) -> ExactArray:
    """The rows with offsets 0 if all are equal, which changes no difference."""
    if len(rows) and (rows[:, -1] == rows[0, -1]).all():
        rows = rows.copy()
        rows[:, -1] = 0
    return rows


def _in_floats(values: ExactArray) -> ExactArray:
    """The same numbers as float64, if it holds them exactly."""
    with np.errstate(over="ignore"):
        floats = nearest_floats(values)
    return floats if np.isfinite(floats).all() and exactly_equal(floats, values) else values


def _scale(rows: ExactArray, norm: float) -> ExactArray:
    """Rows times powers of two, so that their norms are about this one."""
    if not 0 < norm < np.inf:
        return rows
    floats = nearest_floats(rows)
    with np.errstate(all="ignore"):
        shifts = np.nan_to_num(np.rint(np.log2(norm / upper_norms(floats)))).astype(int)
        scaled = np.ldexp(floats, shifts[:, None])
        if rows.dtype == np.float64 and (np.ldexp(scaled, -shifts[:, None]) == rows).all():
            return scaled
    return as_objects(rows) * np.array([Fraction(2) ** int(s) for s in shifts], object)[:, None]
