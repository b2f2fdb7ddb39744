"""Polygons: corners from edges of a section of three dimensions, sides, and rows that are chords.

The chamber of a node is that of the lowest corner of its polygon. See ``kernels.chambers.solids``.
"""

import numpy as np

from arrangements.kernels.chambers.solids import (
    FLAT,
    MOST_VERTICES,
    PLACED,
    PRISM,
    SOLID,
    clear_rest,
    find_closure,
    find_lowest,
    find_ratios,
    move_back,
    signs_of_node,
    take_pivot,
    turned_at,
)
from arrangements.kernels.chambers.workspace import CHILDREN, ROWS, TAKEN, TIED, rows_of_word
from arrangements.kernels.compilation import inlined, outlined
from arrangements.kernels.llvm.vectors import (
    less,
    load,
    magnitude,
    maximum,
    splat,
    store,
    store_narrow,
    trailing_zeros,
    zero_words,
)

_ZERO, _ONE, _BYTE = np.uint64(0), np.uint64(1), np.uint64(0xFF)
# As in ``sections``; the rounding to a single of a value that is at most 1 in size.
_ROUNDING, _SINGLE = 2.0**-49, 2.0**-24


@inlined
def _make_corner(ws, cone, flat, points, parts, made):
    """Make the corner ``a p + b q``, a + |b| = 1, of generators (e, p, q)."""
    (e, p, q), (a, b) = points, parts
    alpha, beta, number = splat(a), splat(b), np.int64(cone.facets[-1])
    size = load(flat.columns, (0,))
    for i in range(0, ws.state[ROWS] - number, 16):
        k = number + i
        first = load(cone.values, (e, p, k)) * alpha + load(cone.values, (e, q, k)) * beta
        k += 8
        second = load(cone.values, (e, p, k)) * alpha + load(cone.values, (e, q, k)) * beta
        store_narrow(flat.values, (made, i), first, second)
        size = maximum(size, maximum(magnitude(first), magnitude(second)))
    store(flat.columns, (0,), size)
    flat.origins[made, 0], flat.origins[made, 1] = p, q
    flat.shares[made, 0], flat.shares[made, 1] = a, b
    flat.heights[made] = a * cone.heights[e, p] + b * cone.heights[e, q]
    flat.bases[made] = a * cone.values[e, p, 0] + b * cone.values[e, q, 0]


@inlined
def _cut_edge(ws, cone, flat, j, points, made):
    """Make the corner where row j, facets counted, meets an edge; whether that is certain."""
    e, p, q = points
    x, y = cone.values[e, p, j], cone.values[e, q, j]
    size, error = abs(x - y), cone.errors[e, p] + cone.errors[e, q]
    if made == MOST_VERTICES or not size > 4.0 * error:
        return False
    t = x / (x - y)
    _make_corner(ws, cone, flat, points, (1.0 - t, t), made)
    # as in ``sections.cut``, on the last depth
    farther = max(cone.errors[e, p], cone.errors[e, q])
    flat.errors[made] = farther + 1.4 * (2.0 + error) * error / size + _ROUNDING
    flat.facets[made] = flat.near[p] & flat.near[q]
    return True


@inlined
def _cut_edges(ws, cone, flat, e, j):
    """Make the corners of the section by row j, facets counted; how many, or -1."""
    total, k = cone.sizes[e, 0], j - np.int64(cone.facets[-1])
    bit, w = _ONE << np.uint64(k & 63), k >> 6
    if flat.sure[w] & bit == _ZERO:
        return -1
    above = _ZERO
    for g in range(0, total, 8):
        crossing = zero_words(load(flat.above, (w, g)) & splat(bit)) ^ _BYTE
        above |= crossing << np.uint64(g)
    above &= rows_of_word(0, total)
    left, made = above, 0
    while left != _ZERO:
        p = trailing_zeros(left)
        left &= left - _ONE
        others = flat.adjacent[p] & ~above
        while others != _ZERO:
            if not _cut_edge(ws, cone, flat, j, (e, p, trailing_zeros(others)), made):
                return -1
            others &= others - _ONE
            made += 1
    return made


@inlined
def _cut_prism(ws, cone, flat, e, j):
    """Move the rays of a prism along its line, into row j; how many, or -1."""
    pivot, line_error, made = cone.values[e, 0, j], cone.errors[e, 0], cone.sizes[e, 0] - 1
    if not abs(pivot) > 16.0 * line_error:
        return -1
    for g in range(made):
        t = cone.values[e, g + 1, j] / pivot
        size = 1.0 / (1.0 + abs(t))
        _make_corner(ws, cone, flat, (e, g + 1, 0), (size, -t * size), g)
        # as in ``sections``
        error = cone.errors[e, g + 1] + abs(t) * line_error
        error += 1.2 * error / abs(pivot)
        flat.errors[g], flat.facets[g] = error * size + _ROUNDING, flat.near[g]
    return made


@inlined
def _add_roundings(flat, total):
    """Note the largest value at the corners; errors are also those of singles."""
    size = 0.0
    for k in range(8):
        size = max(size, flat.columns[k])
    flat.size[0] = size
    for c in range(total):
        flat.doubts[c] = flat.errors[c]
        flat.errors[c] += _SINGLE * size


@inlined
def _sign_corners(flat, total, k):
    """Find the rows below k that are chords; whether the others certainly are not."""
    certain = total > 2
    for w in range(flat.chords.shape[0]):
        stop = max(min(k, 64 * w + 64), 64 * w)
        positive = negative = unclear = _ZERO
        for c in range(total):
            above = below = _ZERO
            bound = np.float32(flat.errors[c])
            for i in range(64 * w, stop, 16):
                value, shift = load(flat.values, (c, i)), np.uint64(i & 63)
                above |= less(splat(bound), value) << shift
                below |= less(value, splat(-bound)) << shift
            flat.signs[w, c] = above
            positive |= above
            negative |= below
            unclear |= ~(above | below)
        rows = rows_of_word(0, stop - 64 * w) & ~flat.closed[w]
        certain &= unclear & rows == _ZERO
        flat.chords[w] = positive & negative & rows
    return certain


@inlined
def _find_sides(flat, total):
    """Find the sides of a polygon; whether it is closed."""
    made = 0
    for c in range(total):
        facets = flat.facets[c]
        for _ in range(2):
            f = trailing_zeros(facets)
            facets &= facets - _ONE
            before = flat.seen[f]
            flat.sides[made, 0], flat.sides[made, 1], flat.sides[made, 2] = before, c, f
            # no branch, half of them would be mispredicted
            paired = np.int64(before >= 0)
            made += paired
            flat.seen[f] = c - paired * (c + 1)
    if made != total:
        for f in range(flat.seen.shape[0]):
            flat.seen[f] = -1
    return made == total


@inlined
def find_ends(flat, total):
    """Find the two sides where each chord ends."""
    for s in range(total):
        p, q = flat.sides[s, 0], flat.sides[s, 1]
        for w in range(flat.chords.shape[0]):
            rows = (flat.signs[w, p] ^ flat.signs[w, q]) & flat.chords[w]
            while rows != _ZERO:
                k = 64 * w + trailing_zeros(rows)
                rows &= rows - _ONE
                flat.ends[k, 0] = flat.ends[k, 1]
                flat.ends[k, 1] = s


@inlined
def _write_corner(ws, flat, corner, turned, out, count):
    """Write the chamber of a corner, if `count` >= 0; whether its signs are certain."""
    unclear, bound = _ZERO, np.float32(flat.errors[corner])
    for w in range(flat.closed.shape[0]):
        above = below = _ZERO
        for i in range(64 * w, 64 * w + 64, 16):
            value, shift = load(flat.values, (corner, i)), np.uint64(i & 63)
            above |= less(splat(bound), value) << shift
            below |= less(value, splat(-bound)) << shift
        unclear |= ~(above | below | flat.closed[w])
        if count >= 0:
            out[count, w] = above & ~flat.closed[w] | signs_of_node(flat, w, turned)
    if count >= 0:
        clear_rest(flat, out, count)
    return unclear == _ZERO


@inlined
def cut_solid(ws, cone, flat, j):
    """Find corners, sides and chords of the section by row j of one of three dimensions.

    Returns the number of corners, or 0 if not all is certain.
    """
    e, number = ws.table.shape[1] - 4, np.int64(cone.facets[-1])
    store(flat.columns, (0,), splat(0.0))
    if flat.state[SOLID] == PRISM:
        total = _cut_prism(ws, cone, flat, e, j)
    else:
        total = _cut_edges(ws, cone, flat, e, j)
    _add_roundings(flat, total)
    find_closure(ws, flat, e + 1, number)
    if not _sign_corners(flat, total, j - number) or not _find_sides(flat, total):
        return 0
    return total


@outlined
def find_polygon(ws, cone, flat, j, out, count):
    """Look at the section by row j of one of three dimensions; write the chamber of the node.

    If `count` < 0 it is not written. Returns whether all is certain; then its children are chords.
    """
    e, number = ws.table.shape[1] - 4, np.int64(cone.facets[-1])
    flat.state[FLAT] = flat.state[PLACED] = 0
    total = cut_solid(ws, cone, flat, j) if j >= number else 0
    lowest = find_lowest(flat, total) if total > 0 else -1
    if lowest < 0:
        return False
    take_pivot(ws, flat, e, j)
    facets = flat.facets[lowest]
    first, second = trailing_zeros(facets), trailing_zeros(facets & (facets - _ONE))
    certain = find_ratios(ws, flat, e, second) & find_ratios(ws, flat, e, first)
    turned, unclear = turned_at(flat, second, first)
    certain &= unclear & rows_of_word(0, e + 1) == _ZERO
    for w in range(flat.chords.shape[0]):
        rows = flat.chords[w]
        while rows != _ZERO:
            certain &= find_ratios(ws, flat, e, number + 64 * w + trailing_zeros(rows))
            rows &= rows - _ONE
    if not certain or not _write_corner(ws, flat, lowest, turned, out, count):
        return False
    find_ends(flat, total)
    move_back(flat.chords, number, ws.masks[e + 1, CHILDREN])
    for w in range(ws.masks.shape[2]):
        ws.masks[e + 1, TIED, w] = ws.masks[e + 1, TAKEN, w] = _ZERO
    flat.state[FLAT] = 1
    return True
