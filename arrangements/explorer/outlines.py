"""Outlines of regions in floats, for drawing: in a square of the plane, and on the sphere.

Lines cut each other into pieces. On both sides of the middle of a piece the scores are evaluated,
which tells the two regions that it bounds; the pieces of a region, in circular order, are its
outline. Which regions there are is not decided here: a piece whose region is not on the list of the
engine is left out, and a region too thin for floats has no outline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import nearest_float, quotient
from arrangements.notebook import Square

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Bytes that name the region of each point.
Keys = Callable[[Floats], list[bytes]]
Outline = Floats

# The part of a piece by which its sides are asked, and the shortest piece, as a part of the square.
_ASIDE, _SHORTEST = 1e-7, 1e-9
# Points of an arc on the sphere, both ends included: of few circles, and of many, whose arcs are
# short.
_FEW_CIRCLES, _ARC, _SHORT_ARC = 12, 7, 3


class _Piece(NamedTuple):
    """Points along a piece of a line, and the keys of its two sides."""

    points: Floats  # (pieces, points of one, 2 or 3)
    sides: tuple[list[bytes], list[bytes]]


def float_rows(rows: Sequence[Sequence[Any]], columns: int = 3) -> Floats:
    """Rows of any exact numbers in floats, each with the largest entry 1; no rows have 3 columns.

    Examples
    --------
    >>> float_rows([[2 * 10**400, 10**400], [0, 0]]).tolist()
    [[1.0, 0.5], [0.0, 0.0]]
    """
    largest = [max(map(abs, row)) or 1 for row in rows]
    scaled = [
        [nearest_float(quotient(entry, size)) for entry in row]
        for row, size in zip(rows, largest, strict=True)
    ]
    return np.array(scaled, float).reshape(len(scaled), len(rows[0]) if len(rows) else columns)


def only_inside(keys: Keys, facets: Floats) -> Keys:
    """Keys of points where all facets are positive, of others b"".

    Parameters
    ----------
    keys : function
        Of points (p, 2) or (p, 3).
    facets : (m, 3) ndarray
        Values of points of the plane are ``a x + b y + c``.

    Examples
    --------
    >>> only_inside(lambda points: [b"it"] * len(points), np.array([[1.0, 0, 0]]))(np.eye(2) - 0.5)
    [b'it', b'']
    """

    def inside(points: Floats) -> list[bytes]:
        d = points.shape[1]
        values = points @ facets[:, :d].T + facets[:, d:].sum(axis=1)
        return [
            key if good else b""
            for key, good in zip(keys(points), (values > 0).all(axis=1), strict=True)
        ]

    return inside


def border_pieces(facets: Floats, square: Square) -> dict[str, list[list[float]]]:
    """Ends of the sides of a polygon, as far as they are in a square.

    Examples
    --------
    >>> border_pieces(np.array([[1.0, 0, 0], [0, 1, 0]]), Square(0, 0, 1))
    {'xs': [[0.0, 0.0], [0.0, 1.0]], 'ys': [[1.0, 0.0], [0.0, 0.0]]}
    """
    center, found = np.array([square.x, square.y]), []
    length = np.hypot(facets[:, 0], facets[:, 1])
    sides = facets[length > 0] / length[length > 0, None]
    for k, (a, b, c) in enumerate(sides.tolist()):
        normal, along = np.array([a, b]), np.array([b, -a])
        foot = center - normal * (normal @ center + c)
        others = np.concatenate([sides[:k], sides[k + 1 :], _frame(square)])
        slope, value = others[:, :2] @ along, others[:, :2] @ foot + others[:, 2]
        with np.errstate(all="ignore"):
            t = -value / slope
        low = t[slope > _SHORTEST].max(initial=-np.inf)
        high = t[slope < -_SHORTEST].min(initial=np.inf)
        misses = (value[np.abs(slope) <= _SHORTEST] < -_SHORTEST * square.radius).any()
        if not misses and high - low > _SHORTEST * square.radius:
            found.append(np.stack([foot + low * along, foot + high * along]))
    return {
        name: [[float(x) for x in ends[:, i]] for ends in found]
        for i, name in ((0, "xs"), (1, "ys"))
    }


def plane_outlines(
    lines: Floats, keys: Keys, square: Square, region_keys: Sequence[bytes]
) -> list[Outline]:
    """Corners of the regions in a square, counterclockwise; (0, 2) for those that are not in it.

    Parameters
    ----------
    lines : (m, 3) ndarray
        Rows (a, b, c) of ``a x + b y + c = 0``.
    keys : function
        Of points (p, 2).
    square : Square
    region_keys : sequence of bytes
        The keys of the regions.

    Examples
    --------
    >>> side = lambda points: [b"left" if x < 0 else b"right" for x in points[:, 0]]
    >>> square = Square(0, 0, 1)
    >>> left, right = plane_outlines(np.array([[1.0, 0, 0]]), side, square, [b"left", b"right"])
    >>> sorted(map(tuple, right.tolist()))
    [(0.0, -1.0), (0.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
    """
    x, y, r = square
    length = np.hypot(lines[:, 0], lines[:, 1])
    kept = lines[length > 0] / length[length > 0, None]
    rows = np.concatenate([kept, _frame(square)])
    found = _segments(rows, square)
    if not found.size:  # no line crosses the square
        corners = np.array([[x - r, y - r], [x + r, y - r], [x + r, y + r], [x - r, y + r]])
        here = keys(np.array([[x, y]]))[0]
        return [corners if key == here else np.empty((0, 2)) for key in region_keys]
    return _join(_find_sides(found, keys, square), region_keys)


def _frame(square: Square) -> Floats:
    """Rows that are positive inside a square."""
    x, y, r = square
    return np.array([[1, 0, r - x], [-1, 0, r + x], [0, 1, r - y], [0, -1, r + y]], float)


def _segments(rows: Floats, square: Square) -> Floats:
    """Pieces (p, 2, 2) of unit lines in the square, those of its own sides included."""
    a, b, c = rows.T
    center = np.array([square.x, square.y])
    foot = center - rows[:, :2] * (rows[:, :2] @ center + c)[:, None]
    along = np.stack([-b, a], axis=1)
    # where line i, at foot + t along, meets line j
    slope = rows[:, :2] @ along.T  # [j, i]
    with np.errstate(all="ignore"):
        t = -(rows[:, :2] @ foot.T + c[:, None]) / slope
    t[np.abs(slope) <= _SHORTEST] = np.nan
    reach = 1.5 * square.radius  # beyond half a diagonal
    cuts = np.sort(np.where(np.abs(t) <= reach, t, np.nan), axis=0)  # NaN last
    first, second = cuts[:-1], cuts[1:]
    with np.errstate(invalid="ignore"):
        long = second - first > _SHORTEST * square.radius
    k, i = np.nonzero(long)
    ends = (
        foot[i, None] + np.stack([first[k, i], second[k, i]], axis=1)[:, :, None] * along[i, None]
    )
    middle = ends.mean(axis=1)
    inside = np.abs(middle - center).max(axis=1) <= square.radius * (1 + _SHORTEST)
    return np.asarray(ends[inside])


def _find_sides(ends: Floats, keys: Keys, square: Square) -> _Piece:
    middle, along = ends.mean(axis=1), ends[:, 1] - ends[:, 0]
    aside = _ASIDE * np.stack([-along[:, 1], along[:, 0]], axis=1)
    center = np.array([square.x, square.y])
    sides = []
    for points in (middle + aside, middle - aside):
        outside = np.abs(points - center).max(axis=1) > square.radius
        found = keys(points)
        sides.append([b"" if out else key for out, key in zip(outside, found, strict=True)])
    return _Piece(ends, (sides[0], sides[1]))


def sphere_outlines(planes: Floats, keys: Keys, region_keys: Sequence[bytes]) -> list[Outline]:
    """Outlines of the regions of the sphere, points (p, 3) of length 1.

    Parameters
    ----------
    planes : (m, 3) ndarray
        Normals of planes through the origin.
    keys : function
        Of points (p, 3).
    region_keys : sequence of bytes
        The keys of the regions.

    Examples
    --------
    >>> half = lambda points: [b"below" if z < 0 else b"above" for z in points[:, 2]]
    >>> one, other = sphere_outlines(np.array([[0.0, 0, 1]]), half, [b"below", b"above"])
    >>> bool(np.abs(one[:, 2]).max() < 1e-12), len(one) == len(other) > 20
    (True, True)
    """
    length = np.linalg.norm(planes, axis=1)
    unit = planes[length > 0] / length[length > 0, None]
    if not len(unit):
        return [np.empty((0, 3)) for _ in region_keys]
    # two directions at right angles within each plane
    axes = np.eye(3)[np.abs(unit).argmin(axis=1)]
    u = np.cross(unit, axes)
    u /= np.linalg.norm(u, axis=1)[:, None]
    v = np.cross(unit, u)
    # circle i is crossed by plane j where cos(t) (u_i . n_j) + sin(t) (v_i . n_j) = 0
    p, q = unit @ u.T, unit @ v.T  # [j, i]
    t = np.mod(np.arctan2(-p, q), np.pi)
    t[np.hypot(p, q) <= _SHORTEST] = np.nan
    # quarter turns cut a circle that nothing else crosses
    t = np.concatenate([t, t + np.pi, np.tile([[0.3], [1.9], [3.5], [5.1]], len(unit))])
    cuts = np.sort(t, axis=0)
    last = np.nanmin(cuts, axis=0) + 2 * np.pi
    after = np.concatenate([cuts[1:], np.full((1, len(unit)), np.nan)])
    after = np.where(np.isnan(after), last, after)
    with np.errstate(invalid="ignore"):
        k, i = np.nonzero(after - cuts > _SHORTEST)
    points = _ARC if len(unit) <= _FEW_CIRCLES else _SHORT_ARC
    angle = cuts[k, i][:, None] + np.linspace(0, 1, points) * (after - cuts)[k, i][:, None]
    arcs = np.cos(angle)[..., None] * u[i, None] + np.sin(angle)[..., None] * v[i, None]
    middle = arcs[:, points // 2]
    aside = _ASIDE * (after - cuts)[k, i][:, None] * unit[i]
    sides = keys(middle + aside), keys(middle - aside)
    return _join(_Piece(arcs, sides), region_keys)


def _join(pieces: _Piece, region_keys: Sequence[bytes]) -> list[Outline]:
    """The pieces around each region, in circular order; all regions at once, for speed."""
    number = {key: i for i, key in enumerate(region_keys)}
    one, other = (np.array([number.get(key, -1) for key in side], int) for side in pieces.sides)
    between = np.flatnonzero(one != other)
    region = np.concatenate([one[between], other[between]])
    piece = np.concatenate([between, between])
    owned = np.bincount(region[region >= 0], minlength=len(region_keys))
    owned[owned < 2] = 0
    order = np.argsort(region, kind="stable")
    order = order[(region[order] >= 0) & (owned[region[order]] > 0)]
    region, points = region[order], pieces.points[piece[order]]
    turned, angle = _orient(points, region, owned)
    corners = turned[np.lexsort([angle, region]), :-1].reshape(-1, points.shape[2])
    ends = [0, *np.cumsum(owned * (points.shape[1] - 1)).tolist()]
    return [corners[start:end] for start, end in pairwise(ends)]


def _orient(points: Floats, region: Ints, owned: Ints) -> tuple[Floats, Floats]:
    """Pieces, each counterclockwise around its region, and the angles of their middles.

    Parameters
    ----------
    points : (pieces, points of one, 2 or 3) ndarray
    region : (pieces,) ndarray
        Ascending.
    owned : (regions,) ndarray
        The number of pieces of each region.
    """
    middles = points.mean(axis=1) if points.shape[1] == 2 else points[:, points.shape[1] // 2]
    sums = [np.bincount(region, column, len(owned)) for column in middles.T]
    centers = np.stack(sums, axis=1) / np.maximum(owned, 1)[:, None]
    right, up = _directions(centers, middles, np.cumsum(owned) - owned)
    middle, ways = centers[region], (up[region], right[region])
    angle, start, end = (
        np.arctan2(*(np.einsum("ij,ij->i", x - middle, way) for way in ways))
        for x in (middles, points[:, 0], points[:, -1])
    )
    backwards = np.mod(end - start + np.pi, 2 * np.pi) < np.pi
    return np.where(backwards[:, None, None], points[:, ::-1], points), angle


def _directions(centers: Floats, middles: Floats, first: Ints) -> tuple[Floats, Floats]:
    """Two directions at right angles: the plane's own, or of the tangent plane of the sphere."""
    if centers.shape[1] == 2:
        right, up = np.eye(2)
        return np.tile(right, (len(centers), 1)), np.tile(up, (len(centers), 1))
    axes = centers.copy()
    # of a half of the sphere the middle is the axis of the circle
    halves = np.flatnonzero(np.linalg.norm(centers, axis=1) <= _SHORTEST)
    halves = halves[first[halves] + 1 < len(middles)]
    axes[halves] = np.cross(middles[first[halves]], middles[first[halves] + 1])
    length = np.linalg.norm(axes, axis=1)
    axes /= np.where(length > 0, length, 1)[:, None]  # those without an outline have none
    right = np.cross(axes, np.eye(3)[np.abs(axes).argmin(axis=1)])
    return right, np.cross(axes, right)
