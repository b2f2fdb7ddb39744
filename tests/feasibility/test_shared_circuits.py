"""One simplex that refutes many labels: exact arithmetic and linear programs agree."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from arrangements import Polyhedron, can_be_top
from arrangements.exact.linear import null_vector
from arrangements.feasibility import deciding
from arrangements.feasibility.batch import INFINITY, FeasibilityBatch
from arrangements.feasibility.circuits import inner_coordinates
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.feasibility.shared_circuits import refuted_by
from arrangements.feasibility.shares import float_shares


def head(n: int, d: int, seed: int) -> np.ndarray:
    """Rows of a sphere, and as many near its center, some nearly equal."""
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((2 * n, d))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    W[n:] *= rng.uniform(0, 0.5, (n, 1))
    W[-n // 2 :] = W[-1] + 1e-9 * rng.standard_normal((n // 2, d))
    return W.astype(np.float32)


def wins(W: np.ndarray, b: np.ndarray, i: int) -> bool:
    """Whether some x gives label i a lead of 1 after scaling, by a linear program."""
    others = np.delete(np.arange(len(W)), i)
    differences = np.column_stack([W[others] - W[i], b[others] - b[i]]).astype(float)
    found = linprog(
        np.zeros(W.shape[1] + 1),
        A_ub=np.vstack([differences, np.eye(1, W.shape[1] + 1, W.shape[1]) * -1]),
        b_ub=-np.ones(len(W)),
        bounds=(None, None),
    )
    return bool(found.status == 0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bias", [False, True])
def test_shared_refusals_have_proofs(bias: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    W, rng = head(400, 6, 1), np.random.default_rng(2)
    b = 0.1 * rng.standard_normal(len(W)).astype(np.float32) if bias else None
    monkeypatch.setattr(deciding, "_PILOTS", 20)
    shared: list[int] = []

    def refuted(*arguments: Any) -> Any:
        found = refuted_by(*arguments)
        shared.extend(found.tolist())
        return found

    monkeypatch.setattr(deciding, "refuted_by", refuted)
    C = can_be_top(W, offsets=b)
    assert len(shared) > 30 and C.decided.all() and C.verify()
    assert not C.feasible[shared].any()
    heights = np.zeros(len(W)) if b is None else b
    for i in rng.permutation(600)[:60].tolist():
        assert wins(W, heights, i) == C.feasible[i]


@pytest.mark.slow
def test_shared_refusals_inside_a_polyhedron(monkeypatch: pytest.MonkeyPatch) -> None:
    W = head(300, 4, 3)
    monkeypatch.setattr(deciding, "_PILOTS", 20)
    box = Polyhedron.box(-1, 2, dimension=4)
    C = can_be_top(W, within=box)
    assert C.verify() and not C.feasible[~can_be_top(W).feasible].any()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scale", [1.0, 2.0**-40, 2.0**200])
def test_inner_coordinates_are_those_of_fractions(scale: float) -> None:
    rng = np.random.default_rng(4)
    proved = 0
    for _ in range(40):
        corners = scale * rng.integers(-3, 4, (4, 4)).astype(float)
        points = scale * rng.integers(-1, 2, (30, 4)) / 4
        coordinates, errors = inner_coordinates(corners, points)
        found = (coordinates > errors).all(axis=1)
        for k, (point, inside) in enumerate(zip(points, found.tolist(), strict=True)):
            rows = [[int(4 * x / scale) for x in row] for row in (*corners, -point)]
            weights = null_vector(list(zip(*rows, strict=True)), 5)
            regular = np.linalg.matrix_rank(corners) == 4
            expected = regular and weights is not None and min(y * weights[-1] for y in weights) > 0
            assert inside <= expected
            proved += inside == expected
            if inside:
                assert weights is not None
                exact = [Fraction(y, weights[-1]) for y in weights[:-1]]
                assert all(map(is_near, coordinates[k].tolist(), errors[k].tolist(), exact))
    assert proved > 1190


def is_near(found: float, error: float, exact: Fraction) -> bool:
    return abs(Fraction(found) - exact) <= Fraction(error)


@pytest.mark.parametrize("biases", [False, True])
def test_shares_of_shared_refusals_are_exact(biases: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    W, rng = head(200, 5, 6).astype(float), np.random.default_rng(7)
    b = 0.01 * rng.standard_normal(len(W)) if biases else None
    monkeypatch.setattr(deciding, "_PILOTS", 20)
    batch = FeasibilityBatch.of_array(
        ScoreRows(W, b, compared=True), "orders", np.arange(len(W))[:, None]
    )
    supports = decide(batch).supports
    sharing = Counter(support.tobytes() for support in supports.values())
    shared = [i for i, support in supports.items() if sharing[support.tobytes()] > 1]
    assert len(shared) > 50
    found = float_shares(batch, supports)
    for i in shared[::7]:
        rows = supports[i].tolist()
        weights = dict(zip(rows, batch.weights(i, rows), strict=True))
        weights.pop(INFINITY, None)
        assert found[i].keys() == weights.keys()
        for j, y in weights.items():
            assert abs(Fraction(found[i][j]) - y / sum(weights.values())) < Fraction(2) ** -36


def test_later_questions_begin_with_simplices_of_earlier_ones() -> None:
    W = head(400, 6, 5)
    all_at_once, everything = can_be_top(W), np.arange(800)[:, None]
    model = FeasibilityBatch.of_array(
        ScoreRows(W.astype(float), compared=True), "orders", everything
    )
    found = [decide(model.part(np.arange(800)[k::4])) for k in range(4)]
    assert 0 < len(model.rows.simplices) <= 32
    for k, proofs in enumerate(found):
        assert proofs.feasible.tolist() == all_at_once.feasible[k::4].tolist()
