"""Interior points of chambers in floating point, every sign of which is proved."""

from arrangements.kernels.compilation import entry, kernel
from arrangements.kernels.cone.cone_test import (
    OUTSIDE,
    ROUNDING,
    TINY,
    UNDECIDED,
    cone_test,
    multiply,
)

DOUBTFUL = 2  # the kernel found no float64 point; the chamber may still have one


@kernel
def largest_size(vector):
    """The largest absolute value."""
    result = 0.0
    for c in range(vector.shape[0]):
        result = max(result, abs(vector[c]))
    return result


@entry
def first_doubtful(floats, signs, m, point, values):
    """The least row j < m whose sign at the float64 `point` is not proved to be signs[j]; else m.

    The computed r_j.x is off by at most (2 D + 1) u |x|_1: entries of the rows are at most 2
    and within u of the exact ones, see ``kernels.cone.cone_test``.

    floats : (D, N) float64
    signs : (N,) float64
    point : (D,) float64
    values : (N,) float64 scratch, the products on return
    """
    dimension = floats.shape[0]
    norm = 0.0
    for c in range(dimension):
        norm += abs(point[c])
    bound = (2 * dimension + 3) * ROUNDING * norm + TINY
    multiply(floats, m, dimension, point, values)
    for j in range(m):
        if not values[j] * signs[j] > bound:
            return j
    return m


@entry
def find_witness(table, signs, safe, dehomogenize, point, work):
    """Interior point of the chamber as a sum of at most D extreme rays; 1 if it is proved.

    signs : (N,) float64, entries -1 and 1; row 0 is the row at infinity if `dehomogenize`
    point : (D,) float64, out: coordinate 0 is made 1 if `dehomogenize`

    Returns 1, DOUBTFUL, UNDECIDED (residues needed) or 0: there is no such chamber, since
    minus row work.state[5] lies in the cone of the rows, with the basis in `work`.
    """
    dimension, n = table.floats.shape
    point[:] = 0.0
    for _ in range(dimension + 1):
        j = first_doubtful(table.floats, signs, n, point, work.values)
        if j == n:
            break
        status = cone_test(table, signs, n, dimension, j, -signs[j], safe, work)
        if status == UNDECIDED:
            return UNDECIDED
        if status != OUTSIDE:
            work.state[5] = j
            return 0
        _add_ray(signs, work, point)
    if dehomogenize:
        scale = 1.0 / point[0]
        for c in range(dimension):
            point[c] = 1.0 if c == 0 else point[c] * scale
    proved = first_doubtful(table.floats, signs, n, point, work.values) == n
    return 1 if proved else DOUBTFUL


@kernel
def _add_ray(signs, work, point):
    """Add the ray of the last test, scaled to maximum norm 1."""
    h = work.state[0]
    scale = signs[work.basis[h]] / largest_size(work.dual[h, : point.shape[0]])
    for c in range(point.shape[0]):
        point[c] += scale * work.dual[h, c]


@entry
def fill_witnesses(table, signs, safe, dehomogenize, points, status, work):
    """`find_witness` for each row of `signs`, until one is UNDECIDED; returns how many were done.

    signs : (m, N) float64
    points : (m, D) float64, out
    status : (m,) int64, out
    """
    for k in range(signs.shape[0]):
        status[k] = find_witness(table, signs[k], safe, dehomogenize, points[k], work)
        if status[k] == UNDECIDED:
            return k
    return signs.shape[0]
