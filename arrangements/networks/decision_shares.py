"""Shares and connected parts of decision regions, exact, from the facets between their pieces.

The volume of a polytope is a sum over its facets: of the cones from the origin, with a sign. What
a facet adds to one side, it takes from the other. So of a class only facets between it and other
classes count, and those on the boundary of the polyhedron.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import factorial, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.exact.numbers import times_common_denominator
from arrangements.networks.charts import no_searches, sweeps_of
from arrangements.networks.domain import Domain, read_domain
from arrangements.networks.network import Network
from arrangements.networks.slices import restrict
from arrangements.networks.tournaments import Tournament
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.volumes import pull

if TYPE_CHECKING:
    from arrangements.search.network_sweep import ExactShape

# A class: the output that is the largest, or all of them where several are equal.
Class = int | tuple[int, ...]
Vertex = tuple[int, ...]


class Shares(NamedTuple):
    """Shares of classes, and how many connected parts they have."""

    volumes: dict[Class, Fraction]
    components: dict[Class, int]


class _Facet(NamedTuple):
    """A facet of a piece that waits for the piece on the other side."""

    label: Class
    piece: int
    shape: ExactShape
    number: int


def measure(tournament: Tournament, domain: Domain) -> Shares:
    """Shares and connected parts of all classes.

    Raises
    ------
    InputError
        If the polyhedron is not bounded, or has too many dimensions.

    Examples
    --------
    >>> from arrangements.networks.tournaments import tournament_of
    >>> net = Network([([[1, 0], [0, 1]], None)])
    >>> domain = read_domain(Polyhedron.hull([[0, 0], [3, 0], [0, 1]]), net)
    >>> measure(tournament_of(net), domain)
    Shares(volumes={0: Fraction(3, 4), 1: Fraction(1, 4)}, components={0: 1, 1: 1})
    """
    P, network = domain.polyhedron, tournament.network
    if not P.is_bounded:
        raise InputError(
            f"within is {P}, which is not bounded; shares need a bounded polyhedron, such as "
            "Polyhedron.box(low, high)."
        )
    n = network.n_units - len(tournament.order) + 1
    if len(domain.basis) == 1:  # a point
        signs = network.pattern_at(np.array(P.interior_point, object))[None, n:]
        label = _class_of(tournament, signs)
        return Shares({label: Fraction(1)}, {label: 1})
    if not domain.is_full:
        network, flat = _in_hull(network, P)
        found = read_domain(flat, network)
        assert found is not None  # it is not empty
        domain = found
    sweeps = sweeps_of(network, domain)
    if sweeps is None:
        raise no_searches(
            network, domain, "a share", "Listings and labels of pieces need no slice."
        )
    (sweep,) = sweeps  # bounded, of full dimension
    faces = _Faces()
    for shape in sweep.exact_shapes():
        faces.add(_class_of(tournament, shape.pattern[None, n:]), shape)
    return faces.shares()


def _class_of(tournament: Tournament, signs: NDArray[np.int8]) -> Class:
    """The class where the units of a tournament have these signs, a row."""
    return class_of(tournament.winners(signs)[0])


def class_of(winners: NDArray[np.bool_]) -> Class:
    """The class of a row of the outputs that are the largest.

    Examples
    --------
    >>> class_of(np.array([False, True])), class_of(np.array([True, True]))
    (1, (0, 1))
    """
    found = np.flatnonzero(winners).tolist()
    return found[0] if len(found) == 1 else tuple(found)


def class_order(label: Class) -> tuple[int, ...]:
    """A key that sorts classes, those of several outputs last."""
    return (1, label) if isinstance(label, int) else (len(label), *label)


def _in_hull(network: Network, P: Polyhedron) -> tuple[Network, Polyhedron]:
    """The network and the polyhedron in coordinates of the affine hull."""
    hull, d = HullCoordinates(P), network.dimension
    rows = hull.restrict(np.eye(d + 1, d, dtype=np.int64), np.eye(d + 1, dtype=np.int64)[d])
    *columns, (*_, common) = times_common_denominator(rows.tolist())[0]
    facets = np.array(hull.facets, object)
    return restrict(network, columns, common), Polyhedron(-facets[:, :-1], facets[:, -1])


class _Faces:
    """Facets of all pieces, as the pieces come."""

    def __init__(self) -> None:
        self._parents: list[int] = []
        self._kinds: list[Class] = []
        self._waiting: dict[frozenset[Vertex], _Facet] = {}
        self._terms: defaultdict[Class, list[Fraction]] = defaultdict(list)

    def add(self, label: Class, shape: ExactShape) -> None:
        """Add a piece, and join it with those on the other sides of its facets."""
        piece = len(self._parents)
        self._parents.append(piece)
        self._kinds.append(label)
        for number, (_, places) in enumerate(shape.facets):
            key = frozenset(shape.vertices[k] for k in places)
            other = self._waiting.pop(key, None)
            if other is None:
                self._waiting[key] = _Facet(label, piece, shape, number)
            elif other.label == label:
                self._parents[self._root(piece)] = self._root(other.piece)
            else:
                cone = _cone(shape, number)
                self._terms[label].append(cone)
                self._terms[other.label].append(-cone)

    def _root(self, piece: int) -> int:
        while self._parents[piece] != piece:
            self._parents[piece] = piece = self._parents[self._parents[piece]]
        return piece

    def shares(self) -> Shares:
        """What all pieces say; facets that are left lie on the boundary of the polyhedron."""
        for facet in self._waiting.values():
            self._terms[facet.label].append(_cone(facet.shape, facet.number))
        roots = Counter(kind for k, kind in enumerate(self._kinds) if self._parents[k] == k)
        order = sorted(roots, key=class_order)
        volumes = {label: _sum(self._terms[label]) for label in order}
        total = _sum(volumes.values())
        shares = {label: volume / total for label, volume in volumes.items()}
        return Shares(shares, {label: roots[label] for label in order})


def _cone(shape: ExactShape, number: int) -> Fraction:
    """The volume of the cone from the origin over a facet; negative if the origin is beyond it."""
    row, places = shape.facets[number]
    d = len(row) - 1
    if not row[-1]:
        return Fraction(0)
    facets = [own for k, (_, own) in enumerate(shape.facets) if k != number]
    total = Fraction(0)
    for simplex in pull(places, facets, d - 1, {}):
        corners = [shape.vertices[k] for k in simplex]
        size = linear.determinant([corner[:-1] for corner in corners])
        total += Fraction(abs(int(size)), prod(corner[-1] for corner in corners))
    return (1 if row[-1] > 0 else -1) * total / factorial(d)


def _sum(terms: Iterable[Fraction]) -> Fraction:
    """The sum, in pairs: so few of the numbers are long."""
    left = list(terms)
    while len(left) > 1:
        pairs = [a + b for a, b in zip(left[::2], left[1::2], strict=False)]
        left = pairs + left[len(left) & ~1 :]
    return left[0] if left else Fraction(0)
