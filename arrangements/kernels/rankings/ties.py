"""Order of the blocks at a point of a line, and the ties among them.

Scores are compared in float64 and, where that fails, by ``kernels.rankings.exact_signs``.
"""

import numpy as np

from arrangements.kernels.chambers.workspace import DONE, LATE_SETTLE, NEEDS_SETTLE, ROWS, WORK
from arrangements.kernels.compilation import inlined, late_entry, outlined
from arrangements.kernels.late import INT, PAIR, Late
from arrangements.kernels.llvm.label_lines import merge
from arrangements.kernels.rankings.exact_signs import (
    COMPARE,
    ask,
    compare_scores,
    float_sign,
    meet_there,
    multiplier_sign,
    never_cross,
    orientation,
    pair_index,
    slope_sign,
)
from arrangements.kernels.rankings.workspace import (
    BLOCKS,
    CENTRAL,
    FREE,
    HAS_RESIDUES,
    ORDERED,
    TAKEN,
    TIED,
)

# Purposes of `settle`.
PLACE, MERGE, FAR_END = range(3)

_U64 = 2.0**-53
_ZERO = np.uint64(0)


@inlined
def sort_by_value(ws, e, a, c, slope):
    """`order`: the blocks by their scores in float64; returns the error of a difference."""
    if ws.state[ORDERED] == 0:
        m = 0
        for i in range(ws.state[ROWS]):
            if ws.block[e, i] == i:
                ws.order[m] = i
                m += 1
        ws.state[BLOCKS] = m
        ws.state[ORDERED] = 1
    a_j, k_j, sign = 0.0, 1.0, 1.0
    if a >= 0:
        a_j = ws.table[e, e, a] - ws.table[e, e, c]
        k_j = orientation(ws.table.shape[1], e) * (ws.table[e, e + 1, a] - ws.table[e, e + 1, c])
        sign = float(slope)
    factor_k, factor_a = sign * orientation(ws.table.shape[1], e) * a_j, sign * k_j
    for k in range(ws.state[BLOCKS]):
        i = ws.order[k]
        value = factor_k * ws.table[e, e + 1, i] - factor_a * ws.table[e, e, i]
        t = k
        while t > 0 and ws.value[t - 1] < value:
            ws.value[t], ws.order[t] = ws.value[t - 1], ws.order[t - 1]
            t -= 1
        ws.value[t], ws.order[t] = value, i
    e_a, b_a = ws.bound[e, 0, e], ws.bound[e, 1, e] + ws.bound[e, 0, e]
    e_k, b_k = ws.bound[e, 0, e + 1], ws.bound[e, 1, e + 1] + ws.bound[e, 0, e + 1]
    if a < 0:
        return 1.01 * e_a
    error = e_k * (abs(a_j) + b_a) + e_a * (abs(k_j) + b_k) + 2.0 * e_a * e_k
    return 1.01 * (error + 4.0 * _U64 * (b_k * abs(a_j) + b_a * abs(k_j)))


@inlined
def compare_blocks(ws, e, x, y, a, c, slope):
    """As `compare_exactly`, which is asked only if float64 and known cases do not answer."""
    d = ws.table.shape[1]
    low, high = min(x, y), max(x, y)
    rise = ws.table[e, e, x] - ws.table[e, e, y]
    status, sign, tied = DONE, 0, False
    if a < 0:  # the far end of the line
        sign = -float_sign(ws.table, ws.bound, e, e, x, y)
        if never_cross(ws.exact, x, y):
            sign = 1 if x == 0 else -1
    else:
        if low == a and high == c:
            sign, tied = (slope if x == a else -slope), True
        elif ws.state[CENTRAL] != 0 and high == 1:
            sign = 1 if x == 0 else -1
        elif meet_there(ws.exact, x, y) and abs(rise) > ws.bound[e, 0, e]:
            sign, tied = (1 if rise > 0.0 else -1), True
        else:
            column, factor = e + 1, orientation(d, e) * slope
            if ws.state[CENTRAL] != 0 and e < d - 2 and a < 2 and low == 1 - a and high == c:
                # these pairs differ by the row at infinity: they meet there
                column, factor = d - 1, 1.0 * slope
            sign = compare_scores(ws.table, ws.bound, e, column, factor, x, y, a, c)
    if sign == 0:
        status, sign, met = ask(ws.exact, COMPARE, e, x, y, a, c, slope)
        tied = met != 0
    return status, sign, tied


@inlined
def order_blocks(ws, e, a, c, slope):
    """Fill `order`, the blocks just after the point of (a, c), best first, and `linked`."""
    error = sort_by_value(ws, e, a, c, slope)
    ws.state[HAS_RESIDUES] = 0
    start, answer = 0, DONE
    ws.linked[0] = False
    for k in range(1, ws.state[BLOCKS]):
        ws.linked[k] = False
        if ws.value[k - 1] - ws.value[k] > error:
            start = k
            continue
        y, t, above, below = ws.order[k], k, False, False
        while t > start:
            status, sign, tied = compare_blocks(ws, e, ws.order[t - 1], y, a, c, slope)
            if status != DONE:
                answer = status
                break
            if sign > 0:
                above = tied
                break
            ws.order[t], ws.linked[t] = ws.order[t - 1], ws.linked[t - 1]
            below = tied
            t -= 1
        ws.order[t], ws.linked[t] = y, above
        if t < k:
            ws.linked[t + 1] = below
        if answer != DONE:
            break
    return answer


@inlined
def mark_tie(ws, e, last):
    """Mark the pairs below `last` that cross at the point; returns how many pairs cross there."""
    crossing = 0
    for k in range(1, ws.state[BLOCKS]):
        t = k
        while ws.linked[t]:
            t -= 1
            crossing += 1
            x, y = ws.order[k], ws.order[t]
            if x < last and y < last:
                ws.taken[e, pair_index(min(x, y), max(x, y))] = TAKEN
    return crossing


@inlined
def place_blocks(ws, e, a, c, slope):
    """`position` from `order` and, unless a < 0, the signs of the multipliers of (a, c)."""
    base = 0
    for k in range(ws.state[BLOCKS]):
        ws.start[ws.order[k]] = base
        base += ws.size[e, ws.order[k]]
    rows = ws.state[ROWS]
    for i in range(rows):
        ws.position[i] = ws.start[ws.block[e, i]]
    for q in range(e):
        status, sign = multiplier_sign(ws, e, q, a, c)
        if status != DONE:
            return status
        forward = 1 if (sign < 0) != (slope < 0) else 0
        for i in range(rows):
            ws.position[i] += ws.shift[q, forward, i]
    return DONE


@inlined
def merge_run(ws, e, start, stop):
    """Make the blocks start..stop-1 of `order` one block of depth e + 1."""
    rows = ws.state[ROWS]
    smallest, total = ws.order[start], 0
    for k in range(start, stop):
        smallest = min(smallest, ws.order[k])
        total += ws.size[e, ws.order[k]]
    above = 0
    for k in range(start, stop):
        x = ws.order[k]
        below = total - above - ws.size[e, x]
        for i in range(x, rows):
            if ws.block[e, i] == x:
                ws.block[e + 1, i] = smallest
                ws.shift[e, 0, i] = below
                ws.shift[e, 1, i] = above
        above += ws.size[e, x]
        if x != smallest:
            ws.merged[ws.merges[e + 1]] = x
            ws.merges[e + 1] += 1
    ws.size[e + 1, smallest] = total


@inlined
def merge_runs(ws, e):
    """Blocks that are linked in `order` become one."""
    ws.merges[e + 1] = ws.merges[e]
    for i in range(ws.state[ROWS]):
        ws.block[e + 1, i] = ws.block[e, i]
        ws.size[e + 1, i] = ws.size[e, i]
        ws.shift[e, 0, i] = ws.shift[e, 1, i] = 0
    stop = ws.state[BLOCKS]
    while stop > 0:
        start = stop - 1
        while ws.linked[start]:
            start -= 1
        if stop - start > 1:
            merge_run(ws, e, start, stop)
        stop = start


@late_entry
def settle(ws, purpose, e, a, c, last):
    """Order the blocks at the point of (a, c) for a purpose; (status, 1 if a child).

    PLACE : decide whether the pair is a child; if so, `position` is its ranking and other pairs
        at its point are marked as taken
    MERGE : make the blocks that meet there blocks of depth e + 1
    FAR_END : `position` is the ranking at the far end of the line (a < 0)
    """
    ws.state[WORK] += 1 + ws.state[BLOCKS]
    status, slope = DONE, 1
    if purpose != FAR_END:
        status, slope = slope_sign(ws, e, a, c)
        if status == DONE and slope == 0:
            ws.dirty[e] = 1
            ws.taken[e, pair_index(a, c)] = TAKEN
            return DONE, 0
    if status == DONE:
        status = order_blocks(ws, e, a, c, slope)
    if status == DONE and purpose == MERGE:
        merge_runs(ws, e)
    elif status == DONE:
        status = place_blocks(ws, e, a, c, slope)
    if status == DONE and purpose == PLACE:
        several = mark_tie(ws, e, last) > 1
        ws.taken[e, pair_index(a, c)] = TIED if several else FREE
        ws.dirty[e] |= several
    return status, 1 if status == DONE else 0


SETTLE = Late(settle, PAIR, (INT,) * 5)
_settle = SETTLE.call


@outlined
def ask_settle(ws, purpose, e, a, c, last):
    """`settle`, or NEEDS_SETTLE before it is compiled: generic rows hardly need it."""
    if ws.exact.late[LATE_SETTLE] == 0:
        return NEEDS_SETTLE, 0
    return _settle(ws.exact.late[LATE_SETTLE], (ws, purpose, e, a, c, last))


@inlined
def place_by_slopes(ws):
    """`position` at the far end of the root's line, by slopes in float64; whether it is proved."""
    rows = ws.state[ROWS]
    for i in range(rows):
        slope, k = ws.table[0, 0, i], i
        while k > 0 and ws.value[k - 1] > slope:
            ws.value[k], ws.order[k] = ws.value[k - 1], ws.order[k - 1]
            k -= 1
        ws.value[k], ws.order[k] = slope, i
    proved = True
    for k in range(1, rows):
        if not ws.value[k] - ws.value[k - 1] > 1.01 * ws.bound[0, 0, 0]:
            # 0 and 1, which differ by the row at infinity: 0 is above 1
            proved = proved and never_cross(ws.exact, ws.order[k - 1], ws.order[k])
            if proved:
                ws.order[k - 1], ws.order[k] = 0, 1
    for k in range(rows):
        ws.position[ws.order[k]] = k
    return proved


@inlined
def merge_blocks(ws, e, a, c, slope):
    """Blocks of the child (a, c): those at its point become one.

    They keep the order just after the point, or reversed, in the rankings below the child.
    """
    if ws.taken[e, pair_index(a, c)] == TIED:
        status, _ = ask_settle(ws, np.int64(MERGE), e, a, c, c)
        return status
    upper, lower = (a, c) if slope > 0 else (c, a)
    merge(ws.block, ws.size, ws.shift, e, a, c, upper, lower)
    ws.merged[ws.merges[e]] = c
    ws.merges[e + 1] = ws.merges[e] + 1
    return DONE
