"""Columns of bits against NumPy's bits."""

import numpy as np
import pytest

from arrangements.kernels.statistics.bit_columns import (
    GROUP,
    LANES,
    add_pairs,
    add_singles,
    turn_rows,
)
from arrangements.sets.packed import pack_signs

SHAPES = [(0, 3), (1, 1), (7, 64), (64, 65), (513, 70), (2100, 130), (5000, 20)]


def turned(bits):
    """Columns of rows of bits, made by the kernel in arrays that are not clean."""
    m, n = bits.shape
    rows = pack_signs(2 * bits.astype(np.int8) - 1)
    width = GROUP * max(1, -(-m // (64 * GROUP)))
    columns = np.full((64 * rows.shape[1], width), 7, np.uint64)
    turn_rows(rows, np.full((64, LANES), 9, np.uint64), columns)
    return columns


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_are_turned(shape):
    bits = np.random.default_rng(0).integers(0, 2, shape)
    columns = turned(bits)
    seen = np.unpackbits(columns.view(np.uint8), axis=1, bitorder="little")
    # of the rows of a tile, the first are the lowest bits of its words
    seen = seen.reshape(len(columns), -1, LANES, 64).swapaxes(2, 3).reshape(len(columns), -1)
    assert (seen[: shape[1], : shape[0]].T == bits).all()
    assert seen.sum() == bits.sum()


@pytest.mark.parametrize("shape", SHAPES)
def test_bits_are_counted(shape):
    bits = np.random.default_rng(1).integers(0, 2, shape)
    columns = turned(bits)
    singles = np.arange(shape[1])
    add_singles(columns, singles)
    assert (singles == np.arange(shape[1]) + bits.sum(axis=0)).all()
    pairs = np.full((shape[1], shape[1]), 5)
    add_pairs(columns, pairs)
    assert (np.triu(pairs) == np.triu(5 + bits.T @ bits)).all()
    assert (np.tril(pairs, -1) == np.tril(np.full_like(pairs, 5), -1)).all()
