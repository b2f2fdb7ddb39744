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
from arrangements.errors import MissingDependencyError
from arrangements.explorer.figures import (
    call,
    graph_figure,
    plane_figure,
    rows_figure,
    sphere_figure,
)
from arrangements.explorer.session import PICTURES, Session
from arrangements.explorer.state import REST, State, amounts
from arrangements.explorer.steps import positions, stored_steps
from arrangements.explorer.views import Json

if TYPE_CHECKING:
    from bokeh.document import Document

_FOLDER = Path(__file__).parent
_TITLES = {
    "length": "length of the row",
    "turn": "turn the row",
    "offset": "offset of the row",
    "right": "all rows to the right",
    "up": "all rows up",
}


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


def add_page(
    document: Document, panels: Sequence[Panel], title: str, about: str, live: bool
) -> None:
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
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader  # with Bokeh

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
    stored = None if live else stored_steps(session)
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
    script = CustomJS(
        args={
            **{"panel": i, "ask": ask, "tell": tell, "steps": stored and json.dumps(stored)},
            **{"BLUE": palette.BLUE, "ORANGE": palette.ORANGE},
            **parts,
        },
        code=_text("page.js"),
    )
    document.js_on_event("document_ready", script)
    # a document knows the models that its roots reach, and nothing else is kept up to date
    parts["cosines"].js_on_change("tags", CustomJS(args={"ask": ask, "tell": tell}, code=""))


def _parts(i: int, session: Session, stored: Json | None) -> dict[str, Any]:
    """All models of a panel, by their names in the script; its roots begin with ``root_``."""
    from bokeh import models as m  # an extra

    style = [m.InlineStyleSheet(css=_text("widgets.css"))]
    wide: dict[str, Any] = {"stylesheets": style, "sizing_mode": "stretch_width"}
    sources = {name: m.ColumnDataSource(columns) for name, columns in _columns().items()}
    view = m.CDSView(filter=m.IndexFilter())

    def text(**more: Any) -> Any:
        return m.Div(text="", **{**wide, **more})

    def button(label: str, action: str) -> Any:
        made = m.Button(label=label, stylesheets=style)
        made.js_on_event("button_click", call(i, f"press('{action}')"))
        return made

    state = session.state
    row = m.Select(
        title="row",
        options=[(str(j), name) for j, name in enumerate(state.names)],
        value="0",
        **wide,
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
    weights = rows_figure(i, sources["rows"])
    plane = plane_figure(i, sources["regions"], sources["walls"])
    sphere = sphere_figure(i, sources["regions"])
    graph = graph_figure(i, sources["regions"], sources["edges"])
    find = m.TextInput(title="search", placeholder=_hint(state), **wide)
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
        stylesheets=[m.InlineStyleSheet(css=_text("table.css"))],
    )
    where, refused, cosines = (text() for _ in range(3))
    spoken = {"html_attributes": {"aria-live": "polite"}}
    title, changes, say = (text(**spoken) for _ in range(3))
    say.text = "<p>Click a region, or search for one.</p>"
    first = [show] if stored is None else []
    note = (
        "drag a row, or:"
        if stored is None
        else (
            "This page holds steps that were computed exactly. To drag rows freely, start the "
            "explorer with its server: arrangements explore FILE"
        )
    )
    controls = [*first, weights, m.Div(text=note, **wide), row, *sliders.values()]
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
        "rows_figure": weights,
        "root_controls": m.Column(
            *controls,
            m.Row(undo, again, over, styles={"flex-wrap": "wrap"}),
            sizing_mode="stretch_width",
        ),
        "root_heading": m.Column(title, where, kinds, refused, sizing_mode="stretch_width"),
        "root_picture": m.Column(plane, sphere, graph, sizing_mode="stretch_width"),
        "root_facts": m.Column(find, say, changes, sizing_mode="stretch_width"),
        "root_table": table,
        "root_cosines": cosines,
    }


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


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


def _sliders(state: State, stored: Json | None, wide: dict[str, Any]) -> dict[str, Any]:
    from bokeh.models import CategoricalSlider  # an extra

    made = {}
    for name, title in _TITLES.items():
        if state.dimension == 1 and name in ("up", "turn"):
            continue
        if state.show == "chambers" and name in ("right", "up"):
            continue  # of hyperplanes nobody moves all normals
        words = amounts(name, state.unit)
        offered = range(len(words))
        if stored is not None:
            if name not in stored["owners"]:
                continue
            offered = positions(name)
        rest = offered.index(REST[name])
        categories = [words[position] for position in offered]
        made[name] = CategoricalSlider(
            title=title, categories=categories, value=categories[rest], tags=[rest], **wide
        )
    return made


def _kinds(state: State) -> list[tuple[str, str]]:
    n = len(state.rows)
    tops = [
        (f"top-{k}", "labels that can be first" if k == 1 else f"sets of {k} best labels")
        for k in range(1, min(n, 6))
    ]
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
