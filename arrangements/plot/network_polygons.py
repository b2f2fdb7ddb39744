"""Polygons of the regions of a network, and of their parts by the largest output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from arrangements.core.labels import Label, as_labels
from arrangements.networks.domain import read_domain
from arrangements.networks.network import Network
from arrangements.networks.region import Region
from arrangements.networks.tournaments import Tournament
from arrangements.plot.drawing import Points
from arrangements.polyhedra.polyhedron import Polyhedron

if TYPE_CHECKING:
    from arrangements.search.network_sweep import RegionShape

# Of an edge: layer and row of a unit, -1 and a facet of the polytope.
Facet = tuple[int, int]
# Points count as equal if they round to the same one of so many in the width of a picture.
_GRID = 2.0**32


class Polygon(NamedTuple):
    """A polygon, its corners in circular order; edge k goes from corner k to the next."""

    corners: Points
    edges: list[Facet]


class Piece(NamedTuple):
    """The part of a region in which some outputs are the largest: one, or equal ones."""

    labels: tuple[int, ...]
    polygon: Polygon


def class_names(network: Network, labels: Iterable[Label] | None) -> tuple[str, ...]:
    """Names of the classes: those that were given, or numbers, or signs of a single output."""
    n = network.n_outputs
    if labels is None:
        return ("negative", "positive") if n == 1 else tuple(map(str, range(n)))
    return tuple(str(label) for label in as_labels(labels, max(n, 2)) or ())


def class_text(names: Sequence[str], labels: Sequence[int]) -> str:
    """How a legend calls a class, or classes that are equal.

    Examples
    --------
    >>> class_text("012", [2]), class_text("012", [0, 2]), class_text(["cat", "dog"], [1])
    ('class 2', 'class 0 = 2', 'dog')
    """
    text = " = ".join(names[k] for k in labels)
    if text == "negative = positive":
        return "zero"
    return f"class {text}" if names[labels[0]].isdecimal() else text


def polygon_of(shape: RegionShape) -> Polygon:
    """The polygon of a region in the plane: corners follow each other along common facets."""
    counts = Counter(facet for own in shape.facets for facet in own)
    # a facet with one corner touches the region there
    facets = [{facet for facet in own if counts[facet] > 1} for own in shape.facets]
    order, edges = [0], [min(facets[0])]
    while len(order) <= len(facets):
        k = next(j for j, own in enumerate(facets) if j != order[-1] and edges[-1] in own)
        if k == order[0]:
            break
        order.append(k)
        edges.append(next(iter(facets[k] - {edges[-1]})))
    return Polygon(shape.vertices[order], edges)


def pieces(
    shapes: Sequence[RegionShape], tournament: Tournament, units: int
) -> tuple[list[Piece], list[Points]]:
    """The parts of regions by their largest outputs, and the edges between two classes.

    shapes : of the network of the tournament; units : how many are before those of the tournament
    """
    patterns = np.array([shape.pattern for shape in shapes], np.int8).reshape(len(shapes), -1)
    winners = tournament.winners(patterns[:, units:])
    found = [
        Piece(tuple(np.flatnonzero(row).tolist()), polygon_of(shape))
        for row, shape in zip(winners, shapes, strict=True)
    ]
    size = max((float(np.abs(corners).max()) for _, (corners, _) in found), default=1.0)
    borders, seen = [], dict[frozenset[tuple[float, ...]], tuple[int, ...]]()
    for labels, (corners, _) in found:
        for line in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            # both sides have the same ends, but for rounding
            key = frozenset(map(tuple, np.rint(np.array(line) * (_GRID / size)).tolist()))
            if seen.setdefault(key, labels) != labels and len(key) == 2:
                borders.append(np.array(line))
    return found, borders


def map_numbers(network: Network, P: Polyhedron, shapes: Sequence[RegionShape]) -> list[int]:
    """A number for each region, the same for the same affine map.

    Maps are compared exactly where floats are near each other.
    """
    domain = read_domain(P, network)
    assert domain is not None  # there are regions
    groups: dict[bytes, list[int]] = {}
    for i, shape in enumerate(shapes):
        size = max(1e-300, float(np.abs(shape.outputs).max()))
        key = np.round(shape.outputs / 2.0 ** np.ceil(np.log2(size)), 6) + 0.0
        groups.setdefault(key.tobytes(), []).append(i)
    numbers: dict[Any, int] = {}
    found = [0] * len(shapes)
    for key, members in groups.items():
        for i in members:
            exact: Any = key
            if len(members) > 1:
                M, v = Region(network, shapes[i].pattern, domain).affine_map
                exact = (*M.ravel().tolist(), *v.tolist())
            found[i] = numbers.setdefault(exact, len(numbers))
    return found
