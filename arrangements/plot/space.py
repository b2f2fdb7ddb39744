"""Pictures of planes in space. Needs matplotlib (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.errors import TooLargeError
from arrangements.exact.numbers import nearest_floats
from arrangements.plot.colors import label_colors
from arrangements.plot.depths import space_axes
from arrangements.plot.drawing import DARK, Points, Width
from arrangements.plot.region_pictures import count_regions
from arrangements.plot.solids import in_order
from arrangements.structure.points import vertices

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Planes of which a picture still shows something.
_MOST_PLANES = 30
# Around the vertices: this share of their extent on every side.
_MARGIN = 0.2


def draw_planes(
    arrangement: Arrangement, names: Sequence[str], *, width: Width | None, ax: Axes | None
) -> Axes:
    """Draw each plane of an arrangement in space, as far as a cube around all vertices.

    Parameters
    ----------
    names : sequence of str
        One for each of the ``arrangement.coincident_classes``.
    """
    groups = arrangement.coincident_classes
    if len(groups) > _MOST_PLANES:
        raise TooLargeError(
            f"{len(groups)} planes: too many for a picture in space; at most {_MOST_PLANES} are "
            "drawn. Take restriction(W, row), the picture on one of them."
        )
    rows = nearest_floats(np.array([arrangement.integer_rows[g[0]] for g in groups], object))
    rows /= np.linalg.norm(rows[:, :3], axis=1)[:, None]
    low, high = _cube(arrangement, rows)
    ax = space_axes(ax, width)
    space: Any = ax
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # an extra

    for row, name, color in zip(rows, names, label_colors(len(rows)), strict=True):
        polygon = _inside_cube(row, low, high)
        if len(polygon) < 3:
            continue
        face: Any = Poly3DCollection([polygon], facecolor=color, alpha=0.35)
        ax.add_collection(face)
        ax.plot(*np.vstack([polygon, polygon[:1]]).T, color=DARK, linewidth=0.8)
        space.text(*polygon[polygon.sum(axis=1).argmax()], name)
    for axis, a, b in zip("xyz", low, high, strict=True):
        getattr(space, f"set_{axis}lim")(a, b)
    ax.set_aspect("equal")
    ax.set_title(count_regions(arrangement.count_chambers(), "chambers"))
    return ax


def _cube(arrangement: Arrangement, rows: Points) -> tuple[Points, Points]:
    """Two opposite corners of a cube around all vertices; without any, around the planes."""
    found = vertices(arrangement)
    points = -rows[:, 3:] * rows[:, :3]  # the feet of the origin
    if found:
        points = nearest_floats(np.array(found, object))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    half = (points.max(axis=0) - points.min(axis=0)).max() * (0.5 + _MARGIN) or 1.0
    return middle - half, middle + half


def _inside_cube(row: Points, low: Points, high: Points) -> Points:
    """The polygon in which a plane meets a cube, its corners in circular order."""
    corners = np.array([*product(*zip(low, high, strict=True))])
    values = corners @ row[:3] + row[3]
    found = [corners[k] for k in range(8) if values[k] == 0]
    for i, j in ((i, i | bit) for bit in (1, 2, 4) for i in range(8) if not i & bit):
        if values[i] * values[j] < 0:
            share = values[i] / (values[i] - values[j])
            found.append(corners[i] + share * (corners[j] - corners[i]))
    return in_order(np.array(found)) if len(found) > 2 else np.zeros((0, 3))
