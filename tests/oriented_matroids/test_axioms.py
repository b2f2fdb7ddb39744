"""Oriented matroids from sign vectors: against the axioms in plain Python, one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from math import comb, factorial
from typing import Any

import numpy as np
import pytest

from arrangements import OrientedMatroid, generators
from arrangements.algebra import automorphisms
from arrangements.core.signs import sign_text
from arrangements.errors import InputError, TooLargeError

Vector = tuple[int, ...]
NON_PAPPUS = [(0, 0, 1), (2, 0, 1), (6, 0, 1), (0, 2, 1), (2, 2, 1), (6, 2, 1)]
NON_PAPPUS += [(1, 1, 1), (3, 1, 1), (4, 1, 1)]


def non_pappus() -> OrientedMatroid:
    M = OrientedMatroid.from_matrix(NON_PAPPUS)
    signs = M.chirotope.copy()
    signs[-1] = 1
    return OrientedMatroid.from_chirotope(9, 3, signs)


MATROIDS = {
    "lines": lambda: OrientedMatroid.from_matrix([[1, 0], [0, 1], [1, 1], [1, -2]]),
    "loops and parallels": lambda: OrientedMatroid.from_matrix(
        [[0, 0], [1, 0], [-2, 0], [0, 1], [1, 1], [0, 0]]
    ),
    "coloop": lambda: OrientedMatroid.from_matrix([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]]),
    "braid": lambda: OrientedMatroid.from_matrix(generators.braid(4)),
    "generic": lambda: OrientedMatroid.from_matrix(generators.generic(6, 4, 1)),
    "all loops": lambda: OrientedMatroid.from_matrix(np.zeros((3, 1), int)),
    "all coloops": lambda: OrientedMatroid.from_matrix(np.eye(3, dtype=int)),
    "non-Pappus": non_pappus,
    "nothing": lambda: OrientedMatroid.from_chirotope(0, 0, [1]),
}
WAYS: dict[str, Callable[[Any], OrientedMatroid]] = {
    "circuits": OrientedMatroid.from_circuits,
    "cocircuits": OrientedMatroid.from_cocircuits,
    "vectors": OrientedMatroid.from_vectors,
    "covectors": OrientedMatroid.from_covectors,
}


@pytest.mark.sampled(18)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MATROIDS)
def test_round_trips(name: str, way: str) -> None:
    M = MATROIDS[name]()
    if way == "vectors" and M.n > 8:
        return
    rows = getattr(M, way)()
    shuffled = np.random.default_rng(0).permutation(rows)
    found = WAYS[way](shuffled)
    assert found == M
    assert found.chirotope[np.flatnonzero(found.chirotope)[0]] == 1
    if M.n and len(rows):
        assert WAYS[way]([sign_text(row) for row in rows]) == M


def opposite(X: Vector) -> Vector:
    return tuple(-x for x in X)


def are_cocircuits(rows: set[Vector]) -> bool:
    """Axioms C0 to C3 of Björner et al., definition 3.2.1."""
    if any(not any(X) or opposite(X) not in rows for X in rows):
        return False
    for X, Y in product(rows, repeat=2):
        if Y not in (X, opposite(X)) and all(y for x, y in zip(X, Y, strict=True) if x):
            return False
    for X, Y in product(rows, repeat=2):
        for e in range(len(X)):
            if opposite(X) != Y and X[e] * Y[e] < 0:
                if not any(
                    Z[e] == 0 and all(z in (0, x, y) for x, y, z in zip(X, Y, Z, strict=True))
                    for Z in rows
                ):
                    return False
    return True


def are_covectors(rows: set[Vector]) -> bool:
    """Axioms L0 to L3 of Björner et al., definition 3.7.1."""
    if not any(not any(X) for X in rows) or any(opposite(X) not in rows for X in rows):
        return False
    for X, Y in product(rows, repeat=2):
        both = tuple(x or y for x, y in zip(X, Y, strict=True))
        if both not in rows:
            return False
        apart = [f for f in range(len(X)) if X[f] * Y[f] < 0]
        for e in apart:
            if not any(
                Z[e] == 0 and all(Z[f] == both[f] for f in range(len(X)) if f not in apart)
                for Z in rows
            ):
                return False
    return True


CHECKS = {
    "circuits": are_cocircuits,
    "cocircuits": are_cocircuits,
    "vectors": are_covectors,
    "covectors": are_covectors,
}


def altered(rows: list[Vector], rng: np.random.Generator) -> set[Vector]:
    """Some rows left out, added or changed, often with their negatives."""
    found = set(rows)
    for _ in range(int(rng.integers(1, 3))):
        X = sorted(found)[int(rng.integers(len(found)))]
        Y = list(X)
        Y[int(rng.integers(len(X)))] = int(rng.integers(-1, 2))
        action = int(rng.integers(3))
        if action != 1:
            found.discard(X)
            if rng.random() < 0.8:
                found.discard(opposite(X))
        if action != 0:
            found.add(tuple(Y))
            if rng.random() < 0.8:
                found.add(opposite(tuple(Y)))
        if not found:
            return set(rows)
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", WAYS)
def test_accepted_are_what_fulfils_the_axioms(way: str) -> None:
    rng = np.random.default_rng(3)
    verdicts = set()
    names = ("lines", "loops and parallels", "coloop")
    for trial in range(48):
        M = MATROIDS[names[trial % len(names)]]()
        rows = altered(list(map(tuple, getattr(M, way)().tolist())), rng)
        expected = CHECKS[way](rows)
        verdicts.add(expected)
        if expected:
            found = WAYS[way](sorted(rows))
            assert set(map(tuple, getattr(found, way)().tolist())) == rows
            continue
        with pytest.raises(InputError, match=f"^{way} are not those of an oriented matroid") as e:
            WAYS[way](sorted(rows))
        texts = {sign_text(X) for X in rows}
        named = [word.strip(",:") for word in str(e.value).split() if set(word) <= set("+-0,:")]
        # what is named was given, but for the composition that is missing and the vector 0
        assert sum(word in texts for word in named) >= min(1, len(named) - 1), str(e.value)
        assert "\n" not in str(e.value)
    assert False in verdicts


def test_all_sets_of_pairs_on_two_elements() -> None:
    pairs = [(0, 1), (1, -1), (1, 0), (1, 1)]
    for chosen in product([0, 1], repeat=4):
        rows = [X for X, used in zip(pairs, chosen, strict=True) if used]
        rows += [opposite(X) for X in rows]
        table = np.array(rows, np.int8).reshape(-1, 2)
        for way, check in CHECKS.items():
            given = table if check is are_cocircuits else np.vstack([table, [[0, 0]]])
            if check(set(map(tuple, given.tolist()))):
                assert {*map(tuple, getattr(WAYS[way](given), way)().tolist())} == {
                    *map(tuple, given.tolist())
                }
            else:
                with pytest.raises(InputError, match=way):
                    WAYS[way](given)


def test_violations_are_named() -> None:
    for rows, text in (
        (["+0", "-0", "00"], "0 is among them, and is no cocircuit"),
        (["+0", "0-", "-0"], "0- is among them, its negative is not"),
        (["+0", "-0", "++", "--"], "the support of .0 is contained in that of"),
        (["++0", "--0", "0++", "0--"], "elimination of element 1 from --0 and 0\\+\\+ fails"),
    ):
        with pytest.raises(InputError, match=text):
            OrientedMatroid.from_cocircuits(rows)
    with pytest.raises(InputError, match="0 is not among them, and is a vector of every"):
        OrientedMatroid.from_vectors(["+", "-"])
    with pytest.raises(InputError, match="their composition .. is not"):
        OrientedMatroid.from_covectors(["00", "+0", "-0", "0+", "0-"])
    with pytest.raises(InputError, match=r"circuits has shape \(3,\); expected \(m, n\)"):
        OrientedMatroid.from_circuits([1, 0, -1])


# ---------------------------------------------------------------- minors and unsigned symmetries


def naive_has_minor(M: OrientedMatroid, N: OrientedMatroid, oriented: bool) -> bool:
    for role in product("kcd", repeat=M.n):
        contracted = [e for e in range(M.n) if role[e] == "c"]
        deleted = [e for e in range(M.n) if role[e] == "d"]
        if M.minor(contracted, deleted).is_isomorphic(N, oriented=oriented):
            return True
    return False


@pytest.mark.sampled(1)
@pytest.mark.parametrize("oriented", [True, False])
def test_has_minor(oriented: bool) -> None:
    rng = np.random.default_rng(5)
    verdicts = []
    for _ in range(12):
        M = OrientedMatroid.from_matrix(rng.integers(-1, 2, (6, 3)))
        N = OrientedMatroid.from_matrix(rng.integers(-1, 2, (4, 2)))
        found = M.find_minor(N, oriented=oriented)
        verdicts.append(found is not None)
        assert verdicts[-1] == naive_has_minor(M, N, oriented) == M.has_minor(N, oriented=oriented)
        if found is not None:
            assert M.minor(*found).is_isomorphic(N, oriented=oriented)
    assert len(set(verdicts)) == 2


def test_published_minors() -> None:
    line4 = OrientedMatroid.from_chirotope(4, 2, "++++++")
    # graphs are binary: no four-point line (Tutte 1958); real matroids without it are regular
    for A in (generators.braid(5), generators.graphical([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])):
        assert not OrientedMatroid.from_matrix(A).has_minor(line4, oriented=False)
    assert OrientedMatroid.from_matrix(generators.type_b(3)).has_minor(line4)
    big, half = (OrientedMatroid.from_matrix(generators.generic(n, 3, 0)) for n in (40, 20))
    with pytest.raises(TooLargeError, match="comparing .* minors"):
        big.has_minor(half)


def naive_order(M: OrientedMatroid) -> int:
    bases = {frozenset(basis) for basis in M.bases().tolist()}
    return sum(
        {frozenset(images[e] for e in basis) for basis in bases} == bases
        for images in permutations(range(M.n))
    )


@pytest.mark.parametrize("name", ["lines", "loops and parallels", "coloop", "braid", "generic"])
def test_unoriented_automorphisms(name: str) -> None:
    M = MATROIDS[name]()
    found = automorphisms(M, oriented=False)
    assert found.order == naive_order(M)
    bases = {frozenset(basis) for basis in M.bases().tolist()}
    for images, turned in found.generators:
        assert turned == () and {frozenset(images[e] for e in b) for b in bases} == bases


def test_published_orders() -> None:
    for n, r in ((5, 3), (6, 2), (7, 4)):
        M = OrientedMatroid.from_chirotope(n, r, "+" * comb(n, r))
        assert automorphisms(M, oriented=False).order == factorial(n)
    # the nine-element configurations: Oxley, Matroid Theory, appendix
    assert automorphisms(OrientedMatroid.from_matrix(NON_PAPPUS), oriented=False).order == 108
    # graphs: 3-connected, so those of the graph (Whitney 1933)
    assert automorphisms(generators.braid(5), oriented=False).order == 120
    # an affine arrangement: infinity stays
    square = [[1, 0], [1, 0], [0, 1], [0, 1]], [0, -1, 0, -1]
    assert automorphisms(*square, oriented=False).order == 8
    assert automorphisms(non_pappus(), oriented=False).order == naive_collinear(non_pappus())


def naive_collinear(M: OrientedMatroid) -> int:
    """Permutations of nine points that keep eight lines, by backtracking."""
    every = [frozenset(t) for t in combinations9()]
    bases = {frozenset(b) for b in M.bases().tolist()}
    lines = [t for t in every if t not in bases]

    def extend(images: list[int]) -> int:
        k = len(images)
        if k == 9:
            return 1
        total = 0
        for image in set(range(9)) - set(images):
            now = [*images, image]
            if all(
                (frozenset(now[e] for e in t) in lines) == (t in lines)
                for t in every
                if max(t) == k
            ):
                total += extend(now)
        return total

    return extend([])


def combinations9() -> list[tuple[int, int, int]]:
    return [(a, b, c) for a in range(9) for b in range(a + 1, 9) for c in range(b + 1, 9)]


def test_texts_that_are_no_sign_vectors() -> None:
    with pytest.raises(InputError, match=r"^circuits\[1\] is '--', of 2 signs; expected 3, as of"):
        OrientedMatroid.from_circuits(["++-", "--"])
    with pytest.raises(InputError, match=r"^cocircuits\[1\] has 'x' at position 1; expected only"):
        OrientedMatroid.from_cocircuits(["+-", "-x"])
    with pytest.raises(InputError, match="^circuits is a dict; expected a sequence"):
        OrientedMatroid.from_circuits({(0, 1): 1})
