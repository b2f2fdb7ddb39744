"""Bounds of units and of conditions in one cell, and which unit splits it best."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.output_bounds import FloatNetwork, check_weights
from arrangements.networks.output_programs import Program, solve_program
from arrangements.networks.output_system import Cell, OutputSystem, Proof
from arrangements.networks.rays import facets
from arrangements.networks.search_tree import Lemma, Node

Floats = NDArray[np.float64]
# Relative size of a bound below which an exact proof is tried.
TIE = 1e-6
# Bounds of units are kept if they are better by this share of the interval.
_BETTER = 0.01


class CellBounds:
    """The inputs, or one of their facets, and the conditions, in floating point."""

    def __init__(self, system: OutputSystem, floats: FloatNetwork | None = None) -> None:
        self.system = system
        self.floats = FloatNetwork(system.network, system.inputs) if floats is None else floats
        for condition in system.conditions:
            check_weights(condition.row)
        rows = np.array([[float(x) for x in c.row] for c in system.conditions])
        self.rows = rows.reshape(len(system.conditions), system.network.n_outputs + 1)
        self._facets: dict[int, CellBounds] = {}

    def on_facet(self, k: int | None) -> CellBounds:
        """The same on a facet of the inputs."""
        if k is None:
            return self
        if k not in self._facets:
            inputs, floats = facets(self.system.inputs)[k], copy(self.floats)
            floats.set_inputs(inputs)
            self._facets[k] = CellBounds(self.system._replace(inputs=inputs), floats)
        return self._facets[k]

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
            low, high = cell._replace(lower=lower, upper=upper).ends()
            if (low > high).any():
                break
            if cell.signs and not ((low[part] < 0) & (high[part] > 0)).any():
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

    def bound(self, cell: Cell, proof: Proof) -> tuple[float, bool]:
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
        low, high = cell.ends()
        found = floats.of_outputs(
            weights[None] @ self.rows, low, high, given, np.array([float(proof.ball)]), shares
        )
        strict = any(self.system.conditions[j].strict for j in proof.conditions)
        return float(found.values[0]), strict

    def short(self, program: Program) -> Proof:
        """The multipliers of a program, with few bits."""
        proof = program.proof
        total = sum(proof.conditions.values())
        if len(self.rows) == 1 and program.feasible:
            conditions: dict[int, Any] = {0: 1.0}
        else:
            used = {j: w for j, w in proof.conditions.items() if w > 1e-9 * total}
            conditions = {j: short_float(w) for j, w in used.items()}
        units = {u: short_float(g) for u, g in proof.units.items() if abs(g) > 1e-12}
        m = len(self.system.inputs.rows)
        rows = {j: short_float(y) for j, y in proof.rows.items() if abs(y) > 1e-12 and j < m}
        return Proof(units, conditions, rows, short_float(proof.ball))

    def emptiness(self, cell: Cell) -> Proof | None:
        """A proof that a cell is empty, if a program finds one."""
        program = solve_program(self.system, self.floats, cell, True)
        if program is None or program.value > -TIE:
            return None
        proof = self.short(program)
        value, _ = self.bound(cell, proof)
        return proof if value < 0 else None

    def undecided(self, cell: Cell) -> NDArray[np.intp]:
        """Units without a sign."""
        open_ = (cell.lower < 0) & (cell.upper > 0)
        open_[list(cell.signs)] = False
        return np.flatnonzero(open_)

    def widest(self, node: Node) -> int | None:
        """The open unit that is farthest from a sign."""
        units = self.undecided(node.cell)
        if not units.size:
            return None
        cell = node.cell
        return int(units[np.argmax(np.minimum(cell.upper[units], -cell.lower[units]))])

    def unit(self, node: Node, program: Program) -> int | None:
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
        low, high = cell.ends()
        found = self.floats.of_outputs(weights @ self.rows, low, high, given)
        c, g = found.weights[0, units], given[0, units]
        s, z = self.floats.all_slopes[units], program.z[units]
        low, high = low[units], high[units]
        best = np.maximum(np.maximum(c * s * low - g * low, (c - g) * high), 0)
        gaps = best - (c * np.where(z > 0, z, s * z) - g * z)
        if gaps.max() > 1e-9:
            return int(units[gaps.argmax()])
        return self.widest(node)


def short_float(value: Any) -> float:
    """A float with at most 30 bits after the point, or of its own."""
    x = float(value)
    if not x:
        return 0.0
    exponent = int(np.ceil(np.log2(abs(x))))
    unit = 2.0 ** max(exponent - 30, -40)
    return float(round(x / unit) * unit)
