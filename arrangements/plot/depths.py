"""Contours of halfspace depth, in the plane and in space. Needs matplotlib (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements import palette
from arrangements.checks import as_list, check_integer
from arrangements.errors import InputError
from arrangements.exact.coercion import as_floats
from arrangements.optimize.depth_regions import DepthRegion, Regions
from arrangements.plot.drawing import (
    ACCENT,
    DARK,
    Points,
    Width,
    axes_for,
    figure_for,
    fill,
    refuse_unequal,
    refuse_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Contours that are drawn by default.
_CONTOURS = 6
_BLUE = palette.BLUE


def plot_depth(
    data: ArrayLike,
    *,
    depths: Iterable[int] | None = None,
    width: Width | None = None,
    ax: Axes | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Axes:
    """Draw a cloud of data, its regions of halfspace depth, and its median.

    Parameters
    ----------
    data : (n, 2) or (n, 3) array_like of int, float or Fraction
    depths : sequence of int, optional
        Which regions to draw; default six, from 1, the convex hull, to the largest depth.
    width : float or {"column", "page"}, optional
        Width of the new figure in millimetres: 85 for a column, 175 for a page. Default 152; the
        shape is the same, and text has the size of the current font.
    ax : matplotlib.axes.Axes, optional
        Where to draw, for three columns with ``projection="3d"``; default a new figure.
    workers, progress, max_hours
        As in `halfspace_median`.

    Returns
    -------
    matplotlib.axes.Axes
        The first collections are the regions, one each, from the outermost to the innermost. A
        region that is a segment or a point is a line.

    Raises
    ------
    InputError
        If there are not two or three columns, or no point has one of the depths.
    TooLargeError
        As `halfspace_median`.
    MissingDependencyError
        If matplotlib is not installed.

    See Also
    --------
    halfspace_median, depth_region

    Examples
    --------
    >>> ax = plot_depth([[0, 0], [4, 0], [0, 4], [4, 4], [1, 1]])
    >>> ax.get_title(), len(ax.collections)
    ('depth 1 and 2 of 5 points', 1)
    """
    regions = Regions(data, workers, progress, max_hours)
    if regions.d not in (2, 3):
        raise InputError(f"data has {regions.d} columns; expected 2 or 3 for a picture.")
    deepest = regions.deepest()
    rows = as_floats(data, "data")
    refuse_unequal(rows, "data")
    drawn = [
        regions.existing(depth, "depths has") for depth in _parse_depths(depths, deepest.depth)
    ]
    axes = axes_for(ax, (6, 6), width) if regions.d == 2 else space_axes(ax, width)
    for region in drawn:
        _draw(axes, region)
    style: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 3, "zorder": 4}
    axes.plot(*rows.T, color=DARK, **style)
    axes.plot(
        *([float(x)] for x in deepest.point),
        color=ACCENT,
        **style | {"marker": "*", "markersize": 11},
    )
    axes.set_title(f"depth {_join_numbers([r.depth for r in drawn])} of {regions.n} points")
    axes.set_aspect("equal")
    return axes


def _parse_depths(depths: Iterable[int] | None, largest: int) -> list[int]:
    if depths is None:
        return np.unique(np.linspace(1, largest, _CONTOURS).round().astype(int)).tolist()
    return sorted({check_integer("depths", k, 1) for k in as_list("depths", depths)})


def space_axes(ax: Axes | None, width: Width | None) -> Axes:
    """Axes in three dimensions."""
    if ax is not None:
        refuse_width(width, "ax")
    else:
        ax = figure_for(None, (6, 6), width).subplots(subplot_kw={"projection": "3d"})
    if not hasattr(ax, "get_zlim"):
        raise InputError("ax is flat; expected axes with projection='3d' for three columns.")
    return ax


def _draw(ax: Axes, region: DepthRegion) -> None:
    corners = np.array([[float(x) for x in vertex] for vertex in region.vertices])
    flat = np.linalg.matrix_rank(corners - corners[0]) < corners.shape[1]
    if flat:
        ax.plot(*corners.T, color=_BLUE, linewidth=1.5, marker=".", zorder=3)
    elif corners.shape[1] == 2:
        fill(ax, [corners], ["none"], _BLUE, linewidths=1.0, zorder=3)
        ax.fill(*corners.T, color=_BLUE, alpha=0.15, linewidth=0, zorder=1)
    else:
        _draw_body(ax, corners)
    ax.autoscale_view()


def _draw_body(ax: Axes, corners: Points) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # an extra
    from scipy.spatial import ConvexHull  # loads slowly

    triangles = corners[ConvexHull(corners).simplices]
    body: Any = Poly3DCollection(triangles, facecolor=_BLUE, edgecolor="none", alpha=0.15)
    ax.add_collection(body)


def _join_numbers(numbers: list[int]) -> str:
    *some, last = map(str, numbers)
    return f"{', '.join(some)} and {last}" if some else last
