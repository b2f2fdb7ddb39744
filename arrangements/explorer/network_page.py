"""The page about networks: models of Bokeh, which draw what `network_view` answers."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arrangements.explorer.figures import call, network_figure
from arrangements.explorer.network_state import COLORINGS, REACH, NetworkState
from arrangements.explorer.network_view import NetworkSession
from arrangements.explorer.page import attach_messages, read_text, set_template
from arrangements.explorer.views import Json

if TYPE_CHECKING:
    from bokeh.document import Document

# Regions of all replies of a saved page together.
_STORED_REGIONS = 8000
# A stored slider that moves the plane has every one of so many positions.
_EVERY = 2
_ABOUT = (
    "<p>Inputs of the network are points. On each region all units keep their signs, and the "
    "network is one affine map. Lines are edges where a unit is 0. All is computed exactly; "
    "long numbers are rounded (\N{ALMOST EQUAL TO}).</p>"
)
_SERVER = (
    "Click or drag in the picture: the page says what is known at the point. Change a weight, and "
    "the regions follow."
)
_NO_SERVER = (
    "This page has no server, and shows what was computed for it. To move points and "
    "weights: <code>explore(network).serve()</code>"
)


def add_network_page(document: Document, state: NetworkState, live: bool) -> None:
    """Fill a document of Bokeh with a page about networks.

    Parameters
    ----------
    document : bokeh.document.Document
    state : NetworkState
    live : bool
        Whether a server answers messages; otherwise some replies are stored.
    """
    from bokeh.models import CustomJS  # an extra

    session = NetworkSession(state)
    stored = None if live else stored_replies(state)
    heading = repr(state.network)
    if len(state.networks) > 1:
        heading = f"{len(state.networks)} steps of {heading}"
    set_template(document, "network.html", heading, about=_ABOUT)
    ask, tell = attach_messages(session, live)
    parts = _parts(state, stored is None)
    for name in ("controls", "heading", "picture", "facts"):
        root = parts.pop(f"root_{name}")
        root.name = f"{name}0"
        document.add_root(root)
    steps = None if stored is None else json.dumps(stored)
    script = CustomJS(
        args={"ask": ask, "tell": tell, "steps": steps, **parts},
        code=read_text("common.js") + read_text("network.js"),
    )
    document.js_on_event("document_ready", script)
    # a document knows the models that its roots reach, and nothing else is kept up to date
    parts["say"].js_on_change("tags", CustomJS(args={"ask": ask, "tell": tell}, code=""))
    if live:
        for model in document.models:  # of what the page draws the server need not hear
            model.syncable = model is ask


def stored_replies(state: NetworkState) -> Json:
    """What a saved page shows, as much as fits: by color, step and moves of the plane.

    Examples
    --------
    >>> from arrangements.explorer.network_state import network_state
    >>> from arrangements.networks import Network
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 1]], None)])
    >>> len(stored_replies(network_state([net, net])))
    6
    """
    steps = range(len(state.networks))
    states = [replace(state, color=color, step=k) for color in COLORINGS for k in steps]
    states.sort(key=lambda one: (one.color != state.color, one.step))
    states += [
        replace(state, shifts=(*state.shifts[:k], tenths, *state.shifts[k + 1 :]))
        for k in range(len(state.shifts))
        for tenths in range(-REACH, REACH + 1, _EVERY)
    ]
    found: Json = {}
    room = _STORED_REGIONS
    for one in states:
        # as JSON.stringify writes it
        key = json.dumps([one.color, one.step, *one.shifts], separators=(",", ":"))
        reply = NetworkSession(one).handle({"do": "draw"})
        room -= len(reply.get("areas", {}).get("color", ()))
        if found and room < 0:
            break
        found[key] = reply
    return found


def _parts(state: NetworkState, live: bool) -> dict[str, Any]:
    """All models, by their names in the script; roots begin with ``root_``."""
    from bokeh import models as m  # an extra

    style = [m.InlineStyleSheet(css=read_text("widgets.css"))]
    wide: dict[str, Any] = {"stylesheets": style, "sizing_mode": "stretch_width"}
    polygons: dict[str, Any] = {"xs": [], "ys": [], "color": [], "name": []}
    parts: dict[str, Any] = {
        "areas": m.ColumnDataSource(dict(polygons)),
        "edges": m.ColumnDataSource(dict(polygons)),
        "borders": m.ColumnDataSource({"xs": [], "ys": []}),
        "probe": m.ColumnDataSource({"x": [], "y": []}),
        **{name: m.Div(text="", **wide) for name in ("title", "legend")},
        "say": m.Div(text="", html_attributes={"aria-live": "polite"}, **wide),
    }
    sources = (parts[name] for name in ("areas", "edges", "borders", "probe"))
    parts["plane"] = network_figure(*sources)
    parts["color"] = m.Select(
        title="colors of regions",
        value=state.color,
        options=[("class", "by class"), ("pattern", "by signs of units"), ("map", "by affine map")],
        **wide,
    )
    last = len(state.networks) - 1
    parts["step"] = last and m.Slider(title="step", start=0, end=last, value=0, step=1, **wide)
    parts["step"] = parts["step"] or None
    layers = [(str(k), f"layer {k}") for k in range(len(state.network.layers))]
    parts["layer"] = m.Select(title="weight of", options=layers, value="0", **wide)
    parts["row"] = m.Select(title="to", options=["0"], value="0", **wide)
    parts["column"] = m.Select(title="from", options=["0"], value="0", **wide)
    parts["value"] = m.Slider(
        title="its value", start=-1, end=1, value=0, step=0.01, format="0[.]0000", **wide
    )
    parts["shifts"] = [
        m.Slider(title=title, start=-REACH, end=REACH, value=0, step=1 if live else _EVERY, **wide)
        for title in _shift_titles(state)
    ]
    buttons = {"undo": "undo", "start_again": "start again"}
    made = {action: m.Button(label=label, stylesheets=style) for action, label in buttons.items()}
    for action, button in made.items():
        button.js_on_event("button_click", call(0, f"press('{action}')"))
    parts["undo"] = made["undo"]
    moved = [parts[name] for name in ("layer", "row", "column", "value")]
    controls = [
        parts["color"],
        *([parts["step"]] if parts["step"] else []),
        *parts["shifts"],
        *(moved if live else []),
        *([m.Row(*made.values(), styles={"flex-wrap": "wrap"})] if live else []),
        m.Div(text=_SERVER if live else _NO_SERVER, **wide),
    ]
    columns = {
        "controls": controls,
        "heading": [parts["title"], parts["legend"]],
        "picture": [parts["plane"]],
        "facts": [parts["say"]],
    }
    roots = {
        f"root_{name}": m.Column(*children, sizing_mode="stretch_width")
        for name, children in columns.items()
    }
    return parts | roots


def _shift_titles(state: NetworkState) -> list[str]:
    """What the sliders that move the plane are called."""
    if state.plane is None:
        return []
    titles = []
    for k, vector in enumerate(state.plane[3:]):
        used = [j for j, x in enumerate(vector) if x]
        name = f"input {used[0]}" if len(used) == 1 else f"vector {k + 3}"
        titles.append(f"plane along {name}, in tenths")
    return titles
