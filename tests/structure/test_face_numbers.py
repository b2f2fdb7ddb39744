"""Numbers of faces without listing: by flats, and by walls of one chamber of a reflection group."""

from __future__ import annotations

from math import comb
from typing import Any

import pytest
from examples import EXAMPLES, Example

from arrangements import Arrangement, chambers, f_vector, generators
from arrangements.errors import InputError
from arrangements.structure import face_numbers, product
from arrangements.structure.flat_orders import faces_by_flats
from arrangements.structure.mirrors import faces_of_mirrors, mirrors_of

GROUPS = ["A1", "A2", "A4", "A6", "B2", "B3", "B5", "D4", "D5", "F4", "H3", "I2(5)", "I2(8)"]
PRODUCTS = ["A1 x A1 x A1", "A2 x B3", "I2(5) x A3", "H3 x A1"]


def listed(A: Any) -> list[int]:
    """Numbers of faces by codimension, from all faces."""
    found = f_vector(chambers(A))
    return list(reversed(found))[: A.rank + 1]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", GROUPS + PRODUCTS)
def test_faces_of_mirrors(name: str) -> None:
    A = generators.coxeter(name)
    assert faces_of_mirrors(A) == listed(A) == faces_by_flats(A)
    doubled = Arrangement([*A.normals.tolist(), *(-2 * A.normals).tolist()])
    assert faces_of_mirrors(doubled) == listed(A)


def test_other_arrangements_have_no_mirrors_of() -> None:
    for A in (generators.resonance(3), generators.generic(6, 3, 0), generators.coxeter("B3")[1:]):
        assert mirrors_of(A) is None and faces_of_mirrors(A) is None


@pytest.mark.sampled(15)
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_all_ways_agree(example: Example, monkeypatch: Any) -> None:
    expected = f_vector(*example.arguments)
    monkeypatch.setattr(face_numbers, "_MANY_FACES", 0)
    monkeypatch.setattr(face_numbers, "_FACES_PER_FLAT", 0)
    assert f_vector(*example.arguments) == expected


@pytest.mark.slow
def test_exceptional_groups() -> None:
    # the rays of E8 are the vertices of eight uniform polytopes: H. S. M. Coxeter, Regular and
    # Semi-Regular Polytopes III, Math. Z. 200 (1988), table of the family 4_21
    rays = 240 + 2160 + 6720 + 17280 + 60480 + 69120 + 241920 + 483840
    found = f_vector(generators.coxeter("E8"))
    assert found[:2] == (1, rays) and found[-1] == 696729600
    assert sum((-1) ** k * f for k, f in enumerate(found)) == 1
    # every chamber has 8 walls, and every wall belongs to two
    assert 2 * found[-2] == 8 * found[-1]
    E7 = f_vector(generators.coxeter("E7"))
    assert E7[1] == 56 + 126 + 576 + 756 + 2016 + 4032 + 10080  # the same for the family 3_21
    assert tuple(reversed(faces_by_flats(generators.coxeter("E6")))) == f_vector(
        generators.coxeter("E6")
    )
    # the 120-cell (J. Conway, H. Burgiel, C. Goodman-Strauss, The Symmetries of Things, 2008)
    assert f_vector(generators.coxeter("H4"))[1:2] == (120 + 600 + 720 + 1200,)


@pytest.mark.slow
def test_many_faces_of_braid_and_generic_arrangements() -> None:
    # ordered set partitions (OEIS A019538)
    def surjections(n: int, k: int) -> int:
        return sum((-1) ** j * comb(k, j) * (k - j) ** n for j in range(k + 1))

    n = 11
    assert f_vector(generators.braid(n)) == tuple(surjections(n, k) for k in range(n + 1))
    W = product(generators.threshold(4), generators.coxeter("A5")).arrangement
    first, second = f_vector(generators.threshold(4)), f_vector(generators.coxeter("A5"))
    expected = [0] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            expected[i + j] += a * b
    assert f_vector(W) == tuple(expected)


def test_deformations_of_other_groups_are_named() -> None:
    with pytest.raises(InputError, match=r"deformation\(coxeter\('H3'\), \[-1, 0, 1\]\)"):
        generators.catalan("H3")
    with pytest.raises(InputError, match=r"coxeter\('I2\(7\)'\)"):
        generators.shi("I2(7)")
    A = generators.deformation(generators.coxeter("H3"), [-1, 0, 1])
    assert A.n_hyperplanes == 45 and A.rank == 3
