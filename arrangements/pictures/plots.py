"""Pictures in the plane: rankings, best labels, arrangements. Needs matplotlib (extra ``plot``).

What is drawn is computed exactly: the regions come from the engine, their corners are rational
numbers, and only the picture rounds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from numpy.typing import ArrayLike

from arrangements.checks import check_option
from arrangements.errors import InputError, TooLargeError
from arrangements.hyperplanes import Arrangement
from arrangements.labels import Label, as_labels
from arrangements.pictures.curves import chord, diameter, great_circle, name_curves
from arrangements.pictures.drawing import (
    DARK,
    LONGEST,
    Colour,
    Place,
    Points,
    axes_for,
    checked_limits,
    draw_circle,
    draw_rays,
    draw_sectors,
    fill,
    mixed,
    outlines_in,
    room_around,
    sector_outlines,
    set_view,
    settle,
    shortened,
    write_inside,
)
from arrangements.pictures.plane import Limits, Row
from arrangements.pictures.plane_regions import (
    MOST_REGIONS,
    Region,
    argmax_regions,
    chamber_regions,
    joined,
    ranking_regions,
)
from arrangements.ranking.scores import ScoreModel, score_model

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, told apart by colour-blind readers; neighbours differ in brightness.
PALETTE = (
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#999999",
)
# More lines, or labels in a legend, have no names.
_MOST_NAMES = 24


def plot_rankings(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    by: Literal["ranking", "argmax"] = "ranking",
    labels: Iterable[Label] | None = None,
    limits: Limits | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the regions of the plane in which the scores have one ranking, or one best label.

    Parameters
    ----------
    W : (n, 2) array_like of int, float, Fraction or SymPy rational, or Arrangement
        A row for each label.
    offsets : (n,) array_like, optional
        Default zeros.
    by : {"ranking", "argmax"}
        A region for each ranking, or for each label that can be first. Colours stand for the
        first label; two shades tell neighbouring rankings apart.
    labels : sequence of int or str, optional
        Names; default the rows.
    limits : (left, right, bottom, top), optional
        What to show of the plane, if offsets differ; default all crossings, or most of them if
        some lie far away. Finite, left < right and bottom < top. Without offsets the regions are
        sectors, drawn in a disk.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The first collection holds one polygon for each region in view.

    Raises
    ------
    InputError
        If W has not two columns, or another argument is not what it should be.
    TiedLabelsError
        If two labels have equal rows and equal offsets.
    TooLargeError
        If there are too many regions for a picture.
    MissingDependencyError
        If matplotlib is not installed.

    See Also
    --------
    plot_arrangement : the lines on which a score is zero.

    Notes
    -----
    The regions are those of `rankings` or `argmax_labels`; their corners are exact. Text that
    would not fit is left out.

    Examples
    --------
    >>> ax = plot_rankings([[1, 0], [0, 1], [-1, -1]], labels=["cat", "dog", "bird"])
    >>> ax.get_title(), len(ax.collections[0].get_paths())
    ('6 rankings', 6)
    """
    check_option("by", by, ("ranking", "argmax"))
    limits = checked_limits(limits)
    model = score_model(W, offsets, labels, droppable=False)
    _check_dimension("plot_rankings", model.dimension, (2,), _constant_column(model))
    axes = axes_for(ax)
    tops = argmax_regions(model)
    regions = tops if by == "argmax" else ranking_regions(model)
    noun = "labels can be first" if by == "argmax" else "rankings"
    colours = _colours([region.top for region in tops])
    faces = [_shade(colours[region.top], region.odd) for region in regions]
    rows, texts = [region.rows for region in regions], [region.text for region in regions]
    longest = room_around(axes) if model.is_central else LONGEST
    if max(map(len, texts)) > longest and model.labels is not None:
        texts = _numbered(model, regions)
        _add_legend(axes, model, colours)
    if model.is_central:
        draw_sectors(axes, rows, faces, texts)
        draw_rays(axes, [region.rows for region in tops])
        axes.set_title(_counted(len(regions), noun))
        return axes
    box = set_view(axes, rows, limits)
    shown = outlines_in(box, rows)
    fill(axes, list(shown.values()), [faces[i] for i in shown], "white")
    borders = outlines_in(box, [region.rows for region in tops]).values()
    fill(axes, list(borders), ["none"] * len(borders), DARK, linewidths=1.2, zorder=3)
    axes.set_title(_counted(len(regions), noun, len(shown)))
    write_inside(axes, shown.values(), [texts[i] for i in shown])
    return axes


def plot_arrangement(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    labels: Iterable[Label] | None = None,
    limits: Limits | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the hyperplanes of an arrangement, in the plane or as great circles of a sphere.

    Parameters
    ----------
    W : (n, 2) or (n, 3) array_like of int, float, Fraction or SymPy rational, or Arrangement
        With three columns only without offsets: the sphere's upper half (third coordinate
        positive) is shown from the south pole (stereographic projection), so great circles are
        arcs that meet the boundary in opposite points.
    offsets : (n,) array_like, optional
        Default zeros.
    labels : sequence of int or str, optional
        Names of the hyperplanes; default the rows. A hyperplane that is several rows has all
        their names, with a minus if the + sides are opposite.
    limits : (left, right, bottom, top), optional
        What to show of the plane, if there are offsets.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Each hyperplane is one line with an arrow to its + side. In the plane the first
        collection holds one polygon for each chamber in view, with its sign vector if it fits.

    Raises
    ------
    InputError
        If W has not two or three columns, or has three and offsets.
    TooLargeError
        If there are too many chambers for a picture.
    MissingDependencyError
        If matplotlib is not installed.

    See Also
    --------
    plot_rankings : the lines on which two scores are equal.

    Examples
    --------
    >>> ax = plot_arrangement([[1, 0], [0, 1], [1, 1]], offsets=[0, 0, -1])
    >>> ax.get_title(), len(ax.collections[0].get_paths()), len(ax.lines)
    ('7 chambers', 7, 3)
    """
    limits = checked_limits(limits)
    arrangement = Arrangement.coerce(W, offsets)
    names = as_labels(labels, arrangement.n_hyperplanes) or arrangement.labels
    drawn = (2, 3) if arrangement.is_central else (2,)
    hint = " Without offsets three columns can be drawn, too." if arrangement.dimension == 3 else ""
    _check_dimension("plot_arrangement", arrangement.dimension, drawn, hint)
    axes = axes_for(ax)
    rows = arrangement.integer_rows
    groups = arrangement.coincident_classes
    if len(groups) > MOST_REGIONS:
        raise TooLargeError(f"{len(groups)} hyperplanes: too many for a picture.")
    curves: list[Points | None]
    places: list[Place] = []
    if arrangement.dimension == 3:
        number = arrangement.count_chambers()
        half = Arrangement(arrangement.normals[:, :2], arrangement.normals[:, 2])
        shown = half.count_chambers()  # those with points of third coordinate 1
        draw_circle(axes, ":")
        curves = [great_circle(rows[group[0]]) for group in groups]
    else:
        regions = chamber_regions(arrangement)
        outlines, curves = _draw_chambers(axes, regions, [rows[g[0]] for g in groups], limits)
        number, shown = len(regions), len(outlines)
        signs = [regions[i].text for i in outlines]
        places = write_inside(axes, outlines.values(), signs, family="monospace")
    for curve in curves:
        if curve is not None:
            axes.plot(*curve.T, color=DARK, linewidth=1.3, solid_capstyle="butt", zorder=3)
    axes.set_title(_counted(number, "chambers", shown))
    seen = [(g, c) for g, c in zip(groups, curves, strict=True) if c is not None]
    if len(seen) <= _MOST_NAMES:
        leaders = [rows[group[0]] for group, _ in seen]
        texts = [_line_name(arrangement, group, names) for group, _ in seen]
        ends = arrangement.is_central and arrangement.dimension == 2
        name_curves(axes, [curve for _, curve in seen], leaders, texts, places, at_ends=ends)
    return axes


def _draw_chambers(
    ax: Axes, regions: Sequence[Region], lines: Sequence[Row], limits: Limits | None
) -> tuple[dict[int, Points], list[Points | None]]:
    """Fill the chambers in two shades; return the outlines and the curves that are in view."""
    insides = [region.rows for region in regions]
    shades = ["#ffffff" if region.odd else "#e4e4e4" for region in regions]
    if all(row[2] == 0 for row in lines):
        draw_sectors(ax, insides, shades, edge="none")
        return dict(enumerate(sector_outlines(insides))), [diameter(row) for row in lines]
    box = set_view(ax, insides, limits)
    outlines = outlines_in(box, insides)
    fill(ax, list(outlines.values()), [shades[i] for i in outlines], "none")
    return outlines, [chord(row, box) for row in lines]


def _line_name(
    arrangement: Arrangement, group: Sequence[int], names: Sequence[Label] | None
) -> str:
    """Names of the rows of one hyperplane, with a minus if the + side is that of the first not."""
    rows = arrangement.integer_rows
    minus = ["" if rows[i] == rows[group[0]] else "\N{MINUS SIGN}" for i in group]
    called = [str(i if names is None else names[i]) for i in group]
    return shortened(", ".join(map("".join, zip(minus, called, strict=True))))


# ------------------------------------------------------------------ regions


def _numbered(model: ScoreModel, regions: Sequence[Region]) -> list[str]:
    """Texts with numbers in place of names that are too long."""
    nameless = ScoreModel(model.weights, model.offsets)
    return [joined(nameless, region.order) for region in regions]


def _add_legend(ax: Axes, model: ScoreModel, colours: dict[int, str]) -> None:
    """What the numbers of labels stand for."""
    from matplotlib.patches import Patch

    if model.labels is None or model.n_labels > _MOST_NAMES:
        return
    patches = [
        Patch(facecolor=_shade(colours[i], False) if i in colours else "none", label=text)
        for i, name in enumerate(model.labels)
        if (text := shortened(f"{i}  {name}"))
    ]
    ax.legend(handles=patches, loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    settle(ax)


def _counted(number: int, noun: str, shown: int | None = None) -> str:
    """The title of a picture."""
    if number == 1:
        return "1 label can be first" if noun.startswith("labels") else f"1 {noun[:-1]}"
    return f"{number} {noun}" + (f", {shown} in view" if shown not in (None, number) else "")


def _constant_column(model: ScoreModel) -> str:
    """Advice for weights with a column that changes no ranking."""
    for j, column in enumerate(model.weights.T):
        if (column == column[0]).all():
            return f" Column {j} is constant and changes no ranking: leave it out."
    return ""


def _check_dimension(name: str, dimension: int, drawn: tuple[int, ...], hint: str) -> None:
    if dimension in drawn:
        return
    wanted = " or ".join(f"(n, {d})" for d in drawn)
    raise InputError(f"{name} draws W of shape {wanted}; it has {dimension} columns.{hint}")


# ------------------------------------------------------------------ colours


def _colours(tops: Sequence[int]) -> dict[int, str]:
    """A colour for each label; next to each other, and first and last, they are different."""
    places = [i % len(PALETTE) for i in range(len(tops))]
    if len(tops) > 1 and places[-1] == 0:
        places[-1] = len(PALETTE) // 2
    return {label: PALETTE[place] for label, place in zip(tops, places, strict=True)}


def _shade(colour: str, odd: bool) -> Colour:
    return mixed(colour, 0.65 if odd else 0.3)
