"""Sort rows of words by their digits, in a quarter of the time of a sort by comparisons."""

import numpy as np

from arrangements.kernels.compilation import entry

# Shorter digits are more passes over the rows; longer ones have more places to write to than the
# processor keeps at hand.
_BITS, _DIGITS = 11, 6
_MASK = np.uint64((1 << _BITS) - 1)
_ONE = np.uint64(1)
# Shape of the numbers of words with each digit.
COUNTS = _DIGITS, 1 << _BITS


@entry
def sort_rows(rows, spare, counts, width):
    """Sort `rows`, (m width) uint64, with `spare` of the same kind and `counts`, COUNTS uint64.

    A row has `width` >= 1 words; the first decides, then the next. Rows are put into the order of
    one digit after the other, the lowest of the last word first, those of equal digits as they
    were: O(m width²) time. A digit that all rows share is passed over.
    """
    words, step, moves = rows.shape[0], np.uint64(width), 0
    source, target = rows, spare
    for word in range(width - 1, -1, -1):
        counts[:] = 0
        for i in range(word, words, width):
            for k in range(_DIGITS):
                digit = (source[np.uint64(i)] >> np.uint64(_BITS * k)) & _MASK
                counts[np.uint64(k), digit] += _ONE
        for k in range(_DIGITS):
            shift, numbers = np.uint64(_BITS * k), counts[k]
            if words == 0 or numbers[(source[word] >> shift) & _MASK] * step == words:
                continue
            place = np.uint64(0)
            for digit in range(numbers.shape[0]):
                number = numbers[digit]
                numbers[digit] = place
                place += number * step
            if width == 1:
                for i in range(words):
                    found = source[np.uint64(i)]
                    digit = (found >> shift) & _MASK
                    place = numbers[digit]
                    target[place] = found
                    numbers[digit] = place + _ONE
            else:
                for i in range(0, words, width):
                    digit = (source[np.uint64(i + word)] >> shift) & _MASK
                    place = numbers[digit]
                    for j in range(width):
                        target[place + np.uint64(j)] = source[np.uint64(i + j)]
                    numbers[digit] = place + step
            source, target = target, source
            moves += 1
    if moves % 2 == 1:
        for i in range(words):
            rows[i] = spare[i]
