"""Orbits by polynomials equal those of listed chambers, and published numbers."""

import json
from itertools import combinations, permutations, product

import numpy as np
import pytest
from algebra.listed_orbits import as_maps, orbits_of_listed
from sympy import sqrt

from arrangements import Arrangement, chambers, rankings
from arrangements.algebra import count_orbits, mirrors, orbit_counts
from arrangements.errors import InputError, TooLargeError
from arrangements.generators import braid, coxeter, generic, resonance, shi, threshold
from arrangements.structure import AffineMap


def permutation_matrices(d: int) -> list[np.ndarray]:
    eye = np.eye(d, dtype=int)
    return [eye[[1, 0, *range(2, d)]], eye[[*range(1, d), 0]]]


def boolean_mirrors(n: int) -> list[list[int]]:
    """Of permutations and complements of n variables, where row (1, c) is an input c."""
    rows = [[int(k == i) for k in range(n + 1)] for i in range(1, n + 1)]
    for i, j in combinations(range(1, n + 1), 2):
        rows += [[(k == i) + sign * (k == j) for k in range(n + 1)] for sign in (1, -1)]
    return rows


@pytest.mark.sampled(2)
@pytest.mark.parametrize("n, expected", [(2, 5), (3, 10), (4, 27), (5, 119)])
def test_threshold_functions(n: int, expected: int) -> None:
    """NP classes, OEIS A000617; all symmetries, A001532."""
    assert count_orbits(threshold(n), boolean_mirrors(n)) == expected
    assert count_orbits(threshold(n)) == {2: 2, 3: 3, 4: 7, 5: 21}[n]


@pytest.mark.slow
@pytest.mark.parametrize("n, expected", [(6, 1113), (7, 29375)])
def test_threshold_functions_of_more_variables(n: int, expected: int) -> None:
    assert count_orbits(threshold(n), boolean_mirrors(n)) == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_ways_agree_on_resonance(n: int) -> None:
    A, maps = resonance(n), permutation_matrices(n)
    listed = orbits_of_listed(A, maps)
    assert count_orbits(A, ("S", range(n))) == listed
    assert count_orbits(A, maps) == listed
    assert count_orbits(A, [AffineMap(g, np.zeros(n, int)) for g in maps]) == listed
    assert count_orbits(A, braid(n)) == listed


def test_resonance_of_five() -> None:
    assert count_orbits(resonance(5), ("S", range(5))) == 224
    assert count_orbits(resonance(5), permutation_matrices(5)) == 224


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["A3", "B3", "H3", "D4"])
def test_reflection_arrangements_have_one_orbit(name: str) -> None:
    assert count_orbits(coxeter(name), coxeter(name)) == count_orbits(coxeter(name)) == 1


def test_maps_that_are_no_reflections() -> None:
    """Rotations of a polygon, and the central symmetry, which keeps no chamber."""
    third = Arrangement([[1, 0], [0, 1], [1, 1]])
    turn = np.array([[0, -1], [1, 1]])  # of order 6
    assert count_orbits(third, [turn]) == orbits_of_listed(third, [turn]) == 1
    assert count_orbits(third, [turn @ turn]) == 2
    assert (
        count_orbits(generic(7, 3, 1), [-np.eye(3, dtype=int)])
        == len(chambers(generic(7, 3, 1))) // 2
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(6))
def test_random_arrangements_with_symmetry(seed: int) -> None:
    """Rows of some orbits of a group of permutations and signs, with offsets of odd seeds."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 4))
    maps = permutation_matrices(d)
    if seed % 3:
        maps.append(np.diag([-1] + [1] * (d - 1)))
    rows = set()
    for _ in range(2):
        start, b = rng.integers(-2, 3, d), int(rng.integers(-1, 2)) if seed % 2 else 0
        for order in permutations(range(d)):
            for signs in product((1, -1), repeat=d) if seed % 3 else [(1,) * d]:
                rows.add((*(start[list(order)] * signs).tolist(), b))
    A = Arrangement(
        [row[:-1] for row in rows if any(row[:-1])], [row[-1] for row in rows if any(row[:-1])]
    )
    listed = orbits_of_listed(A, maps)
    assert count_orbits(A, maps) == listed
    assert count_orbits(A, ("B" if seed % 3 else "S", range(d))) == listed
    assert listed % 1 == 0 and count_orbits(A) <= listed


def test_affine_maps() -> None:
    """A square of lines, turned about its center (1/2, 1/2)."""
    W, b = [[1, 0], [1, 0], [0, 1], [0, 1], [1, -1]], [0, -1, 0, -1, 0]
    turn = AffineMap(np.array([[0, 1], [1, 0]]), np.zeros(2, int))
    half = AffineMap(np.array([[-1, 0], [0, -1]]), np.ones(2, int))
    A = Arrangement(W, b)
    listed = orbits_of_listed(A, [turn.matrix, half.matrix], [turn.shift, half.shift])
    assert count_orbits(W, [turn, half], offsets=b) == listed
    assert count_orbits(W, offsets=b) == listed  # both reflections at the diagonals
    center = Arrangement([[1, -1], [1, 1]], [0, -1])
    assert count_orbits(W, center, offsets=b) == listed
    assert count_orbits(shi(3)) == orbits_of_listed(shi(3), *as_maps(mirrors(shi(3)), shi(3)))


def test_rankings() -> None:
    square = [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert len(rankings(square)) == 8 and count_orbits(square, rankings=True) == 1
    cube = list(product((0, 1), repeat=3))
    assert count_orbits(cube, rankings=True) == len(rankings(cube)) // 48 == 2
    swaps = [[[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 1, 0], [1, 0, 0]]]
    assert count_orbits(cube, swaps, rankings=True) == len(rankings(cube)) // 6
    line = [[0], [1], [2], [5]]
    assert count_orbits(line, rankings=True) == 2
    with pytest.raises(InputError, match=r"group\[0\] does not permute the labels"):
        count_orbits(line, [[[-1]]], rankings=True)
    assert count_orbits([[1, 0], [0, 1]], offsets=[5, 7], rankings=True) == 1


def test_irrational_entries() -> None:
    pentagon = [[1, 0], [(sqrt(5) - 1) / 4, sqrt(10 + 2 * sqrt(5)) / 4]]
    assert count_orbits(pentagon) == 1
    assert count_orbits(coxeter("H3")) == 1


@pytest.mark.slow
def test_options(tmp_path) -> None:
    folder = tmp_path / "orbits"
    assert count_orbits(resonance(4), ("S", range(4)), checkpoint=folder, workers=2) == 36
    assert any(folder.iterdir())
    maps = permutation_matrices(4)
    assert count_orbits(resonance(4), maps, checkpoint=tmp_path / "classes") == 36
    for group in (("S", range(4)), maps):
        folder = tmp_path / f"other primes {len(group)}"
        assert count_orbits(resonance(4), group, checkpoint=folder, primes=5) == 36
        records = [json.loads(path.read_text()) for path in folder.rglob("record.json")]
        assert records and all(record["primes"] == 5 for record in records)
    with pytest.raises(TooLargeError):
        count_orbits(generic(60, 12, 0), -np.eye(12, dtype=int)[None], max_hours=1e-3)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            (resonance(3), [[1, 0, 0]]),
            "no reflection at mirror 0 of group permutes the hyperplanes",
        ),
        (
            (resonance(3), [[1, -1, 0], [0, 1, -1]]),
            "does not permute the mirrors; pass those of all",
        ),
        ((resonance(3), [[1, -1]]), "expected mirrors in dimension 3"),
        ((resonance(3), ("S", [0, 3])), "expected distinct coordinates below 3"),
        ((resonance(3), ("S", [0, 0])), "expected distinct coordinates below 3"),
        ((resonance(3), ("S", [0])), "without mirrors"),
        ((resonance(3), ("X", [0, 1])), r"group\[0\] is 'X'"),
        ((resonance(3), "all"), "group is 'all'"),
        ((resonance(3), [np.zeros((3, 3))]), r"group\[0\] is singular"),
        ((resonance(3), [np.eye(2)]), r"shape \(2, 2\); expected \(3, 3\)"),
        ((resonance(3), [[[1, 0, 0], [0, 1, 0], [0, 0, 2]]]), "does not permute the hyperplanes"),
        ((resonance(3), 5), "expected"),
    ],
)
def test_bad_groups(arguments, message: str) -> None:
    with pytest.raises(InputError, match=message):
        count_orbits(*arguments)


def test_endless_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shear along the line on which all hyperplanes vanish."""
    monkeypatch.setattr(orbit_counts, "_MOST_ELEMENTS", 500)
    with pytest.raises(TooLargeError, match="perhaps infinitely many"):
        count_orbits([[1, 0]], [[[1, 0], [1, 1]]])
