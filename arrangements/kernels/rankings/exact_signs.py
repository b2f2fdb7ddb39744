"""Order of the blocks at a point of a line, decided in float64 and, where that fails, exactly.

The score of a block on a line is ``slope t + constant``. At the point of the pair j, the sign of
``score_x - score_y`` is that of ``dK A_j - dA K_j`` times that of A_j, where A and K are
differences of slopes and of constants: no quotient, so pairs that never cross are no exception.
What the error bound leaves open is asked of residues, as in ``kernels.chambers.exact_signs``.
"""

import numpy as np
from numba import types

from arrangements.kernels.chambers.exact_signs import (
    matroid_pivot,
    minor_sign,
    proportional,
    spanned,
)
from arrangements.kernels.chambers.workspace import (
    BAD_PRIME,
    DONE,
    EXACT_COUNT,
    EXACT_DEPTH,
    LATE_ANSWER,
    LATE_SETTLE,
    NEEDS_EXACT,
    NEEDS_SETTLE,
    ROWS,
    WORK,
)
from arrangements.kernels.compilation import inlined, kernel, late_entry, outlined
from arrangements.kernels.late import Late
from arrangements.kernels.llvm.merges import merge
from arrangements.kernels.modular.montgomery import mont_mul
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
# Questions to `answer`.
COMPARE, SLOPE, MULTIPLIER = range(3)

_U64 = 2.0**-53
_ZERO = np.uint64(0)


@inlined
def orientation(d, e):
    """Sign of the constant in the score: -1 on the inner levels, where it is ``-r M``."""
    return -1.0 if e < d - 2 else 1.0


@inlined
def pair_index(a, c):
    return c * (c - 1) // 2 + a


@inlined
def set_lane(residues, fields, k, e, lane, x, y):
    """Residues of the pair (x, y) modulo prime k, in a spare lane."""
    prime = fields[k, 0]
    for c in range(e, residues.shape[-2]):
        value = residues[k, e, c, x] + prime - residues[k, e, c, y]
        residues[k, e, c, lane] = value - prime if value >= prime else value


@inlined
def set_pair(exact, e, which, x, y):
    """The pair (x, y) in the spare lane `which` (1 or 2) of `matroid` at depth e."""
    for k in range(exact.matroid.shape[0]):
        set_lane(exact.matroid, exact.matroid_fields, k, e, exact.state[ROWS] + which, x, y)


@kernel
def set_flag_pair(exact, lane, x, y):
    for c in range(exact.lanes.shape[0]):
        exact.lanes[c, lane] = exact.table[0, c, x] - exact.table[0, c, y]
    for k in range(exact.flag.shape[0]):
        prime = exact.flag_fields[k, 0]
        for c in range(exact.flag.shape[1]):
            value = exact.flag[k, c, x] + prime - exact.flag[k, c, y]
            exact.flag[k, c, lane] = value - prime if value >= prime else value


@inlined
def matroid_table(exact, e):
    """Bring the residues of the labels to depth e; DONE or the status that stops the kernel."""
    if exact.matroid.shape[0] == 0:
        return NEEDS_EXACT
    exact.state[EXACT_COUNT] += 1
    return DONE if exact.state[EXACT_DEPTH] >= e else follow_path(exact, e)


@kernel
def follow_path(exact, e):
    """Residues of the labels modulo the pairs of R, one by one."""
    rows = exact.state[ROWS]
    while exact.state[EXACT_DEPTH] < e:
        t = exact.state[EXACT_DEPTH]
        set_pair(exact, t, 1, exact.pair[t, 0], exact.pair[t, 1])
        if not matroid_pivot(exact.matroid, exact.matroid_fields, t, t, rows + 1, rows, t + 1):
            return BAD_PRIME
        exact.state[EXACT_DEPTH] = t + 1
        exact.state[WORK] += exact.matroid.shape[0]
    return DONE


@kernel
def pair_minor(exact, e, size, last_column, x, y, a, c):
    """(status, sign) of the minor of R and the pairs (x, y) and (a, c)."""
    first = exact.state[ROWS] + 1
    d = exact.flag.shape[1]
    for t in range(e):
        set_flag_pair(exact, first + t, exact.pair[t, 0], exact.pair[t, 1])
    set_flag_pair(exact, first + d, x, y)
    set_flag_pair(exact, first + d + 1, a, c)
    return minor_sign(exact, exact.lanes, size, last_column, first + d, first + d + 1)


@kernel
def row_minor(exact, e, size, last_column, x, y):
    """(status, sign) of the minor of R and the pair (x, y)."""
    first = exact.state[ROWS] + 1
    d = exact.flag.shape[1]
    for t in range(e):
        set_flag_pair(exact, first + t, exact.pair[t, 0], exact.pair[t, 1])
    set_flag_pair(exact, first + d, x, y)
    return minor_sign(exact, exact.lanes, size, last_column, first + d, e - e - 1)


@inlined
def pivots_sign(exact, e, skip):
    """Sign of the product of the pivots of R, that of depth `skip` left out."""
    sign = 1
    for t in range(e):
        if t != skip and exact.negative[t] != 0:
            sign = -sign
    return sign


@outlined
def exact_multiplier_sign(exact, e, q, a, c):
    """Cramer's rule: R with its q-th pair replaced; see ``kernels.chambers.exact_signs``."""
    kept = exact.chain[q]
    exact.chain[q] = exact.chain[e - 1]
    status, sign = row_minor(exact, e, e, e - 1, a, c)
    exact.chain[q] = kept
    return status, (sign if q == e - 1 else -sign) * pivots_sign(exact, e, q)


@inlined
def never_cross(exact, x, y):
    """Whether x and y are the labels 0 and 1, and their hyperplane is the row at infinity."""
    return exact.state[CENTRAL] != 0 and x + y == 1


@kernel
def is_constant(exact, e, x, y):
    """(status, whether the blocks x and y never cross on the line)."""
    if never_cross(exact, x, y):
        return DONE, True
    status = matroid_table(exact, e)
    if status != DONE:
        return status, False
    set_pair(exact, e, 1, x, y)
    rows = exact.state[ROWS]
    return proportional(exact.matroid, exact.matroid_fields, e, rows + 1, rows)


@outlined
def exact_slope_sign(exact, e, x, y):
    """(status, sign of the slope of the pair (x, y)), 0 if the blocks never cross."""
    status, constant = is_constant(exact, e, x, y)
    if status != DONE or constant:
        return status, 0
    status, sign = row_minor(exact, e, e + 1, e, x, y)
    return status, sign * pivots_sign(exact, e, e)


@inlined
def float_sign(table, bound, e, column, x, y):
    """Sign of the difference of two lanes of a column; 0 if it is not certain."""
    value = table[e, column, x] - table[e, column, y]
    if not abs(value) > bound[e, 0, column]:
        return 0
    return 1 if value > 0.0 else -1


@kernel
def constant_sign(exact, e, x, y):
    """(status, sign of score_x - score_y), x and y blocks that never cross on the line.

    Not zero: modulo the span of R the pair is a multiple of the row at infinity, and if that were
    zero, x and y would be one block. The minor is this multiple times the pivots of R, none of
    which is zero.
    """
    if never_cross(exact, x, y):
        return DONE, (1 if x == 0 else -1)
    last = exact.flag.shape[1] - 1
    sign = float_sign(exact.table, exact.bound, e, last, x, y)
    if sign != 0:
        return DONE, sign
    status, sign = row_minor(exact, e, e + 1, last, x, y)
    return status, sign * pivots_sign(exact, e, e)


@inlined
def compare_scores(table, bound, e, column, factor, x, y, a, c):
    """Sign of ``dK A_j - dA K_j``, K in `column`, times `factor`; 0 if not certain."""
    slope = table[e, e, a] - table[e, e, c]
    constant = table[e, column, a] - table[e, column, c]
    rise = table[e, e, x] - table[e, e, y]
    gap = table[e, column, x] - table[e, column, y]
    e_slope, e_constant = bound[e, 0, e], bound[e, 0, column]
    left, right = gap * slope, rise * constant
    error = e_constant * (abs(slope) + abs(rise)) + e_slope * (abs(constant) + abs(gap))
    error += 2.0 * e_slope * e_constant + 4.0 * _U64 * (abs(left) + abs(right))
    value = left - right
    if not abs(value) > 1.01 * error:
        return 0
    return 1 if (value > 0.0) == (factor > 0.0) else -1


@kernel
def score_residues(exact, e, a, c):
    """Fill `residue` for the point of (a, c): blocks that meet there have equal columns.

    x and y meet iff the pair (x, y) is a multiple of (a, c) modulo the span of R. With a column f
    in which (a, c) is not zero, that says that the minors of both on the columns f and g vanish
    for all g; and these are differences of numbers that belong to x and to y alone.
    """
    status = matroid_table(exact, e)
    if status != DONE:
        return status
    m, _, d, _ = exact.matroid.shape
    rows = exact.state[ROWS]
    j = rows + 2
    set_pair(exact, e, 2, a, c)
    f = e
    while f < d and exact.matroid[0, e, f, j] == _ZERO:
        f += 1
    if f == d:
        return BAD_PRIME
    t = 0
    for k in range(m):
        prime, inv = exact.matroid_fields[k, 0], exact.matroid_fields[k, 1]
        x = exact.matroid[k, e, f, j]
        for g in range(e, d):
            if g != f:
                y = prime - exact.matroid[k, e, g, j]
                for i in range(rows):
                    value = mont_mul(exact.matroid[k, e, g, i], x, prime, inv)
                    value += mont_mul(exact.matroid[k, e, f, i], y, prime, inv)
                    exact.residue[t, i] = value - prime if value >= prime else value
                t += 1
    exact.state[HAS_RESIDUES] = t
    return DONE


@inlined
def meet_there(exact, x, y):
    """Whether the blocks x and y meet at the point for which `residue` is."""
    meet = exact.state[HAS_RESIDUES] > 0
    for t in range(exact.state[HAS_RESIDUES]):
        meet = meet and exact.residue[t, x] == exact.residue[t, y]
    return meet


@kernel
def compare_exactly(exact, e, x, y, a, c, slope):
    """(status, sign of score_x - score_y just after the point of (a, c), whether it is 0 there).

    slope : sign of that of the pair (a, c); a < 0: at the far end of the line
    """
    table, bound, status = exact.table, exact.bound, DONE
    sign = float_sign(table, bound, e, e, x, y)
    if a < 0:
        if sign == 0:
            status, sign = exact_slope_sign(exact, e, x, y)
        if status == DONE and sign == 0:
            status, sign = constant_sign(exact, e, x, y)
            return status, sign, False
        return status, -sign, False
    if exact.state[HAS_RESIDUES] == 0:
        status = score_residues(exact, e, a, c)
        if status != DONE:
            return status, 0, False
    if meet_there(exact, x, y):
        if sign == 0:
            status, sign = exact_slope_sign(exact, e, x, y)
        return status, sign, True
    status, constant = is_constant(exact, e, x, y)
    if status != DONE:
        return status, 0, False
    if constant:
        status, sign = constant_sign(exact, e, x, y)
        return status, sign, False
    rows, d = exact.state[ROWS], exact.flag.shape[1]
    column, factor = d - 1, -slope * pivots_sign(exact, e, e)
    if e < d - 2:
        set_pair(exact, e, 1, x, y)
        set_pair(exact, e, 2, a, c)
        status, meet = spanned(exact.matroid, exact.matroid_fields, e, rows + 1, rows + 2, rows)
        if status != DONE:
            return status, 0, False
        if meet:
            # at infinity: equal to leading order, the next order decides
            second = compare_scores(table, bound, e, d - 1, slope * 1.0, x, y, a, c)
            if second != 0:
                return DONE, second, False
        else:
            column, factor = e + 1, -factor
    status, sign = pair_minor(exact, e, e + 2, column, x, y, a, c)
    return status, factor * sign, False


@late_entry
def answer(exact, question, e, x, y, a, c, slope):
    """(status, sign, whether it is 0 at the point) of one of the questions above."""
    if question == COMPARE:
        status, sign, tied = compare_exactly(exact, e, x, y, a, c, slope)
        return status, sign, 1 if tied else 0
    if question == SLOPE:
        status, sign = exact_slope_sign(exact, e, x, y)
    else:
        status, sign = exact_multiplier_sign(exact, e, x, a, c)
    return status, sign, 0


ANSWER = Late(answer, types.UniTuple(types.int64, 3))
_call = ANSWER.call


@inlined
def ask(exact, question, e, x, y, a, c, slope):
    """`answer`, or NEEDS_EXACT if it is not there yet."""
    if exact.late[LATE_ANSWER] == 0:
        return NEEDS_EXACT, 0, 0
    return _call(exact.late[LATE_ANSWER], (exact, question, e, x, y, a, c, slope))


@inlined
def multiplier_sign(ws, e, q, a, c):
    """(status, sign of the multiplier of the q-th pair of R in the pair (a, c))."""
    sign, status = float_sign(ws.table, ws.bound, e, q, a, c), DONE
    if sign == 0:
        status, sign, _ = ask(ws.exact, MULTIPLIER, e, q, q, a, c, 0)
    return status, sign


@inlined
def slope_sign(ws, e, x, y):
    """(status, sign of the slope of the pair (x, y)), 0 if the blocks never cross."""
    sign, status = float_sign(ws.table, ws.bound, e, e, x, y), DONE
    if sign == 0 and not never_cross(ws.exact, x, y):
        status, sign, _ = ask(ws.exact, SLOPE, e, x, y, x, y, 0)
    return status, sign


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
    """What the order of the blocks at the point of (a, c) is needed for; (status, 1 if a child).

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


SETTLE = Late(settle, types.UniTuple(types.int64, 2))
_settle = SETTLE.call


@outlined
def settled(ws, purpose, e, a, c, last):
    """`settle`, or NEEDS_SETTLE if it is not there yet: generic rows hardly ask for it."""
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
        status, _ = settled(ws, np.int64(MERGE), e, a, c, c)
        return status
    upper, lower = (a, c) if slope > 0 else (c, a)
    merge(ws.block, ws.size, ws.shift, e, a, c, upper, lower)
    ws.merged[ws.merges[e]] = c
    ws.merges[e + 1] = ws.merges[e] + 1
    return DONE
