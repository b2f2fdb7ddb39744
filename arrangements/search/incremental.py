"""Incremental enumeration: insert the hyperplanes one by one into the tree of chambers.

Rada and Cerny, SIAM J. Discrete Math. 32 (2018) 455-473. It is slower than the sweep, but it can
prune: keep only chambers that meet a polyhedron, or prefixes that a predicate accepts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import log2
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.errors import InputError
from arrangements.execution.interrupts import answering_ctrl_c
from arrangements.feasibility.cone_system import (
    HomogeneousRows,
    IntRows,
    distinct_rows,
    homogeneous_rows,
    operations_of,
)
from arrangements.kernels.cone.cone_test import UNDECIDED, Table, Work, invert
from arrangements.kernels.cone.incremental import NewRow, Nodes, extend_nodes
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import read_polyhedron
from arrangements.polyhedra.strict_system import strict_system
from arrangements.sets.packed import Words, pack_signs

Prune = Callable[[NDArray[np.int8]], Any]

# About the most bytes that the waiting nodes of all levels may take.
_WAITING_BYTES = 64 * 2**20
# About the most operations in a call of the kernel, so that Python can answer Ctrl-C; and on all
# levels together before the first block of a growing listing, or of a draw.
_OPERATIONS = 1e8


@dataclass
class Statistics:
    """The cost of a listing.

    Attributes
    ----------
    nodes : int
        Chambers of all prefixes of the rows, including all rows.
    free : int
        Nodes found from a proved interior point, without a linear program (not counting those of
        rows independent of all earlier ones, which cut every chamber).
    tests : int
        Linear programs (cone tests) solved.
    exact_signs : int
        Signs below the error bound, decided in exact arithmetic.
    chambers : int
        Listed sign vectors (one of each +/- pair if the listing is a half).
    """

    nodes: int = 0
    free: int = 0
    tests: int = 0
    exact_signs: int = 0
    chambers: int = 0

    @property
    def tests_per_chamber(self) -> float:
        """Linear programs per sign vector listed."""
        return self.tests / max(1, self.chambers)


class Draw(NamedTuple):
    """Random chambers, each with the same chance.

    Attributes
    ----------
    signs : (m, n) ndarray of int8
    log_number : float
        Binary logarithm of about how many there are.
    complete : bool
        Whether these are all.
    """

    signs: NDArray[np.int8]
    log_number: float
    complete: bool


class IncrementalListing:
    """Chambers by incremental enumeration, in blocks: iterate over it.

    Parameters
    ----------
    W : (n, d) array_like, or Arrangement
    within : Polyhedron, or (A, c), optional
        Only chambers that meet the relative interior of the polyhedron ``A @ x <= c``.
    prune : callable, optional
        A function of an (m, k) int8 block, the signs of the first k hyperplanes in the caller's
        order. It returns m booleans: which of these prefixes to keep. It may be an njit function.
    block_size : int
        Most sign vectors in a block, at least 1.
    growing : bool
        Start with few nodes, so that the first blocks come at once, also where linear programs are
        large.

    Attributes
    ----------
    half : bool
        Whether one of each +/- pair is listed, the one with sign + on row 0: if the arrangement is
        central and neither `within` nor `prune` is given.
    statistics : Statistics
        Complete when the iteration ends.

    Notes
    -----
    Exact. At worst about one linear program per chamber and level, each a few pivots of O(n d).
    Memory O(n (n + d)) per node of a block, at most 64 MB in all.

    Examples
    --------
    >>> listing = IncrementalListing([[1, 0], [0, 1]])
    >>> listing.half, [block.tolist() for block in listing]
    (True, [[[3], [1]]])
    """

    def __init__(
        self,
        W: ArrangementLike,
        *,
        within: Polyhedron | tuple[ArrayLike, ArrayLike] | None = None,
        prune: Prune | None = None,
        block_size: int = 4096,
        growing: bool = False,
    ) -> None:
        self.statistics: Statistics = Statistics()
        self._arrangement, self._prune = Arrangement.coerce(W), prune
        self._block_size, self._growing = block_size, growing
        whole = within is not None or prune is not None or self._arrangement.n_hyperplanes == 0
        self.half: bool = self._arrangement.is_central and not whole
        self._auxiliary: IntRows = []
        self._rows, affine = homogeneous_rows(self._arrangement)
        if affine:
            self._auxiliary = [self._rows.pop(0)]
        self._empty = within is not None and not self._restrict(
            read_polyhedron(within, self._arrangement)
        )

    @classmethod
    def of_rows(cls, positive: IntRows, rows: IntRows, growing: bool = False) -> IncrementalListing:
        """A listing of homogeneous rows, none of them zero, where other rows are positive.

        Examples
        --------
        >>> listing = IncrementalListing.of_rows([[0, 1], [1, 0]], [[1, -1], [1, 1]])
        >>> [block.tolist() for block in listing]
        [[[3], [2]]]
        """
        found = cls(np.zeros((0, 1), np.int64), growing=growing)
        found._auxiliary, found._rows = positive, rows
        return found

    def _restrict(self, P: Polyhedron) -> bool:
        """Put the polyhedron before the rows; False if no chamber meets it."""
        found = strict_system(self._arrangement, P)
        if found is None:
            return False
        self._auxiliary, self._rows = found
        return all(any(row) for row in self._rows)

    def __iter__(self) -> Iterator[Words]:
        """Blocks of at most `block_size` packed sign vectors."""
        if self._empty:
            return
        if not self._rows:  # without hyperplanes: the empty sign vector
            self.statistics.chambers += 1
            yield np.zeros((1, 0), np.uint64)
            return
        system, places, orientation = self._tree()
        for signs in self._leaves(system, len(self._auxiliary)):
            self.statistics.chambers += len(signs)
            for start in range(0, len(signs), self._block_size):
                block = signs[start : start + self._block_size, places]
                yield pack_signs(block * orientation)

    def draw(self, most: int, rng: np.random.Generator) -> Draw:
        """Draw at most about this many chambers, fewer where linear programs are large.

        Of the nodes of each level some are kept at random, and each then counts for more. So the
        number is right in the mean (P. C. Chen, SIAM J. Comput. 21 (1992)).

        Examples
        --------
        >>> listing = IncrementalListing.of_rows([[0, 0, 1]], [[1, 0, 0], [0, 1, 0], [1, 1, -1]])
        >>> drawn = listing.draw(100, np.random.default_rng(0))
        >>> len(drawn.signs), round(2**drawn.log_number), drawn.complete
        (7, 7, True)
        """
        if not self._rows:
            return Draw(np.zeros((1, 0), np.int8), 0.0, True)
        system, places, orientation = self._tree()
        n, most = len(system.integers), min(most, self._first_nodes(system))
        level = Level(system, len(self._auxiliary) + self.half, most, self.statistics)
        nodes, log_weight = root(n, system.dimension), 0.0
        for k in range(n):
            nodes = level.extend(k, nodes)
            found = len(nodes.signs)
            log_weight += log2(max(1.0, found / most))
            nodes = select(nodes, rng.permutation(found)[:most])
        signs = nodes.signs[:, places] * orientation
        return Draw(signs, log_weight + log2(len(signs)), log_weight == 0)

    def _tree(self) -> tuple[HomogeneousRows, NDArray[np.intp], NDArray[np.int8]]:
        """The rows as the tree takes them, the places there of the caller's, and their signs."""
        rows, lead = self._rows, len(self._auxiliary)
        member, orientation = np.arange(len(rows)), np.ones(len(rows), np.int8)
        if self._prune is None:
            rows, member, orientation = distinct_rows(rows)
        system = HomogeneousRows(
            self._auxiliary + rows, keep_order=self._prune is not None, forced=lead + self.half
        )
        return system, np.argsort(system.order)[lead:][member], orientation

    @staticmethod
    def _nodes_per_call(system: HomogeneousRows) -> int:
        n = len(system.integers)
        return int(_OPERATIONS // (2 * operations_of(system.float_table, n)))

    def _first_nodes(self, system: HomogeneousRows) -> int:
        """Nodes of which all levels together take about as long as a call of the kernel."""
        return max(1, self._nodes_per_call(system) // len(system.integers))

    def _leaves(self, system: HomogeneousRows, lead: int) -> Iterator[NDArray[np.int8]]:
        """Depth first over blocks of nodes, yielding the sign vectors of the last level."""
        n, d, called = len(system.integers), system.dimension, self._nodes_per_call(system)
        size = max(2, min(self._block_size, _WAITING_BYTES // (n * (n + 12 * d + 1)), called))
        level = Level(system, lead + self.half, size, self.statistics)
        # nodes that are extended at a time
        most = min(size, self._first_nodes(system)) if self._growing else size
        waiting = [(0, root(n, d))]
        while waiting:
            k, nodes = waiting.pop()
            if len(nodes.signs) > most:
                waiting.append((k, select(nodes, slice(most, None))))
                nodes = select(nodes, slice(most))
            nodes = level.extend(k, nodes)
            if self._prune is not None and k >= lead:
                nodes = _keep(nodes, self._prune, k + 1 - lead, lead)
            if k + 1 == n:
                yield nodes.signs
                most = min(2 * most, size)
            elif len(nodes.signs):
                waiting.append((k + 1, select(nodes, slice(None), copy=True)))


class Level:
    """Runs the kernel on one block of nodes at a time."""

    def __init__(
        self, system: HomogeneousRows, forced: int, size: int, statistics: Statistics
    ) -> None:
        self._system, self._forced, self._statistics = system, forced, statistics
        n, d = len(system.integers), system.dimension
        self._children = _empty_nodes(2 * size, n, d)
        self._signs = np.zeros(n)
        self._shifts = _shifts(system)
        self._use(system.float_table)

    def _use(self, table: Table) -> None:
        self._table, self._work = table, self._system.work_for(table)

    def extend(self, k: int, nodes: Nodes) -> Nodes:
        """Children of `nodes` by row k: views into memory that the next call overwrites."""
        system = self._system
        rank, next_rank = system.ranks[k : k + 2].tolist()
        shift = self._shifts[rank % len(self._shifts)]
        row = NewRow(k, rank, next_rank > rank, k < self._forced, shift, system.safe)
        while True:
            arguments = self._table, row, nodes, self._children, self._signs, self._work
            call = partial(extend_nodes, *arguments)
            tests = 2.0 * len(nodes.signs)
            count = answering_ctrl_c(call, tests * operations_of(self._table, k + 1))
            self._count(self._work, max(count, 0))
            if count != UNDECIDED:
                return select(self._children, slice(count))
            self._use(system.table)

    def _count(self, work: Work, nodes: int) -> None:
        """Move the counters of the kernel to the statistics."""
        self._statistics.nodes += nodes
        self._statistics.tests += int(work.state[3])
        self._statistics.exact_signs += int(work.state[4])
        self._statistics.free += int(work.state[6])
        work.state[3:] = 0


def root(n: int, d: int) -> Nodes:
    """The node that all others are below, of a tree of n rows in d coordinates."""
    root = _empty_nodes(1, n, d)
    root.good[:] = True
    return root


def _empty_nodes(m: int, n: int, d: int) -> Nodes:
    return Nodes(
        np.zeros((m, n), np.int8),
        np.zeros((m, d)),
        np.zeros(m, np.bool_),
        np.zeros((m, d), np.int32),
    )


def _shifts(system: HomogeneousRows) -> NDArray[np.float64]:
    """For each safe row a direction (approximate) that moves across it and no earlier row."""
    d = system.dimension
    shifts = np.zeros((d, d))
    dual, swaps = np.zeros((d, d)), np.zeros(d, np.int64)
    for r in range(1, d + 1):
        if invert(system.floats, system.safe, r, dual, swaps):
            shifts[r - 1, :r] = dual[r - 1, :r]
        # only proposals: the points that they lead to are proved, or marked as not proved
        if not np.isfinite(shifts[r - 1]).all() or not shifts[r - 1].any():
            shifts[r - 1] = 0.0
            shifts[r - 1, r - 1] = 1.0
    return shifts


def _keep(nodes: Nodes, prune: Prune, k: int, lead: int) -> Nodes:
    """Nodes whose prefix of k signs the predicate keeps."""
    prefixes = np.ascontiguousarray(nodes.signs[:, lead : lead + k])
    mask = np.asarray(prune(prefixes))
    if mask.dtype != np.bool_ or mask.shape != (len(prefixes),):
        raise InputError(
            f"prune returned {mask.dtype} of shape {mask.shape} for a block of shape "
            f"{prefixes.shape}; expected {len(prefixes)} booleans, True to keep a prefix."
        )
    return select(nodes, mask)


def select(nodes: Nodes, which: slice | NDArray[Any], copy: bool = False) -> Nodes:
    """Some of the nodes; views if a slice is asked for without `copy`."""
    chosen = Nodes(nodes.signs[which], nodes.points[which], nodes.good[which], nodes.bases[which])
    return Nodes._make(array.copy() for array in chosen) if copy else chosen
