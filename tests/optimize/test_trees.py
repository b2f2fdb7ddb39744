"""The best tree of hyperplane splits, against all trees of all splits."""

from fractions import Fraction

import naive
import numpy as np
import pytest

from arrangements.errors import InputError, TooLargeError
from arrangements.optimize import best_tree, trees


def least_loss(X, y, weights):
    """The loss of the best tree, by every root and every split of both of its sides."""
    every = naive.chambers([[*row, 1] for row in dict.fromkeys(map(tuple, X))])
    place = {row: k for k, row in enumerate(dict.fromkeys(map(tuple, X)))}
    splits = {tuple(s[place[tuple(row)]] > 0 for row in X) for s in every}

    def errors(points):
        """Of the best leaf for some points."""
        return sum(weights[i] for i in points) - max(
            (sum(weights[i] for i in points if y[i] == label) for label in set(y)), default=0
        )

    def best(points):
        return min(
            errors([i for i in points if split[i]]) + errors([i for i in points if not split[i]])
            for split in splits
        )

    n = range(len(X))
    return min(
        best([i for i in n if root[i]]) + best([i for i in n if not root[i]]) for root in splits
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(24))
def test_no_tree_is_better(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 10)), 1 + seed % 2
    X = [rng.integers(-2, 3, (n, d)), rng.standard_normal((n, d))][seed // 2 % 2]
    y = rng.integers(0, 2 + seed % 3, n)
    y[:2] = 0, 1
    weights = rng.integers(0, 4, n) if seed % 4 == 3 else np.ones(n, int)
    weights[0] = 1
    tree = best_tree(X, y, weights=weights)
    assert tree.loss == tree.bound == least_loss(X.tolist(), y.tolist(), weights.tolist())
    assert tree.verify() and weights[tree.predict(X) != y].sum() == tree.loss
    again = best_tree(X, y, weights=weights, workers=2)
    assert again.planes == tree.planes and again.leaves == tree.leaves


def test_a_chessboard_of_four_fields():
    X = [[i, j] for i in range(4) for j in range(4)]
    y = ["dark" if (i < 2) == (j < 2) else "light" for i, j in X]
    tree = best_tree(X, y)
    assert (tree.loss, tree.gap) == (0, 0) and tree.predict(X).tolist() == y
    assert set(tree.leaves[0]) == set(tree.leaves[1]) == {"dark", "light"}
    assert tree.n_evaluated <= tree.n_splits
    assert tree.predict([[10, 10], [-10, 10]]).tolist() == ["dark", "light"]


def test_parts_that_are_not_split():
    tree = best_tree([[0], [1], [2], [3]], [0, 0, 1, 1])
    assert tree.loss == 0 and tree.predict([[-5], [9]]).tolist() == [0, 1]
    same = best_tree([[7, 7]] * 3, [0, 1, 1])
    assert (same.loss, same.n_splits) == (1, 1) and same.predict([[0, 0]]).tolist() == [1]


def test_weights_and_points_are_not_rounded():
    third = Fraction(1, 3)
    heavy = [third, third + Fraction(1, 10**9), 2]
    assert best_tree([[0], [0], [1]], [0, 1, 2], weights=heavy).loss == third
    near = np.array([[1.0], [np.nextafter(1.0, 2.0)], [1.0 + 2**-51]])
    tree = best_tree(near, [0, 1, 0])
    assert tree.loss == 0 and tree.predict(near).tolist() == [0, 1, 0]
    big = best_tree([[0], [0], [1]], [0, 1, 2], weights=[2**30, 2**30 + 1, 2**30])
    assert big.loss == 2**30


def test_an_early_end_leaves_a_bound():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2)), rng.integers(0, 2, 40)
    early, best = best_tree(X, y, time_limit=0), best_tree(X, y)
    assert 0 < early.gap and early.bound <= best.loss <= early.loss
    assert best.gap == 0 and early.verify() and early.n_evaluated < best.n_evaluated
    assert "at least" in repr(early) and "least" in best._repr_html_()


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({}, [[0], [1]], [1, 1], "y has one class, 1; expected two"),
        ({}, [[0], [1]], [1], r"y has shape \(1,\); expected \(2,\)"),
        ({}, [[0], [1]], [0.0, np.nan], "y has a label that is not a number"),
        ({}, [[0], [1]], np.array([0, "a"], object), "y has labels of several types"),
        ({"weights": [1, -1]}, [[0], [1]], [0, 1], "weights has the least entry -1"),
        ({"weights": [0, 0]}, [[0], [1]], [0, 1], "not all 0"),
        ({"weights": [1, Fraction(1, 10**20)]}, [[0], [1]], [0, 1], "weights have too many digits"),
        ({"workers": 0}, [[0], [1]], [0, 1], "workers is 0"),
        ({"time_limit": -1}, [[0], [1]], [0, 1], "time_limit is -1"),
    ],
)
def test_bad_arguments(options, X, y, message):
    with pytest.raises(InputError, match=message):
        best_tree(X, y, **options)
    with pytest.raises(InputError, match="X has 2 columns; expected 1"):
        best_tree([[0], [1]], [0, 1]).predict([[1, 2]])


def test_what_takes_too_long_is_refused():
    X, y = np.random.default_rng(0).standard_normal((100, 3)), [0, 1] * 50
    with pytest.raises(TooLargeError, match=r"a tree of about .* splits takes about .* time_limit"):
        best_tree(X, y, max_hours=1e-4)
    with pytest.raises(TooLargeError, match=r"a tree of about .* bytes, .* fewer columns"):
        best_tree(np.random.default_rng(0).standard_normal((500, 5)), [0, 1] * 250, time_limit=1)


@pytest.mark.parametrize("total", [2**23 - 1, 2**23 + 1, 2**24 - 1, 2**52 - 1])
def test_lower_bounds_are_exact_to_the_last_unit(total: int) -> None:
    """Sums of two splits are twice as large as all weights, and must not be rounded."""
    weights = [1, 3, total - 11, 5, 2]
    splits = trees._Splits(trees._Data.of(np.arange(5)[:, None], list("ababa"), weights), 1, None)
    on = splits.on > 0
    for root in range(len(on)):
        values, _, bounds = splits.evaluate(np.array([root]))
        for other in range(len(on)):
            apart = sum(
                w for w, differs in zip(weights, on[root] != on[other], strict=True) if differs
            )
            assert bounds[other] == int(values[0]) - min(apart, total - apart)
    with pytest.raises(InputError, match=r"expected sums below 2\*\*52 units"):
        best_tree([[0], [1]], [0, 1], weights=[2**52, 1])
