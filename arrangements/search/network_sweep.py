"""The linear regions of a network within a polytope, block by block.

``kernels.networks`` splits the polytope unit by unit. This driver gives it room, residues for
signs that floats do not prove, and exact points of regions that are too small for theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.linear import nullspace, solve
from arrangements.exact.numbers import nearest_float, primitive
from arrangements.kernels.networks import workspace as registers
from arrangements.kernels.networks.exact_signs import SIGN
from arrangements.kernels.networks.search import find_regions
from arrangements.kernels.networks.vertices import SOLVER
from arrangements.kernels.networks.workspace import NODES, SIDE, UNIT, V0, V1
from arrangements.search.network_path import (
    Point,
    Polytope,
    add_residues,
    first_path,
    longer,
    short_point,
)
from arrangements.search.network_tables import Residues, SweepLayer, Tables, tables_of
from arrangements.search.parts import WHOLE, Part

# Nodes in a call of the kernel: it takes below a quarter of a second, so that Python can answer
# Ctrl-C.
_NODES_PER_CALL = 20_000
# Regions that `list_below` takes from the kernel at a time.
_BELOW = 256


class RegionBlock(NamedTuple):
    """Some regions.

    Attributes
    ----------
    patterns : (m, units) ndarray of int8
        The sign of each unit; 0 if it is zero on all of the region.
    points : (m, d) ndarray of float64
        A point of the interior of each; NaN if there is no such point in floats.
    outputs : (m, k, d + 1) ndarray of float64
        About the rows of the outputs, their constants last; k = 0 if they were not asked for.
    exact : dict
        Numbers of the regions without a point in floats, and points of theirs.
    """

    patterns: NDArray[np.int8]
    points: NDArray[np.float64]
    outputs: NDArray[np.float64]
    exact: dict[int, Point]


class RegionShape(NamedTuple):
    """A region with its vertices.

    Attributes
    ----------
    pattern : (units,) ndarray of int8
    vertices : (k, d) ndarray of float64
        Rounded.
    facets : list of sets of (int, int)
        Those on which each vertex lies: layer and row of a unit, or -1 and the number of a facet
        of the polytope.
    outputs : (n, d + 1) ndarray of float64
        About the rows of the outputs, their constants last.
    """

    pattern: NDArray[np.int8]
    vertices: NDArray[np.float64]
    facets: list[set[tuple[int, int]]]
    outputs: NDArray[np.float64]


class ExactShape(NamedTuple):
    """A region with its vertices, exact.

    Attributes
    ----------
    pattern : (units,) ndarray of int8
    vertices : list of tuple of int
        Each vertex x as (t x, t), with t > 0 and without a common divisor.
    facets : list of (list of int, frozenset of int)
        A row (a, b), such that ``a @ x + b`` is positive inside for inputs that were divided by a
        power of 2, and the vertices on it.
    """

    pattern: NDArray[np.int8]
    vertices: list[tuple[int, ...]]
    facets: list[tuple[list[int], frozenset[int]]]


class NetworkSweep:
    """A search for the regions of a network within a polytope.

    Parameters
    ----------
    layers : sequence of SweepLayer
        The last one has the outputs, and no units.
    polytope : Polytope
    """

    def __init__(self, layers: Sequence[SweepLayer], polytope: Polytope) -> None:
        largest = max(abs(x) for point in polytope.vertices for x in point)
        tables = tables_of(layers, polytope.facets, largest)
        self._set(tables, polytope, Residues(tables))

    def _set(self, tables: Tables, polytope: Polytope, residues: Residues) -> None:
        self.tables: Tables = tables
        self._net, self._polytope, self._residues = tables.net, polytope, residues
        self._path = first_path(tables, polytope)
        self.units: int = sum(layer.units for layer in tables.layers)
        self._last = max((n for n, layer in enumerate(tables.layers) if layer.units), default=-1)

    def another(self) -> NetworkSweep:
        """The same search for a thread of its own, which does parts of it.

        It solves for vertices from the beginning: so a part has the same points in any thread.
        """
        found = NetworkSweep.__new__(NetworkSweep)
        found._set(self.tables, self._polytope, self._residues)
        found._load_solver()
        return found

    @property
    def exact_signs(self) -> int:
        """How many signs floats did not prove."""
        return int(self._path.state[registers.EXACT])

    def restart(self, store: bool, outputs: bool = False, part: Part = WHOLE) -> None:
        """Go to the beginning of a part.

        Its `prefix` has the units that were split on the way to a node, numbered from 1, with the
        signs that were chosen. The part is this node, and the parts with the sign + of those nodes
        whose numbers in `prefix` are `first` or more.
        """
        path = self._path
        path.state[:] = path.forced[:] = 0
        for k, step in enumerate(part.prefix):
            if step > 0 or k < part.first:
                path.forced[abs(step) - 1] = 1 if step > 0 else -1
        self._begin()
        path.state[registers.FORCED] = 1
        at = 0
        while at < len(part.prefix):
            self._step(len(part.prefix) - at)
            at = part.prefix.index(top) + 1 if (top := self._top()) else 0
        path.state[registers.FORCED] = 0
        path.state[registers.STORE], path.state[registers.OUTPUTS] = store, outputs

    def _begin(self) -> None:
        """Go to the root of the search."""
        path = self._path
        path.state[registers.LAST], path.state[registers.LIMIT] = self._last, 2**62
        path.state[registers.CLOCK] = path.state[NODES] = 1
        path.made[:] = -1
        path.row_version[self.tables.first[1] : self.tables.first[-2]] = -1
        path.nodes[0] = 0, len(self._polytope.vertices), 0, 0, -1, -1, 0
        for k in range(len(self._polytope.facets)):
            path.facets[0, k] = self.tables.first[-2] + k

    @property
    def is_done(self) -> bool:
        """Whether all regions were found."""
        return not self._path.state[NODES]

    def _step(self, nodes: int) -> bool:
        """Visit nodes without regions; whether it stopped for what is there now."""
        status, _ = find_regions(self._net, self._path, *self._nothing, 0, nodes)
        self._provide(status, 0, {})
        return status in (registers.NEEDS_ROOM, registers.NEEDS_RESIDUES, registers.NEEDS_POINT)

    def _top(self) -> int:
        """The unit, numbered from 1, that split the parent of the last node, with its sign."""
        node = self._path.nodes[self._path.state[NODES] - 1]
        return int(node[SIDE] * (node[UNIT] + 1))

    def rest(self) -> list[Part]:
        """Parts that together are what is left, in the order of the search; it ends with that.

        Each of the first two nodes is a part of its own: as a rule they are the largest.
        """
        path, state = self._path, self._path.state
        if self.is_done:
            return []
        if (last := self._top()) == 0:
            return [WHOLE]
        nodes = path.nodes[: min(2, state[NODES] - 1)]
        waiting = [int(unit) + 1 for unit in nodes[:, UNIT]]
        path.forced[:] = path.signs
        path.forced[abs(last) - 1] = 1 if last > 0 else -1
        self._begin()
        state[registers.STORE], state[registers.FORCED] = 0, 1
        prefix: list[int] = []
        while not prefix or prefix[-1] != last:
            self._step(1)
            if (top := self._top()) and top not in prefix:
                prefix.append(top)
        places = [prefix.index(-unit) for unit in waiting]
        parts = [_part((*prefix[:k], -prefix[k]), k + 1) for k in places]
        return [_part(tuple(prefix), places[-1] + 1 if places else len(prefix)), *parts[::-1]]

    def list_first(self, layer: int, rows: int) -> tuple[bool, NDArray[np.int8]]:
        """At most `rows` regions of the layers up to one: (whether that is all, their patterns)."""
        self.restart(True)
        self._path.state[registers.LAST] = layer
        finished, block = self.fill(rows)
        return finished or self.is_done, block.patterns[:, : self._ends[layer]]

    def blocks_of_first(self, layer: int, rows: int) -> Iterator[NDArray[np.int8]]:
        """Patterns of all regions of the layers up to one, in blocks of at most `rows`."""
        finished, patterns = self.list_first(layer, rows)
        while len(patterns):
            yield patterns
            if finished or self.is_done:
                return
            finished, block = self.fill(rows)
            patterns = block.patterns[:, : self._ends[layer]]

    def list_below(self, region: NDArray[np.int8], layer: int) -> NDArray[np.int8]:
        """The regions of the layers up to one that are parts of a region of the layers before."""
        path, state = self._path, self._path.state
        state[:] = path.forced[:] = 0
        path.forced[self._unit_rows[: len(region)]] = region
        self._begin()
        state[registers.LAST], state[registers.FORCED] = layer, 1
        while state[NODES] == 1:
            self._step(1)
        state[registers.FORCED], state[registers.STORE] = 0, 1
        own = self._unit_rows[: self._ends[layer]]
        found = [path.signs[own][None]] if self.is_done else []
        while not self.is_done:
            found.append(self.fill(_BELOW)[1].patterns[:, : len(own)])
        return np.concatenate(found)

    @cached_property
    def _unit_rows(self) -> NDArray[np.intp]:
        """The row of each unit."""
        parts = zip(self.tables.first, self.tables.layers, strict=False)
        return np.concatenate([first + np.arange(layer.units) for first, layer in parts])

    @cached_property
    def _ends(self) -> list[int]:
        """How many units the layers up to each one have."""
        return np.cumsum([layer.units for layer in self.tables.layers]).tolist()

    def blocks(
        self, rows: int, outputs: bool = False, stop: Callable[[], bool] | None = None
    ) -> Iterator[RegionBlock]:
        """Blocks of at most `rows` regions; the last one is cut short once `stop()`."""
        self.restart(True, outputs)
        finished = False
        while not finished:
            finished, block = self.fill(rows, stop)
            if len(block.patterns):
                yield block

    def fill(
        self, rows: int, stop: Callable[[], bool] | None = None, nodes: int = _NODES_PER_CALL
    ) -> tuple[bool, RegionBlock]:
        """Go on until there are `rows` regions, or about as many: (finished, these regions).

        The kernel visits so many nodes at a time, after which `stop()` ends it, too.
        """
        d, state = len(self._path.points), self._path.state
        k = len(self.tables.layers[-1].base) if state[registers.OUTPUTS] else 0
        patterns, points = np.empty((rows, self.units), np.int8), np.empty((rows, d))
        maps, exact = np.empty((rows, k, d + 1)), dict[int, Point]()
        count, status = 0, registers.PAUSED
        while status not in (registers.DONE, registers.FULL):
            status, count = find_regions(
                self._net, self._path, patterns, points, maps, count, nodes
            )
            self._provide(status, count, exact)
            can_stop = status in (registers.PAUSED, registers.FULL)
            if can_stop and stop is not None and stop():
                status = registers.DONE
        self._multiply(points[:count], exact)
        return status == registers.DONE, RegionBlock(
            patterns[:count], points[:count], maps[:count], exact
        )

    def _multiply(self, points: NDArray[np.float64], exact: dict[int, Point]) -> None:
        """Multiply points with the power of 2 by which inputs are divided in the kernels."""
        shift, divided = self.tables.shift, points.copy()
        with np.errstate(over="ignore", under="ignore"):
            np.ldexp(divided, shift, out=points)
            lost = (np.ldexp(points, -shift) != divided) & ~np.isnan(divided)
        for k in np.flatnonzero(lost.any(axis=1)).tolist():
            exact[k] = tuple(Fraction(x) * Fraction(2) ** shift for x in divided[k].tolist())
            points[k] = np.nan

    def counts(self) -> Iterator[int]:
        """Numbers of regions, one for each call of the kernel."""
        self.restart(False)
        while not self.is_done:
            yield self.count()

    def count(self, nodes: int = _NODES_PER_CALL) -> int:
        """Go on for a call of the kernel, of at most so many nodes; how many regions it found.

        A call that stopped for residues or room is made again: it may have found nothing, and
        another thread that goes on with what is left would have to make them, too, for ever.
        """
        while self._step(nodes):
            pass
        found, self._path.state[registers.FOUND] = int(self._path.state[registers.FOUND]), 0
        return found

    @cached_property
    def _nothing(self) -> tuple[NDArray[Any], ...]:
        """Arrays of no regions."""
        d = len(self._path.points)
        return np.empty((0, self.units), np.int8), np.empty((0, d)), np.empty((0, 0, d + 1))

    def _provide(self, status: int, count: int, exact: dict[int, Point]) -> None:
        """Make what the kernel stopped for."""
        if status == registers.NEEDS_ROOM:
            self._path = longer(self._path)
        elif status == registers.NEEDS_RESIDUES:
            self._net = self._residues.net()
            self._path = add_residues(self._path, self._net)
            self._path.late[registers.LATE_SIGN] = SIGN.address(self._net, self._path)
        elif status == registers.NEEDS_POINT:
            self._give_point(count, exact)
        if self._path.state[registers.UNSOLVED] > registers.MOST_UNSOLVED:
            self._load_solver()

    def _load_solver(self) -> None:
        self._path.state[registers.UNSOLVED] = 0
        self._path.late[registers.LATE_SOLVE] = SOLVER.address(self._net, self._path)

    # ------------------------------------------------------------------ faces

    def incidences(
        self, direction: Sequence[Fraction]
    ) -> Iterator[tuple[list[int], dict[int, tuple[int | None, int]]]]:
        """Of each region, the facets on which its vertices lie, and the sides of a direction.

        direction : in homogeneous coordinates

        Yields bits of facets for each vertex; and for each bit the number of the facet of the
        polytope, None for a unit, with 1 if the direction leads inwards, -1 outwards, 0 along it.
        """
        unit = Fraction(2) ** -self.tables.shift
        exact = [*(x * unit for x in direction[:-1]), direction[-1]]
        size = max(map(abs, exact))
        exact = [x / size for x in exact]
        floats = np.array([nearest_float(x) for x in exact])
        for _, vertices, _ in self._one_by_one(False):
            every, sides = reduce(or_, vertices), {}
            for bit in range(every.bit_length()):
                if every >> bit & 1:
                    g = int(self._path.facets[self._path.state[NODES], bit])
                    number = g - self.tables.first[-2]
                    side = self._side(g, floats, exact) * int(self._path.signs[g])
                    sides[bit] = None if number < 0 else number, side
            yield vertices, sides

    def shapes(self) -> Iterator[RegionShape]:
        """Each region with its vertices in floats; what they lie on is exact."""
        first, d = self.tables.first, len(self._path.points)
        for block, vertices, places in self._one_by_one(True):
            rows = self._path.facets[self._path.state[NODES]].tolist()
            facets = []
            for bits in vertices:
                numbers = (rows[k] for k in range(bits.bit_length()) if bits >> k & 1)
                layers = [(int(self._net.layer_of[g]), g) for g in numbers]
                facets.append({(n, g - first[n if n >= 0 else -2]) for n, g in layers})
            points = np.ldexp(self._path.points[:d, places].T, self.tables.shift)
            yield RegionShape(block.patterns[0], points, facets, block.outputs[0])

    def exact_shapes(self) -> Iterator[ExactShape]:
        """Each region with its vertices and facets, exact."""
        shift = self.tables.shift
        for block, _, _ in self._one_by_one(False):
            rows = self._facet_rows(listed=True)
            tight = [self._facets_at(v) for v in self._vertices(listed=True)]
            vertices = []
            for bits in tight:
                x = self._solve([rows[b][0] for b in bits])
                x = [entry << max(shift, 0) for entry in x[:-1]] + [x[-1] << max(-shift, 0)]
                vertices.append(tuple(primitive(x)))
            sets = {b: frozenset(k for k, bits in enumerate(tight) if b in bits) for b in rows}
            # others only touch the region
            facets = [
                b for b, own in sets.items() if not any(own < other for other in sets.values())
            ]
            yield ExactShape(block.patterns[0], vertices, [(rows[b][0], sets[b]) for b in facets])

    @staticmethod
    def _solve(rows: list[list[int]]) -> list[int]:
        """A multiple (t x, t) of the point where rows vanish, with t > 0."""
        if len(rows) == 2 and len(rows[0]) == 3:
            (a, b, c), (d, e, f) = rows
            found = [b * f - c * e, c * d - a * f, a * e - b * d]
        else:
            (found,) = nullspace(rows, len(rows[0]))
        return [-entry for entry in found] if found[-1] < 0 else list(found)

    def _one_by_one(self, outputs: bool) -> Iterator[tuple[RegionBlock, list[int], slice]]:
        """Each region, the facets of its vertices as bits, and where the vertices are."""
        self.restart(True, outputs)
        finished = False
        while not finished:
            finished, block = self.fill(1)
            if not len(block.patterns):
                return
            node = self._path.nodes[self._path.state[NODES]]
            places = slice(int(node[V0]), int(node[V1]))
            words = self._path.tight[:, places].T.tolist()
            yield block, [sum(w << 64 * k for k, w in enumerate(row)) for row in words], places

    def _side(self, g: int, floats: NDArray[np.float64], exact: list[Fraction]) -> int:
        """The sign of the linear part of a row along a direction."""
        row = self._path.rows[: len(floats), g]
        value, size = float(row @ floats), float(abs(row) @ abs(floats))
        # `errors` bound rows on all inputs, of size 1 with a last coordinate 1, and so, twice, on a
        # direction of size 1; the rest covers the roundings of it and of the sum, and underflow
        if abs(value) > 2 * float(self._net.errors[g]) + 64 * 2.0**-52 * size + 1e-290:
            return 1 if value > 0 else -1
        source = self._integer_row(g)
        found = sum((int(a) * b for a, b in zip(source, exact, strict=True)), Fraction(0))
        return (found > 0) - (found < 0)

    # ------------------------------------------------------------------ exact points

    def _give_point(self, count: int, exact: dict[int, Point]) -> None:
        """Give the kernel a point of the region that it found last."""
        rows = self._facet_rows()
        vertices = [self._vertex(v, rows) for v in self._vertices()]
        sides = [row for row, _ in rows.values()]
        point = short_point(vertices, sides)
        floats = [nearest_float(x) for x in point]
        if [Fraction(x) for x in floats] != list(point):
            by = Fraction(2) ** self.tables.shift
            exact[count] = tuple(x * by for x in point)
            floats = [np.nan] * len(point)
        self._path.point[:] = floats
        self._path.state[registers.POINT] = 1

    def _vertices(self, listed: bool = False) -> range:
        """The vertices of the last node, or of the region that was listed last."""
        node = self._path.nodes[self._path.state[NODES] - (not listed)]
        return range(int(node[V0]), int(node[V1]))

    def _facets_at(self, v: int) -> list[int]:
        """Bits of the facets on which a vertex lies."""
        words = self._path.tight[:, v].tolist()
        return [64 * w + b for w, word in enumerate(words) for b in range(64) if word >> b & 1]

    def _facet_rows(self, listed: bool = False) -> dict[int, tuple[list[int], int]]:
        """Integer rows of the facets of such a node, not negative on it, by their bits."""
        path, found = self._path, {}
        node = path.state[NODES] - (not listed)
        for b in {b for v in self._vertices(listed) for b in self._facets_at(v)}:
            g = int(path.facets[node, b])
            found[b] = [int(path.signs[g]) * int(x) for x in self._integer_row(g)], g
        return found

    def _integer_row(self, g: int) -> NDArray[np.object_]:
        """A row in integers for the current signs: weights go down layer by layer."""
        first, ends, n = self.tables.first, self._row_ends, int(self._net.layer_of[g])
        if n < 0:
            row: NDArray[np.object_] = self.tables.facets[g - first[-2]]
            return row
        weights = np.zeros(ends[n + 1], object)
        weights[ends[n] + g - first[n]] = 1
        row = np.zeros(len(self._path.points) + 1, object)
        for m in range(n, -1, -1):
            layer, own = self.tables.layers[m], weights[ends[m] : ends[m + 1]]
            if m < n:
                signs = self._path.signs[first[m] : first[m] + len(own)]
                own = own * layer.factors[np.arange(len(own)), np.where(signs > 0, 1, 0)]
                own[signs == 0] = 0
            used = np.flatnonzero(own)
            if used.size:
                row = row + own[used] @ layer.base[used]
                weights[ends[layer.source] : ends[m]] += layer.weights[:, used] @ own[used]
        return row

    @cached_property
    def _row_ends(self) -> list[int]:
        """Where the rows of each layer begin, one after the other, and how many there are."""
        return [0, *np.cumsum([len(layer.base) for layer in self.tables.layers]).tolist()]

    def _vertex(self, v: int, rows: dict[int, tuple[list[int], int]]) -> Point:
        tight = [rows[b][0] for b in self._facets_at(v)]
        point = solve([row[:-1] for row in tight], [-row[-1] for row in tight])
        assert point is not None
        return tuple(Fraction(x) for x in point)


def _part(prefix: tuple[int, ...], first: int) -> Part:
    return Part(prefix, first, len(prefix), own=True)
