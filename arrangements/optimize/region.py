"""Chambers that meet a polyhedron: are there any, and which rows decide it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.exact.numbers import ExactArray, stack_rows, unify_fields
from arrangements.messages import quote
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.inner_points import point_inside
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.strict_system import strict_system


def cone_inside(arrangement: Arrangement, P: Polyhedron) -> tuple[Arrangement, int]:
    """A central arrangement whose first k rows are + exactly inside a polyhedron, and k.

    The other rows are those of the arrangement, in homogeneous coordinates of the affine hull.

    Raises
    ------
    InputError
        If no chamber meets the polyhedron: it is empty, or lies in a hyperplane.

    Examples
    --------
    >>> cone_inside(Arrangement([[1, 1]], [-1]), Polyhedron.box(0, 1, dimension=2))
    (Arrangement(6 hyperplanes in dimension 3, central), 5)
    """
    found = strict_system(arrangement, P)
    if found is None:
        raise InputError(f"within is {P}; expected one that has a point.")
    lead, rows = found
    for i, row in enumerate(rows):
        if not any(row):
            name = i if arrangement.labels is None else quote(arrangement.labels[i])
            raise InputError(
                f"within is {P}, on which row {name} is 0 everywhere, so that no chamber meets its "
                "relative interior. Leave out the row, or choose another polyhedron."
            )
    return Arrangement(np.array([*lead, *rows], object)), len(lead)


def with_facets(arrangement: Arrangement, P: Polyhedron) -> tuple[Arrangement, int]:
    """The same with the facets only, and if possible without that at infinity.

    Examples
    --------
    >>> with_facets(Arrangement([[1, -1]]), Polyhedron.simplex(2))
    (Arrangement(3 hyperplanes in dimension 2, central), 2)
    """
    rows = HullCoordinates(P).restrict(arrangement.normals, arrangement.offsets)
    facets, rows = facets_beside(rows, P)
    return Arrangement(stack_rows(facets, rows)), len(facets)


def facets_beside(rows: ExactArray, P: Polyhedron) -> tuple[ExactArray, ExactArray]:
    """Rows that are positive exactly inside a polyhedron, and rows in hull coordinates (u, 1).

    Without the last coordinate if all are 0 there.

    Examples
    --------
    >>> facets_beside(np.array([[5, 0]]), Polyhedron([[-1]], [0]))
    (array([[1]]), array([[5]]))
    """
    hull, carry = HullCoordinates(P), set(P.facets)
    facets = hull.facets[np.array([j in carry for j in hull.numbers], np.bool_)]
    rows, facets = unify_fields(rows, facets)
    if not (facets[:, -1].any() or rows[:, -1].any()):
        return facets[:, :-1], rows[:, :-1]
    if not (len(facets) and P.is_bounded):
        infinity = np.zeros((1, rows.shape[1]), np.int64)
        infinity[0, -1] = 1
        facets = stack_rows(facets, infinity)
    return facets, rows


def certify(arrangement: Arrangement, P: Polyhedron | None, signs: Sequence[int]) -> Certificate:
    """Proof that a chamber occurs, by a point of the relative interior of a polyhedron if any.

    Examples
    --------
    >>> certify(Arrangement([[1, 1]], [-1]), Polyhedron.box(0, 1, dimension=2), [-1])
    Certificate('-', feasible, point (1/3, 1/3))
    """
    if P is None:
        return feasible(arrangement, signs)
    return Certificate(arrangement, tuple(signs), True, point=point_inside(arrangement, P, signs))
