"""Rows that are constant on a cone: what is claimed is proved by exact certificates."""

import numpy as np
import pytest
from sympy import Matrix, Rational

from arrangements import feasible
from arrangements.optimize.by_bounds import cone_around, constant_signs


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(8))
def test_claims_are_true(seed):
    rng = np.random.default_rng(seed)
    d = 2 + seed % 3
    floats = rng.standard_normal((d, 60))
    point = rng.standard_normal(d)
    signs = np.where(point @ floats > 0, 1, -1).astype(np.int8)
    rows = cone_around(floats[:, :40], signs[:40], point)
    assert rows is not None and len(set(rows.tolist())) == d
    basis = (floats[:, rows] * signs[rows]).T
    claims = constant_signs(floats, basis[None])[0]
    # constant are the rows whose coefficients in the basis, exact ones, have one sign
    exact = Matrix(basis.T.tolist()).applyfunc(Rational)
    coefficients = exact.LUsolve(Matrix(floats.tolist()).applyfunc(Rational))
    columns = [list(coefficients[:, i]) for i in range(60)]
    one_sign = np.array([1 if min(c) > 0 else -1 if max(c) < 0 else 0 for c in columns])
    others = np.setdiff1d(np.arange(60), rows)  # those of the basis are on the boundary
    assert np.array_equal(claims[others], one_sign[others]) and one_sign[others].any()
    for i in np.flatnonzero(claims):
        assert claims[i] == signs[i]
        # no point of the cone of the basis lies on the other side
        assert not feasible([*basis, floats[:, i] * -claims[i]], "+" * (d + 1))


def test_nothing_is_claimed_within_the_error():
    basis = np.eye(2)
    rows = np.array([[1.0, 1.0], [1.0, 2.0**-60], [1.0, -(2.0**-60)], [-1.0, -1.0], [1.0, -1.0]]).T
    assert constant_signs(rows, basis[None]).tolist() == [[1, 0, 0, -1, 0]]
    assert constant_signs(rows, np.ones((1, 2, 2))).tolist() == [[0] * 5]


def test_a_point_that_is_not_surrounded():
    rows, plus = np.array([[1.0, 1.0], [0.5, -0.5]]), np.array([1, 1])
    assert cone_around(rows, plus, np.array([1.0, 0.1])) is not None
    assert cone_around(rows, plus, np.array([1.0, 1.0])) is None
    assert cone_around(rows, plus, np.array([1.0, 9.0])) is None
    assert cone_around(np.eye(2)[:, :1], np.array([1]), np.ones(2)) is None
