"""Regression depth: how few observations must go so that a fit can be improved everywhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.numbers import append_column, fractions, negative
from arrangements.exact.products import product
from arrangements.optimize.by_sweep import for_each
from arrangements.optimize.depth import Cloud


def regression_depth(
    fits: ArrayLike,
    X: ArrayLike,
    y: ArrayLike,
    *,
    fit_intercept: bool = True,
    normalized: bool = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[Any]:
    """Find the regression depth of linear fits, exactly.

    The depth is the least number of observations without which the fit can be turned, about a
    hyperplane ``u . x = v`` with no x of an observation on it, until it is vertical, and passes no
    other observation.

    Parameters
    ----------
    fits : (m, d + 1) array_like of int, float or Fraction
        Coefficients of the columns of X and then the intercept of each fit; (m, d) without
        intercept.
    X : (n, d) array_like of int, float or Fraction
        In any position. A float counts as the exact dyadic number it is.
    y : (n,) array_like of int, float or Fraction
    fit_intercept : bool
        Whether fits may miss the origin. If not, they are turned about linear subspaces.
    normalized : bool
        Divide by n.
    workers : int
        Threads, each for one of the fits at a time.
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
        If `fits` has another number of columns, or there are no observations.
    TooLargeError
        If it is expected to take more than `max_hours`.

    See Also
    --------
    halfspace_depth : of points.

    Notes
    -----
    With residuals r, the depth is the number of observations with r = 0 and, of the others, the
    least number of signs - that ``sign(r_i) * ((x_i, 1) . u)`` has at a chamber of these rows: it
    is the halfspace depth of the origin among them. O(n log n) for each line in the plane if
    floats decide it, O(n**d) by a sweep.

    References
    ----------
    .. [1] P. J. Rousseeuw and M. Hubert, Regression depth, J. Amer. Statist. Assoc. 94 (1999)
       388-402.

    Examples
    --------
    >>> X, y = [[0], [1], [2], [3], [4]], [0, 1, 2, 3, 9]
    >>> regression_depth([[1, 0], [2, -1], [0, -1]], X, y)
    array([4, 2, 0])
    """
    matrix, given = as_exact_matrix(X, "X"), as_exact_matrix(fits, "fits")
    targets = as_exact_vector(y, len(matrix), "y")
    n, d = matrix.shape
    fit_intercept, normalized = (
        check_flag("fit_intercept", fit_intercept),
        check_flag("normalized", normalized),
    )
    if given.shape[1] != d + fit_intercept:
        last = ", the last one for the intercept" if fit_intercept else ""
        raise InputError(
            f"fits has {given.shape[1]} columns and X has {d}; expected fits with "
            f"{d + fit_intercept} columns{last}."
        )
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    check_max_hours(max_hours)
    rows = append_column(matrix, np.ones(n, np.int64)) if fit_intercept else matrix
    whole = append_column(rows, targets)

    def depth(k: int) -> int:
        residuals = product(whole, [*fractions(negative(given[k])), Fraction(1)])
        side = np.array([(r > 0) - (r < 0) for r in residuals], np.int8)
        missed = rows[side != 0]
        cloud = np.where((side[side != 0] > 0)[:, None], missed, negative(missed))
        if not len(cloud):
            return n
        return n - len(cloud) + Cloud(cloud, np.zeros((1, rows.shape[1]), np.int64)).depth(0)

    moving = rows[(rows != 0).any(axis=1)]
    depths = for_each(depth, len(given), Arrangement(moving), "fits", workers, progress, max_hours)
    found = np.array(depths, np.int64)
    return found / n if normalized else found
