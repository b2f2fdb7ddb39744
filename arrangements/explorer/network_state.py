"""What the explorer shows of networks: which one, in which plane, and what was moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from arrangements.checks import check_instance, check_option
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.numbers import ExactArray, fractions
from arrangements.messages import quote
from arrangements.networks.layer import Layer
from arrangements.networks.network import Network
from arrangements.networks.shapes import view_of
from arrangements.networks.slices import Slice, slice_network
from arrangements.plot.network_polygons import class_names
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron

COLORINGS = ("class", "pattern", "map")
# A slider that moves the plane has positions from minus this to this, in tenths of its vector.
REACH = 20
# Directions in which a plane of two coordinates can be moved.
_MOST_SHIFTS = 6
Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class NetworkState:
    """Networks of one shape, one of which is drawn.

    Attributes
    ----------
    networks : tuple of Network
        The steps of a training, or one network.
    names : tuple of str
        Of the classes.
    plane : tuple of tuple of Fraction, or None
        A point, two vectors that span the plane, and more along which it can be moved; None where
        the two inputs of the networks are the plane.
    within : Polyhedron
        The part of the plane that is drawn.
    step : int
        Which network is drawn.
    color : {"class", "pattern", "map"}
    shifts : tuple of int
        How far the plane was moved along each further vector, in tenths.
    weight : tuple of int
        Layer, row and column of the weight that can be changed; the last column is the offset.
    point : tuple of Fraction
        The point of the plane that is described.
    """

    networks: tuple[Network, ...]
    names: tuple[str, ...]
    plane: tuple[Vector, ...] | None
    within: Polyhedron
    step: int = 0
    color: str = "class"
    shifts: tuple[int, ...] = ()
    weight: tuple[int, int, int] = (0, 0, 0)
    point: Vector = (Fraction(0), Fraction(0))

    @property
    def network(self) -> Network:
        """The network that is drawn, with all of its inputs."""
        return self.networks[self.step]

    @cached_property
    def origin(self) -> Vector | None:
        """The point of the plane with the coordinates 0, wherever the plane was moved."""
        if self.plane is None:
            return None
        point = self.plane[0]
        for tenths, vector in zip(self.shifts, self.plane[3:], strict=True):
            point = tuple(x + Fraction(tenths, 10) * y for x, y in zip(point, vector, strict=True))
        return point

    @cached_property
    def drawn(self) -> Network:
        """The network on the plane, with two inputs."""
        if self.plane is None or self.origin is None:
            return self.network
        u, v = (
            tuple(x + y for x, y in zip(self.origin, vector, strict=True))
            for vector in self.plane[1:3]
        )
        return slice_network(self.network, np.array([self.origin, u, v], object)).network

    @property
    def value(self) -> Any:
        """The weight that can be changed."""
        k, i, j = self.weight
        layer = self.network.layers[k]
        return layer.offsets[i] if j == layer.weights.shape[1] else layer.weights[i, j]

    def with_value(self, value: float) -> NetworkState:
        """With another value of the weight, in the network that is drawn.

        Examples
        --------
        >>> state = network_state(Network([([[1, 0], [0, 1]], None), ([[1, 1]], None)]))
        >>> state.with_value(2.5).network.layers[0].weights.tolist()
        [[2.5, 0.0], [0.0, 1.0]]
        """
        k, i, j = self.weight
        layers = list(self.network.layers)
        layer = layers[k]
        weights, offsets = layer.weights, layer.offsets
        if j == weights.shape[1]:
            offsets = _with_entry(offsets, i, value)
        else:
            weights = _with_entry(weights, (i, j), value)
        layers[k] = Layer(weights, offsets, slope=layer.slopes, inputs=layer.inputs)
        networks = list(self.networks)
        networks[self.step] = Network(layers)
        return replace(self, networks=tuple(networks))


def _with_entry(values: ExactArray, place: Any, value: float) -> ExactArray:
    """A copy with another entry; whole numbers become floats if all of them are exact."""
    exact = values.dtype == object or np.abs(values).max(initial=0) > 2**53
    found = values.astype(object if exact else np.float64)
    found[place] = Fraction(value) if exact else value
    return found


def network_state(
    networks: Network | Slice | Sequence[Network],
    *,
    labels: Any = None,
    plane: Any = None,
    within: Within | None = None,
    color: str = "class",
) -> NetworkState:
    """The state of networks that were given.

    Parameters
    ----------
    networks, labels, plane, within, color
        As in `explore`.

    Examples
    --------
    >>> net = Network([([[1, 0, 1], [0, 1, 2]], [0, -1]), ([[1, -1], [0, 1]], None)])
    >>> state = network_state(net)
    >>> state.drawn, len(state.shifts), state.names
    (Network(2 inputs, 2 units, 2 outputs), 1, ('0', '1'))
    """
    check_option("show", color, COLORINGS)
    given, points = networks, None
    if isinstance(networks, Slice):
        given, points = [networks.network], networks
    elif isinstance(networks, Network):
        given = [networks]
    steps = tuple(given)  # type: ignore[arg-type]
    _check_shapes(steps)
    network = steps[0]
    if isinstance(points, Slice) and plane is not None:
        raise InputError("plane was given for a Slice, which is one; pass its network instead.")
    vectors = _read_plane(network.dimension, plane)
    shifts = (0,) * (len(vectors) - 3 if vectors is not None else 0)
    state = NetworkState(steps, class_names(network, labels), vectors, _UNIT, 0, color, shifts)
    P = None if within is None else read_polyhedron(within, state.drawn)
    if P is None:
        close = isinstance(points, Slice) or plane is not None
        P = Polyhedron.box(-0.5, 1.5, dimension=2) if close else None
    elif P.dimension != 2:
        raise InputError(f"within is {P}; expected a part of the plane that has an area.")
    P = view_of(state.drawn, P)
    assert P.interior_point is not None
    return replace(state, within=P, point=tuple(map(Fraction, P.interior_point)))


_UNIT = Polyhedron.box(0, 1, dimension=2)


def _check_shapes(steps: Sequence[Any]) -> None:
    if not steps:
        raise InputError("W is an empty list; expected networks.")
    for k, network in enumerate(steps):
        check_instance(f"network {k}", network, Network)
    first = [(layer.weights.shape, layer.inputs, layer.n_units) for layer in steps[0].layers]
    for k, network in enumerate(steps):
        if first != [(one.weights.shape, one.inputs, one.n_units) for one in network.layers]:
            raise InputError(
                f"network {k} is {network!r}, with other layers than network 0; expected steps of "
                "one training."
            )


def _read_plane(d: int, plane: Any) -> tuple[Vector, ...] | None:
    """A point and vectors; None where two inputs are the plane."""
    if d < 2:
        raise InputError("W is a network of one input; expected two or more, to draw a plane.")
    if plane is None or (isinstance(plane, str) and plane == "axes"):
        if d == 2:
            return None
        unit = [tuple(Fraction(i == j) for j in range(d)) for i in range(d)]
        return ((Fraction(0),) * d, *unit[: 2 + _MOST_SHIFTS])
    if isinstance(plane, str):
        raise InputError(f"plane is {quote(plane)}; expected 'axes', or a point and vectors.")
    table = as_exact_matrix(plane, "plane")
    if table.shape[1] != d or len(table) < 3:
        raise InputError(
            f"plane has shape {table.shape}; expected (k, {d}): a point, two vectors that span the "
            "plane, and perhaps more along which it can be moved."
        )
    return tuple(fractions(row) for row in table)
