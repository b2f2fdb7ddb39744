"""Chords of a polygon: the chambers of the lower end, and of the points where others cross.

Points have keys of 16 bits, as on a line. What keys leave open, the values at the point decide, a
combination of those at both ends. See ``kernels.chambers.polygons``.
"""

import numpy as np

from arrangements.kernels.chambers.solids import (
    QUOTIENT,
    clear_rest,
    compare_ratios,
    falls,
    find_ratios,
    moved,
    signs_of_node,
    turned_at,
)
from arrangements.kernels.chambers.tableau import BEYOND, FAR
from arrangements.kernels.chambers.workspace import ROWS, rows_between, rows_of_word
from arrangements.kernels.compilation import inlined, outlined
from arrangements.kernels.llvm.vectors import (
    choose_lanes,
    half_mask_less,
    half_mask_less_equal,
    less,
    load,
    magnitude,
    mask_less,
    mask_less_equal,
    splat,
    store,
    store_keys,
    trailing_zeros,
)

_ZERO, _ONE, _BYTE = np.uint64(0), np.uint64(1), np.uint64(0xFF)
# More than the roundings of a combination of two singles that are at most 1 in size, and of a
# quotient of them.
_ROUNDING, _QUOTIENT = 2.0**-21, np.float32(2.0**-21)
# Keys of points from 0 to 1 fit, with so much before and behind them.
_WIDEST = np.float32(0.004)


@inlined
def _value_at(cone, flat, e, corner, j):
    """Value of row j, facets counted, at a corner, in double precision."""
    p, q = flat.origins[corner, 0], flat.origins[corner, 1]
    return flat.shares[corner, 0] * cone.values[e, p, j] + (
        flat.shares[corner, 1] * cone.values[e, q, j]
    )


@inlined
def find_end(cone, flat, e, j, side):
    """Where the chord of row j meets a side: (corners, shares), (height, row 0, error of values).

    And how much values of row j differ at the corners. The error is negative if it is not certain.
    e : depth of the section of three dimensions
    """
    p, q = flat.sides[side, 0], flat.sides[side, 1]
    x, y = _value_at(cone, flat, e, p, j), _value_at(cone, flat, e, q, j)
    size, error = abs(x - y), flat.doubts[p] + flat.doubts[q]
    b = x / (x - y)
    a = 1.0 - b
    height = a * flat.heights[p] + b * flat.heights[q]
    base = a * flat.bases[p] + b * flat.bases[q]
    farther, most = max(flat.errors[p], flat.errors[q]), flat.size[0]
    bound = farther + 1.4 * (2.0 * most + error) * error / size + _ROUNDING * most
    return (p, q, a, b), (height, base, bound if size > 4.0 * error else -1.0), size


@inlined
def _place_rows(flat, start, stop, bounds, i):
    """Values, signs and points of the rows i..i+15: (low, high), and signs at both ends."""
    (p, q, a, b), (r, s, c, d) = start, stop
    one, far = splat(np.float32(1.0)), splat(FAR)
    x = load(flat.values, (p, i)) * splat(np.float32(a))
    x = x + load(flat.values, (q, i)) * splat(np.float32(b))
    y = load(flat.values, (r, i)) * splat(np.float32(c))
    y = y + load(flat.values, (s, i)) * splat(np.float32(d))
    store(flat.line, (0, i), x)
    store(flat.line, (1, i), y)
    most, top = splat(np.float32(bounds[0])), splat(np.float32(bounds[1]))
    least, bottom = splat(np.float32(-bounds[0])), splat(np.float32(-bounds[1]))
    up, down = less(most, x), less(x, least)
    above, below = less(top, y), less(y, bottom)
    factor = one / (x - y)
    width = splat(np.float32(2.2 * max(bounds[0], bounds[1]))) * magnitude(factor)
    width, place = width + splat(_QUOTIENT), x * factor
    inside = (up & below | down & above) & less(width, splat(_WIDEST))
    outside, beyond = up & above | down & below, splat(BEYOND)
    low = choose_lanes(inside, place - width, splat(-FAR))
    high = choose_lanes(inside, place + width, far)
    low, high = choose_lanes(outside, beyond, low), choose_lanes(outside, beyond, high)
    return (low, high), (up, down, above, below)


@inlined
def _find_keys(flat, n, start, stop, bounds):
    """Keys of the points of the n rows on a chord, and their signs at both ends."""
    for w in range(flat.closed.shape[0]):
        up = down = above = below = _ZERO
        for i in range(64 * w, min(64 * w + 64, n), 32):
            here, there = np.uint64(i & 63), np.uint64((i & 63) + 16)
            (low, high), (a, b, c, d) = _place_rows(flat, start, stop, bounds, i)
            up, down = up | a << here, down | b << here
            above, below = above | c << here, below | d << here
            (next_low, next_high), (a, b, c, d) = _place_rows(flat, start, stop, bounds, i + 16)
            up, down = up | a << there, down | b << there
            above, below = above | c << there, below | d << there
            store_keys(flat.key, 0, i, low, next_low)
            store_keys(flat.key, 1, i, high, next_high)
        flat.line_signs[0, 0, w], flat.line_signs[0, 1, w] = up, down
        flat.line_signs[1, 0, w], flat.line_signs[1, 1, w] = above, below


@inlined
def bit_in(word, k):
    """Row k as a set, its word `word`."""
    return _ONE << np.uint64(k & 63) if k >> 6 == word else _ZERO


@inlined
def _write_end(flat, e, k, j, facet, out, count):
    """Write the chamber of the lower end of chord k, row j, on a facet; whether it is certain."""
    turned, unclear = turned_at(flat, j, facet)
    unclear &= rows_of_word(0, e)
    positive = falls(flat, facet) != falls(flat, j)
    for w in range(flat.closed.shape[0]):
        above, below = flat.line_signs[0, 0, w], flat.line_signs[0, 1, w]
        itself = bit_in(w, k)
        others = ~(flat.closed[w] | itself)
        unclear |= ~(above | below) & others
        word = above & others | signs_of_node(flat, w, turned)
        out[count, w] = word | (itself if positive else _ZERO)
    clear_rest(flat, out, count)
    return unclear == _ZERO


@outlined
def sign_by_values(flat, i, k, bounds, n, w):
    """Word w of the signs where chords i and k cross: (positive rows, rows left open)."""
    x, y = flat.line[0, i], flat.line[1, i]
    size, error = abs(np.float64(x) - np.float64(y)), bounds[0] + bounds[1]
    if not size > 4.0 * error:
        return _ZERO, ~_ZERO
    farther, top = max(bounds[0], bounds[1]), flat.size[0]
    bound = farther + 1.4 * (2.0 * top + error) * error / size + _ROUNDING * top
    most, least = splat(np.float32(bound)), splat(np.float32(-bound))
    alpha, beta = splat(np.float32(abs(y) / size)), splat(np.float32(abs(x) / size))
    above = below = _ZERO
    for r in range(64 * w, min(64 * w + 64, n), 16):
        value, shift = load(flat.line, (0, r)) * alpha, np.uint64(r & 63)
        value = value + load(flat.line, (1, r)) * beta
        above |= less(most, value) << shift
        below |= less(value, least) << shift
    known = flat.closed[w] | bit_in(w, i) | bit_in(w, k)
    rises = bit_in(w, i) if y > x else _ZERO
    return above & ~known | rises, ~(above | below | known)


@inlined
def _write_crossing(flat, e, rows, chord, bounds, out, count):
    """Write the chamber of the point where chord i crosses chord k; whether it is certain.

    rows : i, k and the number of facets
    chord : n, and whether chord i rises along k
    """
    (i, k, number), (n, rises) = rows, chord
    low, high = flat.key[0, i], flat.key[1, i]
    larger, unclear = compare_ratios(flat, number + k, number + i)
    unclear &= rows_of_word(0, e)
    falling = falls(flat, number + i)
    turned = larger ^ (_BYTE if falling == rises else _ZERO)
    positive = rises != (falling == falls(flat, number + k))
    for w in range(flat.closed.shape[0]):
        itself = bit_in(w, k)
        others = ~(flat.closed[w] | itself)
        not_above = mask_less_equal(flat.key, 0, 64 * w, high)
        left_open = not_above & ~mask_less(flat.key, 1, 64 * w, low) ^ bit_in(w, i)
        above = (flat.line_signs[0, 0, w] ^ not_above) & others
        if left_open & others != _ZERO:
            above, left_open = sign_by_values(flat, i, k, bounds, n, w)
            unclear |= left_open
        word = above | signs_of_node(flat, w, turned)
        out[count, w] = word | (itself if positive else _ZERO)
    clear_rest(flat, out, count)
    return unclear == _ZERO


@inlined
def _words_of_chord(flat, j, number):
    """Sets of rows, of one word: signs at the lower end, what the keys tell the signs of, then in
    which row j is positive where they cross it, and for which all rows of the node are turned.
    """
    rising, others = flat.line_signs[1, 0, 0], ~(flat.closed[0] | bit_in(0, j - number))
    differ = moved(flat.falling, 0, number) ^ rising
    positive = differ if falls(flat, j) else ~differ
    return flat.line_signs[0, 0, 0], others, positive, ~differ


@outlined
def _cross_few(arrays, own, sets, sizes, rows, out, count):
    """`_write_crossing` for chords `rows`, all of one word: (those that are left, new count).

    arrays : keys, ratios, table; own : ratios of the chord, turned; sets : `_words_of_chord`
    sizes : depth of the node, the chord, facets, hyperplanes

    It stops before a chord about which something is open. Arrays by themselves stay in registers.
    """
    (key, ratios, table), (base, others, positive, turned) = arrays, sets
    e, k, number, n = sizes
    node, fifteen, four = rows_of_word(0, e), np.uint64(15), np.uint64(4)
    ratio, wide = load(own, (number + k, 0)), out.shape[1] > 1
    while rows != _ZERO:
        i = np.uint64(trailing_zeros(rows))
        lowest = rows & (_ZERO - rows)
        both = less(load(ratios, (number + np.int64(i), 0)), ratio)
        larger = both >> np.uint64(8)
        low, high = key[0, i], key[1, i]
        if n <= 32:
            not_above = half_mask_less_equal(key, 0, 0, high)
            below = half_mask_less(key, 1, 0, low)
        else:
            not_above, below = mask_less_equal(key, 0, 0, high), mask_less(key, 1, 0, low)
        left_open = (not_above & ~below ^ lowest) & others
        if left_open | (both ^ larger) & node != _ZERO:
            break
        larger ^= _ZERO - (turned >> i & _ONE)
        word = (base ^ not_above) & others | (positive >> i & _ONE) << np.uint64(k)
        word ^= table[0, 0, larger & fifteen] ^ table[0, 1, larger >> four & fifteen]
        out[np.uint64(count), 0] = word
        if wide:
            out[np.uint64(count), 1] = _ZERO
        rows ^= lowest
        count += 1
    return rows, count


@inlined
def place_chord(cone, flat, e, n, k):
    """Place the n rows on chord k: (errors at the lower end and the other one, side of the lower).

    e : depth of the section of three dimensions. The side is -1 if not all is certain.
    """
    side, other, j = flat.ends[k, 0], flat.ends[k, 1], np.int64(cone.facets[-1]) + k
    start, (height, base, error), _ = find_end(cone, flat, e, j, side)
    stop, (next_height, next_base, next_error), _ = find_end(cone, flat, e, j, other)
    here, there = height * next_base, next_height * base
    known = abs(here - there) > 2.1 * (error + next_error) + QUOTIENT
    if not known or error < 0.0 or next_error < 0.0:
        return (0.0, 0.0), -1
    if here > there:
        side, start, stop = other, stop, start
        error, next_error = next_error, error
    _find_keys(flat, n, start, stop, (error, next_error))
    return (error, next_error), side


@inlined
def chords_across(flat, k, w):
    """The chords of word w below k that cross chord k; those for which this is not certain."""
    signs, rows = flat.line_signs, flat.chords[w] & rows_between(w, 0, k)
    here, there = signs[0, 0, w], signs[1, 0, w]
    unclear = ~((here | signs[0, 1, w]) & (there | signs[1, 1, w]))
    return rows & (here ^ there), unclear & rows


@inlined
def _write_chord(ws, cone, flat, k, number, out, count):
    """Write the chambers of chord k: (whether all is certain, new count).

    They are that of its lower end, and one for each chord below k that crosses it.
    """
    e, j, begin = ws.table.shape[1] - 3, number + k, count
    n = ws.state[ROWS] - number
    bounds, side = place_chord(cone, flat, e - 1, n, k)
    if side < 0 or not find_ratios(ws, flat, e - 1, flat.sides[side, 2]):
        return False, begin
    if not _write_end(flat, e, k, j, flat.sides[side, 2], out, count):
        return False, begin
    count += 1
    for w in range((k + 63) >> 6):
        there = flat.line_signs[1, 0, w]
        rows, unclear = chords_across(flat, k, w)
        if unclear != _ZERO:
            return False, begin
        while rows != _ZERO:
            if flat.closed.shape[0] == 1:
                arrays, sizes = (flat.key, flat.ratios, flat.table), (e, k, number, n)
                sets = _words_of_chord(flat, j, number)
                rows, count = _cross_few(arrays, flat.turned_ratios, sets, sizes, rows, out, count)
                if rows == _ZERO:
                    break
            i = trailing_zeros(rows)
            chord = n, there >> np.uint64(i) & _ONE != _ZERO
            rows &= rows - _ONE
            i += 64 * w
            if not _write_crossing(flat, e, (i, k, number), chord, bounds, out, count):
                return False, begin
            count += 1
    return True, count


@outlined
def write_chords(ws, cone, flat, first, stop, out, count):
    """Write the chambers of the chords of rows ``first, .., stop - 1``: (next row, new count).

    It stops before a row about which something is open, or for whose chambers `out` may have no
    room.
    """
    number = np.int64(cone.facets[-1])
    for w in range(flat.chords.shape[0]):
        rows = flat.chords[w] & rows_between(w, first - number, stop - number)
        while rows != _ZERO:
            k = 64 * w + trailing_zeros(rows)
            if count + k + 2 > out.shape[0]:
                return number + k, count
            done, count = _write_chord(ws, cone, flat, k, number, out, count)
            if not done:
                return number + k, count
            rows &= rows - _ONE
    return stop, count
