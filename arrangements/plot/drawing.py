"""Figures and their files, and drawing on matplotlib axes: polygons, points, limits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arrangements import palette
from arrangements.errors import InputError
from arrangements.exact.coercion import refuse_masked
from arrangements.exact.numbers import nearest_float
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_writable
from arrangements.messages import missing_library, quote, quote_path
from arrangements.plot.colors import Color
from arrangements.plot.plane import (
    Limits,
    Polygon,
    Row,
    clip,
    corners,
    rectangle,
    view,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = NDArray[np.float64]
Place = tuple[float, float]

DARK, ACCENT = palette.DARK, palette.ORANGE
WIDTH, HEIGHT = 0.62, 1.35  # of a character and of a line, in sizes
LONGEST = 24  # characters of a text
# Millimetres that journals have for a picture in one column, and across the page.
COLUMNS = {"column": 85, "page": 175}
_NARROWEST, _WIDEST = 30, 1000
# What matplotlib can still draw in equal units: coordinates, and quotients of sides.
_LARGEST, _THINNEST = 1e300, 1e100
Width = float | Literal["column", "page"]
_KINDS, _KINDS_TEXT = (".png", ".pdf", ".svg"), ".png, .pdf or .svg"


# ------------------------------------------------------------------ axes


def figure_size(size: Place, width: Width | None) -> Place:
    """Size of a figure in inches: the usual one, or one of the same shape and another width.

    Examples
    --------
    >>> [round(25.4 * side) for side in figure_size((7, 6), "column")]
    [85, 73]
    """
    if width is None:
        return size
    wide: Any = COLUMNS.get(width, width) if isinstance(width, str) else width
    number = isinstance(wide, Real) and not isinstance(wide, bool)
    if not (number and _NARROWEST <= wide <= _WIDEST):
        raise InputError(
            f"width is {quote(width)}; expected 'column', 'page', or a number of millimetres from "
            f"{_NARROWEST} to {_WIDEST}."
        )
    inches = float(wide) / 25.4
    return inches, inches * size[1] / size[0]


def text_size() -> float:
    """Points of a text: nine tenths of the current font size, whatever the width of a picture."""
    return 0.9 * float(import_module("matplotlib").rcParams["font.size"])


def axes_for(ax: Axes | None, size: Place = (7, 6), width: Width | None = None) -> Axes:
    """The axes given, or those of a new figure of this size in inches, or of this width."""
    size = figure_size(size, width)
    if ax is not None:
        refuse_width(width, "ax")
        if not hasattr(ax, "add_collection"):
            raise InputError(f"ax is {quote(ax)}; expected matplotlib.axes.Axes.")
        return ax
    figure = figure_for(None, size)
    axes = figure.subplots()
    settle(axes)
    return axes


def refuse_width(width: Width | None, name: str) -> None:
    """Refuse a width for a figure that is there."""
    if width is not None:
        raise InputError(f"width was given with {name}, whose figure has one; leave one out.")


def figure_for(figure: Figure | None, size: Place, width: Width | None = None) -> Figure:
    """The figure given, or a new one of this size in inches; an error without matplotlib."""
    size = figure_size(size, width)
    if figure is not None:
        refuse_width(width, "fig")
    else:
        figure = _matplotlib("pyplot").figure(figsize=size, layout="constrained")
    if not hasattr(figure, "subplots"):
        raise InputError(f"fig is {quote(figure)}; expected matplotlib.figure.Figure.")
    return figure


@contextmanager
def picture(
    path: str | os.PathLike[str], size: Place, width: Width | None = None
) -> Iterator[Figure]:
    """Figure that is written to a file in the end, without a screen.

    Parameters
    ----------
    path : str or path-like
        Ending in .png, .pdf or .svg.
    size : (float, float)
        Width and height in inches.
    width : float or {"column", "page"}, optional
        Another width in millimetres, of the same shape.

    Yields
    ------
    matplotlib.figure.Figure
    """
    check_picture(path)
    size, sharp = figure_size(size, width), 150 if width is None else 300
    figure_class: Any = _matplotlib("figure").Figure
    figure = figure_class(figsize=size, layout="constrained")
    yield figure
    kind = os.path.splitext(path)[1][1:].lower()
    # journals refuse fonts of type 3, matplotlib's default in PDF
    with _matplotlib("").rc_context({"pdf.fonttype": 42}), atomic_write(path) as stream:
        figure.savefig(stream, dpi=sharp, format=kind)


def check_picture(path: str | os.PathLike[str]) -> None:
    """Refuse a file that cannot be written, or whose name does not tell its format."""
    if os.path.splitext(path)[1].lower() not in _KINDS:
        raise InputError(f"{quote_path(path)} has an unknown extension; expected {_KINDS_TEXT}.")
    check_writable(path)


def _matplotlib(module: str) -> Any:
    """A module of matplotlib, or an error that says how to get it."""
    try:
        return import_module(f"matplotlib.{module}".rstrip("."))
    except ImportError as error:
        raise missing_library("matplotlib", "for pictures", "plot") from error


def settle(ax: Axes) -> None:
    """Let the layout of the figure find the size of its axes, before text is placed by it."""
    _figure(ax).draw_without_rendering()


def inches(ax: Axes) -> Place:
    """Width and height of the axes."""
    dpi = _figure(ax).dpi
    return ax.bbox.width / dpi, ax.bbox.height / dpi


def _figure(ax: Axes) -> Any:
    """The whole figure, also of axes in a subfigure."""
    figure: Any = ax.figure
    return figure.figure


def units(ax: Axes) -> Place:
    """Data units per inch, across and up."""
    ax.apply_aspect()
    width, height = inches(ax)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    return (right - left) / width, (top - bottom) / height


def shorten(text: str, most: int = LONGEST) -> str:
    """Text of at most `most` characters in one line, safe from being read as a formula.

    Examples
    --------
    >>> shorten("hippopotamus > cat", 8)
    'hippopo…'
    """
    text = " ".join(text.split())
    text = text if len(text) <= most else text[: max(most - 1, 1)] + "\N{HORIZONTAL ELLIPSIS}"
    return text.replace("$", r"\$")


def fill(
    ax: Axes, outlines: Sequence[Points], faces: Sequence[Color], edge: str, **style: Any
) -> None:
    """Add one collection of polygons."""
    from matplotlib.collections import PolyCollection  # an extra

    style = {"linewidths": 0.8} | style
    ax.add_collection(PolyCollection(outlines, facecolors=faces, edgecolors=edge, **style))


# ------------------------------------------------------------------ the plane


def set_view(ax: Axes, regions: Sequence[Sequence[Row]], limits: Limits | None) -> Limits:
    """Limits of the axes: those given, or such that the corners of the regions are in view."""
    box = view(corners(regions)) if limits is None else limits
    ax.set_xlim(*box[:2])
    ax.set_ylim(*box[2:])
    width, height = box[1] - box[0], box[3] - box[2]
    # "auto" if equal units would leave a thin strip
    ax.set_aspect("equal" if max(width, height) <= 2.5 * min(width, height) else "auto")
    ax.set_xlabel("$x_1$")
    ax.set_ylabel("$x_2$")
    return box


def check_limits(limits: Limits | None) -> Limits | None:
    """Limits as floats: finite, and not empty."""
    if limits is None:
        return None
    refuse_masked(limits, "limits")
    try:
        left, right, bottom, top = map(float, limits)
    except Exception:  # they are not four numbers
        left = right = bottom = top = 0.0
    if not (left < right and bottom < top and np.isfinite([left, right, bottom, top]).all()):
        raise InputError(
            f"limits is {quote(limits)}; expected finite (left, right, bottom, top) with "
            "left < right and bottom < top."
        )
    return left, right, bottom, top


def outlines_in(box: Limits, regions: Sequence[Sequence[Row]]) -> dict[int, Points]:
    """The part of each region in a rectangle; regions that miss it are left out."""
    whole = rectangle(box)
    polygons = {i: clip(whole, rows) for i, rows in enumerate(regions)}
    return {i: _floats(polygon) for i, polygon in polygons.items() if polygon}


def _floats(polygon: Polygon) -> Points:
    return np.array([[nearest_float(x), nearest_float(y)] for x, y in polygon])


def centroid(polygon: Points) -> Place:
    """Centroid of a convex polygon."""
    size = np.abs(polygon - polygon[0]).max() or 1.0  # whose square may overflow
    x, y = ((polygon - polygon[0]) / size).T
    cross = x * np.roll(y, -1) - np.roll(x, -1) * y
    area = cross.sum() * 3
    if not area:
        return float(polygon[0, 0]), float(polygon[0, 1])
    center = [((v + np.roll(v, -1)) * cross).sum() / area for v in (x, y)]
    return float(polygon[0, 0] + size * center[0]), float(polygon[0, 1] + size * center[1])


# ------------------------------------------------------------------ points


def draw_points(ax: Axes, points: Points, directions: Points, limits: Limits) -> None:
    """Draw points in equal units, each with its number in a direction that is free."""
    ax.set_xlim(*limits[:2])
    ax.set_ylim(*limits[2:])
    ax.set_aspect("equal")
    ax.plot(*points.T, linestyle="none", marker="o", markersize=5, color=DARK, zorder=5)
    shifts = 13 * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    for i, (point, shift) in enumerate(zip(points.tolist(), shifts.tolist(), strict=True)):
        ax.annotate(
            str(i),
            (point[0], point[1]),
            (shift[0], shift[1]),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=text_size() + 1,
            zorder=6,
        )


def refuse_unequal(points: Points, name: str) -> None:
    """Refuse corners of a picture in equal units that is far too large or too thin to draw.

    Examples
    --------
    >>> refuse_unequal(np.array([[0.0, 0.0], [1e-200, 1.0]]), "the zonotope")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: the zonotope spans 1e-200 by 1; expected less than 1e+300, \
with sides that differ by a factor of less than 1e+100. Scale the columns.
    """
    with np.errstate(over="ignore"):
        sides = points.max(axis=0) - points.min(axis=0)
    if not np.abs(points).max() < _LARGEST or 0 < sides.min() < sides.max() / _THINNEST:
        raise InputError(
            f"{name} spans {' by '.join(f'{side:.3g}' for side in sides.tolist())}; expected less "
            f"than {_LARGEST:g}, with sides that differ by a factor of less than {_THINNEST:g}. "
            "Scale the columns."
        )


def frame(points: Points, margin: float = 0.15) -> Limits:
    """Square around points, with a margin that is a share of its side."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = (0.5 + margin) * float(max(high - low))
    x, y = ((low + high) / 2).tolist()
    return x - half, x + half, y - half, y + half
