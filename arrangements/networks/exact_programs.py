"""Linear programs in a region of a network, solved exactly by the dual simplex method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from arrangements.exact import linear
from arrangements.exact.numbers import primitive
from arrangements.networks.affine_maps import compose
from arrangements.networks.layer import INPUT
from arrangements.networks.network import Network, Point
from arrangements.networks.output_system import Cell, OutputSystem, Proof, pass_weights

Row = list[Fraction]
_ZERO, _ONE = Fraction(0), Fraction(1)


class Solution(NamedTuple):
    """A vertex and weights of rows whose sum is the objective; without a vertex, of sum 0."""

    point: Row | None
    weights: dict[int, Fraction]


def largest(rows: Sequence[Row], sides: Sequence[Fraction], objective: Row) -> Solution:
    """Where ``objective @ x`` is largest among all x with ``rows @ x <= sides``.

    Rows 2 i and 2 i + 1 are those of the box, ``x_i <= sides[2 i]`` and ``-x_i <= sides[2 i + 1]``.
    Bland's rule chooses, so the method ends.

    Examples
    --------
    >>> one = Fraction(1)
    >>> box = [[one, 0 * one], [-one, 0 * one], [0 * one, one], [0 * one, -one]]
    >>> found = largest([*box, [one, one]], [one, one, one, one, one / 2], [one, 2 * one])
    >>> list(map(str, found.point)), {i: str(found.weights[i]) for i in sorted(found.weights)}
    (['-1/2', '1'], {2: '1', 4: '1'})
    """
    n = len(objective)
    found = _float_basis(rows, sides, objective)
    if found is None:
        basis = [2 * i + (objective[i] < 0) for i in range(n)]
        inverse = [[rows[basis[i]][i] * (i == j) for j in range(n)] for i in range(n)]
    else:
        basis, inverse = found
    while True:
        x = [
            sum((a * sides[b] for a, b in zip(row, basis, strict=True) if a), _ZERO)
            for row in inverse
        ]
        violated = next(
            (r for r, row in enumerate(rows) if sum(map(mul, row, x), _ZERO) > sides[r]), None
        )
        columns = list(zip(*inverse, strict=True))
        y = [sum(map(mul, objective, column), _ZERO) for column in columns]
        if violated is None:
            return Solution(x, {b: w for b, w in zip(basis, y, strict=True) if w})
        alpha = [sum(map(mul, rows[violated], column), _ZERO) for column in columns]
        choices = [(y[i] / a, basis[i], i) for i, a in enumerate(alpha) if a > 0]
        if not choices:
            weights = {b: -a for b, a in zip(basis, alpha, strict=True) if a}
            return Solution(None, {**weights, violated: _ONE})
        p = min(choices)[2]
        for row in inverse:
            if row[p]:
                row[p] /= alpha[p]
                for j, a in enumerate(alpha):
                    if a and j != p:
                        row[j] -= a * row[p]
        basis[p] = violated


def _float_basis(
    rows: Sequence[Row], sides: Sequence[Fraction], objective: Row
) -> tuple[list[int], list[Row]] | None:
    """The rows that hold with equality at a solution in floating point, and their inverse.

    None unless the objective is exactly a sum of non-negative multiples of them.
    """
    from scipy.optimize import linprog  # loads slowly

    A, c = np.array(rows, float), np.array(sides, float)
    found = linprog(
        -np.array(objective, float), A_ub=A, b_ub=c, bounds=(None, None), method="highs-ds"
    )
    if found.status:
        return None
    y, slack = -found.ineqlin.marginals, c - A @ found.x
    used = np.flatnonzero(y > 1e-9 * (1 + y.max(initial=0))).tolist()
    near = 1e-7 * (1 + np.abs(c) + np.abs(A) @ np.abs(found.x))
    tight = [i for i in np.argsort(slack).tolist() if slack[i] <= near[i] and i not in used]
    others = linear.completion(
        [primitive(rows[i]) for i in used], [primitive(rows[i]) for i in tight]
    )
    basis = used + [tight[i] for i in others or ()]
    if others is None or len(basis) != len(objective):
        return None
    inverse = linear.inverse([rows[i] for i in basis])
    if inverse is None:
        return None
    shares = [sum(map(mul, objective, column), _ZERO) for column in zip(*inverse, strict=True)]
    return (basis, inverse) if min(shares) >= 0 else None


def decide_region(system: OutputSystem, cell: Cell) -> tuple[Proof | None, Point | None]:
    """The exact proof and the best point of a region, the signs of all of whose units are known.

    The point is one where the smallest of the strict conditions is largest, or the nearest one to
    the center of an open ball.
    """
    ball = system.inputs.ball
    nearest = ball is not None and ball.is_open and not any(c.strict for c in system.conditions)
    proof, point = _solve(system, cell, nearest)
    return proof, None if point is None else point[: system.network.dimension]


def flat_proof(system: OutputSystem, cell: Cell) -> tuple[Proof | None, Point | None]:
    """The proof that a region, the signs of all of whose units are known, is empty or flat.

    Without one, a point of its interior.
    """
    proof, point = _solve(system, cell)
    d = system.network.dimension
    if point is not None and (point[d] > 0 or not cell.signs):
        return None, _inside(system, point[:d])
    return proof, None


def _inside(system: OutputSystem, point: Point) -> Point:
    """A point next to another one, in the interior of the polyhedron."""
    middle = system.inputs.polyhedron.interior_point
    assert middle is not None
    share = Fraction(1, 2**20)
    signs = system.network.pattern_at(np.array(point, object))
    while True:
        found = tuple(a + share * (b - a) for a, b in zip(point, middle, strict=True))
        if np.array_equal(system.network.pattern_at(np.array(found, object)), signs):
            return found
        share /= 2**20


def _solve(system: OutputSystem, cell: Cell, nearest: bool = False) -> tuple[Proof, Point | None]:
    network = system.network
    signs = _signs(cell, network.n_units)
    layers, outputs = compose(network, signs)
    unit_rows = [
        [Fraction(x, z.scale) for x in row]
        for layer, z in zip(network.layers, layers, strict=True)
        if not layer.is_linear
        for row in z.rows
    ]
    values = [[Fraction(x, outputs.scale) for x in row] for row in outputs.rows]
    conditions = []
    for condition in system.conditions:
        columns = zip(*values, strict=True)
        total = [sum(map(mul, condition.row, column), _ZERO) for column in columns]
        total[-1] += condition.row[-1]
        conditions.append(total)
    ends = zip(system.inputs.low, system.inputs.high, strict=True)
    reach = [max(abs(Fraction(low)), abs(Fraction(high))) for low, high in ends]
    # no condition, and without conditions no unit, is larger in size
    bounding = conditions or unit_rows
    sizes = [sum(map(mul, map(abs, row), reach), abs(row[-1])) for row in bounding]
    table = _Rows(system, nearest, 1 + max(sizes, default=_ZERO))
    for u in cell.signs:
        row = [-signs[u] * x for x in unit_rows[u][:-1]]
        t = None if system.conditions or not any(row) else _ONE  # a constant makes nothing flat
        table.add(("unit", u), row, signs[u] * unit_rows[u][-1], t)
    for j, row in enumerate(conditions):
        strict = system.conditions[j].strict or not any(c.strict for c in system.conditions)
        t = _ONE if strict and not nearest else None
        table.add(("condition", j), [-x for x in row[:-1]], row[-1], t)
    found = largest(table.rows, table.sides, table.objective)
    weights: dict[tuple[str, int], Fraction] = {}
    for i, w in found.weights.items():
        if (name := table.names[i]) is not None:
            weights[name] = weights.get(name, _ZERO) + w * table.factors[i]
    shares = {j: w for (kind, j), w in weights.items() if kind == "condition"}
    moves = {u: signs[u] * w for (kind, u), w in weights.items() if kind == "unit"}
    rows = {j: w for (kind, j), w in weights.items() if kind == "row"}
    slopes = [_ONE if sign > 0 else s for sign, s in zip(signs, network.unit_slopes, strict=True)]
    proof = Proof(
        unit_multiples(system, slopes, shares, moves), shares, rows, weights.get(("ball", 0), _ZERO)
    )
    point = None if found.point is None else tuple(found.point)
    return proof, point


def _signs(cell: Cell, n: int) -> list[int]:
    """The sign of each unit in a region."""
    return [cell.signs.get(u) or (1 if cell.lower[u] >= 0 else -1) for u in range(n)]


class _Rows:
    """Rows of a program: the box of the inputs, one more variable, and sizes for the l1-ball.

    The variable is the smallest condition, which is less than `far` in size, or, if `nearest`, the
    distance from the center.
    """

    def __init__(self, system: OutputSystem, nearest: bool, far: Fraction) -> None:
        self.nearest = nearest
        inputs, d = system.inputs, system.network.dimension
        ball = inputs.ball if inputs.ball is not None and inputs.ball.norm == "l1" else None
        self.d, self.width = d, d + 1 + (d if ball else 0)
        self.rows: list[Row] = []
        self.sides: list[Fraction] = []
        self.names: list[tuple[str, int] | None] = []
        self.factors: list[Fraction] = []
        t = (-far, far)
        if nearest and inputs.ball is not None:
            t = (_ZERO, inputs.ball.radius)
        ends = [*zip(inputs.low, inputs.high, strict=True), t]
        ends += [(_ZERO, ball.radius)] * d if ball else []
        for i, (low, high) in enumerate(ends):
            assert isinstance(low, Fraction) and isinstance(high, Fraction) and abs(high) < inf
            for sign, side in (_ONE, high), (-_ONE, -low):
                row = [_ZERO] * self.width
                row[i] = sign
                self._append(None, row, side)
        m = len(inputs.rows) - inputs.n_equations
        for j, given in enumerate(inputs.rows):
            self.add(("row", j), list(given[:-1]), given[-1])
            if j >= m:
                self.add(("row", j), [-x for x in given[:-1]], -given[-1])
                self.factors[-1] = -_ONE
        if ball:
            for i in range(d):
                for sign in (_ONE, -_ONE):
                    row = [_ZERO] * self.width
                    row[i], row[d + 1 + i] = sign, -_ONE
                    self._append(None, row, sign * ball.center[i])
            last = -_ONE if nearest else _ZERO
            side = _ZERO if nearest else ball.radius
            self._append(("ball", 0), [_ZERO] * d + [last] + [_ONE] * d, side)
        elif nearest and inputs.ball is not None:
            for i, x in enumerate(inputs.ball.center):
                for sign in (_ONE, -_ONE):
                    row = [sign * (i == j) for j in range(d)] + [-_ONE]
                    self._append(None, row, sign * x)

    def add(
        self, name: tuple[str, int], row: Row, side: Fraction, t: Fraction | None = None
    ) -> None:
        """Add a row of the inputs, and of the smallest condition."""
        self._append(name, row + [t or _ZERO] + [_ZERO] * (self.width - self.d - 1), side)

    def _append(self, name: tuple[str, int] | None, row: Row, side: Fraction) -> None:
        self.rows.append(row)
        self.sides.append(side)
        self.names.append(name)
        self.factors.append(_ONE)

    @property
    def objective(self) -> Row:
        """The smallest condition, or minus the distance."""
        return [(-_ONE if self.nearest else _ONE) * (i == self.d) for i in range(self.width)]


def unit_multiples(
    system: OutputSystem,
    slopes: Sequence[Fraction],
    weights: dict[int, Fraction],
    moves: dict[int, Fraction],
) -> dict[int, Fraction]:
    """The multiples of all units: their slopes times the weights of their outputs, and moves."""
    network, state = system.network, _output_weights(system, weights)
    found: dict[int, Fraction] = {}
    for k in range(len(network.layers) - 1, -1, -1):
        own = state[k]
        if not network.layers[k].is_linear:
            first = network.starts[k]
            own = [c * slopes[first + i] + moves.get(first + i, 0) for i, c in enumerate(own)]
            found |= {first + i: g for i, g in enumerate(own) if g}
        pass_weights(network, k, own, state)
    return found


def input_weights(system: OutputSystem, proof: Proof) -> list[Fraction]:
    """The weights of the inputs that a proof leaves to their box."""
    network, state = system.network, _output_weights(system, proof.conditions)
    for k in range(len(network.layers) - 1, -1, -1):
        own = state[k]
        if not network.layers[k].is_linear:
            first = network.starts[k]
            own = [Fraction(proof.units.get(first + i, 0)) for i in range(len(own))]
        pass_weights(network, k, own, state)
    q = state[INPUT]
    for j, weight in proof.rows.items():
        q = [a - Fraction(weight) * b for a, b in zip(q, system.inputs.rows[j], strict=False)]
    return q


def _output_weights(system: OutputSystem, weights: Mapping[int, Any]) -> dict[Any, list[Fraction]]:
    """Weights of the outputs of all layers: those of a sum of conditions, and 0."""
    network: Network = system.network
    rows = [(Fraction(w), system.conditions[j].row) for j, w in weights.items()]
    state: dict[Any, list[Fraction]] = {INPUT: [_ZERO] * network.dimension}
    for k, layer in enumerate(network.layers):
        state[k] = [_ZERO] * layer.n_outputs
    state[len(network.layers) - 1] = [
        sum((w * row[i] for w, row in rows), _ZERO) for i in range(network.n_outputs)
    ]
    return state
