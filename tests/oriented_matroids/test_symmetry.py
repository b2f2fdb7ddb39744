"""Automorphisms of arrangements, orbits of chambers, isomorphism that keeps infinity."""

from itertools import permutations, product
from math import factorial

import numpy as np
import pytest

from arrangements import Arrangement, OrientedMatroid, SignVectors, chambers, generators
from arrangements.algebra import arrangement_isomorphism, automorphisms, chamber_orbits
from arrangements.errors import InputError
from arrangements.oriented_matroids.isomorphism import Isomorphism

# Orders of the groups, times 2 for the reversal of all rows where it is not in the group; with the
# symmetries of the diagrams (Humphreys, Reflection groups and Coxeter groups, section 2.11).
ORDERS = {"A3": 48, "A4": 240, "B3": 48, "B4": 384, "D4": 192 * 6, "F4": 1152 * 2}


@pytest.mark.parametrize("kind", ORDERS)
def test_orders_of_reflection_groups(kind: str) -> None:
    A = generators.coxeter(kind)
    found = automorphisms(A)
    assert found.order == ORDERS[kind]
    M = OrientedMatroid.from_matrix(A)
    for g in found.generators:
        assert M.relabeling(g.relabeling).reorientation(g.reorientation) == M
    assert automorphisms(M).order == found.order


def all_automorphisms(A: Arrangement) -> int:
    """Count by trying all signed permutations on the chambers; of simple arrangements."""
    S = chambers(A)
    signs, n = S.to_array(), S.n
    return sum(
        SignVectors.from_array(signs[:, list(order)] * np.array(turned)) == S
        for order in permutations(range(n))
        for turned in product((1, -1), repeat=n)
    )


def test_all_signed_permutations() -> None:
    for A in (
        generators.boolean(3),
        Arrangement([[1, 0], [0, 1], [1, 1], [1, 2]]),
        Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -1]),
        Arrangement([[1, 0], [1, 0], [0, 1]], [0, -1, 0]),
    ):
        assert automorphisms(A).order == all_automorphisms(A)


def test_reflection_arrangements_have_one_orbit() -> None:
    for kind in ("A3", "B3", "D4"):
        assert not chamber_orbits(generators.coxeter(kind)).any()
    assert len(chamber_orbits(Arrangement([[1, 2]])[:0])) == 1


def test_orbits_of_resonance_arrangements() -> None:
    """The number of orbits is the mean number of chambers that a permutation fixes (Burnside)."""
    A = generators.resonance(4)
    sums = A.normals.tolist()
    maps = [
        [sums.index([row[i] for i in order]) for row in sums] for order in permutations(range(4))
    ]
    S = chambers(A)
    signs = S.to_array()
    fixed = sum(int((signs[:, order] == signs).all(axis=1).sum()) for order in maps)
    orbits = chamber_orbits(S, symmetry=maps)
    assert orbits.max() + 1 == fixed / factorial(4)
    first = np.unique(orbits, return_index=True)[1]
    assert (np.diff(first) > 0).all()


def test_resonance_5_has_224_orbits_under_s5() -> None:
    A = generators.resonance(5)
    sums = A.normals.tolist()
    swap = [sums.index([b, a, c, d, e]) for a, b, c, d, e in sums]
    turn = [sums.index([e, a, b, c, d]) for a, b, c, d, e in sums]
    assert chamber_orbits(A, symmetry=[swap, turn]).max() + 1 == 224


def test_isomorphism_keeps_infinity() -> None:
    rng = np.random.default_rng(5)
    A = generators.shi(3)
    order = rng.permutation(6)
    signs = rng.choice([-1, 1], 6)
    B = Arrangement(A.normals[order] * signs[:, None], A.offsets[order] * signs)
    f = arrangement_isomorphism(A, B)
    turned = chambers(B).to_array()[:, list(f.relabeling)]
    turned[:, list(f.reorientation)] *= -1
    assert SignVectors.from_array(turned) == chambers(A)
    # the cones of these are the same oriented matroid, but infinity is another line
    parallel = Arrangement([[1, 0], [1, 0], [0, 1]], [0, -1, 0])
    crossing = Arrangement([[1, 0], [0, 1], [1, 1]])
    assert arrangement_isomorphism(parallel, crossing) is None
    assert arrangement_isomorphism(parallel, generators.boolean(2)) is None


def test_signed_symmetries_and_what_is_refused() -> None:
    A = generators.boolean(2)
    assert (
        chamber_orbits(A, symmetry=[([1, 0], [0]), Isomorphism((0, 1), (1,))]).tolist() == [0] * 4
    )
    assert chamber_orbits(A, symmetry=[]).tolist() == [0, 1, 2, 3]
    with pytest.raises(InputError, match="takes a chamber to a sign vector that does"):
        chamber_orbits(generators.braid(3), symmetry=[[1, 0, 2]])
    with pytest.raises(InputError, match=r"symmetry\[0\]\[1\] is"):
        chamber_orbits(A, symmetry=[([1, 0], [2])])
    with pytest.raises(InputError, match="expected a permutation"):
        chamber_orbits(A, symmetry=[[0, 0]])
    with pytest.raises(InputError, match="given with an OrientedMatroid"):
        automorphisms(OrientedMatroid.from_matrix([[1]]), [0])
