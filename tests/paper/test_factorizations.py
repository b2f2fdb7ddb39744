"""Cosines of matrix factors, against sampling and against the objective itself."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from arrangements.errors import InputError
from arrangements.paper import cosine_matrix
from arrangements.paper.factorizations import (
    change_for_cosine,
    column_lengths,
    diagonal_cosine_range,
    diagonal_towards,
    refactored,
    regularized_factors,
)

entries = st.lists(st.integers(-4, 4), min_size=3, max_size=3).filter(any)


def cosine(x, y, squares):
    t, x, y = (np.array(v, dtype=float) for v in (squares, x, y))
    return (t * x * y).sum() / np.sqrt((t * x * x).sum() * (t * y * y).sum())


@pytest.mark.slow
@given(entries, entries)
@settings(max_examples=40)
def test_range_of_diagonal_matrices(x, y):
    """All samples are inside, the ends are approached, and reached iff the set is closed there."""
    cosines = diagonal_cosine_range(x, y)
    low, high = float(cosines.inf), float(cosines.sup)
    weights = 10.0 ** np.random.default_rng(0).uniform(-4, 4, (2000, 3))
    found = np.array([cosine(x, y, t) for t in weights])
    assert low - 1e-12 < found.min() and found.max() < high + 1e-12
    for end, value in ((1, high), (-1, low)):
        near = cosine(x, y, diagonal_towards(x, y, end, 10**8))
        assert abs(near - value) < 1e-3
    parallel = len({Fraction(b, a) for a, b in zip(x, y, strict=True) if a}) == 1
    parallel &= all(bool(a) == bool(b) for a, b in zip(x, y, strict=True))
    assert isinstance(cosines, sympy.FiniteSet) == (parallel or not np.multiply(x, y).any())


@pytest.mark.parametrize(
    ("x", "y", "cosines"),
    [
        ([1, 1], [1, 9], sympy.Interval(sympy.Rational(3, 5), 1, False, True)),
        ([1, 1], [-1, -9], sympy.Interval(-1, -sympy.Rational(3, 5), True, False)),
        ([1, 1, 1], [1, 9, 4], sympy.Interval(sympy.Rational(3, 5), 1, True, True)),
        ([1, 1, 1], [1, 9, 9], sympy.Interval(sympy.Rational(3, 5), 1, False, True)),
        ([1, 1], [1, -1], sympy.Interval.open(-1, 1)),
        ([1, 0], [1, 1], sympy.Interval.open(0, 1)),
        ([1, 1], [0, -1], sympy.Interval.open(-1, 0)),
        ([1, 0], [0, 1], sympy.FiniteSet(0)),
        ([1, 2], [3, 6], sympy.FiniteSet(1)),
        ([1, 2, 0], [-3, -6, 0], sympy.FiniteSet(-1)),
        ([1, 1], [1, 2], sympy.Interval(2 * sympy.sqrt(2) / 3, 1, False, True)),
    ],
)
def test_known_ranges(x, y, cosines):
    assert diagonal_cosine_range(x, y) == cosines


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "value", [0, Fraction(-99, 100), 0.1, sympy.sqrt(2) / 2, -sympy.cos(sympy.pi / 5)]
)
def test_any_cosine_by_a_regular_matrix(value):
    A, B = [[1, 2, 0], [0, 1, 1]], [[0, 0, 1], [1, 2, 3], [2, 4, 7]]
    other = refactored(A, B, change_for_cosine(B, 1, 2, value))
    assert other.product == sympy.Matrix(np.array(A) @ np.array(B).T)
    expected = sympy.Rational(*Fraction(value).as_integer_ratio()) if value == 0.1 else value
    if isinstance(expected, Fraction):
        expected = sympy.Rational(expected.numerator, expected.denominator)
    assert sympy.simplify(cosine_matrix(other.B)[1, 2] - expected) == 0


def test_what_a_regular_matrix_cannot_do():
    with pytest.raises(InputError, match="dependent"):
        change_for_cosine([[1, 2], [2, 4]], 0, 1, 0)
    with pytest.raises(InputError, match="strictly between"):
        change_for_cosine([[1, 2], [2, 1]], 0, 1, 1)
    with pytest.raises(InputError, match="singular"):
        refactored([[1, 2]], [[1, 2]], [[1, 2], [2, 4]])
    with pytest.raises(InputError, match="shapes"):
        refactored([[1, 2]], [[1, 2, 3]], [[1, 0], [0, 1]])
    with pytest.raises(InputError, match="zero"):
        diagonal_cosine_range([0, 0], [1, 2])
    with pytest.raises(InputError, match="entries"):
        diagonal_cosine_range([1, 0], [1, 2, 3])


@pytest.mark.parametrize("lengths", [(1, 2, 3), (2, 2, 2), (1, 3, 3)])
def test_regularized_factors_minimize_the_objective(lengths):
    X = np.array([[1, 2, 2], [2, 1, -2], [2, -2, 1]]) * np.array(lengths)[:, None]
    factors = regularized_factors(X, 5)
    best = np.array(factors.product.evalf().tolist(), dtype=float)

    def objective(P):
        return ((X - X @ P) ** 2).sum() + 5 * (P**2).sum()

    rng = np.random.default_rng(0)
    for _ in range(20):
        assert objective(best) < objective(best + 1e-3 * rng.standard_normal((3, 3)))
    other = refactored(*factors, column_lengths(factors.B))
    assert other.product == factors.product
    assert cosine_matrix(other.B) == sympy.eye(3)


def test_bad_data_of_a_factorization():
    with pytest.raises(InputError, match="rank 1"):
        regularized_factors([[1, 2], [2, 4]], 1)
    with pytest.raises(InputError, match="positive"):
        regularized_factors([[1, 2], [2, 5]], 0)


@pytest.mark.parametrize(
    "cosine", ["x", "1/2", float("nan"), sympy.Symbol("c"), sympy.Float(0.5), 1j]
)
def test_what_is_no_cosine(cosine):
    with pytest.raises(InputError):
        change_for_cosine([[1, 0], [1, 1]], 0, 1, cosine)


@pytest.mark.parametrize("item", [2, -1, "0", 0.5])
def test_what_is_no_item(item):
    with pytest.raises(
        InputError, match=r"item \(row of B\) is .*; expected an integer from 0 to 1"
    ):
        change_for_cosine([[1, 0], [1, 1]], 0, item, 0)


@pytest.mark.parametrize("odd", [sympy.I, sympy.Symbol("t"), sympy.nan, sympy.Float(0.5)])
def test_matrices_and_numbers_are_real_and_exact(odd):
    W = sympy.Matrix([[odd, 1], [1, 2], [0, 3]])
    for question in (
        column_lengths,
        lambda W: refactored([[1, 2]], W, [[1, 0], [0, 1]]),
        lambda W: change_for_cosine(W, 0, 1, 0),
        lambda W: regularized_factors(W, 9),
        lambda W: regularized_factors([[1, 2], [3, 4]], W[0]),
        lambda W: diagonal_towards([1, 1], [1, 4], 1, W[0]),
        lambda W: diagonal_towards([1, 1], [1, 4], W[0], 9),
    ):
        with pytest.raises(InputError):
            question(W)
