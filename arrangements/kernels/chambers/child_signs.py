"""Signs of the children of a line but for its points: those of R, its closure and constant rows.

The rows that entered with a row of R flip together, with the sign of its multiplier in the child.
"""

import numpy as np

from arrangements.kernels.chambers.workspace import FIXED, GROUP, NEGATIVE
from arrangements.kernels.compilation import inlined, kernel
from arrangements.kernels.llvm.vectors import (
    choose_lanes,
    less,
    load,
    magnitude,
    splat,
    store,
    with_sign_of,
    word_where,
)

_ZERO = np.uint64(0)
_8 = np.uint64(8)
_ALL_16_LANES = np.uint64(0xFFFF)


def _fill_flips(masks, multiplier, flip, e, i):
    """Chambers of the children i..i+7 but for the points at or below them, which are to be
    xor-ed.
    """
    word, shift = i >> 6, np.uint64(i & 63)
    for w in range(masks.shape[2]):
        flips = splat(masks[e, FIXED, w] | masks[e, NEGATIVE, w])
        for q in range(e):
            flips = flips ^ word_where(multiplier[q, word] >> shift, masks[q, GROUP, w])
        store(flip, (w, i), flips)


fill_flips = kernel(_fill_flips)
fill_flips_inlined = inlined(_fill_flips)


@inlined
def sign_leaf(ws, e, p, last):
    """`tableau.multipliers` and `fill_flips` of a leaf where a set of rows is one word.

    Most lines are such leaves. Of `multiplier` only the rows with a sign that is not proven are
    written. Columns are scaled by the sign of the slope of each row, which is
    exact, so that a multiplier is negative where it differs from the slope in sign.
    """
    v, negative = e - 1, ws.masks[e, NEGATIVE, 0]
    vp = ws.narrow[v, p]
    size = abs(vp)
    turned = negative if vp > 0 else ~negative
    proven = size > 16.0 * ws.narrow_bound[0, 0, v]
    common = splat(ws.masks[e, FIXED, 0] | negative)
    zero, group = splat(np.float32(0.0)), ws.masks[v, GROUP, 0]
    unproven = _ZERO
    for i in range(0, last, 16):
        shift = np.uint64(i)
        eliminator = load(ws.narrow, (v, i))
        certain = less(splat(ws.threshold[1, v]), magnitude(eliminator * splat(size)))
        differ = less(eliminator, zero) ^ negative >> shift
        low = common ^ word_where(differ, group)
        high = common ^ word_where(differ >> _8, group)
        scale = choose_lanes(negative >> shift, splat(-size), splat(size))
        eliminator = choose_lanes(turned >> shift, zero - eliminator, eliminator)
        for q in range(v):
            x = load(ws.narrow, (q, i)) * scale - eliminator * splat(ws.narrow[q, p])
            certain &= less(splat(ws.threshold[1, q]), magnitude(x))
            differ, entered = less(x, zero), ws.masks[q, GROUP, 0]
            low = low ^ word_where(differ, entered)
            high = high ^ word_where(differ >> _8, entered)
        unproven |= (certain ^ _ALL_16_LANES) << shift
        store(ws.flip, (0, i), low)
        store(ws.flip, (0, i + 8), high)
    ws.multiplier[ws.multiplier.shape[0] - 1, 0] = unproven if proven else ~_ZERO


@inlined
def sign_own(ws, e, last):
    """`sign_leaf` for the children of a node with columns of its own, of depth e.

    Returns the rows with a sign that is not proven.
    """
    zero, unproven = splat(np.float32(0.0)), _ZERO
    for i in range(0, last, 16):
        slope, certain = load(ws.narrow, (e, i)), _ALL_16_LANES
        low = high = splat(ws.masks[e, FIXED, 0] | ws.masks[e, NEGATIVE, 0])
        for q in range(e):
            x = with_sign_of(load(ws.narrow, (q, i)), slope)
            certain &= less(splat(ws.threshold[0, q]), magnitude(x))
            differ, entered = less(x, zero), ws.masks[q, GROUP, 0]
            low = low ^ word_where(differ, entered)
            high = high ^ word_where(differ >> _8, entered)
        unproven |= (certain ^ _ALL_16_LANES) << np.uint64(i)
        store(ws.flip, (0, i), low)
        store(ws.flip, (0, i + 8), high)
    return unproven
