"""Two models: listed differences against naive sets, sampled ones by their proofs."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import naive
import numpy as np
import pytest

from arrangements import Arrangement, compare
from arrangements.errors import InputError, TiedLabelsError
from arrangements.models import SigmoidClassifier, SoftmaxClassifier

W1, B1 = [[2, 0], [0, 1], [-1, -1], [1, 3]], [0, 1, Fraction(1, 2), -2]
W2, B2 = [[2, 1], [0, 1], [-1, -1], [1, -3]], [0, 1, 0, 1]
NAMES = ("cat", "dog", "bird", "fish")


def outputs(kind: str, W: Any, b: Any, k: int = 1) -> set[Any]:
    """All outputs as names."""
    if kind == "label sets":
        found = naive.chambers(W, b)
        return {tuple(n for n, s in zip(NAMES, signs, strict=True) if s > 0) for signs in found}
    orders = [tuple(NAMES[i] for i in order) for order in naive.rankings(W, b)]
    if kind == "rankings":
        return set(orders)
    return {tuple(sorted(order[:k], key=NAMES.index)) for order in orders}


@pytest.mark.parametrize("limit", [10**6, 0])
@pytest.mark.parametrize(
    ("kind", "k"), [("label sets", 1), ("rankings", 1), ("top labels", 1), ("top labels", 2)]
)
def test_differences(kind: Any, k: int, limit: int) -> None:
    models = [SoftmaxClassifier(W, b, NAMES) for W, b in ((W1, B1), (W2, B2))]
    all1, all2 = outputs(kind, W1, B1, k), outputs(kind, W2, B2, k)
    found = compare(*models, kind, k=k, most_listed=limit, examples=99)
    seen = [{example.names for example in examples} for examples in found.examples]
    assert found.verify()
    if found.method == "listed":
        assert found.numbers == (len(all1), len(all2))
        assert found.only == (len(all1 - all2), len(all2 - all1))
        assert seen == [all1 - all2, all2 - all1] and found.intervals is None
        assert found.same == (all1 == all2)
    else:
        assert seen[0] <= all1 - all2 and seen[1] <= all2 - all1
        assert found.numbers == (1000, 1000)
        assert bool(found.only[0]) == bool(all1 - all2)
        assert found.same is (False if any(found.only) else None)
        assert found.intervals is not None
        assert all(
            low < share < high
            for share, (low, high) in zip(found.shares, found.intervals, strict=True)
            if share
        )
    for model, examples in zip(models, found.examples, strict=True):
        for example in examples:
            scores = [
                sum((Fraction(w) * x for w, x in zip(row, example.input, strict=True)), Fraction(b))
                for row, b in zip(model.weights.tolist(), model.offsets.tolist(), strict=True)
            ]
            ranked = tuple(sorted(NAMES, key=lambda name: -scores[NAMES.index(name)]))
            said = {
                "label sets": tuple(n for n, s in zip(NAMES, scores, strict=True) if s > 0),
                "rankings": ranked,
                "top labels": tuple(sorted(ranked[:k], key=NAMES.index)),
            }
            assert said[kind] == example.names


def test_rows_belong_together_by_name() -> None:
    order = [2, 0, 3, 1]
    names = [NAMES[i] for i in order]
    moved = SigmoidClassifier([W1[i] for i in order], [B1[i] for i in order], names)
    found = compare(SigmoidClassifier(W1, B1, NAMES), moved)
    assert found.outputs == "label sets" and found.same is True
    assert compare(Arrangement(W1, B1), moved, "rankings").same is False


def test_models_of_other_dimensions_and_equal_ones() -> None:
    wide = np.eye(4, dtype=int)
    found = compare(SoftmaxClassifier(W1), SoftmaxClassifier(wide))
    assert found.numbers[1] == 24 and found.only[0] == 0
    assert compare(W1, np.array(W1) * 2, "label sets").same is True
    same = compare(W1, W1, "label sets", most_listed=0, inputs=20)
    assert same.same is None and same.only == (0, 0) and "at random inputs" in same.summary()


def test_given_inputs() -> None:
    inputs = [[1, 0.25], [0.5, Fraction(1, 3)], [0, 0]]  # at 0 the sets are on a border
    found = compare(W1, W2, "label sets", inputs=inputs)
    assert found.method == "sampled" and found.numbers == (2, 2) and found.verify()
    points = {example.input for examples in found.examples for example in examples}
    assert points <= {tuple(map(Fraction, row)) for row in inputs}
    pair = compare(W1, np.eye(4), "label sets", inputs=(inputs, np.ones((5, 4))))
    assert pair.numbers == (2, 5)


def test_near_ties_are_left_out_or_proved() -> None:
    W = np.array([[1.0, 0.0], [1 + 2.0**-30, 0.0], [0.0, 1.0]])
    found = compare(W, W[[1, 0, 2]], "rankings", most_listed=0, inputs=50)
    assert found.verify() and found.only[0] <= found.numbers[0]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: compare(W1, W2), "are no classifiers: expected outputs="),
        (
            lambda: compare(SoftmaxClassifier(W1), SigmoidClassifier(W2)),
            "are of different kinds: expected outputs=",
        ),
        (lambda: compare(W1, W2[:3], "rankings"), "model1 has 4 labels and model2 has 3"),
        (
            lambda: compare(
                SoftmaxClassifier(W1, labels="abcd"), SoftmaxClassifier(W2, labels="abce")
            ),
            "model2 has no label 'd'",
        ),
        (lambda: compare(W1, W2, "labels"), "outputs is 'labels'"),
        (lambda: compare(W1, W2, "rankings", k=2), "k is 2, but it is about top labels"),
        (lambda: compare(W1, W2, "rankings", inputs=[[1]]), "inputs have 1 coordinates"),
        (lambda: compare([1, 2], W2, "rankings"), r"model1 has shape \(2,\)"),
    ],
)
def test_bad_input(ask: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ask()


def test_ties_are_refused_for_rankings_only() -> None:
    twice = [*W1[:3], W1[0]]
    with pytest.raises(TiedLabelsError, match="^model1: labels 0 and 3 have equal rows"):
        compare(twice, W2, "rankings")
    with pytest.raises(TiedLabelsError, match="^model2: labels 0 and 3 have equal rows"):
        compare(W2, twice, "top labels", k=2)
    assert compare(twice, twice, "label sets").same is True
    every = {k: compare(W1, W2, "top labels", k=k).numbers for k in range(1, 5)}
    assert every[4] == (1, 1) and all(1 <= n <= len([*combinations(NAMES, 2)]) for n in every[2])


@pytest.mark.parametrize("given", ["colors", ["rankings"], ("rankings", "colors"), []])
def test_one_kind_of_outputs_in_a_call(given: Any) -> None:
    with pytest.raises(InputError, match="expected 'label sets', 'rankings' or 'top labels'"):
        compare(W1, W2, given)


def test_random_inputs_of_numbers_beyond_floats() -> None:
    large = 10**400
    first = SoftmaxClassifier([[large, 1], [1, large], [0, 1]], [large, 0, 1])
    second = SoftmaxClassifier([[large, 1], [1, large], [0, 2]], [large, 0, 1])
    assert compare(first, second, "rankings", most_listed=0, inputs=20).verify()
