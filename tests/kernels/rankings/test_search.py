"""The search of rankings against fractions, and the list of all rankings."""

from fractions import Fraction
from itertools import cycle

import numpy as np
import pytest
from naive import chambers as naive_chambers

from arrangements.kernels.chambers.workspace import DONE, FULL, PAUSED, STORE
from arrangements.kernels.rankings import search
from arrangements.search import ranking_sweep
from kernels import compiled
from kernels.chambers.exact_tableau import pivoted
from kernels.rankings.exact_pairs import (
    exact_sweep,
    label_columns,
    label_flag,
    of_pairs,
    pairs_of,
    small_labels,
)

next_pair, pivot_pair = compiled(search.next_pair), compiled(search.pivot_pair)
start_line, scale_point = compiled(search.start_line), compiled(search.scale_point)
write_ranking = compiled(search.write_ranking)


def test_pairs_one_after_the_other():
    pairs = pairs_of(12)
    for k, (a, c) in enumerate(pairs):
        for step in range(len(pairs) - k):
            assert next_pair(a, c, step) == pairs[k + step]


def flags():
    rng = np.random.default_rng(0)
    yield label_flag(rng.integers(-9, 10, (20, 3)), rng.integers(-9, 10, 20))
    yield label_flag(rng.integers(-(2**40), 2**40, (9, 4)), rng.integers(-99, 99, 9))
    W = rng.integers(-99, 100, (12, 3)).astype(float)
    W[1::2] = W[::2] + 2.0**-30 * rng.integers(-1, 2, (6, 3))  # nearly equal
    yield label_flag(W, np.arange(12))


@pytest.mark.slow
@pytest.mark.parametrize("case", range(3))
def test_columns_of_a_path(case):
    """Differences of lanes are within their bounds of those in fractions."""
    flag = list(flags())[case]
    space, columns, pairs = ranking_sweep.workspace(flag), label_columns(flag), pairs_of(flag.n)
    exact, rng, last = of_pairs(columns), np.random.default_rng(case), flag.n
    for e in range(flag.d - 1):
        there = [k for k, (_, c) in enumerate(pairs) if c < last]
        for column in range(flag.d):
            error, size = space.bound[e, :, column]
            for k in range(len(pairs)) if column >= e else there:
                a, c = pairs[k]
                value = Fraction(space.table[e, column, a]) - Fraction(space.table[e, column, c])
                assert error == np.inf or abs(value - exact[column][k]) <= Fraction(error)
                assert abs(value) <= Fraction(size) * Fraction(1001, 1000)
        check_single_precision(space, e, last)
        floats = np.array([space.table[e, :, a] - space.table[e, :, c] for a, c in pairs]).T
        sure = [k for k in there if abs(floats[e, k]) > 1e-3]
        if e == flag.d - 2 or not sure:
            break
        k = int(rng.choice(sure))
        a, last = pairs[k]
        pivot_pair(space, e, a, last)
        space.exact.pair[e] = a, last
        exact = pivoted(exact, e, k, floats)
    assert e > 0


def check_single_precision(space, e, last):
    """The columns of a line, divided by their sizes, are within their errors of these."""
    start_line(space, e)
    d, turn = space.table.shape[1], -1 if e < space.table.shape[1] - 2 else 1
    rows = [(0, e, 1, space.state[search.ROWS]), (1, e + 1, turn, space.state[search.ROWS])]
    rows += [(2 + q, q, 1, last) for q in range(e)]
    for target, source, side, lanes in rows:
        error, size = (Fraction(float(x)) for x in space.bound[e, :, source])
        found = [Fraction(float(x)) for x in space.line.columns[target, :lanes]]
        given = [side * Fraction(x) for x in space.table[e, source, :lanes].tolist()]
        allowed = Fraction(float(space.line.errors[target]))
        if allowed < 1:
            for a, c in zip(range(lanes - 1), range(1, lanes), strict=True):
                exact, single = (given[a] - given[c]) / size, found[a] - found[c]
                assert abs(exact - single) + error / size <= allowed * Fraction(1001, 1000)
    assert d > e


@pytest.mark.slow
@pytest.mark.parametrize("case", range(2))
def test_factors_of_a_point(case):
    """They are as wrong as the margin says, for the exact columns of labels."""
    flag = list(flags())[case]
    space, columns = ranking_sweep.workspace(flag), label_columns(flag)
    start_line(space, 0)
    rows = list(range(flag.n))
    singles = [[Fraction(float(x)) for x in space.line.columns[k]] for k in (0, 1)]
    proved = 0
    for a, c in pairs_of(flag.n):
        certain, by, less, margin = scale_point(space, 0, a, c)
        if not certain:
            continue
        proved += 1
        by, less = Fraction(float(by)), Fraction(float(less))
        scores = [singles[1][i] * by - singles[0][i] * less for i in rows]
        # exactly, up to the factor that makes both comparable: the one of the slope
        slope = columns[0][a] - columns[0][c]
        constant = -(columns[1][a] - columns[1][c])
        sizes = [Fraction(space.bound[0, 1, k]) for k in (0, 1)]
        scale = by * sizes[0] / slope
        exact = [
            scale * (-columns[1][i] * slope - columns[0][i] * constant) / (sizes[0] * sizes[1])
            for i in rows
        ]
        wrong = [x - y for x, y in zip(scores, exact, strict=True)]
        assert max(wrong) - min(wrong) < margin
    assert proved > flag.n


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n", [5, 256, 300])
def test_rankings_are_written(n):
    space = ranking_sweep.workspace(label_flag(np.arange(n)[:, None], np.arange(n) ** 2))
    order = np.random.default_rng(n).permutation(n)
    space.position[order] = np.arange(n)
    out = np.zeros((2, n), np.uint8 if n <= 256 else np.uint16)
    write_ranking(space, out.view(np.uint8), 1)
    assert out[1].tolist() == order.tolist() and not out[0].any()


def naive_rankings(W, b):
    """From the sign vectors of all differences of labels."""
    pairs = pairs_of(len(W))
    rows = [[x - y for x, y in zip(W[a], W[c], strict=True)] for a, c in pairs]
    found = set()
    for signs in naive_chambers(rows, [b[a] - b[c] for a, c in pairs]):
        wins = [0] * len(W)
        for side, (a, c) in zip(signs, pairs, strict=True):
            wins[a if side > 0 else c] += 1
        found.add(tuple(sorted(range(len(W)), key=lambda i: -wins[i])))
    return found


def advanced(flag, rows, store):
    """All rankings by calls that end early, for one reason or another, and how they ended."""
    space, found, endings = exact_sweep(flag).space, [], set()
    space.state[STORE] = store
    out, total, status = np.zeros((rows, flag.n), np.uint8), 0, FULL
    budgets = cycle((3, 60))
    while status in (FULL, PAUSED):
        status, count = search.advance(space, next(budgets), out, 0)
        endings.add(status)
        found += [tuple(row) for row in out[: count if store else 0].tolist()]
        total += count
    assert status == DONE
    return found, total, endings


@pytest.mark.parametrize("seed", range(3))
def test_all_rankings_in_small_steps(seed):
    W, b = small_labels(seed, 5, 2)
    flag = label_flag(W, b, seed)
    found, total, endings = advanced(flag, 4, 1)
    assert endings == {DONE, FULL, PAUSED}
    assert len(found) == total and len(set(found)) == total and set(found) == naive_rankings(W, b)
    assert advanced(flag, 0, 0) == ([], total, {DONE, PAUSED})
