"""Points are judged in float32, and in float64 where that leaves them open."""

from __future__ import annotations

from fractions import Fraction
from itertools import count

import numpy as np
import pytest

from arrangements.feasibility import deciding
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.exact_answers import meets
from arrangements.feasibility.judging import judge
from arrangements.feasibility.score_rows import ScoreRows


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scale", [1.0, 2.0**-90, 2.0**90, 2.0**-200, 2.0**120, 2.0**300])
@pytest.mark.parametrize("kind", ["orders", "signs"])
def test_what_is_proved_holds(kind: str, scale: float) -> None:
    rng = np.random.default_rng(3)
    # rows of float64, of which some differ by less than float32 tells
    W = np.repeat(rng.normal(size=(40, 6)), 2, axis=0)
    W[1::2] *= 1 + 2.0 ** -rng.integers(20, 50, size=(40, 1))
    rows = ScoreRows(W * scale, compared=kind == "orders")
    batch = FeasibilityBatch.of_array(rows, kind, np.arange(80)[:, None])
    points = np.concatenate([W, -W]).astype(np.float32)
    chosen = np.concatenate([np.arange(80), np.arange(80)])
    proved, worst = judge(batch, chosen, points)
    for i, point, sure, row in zip(chosen, points, proved, worst, strict=True):
        exact = tuple(map(Fraction, point.tolist()))
        assert meets(batch, int(i), exact) >= sure
        assert 0 <= row < 80
    if kind == "orders":  # float64 tells twice as far
        expected, _ = judge(batch, chosen, points.astype(np.float64))
        assert proved.tolist() == expected.tolist() and proved.any()


def test_a_time_limit_ends_the_search_between_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    W = rng.normal(size=(300, 12)) * np.where(rng.random(300) < 0.5, 0.3, 1)[:, None]
    batch = FeasibilityBatch.of_array(
        ScoreRows(W, compared=True), "orders", np.arange(300)[:, None]
    )
    expected = deciding.decide(batch, time_limit=1e9).status
    numbers = set()
    for limit in (0, 3, 6, 10, 20, 1000):
        clock = count()
        monkeypatch.setattr(deciding.time, "monotonic", lambda clock=clock: next(clock))
        found = deciding.decide(batch, time_limit=limit)
        decided = found.status >= 0
        assert (found.status == expected)[decided].all()
        assert decided.all() or next(clock) <= limit + 20
        numbers.add(int(decided.sum()))
    assert min(numbers) == 0 and max(numbers) == 300 and len(numbers) > 3
