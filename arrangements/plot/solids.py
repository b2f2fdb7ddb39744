"""Polygons in the plane and solids in space, given by their corners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements import palette
from arrangements.exact.numbers import ExactArray, nearest_floats
from arrangements.plot.depths import space_axes
from arrangements.plot.drawing import DARK, Points, Width, axes_for, refuse_unequal

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_solid(
    vertices: ExactArray,
    facets: Callable[[Points], Sequence[Points]],
    name: str,
    *,
    width: Width | None,
    ax: Axes | None,
) -> Axes:
    """Draw a convex polygon in the plane, or in space the facets of a solid.

    Parameters
    ----------
    vertices : (m, d) ndarray
    facets : function
        Of the rounded vertices of a solid: the corners of each facet, in circular order.
    name : str
        Of the solid, in messages.
    """
    corners = nearest_floats(vertices)
    refuse_unequal(corners, name)
    if corners.shape[1] == 2:
        ax = axes_for(ax, (6, 6), width)
        _draw_polygon(ax, corners)
    else:
        ax = space_axes(ax, width)
        _draw_facets(ax, facets(corners))
    ax.plot(*corners.T, color=DARK, linestyle="", marker=".")
    ax.set_aspect("equal")
    return ax


def _draw_polygon(ax: Axes, corners: Points) -> None:
    """The polygon, its corners in circular order around their center."""
    x, y = (corners - corners.mean(axis=0)).T
    outline = corners[np.argsort(np.arctan2(y, x))]
    ax.fill(*outline.T, facecolor=palette.BLUE, edgecolor=DARK, alpha=0.3, linewidth=1.0)


def _draw_facets(ax: Axes, polygons: Sequence[Points]) -> None:
    """Polygons in space."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # an extra

    body: Any = Poly3DCollection(
        polygons, facecolor=palette.BLUE, edgecolor=DARK, alpha=0.3, linewidth=0.8
    )
    ax.add_collection(body)


def in_order(corners: Points) -> Points:
    """Corners of a convex polygon in space, around their center."""
    away = corners - corners.mean(axis=0)
    axes = np.linalg.svd(away, full_matrices=False)[2][:2]
    return corners[np.argsort(np.arctan2(*(away @ axes.T).T))]
