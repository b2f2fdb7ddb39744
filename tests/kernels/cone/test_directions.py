"""The search of directions gives up where floats do not decide, and else is right."""

import numpy as np
import pytest

from arrangements.kernels.cone.directions import FOUND, MOST, UNDECIDED, Directions, least_side


def space_of(rows, weights, lists=10_000, nodes=200):
    n, d = rows.shape
    return Directions(
        rows=rows,
        weights=weights,
        corners=np.zeros((nodes, d, d)),
        bits=np.zeros((nodes, d), np.int64),
        nodes=np.zeros((nodes, 5), np.int64),
        lists=np.zeros(lists, np.int64),
        least=np.array([weights.sum()]),
        looks=np.zeros(1, np.int64),
        values=np.zeros((MOST, 3)),
        ends=np.zeros((MOST, 3)),
        times=np.zeros(MOST),
        changes=np.zeros(MOST, np.int64),
    )


def sides(rows, weights, directions):
    on = directions @ rows.T > 0
    return np.where(on, weights[:, 1], weights[:, 0]).sum(axis=1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n", [3, 20, 60])
def test_one_cone_and_its_opposite(n):
    rng = np.random.default_rng(n)
    rows, weights = rng.uniform(-1, 1, (n, 3)), rng.integers(0, 4, (n, 2))
    space = space_of(rows, weights)
    assert least_side(space, np.eye(3), 0, 10**6) == FOUND
    assert n <= space.looks[0] < 10**6
    directions = rng.dirichlet(np.ones(3), 200_000)
    seen = min(sides(rows, weights, directions).min(), sides(rows, weights, -directions).min())
    assert seen - 1 <= space.least[0] <= seen


def test_no_answer_where_none_is_certain():
    # three lines through one point: bisection does not end
    rows = np.array([[1.0, -1, 0], [1, 0, -1], [0, 1, -1]]) * 0.7
    weights = np.array([[0, 1], [1, 0], [0, 1]])
    assert least_side(space_of(rows, weights), np.eye(3), 0, 10**6) == UNDECIDED
    generic = np.random.default_rng(0).uniform(-1, 1, (50, 3))
    assert least_side(space_of(generic, np.tile([0, 1], (50, 1))), np.eye(3), 0, 10) == UNDECIDED
    small = space_of(generic, np.tile([0, 1], (50, 1)), lists=100)
    assert least_side(small, np.eye(3), 0, 10**6) == UNDECIDED
