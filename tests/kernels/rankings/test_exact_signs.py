"""Orders of labels at points of a line against fractions."""

import numpy as np
import pytest

from arrangements.kernels.chambers.workspace import DONE, NEEDS_EXACT
from arrangements.kernels.rankings import exact_signs
from arrangements.kernels.rankings.workspace import HAS_RESIDUES
from arrangements.search import ranking_sweep
from kernels import compiled
from kernels.chambers.exact_tableau import pivoted, sign
from kernels.rankings.exact_pairs import (
    Line,
    exact_sweep,
    label_columns,
    label_flag,
    of_pairs,
    pairs_of,
    small_labels,
)

pair_index = compiled(exact_signs.pair_index)
slope_sign, multiplier_sign = (
    compiled(exact_signs.slope_sign),
    compiled(exact_signs.multiplier_sign),
)
compare_exactly = compiled(exact_signs.compare_exactly)
compare_scores = compiled(exact_signs.compare_scores)


def test_numbers_of_pairs():
    assert [pair_index(a, c) for a, c in pairs_of(12)] == list(range(66))


def exact_path(seed, n, d):
    """Nodes of a path: (depth, workspace, exact columns of all pairs), decided by residues only."""
    rng, flag = np.random.default_rng(seed), label_flag(*small_labels(seed, n, d), seed)
    columns, numbers = of_pairs(label_columns(flag)), {p: k for k, p in enumerate(pairs_of(n))}
    ws, last = exact_sweep(flag).space, n
    for e in range(flag.d - 1):
        ws.bound[e, 0] = np.inf
        yield e, ws, columns, last
        choices = [(a, c) for a, c in numbers if d - e <= c < last and columns[e][numbers[a, c]]]
        if not choices:
            return
        a, last = choices[int(rng.integers(len(choices)))]
        k = numbers[a, last]
        ws.exact.pair[e] = a, last
        ws.exact.negative[e] = columns[e][k] < 0
        columns = pivoted(columns, e, k, np.array(columns, float))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_signs_along_a_path(seed):
    n, compared = 8, set()
    for e, ws, columns, last in exact_path(seed, n, 3):
        line = Line(columns, e, n)
        for k, (a, c) in enumerate(pairs_of(n)):
            is_spanned = all(not column[k] for column in columns[e:])
            if is_spanned:
                continue
            assert slope_sign(ws, e, a, c) == (DONE, sign(columns[e][k]))
            for q in range(e) if c < last else ():
                assert multiplier_sign(ws, e, q, a, c) == (DONE, sign(columns[q][k]))
            if columns[e][k] == 0:
                continue
            ws.state[HAS_RESIDUES] = 0
            for i, (x, y) in enumerate(pairs_of(n)):
                if any(column[i] for column in columns[e:]):
                    expected = line.compare(x, y, a, c)
                    found = compare_exactly(ws.exact, e, x, y, a, c, sign(columns[e][k]))
                    assert found == (DONE, *expected)
                    assert compare_exactly(ws.exact, e, y, x, a, c, sign(columns[e][k])) == (
                        DONE, -expected[0], expected[1],
                    )  # fmt: skip
                    far = compare_exactly(ws.exact, e, x, y, -1, -1, 1)
                    assert far == (DONE, line.compare_far(x, y), False)
                    compared.add(expected)
    assert compared >= {(1, False), (-1, False), (1, True)}


@pytest.mark.slow
def test_residues_are_asked_for():
    ws = ranking_sweep.workspace(label_flag(*small_labels(0, 6, 2)))
    ws.bound[0, 0] = np.inf
    assert slope_sign(ws, 0, 0, 1)[0] == NEEDS_EXACT


def test_floats_compare_what_they_can():
    rng = np.random.default_rng(1)
    W, b = rng.integers(-99, 99, (9, 2)).tolist(), rng.integers(-99, 99, 9).tolist()
    flag = label_flag(W, b)
    ws, line = ranking_sweep.workspace(flag), Line(of_pairs(label_columns(flag)), 0, 9)
    certain = 0
    for a, c in pairs_of(9):
        slope = line.pair(a, c)[0]
        for x, y in pairs_of(9):
            factor = -1.0 if slope > 0 else 1.0  # on the inner level, and the sign of the slope
            found = compare_scores(ws.table, ws.bound, 0, 1, factor, x, y, a, c)
            assert found in (0, line.compare(x, y, a, c)[0])
            assert found == 0 or not line.compare(x, y, a, c)[1]
            certain += found != 0
    assert certain > 1000
