"""A long line with many children: sort its points once, then walk along it.

Between two points of the line one sign changes, so a chamber costs the writing of it and one
word. What 16-bit keys do not separate is left to ``kernels.sweep.emit_line``.
"""

import numpy as np

from arrangements.kernels.lanes import load, splat, store, word_at
from arrangements.kernels.workspace import (
    CHILDREN,
    FIXED,
    GROUP,
    NEGATIVE,
    NO_POINTS,
    ROWS,
    STORE,
    inlined,
    kernel,
)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
# An entry of `order` holds a row in 16 bits; and a walk takes about as long as 4 comparisons of a
# child with 64 rows, per row of the line.
_MOST_ROWS = 2**16
_WORDS_PER_ROW = 4


@inlined
def worth_walking(ws, last):
    """Whether a walk is faster than comparing each child below `last` with all rows."""
    rows = ws.state[ROWS]
    return last * ws.masks.shape[2] > _WORDS_PER_ROW * rows and rows <= _MOST_ROWS


@inlined
def sort_points(ws, e):
    """Points by the low end of their key, into ``order[0]``; their number.

    Two passes of counting, by the low and the high byte.
    """
    for b in range(256):
        ws.histogram[0, b] = 0
        ws.histogram[1, b] = 0
    points = 0
    for i in range(ws.state[ROWS]):
        # written in any case, kept if row i is a point: no branch to mispredict
        key = np.uint32(np.int32(ws.key[0, i]) + np.int32(32768))
        ws.order[0, points] = key << np.uint32(16) | np.uint32(i)
        kept = np.int64(~(ws.masks[e, NO_POINTS, i >> 6] >> np.uint64(i & 63)) & _ONE)
        ws.histogram[0, key & np.uint32(255)] += kept
        ws.histogram[1, key >> np.uint32(8)] += kept
        points += kept
    for b in range(2):
        total = 0
        for k in range(256):
            number = ws.histogram[b, k]
            ws.histogram[b, k] = total
            total += number
    for b in range(2):
        shift = np.uint32(16 + 8 * b)
        for k in range(points):
            entry = ws.order[b, k]
            place = ws.histogram[b, entry >> shift & np.uint32(255)]
            ws.histogram[b, entry >> shift & np.uint32(255)] = place + 1
            ws.order[1 - b, place] = entry
    return points


@inlined
def start(ws, e):
    """Signs before the first point, without the flips that depend on the child."""
    words = ws.masks.shape[2]
    for w in range(words):
        ws.running[w] = ws.masks[e, FIXED, w] | ws.masks[e, NEGATIVE, w]
        ws.masks[e, CHILDREN, w] = _ZERO


@kernel
def walk(ws, e, last, out, count):
    """Write the chambers of the children below `last` that keys separate from all other points.

    They become ``masks[e, CHILDREN]``. Returns the new count. No other row of `out` is touched:
    the next one may be another thread's.
    """
    signs = ws.state[STORE] != 0
    words = ws.masks.shape[2]
    whole = words & ~7
    unproven = ws.multiplier.shape[0] - 1
    points = sort_points(ws, e)
    start(ws, e)
    reached = np.int64(-1)
    for k in range(points):
        entry = np.int64(ws.order[0, k])
        i, low = entry & 0xFFFF, entry >> 16
        high = np.int64(ws.key[1, i]) + 32768
        following = np.int64(ws.order[0, k + 1]) >> 16 if k + 1 < points else np.int64(1 << 16)
        clean = np.int64(i < last) & np.int64(low > reached) & np.int64(high < following)
        reached = max(reached, high)
        word, bit = i >> 6, np.uint64(i & 63)
        if signs:
            if i < last:
                clean &= np.int64(~(ws.multiplier[unproven, word] >> bit) & _ONE)
            passed = _ONE << bit
            for w in range(0, words, 8):
                here = load(ws.running, (w,)) ^ word_at(word - w, passed)
                store(ws.running, (w,), here)
                if w < whole and clean:
                    for q in range(e):
                        differ = (ws.multiplier[q, word] ^ ws.masks[e, NEGATIVE, word]) >> bit
                        flips = splat(_ZERO - (differ & _ONE))
                        here = here ^ (load(ws.masks, (q, GROUP, w)) & flips)
                    store(out, (count, w), here)
            for w in range(whole, words if clean else whole):
                signs_of_word = ws.running[w]
                for q in range(e):
                    differ = (ws.multiplier[q, word] ^ ws.masks[e, NEGATIVE, word]) >> bit
                    signs_of_word ^= ws.masks[q, GROUP, w] & (_ZERO - (differ & _ONE))
                out[count, w] = signs_of_word
        ws.masks[e, CHILDREN, word] |= np.uint64(clean) << bit
        count += clean
    return count
