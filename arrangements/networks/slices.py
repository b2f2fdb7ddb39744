"""The restriction of a network to a line or a plane through points, exact."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements import notebook
from arrangements.addresses import Immutable, public_class
from arrangements.checks import check_instance
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_fractions
from arrangements.exact.linear import rank, solve
from arrangements.exact.numbers import ExactArray, as_objects, check_rational, fractions
from arrangements.messages import quote
from arrangements.networks.layer import INPUT, Layer
from arrangements.networks.network import Network, Point
from arrangements.polyhedra.polyhedron import Polyhedron


@public_class
class Slice(Immutable):
    """A network on the affine space through some points; immutable.

    Attributes
    ----------
    network : Network
        The restriction: its k inputs are the coordinates u of the point
        ``origin + u[0] * directions[0] + ..``. It has the units and the outputs of the whole one.
    origin : tuple of Fraction
        The first point, at u = 0.
    directions : tuple of points
        From the first point to each other one: point j > 0 has ``u[j - 1] == 1`` and zeros.

    Examples
    --------
    >>> net = Network([([[1, 0, 2], [0, 1, -1]], [0, -1]), ([[1, 1]], None)])
    >>> found = slice_network(net, [[0, 0, 0], [2, 0, 0], [0, 2, 1]])
    >>> found.network, found.point([0.5, 1]) == (1, 2, 1)
    (Network(2 inputs, 2 units, 1 output), True)
    >>> found.network.forward([0.5, 1]) == net.forward([1, 2, 1])
    True
    """

    network: Network
    origin: Point
    directions: tuple[Point, ...]

    def __init__(self, network: Network, origin: Point, directions: tuple[Point, ...]) -> None:
        self.__dict__.update(network=network, origin=origin, directions=directions)

    def point(self, u: ArrayLike) -> Point:
        """The input of the whole network that has these coordinates."""
        given = as_fractions(u, "u")
        if len(given) != len(self.directions):
            raise InputError(f"u has {len(given)} entries; expected {len(self.directions)}.")
        found = list(self.origin)
        for t, step in zip(given, self.directions, strict=True):
            found = [x + t * y for x, y in zip(found, step, strict=True)]
        return tuple(found)

    def coordinates(self, x: ArrayLike) -> Point:
        """The coordinates of an input of the whole network.

        Raises
        ------
        InputError
            If it does not lie on the slice.
        """
        given = as_fractions(x, "x")
        if len(given) != len(self.origin):
            raise InputError(f"x has {len(given)} entries; expected {len(self.origin)}.")
        right = [a - b for a, b in zip(given, self.origin, strict=True)]
        found = solve(list(zip(*self.directions, strict=True)), right)
        if found is None:
            raise InputError("x does not lie on the slice; expected a combination of its points.")
        return tuple(map(Fraction, found))

    def box(self, margin: Any = Fraction(1, 2)) -> Polyhedron:
        """The coordinates from ``-margin`` to ``1 + margin``, which contain all of the points."""
        (by,) = as_fractions([margin], "margin")
        if by <= Fraction(-1, 2):
            raise InputError(f"margin is {quote(margin)}; expected a number above -1/2.")
        k = len(self.directions)
        low, high = np.full(k, -by, object), np.full(k, 1 + by, object)
        return Polyhedron.box(low, high)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same network, origin and directions."""
        return vars(self) == vars(other) if isinstance(other, Slice) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.origin, self.directions))

    def __repr__(self) -> str:
        return f"Slice({self.network!r}, through {len(self.directions) + 1} points)"

    def _repr_html_(self) -> str:
        return notebook.card(repr(self), (), self.network._layer_table())


def slice_network(network: Network, points: ArrayLike) -> Slice:
    """The restriction of a network to the line or plane through points, exact.

    Parameters
    ----------
    network : Network
    points : (k + 1, d) array_like
        Two points for a line, three for a plane, or more; affinely independent.

    Returns
    -------
    Slice
        A network with k inputs, and where these are.

    Raises
    ------
    InputError
        If points are malformed or dependent.

    See Also
    --------
    path : the pieces of one segment.
    regions : with a flat polyhedron ``within`` answers the same in the coordinates of the inputs.

    Notes
    -----
    A slice of a network is a small network, whatever its size: the weights of the inputs are
    multiplied with the directions once, in integers, in time O(units * d * k). Then all
    questions about networks with k inputs take as long as these do.

    Examples
    --------
    >>> net = Network([([[1, 2], [3, -1], [1, 1]], [0, 0, 1]), ([[1, -1, 1]], None)])
    >>> line = slice_network(net, [[0, 0], [1, 1]])
    >>> sorted(str(region.polyhedron.vertices[0][0]) for region in line.network.regions())
    ['-1/2', '-1/2', '0']
    """
    check_instance("network", network, Network)
    if isinstance(points, Slice):
        raise InputError("points is a Slice; expected rows of numbers, as many as it has points.")
    table = as_exact_matrix(points, "points")
    check_rational("points", table)
    d = network.dimension
    if table.shape[1] != d or len(table) < 2:
        raise InputError(
            f"points has shape {table.shape}; expected (k + 1, {d}): two points for a line, three "
            "for a plane."
        )
    origin, *others = map(fractions, table)
    directions = tuple(tuple(a - b for a, b in zip(point, origin, strict=True)) for point in others)
    common = lcm(*(entry.denominator for row in (origin, *directions) for entry in row))
    rows = [[int(common * entry) for entry in row] for row in (*directions, origin)]
    if rank(rows[:-1]) < len(directions):
        raise InputError(
            f"points are {len(table)} points of which one lies on the line or plane through the "
            "others; expected two for a line, three for a plane, affinely independent."
        )
    columns = [list(column) for column in zip(*rows, strict=True)]
    return Slice(restrict(network, columns, common), origin, directions)


def restrict(network: Network, columns: list[list[int]], common: int) -> Network:
    """The network as a function of coordinates u.

    columns : rows of the inputs, times `common`, on (u, 1)

    Examples
    --------
    >>> restrict(Network([([[1, 2]], [3])]), [[1, 1], [2, 0]], 2).forward([4])
    (Fraction(27, 2),)
    """
    return Network([_restricted(layer, network, columns, common) for layer in network.layers])


def _restricted(layer: Layer, network: Network, columns: list[list[int]], common: int) -> Layer:
    """A layer as a function of the coordinates.

    columns : for each input the directions and the origin there, times `common`
    """
    if INPUT not in (layer.inputs or ()):
        return layer
    matrix, scale = layer.integer_matrix
    below, start = [], 0
    width = layer.weights.shape[1]
    for source in layer.inputs or ():
        n = network.dimension if source == INPUT else network.layers[int(source)].n_outputs
        if source == INPUT:
            below = [[0] * len(columns[0]) for _ in range(width + 1)]
            below[start : start + n] = columns
            first, last = start, start + n
        start += n
    own = matrix.product(below)
    parts = _quotients([row[:-1] for row in own], common * scale)
    moved = _quotients([row[-1:] for row in own], common * scale)[:, 0]
    before, after = (as_objects(part) for part in np.split(layer.weights, [first, last], 1)[::2])
    joined = np.hstack([before, parts, after])
    return Layer(joined, as_objects(layer.offsets) + moved, slope=layer.slopes, inputs=layer.inputs)


def _quotients(rows: list[list[int]], denominator: int) -> ExactArray:
    table = np.empty((len(rows), len(rows[0])), object)
    table[:] = [[Fraction(entry, denominator) for entry in row] for row in rows]
    return table
