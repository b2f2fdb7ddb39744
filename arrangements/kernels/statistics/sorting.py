"""Sort words by their digits, in a third of the time of a sort by comparisons."""

import numpy as np

from arrangements.kernels.compilation import entry

# Longer digits are fewer, but have more places to write to than the processor keeps at hand: those
# of 11 bits take two thirds of the time for 600,000 words, but 1.5 times as long for four million.
_BITS, _DIGITS = 8, 8
_MASK = np.uint64((1 << _BITS) - 1)
# Shape of the numbers of words with each digit.
COUNTS = _DIGITS, 1 << _BITS


@entry
def sort_words(words, spare, counts):
    """Sort `words`, (m,) uint64, with `spare` of the same kind and `counts`, COUNTS int64.

    Words are put into the order of one digit after the other, the lowest first, those of equal
    digits as they were: O(m) time. A digit that all words share is passed over.
    """
    m, moves = words.shape[0], 0
    counts[:] = 0
    for i in range(m):
        for k in range(_DIGITS):
            counts[k, (words[i] >> np.uint64(_BITS * k)) & _MASK] += 1
    source, target = words, spare
    for k in range(_DIGITS):
        shift, place = np.uint64(_BITS * k), 0
        if m == 0 or counts[k, (source[0] >> shift) & _MASK] == m:
            continue
        for digit in range(counts.shape[1]):
            number = counts[k, digit]
            counts[k, digit] = place
            place += number
        for i in range(m):
            word = source[i]
            digit = (word >> shift) & _MASK
            target[counts[k, digit]] = word
            counts[k, digit] += 1
        source, target = target, source
        moves += 1
    if moves % 2 == 1:
        for i in range(m):
            words[i] = spare[i]
