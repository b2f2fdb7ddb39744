"""The point of a convex hull nearest to the origin: of the rows of many small questions.

For unit rows p_i that point x has ``p_i . x >= |x|^2``, so if it is not 0 all rows are positive at
x, the more so the larger |x|; if it is 0, a combination of rows is zero. Wolfe's method (Math.
Programming 11 (1976) 128-149) keeps a *corral*, affinely independent rows with x in the relative
interior of their hull: it adds the row that is least at x, and leaves rows out until the nearest
point of the affine hull lies within.

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
    """Work space of one question: its unit rows, also by columns, and intermediate results."""

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
        np.empty((most, dimension)),
        np.empty((dimension, most)),
        np.empty(most),
        np.empty((dimension + 2, dimension + 2)),
        np.empty(dimension + 2),
    )
    for q in range(asked.active.shape[0]):
        count, rows = asked.counts[q], room.rows
        active, highs, signs = asked.active[q], asked.highs[q], asked.signs[q]
        if not _form(table, infinity, active, highs, signs, count, rows):
            found.status[q] = UNCLEAR
            continue
        for c in range(dimension):
            for k in range(count):
                room.columns[c, k] = rows[k, c]
        corral, weights, point = found.corrals[q], found.weights[q], found.points[q]
        found.status[q], found.sizes[q] = _nearest(
            room, count, corral, found.sizes[q], weights, point
        )


@kernel
def _form(table, infinity, active, highs, signs, count, rows):
    """Unit rows of a question; False if one is zero."""
    width = table.shape[1]
    for k in range(count):
        i, high = active[k], highs[k]
        square = 0.0
        if i == INFINITY:
            for c in range(width):
                rows[k, c] = infinity[c]
                square += infinity[c] * infinity[c]
            if width < rows.shape[1]:
                rows[k, width] = 0.0
        elif high >= 0:
            for c in range(width):
                rows[k, c] = table[high, c] - table[i, c]
                square += rows[k, c] * rows[k, c]
        else:
            sign = float(signs[k])
            for c in range(width):
                rows[k, c] = sign * table[i, c]
                square += rows[k, c] * rows[k, c]
            if high == THRESHOLD:
                rows[k, width] = -sign
                square += 1.0
        if not (square > 0.0 and square < math.inf):
            return False
        scale = 1.0 / math.sqrt(square)
        for c in range(rows.shape[1]):
            rows[k, c] *= scale
    return True


@allocating_kernel
def _nearest(room, count, corral, size, weights, point):
    """One question: its status, and the size of its corral."""
    rows, factor, dimension = room.rows, room.factor, room.rows.shape[1]
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
        least, row = _least(room.columns, count, point, room.values)
        if least >= _SHARE * square and square > _EARLY or least >= square * (1 - 1e-9):
            return POSITIVE, size
        if square >= before:  # lost to rounding
            return (POSITIVE if least > 0.0 else UNCLEAR), size
        before = square
        for k in range(size):
            if corral[k] == row:
                return (POSITIVE if least > 0.0 else UNCLEAR), size
        if size > dimension:
            return (ZERO if square < _EARLY else UNCLEAR), size
        if not _join(rows, corral, size, row, factor):
            return (POSITIVE if least > 0.0 else UNCLEAR), size
        corral[size], weights[size] = row, 0.0
        size += 1
    return UNCLEAR, size


@proposing
def _least(columns, count, point, values):
    """The least value of a row at the point, and its row."""
    least, row = math.inf, 0
    values[:count] = 0.0
    for c in range(point.shape[0]):
        for k in range(count):
            values[k] += columns[c, k] * point[c]
    for k in range(count):
        if values[k] < least:
            least, row = values[k], k
    return least, row


@proposing
def _combine(rows, corral, size, weights, point):
    """The point with these weights, and the square of its norm."""
    point[:] = 0.0
    for k in range(size):
        for c in range(point.shape[0]):
            point[c] += weights[k] * rows[corral[k], c]
    square = 0.0
    for c in range(point.shape[0]):
        square += point[c] * point[c]
    return square


@proposing
def _join(rows, corral, size, row, factor):
    """Extend the Cholesky factor of the matrix ``1 + p_i . p_j`` by a row; False if it depends."""
    rest = 2.0
    for k in range(size):
        value = 1.0
        for c in range(rows.shape[1]):
            value += rows[corral[k], c] * rows[row, c]
        for e in range(k):
            value -= factor[k, e] * factor[size, e]
        value /= factor[k, k]
        factor[size, k] = value
        rest -= value * value
    if rest < _DEPENDENT:
        return False
    factor[size, size] = math.sqrt(rest)
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
        share, gone = 1.0, -1
        for k in range(size):
            if found[k] <= 0.0:
                step = weights[k] / (weights[k] - found[k]) if weights[k] > 0.0 else 0.0
                if gone < 0 or step < share:
                    share, gone = step, k
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
