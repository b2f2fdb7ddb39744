"""Lines of few rows, which have few children: no point is placed.

The signs of all rows at the point of a child are those of one combination of slopes and constants,
and these stay in registers. If single precision does not prove a sign, `search` does the
whole line again.
"""

import numpy as np

from arrangements.kernels.chambers import search
from arrangements.kernels.chambers.child_signs import sign_leaf, sign_own
from arrangements.kernels.chambers.nodes import LEAVES, close, descend, extend, is_full, narrow_node
from arrangements.kernels.chambers.workspace import (
    BALANCE,
    CHILDREN,
    DEPTH,
    ENOUGH,
    FIXED,
    GROUP,
    LATE_LINE,
    NEGATIVE,
    NO_POINTS,
    OWN,
    PAUSED,
    ROWS,
    SPENT,
    STAGE,
    STORE,
    TAKEN,
    TIED,
    rows_of_word,
)
from arrangements.kernels.compilation import entry, inlined
from arrangements.kernels.late import INT, PAIR, WORDS, Late
from arrangements.kernels.llvm.vectors import (
    less,
    less_in_two,
    load,
    magnitude,
    splat,
    store,
    trailing_zeros,
    with_sign_of,
)

MOST_ROWS = 32
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SIXTEEN = np.uint64(16)
_ALL_16_LANES = np.uint64(0xFFFF)
ADVANCE = Late(search.advance, PAIR, (INT, WORDS, INT))
_advance = ADVANCE.call


@inlined
def line_of_child(ws, p, i):
    """Slopes and constants of rows i..i+15 on the line of child p of a node of depth d - 3."""
    d = ws.narrow.shape[0]
    x, y, z = load(ws.narrow, (d - 2, i)), load(ws.narrow, (d - 3, i)), load(ws.narrow, (d - 1, i))
    a, b = splat(ws.coefficient[0, p]), splat(ws.coefficient[1, p])
    g, h = splat(ws.coefficient[2, p]), splat(ws.coefficient[3, p])
    return x * a - y * b, z * g - x * h - y * splat(ws.coefficient[4, p])


@inlined
def orient(ws, i, slope, constant, least):
    """Slopes and constants of the rows i..i+15, that of the slope made positive, each to be read
    alone; (rows of negative slope, rows whose slope is not certain).
    """
    store(ws.low_high, (0, i), magnitude(slope))
    store(ws.low_high, (1, i), with_sign_of(constant, slope))
    certain = less(splat(least), magnitude(slope))
    return less(slope, splat(np.float32(0.0))), certain ^ _ALL_16_LANES


@inlined
def orient_children(ws, last, line, least):
    """`orient` for the rows below `last`."""
    slope, constant, next_slope, next_constant = line
    negative, unsure = orient(ws, 0, slope, constant, least)
    if last > 16:
        more_negative, more_unsure = orient(ws, 16, next_slope, next_constant, least)
        negative |= more_negative << _SIXTEEN
        unsure |= more_unsure << _SIXTEEN
    return negative, unsure


@inlined
def emit_children(ws, line, margin, points, negative, children, signs, out, count):
    """Write the chambers of children; (rows on no proven side of some child, new count).

    line : slopes and constants of two times 16 rows
    margin : combinations of these that exceed it in size have a proved sign
    negative : rows of negative slope, at least of those below the last child; as in ``ws.flip``
    """
    slopes, constants, next_slopes, next_constants = line
    unproven = _ZERO
    most, least = splat(margin), splat(-margin)
    while children != _ZERO:
        j = np.uint64(trailing_zeros(children))
        itself = children & (_ZERO - children)
        children ^= itself
        slope, constant = splat(ws.low_high[0, j]), splat(ws.low_high[1, j])
        first = slopes * constant - constants * slope
        second = next_slopes * constant - next_constants * slope
        above = less_in_two(most, most, first, second)
        below = less_in_two(first, second, least, least)
        unproven |= points & ~(above | below | itself)
        if signs:
            not_above = (above ^ negative) & points | itself
            out[np.uint64(count), 0] = not_above ^ ws.flip[0, j]
        count += 1
    return unproven, count


@inlined
def emit_short(ws, e, last, out, count):
    """Write the chambers of the line of a node with columns of its own, of depth e.

    Returns (whether all are proved, new count); if they are not, nothing is done.
    """
    signs = ws.state[STORE] != 0 and e >= ws.state[OWN]
    slopes, constants = load(ws.narrow, (e, 0)), load(ws.narrow, (e + 1, 0))
    line = slopes, constants, load(ws.narrow, (e, 16)), load(ws.narrow, (e + 1, 16))
    lane = ws.coefficient.shape[1] - 16
    negative, unsure = orient_children(ws, last, line, ws.coefficient[6, lane])
    points = ~ws.masks[e, NO_POINTS, 0]
    children = points & rows_of_word(0, last)
    negative &= points
    ws.masks[e, NEGATIVE, 0] = negative
    if signs:
        unsure |= sign_own(ws, e, last)
    if unsure & children != _ZERO:
        return False, count
    margin = ws.coefficient[7, lane]
    unproven, total = emit_children(ws, line, margin, points, negative, children, signs, out, count)
    if unproven != _ZERO:
        return False, count
    ws.masks[e, CHILDREN, 0] = children
    ws.masks[e, TIED, 0] = ws.masks[e, TAKEN, 0] = _ZERO
    return True, total


@inlined
def emit_child_line(ws, e, p, signs, out, count):
    """`emit_short` for the child p of a node of depth e = d - 3, by the columns of the node."""
    slope, constant = line_of_child(ws, p, 0)
    next_slope, next_constant = line_of_child(ws, p, 16)
    line = slope, constant, next_slope, next_constant
    negative, unsure = orient_children(ws, p, line, ws.coefficient[6, p])
    itself = _ONE << np.uint64(p)
    points = ~(ws.masks[e, NO_POINTS, 0] | itself)
    children = points & (itself - _ONE)
    negative &= points
    if signs:
        # as if p were chosen
        ws.masks[e, GROUP, 0] = itself
        ws.masks[e + 1, FIXED, 0] = ws.masks[e, FIXED, 0] | (itself & ws.masks[e, NEGATIVE, 0])
        ws.masks[e + 1, NEGATIVE, 0] = negative
        sign_leaf(ws, e + 1, p, p)
        unsure |= ws.multiplier[ws.multiplier.shape[0] - 1, 0]
    margin = ws.coefficient[7, p]
    unproven, total = emit_children(ws, line, margin, points, negative, children, signs, out, count)
    return (unsure & children) | unproven == _ZERO, total


@inlined
def emit_plane(ws, e, out, count):
    """Write the chambers of the lines of children of a node of depth e = d - 3, from its cursor on.

    It stops before a child whose line it cannot answer for. Returns (lines, new count).
    """
    signs = ws.state[STORE] != 0
    lines = 0
    children = ws.masks[e, CHILDREN, 0] & rows_of_word(0, min(ws.span[e, 1], ws.state[ROWS]))
    children &= ~rows_of_word(0, ws.cursor[e])
    tied = ws.masks[e, TIED, 0]
    while children != _ZERO:
        lowest = children & (_ZERO - children)
        children ^= lowest
        p = trailing_zeros(lowest)
        ws.cursor[e] = p
        full = count >= ws.state[ENOUGH] or (signs and count + p + 1 > out.shape[0])
        if full or tied & lowest != _ZERO:
            return lines, count
        proved, total = emit_child_line(ws, e, p, signs, out, count)
        if not proved:
            ws.state[BALANCE] -= 2
            return lines, count
        count = total
        lines += 1
        ws.cursor[e] = p + 1
    return lines, count


@inlined
def go_on_short(ws, e):
    """`go_on` where a set of rows is one word."""
    d = ws.table.shape[1]
    stop = min(ws.span[e, 1], ws.state[ROWS])
    children = ws.masks[e, CHILDREN, 0] & rows_of_word(0, stop) & ~rows_of_word(0, ws.cursor[e])
    if e == d - 2 or children == _ZERO:
        ws.state[DEPTH] = max(e - 1, 0)
        return e > 0
    j = trailing_zeros(children)
    itself = children & (_ZERO - children)
    ws.cursor[e] = j + 1
    extend(ws.chain, ws.state, e, j)
    close(ws.masks, ws.ties, e, j, 0, itself, ws.masks[e, TIED, 0] & itself != _ZERO)
    descend(ws, e, j, MOST_ROWS, ws.state[STORE] != 0, LEAVES)
    return True


@inlined
def advance_short(ws, budget, out, count):
    """Go on up to a line that is not for this module; (rest of `budget`, new count)."""
    d = ws.table.shape[1]
    while budget > 0:
        e = ws.state[DEPTH]
        if ws.state[STAGE] == 0:
            if e == 0 or e == d - 2:
                return budget, count
            last = ws.chain[e - 1]
            if is_full(ws, last, out, count):
                return budget, count
            narrow_node(ws, e, MOST_ROWS, last, ws.state[STORE] != 0)
            proved, total = emit_short(ws, e, last, out, count)
            if not proved:
                ws.state[BALANCE] -= 2
                return budget, count
            budget -= 1
            ws.state[BALANCE] += 1
            ws.state[STAGE] = 1
            ws.cursor[e] = max(trailing_zeros(~ws.masks[e, NO_POINTS, 0]) + 1, ws.span[e, 0])
            if e >= ws.state[OWN]:
                count = total
        if e == d - 3 and e >= ws.state[OWN] - 1:
            lines, count = emit_plane(ws, e, out, count)
            budget -= lines
            ws.state[BALANCE] += lines
        if not go_on_short(ws, e):
            return budget, count
    return budget, count


@entry
def advance(ws, budget, out, count):
    """``search.advance`` where rows are few; that does the lines that are not for this module.

    It counts failed lines, and gives up after too many of them.
    """
    while ws.state[BALANCE] > 0:
        budget, count = advance_short(ws, budget, out, count)
        if budget <= 0:
            return PAUSED, count
        status, count = _advance(ws.late[LATE_LINE], (ws, 1, out, count))
        if status != PAUSED:
            return status, count
        budget -= ws.state[SPENT]
        if budget <= 0:
            return PAUSED, count
    return _advance(ws.late[LATE_LINE], (ws, budget, out, count))
