"""Quotients in their order, against Fractions."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements.exact.quotients import sort_quotients

# Some quotients of each size are equal, and others have equal floats.
SIZES = [3, 2**20, 2**40, 2**52, 2**80, 10**400]


@pytest.mark.parametrize("size", SIZES)
def test_their_order(size):
    rng = np.random.default_rng(0)
    near = [[size + int(k), size + 1 + int(k)] for k in rng.integers(0, 3, 8)]
    twice = [[2 * a, 2 * b] for a, b in near[:3]]
    opposite = [[-a, b] for a, b in near[:3]]
    pairs = np.array([*near, *twice, *opposite, [0, 1], [0, size]], object)
    rows = np.array([rng.permutation(len(pairs)) for _ in range(3)])
    a, b = pairs[rows].transpose(2, 0, 1)
    if 2 * size + 6 < 2**62:
        a, b = a.astype(np.int64), b.astype(np.int64)
    order, first = sort_quotients(a, b)
    for k in range(3):
        exact = [Fraction(int(x), int(y)) for x, y in zip(a[k], b[k], strict=True)]
        assert sorted(order[k].tolist()) == list(range(len(pairs)))
        ordered = [exact[i] for i in order[k]]
        assert ordered == sorted(exact)
        assert [True, *(x != y for x, y in zip(ordered, ordered[1:], strict=False))] == (
            first[k].tolist()
        )


def test_quotients_beyond_floats():
    a, b = np.array([[10**400, 10**400 + 1, -(10**400), 1]], object), np.array([[1] * 4], object)
    order, first = sort_quotients(a, b)
    assert order.tolist() == [[2, 3, 0, 1]] and first.all()
    assert sort_quotients(np.zeros((2, 0), np.int64), np.zeros((2, 0), np.int64))[0].size == 0
