"""Drawing on matplotlib axes: sectors of a disk, polygons, curves, and text that fits.

Sizes of texts are estimated from their lengths, so placing them renders nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from math import atan2, cos, degrees, pi, sin
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arrangements import palette
from arrangements.errors import InputError, MissingDependencyError
from arrangements.exact.coercion import refuse_masked
from arrangements.exact.numbers import nearest_float
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_writable
from arrangements.messages import quote, quote_path
from arrangements.plot.colors import Color
from arrangements.plot.plane import (
    Limits,
    Polygon,
    Row,
    clipped,
    corners,
    rectangle,
    rounded,
    sector,
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


def sized(size: Place, width: Width | None) -> Place:
    """Size of a figure in inches: the usual one, or one of the same shape and another width.

    Examples
    --------
    >>> [round(25.4 * side) for side in sized((7, 6), "column")]
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
    size = sized(size, width)
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
    size = sized(size, width)
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
    size, sharp = sized(size, width), 150 if width is None else 300
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
        raise MissingDependencyError(
            "pictures need matplotlib, which is not installed: "
            "pip install 'hyperplane-arrangements[plot]'"
        ) from error


def settle(ax: Axes) -> None:
    """Let the layout of the figure find the size of its axes, before text is placed by it."""
    _figure(ax).draw_without_rendering()


def _inches(ax: Axes) -> Place:
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
    width, height = _inches(ax)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    return (right - left) / width, (top - bottom) / height


def shortened(text: str, most: int = LONGEST) -> str:
    """Text of at most `most` characters in one line, safe from being read as a formula.

    Examples
    --------
    >>> shortened("hippopotamus > cat", 8)
    'hippopo…'
    """
    text = " ".join(text.split())
    text = text if len(text) <= most else text[: max(most - 1, 1)] + "\N{HORIZONTAL ELLIPSIS}"
    return text.replace("$", r"\$")


# ------------------------------------------------------------------ the disk


def draw_sectors(
    ax: Axes,
    sectors: Sequence[Sequence[Row]],
    faces: Sequence[Color],
    texts: Sequence[str] = (),
    *,
    edge: str = "white",
    marked: Sequence[bool] = (),
) -> bool:
    """Draw sectors of the unit disk, with texts around it.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    sectors : sequence of sequences of (a, b, 0)
        Rows that are positive inside each sector.
    faces : sequence of colors
    texts : sequence of str
        One for each sector: left and right of the disk or, if there are many, around it, turned
        like its rays. All are left out if they do not fit.
    edge : color
        Of the lines between sectors.
    marked : sequence of bool, optional
        Sectors that are hatched and have a bold text.

    Returns
    -------
    bool
        Whether the texts have been written.
    """
    angles = [_angles(rows) for rows in sectors]
    outlines = [_wedge(*pair) for pair in angles]
    fill(ax, outlines, faces, edge, linewidths=min(0.8, 80 / len(outlines)))
    hatched = [outline for outline, mark in zip(outlines, marked, strict=False) if mark]
    if hatched:
        fill(ax, hatched, ["none"] * len(hatched), DARK, hatch="////", zorder=2)
    draw_circle(ax)
    middles = [(start + end) / 2 for start, end in angles]
    return _write_around(ax, middles, texts, marked) or _write_radially(ax, middles, texts, marked)


def fill(
    ax: Axes, outlines: Sequence[Points], faces: Sequence[Color], edge: str, **style: Any
) -> None:
    """Add one collection of polygons."""
    from matplotlib.collections import PolyCollection  # an extra

    style = {"linewidths": 0.8} | style
    ax.add_collection(PolyCollection(outlines, facecolors=faces, edgecolors=edge, **style))


def _angles(rows: Sequence[Row]) -> Place:
    """Angles from which, counterclockwise, and to which a sector goes."""
    rays = sector(rows)
    if rays is None:
        return 0.0, 2 * pi
    start, end = (atan2(y, x) for x, y in map(rounded, rays))
    return start, end if end > start else end + 2 * pi


def _wedge(start: float, end: float) -> Points:
    """Outline of a sector of the unit disk, counterclockwise."""
    arc = np.linspace(start, end, 2 + int((end - start) * 60))
    outline = np.column_stack([np.cos(arc), np.sin(arc)])
    return outline if end - start > 6.28 else np.vstack([[0.0, 0.0], outline])


def draw_circle(ax: Axes, style: str = "-") -> None:
    """Draw the unit circle, and show it."""
    arc = np.linspace(0, 2 * pi, 361)
    ax.fill(np.cos(arc), np.sin(arc), facecolor="none", edgecolor=DARK, linestyle=style)
    show_disk(ax)


def draw_rays(ax: Axes, sectors: Sequence[Sequence[Row]]) -> None:
    """Draw the rays between sectors dark."""
    for rows in sectors if len(sectors) > 1 else []:
        for angle in _angles(rows):
            ax.plot([0, cos(angle)], [0, sin(angle)], color=DARK, linewidth=1.2, zorder=3)


def show_disk(ax: Axes, across: float = 0.0, up: float = 0.0) -> None:
    """Show the unit disk with room in inches for text on both sides, above and below."""
    ax.set_axis_off()
    ax.set_aspect("auto")
    ax.apply_aspect()  # the whole width and height, even if the disk was shown before
    width, height = _inches(ax)
    unit = max(min((width - 2 * across) / 2.4, (height - 2 * up) / 2.4), 0.1)
    ax.set_xlim(-width / unit / 2, width / unit / 2)
    ax.set_ylim(-height / unit / 2, height / unit / 2)
    ax.set_aspect("equal")


def room_around(ax: Axes) -> int:
    """Characters for which there is room on each side of a disk of a decent size."""
    return int(0.21 * _inches(ax)[0] * 72 / (WIDTH * text_size()))


def _write_around(
    ax: Axes, angles: Sequence[float], texts: Sequence[str], bold: Sequence[bool]
) -> bool:
    """Texts around the disk at the given angles, moved up or down where they would overlap."""
    texts = [shortened(text, room_around(ax)) for text in texts]
    show_disk(ax, max(map(len, texts), default=0) * WIDTH * text_size() / 72)
    gap = HEIGHT * text_size() / 72 * units(ax)[1]
    sides = [
        sorted(
            (i for i, text in enumerate(texts) if text and (cos(angles[i]) >= 0) == (side > 0)),
            key=lambda i: sin(angles[i]),
        )
        for side in (1, -1)
    ]
    if max(map(len, sides)) * gap > 2.5:
        show_disk(ax)
        return False
    for side, members in zip((1, -1), sides, strict=True):
        heights = _spread([1.14 * sin(angles[i]) for i in members], gap)
        for i, y in zip(members, heights, strict=True):
            x = side * max(1.14**2 - y * y, 0.02) ** 0.5
            ends = [cos(angles[i]), x], [sin(angles[i]), y]
            ax.plot(*ends, **_LEADER)
            ha = "left" if side > 0 else "right"
            weight = "bold" if i < len(bold) and bold[i] else "normal"
            style: dict[str, Any] = {"va": "center", "fontsize": text_size(), "fontweight": weight}
            ax.text(x + 0.02 * side, y, texts[i], ha=ha, **style)
    return True


_LEADER: dict[str, Any] = {"color": palette.LEADER, "linewidth": 0.6, "zorder": 1}


def _write_radially(
    ax: Axes, angles: Sequence[float], texts: Sequence[str], bold: Sequence[bool]
) -> bool:
    """Texts around the disk, each turned like a ray from its center, where there is room."""
    longest = max(map(len, texts), default=0)
    for size in (text_size(), 0.75 * text_size()):
        length = longest * WIDTH * size / 72
        show_disk(ax, length, length)
        gap = 0.85 * HEIGHT * size / 72 * units(ax)[1] / 1.1
        if len(texts) * gap < 2 * pi and max(units(ax)) * min(_inches(ax)) < 4:
            break
    else:
        show_disk(ax)
        return False
    order, places = _spread_around(angles, gap)
    for i, place in zip(order, places, strict=True):
        x, y = cos(place), sin(place)
        ax.plot([cos(angles[i]), 1.07 * x], [sin(angles[i]), 1.07 * y], **_LEADER)
        turn, ha = (degrees(place), "left") if x >= 0 else (degrees(place) + 180, "right")
        weight = "bold" if i < len(bold) and bold[i] else "normal"
        style: dict[str, Any] = {"ha": ha, "va": "center", "fontsize": size, "fontweight": weight}
        ax.text(1.09 * x, 1.09 * y, texts[i], rotation=turn, rotation_mode="anchor", **style)
    return True


def _spread_around(angles: Sequence[float], gap: float) -> tuple[list[int], list[float]]:
    """Indices by angle, and angles at least `gap` apart near theirs: room for that there must be.

    Examples
    --------
    >>> order, places = _spread_around([3.0, 1.0, 1.0], 0.5)
    >>> order, places
    ([1, 2, 0], [0.75, 1.25, 3.0])
    """
    turned = np.mod(angles, 2 * pi)
    order = np.argsort(turned, kind="stable")
    steps = np.diff(turned[order], prepend=turned[order[-1]] - 2 * pi)
    first = int(steps.argmax())  # start behind the largest step
    order = np.roll(order, -first)
    targets = np.where(np.arange(len(order)) < len(order) - first, 0.0, 2 * pi) + turned[order]
    places = np.array(_spread(targets.tolist(), gap))
    if places[-1] - places[0] + gap > 2 * pi:  # no step is left: all alike
        even = np.arange(len(order)) * 2 * pi / len(order)
        places = even + (targets - even).mean()
    return order.tolist(), places.tolist()


def _spread(targets: Sequence[float], gap: float) -> list[float]:
    """Positions at least `gap` apart that are nearest to ascending targets (least squares).

    Examples
    --------
    >>> _spread([0.0, 0.0, 5.0], 1.0)
    [-0.5, 0.5, 5.0]
    """
    groups: list[tuple[float, int]] = []  # mean of target - place * gap, and size
    for i, target in enumerate(targets):
        mean, size = target - i * gap, 1
        while groups and groups[-1][0] > mean:
            before, count = groups.pop()
            mean = (mean * size + before * count) / (size + count)
            size += count
        groups.append((mean, size))
    means = [mean for mean, size in groups for _ in range(size)]
    return [mean + i * gap for i, mean in enumerate(means)]


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


def checked_limits(limits: Limits | None) -> Limits | None:
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
    polygons = {i: clipped(whole, rows) for i, rows in enumerate(regions)}
    return {i: _floats(polygon) for i, polygon in polygons.items() if polygon}


def _floats(polygon: Polygon) -> Points:
    return np.array([[nearest_float(x), nearest_float(y)] for x, y in polygon])


def sector_outlines(sectors: Sequence[Sequence[Row]]) -> list[Points]:
    """Sectors of the unit disk."""
    return [_wedge(*_angles(rows)) for rows in sectors]


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
