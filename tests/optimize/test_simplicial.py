"""Simplicial depth, against all simplices one by one, in Fractions."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from arrangements.errors import InputError, TooLargeError
from arrangements.optimize import simplicial_depth


def in_hull(z, corners):
    """Whether z is a convex combination of some affinely independent ones of the corners."""
    rows = [[Fraction(c) - Fraction(x) for c, x in zip(p, z, strict=True)] for p in corners]
    return any(
        zero_inside(part) for size in range(1, len(rows) + 1) for part in combinations(rows, size)
    )


def zero_inside(rows):
    """Whether weights w > 0 of sum 1 exist, and no others, with sum of w_i rows_i = 0."""
    system = [[*column, Fraction(0)] for column in zip(*rows, strict=True)]
    system.append([Fraction(1)] * (len(rows) + 1))
    pivots = []
    for j in range(len(rows) + 1):
        k = next((k for k in range(len(pivots), len(system)) if system[k][j]), None)
        if k is None:
            continue
        i = len(pivots)
        system[i], system[k] = system[k], system[i]
        system[i] = [x / system[i][j] for x in system[i]]
        for other in range(len(system)):
            if other != i:
                factor = system[other][j]
                system[other] = [
                    x - factor * y for x, y in zip(system[other], system[i], strict=True)
                ]
        pivots.append(j)
    return pivots == list(range(len(rows))) and all(row[-1] > 0 for row in system[: len(rows)])


def counted(points, data):
    d = data.shape[1]
    return [
        sum(in_hull(z, corners) for corners in combinations(data.tolist(), d + 1))
        for z in points.tolist()
    ]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(80))
def test_against_all_simplices(seed):
    rng = np.random.default_rng(seed)
    d = 1 + seed % 3
    n = int(rng.integers(1, (10, 8, 7)[d - 1]))
    data = [
        rng.integers(-2, 3, (n, d)),
        rng.integers(-1, 2, (n, d)),
        rng.standard_normal((n, d)),
        rng.integers(-2, 3, (n, d)) * 1e-3,
        rng.integers(-2, 3, (n, 1)) * rng.integers(-2, 3, (1, d)),
    ][seed % 5]
    points = np.vstack([data[:1], rng.integers(-1, 2, (1, d)), data.sum(axis=0)[None] / n])
    assert simplicial_depth(points, data).tolist() == counted(points, data)


def test_large_numbers_and_one_ulp():
    """Quotients whose floats are equal, and a point beside the diagonal by one unit."""
    corners = np.array([[0, 0], [3, 3], [0, 3]]) * 2**60
    corners = corners.astype(object) + np.array([[0, 1], [1, 1], [1, 0]])
    points = np.array([[3 * 2**59, 3 * 2**59 + k] for k in range(3)], object)
    assert simplicial_depth(points, corners).tolist() == counted(points, corners)
    beside = [1.0, float(np.nextafter(1.0, 0.0))]
    triangle = [[0.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    assert simplicial_depth([[1.0, 1.0], beside], triangle).tolist() == [1, 0]
    wide = np.array([[1e300, 1e-300, 0], [-1e300, 0, 1], [0, -1e-300, -1], [0, 0, 1e-320]])
    assert simplicial_depth([[0.0, 0, 0]], wide).tolist() == counted(np.zeros((1, 3)), wide)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_symmetric_cloud(d):
    """Of a point and its opposite, for each set of d + 1 lines: 2 of 2**(d + 1) simplices."""
    X = np.random.default_rng(0).standard_normal((6, d))
    both = np.vstack([X, -X])
    pairs = sum(
        in_hull([0] * d, both[list(rows)].tolist())
        for rows in combinations(range(12), d + 1)
        if len({k % 6 for k in rows}) <= d
    )
    assert simplicial_depth([[0] * d], both).tolist() == [2 * comb(6, d + 1) + pairs]


def test_all_depths_of_a_cloud_have_a_known_sum():
    """Points of a convex polygon are corners only; threads change nothing."""
    X = [[k, k * k] for k in range(20)]
    assert simplicial_depth(X, X, workers=2).tolist() == [comb(19, 2)] * 20
    assert simplicial_depth(X, X, normalized=True) == pytest.approx(3 / 20)
    curve = [[k, k**2, k**3] for k in range(12)]
    assert simplicial_depth(curve, curve).tolist() == [comb(11, 3)] * 12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: simplicial_depth([[1] * 4], [[1] * 4]), "data has 4 columns; expected at most 3"),
        (lambda: simplicial_depth([[1, 2]], [[1, 2, 3]]), "the same number of columns"),
        (
            lambda: simplicial_depth([[0, 0]], [[1, 2]], normalized=True),
            "data has 1 rows and normalized is True; expected 3 rows or more",
        ),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_what_takes_too_long_is_refused():
    with pytest.raises(TooLargeError, match="quotients takes about"):
        simplicial_depth([[0, 0, 0]], np.ones((1000, 3)), max_hours=1e-6)
