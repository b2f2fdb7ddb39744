"""Polygons of the regions of a network, cut where the best output changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.plot.drawing import Points

if TYPE_CHECKING:
    from arrangements.search.network_sweep import RegionShape

# Of an edge: layer and row of a unit, -1 and a facet of the polytope.
Facet = tuple[int, int]
# The layer of an edge between two classes.
CLASSES = -2


class Polygon(NamedTuple):
    """A polygon, its corners in circular order; edge k goes from corner k to the next."""

    corners: Points
    edges: list[Facet]


class Piece(NamedTuple):
    """The part of a region in which one output is the largest."""

    best: int
    polygon: Polygon


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


def pieces(polygon: Polygon, outputs: NDArray[np.float64]) -> list[Piece]:
    """The parts of a region by its largest output, or by the sign of a single one.

    outputs : (n, 3), rows of affine functions
    """
    if len(outputs) == 1:
        outputs = np.vstack([0 * outputs, outputs])
    values = polygon.corners @ outputs[:, :-1].T + outputs[:, -1]
    tops = values.argmax(axis=1)
    if (tops == tops[0]).all():
        return [Piece(int(tops[0]), polygon)]
    found = []
    for i in _undominated(values):
        part: Polygon | None = polygon
        for j in range(len(outputs)):
            if j != i and part is not None:
                part = _clip(part, outputs[i] - outputs[j], (CLASSES, j))
        if part is not None:
            found.append(Piece(i, part))
    return found


def _undominated(values: NDArray[np.float64]) -> list[int]:
    """Columns that no other column exceeds or equals in all rows; of equal ones the first."""
    found = []
    for i, column in enumerate(values.T):
        least = (values >= column[:, None]).all(axis=0)
        same = (values == column[:, None]).all(axis=0)
        if not (least & ~same).any() and not same[:i].any():
            found.append(i)
    return found


def _clip(polygon: Polygon, row: NDArray[np.float64], facet: Facet) -> Polygon | None:
    """The part where an affine function is not negative; None if it has no interior."""
    values = polygon.corners @ row[:-1] + row[-1]
    if (values >= 0).all():
        return polygon
    if (values <= 0).all():
        return None
    corners: list[Sequence[float]] = []
    edges: list[Facet] = []
    for k, (p, a, edge) in enumerate(zip(polygon.corners, values, polygon.edges, strict=True)):
        q, b = polygon.corners[k - len(values) + 1], values[k - len(values) + 1]
        if a >= 0:
            corners.append(p)
            edges.append(edge)
        if (a > 0 > b) or (a < 0 < b):
            corners.append(p + (q - p) * (a / (a - b)))
            edges.append(facet if a > 0 else edge)
        elif a == 0 > b:
            edges[-1] = facet
    return Polygon(np.array(corners), edges)
