"""The flag sweep that writes the value and the name of a chamber in place of its signs.

It goes from line to line as ``kernels.chambers.search`` does. It has an entry of its own, so that
who lists or counts chambers does not compile it.
"""

import numpy as np

from arrangements.kernels.chambers.child_signs import fill_flips
from arrangements.kernels.chambers.line_sums import (
    WALKER,
    begin_children,
    begin_sums,
    settle_by_singles,
    value_of_row,
    wants_any,
    word_sum,
)
from arrangements.kernels.chambers.line_walk import worth_walking
from arrangements.kernels.chambers.nodes import LEAVES
from arrangements.kernels.chambers.open_signs import is_unproven, settle_child
from arrangements.kernels.chambers.search import (
    compare_child,
    forget_children,
    place_line,
    sweep,
)
from arrangements.kernels.chambers.tableau import multipliers
from arrangements.kernels.chambers.workspace import (
    CHILDREN,
    COMMON,
    DONE,
    LATE_WALK,
    NAME,
    NEEDS_WALK,
    NO_POINTS,
    OWN,
    REACH,
    ROWS,
    SIGNS,
    TAKEN,
    TURNED,
    WANTED,
    rows_of_word,
)
from arrangements.kernels.compilation import entry, inlined, outlined
from arrangements.kernels.llvm.vectors import (
    mask_less,
    mask_less_equal,
    population,
    trailing_zeros,
)

_ZERO = np.uint64(0)
_walk = WALKER.call


@inlined
def sum_child(ws, sums, j):
    """How many rows keys leave open about child j; its value as far as they decide it."""
    low, high = ws.key[0, j], ws.key[1, j]
    open_rows, bits, value = 0, 0, np.int64(sums.offset[j])
    if sums.planes.shape[0] == 1:
        for w in range(ws.masks.shape[2]):
            not_above = mask_less_equal(ws.key, 0, w * 64, high)
            open_rows += population(not_above & ~mask_less(ws.key, 1, w * 64, low))
            bits += population((not_above ^ sums.sets[TURNED, w]) & sums.planes[0, w])
        return open_rows, value + bits * sums.weights[0]
    for w in range(ws.masks.shape[2]):
        not_above = mask_less_equal(ws.key, 0, w * 64, high)
        open_rows += population(not_above & ~mask_less(ws.key, 1, w * 64, low))
        value += word_sum(sums, w, not_above ^ sums.sets[TURNED, w])
    return open_rows, value


@inlined
def settle_sum(ws, sums, e, j, value):
    """(status, value of child j) where keys leave something open about it."""
    if not is_unproven(ws, j):
        decided, added = settle_by_singles(ws, sums, e, j)
        if decided:
            return DONE, value + added
    return settle_sum_exactly(ws, sums, e, j)


@outlined
def settle_sum_exactly(ws, sums, e, j):
    """(status, value of child j), by its row."""
    fill_flips(ws.masks, ws.multiplier, ws.flip, e, j & ~7)
    compare_child(ws.masks, ws.key, ws.flip, j, sums.sets, SIGNS, True)
    status = settle_child(ws, e, j, sums.sets, SIGNS)
    return status, value_of_row(sums)


@inlined
def sum_far_end(ws, sums, out, count):
    """The far end of the first line: the one chamber that meets the point of the flag."""
    value = sums.registers[COMMON]
    for w in range(ws.masks.shape[2]):
        value += word_sum(sums, w, sums.sets[TURNED, w])
    out[count, 0] = np.uint64(value)
    out[count, 1] = np.uint64(sums.registers[NAME]) | np.uint64(ws.state[ROWS])


@inlined
def sum_line(ws, sums, e, last, out, count):
    """Write the children below `last` that are in ``sums.sets[REACH]``; (status, new count)."""
    name = np.uint64(sums.registers[NAME])
    forget_children(ws.masks, e)
    if worth_walking(ws, e, sums.registers[WANTED]):
        if ws.late[LATE_WALK] == 0:
            return NEEDS_WALK, count
        count = _walk(ws.late[LATE_WALK], (ws, sums, e, last, out, count))
    begin_children(ws, sums, e, last)
    for word in range((last + 63) >> 6):
        children = ws.masks[e, CHILDREN, word]
        candidates = ~(ws.masks[e, NO_POINTS, word] | ws.masks[e, TAKEN, word] | children)
        candidates &= rows_of_word(word, last) & sums.sets[REACH, word]
        suspect = ws.multiplier[ws.multiplier.shape[0] - 1, word]
        while candidates != _ZERO:
            j = word * 64 + trailing_zeros(candidates)
            open_rows, value = sum_child(ws, sums, j)
            lowest = candidates & (_ZERO - candidates)
            candidates ^= lowest
            children |= lowest
            if (open_rows != 1) | (suspect & lowest != _ZERO):  # one branch, as in `emit_few`
                status, value = settle_sum(ws, sums, e, j, value)
                if status != DONE:
                    return status, count
                candidates &= ~ws.masks[e, TAKEN, word]
            out[count, 0], out[count, 1] = np.uint64(value), name | np.uint64(j)
            count += 1
        ws.masks[e, CHILDREN, word] = children
    return DONE, count


@inlined
def do_values(ws, sums, e, leaf, last, signs, out, count):
    """Place the line of the current node of depth e and write the values that matter on it.

    signs : True
    """
    status = place_line(ws, e, leaf, last, signs)
    if status != DONE:
        return status, count
    begin_sums(ws, sums, e)
    if not wants_any(ws, sums, e, leaf, last):
        return DONE, count
    multipliers(ws, e, ws.chain[e - 1] if leaf else 0, leaf, last)
    if e == 0 and ws.state[OWN] == 0:
        sum_far_end(ws, sums, out, count)
        count += 1
    return sum_line(ws, sums, e, last, out, count)


@entry
def advance(ws, sums, budget, out, count):
    """As ``kernels.chambers.search.advance``, with rows (value, name) of ``out``, see `Sums`.

    ``state[STORE]`` must not be 0. Chambers whose values do not matter may be left out. Rows of
    `out` from the new count on are overwritten too, with the lines that lead to a part.
    """
    return sweep(ws, sums, do_values, (True, LEAVES), budget, out, count)
