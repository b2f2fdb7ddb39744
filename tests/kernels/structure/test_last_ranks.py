"""The last ranks: weights of rows and lines of states in three coordinates, one by one."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements.exact.residues import primes
from arrangements.kernels.structure.last_ranks import add_last_ranks, empty_pairs
from arrangements.kernels.structure.states import BAD_PRIME, DONE
from kernels.plain import to_residue
from kernels.structure.plain_states import (
    level_of,
    restricted,
    row_fields,
    scaled,
    scratch_for,
    weights_for,
    weights_for_total,
)

GRID = [(scaled((1, x, y)), 1 + (x * y) % 3) for x in range(4) for y in range(4)]
FRAME = [(scaled(row), m) for row, m in zip(np.eye(3, dtype=int).tolist(), (4, 1, 1), strict=True)]
LONG = [(scaled((1, i, i % 7)), 1 + (i % 2)) for i in range(80)]


def sums_of(states, total, second):
    """What rows and lines count, state by state, if all weights are 1."""
    rows = lines = Fraction(0)
    for state in states:
        share = total - sum(multiplicity for _, multiplicity in state)
        for h, (_, c) in enumerate(state):
            passed = 1 if second else Fraction(c, share + c)
            rows += passed
            for _, e in restricted(state, h):
                ratio = Fraction(c, c + e) if second else passed * Fraction(e, share + c + e)
                lines += ratio
    return rows, lines


@pytest.mark.sampled(1)
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("budget", [1, 7, 1000])
def test_sums(second, budget):
    states, total = [GRID, FRAME, LONG, GRID[:5]], 150
    level = level_of(states, 3, total + 1 if second else 1)
    weights = weights_for_total(total, total + 1 if second else 1)
    scratch, position = scratch_for(len(LONG), 3), np.zeros(2, np.int64)
    pairs = empty_pairs(total)
    calls = 0
    while position[0] < len(states):
        before = position.tolist()
        ends = weights, pairs, scratch, position, budget
        assert add_last_ranks(level, row_fields(), *ends) == DONE
        assert position.tolist() > before
        calls += 1
    assert (calls > 1) == (budget < 1000)
    p = primes(1)[0]
    expected = [
        to_residue(int(x.numerator * pow(x.denominator, -1, p)) % p, p)
        for x in map(Fraction, sums_of(states, total, second))
    ]
    assert weights.sums[:, 0].tolist() == [*expected, 0]
    assert not pairs.number.any() and (pairs.place == -1).all()


def test_bad_primes():
    p = primes(1)[0]
    level = level_of([[((1, 0, 0), 1), ((1, p, 0), 1), ((0, 1, 0), 1)]], 3)
    ends = weights_for(3), empty_pairs(3), scratch_for(3, 3), np.zeros(2, np.int64), 9
    assert add_last_ranks(level, row_fields(), *ends) == BAD_PRIME
