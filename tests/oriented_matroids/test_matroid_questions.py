"""Questions about oriented matroids: as those about a matrix, and about one that has none."""

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
import strategies
from hypothesis import given

from arrangements import (
    Arrangement,
    OrientedMatroid,
    betti_numbers,
    characteristic_polynomial,
    f_vector,
    flats,
    generators,
)
from arrangements.algebra import (
    automorphisms,
    chamber_orbits,
    doubly_indexed_whitney_numbers,
    exponents,
    mobius,
    nbc_bases,
    nbc_sets,
    tutte_polynomial,
    whitney_numbers,
)
from arrangements.errors import DegenerateArrangementError, InputError
from arrangements.structure import (
    chamber_degrees,
    chamber_graph,
    covectors,
    face_lattice,
    intersection_poset,
    is_simplicial,
)


def without_matrix(M: OrientedMatroid) -> OrientedMatroid:
    """The same signs of minors, of which nobody knows that a matrix has them."""
    values = {basis: M.sign(basis) for basis in combinations(range(M.n), M.rank)}
    return OrientedMatroid.from_chirotope(M.n, M.rank, values)


def non_pappus() -> OrientedMatroid:
    M = OrientedMatroid.from_matrix(generators.named("Pappus"))
    values = {triple: M.sign(triple) for triple in combinations(range(9), 3)}
    return OrientedMatroid.from_chirotope(9, 3, values | {(6, 7, 8): 1})


def labeled_covers(P: "nx.DiGraph[int]") -> set[Any]:
    of = {k: (node["hyperplanes"], node["rank"], node["mobius"]) for k, node in P.nodes(data=True)}
    return {*of.values(), *((of[a], of[b]) for a, b in P.edges)}


@pytest.mark.slow
@given(strategies.arrangements())
def test_answers_are_those_of_the_matrix(arguments: Any) -> None:
    rows = [row for row in arguments[0] if any(row)]
    if not rows:
        return
    A = Arrangement(rows)
    M = without_matrix(OrientedMatroid.from_matrix(A))
    assert M.matrix is None
    for found, expected in ((M.flats(), flats(A)), (flats(M, max_rank=1), flats(A, max_rank=1))):
        assert set(found) == set(expected) and found.counts == expected.counts
    assert labeled_covers(intersection_poset(M)).issuperset(
        (node["hyperplanes"], node["rank"], node["mobius"])
        for _, node in intersection_poset(A).nodes(data=True)
    )
    assert len(intersection_poset(M).edges) == len(intersection_poset(A).edges)
    assert betti_numbers(M) == betti_numbers(A)
    assert whitney_numbers(M, kind=2) == whitney_numbers(A, kind=2)
    assert characteristic_polynomial(M).eval(-1) == (-1) ** M.rank * len(M.topes())
    assert f_vector(M) == f_vector(A)[A.dimension - A.rank :]
    assert set(map(tuple, covectors(M).tolist())) == set(map(tuple, covectors(A).tolist()))
    assert sorted(chamber_degrees(M).tolist()) == sorted(chamber_degrees(A).tolist())
    assert is_simplicial(M) == is_simplicial(A)
    assert sorted(nbc_bases(M)) == sorted(nbc_bases(A))
    for k in range(M.rank + 1):
        assert sorted(nbc_sets(M, k)) == sorted(nbc_sets(A, k))
    assert chamber_orbits(M).max() == chamber_orbits(A).max()


def test_no_matrix_has_it() -> None:
    M = non_pappus()
    assert M.flats().counts == (1, 9, 20, 1) and betti_numbers(M) == (1, 9, 28, 20)
    points, edges, regions = f_vector(M)[1:]
    assert regions == sum(betti_numbers(M)) == 58 and points - edges + regions == 2
    assert len(chamber_graph(M)) == 58 and face_lattice(M).number_of_nodes() == sum(f_vector(M))
    assert len([*nbc_bases(M)]) == 20 and not is_simplicial(M)
    assert exponents(M) is None and whitney_numbers(M, kind=2) == (1, 9, 20, 1)
    assert len(set(chamber_orbits(M).tolist())) * automorphisms(M).order >= 58


def test_methods_answer_as_functions_do() -> None:
    M = non_pappus()
    assert M.f_vector() == f_vector(M) and M.face_lattice().number_of_nodes() == sum(f_vector(M))
    assert len(M.chamber_graph()) == 58 and not M.is_simplicial()
    assert sorted(M.nbc_bases()) == sorted(nbc_bases(M)) and M.exponents() is None
    assert M.tutte_polynomial() == tutte_polynomial(M) and M.tutte_polynomial().eval((2, 0)) == 58
    with pytest.raises(InputError, match="were given with an OrientedMatroid"):
        M.f_vector(rank=2)
    with pytest.raises(TypeError, match="offsets"):
        M.exponents(offsets=[0] * 9)


@pytest.mark.parametrize("M", [non_pappus(), OrientedMatroid.from_matrix(generators.braid(4))])
def test_every_question_is_a_method(M: OrientedMatroid) -> None:
    assert M.automorphisms().order == automorphisms(M).order
    assert M.automorphisms(oriented=False).order == automorphisms(M, oriented=False).order
    assert M.walls().sum(axis=1).tolist() == M.chamber_degrees().tolist()
    assert M.is_supersolvable() == (M.modular_chain() is not None) == (M.n == 6)
    table = M.doubly_indexed_whitney_numbers()
    assert table == doubly_indexed_whitney_numbers(M)
    assert tuple(sum(map(abs, row)) for row in table)[::-1] == M.f_vector()[-len(table) :]
    assert len([*M.nbc_sets(2)]) == M.betti_numbers()[2]


def test_mobius_by_its_recursion() -> None:
    M = without_matrix(OrientedMatroid.from_matrix(generators.braid(4)))
    for matroid in (M, non_pappus()):
        every = [set(flat) for flat in matroid.flats()]

        def expected(low: set[int], high: set[int], flats: Any = every) -> int:
            if low == high:
                return 1
            return -sum(expected(low, F, flats) for F in flats if low <= F < high)

        for low in every[:9]:
            for high in every:
                value = expected(low, high) if low <= high else 0
                assert matroid.mobius(low, high) == mobius(matroid, low, high) == value
    N = OrientedMatroid.from_matrix(Arrangement([[1, 0], [0, 1], [1, 1]], labels="abc"))
    assert N.mobius("a", ["b", "c"]) == -1 and N.mobius([], "a") == -1 and N.mobius("a", "b") == 0
    with pytest.raises(DegenerateArrangementError, match="are loops"):
        OrientedMatroid.from_matrix([[1, 0], [0, 0]]).mobius([], [0])


def test_loops() -> None:
    M = OrientedMatroid.from_matrix([[1, 0], [0, 0], [1, 1]])
    N = OrientedMatroid.from_chirotope(3, 2, {(0, 2): 1})
    for matroid in (M, N):
        assert list(matroid.flats()) == [(1,), (0, 1), (1, 2), (0, 1, 2)]
        assert matroid.whitney_numbers() == (0, 0, 0)
        assert matroid.whitney_numbers(2) == (1, 2, 1)
        assert [*nbc_sets(matroid, 1)] == []
        assert {n["mobius"] for _, n in matroid.intersection_poset().nodes(data=True)} == {0}


def test_labels_stay() -> None:
    M = OrientedMatroid.from_matrix(Arrangement([[1, 0], [0, 1], [1, 1]], labels="abc"))
    assert M.flats().names(4) == ("a", "b", "c")
    assert intersection_poset(M).nodes[1]["names"] == ("a",)


@pytest.mark.parametrize("ask", [flats, f_vector, betti_numbers, intersection_poset, is_simplicial])
def test_options_are_refused(ask: Any) -> None:
    with pytest.raises(InputError, match="were given with an OrientedMatroid"):
        ask(non_pappus(), np.zeros(9))


def test_a_matroid_has_no_points() -> None:
    for ask in (flats, intersection_poset, f_vector):
        with pytest.raises(InputError, match="within was given with"):
            ask(non_pappus(), within=([[1, 0, 0]], [1]))
