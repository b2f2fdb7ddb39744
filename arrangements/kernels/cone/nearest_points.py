"""The point of a convex hull nearest to the origin: of the rows of many small questions.

For unit rows p_i that point x has ``p_i . x >= |x|^2``, so if it is not 0 all rows are positive at
x, the more so the larger |x|; if it is 0, a combination of rows is zero. Wolfe's method (Math.
Programming 11 (1976) 128-149) keeps a *corral*, affinely independent rows with x in the relative
interior of their hull: it adds a row that is smaller at x, and leaves rows out until the nearest
point of the affine hull lies within. Here several rows join at a time: one of them at least has a
positive weight at the nearest point of the new affine hull, and those that have none leave again.

Floating point without error bounds: the result is a proposal, to be proved elsewhere.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import allocating_entry, allocating_kernel, kernel, proposing

# Answers: x is positive at all rows; x is nearly 0, and the rows of the corral
# combine to it; floats do not tell.
POSITIVE, ZERO, UNCLEAR = 1, 0, 2
# Entries of `highs` that are no rows: none, or the threshold, the last coordinate.
NOTHING, THRESHOLD = -1, -2
# A row of its own, which is not in the table.
INFINITY = -1

# Squares of |x| that count as zero, and below which x is not taken for nearest early.
_ZERO, _EARLY = 1e-22, 1e-10
# A square that is lost to rounding: rows that depend on those of the corral.
_DEPENDENT = 1e-13
# x is near enough if all rows are at least this share of what they are at the nearest point.
_SHARE = 0.5
# The least row of each of at most this many groups joins, if it is short of |x|^2 by at least this
# share of what the least of all is short of.
_GROUPS, _SHORT = 24, 0.4
# Rows are padded to a multiple of this many entries, as many as a vector has.
_LANES = 8


class Asked(NamedTuple):
    """Conditions of m questions, at most K of each, which are to be positive.

    Attributes
    ----------
    active : (m, K) int32
        The rows, INFINITY included.
    highs : (m, K) int32
        The row from which an active row is subtracted, NOTHING or THRESHOLD.
    signs : (m, K) int8
        By which rows are multiplied without such a row.
    counts : (m,) int64
        How many rows are active, at least 1.
    """

    active: NDArray[np.int32]
    highs: NDArray[np.int32]
    signs: NDArray[np.int8]
    counts: NDArray[np.int64]


class Answers(NamedTuple):
    """Answers to the questions, in E coordinates.

    Attributes
    ----------
    corrals : (m, E + 1) int32
        Places in `active`, in and out; E is D, or D + 1 with a threshold.
    sizes : (m,) int64
        In and out.
    weights : (m, E + 1) float64
        In and out, of sum 1.
    points : (m, E) float64
    status : (m,) int64
        POSITIVE, ZERO or UNCLEAR.
    """

    corrals: NDArray[np.int32]
    sizes: NDArray[np.int64]
    weights: NDArray[np.float64]
    points: NDArray[np.float64]
    status: NDArray[np.int64]


class Room(NamedTuple):
    """Work space of one question: its unit rows, also by columns, and intermediate results.

    Rows end with zeros.
    """

    rows: NDArray[np.float64]
    columns: NDArray[np.float64]
    values: NDArray[np.float64]
    factor: NDArray[np.float64]
    affine: NDArray[np.float64]


@allocating_entry
def nearest_points(table, infinity, threshold, asked, found):
    """Wolfe's method for each question, which goes on from the corral given.

    table : (n, D) float64
    infinity : (D,) float64, the row INFINITY
    threshold : bool, there is one more coordinate
    asked, found : Asked, Answers
    """
    dimension, most = table.shape[1] + threshold, asked.active.shape[1]
    room = Room(
        np.zeros((most, -(-dimension // _LANES) * _LANES)),
        np.empty((dimension, most)),
        np.empty(most),
        np.empty((dimension + 2, dimension + 2)),
        np.empty(dimension + 2),
    )
    for q in range(asked.active.shape[0]):
        count, rows = asked.counts[q], room.rows
        active, highs, signs = asked.active[q], asked.highs[q], asked.signs[q]
        if not _form(table, infinity, active, highs, signs, count, rows[:, :dimension]):
            found.status[q] = UNCLEAR
            continue
        for c in range(dimension):
            for k in range(count):
                room.columns[c, k] = rows[k, c]
        corral, weights, point = found.corrals[q], found.weights[q], found.points[q]
        found.status[q], found.sizes[q] = _nearest(
            room, count, corral, found.sizes[q], weights, point
        )


@proposing
def _form(table, infinity, active, highs, signs, count, rows):
    """Unit rows of a question; False if one is zero."""
    width = table.shape[1]
    for k in range(count):
        i, high, row = active[k], highs[k], rows[k]
        if i == INFINITY:
            for c in range(width):
                row[c] = infinity[c]
            row[width:] = 0.0
        elif high >= 0:
            upper, lower = table[high], table[i]
            for c in range(width):
                row[c] = upper[c] - lower[c]
        else:
            sign, lower = float(signs[k]), table[i]
            for c in range(width):
                row[c] = sign * lower[c]
            row[width:] = -sign if high == THRESHOLD else 0.0
        square = 0.0
        for c in range(row.shape[0]):
            square += row[c] * row[c]
        if not (square > 0.0 and square < math.inf):
            return False
        scale = 1.0 / math.sqrt(square)
        for c in range(row.shape[0]):
            row[c] *= scale
    return True


@allocating_kernel
def _nearest(room, count, corral, size, weights, point):
    """One question: its status, and the size of its corral."""
    rows, factor, dimension = room.rows, room.factor, point.shape[0]
    kept = 0
    for k in range(size):  # the corral of an earlier round, whose rows are still there
        if _join(rows, corral, kept, corral[k], factor):
            corral[kept], weights[kept] = corral[k], weights[k]
            kept += 1
    size = kept
    if size == 0:
        _join(rows, corral, 0, 0, factor)
        corral[0], weights[0], size = 0, 1.0, 1
    before = math.inf
    for _ in range(20 * (dimension + 5)):
        size = _into_hull(corral, size, weights, factor, room.affine)
        if size == 0:
            return UNCLEAR, 0
        square = _combine(rows, corral, size, weights, point)
        if square < _ZERO:
            return ZERO, size
        least = _evaluate(room.columns, count, point, room.values)
        if least >= _SHARE * square and square > _EARLY or least >= square * (1 - 1e-9):
            return POSITIVE, size
        if square >= before:  # lost to rounding
            return (POSITIVE if least > 0.0 else UNCLEAR), size
        before = square
        if size > dimension:
            return (ZERO if square < _EARLY else UNCLEAR), size
        for k in range(size):
            room.values[corral[k]] = math.inf
        fresh = _add(room, count, corral, size, weights, square - _SHORT * (square - least))
        if fresh == size:
            return (POSITIVE if least > 0.0 else UNCLEAR), size
        size = fresh
    return UNCLEAR, size


@kernel
def _add(room, count, corral, size, weights, limit):
    """Extend the corral by the least row of each group that is at most `limit`; its size."""
    step = (count + _GROUPS - 1) // _GROUPS
    for start in range(0, count, step):
        least, row = limit, -1
        for k in range(start, min(start + step, count)):
            if room.values[k] <= least:
                least, row = room.values[k], k
        if row >= 0 and size < len(weights) and _join(room.rows, corral, size, row, room.factor):
            corral[size], weights[size] = row, 0.0
            size += 1
    return size


@proposing
def _evaluate(columns, count, point, values):
    """Values of all rows at the point; the least of them."""
    values[:count] = 0.0
    for c in range(point.shape[0]):
        for k in range(count):
            values[k] += columns[c, k] * point[c]
    least = math.inf
    for k in range(count):
        least = min(least, values[k])
    return least


@proposing
def _combine(rows, corral, size, weights, point):
    """The point with these weights, and the square of its norm."""
    point[:] = 0.0
    width, rest = point.shape[0], size % 4
    for k in range(rest):
        row, weight = rows[corral[k]], weights[k]
        for c in range(width):
            point[c] += weight * row[c]
    for k in range(rest, size, 4):
        p, q = rows[corral[k]], rows[corral[k + 1]]
        r, s = rows[corral[k + 2]], rows[corral[k + 3]]
        a, b, e, f = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        for c in range(width):
            point[c] += a * p[c] + b * q[c] + e * r[c] + f * s[c]
    square = 0.0
    for c in range(width):
        square += point[c] * point[c]
    return square


@proposing
def _join(rows, corral, size, row, factor):
    """Extend the Cholesky factor of the matrix ``1 + p_i . p_j`` by a row; False if it depends."""
    rest, joining, last = 2.0, rows[row], factor[size]
    for k in range(size):
        value, other = 1.0, rows[corral[k]]
        for c in range(joining.shape[0]):
            value += other[c] * joining[c]
        last[k] = value
    for k in range(size):
        value, line = last[k], factor[k]
        for e in range(k):
            value -= line[e] * last[e]
        value /= line[k]
        last[k] = value
        rest -= value * value
    if rest < _DEPENDENT:
        return False
    last[size] = math.sqrt(rest)
    return True


@kernel
def _leave(corral, size, weights, factor, gone):
    """Remove the row at place `gone` of the corral."""
    for k in range(gone, size - 1):
        corral[k], weights[k] = corral[k + 1], weights[k + 1]
        for e in range(k + 2):
            factor[k, e] = factor[k + 1, e]
        # rotate columns k and k + 1 so that the entry above the diagonal vanishes
        a, b = factor[k, k], factor[k, k + 1]
        length = math.sqrt(a * a + b * b)
        cosine, sine = a / length, b / length
        factor[k, k] = length
        for r in range(k + 2, size):
            a, b = factor[r, k], factor[r, k + 1]
            factor[r, k], factor[r, k + 1] = cosine * a + sine * b, cosine * b - sine * a


@kernel
def _into_hull(corral, size, weights, factor, found):
    """Move to the nearest point of the affine hull, leaving rows out until it lies in the hull.

    Returns the size of the corral, 0 if that fails.
    """
    while size > 0:
        _solve(factor, size, found)
        share, gone, idle = 1.0, -1, False
        for k in range(size - 1, -1, -1):
            if found[k] <= 0.0:
                if weights[k] <= 0.0:
                    _leave(corral, size, weights, factor, k)
                    size, idle = size - 1, True
                    continue
                step = weights[k] / (weights[k] - found[k])
                if gone < 0 or step < share:
                    share, gone = step, k
        if idle:  # rows left without a step
            continue
        if gone < 0:
            for k in range(size):
                weights[k] = found[k]
            return size
        for k in range(size):
            weights[k] += share * (found[k] - weights[k])
        _leave(corral, size, weights, factor, gone)
        size -= 1
    return 0


@proposing
def _solve(factor, size, found):
    """Weights, of sum 1, of the nearest point of the affine hull."""
    for k in range(size):
        value = 1.0
        for e in range(k):
            value -= factor[k, e] * found[e]
        found[k] = value / factor[k, k]
    for k in range(size - 1, -1, -1):
        found[k] /= factor[k, k]
        for e in range(k):
            found[e] -= factor[k, e] * found[k]
    total = 0.0
    for k in range(size):
        total += found[k]
    for k in range(size):
        found[k] /= total
