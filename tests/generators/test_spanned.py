"""Hyperplanes through points, by all subsets; products of Coxeter groups."""

from fractions import Fraction
from itertools import combinations, product
from math import factorial

import numpy as np
import pytest

from arrangements import count_chambers, generators
from arrangements.errors import InputError, TooLargeError
from arrangements.exact import linear
from arrangements.generators import coxeter, spanned_by


def through_subsets(points: list[list[int]], central: bool) -> set[tuple[int, ...]]:
    """Null vectors of all independent subsets of d (d - 1) points."""
    rows = points if central else [[*p, 1] for p in points]
    found = set()
    for chosen in combinations(rows, len(rows[0]) - 1):
        if linear.rank(chosen) == len(chosen):
            vector = linear.null_vector(chosen, len(rows[0]))
            assert vector is not None
            sign = 1 if next(e for e in vector if e) > 0 else -1
            found.add(tuple(sign * e for e in vector))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_random_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, central = int(rng.integers(1 + seed % 2, 5)), bool(seed % 2)
    points = rng.integers(-1, 2 + seed % 3, (int(rng.integers(d, 9)), d)).tolist()
    expected = through_subsets(points, central)
    if not expected:
        with pytest.raises(InputError, match="span no hyperplane"):
            spanned_by(points, central=central)
        return
    A = spanned_by(points, central=central)
    rows = A.normals.tolist() if central else np.column_stack([A.normals, A.offsets]).tolist()
    assert sorted(map(tuple, rows)) == sorted(expected)
    halves = [[Fraction(e, 2) for e in row] for row in points]
    assert (
        spanned_by(halves, central=True).same_hyperplanes(spanned_by(points, central=True))
        if central
        else spanned_by(halves).n_hyperplanes == len(expected)
    )


@pytest.mark.slow
def test_vertices_of_cubes() -> None:
    """OEIS A007847; 96 regions of the cube that they cut, A333539."""
    cubes = [spanned_by([*product((0, 1), repeat=d)]) for d in range(1, 6)]
    assert [len(A) for A in cubes] == [2, 6, 20, 140, 3254]
    assert (
        count_chambers(
            cubes[2],
            within=(
                [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]],
                [1, 0] * 3,
            ),
        )
        == 96
    )


def test_pentagon_and_its_diagonals() -> None:
    A = spanned_by(generators.polygon(5).normals[:, :2])
    assert len(A) == 10


def test_too_many_points() -> None:
    with pytest.raises(TooLargeError, match="1000 points may span"):
        spanned_by(np.arange(4000).reshape(1000, 4) ** 2)


@pytest.mark.parametrize(
    "name, chambers",
    [
        ("A2 B3", factorial(3) * 48),
        ("a1xa1 × I2(5)", 40),
        ("B 2 x A_1", 16),
        ("H3 A1", 240),
    ],
)
def test_products_of_groups(name: str, chambers: int) -> None:
    A = coxeter(name)
    assert count_chambers(A) == chambers and A.is_essential
    assert A.normals.shape == generators.positive_roots(name).shape


def test_deformations_of_products() -> None:
    for family in (generators.shi, generators.catalan, generators.linial):
        found = family("A2 x B3")
        assert found.normals.shape[1] == 5
        assert found.count_chambers() == (
            family("A2").count_chambers() * family("B3").count_chambers()
        )
    assert generators.shi("A2 A1").count_chambers() == 16 * 3


@pytest.mark.parametrize("name", ["A2 Q3", "A2x", "x", "A2 x 3", "A2 B3 4"])
def test_bad_names_of_products(name: str) -> None:
    with pytest.raises(InputError, match=f"kind is '{name}'; expected one of A, B"):
        coxeter(name)
