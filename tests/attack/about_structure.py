"""Attacks on faces, flats, graphs and arrangements made from others."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import prod
from random import Random
from typing import Any

import inputs
import naive
from about_chambers import classes, dead, rank_of, walls_of
from cases import REFUSED, Case, question


def small(rng: Random) -> tuple[Any, Any]:
    """An arrangement without rows that are zero with their offsets."""
    while True:
        W, b = inputs.arrangement(rng, 5)
        if not dead(W, b):
            return W, b


def distance(W: Any, b: Any, s: Any, t: Any) -> int:
    """Different hyperplanes between two chambers."""
    return len({min(own) for i, own in enumerate(classes(W, b)) if s[i] != t[i]})


@question("chamber_distance", 8)
def _(rng: Random) -> Iterator[Case]:
    W, b = small(rng)
    possible = sorted(naive.chambers(W, b))
    s, t = rng.choice(possible), rng.choice(possible)
    right = distance(W, b, s, t)
    yield Case(f"chamber_distance({W!r}, {s!r}, {t!r}, offsets={b!r})", right)
    far = sorted(distance(W, b, s, other) for other in possible)
    yield Case(f"sorted(chamber_distances({W!r}, {s!r}, offsets={b!r}).tolist())", far)
    yield Case(f"distance_enumerator({W!r}, {s!r}, offsets={b!r}).eval(1)", len(possible))
    most = max(distance(W, b, s, t) for s, t in combinations(possible, 2)) if possible[1:] else 0
    yield Case(f"chamber_diameter({W!r}, {b!r})", most)


@question("neighbors", 8)
def _(rng: Random) -> Iterator[Case]:
    W, b = small(rng)
    possible = naive.chambers(W, b)
    s = rng.choice(sorted(possible))
    firsts = [min(own) for own in classes(W, b)]
    marks = walls_of(W, b, possible)
    right = [i for i, mark in enumerate(marks[s]) if mark and firsts[i] == i]
    yield Case(f"sorted(neighbors({W!r}, {s!r}, offsets={b!r})[1].tolist())", right)
    own = [i for i, mark in enumerate(marks[s]) if mark]
    text = f"sorted({{firsts[i] for i in chamber_polyhedron({W!r}, {s!r}, offsets={b!r}).facets}})"
    yield Case(f"(lambda firsts: {text})({firsts!r})", sorted({firsts[i] for i in own}))
    degrees = sorted(
        sum(mark and firsts[i] == i for i, mark in enumerate(row)) for row in marks.values()
    )
    yield Case(f"sorted(chamber_degrees({W!r}, {b!r}).tolist())", degrees)
    bounded, r = naive.bounded(W, b), rank_of(W)
    simplicial = [
        sum(mark and firsts[i] == i for i, mark in enumerate(row)) == r + (s in bounded and r > 0)
        for s, row in marks.items()
    ]
    yield Case(f"int(simplicial_chambers({W!r}, {b!r}).sum())", sum(simplicial))
    yield Case(f"is_simplicial({W!r}, {b!r})", all(simplicial))


def _meet(W: Any, b: Any, rows: Any) -> bool:
    """Whether the hyperplanes have a common point."""
    chosen = [([*W[i]], (b or [0] * len(W))[i]) for i in rows]
    return rank_of([row for row, _ in chosen]) == rank_of([[*row, c] for row, c in chosen])


@question("localization", 8)
def _(rng: Random) -> Iterator[Case]:
    W, b = small(rng)
    rows = sorted(rng.sample(range(len(W)), min(len(W), rng.randint(1, 2))))
    if not all(any(W[i]) for i in rows):
        return
    call = f"localization({W!r}, {rows!r}, offsets={b!r}).rows"
    if not _meet(W, b, rows):
        yield Case(call, REFUSED)
        return
    on = [
        i
        for i in range(len(W))
        if any(W[i])
        and _meet(W, b, [*rows, i])
        and rank_of([W[j] for j in [*rows, i]]) == rank_of([W[j] for j in rows])
    ]
    yield Case(call, tuple(on))


@question("cone", 8)
def _(rng: Random) -> Iterator[Case]:
    W, b = small(rng)
    count = naive.count(W, b)
    yield Case(f"count_chambers(cone({W!r}, {b!r}).arrangement)", 2 * count)
    yield Case(f"decone(cone({W!r}, {b!r}).arrangement).arrangement.count_chambers()", count)
    yield Case(f"essentialization({W!r}, {b!r}).arrangement.count_chambers()", count)
    flat = [[*row, *(2 * x for x in row)] for row in W]
    if all(inputs.in_range(x) for row in flat for x in row):
        text = f"signs(chambers(essentialization({flat!r}, {b!r}).arrangement))"
        yield Case(text, naive.chambers(W, b))


@question("product", 6)
def _(rng: Random) -> Iterator[Case]:
    W, V = (inputs.matrix(rng, rng.randint(1, 3), 2) for _ in range(2))
    right = prod(map(naive.count, (W, V)))
    yield Case(f"product({W!r}, {V!r}).arrangement.count_chambers()", right)
    yield Case(f"union({W!r}, {V!r}).arrangement.count_chambers()", naive.count(W + V))


@question("change_of_basis", 6)
def _(rng: Random) -> Iterator[Case]:
    W, b = small(rng)
    d = len(W[0])
    matrix = inputs.matrix(rng, d, d, rng.choice(("small", "fraction", "wide")))
    moved = f"change_of_basis({W!r}, {matrix!r}, offsets={b!r})"
    if rank_of(matrix) < d:
        yield Case(moved, REFUSED)
    else:
        yield Case(f"signs(chambers({moved}.arrangement))", naive.chambers(W, b))


def flats_with_mobius(W: Any, b: Any) -> dict[tuple[int, ...], tuple[int, int]]:
    """Flat -> its rank and its Möbius function from the whole space."""
    flats = naive.flats_of(naive.covectors(W, b))
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    for flat in sorted(flats, key=lambda f: -flats[f]):
        below = sum(m for other, (_, m) in found.items() if set(other) < set(flat))
        found[flat] = len(W[0]) - flats[flat], -below if flat else 1
    return found


@question("intersection_poset", 10)
def _(rng: Random) -> Iterator[Case]:
    W, b = small(rng)
    right = flats_with_mobius(W, b)
    nodes = "{f['hyperplanes']: (f['rank'], f['mobius']) for _, f in P.nodes(data=True)}"
    yield Case(f"(lambda P: {nodes})(intersection_poset({W!r}, {b!r}))", right)
    flat = rng.choice(sorted(right))
    yield Case(f"mobius({W!r}, [], {list(flat)!r}, offsets={b!r})", right[flat][1])
    lattice = f"face_lattice({W!r}, {b!r})"
    yield Case(f"{lattice}.number_of_nodes()", len(naive.covectors(W, b)))
    ranks = [rank for rank, _ in right.values()]
    counts = [ranks.count(k) for k in range(max(ranks) + 1)]
    yield Case(f"list(whitney_numbers({W!r}, {b!r}, kind=2))", counts)
    text = f"list(doubly_indexed_whitney_numbers({W!r}, {b!r}, kind=1)[0])"
    sums = [sum(m for rank, m in right.values() if rank == k) for k in range(max(ranks) + 1)]
    yield Case(text, sums)
    last = sum(abs(m) for rank, m in right.values() if rank == max(ranks))
    yield Case(f"len(set(nbc_bases({W!r}, {b!r})))", last)


@question("exponents", 8)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.arrangement(rng, 5)
    if dead(W, b):
        return
    left, roots = list(naive.characteristic_polynomial(W, b)), []
    for root in range(len(W) + 1):
        while len(left) > 1 and sum(c * root**k for k, c in enumerate(left)) == 0:
            roots.append(root)
            for k in range(len(left) - 1, 0, -1):  # division by t - root
                left[k - 1] += root * left[k]
            left = left[1:]
    yield Case(f"exponents({W!r}, {b!r})", None if len(left) > 1 else tuple(roots))


@question("has_common_point", 8)
def _(rng: Random) -> Iterator[Case]:
    W, b = small(rng)
    meet = _meet(W, b, range(len(W)))
    yield Case(f"has_common_point({W!r}, {b!r})", meet)
    yield Case(f"center({W!r}, {b!r}) is not None", meet)


@question("rays", 8)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng, 5)
    W = inputs.matrix(rng, n, d)
    least = d - rank_of(W) + 1
    faces = {face for face, dimension in naive.covectors(W).items() if dimension == least}
    text = f"{{naive.signs_at({W!r}, {[0] * n!r}, x) for x in rays({W!r})}}"
    yield Case(text, faces)
    yield Case(f"signs(OrientedMatroid.from_matrix({W!r}).cocircuits())", faces)


@question("ranking_graph", 5)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng, 4)
    pairs = list(combinations(range(len(W)), 2))
    rows = [
        [naive.fraction(x) - naive.fraction(y) for x, y in zip(W[i], W[j], strict=True)]
        for i, j in pairs
    ]
    c = [
        naive.fraction((b or [0] * len(W))[i]) - naive.fraction((b or [0] * len(W))[j])
        for i, j in pairs
    ]
    if not pairs:
        return
    marks = walls_of(rows, c, naive.chambers(rows, c)).values()
    firsts = [min(own) for own in classes(rows, c)]
    edges = sum(mark for row in marks for i, mark in enumerate(row) if firsts[i] == i) // 2
    yield Case(f"ranking_graph({W!r}, {b!r}).number_of_edges()", edges)


@question("tie_set", 5)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng, 4, 2)
    tied = sorted(rng.sample(range(len(W)), min(2, len(W))))
    some = f"(t.labels for t in tie_sets({W!r}, {b!r}) if {set(tied)!r} <= set(t.labels))"
    smallest = f"min({some}, key=len, default=None)"
    text = f"getattr(tie_set({W!r}, {tied!r}, offsets={b!r}), 'labels', None) == {smallest}"
    yield Case(text, True)


@question("count_points_modulo", 4)
def _(rng: Random) -> Iterator[Case]:
    n, d, p = rng.randint(1, 4), rng.randint(1, 2), rng.choice((2, 3, 5, 7))
    W = inputs.matrix(rng, n, d, rng.choice(("unit", "small", "prime")))
    points = [(x, y) for x in range(p) for y in range(p if d == 2 else 1)]
    whole = [naive.integer_row(row) for row in W]
    free = sum(
        all(sum(w * x for w, x in zip(row, point, strict=False)) % p for row in whole)
        for point in points
    )
    yield Case(f"count_points_modulo({W!r}, {p})", free)
    subsets = (chosen for size in range(1, n + 1) for chosen in combinations(W, size))
    good = all(rank_of(rows) == _rank_modulo(rows, p) for rows in subsets)
    yield Case(f"is_good_reduction({W!r}, {p})", good)


def _rank_modulo(rows: Any, p: int) -> int:
    left, rank = [[x % p for x in naive.integer_row([*row, 0])[:-1]] for row in rows], 0
    for column in range(len(left[0])):
        pivot = next((row for row in left if row[column]), None)
        if pivot is not None:
            rank, inverse = rank + 1, pow(pivot[column], -1, p)
            left = [
                [(x - y * row[column] * inverse) % p for x, y in zip(row, pivot, strict=True)]
                for row in left
                if row is not pivot
            ]
    return rank


@question("arrangement_isomorphism", 6)
def _(rng: Random) -> Iterator[Case]:
    n, d = inputs.shape(rng, 4)
    W = inputs.matrix(rng, n, d)
    order, turned = rng.sample(range(n), n), [rng.choice((1, -1)) for _ in range(n)]
    V = [[turned[i] * x for x in W[i]] for i in order]
    yield Case(f"arrangement_isomorphism({W!r}, {V!r}) is not None", True)
    if naive.characteristic_polynomial(W) != naive.characteristic_polynomial(V[:-1] + [V[0]]):
        text = f"arrangement_isomorphism({W!r}, {V[:-1] + [V[0]]!r})"
        yield Case(text, None)


@question("compare", 6)
def _(rng: Random) -> Iterator[Case]:
    n = rng.randint(2, 5)
    W, V = (inputs.matrix(rng, n, rng.randint(1, 3)) for _ in range(2))
    first, second = naive.chambers(W), naive.chambers(V)
    text = f"(c := compare({W!r}, {V!r}, 'label sets')).numbers, c.only, c.verify()"
    right = (len(first), len(second)), (len(first - second), len(second - first)), True
    yield Case(text, right)


@question("equivalent_models", 4)
def _(rng: Random) -> Iterator[Case]:
    n, d = rng.randint(2, 4), rng.randint(1, 3)
    W = inputs.matrix(rng, n, d, plants=0)
    i, j = rng.sample(range(n), 2)
    if list(map(Fraction, W[i])) != list(map(Fraction, W[j])):
        cosines = ", ".join(
            f"same_cosines(m.{name}[[{i}, {j}]], [[1], [{sign}]])"
            for name, sign in (("parallel", 1), ("opposite", -1))
        )
        same = "same_softmax(m.W, m.parallel).same, same_softmax(m.W, m.opposite).same"
        yield Case(
            f"(lambda m: ({cosines}, {same}))(equivalent_models({W!r}, {i}, {j}))", (True,) * 4
        )


@question("poset_of_chambers", 4)
def _(rng: Random) -> Iterator[Case]:
    W, b = small(rng)
    possible = sorted(naive.chambers(W, b))
    s = rng.choice(possible)
    right = sorted(distance(W, b, s, t) for t in possible)
    yield Case(
        f"sorted(dict(poset_of_chambers({W!r}, {s!r}, offsets={b!r}).nodes(data='rank')).values())",
        right,
    )
