"""Lines and great circles in a picture, their names, and arrows to their + sides."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot, pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arrangements.plot.drawing import (
    ACCENT,
    DARK,
    HEIGHT,
    WIDTH,
    Place,
    Points,
    text_size,
    units,
)
from arrangements.plot.plane import Limits, Row, round_row, unit_line
from arrangements.plot.sphere import project

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def diameter(row: Row) -> Points:
    """The line a x + b y = 0 in the unit disk."""
    a, b, _ = round_row(row)
    along = np.array([-b, a]) / hypot(a, b)
    return np.linspace(-along, along, 121)


def chord(row: Row, box: Limits) -> Points | None:
    """The line a x + b y + c = 0 in a rectangle."""
    a, b, c = unit_line(row)
    if abs(c) > 1e250:
        return None
    along = np.array([-b, a]) / hypot(a, b)
    foot = np.array([a, b]) * (-c / (a * a + b * b))
    low, high = np.array([box[0], box[2]]), np.array([box[1], box[3]])
    moving = along != 0
    if not ((low <= foot) & (foot <= high))[~moving].all():
        return None
    with np.errstate(over="ignore"):  # the line is all but parallel to an axis
        ends = np.stack([(low - foot)[moving], (high - foot)[moving]]) / along[moving]
    start, stop = ends.min(axis=0).max(), ends.max(axis=0).min()
    if start >= stop:
        return None
    return np.linspace(foot + start * along, foot + stop * along, 121)


def great_circle(row: Row) -> Points:
    """The upper half of the great circle w . x = 0, seen from the south pole."""
    w = np.array(round_row(row[:3]))
    w /= np.linalg.norm(w)
    level = hypot(w[0], w[1])
    start = np.array([-w[1], w[0], 0.0]) / level if level else np.array([1.0, 0.0, 0.0])
    up = np.cross(w, start)
    t = np.linspace(0, pi if level else 2 * pi, 241)[:, None]
    return project(np.cos(t) * start + np.sin(t) * (up if up[2] >= 0 else -up))


def _towards_plus(row: Row, place: Points) -> Points:
    """Unit vector that points, in the picture, to the side where the row is positive."""
    step = np.array(round_row(row[:2])) if len(row) == 3 else np.zeros(2)
    if len(row) == 4:  # of a great circle: one small step on the sphere
        square = (place * place).sum()
        there = np.array([*(2 * place), 1 - square]) / (1 + square)
        w = np.array(round_row(row[:3]))
        step = project(there + 1e-4 * w / np.linalg.norm(w)) - place
    return np.asarray(step / np.linalg.norm(step))


def name_curves(
    ax: Axes,
    curves: Sequence[Points],
    rows: Sequence[Row],
    texts: Sequence[str],
    occupied: Sequence[Place],
    *,
    at_ends: bool = False,
) -> None:
    """Write a text on each curve, with an arrow to the side where its row is positive.

    `occupied` are places to keep away from, `at_ends` keeps to the ends of the curves.
    """
    inch = min(units(ax))
    height = HEIGHT * text_size() / 72 * inch
    widths = [(0.8 + len(text) * WIDTH) * text_size() / 72 * inch for text in texts]
    taken = [(*place, 2 * height) for place in occupied]
    for k, (curve, row, text, width) in enumerate(zip(curves, rows, texts, widths, strict=True)):
        margin = len(curve) // 24 if at_ends else len(curve) // 12
        inner = curve[margin:-margin]
        if at_ends:
            inner = np.vstack([inner[:margin], inner[-margin:]])
        ahead = np.array([_towards_plus(row, place) for place in inner])
        reach = 0.25 * inch + np.abs(ahead) @ [width / 2, height / 2]
        tips = inner + ahead * reach[:, None]
        others = [other for j, other in enumerate(curves) if j != k]
        room = np.minimum(
            _room(inner, others, taken, width, height), _room(tips, others, taken, 0.0, height)
        )
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        inside = (tips >= [left, bottom]).all(axis=1) & (tips <= [right, top]).all(axis=1)
        best = np.where(inside, room, room - 1e3 * inch).argmax()
        (x, y), (u, v) = inner[best].tolist(), tips[best].tolist()
        taken += [(x, y, width), (u, v, 0.0)]
        style = {"arrowstyle": "-|>", "color": ACCENT, "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (u, v), (x, y), arrowprops=style, zorder=6)
        box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": DARK}
        ax.text(x, y, text, ha="center", va="center", fontsize=text_size(), zorder=7, bbox=box)


def _room(
    points: Points,
    curves: Sequence[Points],
    taken: Sequence[tuple[float, float, float]],
    width: float,
    height: float,
) -> NDArray[np.float64]:
    """Distance of each point from curves, and of a text there from others (x, y, width)."""
    room = np.full(len(points), np.inf)
    for curve in curves:
        gaps = points[:, None] - curve[None]
        room = np.minimum(room, np.hypot(gaps[..., 0], gaps[..., 1]).min(axis=1))
    for x, y, other in taken:
        across, up = np.abs(points - [x, y]).T
        room = np.minimum(room, np.maximum(across - (width + other) / 2, up - height))
    return room
