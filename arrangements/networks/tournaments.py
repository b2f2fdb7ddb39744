"""A network with units that find its largest output, so that its regions have one class each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.layer import Layer
from arrangements.networks.network import Network
from arrangements.networks.output_system import read_inputs
from arrangements.polyhedra.polyhedron import Polyhedron

# Points at which outputs are compared.
_POINTS = 64


class Tournament(NamedTuple):
    """A network with one more unit for each output but the first, in some order.

    A unit is the difference of the next output and the largest one before it. A single output is
    compared with 0, which is output 0 then.

    Attributes
    ----------
    network : Network
        With these units after its own.
    order : tuple of int
        The outputs, the first one first.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], None)])
    >>> found = tournament_of(net)
    >>> found.network, found.winners(np.int8([[-1, 1], [1, 0], [-1, -1]])).tolist()
    (Network(2 inputs, 2 units, 1 output), [[False, False, True], [False, True, True], \
[True, False, False]])
    """

    network: Network
    order: tuple[int, ...]

    def winners(self, signs: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Which outputs are the largest where these units have signs, (m, n - 1).

        Where a unit is 0, both are.
        """
        found = np.zeros((len(signs), len(self.order)), bool)
        found[:, self.order[0]] = True
        for k, label in enumerate(self.order[1:]):
            found[signs[:, k] > 0] = False
            found[:, label] = signs[:, k] >= 0
        return found


def tournament_of(network: Network, within: Polyhedron | None = None) -> Tournament:
    """The tournament of all outputs: those that are often the largest come first.

    So the units of the others cut few regions.
    """
    layers, last = list(network.layers), len(network.layers) - 1
    if network.n_outputs == 1:
        return Tournament(Network([*layers, Layer([[1]], slope=0, inputs=[last])]), (0, 1))
    order = _by_frequency(network, within)
    for k in range(1, len(order)):
        row = [0] * (len(order) + k - 1)
        row[order[k]], row[order[0]] = 1, -1
        row[len(order) :] = [-1] * (k - 1)
        layers.append(Layer([row], slope=0, inputs=range(last, last + k)))
    return Tournament(Network(layers), tuple(order))


def _by_frequency(network: Network, within: Polyhedron | None) -> list[int]:
    """The outputs, those that are the largest at the most of some points first."""
    d = network.dimension
    low, high = np.full(d, -1.0), np.full(d, 1.0)
    if within is not None:
        box = read_inputs(within)
        low, high = (np.array(side, float) for side in (box.low, box.high))
        low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 1) - 2)
        high = np.where(np.isfinite(high), high, low + 2)
    X = low + (high - low) * np.random.default_rng(0).uniform(size=(_POINTS, d))
    with np.errstate(all="ignore"):
        best = network.float_forward(X).argmax(axis=1)
    counts = np.bincount(best, minlength=network.n_outputs)
    return np.argsort(-counts, kind="stable").tolist()
