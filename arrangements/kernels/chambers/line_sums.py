"""Values of the chambers of a line that are sums over the rows, without their signs.

Row i adds its *gain* where it is +. The size of a gain is the sum of the weights of the
planes that hold the row. A value exceeds the sum of all negative gains by the sizes of the rows
that are + with a positive gain or - with a negative one. So it is a sum of populations of words,
and on a walk it changes by one gain from point to point. A chamber is named by its
no-broken-circuit set.

Where only some values matter, bounds find the children that may have one. The line is cut at
numbers between the keys of its points. One comparison of all keys with a cut gives the sum over
the points before it. Between two cuts the value moves by at most the sizes of the gains between
them, including those of points that may be there. Every point is in one piece, though it may be
open in which. A piece that these bounds do not decide is halved, the longest ones first, as long as
that is faster than a look at the remaining children.
"""

import numpy as np

from arrangements.kernels.chambers.line_walk import (
    choose_children,
    describe_rows,
    sort_points,
)
from arrangements.kernels.chambers.workspace import (
    BEFORE,
    BITS,
    COMMON,
    FALLING,
    FIXED,
    GROUP,
    LEAST,
    LOWER,
    NAME,
    NEGATIVE,
    NO_POINTS,
    PASSED,
    PERHAPS,
    REACH,
    SIGNS,
    TURNED,
    UPPER,
    WANTED,
    rows_of_word,
)
from arrangements.kernels.compilation import entry, inlined, outlined
from arrangements.kernels.late import INT, WORDS, Late
from arrangements.kernels.llvm.vectors import (
    mask_less,
    mask_less_equal,
    population,
    splat,
    store,
    trailing_zeros,
    word_where,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ROW, _CHILD, _CODE = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(33)
# Below all keys of points, and between them and those of rows that are no points.
_FIRST, _LAST = -32768, 32600
# A cut takes as long as a look at so many children.
_CHILDREN_PER_CUT = 2
# Fields of a piece: its cuts; the value and the sizes of the gains of all points that are
# certainly not after the first cut, and of those that may be not after the second one.
_START, _VALUE, _SIZE, _END, _NEXT_VALUE, _NEXT_SIZE = range(6)
FIELDS = 6


def most_pieces(n: int) -> int:
    """Rows of ``sums.pieces`` that suffice for n rows."""
    return 2 * (n // _CHILDREN_PER_CUT) + 4


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
    """Set what all chambers of the line of depth e share.

    These are the registers COMMON and NAME, the set TURNED, and ``sums.change[q]``: the sum that a
    multiplier of q adds where it differs in sign from the slope.
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
    """(whether single precision decides all rows that keys leave open for child j, their sum)."""
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


WALKER = Late(walk_sums, INT, (INT, INT, WORDS, INT))


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
def is_decided(sums, piece, least, most):
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
        if is_decided(sums, piece, least, most):
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
