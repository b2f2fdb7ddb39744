"""Sets of rows against Python integers; arrays against what is said about them."""

import numpy as np

from arrangements.kernels.chambers import workspace
from arrangements.search import chamber_sweep, value_sweep
from arrangements.search.gains import gains_of
from kernels import compiled, dtypes
from kernels.chambers.exact_tableau import affine_flag, small_integers

bit, set_bit = compiled(workspace.bit), compiled(workspace.set_bit)


def test_sets_of_rows():
    sets, rng = np.zeros((2, 3, 2), np.uint64), np.random.default_rng(0)
    word = 0
    for i in [0, 63, 64, 127, *rng.integers(0, 128, 30).tolist()]:
        set_bit(sets, 1, 2, i)
        word |= 1 << i
        assert int(sets[1, 2, 0]) | int(sets[1, 2, 1]) << 64 == word
        assert all(bit(sets, 1, 2, k) == word >> k & 1 for k in range(128))
    assert not sets[0].any() and not sets[1, :2].any()


def test_arrays_have_the_types_that_are_promised():
    flag = affine_flag(*small_integers(0, 9, 3))
    space = chamber_sweep.workspace(flag)
    sums = value_sweep.sums_of(gains_of(np.arange(flag.n), flag), flag.d)
    found = [*dtypes(space), *dtypes(sums)]
    assert len(found) == 44
    for name, dtype, promised in found:
        assert dtype == promised, name


def test_registers_and_sets_are_different():
    registers = [workspace.DEPTH, workspace.STAGE, workspace.EXACT_DEPTH, workspace.ROWS]
    registers += [workspace.ROOT_SIGN, workspace.OWN, workspace.ENOUGH, workspace.STORE]
    registers += [workspace.HAS_WIDE, workspace.EXACT_COUNT, workspace.WORK, workspace.BALANCE]
    registers += [workspace.MINOR_DEPTH, workspace.HAS_INFINITY, workspace.SPENT]
    space = chamber_sweep.workspace(affine_flag(*small_integers(0, 9, 3)))
    assert len(set(registers)) == 15 and max(registers) < len(space.state)
    assert space.masks.shape[1] == workspace.TAKEN + 1
