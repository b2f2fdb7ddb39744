"""Tutte and coboundary polynomials, Whitney numbers: definitions, published values, identities."""

from fractions import Fraction
from itertools import combinations
from math import comb

import naive
import numpy as np
import pytest
import sympy
from kernels.plain import echelon
from sympy import Poly
from sympy.abc import q, t, x, y

from arrangements import (
    Arrangement,
    OrientedMatroid,
    coboundary_polynomial,
    doubly_indexed_whitney_numbers,
    exponents,
    flats,
    generators,
    intersection_poset,
    tutte_polynomial,
    whitney_numbers,
)

# Complete graphs on 3, 4 and 5 nodes: T. Brylawski, J. Oxley, in: Matroid Applications, Cambridge
# 1992, chapter 6, and D. Welsh, The Tutte polynomial, Random Structures Algorithms 15 (1999).
COMPLETE_GRAPHS = {
    3: x**2 + x + y,
    4: x**3 + 3 * x**2 + 2 * x + 4 * x * y + 2 * y + 3 * y**2 + y**3,
    5: x**4
    + 6 * x**3
    + 11 * x**2
    + 6 * x
    + 10 * x**2 * y
    + 20 * x * y
    + 15 * x * y**2
    + 5 * x * y**3
    + 6 * y
    + 15 * y**2
    + 15 * y**3
    + 10 * y**4
    + 4 * y**5
    + y**6,
}
# Exponents of reflection groups: J. Humphreys, Reflection Groups and Coxeter Groups, 1990, table 1.
REFLECTIONS = {
    ("A", 5): (1, 2, 3, 4, 5),
    ("B", 4): (1, 3, 5, 7),
    ("D", 4): (1, 3, 3, 5),
    ("F", 4): (1, 5, 7, 11),
    ("G", 2): (1, 5),
    ("E", 6): (1, 4, 5, 7, 8, 11),
}


def rank(rows):
    return len(echelon(rows)) if len(rows) else 0


def by_definition(W, b):
    """The sum over the sets of hyperplanes with a common point."""
    rows = [[Fraction(int(e)) for e in row] for row in W]
    whole = [[*row, Fraction(int(e))] for row, e in zip(rows, b, strict=True)]
    total, r = sympy.Integer(0), rank(rows)
    for size in range(len(rows) + 1):
        for chosen in combinations(range(len(rows)), size):
            k = rank([rows[i] for i in chosen])
            if k == rank([whole[i] for i in chosen]):
                total += (x - 1) ** (r - k) * (y - 1) ** (size - k)
    return Poly(total, x, y)


def test_by_definition():
    rng = np.random.default_rng(0)
    for k in range(12):
        W = rng.integers(-1, 2, (6, 3))
        W[~W.any(axis=1)] = 1
        b = np.zeros(6, int) if k % 3 == 0 else rng.integers(-1, 2, 6)
        expected = by_definition(W, b)
        assert tutte_polynomial(W, b) == expected
        if not b.any():
            M = OrientedMatroid.from_matrix(W)
            assert tutte_polynomial(M) == expected
            chi = M.characteristic_polynomial()
            assert abs(chi.eval(-1)) == naive.count(W)
            swapped = Poly(expected.as_expr().subs({x: y, y: x}, simultaneous=True), x, y)
            assert tutte_polynomial(M.dual()) == swapped


@pytest.mark.parametrize("n", COMPLETE_GRAPHS)
def test_complete_graphs(n):
    assert tutte_polynomial(generators.braid(n)) == Poly(COMPLETE_GRAPHS[n], x, y)


@pytest.mark.parametrize(("n", "r"), [(4, 2), (6, 3), (7, 4)])
def test_uniform_matroids(n, r):
    # C. Merino, M. Ramirez-Ibanez, G. Rodriguez-Sanchez, Int. J. Comb. 2012, article 430859
    expected = sum(comb(n - i - 1, n - r - 1) * x**i for i in range(1, r + 1))
    expected += sum(comb(n - j - 1, r - 1) * y**j for j in range(1, n - r + 1))
    assert tutte_polynomial(generators.generic(n, r)) == Poly(expected, x, y)


def test_values():
    A = generators.coxeter("B", 4)
    T = tutte_polynomial(A).as_expr()
    assert T.subs({x: 2, y: 0}) == 384 and T.subs({x: 1, y: 1}) == len(
        OrientedMatroid.from_matrix(A.normals).bases()
    )
    assert T.subs({x: 2, y: 2}) == 2**16
    affine = Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    assert abs(tutte_polynomial(affine).as_expr().subs({x: 2, y: 0})) == 7


def test_coboundary():
    A = generators.coxeter("B", 3)
    found, T = coboundary_polynomial(A).as_expr(), tutte_polynomial(A).as_expr()
    place = {q: (x - 1) * (y - 1), t: y}
    assert sympy.expand(found.subs(place, simultaneous=True) - (y - 1) ** 3 * T) == 0
    # points of a field of 11 elements by the number of hyperplanes through them
    field = np.stack(np.meshgrid(*[np.arange(11)] * 3), axis=-1).reshape(-1, 3)
    on = ((field @ A.normals.T.astype(int)) % 11 == 0).sum(axis=1)
    expected = np.bincount(on, minlength=10).tolist()
    assert Poly(found.subs(q, 11), t).all_coeffs()[::-1] == expected


@pytest.mark.parametrize("affine", [False, True])
def test_whitney_numbers(affine):
    rng = np.random.default_rng(3)
    W, b = rng.integers(-1, 2, (7, 3)), rng.integers(-1, 2, 7) * affine
    W[~W.any(axis=1)] = 1
    found = flats(W, b)
    first = np.array(doubly_indexed_whitney_numbers(W, b))
    second = np.array(doubly_indexed_whitney_numbers(W, b, kind=2))
    sets = [set(flat) for flat in found]
    pairs = np.zeros_like(second)
    for F, i in zip(sets, found.ranks, strict=True):
        for G, j in zip(sets, found.ranks, strict=True):
            pairs[i, j] += F <= G
    assert (second == pairs).all()
    assert first[0].tolist() == list(whitney_numbers(W, b))
    P = intersection_poset(W, b)
    assert first[0].sum() == sum(P.nodes[k]["mobius"] for k in P)
    # from each flat but the last ones, mu sums to 0 over a central arrangement
    if not affine:
        assert (first.sum(axis=1)[:-1] == 0).all()


@pytest.mark.parametrize("kind", REFLECTIONS)
def test_exponents(kind):
    assert exponents(generators.coxeter(*kind)) == REFLECTIONS[kind]
    assert exponents(generators.generic(6, 3)) is None
    assert exponents([[1, 0, 0], [1, 0, 0]]) == (0, 0, 1)


def test_large_numbers_stay_exact():
    # The number of all sets of 70 hyperplanes that meet in a line is beyond 2**53.
    n = 70
    T = tutte_polynomial(generators.generic(n, 2)).as_expr()
    assert T.subs({x: 2, y: 2}) == 2**n and T.subs({x: 2, y: 0}) == 2 * n
