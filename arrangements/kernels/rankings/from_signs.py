"""Rankings from signs of the hyperplanes where two labels tie: a place is a number of bits."""

import numpy as np

from arrangements.kernels.compilation import entry
from arrangements.kernels.llvm.bit_masks import population


@entry
def write_orders(signs, word, mask, flip, place, orders):
    """Rankings from signs of hyperplanes; row k of ``orders`` is that of row k of ``signs``.

    signs : (m, words) uint64
    word : (k,) int64, which word of the signs each row of the next two is about
    mask, flip : (k, pad) uint64; what a label asks, lane by lane: a bit of ``sign ^ flip`` in the
        mask is 1 iff the other label of that hyperplane is above it
    place : (pad,) uint64, work space
    orders : (m, n) unsigned, filled with labels, the best first; n <= pad
    """
    for row in range(signs.shape[0]):
        place[:] = 0
        for k in range(word.shape[0]):
            bits = signs[row, word[k]]
            for label in range(place.shape[0]):
                place[label] += np.uint64(population((bits ^ flip[k, label]) & mask[k, label]))
        for label in range(orders.shape[1]):
            orders[row, place[label]] = label
