"""The figures of a page: Bokeh draws the columns of sources that the script fills."""

from __future__ import annotations

from typing import Any

from arrangements import palette

_REGIONS = {
    "fill_color": "color",
    "selection_line_width": 3.5,
    "selection_line_color": "black",
    "selection_fill_alpha": 1.0,
}
# Other regions fade when one is chosen.
_AREAS = {**_REGIONS, "fill_alpha": 0.95, "nonselection_fill_alpha": 0.45}
_CENTERED = {"text_align": "center", "text_baseline": "middle"}


def call(panel: int, action: str) -> Any:
    """A callback that runs a function of a panel's script."""
    from bokeh.models import CustomJS  # an extra

    return CustomJS(code=f"window.arrangementsExplorer[{panel}].{action}")


def _figure(name: str, description: str, **more: Any) -> Any:
    from bokeh.models import Range1d  # an extra
    from bokeh.plotting import figure  # an extra

    made = figure(
        aspect_ratio=1,
        sizing_mode="scale_width",
        x_range=Range1d(-1.05, 1.05),
        y_range=Range1d(-1.05, 1.05),
        toolbar_location="above",
        outline_line_color=palette.GREY,
        min_border=4,
        name=name,
        html_attributes={"role": "group", "aria-label": f"Picture of {description}"},
        **more,
    )
    made.axis.visible = False
    made.grid.visible = False
    made.toolbar.logo = None
    return made


def _add_tools(
    figure: Any, regions: Any, lines: Any = None, name: str = "@short", **hover: Any
) -> None:
    """Name what is under the pointer, choose regions; zoom with the wheel where there are lines."""
    from bokeh.models import HoverTool, TapTool, WheelZoomTool  # an extra

    figure.add_tools(
        HoverTool(renderers=[regions], tooltips=name, point_policy="follow_mouse"),
        TapTool(renderers=[regions], mode="replace"),
    )
    if lines is not None:
        wheel = WheelZoomTool()
        figure.add_tools(HoverTool(renderers=[lines], visible=False, **hover), wheel)
        figure.toolbar.active_scroll = wheel


def plane_figure(i: int, areas: Any, walls: Any, marks: Any, border: Any) -> Any:
    """Regions of the plane, with names where there is room; the pointer names walls."""
    made = _figure(f"plane{i}", "the regions of the plane", tools="pan,reset")
    # unchosen regions fade to it, on dark pages too
    made.background_fill_color = "white"
    # walls are lines of their own
    patches = made.patches("xs", "ys", source=areas, line_color=None, **_AREAS)
    lines = made.multi_line(
        "xs", "ys", source=walls, line_color=palette.DARK, line_width=1.3, line_alpha=0.85
    )
    made.multi_line("xs", "ys", source=border, line_color=palette.DARK, line_width=3)
    style = {"text_font_size": "12px", "text_color": palette.DARK, **_CENTERED}
    made.text("x", "y", text="text", source=marks, **style)
    _add_tools(
        made,
        patches,
        lines,
        tooltips="@name",
        line_policy="interp",
        description="names of lines",
        attachment="below",
    )
    return made


def sphere_figure(i: int, caps: Any) -> Any:
    """Regions of the sphere, which can be turned."""
    made = _figure(f"sphere{i}", "the regions of the sphere", tools="", visible=False)
    style = {"line_color": palette.DARK, "line_width": 1, "nonselection_line_alpha": 1, **_AREAS}
    _add_tools(made, made.patches("xs", "ys", source=caps, **style))
    _listen(i, made, "sphere")
    return made


def graph_figure(i: int, regions: Any, texts: Any, edges: Any) -> Any:
    """Regions as nodes, joined where they share a wall; few texts, which are slow to draw."""
    made = _figure(f"graph{i}", "the graph of regions", tools="pan,reset", visible=False)
    lines = made.segment("x0", "y0", "x1", "y1", source=edges, line_color=palette.GREY)
    style = {"nonselection_fill_alpha": 1, "nonselection_line_alpha": 1, **_REGIONS}
    nodes = made.scatter(
        "x", "y", name="nodes", source=regions, size=13, line_color=palette.DARK, **style
    )
    made.text(
        "x", "y", text="far", source=texts, text_font_size="9px", text_color="black", **_CENTERED
    )
    style = {"text_align": "center", "text_font_size": "11px", "text_color": palette.GREY}
    made.text("x", "y", text="node", source=texts, y_offset=-9, **style)
    _add_tools(made, nodes, lines, tooltips="wall @name")
    return made


def rows_figure(i: int, rows: Any) -> Any:
    """The rows of W as points that can be dragged."""
    from bokeh.models import HoverTool, WheelZoomTool  # an extra

    made = _figure(f"rows{i}", "the rows of W", tools="")
    made.title.text = "the rows of W"
    made.title.text_color = palette.GREY
    made.segment("x0", "y0", "x", "y", source=rows, line_color=palette.GREY, line_alpha=0.6)
    points = made.scatter(
        "x", "y", source=rows, size=14, fill_color="color", line_color=palette.DARK
    )
    style = {"text_align": "align", "text_font_size": "12px", "text_color": palette.GREY}
    made.text(
        "x",
        "y",
        text="name",
        source=rows,
        x_offset="dx",
        y_offset="dy",
        text_baseline="middle",
        **style,
    )
    made.add_tools(HoverTool(renderers=[points], tooltips="@name: @text"), WheelZoomTool())
    _listen(i, made, "rows")
    return made


def network_figure(areas: Any, edges: Any, borders: Any, probe: Any) -> Any:
    """Regions of networks: a click or a drag moves the point that is described."""
    made = _figure("plane0", "the regions of the network", tools="reset")
    made.background_fill_color = "white"
    patches = made.patches("xs", "ys", source=areas, line_color=None, **_AREAS)
    lines = made.multi_line("xs", "ys", source=edges, line_color="color", line_width=1.3)
    made.multi_line("xs", "ys", source=borders, line_color=palette.DARK, line_width=2.5)
    made.scatter(
        "x", "y", source=probe, size=12, fill_color="white", line_color="black", line_width=2
    )
    _add_tools(
        made,
        patches,
        lines,
        name="@name",
        tooltips="@name",
        line_policy="interp",
        description="names of units",
        attachment="below",
    )
    for event in ("tap", "pan"):
        made.js_on_event(event, call(0, "pointer(cb_obj)"))
    return made


def _listen(i: int, figure: Any, name: str) -> None:
    for event in ("panstart", "pan", "panend"):
        figure.js_on_event(event, call(i, f"pointer('{name}', cb_obj)"))
