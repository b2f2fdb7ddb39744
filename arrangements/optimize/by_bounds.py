"""The best chamber by branch and bound on the tree of incremental insertion.

A node is a chamber of the first k rows. What its signs cost so far, and the least that the other
rows can cost whatever their signs, is a lower bound for all chambers within it; a node whose bound
is no better than the best chamber known is dropped. So only the chambers of each prefix that are
better than the best chamber of all are ever seen, which are few where the optimum is small.
"""

from __future__ import annotations

import heapq
from itertools import count
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.feasibility.certificates import Certificate
from arrangements.feasibility.cone_system import HomogeneousRows, distinct_rows, homogeneous_rows
from arrangements.feasibility.one_sign_vector import feasible
from arrangements.kernels.cone.incremental import Nodes
from arrangements.optimize.costs import Costs
from arrangements.optimize.line_search import proposals
from arrangements.optimize.sharpening import around, constant_signs
from arrangements.search.incremental import Level, Statistics, root, select

# Nodes that are extended together, and their points that are tried as better chambers.
_NODES, _TRIED = 512, 16
# Levels at which bounds are sharpened.
_SHARPENED = 40
# Seconds that a node takes for each row before it and coordinate, and to sharpen its bound, about.
_NODE_SECONDS, _SHARPENING_SECONDS = 4e-9, 2e-4


class Bounding:
    """A search for the chamber of least value, which can be asked at any time how far it is.

    Parameters
    ----------
    arrangement : Arrangement
    costs : Costs
        To be made least.

    Attributes
    ----------
    best : int
        Least sum of gains found so far.
    certificate : Certificate
        Of a chamber that has it.
    bound : int
        No chamber has a lesser sum.
    seconds : float
        Nominal time so far.
    finished : bool
    interrupted : bool
        By Ctrl-C.
    """

    def __init__(self, arrangement: Arrangement, costs: Costs) -> None:
        self.arrangement, self.costs = arrangement, costs
        self.seconds, self.finished, self.interrupted = 0.0, False, False
        self._gains = np.array(costs.gains, object)
        self.best, self.certificate = self._start()
        self._prepare()

    @np.errstate(all="ignore")  # points in floats are proposals, and bounds allow for overflow
    def _start(self) -> tuple[int, Certificate]:
        """The best chamber that is easily found."""
        best: tuple[int, Certificate] | None = None
        for signs in proposals(self.arrangement, self.costs):
            value = self.costs.of_bits(signs > 0)
            if (best is None or value < best[0]) and (
                certificate := feasible(self.arrangement, signs)
            ):
                best = value, certificate
        assert best is not None  # the last proposal is a chamber
        return best

    def _prepare(self) -> None:
        """Merge equal and opposite rows, and order them."""
        rows, affine = homogeneous_rows(self.arrangement)
        lead = [rows.pop(0)] if affine else []
        distinct, member, orientation = distinct_rows(lead + rows)
        member, orientation = member[len(lead) :], orientation[len(lead) :]
        gains = np.zeros(len(distinct), object)
        np.add.at(gains, member, self._gains * orientation)
        # a row that is opposite to the one that stands for it is + where that is -
        self._constant = sum(g for g, o in zip(self._gains, orientation, strict=True) if o < 0)
        # in a random order any few first rows are much like all, so that costs add up
        later = np.random.default_rng(0).permutation(len(distinct) - len(lead))
        order = np.concatenate([np.arange(len(lead)), len(lead) + later])
        self._system = HomogeneousRows([distinct[i] for i in order])
        self._lead = len(lead)
        gains = gains[order]
        self._constant += int(gains[: len(lead)].sum())
        gains[: len(lead)] = 0
        self._member, self._orientation = np.argsort(order)[member], orientation
        self._least = np.concatenate([np.minimum(gains, 0)[::-1].cumsum()[::-1], [0]])
        # a value, the constant and the least of the others are sums of this size
        fits = sum(map(abs, self.costs.gains)) < 2**60
        self._ordered = gains.astype(np.int64) if fits else gains
        n, d = len(order), self._system.dimension
        self._sharpened = {
            int(k) for k in np.geomspace(2 * d, max(n, 2 * d), _SHARPENED) if d < k < n
        }
        self._level = Level(self._system, self._lead, _NODES, Statistics())
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
        except KeyboardInterrupt:
            self.interrupted = True
        left = [bound for _, bound, *_ in self._waiting if bound < self.best]
        self.finished = not left
        self.bound = min([*left, self.best])

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
                if keep.any():
                    self._improve(children.signs[int(np.argmin(bounds))])
            else:
                self._try(children, bounds)
                order = np.flatnonzero(keep)
                order = order[np.argsort(bounds[order], kind="stable")]  # exact: no floats
                for first in range(0, len(order), _NODES // 2):
                    chosen = order[first : first + _NODES // 2]
                    chosen_nodes = select(children, chosen, copy=True)
                    lowest = int(bounds[chosen[0]])
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
            rows = around(floats[:, :k], nodes.signs[i, :k], nodes.points[i])
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

    def _try(self, nodes: Nodes, bounds: NDArray[Any]) -> None:
        """See whether the points of the most promising nodes lie in better chambers."""
        promising = np.argsort(bounds, kind="stable")[:_TRIED]
        values = nodes.points[promising] @ self._system.floats
        signs = np.where(values > 0, 1, -1).astype(np.int8)
        if self._lead:
            signs = signs[values[:, 0] > 0]
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
        if value < self.best and (certificate := feasible(self.arrangement, signs)):
            self.best, self.certificate = value, certificate
