"""Attacks on optimal chambers, depths and quadratic forms."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from math import ldexp
from random import Random
from typing import Any

import inputs
import naive
from about_chambers import dead
from cases import Case, question

fraction = naive.fraction


def _cost(rng: Random, size: int) -> Any:
    """A number such that sums of some of them lose the small ones in floats."""
    return rng.choice(
        (
            *(rng.choice((0.1, 0.2, -0.3, 0.2)), rng.randint(-3, 3), rng.randint(1, 3)),
            *((2.0**60, 2.0**60, 0.1, 0.2), (10**18, 1, 2, 3), (1e300, 1e-300, 1, 1))[size],
        )
    )


@question("best_chamber", 40)
def _(rng: Random) -> Iterator[Case]:
    name = rng.choice(("small", "small", "gauss", inputs.kind(rng)))
    n = rng.randint(3, 8)
    W = inputs.matrix(rng, n, rng.randint(2, 3), name)
    b = inputs.vector(rng, n, name) if rng.random() < 0.3 else None
    if dead(W, b):
        return
    size, two = rng.randrange(3), rng.random() < 0.6
    costs: Any = [[_cost(rng, size) for _ in range(n)] for _ in range(2)]
    pairs = [[fraction(x) for x in row] for row in costs]
    if not two:
        costs, pairs = costs[1], [[Fraction(0)] * n, pairs[1]]
    right = min(sum(pairs[x > 0][i] for i, x in enumerate(s)) for s in naive.chambers(W, b))
    for method in ("bounds", "sweep"):
        call = f"best_chamber({W!r}, {costs!r}, offsets={b!r}, method={method!r})"
        text = f"(o := {call}).value, o.verify()"
        yield Case(text, (right, True))


@question("best_chamber: many rows", 2)
def _(rng: Random) -> Iterator[Case]:
    n = rng.choice((30, 60))
    W = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(n)]
    costs = [rng.choice((10**18, 1, 2, 3)) * rng.choice((1, -1)) for _ in range(n)]
    call = f"best_chamber({W!r}, {costs!r}, method="
    yield Case(f"{call}'bounds').value == {call}'sweep').value", True)


@question("max_feasible", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng)
    if dead(W, b):
        return
    size, method = rng.randrange(3), rng.choice(("auto", "bounds", "sweep"))
    weights = [abs(_cost(rng, size)) for _ in W]
    exact = [fraction(w) for w in weights]
    right = max(
        sum(w for w, x in zip(exact, s, strict=True) if x > 0) for s in naive.chambers(W, b)
    )
    yield Case(f"max_feasible({W!r}, {b!r}, weights={weights!r}, method={method!r}).value", right)


def depth(point: list[Any], data: list[list[Any]]) -> int:
    """Least number of data in a closed halfspace around a point."""
    rows = [[fraction(c) - fraction(x) for c, x in zip(row, point, strict=True)] for row in data]
    moved = [row for row in rows if any(row)]
    fewest = min(sum(x > 0 for x in s) for s in naive.chambers(moved)) if moved else 0
    return len(rows) - len(moved) + fewest


@question("halfspace_depth", 60)
def _(rng: Random) -> Iterator[Case]:
    n, d, name = rng.randint(1, 6), rng.randint(1, 3), inputs.kind(rng)
    data = inputs.matrix(rng, n, d, name)
    points = [rng.choice(([0] * d, data[0], inputs.vector(rng, d, name))) for _ in range(2)]
    yield Case(f"halfspace_depth({points!r}, {data!r}).tolist()", [depth(x, data) for x in points])


@question("halfspace_depth: a far point", 30)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(2, 6), rng.randint(1, 3)
    shift = rng.choice((-51, -1000, 0))
    data = [[ldexp(rng.randint(-30, 30), shift) for _ in range(d)] for _ in range(n)]
    data.insert(rng.randrange(n), [rng.choice((1, -1, 0.5)) * 2.0**1023 for _ in range(d)])
    points = [[0.0] * d]
    yield Case(f"halfspace_depth({points!r}, {data!r}).tolist()", [depth(points[0], data)])


@question("halfspace_median", 8)
def _(rng: Random) -> Iterator[Case]:
    n, d, name = rng.randint(1, 5), rng.randint(1, 2), inputs.kind(rng)
    data = inputs.matrix(rng, n, d, name)
    call = f"halfspace_median({data!r})"
    if d == 1:
        deep = (min(sum(y <= x for y in data), sum(y >= x for y in data)) for x in data)
        yield Case(f"{call}.depth", max(deep))
    at = f"[halfspace_depth([x], {data!r})[0] >= m.depth for x in (*m.vertices, m.point)]"
    yield Case(f"(m := {call}).depth * 0 == 0 and all({at})", True)


def _simplices(point: list[Any], data: list[list[Any]]) -> int:
    """How many triangles, or segments, of data contain a point: those without are on a side."""
    rows = [[fraction(c) - fraction(x) for c, x in zip(row, point, strict=True)] for row in data]
    moved = [k for k, row in enumerate(rows) if any(row)]
    sides = naive.chambers([rows[k] for k in moved]) if moved else []
    sides = [{k for k, x in zip(moved, s, strict=True) if x > 0} for s in sides]
    corners = combinations(range(len(data)), len(point) + 1)
    return sum(not any(side.issuperset(some) for side in sides) for some in corners)


@question("simplicial_depth", 60)
def _(rng: Random) -> Iterator[Case]:
    n, d, name = rng.randint(1, 7), rng.randint(1, 3), inputs.kind(rng)
    data = inputs.matrix(rng, n, d, name)
    points = [rng.choice(([0] * d, data[0], inputs.vector(rng, d, name))) for _ in range(2)]
    right = [_simplices(x, data) for x in points]
    yield Case(f"simplicial_depth({points!r}, {data!r}).tolist()", right)


@question("regression_depth", 30)
def _(rng: Random) -> Iterator[Case]:
    n, d, name = rng.randint(1, 6), rng.randint(1, 2), inputs.kind(rng)
    X, y = inputs.matrix(rng, n, d, name), inputs.vector(rng, n, name)
    fit = rng.choice(([0] * (d + 1), inputs.vector(rng, d + 1, name)))
    rows = [[*map(fraction, row), Fraction(1)] for row in X]
    rests = [
        fraction(b) - sum(a * fraction(c) for a, c in zip(row, fit, strict=True))
        for row, b in zip(rows, y, strict=True)
    ]
    signed = [[a if r > 0 else -a for a in row] for row, r in zip(rows, rests, strict=True) if r]
    right = n - len(signed)
    if signed:
        right += min(sum(x < 0 for x in s) for s in naive.chambers(signed))
    yield Case(f"regression_depth([{fit!r}], {X!r}, {y!r}).tolist()", [right])


@question("deepest_regression", 8)
def _(rng: Random) -> Iterator[Case]:
    n, name = rng.randint(2, 6), inputs.kind(rng)
    X, y = inputs.matrix(rng, n, 1, name), inputs.vector(rng, n, name)
    places = [(fraction(x), fraction(b)) for (x,), b in zip(X, y, strict=True)]
    slopes = [(p, (q[1] - p[1]) / (q[0] - p[0])) for p in places for q in places if p[0] < q[0]]
    if not slopes:
        return
    # turning about a vertical line between any two neighbors, or beside all
    ends = sorted({x for x, _ in places})
    turns = [
        ends[0] - 1,
        *((a + b) / 2 for a, b in zip(ends, ends[1:], strict=False)),
        ends[-1] + 1,
    ]

    def depth(slope: Fraction, point: tuple[Fraction, Fraction]) -> int:
        rests = [(x - t, b - point[1] - slope * (x - point[0])) for t in turns for x, b in places]
        blocks = [rests[k : k + n] for k in range(0, len(rests), n)]
        return min(sum(s * x * r >= 0 for x, r in block) for block in blocks for s in (1, -1))

    right = max(depth(slope, point) for point, slope in slopes)
    yield Case(f"deepest_regression({X!r}, {y!r}).depth", right)


@question("depth_contours", 8)
def _(rng: Random) -> Iterator[Case]:
    n, d, name = rng.randint(1, 5), rng.randint(1, 2), inputs.kind(rng)
    data = inputs.matrix(rng, n, d, name)
    call = f"[(r.depth, r.vertices) for r in depth_contours({data!r})]"
    single = f"[(k, depth_region({data!r}, k).vertices) for k in range(1, len(m) + 1)]"
    yield Case(f"(m := {call}) == {single} and m[-1][0] == halfspace_median({data!r}).depth", True)


@question("best_tree", 20)
def _(rng: Random) -> Iterator[Case]:
    n, d, name = rng.randint(2, 6), rng.randint(1, 2), inputs.kind(rng)
    X, y = inputs.matrix(rng, n, d, name), [0, 1, *(rng.randrange(3) for _ in range(n - 2))]
    points = [tuple(map(fraction, row)) for row in X]
    distinct = list(dict.fromkeys(points))
    sides = [
        frozenset(p for p, x in zip(distinct, s, strict=True) if x > 0)
        for s in naive.chambers([[*row, Fraction(1)] for row in distinct])
    ]

    def errors(part: list[int]) -> int:
        labels = [y[i] for i in part]
        return len(part) - max(map(labels.count, labels), default=0)

    def best(part: list[int]) -> int:
        halves = (
            [[i for i in part if (points[i] in s) is side] for side in (True, False)] for s in sides
        )
        return min(sum(map(errors, half)) for half in halves)

    roots = (
        [[i for i in range(n) if (points[i] in s) is side] for side in (True, False)] for s in sides
    )
    right = min(sum(map(best, half)) for half in roots)
    yield Case(f"(t := best_tree({X!r}, {y!r})).loss, t.bound, t.verify()", (right, right, True))


def _squares(V: list[list[Any]], signs: Any, weights: list[Any] | None = None) -> Fraction:
    sums = (
        sum(x * fraction(v) for x, v in zip(signs, c, strict=True)) for c in zip(*V, strict=True)
    )
    shares = weights or [1] * len(V[0])
    terms = (Fraction(w) * total**2 for w, total in zip(shares, sums, strict=True))
    return sum(terms, Fraction(0))


@question("binary_quadratic", 15)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng, 5)
    V = inputs.matrix(rng, n, d)
    linear = inputs.vector(rng, n, inputs.kind(rng)) if rng.random() < 0.5 else None
    weights = [rng.choice((1, -1, 0.5)) for _ in range(d)] if rng.random() < 0.5 else None
    low, ones = rng.choice((-1, 0)), rng.choice((None, n // 2))
    exact = [fraction(x) for x in linear or [0] * n]
    right = max(
        _squares(V, x, weights) + sum(a * b for a, b in zip(exact, x, strict=True))
        for x in product((low, 1), repeat=n)
        if ones is None or x.count(1) == ones
    )
    options = f"weights={weights!r}, domain=({low}, 1), ones={ones!r}"
    yield Case(f"binary_quadratic({V!r}, {linear!r}, {options}).value", right)


@question("l1_pca", 15)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng, 5)
    X = inputs.matrix(rng, n, d)
    right = max(_squares(X, x) for x in product((-1, 1), repeat=n))
    yield Case(f"l1_pca({X!r}).square", right)
