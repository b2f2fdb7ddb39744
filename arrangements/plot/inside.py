"""The polyhedron inside which a picture shows regions, as rows that bound them."""

from __future__ import annotations

from typing import Any

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError
from arrangements.exact.numbers import append_column, integer_rows, negative
from arrangements.plot.plane import Row
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import read_polyhedron


def read_picture_region(within: Any, subject: Arrangement | ScoreModel) -> Polyhedron | None:
    """The polyhedron of the argument `within`, of the dimension of the picture.

    Raises
    ------
    InputError
        If it is flat.

    Examples
    --------
    >>> read_picture_region(Polyhedron.simplex(3), Arrangement([[1, 0, 0]])).rays
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    if within is None:
        return None
    d, P = subject.dimension, read_polyhedron(within, subject)
    drawn = drawn_polyhedron(P, subject)
    if drawn.dimension != d:
        raise InputError(
            f"within is {P} of dimension {P.dimension}; a picture shows regions of dimension {d}."
        )
    return drawn


def drawn_polyhedron(P: Polyhedron, subject: Arrangement | ScoreModel) -> Polyhedron:
    """The polyhedron whose regions are drawn: P, or the cone over it.

    Without offsets, directions count: on a sphere, or if P is flat, it is the cone.

    Examples
    --------
    >>> P = Polyhedron.simplex(2)
    >>> drawn_polyhedron(P, Arrangement([[1, 0]])).dimension
    2
    >>> drawn_polyhedron(P, Arrangement([[1, 0]], [3])).dimension
    1
    """
    d = subject.dimension
    is_cone = subject.is_central and not P.is_empty and (d == 3 or P.dimension < d)
    return P.conic_hull if is_cone else P


def facet_rows(P: Polyhedron | None) -> list[Row]:
    """Rows (a, b, c) of the facets, positive inside: of a cone in space without the constant.

    Examples
    --------
    >>> facet_rows(Polyhedron([[1, 0], [2, 0]], [3, 8]))
    [[-1, 0, 3]]
    """
    if P is None:
        return []
    A, c = P.inequalities
    rows = integer_rows(append_column(negative(A), c))
    return [rows[j][:3] for j in P.facets]
