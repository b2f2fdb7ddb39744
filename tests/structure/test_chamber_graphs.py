"""Graphs and properties of chambers: against the naive oracle and known graphs."""

from itertools import combinations, permutations
from math import comb
from typing import Any

import naive
import networkx as nx
import numpy as np
import pytest
from examples import EXAMPLES, Example, gaussian
from hypothesis import given
from strategies import arrangements as some_arrangement

from arrangements import Arrangement, Rankings, SignVectors, chambers, generators, rankings
from arrangements.errors import IncompleteError, InputError, TooLargeError
from arrangements.structure import (
    bounded_chambers,
    chamber_distance,
    chamber_distances,
    chamber_edges,
    chamber_graph,
    iter_chamber_edges,
    neighbors,
    poset_of_chambers,
    ranking_graph,
    simplicial_chambers,
    walls,
)

pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")

SMALL = [example for example in EXAMPLES if example.count <= 60]
# numbers of thousands of bits take seconds
BOUNDED = [e for e in EXAMPLES if e.count <= 150 and "1e-300" not in e.name]
SEMIORDER = np.tile(generators.braid(3), (2, 1)), [1, 1, 1, -1, -1, -1]


def listed(example: Example) -> SignVectors:
    return chambers(*example.arguments)


def classes(example: Example) -> list[tuple[int, ...]]:
    """Hyperplanes that coincide, from the naive flats of rank one."""
    highest = example.dimension - 1
    return sorted(flat for flat, dimension in example.flats.items() if dimension == highest)


def naive_edges(signs: np.ndarray, groups: list[tuple[int, ...]]) -> set[tuple[int, int, int]]:
    """Pairs of rows that differ in exactly one group: (+ side, - side, first of the group)."""
    found = set()
    for i, j in combinations(range(len(signs)), 2):
        differing = tuple(np.flatnonzero(signs[i] != signs[j]).tolist())
        if differing in groups:
            lead = differing[0]
            found.add((i, j, lead) if signs[i, lead] > 0 else (j, i, lead))
    return found


def as_triples(edges: np.ndarray, labels: np.ndarray) -> set[tuple[int, int, int]]:
    assert edges.dtype == labels.dtype == np.int64
    found = [(u, v, h) for (u, v), h in zip(edges.tolist(), labels.tolist(), strict=True)]
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_edges_equal_naive(example: Example) -> None:
    S = listed(example)
    signs = S.to_array()
    expected = naive_edges(signs, classes(example))
    assert as_triples(*chamber_edges(S)) == expected
    loose = SignVectors.from_array(signs)
    assert as_triples(*chamber_edges(loose)) == naive_edges(loose.to_array(), classes(example))


@given(some_arrangement())
def test_edges_of_random_arrangements(given_rows: Any) -> None:
    W, b = given_rows
    example = Example("random", W, b)
    S = listed(example)
    assert as_triples(*chamber_edges(S)) == naive_edges(S.to_array(), classes(example))


def test_edges_among_some_chambers() -> None:
    W = generators.type_b(3).normals
    S = chambers(W, prune=lambda signs: (signs > 0).sum(axis=1) <= 5)
    assert 0 < len(S) < 48
    groups = [(i,) for i in range(len(W))]
    assert as_triples(*chamber_edges(S)) == naive_edges(S.to_array(), groups)
    with pytest.raises(IncompleteError, match="all are needed"):
        walls(S)


def test_turned_rows_keep_their_numbers() -> None:
    S = chambers(generators.resonance(3))
    turned = S.packed.copy()
    turned[::3] ^= np.uint64(2**7 - 1)
    T = SignVectors(turned, 7, half=True, arrangement=S.arrangement)
    assert as_triples(*chamber_edges(T)) == naive_edges(T.to_array(), [(i,) for i in range(7)])


def test_blocks_make_the_edges() -> None:
    S = chambers(generators.type_b(4))
    blocks = list(iter_chamber_edges(S, block_size=17))
    assert len(blocks) == -(-192 // 17)
    together = as_triples(*map(np.concatenate, zip(*blocks, strict=True)))
    assert together == as_triples(*chamber_edges(S))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "d"), [(63, 3), (64, 3), (65, 3), (130, 2)])
@pytest.mark.parametrize("affine", [False, True])
def test_generic_numbers_of_edges(n: int, d: int, affine: bool) -> None:
    b = gaussian(n, 1, n)[:, 0] if affine else None
    edges, labels = chamber_edges(gaussian(n, d, n), b)
    facets = naive.generic_count(n - 1, d - 1, affine=affine)
    assert np.bincount(labels).tolist() == [facets] * n
    assert len(np.unique(np.sort(edges, axis=1), axis=0)) == n * facets


@pytest.mark.sampled(20)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_graph_is_bipartite_and_its_distance_counts_hyperplanes(example: Example) -> None:
    S = listed(example)
    G = chamber_graph(S)
    signs = S.to_array()
    for k, packed in G.nodes(data="signs"):
        assert [1 if packed >> i & 1 else -1 for i in range(S.n)] == signs[k].tolist()
    assert nx.is_connected(G) and nx.is_bipartite(G)
    assert as_triples(*chamber_edges(S)) == {
        (u, v, h) if signs[u, h] > 0 else (v, u, h) for u, v, h in G.edges(data="hyperplane")
    }
    for base in {0, len(S) // 2, len(S) - 1}:
        lengths = nx.single_source_shortest_path_length(G, base)
        expected = [lengths[k] for k in range(len(S))]
        assert chamber_distances(S, base).tolist() == expected
        A = Arrangement(*example.arguments)
        assert [chamber_distance(A, signs[base], other) for other in signs] == expected


def test_graph_of_braid_is_the_permutohedron() -> None:
    G, H = chamber_graph(generators.braid(4)), ranking_graph(np.eye(4))
    assert nx.is_isomorphic(G, H)
    orders = dict(H.nodes(data="order"))
    assert sorted(orders.values()) == sorted(permutations(range(4)))
    for u, v, pairs in H.edges(data="pairs"):
        (i, j), where = pairs[0], [k for k in range(4) if orders[u][k] != orders[v][k]]
        assert len(pairs) == 1 and len(where) == 2 and where[1] == where[0] + 1
        assert {orders[u][k] for k in where} == {i, j}
    assert H.number_of_edges() == 24 * 3 // 2


@pytest.mark.parametrize(("n", "d", "affine"), [(6, 3, False), (5, 2, True), (7, 2, False)])
def test_ranking_graph_of_generic_labels(n: int, d: int, affine: bool) -> None:
    b = gaussian(n, 1, 3)[:, 0] if affine else None
    R = rankings(gaussian(n, d, n), b)
    G = ranking_graph(R)
    numbers = {tuple(order): k for k, order in enumerate(R.to_array().tolist())}
    assert {tuple(order): k for k, order in G.nodes(data="order")} == numbers
    swaps = [
        (order, (*order[:r], order[r + 1], order[r], *order[r + 2 :]))
        for order in numbers
        for r in range(n - 1)
    ]
    expected = {frozenset((numbers[a], numbers[b])) for a, b in swaps if b in numbers}
    assert {frozenset(edge) for edge in G.edges} == expected


def test_ranking_graph_of_labels_on_a_line() -> None:
    G = ranking_graph([[0, 0], [1, 1], [2, 2]])
    ((_, _, pairs),) = G.edges(data="pairs")
    assert len(G) == 2 and pairs == ((0, 1), (0, 2), (1, 2))


@pytest.mark.sampled(11)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_walls_and_neighbors(example: Example) -> None:
    S = listed(example)
    signs, found = S.to_array(), walls(S)
    faces = set(example.faces)
    groups = classes(example)
    for k, row in enumerate(signs):
        behind, leads = [], []
        for group in groups:
            flat, flipped = row.copy(), row.copy()
            flat[list(group)], flipped[list(group)] = 0, -row[list(group)]
            is_wall = tuple(flat.tolist()) in faces
            assert found[k, list(group)].tolist() == [is_wall] * len(group)
            if is_wall:
                behind.append(flipped.tolist())
                leads.append(group[0])
        assert found[k].sum() == sum(len(g) for g in groups if g[0] in leads)
        numbers, hyperplanes = neighbors(S, k)
        assert signs[numbers].reshape(-1, S.n).tolist() == behind
        assert hyperplanes.tolist() == leads


@pytest.mark.sampled(8)
@pytest.mark.parametrize("example", BOUNDED, ids=repr)
def test_bounded_chambers(example: Example) -> None:
    S = listed(example)
    found = S.to_array()[bounded_chambers(S)]
    assert {tuple(row) for row in found.tolist()} == naive.bounded(*example.arguments)


@pytest.mark.parametrize(
    ("W", "b", "count"),
    [
        (*SEMIORDER, 7),
        (np.tile(generators.braid(4), (2, 1)), [0] * 6 + [-1] * 6, 27),  # Shi: (n-1)^(n-1)
        (gaussian(20, 3, 1), gaussian(20, 1, 2)[:, 0], comb(19, 3)),
        (np.zeros((0, 2)), None, 1),
        ([[0, 0], [0, 0]], [1, -2], 1),
        (generators.braid(3), None, 0),
    ],
)
def test_known_numbers_of_bounded_chambers(W: Any, b: Any, count: int) -> None:
    assert bounded_chambers(Arrangement(W, b)).sum() == count


@pytest.mark.parametrize(
    "W", [generators.braid(4), generators.type_b(3), generators.resonance(3), gaussian(7, 3, 0)]
)
def test_simplicial_chambers_have_as_many_rays_as_the_rank(W: Any) -> None:
    S = chambers(W)
    dimensions = naive.covectors(np.asarray(W))
    lowest = min(dimensions.values())
    edges = np.array([signs for signs, k in dimensions.items() if k == lowest + 1])
    rank = S.arrangement.rank if S.arrangement else 0
    for row, simplicial in zip(S.to_array(), simplicial_chambers(S), strict=True):
        corners = ((edges == 0) | (edges == row)).all(axis=1).sum()
        assert simplicial == (corners == rank)


def test_simplices_among_affine_chambers() -> None:
    W, b = [[1, 0], [0, 1], [1, 0], [1, 1]], [0, 0, -1, -3]
    S = chambers(W, b)
    found = {
        "".join("-+"[int(s > 0)] for s in signs)
        for signs, simplicial in zip(S, simplicial_chambers(S), strict=True)
        if simplicial
    }
    # cones at (0, 0), (0, 3) and (3, 0), and the triangle (1, 0), (3, 0), (1, 2)
    assert found == {"----", "-+-+", "+-++", "+++-"}


@pytest.mark.sampled(20)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_poset_of_chambers(example: Example) -> None:
    S = listed(example)
    signs = S.to_array()
    groups = classes(example)
    P = poset_of_chambers(S, signs[-1])
    apart = [{g for g in groups if row[g[0]] != signs[-1][g[0]]} for row in signs]
    assert [rank for _, rank in P.nodes(data="rank")] == list(map(len, apart))
    expected = {
        (i, j)
        for i in range(len(S))
        for j in range(len(S))
        if len(apart[j]) == len(apart[i]) + 1 and apart[i] < apart[j]
    }
    assert set(P.edges) == expected
    assert [k for k in P if not P.in_degree(k)] == [len(S) - 1]


def test_no_hyperplanes() -> None:
    A = Arrangement(np.zeros((0, 3)))
    assert chamber_edges(A)[0].shape == (0, 2) and list(iter_chamber_edges(A)) == []
    assert dict(chamber_graph(A).nodes(data="signs")) == {0: 0}
    assert walls(A).shape == (1, 0) and neighbors(A, 0)[0].shape == (0,)
    assert simplicial_chambers(A).tolist() == [True]
    assert len(poset_of_chambers(A, 0)) == 1 and chamber_distance(A, "", "") == 0


def test_refusals() -> None:
    W = generators.resonance(3).normals
    with pytest.raises(IncompleteError, match="cut short"):
        chamber_graph(chambers(W, limit=3))
    with pytest.raises(IncompleteError, match="cut short"):
        ranking_graph(rankings(np.eye(3), limit=2))
    with pytest.raises(InputError, match="are already listed"):
        ranking_graph(Rankings.from_array([[0, 1]]), [0, 1])
    with pytest.raises(InputError, match="chamber 32 of 32"):
        poset_of_chambers(W, 32)
    with pytest.raises(InputError, match="is not in"):
        poset_of_chambers([[1, 0], [0, 1], [1, 1]], "++-")
    with pytest.raises(InputError, match="belong to no arrangement"):
        bounded_chambers(SignVectors.from_array(["+", "-"]))
    with pytest.raises(InputError, match="second has a zero"):
        chamber_distance(W, "+" * 7, "0" + "+" * 6)
    with pytest.raises(InputError, match="block_size"):
        iter_chamber_edges(W, block_size=0)


def test_answers_have_fields() -> None:
    found = neighbors([[1, 0], [0, 1]], 0)
    assert found.numbers is found[0] and found.hyperplanes is found[1]
    assert chamber_edges([[1, 0], [0, 1]]).edges.shape == (4, 2)
    (block,) = iter_chamber_edges([[1, 0], [0, 1]])
    assert block.hyperplanes.tolist() == chamber_edges([[1, 0], [0, 1]]).hyperplanes.tolist()


@pytest.mark.parametrize("listed", [False, True])
def test_graphs_that_take_too_much_are_refused(listed: bool) -> None:
    W = generators.generic(8, 3, 0)  # 58 chambers of 2500 bytes
    asked = chambers(W) if listed else W
    for graph in (
        lambda room: chamber_graph(asked, max_bytes=room),
        lambda room: poset_of_chambers(asked, 0, max_bytes=room),
    ):
        assert graph(58 * 2500 + 58 * 8).number_of_nodes() == 58
        with pytest.raises(TooLargeError, match=r"chambers: .* raise max_bytes"):
            graph(58 * 2500 - 1)
        with pytest.raises(InputError, match="max_bytes is 0"):
            graph(0)


def test_poset_chooses_a_base() -> None:
    """The first in lexicographic order, + before -; not the first that is listed."""
    for A in (generators.coxeter("B3"), generators.shi(3), generators.resonance(3)):
        S = chambers(A)
        best = max(map(tuple, S.to_array().tolist()))
        assert poset_of_chambers(S).edges == poset_of_chambers(S, list(best)).edges
        assert poset_of_chambers(A).number_of_edges() == chamber_graph(A).number_of_edges()
    assert len(poset_of_chambers(Arrangement(np.zeros((0, 3))))) == 1
