"""Halfspace depth, against formulas on the line and all directions that matter in the plane."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from arrangements.errors import InputError
from arrangements.optimize import halfspace_depth


def depth_in_plane(z, data):
    """The fewest points of a halfspace whose boundary is turned a little off a data point."""
    x, y = map(Fraction, z.tolist())
    moved = [(Fraction(a) - x, Fraction(b) - y) for a, b in data.tolist()]
    counts = [len(moved)]
    for u, v in set(moved) - {(0, 0)}:
        # which side of the line through (u, v), and for points on it, in front or behind
        places = [(a * v - b * u, a * u + b * v) for a, b in moved]
        for side, turn in product((1, -1), repeat=2):
            counts.append(sum((side * p, turn * q) >= (0, 0) for p, q in places))
    return min(counts)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(20))
def test_in_the_plane(seed):
    rng = np.random.default_rng(seed)
    data = rng.integers(-2, 3, (int(rng.integers(1, 10)), 2))
    if seed % 2:
        data = data + 1e-9 * rng.integers(-1, 2, data.shape)
    points = np.vstack([data, rng.integers(-2, 3, (3, 2))])
    expected = [depth_in_plane(z, data) for z in points]
    assert halfspace_depth(points, data).tolist() == expected
    assert halfspace_depth(points, data, workers=2).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_on_the_line(seed):
    data = np.random.default_rng(seed).integers(-3, 4, (12, 1))
    points = np.arange(-4, 5)[:, None]
    expected = np.minimum((data.T <= points).sum(axis=1), (data.T >= points).sum(axis=1))
    assert halfspace_depth(points, data).tolist() == expected.tolist()
    assert np.array_equal(halfspace_depth(points, data, normalized=True), expected / 12)


def test_depth_does_not_change_with_coordinates():
    rng = np.random.default_rng(1)
    data = rng.integers(-4, 5, (15, 3))
    change = np.array([[1, 2, 0], [0, 1, 5], [0, 0, 1]])
    moved = halfspace_depth(data @ change * 1e200, data @ change * 1e200)
    assert np.array_equal(halfspace_depth(data, data), moved)


def test_a_flat_cloud():
    data = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    assert halfspace_depth([[1, 0, 0], [1, 1, 0]], data).tolist() == [2, 0]
    assert halfspace_depth([[5, 5, 5]], [[5, 5, 5], [5, 5, 5]]).tolist() == [2]


def test_the_center_of_a_symmetric_cloud():
    X = np.random.default_rng(0).standard_normal((20, 3))
    assert halfspace_depth([[0, 0, 0]], np.vstack([X, -X])).tolist() == [20]


def test_bad_arguments():
    with pytest.raises(InputError, match="the same number of columns"):
        halfspace_depth([[1, 2]], [[1, 2, 3]])


def test_data_points_beyond_the_range_of_floats() -> None:
    """Differences that are no floats, one of them zero: the point counts in its own depth."""
    tiny = Fraction(1, 10**400 + 1)
    data = np.array([[0, tiny], [1, Fraction(1, 7)], [-1, 0], [0, -3], [2, 2]], object)
    assert halfspace_depth(data, data).tolist() == [depth_in_plane(z, data) for z in data]
    assert halfspace_depth(data[:1], data).tolist() == [2]


def test_columns_that_span_more_than_the_normal_floats() -> None:
    """Powers of two that scale columns must not round what those of rows bring back."""
    near = 2.0**-51 * np.array([[-11, 16], [3, -5], [-6, 28]])
    assert halfspace_depth([[0.0, 0.0]], near).tolist() == [1]
    assert halfspace_depth([[0.0, 0.0]], np.vstack([near, [2.0**1023] * 2])).tolist() == [1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_depths_over_the_whole_range_of_floats(seed) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(15):
        n = int(rng.integers(3, 6))
        near = rng.integers(-30, 31, (n, 2)) * 2.0 ** -int(rng.integers(45, 56))
        exponents = [rng.integers(-1074, 1010, (n, 2)), rng.integers(-1074, 1010, n)[:, None]]
        wide = np.ldexp(rng.integers(-30, 31, (n, 2)), exponents[seed % 2])
        for data in (np.vstack([near, [2.0**1023] * 2]), wide):
            points = np.array([[0.0, 0.0], data[0]])
            expected = [depth_in_plane(z, data) for z in points]
            assert halfspace_depth(points, data).tolist() == expected
