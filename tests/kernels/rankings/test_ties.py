"""Orders of blocks at points of a line, ties and merges against fractions."""

import numpy as np
import pytest

from arrangements.kernels.chambers.workspace import DONE
from arrangements.kernels.rankings import ties
from arrangements.kernels.rankings.workspace import FREE, TAKEN, TIED
from arrangements.search.label_flag import LabelFlag
from kernels import compiled
from kernels.rankings.exact_pairs import (
    Line,
    exact_sweep,
    label_columns,
    label_flag,
    of_pairs,
    pairs_of,
    small_labels,
)

settle = compiled(ties.settle)


def placed(ws, n):
    """The ranking in `position`."""
    return np.argsort(ws.position[:n]).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("error", [1.0, 1e14])
@pytest.mark.parametrize("seed", range(3))
def test_children_of_the_root(seed, error):
    """By floats where they do, or all by residues: children, their ties and their rankings."""
    n = 8
    flag = label_flag(*small_labels(seed, n, 2), seed)
    flag.errors = flag.errors * error
    sweep, line = exact_sweep(flag), Line(of_pairs(label_columns(flag)), 0, n)
    ws, tied = sweep.space, 0
    assert settle(ws, ties.FAR_END, 0, -1, -1, n) == (DONE, True)
    order = placed(ws, n)
    assert all(line.compare_far(x, y) > 0 for k, x in enumerate(order) for y in order[k + 1 :])
    for j, (a, c) in enumerate(pairs_of(n)):
        tie = line.tie(a, c)
        if tie is None or tie[0] != (a, c):
            if tie is None:
                assert settle(ws, ties.PLACE, 0, a, c, n) == (DONE, False)
            assert ws.taken[0, j] == TAKEN
            continue
        assert ws.taken[0, j] == FREE
        assert settle(ws, ties.PLACE, 0, a, c, n) == (DONE, True)
        assert ws.taken[0, j] == (TIED if len(tie) > 1 else FREE)
        tied += len(tie) > 1
        order = placed(ws, n)
        after = [line.compare(x, y, a, c)[0] for k, x in enumerate(order) for y in order[k + 1 :]]
        assert all(value > 0 for value in after)
        check_merge(ws, line, a, c, tie, n)
    assert tied > 0 or seed == 2


def check_merge(ws, line, a, c, tie, n):
    """Labels that meet at the point become blocks, in which either order is kept."""
    assert settle(ws, ties.MERGE, 0, a, c, n) == (DONE, True)
    groups = {x: {x} | {y for pair in tie if x in pair for y in pair} for x in range(n)}
    assert ws.block[1, :n].tolist() == [min(groups[x]) for x in range(n)]
    for x in range(n):
        assert ws.size[1, min(groups[x])] == len(groups[x])
        above = sum(line.compare(y, x, a, c)[0] > 0 for y in groups[x] - {x})
        assert ws.shift[0, :, x].tolist() == [len(groups[x]) - 1 - above, above]


@pytest.mark.slow
@pytest.mark.parametrize("central", [False, True])
def test_far_end_by_slopes(central):
    """As settled exactly, and not proved if two slopes are one unit in the last place apart."""
    place, rng = compiled(ties.place_by_slopes), np.random.default_rng(1)
    W = rng.standard_normal((9, 3))
    for apart in (True, False):
        W[4] = W[3] * (2.0 if apart else 1.0 + 2.0**-52)
        flag = LabelFlag(W - W[0], True, 0) if central else label_flag(W, np.arange(9) // 5)
        ws = exact_sweep(flag).space
        assert place(ws) == apart
        found = ws.position[:9].copy()
        assert settle(ws, ties.FAR_END, 0, -1, -1, 9) == (DONE, 1)
        assert (ws.position[:9] == found).all() or not apart
