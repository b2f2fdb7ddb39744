"""The page of the explorer: models of Bokeh, which draw what `session` answers.

``page.js`` sends messages and shows the replies, on a page with a server and on one without:
instead of a server, a saved page holds the replies of a few hundred messages.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from arrangements import palette
from arrangements.explorer.figures import (
    call,
    graph_figure,
    plane_figure,
    rows_figure,
    sphere_figure,
)
from arrangements.explorer.session import PICTURES, Session
from arrangements.explorer.state import REST, State, amounts
from arrangements.explorer.steps import positions, precompute_steps
from arrangements.explorer.views import Json
from arrangements.messages import missing_library

if TYPE_CHECKING:
    from bokeh.document import Document

# Pixels of the table of regions.
_TABLE = 320
FOLDER = Path(__file__).parent
_INTRODUCTION = (
    "<p>The rows are on the left, as arrows. What they make possible is in the middle, as regions, "
    "and in the table. Move a row, and see what appears and what vanishes.</p>"
)
_TITLES = {
    "length": "length of the row",
    "turn": "turn the row",
    "offset": "offset of the row",
    "right": "all rows to the right",
    "up": "all rows up",
}
# The text of each button, and the message that it sends.
_BUTTONS = {
    "undo": ("undo", "undo"),
    "again": ("start again", "start_again"),
    "over": ("swap its sides", "turn_over"),
}


class Conversation(Protocol):
    """What answers messages."""

    def handle(self, message: Json) -> Json:
        """The reply to a message."""


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
        raise missing_library("bokeh", "for the explorer", "explore") from error


def add_page(
    document: Document,
    panels: Sequence[Panel],
    title: str,
    about: str,
    live: bool,
    command: str = "arrangements explore FILE",
) -> None:
    """Fill a document of Bokeh with a page.

    Parameters
    ----------
    document : bokeh.document.Document
    panels : sequence of Panel
    title, about : str
        Text, and HTML.
        Without the latter, the page says how many rows and columns there are.
    live : bool
        Whether a server answers messages; otherwise steps are stored.
    command : str
        What starts the server, for a page that has none.
    """
    set_template(
        document,
        "page.html",
        title,
        heading=title if about else _heading(panels[0].state),
        about=about or _INTRODUCTION,
        panels=len(panels),
        headings=[panel.heading for panel in panels],
    )
    panel_models = [
        _add_panel(document, i, panel.state, live, command) for i, panel in enumerate(panels)
    ]
    if live:
        for model in document.models:  # of what the page draws the server need not hear
            model.syncable = model in panel_models


def set_template(document: Document, name: str, title: str, **variables: Any) -> None:
    """Give a document the template of a page; its heading is the title unless it is given."""
    from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PackageLoader  # with Bokeh

    loaders = ChoiceLoader([FileSystemLoader(FOLDER), PackageLoader("bokeh.core", "_templates")])
    template = Environment(loader=loaders, trim_blocks=True, lstrip_blocks=True)
    document.template = template.get_template(name)
    document.title = title
    document.template_variables.update({"blue": palette.BLUE, "heading": title} | variables)


def _heading(state: State) -> str:
    """What stays as it is, whatever is moved.

    Examples
    --------
    >>> from arrangements.explorer.state import state_of
    >>> _heading(state_of([[1, 2], [3, 4], [0, 0]]))
    'A matrix of 3 rows and 2 columns'
    """
    n, d = len(state.rows), state.dimension
    inside = ", inside a polyhedron" * (state.within is not None)
    return f"A matrix of {n} row{'s' * (n != 1)} and {d} column{'s' * (d != 1)}{inside}"


def _add_panel(document: Document, i: int, state: State, live: bool, command: str) -> Any:
    """Add the models of a panel; what it returns holds the messages of the page."""
    from bokeh.models import CustomJS  # an extra

    session = Session(state)
    stored = None if live else precompute_steps(session)
    ask, tell = attach_messages(session, live)
    parts = _parts(i, session, stored, command)
    for name in ("controls", "heading", "picture", "facts", "table", "cosines"):
        root = parts.pop(f"root_{name}")
        root.name = f"{name}{i}"
        document.add_root(root)
    script = CustomJS(
        args={
            **{"panel": i, "ask": ask, "tell": tell, "steps": stored and json.dumps(stored)},
            **{"BLUE": palette.BLUE, "ORANGE": palette.ORANGE, "COMMAND": command},
            **parts,
        },
        code=read_text("common.js") + read_text("page.js"),
    )
    document.js_on_event("document_ready", script)
    # a document knows the models that its roots reach, and nothing else is kept up to date
    parts["cosines"].js_on_change("tags", CustomJS(args={"ask": ask, "tell": tell}, code=""))
    return ask


def attach_messages(session: Conversation, live: bool) -> tuple[Any, Any]:
    """Where the page puts its messages, and finds the replies if there is a server."""
    from bokeh.models import ColumnDataSource  # an extra

    ask, tell = ColumnDataSource({"message": []}), ColumnDataSource({"reply": []})
    if live:

        def answer(attribute: str, old: Any, new: Any) -> None:
            tell.data = {"reply": [answer_message(session, new)]}

        ask.on_change("data", answer)
    return ask, tell


def answer_message(session: Conversation, data: Any) -> str:
    """The reply to a message of the page, or of whatever else has its address."""
    try:
        message = json.loads(data["message"][0])
        # equal data is not sent again: the number makes equal replies differ
        return json.dumps({**session.handle(message), "number": message["number"]})
    except (ValueError, LookupError, TypeError, RecursionError):
        return json.dumps({"error": "the message was not understood."})


def _parts(i: int, session: Session, stored: Json | None, command: str) -> dict[str, Any]:
    """All models of a panel, by their names in the script; its roots begin with ``root_``."""
    from bokeh import models as m  # an extra

    state, style = session.state, [m.InlineStyleSheet(css=read_text("widgets.css"))]
    wide: dict[str, Any] = {"stylesheets": style, "sizing_mode": "stretch_width"}
    parts: dict[str, Any] = {name: m.ColumnDataSource(table) for name, table in _columns().items()}
    parts |= {name: m.Div(text="", **wide) for name in ("where", "refused", "cosines")}
    spoken = {"html_attributes": {"aria-live": "polite"}, **wide}
    parts |= {name: m.Div(text="", **spoken) for name in ("title", "changes", "say")}
    for name, (label, action) in _BUTTONS.items():
        parts[name] = m.Button(label=label, stylesheets=style, disabled=name == "undo")
        parts[name].js_on_event("button_click", call(i, f"press('{action}')"))
    sliders = _sliders(state, stored, wide)
    rows = [(str(j), name) for j, name in enumerate(state.names)]
    parts |= {
        "view": m.CDSView(filter=m.IndexFilter()),
        "show": m.Select(title="show", options=_kinds(state), value=state.show, **wide),
        "row": m.Select(title="row", options=rows, value="0", **wide),
        "find": m.TextInput(title="search", **wide),
        "sliders": sliders,
        "kinds": m.RadioButtonGroup(
            labels=[name for name in PICTURES if name != "sphere" or state.dimension == 3],
            active=0,
            stylesheets=style,
            html_attributes={"role": "group", "aria-label": "Which picture"},
        ),
        "rows_figure": rows_figure(i, parts["rows"]),
        "plane": plane_figure(i, *(parts[name] for name in ("areas", "walls", "marks", "border"))),
        "sphere": sphere_figure(i, parts["caps"]),
        "graph": graph_figure(i, parts["nodes"], parts["texts"], parts["edges"]),
    }
    note = "Drag a row in the picture, or choose it here:"
    if stored is not None:
        note = "There are too many regions to store steps of sliders on this page."
        parts["row"].visible = bool(sliders)
    if stored is not None and sliders:
        note = "Choose a row. Each step of a slider was computed exactly for this page:"
    server = f"To drag rows freely, start the server: <code>{_keep_words_whole(command)}</code>"
    wrapped = {"flex-wrap": "wrap"}
    columns = {
        "controls": [
            *([parts["show"]] if stored is None else []),
            parts["rows_figure"],
            m.Div(text=note, **wide),
            parts["row"],
            *sliders.values(),
            m.Row(*(parts[name] for name in _BUTTONS), styles=wrapped),
            m.Div(text=server, visible=stored is not None, **wide),
        ],
        "heading": [parts[name] for name in ("title", "kinds", "where", "refused")],
        "picture": [parts[name] for name in PICTURES],
        "facts": [parts[name] for name in ("find", "say", "changes")],
    }
    roots = {
        name: m.Column(*children, sizing_mode="stretch_width") for name, children in columns.items()
    }
    roots |= {"cosines": parts["cosines"], "table": _table(parts, len(session.view.names), stored)}
    return parts | {f"root_{name}": root for name, root in roots.items()}


def _table(parts: dict[str, Any], regions: int, stored: Json | None) -> Any:
    """The table of regions; on a page without a server it never has more rows."""
    from bokeh import models as m  # an extra

    return m.DataTable(
        source=parts["regions"],
        view=parts["view"],
        columns=[
            m.TableColumn(field="name", title="region", width=380),
            m.TableColumn(field="walls", title="walls", width=60),
            m.TableColumn(field="far", title="walls away", width=90),
        ],
        index_position=None,
        reorderable=False,
        height=_TABLE if stored is None else min(_TABLE, 40 + 25 * max(regions, 4)),
        sizing_mode="stretch_width",
        stylesheets=[m.InlineStyleSheet(css=read_text("table.css"))],
    )


def read_text(name: str) -> str:
    """A file of this folder."""
    return (FOLDER / name).read_text(encoding="utf-8")


def _keep_words_whole(command: str) -> str:
    """HTML of a command that is broken between words only."""
    words = command.split()
    return " ".join(f'<span style="white-space:nowrap">{escape(word)}</span>' for word in words)


def _columns() -> dict[str, dict[str, list[Any]]]:
    """The columns of each source: of the table, of the pictures, and of the rows."""
    found = {
        "regions": ("name", "walls", "far"),
        "areas": ("short", "color", "xs", "ys"),
        "marks": ("x", "y", "text"),
        "walls": ("xs", "ys", "name"),
        "border": ("xs", "ys"),
        "caps": ("short", "color", "xs", "ys"),
        "nodes": ("short", "color", "x", "y"),
        "texts": ("x", "y", "far", "node"),
        "edges": ("x0", "y0", "x1", "y1", "name"),
        "rows": ("x", "y", "x0", "y0", "name", "text", "color", "dx", "dy", "align"),
    }
    return {source: {name: [] for name in names} for source, names in found.items()}


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
