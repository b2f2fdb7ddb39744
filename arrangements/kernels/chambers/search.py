"""The flag sweep: every chamber from the no-broken-circuit set that it belongs to.

``docs/algorithms.md`` derives the method. On the line of a node R (see
``kernels.chambers.workspace``) the points below the last index of R that are the smallest index of
their tie are the children of the node, and each of them is one chamber.

Three filters decide ``t_i < t_j``, each for the cases that the one before leaves open: 16-bit keys
(64 comparisons an instruction), float32 intervals, float64 intervals. The rest is
decided in exact arithmetic (``kernels.chambers.exact_signs``).
"""

import numpy as np

from arrangements.kernels.chambers.child_signs import fill_flips, fill_flips_inlined, sign_leaf
from arrangements.kernels.chambers.line_walk import WALKER, worth_walking
from arrangements.kernels.chambers.nodes import (
    LEAVES,
    end_line,
    give_up_line,
    go_on,
    is_full,
    is_leaf,
    narrow_node,
)
from arrangements.kernels.chambers.open_signs import is_unproven, settle_child, settle_slopes
from arrangements.kernels.chambers.tableau import multipliers, place_points
from arrangements.kernels.chambers.workspace import (
    CHILDREN,
    DEPTH,
    DONE,
    FIXED,
    FULL,
    HAS_INFINITY,
    HAS_WIDE,
    LATE_WALK,
    NEEDS_WALK,
    NEGATIVE,
    NO_POINTS,
    OWN,
    PAUSED,
    ROWS,
    STAGE,
    STORE,
    TAKEN,
    TIED,
    rows_of_word,
)
from arrangements.kernels.compilation import entry, inlined, outlined
from arrangements.kernels.llvm.vectors import (
    half_mask_less,
    half_mask_less_equal,
    mask_less,
    mask_less_equal,
    population,
    trailing_zeros,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_walk = WALKER.call
# When `emit_apart` prepares the signs of children.
_NO_FLIPS, _FLIPS_AT_ONCE, _FLIPS_IN_EIGHTS = range(3)


@inlined
def compare_word(key, flip, w, j, low, high, out, position, signs):
    """Write word w of the chamber of child j as far as keys decide it; how many rows they leave
    open.
    """
    not_above = mask_less_equal(key, 0, w * 64, high)
    if signs:
        out[position, w] = not_above ^ flip[w, j]
    return population(not_above & ~mask_less(key, 1, w * 64, low))


@inlined
def compare_child(masks, key, flip, j, out, position, signs):
    """`compare_word` for all words; j itself is left open."""
    low, high = key[0, j], key[1, j]
    words, open_rows = masks.shape[2], 0
    if signs:
        for w in range(words):
            open_rows += compare_word(key, flip, w, j, low, high, out, position, True)
    else:
        for w in range(words):
            open_rows += compare_word(key, flip, w, j, low, high, out, position, False)
    return open_rows


@outlined
def emit_rest(ws, e, last, first, ready, out, count):
    """`emit_line` from child `first` on, whose keys leave something open.

    `ready` says whether the signs of children are prepared, in `flip`.
    """
    signs = ws.state[STORE] != 0
    for word in range(first >> 6, (last + 63) >> 6):
        children = ws.masks[e, CHILDREN, word]
        candidates = ~(ws.masks[e, NO_POINTS, word] | ws.masks[e, TAKEN, word] | children)
        candidates &= rows_of_word(word, last)
        if word == first >> 6:
            candidates &= ~_ZERO << np.uint64(first & 63)
        while candidates != _ZERO:
            j = word * 64 + trailing_zeros(candidates)
            lowest = candidates & (_ZERO - candidates)
            candidates ^= lowest
            children |= lowest
            position = count if signs else 0
            if signs and not ready:
                fill_flips(ws.masks, ws.multiplier, ws.flip, e, j & ~7)
            open_rows = compare_child(ws.masks, ws.key, ws.flip, j, out, position, signs)
            if open_rows != 1 or (signs and is_unproven(ws, j)):
                status = settle_child(ws, e, j, out, position)
                if status != DONE:
                    return status, count
                candidates &= ~ws.masks[e, TAKEN, word]
            count += 1
        ws.masks[e, CHILDREN, word] = children
    return DONE, count


@inlined
def emit_far_end(ws, out, count):
    """The far end of the first line: the one chamber that meets the point of the flag."""
    if ws.state[STORE] != 0:
        for w in range(ws.masks.shape[2]):
            out[count, w] = ws.masks[0, NEGATIVE, w] | ws.masks[0, FIXED, w]


@inlined
def emit_few(ws, e, last, clipped, out, count):
    """`emit_line` where a set of rows is one word."""
    signs, short = ws.state[STORE] != 0, ws.state[ROWS] <= 32
    children = candidates = ~ws.masks[e, NO_POINTS, 0] & rows_of_word(0, last)
    if clipped:
        candidates &= ~ws.masks[e, CHILDREN, 0]
        children |= ws.masks[e, CHILDREN, 0]
    suspect = _ZERO
    if signs:
        suspect = ws.multiplier[ws.multiplier.shape[0] - 1, 0]
    while candidates != _ZERO:
        j = np.uint64(trailing_zeros(candidates))
        low, high = ws.key[0, j], ws.key[1, j]
        if short:
            not_above = half_mask_less_equal(ws.key, 0, 0, high)
            below = half_mask_less(ws.key, 1, 0, low)
        else:
            not_above = mask_less_equal(ws.key, 0, 0, high)
            below = mask_less(ws.key, 1, 0, low)
        lowest = candidates & (_ZERO - candidates)
        # with two branches, or a store before them, some processors take twice as long for a child
        if (not_above & ~below ^ lowest) | (suspect & lowest) != _ZERO:
            ws.masks[e, CHILDREN, 0] = children ^ candidates
            return emit_rest(ws, e, last, np.int64(j), True, out, count)
        if signs:
            out[np.uint64(count), 0] = not_above ^ ws.flip[0, j]
        candidates ^= lowest
        count += 1
    ws.masks[e, CHILDREN, 0] = children
    return DONE, count


@inlined
def forget_children(masks, e):
    """Begin with the children of a line."""
    for w in range(masks.shape[2]):
        masks[e, CHILDREN, w] = _ZERO
        masks[e, TIED, w] = _ZERO
        masks[e, TAKEN, w] = _ZERO


# outlined, and so are lines of one word faster: they keep more in registers
@outlined
def emit_apart(masks, key, flip, multiplier, e, last, flips, out, count):
    """`emit_line` up to the first child whose keys leave something open; (it or -1, new count).

    `flips` says whether signs are written at all, and if so when they are prepared: for all
    children at once, or in eights where few remain.
    """
    signs = flips != _NO_FLIPS
    if flips == _FLIPS_AT_ONCE:
        for i in range(0, last, 8):
            fill_flips_inlined(masks, multiplier, flip, e, i)
    for word in range((last + 63) >> 6):
        children = masks[e, CHILDREN, word]
        candidates = ~(masks[e, NO_POINTS, word] | children) & rows_of_word(word, last)
        suspect = multiplier[multiplier.shape[0] - 1, word] if signs else _ZERO
        while candidates != _ZERO:
            j = word * 64 + trailing_zeros(candidates)
            if flips == _FLIPS_IN_EIGHTS:
                fill_flips_inlined(masks, multiplier, flip, e, j & ~7)
            open_rows = compare_child(masks, key, flip, j, out, count if signs else 0, signs)
            lowest = candidates & (_ZERO - candidates)
            if (open_rows != 1) | (suspect & lowest != _ZERO):
                masks[e, CHILDREN, word] = children
                return j, count
            candidates ^= lowest
            children |= lowest
            count += 1
        masks[e, CHILDREN, word] = children
    return -1, count


@outlined
def emit_two(masks, key, flip, multiplier, e, last, signs, out, count):
    """`emit_apart` where a set of rows is two words, without a loop over these."""
    if signs:
        for i in range(0, last, 8):
            fill_flips_inlined(masks, multiplier, flip, e, i)
    for word in range((last + 63) >> 6):
        children = masks[e, CHILDREN, word]
        candidates = ~(masks[e, NO_POINTS, word] | children) & rows_of_word(word, last)
        children |= candidates
        suspect = multiplier[multiplier.shape[0] - 1, word] if signs else _ZERO
        in_first = ~_ZERO if word == 0 else _ZERO
        while candidates != _ZERO:
            j = np.uint64(word * 64 + trailing_zeros(candidates))
            low, high = key[0, j], key[1, j]
            lowest = candidates & (_ZERO - candidates)
            first, second = mask_less_equal(key, 0, 0, high), mask_less_equal(key, 0, 64, high)
            others = first & ~mask_less(key, 1, 0, low) ^ lowest & in_first
            others |= second & ~mask_less(key, 1, 64, low) ^ lowest & ~in_first
            if others | suspect & lowest != _ZERO:
                masks[e, CHILDREN, word] = children ^ candidates
                return np.int64(j), count
            if signs:
                out[np.uint64(count), 0] = first ^ flip[0, j]
                out[np.uint64(count), 1] = second ^ flip[1, j]
            candidates ^= lowest
            count += 1
        masks[e, CHILDREN, word] = children
    return -1, count


@inlined
def emit_line(ws, e, last, clipped, out, count):
    """Write the chamber of every child below `last`; (status, new count).

    clipped : whether ``masks[e, CHILDREN]`` are rows to leave out; the children join them
    """
    if not clipped:
        forget_children(ws.masks, e)
    if ws.masks.shape[2] == 1:
        return emit_few(ws, e, last, clipped, out, count)
    signs, walked = ws.state[STORE] != 0, not clipped and worth_walking(ws, e, last)
    if walked:
        if ws.late[LATE_WALK] == 0:
            return NEEDS_WALK, count
        count = _walk(ws.late[LATE_WALK], (ws, e, last, out, count))
    if ws.masks.shape[2] == 2:  # these lines are too short for a walk
        stopped, count = emit_two(
            ws.masks, ws.key, ws.flip, ws.multiplier, e, last, signs, out, count
        )
    else:
        flips = _NO_FLIPS
        if signs:
            flips = _FLIPS_IN_EIGHTS if walked else _FLIPS_AT_ONCE
        stopped, count = emit_apart(
            ws.masks, ws.key, ws.flip, ws.multiplier, e, last, flips, out, count
        )
    if stopped >= 0:
        return emit_rest(ws, e, last, stopped, not walked, out, count)
    return DONE, count


@inlined
def place_line(ws, e, leaf, last, signs):
    """Put the points of all rows on the line of the current node of depth e.

    That of a leaf is given by the columns of its parent.
    """
    d = ws.table.shape[1]
    p = ws.chain[e - 1] if leaf else 0
    lane, u, v, w = p, d - 2, d - 3, d - 1
    if e == 0:
        for word in range(ws.masks.shape[2]):
            ws.masks[0, NO_POINTS, word] = ws.masks[d - 1, NO_POINTS, word]
            ws.masks[0, FIXED, word] = ws.masks[d - 1, FIXED, word]
    if not leaf:
        lanes = (ws.state[ROWS] + 15) & ~15
        lane, u, v, w = narrow_node(ws, e, lanes, last, signs), e, e, e + 1
    ws.state[HAS_WIDE] = ws.state[HAS_INFINITY] = 0
    for word in range(ws.masks.shape[2]):
        points = ~ws.masks[e, NO_POINTS, word]
        negative, unsure = place_points(ws, u, v, w, lane, word, points)
        unsure &= points
        ws.masks[e, NEGATIVE, word] = negative & points & ~unsure
        if unsure != _ZERO:
            status = settle_slopes(ws, e, word, unsure)
            if status != DONE:
                return status
    return DONE


@inlined
def prepare_signs(ws, e, leaf, last):
    """Signs of multipliers for the children below `last`; of rows of one word also `flip`."""
    p = ws.chain[e - 1] if leaf else 0
    if leaf and ws.masks.shape[2] == 1:
        sign_leaf(ws, e, p, last)
        return
    multipliers(ws, e, p, leaf, last)
    if ws.masks.shape[2] == 1:
        for i in range(0, last, 8):
            fill_flips_inlined(ws.masks, ws.multiplier, ws.flip, e, i)


@inlined
def write_line(ws, state, e, leaf, last, signs, out, count):
    """Write the chambers of the line of the current node of depth e, once it is placed.

    state : ``ws.state``
    """
    if signs:
        prepare_signs(ws, e, leaf, last)
    if e == 0 and state[OWN] == 0:
        emit_far_end(ws, out, count)
        count += 1
    # a part must not write the chambers of the lines that lead to it: these rows may be those of
    # another thread
    store = state[STORE]
    if e < state[OWN]:
        state[STORE] = 0
    status, count = emit_line(ws, e, last, False, out, count)
    state[STORE] = store
    return status, count


@inlined
def do_line(ws, state, e, leaf, last, signs, out, count):
    """Place the line of the current node of depth e and write its chambers; (status, new count).

    state : ``ws.state``
    """
    status = place_line(ws, e, leaf, last, signs)
    if status != DONE:
        return status, count
    return write_line(ws, state, e, leaf, last, signs, out, count)


@inlined
def sweep(ws, space, do, options, budget, out, count):
    """Go on from line to line, as `advance` says; ``do(ws, space, ..)`` does a line.

    options : whether it needs the signs of multipliers; depths without columns, as for `descend`
    """
    signs, late = options
    while True:
        e = ws.state[DEPTH]
        leaf = is_leaf(ws, e)
        if ws.state[STAGE] == 0:
            last = ws.chain[e - 1] if e > 0 else ws.state[ROWS]
            if is_full(ws, last, out, count):
                return FULL, count
            status, total = do(ws, space, e, leaf, last, signs, out, count)
            if status != DONE:
                give_up_line(ws, e)
                return status, count
            budget -= end_line(ws, e)
            if e >= ws.state[OWN]:
                count = total
            if budget <= 0:
                return PAUSED, count
        if not go_on(ws, e, leaf, signs, late):
            return DONE, count


@entry
def advance(ws, budget, out, count):
    """Go on with the sweep until it is done, `out` may be full, or `budget` lines are spent.

    (Exact minors count as the number of lines that take as long.)

    Returns (status, count). The chambers are rows ``[old count, count)`` of out; with
    ``state[STORE] == 0`` they are only counted and `out` needs one row. The state is always that
    between two lines, so the call can be repeated, with `matroid` and `flag` built if that was
    asked for.
    """
    options = ws.state[STORE] != 0, LEAVES
    return sweep(ws, ws.state, do_line, options, budget, out, count)
