"""Workspaces that are used again are as fresh ones."""

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from arrangements import chambers, count_rankings, generators, rankings
from arrangements.execution.memory import Spare, aligned_zeros, layout_of
from arrangements.search import chamber_sweep, ranking_sweep


class Space(NamedTuple):
    numbers: NDArray[np.float64]
    sets: NDArray[np.uint64]


def spare(rows: int) -> Spare[Space]:
    layout = layout_of({"numbers": ((rows, 3), np.float64), "sets": ((rows,), np.uint64)})
    return Spare(lambda: Space(**aligned_zeros(layout)))


def test_a_workspace_is_used_again_as_zeros() -> None:
    spares = spare(5)
    first, second = spares.take(), spares.take()
    assert first.numbers is not second.numbers
    for array in first:
        array[:] = 7
    spares.keep(first)
    assert spares.take() is first
    assert not any(array.any() for array in first)


def test_few_and_small_workspaces_are_kept() -> None:
    large, spares = spare(10**5), spare(5)
    space = large.take()
    large.keep(space)
    assert large.take() is not space
    spaces = [spares.take() for _ in range(6)]
    for space in spaces:
        spares.keep(space)
    kept = [spares.take() for _ in range(6)]
    assert sum(any(space is other for other in spaces) for space in kept) == 4


@pytest.mark.sampled(1)
@pytest.mark.parametrize("limit", [None, 5])
def test_sweeps_leave_nothing_behind(limit: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where one before had ties, exact decisions, walks, or stopped early."""
    rng = np.random.default_rng(0)
    equal = generators.resonance(4).normals
    near = rng.integers(-(2**50), 2**50, equal.shape)
    near[:, 3] = near[:, 0] + near[:, 1] + rng.integers(-2, 3, len(near))
    matrices = [equal, rng.standard_normal(equal.shape), near, equal[::-1] * 3.0]
    cube = np.array([[i >> k & 1 for k in range(4)] for i in range(15)])
    weights = [cube, rng.standard_normal(cube.shape), cube * 1e-3]
    once = [chambers(W, limit=limit).packed for W in matrices]
    ranked = [
        (rankings(W, limit=limit).to_array(), count_rankings(W, method="sweep")) for W in weights
    ]
    for k in rng.integers(len(matrices), size=12):
        assert np.array_equal(chambers(matrices[k], limit=limit).packed, once[k])
    for k in rng.integers(len(weights), size=12):
        assert np.array_equal(rankings(weights[k], limit=limit).to_array(), ranked[k][0])
        assert count_rankings(weights[k], method="sweep") == ranked[k][1]
    # and as in workspaces of their own
    monkeypatch.setattr(chamber_sweep, "_spare", chamber_sweep._spare.__wrapped__)
    monkeypatch.setattr(ranking_sweep, "_spare", ranking_sweep._spare.__wrapped__)
    for W, rows in zip(matrices, once, strict=True):
        assert np.array_equal(chambers(W, limit=limit).packed, rows)
    for W, (rows, number) in zip(weights, ranked, strict=True):
        assert np.array_equal(rankings(W, limit=limit).to_array(), rows)
        assert count_rankings(W, method="sweep") == number
