"""Graphs, samples, faces and flats inside a polyhedron, against exact questions one by one."""

from collections import Counter
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chisquare
from sympy import sqrt

from arrangements import Arrangement, Polyhedron, chambers, f_vector, flats, generators, rankings
from arrangements.algebra import sample_chambers
from arrangements.errors import DegenerateArrangementError, IncompleteError, InputError
from arrangements.polyhedra.inner_points import point_inside
from arrangements.structure import (
    chamber_distance,
    chamber_distances,
    chamber_edges,
    chamber_graph,
    covectors,
    face_lattice,
    flats_inside,
    intersection_poset,
    iter_chamber_edges,
    iter_faces,
    neighbors,
    poset_of_chambers,
    ranking_graph,
    simplicial_chambers,
    walls,
)
from arrangements.structure.descents import Descent
from arrangements.structure.sampling import ChamberSample

Case = tuple[Arrangement, Polyhedron]


def random_case(seed: int) -> Case:
    """Few rows with small entries; polyhedra that are empty, flat, unbounded, not pointed."""
    rng = np.random.default_rng([31, seed])
    d, n, m = int(rng.integers(1, 4)), int(rng.integers(1, 6)), int(rng.integers(0, 6))
    W, b = rng.integers(-2, 3, (n, d)), rng.integers(-2, 3, n)
    W[~W.any(axis=1), 0] = 1
    if seed % 3 == 0:
        b[:] = 0
    A, c = rng.integers(-2, 3, (m, d)), rng.integers(-1, 3, m)
    if seed % 4 == 0 and m:  # a facet is a row
        A[0], c[0] = W[0], -b[0]
    if seed % 5 == 0 and m > 1:  # flat, or empty
        A[1], c[1] = -A[0], -c[0]
    return Arrangement(W, b), Polyhedron(A, c)


def faces_inside(A: Arrangement, P: Polyhedron) -> dict[tuple[int, ...], Any]:
    """A point of each face that meets the relative interior, by one exact question each."""
    found = {(): None}
    for k in range(1, A.n_hyperplanes + 1):
        longer = {}
        for signs in found:
            for sign in (-1, 0, 1):
                point = point_inside(A[:k], P, [*signs, sign])
                if point is not None:
                    longer[*signs, sign] = point
        found = longer
    return found


FIXED: dict[str, Case] = {
    "no row": (Arrangement(np.zeros((0, 2))), Polyhedron.box(0, 1, dimension=2)),
    "space": (Arrangement([[1, 0], [0, 1], [1, 1]]), Polyhedron(np.zeros((0, 2)), [])),
    "point": (Arrangement([[1, 0], [0, 1], [1, 1]], [-1, -2, 0]), Polyhedron.hull([[1, 2]])),
    "coinciding in a line": (
        Arrangement([[1, 0, 1], [1, 0, 2], [0, 1, 0], [2, 0, 5]], [-1, -1, 0, -2]),
        Polyhedron(np.zeros((0, 3)), [], equations=([[0, 0, 1]], [0])),
    ),
    "loop": (Arrangement([[0, 0], [1, 0]], [1, 0]), Polyhedron.box(-1, 1, dimension=2)),
    "irrational": (
        Arrangement([[1, sqrt(2)], [sqrt(2), -1], [1, 1]]),
        Polyhedron([[1, sqrt(2)], [-1, 0]], [1, 0]),
    ),
    "braid": (generators.braid(4), Polyhedron(-np.eye(4), np.zeros(4))),
    "simplex": (generators.resonance(3), Polyhedron.simplex(3)),
}
CASES = {**FIXED, **{f"random {seed}": random_case(seed) for seed in range(40)}}
# A few random ones, unless slow tests are asked for.
NAMES = [
    *list(CASES)[: len(FIXED) + 6],
    *(pytest.param(name, marks=pytest.mark.slow) for name in list(CASES)[len(FIXED) + 6 :]),
]


def pairs_beside_walls(A: Arrangement, P: Polyhedron) -> dict[frozenset[int], list[int]]:
    """Chambers on both sides of a point of a face of dimension one less, and its zeros."""
    rows = chambers(A, within=P).to_array().tolist()
    found = {}
    for signs, x in faces_inside(A, P).items():
        zeros = [i for i, sign in enumerate(signs) if not sign]
        sides = [k for k, row in enumerate(rows) if (np.multiply(row, signs) >= 0).all()]
        if zeros and len(sides) == 2 and x is not None:
            found[frozenset(sides)] = zeros
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_walls_are_beside_a_point_inside(name: str) -> None:
    A, P = CASES[name]
    S, between = chambers(A, within=P), pairs_beside_walls(A, P)
    right = np.zeros((len(S), A.n_hyperplanes), bool)
    for pair, zeros in between.items():
        right[np.ix_(list(pair), zeros)] = True
    assert walls(A, within=P).tolist() == right.tolist()
    paths = dict(nx.all_pairs_shortest_path_length(chamber_graph(A, within=P)))
    for k in range(len(S)):
        beside = {k ^ j ^ i: min(zeros) for (i, j), zeros in between.items() if k in (i, j)}
        numbers, hyperplanes = neighbors(A, k, within=P)
        assert dict(zip(numbers.tolist(), hyperplanes.tolist(), strict=True)) == beside
        assert sorted(hyperplanes.tolist()) == hyperplanes.tolist()
        distances = chamber_distances(A, k, within=P).tolist()
        assert distances == [paths[k][j] for j in range(len(S))]
        assert distances == [chamber_distance(A, S[k], row, within=P) for row in S]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", NAMES)
def test_neighbors_have_a_wall_inside(name: str) -> None:
    A, P = CASES[name]
    S = chambers(A, within=P)
    rows = S.to_array().tolist()
    walls = set(pairs_beside_walls(A, P))
    edges, hyperplanes = chamber_edges(A, within=P)
    assert {frozenset(edge) for edge in edges.tolist()} == walls and len(edges) == len(walls)
    for (first, second), i in zip(edges.tolist(), hyperplanes.tolist(), strict=True):
        assert rows[first][i] > 0 > rows[second][i]
    G = chamber_graph(A, within=P)
    assert len(G) == len(S) and {frozenset(edge) for edge in G.edges} == walls
    assert not len(G) or (nx.is_connected(G) and nx.is_bipartite(G))
    blocks = list(iter_chamber_edges(A, within=P, block_size=2))
    assert sum(len(block.edges) for block in blocks) == len(edges)


def test_distances_are_numbers_of_hyperplanes() -> None:
    A, P = Arrangement(generators.generic(8, 3, 0)), Polyhedron.box(-1, 2, dimension=3)
    rows = chambers(A, within=P).to_array()
    lengths = dict(nx.all_pairs_shortest_path_length(chamber_graph(A, within=P)))
    for i, j in combinations(range(len(rows)), 2):
        assert lengths[i][j] == (rows[i] != rows[j]).sum()


def test_a_polyhedron_goes_with_an_arrangement() -> None:
    S = chambers([[1, 0], [0, 1]])
    for ask in (chamber_edges, chamber_graph, walls, face_lattice, poset_of_chambers):
        with pytest.raises(InputError, match="within was given with SignVectors"):
            ask(S, within=([[1, 0]], [1]))


@pytest.mark.parametrize("name", NAMES)
def test_the_poset_has_the_covers_of_its_order(name: str) -> None:
    A, P = CASES[name]
    rows = chambers(A, within=P).to_array()
    if not len(rows):
        assert not len(poset_of_chambers(A, within=P))
        with pytest.raises(InputError, match="is not in"):
            poset_of_chambers(A, np.ones(A.n_hyperplanes, int), within=P)
        return
    found = poset_of_chambers(A, 0, within=P)
    apart = [frozenset(np.flatnonzero(row != rows[0]).tolist()) for row in rows]
    order: nx.DiGraph[int] = nx.DiGraph()
    order.add_nodes_from(range(len(rows)))
    order.add_edges_from((i, j) for i, a in enumerate(apart) for j, b in enumerate(apart) if a < b)
    assert set(found.edges) == set(nx.transitive_reduction(order).edges)
    lengths = nx.single_source_shortest_path_length(found, 0)
    assert dict(found.nodes(data="rank")) == lengths


@pytest.mark.parametrize("seed", range(12))
def test_rankings_beside_each_other(seed: int) -> None:
    A, P = random_case(seed)
    first, second = np.triu_indices(len(A), 1)
    W, b = A.normals, np.zeros(len(A), int) if A.offsets is None else A.offsets
    rows, shifts = W[first] - W[second], b[first] - b[second]
    try:
        differences = Arrangement(rows, shifts)
        R, S = rankings(A, within=P), chambers(differences, within=P)
    except DegenerateArrangementError:  # labels tie
        return
    G, H = ranking_graph(A, within=P), chamber_graph(differences, within=P)
    places = [S.index(row) for row in R.to_sign_vectors()]
    assert len(G) == len(places) == len(H)
    assert {frozenset((places[i], places[j])) for i, j in G.edges} == set(map(frozenset, H.edges))
    for i, j, pairs in G.edges(data="pairs"):
        exchanged = np.flatnonzero(S[places[i]] != S[places[j]]).tolist()
        assert pairs == tuple((int(first[k]), int(second[k])) for k in exchanged)
    assert ranking_graph(R).edges == G.edges


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FIXED)
def test_sets_listed_inside_know_their_polyhedron(name: str) -> None:
    A, P = CASES[name]
    S = chambers(A, within=P)
    assert np.array_equal(walls(S), walls(A, within=P))
    assert np.array_equal(covectors(S), covectors(A, within=P))
    assert f_vector(S) == f_vector(A, within=P)
    assert chamber_graph(S).edges == chamber_graph(A, within=P).edges
    part = S[::2]  # edges are those within it, and classes are not guessed from few rows
    place = {2 * k: k for k in range(len(part))}
    right = {(place[i], place[j]) for i, j in chamber_edges(S).edges.tolist() if not (i | j) & 1}
    assert set(map(tuple, chamber_edges(part).edges.tolist())) == right
    if len(part) < len(S):
        with pytest.raises(IncompleteError, match="all are needed"):
            walls(part)


def test_whole_chambers_are_simplicial() -> None:
    S = chambers([[1, 0], [0, 1]], within=Polyhedron.simplex(2))
    with pytest.raises(InputError, match="listed inside a polyhedron; whole chambers"):
        simplicial_chambers(S)


# ------------------------------------------------------------------ samples


@pytest.mark.sampled(6)
@pytest.mark.parametrize("few", [1, 3, 10**6])
@pytest.mark.parametrize("name", NAMES)
def test_samples_are_uniform(name: str, few: int) -> None:
    A, P = CASES[name]
    S, descent = chambers(A, within=P), Descent(A, few, P)
    assert descent.count == len(S)
    if not len(S):
        return
    packed = descent.draw(120, np.random.default_rng(1))
    counts = Counter(map(tuple, ChamberSample(packed, A).to_array().tolist()))
    assert all(row in S for row in counts)
    observed = [counts[tuple(row)] for row in S.to_array().tolist()]
    assert len(S) == 1 or chisquare(observed).pvalue > 1e-5


def test_samples_of_many_chambers() -> None:
    A, P = generators.generic(60, 5, 0), Polyhedron.box(1, 2, dimension=5)
    sample = sample_chambers(A, 20, within=P, rng=0).to_array()
    for signs in sample:
        assert point_inside(Arrangement.coerce(A), P, signs.tolist()) is not None


def test_nothing_is_drawn_of_nothing() -> None:
    empty = ([[0, 0]], [-1])
    assert len(sample_chambers([[1, 0]], 0, within=empty)) == 0
    with pytest.raises(InputError, match="which meets no chamber"):
        sample_chambers([[1, 0]], 1, within=empty)


# ------------------------------------------------------------------ faces


def dimension_inside(A: Arrangement, P: Polyhedron, signs: tuple[int, ...]) -> int:
    """Dimension of the part of a face in the polyhedron."""
    zeros = [i for i, sign in enumerate(signs) if not sign]
    offsets = np.zeros(A.n_hyperplanes, int) if A.offsets is None else A.offsets
    on = Polyhedron(
        np.zeros((0, A.dimension), int), [], equations=(A.normals[zeros], -offsets[zeros])
    )
    return (P & on).dimension


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", NAMES)
def test_faces_are_those_that_exact_questions_find(name: str) -> None:
    A, P = CASES[name]
    right = {signs: dimension_inside(A, P, signs) for signs in faces_inside(A, P)}
    if P.is_empty:
        right = {}
    rows = list(map(tuple, covectors(A, within=P).tolist()))
    assert len(rows) == len(right) and set(rows) == set(right)
    counts = Counter(right.values())
    found = f_vector(A, within=P)
    assert found == tuple(counts[k] for k in range(P.dimension + 1))
    assert P.is_empty or sum((-1) ** k * f for k, f in enumerate(found)) == (-1) ** P.dimension
    for k in range(P.dimension + 1):
        blocks = list(iter_faces(A, k, within=P, block_size=3))
        listed = [tuple(row) for block in blocks for row in block.tolist()]
        assert len(listed) == counts[k] and all(right[row] == k for row in listed)


@pytest.mark.parametrize("name", NAMES)
def test_faces_cover_faces_of_one_dimension_less(name: str) -> None:
    A, P = CASES[name]
    L = face_lattice(A, within=P)
    texts = {"+": 1, "0": 0, "-": -1}
    signs = [tuple(map(texts.get, text)) for _, text in L.nodes(data="signs")]
    assert signs == list(map(tuple, covectors(A, within=P).tolist()))
    assert [k for _, k in L.nodes(data="dimension")] == [dimension_inside(A, P, s) for s in signs]
    right = {
        (i, j)
        for i, low in enumerate(signs)
        for j, high in enumerate(signs)
        if L.nodes[j]["dimension"] == L.nodes[i]["dimension"] + 1
        and all(a in (0, b) for a, b in zip(low, high, strict=True))
    }
    assert set(L.edges) == right


def test_a_lattice_has_the_names_of_all_rows() -> None:
    A = Arrangement([[1, 0], [0, 1]], labels=["vanishes", "crosses"])
    L = face_lattice(A, within=([[1, 0], [-1, 0]], [0, 0]))
    assert L.graph["names"] == ("vanishes", "crosses")
    assert sorted(text for _, text in L.nodes(data="signs")) == ["0+", "0-", "00"]


def test_euler_holds_in_large_arrangements() -> None:
    for A, P in (
        (generators.generic(40, 4, 0), Polyhedron.box(1, 2, dimension=4)),
        (generators.resonance(5), Polyhedron(-np.eye(5, dtype=int), [1] * 5)),
        (generators.semiorder(5), Polyhedron.box(-1, 2, dimension=5)),
        (generators.braid(6), Polyhedron.simplex(6)),
    ):
        f = f_vector(A, within=P)
        assert f[-1] == len(chambers(A, within=P)) > 1
        assert sum((-1) ** k * x for k, x in enumerate(f)) == (-1) ** P.dimension
    with pytest.raises(InputError, match="within was given with SignVectors"):
        f_vector(chambers([[1, 0]]), within=([[1, 0]], [1]))


# ------------------------------------------------------------------ flats


@pytest.mark.sampled(2)
@pytest.mark.parametrize("few", [0, 10**6])
@pytest.mark.parametrize("name", NAMES)
def test_flats_are_those_with_a_point_inside(
    name: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    A, P = CASES[name]
    monkeypatch.setattr(flats_inside, "_FEW_CHAMBERS", few)
    zeros = [{i for i, s in enumerate(signs) if not s} for signs in faces_inside(A, P)]
    right = [X for X in flats(A) if not P.is_empty and any(set(X) <= Z for Z in zeros)]
    found = flats(A, within=P)
    assert list(found) == right
    assert sum(found.counts) == len(found)
    some = flats(A, within=P, max_rank=1)
    assert list(some) == [X for X, k in zip(found, found.ranks, strict=True) if k <= 1]


@pytest.mark.sampled(14)
@pytest.mark.parametrize("few", [0, 10**6])
@pytest.mark.parametrize("name", NAMES)
def test_flats_that_meet_are_an_order_ideal(
    name: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    A, P = CASES[name]
    monkeypatch.setattr(flats_inside, "_FEW_CHAMBERS", few)
    found, every = intersection_poset(A, within=P), intersection_poset(A)
    number = {node["hyperplanes"]: k for k, node in every.nodes(data=True)}
    place = {k: number[node["hyperplanes"]] for k, node in found.nodes(data=True)}
    assert [node["hyperplanes"] for _, node in found.nodes(data=True)] == list(flats(A, within=P))
    for k, node in found.nodes(data=True):
        assert node == every.nodes[place[k]]
    right = every.subgraph(place.values()).edges
    assert {(place[i], place[j]) for i, j in found.edges} == set(right)
    assert all(set(every.predecessors(k)) <= set(place.values()) for k in place.values())


@pytest.mark.slow
def test_flats_of_small_rank_where_there_are_many_chambers() -> None:
    A, P = generators.generic(40, 7, 0), Polyhedron.box(1, 2, dimension=7)
    found = flats(A, within=P, max_rank=1)
    assert found.counts[1] == sum(
        point_inside(A[i : i + 1], P, [0]) is not None for i in range(A.n_hyperplanes)
    )
