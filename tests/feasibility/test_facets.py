"""Rows that are positive in every question of a batch, in all kinds, small and in bulk."""

import numpy as np
import pytest

from arrangements import feasible
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.score_rows import ScoreRows

KINDS = ["signs", "free", "sets", "orders"]


def batch_and_answers(rng, kind, affine, span=3, m=12):
    """Random questions about five rows and three facets, and what single questions answer."""
    d, n, k = int(rng.integers(1, 4)), 5, 3
    W = rng.integers(-span, span + 1, (n + k, d))
    b = rng.integers(-span, span + 1, n + k) if affine else np.zeros(n + k, np.int64)
    W[n:, 0] += (~W[n:].any(axis=1)).astype(int)
    rows = ScoreRows(W, b if affine else None, facets=k)
    sets = [rng.permutation(n)[: rng.integers(1, n)].tolist() for _ in range(m)]
    full = np.column_stack([W, b])
    answers = []
    for top in sets:
        rest = [i for i in range(n) if i not in top]
        if kind == "signs":
            conditions = [*full[top], *-full[rest]]
        elif kind == "free":
            conditions = [*full[top]]
        elif kind == "orders":
            pairs = [*zip(top, top[1:], strict=False), *((top[-1], i) for i in rest)]
            conditions = [full[i] - full[j] for i, j in pairs]
        else:
            conditions = [full[i] - full[j] for i in top for j in rest]
        conditions = np.array([*conditions, *full[n:], [0] * d + [1]])
        possible = conditions.any(axis=1).all()
        answers.append(bool(possible and feasible(conditions, np.ones(len(conditions), int))))
    if kind == "free":
        return FeasibilityBatch.of_sets(rows, "signs", sets, 0), answers
    return FeasibilityBatch.of_sets(rows, kind, sets), answers


@pytest.mark.sampled(1)
@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_small_and_bulk(kind, affine):
    for seed in range(20):
        batch, expected = batch_and_answers(np.random.default_rng(seed), kind, affine)
        assert decide(batch).feasible.tolist() == expected, seed
        assert decide(batch, time_limit=1e9).feasible.tolist() == expected, seed
