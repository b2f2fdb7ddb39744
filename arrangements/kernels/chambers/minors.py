"""Which rows meet at a point of a line, or at infinity, from small minors in float64.

Where no minor of the integer rows exceeds `MOST`, all of this is exact: products of two of them
and differences of such products are integers below 2**53, and the quotients are minors. A question
takes a few instructions; to residues (``kernels.chambers.exact_signs``) it is a call.
"""

import numpy as np

from arrangements.kernels.chambers.workspace import HAS_INFINITY, MINOR_DEPTH, ROWS
from arrangements.kernels.compilation import inlined, outlined
from arrangements.kernels.llvm.vectors import equal, load, splat, trailing_zeros

MOST = 2.0**26

_ZERO = np.uint64(0)


@inlined
def _eliminate(x, y, alpha, beta, before, out):
    for i in range(out.shape[0]):
        out[i] = (x[i] * alpha - y[i] * beta) / before


@inlined
def _modulo(minors, e, first, p, lanes, target):
    """Columns ``first..`` of depth e modulo row p, to depth `target` from column first + 1 on."""
    d, column = minors.shape[1], first
    while column < d - 1 and minors[e, column, p] == 0.0:
        column += 1
    alpha, before, new = minors[e, column, p], minors[e, 0, 0] if e > 0 else 1.0, first + 1
    for c in range(first, d):
        if c != column:
            x, y, out = minors[e, c, :lanes], minors[e, column, :lanes], minors[target, new, :lanes]
            _eliminate(x, y, alpha, minors[e, c, p], before, out)
            new += 1
    return alpha


@outlined
def follow_minors(ws, e):
    """Bring the minors of the rows to depth e, one element of R after the other (Bareiss).

    At depth t the columns t.. are, up to signs, the minors of R, a row and a column more.
    ``[t, 0, 0]``, which is none of them, is the pivot of the depth before.
    """
    while ws.state[MINOR_DEPTH] < e:
        t = ws.state[MINOR_DEPTH]
        pivot = _modulo(ws.minors, t, t, ws.chain[t], ws.state[ROWS] + 1, t + 1)
        ws.minors[t + 1, 0, 0] = pivot
        ws.state[MINOR_DEPTH] = t + 1


@outlined
def follow_to_infinity(ws, e):
    """Minors of the rows modulo R and the row at infinity, at the depth that no node has."""
    if ws.state[MINOR_DEPTH] < e:
        follow_minors(ws, e)
    rows = ws.state[ROWS]
    _modulo(ws.minors, e, e, rows, rows + 1, ws.minors.shape[0] - 1)
    ws.state[HAS_INFINITY] = 1


@inlined
def has_minors(ws):
    """Whether the minors are small, and there: not before anything has to be decided exactly."""
    return ws.minors.shape[0] > 0


@inlined
def meet_at_point(ws, e, j, word):
    """The rows of a word that are proportional to row j modulo the span of R, none of them in it.

    The answer may also contain others, and lanes behind the last row.
    """
    if ws.state[MINOR_DEPTH] < e:
        follow_minors(ws, e)
    minors, d, reference, found = ws.minors, ws.minors.shape[1], e, ~_ZERO
    while reference < d - 1 and minors[e, reference, j] == 0.0:
        reference += 1
    x = splat(minors[e, reference, j])
    for c in range(e, d):
        y, equals = splat(minors[e, c, j]), _ZERO
        for lane in range(0, 64, 8):
            i = 64 * word + lane
            left = load(minors, (e, c, i)) * x
            equals |= equal(left, load(minors, (e, reference, i)) * y) << np.uint64(lane)
        found &= equals
    return found


@inlined
def meet_at_infinity(ws, e, j, word, rows):
    """Those of some rows of a word that meet row j at infinity: with both of them, the row at
    infinity is in the span of R. They are points of the line.
    """
    if ws.state[HAS_INFINITY] == 0:
        follow_to_infinity(ws, e)
    minors, d, there, reference = ws.minors, ws.minors.shape[1], ws.minors.shape[0] - 1, e + 1
    while reference < d - 1 and minors[there, reference, j] == 0.0:
        reference += 1
    found, y = rows, minors[there, reference, j]
    while rows != _ZERO:
        lowest = rows & (_ZERO - rows)
        rows ^= lowest
        i = 64 * word + trailing_zeros(lowest)
        x = minors[there, reference, i]
        for c in range(e + 1, d):
            if minors[there, c, i] * y != minors[there, c, j] * x:
                found &= ~lowest
    return found
