"""Few rows in many columns: nothing of size d x d, and the answers of a factor with few columns."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from arrangements import argmax_labels, audit, can_be_top, feasible_many
from arrangements.feasibility.score_rows import ScoreRows

SIGNS = ["+-++-+*", "+++++++", "-------", "****+++"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rank", [2, 3, 6])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_answers_as_a_factor(seed: int, rank: int) -> None:
    """``M @ B`` has the signs and orders of M, if the rows of B are independent."""
    rng = np.random.default_rng(seed)
    M, B = rng.integers(-4, 5, (7, rank)), rng.integers(-9, 10, (rank, 60))
    assert np.linalg.matrix_rank(B) == rank
    M[6] = M[0] + M[1] - M[2]
    for b in (None, rng.integers(-3, 4, 7)):
        W: Any = (M @ B).astype(float)
        pairs = [[0, 1], [2, 6], [3, 4], [5, 0]]
        for rows in (W, W / 8):
            c = b if b is None or rows is W else b / 8
            found = feasible_many(rows, SIGNS, offsets=c)
            assert found.feasible.tolist() == feasible_many(M, SIGNS, offsets=b).feasible.tolist()
            assert found.verify()
            for sets in (None, pairs):
                tops = can_be_top(rows, sets, offsets=c)
                assert tops.feasible.tolist() == can_be_top(M, sets, offsets=b).feasible.tolist()
                assert tops.verify()
            ordered = can_be_top(rows, pairs, offsets=c, ordered=True)
            assert ordered.feasible.tolist() == (
                can_be_top(M, pairs, offsets=b, ordered=True).feasible.tolist()
            )
            sets = [[0], [0, 1, 2], []]
            one, other = audit(rows, c, sets=sets, pairs=True), audit(M, b, sets=sets, pairs=True)
            assert one.can_win.tolist() == other.can_win.tolist()
            assert one.possible.tolist() == other.possible.tolist()
            assert one.pairs.tolist() == other.pairs.tolist()


def test_bases_span_the_rows() -> None:
    rng = np.random.default_rng(0)
    W, b = rng.standard_normal((7, 300)), rng.standard_normal(7)
    for rows in (ScoreRows(W), ScoreRows(W, b), ScoreRows(W, b, compared=True)):
        for center in (False, True):
            found = rows.whiten(center)
            basis, table = found.basis, found.rows(np.arange(7))
            assert basis.shape == (300 + rows.affine, 7 + rows.affine)
            centered = rows.floats - center * rows.floats.mean(axis=0)
            assert np.allclose(centered @ basis, table)
            fit = rows.regression(center)
            assert fit is not None
            R = W / fit.scale - fit.mean
            inverse = np.linalg.pinv(R.T @ R, rcond=1e-7)
            assert np.allclose(fit.solve(R), R @ inverse, rtol=1e-3, atol=1e-6)


@pytest.mark.slow
def test_words_of_a_corpus() -> None:
    W = np.random.default_rng(0).standard_normal((7, 5_000))
    tracemalloc.start()
    try:
        assert argmax_labels(W).tolist() == list(range(7))
        assert audit(W, sets=[[0], [0, 1]]).possible.tolist() == [1, 1]
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()
