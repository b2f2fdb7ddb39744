"""Count the chambers inside a polytope by its sections alone, where all signs are certain.

The chambers that meet the interior of a cone are as many as the no-broken-circuit sets whose flats
meet it (``docs/algorithms.md``). In general position these are all sets of rows whose flats do.
Down to the sections that are polygons, generators tell which rows cross; rows that cross a polygon
are its chords, and of two chords it matters whether they cross inside. What floats leave open, such
as a point that may be on three chords, is for the driver to count by lines.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.chambers.sections import UNKNOWN, common_facets, cut
from arrangements.kernels.chambers.workspace import DONE, GROUP, PAUSED, rows_of_word
from arrangements.kernels.compilation import entry, inlined, outlined
from arrangements.kernels.llvm.vectors import (
    less,
    load,
    magnitude,
    population,
    splat,
    store,
    trailing_zeros,
)
from arrangements.kernels.shared import shared

_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(0xFF)
# Answer of `count`: a sign or an order is open.
UNCERTAIN = -1
# More than twice the rounding of a quotient of values.
_ROUNDING = 2.0**-50
# Points on a chord that are compared each with each; more are sorted, by Shell's method.
_FEW, _GAPS = 32, (57, 23, 10, 4, 1)
# Beyond all points on a chord.
_FAR = 4.0


@shared
class Chords(NamedTuple):
    """Where a count is, and its work space.

    Attributes
    ----------
    state : (2,) int64
        Depth of the current node, and the number found.
    chain : (levels,) int64, left : (levels, words) uint64
        The row being visited at each depth, and those to visit.
    above, below : (most, words) uint64
        Of a section: rows that are certainly positive, or negative, on each generator.
    ring : (most + 1,) int64
        Generators of a polygon around it.
    places, widths : (2, pad + 8) float64
        Points of the rows on a chord, from 0 to 1, and bounds for their errors; of those inside,
        one after the other.
    """

    state: NDArray[np.int64]
    chain: NDArray[np.int64]
    left: NDArray[np.uint64]
    above: NDArray[np.uint64]
    below: NDArray[np.uint64]
    ring: NDArray[np.int64]
    places: NDArray[np.float64]
    widths: NDArray[np.float64]


@inlined
def _rows_between(word, first, last):
    """The rows of a word from `first` to `last`."""
    before = rows_of_word(word, first) if first > word * 64 else _ZERO
    return rows_of_word(word, last) & ~before if last > word * 64 else _ZERO


@inlined
def _certain_signs(values, index, error, w):
    """Rows of a word that are certainly positive, and those that are negative."""
    most, least = splat(error), splat(-error)
    positive = negative = _ZERO
    for k in range(0, 64, 8):
        value = load(values, (*index, 64 * w + k))
        positive |= less(most, value) << np.uint64(k)
        negative |= less(value, least) << np.uint64(k)
    return positive, negative


@inlined
def _find_rows(cone, chords, e, last, flat):
    """Find the rows below `last` that cross the section; whether all others certainly do not.

    flat : whether the section is a polygon, whose corners must lie on no row
    """
    first, total = np.int64(cone.facets[-1]), cone.sizes[e, 0]
    certain = True
    for w in range(chords.left.shape[1]):
        rows = _rows_between(w, first, last)
        positive = negative = unclear = _ZERO
        if rows != _ZERO:
            for g in range(total):
                above, below = _certain_signs(cone.values, (e, g), cone.errors[e, g], w)
                chords.above[g, w] = above
                positive |= above
                negative |= below
                on_it = _ZERO if flat else cone.zeros[e, g, w]
                unclear |= ~(above | below | on_it)
        crossing = positive & negative
        chords.left[e, w] = crossing & rows
        if not flat:
            unclear &= ~crossing
        certain &= (unclear | ~(positive | negative)) & rows == _ZERO
    return certain


@inlined
def _go_around(cone, ring, e):
    """Put the corners of a polygon in order, into `ring`; whether they are certain."""
    total, before, here = cone.sizes[e, 0], -1, 0
    for k in range(total):
        ring[k] = here
        ahead, neighbors = -1, 0
        for q in range(total):
            if q != here and common_facets(cone, e, here, q) > 0:
                neighbors += 1
                if q != before:
                    ahead = q
        if neighbors != 2 or cone.vague[e, here] != 0 or (ahead == 0) != (k == total - 1):
            return False
        before, here = here, ahead
    ring[total] = 0
    return True


@inlined
def _end_chord(cone, e, j, p, q):
    """Where row j meets the side from p to q, as a part of it, and a bound for errors of values.

    The bound is negative if it is not certain.
    """
    x, y = cone.values[e, p, j], cone.values[e, q, j]
    size, error = abs(x - y), cone.errors[e, p] + cone.errors[e, q]
    if not size > 4.0 * error:
        return 0.0, -1.0
    # as in ``sections.cut``
    moved = 1.4 * (2.0 + error) * error / size
    return x / (x - y), max(cone.errors[e, p], cone.errors[e, q]) + moved + 2.0 * _ROUNDING


@inlined
def _place_on_chord(cone, chords, e, first, last, sides, parts, bounds):
    """Put the points of the rows first..last-1, less than a word, on a chord.

    Returns (rows that cross it, rows for which this is not certain).
    """
    (p, q, r, s), (t, u) = sides, parts
    most, least = splat(bounds[0]), splat(-bounds[0])
    top, bottom = splat(bounds[1]), splat(-bounds[1])
    one, half, error = splat(1.0), splat(0.5), splat(2.1 * max(bounds[0], bounds[1]))
    crossing = open_rows = _ZERO
    for i in range(first, last, 8):
        x = load(cone.values, (e, p, i)) * splat(1.0 - t) + load(cone.values, (e, q, i)) * splat(t)
        y = load(cone.values, (e, r, i)) * splat(1.0 - u) + load(cone.values, (e, s, i)) * splat(u)
        up, down = less(most, x), less(x, least)
        above, below = less(top, y), less(y, bottom)
        factor = one / (x - y)
        width = error * magnitude(factor)
        store(chords.places, (0, i), x * factor)
        store(chords.widths, (0, i), width + splat(_ROUNDING))
        inside, shift = up & below | down & above, np.uint64(i & 63)
        sure = (up | down) & (above | below) & ~(inside & ~less(width, half))
        crossing |= inside << shift
        open_rows |= (sure ^ _EIGHT) << shift
    return crossing, open_rows


@inlined
def _are_few_apart(places, widths, number):
    """Whether points certainly differ, each compared with each."""
    store(places, (1, number), splat(_FAR))
    store(widths, (1, number), splat(0.0))
    close = 0
    for k in range(number):
        place, width = splat(places[1, k]), splat(widths[1, k])
        for i in range(0, number, 8):
            gap = magnitude(load(places, (1, i)) - place)
            close += population(less(load(widths, (1, i)) + width, gap) ^ _EIGHT)
    return close == number  # each is close to itself


@inlined
def _are_apart(places, widths, number):
    """Sort points; whether they certainly differ."""
    for gap in _GAPS:
        for k in range(gap, number):
            place, width, i = places[1, k], widths[1, k], k
            while i >= gap and places[1, i - gap] > place:
                places[1, i], widths[1, i] = places[1, i - gap], widths[1, i - gap]
                i -= gap
            places[1, i], widths[1, i] = place, width
    apart = True
    for k in range(1, number):
        apart &= places[1, k] - places[1, k - 1] > widths[1, k] + widths[1, k - 1]
    return apart


@inlined
def _count_on_chord(cone, chords, e, j, sides, parts, bounds):
    """How many rows below j cross its chord, each in a point of its own; or -1."""
    first, number = np.int64(cone.facets[-1]), 0
    for w in range(first >> 6, (j + 63) >> 6):
        rows, start = _rows_between(w, first, j), max(first & ~7, 64 * w)
        stop = min(j, 64 * w + 64)
        crossing, unclear = _place_on_chord(cone, chords, e, start, stop, sides, parts, bounds)
        if rows & unclear != _ZERO:
            return -1
        crossing &= rows
        while crossing != _ZERO:
            i = 64 * w + trailing_zeros(crossing)
            crossing &= crossing - _ONE
            chords.places[1, number] = chords.places[0, i]
            chords.widths[1, number] = chords.widths[0, i]
            number += 1
    if number <= _FEW:
        apart = _are_few_apart(chords.places, chords.widths, number)
    else:
        apart = _are_apart(chords.places, chords.widths, number)
    return number if apart else -1


@inlined
def _sides_of_chord(chords, total, w, k):
    """The corners (p, q, r, s) of a polygon of whose sides p q and r s chord k of word w has ends.

    All are -1 unless there are two such sides.
    """
    p = q = r = s = -1
    ends = 0
    for i in range(total):
        here, ahead = chords.ring[i], chords.ring[i + 1]
        if (chords.above[here, w] ^ chords.above[ahead, w]) >> k & _ONE != _ZERO:
            p, q, r, s = r, s, here, ahead
            ends += 1
    return (p, q, r, s) if ends == 2 else (-1, -1, -1, -1)


@outlined
def _count_in_polygon(cone, chords, e):
    """How many chords there are, and pairs of them that cross; or -1."""
    if not _go_around(cone, chords.ring, e):
        return -1
    found, total = 0, cone.sizes[e, 0]
    for w in range(chords.left.shape[1]):
        rows = chords.left[e, w]
        while rows != _ZERO:
            k = np.uint64(trailing_zeros(rows))
            rows &= rows - _ONE
            j = 64 * w + np.int64(k)
            p, q, r, s = _sides_of_chord(chords, total, w, k)
            if p < 0:
                return -1
            (t, start), (u, stop) = _end_chord(cone, e, j, p, q), _end_chord(cone, e, j, r, s)
            if start < 0.0 or stop < 0.0:
                return -1
            sides, parts, bounds = (p, q, r, s), (t, u), (start, stop)
            number = _count_on_chord(cone, chords, e, j, sides, parts, bounds)
            if number < 0:
                return -1
            found += 1 + number
    return found


@entry
def count(ws, cone, chords, budget):
    """Count the sets of rows that begin with one of ``left[0]`` and whose flats meet the cone.

    Returns DONE, PAUSED after `budget` nodes, or UNCERTAIN; ``state[1]`` is the number. The cone
    is pointed, in at least four dimensions.
    """
    d, state = ws.table.shape[1], chords.state
    while budget > 0:
        e, j = state[0], -1
        for w in range(chords.left.shape[1]):
            rows = chords.left[e, w]
            if rows != _ZERO and j < 0:
                j = 64 * w + trailing_zeros(rows)
                chords.left[e, w] = rows & (rows - _ONE)
            ws.masks[e, GROUP, w] = rows & (_ZERO - rows) if j >> 6 == w else _ZERO
        if j < 0:
            if e == 0:
                return DONE
            state[0] = e - 1
            continue
        chords.chain[e] = j
        cut(ws, cone, e, j, False)
        flat = e == d - 4
        if cone.sizes[e + 1, 0] == UNKNOWN or not _find_rows(cone, chords, e + 1, j, flat):
            return UNCERTAIN
        number = 0
        if flat:
            number = _count_in_polygon(cone, chords, e + 1)
            if number < 0:
                return UNCERTAIN
        else:
            state[0] = e + 1
        state[1] += 1 + number
        budget -= 1
    return PAUSED
