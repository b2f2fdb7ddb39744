"""A walk along the line of labels in the plane: all rankings, from their crossings in order."""

import numpy as np
import pytest
from numba import njit

from arrangements.kernels.chambers.workspace import DONE, FULL
from arrangements.kernels.rankings import line_walk, search
from arrangements.kernels.rankings.workspace import EVENTS, PENDING
from arrangements.search import ranking_sweep
from kernels import compiled
from kernels.rankings.exact_pairs import label_flag, pairs_of

put = compiled(line_walk.put)


@njit
def prepare(ws):
    """The line of the root of rank 2, at its far end."""
    search.start_line(ws, 0)
    return line_walk.prepare_walk(ws, 0, ws.state[search.ROWS])


@njit
def walk_on(ws, store, out):
    return line_walk.walk_on(ws, 0, store, out, np.int64(0))


def rankings_along(W, b):
    """The ranking just after each point, in order; pairs by the points where they cross."""
    pairs = pairs_of(len(W))
    at = np.array([(b[c] - b[a]) / (W[a] - W[c]) for a, c in pairs])
    crossings = np.sort(at)
    middles = [*(crossings[:-1] + crossings[1:]) / 2, crossings[-1] + 1]
    return [np.argsort(-(W * x + b)).tolist() for x in middles]


def walked(ws, n, rows, store=True):
    """The rankings, by calls that write at most so many rows."""
    wide = np.uint8 if n <= 256 else np.uint16
    found, total, status, calls = [], 0, FULL, 0
    while status == FULL:
        out = np.zeros((rows + 1, n), wide)
        status, count = walk_on(ws, store, out[:rows].view(np.uint8))
        assert not out[-1].any() and count <= rows or not store
        found += out[:count].tolist() if store else []
        total, calls = total + count, calls + 1
    assert status == DONE
    return found, total, calls


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 9, 30, 64, 70, 260])
def test_all_rankings_of_labels_in_the_plane(n):
    rng = np.random.default_rng(n)
    W, b = rng.permutation(n).astype(float), rng.uniform(-1, 1, n)
    expected = rankings_along(W, b)
    flag = label_flag(W[:, None], b)
    for rows in (len(expected) + 9, len(expected), 7 if n < 99 else 9999):
        ws = ranking_sweep.workspace(flag)
        assert prepare(ws) and ws.state[EVENTS] == len(expected)
        found, total, calls = walked(ws, n, rows)
        left = int(ws.state[PENDING])
        # every ranking once and in order; points that are near each other are left to others
        assert total == len(found) == len(expected) - left and left <= len(expected) // 50
        assert calls > 1 or rows >= total
        remaining = iter(expected)
        assert all(ranking in remaining for ranking in found)
        ws = ranking_sweep.workspace(flag)
        assert prepare(ws)
        assert walked(ws, n, 1, store=False) == ([], total, 1)


@pytest.mark.slow
def test_points_of_several_pairs_are_left_to_others():
    # labels 0..4 meet at x = 0
    W = np.array([3.0, 1.0, 4.0, -1.0, 5.0, 9.0, -2.0, 6.0])
    b = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 2.5, 3.25, -4.125])
    ws = ranking_sweep.workspace(label_flag(W[:, None], b))
    assert prepare(ws)
    found, total, _ = walked(ws, 8, 99)
    pending = sorted(ws.walk.pending[: ws.state[PENDING]].tolist())
    assert pending == [k for k, (a, c) in enumerate(pairs_of(8)) if c <= 4]
    assert len(found) == total == 28 - len(pending)
    # each is the one just after the crossing of two neighbors, and 0..4 come together or reversed
    for ranking in found:
        meeting = [x for x in ranking if x <= 4]
        assert meeting in ([3, 1, 0, 2, 4], [4, 2, 0, 1, 3])


@pytest.mark.slow
def test_lines_whose_crossings_are_not_proved_are_left():
    ws = ranking_sweep.workspace(label_flag(np.arange(6.0)[:, None], np.arange(6.0) ** 2))
    assert prepare(ws)
    ws.bound[0, 0] = 0.1
    assert not prepare(ws)


def test_labels_of_one_byte_or_two():
    row = np.zeros(600, np.uint8)
    for place, label in [(0, 7), (5, 255), (255, 3)]:
        put(row, place, label, 256)
        assert row[place] == label
    for place, label in [(0, 299), (130, 255), (299, 256)]:
        put(row, place, label, 300)
        assert row.view(np.uint16)[place] == label
