"""Trees of conflicts prove that no chamber costs less, and say if one does."""

import logging
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron, best_chamber, chambers, feasible
from arrangements.errors import TooLargeError
from arrangements.optimize.objectives import Costs
from arrangements.optimize.optimality import OptimalityTree, Share, optimality_tree

TRIANGLE = Arrangement([[1, 0], [0, 1], [-1, -1]])
PLANES = Arrangement(np.random.default_rng(4).integers(-3, 4, (12, 3)) + [[0, 0, 4]])


def least_of(arrangement: Arrangement, costs: Costs, within: Polyhedron | None = None) -> int:
    listed = chambers(arrangement, within=within).to_array()
    return min(costs.of_bits(signs > 0) for signs in listed)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("within", [None, Polyhedron.box(-1, 2, dimension=3)])
def test_trees_prove_the_least_value_and_no_larger_one(
    seed: int, within: Polyhedron | None
) -> None:
    rng = np.random.default_rng(seed)
    given = rng.integers(-3, 4, 12) * [1, 2][seed % 2] if seed % 3 else rng.standard_normal(12)
    costs = Costs.of(given, 12)
    least, step = least_of(PLANES, costs, within), int(np.gcd.reduce(np.array(costs.gains, object)))
    tree = optimality_tree(PLANES, within, costs, least)
    assert tree is not None and tree.proves(costs, least)
    assert tree.proves(costs, least - step) and not tree.proves(costs, least + step)
    assert optimality_tree(PLANES, within, costs, least + step) is None


def test_a_tree_of_all_chambers() -> None:
    """Costs of powers of two, of which no two chambers have equal ones."""
    costs = Costs.of([(-2) ** k for k in range(12)], 12)
    least = least_of(PLANES, costs)
    tree = optimality_tree(PLANES, None, costs, least)
    assert tree is not None and tree.proves(costs, least)


def test_wrong_trees_prove_nothing() -> None:
    costs = Costs.of([-1, -1, -1], 3)
    proof = feasible(TRIANGLE, "+++")
    half, whole, more = (Share(Fraction(k, 2), proof) for k in (1, 2, 4))
    right = OptimalityTree([[whole]])
    assert right.proves(costs, -2) and right.conflicts == 1
    assert OptimalityTree([0, [whole], []]).proves(costs, -2)
    assert OptimalityTree([[half]]).proves(costs, -2)  # rounded up
    for nodes in (
        [],
        [[]],
        [[more]],
        [[whole, whole]],
        [[Share(Fraction(-1), proof), more]],
        [0, [whole]],
        [0, [whole], [whole]],
        [0, [whole], [], []],
        [0, 0, [whole], [], []],
        [[Share(Fraction(1), feasible(TRIANGLE, "++-"))]],
        [[Share(Fraction(1), replace(proof, weights=(Fraction(1),) * 2 + (Fraction(2),)))]],
    ):
        least = -1 if len(nodes) == 1 and nodes[0] in ([more], [whole, whole]) else -2
        assert not OptimalityTree(nodes).proves(costs, least), nodes  # type: ignore[arg-type]


def test_rows_that_cost_nothing_and_opposite_rows() -> None:
    A = Arrangement([[1, 0], [-1, 0], [2, 0], [0, 1], [0, 0]][:4], [0, 0, 0, 5])
    for given in product((-1, 0, 1), repeat=3):
        costs = Costs.of([*given, 1], 4)
        tree = optimality_tree(A, None, costs, least_of(A, costs))
        assert tree is not None and tree.proves(costs, least_of(A, costs))


def test_verify_says_what_it_did(caplog: pytest.LogCaptureFixture) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 3))
    second = (X.sum(axis=1) > 0) ^ (rng.random(1000) < 0.004)
    W = np.column_stack([X, np.ones(1000)])
    best = best_chamber(W, [second, ~second], method="bounds")
    with caplog.at_level(logging.INFO, "arrangements"):
        assert best.verify(optimal=True, max_hours=0.01)
    assert "proved by a tree of" in caplog.text and "that no chamber is better" in caplog.text
    worse = replace(best, value=best.value + 1)
    assert not worse.verify(optimal=True)
    small = best_chamber([[1, 0], [0, 1], [1, 1]], [2, 1, -4])
    with caplog.at_level(logging.INFO, "arrangements"):
        assert small.verify(optimal=True)
    assert "compared the values of all chambers, listed by method incremental" in caplog.text


def test_limits() -> None:
    rng = np.random.default_rng(0)
    W, costs = rng.standard_normal((40, 4)), Costs.of(rng.standard_normal(40), 40)
    least = least_of(Arrangement(W), costs)
    with pytest.raises(TooLargeError, match="more than 3 nodes. A list of all chambers"):
        optimality_tree(Arrangement(W), None, costs, least, most_nodes=3)
    with pytest.raises(TooLargeError, match="time is up; pass max_hours for more"):
        optimality_tree(Arrangement(W), None, costs, least, deadline=0.0)
