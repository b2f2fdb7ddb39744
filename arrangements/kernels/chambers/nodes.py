"""From node to node: which comes next, its sets of rows, its tableau."""

import numpy as np

from arrangements.kernels.chambers.tableau import (
    child_coefficients,
    narrow_columns,
    own_coefficients,
    pivot,
)
from arrangements.kernels.chambers.workspace import (
    CHILDREN,
    DEPTH,
    ENOUGH,
    EXACT_DEPTH,
    FIXED,
    GROUP,
    MINOR_DEPTH,
    NEGATIVE,
    NO_POINTS,
    ROWS,
    SPENT,
    STAGE,
    STORE,
    TIED,
    WORK,
    bit,
)
from arrangements.kernels.compilation import inlined, outlined
from arrangements.kernels.llvm.vectors import trailing_zeros

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# The last depths whose nodes have no columns: leaves; of sections of polytopes polygons, too.
LEAVES, LEAVES_AND_POLYGONS = 2, 3


@inlined
def extend(chain, state, e, j):
    """Make j the next element of R."""
    chain[e] = j
    state[EXACT_DEPTH] = min(state[EXACT_DEPTH], e)
    state[MINOR_DEPTH] = min(state[MINOR_DEPTH], e)


@inlined
def close(masks, ties, e, j, w, itself, tied):
    """Put rows tied with j, in word w, into the closure from depth e + 1 on."""
    group = ties[e, j, w] if tied else itself
    masks[e, GROUP, w] = group
    masks[e + 1, NO_POINTS, w] = masks[e, NO_POINTS, w] | group
    masks[e + 1, FIXED, w] = masks[e, FIXED, w] | (group & masks[e, NEGATIVE, w])


def _choose(masks, ties, chain, state, e, j):
    """Make j the next element of R, and put the rows tied with it into the closure."""
    extend(chain, state, e, j)
    tied = bit(masks, e, TIED, j)
    word = j >> 6
    for w in range(masks.shape[2]):
        itself = _ONE << np.uint64(j & 63) if w == word else _ZERO
        close(masks, ties, e, j, w, itself, tied)


choose = outlined(_choose)
choose_inlined = inlined(_choose)


@inlined
def first_point(masks, e):
    """The least row with a point on the line; below it a child has no children."""
    for w in range(masks.shape[2]):
        points = ~masks[e, NO_POINTS, w]
        if points != _ZERO:
            return w * 64 + trailing_zeros(points)
    return masks.shape[2] * 64


@inlined
def next_child(masks, e, j, stop):
    """The least child >= j of the node, or `stop` if there is none below that."""
    while j < stop:
        word = masks[e, CHILDREN, j >> 6] >> np.uint64(j & 63)
        if word != _ZERO:
            return min(j + trailing_zeros(word), stop)
        j = (j | 63) + 1
    return stop


@outlined
def mark_parallel(masks, ties, parallel, rows):
    """Ties on the first line are parallel hyperplanes: no later line need ask about them."""
    for j in range(rows):
        if bit(masks, 0, TIED, j):
            for i in range(j, rows):
                if bit(ties, 0, j, i):
                    parallel[i] = j


@inlined
def is_leaf(ws, e):
    """Whether nodes of depth e have no children."""
    return e == ws.table.shape[1] - 2 and e > 0


@inlined
def is_full(ws, last, out, count):
    """Whether no line is to be begun: there are enough chambers, or `out` has no room for all."""
    if count >= ws.state[ENOUGH]:
        return True
    return ws.state[STORE] != 0 and count + last + 1 > out.shape[0]


@inlined
def narrow_node(ws, e, lanes, last, signs):
    """Prepare the lines at and below a node with columns of its own, in single precision.

    Returns the lane of ``ws.coefficient`` with its own line.
    """
    narrow_columns(ws, e, lanes, last, signs)
    if e == ws.table.shape[1] - 3:
        child_coefficients(ws, last)
    return own_coefficients(ws, e)


@inlined
def end_line(ws, e):
    """The line of depth e is done; how many lines would have taken as long."""
    if e == 0:
        mark_parallel(ws.masks, ws.ties, ws.parallel, ws.state[ROWS])
    ws.state[STAGE] = 1
    ws.cursor[e] = max(first_point(ws.masks, e) + 1, ws.span[e, 0])
    ws.state[SPENT] = 1 + ws.state[WORK]
    ws.state[WORK] = 0
    return ws.state[SPENT]


@inlined
def give_up_line(ws, e):
    """Prepare to do the line of depth e again, from the data of its parent."""
    ws.state[WORK] = 0
    if e > 0:
        choose(ws.masks, ws.ties, ws.chain, ws.state, e - 1, ws.chain[e - 1])


@inlined
def make_columns(ws, e, j, lanes, signs):
    """Make the columns of the node with j.

    signs : whether signs of multipliers are asked for below; else these have no columns
    """
    last = j if signs else 0
    pivot(ws.table, ws.bound, ws.factors, ws.eliminator, ws.largest, e, j, lanes, last)


@inlined
def descend(ws, e, j, lanes, signs, late):
    """Make the node with j, which was chosen, the current one.

    late : at how many of the last depths nodes get no columns here
    """
    if e + 1 < ws.table.shape[1] - late:
        make_columns(ws, e, j, lanes, signs)
    ws.state[DEPTH] = e + 1
    ws.state[STAGE] = 0


@inlined
def go_on(ws, e, leaf, signs, late):
    """Go to the next child of the node of depth e, or back to its parent; whether there is any.

    signs, late : as for `make_columns` and `descend`
    """
    d = ws.table.shape[1]
    stop = min(ws.span[e, 1], ws.state[ROWS])
    j = stop if leaf or d == 2 else next_child(ws.masks, e, ws.cursor[e], stop)
    if j >= stop:
        ws.state[DEPTH] = max(e - 1, 0)
        return e > 0
    ws.cursor[e] = j + 1
    choose_inlined(ws.masks, ws.ties, ws.chain, ws.state, e, j)
    descend(ws, e, j, (ws.state[ROWS] + 15) & ~15, signs, late)
    return True
