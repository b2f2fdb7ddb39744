"""Pictures of the regions of a network, in the plane and in space. Needs matplotlib.

Which regions and classes there are and which unit makes an edge is exact; corners are rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arrangements import palette
from arrangements.checks import check_instance, check_option
from arrangements.core.labels import Label
from arrangements.errors import InputError, TooLargeError
from arrangements.exact.numbers import nearest_floats
from arrangements.messages import Remedy
from arrangements.networks.decision_set import DecisionRegions
from arrangements.networks.network import Network
from arrangements.networks.shapes import region_shapes, view_of
from arrangements.networks.slices import Slice
from arrangements.networks.tournaments import Tournament, tournament_of
from arrangements.plot.colors import Color, label_colors, mix
from arrangements.plot.depths import space_axes
from arrangements.plot.drawing import (
    DARK,
    Points,
    Width,
    axes_for,
    draw_points,
    fill,
    shorten,
)
from arrangements.plot.naming import Entry, draw_legend
from arrangements.plot.network_polygons import (
    Polygon,
    class_names,
    class_text,
    map_numbers,
    pieces,
    polygon_of,
)
from arrangements.plot.solids import in_order
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.polyhedra.reading import Within, read_polyhedron

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from arrangements.search.network_sweep import RegionShape

ColorBy = Literal["class", "pattern", "map"]
_COLOR_BY = ("class", "pattern", "map")
# Regions of a picture, in the plane and in space, and entries of a legend.
_MOST = {2: 20_000, 3: 2_000}
_MOST_ENTRIES = 24
_SLICE = Remedy("slice", "network.slice(points) is the plane through three inputs.")
_SMALLER = Remedy("smaller part", "Draw a smaller part, within=.")
# A class, or classes that are equal.
_Labels = tuple[int, ...]


def plot_network(
    network: Network | Slice | DecisionRegions,
    *,
    color_by: ColorBy = "class",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    colors: Iterable[Any] | None = None,
    width: Width | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the regions of a network of two or three inputs, or of a slice.

    Parameters
    ----------
    network : Network, Slice or DecisionRegions
        Of two inputs, for a picture of the plane, or of three, for the walls in space. The
        points of a slice are drawn with their numbers. Of decision regions the legend has the
        shares.
    color_by : {"class", "pattern", "map"}
        Colors of the regions: by the largest output, or the sign of a single one, with the
        boundaries between classes; by the number of positive units; or one color for all regions
        with the same affine map. Edges have the color of the layer of their unit. The color of a
        class depends on its number alone, so it is the same in all pictures.
    labels : sequence of int or str, optional
        Names of the outputs, or of the signs - and + of a single one, for the legend.
    within : Polyhedron, or (A, c), optional
        Draw only the part in this polyhedron; default a box around most corners of regions,
        ``slice.box()`` of a slice, and that of decision regions.
    colors : sequence of matplotlib colors, optional
        Of the outputs, for ``color_by="class"``.
    width : float or {"column", "page"}, optional
        As in `plot_depth`.
    ax : matplotlib.axes.Axes, optional
        Where to draw, in space with ``projection="3d"``; default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        In the plane the first collection holds the polygons, the others the edges by layer and
        the boundaries between classes.

    Raises
    ------
    InputError
        If the network has another number of inputs, or `within` another dimension, or `labels` or
        `colors` are not as many as there are classes.
    TooLargeError
        If there are more than 20,000 regions, 2,000 in space.
    MissingDependencyError
        Without matplotlib.

    See Also
    --------
    regions, decision_regions : the same regions and classes, listed.

    Notes
    -----
    Regions, classes and the units of their edges are exact, corners are rounded. Where several
    outputs are equal and the largest, the color is the mean of theirs. Maps are compared exactly.

    Examples
    --------
    >>> from arrangements.networks import Network
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> plot_network(net, within=([[1, 0], [-1, 0], [0, 1], [0, -1]], [2, 2, 2, 2])).get_title()
    '7 regions of 3 units'
    """
    plane = network if isinstance(network, Slice) else None
    decided = network if isinstance(network, DecisionRegions) else None
    net = network if isinstance(network, Network) else getattr(network, "network", network)
    check_instance("network", net, Network)
    assert isinstance(net, Network)
    check_option("color_by", color_by, _COLOR_BY)
    check_drawable(net)
    d, names = net.dimension, class_names(net, labels)
    shades = label_colors(len(names), colors)
    P = None if within is None else read_polyhedron(within, net)
    shares: dict[_Labels, Fraction] = {}
    if decided is not None and P is None:
        P, shares = decided.within, _shares(decided)
    if P is not None and P.dimension != d:
        raise InputError(f"within is {P}; a picture shows regions of dimension {d}.")
    P = plane.box() if P is None and plane is not None else view_of(net, P)
    by_class = color_by == "class" and d == 2
    tournament = tournament_of(net, P)
    shapes = list(islice(region_shapes(tournament.network if by_class else net, P), _MOST[d] + 1))
    if len(shapes) > _MOST[d]:
        raise TooLargeError(f"more than {_MOST[d]} regions: too many for a picture.", _SMALLER)
    if d == 3:
        ax = _draw_space(space_axes(ax, width), net, shapes)
    else:
        ax = axes_for(ax, width=width)
        _set_limits(ax, P)
        if by_class:
            _draw_classes(ax, net, shapes, tournament, names, shares, shades)
        else:
            _draw_regions(ax, net, P, shapes, color_by)
        if plane is not None:
            _draw_slice_points(ax, plane)
    count = len({shape.pattern[: net.n_units].tobytes() for shape in shapes})
    noun = "region" if count == 1 else "regions"
    ax.set_title(f"{count} {noun} of {net.n_units} unit{'s' * (net.n_units != 1)}")
    return ax


def check_drawable(network: Network) -> None:
    """Refuse a network that is not one of two or three inputs."""
    if (d := network.dimension) not in _MOST:
        noun = f"{d} input{'s' * (d != 1)}"
        advice = (_SLICE,) if d > 1 else ()
        raise InputError(f"network has {noun}; a picture shows two or three.", *advice)


def _shares(found: DecisionRegions) -> dict[_Labels, Fraction]:
    """The shares of classes, if they can be found."""
    rows = {row["label"]: row["share"] for row in found.table() if "share" in row}
    return {(key,) if isinstance(key, int) else key: share for key, share in rows.items()}


def _set_limits(ax: Axes, P: Polyhedron) -> None:
    corners = nearest_floats(np.array(P.vertices, object))
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, top)
    wide, high = right - left, top - bottom
    ax.set_aspect("equal" if max(wide, high) <= 2.5 * min(wide, high) else "auto")
    ax.set_xlabel("$x_1$")
    ax.set_ylabel("$x_2$")


def _draw_classes(
    ax: Axes,
    network: Network,
    shapes: Sequence[RegionShape],
    tournament: Tournament,
    names: Sequence[str],
    shares: Mapping[_Labels, Fraction],
    shades: Sequence[Color],
) -> None:
    """Parts of regions in the colors of their classes, with the lines between classes."""
    parts, borders = pieces(shapes, tournament, network.n_units)
    seen = sorted({piece.labels for piece in parts}, key=lambda labels: (len(labels), labels))
    colors = {labels: mix(_blended(shades, labels), 0.45) for labels in seen}
    faces = [colors[piece.labels] for piece in parts]
    fill(ax, [piece.polygon.corners for piece in parts], faces, "none", antialiased=False)
    legend = []
    for labels in seen if len(seen) <= _MOST_ENTRIES else ():
        share = f" ({float(shares[labels]):.1%})" if labels in shares else ""
        legend.append(Entry(colors[labels], shorten(class_text(names, labels)) + share))
    legend += _draw_edges(ax, network, [piece.polygon for piece in parts])
    _draw_lines(ax, borders, DARK, 1.8)
    draw_legend(ax, legend)


def _blended(shades: Sequence[Color], labels: Sequence[int]) -> str:
    from matplotlib.colors import to_hex  # an extra

    return palette.blended(*(to_hex(shades[k]) for k in labels))


def _draw_regions(
    ax: Axes, network: Network, P: Polyhedron, shapes: Sequence[RegionShape], color_by: ColorBy
) -> None:
    polygons = [polygon_of(shape) for shape in shapes]
    legend: list[Entry] = []
    if color_by == "pattern":
        faces, legend = _by_units(shapes)
    else:
        faces = _by_maps(network, P, shapes)
    fill(ax, [polygon.corners for polygon in polygons], faces, "none", antialiased=False)
    draw_legend(ax, legend + _draw_edges(ax, network, polygons))


def _by_units(shapes: Sequence[RegionShape]) -> tuple[list[Color], list[Entry]]:
    """Darker, the more units are positive; with the ends of the scale."""
    counts = [int((shape.pattern > 0).sum()) for shape in shapes]
    low, high = min(counts), max(counts)
    colors = {n: mix(palette.BLUE, 0.95 - 0.75 * (n - low) / max(1, high - low)) for n in counts}
    ends = [(n, f"{n} positive unit{'s' * (n != 1)}") for n in sorted({low, high})]
    return [colors[n] for n in counts], [Entry(colors[n], text) for n, text in ends]


def _by_maps(network: Network, P: Polyhedron, shapes: Sequence[RegionShape]) -> list[Color]:
    """One color for each affine map."""
    found = map_numbers(network, P, shapes)
    shades = [mix(color, 0.4) for color in label_colors(max(found, default=0) + 1)]
    return [shades[i] for i in found]


def _draw_edges(ax: Axes, network: Network, polygons: Sequence[Polygon]) -> list[Entry]:
    """Edges of regions, in the color of the layer of their unit."""
    segments: dict[int, dict[Any, Points]] = {}
    for corners, edges in polygons:
        for k, (layer, _) in enumerate(edges):
            if 0 <= layer < len(network.layers):
                line = np.array([corners[k], corners[(k + 1) % len(corners)]])
                segments.setdefault(layer, {})[frozenset(map(tuple, line.tolist()))] = line
    shown = sorted(segments)
    for layer in shown:
        _draw_lines(ax, list(segments[layer].values()), _layer_color(layer), 1.0)
    if sum(n > 0 for n in network.widths) < 2:
        return []
    return [Entry(_layer_color(k), f"edges of layer {k}", True) for k in shown]


def _layer_color(layer: int) -> str:
    return palette.SERIES[layer % len(palette.SERIES)]


def _draw_lines(ax: Axes, lines: Sequence[Points], color: str, linewidth: float) -> None:
    from matplotlib.collections import LineCollection  # an extra

    if lines:
        ax.add_collection(LineCollection(lines, colors=color, linewidths=linewidth, zorder=3))


def _draw_slice_points(ax: Axes, plane: Slice) -> None:
    """The points through which a plane goes, with their numbers."""
    k = len(plane.directions)
    points = np.vstack([np.zeros((1, k)), np.eye(k)])
    limits = (*ax.get_xlim(), *ax.get_ylim())
    draw_points(ax, points, points - points.mean(axis=0), limits)
    ax.set_xlabel("towards point 1")
    ax.set_ylabel("towards point 2")


def _draw_space(ax: Axes, network: Network, shapes: Sequence[RegionShape]) -> Axes:
    """The walls between regions, in the colors of their layers."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # an extra

    walls: dict[int, dict[Any, Points]] = {}
    for shape in shapes:
        for facet in {f for own in shape.facets for f in own if f[0] >= 0}:
            on = [k for k, own in enumerate(shape.facets) if facet in own]
            if len(on) < 3:  # it touches the region there
                continue
            corners = in_order(shape.vertices[on])
            key = frozenset(map(tuple, corners.tolist()))
            walls.setdefault(facet[0], {})[key] = corners
    for layer in sorted(walls):
        body: Any = Poly3DCollection(
            list(walls[layer].values()),
            facecolor=_layer_color(layer),
            edgecolor=DARK,
            alpha=0.3,
            linewidth=0.4,
        )
        ax.add_collection(body)
    every = np.vstack([shape.vertices for shape in shapes])
    low, high = every.min(axis=0), every.max(axis=0)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    if sum(n > 0 for n in network.widths) > 1:
        draw_legend(ax, [Entry(_layer_color(k), f"walls of layer {k}") for k in sorted(walls)])
    return ax
