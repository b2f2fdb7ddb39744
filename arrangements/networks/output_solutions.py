"""The exact proof and the exact inputs that a program in floating point means."""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact import linear
from arrangements.exact.numbers import times_common_denominator
from arrangements.networks.affine_maps import AffineMap, Composition
from arrangements.networks.exact_programs import input_weights, unit_multiples
from arrangements.networks.layer import INPUT
from arrangements.networks.network import Point
from arrangements.networks.output_programs import Program
from arrangements.networks.output_system import Cell, OutputSystem, Proof

Floats = NDArray[np.float64]
# Relative sizes below which a multiplier or a distance counts as 0 where exact numbers are tried.
_NEAR = 1e-7


def exact_solution(
    system: OutputSystem, cell: Cell, program: Program
) -> tuple[Proof | None, Point | None]:
    """The exact proof and the exact inputs that a program means, if its multipliers say so.

    Units whose multiple is none of their slopes are at a kink; inputs with a multiplier are at an
    end. The others determine all numbers by linear equations.
    """
    return _Exact(system, cell, program).solution()


class _Exact:
    def __init__(self, system: OutputSystem, cell: Cell, program: Program) -> None:
        self.system, self.cell, self.program = system, cell, program
        self.network = system.network

    def solution(self) -> tuple[Proof | None, Point | None]:
        """Proof and point."""
        self._classify()
        if self.free is None:
            return None, None
        self._forward()
        proof = self._proof()
        if proof is not None and self._turn(proof):
            self._forward()
        return proof, self._point()

    def _turn(self, proof: Proof) -> bool:
        """Put inputs to the ends of the box that exact multipliers ask for; whether any moved."""
        inputs, moved = self.system.inputs, False
        q = input_weights(self.system, proof)
        for i, end in self.fixed.items():
            if (
                inputs.ball is not None
                and inputs.ball.norm == "l1"
                and end == inputs.ball.center[i]
            ):
                continue
            wanted = inputs.high[i] if q[i] > 0 else inputs.low[i] if q[i] < 0 else end
            if wanted != end and isinstance(wanted, Fraction):
                self.fixed[i], moved = wanted, True
        return moved

    def _classify(self) -> None:
        """Which units are at a kink, and what slope the others have; which inputs are free."""
        network, cell, proof, z = self.network, self.cell, self.program.proof, self.program.z
        self.slope, self.shift = [], []  # a = slope z + shift
        self.kinks: dict[int, Fraction] = {}
        c = self._output_weights()
        scale = max([1e-300, *(abs(x) for x in c), *(abs(x) for x in proof.units.values())])
        for u, s in enumerate(network.unit_slopes):
            low, high = cell.interval(u)
            assert isinstance(low, Fraction) and isinstance(high, Fraction)
            g = float(proof.units.get(u, 0.0))
            pieces: list[tuple[Fraction, Fraction]]
            if low >= 0:
                pieces = [(Fraction(1), Fraction(0))]
            elif high <= 0:
                pieces = [(s, Fraction(0))]
            else:
                chord = (high - s * low) / (high - low)
                sides = [(Fraction(1), Fraction(0)), (s, Fraction(0))]
                pieces = [*(sides if z[u] > 0 else sides[::-1]), (chord, (s - chord) * low)]
            fits = [p for p in pieces if abs(c[u] * float(p[0]) - g) <= _NEAR * scale]
            if fits:
                self.slope.append(fits[0][0])
                self.shift.append(fits[0][1])
                continue
            ends = [e for e in (low, high) if e] + [Fraction(0)] * (low <= 0 <= high)
            kink = min(ends, key=lambda e: abs(float(e) - z[u]))
            self.kinks[u] = kink
            self.slope.append(pieces[0][0])
            value = kink if kink > 0 else s * kink
            self.shift.append(value - pieces[0][0] * kink)
        self._classify_inputs(scale)

    def _output_weights(self) -> list[float]:
        """Weights of the outputs of units, in floating point."""
        network, proof = self.network, self.program.proof
        state: dict[Any, Floats] = {}
        rows = np.array(
            [[float(x) for x in condition.row[:-1]] for condition in self.system.conditions]
        )
        weights = np.array([float(proof.conditions.get(j, 0)) for j in range(len(rows))])
        state[len(network.layers) - 1] = weights @ rows
        found = np.zeros(network.n_units)
        for k in range(len(network.layers) - 1, -1, -1):
            layer, c = network.layers[k], state.pop(k, None)
            if c is None:
                continue
            if not layer.is_linear:
                first = network.starts[k]
                found[first : first + layer.n_units] = c
                c = np.array([float(proof.units.get(first + i, 0)) for i in range(layer.n_units)])
            down, at = c @ layer.float_weights, 0
            for source in layer.inputs or ():
                n = network.dimension if source == INPUT else network.layers[int(source)].n_outputs
                state[source] = state.get(source, 0) + down[at : at + n]
                at += n
        q = np.asarray(state.get(INPUT, np.zeros(network.dimension)), float) + np.zeros(
            network.dimension
        )
        for j, weight in proof.rows.items():
            q = q - float(weight) * np.array([float(x) for x in self.system.inputs.rows[j][:-1]])
        self.q = q
        return [float(x) for x in found]

    def _classify_inputs(self, scale: float) -> None:
        """Inputs at an end of the box, or at the center of the l1-ball; signs of the others."""
        inputs, x = self.system.inputs, self.program.x
        ball = inputs.ball if inputs.ball is not None and inputs.ball.norm == "l1" else None
        theta = float(self.program.proof.ball) if ball else 0.0
        scale = max(scale, float(np.abs(self.q).max(initial=0)))
        self.fixed: dict[int, Fraction] = {}
        self.free: list[int] | None = []
        self.sides: dict[int, int] = {}
        for i, q in enumerate(self.q):
            side = 0
            if theta > _NEAR * scale and ball is not None:
                side = 1 if x[i] > ball.center[i] else -1
                if abs(q) < theta * (1 - _NEAR) - _NEAR * scale:
                    self.fixed[i] = ball.center[i]
                    continue
                side = 1 if q > 0 else -1
            low, high = float(inputs.low[i]), float(inputs.high[i])
            near = _NEAR * max(high - low, 1e-300)
            is_inside = low + near < x[i] < high - near
            if abs(q - side * theta) <= _NEAR * scale and is_inside:
                self.free.append(i)
                self.sides[i] = side
                continue
            up = 2 * x[i] > low + high if abs(q - side * theta) <= _NEAR * scale else q > 0
            end = inputs.high[i] if up else inputs.low[i]
            if not isinstance(end, Fraction):
                self.free = None
                return
            self.fixed[i] = end
        self.used_rows = [j for j, y in self.program.proof.rows.items() if abs(y) > _NEAR * scale]
        equations = filter(inputs.is_equation, range(len(inputs.rows)))
        self.used_rows += [j for j in equations if j not in self.used_rows]
        self.use_ball = theta > _NEAR * scale
        total = sum(self.program.proof.conditions.values())
        self.used_conditions = [
            j for j, w in self.program.proof.conditions.items() if w > _NEAR * max(total, 1e-300)
        ]

    def _forward(self) -> None:
        """Inputs of units at a kink and conditions as functions of the free inputs and 1."""
        assert self.free is not None
        place = {i: j for j, i in enumerate(self.free)}
        width, inputs = len(place) + 1, []
        for i in range(self.network.dimension):
            row = [Fraction(0)] * width
            row[place.get(i, -1)] = Fraction(1) if i in place else self.fixed[i]
            inputs.append(row)
        one = [0] * (width - 1) + [1]
        state = Composition(self.network.layers, AffineMap(*times_common_denominator(inputs)), one)
        self.unit_rows: dict[int, list[Fraction]] = {}
        for k, layer in enumerate(self.network.layers):
            z, first = state.preactivations(), self.network.starts[k]
            for u in self.kinks.keys() & range(first, first + layer.n_units):
                self.unit_rows[u] = [Fraction(x, z.scale) for x in z.rows[u - first]]
            units = slice(first, first + layer.n_units)
            made = z if layer.is_linear else _bend(z, self.slope[units], self.shift[units])
            state = state._replace(outputs=(*state.outputs, made))
        outputs = [[Fraction(x, made.scale) for x in row] for row in made.rows]
        self.condition_rows = []
        for condition in self.system.conditions:
            row = [
                sum((w * o[j] for w, o in zip(condition.row, outputs, strict=False)), Fraction(0))
                for j in range(width)
            ]
            row[-1] += condition.row[-1]
            self.condition_rows.append(row)
        self.input_rows = []
        for exact in self.system.inputs.rows:
            row = [-exact[i] for i in self.free]
            row.append(exact[-1] - sum((exact[i] * x for i, x in self.fixed.items()), Fraction(0)))
            self.input_rows.append(row)

    def _proof(self) -> Proof | None:
        """Exact multipliers: the gradient of their sum is 0 in the free inputs."""
        assert self.free is not None
        kinks, conditions, rows = list(self.kinks), self.used_conditions, self.used_rows
        parts = [self.condition_rows[j] for j in conditions]
        parts += [self.unit_rows[u] for u in kinks] + [self.input_rows[j] for j in rows]
        columns = [part[:-1] for part in parts]
        n = len(self.free)
        if self.use_ball:
            columns.append([Fraction(-self.sides[i]) for i in self.free])
        equations = (
            [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(n)]
        )
        right = [Fraction(0)] * n
        if conditions:
            ones = len(conditions)
            equations.append([Fraction(1)] * ones + [Fraction(0)] * (len(columns) - ones))
        elif columns:  # the scale is free
            given = [self.program.proof.units.get(u, 0.0) for u in kinks]
            given += [self.program.proof.rows.get(j, 0.0) for j in rows]
            big = max(range(len(given)), key=lambda i: abs(given[i]), default=None)
            if big is None:
                return None
            equations.append([Fraction(i == big) for i in range(len(columns))])
            right.append(Fraction(1 if given[big] > 0 else -1))
        if conditions:
            right.append(Fraction(1))
        if not columns:
            return None
        found = linear.solve(equations, right)
        if found is None:
            return None
        k = len(conditions)
        weights = {j: Fraction(w) for j, w in zip(conditions, found, strict=False) if w}
        moves = {u: Fraction(w) for u, w in zip(kinks, found[k:], strict=False)}
        shares = {j: Fraction(w) for j, w in zip(rows, found[k + len(kinks) :], strict=False) if w}
        theta = Fraction(found[-1]) if self.use_ball else Fraction(0)
        return Proof(
            unit_multiples(self.system, self.slope, weights, moves), weights, shares, theta
        )

    def _point(self) -> Point | None:
        """The exact inputs: kinks, rows and the ball hold with equality."""
        assert self.free is not None
        x = [self.fixed.get(i) for i in range(self.network.dimension)]
        start = [_short(self.program.x[i]) for i in self.free]
        equal: list[tuple[list[Fraction], Fraction]] = []
        for u, kink in self.kinks.items():
            equal.append((self.unit_rows[u][:-1], kink - self.unit_rows[u][-1]))
        for j in self.used_rows:
            equal.append((self.input_rows[j][:-1], -self.input_rows[j][-1]))
        ball = self.system.inputs.ball
        if self.use_ball and ball is not None:
            rest = ball.radius - sum(
                (abs(v - ball.center[i]) for i, v in self.fixed.items()), Fraction(0)
            )
            row = [Fraction(self.sides[i]) for i in self.free]
            rest += sum((self.sides[i] * ball.center[i] for i in self.free), Fraction(0))
            equal.append((row, rest))
        used = self.used_conditions
        for j in used[1:]:  # all smallest conditions are equal
            a, b = self.condition_rows[used[0]], self.condition_rows[j]
            equal.append(([p - q for p, q in zip(a[:-1], b, strict=False)], b[-1] - a[-1]))
        if equal and self.free:
            rest_ = [side - sum(map(mul, row, start), Fraction(0)) for row, side in equal]
            move = linear.solve([row for row, _ in equal], rest_)
            if move is None:
                return None
            start = [a + Fraction(b) for a, b in zip(start, move, strict=True)]
        for i, value in zip(self.free, start, strict=True):
            x[i] = value
        return tuple(Fraction(v) for v in x if v is not None)


def _bend(z: AffineMap, slopes: list[Fraction], shifts: list[Fraction]) -> AffineMap:
    """The functions ``slope * z + shift``.

    Examples
    --------
    >>> third, zero = Fraction(1, 3), Fraction(0)
    >>> _bend(AffineMap([[2, 1], [3, 0]], 2), [third, zero], [zero, Fraction(5)])
    AffineMap(rows=[[2, 1], [0, 30]], scale=6)
    """
    (factors, ends), common = times_common_denominator([slopes, shifts])
    rows = [[factor * x for x in row] for factor, row in zip(factors, z.rows, strict=True)]
    for row, end in zip(rows, ends, strict=True):
        row[-1] += end * z.scale
    return AffineMap(rows, z.scale * common)


def _short(x: float) -> Fraction:
    """A number with few bits near a float."""
    return Fraction(round(float(x) * 2**20), 2**20)
