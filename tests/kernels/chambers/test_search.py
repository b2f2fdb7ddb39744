"""The search against plain Python: the list of all chambers, in steps of any size."""

import numpy as np
import pytest
from naive import chambers as naive_chambers

from arrangements.kernels.chambers import search
from arrangements.kernels.chambers.workspace import (
    DONE,
    FULL,
    PAUSED,
    STORE,
)
from arrangements.search import chamber_sweep
from arrangements.sets.packed import unpack_signs
from kernels.chambers.exact_tableau import (
    affine_flag,
    exact_sweep,
    line,
    small_integers,
)


def advanced(flag, rows, budget, store):
    """All chambers by calls that end early, and how they ended."""
    sweep, found, endings = exact_sweep(flag), [], set()
    space = sweep.space
    space.state[STORE] = store
    out, total = np.zeros((rows, space.masks.shape[2]), np.uint64), 0
    status = FULL
    while status in (FULL, PAUSED):
        status, count = search.advance(space, budget, out, 0)
        endings.add(status)
        found += [row.copy() for row in out[: count if store else 0]]
        total += count
    assert status == DONE
    return found, total, endings


@pytest.mark.parametrize("seed", range(3))
def test_all_chambers_in_small_steps(seed):
    W, b = small_integers(seed, 8, 3)
    flag = affine_flag(W, b, seed)
    found, total, endings = advanced(flag, 10, 3, 1)
    assert endings == {DONE, FULL, PAUSED} and len(found) == total
    signs = {tuple(row) for row in unpack_signs(np.array(found), flag.n).tolist()}
    assert len(signs) == total and signs == {tuple(s) for s in naive_chambers(W, b)}
    found, counted, endings = advanced(flag, 1, 3, 0)
    assert (found, counted, endings) == ([], total, {DONE, PAUSED})


def test_equal_hyperplanes_are_marked():
    W = [[1, 0], [0, 1], [2, 0], [1, 1], [-1, 0], [0, 3], [1, 0]]
    sweep = chamber_sweep.ChamberSweep(affine_flag(W, [1, 2, 2, 3, -1, 6, 2]))
    line(sweep, np.zeros((9, 1), np.uint64))
    assert sweep.space.parallel[:7].tolist() == [0, 1, 0, 3, 0, 1, 6]
