"""Planes of gains, against the gains."""

import numpy as np
import pytest

from arrangements.core.arrangement import Arrangement
from arrangements.search.flag import arrangement_flag
from arrangements.search.gains import gains_of, planes_of


@pytest.mark.parametrize(
    ("gains", "number"), [([1, -1, 1], 1), ([7, 1, 2, 3, 4], 3), ([0, 0], 0), ([2**60, -5], 2)]
)
def test_planes_sum_to_the_sizes(gains, number):
    planes, weights = planes_of(np.array(gains))
    assert len(planes) == len(weights) == number
    assert (weights @ planes).tolist() == np.abs(gains).tolist()


def test_many_different_gains_and_long_names_are_left_to_rows():
    flag = arrangement_flag(Arrangement(np.random.default_rng(0).integers(-9, 9, (60, 3))), 0)
    assert gains_of(np.arange(60), flag) is not None
    assert gains_of(np.arange(60) * 10**9 + 2**50, flag) is None
    deep = arrangement_flag(Arrangement(np.eye(40, dtype=int)), 0)
    assert gains_of(np.ones(40, int), deep) is None
