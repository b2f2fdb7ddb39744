"""Values of the chambers of a line that are sums over the rows, without their signs.

What row i adds where it is + is its *gain*. The size of a gain is the sum of the weights of the
planes that hold the row. A value exceeds the sum of all negative gains by the sizes of the rows
that are + with a positive gain or - with a negative one. So it is a sum of populations of words,
and on a walk it changes by one gain from point to point. A chamber is named by its
no-broken-circuit set.
"""

import numpy as np
from numba import types

from arrangements.kernels.chambers.line_walk import (
    choose_children,
    describe_rows,
    sort_points,
)
from arrangements.kernels.chambers.workspace import (
    BITS,
    COMMON,
    FALLING,
    FIXED,
    GROUP,
    LEAST,
    NAME,
    NEGATIVE,
    NO_POINTS,
    SIGNS,
    TURNED,
)
from arrangements.kernels.compilation import entry, inlined, outlined
from arrangements.kernels.late import Late
from arrangements.kernels.llvm.bit_masks import (
    mask_less,
    mask_less_equal,
    population,
    trailing_zeros,
)
from arrangements.kernels.llvm.vectors import splat, store, word_where

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ROW, _CHILD, _CODE = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(33)


@inlined
def word_sum(sums, w, word):
    """The sum of the sizes of the gains of the rows of word w that are in `word`."""
    total = np.int64(0)
    for b in range(sums.planes.shape[0]):
        total += sums.weights[b] * population(word & sums.planes[b, w])
    return total


@inlined
def value_of_row(sums):
    """The value of the chamber ``sums.sets[SIGNS]``."""
    value = sums.registers[LEAST]
    for w in range(sums.sets.shape[1]):
        value += word_sum(sums, w, sums.sets[SIGNS, w] ^ sums.sets[FALLING, w])
    return value


@inlined
def begin_sums(ws, sums, e):
    """What the chambers of the line of depth e have in common.

    The registers COMMON and NAME, the set TURNED, and ``sums.change[q]``: what a multiplier of q
    that differs in sign from the slope adds.
    """
    value = sums.registers[LEAST]
    for w in range(ws.masks.shape[2]):
        falling = sums.sets[FALLING, w]
        sums.sets[TURNED, w] = ws.masks[e, NEGATIVE, w] ^ (falling & ~ws.masks[e, NO_POINTS, w])
        value += word_sum(sums, w, (ws.masks[e, FIXED, w] ^ falling) & ws.masks[e, NO_POINTS, w])
    name = _ZERO
    bits = np.uint64(sums.registers[BITS])
    for q in range(e):
        change = np.int64(0)
        for w in range(ws.masks.shape[2]):
            group = ws.masks[q, GROUP, w]
            while group != _ZERO:
                i = w * 64 + trailing_zeros(group)
                positive = ws.masks[e, FIXED, w] & group & (_ZERO - group) != _ZERO
                group &= group - _ONE
                change += -sums.gains[i] if positive else sums.gains[i]
        sums.change[q] = change
        name = (name << bits) | np.uint64(ws.chain[q] + 1)
    sums.registers[COMMON], sums.registers[NAME] = value, np.int64(name << bits)


@inlined
def begin_children(ws, sums, e, last):
    """Values of the children below `last` but for the points: ``sums.offset``."""
    for i in range(0, last, 8):
        word, shift = i >> 6, np.uint64(i & 63)
        values = splat(np.uint64(sums.registers[COMMON]))
        for q in range(e):
            differ = ws.multiplier[q, word] >> shift
            values = values + word_where(differ, np.uint64(sums.change[q]))
        store(sums.offset, (i,), values)


@outlined
def settle_by_singles(ws, sums, e, j):
    """(whether single precision decides all that keys leave open about child j, what it adds)."""
    low, high = ws.low_high[0, j], ws.low_high[1, j]
    added = np.int64(0)
    for w in range(ws.masks.shape[2]):
        undecided = mask_less_equal(ws.key, 0, w * 64, ws.key[1, j])
        undecided &= ~mask_less(ws.key, 1, w * 64, ws.key[0, j]) & ~ws.masks[e, NO_POINTS, w]
        above = _ZERO
        while undecided != _ZERO:
            lowest = undecided & (_ZERO - undecided)
            i = w * 64 + trailing_zeros(undecided)
            undecided ^= lowest
            if ws.low_high[0, i] > high:
                above |= lowest
            elif i != j and ws.low_high[1, i] >= low:
                return False, added
        turned = sums.sets[TURNED, w]
        added += word_sum(sums, w, above & turned) - word_sum(sums, w, above & ~turned)
    return True, added


@entry
def walk_sums(ws, sums, e, last, out, count):
    """`line_walk.walk` for values and names."""
    points = sort_points(ws, e)
    if points < 0:
        return count
    describe_rows(ws, e, last, True)
    choose_children(ws, e, points)
    value, name = sums.registers[COMMON], np.uint64(sums.registers[NAME])
    for w in range(ws.masks.shape[2]):
        value += word_sum(sums, w, sums.sets[TURNED, w])
    codes = sums.codes
    codes[0] = 0
    for q in range(e):
        for code in range(1 << q):
            codes[code + (1 << q)] = codes[code] + sums.change[q]
    for k in range(points):
        entry = ws.order[k]
        i = entry & _ROW
        negative = ws.masks[e, NEGATIVE, i >> np.uint64(6)] >> (i & np.uint64(63)) & _ONE
        gain = sums.gains[i]
        value += gain - 2 * (gain & -np.int64(negative))
        out[count, 0] = np.uint64(value + codes[entry >> _CODE])
        out[count, 1] = name | i
        count += np.int64(entry >> _CHILD & _ONE)
    return count


WALKER = Late(walk_sums, types.int64, (types.int64, types.int64, types.uint64[:, ::1], types.int64))
