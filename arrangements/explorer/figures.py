"""The figures of a page: Bokeh draws the columns of sources that the script fills."""

from __future__ import annotations

from typing import Any

from arrangements import palette

_MARKED = {
    "selection_line_width": 3.5,
    "selection_line_color": "black",
    "selection_fill_alpha": 1.0,
}


def call(panel: int, what: str) -> Any:
    """A callback: what a panel's script does."""
    from bokeh.models import CustomJS  # an extra

    return CustomJS(code=f"window.arrangementsExplorer[{panel}].{what}")


def _figure(name: str, says: str, **more: Any) -> Any:
    from bokeh.models import Range1d  # an extra
    from bokeh.plotting import figure  # an extra

    made = figure(
        aspect_ratio=1,
        sizing_mode="scale_width",
        x_range=Range1d(-1, 1),
        y_range=Range1d(-1, 1),
        toolbar_location="above",
        outline_line_color=palette.GREY,
        min_border=4,
        name=name,
        html_attributes={"role": "group", "aria-label": says},
        **more,
    )
    made.axis.visible = False
    made.grid.visible = False
    made.toolbar.logo = None
    return made


def plane_figure(i: int, areas: Any, walls: Any, marks: Any) -> Any:
    """Regions of the plane, with names where there is room; walls are named by the pointer."""
    from bokeh.models import HoverTool, TapTool, WheelZoomTool  # an extra

    made = _figure(f"plane{i}", "Picture of the regions of the plane", tools="pan,reset")
    # on dark pages, too, regions that are not chosen fade to it
    made.background_fill_color = "white"
    patches = made.patches(
        "xs",
        "ys",
        source=areas,
        fill_color="color",
        line_color=None,  # walls are lines of their own
        fill_alpha=0.95,
        nonselection_fill_alpha=0.45,
        **_MARKED,
    )
    lines = made.multi_line(
        "xs", "ys", source=walls, line_color=palette.DARK, line_width=1.3, line_alpha=0.85
    )
    made.text(
        "x",
        "y",
        text="text",
        source=marks,
        text_align="center",
        text_baseline="middle",
        text_font_size="12px",
        text_color=palette.DARK,
    )
    wheel = WheelZoomTool()
    made.add_tools(
        HoverTool(renderers=[patches], tooltips="@short", point_policy="follow_mouse"),
        HoverTool(
            renderers=[lines],
            tooltips="@name",
            line_policy="interp",
            description="names of lines",
            visible=False,
            attachment="below",
        ),
        TapTool(renderers=[patches], mode="replace"),
        wheel,
    )
    made.toolbar.active_scroll = wheel
    return made


def sphere_figure(i: int, caps: Any) -> Any:
    """Regions of the sphere, which can be turned."""
    from bokeh.models import HoverTool, TapTool  # an extra

    made = _figure(f"sphere{i}", "Picture of the regions of the sphere", tools="", visible=False)
    made.x_range.update(start=-1.05, end=1.05)
    made.y_range.update(start=-1.05, end=1.05)
    patches = made.patches(
        "xs",
        "ys",
        source=caps,
        fill_color="color",
        line_color=palette.DARK,
        line_width=1,
        fill_alpha=0.95,
        nonselection_fill_alpha=0.45,
        nonselection_line_alpha=1,
        **_MARKED,
    )
    made.add_tools(
        HoverTool(renderers=[patches], tooltips="@short", point_policy="follow_mouse"),
        TapTool(renderers=[patches], mode="replace"),
    )
    _listen(i, made, "sphere")
    return made


def graph_figure(i: int, regions: Any, texts: Any, edges: Any) -> Any:
    """Regions as nodes, joined where they share a wall; few texts, which are slow to draw."""
    from bokeh.models import HoverTool, TapTool, WheelZoomTool  # an extra

    made = _figure(f"graph{i}", "Picture of the graph of regions", tools="pan,reset", visible=False)
    lines = made.segment("x0", "y0", "x1", "y1", source=edges, line_color=palette.GREY)
    nodes = made.scatter(
        "x",
        "y",
        name="nodes",
        source=regions,
        size=13,
        fill_color="color",
        line_color=palette.DARK,
        nonselection_fill_alpha=1,
        nonselection_line_alpha=1,
        **_MARKED,
    )
    made.text(
        "x",
        "y",
        text="far",
        source=texts,
        text_align="center",
        text_baseline="middle",
        text_font_size="9px",
        text_color="black",
    )
    made.text(
        "x",
        "y",
        text="node",
        source=texts,
        y_offset=-9,
        text_align="center",
        text_font_size="11px",
        text_color=palette.GREY,
    )
    wheel = WheelZoomTool()
    made.add_tools(
        HoverTool(renderers=[nodes], tooltips="@short"),
        HoverTool(renderers=[lines], tooltips="wall @name", visible=False),
        TapTool(renderers=[nodes], mode="replace"),
        wheel,
    )
    made.toolbar.active_scroll = wheel
    return made


def rows_figure(i: int, rows: Any) -> Any:
    """The rows of W as points that can be dragged."""
    from bokeh.models import HoverTool, WheelZoomTool  # an extra

    made = _figure(f"rows{i}", "Picture of the rows of W", tools="")
    made.title.text = "the rows of W"
    made.title.text_color = palette.GREY
    made.segment("x0", "y0", "x", "y", source=rows, line_color=palette.GREY, line_alpha=0.6)
    points = made.scatter(
        "x", "y", source=rows, size=14, fill_color="color", line_color=palette.DARK
    )
    made.text(
        "x",
        "y",
        text="name",
        source=rows,
        x_offset="dx",
        y_offset="dy",
        text_align="align",
        text_baseline="middle",
        text_font_size="12px",
        text_color=palette.GREY,
    )
    made.add_tools(HoverTool(renderers=[points], tooltips="@name: @text"), WheelZoomTool())
    _listen(i, made, "rows")
    return made


def _listen(i: int, figure: Any, name: str) -> None:
    for event in ("panstart", "pan", "panend"):
        figure.js_on_event(event, call(i, f"pointer('{name}', cb_obj)"))
