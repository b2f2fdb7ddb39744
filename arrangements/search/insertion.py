"""Rankings by insertion: put the labels one by one into the rankings of those before.

Consider the points that rank k labels in one way. The places that a further label takes there form
an interval: along a segment between two such points it passes one of the k labels at a time, or
several that are neighbors at that point. Whether it can score higher than the label in place p is
one cone test, and the answer is monotone in p, so two binary searches find the interval. No point
and no linear program beyond these tests is needed; memory is that of one block of rankings per
level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from arrangements.core.score_model import ScoreModel
from arrangements.exact.linear import row_basis
from arrangements.exact.numbers import difference
from arrangements.execution import limits
from arrangements.execution.interrupts import answering_ctrl_c
from arrangements.feasibility.cone_system import HomogeneousRows, operations_of
from arrangements.kernels.cone.cone_test import Table, work_for
from arrangements.kernels.cone.insertion import Gathered, Pairs, fill_insertions, find_intervals
from arrangements.sets.orders import Orders, order_dtype

Labels = NDArray[np.int64]

# Rankings that wait together, bytes of their children, and about the most operations in a call of
# the kernel, so that Python can answer Ctrl-C.
_NODES = 256
_OPERATIONS = 1e8
_CHILD_BYTES = 2**20
# Memory of an entry of a difference: an integer in a list, its copies, a float and residues.
_ENTRY_BYTES = 200


class PairTable:
    """Differences of labels, ready for cone tests.

    Parameters
    ----------
    model : ScoreModel
        Of at least two labels.
    order : sequence of int, optional
        The order in which this class numbers the labels; default 0..n-1.
    """

    def __init__(self, model: ScoreModel, order: Sequence[int] | None = None) -> None:
        n = model.n_labels
        self.n = n
        self.lead: int = int(not model.is_central)
        rows = [model.integer_rows[i] for i in (range(n) if order is None else order)]
        width = model.dimension + self.lead
        entries = n * (n - 1) // 2 * width
        limits.check_workspace(f"the differences of {n} labels", entries * _ENTRY_BYTES)
        self._first, self._second = (
            np.concatenate([np.zeros(self.lead, np.int64), part])
            for part in np.tril_indices(n, -1)[::-1]
        )
        differences = [
            difference(rows[i][:width], rows[j][:width]) for j in range(n) for i in range(j)
        ]
        infinity = [[0] * model.dimension + [1]] * self.lead
        self._system = HomogeneousRows(infinity + differences)
        self._table = self._system.float_table

    def intervals(self, orders: Orders, k: int) -> tuple[Labels, Labels]:
        """First and last place that label k can take in each ranking of the labels before it."""
        start = self.lead + k * (k - 1) // 2
        r = int(self._system.ranks[start])
        low, high = np.zeros(len(orders), np.int64), np.full(len(orders), k)
        if self._system.ranks[start + k] > r:
            return low, high  # its score does not depend on those before
        small = self._gather(r + self.n + 1)
        done = 0
        while done < len(orders):
            operations = 2 * k.bit_length() * operations_of(self._table, r + k)
            part = slice(done, done + int(max(1, _OPERATIONS // operations)))
            call = partial(
                find_intervals,
                Pairs(self._table, self._first, self._second, self._system.safe, self.lead),
                orders[part],
                k,
                r,
                small,
                low[part],
                high[part],
            )
            done += answering_ctrl_c(call, operations)
            if done < min(part.stop, len(orders)):  # one is undecided
                self._table = self._system.table
                small = self._gather(r + self.n + 1)
        return low, high

    def _gather(self, rows: int) -> Gathered:
        """Empty small table for this many rows, exact if the large one is."""
        d, primes_used = self._system.dimension, len(self._table.fields)
        table = Table(
            np.zeros((d, rows)), np.zeros((primes_used, rows, d), np.uint64), self._table.fields
        )
        return Gathered(
            table,
            np.ones(rows),
            np.arange(d),
            work_for(table),
            np.zeros(self.n, np.int64),
        )


def iter_insertion(
    model: ScoreModel, *, block_size: int = 4096, growing: bool = False
) -> Iterator[Orders]:
    """Rankings by insertion, in blocks.

    Parameters
    ----------
    model : ScoreModel
    block_size : int
        Most rankings in a block.
    growing : bool
        Insert into few rankings at first, so that the first blocks are small and come at once.

    Yields
    ------
    (m, n) ndarray of unsigned integers
        Distinct rankings, the best label first: one of each reversed pair if the model is
        central (and has two labels), else all.

    Notes
    -----
    Exact. Each ranking of the first k labels, k = 2..n, takes at most 2 log2(n + 1) cone tests of a
    few pivots of O(n d); none if all orders occur.

    Examples
    --------
    >>> [block.tolist() for block in iter_insertion(ScoreModel([[1], [3], [2]]))]
    [[[0, 2, 1]]]
    """
    n = model.n_labels
    if n == 1:
        yield np.zeros((1, 1), np.uint8)
        return
    order = insertion_order(model)
    pairs = None if model.has_all_orders else PairTable(model, order)
    member = np.array(order, order_dtype(n))
    size = max(1, min(_NODES, _CHILD_BYTES // (2 * n * n)))
    most = 1 if growing else size  # rankings that are extended at a time
    waiting = [(1, np.zeros((1, n), np.uint16))]
    while waiting:
        k, nodes = waiting.pop()
        if len(nodes) > most:
            waiting.append((k, nodes[most:]))
            nodes = nodes[:most]
        children = _children(pairs, nodes, k, half=model.is_central)
        if k + 1 == n:
            for start in range(0, len(children), block_size):
                yield member[children[start : start + block_size]]
            most = min(2 * most, size)
        else:
            waiting.append((k + 1, children))


def insertion_order(model: ScoreModel) -> list[int]:
    """Labels with affinely independent weights first: they take all places.

    Examples
    --------
    >>> insertion_order(ScoreModel([[0, 0], [1, 0], [2, 0], [0, 1]]))
    [0, 1, 3, 2]
    """
    if model.has_all_orders:
        return list(range(model.n_labels))
    first, *others = model.integer_rows
    differences = [difference(row, first) for row in others]
    lead = [0] + [i + 1 for i in row_basis(differences)]
    return lead + [i for i in range(model.n_labels) if i not in set(lead)]


def expected_rankings(model: ScoreModel, probes: int = 100, seed: int = 0) -> float:
    """Estimate of the rankings that `iter_insertion` lists, by random descents in its tree.

    The mean over random paths of the product of the numbers of children is unbiased (Knuth,
    Math. Comp. 29 (1975) 121-136).

    Examples
    --------
    >>> expected_rankings(ScoreModel([[1], [3], [2]]))
    1.0
    """
    rng = np.random.default_rng(seed)
    pairs = PairTable(model, insertion_order(model))
    nodes = np.zeros((probes, model.n_labels), np.uint16)
    weight = np.ones(probes)
    for k in range(1, model.n_labels):
        low, high = _places(pairs, nodes, k, half=model.is_central)
        weight *= high - low + 1
        chosen = rng.integers(low, high + 1)
        nodes = _insert(nodes, k, chosen, chosen)
    return float(weight.mean())


def _children(pairs: PairTable | None, nodes: Orders, k: int, half: bool) -> Orders:
    low, high = _places(pairs, nodes, k, half)
    return _insert(nodes, k, low, high)


def _places(pairs: PairTable | None, nodes: Orders, k: int, half: bool) -> tuple[Labels, Labels]:
    """First and last place of label k; without pairs every place is free."""
    if half and k == 1:  # label 0 above label 1
        return np.ones(len(nodes), np.int64), np.ones(len(nodes), np.int64)
    if pairs is None:
        return np.zeros(len(nodes), np.int64), np.full(len(nodes), k)
    return pairs.intervals(nodes, k)


def _insert(nodes: Orders, k: int, low: Labels, high: Labels) -> Orders:
    out = np.empty((int((high - low + 1).sum()), nodes.shape[1]), nodes.dtype)
    fill_insertions(nodes, k, low, high, out)
    return out
