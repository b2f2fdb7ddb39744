"""Tops of rankings against the tops of all rankings."""

from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from ranking_examples import SMALL, Example, cube, ranked
from test_rankings import labels_with_offsets

from arrangements import argmax_labels, generators, rankings, top_k_rankings, top_k_sets
from arrangements.errors import InputError, TiedLabelsError

pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


def check(W: Any, offsets: Any, orders: Any) -> None:
    n = len(W)
    assert argmax_labels(W, offsets).tolist() == sorted({order[0] for order in orders})
    for k in range(1, n + 1):
        prefixes = sorted({order[:k] for order in orders})
        assert list(map(tuple, top_k_rankings(W, k, offsets).tolist())) == prefixes
        sets = sorted({tuple(sorted(order)) for order in prefixes})
        assert list(map(tuple, top_k_sets(W, k, offsets).tolist())) == sets


@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_equals_the_tops_of_naive(example: Example) -> None:
    check(*example.arguments, ranked(example))


@given(rows=labels_with_offsets)
def test_random_equals_naive(rows: Any) -> None:
    W, b = [row[:-1] for row in rows], [row[-1] for row in rows]
    check(W, b, naive.rankings(W, b))


def test_tops_of_many_rankings() -> None:
    W = generators.generic(12, 3, 3)
    orders = [tuple(order) for order in rankings(W).to_array().tolist()]
    for k in (1, 2, 3, 10):
        assert len(top_k_rankings(W, min(k, 3))) == len({order[: min(k, 3)] for order in orders})
        assert len(top_k_sets(W, k)) == len({frozenset(order[:k]) for order in orders})


def test_interior_labels_are_never_first() -> None:
    W = np.concatenate([cube(4), [[0.5] * 4]])
    assert argmax_labels(W).tolist() == list(range(16))
    assert argmax_labels(W, [0] * 16 + [1]).tolist() == list(range(17))


def test_ties() -> None:
    W = [[1, 0], [1, 0], [0, 1], [0, 0]]
    with pytest.raises(TiedLabelsError):
        top_k_sets(W, 2)
    assert argmax_labels(W, ties="drop").tolist() == [0, 2, 3]
    assert top_k_sets(W, 2, ties="drop").tolist() == [[0, 2], [0, 3], [2, 3]]
    assert len(top_k_rankings(W, 3, ties="drop")) == 6


@pytest.mark.parametrize("function", [top_k_sets, top_k_rankings])
@pytest.mark.parametrize("k", [0, 4, 1.0, True])
def test_bad_k(function: Any, k: Any) -> None:
    with pytest.raises(InputError, match="k is .*; expected an integer from 1 to .* 3"):
        function([[1], [2], [3]], k)
