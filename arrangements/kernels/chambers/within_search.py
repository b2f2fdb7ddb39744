"""The flag sweep that keeps the chambers with + on the first rows, the facets of a polyhedron.

Where floats are certain, chambers are those of lowest vertices and of the chords of polygons. Other
lines are done one by one: those that miss the polyhedron are left out, and children beyond a facet
are not written. Whatever keys leave open is written, and its exact signs on the facets decide.
"""

import numpy as np

from arrangements.kernels.chambers.crossings import write_chords
from arrangements.kernels.chambers.nodes import LEAVES_AND_POLYGONS, choose, make_columns
from arrangements.kernels.chambers.polygons import find_polygon
from arrangements.kernels.chambers.search import (
    emit_far_end,
    emit_line,
    place_line,
    prepare_signs,
    sweep,
)
from arrangements.kernels.chambers.sections import UNKNOWN, cut, find_crossing
from arrangements.kernels.chambers.solids import (
    FLAT,
    OPEN,
    PLACED,
    SOLID,
    find_solid,
    write_lowest,
)
from arrangements.kernels.chambers.tableau import BEYOND, FAR, intervals
from arrangements.kernels.chambers.workspace import (
    CHILDREN,
    DONE,
    FIXED,
    GROUP,
    NEGATIVE,
    NO_POINTS,
    OWN,
    ROWS,
    STORE,
    TAKEN,
    TIED,
    WORK,
    bit,
    rows_between,
    rows_of_word,
)
from arrangements.kernels.compilation import entry, inlined, outlined
from arrangements.kernels.llvm.vectors import (
    KEY_CENTER,
    KEY_SCALE,
    choose_lanes,
    less,
    load,
    mask_less,
    mask_less_equal,
    maximum,
    population,
    splat,
    store,
    store_keys,
    trailing_zeros,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# Parts of a line, whose whole length is 2: keys are made anew for narrower ones than the first, and
# for none as if it were narrower than the second.
_WIDE, _NARROWEST = np.float32(1.0), np.float32(2.0**-8)


@inlined
def faces_line(ws, e, facets):
    """(Whether a facet is negative on the whole line, whether one is in the closure of the node)"""
    missed = closed = False
    for w in range(facets.shape[0]):
        members = _ZERO
        for q in range(e):
            members |= ws.masks[q, GROUP, w]
        closed |= facets[w] & members != _ZERO
        constant = facets[w] & ws.masks[e, NO_POINTS, w] & ~ws.masks[e, FIXED, w] & ~members
        missed |= constant != _ZERO
    return missed, closed


@inlined
def find_window(ws, e, facets):
    """Where the facets are positive on a line: (at most from, certainly from, certainly to, at most
    to), in the coordinate of intervals.
    """
    low = sure_low = -FAR
    high = sure_high = FAR
    for w in range(facets.shape[0]):
        points = facets[w] & ~ws.masks[e, NO_POINTS, w]
        negative = ws.masks[e, NEGATIVE, w]
        while points != _ZERO:
            k = trailing_zeros(points)
            points &= points - _ONE
            here, there = ws.low_high[0, w * 64 + k], ws.low_high[1, w * 64 + k]
            if negative >> np.uint64(k) & _ONE != _ZERO:
                high, sure_high = min(high, there), min(sure_high, here)
            else:
                low, sure_low = max(low, here), max(sure_low, there)
    return low, sure_low, sure_high, high


@inlined
def magnify(ends, center, scale):
    """Ends of intervals in the coordinate of a part of a line; rows without a point stay behind."""
    found, far = (ends - center) * scale, splat(FAR)
    found = maximum(choose_lanes(less(found, far), found, far), splat(-FAR))
    return choose_lanes(less(far, ends), splat(BEYOND), found)


@inlined
def focus(ws, low, high):
    """Make keys of the points in a part of the line, from -1 to 1, which may crowd there.

    Whatever is rounded, keys increase with the numbers they are made of. Returns the middle of
    the part and the factor.
    """
    middle = np.float32(0.5) * (low + high)
    factor = np.float32(2.0) / max(high - low, _NARROWEST)
    center, scale = splat(middle), splat(factor)
    for i in range(0, ws.state[ROWS], 32):
        for k in range(2):
            first = magnify(load(ws.low_high, (k, i)), center, scale)
            second = magnify(load(ws.low_high, (k, i + 16)), center, scale)
            store_keys(ws.key, k, i, first, second)
    return middle, factor


@inlined
def key_near(number, middle, factor, step):
    """The key that `focus` makes of a number, and `step` more."""
    number = min(max((number - middle) * factor, -FAR), FAR)
    scaled = number * np.float32(KEY_SCALE) + np.float32(KEY_CENTER)
    return np.int16(np.int16(scaled - np.float32(KEY_CENTER)) + step)


@inlined
def clip(ws, e, facets, last):
    """Count the rows beyond a facet on the line among the children.

    Returns whether others may be left, and whether all of these are certainly inside.
    """
    low, sure_low, sure_high, high = find_window(ws, e, facets)
    if low > high:
        return False, True
    middle, factor = np.float32(0.0), np.float32(1.0)
    if high - low < _WIDE:
        middle, factor = focus(ws, low, high)
    first, final = key_near(low, middle, factor, -1), key_near(high, middle, factor, 1)
    sure_first = key_near(sure_low, middle, factor, 1)
    sure_final = key_near(sure_high, middle, factor, -1)
    open_rows, ends = _ZERO, 0
    for w in range(ws.masks.shape[2]):
        outside = mask_less(ws.key, 1, w * 64, first) | ~mask_less_equal(ws.key, 0, w * 64, final)
        inside = mask_less(ws.key, 1, w * 64, sure_final)
        inside &= ~mask_less_equal(ws.key, 0, w * 64, sure_first)
        limits = facets[w] if w < facets.shape[0] else _ZERO
        outside |= limits & ws.masks[e, NEGATIVE, w]  # the chamber of a child is above its point
        ws.masks[e, CHILDREN, w] = outside
        ws.masks[e, TIED, w] = ws.masks[e, TAKEN, w] = _ZERO
        if w * 64 < last:
            candidates = ~(outside | inside | ws.masks[e, NO_POINTS, w]) & rows_of_word(w, last)
            open_rows |= candidates & ~limits
            ends += population(candidates & limits)
    return True, open_rows == _ZERO and ends <= 1 and sure_first < sure_final


@inlined
def write_leaf(ws, cone, e, last, out, count):
    """Write the children of a leaf that may lie in the polyhedron, or count those that do.

    Returns also whether they are counted, not written.
    """
    facets = cone.facets[:-1]
    missed, closed = faces_line(ws, e, facets)
    if missed:
        return DONE, count, True
    some, certain = clip(ws, e, facets, last)
    if not some:
        return DONE, count, True
    counts = cone.counts and certain and not closed
    if counts:
        ws.state[STORE] = 0
    else:
        prepare_signs(ws, e, True, last)
    status, count = emit_line(ws, e, last, True, out, count)
    return status, count, counts


@inlined
def is_least(ws, e, j):
    """Whether no row below j is tied with it."""
    for w in range((j >> 6) + 1):
        if ws.ties[e, j, w] & rows_of_word(w, j) != _ZERO:
            return False
    return True


@inlined
def find_children(ws, cone, e, last, known, out):
    """The children of a node, none of whose line is inside.

    known : whether others are not in ``cone.crossing``
    """
    store, ws.state[STORE] = ws.state[STORE], 0
    words = ws.masks.shape[2]
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
def keep_inside(facets, number, words, out, first, count):
    """Keep the rows from `first` on that are + on all facets, without these; their new number."""
    shift, skipped, kept = np.uint64(number & 63), number >> 6, first
    if words <= 2 and skipped == 0:
        rest = np.uint64(63) - shift
        for k in range(first, count):
            word, following = out[k, 0], out[k, words - 1]
            if words == 2:
                out[kept, 1] = following >> shift
                out[kept, 0] = word >> shift | following << _ONE << rest
            else:
                out[kept, 0] = word >> shift
            kept += np.int64(word & facets[0] == facets[0])
        return kept
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
def write_node(ws, cone, flat, e, last, out, count):
    """Write the chambers inside the polyhedron on the line of a node that is no leaf.

    Where it meets none, only its children are found, and the chamber of the node if it is certain.
    """
    state, d, first = ws.state, ws.table.shape[1], count
    own, store = e >= state[OWN], state[STORE]
    if e > 0:
        cut(ws, cone, e - 1, ws.chain[e - 1], True)
    known, alone = cone.sizes[e, 0] != UNKNOWN, cone.is_apart
    done = e <= d - 4 and known
    done = done and write_lowest(ws, cone, flat, e, last, out, count if own else -1)
    if done:
        count += 1
        alone = True
    solid = e == d - 4 and known and find_solid(ws, cone, flat, e, last)
    if known and not (done and solid):
        find_crossing(ws, cone, e, not done)
    if alone:
        return find_children(ws, cone, e, last, known, out), count
    if not own:
        state[STORE] = 0
    prepare_signs(ws, e, False, last)
    if e == 0 and state[OWN] == 0:
        emit_far_end(ws, out, count)
        count += 1
    status, count = emit_line(ws, e, last, False, out, count)
    state[STORE] = store
    if known:
        for w in range(ws.masks.shape[2]):
            ws.masks[e, CHILDREN, w] &= cone.crossing[w]
    if own:
        number = np.int64(cone.facets[-1])
        count = keep_inside(cone.facets[:-1], number, ws.masks.shape[2], out, first, count)
    return status, count


@inlined
def write_inside(ws, cone, e, last, out, count):
    """Write the chambers inside the polyhedron on the line of a leaf."""
    first, store = count, ws.state[STORE]
    status, count, counts = write_leaf(ws, cone, e, last, out, count)
    ws.state[STORE] = store
    if status == DONE and not counts:
        number = np.int64(cone.facets[-1])
        count = keep_inside(cone.facets[:-1], number, ws.masks.shape[2], out, first, count)
    return status, count


@outlined
def place_polygon(ws, cone, flat, e, out):
    """Place the line of a polygon, of depth e, for chords that floats leave open.

    Returns (status, whether the current chord is a child: no smaller row is the same).
    """
    j, k = ws.chain[e - 1], ws.chain[e]
    if flat.state[PLACED] == 0:
        make_columns(ws, e - 1, j, (ws.state[ROWS] + 15) & ~15, True)
        status = place_line(ws, e, False, j, True)
        if status != DONE:
            return status, False
        for w in range(ws.masks.shape[2]):
            cone.crossing[w] = ws.masks[e, CHILDREN, w]
        status = find_children(ws, cone, e, j, True, out)
        if status != DONE:
            for w in range(ws.masks.shape[2]):
                ws.masks[e, CHILDREN, w] = cone.crossing[w]
            return status, False
        flat.state[PLACED] = 1
    choose(ws.masks, ws.ties, ws.chain, ws.state, e, k)
    return DONE, bit(ws.masks, e, CHILDREN, k)


@inlined
def do_polygon(ws, space, e, last, out, count):
    """Write the chamber of a polygon of depth e, and those of its chords that are certain.

    Returns (whether all about the polygon is certain, new count).
    """
    cone, flat = space
    own = e >= ws.state[OWN]
    if not find_polygon(ws, cone, flat, last, out, count if own else -1):
        return False, count
    if not own:
        return True, count
    first, stop = ws.span[e, 0], min(ws.span[e, 1], last)
    done, count = write_chords(ws, cone, flat, first, stop, out, count + 1)
    for w in range(ws.masks.shape[2]):
        written = ws.masks[e, CHILDREN, w] & rows_between(w, 0, done)
        ws.masks[e, CHILDREN, w] ^= written
        ws.state[WORK] += population(written)
    return True, count


@inlined
def do_inside(ws, space, e, leaf, last, signs, out, count):
    """Write the chambers inside the polyhedron of the current node of depth e.

    space : `Sections` and `Polygon`; signs : True
    A polygon has columns, and a line, only if something about it is open.
    """
    (cone, flat), d = space, ws.table.shape[1]
    if leaf and flat.state[FLAT] != 0:
        done, count = write_chords(ws, cone, flat, last, last + 1, out, count)
        if done > last:
            return DONE, count
        status, is_child = place_polygon(ws, cone, flat, e - 1, out)
        if status != DONE or not is_child:
            return status, count
    elif 0 < e == d - 3:
        if flat.state[SOLID] != OPEN:
            known, count = do_polygon(ws, space, e, last, out, count)
            if known:
                return DONE, count
        flat.state[FLAT] = 0
        make_columns(ws, e - 1, last, (ws.state[ROWS] + 15) & ~15, True)
    status = place_line(ws, e, leaf, last, True)
    if status != DONE:
        return status, count
    if leaf:
        return write_inside(ws, cone, e, last, out, count)
    status, count = write_node(ws, cone, flat, e, last, out, count)
    if status == DONE and cone.sizes[e, 0] == UNKNOWN and e == d - 3:
        prune(ws, e, np.int64(cone.facets[-1]))
    return status, count


@entry
def advance(ws, cone, flat, budget, out, count):
    """As ``kernels.chambers.search.advance``, for the chambers with + on the facets of a cone.

    ``state[STORE]`` must not be 0. If ``cone.counts``, rows of `out` mean nothing.
    """
    options = True, LEAVES_AND_POLYGONS
    return sweep(ws, (cone, flat), do_inside, options, budget, out, count)


@entry
def spread_rows(out, first, count, places, spans, signs, row):
    """Put signs of some hyperplanes, in the rows from `first` on, among those of all.

    places : (k, 16 or 256, words) uint64, the signs of all for each value of the k groups of four
        or eight of a row
    spans : (words / 8, 2) int64, which of these groups hold signs of eight words
    signs : (words,) uint64, of the others; row : (2 words,) uint64, work space

    Words of all are a multiple of eight; `out` has those in use.
    """
    last = np.uint64(places.shape[1] - 1)
    width = 8 if places.shape[1] == 256 else 4
    for k in range(first, count):
        for w in range(out.shape[1]):
            row[w] = out[k, w]
        for w in range(0, signs.shape[0], 8):
            found = load(signs, (w,))
            for b in range(spans[w >> 3, 0], spans[w >> 3, 1]):
                at = width * b
                value = row[at >> 6] >> np.uint64(at & 63) & last
                found = found | load(places, (b, np.int64(value), w))
            store(row, (signs.shape[0] + w,), found)
        for w in range(out.shape[1]):
            out[k, w] = row[signs.shape[0] + w]
