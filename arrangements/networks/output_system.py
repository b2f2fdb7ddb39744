"""Questions about the outputs of a network, exact: conditions at the inputs of a polyhedron.

A *proof* that nothing in a cell meets all conditions is a list of numbers, one for each unit, and
weights (docs/algorithms.md, section 15). `exact_bound` says what it proves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from operator import mul
from typing import Any, NamedTuple

import numpy as np

from arrangements.exact.numbers import (
    append_column,
    check_rational,
    fractions,
    times_common_denominator,
)
from arrangements.networks.layer import INPUT
from arrangements.networks.network import Network, Point
from arrangements.polyhedra.polyhedron import Polyhedron

Row = tuple[Fraction, ...]
# An end of an interval: a number, or infinite.
End = Fraction | float
_ZERO = Fraction(0)


class Condition(NamedTuple):
    """``row @ (y, 1)`` shall be positive at the outputs y, or at least 0 if not `strict`."""

    row: Row
    strict: bool = True

    def value(self, outputs: Sequence[Fraction]) -> Fraction:
        """The value at outputs."""
        return sum(map(mul, self.row, outputs), self.row[-1])

    def holds(self, outputs: Sequence[Fraction]) -> bool:
        """Whether it holds at outputs."""
        value = self.value(outputs)
        return value > 0 if self.strict else value >= 0


def margin(n: int, i: int, j: int, strict: bool = True) -> Condition:
    """The condition that the output of class i is larger than that of class j, of n outputs.

    A single output has the classes 1, where it is positive, and 0, where it is negative.

    Examples
    --------
    >>> y = [Fraction(-2)]
    >>> margin(1, 0, 1).holds(y), margin(1, 1, 0).holds(y), margin(2, 1, 0).holds([*y, 3])
    (True, False, True)
    """
    row = [_ZERO] * (n + 1)
    if n == 1:
        row[0] = Fraction(1 if i else -1)
    else:
        row[i], row[j] = Fraction(1), Fraction(-1)
    return Condition(tuple(row), strict)


class Ball(NamedTuple):
    """The points x with ``norm(x - center) < radius``, or ``<=`` if not `is_open`."""

    center: Point
    radius: Fraction
    norm: str
    is_open: bool

    def distance(self, x: Sequence[Fraction]) -> Fraction:
        """Of a point from the center."""
        sizes = [abs(a - b) for a, b in zip(x, self.center, strict=True)]
        return max(sizes) if self.norm == "max" else sum(sizes, _ZERO)

    def contains(self, x: Sequence[Fraction]) -> bool:
        """Whether a point lies in it."""
        distance = self.distance(x)
        return distance < self.radius if self.is_open else distance <= self.radius


class Inputs(NamedTuple):
    """The inputs that count: a box, rows of a polyhedron, and a ball.

    Attributes
    ----------
    polyhedron : Polyhedron
    low, high : list of Fraction or infinity
        The box: what rows with one entry say, and a ball of the max-norm.
    rows : list of tuple of Fraction
        The other inequalities, (w, c) for ``w @ x <= c``, then the equations.
    n_equations : int
        How many of the rows are equations.
    ball : Ball or None
    lemmas : list of (int, int, Fraction, dict)
        Sides of the box that follow from the rows: ``side * x_i <= value``, by weights of rows.
    tight : int or None
        One more row that holds with equality.
    """

    polyhedron: Polyhedron
    low: list[End]
    high: list[End]
    rows: list[Row]
    n_equations: int
    ball: Ball | None
    lemmas: list[tuple[int, int, Fraction, dict[int, Fraction]]]
    tight: int | None = None

    def is_equation(self, j: int) -> bool:
        """Whether a row holds with equality."""
        return j == self.tight or j >= len(self.rows) - self.n_equations

    def contains(self, x: Sequence[Fraction]) -> bool:
        """Whether a point lies in the polyhedron and in the ball."""
        inside = self.polyhedron.contains(np.array(x, object))
        return bool(inside) and (self.ball is None or self.ball.contains(x))

    def within(self, ball: Ball) -> Inputs:
        """The same in a ball, with the box around it."""
        low: list[End] = [
            max(x - ball.radius, a) for x, a in zip(ball.center, self.low, strict=True)
        ]
        high: list[End] = [
            min(x + ball.radius, a) for x, a in zip(ball.center, self.high, strict=True)
        ]
        return self._replace(ball=ball, low=low, high=high)

    @property
    def is_bounded(self) -> bool:
        """Whether box and ball are bounded."""
        if self.ball is not None:
            return True
        return all(-inf < a and b < inf for a, b in zip(self.low, self.high, strict=True))


def read_inputs(P: Polyhedron) -> Inputs:
    """The inputs in a polyhedron; those of an inequality with one entry are sides of a box.

    Examples
    --------
    >>> found = read_inputs(Polyhedron([[2, 0], [-1, 0], [1, 1]], [1, 0, 3]))
    >>> found.low, found.high, [list(map(int, row)) for row in found.rows]
    ([Fraction(0, 1), -inf], [Fraction(1, 2), inf], [[1, 1, 3]])
    """
    check_rational("within", *P.inequalities, *P.equations)
    d = P.ambient_dimension
    low: list[End] = [-inf] * d
    high: list[End] = [inf] * d
    rows: list[Row] = []
    for row in append_column(*P.inequalities):
        *w, c = map(Fraction, fractions(row))
        used = [i for i, entry in enumerate(w) if entry]
        if len(used) != 1:
            rows.append((*w, c))
            continue
        (i,) = used
        if w[i] > 0:
            high[i] = min(high[i], c / w[i])
        else:
            low[i] = max(low[i], c / w[i])
    equations = [tuple(map(Fraction, fractions(row))) for row in append_column(*P.equations)]
    return Inputs(P, low, high, [*rows, *equations], len(equations), None, [])


class OutputSystem(NamedTuple):
    """Whether an input among some meets all conditions on the outputs."""

    network: Network
    inputs: Inputs
    conditions: tuple[Condition, ...]

    def holds_at(self, x: Sequence[Fraction]) -> bool:
        """Whether a point meets everything."""
        if not self.inputs.contains(x):
            return False
        outputs = self.network.forward(np.array(x, object))
        return all(condition.holds(outputs) for condition in self.conditions)


class Proof(NamedTuple):
    """Numbers that bound a weighted sum of the conditions in a cell; any numbers bound it somehow.

    Attributes
    ----------
    units : dict of int to number
        The multiple of each unit that takes the place of its output; a unit that is left out takes
        the multiple 0.
    conditions : dict of int to number
        Weights of conditions, not negative.
    rows : dict of int to number
        Weights of rows of the inputs, not negative but for equations.
    ball : number
        Weight of the l1-ball.
    """

    units: Mapping[int, Any]
    conditions: Mapping[int, Any] = {}
    rows: Mapping[int, Any] = {}
    ball: Any = 0


class Cell(NamedTuple):
    """A part of the inputs: between which numbers the input of each unit is.

    Attributes
    ----------
    lower, upper : (n_units,) ndarray of float64
        Proved for all inputs in question; infinite where nothing is.
    signs : dict of int to {-1, 1}
        The units whose sign was chosen: those with +1 are at least 0, those with -1 at most 0.
    """

    lower: Any
    upper: Any
    signs: dict[int, int]

    def ends(self) -> tuple[Any, Any]:
        """Lower and upper ends of all units, with those of their signs, (n_units,)."""
        low, high = self.lower.copy(), self.upper.copy()
        for u, sign in self.signs.items():
            if sign > 0:
                low[u] = max(low[u], 0.0)
            else:
                high[u] = min(high[u], 0.0)
        return low, high

    def interval(self, u: int) -> tuple[End, End]:
        """The ends for a unit."""
        low, high = float(self.lower[u]), float(self.upper[u])
        sign = self.signs.get(u, 0)
        low, high = (max(low, 0.0) if sign > 0 else low), (min(high, 0.0) if sign < 0 else high)
        return (
            Fraction(low) if low > -inf else low,
            Fraction(high) if high < inf else high,
        )


def exact_bound(
    system: OutputSystem,
    cell: Cell,
    proof: Proof,
    start: tuple[int, Sequence[Fraction]] | None = None,
) -> tuple[End, bool]:
    """A number that the weighted sum of the conditions does not exceed in a cell.

    start : a layer and the weights of its inputs to its units, and the constant, in place of the
        sum of conditions

    Returns
    -------
    bound : Fraction or inf
    strict : bool
        Whether the sum is below the bound in an open ball, or a strict condition has a weight.

    Examples
    --------
    >>> net = Network([([[1]], [0]), ([[2]], [1])])
    >>> inputs = read_inputs(Polyhedron.box(-1, 3, dimension=1))
    >>> system = OutputSystem(net, inputs, (Condition((Fraction(1), Fraction(-7))),))
    >>> cell = Cell(np.array([-1.0]), np.array([3.0]), {})
    >>> exact_bound(system, cell, Proof({0: Fraction(3, 2)}, {0: 1}))
    (Fraction(0, 1), True)
    """
    network, inputs = system.network, system.inputs
    if any(Fraction(w) < 0 for w in proof.conditions.values()) or proof.ball < 0:
        return inf, False
    strict = any(w and system.conditions[j].strict for j, w in proof.conditions.items())
    last = len(network.layers) - 1
    constant: Any
    weights: dict[Any, list[Fraction]] = {
        k: [_ZERO] * layer.n_outputs for k, layer in enumerate(network.layers)
    }
    if start is None:
        rows = [(Fraction(w), system.conditions[j].row) for j, w in proof.conditions.items()]
        total = [sum((w * row[i] for w, row in rows), _ZERO) for i in range(network.n_outputs + 1)]
        weights[last], constant = total[:-1], total[-1]
    else:
        last = start[0] - 1
        constant = pass_weights(network, start[0], start[1], weights)
    for k in range(last, -1, -1):
        layer, c = network.layers[k], weights[k]
        own: Sequence[Fraction] = c
        if not layer.is_linear:
            first = network.starts[k]
            own = [Fraction(proof.units.get(first + i, 0)) for i in range(layer.n_units)]
            for i in range(layer.n_units):
                s = network.unit_slopes[first + i]
                constant += _largest(c[i], own[i], s, *cell.interval(first + i))
                if constant == inf:
                    return inf, False
        constant += pass_weights(network, k, own, weights)
    bound, moves = inputs_bound(inputs, weights.get(INPUT, [_ZERO] * network.dimension), proof)
    return constant + bound, strict or moves


def pass_weights(
    network: Network, k: int, own: Sequence[Any], weights: dict[Any, list[Fraction]]
) -> Fraction:
    """Add weights of the inputs of the units of a layer to those of its sources; the constant."""
    layer = network.layers[k]
    rows, scale = layer.integer_rows
    (whole,), common = times_common_denominator([list(own)])
    used = [(g, row) for g, row in zip(whole, rows, strict=True) if g]
    if not used:
        weights.setdefault(INPUT, [_ZERO] * network.dimension)
        return _ZERO
    factors = [g for g, _ in used]
    columns = zip(*(row for _, row in used), strict=True)
    *sums, constant = (Fraction(sum(map(mul, factors, x)), common * scale) for x in columns)
    at = 0
    for source in layer.inputs or ():
        width = network.dimension if source == INPUT else network.layers[int(source)].n_outputs
        into = weights.setdefault(source, [_ZERO] * width)
        for i in range(width):
            into[i] += sums[at + i]
        at += width
    return constant


def _largest(c: Fraction, g: Fraction, slope: Fraction, low: End, high: End) -> End:
    """The largest value of ``c a - g z`` for z between two ends; -inf if there is none."""
    if low > high:
        return -inf
    values = []
    if low == -inf:
        if c * slope < g:
            return inf
    else:
        values.append((c if low > 0 else c * slope) * low - g * low)
    if high == inf:
        if c > g:
            return inf
    else:
        values.append((c if high > 0 else c * slope) * high - g * high)
    if low <= 0 <= high:
        values.append(_ZERO)
    return max(values)


def inputs_bound(inputs: Inputs, q: Sequence[Fraction], proof: Proof) -> tuple[End, bool]:
    """The bound of a linear function of the inputs, and whether an open ball misses it."""
    total: End = _ZERO
    if any(low > high for low, high in zip(inputs.low, inputs.high, strict=True)):
        return -inf, True
    q = list(q)
    for j, weight in proof.rows.items():
        w = Fraction(weight)
        if w < 0 and not inputs.is_equation(j):
            return inf, False
        total += w * inputs.rows[j][-1]
        q = [a - w * b for a, b in zip(q, inputs.rows[j], strict=False)]
    ball, strict = inputs.ball, False
    theta = Fraction(proof.ball)
    if ball is not None and ball.norm == "l1":
        total += theta * ball.radius
        strict = ball.is_open and theta > 0
    for i, entry in enumerate(q):
        low, high = inputs.low[i], inputs.high[i]
        middle = _ZERO if ball is None else ball.center[i]
        values: list[Any] = []
        ends: list[tuple[Any, int]] = [(low, -1), (high, 1)]
        for end, sign in ends:
            if abs(end) < inf:
                values.append(entry * end - theta * abs(end - middle))
            elif sign * entry > theta:
                return inf, False
        if theta or not values:
            values.append(entry * middle)
        total += max(values)
        if ball is not None and ball.norm == "max" and ball.is_open and entry:
            end = high if entry > 0 else low
            strict |= abs(end - ball.center[i]) == ball.radius
    return total, strict
