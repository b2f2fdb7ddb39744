"""Floats of a sweep lie within their bounds of the same numbers as fractions."""

from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from arrangements.kernels.chambers import tableau
from arrangements.kernels.chambers.workspace import HAS_WIDE, ROWS
from arrangements.search import chamber_sweep
from kernels import compiled
from kernels.chambers.exact_tableau import (
    affine_flag,
    eliminated,
    flag_columns,
    pivot,
    pivoted,
    points,
    sign,
)

compare_second, find_factors = compiled(tableau.compare_second), compiled(tableau.find_factors)


def flags():
    rng = np.random.default_rng(0)
    yield affine_flag(rng.standard_normal((9, 4)), rng.standard_normal(9))
    yield affine_flag(rng.integers(-3, 4, (80, 3)), rng.integers(-3, 4, 80))
    yield affine_flag(
        rng.standard_normal((20, 2)) * 10.0 ** rng.integers(-9, 9, (20, 1)), range(20)
    )
    W = rng.standard_normal((12, 4))
    W[1::2] = W[::2] + 1e-12 * rng.standard_normal((6, 4))  # nearly parallel
    yield affine_flag(W, np.ones(12))


def eliminated_by_first(*entries):
    """Factors and errors of columns with these entries in the pivot row, the first by itself."""
    bound, factors = np.zeros((2, 2, 16)), np.zeros((3, 16))
    bound[0, 0], bound[0, 1], eliminator = 1e-10, 1.0, np.zeros(16, np.int64)
    factors[0, : len(entries)] = entries
    find_factors(bound, factors, eliminator, 0, len(entries), 1e-16)
    return factors[1], factors[2], bound[1, 0], eliminator.tolist()


def test_elimination_says_what_it_proves():
    alpha, beta, error, by = eliminated_by_first(-0.25, 0.5, 1.0)
    assert (alpha[1], beta[1], by[1]) == (0.5, -1.0, 0) and 1.5e-10 <= error[1] < 1e-9
    assert (alpha[2], beta[2], by[2]) == (0.5, 1.0, 1)  # the larger of both is the eliminator
    assert eliminated_by_first(1.5e-9, 1.0)[2][1] == np.inf  # sign of alpha
    alpha, beta, error, _ = eliminated_by_first(0.0, 1.0)
    assert (alpha[1], beta[1], error[1]) == (1.0, 0.0, np.inf)


def test_later_columns_have_the_largest_eliminator():
    """More columns than lanes."""
    rng = np.random.default_rng(0)
    entries = rng.uniform(0.1, 1.0, 13) * rng.choice([-1, 1], 13)
    alpha, beta, error, by = eliminated_by_first(*entries)
    for c in range(1, 13):
        v = int(np.argmax(abs(entries[:c])))
        assert by[c] == v and error[c] < 1e-7 and alpha[c] > 0
        assert max(alpha[c], abs(beta[c])) == pytest.approx(1.0)
        assert alpha[c] * entries[c] == pytest.approx(beta[c] * entries[v])


@pytest.mark.parametrize("case", range(4))
def test_columns_of_a_path(case):
    flag = list(flags())[case]
    space, exact = chamber_sweep.workspace(flag), flag_columns(flag)
    rng = np.random.default_rng(case)
    last = flag.n
    for e in range(flag.d - 1):
        for c in range(flag.d):
            rows = range(flag.n) if c >= e else range(last)
            error = Fraction(space.bound[e, 0, c]) if space.bound[e, 0, c] < np.inf else None
            for i in rows if error is not None else ():
                assert abs(Fraction(space.table[e, c, i]) - exact[c][i]) <= error
            assert all(abs(space.table[e, c, i]) <= space.bound[e, 1, c] for i in rows)
        sure = [i for i in range(last) if abs(space.table[e, e, i]) > 1e-3]
        if e == flag.d - 2 or not sure:
            break
        last = p = int(rng.choice(sure))
        pivot(space, e, p, last)
        exact = pivoted(exact, e, p, space.table[e])
    assert e > 0


@njit
def own_line(ws, e, last):
    """The line of a node with columns of its own: intervals and signs, as `place_line` does."""
    lanes = (ws.state[ROWS] + 15) & ~15
    tableau.narrow_columns(ws, e, lanes, last, True)
    if e == ws.table.shape[1] - 3:
        tableau.child_coefficients(ws, last)
    lane = tableau.own_coefficients(ws, e)
    negative, unsure = tableau.place_points(ws, e, e, e + 1, lane, 0, ~np.uint64(0))
    tableau.multipliers(ws, e, 0, False, last)
    return negative, unsure


@njit
def line_of_child(ws, p):
    """The line of the child p of a node of depth d - 3, from the columns of the node."""
    d = ws.table.shape[1]
    negative, unsure = tableau.place_points(ws, d - 2, d - 3, d - 1, p, 0, ~np.uint64(0))
    tableau.multipliers(ws, d - 2, p, True, p)
    return negative, unsure


def check_line(space, columns, e, last, negative, unsure):
    """Intervals hold s = t / (1 + |t|), and the signs are those of the columns."""
    proven = 0
    for i, t in enumerate(points(columns, e)[:64]):
        low, high = (float(x) for x in space.low_high[:, i])
        assert space.key[0, i] <= space.key[1, i]
        if int(unsure) >> i & 1:
            assert (low, high) == (-tableau.FAR, tableau.FAR)
        elif t is not None:
            assert Fraction(low) <= t / (1 + abs(t)) <= Fraction(high)
            assert int(negative) >> i & 1 == (columns[e][i] < 0)
            proven += 1
    for i in range(min(last, 64)):
        if int(space.multiplier[-1, 0]) >> i & 1 == 0:
            for q in range(e):
                assert int(space.multiplier[q, 0]) >> i & 1 == (columns[q][i] < 0)
    return proven


@pytest.mark.slow
@pytest.mark.parametrize("case", range(4))
def test_intervals_and_signs(case):
    flag = list(flags())[case]
    d, columns = flag.d, flag_columns(flag)
    space, e, last, proven = chamber_sweep.workspace(flag), 0, flag.n, 0
    while e < d - 3:
        proven += check_line(space, columns, e, last, *own_line(space, e, last))
        p = max(i for i in range(last) if abs(space.table[e, e, i]) > 1e-3)
        pivot(space, e, p, p)
        columns = pivoted(columns, e, p, space.table[e])
        e, last = e + 1, p
    proven += check_line(space, columns, e, last, *own_line(space, e, last))
    for p in range(1, min(last, 64)) if e == d - 3 else ():
        if abs(space.narrow[e, p]) < 1e-3:
            continue  # its sign is not proven
        below = line_of_child(space, p)
        child = pivoted(columns, e, p, space.narrow)
        proven += check_line(space, child, e + 1, p, *below)
    assert proven > flag.n // 2


@njit
def wide(ws, e, i):
    """What the float64 tableau says: intervals of t, and that of row i in place of the other."""
    ws.state[HAS_WIDE] = 0
    tableau.widen(ws, e)
    tableau.place_row(ws, i, tableau.BEYOND, tableau.BEYOND)
    tableau.place_by_tableau(ws, e, i)


@pytest.mark.slow
@pytest.mark.parametrize("case", range(4))
def test_intervals_in_double_precision(case):
    flag = list(flags())[case]
    space, columns = chamber_sweep.workspace(flag), flag_columns(flag)
    for i in range(min(flag.n, 20)):
        wide(space, 0, i)
        t = points(columns, 0)[i]
        if space.wide[0, i] > -np.inf:
            assert t is not None and Fraction(space.wide[0, i]) <= t <= Fraction(space.wide[1, i])
        low, high = (float(x) for x in space.low_high[:, i])
        if low < tableau.BEYOND:
            assert Fraction(low) <= t / (1 + abs(t)) <= Fraction(high)
            assert space.key[0, i] <= space.key[1, i] < 2**15 - 1


def test_the_last_column_decides_between_points_at_infinity():
    flag = next(flags())
    space, columns = chamber_sweep.workspace(flag), flag_columns(flag)
    values = [-c / a for a, c in zip(columns[0], columns[-1], strict=True)]
    for i in range(flag.n):
        for j in range(flag.n):
            assert compare_second(space, 0, i, j) == sign(values[i] - values[j])
    space.bound[0, 0, 0] = 1.0
    assert compare_second(space, 0, 0, 1) == 0


def test_fractions_are_eliminated_as_floats_are():
    u, v = [Fraction(k) for k in (3, 1, 4)], [Fraction(k) for k in (-2, 7, 1)]
    new = eliminated(u, v, 0)
    assert new[0] == 0 and [x * 3 for x in new] == [
        2 * a + 3 * b for a, b in zip(u, v, strict=True)
    ]
