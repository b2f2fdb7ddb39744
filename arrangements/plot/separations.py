"""A picture of the boundary between two classes in the plane. Needs matplotlib (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arrangements.optimize.separation import Separation, with_products
from arrangements.plot.colors import PALETTE
from arrangements.plot.drawing import ACCENT, DARK, Points, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Points of a grid, in each direction, on which a boundary is looked for.
_GRID = 401
_COLORS = (PALETTE[0], PALETTE[6])


def draw_separation(
    ax: Axes,
    points: Points,
    second: NDArray[np.bool_],
    found: Separation,
    names: Sequence[str],
    classes: Sequence[str],
) -> None:
    """Draw points of two classes, a boundary, and circles around its errors.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    points : (n, 2) ndarray of float64
    second : (n,) ndarray of bool
    found : Separation
    names, classes : pairs of str
        Of the axes, and of the classes.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    room = 0.06 * np.where(high > low, high - low, 1.0)
    low, high = low - room, high + room
    for chosen, color, name in zip((~second, second), _COLORS, classes, strict=True):
        ax.plot(*points[chosen].T, "o", color=color, markersize=4, label=shorten(name), zorder=2)
    wrong = found.positive(points) != second
    ax.plot(
        *points[wrong].T,
        "o",
        color=ACCENT,
        fillstyle="none",
        markersize=9,
        label=f"errors ({int(wrong.sum())})",
        zorder=3,
    )
    x, y = (np.linspace(a, b, _GRID) for a, b in zip(low, high, strict=True))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    *coefficients, constant = found.coefficients.tolist()
    scores = (grid if found.degree == 1 else with_products(grid)) @ coefficients + constant
    if scores.min() < 0 < scores.max():
        ax.contour(x, y, scores.reshape(_GRID, _GRID), levels=[0.0], colors=DARK, linewidths=1.5)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_xlabel(shorten(names[0]))
    ax.set_ylabel(shorten(names[1]))
    ax.legend(loc="best")
