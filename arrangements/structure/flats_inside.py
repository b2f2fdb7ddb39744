"""Which flats meet the relative interior of a polyhedron."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.enumeration.inside import HyperplanesInside
from arrangements.polyhedra.inner_points import point_inside
from arrangements.sets.packed import Words, positions, unpack_signs
from arrangements.structure.chamber_sets import list_chambers
from arrangements.structure.faces import descend, faces_of

# Their faces take less time than a linear program for each flat.
_FEW_CHAMBERS = 1_000_000

Meets = Callable[[Words], NDArray[np.bool_]]


def flats_that_meet(inside: HyperplanesInside, arrangement: Arrangement, top: int) -> Meets:
    """Tells which flats of rank at most `top`, by their masks, meet the relative interior.

    In a polyhedron of full dimension these are the flats of the faces that meet it. In others,
    where flats differ that have the same part in it, each takes a linear program.

    Examples
    --------
    >>> lines, square = Arrangement([[1, 0], [0, 1]], [0, -1]), ([[-1, 0], [1, 0]], [1, 1])
    >>> meets = flats_that_meet(HyperplanesInside(lines, square), lines, 2)
    >>> meets(np.array([[0], [1], [2], [3]], np.uint64))
    array([ True,  True,  True,  True])
    """
    P, number = inside.polyhedron, inside.expected()
    if P.dimension == arrangement.dimension and number is not None and number <= _FEW_CHAMBERS:
        S = list_chambers(arrangement, within=P)
        found = np.concatenate([faces.flats for _, faces in descend(faces_of(S), top)])
        return lambda masks: positions(masks, found) >= 0

    def meets(masks: Words) -> NDArray[np.bool_]:
        rows = map(np.flatnonzero, unpack_signs(masks, arrangement.n_hyperplanes) > 0)
        points = (point_inside(arrangement[used], P, [0] * len(used)) for used in rows)
        return np.array([point is not None for point in points], np.bool_)

    return meets
