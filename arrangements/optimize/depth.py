"""Halfspace depth: how few points of a cloud a closed halfspace with a given point can hold."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import align_columns, column_names
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import (
    ExactArray,
    field_of_array,
    fractions,
    times_common_denominator,
    unify_fields,
)
from arrangements.kernels.cone.directions import FOUND, MOST, Directions, least_side
from arrangements.optimize.by_sweep import for_each, least_of_all
from arrangements.optimize.objectives import Costs

# Looks at a row, for each chamber of a sweep, and at least: as many as take as long as the sweep.
_LOOKS, _FEW = 4, 20_000
# Exponent of zero, below that of every float.
_ZERO = -(10**6)
# Beyond, a sweep is faster.
_MOST_DIMENSIONS = 3
# Binary digits of the first corners.
_BITS = 10
# Nodes that wait, for each dimension: corners have at most 50 digits. Rows in all their lists.
_NODES, _LISTS = 60, 64


def halfspace_depth(
    points: ArrayLike,
    data: ArrayLike,
    *,
    normalized: bool = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[Any]:
    """Find the halfspace depth (Tukey depth) of points in a cloud of data, exactly.

    The depth of z is the least number of data points in a closed halfspace that contains z.

    Parameters
    ----------
    points : (m, d) array_like of int, float or Fraction
    data : (n, d) array_like of int, float or Fraction
        In any position; a point that occurs twice counts twice. A float counts as the exact
        dyadic number it is.
    normalized : bool
        Divide by n.
    workers : int
        Threads, each for one of the points at a time.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        Refuse what is expected to take more. The default is a day.

    Returns
    -------
    (m,) ndarray of int64, or of float64 if normalized

    Raises
    ------
    InputError
        If `points` and `data` have different numbers of columns, or no column.
    TooLargeError
        If it is expected to take more than `max_hours`.

    Notes
    -----
    The halfspaces with z on their boundary are the chambers of the hyperplanes with the normals
    ``data - z``, and their faces; a face counts no fewer points than the chambers around it. So
    the depth is the least number of signs + of a chamber [1]_. Differences are rounded only where
    the error is known not to matter. Up to three dimensions, cones of directions are bisected
    until no better chamber can be in them; where floats do not decide that, as in most grids of
    integers, and in more dimensions, a sweep does, in O(n**(d - 1)) for each point.

    References
    ----------
    .. [1] R. Dyckerhoff and P. Mozharovskyi, Exact computation of the halfspace depth,
       Comput. Statist. Data Anal. 98 (2016) 19-30.

    Examples
    --------
    >>> square = [[0, 0], [2, 0], [0, 2], [2, 2]]
    >>> halfspace_depth([[1, 1], [0, 0], [0.5, 0.5], [3, 1]], square)
    array([2, 1, 1, 0])
    """
    both = Cloud.of(points, data)
    normalized = check_flag("normalized", normalized)
    progress = check_flag("progress", progress)
    workers = check_integer("workers", workers, 1)
    check_max_hours(max_hours)
    first = Arrangement(nonzero_rows(both.differences(0)))
    depths = for_each(both.depth, both.m, first, "points", workers, progress, max_hours)
    found = np.array(depths, np.int64)
    return found / both.n if normalized else found


def _integers(matrix: NDArray[Any]) -> NDArray[Any]:
    """Each column times a positive number that makes it whole, which leaves depths as they are.

    In int64 if differences fit too.
    """
    integers = [times_common_denominator([fractions(column)])[0][0] for column in matrix.T]
    rational = field_of_rows(integers) is None
    fits = rational and all(abs(x) < 2**61 for column in integers for x in column)
    return np.array(integers, np.int64 if fits else object).T.copy()


class Cloud:
    """The data, as integers and, where that is exact but for one rounding, as floats.

    Differences of floats are rounded once. Signs of what is computed with them are used where the
    error does not matter.
    """

    def __init__(self, cloud: ExactArray, points: ExactArray) -> None:
        self._floats = cloud.dtype == points.dtype == np.float64
        self.given = (cloud, points)
        both = unify_fields(cloud.astype(object), points.astype(object))
        self.whole = _integers(np.vstack(both))
        self.n, self.m = len(cloud), len(points)

    @classmethod
    def of(cls, points: ArrayLike, data: ArrayLike) -> Cloud:
        """The data and the points of a caller, checked."""
        points = align_columns(points, column_names(data), "points", "columns of data")
        cloud, given = as_exact_matrix(data, "data"), as_exact_matrix(points, "points")
        if cloud.shape[1] != given.shape[1]:
            raise InputError(
                f"points has shape {given.shape} and data {cloud.shape}; expected the same number "
                "of columns, one for each coordinate."
            )
        return cls(cloud, given)

    def differences(self, k: int) -> NDArray[Any]:
        """From point k to the data, exact up to a factor for each column."""
        return self.whole[: self.n] - self.whole[self.n + k]

    def rounded(self, k: int) -> NDArray[np.float64]:
        """The same, each rounded once; they may overflow."""
        if self._floats:
            with np.errstate(over="ignore"):
                return np.asarray(self.given[0] - self.given[1][k], np.float64)
        unknown = np.full((self.n, self.whole.shape[1]), np.inf)
        if field_of_array(self.whole) is not None:  # their floats are not the nearest
            return unknown
        try:
            return self.differences(k).astype(np.float64)
        except OverflowError:  # integers beyond the range of floats
            return unknown

    def depth(self, k: int) -> int:
        """The depth of point k."""
        rows = nonzero_rows(self.rounded(k))
        if self.whole.dtype == np.int64:
            least = least_weight(*_merge_opposites(nonzero_rows(self.differences(k))))
        elif np.isfinite(rows).all():
            least = least_weight(rows, np.tile([0, 1], (len(rows), 1)))
        else:
            least = None
        if least is None:
            rows = nonzero_rows(self.differences(k))
            least = least_of_all(Arrangement(rows), Costs.of_number(len(rows)))
        return self.n - len(rows) + least


def nonzero_rows(differences: NDArray[Any]) -> NDArray[Any]:
    """The data that are not the point itself."""
    return differences[(differences != 0).any(axis=1)]


def _merge_opposites(rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """One row for each direction and its opposite, and how many rows have each of them."""
    primitive = rows // np.gcd.reduce(rows, axis=1)[:, None]
    first = primitive[np.arange(len(rows)), (primitive != 0).argmax(axis=1)]
    side = np.sign(first)
    distinct, member = np.unique(primitive * side[:, None], axis=0, return_inverse=True)
    weights = np.zeros((len(distinct), 2), np.int64)
    np.add.at(weights, (member.ravel(), (side > 0).astype(np.intp)), 1)
    return distinct.astype(np.float64), weights


# ------------------------------------------------------------------ bisection of directions


def least_weight(rows: NDArray[np.float64], weights: NDArray[np.int64]) -> int | None:
    """The least, over directions u, of what rows weigh by the signs of ``rows @ u``.

    Parameters
    ----------
    rows : (n, d) ndarray
        Finite, none of them zero; each entry is accurate to a relative 2**-53.
    weights : (n, 2) ndarray of int64
        Where negative, and where positive; not negative.

    Returns
    -------
    int or None
        None if floats do not decide it, or a sweep is faster.

    Examples
    --------
    >>> least_weight(np.array([[1.0, 0], [-1, 1], [-1, -1.5]]), np.array([[0, 1]] * 3))
    1
    """
    n, d = rows.shape
    if d > _MOST_DIMENSIONS or not n:
        return None if n else 0
    # Powers of two change no sign. Apply those of columns and rows at once: an entry that
    # underflows then stays below 2**-1022, where the kernel allows for the error.
    mantissas, exponents = np.frexp(rows)
    for axis in (0, 1):
        exponents[rows == 0] = _ZERO
        exponents -= exponents.max(axis=axis, keepdims=True)
    scaled = np.ldexp(mantissas, exponents)
    space = Directions(
        np.ascontiguousarray(scaled),
        np.ascontiguousarray(weights),
        np.zeros((_NODES * d, d, d)),
        np.zeros((_NODES * d, d), np.int64),
        np.zeros((_NODES * d, 5), np.int64),
        np.zeros(_LISTS * n + 64, np.int64),
        np.array([weights.sum()], np.int64),
        np.zeros(1, np.int64),
        np.zeros((MOST, 3)),
        np.zeros((MOST, 3)),
        np.zeros(MOST),
        np.zeros(MOST, np.int64),
    )
    most_looks = _FEW + _LOOKS * comb(n, d - 1)
    corners = _corners(d)
    for signs in product((1.0, -1.0), repeat=d - 1):
        cone = corners * np.array([1.0, *signs])[:, None]
        if least_side(space, cone, _BITS, most_looks) != FOUND:
            return None
    return int(space.least[0])


@cache
def _corners(d: int) -> NDArray[np.float64]:
    """Rows that, with their opposites, span cones that cover all directions.

    They are near those of the coordinates, but lie on few hyperplanes with small integers.
    """
    limit = 2**_BITS // 4
    tilt = np.random.default_rng(d).integers(-limit, limit + 1, (d, d))
    return np.eye(d) + np.where(np.eye(d) > 0, 0, tilt) / 2**_BITS
