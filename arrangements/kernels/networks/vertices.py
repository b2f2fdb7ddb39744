"""Values of units at the vertices of a node; new vertices, and bounds for their errors."""

import numpy as np

from arrangements.kernels.compilation import inlined, kernel, late_entry
from arrangements.kernels.late import INT, Late
from arrangements.kernels.llvm.vectors import less, load, splat, store, trailing_zeros
from arrangements.kernels.networks.exact_signs import UNKNOWN, sign_at
from arrangements.kernels.networks.rows import ROUNDING, TINY
from arrangements.kernels.networks.workspace import LATE_SOLVE, UNSOLVED

_ZERO, _ONE = np.uint64(0), np.uint64(1)
# Vertices with larger errors are solved for.
_LARGE = 2.0**-28
# More than the distance of two points of the polytope in any coordinate.
_ANYWHERE = 2.5
# Answers of `find_sides`: sets of these.
PLUS, MINUS, DOUBTFUL = 1, 2, 4


@inlined
def find_sides(path, g, v0, v1):
    """Where a candidate is certainly positive and negative, into ``path.masks``; a set."""
    last = path.points.shape[0]
    constant, slope = splat(path.lines[g, last]), splat(path.lines[g, last + 2])
    error, zero, found = splat(path.lines[g, last + 1]), splat(0.0), 0
    for w in range((v1 - v0 + 63) >> 6):
        first = v0 + 64 * w
        end, plus, minus = min(first + 64, v1), _ZERO, _ZERO
        for v in range(first, end, 8):
            value = constant
            for c in range(last):
                value = value + splat(path.lines[g, c]) * load(path.points, (c, v))
            bound = error + slope * load(path.doubts, (v,))
            store(path.values, (v - v0,), value)
            shift = np.uint64(v - first)
            plus |= less(bound, value) << shift
            minus |= less(value, zero - bound) << shift
        every = ~_ZERO >> np.uint64(64 - (end - first))
        plus &= every
        minus &= every
        path.masks[0, w], path.masks[1, w] = plus, minus
        found |= np.int64(plus != _ZERO) * PLUS | np.int64(minus != _ZERO) * MINUS
        found |= np.int64(plus | minus != every) * DOUBTFUL
    return found


@kernel
def settle(net, path, node, g, v0, v1):
    """Decide doubtful signs exactly: a set as of `find_sides`; `DOUBTFUL` without residues."""
    found = 0
    for w in range((v1 - v0 + 63) >> 6):
        first = v0 + 64 * w
        every = ~_ZERO >> np.uint64(64 - (min(first + 64, v1) - first))
        doubtful = every & ~(path.masks[0, w] | path.masks[1, w])
        while doubtful != _ZERO:
            bit = doubtful & (~doubtful + _ONE)
            doubtful ^= bit
            v = first + trailing_zeros(bit)
            sign = sign_at(net, path, node, g, v)
            if sign == UNKNOWN:
                return DOUBTFUL
            if sign == 0:
                path.values[v - v0] = 0.0
            else:
                path.masks[np.int64(sign < 0), w] |= bit
        found |= np.int64(path.masks[0, w] != _ZERO) * PLUS
        found |= np.int64(path.masks[1, w] != _ZERO) * MINUS
    return found


@inlined
def place_between(path, g, v0, p, q, made):
    """Put a vertex where a unit is 0 between p, where it is positive, and q; whether it is good."""
    last = path.points.shape[0]
    error, slope = path.lines[g, last + 1], path.lines[g, last + 2]
    x, size = path.values[p - v0], path.values[p - v0] - path.values[q - v0]
    wrong = 2.0 * error + slope * (path.doubts[p] + path.doubts[q])
    if not size > 4.0 * wrong:
        for c in range(last):
            path.points[c, made] = 0.5 * (path.points[c, p] + path.points[c, q])
        path.doubts[made] = _ANYWHERE
        return False
    t = min(max(x / size, 0.0), 1.0)
    farthest = 0.0
    for c in range(last):
        start, step = path.points[c, p], path.points[c, q] - path.points[c, p]
        farthest = max(farthest, abs(step))
        path.points[c, made] = start + t * step
    doubt = max(path.doubts[p], path.doubts[q])
    # the derivative of t is (1 - t) / size and t / size, up to the errors of size
    moved = (1.0 - t) * (error + slope * path.doubts[p]) + t * (error + slope * path.doubts[q])
    moved = (moved + wrong * wrong / size) / (size - wrong)
    bound = doubt + (farthest + 2.0 * doubt) * 1.001 * moved + 8.0 * ROUNDING
    path.doubts[made] = min(bound, _ANYWHERE)
    return bound < _LARGE


@inlined
def _take_row(net, path, square, g, number, d):
    """Row g as row `number` of a system, and the unit vector; its error at most."""
    size = 0.0
    for c in range(d + 1):
        square[number, c] = path.rows[c, g]
        size += abs(path.rows[c, g])
        square[number, d + 1 + c] = 0.0
    return net.errors[g] + (d + 6) * ROUNDING * size + TINY


@kernel
def _independent(net, path, node, v):
    """Choose d facets through a vertex that are far from dependent, into `chosen`; how many."""
    d, number, square = path.points.shape[0], 0, path.square
    for w in range(path.tight.shape[0]):
        word, b = path.tight[w, v], 64 * w
        while word != _ZERO and number < d:
            if word & _ONE != _ZERO:
                g = path.facets[node, b]
                _take_row(net, path, square, g, number, d)
                path.chosen[number] = g
                largest = 0.0
                for t in range(number):
                    pivot = path.pivots[t]
                    factor = square[number, pivot] / square[t, pivot]
                    for c in range(d):
                        square[number, c] -= factor * square[t, c]
                size = 0.0
                for c in range(d):
                    size += abs(path.rows[c, g])
                    if abs(square[number, c]) > largest:
                        largest = abs(square[number, c])
                        path.pivots[number] = c
                number += np.int64(largest > 1e-9 * size)
            word >>= _ONE
            b += 1
    return number


@kernel
def _invert(path, d):
    """Replace the unit matrix beside the first d columns by the inverse; whether it exists."""
    square = path.square
    for t in range(d):
        best = t
        for r in range(t + 1, d):
            if abs(square[r, t]) > abs(square[best, t]):
                best = r
        if not abs(square[best, t]) > 0.0:
            return False
        if best != t:
            for c in range(2 * d + 1):
                square[best, c], square[t, c] = square[t, c], square[best, c]
        scale = 1.0 / square[t, t]
        for c in range(2 * d + 1):
            square[t, c] *= scale
        for r in range(d):
            factor = square[r, t]
            if r != t and factor != 0.0:
                for c in range(2 * d + 1):
                    square[r, c] -= factor * square[t, c]
    return True


@late_entry
def solve(net, path, node, v):
    """Solve for a vertex from its facets, and bound its error; whether that is smaller then.

    If R is about the inverse of A,

    ``x - y = R (A (x - y)) + (I - R A)(x - y)``, and A x is known up to the errors of the rows.
    """
    d, square = path.points.shape[0], path.square
    if _independent(net, path, node, v) < d:
        return np.int64(0)
    for t in range(d):
        _take_row(net, path, square, path.chosen[t], t, d)
        square[t, d + 1 + t] = 1.0
    for t in range(d):  # the constants are not needed here
        for c in range(d):
            square[t, d + c] = square[t, d + 1 + c]
        square[t, 2 * d] = path.rows[d, path.chosen[t]]
    if not _invert(path, d):
        return np.int64(0)
    for c in range(d):
        path.point[c] = min(max(-square[c, 2 * d], -1.0), 1.0)
    bound, distance = 0.0, 0.0
    for r in range(d):
        error, size = 0.0, 0.0
        for t in range(d):
            g, residual, largest = path.chosen[t], 0.0, 0.0
            residual = path.rows[d, g]
            for c in range(d):
                residual += path.rows[c, g] * path.point[c]
                largest += abs(path.rows[c, g])
            largest += abs(path.rows[d, g])
            wrong = net.errors[g] + (d + 6) * ROUNDING * largest + TINY
            error += abs(square[r, d + t]) * (abs(residual) + wrong)
        for c in range(d):
            entry = -1.0 if c == r else 0.0
            for t in range(d):
                product = square[r, d + t] * path.rows[c, path.chosen[t]]
                entry += product
                size += 2.0 * d * ROUNDING * abs(product)
            size += abs(entry) + ROUNDING
        bound, distance = max(bound, error), max(distance, size)
    good = distance < 0.5 and 2.1 * bound < path.doubts[v]
    if good:
        path.doubts[v] = 2.1 * bound
        for c in range(d):
            path.points[c, v] = path.point[c]
    return np.int64(good)


SOLVER = Late(solve, INT, (INT,) * 2)
_call = SOLVER.call


@inlined
def solve_vertex(net, path, node, v):
    """`solve`, if it is there."""
    if path.late[LATE_SOLVE] == 0:
        path.state[UNSOLVED] += 1
    else:
        _call(path.late[LATE_SOLVE], (net, path, node, v))
