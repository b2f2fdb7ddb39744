"""Regression depth: how few observations must go so that a fit can be improved everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import align
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, is_frame
from arrangements.exact.linear import rank, solve
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    check_rational,
    fractions,
    integer_rows,
    negative,
)
from arrangements.exact.products import product
from arrangements.exact.text import brief_text
from arrangements.feasibility.interior import Point
from arrangements.optimize.by_sweep import for_each
from arrangements.optimize.depth import Cloud

# Sets of observations that determine a fit.
_MOST_FITS = 100_000


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
        If X is a DataFrame, a Series is put into the order of its index.
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
    deepest_regression : the fits of the largest depth.
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
    given = as_exact_matrix(fits, "fits")
    matrix, targets = _observations(X, y)
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


def _observations(X: ArrayLike, y: ArrayLike) -> tuple[ExactArray, ExactArray]:
    """Both as exact numbers, in one order."""
    if is_frame(X):
        index: Any = X.index  # type: ignore[union-attr]
        y = align(y, index, "y", "rows of X")
    matrix = as_exact_matrix(X, "X")
    return matrix, as_exact_vector(y, len(matrix), "y")


@public_class
@dataclass(frozen=True)
class DeepestRegression:
    """The linear fits of the largest regression depth.

    Attributes
    ----------
    depth : int
        No fit has a larger one.
    fits : tuple of tuple of Fraction
        Coefficients and then the intercept, if there is one, of all deepest fits that go through as
        many independent observations as they have numbers.
    """

    depth: int
    fits: tuple[Point, ...]

    def __repr__(self) -> str:
        first = ", ".join(map(brief_text, self.fits[0]))
        more = f" and {len(self.fits) - 1} more" if len(self.fits) > 1 else ""
        return f"DeepestRegression(depth {self.depth}, fit ({first}){more})"

    def _repr_html_(self) -> str:
        axes = [notebook.Markup(f"a<sub>{k + 1}</sub>") for k in range(len(self.fits[0]))]
        rows = ([i, *notebook.numbers(fit)] for i, fit in enumerate(self.fits))
        table = notebook.table(["fit", *axes], rows, len(self.fits))
        return notebook.card(f"Fits of the largest regression depth, {self.depth}", (), table)


def deepest_regression(
    X: ArrayLike,
    y: ArrayLike,
    *,
    fit_intercept: bool = True,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> DeepestRegression:
    """Find the linear fits of the largest regression depth, exactly.

    Parameters
    ----------
    X, y, fit_intercept, workers, progress, max_hours
        As of `regression_depth`.

    Returns
    -------
    DeepestRegression

    Raises
    ------
    InputError
        If the columns of X, with that of the intercept, are linearly dependent, or a number is
        irrational.
    TooLargeError
        If more than 100,000 sets of observations determine a fit, or it is expected to take more
        than `max_hours`.

    See Also
    --------
    regression_depth : of given fits.

    Notes
    -----
    A residual that becomes 0 lowers no depth, so some fit that k = d + 1 independent observations
    determine (d without intercept) is deepest [1]_. All these, up to C(n, k), are compared. At
    least n / (k + 1) observations must always go [2]_.

    References
    ----------
    .. [1] P. J. Rousseeuw and M. Hubert, Regression depth, J. Amer. Statist. Assoc. 94 (1999)
       388-402.
    .. [2] N. Amenta, M. Bern, D. Eppstein, S.-H. Teng, Regression depth and center points, Discrete
       Comput. Geom. 23 (2000) 305-323.

    Examples
    --------
    >>> deepest_regression([[0], [1], [2], [3], [4]], [0, 1, 2, 3, 9])
    DeepestRegression(depth 4, fit (1, 0))
    """
    matrix, given = _observations(X, y)
    n = len(matrix)
    check_rational("X", matrix)
    check_rational("y", given)
    fit_intercept = check_flag("fit_intercept", fit_intercept)
    rows = append_column(matrix, np.ones(n, np.int64)) if fit_intercept else matrix
    k = rows.shape[1]
    whole = integer_rows(append_column(rows, given)) if n and k else []
    left, right = [row[:k] for row in whole], [row[k] for row in whole]
    if not whole or rank(left) < k:
        raise InputError(
            f"X has {k - fit_intercept} columns{' and the intercept' if fit_intercept else ''}, "
            "which are linearly dependent on these observations; leave out columns."
        )
    if comb(n, k) > _MOST_FITS:
        raise TooLargeError(
            f"{comb(n, k)} sets of {k} of {n} observations determine a fit; expected at most "
            f"{_MOST_FITS}. Choose fewer observations."
        )
    found = {
        tuple(map(Fraction, fit))
        for chosen in combinations(range(n), k)
        if rank(part := [left[i] for i in chosen]) == k
        and (fit := solve(part, [right[i] for i in chosen])) is not None
    }
    fits = sorted(found)
    options: dict[str, Any] = {"workers": workers, "progress": progress, "max_hours": max_hours}
    depths = regression_depth(
        np.array(fits, object), matrix, given, fit_intercept=fit_intercept, **options
    ).tolist()
    most = max(depths)
    best = (fit for fit, depth in zip(fits, depths, strict=True) if depth == most)
    return DeepestRegression(most, tuple(best))
