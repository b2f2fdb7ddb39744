"""One level of the incremental tree: which chambers of the first k rows does row k cut?

A node is the sign vector of a chamber of the first k rows, a point that is proved to lie in it
if ``good`` (else a direction near it), and a basis to start the next cone test from. The side
of row k on which a proved point lies is free; the other side, and both sides for a node
without a proved point, are decided by `cone_test`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import entry, kernel
from arrangements.kernels.cone.cone_test import OUTSIDE, ROUNDING, TINY, UNDECIDED, cone_test
from arrangements.kernels.cone.interior_points import first_doubtful, largest_size


class Nodes(NamedTuple):
    """Chambers of the first k rows."""

    signs: NDArray[np.int8]  # (M, N), the first k columns are set
    points: NDArray[np.float64]  # (M, D)
    good: NDArray[np.bool_]  # (M,)
    bases: NDArray[np.int32]  # (M, D), the first r are set: independent rows < k


class NewRow(NamedTuple):
    """Row k, which is added to the first k."""

    k: int
    rank: int  # of the earlier rows
    independent: bool  # of them
    forced: bool  # only its sign + is kept
    shift: NDArray[np.float64]  # (D,) if independent: orthogonal to them, product 1 with row k
    safe: NDArray[np.int64]  # (D,) the first `rank` entries: rows < k that are independent


@kernel
def _put(children, at, nodes, i, k, side):
    """Signs of child `at`: those of node i and the given one on row k."""
    for j in range(k):
        children.signs[at, j] = nodes.signs[i, j]
    children.signs[at, k] = side


@kernel
def _move(table, signs, k, r, side, old, good, point, work):
    """Point of the child on `side`, from the ray just found and the point of the node.

    The ray y has a_j.y >= 0 on all earlier rows and lies beyond row k; so little of the old
    interior point is added that the sum stays beyond. Returns whether that is proved.
    """
    h, dimension = work.state[0], point.shape[0]
    scale = signs[work.basis[h]] / largest_size(work.dual[h, :r])
    ahead, behind = 0.0, 0.0
    for c in range(r):
        ahead += table.floats[c, k] * work.dual[h, c] * scale * side
    for c in range(dimension):
        behind += table.floats[c, k] * old[c] * side
    size = largest_size(old)
    share = 1.0 / size if size > 0.0 else 0.0
    if good and behind < 0.0:
        share = min(share, -0.5 * ahead / behind)
    for c in range(dimension):
        point[c] = share * old[c]
        if c < r:
            point[c] += work.dual[h, c] * scale
    signs[k] = side
    return first_doubtful(table.floats, signs, k + 1, point, work.values) == k + 1


@kernel
def _step_across(table, signs, k, side, value, old, point, work):
    """Try the mirror image of the point, a little beyond row k: proves the child without a test."""
    square = 0.0
    for c in range(point.shape[0]):
        square += table.floats[c, k] * table.floats[c, k]
    step = 1.25 * value / square
    for c in range(point.shape[0]):
        point[c] = old[c] - step * table.floats[c, k]
    signs[k] = side
    return first_doubtful(table.floats, signs, k + 1, point, work.values) == k + 1


@kernel
def _extend_free(table, row, nodes, i, children, at, signs, work):
    """Both children of a node by a row independent of all earlier ones; returns the new count."""
    k, r, shift = row.k, row.rank, row.shift
    value = 0.0
    for c in range(shift.shape[0]):
        value += table.floats[c, k] * nodes.points[i, c]
    reach = 1.0 / largest_size(shift)
    for side in (1, -1):
        if row.forced and side < 0:
            continue
        _put(children, at, nodes, i, k, side)
        for c in range(r):
            children.bases[at, c] = nodes.bases[i, c]
        children.bases[at, r] = k
        for c in range(shift.shape[0]):
            children.points[at, c] = nodes.points[i, c] + (side * reach - value) * shift[c]
        signs[k] = side
        count = first_doubtful(table.floats, signs, k + 1, children.points[at], work.values)
        children.good[at] = nodes.good[i] and count == k + 1
        at += 1
    return at


@kernel
def _side_of(floats, k, point):
    """Side of row k on which the point is proved to lie (0: not proved), and the product."""
    value, norm = 0.0, 0.0
    for c in range(point.shape[0]):
        value += floats[c, k] * point[c]
        norm += abs(point[c])
    if abs(value) > (2 * point.shape[0] + 3) * ROUNDING * norm + TINY:
        return (1, value) if value > 0.0 else (-1, value)
    return 0, value


@kernel
def _extend(table, row, nodes, i, children, at, signs, work):
    """Children of a node by a row that depends on earlier ones; new count, or UNDECIDED.

    work.state[6] counts the children that were had without a test.
    """
    k, r = row.k, row.rank
    old, good = nodes.points[i], nodes.good[i]
    free, value = _side_of(table.floats, k, old) if good else (0, 0.0)
    first = at
    for side in (1, -1):
        if row.forced and side < 0:
            continue
        point, proved = children.points[at], True
        if side == free:
            for c in range(point.shape[0]):
                point[c] = old[c]
            work.state[6] += 1
        elif free != 0 and _step_across(table, signs, k, side, value, old, point, work):
            work.state[6] += 1
        else:
            status = cone_test(table, signs, k, r, k, -1.0 * side, row.safe, work)
            if status == UNDECIDED:
                return UNDECIDED
            if status != OUTSIDE:
                continue
            if k + 1 < signs.shape[0]:  # the points of the last level are not needed
                proved = _move(table, signs, k, r, side, old, good, point, work)
        _put(children, at, nodes, i, k, side)
        children.good[at] = proved
        at += 1
    for child in range(first, at):
        for c in range(r):
            children.bases[child, c] = work.basis[c]
    return at


@entry
def extend_nodes(table, row, nodes, children, signs, work):
    """All children of the nodes by row k; their number, or UNDECIDED (residues are needed).

    row : NewRow
    nodes, children : Nodes, the latter with twice as many places; overwritten
    signs : (N,) float64 scratch
    """
    # np.int64: a literal would be compiled as a type of its own.
    at = np.int64(0)
    for i in range(nodes.signs.shape[0]):
        for j in range(row.k):
            signs[j] = nodes.signs[i, j]
        for c in range(row.rank):
            work.basis[c] = nodes.bases[i, c]
        if row.independent:
            at = _extend_free(table, row, nodes, i, children, at, signs, work)
        else:
            at = _extend(table, row, nodes, i, children, at, signs, work)
            if at == UNDECIDED:
                return UNDECIDED
    return at
