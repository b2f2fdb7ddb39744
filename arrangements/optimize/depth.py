"""Halfspace depth: how few points of a cloud a closed halfspace with a given point can hold."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import checked_flag, checked_integer
from arrangements.errors import InputError
from arrangements.exact.numbers import as_exact_matrix, fractions
from arrangements.model.arrangement import Arrangement
from arrangements.optimize.by_sweep import least_of_all
from arrangements.optimize.costs import Costs


def halfspace_depth(
    points: ArrayLike, data: ArrayLike, *, normalized: bool = False, workers: int = 1
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

    Returns
    -------
    (m,) ndarray of int64, or of float64 if normalized

    Raises
    ------
    InputError
        If `points` and `data` have different numbers of columns, or no column.

    Notes
    -----
    The halfspaces with z on their boundary are the chambers of the hyperplanes with the normals
    ``data - z``, and their faces; a face counts no fewer points than the chambers around it. So
    the depth is the least number of signs + of a chamber [1]_. Differences are never rounded.
    O(n**(d - 1)) for each point.

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
    cloud, asked = as_exact_matrix(data, "data"), as_exact_matrix(points, "points")
    if cloud.shape[1] != asked.shape[1]:
        raise InputError(
            f"points has shape {asked.shape} and data {cloud.shape}; expected as many columns, "
            "one for each coordinate."
        )
    normalized, workers = (
        checked_flag("normalized", normalized),
        checked_integer("workers", workers, 1),
    )
    whole = _integers(np.vstack([cloud.astype(object), asked.astype(object)]))
    n = len(cloud)
    fixed, moving = whole[:n], whole[n:]
    if workers == 1:
        depths = [_depth(fixed - z) for z in moving]
    else:
        with ThreadPoolExecutor(workers) as pool:
            depths = list(pool.map(lambda z: _depth(fixed - z), moving))
    found = np.array(depths, np.int64)
    return found / n if normalized else found


def _integers(matrix: NDArray[Any]) -> NDArray[Any]:
    """Each column times a positive number that makes it integer, which leaves depths as they are.

    In int64 if differences fit too.
    """
    columns = [fractions(column) for column in matrix.T]
    scales = [lcm(*(x.denominator for x in column)) for column in columns]
    integers = [
        [int(x * scale) for x in column] for column, scale in zip(columns, scales, strict=True)
    ]
    fits = all(abs(x) < 2**61 for column in integers for x in column)
    return np.array(integers, np.int64 if fits else object).T.copy()


def _depth(differences: NDArray[Any]) -> int:
    """The least number of rows in a closed halfspace with the origin."""
    rows = differences[(differences != 0).any(axis=1)]
    always = len(differences) - len(rows)
    if not len(rows):
        return always
    costs = Costs((1,) * len(rows), 0, 1)
    return always + least_of_all(Arrangement(rows), costs)
