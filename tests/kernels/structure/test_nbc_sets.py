"""Numbers of no-broken-circuit sets, of integers and of floats, against their definition."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from arrangements.kernels.structure.nbc_sets import OPEN, count_nbc_sets
from kernels.plain import echelon


def rank(rows):
    return len(echelon(rows)) if len(rows) else 0


def nbc_sets(matrix):
    """Independent sets of rows whose every final part has its least row as the least spanned."""
    rows = [[Fraction(e) for e in row] for row in matrix]
    found = 0
    for size in range(len(rows[0]) + 1):
        for chosen in combinations(range(len(rows)), size):
            parts = [chosen[k:] for k in range(size)]
            found += rank([rows[i] for i in chosen]) == size and not any(
                rank([rows[j]] + [rows[i] for i in part]) == len(part)
                for part in parts
                for j in range(part[0])
            )
    return found


def counted(matrices, whole):
    """By the kernel, as integers or as floats."""
    stack = np.array(matrices, float)
    m, n, d = stack.shape
    integers = stack.astype(np.int64) if whole else np.zeros((m, n, d), np.int64)
    counts = np.full(m, -7, np.int64)
    scale = 2.0 ** -np.ceil(np.log2(np.abs(stack).max() + 1))
    count_nbc_sets(
        *(stack * scale, integers, np.full(m, whole), np.empty((d, n, d)), np.empty((d, n))),
        *(np.empty((d, n, d), np.int64), np.empty(d, np.int64), np.empty((d, 2), np.int64), counts),
    )
    return counts.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 1), (1, 3), (2, 3), (5, 2), (6, 3), (5, 4)])
def test_counts(n, d):
    rng = np.random.default_rng(n + 10 * d)
    matrices = rng.integers(-2, 3, (30, n, d))
    matrices[:3, -1] = -2 * matrices[:3, 0]  # parallel rows
    expected = [OPEN if (W == 0).all(axis=1).any() else nbc_sets(W.tolist()) for W in matrices]
    assert counted(matrices, True) == expected
    # Floats say nothing where a row is spanned by others, and are right where none is.
    by_floats = counted(matrices, False)
    assert all(found in (OPEN, right) for found, right in zip(by_floats, expected, strict=True))
    generic = rng.standard_normal((20, n, d))
    assert counted(generic, False) == [nbc_sets(W) for W in generic.tolist()]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scale", [1.0, 2.0**-900])
def test_floats_know_what_they_do_not_know(scale):
    rng = np.random.default_rng(4)
    for _ in range(60):
        W = rng.standard_normal((4, 3))
        W[3] = W[0] + rng.integers(-2, 3) * W[1] + rng.integers(-1, 2) * 2.0**-50 * W[2]
        W[:, 0] *= scale
        (found,) = counted([W], False)
        assert found in (OPEN, nbc_sets(W.tolist()))
