"""Named configurations have what they are known for."""

import numpy as np
import pytest
from networkx import Graph, connected_components
from sympy import Matrix

from arrangements import (
    Arrangement,
    NumberField,
    characteristic_polynomial,
    count_chambers,
    flats,
    restriction,
)
from arrangements.algebra import exponents, is_free, realizability
from arrangements.errors import InputError
from arrangements.generators import braid, named, resonance, type_b
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid


def triples(name: str) -> list[tuple[int, ...]]:
    A = named(name)
    assert A.rank == 3
    lines = [flat for flat in flats(A).of_rank(2) if len(flat) > 2]
    assert all(len(line) == 3 for line in lines)
    return lines


@pytest.mark.parametrize(
    "name, lines, each",
    [("Pappus", 9, 3), ("Desargues", 10, 3), ("non-Fano", 6, None), ("(9_3)_2", 9, 3)],
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


def test_the_second_configuration_of_nine_triples_is_another_one() -> None:
    """Each of its lines meets six others in triple points, as for Pappus; so two are left.

    The pairs of lines that meet in double points make a cycle of nine here, three triangles there.
    """
    for name, length in (("Pappus", 3), ("(9_3)_2", 9)):
        pairs = [flat for flat in flats(named(name)).of_rank(2) if len(flat) == 2]
        cycles = list(connected_components(Graph(pairs)))
        assert [len(cycle) for cycle in cycles] == [length] * (9 // length)


def test_the_points_of_perles() -> None:
    """Eight lines of three points and one of four; not realizable with rational numbers."""
    A = named("Perles")
    sizes = sorted(len(flat) for flat in flats(A).of_rank(2) if len(flat) > 2)
    assert sizes == [3] * 8 + [4] and A.field == NumberField([-1, -1, 1], (1, 2))
    M = A.oriented_matroid()
    found = realizability(OrientedMatroid.from_chirotope(9, 3, M.chirotope))
    assert found.realizable and Arrangement(found.realization).field is not None


def test_the_bracelet() -> None:
    """The subarrangements of an extension in the documentation of HyperplaneArrangements."""
    A = named("Bracelet")
    extended = Arrangement([[1, 1, 1, 1], *A.normals.tolist()])
    found = [flat for flat in flats(extended).of_rank(3) if len(flat) == 6]
    assert found == [(0, 1, 2, 6, 8, 9), (0, 1, 3, 5, 7, 9), (0, 2, 3, 4, 7, 8)]
    of_braid = braid(4).oriented_matroid()
    for flat in found:
        part = extended[list(flat)].oriented_matroid()
        assert part.is_isomorphic(of_braid, oriented=False)
    assert count_chambers(A) == 102 and not is_free(A)


def test_x2_and_x3_are_not_free() -> None:
    """Seven lines with five triple points, six with three; the polynomials do not split."""
    for name, triple, roots in (("X2", 5, "t**2 - 6*t + 10"), ("X3", 3, "t**2 - 5*t + 7")):
        assert len(triples(name)) == triple and not is_free(named(name))
        found = str(characteristic_polynomial(named(name)).as_expr().factor())
        assert found == f"(t - 1)*({roots})"
    assert [len(flats(named("prism")).of_rank(k)) for k in range(5)] == [1, 6, 15, 11, 1]


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
        ("Hessian", "no real hyperplanes"),
        ("Ziegler pair", '"Ziegler 1" and "Ziegler 2"'),
        ("notTame", r"resonance\(4\)"),
    ],
)
def test_names_that_are_none(name, message: str) -> None:
    with pytest.raises(InputError, match=message):
        named(name)
