"""The least weight of a side, against all chambers."""

import numpy as np
import pytest

from arrangements import chambers
from arrangements.optimize.depth import least_weight


def expected(rows, weights):
    """Over all chambers."""
    on = chambers(rows).to_array() > 0
    return int(np.where(on, weights[:, 1], weights[:, 0]).sum(axis=1).min())


@pytest.mark.sampled(25)
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("seed", range(25))
def test_generic_rows(seed, d):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 70 if d < 3 else 40))
    rows = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-5, 6, d)
    for weights in (np.tile([0, 1], (n, 1)), rng.integers(0, 9, (n, 2))):
        found = least_weight(rows, weights)
        assert found == expected(rows, weights)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("seed", range(25))
def test_what_is_found_in_degenerate_rows_is_right(seed, d):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2, 3, (int(rng.integers(1, 30)), d))
    rows = rows[rows.any(axis=1)] * 1.0
    if seed % 2:
        rows += 1e-15 * rng.integers(-3, 4, rows.shape) * (rows != 0)
    if not len(rows):
        return
    weights = rng.integers(0, 3, (len(rows), 2))
    assert least_weight(rows, weights) in (None, expected(rows, weights))


def test_a_cloud_around_its_center_is_decided():
    rows = np.random.default_rng(0).standard_normal((400, 3))
    both = np.vstack([rows, -rows])
    assert least_weight(rows, np.tile([1, 1], (400, 1))) == 400
    assert least_weight(both, np.tile([0, 1], (800, 1))) in (None, 400)
    assert least_weight(np.zeros((0, 3)), np.zeros((0, 2), np.int64)) == 0
    assert least_weight(np.eye(4), np.tile([0, 1], (4, 1))) is None  # a sweep is faster
