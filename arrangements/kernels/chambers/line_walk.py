"""A long line with many children: sort its points once, then walk along it.

Between two points of the line one sign changes, so a chamber costs the writing of it and one
word. Points whose intervals meet are left to ``kernels.chambers.search.emit_line``.
"""

import numpy as np

from arrangements.kernels.chambers.workspace import (
    CHILDREN,
    FIXED,
    GROUP,
    NEGATIVE,
    NO_POINTS,
    ROWS,
    STORE,
)
from arrangements.kernels.compilation import entry, inlined, kernel
from arrangements.kernels.late import INT, WORDS, Late
from arrangements.kernels.llvm.vectors import (
    load,
    population,
    splat,
    store,
    store_ends,
    store_lanes,
    word_at,
    word_where,
    words_from,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# An entry of `order`: the row in its low bits, above them the end, or what `describe_rows` says.
_ROW_BITS, _END_SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32)
_CHILD_SHIFT, _CODE_SHIFT = np.uint64(32), np.uint64(33)
# A walk takes about as long as 4 comparisons of a child with 64 rows, per row of the line.
_WORDS_PER_ROW = 4
# The high bits of an end, of which there are 31, choose one of BUCKETS.
_BUCKET_SHIFT = np.int32(19)
BUCKETS = 2**11 + 2**5
# A walk has a table of the flips of each set of multipliers.
MOST_LEVELS = 6
# Points that are moved, on average, before the sort is given up: they crowd.
_MOST_MOVES = 32


@inlined
def worth_walking(ws, e, last):
    """Whether a walk is faster than comparing each child below `last` with all rows."""
    return e <= MOST_LEVELS and last * ws.masks.shape[2] > _WORDS_PER_ROW * ws.state[ROWS]


@inlined
def sort_points(ws, e):
    """Points by the low ends of their intervals, into ``order``; their number, -1 if they crowd.

    An entry is the end, and below it the row. One pass distributes them; one without branches
    exchanges neighbors, after which insertion has little to do. Rows that are no points come last.
    """
    rows, points = ws.state[ROWS], 64 * ws.masks.shape[2]
    for w in range(ws.masks.shape[2]):
        points -= population(ws.masks[e, NO_POINTS, w])
    for i in range(0, rows, 16):
        store_ends(ws.ends, 0, i, load(ws.low_high, (0, i)))
        store_ends(ws.ends, 1, i, load(ws.low_high, (1, i)))
    for b in range(BUCKETS):
        ws.histogram[b] = 0
    for i in range(rows):
        ws.histogram[ws.ends[0, i] >> _BUCKET_SHIFT] += 1
    total = np.int32(0)
    for b in range(BUCKETS):
        number = ws.histogram[b]
        ws.histogram[b] = total
        total += number
    for i in range(rows):
        end = ws.ends[0, i]
        place = ws.histogram[end >> _BUCKET_SHIFT]
        ws.histogram[end >> _BUCKET_SHIFT] = place + 1
        ws.order[place] = np.uint64(end) << _END_SHIFT | np.uint64(i)
    largest = ws.order[0]
    for k in range(1, points):
        entry = ws.order[k]
        ws.order[k - 1] = min(largest, entry)
        largest = max(largest, entry)
    if points > 0:
        ws.order[points - 1] = largest
    moves = _MOST_MOVES * points
    for k in range(1, points):
        if ws.order[k - 1] > ws.order[k]:
            moves -= insert(ws.order, k)
            if moves < 0:
                return -1
    return points


@inlined
def insert(order, k):
    """Bring the entry k, the least of 0..k but for some, to its place; by how far it was moved."""
    entry, place = order[k], k
    while place > 0 and order[place - 1] > entry:
        order[place] = order[place - 1]
        place -= 1
    order[place] = entry
    return k - place


@inlined
def describe_rows(ws, e, last, signs):
    """Describe each row in one word: the row; above it whether it may be a child;
    above this the multipliers that differ from its slope in sign.
    """
    unproven = ws.multiplier.shape[0] - 1
    for i in range(0, ws.state[ROWS], 8):
        word, shift = i >> 6, np.uint64(i & 63)
        rows = ~_ZERO if i + 8 <= last else (_ONE << np.uint64(max(last - i, 0))) - _ONE
        described = words_from(i)
        if signs:
            rows &= ~(ws.multiplier[unproven, word] >> shift)
            for q in range(e):
                differ = ws.multiplier[q, word] >> shift
                described = described ^ word_where(differ, _ONE << (_CODE_SHIFT + np.uint64(q)))
        store(ws.described, (i,), described ^ word_where(rows, _ONE << _CHILD_SHIFT))


@inlined
def choose_children(ws, e, points):
    """Describe the rows of ``order`` in that order. Children whose intervals meet no other are
    left as such and put into CHILDREN.
    """
    for w in range(ws.masks.shape[2]):
        ws.masks[e, CHILDREN, w] = _ZERO
    ws.order[points] = ~_ZERO
    reached, entry = np.int64(-1), ws.order[0]
    for k in range(points):
        i, low = np.int64(entry & _ROW_BITS), np.int64(entry >> _END_SHIFT)
        entry = ws.order[k + 1]
        high, described = np.int64(ws.ends[1, i]), ws.described[i]
        apart = np.uint64(low > reached) & np.uint64(high < np.int64(entry >> _END_SHIFT))
        reached = max(reached, high)
        child = described >> _CHILD_SHIFT & apart
        ws.masks[e, CHILDREN, i >> 6] |= child << np.uint64(i & 63)
        ws.order[k] = described & (~(_ONE << _CHILD_SHIFT) | apart << _CHILD_SHIFT)


@inlined
def write_words(ws, e, first, points, out, count):
    """Write the words first..first+15 of the chambers of the children in ``order``."""
    for code in range(1 << e):
        for half in (0, 8):
            flip = splat(_ZERO)
            for q in range(e):
                if code >> q & 1:
                    flip = flip ^ load(ws.masks, (q, GROUP, first + half))
            store(ws.flips, (code, half), flip)
    write_chambers(ws.masks, ws.order, ws.flips, e, first, points, out, count)


@inlined
def _first_lanes(number):
    """As many of 8 lanes as there are."""
    return (_ONE << np.uint64(max(min(number, 8), 0))) - _ONE


@kernel
def write_chambers(masks, order, flips, e, first, points, out, count):
    """The walk itself, on 16 words in two registers, of which some lanes are written."""
    left = masks.shape[2] - first
    low, high = _first_lanes(left), _first_lanes(left - 8)
    negative, fixed = (e, NEGATIVE, first), (e, FIXED, first)
    here = load(masks, negative) ^ load(masks, fixed)
    negative, fixed = (e, NEGATIVE, first + 8), (e, FIXED, first + 8)
    here_too = load(masks, negative) ^ load(masks, fixed)
    for k in range(points):
        entry = order[k]
        i, code = np.int64(entry & _ROW_BITS), entry >> _CODE_SHIFT
        word, bit = (i >> 6) - first, _ONE << np.uint64(i & 63)
        here, here_too = here ^ word_at(word, bit), here_too ^ word_at(word - 8, bit)
        # all lanes or none: children are as good as random, a branch would be mispredicted
        child = entry >> _CHILD_SHIFT & _ONE
        kept = _ZERO - child
        store_lanes(out, (count, first), here ^ load(flips, (code, 0)), low & kept)
        store_lanes(out, (count, first + 8), here_too ^ load(flips, (code, 8)), high & kept)
        count += np.int64(child)


@entry
def walk(ws, e, last, out, count):
    """Write the chambers of the children below `last` whose points are apart from all others.

    They become ``masks[e, CHILDREN]``. Returns the new count. No other row of `out` is touched:
    the next one may be another thread's.
    """
    points = sort_points(ws, e)
    if points < 0:
        return count
    signs = ws.state[STORE] != 0
    describe_rows(ws, e, last, signs)
    choose_children(ws, e, points)
    if signs:
        for first in range(0, ws.masks.shape[2], 16):
            write_words(ws, e, first, points, out, count)
    for w in range(ws.masks.shape[2]):
        count += population(ws.masks[e, CHILDREN, w])
    return count


WALKER = Late(walk, INT, (INT, INT, WORDS, INT))
