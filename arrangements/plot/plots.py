"""Pictures in the plane: rankings, best labels, arrangements. Needs matplotlib (extra ``plot``).

Everything drawn is computed exactly: the regions come from the engine, their corners are rational
numbers, and only the picture rounds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from numpy.typing import ArrayLike

from arrangements import palette
from arrangements.checks import check_option
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label, as_labels, labels_of
from arrangements.core.questions import as_arrangement
from arrangements.core.score_model import ScoreModel, Ties, as_score_model
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.linear import column_basis
from arrangements.plot.colors import Color, label_colors, shade
from arrangements.plot.curves import chord, diameter, great_circle, name_curves
from arrangements.plot.disk import (
    draw_circle,
    draw_rays,
    draw_sectors,
    room_around,
    sector_outlines,
    show_disk,
)
from arrangements.plot.drawing import (
    ACCENT,
    DARK,
    LONGEST,
    Place,
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
from arrangements.plot.naming import Entry, Shape, draw_legend, name_regions, write_inside
from arrangements.plot.plane import Limits, Row
from arrangements.plot.plane_regions import (
    MOST_REGIONS,
    Region,
    argmax_regions,
    chamber_regions,
    name_ranking,
    ranking_regions,
)
from arrangements.plot.sphere import middle, outline, polygon_above
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More lines, or labels in a legend, have no names.
_MOST_NAMES, _MOST_ENTRIES = 24, 60
# How far the middles of two halves of a sphere are from that of the picture.
_APART = 1.08


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
    hint = _constant_column(model) or _without_offsets(model.dimension)
    _check_dimension("plot_rankings", model.dimension, (2, 3) if model.is_central else (2,), hint)
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
    _draw_outline(axes, facets, flat, model.dimension, both)
    title = _count_regions(
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
    rows = range(len(names)) if len(names) <= _MOST_NAMES else sorted(tops)[:_MOST_ENTRIES]
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
    reach = 1.05 + _APART if both else 1.15
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-1.25, 1.15)
    for text, x in (("$x_3 > 0$", -_APART), ("$x_3 < 0$", _APART)) if both else ():
        ax.text(x, -1.14, text, ha="center", va="center")
    borders = [shape.outline for _, shape in _on_sphere(scene.borders, both)]
    return _draw_pieces(ax, scene, _on_sphere(scene.rows, both), borders)


def _on_sphere(regions: Sequence[Sequence[Row]], both: bool) -> list[tuple[int, Shape]]:
    """The parts of regions in the upper half of the sphere, or in both side by side."""
    found = []
    for side, shift in ((1, -_APART), (-1, _APART)) if both else ((1, 0.0),):
        for i, rows in enumerate(regions):
            corners = polygon_above([(a, b, side * c) for a, b, c in rows])
            if corners:
                x, y = middle(corners)
                found.append((i, Shape(outline(corners) + [shift, 0.0], (x + shift, y))))
    return found


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


def plot_arrangement(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    limits: Limits | None = None,
    width: Width | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the hyperplanes of an arrangement, in the plane or as great circles of a sphere.

    Parameters
    ----------
    W : (n, 2) or (n, 3) array_like of int, float, Fraction or SymPy number, or Arrangement
        With three columns only without offsets: the sphere's upper half (third coordinate
        positive) is shown from the south pole (stereographic projection), so great circles are
        arcs that meet the boundary in opposite points.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `chambers`. An integer draws normals of any number of columns, in the coordinates
        of the factor of that rank.
    labels : sequence of int or str, optional
        Names of the hyperplanes; default the row numbers. A hyperplane of several rows has all
        their names, with a minus if the + sides are opposite.
    within : Polyhedron, or (A, c), optional
        Show only the part of each region inside this polyhedron, or ``A @ x <= c``, with its
        outline. Without offsets, on a sphere or if it is flat, the cone over it: weights of sum 1
        are a part of the sphere.
    limits : (left, right, bottom, top), optional
        Part of the plane to show, if there are offsets.
    width : float or {"column", "page"}, optional
        Width of the new figure in millimetres: 85 for a column, 175 for a page. Default 178; the
        shape is the same, and text has the size of the current font.
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
        If W does not have two or three columns, or has three and offsets.
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
    limits = check_limits(limits)
    arrangement = as_arrangement(W, offsets, rank)
    arrangement = _in_rank_columns(arrangement) if within is None else arrangement
    labels = None if labels is None else labels_of(W, labels)
    names = as_labels(labels, arrangement.n_hyperplanes) or arrangement.labels
    drawn = (2, 3) if arrangement.is_central else (2,)
    hint = _without_offsets(arrangement.dimension)
    _check_dimension("plot_arrangement", arrangement.dimension, drawn, hint)
    axes = axes_for(ax, width=width)
    names = tuple(replace_missing([str(name) for name in names])) if names else None
    rows, P = arrangement.integer_rows, read_picture_region(within, arrangement)
    groups, facets = arrangement.coincident_classes, facet_rows(P)
    if len(groups) > MOST_REGIONS:
        raise TooLargeError(f"{len(groups)} hyperplanes: too many for a picture.")
    curves: list[Points | None]
    places: list[Place] = []
    if arrangement.dimension == 3:
        number = arrangement.count_chambers(within=P)
        if P is None:
            half = Arrangement(arrangement.normals[:, :2], arrangement.normals[:, 2])
            visible = half.count_chambers()  # those with points of third coordinate 1
        else:
            visible = _draw_chambers_above(axes, chamber_regions(arrangement, P))
        draw_circle(axes, ":")
        curves = [great_circle(rows[group[0]]) for group in groups]
    else:
        regions = chamber_regions(arrangement, P)
        outlines, curves = _draw_chambers(axes, regions, [rows[g[0]] for g in groups], limits)
        number, visible = len(regions), len(outlines)
        signs = [regions[i].text for i in outlines]
        shapes = {k: Shape(o, centroid(o)) for k, o in enumerate(outlines.values())}
        places = write_inside(axes, shapes, signs)
    for curve in curves:
        if curve is not None:
            axes.plot(*curve.T, color=DARK, linewidth=1.3, solid_capstyle="butt", zorder=3)
    flat = arrangement.is_central and not any(row[2] for row in facets)
    _draw_outline(axes, facets, flat, arrangement.dimension)
    axes.set_title(_count_regions(number, "chambers", visible))
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
    shades = _shades(regions)
    if all(row[2] == 0 for rows in (lines, *insides) for row in rows):
        draw_sectors(ax, insides, shades, edge="none")
        return dict(enumerate(sector_outlines(insides))), [diameter(row) for row in lines]
    box = set_view(ax, insides, limits)
    outlines = outlines_in(box, insides)
    fill(ax, list(outlines.values()), [shades[i] for i in outlines], "none")
    return outlines, [chord(row, box) for row in lines]


def _draw_chambers_above(ax: Axes, regions: Sequence[Region]) -> int:
    """Fill the parts of chambers in the upper half of the sphere; return their number."""
    pieces = _on_sphere([region.rows for region in regions], False)
    shades = _shades(regions)
    fill(ax, [shape.outline for _, shape in pieces], [shades[i] for i, _ in pieces], "none")
    return len(pieces)


def _shades(regions: Sequence[Region]) -> list[Color]:
    return [palette.WHITE if region.odd else palette.PALE for region in regions]


def _line_name(
    arrangement: Arrangement, group: Sequence[int], names: Sequence[Label] | None
) -> str:
    """Names of the rows of one hyperplane, with a minus if the + side is that of the first not."""
    rows = arrangement.integer_rows
    minus = ["" if rows[i] == rows[group[0]] else "\N{MINUS SIGN}" for i in group]
    called = [str(i if names is None else names[i]) for i in group]
    return shorten(", ".join(map("".join, zip(minus, called, strict=True))))


# ------------------------------------------------------------------ regions


def _reaches_below(P: Polyhedron) -> bool:
    """Whether a cone has points with a negative third coordinate."""
    return any(ray[2] < 0 for ray in P.rays) or any(line[2] for line in P.lines)


def _draw_outline(
    ax: Axes, facets: Sequence[Row], flat: bool, dimension: int, both: bool = False
) -> None:
    """Draw the outline of a polyhedron in view."""
    if not facets:
        return
    if dimension == 3:
        outlines = [shape.outline for _, shape in _on_sphere([facets], both)]
    elif flat:
        outlines = sector_outlines([facets])
    else:
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        x, y = right - left, top - bottom  # the edges of a larger rectangle are out of view
        outlines = list(outlines_in((left - x, right + x, bottom - y, top + y), [facets]).values())
    fill(ax, outlines, ["none"] * len(outlines), ACCENT, linewidths=1.8, zorder=4)


def _count_regions(number: int, noun: str, visible: int | None = None) -> str:
    """The title of a picture."""
    if number == 1:
        return "1 label can be first" if noun.startswith("labels") else f"1 {noun[:-1]}"
    return f"{number} {noun}" + (f", {visible} in view" if visible not in (None, number) else "")


def _in_few_columns(model: ScoreModel) -> ScoreModel:
    """Weights of a given rank, in as many columns as the rank."""
    if model.low_rank is None or model.dimension == model.rank:
        return model
    weights = model.weights[:, list(model.columns)]
    return ScoreModel(
        weights, model.offsets, model.labels, dropped=model.dropped, low_rank=model.low_rank
    )


def _in_rank_columns(arrangement: Arrangement) -> Arrangement:
    """Normals of a given rank, in as many columns as the rank."""
    if arrangement.low_rank is None or arrangement.dimension == arrangement.rank:
        return arrangement
    columns = column_basis([row[:-1] for row in arrangement.integer_rows])
    normals = arrangement.normals[:, list(columns)]
    return Arrangement(normals, arrangement.offsets, arrangement.labels)


def _constant_column(model: ScoreModel) -> str:
    """Advice for weights with a column that changes no ranking."""
    for j, column in enumerate(model.weights.T):
        if (column == column[0]).all():
            return f" Column {j} is constant and changes no ranking: leave it out."
    return ""


def _without_offsets(dimension: int) -> str:
    return " Without offsets three columns can be drawn, too." if dimension == 3 else ""


def _check_dimension(name: str, dimension: int, drawn: tuple[int, ...], hint: str) -> None:
    if dimension in drawn:
        return
    wanted = " or ".join(f"(n, {d})" for d in drawn)
    raise InputError(f"{name} draws W of shape {wanted}; it has {dimension} columns.{hint}")
