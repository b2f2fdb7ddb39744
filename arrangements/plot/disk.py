"""Sectors of the unit disk, with texts around it.

Sizes of texts are estimated from their lengths, so placing them renders nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, degrees, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements import palette
from arrangements.plot.colors import Color
from arrangements.plot.drawing import (
    DARK,
    HEIGHT,
    WIDTH,
    Place,
    Points,
    fill,
    inches,
    shorten,
    text_size,
    units,
)
from arrangements.plot.plane import Row, round_row, sector

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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


def _angles(rows: Sequence[Row]) -> Place:
    """Angles from which, counterclockwise, and to which a sector goes."""
    rays = sector(rows)
    if rays is None:
        return 0.0, 2 * pi
    start, end = (atan2(y, x) for x, y in map(round_row, rays))
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
    width, height = inches(ax)
    unit = max(min((width - 2 * across) / 2.4, (height - 2 * up) / 2.4), 0.1)
    ax.set_xlim(-width / unit / 2, width / unit / 2)
    ax.set_ylim(-height / unit / 2, height / unit / 2)
    ax.set_aspect("equal")


def room_around(ax: Axes) -> int:
    """Characters for which there is room on each side of a disk of a decent size."""
    return int(0.21 * inches(ax)[0] * 72 / (WIDTH * text_size()))


def _write_around(
    ax: Axes, angles: Sequence[float], texts: Sequence[str], bold: Sequence[bool]
) -> bool:
    """Texts around the disk at the given angles, moved up or down where they would overlap."""
    texts = [shorten(text, room_around(ax)) for text in texts]
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
            ax.plot([cos(angles[i]), x], [sin(angles[i]), y], **_LEADER)
            style = _text_style(side > 0, bold, i, text_size())
            ax.text(x + 0.02 * side, y, texts[i], **style)
    return True


def _text_style(right: bool, bold: Sequence[bool], i: int, size: float) -> dict[str, Any]:
    """Style of text i, which stands right or left of the disk."""
    weight = "bold" if i < len(bold) and bold[i] else "normal"
    ha = "left" if right else "right"
    return {"ha": ha, "va": "center", "fontsize": size, "fontweight": weight}


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
        if len(texts) * gap < 2 * pi and max(units(ax)) * min(inches(ax)) < 4:
            break
    else:
        show_disk(ax)
        return False
    order, places = _spread_around(angles, gap)
    for i, place in zip(order, places, strict=True):
        x, y = cos(place), sin(place)
        ax.plot([cos(angles[i]), 1.07 * x], [sin(angles[i]), 1.07 * y], **_LEADER)
        style = _text_style(x >= 0, bold, i, size) | {"rotation_mode": "anchor"}
        turn = degrees(place) + (0 if x >= 0 else 180)
        ax.text(1.09 * x, 1.09 * y, texts[i], rotation=turn, **style)
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


def sector_outlines(sectors: Sequence[Sequence[Row]]) -> list[Points]:
    """Sectors of the unit disk."""
    return [_wedge(*_angles(rows)) for rows in sectors]
