"""Loops over subsets against itertools: minors, chirotopes, axioms."""

from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest

from arrangements.kernels.structure import chirotopes
from arrangements.kernels.structure.chirotopes import (
    UNDECIDED,
    decide_minor_signs,
    fill_cocircuits,
    fill_from_cocircuits,
    fill_minor,
    fill_minor_signs,
    fill_minors,
    find_basis_within,
    find_best_basis,
    find_violation,
    tuple_sign,
)
from kernels import compiled
from kernels.plain import determinant, residues_of, sign

CHOOSE = np.array([[comb(a, b) for b in range(8)] for a in range(12)], np.int64)
ROWS = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 2, 3], [-1, 1, 1], [0, 0, 2], [1, 1, 1]]
N, RANK = len(ROWS), 3


def minor(chosen):
    return determinant([ROWS[i] for i in chosen])


def chirotope():
    return np.array([sign(minor(c)) for c in combinations(range(N), RANK)], np.int8)


def uniform():
    """Signs of points on a curve: no zeros."""
    return np.ones(comb(7, RANK), np.int8)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("n", "size"), [(6, 0), (6, 1), (6, 3), (6, 6), (5, 4)])
def test_subsets_in_order(n, size):
    next_subset, subset_index = compiled(chirotopes.next_subset), compiled(chirotopes.subset_index)
    subset = np.arange(size)
    for place, expected in enumerate(combinations(range(n), size)):
        assert subset.tolist() == list(expected)
        assert subset_index(subset, size, n, CHOOSE) == place
        assert next_subset(subset, size, n) == (place + 1 < comb(n, size))


def test_tuples_in_any_order():
    chi = chirotope()
    for elements in [*permutations(range(N), RANK), (0, 0, 1), (2, 1, 2)]:
        array = np.array(elements)
        assert tuple_sign(chi, array, RANK, N, CHOOSE) == sign(minor(elements))
        if len(set(elements)) == RANK:
            assert array.tolist() == sorted(elements)


@pytest.mark.parametrize("kind", [np.int64, np.float64])
def test_minors_and_their_signs(kind):
    lower = np.ones(1, kind)
    for k in (1, 2, 3):
        column = np.array(ROWS, kind)[:, k - 1].copy()
        expected = [determinant([ROWS[i][:k] for i in c]) for c in combinations(range(N), k)]
        out, signs = np.zeros(comb(N, k), kind), np.zeros(comb(N, k), np.int8)
        fill_minors(column, lower, k, N, CHOOSE, out)
        assert out.tolist() == expected
        fill_minor_signs(column, lower, k, N, CHOOSE, kind(1), UNDECIDED, signs)
        assert signs.tolist() == [sign(e) if abs(e) > 1 else UNDECIDED for e in expected]
        lower = out


def test_exact_signs_of_what_is_undecided():
    residues, fields = residues_of(ROWS, 2)
    chi = chirotope()
    chi[::2] = UNDECIDED
    chi[1] = 7  # decided already
    decide_minor_signs(residues, fields, RANK, N, chi)
    expected = chirotope()
    expected[1] = 7
    assert chi.tolist() == expected.tolist()


@pytest.mark.parametrize("appended", [[], [4], [6, 1]])
def test_minors_of_oriented_matroids(appended):
    kept = [i for i in (7, 0, 3, 5, 2) if i not in appended]
    signs = [1, -1, 1, 0, -1]
    size = RANK - len(appended)
    expected = [
        int(np.prod([signs[t] for t in chosen])) * sign(minor([kept[t] for t in chosen] + appended))
        for chosen in combinations(range(len(kept)), size)
    ]
    out = np.full(len(expected), 9, np.int8)
    ends = np.array(kept), np.array(signs, np.int8), np.array(appended, np.int64)
    fill_minor(chirotope(), N, RANK, CHOOSE, *ends, out)
    assert out.tolist() == expected


def test_cocircuits_and_back():
    chi, subsets = chirotope(), list(combinations(range(N), RANK - 1))
    table = np.zeros((len(subsets), N), np.int8)
    fill_cocircuits(chi, N, RANK, CHOOSE, table)
    assert table.tolist() == [[sign(minor([*T, e])) for e in range(N)] for T in subsets]
    turned = table * np.random.default_rng(0).choice([-1, 1], (len(table), 1)).astype(np.int8)
    out = np.zeros_like(chi)
    array = np.array(subsets)
    assert fill_from_cocircuits(turned, array, N, RANK, CHOOSE, out)
    assert (out == chi).all() or (out == -chi).all()
    turned[3, np.flatnonzero(turned[3])[0]] *= -1
    assert not fill_from_cocircuits(turned, array, N, RANK, CHOOSE, out)


def relation_fails(chi, n, common, ends):
    values = {c: int(x) for c, x in zip(combinations(range(n), RANK), chi, strict=True)}

    def value(*elements):
        elements = (*common, *elements)
        if len(set(elements)) < RANK:
            return 0
        inversions = sum(x > y for x, y in combinations(elements, 2))
        return (-1) ** inversions * values[tuple(sorted(elements))]

    a, b, c, d = ends
    terms = {
        value(a, b) * value(c, d),
        -value(a, c) * value(b, d),
        value(a, d) * value(b, c),
    } - {0}
    return len(terms) == 1


@pytest.mark.parametrize("seed", range(12))
def test_violations(seed):
    rng = np.random.default_rng(seed)
    chi = (chirotope() if seed % 2 else uniform()).copy()
    n = N if seed % 2 else 7
    if seed > 1:
        chi[rng.choice(len(chi), 1 + seed % 3, replace=False)] *= -1
    fails = [
        (*common, *ends)
        for common in combinations(range(n), RANK - 2)
        for ends in combinations(range(n), 4)
        if relation_fails(chi, n, common, ends)
    ]
    out = np.full(RANK + 2, -1)
    assert find_violation(chi, n, RANK, CHOOSE, out) == bool(fails)
    assert not fails or tuple(out.tolist()) in fails
    assert seed > 1 or not fails


@pytest.mark.slow
def test_bases():
    chi, out = chirotope(), np.zeros(RANK, np.int64)
    for size in range(N):
        for members in combinations(range(N), size):
            bases = [c for c in combinations(members, RANK) if minor(c)]
            found = find_basis_within(chi, N, RANK, CHOOSE, np.array(members, np.int64), out)
            assert found == bool(bases) and (not found or tuple(out.tolist()) == bases[0])
    for members in combinations(range(N), 3):
        mark = np.zeros(N, np.int64)
        mark[list(members)] = 1
        find_best_basis(chi, N, RANK, mark, out)
        bases = [c for c in combinations(range(N), RANK) if minor(c)]
        assert tuple(out.tolist()) == max(bases, key=lambda c: len({*c} & {*members}))
