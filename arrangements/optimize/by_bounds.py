"""The best chamber by branch and bound on the tree of incremental insertion.

A node is a chamber of the first k rows. What its signs cost so far, and the least that the other
rows can cost whatever their signs, is a lower bound for all chambers within it; a node whose bound
is no better than the best chamber known is dropped. So only the chambers of each prefix that are
better than the best chamber of all are ever seen, which are few where the optimum is small.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import count
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.errors import TooLargeError
from arrangements.feasibility.cone_system import HomogeneousRows, distinct_rows, homogeneous_rows
from arrangements.feasibility.interior import rows_for_kernels
from arrangements.kernels.cone.incremental import Nodes
from arrangements.optimize.objectives import Costs, outside_is_worst
from arrangements.search.incremental import Level, Statistics, root, select

# Nodes that are extended together, and their points that are tried as better chambers.
_NODES, _TRIED = 512, 16
# Levels at which bounds are sharpened.
_SHARPENED = 40
# Seconds that a node takes for each row before it and coordinate, and to sharpen its bound, about.
_NODE_SECONDS, _SHARPENING_SECONDS = 4e-9, 2e-4
# Starts of the line search; for each coordinate, the lines without gain before it gives up a start,
# and the most lines.
_STARTS, _PATIENCE, _LINES = 6, 6, 60
# Rows near a point among which those around it are looked for, for each dimension.
_NEAR = 8
_ROUNDING = 2.0**-53
# Added to the sizes of entries, and to bounds: far above all that underflow loses.
_TINY = 2.0**-1000
# Bound of the random coordinates of a chamber, which fit in int64.
_WIDEST = 2**62
# Seconds between entries of a history, if nothing better is found.
_NOTED = 0.02

Floats = NDArray[np.float64]


class Bounding:
    """A search for the chamber of least value, which can be asked at any time how far it is.

    Parameters
    ----------
    arrangement : Arrangement
    costs : Costs
        To be made least; of the rows from `lead` on.
    lead : int
        Only chambers count that are + at this many first rows, of which there are some.

    Attributes
    ----------
    best : int
        Least sum of gains found so far.
    certificate : Certificate
        Of a chamber that has it, with the signs of all rows.
    bound : int
        No chamber has a lesser sum.
    seconds : float
        Nominal time so far.
    finished : bool
    interrupted : bool
        By Ctrl-C.
    history : list of (float, int, int)
        Seconds by the clock, the best value and the bound at that time.
    """

    def __init__(self, arrangement: Arrangement, costs: Costs, lead: int = 0) -> None:
        self._began = monotonic()
        self.history: list[tuple[float, int, int]] = []
        self.arrangement, self.costs, self._lead = arrangement, costs, lead
        self.seconds, self.finished, self.interrupted = 0.0, False, False
        self._gains = np.array(costs.gains, object)
        self.best, self.certificate = self._start()
        self._prepare()

    @np.errstate(all="ignore")  # points in floats are proposals, and bounds allow for overflow
    def _start(self) -> tuple[int, Certificate]:
        """The best chamber that is easily found."""
        best: tuple[int, Certificate] | None = None
        lead = self._lead
        for signs in proposals(self.arrangement, self.costs, lead):
            value = self.costs.of_bits(signs[lead:] > 0)
            if (
                (signs[:lead] > 0).all()
                and (best is None or value < best[0])
                and (certificate := feasible(self.arrangement, signs))
            ):
                best = value, certificate
        assert best is not None  # the last proposal is a chamber
        return best

    def _prepare(self) -> None:
        """Merge equal and opposite rows, and order them."""
        rows, affine = homogeneous_rows(self.arrangement)
        self._forced = affine + self._lead
        lead, rows = rows[: self._forced], rows[self._forced :]
        distinct, member, orientation = distinct_rows(rows)
        gains = np.zeros(len(distinct), object)
        np.add.at(gains, member, self._gains * orientation)
        # a row that is opposite to the one that stands for it is + where that is -
        self._constant = sum(g for g, o in zip(self._gains, orientation, strict=True) if o < 0)
        # in a random order any few first rows are much like all, so that costs add up
        order = np.random.default_rng(0).permutation(len(distinct))
        self._system = HomogeneousRows(lead + [distinct[i] for i in order])
        gains = np.concatenate([np.zeros(len(lead), object), gains[order]])
        self._member = len(lead) + np.argsort(order)[member]
        self._orientation = orientation
        self._least = np.concatenate([np.minimum(gains, 0)[::-1].cumsum()[::-1], [0]])
        # a value, the constant and the least of the others are sums of this size
        fits = sum(map(abs, self.costs.gains)) < 2**60
        self._ordered = gains.astype(np.int64) if fits else gains
        n, d = len(gains), self._system.dimension
        self._sharpened = {
            int(k) for k in np.geomspace(2 * d, max(n, 2 * d), _SHARPENED) if d < k < n
        }
        self._level = Level(self._system, self._forced, _NODES, Statistics())
        self._numbers = count()
        first = self._constant + int(self._least[0])
        self._waiting: list[tuple[int, int, int, int, Nodes]] = []
        self.bound = min(first, self.best)
        heapq.heappush(self._waiting, (0, first, next(self._numbers), 0, root(n, d)))

    def run(self, seconds: float, deadline: float | None = None) -> None:
        """Go on until the nominal time is spent, the clock says `deadline`, or it is finished.

        Ctrl-C ends it, too.
        """
        until = self.seconds + seconds
        try:
            while self._waiting and self.seconds < until:
                if deadline is not None and monotonic() > deadline:
                    break
                _, bound, _, k, nodes = self._waiting[0]
                self._extend(bound, k, nodes)
                self._note()
        except KeyboardInterrupt:
            self.interrupted = True
        self.bound = self._lowest()
        self.finished = self.bound == self.best

    def _lowest(self) -> int:
        """The least bound of what is left to see."""
        return min([*(bound for _, bound, *_ in self._waiting), self.best])

    def _note(self) -> None:
        """Remember how far the search is, unless that was just done."""
        seconds = monotonic() - self._began
        last = self.history[-1] if self.history else None
        if last is None or self.best < last[1] or seconds > last[0] + _NOTED:
            self.history.append((seconds, self.best, self._lowest()))

    @np.errstate(all="ignore")
    def _extend(self, bound: int, k: int, nodes: Nodes) -> None:
        """Replace the first of the nodes that wait by their children."""
        n, d = len(self._system.integers), self._system.dimension
        parts = []
        if bound < self.best:
            self.seconds += _NODE_SECONDS * len(nodes.signs) * (k + 1) * d
            children = self._level.extend(k, nodes)
            values = self._values(children.signs, k + 1)
            bounds = values + self._least[k + 1]
            keep = bounds < self.best
            if k + 1 in self._sharpened:
                self._sharpen(children, k + 1, bounds, keep)
            if k + 1 == n:
                self._take(children.signs[keep], bounds[keep])
            else:
                self._try(children, bounds)
                order = np.flatnonzero(keep)
                order = order[np.argsort(bounds[order], kind="stable")]  # exact: no floats
                for first in range(0, len(order), _NODES // 2):
                    chosen = order[first : first + _NODES // 2]
                    chosen_nodes = select(children, chosen, copy=True)
                    # what is known of parents holds for their children: the bound never falls
                    lowest = max(bound, int(bounds[chosen[0]]))
                    parts.append((-(k + 1), lowest, next(self._numbers), k + 1, chosen_nodes))
        left = self._waiting.copy()
        heapq.heappop(left)
        for part in parts:
            heapq.heappush(left, part)
        self._waiting = left  # only now: an interruption loses no bound

    def _sharpen(self, nodes: Nodes, k: int, bounds: NDArray[Any], keep: NDArray[np.bool_]) -> None:
        """Raise the bounds of nodes by the true costs of rows that are constant on them."""
        floats, chosen, bases = self._system.floats, [], []
        for i in np.flatnonzero(keep & nodes.good):
            rows = cone_around(floats[:, :k], nodes.signs[i, :k], nodes.points[i])
            if rows is not None:
                chosen.append(i)
                bases.append((floats[:, rows] * nodes.signs[i, rows]).T)
        self.seconds += _SHARPENING_SECONDS * len(bases)
        if not chosen:
            return
        later = self._ordered[k:]
        signs = constant_signs(floats[:, k:], np.array(bases))
        known = np.where(signs > 0, later, 0) - np.where(signs, np.minimum(later, 0), 0)
        bounds[chosen] += known.sum(axis=1)
        keep[chosen] = bounds[chosen] < self.best

    def _values(self, signs: NDArray[np.int8], k: int) -> NDArray[Any]:
        """What the first k rows of some nodes cost."""
        on = signs[:, :k] > 0
        if self._ordered.dtype == object:
            return np.array([sum(self._ordered[:k][row]) for row in on], object) + self._constant
        return on @ self._ordered[:k] + self._constant

    def _take(self, chambers: NDArray[np.int8], values: NDArray[Any]) -> None:
        """Take the best of the chambers of all rows that are better than the best one known."""
        if len(chambers):
            self._improve(chambers[int(np.argmin(values))])

    def _try(self, nodes: Nodes, bounds: NDArray[Any]) -> None:
        """See whether the points of the most promising nodes lie in better chambers."""
        promising = np.argsort(bounds, kind="stable")[:_TRIED]
        values = nodes.points[promising] @ self._system.floats
        signs = np.where(values > 0, 1, -1).astype(np.int8)
        signs = signs[(values[:, : self._forced] > 0).all(axis=1)]
        if not len(signs):
            return
        costs = self._values(signs, signs.shape[1])
        at = int(np.argmin(costs))
        if costs[at] < self.best:
            self._improve(signs[at])

    def _improve(self, ordered: NDArray[np.int8]) -> None:
        """Take a chamber, given by signs in the order of the tree, if it is one and better."""
        signs = ordered[self._member] * self._orientation
        value = self.costs.of_bits(signs > 0)
        signs = np.concatenate([np.ones(self._lead, np.int8), signs])
        if value < self.best and (certificate := feasible(self.arrangement, signs)):
            self.best, self.certificate = value, certificate


class EveryBest(Bounding):
    """A search for all chambers of the least value, which is known.

    Attributes
    ----------
    found : list of (n,) ndarray of int8
        Without order.

    Examples
    --------
    >>> search = EveryBest(Arrangement([[1, 0], [0, 1]]), Costs.of([1, 0], 2), 0, 10)
    >>> search.run(float("inf"))
    >>> sorted(signs.tolist() for signs in search.found)
    [[-1, -1], [-1, 1]]
    """

    def __init__(self, arrangement: Arrangement, costs: Costs, least: int, most: int) -> None:
        self._least_known, self._most = least, most
        self.found: list[NDArray[np.int8]] = []
        super().__init__(arrangement, costs)

    def _start(self) -> tuple[int, Certificate]:
        # what has at least one more is no better than this
        return self._least_known + 1, feasible(self.arrangement, {})

    def _take(self, chambers: NDArray[np.int8], values: NDArray[Any]) -> None:
        self.found += [row[self._member] * self._orientation for row in chambers]
        if len(self.found) > self._most:
            raise TooLargeError(
                f"more than {self._most} chambers have the best value, too many to compare."
            )

    def _try(self, nodes: Nodes, bounds: NDArray[Any]) -> None:
        pass


# ------------------------------------------------------------------ good chambers, quickly


def proposals(arrangement: Arrangement, costs: Costs, lead: int = 0) -> Iterator[NDArray[np.int8]]:
    """Sign vectors of small value, probably chambers that are + at the first `lead` rows.

    The last is one. The costs are those of the other rows.
    """
    costs = outside_is_worst(costs, lead)
    system, affine = rows_for_kernels(arrangement)
    rows = system.floats.T
    rows = rows / np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    unit = 1 << max(map(abs, costs.gains), default=0).bit_length()  # gains may exceed all floats
    gains = np.array([g / unit for g in costs.gains])
    rng = np.random.default_rng(0)
    infinity, rows = (rows[0], rows[1:]) if affine else (None, rows)
    for start in range(_STARTS):
        point = _start(rows, gains, rng, start)
        if infinity is not None and infinity @ point <= 0:
            point = point + (1.0 - infinity @ point) * infinity
        values = rows @ _search_lines(rows, gains, point, infinity, rng)
        yield np.where(values > 0, 1, -1).astype(np.int8)
    yield np.array([1 if s else -1 for s in _some_chamber(arrangement, lead)], np.int8)


def _some_chamber(arrangement: Arrangement, lead: int) -> list[bool]:
    """Signs, + at the first `lead` rows, at a point that lies on no hyperplane."""
    n, d = arrangement.n_hyperplanes, arrangement.dimension
    rows, affine = arrangement.integer_rows, not arrangement.is_central
    inner: Sequence[Any] = [0] * d
    if lead:
        inner = feasible(arrangement, [1] * lead + [None] * (n - lead)).point or inner
    rng = np.random.default_rng(0)
    size = 4 * n + 4
    far = size**2
    while True:  # the farther along the inner point, the less its signs change
        away = rng.integers(-size, size, d).tolist()
        point = [far * x + y for x, y in zip(inner, away, strict=True)] + [1] * affine
        values = [sum(a * x for a, x in zip(row, point, strict=False)) for row in rows]
        if all(values) and all(value > 0 for value in values[:lead]):
            return [value > 0 for value in values]
        size, far = min(2 * size, _WIDEST), far**2


def _start(rows: Floats, gains: Floats, rng: np.random.Generator, start: int) -> Floats:
    """Where a search begins: where the wanted signs are nearly had on average, then anywhere."""
    if start == 0:
        wanted = -np.sign(gains)
        solution = np.asarray(np.linalg.lstsq(rows, wanted, rcond=None)[0], np.float64)
        if solution.any():
            return solution
    if start == 1:
        mean: Floats = -(gains @ rows)
        if mean.any():
            return mean
    return np.asarray(rng.standard_normal(rows.shape[1]))


def _search_lines(
    rows: Floats, gains: Floats, point: Floats, infinity: Floats | None, rng: np.random.Generator
) -> Floats:
    """The best point found on lines through the point and those that follow."""
    d, idle = rows.shape[1], 0
    if infinity is not None:
        infinity = infinity / np.linalg.norm(infinity)
    for _ in range(_LINES * d):
        if idle == _PATIENCE * d:
            break
        direction = np.asarray(rng.standard_normal(d))
        if infinity is not None:  # a line that stays on this side of the hyperplane at infinity
            direction -= (direction @ infinity) * infinity
        moved = _best_on_line(rows, gains, point, direction)
        if moved is None:
            idle += 1
        else:
            point, idle = moved, 0
    return point


def _best_on_line(rows: Floats, gains: Floats, point: Floats, direction: Floats) -> Floats | None:
    """The middle of the best interval of the line, if it is better than where the point lies."""
    at, slope = rows @ point, rows @ direction
    moving = slope != 0
    places = -at[moving] / slope[moving]
    order = np.argsort(places)
    places = places[order]
    changes = np.where(slope[moving][order] > 0, gains[moving][order], -gains[moving][order])
    now = gains[at > 0].sum()
    start = gains[moving & (slope < 0)].sum() + gains[~moving & (at > 0)].sum()
    values = start + np.concatenate([[0.0], changes.cumsum()])
    gaps = np.diff(places, prepend=-np.inf, append=np.inf)
    values[gaps <= 1e-12] = np.inf
    best = int(np.argmin(values))
    if not len(places) or values[best] >= now - 1e-9 * np.abs(gains).sum():
        return None
    if best == 0:
        step = places[0] - 1.0
    elif best == len(places):
        step = places[-1] + 1.0
    else:
        step = (places[best - 1] + places[best]) / 2
    moved = point + step * direction
    size = np.linalg.norm(moved)
    return moved / size if 0 < size < np.inf else None


# ------------------------------------------------------------------ rows of constant sign
# A chamber lies within the cone of any d of its rows that are independent. A row that is a
# combination of these d, signed, with weights >= 0 is positive all over that cone. The d rows are
# chosen around a point of the chamber, so that the cone is small; a bound of errors proves weights.


def cone_around(floats: Floats, signs: NDArray[np.int8], point: Floats) -> NDArray[np.intp] | None:
    """Rows of a chamber, as many as dimensions, whose signed cone contains the point.

    Parameters
    ----------
    floats : (D, k) ndarray
        Rows, as columns.
    signs : (k,) ndarray
    point : (D,) ndarray
        Of the chamber.

    Returns
    -------
    ndarray or None
        None if there are none, or they are not found.
    """
    signed = floats * signs
    distance = point @ signed
    if not (distance > 0).all():
        return None
    near = (
        np.argpartition(distance, most)[:most]
        if (most := _NEAR * len(point)) < len(distance)
        else np.arange(len(distance))
    )
    try:
        weights, _ = nnls(signed[:, near] / distance[near], point, maxiter=10 * len(near))
    except RuntimeError:  # too many iterations
        return None
    rows = near[np.flatnonzero(weights)]
    return rows if len(rows) == len(point) else None


def constant_signs(floats: Floats, bases: Floats) -> NDArray[np.int8]:
    """The sign that each row has all over each of some cones; 0 if it is not known to be constant.

    Parameters
    ----------
    floats : (D, N) ndarray
        Rows as columns, the largest entry of each at least 1; entries are rounded once, and those
        below 2**-1022 may have lost digits.
    bases : (M, D, D) ndarray
        Signed rows of each cone.

    Returns
    -------
    (M, N) ndarray of int8
    """
    d = len(floats)
    inverses = np.full_like(bases, np.nan)
    regular = np.abs(np.linalg.det(bases)) > 0
    inverses[regular] = np.linalg.inv(bases[regular])
    # B R = I - E for the exact B, so that its inverse is R + R E + R E E + ..
    error = np.abs(np.eye(d) - bases @ inverses)
    error += (d + 4) * _ROUNDING * ((np.abs(bases) + _TINY) @ np.abs(inverses)) + _TINY
    size = error.sum(axis=1).max(axis=1)
    with np.errstate(invalid="ignore"):
        # size / (1 - size) is at most 4 / 3 of it: twice leaves room for its own rounding
        share = np.where(size < 0.25, 2 * size, np.nan) + 2 * (d + 4) * _ROUNDING
        weights = floats.T @ inverses
        terms = (np.abs(floats.T) + _TINY) @ np.abs(inverses)
        bound = terms.max(axis=2) * share[:, None] + _TINY
        return np.where(
            weights.min(axis=2) > bound, 1, np.where(weights.max(axis=2) < -bound, -1, 0)
        ).astype(np.int8)
