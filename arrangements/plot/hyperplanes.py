"""Pictures of arrangements in the plane and on the sphere. Needs matplotlib (extra ``plot``).

Everything drawn is computed exactly: the regions come from the engine, their corners are rational
numbers, and only the picture rounds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from arrangements import palette
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label, as_labels, labels_of
from arrangements.core.questions import as_arrangement
from arrangements.errors import TooLargeError
from arrangements.exact.linear import column_basis
from arrangements.plot.colors import Color
from arrangements.plot.curves import chord, diameter, great_circle, name_curves
from arrangements.plot.disk import (
    draw_circle,
    draw_sectors,
    sector_outlines,
)
from arrangements.plot.drawing import (
    DARK,
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
from arrangements.plot.naming import Shape, write_inside
from arrangements.plot.plane import Limits, Row
from arrangements.plot.plane_regions import (
    MOST_REGIONS,
    Region,
    chamber_regions,
)
from arrangements.plot.region_pictures import (
    MOST_NAMES,
    check_dimension,
    count_regions,
    draw_outline,
    on_sphere,
    without_offsets,
)
from arrangements.plot.space import draw_planes
from arrangements.polyhedra.reading import Within
from arrangements.structure.coordinates import essentialization

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    """Draw the hyperplanes of an arrangement, in the plane, in space or on a sphere.

    Parameters
    ----------
    W : (n, 2) or (n, 3) array_like of int, float, Fraction or SymPy number, or Arrangement
        With three columns and offsets, planes are drawn in space, as far as a cube around all
        vertices; at most 30. Without offsets the sphere's upper half (third coordinate
        positive) is shown from the south pole (stereographic projection), so great circles are
        arcs that meet the boundary in opposite points. More columns of rank 2 or 3 are drawn in
        the coordinates of their `essentialization`.
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
        In space each plane is a polygon with its name.

    Raises
    ------
    InputError
        If W has neither two or three columns nor rank 2 or 3, or has three columns with offsets and
        `within`.
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
    if within is None:
        arrangement = _essential(_in_rank_columns(arrangement))
    labels = None if labels is None else labels_of(W, labels)
    names = as_labels(labels, arrangement.n_hyperplanes) or arrangement.labels
    in_space = arrangement.dimension == 3 and not arrangement.is_central
    hint = without_offsets(arrangement.dimension) if within is not None else ""
    drawn = (2,) if in_space and within is not None else (2, 3)
    rank = arrangement.rank if within is None and arrangement.dimension > 1 else None
    check_dimension("plot_arrangement", arrangement.dimension, drawn, hint, rank)
    names = tuple(replace_missing([str(name) for name in names])) if names else None
    if in_space:
        texts = [_line_name(arrangement, g, names) for g in arrangement.coincident_classes]
        return draw_planes(arrangement, texts, width=width, ax=ax)
    axes = axes_for(ax, width=width)
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
    draw_outline(axes, facets, flat, arrangement.dimension)
    axes.set_title(count_regions(number, "chambers", visible))
    seen = [(g, c) for g, c in zip(groups, curves, strict=True) if c is not None]
    if len(seen) <= MOST_NAMES:
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
    pieces = on_sphere([region.rows for region in regions], False)
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


def _essential(arrangement: Arrangement) -> Arrangement:
    """Normals of more columns than can be drawn, but of small rank, in as many as the rank."""
    d, r = arrangement.dimension, arrangement.rank
    drawn = d < 3 or (d == 3 and (arrangement.is_central or r != 2))
    return arrangement if drawn or r not in (2, 3) else essentialization(arrangement).arrangement


def _in_rank_columns(arrangement: Arrangement) -> Arrangement:
    """Normals of a given rank, in as many columns as the rank."""
    if arrangement.low_rank is None or arrangement.dimension == arrangement.rank:
        return arrangement
    columns = column_basis([row[:-1] for row in arrangement.integer_rows])
    normals = arrangement.normals[:, list(columns)]
    return Arrangement(normals, arrangement.offsets, arrangement.labels)
