"""Rankings along a line, in integers."""

from typing import Any

import numpy as np
import pytest

from arrangements import count_rankings, rankings
from arrangements.core.score_model import ScoreModel
from arrangements.search import label_line as line


def found(model: ScoreModel) -> list[tuple[int, ...]]:
    orders = [tuple(row) for block in line.iter_line(model, 4) for row in block.tolist()]
    if model.is_central:
        orders += [row[::-1] for row in orders]
    return orders


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("central", [True, False])
def test_the_same_rankings_as_the_sweep(seed: int, central: bool) -> None:
    rng = np.random.default_rng(seed)
    W: Any = np.unique(rng.integers(-3, 4, (7, 2)), axis=0)  # with parallel differences
    b = None
    if not central:
        W, b = W[:, :1], W[:, 1]
    model = ScoreModel(W, b)
    orders = found(model)
    assert len(orders) == len(set(orders)) == count_rankings(W, b)
    assert set(orders) == set(map(tuple, rankings(W, b, method="pairs").to_array().tolist()))


def test_entries_of_very_different_sizes() -> None:
    rng = np.random.default_rng(1)
    W, b = 2.0 ** rng.integers(-1000, 1000, (57, 1)), 2.0 ** rng.integers(-1000, 1000, 57)
    assert line.needs_integers(ScoreModel(W, b))
    listed = rankings(W, b)
    assert len(listed) == count_rankings(W, b) == 1597
    assert set(map(tuple, listed.to_array().tolist())) == set(found(ScoreModel(W, b)))
    plane = np.hstack([W, b[:, None]])
    assert len(rankings(plane)) == count_rankings(plane)


def test_floats_do_elsewhere() -> None:
    rng = np.random.default_rng(0)
    assert not line.needs_integers(ScoreModel(rng.normal(size=(50, 2))))
    assert not line.needs_integers(ScoreModel(rng.integers(-9, 9, (20, 1)), rng.normal(size=20)))
    assert not line.needs_integers(ScoreModel(2.0 ** rng.integers(-99, 99, (20, 3))))
