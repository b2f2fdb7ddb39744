"""What a page shows of a state, as numbers and text that fit into JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import hypot
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from arrangements import notebook, palette
from arrangements.core.arrangement import Arrangement
from arrangements.exact.numbers import nearest_float
from arrangements.explorer.outlines import (
    Floats,
    Keys,
    border_pieces,
    float_rows,
    only_inside,
    plane_outlines,
    sphere_outlines,
)
from arrangements.explorer.regions import (
    Regions,
    regions_of,
    restrict,
    row_names,
    total,
)
from arrangements.explorer.state import State
from arrangements.notebook import Square, square_of
from arrangements.plot.inside import facet_rows
from arrangements.plot.plane_regions import parities
from arrangements.polyhedra.polyhedron import Polyhedron

# Regions are outlined in a square that is larger than the window by this factor: room to zoom out.
_BEYOND = 4
# Half the window is larger than half the square in which lines meet by this factor.
_MARGIN = 1.25
# Rows of the table of cosines.
MOST_COSINES = 16
# Regions of a graph that is laid out.
MOST_NODES = 1000
_DIGITS = 6
# Corners are on a line if they are this close to it, as a part of the window.
_TOUCHING = 1e-6

Json = dict[str, Any]


class View:
    """A state as a page shows it.

    Parameters
    ----------
    state : State
    square : Square, optional
        The window of the plane; by default it is where lines meet.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> view = View(state_of([[1, 0], [0, 1], [-1, -1]]))
    >>> view.title
    '6 rankings of 3 labels'
    """

    def __init__(self, state: State, square: Square | None = None) -> None:
        self.state = state
        self.regions: Regions
        self.whole: bool
        self.regions, self.whole = regions_of(state)
        self.names: list[str] = self.regions.names
        self.number: dict[str, int] = {name: i for i, name in enumerate(self.names)}
        walls = self.regions.walls
        lines = restrict(walls, state) if self.whole else walls
        self.lines: Floats = float_rows(lines)
        self.square: Square = square or _window(self.lines, state.inside_section)

    @property
    def title(self) -> str:
        """How many regions there are, of what."""
        return _title(self.regions, len(self.names), self.state.within is not None)

    @cached_property
    def total(self) -> int | None:
        """The number of regions of space; None if it is not known."""
        return len(self.names) if self.whole else total(self.state)

    def json(self, *shown: str) -> Json:
        """All of it, with the pictures named: "plane", "sphere", "graph"."""
        x, y, r = self.square
        drawn = {"plane": self._plane, "sphere": self._sphere, "graph": self._graph}
        return {
            "title": self.title,
            "where": self._where,
            "in_plane": not self.whole,
            "window": [x, y, r],
            "names": self.names,
            "colors": self._colors(),
            "edges": self.regions.edges.T.tolist(),
            "wall_names": self.regions.wall_names,
            "rows": self._rows(),
            "cosines": cosines(self.state),
            "pictures": {name: drawn[name]() for name in shown},
        }

    @property
    def has_sphere(self) -> bool:
        """Whether the regions are cones in space, all of them listed."""
        P = self.state.inside
        is_cone = P is None or (P.dimension == 3 and not P.inequalities[1].any())
        return self.whole and self.state.dimension == 3 and is_cone and _is_central(self.regions)

    def _plane(self) -> Json:
        x, y, r = self.square
        square, P = Square(x, y, _BEYOND * r), self.state.inside_section
        facets = _facet_lines(P)
        outlines = plane_outlines(
            np.concatenate([self.lines, facets]),
            _keys_inside(self.keys_in_plane, P),
            square,
            self.region_keys,
        )
        xs, ys = (short_lists([outline[:, i] for outline in outlines]) for i in range(2))
        pieces = self.state.k or P is not None
        return {
            "xs": xs,
            "ys": ys,
            "walls": self._pieces(outlines) if pieces else self._walls(),
            "border": border_pieces(facets, square),
        }

    def _graph(self) -> Json:
        """Places of the regions in a picture of their graph, those with a common wall close by."""
        n = len(self.names)
        if n > MOST_NODES:
            return {"gx": [], "gy": [], "refused": f"{n:,} regions: too many for a graph."}
        graph: nx.Graph[int] = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from((i, j) for i, j, _ in self.regions.edges.tolist())
        places = _layout(graph)
        return {"gx": _short(places[:, 0]), "gy": _short(places[:, 1])}

    # ---------------------------------------------------------------- which region

    @cached_property
    def region_keys(self) -> list[bytes]:
        """The keys of the regions, as `keys_in_plane` gives those of points."""
        return _as_bytes(self.regions.array.astype(np.int16))

    @cached_property
    def _float_rows(self) -> Floats:
        """Rows of the plane, those of labels by one common factor."""
        state = self.state
        rows = [[*at, c] for at, c in zip(state.at, state.constants, strict=True)]
        if state.show == "chambers":
            return float_rows(rows)
        largest = max((abs(entry) for row in rows for entry in row), default=1) or 1
        return np.array([[nearest_float(entry / largest) for entry in row] for row in rows])

    def keys_in_plane(self, points: Floats) -> list[bytes]:
        """The regions of points (s, t) of the plane, as floats have it."""
        rows = self._float_rows
        return self.keys_of_scores(points @ rows[:, :2].T + rows[:, 2])

    def keys_of_scores(self, scores: Floats) -> list[bytes]:
        """The regions of points with these scores of all rows, as floats have it."""
        if self.state.show == "chambers":
            return _as_bytes(np.where(scores > 0, 1, -1).astype(np.int16))
        order = np.argsort(-scores, axis=1, kind="stable").astype(np.int16)
        return _as_bytes(np.sort(order[:, : self.state.k], axis=1) if self.state.k else order)

    # ---------------------------------------------------------------- parts

    @property
    def _where(self) -> str:
        """Which plane is drawn, and how many regions it meets where not all are listed."""
        if self.state.is_flat:
            return ""
        plane, P = f"the plane {self.state.plane.text}", self.state.inside_section
        misses = ""
        if P is not None and P.dimension < 2:
            misses = " It has no area in common with the polyhedron."
        if self.whole:
            return f"Drawn: {plane}.{misses}"
        of = "" if self.total is None else f", of {self.total:,} in space"
        return f"Listed and drawn: those that meet {plane}{of}.{misses}"

    def _colors(self) -> list[str]:
        keys, k = self.regions.array, self.regions.k
        if k:
            odd = [k > 1 and i % 2 == 0 for i in range(len(keys))]
        else:
            odd = parities(self.regions.model, keys)
        if isinstance(self.regions.model, Arrangement):
            return [_CHAMBERS[o] for o in odd]
        shades = [[palette.tinted(color, part) for part in _SHADES] for color in palette.LABELS]
        return [
            shades[key % len(shades)][o] for key, o in zip(keys[:, 0].tolist(), odd, strict=True)
        ]

    def _sphere(self) -> Json:
        if not self.has_sphere:
            return {"refused": "The sphere shows regions that are cones in three dimensions."}
        rows = np.array([[nearest_float(x) for x in row] for row in _scale_rows(self.state.rows)])
        P = self.state.inside
        outlines = sphere_outlines(
            np.concatenate([float_rows([w[:3] for w in self.regions.walls]), _facet_lines(P)]),
            _keys_inside(lambda points: self.keys_of_scores(points @ rows.T), P),
            self.region_keys,
        )
        return {"outlines": short_lists([outline.ravel() for outline in outlines], 3)}

    def _walls(self) -> Json:
        """Ends of each wall's line, across the square of outlines."""
        x, y, r = self.square
        xs, ys, names = [], [], []
        for (a, b, c), name in zip(self.lines.tolist(), self.regions.wall_names, strict=True):
            length = hypot(a, b)
            if not length:
                continue
            a, b, c = a / length, b / length, (a * x + b * y + c) / length
            if abs(c) < 1.5 * _BEYOND * r:
                half = 2 * _BEYOND * r
                xs.append([x - a * c - b * half, x - a * c + b * half])
                ys.append([y - b * c + a * half, y - b * c - a * half])
                names.append(name)
        return {"xs": xs, "ys": ys, "names": names}

    def _pieces(self, outlines: list[Floats]) -> Json:
        """Ends of what two regions share of a line, which may go on inside of a third one."""
        xs, ys, names = [], [], []
        called = self.regions.wall_names
        for i, j, wall in self.regions.edges.tolist():
            normal, c = self.lines[wall, :2], self.lines[wall, 2]
            if (length := hypot(*normal)) and len(outlines[i]) and len(outlines[j]):
                ends = _common_piece(
                    outlines[i], outlines[j], normal / length, c / length, self.square
                )
                if ends is not None:
                    xs.append(ends[:, 0].tolist())
                    ys.append(ends[:, 1].tolist())
                    names.append(called[wall])
        return {"xs": xs, "ys": ys, "names": names}

    def _rows(self) -> Json:
        at = [[nearest_float(entry) for entry in place] for place in self.state.at]
        offsets = self.state.offsets or [0] * len(at)
        text = [
            f"({', '.join(notebook.numbers(row))})" + (f" + {notebook.number(b)}" if b else "")
            for row, b in zip(self.state.rows, offsets, strict=True)
        ]
        return {
            "x": [place[0] for place in at],
            "y": [place[1] for place in at],
            "names": list(self.state.names),
            "text": text,
            "colors": [palette.LABELS[i % len(palette.LABELS)] for i in range(len(at))],
        }


def _common_piece(
    one: Floats, other: Floats, normal: Floats, c: float, square: Square
) -> Floats | None:
    """Both ends (2, 2) of the piece of a line that bounds two convex regions, None if it is short.

    Examples
    --------
    >>> left = np.array([[-1.0, -1], [0, -1], [0, 1], [-1, 1]])
    >>> ends = _common_piece(left, left / -2, np.array([1.0, 0]), 0.0, Square(0, 0, 1))
    >>> ends[:, 1].tolist()
    [-0.5, 0.5]
    """
    near = _TOUCHING * square.radius
    sides = [corners[np.abs(corners @ normal + c) < near] for corners in (one, other)]
    if not all(map(len, sides)):
        return None
    along = np.array([-normal[1], normal[0]])
    places = [side @ along for side in sides]
    low, high = max(p.min() for p in places), min(p.max() for p in places)
    if high - low < near:
        return None
    return np.array([low, high])[:, None] * along - c * normal


# The share of white in the colors of labels, of even regions and of odd ones.
_SHADES = (0.25, 0.55)
_CHAMBERS = (palette.tinted(palette.BLUE, 0.8), palette.tinted(palette.BLUE, 0.55))


def cosines(state: State) -> list[list[float | None]]:
    """The cosines between the first rows, rounded; None where a row is zero.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> cosines(state_of([[1, 0], [1, 1], [0, 0]], show="chambers", offsets=[0, 0, 1]))[0]
    [1.0, 0.7071, None]
    """
    W = np.array([[nearest_float(x) for x in row] for row in _scale_rows(state.rows)])[
        :MOST_COSINES
    ]
    if state.metric is not None:
        W = W * np.sqrt([nearest_float(x) for x in state.metric])
    length = np.linalg.norm(W, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.round(np.clip((W @ W.T) / np.outer(length, length), -1, 1), 4)
    return [[None if np.isnan(value) else value for value in row] for row in found.tolist()]


def _scale_rows(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    largest = max((abs(x) for row in rows for x in row), default=1) or 1
    return [[x / largest for x in row] for row in rows]


def _facet_lines(P: Polyhedron | None) -> Floats:
    """Facets of a polyhedron of the plane, or of a cone, as rows that are positive inside."""
    return float_rows(facet_rows(P))


def _keys_inside(keys: Keys, P: Polyhedron | None) -> Keys:
    """Keys of points, and of no region outside of P."""
    if P is None:
        return keys
    if P.dimension < P.ambient_dimension:
        return lambda points: [b""] * len(points)
    return only_inside(keys, _facet_lines(P))


def _window(lines: Floats, P: Polyhedron | None) -> Square:
    """The window where lines meet; inside a polygon, all of it."""
    if P is not None and P.dimension > 0:
        if P.is_bounded:
            corners = np.array([[nearest_float(x) for x in vertex] for vertex in P.vertices])
            (x, y), size = (corners.min(0) + corners.max(0)).tolist(), np.ptp(corners, axis=0)
            return Square(x / 2, y / 2, _MARGIN * float(size.max()) / 2)
        lines = np.concatenate([lines, _facet_lines(P)])
    x, y, r = square_of(lines) if len(lines) else Square(0.0, 0.0, 1.0)
    return Square(x, y, _MARGIN * r)


def _is_central(regions: Regions) -> bool:
    return all(not row[-1] for row in regions.walls)


def _title(regions: Regions, n: int, inside: bool) -> str:
    rows, where = len(row_names(regions.model)), " inside the polyhedron" * inside
    if isinstance(regions.model, Arrangement):
        return f"{n:,} chamber{'s' * (n != 1)} of {rows} hyperplane{'s' * (rows != 1)}{where}"
    labels = f"{rows} label{'s' * (rows != 1)}"
    if regions.k == 0:
        return f"{n:,} ranking{'s' * (n != 1)} of {labels}{where}"
    if regions.k == 1:
        return f"{n:,} of {labels} can be first{where}"
    return f"{n:,} set{'s' * (n != 1)} of {regions.k} of {labels}{where}"


def _as_bytes(rows: NDArray[np.int16]) -> list[bytes]:
    whole, width = rows.tobytes(), rows.shape[1] * rows.itemsize
    return [whole[i : i + width] for i in range(0, len(whole), width)]


def _short(values: Floats, digits: int = _DIGITS) -> list[float]:
    """Floats of few digits: what is drawn needs no more.

    Examples
    --------
    >>> _short(np.array([0.0, 1 / 3, -200000 / 3]), 3)
    [0.0, 0.333, -66700.0]
    """
    size = np.abs(values)
    size[(size == 0) | ~np.isfinite(size)] = 1
    scale = 10.0 ** (digits - 1 - np.floor(np.log10(size)))
    return (np.rint(values * scale) / scale).tolist()


def short_lists(columns: list[Floats], digits: int = _DIGITS) -> list[list[float]]:
    """`_short` of many columns at once."""
    found = _short(np.concatenate([*columns, np.empty(0)]), digits)
    ends = [0, *accumulate(map(len, columns))]
    return [found[start:end] for start, end in pairwise(ends)]


def _layout(graph: nx.Graph[int]) -> Floats:
    n = len(graph)
    if n < 3:
        return np.array([[float(i), 0.0] for i in range(n)]).reshape(n, 2)
    if all(degree == 2 for _, degree in graph.degree) and nx.is_connected(graph):
        around = list(nx.dfs_preorder_nodes(graph, 0))
        angle = np.empty(n)
        angle[around] = 2 * np.pi * np.arange(n) / n
        return np.stack([np.cos(angle), np.sin(angle)], axis=1)
    if n <= 150:
        places = nx.kamada_kawai_layout(graph)
    else:
        places = nx.spectral_layout(graph)
    return np.array([places[i] for i in range(n)])
