"""A walk along a line writes the chambers that the sweep lists child by child."""

from math import comb

import numpy as np
import pytest
from numba import njit

from arrangements.kernels.chambers import line_walk, nodes, search, tableau
from arrangements.kernels.chambers.workspace import CHILDREN, NEGATIVE, ROWS, STORE
from arrangements.search import chamber_sweep
from kernels import compiled
from kernels.chambers.exact_tableau import affine_flag, flag_columns, ordered_points, pivoted

insert, walk = compiled(line_walk.insert), line_walk.walk
sort_points, choose = compiled(line_walk.sort_points), compiled(nodes.choose)


@njit
def place(ws, e, p):
    """The line of the root of rank 3 (e = 0), or of its child p; rows without an interval."""
    d, last = 3, ws.state[ROWS] if e == 0 else p
    lane, u, v, w = p, d - 2, d - 3, d - 1
    if e == 0:
        tableau.narrow_columns(ws, e, (ws.state[ROWS] + 15) & ~15, last, True)
        tableau.child_coefficients(ws, last)
        lane, u, v, w = tableau.own_coefficients(ws, e), 0, 0, 1
    lost = 0
    for word in range(ws.masks.shape[2]):
        rest = ~ws.masks[e, search.NO_POINTS, word]
        negative, unsure = tableau.place_points(ws, u, v, w, lane, word, rest)
        ws.masks[e, NEGATIVE, word] = negative & rest
        lost += unsure & rest != np.uint64(0)
    tableau.multipliers(ws, e, p, e > 0, last)
    return lost


def prepared(W, b):
    flag = affine_flag(W, b)
    space = chamber_sweep.workspace(flag)
    space.state[STORE] = 1
    constant = space.masks[-1]
    space.masks[0, search.NO_POINTS] = constant[search.NO_POINTS]
    return flag, space


def children(space, e):
    words = space.masks[e, CHILDREN].tolist()
    return [64 * w + i for w, word in enumerate(words) for i in range(64) if word >> i & 1]


def listed(flag):
    return {
        row.tobytes() for block in chamber_sweep.ChamberSweep(flag).blocks(10**5) for row in block
    }


@pytest.mark.slow
@pytest.mark.parametrize("n", [70, 130])
def test_walks_write_all_chambers(n):
    rng = np.random.default_rng(n)
    flag, space = prepared(rng.standard_normal((n, 2)), rng.standard_normal(n))
    expected, found, left = listed(flag), set(), 0
    assert len(expected) == 1 + n + comb(n, 2)
    out = np.zeros((n + 2, space.masks.shape[2]), np.uint64)
    nodes = [(0, n)] + [(1, p) for p in range(1, n)]
    for e, last in nodes:
        if e:
            choose(space.masks, space.ties, space.chain, space.state, 0, last)
        if place(space, e, last if e else 0):
            left += last
            continue
        out[:] = 77
        count = walk(space, e, last, out, 1)
        rows = children(space, e)
        assert count == 1 + len(rows) and max(rows, default=-1) < last
        assert (out[0] == 77).all() and (out[count:] == 77).all()
        found |= {row.tobytes() for row in out[1:count]}
        left += last - len(rows)
    assert found <= expected and len(expected) == 1 + len(found) + left
    assert left < len(expected) // 20


@pytest.mark.slow
def test_ties_are_left_to_others():
    n, rng = 80, np.random.default_rng(5)
    W, b = rng.integers(-40, 41, (n, 2)), rng.integers(-40, 41, n)
    b[10:30] = W[10:30, 0] + W[10:30, 1]  # through one point
    flag, space = prepared(W, b)
    expected, out = listed(flag), np.zeros((n + 2, 2), np.uint64)
    place(space, 0, 0)
    columns = flag_columns(flag)
    for e in (0, 1):
        last = n
        if e:
            last = p = 29
            choose(space.masks, space.ties, space.chain, space.state, 0, p)
            place(space, 1, p)
            columns = pivoted(columns, 0, p, space.narrow)
        count = walk(space, e, last, out, 0)
        exact = ordered_points(columns, e)
        rows = children(space, e)
        assert count == len(rows) > 0 and {row.tobytes() for row in out[:count]} <= expected
        # only rows that are alone at their point
        assert all(exact.count(exact[j]) == 1 for j in rows)


@pytest.mark.slow
def test_points_are_sorted_by_their_low_ends():
    n = 200
    flag, space = prepared(np.random.default_rng(3).standard_normal((n, 2)), np.ones(n))
    place(space, 0, 0)
    for w in range(4):
        space.masks[0, search.NO_POINTS, w] |= np.uint64(1 << 5 * w)
    space.low_high[:, [0, 69, 138]] = tableau.BEYOND
    assert sort_points(space, 0) == n - 3 - (207 < n)
    order = space.order[: n - 3].tolist()
    rows = [entry & 0xFFFFFFFF for entry in order]
    assert order == sorted(order) and sorted(rows) == sorted(set(range(n)) - {0, 69, 138})
    assert [entry >> 32 for entry in order] == space.ends[0, rows].tolist()


@pytest.mark.slow
def test_a_crowd_of_points_is_given_up():
    n = 250
    _, space = prepared(np.ones((n, 2)), np.ones(n))
    space.low_high[:, :n] = np.float32(0.5) - np.arange(n, dtype=np.float32) * np.float32(1e-6)
    assert sort_points(space, 0) == -1
    space.low_high[:, :n] = space.low_high[:, :n][:, ::-1].copy()
    assert sort_points(space, 0) == n


def test_insertion():
    order = np.array([1, 4, 9, 5], np.uint64)
    assert insert(order, 3) == 1 and order.tolist() == [1, 4, 5, 9]
    assert insert(order, 2) == 0 and order.tolist() == [1, 4, 5, 9]
