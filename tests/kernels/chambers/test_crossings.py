"""Chambers on the chords of polygons: the same, in the same order, as those of lines."""

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron, chambers, count_chambers
from arrangements.search.flag import Flag
from arrangements.search.within_sweep import WithinSweep, rows_inside


def sweep_of(n: int, d: int, P: Polyhedron) -> WithinSweep:
    rng = np.random.default_rng([n, d])
    A = Arrangement(rng.standard_normal((n, d)), 0.5 * rng.standard_normal(n))
    inside = rows_inside(A, P)
    assert inside is not None
    return WithinSweep(Flag(inside.rows, True), inside)


CASES = [(1, 3), (20, 3), (33, 3), (60, 3), (64, 3), (65, 3), (140, 3), (20, 4), (12, 5), (10, 7)]


@pytest.mark.sampled(11)
@pytest.mark.parametrize(("n", "d"), CASES)
@pytest.mark.parametrize("open_everywhere", ["errors", "doubts"])
def test_rows_are_those_of_lines_in_their_order(n: int, d: int, open_everywhere: str) -> None:
    P = Polyhedron.box(-1, 1, dimension=d)
    expected = np.concatenate(list(sweep_of(n, d, P).blocks(10**6)))
    sweep = sweep_of(n, d, P)
    out, count, finished = np.zeros((len(expected) + n + 99, sweep.row[0]), np.uint64), 0, False
    while not finished:  # chords of which floats know nothing are done as lines
        finished, _, count = sweep.advance(out, count, True, budget=1)
        getattr(sweep.polygon, open_everywhere)[:] = 1.0
    assert (out[:count] == expected).all()


@pytest.mark.parametrize("near", [1e-9, 1e-12, 1e-16, 0.0])
def test_points_that_nearly_meet(near: float) -> None:
    rng = np.random.default_rng(5)
    W, b = rng.standard_normal((14, 3)), 0.4 * rng.standard_normal(14)
    W[9], b[9] = W[3] + W[6], b[3] + b[6] + near
    W[12], b[12] = W[5] - W[1], b[5] - b[1] - near
    b[:3] = -W[:3].sum(axis=1) * (0.25 + near)
    A, P = Arrangement(W, b), Polyhedron.box(-1, 1, dimension=3)
    found = chambers(A, within=P).to_array().tolist()
    expected = chambers(A, within=P, method="incremental").to_array().tolist()
    assert sorted(found) == sorted(expected)
    assert count_chambers(A, within=P) == len(expected)
