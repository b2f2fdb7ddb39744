"""Pictures of intersection lattices. Needs matplotlib (extra ``plot``)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from arrangements.core.arrangement import ArrangementLike
from arrangements.errors import InputError
from arrangements.plot.drawing import DARK, Width, axes_for, shorten, text_size
from arrangements.structure.intersections import intersection_poset

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

# Flats of one rank, of which more would be a black bar.
_MOST_IN_A_ROW = 200


def plot_intersection_lattice(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    width: Width | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the Hasse diagram of the intersection lattice, the whole space at the bottom.

    Flats of one rank are side by side, each with the hyperplanes that contain it, by their labels
    or numbers. Lines join a flat with the flats of the next rank that it contains.

    Parameters
    ----------
    W, offsets, rank
        As in `intersection_poset`; W may be an OrientedMatroid.
    width : float or {"column", "page"}, optional
        As in `plot_depth`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        If some rank has more than 200 flats.
    MissingDependencyError
        Without matplotlib.

    Examples
    --------
    >>> ax = plot_intersection_lattice([[1, 0], [0, 1], [1, 1]])
    >>> ax.get_title(), [text.get_text() for text in ax.texts]
    ('5 flats, by rank 1, 3, 1', ['', '0', '1', '2', '0 1 2'])
    """
    P = intersection_poset(W, offsets, rank=rank)
    places, counts = _places(P)
    if max(counts) > _MOST_IN_A_ROW:
        raise InputError(
            f"{max(counts)} flats have the same rank; expected at most {_MOST_IN_A_ROW}. Draw a "
            "localization, or take intersection_poset(W)."
        )
    ax = axes_for(ax, width=width)
    for pair in P.edges:
        ax.plot(*zip(*(places[k] for k in pair), strict=True), color=DARK, linewidth=0.6, zorder=1)
    box: dict[str, Any] = {"boxstyle": "round", "facecolor": "white", "edgecolor": DARK}
    for k, flat in P.nodes(data=True):
        text = shorten(" ".join(flat.get("names") or map(str, flat["hyperplanes"])))
        ax.text(*places[k], text, ha="center", va="center", fontsize=text_size(), bbox=box)
    ax.set_xlim(-max(counts) / 2, max(counts) / 2)
    ax.set_ylim(-0.5, len(counts) - 0.5)
    ax.set_axis_off()
    ax.set_title(f"{len(P)} flats, by rank {', '.join(map(str, counts))}")
    return ax


def _places(P: nx.DiGraph[int]) -> tuple[dict[int, tuple[float, float]], list[int]]:
    """Where to draw flats, by number, and how many there are of each rank.

    Flats of a rank are in the order of the means of those of the rank below that contain them, so
    that fewer lines cross.
    """
    ranks: dict[int, list[int]] = {}
    for k, rank in P.nodes(data="rank"):
        ranks.setdefault(rank, []).append(k)
    levels = [ranks[rank] for rank in sorted(ranks)]
    places = {k: (x - (len(levels[0]) - 1) / 2, 0.0) for x, k in enumerate(levels[0])}
    for height, (_, level) in enumerate(pairwise(levels), 1):
        below = {k: [places[j][0] for j in P.predecessors(k)] for k in level}
        level.sort(key=lambda k: (sum(below[k]) / len(below[k]), k))
        places |= {k: (x - (len(level) - 1) / 2, float(height)) for x, k in enumerate(level)}
    return places, [len(level) for level in levels]
