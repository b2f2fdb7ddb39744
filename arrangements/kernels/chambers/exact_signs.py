"""Exact side of the sweep: signs that floating point leaves open, from residues of integers.

Whether points coincide is a question about the matroid of the integer rows, put to a tableau of
residues that follows the path of the search (`matroid`). The sign of a quantity that is not
zero is that of a minor of the flag coordinates (`flag`).
"""

import numpy as np

from arrangements.kernels.chambers.float_minors import float_minor_sign
from arrangements.kernels.chambers.tableau import compare_second
from arrangements.kernels.chambers.workspace import (
    BAD_PRIME,
    DONE,
    EXACT_COUNT,
    EXACT_DEPTH,
    HAS_INFINITY,
    LATE_ANSWER,
    NEEDS_EXACT,
    NEEDS_SIGNS,
    NEGATIVE,
    NOT_GENERIC,
    ROOT_SIGN,
    ROWS,
    WORK,
    bit,
)
from arrangements.kernels.compilation import inlined, kernel, late_entry, outlined
from arrangements.kernels.late import INT, PAIR, Late
from arrangements.kernels.llvm.vectors import trailing_zeros
from arrangements.kernels.modular.montgomery import (
    crt_sign,
    mont_determinant,
    mont_mul,
    mont_product,
)

_ZERO = np.uint64(0)
# Questions to `answer`.
SLOPE, CONSTANT, MULTIPLIER, POINT, TIES, TIES_AT_INFINITY = range(6)


@inlined
def _combine(x, y, alpha, beta, prime, inv, out):
    """Residues ``alpha x + beta y``."""
    for i in range(out.shape[0]):
        total = mont_product(x[i], alpha, prime, inv) + mont_product(y[i], beta, prime, inv)
        out[i] = min(total, total - prime)


@kernel
def matroid_pivot(matroid, fields, e, first, p, rows, target):
    """Columns ``first..`` of the residues at depth e modulo row p, to depth `target` from column
    first + 1 on; False if a prime is bad.

    They are those up to a common factor, which is faster than to find its inverse.
    """
    m, _, d, _ = matroid.shape
    column = first
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
        alpha, new = matroid[k, e, column, p], first + 1
        for c in range(first, d):
            if c != column:
                x, y = matroid[k, e, c, : rows + 1], matroid[k, e, column, : rows + 1]
                beta, out = prime - matroid[k, e, c, p], matroid[k, target, new, : rows + 1]
                _combine(x, y, alpha, beta, prime, inv, out)
                new += 1
    return True


@inlined
def _follow(ws, t):
    """Residues of the rows modulo the span of R, one element more; False if a prime is bad."""
    p, rows = ws.chain[t], ws.state[ROWS]
    return matroid_pivot(ws.matroid, ws.matroid_fields, t, t, p, rows, t + 1)


@inlined
def matroid_table(ws, e):
    """Bring the residues of the rows to depth e; DONE or the status that stops the kernel."""
    if ws.matroid.shape[0] == 0:
        return NEEDS_EXACT
    while ws.state[EXACT_DEPTH] < e:
        t = ws.state[EXACT_DEPTH]
        if not _follow(ws, t):
            return BAD_PRIME
        ws.state[EXACT_DEPTH] = t + 1
    ws.state[EXACT_COUNT] += 1
    return DONE


@inlined
def _to_infinity(ws, e):
    """The table of depth e modulo the row at infinity, at the depth that no node has."""
    status = matroid_table(ws, e)
    if status == DONE and ws.state[HAS_INFINITY] == 0:
        rows, last = ws.state[ROWS], ws.matroid.shape[1] - 1
        if not matroid_pivot(ws.matroid, ws.matroid_fields, e, e, rows, rows, last):
            return BAD_PRIME
        ws.state[HAS_INFINITY] = 1
    return status


@inlined
def _column_of(matroid, e, first, j):
    """The first column of depth e, from `first` on, in which row j is not zero, or -1."""
    for c in range(first, matroid.shape[2]):
        if matroid[0, e, c, j] != _ZERO:
            return c
    return -1


@inlined
def _is_multiple(matroid, fields, e, first, column, i, j):
    """Whether row i is a multiple of row j, which is not zero in `column`, of columns first.."""
    for k in range(matroid.shape[0]):
        prime, inv = fields[k, 0], fields[k, 1]
        x, y = matroid[k, e, column, i], matroid[k, e, column, j]
        for c in range(first, matroid.shape[2]):
            left = mont_mul(matroid[k, e, c, i], y, prime, inv)
            if c != column and left != mont_mul(matroid[k, e, c, j], x, prime, inv):
                return False
    return True


@inlined
def proportional(matroid, fields, e, i, j):
    """(status, whether rows i and j are proportional modulo the span of R)."""
    column = _column_of(matroid, e, e, j)
    if column < 0:
        return BAD_PRIME, False
    return DONE, _is_multiple(matroid, fields, e, e, column, i, j)


@inlined
def minor2(matroid, fields, k, e, f, g, i, j):
    """Minor of the rows i, j and columns f, g modulo prime k."""
    prime, inv = fields[k, 0], fields[k, 1]
    value = mont_mul(matroid[k, e, f, i], matroid[k, e, g, j], prime, inv) + prime
    value -= mont_mul(matroid[k, e, g, i], matroid[k, e, f, j], prime, inv)
    return value - prime if value >= prime else value


@kernel
def is_spanned(matroid, fields, e, i, j, third):
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
                value = _ZERO
                for x, y, z in ((f, g, c), (g, c, f), (c, f, g)):
                    cofactor = minor2(matroid, fields, k, e, y, z, i, j)
                    value += mont_mul(matroid[k, e, x, third], cofactor, prime, inv)
                if value % prime != _ZERO:
                    return DONE, False
    return DONE, True


@outlined
def minor_sign(ws, lanes, size, last_column, i, j):
    """(status, sign) of a minor: rows of R, i and j (if not -1); columns 0.. and `last_column`.

    lanes : (d, .) float64, the columns of the root
    size : its order; i or j replaces the last rows of R if there are more than size
    No minor that is asked for vanishes, unless the flag is not generic. Its product with the
    residue of the row at infinity is a minor of the integer matrix, so the number of primes
    suffices for it.
    """
    sign = float_minor_sign(lanes, ws.bound[0], ws.entries, ws.chain, size, last_column, i, j)
    ws.state[WORK] += 1 + size * size * size // 128
    if sign != 0:
        return DONE, sign
    if ws.flag.shape[0] == 0:
        return NEEDS_SIGNS, 0
    extra = 1 if j < 0 else 2
    for k in range(ws.flag.shape[0]):
        for t in range(size):
            row = ws.chain[t] if t < size - extra else (i if t == size - extra else j)
            for c in range(size):
                ws.square[t, c] = ws.flag[k, c if c < size - 1 else last_column, row]
        value = mont_determinant(
            ws.square, size, ws.flag_fields[k, 0], ws.flag_fields[k, 1], ws.flag_fields[k, 2]
        )
        factor = ws.flag_fields[k, ws.flag_fields.shape[1] - 1]
        ws.digits[k] = mont_mul(value, factor, ws.flag_fields[k, 0], ws.flag_fields[k, 1])
    ws.state[EXACT_COUNT] += 1
    ws.state[WORK] += 1 + ws.flag.shape[0] * size * size * size // 64
    sign = ws.state[ROOT_SIGN] * crt_sign(ws.digits, ws.flag_fields)
    return (DONE if sign != 0 else NOT_GENERIC), sign


@inlined
def pivots_sign(masks, chain, e, skip):
    """Sign of the product of the pivots of R, that of depth `skip` left out."""
    sign = 1
    for t in range(e):
        if t != skip and bit(masks, t, NEGATIVE, chain[t]):
            sign = -sign
    return sign


@inlined
def tied_rows(ws, e, rows, w, j, at_infinity):
    """(status, those of some rows of word w that are proportional to row j modulo the span of R).

    Or modulo that and the row at infinity, where their points then meet. Rows that are
    proportional to that row, ``j = ws.state[ROWS]``, are constant.
    """
    depth, first = (ws.matroid.shape[1] - 1, e + 1) if at_infinity else (e, e)
    status = _to_infinity(ws, e) if at_infinity else matroid_table(ws, e)
    if status != DONE:
        return status, 0
    column = _column_of(ws.matroid, depth, first, j)
    if column < 0:
        return BAD_PRIME, 0
    tied = rows = np.uint64(rows)
    while rows != _ZERO:
        lowest = rows & (_ZERO - rows)
        rows ^= lowest
        i = w * 64 + trailing_zeros(lowest)
        if not _is_multiple(ws.matroid, ws.matroid_fields, depth, first, column, i, j):
            tied ^= lowest
    return DONE, np.int64(tied)


@outlined
def slope_sign(ws, e, i):
    """(status, sign of the slope of row i, 0 if it is parallel to the line)."""
    status = matroid_table(ws, e)
    if status != DONE:
        return status, 0
    status, constant = proportional(ws.matroid, ws.matroid_fields, e, i, ws.state[ROWS])
    if status != DONE or constant:
        return status, 0
    status, sign = minor_sign(ws, ws.table[0], e + 1, e, i, -1)
    return status, sign * pivots_sign(ws.masks, ws.chain, e, -1)


@outlined
def constant_sign(ws, e, i):
    """(status, sign of row i, which is parallel to the line).

    Modulo the span of R it is a multiple of the row at infinity, and not zero, for a row in the
    span of R lies in NO_POINTS and is not asked about. So its last column is that multiple times
    the pivots of R, none of which is zero.
    """
    status, sign = minor_sign(ws, ws.table[0], e + 1, ws.table.shape[1] - 1, i, -1)
    return status, sign * pivots_sign(ws.masks, ws.chain, e, -1)


@outlined
def multiplier_sign(ws, e, q, j):
    """(status, sign of the multiplier of the q-th element of R in row j).

    By Cramer's rule, that of R with this element replaced by j.
    """
    kept = ws.chain[q]
    last = ws.chain[e - 1]
    ws.chain[q] = last
    status, sign = minor_sign(ws, ws.table[0], e, e - 1, j, -1)
    ws.chain[q] = kept
    # the rows are R with q replaced by the last row, and j in the last place: one exchange
    return status, (sign if q == e - 1 else -sign) * pivots_sign(ws.masks, ws.chain, e, q)


@inlined
def compare_exactly(ws, e, i, j):
    """(status, sign of t_i - t_j) in exact arithmetic, for points known to be different."""
    d = ws.table.shape[1]
    column, factor = d - 1, pivots_sign(ws.masks, ws.chain, e, -1)
    if bit(ws.masks, e, NEGATIVE, i) != bit(ws.masks, e, NEGATIVE, j):
        factor = -factor
    if e < d - 2:
        status, parallel = is_spanned(ws.matroid, ws.matroid_fields, e, i, j, ws.state[ROWS])
        if status != DONE:
            return status, 0
        if parallel:
            # they meet at infinity: equal to leading order, the next order decides
            sign = compare_second(ws, e, i, j)
            if sign != 0:
                return DONE, sign
        else:
            column, factor = e + 1, -factor
    status, sign = minor_sign(ws, ws.table[0], e + 2, column, i, j)
    return status, factor * sign


@inlined
def point_sign(ws, e, i, j):
    """(status, sign of t_i - t_j)."""
    status = matroid_table(ws, e)
    if status != DONE:
        return status, 0
    status, equal = proportional(ws.matroid, ws.matroid_fields, e, i, j)
    if status != DONE or equal:
        return status, 0
    return compare_exactly(ws, e, i, j)


@late_entry
def answer(ws, question, e, i, j, rows):
    """(status, sign) of one of the questions above about the line of depth e.

    To `TIES` it is the set of those of the rows, of word i, that meet the line where j does; to
    `TIES_AT_INFINITY`, of those that meet j there.
    """
    if question == TIES:
        return tied_rows(ws, e, rows, i, j, False)
    if question == TIES_AT_INFINITY:
        return tied_rows(ws, e, rows, i, j, True)
    if question == POINT:
        return point_sign(ws, e, i, j)
    if question == SLOPE:
        return slope_sign(ws, e, i)
    if question == CONSTANT:
        return constant_sign(ws, e, i)
    return multiplier_sign(ws, e, i, j)


ANSWER = Late(answer, PAIR, (INT,) * 5)
_call = ANSWER.call


@inlined
def ask(ws, question, e, i, j):
    """`answer`, or NEEDS_EXACT if it is not there yet."""
    if ws.late[LATE_ANSWER] == 0:
        return NEEDS_EXACT, 0
    return _call(ws.late[LATE_ANSWER], (ws, question, e, i, j, 0))


@inlined
def ask_ties(ws, question, e, rows, w, j):
    """(status, those of some rows of word w that meet row j), or NEEDS_EXACT."""
    if ws.late[LATE_ANSWER] == 0:
        return NEEDS_EXACT, _ZERO
    status, tied = _call(ws.late[LATE_ANSWER], (ws, question, e, w, j, np.int64(rows)))
    return status, np.uint64(tied)
