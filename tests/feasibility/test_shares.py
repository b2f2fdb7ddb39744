"""Weights of refusals in floats are those of exact elimination."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements.feasibility.batch import INFINITY, FeasibilityBatch
from arrangements.feasibility.circuits import circuit_weights
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.feasibility.shares import float_shares


def exact_shares(batch: FeasibilityBatch, i: int, support: list[int]) -> dict[int, Fraction]:
    weights = zip(support, batch.weights(i, support), strict=True)
    kept = {j: Fraction(y) for j, y in weights if j != INFINITY and j < batch.rows.n_own}
    total = sum(kept.values())
    return {j: y / total for j, y in kept.items()}


def labels_in_a_hull(n: int, d: int, affine: bool) -> ScoreRows:
    rng = np.random.default_rng(n)
    W = rng.normal(size=(n, d)) * np.where(rng.random(n) < 0.4, 0.05, 1)[:, None]
    b = rng.normal(size=n) * 0.1 if affine else None
    return ScoreRows(W, b, compared=True)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("kind", ["orders", "sets", "signs"])
def test_shares_are_those_of_exact_weights(kind: Any, affine: bool) -> None:
    rows = labels_in_a_hull(120, 5, affine)
    if kind == "signs":
        rows = ScoreRows(rows.weights, rows.offsets)
    size = {"orders": 1, "sets": 2, "signs": 3}[kind]
    asked = np.array([[(i * j + i) % 120 for j in range(size)] for i in range(119)])
    batch = FeasibilityBatch.of_array(rows, kind, asked)
    supports = decide(batch, time_limit=1e6).supports
    assert len(supports) > 20
    found = float_shares(batch, supports)
    for i, support in supports.items():
        expected = exact_shares(batch, i, support.tolist())
        assert list(found[i]) == list(expected)
        for j, share in expected.items():
            assert abs(Fraction(found[i][j]) - share) <= share * Fraction(2) ** -30


@pytest.mark.parametrize("exponents", [(0, 1), (-1070, 1000), (60, 90), (-300, -299)])
@pytest.mark.parametrize("affine", [False, True])
def test_scaled_rows_are_exact(exponents: tuple[int, int], affine: bool) -> None:
    rng = np.random.default_rng(1)
    W = np.ldexp(rng.normal(size=(4, 3)), rng.integers(*exponents, size=(4, 3)))
    W[1] = 0
    b = np.ldexp(rng.normal(size=4), exponents[0]) if affine else None
    rows = ScoreRows(W, b)
    found = rows.scaled_rows([2, 1, 3])
    assert found is not None and all(type(x) is int for row in found[0] for x in row)
    assert [tuple(Fraction(x, found[1]) for x in row) for row in found[0]] == rows.exact_rows(
        [2, 1, 3]
    )
    integers = np.array([[2**62, -3], [0, 5]])
    assert ScoreRows(integers).scaled_rows([1, 0]) == ([[0, 5], [2**62, -3]], 1)
    assert ScoreRows(integers, np.array([0.5, 1])).scaled_rows([0]) is None


def test_wide_rows_need_no_elimination(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    W, b = rng.normal(size=(400, 60)), 0.1 * rng.normal(size=400)
    W[:20] = 0.2 * W[:20] + W[20:].mean(axis=0)
    batch = FeasibilityBatch.of_array(
        ScoreRows(W, b, compared=True), "orders", np.arange(20)[:, None]
    )
    supports = decide(batch).supports
    i, support = next(iter(supports.items()))
    expected = exact_shares(batch, i, support.tolist())
    monkeypatch.setattr(FeasibilityBatch, "weights", None)
    found = float_shares(batch, supports)
    assert len(found) > 5
    assert all(abs(found[i][j] - y) <= 2.0**-23 for j, y in expected.items())


def test_a_circuit_of_few_rows_and_long_numbers() -> None:
    W = np.array([[0, 0, 0], [2**80, 0, 0], [2**79, 0, 0], [1, 1, 1]], dtype=object)
    batch = FeasibilityBatch.of_array(ScoreRows(W, compared=True), "orders", np.array([[2]]))
    assert float_shares(batch, {0: np.array([0, 1])}) == {0: {0: 0.5, 1: 0.5}}


def test_errors_bound_the_weights_of_nearly_dependent_rows() -> None:
    rng = np.random.default_rng(5)
    rows = rng.integers(-9, 10, size=(40, 4, 3)).astype(float)
    rows[:, 2] = rows[:, 1] + rows[:, 2] * 2.0 ** rng.integers(-60, 0, size=(40, 1))
    weights, errors = circuit_weights(rows, np.abs(rows))
    proved = np.isfinite(errors).all(axis=1)
    assert 5 < proved.sum() < 40
    for row, weight, error in zip(rows[proved], weights[proved], errors[proved], strict=True):
        exact = solve([[Fraction(x) for x in one] for one in row.tolist()])
        for y, w, e in zip(exact, weight.tolist(), error.tolist(), strict=True):
            assert abs(y - Fraction(w)) <= Fraction(e)


def solve(rows: list[list[Fraction]]) -> list[Fraction]:
    """Weights, the first 1, by Cramer's rule."""
    first, *others = rows

    def determinant(m: list[list[Fraction]]) -> Fraction:
        (a, b, c), (d, e, f), (g, h, i) = m
        return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)

    whole = determinant(others)
    minus = [-x for x in first]
    return [
        Fraction(1),
        *(determinant([*others[:k], minus, *others[k + 1 :]]) / whole for k in range(3)),
    ]
