"""One chamber as a polyhedron, against the properties of all chambers."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements import Arrangement, chambers, generators
from arrangements.errors import InputError
from arrangements.structure import (
    bounded_chambers,
    chamber_polyhedron,
    localization,
    simplicial_chambers,
    vertices,
    walls,
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "A",
    [
        generators.shi(3),
        generators.type_b(3),
        Arrangement(generators.generic(6, 3, 0).normals, [1, 2, -1, 3, 0, 1]),
        Arrangement([[1, 0], [-2, 0], [0, 1], [1, 1], [0, 0]], [0, 0, 0, -1, -1]),
        Arrangement([[1, -1, 0], [1, -1, 0]], [0, -1]),
        Arrangement(np.zeros((0, 2))),
    ],
    ids=str,
)
def test_against_all_chambers(A: Arrangement) -> None:
    S = chambers(A)
    leads = [group[0] for group in A.coincident_classes]
    is_wall, bounded, simplicial = walls(S), bounded_chambers(S), simplicial_chambers(S)
    count = 0
    for k, signs in enumerate(S.to_array()):
        P = chamber_polyhedron(A, signs)
        assert list(P.facets) == [i for i in leads if is_wall[k, i]]
        assert (not P.rays, P.is_simplicial) == (bounded[k], simplicial[k])
        assert len(P.lines) == A.dimension - A.rank and P.vertices
        count += len(P.vertices)
        assert all(map(P.contains, P.vertices))
        a = np.array([list(map(Fraction, row)) for row in P.inequalities[0].tolist()], object)
        for ray in P.rays:
            assert all(a @ np.array(ray, object) <= 0) and any(a @ np.array(ray, object))
    if A.is_essential:  # each vertex, in the chambers around it
        around = [localization(A, point=point).arrangement for point in vertices(A)]
        assert count == sum(B.count_chambers() for B in around)


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"chamber is --\+, which is the sign vector of no"):
        chamber_polyhedron([[1, 0], [0, 1], [1, 1]], "--+", offsets=[0, 0, -1])
    with pytest.raises(InputError, match="no chamber"):
        chamber_polyhedron([[1, 0], [0, 1]], "0+")
    P = chamber_polyhedron(generators.coxeter("E8"), "+" * 120)
    assert (len(P.facets), len(P.vertices), len(P.rays)) == (8, 1, 8) and P.is_simplicial
