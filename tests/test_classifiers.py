"""Classifiers: probabilities against exact series, and the sets against the functions they call."""

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrangements import (
    Arrangement,
    InputError,
    SigmoidClassifier,
    SoftmaxClassifier,
    TiedLabelsError,
    demo,
    generators,
)

W = [[2, 0], [0, 1], [-1, -1], [1, 3]]
B = [0, 1, Fraction(1, 2), -2]
NAMES = ("cat", "dog", "bird", "fish")
SOFTMAX, SIGMOID = SoftmaxClassifier(W, B, NAMES), SigmoidClassifier(W, B, NAMES)


def powers(scores: Any) -> list[Fraction]:
    """Exp of each score, to 30 digits: a series in fractions."""
    return [
        sum((Fraction(s) ** k / math.factorial(k) for k in range(80)), Fraction(0)) for s in scores
    ]


@given(st.lists(st.integers(-8, 8), min_size=2, max_size=2))
def test_probabilities(x: list[int]) -> None:
    scores = [r[0] * x[0] + r[1] * x[1] + b for r, b in zip(W, B, strict=True)]
    assert SOFTMAX.scores(x).tolist() == scores
    small = [s / 8 for s in scores]  # the series is short
    soft = SoftmaxClassifier(np.array(W) / 8, np.array(B, float) / 8)
    exact = powers(small)
    assert np.allclose(soft.probabilities(x), [float(e / sum(exact)) for e in exact], rtol=1e-14)
    sigmoid = SigmoidClassifier(soft.weights, soft.offsets)
    assert np.allclose(
        sigmoid.probabilities(x), [float(e / (1 + e)) for e in exact], rtol=1e-14, atol=0
    )


def test_probabilities_far_out() -> None:
    x = [[1e6], [-1e6], [700.0]]
    soft, sigmoid = SoftmaxClassifier([[1], [0]]), SigmoidClassifier([[1], [0]])
    assert soft.probabilities(x).shape == (3, 2)
    assert soft.probabilities(x)[:2].tolist() == [[1, 0], [0, 1]]
    assert sigmoid.probabilities(x)[:2].tolist() == [[1, 0.5], [0, 0.5]]
    assert np.allclose(sigmoid.probabilities([-700.0])[0], math.exp(-700), rtol=1e-12, atol=0)
    assert np.allclose(soft.probabilities([-700.0])[0], math.exp(-700), rtol=1e-12, atol=0)


def test_translation_changes_no_softmax_probability() -> None:
    moved = SoftmaxClassifier(np.array(W) + [3, -5], np.array(B, float) + 7)
    x = np.random.default_rng(0).standard_normal((50, 2))
    assert np.allclose(moved.probabilities(x), SOFTMAX.probabilities(x), rtol=1e-12)
    assert moved.rankings() == SOFTMAX.rankings()


def test_label_sets() -> None:
    found = SIGMOID.label_sets()
    assert {tuple(s) for s in found.to_array().tolist()} == naive.chambers(W, B)
    assert {SIGMOID.active(s) for s in found} == {
        tuple(n for n, s in zip(NAMES, signs, strict=True) if s > 0)
        for signs in naive.chambers(W, B)
    }


def test_decision_regions_of_label_sets() -> None:
    occurring = naive.chambers(W, B)
    for size in range(5):
        for labels in combinations(range(4), size):
            region = SIGMOID.decision_region([NAMES[i] for i in labels])
            signs = tuple(1 if i in labels else -1 for i in range(4))
            assert region.verify() and region.feasible == (signs in occurring)
            if region.point is not None:
                assert naive.signs_at(W, B, region.point) == signs


@pytest.mark.parametrize("model", [SOFTMAX, SIGMOID], ids=repr)
def test_orders(model: Any) -> None:
    orders = naive.rankings(W, B)
    found = model.rankings()
    assert {tuple(order) for order in found.to_array().tolist()} == orders
    assert found.label_names == NAMES
    assert model.argmax_labels().tolist() == sorted({order[0] for order in orders})
    assert set(map(tuple, model.top_k_rankings(2).tolist())) == {order[:2] for order in orders}
    assert set(map(tuple, model.top_k_sets(2).tolist())) == {
        tuple(sorted(order[:2])) for order in orders
    }
    for top in [*{order[:2] for order in orders}, *orders]:
        region = model.order_region([NAMES[i] for i in top])
        assert region.verify() and naive.order_at(W, B, region.point)[: len(top)] == top
    possible = {order[:2] for order in orders}
    for pair in combinations(range(4), 2):
        assert model.order_region(pair).feasible == (pair in possible)


def test_decision_regions_of_labels() -> None:
    winners = {order[0] for order in naive.rankings(W, B)}
    for i, name in enumerate(NAMES):
        region = SOFTMAX.decision_region(name)
        assert region.verify() and region.feasible == (i in winners)
        assert region.arrangement.n_hyperplanes == 3


def test_ties() -> None:
    assert [t.labels for t in SOFTMAX.tie_sets(size=1)] == [
        (i,) for i in SOFTMAX.argmax_labels().tolist()
    ]
    tie = SOFTMAX.tie_set(["dog", "bird"])
    chances = SOFTMAX.probabilities([float(x) for x in tie.point])
    assert tie.labels == (1, 2) and np.isclose(chances[1], chances[2])
    assert chances.argmax() in tie.labels


def test_digits() -> None:
    trained = demo.digits()
    model = SoftmaxClassifier(trained.weights, trained.biases, trained.labels)
    assert len(model.argmax_labels()) == 10
    x = [float(v) for v in model.decision_region("7").point]
    assert model.names([int(model.probabilities(x).argmax())]) == ("7",)
    assert model.decision_region("7").verify()


def test_rows_that_are_equal() -> None:
    twice = SoftmaxClassifier([[1, 0], [1, 0], [0, 1]])
    assert twice.probabilities([0, 0]).sum() == pytest.approx(1)
    with pytest.raises(TiedLabelsError, match="labels 0 and 1"):
        twice.rankings()
    assert len(twice.rankings(ties="drop")) == 2
    assert len(SigmoidClassifier(twice.weights).label_sets()) == 4


def test_immutable() -> None:
    with pytest.raises(AttributeError, match="SoftmaxClassifier is immutable"):
        SOFTMAX.weights = np.eye(2)
    with pytest.raises(ValueError, match="read-only"):
        SOFTMAX.weights[0, 0] = 1
    rows = generators.generic(3, 2, 0).normals.copy()
    assert SoftmaxClassifier(rows).weights is not rows and rows.flags.writeable


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: SOFTMAX.scores([1, 2, 3]), r"x has shape \(3,\); expected \(..., 2\)"),
        (lambda: SOFTMAX.scores(1), r"x has shape \(\)"),
        (lambda: SOFTMAX.probabilities([np.nan, 0]), "not a finite"),
        (lambda: SoftmaxClassifier([[1e300]]).probabilities([1e300]), "not a finite"),
        (lambda: SoftmaxClassifier([[10**400], [1]]).probabilities([0]), "exceed the range"),
        (lambda: SOFTMAX.decision_region("cow"), "'cow' is not the name"),
        (lambda: SOFTMAX.decision_region(4), "label 4 is no row"),
        (lambda: SOFTMAX.order_region([]), "top is empty"),
        (lambda: SOFTMAX.order_region([0, "cat"]), "not distinct"),
        (lambda: SOFTMAX.order_region([1.5]), "neither a name nor a row"),
        (lambda: SIGMOID.decision_region("cat"), "on is 'cat'"),
        (lambda: SoftmaxClassifier([1, 2]), r"weights has shape \(2,\)"),
        (lambda: SoftmaxClassifier([[1], [2]], labels=["a", "a"]), "both named 'a'"),
        (lambda: SoftmaxClassifier([[1], [2]], [1]), r"offsets has shape \(1,\)"),
    ],
)
def test_bad_input(ask: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()


def test_an_arrangement_brings_offsets_and_labels() -> None:
    given = Arrangement([[1, 0], [0, 1]], [3, 4], labels=["cat", "dog"])
    model = SoftmaxClassifier(given)
    assert model.labels == ("cat", "dog") and model.offsets.tolist() == [3, 4]
    with pytest.raises(InputError, match="has its own"):
        SoftmaxClassifier(given, [1, 2])


@pytest.mark.parametrize("labels", [None, 0, "cat"])
def test_a_region_of_no_collection(labels: Any) -> None:
    with pytest.raises(InputError, match="expected a collection"):
        SigmoidClassifier([[1, 0], [0, 1]]).decision_region(labels)
