"""Nearest points of hulls: what Wolfe's method proposes, against plain facts about it."""

from typing import Any

import numpy as np
import pytest

from arrangements.kernels.cone.nearest_points import (
    INFINITY,
    NOTHING,
    POSITIVE,
    THRESHOLD,
    UNCLEAR,
    ZERO,
    nearest_points,
)


def nearest(
    table: Any, active: Any, highs: Any, signs: Any, infinity: Any = None, threshold: bool = False
) -> tuple[int, Any, Any, Any]:
    """Status, point, corral and weights of one question."""
    table = np.array(table, np.float64)
    width = table.shape[1] + threshold
    infinity = np.zeros(table.shape[1]) if infinity is None else np.array(infinity, np.float64)
    corral, size = np.zeros((1, width + 1), np.int32), np.zeros(1, np.int64)
    weights, point = np.zeros((1, width + 1)), np.zeros((1, width))
    status = np.zeros(1, np.int64)
    asked = [np.array([values], kind) for values, kind in ((active, np.int32), (highs, np.int32))]
    nearest_points(
        table,
        infinity,
        threshold,
        *asked,
        np.array([signs], np.int8),
        np.array([len(active)]),
        corral,
        size,
        weights,
        point,
        status,
    )
    return int(status[0]), point[0], corral[0, : size[0]], weights[0, : size[0]]


@pytest.mark.parametrize("seed", range(20))
def test_points_and_combinations(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 7))
    rows = rng.standard_normal((int(rng.integers(2, 4 * d)), d))
    n = len(rows)
    status, point, corral, weights = nearest(rows, range(n), [NOTHING] * n, [1] * n)
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert status in (POSITIVE, ZERO)
    assert abs(weights.sum() - 1) < 1e-9 and (weights >= 0).all()
    assert np.allclose(weights @ unit[corral], point)
    if status == POSITIVE:
        assert (unit @ point > 0).all()
    else:
        assert np.abs(point).max() < 1e-9


def test_differences_thresholds_and_infinity() -> None:
    table = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]]
    status, _, corral, _ = nearest(table, [0, 1, 2], [3, 3, 3], [0, 0, 0])
    assert status == ZERO and sorted(corral.tolist()) == [0, 1, 2]
    status, point, _, _ = nearest(table, [0, 2, 3], [1, 1, 1], [0, 0, 0])
    assert status == POSITIVE and point[0] > max(0, point[1])
    on = [THRESHOLD] * 4
    status, point, _, _ = nearest(table, range(4), on, [-1, 1, 1, -1], threshold=True)
    scores = np.array(table) @ point[:2]
    assert status == POSITIVE and min(scores[1:3]) > point[2] > max(scores[0], scores[3])
    # x > 0 and -x + 1 > 0, with the coordinate 1 positive
    found = nearest([[1, 0], [-1, 1]], [INFINITY, 0, 1], [NOTHING] * 3, [0, 1, 1], [0, 1])
    assert found[0] == POSITIVE and 0 < found[1][0] < found[1][1]


def test_a_zero_row_is_left_to_others() -> None:
    assert nearest([[0.0, 0.0], [1.0, 0.0]], [0, 1], [NOTHING] * 2, [1, 1])[0] == UNCLEAR
