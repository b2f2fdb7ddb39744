"""The traversal of reverse search against all chambers, in steps of any size."""

import naive
import numpy as np
import pytest

from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.cone import reverse_search
from arrangements.kernels.cone.cone_test import INSIDE, OUTSIDE, UNDECIDED
from arrangements.kernels.cone.reverse_search import DEPTH, DONE, NEXT, Traversal, traverse
from kernels import compiled

ROWS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 1, 1], [1, -1, 2]]


def start(system):
    """A traversal at the chamber of (1, 9, 81), as the signs of row 0 are +."""
    n, d = len(system.integers), system.dimension
    base = np.sign(np.array(system.integers) @ [1.0, 9.0, 81.0])
    base *= base[0]
    proofs = np.full((n, d + 1), -1, np.int64)
    state = np.array([0, 1, 0], np.int64)
    return Traversal(base, base.copy(), np.zeros(n, np.int64), state, proofs)


@pytest.mark.parametrize("room", [1, 3, 100])
@pytest.mark.parametrize("tests", [1, 7, 10**6])
def test_every_chamber_is_met_once(room, tests):
    system = HomogeneousRows(ROWS)
    at, work = start(system), system.work_for(system.table)
    found = [tuple(at.base.astype(int))]
    while not at.state[DONE]:
        out = np.zeros((room, len(ROWS)), np.int8)
        count = traverse(system.table, at, tests, system.safe, out, work)
        found += map(tuple, out[:count].tolist())
        assert (out[count:] == 0).all()
        crossed = at.path[: at.state[DEPTH]].tolist()
        assert sorted(crossed) == np.flatnonzero(at.signs != at.base).tolist()
    assert at.state[DEPTH] == 0 and at.state[NEXT] == len(ROWS)
    assert (at.signs == at.base).all()
    order = system.order
    expected = {s for s in naive.chambers(np.array(ROWS)[order]) if s[0] == 1}
    assert len(found) == len(expected) and set(found) == expected


def test_the_traversal_goes_on_after_residues_are_made():
    system = HomogeneousRows(ROWS)
    at, table = start(system), system.float_table
    work, met, stops = system.work_for(table), 0, 0
    out = np.zeros((100, len(ROWS)), np.int8)
    while not at.state[DONE]:
        count = traverse(table, at, 10**6, system.safe, out, work)
        if count < 0:
            count, stops, table = -1 - count, stops + 1, system.table
            work = system.work_for(table)
        met += count
    assert stops == 1 and 2 * (met + 1) == naive.count(ROWS)


@pytest.mark.slow
def test_walls_and_proofs_that_are_kept():
    across, still_proved = compiled(reverse_search._across), compiled(reverse_search._still_proved)
    system = HomogeneousRows(ROWS)
    at, work = start(system), system.work_for(system.table)
    chambers = naive.chambers(system.integers)
    for j in range(1, len(ROWS)):
        status = across(system.table, at.signs, j, system.safe, at.proofs, work)
        assert (status == OUTSIDE) == (tuple(at.signs.astype(int)) in chambers)
        at.signs[j] *= -1
        assert still_proved(at.proofs, at.signs, j) == (status == INSIDE) and status != UNDECIDED
        if status == INSIDE:
            tests = work.state[3]
            assert across(system.table, at.signs, j, system.safe, at.proofs, work) == INSIDE
            assert work.state[3] == tests  # the proof served
            at.signs[at.proofs[j, 0] >> 1] *= -1
            at.signs[j] *= -1
            assert not still_proved(at.proofs, at.signs, j) or at.proofs[j, 0] >> 1 == j
            at.signs[:] = at.base
