"""Arrangements of graphs."""

from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.messages import quote

if TYPE_CHECKING:
    import networkx as nx


def graphical(graph: Any) -> Arrangement:
    """Graphical arrangement: ``x_u = x_v`` for every edge uv of a graph.

    Its chambers are the acyclic orientations of the graph: + on the row of uv means ``x_u > x_v``.
    Its characteristic polynomial is the chromatic polynomial, so there are ``abs(chromatic(-1))``
    chambers [1]_. ``graphical(nx.complete_graph(n))`` is ``braid(n)``.

    Parameters
    ----------
    graph : networkx.Graph or MultiGraph, list of edges, or anything networkx makes a graph of
        Undirected, without self-loops. Column k belongs to the k-th node of ``graph.nodes``.
        Anything else becomes ``networkx.Graph(graph)``, whose nodes are in the order in which the
        edges name them.

    Returns
    -------
    Arrangement
        In R^n, where n is the number of nodes: one row ``e_u - e_v`` per edge, with u before v in
        ``graph.nodes``, in lexicographic order of their places. Repeated edges are repeated rows. A
        graph without edges has no hyperplanes.

    Raises
    ------
    InputError
        If it is not a graph, is directed, has a self-loop, or has no node.

    References
    ----------
    .. [1] R. P. Stanley, Discrete Math. 5 (1973) 171-178.

    Examples
    --------
    >>> import networkx as nx
    >>> graphical(nx.cycle_graph(3)).normals.tolist()
    [[1, -1, 0], [1, 0, -1], [0, 1, -1]]
    >>> graphical([(0, 1), (1, 2)]).normals.tolist()
    [[1, -1, 0], [0, 1, -1]]
    """
    graph = as_graph(graph)
    if graph.is_directed():
        raise InputError("the graph is directed; pass graph.to_undirected().")
    place = {node: k for k, node in enumerate(graph.nodes)}
    if not place:
        raise InputError("the graph has no nodes; expected at least one.")
    edges = sorted(sorted((place[u], place[v])) for u, v in graph.edges())
    loop = next((u for u, v in edges if u == v), None)
    if loop is not None:
        raise InputError(
            f"node {list(place)[loop]!r} has a self-loop: no hyperplane. Remove self-loops first."
        )
    rows = np.zeros((len(edges), len(place)), np.int64)
    for row, (u, v) in zip(rows, edges, strict=True):
        row[u], row[v] = 1, -1
    return Arrangement(rows)


def as_graph(value: Any) -> "nx.Graph[Any]":
    """A graph as it is; anything else as networkx makes a graph of it."""
    import networkx as nx  # loads slowly

    if isinstance(value, nx.Graph):
        return value
    try:
        if value is None:  # networkx makes a graph without nodes of it
            raise TypeError
        return nx.Graph(value)
    except (nx.NetworkXException, TypeError, ValueError, AttributeError, KeyError) as error:
        raise InputError(
            f"graph is {quote(value)}; expected a networkx.Graph, a list of edges such as "
            "[(0, 1), (1, 2)], or anything else that networkx.Graph(..) takes."
        ) from error
