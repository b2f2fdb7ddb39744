"""Lines of few rows against the way that lines of many rows take."""

import numpy as np
import pytest
from numba import njit

from arrangements import generators
from arrangements.core.arrangement import Arrangement
from arrangements.kernels.chambers import few_rows, nodes, search
from arrangements.kernels.chambers.workspace import (
    BALANCE,
    CHILDREN,
    DEPTH,
    DONE,
    ENOUGH,
    LATE_LINE,
    NEGATIVE,
    PAUSED,
    ROWS,
    SPENT,
    STAGE,
    STORE,
)
from arrangements.runs.sources import ChamberSource
from arrangements.search.chamber_sweep import ChamberSweep
from kernels import compiled

emit_plane, narrow_node = compiled(few_rows.emit_plane), compiled(nodes.narrow_node)
emit_short = compiled(few_rows.emit_short)


@njit
def write_line(ws, out):
    """The line of the current node as it would be with many rows: (status, chambers)."""
    e, last, count = ws.state[DEPTH], ws.state[ROWS], 0
    leaf, signs = nodes.is_leaf(ws, e), ws.state[STORE] != 0
    if e > 0:
        last = ws.chain[e - 1]
    status = search.place_line(ws, e, leaf, last, signs)
    if status == DONE:
        status, count = search.write_line(ws, ws.state, e, leaf, last, signs, out, 0)
    if status == DONE:
        nodes.end_line(ws, e)
    else:
        nodes.give_up_line(ws, e)
    return status, count


@njit
def go_on(ws):
    """Go to the next node; whether there is any."""
    more = True
    while more and ws.state[STAGE] == 1:
        e = ws.state[DEPTH]
        more = nodes.go_on(ws, e, nodes.is_leaf(ws, e), ws.state[STORE] != 0, nodes.LEAVES)
    return more


def line_of_many(sweep, out):
    status = None
    while status != DONE:
        status, count = write_line(sweep.space, out)
        if status != DONE:
            sweep._provide(status)
    return out[:count].copy()


def nearly_equal(n, d):
    """Rows in pairs, a unit in the last place apart, among others with ties."""
    W = np.random.default_rng(n).integers(-2, 3, (n, d)).astype(float)
    W[(W == 0).all(axis=1)] = 1.0
    W[1::2] = W[::2][: n // 2]
    W[1::2, 0] = np.nextafter(W[1::2, 0], 9)
    return W


ARRANGEMENTS = [
    *(generators.generic(n, d, n + d).normals for n, d in ((9, 3), (32, 3), (17, 4), (20, 6))),
    np.random.default_rng(0).integers(-2, 3, (12, 5)),
    np.random.default_rng(2).standard_normal((14, 4)) * 10.0 ** np.arange(0, -14, -1)[:, None],
    nearly_equal(14, 4),
    nearly_equal(16, 6),
    generators.resonance(4).normals,
    np.random.default_rng(5).integers(-3, 4, (9, 7)) * 2.0**-40,
]


def sweep_of(W, short=False):
    """A sweep, with lines of few rows done as such or not."""
    W = W[(W != 0).any(axis=1)]
    sweep = ChamberSweep(ChamberSource(Arrangement(W)).flag(0))
    address = few_rows.ADVANCE.address(sweep.space)
    sweep.space.late[LATE_LINE] = address
    sweep.space.state[BALANCE] = 10**6 if short else 0
    return sweep


@pytest.mark.slow
@pytest.mark.parametrize("W", ARRANGEMENTS)
def test_all_chambers_in_the_same_order(W):
    sweep, found = sweep_of(W), list(sweep_of(W, True).blocks(10**6))
    sweep.space.state[STORE], expected = 1, []
    while True:
        expected.append(line_of_many(sweep, np.zeros((40, 1), np.uint64)))
        if not go_on(sweep.space):
            break
    assert np.concatenate(found).tolist() == np.concatenate(expected).tolist()
    assert sum(sweep_of(W, True).counts()) == sum(map(len, found))


@pytest.mark.slow
@pytest.mark.parametrize("store", [0, 1])
@pytest.mark.parametrize("W", ARRANGEMENTS)
def test_each_line(W, store):
    """Nothing wrong is called proved; nearly all lines of random rows are."""
    sweep, answers, other = sweep_of(W), [], np.zeros((40, 1), np.uint64)
    space, d = sweep.space, sweep.flag.d
    space.state[STORE] = store
    while True:
        e = int(space.state[DEPTH])
        inner = 0 < e < d - 2
        if inner:
            last = int(space.chain[e - 1])
            narrow_node(space, e, 32, last, store == 1)
            proved, count = emit_short(space, e, last, other, 0)
            children, negative = (int(space.masks[e, name, 0]) for name in (CHILDREN, NEGATIVE))
        rows = line_of_many(sweep, np.zeros((40, 1), np.uint64))
        if inner and proved:
            assert count == len(rows) and (store == 0 or (other[:count] == rows).all())
            assert children == int(space.masks[e, CHILDREN, 0])
            assert negative & children == int(space.masks[e, NEGATIVE, 0]) & children
        elif inner:
            assert count == 0
        answers += [proved] if inner else []
        if not go_on(space):
            break
    assert len(answers) > 0 or d == 3
    if len(np.unique(W)) == W.size and d > 3:
        assert np.mean(answers) > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("store", [0, 1])
@pytest.mark.parametrize("W", ARRANGEMENTS)
def test_planes(W, store):
    """All children of a node in their order, up to one whose line it cannot answer for."""
    sweep, other = sweep_of(W), np.zeros((900, 1), np.uint64)
    space, e, lines, stops = sweep.space, sweep.flag.d - 3, 0, 0
    space.state[STORE], more = store, True
    while more:
        depth = int(space.state[DEPTH])
        line_of_many(sweep, np.zeros((40, 1), np.uint64))
        if depth == e:
            before = int(space.cursor[e])
            done, total = emit_plane(space, e, other, 0)
            stop, space.cursor[e] = int(space.cursor[e]), before
            rows = []
            for _ in range(done):
                assert go_on(space) and space.state[DEPTH] == e + 1 and space.chain[e] < stop
                rows.append(line_of_many(sweep, np.zeros((40, 1), np.uint64)))
            assert total == sum(map(len, rows))
            assert store == 0 or (np.concatenate([*rows, other[:0]]) == other[:total]).all()
            left = int(space.masks[e, CHILDREN, 0]) >> stop
            stops += left != 0
            lines += done
        more = go_on(space)
    if len(np.unique(W)) == W.size:
        assert stops < 0.2 * lines


@pytest.mark.slow
def test_a_plane_stops_if_there_is_no_room_or_enough():
    W = generators.generic(20, 5, 1).normals
    sweep = sweep_of(W)
    space, e, out = sweep.space, 2, np.zeros((900, 1), np.uint64)
    space.state[STORE] = 1
    lines = 0
    while lines < 4:
        depth = int(space.state[DEPTH])
        line_of_many(sweep, np.zeros((40, 1), np.uint64))
        if depth == e:
            start, enough = int(space.cursor[e]), int(space.state[ENOUGH])
            lines, total = emit_plane(space, e, out, 0)
        if lines < 4:
            assert go_on(space)
    for room in range(1, total + 1):
        space.cursor[e], small = start, np.full((total + 1, 1), 7, np.uint64)
        done, count = emit_plane(space, e, small[:room], 0)
        assert count <= room and (small[:count] == out[:count]).all() and (small[room:] == 7).all()
        space.cursor[e], space.state[ENOUGH] = start, room
        more, count = emit_plane(space, e, out, 0)
        space.state[ENOUGH] = enough
        assert done <= more and (count >= room or more == lines)


def test_what_is_in_vain_is_not_tried_for_long():
    """Lines that are given up count twice, and at the end none is tried."""
    for W, goes_on in ((generators.generic(20, 6, 1).normals, True), (generators.braid(7), False)):
        W = np.asarray(W if goes_on else W.normals, float)
        sweep, other = sweep_of(W, True), sweep_of(W)
        sweep.space.state[BALANCE] = 20
        rows = np.concatenate(list(sweep.blocks(10**6)))
        assert (rows == np.concatenate(list(other.blocks(10**6)))).all()
        balance = int(sweep.space.state[BALANCE])
        assert balance > 1000 if goes_on else -1 <= balance <= 0


def test_minors_of_other_lines_are_paid_for():
    """No call takes long: a line that many minors decide spends the budget of the call."""
    sweep = sweep_of(generators.generic(12, 6, 3).normals, True)
    sweep.space.bound[0, 0] = 1.0  # floats prove little
    out, status = np.zeros((40, 1), np.uint64), None
    while status != PAUSED:
        status, _ = few_rows.advance(sweep.space, 20, out, 0)
        if status != PAUSED:
            sweep._provide(status)
    space = sweep.space
    assert space.state[DEPTH] == 0 and space.state[STAGE] == 1 and space.state[SPENT] > 20
