"""How many states levels of merged restrictions have, told from random chains of flats."""

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
import pytest

from arrangements import Arrangement, generators
from arrangements.core.score_model import ScoreModel
from arrangements.counting.polynomials import restrictions_of
from arrangements.counting.restrictions import MemoryRestrictions, Stage
from arrangements.forecast import merged_levels as module
from arrangements.forecast.merged_levels import merged_levels
from arrangements.generators.blocks import cube


def cube_pairs(k: int) -> Arrangement:
    """Where two vertices of a cube tie."""
    return ScoreModel(cube(k, (0, 1))).differences


def true_levels(A: Any, monkeypatch: pytest.MonkeyPatch) -> list[Stage]:
    """The levels of a count that is made."""
    stages, begin = [], MemoryRestrictions.stage

    def noted(*arguments: Any) -> Stage:
        stages.append(begin(*arguments))
        return stages[-1]

    monkeypatch.setattr(MemoryRestrictions, "stage", noted)
    found, _ = restrictions_of(Arrangement.coerce(A))
    for _ in found.portions():
        pass
    return stages


def distinct_rows(A: Any) -> np.ndarray:
    A = Arrangement.coerce(A)
    return np.array([A.integer_rows[group[0]][:-1] for group in A.coincident_classes], float)


@pytest.mark.parametrize(
    "make",
    [
        lambda: generators.resonance(7),
        lambda: generators.threshold(7),
        lambda: generators.coxeter("E8"),
        lambda: generators.braid(9),
        lambda: cube_pairs(6),
    ],
)
def test_levels_of_symmetric_arrangements(
    make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LENGTHS", 10_000_000)
    rows = distinct_rows(make())
    stages = true_levels(make(), monkeypatch)
    levels = merged_levels(rows[:, : stages[0].k], stages[0].k - 4)
    assert len(levels) == len(stages)
    for level, stage in zip(levels, stages, strict=True):
        assert level.states == pytest.approx(stage.states, rel=0.1)
        assert level.rows.mean() == pytest.approx(stage.rows, rel=0.2)
        assert (level.orbits <= level.rows).all()


def test_orbits_of_rows() -> None:
    """Of resonance(5): S_6 has 3 orbits on its hyperplanes, and the stabilizer of one has 6."""
    levels = merged_levels(distinct_rows(generators.resonance(5)), 2)
    assert [level.states for level in levels[:2]] == [1, 3]
    # Weisner: the orbits of the flags (hyperplane, flat of rank 2) are at least the next states
    assert levels[1].states * levels[1].orbits.mean() >= levels[2].states


def test_levels_without_symmetries_are_flats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that few chains cover, too, which steps count."""
    rows = np.random.default_rng(0).integers(-9, 10, (24, 7)).astype(float)
    for most in (40_000, 1000):
        monkeypatch.setattr(module, "_MOST_CHAINS", most)
        levels = merged_levels(rows, 3)
        for k, level in enumerate(levels):
            assert level.states == pytest.approx(comb(24, k), rel=0.15)
            assert (level.rows == 24 - k).all() and (level.orbits == 24 - k).all()


def test_orbits_are_not_looked_for_among_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_LINES", 40)
    levels = merged_levels(distinct_rows(generators.resonance(6)), 2)
    assert (levels[1].orbits == levels[1].rows)[levels[1].rows > 40].all()
    assert (levels[2].orbits < levels[2].rows).all()


@pytest.mark.slow
def test_linear_images_have_the_same_levels() -> None:
    rng = np.random.default_rng(3)
    rows = distinct_rows(generators.resonance(7))
    image = rng.permutation(rows) @ rng.integers(-3, 4, (7, 7)) * rng.choice([-1, 1], (127, 1))
    for a, b in zip(merged_levels(rows, 3), merged_levels(image, 3, seed=1), strict=True):
        assert a.states == pytest.approx(b.states, rel=0.1)


def test_what_floats_do_not_tell() -> None:
    dependent = [[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [1e-12, 2e-12]], [[1, 0], [2, 0]]
    for rows in (*dependent, [[np.inf, 1], [0, 1]], [[np.nan, 1], [0, 1]]):
        with pytest.raises(np.linalg.LinAlgError):  # and no warning
            merged_levels(np.array(rows, float), 1)
    levels = merged_levels(np.array([[1e200, 0.0, 0.0], [0.0, 1e200, 0.0], [0.0, 0.0, 1.0]]), 2)
    assert [level.rows.tolist() for level in levels[:2]] == [[3], [2]]


def test_classes_that_were_not_met_are_counted() -> None:
    rng = np.random.default_rng(0)
    for spread in (0.0, 0.8):
        chances = np.exp(spread * rng.standard_normal(500))
        met = np.bincount(rng.choice(500, 1500, p=chances / chances.sum()))
        found = module._number_of_classes(met[met > 0])
        assert found is not None and 400 < found < 600
