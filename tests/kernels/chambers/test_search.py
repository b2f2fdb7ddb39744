"""The search against fractions: children and ties of each line, and the list of all chambers."""

import numpy as np
import pytest
from naive import chambers as naive_chambers

from arrangements.kernels.chambers import search
from arrangements.kernels.chambers.workspace import (
    CHILDREN,
    DONE,
    FIXED,
    FULL,
    NEGATIVE,
    NO_POINTS,
    PAUSED,
    STORE,
    TIED,
)
from arrangements.search import chamber_sweep
from arrangements.sets.packed import unpack_signs
from kernels import compiled
from kernels.chambers.exact_tableau import (
    affine_flag,
    descend,
    exact_sweep,
    flag_columns,
    line,
    ordered_points,
    pivoted,
    small_integers,
)

member, rows_of_word = compiled(search.member), compiled(search.rows_of_word)


def word_of(sets):
    """A set of rows as an integer."""
    return sum(word << 64 * w for w, word in enumerate(sets.tolist()))


def set_of(rows):
    return sum(1 << i for i in rows)


def test_sets_of_rows():
    masks, rng = np.zeros((2, 7, 3), np.uint64), np.random.default_rng(0)
    for density in (0, 1, 5, 100):
        chosen = sorted(set(rng.integers(0, 192, density).tolist()))
        for w in range(3):
            masks[1, CHILDREN, w] = set_of(chosen) >> 64 * w & 2**64 - 1
        assert [i for i in range(192) if member(masks[1], CHILDREN, i)] == chosen
    for last in (0, 1, 63, 64, 100):
        assert rows_of_word(0, last) == set_of(range(min(last, 64)))


@pytest.mark.parametrize("factor", [1.0, 1e12, 1e18])
@pytest.mark.parametrize("seed", range(3))
def test_children_and_ties_of_a_path(seed, factor):
    """With wider error bounds more is decided exactly; at the end all of it."""
    rng = np.random.default_rng(seed)
    flag = affine_flag(*small_integers(seed, 70 if seed == 2 else 40, 3, high=2 + 2 * (seed == 2)))
    flag.error *= factor
    sweep, columns, tied = exact_sweep(flag), flag_columns(flag), 0
    out = np.zeros((flag.n + 2, -(-flag.n // 64)), np.uint64)
    closure, last = 0, flag.n
    for e in range(flag.d - 1):
        line(sweep, out)
        space, found = sweep.space, ordered_points(columns, e)
        masks = space.masks[e]
        rows = [i for i in range(flag.n) if not closure >> i & 1]
        there = [i for i in rows if found[i] is not None]
        negative = set_of(i for i in there if columns[e][i] < 0)
        assert word_of(masks[NEGATIVE]) & set_of(rows) == negative
        assert ~word_of(masks[NO_POINTS]) & set_of(range(flag.n)) == set_of(there)
        for i in set(rows) - set(there):
            assert word_of(masks[FIXED]) >> i & 1 == (columns[-1][i] > 0)
        ties = {j: [i for i in there if found[i] == found[j]] for j in there if j < last}
        smallest = [j for j, tie in ties.items() if j == tie[0]]
        assert word_of(masks[CHILDREN]) == set_of(smallest)
        if e == flag.d - 2 or len(smallest) < 2:
            break
        for j in smallest:
            if len(ties[j]) > 1:
                assert word_of(masks[TIED]) >> j & 1
                assert word_of(space.ties[e, j]) == set_of(ties[j])
                tied += 1
        p = int(rng.choice(smallest[1:]))
        closure |= set_of(ties[p])
        descend(sweep, e, p)
        columns, last = pivoted(columns, e, p, np.array(columns, float)), p
    assert e > 0 and (tied > 0 or seed == 0)


def advanced(flag, rows, budget, store):
    """All chambers by calls that end early, and how they ended."""
    sweep, found, endings = exact_sweep(flag), [], set()
    space = sweep.space
    space.state[STORE] = store
    out, total = np.zeros((rows, space.masks.shape[2]), np.uint64), 0
    status = FULL
    while status in (FULL, PAUSED):
        status, count = search.advance(space, budget, out, 0)
        endings.add(status)
        found += [row.copy() for row in out[: count if store else 0]]
        total += count
    assert status == DONE
    return found, total, endings


@pytest.mark.parametrize("seed", range(3))
def test_all_chambers_in_small_steps(seed):
    W, b = small_integers(seed, 8, 3)
    flag = affine_flag(W, b, seed)
    found, total, endings = advanced(flag, 10, 3, 1)
    assert endings == {DONE, FULL, PAUSED} and len(found) == total
    signs = {tuple(row) for row in unpack_signs(np.array(found), flag.n).tolist()}
    assert len(signs) == total and signs == {tuple(s) for s in naive_chambers(W, b)}
    found, counted, endings = advanced(flag, 1, 3, 0)
    assert (found, counted, endings) == ([], total, {DONE, PAUSED})


def test_equal_hyperplanes_are_marked():
    W = [[1, 0], [0, 1], [2, 0], [1, 1], [-1, 0], [0, 3], [1, 0]]
    sweep = chamber_sweep.ChamberSweep(affine_flag(W, [1, 2, 2, 3, -1, 6, 2]))
    line(sweep, np.zeros((9, 1), np.uint64))
    assert sweep.space.parallel[:7].tolist() == [0, 1, 0, 3, 0, 1, 6]
