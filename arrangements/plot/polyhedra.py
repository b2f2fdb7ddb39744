"""Pictures of polyhedra, in the plane and in space. Needs matplotlib (extra ``plot``)."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from arrangements.checks import check_instance
from arrangements.errors import InputError
from arrangements.plot.drawing import Points, Width
from arrangements.plot.solids import draw_solid, in_order
from arrangements.polyhedra.polyhedron import Polyhedron

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Share of the size of the vertices by which an unbounded polyhedron is drawn beyond them.
_BEYOND = Fraction(1, 2)


def plot_polyhedron(
    polyhedron: Polyhedron, *, width: Width | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a polyhedron in the plane or in space; of an unbounded one, the part near its vertices.

    Parameters
    ----------
    polyhedron : Polyhedron
        Of dimension 2 in R^2, or 2 or 3 in R^3.
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
        If the polyhedron has another dimension.
    MissingDependencyError
        Without matplotlib.

    See Also
    --------
    plot_arrangement : the regions inside a polyhedron.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> plot_polyhedron(Polyhedron.box(0, 1, dimension=3)).get_title()
    'polyhedron: 8 vertices, 6 facets'
    """
    check_instance("polyhedron", polyhedron, Polyhedron)
    P, d = polyhedron, polyhedron.ambient_dimension
    if (P.dimension, d) not in ((2, 2), (2, 3), (3, 3)):
        raise InputError(
            f"{P} has dimension {P.dimension}; expected dimension 2 in R^2, or 2 or 3 in R^3."
        )
    near = P if P.is_bounded else P & _box_around(P)
    facets = partial(_polygons, near)
    vertices = np.array(near.vertices, object)
    ax = draw_solid(vertices, facets, "the polyhedron", width=width, ax=ax)
    numbers = len(P.vertices), len(P.rays), len(P.facets)
    nouns = ("vertex", "vertices"), ("ray", "rays"), ("facet", "facets")
    counted = [f"{k} {noun[k > 1]}" for k, noun in zip(numbers, nouns, strict=True) if k]
    ax.set_title("polyhedron: " + ", ".join(counted))
    return ax


def _box_around(P: Polyhedron) -> Polyhedron:
    """A box with the vertices inside it."""
    sides = list(zip(*P.vertices, strict=True))
    size = max(max(side) - min(side) for side in sides) or Fraction(2)
    low = [min(side) - _BEYOND * size for side in sides]
    high = [max(side) + _BEYOND * size for side in sides]
    return Polyhedron.box(np.array(low, object), np.array(high, object))


def _polygons(P: Polyhedron, corners: Points) -> list[Points]:
    """Corners of each facet in circular order; if P is flat, of itself."""
    if P.dimension == 2:
        return [in_order(corners)]
    A, c = (values.astype(object).tolist() for values in P.inequalities)
    exact = [
        [k for k, v in enumerate(P.vertices) if sum(map(mul, A[j], v)) == c[j]] for j in P.facets
    ]
    return [in_order(corners[tight]) for tight in exact]
