"""What the outputs of networks can be, against all regions and their vertices in Fractions."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from naive_networks import evaluate, functions, is_feasible, patterns_in_box, plain
from network_examples import KINDS, random_network

from arrangements import ArrangementError, Polyhedron, network_checker, networks, write_certificate
from arrangements.errors import InputError
from arrangements.execution import processes
from arrangements.networks import (
    Layer,
    Network,
    can_output,
    decision_regions,
    difference_network,
    differing_input,
    exact_programs,
    is_monotone,
    lipschitz_constant,
    maximum,
    minimum,
    other_class,
    output_search,
    region_at,
    regions,
    robust_radius,
    robustness,
    search_tree,
)

SQUARE = Polyhedron.box(-1, 1, dimension=2)


def several_outputs(kind: str, seed: int, n: int) -> Network:
    """A small random network with n outputs."""
    rng = np.random.default_rng(seed)
    network = random_network(kind, rng, int(rng.integers(1, 3)), [4, 3])
    last = rng.integers(-2, 3, (n, network.layers[-2].n_outputs)).tolist()
    return Network([*network.layers[:-1], Layer(last, rng.integers(-1, 2, n))])


def box_rows(low: int, high: int, d: int) -> list[tuple[Fraction, ...]]:
    rows = []
    for i, (sign, side) in product(range(d), ((1, -low), (-1, high))):
        rows.append((*(Fraction(sign * (i == j)) for j in range(d)), Fraction(side)))
    return rows


def pieces(network: Network, low: int, high: int) -> list[tuple[Any, Any]]:
    """Rows that are positive in each region of a box, and the functions of the outputs."""
    exact, d = plain(network), network.dimension
    found = []
    for pattern in patterns_in_box(exact, low, high, d):
        units, outputs = functions(exact, pattern, d)
        rows = [tuple(s * x for x in row) for row, s in zip(units, pattern, strict=True) if s]
        found.append(([*box_rows(low, high, d), *rows], outputs))
    return found


def combined(row: Any, outputs: Any) -> tuple[Fraction, ...]:
    terms = [tuple(w * x for x in y) for w, y in zip(row, outputs, strict=False)]
    return tuple(sum(column, Fraction(0)) for column in zip(*terms, strict=True))


def largest(network: Network, row: Any, low: int, high: int) -> Fraction:
    """The largest value at the vertices of all regions."""
    found = []
    for region in regions(network, within=Polyhedron.box(low, high, dimension=network.dimension)):
        M, v = region.affine_map
        for vertex in region.polyhedron.vertices:
            y = M @ np.array(vertex, object) + v
            found.append(sum(w * z for w, z in zip(row, y, strict=True)))
    return max(found)


# ------------------------------------------------------------------ optima


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_maximum_and_minimum(kind: str, seed: int) -> None:
    network = several_outputs(kind, seed, 3)
    box = Polyhedron.box(-2, 2, dimension=network.dimension)
    row = [1, -1, 0] if seed % 2 else [2, 1, -3]
    best = maximum(network, row, within=box)
    assert best.value == best.bound == largest(network, row, -2, 2)
    assert best.verify() and box.contains(best.point) and best.gap == 0
    outputs = evaluate(plain(network), best.point)[1]
    assert tuple(outputs) == best.outputs
    assert sum(w * y for w, y in zip(row, outputs, strict=True)) == best.value
    if best.region is not None:
        assert best.region.polyhedron.contains(best.point)
    if seed % 2:
        assert best.value == maximum(network, 0, minus=1, within=box).value
        assert best.value == -minimum(network, 1, minus=0, within=box).value


def test_an_affine_function_and_a_flat_polyhedron() -> None:
    network = Network([([[1, 1], [1, -1]], [0, -1]), ([[1, -3], [0, 1]], None)])
    assert maximum(network, [1, 0, 5], within=SQUARE).value == 7
    line = Polyhedron(*SQUARE.inequalities, equations=([[1, -1]], [0]))
    assert maximum(network, 0, within=line).value == 2
    point = Polyhedron.box([0.5, 0.25], [0.5, 0.25])
    found = minimum(network, 0, within=point)
    assert found.value == network.forward([0.5, 0.25])[0] and found.verify()
    simplex = Polyhedron.simplex(2)
    found = maximum(network, 1, within=simplex)
    assert found.value == 0 and found.verify()
    triangle = Polyhedron([[1, 1], [-1, 0], [0, -2]], [1, 2, Fraction(1, 3)])
    assert maximum(network, 0, within=triangle).verify()
    assert maximum(network, 0, within="simplex").value == 1


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_many_units_that_are_zero_together(seed: int) -> None:
    """Without biases all cells contain the origin, where every unit and every margin is 0."""
    rng = np.random.default_rng(seed)
    sizes = ((2, 8), (8, 8), (8, 3))
    network = Network([(rng.integers(-1, 2, (n, m)), None) for m, n in sizes])
    classes = decision_regions(network, within=SQUARE).classes
    for k in range(3):
        found = can_output(network, k, within=SQUARE, limit=100)
        assert found.feasible is (k in classes) and found.verify()
        best = maximum(network, k, minus=(k + 1) % 3, within=SQUARE, limit=300)
        row = [(j == k) - (j == (k + 1) % 3) for j in range(3)]
        assert best.value == best.bound == largest(network, row, -1, 1) and best.verify()


def fingerprint(answer: Any) -> Any:
    """All that is said, and the tree that proves it."""
    decision = getattr(answer, "_decision", None)
    trees = [answer._search.root] if decision is None else decision.trees
    nodes = [(node.unit, node.bound, node.proof) for tree in trees for node in tree.nodes()]
    return repr(answer), answer.point, answer.opened, nodes


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["maximum", "can_output", "lipschitz_constant", "robust_radii"])
def test_processes_give_the_same_answers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = processes.Processes._start, []

    def counted(self: processes.Processes) -> Any:
        started.append(self)
        return start(self)

    for module in (search_tree, robustness):
        monkeypatch.setattr(module, "ALONE", 2)
    monkeypatch.setattr(processes.Processes, "_start", counted)
    network, box = several_outputs("generic", 2, 3), Polyhedron.box(-2, 2, dimension=2)
    subjects: Any = {"robust_radii": [[[1, Fraction(1, 3)], [0, -1], [1, 2]]]}
    found = []
    for workers in (1, 2):
        options: Any = {"within": box, "workers": workers}
        answers = getattr(networks, name)(network, *subjects.get(name, [0]), **options)
        answers = answers if isinstance(answers, tuple) else (answers,)
        assert all(answer.verify() for answer in answers) and bool(started) == (workers > 1)
        found.append([fingerprint(answer) for answer in answers])
    assert found[0] == found[1]


def test_a_process_that_ends() -> None:
    with processes.Processes(1, None) as started:
        with pytest.raises(ArrangementError, match="ended before its answer"):
            started.submit(os._exit, 1).result()
    with processes.Processes(1, None) as started:
        with pytest.raises(ZeroDivisionError):
            started.submit(divmod, 1, 0).result()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [3, 6])
def test_networks_without_biases(seed: int) -> None:
    """A class that hardly ever wins, or never: no cell with 0 in it can be closed."""
    rng = np.random.default_rng(seed)
    sizes = ((3, 5), (5, 5), (5, 3))
    network = Network([(rng.normal(size=(n, m)).round(2), None) for m, n in sizes])
    P = Polyhedron.hull([[-1, 0, 0], [2, -1, 0], [0, 2, 1], [0, -1, -1]])
    for within in (Polyhedron.box(-1, 2, dimension=3), P, Polyhedron.box(0, 1, dimension=3)):
        classes = decision_regions(network, within=within).classes
        for k in range(3):
            found = can_output(network, k, within=within, limit=200)
            assert found.feasible is (k in classes) and found.verify()


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("with_floats", [True, False])
def test_exact_programs(seed: int, with_floats: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A vertex, and weights that prove it the best; or weights that exclude all points."""
    if not with_floats:
        monkeypatch.setattr(exact_programs, "_float_basis", lambda *_: None)
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 5)), int(rng.integers(0, 9))
    whole = [sign * np.eye(n, dtype=int)[i] for i in range(n) for sign in (1, -1)]
    whole += list(rng.integers(-2, 3, (m, n)))
    rows = [[Fraction(int(x)) for x in row] for row in whole]
    sides = [Fraction(int(x)) for x in rng.integers(-seed % 3 == 0, 3, len(rows))]
    if seed % 2:  # corners nearly meet
        sides = [c + Fraction(int(k), 2**50) for c, k in zip(sides, range(len(sides)), strict=True)]
    objective = [Fraction(int(x)) for x in rng.integers(-2, 3, n)]
    found = exact_programs.largest(rows, sides, objective)
    assert min(found.weights.values(), default=0) >= 0
    total = [sum(w * rows[i][k] for i, w in found.weights.items()) for k in range(n)]
    bound = sum(w * sides[i] for i, w in found.weights.items())
    if found.point is None:
        assert not any(total) and bound < 0
        return
    values = [sum(a * b for a, b in zip(row, found.point, strict=True)) for row in rows]
    assert all(value <= side for value, side in zip(values, sides, strict=True))
    assert total == objective
    assert bound == sum(a * b for a, b in zip(objective, found.point, strict=True))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("corners", [[[0, 0], [3, 1], [1, 3]], [[-2, -1], [3, 1], [1, 3]]])
def test_a_polyhedron_without_sides_of_a_box(corners: list[list[int]]) -> None:
    networks = (several_outputs("integer", seed, 3) for seed in range(9))
    network = next(network for network in networks if network.dimension == 2)
    triangle = Polyhedron.hull(corners)
    values = []
    for region in regions(network, within=triangle):
        M, v = region.affine_map
        values += [(M @ np.array(x, object) + v)[0] for x in region.polyhedron.vertices]
    most, least = maximum(network, 0, within=triangle), minimum(network, 0, within=triangle)
    assert (most.value, least.value) == (max(values), min(values))
    assert most.verify() and least.verify()
    classes = decision_regions(network, within=triangle).classes
    for k in range(3):
        found = can_output(network, k, within=triangle)
        assert found.feasible is (k in classes) and found.verify()


def test_numbers_beyond_floats() -> None:
    network, far = Network([([[1, 1], [1, -1]], None), ([[1, 1], [1, -1]], None)]), 10**400
    with pytest.raises(InputError, match="x_0 within the polyhedron may be larger than 1e280"):
        maximum(network, 0, within=Polyhedron.box(-far, far, dimension=2))
    with pytest.raises(InputError, match="x_0 within the polyhedron may be larger than 1e280"):
        maximum(network, 0, within=Polyhedron([[1e-300, 1e60], [-1, 0], [0, -1]], [1e60, 1, 1]))
    with pytest.raises(
        InputError, match="weight of an output, or a constant, is larger than 1e280"
    ):
        maximum(network, [far, 1], within=SQUARE)
    with pytest.raises(
        InputError, match="weight of an output, or a constant, is larger than 1e280"
    ):
        differing_input(network, network, apart=far, within=SQUARE)
    with pytest.raises(InputError, match="larger than 1e280"):
        robust_radius(network, [far, 1])
    steep = Polyhedron([[1e291, 1], [-1, 1], [0, -1]], [1e60, 1, 1])
    found = maximum(network, [1, -1], within=steep)
    assert found.verify() and found.gap == 0


def test_plateaus_and_dead_units() -> None:
    dead = Network([([[1, 1], [0, 0]], [-9, -1]), ([[1, 1]], [3])])
    found = maximum(dead, 0, within=SQUARE)
    assert (found.value, found.opened, found.verify()) == (3, 1, True)
    flat = Network([([[1, 0], [-1, 0], [0, 1]], None), ([[-1, -1, 0]], [0])])
    assert maximum(flat, 0, within=SQUARE).value == 0
    linear = Network([([[1, 2]], [1])])
    assert maximum(linear, 0, within=SQUARE).value == 4
    units_last = Network([Layer([[1, 2]], [1], slope=0)])
    assert minimum(units_last, 0, within=SQUARE).value == 0


def test_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    network = Network(
        [(rng.standard_normal((n, m)), rng.standard_normal(n)) for m, n in ((5, 8), (8, 8), (8, 1))]
    )
    box = Polyhedron.box(-2, 2, dimension=5)
    best = maximum(network, 0, within=box)
    for options in ({"limit": 1}, {"time_limit": 0}):
        found = maximum(network, 0, within=box, **options)
        assert found.value <= best.value <= found.bound and found.verify()
    with monkeypatch.context() as patch:  # no program is begun when time is up
        patch.setattr(output_search, "solve_program", None)
        assert maximum(network, 0, within=box, time_limit=0).opened == 0
    open_ = can_output(network, signs="-", within=box, limit=1)
    assert open_.feasible in (True, None) and open_.verify() == bool(open_)
    found = lipschitz_constant(network, within=box, limit=3)
    assert found.value < found.bound and found.verify()


# ------------------------------------------------------------------ what can be


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_can_output(kind: str, seed: int) -> None:
    network = several_outputs(kind, seed, 3)
    box = Polyhedron.box(-1, 2, dimension=network.dimension)
    regions_ = pieces(network, -1, 2)

    def occurs(rows: list[list[int]]) -> bool:
        return any(
            is_feasible([*own, *(combined(row, outputs) for row in rows)])
            for own, outputs in regions_
        )

    def check(rows: list[list[int]], found: Any) -> None:
        assert found.feasible == occurs(rows) and found.verify()
        if found:
            y = evaluate(plain(network), found.point)[1]
            assert all(sum(w * v for w, v in zip(row, y, strict=True)) > 0 for row in rows)

    unit = np.eye(3, dtype=int)
    for k in range(3):
        rows = [(unit[k] - unit[j]).tolist() for j in range(3) if j != k]
        check(rows, can_output(network, k, within=box))
    for order in list(permutations(range(3)))[:: 1 + seed]:
        rows = [(unit[i] - unit[j]).tolist() for i, j in zip(order, order[1:], strict=False)]
        check(rows, can_output(network, ranking=order, within=box))
    for signs in product((1, -1), repeat=3):
        rows = [(s * unit[j]).tolist() for j, s in enumerate(signs)]
        on = [j for j, s in enumerate(signs) if s > 0]
        check(rows, can_output(network, on=on, within=box))


def test_zeros_of_outputs() -> None:
    network = Network([([[1], [-1]], None), ([[1, 1], [1, -1]], [-1, 0])])
    line = Polyhedron.box(-2, 2, dimension=1)
    found = can_output(network, signs="0+", within=line)
    assert found.point == (1,) and found.verify()
    found = can_output(network, signs=[0, 0], within=line)
    assert found.feasible is False and found.verify()
    assert can_output(network, signs="*0", within=line).point == (0,)
    touching = Network([([[1], [-1]], None), ([[1, 1]], None)])
    assert can_output(touching, signs="0", within=line).feasible
    assert can_output(touching, signs="-", within=line).feasible is False
    assert can_output(touching, 1, within=line).feasible
    assert can_output(touching, 0, within=line).feasible is False  # nowhere negative


def test_nothing_is_in_an_empty_polyhedron() -> None:
    network = Network([([[1], [-1]], None), ([[1, 1], [0, 0]], None)])
    for empty in (
        Polyhedron([[1], [-1]], [0, -1]),
        Polyhedron([[1], [-1]], [0, -1]).intersection(Polyhedron.box(0, 1, dimension=1)),
    ):
        found = can_output(network, 0, within=empty)
        assert found.feasible is False and found.verify()
    plane = Network([([[1, 1]], None)])
    empty = Polyhedron([[1, 1], [-1, -1], [1, 0]], [0, -1, 3])
    found = can_output(plane, signs="+", within=empty)
    assert found.feasible is False and found.verify()
    with pytest.raises(ArrangementError, match="expected one with points"):
        maximum(plane, 0, within=empty)


# ------------------------------------------------------------------ robustness


def nearest(network: Network, x: Any, label: int, norm: str) -> Any:
    """The least distance of a vertex of pieces of regions, cut by all that can matter."""
    d = network.dimension
    best: Any = None
    box = Polyhedron.box(-3, 3, dimension=d)
    for region in regions(network, within=box):
        M, v = region.affine_map
        for k in range(network.n_outputs):
            if k == label:
                continue
            A, c = region.polyhedron.inequalities
            rows = [[*map(Fraction, row), Fraction(0)] for row in A.tolist()]
            sides = [Fraction(s) for s in c.tolist()]
            rows.append([*(M[label] - M[k]), Fraction(0)])
            sides.append(v[k] - v[label])
            sets = [[s * (i == j) for j in range(d)] for i in range(d) for s in (1, -1)]
            if norm == "l1":
                sets = [list(s) for s in product((1, -1), repeat=d)]
            for s in sets:
                rows.append([*map(Fraction, s), Fraction(-1)])
                sides.append(sum(a * b for a, b in zip(s, x, strict=True)))
            rows.append([Fraction(0)] * d + [Fraction(1)])
            sides.append(Fraction(10))
            P = Polyhedron(np.array(rows, object), np.array(sides, object))
            if not P.is_empty:
                value = min(vertex[-1] for vertex in P.vertices)
                best = value if best is None else min(best, value)
    return best


@pytest.mark.sampled(2)
@pytest.mark.parametrize("norm", ["max", "l1"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_robust_radius(kind: str, norm: str, seed: int) -> None:
    network = several_outputs(kind, seed, 3)
    d = network.dimension
    rng = np.random.default_rng(seed)
    box = Polyhedron.box(-3, 3, dimension=d)
    x = [Fraction(int(n), 4) for n in rng.integers(-8, 9, d)]
    y = network.forward(x)
    if y.count(max(y)) > 1:
        with pytest.raises(ArrangementError, match="are equal at x"):
            robust_radius(network, x, norm=norm, within=box)
        return
    label = y.index(max(y))
    found = robust_radius(network, x, norm=norm, within=box)
    wanted = nearest(network, x, label, norm)
    assert found.label == label and found.verify()
    if wanted is None:
        assert found.value == np.inf and found.point is None
        return
    assert found.value == wanted
    inside = other_class(network, x, wanted * Fraction(99, 100), norm=norm, within=box)
    assert inside.feasible is False and inside.verify()
    assert other_class(network, x, wanted, norm=norm, within=box).verify()
    assert other_class(network, x, wanted, norm=norm, within=box).feasible


@pytest.mark.parametrize("norm", ["max", "l1"])
def test_a_single_output_has_two_classes(norm: str, tmp_path: Path) -> None:
    network = Network([([[1, 1], [-1, 1]], [0, 0]), ([[1, -2]], [-1])])
    wide = Polyhedron.box(-5, 5, dimension=2)
    for x, label, radius in (([4, 0], 1, Fraction(3, 2)), ([0, 0], 0, Fraction(1, 2))):
        found = robust_radius(network, x, norm=norm, within=wide)
        assert (found.label, found.other) == (label, 1 - label) and found.verify()
        assert found.value == (radius if norm == "max" else 2 * radius if label else 1)
        assert found.point is not None and network.forward(found.point) == (0,)
        answer = other_class(network, x, radius / 2, norm=norm)
        assert answer.feasible is False and answer.verify()
        path = str(tmp_path / "proof.jsonl")
        write_certificate(found, path)
        assert network_checker.main(path) == 0
    with pytest.raises(InputError, match="the output is 0 at x"):
        robust_radius(network, [1, 0])
    assert can_output(network, 1, within=wide).feasible
    assert can_output(network, 1, within=SQUARE).feasible
    corner = Polyhedron.box(-1, 0, dimension=2)
    assert not can_output(network, 1, within=corner).feasible
    assert can_output(network, 0, within=corner).feasible
    zero = Polyhedron.box([1, 0], [1, 0])  # where the output is 0: no class wins
    for k in (0, 1):
        undecided = can_output(network, k, within=zero)
        assert undecided.feasible is False and undecided.verify()
    with pytest.raises(InputError, match="label is 2; expected the number of one of 2 classes"):
        can_output(network, 2, within=wide)


def test_a_class_that_is_everywhere() -> None:
    """In a bounded polyhedron the radius is infinite, box or not; else an end is open."""
    network = Network([([[1, 0], [0, 1]], None), ([[1, 1], [0, 0]], [1, 0])])
    for within in (SQUARE, Polyhedron.hull([[0, 0], [1, 0], [0, 7]])):
        found = robust_radius(network, [0, 0], within=within)
        assert found.value == np.inf and found.point is None and found.verify()
    found = robust_radius(network, [0, 0])
    assert found.value is None and found.lower > 2**40 and found.upper == np.inf and found.verify()


def test_robustness_of_many_inputs() -> None:
    rng = np.random.default_rng(3)
    sizes = ((20, 6), (6, 6), (6, 3))
    network = Network(
        [(rng.standard_normal((n, m)) / m**0.5, rng.standard_normal(n) / 4) for m, n in sizes]
    )
    x = rng.uniform(size=20)
    box = Polyhedron.box(0, 1, dimension=20)
    for norm in ("max", "l1"):
        found = robust_radius(network, x, norm=norm, within=box)
        assert found.value is not None and found.verify() and found.point is not None
        y = network.forward(found.point)
        assert found.other is not None and y[found.other] == y[found.label]
    early = robust_radius(network, x, limit=2)
    assert early.lower < early.upper


# ------------------------------------------------------------------ two networks


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(2))
def test_two_networks(seed: int) -> None:
    network = several_outputs(KINDS[seed], seed, 2)
    d = network.dimension
    box = Polyhedron.box(-1, 1, dimension=d)
    # positive factors that go through a unit, and another order of units
    first, *rest = network.layers
    order = np.random.default_rng(seed).permutation(len(first.weights))
    W = first.weights[order] * 2
    b = first.offsets[order] * 2
    inputs = rest[0].inputs
    assert inputs == (0,)
    same = Network(
        [
            (W, b),
            Layer(rest[0].weights[:, order] / 2, rest[0].offsets, slope=rest[0].slopes),
            *rest[1:],
        ]
    )
    found = differing_input(network, same, within=box)
    assert found.feasible is False and found.verify()
    last = rest[-1]
    other = Network(
        [*network.layers[:-1], Layer(last.weights, last.offsets + Fraction(1, 8), slope=1)]
    )
    found = differing_input(network, other, within=box)
    assert found and network.forward(found.point) != other.forward(found.point)
    assert not differing_input(network, other, within=box, apart=Fraction(1, 8))
    assert maximum(difference_network(other, network), 0, within=box).value == Fraction(1, 8)


# ------------------------------------------------------------------ gradients


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_gradients(kind: str, seed: int) -> None:
    network = several_outputs(kind, seed, 2)
    d = network.dimension
    box = Polyhedron.box(-2, 2, dimension=d)
    maps = [region.affine_map[0] for region in regions(network, within=box)]
    for norm in ("max", "l1"):
        found = lipschitz_constant(network, norm=norm, within=box)
        sizes = [[abs(x) for x in row] for M in maps for row in M]
        assert found.value == found.bound == max(sum(s) if norm == "max" else max(s) for s in sizes)
        assert found.verify()
        assert region_at(network, found.point, within=box) == found.region
    for i in range(d):
        for decreasing in (False, True):
            slopes = [M[0][i] for M in maps]
            answer = is_monotone(network, i, 0, decreasing=decreasing, within=box)
            wanted = max(slopes) <= 0 if decreasing else min(slopes) >= 0
            assert answer.monotone == wanted and answer.verify()
            assert answer.slope in slopes and bool(answer) == wanted


def test_regions_that_are_flat() -> None:
    # where both units are positive is a line: slopes there do not count
    network = Network([([[1, 0], [-1, 0]], None), ([[1, 1]], None)])
    assert lipschitz_constant(network, within=SQUARE).value == 1
    twice = Network([([[1, 0], [1, 0], [-1, 0]], None), ([[1, -1, 1]], None)])
    found = lipschitz_constant(twice, within=SQUARE)
    assert found.value == 1 and found.verify()
    zero = Network([([[0, 0], [1, 1]], [0, 0]), ([[5, 1]], None)])
    assert lipschitz_constant(zero, within=SQUARE).value == 2


# ------------------------------------------------------------------ refused


NET = Network([([[1, 1]], None), ([[1], [-1]], None)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: can_output(NET, within=SQUARE), "0 of label, on, ranking and signs"),
        (lambda: can_output(NET, 0, on=[1], within=SQUARE), "2 of label, on, ranking and signs"),
        (lambda: can_output(NET, 2, within=SQUARE), "one of 2 classes"),
        (lambda: can_output(NET, ranking=[0, 0], within=SQUARE), "each at most once"),
        (lambda: can_output(NET, 0, within=([[1, 0]], [1])), "which is not bounded"),
        (lambda: maximum(NET, [1, 2, 3, 4], within=SQUARE), "4 entries; expected"),
        (lambda: maximum(NET, 0, minus=7, within=SQUARE), "minus is 7"),
        (lambda: robust_radius(NET, [0, 0]), "are equal at x"),
        (lambda: robust_radius(NET, [3, 0], within=SQUARE), "does not lie in within"),
        (lambda: robust_radius(NET, [1, 0], norm="l2"), "norm"),
        (lambda: other_class(NET, [1, 0], -1), "radius is -1"),
        (
            lambda: differing_input(NET, Network([([[1]], None)]), within=SQUARE),
            "expected the same number",
        ),
        (lambda: differing_input(NET, NET, within=SQUARE, apart=-1), "apart is -1"),
        (lambda: is_monotone(NET, 2, 0, within=SQUARE), "one of 2 inputs"),
        (
            lambda: lipschitz_constant(NET, within=Polyhedron.simplex(2)),
            "expected one of full dimension",
        ),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ArrangementError, match=message):
        call()


def test_products_that_floats_lose() -> None:
    """The weights of the outputs of units underflow on their way back to the inputs."""
    box = Polyhedron.box(-1, 1, dimension=1)
    chain = Network([([[1e250]], [0]), ([[1e-200]], [0]), ([[1e-200]], [0]), ([[1]], None)])
    best = maximum(chain, 0, within=box)
    assert best.value == Fraction(1e250) * Fraction(1e-200) ** 2 and best.verify()
    assert can_output(chain, signs="+", within=box).point is not None


def test_conditions_larger_than_any_power_that_is_known() -> None:
    rows = [[1e-300], [-1], [1.6069380442589903e60]]
    net = Network([(rows, [0.0, 1e-300, 0.0]), ([[0, 3, 2], [0, 3, 1]], [0, 1])])
    best = maximum(net, 0, within=Polyhedron.box(-1, 2, dimension=1))
    assert best.value == 4 * Fraction(1.6069380442589903e60) and best.verify()


def test_units_beyond_floats_are_refused() -> None:
    net = Network([([[1e200]], [0]), ([[1e200]], None)])
    with pytest.raises(InputError, match=r"layers\[1\] may be larger than 1e280"):
        maximum(net, 0, within=Polyhedron.box(-1, 1, dimension=1))
