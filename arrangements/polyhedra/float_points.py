"""Float64 points inside a polyhedron for many chambers or rankings, each proved.

They are found in coordinates of the affine hull, where facets are further rows. If the polyhedron
has full dimension, that is all. Otherwise a point of the hull is rounded to few binary digits, with
which it may be a point of float64 of the space, and is proved again there.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.exact.numbers import negative
from arrangements.exact.scores import positive_rows
from arrangements.feasibility.interior import float_witnesses
from arrangements.feasibility.label_rows import LabelRows
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron

Floats = NDArray[np.float64]
Signs = NDArray[np.int8]
Rows = NDArray[np.intp]

# Binary digits to which coordinates of a hull are rounded.
_DIGITS = (2, 4, 8, 12, 16, 20, 24, 32, 40, 48)


def chamber_points(arrangement: Arrangement, P: Polyhedron, signs: Signs) -> Floats:
    """A point of the relative interior for each sign vector; NaN where none was found.

    Parameters
    ----------
    arrangement : Arrangement
    P : Polyhedron
    signs : (m, n) int8 ndarray
        Entries -1 and +1, each row a chamber that meets the relative interior.

    Examples
    --------
    >>> lines = Arrangement([[1, 0], [0, 1]], [0, -1])
    >>> chamber_points(lines, Polyhedron.box(0, 2, dimension=2), np.array([[1, -1]], np.int8))
    array([[1.  , 0.75]])
    """
    hull = HullCoordinates(P)
    u, _ = float_witnesses(hull.arrangement(arrangement), hull.signs(signs))
    W, b = arrangement.normals, arrangement.offsets

    def prove(rows: Rows, points: Floats) -> NDArray[np.bool_]:
        plus = positive_rows(W, b, points)
        minus = positive_rows(negative(W), None if b is None else negative(b), points)
        right = (plus == (signs[rows] > 0)) & (minus == (signs[rows] < 0))
        return np.asarray(right.all(axis=1) & P.contains(points, interior=True))

    return _in_space(hull, u, prove)


def ranking_points(model: ScoreModel, P: Polyhedron, orders: NDArray[np.integer]) -> Floats:
    """The same for rankings, (m, n) labels.

    Examples
    --------
    >>> model = ScoreModel([[1], [3], [2]])
    >>> 1 < ranking_points(model, Polyhedron.box([1], [2]), np.array([[1, 2, 0]]))[0, 0] < 2
    np.True_
    """
    if model.n_labels == 1:  # no pair
        return chamber_points(of_pairs(model, [], []), P, np.ones((len(orders), 0), np.int8))
    hull = HullCoordinates(P)
    rows = LabelRows(hull.model(model))
    u = rows.witnesses(*hull.pairs(orders))

    def prove(chosen: Rows, points: Floats) -> NDArray[np.bool_]:
        found = P.contains(points, interior=True)
        for k in np.flatnonzero(found):
            order = orders[chosen[k]]
            walls = of_pairs(model, order[:-1], order[1:])
            found[k] = positive_rows(walls.normals, walls.offsets, points[k : k + 1]).all()
        return found

    return _in_space(hull, u, prove)


def _in_space(
    hull: HullCoordinates, u: Floats, prove: Callable[[Rows, Floats], NDArray[np.bool_]]
) -> Floats:
    """Points with about these coordinates, all proved."""
    if hull.is_full:
        return u
    points = np.full((len(u), hull.polyhedron.ambient_dimension), np.nan)
    left = np.flatnonzero(np.isfinite(u).all(axis=1))
    for digits in _DIGITS:
        exponents = digits - np.frexp(np.abs(u[left]).max(axis=1, initial=0.0))[1][:, None]
        with np.errstate(all="ignore"):
            tried = hull.float_points(np.ldexp(np.rint(np.ldexp(u[left], exponents)), -exponents))
        good = np.asarray(np.isfinite(tried).all(axis=1))
        good[good] = prove(left[good], tried[good])
        points[left[good]] = tried[good]
        left = left[~good]
    return points
