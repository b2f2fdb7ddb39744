"""The figures of the paper, drawn from the exact examples of `arrangements.paper.examples`.

Everything written in them (cosines, ties, rankings that differ) is computed exactly. They need
matplotlib (extra ``plot``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arrangements import palette
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError
from arrangements.models.tops import argmax_labels
from arrangements.paper import examples
from arrangements.paper.cosines import cosine_matrix
from arrangements.paper.translations import equivalent_models
from arrangements.plot.colors import mix
from arrangements.plot.disk import draw_sectors
from arrangements.plot.drawing import ACCENT, DARK, Width, draw_points, figure_for, frame, settle
from arrangements.plot.hyperplanes import plot_arrangement
from arrangements.plot.plane import Limits
from arrangements.plot.plane_regions import ranking_regions
from arrangements.plot.rankings import plot_rankings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = NDArray[np.float64]
Pair = tuple[int, int]

_BLUE, _PALE, _PALER = palette.BLUE, palette.PALE, palette.PALER


def plot_bjorner(*, width: Width | None = None, fig: Figure | None = None) -> Figure:
    """Theorem H.1, the counter-example of Bjorner et al.: two configurations, their rankings.

    Above, the five points of both models: two opposite sides of the quadrilateral converge to
    the left in one and to the right in the other. Below, the rankings by a linear functional,
    around the circle of its directions; those of one model only are hatched. A sentence explains
    how the hatched sectors follow from the sides.

    Parameters
    ----------
    width : float or {"column", "page"}, optional
        Width of the new figure in millimetres: 85 for a column, 175 for a page. Default 254; the
        shape is the same, and text has the size of the current font.
    fig : matplotlib.figure.Figure, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    See Also
    --------
    arrangements.paper.examples.bjorner : the data, with proofs.

    Examples
    --------
    >>> figure = plot_bjorner()
    >>> len(figure.axes)
    4
    """
    pair = examples.bjorner()
    figure = figure_for(fig, (10, 9), width)
    axes = figure.subplots(2, 2, height_ratios=[2, 3])
    settle(axes[0, 0])
    for column, (W, only) in enumerate(_models(pair)):
        above, below = axes[:, column]
        rows = planar(W)
        points = rows.astype(float)
        above.plot(*points[[0, 1, 2, 3, 0]].T, color=DARK, linewidth=1.0)
        sides = points[[0, 1]], points[[3, 2]]
        for side in sides:
            above.axline(*map(tuple, side), color=ACCENT, linestyle="--", zorder=1)
        slopes = [(y - v) / (x - u) for (u, v), (x, y) in sides]
        where = "left" if slopes[1] > slopes[0] else "right"
        down_up_right = np.array([[0, -1], [0, -1], [0, 1], [0, 1], [1, 0]])
        draw_points(above, points, down_up_right, (-4, 14, -2, 7))
        above.set_title(f"W{column + 1}, rows (1, x, y): the dashed lines meet on the {where}")
        draw_rankings(below, rows, only)
        for (u, v), (x, y) in sides:  # scores of both ends are equal at right angles to a side
            across = np.array([v - y, x - u]) / np.hypot(x - u, y - v)
            below.plot(*np.outer(across, [-1.09, 1.09]), color=ACCENT, linestyle="--", zorder=4)
        below.set_title(f"{len(ranking_regions(ScoreModel(rows)))} rankings, {len(only)} only here")
    figure.supxlabel(_BJORNER, fontsize="medium")
    return figure


_BJORNER = (
    "A hatched sector lies between the directions at right angles to the dashed lines, in which 0 "
    "and 1, or 2 and 3, tie.\nCounterclockwise, 0 and 1 tie first if the lines meet on the left, 2 "
    "and 3 if they meet on the right: so the ranking between differs."
)


def plot_translations(fig: Figure | None = None) -> Figure:
    """Theorem 3.4: the same probabilities, and a cosine that is +1 or -1.

    Above, the label vectors of three models that differ by a translation; below, the inputs for
    which each label is the most probable one, which are the same in all three.

    Parameters
    ----------
    fig : matplotlib.figure.Figure, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = figure_for(fig, (12, 8))
    axes = figure.subplots(2, 3)
    settle(axes[0, 0])
    W = examples.unrestricted().coordinates
    i, j = examples.unrestricted().together
    models = equivalent_models(W, i, j)
    moves = ("(" + ", ".join(map(str, v)) + ")" for v in models.translations)
    up, down = ("moved by " + move.replace("-", "\N{MINUS SIGN}") for move in moves)
    named = (("a model", models.W), (down, models.opposite), (up, models.parallel))
    limits = _common_frame([weights for _, weights in named])
    for (above, below), (name, weights) in zip(axes.T, named, strict=True):
        _draw_vectors(above, weights.astype(float), limits, highlighted=(i, j))
        above.set_title(f"{name}: {_cosine(weights, (i, j))}")
        plot_rankings(weights, by="argmax", ax=below)
        below.set_title("most probable label")
    return figure


def plot_ties(fig: Figure | None = None) -> Figure:
    """Appendix C.1-C.3: five labels; cosines do not tell which of them can tie for first.

    Lines join the labels that can share the first place. In each of the three pictures two of
    them have a smaller cosine than two labels (dotted) that cannot.

    Parameters
    ----------
    fig : matplotlib.figure.Figure, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure = figure_for(fig, (13, 5.5))
    from matplotlib.patches import Circle  # an extra

    named = (
        ("any vectors", examples.unrestricted()),
        ("centered", examples.centered()),
        ("centered, unit length", examples.centered_unit_length()),
    )
    for ax, (name, example) in zip(figure.subplots(1, 3), named, strict=True):
        points = np.array(example.W.evalf().tolist(), float)
        if name.endswith("unit length"):
            ax.add_patch(
                Circle((0, 0), 1, facecolor="none", edgecolor=palette.LEADER, linestyle=":")
            )
        for pair in example.ties.tolist():
            ax.plot(*points[pair].T, color=DARK, linewidth=1.5)
        for pair, style in ((example.together, "-"), (example.apart, ":")):
            ax.plot(*points[list(pair)].T, color=ACCENT, linewidth=3, linestyle=style)
        limits = frame(np.vstack([points, [0.0, 0.0]]))
        _draw_vectors(ax, points, limits, directions=points - points.mean(axis=0))
        ax.set_title(
            f"{name}\n{_names(example.together)} can tie: {_cosine(example.W, example.together)}"
            f"\n{_names(example.apart)} cannot: {_cosine(example.W, example.apart)}",
            fontsize="medium",
        )
    return figure


def plot_shortened_row(fig: Figure | None = None) -> Figure:
    """Theorem 5.5: the same cosines and sign vectors, and different rankings.

    From left to right: the label vectors, one of them shortened; the sign vectors; the
    rankings, hatched if only one of the two models has them.

    Parameters
    ----------
    fig : matplotlib.figure.Figure, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    pair = examples.shortened_row()
    figure = figure_for(fig, (14, 9))
    axes = figure.subplots(2, 3)
    settle(axes[0, 0])
    changed = [i for i, same in enumerate((pair.W1 == pair.W2).all(axis=1)) if not same]
    limits = _common_frame([pair.W1, pair.W2])
    for row, (W, only) in enumerate(_models(pair)):
        left, middle, right = axes[row]
        _draw_vectors(left, W.astype(float), limits, highlighted=changed)
        never = [i for i in range(len(W)) if i not in argmax_labels(W)]
        left.set_title(f"W{row + 1}" + (f": {_names(never)} cannot be first" if never else ""))
        plot_arrangement(W, ax=middle)
        middle.set_title(f"{len(pair.sign_vectors)} sign vectors" + (", the same" if row else ""))
        draw_rankings(right, W, only)
        right.set_title(f"{len(ranking_regions(ScoreModel(W)))} rankings, {len(only)} only here")
    return figure


def figures() -> dict[str, Callable[[], Figure]]:
    """Functions that draw the figures, by name; each returns a new matplotlib figure.

    Examples
    --------
    >>> list(figures())
    ['translations', 'ties', 'shortened-row', 'bjorner']
    """
    return {
        "translations": plot_translations,
        "ties": plot_ties,
        "shortened-row": plot_shortened_row,
        "bjorner": plot_bjorner,
    }


def planar(W: NDArray[Any]) -> NDArray[Any]:
    """Weights in the plane: without a constant first column, which changes no ranking.

    Examples
    --------
    >>> planar(np.array([[1, 2, 3], [1, 5, 7]])).tolist()
    [[2, 3], [5, 7]]
    """
    rows = W[:, 1:] if W.shape[1] == 3 and (W[:, 0] == W[0, 0]).all() else W
    if rows.shape[1] != 2:
        raise InputError(f"W has shape {W.shape}; expected two columns, or (1, x, y) in each row.")
    return rows


def draw_rankings(ax: Axes, W: NDArray[Any], marked: Any) -> None:
    """Draw the rankings around a circle; those in `marked`, a set of rankings, hatched."""
    regions = ranking_regions(ScoreModel(W))
    marks = [region.order in marked for region in regions]
    faces = [
        mix(ACCENT, 0.4) if mark else (_PALE if region.odd else _PALER)
        for region, mark in zip(regions, marks, strict=True)
    ]
    rows, texts = [region.rows for region in regions], [region.text for region in regions]
    draw_sectors(ax, rows, faces, texts, edge=palette.LEADER, marked=marks)


def _models(pair: Any) -> tuple[tuple[NDArray[Any], Any], ...]:
    """Weights of each model, and the rankings that only it has."""
    return (pair.W1, pair.only_in_1), (pair.W2, pair.only_in_2)


def _common_frame(models: Sequence[NDArray[Any]]) -> Limits:
    """Limits for pictures of the label vectors of several models, to be compared."""
    return frame(np.vstack([*(weights.astype(float) for weights in models), [[0.0, 0.0]]]))


def _draw_vectors(
    ax: Axes,
    points: Points,
    limits: Limits,
    highlighted: Sequence[int] = (),
    directions: Points | None = None,
) -> None:
    """Draw label vectors as arrows from the origin."""
    for i, (x, y) in enumerate(points.tolist()):
        color = ACCENT if i in highlighted else _BLUE
        style = {"arrowstyle": "-|>", "color": color, "shrinkA": 0, "shrinkB": 0}
        ax.annotate("", (x, y), (0.0, 0.0), arrowprops=style, zorder=3)
    ax.plot(0, 0, marker="+", color=DARK, markersize=10, zorder=4)
    if directions is None:  # next to the tip: another arrow may go on in the same direction
        directions = points @ [[0.75, 0.65], [-0.65, 0.75]]
    draw_points(ax, points, directions, limits)


def _names(labels: Sequence[int]) -> str:
    return ("labels " if len(labels) > 1 else "label ") + " and ".join(map(str, labels))


def _cosine(W: Any, pair: Pair | list[int]) -> str:
    """The exact cosine of two labels as LaTeX, with a decimal if it is not an integer."""
    from sympy import latex  # loads slowly

    value = cosine_matrix(W)[tuple(pair)]
    about = "" if value.is_Integer else rf" \approx {float(value):.3f}"
    return rf"$\cos = {latex(value, fold_short_frac=True)}{about}$"
