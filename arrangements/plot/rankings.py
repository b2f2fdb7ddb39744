"""Pictures of rankings and of best labels. Needs matplotlib (extra ``plot``).

Everything drawn is computed exactly: the regions come from the engine, their corners are rational
numbers, and only the picture rounds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from numpy.typing import ArrayLike

from arrangements.checks import check_option
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.labels import Label
from arrangements.core.score_model import ScoreModel, Ties, as_score_model
from arrangements.plot.colors import Color, label_colors, shade
from arrangements.plot.disk import (
    draw_rays,
    draw_sectors,
    room_around,
    show_disk,
)
from arrangements.plot.drawing import (
    DARK,
    LONGEST,
    Points,
    Width,
    axes_for,
    centroid,
    check_limits,
    fill,
    outlines_in,
    set_view,
    shorten,
)
from arrangements.plot.fonts import replace_missing
from arrangements.plot.inside import facet_rows, read_picture_region
from arrangements.plot.naming import Entry, Shape, draw_legend, name_regions
from arrangements.plot.plane import Limits, Row
from arrangements.plot.plane_regions import (
    Region,
    argmax_regions,
    name_ranking,
    ranking_regions,
)
from arrangements.plot.region_pictures import (
    APART,
    MOST_NAMES,
    check_dimension,
    count_regions,
    draw_outline,
    on_sphere,
    without_offsets,
)
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More labels are not listed in a legend.
_MOST_ENTRIES = 60


def plot_rankings(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    by: Literal["ranking", "argmax"] = "ranking",
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    colors: Iterable[Any] | None = None,
    limits: Limits | None = None,
    width: Width | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the regions of the plane in which the scores have one ranking, or one best label.

    Parameters
    ----------
    W : (n, 2) or (n, 3) array_like of int, float, Fraction or SymPy number, or Arrangement
        A row for each label. Three columns are allowed if all offsets are equal: then the regions
        are drawn on a sphere, each half as seen from the opposite pole (stereographic projection).
        Rankings are drawn on the upper half (third coordinate positive), since those of the other
        half are the same reversed; best labels are drawn on both.
    offsets : (n,) array_like, optional
        Default zeros.
    by : {"ranking", "argmax"}
        A region for each ranking, or for each label that can be first. Colors stand for the
        first label; two shades tell neighboring rankings apart.
    rank : int, optional
        As in `rankings`. An integer draws weights of any number of columns, in the coordinates
        of the factor of that rank.
    ties : {"error", "drop"}
        As in `rankings`: "drop" draws the first of labels with equal rows and equal offsets.
    labels : sequence of int or str, optional
        Names; default the rows.
    within : Polyhedron, or (A, c), optional
        Show only the part of each region inside this polyhedron, or ``A @ x <= c``, with its
        outline. Without offsets, on a sphere or if it is flat, the cone over it: weights of sum 1
        are a part of the sphere.
    colors : sequence of n matplotlib colors, optional
        Of the labels. The default depends only on the row number of a label, so pictures with
        other weights, offsets or panels show the same label in the same color.
    limits : (left, right, bottom, top), optional
        Part of the plane to show, if offsets differ; default all crossings, or most of them if
        some lie far away. Finite, left < right and bottom < top. Without offsets the regions are
        sectors, drawn in a disk.
    width : float or {"column", "page"}, optional
        Width of the new figure in millimetres: 85 for a column, 175 for a page. Default 178,
        or 254 for both halves of a sphere. The shape is the same, and text has the size of the
        current font.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The first collection holds one polygon for each region in view, in each half of a sphere.

    Raises
    ------
    InputError
        If W does not have two or three columns, or another argument is malformed.
    TiedLabelsError
        If two labels have equal rows and equal offsets, unless these are dropped.
    TooLargeError
        If there are too many regions for a picture.
    MissingDependencyError
        If matplotlib is not installed.

    Warns
    -----
    MissingGlyphWarning
        If the font lacks characters of the names.

    See Also
    --------
    plot_arrangement : the lines on which a score is zero.

    Notes
    -----
    The regions are those of `rankings` or `argmax_labels`; their corners are exact. The name of a
    region stands inside it if it fits, else next to it with a line, or on the right with a letter
    or number that stands for it. Names too long to be repeated become numbers, with a legend. If
    there are too many regions to name, the title says so and the legend has the color of each
    label. A legend also lists the labels that are never first.

    Examples
    --------
    >>> ax = plot_rankings([[1, 0], [0, 1], [-1, -1]], labels=["cat", "dog", "bird"])
    >>> ax.get_title(), len(ax.collections[0].get_paths())
    ('6 rankings', 6)
    """
    check_option("by", by, ("ranking", "argmax"))
    limits = check_limits(limits)
    model = as_score_model(W, offsets, labels, ties, rank)
    model = _in_few_columns(model) if within is None else model
    hint = _constant_column(model) or without_offsets(model.dimension)
    check_dimension("plot_rankings", model.dimension, (2, 3) if model.is_central else (2,), hint)
    P = read_picture_region(within, model)
    both = model.dimension == 3 and (by == "argmax" if P is None else _reaches_below(P))
    axes = axes_for(ax, (10, 5.5) if both else (7, 6), width)
    tops = argmax_regions(model, P)
    regions = tops if by == "argmax" else ranking_regions(model, P)
    facets = facet_rows(P)
    flat = model.is_central and model.dimension == 2 and not any(row[2] for row in facets)
    longest = room_around(axes) if flat else LONGEST
    every = label_colors(model.n_labels + len(model.dropped), colors)
    scene = _scene(model, regions, tops, [every[row] for row in model.kept], longest)
    if flat:
        visible, complete = len(regions), _draw_disk(axes, scene)
    elif model.dimension == 3:
        visible, complete = _draw_sphere(axes, scene, both)
    else:
        visible, complete = _draw_plane(axes, scene, limits)
    draw_outline(axes, facets, flat, model.dimension, both)
    title = count_regions(
        len(regions), "labels can be first" if by == "argmax" else "rankings", visible
    )
    axes.set_title(title if complete else title + ", too many to name")
    return axes


class _Scene(NamedTuple):
    """The drawing of each region, and entries of the legend.

    `borders` bound the labels that can be first. The entries `legend` are always shown, the entries
    `spare` only if regions have no names.
    """

    rows: list[Sequence[Row]]
    faces: list[Color]
    texts: list[str]
    borders: list[Sequence[Row]]
    legend: list[Entry]
    spare: list[Entry]


def _scene(
    model: ScoreModel,
    regions: Sequence[Region],
    tops: Sequence[Region],
    colors: Sequence[Color],
    longest: int,
) -> _Scene:
    names = list(model.names(range(model.n_labels)))
    if model.labels is not None:
        names = replace_missing(names)
    texts = [name_ranking([names[i] for i in region.order]) for region in regions]
    numbered = model.labels is not None and max(map(len, texts)) > longest
    if numbered:
        texts = [name_ranking([str(model.kept[i]) for i in region.order]) for region in regions]
    known = [
        f"label {name}" if model.labels is None else f"{row}  {name}"
        for row, name in zip(model.kept, names, strict=True)
    ]
    spare = _label_entries(known, {region.top for region in tops}, colors)
    return _Scene(
        [region.rows for region in regions],
        [shade(colors[region.top], region.odd) for region in regions],
        [shorten(text, longest) for text in texts],
        [region.rows for region in tops],
        spare if numbered else [],
        [] if numbered else spare,
    )


def _label_entries(names: Sequence[str], tops: set[int], colors: Sequence[Color]) -> list[Entry]:
    """Legend entries of labels: their colors, and which of them are never first."""
    never = "  (never first)"
    rows = range(len(names)) if len(names) <= MOST_NAMES else sorted(tops)[:_MOST_ENTRIES]
    entries = [
        Entry(shade(colors[i], False), shorten(names[i]))
        if i in tops
        else Entry("none", shorten(names[i]) + never)
        for i in rows
    ]
    others = len(names) - max(len(tops), len(entries))
    return entries + ([Entry("none", f"{others} others{never}")] if others else [])


def _draw_disk(ax: Axes, scene: _Scene) -> bool:
    """Draw sectors; return whether all are named."""
    draw_legend(ax, scene.legend)
    complete = draw_sectors(ax, scene.rows, scene.faces, scene.texts)
    if not complete:
        draw_legend(ax, scene.spare)
        show_disk(ax)
    draw_rays(ax, scene.borders)
    return complete


def _draw_plane(ax: Axes, scene: _Scene, limits: Limits | None) -> tuple[int, bool]:
    """Draw polygons; return how many, and whether all are named."""
    box = set_view(ax, scene.rows, limits)
    pieces = [
        (i, Shape(points, centroid(points))) for i, points in outlines_in(box, scene.rows).items()
    ]
    return _draw_pieces(ax, scene, pieces, list(outlines_in(box, scene.borders).values()))


def _draw_sphere(ax: Axes, scene: _Scene, both: bool) -> tuple[int, bool]:
    """Draw spherical polygons; return how many regions, and whether all are named."""
    ax.set_axis_off()
    ax.set_aspect("equal")
    reach = 1.05 + APART if both else 1.15
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-1.25, 1.15)
    for text, x in (("$x_3 > 0$", -APART), ("$x_3 < 0$", APART)) if both else ():
        ax.text(x, -1.14, text, ha="center", va="center")
    borders = [shape.outline for _, shape in on_sphere(scene.borders, both)]
    return _draw_pieces(ax, scene, on_sphere(scene.rows, both), borders)


def _draw_pieces(
    ax: Axes, scene: _Scene, pieces: Sequence[tuple[int, Shape]], borders: Sequence[Points]
) -> tuple[int, bool]:
    """Draw parts of regions, and name each."""
    owners = [i for i, _ in pieces]
    faces, texts = [scene.faces[i] for i in owners], [scene.texts[i] for i in owners]
    shapes = dict(enumerate(shape for _, shape in pieces))
    fill(ax, [shape.outline for shape in shapes.values()], faces, "white")
    fill(ax, borders, ["none"] * len(borders), DARK, linewidths=1.2, zorder=3)
    named = name_regions(ax, shapes, texts, faces, scene.legend, scene.spare)
    return len(set(owners)), named.complete


def _reaches_below(P: Polyhedron) -> bool:
    """Whether a cone has points with a negative third coordinate."""
    return any(ray[2] < 0 for ray in P.rays) or any(line[2] for line in P.lines)


def _in_few_columns(model: ScoreModel) -> ScoreModel:
    """Weights of a given rank, in as many columns as the rank."""
    if model.low_rank is None or model.dimension == model.rank:
        return model
    weights = model.weights[:, list(model.columns)]
    return ScoreModel(
        weights, model.offsets, model.labels, dropped=model.dropped, low_rank=model.low_rank
    )


def _constant_column(model: ScoreModel) -> str:
    """Advice for weights with a column that changes no ranking."""
    for j, column in enumerate(model.weights.T):
        if (column == column[0]).all():
            return f" Column {j} is constant and changes no ranking: leave it out."
    return ""
