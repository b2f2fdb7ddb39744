"""Interior points: what is called proved holds exactly, and what is refused does not exist."""

from fractions import Fraction
from itertools import product

import naive
import numpy as np
import pytest

from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.cone.cone_test import UNDECIDED
from arrangements.kernels.cone.interior_points import (
    fill_witnesses,
    find_witness,
    first_doubtful,
)
from kernels.plain import dot, sign


def exact_signs(system, point):
    """Signs of the rows, as floats hold them, at a float64 point."""
    values = [Fraction(x) for x in point]
    return [sign(dot(map(Fraction, row), values)) for row in system.floats.T.tolist()]


def test_no_sign_is_proved_that_does_not_hold():
    rng = np.random.default_rng(0)
    system = HomogeneousRows(rng.integers(-2, 3, (12, 3)).tolist() + np.eye(3, dtype=int).tolist())
    n = len(system.integers)
    signs, values, proved = rng.choice([-1.0, 1.0], n), np.zeros(n), 0
    for exponent in [0, -30, -52, -60] * 20:
        # nearly on one of the rows
        point = np.cross(*system.floats[:, rng.choice(n, 2)].T) + 2.0**exponent * rng.normal(size=3)
        exact = exact_signs(system, point)
        for k in range(n):
            signs[:] = [e or 1 for e in exact]
            signs[k] *= -1  # wrong there
            found = first_doubtful(system.floats, signs, n, point, values)
            assert found <= k and 0 in [*exact[found : found + 1], 0]
            proved = max(proved, found)
            assert first_doubtful(system.floats, signs, k, point, values) == min(found, k)
    assert proved == n - 1
    assert first_doubtful(system.floats, signs, n, np.zeros(3), values) == 0


@pytest.mark.parametrize("affine", [False, True])
def test_witnesses_of_all_sign_vectors(affine):
    rng = np.random.default_rng(int(affine))
    W, b = rng.integers(-2, 3, (6, 3)), rng.integers(-1, 2, 6)
    W[0], W[1], W[2] = [1, 0, 0], [0, 1, 0], [1, 1, 0]
    W = W[W.any(axis=1)]
    b = b[: len(W)] if affine else np.zeros(len(W), np.int64)
    rows = np.column_stack([b, W]).tolist() if affine else W.tolist()
    system = HomogeneousRows([[1, 0, 0, 0], *rows] if affine else rows)
    expected = naive.chambers(W, b)
    # row 0, at infinity, is positive
    asked = [(1,) * affine + signs for signs in product((-1, 1), repeat=len(W))]
    signs = np.array([[vector[i] for i in system.order] for vector in asked], np.float64)
    work = system.work_for(system.table)
    points, status = np.zeros((len(asked), system.dimension)), np.zeros(len(asked), np.int64)
    table, safe = system.table, system.safe
    assert fill_witnesses(table, signs, safe, affine, points, status, work) == len(asked)
    for vector, row, point, answer in zip(asked, signs, points, status.tolist(), strict=True):
        assert answer == (vector[int(affine) :] in expected)
        if answer:
            assert exact_signs(system, point) == row.tolist()
            assert not affine or point[0] == 1.0
        again = np.zeros(system.dimension)
        assert find_witness(table, row, safe, affine, again, work) == answer
        if not answer:
            assert 0 <= work.state[5] < len(row)


@pytest.mark.slow
def test_floats_alone_stop_where_they_cannot_know():
    system = HomogeneousRows([[1, 0], [0, 1], [1, 1]])
    signs = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0]])
    signs = signs[:, system.order]
    table = system.float_table
    points, status = np.zeros((3, 2)), np.full(3, 7)
    work = system.work_for(table)
    done = fill_witnesses(table, signs, system.safe, False, points, status, work)
    answers = status.tolist()
    assert answers[0] == 1 and done in (1, 2, 3)
    assert done == 3 or answers[done] == UNDECIDED
