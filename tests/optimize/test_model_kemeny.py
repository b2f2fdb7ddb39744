"""The rankings that are nearest to many, among those that scores can have."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from arrangements import Polyhedron, rankings
from arrangements.errors import InputError
from arrangements.optimize import best_ranking, kemeny_ranking


def distance(order, ranking):
    """Pairs in the other order; a tuple is a tie, and other labels do not count."""
    places = {}
    for place, level in enumerate(ranking):
        for label in level if isinstance(level, tuple) else (level,):
            places[label] = place
    ranked = [places[i] for i in order if i in places]
    return sum(a > b for a, b in combinations(ranked, 2))


def some_votes(rng, n, number):
    votes = []
    for _ in range(number):
        order = rng.permutation(n).tolist()[: int(rng.integers(1, n + 1))]
        votes.append([tuple(order[:2]), *order[2:]] if rng.random() < 0.5 else order)
    return votes


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(60))
def test_no_ranking_that_occurs_is_nearer(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 6)), int(rng.integers(1, 3))
    W = rng.integers(-3, 4, (n, d)) + 1e-3 * np.arange(n)[:, None] ** 2
    offsets = rng.integers(-3, 4, n) if seed % 2 else None
    within = Polyhedron.box(-1, 2, dimension=d) if seed % 3 == 0 else None
    votes = some_votes(rng, n, 4)
    weights = [Fraction(int(w), 3) for w in rng.integers(0, 4, 4)]
    orders = rankings(W, offsets=offsets, within=within).to_array().tolist()
    values = [
        sum(w * distance(order, vote) for w, vote in zip(weights, votes, strict=True))
        for order in orders
    ]
    best = [order for order, v in zip(orders, values, strict=True) if v == min(values)]
    options = {"offsets": offsets, "references": votes, "weights": weights, "within": within}
    found = best_ranking(W, **options, all_optimal=True)
    assert found.value == found.bound == min(values)
    assert found.orders.tolist() == sorted(best)
    assert found.order.tolist() in best and found.certificate.verify()
    assert best_ranking(W, **options).value == min(values)


def test_all_rankings_occur_in_enough_dimensions():
    votes = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
    labels = ["a", "b", "c"]
    found = best_ranking(np.eye(3, dtype=int), references=votes, labels=labels, all_optimal=True)
    every = kemeny_ranking(votes, labels=labels, all_optimal=True)
    assert found.value == every.value == 4
    assert found.orders.tolist() == sorted(every.orders.tolist())


def test_rankings_of_a_listing():
    W = [[0, 0], [4, 0], [0, 4], [1, 1]]
    found = best_ranking(W, references=rankings(W))
    assert found.value == min(
        sum(distance(order, other) for other in rankings(W).to_array().tolist())
        for order in rankings(W).to_array().tolist()
    )


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({}, "give one of reference"),
        ({"reference": [0, 1], "references": [[0, 1]]}, "give one of reference"),
        ({"reference": [0, 1], "weights": [1]}, "weights go with references"),
        ({"gains": [0, 1], "all_optimal": True}, "all_optimal goes with"),
        ({"references": [[0, 2]]}, "2; expected|2 is"),
        ({"references": [[0, 0]]}, r"references\[0\] has label 0 twice"),
        ({"references": rankings([[1], [2], [3]])}, "of 3 labels"),
    ],
)
def test_bad_arguments(keywords, message):
    with pytest.raises(InputError, match=message):
        best_ranking([[1, 0], [0, 1]], **keywords)
