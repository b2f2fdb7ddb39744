"""Attacks on questions about rankings and tops of labels."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random
from typing import Any

import inputs
import naive
from cases import Case, question

Order = tuple[int, ...]


def tops(orders: set[Order], k: int) -> set[Order]:
    """The first k labels of rankings, in order."""
    return {order[:k] for order in orders}


@question("rankings", 30)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    method = rng.choice(("auto", "sweep", "incremental", "pairs"))
    yield Case(f"signs(rankings({W!r}, {b!r}, method={method!r}))", naive.rankings(W, b))


@question("iter_rankings", 8)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    yield Case(f"blocks(iter_rankings({W!r}, {b!r}, block_size=3))", naive.rankings(W, b))


@question("count_rankings", 30)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    yield Case(f"count_rankings({W!r}, {b!r})", len(naive.rankings(W, b)))


@question("implicit_rankings", 5)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    R, orders = f"implicit_rankings({W!r}, {b!r})", naive.rankings(W, b)
    yield Case(f"set(map(tuple, {R}[:].tolist()))", orders)
    yield Case(f"[R.index(order) for R in [{R}] for order in R]", list(range(len(orders))))


@question("argmax_labels", 30)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    first = sorted({order[0] for order in naive.rankings(W, b)})
    yield Case(f"argmax_labels({W!r}, {b!r}).tolist()", first)
    answers = [i in first for i in range(len(W))]
    yield Case(f"proved(can_be_top({W!r}, {list(range(len(W)))!r}, offsets={b!r}))", answers)
    yield Case(f"audit({W!r}, {b!r}).can_win.tolist()", [int(answer) for answer in answers])


@question("can_be_top", 30)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    orders, k = naive.rankings(W, b), rng.randint(1, min(3, len(W)))
    offered = rng.sample(list(permutations(range(len(W)), k)), min(5, len(W)))
    answers = [order in tops(orders, k) for order in offered]
    yield Case(
        f"proved(can_be_top({W!r}, {list(map(list, offered))!r}, offsets={b!r}, ordered=True))",
        answers,
    )
    sets = {tuple(sorted(top)) for top in tops(orders, k)}
    answers = [tuple(sorted(order)) in sets for order in offered]
    yield Case(f"proved(can_be_top({W!r}, {list(map(list, offered))!r}, offsets={b!r}))", answers)


@question("top_k_sets", 20)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    orders, k = naive.rankings(W, b), rng.randint(1, len(W))
    sets = {tuple(sorted(top)) for top in tops(orders, k)}
    yield Case(f"signs(top_k_sets({W!r}, {k}, offsets={b!r}))", sets)
    yield Case(f"signs(top_k_rankings({W!r}, {k}, offsets={b!r}))", tops(orders, k))


@question("top_ties", 15)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng, 5, 2)
    if len(W) > 1:
        both = tops(naive.rankings(W, b), 2)
        pairs = {(i, j) for i, j in combinations(range(len(W)), 2) if {(i, j), (j, i)} <= both}
        yield Case(f"signs(top_ties({W!r}, {b!r}))", pairs)
        text = f"{{t.labels for t in tie_sets({W!r}, {b!r}) if len(t.labels) == 2}}"
        if len(W) > 2 or b is not None:  # without offsets, all labels tie at the origin
            yield Case(text, pairs)


@question("place_range", 30)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    orders = naive.rankings(W, b)
    places = [[order.index(i) for order in orders] for i in range(len(W))]
    yield Case(f"place_range({W!r}, {b!r}).tolist()", [[min(p), max(p)] for p in places])


@question("best_ranking", 10)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    aim = rng.sample(range(len(W)), len(W))

    def distance(order: Order) -> int:
        return sum(order.index(i) > order.index(j) for i, j in combinations(aim, 2))

    right = min(map(distance, naive.rankings(W, b)))
    yield Case(f"best_ranking({W!r}, {aim!r}, offsets={b!r}).value", right)


@question("kemeny_ranking", 20)
def _(rng: Random) -> Iterator[Case]:
    n, m = rng.randint(1, 5), rng.randint(1, 5)
    votes: list[list[Any]] = [rng.sample(range(n), rng.randint(1, n)) for _ in range(m)]
    ties = [[[i] for i in vote] for vote in votes]
    for k, vote in enumerate(votes):
        if len(vote) > 1 and rng.random() < 0.4:
            ties[k] = [vote[:2], *ties[k][2:]]
            votes[k] = [tuple(vote[:2]), *vote[2:]]
    size = rng.choice(((1, 2, 3), (0.1, 0.2, 0.3), (10**30, 1, 10**30 + 1), (2.0**-60, 1, 0)))
    weights = [rng.choice(size) for _ in range(m)]
    right = min(
        sum(
            Fraction(w) * sum(order.index(i) > order.index(j) for i, j in _pairs(levels))
            for w, levels in zip(weights, ties, strict=True)
        )
        for order in permutations(range(n))
    )
    call = f"kemeny_ranking({votes!r}, {weights!r}, labels={list('abcde'[:n])!r})"
    yield Case(f"(k := {call}).value, k.bound, k.verify()", (right, right, True))


def _pairs(levels: list[list[int]]) -> Iterator[tuple[int, int]]:
    for one, other in combinations(levels, 2):
        yield from product(one, other)


@question("fold_rankings", 5)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    orders = naive.rankings(W, b)
    table: list[list[Any]] = [
        [sum(order[place] == i for order in orders) for place in range(len(W))]
        for i in range(len(W))
    ]
    yield Case(f"fold_rankings({W!r}, 'places', offsets={b!r}).tolist()", table)


@question("write_rankings", 4)
def _(rng: Random) -> Iterator[Case]:
    W, b = inputs.labels(rng)
    folder = f"memory://attack/{rng.getrandbits(60)}"
    yield Case(f"blocks(write_rankings({W!r}, {folder!r}, offsets={b!r}))", naive.rankings(W, b))
