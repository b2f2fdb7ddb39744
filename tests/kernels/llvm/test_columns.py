"""Columns of a tableau against their plain twins."""

import numpy as np
import pytest

from arrangements.kernels.llvm import vectors
from kernels import compiled, twins

combine, narrow = compiled(vectors.combine), compiled(vectors.narrow)


@pytest.mark.parametrize("lanes", [16, 32, 80])
def test_combinations(lanes):
    rng = np.random.default_rng(lanes)
    table = rng.standard_normal((2, 3, 80))
    table[1] = 7.0
    expected = table.copy()
    arguments = 3 * 80, 2 * 80, 80, 0.75, -1.25, lanes
    top = twins.combine(expected, *arguments)
    assert combine(table, *arguments) == top == np.abs(expected[1, 0, :lanes]).max()
    assert (table == expected).all() and (table[1, 0, lanes:] == 7.0).all()


def test_size_of_a_column_of_zeros():
    table = np.zeros((2, 1, 16))
    assert combine(table, 16, 0, 0, 1.0, 1.0, 16) == 0.0


@pytest.mark.parametrize("lanes", [16, 48])
def test_columns_in_single_precision(lanes):
    table = np.random.default_rng(lanes).standard_normal((2, 48)) * 10.0 ** np.arange(-24, 24)
    line = np.full((3, 48), 7.0, np.float32)
    expected = line.copy()
    twins.narrow(table, 48, expected, 48, -3.7, lanes)
    narrow(table, 48, line, 48, -3.7, lanes)
    assert (line == expected).all() and (line[[0, 2]] == 7.0).all()
    assert (line[1, :lanes] == (table[1] * -3.7).astype(np.float32)[:lanes]).all()
