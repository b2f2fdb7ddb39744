"""Rankings at points of a polyhedron, against chambers of all differences."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from arrangements import Polyhedron, chambers, count_rankings, iter_rankings, rankings
from arrangements.errors import InputError
from arrangements.structure import zonotope


def by_differences(W: Any, b: Any, P: Polyhedron) -> set[tuple[int, ...]]:
    """Rankings of the chambers of the differences of all pairs."""
    n = len(W)
    pairs = list(combinations(range(n), 2))
    rows = np.array([W[i] - W[j] for i, j in pairs])
    found = chambers(rows, np.array([b[i] - b[j] for i, j in pairs]), within=P)
    orders = set()
    for row in found.to_array():
        wins = [0] * n
        for (i, j), sign in zip(pairs, row, strict=True):
            wins[i if sign > 0 else j] += 1
        orders.add(tuple(sorted(range(n), key=lambda i: -wins[i])))
    return orders


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(20))
def test_against_chambers_of_differences(seed: int) -> None:
    rng = np.random.default_rng([7, seed])
    n, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    W = rng.choice(50, (n, d), replace=False).astype(float) / 4 - 5
    b = rng.integers(-3, 4, n) if seed % 2 else np.zeros(n, int)
    P = [
        Polyhedron.box(-np.ones(d), np.full(d, 2)),
        Polyhedron.cone(np.eye(d)),
        Polyhedron(rng.integers(-2, 3, (2, d)), [1, 0]),
        Polyhedron.simplex(d),
    ][seed % 4]
    found = rankings(W, b, within=P)
    rows = [tuple(row) for row in found.to_array().tolist()]
    assert len(set(rows)) == len(rows) == count_rankings(W, b, within=P)
    assert set(rows) == by_differences(W, b, P)
    assert sum(map(len, iter_rankings(W, b, within=P, block_size=2))) == len(rows)


def test_weights_of_an_index() -> None:
    assert rankings([[1, 0], [0, 1]], within=Polyhedron.simplex(2)).to_array().tolist() in (
        [[0, 1], [1, 0]],
        [[1, 0], [0, 1]],
    )
    assert rankings([[2, 2], [1, 1]], within=Polyhedron.simplex(2)).to_array().tolist() == [[0, 1]]


def test_one_label_and_an_empty_polyhedron() -> None:
    assert rankings([[1, 2]], within=Polyhedron.simplex(2)).to_array().tolist() == [[0]]
    empty = ([[1, 0], [-1, 0]], [-1, -1])
    assert len(rankings([[1, 2]], within=empty)) == 0
    assert (
        len(rankings([[1, 2], [2, 1]], within=empty))
        == 0
        == count_rankings([[1, 2], [2, 1]], within=empty)
    )


def test_more_columns_than_the_differences_need() -> None:
    W = np.array([[0, 5, 1], [1, 5, 1], [3, 5, 1]])
    found = rankings(W, within=([[-1, 0, 0], [0, 1, 0]], [0, 0]))
    assert found.to_array().tolist() == [[2, 1, 0]]


def test_witnesses_are_those_of_the_model() -> None:
    found = rankings(np.eye(3), within=Polyhedron.simplex(3))
    assert len(found) == 6 and found.model.n_labels == 3


@pytest.mark.parametrize("method", ["sweep", "incremental"])
def test_other_methods_are_refused(method: Any) -> None:
    with pytest.raises(InputError, match="within needs method='pairs'"):
        rankings(np.eye(2), within=Polyhedron.simplex(2), method=method)


def test_a_matrix_is_refused() -> None:
    with pytest.raises(InputError, match="expected a Polyhedron, .* or a pair"):
        rankings(np.eye(2), within=np.eye(2))  # type: ignore[arg-type]


def test_a_box_with_more_vertices_than_a_sweep_takes() -> None:
    rng = np.random.default_rng(0)
    B, W, b = rng.integers(-9, 10, (2, 16)), rng.integers(-9, 10, (5, 2)), rng.integers(-9, 10, 5)
    image = Polyhedron(*zonotope(B.T).inequalities)
    found = rankings(W @ B, b, within=Polyhedron.box(0, 1, dimension=16))
    assert found == rankings(W, b, within=image)
    assert count_rankings(W @ B, b, within=Polyhedron.box(0, 1, dimension=16)) == len(found) > 9


@pytest.mark.parametrize(("low", "high"), [(-1, 1), (0, 1), (-1, 2), (1, 2)])
def test_without_offsets_only_directions_count(low: int, high: int) -> None:
    W = np.random.default_rng(7).standard_normal((6, 3))
    box = Polyhedron.box(low, high, dimension=3)
    cone = Polyhedron.cone([point for point in box.vertices if any(point)])
    found = rankings(W, within=box)
    assert found == rankings(W, within=cone)
    assert set(map(tuple, found.to_array().tolist())) == by_differences(W, np.zeros(6), box)
    assert count_rankings(W, within=box) == len(found)
    assert chambers(W, within=box) == chambers(W, within=box, method="incremental")
    P = Polyhedron.hull([[low, 0, high], [high, 1, 2]])  # flat
    assert chambers(W, within=P) == chambers(W, within=P, method="incremental")
