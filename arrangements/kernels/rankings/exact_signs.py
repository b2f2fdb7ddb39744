"""Signs of pairs of labels: of slopes, multipliers and differences of scores at a point.

The score of a block on a line is ``slope t + constant``. At the point of the pair j, the sign of
``score_x - score_y`` is that of ``dK A_j - dA K_j`` times that of A_j, where A and K are
differences of slopes and of constants: no quotient, so pairs that never cross are no exception.
Residues decide signs that the error bound leaves open, as in ``kernels.chambers.exact_signs``.
"""

import numpy as np
from numba import types

from arrangements.kernels.chambers.exact_signs import (
    is_spanned,
    matroid_pivot,
    minor_sign,
    proportional,
)
from arrangements.kernels.chambers.workspace import (
    BAD_PRIME,
    DONE,
    EXACT_COUNT,
    EXACT_DEPTH,
    LATE_ANSWER,
    NEEDS_EXACT,
    ROWS,
    WORK,
)
from arrangements.kernels.compilation import inlined, kernel, late_entry, outlined
from arrangements.kernels.late import INT, Late
from arrangements.kernels.modular.montgomery import mont_mul
from arrangements.kernels.rankings.workspace import CENTRAL, HAS_RESIDUES

_U64 = 2.0**-53
_ZERO = np.uint64(0)


# Questions to `answer`.
COMPARE, SLOPE, MULTIPLIER = range(3)


@inlined
def orientation(d, e):
    """Sign of the constant in the score: -1 on the inner levels, where it is ``-r M``."""
    return -1.0 if e < d - 2 else 1.0


@inlined
def pair_index(a, c):
    return c * (c - 1) // 2 + a


@inlined
def set_lane(columns, prime, first, lane, x, y):
    """Residues of the pair (x, y) modulo a prime, in a spare lane; columns from `first` on."""
    for c in range(first, columns.shape[0]):
        value = columns[c, x] + prime - columns[c, y]
        columns[c, lane] = value - prime if value >= prime else value


@inlined
def set_pair(exact, e, which, x, y):
    """The pair (x, y) in the spare lane `which` (1 or 2) of `matroid` at depth e."""
    lane = exact.state[ROWS] + which
    for k in range(exact.matroid.shape[0]):
        set_lane(exact.matroid[k, e], exact.matroid_fields[k, 0], e, lane, x, y)


@kernel
def set_flag_pair(exact, lane, x, y):
    for c in range(exact.lanes.shape[0]):
        exact.lanes[c, lane] = exact.table[0, c, x] - exact.table[0, c, y]
    for k in range(exact.flag.shape[0]):
        set_lane(exact.flag[k], exact.flag_fields[k, 0], np.int64(0), lane, x, y)


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
    """(status, sign) of the minor of R and the pairs (x, y) and, unless a < 0, (a, c)."""
    first, second = exact.state[ROWS] + 1 + exact.flag.shape[1], np.int64(-1)
    for t in range(e):
        set_flag_pair(exact, exact.state[ROWS] + 1 + t, exact.pair[t, 0], exact.pair[t, 1])
    set_flag_pair(exact, first, x, y)
    if a >= 0:
        second = first + 1
        set_flag_pair(exact, second, a, c)
    return minor_sign(exact, exact.lanes, size, last_column, first, second)


@kernel
def row_minor(exact, e, size, last_column, x, y):
    """(status, sign) of the minor of R and the pair (x, y)."""
    return pair_minor(exact, e, size, last_column, x, y, np.int64(-1), np.int64(-1))


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
        status, meet = is_spanned(exact.matroid, exact.matroid_fields, e, rows + 1, rows + 2, rows)
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


ANSWER = Late(answer, types.UniTuple(INT, 3), (INT,) * 7)
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
