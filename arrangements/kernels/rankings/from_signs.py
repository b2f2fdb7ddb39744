"""Rankings from signs of the hyperplanes where two labels tie: a place is a number of bits.

Four rows are done at a time: the masks of labels are loaded once for all of them, and the loads
of one row do not wait for its stores.
"""

import numpy as np

from arrangements.kernels.compilation import entry, inlined
from arrangements.kernels.llvm.vectors import load, populations, splat, store

# Rows that are done at a time; labels in a vector.
AT_ONCE, LANES = 4, 8


@inlined
def count_above(signs, rows, tables, first):
    """How many labels are above each of 8, from `first` on, in each of four rows."""
    word, mask, flip = tables
    a, b, c, d = rows
    p = q = r = s = splat(np.uint64(0))
    for k in range(word.shape[0]):
        w, asked, turned = word[k], load(mask, (k, first)), load(flip, (k, first))
        p = p + populations((splat(signs[a, w]) ^ turned) & asked)
        q = q + populations((splat(signs[b, w]) ^ turned) & asked)
        r = r + populations((splat(signs[c, w]) ^ turned) & asked)
        s = s + populations((splat(signs[d, w]) ^ turned) & asked)
    return p, q, r, s


@entry
def write_orders(signs, word, mask, flip, place, orders):
    """Rankings from signs of hyperplanes; row k of ``orders`` is that of row k of ``signs``.

    signs : (m, words) uint64
    word : (k,) int64, which word of the signs each row of the next two is about
    mask, flip : (k, pad) uint64, pad a multiple of 8; the question of a label, by lane: a bit of
        ``sign ^ flip`` in the mask is 1 iff the other label of that hyperplane is above it
    place : (4, pad) uint64, work space
    orders : (m, n) unsigned, filled with labels, the best first; n <= pad
    """
    tables, last = (word, mask, flip), signs.shape[0] - 1
    for begin in range(0, signs.shape[0], AT_ONCE):
        # the last row stands for those that there are not
        rows = begin, min(begin + 1, last), min(begin + 2, last), min(begin + 3, last)
        for first in range(0, place.shape[1], LANES):
            p, q, r, s = count_above(signs, rows, tables, first)
            store(place, (0, first), p)
            store(place, (1, first), q)
            store(place, (2, first), r)
            store(place, (3, first), s)
        for t in range(min(AT_ONCE, signs.shape[0] - begin)):
            for label in range(orders.shape[1]):
                orders[begin + t, place[t, label]] = label
