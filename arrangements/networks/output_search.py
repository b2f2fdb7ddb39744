"""Branch and bound over the signs of units: a point that meets all conditions, or a tree of proofs.

A cell is a part of the inputs where some units have given signs. It is closed by a proof that
nothing in it meets the conditions, or is split by the sign of one more unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.cell_bounds import TIE, CellBounds, short_float
from arrangements.networks.exact_programs import decide_region, relax_cell
from arrangements.networks.network import Point
from arrangements.networks.output_bounds import Bounds, FloatNetwork
from arrangements.networks.output_programs import Program, solve_program
from arrangements.networks.output_solutions import exact_solution
from arrangements.networks.output_system import (
    Cell,
    Inputs,
    OutputSystem,
    Proof,
    exact_bound,
)
from arrangements.networks.rays import ends_of_rays
from arrangements.networks.search_tree import Budget, Node, TreeSearch

Floats = NDArray[np.float64]
# Relative size of a bound below which the program of a cell in fractions is tried, which takes some
# times as long as a split.
_NEAR_TIE = 1e-9
_ZERO = Fraction(0)


class Search(TreeSearch):
    """The search for an input that meets all conditions, or that makes one condition largest.

    Parameters
    ----------
    system : OutputSystem
    improve : bool
        Find the input where the only condition is largest: `value` is the largest so far, and the
        condition asks for more.
    base : Cell, optional
        What is known of the units for all inputs.

    Attributes
    ----------
    point : tuple of Fraction or None
        The best point.
    value : Fraction
        What the condition exceeds at the best point.
    """

    def __init__(
        self,
        system: OutputSystem,
        improve: bool = False,
        base: Cell | None = None,
        floats: FloatNetwork | None = None,
    ) -> None:
        cell = unknown(system) if base is None else base
        super().__init__(system.network, Node(cell, inf))
        self.system, self.improve = system, improve
        self.bounds = self.whole = CellBounds(system, floats)
        self.rows = self.whole.rows
        self.recipe = (Search, system, improve, cell)
        if system.inputs.polyhedron.is_empty:
            self._close_empty()

    @property
    def is_done(self) -> bool:
        """Whether a point is enough, and is found."""
        return self.point is not None and not self.improve

    def offer(self, x: Sequence[Fraction]) -> bool:
        """Take a point if it is the first, or better than the best so far."""
        if not self.system.inputs.contains(x):
            return False
        outputs = self.system.network.forward(np.array(x, object))
        if not self.improve:
            if all(condition.holds(outputs) for condition in self.system.conditions):
                self.point = tuple(x)
                return True
            return False
        value = self.system.conditions[0].value(outputs)
        if self.value is None or value > self.value:
            self.point, self.value = tuple(x), value
            return True
        return False

    # ------------------------------------------------------------------ one cell

    def process(self, node: Node) -> None:
        """Close a node, or split it."""
        self.bounds = self.whole.on_facet(node.facet)
        if node.cell.signs or node.facet is not None or not np.isfinite(node.cell.lower).all():
            self.bounds.refine(node)
        if node.is_empty or self._close_by_bounds(node):
            return
        program = solve_program(self.bounds.system, self.bounds.floats, node.cell)
        if program is None:
            self.split(node, self.bounds.widest(node), None)
            return
        self._next: int | None = None
        if self._close_by(node, program):
            return
        if node is self.root and (facets := self._ends_of_rays()):
            node.split_by_facets(len(facets))
            return
        unit = self.bounds.unit(node, program) if self._next is None else self._next
        self.split(node, unit, program)

    def _ends_of_rays(self) -> list[Inputs]:
        """The facets of the inputs, if bounds at 0 are exactly those that exclude nothing."""
        constants = {condition.row[-1] for condition in self.system.conditions}
        if constants != {self.value if self.improve else 0}:
            return []
        conditions = tuple(c._replace(row=(*c.row[:-1], _ZERO)) for c in self.system.conditions)
        return ends_of_rays(self.system._replace(conditions=conditions))

    def _close_by_bounds(self, node: Node) -> bool:
        """Close a node by the bounds of its units alone."""
        rows = self.rows
        if node.weights is not None and len(rows) > 1:
            rows = np.concatenate([rows, node.weights[None] @ rows])
        found = self.bounds.floats.of_outputs(rows, *node.cell.ends())
        j = int(found.values.argmin()) if len(rows) else None
        if j is None:
            return False
        strict = j < len(self.rows) and self.system.conditions[j].strict
        if self._refutes(found.values[j], strict, True):
            weights = {j: 1} if j < len(self.rows) else self._weights(node.weights)
            node.proof = self._proof_of(found, j, weights)
            return True
        node.bound = min(node.bound, float(found.values[j]))
        return False

    def _close_by(self, node: Node, program: Program) -> bool:
        """Close a node by the solution of its program, or find a point."""
        proof = self.bounds.short(program)
        value, strict = self.bounds.bound(node.cell, proof)
        if program.feasible:
            node.bound = min(node.bound, value)
        if self._refutes(value, strict, bool(proof.conditions)):
            node.proof = proof
            return True
        is_tie = self._is_tie(program)
        if program.feasible and not is_tie:
            self._try(program.x)
            if self.improve and self.point is not None:
                if self._refutes(value, strict, bool(proof.conditions)):
                    node.proof = proof
                    return True
                is_tie = self._is_tie(program)
            if self.point is not None and not self.improve:
                return True
        undecided = self.bounds.undecided(node.cell)
        if is_tie or not undecided.size or not program.feasible:
            return self._close_exactly(node, program)
        return False

    def _close_exactly(self, node: Node, program: Program) -> bool:
        exact, point = exact_solution(self.bounds.system, node.cell, program)
        if point is not None and program.feasible:
            self.offer(point)
            if self.point is not None and not self.improve:
                return True
        if exact is not None and self._prove(node, exact):
            return True
        if not self.bounds.undecided(node.cell).size or not self._is_tie(program, _NEAR_TIE):
            return False
        # where many units are 0 together, programs have many solutions, and most prove nothing
        found = relax_cell(self.bounds.system, node.cell)
        if found is None:
            return False
        if found.point is not None and self.offer(found.point) and not self.improve:
            return True
        self._next = found.unit
        return self._prove(node, found.proof)

    def _prove(self, node: Node, proof: Proof) -> bool:
        """Close a node by an exact proof, if it is one."""
        bound, strict = exact_bound(self.bounds.system, node.cell, proof)
        limit = self._limit(bool(proof.conditions))
        if limit is None or not (bound < limit or (bound == limit and strict)):
            return False
        node.proof = proof
        return True

    def _limit(self, with_conditions: bool) -> Fraction | None:
        """What a weighted sum of conditions must exceed."""
        if not self.improve or not with_conditions:
            return Fraction(0)
        return self.value

    def _refutes(self, value: float, strict: bool, with_conditions: bool) -> bool:
        limit = self._limit(with_conditions)
        if limit is None or not value < inf:
            return False
        exact = Fraction(value)
        return exact < limit or (exact == limit and strict)

    def _is_tie(self, program: Program, near: float = TIE) -> bool:
        """Whether a program is so near to what is to be proved that floats cannot."""
        if not program.feasible:
            return program.value > -near
        limit = self._limit(True)
        if limit is None:
            return False
        scale = 1 + abs(float(limit)) + float(np.abs(self.rows).max(initial=0))
        return program.value <= float(limit) + near * scale

    def _proof_of(self, found: Bounds, j: int, weights: dict[int, Any]) -> Proof:
        used = np.flatnonzero(found.multiples[j]).tolist()
        multiples = {u: float(found.multiples[j, u]) for u in used}
        return Proof(multiples, weights, {}, float(found.ball[j]))

    @staticmethod
    def _weights(values: Floats | None) -> dict[int, Any]:
        assert values is not None
        return {j: float(w) for j, w in enumerate(values.tolist()) if w}

    def _try(self, x: Floats) -> None:
        """Take the point of a program if it is good, and the best one around it."""
        values = self.rows[:, :-1] @ self.system.network.float_forward(x) + self.rows[:, -1]
        if self.improve:
            if self.value is None or values[0] > float(self.value):
                self.climb(self._inside(x))
            return
        if values.min() > -1e-9:
            self.offer(self._inside(x))

    def _inside(self, x: Floats) -> Point:
        """A point next to one in floating point, in the polyhedron if it has an interior."""
        inputs = self.bounds.system.inputs
        found = [
            min(max(Fraction(value), low), high)
            for value, low, high in zip(x.tolist(), inputs.low, inputs.high, strict=True)
        ]
        point = tuple(Fraction(value) for value in found)
        if not inputs.contains(point):
            middle = inputs.polyhedron.interior_point
            if inputs.ball is not None and inputs.polyhedron.contains(
                np.array(inputs.ball.center, object)
            ):
                middle = inputs.ball.center
            if middle is not None:
                share = Fraction(1, 2**30)
                point = tuple(a + share * (b - a) for a, b in zip(point, middle, strict=True))
        return point

    def climb(self, x: Point, budget: Budget | None = None, steps: int = 20) -> None:
        """Go to the best point of the region of a point, as long as that is better."""
        self.offer(x)
        for _ in range(steps):
            if budget is not None and budget.is_over:
                return
            cell = self.region(x)
            program = solve_program(self.system, self.whole.floats, cell)
            if program is None or not program.feasible:
                return
            if self.value is not None and program.value <= float(self.value) + 1e-12:
                if self.point is not None and program.value < float(self.value) - 1e-9:
                    return
            _, point = exact_solution(self.system, cell, program)
            if point is None or not self.offer(point):
                return
            x = point

    def region(self, x: Point) -> Cell:
        """The cell of the region of a point, or of one next to it."""
        signs = self.system.network.pattern_at(np.array(x, object))
        cell = self.root.cell
        return Cell(
            cell.lower, cell.upper, {u: 1 if s > 0 else -1 for u, s in enumerate(signs.tolist())}
        )

    def split(self, node: Node, unit: int | None, program: Program | None) -> None:
        """Split a cell by the sign of a unit; if there is none, decide the region."""
        if unit is None:
            self._last_resort(node)
            return
        weights = None
        if program is not None and program.feasible and len(self.rows) > 1:
            weights = np.zeros(len(self.rows))
            for j, w in program.proof.conditions.items():
                weights[j] = short_float(w)
        node.split(unit, weights)

    def _last_resort(self, node: Node) -> None:
        """Decide a region that the programs leave open, by an exact simplex method."""
        proof, point = decide_region(self.bounds.system, node.cell)
        if point is not None:
            self.offer(point)
        if (self.improve or self.point is None) and not self._prove(node, proof):
            raise AssertionError("an exact program has a proof that is none")

    def _close_empty(self) -> None:
        """Close the root, of an empty polyhedron, by the weights that prove it."""
        P = self.system.inputs.polyhedron
        self.root.proof = empty_proof(self.system, P.implicit_weights())
        self.open = []


def unknown(system: OutputSystem) -> Cell:
    """All inputs, and nothing that is known of the units."""
    n = system.network.n_units
    return Cell(np.full(n, -inf), np.full(n, inf), {})


def empty_proof(system: OutputSystem, weights: Sequence[Any]) -> Proof:
    """The proof that inputs are empty, from weights of all inequalities and equations."""
    inputs = system.inputs
    A = inputs.polyhedron.inequalities[0]
    kept = [k for k in range(len(A)) if np.count_nonzero(A[k]) != 1]
    places = {k: j for j, k in enumerate(kept)}
    n = len(inputs.rows) - inputs.n_equations
    rows = {}
    for k, w in enumerate(weights):
        if not w:
            continue
        if k >= len(A):
            rows[n + k - len(A)] = Fraction(w)
        elif k in places:
            rows[places[k]] = Fraction(w)
    return Proof({}, {}, rows, 0)
