"""Rows a hair off convex combinations of others, ties, odd scales: answers checked by proofs.

A proof that holds in rational arithmetic leaves no doubt about an answer, so what is tested is that
proofs hold, that all questions are decided, and answers that are known by construction.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import ScoreModel, argmax_labels, can_be_top, feasible, feasible_many, generators

SHAPES = [(30, 2), (30, 3), (40, 6), (60, 10)]


def hull(n: int, d: int, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Points of which all are vertices of their hull, and with entries of few bits."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n, d))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(np.round(points * 2**20) / 2**20)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ulps", [-1, 0, 1])
def test_a_row_one_ulp_off_a_segment(shape: tuple[int, int], ulps: int) -> None:
    W = hull(*shape, 1)
    middle = (W[0] + W[1]) / 2  # exact: entries have few bits
    if ulps:
        middle[0] = np.nextafter(middle[0], ulps * np.inf)
    V = np.vstack([W, middle])
    found = argmax_labels(V, proofs=True)
    assert found.decided.all() and found.verify()
    label = len(W)
    if not ulps:
        assert not found.feasible[label] and sum(found[label].blockers.values()) == 1
    walls = ScoreModel(V).arrangement([label] * label, range(label))
    assert found.feasible[label] == bool(feasible(walls, "+" * label))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("depth", [1e-12, 1e-15, 0.0, -1e-15, -1e-12])
def test_a_row_just_inside_or_outside_a_facet(shape: tuple[int, int], depth: float) -> None:
    n, d = shape
    W = hull(n, d, 2)
    facet = W[np.argsort(W @ W[0])[-d:]]
    inner = facet.mean(axis=0) * (1 - depth)
    V = np.vstack([W, inner])
    found = argmax_labels(V, proofs=True)
    assert found.decided.all() and found.verify()


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_scale_changes_nothing(scale: float) -> None:
    W = generators.generic(40, 3, 5).normals.astype(float)
    asked = [[i, j] for i in range(40) for j in range(i)]
    power = 2.0 ** np.round(np.log2(scale))
    plain, scaled = can_be_top(W, asked), can_be_top(W * power, asked)
    assert (plain.feasible == scaled.feasible).all() and scaled[::20].verify()
    b = np.linspace(-1, 1, 40)
    plain, scaled = can_be_top(W, asked, b), can_be_top(W * power, asked, b * power)
    assert (plain.feasible == scaled.feasible).all() and scaled[::20].verify()
    signs = np.sign(W[:, :2] @ np.random.default_rng(0).standard_normal((2, 20))).T.astype(np.int8)
    rows = W * 2.0 ** np.random.default_rng(1).integers(-100, 100, (40, 1))
    one, other = feasible_many(W, signs), feasible_many(rows, signs)
    assert one.decided.all() and other.decided.all()
    assert (one.feasible == other.feasible).all() and other.verify()


def test_zero_rows_duplicates_and_biases() -> None:
    W = np.vstack([np.zeros(3), np.eye(3), -np.eye(3), np.eye(3)[:1]])
    found = can_be_top(W, [[i] for i in range(8)])
    assert found.feasible.tolist() == [False, False, True, True, True, True, True, False]
    assert found.verify() and found[1].blockers == {"7": 1}
    found = can_be_top(W, [[i] for i in range(8)], [0.75, 0, 0, 0, 0, 0, 0, 1])
    assert found.verify() and found.feasible.tolist() == [True, False, *[True] * 6]
    found = can_be_top(W, [[0]], [0.5, 0, 0, 0, 0, 0, 0, 1])  # as the mean of two opposite rows
    assert found.verify() and not found.feasible[0]


@pytest.mark.filterwarnings("ignore::arrangements.LowRankWarning")
def test_extreme_numbers_are_decided_exactly() -> None:
    for W in (
        [[10**400, 1], [1, 10**400], [0, 0], [3, 4]],
        [[1e300, 1], [1, 1e-300], [5e-324, 0], [0, 5e-324]],
        [[Fraction(1, 3**700), 1], [0, Fraction(1, 7)], [1, 1], [2, 0]],
    ):
        asked = [[0], [1], [2], [3], [0, 1], [2, 3]]
        found = can_be_top(W, asked)
        assert found.decided.all() and found.verify()
        signs = feasible_many([[*row, 1] for row in W], on=asked)
        assert signs.decided.all() and signs.verify()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_entries_count_at_their_exact_values(dtype: Any) -> None:
    W = np.random.default_rng(3).standard_normal((200, 5)).astype(dtype)
    W[7] = (W[1].astype(float) + W[2].astype(float)).astype(dtype) / dtype(2)
    found = argmax_labels(W, proofs=True, workers=2)
    assert found.decided.all() and found.verify()
    as_double = argmax_labels(W.astype(np.float64), proofs=True)
    assert (found.feasible == as_double.feasible).all()


@pytest.mark.parametrize(("n", "d"), [(300, 3), (300, 8), (200, 20)])
@pytest.mark.parametrize("affine", [False, True])
def test_bulk_equals_one_by_one(n: int, d: int, affine: bool) -> None:
    rng = np.random.default_rng(n + d)
    W, b = rng.standard_normal((n, d)), rng.standard_normal(n) if affine else None
    b = None if b is None else b - 1.0
    sets = [np.sort(rng.permutation(n)[: rng.integers(1, 5)]).tolist() for _ in range(60)]
    sets += [np.argsort(-(W @ rng.standard_normal(d)))[: rng.integers(1, 5)].tolist() for _ in "ab"]
    found = feasible_many(W, on=sets, offsets=b, workers=2)
    assert found.decided.all() and found.verify()
    for i in range(0, 62, 12):
        assert found.feasible[i] == bool(feasible(W, found.signs(i), b))
    tops = can_be_top(W, sets, b)
    orders = can_be_top(W, sets, b, ordered=True)
    assert tops.verify() and orders.verify()
    assert not (orders.feasible & ~tops.feasible).any()


def test_a_low_rank_matrix() -> None:
    rng = np.random.default_rng(0)
    W = rng.integers(-5, 6, (120, 3)) @ rng.integers(-5, 6, (3, 12))
    found = argmax_labels(W, ties="drop", proofs=True)
    assert found.decided.all() and found.verify()
    assert found.feasible.sum() == len(argmax_labels(W, ties="drop"))
