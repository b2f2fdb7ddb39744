"""Rows a hair off convex combinations of others, ties, odd scales: answers checked by proofs.

A proof that holds in rational arithmetic leaves no doubt about an answer, so what is tested is that
proofs hold, that all questions are decided, and answers that are known by construction.
"""

from fractions import Fraction
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Arrangement,
    Certificate,
    ScoreModel,
    argmax_labels,
    can_be_top,
    feasible,
    feasible_many,
    generators,
)
from arrangements.exact.text import exact_text
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.exact_answers import meets
from arrangements.feasibility.judging import judge
from arrangements.feasibility.one_sign_vector import solve_by_cone_tests
from arrangements.feasibility.score_rows import ScoreRows

SHAPES = [(30, 2), (30, 3), (40, 6), (60, 10)]


def hull(n: int, d: int, seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Points of which all are vertices of their hull, and with entries of few bits."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n, d))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return np.asarray(np.round(points * 2**20) / 2**20)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ulps", [-1, 0, 1])
def test_a_row_one_ulp_off_a_segment(shape: tuple[int, int], ulps: int) -> None:
    W = hull(*shape, 1)
    middle = (W[0] + W[1]) / 2  # exact: entries have few bits
    if ulps:
        middle[0] = np.nextafter(middle[0], ulps * np.inf)
    V = np.vstack([W, middle])
    found = can_be_top(V)
    assert found.decided.all() and found.verify()
    label = len(W)
    if not ulps:
        assert not found.feasible[label] and sum(found[label].blockers.values()) == 1
    walls = ScoreModel(V).arrangement([label] * label, range(label))
    assert found.feasible[label] == bool(feasible(walls, "+" * label))


@pytest.mark.sampled(11)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("depth", [1e-12, 1e-15, 0.0, -1e-15, -1e-12])
def test_a_row_just_inside_or_outside_a_facet(shape: tuple[int, int], depth: float) -> None:
    n, d = shape
    W = hull(n, d, 2)
    facet = W[np.argsort(W @ W[0])[-d:]]
    inner = facet.mean(axis=0) * (1 - depth)
    V = np.vstack([W, inner])
    found = can_be_top(V)
    assert found.decided.all() and found.verify()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_scale_changes_nothing(scale: float) -> None:
    W = generators.generic(40, 3, 5).normals.astype(float)
    asked = [[i, j] for i in range(40) for j in range(i)]
    power = 2.0 ** np.round(np.log2(scale))
    plain, scaled = can_be_top(W, asked), can_be_top(W * power, asked)
    assert (plain.feasible == scaled.feasible).all() and scaled[::20].verify()
    b = np.linspace(-1, 1, 40)
    plain, scaled = can_be_top(W, asked, offsets=b), can_be_top(W * power, asked, offsets=b * power)
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
    found = can_be_top(W, [[i] for i in range(8)], offsets=[0.75, 0, 0, 0, 0, 0, 0, 1])
    assert found.verify() and found.feasible.tolist() == [True, False, *[True] * 6]
    found = can_be_top(
        W, [[0]], offsets=[0.5, 0, 0, 0, 0, 0, 0, 1]
    )  # as the mean of two opposite rows
    assert found.verify() and not found.feasible[0]


@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
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


@pytest.mark.sampled(1)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_entries_count_at_their_exact_values(dtype: Any) -> None:
    W = np.random.default_rng(3).standard_normal((200, 5)).astype(dtype)
    W[7] = (W[1].astype(float) + W[2].astype(float)).astype(dtype) / dtype(2)
    found = can_be_top(W, workers=2)
    assert found.decided.all() and found.verify()
    as_double = can_be_top(W.astype(np.float64))
    assert (found.feasible == as_double.feasible).all()


@pytest.mark.slow
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
        assert found.feasible[i] == bool(feasible(W, found.signs(i), offsets=b))
    tops = can_be_top(W, sets, offsets=b)
    orders = can_be_top(W, sets, offsets=b, ordered=True)
    assert tops.verify() and orders.verify()
    assert not (orders.feasible & ~tops.feasible).any()


def test_a_low_rank_matrix() -> None:
    rng = np.random.default_rng(0)
    W = rng.integers(-5, 6, (120, 3)) @ rng.integers(-5, 6, (3, 12))
    found = can_be_top(np.unique(W, axis=0))
    assert found.decided.all() and found.verify()
    assert found.feasible.sum() == len(argmax_labels(W, ties="drop"))


def test_circuits_of_few_rows_in_many_coordinates() -> None:
    rng = np.random.default_rng(0)
    W = np.round(rng.standard_normal((400, 40)) * 2**20) / 2**20
    W[300:340] = [W[4 * k : 4 * k + 4].mean(axis=0) for k in range(40)]
    found = feasible_many(W, on=[[300 + k, 200 + k] for k in range(40)], offsets=-np.ones(400))
    assert not found.feasible.any() and found.decided.all() and found.verify()
    assert min(len(no.support) for no in found) == 5


def test_scores_that_overflow_on_the_way_prove_nothing():
    """Sums of a score leave the range of float32 although the score is moderate, or negative."""
    huge = 2.0**126
    row = np.array([huge] * 8 + [-huge] * 8)
    rows = ScoreRows(np.array([row, np.zeros(16), np.eye(16)[0]]))
    asked = FeasibilityBatch.of_array(rows, "orders", np.array([[0]]))
    point = np.ones((1, 16), np.float32)
    for points in (point, 4 * point, point[:, ::-1]):
        assert not judge(asked, np.zeros(1, np.int64), points)[0].any()
    signs = FeasibilityBatch.of_signs(rows, np.array([[1, 0, 0]], np.int8))
    assert not judge(signs, np.zeros(1, np.int64), point)[0].any()


def test_points_beyond_floats_are_compared_exactly():
    # products of 1e308: the sum of the first half overflows, whatever their order within it
    row = np.array([1e158] * 128 + [-1e158] * 128)
    rows = ScoreRows(np.array([row, np.eye(256)[0]]))
    asked = FeasibilityBatch.of_signs(rows, np.array([[1, 1]], np.int8))
    even = [Fraction(10) ** 150] * 256
    assert not meets(asked, 0, tuple(even))
    assert not meets(asked, 0, (*even[1:], even[0] + 1))
    assert meets(asked, 0, (even[0] + 1, *even[1:]))


# Points and scores beyond the range of floats: rows without a condition must not be taken for one.
BEYOND = [
    ([[-2e-323], [-4e-323]], [2.0, 2.0]),
    ([[-4e-323, 0.0], [-4e-323, 4e-323]], None),
    ([[2e-323], [-2e-323], [0.0]], [1.62, 2.02, -0.46]),
    ([[1.5e-323], [0.0], [-1.5e-323], [0.0], [0.0], [-3e-323]], [-1.0, 2.0, -1.0, -2.0, 2.0, 1.0]),
    ([[-1, 1, -4, -2], [-2, 4, 4, -1], [-1.5, 2.5, -5e-324, -1.5]], [-1.0, 2.0, 1.0]),
    (
        [[-3e-301, 6e-302], [-8e-301, -8e-301], [9e-302, 4e-301], [5e-301, 7e-301]],
        [2e30, 0, 2e30, 0],
    ),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
@pytest.mark.parametrize(("W", "b"), BEYOND)
def test_numbers_beyond_the_range_of_floats(tmp_path: Path, W: Any, b: Any) -> None:
    """As the same questions about integers, which floats hold."""
    n = len(W)
    unit = Fraction(5e-324)
    exact = [[int(Fraction(w) / unit) for w in row] for row in W]
    offsets = None if b is None else [int(Fraction(x) / unit) for x in b]
    tops = [list(top) for k in (1, 2, 3) for top in permutations(range(n), min(k, n))]
    for ordered in (False, True):
        found = can_be_top(W, tops, offsets=b, ordered=ordered)
        expected = can_be_top(exact, tops, offsets=offsets, ordered=ordered)
        assert found.feasible.tolist() == expected.feasible.tolist()
        assert found.verify()
        assert expected.verify()
        assert all(repr(one) for one in found)
        found.float_points()
    found.save(tmp_path / "proofs.npz")
    assert type(found).load(tmp_path / "proofs.npz").verify()
    if all(map(any, W)):
        signs = list(product([-1, None, 1], repeat=n))
        found = feasible_many(W, signs, offsets=b)
        for one, asked in zip(found, signs, strict=True):
            assert isinstance(one, Certificate)
            assert one.feasible == (solve_by_cone_tests(one.arrangement, asked).point is not None)
        assert found.verify()
        assert all(repr(one) for one in found)


@pytest.mark.slow
def test_long_numbers_have_short_texts() -> None:
    """Weights of more digits than Python writes, and long names."""
    rng = np.random.default_rng(0)
    W = rng.standard_normal((620, 280))
    A = Arrangement(W, labels=[f"a rather long name of the row {i}" for i in range(620)])
    found = feasible(A, rng.choice([-1, 1], 620))
    assert not found.feasible and found.weights is not None
    assert max(y.numerator.bit_length() for y in found.weights) > 14300  # 4300 digits
    assert len(repr(found)) < 1000
    assert max(len(exact_text(y)) for y in found.weights) > 4300
