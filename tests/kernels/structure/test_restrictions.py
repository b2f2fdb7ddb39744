"""Restrictions and their weights against rows of Fractions and deletion-restriction."""

import naive
import numpy as np
import pytest

from arrangements.exact.residues import primes
from arrangements.kernels.structure import restrictions
from arrangements.kernels.structure.restrictions import expand
from arrangements.kernels.structure.states import BAD_PRIME, DONE, FULL
from kernels import compiled
from kernels.plain import from_residue, rank
from kernels.structure.plain_states import (
    alone,
    empty_level,
    level_of,
    residue_rows,
    residues_of_state,
    restricted,
    row_fields,
    scaled,
    scratch_for,
    states_of,
    weights_for,
)

ROWS = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 2]]
ROWS += [[1, 1, 1, 1], [1, -1, 0, 2]]
ROOT = [(scaled(row), 1) for row in ROWS]


@pytest.mark.slow
def test_one_restriction():
    restrict = compiled(restrictions.restrict)
    fields = row_fields()
    for state, k in [(ROOT, 4), (restricted(ROOT, 1), 3), (restricted(restricted(ROOT, 1), 2), 2)]:
        level, scratch = (
            level_of([ROOT, state] if k == 4 else [state], k),
            scratch_for(len(ROOT), k),
        )
        first = len(ROOT) if k == 4 else 0
        stop = first + len(state)
        for h in range(len(state)):
            count = restrict(
                level.rows, level.multiplicity, first, stop, first + h, k, fields, scratch
            )
            expected = restricted(state, h)
            assert scratch.rows[:count, : k - 1].tolist() == residue_rows(
                row for row, _ in expected
            )
            assert scratch.multiplicity[:count].tolist() == [m for _, m in expected]


@pytest.mark.slow
def test_bad_primes():
    p = primes(1)[0]
    restrict, scratch = compiled(restrictions.restrict), scratch_for(3, 3)
    level = level_of([[((1, 0, 0), 1), ((1, 0, p), 1), ((0, 1, 0), 1)]], 3)
    for h, answer in ((1, -1), (2, 2)):
        found = restrict(level.rows, level.multiplicity, 0, 3, h, 3, row_fields(), scratch)
        assert found == answer
    position = np.zeros(2, np.int64)
    ends = weights_for(3), empty_level(2, 9, 99), scratch, position, 10
    assert expand(level, alone(level), 3, row_fields(), *ends) == BAD_PRIME
    assert position.tolist() == [0, 0]


def descend(level, k, weights_of, budget):
    """All restrictions of a level, in calls of `budget`, with a level that grows."""
    weights, scratch = weights_of(k), scratch_for(len(ROOT), k)
    position, room = np.zeros(2, np.int64), 1
    child = empty_level(k - 1, 99, 999, level.weight.shape[1])
    small = child._replace(start=child.start[: room + 1])
    calls = []
    while position[0] < level.used[0]:
        before = position.copy()
        status = expand(
            level, alone(level), k, row_fields(), weights, small, scratch, position, budget
        )
        calls.append(status)
        assert status in (DONE, FULL) and (status == FULL or (position != before).any())
        if status == FULL:
            room += 5
            small = child._replace(start=child.start[: room + 1])
    assert FULL in calls
    return small


def whitney(second):
    """Sums of the weights of each level, by kernels."""
    lengths = len(ROOT) + 1 if second else 1
    made = {}

    def weights_of(k):
        made[k] = weights_for(len(ROOT), lengths)
        return made[k]

    level = level_of([ROOT], 4, lengths)
    level = descend(level, 4, weights_of, 3)
    assert sorted(states_of(level)) == sorted(
        {
            repr(s): s for s in (residues_of_state(restricted(ROOT, h)) for h in range(len(ROOT)))
        }.values()
    )
    descend(level, 3, weights_of, 1000)
    p = primes(1)[0]
    sums = [int(made[4].sums[0, 0]), int(made[3].sums[0, 0])]
    return [1, *(from_residue(value, p) for value in sums)]


def test_whitney_numbers():
    coefficients = naive.characteristic_polynomial(ROWS)
    assert whitney(second=False) == [abs(c) for c in reversed(coefficients)][:3]
    dimensions = list(naive.flats_of(naive.covectors(ROWS)).values())
    assert whitney(second=True) == [dimensions.count(4 - k) for k in range(3)]
    assert rank(ROWS) == 4


@pytest.mark.parametrize("orbit", [[0], [3, 5]])
def test_some_rows_only(orbit):
    """A driver may ask for one restriction at a time, in any order."""
    level, child, scratch = level_of([ROOT], 4), empty_level(3, 9, 99), scratch_for(len(ROOT), 4)
    for h in orbit:
        position = np.array([0, h])
        arguments = weights_for(len(ROOT)), child, scratch, position, 1
        assert expand(level, alone(level), 4, row_fields(), *arguments) == DONE
        assert position.tolist() == [0, h + 1]
    assert states_of(child) == [residues_of_state(restricted(ROOT, h)) for h in orbit]


@pytest.mark.parametrize("lengths", [1, len(ROOT) + 1])
def test_rows_for_others(lengths):
    """A row that stands for three gives its restriction three times the weight."""
    sums = []
    for copies in ([1, 0, 0], [3, 0, 0], [1, 1, 1]):
        level, child = level_of([ROOT], 4, lengths), empty_level(3, 9, 99, lengths)
        weights, position = weights_for(len(ROOT), lengths), np.zeros(2, np.int64)
        scratch = scratch_for(len(ROOT), 4)
        copies = np.array([*copies, *[0] * (len(ROOT) - 3)])
        ends = row_fields(), weights, child, scratch, position, 99
        assert expand(level, copies, 4, *ends) == DONE
        assert position.tolist() == [1, 0]
        assert child.used[0] == np.count_nonzero(copies)
        p = primes(1)[0]
        weight = [from_residue(w, p) for w in child.weight[0].ravel()]
        sums.append([*weight, from_residue(weights.sums[0, 0], p)])
    once, thrice, apart = sums
    assert thrice == [3 * w % p for w in once] and any(once) and apart[:-1] == once[:-1]
