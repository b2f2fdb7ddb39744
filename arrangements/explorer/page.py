"""The page of the explorer: models of Bokeh, which draw what `session` answers.

``page.js`` sends messages and shows the replies, on a page with a server and on one without:
instead of a server, a saved page holds the replies of a few hundred messages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arrangements import palette
from arrangements.errors import ArrangementError, MissingDependencyError
from arrangements.explorer.answers import all_details, impossible
from arrangements.explorer.session import PICTURES, Session
from arrangements.explorer.state import REST, SLIDERS, State, amounts
from arrangements.explorer.views import Json, View

if TYPE_CHECKING:
    from bokeh.document import Document

_FOLDER = Path(__file__).parent
# Regions of all stored steps together; most regions of which all pictures are stored.
_STORED_REGIONS, _ALL_PICTURES = 4000, 500
# Sign vectors, rankings or sets of which the impossible ones are stored with their proofs.
_PROVED = 128
# A stored slider has every one of so many positions.
_STEPS = {"length": 2, "turn": 3, "right": 4, "up": 4, "offset": 4}
_TITLES = {
    "length": "length of the row",
    "turn": "turn the row",
    "offset": "offset of the row",
    "right": "all rows to the right",
    "up": "all rows up",
}
# Bokeh's widgets have colours of their own; these follow the page, light or dark.
_STYLE = """
:host { color: CanvasText; font: 14px/1.45 system-ui, sans-serif; }
.bk-input, .bk-btn { font: inherit; }
.bk-input, .bk-btn, select, .bk-input-group select { background: Canvas; color: CanvasText;
  border-color: #8888; }
.bk-btn:disabled { opacity: .5; background: Canvas; }
.bk-btn.bk-active { background: #0072b255; color: CanvasText; font-weight: 600; }
.bk-btn:focus-visible, .bk-input:focus-visible, .noUi-handle:focus-visible {
  outline: 2px solid #0072b2; outline-offset: 1px; }
.noUi-target { background: #8883; } .bk-slider-title { color: CanvasText; }
table { border-collapse: collapse; font-size: .9em; } td, th { padding: .15em .45em;
  text-align: right; white-space: nowrap; font-weight: normal; }
ul { margin: .2em 0; padding-left: 1.2em; } p { margin: .3em 0; } h2 { font-size: 1.05rem; margin: 0; }
.bk-clearfix { overflow-wrap: anywhere; }
"""
_TABLE = """
:host { color: CanvasText; font: 14px system-ui, sans-serif; } .slick-header-column, .slick-header-columns { background: Canvas
  !important; color: CanvasText !important; } .slick-row, .slick-cell { background: Canvas;
  color: CanvasText; border-color: #8884; } .slick-row.odd .slick-cell, .slick-row.odd { background: #8881 !important; }
.slick-cell.selected, .slick-row .slick-cell.selected { background: #0072b244 !important; }
.slick-viewport { background: Canvas; } .bk-cell-index { color: CanvasText; }
"""


class Panel(NamedTuple):
    """One arrangement or model of a page.

    Attributes
    ----------
    state : State
    heading : str
        What distinguishes it from other panels.
    """

    state: State
    heading: str = ""


def check_bokeh() -> None:
    """Refuse to go on without Bokeh, and say how to install it."""
    try:
        import bokeh  # noqa: F401 - an extra
    except ImportError as error:
        raise MissingDependencyError(
            "bokeh is needed for the explorer; install it with the extra: "
            "pip install 'hyperplane-arrangements[explore]'."
        ) from error


def add_page(document: Document, panels: Sequence[Panel], title: str, about: str, live: bool) -> None:
    """Fill a document of Bokeh with a page.

    Parameters
    ----------
    document : bokeh.document.Document
    panels : sequence of Panel
    title, about : str
        Text, and HTML.
    live : bool
        Whether a server answers messages; otherwise steps are stored.
    """
    from jinja2 import Environment, FileSystemLoader, PackageLoader, ChoiceLoader  # with Bokeh

    loaders = ChoiceLoader([FileSystemLoader(_FOLDER), PackageLoader("bokeh.core", "_templates")])
    template = Environment(loader=loaders, trim_blocks=True, lstrip_blocks=True)
    document.template = template.get_template("page.html")
    document.title = title
    document.template_variables.update(
        about=about, panels=len(panels), headings=[panel.heading for panel in panels]
    )
    for i, panel in enumerate(panels):
        _add_panel(document, i, panel.state, live)


def _add_panel(document: Document, i: int, state: State, live: bool) -> None:
    from bokeh.models import ColumnDataSource, CustomJS  # an extra

    session = Session(state)
    stored = None if live else _stored(session)
    ask, tell = ColumnDataSource({"message": []}), ColumnDataSource({"reply": []})
    if live:

        def answer(attribute: str, old: Any, new: Any) -> None:
            message = json.loads(new["message"][0])
            tell.data = {"reply": [json.dumps(session.handle(message))]}

        ask.on_change("data", answer)
    parts = _parts(i, session, stored)
    for name in ("controls", "heading", "picture", "facts", "table", "cosines"):
        root = parts.pop(f"root_{name}")
        root.name = f"{name}{i}"
        document.add_root(root)
    code = (_FOLDER / "page.js").read_text(encoding="utf-8")
    script = CustomJS(
        args={
            **{"panel": i, "ask": ask, "tell": tell, "steps": stored and json.dumps(stored)},
            **{"BLUE": palette.BLUE, "ORANGE": palette.ORANGE},
            **parts,
        },
        code=code,
    )
    document.js_on_event("document_ready", script)
    # a document knows the models that its roots reach, and nothing else is kept up to date
    parts["cosines"].js_on_change("tags", CustomJS(args={"ask": ask, "tell": tell}, code=""))


def _parts(i: int, session: Session, stored: Json | None) -> dict[str, Any]:
    """All models of a panel, by their names in the script; its roots begin with ``root_``."""
    from bokeh import models as m  # an extra

    style = [m.InlineStyleSheet(css=_STYLE)]
    wide: dict[str, Any] = {"stylesheets": style, "sizing_mode": "stretch_width"}
    sources = {name: m.ColumnDataSource(columns) for name, columns in _columns().items()}
    view = m.CDSView(filter=m.IndexFilter())

    def text(**more: Any) -> Any:
        return m.Div(text="", **{**wide, **more})

    def button(label: str, action: str) -> Any:
        made = m.Button(label=label, stylesheets=style)
        made.js_on_event("button_click", _call(i, f"press('{action}')"))
        return made

    state = session.state
    row = m.Select(
        title="row", options=[(str(j), name) for j, name in enumerate(state.names)], value="0", **wide
    )
    show = m.Select(title="show", options=_kinds(state), value=state.show, **wide)
    sliders = _sliders(state, stored, wide)
    kinds = m.RadioButtonGroup(
        labels=[*PICTURES],
        active=0,
        stylesheets=style,
        html_attributes={"role": "group", "aria-label": "Which picture"},
    )
    undo, again = button("undo", "undo"), button("start again", "start_again")
    over = button("turn over", "turn_over")
    undo.disabled = True
    rows_figure = _rows_figure(i, sources["rows"])
    plane = _plane_figure(sources["regions"], sources["walls"], view)
    sphere = _sphere_figure(i, sources["regions"])
    graph = _graph_figure(sources["regions"], sources["edges"])
    find = m.TextInput(
        title="search", placeholder=_hint(state), **{**wide, "stylesheets": style}
    )
    table = m.DataTable(
        source=sources["regions"],
        view=view,
        columns=[
            m.TableColumn(field="number", title="no.", width=60),
            m.TableColumn(field="name", title="region", width=400),
            m.TableColumn(field="far", title="walls away", width=90),
        ],
        index_position=None,
        reorderable=False,
        height=320,
        sizing_mode="stretch_width",
        stylesheets=[m.InlineStyleSheet(css=_TABLE)],
    )
    title, where, changes, refused, cosines = (text() for _ in range(5))
    say = text(html_attributes={"aria-live": "polite"})
    say.text = "<p>Click a region, or search for one.</p>"
    first = [show] if stored is None else []
    note = "drag a row, or:" if stored is None else (
        "This page holds steps that were computed exactly. To drag rows freely, start the explorer "
        "with its server: arrangements explore FILE"
    )
    controls = [*first, rows_figure, m.Div(text=note, **wide), row, *sliders.values()]
    return {
        **sources,
        "view": view,
        "title": title,
        "where": where,
        "say": say,
        "changes": changes,
        "cosines": cosines,
        "refused": refused,
        "show": show,
        "row": row,
        "sliders": sliders,
        "undo": undo,
        "over": over,
        "find": find,
        "kinds": kinds,
        "plane": plane,
        "sphere": sphere,
        "graph": graph,
        "rows_figure": rows_figure,
        "root_controls": m.Column(
            *controls, m.Row(undo, again, over, styles={"flex-wrap": "wrap"}),
            sizing_mode="stretch_width",
        ),
        "root_heading": m.Column(title, where, kinds, refused, sizing_mode="stretch_width"),
        "root_picture": m.Column(plane, sphere, graph, sizing_mode="stretch_width"),
        "root_facts": m.Column(find, say, changes, sizing_mode="stretch_width"),
        "root_table": table,
        "root_cosines": cosines,
    }


def _columns() -> dict[str, dict[str, list[Any]]]:
    return {
        "regions": {
            name: []
            for name in ("number", "name", "colour", "xs", "ys", "sx", "sy", "gx", "gy", "far")
        },
        "walls": {"xs": [], "ys": [], "name": []},
        "edges": {"x0": [], "y0": [], "x1": [], "y1": [], "name": []},
        "rows": {name: [] for name in ("x", "y", "x0", "y0", "name", "text", "colour")},
    }


def _call(panel: int, call: str) -> Any:
    from bokeh.models import CustomJS  # an extra

    return CustomJS(code=f"window.arrangementsExplorer[{panel}].{call}")


def _sliders(state: State, stored: Json | None, wide: dict[str, Any]) -> dict[str, Any]:
    from bokeh.models import CategoricalSlider  # an extra

    made = {}
    for name, title in _TITLES.items():
        if name == "up" and state.dimension == 1 or name == "turn" and state.dimension == 1:
            continue
        if name in ("right", "up") and state.show == "chambers":
            continue  # of hyperplanes nobody moves all normals
        words = amounts(name, state.unit)
        positions = range(len(words))
        if stored is not None:
            if name not in stored["owners"]:
                continue
            positions = _positions(name)
        rest = list(positions).index(REST[name])
        categories = [words[position] for position in positions]
        made[name] = CategoricalSlider(
            title=title, categories=categories, value=categories[rest], tags=[rest], **wide
        )
    return made


def _kinds(state: State) -> list[tuple[str, str]]:
    n = len(state.rows)
    tops = [(f"top-{k}", "labels that can be first" if k == 1 else f"sets of {k} best labels")
            for k in range(1, min(n, 6))]
    if state.show.startswith("top-") and state.show not in dict(tops):
        tops.append((state.show, f"sets of {state.k} best labels"))
    return [("rankings", "rankings of labels"), *tops, ("chambers", "chambers of hyperplanes")]


def _hint(state: State) -> str:
    names = list(state.names[:3])
    if state.show == "chambers":
        return "+" + "-" * (len(state.rows) - 1) if len(state.rows) < 12 else "a sign vector"
    if state.k:
        return ", ".join(state.names[: state.k])
    return " > ".join(names)


# ------------------------------------------------------------------ figures


def _figure(**more: Any) -> Any:
    from bokeh.models import Range1d
    from bokeh.plotting import figure  # an extra

    made = figure(
        aspect_ratio=1,
        sizing_mode="scale_width",
        x_range=Range1d(-1, 1),
        y_range=Range1d(-1, 1),
        toolbar_location="above",
        outline_line_color=palette.GREY,
        min_border=4,
        **more,
    )
    made.axis.visible = False
    made.grid.visible = False
    made.toolbar.logo = None
    return made


_MARKED = {"selection_line_width": 3.5, "selection_line_color": "black", "selection_fill_alpha": 1.0}


def _plane_figure(regions: Any, walls: Any, view: Any) -> Any:
    from bokeh.models import HoverTool, TapTool, WheelZoomTool  # an extra

    made = _figure(tools="pan,reset")
    patches = made.patches(
        "xs", "ys", source=regions, fill_color="colour", line_color="white", line_width=1,
        fill_alpha=0.95, nonselection_fill_alpha=0.45, nonselection_line_alpha=1, **_MARKED,
    )
    lines = made.multi_line("xs", "ys", source=walls, line_color=palette.DARK, line_width=1,
                            line_alpha=0.7)
    wheel = WheelZoomTool()
    made.add_tools(
        HoverTool(renderers=[patches], tooltips="@name"),
        HoverTool(renderers=[lines], tooltips="@name", line_policy="interp",
                  description="names of lines", visible=False, attachment="below"),
        TapTool(renderers=[patches]),
        wheel,
    )
    made.toolbar.active_scroll = wheel
    return made


def _sphere_figure(i: int, regions: Any) -> Any:
    from bokeh.models import HoverTool, TapTool  # an extra

    made = _figure(tools="", visible=False)
    made.x_range.update(start=-1.05, end=1.05)
    made.y_range.update(start=-1.05, end=1.05)
    patches = made.patches(
        "sx", "sy", source=regions, fill_color="colour", line_color=palette.DARK, line_width=1,
        fill_alpha=0.95, nonselection_fill_alpha=0.45, nonselection_line_alpha=1, **_MARKED,
    )
    made.add_tools(HoverTool(renderers=[patches], tooltips="@name"), TapTool(renderers=[patches]))
    _listen(i, made, "sphere")
    return made


def _graph_figure(regions: Any, edges: Any) -> Any:
    from bokeh.models import HoverTool, TapTool, WheelZoomTool  # an extra

    made = _figure(tools="pan,reset", visible=False)
    lines = made.segment("x0", "y0", "x1", "y1", source=edges, line_color=palette.GREY)
    nodes = made.scatter(
        "gx", "gy", source=regions, size=13, fill_color="colour", line_color=palette.DARK,
        nonselection_fill_alpha=0.6, nonselection_line_alpha=1, **_MARKED,
    )
    made.text(
        "gx", "gy", text="far", source=regions, text_align="center", text_baseline="middle",
        text_font_size="9px", text_color="black", nonselection_text_alpha=1,
    )
    wheel = WheelZoomTool()
    made.add_tools(
        HoverTool(renderers=[nodes], tooltips="@name"),
        HoverTool(renderers=[lines], tooltips="wall @name", visible=False),
        TapTool(renderers=[nodes]),
        wheel,
    )
    made.toolbar.active_scroll = wheel
    return made


def _rows_figure(i: int, rows: Any) -> Any:
    from bokeh.models import HoverTool, WheelZoomTool  # an extra

    made = _figure(tools="")
    made.title.text = "the rows of W"
    made.title.text_color = palette.GREY
    made.segment("x0", "y0", "x", "y", source=rows, line_color=palette.GREY, line_alpha=0.6)
    points = made.scatter("x", "y", source=rows, size=14, fill_color="colour",
                          line_color=palette.DARK)
    made.text("x", "y", text="name", source=rows, x_offset=9, y_offset=-7, text_font_size="12px",
              text_color=palette.GREY)
    made.add_tools(HoverTool(renderers=[points], tooltips="@name: @text"), WheelZoomTool())
    _listen(i, made, "rows")
    return made


def _listen(i: int, figure: Any, name: str) -> None:
    for event in ("panstart", "pan", "panend"):
        figure.js_on_event(event, _call(i, f"pointer('{name}', cb_obj)"))


# ------------------------------------------------------------------ steps


def _positions(slider: str) -> range:
    """Positions of a slider whose steps are stored, that of rest among them."""
    each = _STEPS[slider]
    return range(REST[slider] % each, len(SLIDERS[slider]), each)


def _stored(session: Session) -> Json:
    """Replies to what a saved page may ask, as many as fit."""
    view = session.view
    pictures = PICTURES if len(view.names) <= _ALL_PICTURES else PICTURES[:1]
    first = {**_with_details(view, *pictures), "impossible": impossible(view, _PROVED)}
    room = _STORED_REGIONS - len(view.names)
    steps: list[list[Json]] = []
    owners: dict[str, dict[str, int]] = {}
    # the sliders of one row after the other, so that small pages have all of them
    wanted = [(name, 0) for name in ("right", "up")] if session.state.show != "chambers" else []
    wanted += [(name, row) for row in range(len(view.state.rows)) for name in ("length", "turn")]
    wanted += [("offset", row) for row in range(len(view.state.rows))]
    for name, row in wanted:
        if name in ("turn", "up") and view.state.dimension == 1:
            continue
        if room < len(view.names) * len(_positions(name)):
            break
        found = [_step(session.state, name, row, position, view) for position in _positions(name)]
        room -= sum(len(step["names"]) for step in found if "names" in step)
        rows = range(len(view.state.rows)) if name in ("right", "up") else [row]
        for owner in rows:
            owners.setdefault(name, {})[str(owner)] = len(steps)
        steps.append(found)
    return {"first": first, "steps": steps, "owners": owners}


def _step(state: State, slider: str, row: int, position: int, view: View) -> Json:
    try:
        return _with_details(View(state.slid(slider, row, position), view.square), "plane")
    except ArrangementError as error:
        return {"error": str(error)}


def _with_details(view: View, *pictures: str) -> Json:
    return {
        **view.json(*pictures),
        "show": view.state.show,
        "details": [known._asdict() for known in all_details(view)],
    }
