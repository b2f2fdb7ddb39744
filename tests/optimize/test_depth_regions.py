"""Regions of depth and the deepest points: against the depths of their corners and of others."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements.errors import InputError, TooLargeError
from arrangements.optimize import depth_contours, depth_region, halfspace_depth, halfspace_median
from arrangements.optimize.depth_regions import _sides
from arrangements.optimize.polytopes import Polytope


def some_cloud(seed):
    """Few points of one to four dimensions: generic, with coincidences, or flat."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    n = int(rng.integers(1, (13, 13, 9, 8)[d - 1]))
    X = [
        rng.integers(-2, 3, (n, d)),
        rng.standard_normal((n, d)),
        rng.integers(-3, 4, (n, 1)) @ rng.integers(-2, 3, (1, d)),
        rng.integers(-3, 4, (n, d)) * 1e-160 + 1e-150,
    ][seed % 4]
    return rng, X


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(60))
def test_nothing_is_deeper_than_the_median(seed):
    rng, X = some_cloud(seed)
    found = halfspace_median(X)
    assert halfspace_depth([found.point], X)[0] == found.depth
    n = len(X)
    between = (X[rng.integers(0, n, 20)] + X[rng.integers(0, n, 20)]) / 2
    middle = [[sum(map(Fraction, c)) / n for c in X.T.tolist()]]
    assert halfspace_depth([*X, *between, *middle], X).max() <= found.depth


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_a_region_has_all_points_of_its_depth(seed):
    rng, X = some_cloud(seed)
    deepest = halfspace_median(X)
    for depth in {1, deepest.depth, int(rng.integers(1, deepest.depth + 1))}:
        region = depth_region(X, depth)
        assert region.depth == depth
        corners = region.vertices
        assert (halfspace_depth(corners, X) >= depth).all()
        # a corner is an end: beyond it, seen from within, points are less deep
        for corner in corners if len(corners) > 1 else ():
            beyond = [c + (c - m) / 1000 for c, m in zip(corner, region.point, strict=True)]
            assert halfspace_depth([beyond], X)[0] < depth


def test_a_cloud_whose_depths_are_known():
    circle = [[3, 4], [-3, 4], [3, -4], [-3, -4], [5, 0], [-5, 0], [0, 5], [0, -5]]
    found = halfspace_median(circle)
    assert (found.depth, found.vertices) == (4, ((0, 0),))
    hull = depth_region([*circle, [1, 1], [0, 0]], 1)
    assert len(hull.vertices) == 8 and hull.vertices[0] == (-5, 0)
    turned = zip(hull.vertices, hull.vertices[1:] + hull.vertices[:1], strict=True)
    assert all(x * v - y * u > 0 for (x, y), (u, v) in turned)  # counterclockwise around 0
    cube = [[x, y, z] for x in (0, 2) for y in (0, 2) for z in (0, 2)]
    assert len(depth_region(cube, 1).vertices) == 8
    assert halfspace_median(cube).vertices == ((1, 1, 1),)


def test_a_simplex_and_its_center_in_four_dimensions():
    simplex = [[0] * 4, *(7 * np.eye(4, dtype=int)).tolist()]
    assert len(depth_region([*simplex, [1] * 4], 1).vertices) == 5
    assert halfspace_median([*simplex, [1] * 4]).vertices == ((1, 1, 1, 1),)
    cross = np.vstack([np.eye(4, dtype=int), -np.eye(4, dtype=int)])
    assert len(depth_region(cross, 1).vertices) == 8
    cube = Polytope.box([0] * 4, [1] * 4)
    assert len(cube.vertices) == 16 and len(cube.cut((-1, -1, -1, -1, 1)).vertices) == 5
    assert len(cube.cut((-2, -2, -2, -2, 3)).vertices) == 4 * 3 + 1 + 4


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_collinear_points_in_four_dimensions(seed):
    """Three points of a line span no plane, with which others would span hyperplanes."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.integers(0, 3, (8, 4)), [[0] * 4, [1] * 4, [2] * 4]])
    between = (X[:, None] + X[None]).reshape(-1, 4) / 2
    depths = halfspace_depth(between, X)
    for region in depth_contours(X):
        corners = region.vertices
        assert (halfspace_depth(corners, X) >= region.depth).all()
        # the points of the region are those of its hull: depth 0 is outside of a cloud
        inside = halfspace_depth(between, np.array(corners, object)) > 0
        assert (inside == (depths >= region.depth)).all()


def test_all_regions_at_once():
    X = np.random.default_rng(2).integers(-9, 10, (14, 2))
    every = depth_contours(X)
    assert [region.depth for region in every] == list(range(1, halfspace_median(X).depth + 1))
    assert every == [depth_region(X, region.depth) for region in every]
    assert depth_contours(X, [3, 1]) == [every[2], every[0]]
    assert every[-1] == halfspace_median(X)


def test_points_that_occur_often():
    found = halfspace_median([[1, 1]] * 5 + [[0, 0], [7, 3]])
    assert (found.depth, found.point) == (5, (1, 1))
    assert halfspace_median([[2, 3], [2, 3]]).depth == 2
    line = halfspace_median([[0, 0], [1, 3], [2, 6], [3, 9]])
    assert line.vertices == ((1, 3), (2, 6)) and line.depth == 2


def test_one_ulp_decides():
    above = np.nextafter(1.0, 2.0)
    corners = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]
    assert halfspace_median([*corners, [1.0, 1.0]]).depth == 3
    found = halfspace_median([*corners, [1.0, above]])
    assert found.depth == 2 and halfspace_depth([[1.0, above]], [*corners, [1.0, above]])[0] == 2


def test_corners_beyond_the_range_of_floats_are_in_order():
    for size in (4, 10**400):
        data = np.array([[0, 0], [size, 0], [0, size], [size, size], [1, 1]], object)
        corners = [(0, 0), (size, 0), (size, size), (0, size)]
        assert list(depth_region(data, 1).vertices) == corners


def test_sides_of_large_numbers():
    big = 10**300
    seen = np.array([[big, big + 1], [big - 1, big], [2 * big, 2 * big + 2], [0, 0]], object)
    assert _sides(seen, np.array([0, 1])).tolist() == [[0, 1, 0, 0], [-1, 0, -1, 0]]


def test_cuts_of_a_cube():
    cube = Polytope.box([0, 0, 0], [1, 1, 1])
    corner = cube.cut((-1, -1, -1, 1))
    assert len(corner.vertices) == 4
    middle = cube.cut((1, -1, 0, 0)).cut((-1, 1, 0, 0))
    assert sorted(middle.points) == [(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)]
    assert middle.cut((0, 0, -1, 0)).cut((-1, 0, 0, 0)).points == [(0, 0, 0)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: halfspace_median([[1, 2, 3, 4, 5]]), "data has 5 columns; expected at most 4"),
        (lambda: depth_region([[0, 0], [1, 1]], 0), "depth is 0"),
        (lambda: depth_region([[0, 0], [1, 1]], 2), "depth is 2; no point is so deep"),
        (lambda: depth_region([[0], [1]], 9), "depth is 9; no point is so deep"),
        (lambda: depth_contours([[0], [1]], [1, 9]), "depths has 9; no point is so deep"),
        (lambda: halfspace_median([1, 2]), "data has shape"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_what_takes_too_long_is_refused():
    X = np.random.default_rng(0).standard_normal((2000, 3))
    with pytest.raises(TooLargeError, match="hyperplanes go through 3 of the points"):
        halfspace_median(X, max_hours=0.01)
