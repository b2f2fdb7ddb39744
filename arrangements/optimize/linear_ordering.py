"""Orders of least cost, where each pair of labels costs what its order says: exact."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Labels whose subsets are listed: 18 take 40 MB and less than a second.
MOST_LISTED = 18
# Multipliers of triangles are rounded to multiples of 2**-_BITS, which keeps all of a float.
_BITS = 60
# Labels of which all triangles are looked at.
_MOST_RELAXED = 200
_TOLERANCE = 1e-6
_MOST_CUTS = 2000

# costs[i, j] is that of i before j: int64, or Python integers; zeros on the diagonal
CostMatrix = NDArray[Any]


def components(costs: CostMatrix, *, ties_join: bool) -> list[list[int]]:
    """Groups of labels in an order that best rankings keep, each to be ordered alone.

    They are the strongly connected components of the graph of cheaper orders of pairs. Every pair
    from two groups has an order that is not dearer.

    Parameters
    ----------
    costs : (n, n) ndarray of int
    ties_join : bool
        Join labels whose orders cost the same. Then *all* best rankings keep the groups in order,
        otherwise some do.

    Examples
    --------
    >>> components(np.array([[0, 1, 1], [2, 0, 5], [2, 5, 0]]), ties_join=False)
    [[0], [1], [2]]
    >>> components(np.array([[0, 1, 1], [2, 0, 5], [2, 5, 0]]), ties_join=True)
    [[0], [1, 2]]
    """
    reach = np.array((costs <= costs.T) if ties_join else (costs < costs.T), bool)
    np.fill_diagonal(reach, True)
    reach = _closure(reach)
    same = (reach & reach.T).argmax(axis=1).tolist()
    numbers = reach.sum(axis=1).tolist()
    groups: dict[tuple[int, int], list[int]] = {}
    for i, (first, number) in enumerate(zip(same, numbers, strict=True)):
        groups.setdefault((-number, first), []).append(i)
    return [groups[key] for key in sorted(groups)]


def _closure(relation: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The transitive closure of a relation."""
    while True:
        # in float32 a sum of nonnegative numbers is positive if one of them is
        table = relation.astype(np.float32)
        further = relation | (table @ table > 0)
        if (further == relation).all():
            return relation
        relation = further


class SubsetTable:
    """The least cost of the labels of each subset in the first places.

    Parameters
    ----------
    costs : (n, n) ndarray of int
        At most `MOST_LISTED` labels; all sums of entries fit in the dtype.

    Notes
    -----
    Held and Karp's recursion over the label in the last place; O(n 2**n) time and memory.

    Examples
    --------
    >>> table = SubsetTable(np.array([[0, 3, 1], [1, 0, 1], [2, 1, 0]]))
    >>> table.least, table.number(), list(table.orders())
    (3, 1, [[1, 0, 2]])
    """

    def __init__(self, costs: CostMatrix) -> None:
        n = len(costs)
        self._all = (1 << n) - 1
        # entry (j, S): the cost of all of S before j
        self._into = np.zeros((n, 1 << n), costs.dtype)
        for i in range(n):
            low = 1 << i
            self._into[:, low : 2 * low] = self._into[:, :low] + costs[i][:, None]
        self._table = np.full(1 << n, costs.sum() + 1, costs.dtype)
        self._table[0] = 0
        subsets = np.arange(1 << n)
        sizes = np.bitwise_count(subsets)
        for size in range(1, n + 1):
            layer = subsets[sizes == size]
            for j in range(n):
                rows = layer[layer >> j & 1 == 1]
                rest = rows ^ (1 << j)
                values = self._table[rest] + self._into[j, rest]
                self._table[rows] = np.minimum(self._table[rows], values)
        self._numbers: dict[int, int] = {0: 1}

    @property
    def least(self) -> int:
        """The least cost of an order."""
        return int(self._table[self._all])

    def _last(self, subset: int) -> list[int]:
        """Labels in the last place of a best order of the subset."""
        found, least = [], self._table[subset]
        for j in range(len(self._into)):
            rest = subset ^ (1 << j)
            if subset >> j & 1 and self._table[rest] + self._into[j, rest] == least:
                found.append(j)
        return found

    def number(self, subset: int | None = None) -> int:
        """How many orders of a subset (default: of all labels) are best."""
        subset = self._all if subset is None else subset
        if subset not in self._numbers:
            self._numbers[subset] = sum(self.number(subset ^ (1 << j)) for j in self._last(subset))
        return self._numbers[subset]

    def orders(self, subset: int | None = None) -> Iterator[list[int]]:
        """The best orders, one after the other."""
        subset = self._all if subset is None else subset
        if not subset:
            yield []
            return
        for j in self._last(subset):
            for order in self.orders(subset ^ (1 << j)):
                yield [*order, j]


def cost_of(costs: CostMatrix, order: list[int]) -> int:
    """The cost of an order of all labels.

    Examples
    --------
    >>> cost_of(np.array([[0, 3], [1, 0]]), [0, 1])
    3
    """
    return int(np.triu(costs[np.ix_(order, order)], 1).sum())


def improved(costs: CostMatrix, order: list[int]) -> list[int]:
    """An order that no move of one label makes cheaper, found by such moves.

    Examples
    --------
    >>> improved(np.array([[0, 3], [1, 0]]), [0, 1])
    [1, 0]
    """
    order, moved = list(order), True
    while moved:
        moved = False
        for i in range(len(order)):
            rest = [j for j in order if j != i]
            # at place k: the first k labels before i, the others behind
            steps = costs[rest, i] - costs[i, rest]
            at = np.concatenate([np.zeros(1, costs.dtype), np.cumsum(steps)])
            k, now = int(at.argmin()), order.index(i)
            if at[k] < at[now]:
                order, moved = [*rest[:k], i, *rest[k:]], True
    return order


@dataclass(order=True)
class _Node:
    """Rankings that keep some pairs in order; none is cheaper than the bound."""

    bound: int
    number: int
    before: NDArray[np.bool_] = field(compare=False)


class BranchAndBound:
    """The least cost by linear relaxations with triangles, whose bounds are made exact.

    Parameters
    ----------
    costs : (n, n) ndarray of int

    Attributes
    ----------
    order : list of int
        The best order found.
    value, bound : int
        Its cost, and what no order can be below.

    Notes
    -----
    A variable x_ij for i < j is 1 if i is before j; ``0 <= x_ij + x_jk - x_ik <= 1``. Any
    multipliers of these inequalities that are not negative prove a lower bound, so those of a
    relaxation solved in floats are taken as the numbers that they are, and the bound is computed in
    integers and rounded up.
    """

    def __init__(self, costs: CostMatrix) -> None:
        n = len(costs)
        self._costs = costs
        self._first, self._second = np.triu_indices(n, 1)
        self._index = np.zeros((n, n), np.intp)
        self._index[self._first, self._second] = np.arange(len(self._first))
        above = costs[self._first, self._second].astype(object)
        below = costs[self._second, self._first].astype(object)
        self._gains, self._base = above - below, int(below.sum())
        self._size = max(1, *map(abs, self._gains))
        self._floats = np.array([g / self._size for g in self._gains])
        # rows of the relaxation: a triple and the sign of its inequality
        self._cuts = np.zeros((0, 3), np.intp)
        self._signs = np.zeros(0, np.int64)
        start = np.argsort(costs.sum(axis=1) - costs.sum(axis=0), kind="stable")
        self.order = improved(costs, start.tolist())
        self.value = cost_of(costs, self.order)
        self.bound = int(np.minimum(above, below).sum())

    @cached_property
    def _triples(self) -> NDArray[np.intp]:
        """The variables of all i < j < k: (i, j), (j, k) and (i, k)."""
        i, j, k = _triples(len(self._costs))
        return np.array([self._index[i, j], self._index[j, k], self._index[i, k]]).T

    def run(self, deadline: float | None) -> None:
        """Search until the order is proved to be the best, or until the deadline or Ctrl-C.

        Of more than 200 labels, nothing is searched.
        """
        if len(self._costs) > _MOST_RELAXED:
            return
        with suppress(KeyboardInterrupt):
            self._search(deadline)
        self.bound = min(self.value, self.bound)

    def _search(self, deadline: float | None) -> None:
        """Go through the nodes, those of the least bound first."""
        numbers = count()
        heap = [_Node(self.bound, next(numbers), np.zeros(self._costs.shape, bool))]
        while heap:
            self.bound = heap[0].bound
            if self.bound >= self.value or (deadline is not None and monotonic() > deadline):
                return
            bound, parts = self._branches(heappop(heap))
            for before in parts:
                heappush(heap, _Node(bound, next(numbers), before))
        self.bound = self.value

    def _branches(self, node: _Node) -> tuple[int, list[NDArray[np.bool_]]]:
        """A bound for a node, and its parts that may hold a better order."""
        x, multipliers = self._relaxation(node.before)
        self._take(x)
        total, reduced = self._prove(node.before, multipliers)
        bound = max(node.bound, _ceil(total))
        if bound >= self.value:
            return bound, []
        before = _closure(node.before | self._forced(node.before, total, reduced))
        if (before & before.T).any():
            return bound, []
        free = ~(before | before.T)[self._first, self._second]
        if not free.any():
            self._take(before[self._first, self._second].astype(float))
            return bound, []
        e = int(np.where(free, np.abs(x - 0.5), 2).argmin())
        branches = []
        for i, j in ((self._first[e], self._second[e]), (self._second[e], self._first[e])):
            branch = before.copy()
            branch[i, j] = True
            branches.append(_closure(branch))
        return bound, branches

    def _take(self, x: NDArray[np.float64]) -> None:
        """Keep the order that the variables suggest, made cheaper by moves, if it is the best."""
        wins = np.zeros(self._costs.shape)
        wins[self._first, self._second], wins[self._second, self._first] = x, 1 - x
        order = improved(self._costs, np.argsort(-wins.sum(axis=1), kind="stable").tolist())
        if (value := cost_of(self._costs, order)) < self.value:
            self.order, self.value = order, value

    def _relaxation(
        self, before: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A solution without violated triangles, and the multipliers of the cuts; both rounded."""
        from scipy.optimize import linprog  # loads slowly
        from scipy.sparse import csr_array  # loads slowly

        low, high = before[self._first, self._second], ~before[self._second, self._first]
        bounds = np.array([low, high], float).T
        while True:
            m = len(self._cuts)
            signs = self._signs[:, None] * [1, 1, -1]
            places = (np.repeat(np.arange(m), 3), self._cuts.ravel())
            matrix = csr_array((signs.ravel(), places), shape=(m, len(self._floats)))
            rows = {"A_ub": matrix, "b_ub": (self._signs > 0).astype(float)} if m else {}
            found = linprog(self._floats, bounds=bounds, method="highs", **rows)
            if found.x is None:  # the solver failed: a bound without multipliers holds, too
                return (bounds[:, 0] + bounds[:, 1]) / 2, np.zeros(m)
            if not self._add_cuts(found.x):
                return found.x, np.maximum(0, -found.ineqlin.marginals) if m else np.zeros(0)

    def _add_cuts(self, x: NDArray[np.float64]) -> bool:
        """Add the triangles that are violated most; tell if there are any."""
        sums = x[self._triples] @ [1, 1, -1]
        excess = np.maximum(sums - 1, -sums)
        worst = np.argsort(-excess, kind="stable")[:_MOST_CUTS]
        worst = worst[excess[worst] > _TOLERANCE]
        self._cuts = np.concatenate([self._cuts, self._triples[worst]])
        self._signs = np.concatenate([self._signs, np.where(sums[worst] > 0.5, 1, -1)])
        return bool(len(worst))

    def _prove(
        self, before: NDArray[np.bool_], multipliers: NDArray[np.float64]
    ) -> tuple[int, list[int]]:
        """A proved lower bound and the reduced costs, times 2**_BITS, in integers."""
        reduced = [int(g) << _BITS for g in self._gains]
        total = self._base << _BITS
        cuts = zip(multipliers.tolist(), self._signs.tolist(), self._cuts.tolist(), strict=True)
        for y, sign, (a, b, c) in cuts:
            if weight := int(y * 2.0**_BITS) * self._size * sign:
                reduced[a] += weight
                reduced[b] += weight
                reduced[c] -= weight
                total -= weight if sign > 0 else 0
        low, high = before[self._first, self._second], ~before[self._second, self._first]
        for r, least, most in zip(reduced, low.tolist(), high.tolist(), strict=True):
            total += min(r * least, r * most)
        return total, reduced

    def _forced(
        self, before: NDArray[np.bool_], total: int, reduced: list[int]
    ) -> NDArray[np.bool_]:
        """Pairs whose other order cannot be in a better ranking, by their reduced costs."""
        forced = np.zeros_like(before)
        for i, j, r in zip(self._first.tolist(), self._second.tolist(), reduced, strict=True):
            if not (before[i, j] or before[j, i]) and _ceil(total + abs(r)) >= self.value:
                forced[(j, i) if r > 0 else (i, j)] = True
        return forced


def _triples(n: int) -> tuple[NDArray[np.intp], ...]:
    """All i < j < k."""
    i, j = np.triu_indices(n, 1)
    last = n - 1 - j
    k = np.arange(int(last.sum())) - np.repeat(np.cumsum(last) - last, last)
    j = np.repeat(j, last)
    return np.repeat(i, last), j, k + j + 1


def _ceil(total: int) -> int:
    return -(-total >> _BITS)
