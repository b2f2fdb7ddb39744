"""Decisions about several cases, with the trees that prove that none of them occurs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import check_flag, check_integer, check_time_limit
from arrangements.networks.network import Network, Point
from arrangements.networks.output_bounds import FloatNetwork
from arrangements.networks.output_search import Node, Search, unknown
from arrangements.networks.output_system import (
    Condition,
    Inputs,
    OutputSystem,
    Proof,
    exact_bound,
    inputs_bound,
    read_inputs,
)

Case = tuple[Condition, ...]
Floats = NDArray[np.float64]


class Budget:
    """How long a question may take.

    Raises
    ------
    InputError
        If an argument is malformed.
    """

    def __init__(self, time_limit: float | None, limit: int | None, progress: bool) -> None:
        check_time_limit(time_limit)
        self.end = inf if time_limit is None else time.monotonic() + time_limit
        self.left: float = inf if limit is None else check_integer("limit", limit, 1)
        self.progress = check_flag("progress", progress)
        self.opened = 0

    def run(self, search: Search) -> bool:
        """Run a search as long as is allowed; whether it ended."""
        search.end, search.limit = self.end, self.left
        ended = search.run(self.progress)
        self.left -= search.opened
        self.opened += search.opened
        return ended

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0 or time.monotonic() > self.end


class Decision(NamedTuple):
    """Whether an input meets all conditions of one of some cases.

    Attributes
    ----------
    network : Network
    inputs : Inputs
    cases : tuple of tuples of Condition
    feasible : bool or None
        None if time was up.
    case, point : int and tuple of Fraction, or None
        Of the input.
    base : Node
        Bounds of units for all inputs, with their lemmas.
    trees : list of Node
        A tree for each case, if there is no such input.
    """

    network: Network
    inputs: Inputs
    cases: tuple[Case, ...]
    feasible: bool | None
    case: int | None
    point: Point | None
    base: Node
    trees: list[Node]

    def verify(self) -> bool:
        """Whether the point, or all trees, prove the answer, in exact arithmetic."""
        if self.feasible is None:
            return False
        if self.point is not None and self.case is not None:
            return OutputSystem(self.network, self.inputs, self.cases[self.case]).holds_at(
                self.point
            )
        if len(self.trees) != len(self.cases) or not inputs_hold(self.inputs):
            return False
        n = self.network.n_units
        lower, upper = np.full(n, -inf), np.full(n, inf)
        system = OutputSystem(self.network, self.inputs, ())
        return lemmas_hold(system, self.base, lower, upper) and all(
            verify_tree(OutputSystem(self.network, self.inputs, case), (lower, upper), tree)
            for case, tree in zip(self.cases, self.trees, strict=True)
        )


def decide(network: Network, inputs: Inputs, cases: Sequence[Case], budget: Budget) -> Decision:
    """Find an input that meets all conditions of a case, or prove that there is none.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks.output_system import read_inputs
    >>> net = Network([([[1], [-1]], None), ([[1, 1]], None)])
    >>> inputs = read_inputs(Polyhedron.box(-1, 2, dimension=1))
    >>> cases = [(Condition((Fraction(1), -bound)),) for bound in map(Fraction, (2, 3))]
    >>> [decide(net, inputs, [case], Budget(None, None, False)).feasible for case in cases]
    [False, False]
    """
    floats = FloatNetwork(network, inputs)
    base = base_of(network, inputs, floats)
    trees: list[Node] = []
    ended, start = True, inputs.polyhedron.interior_point
    for number, case in enumerate(cases):
        search = Search(OutputSystem(network, inputs, case), floats=floats, root=base)
        if start is not None and search.offer(start):
            return Decision(network, inputs, tuple(cases), True, number, start, base, [])
        ended &= budget.run(search)
        if search.point is not None:
            return Decision(network, inputs, tuple(cases), True, number, search.point, base, [])
        trees.append(search.root)
        if not ended:
            break
    feasible = False if ended else None
    return Decision(network, inputs, tuple(cases), feasible, None, None, base, trees)


def base_of(network: Network, inputs: Inputs, floats: FloatNetwork) -> Node:
    """The node of all inputs, with bounds of the units."""
    system = OutputSystem(network, inputs, ())
    node = Node(unknown(system), inf)
    if not inputs.polyhedron.is_empty:
        Search(system, floats=floats).refine(node)
    return node


def inputs_hold(inputs: Inputs) -> bool:
    """Whether the sides of the box follow from the rows of the polyhedron."""
    found = read_inputs(inputs.polyhedron)
    low, high = found.low, found.high
    for i, side, value, weights in inputs.lemmas:
        q = [Fraction(side * (j == i)) for j in range(len(low))]
        bound, _ = inputs_bound(found._replace(low=low, high=high), q, Proof({}, {}, weights))
        if bound > value:
            return False
    return True


def verify_tree(system: OutputSystem, known: tuple[Floats, Floats], tree: Node) -> bool:
    """Whether a tree proves that no input meets all conditions, in exact arithmetic.

    Every bound of a unit is proved again, from those before it, and every leaf.

    known : bounds of units that hold
    """
    stack = [(tree, known[0].copy(), known[1].copy())]
    while stack:
        node, lower, upper = stack.pop()
        if not lemmas_hold(system, node, lower, upper):
            return False
        if node.children is not None:
            if node.unit is None or not _are_halves(node):
                return False
            stack += [(child, lower.copy(), upper.copy()) for child in node.children]
            continue
        cell = node.cell._replace(lower=lower, upper=upper)
        if node.proof is None:
            if not any(low > high for low, high in map(cell.interval, range(len(lower)))):
                return False
            continue
        bound, strict = exact_bound(system, cell, node.proof)
        if not (bound < 0 or (bound == 0 and strict)):
            return False
    return True


def _are_halves(node: Node) -> bool:
    """Whether the children are those of the unit of a node."""
    assert node.children is not None and node.unit is not None
    before, unit = node.cell.signs, node.unit
    pairs = zip(node.children, (-1, 1), strict=True)
    return all(child.cell.signs == {**before, unit: sign} for child, sign in pairs)


def lemmas_hold(system: OutputSystem, node: Node, lower: Floats, upper: Floats) -> bool:
    """Whether the lemmas of a node follow; they are added to the bounds."""
    network = system.network
    for lemma in node.lemmas:
        k, i = network.units[lemma.unit]
        row = [Fraction(0)] * network.layers[k].n_units
        row[i] = Fraction(lemma.side)
        cell = node.cell._replace(lower=lower, upper=upper)
        proof = Proof(lemma.multiples, {}, {}, lemma.ball)
        bound, _ = exact_bound(system, cell, proof, (k, row))
        if bound > Fraction(lemma.value):
            return False
        if lemma.side > 0:
            upper[lemma.unit] = lemma.value
        else:
            lower[lemma.unit] = -lemma.value
    return True
