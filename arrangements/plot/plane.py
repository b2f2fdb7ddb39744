"""Regions of the plane for pictures: exact sectors and polygons.

A region is given by rows (a, b, c) of integers, meaning ``a x + b y + c > 0``, and is known not
to be empty. If every c is zero it is a sector between two rays, or the whole plane; otherwise
what lies in a rectangle is a convex polygon. Coordinates are exact; a picture rounds them last.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cmp_to_key

import numpy as np

from arrangements.exact.numbers import nearest_float, quotient

Row = Sequence[int]
Ray = tuple[int, int]
Corner = tuple[Fraction, Fraction]
Polygon = tuple[Corner, ...]
Limits = tuple[float, float, float, float]


def sector(rows: Iterable[Row]) -> tuple[Ray, Ray] | None:
    """Rays that bound the points where all linear rows (a, b, 0) are positive.

    Parameters
    ----------
    rows : iterable of (a, b, 0)
        Not all positive nowhere; none of them zero.

    Returns
    -------
    ((x, y), (x, y)), or None for the whole plane
        The region goes counterclockwise from the first ray to the second, by at most a half
        turn.

    Examples
    --------
    >>> sector([(1, 0, 0), (-1, 1, 0)])
    ((1, 1), (0, 1))
    """
    found: tuple[Ray, Ray] | None = None
    for a, b, _ in rows:
        # the half-plane a x + b y > 0 goes counterclockwise from (b, -a) to (-b, a)
        first, last = (b, -a), (-b, a)
        if found is not None:
            start, end = found
            first = start if a * start[0] + b * start[1] >= 0 else first
            last = end if a * end[0] + b * end[1] >= 0 else last
        found = first, last
    return found


def circular_order(sectors: Sequence[Iterable[Row]]) -> list[int]:
    """Indices of disjoint sectors, counterclockwise by their first rays from the positive x-axis.

    Examples
    --------
    >>> circular_order([[(-1, 0, 0)], [(1, -2, 0), (0, 1, 0)], [(1, 0, 0), (-1, 2, 0)]])
    [1, 2, 0]
    """
    rays = [(sector(rows) or ((1, 0),))[0] for rows in sectors]

    def turn(i: int, j: int) -> int:
        (a, b), (c, d) = rays[i], rays[j]
        halves = (b < 0 or (b == 0 and a < 0)) - (d < 0 or (d == 0 and c < 0))
        return halves or b * c - a * d

    return sorted(range(len(rays)), key=cmp_to_key(turn))


def rectangle(limits: Limits) -> Polygon:
    """Corners of the rectangle (left, right, bottom, top), counterclockwise.

    Examples
    --------
    >>> [tuple(map(int, corner)) for corner in rectangle((0, 2, 0, 1))]
    [(0, 0), (2, 0), (2, 1), (0, 1)]
    """
    left, right, bottom, top = map(Fraction, limits)
    return (left, bottom), (right, bottom), (right, top), (left, top)


def clip(polygon: Polygon, rows: Iterable[Row]) -> Polygon:
    """Part of a convex polygon where all rows are positive or zero: Sutherland and Hodgman [1]_.

    Parameters
    ----------
    polygon : tuple of (x, y)
        Corners, counterclockwise.
    rows : iterable of (a, b, c)

    Returns
    -------
    tuple of (x, y)
        Corners, counterclockwise, as Fractions; fewer than three if nothing is left that has an
        area.

    References
    ----------
    .. [1] I. E. Sutherland, G. W. Hodgman, Reentrant polygon clipping, Commun. ACM 17 (1974)
       32-42.

    Examples
    --------
    >>> triangle = clip(rectangle((0, 2, 0, 2)), [(-1, -1, 2)])
    >>> [tuple(map(int, corner)) for corner in triangle]
    [(0, 0), (2, 0), (0, 2)]
    """
    for row in rows:
        polygon = tuple(_one_side(polygon, row))
        if len(polygon) < 3:
            return ()
    return polygon


def _one_side(polygon: Polygon, row: Row) -> Iterator[Corner]:
    a, b, c = row
    values = [a * x + b * y + c for x, y in polygon]
    for k, (value, (x, y)) in enumerate(zip(values, polygon, strict=True)):
        before, (u, v) = values[k - 1], polygon[k - 1]
        if (value > 0 > before) or (value < 0 < before):
            share = before / (before - value)
            yield u + share * (x - u), v + share * (y - v)
        if value >= 0:
            yield x, y


def corners(regions: Sequence[Sequence[Row]]) -> list[tuple[float, float]]:
    """Corners of regions, rounded; if there are none, the points of their lines nearest 0.

    Corners ten thousand times as far away as all lines are left out.

    Examples
    --------
    >>> corners([[(1, 0, -2), (0, 1, -3)]]), corners([[(1, 0, -2)], [(-1, 0, 2)]])
    ([(2.0, 3.0)], [(2.0, 0.0)])
    """
    lines = np.array([unit_line(row) for rows in regions for row in rows]).reshape(-1, 3)
    near = lines[np.abs(lines[:, 2]) < 1e250]
    normals, constants = near[:, :2], near[:, 2:]
    feet = -constants * normals / (normals * normals).sum(axis=1, keepdims=True) + 0.0
    reach = 1e4 * float(np.abs(feet).max(initial=1e-250))
    everything = rectangle((-reach, reach, -reach, reach))
    exact = {corner for rows in regions for corner in clip(everything, rows)}
    found = [(nearest_float(x), nearest_float(y)) for x, y in exact]
    inside = [(x, y) for x, y in found if max(abs(x), abs(y)) < reach]
    return sorted(inside or {(float(x), float(y)) for x, y in feet})


def unit_line(row: Row) -> tuple[float, float, float]:
    """Positive multiple of (a, b, c) as floats with max(|a|, |b|) = 1; c may be infinite.

    Examples
    --------
    >>> unit_line((0, -2, 8)), unit_line((1, 0, -(10**400)))
    ((0.0, -1.0, 4.0), (1.0, 0.0, -inf))
    """
    a, b, c = row[:3]
    scale = max(abs(a), abs(b))
    x, y, z = (nearest_float(quotient(entry, scale)) for entry in (a, b, c))
    return x, y, z


def round_row(row: Sequence[int]) -> tuple[float, ...]:
    """Positive multiple of integers as floats, the largest of them 1 or -1.

    Examples
    --------
    >>> round_row((2 * 10**400, -(10**400)))
    (1.0, -0.5)
    """
    largest = max(map(abs, row))
    return tuple(nearest_float(quotient(entry, largest)) for entry in row)


def view(points: Sequence[tuple[float, float]], margin: float = 0.25) -> Limits:
    """Rectangle that shows the points, or most of them if a few lie far away from the others.

    Parameters
    ----------
    points : sequence of (x, y)
    margin : float
        Share of the width and height that is added on each side.

    Returns
    -------
    (left, right, bottom, top)
        A square, unless the points are spread more than five times as far in one direction.

    Examples
    --------
    >>> view([(0.0, 0.0), (2.0, 2.0)])
    (-0.5, 2.5, -0.5, 2.5)
    """
    array = np.array(points).reshape(-1, 2) if len(points) else np.array([[-1.0, -1.0], [1.0, 1.0]])
    low, high = array.min(axis=0), array.max(axis=0)
    if len(array) >= 10:
        inner = np.quantile(array, [0.1, 0.9], axis=0)
        size = inner[1] - inner[0]
        far = high - low > 2.5 * size  # then the other fifth takes most of the room
        low = np.where(far, np.maximum(low, inner[0] - size / 4), low)
        high = np.where(far, np.minimum(high, inner[1] + size / 4), high)
    size = high - low
    # floats, and axes, tell no smaller part of the plane apart
    largest = max(size.max() or 1.0, 1e-12 * np.abs(array).max())
    size = np.where(size * 5 < largest, np.where(size > 0, size, largest), largest)
    start, end = (low + high) / 2 - size * (0.5 + margin), (low + high) / 2 + size * (0.5 + margin)
    return float(start[0]), float(end[0]), float(start[1]), float(end[1])
