"""Relations between rows survive every inference: equal, opposite, proportional, zero."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from arrangements import (
    argmax_labels,
    chambers,
    characteristic_polynomial,
    count_chambers,
    rankings,
)
from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.exact.numbers import integer_rows, primitive
from arrangements.models import low_rank_structure
from arrangements.paper import rounded_cosine_matrix, sign_pattern_from_cosines


def as_bfloat16(W):
    return ((W.astype("f4").view("u4") + 0x8000) & 0xFFFF0000).view("f4").astype(float)


ROUNDED = {
    "f8": lambda W: W,
    "f4": lambda W: W.astype("f4").astype(float),
    "f2": lambda W: W.astype("f2").astype(float),
    "bfloat16": as_bfloat16,
    "%.15g": lambda W: np.vectorize(lambda x: float(f"{x:.15g}"))(W),
    "%.9f": lambda W: W.round(9),
}


def multiple(row, other):
    """The number that makes one row the other, if there is one."""
    at = next((k for k, entry in enumerate(other) if entry), None)
    if at is None or not any(row):
        return None
    factor = Fraction(row[at]) / Fraction(other[at])
    same = all(Fraction(a) == factor * Fraction(b) for a, b in zip(row, other, strict=True))
    return factor if same and factor else None


def check_rows(W, F):
    """Each multiple of a row of W is the same multiple in F; a row is zero in both or in none."""
    given, found = W.tolist(), F.tolist()
    for i, j in combinations(range(len(W)), 2):
        if (factor := multiple(given[i], given[j])) is not None:
            assert multiple(found[i], found[j]) == factor
    assert [any(row) for row in found] == [any(row) for row in given]


def check_zeros(W, F, rank):
    """Rows that are zero in a column span a hyperplane at most."""
    for column in W.T:
        rows = F[column == 0]
        assert not column.any() or len(rows) < rank or linear.rank(integer_rows(rows)) < rank


def products(kind, n_cases, seed):
    """Integer rows A, and the same rows and copies of them times a matrix, rounded; the rank."""
    rng = np.random.default_rng(seed)
    while n_cases:
        r = int(rng.integers(2, 5))
        A = rng.integers(-3, 4, (int(rng.integers(r + 1, 8)), r))
        F = A.astype(float)
        if rng.random() < 0.5:
            F /= np.maximum(np.linalg.norm(F, axis=1, keepdims=True), 1)
        elif rng.random() < 0.3:
            F = F * rng.uniform(0.1, 9, (len(F), 1))
        B = rng.normal(size=(r, r + int(rng.integers(1, 4)))) * (rng.random() < 0.8)
        B += rng.normal(size=B.shape) * (rng.random(B.shape) < 0.5)
        W = ROUNDED[kind](F @ B)
        i, j, k = rng.integers(0, len(A), 3)
        W, A = (
            np.vstack([W, W[i], -W[j], 4 * W[k], 0 * W[0]]),
            np.vstack([A, A[[i, j, k]], 0 * A[0]]),
        )
        W[:, 0] *= rng.random() < 0.8
        order = rng.permutation(len(A))
        values = np.linalg.svd(W, compute_uv=False)
        if np.linalg.matrix_rank(A) == r and values[r - 1] > 0.1 * values[0]:
            yield A[order], W[order], r
            n_cases -= 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ROUNDED)
def test_relations_of_rows_survive(kind):
    for _, W, r in products(kind, 30, 0):
        check_rows(W, low_rank_structure(W, r).factor)
        try:
            check_rows(W, low_rank_structure(W, r - 1).factor)  # mostly a projection
        except InputError as error:
            assert "agree up to rounding" in str(error)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["f8", "f4", "%.15g"])
def test_zeros_of_a_product_survive(kind):
    for _, W, r in products(kind, 30, 1):
        found = low_rank_structure(W, r)
        if found.source == "recovered":
            check_zeros(W, found.factor, r)


def lines(A):
    """Directions of integer rows, without signs."""
    rows = [tuple(primitive(row)) for row in A.tolist() if any(row)]
    return {max(row, tuple(-entry for entry in row)) for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["f8", "f4", "%.15g"])
def test_a_product_in_the_plane_has_two_chambers_a_line(kind):
    rng = np.random.default_rng(2)
    for _ in range(40):
        A = rng.integers(-3, 4, (6, 2))
        A[4], A[5] = A[int(rng.integers(4))], -A[int(rng.integers(4))]
        if not A.any(axis=1).all() or np.linalg.matrix_rank(A) < 2:
            continue
        F = A / np.linalg.norm(A, axis=1, keepdims=True)
        W = F @ rng.normal(size=(2, 4))
        W[5] = -W[np.flatnonzero((A[:4] == -A[5]).all(axis=1))[0]]
        W[4] = W[np.flatnonzero((A[:4] == A[4]).all(axis=1))[0]]
        found = count_chambers(ROUNDED[kind](W), rank=2)
        assert found == 2 * len(lines(A))


def test_equal_rows_of_cosines_have_equal_signs():
    W = [[-2, 2], [-1, 3], [2, 3], [2, -1], [-1, 3]]
    C = rounded_cosine_matrix(W)
    assert (C[1] == C[4]).all()
    found = chambers(C, rank=2)
    assert len(found) == 8 == count_chambers(C, rank=2)
    assert (found.to_array()[:, 1] == found.to_array()[:, 4]).all()
    assert found == chambers(W) == sign_pattern_from_cosines(C, rank=2)
    assert characteristic_polynomial(C, rank=2) == characteristic_polynomial(W)


def test_equal_labels_of_a_product_tie():
    rng = np.random.default_rng(4)
    for kind in ("f8", "f4", "%.15g"):
        for _ in range(5):
            A = rng.normal(size=(6, 2)) + [[0, 0], [3, 0], [0, 3], [3, 3], [5, 1], [1, 7]]
            W = ROUNDED[kind](A @ rng.normal(size=(2, 5)) + rng.normal(size=5))
            twice = np.vstack([W, W[2], W[4]])
            found = rankings(twice, rank=2, ties="drop")
            assert found.model.dropped == {6: 2, 7: 4}
            assert argmax_labels(twice, rank=2, ties="drop").tolist() == argmax_labels(A).tolist()


@pytest.mark.slow
def test_rows_with_a_zero_in_common_are_dependent():
    """Rows in planes, which no fraction tells: no basis spans three planes by pairs of rows."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        A, B = rng.normal(size=(12, 3)), rng.normal(size=(3, 6))
        for k in range(3):
            A[4 * k : 4 * k + 4, k] = 0
            B[[j for j in range(3) if j != k], k] = 0
        W = A @ B
        found = low_rank_structure(W, 3)
        check_zeros(W, found.factor, 3)
        assert count_chambers(found.factor) == count_chambers(A) < 134


def test_labels_with_an_entry_in_common_are_on_a_line():
    rng = np.random.default_rng(6)
    for _ in range(10):
        A, B = rng.normal(size=(8, 2)), rng.normal(size=(2, 4))
        A[:4, 1], A[4:, 0], B[0, 2], B[1, 3] = 0.5, 0.7, 0, 0
        W = A @ B
        assert len(set(W[:4, 2])) == len(set(W[4:, 3])) == 1
        assert rankings(W, rank=2) == rankings(A)
