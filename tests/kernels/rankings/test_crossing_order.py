"""Sorting of crossings against Python's."""

import numpy as np
import pytest
from numba import njit

from arrangements.kernels.rankings import crossing_order


@njit
def sort_crossings(event, histogram, number):
    return crossing_order.sort_crossings(event, histogram, number)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [0, 1, 2, 8, 9, 10, 100, 3000])
def test_crossings_are_sorted(number):
    rng = np.random.default_rng(number)
    event, histogram = np.zeros((2, number + 8), np.uint64), np.zeros((2, 512), np.uint64)
    event[0, :number] = rng.integers(0, 2**63, number).astype(np.uint64) * 2
    expected = sorted(event[0, :number].tolist())
    assert sort_crossings(event, histogram, number)
    assert event[0, :number].tolist() == expected
    # nearly equal points in decreasing order: not quick
    event[0, :number] = np.uint64(2**45) - np.arange(number, dtype=np.uint64)
    assert sort_crossings(event, histogram, number) == (number < 100)
