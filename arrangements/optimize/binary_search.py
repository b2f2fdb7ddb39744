"""Branch and bound on a quadratic form of low rank over vectors of signs.

A node has a range for each column sum ``z_k`` of the program, and some signs that are known. For
any slopes a, no vector of the node has a value above

    sum of max(w_k z**2 - a_k z for z in the range of z_k) + max of (linear + rows @ a) @ s,

whose last term is a sum of absolute values. The slopes descend to a small bound; a sign whose
other value has a bound that is no better than the best vector known is known from then on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import floor
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.optimize.binary_programs import BinaryProgram, FloatProgram, Floats

# Nodes that are bounded together.
_NODES = 256
# Steps of the slopes of a node, before signs are known by its bound and afterwards.
_STEPS = (12, 6)
# A range is divided if it may account for this part of the gap, else a sign is chosen.
_SHARE = 0.05
# Of this many signs or fewer, one is chosen in any case.
_FEW = 8
# Neither part of a range has less of it than this.
_LEAST_PART = 0.2
# Starts of the local search, and the vectors that it sees at most on its way, for each sign.
_STARTS, _MOVES = 12, 3

Signs = NDArray[np.int8]


class Nodes(NamedTuple):
    """Nodes that wait.

    Attributes
    ----------
    low, high : (m, K) ndarray of float64
        The ranges.
    signs : (m, n) ndarray of int8
        0 where it is not known.
    slopes : (m, K) ndarray of float64
    bounds : (m,) ndarray of float64
        Of the node or of one that contains it.
    names : (m,) ndarray of int64
        Their numbers.
    """

    low: Floats
    high: Floats
    signs: Signs
    slopes: Floats
    bounds: Floats
    names: NDArray[np.int64]

    def take(self, which: Any) -> Nodes:
        """Some of them."""
        return Nodes(*(array[which] for array in self))


@dataclass
class Branch:
    """What was done at a node, for a proof.

    Attributes
    ----------
    slopes : list of (K,) ndarray
        Whose bounds were used, one after the other.
    column, sign : int or None
        Whose range, or which sign, was divided.
    at : float
        Where the range was.
    first : int
        Number of the node of lesser z, or of sign -; the other one follows.
    """

    slopes: list[Floats] = field(default_factory=list)
    column: int | None = None
    sign: int | None = None
    at: float = 0.0
    first: int = -1


class BinarySearch:
    """A search for the vector of signs of largest value, which can be asked how far it is.

    Parameters
    ----------
    program : BinaryProgram
    record : bool
        Keep what was done at each node.

    Attributes
    ----------
    best : int or None
        Largest value found so far, of `signs`.
    bound : int or None
        No vector has a larger value; None if no vector counts.
    finished, interrupted : bool
    nodes : int
    branches : dict of Branch, or None

    Examples
    --------
    >>> program = BinaryProgram(((2,), (3,), (4,)), (-1,), (0,), (0, 0, 0), ((None, None),))
    >>> search = BinarySearch(program)
    >>> search.run()
    >>> search.best, search.bound, search.signs.tolist()
    (-1, -1, [1, 1, -1])
    """

    def __init__(self, program: BinaryProgram, record: bool = False) -> None:
        self.program, self._floats = program, program.floats
        self.best: int | None = None
        self.signs = np.ones(len(program.rows), np.int8)
        self.bound: int | None = None
        self.finished = self.interrupted = False
        self.nodes = 0
        self.branches: dict[int, Branch] | None = {} if record else None
        self._enough, self._names = -np.inf, 1
        norms = (self._floats.rows**2).sum(axis=0)
        self._scales = 1 / np.where(norms > 0, norms, 1)
        for signs in good_vectors(self._floats):
            self._offer(signs)
        self._waiting = [_root(program)]

    def run(self, deadline: float | None = None) -> None:
        """Go on until it is finished, or the clock says `deadline`. Ctrl-C ends it, too."""
        try:
            while self._waiting and not (
                self.nodes and deadline is not None and monotonic() > deadline
            ):
                self._extend()
        except KeyboardInterrupt:
            self.interrupted = True
        bounds = [float(nodes.bounds.max()) for nodes in self._waiting]
        left = max([bound for bound in bounds if bound >= self._enough], default=None)
        self.finished, self.bound = left is None, self.best
        if left is not None:
            unit = self._floats.unit
            above = floor(Fraction(left) * unit) if left < np.inf else self.program.most
            self.bound = above if self.best is None else max(above, self.best)

    def _extend(self) -> None:
        """Replace nodes that wait by their children."""
        waiting = self._waiting.copy()
        nodes = waiting.pop()
        while waiting and len(nodes.bounds) + len(waiting[-1].bounds) <= _NODES:
            nodes = join(waiting.pop(), nodes)
        nodes = nodes.take(nodes.bounds >= self._enough)
        if len(nodes.bounds) > _NODES:
            waiting.append(nodes.take(slice(None, -_NODES)))
            nodes = nodes.take(slice(-_NODES, None))
        if len(nodes.bounds):
            children = self._children(nodes)
            self.nodes += len(nodes.bounds)
            if len(children.bounds):
                waiting.append(children)
        self._waiting = waiting  # only now: an interruption loses no bound

    def _children(self, nodes: Nodes) -> Nodes:
        """What is left to see of some nodes, those of the largest bounds last."""
        self._record(nodes)
        middle = gradients = np.zeros(0)
        for steps in _STEPS:
            nodes = tighten(self.program, nodes)
            nodes, gradients, middle = self._descend(nodes, steps)
            self._record(nodes, bounded=True)
            # any vector of another sign is no better than the best one
            others = nodes.bounds[:, None] - 2 * np.abs(gradients)
            known = np.where(others < self._enough, np.where(gradients >= 0, 1, -1), 0)
            signs = np.where(nodes.signs, nodes.signs, known).astype(np.int8)
            keep = nodes.bounds >= self._enough
            nodes = nodes._replace(signs=signs).take(keep)
            gradients, middle = gradients[keep], middle[keep]
        free = (nodes.signs == 0).any(axis=1)
        for signs in nodes.signs[~free]:
            self._offer(signs)
        if not free.any():
            return nodes.take(free)
        children = self._divide(nodes.take(free), gradients[free], middle[free])
        return children.take(np.argsort(children.bounds, kind="stable"))

    @np.errstate(over="ignore", invalid="ignore")  # such slopes have no bounds, and are not kept
    def _descend(self, nodes: Nodes, steps: int) -> tuple[Nodes, Floats, Floats]:
        """The nodes with the least bound on the way, gradients there, and mean sums."""
        P, slopes = self._floats, nodes.slopes
        kept = [np.full(len(slopes), np.inf), slopes.copy(), np.zeros(nodes.signs.shape)]
        mean = np.zeros(slopes.shape)
        errors = partial(P.errors, sums=np.maximum(np.abs(nodes.low), np.abs(nodes.high)))
        for _ in range(steps):
            gradients = P.linear + slopes @ P.rows.T
            signs = np.where(nodes.signs, nodes.signs, np.where(gradients >= 0, 1, -1))
            places, terms = largest_terms(P.weights, nodes, slopes)
            bounds = terms + slopes @ P.shifts + (signs * gradients).sum(axis=1)
            bounds += errors(slopes)
            better = bounds < kept[0]
            for array, new in zip(kept, (bounds, slopes, gradients), strict=True):
                array[better] = new[better]
            sums = signs @ P.rows + P.shifts
            self._try(signs, sums)
            mean += sums / steps
            # Polyak's step to the value that would be enough
            away, excess = sums - places, np.maximum(bounds - self._aim, 0)
            lengths = (away * away * self._scales).sum(axis=1)
            factors = np.divide(excess, lengths, out=np.zeros_like(excess), where=lengths > 0)
            slopes = slopes - factors[:, None] * away * self._scales
        return nodes._replace(bounds=kept[0], slopes=kept[1]), kept[2], mean

    @property
    def _aim(self) -> float:
        """A bound that is small enough, as far as known."""
        return max(self._enough, self._floats.least)

    def _try(self, signs: NDArray[Any], sums: Floats) -> None:
        """Take the best of some vectors that seem to count, if it seems to be better."""
        P = self._floats
        inside = ((sums >= P.low - P.margins) & (sums <= P.high + P.margins)).all(axis=1)
        values = np.where(inside, sums * sums @ P.weights + signs @ P.linear, -np.inf)
        if len(values) and values.max() > self._enough:
            self._offer(signs[int(values.argmax())])

    def _offer(self, signs: NDArray[Any]) -> None:
        """Take a vector if it counts and is better than the best one."""
        value = self.program.value([int(s) for s in signs])
        if value is not None and (self.best is None or value > self.best):
            self.best, self.signs = value, np.asarray(signs).astype(np.int8)
            self._enough = self._floats.below(value + self.program.step)

    def _divide(self, nodes: Nodes, gradients: Floats, middle: Floats) -> Nodes:
        """Halves of each node: of a range if that may explain the gap, else by a sign."""
        P, numbers = self._floats, np.arange(len(nodes.bounds))
        middle = np.clip(middle, nodes.low, nodes.high)
        lost = P.weights * (nodes.high - middle) * (middle - nodes.low)
        column = lost.argmax(axis=1)
        gap = nodes.bounds - self._aim
        rounding = 4 * P.errors(nodes.slopes, np.maximum(np.abs(nodes.low), np.abs(nodes.high)))
        by_range = lost[numbers, column] > np.maximum(_SHARE * gap, rounding)
        by_range &= (nodes.signs == 0).sum(axis=1) > _FEW
        sign = np.where(nodes.signs == 0, np.abs(gradients), np.inf).argmin(axis=1)
        width = _LEAST_PART * (nodes.high - nodes.low)
        at = np.clip(middle, nodes.low + width, nodes.high - width)[numbers, column]
        names = self._names + 2 * numbers
        self._names += 2 * len(numbers)
        halves = []
        for side in (0, 1):
            low, high, signs = nodes.low.copy(), nodes.high.copy(), nodes.signs.copy()
            (low if side else high)[numbers[by_range], column[by_range]] = at[by_range]
            signs[numbers[~by_range], sign[~by_range]] = 2 * side - 1
            half = nodes._replace(low=low, high=high, signs=signs, names=names + side)
            halves.append(half)
        self._record_division(nodes, by_range, column, sign, at, names)
        return join(*halves)

    def _record(self, nodes: Nodes, bounded: bool = False) -> None:
        """Note that the nodes are seen, or the slopes of their bounds."""
        if self.branches is None:
            return
        for name, slopes in zip(nodes.names.tolist(), nodes.slopes, strict=True):
            branch = self.branches.setdefault(name, Branch())
            if bounded:
                branch.slopes.append(slopes)

    def _record_division(self, nodes: Nodes, by_range: Any, *arrays: Any) -> None:
        if self.branches is None:
            return
        rows = zip(nodes.names, by_range, *arrays, strict=True)
        for name, ranged, column, sign, at, first in rows:
            branch = self.branches[int(name)]
            branch.column, branch.sign = (int(column), None) if ranged else (None, int(sign))
            branch.at, branch.first = float(at), int(first)


def _root(program: BinaryProgram) -> Nodes:
    """The node of all vectors, or, if s and -s are alike, of one of each such pair."""
    P = program.floats
    signs = np.zeros((1, len(P.rows)), np.int8)
    if program.is_even and len(P.rows):
        signs[0, first_sign(program)] = 1
    low = np.maximum(P.low, -P.sizes - P.margins)[None]
    high = np.minimum(P.high, P.sizes + P.margins)[None]
    slopes = np.where(P.weights > 0, P.weights * (low + high), 0.0)
    return Nodes(low, high, signs, slopes, np.array([np.inf]), np.zeros(1, np.int64))


def first_sign(program: BinaryProgram) -> int:
    """The row whose sign may be chosen if s and -s are alike: the first one of equal rows.

    Examples
    --------
    >>> rows = (1,), (2,), (2,)
    >>> first_sign(BinaryProgram(rows, (1,), (0,), (0, 0, 0), ((None, None),)))
    1
    """
    sizes = [sum(map(abs, row)) for row in program.rows]
    return sizes.index(max(sizes))


def join(*parts: Nodes) -> Nodes:
    """All nodes of the parts."""
    return Nodes(*map(np.concatenate, zip(*parts, strict=True)))


def largest_terms(weights: Floats, nodes: Nodes, slopes: Floats) -> tuple[Floats, Floats]:
    """Where ``w z**2 - a z`` is largest in each range, and the sums of these numbers."""
    inner = slopes / np.where(weights < 0, 2 * weights, 1)
    inner = np.clip(inner, nodes.low, nodes.high)
    low, high = ((weights * z - slopes) * z for z in (nodes.low, nodes.high))
    places = np.where(weights < 0, inner, np.where(low > high, nodes.low, nodes.high))
    return places, np.asarray(((weights * places - slopes) * places).sum(axis=1))


def tighten(program: BinaryProgram, nodes: Nodes) -> Nodes:
    """The nodes with ranges that the known signs leave, and signs that the ranges prove.

    Nodes without a vector are left out.
    """
    P, signs, low, high = program.floats, nodes.signs.copy(), nodes.low, nodes.high
    rows, sizes = P.rows, np.abs(P.rows)
    keep = order_equal(program.equal_rows, signs)
    for _ in range(2):
        known, free = signs @ rows + P.shifts, (signs == 0) @ sizes
        low = np.maximum(low, known - free - P.margins)
        high = np.minimum(high, known + free + P.margins)
        for k in np.flatnonzero(P.weights == 0):
            spare = known[:, k] + free[:, k] + P.margins[k] - low[:, k]
            forced = np.where(2 * sizes[:, k] > spare[:, None], np.sign(rows[:, k]), 0)
            spare = high[:, k] - known[:, k] + free[:, k] + P.margins[k]
            forced -= np.where(2 * sizes[:, k] > spare[:, None], np.sign(rows[:, k]), 0)
            signs = np.where(signs, signs, forced).astype(np.int8)
    keep &= (low <= high).all(axis=1)
    return nodes._replace(low=low, high=high, signs=signs).take(keep)


def order_equal(groups: list[list[int]], signs: Signs) -> NDArray[np.bool_]:
    """Make signs + come first among equal rows, in place; for which nodes that is possible."""
    possible = np.ones(len(signs), np.bool_)
    for group in groups:
        part = signs[:, group]
        plus = np.logical_or.accumulate(part[:, ::-1] > 0, axis=1)[:, ::-1]
        minus = np.logical_or.accumulate(part < 0, axis=1)
        possible &= ~(plus & minus).any(axis=1)
        signs[:, group] = np.where(plus, 1, np.where(minus, -1, 0))
    return possible


# ------------------------------------------------------------------ good vectors, quickly


def good_vectors(P: FloatProgram) -> list[NDArray[np.int64]]:
    """Vectors that no change of one or two signs makes better, from random starts."""
    n = len(P.rows)
    if not n:
        return [np.zeros(0, np.int64)]
    rng, found = np.random.default_rng(0), []
    i, j = np.triu_indices(n, 1)
    flips = [np.arange(n)[:, None], np.column_stack([i, j])]
    for _ in range(_STARTS):
        signs = rng.choice([-1, 1], n)
        for _ in range(_MOVES * n):
            chosen = _better_flip(P, signs, flips)
            if chosen is None:
                break
            signs[chosen] *= -1
        found.append(signs)
    return found


def _better_flip(P: FloatProgram, signs: NDArray[np.int64], flips: Any) -> list[int] | None:
    """The rows whose signs, changed together, make a vector best, if any makes it better."""
    for rows in flips:
        changes = -2 * (signs[:, None] * P.rows)[rows].sum(axis=1)
        ends = -2 * (signs * P.linear)[rows].sum(axis=1)
        sums = signs @ P.rows + P.shifts
        merits = _merits(P, sums + changes) + ends
        best = int(merits.argmax()) if len(rows) else 0
        if len(rows) and merits[best] > _merits(P, sums[None])[0] + 1e-9 * abs(P.least):
            chosen: list[int] = rows[best].tolist()
            return chosen
    return None


def _merits(P: FloatProgram, sums: Floats) -> Floats:
    """Values without linear terms; less, by far, the farther conditions are from holding."""
    outside = np.maximum(P.low - sums, 0) + np.maximum(sums - P.high, 0)
    return np.asarray(sums * sums @ P.weights + 8 * P.least * outside.sum(axis=1))
