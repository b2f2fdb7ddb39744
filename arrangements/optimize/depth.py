"""Halfspace depth: how few points of a cloud a closed halfspace with a given point can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.alignment import align_columns, column_names
from arrangements.core.arrangement import Arrangement
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
from arrangements.optimize.by_sweep import for_each, least_of_all
from arrangements.optimize.costs import Costs
from arrangements.optimize.directions import least_weight


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
    points = align_columns(points, column_names(data), "points", "columns of data")
    cloud, given = as_exact_matrix(data, "data"), as_exact_matrix(points, "points")
    if cloud.shape[1] != given.shape[1]:
        raise InputError(
            f"points has shape {given.shape} and data {cloud.shape}; expected the same number of "
            "columns, one for each coordinate."
        )
    normalized = check_flag("normalized", normalized)
    progress = check_flag("progress", progress)
    workers = check_integer("workers", workers, 1)
    check_max_hours(max_hours)
    both = _Cloud(cloud, given)
    first = Arrangement(_nonzero_rows(both.differences(0)))
    depths = for_each(both.depth, len(given), first, "points", workers, progress, max_hours)
    found = np.array(depths, np.int64)
    return found / len(cloud) if normalized else found


def _integers(matrix: NDArray[Any]) -> NDArray[Any]:
    """Each column times a positive number that makes it whole, which leaves depths as they are.

    In int64 if differences fit too.
    """
    integers = [times_common_denominator([fractions(column)])[0][0] for column in matrix.T]
    rational = field_of_rows(integers) is None
    fits = rational and all(abs(x) < 2**61 for column in integers for x in column)
    return np.array(integers, np.int64 if fits else object).T.copy()


class _Cloud:
    """The data, as integers and, where that is exact but for one rounding, as floats.

    Differences of floats are rounded once. Signs of what is computed with them are used where the
    error does not matter.
    """

    def __init__(self, cloud: ExactArray, points: ExactArray) -> None:
        self._floats = cloud.dtype == points.dtype == np.float64
        self.given = (cloud, points)
        both = unify_fields(cloud.astype(object), points.astype(object))
        self.whole = _integers(np.vstack(both))
        self.n = len(cloud)

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
        rows = _nonzero_rows(self.rounded(k))
        if self.whole.dtype == np.int64:
            least = least_weight(*_merged(_nonzero_rows(self.differences(k))))
        elif np.isfinite(rows).all():
            least = least_weight(rows, np.tile([0, 1], (len(rows), 1)))
        else:
            least = None
        if least is None:
            rows = _nonzero_rows(self.differences(k))
            least = least_of_all(Arrangement(rows), Costs.of_number(len(rows)))
        return self.n - len(rows) + least


def _nonzero_rows(differences: NDArray[Any]) -> NDArray[Any]:
    return differences[(differences != 0).any(axis=1)]


def _merged(rows: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """One row for each direction and its opposite, and how many rows have each of them."""
    primitive = rows // np.gcd.reduce(rows, axis=1)[:, None]
    first = primitive[np.arange(len(rows)), (primitive != 0).argmax(axis=1)]
    side = np.sign(first)
    distinct, member = np.unique(primitive * side[:, None], axis=0, return_inverse=True)
    weights = np.zeros((len(distinct), 2), np.int64)
    np.add.at(weights, (member.ravel(), (side > 0).astype(np.intp)), 1)
    return distinct.astype(np.float64), weights
