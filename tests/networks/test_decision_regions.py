"""Decision regions against all regions in Fractions: classes, volumes, connected parts."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from naive_networks import evaluate, functions, is_feasible, patterns_in_box, plain
from network_examples import KINDS, random_network

from arrangements import ArrangementError, Polyhedron
from arrangements.errors import IncompleteError
from arrangements.networks import (
    Layer,
    Network,
    can_output,
    decision_regions,
    iter_decision_regions,
    region_at,
)

SQUARE = Polyhedron.box(-2, 2, dimension=2)
ONE = Fraction(1)


def several_outputs(kind: str, seed: int, n: int, d: int) -> Network:
    """A small random network with n outputs."""
    rng = np.random.default_rng(seed)
    network = random_network(kind, rng, d, [4, 3])
    last = rng.integers(-2, 3, (n, network.layers[-2].n_outputs)).tolist()
    return Network([*network.layers[:-1], Layer(last, rng.integers(-1, 2, n))])


def winners(outputs: Any) -> tuple[int, ...]:
    """The outputs that are the largest; of a single one, its sign."""
    outputs = [Fraction(0), *outputs] if len(outputs) == 1 else outputs
    return tuple(k for k, y in enumerate(outputs) if y == max(outputs))


def naive_pieces(network: Network, low: int, high: int) -> set[tuple[Any, ...]]:
    """Pattern and labels of all pieces in a box, by elimination."""
    exact, d = plain(network), network.dimension
    found = set()
    for pattern in patterns_in_box(exact, low, high, d):
        units, outputs = functions(exact, pattern, d)
        rows = [tuple(s * x for x in row) for row, s in zip(units, pattern, strict=True) if s]
        for i, (sign, side) in product(range(d), ((1, -low), (-1, high))):
            rows.append((*(ONE * sign * (i == j) for j in range(d)), ONE * side))
        if len(outputs) == 1:
            outputs = [(Fraction(0),) * (d + 1), *outputs]
        for own in outputs:
            margins = [tuple(a - b for a, b in zip(own, row, strict=True)) for row in outputs]
            if is_feasible([*rows, *(row for row in margins if any(row))]):
                found.add((*pattern, tuple(j for j, row in enumerate(margins) if not any(row))))
    return found


def as_set(found: Any) -> list[tuple[Any, ...]]:
    return [(*piece.region.pattern.tolist(), piece.labels) for piece in found]


def key(labels: tuple[int, ...]) -> Any:
    return labels[0] if len(labels) == 1 else labels


# ------------------------------------------------------------------ all pieces


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_pieces_and_shares(kind: str, seed: int) -> None:
    d, n = 1 + seed % 2, (1, 2, 4)[seed % 3]
    network = several_outputs(kind, seed, n, d)
    box = Polyhedron.box(-2, 2, dimension=d)
    found = decision_regions(network, within=box)
    listed = as_set(found)
    assert len(set(listed)) == len(listed) and set(listed) == naive_pieces(network, -2, 2)
    assert found.classes == tuple(found.shares) == tuple(found.components)
    volumes: Counter[Any] = Counter()
    for piece in found:
        volumes[key(piece.labels)] += piece.polyhedron.volume
        assert piece.polyhedron.contains(piece.point, interior=True)
        assert winners(evaluate(plain(network), piece.point)[1]) == piece.labels
        assert region_at(network, piece.point) == piece.region
        assert piece.label == (piece.labels[0] if len(piece.labels) == 1 else None)
    assert {k: v / box.volume for k, v in volumes.items()} == found.shares
    assert sum(found.shares.values()) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_points_of_a_grid(kind: str, seed: int) -> None:
    network = several_outputs(kind, seed, 3, 2)
    pieces = list(decision_regions(network, within=SQUARE))
    exact = plain(network)
    for x in product([Fraction(k, 3) for k in range(-6, 7, 3)], repeat=2):
        best = winners(evaluate(exact, x)[1])
        there = [piece for piece in pieces if piece.polyhedron.contains(x)]
        assert there and all(set(piece.labels) <= set(best) for piece in there)
        inside = [piece for piece in there if piece.polyhedron.contains(x, interior=True)]
        assert all(piece.labels == best for piece in inside) and len(inside) <= 1


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_classes_are_those_that_can_be(kind: str, seed: int) -> None:
    network = several_outputs(kind, seed, 3, 2)
    found = decision_regions(network, within=SQUARE)
    for k in range(3):
        assert (k in found.classes) == can_output(network, k, within=SQUARE).feasible
        assert len(found.pieces(k)) == (found.labels == k).sum()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_connected_parts(kind: str, seed: int) -> None:
    network = several_outputs(kind, seed, 3, 2)
    found = decision_regions(network, within=SQUARE)
    graph: Any = nx.Graph()
    pieces = list(found)
    graph.add_nodes_from(range(len(pieces)))
    for i, j in combinations(range(len(pieces)), 2):
        if pieces[i].labels == pieces[j].labels:
            both = pieces[i].polyhedron & pieces[j].polyhedron
            if not both.is_empty and both.dimension == 1:
                graph.add_edge(i, j)
    parts = Counter(key(pieces[min(part)].labels) for part in nx.connected_components(graph))
    assert parts == found.components


@pytest.mark.sampled(1)
@pytest.mark.parametrize("d", [3, 4, 5])
def test_more_dimensions(d: int) -> None:
    network = (
        several_outputs("integer", d, 3, d)
        if d < 5
        else Network(
            [(np.eye(5, dtype=int)[:3], [0, 0, 1]), (np.arange(9).reshape(3, 3) - 4, [1, 0, 0])]
        )
    )
    box = Polyhedron.box(-1, 1, dimension=d)
    found = decision_regions(network, within=box)
    volumes: Counter[Any] = Counter()
    for piece in found:
        volumes[key(piece.labels)] += piece.polyhedron.volume
    assert {k: v / box.volume for k, v in volumes.items()} == found.shares
    assert len(found.classes) > 1 and max(found.components.values()) >= 1


# ------------------------------------------------------------------ polyhedra


def test_a_flat_polyhedron_is_a_slice() -> None:
    rng = np.random.default_rng(3)
    network = Network(
        [(rng.normal(size=(7, 5)), rng.normal(size=7)), (rng.normal(size=(4, 7)), None)]
    )
    corners = rng.integers(-3, 4, (3, 5))
    triangle = Polyhedron.hull(corners)
    flat = decision_regions(network, within=triangle)
    plane = network.slice(corners)
    own = decision_regions(plane.network, within=Polyhedron.hull([[0, 0], [1, 0], [0, 1]]))
    assert flat.shares == own.shares and flat.components == own.components
    assert sorted(as_set(flat)) == sorted(as_set(own)) and len(flat) > 5
    point = decision_regions(network, within=Polyhedron.box([0.5] * 5, [0.5] * 5))
    (label,) = winners(network.forward([0.5] * 5))
    assert point.shares == {label: 1} and point.components == {label: 1} and len(point) == 1


def test_without_a_bound_there_are_pieces() -> None:
    network = several_outputs("integer", 1, 3, 2)
    for within in None, Polyhedron([[1, 1]], [1]):
        found = decision_regions(network, within=within)
        assert len(found) and {"share"}.isdisjoint(found.table()[0])
        for piece in found:
            assert winners(network.forward(piece.point)) == piece.labels
            assert piece.polyhedron.contains(piece.point)
        with pytest.raises(ArrangementError, match="not bounded; shares need a bounded polyhedron"):
            _ = found.shares
    nothing = decision_regions(network, within=Polyhedron([[1, 0], [-1, 0]], [0, -1]))
    assert (len(nothing), nothing.shares, nothing.classes) == (0, {}, ())
    assert repr(nothing) == "DecisionRegions(0 pieces, complete)"


def test_many_inputs() -> None:
    rng = np.random.default_rng(0)
    network = Network(
        [(rng.integers(-2, 3, (3, 8)), [1, 0, -1]), (rng.integers(-2, 3, (3, 3)), None)]
    )
    box = Polyhedron.box(-1, 1, dimension=8)
    found = decision_regions(network, within=box)
    listed = as_set(found)
    assert len(set(listed)) == len(listed)
    for piece in found:
        assert winners(network.forward(piece.point)) == piece.labels
    assert {k for k in range(3) if can_output(network, k, within=box)} == {
        k for k in found.classes if isinstance(k, int)
    }
    with pytest.raises(ArrangementError, match="a share expects units, and at most 6 inputs"):
        _ = found.shares
    assert found.table() == [
        {"label": k, "pieces": sum(key(p.labels) == k for p in found)} for k in found.classes
    ]


# ------------------------------------------------------------------ ties, blocks, limits


def test_ties() -> None:
    both = Network([([[1, 0], [0, 1]], None), ([[1, 0], [0, 1], [0, 0]], None)])
    found = decision_regions(both, within=SQUARE)
    assert found.classes == (0, 1, (0, 1, 2))
    assert {k: str(x) for k, x in found.shares.items()} == {0: "3/8", 1: "3/8", (0, 1, 2): "1/4"}
    assert (found.labels < 0).sum() == 1
    assert found.components == {0: 1, 1: 1, (0, 1, 2): 1}
    assert {piece.rivals for piece in found.pieces(0)} == {(1,), (1, 2)}
    twice = Network([([[1], [1]], None)])  # equal everywhere
    assert decision_regions(twice, within=Polyhedron.box(0, 1, dimension=1)).shares == {(0, 1): 1}


def test_a_tie_on_a_wall_does_not_part() -> None:
    valley = Network([([[1], [-1]], None), ([[1, 1], [0, 0]], None)])  # |x| and 0
    found = decision_regions(valley, within=Polyhedron.box(-1, 1, dimension=1))
    assert found.components == {0: 1} and found.shares == {0: 1} and len(found) == 2


@pytest.mark.slow
def test_threads_and_blocks_find_the_same() -> None:
    rng = np.random.default_rng(0)
    sizes = ((2, 30), (30, 30), (30, 5))
    network = Network([(rng.normal(size=(n, m)), rng.normal(size=n)) for m, n in sizes])
    box = Polyhedron.box(-2, 2, dimension=2)
    found = decision_regions(network, within=box)
    listed = sorted(as_set(found))
    assert len(listed) > 500 and len(set(listed)) == len(listed)
    assert sorted(as_set(decision_regions(network, within=box, workers=2))) == listed
    blocks = list(iter_decision_regions(network, within=box))
    assert sorted(row for block in blocks for row in as_set(block)) == listed
    with pytest.raises(IncompleteError, match="decision_regions without limit has shares"):
        _ = blocks[0].shares
    some = decision_regions(network, within=box, limit=7)
    assert len(some) == 7 and not some.complete and set(as_set(some)) < set(listed)
    with pytest.raises(IncompleteError):
        _ = some.shares
    assert decision_regions(network, within=box, limit=len(listed)).complete
    assert not decision_regions(network, within=box, time_limit=0).complete
    with pytest.raises(ArrangementError, match="Stream them with iter_decision_regions"):
        decision_regions(network, within=box, max_bytes=100)
    assert sum(found.shares.values()) == 1
    sample = rng.uniform(-2, 2, (20_000, 2))
    about = np.bincount(network.float_forward(sample).argmax(axis=1), minlength=5) / 20_000
    for k in range(5):
        assert abs(about[k] - found.shares.get(k, 0)) < 0.02


def test_as_an_object() -> None:
    network = Network([([[1], [-1]], None), ([[1, 0], [0, 1]], None)])
    found = network.decision_regions(within=Polyhedron.box(-1, 2, dimension=1))
    assert repr(found) == "DecisionRegions(2 pieces, labels 0, 1, complete)"
    assert "share" not in found._repr_html_()
    assert found.shares[0] == Fraction(2, 3) and "<td>2/3</td>" in found._repr_html_()
    assert repr(found.pieces(0)[0]) == (
        "DecisionRegion(label 0, a part of a region of 2 units in dimension 1)"
    )
    assert "rivals: 1" in found[0]._repr_html_() and len(found[:1]) == 1
    assert found[-1].labels == found[1].labels and found.within is not None
    with pytest.raises(IndexError):
        found[2]
    with pytest.raises(ArrangementError, match="label is 2; expected the number of one of 2"):
        found.pieces(2)
