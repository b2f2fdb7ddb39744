"""Regions of the explorer, against counts, graphs and naive answers."""

from itertools import combinations

import numpy as np
import pytest

from arrangements import count_chambers, count_rankings, generators, top_k_sets
from arrangements.errors import TooLargeError
from arrangements.explorer import regions
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
