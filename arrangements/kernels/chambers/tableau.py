"""Floating-point side of the sweep: tableaux, lines, points, each with a proven error bound.

``docs/exactness.md`` derives the bounds. An error is an absolute bound for a whole column; an
infinite one stands for "nothing is proven here" and makes everything built on it undecided.
"""

from math import copysign

import numpy as np

from arrangements.kernels.chambers.workspace import HAS_WIDE, NEGATIVE, ROWS
from arrangements.kernels.compilation import entry, inlined
from arrangements.kernels.llvm.vectors import (
    KEY_CENTER,
    KEY_SCALE,
    choose_lanes,
    largest_of_rows,
    less,
    load,
    load_across,
    magnitude,
    maximum,
    splat,
    store,
    store_keys,
    store_narrow,
    with_sign_of,
)

_U64 = 2.0**-53
_U32 = 2.0**-24
# More than all that a few roundings of singles lose below 2**-126, where each loses up to 2**-150
# whatever its size.
_UNDERFLOW = 1e-37
_ZERO, _ONE = np.uint64(0), np.uint64(1)
# Intervals of points lie between -1.002 and 1.002. The interval of a point that compares with
# nothing ends at FAR; a row that is no point lies BEYOND all of them.
FAR = np.float32(1.005)
BEYOND = np.float32(1.01)
# An interval is proven to be this times the larger error over |a| + |c|, and roundings; wider ones
# are not used. docs/exactness.md, "Points, 16 and 32 bits".
_SPREAD, _ROUNDINGS, _WIDEST = 1.35, 3e-7, 1e-3


@inlined
def eliminations(up, vp, u_error, v_error, u_size, v_size, rounding):
    """Factors of new columns ``alpha column_u - beta column_v``, zero in row p; alpha > 0.

    Lanes are eight columns: entries in row p, errors and magnitudes of u, which is changed, and v,
    the eliminator. rounding : units of the arithmetic
    Returns alpha, beta, the larger of |alpha|, |beta| being 1, and the errors of the new columns up
    to a positive factor (for which this larger one is exact). An error is infinite if the sign
    of alpha, on which the orientation of the column depends, is not proven.
    """
    # no branch depends on the data: half of them would be mispredicted
    sixteen, one = splat(16.0), splat(1.0)
    a, b, errors = magnitude(vp), magnitude(up), u_error + v_error
    larger = maximum(a, b)
    proven = less(sixteen * v_error, a) & less(sixteen * errors, larger)
    error = a * u_error + b * v_error
    error = error + splat(1.07) * errors * (maximum(u_size, v_size) + errors)
    error = splat(1.001) * (error + splat(rounding) * (a * u_size + b * v_size))
    inverse = one / larger
    alpha = choose_lanes(proven, a * inverse, one)
    beta = choose_lanes(proven, with_sign_of(up, vp) * inverse, splat(0.0))
    return alpha, beta, choose_lanes(proven, error * inverse, splat(np.inf))


@inlined
def find_factors(bound, factors, eliminator, e, d, rounding):
    """How the columns of a node of depth e become those of its child; bounds of their errors.

    Multipliers are eliminated by column e, column c behind it by the one of e..c-1 that is largest
    in the pivot row. So columns at most double in size. Column e stays as it is.

    bound : (.., 2, k) float64, absolute errors and magnitudes, at e
    factors : (3, k) float64, the entries of the pivot row, alpha, beta
    eliminator : (d,) int64, of each column behind e
    """
    best = e
    for first in range(0, d, 8):
        vp, v_error, v_size = splat(factors[0, e]), splat(bound[e, 0, e]), splat(bound[e, 1, e])
        for c in range(max(e + 1, first), min(d, first + 8)):
            lane = _ONE << np.uint64(c - first)
            vp = choose_lanes(lane, splat(factors[0, best]), vp)
            v_error = choose_lanes(lane, splat(bound[e, 0, best]), v_error)
            v_size = choose_lanes(lane, splat(bound[e, 1, best]), v_size)
            eliminator[c] = best
            # half of such branches would be mispredicted
            best += np.int64(abs(factors[0, c]) > abs(factors[0, best])) * (c - best)
        up, u_error = load(factors, (0, first)), load(bound, (e, 0, first))
        u_size = load(bound, (e, 1, first))
        alpha, beta, error = eliminations(up, vp, u_error, v_error, u_size, v_size, rounding)
        store(factors, (1, first), alpha)
        store(factors, (2, first), beta)
        itself = _ONE << np.uint64(e - first) if first <= e < first + 8 else _ZERO
        store(bound, (e + 1, 0, first), choose_lanes(itself, u_error, error))


@inlined
def combine(table, factors, largest, e, c, v, lanes):
    """Column c of the next tableau, ``alpha column_c - beta column_v``, and ``largest[c]``."""
    a, b, top = splat(factors[1, c]), splat(factors[2, c]), splat(0.0)
    for i in range(0, lanes, 8):
        x = load(table, (e, c, i)) * a - load(table, (e, v, i)) * b
        store(table, (e + 1, c, i), x)
        top = maximum(top, magnitude(x))
    store(largest, (c, 0), top)


@entry
def pivot(table, bound, factors, eliminator, largest, e, p, lanes, last):
    """Tableau of the node R + p of depth e + 1 from that of R; multipliers of rows < last only.

    factors, eliminator : work space, see `find_factors`; largest : (k, 8) float64, work space
    Numbers that are read as vectors soon are written as vectors: others would have to wait.
    """
    d, some = table.shape[1], (last + 7) & ~7
    for c in range(0, d, 8):
        store(factors, (0, c), load_across(table, (e, c, p)))
    find_factors(bound, factors, eliminator, e, d, 6.0 * _U64)
    for q in range(e):
        combine(table, factors, largest, e, q, e, some)
    for i in range(0, some, 8):
        store(table, (e + 1, e, i), load(table, (e, e, i)))
    store(largest, (e, 0), splat(bound[e, 1, e]))
    for c in range(e + 1, d):
        combine(table, factors, largest, e, c, eliminator[c], lanes)
    for c in range(0, d, 8):
        store(bound, (e + 1, 1, c), largest_of_rows(largest, (c, 0)))


@inlined
def narrow_column(ws, e, c, last):
    for i in range(0, last, 16):
        first, second = load(ws.table, (e, c, i)), load(ws.table, (e, c, i + 8))
        store_narrow(ws.narrow, (c, i), first, second)


@inlined
def narrow_columns(ws, e, lanes, last, signs):
    """Single precision copy of the columns that the lines at and below this node need."""
    d = ws.table.shape[1]
    if signs:
        for q in range(e):
            narrow_column(ws, e, q, last)
    for c in range(e, d if e == d - 3 else e + 2):
        narrow_column(ws, e, c, lanes)
    more, least, unit = splat(1.001), splat(_UNDERFLOW), splat(_U32)
    for c in range(0, d, 8):
        error, size = load(ws.bound, (e, 0, c)), load(ws.bound, (e, 1, c))
        store(ws.narrow_bound, (0, 1, c), more * size)
        store(ws.narrow_bound, (0, 0, c), more * (error + unit * size) + least)
    if signs:
        error_v = ws.narrow_bound[0, 0, e]
        size_v = ws.narrow_bound[0, 1, e] + error_v
        of_error, of_size = splat(2.002 * size_v), splat(2.002 * error_v + 7.01 * _U32 * size_v)
        for c in range(0, d, 16):
            own, both = thresholds(ws.narrow_bound, c, of_error, of_size)
            next_own, next_both = thresholds(ws.narrow_bound, c + 8, of_error, of_size)
            store_narrow(ws.threshold, (0, c), own, next_own)
            store_narrow(ws.threshold, (1, c), both, next_both)


@inlined
def thresholds(bound, c, of_error, of_size):
    """Errors of the columns c..c+7, and those of ``x_q v_p - v x_q(p)`` for any row p."""
    error = load(bound, (0, 0, c))
    size = load(bound, (0, 1, c)) + error
    return splat(1.001) * error, of_error * error + of_size * size + splat(_UNDERFLOW)


@inlined
def own_coefficients(ws, e):
    """Write the line of a node whose columns are there as `child_coefficients` does; its lane."""
    lane = ws.coefficient.shape[1] - 16
    sign = 1.0 if e < ws.table.shape[1] - 2 else -1.0
    for k in range(5):
        ws.coefficient[k, lane] = np.float32(0.0)
    ws.coefficient[0, lane] = np.float32(1.0)
    ws.coefficient[2, lane] = np.float32(sign)
    slope_error, constant_error = ws.narrow_bound[0, 0, e], ws.narrow_bound[0, 0, e + 1]
    ws.coefficient[5, lane] = np.float32(1.001 * slope_error)
    error = max(slope_error, constant_error)
    most = ws.narrow_bound[0, 1, e] + ws.narrow_bound[0, 1, e + 1] + 2.0 * error
    rounded = 2.3 * _U32 * most * most + _UNDERFLOW
    ws.coefficient[6, lane] = np.float32(1.001 * error)
    ws.coefficient[7, lane] = np.float32(2.1 * error * (most + error) + rounded)
    return lane


@inlined
def lane_elimination(up, vp, bound, u, v):
    """`elimination` for 16 pivot rows at once, in single precision."""
    u_error, v_error = bound[0, 0, u], bound[0, 0, v]
    u_size, v_size = bound[0, 1, u], bound[0, 1, v]
    errors = u_error + v_error
    a, b = magnitude(vp), magnitude(up)
    larger = maximum(a, b)
    proven = less(splat(np.float32(16.01 * v_error)), a)
    proven &= less(splat(np.float32(16.01 * errors)), larger)
    fixed = 1.01 * (1.07 * errors * (max(u_size, v_size) + errors))
    of_a = 1.01 * (u_error + 3.2 * _U32 * u_size)
    of_b = 1.01 * (v_error + 3.2 * _U32 * v_size)
    inverse = splat(np.float32(1.0)) / larger
    error = a * splat(np.float32(of_a)) + b * splat(np.float32(of_b)) + splat(np.float32(fixed))
    error = choose_lanes(proven, error * inverse, splat(np.float32(np.inf)))
    return a * inverse, with_sign_of(up, vp) * inverse, error


@inlined
def child_coefficients(ws, last):
    """The lines of the children below `last` of a node of depth d - 3 from its columns u, v, w.

    Slopes are ``a u - b v``, constants ``g w - h u - k v`` with h = 0 or k = 0; three rows more
    for the error of the slopes, the larger of both errors, and the error of products of both.
    """
    d = ws.narrow.shape[0]
    v, u, w = d - 3, d - 2, d - 1
    zero = splat(np.float32(0.0))
    error, size = ws.narrow_bound[0, 0], ws.narrow_bound[0, 1]
    # of a slope and a constant together
    most = 2.0 * (size[u] + error[u] + size[v] + error[v]) + size[w] + error[w]
    rounded = splat(np.float32(2.3 * _U32 * most * most + _UNDERFLOW))
    twice, most_twice = splat(np.float32(2.1)), splat(np.float32(2.1 * most))
    for i in range(0, last, 16):
        up, vp, wp = load(ws.narrow, (u, i)), load(ws.narrow, (v, i)), load(ws.narrow, (w, i))
        a, b, slope_error = lane_elimination(up, vp, ws.narrow_bound, u, v)
        by_u = less(magnitude(vp), magnitude(up))
        g, h, error_u = lane_elimination(wp, up, ws.narrow_bound, w, u)
        f, k, error_v = lane_elimination(wp, vp, ws.narrow_bound, w, v)
        store(ws.coefficient, (0, i), a)
        store(ws.coefficient, (1, i), b)
        # a constant of the last slice counts against the direction of the line
        store(ws.coefficient, (2, i), zero - choose_lanes(by_u, g, f))
        store(ws.coefficient, (3, i), zero - choose_lanes(by_u, h, zero))
        store(ws.coefficient, (4, i), zero - choose_lanes(by_u, zero, k))
        store(ws.coefficient, (5, i), slope_error)
        larger = maximum(slope_error, choose_lanes(by_u, error_u, error_v))
        store(ws.coefficient, (6, i), larger)
        store(ws.coefficient, (7, i), larger * (most_twice + larger * twice) + rounded)


@inlined
def intervals(ws, u, v, w, lane, i, points):
    """Interval of each of the points i..i+15 in the coordinate s = c / (|a| + |c|), which increases
    with t = c / a: (low ends, high ends, lanes of negative slope, lanes without an interval).

    With errors A of a and C of c below a sixteenth of |a| and of |a| + |c|, that of s is below
    1.3 max(A, C) / (|a| + |c|), and five roundings. A point without these, or with more than
    a thousandth, gets the interval that compares with nothing.
    """
    far, beyond = splat(FAR), splat(BEYOND)
    one, zero = splat(np.float32(1.0)), splat(np.float32(0.0))
    a, b = splat(ws.coefficient[0, lane]), splat(ws.coefficient[1, lane])
    g, h = splat(ws.coefficient[2, lane]), splat(ws.coefficient[3, lane])
    k, least = splat(ws.coefficient[4, lane]), splat(np.float32(16.0) * ws.coefficient[5, lane])
    spread = splat(np.float32(_SPREAD) * ws.coefficient[6, lane])
    x, y = load(ws.narrow, (u, i)), load(ws.narrow, (v, i))
    slope = x * a - y * b
    constant = load(ws.narrow, (w, i)) * g - x * h - y * k
    size = magnitude(slope)
    inverse = one / (size + magnitude(constant))
    s = with_sign_of(constant * inverse, slope)
    width = spread * inverse + splat(np.float32(_ROUNDINGS))
    certain = less(least, size) & less(width, splat(np.float32(_WIDEST)))
    low = choose_lanes(points, choose_lanes(certain, s - width, zero - far), beyond)
    high = choose_lanes(points, choose_lanes(certain, s + width, far), beyond)
    store(ws.low_high, (0, i), low)
    store(ws.low_high, (1, i), high)
    return low, high, less(slope, zero), certain ^ np.uint64(0xFFFF)


@inlined
def place_points(ws, u, v, w, lane, word, points):
    """`intervals` and keys of the rows of a word; the rows with negative slope and those without
    an interval.
    """
    negative = unsure = _ZERO
    first = 64 * word
    for i in range(first, min(first + 64, ws.state[ROWS]), 32):
        here, there = np.uint64(i - first), np.uint64(i - first + 16)
        low, high, left, lost = intervals(ws, u, v, w, lane, i, points >> here)
        negative |= left << here
        unsure |= lost << here
        next_low, next_high, left, lost = intervals(ws, u, v, w, lane, i + 16, points >> there)
        negative |= left << there
        unsure |= lost << there
        store_keys(ws.key, 0, i, low, next_low)
        store_keys(ws.key, 1, i, high, next_high)
    return negative, unsure


@inlined
def place_row(ws, i, low, high):
    """Replace the interval of row i."""
    for k, end in ((0, low), (1, high)):
        ws.low_high[k, i] = end
        # as ``lanes.store_keys`` does
        scaled = end * np.float32(KEY_SCALE) + np.float32(KEY_CENTER)
        ws.key[k, i] = np.int16(scaled - np.float32(KEY_CENTER))


@inlined
def place_by_tableau(ws, e, i):
    """The interval of row i, whose slope is certain in the float64 tableau, from that."""
    slope_error, constant_error = ws.bound[e, 0, e], ws.bound[e, 0, e + 1]
    slope, constant = ws.table[e, e, i], ws.table[e, e + 1, i]
    if e == ws.table.shape[1] - 2:
        constant = -constant
    size = abs(slope) + abs(constant)
    width = _SPREAD * max(slope_error, constant_error) + _ROUNDINGS * size
    if abs(slope) > 16.0 * slope_error and width < _WIDEST * size:
        s = copysign(1.0, slope) * constant / size
        width /= size
        place_row(ws, i, np.float32(s - width), np.float32(s + width))


@inlined
def multipliers(ws, e, p, leaf, last):
    """In which rows below `last` the multipliers of R differ from the slope in sign.

    A leaf's are combinations ``x_q v_p - v x_q(p)`` of the columns of its parent, up to a
    common factor: only the signs matter.
    """
    v = e - 1 if leaf else e
    vp = ws.narrow[v, p] if leaf else np.float32(1.0)
    bounds = 1 if leaf else 0
    proven = not leaf or abs(vp) > 16.0 * ws.narrow_bound[0, 0, v]
    scale, zero = splat(vp), splat(np.float32(0.0))
    d = ws.multiplier.shape[0]
    turned = ~_ZERO if vp < 0 else _ZERO
    for word in range((last + 63) >> 6):
        first, unproven = 64 * word, _ZERO if proven else ~_ZERO
        same = turned ^ ws.masks[e, NEGATIVE, word]
        for q in range(e):
            up = ws.narrow[q, p] if leaf and q < v else np.float32(0.0)
            other, least, negative = splat(up), splat(ws.threshold[bounds, q]), _ZERO
            for i in range(first, min(first + 64, last), 16):
                x = load(ws.narrow, (q, i)) * scale - load(ws.narrow, (v, i)) * other
                shift = np.uint64(i - first)
                unproven |= (less(least, magnitude(x)) ^ np.uint64(0xFFFF)) << shift
                negative |= less(x, zero) << shift
            ws.multiplier[q, word] = negative ^ same
        ws.multiplier[d - 1, word] = unproven


@inlined
def widen(ws, e):
    """Make sure that the float64 tableau and points of the current line are there."""
    if ws.state[HAS_WIDE] == 0:
        ws.state[HAS_WIDE] = 1
        place_wide_points(ws, e)


@inlined
def place_wide_points(ws, e):
    """The float64 tableau of the current line, and the intervals of t = c / a on it."""
    d = ws.table.shape[1]
    if e == d - 2 and e > 0:
        p, lanes = ws.chain[e - 1], (ws.state[ROWS] + 15) & ~15
        pivot(ws.table, ws.bound, ws.factors, ws.eliminator, ws.largest, e - 1, p, lanes, p)
    orientation = 1.0 if e < d - 2 else -1.0
    slope_error, constant_error = ws.bound[e, 0, e], ws.bound[e, 0, e + 1]
    for i in range(ws.wide.shape[1]):
        slope = ws.table[e, e, i]
        inverse = 1.0 / slope
        t = orientation * ws.table[e, e + 1, i] * inverse
        width = 1.1 * (constant_error + slope_error * abs(t)) * abs(inverse)
        width += 6.0 * _U64 * abs(t)
        certain = abs(slope) > 16.0 * slope_error
        ws.wide[0, i] = t - width if certain else -np.inf
        ws.wide[1, i] = t + width if certain else np.inf


@inlined
def compare_second(ws, e, i, j):
    """Sign of the difference of -x / slope in the last column by float64; 0 if not certain."""
    d = ws.table.shape[1]
    error, c_error = ws.bound[e, 0, e], ws.bound[e, 0, d - 1]
    a, b = ws.table[e, e, i], ws.table[e, e, j]
    if not (abs(a) > 16.0 * error and abs(b) > 16.0 * error):
        return 0
    s, t = -ws.table[e, d - 1, i] / a, -ws.table[e, d - 1, j] / b
    width = 1.1 * ((c_error + error * abs(s)) / abs(a) + (c_error + error * abs(t)) / abs(b))
    width += 6.0 * _U64 * (abs(s) + abs(t))
    if s - t > width:
        return 1
    return -1 if t - s > width else 0
