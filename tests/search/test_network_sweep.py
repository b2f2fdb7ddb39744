"""Regions of networks against Fractions, one layer against chambers, limits of the work space."""

from fractions import Fraction

import numpy as np
import pytest
from kernels.networks.small_networks import KINDS, box, evaluate, network, regions, sweep_layers

from arrangements.kernels.networks import workspace as registers
from arrangements.search import network_path, network_sweep
from arrangements.search.network_path import Polytope
from arrangements.search.network_sweep import NetworkSweep
from arrangements.search.network_tables import SweepLayer
from arrangements.search.parts import WHOLE

MOST = {1: 9, 2: 8, 3: 6, 4: 5, 5: 4, 6: 2}


def listed(sweep, rows=7, outputs=False):
    """Patterns, exact points and rows of outputs."""
    patterns, points, maps = [], [], []
    for block in sweep.blocks(rows, outputs):
        assert len(block.patterns) == len(block.points) == len(block.outputs) <= rows
        patterns += map(tuple, block.patterns.tolist())
        points += [
            block.exact.get(k, tuple(map(float, x))) for k, x in enumerate(block.points.tolist())
        ]
        maps += block.outputs.tolist()
    return patterns, points, maps


def check_patterns(layers, polytope):
    sweep = NetworkSweep(sweep_layers(layers), polytope)
    patterns, points, _ = listed(sweep)
    assert sorted(patterns) == sorted(pattern for pattern, _ in regions(layers, polytope))
    for pattern, point in zip(patterns, points, strict=True):
        assert evaluate(layers, point) == pattern


def check(layers, polytope):
    sweep = NetworkSweep(sweep_layers(layers), polytope)
    patterns, points, maps = listed(sweep, outputs=True)
    wanted = dict(regions(layers, polytope))
    assert len(set(patterns)) == len(patterns) == len(wanted) and set(patterns) == set(wanted)
    assert sum(sweep.counts()) == len(wanted)
    for pattern, point, rows in zip(patterns, points, maps, strict=True):
        assert evaluate(layers, point) == pattern
        for row in polytope.facets:
            assert sum(a * Fraction(x) for a, x in zip(row, [*point, 1], strict=True)) > 0
        exact = np.array(wanted[pattern], float)
        np.testing.assert_allclose(rows, exact, rtol=1e-9, atol=1e-9 * (1 + abs(exact).max()))
    return sweep


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "d", [d if d < 5 else pytest.param(d, marks=pytest.mark.slow) for d in MOST]
)
def test_small_networks(kind, d):
    rng = np.random.default_rng([d, KINDS.index(kind)])
    for _ in range([0, 6, 4, 2, 1, 1, 1][d]):
        widths = rng.integers(2, MOST[d] + 1, int(rng.integers(1, 4 if d < 4 else 3))).tolist()
        check(network(kind, [d, *widths, 2], rng), box(d))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", MOST)
def test_many_small_networks(kind, d):
    rng = np.random.default_rng([d, KINDS.index(kind), 1])
    for _ in range([0, 100, 100, 60, 30, 5, 2][d]):
        widths = rng.integers(2, MOST[d] + 2, int(rng.integers(1, 4))).tolist()
        check(network(kind, [d, *widths, 2], rng), box(d))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_parts(kind, d):
    """A search that is cut after any number of regions finds each region once, the same point."""
    rng = np.random.default_rng([d, KINDS.index(kind), 2])
    for enough in (1, 2, 7, 30):
        widths = [MOST[d], MOST[d] - 1]
        sweep = NetworkSweep(sweep_layers(network(kind, [d, *widths, 1], rng)), box(d))
        whole = [pattern for block in sweep.blocks(64) for pattern in map(tuple, block.patterns)]
        own, waiting, found = sweep.another(), [WHOLE], {}
        while waiting:
            part = waiting.pop(int(rng.integers(len(waiting))))
            blocks = []
            for other in (own, sweep.another()):
                other.restart(True, part=part)
                finished, block = other.fill(enough)
                rest = [] if finished else other.rest()
                blocks.append((block, rest))
            assert blocks[0][1] == blocks[1][1]
            for k in range(2):
                np.testing.assert_array_equal(blocks[0][0][k], blocks[1][0][k])
            assert len(block.patterns) <= enough
            waiting += rest
            for pattern, point in zip(map(tuple, block.patterns), block.points, strict=True):
                assert pattern not in found
                found[pattern] = point
        assert set(found) == set(whole)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "ends", [(0, 1), (Fraction(1, 3), Fraction(1, 2)), (-(2**70), 2**80), (0, 2**-90)]
)
def test_boxes_of_other_sizes(ends):
    rng = np.random.default_rng(3)
    for kind in ("normal", "integer", "no offsets"):
        for d in (1, 2, 3):
            W, b, slopes, sources = network(kind, [d, 5, 1], rng)[0]
            b = [Fraction(c) * Fraction(max(ends)) for c in b]
            layers = [(W, b, slopes, sources), *network(kind, [d, 5, 4, 1], rng)[1:]]
            check(layers, box(d, *ends))


def test_more_facets_than_bits_of_a_word():
    turns = [Fraction(k, 40) for k in range(-60, 61)]
    circle = [((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)) for t in turns]
    rows = []
    for p, q in zip(circle, circle[1:] + circle[:1], strict=True):
        a, b = q[1] - p[1], p[0] - q[0]
        row = [-a, -b, a * p[0] + b * p[1]]
        common = np.lcm.reduce([x.denominator for x in row], dtype=object)
        rows.append([int(x * common) for x in row])
    rows = [[-x for x in row] if rows[0][2] < 0 else row for row in rows]
    layers = network("normal", [2, 5, 4, 1], np.random.default_rng(0))
    check(layers, Polytope(circle, rows))


def test_a_cell_with_many_facets():
    turns = [Fraction(k, 16) for k in range(-30, 31)]
    W = [[(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)] for t in turns]
    layers = [
        (W, [Fraction(-1, 2)] * len(W), [Fraction(0)] * len(W), (-1,)),
        ([[1] * len(W)], [-1], [Fraction(0)], (0,)),
        ([[1]], [0], None, (1,)),
    ]
    sweep = NetworkSweep(sweep_layers(layers), box(2))
    patterns, points, _ = listed(sweep, 1000)
    assert all(evaluate(layers, x) == p for p, x in zip(patterns[::97], points[::97], strict=True))
    assert len(set(patterns)) == len(patterns) == sum(sweep.counts())
    assert (-1,) * len(W) + (-1,) in patterns


@pytest.mark.slow
def test_a_small_work_space(monkeypatch):
    monkeypatch.setattr(network_path, "_VERTICES", 40)
    monkeypatch.setattr(network_path, "_NODES", 1)
    monkeypatch.setattr(network_path, "_CANDIDATES", 0)
    monkeypatch.setattr(network_sweep, "_NODES_PER_CALL", 1)
    for kind in ("normal", "ternary"):
        check(network(kind, [3, 6, 5, 1], np.random.default_rng(5)), box(3))


def test_regions_without_a_float():
    # between two neighbors among the floats: x < t, t <= x <= t + 2^-80, ..
    t = Fraction(1, 3)
    steps = [t, t + Fraction(1, 2**80), t + Fraction(1, 2**79)]
    layers = [
        ([[1]] * 3, [-s for s in steps], [Fraction(0)] * 3, (-1,)),
        ([[1, -2, 3]], [0], None, (0,)),
    ]
    sweep = NetworkSweep(sweep_layers(layers), box(1))
    blocks = list(sweep.blocks(10))
    assert [len(block.patterns) for block in blocks] == [4]
    assert len(blocks[0].exact) == 2 and np.isnan(blocks[0].points).sum() == 2
    patterns, points, _ = listed(sweep)
    assert all(evaluate(layers, x) == p for p, x in zip(patterns, points, strict=True))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["normal", "ternary", "no offsets"])
def test_random_inputs_lie_in_listed_regions(kind):
    rng = np.random.default_rng(1)
    layers = network(kind, [3, 10, 8, 1], rng)
    patterns, _, _ = listed(NetworkSweep(sweep_layers(layers), box(3)), 4096)
    assert len(set(patterns)) == len(patterns)
    for x in rng.uniform(-1, 1, (100, 3)).tolist():
        pattern = evaluate(layers, x)
        assert 0 in pattern or pattern in set(patterns)


def test_signs_that_floats_prove_and_others():
    rng = np.random.default_rng(2)
    counted = {}
    for kind in ("normal", "ternary"):
        sweep = NetworkSweep(sweep_layers(network(kind, [2, 20, 15, 1], rng)), box(2))
        assert sum(sweep.counts()) > 10
        counted[kind] = sweep.exact_signs
    assert counted["normal"] == 0 < counted["ternary"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("sizes", [(300, -300), (-320, 0), (150, 150)])
def test_weights_of_extreme_sizes(sizes):
    rng = np.random.default_rng(4)
    layers = network("normal", [2, 4, 4, 1], rng)
    for W, b, _, _ in layers[:2]:
        for i in range(len(W)):
            size = Fraction(10) ** int(rng.choice(sizes))
            W[i] = [float(Fraction(w) * size) for w in W[i]]
            b[i] = float(Fraction(b[i]) * size)
    check_patterns(layers, box(2))


def test_a_list_that_is_stopped():
    layers = network("normal", [2, 12, 1], np.random.default_rng(4))
    sweep = NetworkSweep(sweep_layers(layers), box(2))
    number = sum(sweep.counts())
    assert sweep.is_done
    blocks = list(sweep.blocks(3, stop=lambda: True))
    assert len(blocks) == 1 and len(blocks[0].patterns) < number and not sweep.is_done
    assert len(listed(sweep)[0]) == number and sweep.is_done


def test_no_units():
    layer = SweepLayer([[1, 2, 3]], 1, (-1,))
    sweep = NetworkSweep([layer], box(2))
    patterns, points, maps = listed(sweep, outputs=True)
    assert patterns == [()] and maps == [[[1, 2, 3]]] and sum(sweep.counts()) == 1
    assert points == [(0, 0)] and sweep.units == 0 and registers.DONE == 0
