"""Columns of nearly dependent ones that floats tell apart."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements.certificates.many import feasible_many
from arrangements.errors import LowRankWarning
from arrangements.feasibility.conditioning import conditioned, conditioner
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.feasibility.interior import solve_signs


def nearly_flat(n: int, d: int, rank: int, seed: int = 0) -> list[list[int]]:
    """Integer rows of rank d that are near a product of lower rank."""
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))
    return [[int(x) for x in row] for row in np.round(W * 2.0**52).tolist()]


def test_columns_are_told_apart():
    rows = nearly_flat(30, 8, 2)
    T = conditioner(rows)
    assert T is not None
    exact = np.array(rows, dtype=object) @ np.array(T, dtype=object)
    floats = (exact / np.abs(exact).max(axis=0)).astype(float)
    assert np.linalg.cond(np.array(rows, dtype=float)) > 1e14
    assert np.linalg.cond(floats) < 1e5


def test_well_conditioned_columns_stay():
    assert conditioner([[1, 0, 0], [1, 2, 0], [0, 1, 3]]) is None
    assert conditioner([[2**900, 0], [0, 1]]) is None  # columns may have any scale
    assert conditioned(HomogeneousRows([[1, 0], [1, 1]])) is None


@pytest.mark.parametrize("affine", [False, True])
def test_answers_hold_in_the_given_columns(affine):
    rows = nearly_flat(24, 6, 2, seed=1)
    rng = np.random.default_rng(2)
    if affine:
        rows = [[0] * 5 + [1], *rows]
    system = HomogeneousRows(rows)
    answers = set()
    for _ in range(12):
        chosen = rng.choice([-1.0, 1.0], len(rows))
        if rng.random() < 0.5:  # the signs of a point
            x = [int(v) for v in rng.integers(-(2**62), 2**62, 6)]
            x[-1] = abs(x[-1])
            values = [sum(a * v for a, v in zip(row, x, strict=True)) for row in rows]
            chosen = np.sign(values).astype(float)
        if affine:
            chosen[0] = 1.0
        found = solve_signs(system, chosen, affine)
        answers.add(type(found))
        if isinstance(found, list):
            assert all(
                s * sum(a * x for a, x in zip(row, found, strict=True)) > 0
                for s, row in zip(chosen.tolist(), system.integers, strict=True)
            )
        else:
            assert min(found.values()) > 0
            sums = [
                sum(y * int(chosen[j]) * system.integers[j][c] for j, y in found.items())
                for c in range(system.dimension)
            ]
            assert not any(sums)
    assert answers == {list, dict}


def test_low_rank_in_floats_takes_no_time():
    rng = np.random.default_rng(0)
    W = rng.standard_normal((200, 8)) @ rng.standard_normal((8, 40))
    with pytest.warns(LowRankWarning):
        found = feasible_many(W, [rng.choice([-1, 1], 200), np.sign(W @ rng.standard_normal(40))])
    assert found.feasible.tolist() == [False, True]
    assert found.verify()
    assert isinstance(found[1].point[0], Fraction)
