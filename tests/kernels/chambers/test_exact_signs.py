"""Exact signs from residues against fractions."""

from itertools import combinations
from math import lcm

import numpy as np
import pytest

from arrangements.exact.linear import determinant
from arrangements.kernels.chambers import exact_signs
from arrangements.kernels.chambers.workspace import (
    DONE,
    NEEDS_EXACT,
    NEEDS_SIGNS,
    NEGATIVE,
    NOT_GENERIC,
    WORK,
)
from arrangements.search import chamber_sweep
from kernels import compiled
from kernels.chambers.exact_tableau import (
    affine_flag,
    exact_sweep,
    flag_columns,
    ordered_points,
    pivoted,
    sign,
    small_integers,
)

matroid_table = compiled(exact_signs.matroid_table)
proportional, is_spanned = compiled(exact_signs.proportional), compiled(exact_signs.is_spanned)
tied_rows = compiled(exact_signs.tied_rows)
minor_sign, pivots_sign = compiled(exact_signs.minor_sign), compiled(exact_signs.pivots_sign)
multiplier_sign = compiled(exact_signs.multiplier_sign)
compare_exactly = compiled(exact_signs.compare_exactly)


def rank(rows):
    return np.linalg.matrix_rank(np.array(rows)) if len(rows) else 0


def independent(rows, rng, number):
    """Indices of rows, decreasing, that are independent and not of the row at infinity."""
    while True:
        chosen = sorted(rng.choice(len(rows) - 1, number, replace=False).tolist(), reverse=True)
        if rank([rows[i] for i in [*chosen, -1]]) == number + 1:
            return chosen


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_who_meets_the_line_where(seed):
    """Rows that are proportional, and that are spanned, modulo the rows of a node."""
    W, b = small_integers(seed, 12, 4)
    rows = [[*row, x] for row, x in zip(W, b, strict=True)] + [[0, 0, 0, 0, 1]]
    rng, seen = np.random.default_rng(seed), set()
    for e in range(4):
        ws = exact_sweep(affine_flag(W, b)).space
        chain = independent(rows, rng, e)
        ws.chain[:e] = chain
        assert matroid_table(ws, e) == DONE
        base = [rows[i] for i in chain]
        outside = [i for i in range(13) if rank([*base, rows[i]]) > e]
        for i, j in combinations(outside, 2):
            same = rank([*base, rows[i], rows[j]]) == e + 1
            assert proportional(ws.matroid, ws.matroid_fields, e, i, j) == (DONE, same)
            seen.add(same)
            if e < 3 and not same:
                plane = [*base, rows[i], rows[j]]
                for k in (outside[0], 12):
                    meet = rank([*plane, rows[k]]) == e + 2
                    assert is_spanned(ws.matroid, ws.matroid_fields, e, i, j, k) == (DONE, meet)
        asked = sum(1 << i for i in outside)
        for j in outside:
            same = {i for i in outside if rank([*base, rows[i], rows[j]]) == e + 1}
            assert tied_rows(ws, e, asked, 0, j, False) == (DONE, sum(1 << i for i in same))
            if e < 3 and 12 not in same:
                plane = [*base, rows[j], rows[12]]
                met = [i for i in outside if rank([*plane, rows[i]]) == e + 2]
                assert tied_rows(ws, e, asked, 0, j, True) == (DONE, sum(1 << i for i in met))
    assert seen == {True, False}


@pytest.mark.slow
def test_residues_are_asked_for():
    ws = chamber_sweep.workspace(affine_flag(*small_integers(0, 6, 2)))
    assert matroid_table(ws, 1) == NEEDS_EXACT
    ws.bound[0, 0] = np.inf  # floats prove nothing
    assert minor_sign(ws, ws.table[0], 1, 0, 1, -1) == (NEEDS_SIGNS, 0)


@pytest.mark.slow
@pytest.mark.parametrize("by_floats", [False, True])
@pytest.mark.parametrize("kind", ["integers", "normal", "huge"])
def test_signs_of_minors(kind, by_floats):
    rng = np.random.default_rng(1)
    if kind == "integers":
        W, b = small_integers(1, 9, 3)
    else:
        W, b = rng.standard_normal((9, 3)), rng.standard_normal(9)
        if kind == "huge":
            W[4:] *= 2.0**90
            W[3] = np.nextafter(W[2], 9)
    flag = affine_flag(W, b)
    ws, exact = exact_sweep(flag).space, flag_columns(flag)
    if not by_floats:
        ws.bound[0, 0] = np.inf
    d, seen = 4, set()
    for _ in range(150):
        *chain, i, j = rng.choice(9, 5, replace=False).tolist()
        ws.chain[:3] = chain
        size = int(rng.integers(1, d + 1))
        last, alone = int(rng.integers(size - 1, d)), size == 1 or rng.integers(2) == 0
        rows = [*chain[: size - 1], i] if alone else [*chain[: size - 2], i, j]
        columns = [*range(size - 1), last]
        minor = [[exact[c][r] for c in columns] for r in rows]
        scale = lcm(*(x.denominator for row in minor for x in row))
        expected = sign(determinant([[int(x * scale) for x in row] for row in minor]))
        status = DONE if expected else NOT_GENERIC
        work = int(ws.state[WORK])
        assert minor_sign(ws, ws.table[0], size, last, i, -1 if alone else j) == (status, expected)
        assert ws.state[WORK] > work  # so that no call takes long
        seen.add(expected)
    assert seen >= {-1, 1}


def exact_path(flag, rng):
    """Nodes of a path: (depth, workspace as the sweep leaves it, exact columns)."""
    sweep, columns = exact_sweep(flag), flag_columns(flag)
    ws = sweep.space
    for e in range(flag.d - 1):
        yield e, ws, columns
        choices = [i for i in range(flag.d - 1 - e, ws.chain[e - 1] if e else flag.n)]
        choices = [i for i in choices if columns[e][i] != 0]
        if not choices:
            return
        p = int(rng.choice(choices))
        if columns[e][p] < 0:
            ws.masks[e, NEGATIVE, p >> 6] |= np.uint64(1 << (p & 63))
        ws.chain[e] = p
        columns = pivoted(columns, e, p, np.array(columns, float))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_multipliers_and_points_along_a_path(seed):
    rng = np.random.default_rng(seed)
    W, b = small_integers(seed, 10, 3) if seed % 2 else rng.standard_normal((10, 4)), np.ones(10)
    if seed % 2:
        W, b = W
    flag, compared = affine_flag(W, b, seed), 0
    for e, ws, columns in exact_path(flag, rng):
        assert pivots_sign(ws.masks, ws.chain, e, -1) == np.prod(
            [-1 if int(ws.masks[t, NEGATIVE, 0]) >> int(ws.chain[t]) & 1 else 1 for t in range(e)]
        )
        last = int(ws.chain[e - 1]) if e else flag.n
        for j in range(last):
            for q in range(e):
                assert multiplier_sign(ws, e, q, j) == (DONE, sign(columns[q][j]))
        assert matroid_table(ws, e) == DONE
        for i, a in enumerate(columns[e]):
            if a < 0:
                ws.masks[e, NEGATIVE, 0] |= np.uint64(1 << i)
        found = ordered_points(columns, e)
        ws.bound[e, 0] = np.inf  # the next order at infinity is not decided by floats
        for i, j in combinations(range(flag.n), 2):
            if found[i] is not None and found[j] is not None and found[i] != found[j]:
                assert compare_exactly(ws, e, i, j) == (DONE, 1 if found[i] > found[j] else -1)
                compared += 1
    assert compared > 20
