"""Where can one more label stand in a ranking? Cone tests on differences of labels.

Rows of the big table are the differences ``w_i - w_j``, i < j, in the order (0, 1), (0, 2),
(1, 2), (0, 3), ..: those of the first k labels are the first k (k - 1) / 2, after `lead` rows
that are positive everywhere (the one at infinity). A test concerns few of them: they are gathered
into a small table that `cone_test` reads.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import entry, kernel
from arrangements.kernels.cone.cone_test import INSIDE, UNDECIDED, Table, Work, cone_test


class Gathered(NamedTuple):
    """A small table of some rows of a big one, with their signs."""

    table: Table
    signs: NDArray[np.float64]  # (M,)
    safe: NDArray[np.int64]  # (D,) 0, 1, .., D - 1
    work: Work
    mark: NDArray[np.int64]  # (n,) scratch


class Pairs(NamedTuple):
    """The big table: the differences of labels."""

    table: Table
    first: NDArray[np.int64]  # (N,) the labels i of the rows
    second: NDArray[np.int64]  # (N,) the labels j
    safe: NDArray[np.int64]  # (D,), the first r independent of all rows before them
    lead: int


@kernel
def pair_row(i, j, lead):
    """Row of the pair of labels i < j in the big table."""
    return lead + j * (j - 1) // 2 + i


@kernel
def gather(table, row, sign, at, small):
    """Row `row` of the big table, with its sign, as number `at` of the small one."""
    for c in range(table.floats.shape[0]):
        small.table.floats[c, at] = table.floats[c, row]
    for p in range(table.fields.shape[0]):
        for c in range(table.floats.shape[0]):
            small.table.residues[p, at, c] = table.residues[p, row, c]
    small.signs[at] = sign


@kernel
def gather_pair(pairs, above, below, at, small):
    """The difference of two labels, positive where the first scores higher."""
    if above < below:
        gather(pairs.table, pair_row(above, below, pairs.lead), 1.0, at, small)
    else:
        gather(pairs.table, pair_row(below, above, pairs.lead), -1.0, at, small)


@kernel
def _may_stand(pairs, k, label, side, m, r, small):
    """Whether label k can score higher (side 1) or lower (-1) than `label`; UNDECIDED likewise.

    It cannot iff minus that difference lies in the cone of the m rows gathered.
    """
    gather(pairs.table, pair_row(label, k, pairs.lead), 1.0, m, small)
    status = cone_test(
        small.table, small.signs, m, r, np.int64(m), float(side), small.safe, small.work
    )
    return UNDECIDED if status == UNDECIDED else np.int64(status != INSIDE)


@kernel
def _gather_region(pairs, order, k, r, small):
    """Rows of the region of a ranking of the labels before k, r independent ones first."""
    for p in range(k):
        small.mark[order[p]] = p
    m = np.int64(0)
    for s in range(r):
        row = pairs.safe[s]
        sign = 1.0
        if row >= pairs.lead and small.mark[pairs.first[row]] > small.mark[pairs.second[row]]:
            sign = -1.0
        gather(pairs.table, row, sign, m, small)
        m += 1
    for p in range(k - 1):
        gather_pair(pairs, order[p], order[p + 1], m, small)
        m += 1
    for s in range(r):
        small.work.basis[s] = s
    return m


@kernel
def _least_place(pairs, order, k, m, r, small):
    """The least place p such that label k can be above the label there, k if none; or UNDECIDED.

    The m rows of the region of the ranking are gathered. Being able to score higher than the label
    in place p is monotone in p.
    """
    a, b = np.int64(0), np.int64(k)
    while a < b:
        p = (a + b) // 2
        answer = _may_stand(pairs, k, order[p], 1, m, r, small)
        if answer == UNDECIDED:
            return UNDECIDED
        if answer == 1:
            b = p
        else:
            a = p + 1
    return a


@kernel
def _largest_place(pairs, order, k, least, m, r, small):
    """The largest place p >= least such that k can be below the label before it; or UNDECIDED."""
    a, b = least, np.int64(k)
    while a < b:
        p = (a + b + 1) // 2
        answer = _may_stand(pairs, k, order[p - 1], -1, m, r, small)
        if answer == UNDECIDED:
            return UNDECIDED
        if answer == 1:
            a = p
        else:
            b = p - 1
    return a


@entry
def find_intervals(pairs, orders, k, r, small, low, high):
    """Places low..high that label k can take in each ranking of the labels before it.

    orders : (m, >= k) integers, the best label first
    r : rank of the rows of the labels before k (row k lies in their span)
    low, high : (m,) int64, out

    Returns m, or the number of rankings done before one was UNDECIDED.
    """
    for i in range(orders.shape[0]):
        order = orders[i]
        m = _gather_region(pairs, order, k, r, small)
        least = _least_place(pairs, order, k, m, r, small)
        if least == UNDECIDED:
            return i
        largest = _largest_place(pairs, order, k, least, m, r, small)
        if largest == UNDECIDED:
            return i
        low[i], high[i] = least, largest
    return orders.shape[0]


@entry
def fill_insertions(orders, k, low, high, out):
    """Each ranking of k labels with label k in each of its places.

    out : (sum(high - low + 1), >= k + 1), overwritten
    """
    at = 0
    for i in range(orders.shape[0]):
        for p in range(low[i], high[i] + 1):
            for q in range(p):
                out[at, q] = orders[i, q]
            out[at, p] = k
            for q in range(p, k):
                out[at, q + 1] = orders[i, q]
            at += 1
    return at
