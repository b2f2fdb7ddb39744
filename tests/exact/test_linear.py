"""Exact linear algebra against elimination with Fractions."""

from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrangements.exact import linear
from arrangements.exact.numbers import integer_rows
from arrangements.exact.residues import primes

small = st.integers(-3, 3)
P = primes(1)[0]


@st.composite
def integer_matrices(draw, square=False):
    """Small matrices, often singular, and some whose minors vanish modulo the prime used."""
    n = draw(st.integers(1, 5))
    d = n if square else draw(st.integers(1, 5))
    entry = draw(st.sampled_from([small, st.sampled_from([0, 1, P, P + 1, -P]), st.integers()]))
    row = st.lists(entry, min_size=d, max_size=d)
    return draw(st.lists(row, min_size=n, max_size=n))


def echelon(rows):
    """Pivot columns of row echelon form, and the sign-carrying product of the pivots."""
    table = [[Fraction(entry) for entry in row] for row in rows]
    pivots, product = [], Fraction(1)
    for column in range(len(rows[0])):
        top = len(pivots)
        found = next((i for i in range(top, len(table)) if table[i][column]), None)
        if found is None:
            continue
        if found != top:
            table[top], table[found], product = table[found], table[top], -product
        product *= table[top][column]
        for i in range(top + 1, len(table)):
            factor = table[i][column] / table[top][column]
            table[i] = [a - factor * b for a, b in zip(table[i], table[top], strict=True)]
        pivots.append(column)
    return tuple(pivots), product


@given(integer_matrices())
def test_rank_and_bases(rows):
    pivots, _ = echelon(rows)
    assert linear.rank(rows) == len(pivots)
    assert linear.column_basis(rows) == pivots
    chosen = linear.row_basis(rows)
    assert list(chosen) == sorted(set(chosen)) and len(chosen) == len(pivots)
    assert len(echelon([rows[i] for i in chosen] or [[0]])[0]) == len(pivots)


@given(integer_matrices())
def test_independent_rows_never_claims_too_much(rows):
    chosen = linear.independent_rows(rows)
    assert len(echelon([rows[i] for i in chosen] or [[0]])[0]) == len(chosen)


def test_a_minor_divisible_by_the_prime():
    assert linear.independent_rows([[P, 0], [0, 1]]) == (1,)
    assert linear.completion([[P, 0]], [[1, 0], [1, 1], [0, 1]]) == (1,)
    assert linear.completion([[P, 0], [1, 0]], [[0, 1]]) is None
    assert linear.row_basis([[P, 0], [0, 1]]) == (0, 1)
    assert linear.column_basis([[P, 1], [0, 1]]) == (0, 1)


@given(integer_matrices())
def test_nullspace(rows):
    d = len(rows[0])
    basis = linear.nullspace(rows, d)
    assert len(basis) == d - linear.rank(rows)
    assert linear.rank(basis) == len(basis)
    for vector in basis:
        assert np.gcd.reduce(np.array(vector, object)) == 1
        assert all(sum(a * x for a, x in zip(row, vector, strict=True)) == 0 for row in rows)
    single = linear.null_vector(rows, d)
    assert single == (basis[0] if basis else None)


@pytest.mark.parametrize("singular", [False, True])
def test_the_null_vector_of_many_columns(singular):
    rows = np.random.default_rng(0).integers(-9, 10, (120, 121))
    if singular:
        rows[:, 7] = rows[:, 3]
    found = np.array(linear.null_vector(rows.tolist(), 121), dtype=object)
    assert not (rows.astype(object) @ found).any()
    assert np.gcd.reduce(found) == 1


@given(integer_matrices(), st.data())
def test_solve(rows, data):
    right = data.draw(st.lists(st.fractions(), min_size=len(rows), max_size=len(rows)))
    solution = linear.solve(rows, right)
    if solution is None:
        common = np.lcm.reduce(np.array([b.denominator for b in right], object))
        augmented = [
            [*(int(common) * entry for entry in row), int(b * int(common))]
            for row, b in zip(rows, right, strict=True)
        ]
        assert linear.rank(augmented) == linear.rank(rows) + 1
        return
    for row, b in zip(rows, right, strict=True):
        assert sum(a * x for a, x in zip(row, solution, strict=True)) == b


@given(integer_matrices(square=True))
def test_determinant(rows):
    pivots, product = echelon(rows)
    expected = product if len(pivots) == len(rows) else 0
    assert linear.determinant(rows) == expected
    assert linear.determinant_sign(rows) == (expected > 0) - (expected < 0)


def test_nothing():
    assert linear.rank([]) == 0
    assert linear.column_basis([]) == () and linear.column_basis([[0, 0]]) == ()
    assert linear.nullspace([], 2) == [[1, 0], [0, 1]]
    assert linear.determinant([]) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rank", [1, 3, 6])
def test_rank_of_thousands_of_rows(rank):
    rng = np.random.default_rng(rank)
    product = rng.integers(-9, 10, (3000, rank)) @ rng.integers(-9, 10, (rank, 6))
    assert linear.rank(product.tolist()) == rank


def test_leading_columns_are_found_without_exact_elimination(monkeypatch):
    rows = integer_rows(np.random.default_rng(0).standard_normal((40, 60)))
    monkeypatch.setattr(linear, "_fmpz", None)  # it would take minutes for 300 rows
    assert linear.column_basis(rows) == tuple(range(40))
    # where a prime hides one of them, nothing is concluded
    with pytest.raises(TypeError):
        linear.column_basis([[P, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    "rows",
    [
        list(product((0, 1), repeat=4))[1:],
        list(product((-1, 1), repeat=3)),
        [[0, 0], [0, 0]],
        [[9, 8, 7], [8, 9, 9], [7, 9, 8], [9, 9, 9]],
        [[-3, 0, 5], [100, 1, 1], [0, 0, 1], [2, -7, 4]],
    ],
)
def test_no_minor_exceeds_the_bound(rows):
    bound, largest = linear.minor_bound(rows), 0
    for order in range(1, len(rows[0]) + 1):
        for chosen in combinations(rows, order):
            for columns in combinations(range(len(rows[0])), order):
                minor = linear.determinant([[row[c] for c in columns] for row in chosen])
                largest = max(largest, abs(minor))
    assert largest <= bound <= max(4 * largest, 1)
    norms = sorted((max(1, sum(e * e for e in row)) for row in rows), reverse=True)
    bits, product_of_squares = linear.minor_bits(rows), prod(norms[: len(rows[0])])
    assert largest < 2**bits and 4 ** (bits - 1) <= product_of_squares < 4**bits


def test_bound_of_zeros_and_ones():
    """That of Hadamard for matrices of 0 and 1, which those of order 3 and 7 reach."""
    assert linear.minor_bound(list(product((0, 1), repeat=3))) == 2
    assert linear.minor_bound(list(product((0, 1), repeat=7))) == 32
    assert linear.minor_bound(list(product((0, 1), repeat=10))) == 521
