"""What pictures of rankings and of arrangements share: half spheres, outlines and titles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from arrangements.errors import InputError
from arrangements.plot.disk import (
    sector_outlines,
)
from arrangements.plot.drawing import (
    ACCENT,
    fill,
    outlines_in,
)
from arrangements.plot.naming import Shape
from arrangements.plot.plane import Row
from arrangements.plot.sphere import middle, outline, polygon_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# More lines, or labels in a legend, have no names.
MOST_NAMES = 24
# How far the middles of two halves of a sphere are from that of the picture.
APART = 1.08


def on_sphere(regions: Sequence[Sequence[Row]], both: bool) -> list[tuple[int, Shape]]:
    """The parts of regions in the upper half of the sphere, or in both side by side."""
    found = []
    for side, shift in ((1, -APART), (-1, APART)) if both else ((1, 0.0),):
        for i, rows in enumerate(regions):
            corners = polygon_above([(a, b, side * c) for a, b, c in rows])
            if corners:
                x, y = middle(corners)
                found.append((i, Shape(outline(corners) + [shift, 0.0], (x + shift, y))))
    return found


def draw_outline(
    ax: Axes, facets: Sequence[Row], flat: bool, dimension: int, both: bool = False
) -> None:
    """Draw the outline of a polyhedron in view."""
    if not facets:
        return
    if dimension == 3:
        outlines = [shape.outline for _, shape in on_sphere([facets], both)]
    elif flat:
        outlines = sector_outlines([facets])
    else:
        (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
        x, y = right - left, top - bottom  # the edges of a larger rectangle are out of view
        outlines = list(outlines_in((left - x, right + x, bottom - y, top + y), [facets]).values())
    fill(ax, outlines, ["none"] * len(outlines), ACCENT, linewidths=1.8, zorder=4)


def count_regions(number: int, noun: str, visible: int | None = None) -> str:
    """The title of a picture."""
    if number == 1:
        return "1 label can be first" if noun.startswith("labels") else f"1 {noun[:-1]}"
    return f"{number} {noun}" + (f", {visible} in view" if visible not in (None, number) else "")


def without_offsets(dimension: int) -> str:
    """Advice for W of three columns, if it has offsets."""
    return " Without offsets three columns can be drawn, too." if dimension == 3 else ""


def check_dimension(
    name: str, dimension: int, drawn: tuple[int, ...], hint: str, rank: int | None = None
) -> None:
    """Refuse W of a number of columns that the function `name` does not draw.

    `rank` is that of W if the function draws more columns of a rank in `drawn`.
    """
    if dimension in drawn:
        return
    if rank is not None:
        wanted = " or ".join(map(str, drawn))
        raise InputError(
            f"{name} draws W of rank {wanted}; it has rank {rank} and {dimension} columns.{hint}"
        )
    wanted = " or ".join(f"(n, {d})" for d in drawn)
    raise InputError(f"{name} draws W of shape {wanted}; it has {dimension} columns.{hint}")
