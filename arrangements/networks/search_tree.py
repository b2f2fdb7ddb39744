"""Trees of cells, and how a search goes through them: best bound first, alone or in processes."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from fractions import Fraction
from functools import cached_property
from itertools import chain, count
from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import check_flag, check_integer, check_time_limit
from arrangements.execution.processes import Processes, dumps, loads
from arrangements.execution.progress import with_progress
from arrangements.networks.network import Network, Point
from arrangements.networks.output_system import Cell, Proof

Floats = NDArray[np.float64]
# Cells that one process opens before others start, which takes each of them about a second.
ALONE = 64


class Lemma(NamedTuple):
    """A bound of one unit in a cell: ``side * z <= value``."""

    unit: int
    side: int
    value: float
    multiples: dict[int, float]
    ball: float


class Node:
    """A cell in the tree: its lemmas, and a proof, or nodes that cover it.

    These are the two of a unit, where it is at most 0 and at least 0, or one for each facet of the
    inputs (`rays`), on which `facet` is the number.
    """

    __slots__ = ("bound", "cell", "children", "facet", "lemmas", "proof", "unit", "weights")

    def __init__(
        self, cell: Cell, bound: float, weights: Floats | None = None, facet: int | None = None
    ) -> None:
        self.cell, self.bound, self.weights, self.facet = cell, bound, weights, facet
        self.lemmas: list[Lemma] = []
        self.proof: Proof | None = None
        self.unit: int | None = None
        self.children: tuple[Node, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether a lemma contradicts another one or a sign."""
        low, high = self.cell.ends()
        return bool((low > high).any())

    def split(self, unit: int, weights: Floats | None = None) -> None:
        """Make the two parts of the cell by the sign of a unit."""
        cell, self.unit = self.cell, unit
        self.children = tuple(
            Node(cell._replace(signs={**cell.signs, unit: s}), self.bound, weights, self.facet)
            for s in (-1, 1)
        )

    def split_by_facets(self, n: int) -> None:
        """Make the parts of the cell on n facets of the inputs."""
        self.children = tuple(Node(self.cell, self.bound, facet=k) for k in range(n))

    def nodes(self) -> Iterator[Node]:
        """It and all below."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the tree as a list, whatever its depth."""
        names = [name for name in self.__slots__ if name != "children"]
        nodes = [[getattr(node, name) for name in names] for node in self.nodes()]
        return _grow, (names, nodes, [len(node.children) for node in self.nodes()])

    def take(self, done: Node) -> None:
        """Become what another process made of it."""
        for name in self.__slots__:
            setattr(self, name, getattr(done, name))


def _grow(names: list[str], nodes: list[list[Any]], numbers: list[int]) -> Node:
    """The tree of nodes in their order, each before its children."""
    stack: list[Node] = []
    for fields, n in zip(reversed(nodes), reversed(numbers), strict=True):
        node = Node.__new__(Node)
        for name, value in zip(names, fields, strict=True):
            setattr(node, name, value)
        node.children = tuple(stack.pop() for _ in range(n))
        stack.append(node)
    return stack.pop()


class TreeSearch:
    """A search through a tree of cells, those of the best bounds first.

    Attributes
    ----------
    root : Node
    open : list
        Nodes that are left, with minus their bounds.
    recipe : tuple
        The class and the arguments that make this search again, in another process.
    point, value : tuple of Fraction and Fraction, or None
        What was found; nodes depend on nothing else.
    """

    recipe: tuple[Any, ...]
    point: Point | None = None
    value: Fraction | None = None
    _names: ClassVar[Iterator[int]] = count()

    def __init__(self, network: Network, root: Node) -> None:
        self.network, self.root = network, root
        self.open: list[tuple[float, int, Node]] = [(-inf, 0, root)]
        self.name, self._number = next(self._names), count(1)

    @cached_property
    def packed(self) -> bytes:
        """The recipe for another process."""
        return dumps(self.recipe, self.network)

    @property
    def is_done(self) -> bool:
        """Whether no cell needs to be opened any more."""
        raise NotImplementedError

    @property
    def state(self) -> tuple[Point | None, Fraction | None]:
        """What was found."""
        return self.point, self.value

    @state.setter
    def state(self, found: tuple[Point | None, Fraction | None]) -> None:
        self.point, self.value = found

    def process(self, node: Node) -> None:
        """Close a node, or give it children."""
        raise NotImplementedError

    def push(self, node: Node) -> None:
        """Leave the children of a node to be processed."""
        for child in node.children:
            heapq.heappush(self.open, (-child.bound, next(self._number), child))

    @property
    def upper(self) -> float:
        """No input that is left has a larger value."""
        return max((-bound for bound, _, _ in self.open), default=-inf)


class Budget:
    """How long a question may take, and by how many processes; a context manager.

    Answers do not depend on the number of workers: other processes work ahead, on the cells that
    come next, and what they did counts if nothing was found meanwhile.

    Raises
    ------
    InputError
        If an argument is malformed.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        limit: int | None = None,
        progress: bool = False,
        workers: int = 1,
    ) -> None:
        check_time_limit(time_limit)
        self.end = inf if time_limit is None else time.monotonic() + time_limit
        self.left: float = inf if limit is None else check_integer("limit", limit, 1)
        self.progress = check_flag("progress", progress)
        self.workers = check_integer("workers", workers, 1)
        self.opened = 0
        self._processes: Processes | None = None
        self._ahead: dict[Node, tuple[Any, Future[Any]]] = {}

    def __enter__(self) -> Budget:
        return self

    def __exit__(self, *error: object) -> None:
        if self._processes is not None:
            self._processes.__exit__(*error)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0 or time.monotonic() > self.end

    def run(self, search: TreeSearch, later: Sequence[TreeSearch] = ()) -> bool:
        """Run a search as long as is allowed; whether it ended.

        later : searches that come next
        """
        for _ in with_progress(self._steps(search, later), self.progress, None, int, "cells"):
            pass
        return search.is_done or not search.open

    def _steps(self, search: TreeSearch, later: Sequence[TreeSearch]) -> Iterator[int]:
        """The loop; 1 for each cell."""
        while search.open and not search.is_done and not self.is_over:
            _, _, node = heapq.heappop(search.open)
            self.opened += 1
            self.left -= 1
            if self.workers > 1 and self.opened > ALONE:
                self._process_apart(search, node, later)
            else:
                search.process(node)
            search.push(node)
            yield 1

    def _process_apart(self, search: TreeSearch, node: Node, later: Sequence[TreeSearch]) -> None:
        """Process a node by another process, while others do those that come next."""
        state, future = self._look_ahead(search, node)
        most = 2 * self.workers
        following = chain(
            ((search, other) for _, _, other in sorted(search.open[:most])),
            ((other, other.root) for other in later),
        )
        for owner, other in following:
            if sum(not ahead.done() for _, ahead in self._ahead.values()) >= most:
                break
            self._look_ahead(owner, other)
        done, found = future.result()
        del self._ahead[node]
        if state != search.state:
            search.process(node)
            return
        node.take(done)
        search.state = found

    def _look_ahead(self, search: TreeSearch, node: Node) -> tuple[Any, Future[Any]]:
        """The node as another process will have it, and from what state."""
        if node not in self._ahead or self._ahead[node][0] != search.state:
            if self._processes is None:
                self._processes = Processes(self.workers, search.network)
            arguments = search.name, search.packed, search.state, node
            self._ahead[node] = search.state, self._processes.submit(_process, *arguments)
        return self._ahead[node]


_searches: dict[int, TreeSearch] = {}


def _process(name: int, recipe: bytes, state: Any, node: Node) -> tuple[Node, Any]:
    """In another process: a node when it was processed, and the state afterwards."""
    if name not in _searches:
        if len(_searches) > 32:
            _searches.clear()
        kind, *arguments = loads(recipe)
        _searches[name] = kind(*arguments)
    search = _searches[name]
    search.state = state
    search.process(node)
    return node, search.state
