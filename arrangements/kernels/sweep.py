"""The flag sweep: every chamber from the no-broken-circuit set that it belongs to.

``docs/algorithms.md`` derives the method, ``docs/exactness.md`` the error bounds used here.
A *node* of depth e is a set R of e hyperplanes, chosen with decreasing index; the flat they
span meets the slice of the flag that has dimension e + 1 in a line. On this line every other
hyperplane i is a point t_i with a slope. The points below the last index of R that are the
smallest index of their tie are the children of the node; each of them is one chamber.

Three filters decide ``t_i < t_j``, each asked only what the one before left open: 16-bit keys
(64 comparisons an instruction), float32 intervals, float64 intervals. What is still open is
decided by ``kernels.modular`` in exact arithmetic.

Arrays (``arrangements.sweep.Workspace`` allocates them; `pad` is a multiple of 64)::

    table   (d - 1, d, pad) float64    columns of the tableau of the node of each depth:
                                       0..e-1 multipliers of R, e slope, e+1.. constants
    bound   (d - 1, 2, d) float64      absolute error and magnitude of each column
    table_bits, bound_bits  int64      the same memory seen as integers
    narrow  (d, pad) float32           the same node's columns in single precision
    narrow_bound (1, 2, d) float64
    line    (2, pad) float32           slope and constant on the current line
    low_high (2, pad) float32          interval of each point, in the coordinate c/(|a|+|c|)
    key     (3, pad) int16             the same interval in 16 bits (both DEAD: not a point), and
                                       -1 where the slope is negative
    wide    (2, pad) float64           interval of t = c/a, computed only when needed
    negative (d, pad) uint64           all ones where a multiplier (rows 0..e-1) or slope (row
                                       d - 1) is negative
    unsafe  (pad,) uint64              non-zero where the sign of a multiplier is not proven
    masks   (d, 7, words) uint64       per depth the sets named NEGATIVE .. TAKEN below; depth d - 1
                                       holds the rows that are constant from the start
    ties    (max(d - 2, 1), pad, words) uint64   ties of the children flagged in TIED
    flip    (words, pad) uint64        bits of R and its dead rows in the chamber of each child
    parallel (pad,) int64              a representative of the row's parallel class
    matroid (k, d - 1, d, pad + 16) uint64    residues of the integer rows, and in lane n of the
                                       row at infinity; at depth e, columns e.. modulo the
                                       span of R. k = 0: not built yet
    matroid_fields (k, 5 + k) uint64   see ``kernels.modular``
    flag    (m, d, pad) uint64         residues of the root's tableau
    flag_fields (m, 5 + m) uint64      last column: residue of the pivot that eliminated the
                                       row at infinity
    square  (d, d) uint64, digits (m,) uint64    work space
    chain   (d,) int64, cursor (d,) int64      R and the next child, per depth
    state   (16,) int64                the registers named below
"""

import numpy as np
from numba import njit

from arrangements.kernels.masks import mask_less, mask_less_equal, trailing_zeros
from arrangements.kernels.modular import crt_sign, mont_determinant, mont_inverse, mont_mul

# rows of `masks`: negative slopes; constant rows that are +; rows that are no points (in the
# closure of R, or constant); tie group of the chosen child; children; children with ties; rows
# tied with a smaller one
NEGATIVE, FIXED, DEAD_ROWS, GROUP, CHILDREN, TIED, TAKEN = range(7)

# registers of `state`
DEPTH, ENTERED, EXACT_DEPTH, ROWS, ROOT_SIGN, FIRST, STOP, STORE, HAS_WIDE, EXACT_COUNT = range(10)

# answers of `advance`
DONE, FULL, PAUSED, NEEDS_EXACT, NOT_GENERIC, BAD_PRIME = range(6)

_U64 = 2.0**-53
_U32 = 2.0**-24
_SCALE = np.float32(32700.0)
_OFFSET = np.float32(32768.0)
_DEAD = np.int16(32767)
_WIDE_LOW = np.int16(-32768)
_WIDE_HIGH = np.int16(32766)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_MAGNITUDE = np.int64(0x7FFFFFFFFFFFFFFF)

# Without its run time numba counts no references to arrays: these atomic counts, two for each array
# in each call, took half of the time. Nothing may be allocated here; what is called with many
# arrays from one place is inlined.
_jit = njit(cache=True, error_model="numpy", _nrt=False)
_inline = njit(cache=True, error_model="numpy", _nrt=False, forceinline=True)


@_inline
def bit(sets, a, b, i):
    """Whether row i is in the set ``sets[a, b]``."""
    return (sets[a, b, i >> 6] >> np.uint64(i & 63)) & _ONE != _ZERO


@_inline
def set_bit(sets, a, b, i):
    sets[a, b, i >> 6] |= _ONE << np.uint64(i & 63)


@_inline
def elimination(up, vp, bound, e, u, v, rounding):
    """Factors of the new column ``alpha column_u - beta column_v``, zero in the pivot row; alpha > 0.

    up, vp : entries of the pivot row in the columns u (changed) and v (eliminator)
    bound : (.., 2, d) absolute errors and magnitudes, at e; rounding : units of the arithmetic
    Returns alpha, beta, the larger of |alpha|, |beta| being 1, and the error of the new column up
    to a positive factor (for which this larger one is exact). The error is infinite if the sign of alpha, on which the orientation
    of the column depends, is not proven.
    """
    a, b = abs(vp), abs(up)
    u_error, v_error = bound[e, 0, u], bound[e, 0, v]
    if a >= b:
        proven = a > 16.0 * v_error
        size = bound[e, 1, v] + v_error
    else:
        proven = a > 16.0 * v_error and b > 16.0 * u_error
        size = bound[e, 1, u] + u_error
    error = a * u_error + b * v_error + 1.07 * (u_error + v_error) * size
    error = 1.001 * (error + rounding * (a * bound[e, 1, u] + b * bound[e, 1, v]))
    if not proven:
        return 1.0, 0.0, np.inf
    inverse = 1.0 / max(a, b)
    return a * inverse, (up * inverse if vp > 0.0 else -up * inverse), error * inverse


@_inline
def measure(table_bits, bound_bits, e, c, lanes):
    """Magnitude of a column. Patterns of positive floats are ordered like them, and a maximum of
    integers vectorises (one of floats does not: they might be NaN)."""
    size = np.int64(0)
    for i in range(lanes):
        size = max(size, table_bits[e, c, i] & _MAGNITUDE)
    bound_bits[e, 1, c] = size


@_jit
def pivot(table, table_bits, bound, bound_bits, e, p, lanes, last):
    """Tableau of the node R + p of depth e + 1 from that of R; multipliers of rows < last only.

    Columns are eliminated pairwise, in the order of the flag: column c by the one of
    e..c-1 that is largest in row p.
    """
    d = table.shape[1]
    best = e
    for c in range(e + 1, d):
        up, vp = table[e, c, p], table[e, best, p]
        alpha, beta, error = elimination(up, vp, bound, e, c, best, 6.0 * _U64)
        for i in range(lanes):
            table[e + 1, c, i] = alpha * table[e, c, i] - beta * table[e, best, i]
        bound[e + 1, 0, c] = error
        measure(table_bits, bound_bits, e + 1, c, lanes)
        if abs(up) > abs(vp):
            best = c
    some = (last + 15) & ~15
    for q in range(e):
        alpha, beta, error = elimination(table[e, q, p], table[e, e, p], bound, e, q, e, 6.0 * _U64)
        for i in range(some):
            table[e + 1, q, i] = alpha * table[e, q, i] - beta * table[e, e, i]
        bound[e + 1, 0, q] = error
        measure(table_bits, bound_bits, e + 1, q, some)
    bound[e + 1, 0, e] = bound[e, 0, e]
    bound[e + 1, 1, e] = bound[e, 1, e]
    for i in range(some):
        table[e + 1, e, i] = table[e, e, i]


@_inline
def narrow_columns(table, bound, e, narrow, narrow_bound, lanes, last):
    """Single precision copy of the columns that the lines at and below this node need."""
    d = table.shape[1]
    for c in range(e, min(e + 3, d)):
        for i in range(lanes):
            narrow[c, i] = np.float32(table[e, c, i])
        narrow_bound[0, 1, c] = 1.001 * bound[e, 1, c]
        narrow_bound[0, 0, c] = 1.001 * (bound[e, 0, c] + _U32 * bound[e, 1, c]) + 1e-37
    if e == d - 3:
        some = (last + 15) & ~15
        for q in range(e):
            for i in range(some):
                narrow[q, i] = np.float32(table[e, q, i])
            narrow_bound[0, 1, q] = 1.001 * bound[e, 1, q]
            narrow_bound[0, 0, q] = 1.001 * (bound[e, 0, q] + _U32 * bound[e, 1, q]) + 1e-37


@_inline
def own_line(table, bound, e, narrow, narrow_bound, line, negative, unsafe, lanes, last, signs):
    """Line of the node whose tableau is there: slopes, constants, signs of multipliers.

    Returns the error bounds of slopes and of constants.
    """
    for i in range(lanes):
        line[0, i] = narrow[e, i]
        line[1, i] = narrow[e + 1, i]
    if signs:
        some = (last + 15) & ~15
        for i in range(some):
            unsafe[i] = _ZERO
        for q in range(e):
            error = bound[e, 0, q]
            for i in range(some):
                x = table[e, q, i]
                negative[q, i] = _ALL if x < 0.0 else _ZERO
                unsafe[i] |= _ZERO if abs(x) > error else _ONE
    return narrow_bound[0, 0, e], narrow_bound[0, 0, e + 1]


@_inline
def child_line(narrow, narrow_bound, p, line, negative, unsafe, lanes, signs):
    """Line of the child p of a node of depth d - 3, in single precision; see `own_line`."""
    d = narrow.shape[0]
    v, u = d - 3, d - 2
    vp, up = float(narrow[v, p]), float(narrow[u, p])
    alpha, beta, slope_error = elimination(up, vp, narrow_bound, 0, u, v, 3.2 * _U32)
    best = u if abs(up) > abs(vp) else v
    gamma, delta, constant_error = elimination(
        float(narrow[d - 1, p]), float(narrow[best, p]), narrow_bound, 0, d - 1, best, 3.2 * _U32
    )
    a, b = np.float32(alpha), np.float32(beta)
    g, h = np.float32(gamma), np.float32(delta)
    for i in range(lanes):
        line[0, i] = a * narrow[u, i] - b * narrow[v, i]
        line[1, i] = g * narrow[d - 1, i] - h * narrow[best, i]
    if signs:
        some = (p + 15) & ~15
        for i in range(some):
            unsafe[i] = _ZERO
            negative[v, i] = _ALL if narrow[v, i] < 0 else _ZERO
            unsafe[i] |= _ZERO if abs(narrow[v, i]) > narrow_bound[0, 0, v] else _ONE
        for q in range(v):
            alpha, beta, error = elimination(
                float(narrow[q, p]), vp, narrow_bound, 0, q, v, 3.2 * _U32
            )
            a, b, threshold = np.float32(alpha), np.float32(beta), np.float32(1.001 * error)
            for i in range(some):
                x = a * narrow[q, i] - b * narrow[v, i]
                negative[q, i] = _ALL if x < 0 else _ZERO
                unsafe[i] |= _ZERO if abs(x) > threshold else _ONE
    return slope_error, constant_error


@_inline
def place_points(line, slope_error, constant_error, orientation, low_high, key, negative, lanes):
    """Interval of each point in the coordinate s = c / (|a| + |c|), which increases with t = c / a.

    With errors A of a and C of c below a sixteenth of |a| and of |a| + |c|, that of s is below
    1.3 (C |a| + A |c|) / (|a| + |c|)^2, and four roundings. A point without these
    gets the interval that compares with nothing.
    """
    last = negative.shape[0] - 1
    error_a = np.float32(min(1.001 * slope_error, 1e30))
    error_c = np.float32(min(1.001 * constant_error, 1e30))
    for i in range(lanes):
        slope = line[0, i]
        constant = orientation * line[1, i]
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
        low_high[0, i] = low
        low_high[1, i] = high
        # truncation of a positive number: increasing in low and high, and it vectorises
        k = np.int32(low * _SCALE + _OFFSET) - np.int32(32768)
        h = np.int32(high * _SCALE + _OFFSET) - np.int32(32768)
        key[0, i] = np.int16(k) if certain else _WIDE_LOW
        key[1, i] = np.int16(h) if certain else _WIDE_HIGH
        key[2, i] = np.int16(-1) if slope < 0 else np.int16(0)
        negative[last, i] = _ALL if slope < 0 else _ZERO


@_inline
def widen(table, table_bits, bound, bound_bits, wide, chain, state, e):
    """Make sure that the float64 tableau and points of the current line are there."""
    if state[HAS_WIDE] == 0:
        d = table.shape[1]
        if e == d - 2 and e > 0:
            lanes = (state[ROWS] + 15) & ~15
            pivot(table, table_bits, bound, bound_bits, e - 1, chain[e - 1], lanes, chain[e - 1])
        wide_points(table, bound, e, 1.0 if e < d - 2 else -1.0, wide)
        state[HAS_WIDE] = 1


@_inline
def wide_points(table, bound, e, orientation, wide):
    """Float64 interval of t = c / a for each row; infinite where the slope is not certain."""
    slope_error, constant_error = bound[e, 0, e], bound[e, 0, e + 1]
    for i in range(wide.shape[1]):
        slope = table[e, e, i]
        inverse = 1.0 / slope
        t = orientation * table[e, e + 1, i] * inverse
        width = 1.1 * (constant_error + slope_error * abs(t)) * abs(inverse)
        width += 6.0 * _U64 * abs(t)
        certain = abs(slope) > 16.0 * slope_error
        wide[0, i] = t - width if certain else -np.inf
        wide[1, i] = t + width if certain else np.inf


# ------------------------------------------------------------------ exact decisions


@_jit
def matroid_pivot(matroid, fields, e, p, rows):
    """Residues of the rows modulo the span of R + p: one column less; False if a prime is bad."""
    m, _, d, _ = matroid.shape
    column = e
    while column < d:
        good = True
        for k in range(m):
            good = good and matroid[k, e, column, p] != _ZERO
        if good:
            break
        column += 1
    if column == d:
        return False
    for k in range(m):
        prime, inv = fields[k, 0], fields[k, 1]
        inverse = mont_inverse(matroid[k, e, column, p], prime, inv, fields[k, 2])
        target = e + 1
        for c in range(e, d):
            if c != column:
                factor = prime - mont_mul(matroid[k, e, c, p], inverse, prime, inv)
                for i in range(rows + 1):
                    x = mont_mul(matroid[k, e, column, i], factor, prime, inv)
                    x += matroid[k, e, c, i]
                    matroid[k, e + 1, target, i] = x - prime if x >= prime else x
                target += 1
    return True


@_inline
def matroid_table(matroid, fields, chain, state, e):
    """Bring the residues of the rows to depth e; DONE or the status that stops the kernel."""
    if matroid.shape[0] == 0:
        return NEEDS_EXACT
    while state[EXACT_DEPTH] < e:
        t = state[EXACT_DEPTH]
        if not matroid_pivot(matroid, fields, t, chain[t], state[ROWS]):
            return BAD_PRIME
        state[EXACT_DEPTH] = t + 1
    state[EXACT_COUNT] += 1
    return DONE


@_inline
def proportional(matroid, fields, e, i, j):
    """(status, whether rows i and j are proportional modulo the span of R)."""
    m, _, d, _ = matroid.shape
    reference = e
    while reference < d - 1 and matroid[0, e, reference, j] == _ZERO:
        reference += 1
    if matroid[0, e, reference, j] == _ZERO:
        return BAD_PRIME, False
    for k in range(m):
        prime, inv = fields[k, 0], fields[k, 1]
        x, y = matroid[k, e, reference, i], matroid[k, e, reference, j]
        for c in range(e, d):
            left = mont_mul(matroid[k, e, c, i], y, prime, inv)
            if c != reference and left != mont_mul(matroid[k, e, c, j], x, prime, inv):
                return DONE, False
    return DONE, True


@_inline
def minor2(matroid, fields, k, e, f, g, i, j):
    """Minor of the rows i, j and columns f, g modulo prime k."""
    prime, inv = fields[k, 0], fields[k, 1]
    value = mont_mul(matroid[k, e, f, i], matroid[k, e, g, j], prime, inv) + prime
    value -= mont_mul(matroid[k, e, g, i], matroid[k, e, f, j], prime, inv)
    return value - prime if value >= prime else value


@_inline
def spanned(matroid, fields, e, i, j, third):
    """(status, whether `third` lies in the span of R, i and j; i and j not proportional)."""
    m, _, d, _ = matroid.shape
    f, g = e, e + 1
    while f < d - 1 and minor2(matroid, fields, 0, e, f, g, i, j) == _ZERO:
        g += 1
        if g == d:
            f += 1
            g = f + 1
            if g == d:
                return BAD_PRIME, False
    for k in range(m):
        prime, inv = fields[k, 0], fields[k, 1]
        for c in range(e, d):
            if c != f and c != g:
                # the minor of the rows i, j, third, expanded along third
                value = mont_mul(
                    matroid[k, e, f, third], minor2(matroid, fields, k, e, g, c, i, j), prime, inv
                )
                value += mont_mul(
                    matroid[k, e, g, third], minor2(matroid, fields, k, e, c, f, i, j), prime, inv
                )
                value += mont_mul(
                    matroid[k, e, c, third], minor2(matroid, fields, k, e, f, g, i, j), prime, inv
                )
                if value % prime != _ZERO:
                    return DONE, False
    return DONE, True


@_jit
def minor_sign(flag, fields, square, digits, chain, state, size, last_column, i, j):
    """Sign of a minor: the rows of R, i and j (if not -1); columns 0.. and `last_column`.

    size : its order; i or j replaces the last rows of R if there are more than size
    Its product with the residue of the row at infinity is a minor of the integer matrix,
    so the number of primes suffices for it.
    """
    extra = 1 if j < 0 else 2
    for k in range(flag.shape[0]):
        for t in range(size):
            row = chain[t] if t < size - extra else (i if t == size - extra else j)
            for c in range(size):
                square[t, c] = flag[k, c if c < size - 1 else last_column, row]
        value = mont_determinant(square, size, fields[k, 0], fields[k, 1], fields[k, 2])
        factor = fields[k, fields.shape[1] - 1]
        digits[k] = mont_mul(value, factor, fields[k, 0], fields[k, 1])
    state[EXACT_COUNT] += 1
    return state[ROOT_SIGN] * crt_sign(digits, fields)


@_inline
def pivots_sign(masks, chain, e, skip):
    """Sign of the product of the pivots of R, that of depth `skip` left out."""
    sign = 1
    for t in range(e):
        if t != skip and bit(masks, t, NEGATIVE, chain[t]):
            sign = -sign
    return sign


@_jit
def multiplier_sign(flag, fields, square, digits, chain, masks, state, e, q, j):
    """Sign of the multiplier of the q-th element of R in row j: by Cramer's rule, that of R with
    this element replaced by j."""
    kept = chain[q]
    last = chain[e - 1]
    chain[q] = last
    sign = minor_sign(flag, fields, square, digits, chain, state, e, e - 1, j, -1)
    chain[q] = kept
    # the rows are R with q replaced by the last row, and j in the last place: one exchange
    return (sign if q == e - 1 else -sign) * pivots_sign(masks, chain, e, q)


@_inline
def compare_exactly(
    table, bound, matroid, matroid_fields, flag, flag_fields, square, digits, chain, masks, state, e, i, j
):  # fmt: skip
    """(status, sign of t_i - t_j) in exact arithmetic, for points known to be different."""
    d = table.shape[1]
    slopes = pivots_sign(masks, chain, e, -1)
    if bit(masks, e, NEGATIVE, i) != bit(masks, e, NEGATIVE, j):
        slopes = -slopes
    if e < d - 2:
        status, parallel = spanned(matroid, matroid_fields, e, i, j, state[ROWS])
        if status != DONE:
            return status, 0
        if parallel:
            # they meet at infinity: equal to leading order, the next order decides
            sign = compare_second(table, bound, e, i, j)
            if sign == 0:
                sign = slopes * minor_sign(
                    flag, flag_fields, square, digits, chain, state, e + 2, d - 1, i, j
                )
        else:
            sign = -slopes * minor_sign(
                flag, flag_fields, square, digits, chain, state, e + 2, e + 1, i, j
            )
    else:
        sign = slopes * minor_sign(
            flag, flag_fields, square, digits, chain, state, e + 2, d - 1, i, j
        )
    return (DONE if sign != 0 else NOT_GENERIC), sign


@_inline
def compare_second(table, bound, e, i, j):
    """Sign of the difference of -x / slope in the last column by float64; 0 if not certain."""
    d = table.shape[1]
    error, c_error = bound[e, 0, e], bound[e, 0, d - 1]
    a, b = table[e, e, i], table[e, e, j]
    if not (abs(a) > 16.0 * error and abs(b) > 16.0 * error):
        return 0
    s, t = -table[e, d - 1, i] / a, -table[e, d - 1, j] / b
    width = 1.1 * ((c_error + error * abs(s)) / abs(a) + (c_error + error * abs(t)) / abs(b))
    width += 6.0 * _U64 * (abs(s) + abs(t))
    if s - t > width:
        return 1
    return -1 if t - s > width else 0


@_inline
def settle_slope(
    table, table_bits, bound, bound_bits, wide, matroid, matroid_fields, flag, flag_fields, square, digits, chain, masks, state, e, i,
    negative,
):  # fmt: skip
    """Decide the sign of the slope of row i, or that its sign is constant on the line."""
    widen(table, table_bits, bound, bound_bits, wide, chain, state, e)
    slope = table[e, e, i]
    if abs(slope) > bound[e, 0, e]:
        sign = 1 if slope > 0.0 else -1
    else:
        status = matroid_table(matroid, matroid_fields, chain, state, e)
        if status != DONE:
            return status
        status, constant = proportional(matroid, matroid_fields, e, i, state[ROWS])
        if status != DONE:
            return status
        if constant:
            d = table.shape[1]
            value = table[e, d - 1, i]
            positive = value > 0.0
            if not abs(value) > bound[e, 0, d - 1]:
                sign = minor_sign(
                    flag, flag_fields, square, digits, chain, state, e + 1, d - 1, i, -1
                )
                positive = sign * pivots_sign(masks, chain, e, -1) > 0
            set_bit(masks, e, DEAD_ROWS, i)
            if positive:
                set_bit(masks, e, FIXED, i)
            return DONE
        sign = minor_sign(flag, flag_fields, square, digits, chain, state, e + 1, e, i, -1)
        sign *= pivots_sign(masks, chain, e, -1)
        if sign == 0:
            return NOT_GENERIC
    negative[negative.shape[0] - 1, i] = _ALL if sign < 0 else _ZERO
    if sign < 0:
        set_bit(masks, e, NEGATIVE, i)
    return DONE


# ------------------------------------------------------------------ one line


@_inline
def settle_line(
    table, table_bits, bound, bound_bits, wide, matroid, matroid_fields, flag, flag_fields, square, digits, chain, masks, state, e, key, low_high,
    negative,
):  # fmt: skip
    """Negative slopes as bits, dead rows out of the way, uncertain slopes decided."""
    words = masks.shape[2]
    zero16 = np.int16(0)
    for i in range(state[ROWS], min((state[ROWS] + 15) & ~15, key.shape[1])):
        key[0, i] = _DEAD
        key[1, i] = _DEAD
    for w in range(words):
        rest = masks[e, DEAD_ROWS, w]
        while rest != _ZERO:
            i = w * 64 + trailing_zeros(rest)
            rest &= rest - _ONE
            key[0, i] = _DEAD
            key[1, i] = _DEAD
    for w in range(words):
        unsure = mask_less_equal(key, 0, w * 64, _WIDE_LOW)
        below = mask_less(key, 2, w * 64, zero16)
        masks[e, NEGATIVE, w] = below & ~masks[e, DEAD_ROWS, w] & ~unsure
        while unsure != _ZERO:
            i = w * 64 + trailing_zeros(unsure)
            unsure &= unsure - _ONE
            low_high[0, i] = -np.inf
            low_high[1, i] = np.inf
            status = settle_slope(
                table, table_bits, bound, bound_bits, wide, matroid, matroid_fields, flag, flag_fields, square, digits, chain, masks,
                state, e, i, negative,
            )  # fmt: skip
            if status != DONE:
                return status
            if bit(masks, e, DEAD_ROWS, i):
                key[0, i] = _DEAD
                key[1, i] = _DEAD
    return DONE


@_inline
def fill_flips(masks, e, negative, flip, last):
    """Signs of R and of the dead rows in the chamber of each child, as words to be xor-ed."""
    some = (last + 15) & ~15
    slope = negative.shape[0] - 1
    for w in range(masks.shape[2]):
        base = masks[e, FIXED, w]
        for q in range(e):
            base |= masks[q, GROUP, w] & masks[q, NEGATIVE, w]
        for i in range(some):
            flip[w, i] = base
        for q in range(e):
            group = masks[q, GROUP, w]
            if group != _ZERO:
                for i in range(some):
                    flip[w, i] ^= group & (negative[q, i] ^ negative[slope, i])


@_inline
def settle_child(
    table, table_bits, bound, bound_bits, low_high, key, wide, negative, unsafe, masks, ties, parallel,
    matroid, matroid_fields, flag, flag_fields, square, digits, chain, state, e, j, out, position, signs,
):  # fmt: skip
    """Decide what the 16-bit keys left open about child j.

    Every row tied with j is marked as taken, so that j is the smallest index of its tie.
    out[position] is the chamber of j, in which rows found above t_j are corrected
    """
    words = masks.shape[2]
    d = table.shape[1]
    last_level = e == d - 2
    tied = False
    for w in range(words):
        open_bits = mask_less_equal(key, 0, w * 64, key[1, j])
        open_bits &= ~mask_less(key, 1, w * 64, key[0, j])
        while open_bits != _ZERO:
            i = w * 64 + trailing_zeros(open_bits)
            open_bits &= open_bits - _ONE
            if i == j or low_high[1, i] < low_high[0, j]:
                continue
            above = low_high[0, i] > low_high[1, j]
            if not above:
                sign = 0
                if parallel[i] != parallel[j]:
                    widen(table, table_bits, bound, bound_bits, wide, chain, state, e)
                    if wide[1, i] < wide[0, j]:
                        sign = -1
                    elif wide[0, i] > wide[1, j]:
                        sign = 1
                    else:
                        status = matroid_table(matroid, matroid_fields, chain, state, e)
                        if status != DONE:
                            return status
                        status, equal = proportional(matroid, matroid_fields, e, i, j)
                        if status == DONE and not equal:
                            status, sign = compare_exactly(
                                table, bound, matroid, matroid_fields, flag, flag_fields, square, digits, chain,
                                masks, state, e, i, j,
                            )  # fmt: skip
                        if status != DONE:
                            return status
                if sign == 0:
                    set_bit(masks, e, TAKEN, i)
                    if not last_level:
                        if not tied:
                            for v in range(words):
                                ties[e, j, v] = _ZERO
                            set_bit(ties, e, j, j)
                            set_bit(masks, e, TIED, j)
                            tied = True
                        set_bit(ties, e, j, i)
                above = sign > 0
            if above:
                out[position, w] ^= _ONE << np.uint64(i & 63)
    if signs and unsafe[j] != _ZERO:
        widen(table, table_bits, bound, bound_bits, wide, chain, state, e)
        for q in range(e):
            x = table[e, q, j]
            if abs(x) > bound[e, 0, q]:
                sign = 1 if x > 0.0 else -1
            else:
                if flag.shape[0] == 0:
                    return NEEDS_EXACT
                sign = multiplier_sign(
                    flag, flag_fields, square, digits, chain, masks, state, e, q, j
                )
            if sign == 0:
                return NOT_GENERIC
            if (sign < 0) != (negative[q, j] != _ZERO):
                for w in range(words):
                    out[position, w] ^= masks[q, GROUP, w]
    return DONE


@_inline
def emit_line(
    table, table_bits, bound, bound_bits, low_high, key, wide, negative, unsafe, masks, ties, flip, parallel,
    matroid, matroid_fields, flag, flag_fields, square, digits, chain, state, e, last, out, count,
):  # fmt: skip
    """Write the chamber of every child below `last`; (status, new count)."""
    d = table.shape[1]
    words = masks.shape[2]
    signs = state[STORE] != 0
    for w in range(words):
        masks[e, CHILDREN, w] = _ZERO
        masks[e, TIED, w] = _ZERO
        masks[e, TAKEN, w] = _ZERO
    if signs:
        fill_flips(masks, e, negative, flip, last)
    for j in range(last):
        low, high = key[0, j], key[1, j]
        if low == _DEAD or bit(masks, e, TAKEN, j):
            continue
        position = count if signs else 0
        word = j >> 6
        open_bits = _ZERO
        for w in range(words):
            not_above = mask_less_equal(key, 0, w * 64, high)
            undecided = not_above & ~mask_less(key, 1, w * 64, low)
            if w == word:
                undecided ^= _ONE << np.uint64(j & 63)
            open_bits |= undecided
            if signs:
                out[position, w] = not_above ^ masks[e, NEGATIVE, w] ^ flip[w, j]
        if open_bits != _ZERO or (signs and unsafe[j] != _ZERO):
            status = settle_child(
                table, table_bits, bound, bound_bits, low_high, key, wide, negative, unsafe, masks, ties, parallel,
                matroid, matroid_fields, flag, flag_fields, square, digits, chain, state, e, j, out, position, signs,
            )  # fmt: skip
            if status != DONE:
                return status, count
        masks[e, CHILDREN, word] |= _ONE << np.uint64(j & 63)
        count += 1
    return DONE, count


@_inline
def choose(masks, ties, chain, state, e, j):
    """Make j the next element of R: its ties are dead from depth e + 1 on."""
    chain[e] = j
    state[EXACT_DEPTH] = min(state[EXACT_DEPTH], e)
    tied = bit(masks, e, TIED, j)
    for w in range(masks.shape[2]):
        masks[e, GROUP, w] = ties[e, j, w] if tied else _ZERO
    set_bit(masks, e, GROUP, j)
    for w in range(masks.shape[2]):
        masks[e + 1, DEAD_ROWS, w] = masks[e, DEAD_ROWS, w] | masks[e, GROUP, w]
        masks[e + 1, FIXED, w] = masks[e, FIXED, w]


@_inline
def mark_parallel(masks, ties, parallel, rows):
    """Ties on the first line are parallel hyperplanes: no later line need ask about them."""
    for j in range(rows):
        if bit(masks, 0, TIED, j):
            for i in range(j, rows):
                if bit(ties, 0, j, i):
                    parallel[i] = j


@_inline
def line_of_node(
    table, table_bits, bound, bound_bits, narrow, narrow_bound, line, low_high, key, wide, negative, unsafe, masks, ties,
    flip, parallel, matroid, matroid_fields, flag, flag_fields, square, digits, chain, state, e, leaf, out, count,
):  # fmt: skip
    """The line of the current node of depth e (`leaf`: given by its parent's columns)."""
    d = table.shape[1]
    rows = state[ROWS]
    lanes = (rows + 15) & ~15
    last = chain[e - 1] if e > 0 else rows
    signs = state[STORE] != 0
    if leaf:
        slope_error, constant_error = child_line(
            narrow, narrow_bound, last, line, negative, unsafe, lanes, signs
        )
    else:
        narrow_columns(table, bound, e, narrow, narrow_bound, lanes, last)
        slope_error, constant_error = own_line(
            table, bound, e, narrow, narrow_bound, line, negative, unsafe, lanes, last, signs
        )
    orientation = np.float32(1.0) if e < d - 2 else np.float32(-1.0)
    place_points(line, slope_error, constant_error, orientation, low_high, key, negative, lanes)
    state[HAS_WIDE] = 0
    status = settle_line(
        table, table_bits, bound, bound_bits, wide, matroid, matroid_fields, flag, flag_fields, square, digits, chain, masks, state, e, key, low_high,
        negative,
    )  # fmt: skip
    if status != DONE:
        return status, count
    if e == 0 and state[FIRST] < 0:
        # the far end of the first line: the one chamber that meets the point of the flag
        if signs:
            for w in range(masks.shape[2]):
                out[count, w] = masks[0, NEGATIVE, w] | masks[0, FIXED, w]
        count += 1
    return emit_line(
        table, table_bits, bound, bound_bits, low_high, key, wide, negative, unsafe, masks, ties, flip, parallel,
        matroid, matroid_fields, flag, flag_fields, square, digits, chain, state, e, last, out, count,
    )  # fmt: skip


@njit(cache=True, error_model="numpy", nogil=True, _nrt=False)
def advance(
    table, table_bits, bound, bound_bits, narrow, narrow_bound, line, low_high, key, wide, negative, unsafe, masks, ties,
    flip, parallel, matroid, matroid_fields, flag, flag_fields, square, digits, chain, cursor, state, budget, out, count,
):  # fmt: skip
    """Go on with the sweep until it is done, `out` may be full, or `budget` lines are spent.

    Returns (status, count). The chambers are rows ``[old count, count)`` of out; with
    ``state[STORE] == 0`` they are only counted and `out` needs one row. The state is always that
    between two lines, so the call can be repeated, with `exact` built if that was asked for.
    """
    d = table.shape[1]
    while True:
        e = state[DEPTH]
        leaf = e == d - 2 and e > 0
        if state[ENTERED] == 0:
            last = chain[e - 1] if e > 0 else state[ROWS]
            if state[STORE] != 0 and count + last + 1 > out.shape[0]:
                return FULL, count
            if budget <= 0:
                return PAUSED, count
            budget -= 1
            if e == 0:
                for w in range(masks.shape[2]):
                    masks[0, DEAD_ROWS, w] = masks[d - 1, DEAD_ROWS, w]
                    masks[0, FIXED, w] = masks[d - 1, FIXED, w]
            status, total = line_of_node(
                table, table_bits, bound, bound_bits, narrow, narrow_bound, line, low_high, key, wide, negative, unsafe,
                masks, ties, flip, parallel, matroid, matroid_fields, flag, flag_fields, square, digits, chain, state, e, leaf, out,
                count,
            )  # fmt: skip
            if status != DONE:
                if e > 0:
                    choose(masks, ties, chain, state, e - 1, chain[e - 1])
                return status, count
            if e == 0:
                mark_parallel(masks, ties, parallel, state[ROWS])
            if e > 0 or state[FIRST] < 0:
                count = total
            state[ENTERED] = 1
            cursor[e] = 0 if e > 0 else max(state[FIRST], 0)
        stop = state[ROWS] if e > 0 else min(state[STOP], state[ROWS])
        j = cursor[e]
        while j < stop and not bit(masks, e, CHILDREN, j):
            j += 1
        if leaf or d == 2 or j >= stop:
            if e == 0:
                return DONE, count
            state[DEPTH] = e - 1
            continue
        cursor[e] = j + 1
        choose(masks, ties, chain, state, e, j)
        if e < d - 3:
            pivot(table, table_bits, bound, bound_bits, e, j, (state[ROWS] + 15) & ~15, j)
        state[DEPTH] = e + 1
        state[ENTERED] = 0
