"""Sums over rows, against Python integers."""

import numpy as np
import pytest

from arrangements.core.arrangement import Arrangement
from arrangements.kernels.chambers import line_sums
from arrangements.kernels.chambers.workspace import SIGNS
from arrangements.search.flag import arrangement_flag
from arrangements.search.gains import gains_of
from arrangements.search.value_sweep import sums_of
from kernels import compiled


@pytest.mark.slow
def test_value_of_a_row():
    flag = arrangement_flag(Arrangement(np.eye(5, dtype=int)), 0)
    gains = np.array([4, -3, 0, 1, -2])
    sums = sums_of(gains_of(gains, flag), flag.d)
    for row in range(32):
        sums.sets[SIGNS, 0] = row
        expected = sum(g for i, g in enumerate(gains.tolist()) if row >> i & 1)
        assert compiled(line_sums.value_of_row)(sums) == expected
