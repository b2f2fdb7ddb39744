"""The affine functions that the units of a network are where a pattern holds, exact.

A function is a row of integers: its values on a basis of homogeneous coordinates, by default those
of (x, 1). Several rows share one denominator.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from typing import NamedTuple

from arrangements.networks.layer import INPUT, Layer
from arrangements.networks.network import Network

IntRows = list[list[int]]


class AffineMap(NamedTuple):
    """Affine functions ``rows[i] @ y / scale`` of homogeneous coordinates y; scale > 0."""

    rows: IntRows
    scale: int


class Composition(NamedTuple):
    """Affine functions of the first layers where their units have given signs.

    Attributes
    ----------
    network : Network
    inputs : AffineMap
        The inputs x.
    one : list of int
        The row of the constant 1.
    outputs : tuple of AffineMap
        Of each layer so far.

    Examples
    --------
    >>> net = Network([([[1], [-1]], [0, 2]), ([[1, 0.5]], None)])
    >>> start = Composition.of(net)
    >>> start.preactivations()
    AffineMap(rows=[[1, 0], [-1, 2]], scale=1)
    >>> start.then(start.preactivations(), [1, -1]).preactivations()
    AffineMap(rows=[[2, 0]], scale=2)
    """

    network: Network
    inputs: AffineMap
    one: list[int]
    outputs: tuple[AffineMap, ...] = ()

    @classmethod
    def of(cls, network: Network, basis: Sequence[Sequence[int]] | None = None) -> Composition:
        """No layers yet.

        basis : integer vectors (t x, t), such that coordinates y stand for their combination
        """
        d = network.dimension
        if basis is None:
            basis = [[int(i == j) for j in range(d + 1)] for i in range(d + 1)]
        columns = [list(column) for column in zip(*basis, strict=True)]
        return cls(network, AffineMap(columns[:-1], 1), columns[-1])

    @property
    def layer(self) -> Layer:
        """The next layer."""
        return self.network.layers[len(self.outputs)]

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
    network: Network, pattern: Sequence[int], basis: Sequence[Sequence[int]] | None = None
) -> tuple[list[AffineMap], AffineMap]:
    """The functions of all layers before activation where a pattern holds, and the outputs.

    pattern : the signs of all units; a sign 0 takes the slope, which does not matter where the unit
        is zero

    Examples
    --------
    >>> net = Network([([[1], [-1]], [0, 2]), ([[1, 0.5]], None)])
    >>> compose(net, [1, 1])[1]
    AffineMap(rows=[[1, 2]], scale=2)
    """
    found, state = [], Composition.of(network, basis)
    starts = network.starts
    for k in range(len(network.layers)):
        z = state.preactivations()
        found.append(z)
        state = state.then(z, pattern[starts[k] : starts[k + 1]])
    return found, state.outputs[-1]
