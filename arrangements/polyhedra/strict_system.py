"""A polyhedron and hyperplanes as integer rows, of which the first are positive inside it."""

from typing import Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.exact.numbers import append_column, integer_rows, unify_fields
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reduction import restrict_rows

IntRows = list[list[Any]]


def strict_system(arrangement: Arrangement, P: Polyhedron) -> tuple[IntRows, IntRows] | None:
    """Integer rows of a polyhedron and of hyperplanes, in coordinates of its affine hull.

    Returns
    -------
    rows of the polyhedron
        Positive in its relative interior, that at infinity first. None in place of both if it is
        empty.
    rows of the hyperplanes
        A row of zeros vanishes on the polyhedron.

    Examples
    --------
    >>> strict_system(Arrangement([[1, 2]]), Polyhedron.simplex(2))
    ([[0, 1], [1, 0], [-1, 1]], [[1, 1]])
    """
    found = P.strict_rows()
    if found is None:
        return None
    rows, facets, vectors = unify_fields(
        append_column(arrangement.normals, arrangement.offsets),
        found[0],
        np.array(found[1], object),
    )
    restricted = restrict_rows(integer_rows(rows), vectors.tolist()) if len(rows) else []
    return integer_rows(facets)[::-1], restricted
