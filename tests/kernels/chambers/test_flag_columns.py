"""Columns along a flag: beside NumPy, bit by bit, and within their error bound of exact numbers."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements.exact.numbers import read_only
from arrangements.kernels.chambers.flag_columns import fill_columns, scale_floats
from arrangements.search.flag import Flag, _float_mixing

RNG = np.random.default_rng(0)
FAR = RNG.standard_normal((30, 5)) * 2.0 ** RNG.integers(-500, 500, (30, 5))
MATRICES = {
    "near 1": RNG.standard_normal((20, 3)),
    "far apart": FAR,
    "zeros": np.array([[0.0, -0.0, 3.0], [5e-324, 0.0, 0.0], [0.0, -1.75e308, 0.0]]),
    "subnormal": RNG.standard_normal((9, 4)) * 2.0**-1060,
    "one column": np.array([[3.0], [-0.5]]),
}


def scaled(matrix):
    shift, found = np.empty(matrix.shape[1], np.int64), np.empty(matrix.shape)
    scale_floats(read_only(matrix), np.empty(matrix.shape, np.int32), shift, found)
    return shift, found


@pytest.mark.parametrize("name", MATRICES)
def test_floats_are_scaled_by_powers_of_two(name):
    matrix = MATRICES[name]
    shift, found = scaled(matrix)
    exponents = np.frexp(matrix)[1].astype(np.int64)
    exponents[matrix == 0] = -(10**6)
    assert np.array_equal(shift, -exponents.max(axis=0))
    rows = -(exponents + shift).max(axis=1)
    assert np.array_equal(found, np.ldexp(matrix, rows[:, None] + shift))
    sizes = np.abs(found[(matrix != 0).any(axis=1)]).max(axis=1)
    assert ((0.5 <= sizes) & (sizes < 1)).all()


@pytest.mark.parametrize("central", [True, False])
@pytest.mark.parametrize("name", ["near 1", "far apart", "subnormal"])
def test_columns_are_those_of_numpy(name, central):
    _, rows = scaled(MATRICES[name])
    n, d = rows.shape
    for pivot, sign in ((0, 1.0), (d - 1, -1.0), (1, -1.0)):
        ratio, mix = RNG.uniform(-1, 1, d - 1), RNG.uniform(-1, 1, (d - 1, d - 1, 1))
        columns, largest = np.zeros((d, n)), np.zeros(d)
        fill_columns(rows, pivot, sign, ratio, central, read_only(mix), columns, largest)
        rest = np.delete(rows, pivot, axis=1) - rows[:, pivot, None] * ratio
        rest[0] *= not central
        expected = np.zeros((d - 1, n))
        for k in range(d - 1):
            expected += mix[k] * rest[:, k]
        assert np.array_equal(columns[:-1], expected)
        assert np.array_equal(columns[-1], rows[:, pivot] * sign)
        assert np.array_equal(largest, np.abs(columns).max(axis=1))


@pytest.mark.parametrize("central", [True, False])
@pytest.mark.parametrize("name", ["near 1", "far apart", "subnormal"])
def test_columns_of_a_flag_are_within_its_error(name, central):
    matrix = MATRICES[name]
    flag = Flag(matrix, central, 3)
    n, d = matrix.shape
    s, scale = flag.pivot_column, flag.scaled
    exact = [
        [Fraction(x) * Fraction(2) ** int(k) for x, k in zip(row, flag.column_shift, strict=True)]
        for row in matrix.tolist()
    ]
    mix = _float_mixing(3, d, 30)[:, :, 0].tolist()
    others = [j for j in range(d) if j != s]
    for i, row in enumerate(exact):
        # the power of two of the row, from its largest entry
        top = max(range(d), key=lambda j: abs(scale[i, j]))
        row = [x * Fraction(scale[i, top]) / row[top] for x in row]
        ratio = [exact[0][j] / exact[0][s] if central else 0 for j in others]
        rest = [row[j] - row[s] * r for j, r in zip(others, ratio, strict=True)]
        values = [
            sum((Fraction(mix[k][c]) * rest[k] for k in range(d - 1)), Fraction(0))
            for c in range(d - 1)
        ]
        values.append(row[s] * flag.root_sign)
        for c, value in enumerate(values):
            assert abs(Fraction(flag.columns[c, i]) - value) <= Fraction(flag.error)
            assert abs(value) <= Fraction(flag.magnitude[c])
