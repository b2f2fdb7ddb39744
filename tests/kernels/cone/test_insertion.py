"""Places of one more label against all rankings."""

import naive
import numpy as np
import pytest

from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.cone import insertion
from arrangements.kernels.cone.cone_test import Table, work_for
from arrangements.kernels.cone.insertion import Gathered, Pairs, fill_insertions, find_intervals
from kernels import compiled

LABELS = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1], [3, -1]]
OFFSETS = [0, 1, 0, -1, 2, 0]


def pairs_of(labels, lead):
    """The big table of differences; with `lead` a row in front, labels with offsets first."""
    ends = [(i, j) for j in range(len(labels)) for i in range(j)]
    rows = [[a - b for a, b in zip(labels[i], labels[j], strict=True)] for i, j in ends]
    if lead:
        rows = [[1] + [0] * (len(labels[0]) - 1), *rows]
    system = HomogeneousRows(rows, keep_order=True)
    first, second = (
        np.array([0] * lead + [pair[side] for pair in ends], np.int64) for side in (0, 1)
    )
    return system, Pairs(system.table, first, second, system.safe, lead)


def small_table(system, rows, n):
    d, fields = system.dimension, system.table.fields
    table = Table(np.zeros((d, rows)), np.zeros((len(fields), rows, d), np.uint64), fields)
    return Gathered(table, np.ones(rows), np.arange(d), work_for(table), np.zeros(n, np.int64))


def test_rows_of_pairs():
    pair_row = compiled(insertion.pair_row)
    for lead in (0, 1):
        rows = [pair_row(i, j, lead) for j in range(6) for i in range(j)]
        assert rows == list(range(lead, lead + 15))


@pytest.mark.slow
@pytest.mark.parametrize("lead", [0, 1])
def test_intervals_and_rankings(lead):
    n = len(LABELS)
    rows = [[b, *row] for b, row in zip(OFFSETS, LABELS, strict=True)] if lead else LABELS
    system, pairs = pairs_of(rows, lead)
    assert system.order == list(range(lead + n * (n - 1) // 2))
    orders = np.array([[0, *[-1] * (n - 1)]])
    for k in range(1, n):
        start = lead + k * (k - 1) // 2
        r = int(system.ranks[start])
        low, high = np.zeros(len(orders), np.int64), np.full(len(orders), k)
        if system.ranks[start + k] == r:
            small = small_table(system, r + n + 1, n)
            assert find_intervals(pairs, orders, k, r, small, low, high) == len(orders)
        out = np.full((int((high - low + 1).sum()), n), -1)
        assert fill_insertions(orders, k, low, high, out) == len(out)
        orders = out
        offsets = OFFSETS[: k + 1] if lead else None
        expected = naive.rankings(LABELS[: k + 1], offsets)
        found = set(map(tuple, orders[:, : k + 1].tolist()))
        assert len(found) == len(orders) and found == expected


@pytest.mark.slow
def test_rankings_before_one_that_floats_leave_open():
    """Label 3 is between 0 and 1, so its differences lie on the boundaries of cones."""
    system, pairs = pairs_of([[0, 0], [2, 0], [0, 1], [1, 0]], 0)
    orders = np.array(sorted(naive.rankings([[0, 0], [2, 0], [0, 1]])))
    answers = []
    for table in (system.table, system.float_table):
        d, fields = system.dimension, table.fields
        rows = Table(np.zeros((d, 7)), np.zeros((len(fields), 7, d), np.uint64), fields)
        small = Gathered(rows, np.ones(7), np.arange(d), work_for(rows), np.zeros(4, np.int64))
        low, high = np.full(len(orders), 7), np.full(len(orders), 7)
        of_table = pairs._replace(table=table)
        done = find_intervals(of_table, orders, 3, 2, small, low, high)
        assert (low[done:] == 7).all() and (high[done:] == 7).all()
        answers.append((done, low[:done].tolist(), high[:done].tolist()))
    (all_done, low, high), (done, *floats) = answers
    assert all_done == len(orders) > done
    assert floats == [low[:done], high[:done]]
