"""Signs of children: those of a leaf in one pass are those found step by step."""

import numpy as np
import pytest

from arrangements import generators
from arrangements.core.arrangement import Arrangement
from arrangements.kernels.chambers import child_signs, tableau
from arrangements.kernels.chambers.workspace import DEPTH, ROWS
from arrangements.runs.sources import ChamberSource
from arrangements.search.chamber_sweep import ChamberSweep
from kernels import compiled

sign_leaf, fill_flips = compiled(child_signs.sign_leaf), compiled(child_signs.fill_flips)
multipliers, narrow_columns = compiled(tableau.multipliers), compiled(tableau.narrow_columns)

ARRANGEMENTS = [
    *(generators.generic(n, d, n + d).normals for n, d in ((40, 3), (33, 4), (64, 3), (34, 6))),
    np.random.default_rng(0).integers(-2, 3, (40, 4)),
    np.random.default_rng(3).integers(-9, 10, (40, 5)),
    np.random.default_rng(1).standard_normal((35, 4)) * 10.0 ** np.arange(0, -35, -1)[:, None],
]


def leaves(W, most=200):
    """The workspace of a sweep, each time that a leaf is done."""
    sweep = ChamberSweep(ChamberSource(Arrangement(W[(W != 0).any(axis=1)])).flag(0))
    out, finished = np.empty((100, 1), np.uint64), False
    while not finished and most > 0:
        finished, _, _ = sweep.advance(out, 0, True, 1)
        if sweep.space.state[DEPTH] == sweep.flag.d - 2:
            most -= 1
            yield sweep.space


@pytest.mark.slow
@pytest.mark.parametrize("W", ARRANGEMENTS)
def test_signs_of_leaves(W):
    seen = proven = 0
    for space in leaves(W):
        e = int(space.state[DEPTH])
        p = int(space.chain[e - 1])
        # the columns of the parent that only signs need
        narrow_columns(space, e - 1, space.state[ROWS] + 15 & ~15, p, True)
        space.flip[:] = ~np.uint64(0)
        sign_leaf(space, e, p, p)
        found, open_rows = space.flip[0, :p].copy(), int(space.multiplier[-1, 0])
        multipliers(space, e, p, True, p)
        assert (open_rows ^ int(space.multiplier[-1, 0])) & (1 << p) - 1 == 0
        for i in range(0, p, 8):
            fill_flips(space.masks, space.multiplier, space.flip, e, i)
        sure = [j for j in range(p) if not open_rows >> j & 1]
        assert (found[sure] == space.flip[0, sure]).all()
        seen, proven = seen + p, proven + len(sure)
    assert proven > seen / 2 > 0
