"""Regions of a sphere for pictures: exact corners of spherical polygons, and their projection.

A region is given by rows (a, b, c) of integers, meaning ``a x + b y + c z > 0``. A half of the
sphere is seen from the opposite pole (stereographic projection), so arcs of great circles become
arcs of circles. Corners are integer vectors; a picture rounds them last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import acos, sin

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import primitive
from arrangements.plot.plane import Row, round_row

Vector = tuple[int, int, int]
Points = NDArray[np.float64]

# The cosine below which directions are nearly opposite.
_OPPOSITE = -1 + 1e-9
# The edge of the upper half, in steps of a quarter turn: arcs between corners stay below a half.
_EDGE: tuple[Vector, ...] = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))


def polygon_above(rows: Iterable[Row]) -> tuple[Vector, ...]:
    """Corners of the part of a region with z > 0, counterclockwise.

    Parameters
    ----------
    rows : iterable of (a, b, c)
        None of them zero.

    Returns
    -------
    tuple of (x, y, z)
        Primitive integer vectors in the directions of the corners, each less than a half turn
        from the next; none if nothing of the region lies above.

    Examples
    --------
    >>> polygon_above([(1, 0, 0), (0, 1, 0)])
    ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    >>> polygon_above([(0, 0, -1)])
    ()
    """
    corners, used = _EDGE, list(rows)
    for row in used:
        corners = _with_middle(tuple(_one_side(corners, row)), row)
        if not corners:
            return ()
    x, y, z = inside = _sum(corners) if corners != _EDGE else (0, 0, 1)
    positive = all(a * x + b * y + c * z > 0 for a, b, c in used)
    return corners if positive and inside[2] > 0 else ()


def _sum(corners: Sequence[Vector]) -> Vector:
    x, y, z = (sum(corner[k] for corner in corners) for k in range(3))
    return x, y, z


def _one_side(corners: Sequence[Vector], row: Row) -> Iterator[Vector]:
    """Sutherland and Hodgman's clipping, as in `clip`, on directions."""
    a, b, c = row
    values = [a * x + b * y + c * z for x, y, z in corners]
    for k, (value, corner) in enumerate(zip(values, corners, strict=True)):
        before, last = values[k - 1], corners[k - 1]
        if (value > 0 > before) or (value < 0 < before):
            x, y, z = (abs(value) * u + abs(before) * v for u, v in zip(last, corner, strict=True))
            yield _primitive(x, y, z)
        if value >= 0:
            yield corner


def _with_middle(corners: tuple[Vector, ...], row: Row) -> tuple[Vector, ...]:
    """Halve a new side of a half turn, which its ends alone would not determine.

    Fewer than three corners are none: no area is left.
    """
    if len(corners) < 3:
        return ()
    a, b, c = row
    for k, (x, y, z) in enumerate(corners):
        if corners[k - 1] == (-x, -y, -z):
            u, v, w = b * z - c * y, c * x - a * z, a * y - b * x  # right angles to both
            sign = 1 if w > 0 else -1
            middle = _primitive(sign * u, sign * v, sign * w)
            return corners[:k] + (middle,) + corners[k:]
    return corners


def _primitive(*vector: int) -> Vector:
    x, y, z = primitive(list(vector))
    return x, y, z


def outline(corners: Sequence[Vector]) -> Points:
    """The projected outline of a spherical polygon.

    Examples
    --------
    >>> outline(polygon_above([(1, 0, 0), (0, 1, 0)]))[0].tolist()
    [1.0, 0.0]
    """
    following = [*corners[1:], corners[0]]
    return project(np.vstack([_arc(u, v) for u, v in zip(corners, following, strict=True)]))


def middle(corners: Sequence[Vector]) -> tuple[float, float]:
    """A point well inside a spherical polygon, projected."""
    total = np.sum([_unit(corner) for corner in corners], axis=0)
    x, y = project(total if np.abs(total).max() > 1e-9 else np.array([0.0, 0.0, 1.0])).tolist()
    return x, y


def project(points: Points) -> Points:
    """Stereographic projection of directions, none of them that of the south pole."""
    points = points / np.linalg.norm(points, axis=-1, keepdims=True)
    return points[..., :2] / (1 + points[..., 2:])


def _unit(corner: Vector) -> Points:
    vector = np.array(round_row(corner))
    return np.asarray(vector / np.linalg.norm(vector))


def _arc(start: Vector, end: Vector) -> Points:
    """Points of the arc between two directions, without its end."""
    u, v = _unit(start), _unit(end)
    if u @ v < _OPPOSITE:  # the sum of the rounded directions could be zero
        sizes = max(map(abs, start)), max(map(abs, end))
        x, y, z = (a * sizes[1] + b * sizes[0] for a, b in zip(start, end, strict=True))
        return np.vstack([_arc(start, (x, y, z)), _arc((x, y, z), end)])
    angle = acos(max(-1.0, min(1.0, float(u @ v))))
    t = np.linspace(0, 1, 2 + int(angle * 40), endpoint=False)[:, None]
    if angle < 1e-6:
        return np.asarray(u + t * (v - u))
    return np.asarray((np.sin((1 - t) * angle) * u + np.sin(t * angle) * v) / sin(angle))
