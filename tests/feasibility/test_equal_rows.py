"""Labels with equal rows: refused at once, with a proof that exact arithmetic accepts."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from arrangements import can_be_top


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("size", [1, 2])
def test_equal_rows(bias: bool, size: int) -> None:
    rng = np.random.default_rng(size)
    W = rng.normal(size=(80, 24))
    W[40:60] = W[:20]
    W[60:70] = W[:10]
    b = rng.integers(0, 2, 80).astype(float) if bias else None
    asked = np.array(list(permutations(range(0, 80, 6), size)))
    C = can_be_top(W, asked, offsets=b)
    heights = np.zeros(80) if b is None else b
    for chosen, feasible, certificate in zip(asked.tolist(), C.feasible.tolist(), C, strict=True):
        others = [j for j in range(80) if j not in chosen]
        tied = any(
            (W[i] == W[j]).all() and heights[j] >= heights[i] for i in chosen for j in others
        )
        assert not (tied and feasible) and certificate.verify()
        if tied and size == 1:
            assert len(certificate.blockers) == 1
    assert 0 < C.feasible.sum() < len(C)


def test_equal_rows_of_a_large_head() -> None:
    W = np.random.default_rng(0).standard_normal((300, 64), np.float32)
    W[-5:] = W[-10:-5]
    C = can_be_top(W)
    assert np.flatnonzero(~C.feasible).tolist() == list(range(290, 300))
    assert C[290].blockers == {"295": 1} and C[290:].verify()
