"""Chambers that meet a polyhedron: are there any, and which rows decide it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.messages import quote
from arrangements.polyhedra.inner_points import point_inside
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.strict_system import strict_system
from arrangements.search.within_sweep import rows_inside


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
        raise InputError(f"within is {P}, which is empty; expected one that has a point.")
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
    """The same with the facets only, in as few coordinates as suffice. Some chamber meets P.

    Examples
    --------
    >>> with_facets(Arrangement([[1, -1]]), Polyhedron.simplex(2))
    (Arrangement(3 hyperplanes in dimension 2, central), 2)
    """
    found = rows_inside(arrangement, P)
    assert found is not None
    first = 0 if found.cone is None else found.k - found.cone.tight.shape[1]
    return Arrangement(found.rows[first:]), found.k - first


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
