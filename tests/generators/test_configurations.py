"""Named configurations have what they are known for."""

import numpy as np
import pytest
from sympy import Matrix

from arrangements import characteristic_polynomial, count_chambers, flats, restriction
from arrangements.algebra import exponents, is_free
from arrangements.errors import InputError
from arrangements.generators import named, resonance, type_b
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid


def triples(name: str) -> list[tuple[int, ...]]:
    A = named(name)
    assert A.rank == 3
    lines = [flat for flat in flats(A).of_rank(2) if len(flat) > 2]
    assert all(len(line) == 3 for line in lines)
    return lines


@pytest.mark.parametrize(
    "name, lines, each", [("Pappus", 9, 3), ("Desargues", 10, 3), ("non-Fano", 6, None)]
)
def test_lines_of_three(name: str, lines: int, each: int | None) -> None:
    found = triples(name)
    assert len(found) == lines
    if each:
        assert (np.bincount(np.ravel(found)) == each).all()


def test_non_fano_is_resonance() -> None:
    assert named("NONFANO").same_hyperplanes(resonance(3))


def test_the_pair_of_ziegler() -> None:
    first, second = triples("Ziegler 1"), triples("ziegler-2")
    assert first == second and len(first) == 6
    ranks = []
    for name in ("Ziegler 1", "Ziegler 2"):
        W = named(name).normals
        points = [np.cross(W[i], W[j]).tolist() for i, j, _ in first]
        ranks.append(
            Matrix([[x * x, y * y, z * z, x * y, x * z, y * z] for x, y, z in points]).rank()
        )
    assert ranks == [6, 5]  # on a conic: a quadric vanishes


def test_deleted_b3() -> None:
    """A. I. Suciu, Topology Appl. 118 (2002): exponents 1, 3, 4, a quadruple and six triples."""
    A = named("deleted B3")
    assert exponents(A) == (1, 3, 4) and is_free(A)
    sizes = [len(flat) for flat in flats(A).of_rank(2)]
    assert [sizes.count(k) for k in (2, 3, 4)] == [4, 6, 1]
    B = OrientedMatroid.from_matrix(type_b(3))
    found = [B.deletion([e]) for e in range(9)]
    same = [M.is_isomorphic(OrientedMatroid.from_matrix(A), oriented=False) for M in found]
    assert sum(same) == 3  # the planes x_i = 0


def test_orliks_conjecture() -> None:
    A = named("Edelman-Reiner")
    assert count_chambers(A) == 2 * 6**4 and exponents(A) == (1, 5, 5, 5, 5)
    R = restriction(A, 5).arrangement
    assert not is_free(R)
    assert (
        str(characteristic_polynomial(R).as_expr().factor()) == "(t - 4)*(t - 1)*(t**2 - 10*t + 26)"
    )


@pytest.mark.slow
def test_edelman_and_reiner_are_right() -> None:
    assert is_free(named("Edelman-Reiner"))


def test_pappus_forces_the_last_line() -> None:
    """The chirotope with the last triple broken is one, as docs/oriented-matroids.md says."""
    from itertools import combinations

    M = OrientedMatroid.from_matrix(named("Pappus"))
    values = {triple: M.sign(triple) for triple in combinations(range(9), 3)}
    assert values[6, 7, 8] == 0
    assert OrientedMatroid.from_chirotope(9, 3, values | {(6, 7, 8): 1}).rank == 3


@pytest.mark.parametrize(
    "name, message",
    [
        ("non-Pappus", "an oriented matroid that no matrix has"),
        ("Mac Lane", "has no real hyperplanes"),
        ("Fano", 'name is .Fano.; expected one of "Pappus"'),
        (5, "name is 5; expected one of"),
    ],
)
def test_names_that_are_none(name, message: str) -> None:
    with pytest.raises(InputError, match=message):
        named(name)
