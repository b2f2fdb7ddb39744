"""Segments, graphs, units, bounds and folds, against the regions themselves."""

from fractions import Fraction
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from naive_networks import evaluate, functions, plain
from network_examples import KINDS, random_network

from arrangements import ArrangementError, Polyhedron
from arrangements.networks import (
    Layer,
    Network,
    dual_graph,
    fold_regions,
    path,
    region_bounds,
    regions,
    unit_states,
)

TENT = Network([([[2], [4]], [0, -2]), ([[2, -2], [4, -4]], [0, -2]), ([[1, -1]], [0])])
SQUARE = Polyhedron.box(-2, 2, dimension=2)


def ones(*widths: int) -> Network:
    """A network of these widths, the first of which is the number of inputs."""
    return Network([(np.ones((n, m)), None) for m, n in zip(widths, widths[1:], strict=False)])


# ------------------------------------------------------------------ segments


@pytest.mark.sampled(24)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_path(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    network = random_network(kind, rng, d, [4, 3])
    exact = plain(network)
    x, y = ([Fraction(int(n), 5) for n in rng.integers(-20, 21, d)] for _ in range(2))
    if x == y:
        return
    found = path(network, x, y)
    assert found.points[0] == tuple(x) and found.points[-1] == tuple(y)
    assert found.times[0] == 0 and found.times[-1] == 1
    assert sorted(set(found.times)) == list(found.times)
    for k, pattern in enumerate(found.patterns.tolist()):
        for share in (Fraction(1, 2), Fraction(1, 97), Fraction(96, 97)):
            p, q = found.points[k : k + 2]
            inside = [a + share * (b - a) for a, b in zip(p, q, strict=True)]
            assert evaluate(exact, inside)[0] == pattern
        region = found.regions[k]
        if region is None:
            assert 0 in pattern
            continue
        assert region.pattern.tolist() == pattern
        M, v = region.affine_map
        for end in p, q:
            assert network.forward(end) == tuple(M @ np.array(end, object) + v)
    for point in found.points[1:-1]:
        assert 0 in evaluate(exact, point)[0]


def test_a_path_between_regions() -> None:
    network = Network([([[1, 0], [0, 1]], None), ([[1, 1]], None)])
    found = path(network, [0, -1], [0, 1])
    assert found.regions == (None, None) and found.patterns.tolist() == [[0, -1], [0, 1]]
    dead = Network([([[1, 0], [0, 0]], None), ([[1, 1]], None)])
    (region,) = path(dead, [1, -1], [1, 1]).regions
    assert region is not None and region.pattern.tolist() == [1, 0]
    assert path(ones(1, 1), [0], [1]).patterns.shape == (1, 0)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1], [1], "x and y are the same point"),
        ([1, 2], [1], "x has 2 entries; expected 1"),
        ([1], [np.nan], "y, entry 0, is nan"),
    ],
)
def test_malformed_ends(x: Any, y: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        path(TENT, x, y)


# ------------------------------------------------------------------ graphs


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_dual_graph(kind: str) -> None:
    """Neighbors are the regions that share a face of dimension d - 1."""
    network = random_network(kind, np.random.default_rng(len(kind)), 2, [3, 2])
    G = dual_graph(network, within=SQUARE)
    found = G.graph["regions"]
    assert nx.is_connected(G) and len(G) == len(found)
    polygons = [region.polyhedron for region in found]
    for i, j in product(range(len(found)), repeat=2):
        if i < j:
            assert G.has_edge(i, j) == ((polygons[i] & polygons[j]).dimension == 1)
    assert sum(polygon.volume for polygon in polygons) == 16
    assert [G.nodes[i]["pattern"] for i in G] == [tuple(r.pattern.tolist()) for r in found]


def test_edges_have_the_units_of_walls() -> None:
    G = dual_graph(TENT)
    assert sorted(d for _, d in G.degree) == [1, 1, 2, 2, 2, 2]
    assert all(units for _, _, units in G.edges(data="units"))
    assert len(dual_graph(TENT, within=([[0]], [-1]))) == 0


# ------------------------------------------------------------------ units


@pytest.mark.sampled(17)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_unit_states(kind: str, seed: int) -> None:
    network = random_network(kind, np.random.default_rng(seed), 2, [4, 3])
    exact, found = plain(network), unit_states(network, within=SQUARE)
    patterns = regions(network, within=SQUARE).to_array()
    assert found.dead == tuple(np.flatnonzero((patterns <= 0).all(axis=0)))
    assert found.always_on == tuple(np.flatnonzero((patterns > 0).all(axis=0)))
    assert found.counts == (len(np.unique(patterns[:, :4], axis=0)), len(patterns))
    slopes = [s for _, _, slopes, _ in exact if slopes is not None for s in slopes]
    outputs = [
        [
            row if sign > 0 else tuple(slope * x for x in row)
            for row, sign, slope in zip(functions(exact, p, 2)[0], p, slopes, strict=True)
        ]
        for p in patterns.tolist()
    ]
    columns = list(zip(*outputs, strict=True))
    groups: dict[Any, list[int]] = {}
    for i, column in enumerate(columns):
        groups.setdefault((network.units[i][0], column), []).append(i)
    assert sorted(found.equal) == sorted(tuple(g) for g in groups.values() if len(g) > 1)


def test_units_of_nothing() -> None:
    found = unit_states(TENT, within=([[0]], [-1]))
    assert found.dead == found.always_on == (0, 1, 2, 3) and found.counts == (0, 0)
    assert unit_states(ones(2, 1)) == ((), (), (), ())


# ------------------------------------------------------------------ bounds


def test_bounds() -> None:
    """The example of Serra et al., section 3, and one layer, for which all are Zaslavsky's."""
    assert region_bounds(ones(3, 5, 1)) == ((26,), (26,), (26,))
    assert region_bounds(TENT) == ((3, 6), (3, 9), (3, 9))
    assert region_bounds(ones(2, 1, 3, 1)).reached is None
    assert region_bounds(ones(2, 1)) == ((), (), ())
    leaky = Network([([[1, 2]], None), ([[1]], None)], slope=0.1)
    assert region_bounds(leaky) == (None, None, (2,))
    skip = Network([([[1], [2]], None), Layer([[1]], inputs=["x"]), ([[1]], None)])
    assert region_bounds(skip) == (None, None, (3, 6))


def test_serra_by_its_formula() -> None:
    d, widths = 3, (4, 3, 5)
    total = 0
    from math import comb

    for js in product(*(range(n + 1) for n in widths)):
        room, value = d, 1
        for j, n in zip(js, widths, strict=True):
            value *= comb(n, j) if j <= min(room, n) else 0
            room = min(room, n - j)
        total += value
    bounds = region_bounds(ones(d, *widths, 1))
    assert bounds.serra is not None and bounds.serra[-1] == total


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", ["generic", "integer", "zero_bias", "leaky", "skip"])
@pytest.mark.parametrize("seed", range(3))
def test_counts_keep_the_bounds(kind: str, seed: int) -> None:
    network = random_network(kind, np.random.default_rng(seed), 2, [4, 3, 3])
    counts, bounds = unit_states(network).counts, region_bounds(network)
    assert all(a <= b for a, b in zip(counts, bounds.montufar, strict=True))
    assert all(a <= b for a, b in zip(counts, bounds.serra or counts, strict=True))


# ------------------------------------------------------------------ folds


def test_fold() -> None:
    network = random_network("generic", np.random.default_rng(1), 2, [5, 5])
    patterns = regions(network).to_array()
    found = fold_regions(network, lambda block: (block.to_array() > 0).sum(axis=0))
    assert found.tolist() == (patterns > 0).sum(axis=0).tolist()
    assert fold_regions(network, len) == len(patterns) == network.fold_regions(len)
    most = fold_regions(network, lambda block: (block.to_array() > 0).sum(axis=1).max(), max)
    assert most == (patterns > 0).sum(axis=1).max()
    with pytest.raises(ArrangementError, match="within has no region"):
        fold_regions(TENT, len, within=([[0]], [-1]))
    with pytest.raises(ArrangementError, match="step is 'on'; expected a function"):
        fold_regions(TENT, "on")  # type: ignore[arg-type]
