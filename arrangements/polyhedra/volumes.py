"""Volume and center of mass of a polytope from its vertices, exact."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact import linear


def triangulation_of(
    rays: Sequence[Sequence[Any]], tight: NDArray[np.bool_], dimension: int
) -> tuple[Any, list[Any]]:
    """Volume, and the integral of each coordinate, of a polytope of full dimension.

    It is the sum over a pulling triangulation: a face consists of the pyramids from its first
    vertex over those of its facets that do not contain it.

    Parameters
    ----------
    rays : sequence of rows (t x, t) for the vertices x
    tight : (k, m) bool
        Which facets contain which vertices.

    Examples
    --------
    >>> rays = [[0, 0, 1], [1, 0, 1], [0, 1, 1]]
    >>> tight = np.array([[True, True, False], [True, False, True], [False, True, True]])
    >>> volume, moments = triangulation_of(rays, tight, 2)
    >>> str(volume), [str(moment) for moment in moments]
    ('1/2', ['1/6', '1/6'])
    """
    points = [[Fraction(1) * x / ray[-1] for x in ray[:-1]] for ray in rays]
    facets = [frozenset(np.flatnonzero(column).tolist()) for column in tight.T]
    volume: Any = Fraction(0)
    moments: list[Any] = [Fraction(0)] * dimension
    for simplex in pull(frozenset(range(len(rays))), facets, dimension, {}):
        corners = [rays[v] for v in simplex]
        part = abs(Fraction(1) * linear.determinant(corners)) / prod(ray[-1] for ray in corners)
        volume += part
        for k in range(dimension):
            moments[k] += part * sum(points[v][k] for v in simplex) / (dimension + 1)
    unit = factorial(dimension)
    return volume / unit, [moment / unit for moment in moments]


def pull(
    face: frozenset[int],
    facets: Sequence[frozenset[int]],
    dimension: int,
    known: dict[frozenset[int], list[tuple[int, ...]]],
) -> list[tuple[int, ...]]:
    """Simplices of a face of this dimension, by their vertices."""
    if face in known:
        return known[face]
    if dimension == 0:
        return [tuple(face)]
    first = min(face)
    inside = {face & facet for facet in facets} - {face}
    below = [g for g in inside if g and not any(g < h for h in inside)]
    found = [
        (first, *simplex)
        for g in below
        if first not in g
        for simplex in pull(g, facets, dimension - 1, known)
    ]
    known[face] = found
    return found
