"""Entries over the whole range of float64, and multiples of the primes that the package uses."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import naive
import numpy as np
import pytest

from arrangements import (
    NumberField,
    chambers,
    characteristic_polynomial,
    count_chambers,
    count_chambers_many,
    feasible,
    flats,
    write_chambers,
)
from arrangements.algebra import freeness, is_free, tutte_polynomial
from arrangements.exact.integer_image import split_primes
from arrangements.exact.residues import primes
from arrangements.optimize import halfspace_depth, place_range

P = primes(1)[0]
EXPONENTS = [-1074, -1022, -997, -537, -53, 0, 0, 0, 1, 200, 537, 1000, 1021]
SIZES = [0.0, 1.0, 2.0**53 - 1, 2.0**53 + 2, 5e-324, 2.0**-1022, 1e-300, 2.0**200, 2.0**1023]


def wide_matrices(seed: int, count: int) -> list[np.ndarray[Any, Any]]:
    """Small integers times powers of two: those of a row and a column, or of each entry."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        n, d = rng.integers(2, 7), rng.integers(2, 4)
        W = rng.integers(-2, 3, (n, d)) + 0.0
        kind = rng.integers(4)
        if kind == 0:
            half = np.ldexp(W, rng.choice(EXPONENTS, (n, 1)) // 2)
            W = np.ldexp(half, rng.choice(EXPONENTS, (1, d)) // 2)
        elif kind == 1:
            W = np.ldexp(W, rng.choice(EXPONENTS, (n, d)))
        elif kind == 2:
            W[rng.integers(n)] = np.ldexp(W[rng.integers(n)], rng.choice(EXPONENTS, d))
        else:
            W = rng.choice(SIZES, (n, d)) * rng.choice([-1, 1], (n, d))
        if W.any(axis=1).all():
            found.append(W)
    return found


def singular_modulo(p: int, seed: int, count: int) -> list[list[list[int]]]:
    """Matrices of which rows, columns or minors vanish modulo p."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < count:
        n, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
        W = rng.integers(-2, 3, (n, d)).astype(object)
        W = W * np.where(rng.random((n, d)) < rng.choice([0.3, 0.6, 1]), p, 1)
        W += p * rng.integers(-1, 2, (n, d)) * int(rng.integers(2))
        if W.astype(bool).any(axis=1).all():
            found.append(W.tolist())
    return found


def test_a_row_whose_small_entry_vanishes_when_it_is_scaled() -> None:
    W = [[1e-300, 2.0**200], [-1e-300, 2.0**200], [1, 1], [1, 0]]
    assert count_chambers(W) == 8
    beside = [[1, 0], [0, 1], [1, 1], [1, -1]]  # needs few bits
    assert count_chambers_many([W, beside, W]).tolist() == [8, 8, 8]
    b = [2.0**-1074, 0, 2.0**1023, 1]
    assert count_chambers_many([W], [b]).tolist() == [naive.count(W, b)] == [count_chambers(W, b)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
def test_counts_of_wide_matrices() -> None:
    by_shape: dict[tuple[int, ...], list[np.ndarray[Any, Any]]] = {}
    for W in wide_matrices(0, 150):
        expected = naive.count(W)
        assert count_chambers(W) == expected
        by_shape.setdefault(W.shape, []).append(W)
    for stack in by_shape.values():
        assert count_chambers_many(stack).tolist() == [naive.count(W) for W in stack]
        cut = [W for W in stack if W[:, :-1].any(axis=1).all()]
        b = [W[:, -1] for W in cut]
        expected = [naive.count(W[:, :-1], c) for W, c in zip(cut, b, strict=True)]
        assert count_chambers_many([W[:, :-1] for W in cut], b).tolist() == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
def test_listings_and_proofs_of_wide_matrices() -> None:
    rng = np.random.default_rng(1)
    for W in wide_matrices(1, 12):
        expected = naive.chambers(W)
        assert {tuple(row) for row in chambers(W).to_array().tolist()} == expected
        signs = tuple(rng.choice([-1, 1], len(W)).tolist())
        answer = feasible(W, signs)
        assert answer.verify() and answer.feasible == (signs in expected)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("p", [P, primes(9)[8]])
def test_matrices_that_are_singular_modulo_a_prime(p: int) -> None:
    for W in singular_modulo(p, p % 1000, 20):
        faces = naive.covectors(W)
        assert count_chambers(W) == tutte_polynomial(W).eval((2, 0)) == naive.count(W)
        found = characteristic_polynomial(W).all_coeffs()[::-1]
        assert found == list(naive.characteristic_polynomial(W))
        assert len(flats(W)) == len(naive.flats_of(faces))
        depths = [sum(s >= 0 for s in face) for face in faces if any(face)]
        assert halfspace_depth([[0] * len(W[0])], W)[0] == min(depths)


def test_rows_that_vanish_modulo_a_prime(tmp_path: Path) -> None:
    assert tutte_polynomial([[P, 1]]).as_expr() == tutte_polynomial([[1, 1]]).as_expr()
    assert place_range([[P, 1, 0], [P, 0, 1], [0, 1, 1]]).tolist() == [[0, 2]] * 3
    rows = [[P * a, P * b, P * c, 1] for a, b, c in moment_curve(8)]
    assert len(write_chambers(rows, tmp_path / "run")) == naive.count(rows)


def moment_curve(n: int) -> list[tuple[int, int, int]]:
    """Points of the moment curve."""
    return [(k, k * k, k**3) for k in range(n)]


def test_a_certificate_is_of_the_numbers_given() -> None:
    W = [[1.0, 5e-324], [2.0**1000, -1.0], [0.0, 1.0]]
    for signs in naive.chambers(W):
        point = feasible(W, signs).point
        assert point is not None
        assert naive.signs_at(W, None, [Fraction(x) for x in point]) == signs


@pytest.mark.parametrize("method", ["sweep", "incremental", "reverse_search"])
def test_numbers_of_a_field_that_vanish_modulo_a_prime(method: str) -> None:
    field = NumberField([-2, 0, 0, 1], (1, 2), "c")
    c = field.generator
    p, root = next(iter(split_primes(field, 1).items()))
    W = [[-2 * p, 2 * (c - root), 2 * p], [0, c, c], [c - 1, c, 1], [c + 2, 2, 0]]
    assert len(chambers(W, method=method)) == count_chambers(W) == 14


def test_freeness_where_rows_vanish_modulo_a_prime() -> None:
    for W in [
        [[0, 2], [3 * P, 1]],
        [[P, 1, 0], [1, 0, 0], [0, P, 0]],
        [[P, 0], [1, P], [1, 2 * P]],
    ]:
        assert is_free(W)
    # x y (x + y) z, stretched by P
    assert freeness([[P, 0, 0], [0, 1, 0], [P, 1, 0], [0, 0, 1]]).exponents == (1, 1, 2)
