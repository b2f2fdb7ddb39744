"""Branch and bound over the signs of units: a point that meets all conditions, or a tree of proofs.

A cell is a part of the inputs where some units have given signs. It is closed by a proof that
nothing in it meets the conditions, or is split by the sign of one more unit.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import count
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.execution.progress import with_progress
from arrangements.networks.exact_programs import decide_region, relax_cell
from arrangements.networks.network import Point
from arrangements.networks.output_bounds import Bounds, FloatNetwork, check_weights
from arrangements.networks.output_programs import Program, exact_solution, solve_program
from arrangements.networks.output_system import (
    Cell,
    Condition,
    OutputSystem,
    Proof,
    exact_bound,
)

Floats = NDArray[np.float64]
# Relative size of a bound below which an exact proof is tried.
_TIE = 1e-6
# The same for the program of a cell in fractions, which takes some times as long as a split.
_NEAR_TIE = 1e-9
# Bounds of units are kept if they are better by this share of the interval.
_BETTER = 0.01


class Lemma(NamedTuple):
    """A bound of one unit in a cell: ``side * z <= value``."""

    unit: int
    side: int
    value: float
    multiples: dict[int, float]
    ball: float


class Node:
    """A cell in the tree: its lemmas, and a proof, or the unit that splits it and two nodes."""

    __slots__ = ("bound", "cell", "children", "lemmas", "parent_weights", "proof", "unit")

    def __init__(self, cell: Cell, bound: float, weights: Floats | None = None) -> None:
        self.cell, self.bound, self.parent_weights = cell, bound, weights
        self.lemmas: list[Lemma] = []
        self.proof: Proof | None = None
        self.unit: int | None = None
        self.children: tuple[Node, Node] | None = None  # where it is at most 0, and at least 0

    @property
    def is_empty(self) -> bool:
        """Whether a lemma contradicts another one or a sign."""
        low = self.cell.lower.copy()
        high = self.cell.upper.copy()
        for u, sign in self.cell.signs.items():
            if sign > 0:
                low[u] = max(low[u], 0)
            else:
                high[u] = min(high[u], 0)
        return bool((low > high).any())

    def nodes(self) -> Iterator[Node]:
        """It and all below."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(node.children or ())


class Search:
    """The search for an input that meets all conditions, or that makes one condition largest.

    Parameters
    ----------
    system : OutputSystem
    improve : bool
        Find the input where the only condition is largest: `offset` is the value so far, and the
        condition asks for more.
    end : float
        When to stop, by `time.monotonic`.
    limit : int or None
        How many cells to open.

    Attributes
    ----------
    point : tuple of Fraction or None
        The best point.
    offset : Fraction
        What the condition exceeds at the best point.
    root : Node
    opened : int
        Cells that were looked at.
    programs : int
        Linear programs that were solved.
    open : list
        Nodes that are left, with minus their bounds.
    """

    def __init__(
        self,
        system: OutputSystem,
        *,
        improve: bool = False,
        end: float = inf,
        limit: int | None = None,
        floats: FloatNetwork | None = None,
        root: Node | None = None,
    ) -> None:
        self.system, self.improve, self.end = system, improve, end
        self.limit = inf if limit is None else limit
        self.floats = FloatNetwork(system.network, system.inputs) if floats is None else floats
        for condition in system.conditions:
            check_weights(condition.row)
        self.rows = np.array([[float(x) for x in c.row] for c in system.conditions])
        self.rows = self.rows.reshape(len(system.conditions), system.network.n_outputs + 1)
        self.root = Node(unknown(system), inf) if root is None else Node(root.cell, inf)
        self.point: Point | None = None
        self.offset: Fraction | None = None
        self.opened = self.programs = 0
        self._number = count()
        self.open: list[tuple[float, int, Node]] = [(-inf, 0, self.root)]
        next(self._number)

    # ------------------------------------------------------------------ the loop

    def run(self, progress: bool = False) -> bool:
        """Search until everything is closed, a point is found, or time is up; whether it ended."""
        for _ in with_progress(self._steps(), progress, None, int, "cells"):
            pass
        return not self.open or (self.point is not None and not self.improve)

    def _steps(self) -> Iterator[int]:
        """The loop; 1 for each cell."""
        if self.system.inputs.polyhedron.is_empty:
            self._close_empty()
        while self.open and self.opened < self.limit and time.monotonic() <= self.end:
            _, _, node = heapq.heappop(self.open)
            self.opened += 1
            for child in self._process(node):
                heapq.heappush(self.open, (-child.bound, next(self._number), child))
            if self.point is not None and not self.improve:
                return
            yield 1

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
        if self.offset is None or value > self.offset:
            self.point, self.offset = tuple(x), value
            return True
        return False

    @property
    def upper(self) -> float:
        """No input that is left has a larger value."""
        return max((-bound for bound, _, _ in self.open), default=-inf)

    # ------------------------------------------------------------------ one cell

    def _process(self, node: Node) -> tuple[Node, ...]:
        """Close a node, or split it."""
        if node.cell.signs or not np.isfinite(node.cell.lower).all():
            self.refine(node)
        if node.is_empty:
            return ()
        cell = node.cell
        rows = self.rows
        if node.parent_weights is not None and len(rows) > 1:
            rows = np.concatenate([rows, node.parent_weights[None] @ rows])
        found = self.floats.of_outputs(rows, cell.lower, cell.upper)
        for j in np.argsort(found.values).tolist():
            if self._closes(
                found.values[j], j < len(self.rows) and self.system.conditions[j].strict
            ):
                weights = {j: 1} if j < len(self.rows) else self._weights(node.parent_weights)
                node.proof = self._proof_of(found, j, weights)
                return ()
            break
        node.bound = min(node.bound, float(found.values.min()))
        program = solve_program(self.system, self.floats, cell)
        self.programs += 1
        if program is None:
            return self.split(node, self._widest(node))
        self._next: int | None = None
        if self._close_by(node, program):
            return ()
        unit = self._unit(node, program) if self._next is None else self._next
        return self.split(node, unit, program)

    def _close_by(self, node: Node, program: Program) -> bool:
        """Close a node by the solution of its program, or find a point."""
        proof = self._short(program)
        value, strict = self._float_bound(node.cell, proof)
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
        undecided = self.undecided(node.cell)
        if is_tie or not undecided.size or not program.feasible:
            return self._close_exactly(node, program)
        return False

    def _close_exactly(self, node: Node, program: Program) -> bool:
        exact, point = exact_solution(self.system, node.cell, program)
        if point is not None and program.feasible:
            self.offer(point)
            if self.point is not None and not self.improve:
                return True
        if exact is not None and self._prove(node, exact):
            return True
        if not self.undecided(node.cell).size or not self._is_tie(program, _NEAR_TIE):
            return False
        # where many units are 0 together, programs have many solutions, and most prove nothing
        found = relax_cell(self.system, node.cell)
        if found is None:
            return False
        if found.point is not None and self.offer(found.point) and not self.improve:
            return True
        self._next = found.unit
        return self._prove(node, found.proof)

    def _prove(self, node: Node, proof: Proof) -> bool:
        """Close a node by an exact proof, if it is one."""
        bound, strict = exact_bound(self.system, node.cell, proof)
        limit = self._limit(bool(proof.conditions))
        if limit is None or not (bound < limit or (bound == limit and strict)):
            return False
        node.proof = proof
        return True

    def _limit(self, with_conditions: bool) -> Fraction | None:
        """What a weighted sum of conditions must exceed."""
        if not self.improve or not with_conditions:
            return Fraction(0)
        return self.offset

    def _closes(self, value: float, strict: bool) -> bool:
        return self._refutes(value, strict, True)

    def _refutes(self, value: float, strict: bool, with_conditions: bool) -> bool:
        limit = self._limit(with_conditions)
        if limit is None or not value < inf:
            return False
        exact = Fraction(value)
        return exact < limit or (exact == limit and strict)

    def _is_tie(self, program: Program, near: float = _TIE) -> bool:
        """Whether a program is so near to what is to be proved that floats cannot."""
        if not program.feasible:
            return program.value > -near
        limit = self._limit(True)
        if limit is None:
            return False
        scale = 1 + abs(float(limit)) + float(np.abs(self.rows).max(initial=0))
        return program.value <= float(limit) + near * scale

    # ------------------------------------------------------------------ bounds

    def refine(self, node: Node) -> None:
        """Bounds of all units in a cell, with their lemmas."""
        network, cell = self.system.network, node.cell
        first = 0
        if cell.signs:
            newest = next(reversed(cell.signs))
            first = int(network.units[newest][0]) + 1
        lower, upper = cell.lower.copy(), cell.upper.copy()
        for k in range(first, len(network.layers)):
            if network.layers[k].is_linear:
                continue
            part = self.floats.units_of(k)
            low, high = self.signed(cell, lower, upper)
            if (low > high).any():
                break
            if cell.signs and not self._any_open(low[part], high[part]):
                continue
            found = self.floats.of_layer(k, low, high)
            n = part.stop - part.start
            for i in range(n):
                u = part.start + i
                for side, row in (1, i), (-1, n + i):
                    self._lemma(
                        node,
                        lower,
                        upper,
                        Lemma(u, side, float(found.values[row]), {}, float(found.ball[row])),
                        found.multiples[row],
                    )
        node.cell = Cell(lower, upper, cell.signs)

    def _lemma(
        self, node: Node, lower: Floats, upper: Floats, lemma: Lemma, multiples: Floats
    ) -> None:
        """Keep a bound that helps."""
        u, value = lemma.unit, lemma.value
        if not np.isfinite(value):
            return
        if lemma.side > 0:
            gain = upper[u] - value
            decides = value <= 0 < upper[u]
        else:
            gain = -value - lower[u]
            decides = -value >= 0 > lower[u]
        width = upper[u] - lower[u]
        if not (decides or gain > _BETTER * width or (gain > 0 and not np.isfinite(width))):
            return
        used = np.flatnonzero(multiples).tolist()
        node.lemmas.append(lemma._replace(multiples={v: float(multiples[v]) for v in used}))
        if lemma.side > 0:
            upper[u] = value
        else:
            lower[u] = -value

    @staticmethod
    def signed(cell: Cell, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """The bounds of a cell, with those of its signs."""
        low, high = lower.copy(), upper.copy()
        for u, sign in cell.signs.items():
            if sign > 0:
                low[u] = max(low[u], 0.0)
            else:
                high[u] = min(high[u], 0.0)
        return low, high

    @staticmethod
    def _any_open(low: Floats, high: Floats) -> bool:
        return bool(((low < 0) & (high > 0)).any())

    def _float_bound(self, cell: Cell, proof: Proof) -> tuple[float, bool]:
        """The rigorous bound of a proof in floating point."""
        floats, n = self.floats, self.system.network.n_units
        weights = np.zeros(len(self.rows))
        for j, w in proof.conditions.items():
            weights[j] = w
        given = np.zeros((1, n))
        for u, g in proof.units.items():
            given[0, u] = g
        shares = np.zeros((1, len(self.system.inputs.rows)))
        for j, y in proof.rows.items():
            shares[0, j] = y
        low, high = self.signed(cell, cell.lower, cell.upper)
        found = floats.of_outputs(
            weights[None] @ self.rows, low, high, given, np.array([float(proof.ball)]), shares
        )
        strict = any(self.system.conditions[j].strict for j in proof.conditions)
        return float(found.values[0]), strict

    def _short(self, program: Program) -> Proof:
        """The multipliers of a program, with few bits."""
        proof = program.proof
        total = sum(proof.conditions.values())
        if len(self.rows) == 1 and program.feasible:
            conditions: dict[int, Any] = {0: 1.0}
        else:
            conditions = {j: _rounded(w) for j, w in proof.conditions.items() if w > 1e-9 * total}
        units = {u: _rounded(g) for u, g in proof.units.items() if abs(g) > 1e-12}
        m = len(self.system.inputs.rows)
        rows = {j: _rounded(y) for j, y in proof.rows.items() if abs(y) > 1e-12 and j < m}
        return Proof(units, conditions, rows, _rounded(proof.ball))

    def _proof_of(self, found: Bounds, j: int, weights: dict[int, Any]) -> Proof:
        used = np.flatnonzero(found.multiples[j]).tolist()
        multiples = {u: float(found.multiples[j, u]) for u in used}
        return Proof(multiples, weights, {}, float(found.ball[j]))

    @staticmethod
    def _weights(values: Floats | None) -> dict[int, Any]:
        assert values is not None
        return {j: float(w) for j, w in enumerate(values.tolist()) if w}

    def emptiness(self, cell: Cell) -> Proof | None:
        """A proof that a cell is empty, if a program finds one."""
        program = solve_program(self.system, self.floats, cell, True)
        self.programs += 1
        if program is None or program.value > -_TIE:
            return None
        proof = self._short(program)
        value, _ = self._float_bound(cell, proof)
        return proof if value < 0 else None

    # ------------------------------------------------------------------ points and splits

    def _try(self, x: Floats) -> None:
        """Take the point of a program if it is good, and the best one around it."""
        values = self.rows[:, :-1] @ self.system.network.float_forward(x) + self.rows[:, -1]
        if self.improve:
            if self.offset is None or values[0] > float(self.offset):
                self.climb(self._inside(x))
            return
        if values.min() > -1e-9:
            self.offer(self._inside(x))

    def _inside(self, x: Floats) -> Point:
        """A point next to one in floating point, in the polyhedron if it has an interior."""
        inputs = self.system.inputs
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

    def climb(self, x: Point, steps: int = 20) -> None:
        """Go to the best point of the region of a point, as long as that is better."""
        self.offer(x)
        for _ in range(steps):
            cell = self.region(x)
            program = solve_program(self.system, self.floats, cell)
            self.programs += 1
            if program is None or not program.feasible:
                return
            if self.offset is not None and program.value <= float(self.offset) + 1e-12:
                if self.point is not None and program.value < float(self.offset) - 1e-9:
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

    def undecided(self, cell: Cell) -> NDArray[np.intp]:
        """Units without a sign."""
        open_ = (cell.lower < 0) & (cell.upper > 0)
        open_[list(cell.signs)] = False
        return np.flatnonzero(open_)

    def _widest(self, node: Node) -> int | None:
        units = self.undecided(node.cell)
        if not units.size:
            return None
        cell = node.cell
        return int(units[np.argmax(np.minimum(cell.upper[units], -cell.lower[units]))])

    def _unit(self, node: Node, program: Program) -> int | None:
        """The open unit that contributes most to the gap between bound and value."""
        cell, units = node.cell, self.undecided(node.cell)
        if not units.size:
            return None
        weights = np.zeros((1, len(self.rows)))
        for j, w in program.proof.conditions.items():
            weights[0, j] = w
        given = np.zeros((1, self.system.network.n_units))
        for u, value in program.proof.units.items():
            given[0, u] = value
        low, high = self.signed(cell, cell.lower, cell.upper)
        found = self.floats.of_outputs(weights @ self.rows, low, high, given)
        c, g = found.weights[0, units], given[0, units]
        s, z = self.floats.all_slopes[units], program.z[units]
        low, high = low[units], high[units]
        best = np.maximum(np.maximum(c * s * low - g * low, (c - g) * high), 0)
        gaps = best - (c * np.where(z > 0, z, s * z) - g * z)
        if gaps.max() > 1e-9:
            return int(units[gaps.argmax()])
        return self._widest(node)

    def split(
        self, node: Node, unit: int | None, program: Program | None = None
    ) -> tuple[Node, ...]:
        """The two parts of a cell by the sign of a unit; if there is none, decide the region."""
        if unit is None:
            return self._last_resort(node, program)
        weights = None
        if program is not None and program.feasible and len(self.rows) > 1:
            weights = np.zeros(len(self.rows))
            for j, w in program.proof.conditions.items():
                weights[j] = _rounded(w)
        cell, node.unit = node.cell, unit
        low, high = (
            Node(cell._replace(signs={**cell.signs, unit: sign}), node.bound, weights)
            for sign in (-1, 1)
        )
        node.children = (low, high)
        return low, high

    def _last_resort(self, node: Node, program: Program | None) -> tuple[Node, ...]:
        """Decide a region that the programs leave open, by an exact simplex method."""
        proof, point = decide_region(self.system, node.cell)
        if point is not None:
            self.offer(point)
        if proof is not None and (self.improve or self.point is None):
            if not self._prove(node, proof):
                raise AssertionError("an exact program has a proof that is none")
        return ()

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


def _rounded(value: Any) -> float:
    """A float with at most 30 bits after the point, or of its own."""
    x = float(value)
    if not x:
        return 0.0
    exponent = int(np.ceil(np.log2(abs(x))))
    unit = 2.0 ** max(exponent - 30, -40)
    return float(round(x / unit) * unit)


def condition(row: Sequence[Any], strict: bool = True) -> Condition:
    """A condition of any numbers."""
    return Condition(tuple(Fraction(x) for x in row), strict)
