"""Numbers of bits against NumPy's bits."""

import numpy as np
import pytest

from arrangements.kernels.statistics.populations import TURNS, add_numbers, add_populations
from arrangements.sets.packed import pack_signs


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 130, 200, 700])
def test_rows_are_counted_by_their_bits(n):
    signs = np.random.default_rng(n).choice([-1, 1], (100, n)).astype(np.int8)
    rows = pack_signs(signs)
    rows = np.concatenate([rows, np.zeros_like(rows), ~np.zeros_like(rows)])
    histograms = np.ones((TURNS, 64 * rows.shape[1] + 1), np.int64)
    add_populations(rows, histograms)
    histogram = histograms.sum(axis=0)
    numbers = [*(signs > 0).sum(axis=1), *100 * [0], *100 * [64 * rows.shape[1]]]
    assert (histogram == TURNS + np.bincount(numbers, minlength=len(histogram))).all()


def test_rows_are_counted_by_their_numbers():
    numbers = np.random.default_rng(1).integers(0, 9, (50, 2)).astype(np.uint64)
    histograms = np.zeros((TURNS, 9), np.int64)
    add_numbers(numbers, histograms)
    assert (histograms.sum(axis=0) == np.bincount(numbers[:, 0].astype(int), minlength=9)).all()
