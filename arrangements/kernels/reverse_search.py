"""The walk of reverse search: a tree over the chambers that only facet tests define.

The parent of a chamber is its neighbour across the least wall that separates it from the base
chamber. Such a wall exists for every other chamber (walk straight to the base), and flipping
it leaves one hyperplane less in between, so the parents form a tree rooted at the base.
"""

import numpy as np
from numba import njit

from arrangements.kernels.cone import OUTSIDE, UNDECIDED, cone_test

# Meaning of the entries of `state`
DEPTH = 0  # chambers between the present one and the base
NEXT = 1  # the next row to try
DONE = 2  # the walk is back at the base with no row left


@njit(cache=True, error_model="numpy")
def _across(table, signs, j, safe, work):
    """Status of the chamber across row j: OUTSIDE if row j is a wall; flips signs[j]."""
    n = signs.shape[0]
    signs[j] = -signs[j]
    return cone_test(table, signs, n, table.floats.shape[0], j, -signs[j], safe, work)


@njit(cache=True, error_model="numpy")
def _is_child(table, base, signs, j, safe, work):
    """Flip row j; 1 if that gives a chamber whose parent is the present one, 0, or UNDECIDED.

    The flip is undone unless the answer is 1.
    """
    status = _across(table, signs, j, safe, work)
    if status != OUTSIDE:
        signs[j] = -signs[j]
        return UNDECIDED if status == UNDECIDED else 0
    for i in range(j):
        if signs[i] != base[i]:
            status = _across(table, signs, i, safe, work)
            signs[i] = -signs[i]
            if status == UNDECIDED or status == OUTSIDE:
                signs[j] = -signs[j]
                return UNDECIDED if status == UNDECIDED else 0
    return 1


@njit(cache=True, error_model="numpy", nogil=True)
def walk(table, base, signs, path, state, tests, safe, out, work):
    """Go on with the walk until `out` is full, about `tests` cone tests are done, or the end.

    Row 0 is never crossed. Rows must be pairwise non-parallel.

    base : (N,) float64, entries -1 and 1: a chamber
    signs : (N,) float64, in and out: the present chamber
    path : (N,) int64, in and out: rows crossed from the base
    state : (3,) int64, in and out, see above
    out : (m, N) int8, overwritten with the chambers met

    Returns how many chambers were written, or -1 - that number if residues are needed.
    """
    n, count = signs.shape[0], 0
    limit = work.state[3] + tests
    while count < out.shape[0] and work.state[3] < limit:
        j = state[NEXT]
        if j == n:
            if state[DEPTH] == 0:
                state[DONE] = 1
                return count
            state[DEPTH] -= 1
            j = path[state[DEPTH]]
            signs[j] = -signs[j]
        elif signs[j] == base[j]:
            child = _is_child(table, base, signs, j, safe, work)
            if child == UNDECIDED:
                return -1 - count
            if child == 1:
                path[state[DEPTH]] = j
                state[DEPTH] += 1
                for i in range(n):
                    out[count, i] = np.int8(signs[i])
                count += 1
                j = 0
        state[NEXT] = j + 1
    return count
