"""Pictures inside a polyhedron show as many regions as there are, and no more of the plane."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Polyhedron,
    argmax_labels,
    count_chambers,
    count_rankings,
    plot_arrangement,
    plot_rankings,
)
from arrangements.errors import InputError
from arrangements.plot import plot_polyhedron

pytest.importorskip("matplotlib").use("Agg")


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    yield
    pytest.importorskip("matplotlib.pyplot").close("all")


def polygons(ax: Any) -> list[Any]:
    return [path.vertices for path in ax.collections[0].get_paths()]


def area(corners: Any) -> float:
    x, y = np.asarray(corners).T
    return 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))


def some_polygon(rng: np.random.Generator) -> Polyhedron:
    P = Polyhedron.hull(rng.integers(-4, 5, (5, 2)))
    return P if P.dimension == 2 else Polyhedron.box(-1, 2, dimension=2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(4))
def test_chambers_in_the_plane(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W, b = rng.integers(-3, 4, (6, 2)), rng.integers(-2, 3, 6) if seed % 2 else None
    W[~W.any(axis=1)] = 1
    P = some_polygon(rng)
    ax = plot_arrangement(W, b, within=P, limits=(-5, 5, -5, 5))
    drawn = polygons(ax)
    assert len(drawn) == count_chambers(W, b, within=P) == int(ax.get_title().split()[0])
    assert sum(map(area, drawn)) == pytest.approx(float(P.volume))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(4))
def test_rankings_in_the_plane(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = np.unique(rng.integers(-3, 4, (5, 2)), axis=0)
    b = rng.integers(-2, 3, len(W)) if seed % 2 else None
    P = some_polygon(rng)
    ax = plot_rankings(W, b, within=P, limits=(-5, 5, -5, 5))
    drawn = polygons(ax)
    assert len(drawn) == count_rankings(W, b, within=P)
    assert sum(map(area, drawn)) == pytest.approx(float(P.volume))
    best = plot_rankings(W, b, by="argmax", within=P, limits=(-5, 5, -5, 5))
    assert len(polygons(best)) == len(argmax_labels(W, b, within=P))
    assert sum(map(area, polygons(best))) == pytest.approx(float(P.volume))


def test_sectors() -> None:
    W = [[1, 0], [0, 1], [1, 1], [1, -2]]
    quadrant = ([[-1, 0], [0, -1]], [0, 0])
    for within in (quadrant, Polyhedron.simplex(2)):
        ax = plot_arrangement(W, within=within)
        assert len(polygons(ax)) == 2 == count_chambers(W, within=within)
        # floats of arcs
        assert min(float(corners.min()) for corners in polygons(ax)) > -1e-9


@pytest.mark.slow
def test_on_the_sphere() -> None:
    W = [[3, 1, 2], [1, 3, 2], [2, 2, Fraction(11, 5)], [0, 4, 1]]
    P = Polyhedron.simplex(3)
    ax = plot_rankings(W, within=P)
    assert len(polygons(ax)) == count_rankings(W, within=P) == 7
    assert ax.get_title() == "7 rankings"
    best = plot_rankings(W, by="argmax", within=P)
    assert len(polygons(best)) == len(argmax_labels(W, within=P))
    rows = [[1, -1, 0], [1, 0, -1], [0, 1, -2], [1, 1, -1]]
    ax = plot_arrangement(rows, within=P)
    assert len(polygons(ax)) == count_chambers(rows, within=P)
    # a cone on both halves: each region is drawn on each half that it meets
    ax = plot_rankings(W, within=([[-1, 0, 0]], [0]))
    assert int(ax.get_title().split()[0]) == count_rankings(W, within=([[-1, 0, 0]], [0]))
    assert len(polygons(ax)) >= count_rankings(W, within=([[-1, 0, 0]], [0]))


@pytest.mark.parametrize(
    ("W", "b", "within"),
    [
        (np.eye(2), [1, 1], Polyhedron.simplex(2)),
        (np.eye(2), None, ([[1, 0], [-1, 0]], [0, -1])),
        (np.eye(3), None, Polyhedron.box(0, 0, dimension=3)),
    ],
)
def test_nothing_to_fill(W: Any, b: Any, within: Any) -> None:
    with pytest.raises(InputError, match="a picture shows regions of dimension"):
        plot_arrangement(W, b, within=within)


def test_a_bare_matrix() -> None:
    with pytest.raises(InputError, match=r"pass \(-A, b\)"):
        plot_arrangement(np.eye(2), within=np.eye(2))  # type: ignore[arg-type]


def test_polyhedra() -> None:
    cube = plot_polyhedron(Polyhedron.box(0, 1, dimension=3))
    assert cube.get_title() == "polyhedron: 8 vertices, 6 facets"
    assert len(cube.collections) == 1
    for P, title in (
        (Polyhedron.simplex(3), "3 vertices, 3 facets"),
        (Polyhedron.box(0, 1, dimension=2), "4 vertices, 4 facets"),
        (Polyhedron.box([0, 0], [1, np.inf]), "2 vertices, 1 ray, 3 facets"),
        (Polyhedron.cone([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), "1 vertex, 3 rays, 3 facets"),
    ):
        assert plot_polyhedron(P).get_title() == "polyhedron: " + title
    for P in (Polyhedron.simplex(2), Polyhedron([[1, 0], [-1, 0]], [0, -1]), Polyhedron.simplex(4)):
        with pytest.raises(InputError, match="expected dimension 2 in R"):
            plot_polyhedron(P)
