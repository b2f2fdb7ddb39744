"""Children and ties of each line against fractions: signs and sides that filters leave open."""

import numpy as np
import pytest

from arrangements.kernels.chambers.workspace import CHILDREN, FIXED, NEGATIVE, NO_POINTS, TIED, bit
from arrangements.kernels.chambers.workspace import rows_of_word as rows_of_word_kernel
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

is_member, rows_of_word = compiled(bit), compiled(rows_of_word_kernel)


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
        assert [i for i in range(192) if is_member(masks, 1, CHILDREN, i)] == chosen
    for last in (0, 1, 63, 64, 100):
        assert rows_of_word(0, last) == set_of(range(min(last, 64)))


@pytest.mark.sampled(5)
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
