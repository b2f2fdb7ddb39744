"""Regression depth, against its definition in the plane and chambers beyond."""

from fractions import Fraction

import naive
import numpy as np
import pytest

from arrangements.errors import InputError, TooLargeError
from arrangements.optimize import deepest_regression, regression_depth


def in_plane(fit, x, y):
    """By the definition: the least number to remove so that residuals change their sign once."""
    slope, constant = map(Fraction, fit)
    seen = [
        (Fraction(a), Fraction(b) - slope * Fraction(a) - constant)
        for a, b in zip(x, y, strict=True)
    ]
    ends = sorted({a for a, _ in seen})
    between = ((a + b) / 2 for a, b in zip(ends, ends[1:], strict=False))
    places = [ends[0] - 1, *between, ends[-1] + 1]
    return min(
        sum(side * r >= 0 if a < v else side * r <= 0 for a, r in seen)
        for v in places
        for side in (1, -1)
    )


@pytest.mark.parametrize("seed", range(12))
def test_lines(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    x, y = rng.integers(-3, 4, (2, n)) * (1, 0.1)[seed % 2]
    fits = np.vstack([rng.integers(-2, 3, (4, 2)), [[0, y[0]]]])
    expected = [in_plane(fit, x.tolist(), y.tolist()) for fit in fits.tolist()]
    assert regression_depth(fits, x[:, None], y).tolist() == expected
    shares = regression_depth(fits, x[:, None], y, normalized=True, workers=2)
    assert np.array_equal(shares, np.array(expected) / n)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_more_regressors(seed, intercept):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (7, 2)), rng.integers(-3, 4, 7)
    fits = rng.integers(-1, 2, (3, 2 + intercept))
    rows = [[*row, 1] if intercept else row for row in X.tolist()]
    for fit, found in zip(
        fits.tolist(), regression_depth(fits, X, y, fit_intercept=intercept), strict=True
    ):
        signs = [
            int(np.sign(b - np.dot(row, fit))) for row, b in zip(rows, y.tolist(), strict=True)
        ]
        signed = [
            [s * a for a in row] for s, row in zip(signs, rows, strict=True) if s and any(row)
        ]
        fewest = min((sum(s < 0 for s in c) for c in naive.chambers(signed)), default=0)
        assert found == len(rows) - len(signed) + fewest


def test_a_perfect_fit_and_one_ulp():
    X, y = [[0.1], [0.2], [0.3]], [0.1, 0.2, 0.3]
    assert regression_depth([[1, 0], [1, 2.0**-60], [1, -(2.0**-60)]], X, y).tolist() == [3, 0, 0]
    assert regression_depth([[1]], [[0.0], [0.0]], [1, 2], fit_intercept=False).tolist() == [2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: regression_depth([[1]], [[1], [2]], [1, 2]), "fits with 2 columns, the last one"),
        (
            lambda: regression_depth([[1, 2]], [[1], [2]], [1, 2], fit_intercept=False),
            "fits has 2 columns and X has 1; expected fits with 1 columns.",
        ),
        (lambda: regression_depth([[1, 2]], [[1], [2]], [1]), "y has shape"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(InputError, match=message):
        call()


@pytest.mark.parametrize("seed", range(8))
def test_no_line_is_deeper(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    x = rng.integers(-3, 4, n)
    x[:2] = 0, 1
    x = x / 10 if seed % 2 else x
    y = rng.integers(-3, 4, n)
    found = deepest_regression(x[:, None], y)
    places = [(Fraction(a), Fraction(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    pairs = [(p, q) for p in places for q in places if p[0] < q[0]]
    vertices = {(m := (q[1] - p[1]) / (q[0] - p[0]), p[1] - m * p[0]) for p, q in pairs}
    slopes = {Fraction(k, 4) for k in range(-24, 25)} | {m for m, _ in vertices}
    fits = {(m, b - m * a) for m in slopes for a, b in places}
    depths = {fit: in_plane(fit, x.tolist(), y.tolist()) for fit in fits}
    assert found.depth == max(depths.values()) >= n / 3
    assert set(found.fits) == {fit for fit in vertices if depths[fit] == found.depth}


def test_planes_and_fits_through_the_origin():
    rng = np.random.default_rng(3)
    X, y = rng.integers(-3, 4, (7, 2)), rng.integers(-3, 4, 7)
    for intercept in (True, False):
        found = deepest_regression(X, y, fit_intercept=intercept)
        fits = rng.integers(-4, 5, (40, 2 + intercept)) / 2
        assert regression_depth(fits, X, y, fit_intercept=intercept).max() <= found.depth
        depths = regression_depth(np.array(found.fits, object), X, y, fit_intercept=intercept)
        assert set(depths.tolist()) == {found.depth}


def test_tables_go_by_names():
    pd = pytest.importorskip("pandas")
    X = pd.DataFrame({"x": [0, 1, 2, 3]}, index=[*"pqrs"])
    y = pd.Series([0, 1, 2, 9], index=[*"pqrs"])
    assert regression_depth([[1, 0]], X, y).tolist() == [3]
    assert regression_depth([[1, 0]], X, y[::-1]).tolist() == [3]
    assert deepest_regression(X, y[::-1]) == deepest_regression(X.values, y.values)
    with pytest.raises(InputError, match="in the index of y"):
        regression_depth([[1, 0]], X, y.set_axis([*"pqrt"]))


def test_no_deepest_regression():
    with pytest.raises(InputError, match="X has 1 columns and the intercept, which are linearly"):
        deepest_regression([[1], [1], [1]], [1, 2, 3])
    with pytest.raises(TooLargeError, match="124750 sets of 2 of 500 observations"):
        deepest_regression(np.arange(500)[:, None], np.arange(500))
