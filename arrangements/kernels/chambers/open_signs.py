"""Decide signs that filters leave open on a line: slopes, ties, sides of points, multipliers."""

import numpy as np

from arrangements.kernels.chambers.exact_signs import (
    CONSTANT,
    MULTIPLIER,
    POINT,
    SLOPE,
    TIES,
    TIES_AT_INFINITY,
    ask,
    ask_ties,
)
from arrangements.kernels.chambers.minors import has_minors, meet_at_infinity, meet_at_point
from arrangements.kernels.chambers.tableau import (
    BEYOND,
    compare_second,
    place_by_tableau,
    place_row,
    widen,
)
from arrangements.kernels.chambers.workspace import (
    DONE,
    EXACT_COUNT,
    FIXED,
    GROUP,
    NEGATIVE,
    NO_POINTS,
    ROWS,
    STORE,
    TAKEN,
    TIED,
    bit,
    set_bit,
)
from arrangements.kernels.compilation import inlined, outlined
from arrangements.kernels.llvm.vectors import mask_less, mask_less_equal, trailing_zeros

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@inlined
def is_unproven(ws, j):
    """Whether the sign of a multiplier in row j is not proven."""
    rows = ws.multiplier[ws.multiplier.shape[0] - 1, j >> 6]
    return (rows >> np.uint64(j & 63)) & _ONE != _ZERO


@inlined
def settle_slope(ws, e, i):
    """Decide the sign of the slope of row i, which is not constant on the line."""
    slope = ws.table[e, e, i]
    if abs(slope) > ws.bound[e, 0, e]:
        sign = 1 if slope > 0.0 else -1
        place_by_tableau(ws, e, i)
    else:
        status, sign = ask(ws, SLOPE, e, i, i)
        if status != DONE:
            return status
    if sign < 0:
        set_bit(ws.masks, e, NEGATIVE, i)
    return DONE


@inlined
def settle_constant(ws, e, i):
    """Row i is parallel to the line: no point, its sign is that of its last column."""
    last = ws.table.shape[1] - 1
    value = ws.table[e, last, i]
    positive = value > 0.0
    if not abs(value) > ws.bound[e, 0, last]:
        status, sign = ask(ws, CONSTANT, e, i, i)
        if status != DONE:
            return status
        positive = sign > 0
    set_bit(ws.masks, e, NO_POINTS, i)
    place_row(ws, i, BEYOND, BEYOND)
    if positive:
        set_bit(ws.masks, e, FIXED, i)
    return DONE


@inlined
def open_slopes(ws, e, w, unsure):
    """Those of some rows of word w whose slope is not proved in float64."""
    slopes = _ZERO
    while unsure != _ZERO:
        lowest = unsure & (_ZERO - unsure)
        unsure ^= lowest
        if not abs(ws.table[e, e, w * 64 + trailing_zeros(lowest)]) > ws.bound[e, 0, e]:
            slopes |= lowest
    return slopes


@outlined
def settle_slopes(ws, e, w, unsure):
    """Decide the slopes of the rows `unsure` of word w."""
    infinity, status = ws.state[ROWS], DONE
    widen(ws, e)
    if has_minors(ws):
        constant = unsure & meet_at_point(ws, e, infinity, w)
    else:
        constant = open_slopes(ws, e, w, unsure)
        if constant != _ZERO:
            status, constant = ask_ties(ws, TIES, e, constant, w, infinity)
    if status != DONE:
        return status
    unsure ^= constant
    while constant != _ZERO:
        i = w * 64 + trailing_zeros(constant)
        constant &= constant - _ONE
        status = settle_constant(ws, e, i)
        if status != DONE:
            return status
    while unsure != _ZERO:
        i = w * 64 + trailing_zeros(unsure)
        unsure &= unsure - _ONE
        status = settle_slope(ws, e, i)
        if status != DONE:
            return status
    return DONE


@inlined
def side_of_point(ws, e, j, i):
    """Sign of t_i - t_j by intervals, first in float32; 0 if they meet in float64 too."""
    if ws.low_high[1, i] < ws.low_high[0, j]:
        return -1
    if ws.low_high[0, i] > ws.low_high[1, j]:
        return 1
    widen(ws, e)
    if ws.wide[1, i] < ws.wide[0, j]:
        return -1
    return 1 if ws.wide[0, i] > ws.wide[1, j] else 0


@inlined
def close_ties(ws, e, j, w, close):
    """(status, rows that meet the line where j does, rows that meet j at infinity), among rows of
    word w whose intervals meet that of j.
    """
    status, tied, far = DONE, _ZERO, _ZERO
    if close != _ZERO and has_minors(ws):  # ties are known
        if e < ws.table.shape[1] - 2:
            far = meet_at_infinity(ws, e, j, w, close)
    elif close != _ZERO:
        status, tied = ask_ties(ws, TIES, e, close, w, j)
        close ^= tied
        if status == DONE and close != _ZERO and e < ws.table.shape[1] - 2:
            status, far = ask_ties(ws, TIES_AT_INFINITY, e, close, w, j)
    return status, tied, far


@inlined
def settle_point(ws, e, j, i, at_infinity):
    """(status, sign of t_i - t_j), two points that are different; whether i and j meet there."""
    if at_infinity:
        sign = compare_second(ws, e, i, j)
        if sign != 0:
            return DONE, sign
    return ask(ws, POINT, e, i, j)


@inlined
def add_ties(ws, e, j, w, tied):
    """Rows of word w, behind j, that meet the line where j does."""
    ws.masks[e, TAKEN, w] |= tied
    if tied == _ZERO or e == ws.table.shape[1] - 2:
        return
    if not bit(ws.masks, e, TIED, j):
        set_bit(ws.masks, e, TIED, j)
        for v in range(ws.masks.shape[2]):
            ws.ties[e, j, v] = _ZERO
        set_bit(ws.ties, e, j, j)
    ws.ties[e, j, w] |= tied


@inlined
def settle_child(ws, e, j, out, position):
    """Decide the rows that 16-bit keys leave open for child j.

    ``out[position]`` is its chamber, in which rows found above t_j are corrected. Every row tied
    with j is marked as taken, so that a child is the smallest index of its tie.
    """
    for w in range(ws.masks.shape[2]):
        undecided = mask_less_equal(ws.key, 0, w * 64, ws.key[1, j])
        undecided &= ~mask_less(ws.key, 1, w * 64, ws.key[0, j]) & ~ws.masks[e, NO_POINTS, w]
        if w == j >> 6:
            undecided &= ~(_ONE << np.uint64(j & 63))
        if undecided == _ZERO:
            continue
        tied = above = close = _ZERO
        if has_minors(ws):
            ws.state[EXACT_COUNT] += 1
            tied = undecided & meet_at_point(ws, e, j, w)
            undecided ^= tied
        while undecided != _ZERO:
            lowest = undecided & (_ZERO - undecided)
            undecided ^= lowest
            i = w * 64 + trailing_zeros(lowest)
            if ws.parallel[i] == ws.parallel[j]:
                tied |= lowest
                continue
            side = side_of_point(ws, e, j, i)
            if side > 0:
                above |= lowest
            elif side == 0:
                close |= lowest
        status, met, far = close_ties(ws, e, j, w, close)
        if status != DONE:
            return status
        tied |= met
        close ^= met
        while close != _ZERO:
            lowest = close & (_ZERO - close)
            close ^= lowest
            i = w * 64 + trailing_zeros(lowest)
            status, sign = settle_point(ws, e, j, i, far & lowest != _ZERO)
            if status != DONE:
                return status
            if sign > 0:
                above |= lowest
        add_ties(ws, e, j, w, tied)
        if ws.state[STORE] != 0:
            out[position, w] ^= above
    if ws.state[STORE] != 0 and is_unproven(ws, j):
        return settle_multipliers(ws, e, j, out, position)
    return DONE


@inlined
def is_flipped(ws, e, q, j):
    """Whether `flip` has multiplier q of child j as different from the slope in sign."""
    i = ws.chain[q]
    before = ws.masks[e, FIXED, i >> 6] | ws.masks[e, NEGATIVE, i >> 6]
    return ((ws.flip[i >> 6, j] ^ before) >> np.uint64(i & 63)) & _ONE != _ZERO


@inlined
def settle_multipliers(ws, e, j, out, position):
    """Decide the signs of the multipliers of row j and correct the chamber ``out[position]``."""
    widen(ws, e)
    for q in range(e):
        x = ws.table[e, q, j]
        if abs(x) > ws.bound[e, 0, q]:
            sign = 1 if x > 0.0 else -1
        else:
            status, sign = ask(ws, MULTIPLIER, e, q, j)
            if status != DONE:
                return status
        if (sign < 0) != (is_flipped(ws, e, q, j) != bit(ws.masks, e, NEGATIVE, j)):
            for w in range(ws.masks.shape[2]):
                out[position, w] ^= ws.masks[q, GROUP, w]
    return DONE
