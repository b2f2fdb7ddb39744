"""The affine functions that the units of a network are where a pattern holds, exact.

A function is a row of integers: its values on a basis of homogeneous coordinates, by default those
of (x, 1). Several rows share one denominator.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from arrangements.exact.numbers import times_common_denominator
from arrangements.networks.layer import INPUT, Layer

IntRows = list[list[int]]


class AffineMap(NamedTuple):
    """Affine functions ``rows[i] @ y / scale`` of homogeneous coordinates y; scale > 0."""

    rows: IntRows
    scale: int


class Composition(NamedTuple):
    """Affine functions of the first layers where their units have given signs.

    Attributes
    ----------
    layers : sequence of Layer
        Those of a network, in its normal form.
    inputs : AffineMap
        The inputs x.
    one : list of int
        The row of the constant 1.
    outputs : tuple of AffineMap
        Of each layer so far.

    Examples
    --------
    >>> from arrangements.networks import Network
    >>> net = Network([([[1], [-1]], [0, 2]), ([[1, 0.5]], None)])
    >>> start = Composition.of(net.layers)
    >>> start.preactivations()
    AffineMap(rows=[[1, 0], [-1, 2]], scale=1)
    >>> start.then(start.preactivations(), [1, -1]).preactivations()
    AffineMap(rows=[[2, 0]], scale=2)
    """

    layers: Sequence[Layer]
    inputs: AffineMap
    one: list[int]
    outputs: tuple[AffineMap, ...] = ()

    @classmethod
    def of(
        cls, layers: Sequence[Layer], basis: Sequence[Sequence[Any]] | None = None
    ) -> Composition:
        """No layers yet.

        basis : integer vectors (t x, t), such that coordinates y stand for their combination
        """
        d = layers[0].weights.shape[1]
        if basis is None:
            basis = [[int(i == j) for j in range(d + 1)] for i in range(d + 1)]
        columns = [list(column) for column in zip(*basis, strict=True)]
        return cls(layers, AffineMap(columns[:-1], 1), columns[-1])

    @property
    def layer(self) -> Layer:
        """The next layer."""
        return self.layers[len(self.outputs)]

    def preactivations(self) -> AffineMap:
        """The functions ``W @ a + b`` of the next layer, all of them."""
        layer = self.layer
        parts = [
            self.inputs if source == INPUT else self.outputs[int(source)]
            for source in layer.inputs or ()
        ]
        scale = max(part.scale for part in parts)
        if any(scale % part.scale for part in parts):
            scale = lcm(*(part.scale for part in parts))
        below: IntRows = []
        for rows, own in parts:
            by = scale // own
            below += rows if by == 1 else [[by * entry for entry in row] for row in rows]
        below.append([scale * entry for entry in self.one])
        weights, common = layer.integer_matrix
        return AffineMap(weights.product(below), common * scale)

    def then(self, z: AffineMap, signs: Sequence[int]) -> Composition:
        """One more layer, with these functions before and signs of its units; none if linear."""
        return self._replace(outputs=(*self.outputs, activate(self.layer, z, signs)))


def activate(layer: Layer, z: AffineMap, signs: Sequence[int]) -> AffineMap:
    """The outputs of a layer whose units have given signs.

    Examples
    --------
    >>> layer = Layer([[1], [1]], slope=0.5)
    >>> activate(layer, AffineMap([[2, 1], [0, 2]], 1), [1, -1])
    AffineMap(rows=[[4, 2], [0, 2]], scale=2)
    """
    if layer.is_linear:
        return z
    slopes, common = layer.integer_slopes
    factors = [common if sign > 0 else slope for sign, slope in zip(signs, slopes, strict=True)]
    rows = [
        row if by == 1 else [by * entry for entry in row]
        for row, by in zip(z.rows, factors, strict=True)
    ]
    return AffineMap(rows, z.scale * common)


def compose(
    layers: Sequence[Layer], pattern: Sequence[int], basis: Sequence[Sequence[int]] | None = None
) -> tuple[list[AffineMap], AffineMap]:
    """The functions of all layers before activation where a pattern holds, and the outputs.

    pattern : the signs of all units; a sign 0 takes the slope, which does not matter where the unit
        is zero

    Examples
    --------
    >>> from arrangements.networks import Network
    >>> net = Network([([[1], [-1]], [0, 2]), ([[1, 0.5]], None)])
    >>> compose(net.layers, [1, 1])[1]
    AffineMap(rows=[[1, 2]], scale=2)
    """
    found, state, start = [], Composition.of(layers, basis), 0
    for layer in layers:
        z = state.preactivations()
        found.append(z)
        state = state.then(z, pattern[start : start + layer.n_units])
        start += layer.n_units
    return found, state.outputs[-1]


def values_at(layers: Sequence[Layer], point: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """The signs of all units at a point of rational or algebraic numbers, and the outputs.

    Examples
    --------
    >>> from arrangements.networks import Network
    >>> net = Network([([[1], [-1]], [0, 2]), ([[1, 0.5]], None)])
    >>> values_at(net.layers, [Fraction(-1, 3)])
    ([-1, 1], [Fraction(7, 6)])
    """
    (row,), common = times_common_denominator([point])
    state, found = Composition.of(layers, [[*row, common]]), list[int]()
    for layer in layers:
        z = state.preactivations()
        signs = [(y > 0) - (y < 0) for (y,) in z.rows[: layer.n_units]]
        found += signs
        state = state.then(z, signs)
    last = state.outputs[-1]
    scale = Fraction(last.scale * common)
    return found, [y / scale for (y,) in last.rows]
