"""Names of regions: inside them, next to them with a line, or as marks with a key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import pi
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.plot.colors import Color
from arrangements.plot.drawing import (
    DARK,
    HEIGHT,
    WIDTH,
    Place,
    Points,
    centroid,
    settle,
    text_size,
    units,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SMALL = 0.75  # of `text_size`: where nothing larger fits
# More or longer texts are not written next to their regions: marks are, with a key.
_MOST_BESIDE, _BESIDE = 8, 8
_MOST_KEYS, _ROWS = 60, 30
# Inches that a legend on the right leaves for the axes; the share of a figure that one below may
# have; characters that a patch of color is as wide as.
_LEAST, _LOWEST, _HANDLE = 2.0, 0.4, 4
_NEAREST, _FARTHEST = 0.2, 1.8  # of a text next to a region, in inches
_SAMPLES = 16  # points that stand for a line

Box = tuple[float, float, float, float]  # middle, width and height


class Shape(NamedTuple):
    """A region as it is drawn: its outline, and a point well inside."""

    outline: Points
    inside: Place


class Entry(NamedTuple):
    """A line of a legend, for an area or for lines of a color."""

    face: Color
    text: str
    is_line: bool = False


class Naming(NamedTuple):
    """Texts written inside or next to regions, and whether every region has a name."""

    places: list[Place]
    complete: bool


def name_regions(
    ax: Axes,
    shapes: Mapping[int, Shape],
    texts: Sequence[str],
    faces: Sequence[Color],
    legend: Sequence[Entry] = (),
    spare: Sequence[Entry] = (),
) -> Naming:
    """Name regions inside if the text fits, else next to them, else by a mark with a key.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    shapes : mapping of int to Shape
        The regions in view, by index.
    texts, faces : sequences
        For all regions.
    legend : sequence of Entry
        What the legend holds in any case.
    spare : sequence of Entry
        What it holds, too, if there are more names than can be read.
    """
    draw_legend(ax, legend)
    marks = _with_key(ax, shapes, texts, faces, legend)
    if marks is None:
        draw_legend(ax, [*legend, *spare])
        loose = _without_room(ax, shapes, texts)
        kept = {i: shape for i, shape in shapes.items() if i not in loose}
        return Naming(write_inside(ax, kept, texts), False)
    places = write_inside(ax, shapes, [marks.get(i, text) for i, text in enumerate(texts)], True)
    complete = len(places) == len(shapes)
    return Naming(places, complete)


def _with_key(
    ax: Axes,
    shapes: Mapping[int, Shape],
    texts: Sequence[str],
    faces: Sequence[Color],
    legend: Sequence[Entry],
) -> dict[int, str] | None:
    """Marks for texts that do not fit, with a key; None if they are too many.

    A longer key leaves less room for the picture, in which fewer texts fit.
    """
    loose = _without_room(ax, shapes, texts)
    if len(loose) <= _MOST_BESIDE and all(len(texts[i]) <= _BESIDE for i in loose):
        return {}
    found: dict[int, str] = {}
    marks = _marks(texts)
    while loose and len(found) + len(loose) <= _MOST_KEYS:
        found |= zip(loose, marks, strict=False)
        key = [Entry(faces[i], f"{mark}  {texts[i]}") for i, mark in found.items()]
        if not _beside(ax, [*legend, *key]):
            return None
        draw_legend(ax, [*legend, *key])
        loose = [i for i in _without_room(ax, shapes, texts) if i not in found]
    return None if loose else found


def draw_legend(ax: Axes, entries: Sequence[Entry]) -> None:
    """Put a legend beside the axes, and settle what is left for them.

    In a narrow figure it stands below them, or is left out if it would fill the figure.
    """
    from matplotlib.lines import Line2D  # an extra
    from matplotlib.patches import Patch  # an extra

    if not entries:
        return
    before = ax.get_legend()
    if before is not None and [t.get_text() for t in before.get_texts()] == [
        e.text for e in entries
    ]:
        return
    right = _beside(ax, entries)
    if not right and len(entries) * _line() > _LOWEST * _figure_inches(ax)[1]:
        return
    handles = [
        Line2D([], [], color=face, label=text)
        if is_line
        else Patch(
            facecolor=face, edgecolor=DARK if face == "none" else "none", linestyle=":", label=text
        )
        for face, text, is_line in entries
    ]
    ax.legend(
        handles=handles,
        loc="upper left" if right else "upper center",
        bbox_to_anchor=(1, 1) if right else (0.5, -0.3),
        frameon=False,
        fontsize=0.85 * text_size(),
        ncols=_columns(entries) if right else 1,
        handlelength=1.2,
        columnspacing=1.0,
    )
    settle(ax)


def _beside(ax: Axes, entries: Sequence[Entry]) -> bool:
    """Whether a legend on the right of the axes leaves enough of the figure for them."""
    longest = max((len(entry.text) for entry in entries), default=0) + _HANDLE
    taken = _columns(entries) * longest * WIDTH / HEIGHT * _line()
    return _figure_inches(ax)[0] - taken >= _LEAST


def _columns(entries: Sequence[Entry]) -> int:
    return -(-len(entries) // _ROWS)


def _line() -> float:
    """Height of a line of a legend in inches."""
    return 0.85 * text_size() * HEIGHT / 72


def _figure_inches(ax: Axes) -> Place:
    figure: Any = ax.figure
    width, height = figure.figure.get_size_inches()  # of the whole figure, also of a subfigure
    return float(width), float(height)


def _marks(texts: Sequence[str]) -> Iterator[str]:
    """Marks that are not taken for texts: numbers, or letters where texts are of digits."""
    if any(set(text) <= set("0123456789 >") for text in texts):
        yield from ascii_lowercase
        yield from map("".join, product(ascii_lowercase, repeat=2))
    yield from map(str, range(1, 10**4))


def _without_room(ax: Axes, shapes: Mapping[int, Shape], texts: Sequence[str]) -> list[int]:
    """Regions in which the text does not fit, from the top down."""
    found = [i for i, shape in shapes.items() if _fit_text(ax, shape, texts[i]) is None]
    return sorted(found, key=lambda i: -shapes[i].inside[1])


def write_inside(
    ax: Axes,
    shapes: Mapping[int, Shape],
    texts: Sequence[str],
    beside: bool = False,
    **style: Any,
) -> list[Place]:
    """Texts in regions that are large enough, or next to the others; return where they are."""
    style = {"ha": "center", "va": "center", "zorder": 5, **style}
    boxes, small = [], []
    for i, shape in shapes.items():
        found = _fit_text(ax, shape, texts[i])
        if found is None:
            small.append(i)
            continue
        place, size = found
        ax.text(*place, texts[i], fontsize=size, **style)
        boxes.append((*place, *_extent(ax, texts[i], size)))
    if beside:
        _write_beside(ax, [(shapes[i], texts[i]) for i in small], boxes)
    return [box[:2] for box in boxes]


def _extent(ax: Axes, text: str, size: float) -> Place:
    """Width and height of a text, in units of the axes."""
    across, up = units(ax)
    return len(text) * WIDTH * size / 72 * across, HEIGHT * size / 72 * up


def _fit_text(ax: Axes, shape: Shape, text: str) -> tuple[Place, float] | None:
    """Where a text fits into a region, and its size."""
    for size in (text_size(), SMALL * text_size()) if text else ():
        width, height = _extent(ax, text, size)
        if np.ptp(shape.outline, axis=0).min() < min(width, height):
            continue
        spots = _spots(shape)
        room = _room(spots, shape.outline, width, height)
        best = 0 if room[0] >= 1.3 else int(room.argmax())  # the middle, if it will do
        if room[best] >= 1:
            x, y = spots[best].tolist()
            return (x, y), size
    return None


def _spots(shape: Shape) -> Points:
    """Points inside a region, the one in the middle first."""
    from matplotlib.path import Path  # an extra

    low, high = shape.outline.min(axis=0), shape.outline.max(axis=0)
    steps = (np.arange(14) + 0.5) / 14
    grid = low + (high - low) * np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    spokes = [shape.inside + t * (shape.outline - shape.inside) for t in (0.2, 0.4, 0.6)]
    points = np.vstack([*spokes, grid])
    points = np.vstack([centroid(shape.outline), shape.inside, points])
    contained = Path(shape.outline).contains_points(points)
    contained[1] = True
    return np.asarray(points[contained])


def _room(points: Points, outline: Points, width: float, height: float) -> NDArray[np.float64]:
    """By how much a box of a given size around each point may grow until it meets an outline.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
    >>> _room(np.array([[2.0, 2.0], [1.0, 2.0]]), square, 2.0, 1.0).tolist()
    [2.0, 1.0]
    """
    half = np.array([width / 2, height / 2])
    x, y = np.moveaxis((outline - points[:, None]) / half, -1, 0)
    u, v = ((np.roll(outline, -1, axis=0) - outline) / half).T
    room = np.maximum(np.abs(x), np.abs(y))
    # the larger of |x|, |y| is convex along a side: least at an end, or where one of these is zero
    for value, slope in ((x, u), (y, v), (x - y, u - v), (x + y, u + v)):
        with np.errstate(all="ignore"):
            t = np.clip(np.nan_to_num(-value / slope), 0, 1)
        room = np.minimum(room, np.maximum(np.abs(x + t * u), np.abs(y + t * v)))
    return np.asarray(room.min(axis=1))


def _write_beside(ax: Axes, named: Sequence[tuple[Shape, str]], boxes: list[Box]) -> None:
    """Texts near regions that are too small for them, each with a line to its region."""
    across, up = units(ax)
    around = [(*shape.inside, 0.08 * across, 0.08 * up) for shape, _ in named]  # not to be hidden
    frame = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": DARK}
    line: dict[str, Any] = {"color": DARK, "linewidth": 0.7, "markevery": [1], "zorder": 6}
    for shape, text in named:
        width, height = _extent(ax, text, SMALL * text_size())
        start, extent = shape.inside, (width + 0.1 * across, height + 0.1 * up)
        others = [box for box in around if box[:2] != start]
        tries: list[tuple[list[Box], list[Box]]] = [
            ([*boxes, *others], [*boxes, *others]),
            (boxes, boxes),
            (boxes, []),
        ]
        found = (_free(ax, start, extent, *obstacles) for obstacles in tries)
        place = next(filter(None, found), None)
        if place is None:
            continue
        ends = np.array([place, start])
        ax.plot(*ends.T, marker=".", markersize=4, **line)
        style: dict[str, Any] = {"fontsize": SMALL * text_size(), "zorder": 7, "bbox": frame}
        ax.text(*place, text, ha="center", va="center", **style)
        boxes.append((*place, *extent))
        around += [(x, y, 0.05 * across, 0.05 * up) for x, y in _along(ends[:1], start)[0].tolist()]


def _free(
    ax: Axes, start: Place, extent: Place, boxes: Sequence[Box], crossed: Sequence[Box]
) -> Place | None:
    """The nearest place at which a text meets none of the boxes, nor the line to it the others."""
    corners = np.array([ax.get_xlim(), ax.get_ylim()])
    turn = np.arange(0, 2 * pi, pi / 18)[:, None]
    around = np.hstack([np.cos(turn), np.sin(turn)]) * units(ax)
    half = np.array(extent) / 2
    for reach in np.arange(_NEAREST, _FARTHEST, 0.1):
        spots = start + reach * around
        spots = spots[((spots - half > corners[:, 0]) & (spots + half < corners[:, 1])).all(axis=1)]
        spots = spots[~_meet(spots, half, boxes)]
        met = _meet(_along(spots, start).reshape(-1, 2), np.zeros(2), crossed)
        for x, y in spots[~met.reshape(len(spots), _SAMPLES).any(axis=1)].tolist():
            return x, y
    return None


def _along(spots: Points, start: Place) -> Points:
    """Points on the lines from places to a point."""
    shares = np.linspace(0, 1, _SAMPLES)[:, None]
    return np.asarray(spots[:, None] + shares * (np.array(start) - spots[:, None]))


def _meet(points: Points, half: Points, boxes: Sequence[Box]) -> NDArray[np.bool_]:
    """Which boxes of half that size around points meet one of the boxes given."""
    rectangles = np.array(boxes).reshape(-1, 4)
    gaps = np.abs(points[:, None] - rectangles[:, :2])
    return np.asarray((gaps < half + rectangles[:, 2:] / 2).all(axis=2).any(axis=1))
