"""Bases without broken circuits, against their definition."""

from itertools import combinations

import numpy as np
import pytest
from kernels.plain import echelon

from arrangements import generators
from arrangements.algebra import nbc_bases, nbc_sets


def rank(rows):
    return len(echelon([list(map(int, row)) for row in rows])) if len(rows) else 0


def by_definition(W, b):
    """Sets of the largest rank that meet and contain no circuit without its least element."""
    cone = np.column_stack([W, b])
    n, top = len(W), rank(W)

    def meets(chosen):
        return rank(W[chosen]) == rank(cone[chosen])

    def independent(chosen):
        return rank(W[chosen]) == len(chosen)

    sets = [list(c) for k in range(2, n + 1) for c in combinations(range(n), k)]
    circuits = [
        c
        for c in sets
        if meets(c)
        and not independent(c)
        and all(independent([e for e in c if e != left]) for left in c)
    ]
    broken = [set(c[1:]) for c in circuits]
    bases = (c for c in combinations(range(n), top) if independent(list(c)) and meets(list(c)))
    return {c for c in bases if not any(part <= set(c) for part in broken)}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("affine", [False, True])
def test_by_definition(affine):
    rng = np.random.default_rng(5)
    for _ in range(8):
        W = rng.integers(-1, 2, (6, 3))
        W[~W.any(axis=1)] = 1
        b = rng.integers(-1, 2, 6) * affine
        found = list(nbc_bases(W, b))
        assert len(found) == len(set(found)) and all(c == tuple(sorted(c)) for c in found)
        assert set(found) == by_definition(W, b)


def test_numbers_of_any_size() -> None:
    # the same arrangement in other coordinates, in which minors have 10,000 bits
    W = generators.braid(4).normals.tolist()
    scaled = [[e * 10 ** (700 * j + i) for j, e in enumerate(row)] for i, row in enumerate(W)]
    assert sorted(nbc_sets(scaled, 2)) == sorted(nbc_sets(W, 2))
