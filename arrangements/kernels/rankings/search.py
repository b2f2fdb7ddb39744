"""The ranking sweep: the flag sweep on the pairs of labels, with one lane for each label.

``docs/algorithms.md`` derives the method. The candidates on the line of a node are all pairs of
labels below its last c. Each that is the smallest of its tie is a child, and one ranking: the
order of the blocks just after its point, each block in an inner order that the signs of the
multipliers choose, merge by merge.

A child is first ranked by scores of 22 bits (``kernels.llvm.places``): if these tell all blocks
apart but the two that cross, it is a child, no other pair crosses with it, and the ranking is
right. All else is left to ``kernels.rankings.ties``.
"""

import sys

import numpy as np

from arrangements.kernels.chambers.tableau import find_factors
from arrangements.kernels.chambers.workspace import (
    DEPTH,
    DONE,
    ENOUGH,
    EXACT_DEPTH,
    FULL,
    LATE_FIND,
    LATE_WALK,
    NEEDS_WALK,
    OWN,
    PAUSED,
    ROWS,
    STAGE,
    STORE,
    WORK,
)
from arrangements.kernels.compilation import inlined, late_entry
from arrangements.kernels.llvm.label_lines import (
    GROUP,
    MOST_MARGIN,
    MOST_MERGES,
    NEGATIVE_BIT,
    REACH,
    aim,
    sum_shifts,
    word_of_margin,
)
from arrangements.kernels.llvm.vectors import combine, load_across, narrow, store
from arrangements.kernels.rankings.counts import MOST_STAMPS, points_distinct
from arrangements.kernels.rankings.exact_signs import (
    compare_scores,
    orientation,
    pair_index,
    slope_sign,
)
from arrangements.kernels.rankings.line_walk import WALKER, worth_walking
from arrangements.kernels.rankings.placing import MOST_LABELS, call
from arrangements.kernels.rankings.ties import (
    FAR_END,
    PLACE,
    ask_settle,
    merge_blocks,
    place_by_slopes,
)
from arrangements.kernels.rankings.workspace import (
    AIMED,
    CENTRAL,
    GROUPS,
    NEXT_A,
    NEXT_C,
    NOT_TRIED,
    ORDERED,
    STAMP,
    TAKEN,
    WALK,
    WALKED,
    WALKING,
)

LOW_BYTE = 0 if sys.byteorder == "little" else 1
_find = call
_walk = WALKER.call
_U64 = 2.0**-53
_U32 = 2.0**-24


@inlined
def pivot_pair(ws, e, a, c):
    """Tableau of the child (a, c) of depth e + 1 from that of depth e.

    As ``kernels.chambers.tableau.pivot``, but errors and magnitudes are those of differences of two
    lanes. A lane takes three roundings, their difference one more, so 8 units for each column
    replace the 6 of single rows.
    """
    d = ws.table.shape[1]
    lanes, some = (ws.state[ROWS] + 15) & ~15, (c + 15) & ~15
    pad = ws.table.shape[2]
    old, new = e * d * pad, (e + 1) * d * pad
    for k in range(0, d, 8):
        entries = load_across(ws.table, (e, k, a)) - load_across(ws.table, (e, k, c))
        store(ws.factors, (0, k), entries)
    find_factors(ws.bound, ws.factors, ws.eliminator, e, d, 8.0 * _U64)
    for k in range(d):
        if k != e:
            u, v = old + k * pad, old + (ws.eliminator[k] if k > e else e) * pad
            alpha, beta = ws.factors[1, k], ws.factors[2, k]
            size = combine(ws.table, new + k * pad, u, v, alpha, beta, lanes if k > e else some)
            ws.bound[e + 1, 1, k] = 2.0 * size
    ws.bound[e + 1, 1, e] = ws.bound[e, 1, e]
    for i in range(some):
        ws.table[e + 1, e, i] = ws.table[e, e, i]
    # merged labels have the same row now: the same number, too
    for t in range(ws.merges[e + 1]):
        i = ws.merged[t]
        block = ws.block[e + 1, i]
        for k in range(e + 1, d):
            ws.table[e + 1, k, i] = ws.table[e + 1, k, block]


@inlined
def start_line(ws, e):
    """Slopes, constants and multipliers in single precision, and nothing known about pairs.

    Divided by twice their sizes, so that differences are at most 1. Rounding a lane and a
    difference adds no more than 2.1 units to its error. A score ``K a - A k`` for a point (a, k)
    takes three more roundings: a difference of two scores is off by

        (1 + |k|) E_A + (1 + |a|) E_K + 2 E_A E_K + 4.2 u (|a| + |k|)

    at most, where the errors E cover both the lanes and the point. ``aim`` multiplies by
    2 REACH / (|a| + |k|): the last term becomes 1.05. Rounding two keys takes 1 more.
    See docs/exactness.md, section 3.
    """
    lanes, last = (ws.state[ROWS] + 15) & ~15, ws.exact.pair[e - 1, 1] if e > 0 else ws.state[ROWS]
    ws.line.errors[0] = narrow_row(ws, e, 0, e, 1.0, lanes)
    ws.line.errors[1] = narrow_row(ws, e, 1, e + 1, orientation(ws.table.shape[1], e), lanes)
    for q in range(e):
        ws.line.errors[2 + q] = narrow_row(ws, e, 2 + q, q, 1.0, (last + 15) & ~15)
    if ws.dirty[e] != 0:
        ws.dirty[e] = 0
        for k in range(ws.taken.shape[1]):
            ws.taken[e, k] = 0
    ws.state[NEXT_A], ws.state[NEXT_C] = 0, 1
    ws.state[ORDERED] = ws.state[AIMED] = 0
    ws.state[WALK] = NOT_TRIED
    if ws.state[CENTRAL] != 0:
        ws.state[NEXT_C] = 2
        if e < ws.table.shape[1] - 2:
            columns = ws.line.columns
            # 0 and 1 have equal scores, to leading order; the row at infinity says 0 above 1
            for i in range(ws.state[ROWS]):
                ws.shift[e, 0, i] = 0
                if ws.block[e, i] == 1:
                    ws.shift[e, 0, i] = ws.size[e, 0]
                    columns[0, i], columns[1, i] = columns[0, 0], columns[1, 0]


@inlined
def narrow_row(ws, e, target, source, sign, lanes):
    size = ws.bound[e, 1, source]
    inverse = 1.0 / size if size > 0.0 else 0.0
    factor = sign * inverse
    pad = ws.table.shape[2]
    first = (e * ws.table.shape[1] + source) * pad
    narrow(ws.table, first, ws.line.columns, target * pad, factor, lanes)
    return np.float32(min(1.001 * ws.bound[e, 0, source] * inverse + 2.1 * _U32, 1.0))


@inlined
def scale_point(ws, e, a, c):
    """Factors of constants and slopes in the scores at the point of (a, c), of size up to REACH.

    Returns (certain, factors, margin), as `aim` finds them, but from float64 columns. With errors
    E_A, E_K, and 4.2 roundings of lanes and products, the difference of two scores
    ``K a - A k`` is off by ``(1 + |k|) E_A + (1 + |a|) E_K + 2 E_A E_K + 4.2 u (|a| + |k|)`` at
    most.
    """
    a_inverse, k_inverse = 1.0 / ws.bound[e, 1, e], 1.0 / ws.bound[e, 1, e + 1]
    slope = ws.table[e, e, a] - ws.table[e, e, c]
    constant = orientation(ws.table.shape[1], e) * (ws.table[e, e + 1, a] - ws.table[e, e + 1, c])
    a_j, k_j = slope * a_inverse, constant * k_inverse
    e_a, e_k = ws.bound[e, 0, e] * a_inverse, ws.bound[e, 0, e + 1] * k_inverse
    size = abs(a_j) + abs(k_j)
    error = (1.0 + abs(k_j)) * e_a + (1.0 + abs(a_j)) * e_k + 2.0 * e_a * e_k + 4.2 * _U32 * size
    scale = 2.0 * REACH / size
    width = 1.01 * error * scale + 0.02
    certain = abs(slope) > ws.bound[e, 0, e] and width < MOST_MARGIN
    margin = np.int64(width) + 1 if certain else 0
    if slope < 0.0:
        scale = -scale
    return certain, np.float32(a_j * scale), np.float32(k_j * scale), margin


@inlined
def aim_line(ws, e, last, merges):
    """Prepare all pairs of the line, and the places that merges add to labels."""
    aim(ws.line, e, last)
    sum_shifts(ws.shift, ws.line.inner, merges)
    ws.state[GROUPS] = (merges + GROUP - 1) // GROUP
    ws.state[AIMED] = 1


@inlined
def meet_at_infinity(ws, e, a, c):
    """Add the order of c and the label 1 - a to the shifts; whether it is proved.

    The pairs of c with 0 and 1 differ by the row at infinity, so at the point of one of them the
    other's scores are equal to leading order, and the last column decides.
    """
    other, j = 1 - a, pair_index(a, c)
    if ws.line.code_and_margin[0, j] < 0:
        return False
    slope = -1.0 if ws.line.code_and_margin[0, j] >= NEGATIVE_BIT else 1.0
    sign = compare_scores(ws.table, ws.bound, e, ws.table.shape[1] - 1, slope, other, c, a, c)
    upper, lower = (other, c) if sign > 0 else (c, other)
    above = ws.size[e, upper]
    for i in range(ws.state[ROWS]):
        ws.shift[e, 1, i] = ws.shift[e, 0, i] + (above if ws.block[e, i] == lower else 0)
    sum_shifts(ws.shift, ws.line.inner, e + 1)
    ws.line.code_and_margin[0, j] |= 1 << e
    return sign != 0


@inlined
def find_in_registers(ws, e, a, c, number, out, count, fine):
    """Write the rankings of the next pairs, as long as they are proved; returns how many were."""
    inner = e < ws.table.shape[1] - 2
    # between the blocks where two of them cross
    gaps = ws.state[ROWS] - 2 - ws.merges[e] - (ws.state[CENTRAL] if inner else 0)
    return _find(ws.exact.late[LATE_FIND], (ws, e, gaps, a, c, number, out, count, fine))


@inlined
def find_quickly(ws, e, a, c, number, out, count):
    """Write the rankings of the next pairs, as long as they are proved children with no tie.

    A first pair that is not proved is tried once more: its point is computed in float64, and all
    bits of words are compared. Returns how many were proved.
    """
    done, fine = np.int64(0), np.int64(0)
    while done == 0 and fine < 2:
        if fine == 1:
            certain, by, less, margin = scale_point(ws, e, a, c)
            j = pair_index(a, c)
            if not certain or ws.line.code_and_margin[0, j] < 0:
                return np.int64(0)
            ws.line.factor[0, j], ws.line.factor[1, j] = by, less
            ws.line.code_and_margin[1, j] = word_of_margin(margin)
            number = np.int64(1)
        done = find_in_registers(ws, e, a, c, number, out, count, fine)
        fine += 1
    return done


@inlined
def next_pair(a, c, number):
    """The pair this many places behind (a, c)."""
    a += number
    while a >= c:
        a -= c
        c += 1
    return a, c


@inlined
def write_ranking(ws, out, count):
    """The labels in the order of `position`; beyond 256 labels, two bytes for each."""
    rows = ws.state[ROWS]
    if rows <= 256:
        for i in range(rows):
            out[count, ws.position[i]] = i
    else:
        for i in range(rows):
            place = 2 * np.int64(ws.position[i])
            out[count, place + LOW_BYTE] = i & 255
            out[count, place + 1 - LOW_BYTE] = i >> 8


@inlined
def count_line(ws, e, last):
    """Number of the pairs below `last` if nothing is known of the line, and all of them are proved
    by their points to be children of the last level; else 0.
    """
    first, number = 1 + ws.state[CENTRAL], last * (last - 1) // 2 - ws.state[CENTRAL]
    if ws.state[NEXT_A] != 0 or ws.state[NEXT_C] != first:
        return 0
    if ws.state[STAMP] == MOST_STAMPS:
        ws.cells.cell[:] = 0
        ws.state[STAMP] = 0
    ws.state[STAMP] += 1
    turn, stamp = orientation(ws.table.shape[1], e), ws.state[STAMP]
    distinct = points_distinct(ws.table, ws.bound, ws.cells, e, turn, first, last, stamp)
    return number if distinct else 0


@inlined
def walk_line(ws, e, store, budget, out, count):
    """Walk along the line if that is worth while: (status, budget left, new count).

    ``state[WALK]`` is WALKED if pairs are left, which are then those not TAKEN; else WALKING.
    """
    rows = ws.state[ROWS]
    last = ws.exact.pair[e - 1, 1] if e > 0 else rows
    if ws.state[WALK] == NOT_TRIED:
        if not worth_walking(ws, e, last):
            ws.state[WALK] = WALKED
            return DONE, budget, count
        if budget <= 0:
            return PAUSED, budget, count
        budget -= rows * (rows - 1) // 8
    if ws.exact.late[LATE_WALK] == 0:
        return NEEDS_WALK, budget, count
    status, count = _walk(ws.exact.late[LATE_WALK], (ws, e, last, store, out, count))
    return status, budget, count


@inlined
def rank_pairs(ws, e, emit, budget, out, count):
    """Go on with the pairs of the line, one by one or quickly: (status, budget left, new count)."""
    last = ws.exact.pair[e - 1, 1] if e > 0 else ws.state[ROWS]
    store = emit and ws.state[STORE] != 0
    inner = ws.state[CENTRAL] != 0 and e < ws.table.shape[1] - 2
    quick = ws.state[ROWS] <= MOST_LABELS and e <= MOST_MERGES
    if quick and ws.state[AIMED] == 0:
        aim_line(ws, e, last, e + 1 if inner else e)
    a, c = ws.state[NEXT_A], ws.state[NEXT_C]
    while c < last:
        j = pair_index(a, c)
        if ws.taken[e, j] == TAKEN:
            a, c = next_pair(a, c, 1)
            continue
        room = min(budget, out.shape[0] - count) if store else budget
        if room <= 0:
            ws.state[NEXT_A], ws.state[NEXT_C] = a, c
            return (PAUSED if budget <= 0 else FULL), budget, count
        if ws.dirty[e] != 0 or (inner and a < 2):
            room = 1
        room = min(room, c - a if inner else last * (last - 1) // 2 - j)
        done, place = 0, count if store else np.int64(-1)
        if quick and (not inner or a > 1 or meet_at_infinity(ws, e, a, c)):
            done = find_quickly(ws, e, a, c, room, out, place)
        child = done > 0
        if not child:
            status, found = ask_settle(ws, np.int64(PLACE), e, a, c, last)
            child = found != 0
            budget -= ws.state[WORK]
            ws.state[WORK] = 0
            if status != DONE:
                ws.state[NEXT_A], ws.state[NEXT_C] = a, c
                return status, budget, count
            if store and child:
                write_ranking(ws, out, count)
            done = 1
        budget -= done
        if emit and child:
            count += done
        a, c = next_pair(a, c, done)
    return DONE, budget, count


@inlined
def emit_line(ws, e, budget, out, count):
    """Go on with the pairs of the line: (status, budget left, new count)."""
    emit = e >= ws.state[OWN]
    store = emit and ws.state[STORE] != 0
    if not emit:
        ws.state[WALK] = WALKED
    elif not store and e == ws.table.shape[1] - 2 and ws.cells.cell.shape[0] > 0 and budget > 0:
        number = count_line(ws, e, ws.exact.pair[e - 1, 1] if e > 0 else ws.state[ROWS])
        if number > 0:
            return DONE, budget - number // 4, count + number
    if ws.state[WALK] != WALKED:
        status, budget, count = walk_line(ws, e, store, budget, out, count)
        if status != DONE or ws.state[WALK] == WALKING:
            return status, budget, count
    return rank_pairs(ws, e, emit, budget, out, count)


@inlined
def next_child(ws, e):
    """Move the cursor of depth e to the next child from there on; False if there is none."""
    last = ws.exact.pair[e - 1, 1] if e > 0 else ws.state[ROWS]
    first, stop = ws.span[e, 0], ws.span[e, 1]
    a, c = ws.cursor[e, 0], ws.cursor[e, 1]
    while c < last:
        while a < c:
            index = pair_index(a, c)
            if index >= stop:
                return False
            if ws.taken[e, index] != TAKEN and index >= first:
                ws.cursor[e, 0], ws.cursor[e, 1] = a, c
                return True
            a += 1
        a, c = 0, c + 1
    return False


@inlined
def descend(ws, e, a, c):
    """Make the child (a, c) of the node of depth e the current node."""
    status, slope = slope_sign(ws, e, a, c)
    if status == DONE:
        ws.state[ORDERED] = 0
        status = merge_blocks(ws, e, a, c, slope)
    if status != DONE:
        return status
    ws.exact.negative[e] = slope < 0
    ws.exact.pair[e, 0], ws.exact.pair[e, 1] = a, c
    ws.state[EXACT_DEPTH] = min(ws.state[EXACT_DEPTH], e)
    pivot_pair(ws, e, a, c)
    ws.state[DEPTH] = e + 1
    ws.state[STAGE] = 0
    ws.cursor[e, 0] = a + 1
    return DONE


# not an `entry`: to load all of `exact` beforehand makes listings slower by a tenth
@late_entry
def advance(ws, budget, out, count):
    """Go on with the sweep until it is done, `out` is full, or the budget of pairs is spent.

    (Longer work counts as the number of pairs that take as long.)

    Returns (status, count). The rankings are rows ``[old count, count)`` of out, (m, n) uint8 or
    the bytes of uint16; with ``state[STORE] == 0`` they are only counted and `out` needs no row.
    The call can be repeated, with `matroid` and `flag` built if that was asked for.
    """
    d = ws.table.shape[1]
    while True:
        e = ws.state[DEPTH]
        if ws.state[STAGE] == 0:
            if count >= ws.state[ENOUGH]:
                return FULL, count
            start_line(ws, e)
            if e == 0 and ws.state[OWN] == 0:
                if ws.state[STORE] != 0 and count == out.shape[0]:
                    return FULL, count
                if not place_by_slopes(ws):
                    status, _ = ask_settle(
                        ws, np.int64(FAR_END), e, np.int64(-1), np.int64(-1), ws.state[ROWS]
                    )
                    if status != DONE:
                        return status, count
                if ws.state[STORE] != 0:
                    write_ranking(ws, out, count)
                count += 1
            ws.state[STAGE] = 1
        if ws.state[STAGE] == 1:
            status, budget, count = emit_line(ws, e, budget, out, count)
            if status != DONE:
                return status, count
            ws.state[STAGE] = 2
            # below a child (a, 1), or (a, 2) if (0, 1) is at infinity, there is nothing
            ws.cursor[e, 0], ws.cursor[e, 1] = 0, 2 + ws.state[CENTRAL]
        if e < d - 2 and next_child(ws, e):
            status = descend(ws, e, ws.cursor[e, 0], ws.cursor[e, 1])
            budget -= ws.state[WORK] + 1
            ws.state[WORK] = 0
            if status != DONE:
                return status, count
            continue
        if e == 0:
            return DONE, count
        ws.state[DEPTH] = e - 1
