"""The hyperplane, or quadric, that separates two classes of points with the fewest errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.exact.numbers import ExactArray, as_objects, fractions, nearest_floats
from arrangements.exact.products import product
from arrangements.exact.scores import float_scores, positive_rows
from arrangements.feasibility.interior import Point
from arrangements.optimize.by_bounds import EveryBest
from arrangements.optimize.chamber_search import best_chamber
from arrangements.optimize.margins import squared_margin
from arrangements.optimize.optimum import Optimum

Costs = list[tuple[Fraction, Fraction]]
Floats = NDArray[np.float64]

# Boundaries of the least loss whose margins are compared.
_MOST_COMPARED = 10_000
# Neither class has less of the gap between them.
_LEAST_SHARE = 1e-3
# Inputs below this have products that float64 may lose.
_SMALL = 1e-250
# The offset counts this much less than the normal: the margin does not depend on it.
_FREE = 1e3
# Rows that enter the quadratic program together, and how often they may.
_ADDED, _ROUNDS = 32, 200
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Separation:
    """A boundary between two classes.

    Attributes
    ----------
    loss : Fraction
        The sum of the weights of its errors.
    gap : Fraction
        No boundary has a loss that is less by more than this.
    optimum : Optimum
        The sides of all distinct points that are not zero, with an exact boundary, and what was
        proved about them.
    plane : tuple of Fraction
        Coefficients of the features, and the constant if there is one: of largest margin if floats
        prove the sides, else that of the certificate.
    degree : {1, 2}
    constant : bool
        Whether there is one.
    """

    loss: Fraction
    gap: Fraction
    optimum: Optimum
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
            rough = with_products(nearest_floats(points))
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


class Task(NamedTuple):
    """What is to be separated: rows of features, and costs of both sides at each.

    Attributes
    ----------
    rows : (m, k) ndarray
        Features of distinct points of positive weight, and 1 if there is a constant, none zero.
    costs : (2, m) ndarray of Fraction
    fixed : Fraction
        The loss at the origin, whose side no boundary without a constant changes.
    """

    rows: ExactArray
    costs: NDArray[Any]
    fixed: Fraction


def read_task(
    points: NDArray[Any],
    second: NDArray[np.bool_],
    weights: list[Fraction],
    *,
    degree: int = 1,
    constant: bool = True,
    factors: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1)),
) -> Task | None:
    """Merge points and make features; None if all weights are zero. Arguments as of `separate`."""
    member = second.astype(np.intp)
    weights = [w * factors[k] for w, k in zip(weights, member.tolist(), strict=True)]
    distinct, costs = _merge_points(points, member, weights)
    if not len(distinct):
        return None
    rows = features(distinct, degree)
    if constant:
        rows = np.hstack([rows, np.ones((len(rows), 1), rows.dtype)])
    # without a constant nothing changes the score of the origin
    moving = (rows != 0).any(axis=1)
    fixed = sum((costs[i][0] for i in np.flatnonzero(~moving)), Fraction(0))
    return Task(rows[moving], np.array(costs, object)[moving].T, fixed)


def separate(
    points: NDArray[Any],
    second: NDArray[np.bool_],
    weights: list[Fraction],
    *,
    degree: int = 1,
    constant: bool = True,
    factors: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1)),
    widest: bool = False,
    **options: Any,
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
    widest : bool
        Of all best boundaries, one of the largest margin.
    options
        workers, time_limit, max_hours as in `best_chamber`.

    Examples
    --------
    >>> X, second = np.array([[0], [1], [2], [3]]), np.array([False, True, False, True])
    >>> separate(X, second, [Fraction(1)] * 4).loss
    Fraction(1, 1)
    """
    kind: dict[str, Any] = {"degree": degree, "constant": constant, "factors": factors}
    task = read_task(points, second, weights, **kind)
    if task is None:
        return None
    rows = task.rows
    limit = options.get("time_limit")
    deadline = None if limit is None else monotonic() + limit
    found = best_chamber(Arrangement(rows), task.costs, **options)
    gap = found.gap
    assert gap is not None  # of costs, a bound is always known
    if widest and not gap and len(rows):
        found = _widest(found, rows[:, :-1] if constant else rows, constant, deadline)
    plane = widest_plane(rows, found.signs, found.point, constant, _share(*factors))
    return Separation(found.value + task.fixed, gap, found, plane, degree, constant)


def _widest(found: Optimum, points: ExactArray, constant: bool, deadline: float | None) -> Optimum:
    """The chamber of largest margin of all with this value; of equal ones the first, - before +.

    If the time is up before all are known, the one found.
    """
    arrangement = found.certificate.arrangement
    search = EveryBest(arrangement, *found._least, _MOST_COMPARED)
    search.run(inf, deadline)
    if search.interrupted:
        raise KeyboardInterrupt
    if not search.finished:
        return found
    best, most = found.signs, Fraction(-1)
    for signs in sorted(search.found, key=lambda signs: signs.tolist()):
        square = squared_margin(points, signs, constant, most)
        if square is None:
            best = signs
            break
        if square > most:
            best, most = signs, square
    return replace(found, signs=best, certificate=feasible(arrangement, best))


def features(points: ExactArray, degree: int) -> ExactArray:
    """Exact features of exact points: columns, and for degree 2 the products of any two."""
    return points if degree == 1 else with_products(as_objects(points))


def with_products(points: NDArray[Any]) -> NDArray[Any]:
    """Columns, and then the products of any two of them."""
    first, second = np.triu_indices(points.shape[1])
    return np.hstack([points, points[:, first] * points[:, second]])


def widest_plane(
    rows: ExactArray, signs: NDArray[np.int8], inner: Point, constant: bool, share: float
) -> Point:
    """The boundary of largest margin if its floats have these signs, else a point inside."""
    wide = max_margin_plane(rows[:, :-1] if constant else rows, signs, constant, share)
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


def _merge_points(
    points: NDArray[Any], member: NDArray[np.intp], weights: list[Fraction]
) -> tuple[NDArray[Any], Costs]:
    """Distinct points of positive weight, in an order of their own; costs of - and + at each."""
    used = np.array([weight > 0 for weight in weights])
    distinct, place = distinct_points(points[used])
    costs = [[Fraction(0), Fraction(0)] for _ in distinct]
    kept = [weight for weight in weights if weight]
    for k, second, weight in zip(place.tolist(), member[used].tolist(), kept, strict=True):
        costs[k][1 - second] += weight
    return distinct, [(off, on) for off, on in costs]


def distinct_points(points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Distinct rows, ascending, and which of them each row is."""
    if points.dtype == object:  # of which NumPy compares no rows
        rows = list(map(tuple, points.tolist()))
        number = {row: k for k, row in enumerate(sorted(set(rows)))}
        return np.array(list(number), object), np.array([number[row] for row in rows])
    # + 0 makes -0.0 the same as 0.0
    distinct, place = np.unique(points + 0, axis=0, return_inverse=True)
    return distinct, place.ravel()


# ------------------------------------------------------------------ largest margin, in floats


def max_margin_plane(
    points: ExactArray, signs: NDArray[np.int8], offset: bool, share: float = 0.5
) -> Floats | None:
    """Normal, and offset if there is one, of largest margin; None if floats find none.

    What is found need not have the signs: who asks proves it.

    Parameters
    ----------
    points : (n, d) ndarray
        Exact numbers.
    signs : (n,) ndarray of int8
    offset : bool
        Whether the hyperplane may miss the origin.
    share : float
        Of the gap between both sides, what belongs to side -; the margin is largest with a half.

    Returns
    -------
    (d,) or (d + 1,) ndarray, or None
        The scores of the nearest points of both sides differ by 2.

    Examples
    --------
    >>> points = np.array([[0.0, 0], [2, 0], [3, 5]])
    >>> (max_margin_plane(points, np.array([-1, 1, 1]), True).round(6) + 0).tolist()
    [1.0, 0.0, -1.0]
    """
    side = signs.astype(np.float64)
    if not len(side):
        return None
    if offset and abs(side.sum()) == len(side):
        return np.append(np.zeros(points.shape[1]), side[0])
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            floats = nearest_floats(points)
        except OverflowError:
            return None
        center = (floats.max(axis=0) + floats.min(axis=0)) / 2 if offset else 0 * floats[0]
        size = np.abs(floats - center).max()
    if not 0 < size < np.inf:
        return None
    scaled = (floats - center) / size
    rows = np.column_stack([scaled, np.full(len(scaled), _FREE)]) if offset else scaled
    found = _shortest(side[:, None] * rows)
    if found is None:
        return None
    normal = found[: scaled.shape[1]]
    normal = np.where(np.abs(normal) < _TOLERANCE * np.abs(normal).max(), 0.0, normal)
    scores = scaled @ normal
    low = scores[side > 0].min(initial=np.inf)
    high = scores[side < 0].max(initial=-np.inf)
    with np.errstate(all="ignore"):  # of points too near each other, no float has the normal
        if not offset:
            plane = normal / size / min(low, -high)
        else:
            constant = -2 * (high + share * (low - high)) / (low - high)
            normal = 2 * normal / (low - high) / size
            plane = np.append(normal, constant - normal @ center)
    return plane if np.isfinite(plane).all() else None


def _shortest(rows: Floats) -> Floats | None:
    """The shortest z with ``rows @ z >= 1``; rows enter the program when they are violated."""
    z = rows.mean(axis=0)
    used: set[int] = set()
    for _ in range(_ROUNDS):
        values = rows @ z
        worst = np.argsort(values)[:_ADDED]
        missing = set(worst[values[worst] < 1 - _TOLERANCE].tolist()) - used
        if used and not missing:
            return np.asarray(z)
        used |= missing or set(worst.tolist())
        found = _by_least_squares(rows[sorted(used)])
        if found is None:
            return None
        z = found
    return None


def _by_least_squares(rows: Floats) -> Floats | None:
    """The same for few rows: least distance programming (Lawson and Hanson, chapter 23)."""
    lifted = np.vstack([rows.T, np.ones(len(rows))])
    target = np.append(np.zeros(rows.shape[1]), 1.0)
    try:
        weights, _ = nnls(lifted, target)
    except RuntimeError:  # it does not converge
        return None
    rest = lifted @ weights - target
    return -rest[:-1] / rest[-1] if rest[-1] < 0 else None
