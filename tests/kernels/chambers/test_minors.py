"""Points that coincide, from small minors, against ranks in exact arithmetic and residues."""

from itertools import combinations

import numpy as np
import pytest

from arrangements import Arrangement, chambers, generators
from arrangements.exact.linear import determinant
from arrangements.kernels.chambers import minors
from arrangements.kernels.chambers.workspace import HAS_INFINITY, MINOR_DEPTH, NEEDS_EXACT
from arrangements.search import chamber_sweep
from arrangements.search.flag import Flag
from kernels import compiled
from kernels.chambers.exact_tableau import affine_flag, exact_sweep, small_integers
from kernels.chambers.test_exact_signs import independent, rank

meet_at_point, meet_at_infinity = (
    compiled(minors.meet_at_point),
    compiled(minors.meet_at_infinity),
)
follow_minors = compiled(minors.follow_minors)


def large_integers(seed, n):
    """Rows of three numbers whose minors of order 2 come near the limit, many of them equal."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-3, 4, (n, 3)) * 1000 + rng.integers(-1, 2, (n, 3))
    return rows[:, :2].tolist(), rows[:, 2].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_who_meets_the_line_where(seed):
    n = 12
    W, b = small_integers(seed, n, 4) if seed < 4 else large_integers(seed, n)
    d = len(W[0]) + 1
    rows = [[*row, x] for row, x in zip(W, b, strict=True)] + [[0] * (d - 1) + [1]]
    rng, seen, far = np.random.default_rng(seed), set(), set()
    for e in range(d - 1):
        ws = exact_sweep(affine_flag(W, b)).space
        chain = independent(rows, rng, e)
        ws.chain[:e] = chain
        base = [rows[i] for i in chain]
        outside = [i for i in range(n + 1) if rank([*base, rows[i]]) > e]
        for j in outside:
            found = int(meet_at_point(ws, e, j, 0))
            for i in outside:
                same = rank([*base, rows[i], rows[j]]) == e + 1
                assert found >> i & 1 == same
                seen.add(same)
        if e < d - 2:
            ws.state[HAS_INFINITY] = 0
            points = [i for i in outside[:-1] if rank([*base, rows[i], rows[n]]) == e + 2]
            asked = np.uint64(sum(1 << i for i in points))
            for j in points:
                found = int(meet_at_infinity(ws, e, j, 0, asked))
                meet = [i for i in points if rank([*base, rows[i], rows[j], rows[n]]) == e + 2]
                assert found == sum(1 << i for i in meet)
                far |= {i in meet for i in points if i != j}
    assert seen == {True, False}
    assert far == {True, False} or (far and seed >= 4)


@pytest.mark.slow
def test_columns_are_minors():
    W, b = small_integers(1, 9, 4)
    flag = affine_flag(W, b)
    ws, rows = exact_sweep(flag).space, flag.small_integers(minors.MOST).astype(int).tolist()
    chain = independent([*rows, [0, 0, 0, 0, 1]], np.random.default_rng(0), 3)
    ws.chain[:3] = chain
    follow_minors(ws, 3)
    assert ws.state[MINOR_DEPTH] == 3
    for i in range(9):
        some = [[rows[k][c] for c in range(5)] for k in [*chain, i]]
        expected = {
            abs(determinant([[row[c] for c in columns] for row in some]))
            for columns in combinations(range(5), 4)
        }
        assert set(np.abs(ws.minors[3, 3:, i]).tolist()) <= expected


def test_many_large_rows_overflow_nothing():
    rows = np.random.default_rng(0).integers(2**25, 2**26, (40, 30))
    assert Flag(rows, False).small_integers(minors.MOST) is None


def has_minors(rows):
    sweep = chamber_sweep.ChamberSweep(Flag(np.array(rows), False))
    sweep._provide(NEEDS_EXACT)
    return len(sweep.space.minors) > 0


def test_only_small_minors_are_kept_so():
    assert has_minors([[1, 0, 0], [0, 1, 0], [1, 1, 1]])
    assert has_minors([[1.5, 0.25, 0.0], [0.0, 2.0**900, 0.0], [1.0, 1.0, 1.0]])
    assert has_minors([[2**12, 1, 0], [1, 2**12, 5], [7, 0, 2**12]])
    assert not has_minors([[2**14, 1, 0], [1, 2**14, 5], [7, 0, 2**14]])
    assert not has_minors([[0.1, 1.0, 0.0], [0.0, 1.0, 0.5], [1.0, 1.0, 1.0]])
    assert has_minors([[2**40, 2**40, 2**41], [0, 1, 0], [1, 1, 1]])  # a multiple of (1, 1, 2)


@pytest.mark.parametrize(
    "A",
    [
        generators.resonance(4),
        generators.coxeter("B", 4),
        generators.shi(5),
        Arrangement(np.random.default_rng(0).integers(-2, 3, (80, 3)), np.arange(80) % 3 + 1),
    ],
    ids=["resonance", "B4", "Shi", "two words"],
)
def test_residues_give_the_same_chambers(A, monkeypatch):
    found = chambers(A, method="sweep")
    monkeypatch.setattr(chamber_sweep, "MOST", 0.0)
    assert chambers(A, method="sweep") == found
