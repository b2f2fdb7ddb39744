"""Pictures of zonotopes, in the plane and in space. Needs matplotlib (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements import palette
from arrangements.core.arrangement import ArrangementLike
from arrangements.errors import InputError
from arrangements.exact.numbers import nearest_floats
from arrangements.plot.depths import space_axes
from arrangements.plot.drawing import DARK, Points, Width, axes_for, refuse_unequal
from arrangements.structure.zonotopes import Zonotope, zonotope

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_zonotope(
    W: ArrangementLike | Zonotope,
    *,
    width: Width | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a zonotope in the plane or in space.

    Parameters
    ----------
    W : (n, d) array_like, central Arrangement, or Zonotope
        As in `zonotope`; the zonotope has dimension 2 in R^2 or 3 in R^3.
    width : float or {"column", "page"}, optional
        As in `plot_depth`.
    ax : matplotlib.axes.Axes, optional
        Where to draw, in space with ``projection="3d"``; default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If the zonotope has another dimension.
    MissingDependencyError
        Without matplotlib.

    Examples
    --------
    >>> ax = plot_zonotope([[1, 0], [0, 1], [1, 1]])
    >>> ax.get_title()
    'zonotope of 3 segments: 6 vertices, 6 edges'
    """
    Z = W if isinstance(W, Zonotope) else zonotope(W)
    if Z.rank != Z.dimension or Z.rank not in (2, 3):
        raise InputError(
            f"the zonotope has dimension {Z.rank} in R^{Z.dimension}; expected dimension 2 in R^2 "
            "or 3 in R^3."
        )
    corners = nearest_floats(np.array(Z.vertices, object))
    refuse_unequal(corners, "the zonotope")
    if Z.rank == 2:
        ax = axes_for(ax, (6, 6), width)
        draw_polygon(ax, corners)
    else:
        ax = space_axes(ax, width)
        draw_body(ax, corners, [corners[list(facet)] for facet in Z.facets])
    ax.set_aspect("equal")
    parts = zip(Z.f_vector(), ("vertices", "edges", "facets"), strict=False)
    counts = ", ".join(f"{number} {noun}" for number, noun in list(parts)[: Z.rank])
    ax.set_title(f"zonotope of {len(Z.segments)} segments: {counts}")
    return ax


def draw_polygon(ax: Axes, corners: Points) -> None:
    """The polygon, its corners in circular order around their center."""
    x, y = (corners - corners.mean(axis=0)).T
    outline = corners[np.argsort(np.arctan2(y, x))]
    ax.fill(*outline.T, facecolor=palette.BLUE, edgecolor=DARK, alpha=0.3, linewidth=1.0)
    ax.plot(*corners.T, color=DARK, linestyle="", marker=".")


def draw_body(ax: Axes, corners: Points, polygons: Sequence[Points]) -> None:
    """The facets, polygons in space, and the corners."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # an extra

    body: Any = Poly3DCollection(
        polygons, facecolor=palette.BLUE, edgecolor=DARK, alpha=0.3, linewidth=0.8
    )
    ax.add_collection(body)
    ax.plot(*corners.T, color=DARK, linestyle="", marker=".")
