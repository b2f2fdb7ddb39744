"""Levels of the incremental tree against the chambers of the first rows."""

from fractions import Fraction

import naive
import numpy as np
import pytest

from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.cone.cone_test import UNDECIDED
from arrangements.kernels.cone.incremental import NewRow, Nodes, extend_nodes
from kernels.plain import dot, rank, sign

ROWS = [[0, 1, 0], [0, 2, 1], [0, 1, -1], [1, 0, 0], [1, 1, 0], [1, 1, 1], [2, -1, 1]]


def nodes_for(m, n, d):
    return Nodes(
        np.zeros((m, n), np.int8),
        np.zeros((m, d)),
        np.zeros(m, np.bool_),
        np.zeros((m, d), np.int32),
    )


def new_row(system, k, forced):
    r, d = int(system.ranks[k]), system.dimension
    shift = np.zeros(d)
    independent = bool(system.ranks[k + 1] > r)
    if independent:
        # orthogonal to the earlier rows, product 1 with row k
        floats, columns = system.floats, [*system.safe[:r].tolist(), k]
        shift[: r + 1] = np.linalg.solve(floats[: r + 1, columns].T, np.eye(r + 1)[r])
    return NewRow(k, r, independent, forced, shift, system.safe)


def check(system, nodes, count, k):
    """Points that are called good lie in their chambers, and bases are independent."""
    proved = 0
    for i in range(count):
        if nodes.good[i] and k < len(system.integers):
            point = [Fraction(x) for x in nodes.points[i].tolist()]
            rows = system.floats.T[:k].tolist()
            assert [sign(dot(map(Fraction, row), point)) for row in rows] == list(
                nodes.signs[i, :k]
            )
            proved += 1
        r = int(system.ranks[k])
        basis = nodes.bases[i, :r].tolist()
        assert max(basis) < k and rank([system.integers[b] for b in basis]) == r
    return proved


@pytest.mark.parametrize("forced", [0, 1, 5])
def test_levels(forced):
    system = HomogeneousRows(ROWS, keep_order=True)
    n, d, proved = len(ROWS), system.dimension, 0
    assert system.order == list(range(n))
    work, signs = system.work_for(system.table), np.zeros(n)
    nodes = nodes_for(1, n, d)
    nodes.good[:] = True
    for k in range(n):
        children = nodes_for(2 * len(nodes.signs), n, d)
        row = new_row(system, k, k < forced)
        count = extend_nodes(system.table, row, nodes, children, signs, work)
        nodes = Nodes(*(array[:count].copy() for array in children))
        found = set(map(tuple, nodes.signs[:, : k + 1].tolist()))
        expected = naive.chambers(system.integers[: k + 1])
        expected = {s for s in expected if all(e == 1 for e in s[:forced])}
        assert len(found) == count and found == expected
        proved += check(system, nodes, count, k + 1)
    assert proved > 5 and work.state[6] > 0  # some without a test


def test_floats_alone_say_when_they_cannot_know():
    system = HomogeneousRows(ROWS, keep_order=True)
    work, signs = system.work_for(system.float_table), np.zeros(len(ROWS))
    nodes = nodes_for(1, len(ROWS), system.dimension)
    for k in range(3):  # the root has no point, and three lines meet in a point
        children = nodes_for(2 * len(nodes.signs), len(ROWS), system.dimension)
        row = new_row(system, k, False)
        count = extend_nodes(system.float_table, row, nodes, children, signs, work)
        if count == UNDECIDED:
            break
        nodes = Nodes(*(array[:count].copy() for array in children))
        nodes.good[:] = False
    assert count == UNDECIDED or len(nodes.signs) == 6
