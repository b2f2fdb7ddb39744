"""Margins are exact, and the widest of all best boundaries is found."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from arrangements import chambers
from arrangements.errors import InputError, TooLargeError
from arrangements.optimize import separation
from arrangements.optimize.margins import squared_margin
from arrangements.optimize.separation import separate


def to_segment(p, a, b):
    """The squared distance of a point from a segment."""
    direction = [y - x for x, y in zip(a, b, strict=True)]
    length = sum(x * x for x in direction)
    along = sum((x - y) * z for x, y, z in zip(p, a, direction, strict=True))
    t = min(max(Fraction(along, length), Fraction(0)), Fraction(1)) if length else Fraction(0)
    foot = [x + t * z for x, z in zip(a, direction, strict=True)]
    return sum((x - y) ** 2 for x, y in zip(p, foot, strict=True))


def squared_distance(first, second):
    """Of the hulls of points in the plane that a line separates."""
    pairs = [(first, second), (second, first)]
    return min(
        to_segment(p, a, b) for one, other in pairs for p in one for a, b in product(other, other)
    )


def lines_through(points, offset):
    ones = np.ones((len(points), 1), int)
    return np.hstack([points, ones]) if offset else points


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("offset", [True, False])
def test_margins_are_exact(seed, offset):
    points = np.unique(np.random.default_rng(seed).integers(-5, 6, (7, 2)), axis=0)
    points = points[points.any(axis=1)]
    for signs in chambers(lines_through(points, offset)).to_array():
        found = squared_margin(points, signs, offset)
        if not offset:
            signed = (points * signs[:, None]).tolist()
            assert found == min(to_segment([0, 0], *ends) for ends in product(signed, signed))
        elif abs(signs.sum()) == len(signs):
            assert found is None
        else:
            sides = [points[signs == side].tolist() for side in (1, -1)]
            assert found == squared_distance(*sides) / Fraction(4)
            assert squared_margin(points, signs, offset, found) <= found


def test_margins_of_floats_and_in_space():
    points = np.array([[0.1, 0, 0], [0.1, 1, 0], [0.1, 0, 1], [0.3, 0.25, 0.25]])
    square = squared_margin(points, np.array([-1, -1, -1, 1]), True)
    assert square == ((Fraction(0.3) - Fraction(0.1)) / 2) ** 2


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("constant", [True, False])
def test_the_widest_of_the_best_boundaries(seed, constant):
    rng = np.random.default_rng(seed)
    points = rng.integers(-4, 5, (12, 2))
    second = rng.random(12) < 0.5
    ones = [Fraction(1)] * 12
    found = separate(points, second, ones, constant=constant, widest=True)
    loss = separate(points, second, ones, constant=constant).loss
    distinct = np.unique(points, axis=0)
    distinct = distinct if constant else distinct[distinct.any(axis=1)]
    # the loss of each chamber, by counting
    margins = {}
    for signs in chambers(lines_through(distinct, constant)).to_array():
        side = {tuple(p): s > 0 for p, s in zip(distinct.tolist(), signs, strict=True)}
        errors = sum(
            side.get(tuple(p), False) != s for p, s in zip(points.tolist(), second, strict=True)
        )
        if errors == loss:
            margin = squared_margin(distinct, signs, constant)
            margins[tuple(signs.tolist())] = np.inf if margin is None else margin
    assert found.loss == loss and found.optimum.verify()
    mine = tuple(found.optimum.signs.tolist())
    assert margins[mine] == max(margins.values())
    assert mine == min(signs for signs, m in margins.items() if m == max(margins.values()))
    assert (found.positive(points) != second).sum() == loss


def test_too_many_best_boundaries(monkeypatch):
    monkeypatch.setattr(separation, "_MOST_COMPARED", 3)
    points = np.array([[1, 0], [0, 1], [1, 1]])
    with pytest.raises(TooLargeError, match="more than 3 chambers have the best value"):
        mixed = np.array([[k, k * k] for k in range(6)] * 2)
        separate(mixed, np.arange(12) < 6, [Fraction(1)] * 12, widest=True)
    assert (
        separate(points, np.array([True, False, False]), [Fraction(1)] * 3, widest=True).loss == 0
    )


def test_the_estimator():
    pytest.importorskip("sklearn")
    from arrangements.optimize import ZeroOneClassifier

    X, y = [[0], [1], [2], [5], [6]], [0, 1, 0, 1, 1]
    model = ZeroOneClassifier(widest=True).fit(X, y)
    assert -model.intercept_[0] / model.coef_[0, 0] == pytest.approx(3.5) and model.loss_ == 1
    with pytest.raises(InputError, match="widest is 'yes'; expected"):
        ZeroOneClassifier(widest="yes").fit(X, y)
    rng = np.random.default_rng(0)
    points, labels = rng.standard_normal((300, 4)), rng.integers(0, 2, 300)
    assert ZeroOneClassifier().forecast(points, labels) > 1
    limited = ZeroOneClassifier(time_limit=0.5)
    assert limited.forecast(points, labels) == 0.5
    limited.fit(points, labels)
    assert limited.gap_ > 0 and ZeroOneClassifier().forecast([[0.0], [1.0]], [0, 1]) < 0.1
    seconds, values, bounds = zip(*limited.optimum_.history, strict=True)
    assert list(seconds) == sorted(seconds) and list(values) == sorted(values, reverse=True)
    assert list(bounds) == sorted(bounds)
    assert values[-1] - bounds[-1] == limited.optimum_.gap == limited.gap_
    with pytest.raises(TooLargeError, match="max_hours"):
        ZeroOneClassifier(max_hours=1e-6).fit(points, labels)


def test_a_picture_of_the_gap():
    pytest.importorskip("matplotlib")
    from arrangements import best_chamber
    from arrangements.plot import plot_gap

    W = np.random.default_rng(0).standard_normal((60, 5))
    best = best_chamber(W, np.ones(60), time_limit=0.3)
    found, bound = plot_gap(best).get_lines()
    assert found.get_ydata()[-1] == best.value and bound.get_ydata()[-1] == best.bound
    assert len(found.get_xdata()) == len(best.history) >= 1
    listed = best_chamber(W[:9, :2], step=lambda block: block.to_array().sum(axis=1))
    assert len(plot_gap(listed).get_lines()) == 2
    huge, _ = plot_gap(best_chamber([[1, 0], [0, 1]], [-(10**400), 1])).get_lines()
    assert huge.get_ydata().tolist() == [-np.inf]  # beyond the range of floats
