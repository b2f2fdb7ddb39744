"""The work space of a search for regions: its first size, more room, residues."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import NamedTuple

import numpy as np

from arrangements.exact.numbers import nearest_float, times_common_denominator
from arrangements.kernels.networks import workspace as registers
from arrangements.kernels.networks.workspace import NODES, V0, V1, Path
from arrangements.kernels.shared import zeros
from arrangements.search.network_tables import Tables

Point = tuple[Fraction, ...]

# The first sizes of the work space: vertices, nodes, candidates.
_VERTICES, _NODES, _CANDIDATES = 4096, 64, 1024


class Polytope(NamedTuple):
    """A bounded polyhedron with an interior.

    Attributes
    ----------
    vertices : list of tuple of Fraction
    facets : list of list of int
        Rows (a, b) with ``a @ x + b >= 0`` in it, one for each facet.
    """

    vertices: Sequence[Point]
    facets: Sequence[Sequence[int]]


def first_path(tables: Tables, polytope: Polytope) -> Path:
    """The work space of a search that has not begun."""
    net, count = tables.net, len(tables.layers)
    columns, rows = net.base.shape
    d, words, most = columns - 1, -(-(len(polytope.facets) + 1) // 64), len(net.weights) + 1
    room = _VERTICES + 4 * len(polytope.vertices)
    path = zeros(
        Path,
        ((11,), "state"),
        ((2,), "late"),
        ((_NODES, 7), "nodes"),
        ((_NODES, 64 * words), "facets"),
        ((d, room), "points"),
        ((room,), "doubts known values above below near"),
        ((2 * room,), "onto"),
        ((words, room), "tight"),
        ((room, 0, columns), "cofactors"),
        ((_CANDIDATES + 2 * rows,), "candidates"),
        ((rows,), "signs forced row_version"),
        ((-(-columns // 4) * 4, rows), "rows"),
        ((rows, d + 3), "lines"),
        ((count,), "version made steps"),
        ((most,), "used changes"),
        ((most, -(-columns // 4) * 4), "terms"),
        ((0, rows, columns), "row_residues"),
        ((2, room // 64 + 1), "masks"),
        ((64 * words, 2 * d + 2), "square"),
        ((64 * words + d,), "chosen"),
        ((d + 2, d + 2), "matrix"),
        ((d + 2,), "pivots"),
        ((0,), "digits"),
        ((d,), "point"),
        ((words,), "used_facets"),
    )
    path.rows[:columns] = net.base
    path.signs[tables.first[-2] :] = 1
    for n, layer in enumerate(tables.layers):
        if not layer.units:
            path.signs[tables.first[n] : tables.first[n] + len(layer.base)] = 1
    _put_vertices(path, tables, polytope)
    return path


def _put_vertices(path: Path, tables: Tables, polytope: Polytope) -> None:
    unit = Fraction(2) ** -tables.shift
    for v, vertex in enumerate(polytope.vertices):
        point = [x * unit for x in vertex]
        floats = [nearest_float(x) for x in point]
        path.points[:, v] = floats
        path.doubts[v] = 0.0 if [Fraction(x) for x in floats] == point else 2.0**-52
        whole, _ = times_common_denominator([[*vertex, 1]])
        for k, facet in enumerate(polytope.facets):
            if not sum(map(mul, facet, whole[0])):
                path.tight[k >> 6, v] |= np.uint64(1 << (k & 63))


def longer(path: Path) -> Path:
    """Twice the room, and a word of facets more if the last node may need it."""
    room, words = len(path.doubts), len(path.tight)
    node = path.nodes[path.state[NODES] - 1]
    used = np.bitwise_or.reduce(path.tight[:, node[V0] : node[V1]], axis=1)
    more = int((used == np.uint64(2**64 - 1)).all())
    sizes = {
        "nodes": (2 * len(path.nodes), 7),
        "facets": (2 * len(path.nodes), 64 * (words + more)),
        "points": (len(path.points), 2 * room),
        "tight": (words + more, 2 * room),
        "cofactors": (2 * room, *path.cofactors.shape[1:]),
        "candidates": (2 * len(path.candidates),),
        "onto": (4 * room,),
        "masks": (2, 2 * room // 64 + 1),
        "used_facets": (words + more,),
        "square": (64 * (words + more), path.square.shape[1]),
        "chosen": (64 * (words + more) + len(path.points),),
    }
    sizes |= dict.fromkeys("doubts known values above below near".split(), (2 * room,))
    longer = {}
    for name, shape in sizes.items():
        old = getattr(path, name)
        longer[name] = np.zeros(shape, old.dtype)
        longer[name][tuple(slice(0, size) for size in old.shape)] = old
    return path._replace(**longer)


def add_residues(path: Path, net: registers.Layers) -> Path:
    """The same with room for residues."""
    count, columns = len(net.fields), len(net.base)
    path.known[:] = 0
    return path._replace(
        row_residues=net.base_residues.copy(),
        cofactors=np.zeros((len(path.doubts), count, columns), np.uint64),
        digits=np.zeros(count, np.uint64),
    )


def value(row: Sequence[int], point: Sequence[Fraction]) -> Fraction:
    """The value of a row at a point."""
    return sum(map(mul, row[:-1], point), Fraction(row[-1]))


def short_point(vertices: list[Point], sides: list[list[int]]) -> Point:
    """A dyadic point near the mean, where all sides are positive."""
    mean = [sum(column) / Fraction(len(vertices)) for column in zip(*vertices, strict=True)]
    bits = 8
    while True:
        point = [Fraction(round(x * 2**bits), 2**bits) for x in mean]
        if all(value(row, point) > 0 for row in sides):
            return tuple(point)
        bits *= 2
