"""The hyperplane, or quadric, that separates two classes of points with the fewest errors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.exact.numbers import ExactArray, as_objects, fractions
from arrangements.exact.products import product
from arrangements.exact.scores import float_scores, positive_rows
from arrangements.feasibility.certificates import Certificate
from arrangements.feasibility.interior import Point
from arrangements.optimize.chamber_search import best_chamber
from arrangements.optimize.margins import widest

Costs = list[tuple[Fraction, Fraction]]

# Neither class has less of the gap between them.
_LEAST_SHARE = 1e-3
# Inputs below this have products that float64 may lose.
_SMALL = 1e-250


@dataclass(frozen=True)
class Separation:
    """A boundary between two classes.

    Attributes
    ----------
    loss : Fraction
        The sum of the weights of its errors.
    gap : Fraction
        No boundary has a loss that is less by more than this.
    certificate : Certificate
        The sides of all distinct points that are not zero, with an exact boundary.
    plane : tuple of Fraction
        Coefficients of the features, and the constant if there is one: of largest margin if floats
        prove the sides, else that of the certificate.
    degree : {1, 2}
    constant : bool
        Whether there is one.
    """

    loss: Fraction
    gap: Fraction
    certificate: Certificate
    plane: Point
    degree: int
    constant: bool

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Of the features, and the constant, which is zero if there is none."""
        floats = [float(x) for x in self.plane]
        return np.array(floats if self.constant else [*floats, 0.0])

    def positive(self, points: ExactArray) -> NDArray[np.bool_]:
        """Which points the boundary has on the side of the second class, exactly."""
        split = len(self.plane) - self.constant
        normal = np.array([self.plane[:split]], object)
        offset = np.array([*self.plane[split:], Fraction(0)][:1], object)
        if self.degree == 1:
            return positive_rows(normal, offset, points)[:, 0]
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            rough = with_products(points.astype(np.float64))
        # a product of rounded numbers is rounded three times, for which the bounds have room, as
        # well as for what small products lose beside a larger entry
        unsure, found = np.abs(rough).max(axis=1) < _SMALL, np.zeros(len(points), np.bool_)
        for start, scores, bounds in float_scores(normal, offset, rough):
            part = slice(start, start + len(scores))
            found[part] = scores[:, 0] > 0
            with np.errstate(invalid="ignore"):
                unsure[part] |= ~(np.abs(scores[:, 0]) > bounds)
        if unsure.any():
            exact = features(points[unsure], self.degree)
            found[unsure] = positive_rows(normal, offset, exact)[:, 0]
        return found


def separated(
    points: NDArray[Any],
    second: NDArray[np.bool_],
    weights: list[Fraction],
    *,
    degree: int = 1,
    constant: bool = True,
    factors: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1)),
    workers: int = 1,
    time_limit: float | None = None,
) -> Separation | None:
    """The boundary with the least weighted number of errors; None if all weights are zero.

    Parameters
    ----------
    points : (n, d) ndarray
        Exact numbers; may occur several times.
    second : (n,) ndarray of bool
        Which points are of the second class.
    weights : list of n Fraction
        Of an error at each point, at least 0.
    degree : {1, 2}
    constant : bool
        Whether the boundary may miss the origin.
    factors : (Fraction, Fraction)
        Of the weights in both classes.
    workers, time_limit
        As in `best_chamber`.

    Examples
    --------
    >>> X, second = np.array([[0], [1], [2], [3]]), np.array([False, True, False, True])
    >>> separated(X, second, [Fraction(1)] * 4).loss
    Fraction(1, 1)
    """
    member = second.astype(np.intp)
    weights = [w * factors[k] for w, k in zip(weights, member.tolist(), strict=True)]
    distinct, costs = _merged(points, member, weights)
    if not len(distinct):
        return None
    rows = features(distinct, degree)
    if constant:
        rows = np.hstack([rows, np.ones((len(rows), 1), rows.dtype)])
    # without a constant nothing changes the score of the origin
    moving = (rows != 0).any(axis=1)
    fixed = sum((costs[i][0] for i in np.flatnonzero(~moving)), Fraction(0))
    rows, kept = rows[moving], np.array(costs, object)[moving].T
    found = best_chamber(Arrangement(rows), kept, workers=workers, time_limit=time_limit)
    assert found.gap is not None  # of costs, a bound is always known
    plane = _plane(rows, found.signs, found.point, constant, _share(*factors))
    return Separation(found.value + fixed, found.gap, found.certificate, plane, degree, constant)


def features(points: ExactArray, degree: int) -> ExactArray:
    """Exact features of exact points: columns, and for degree 2 the products of any two."""
    return points if degree == 1 else with_products(as_objects(points))


def with_products(points: NDArray[Any]) -> NDArray[Any]:
    """Columns, and then the products of any two of them."""
    first, second = np.triu_indices(points.shape[1])
    return np.hstack([points, points[:, first] * points[:, second]])


def _plane(
    rows: ExactArray, signs: NDArray[np.int8], inner: Point, constant: bool, share: float
) -> Point:
    """The boundary of largest margin if its floats have these signs, else a point inside."""
    wide = widest(rows[:, :-1] if constant else rows, signs, constant, share)
    size = max(map(abs, inner), default=Fraction(1)) or Fraction(1)
    inner = tuple(x / size for x in inner)  # so that no float is infinite
    rounded = tuple(Fraction(float(x)) for x in inner)
    for plane in [rounded] if wide is None else [fractions(wide), rounded]:
        values = product(rows, plane)
        if all(s * value > 0 for s, value in zip(signs.tolist(), values, strict=True)):
            return plane
    return inner


def _share(first: Fraction, second: Fraction) -> float:
    """The part of the gap between the classes that belongs to the first."""
    whole = first + second
    share = float(first / whole) if whole else 0.5
    return min(max(share, _LEAST_SHARE), 1 - _LEAST_SHARE)


def _merged(
    points: NDArray[Any], member: NDArray[np.intp], weights: list[Fraction]
) -> tuple[NDArray[Any], Costs]:
    """Distinct points of positive weight, in an order of their own; costs of - and + at each."""
    used = np.array([weight > 0 for weight in weights])
    distinct, place = _distinct(points[used])
    costs = [[Fraction(0), Fraction(0)] for _ in distinct]
    kept = [weight for weight in weights if weight]
    for k, second, weight in zip(place.tolist(), member[used].tolist(), kept, strict=True):
        costs[k][1 - second] += weight
    return distinct, [(off, on) for off, on in costs]


def _distinct(points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Distinct rows, ascending, and which of them each row is."""
    if points.dtype == object:  # of which NumPy compares no rows
        rows = list(map(tuple, points.tolist()))
        number = {row: k for k, row in enumerate(sorted(set(rows)))}
        return np.array(list(number), object), np.array([number[row] for row in rows])
    # + 0 makes -0.0 the same as 0.0
    distinct, place = np.unique(points + 0, axis=0, return_inverse=True)
    return distinct, place.ravel()
