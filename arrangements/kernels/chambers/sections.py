"""Generators of a cone on the flats along the path of a sweep: which rows cross it there.

Each generator is known by the values of all rows on it, with an error bound, and by rows that
vanish on it exactly. Between two generators, where row j is positive and negative, lies one of the
section by row j. If those of a section include all extreme rays, so do those between pairs that
may be adjacent; that there are others does no harm, for they lie in the section, too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.chambers.workspace import GROUP, ROWS, rows_of_word
from arrangements.kernels.compilation import inlined, outlined
from arrangements.kernels.llvm.vectors import (
    at_least,
    choose_lanes,
    largest_of_rows,
    less,
    load,
    magnitude,
    maximum,
    population,
    populations,
    splat,
    store,
    trailing_zeros,
    word_where,
)
from arrangements.kernels.shared import shared

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_EIGHT = np.uint64(0xFF)
# More than the roundings of t and of a combination of values that are at most 1 in size.
_ROUNDING = 2.0**-49
# In place of the number of generators where there are too many, or they are not certain.
UNKNOWN = -1


@shared
class Sections(NamedTuple):
    """Generators of a cone on the flats of the nodes of depth 0, 1, .. on the path.

    Attributes
    ----------
    facets : (k + 1,) uint64
        The rows that are not negative on the cone, as a set; and their number.
    free : (levels, words) uint64
        Those outside the closure of the node.
    sizes : (levels, 3) int64
        Generators, `UNKNOWN` if these are not known; how many of them, the first, are lines:
        their opposites are generators, too; whether only the first value of each is kept, and
        `sides` of all of them.
    values : (levels, most + 8, lanes) float64, errors : (levels, most + 8) float64
        Value of each row, at most 1 in size, and a bound for its error.
    heights : (levels, most + 8) float64
        The functional of `find_crossing`, with the error of the values.
    zeros : (levels, most + 8, words) uint64
        Rows that are certainly 0.
    tight : (levels, most + 8, facet words) uint64
        Facets that are 0, and perhaps others: all of an end of the edge on which it lies, if it may
        be that end.
    order : (2, most + 1) int64, near : (2, most + 8) uint64
        Generators that may be above a row, and below it; their facets.
    edges : (2, most + 8) int64, ends : (4, most + 8) float64
        Pairs of generators on both sides of a row; its values there, and their errors.
    loose : (2, most + 8) uint64
        Whether it may be an end of its edge, the first or the second.
    parts : (2, most + 8) float64, spread : (most + 8, 8) float64
        How far along these edges it is 0; how much heights differ at the ends, and values at most.
    sides : (2, words) uint64, marked, crossing : (words,) uint64
        Work space.
    is_apart : bool
        Row 0 is positive on the cone, so no line but those of leaves meets it.
    counts : bool
        Whether chambers are only counted.
    """

    facets: NDArray[np.uint64]
    free: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    heights: NDArray[np.float64]
    zeros: NDArray[np.uint64]
    tight: NDArray[np.uint64]
    order: NDArray[np.int64]
    near: NDArray[np.uint64]
    edges: NDArray[np.int64]
    ends: NDArray[np.float64]
    loose: NDArray[np.uint64]
    parts: NDArray[np.float64]
    spread: NDArray[np.float64]
    sides: NDArray[np.uint64]
    marked: NDArray[np.uint64]
    crossing: NDArray[np.uint64]
    is_apart: bool
    counts: bool


@inlined
def _is_zero(cone, e, g, j):
    return (cone.zeros[e, g, j >> 6] >> np.uint64(j & 63)) & _ONE != _ZERO


@inlined
def _mix(ws, cone, e, p, q, a, b, made):
    """The zeros and the height of generator ``a p + b q`` of the next depth."""
    for w in range(cone.zeros.shape[2]):
        both = cone.zeros[e, p, w] & cone.zeros[e, q, w]
        cone.zeros[e + 1, made, w] = both | ws.masks[e, GROUP, w]
    for w in range(cone.tight.shape[2]):
        cone.tight[e + 1, made, w] = cone.tight[e, p, w] & cone.tight[e, q, w]
    cone.heights[e + 1, made] = a * cone.heights[e, p] + b * cone.heights[e, q]


@inlined
def _loosen(cone, e, p, q, number, made):
    """Add the facets of the ends of edge `number` that the generator `made` may be."""
    for w in range(cone.tight.shape[2]):
        ends = cone.tight[e, p, w] & cone.loose[0, number]
        cone.tight[e + 1, made, w] |= ends | cone.tight[e, q, w] & cone.loose[1, number]


@inlined
def facets_of(cone, e, g):
    """Facets of a generator but for those of the node, of one word; whether they are certain."""
    facets = cone.tight[e, g, 0] & cone.free[e, 0]
    return facets, facets & ~cone.zeros[e, g, 0] == _ZERO


@inlined
def _combine(ws, cone, e, p, q, a, b, made, number):
    """Make generator ``a p + b q`` of the next depth; note how much p and q differ, as `number`."""
    alpha, beta, size = splat(a), splat(b), splat(0.0)
    for i in range(0, ws.state[ROWS], 8):
        x, y = load(cone.values, (e, p, i)), load(cone.values, (e, q, i))
        size = maximum(size, magnitude(x - y))
        store(cone.values, (e + 1, made, i), x * alpha + y * beta)
    _mix(ws, cone, e, p, q, a, b, made)
    store(cone.spread, (number, 0), size)
    cone.parts[1, number] = abs(cone.heights[e, p] - cone.heights[e, q])


@inlined
def _note(ws, cone, e, p, q, a, b, zeros, error):
    """Note on which sides of the rows ``a p + b q`` of depth e may be, in ``cone.sides``."""
    alpha, beta, most, least = splat(a), splat(b), splat(error), splat(-error)
    for w in range(zeros.shape[0]):
        positive = negative = _ZERO
        first = 64 * w
        for i in range(first, min(first + 64, ws.state[ROWS]), 8):
            x, y = load(cone.values, (e, p, i)), load(cone.values, (e, q, i))
            value, shift = x * alpha + y * beta, np.uint64(i - first)
            positive |= (less(value, least) ^ _EIGHT) << shift
            negative |= (less(most, value) ^ _EIGHT) << shift
        cone.sides[0, w] |= positive & ~zeros[w]
        cone.sides[1, w] |= negative & ~zeros[w]


@inlined
def _keep(ws, cone, e, g, made, last):
    if last:
        _note(ws, cone, e, g, g, 1.0, 0.0, cone.zeros[e, g], cone.errors[e, g])
        cone.values[e + 1, made, 0] = cone.values[e, g, 0]
    else:
        for i in range(0, ws.state[ROWS], 8):
            store(cone.values, (e + 1, made, i), load(cone.values, (e, g, i)))
    for w in range(cone.zeros.shape[2]):
        cone.zeros[e + 1, made, w] = cone.zeros[e, g, w]
    cone.errors[e + 1, made] = cone.errors[e, g]
    for w in range(cone.tight.shape[2]):
        cone.tight[e + 1, made, w] = cone.tight[e, g, w]
    cone.heights[e + 1, made] = cone.heights[e, g]


@inlined
def _project(ws, cone, e, j, line):
    """Move all other generators along a line that crosses row j, into the row."""
    total, made = cone.sizes[e, 0], 0
    pivot, line_error = cone.values[e, line, j], cone.errors[e, line]
    for g in range(total):
        if g != line:
            t = cone.values[e, g, j] / pivot
            size = 1.0 / (1.0 + abs(t))
            _combine(ws, cone, e, g, line, size, -t * size, made, 0)
            error = cone.errors[e, g] + abs(t) * line_error
            error += 1.2 * error / abs(pivot)
            cone.errors[e + 1, made] = error * size + _ROUNDING
            made += 1
    cone.sizes[e + 1, 0], cone.sizes[e + 1, 1] = made, cone.sizes[e, 1] - 1


@inlined
def common_facets(cone, e, p, q):
    """How many facets two generators may have in common, but for those of the node."""
    common = 0
    for w in range(cone.facets.shape[0] - 1):
        common += population(cone.tight[e, p, w] & cone.tight[e, q, w] & cone.free[e, w])
    return common


@outlined
def _match(near, order, edges, above, below, least):
    """Find pairs of generators above and below a row that have `least` facets in common.

    near : their facets. Returns how many; only as many are kept as there is room for.
    """
    number, most = 0, edges.shape[1] - 8
    for a in range(above):
        p, own = order[0, a], splat(near[0, a])
        for first in range(0, below, 64):
            found, number_here = _ZERO, min(below - first, 64)
            for b in range(0, number_here, 8):
                common = populations(load(near, (1, first + b)) & own)
                found |= at_least(common, least) << np.uint64(b)
            found &= rows_of_word(0, number_here)
            while found != _ZERO:
                q, place = order[1, first + trailing_zeros(found)], min(number, most)
                found &= found - _ONE
                edges[0, place], edges[1, place] = p, q
                number += np.int64(p != q)
    return number


@outlined
def _match_many(cone, e, above, below, least):
    """`_match` where facets are more than a word."""
    number = 0
    for a in range(above):
        for b in range(below):
            p, q = cone.order[0, a], cone.order[1, b]
            place = min(number, cone.edges.shape[1] - 8)
            cone.edges[0, place], cone.edges[1, place] = p, q
            number += np.int64(p != q and common_facets(cone, e, p, q) >= least)
    return number


@inlined
def _find_edges(cone, e, above, below, least):
    """Find the pairs of generators above and below a row that may be adjacent; how many."""
    if cone.facets.shape[0] > 2:
        return _match_many(cone, e, above, below, least)
    for k, number in ((0, above), (1, below)):
        for g in range(number):
            cone.near[k, g] = cone.tight[e, cone.order[k, g], 0] & cone.free[e, 0]
    return _match(cone.near, cone.order, cone.edges, above, below, least)


@inlined
def _place_on_edges(cone, e, j, number):
    """Find where row j is 0 on the edges; whether there is such a point on each for certain."""
    unclear, one = _ZERO, splat(1.0)
    for m in range(number):
        p, q = cone.edges[0, m], cone.edges[1, m]
        cone.ends[0, m], cone.ends[1, m] = cone.values[e, p, j], cone.values[e, q, j]
        cone.ends[2, m], cone.ends[3, m] = cone.errors[e, p], cone.errors[e, q]
    for m in range(0, number, 8):
        x, y = load(cone.ends, (0, m)), load(cone.ends, (1, m))
        first, second = load(cone.ends, (2, m)), load(cone.ends, (3, m))
        difference = x - y
        certain = less(splat(4.0) * (first + second), magnitude(difference))
        unclear |= (certain ^ _EIGHT) & rows_of_word(0, min(number - m, 8))
        t = maximum(x / difference, splat(0.0))
        store(cone.parts, (0, m), choose_lanes(less(t, one), t, one))
        for k, end, error in ((0, x, first), (1, y, second)):
            store(cone.loose, (k, m), word_where(less(error, magnitude(end)) ^ _EIGHT, ~_ZERO))
    return unclear == _ZERO


@inlined
def _bound_errors(cone, e, number, made, last):
    """Bound the errors of the generators on edges, from `made` on."""
    for m in range(0, number, 8):
        first, second = load(cone.ends, (2, m)), load(cone.ends, (3, m))
        size = magnitude(load(cone.ends, (0, m)) - load(cone.ends, (1, m)))
        difference, error = splat(2.0), first + second  # no value is larger than 1
        if not last:
            difference = maximum(largest_of_rows(cone.spread, (m, 0)), load(cone.parts, (1, m)))
        # t has an error below 4/3 error / size, see docs/exactness.md
        moved = splat(1.4) * (difference + error) * error / size
        bound = maximum(first, second) + moved + splat(_ROUNDING)
        store(cone.errors, (e + 1, made + m), bound)


@inlined
def _note_edge(ws, cone, e, p, q, t, made):
    """Keep of a generator on an edge its first value only, and `_note` it."""
    _mix(ws, cone, e, p, q, 1.0 - t, t, made)
    first, second = cone.values[e, p, 0], cone.values[e, q, 0]
    cone.values[e + 1, made, 0] = (1.0 - t) * first + t * second
    _note(ws, cone, e, p, q, 1.0 - t, t, cone.zeros[e + 1, made], cone.errors[e + 1, made])


@inlined
def _cut_edges(ws, cone, e, j, number, made, last):
    """Make the generators on edges, from `made` on; whether all are certain."""
    if number + made > cone.values.shape[1] - 8 or not _place_on_edges(cone, e, j, number):
        return False
    if last:
        _bound_errors(cone, e, number, made, True)
    for m in range(number):
        p, q, t = cone.edges[0, m], cone.edges[1, m], cone.parts[0, m]
        if last:
            _note_edge(ws, cone, e, p, q, t, made + m)
        else:
            _combine(ws, cone, e, p, q, 1.0 - t, t, made + m, m)
        _loosen(cone, e, p, q, m, made + m)
    if not last:
        _bound_errors(cone, e, number, made, False)
    return True


@outlined
def cut(ws, cone, e, j, flat):
    """Generators of the section by row j, in the closure of whose flat are ``masks[e, GROUP]``.

    flat : whether no section is made of one of depth d - 3: then `sides` take the place of the
        values of its generators
    """
    total, lines = cone.sizes[e, 0], cone.sizes[e, 1]
    last = flat and lines == 0 and e + 4 == ws.table.shape[1]
    cone.sizes[e + 1, 0], cone.sizes[e + 1, 1], cone.sizes[e + 1, 2] = UNKNOWN, 0, np.int64(last)
    for w in range(cone.facets.shape[0] - 1):
        cone.free[e + 1, w] = cone.free[e, w] & ~ws.masks[e, GROUP, w]
    if total == UNKNOWN:
        return
    crossing = -1
    for g in range(lines):
        if not _is_zero(cone, e, g, j):
            size = abs(cone.values[e, g, j])
            if not size > 16.0 * cone.errors[e, g]:
                return
            if crossing < 0 or size > abs(cone.values[e, crossing, j]):
                crossing = g
    if crossing >= 0:
        _project(ws, cone, e, j, crossing)
        return
    made, above, below = 0, 0, 0
    _forget_sides(cone)
    for g in range(total):
        value, error = cone.values[e, g, j], cone.errors[e, g]
        if _is_zero(cone, e, g, j):
            _keep(ws, cone, e, g, made, last)
            made += 1
        else:
            # where this is open, both; no branch, half of them would be mispredicted
            cone.order[0, above] = cone.order[1, below] = g
            above += np.int64(value > -error)
            below += np.int64(value < error)
            if total == lines + 1 and abs(value) <= error:
                _keep(ws, cone, e, g, made, last)
                made += 1
    # facets of an edge, of a cone in as many dimensions
    least = max(ws.table.shape[1] - e - lines - 2, 0)
    number = _find_edges(cone, e, above, below, least)
    if _cut_edges(ws, cone, e, j, number, made, last):
        cone.sizes[e + 1, 0], cone.sizes[e + 1, 1] = made + number, lines


@inlined
def _forget_sides(cone):
    for w in range(cone.sides.shape[1]):
        cone.sides[0, w] = cone.sides[1, w] = _ZERO


@inlined
def _find_sides(ws, cone, e, total, lines):
    """`_note` for all generators of a depth."""
    _forget_sides(cone)
    for g in range(total):
        if g == lines:  # both ends of a line are generators
            for w in range(cone.sides.shape[1]):
                cone.sides[0, w] = cone.sides[1, w] = cone.sides[0, w] | cone.sides[1, w]
        _note(ws, cone, e, g, g, 1.0, 0.0, cone.zeros[e, g], cone.errors[e, g])
    if total == lines:
        for w in range(cone.sides.shape[1]):
            cone.sides[0, w] = cone.sides[1, w] = cone.sides[0, w] | cone.sides[1, w]


@inlined
def _is_infinite(cone, e, g):
    """Whether a generator lies in row 0."""
    return cone.zeros[e, g, 0] & _ONE != _ZERO


@inlined
def _height(cone, e, g):
    """Ratio of the height of a generator to row 0, and a bound for its error."""
    error, low = cone.errors[e, g], cone.values[e, g, 0]
    ratio = cone.heights[e, g] / low
    return ratio, 1.1 * (1.0 + abs(ratio)) * error / (low - error) + 2.0**-50 * abs(ratio)


@inlined
def _lowest(cone, e, total):
    """A height above that of the lowest generator; whether it has one."""
    least = np.inf
    for g in range(total):
        error = cone.errors[e, g]
        if _is_infinite(cone, e, g):
            if cone.heights[e, g] <= error:
                return 0.0, False
        elif cone.values[e, g, 0] < 2.0 * error:
            return 0.0, False
        else:
            ratio, width = _height(cone, e, g)
            least = min(least, ratio + width)
    return least, least < np.inf


@inlined
def _mark_facets(cone, e, total, dimension, least):
    """Mark the facets of the lowest generators; of a simple one, the last alone."""
    for g in range(total):
        if _is_infinite(cone, e, g):
            continue
        ratio, width = _height(cone, e, g)
        if ratio - width > least:
            continue
        number, last = 0, 0
        for w in range(cone.facets.shape[0] - 1):
            facets = cone.tight[e, g, w] & cone.free[e, w]
            number += population(facets)
            if facets != _ZERO:
                last = w
        for w in range(last + 1):
            facets = cone.tight[e, g, w] & cone.free[e, w]
            if number == dimension - 1:
                facets = _last_bit(facets) if w == last else _ZERO
            cone.marked[w] |= facets


@inlined
def _last_bit(word):
    for k in (1, 2, 4, 8, 16, 32):
        word |= word >> np.uint64(k)
    return word ^ (word >> _ONE)


@outlined
def find_crossing(ws, cone, e, own):
    """Find rows whose flats below the node may have chambers of the cone, into ``cone.crossing``.

    A chamber of the cone on the flat of the node, where it has no row but those of the node, is
    that of its lowest vertex and the facets there, in order, for the height ``y_(d-2) / y_(d-1)``
    in the coordinates of the flag; there is one if the height is bounded below.
    own : whether it is to be found; else no facet is
    """
    total, lines = cone.sizes[e, 0], cone.sizes[e, 1]
    dimension = ws.table.shape[1] - e - lines
    height, bounded = 0.0, not own
    if own and lines == 0:
        height, bounded = _lowest(cone, e, total)
    for w in range(cone.facets.shape[0] - 1):
        cone.marked[w] = _ZERO if bounded else cone.facets[w]
    if own and bounded:
        _mark_facets(cone, e, total, dimension, height)
    if cone.sizes[e, 2] == 0:
        _find_sides(ws, cone, e, total, lines)
    for w in range(ws.masks.shape[2]):
        positive, negative, facets = cone.sides[0, w], cone.sides[1, w], _ZERO
        if w < cone.facets.shape[0] - 1:
            facets = cone.facets[w]
        crossing = positive & negative & ~facets
        left = facets & positive & cone.marked[w]
        while left != _ZERO:
            k = np.uint64(trailing_zeros(left))
            left &= left - _ONE
            rays = 0
            for g in range(lines, total):
                rays += np.int64((cone.tight[e, g, w] >> k) & _ONE)
            if rays >= dimension - 1:
                crossing |= _ONE << k
        cone.crossing[w] = crossing
