"""Exact side of the sweep: what floating point leaves open, from residues of integers.

Whether points coincide is a question about the matroid of the integer rows, put to a tableau of
residues that follows the path of the search (`matroid`). The sign of a quantity that is not
zero is that of a minor of the flag coordinates (`flag`).
"""

import numpy as np
from numba import types

from arrangements.kernels.chambers.tableau import compare_second
from arrangements.kernels.chambers.workspace import (
    BAD_PRIME,
    DONE,
    EXACT_COUNT,
    EXACT_DEPTH,
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
from arrangements.kernels.late import Late
from arrangements.kernels.modular.montgomery import (
    crt_sign,
    mont_determinant,
    mont_inverse,
    mont_mul,
    mont_product,
)

_ZERO = np.uint64(0)
# Questions to `answer`.
SLOPE, CONSTANT, MULTIPLIER, POINT = range(4)


@inlined
def _add_multiple(x, y, factor, prime, inv, out):
    """Residues ``x + factor y``."""
    for i in range(out.shape[0]):
        total = x[i] + mont_product(y[i], factor, prime, inv)
        out[i] = min(total, total - prime)


@kernel
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
                x, y = matroid[k, e, c, : rows + 1], matroid[k, e, column, : rows + 1]
                _add_multiple(x, y, factor, prime, inv, matroid[k, e + 1, target, : rows + 1])
                target += 1
    return True


@inlined
def matroid_table(ws, e):
    """Bring the residues of the rows to depth e; DONE or the status that stops the kernel."""
    if ws.matroid.shape[0] == 0:
        return NEEDS_EXACT
    while ws.state[EXACT_DEPTH] < e:
        t = ws.state[EXACT_DEPTH]
        if not matroid_pivot(ws.matroid, ws.matroid_fields, t, ws.chain[t], ws.state[ROWS]):
            return BAD_PRIME
        ws.state[EXACT_DEPTH] = t + 1
    ws.state[EXACT_COUNT] += 1
    return DONE


@inlined
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


@inlined
def minor2(matroid, fields, k, e, f, g, i, j):
    """Minor of the rows i, j and columns f, g modulo prime k."""
    prime, inv = fields[k, 0], fields[k, 1]
    value = mont_mul(matroid[k, e, f, i], matroid[k, e, g, j], prime, inv) + prime
    value -= mont_mul(matroid[k, e, g, i], matroid[k, e, f, j], prime, inv)
    return value - prime if value >= prime else value


@kernel
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


@outlined
def minor_sign(ws, size, last_column, i, j):
    """(status, sign) of a minor: rows of R, i and j (if not -1); columns 0.. and `last_column`.

    size : its order; i or j replaces the last rows of R if there are more than size
    No minor that is asked for vanishes, unless the flag is not generic. Its product with the
    residue of the row at infinity is a minor of the integer matrix, so the number of primes
    suffices for it.
    """
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


@outlined
def slope_sign(ws, e, i):
    """(status, sign of the slope of row i, 0 if it is parallel to the line)."""
    status = matroid_table(ws, e)
    if status != DONE:
        return status, 0
    status, constant = proportional(ws.matroid, ws.matroid_fields, e, i, ws.state[ROWS])
    if status != DONE or constant:
        return status, 0
    status, sign = minor_sign(ws, e + 1, e, i, -1)
    return status, sign * pivots_sign(ws.masks, ws.chain, e, -1)


@outlined
def constant_sign(ws, e, i):
    """(status, sign of row i, which is parallel to the line).

    Modulo the span of R it is a multiple of the row at infinity, and not zero, for a row in the
    span of R lies in NO_POINTS and is not asked about. So its last column is that multiple times
    the pivots of R, none of which is zero.
    """
    status, sign = minor_sign(ws, e + 1, ws.table.shape[1] - 1, i, -1)
    return status, sign * pivots_sign(ws.masks, ws.chain, e, -1)


@outlined
def multiplier_sign(ws, e, q, j):
    """(status, sign of the multiplier of the q-th element of R in row j).

    By Cramer's rule, that of R with this element replaced by j.
    """
    kept = ws.chain[q]
    last = ws.chain[e - 1]
    ws.chain[q] = last
    status, sign = minor_sign(ws, e, e - 1, j, -1)
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
        status, parallel = spanned(ws.matroid, ws.matroid_fields, e, i, j, ws.state[ROWS])
        if status != DONE:
            return status, 0
        if parallel:
            # they meet at infinity: equal to leading order, the next order decides
            sign = compare_second(ws, e, i, j)
            if sign != 0:
                return DONE, sign
        else:
            column, factor = e + 1, -factor
    status, sign = minor_sign(ws, e + 2, column, i, j)
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
def answer(ws, question, e, i, j):
    """(status, sign) of one of the questions above about the line of depth e."""
    if question == POINT:
        return point_sign(ws, e, i, j)
    if question == SLOPE:
        return slope_sign(ws, e, i)
    if question == CONSTANT:
        return constant_sign(ws, e, i)
    return multiplier_sign(ws, e, i, j)


ANSWER = Late(answer, types.UniTuple(types.int64, 2))
_call = ANSWER.call


@inlined
def ask(ws, question, e, i, j):
    """`answer`, or NEEDS_EXACT if it is not there yet."""
    if ws.late[LATE_ANSWER] == 0:
        return NEEDS_EXACT, 0
    return _call(ws.late[LATE_ANSWER], (ws, question, e, i, j))
