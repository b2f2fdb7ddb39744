"""The method of docs/algorithms.md, section 10: one number for each label, here with fractions."""

import random
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

from arrangements import chambers


def sign(x: Any) -> int:
    return (x > 0) - (x < 0)


def rankings_by_blocks(W: Any, b: Any, seed: int = 0) -> list[list[int]]:
    rng, n, d = random.Random(seed), len(W), len(W[0])
    mix = [[rng.randint(-(10**6), 10**6) for _ in range(d)] for _ in range(d)]
    table = [
        [Fraction(sum(w[k] * m[k] for k in range(d))) for m in mix] + [Fraction(c)]
        for w, c in zip(W, b, strict=True)
    ]
    found = []

    def line(table, e, block, merges, last):  # block: label -> smallest of its block
        heads = sorted(set(block.values()))

        def pair(a, c):
            return [x - y for x, y in zip(table[a], table[c], strict=True)]

        def point(a, c):
            row = pair(a, c)
            parts = (-row[e + 1], row[d]) if e < d - 1 else (row[d],)
            return row[e] and tuple(-x / row[e] for x in parts)

        def above(x, y, t):  # just after t; None: the far end
            row = pair(x, y)
            crossed = t is not None and row[e] and point(x, y) <= t
            return sign(row[e]) * (1 if crossed else -1) or sign(row[d])

        def order(heads, t):
            return sorted(heads, key=lambda x: sum(above(x, y, t) < 0 for y in heads if y != x))

        def ranking(t, forward):
            def members(head, q):  # of the block as it was before merge q
                if q == 0:
                    return [head]
                for run in merges[q - 1]:
                    if head in run:
                        run = run if forward[q - 1] else run[::-1]
                        return [i for x in run for i in members(x, q - 1)]
                return members(head, q - 1)

            return [i for x in order(heads, t) for i in members(x, e)]

        if e == 0:
            found.append(ranking(None, []))
        points = {(a, c): point(a, c) for c in heads for a in heads if a < c}
        for c in range(last):
            for a in range(c):
                t = points[a, c]
                tie = [p for p in points if points[p] == t]
                if not t or min(tie, key=lambda p: (p[1], p[0])) != (a, c):
                    continue
                row = pair(a, c)
                found.append(ranking(t, [(row[q] < 0) != (row[e] < 0) for q in range(e)]))
                if e < d - 1:
                    new = [
                        [x - r[e] / row[e] * y for x, y in zip(r, row, strict=True)] for r in table
                    ]
                    for r, old in zip(new, table, strict=True):
                        r[e] = old[e]
                    runs, joined = [], dict(block)
                    for x in heads:
                        run = [y for y in heads if y == x or (min(x, y), max(x, y)) in tie]
                        if len(run) > 1 and x == min(run):
                            runs.append(order(run, t))
                            joined |= {i: x for i in joined if block[i] in run}
                    line(new, e + 1, joined, merges + [runs], c)

    line(table, 0, {i: i for i in range(n)}, [], n)
    return found


@pytest.mark.parametrize(
    ("W", "b", "count"),
    [
        ([(0, 0), (3, 1), (1, 4), (-2, 5)], [0, 1, 5, 2], 18),  # in general position
        ([(0, 0), (1, 0), (0, 1), (1, 1)], [0, 0, 0, 0], 8),  # a square
        ([(0, 0), (1, 0), (0, 1), (1, 1)], [0, 1, 1, 5], 16),  # its parallel sides cross apart
    ],
)
def test_rankings_are_the_chambers_of_the_differences(W: Any, b: Any, count: int) -> None:
    found = rankings_by_blocks(W, b)
    pairs = list(combinations(range(len(W)), 2))
    rows = [[x - y for x, y in zip(W[i], W[j], strict=True)] for i, j in pairs]
    signs = chambers(rows, offsets=[b[i] - b[j] for i, j in pairs])
    order = {tuple(1 if r.index(i) < r.index(j) else -1 for i, j in pairs) for r in found}
    assert len(found) == count and order == {tuple(s.tolist()) for s in signs}
