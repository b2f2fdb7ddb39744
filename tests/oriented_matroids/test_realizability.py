"""Realizations and final polynomials, checked by other means, and published examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from math import isqrt
from random import Random
from typing import Any

import numpy as np
import pytest
import sympy

from arrangements import Arrangement, NumberField, OrientedMatroid, generators
from arrangements.algebra import (
    BiquadraticInequality,
    Realizability,
    is_realizable,
    iter_oriented_matroids,
    realizability,
)
from arrangements.errors import InputError
from arrangements.oriented_matroids.solving import solve_vectors

PAPPUS = [(0, 0, 1), (2, 0, 1), (6, 0, 1), (0, 2, 1), (2, 2, 1), (6, 2, 1), (1, 1, 1), (3, 1, 1)]
PAPPUS += [(4, 1, 1)]


def without_matrix(M: OrientedMatroid) -> OrientedMatroid:
    return OrientedMatroid.from_chirotope(M.n, M.rank, M.chirotope)


def non_pappus() -> OrientedMatroid:
    M = OrientedMatroid.from_matrix(PAPPUS)
    values = {triple: M.sign(triple) for triple in combinations(range(9), 3)}
    return OrientedMatroid.from_chirotope(9, 3, values | {(6, 7, 8): 1})


def perturbed_pappus(signs: tuple[int, ...]) -> OrientedMatroid:
    """With these signs of the nine lines."""
    M = OrientedMatroid.from_matrix(PAPPUS)
    values = {triple: M.sign(triple) for triple in combinations(range(9), 3)}
    lines = [triple for triple in values if not values[triple]]
    return OrientedMatroid.from_chirotope(9, 3, values | dict(zip(lines, signs, strict=True)))


def determinant(rows: list[list[int]]) -> int:
    if not rows:
        return 1
    return sum(
        (-1) ** c * rows[0][c] * determinant([[*row[:c], *row[c + 1 :]] for row in rows[1:]])
        for c in range(len(rows))
    )


def check_realization(found: Realizability) -> None:
    """All minors have the signs, or all have the opposite ones."""
    M = found.oriented_matroid
    assert found.realizable and found.verify() and found.realization is not None
    assert found.realization.shape == (M.n, M.rank)
    W = found.realization.tolist()
    minors = [determinant([W[e] for e in S]) for S in combinations(range(M.n), M.rank)]
    signs = [(x > 0) - (x < 0) for x in minors]
    assert signs in (M.chirotope.tolist(), (-M.chirotope).tolist())


def check_final_polynomial(found: Realizability) -> None:
    """Each term follows from a Grassmann-Plücker relation; all together say 1 < 1."""
    M = found.oriented_matroid
    assert found.realizable is False and found.verify() and found.final_polynomial
    left: Counter[frozenset[int]] = Counter()
    right: Counter[frozenset[int]] = Counter()
    strict = 0
    for weight, (common, (a, b, c, d)) in found.final_polynomial:
        # x - y + z = 0: from the signs of x and z that |x| < |y|, or |x| = |y| for z = 0
        x = M.sign((*common, a, b)) * M.sign((*common, c, d))
        z = M.sign((*common, a, d)) * M.sign((*common, b, c))
        assert x and z in (x, 0)
        assert weight > 0 or not z
        strict += bool(z)
        for pair in ((a, b), (c, d)):
            left[frozenset((*common, *pair))] += weight
        for pair in ((a, c), (b, d)):
            right[frozenset((*common, *pair))] += weight
    left.subtract(right)
    assert strict and set(left.values()) == {0}


def test_pappus_and_non_pappus() -> None:
    check_realization(realizability(without_matrix(OrientedMatroid.from_matrix(PAPPUS))))
    M = non_pappus()
    check_final_polynomial(realizability(M))
    assert is_realizable(M) is False is M.is_realizable()
    assert not M.realizability()


@pytest.mark.slow
def test_of_minors_duals_and_sums() -> None:
    """A proof survives reorientation, duality, loops, parallel elements and coloops."""
    M = non_pappus()
    check_final_polynomial(realizability(M.reorientation([2, 5]).relabeling([*range(8, -1, -1)])))
    check_final_polynomial(realizability(M.dual()))
    signs = {(*S, 11): M.sign(S) for S in combinations(range(9), 3)}  # 9 is a loop, 11 a coloop
    signs |= {
        (*(e for e in S if e != 4), 10, 11): M.sign((*(e for e in S if e != 4), 4))
        for S in combinations(range(9), 3)
        if 4 in S
    }  # 10 is parallel to 4
    check_final_polynomial(realizability(OrientedMatroid.from_chirotope(12, 4, signs)))
    # contractions and deletions of one element are realizable
    for e in (0, 8):
        check_realization(realizability(M.deletion([e])))
        check_realization(realizability(M.contraction([e])))


def test_proofs_that_are_wrong() -> None:
    found = realizability(non_pappus())
    terms = found.final_polynomial
    assert terms is not None
    assert not replace(found, final_polynomial=terms[1:]).verify()
    weight, (common, (a, b, c, d)) = terms[0]
    other = ((weight, BiquadraticInequality(common, (a, c, b, d))), *terms[1:])
    assert not replace(found, final_polynomial=other).verify()
    assert not replace(found, final_polynomial=()).verify()
    true = realizability(without_matrix(OrientedMatroid.from_matrix(PAPPUS)))
    assert true.realization is not None
    moved = true.realization + np.eye(9, 3, dtype=int)
    assert not replace(true, realization=moved).verify()
    assert not replace(true, realization=None).verify()


@pytest.mark.parametrize("n", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (5, 6))])
def test_all_small_ones(n: int) -> None:
    """J. E. Goodman, R. Pollack 1980: rank 3 with at most 8 elements is realizable."""
    for M in iter_oriented_matroids(n, 3):
        check_realization(realizability(M))


@pytest.mark.slow
def test_all_with_seven_elements() -> None:
    found = [realizability(M) for M in iter_oriented_matroids(7, 3)]
    assert len(found) == 143
    for one in found:
        check_realization(one)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(60))
def test_of_given_vectors(seed: int) -> None:
    """Few small numbers: loops, parallel elements, many dependent sets."""
    rng = Random(seed)
    n, d = rng.randint(0, 9), rng.randint(1, 5)
    W = [[rng.choice((-1, 0, 0, 1, 1, 2)) for _ in range(d)] for _ in range(n)]
    M = OrientedMatroid.from_matrix(np.array(W, int).reshape(n, d))
    found = realizability(without_matrix(M))
    if found.realizable is not None or n < 9:
        check_realization(found)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n, r", [(8, 4), (9, 3), (10, 3), (9, 5)])
def test_uniform(n: int, r: int) -> None:
    M = OrientedMatroid.from_matrix(generators.generic(n, r, n))
    check_realization(realizability(without_matrix(M)))


def pentagon() -> list[tuple[Any, ...]]:
    """A regular pentagon, its center and the crossings of its diagonals: projectively unique."""
    phi = NumberField([-1, -1, 1], (1.6, 1.7)).generator
    v = [(1, 0), (0, 1)]
    while len(v) < 5:
        v.append(tuple((phi - 1) * y - x for x, y in zip(v[-2], v[-1], strict=True)))
    inner = [tuple((phi - 2) * x for x in point) for point in v]
    return [(1, *point) for point in [*v, *inner, (0, 0)]]


# B. Grünbaum, Convex Polytopes (1967), section 5.5.
PERLES = generators.named("Perles").normals.tolist()


@pytest.mark.parametrize(
    ("rows", "polynomials"),
    [
        (PERLES, {5}),
        (pentagon(), {5}),
        (generators.coxeter("H3").normals, {5}),
        (generators.simplicial(16).normals, {8}),
        (generators.simplicial(17, 8).normals, {8}),
        (generators.simplicial(14).normals, {49}),
    ],
    ids=["Perles", "pentagon", "H3", "A(16,1)", "A(17,8)", "A(14,1)"],
)
def test_only_irrational_vectors(rows, polynomials) -> None:
    """Fields are told by the discriminants of their polynomials, up to squares."""
    M = OrientedMatroid.from_matrix(rows)
    assert M.is_realizable() and M.realizability().verify()
    found = realizability(without_matrix(M))
    assert found.realizable and found.verify()
    assert OrientedMatroid.from_matrix(found.realization) == M
    K = Arrangement(found.realization).field
    assert K is not None
    d = int(sympy.Poly(K.polynomial[::-1], sympy.Symbol("x")).discriminant())
    assert any(isqrt(d * p) ** 2 == d * p for p in polynomials)


def test_irrational_vectors_of_other_matroids() -> None:
    """With a loop, a parallel element and a coloop; of the dual; of a sum with itself."""
    M = OrientedMatroid.from_matrix(PERLES)
    rows = [[*row, 0] for row in PERLES]
    more = [*rows, [-2 * entry for entry in rows[3]], [0, 0, 0, 0], [0, 0, 0, 1]]
    for N in (M.dual(), OrientedMatroid.from_matrix(more)):
        found = realizability(without_matrix(N))
        assert found.realizable and found.verify()
        assert OrientedMatroid.from_matrix(found.realization) == N


def test_systems_without_unknowns_or_equations() -> None:
    """All entries are 1, -1 or 0, or those that are not zero are free."""
    rng = np.random.default_rng(0)
    four = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1]]
    free = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0], [1, 3, 0, 0]]
    for rows in (four, [*free, [0, 0, 1, 1], [0, 0, 1, 3]]):
        M = OrientedMatroid.from_matrix(rows)
        found = solve_vectors(without_matrix(M), 8, rng)
        assert found is not None and OrientedMatroid.from_matrix(found) == M


def test_equations_without_a_solution() -> None:
    assert solve_vectors(non_pappus(), 4, np.random.default_rng(0)) is None


@pytest.mark.slow
def test_ringel() -> None:
    """Non-Pappus in general position, the only uniform one of 9 elements that is not realizable.

    J. Richter, Combinatorica 8 (1988): all others of rank 3 with 9 elements are.
    """
    known = perturbed_pappus((1, -1, 1, 1, -1, -1, 1, 1, 1))
    check_final_polynomial(realizability(known))
    every = map(perturbed_pappus, product((1, -1), repeat=9))
    found = [M for M in every if M.is_realizable(tries=1) is False]
    assert known in found and all(M.is_isomorphic(known) for M in found)


def test_rough() -> None:
    with pytest.raises(InputError, match="expected an OrientedMatroid"):
        is_realizable([[1, 0]])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="tries is 0"):
        is_realizable(non_pappus(), tries=0)
