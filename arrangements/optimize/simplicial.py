"""Simplicial depth: how many simplices of data points a point lies in.

A simplex does not contain z exactly if some u has u . (x - z) > 0 for all its corners x. For a set
of corners, such u are an open convex cone, empty or not. Its faces in the arrangement of the
hyperplanes u . (x - z) = 0 of all data points have an alternating sum, by dimension, of (-1)**d or,
if it is empty, 0. So the number of sets without z is the sum, over all faces but the origin, of
(-1)**(d - dimension) C(p, d + 1), where p is the number of data points that are positive on the
face: in any position of the points, since no face is left out.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.errors import InputError
from arrangements.exact.numbers import check_rational
from arrangements.exact.quotients import sort_quotients
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.forecast.hours import check_hours
from arrangements.messages import short_number
from arrangements.optimize.depth import Cloud, nonzero_rows

_MOST_DIMENSIONS = 3
# Sums are modulo 2**64, and answers must be below a half of it.
_MOST_SIMPLICES = 2**63
# Quotients that are sorted in a second, and at a time.
_PACE, _BLOCK = 1e6, 2**18
# Integers whose products and their differences fit in int64.
_SHORT = 2**30


def simplicial_depth(
    points: ArrayLike,
    data: ArrayLike,
    *,
    normalized: bool = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[Any]:
    """Count the simplices with corners among the data that contain a point, exactly.

    Parameters
    ----------
    points : (m, d) array_like of int, float or Fraction
        d at most 3.
    data : (n, d) array_like of int, float or Fraction
        In any position; a point that occurs twice counts twice. A float counts as the exact
        dyadic number it is.
    normalized : bool
        Divide by the number of all sets of d + 1 data points: the simplicial depth of Liu [1]_.
    workers : int
        Threads, each for one of the points at a time.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        Refuse what is expected to take more. The default is a day.

    Returns
    -------
    (m,) ndarray of int64, or of float64 if normalized
        How many of the C(n, d + 1) sets of d + 1 data points have the point in their convex hull,
        which may be flat.

    Raises
    ------
    InputError
        If `points` and `data` have different numbers of columns, or more than 3; if normalized
        and there are no d + 1 data points.
    TooLargeError
        If it is expected to take more than `max_hours`.

    See Also
    --------
    halfspace_depth : the emptiest halfspace instead.

    Notes
    -----
    O(n log n) for each point in the plane, O(n**2 log n) in space. Floats sort quotients;
    integers decide where they are equal.

    References
    ----------
    .. [1] R. Y. Liu, On a notion of data depth based on random simplices, Ann. Statist. 18 (1990)
       405-414.
    .. [2] P. J. Rousseeuw and I. Ruts, Bivariate location depth, Appl. Statist. 45 (1996) 516-526.

    Examples
    --------
    >>> square = [[0, 0], [2, 0], [0, 2], [2, 2]]
    >>> simplicial_depth([[1, 1], [0, 0], [1, 0.5], [3, 1]], square)
    array([4, 3, 2, 0])
    """
    both = Cloud.of(points, data)
    n, d = both.n, both.whole.shape[1]
    if d > _MOST_DIMENSIONS:
        raise InputError(f"data has {d} columns; expected at most {_MOST_DIMENSIONS}.")
    check_rational("data or points", both.whole)
    normalized, simplices = check_flag("normalized", normalized), comb(n, d + 1)
    if normalized and not simplices:
        raise InputError(
            f"data has {n} rows and normalized is True; expected {d + 1} rows or more, the corners "
            "of a simplex."
        )
    if simplices >= _MOST_SIMPLICES:
        raise InputError(f"data has {n} rows; expected fewer, so that int64 holds the answer.")
    progress, workers = check_flag("progress", progress), check_integer("workers", workers, 1)
    check_max_hours(max_hours)
    quotients = both.m * n ** max(d - 1, 1)
    what = f"sorting {short_number(quotients)} quotients"
    check_hours(what, quotients, workers * _PACE, max_hours)
    # of so many points
    sets = np.array([comb(p, d + 1) for p in range(n + 1)], np.uint64)
    without = (_line, _plane, _space)[d - 1]

    def depth(k: int) -> int:
        return simplices - without(nonzero_rows(both.differences(k)), sets)

    done = in_order(depth, range(both.m), workers)
    depths = list(with_progress(done, progress, both.m, lambda _: 1, "points"))
    found = np.array(depths, np.int64)
    return found / simplices if normalized else found


def _total(values: NDArray[np.uint64]) -> int:
    return int(values.sum(dtype=np.uint64))


def _line(rows: NDArray[Any], sets: NDArray[np.uint64]) -> int:
    """How many pairs are on one side."""
    up = int((rows[:, 0] > 0).sum())
    return int(sets[up]) + int(sets[len(rows) - up])


# ------------------------------------------------------------------ in the plane


def turn(rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many rows are positive on the faces that a turning direction meets.

    Parameters
    ----------
    rows : (n, 2) ndarray of int64 or of Python integers
        None of them zero.

    Returns
    -------
    rays, sectors : ndarray of int64
        For a full turn.

    Examples
    --------
    >>> turn(np.array([[1, 0], [2, 0], [0, 1]]))
    (array([1, 0, 0, 2]), array([1, 0, 2, 3]))
    """
    # one side of each line, with angles from -90 (exclusive) to 90 degrees
    x, y = rows.T
    side = np.where((x > 0) | ((x == 0) & (y > 0)), 1, -1)
    steep = x == 0
    order, first = sort_quotients((side * y)[None, ~steep], (side * x)[None, ~steep])
    order = np.append(np.flatnonzero(~steep)[order[0]], np.flatnonzero(steep))
    starts = np.flatnonzero(first[0])
    if steep.any():
        starts = np.append(starts, first.size)
    up, down = (np.append(0, (side[order] == s).cumsum()) for s in (1, -1))
    before, after = starts, np.append(starts[1:], len(rows))
    rays = [up[-1] - up[after] + down[before], down[-1] - down[after] + up[before]]
    sectors = [up[-1] - up[after] + down[after], down[-1] - down[after] + up[after]]
    return np.concatenate(rays), np.concatenate(sectors)


def _plane(rows: NDArray[Any], sets: NDArray[np.uint64]) -> int:
    """How many sets lie in an open half-plane."""
    rays, sectors = turn(rows) if len(rows) else (np.zeros(0, np.int64),) * 2
    return (_total(sets[sectors]) - _total(sets[rays])) % 2**64


# ------------------------------------------------------------------ in space


def _space(rows: NDArray[Any], sets: NDArray[np.uint64]) -> int:
    """How many sets lie in an open half-space.

    Directions are (a, b, 1), (a, b, -1) and (a, b, 0). On the first, rows are lines of a plane,
    and the second is opposite to it. Lines are directed upwards, the horizontal ones to the right.
    A cell that has a lowest point lies to the right of just one edge that goes up from there. The
    others, but for the leftmost one, lie each to the right of an edge that comes from infinity.
    """
    if rows.dtype != object and np.abs(rows).max(initial=0) >= _SHORT:
        rows = rows.astype(object)
    sloped = (rows[:, :2] != 0).any(axis=1)
    found = -_plane(rows[sloped, :2], sets)
    lines, counts = _merge(rows[sloped])
    flat = rows[~sloped, 2]
    always = np.array([(flat > 0).sum(), (flat < 0).sum()])
    found += _total(sets[always + counts[::-1].sum(axis=1)])
    part = max(1, _BLOCK // max(1, len(lines)))
    for start in range(0, len(lines), part):
        found += _along(lines, counts, always, slice(start, start + part), sets)
    return found % 2**64


def _merge(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Distinct lines by the angles of their directions, from 0 to 180 degrees.

    Lines are positive to their right. Also how many rows are positive there, and to the left.
    """
    x, y = rows[:, 0], rows[:, 1]
    side = np.where((x > 0) | ((x == 0) & (y < 0)), 1, -1)
    primitive = rows // np.gcd.reduce(rows, axis=1)[:, None] * side[:, None]
    number: dict[tuple[int, ...], int] = {}
    member = [number.setdefault(tuple(row), len(number)) for row in primitive.tolist()]
    lines = np.array(list(number), rows.dtype).reshape(len(number), 3)
    counts = np.zeros((2, len(lines)), np.int64)
    np.add.at(counts, ((side < 0).astype(np.intp), np.array(member, np.intp)), 1)
    steep = lines[:, 0] == 0  # these are horizontal
    order, _ = sort_quotients(lines[None, ~steep, 1], lines[None, ~steep, 0])
    order = np.append(np.flatnonzero(steep), np.flatnonzero(~steep)[order[0]])
    return lines[order], counts[:, order]


def _along(
    lines: NDArray[Any],
    counts: NDArray[np.int64],
    always: NDArray[np.int64],
    part: slice,
    sets: NDArray[np.uint64],
) -> int:
    """The sum over points, edges and cells to the right of edges, of some of the lines."""
    n, found = len(lines), 0
    sign, here, order, first = _crossings(lines, part)
    starts = np.flatnonzero(first.ravel())
    line = starts // n
    number = np.where(sign == 0, n, np.arange(n))
    least = np.minimum.reduceat(np.take_along_axis(number, order, 1).ravel(), starts)
    rightmost = least > np.arange(n)[part][line]
    real = least < n  # elsewhere, no line is crossed
    for k in (0, 1):  # the direction, and the opposite one
        up, down = counts[k], counts[1 - k]
        never = np.where(here > 0, up, np.where(here < 0, down, 0)) * (sign == 0)
        before = np.where(sign > 0, down, np.where(sign < 0, up, 0))
        after = np.where(sign > 0, up, np.where(sign < 0, down, 0))
        coming = always[k] + (never + before).sum(axis=1)
        change = np.take_along_axis(after - before, order, 1).cumsum(axis=1).ravel()
        ends = np.append(starts[1:], change.size) - 1
        edge = coming[line] + change[ends]
        crossed = np.add.reduceat(np.take_along_axis(after, order, 1).ravel(), starts)
        point, right = edge - crossed, edge + up[part][line]
        found += _total(sets[np.where(rightmost, point, right)[real]]) - _total(sets[edge[real]])
        found += _total(sets[coming + up[part]]) - _total(sets[coming])
    return found


def _crossings(
    lines: NDArray[Any], part: slice
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.intp], NDArray[np.bool_]]:
    """Where some lines cross all lines: signs beyond, values at a point, order, first of equals."""
    x, y, z = (column[:, None] for column in lines[part].T)
    moves = lines[:, 1] * x - lines[:, 0] * y
    here = np.where(x == 0, lines[:, 1] * z - lines[:, 2] * y, lines[:, 2] * x - lines[:, 0] * z)
    sign = (moves > 0).astype(np.int64) - (moves < 0)
    order, first = sort_quotients(-here * sign, np.where(sign == 0, 1, np.abs(moves)))
    return sign, here, order, first
