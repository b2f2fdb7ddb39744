"""Linear programs in a cell of a network, solved exactly by the simplex method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from arrangements.exact import linear
from arrangements.exact.numbers import primitive
from arrangements.networks.affine_maps import AffineMap, Composition
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
    # another objective for which the weights of the basis are not negative
    shares = _products(objective, inverse)
    shifted = list(objective)
    for b, share in zip(basis, shares, strict=True):
        if share < 0:
            shifted = [c - share * x for c, x in zip(shifted, rows[b], strict=True)]
    weights = _dual_steps(rows, sides, shifted, basis, inverse)
    if weights is not None:
        return Solution(None, weights)
    return _primal_steps(rows, sides, objective, basis, inverse)


def _products(row: Row, inverse: Sequence[Row]) -> Row:
    return [sum(map(mul, row, column), _ZERO) for column in zip(*inverse, strict=True)]


def _vertex(sides: Sequence[Fraction], basis: Sequence[int], inverse: Sequence[Row]) -> Row:
    return [
        sum((a * sides[b] for a, b in zip(row, basis, strict=True) if a), _ZERO) for row in inverse
    ]


def _exchange(inverse: Sequence[Row], alpha: Row, p: int) -> None:
    """Put a row, whose products with the columns are alpha, in the place p of the basis."""
    for row in inverse:
        if row[p]:
            row[p] /= alpha[p]
            for j, a in enumerate(alpha):
                if a and j != p:
                    row[j] -= a * row[p]


def _dual_steps(
    rows: Sequence[Row],
    sides: Sequence[Fraction],
    objective: Row,
    basis: list[int],
    inverse: Sequence[Row],
) -> dict[int, Fraction] | None:
    """Steps until the vertex of the basis meets all rows; weights that exclude it, if none does."""
    while True:
        x = _vertex(sides, basis, inverse)
        violated = next(
            (r for r, row in enumerate(rows) if sum(map(mul, row, x), _ZERO) > sides[r]), None
        )
        if violated is None:
            return None
        y, alpha = _products(objective, inverse), _products(rows[violated], inverse)
        choices = [(y[i] / a, basis[i], i) for i, a in enumerate(alpha) if a > 0]
        if not choices:
            weights = {b: -a for b, a in zip(basis, alpha, strict=True) if a}
            return {**weights, violated: _ONE}
        p = min(choices)[2]
        _exchange(inverse, alpha, p)
        basis[p] = violated


def _primal_steps(
    rows: Sequence[Row],
    sides: Sequence[Fraction],
    objective: Row,
    basis: list[int],
    inverse: Sequence[Row],
) -> Solution:
    """Steps from vertex to vertex until all weights are not negative."""
    while True:
        x, y = _vertex(sides, basis, inverse), _products(objective, inverse)
        leaving = [(b, i) for i, b in enumerate(basis) if y[i] < 0]
        if not leaving:
            return Solution(x, {b: w for b, w in zip(basis, y, strict=True) if w})
        p = min(leaving)[1]
        column = [row[p] for row in inverse]
        choices = []
        for r, row in enumerate(rows):
            step = sum(map(mul, row, column), _ZERO)
            if step < 0:
                choices.append(((sum(map(mul, row, x), _ZERO) - sides[r]) / step, r))
        entering = min(choices)[1]  # the box bounds every step
        _exchange(inverse, _products(rows[entering], inverse), p)
        basis[p] = entering


def _float_basis(
    rows: Sequence[Row], sides: Sequence[Fraction], objective: Row
) -> tuple[list[int], list[Row]] | None:
    """The rows that hold with equality at a solution in floating point, and their inverse."""
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
    return None if inverse is None else (basis, inverse)


class CellSolution(NamedTuple):
    """The exact solution of the program of a cell.

    Attributes
    ----------
    proof : Proof
        The best one.
    point : tuple of Fraction, or None
        Inputs where the program is solved; None if it has no solution.
    value : Fraction
        Of the smallest condition there.
    unit : int or None
        Of the units without a sign the one that is the farthest from its graph there.
    """

    proof: Proof
    point: Point | None = None
    value: Fraction = _ZERO
    unit: int | None = None


def decide_region(system: OutputSystem, cell: Cell) -> tuple[Proof, Point | None]:
    """The exact proof and the best point of a region, the signs of all of whose units are known.

    The point is one where the smallest of the strict conditions is largest, or the nearest one to
    the center of an open ball.
    """
    ball = system.inputs.ball
    nearest = ball is not None and ball.is_open and not any(c.strict for c in system.conditions)
    found = _solve(system, cell, nearest)
    return found.proof, found.point


def relax_cell(system: OutputSystem, cell: Cell) -> CellSolution | None:
    """The solution where units without a sign are relaxed to the triangle of their bounds.

    None if bounds are infinite.

    Examples
    --------
    >>> from arrangements import Polyhedron
    >>> from arrangements.networks.output_system import Condition, read_inputs
    >>> net = Network([([[1], [-1]], None), ([[1, 1]], None)])
    >>> inputs = read_inputs(Polyhedron.box(-1, 2, dimension=1))
    >>> system = OutputSystem(net, inputs, (Condition((_ONE, _ZERO)),))
    >>> found = relax_cell(system, Cell(np.array([-1, -2]), np.array([2, 1]), {}))
    >>> str(found.value), list(map(str, found.point)), found.unit
    ('2', ['2'], None)
    """
    signs = _signs(cell, system.network.n_units)
    ends = [end for u in _open_units(signs) for end in cell.interval(u)]
    return None if inf in map(abs, ends) else _solve(system, cell)


def flat_proof(system: OutputSystem, cell: Cell) -> tuple[Proof | None, Point | None]:
    """The proof that a region, the signs of all of whose units are known, is empty or flat.

    Without one, a point of its interior.
    """
    found = _solve(system, cell)
    if found.point is not None and (found.value > 0 or not cell.signs):
        return None, _inside(system, found.point)
    return found.proof, None


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


def _solve(system: OutputSystem, cell: Cell, nearest: bool = False) -> CellSolution:
    network = system.network
    signs = _signs(cell, network.n_units)
    relaxed = {u: cell.interval(u) for u in _open_units(signs)}
    layers, outputs = _compose(network, signs)
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
    slopes = network.unit_slopes
    reach += [
        1 + max(_ONE, abs(slopes[u])) * max(-Fraction(low), Fraction(high))
        for u, (low, high) in relaxed.items()
    ]
    # no condition, and without conditions no unit, is larger in size
    bounding = conditions or unit_rows
    sizes = [sum(map(mul, map(abs, row), reach), abs(row[-1])) for row in bounding]
    d = network.dimension
    table = _Rows(system, nearest, 1 + max(sizes, default=_ZERO), reach[d:])
    for u in cell.signs:
        row = [-signs[u] * x for x in unit_rows[u][:-1]]
        t = None if system.conditions or not any(row) else _ONE  # a constant makes nothing flat
        table.add(("unit", u), row, signs[u] * unit_rows[u][-1], t, factor=Fraction(signs[u]))
    for k, (u, (low, high)) in enumerate(relaxed.items()):
        table.add_triangle(u, unit_rows[u], d + k, slopes[u], Fraction(low), Fraction(high))
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
    moves = {u: w for (kind, u), w in weights.items() if kind == "unit"}
    rows = {j: w for (kind, j), w in weights.items() if kind == "row"}
    factors = [
        _ONE if sign > 0 else s if sign else _ZERO for sign, s in zip(signs, slopes, strict=True)
    ]
    proof = Proof(
        unit_multiples(system, factors, shares, moves),
        shares,
        rows,
        weights.get(("ball", 0), _ZERO),
    )
    if found.point is None:
        return CellSolution(proof)
    outputs_of = dict(zip(relaxed, found.point[table.fixed :], strict=True))
    at = [*found.point[:d], *outputs_of.values(), _ONE]
    gaps = {}
    for u, a in outputs_of.items():
        z = sum(map(mul, unit_rows[u], at), _ZERO)
        gaps[u] = abs(a - (z if z > 0 else slopes[u] * z))
    unit = max(gaps, key=lambda u: gaps[u], default=None)
    unit = None if unit is None or not gaps[unit] else unit
    return CellSolution(proof, tuple(found.point[:d]), found.point[d], unit)


def _signs(cell: Cell, n: int) -> list[int]:
    """The sign of each unit in a cell, 0 if it is not known."""
    return [
        cell.signs.get(u) or (1 if cell.lower[u] >= 0 else -1 if cell.upper[u] <= 0 else 0)
        for u in range(n)
    ]


def _open_units(signs: Sequence[int]) -> list[int]:
    return [u for u, sign in enumerate(signs) if not sign]


def _compose(network: Network, signs: Sequence[int]) -> tuple[list[AffineMap], AffineMap]:
    """The functions of all layers before activation, and the outputs.

    They are functions of the inputs and of the outputs of the units without a sign.
    """
    places = {u: k for k, u in enumerate(_open_units(signs))}
    d, m = network.dimension, len(places)
    basis = [[int(i == j) for j in range(d + 1)] for i in (*range(d), *[-1] * m, d)]
    state, found = Composition.of(network.layers, basis), []
    for k, layer in enumerate(network.layers):
        first, z = network.starts[k], state.preactivations()
        found.append(z)
        own = signs[first : first + layer.n_units]
        state = state.then(z, own)
        active = state.outputs[-1]
        for i, sign in enumerate(own):
            if not sign:
                row = [0] * (d + m + 1)
                row[d + places[first + i]] = active.scale
                active.rows[i] = row
    return found, state.outputs[-1]


class _Rows:
    """Rows of a program: the box of the inputs, one more variable, and sizes for the l1-ball.

    The variable is the smallest condition, which is less than `far` in size, or, if `nearest`, the
    distance from the center. After these come the outputs of units without a sign, whose sizes
    are less than in `reach`.
    """

    def __init__(
        self, system: OutputSystem, nearest: bool, far: Fraction, reach: Sequence[Fraction]
    ) -> None:
        self.nearest = nearest
        inputs, d = system.inputs, system.network.dimension
        ball = inputs.ball if inputs.ball is not None and inputs.ball.norm == "l1" else None
        self.d, self.fixed = d, d + 1 + (d if ball else 0)
        self.width = self.fixed + len(reach)
        self.rows: list[Row] = []
        self.sides: list[Fraction] = []
        self.names: list[tuple[str, int] | None] = []
        self.factors: list[Fraction] = []
        t = (-far, far)
        if nearest and inputs.ball is not None:
            t = (_ZERO, inputs.ball.radius)
        ends = [*zip(inputs.low, inputs.high, strict=True), t]
        ends += [(_ZERO, ball.radius)] * d if ball else []
        ends += [(-size, size) for size in reach]
        for i, (low, high) in enumerate(ends):
            assert isinstance(low, Fraction) and isinstance(high, Fraction) and abs(high) < inf
            for sign, side in (_ONE, high), (-_ONE, -low):
                row = [_ZERO] * self.width
                row[i] = sign
                self._append(None, row, side)
        for j, given in enumerate(inputs.rows):
            self.add(("row", j), list(given[:-1]), given[-1])
            if inputs.is_equation(j):
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
            row = [_ZERO] * d + [last] + [_ONE] * d + [_ZERO] * len(reach)
            self._append(("ball", 0), row, side)
        elif nearest and inputs.ball is not None:
            for i, x in enumerate(inputs.ball.center):
                for sign in (_ONE, -_ONE):
                    row = [sign * (i == j) for j in range(d)] + [-_ONE]
                    self._append(None, row + [_ZERO] * len(reach), sign * x)

    def add(
        self,
        name: tuple[str, int],
        row: Row,
        side: Fraction,
        t: Fraction | None = None,
        factor: Fraction = _ONE,
    ) -> None:
        """Add a row of the inputs and other outputs, and of the smallest condition.

        factor : by which its weight is multiplied in a proof
        """
        middle = [t or _ZERO] + [_ZERO] * (self.fixed - self.d - 1)
        more = row[self.d :] + [_ZERO] * (self.width - self.fixed - len(row) + self.d)
        self._append(name, row[: self.d] + middle + more, side)
        self.factors[-1] = factor

    def add_triangle(
        self, u: int, z: Row, place: int, slope: Fraction, low: Fraction, high: Fraction
    ) -> None:
        """Add the rows of a unit without a sign: the convex hull of its graph."""
        chord = (high - slope * low) / (high - low)
        upward = _ONE if slope < 1 else -_ONE
        for steep, sign in (_ONE, upward), (slope, upward), (chord, -upward):
            # sign * (steep z - a) is at most 0; the chord goes through its ends
            row = [sign * steep * x for x in z]
            row[place] -= sign
            side = sign * (steep * high - high) if steep == chord else _ZERO
            self.add(("unit", u), row[:-1], side - row[-1], factor=-sign * steep)

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
