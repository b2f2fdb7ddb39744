"""Nearest points of convex hulls, against what makes them so."""

import numpy as np
import pytest

from arrangements.kernels.cone.nearest_points import (
    INFINITY,
    NOTHING,
    POSITIVE,
    UNCLEAR,
    ZERO,
    Answers,
    Asked,
    nearest_points,
)


def solved(table, active, highs=None, signs=None, infinity=None):
    """One question: status, point, rows of its corral and their weights."""
    k, d = len(active), table.shape[1]
    highs = [NOTHING] * k if highs is None else highs
    signs = [1] * k if signs is None else signs
    asked = Asked(
        np.array([active], np.int32),
        np.array([highs], np.int32),
        np.array([signs], np.int8),
        np.array([k]),
    )
    found = Answers(
        np.zeros((1, d + 1), np.int32),
        np.zeros(1, np.int64),
        np.zeros((1, d + 1)),
        np.zeros((1, d)),
        np.zeros(1, np.int64),
    )
    infinity = np.zeros(d) if infinity is None else infinity
    nearest_points(table, infinity, False, asked, found)
    size = found.sizes[0]
    return found.status[0], found.points[0], found.corrals[0, :size], found.weights[0, :size]


@pytest.mark.parametrize("seed", range(10))
def test_the_point_is_nearest(seed):
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((12, 2 + seed % 3)) + 1.0
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    status, point, corral, weights = solved(table, range(12))
    assert np.isclose(weights.sum(), 1) and (weights > 0).all()
    assert np.allclose(weights @ units[corral], point)
    if status == POSITIVE:
        assert (units @ point > 0).all()
    else:
        assert status == ZERO and np.allclose(point, 0, atol=1e-9)


def test_differences_signs_and_infinity():
    table = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]])
    status, point, _, _ = solved(table, [0, 1], highs=[2, 2])
    assert status == POSITIVE
    assert (point @ (table[2] - table[:2]).T > 0).all()
    status, point, corral, weights = solved(table, [0, 0], signs=[1, -1])
    assert status == ZERO and sorted(corral) == [0, 1] and np.allclose(weights, 0.5)
    down = np.array([0.0, -1.0])
    status, point, _, _ = solved(table, [INFINITY, 0], infinity=down)
    assert status == POSITIVE and point[1] < 0 < point[0]


def test_a_zero_row_is_unclear():
    assert solved(np.zeros((1, 2)), [0])[0] == UNCLEAR
