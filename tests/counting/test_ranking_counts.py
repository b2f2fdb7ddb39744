"""Numbers of rankings in the plane and on a line, from slopes alone, against the sweep."""

from typing import Any

import numpy as np
import pytest
from sympy import sqrt

from arrangements import Arrangement, NumberField, count_rankings, rankings
from arrangements.counting import ranking_counts

THETAS = [
    Arrangement([[1, sqrt(2)]]).normals[0, 1],
    NumberField([-1, -1, 1], (1, 2), "phi").generator,
    NumberField([-1, -2, 1, 1], (1, 2), "c").generator,  # 2 cos(2 pi / 7)
    NumberField([-2, 0, 0, 1], (1, 2), "r").generator,  # the cube root of 2
]


def labels(seed: int) -> tuple[list[list[Any]], list[Any]]:
    """A grid, with coincidences, moved a little or in other coordinates; and offsets."""
    rng, theta = np.random.default_rng(seed), THETAS[seed % 4]
    grid = np.unique(rng.integers(-2, 3, (int(rng.integers(3, 9)), 2)), axis=0).tolist()
    if seed % 3:
        a, b, c, d = (int(x) + int(y) * theta for x, y in rng.integers(-2, 3, (4, 2)))
        rows = [[x * a + y * b, x * c + y * d] for x, y in grid]
    else:
        moves = rng.integers(-1, 2, (len(grid), 2)).tolist()
        rows = [[x + s * theta, y + t * theta] for (x, y), (s, t) in zip(grid, moves, strict=True)]
    return rows, rng.integers(0, 2, len(grid)).tolist()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("attempts", [ranking_counts.ATTEMPTS, 0])
def test_irrational_slopes(attempts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By residues, and one by one if no primes would do."""
    monkeypatch.setattr(ranking_counts, "ATTEMPTS", attempts)
    seen = set()
    for seed in range(48):
        rows, offsets = labels(seed)
        for W, b in ((rows, None), ([row[:1] for row in rows], offsets)):
            found = len(rankings(W, b, ties="drop", method="sweep"))
            assert count_rankings(W, b, ties="drop") == found
            seen.add(found)
    assert len(seen) > 10


@pytest.mark.slow
def test_many_irrational_labels() -> None:
    """Twice as many as there are directions between points of the grid."""
    theta, size = THETAS[0], 30
    rows = [[x + y * theta, x * theta - y] for x in range(size) for y in range(size)]
    grid = [[x, y] for x in range(size) for y in range(size)]
    assert count_rankings(rows) == count_rankings(grid) == 2160
