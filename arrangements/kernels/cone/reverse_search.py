"""The tree of reverse search over the chambers, which only facet tests define.

The parent of a chamber is its neighbor across the least wall that separates it from the base
chamber. Such a wall exists for every other chamber (go straight to the base), and flipping
it leaves one hyperplane less in between, so the parents form a tree rooted at the base.

That row j is no wall is proved by a basis: s_j r_j is in the cone of some s_b r_b. Neighbors
differ in one sign, so the proof often holds for the next chamber too, and there is nothing to
test: it is kept for each row, with its signs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import entry, kernel
from arrangements.kernels.cone.cone_test import INSIDE, OUTSIDE, UNDECIDED, cone_test

# Meaning of the entries of `state`
DEPTH = 0  # chambers between the present one and the base
NEXT = 1  # the next row to try
DONE = 2  # the traversal is back at the base with no row left


class Traversal(NamedTuple):
    """Where a traversal of the chambers of N rows in D columns is; all but the base changes."""

    base: NDArray[np.float64]  # (N,) entries -1 and 1: a chamber
    signs: NDArray[np.float64]  # (N,) the present chamber
    path: NDArray[np.int64]  # (N,) rows crossed from the base
    state: NDArray[np.int64]  # (3,) see above
    proofs: NDArray[np.int64]  # (N, D + 1) see `_across`; at first -1


@kernel
def _still_proved(proofs, signs, j):
    """Whether the signs in the last proof that row j is no wall are the present ones."""
    if proofs[j, 0] == -1:
        return False
    for k in range(proofs.shape[1]):
        row = proofs[j, k] >> 1
        if (signs[row] > 0) != (proofs[j, k] & 1):
            return False
    return True


@kernel
def _across(table, signs, j, safe, proofs, work):
    """Status of the chamber across row j: OUTSIDE if row j is a wall; flips signs[j].

    proofs : (N, D + 1) int64, in and out: 2 b + (1 if the sign of row b is +) for row j and the
        rows of the basis in the last proof that j is no wall; -1: none yet
    """
    if _still_proved(proofs, signs, j):
        signs[j] = -signs[j]
        return INSIDE
    n, r = signs.shape[0], table.floats.shape[0]
    signs[j] = -signs[j]
    status = cone_test(table, signs, n, r, j, -signs[j], safe, work)
    if status == INSIDE:
        # row j may be in the basis, flipped: its weight there only adds to the left side
        proofs[j, r] = 2 * j + (signs[j] < 0)
        for b in range(r):
            row = work.basis[b]
            proofs[j, b] = proofs[j, r] if row == j else 2 * row + (signs[row] > 0)
    return status


@kernel
def _is_child(table, at, j, safe, work):
    """Flip row j; 1 if that gives a chamber whose parent is the present one, 0, or UNDECIDED.

    The flip is undone unless the answer is 1.
    """
    signs = at.signs
    status = _across(table, signs, j, safe, at.proofs, work)
    if status != OUTSIDE:
        signs[j] = -signs[j]
        return UNDECIDED if status == UNDECIDED else 0
    for i in range(j):
        if signs[i] != at.base[i]:
            status = _across(table, signs, i, safe, at.proofs, work)
            signs[i] = -signs[i]
            if status == UNDECIDED or status == OUTSIDE:
                signs[j] = -signs[j]
                return UNDECIDED if status == UNDECIDED else 0
    return 1


@entry
def traverse(table, at, tests, safe, out, work):
    """Go on with the traversal until `out` is full, about `tests` cone tests are done, or the end.

    Row 0 is never crossed. Rows must be pairwise non-parallel.

    at : Traversal, advanced
    out : (m, N) int8, overwritten with the chambers met

    Returns how many chambers were written, or -1 - that number if residues are needed.
    """
    signs, state = at.signs, at.state
    n, count = signs.shape[0], 0
    limit = work.state[3] + tests
    while count < out.shape[0] and work.state[3] < limit:
        j = state[NEXT]
        if j == n:
            if state[DEPTH] == 0:
                state[DONE] = 1
                return count
            state[DEPTH] -= 1
            j = at.path[state[DEPTH]]
            signs[j] = -signs[j]
        elif signs[j] == at.base[j]:
            child = _is_child(table, at, j, safe, work)
            if child == UNDECIDED:
                return -1 - count
            if child == 1:
                at.path[state[DEPTH]] = j
                state[DEPTH] += 1
                for i in range(n):
                    out[count, i] = np.int8(signs[i])
                count += 1
                j = 0
        state[NEXT] = j + 1
    return count
