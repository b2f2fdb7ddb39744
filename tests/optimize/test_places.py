"""The range of places, against all rankings."""

import numpy as np
import pytest

from arrangements import Polyhedron, argmax_labels, rankings
from arrangements.errors import InputError, TiedLabelsError
from arrangements.optimize import place_range


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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(8))
def test_places_within_a_region(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 6)), int(rng.integers(2, 4))
    W, offsets = rng.standard_normal((n, d)), rng.standard_normal(n) if seed % 2 else None
    # many inputs meet all rankings of so few labels, or nearly all: none may lie beyond the range
    inputs = rng.dirichlet(np.ones(d), 4000)
    scores = inputs @ W.T + (0 if offsets is None else offsets)
    places = np.argsort(np.argsort(-scores, axis=1), axis=1)
    seen = np.stack([places.min(axis=0), places.max(axis=0)], axis=1)
    found = place_range(W, offsets, within="simplex")
    assert (found[:, 0] <= seen[:, 0]).all() and (found[:, 1] >= seen[:, 1]).all()
    assert (found != seen).sum() <= 1
    everywhere = place_range(W, offsets)
    assert (everywhere[:, 0] <= found[:, 0]).all() and (everywhere[:, 1] >= found[:, 1]).all()
    inside = place_range(W, offsets, within=Polyhedron.box(0, 1, dimension=d))
    scores = rng.random((4000, d)) @ W.T + (0 if offsets is None else offsets)
    places = np.argsort(np.argsort(-scores, axis=1), axis=1)
    assert (inside[:, 0] <= places.min(axis=0)).all() and (inside[:, 1] >= places.max(axis=0)).all()
    half = place_range(W, offsets, within=(-np.eye(1, d), [0]))
    assert (half[:, 0] <= inside[:, 0]).all() and (half[:, 1] >= inside[:, 1]).all()


def test_one_label_dominates_with_positive_weights():
    W = [[3, 3], [1, 2], [2, 1]]
    assert place_range(W, within="simplex").tolist() == [[0, 0], [1, 2], [1, 2]]
    assert place_range(W, within=([[-1, 1], [0, -1]], [0, 0])).tolist() == [[0, 0], [2, 2], [1, 1]]


def test_bad_regions_of_places():
    with pytest.raises(InputError, match="within is 'cube'; expected a Poly.*'simplex' for"):
        place_range([[1, 2], [3, 4]], within="cube")
    with pytest.raises(InputError, match=r"within\[0\] has shape \(3, 3\); expected \(q, 2\)"):
        place_range([[1, 2], [3, 4]], within=(np.eye(3), np.zeros(3)))
    with pytest.raises(TiedLabelsError):  # on the simplex, an offset is a constant for all weights
        place_range([[1, 1], [0, 0]], [0, 1], within="simplex")
