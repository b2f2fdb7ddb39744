"""Orbits of listed chambers, under maps that are given, or reflections at mirrors."""

from fractions import Fraction

import numpy as np

from arrangements import Arrangement, chambers
from arrangements.algebra.mirror_search import reflection_direction


def orbits_of_listed(A: Arrangement, maps: list[np.ndarray], shifts=None) -> int:
    """Images of a witness of each chamber, looked up."""
    found = chambers(A)
    signs = found.to_array()
    place = {tuple(row): i for i, row in enumerate(signs.tolist())}
    component = list(range(len(signs)))

    def first(i: int) -> int:
        while component[i] != i:
            i = component[i]
        return i

    for i in range(len(signs)):
        x = np.array([Fraction(e) for e in found.witness(i)], object)
        for k, g in enumerate(maps):
            y = np.array(g, object) @ x + (0 if shifts is None else np.array(shifts[k], object))
            values = np.array(A.normals.tolist(), object) @ y + np.array(
                [0] * len(signs[0]) if A.offsets is None else A.offsets.tolist(), object
            )
            image = place[tuple(int(v > 0) - int(v < 0) for v in values)]
            component[first(i)] = first(image)
    return sum(component[i] == i for i in range(len(signs)))


def as_maps(found: Arrangement, A: Arrangement):
    """Matrices and shifts of the reflections at mirrors, from their directions."""
    d = A.dimension
    rows = [tuple(row) for row in A.integer_rows]
    maps, shifts = [], []
    for mirror in map(tuple, found.integer_rows):
        v = reflection_direction(mirror, [rows, [(0,) * d + (1,)]])
        assert v is not None
        maps.append(
            np.array([[int(i == j) - v[i] * mirror[j] for j in range(d)] for i in range(d)], object)
        )
        shifts.append([-v[i] * mirror[d] for i in range(d)])
    return maps, shifts
