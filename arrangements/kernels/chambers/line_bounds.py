"""Children of a line whose values may matter, found by bounds for all others at once.

The line is cut at numbers between the keys of its points. What the points before a cut add up to is
known from one comparison of all keys with it. Between two cuts the value moves by no more than the
sizes of the gains between them, those of points that may be there included. Every point is in one
piece, though it may be open in which. A piece that such bounds do not decide is halved, the longest
ones first, as long as that is faster than to look at the children that are left.
"""

import numpy as np

from arrangements.kernels.chambers.workspace import (
    BEFORE,
    COMMON,
    LOWER,
    NO_POINTS,
    PASSED,
    PERHAPS,
    REACH,
    TURNED,
    UPPER,
    WANTED,
    rows_of_word,
)
from arrangements.kernels.compilation import inlined, outlined
from arrangements.kernels.llvm.bit_masks import mask_less_equal, population

_ZERO = np.uint64(0)
# Below all keys of points, and between them and those of rows that are no points.
_FIRST, _LAST = -32768, 32600
# A cut takes as long as a look at so many children.
_CHILDREN_PER_CUT = 2
# Fields of a piece: its cuts; the value and the sizes of the gains of all points that are
# certainly not after the first cut, and of those that may be not after the second one.
_START, _VALUE, _SIZE, _END, _NEXT_VALUE, _NEXT_SIZE = range(6)
FIELDS = 6


def most_pieces(n):
    """Rows of ``sums.pieces`` that are enough for n rows."""
    return 2 * (n // _CHILDREN_PER_CUT) + 4


@inlined
def begin_pieces(sums, masks, e):
    """Make the whole line the first piece; ``sums.pieces[0, _VALUE]`` is that of its far end."""
    for w in range(masks.shape[2]):
        sums.sets[BEFORE, w], sums.sets[PERHAPS, w] = _ZERO, ~masks[e, NO_POINTS, w]
        sums.sets[REACH, w] = _ZERO
    (value, _), (next_value, size) = add_up(sums, BEFORE), add_up(sums, PERHAPS)
    sums.pieces[0, _START], sums.pieces[0, _END] = _FIRST, _LAST
    sums.pieces[0, _VALUE], sums.pieces[0, _SIZE] = value, 0
    sums.pieces[0, _NEXT_VALUE], sums.pieces[0, _NEXT_SIZE] = next_value, size


@inlined
def add_up(sums, rows):
    """The value where the points ``sums.sets[rows]`` are passed; the sizes of their gains."""
    value, size = sums.registers[COMMON], np.int64(0)
    for b in range(sums.planes.shape[0]):
        raised, number = 0, 0
        for w in range(sums.planes.shape[1]):
            plane, passed = sums.planes[b, w], sums.sets[rows, w]
            raised += population((passed ^ sums.sets[TURNED, w]) & plane)
            number += population(passed & plane)
        value += sums.weights[b] * raised
        size += sums.weights[b] * number
    return value, size


@inlined
def halve(sums, key, piece, first, second):
    """Write the halves of a piece."""
    unsure = _ZERO
    at = (sums.pieces[piece, _START] + sums.pieces[piece, _END]) >> 1
    for w in range(sums.sets.shape[1]):
        sums.sets[BEFORE, w] = mask_less_equal(key, 1, w * 64, at)
        sums.sets[PERHAPS, w] = mask_less_equal(key, 0, w * 64, at)
        unsure |= sums.sets[BEFORE, w] ^ sums.sets[PERHAPS, w]
    value, size = add_up(sums, BEFORE)
    next_value, next_size = value, size
    if unsure != _ZERO:
        next_value, next_size = add_up(sums, PERHAPS)
    for field in (_START, _VALUE, _SIZE):
        sums.pieces[first, field] = sums.pieces[piece, field]
    for field in (_END, _NEXT_VALUE, _NEXT_SIZE):
        sums.pieces[second, field] = sums.pieces[piece, field]
    sums.pieces[first, _END] = sums.pieces[second, _START] = at
    sums.pieces[first, _NEXT_VALUE], sums.pieces[first, _NEXT_SIZE] = next_value, next_size
    sums.pieces[second, _VALUE], sums.pieces[second, _SIZE] = value, size


@inlined
def decided(sums, piece, least, most):
    """Whether no child in a piece has a value that matters; multipliers add least to most."""
    both = sums.pieces[piece, _VALUE] + sums.pieces[piece, _NEXT_VALUE]
    size = sums.pieces[piece, _NEXT_SIZE] - sums.pieces[piece, _SIZE]
    lower, upper = (both - size) // 2 + least, (both + size) // 2 + most
    return lower > sums.registers[LOWER] and upper < sums.registers[UPPER]


@inlined
def take(sums, key, piece, last):
    """Take all points that may be in a piece for some that matter."""
    start, end = sums.pieces[piece, _START], sums.pieces[piece, _END]
    for w in range((last + 63) >> 6):
        within = mask_less_equal(key, 0, w * 64, end)
        sums.sets[REACH, w] |= within & ~mask_less_equal(key, 1, w * 64, start)


@outlined
def find_children(sums, key, masks, e, last):
    """Put the children of the line of depth e whose values may matter into ``sums.sets[REACH]``.

    Where a point may be in several pieces, a row may be left of a tie whose smallest row is not in
    reach. What is written for it may be no chamber, but is within the bounds of the piece that has
    the point, whatever its multipliers are: it does not matter.
    """
    least, most = np.int64(0), np.int64(0)
    for q in range(e):
        least, most = least + min(sums.change[q], 0), most + max(sums.change[q], 0)
    children = 0
    for w in range((last + 63) >> 6):
        children += population(rows_of_word(w, last) & ~masks[e, NO_POINTS, w])
    begin_pieces(sums, masks, e)
    pieces, end = 1, 1 + 2 * (children // _CHILDREN_PER_CUT)
    for piece in range(end):
        if piece == pieces:
            break
        if decided(sums, piece, least, most):
            continue
        if pieces < end and sums.pieces[piece, _END] - sums.pieces[piece, _START] > 1:
            halve(sums, key, piece, pieces, pieces + 1)
            pieces += 2
        else:
            take(sums, key, piece, last)
    wanted = 0
    for w in range((last + 63) >> 6):
        sums.sets[REACH, w] &= rows_of_word(w, last) & ~masks[e, NO_POINTS, w]
        wanted += population(sums.sets[REACH, w])
    sums.registers[WANTED] = wanted
    sums.registers[PASSED] += children - wanted


@inlined
def wants_any(ws, sums, e, leaf, last):
    """Whether the line of depth e has a child to be written; such are in ``sums.sets[REACH]``.

    All lines but those of leaves have others below them and are done in full.
    """
    if leaf and sums.registers[UPPER] - sums.registers[LOWER] > 1:
        find_children(sums, ws.key, ws.masks, e, last)
        return sums.registers[WANTED] > 0
    sums.registers[WANTED] = last
    for w in range(sums.sets.shape[1]):
        sums.sets[REACH, w] = ~_ZERO
    return True
