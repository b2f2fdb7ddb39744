"""Count the chambers inside a cone by its sections alone, where all signs are certain.

The chambers that meet the interior of a cone are as many as the no-broken-circuit sets whose flats
meet it (``docs/algorithms.md``). In general position these are all sets of rows whose flats do.
Down to the sections of three dimensions, generators tell which rows cross; rows that cross a
polygon are its chords, and of two chords it matters whether they cross inside. What floats leave
open, such as a point that may be on three chords, is for the driver to count by lines.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.chambers.crossings import (
    bit_in,
    chords_across,
    find_end,
    place_chord,
    sign_by_values,
)
from arrangements.kernels.chambers.polygons import cut_solid, find_ends
from arrangements.kernels.chambers.sections import UNKNOWN, cut
from arrangements.kernels.chambers.solids import OPEN, SOLID, certain_signs, find_solid
from arrangements.kernels.chambers.workspace import DONE, GROUP, PAUSED, ROWS, rows_between
from arrangements.kernels.compilation import entry, inlined, outlined
from arrangements.kernels.llvm.vectors import (
    less,
    load,
    magnitude,
    mask_less,
    mask_less_equal,
    maximum,
    population,
    splat,
    store,
    trailing_zeros,
)
from arrangements.kernels.shared import shared

_ZERO = np.uint64(0)
# More than the roundings of a value at the end of a chord, and of a point.
_ROUNDING = 2.0**-48
# Answer of `count`: a sign or an order is open.
UNCERTAIN = -1


@shared
class Chords(NamedTuple):
    """Where a count is, and its work space.

    Attributes
    ----------
    state : (2,) int64
        Depth of the current node, and the number found.
    chain : (levels,) int64, left : (levels, words) uint64
        The row being visited at each depth, and those to visit.
    crossing : (words,) uint64, places : (4, pad + 8) float64
        Chords that cross another one; points of chords on another one, from 0 to 1, and bounds for
        their errors, then those of the chords that cross it.
    """

    state: NDArray[np.int64]
    chain: NDArray[np.int64]
    left: NDArray[np.uint64]
    crossing: NDArray[np.uint64]
    places: NDArray[np.float64]


@inlined
def _are_apart(flat, crossing, k, bounds, n, words):
    """Whether chord k meets those that cross it, in so many words, in points of their own."""
    for w in range(words):
        rows = crossing[w]
        while rows != _ZERO:
            i = 64 * w + trailing_zeros(rows)
            rows &= rows - np.uint64(1)
            low, high = flat.key[0, i], flat.key[1, i]
            for v in range(words):
                near = mask_less_equal(flat.key, 0, 64 * v, high)
                near &= ~mask_less(flat.key, 1, 64 * v, low) & ~bit_in(v, i)
                if near & crossing[v] != _ZERO:
                    _, unclear = sign_by_values(flat, i, k, bounds, n, v)
                    if unclear & crossing[v] != _ZERO:
                        return False
    return True


@inlined
def _count_in_singles(ws, cone, flat, crossing, k):
    """How many chords below k cross it, each in a point of its own; or -1."""
    e, n, words = ws.table.shape[1] - 4, ws.state[ROWS] - np.int64(cone.facets[-1]), (k + 63) >> 6
    bounds, side = place_chord(cone, flat, e, n, k)
    number, open_rows = 0, _ZERO
    for w in range(words):
        crossing[w], unclear = chords_across(flat, k, w)
        number += population(crossing[w])
        open_rows |= unclear
    if side < 0 or open_rows != _ZERO or not _are_apart(flat, crossing, k, bounds, n, words):
        return -1
    return number


@inlined
def _values_at_end(cone, flat, e, end, j):
    """Values of eight rows from j on, facets counted, at the end of a chord."""
    (p, q, a, b), found = end, splat(0.0)
    for corner, part in ((p, a), (q, b)):
        for side in range(2):
            share = splat(part * flat.shares[corner, side])
            found = found + load(cone.values, (e, flat.origins[corner, side], j)) * share
    return found


@inlined
def _error_at_end(flat, end, size):
    """A bound for the errors of these values; size : how much those of the chord's row differ."""
    p, q = end[0], end[1]
    error = flat.doubts[p] + flat.doubts[q]
    return max(flat.doubts[p], flat.doubts[q]) + 1.4 * (2.0 + error) * error / size + _ROUNDING


@inlined
def _place_in_doubles(cone, flat, places, e, k, ends, bounds):
    """Place eight chords from k on, on another chord: those that cross it; those left open.

    ends : where that one ends; bounds : for errors there
    """
    j, (most, top) = np.int64(cone.facets[-1]) + k, bounds
    least, bottom, most, top = splat(-most), splat(-top), splat(most), splat(top)
    x = _values_at_end(cone, flat, e, ends[0], j)
    y = _values_at_end(cone, flat, e, ends[1], j)
    up, down, above, below = less(most, x), less(x, least), less(top, y), less(y, bottom)
    inside, outside = up & below | down & above, up & above | down & below
    factor = splat(1.0) / (x - y)
    width = splat(2.1) * maximum(most, top) * magnitude(factor) + splat(_ROUNDING)
    narrow = less(width, splat(0.5))
    store(places, (0, k), x * factor)
    store(places, (1, k), width)
    return inside & narrow, (inside & narrow | outside) ^ np.uint64(0xFF)


@inlined
def _differ(places, number):
    """Whether points, each with a width, certainly differ, each compared with each."""
    store(places, (2, number), splat(4.0))  # beyond all of them
    store(places, (3, number), splat(0.0))
    close = 0
    for k in range(number):
        place, width = splat(places[2, k]), splat(places[3, k])
        for i in range(0, number, 8):
            gap = magnitude(load(places, (2, i)) - place)
            close += population(less(load(places, (3, i)) + width, gap) ^ np.uint64(0xFF))
    return close == number  # each is close to itself


@outlined
def _count_in_doubles(cone, flat, places, e, k):
    """As `_count_in_singles`, where singles left something open."""
    j, number = np.int64(cone.facets[-1]) + k, 0
    start, (_, _, first), size = find_end(cone, flat, e, j, flat.ends[k, 0])
    stop, (_, _, second), other = find_end(cone, flat, e, j, flat.ends[k, 1])
    if first < 0.0 or second < 0.0:
        return -1
    bounds = _error_at_end(flat, start, size), _error_at_end(flat, stop, other)
    for i in range(0, k, 8):
        inside, unclear = _place_in_doubles(cone, flat, places, e, i, (start, stop), bounds)
        chords = flat.chords[i >> 6] >> np.uint64(i & 63) & rows_between(0, 0, min(k - i, 8))
        if unclear & chords != _ZERO:
            return -1
        inside &= chords
        while inside != _ZERO:
            row = i + trailing_zeros(inside)
            inside &= inside - np.uint64(1)
            places[2, number], places[3, number] = places[0, row], places[1, row]
            number += 1
    return number if _differ(places, number) else -1


@outlined
def _count_in_polygon(ws, cone, flat, chords, j):
    """How many chords the section by row j has, and pairs of them that cross; or -1."""
    found, total = 0, cut_solid(ws, cone, flat, j) if flat.state[SOLID] != OPEN else 0
    if total == 0:
        return -1
    find_ends(flat, total)
    for w in range(flat.chords.shape[0]):
        rows = flat.chords[w]
        while rows != _ZERO:
            k = 64 * w + trailing_zeros(rows)
            number = _count_in_singles(ws, cone, flat, chords.crossing, k)
            rows &= rows - np.uint64(1)
            if number < 0:
                number = _count_in_doubles(cone, flat, chords.places, ws.table.shape[1] - 4, k)
            if number < 0:
                return -1
            found += 1 + number
    return found


@inlined
def _find_rows(cone, left, e, last):
    """Find the rows below `last` that cross the section; whether all others certainly do not."""
    first, total, lines, certain = (
        np.int64(cone.facets[-1]),
        cone.sizes[e, 0],
        cone.sizes[e, 1],
        True,
    )
    for w in range(left.shape[1]):
        rows = rows_between(w, first, last)
        positive = negative = unclear = _ZERO
        for g in range(total if rows != _ZERO else 0):
            above, below = certain_signs(
                cone.values, (e, g), 64 * w, 64 * w + 64, cone.errors[e, g]
            )
            both = above | below if g < lines else _ZERO
            positive |= above | both
            negative |= below | both
            unclear |= ~(above | below | cone.zeros[e, g, w])
        crossing = positive & negative
        left[e, w] = crossing & rows
        certain &= (unclear & ~crossing | ~(positive | negative)) & rows == _ZERO
    return certain


@inlined
def _find_children(ws, cone, flat, left, e, last):
    """`_find_rows`, where a section of three dimensions is one that polygons can be cut from."""
    if e == ws.table.shape[1] - 4:
        find_solid(ws, cone, flat, e, last)
        if flat.state[SOLID] == OPEN:
            return False
    return _find_rows(cone, left, e, last)


@entry
def count(ws, cone, flat, chords, budget):
    """Count the sets of rows that begin with one of ``left[0]`` and whose flats meet the cone.

    Returns DONE, PAUSED after `budget` nodes, or UNCERTAIN; ``state[1]`` is the number. The cone
    has at least four dimensions.
    """
    d, state, left = ws.table.shape[1], chords.state, chords.left
    if d == 4:
        find_solid(ws, cone, flat, 0, ws.state[ROWS])
    while budget > 0:
        e, j = state[0], -1
        for w in range(left.shape[1]):
            rows = left[e, w]
            if rows != _ZERO and j < 0:
                j = 64 * w + trailing_zeros(rows)
                left[e, w] = rows & (rows - np.uint64(1))
            ws.masks[e, GROUP, w] = rows & (_ZERO - rows) if j >> 6 == w else _ZERO
        if j < 0:
            if e == 0:
                return DONE
            state[0] = e - 1
            continue
        chords.chain[e] = j
        number = 0
        if e == d - 4:
            number = _count_in_polygon(ws, cone, flat, chords, j)
            if number < 0:
                return UNCERTAIN
        else:
            cut(ws, cone, e, j, False)
            if cone.sizes[e + 1, 0] == UNKNOWN or not (
                _find_children(ws, cone, flat, left, e + 1, j)
            ):
                return UNCERTAIN
            state[0] = e + 1
        state[1] += 1 + number
        budget -= 1
    return PAUSED
