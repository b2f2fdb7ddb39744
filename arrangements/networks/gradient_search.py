"""Branch and bound for the steepest region of a network, with its proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.affine_maps import compose
from arrangements.networks.cell_bounds import CellBounds
from arrangements.networks.domain import Domain, read_domain
from arrangements.networks.exact_programs import flat_proof
from arrangements.networks.layer import INPUT
from arrangements.networks.network import Network, Point
from arrangements.networks.output_bounds import TINY
from arrangements.networks.output_system import (
    Cell,
    Inputs,
    OutputSystem,
    Proof,
    exact_bound,
    pass_weights,
)
from arrangements.networks.output_trees import base_of, inputs_hold, is_contradictory, leaves
from arrangements.networks.rays import ends_of_rays
from arrangements.networks.region import Region
from arrangements.networks.search_tree import Budget, Node, TreeSearch

Floats = NDArray[np.float64]
_SAMPLES = 256


class Steepness(NamedTuple):
    """What of a gradient counts: a norm, or minus or plus one entry.

    Attributes
    ----------
    rows : tuple of tuple of Fraction
        Functions of the outputs, the largest of which counts.
    norm : {"max", "l1", ""}
        Of inputs: the dual norm of the gradient counts. Else
    entry, sign : int
        a signed entry.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    norm: str
    entry: int = 0
    sign: int = 1

    def of(self, low: Any, high: Any) -> Any:
        """The largest value of gradients between two ends, of one row."""
        if not self.norm:
            return self.sign * (high if self.sign > 0 else low)[self.entry]
        sizes = [max(abs(a), abs(b)) for a, b in zip(low, high, strict=True)]
        return sum(sizes) if self.norm == "max" else max(sizes)


class GradientSearch(TreeSearch):
    """Branch and bound for the steepest region, or for one steeper than a goal."""

    def __init__(
        self, network: Network, inputs: Inputs, kind: Steepness, goal: Fraction | None = None
    ) -> None:
        self.inputs, self.kind, self.goal = inputs, kind, goal
        domain = read_domain(inputs.polyhedron, network)
        assert domain is not None
        self.domain: Domain = domain
        self.system = OutputSystem(network, inputs, ())
        self.bounds = self.whole = CellBounds(self.system)
        self.base = base_of(self.whole)
        super().__init__(network, Node(self.base.cell, inf))
        self.recipe = (GradientSearch, network, inputs, kind, goal)

    @property
    def is_done(self) -> bool:
        """Whether a region is steeper than the goal."""
        return self.goal is not None and self.value is not None and self.value > self.goal

    def run(self, budget: Budget) -> Fraction:
        """Search; what no region exceeds."""
        self._sample()
        budget.run(self)
        assert self.value is not None
        best = self.value if self.goal is None else max(self.value, self.goal)
        first = self._bound(self.base.cell)[0]
        return max([best, *(Fraction(min(first, -bound)) for bound, _, _ in self.open)])

    def _limit(self) -> Fraction:
        assert self.value is not None
        return self.value if self.goal is None else self.goal

    def _sample(self) -> None:
        """Begin with the steepest of some points."""
        P = self.inputs.polyhedron
        assert P.interior_point is not None
        self._offer(P.interior_point)
        rng = np.random.default_rng(0)
        low, high = self.whole.floats.low, self.whole.floats.high
        for x in low + (high - low) * rng.uniform(size=(_SAMPLES // 16, len(low))):
            point = tuple(map(Fraction, x.tolist()))
            if P.contains(np.array(point, object), interior=True):
                self._offer(point)
        if self.value is None:
            found = Region(self.network, self._some_pattern(), self.domain)
            self._offer(found.point)

    def _some_pattern(self) -> NDArray[np.int8]:
        # a fallback, where all samples lay between regions
        from arrangements.networks.listing import regions

        return regions(self.network, within=self.inputs.polyhedron, limit=1)[0].pattern

    def _offer(self, x: Point) -> bool:
        """Take a point of a region if it is steeper."""
        pattern = self.network.pattern_at(np.array(x, object))
        if not _is_inside(self.network, pattern):
            return False
        value = self.steepness(pattern.tolist())
        if self.value is None or value > self.value:
            self.value, self.point = value, x
        return True

    def steepness(self, pattern: Sequence[int]) -> Fraction:
        """Of the region of a pattern, exact."""
        outputs = compose(self.network.layers, pattern)[1]
        M = [[Fraction(x, outputs.scale) for x in row[:-1]] for row in outputs.rows]
        found = []
        for row in self.kind.rows:
            g = [
                sum((w * m[i] for w, m in zip(row, M, strict=False)), Fraction(0))
                for i in range(len(M[0]))
            ]
            found.append(self.kind.of(g, g))
        return max(found)

    def process(self, node: Node) -> None:
        """Close a node, or split it."""
        self.bounds = self.whole.on_facet(node.facet)
        if node.cell.signs or node.facet is not None:
            self.bounds.refine(node)
        if node.is_empty:
            return
        bound, influence = self._bound(node.cell)
        node.bound = min(node.bound, bound)
        if Fraction(bound) <= self._limit():
            node.proof = Proof({})  # by its gradients
            return
        if node.cell.signs:
            node.proof = self.bounds.emptiness(node.cell)
            if node.proof is not None:
                return
        units = self.bounds.undecided(node.cell)
        if node is self.root and units.size and (facets := ends_of_rays(self.system)):
            node.split_by_facets(len(facets))
        elif units.size:
            node.split(int(units[influence[units].argmax()]))
        else:
            self._close_region(node)

    def _close_region(self, node: Node) -> None:
        """A region, all of whose units have signs: take it, or prove that it is flat."""
        proof, point = flat_proof(self.bounds.system, node.cell)
        if proof is not None:
            node.proof = proof
            return
        assert point is not None
        if not self._offer(point):
            pattern = self.network.pattern_at(np.array(point, object))
            self._offer(Region(self.network, pattern, self.domain).point)
        node.proof = Proof({})

    def _bound(self, cell: Cell) -> tuple[float, Floats]:
        """No gradient in a cell is steeper; how much each unit matters."""
        low, high = cell.ends()
        rows = [np.array([[float(x) for x in row[:-1]] for row in self.kind.rows])] * 2
        state: dict[Any, list[Floats]] = {len(self.network.layers) - 1: rows}
        influence = np.zeros(self.network.n_units)
        for k in range(len(self.network.layers) - 1, -1, -1):
            if k not in state:
                continue
            a, b = state.pop(k)
            if not self.network.layers[k].is_linear:
                part, s = self.whole.floats.units_of(k), self.whole.floats.slopes[k]
                least = np.where(
                    low[part] >= 0, 1.0, np.where(high[part] <= 0, s, np.minimum(s, 1))
                )
                most = np.where(low[part] >= 0, 1.0, np.where(high[part] <= 0, s, np.maximum(s, 1)))
                influence[part] = np.maximum(np.abs(a), np.abs(b)).max(axis=0) * (most - least)
                influence[part] *= np.abs(self.whole.floats.weights[k]).sum(axis=1)
                ends = [a * least, a * most, b * least, b * most]
                a, b = np.minimum.reduce(ends), np.maximum.reduce(ends)
            W = self.whole.floats.weights[k]
            plus, minus = np.maximum(W, 0), np.minimum(W, 0)
            sizes = np.maximum(np.abs(a), np.abs(b)) @ self.whole.floats.sizes[k]
            slack = self.whole.floats.unit * sizes + TINY
            down, up = a @ plus + b @ minus - slack, b @ plus + a @ minus + slack
            for source, place in self.whole.floats.places[k]:
                old = state.get(source, [np.zeros((len(a), 1))] * 2)
                state[source] = [old[0] + down[:, place], old[1] + up[:, place]]
        a, b = state.get(INPUT, [np.zeros((len(self.kind.rows), self.network.dimension))] * 2)
        found = max(float(self.kind.of(x, y)) for x, y in zip(a, b, strict=True))
        return found + abs(found) * self.whole.floats.unit + TINY, influence

    # ------------------------------------------------------------------ proofs

    def verify(self, point: Point, value: Fraction, bound: Fraction | None) -> bool:
        """Whether the region of a point has a steepness, and no region exceeds a bound."""
        x = np.array(point, object)
        if not self.inputs.polyhedron.contains(x, interior=True):
            return False
        pattern = self.network.pattern_at(x)
        if not _is_inside(self.network, pattern) or self.steepness(pattern.tolist()) != value:
            return False
        return bound is None or bool(self.open) or self._tree_holds(bound)

    def _tree_holds(self, bound: Fraction) -> bool:
        found = leaves(self.system, self.base, self.root)
        return inputs_hold(self.inputs) and all(self._leaf_holds(*leaf, bound) for leaf in found)

    def _leaf_holds(
        self, system: OutputSystem, node: Node | None, cell: Cell, bound: Fraction
    ) -> bool:
        if node is None:
            return False
        if is_contradictory(cell):
            return True
        if node.proof is None:
            return False
        if node.proof.units:
            total, _ = exact_bound(system, cell, node.proof)
            return total < 0 or (total == 0 and self._is_flat(cell, node.proof))
        gradients = exact_gradients(self.network, cell, [row[:-1] for row in self.kind.rows])
        return all(self.kind.of(low, high) <= bound for low, high in gradients)

    def _is_flat(self, cell: Cell, proof: Proof) -> bool:
        """Whether a unit that is 0 on all of the cell has a gradient that is not."""
        for u in self._tight_units(cell, proof):
            k, i = self.network.units[u]
            row = [Fraction(0)] * self.network.layers[k].n_units
            row[i] = Fraction(1)
            ((low, high),) = exact_gradients(self.network, cell, [row], k)
            if any(a > 0 or b < 0 for a, b in zip(low, high, strict=True)):
                return True
        return False

    def _tight_units(self, cell: Cell, proof: Proof) -> Iterator[int]:
        """Units with signs that are 0 wherever the bound of a proof is reached."""
        network = self.network
        weights: dict[Any, list[Fraction]] = {
            k: [Fraction(0)] * layer.n_outputs for k, layer in enumerate(network.layers)
        }
        for k in range(len(network.layers) - 1, -1, -1):
            own = weights[k]
            if not network.layers[k].is_linear:
                first = network.starts[k]
                own = [Fraction(proof.units.get(first + i, 0)) for i in range(len(own))]
                for u, c, g in zip(count(first), weights[k], own, strict=False):
                    slope = network.unit_slopes[u] if cell.signs.get(u) == -1 else 1
                    if u in cell.signs and c * slope != g:
                        yield u
            pass_weights(network, k, own, weights)


def _is_inside(network: Network, pattern: NDArray[np.int8]) -> bool:
    """Whether a point with this pattern lies in a region, not between regions."""
    if pattern.all():
        return True
    layers = zip(network.layers, compose(network.layers, pattern.tolist())[0], strict=True)
    rows = [row for layer, z in layers if not layer.is_linear for row in z.rows]
    return not any(any(row) for row, sign in zip(rows, pattern.tolist(), strict=True) if not sign)


Interval = tuple[list[Fraction], list[Fraction]]


def exact_gradients(
    network: Network, cell: Cell, rows: Sequence[Sequence[Fraction]], before: int | None = None
) -> list[Interval]:
    """Ends of the gradients of functions of the outputs in a cell.

    before : a layer, of the inputs of whose units these are functions

    Examples
    --------
    >>> net = Network([([[1], [2]], None), ([[1, 1]], None)])
    >>> cell = Cell(np.array([0.0, -1.0]), np.array([1.0, 1.0]), {})
    >>> ((low, high),) = exact_gradients(net, cell, [[Fraction(1)]])
    >>> low == [1], high == [3]
    (True, True)
    """
    found = []
    for row in rows:
        state: dict[Any, Interval] = {}
        last = len(network.layers) - 1 if before is None else before
        state[last] = list(row), list(row)
        for k in range(last, -1, -1):
            if k not in state:
                continue
            a, b = state.pop(k)
            layer = network.layers[k]
            if not layer.is_linear and k != before:
                first = network.starts[k]
                for i in range(layer.n_units):
                    slope = network.unit_slopes[first + i]
                    low, high = cell.interval(first + i)
                    ends = (
                        {Fraction(1)}
                        if low >= 0
                        else {slope}
                        if high <= 0
                        else {slope, Fraction(1)}
                    )
                    values = [x * s for x in (a[i], b[i]) for s in ends]
                    a[i], b[i] = min(values), max(values)
            _pass_interval(network, k, a, b, state)
        zero = [Fraction(0)] * network.dimension
        found.append(state.get(INPUT, (zero, list(zero))))
    return found


def _pass_interval(
    network: Network, k: int, a: list[Fraction], b: list[Fraction], state: dict[Any, Interval]
) -> None:
    """Add the gradients of the sources of a layer."""
    rows, scale = network.layers[k].integer_rows
    at = 0
    for source in network.layers[k].inputs or ():
        n = network.dimension if source == INPUT else network.layers[int(source)].n_outputs
        zero = [Fraction(0)] * n
        low, high = state.setdefault(source, (zero, list(zero)))
        for j in range(n):
            for x, y, row in zip(a, b, rows, strict=True):
                w = row[at + j]
                if w:
                    low[j] += Fraction((x if w > 0 else y) * w, scale)
                    high[j] += Fraction((y if w > 0 else x) * w, scale)
        at += n
