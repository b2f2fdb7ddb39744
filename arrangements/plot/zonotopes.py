"""Pictures of zonotopes, in the plane and in space. Needs matplotlib (extra ``plot``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arrangements.core.arrangement import ArrangementLike
from arrangements.errors import InputError
from arrangements.plot.drawing import Width
from arrangements.plot.solids import draw_solid
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
    ax = draw_solid(
        np.array(Z.vertices, object),
        lambda corners: [corners[list(facet)] for facet in Z.facets],
        "the zonotope",
        width=width,
        ax=ax,
    )
    parts = zip(Z.f_vector(), ("vertices", "edges", "facets"), strict=False)
    counts = ", ".join(f"{number} {noun}" for number, noun in list(parts)[: Z.rank])
    ax.set_title(f"zonotope of {len(Z.segments)} segments: {counts}")
    return ax
