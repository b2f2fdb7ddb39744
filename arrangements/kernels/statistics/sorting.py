"""Sort rows of words: by their digits, or single words by vectors, which needs masks of lanes.

Both take a fraction of the time of a sort by comparisons of single words.
"""

import numpy as np

from arrangements.kernels.compilation import entry, inlined, kernel
from arrangements.kernels.llvm.sorting_networks import (
    below,
    has_masks,
    middle,
    middle_of_three,
    part_lanes,
    sort_32,
    sort_64,
    sort_128,
)
from arrangements.kernels.llvm.vectors import load, population, store
from arrangements.kernels.numba_internals import cpu_target

# Shorter digits are more passes over the rows; longer ones have more places to write to than the
# processor keeps at hand.
_BITS, _DIGITS = 11, 6
_MASK = np.uint64((1 << _BITS) - 1)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
# Shape of the numbers of words with each digit.
COUNTS = _DIGITS, 1 << _BITS

# At most _FEW words are parted out of place. Of more, some at both ends are taken out, and then
# _GROUP words at once are moved, from the end with less room.
_FEW, _GROUP = 512, 32
# This many words are sorted in registers.
_BLOCK = 128
# From this many words on, 72 of them propose the one that parts them; below, 24 do.
_MANY = 2048
# Words that `sort_words` needs beside those it sorts, and the shape of its stack: the larger part
# waits, so each entry has at most half of the words of the one before.
KEPT, STACK = _FEW + 8, (64, 3)
# After this many partings, do not rely on the proposals.
MOST_PARTINGS = 64


def has_vectors() -> bool:
    """Whether `sort_words` is fast here."""
    return has_masks(cpu_target.target_context)


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


@inlined
def _put(words, found, pivot, low, high):
    """Write 8 words to both ends of a gap of 8, or of 16 or more; the gap that is left."""
    lanes = below(found, pivot)
    found = part_lanes(found, lanes)
    store(words, (low,), found)
    store(words, (high - 8,), found)
    number = population(lanes)
    return low + number, high - 8 + number


@inlined
def _put_one_by_one(words, kept, first, stop, pivot, low, high):
    """Write some kept words to both ends of a larger gap; the rest of the gap."""
    for k in range(first, stop):
        word = kept[k]
        words[low] = word
        words[high - 1] = word
        number = np.int64(word < pivot)
        low += number
        high -= 1 - number
    return low, high


@inlined
def _part_few(words, first, stop, pivot, kept):
    number = stop - first
    for k in range(0, number & ~7, 8):
        store(kept, (k,), load(words, (first + k,)))
    for k in range(number & ~7, number):
        kept[k] = words[first + k]
    low, high = _put_one_by_one(words, kept, number & ~7, number, pivot, first, stop)
    for k in range(0, number & ~7, 8):
        low, high = _put(words, load(kept, (k,)), pivot, low, high)
    return low


@inlined
def _part_many(words, first, stop, pivot, kept):
    last = stop - ((stop - first) & 7)
    for k in range(0, _GROUP, 8):
        store(kept, (k,), load(words, (first + k,)))
        store(kept, (_GROUP + k,), load(words, (last - _GROUP + k,)))
    for k in range(stop - last):
        kept[2 * _GROUP + k] = words[last + k]
    end = 2 * _GROUP + stop - last
    low, high = _put_one_by_one(words, kept, 2 * _GROUP, end, pivot, first, stop)
    left, right = first + _GROUP, last - _GROUP
    while left < right:
        size = _GROUP if right - left >= _GROUP else 8
        if left - low <= high - right:
            here = left
            left += size
        else:
            right -= size
            here = right
        if size == 8:
            low, high = _put(words, load(words, (here,)), pivot, low, high)
        else:
            a, b = load(words, (here,)), load(words, (here + 8,))
            c, d = load(words, (here + 16,)), load(words, (here + 24,))
            low, high = _put(words, a, pivot, low, high)
            low, high = _put(words, b, pivot, low, high)
            low, high = _put(words, c, pivot, low, high)
            low, high = _put(words, d, pivot, low, high)
    for k in range(0, 2 * _GROUP, 8):
        low, high = _put(words, load(kept, (k,)), pivot, low, high)
    return low


@kernel
def _part(words, first, stop, pivot, kept):
    """Bring the words first..stop-1 that are smaller to the front: where the others begin."""
    if stop - first <= _FEW:
        return _part_few(words, first, stop, pivot, kept)
    return _part_many(words, first, stop, pivot, kept)


@inlined
def _middles(words, first, step):
    second = first + step
    return middle_of_three(
        load(words, (first,)), load(words, (second,)), load(words, (second + step,))
    )


@inlined
def _pivot(words, first, stop):
    """A word that has about as many smaller ones as others among the words first..stop-1."""
    free = stop - first - 8
    if free < _MANY:
        return middle(_middles(words, first, free >> 1))
    step = free >> 3
    third = 3 * step
    return middle(
        middle_of_three(
            _middles(words, first, step),
            _middles(words, first + third, step),
            _middles(words, first + 2 * third, step),
        )
    )


@inlined
def _halfway(words, first, stop):
    """The number halfway between the least and the largest word, rounded up."""
    least = largest = words[first]
    for i in range(first + 1, stop):
        least, largest = min(least, words[i]), max(largest, words[i])
    return largest - ((largest - least) >> _ONE)


@inlined
def _sort_block(words, first, count):
    if count <= 32:
        sort_32(words, first, count)
    elif count <= 64:
        sort_64(words, first, count)
    else:
        sort_128(words, first, count)


@entry
def sort_words(words, kept, stack, partings):
    """Sort `words`, (m,) uint64, with `kept`, (KEPT,) uint64, and `stack`, STACK int64.

    A quicksort: words are parted by one of them, 8 at a time, until they fit into registers, where
    a network sorts them: O(m log m) time. What is left after so many `partings` is parted halfway
    between its least and its largest word, at most 64 times more, so O(m) for each of these.

    Vectors part words in this way in M. Blacher, J. Giesen, P. Sanders, J. Wassenberg, Vectorized
    and performance-portable quicksort (2022).
    """
    top, first, stop, depth = 0, 0, words.shape[0], 0
    while True:
        while stop - first > _BLOCK:
            if depth < partings:
                pivot = _pivot(words, first, stop)
            else:
                pivot = _halfway(words, first, stop)
            place = _part(words, first, stop, pivot, kept)
            depth += 1
            if place == first:  # no word is smaller: those that are equal have their place
                if pivot + _ONE == _ZERO:
                    first = stop
                else:
                    first = _part(words, first, stop, pivot + _ONE, kept)
            elif place - first < stop - place:
                stack[top, 0], stack[top, 1], stack[top, 2] = place, stop, depth
                top, stop = top + 1, place
            else:
                stack[top, 0], stack[top, 1], stack[top, 2] = first, place, depth
                top, first = top + 1, place
        if stop > first:
            _sort_block(words, first, stop - first)
        if top == 0:
            return
        top -= 1
        first, stop, depth = stack[top, 0], stack[top, 1], stack[top, 2]
