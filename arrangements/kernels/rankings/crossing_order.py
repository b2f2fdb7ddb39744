"""Sort the crossings of a line by their keys."""

import numpy as np

from arrangements.kernels.compilation import inlined
from arrangements.kernels.llvm.crossings import TILE, steps_down

_ONE = np.uint64(1)
# A key has 18 bits of digits: the lower one begins at _LOW, the upper one at _HIGH.
_DIGIT, _LOW, _HIGH = np.uint64(511), np.uint64(46), np.uint64(55)


@inlined
def sort_crossings(event, histogram, number):
    """Sort by 18 bits in two passes of counting, then by insertion; whether that was quick."""
    # unsigned, so that no index is looked at for being negative
    for k in range(histogram.shape[1]):
        histogram[0, k] = histogram[1, k] = 0
    for k in range(number):
        histogram[0, (event[0, k] >> _LOW) & _DIGIT] += _ONE
        histogram[1, event[0, k] >> _HIGH] += _ONE
    low = high = np.uint64(0)
    for k in range(histogram.shape[1]):
        low_count, high_count = histogram[0, k], histogram[1, k]
        histogram[0, k], histogram[1, k] = low, high
        low += low_count
        high += high_count
    for k in range(number):
        word = event[0, k]
        place = histogram[0, (word >> _LOW) & _DIGIT]
        histogram[0, (word >> _LOW) & _DIGIT] = place + _ONE
        event[1, place] = word
    for k in range(number):
        word = event[1, k]
        place = histogram[1, word >> _HIGH]
        histogram[1, word >> _HIGH] = place + _ONE
        event[0, place] = word
    return insert_crossings(event, number)


@inlined
def insert_crossings(event, number):
    """Sort nearly sorted crossings by insertion; whether that was quick."""
    moves = 4 * number + 64
    for begin in range(0, number - 1, TILE):
        if steps_down(event, begin) != 0:
            for k in range(begin + 1, min(begin + TILE + 1, number)):
                word, t = event[0, k], k
                while t > 0 and event[0, t - 1] > word and moves > 0:
                    event[0, t] = event[0, t - 1]
                    t -= 1
                    moves -= 1
                event[0, t] = word
    return moves > 0
