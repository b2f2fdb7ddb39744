"""Costs whose floats are equal, or are no floats: the best chamber against brute force."""

from fractions import Fraction

import naive
import numpy as np
import pytest

from arrangements import NumberField, best_chamber
from arrangements.errors import InputError
from arrangements.generators import generic
from arrangements.optimize import best_ranking, halfspace_median, max_feasible

# Numbers that one float stands for, or that lie at the ends of the range of floats.
POOLS = {
    "floats": [2.0**60, 0.2, 0.1, -0.3, -0.2],
    "integers": [10**18, 1, 2, 3, -1],
    "range": [1e300, 1e-300, 1.0, -1e300, 2e-300],
    "ends": [5e-324, 1.7e308, 1.0, -5e-324, -1.7e308],
    "digits": [10**39 + 1, 10**39, 10**39 + 2, -(10**39), 1, 0],
    "fractions": [Fraction(1, 3), Fraction(-2, 7), 10**30, Fraction(1, 10**25)],
}
METHODS = ("bounds", "sweep", "auto")


def values(W, costs, offsets):
    """The exact value of every chamber."""
    off, on = costs
    return [
        sum(Fraction(b if s > 0 else a) for s, a, b in zip(signs, off, on, strict=True))
        for signs in naive.chambers(W, offsets)
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("seed", range(6))
def test_all_searches_find_the_exact_optimum(pool, seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 9)), 1 + seed % 3
    W = rng.integers(-3, 4, (n, d))
    W[~W.any(axis=1), 0] = 1
    offsets = rng.integers(-2, 3, n).tolist() if seed % 2 else None
    chosen = rng.integers(0, len(POOLS[pool]), (2, n)).tolist()
    costs = np.empty((2, n), object)
    costs[:] = [[POOLS[pool][k] for k in row] for row in chosen]
    every = values(W.tolist(), costs, offsets)
    for sense, best in (("min", min(every)), ("max", max(every))):
        for method in METHODS:
            found = best_chamber(W, costs, offsets=offsets, sense=sense, method=method)
            assert (found.value, found.gap) == (best, 0)
            assert found.verify(optimal=True) and repr(found) and found._repr_html_()
        counted = best_chamber(W, costs, offsets=offsets, sense=sense, count_best=True)
        assert counted.n_best == every.count(best) and counted.verify(optimal=True)


def test_bounds_that_are_equal_as_floats():
    W = [[0, -1, 2], [3, 1, 2], [0, -1, 2], [-3, 1, -1], [2, 1, 3], [-2, -1, -2], [0, -3, 2]]
    W, b = [*W, [-3, 0, -2]], 2.0**60
    costs = [[b, b, 0.2, 0.2, -0.3, -0.3, 0.2, 0.1], [0.1, 0.2, b, 0.1, 0.2, 0.2, 0.1, b]]
    best = min(values(W, costs, None))
    assert [best_chamber(W, costs, method=method).value for method in METHODS] == [best] * 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(6))
def test_large_weights_of_many_rows(seed):
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((60, 3))
    costs = rng.choice(np.array([10**18, 1, 2, 3], object), (2, 60))
    found = best_chamber(W, costs, method="bounds")
    assert found.value == best_chamber(W, costs, method="sweep").value
    assert found.verify(optimal=True)


@pytest.mark.parametrize("method", METHODS)
def test_weights_whose_integers_exceed_all_floats(method):
    W, weights = [[1, 0], [0, 1], [1, 1]], [1e300, 1e-300, 1]
    assert best_chamber(W, weights, method=method).value == 0
    most = max_feasible(W, weights=weights, method=method)
    assert most.value == sum(map(Fraction, weights)) and most.verify(optimal=True)
    assert max_feasible(W, weights=[10**400, 1, 0], method=method).value == 10**400 + 1


def test_a_step_whose_list_holds_integers_beside_floats():
    W = generic(4, 2, 0)
    least = min(signs for signs in naive.chambers(W.normals.tolist()))

    def step(block):
        rows = map(tuple, block.to_array().tolist())
        return [2**60 if row == least else 2**60 + 1 if row[0] < 0 else 2.0**70 for row in rows]

    found = best_chamber(W, step=step, count_best=True)
    assert (found.value, tuple(found.signs.tolist()), found.n_best) == (2**60, least, 1)


@pytest.mark.filterwarnings("error")
def test_proposals_at_the_ends_of_the_range_do_not_warn():
    costs = [3e-310, 0.0, 3e-310]
    found = best_chamber(
        [[1e-300], [-1e308], [5e-324]], costs, offsets=[2.0**53 - 1, 3e-310, 1.0], method="bounds"
    )
    assert found.value == 0 and found.verify(optimal=True)
    W = [[2.0**53 - 1, 1], [-1, 2.0**53 - 1], [-1e308, -5e-324], [-1e308, -1], [1.7e308, -1e308]]
    costs = [[0] * 6, [3e-310, 5e-324, 1e-300, -5e-324, 1e308, 2.0**53]]
    best = min(values([*W, [1, -1]], costs, None))
    assert best_chamber([*W, [1, -1]], costs, method="bounds").value == best


def test_irrational_numbers_are_named() -> None:
    root = NumberField([-2, 0, 1], (1, 2)).generator
    rows = [[1, 2], [3, 4]]
    for name, ask in (
        ("costs", lambda: best_chamber(rows, [root, 1])),
        ("costs", lambda: best_chamber(rows, [[0, root], [1, 1]], method="sweep")),
        ("weights", lambda: max_feasible(rows, weights=[root, 1])),
        ("gains", lambda: best_ranking(rows, gains=[root, 1], discounts=[2, 1])),
        ("discounts", lambda: best_ranking(rows, gains=[2, 1], discounts=[root, 1])),
        ("data", lambda: halfspace_median([[1, root], [3, 4], [0, 0]])),
    ):
        with pytest.raises(InputError, match=f"^{name} has irrational numbers; expected rational"):
            ask()
