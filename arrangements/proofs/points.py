"""Points of many chambers or rankings in short whole numbers, each proved.

A point x = p / q, q > 0, is the d + 1 whole numbers (p, q): a point of the cone over the
arrangement. The float kernels find some direction in the cone of a chamber, which is rounded to as
few binary digits as still prove all signs; where no rounded direction does, the point is exact.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.exact.numbers import primitive
from arrangements.feasibility.interior import rough_points, rows_for_kernels
from arrangements.feasibility.label_rows import LabelRows
from arrangements.feasibility.one_sign_vector import interior_point
from arrangements.kernels.cone.cone_test import ROUNDING, TINY
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.sets.orders import Orders
from arrangements.sets.packed import Signs

Floats = NDArray[np.float64]
WholePoint = list[int]
Labels = NDArray[np.integer[Any]]

# Binary digits tried, and the most that a whole number of 64 bits holds after a shift.
_DIGITS = (*range(1, 9), 10, 12, 14, 17, 20, 24, 29, 35, 42, 50)
_MOST_BITS = 62


def homogeneous(point: Sequence[Fraction]) -> WholePoint:
    """The whole numbers (p, q) of a point; of an irrational one, a positive multiple of (x, 1).

    Examples
    --------
    >>> homogeneous([Fraction(1, 2), Fraction(-2, 3)])
    [3, -4, 6]
    """
    return primitive([*point, 1])


def chamber_points(
    arrangement: Arrangement, signs: Signs, within: Polyhedron | None = None
) -> list[WholePoint]:
    """A point of each of the chambers with these signs.

    Parameters
    ----------
    arrangement : Arrangement
    signs : (m, n) int8 ndarray
        Entries -1 and +1.
    within : Polyhedron, optional
        Points in its relative interior; it is not empty.

    Raises
    ------
    InputError
        If a row of `signs` does not occur.

    Examples
    --------
    >>> chamber_points(Arrangement([[1, 0], [0, 3]], [0, -1]), np.array([[1, -1]], np.int8))
    [[2, -1, 2]]
    >>> P = Polyhedron.simplex(2)
    >>> chamber_points(Arrangement([[1, -1]]), np.array([[1], [-1]], np.int8), P)
    [[3, 1, 4], [1, 3, 4]]
    """
    if within is not None:
        hull = HullCoordinates(within)
        points = chamber_points(hull.arrangement(arrangement), hull.signs(signs))
        return [hull.whole_point(point) for point in points]
    m, d = len(signs), arrangement.dimension
    if arrangement.n_hyperplanes == 0:
        return [[0] * d + [1]] * m
    system, affine = rows_for_kernels(arrangement)
    float_signs = np.ones((m, len(system.integers)))
    float_signs[:, int(affine) :] = signs
    scaled, found = rough_points(system, float_signs)

    def prove(points: Floats, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        values = _products(points, system.floats) * float_signs[rows]
        return np.asarray((values > _error(points)[:, None]).all(axis=1))

    def exact_point(row: int) -> WholePoint:
        return homogeneous(interior_point(arrangement, signs[row]))

    places = (system.columns, system.column_exponents, d, affine)
    return _all_points(_shorten(scaled, found, prove), places, exact_point)


def ranking_points(
    model: ScoreModel, orders: Orders, within: Polyhedron | None = None
) -> list[WholePoint]:
    """A point where the scores have the order, for each of the rankings.

    Parameters
    ----------
    model : ScoreModel
    orders : (m, n) ndarray of int
    within : Polyhedron, optional
        Points in its relative interior; it is not empty.

    Raises
    ------
    InputError
        If a row of `orders` does not occur.

    Examples
    --------
    >>> ranking_points(ScoreModel([[1], [3], [2]]), np.array([[1, 2, 0]], np.uint8))
    [[1, 1]]
    """
    if within is None:
        return _label_points(model, orders[:, :-1], orders[:, 1:])
    hull = HullCoordinates(within)
    found = _label_points(hull.model(model), *hull.pairs(orders))
    return [hull.whole_point(point) for point in found]


def _label_points(model: ScoreModel, above: Labels, below: Labels) -> list[WholePoint]:
    """A point where each label above[i, q] scores higher than below[i, q], for each i."""
    (m, pairs), d, affine = above.shape, model.dimension, not model.is_central
    if not pairs:
        return [[0] * d + [1]] * m
    rows = LabelRows(model)
    scaled, found = rows.rough_points(above, below)

    def prove(points: Floats, chosen: NDArray[np.intp]) -> NDArray[np.bool_]:
        assert rows.floats is not None  # otherwise nothing was found
        scores = _products(points, rows.floats[:, : model.n_labels])
        high, low = (
            np.take_along_axis(scores, side[chosen].astype(np.intp), axis=1)
            for side in (above, below)
        )
        right = (high - low > 2 * _error(points)[:, None]).all(axis=1)
        return np.asarray(right & (points[:, 0] > 0) if affine else right)

    def exact_point(row: int) -> WholePoint:
        walls = of_pairs(model, above[row], below[row])
        return homogeneous(interior_point(walls, np.ones(pairs, np.int8)))

    places = (rows.columns, rows.column_exponents, d, affine)
    return _all_points(_shorten(scaled, found, prove), places, exact_point)


def _products(points: Floats, rows: Floats) -> Floats:
    """``points @ rows`` column by column: BLAS might sum in a way for which no bound is known."""
    values = points[:, :1] * rows[0]
    for c in range(1, len(rows)):
        values += points[:, c, None] * rows[c]
    return values


def _error(points: Floats) -> Floats:
    """Bound of the errors of products with rows of entries at most 2, each right to 2**-53.

    As in `kernels.cone.interior_points.first_doubtful`.
    """
    digits = points.shape[1]
    return (2 * digits + 3) * ROUNDING * np.abs(points).sum(axis=1) + TINY


def _shorten(
    scaled: Floats,
    found: NDArray[np.bool_],
    prove: Callable[[Floats, NDArray[np.intp]], NDArray[np.bool_]],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Directions rounded to the fewest digits with which they are proved, and where they are."""
    numbers = np.zeros(scaled.shape, np.int64)
    left = np.flatnonzero(found)
    unit = scaled / np.abs(scaled).max(axis=1, keepdims=True, initial=TINY)
    for digits in _DIGITS:
        if not len(left):
            break
        rounded = np.rint(unit[left] * 2.0**digits)
        good = prove(rounded, left)
        numbers[left[good]] = rounded[good]
        left = left[~good]
    success = found.copy()
    success[left] = False
    return numbers, success


def _all_points(
    short: tuple[NDArray[np.int64], NDArray[np.bool_]],
    places: tuple[Sequence[int], NDArray[np.int64], int, bool],
    exact_point: Callable[[int], WholePoint],
) -> list[WholePoint]:
    """Short directions in the caller's coordinates, and exact points for the others.

    `places` are the caller's coordinate of each column (the one at infinity is number d), the
    exponents by which columns were scaled, d, and whether there is a coordinate at infinity.
    """
    numbers, success = short
    columns, exponents, d, affine = places
    shifts = exponents.max(initial=0) - exponents
    wide = shifts.max(initial=0) + int(np.abs(numbers).max(initial=0)).bit_length() > _MOST_BITS
    points = np.zeros((len(numbers), d + 1), object if wide else np.int64)
    for c, column in enumerate(columns):
        points[:, column] = numbers[:, c].astype(points.dtype) * 2 ** int(shifts[c])
    points //= np.maximum(np.gcd.reduce(points, axis=1), 1)[:, None]
    if not affine:
        points[:, d] = 1
    whole: list[WholePoint] = points.tolist()
    for row in np.flatnonzero(~success).tolist():
        whole[row] = exact_point(row)
    return whole
