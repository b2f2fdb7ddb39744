"""Rows of the units of a layer, composed of those below, and which units may split a polytope."""

import numpy as np

from arrangements.kernels.compilation import inlined, kernel
from arrangements.kernels.llvm.vectors import less, load, magnitude, splat, store
from arrangements.kernels.networks.workspace import (
    CLOCK,
    END,
    FIRST,
    LIMIT,
    NUMBER,
    SOURCE,
    SOURCES,
    WEIGHTS,
)

_ZERO, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(0xFF)
# More than a rounding; less than any product that matters.
ROUNDING, TINY = 2.0**-52, 1e-290


@inlined
def _factor(net, path, g):
    sign = path.signs[g]
    if sign == 0:
        return 0.0
    return net.factors[g, np.int64(sign > 0)]


@inlined
def _note_changes(net, path, layer, fresh):
    """List the sources whose factor changed, and their rows times the change; how many."""
    first, w0 = net.table[layer, SOURCE], net.table[layer, WEIGHTS]
    changes, columns = 0, net.base.shape[0]
    for j in range(net.table[layer, SOURCES]):
        factor = _factor(net, path, first + j)
        old = 0.0 if fresh else path.used[w0 + j]
        if factor != old:
            path.changes[changes] = w0 + j
            for c in range(columns):
                path.terms[changes, c] = (factor - old) * path.rows[c, first + j]
            changes += 1
        path.used[w0 + j] = factor
    return changes


@inlined
def _add_changes(net, path, layer, changes, fresh):
    start, end, columns = net.table[layer, FIRST], net.table[layer, END], net.base.shape[0]
    for c in range(0, columns, 4):
        for u in range(start, end, 8):
            if fresh:
                w = load(net.base, (c, u))
                x, y, z = load(net.base, (c + 1, u)), splat(0.0), splat(0.0)
                if c + 2 < columns:
                    y = load(net.base, (c + 2, u))
                if c + 3 < columns:
                    z = load(net.base, (c + 3, u))
            else:
                w, x = load(path.rows, (c, u)), load(path.rows, (c + 1, u))
                y, z = load(path.rows, (c + 2, u)), load(path.rows, (c + 3, u))
            for i in range(changes):
                weights = load(net.weights, (path.changes[i], u - start))
                w = w + weights * splat(path.terms[i, c])
                x = x + weights * splat(path.terms[i, c + 1])
                y = y + weights * splat(path.terms[i, c + 2])
                z = z + weights * splat(path.terms[i, c + 3])
            store(path.rows, (c, u), w)
            store(path.rows, (c + 1, u), x)
            store(path.rows, (c + 2, u), y)
            store(path.rows, (c + 3, u), z)


@kernel
def compose(net, path, layer):
    """Compose the rows of a layer, of the current rows and signs below.

    Few signs differ from those of the last region: its terms are exchanged. All are added anew
    after as many changes as there are sources, which bounds the roundings.
    """
    if layer == 0:
        return
    below = path.version[layer - 1]
    fresh = path.made[layer] != below or path.steps[layer] > net.table[layer, SOURCES]
    changes = _note_changes(net, path, layer, fresh)
    if fresh:
        path.steps[layer] = 0
    else:
        path.steps[layer] += changes
    _add_changes(net, path, layer, changes, fresh)
    path.state[CLOCK] += 1
    path.version[layer], path.made[layer] = path.state[CLOCK], below


@inlined
def _note_line(net, path, g):
    """Keep the row of a candidate, and bounds for the errors of its values."""
    last = net.base.shape[0] - 1
    slope = 0.0
    for c in range(last):
        path.lines[g, c] = path.rows[c, g]
        slope += abs(path.rows[c, g])
    constant = path.rows[last, g]
    path.lines[g, last] = constant
    rounding = (last + 4) * ROUNDING * (slope + abs(constant))
    path.lines[g, last + 1] = net.errors[g] + rounding + TINY
    path.lines[g, last + 2] = slope * (1.0 + 64.0 * ROUNDING) + net.errors[g]


@inlined
def _sides(net, path, u, v0, v1, central):
    """Which of eight units are certainly positive, negative at some vertex, and doubtful."""
    last = net.base.shape[0] - 1
    constant, slope, zero = load(path.rows, (last, u)), splat(0.0), splat(0.0)
    for c in range(last):
        slope = slope + magnitude(load(path.rows, (c, u)))
    error = load(net.errors, (u,))
    size = splat((last + 4) * ROUNDING) * (slope + magnitude(constant))
    slope = slope * splat(1.0 + 64.0 * ROUNDING) + error
    error = error + size + splat(TINY)
    plus, minus, doubtful = _ZERO, _ZERO, _ZERO
    for v in range(v0, v1):
        if central and path.doubts[v] == 0.0 and is_origin(path, v):
            continue
        value = constant
        for c in range(last):
            value = value + load(path.rows, (c, u)) * splat(path.points[c, v])
        bound = error + slope * splat(path.doubts[v])
        above, below = less(bound, value), less(value, zero - bound)
        plus |= above
        minus |= below
        doubtful |= (above | below) ^ _EIGHT
    return plus, minus, doubtful


@inlined
def is_origin(path, v):
    """Whether the coordinates of a vertex are 0."""
    for c in range(path.points.shape[0]):
        if path.points[c, v] != 0.0:
            return False
    return True


@kernel
def classify(net, path, layer, v0, v1, at):
    """Set the signs of units that certainly do not split a polytope, and list the others.

    at : where the list begins in ``path.candidates``; its end is returned.
    """
    first, number = net.table[layer, FIRST], net.table[layer, NUMBER]
    if layer == 0:
        number = min(number, path.state[LIMIT])
    for u in range(first, first + number, 8):
        plus, minus, doubtful = _sides(net, path, u, v0, v1, net.central[u] != 0)
        open_units = (plus & minus) | doubtful | ~(plus | minus)
        for lane in range(min(8, first + number - u)):
            bit = _ONE << np.uint64(lane)
            if open_units & bit != _ZERO:
                path.candidates[at] = u + lane
                _note_line(net, path, u + lane)
                at += 1
            else:
                path.signs[u + lane] = 1 if plus & bit != _ZERO else -1
    return at
