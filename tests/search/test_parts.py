"""A sweep may be cut anywhere: at any subtree, and after any number of rows."""

import numpy as np
import pytest

from arrangements import Arrangement, ScoreModel, generators
from arrangements.search.chamber_sweep import ChamberSweep
from arrangements.search.flag import arrangement_flag
from arrangements.search.label_flag import LabelFlag
from arrangements.search.parts import ALL, WHOLE, Part, rest
from arrangements.search.ranking_sweep import RankingSweep

RNG = np.random.default_rng(0)
CUBE = np.array([[i >> k & 1 for k in range(4)] for i in range(16)])
ARRANGEMENTS = {
    "generic": Arrangement(RNG.normal(size=(12, 5))),
    "affine": Arrangement(RNG.normal(size=(12, 4)), np.arange(12) - 3),
    "resonance": generators.resonance(5),
    "braid": generators.braid(6),
    "walked lines": Arrangement(RNG.normal(size=(70, 4))),
}
MODELS = {
    "generic": (RNG.normal(size=(9, 4)), None),
    "affine": (RNG.normal(size=(8, 3)), np.arange(8)),
    "cube": (CUBE, None),
    "walked lines": (RNG.normal(size=(26, 3)), None),
}


def swept(sweep, part, enough, room, width, dtype):
    """Rows of a part, and what is left of it after so many."""
    sweep.restart(part, enough)
    out, count, finished, full = np.empty((enough + room, width), dtype), 0, False, False
    while not (finished or full):
        finished, full, count = sweep.advance(out, count, True)
    return out[:count], [] if finished else sweep.rest()


def in_pieces(sweep, enough, room, width, dtype):
    """All rows, of the sweep and of all that it leaves, the pieces in any order."""
    waiting, found, rng = [WHOLE], [], np.random.default_rng(1)
    while waiting:
        part = waiting.pop(int(rng.integers(len(waiting))))
        rows, left = swept(sweep, part, enough, room, width, dtype)
        assert len(rows) < enough + room and (left or len(rows) >= 0)
        found.append(rows)
        waiting += left
    return np.concatenate(found)


def same_rows(a, b):
    return len(a) == len(b) and np.array_equal(np.unique(a, axis=0), np.unique(b, axis=0))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("enough", [1, 7, 100])
@pytest.mark.parametrize("name", ARRANGEMENTS)
def test_chambers_in_pieces(name, enough):
    flag = arrangement_flag(ARRANGEMENTS[name], 0)
    sweep, words = ChamberSweep(flag), -(-flag.n // 64)
    listed = np.concatenate(list(ChamberSweep(flag).blocks(10**6)))
    assert same_rows(in_pieces(sweep, enough, flag.n + 2, words, np.uint64), listed)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("enough", [1, 7, 100])
@pytest.mark.parametrize("name", MODELS)
def test_rankings_in_pieces(name, enough):
    model = ScoreModel(*MODELS[name])
    flag = LabelFlag(model.reduced, model.is_central, 0)
    sweep, pairs = RankingSweep(flag), flag.n * (flag.n - 1) // 2
    listed = np.concatenate(list(RankingSweep(flag).blocks(10**6)))
    assert same_rows(in_pieces(sweep, enough, pairs + 2, flag.n, np.uint8), listed)


def test_subtrees_of_subtrees_are_the_subtree():
    flag = arrangement_flag(ARRANGEMENTS["generic"], 0)
    sweep = ChamberSweep(flag)

    def rows(*parts):
        return np.concatenate([swept(sweep, p, ALL // 2**40, 99, 1, np.uint64)[0] for p in parts])

    whole = rows(Part((11,), 0, ALL, own=True))
    assert same_rows(whole, rows(Part((), 11, 12)))
    assert same_rows(
        whole,
        rows(
            Part((11,), 0, 0, own=True),
            Part((11,), 0, 9),
            Part((11, 9), 0, ALL, own=True),
            Part((11,), 10, ALL),
        ),
    )


def test_what_is_left_of_a_part():
    # node 9 -> 7 is current: 7 itself, what follows it below 9, and what follows 9
    assert rest(WHOLE, 2, [9, 7], [10, 8], [12, 9, 7]) == [Part((9,), 7, 9), Part((), 10, 12)]
    assert rest(WHOLE, 0, [], [], [12]) == [WHOLE]
    inner = Part((9,), 2, 5)
    assert rest(inner, 1, [9], [10], [12, 9]) == [inner]
    assert rest(inner, 2, [9, 4], [10, 5], [12, 9, 4]) == [Part((9,), 4, 5)]
