"""A polyhedron beside hyperplanes: points where these have given signs, and preimages."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.core.questions import coerce_with_zero_rows
from arrangements.exact import linear
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    as_objects,
    integer_rows,
    unify_fields,
)
from arrangements.feasibility.one_sign_vector import solve
from arrangements.polyhedra.inequalities import Point
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reduction import restrict_rows

Rows = list[list[Any]]


def point_inside(arrangement: Arrangement, P: Polyhedron, signs: Sequence[int]) -> Point | None:
    """A point of the relative interior where the rows have these signs, 0 too; None if none is.

    Examples
    --------
    >>> lines = Arrangement([[1, 0], [0, 1]], [0, -1])
    >>> P = Polyhedron.box(0, 1, dimension=2)
    >>> [str(x) for x in point_inside(lines, P, [1, -1])], point_inside(lines, P, [1, 0])
    (['1/2', '1/2'], None)
    """
    found = _in_hull(arrangement, P)
    if found is None:
        return None
    rows, positive, basis = found
    equal = [row for row, sign in zip(rows, signs, strict=True) if not sign and any(row)]
    positive += [[sign * x for x in row] for row, sign in zip(rows, signs, strict=True) if sign]
    coordinates = linear.nullspace(equal, len(basis))
    if not coordinates:
        return None
    system = np.array(restrict_rows(positive, coordinates), object)
    if not system.any(axis=1).all():
        return None
    point = solve(Arrangement(system), (1,) * len(system)).point
    if point is None:
        return None
    for vectors in coordinates, basis:  # back to the space
        point = tuple(sum(map(mul, point, column)) for column in zip(*vectors, strict=True))
    return tuple(Fraction(1) * x / point[-1] for x in point[:-1])


def vanishing_rows(arrangement: Arrangement, P: Polyhedron) -> list[int]:
    """The rows that are zero everywhere on a polyhedron; all if it is empty.

    Examples
    --------
    >>> lines = Arrangement([[1, 0], [0, 1]], [0, -1])
    >>> vanishing_rows(lines, Polyhedron.hull([[0, 2], [0, 3]]))
    [0]
    """
    found = _in_hull(arrangement, P)
    if found is None:
        return list(range(arrangement.n_hyperplanes))
    return [i for i, row in enumerate(found[0]) if not any(row)]


def classes_inside(arrangement: Arrangement, P: Polyhedron) -> tuple[tuple[int, ...], ...]:
    """Rows grouped by equal hyperplanes of the affine hull of a polyhedron that is not empty.

    Rows that vanish there are in no class.

    Examples
    --------
    >>> lines = Arrangement([[1, 0], [0, 1], [1, 1]], [0, -1, 0])
    >>> classes_inside(lines, Polyhedron(np.zeros((0, 2)), [], equations=([[0, 1]], [0])))
    ((0, 2), (1,))
    """
    found = _in_hull(arrangement, P)
    rows, basis = ([], []) if found is None else (found[0], found[2])
    traces = np.array(rows, object).reshape(len(rows), len(basis))
    return coerce_with_zero_rows(traces).coincident_classes


def _in_hull(arrangement: Arrangement, P: Polyhedron) -> tuple[Rows, Rows, Rows] | None:
    """Hyperplanes, and rows that are positive inside, in a basis of the affine hull; the basis."""
    found = P.strict_rows()
    if found is None:
        return None
    given = append_column(arrangement.normals, arrangement.offsets)
    strict, hyperplanes, vectors = unify_fields(found[0], given, np.array(found[1], object))
    basis = vectors.tolist()
    rows = restrict_rows(integer_rows(hyperplanes), basis) if len(hyperplanes) else []
    return rows, integer_rows(strict), basis


def preimage(P: Polyhedron, matrix: ExactArray, shift: ExactArray) -> Polyhedron:
    """The points y whose image ``matrix @ y + shift`` lies in a polyhedron.

    Examples
    --------
    >>> P = preimage(Polyhedron.box(0, 1, dimension=2), np.array([[2], [1]]), np.array([0, 0]))
    >>> [tuple(map(str, point)) for point in P.vertices]
    [('0',), ('1/2',)]
    """
    M, s, *rows = map(as_objects, unify_fields(matrix, shift, *P.inequalities, *P.equations))
    A, c, E, f = rows
    return Polyhedron(A @ M, c - A @ s, equations=(E @ M, f - E @ s))
