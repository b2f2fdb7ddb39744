"""Reflections that permute hyperplanes, by all permutations that a linear map induces."""

import math
from fractions import Fraction
from itertools import permutations
from math import isqrt

import numpy as np
import pytest
from algebra.listed_orbits import as_maps, orbits_of_listed

from arrangements import Arrangement, count_chambers
from arrangements.algebra import count_orbits, is_reflection, mirrors
from arrangements.algebra.mirror_search import all_mirrors, normal_row, reflection_direction
from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.generators import boolean, braid, catalan, coxeter, generic, resonance, shi


def root(square: Fraction) -> Fraction | None:
    if square < 0:
        return None
    found = Fraction(isqrt(square.numerator), isqrt(square.denominator))
    return found if found**2 == square else None


def mirrors_by_permutations(rows: list[tuple[int, ...]]) -> set[tuple[int, ...]]:
    """Of a matrix T with ``row_i T = r_i row_p(i)``, unique up to its length."""
    n, d = len(rows), len(rows[0])
    found = set()
    for images in permutations(range(n)):
        if any(images[images[i]] != i for i in range(n)):
            continue
        equations = []
        for i, row in enumerate(rows):
            for c in range(d):
                entries = [0] * (d * d + n)
                for k in range(d):
                    entries[k * d + c] = row[k]
                entries[d * d + i] = -rows[images[i]][c]
                equations.append(entries)
        solutions = linear.nullspace(equations, d * d + n)
        if len(solutions) != 1 or not all(solutions[0][d * d :]):
            assert len(solutions) <= 1, "the rows are not connected"
            continue
        T = np.array(solutions[0][: d * d], object).reshape(d, d)
        trace = Fraction(int(np.trace(T)))
        if d == 2:
            length = root(Fraction(-(T[0, 0] * T[1, 1] - T[0, 1] * T[1, 0]))) if not trace else None
            lengths = [] if length is None else [length, -length]
        else:
            lengths = [trace / (d - 2)]
        for length in lengths:
            rest = T - length * np.array(np.eye(d, dtype=int), object)
            scaled = [[int(e * length.denominator) for e in row] for row in rest.tolist()]
            if (
                length
                and linear.rank(scaled) == 1
                and Fraction(int(np.trace(T))) == length * (d - 2)
            ):
                found.add(normal_row(next(row for row in scaled if any(row))))
    return found


def connected_rows(seed: int, d: int, n: int) -> list[tuple[int, ...]]:
    """Rows of small entries, with the unit vectors and their sum."""
    rng = np.random.default_rng(seed)
    found = {normal_row(row) for row in np.eye(d, dtype=int).tolist()} | {(1,) * d}
    while len(found) < n:
        row = normal_row(rng.integers(*((0, 2) if seed % 2 and d > 2 else (-1, 3)), d).tolist())
        if any(row):
            found.add(row)
    return sorted(found)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("d, n", [(2, 4), (2, 5), (2, 6), (3, 4), (3, 5), (3, 6), (4, 5), (4, 6)])
@pytest.mark.parametrize("seed", range(4))
def test_equals_all_permutations(d: int, n: int, seed: int) -> None:
    rows = connected_rows(seed, d, n)
    assert set(all_mirrors(rows)) == mirrors_by_permutations(rows)


def test_oracle_finds_some() -> None:
    found = [len(mirrors_by_permutations(connected_rows(s, 3, 6))) for s in range(4)]
    assert max(found) >= 6 and min(found) <= 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "A, order",
    [
        (boolean(3), 48),
        (braid(5), 120),
        (resonance(3), 48),
        (resonance(4), 120),  # S_5: the last coordinate is minus the sum of the others
        (coxeter("H3"), 120),
        (coxeter("F4"), 1152),
        (shi(3), 6),
        (catalan(3), 12),
    ],
)
def test_groups_are_known(A, order) -> None:
    found = mirrors(A)
    assert count_chambers(found) == order
    if found.is_central:
        assert is_reflection(found.normals)


@pytest.mark.parametrize("seed", range(4))
def test_coordinates_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = resonance(3)
    g = rng.integers(-2, 3, (3, 3)) + 5 * np.eye(3, dtype=int)
    stretched = A.normals @ g * rng.choice([-3, 1, 2], (7, 1))
    found = mirrors(stretched)
    expected = {normal_row(row) for row in (mirrors(A).normals.astype(int) @ g).tolist()}
    assert {normal_row(row) for row in found.normals.astype(int).tolist()} == expected


def test_a_translated_arrangement() -> None:
    A = shi(3)
    moved = mirrors(A.normals, A.offsets + A.normals @ [3, 1, 5])
    original = mirrors(A)
    assert count_chambers(moved) == 6
    rows = {
        normal_row([*w, b])
        for w, b in zip(*map(np.ndarray.tolist, (moved.normals, moved.offsets)), strict=True)
    }
    shifted = original.offsets + original.normals @ [3, 1, 5]
    assert rows == {
        normal_row([*w, b])
        for w, b in zip(original.normals.tolist(), shifted.tolist(), strict=True)
    }


def test_factors_that_are_exchanged() -> None:
    """Rows of a factor of rank 1 go to others in several ways; one is enough."""
    assert count_chambers(mirrors([[2, 1], [0, 3]])) == 8
    assert count_chambers(mirrors([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]])) == 24
    with pytest.raises(InputError, match="no reflection permutes the hyperplanes"):
        mirrors(generic(8, 3, 0))
    with pytest.raises(InputError, match="no reflection permutes the labels"):
        mirrors([[0, 0], [1, 0], [0, 3], [5, 7]], rankings=True)


def test_labels() -> None:
    square = [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert mirrors(square, rankings=True).n_hyperplanes == 4
    assert mirrors([[0, 0], [1, 0], [0, 1], [1, 2]], rankings=True).n_hyperplanes == 1
    assert mirrors(np.eye(4), rankings=True).n_hyperplanes == 6
    assert mirrors([[1, 0], [0, 1]], [5, 7], rankings=True).offsets.any()


def test_directions() -> None:
    rows = [(1, 0), (0, 1), (1, 1)]
    v = reflection_direction((1, 2), [rows])
    assert v is not None and v[0] + 2 * v[1] == 2
    images = {
        normal_row(
            [r - (row[0] * v[0] + row[1] * v[1]) * a for r, a in zip(row, (1, 2), strict=True)]
        )
        for row in rows
    }
    assert images == set(rows)
    assert reflection_direction((1, 3), [rows]) is None
    assert reflection_direction((1, 1), [rows, [(1, 0)]]) is None


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_all_rows_of_a_single_relation_are_exchanged(d: int) -> None:
    """d + 1 rows in general position, and a simplex, whose infinity stays."""
    rows = [*np.eye(d, dtype=int).tolist(), [3] * d]
    # minus a double transposition is a reflection in space, minus a transposition in the plane
    assert count_chambers(mirrors(rows)) == math.factorial(d + 1) * (2 if d < 4 else 1)
    assert count_chambers(mirrors(rows, [0] * d + [-7])) == math.factorial(d + 1)


@pytest.mark.sampled(22)
@pytest.mark.parametrize(
    "seed", [*range(40), *(pytest.param(k, marks=pytest.mark.slow) for k in range(40, 400))]
)
def test_orbits_are_those_of_listed_chambers(seed: int) -> None:
    """Mirrors that were missed would not be those of all reflections of a group."""
    rng = np.random.default_rng(seed)
    d, m = int(rng.integers(1, 4)), int(rng.integers(1, 7))
    W = rng.integers(-1, 2, (m, d))
    W = W[W.any(axis=1)] @ (np.eye(d, dtype=int) + np.triu(rng.integers(-1, 2, (d, d)), 1))
    if not len(W):
        return
    A = Arrangement(W, rng.integers(-1, 2, len(W)) if seed % 2 else None)
    try:
        found = mirrors(A)
    except InputError:
        assert count_orbits(A) == count_chambers(A)
        return
    distinct = A[[group[0] for group in A.coincident_classes]]
    assert count_orbits(A) == orbits_of_listed(A, *as_maps(found, distinct))
