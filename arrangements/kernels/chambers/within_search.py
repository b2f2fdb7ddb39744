"""The flag sweep that keeps the chambers with + on the first rows, the facets of a polyhedron.

Lines that miss the polyhedron are left out, and children beyond a facet are not written. Whatever
keys leave open is written, and its signs on the facets, which are exact, decide.
"""

import numpy as np

from arrangements.kernels.chambers.search import (
    emit_far_end,
    emit_line,
    prepare_signs,
    sweep,
)
from arrangements.kernels.chambers.sections import UNKNOWN, cut, find_crossing
from arrangements.kernels.chambers.tableau import intervals
from arrangements.kernels.chambers.workspace import (
    CHILDREN,
    DONE,
    FIXED,
    GROUP,
    NEGATIVE,
    NO_POINTS,
    OWN,
    STORE,
    TAKEN,
    TIED,
    rows_of_word,
)
from arrangements.kernels.compilation import entry, inlined, outlined
from arrangements.kernels.llvm.vectors import mask_less, mask_less_equal, trailing_zeros

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LEAST, _LARGEST = np.int16(-32768), np.int16(32767)


@inlined
def misses(ws, e, facets):
    """Whether a facet is negative on the whole line."""
    for w in range(facets.shape[0]):
        constant = facets[w] & ws.masks[e, NO_POINTS, w] & ~ws.masks[e, FIXED, w]
        for q in range(e):
            constant &= ~ws.masks[q, GROUP, w]
        if constant != _ZERO:
            return True
    return False


@inlined
def clip(ws, e, facets):
    """Count the rows beyond a facet on the line among the children; whether others may be left."""
    low, high = _LEAST, _LARGEST
    for w in range(facets.shape[0]):
        points = facets[w] & ~ws.masks[e, NO_POINTS, w]
        negative = ws.masks[e, NEGATIVE, w]
        while points != _ZERO:
            k = trailing_zeros(points)
            points &= points - _ONE
            if negative >> np.uint64(k) & _ONE != _ZERO:
                high = min(high, ws.key[1, w * 64 + k])
            else:
                low = max(low, ws.key[0, w * 64 + k])
    if low > high:
        return False
    for w in range(ws.masks.shape[2]):
        outside = mask_less(ws.key, 1, w * 64, low) | ~mask_less_equal(ws.key, 0, w * 64, high)
        ws.masks[e, CHILDREN, w] = outside
        ws.masks[e, TIED, w] = ws.masks[e, TAKEN, w] = _ZERO
    return True


@inlined
def write_leaf(ws, facets, e, last, out, count):
    """Write the children of a leaf that may lie in the polyhedron."""
    if misses(ws, e, facets) or not clip(ws, e, facets):
        return DONE, count
    prepare_signs(ws, e, True, last)
    return emit_line(ws, e, last, True, out, count)


@inlined
def is_least(ws, e, j):
    """Whether no row below j is tied with it."""
    for w in range((j >> 6) + 1):
        if ws.ties[e, j, w] & rows_of_word(w, j) != _ZERO:
            return False
    return True


@inlined
def find_children(ws, cone, e, last, out):
    """The children of a node, none of whose line is inside."""
    store, ws.state[STORE] = ws.state[STORE], 0
    words, known = ws.masks.shape[2], cone.sizes[e, 0] != UNKNOWN
    if known:
        find_crossing(ws, cone, e)
    for w in range(words):
        ws.masks[e, CHILDREN, w] = ~cone.crossing[w] if known else _ZERO
        ws.masks[e, TIED, w] = ws.masks[e, TAKEN, w] = _ZERO
    status, _ = emit_line(ws, e, last, True, out, 0)
    ws.state[STORE] = store
    for w in range(words):
        if known:
            ws.masks[e, CHILDREN, w] &= cone.crossing[w]
            tied = ws.masks[e, CHILDREN, w] & ws.masks[e, TIED, w]
            while tied != _ZERO:
                lowest = tied & (_ZERO - tied)
                tied ^= lowest
                if not is_least(ws, e, w * 64 + trailing_zeros(lowest)):
                    ws.masks[e, CHILDREN, w] ^= lowest
    return status


@inlined
def crosses(ws, j, number):
    """Whether the line of child j of a node of depth d - 3 may meet the polyhedron."""
    d = ws.narrow.shape[0]
    low, high = np.float32(-2.0), np.float32(2.0)
    for i in range(0, number, 16):
        _, _, negative, unsure = intervals(ws, d - 2, d - 3, d - 1, j, i, ~_ZERO)
        for k in range(min(16, number - i)):
            lane = np.uint64(k)
            if unsure >> lane & _ONE != _ZERO:
                continue
            if negative >> lane & _ONE != _ZERO:
                high = min(high, ws.low_high[1, i + k])
            else:
                low = max(low, ws.low_high[0, i + k])
    return low <= high


@outlined
def prune(ws, e, number):
    """Leave out children whose lines miss the polyhedron."""
    for w in range(ws.masks.shape[2]):
        children = ws.masks[e, CHILDREN, w]
        while children != _ZERO:
            lowest = children & (_ZERO - children)
            children ^= lowest
            if not crosses(ws, w * 64 + trailing_zeros(lowest), number):
                ws.masks[e, CHILDREN, w] ^= lowest


@inlined
def keep_inside(facets, number, out, first, count):
    """Keep the rows from `first` on that are + on all facets, without these; their new number."""
    words, shift, skipped, kept = out.shape[1], np.uint64(number & 63), number >> 6, first
    for k in range(first, count):
        inside = True
        for w in range(facets.shape[0]):
            inside &= out[k, w] & facets[w] == facets[w]
        for w in range(words):
            low = out[k, w + skipped] if w + skipped < words else _ZERO
            high = out[k, w + skipped + 1] if w + skipped + 1 < words else _ZERO
            out[kept, w] = low >> shift | (high << _ONE << np.uint64(63 - shift))
        kept += np.int64(inside)
    return kept


@inlined
def write_inside(ws, cone, e, leaf, last, signs, out, count):
    """Write the chambers inside the polyhedron on the line of the current node of depth e.

    cone : `Sections`; signs : True
    """
    state, number = ws.state, np.int64(cone.facets[-1])
    facets, first, store = cone.facets[:-1], count, state[STORE]
    if e > 0 and not leaf:
        cut(ws, cone, e - 1, ws.chain[e - 1])
    if e < state[OWN]:
        state[STORE] = 0
    if leaf:
        status, count = write_leaf(ws, facets, e, last, out, count)
    elif cone.is_apart:
        status = find_children(ws, cone, e, last, out)
    else:
        prepare_signs(ws, e, leaf, last)
        if e == 0 and state[OWN] == 0:
            emit_far_end(ws, out, count)
            count += 1
        status, count = emit_line(ws, e, last, False, out, count)
    state[STORE] = store
    if status != DONE:
        return status, count
    if not leaf and not cone.is_apart and cone.sizes[e, 0] != UNKNOWN:
        find_crossing(ws, cone, e)
        for w in range(ws.masks.shape[2]):
            ws.masks[e, CHILDREN, w] &= cone.crossing[w]
    if not leaf and cone.sizes[e, 0] == UNKNOWN and e == ws.table.shape[1] - 3:
        prune(ws, e, number)
    if e >= state[OWN]:
        count = keep_inside(facets, number, out, first, count)
    return status, count


@entry
def advance(ws, cone, budget, out, count):
    """As ``kernels.chambers.search.advance``, for the chambers with + on the facets of a cone.

    ``state[STORE]`` must not be 0.
    """
    return sweep(ws, cone, write_inside, True, budget, out, count)
