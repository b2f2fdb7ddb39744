"""Sections of three dimensions of a cone, and signs of the rows of a node where floats prove them.

Vertices of such a section lie on three facets each, where it is simple; or it is a prism without
ends: rays on two facets, each moved along the only line. ``kernels.chambers.polygons`` cuts it. In
sets of rows and values made here, rows are numbered from the first hyperplane, behind the facets.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.chambers.sections import facets_of
from arrangements.kernels.chambers.tableau import eliminations
from arrangements.kernels.chambers.workspace import FIXED, GROUP, ROWS, rows_of_word
from arrangements.kernels.compilation import inlined, outlined
from arrangements.kernels.llvm.vectors import (
    choose_lanes,
    less,
    load,
    load_across,
    magnitude,
    population,
    populations,
    splat,
    store,
    store_narrow,
    trailing_zeros,
    word_where,
    zero_words,
)
from arrangements.kernels.shared import shared

_ZERO, _ONE, _BYTE = np.uint64(0), np.uint64(1), np.uint64(0xFF)
# Vertices of a section, and corners of a polygon.
MOST_VERTICES = 64
# Multipliers and slopes of the rows of a polygon fill one vector.
MOST_DIMENSIONS = 10
# More facets than fit into the first word of a set with a hyperplane.
MOST_FACETS = 63
# More than the roundings of a quotient of doubles; units of `eliminations`; roundings to singles.
QUOTIENT, _UNITS, _SINGLE = 2.0**-51, 6.0 * 2.0**-53, 2.0**-23
# Sets of numbers 0 to 7 with bit 0, 1 or 2.
_WITH = np.uint64(0xAA), np.uint64(0xCC), np.uint64(0xF0)
# Registers of `Polygon.state`:
#   SOLID    what the section of three dimensions is known to be
#   FLAT     whether the current polygon is known
#   PLACED   whether its line is placed, for chords that floats leave open
SOLID, FLAT, PLACED = range(3)
# Values of SOLID.
OPEN, SIMPLE, PRISM = range(3)


@shared
class Polygon(NamedTuple):
    """A section of three dimensions, and a polygon that is a section of it.

    Attributes
    ----------
    state : (3,) int64
    near, adjacent : (72,) uint64
        Facets of each vertex, and its neighbors.
    above : (words, 72) uint64, sure : (words,) uint64
        Rows that are certainly positive at each vertex; those whose signs are certain at all.
    values : (64, pad + 32) float32, errors, heights, bases, lows, highs : (most + 8,) float64
        Values of the rows at each corner, a bound for their errors; values of the height and of
        row 0 there or at vertices, and bounds for their ratio.
    origins : (72, 2) int64, shares : (72, 2) float64, doubts : (72,) float64
        Of which vertices a corner is a combination, and how much of each; the error without
        roundings to singles.
    facets : (64,) uint64, signs : (words, 72) uint64
        Facets of each corner, and rows that are positive there.
    sides : (72, 3) int64, seen : (64,) int64
        Two corners and the facet of each side; the last corner seen on each facet, or -1.
    ends : (pad, 2) int64, chords : (words,) uint64
        The sides where each chord ends; rows that are chords.
    factors : (3, 8) float64
        Of a pivot, for each column: both, and the error of the new column.
    facet_rows : (10, 8) float64, bounds : (2, 8) float64
        Columns of some facets; bounds for errors, and for sizes.
    columns : (8,) float64
        Work space.
    size : (1,) float64
        The largest value at corners.
    ratios, turned_ratios : (pad, 16) float32, falling : (words,) uint64
        Bounds for the multipliers of each row (facets too) divided by its slope, eight lower and
        eight upper ones, and the other way round; rows with a negative slope, as in a workspace.
    closed : (words,) uint64, table : (words, 2, 16) uint64
        The closure of the node, and all that is no row; signs in it for each value of the lower and
        upper four bits of a set of rows of the node, to be xor-ed.
    line : (2, pad + 32) float32, key : (2, pad) int16, line_signs : (2, 2, words) uint64
        Values at both ends of a chord; intervals of points on it; rows that are certainly positive,
        or negative, at an end.
    """

    state: NDArray[np.int64]
    near: NDArray[np.uint64]
    adjacent: NDArray[np.uint64]
    above: NDArray[np.uint64]
    sure: NDArray[np.uint64]
    values: NDArray[np.float32]
    errors: NDArray[np.float64]
    heights: NDArray[np.float64]
    bases: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    origins: NDArray[np.int64]
    shares: NDArray[np.float64]
    doubts: NDArray[np.float64]
    facets: NDArray[np.uint64]
    signs: NDArray[np.uint64]
    sides: NDArray[np.int64]
    seen: NDArray[np.int64]
    ends: NDArray[np.int64]
    chords: NDArray[np.uint64]
    factors: NDArray[np.float64]
    facet_rows: NDArray[np.float64]
    bounds: NDArray[np.float64]
    columns: NDArray[np.float64]
    size: NDArray[np.float64]
    ratios: NDArray[np.float32]
    turned_ratios: NDArray[np.float32]
    falling: NDArray[np.uint64]
    closed: NDArray[np.uint64]
    table: NDArray[np.uint64]
    line: NDArray[np.float32]
    key: NDArray[np.int16]
    line_signs: NDArray[np.uint64]


@inlined
def moved(sets, word, number):
    """Word `word` of a set without its first `number` members, 1 to 63."""
    shift = np.uint64(number)
    found = sets[word] >> shift
    if word + 1 < sets.shape[0]:
        found |= sets[word + 1] << (np.uint64(64) - shift)
    return found


@inlined
def move_back(found, number, sets):
    """Write a set with its members moved behind `number` others, 1 to 63."""
    shift, before = np.uint64(number), _ZERO
    for w in range(sets.shape[0]):
        word = found[w] if w < found.shape[0] else _ZERO
        sets[w] = word << shift | before >> (np.uint64(64) - shift)
        before = word


@inlined
def find_closure(ws, flat, e, number):
    """Find the closure of a node of depth e, 0 to 7, and the signs of its rows."""
    n = ws.state[ROWS] - number
    for w in range(flat.closed.shape[0]):
        closed = _ZERO
        for half in range(2):
            signs = splat(_ZERO)
            for k in range(3):
                if 4 * half + k < e:
                    group = moved(ws.masks[4 * half + k, GROUP], w, number)
                    closed |= group
                    signs = signs ^ word_where(_WITH[k], group)
            group = _ZERO
            if 4 * half + 3 < e:
                group = moved(ws.masks[4 * half + 3, GROUP], w, number)
                closed |= group
            if half == 1:
                signs = signs ^ splat(moved(ws.masks[e, FIXED], w, number) & closed)
            store(flat.table, (w, half, 0), signs)
            store(flat.table, (w, half, 8), signs ^ splat(group))
        flat.closed[w] = closed | ~rows_of_word(w, n)


@inlined
def signs_of_node(flat, w, turned):
    """Signs of the closure of the node in word w; turned: the rows of the node that are turned."""
    fifteen = np.uint64(15)
    return flat.table[w, 0, turned & fifteen] ^ flat.table[w, 1, turned >> np.uint64(4) & fifteen]


@inlined
def clear_rest(flat, out, count):
    """Clear the words of a chamber behind those of hyperplanes."""
    for w in range(flat.closed.shape[0], out.shape[1]):
        out[count, w] = _ZERO


@inlined
def find_lowest(flat, total):
    """The lowest of some points; or -1, if it is not certain."""
    for g in range(0, total, 8):
        error, base = load(flat.errors, (g,)), load(flat.bases, (g,))
        ratio = load(flat.heights, (g,)) / base
        width = splat(1.1) * (splat(1.0) + magnitude(ratio)) * error / (base - error)
        width = width + splat(QUOTIENT) * magnitude(ratio)
        positive = less(splat(2.0) * error, base)  # else it may be anywhere
        store(flat.lows, (g,), choose_lanes(positive, ratio - width, splat(-np.inf)))
        store(flat.highs, (g,), choose_lanes(positive, ratio + width, splat(np.inf)))
    least = flat.highs[0]
    for g in range(1, total):
        least = min(least, flat.highs[g])
    number, lowest = 0, -1
    for g in range(0, total, 8):
        above = less(splat(least), load(flat.lows, (g,)))
        found = (above ^ _BYTE) & rows_of_word(0, min(total - g, 8))
        if found != _ZERO:
            number += population(found)
            lowest = g + trailing_zeros(found)
    return lowest if number == 1 else -1


@inlined
def take_pivot(ws, flat, e, p):
    """How the columns of a node of depth e change with row p, as in ``tableau.find_factors``."""
    table, bound, itself = ws.table, ws.bound, _ONE << np.uint64(e)
    up, vp = load_across(table, (e, 0, p)), splat(table[e, e, p])
    u_error, u_size = load(bound, (e, 0, 0)), load(bound, (e, 1, 0))
    v_error, v_size = splat(bound[e, 0, e]), splat(bound[e, 1, e])
    alpha, beta, error = eliminations(up, vp, u_error, v_error, u_size, v_size, _UNITS)
    store(flat.factors, (0, 0), choose_lanes(itself, splat(1.0), alpha))
    store(flat.factors, (1, 0), choose_lanes(itself, splat(0.0), beta))
    store(flat.factors, (2, 0), choose_lanes(itself, u_error, error))


@inlined
def find_ratios(ws, flat, e, j):
    """Find the ratios of row j, facets counted, for the pivot; whether its slope is certain."""
    own = splat(ws.table[e, e, j])
    columns = load_across(ws.table, (e, 0, j)) * load(flat.factors, (0, 0))
    columns = columns - own * load(flat.factors, (1, 0))
    store(flat.columns, (0,), columns)
    slope, error = flat.columns[e + 1], flat.factors[2, e + 1]
    inverse = 1.0 / slope
    ratios = columns * splat(inverse)
    widths = load(flat.factors, (2, 0)) + magnitude(ratios) * splat(error)
    widths = widths * splat(1.07 * abs(inverse)) + magnitude(ratios) * splat(_SINGLE)
    low, high = ratios - widths, ratios + widths
    store_narrow(flat.ratios, (j, 0), low, high)
    store_narrow(flat.turned_ratios, (j, 0), high, low)
    bit = _ONE << np.uint64(j & 63)
    flat.falling[j >> 6] = flat.falling[j >> 6] & ~bit | (bit if slope < 0.0 else _ZERO)
    return abs(slope) > 16.0 * error


@inlined
def falls(flat, j):
    """Whether row j, facets counted, has a negative slope."""
    return flat.falling[j >> 6] >> np.uint64(j & 63) & _ONE != _ZERO


@inlined
def compare_ratios(flat, k, j):
    """The multipliers for which the ratio of row k is larger than that of j; those left open."""
    both = less(load(flat.ratios, (j, 0)), load(flat.turned_ratios, (k, 0)))
    perhaps, larger = both & _BYTE, both >> np.uint64(8)
    return larger, perhaps ^ larger


@inlined
def turned_at(flat, k, facet):
    """Rows of the node that are turned at a lowest point, on row k and a facet; those open."""
    larger, unclear = compare_ratios(flat, k, facet)
    return larger ^ (_BYTE if falls(flat, facet) else _ZERO), unclear


@inlined
def certain_signs(values, index, first, last, error):
    """Of the rows from `first` to `last` - 1, at most 64, the certainly positive and negative."""
    most, least = splat(error), splat(-error)
    positive = negative = _ZERO
    for k in range(first, last, 8):
        value, shift = load(values, (*index, k)), np.uint64(k - first)
        positive |= less(most, value) << shift
        negative |= less(value, least) << shift
    return positive, negative


@inlined
def _is_inside(ws, cone, e, turned):
    """Whether facets in the closure of a node of depth e are positive in its chamber."""
    closed = signs = _ZERO
    for q in range(e):
        group = ws.masks[q, GROUP, 0]
        closed |= group
        signs ^= group & (_ZERO - (turned >> np.uint64(q) & _ONE))
    signs ^= ws.masks[e, FIXED, 0]
    return cone.facets[0] & closed & ~signs == _ZERO


@inlined
def _eliminate(flat, s, number, v):
    """Pivot the columns of some facets, `number` of them, on entry v of facet s."""
    rows, bounds, itself = flat.facet_rows, flat.bounds, _ONE << np.uint64(v)
    up, vp = load(rows, (s, 0)), splat(rows[s, v])
    u_error, u_size = load(bounds, (0, 0)), load(bounds, (1, 0))
    v_error, v_size = splat(bounds[0, v]), splat(bounds[1, v])
    alpha, beta, error = eliminations(up, vp, u_error, v_error, u_size, v_size, _UNITS)
    alpha = choose_lanes(itself, splat(1.0), alpha)
    beta = choose_lanes(itself, splat(0.0), beta)
    store(bounds, (0, 0), choose_lanes(itself, u_error, error))
    store(bounds, (1, 0), splat(1.001) * (alpha * u_size + magnitude(beta) * v_size))
    for i in range(s + 1, number):
        store(rows, (i, 0), load(rows, (i, 0)) * alpha - splat(rows[i, v]) * beta)


@inlined
def _turned_at_vertex(ws, flat, e, facets):
    """Rows of a node of depth e that are turned at a vertex on some facets; whether all is certain.

    The facets are as many as the section has dimensions, at least 2.
    """
    number = ws.table.shape[1] - 1 - e
    for i in range(number):
        store(flat.facet_rows, (i, 0), load_across(ws.table, (e, 0, trailing_zeros(facets))))
        facets &= facets - _ONE
    store(flat.bounds, (0, 0), load(ws.bound, (e, 0, 0)))
    store(flat.bounds, (1, 0), load(ws.bound, (e, 1, 0)))
    for s in range(number - 2):
        _eliminate(flat, s, number, e + s)
    last, error = e + number - 2, splat(flat.bounds[0, e + number - 2])
    one, other = flat.facet_rows[number - 2, last], flat.facet_rows[number - 1, last]
    # multipliers m, n with the slopes r, s: the sign of m / r - n / s, times s
    m, n = load(flat.facet_rows, (number - 2, 0)), load(flat.facet_rows, (number - 1, 0))
    value = m * splat(other) - n * splat(one)
    errors = load(flat.bounds, (0, 0))
    sizes, slopes = magnitude(m) + magnitude(n), splat(abs(one) + abs(other))
    width = (sizes + splat(2.0) * errors) * error + errors * slopes
    width = splat(1.1) * width + splat(QUOTIENT) * sizes * slopes
    unclear = less(width, magnitude(value)) ^ _BYTE
    slope_error = 16.0 * flat.bounds[0, last]
    certain = (abs(one) > slope_error) & (abs(other) > slope_error)
    turned = less(splat(0.0), value) ^ (_BYTE if one < 0.0 else _ZERO)
    return turned, certain & (unclear & rows_of_word(0, e) == _ZERO)


@inlined
def _find_heights(cone, flat, e):
    """Heights of the vertices of a section; whether it is bounded, in row 0 = 1, for certain."""
    total, bounded = cone.sizes[e, 0], cone.sizes[e, 1] == 0
    for g in range(total):
        flat.errors[g], flat.heights[g] = cone.errors[e, g], cone.heights[e, g]
        flat.bases[g] = cone.values[e, g, 0]
        bounded &= flat.bases[g] > 16.0 * flat.errors[g]
    return bounded & (total > 1)


@outlined
def write_lowest(ws, cone, flat, e, last, out, count):
    """Write the chamber of a node at the lowest vertex of its section, if `count` >= 0.

    Returns whether that is certain. The depth e is at most d - 4.
    """
    d, number = ws.table.shape[1], np.int64(cone.facets[-1])
    if number > MOST_FACETS or d > MOST_DIMENSIONS or not _find_heights(cone, flat, e):
        return False
    lowest = find_lowest(flat, cone.sizes[e, 0])
    if lowest < 0:
        return False
    facets, known = facets_of(cone, e, lowest)
    if not known or population(facets) != d - 1 - e or facets >= _ONE << np.uint64(min(last, 63)):
        return False
    turned, certain = _turned_at_vertex(ws, flat, e, facets)
    if not certain or not _is_inside(ws, cone, e, turned):
        return False
    find_closure(ws, flat, e, number)
    return _write_vertex(cone, flat, e, lowest, turned, out, count)


@inlined
def _find_vertices(cone, flat, e, lines):
    """Facets of the vertices; whether each is certain, on three facets less `lines`."""
    total, certain = cone.sizes[e, 0] - lines, True
    for g in range(total):
        v = g + lines
        flat.near[g], known = facets_of(cone, e, v)
        certain &= (population(flat.near[g]) == 3 - lines) & known
        certain &= cone.values[e, v, 0] > 16.0 * cone.errors[e, v]
    for g in range(total, total + 8):
        flat.near[g] = _ZERO
    return certain


@inlined
def _find_neighbors(flat, total):
    """Find pairs of vertices on two facets; whether each is in three of them."""
    simple = True
    for g in range(total):
        own, adjacent = splat(flat.near[g]), _ZERO
        for q in range(0, total, 8):
            common = populations(load(flat.near, (q,)) & own) ^ splat(np.uint64(2))
            adjacent |= zero_words(common) << np.uint64(q)
        flat.adjacent[g] = adjacent
        simple &= population(adjacent) == 3
    return simple


@inlined
def _sign_vertices(cone, flat, e, last, number):
    """Signs of hyperplanes below `last` at the vertices; those that may cross, in `chords`."""
    for w in range(flat.sure.shape[0]):
        stop = max(min(last - number - 64 * w, 64), 0)
        sure, positive, negative, first = ~_ZERO, _ZERO, _ZERO, number + 64 * w
        for g in range(cone.sizes[e, 0]):
            error = cone.errors[e, g]
            above, below = certain_signs(cone.values, (e, g), first, first + stop, error)
            on_it = moved(cone.zeros[e, g], w, number)
            flat.above[w, g] = above
            sure &= above | below
            positive |= ~(below | on_it)
            negative |= ~(above | on_it)
        flat.sure[w] = sure
        flat.chords[w] = positive & negative & rows_of_word(0, stop)


@inlined
def _write_vertex(cone, flat, e, vertex, turned, out, count):
    """Write the chamber of a vertex, if `count` >= 0; whether its signs are certain."""
    unclear, number = _ZERO, np.int64(cone.facets[-1])
    for w in range(flat.closed.shape[0]):
        first, error, closed = number + 64 * w, cone.errors[e, vertex], flat.closed[w]
        above, below = certain_signs(cone.values, (e, vertex), first, first + 64, error)
        unclear |= ~(above | below | closed)
        if count >= 0:
            out[count, w] = above & ~closed | signs_of_node(flat, w, turned)
    if count >= 0:
        clear_rest(flat, out, count)
    return unclear == _ZERO


@outlined
def find_solid(ws, cone, flat, e, last):
    """Look at a section of three dimensions; whether it is simple, and all else is certain.

    Then ``cone.crossing`` are the hyperplanes below `last` that may cross it.
    """
    number, total, lines = np.int64(cone.facets[-1]), cone.sizes[e, 0], cone.sizes[e, 1]
    flat.state[SOLID] = OPEN
    if number > MOST_FACETS or ws.table.shape[1] > MOST_DIMENSIONS or lines > 1:
        return False
    if not 2 < total <= MOST_VERTICES or not _find_vertices(cone, flat, e, lines):
        return False
    if lines == 1:
        flat.state[SOLID] = PRISM if cone.zeros[e, 0, 0] & _ONE != _ZERO else OPEN
        return False
    if not _find_neighbors(flat, total):
        return False
    _sign_vertices(cone, flat, e, last, number)
    move_back(flat.chords, number, cone.crossing)
    flat.state[SOLID] = SIMPLE
    return True
