"""Values and names that a sweep adds up, against the rows that it lists."""

import numpy as np
import pytest

from arrangements.kernels.chambers import line_sums
from arrangements.kernels.chambers.workspace import SUMMED
from arrangements.model.arrangement import Arrangement
from arrangements.search import chamber_sweep
from arrangements.search.flag import arrangement_flag
from arrangements.search.gains import gains_of
from arrangements.sets.packed import unpack_signs
from kernels import compiled
from kernels.chambers.summed import CASES, arrangement_of, summed


def bits_of(rows, n):
    return (unpack_signs(rows, n) > 0).astype(np.int64)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_sums_are_those_of_the_rows(name, affine):
    arrangement, rng = arrangement_of(name, affine)
    flag = arrangement_flag(arrangement, 0)
    listed = np.concatenate(list(chamber_sweep.Sweep(flag).blocks(10**4)))
    bits = bits_of(listed, flag.n)
    for gains in (rng.choice([-1, 1], flag.n), rng.integers(-9, 10, flag.n), np.ones(flag.n, int)):
        sweep, found = summed(flag, gains_of(gains, flag))
        assert sweep.space.state[chamber_sweep.registers.STORE] == SUMMED
        assert np.array_equal(np.sort(found[:, 0].view(np.int64)), np.sort(bits @ gains))
        assert len(np.unique(found[:, 1])) == len(found)
        for value, digits in found[rng.integers(0, len(found), 20)].tolist():
            values = bits_of(sweep.line_of(digits), flag.n) @ gains
            assert value in values.astype(np.uint64).tolist()


def test_value_of_a_row():
    flag = arrangement_flag(Arrangement(np.eye(5, dtype=int)), 0)
    gains = np.array([4, -3, 0, 1, -2])
    sweep, _ = summed(flag, gains_of(gains, flag))
    sums = sweep.space.sums
    for row in range(32):
        sums.row[0, 0] = row
        expected = sum(g for i, g in enumerate(gains.tolist()) if row >> i & 1)
        assert compiled(line_sums.value_of_row)(sums) == expected
