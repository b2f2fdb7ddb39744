"""Numbers of the graph of chambers without the graph, and centers."""

import networkx as nx
import pytest

from arrangements import Arrangement, chambers, generators
from arrangements.errors import InputError
from arrangements.structure import (
    center,
    chamber_degrees,
    chamber_diameter,
    chamber_graph,
    count_monotone_paths,
    distance_enumerator,
    has_common_point,
    poset_of_chambers,
)

SMALL = {
    "shi(3)": generators.shi(3),
    "resonance(3)": generators.resonance(3),
    "braid(4)": generators.braid(4),
    "coinciding": Arrangement([[1, 0], [0, 1], [-2, 0], [0, 0]], [1, 0, -2, 5]),
    "no rows": Arrangement([[1, 2]])[:0],
}


@pytest.mark.parametrize("name", SMALL)
def test_the_graph_agrees(name: str) -> None:
    A = SMALL[name]
    S = chambers(A)
    G = chamber_graph(S)
    assert chamber_degrees(S).tolist() == [G.degree[i] for i in range(len(S))]
    assert chamber_diameter(A) == nx.diameter(G)
    poset = poset_of_chambers(S)
    ranks = [rank for _, rank in poset.nodes(data="rank")]
    counts = [ranks.count(k) for k in range(max(ranks), -1, -1)]
    assert distance_enumerator(S).all_coeffs() == counts
    if A.is_central:
        start, end = ranks.index(0), ranks.index(max(ranks))
        paths = nx.all_shortest_paths(G, start, end)
        assert count_monotone_paths(A, S[start]) == sum(1 for _ in paths)


def test_reduced_words_of_the_longest_element() -> None:
    """Stanley, European J. Combin. 5 (1984); Haiman for type B: standard shifted tableaux."""
    assert [count_monotone_paths(generators.braid(n)) for n in (2, 3, 4, 5)] == [1, 2, 16, 768]
    assert [count_monotone_paths(generators.type_b(n)) for n in (2, 3)] == [2, 42]


def test_centers() -> None:
    A = Arrangement([[1, 0, 0], [0, 1, 0], [1, 1, 0]], [-1, -2, -3])
    line = center(A)
    assert has_common_point(A) and line([7]) == (1, 2, 7)
    for B in (generators.shi(3), Arrangement([[1], [0]], [0, 1])):
        assert not has_common_point(B) and center(B) is None
    assert center(Arrangement([[1, 2]])[:0])([3, 4]) == (3, 4)


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="expected a central one"):
        count_monotone_paths(generators.shi(3))
    with pytest.raises(InputError, match="chamber 24 of 24"):
        distance_enumerator(generators.braid(4), 24)
