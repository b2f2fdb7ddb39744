"""Regions of the explorer, against counts, graphs and naive answers."""

from dataclasses import replace
from itertools import combinations
from operator import mul

import numpy as np
import pytest

from arrangements import Polyhedron, count_chambers, count_rankings, generators, top_k_sets
from arrangements.errors import TooLargeError
from arrangements.explorer import regions
from arrangements.explorer.answers import region_point
from arrangements.explorer.regions import MOST_REGIONS, regions_of, restrict, total
from arrangements.explorer.state import state_of
from arrangements.explorer.views import View
from arrangements.structure import chamber_graph, ranking_graph

W = np.random.default_rng(0).integers(-9, 10, (7, 3))
b = np.random.default_rng(1).integers(-9, 10, 7)


@pytest.mark.parametrize("offsets", [None, b])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_counts_and_walls(d: int, offsets: np.ndarray | None) -> None:
    rows = W[:, :d] if d > 1 else np.array([[2], [-1], [5], [9], [-4], [3], [8]])
    for show, number, graph in (
        ("chambers", count_chambers(rows, offsets), chamber_graph(rows, offsets)),
        ("rankings", count_rankings(rows, offsets), ranking_graph(rows, offsets)),
    ):
        found, whole = regions_of(state_of(rows, offsets, show=show))
        assert whole and len(found.keys) == number
        assert len(found.edges) == graph.number_of_edges()
        assert len(set(found.names)) == number


def test_walls_of_tops() -> None:
    for k in (1, 2, 3):
        found, _ = regions_of(state_of(W, b, show=f"top-{k}"))
        assert found.keys == sorted(map(tuple, top_k_sets(W, k, offsets=b).tolist()))
        # two sets share a wall iff they differ in one label and rankings across a wall differ so
        orders, _ = regions_of(state_of(W, b))
        expected = set()
        for one, other, _ in orders.edges:
            sets = [tuple(sorted(orders.keys[i][:k])) for i in (one, other)]
            if sets[0] != sets[1]:
                expected.add(frozenset(sets))
        assert {frozenset((found.keys[i], found.keys[j])) for i, j, _ in found.edges} == expected


def test_signs_across_a_wall() -> None:
    found, _ = regions_of(state_of(W, b, show="chambers"))
    for one, other, wall in found.edges:
        across = zip(found.keys[one], found.keys[other], strict=True)
        differ = [i for i, (s, t) in enumerate(across) if s != t]
        assert ", ".join(map(str, differ)) == found.wall_names[wall]
        assert found.keys[one][differ[0]] > 0


def test_equal_regions_are_in_the_same_order() -> None:
    found, _ = regions_of(state_of(W, b))
    assert found.keys == sorted(found.keys)
    found, _ = regions_of(state_of(W, b, show="chambers"))
    assert found.keys == sorted(found.keys, reverse=True)


@pytest.mark.parametrize("k", [1, 2])
def test_lines_of_tops_end_where_no_regions_meet(k: int) -> None:
    rows = np.random.default_rng(2).integers(-20, 21, (9, 2))
    view = View(state_of(rows, range(9), show=f"top-{k}"))
    walls = view.json("plane")["pictures"]["plane"]["walls"]
    assert len(walls["xs"]) == len(view.regions.edges)
    for x, y, name in zip(walls["xs"], walls["ys"], walls["names"], strict=True):
        ends = np.array([x, y]).T
        along = ends[1] - ends[0]
        aside = 1e-5 * np.array([-along[1], along[0]])
        for part in (0.01, 0.5, 0.99):
            points = ends[0] + part * along + np.array([aside, -aside])
            one, other = (
                view.names[view.region_keys.index(key)] for key in view.keys_in_plane(points)
            )
            differ = set(one.strip("{}").split(", ")) ^ set(other.strip("{}").split(", "))
            assert differ == set(name.split(" = "))


@pytest.mark.slow
def test_tops_that_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regions, "_LIST_HOURS", 1e-9)
    with pytest.raises(TooLargeError, match="sets of 3 of 40 labels: too long a search"):
        regions_of(state_of(np.random.default_rng(0).normal(size=(40, 9)), show="top-3"))


def test_coincident_rows_share_a_name() -> None:
    found, _ = regions_of(state_of([[1, 0], [-2, 0], [0, 1]], show="chambers"))
    assert found.wall_names == ["0, 1", "2"]
    found, _ = regions_of(state_of([[0, 0], [1, 1], [2, 2]], labels=("a", "b", "c")))
    assert found.wall_names == ["a = b, a = c, b = c"]


def test_too_many_in_space_leaves_those_that_the_plane_meets() -> None:
    A = generators.generic(40, 4, 0)
    state = state_of(A.normals, show="chambers")
    found, whole = regions_of(state)
    assert not whole and len(found.keys) == count_chambers(state.section)
    assert total(state) == count_chambers(A) > MOST_REGIONS
    assert total(state_of(np.random.default_rng(0).normal(size=(60, 8)))) is None
    with pytest.raises(TooLargeError, match="more than 4000 rankings of 40 labels.*top-1"):
        regions_of(state_of(A.normals))


def test_rows_of_the_plane() -> None:
    state = state_of(W, b, show="chambers", plane=[[1, 2, 3], [1, 0, 1], [0, 1, 1]])
    rows = restrict([[*row, c] for row, c in zip(W.tolist(), b.tolist(), strict=True)], state)
    for (s, t), (row, c) in zip(
        combinations(range(-3, 4), 2), zip(W, b, strict=True), strict=False
    ):
        x = np.array([1, 2, 3]) + s * np.array([1, 0, 1]) + t * np.array([0, 1, 1])
        across, up, constant = rows[list(map(tuple, W)).index(tuple(row))]
        assert across * s + up * t + constant == row @ x + c


TRIANGLE = Polyhedron([[-1, 0, 0], [0, -1, 0], [1, 2, 3], [0, 0, -1]], [1, 1, 4, 2])
INSIDE = {
    "box": Polyhedron.box(0, 1, dimension=3),
    "tetrahedron": TRIANGLE,
    "simplex": Polyhedron.simplex(3),
    "half": Polyhedron([[1, -2, 3]], [1]),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("offsets", [None, b])
@pytest.mark.parametrize("name", INSIDE)
def test_inside_a_polyhedron(name: str, offsets: np.ndarray | None) -> None:
    P = INSIDE[name]
    for show, number, graph in (
        (
            "chambers",
            count_chambers(W, offsets, within=P),
            chamber_graph(W, offsets, within=P),
        ),
        ("rankings", count_rankings(W, offsets, within=P), ranking_graph(W, offsets, within=P)),
        ("top-2", len(top_k_sets(W, 2, offsets=offsets, within=P)), None),
    ):
        view = View(state_of(W, offsets, show=show, within=P))
        assert len(view.names) == number and view.title.endswith(" inside the polyhedron")
        if graph is not None:
            assert len(view.regions.edges) == graph.number_of_edges()
        for i in range(0, number, 5):
            x = region_point(view.regions, i)
            assert P.contains(x, interior=True) or (offsets is None and P.conic_hull.contains(x))
            scores = np.array([float(sum(map(mul, row, x))) for row in W.tolist()])
            scores += 0 if offsets is None else offsets
            assert view.keys_of_scores(scores[None]) == [view.region_keys[i]]


def test_what_the_plane_has_of_a_polyhedron() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 6))
    P = Polyhedron.box(-1, 1, dimension=6)
    state = state_of(rows, np.arange(40) / 20, show="chambers", within=P)
    found, whole = regions_of(state)
    point, u, v = state.plane
    assert state.inside_section is not None and not whole
    for s, t in state.inside_section.vertices:
        x = [a + s * p + t * q for a, p, q in zip(point, u, v, strict=True)]
        assert P.contains(x) and not P.contains(x, interior=True)
    assert len(found.keys) == count_chambers(state.section, within=state.inside_section)
    for i in range(0, len(found.keys), 9):
        assert state.inside_section.contains(region_point(found, i), interior=True)
    # the box is fixed, the plane misses it
    far = state_of(rows[:5], range(5), plane=[[9] * 6, [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]])
    view = View(replace(far, within=P))
    assert view.whole and view.names and "no area in common" in view.json("plane")["where"]
    assert not any(view.json("plane")["pictures"]["plane"]["xs"])


def test_one_label_and_rows_that_vanish_inside() -> None:
    P = Polyhedron.box([0, 1], [1, 2])
    view = View(state_of([[1, 2]], within=P))
    assert view.names == ["0"] and P.contains(region_point(view.regions, 0), interior=True)
    line = Polyhedron(equations=([[1, 1]], [3]))
    assert View(state_of([[1, 1], [1, 0]], [-3, 0], show="chambers", within=line)).names == []
    assert View(state_of([[1, 1], [2, 1]], [0, 0], show="chambers", within=line)).names != []
