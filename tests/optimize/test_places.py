"""The range of places, against all rankings."""

import numpy as np
import pytest

from arrangements import TiedLabelsError, argmax_labels, place_range, rankings


@pytest.mark.parametrize("seed", range(16))
def test_ranges_are_those_of_all_rankings(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    W = rng.integers(-3, 4, (n, d))
    offsets = rng.integers(-3, 4, n) if seed % 2 else None
    try:
        orders = rankings(W, offsets=offsets).to_array()
    except TiedLabelsError:
        W = W + 1e-3 * np.arange(n)[:, None] ** 2
        orders = rankings(W, offsets=offsets).to_array()
    places = np.argsort(orders, axis=1)
    expected = np.stack([places.min(axis=0), places.max(axis=0)], axis=1)
    assert place_range(W, offsets).tolist() == expected.tolist()
    assert place_range(W, offsets, workers=2).tolist() == expected.tolist()
    winners = np.flatnonzero(expected[:, 0] == 0).tolist()
    assert winners == argmax_labels(W, offsets).tolist()


def test_a_label_one_ulp_within_the_hull():
    middle = 0.5 - 2.0**-53
    assert place_range([[0.0, 0], [1, 0], [0, 1], [middle, middle]])[3].tolist() == [1, 2]
    outside = 0.5 + 2.0**-53
    assert place_range([[0.0, 0], [1, 0], [0, 1], [outside, outside]])[3].tolist() == [0, 3]


def test_equal_labels():
    with pytest.raises(TiedLabelsError):
        place_range([[1, 2], [1, 2], [0, 1]])
    assert place_range([[1, 2], [1, 2], [0, 1]], ties="drop").tolist() == [[0, 1], [0, 1]]
    assert place_range([[3]]).tolist() == [[0, 0]]
