"""Floating-point side of the sweep: tableaux, lines, points, each with a proven error bound.

``docs/exactness.md`` derives the bounds. An error is an absolute bound for a whole column; an
infinite one stands for "nothing is proven here" and makes everything built on it undecided.
"""

import numpy as np

from arrangements.kernels.workspace import HAS_WIDE, ROWS, inlined, kernel, small

_U64 = 2.0**-53
_U32 = 2.0**-24
_MAGNITUDE = np.int64(0x7FFFFFFFFFFFFFFF)
# Keys are int16; the extreme ones mark a point that compares with nothing.
_SCALE = np.float32(32700.0)
_OFFSET = np.float32(32768.0)
WIDE_LOW = np.int16(-32768)
WIDE_HIGH = np.int16(32767)


@small
def elimination(up, vp, bound, e, u, v, rounding):
    """Factors of the new column ``alpha column_u - beta column_v``, zero in row p; alpha > 0.

    up, vp : entries of the pivot row in the columns u (changed) and v (eliminator)
    bound : (.., 2, d) absolute errors and magnitudes, at e; rounding : units of the arithmetic
    Returns alpha, beta, the larger of |alpha|, |beta| being 1, and the error of the new column up
    to a positive factor (for which this larger one is exact). The error is infinite if the sign
    of alpha, on which the orientation of the column depends, is not proven.
    """
    a, b = abs(vp), abs(up)
    u_error, v_error = bound[e, 0, u], bound[e, 0, v]
    if a >= b:
        proven = a > 16.0 * v_error
        size = bound[e, 1, v] + v_error
    else:
        proven = a > 16.0 * v_error and b > 16.0 * u_error
        size = bound[e, 1, u] + u_error
    if not proven:
        return 1.0, 0.0, np.inf
    error = a * u_error + b * v_error + 1.07 * (u_error + v_error) * size
    error = 1.001 * (error + rounding * (a * bound[e, 1, u] + b * bound[e, 1, v]))
    inverse = 1.0 / max(a, b)
    return a * inverse, (up * inverse if vp > 0.0 else -up * inverse), error * inverse


@small
def measure(table_bits, bound_bits, e, c, lanes):
    """Magnitude of a column. Patterns of positive floats are ordered like them, and a maximum of
    integers vectorises (one of floats does not: they might be NaN).
    """
    size = np.int64(0)
    for i in range(lanes):
        size = max(size, table_bits[e, c, i] & _MAGNITUDE)
    bound_bits[e, 1, c] = size


@kernel
def pivot(table, table_bits, bound, bound_bits, e, p, lanes, last):
    """Tableau of the node R + p of depth e + 1 from that of R; multipliers of rows < last only.

    Columns are eliminated pairwise, in the order of the flag: column c by the one of
    e..c-1 that is largest in row p. So columns at most double in size.
    """
    d = table.shape[1]
    best = e
    for c in range(e + 1, d):
        up, vp = table[e, c, p], table[e, best, p]
        alpha, beta, bound[e + 1, 0, c] = elimination(up, vp, bound, e, c, best, 6.0 * _U64)
        for i in range(lanes):
            table[e + 1, c, i] = alpha * table[e, c, i] - beta * table[e, best, i]
        measure(table_bits, bound_bits, e + 1, c, lanes)
        if abs(up) > abs(vp):
            best = c
    some = (last + 15) & ~15
    for q in range(e):
        up, vp = table[e, q, p], table[e, e, p]
        alpha, beta, bound[e + 1, 0, q] = elimination(up, vp, bound, e, q, e, 6.0 * _U64)
        for i in range(some):
            table[e + 1, q, i] = alpha * table[e, q, i] - beta * table[e, e, i]
        measure(table_bits, bound_bits, e + 1, q, some)
    for i in range(some):
        table[e + 1, e, i] = table[e, e, i]
    bound[e + 1, 0, e] = bound[e, 0, e]
    bound[e + 1, 1, e] = bound[e, 1, e]


@inlined
def narrow_columns(ws, e, lanes, last):
    """Single precision copy of the columns that the lines at and below this node need."""
    d = ws.table.shape[1]
    some = (last + 15) & ~15
    for c in range(0 if e == d - 3 else e, min(e + 3, d)):
        for i in range(lanes if c >= e else some):
            ws.narrow[c, i] = np.float32(ws.table[e, c, i])
        ws.narrow_bound[0, 1, c] = 1.001 * ws.bound[e, 1, c]
        error = ws.bound[e, 0, c] + _U32 * ws.bound[e, 1, c]
        ws.narrow_bound[0, 0, c] = 1.001 * error + 1e-37


@inlined
def own_line(ws, e, lanes, last, signs):
    """Line of the node whose tableau is there; returns the errors of slopes and constants."""
    for i in range(lanes):
        ws.line[0, i] = ws.narrow[e, i]
        ws.line[1, i] = ws.narrow[e + 1, i]
    if signs:
        some = (last + 15) & ~15
        for i in range(some):
            ws.margin[i] = np.float32(1.0)
        for q in range(e):
            error = 1.001 * ws.bound[e, 0, q] + 1e-37
            for i in range(some):
                x = ws.table[e, q, i]
                ws.multiplier[q, i] = np.float32(x)
                ws.margin[i] = min(ws.margin[i], np.float32(abs(x) - error))
    return ws.narrow_bound[0, 0, e], ws.narrow_bound[0, 0, e + 1]


@inlined
def child_line(ws, p, lanes, signs):
    """Line of the child p of a node of depth d - 3, in single precision; see `own_line`."""
    d = ws.narrow.shape[0]
    v, u = d - 3, d - 2
    vp, up = float(ws.narrow[v, p]), float(ws.narrow[u, p])
    alpha, beta, slope_error = elimination(up, vp, ws.narrow_bound, 0, u, v, 3.2 * _U32)
    best = u if abs(up) > abs(vp) else v
    up, bp = float(ws.narrow[d - 1, p]), float(ws.narrow[best, p])
    gamma, delta, constant_error = elimination(up, bp, ws.narrow_bound, 0, d - 1, best, 3.2 * _U32)
    a, b, g, h = np.float32(alpha), np.float32(beta), np.float32(gamma), np.float32(delta)
    for i in range(lanes):
        ws.line[0, i] = a * ws.narrow[u, i] - b * ws.narrow[v, i]
        ws.line[1, i] = g * ws.narrow[d - 1, i] - h * ws.narrow[best, i]
    if signs:
        child_multipliers(ws, p, vp)
    return slope_error, constant_error


@inlined
def child_multipliers(ws, p, vp):
    """Signs of the multipliers on the line of the child p; as only the signs matter, the columns
    are not scaled.
    """
    v = ws.narrow.shape[0] - 3
    some = (p + 15) & ~15
    error_v, size_v = ws.narrow_bound[0, 0, v], ws.narrow_bound[0, 1, v]
    proven = abs(vp) > 16.0 * error_v
    threshold = np.float32(1.001 * error_v if proven else np.inf)
    for i in range(some):
        ws.multiplier[v, i] = ws.narrow[v, i]
        ws.margin[i] = abs(ws.narrow[v, i]) - threshold
    alpha = abs(vp)
    for q in range(v):
        up = float(ws.narrow[q, p])
        beta = up if vp > 0.0 else -up
        error, size = ws.narrow_bound[0, 0, q], ws.narrow_bound[0, 1, q]
        bound = alpha * error + abs(beta) * error_v + error_v * (size + error)
        bound += error * (size_v + error_v) + 3.2 * _U32 * (alpha * size + abs(beta) * size_v)
        a, b, threshold = np.float32(alpha), np.float32(beta), np.float32(1.001 * bound + 1e-37)
        for i in range(some):
            x = a * ws.narrow[q, i] - b * ws.narrow[v, i]
            ws.multiplier[q, i] = x
            ws.margin[i] = min(ws.margin[i], abs(x) - threshold)


@inlined
def place_points(ws, slope_error, constant_error, orientation, lanes):
    """Interval of each point in the coordinate s = c / (|a| + |c|), which increases with t = c / a.

    With errors A of a and C of c below a sixteenth of |a| and of |a| + |c|, that of s is below
    1.3 (C |a| + A |c|) / (|a| + |c|)^2, and four roundings. A point without these gets
    the interval that compares with nothing.
    """
    error_a = np.float32(min(1.001 * slope_error, 1e30))
    error_c = np.float32(min(1.001 * constant_error, 1e30))
    for i in range(lanes):
        slope = ws.line[0, i]
        constant = orientation * ws.line[1, i]
        a, c = abs(slope), abs(constant)
        inverse = np.float32(1.0) / (a + c)
        s = constant * inverse
        if slope < 0:
            s = -s
        width = np.float32(1.35) * (error_c * a + error_a * c) * inverse * inverse
        width += np.float32(3e-7)
        low = s - width
        high = s + width
        certain = a > np.float32(16.0) * error_a and a + c > np.float32(16.0) * error_c
        ws.low_high[0, i] = low
        ws.low_high[1, i] = high
        # truncation of a positive number: increasing in low and high, and it vectorises
        k = np.int32(low * _SCALE + _OFFSET) - np.int32(32768)
        h = np.int32(high * _SCALE + _OFFSET) - np.int32(32768)
        ws.key[0, i] = np.int16(k) if certain else WIDE_LOW
        ws.key[1, i] = np.int16(h) if certain else WIDE_HIGH
        ws.key[2, i] = np.int16(-1) if slope < 0 else np.int16(0)


@inlined
def widen(ws, e):
    """Make sure that the float64 tableau and points of the current line are there."""
    if ws.state[HAS_WIDE] == 0:
        ws.state[HAS_WIDE] = 1
        place_wide_points(ws, e)


@kernel
def place_wide_points(ws, e):
    """The float64 tableau of the current line, and the intervals of t = c / a on it."""
    d = ws.table.shape[1]
    if e == d - 2 and e > 0:
        p, lanes = ws.chain[e - 1], (ws.state[ROWS] + 15) & ~15
        pivot(ws.table, ws.table_bits, ws.bound, ws.bound_bits, e - 1, p, lanes, p)
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
