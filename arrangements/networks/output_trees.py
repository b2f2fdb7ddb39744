"""Decisions about several cases, with the trees that prove that none of them occurs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.cell_bounds import CellBounds
from arrangements.networks.network import Network, Point
from arrangements.networks.output_search import Search, unknown
from arrangements.networks.output_system import (
    Cell,
    Condition,
    Inputs,
    OutputSystem,
    Proof,
    exact_bound,
    inputs_bound,
    read_inputs,
)
from arrangements.networks.rays import ends_of_rays
from arrangements.networks.search_tree import Budget, Node

Case = tuple[Condition, ...]
Floats = NDArray[np.float64]


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
        system = OutputSystem(self.network, self.inputs, ())
        return all(
            _tree_holds(system._replace(conditions=case), self.base, tree)
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
    whole = CellBounds(OutputSystem(network, inputs, ()))
    base, start = base_of(whole), inputs.polyhedron.interior_point
    searches = [
        Search(whole.system._replace(conditions=case), base=base.cell, floats=whole.floats)
        for case in cases
    ]
    for number, search in enumerate(searches):
        if start is None or not search.offer(start):
            ended = budget.run(search, searches[number + 1 :])
        if search.point is not None:
            return Decision(network, inputs, tuple(cases), True, number, search.point, base, [])
        if not ended:
            return Decision(network, inputs, tuple(cases), None, None, None, base, [])
    trees = [search.root for search in searches]
    return Decision(network, inputs, tuple(cases), False, None, None, base, trees)


def base_of(whole: CellBounds) -> Node:
    """The node of all inputs, with bounds of the units."""
    node = Node(unknown(whole.system), inf)
    if not whole.system.inputs.polyhedron.is_empty:
        whole.refine(node)
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


def _tree_holds(system: OutputSystem, base: Node, tree: Node) -> bool:
    """Whether a tree proves that no input meets all conditions, in exact arithmetic.

    Every bound of a unit is proved again, from those before it, and every leaf.
    """
    for here, node, cell in leaves(system, base, tree):
        if node is None:
            return False
        if node.proof is None:
            if not is_contradictory(cell):
                return False
            continue
        bound, strict = exact_bound(here, cell, node.proof)
        if not (bound < 0 or (bound == 0 and strict)):
            return False
    return True


def is_contradictory(cell: Cell) -> bool:
    """Whether no number is between the ends for some unit."""
    return any(low > high for low, high in map(cell.interval, range(len(cell.lower))))


def leaves(
    system: OutputSystem, base: Node, tree: Node
) -> Iterator[tuple[OutputSystem, Node | None, Cell]]:
    """The leaves of a tree, with the inputs on their facet and all bounds, which are proved.

    None for a leaf if a bound does not follow, or children do not cover their cell.
    """
    n = system.network.n_units
    lower, upper = np.full(n, -inf), np.full(n, inf)
    holds = lemmas_hold(system, base, lower, upper)
    stack = [(system, tree, lower, upper)]
    while stack:
        here, node, lower, upper = stack.pop()
        holds = holds and lemmas_hold(here, node, lower, upper)
        cell = node.cell._replace(lower=lower, upper=upper)
        if not (holds and _is_covered(here, node, tree)):
            yield here, None, cell
            return
        if not node.children:
            yield here, node, cell
        places = [here] * 2
        if node.unit is None and node.children:
            places = [system._replace(inputs=side) for side in ends_of_rays(system)]
        for place, child in zip(places, node.children, strict=False):
            stack.append((place, child, lower.copy(), upper.copy()))


def _is_covered(system: OutputSystem, node: Node, tree: Node) -> bool:
    """Whether the children of a node are the halves of its cell, or the facets of all inputs."""
    if not node.children:
        return True
    signs = [child.cell.signs for child in node.children]
    if node.unit is not None:
        return signs == [{**node.cell.signs, node.unit: sign} for sign in (-1, 1)]
    numbers = [*range(len(ends_of_rays(system)))]
    return node is tree and not any(signs) and [x.facet for x in node.children] == numbers


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
