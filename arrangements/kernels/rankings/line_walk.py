"""A line with many labels: sort the crossings of its blocks once, then walk along it.

Between two points of the line two neighbors change places, so a ranking costs little more than the
writing of it. A crossing whose key is apart from those of all others is a child with no tie. All
other children are left to ``ranking_sweep.emit_line``, pair by pair.

The walk needs no proof for the order in which it meets the crossings of a group whose keys
overlap: every crossing exchanges two neighbors that have not crossed before, and an order is
determined by the pairs that have. If all crossings of a group have been made, by neighbors, the
order after the group is right.
"""

import sys
from typing import Any, NamedTuple

import numpy as np
from numba import types

from arrangements.kernels.chambers.workspace import DONE, FULL, ROWS
from arrangements.kernels.compilation import inlined, kernel, late_entry, outlined
from arrangements.kernels.late import BYTES, INT, PAIR, Late
from arrangements.kernels.llvm.crossings import (
    BLOCK_BITS,
    CHILD,
    CHUNK,
    CODE,
    MOST_MERGES,
    POINT_BITS,
    PROVED,
    SINGLE,
    copy_row,
    cross_all,
    exchange,
    exchange_labels,
    load_labels,
    store_labels,
)
from arrangements.kernels.rankings.crossing_order import sort_crossings
from arrangements.kernels.rankings.workspace import (
    CENTRAL,
    EVENT,
    EVENTS,
    FREE,
    LEAST,
    NOT_TRIED,
    PENDING,
    TAKEN,
    WALK,
    WALKED,
    WALKING,
)

_MOST_ROUNDS = 64

# Fields of a crossing, see ``kernels.llvm.crossings``.
_POINT, _BLOCK, _LABEL = np.uint64(64 - POINT_BITS), np.uint64(BLOCK_BITS), (1 << BLOCK_BITS) - 1
_CODE, _CODES, _CHILD = np.uint64(CODE), np.uint64((1 << MOST_MERGES) - 1), np.uint64(CHILD)
_PROVED, _USUAL, _ONE = np.uint64(1 << PROVED), np.uint64(1 << SINGLE | 1 << PROVED), np.uint64(1)
_LOW_BYTE = 0 if sys.byteorder == "little" else 1


@inlined
def worth_walking(ws, e, last):
    """Whether the line is one of the last level, and a walk the faster way to its children.

    By measurement, 24 to 64 labels: to place a child costs 20, 40 or 52 units, by the number of
    registers that hold all labels; a walk 6 units for each crossing and merge, much more if blocks
    have more than two labels, and 1300 for the line. Beyond the vectors of ``kernels.llvm.places``
    a child takes as long as a walk past n / 4 crossings or, if there are more, a sixtieth of all.
    """
    rows, least = ws.state[ROWS], ws.state[LEAST]
    fits = e == ws.table.shape[1] - 2 and e <= MOST_MERGES and ws.walk.event.shape[1] > 0
    if not fits or least == 0:
        return fits
    children, blocks, small = last * (last - 1), rows - e, rows <= 64
    for t in range(ws.merges[e]):
        if ws.size[e, ws.block[e, ws.merged[t]]] > 2 and small:
            return False
    if small:
        units = 20 if rows <= 32 else 40 if rows <= 48 else 52
        return rows >= least and children * units > 6 * max(e, 1) * blocks * (blocks - 1) + 2600
    return rows >= least and children > min(4 * (rows - 1), 120)


@inlined
def sort_blocks(ws, e):
    """The smallest labels of blocks, by slope, then by number, in `mark`; how many they are.

    The place of a slope is the number of smaller ones: fewer steps than insertion, by vectors.
    """
    walk, blocks = ws.walk, 0
    for k in range(walk.slope.shape[0]):
        walk.slope[k], walk.mark[k] = np.inf, -1
    for i in range(ws.state[ROWS]):
        if ws.block[e, i] == i:
            walk.slope[blocks], walk.several[blocks] = ws.table[e, e, i], i
            blocks += 1
    for k in range(blocks):
        slope, place = walk.slope[k], 0
        for t in range(walk.start.shape[0]):  # a multiple of lanes
            place += np.int64(walk.slope[t] < slope)
        while walk.mark[place] >= 0:
            place += 1
        walk.mark[place] = walk.several[k]
    return blocks


@inlined
def order_blocks(ws, e, last):
    """The blocks from the best to the last before all crossings: by slope. Their number."""
    walk, blocks = ws.walk, sort_blocks(ws, e)
    if ws.state[CENTRAL] != 0:
        # 0 and 1 have equal slopes, and 0 is above 1
        k = 0
        while walk.mark[k] > 1:
            k += 1
        if walk.mark[k] == 1 and k + 1 < blocks and walk.mark[k + 1] == 0:
            walk.mark[k], walk.mark[k + 1] = 0, 1
    base = 0
    for k in range(blocks):
        i = walk.mark[k]
        walk.slope[k], walk.constant[k] = ws.table[e, e, i], ws.table[e, e + 1, i]
        walk.start[i] = walk.first[i] = base
        walk.extent[i] = ws.size[e, i]
        flags = np.int64(ws.size[e, i] == 1) << SINGLE | np.int64(i < last) << CHILD
        walk.mark[k] = i | flags | 1 << PROVED
        base += ws.size[e, i]
        for q in range(e):
            walk.multiplier[q, k] = ws.table[e, q, i]
    for k in range(blocks, blocks + 8):
        walk.slope[k], walk.constant[k] = 1e100, 0.0  # a crossing with these is certain
    return blocks


@inlined
def inner_orders(ws, e, blocks):
    """Labels of the blocks in the order that each set of forward merges gives them."""
    walk, rows = ws.walk, ws.state[ROWS]
    several = 0
    for k in range(blocks):
        i = walk.mark[k] & _LABEL
        if walk.extent[i] > 1:
            walk.several[several] = i
            several += 1
    walk.several[several] = -1
    for i in range(rows):
        block = ws.block[e, i]
        for code in range(1 << e if walk.extent[block] > 1 else 1):
            place = walk.first[block]
            for q in range(e):
                place += ws.shift[q, code >> q & 1, i]
            walk.inner[code, place] = i
    for code in range(1 << e):
        for t in range(several):
            first = walk.first[walk.several[t]]
            walk.flip[code, t] = walk.inner[code, first] ^ walk.inner[0, first]
    for k in range(rows):
        put(walk.row, k, walk.inner[0, k], rows)


@inlined
def put(row, place, label, rows):
    if rows <= 256:
        row[place] = label
    else:
        row[2 * place + _LOW_BYTE] = label & 255
        row[2 * place + 1 - _LOW_BYTE] = label >> 8


@inlined
def pair_of(word):
    """Heads of the two blocks of a crossing, the upper one first."""
    return (word >> _BLOCK) & np.uint64(_LABEL), word & np.uint64(_LABEL)


@outlined
def prepare_walk(ws, e, last):
    """Whether the line can be walked along; then everything is at its start."""
    blocks = order_blocks(ws, e, last)
    walk, number, bad = ws.walk, 0, 0
    at = 2 * ws.bound.shape[2] * e
    for block in range(blocks - 1):
        bad += cross_all(walk, ws.bound, at, block, blocks, number, e)
        number += blocks - 1 - block
    if bad != ws.state[CENTRAL]:
        return False
    if ws.state[CENTRAL] != 0:
        block = 0
        while walk.mark[block] & _LABEL != 0:
            block += 1
        if block + 1 == blocks or walk.mark[block + 1] & _LABEL != 1:
            return False
        number -= 1
        walk.event[0, block * (blocks - 1) - block * (block - 1) // 2] = walk.event[0, number]
    inner_orders(ws, e, blocks)
    ws.state[EVENTS], ws.state[EVENT], ws.state[PENDING] = number, 0, 0
    return sort_crossings(walk.event, walk.histogram, number)


@inlined
def move_block(walk, block, rows):
    for k in range(walk.extent[block]):
        put(walk.row, walk.start[block] + k, walk.inner[0, walk.first[block] + k], rows)


@inlined
def make_crossing(walk, word, rows):
    """Exchange the two blocks, in this order, if they are neighbors; whether they are."""
    r, s = pair_of(word)
    place, upper, lower = walk.start[r], walk.extent[r], walk.extent[s]
    if walk.start[s] != place + upper:
        return False
    walk.start[s], walk.start[r] = place, place + lower
    if upper + lower == 2:
        difference = np.int64(r ^ s)
        if rows <= 256:
            exchange(walk.row, walk.window, place, difference * 257, np.int64(1))
        else:
            exchange(walk.row, walk.window, place, difference, np.int64(2))
    else:
        move_block(walk, s, rows)
        move_block(walk, r, rows)
    return True


@outlined
def cross_group(walk, start, stop, rows):
    """Make the crossings start..stop-1 in any order that exchanges neighbors; whether all could."""
    for _ in range(_MOST_ROUNDS):
        kept = start
        for k in range(start, stop):
            word = walk.event[0, k]
            if not make_crossing(walk, word, rows):
                walk.event[0, kept] = word
                kept += 1
        if kept == start:
            return True
        if kept == stop:
            return False
        stop = kept
    return False


@inlined
def leave_pairs(ws, start, stop):
    """Leave the children among the crossings to others."""
    walk = ws.walk
    for k in range(start, stop):
        if (walk.event[0, k] >> _CHILD) & _ONE:
            r, s = pair_of(walk.event[0, k])
            a, c = np.int64(min(r, s)), np.int64(max(r, s))
            walk.pending[ws.state[PENDING]] = c * (c - 1) // 2 + a
            ws.state[PENDING] += 1


@inlined
def write_blocks(ws, out, count, code):
    """Put the blocks of more than one label in the inner orders of `code`."""
    walk, rows = ws.walk, ws.state[ROWS]
    t = 0
    while walk.several[t] >= 0:
        block = walk.several[t]
        place, first, extent = walk.start[block], walk.first[block], walk.extent[block]
        if rows <= 256:
            for k in range(extent):
                out[count, place + k] = walk.inner[code, first + k]
        else:
            for k in range(extent):
                label = walk.inner[code, first + k]
                out[count, 2 * (place + k) + _LOW_BYTE] = label & 255
                out[count, 2 * (place + k) + 1 - _LOW_BYTE] = label >> 8
        t += 1


class Position(NamedTuple):
    """Where a walk is: all that changes from crossing to crossing, to stay in registers.

    Attributes
    ----------
    labels : LABELS
        The first labels in the present order: all of them, if rows are short, and then those in
        ``walk.row`` are those of an earlier order.
    written : int
        Rankings so far.
    before : int
        Key of the point of the last crossing.
    word : uint64
        The next crossing.
    k : int
        Its number.
    """

    labels: Any
    written: int
    before: int
    word: int
    k: int


@inlined
def walk_fast(ws, several, out, room, at):
    """Write the rankings of the next children, as long as nothing is unusual.

    Apart from the rest for fewer variables, so that they stay in registers. `several` blocks of two
    labels and no larger ones.
    """
    walk, number, size = ws.walk, ws.state[EVENTS], out.shape[1]
    labels, count, before, word, k = at
    while k + 1 < number and count < room:
        following = walk.event[0, np.uint64(k) + _ONE]
        point, after = np.int64(word >> _POINT), np.int64(following >> _POINT)
        r, s = pair_of(word)
        place = walk.start[r]
        usual = (point - before >= 2) & (after - point >= 2) & (walk.start[s] == place + 1)
        if not (usual & (word & _USUAL == _USUAL)):
            break
        walk.start[s], walk.start[r] = place, place + 1
        labels = exchange_labels(labels, walk.window, place, np.int64(r ^ s))
        shown, code = labels, (word >> _CODE) & _CODES
        for t in range(several):
            start = walk.start[np.uint64(walk.several[t])]
            difference = walk.flip[code, np.uint64(t)]
            shown = exchange_labels(shown, walk.window, start, difference)
        # in any case, and kept if this is a child: no branch to mispredict
        store_labels(shown, out, count * size)
        count += np.int64((word >> _CHILD) & _ONE)
        before, word = point, following
        k += 1
    return Position(labels, count, before, word, k)


@inlined
def start_walk(ws, store, out):
    """(number of blocks of more than one label, rows that `walk_fast` may write)."""
    walk, size = ws.walk, out.shape[1]
    several, pairs_only = 0, True
    while walk.several[several] >= 0:
        pairs_only = pairs_only and walk.extent[walk.several[several]] == 2
        several += 1
    by_vectors = store and size <= CHUNK and out.size >= CHUNK and pairs_only
    return several, (out.size - CHUNK) // size if by_vectors else 0


@inlined
def cross_near(ws, k, point):
    """Make the crossings near the next one, k, which are left to others: (whether all could be
    made, point of the last, number of the next one).
    """
    walk, number, stop = ws.walk, ws.state[EVENTS], k + 1
    while stop < number and np.int64(walk.event[0, stop] >> _POINT) - point < 2:
        point = np.int64(walk.event[0, stop] >> _POINT)
        stop += 1
    leave_pairs(ws, k, stop)
    made = cross_group(walk, k, stop, ws.state[ROWS])
    if not made:
        leave_pairs(ws, stop, number)
    return made, point, stop


@inlined
def write_row(ws, labels, code, out, count):
    """Write the present order, blocks in the inner orders of `code`."""
    walk, size = ws.walk, out.shape[1]
    if size <= CHUNK:
        store_labels(labels, walk.row, 0)
    if size * (count + 1) + CHUNK > out.size:
        for i in range(size):
            out[count, i] = walk.row[i]
    else:
        copy_row(walk.row, out, count * size, size)
    write_blocks(ws, out, count, code)


@kernel
def walk_on(ws, e, store, out, count):
    """Walk along the line and write the rankings of all children that keys separate.

    Returns (FULL or DONE, new count). The children that are left are listed in `pending`;
    ``state[PENDING]`` is their number.
    """
    # A `Position` kept from turn to turn, or one more part, cost 4% (50 labels, d = 3).
    walk, number, rows, size = ws.walk, ws.state[EVENTS], ws.state[ROWS], out.shape[1]
    short = size <= CHUNK
    several, room = start_walk(ws, store, out)
    k = ws.state[EVENT]
    before = np.int64(walk.event[0, k - 1] >> _POINT) if k > 0 else np.int64(-2)
    word, labels = walk.event[0, k], load_labels(walk.row)
    while k < number:
        at = Position(labels, count, before, word, k)
        if several == 1:  # a known number of turns
            labels, count, before, word, k = walk_fast(ws, 1, out, room, at)
        else:
            labels, count, before, word, k = walk_fast(ws, several, out, room, at)
        point, following = np.int64(word >> _POINT), walk.event[0, k + 1]
        after = np.int64(following >> _POINT) if k + 1 < number else point + 2
        if point - before < 2 or after - point < 2:
            if short:
                store_labels(labels, walk.row, 0)
            made, before, k = cross_near(ws, k, point)
            if not made:
                return DONE, count
            word, labels = walk.event[0, k], load_labels(walk.row)
            continue
        r, s = pair_of(word)
        place, child = walk.start[r], np.int64((word >> _CHILD) & _ONE)
        if store and count == out.shape[0] and child != 0:
            if short:
                store_labels(labels, walk.row, 0)
            ws.state[EVENT] = k
            return FULL, count
        if short and walk.extent[r] + walk.extent[s] == 2 and walk.start[s] == place + 1:
            walk.start[s], walk.start[r] = place, place + 1
            labels = exchange_labels(labels, walk.window, place, np.int64(r ^ s))
        else:
            if short:
                store_labels(labels, walk.row, 0)
            if not make_crossing(walk, word, rows):
                leave_pairs(ws, k, number)
                return DONE, count
            labels = load_labels(walk.row)
        if child != 0 and word & _PROVED == 0:
            leave_pairs(ws, k, k + 1)
            child = 0
        if store and child != 0:
            write_row(ws, labels, (word >> _CODE) & _CODES, out, count)
        count, before, word = count + child, point, following
        k += 1
    return DONE, count


@outlined
def keep_pending(ws, e, last):
    """Mark the pairs of the line that the walk has not left as TAKEN."""
    for k in range(last * (last - 1) // 2):
        ws.taken[e, k] = TAKEN
    for k in range(ws.state[PENDING]):
        ws.taken[e, ws.walk.pending[k]] = FREE
    ws.dirty[e] = 1


@late_entry
def walk(ws, e, last, store, out, count):
    """Walk along the line, from its start or from where it was left: (status, new count).

    ``state[WALK]`` is WALKED if pairs are left, which are then those not TAKEN; else WALKING.
    """
    if ws.state[WALK] == NOT_TRIED:
        ws.state[WALK] = WALKING if prepare_walk(ws, e, last) else WALKED
    if ws.state[WALK] == WALKED:
        return DONE, count
    status, count = walk_on(ws, e, store, out, count)
    if status == DONE and ws.state[PENDING] > 0:
        ws.state[WALK] = WALKED
        keep_pending(ws, e, last)
    return status, count


WALKER = Late(walk, PAIR, (INT, INT, types.boolean, BYTES, INT))
