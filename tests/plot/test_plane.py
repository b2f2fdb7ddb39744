"""Sectors and polygons: they tile the disk and the rectangle, exactly."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import naive
import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel
from arrangements.plot import plane
from arrangements.plot.plane_regions import argmax_regions, chamber_regions, ranking_regions

SMALL = st.integers(-4, 4)
LABELS = st.lists(st.tuples(SMALL, SMALL, SMALL), min_size=1, max_size=5, unique=True)


def area(polygon: plane.Polygon) -> Fraction:
    """Exact area, positive if counterclockwise."""
    around = pairwise((*polygon, polygon[0])) if polygon else ()
    return sum(((x * v - u * y) / 2 for (x, y), (u, v) in around), Fraction(0))


def same_ray(u: Any, v: Any) -> bool:
    return u[0] * v[1] == u[1] * v[0] and u[0] * v[0] + u[1] * v[1] > 0


def check_tiles(regions: Any) -> None:
    """Polygons in a rectangle add up to it, and none is empty unless it lies outside."""
    box = (-7.0, 5.0, -3.0, 8.5)
    polygons = [plane.clip(plane.rectangle(box), region.rows) for region in regions]
    areas = [area(polygon) for polygon in polygons]
    assert all(a > 0 for a, p in zip(areas, polygons, strict=True) if p)
    assert sum(areas) == 12 * Fraction(23, 2)


@settings(max_examples=25)
@given(LABELS)
def test_regions_of_labels_tile_a_rectangle(rows: list[tuple[int, int, int]]) -> None:
    model = ScoreModel([row[:2] for row in rows], [row[2] for row in rows])
    for regions in (ranking_regions(model), argmax_regions(model)):
        check_tiles(regions)


@given(strategies.arrangements(max_rows=5, max_columns=2).filter(lambda a: len(a[0][0]) == 2))
def test_chambers_tile_a_rectangle(given_rows: tuple[Any, Any]) -> None:
    check_tiles(chamber_regions(Arrangement(*given_rows)))


@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=6, unique=True))
def test_sectors_go_once_around(rows: list[tuple[int, int]]) -> None:
    model = ScoreModel(rows)
    for regions in (ranking_regions(model), argmax_regions(model)):
        sectors = [plane.sector(region.rows) for region in regions]
        for (_, end), (start, _) in pairwise([*sectors, sectors[0]]):
            assert same_ray(end, start)
        for (a, b), (c, d) in sectors:
            assert a * d - b * c > 0 or (a * d == b * c and a * c + b * d < 0)
        upper = [y > 0 or (y == 0 and x > 0) for (x, y), _ in sectors]
        assert upper == sorted(upper, reverse=True)


@given(st.lists(st.tuples(SMALL, SMALL), min_size=1, max_size=5, unique=True))
def test_ranking_regions(rows: list[tuple[int, int]]) -> None:
    regions = ranking_regions(ScoreModel(rows))
    assert {tuple(region.order) for region in regions} == naive.rankings(rows)
    assert all(
        naive.order_at(rows, None, inside) == tuple(region.order)
        for region in regions
        if (rays := plane.sector(region.rows))
        for inside in [_inside(*rays)]
    )


def _inside(start: plane.Ray, end: plane.Ray) -> tuple[int, int]:
    if start[0] * end[1] == start[1] * end[0]:
        return -start[1], start[0]
    return start[0] + end[0], start[1] + end[1]


def test_near_ties() -> None:
    ulp = Fraction(1, 2**52)
    rows = [[1, 1], [1, 1 + ulp], [1, 1 - ulp], [0, 0]]
    regions = chamber_regions(Arrangement(rows[:3]))
    assert len(regions) == 6 and len({plane.sector(region.rows) for region in regions}) == 6
    check_tiles(ranking_regions(ScoreModel(rows, [0, 0, ulp, -1])))


def test_parity_changes_across_lines() -> None:
    A = Arrangement([[1, 0], [-2, 0], [0, 1], [1, 1]])
    odd = [r.odd for r in sorted(chamber_regions(A), key=lambda r: r.text)]
    assert sorted(odd) == [False] * 3 + [True] * 3
    regions = ranking_regions(ScoreModel([[0, 0], [10, 1], [9, 5], [1, 3], [2, 2]]))
    assert all(a.odd != b.odd for a, b in pairwise([*regions, regions[0]]))


def test_view() -> None:
    assert plane.view([]) == (-1.5, 1.5, -1.5, 1.5)
    assert plane.view([(3.0, 4.0)]) == (2.25, 3.75, 3.25, 4.75)
    left, right, bottom, top = plane.view([(x / 10, x / 7) for x in range(10)] + [(1e6, 0.0)])
    assert -1 < left < 0 and 0.7 < right < 3 and bottom < 0 and top > 1
    left, right, bottom, top = plane.view([(0.0, 0.0), (100.0, 1.0)])
    assert (left, right, bottom, top) == (-25, 125, -0.25, 1.25)


@pytest.mark.parametrize(
    ("regions", "found"),
    [
        ([], []),
        ([[]], []),
        ([[(1, 0, -2)], [(-1, 0, 2)]], [(2.0, 0.0)]),
        ([[(1, 0, -(10**400))]], []),
        ([[(1, 0, 0), (0, 1, 0)], [(1, 0, 0), (0, -1, 0)]], [(0.0, 0.0)]),
    ],
)
def test_corners(regions: Any, found: Any) -> None:
    assert plane.corners(regions) == found
