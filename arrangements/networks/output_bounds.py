"""Bounds of units and of outputs in floating point, above the exact ones by a proven margin.

From the outputs back to the inputs, each activation ``a`` of a unit is replaced by a multiple of
its input ``z``: ``c a <= g z + max(c a - g z)``, whatever g is. So all multiples prove something.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.networks.layer import INPUT
from arrangements.networks.network import Network
from arrangements.networks.output_system import Inputs

Floats = NDArray[np.float64]
# Bits of multiples, so that proofs are short.
_BITS = 26
# What results and offsets lose where they underflow; and what is added to the sizes of coefficients
# and weights, more than these lose over their share of the rounding unit.
TINY, _FLOOR = 1e-290, 2.0**-1000
# Units that may be larger are refused.
_LARGEST = 1e280


class Bounds(NamedTuple):
    """Upper bounds of some functions, and how they are proved.

    Attributes
    ----------
    values : (m,) ndarray
    multiples : (m, n_units) ndarray
    ball : (m,) ndarray
    inputs : (m, d) ndarray
        Coefficients of the inputs that were left.
    weights : (m, n_units) ndarray
        Coefficients of the outputs of units.
    """

    values: Floats
    multiples: Floats
    ball: Floats
    inputs: Floats
    weights: Floats


class FloatNetwork:
    """A network in float64, each number the nearest, with its inputs."""

    def __init__(self, network: Network, inputs: Inputs) -> None:
        self.network = network
        self.layers = network.layers
        self.weights = [layer.float_weights for layer in self.layers]
        self.sizes = [np.abs(W) + _FLOOR for W in self.weights]
        self.offsets = [layer.float_offsets for layer in self.layers]
        self.slopes = [layer.float_slopes for layer in self.layers]
        self.places: list[list[tuple[Any, slice]]] = []
        for layer in self.layers:
            at, found = 0, []
            for source in layer.inputs or ():
                n = network.dimension if source == INPUT else self.layers[int(source)].n_outputs
                found.append((source, slice(at, at + n)))
                at += n
            self.places.append(found)
        columns = sum(W.shape[1] + 8 for W in self.weights) + network.dimension
        self.unit = 4 * (columns + network.n_units + 64) * 2.0**-53
        self.all_slopes = np.concatenate(
            [s for s, layer in zip(self.slopes, self.layers, strict=True) if not layer.is_linear]
            or [np.zeros(0)]
        )
        self.set_inputs(inputs)
        self._check_range()

    def _check_range(self) -> None:
        """Refuse a network whose units may leave the range of floats, which propose all proofs."""
        if not np.isfinite(self.reach).all():
            return
        outputs: dict[Any, Floats] = {INPUT: np.maximum(self.reach, 1.0)}
        for k, layer in enumerate(self.layers):
            with np.errstate(all="ignore"):
                below = np.concatenate([np.zeros(0), *(outputs[s] for s, _ in self.places[k])])
                most = np.maximum(self.sizes[k] @ below + np.abs(self.offsets[k]), 1.0)
                outputs[k] = most if layer.is_linear else most * np.maximum(1, abs(self.slopes[k]))
            if not (outputs[k] < _LARGEST).all():
                raise InputError(
                    f"units of layers[{k}] may be larger than 1e280 in size for inputs up to 1 or "
                    "within the polyhedron; give smaller weights: positive multiples of all "
                    "numbers of a unit change no sign."
                )

    def set_inputs(self, inputs: Inputs) -> None:
        """The inputs that count, rounded outwards."""
        self.inputs = inputs
        sides: Any = enumerate(zip(inputs.low, inputs.high, strict=True))
        for i, ends in sides:
            if any(_LARGEST < abs(end) < np.inf for end in ends):
                raise InputError(
                    f"inputs x_{i} within the polyhedron may be larger than 1e280 in size; "
                    "expected smaller ones: measure them in larger units, and multiply their "
                    "weights."
                )
        self.low = np.array([_rounded(x, -1) for x in inputs.low])
        self.high = np.array([_rounded(x, 1) for x in inputs.high])
        ball = inputs.ball
        self.radius: float | None = None
        if ball is not None and ball.norm == "l1":
            self.center = np.array([float(x) for x in ball.center])
            self.radius = _rounded(ball.radius, 1)
        self.reach = np.maximum(np.abs(self.low), np.abs(self.high))

    def units_of(self, k: int) -> slice:
        """The units of a layer in the pattern."""
        return slice(self.network.starts[k], self.network.starts[k + 1])

    def of_layer(self, k: int, lower: Floats, upper: Floats) -> Bounds:
        """Upper bounds of the inputs of the units of a layer, then of minus these."""
        own = np.concatenate([np.eye(len(self.weights[k])), -np.eye(len(self.weights[k]))])
        return self._bounds(k, own, np.zeros(len(own)), lower, upper, True)

    def of_outputs(
        self,
        rows: Floats,
        lower: Floats,
        upper: Floats,
        given: Floats | None = None,
        ball: Floats | None = None,
        shares: Floats | None = None,
    ) -> Bounds:
        """Upper bounds of functions of the outputs, (m, n + 1), by given multiples or good ones."""
        last = len(self.layers)
        return self._bounds(
            last, rows[:, :-1], rows[:, -1], lower, upper, False, given, ball, shares
        )

    def _bounds(
        self,
        k: int,
        own: Floats,
        constant: Floats,
        lower: Floats,
        upper: Floats,
        before: bool,
        given: Floats | None = None,
        ball: Floats | None = None,
        shares: Floats | None = None,
    ) -> Bounds:
        m = len(own)
        total, size = constant.copy(), np.abs(constant)
        multiples = np.zeros((m, self.network.n_units))
        kept = np.zeros((m, self.network.n_units))
        state: dict[Any, tuple[Floats, Floats]] = {}
        if before:
            total, size = self._pass(k, own, np.abs(own), total, size, state)
        else:
            state[k - 1] = own, np.abs(own)
        for j in range(k - 1, -1, -1):
            if j in state:
                c, c_size = state.pop(j)
            elif given is None:
                continue
            else:
                c = c_size = np.zeros((m, len(self.weights[j])))
            g, g_size = c, c_size
            if not self.layers[j].is_linear:
                part = self.units_of(j)
                low, high = lower[part], upper[part]
                g = (
                    _rounded_multiples(self._choice(j, c, low, high))
                    if given is None
                    else given[:, part]
                )
                g_size = np.abs(g)
                multiples[:, part], kept[:, part] = g, c
                best, most = self._largest(j, c, c_size, g, low, high)
                total = total + best
                size = size + most
            total, size = self._pass(j, g, g_size, total, size, state)
        d = self.network.dimension
        q, q_size = state.get(INPUT, (np.zeros((m, d)), np.zeros((m, d))))
        if shares is not None and shares.size:  # of rows of the polyhedron
            rows = self.row_table
            total = total + shares @ rows[:, -1]
            q = q - shares @ rows[:, :-1]
            q_size = q_size + np.abs(shares) @ (np.abs(rows[:, :-1]) + _FLOOR) + _FLOOR
            size = size + np.abs(shares) @ (np.abs(rows[:, -1]) + _FLOOR)
        theta = np.zeros(m)
        if self.radius is None:
            total = total + np.maximum(q * self.low, q * self.high).sum(axis=1)
        else:
            theta = self._theta(q) if ball is None else ball
            room = np.where(q > 0, self.high - self.center, self.center - self.low)
            excess = np.maximum(np.abs(q) - theta[:, None], 0)
            total = total + q @ self.center + theta * self.radius + (excess * room).sum(axis=1)
            size = size + theta * self.radius + 4 * theta * self.reach.sum()
        size = size + 4 * q_size @ self.reach
        values = total + (self.unit * size + TINY)
        return Bounds(np.nextafter(values, np.inf), multiples, theta, q, kept)

    def _pass(
        self,
        k: int,
        g: Floats,
        g_size: Floats,
        total: Floats,
        size: Floats,
        state: dict[Any, tuple[Floats, Floats]],
    ) -> tuple[Floats, Floats]:
        total = total + g @ self.offsets[k]
        size = size + g_size @ (np.abs(self.offsets[k]) + _FLOOR)
        down, down_size = g @ self.weights[k], g_size @ self.sizes[k] + _FLOOR
        for source, part in self.places[k]:
            c, c_size = down[:, part], down_size[:, part]
            if source in state:
                old, old_size = state[source]
                c, c_size = c + old, c_size + old_size
            state[source] = c, c_size
        return total, size

    def _choice(self, j: int, c: Floats, low: Floats, high: Floats) -> Floats:
        """Multiples that are good: those of chords and of the better side."""
        s = self.slopes[j]
        with np.errstate(all="ignore"):
            chord = (high - s * low) / (high - low)
        side = np.where(high > -low, 1.0, s)
        open_ = (low < 0) & (high > 0) & np.isfinite(chord)
        use_chord = (c > 0) == (s < 1)
        factor = np.where(open_, np.where(use_chord, chord, side), np.where(high > 0, 1.0, s))
        return np.asarray(c * factor)

    def _largest(
        self, j: int, c: Floats, c_size: Floats, g: Floats, low: Floats, high: Floats
    ) -> tuple[Floats, Floats]:
        """Sums of the largest values of ``c a - g z``, and of sizes."""
        s = self.slopes[j]
        down, up = np.where(low > 0, low, s * low), np.where(high > 0, high, s * high)
        best = np.maximum(c * down - g * low, c * up - g * high)
        best = np.where((low <= 0) & (high >= 0), np.maximum(best, 0), best)
        reach = np.maximum(np.abs(low), np.abs(high)) * (1 + np.abs(s))
        return best.sum(axis=1), (c_size * reach + np.abs(g) * reach).sum(axis=1)

    def _theta(self, q: Floats) -> Floats:
        """The best weight of the l1-ball for each row of coefficients."""
        room = np.where(q > 0, self.high - self.center, self.center - self.low)
        order = np.argsort(-np.abs(q), axis=1)
        sizes = np.take_along_axis(np.abs(q), order, axis=1)
        filled = np.cumsum(np.take_along_axis(room, order, axis=1), axis=1)
        place = (filled < self.radius).sum(axis=1)
        padded = np.concatenate([sizes, np.zeros((len(q), 1))], axis=1)
        return np.asarray(padded[np.arange(len(q)), place])

    @property
    def row_table(self) -> Floats:
        """Rows of the inputs in floating point."""
        rows = [[float(x) for x in row] for row in self.inputs.rows]
        return np.array(rows).reshape(len(rows), self.network.dimension + 1)


def check_weights(row: Sequence[Any]) -> None:
    """Refuse weights of outputs beyond the range of floats, which propose all proofs.

    Examples
    --------
    >>> check_weights([10**300, 1])
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: a weight of an output, or a constant, is larger than 1e280 in \
size; expected smaller ones: divide all of them by one number.
    """
    if any(abs(x) > _LARGEST for x in row):
        raise InputError(
            "a weight of an output, or a constant, is larger than 1e280 in size; expected smaller "
            "ones: divide all of them by one number."
        )


def _rounded_multiples(values: Floats) -> Floats:
    """The same with few bits."""
    scale = np.abs(values).max(initial=0.0)
    if not 0 < scale < np.inf:
        return values
    unit = 2.0 ** max(np.ceil(np.log2(scale)) - _BITS, -1074.0)  # the smallest float
    return np.asarray(np.rint(values / unit) * unit)


def _rounded(x: Any, direction: int) -> float:
    """A float that is not on the wrong side of an exact number."""
    found = float(x)
    if abs(found) < np.inf and (x - type(x)(found)) * direction > 0:
        return float(np.nextafter(found, direction * np.inf))
    return found
