"""Values and names that a sweep adds up, against the rows that it lists."""

import numpy as np
import pytest

from arrangements.search import chamber_sweep
from arrangements.search.flag import arrangement_flag
from arrangements.search.gains import gains_of
from arrangements.sets.packed import unpack_signs
from kernels.chambers.summed import CASES, arrangement_of, summed


def bits_of(rows, n):
    return (unpack_signs(rows, n) > 0).astype(np.int64)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_sums_are_those_of_the_rows(name, affine):
    arrangement, rng = arrangement_of(name, affine)
    flag = arrangement_flag(arrangement, 0)
    listed = np.concatenate(list(chamber_sweep.ChamberSweep(flag).blocks(10**4)))
    bits = bits_of(listed, flag.n)
    for gains in (rng.choice([-1, 1], flag.n), rng.integers(-9, 10, flag.n), np.ones(flag.n, int)):
        sweep, found = summed(flag, gains_of(gains, flag))
        assert np.array_equal(np.sort(found[:, 0].view(np.int64)), np.sort(bits @ gains))
        assert len(np.unique(found[:, 1])) == len(found)
        for value, digits in found[rng.integers(0, len(found), 20)].tolist():
            values = bits_of(sweep.line_of(digits), flag.n) @ gains
            assert value in values.astype(np.uint64).tolist()
