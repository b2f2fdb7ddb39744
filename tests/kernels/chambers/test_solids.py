"""Sections of three dimensions, and chambers of nodes, against the incremental enumeration."""

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron, chambers
from arrangements.kernels.chambers import solids
from arrangements.kernels.chambers import workspace as registers
from arrangements.search.flag import Flag
from arrangements.search.within_sweep import WithinSweep, rows_inside
from kernels import compiled


def generic(n: int, d: int) -> Arrangement:
    rng = np.random.default_rng([n, d])
    return Arrangement(rng.standard_normal((n, d)), 0.5 * rng.standard_normal(n))


def rows_of(arrangement: Arrangement, P: Polyhedron, method: str = "auto") -> list[tuple[int, ...]]:
    return sorted(map(tuple, chambers(arrangement, within=P, method=method).to_array().tolist()))


def test_no_facet_is_visited_where_floats_are_certain() -> None:
    A, P = generic(12, 5), Polyhedron.box(-1, 1, dimension=5)
    inside = rows_inside(A, P)
    assert inside is not None
    sweep = WithinSweep(Flag(inside.rows, True), inside)
    out, count, finished, nodes = np.zeros((10**5, sweep.row[0]), np.uint64), 0, False, 0
    while not finished:
        before = count
        finished, _, count = sweep.advance(out, count, True, budget=1)
        e = int(sweep.state[registers.DEPTH])
        if not finished:
            assert count > before and (sweep.space.chain[:e] >= inside.k).all()
            nodes += 1
    assert count == len(rows_of(A, P, "incremental")) and nodes > 100


@pytest.mark.parametrize("facets", [0, 1, 2, 3])
@pytest.mark.parametrize("d", [4, 5, 6, 7])
def test_cones_with_lines(d: int, facets: int) -> None:
    rng = np.random.default_rng([d, facets])
    A = Arrangement(rng.standard_normal((9, d)))
    P = Polyhedron(rng.standard_normal((facets, d)), np.zeros(facets))
    assert rows_of(A, P) == rows_of(A, P, "incremental")


@pytest.mark.sampled(7)
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("d", [3, 4, 6, 8, pytest.param(10, marks=pytest.mark.slow)])
def test_polytopes_of_any_dimension_and_size(d: int, size: float) -> None:
    rng = np.random.default_rng(d)
    A = generic(d + 3, d)
    P = Polyhedron(rng.standard_normal((d + 3, d)), size * np.ones(d + 3))
    assert rows_of(A, P) == rows_of(A, P, "incremental")


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", [685, *range(60)])
def test_boxes_whose_corners_lie_at_very_different_distances(seed: int) -> None:
    """Seed 685 has a corner so far away that the error of row 0 exceeds it, and nearer ones."""
    rng = np.random.default_rng([seed, 3])
    n, d = int(rng.integers(6, 14)), 3
    sizes = 10.0 ** rng.integers(-9, 10, d)
    low, high = -sizes * rng.random(d), sizes * 10.0 ** rng.integers(-8, 9, d) * rng.random(d)
    W = rng.standard_normal((n, d)) / sizes * 10.0 ** rng.integers(-3, 4, (n, 1))
    A = Arrangement(W, rng.standard_normal(n) * 10.0 ** rng.integers(-6, 3, n))
    P = Polyhedron.box(low, high)
    assert rows_of(A, P) == rows_of(A, P, "incremental")


@pytest.mark.parametrize("kind", ["cube", "octahedron", "pyramid"])
def test_rows_through_vertices_and_facets(kind: str) -> None:
    rows = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 0], [1, 0, -1], [0, 1, 1]])
    offsets = np.array([0, 0, 0, -1, 0, 1, 0])
    points = {
        "cube": [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)],
        "octahedron": [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)],
        "pyramid": [(0, 0, 0), (2, 0, 0), (0, 2, 0), (2, 2, 0), (1, 1, 2)],
    }
    A, P = Arrangement(rows, offsets), Polyhedron.hull(points[kind])
    assert rows_of(A, P) == rows_of(A, P, "incremental")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [2, 7, 8, 9, 30, 70])
def test_the_lowest_of_some_points(number: int) -> None:
    find, rng = compiled(solids.find_lowest), np.random.default_rng(number)
    inside = rows_inside(generic(6, 7), Polyhedron.box(-1, 1, dimension=7))
    assert inside is not None
    flat = WithinSweep(Flag(inside.rows, True), inside).polygon
    flat.bases[:number] = rng.uniform(0.5, 1, number)
    ratios = rng.permutation(number) / number
    flat.heights[:number] = ratios * flat.bases[:number]
    flat.errors[:number] = 1e-4 / number
    assert find(flat, number) == ratios.argmin()
    flat.errors[:number] = 1.0 / number
    assert find(flat, number) == -1
    # where row 0 may be 0, the ratio may be anything
    flat.errors[:number] = 1e-4 / number
    lowest = int(ratios.argmin())
    flat.heights[lowest] *= 1e-6
    flat.bases[lowest] *= 1e-6
    assert find(flat, number) == -1
