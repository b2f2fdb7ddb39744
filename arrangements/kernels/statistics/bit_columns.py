"""Blocks of packed rows turned into columns of bits, and counts there.

In columns a word has one bit of 64 rows. Bits that many rows share are then counted by words:
64 rows by 64 bits are turned in 6 rounds that exchange halves, quarters, .., single bits.
"""

import numpy as np

from arrangements.kernels.compilation import entry, inlined
from arrangements.kernels.llvm.vectors import WORDS, load, populations, splat, store, total

# Words of a vector; words of a column come in multiples of it.
LANES = WORDS.count
# Words of columns that pairs are counted in come in multiples of this.
GROUP = 4 * LANES
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
    """Bit k of ``columns[i, w]`` becomes bit i of row ``64 w + LANES k``, w a multiple of LANES.

    That of the LANES - 1 words after it comes from the rows after this one.

    rows : (m, words) uint64
    tile : (64, LANES) uint64, overwritten
    columns : (64 * words, c) uint64, overwritten; c is a multiple of LANES, 64 * c >= m; there are
        no bits beyond row m
    """
    m = rows.shape[0]
    for word in range(rows.shape[1]):
        for first in range(0, columns.shape[1], LANES):
            start = 64 * first
            if rows.shape[1] == 1 and start + TILE_ROWS <= m:
                for k in range(64):
                    store(tile, (k, 0), load(rows, (start + LANES * k, 0)))
            else:
                for k in range(TILE_ROWS):
                    tile[k // LANES, k % LANES] = rows[start + k, word] if start + k < m else _ZERO
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
        bits = splat(_ZERO)
        for w in range(0, columns.shape[1], LANES):
            bits = bits + populations(load(columns, (i, w)))
        totals[i] += total(bits)


@inlined
def _carry(x, y, z):
    """Where at least two of three have a bit."""
    return x & y | (x ^ y) & z


@inlined
def _add(a, b, c, d, ones, twos, fours):
    """Count the bits of four more vectors: in vectors of ones and of twos, and numbers of fours.

    Vectors are added like numbers of two bits, one in each bit of a vector, so that only one in
    four is counted.
    """
    carry, ones = _carry(ones, a, b), ones ^ a ^ b
    carry_too, ones = _carry(ones, c, d), ones ^ c ^ d
    fours = fours + populations(_carry(twos, carry, carry_too))
    return ones, twos ^ carry ^ carry_too, fours


@inlined
def _count(ones, twos, fours):
    return 4 * total(fours) + 2 * total(populations(twos)) + total(populations(ones))


@inlined
def _load_four(columns, i, w):
    """Four vectors of column i."""
    return (
        load(columns, (i, w)),
        load(columns, (i, w + LANES)),
        load(columns, (i, w + 2 * LANES)),
        load(columns, (i, w + 3 * LANES)),
    )


@inlined
def _common(columns, i, j):
    """The numbers of rows that have bits i or i + 1, and j or j + 1: of all four pairs.

    A vector is loaded once for two pairs; loads take as long as the operations on them.
    """
    one = one_too = one_three = one_four = splat(_ZERO)
    two = two_too = two_three = two_four = splat(_ZERO)
    four = four_too = four_three = four_four = splat(_ZERO)
    for w in range(0, columns.shape[1], GROUP):
        a, b, c, d = _load_four(columns, i, w)
        e, f, g, h = _load_four(columns, i + 1, w)
        p, q, r, s = _load_four(columns, j, w)
        one, two, four = _add(a & p, b & q, c & r, d & s, one, two, four)
        one_too, two_too, four_too = _add(e & p, f & q, g & r, h & s, one_too, two_too, four_too)
        p, q, r, s = _load_four(columns, j + 1, w)
        one_three, two_three, four_three = _add(
            a & p, b & q, c & r, d & s, one_three, two_three, four_three
        )
        one_four, two_four, four_four = _add(
            e & p, f & q, g & r, h & s, one_four, two_four, four_four
        )
    return (
        _count(one, two, four),
        _count(one_too, two_too, four_too),
        _count(one_three, two_three, four_three),
        _count(one_four, two_four, four_four),
    )


@entry
def add_pairs(columns, totals):
    """Count the rows that have each pair of bits.

    columns : (>= n + n % 2, c) uint64, c a multiple of GROUP
    totals : (n, n) int64, entry (i, j), i <= j, grows by the number of rows with bits i and j;
        the others are left alone
    """
    n = totals.shape[0]
    for i in range(0, n, 2):
        for j in range(i, n, 2):
            both, lower, upper, last = _common(columns, i, j)
            totals[i, j] += both
            if j + 1 < n:
                totals[i, j + 1] += upper
                totals[i + 1, j + 1] += last
            if j > i:
                totals[i + 1, j] += lower
