"""Rows of a part in order, by vectors and by digits."""

import numpy as np
import pytest

from arrangements import Arrangement
from arrangements.core.score_model import as_score_model
from arrangements.runs import sweeping
from arrangements.runs.sources import ChamberSource, RankingSource


def sources():
    rng = np.random.default_rng(0)
    few, many = (Arrangement(rng.integers(-9, 9, (n, 3))) for n in (20, 70))
    yield ChamberSource(few), rng.integers(0, 2**20, (1000, 1), np.uint64)
    yield ChamberSource(many), rng.integers(0, 4, (1000, 2), np.uint64)
    model = as_score_model(rng.integers(-9, 9, (6, 3)), None, None, "drop")
    yield (
        RankingSource(model),
        rng.permuted(np.tile(np.arange(6, dtype=np.uint8), (99, 1)), axis=1),
    )


@pytest.mark.slow
@pytest.mark.parametrize("by_vectors", [True, False])
def test_order(monkeypatch, by_vectors):
    monkeypatch.setattr(sweeping, "has_vectors", lambda: by_vectors)
    for source, rows in sources():
        words = source.to_words(rows)
        expected = rows[np.lexsort(words.T[::-1])]
        order = sweeping.RowOrder(source, 10)
        for given in (rows, rows[:1], rows[:0]):
            found = order.sorted(given.copy())
            assert found.dtype == rows.dtype and len(found) == len(given)
        assert np.array_equal(order.sorted(rows.copy()), expected)
