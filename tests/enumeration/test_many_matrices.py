"""The chambers of many matrices, against those of each."""

from fractions import Fraction

import naive
import numpy as np
import pytest

from arrangements import (
    Arrangement,
    ArrangementError,
    chambers,
    chambers_many,
    count_chambers,
    count_chambers_many,
    generators,
)


def without_zero_rows(stack):
    stack[~stack.any(axis=2)] = 1
    return stack


def stacks():
    rng = np.random.default_rng(1)
    yield rng.standard_normal((40, 7, 3))
    yield rng.standard_normal((40, 7, 3)).astype(np.float16)
    yield without_zero_rows(rng.integers(-1, 2, (40, 6, 3)))
    yield without_zero_rows(rng.integers(-2, 3, (40, 6, 3))) / 8
    yield without_zero_rows(rng.integers(-1, 2, (40, 5, 4)).astype(np.int8))
    yield without_zero_rows(rng.integers(0, 2, (10, 4, 2)).astype(bool))
    yield rng.standard_normal((20, 6, 3)) @ np.diag([1e200, 1, 1e-200])
    low = rng.integers(-9, 10, (20, 6, 2)) @ rng.integers(-9, 10, (20, 2, 4)) + 0.0
    yield without_zero_rows(low) * 10.0 ** rng.integers(-30, 30, (20, 6, 1))
    yield rng.integers(1, 2**31, (10, 5, 3))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("stack", [*stacks()], ids=lambda stack: f"{stack.dtype}{stack.shape}")
@pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")
def test_counts(stack):
    m, n = stack.shape[:2]
    b = np.random.default_rng(2).integers(-1, 2, (m, n))
    assert count_chambers_many(stack).tolist() == [naive.count(W) for W in stack]
    expected = [naive.count(*pair) for pair in zip(stack, b, strict=True)]
    assert count_chambers_many(stack, b, workers=2).tolist() == expected
    assert count_chambers_many(list(stack), b.tolist()).tolist() == expected
    assert count_chambers_many(list(stack), list(b)).tolist() == expected


def test_one_unit_in_the_last_place():
    W = np.array([[0.1, 0.7, 0.3], [0.9, 0.2, 0.4], [0.5, 0.6, 0.8], [0, 0, 0]])
    W[3] = W[0] + W[1]
    near = np.array([W, W, W])
    near[1, 3, 0] = np.nextafter(near[1, 3, 0], 2)
    near[2, 3, 1] = np.nextafter(near[2, 3, 1], 0)
    assert count_chambers_many(near).tolist() == [count_chambers(W) for W in near]
    exact = [[[Fraction(1, 3), 1], [1, 3], [2, 1]]]
    assert count_chambers_many(exact).tolist() == [4]


def test_other_shapes():
    given = [generators.braid(4), [[1, 0], [0, 1]], np.eye(3), Arrangement([[1], [1]], [0, 1])]
    assert count_chambers_many(given).tolist() == [24, 4, 8, 3]
    assert count_chambers_many(iter(given)).tolist() == [24, 4, 8, 3]
    assert count_chambers_many([]).shape == (0,) and chambers_many([]) == []
    assert count_chambers_many(np.empty((0, 5, 3))).tolist() == []
    large = np.random.default_rng(3).standard_normal((2, 40, 6))
    assert count_chambers_many(large).tolist() == [naive.generic_count(40, 6)] * 2
    Ws = np.random.default_rng(4).standard_normal((5, 6, 2))
    assert chambers_many(Ws, workers=2) == [chambers(W) for W in Ws]


@pytest.mark.parametrize(
    ("Ws", "offsets", "message"),
    [
        (np.eye(3), None, r"Ws has shape \(3, 3\); expected \(m, n, d\)"),
        (3, None, "Ws is 3; expected matrices"),
        (generators.braid(3), None, "expected matrices, one for each arrangement"),
        (np.full((2, 2, 2), np.nan), None, "matrix 0: .*row 0, column 0, is nan"),
        ([np.eye(2), [[1, 0], [0, 0]]], None, "matrix 1: "),
        (np.stack([np.eye(2), np.zeros((2, 2))]), None, "matrix 1: "),
        (np.ones((2, 3, 2)), np.ones((3, 3)), "2 matrices and offsets for 3"),
        (np.ones((2, 3, 2)), np.ones((2, 4)), r"matrix 0: offsets has shape \(4,\)"),
        (np.ones((2, 3, 2)), 1, "offsets is 1; expected vectors"),
    ],
)
def test_refused(Ws, offsets, message):
    for question in count_chambers_many, chambers_many:
        with pytest.raises(ArrangementError, match=message):
            question(Ws, offsets)
