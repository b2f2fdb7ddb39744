"""Pictures of what all chambers or rankings of a question are like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements.plot.drawing import ACCENT, DARK

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# Names of more rows would not be read.
_MOST_NAMES = 60


def draw_signs(
    figure: Figure, positives: Sequence[int], on: Sequence[int], names: Sequence[str]
) -> None:
    """Bars: chambers by the number of signs +, and for each row how often it is +."""
    above, below = figure.subplots(2)
    _bars(above, positives, DARK, "signs +")
    _bars(below, on, ACCENT, "row +")
    _name(below, names)


def draw_places(figure: Figure, places: Sequence[Sequence[int]], names: Sequence[str]) -> None:
    """The share of rankings in which a label has a place, as a matrix of grey."""
    ax = figure.subplots()
    counts = np.array(places, float)
    shares = counts.T / counts[0].sum()
    image = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1.2 * shares.max(), aspect="auto")
    _count(ax.yaxis)
    ax.set_xlabel("label")
    ax.set_ylabel("place")
    _name(ax, names)
    figure.colorbar(image, label="share of rankings")


def _bars(ax: Axes, counts: Sequence[int], color: str, what: str) -> None:
    ax.bar(range(len(counts)), np.array(counts, float), color=color)
    ax.set_xlabel(what)
    ax.set_ylabel("chambers")
    _count(ax.xaxis)


def _name(ax: Axes, names: Sequence[str]) -> None:
    """Names below the axis, if there is room for them and they are not the numbers of rows."""
    _count(ax.xaxis)
    if len(names) <= _MOST_NAMES and list(names) != [str(k) for k in range(len(names))]:
        ax.set_xticks(range(len(names)), names, rotation=90)


def _count(axis: Axis) -> None:
    """Ticks at integers only."""
    locator: Any = axis.get_major_locator()
    locator.set_params(integer=True)
