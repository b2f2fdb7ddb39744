"""The best ranking, against all rankings."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from arrangements import rankings
from arrangements.errors import InputError, TiedLabelsError
from arrangements.generators import generic
from arrangements.optimize import best_ranking


def some_labels(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    W = rng.integers(-3, 4, (n, d)) + 1e-3 * np.arange(n)[:, None] ** 2
    return rng, W, rng.integers(-3, 4, n) if seed % 2 else None


def distance(order, place):
    return sum(place[i] > place[j] for i, j in combinations(order, 2))


@pytest.mark.parametrize("seed", range(24))
def test_no_ranking_is_nearer(seed):
    rng, W, offsets = some_labels(seed)
    reference = rng.permutation(len(W)).tolist()
    place = np.argsort(reference)
    orders = rankings(W, offsets=offsets).to_array().tolist()
    found = best_ranking(W, reference, offsets=offsets)
    assert found.value == found.bound == min(distance(order, place) for order in orders)
    assert found.order.tolist() in orders
    assert distance(found.order.tolist(), place) == found.value
    assert found.certificate.verify() and found.gap == 0


@pytest.mark.parametrize("seed", range(24))
def test_no_ranking_gains_more(seed):
    rng, W, offsets = some_labels(seed)
    n = len(W)
    gains = rng.integers(0, 4, n)
    discounts = [None, rng.standard_normal(n), 10.0**20 * rng.integers(0, 3, n)][seed % 3]
    exact = 1 / np.log2(np.arange(n) + 2.0) if discounts is None else discounts
    exact = list(map(Fraction, exact.tolist()))

    def gain(order):
        return sum(int(gains[i]) * c for i, c in zip(order, exact, strict=True))

    orders = rankings(W, offsets=offsets).to_array().tolist()
    found = best_ranking(W, offsets=offsets, gains=gains, discounts=discounts)
    assert found.value == gain(found.order.tolist()) == max(map(gain, orders))
    assert found.order.tolist() in orders and found.certificate.verify()
    both = best_ranking(W, offsets=offsets, gains=gains, discounts=discounts, workers=2)
    assert both.order.tolist() == found.order.tolist()


def test_gains_that_floats_confuse():
    W = np.eye(3)
    tiny = Fraction(1, 10**40)
    found = best_ranking(W, gains=[1, 1 + tiny, 1], discounts=[1, 1 - tiny, 0])
    assert found.order[0] == 1 and found.value == 2 - tiny + tiny  # 1 + tiny + 1 - tiny


def test_a_ranking_that_occurs_is_found():
    W = generic(12, 3, 0).normals
    order = np.argsort(-(W @ [1, 2, 3])).tolist()
    found = best_ranking(W, order)
    assert found.value == 0 and found.order.tolist() == order
    assert repr(found).startswith("BestRanking(value 0, best, ")
    named = best_ranking(W, [f"label {i}" for i in order], labels=[f"label {i}" for i in range(12)])
    assert named.names[0] == f"label {order[0]}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give one of reference, an order of the labels, references, or gains"),
        ({"reference": [0, 1], "gains": [1, 2]}, "give one of reference"),
        ({"reference": [0, 0]}, "reference has 2 labels; expected each of the 2 once"),
        ({"reference": [0]}, "reference has 1 labels; expected each of the 2 once"),
        ({"reference": [0, 1], "discounts": [1, 2]}, "discounts go with gains"),
        ({"gains": [1, 2], "time_limit": -1}, "time_limit is -1"),
        ({"gains": [1]}, "gains has shape"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(InputError, match=message):
        best_ranking([[1, 0], [0, 1]], **options)


@pytest.mark.slow
def test_gains_with_a_time_limit():
    W = generic(24, 4, 0).normals
    gains = np.arange(24.0)
    best = best_ranking(W, gains=gains)
    assert best.gap == 0
    found = best_ranking(W, gains=gains, time_limit=0)
    assert found.value <= best.value <= found.bound and found.certificate.verify()
    assert best_ranking(W, gains=gains, time_limit=1000).value == best.value == best.bound


def test_equal_labels():
    with pytest.raises(TiedLabelsError):
        best_ranking([[1], [1]], [0, 1])
