"""Chambers that meet the relative interior of a polyhedron: the sweep against oracles."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import naive
import numpy as np
import pytest
from sympy import sqrt

from arrangements import (
    Arrangement,
    Polyhedron,
    chambers,
    count_chambers,
    feasible,
    generators,
    iter_chambers,
)
from arrangements.errors import InputError

Signs = tuple[int, ...]


def signs(found: Any) -> set[Signs]:
    rows = [tuple(row) for row in found.to_array().tolist()]
    assert len(set(rows)) == len(rows)
    return set(rows)


def inside(W: Any, b: Any, A: Any, c: Any) -> set[Signs]:
    """By the chambers of all hyperplanes, where the polyhedron has inner points."""
    kept = [k for k, row in enumerate(np.asarray(A)) if any(row)]
    if any(c[k] < 0 for k in range(len(c)) if k not in kept):
        return set()
    rows = [*map(list, W), *([-x for x in A[k]] for k in kept)]
    offsets = [*b, *(c[k] for k in kept)]
    m = len(kept)
    found = naive.chambers(rows, offsets)
    return {s[: len(W)] for s in found if all(x > 0 for x in s[len(s) - m :])}


def random_case(seed: int) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng([2026, seed])
    d, n, m = int(rng.integers(1, 4)), int(rng.integers(1, 7)), int(rng.integers(1, 6))
    size = int(rng.integers(1, 4))
    W, b = rng.integers(-size, size + 1, (n, d)), rng.integers(-size, size + 1, n)
    W[~W.any(axis=1), 0] = 1
    if seed % 3 == 0:
        b[:] = 0
    A, c = rng.integers(-size, size + 1, (m, d)), rng.integers(-1, size + 1, m)
    if seed % 4 == 0:  # a facet is a row
        A[0], c[0] = W[0], -b[0]
    if seed % 5 == 0:
        W, b = W + rng.integers(0, 2, W.shape) / 4, b / 4
        W[~W.any(axis=1), 0] = 1
    return W, b, A, c


@pytest.mark.sampled(15)
@pytest.mark.parametrize("seed", range(60))
def test_random_systems(seed: int) -> None:
    W, b, A, c = random_case(seed)
    found = signs(chambers(W, b, within=(A, c), method="sweep"))
    assert found == signs(chambers(W, b, within=(A, c), method="incremental"))
    P = Polyhedron(A, c)
    if P.dimension == W.shape[1]:
        assert found == inside(W.tolist(), b.tolist(), A.tolist(), c.tolist())
    assert count_chambers(W, b, within=(A, c)) == len(found)


def test_the_line_by_an_inequality_that_holds_everywhere() -> None:
    found = chambers([[1.0], [-0.75], [1.0]], [0.0, 0.0, 0.0], within=([[0]], [0]), method="sweep")
    assert signs(found) == {(1, -1, 1), (-1, 1, -1)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", [0, 1, 8, 9, 64, 65])
def test_hyperplanes_that_do_not_cross_have_their_signs(number: int) -> None:
    rng = np.random.default_rng(number)
    W = rng.integers(-9, 10, (140, 2)) + np.array([0, 20])
    b = np.where(rng.random(140) < 0.5, 1000, -1000)
    b[rng.choice(140, number, replace=False)] = 0
    square = Polyhedron.box([-1, -2], [3, 1])
    found = chambers(W, b, within=square, method="sweep")
    assert found == chambers(W, b, within=square, method="incremental")
    assert len(found) == count_chambers(W, b, within=square)
    for k in range(0, len(found), 9):
        assert feasible(W, found[k], offsets=b, within=square).verify()


@pytest.mark.slow
def test_many_random_systems() -> None:
    for seed in range(60, 3000):
        W, b, A, c = random_case(seed)
        found = signs(chambers(W, b, within=(A, c), method="sweep"))
        assert found == signs(chambers(W, b, within=(A, c), method="incremental")), seed


KINDS = {
    "box": Polyhedron.box(-1, 1, dimension=3),
    "a box around everything": Polyhedron.box(-(10**9), 10**9, dimension=3),
    "half open box": Polyhedron.box([0, -np.inf, 0], [1, 2, np.inf]),
    "cone": Polyhedron.cone([[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    "halfspace": Polyhedron([[1, 2, 3]], [1]),
    "slab": Polyhedron([[1, 1, 1], [-1, -1, -1]], [1, 1]),
    "plane": Polyhedron([[0, 0, 0]], [0], equations=([[1, 1, 1]], [1])),
    "triangle": Polyhedron.simplex(3),
    "segment": Polyhedron.hull([[1, 0, 2], [-2, 1, 1]]),
    "point": Polyhedron.hull([[Fraction(1, 3), 2, 5]]),
    "space": Polyhedron([[0, 0, 0]], [1]),
    "empty": Polyhedron([[1, 0, 0], [-1, 0, 0]], [0, -1]),
    "octahedron, not simple": Polyhedron(list(product([1, -1], repeat=3)), [1] * 8),
    "doubled facets": Polyhedron([[1, 0, 0], [2, 0, 0], [-1, 0, 0], [-3, 0, 0]], [1, 2, 0, 0]),
}


@pytest.mark.sampled(14)
@pytest.mark.parametrize("P", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("kind", ["floats", "integers", "central", "fractions", "irrational"])
def test_kinds(P: Polyhedron, kind: str) -> None:
    rng = np.random.default_rng(7)
    W: Any = rng.standard_normal((8, 3))
    b: Any = 0.5 * rng.standard_normal(8)
    if kind == "integers":
        W, b = rng.integers(-1, 2, (9, 3)), rng.integers(-1, 2, 9)
        W[~W.any(axis=1), 0] = 1
    elif kind == "central":
        b = None
    elif kind == "fractions":
        W = [[Fraction(round(7 * x), 3) or 1 for x in row] for row in W]
        b = [Fraction(1, k + 1) for k in range(8)]
    elif kind == "irrational":
        W, b = [[1, sqrt(2), 0], [sqrt(2), -1, 1], [1, 1, 1], [0, 1, -sqrt(2)]], [0, 1, -1, sqrt(2)]
    A = Arrangement(W, b)
    found = signs(chambers(A, within=P, method="sweep"))
    assert found == signs(chambers(A, within=P, method="incremental"))
    for pattern in list(found)[:3]:
        assert feasible(A, pattern)
    assert count_chambers(A, within=P) == len(found)
    assert {s for block in iter_chambers(A, within=P, block_size=5) for s in signs(block)} == found


def test_polyhedra_that_contain_everything_change_nothing() -> None:
    W, b = np.random.default_rng(3).integers(-3, 4, (12, 4)), np.arange(12)
    assert signs(chambers(W, b, within=Polyhedron.box(-(10**6), 10**6, dimension=4))) == signs(
        chambers(W, b)
    )


@pytest.mark.parametrize("n", [3, 4, 5])
def test_shi_in_the_dominant_cone(n: int) -> None:
    """Catalan numbers (Shi 1997)."""
    dominant = Polyhedron(
        -np.eye(n, dtype=int)[:-1] + np.eye(n, k=1, dtype=int)[:-1], [0] * (n - 1)
    )
    assert count_chambers(generators.shi(n), within=dominant) == comb(2 * n, n) // (n + 1)


def _chamber_of_mirrors(n: int, positive: bool = False) -> Polyhedron:
    """``x_1 < .. < x_n``, and perhaps ``0 < x_1``."""
    rows = np.eye(n, dtype=int)[:-1] - np.eye(n, k=1, dtype=int)[:-1]
    return Polyhedron(
        [*rows, *(-np.eye(n, dtype=int)[:1] if positive else [])], [0] * (n - 1 + positive)
    )


@pytest.mark.parametrize(
    ("A", "positive", "known"),
    [
        (generators.mid_hyperplane(7), False, 4680),
        pytest.param(generators.mid_hyperplane(8), False, 229_368, marks=pytest.mark.slow),
        (generators.golomb(6), False, 2608),
        pytest.param(generators.golomb(7), False, 107_498, marks=pytest.mark.slow),
        (generators.comparative_probability(5), True, 516),
        pytest.param(generators.comparative_probability(6), True, 124_187, marks=pytest.mark.slow),
    ],
)
def test_orbits_in_a_chamber_of_mirrors(A: Arrangement, positive: bool, known: int) -> None:
    """Numbers of chambers up to reflections, which merged restrictions give, too."""
    P = _chamber_of_mirrors(A.dimension, positive)
    assert len(signs(chambers(A, within=P, method="sweep"))) == known
    assert count_chambers(A, within=P, method="sweep") == known


def test_a_point_where_a_hyperplane_meets_the_end_of_an_edge() -> None:
    """Floats leave open whether it is that end, which has more facets than the edge."""
    W = [
        [0, 1, -1, -1, 0, 1, 0, 0],
        [0, 1, -1, 0, 0, -1, 0, 1],
        [0, 0, 1, -1, -1, 0, 1, 0],
        [0, 0, 0, 1, -1, 0, -1, 1],
    ]
    found = signs(chambers(W, within=_chamber_of_mirrors(8), method="sweep"))
    assert found == set(product([-1, 1], repeat=4))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_small_entries_in_many_dimensions(seed: int) -> None:
    """Hyperplanes through many faces of cones of mirrors, which edges meet at their ends."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        d = int(rng.integers(6, 9))
        W = rng.integers(-1, 2, (int(rng.integers(3, 9)), d))
        W = W[W.any(axis=1)]
        P = _chamber_of_mirrors(d, bool(rng.integers(2)))
        found = chambers(W, within=P, method="sweep")
        assert found == chambers(W, within=P, method="incremental")
        assert count_chambers(W, within=P, method="sweep") == len(found)


def test_chambers_within_the_chambers_of_another_arrangement() -> None:
    """Summed up, these are the chambers of both."""
    rng = np.random.default_rng(11)
    A = Arrangement(
        rng.integers(-2, 3, (7, 3)) + np.eye(7, 3, dtype=int) * 5, rng.integers(-2, 3, 7)
    )
    B = Arrangement(rng.standard_normal((4, 3)), rng.standard_normal(4))
    total = 0
    for pattern in chambers(B).to_array():
        P = Polyhedron(-pattern[:, None] * B.normals, pattern * B.offsets)
        total += count_chambers(A, within=P)
    both = Arrangement([*A.normals.tolist(), *B.normals.tolist()], [*A.offsets, *B.offsets])
    assert total == count_chambers(both)


def test_affine_maps_change_nothing() -> None:
    rng = np.random.default_rng(5)
    W, b, A, c = rng.integers(-3, 4, (8, 3)), rng.integers(-3, 4, 8), *_octahedron()
    M, t = np.array([[1, 2, 0], [0, 1, -3], [0, 0, 1]]), np.array([2, -1, 4])
    W[~W.any(axis=1), 0] = 1
    found = signs(chambers(W, b, within=(A, c), method="sweep"))
    assert signs(chambers(W @ M, b + W @ t, within=(A @ M, c - A @ t))) == found


def _octahedron() -> tuple[Any, Any]:
    return np.array(list(product([1, -1], repeat=3))), np.full(8, 2)


@pytest.mark.slow
def test_threads_limits_and_streams() -> None:
    rng = np.random.default_rng(0)
    W, b = rng.standard_normal((30, 4)), 0.5 * rng.standard_normal(30)
    box = Polyhedron.box(-1, 1, dimension=4)
    whole = chambers(W, b, within=box)
    assert signs(whole) == signs(chambers(W, b, within=box, method="incremental"))
    assert signs(chambers(W, b, within=box, workers=2)) == signs(whole)
    assert count_chambers(W, b, within=box, workers=2) == len(whole)
    some = chambers(W, b, within=box, limit=100)
    assert len(some) == 100 and not some.complete and signs(some) <= signs(whole)
    blocks = Counter(s for block in iter_chambers(W, b, within=box) for s in signs(block))
    assert set(blocks) == signs(whole) and max(blocks.values()) == 1


def test_more_than_a_word_of_facets() -> None:
    angles = np.linspace(0, 2 * np.pi, 70, endpoint=False)
    disk = np.round(1000 * np.column_stack([np.cos(angles), np.sin(angles)])), np.full(70, 1000)
    rng = np.random.default_rng(2)
    W, b = rng.standard_normal((80, 2)), rng.standard_normal(80)
    assert signs(chambers(W, b, within=disk)) == signs(
        chambers(W, b, within=disk, method="incremental")
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"within": [[1, 0]]}, r"within is .*expected a Polyhedron, .* or a pair \(A, c\)"),
        ({"within": Arrangement([[1, 0]])}, r"Where A @ x \+ b shall be positive, pass \(-A, b\)"),
        ({"within": Polyhedron.simplex(3)}, "expected one in dimension 2"),
        ({"within": ([[1, 0]], [1]), "method": "reverse_search"}, "within needs method='sweep'"),
    ],
)
def test_messages(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        chambers([[1, 0], [0, 1]], **arguments)


@pytest.mark.parametrize(
    "P",
    [
        Polyhedron([[1, sqrt(2)], [-1, 0]], [1, 0]),
        Polyhedron([[1, 1], [-1, 0]], [sqrt(2), 0]),
        Polyhedron.box([0, -1], [sqrt(2), 1]),
    ],
)
@pytest.mark.parametrize("method", ["auto", "sweep"])
def test_irrational_polyhedra(P: Polyhedron, method: Any) -> None:
    W, b = [[1, 0], [0, 1], [1, 1]], [0, 0, -1]
    assert chambers(W, b, within=P, method=method) == chambers(W, b, within=P, method="incremental")


def test_a_tiny_box_around_a_near_vertex() -> None:
    rng = np.random.default_rng(0)
    v, W = rng.standard_normal(4), rng.standard_normal((7, 4))
    b, width = -(W @ v), Fraction(1e-12)
    P = Polyhedron.box([Fraction(x) - width for x in v], [Fraction(x) + width for x in v])
    found = chambers(W, b, within=P, method="sweep")
    assert found == chambers(W, b, within=P, method="incremental") and len(found) > 60


def test_a_sheared_cross_polytope() -> None:
    facets = np.array(list(product([1, -1], repeat=4)), object)
    shear = np.eye(4, dtype=int).astype(object)
    shear[3] = [10**6, -(10**5), 10**9, 1]
    W = np.array([[1, 2, 0, -1], [0, 1, 1, 1], [2, -1, 1, 0]], object) @ shear
    c = np.full(16, 2)
    found = chambers(W, within=(facets @ shear, c), method="sweep")
    assert len(found) == 8 == len(chambers(W, within=(facets @ shear, c), method="incremental"))


def test_many_facets_in_a_vertex_are_left_to_linear_programs() -> None:
    rng = np.random.default_rng(4)
    facets = np.hstack([list(product([1, -1], repeat=6)), rng.choice([1, -1], (64, 1))])
    W, b = rng.integers(-2, 3, (4, 7)), rng.integers(-1, 2, 4)
    assert count_chambers(W, b, within=(facets, np.full(64, 2))) == 16
