"""What a page about networks draws and says, fit for JSON, and its conversation with the engine."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from math import isfinite
from typing import Any

import numpy as np

from arrangements import notebook, palette
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.numbers import nearest_float
from arrangements.explorer.conversation import MOST_UNDONE, Conversation
from arrangements.explorer.network_state import COLORINGS, REACH, NetworkState
from arrangements.explorer.views import Json, short_lists
from arrangements.messages import quote
from arrangements.networks.domain import read_domain
from arrangements.networks.region import Region
from arrangements.networks.shapes import region_shapes
from arrangements.networks.tournaments import tournament_of
from arrangements.plot.network_polygons import (
    Polygon,
    class_text,
    map_numbers,
    pieces,
    polygon_of,
)
from arrangements.search.network_sweep import RegionShape

_MOST_REGIONS = 4000
# Characters of a pattern beside the pointer; entries of a legend;
# outputs of which the affine functions are listed.
_PATTERN, _MOST_ENTRIES, _MOST_OUTPUTS = 60, 12, 12
# A weight moves on this grid, as a share of the largest one of its layer.
_GRID = 1 / 100
_LARGEST = 1e9


class NetworkView:
    """A state as a page shows it.

    Examples
    --------
    >>> from arrangements.explorer.network_state import network_state
    >>> from arrangements.networks import Network
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> NetworkView(network_state(net)).title
    '7 regions of 3 units'
    """

    def __init__(self, state: NetworkState) -> None:
        self.state = state

    @cached_property
    def _shapes(self) -> list[RegionShape]:
        """The regions; colored by class, their parts by the largest output."""
        state = self.state
        network = self._tournament.network if state.color == "class" else state.drawn
        found = list(islice(region_shapes(network, state.within), _MOST_REGIONS + 1))
        if len(found) > _MOST_REGIONS:
            raise TooLargeError(
                f"more than {_MOST_REGIONS} regions: too many for a page. Draw a smaller part, "
                "within=."
            )
        return found

    @cached_property
    def _tournament(self) -> Any:
        return tournament_of(self.state.drawn, self.state.within)

    @cached_property
    def _patterns(self) -> list[bytes]:
        """The signs of the units of the network on each part."""
        n = self.state.drawn.n_units
        return [shape.pattern[:n].tobytes() for shape in self._shapes]

    @property
    def title(self) -> str:
        """How many regions there are."""
        count, units = len(set(self._patterns)), self.state.drawn.n_units
        return f"{count:,} region{'s' * (count != 1)} of {units} unit{'s' * (units != 1)}"

    def json(self) -> Json:
        """All of it."""
        state = self.state
        corners = np.array([[nearest_float(x) for x in v] for v in state.within.vertices])
        low, high = corners.min(axis=0), corners.max(axis=0)
        x, y = ((low + high) / 2).tolist()
        return {
            "title": self.title,
            "window": [x, y, 0.525 * float((high - low).max())],
            **self._pictures(),
            **self.about_point(),
            "weight": self._weight(),
            "step": state.step,
            "shifts": list(state.shifts),
            "color": state.color,
        }

    def _pictures(self) -> Json:
        polygons, colors, names, legend, borders = self._areas()
        edges = self._edges(polygons)
        return {
            "areas": {**_columns([p.corners for p in polygons]), "color": colors, "name": names},
            "edges": edges,
            "borders": _columns(borders),
            "legend": legend + self._layers(edges),
        }

    def _areas(self) -> tuple[list[Polygon], list[str], list[str], list[list[str]], list[Any]]:
        """Polygons with colors and names, a legend, and the boundaries between classes."""
        state, units = self.state, self.state.drawn.n_units
        signs = [
            "".join("-0+"[sign + 1] for sign in shape.pattern[:units][:_PATTERN].tolist())
            + "\N{HORIZONTAL ELLIPSIS}" * (units > _PATTERN)
            for shape in self._shapes
        ]
        if state.color == "class":
            parts, borders = pieces(self._shapes, self._tournament, units)
            shades = [palette.tinted(c, 0.4) for c in palette.LABELS]
            best = [part.labels for part in parts]
            seen = sorted(set(best), key=lambda labels: (len(labels), labels))
            shade = {
                labels: palette.blended(*(shades[k % len(shades)] for k in labels))
                for labels in seen
            }
            text = {labels: class_text(state.names, labels) for labels in seen}
            legend = [[shade[labels], text[labels]] for labels in seen[:_MOST_ENTRIES]]
            names = [f"{text[k]} {own}" for k, own in zip(best, signs, strict=True)]
            colors = [shade[k] for k in best]
            return [part.polygon for part in parts], colors, names, legend, borders
        polygons = [polygon_of(shape) for shape in self._shapes]
        if state.color == "pattern":
            counts = np.array([(shape.pattern[:units] > 0).sum() for shape in self._shapes])
            spread = max(1, int(np.ptp(counts)))
            shares = (0.95 - 0.75 * (counts - counts.min()) / spread).tolist()
            colors = [palette.tinted(palette.BLUE, share) for share in shares]
            ends = [(int(counts.min()), 0.95), (int(counts.max()), 0.2)]
            legend = [
                [palette.tinted(palette.BLUE, share), f"{n} positive unit{'s' * (n != 1)}"]
                for n, share in ends
            ]
            return polygons, colors, signs, legend, []
        maps = map_numbers(state.drawn, state.within, self._shapes)
        shades = [palette.tinted(c, share) for share in (0.3, 0.6) for c in palette.LABELS]
        names = [f"map {k}: {text}" for k, text in zip(maps, signs, strict=True)]
        return polygons, [shades[k % len(shades)] for k in maps], names, [], []

    def _edges(self, polygons: list[Polygon]) -> Json:
        """Edges of regions in the color of the layer of their unit, each once."""
        found: dict[Any, tuple[Any, int, int]] = {}
        layers = len(self.state.drawn.layers)
        for corners, edges in polygons:
            for k, (layer, unit) in enumerate(edges):
                if 0 <= layer < layers:
                    line = corners[[k, (k + 1) % len(corners)]]
                    found[frozenset(map(tuple, line.tolist()))] = line, layer, unit
        return {
            **_columns([line for line, _, _ in found.values()]),
            "color": [_layer_color(layer) for _, layer, _ in found.values()],
            "name": [f"unit {unit} of layer {layer}" for _, layer, unit in found.values()],
        }

    def _layers(self, edges: Json) -> list[list[str]]:
        """Entries of the legend: the layers whose units make edges."""
        shown = set(edges["color"])
        widths = enumerate(self.state.drawn.widths)
        return [
            [_layer_color(k), f"edges of layer {k}"]
            for k, n in widths
            if n and _layer_color(k) in shown
        ][:_MOST_ENTRIES]

    def about_point(self) -> Json:
        """The point, which parts of the picture are its region, and what is known of it."""
        state, network = self.state, self.state.drawn
        point = np.array(state.point, object)
        pattern, outputs = network.pattern_at(point), network.forward(point)
        chosen = [i for i, own in enumerate(self._patterns) if own == pattern.tobytes()]
        facts: list[tuple[str, Any]] = [("point (s, t)", notebook.point(state.point))]
        if len(outputs) == 1:
            facts.append(("output", notebook.number(outputs[0])))
        else:
            top = max(outputs)
            best = " = ".join(
                name for name, y in zip(state.names, outputs, strict=True) if y == top
            )
            facts += [("class", best), ("outputs", notebook.point(outputs))]
        signs = "".join("-0+"[s + 1] for s in pattern.tolist())
        starts = [*network.starts, network.n_units]
        split = " ".join(signs[a:b] for a, b in zip(starts, starts[1:], strict=False) if a < b)
        facts.append(("signs of the units", split))
        domain = read_domain(state.within, network)
        if pattern.all() and domain is not None and len(outputs) <= _MOST_OUTPUTS:
            M, v = Region(network, pattern, domain).affine_map
            rows = [
                f"{notebook.number(a)} s + {notebook.number(b)} t + {notebook.number(c)}"
                for (a, b), c in zip(M.tolist(), v.tolist(), strict=True)
            ]
            facts.append(("the outputs on its region", notebook.Markup("<br>".join(rows))))
        elif not pattern.all():
            facts.append(("place", "between regions: a unit is 0"))
        return {
            "point": [nearest_float(x) for x in state.point],
            "chosen": chosen,
            "say": "".join(
                f"<p><b>{notebook.html(name)}:</b> {notebook.html(value)}</p>"
                for name, value in facts
            ),
        }

    def _weight(self) -> Json:
        """The weight that can be changed, and which others there are."""
        k, i, j = self.state.weight
        layer = self.state.network.layers[k]
        size = max(1e-3, *(float(abs(nearest_float(w))) for w in layer.weights.ravel()))
        value = nearest_float(self.state.value)
        reach = max(2 * size, abs(value))
        sources = [
            f"{'input' if source == 'x' else f'layer {source}, output'} {c}"
            for source in layer.inputs or ()
            for c in range(self._width(source))
        ]
        return {
            "layer": k,
            "row": i,
            "column": j,
            "rows": layer.n_outputs,
            "columns": [*sources, "offset"],
            "value": value,
            "reach": reach,
            "step": size * _GRID,
        }

    def _width(self, source: Any) -> int:
        network = self.state.network
        return network.dimension if source == "x" else network.layers[int(source)].n_outputs


def _layer_color(layer: int) -> str:
    return palette.SERIES[layer % len(palette.SERIES)]


def _columns(lines: list[Any]) -> Json:
    xs, ys = (short_lists([line[:, i] for line in lines]) for i in range(2))
    return {"xs": xs, "ys": ys}


class NetworkSession(Conversation):
    """States that one page about networks goes through.

    Examples
    --------
    >>> from arrangements.explorer.network_state import network_state
    >>> from arrangements.networks import Network
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> session = NetworkSession(network_state(net))
    >>> session.handle({"do": "choose", "weight": [0, 2, 2]})["weight"]["value"]
    -1.0
    >>> session.handle({"do": "set", "value": 0})["title"], session.handle({"do": "undo"})["title"]
    ('6 regions of 3 units', '7 regions of 3 units')
    """

    def __init__(self, state: NetworkState) -> None:
        self.first = state
        self.view = NetworkView(state)
        self.undone: list[NetworkState] = []
        self._moving = ""

    @property
    def state(self) -> NetworkState:
        """What is shown now."""
        return self.view.state

    def _draw(self, message: Json) -> Json:
        return self._reply()

    def _step(self, message: Json) -> Json:
        step = _integer(message, "position", 0, len(self.state.networks) - 1)
        return self._show(replace(self.state, step=step), "step")

    def _shift(self, message: Json) -> Json:
        k = _integer(message, "vector", 0, len(self.state.shifts) - 1)
        shifts = list(self.state.shifts)
        shifts[k] = _integer(message, "position", -REACH, REACH)
        return self._show(replace(self.state, shifts=tuple(shifts)), f"shift {k}")

    def _color(self, message: Json) -> Json:
        color = message.get("color")
        if color not in COLORINGS:
            raise InputError(f"color is {quote(color)}; expected one of {', '.join(COLORINGS)}.")
        return self._show(replace(self.state, color=str(color)), "color")

    def _choose(self, message: Json) -> Json:
        """Another weight to change; rows and columns that its layer has not become the first."""
        place = message.get("weight")
        if not isinstance(place, list) or len(place) != 3:
            raise InputError(f"weight is {quote(place)}; expected a layer, a row and a column.")
        layers = self.state.network.layers
        at = dict(zip(("layer", "row", "column"), place, strict=True))
        k = _integer(at, "layer", 0, len(layers) - 1)
        i = _integer(at, "row", 0, layers[k].n_outputs - 1)
        j = _integer(at, "column", 0, layers[k].weights.shape[1])
        self.view.state = replace(self.state, weight=(k, i, j))
        return self._reply()

    def _set(self, message: Json) -> Json:
        value = _number(message.get("value"), "value")
        return self._show(self.state.with_value(value), f"weight {self.state.weight}")

    def _point(self, message: Json) -> Json:
        """A point of the plane, about which the reply is."""
        to = message.get("to")
        if not isinstance(to, list) or len(to) != 2:
            raise InputError(f"to is {quote(to)}; expected two numbers.")
        point = tuple(Fraction(f"{_number(x, 'to'):.6g}") for x in to)
        if not self.state.within.contains(np.array(point, object)):
            raise InputError("the point is outside of the part of the plane that is drawn.")
        self.view.state = replace(self.state, point=point)
        return self.view.about_point()

    def _undo(self, message: Json) -> Json:
        if not self.undone:
            raise InputError("there is nothing to undo.")
        last = self.undone.pop()
        self._moving = ""
        self.view = NetworkView(replace(last, weight=self.state.weight, point=self.state.point))
        return self._reply()

    def _start_again(self, message: Json) -> Json:
        return self._show(replace(self.first, color=self.state.color), "start")

    def _show(self, state: NetworkState, moving: str) -> Json:
        """A reply about another state; a drag is one step to undo."""
        view = NetworkView(state)
        reply = view.json()  # or an error, and all stays as it is
        if moving != self._moving or moving == "start":
            self.undone = [*self.undone[-MOST_UNDONE:], self.state]
        self._moving, self.view = moving, view
        return {**reply, "undo": len(self.undone)}

    def _reply(self) -> Json:
        return {**self.view.json(), "undo": len(self.undone)}

    actions = {
        "draw": _draw,
        "step": _step,
        "shift": _shift,
        "color": _color,
        "choose": _choose,
        "set": _set,
        "point": _point,
        "undo": _undo,
        "start_again": _start_again,
    }


def _integer(message: Json, name: str, low: int, high: int) -> int:
    value = message.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(f"{name} is {quote(value)}; expected {low} to {high}.")
    return value


def _number(value: Any, name: str) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not isfinite(value) or abs(value) > _LARGEST:
        raise InputError(f"{name} is {quote(value)}; expected a number of at most 10^9.")
    return float(value)
