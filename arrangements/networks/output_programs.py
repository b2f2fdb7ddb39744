"""Linear programs of a cell, in floating point.

Units without a sign are relaxed to the triangle of their bounds. A program finds where the smallest
of the conditions is largest; its multipliers are those of a proof.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.layer import INPUT
from arrangements.networks.output_bounds import FloatNetwork
from arrangements.networks.output_system import Cell, OutputSystem, Proof

Floats = NDArray[np.float64]
# Bounds of units are rounded outwards, so that no input reaches them. They are looser in programs,
# which would take them for corners otherwise.
_LOOSE = 1e-3


class Program(NamedTuple):
    """A solution in floating point.

    Attributes
    ----------
    feasible : bool
    value : float
        Of the smallest condition; if not `feasible`, minus the least violation.
    x, z : ndarray
        Inputs, and inputs of units.
    proof : Proof
    """

    feasible: bool
    value: float
    x: Floats
    z: Floats
    proof: Proof


def solve_program(
    system: OutputSystem, floats: FloatNetwork, cell: Cell, elastic: bool = False
) -> Program | None:
    """The program of a cell; `elastic`: how far it is from being feasible. None if it fails."""
    table = _Table(system, floats, cell)
    table.fill(system, "elastic" if elastic else "largest")
    found = table.solution()
    if found is None and not elastic and table.status == 2:
        return solve_program(system, floats, cell, True)
    return found


def nearest_program(system: OutputSystem, floats: FloatNetwork, cell: Cell) -> Program | None:
    """Where in a cell the conditions hold nearest to the center of the ball; None if it fails."""
    table = _Table(system, floats, cell)
    table.fill(system, "nearest")
    return table.solution()


class _Table:
    """Rows of a program.

    It asks where the smallest condition is the "largest", how far "elastic" conditions and units
    are from being feasible, or where conditions hold "nearest" to the center of the ball.
    """

    status = -1

    def __init__(self, system: OutputSystem, floats: FloatNetwork, cell: Cell) -> None:
        network, self.floats = system.network, floats
        d, n = network.dimension, network.n_units
        self.low, self.high = (ends.tolist() for ends in cell.ends())
        self.bounds: list[tuple[float | None, float | None]] = list(
            zip(floats.low.tolist(), floats.high.tolist(), strict=True)
        )
        self.z = list(range(d, d + n))
        self.bounds += [
            (a - _LOOSE * (b - a) if a else 0.0, b + _LOOSE * (b - a) if b else 0.0)
            for a, b in zip(self.low, self.high, strict=True)
        ]
        self.less: list[dict[int, float] | Any] = []
        self.less_sides: list[float] = []
        self.equal: list[Any] = []
        self.equal_sides: list[float] = []
        self.unit_rows: dict[int, int] = {}
        self.condition_rows: dict[int, int] = {}
        self.less_rows: dict[int, int] = {}
        self.equal_rows: dict[int, int] = {}
        self.ball_row: int | None = None
        self.cost: dict[int, float] = {}
        self.outputs: dict[Any, list[dict[int, float]]] = {INPUT: [{i: 1.0} for i in range(d)]}

    def fill(self, system: OutputSystem, goal: str) -> None:
        """Make all rows."""
        self.elastic, self.nearest = goal == "elastic", goal == "nearest"
        for k in range(len(system.network.layers)):
            self._layer(k)
        self._conditions(system)
        self._inputs(system)

    def solution(self) -> Program | None:
        """The solution that HiGHS finds."""
        from scipy.optimize import linprog  # loads slowly

        objective = np.zeros(len(self.bounds))
        for i, c in self.cost.items():
            objective[i] = c
        sides = [*self.less_sides, *self.equal_sides]
        entries = [x for row in [*self.less, *self.equal] for x in row.values()]
        if not np.isfinite([*sides, *entries]).all():
            return None  # beyond floats: bounds, splits and exact programs are left
        options = {"primal_feasibility_tolerance": 1e-9, "dual_feasibility_tolerance": 1e-9}
        with np.errstate(all="ignore"):
            found = linprog(
                -objective,
                A_ub=self._matrix(self.less),
                b_ub=np.array(self.less_sides),
                A_eq=self._matrix(self.equal),
                b_eq=np.array(self.equal_sides),
                bounds=self.bounds,
                method="highs-ds",
                options=options,
            )
        self.status = int(found.status)
        if self.status:
            return None
        less, equal = -found.ineqlin.marginals, -found.eqlin.marginals
        units = {u: float(equal[i]) for u, i in self.unit_rows.items()}
        weights = {j: float(max(less[i], 0)) for j, i in self.condition_rows.items()}
        rows = {j: float(max(less[i], 0)) for j, i in self.less_rows.items()}
        rows |= {j: float(equal[i]) for j, i in self.equal_rows.items()}
        ball = 0.0 if self.ball_row is None else float(max(less[self.ball_row], 0))
        weights, rows = ({j: w for j, w in x.items() if w} for x in (weights, rows))
        proof = Proof(units, weights, rows, ball)
        x = found.x[: self.floats.network.dimension]
        return Program(not self.elastic, -float(found.fun), x, found.x[self.z], proof)

    def variable(self, low: float | None, high: float | None, cost: float = 0.0) -> int:
        self.bounds.append((low, high))
        if cost:
            self.cost[len(self.bounds) - 1] = cost
        return len(self.bounds) - 1

    def _layer(self, k: int) -> None:
        layer, floats = self.floats.layers[k], self.floats
        below: list[dict[int, float]] = []
        for source, _ in floats.places[k]:
            below += self.outputs[source]
        first = floats.network.starts[k]
        out = []
        for i, row in enumerate(floats.weights[k]):
            total: dict[int, float] = {}
            for w, terms in zip(row.tolist(), below, strict=True):
                if w:
                    for v, x in terms.items():
                        total[v] = total.get(v, 0.0) - w * x
            side = float(floats.offsets[k][i])
            if layer.is_linear:
                v = self.variable(None, None)
                total[v] = 1.0
                self._equal(total, side)
                out.append({v: 1.0})
                continue
            u = first + i
            total[self.z[u]] = 1.0
            if self.elastic:
                total[self.variable(0, None, -1.0)] = 1.0
                total[self.variable(0, None, -1.0)] = -1.0
            self.unit_rows[u] = len(self.equal)
            self._equal(total, side)
            out.append(self._activation(u, float(floats.slopes[k][i])))
        self.outputs[k] = out

    def _activation(self, u: int, s: float) -> dict[int, float]:
        low, high, z = self.low[u], self.high[u], self.z[u]
        if low >= 0:
            return {z: 1.0}
        if high <= 0:
            return {z: s} if s else {}
        a = self.variable(None, None)
        chord = (high - s * low) / (high - low)
        sign = 1.0 if s < 1 else -1.0
        self._less({z: sign, a: -sign}, 0.0)
        self._less({z: sign * s, a: -sign}, 0.0)
        self._less({a: sign, z: -sign * chord}, sign * (s * low - chord * low))
        return {a: 1.0}

    def _conditions(self, system: OutputSystem) -> None:
        last = self.outputs[len(self.floats.layers) - 1]
        t = None if self.elastic or self.nearest else self.variable(None, None, 1.0)
        has_strict = any(c.strict for c in system.conditions)
        for j, condition in enumerate(system.conditions):
            row: dict[int, float] = {}
            for w, terms in zip(condition.row[:-1], last, strict=True):
                if w:
                    for v, x in terms.items():
                        row[v] = row.get(v, 0.0) - float(w) * x
            if t is not None and (condition.strict or not has_strict):
                row[t] = 1.0
            elif self.elastic:
                row[self.variable(0, None, -1.0)] = -1.0
            self.condition_rows[j] = len(self.less)
            self._less(row, float(condition.row[-1]))

    def _inputs(self, system: OutputSystem) -> None:
        inputs = system.inputs
        for j, exact in enumerate(inputs.rows):
            row = {i: float(w) for i, w in enumerate(exact[:-1]) if w}
            if inputs.is_equation(j):
                self.equal_rows[j] = len(self.equal)
                self._equal(row, float(exact[-1]))
            else:
                self.less_rows[j] = len(self.less)
                self._less(row, float(exact[-1]))
        ball = inputs.ball
        if ball is None or (ball.norm == "max" and not self.nearest):
            return
        # the distance is a variable, or the radius; sizes of steps sum to at most that
        t = self.variable(0, None, -1.0) if self.nearest else None
        total: dict[int, float] = {}
        for i, x in enumerate(map(float, ball.center)):
            p = t if ball.norm == "max" and t is not None else self.variable(0, None)
            self._less({i: 1.0, p: -1.0}, x)
            self._less({i: -1.0, p: -1.0}, -x)
            total[p] = 1.0
        if ball.norm == "l1":
            self.ball_row = len(self.less)
            self._less(
                total if t is None else {**total, t: -1.0}, float(ball.radius) if t is None else 0.0
            )

    def _less(self, row: dict[int, float], side: float) -> None:
        self.less.append(row)
        self.less_sides.append(side)

    def _equal(self, row: dict[int, float], side: float) -> None:
        self.equal.append(row)
        self.equal_sides.append(side)

    def _matrix(self, rows: list[dict[int, float]]) -> Any:
        """The rows as a sparse matrix."""
        from scipy.sparse import csr_matrix  # loads slowly

        data = [x for row in rows for x in row.values()]
        columns = [v for row in rows for v in row]
        ends = np.cumsum([0, *map(len, rows)])
        return csr_matrix((data, columns, ends), shape=(len(rows), len(self.bounds)))
