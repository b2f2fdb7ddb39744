"""Extensions, mutations, canonical forms and lists: against brute force and published numbers."""

from __future__ import annotations

from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from arrangements import OrientedMatroid, generators
from arrangements.algebra import (
    automorphisms,
    canonical_form,
    check_chirotope,
    iter_oriented_matroids,
    mutations,
    one_element_extensions,
)
from arrangements.errors import InputError, TooLargeError
from arrangements.structure import chamber_graph

SMALL = {
    "lines": [[1, 0], [0, 1], [1, 1], [1, -2]],
    "a parallel and a loop": [[1, 0], [-2, 0], [0, 0], [0, 1]],
    "points": [[1], [-1]],
    "generic planes": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
    "a common line": [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]],
    "coordinate spaces": np.eye(4, dtype=int).tolist(),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SMALL)
def test_extensions_are_all(name: str) -> None:
    """Every map of the subsets with a new element to signs is tried."""
    M = OrientedMatroid.from_matrix(SMALL[name])
    n, r = M.n, M.rank
    old = {S: int(s) for S, s in zip(combinations(range(n), r), M.chirotope, strict=True)}
    expected = set()
    for signs in product((-1, 0, 1), repeat=comb(n, r - 1)):
        new = {(*T, n): s for T, s in zip(combinations(range(n), r - 1), signs, strict=True)}
        if check_chirotope(n + 1, r, old | new):
            expected.add(OrientedMatroid.from_chirotope(n + 1, r, old | new).chirotope.tobytes())
    found = [N.chirotope.tobytes() for N in one_element_extensions(M)]
    assert len(set(found)) == len(found) and set(found) == expected
    generic = [N.chirotope.tobytes() for N in one_element_extensions(M, uniform=True)]
    rows = [subset[-1] == n for subset in combinations(range(n + 1), r)]
    independent = [bool(old[T]) for T in old] if r == 1 else None
    for key in expected:
        signs = np.frombuffer(key, np.int8)[rows]
        parts = [M.rank_of(T) == r - 1 for T in combinations(range(n), r - 1)]
        assert (key in generic) == bool(signs[parts].all()), independent
    assert all(N.deletion([n]) == M for N in one_element_extensions(M))


@pytest.mark.slow
def test_published_numbers() -> None:
    """L. Finschi, K. Fukuda, Discrete Comput. Geom. 27 (2002), table 1; in rank 2 all are equal."""
    numbers = {(n, 3): k for n, k in zip(range(3, 5), (1, 2), strict=True)}
    numbers |= {(4, 4): 1, (2, 2): 1, (5, 2): 1, (0, 0): 1, (1, 1): 1, (2, 1): 0}
    for (n, r), expected in numbers.items():
        found = list(iter_oriented_matroids(n, r))
        assert len(found) == expected
        for M, N in combinations(found, 2):
            assert not M.is_isomorphic(N)
        for M in found:
            assert check_chirotope(n, r, M.chirotope) and not M.loops
            assert len(M.parallel_classes) == n and canonical_form(M) == M
    uniform = [len(list(iter_oriented_matroids(n, 3, uniform=True))) for n in range(3, 6)]
    assert uniform == [1, 1, 1]
    # simple matroids of rank 3 (OEIS A058731); the first that is not orientable has 7 elements
    matroids = [len(list(iter_oriented_matroids(n, 3, up_to="matroid"))) for n in range(3, 5)]
    assert matroids == [1, 2]


@pytest.mark.slow
def test_published_numbers_that_take_longer() -> None:
    assert len(list(iter_oriented_matroids(5, 3))) == 4
    assert len(list(iter_oriented_matroids(6, 3))) == 17
    assert len(list(iter_oriented_matroids(7, 3))) == 143
    assert len(list(iter_oriented_matroids(6, 3, uniform=True))) == 4
    assert len(list(iter_oriented_matroids(7, 3, uniform=True))) == 11
    assert len(list(iter_oriented_matroids(5, 4))) == 3
    assert len(list(iter_oriented_matroids(6, 4))) == 12
    assert len(list(iter_oriented_matroids(6, 3, up_to="matroid"))) == 9


@pytest.mark.slow
def test_orbits_add_up() -> None:
    """Labeled simple uniform oriented matroids of rank 3 on 5 elements, one by one."""
    n, r = 5, 3
    labeled = sum(
        bool(check_chirotope(n, r, (1, *signs)))
        for signs in product((-1, 1), repeat=comb(n, r) - 1)
    )
    # chirotopes up to sign; the group of signed permutations acts, and -1 does nothing
    group = 2**n * 120
    classes = iter_oriented_matroids(n, r, uniform=True)
    assert labeled == sum(group // automorphisms(M).order for M in classes)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(6))
def test_canonical_forms(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = rng.integers(-1, 2, (6, 3))
    M = OrientedMatroid.from_matrix(W)
    form = canonical_form(M)
    assert form.is_isomorphic(M)
    for _ in range(3):
        other = M.relabeling(rng.permutation(6).tolist())
        other = other.reorientation(np.flatnonzero(rng.integers(0, 2, 6)).tolist())
        assert canonical_form(other) == form
    N = OrientedMatroid.from_matrix(rng.integers(-1, 2, (6, 3)))
    if (N.n, N.rank) == (M.n, M.rank):
        assert (canonical_form(N) == form) == N.is_isomorphic(M)


@pytest.mark.slow
def test_mutations_are_triangles() -> None:
    for M in iter_oriented_matroids(6, 3, uniform=True):
        triangles = sum(degree == 3 for _, degree in chamber_graph(M).degree) // 2
        found = mutations(M)
        assert len(found) == triangles >= 6  # at least n: Levi 1926
        for basis in found:
            signs = M.chirotope.copy()
            signs[list(combinations(range(6), 3)).index(basis)] *= -1
            assert check_chirotope(6, 3, signs)
    assert mutations(OrientedMatroid.from_matrix(generators.boolean(3))) == [(0, 1, 2)]


def test_what_is_refused() -> None:
    with pytest.raises(TooLargeError, match="extending"):
        list(iter_oriented_matroids(12, 4))
    with pytest.raises(InputError, match="up_to is 'x'"):
        iter_oriented_matroids(4, 2, up_to="x")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rank is 5"):
        iter_oriented_matroids(4, 5)
    with pytest.raises(InputError, match="expected an OrientedMatroid"):
        mutations([[1, 0]])  # type: ignore[arg-type]
