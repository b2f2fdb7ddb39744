"""The graph of regions that share a wall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arrangements.networks.listing import regions
from arrangements.networks.network import Network
from arrangements.networks.region_set import find_patterns
from arrangements.polyhedra.reading import Within

if TYPE_CHECKING:
    import networkx as nx


def dual_graph(
    network: Network,
    *,
    within: Within | None = None,
    progress: bool = False,
    max_bytes: int | None = None,
) -> nx.Graph[int]:
    """Graph of the regions of a network: those that share a wall are joined by an edge.

    Parameters
    ----------
    network, within, progress, max_bytes
        As in `regions`.

    Returns
    -------
    networkx.Graph
        Nodes 0..m-1 are the regions in the order of their listing, which is the attribute
        `regions` of the graph. A node has the attribute `pattern`, an edge `units`, all units that
        vanish on the wall as seen from its first node.

    Notes
    -----
    Exact: the walls of each region are proved by linear programs. The graph is connected.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> G = dual_graph(net)
    >>> len(G), G.number_of_edges(), len(G.graph["regions"])
    (7, 9, 7)
    """
    import networkx as nx  # loads slowly

    found = regions(network, within=within, progress=progress, max_bytes=max_bytes)
    G: nx.Graph[int] = nx.Graph(regions=found)
    for i, region in enumerate(found):
        G.add_node(i, pattern=tuple(region.pattern.tolist()))
    for i, region in enumerate(found):
        inner = [wall for wall in region.walls if not wall.inequalities]
        if not inner:
            continue
        others = find_patterns(found, [other.pattern for other in region.neighbors])
        for wall, j in zip(inner, others.tolist(), strict=True):
            if i < j:
                G.add_edge(i, j, units=wall.units)
    return G
