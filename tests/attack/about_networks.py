"""Attacks on networks: odd weights, coincidences, one point."""

from collections.abc import Iterator
from fractions import Fraction
from math import inf
from random import Random
from typing import Any

import inputs
import naive_cells
from cases import REFUSED, Case, question
from naive_networks import Plain, all_patterns, evaluate, functions, patterns_in_box


def _network(rng: Random, d: int) -> tuple[str, Plain]:
    """A network of one or two layers as text, and in Fractions."""
    name = inputs.kind(rng)
    layers: list[tuple[Any, Any]] = []
    m = d
    for n in [rng.randint(1, 3) for _ in range(rng.randint(1, 2))]:
        b = inputs.vector(rng, n, name) if rng.random() < 0.7 else [0] * n
        layers.append((inputs.matrix(rng, n, m, name), b))
        m = n
    layers.append((inputs.matrix(rng, 1, m, "small"), [0]))
    plain: Plain = []
    for k, (W, b) in enumerate(layers):
        rows = [[Fraction(x) for x in row] for row in W]
        slopes = None if k + 1 == len(layers) else [Fraction(0)] * len(W)
        plain.append((rows, [Fraction(x) for x in b], slopes, [k - 1 if k else "x"]))
    return f"arrangements.networks.Network({layers!r})", plain


@question("regions", 20)
def _(rng: Random) -> Iterator[Case]:
    d = rng.randint(1, 2)
    network, plain = _network(rng, d)
    found = all_patterns(plain, [], d)
    yield Case(f"signs(regions({network}))", found)
    yield Case(f"blocks(iter_regions({network}))", found)
    yield Case(f"count_regions({network})", len(found))
    box = f"Polyhedron.box(-1, 2, dimension={d})"
    inside = patterns_in_box(plain, -1, 2, d)
    yield Case(f"signs(regions({network}, within={box}))", inside)
    yield Case(f"count_regions({network}, within={box}, workers=2)", len(inside))
    yield Case(f"plan_regions({network}, within={box}).expected", len(inside))
    folder = f"memory://attack/{rng.getrandbits(60)}"
    yield Case(f"blocks(write_regions({network}, {folder!r}, within={box}))", inside)
    faces = f"region_f_vector({network}, within={box})"
    yield Case(f"{faces}[-1]", len(inside))
    yield Case(f"sum((-1) ** k * n for k, n in enumerate({faces}))", (-1) ** d)


@question("region_at", 20)
def _(rng: Random) -> Iterator[Case]:
    d = rng.randint(1, 3)
    network, plain = _network(rng, d)
    x = [Fraction(rng.randint(-9, 9), rng.randint(1, 3)) for _ in range(d)]
    signs, _ = evaluate(plain, x)
    if all(signs):
        yield Case(f"region_at({network}, {x!r}).pattern.tolist()", signs)
        outside = f"Polyhedron.box(10, 11, dimension={d})"
        yield Case(f"region_at({network}, {x!r}, within={outside})", REFUSED)


@question("unit_states", 8)
def _(rng: Random) -> Iterator[Case]:
    d = rng.randint(1, 2)
    network, plain = _network(rng, d)
    found = sorted(patterns_in_box(plain, -1, 2, d))
    box = f"Polyhedron.box(-1, 2, dimension={d})"
    columns = list(enumerate(zip(*found, strict=True)))
    dead = tuple(i for i, column in columns if max(column) <= 0)
    always = tuple(i for i, column in columns if min(column) > 0)
    yield Case(f"unit_states({network}, within={box})[:2]", (dead, always))
    on = [sum(s > 0 for s in column) for _, column in columns]
    step = "lambda block: (block.to_array() > 0).sum(axis=0)"
    yield Case(f"fold_regions({network}, {step}, within={box}).tolist()", on)
    graph = f"dual_graph({network}, within={box})"
    yield Case(f"sorted(signs for _, signs in {graph}.nodes(data='pattern'))", found)
    most = f"region_bounds({network}).montufar[-1]"
    yield Case(f"len(regions({network})) <= {most}", True)


@question("path", 10)
def _(rng: Random) -> Iterator[Case]:
    d = rng.randint(1, 3)
    network, plain = _network(rng, d)
    x, y = ([Fraction(rng.randint(-9, 9), rng.randint(1, 3)) for _ in range(d)] for _ in range(2))
    if x != y:
        call = f"path({network}, {x!r}, {y!r})"
        for place, end in (0, x), (-1, y):
            yield Case(f"{call}.points[{place}]", tuple(end))
            signs, _ = evaluate(plain, end)
            if all(signs):
                yield Case(f"{call}.patterns[{place}].tolist()", signs)


@question("slice_network", 10)
def _(rng: Random) -> Iterator[Case]:
    d = rng.randint(2, 3)
    network, plain = _network(rng, d)
    points = [[Fraction(rng.randint(-9, 9), rng.randint(1, 3)) for _ in range(d)] for _ in "ab"]
    if points[0] == points[1]:
        return
    call = f"slice_network({network}, {points!r})"
    t = Fraction(rng.randint(-5, 5), 3)
    x = [a + t * (b - a) for a, b in zip(*points, strict=True)]
    signs, values = evaluate(plain, x)
    yield Case(f"{call}.network.pattern_at([{t!r}]).tolist()", signs)
    yield Case(f"list({call}.network.forward([{t!r}]))", values)
    yield Case(f"{call}.coordinates({x!r})", (t,))
    yield Case(f"slice_network({network}, {[points[0]] * 2!r})", REFUSED)


def _outputs(rng: Random, d: int) -> tuple[str, Any, Any]:
    """A network of two outputs as text, in Fractions, and its regions in a box."""
    layers: list[tuple[Any, Any]] = []
    m, name = d, inputs.kind(rng)
    for n in [rng.randint(1, 3) for _ in range(rng.randint(1, 2))]:
        layers.append((inputs.matrix(rng, n, m, name), inputs.vector(rng, n, name)))
        m = n
    layers.append((inputs.matrix(rng, 2, m, "small"), [0, 1]))
    plain: Plain = []
    for k, (W, b) in enumerate(layers):
        rows = [[Fraction(x) for x in row] for row in W]
        slopes = None if k + 1 == len(layers) else [Fraction(0)] * len(W)
        plain.append((rows, [Fraction(x) for x in b], slopes, [k - 1 if k else "x"]))
    found = [functions(plain, p, d)[1] for p in patterns_in_box(plain, -1, 2, d)]
    return f"arrangements.networks.Network({layers!r})", plain, found


def _is_huge(plain: Plain, end: int = 2) -> bool:
    """Whether units may be beyond 1e280 for inputs up to an end, which some questions refuse."""
    sizes, largest = [Fraction(end)], Fraction(end)
    for W, b, _, _ in plain:
        sizes = [
            sum((abs(w) * max(1, sizes[min(i, len(sizes) - 1)]) for i, w in enumerate(row)), abs(x))
            for row, x in zip(W, b, strict=True)
        ]
        largest = max(largest, *sizes)
    return largest > 10**280


@question("maximum", 10)
def _(rng: Random) -> Iterator[Case]:
    network, plain, _ = _outputs(rng, 1)
    huge = _is_huge(plain)
    box = "Polyhedron.box(-1, 2, dimension=1)"
    times = f"arrangements.networks.path({network}, [-1], [2]).points"
    value = f"max(arrangements.networks.Network.forward({network}, x)[0] for x in {times})"
    yield Case(f"maximum({network}, 0, within={box}).value == {value}", True, may_refuse=huge)
    yield Case(
        f"minimum({network}, [-1, 0], within={box}).value == -{value}", True, may_refuse=huge
    )
    yield Case(f"maximum({network}, 0, within={box}).verify()", True, may_refuse=huge)
    x = Fraction(rng.randint(-4, 8), 4)
    y = evaluate(plain, [x])[1]
    if y[0] != y[1]:
        wins = 0 if y[0] > y[1] else 1
        yield Case(f"can_output({network}, {wins}, within={box}).feasible", True, may_refuse=huge)
        call = f"other_class({network}, [{x!r}], 0, within={box})"
        yield Case(f"({call}.feasible, {call}.verify())", (False, True), may_refuse=huge)
        radius = f"robust_radius({network}, [{x!r}], within={box})"
        yield Case(f"{radius}.verify() and {radius}.lower == {radius}.upper", True, may_refuse=huge)


def _classifier(rng: Random) -> tuple[str, Plain, list[Any], str]:
    """A network as text and in Fractions, and a segment or polygon in two ways."""
    d, name, slope = rng.randint(1, 2), inputs.kind(rng), rng.choice((0, 0, Fraction(1, 3), -1))
    layers: list[tuple[Any, Any]] = []
    m = d
    for n in [rng.randint(1, 3) for _ in range(rng.randint(1, 3))]:
        layers.append((inputs.matrix(rng, n, m, name), inputs.vector(rng, n, name)))
        m = n
    n = rng.randint(1, 3)
    W, b = inputs.matrix(rng, n, m, rng.choice((name, "small"))), inputs.vector(rng, n, "small")
    if n > 1 and rng.random() < 0.3:
        W[1], b[1] = W[0], b[0]
    layers.append((W, b))
    plain: Plain = []
    for k, (A, c) in enumerate(layers):
        rows = [[Fraction(x) for x in row] for row in A]
        slopes = None if k + 1 == len(layers) else [Fraction(slope)] * len(A)
        plain.append((rows, [Fraction(x) for x in c], slopes, [k - 1 if k else "x"]))
    corners = [tuple(Fraction(rng.randint(-6, 6), 2) for _ in range(d)) for _ in range(d + 1)]
    if d == 2 and rng.random() < 0.4:
        corners = corners[:2]  # a flat polyhedron
    network = f"arrangements.networks.Network({layers!r}, slope={slope!r})"
    return network, plain, corners, f"Polyhedron.hull({corners!r})"


@question("robust_radii", 12)
def _(rng: Random) -> Iterator[Case]:
    network, plain, corners, within = _classifier(rng)
    d = len(corners[0])
    if naive_cells.size(corners) == 0:
        return
    options = {"may_refuse": _is_huge(plain, 6)}
    n = len(plain[-1][0])
    for k in range(n) if n > 1 else ():
        call = f"shown(can_output({network}, {k}, within={within}))"
        yield Case(call, naive_cells.can_win(plain, corners, k), **options)
    row = [Fraction(rng.randint(-2, 2)) for _ in range(n)]
    call = f"shown(maximum({network}, {row!r}, within={within}))"
    yield Case(call, naive_cells.largest(plain, corners, row), **options)
    weights = [rng.randint(0, 3) for _ in corners[1:]] + [1]
    x = tuple(
        sum(w * corner[i] for w, corner in zip(weights, corners, strict=True)) / sum(weights)
        for i in range(d)
    )
    y = evaluate(plain, x)[1]
    y = [Fraction(0), *y] if n == 1 else y
    norm = rng.choice(("max", "l1"))
    call = f"robust_radii({network}, [{x!r}], norm={norm!r}, within={within})"
    if y.count(max(y)) > 1:
        yield Case(call, REFUSED)
    else:
        found = naive_cells.radius(plain, corners, x, norm)
        yield Case(f"shown({call}[0])", inf if found is None else found, **options)
    if n > 1 and len(corners) == d + 1:
        shares = naive_cells.shares(plain, corners)
        named = {k if len(k) > 1 else k[0]: share for k, share in shares.items()}
        call = f"decision_regions({network}, within={within}).shares"
        yield Case(f"{{k: share for k, share in {call}.items() if share}}", named)


@question("decision_regions", 12)
def _(rng: Random) -> Iterator[Case]:
    d = rng.randint(1, 2)
    network, plain, _ = _outputs(rng, d)
    box = f"Polyhedron.box(-1, 2, dimension={d})"
    call = f"decision_regions({network}, within={box})"
    yield Case(f"sum({call}.shares.values())", 1)
    x = [Fraction(rng.randint(-16, 31), 16) + Fraction(1, 10**6) for _ in range(d)]
    y = evaluate(plain, x)[1]
    if y[0] != y[1]:
        wins = int(y[1] > y[0])
        yield Case(f"{call}.shares[{wins}] > 0", True)
        inside = f"piece.polyhedron.contains({x!r})"
        yield Case(f"any({inside} for piece in {call}.pieces({wins}))", True)
        blocks = f"iter_decision_regions({network}, within={box})"
        yield Case(f"sum(map(len, {blocks})) == len({call})", True)
    yield Case(f"decision_regions({network}, limit=0)", REFUSED)


@question("lipschitz_constant", 8)
def _(rng: Random) -> Iterator[Case]:
    d = rng.randint(1, 2)
    network, plain, found = _outputs(rng, d)
    huge = _is_huge(plain)
    box = f"Polyhedron.box(-1, 2, dimension={d})"
    most = max(sum(map(abs, row[:-1])) for outputs in found for row in outputs)
    yield Case(f"lipschitz_constant({network}, within={box}).value", most, may_refuse=huge)
    least = min(outputs[0][0] for outputs in found)
    yield Case(f"is_monotone({network}, 0, 0, within={box}).monotone", least >= 0, may_refuse=huge)
    both = f"difference_network({network}, {network})"
    yield Case(f"maximum({both}, 0, within={box}, limit=5).value", 0, may_refuse=huge)
    apart = f"differing_input({network}, {network}, within={box}, limit=5)"
    yield Case(f"{apart}.feasible in (False, None)", True, may_refuse=huge)


@question("counterexamples", 6)
def _(rng: Random) -> Iterator[Case]:
    layers = [(inputs.matrix(rng, 3, 1, "small"), inputs.vector(rng, 3, "small"))]
    layers.append((inputs.matrix(rng, 2, 3, "small"), [0, 1]))
    network = f"arrangements.networks.Network({layers!r})"
    box = "Polyhedron.box(-1, 2, dimension=1)"
    end = Fraction(rng.randint(-9, 9), 3)
    case = f"arrangements.exchange.PropertyCase({box}, Polyhedron([[-1, 0]], [{-end!r}]))"
    call = f"counterexamples({network}, arrangements.exchange.NetworkProperty(({case},)))[0]"
    reached = f"maximum({network}, 0, within={box}).value >= {end!r}"
    yield Case(f"{call}.feasible == ({reached})", True)
    yield Case(f"{call}.verify()", True)
