"""Blocks of packed rows turned into columns of bits, and what is counted there.

In columns a word has one bit of 64 rows. What many rows have in common is then a matter of words:
64 rows by 64 bits are turned in 6 rounds that exchange halves, quarters, .., single bits.
"""

import numpy as np

from arrangements.kernels.compilation import entry, inlined
from arrangements.kernels.llvm.vectors import WORDS, bits_in, load, splat, store

# Words of a vector; words of a column come in multiples of it.
LANES = WORDS.count
# Rows that are turned at a time.
TILE_ROWS = 64 * LANES

_ZERO = np.uint64(0)
_ALL = ~_ZERO


@inlined
def _exchange(tile, k, step, mask):
    """Exchange the high bits of row k with the low ones of row k + step, of every tile."""
    shift = splat(np.uint64(step))
    above, below = load(tile, (k, 0)), load(tile, (k + step, 0))
    differ = (above >> shift ^ below) & splat(mask)
    store(tile, (k + step, 0), below ^ differ)
    store(tile, (k, 0), above ^ differ << shift)


@inlined
def _turn(tile):
    """Transpose tiles of 64 words, one in each lane."""
    step, mask = 32, _ALL >> np.uint64(32)
    while step:
        for k in range(64):
            if not k & step:
                _exchange(tile, k, step, mask)
        step >>= 1
        mask ^= mask << np.uint64(step)


@entry
def turn_rows(rows, tile, columns):
    """Bit k % 64 of ``columns[i, k // 64]`` becomes bit i of row k.

    rows : (m, words) uint64
    tile : (64, LANES) uint64, overwritten
    columns : (64 * words, c) uint64, overwritten; c is a multiple of LANES, 64 * c >= m; there are
        no bits beyond row m
    """
    m = rows.shape[0]
    for word in range(rows.shape[1]):
        for first in range(0, columns.shape[1], LANES):
            for lane in range(LANES):
                start = 64 * (first + lane)
                for k in range(64):
                    tile[k, lane] = rows[start + k, word] if start + k < m else _ZERO
            _turn(tile)
            for k in range(64):
                store(columns, (64 * word + k, first), load(tile, (k, 0)))


@entry
def add_singles(columns, totals):
    """Count the rows that have each bit.

    columns : (>= n, c) uint64, c a multiple of LANES
    totals : (n,) int64, entry i grows by the number of bits of column i
    """
    for i in range(totals.shape[0]):
        bits = 0
        for w in range(0, columns.shape[1], LANES):
            bits += bits_in(load(columns, (i, w)))
        totals[i] += bits


@inlined
def _both(columns, i, j, w):
    return load(columns, (i, w)) & load(columns, (j, w))


@inlined
def _carry(x, y, z):
    """Where at least two of three have a bit."""
    return x & y | (x ^ y) & z


@inlined
def _common(columns, i, j):
    """The number of rows that have bits i and j.

    Vectors are added like numbers of two bits, one in each bit of a vector, so that only one in
    four is counted.
    """
    bits, ones, twos = 0, splat(_ZERO), splat(_ZERO)
    whole = columns.shape[1] & -4 * LANES
    for w in range(0, whole, 4 * LANES):
        a, b = _both(columns, i, j, w), _both(columns, i, j, w + LANES)
        c, d = _both(columns, i, j, w + 2 * LANES), _both(columns, i, j, w + 3 * LANES)
        carry = _carry(ones, a, b)
        ones = ones ^ a ^ b
        carry_too = _carry(ones, c, d)
        ones = ones ^ c ^ d
        bits += 4 * bits_in(_carry(twos, carry, carry_too))
        twos = twos ^ carry ^ carry_too
    for w in range(whole, columns.shape[1], LANES):
        bits += bits_in(_both(columns, i, j, w))
    return bits + 2 * bits_in(twos) + bits_in(ones)


@entry
def add_pairs(columns, totals):
    """Count the rows that have each pair of bits.

    columns : (>= n, c) uint64, c a multiple of LANES
    totals : (n, n) int64, entry (i, j), i <= j, grows by the number of rows with bits i and j;
        the others are left alone
    """
    for i in range(totals.shape[0]):
        for j in range(i, totals.shape[0]):
            totals[i, j] += _common(columns, i, j)
