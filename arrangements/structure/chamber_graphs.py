"""Graphs on chambers and on rankings: which of them share a wall."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label, name_rows, names_of
from arrangements.core.score_model import Ties
from arrangements.enumeration.rankings import rankings
from arrangements.errors import IncompleteError, InputError
from arrangements.execution import limits
from arrangements.kernels.structure import adjacency as kernel
from arrangements.messages import quote
from arrangements.polyhedra.reading import Within
from arrangements.sets.packed import pack_signs
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors
from arrangements.structure import chamber_sets
from arrangements.structure.chamber_sets import ChamberTable

if TYPE_CHECKING:
    import networkx as nx

    from arrangements.enumeration.rankings import Method as RankingMethod

Edges = NDArray[np.int64]
# Row numbers, or names.
Hyperplanes = NDArray[Any]
Signs = NDArray[np.int8]

# Stored rows whose edges are sought at a time.
_BLOCK_ROWS = 16384
# Most pairs that room is made for: one for each row and class. Most of it is never touched.
_MOST_PAIRS = 2**22


class ChamberEdges(NamedTuple):
    """Pairs of chambers that share a wall, and the hyperplanes between; see `chamber_edges`."""

    edges: Edges
    hyperplanes: Hyperplanes


def chamber_edges(
    W: chamber_sets.ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    named: bool = False,
    within: Within | None = None,
) -> ChamberEdges:
    """Pairs of chambers that share a wall, and the hyperplane between them.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, OrientedMatroid or SignVectors
        Chambers are numbered as in ``chambers(W, offsets)``; pass the listed set to be sure of the
        numbers. A set of some of the chambers gives the pairs within it.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `chambers`; not with SignVectors, for which it is settled.
    named : bool
        Whether hyperplanes are given by their names (text) instead of row numbers.
    within : Polyhedron, or (A, c), optional
        Only the chambers that meet it, as in `chambers`; not with SignVectors.

    Returns
    -------
    edges : (m, 2) ndarray of int64
        First field of a named tuple. Each pair once; the first chamber lies on the + side of the
        hyperplane.
    hyperplanes : (m,) ndarray of int64, or of str
        The hyperplane that carries the wall: the first of those that coincide there, whose signs
        all differ.

    Raises
    ------
    IncompleteError
        If the listing given was cut short.

    See Also
    --------
    iter_chamber_edges : in blocks.
    chamber_graph : as a networkx graph.

    Notes
    -----
    Exact. Two chambers share a wall iff their sign vectors differ exactly in one hyperplane and
    those that coincide with it. A hash table holds all N chambers; it is searched N / 2 times for
    each of the n hyperplanes, and a search takes O(n / 64).

    Inside a polyhedron P, whose relative interior is convex, these pairs are those with a wall
    between them that meets it: the segment between points of both in it crosses just that wall.
    Hyperplanes that coincide are then those that coincide in the affine hull of P.

    Examples
    --------
    >>> edges, hyperplanes = chamber_edges([[1, 0], [0, 1]])
    >>> len(edges), sorted(hyperplanes.tolist())
    (4, [0, 0, 1, 1])
    """
    named = check_flag("named", named)
    S = chamber_sets.list_chambers(W, offsets, rank, within)
    parts = list(edges_in_blocks(ChamberTable(S), _MOST_PAIRS))
    edges = np.concatenate([np.zeros((0, 2), np.int64), *(part[0] for part in parts)])
    hyperplanes = np.concatenate([np.zeros(0, np.int64), *(part[1] for part in parts)])
    return ChamberEdges(edges, name_rows(hyperplanes, S.label_names) if named else hyperplanes)


def iter_chamber_edges(
    W: chamber_sets.ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    named: bool = False,
    within: Within | None = None,
    block_size: int = _BLOCK_ROWS,
) -> Iterator[ChamberEdges]:
    """Pairs of chambers that share a wall, in blocks.

    Parameters
    ----------
    W, offsets, rank, named, within
        As in `chamber_edges`.
    block_size : int
        Number of stored chambers whose edges make a block (a central arrangement stores one of each
        opposite pair).

    Yields
    ------
    edges, hyperplanes
        As `chamber_edges` returns them; together, the same pairs.

    Notes
    -----
    The chambers themselves, and a table of 16 to 32 bytes for each stored one, stay in memory.

    Examples
    --------
    >>> sum(len(edges) for edges, _ in iter_chamber_edges([[1, 0], [0, 1], [1, 1]]))
    6
    """
    block_size = check_integer("block_size", block_size, 1)
    named = check_flag("named", named)
    S = chamber_sets.list_chambers(W, offsets, rank, within)
    blocks = edges_in_blocks(ChamberTable(S), block_size)
    if not named:
        return blocks
    names = S.label_names
    return (ChamberEdges(edges, name_rows(rows, names)) for edges, rows in blocks)


def chamber_graph(
    W: chamber_sets.ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    within: Within | None = None,
    max_bytes: int | None = None,
) -> nx.Graph[int]:
    """Graph of the chambers: neighbors are joined by an edge (the tope graph).

    Parameters
    ----------
    W, offsets, rank, within
        As in `chamber_edges`.
    max_bytes : int, optional
        Refuse a graph that takes more, at 2500 bytes for each chamber; default half of the free
        memory.

    Returns
    -------
    networkx.Graph
        Nodes 0..N-1 are the chambers in the order of their listing, with the attribute `signs`:
        the sign vector as an int whose bit i is set iff sign i is +. Edges have the attribute
        `hyperplane`, the first row of those that coincide there. If the rows have labels, edges
        also have the attribute `name`, and the graph has `names`, those of all rows.

    Raises
    ------
    TooLargeError
        If the graph would not fit.

    See Also
    --------
    iter_chamber_edges : the edges in blocks, where the graph does not fit.

    Notes
    -----
    Exact. In the graph of all chambers the distance of two nodes is the number of hyperplanes
    between them (`chamber_distance`), so it is bipartite and connected [1]_, and so is that of the
    chambers that meet a polyhedron. A set of some of the chambers gives the induced subgraph.

    References
    ----------
    .. [1] A. Bjorner et al., Oriented Matroids, 2nd ed., Cambridge 1999, section 4.2.

    Examples
    --------
    >>> G = chamber_graph([[1, 0], [0, 1], [1, 1]])
    >>> G.number_of_nodes(), sorted(d for _, d in G.degree)
    (6, [2, 2, 2, 2, 2, 2])
    """
    import networkx as nx  # loads slowly

    S = chamber_sets.list_for_graph(W, offsets, rank, max_bytes, within)
    G: nx.Graph[int] = nx.Graph()
    _add_chambers(G, S)
    table = ChamberTable(S)
    _add_edges(G, table, _walls_of(table), None)
    return G


def poset_of_chambers(
    W: chamber_sets.ChambersLike,
    base: int | ArrayLike | str | None = None,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
    max_bytes: int | None = None,
) -> nx.DiGraph[int]:
    """Poset of chambers seen from one of them: its cover relations, away from the base.

    Chamber R lies below chamber S if every hyperplane between the base and R is between the base
    and S [1]_. S covers R iff they share a wall and S is the farther one.

    Parameters
    ----------
    W, offsets, rank, within
        As in `chamber_edges`. A set of some of the chambers gives the edges within it, which need
        not be all covers of the order induced on it; those that meet a polyhedron have all covers.
    base : int, or sign vector, optional
        Number of the base chamber, or its signs as a sequence or string. Default: the chamber
        whose signs come first in lexicographic order with + before -; it has all signs + if there
        is such a chamber, as in `generators.coxeter`.
    max_bytes : int, optional
        As in `chamber_graph`.

    Returns
    -------
    networkx.DiGraph
        Nodes and attributes as in `chamber_graph`; edges lead away from the base. Nodes also have
        the attribute `rank`, the number of hyperplanes between them and the base.

    Raises
    ------
    InputError
        If `base` is not a chamber.
    TooLargeError
        If the graph would not fit.

    See Also
    --------
    chamber_distances : the ranks alone. chamber_graph : without direction.

    References
    ----------
    .. [1] P. H. Edelman, A partial order on the regions of R^n dissected by hyperplanes,
       Trans. Amer. Math. Soc. 283 (1984) 617-631.

    Examples
    --------
    >>> P = poset_of_chambers([[1, 0], [0, 1]], "++")
    >>> sorted(rank for _, rank in P.nodes(data="rank"))
    [0, 1, 1, 2]
    >>> P.edges == poset_of_chambers([[1, 0], [0, 1]]).edges
    True
    """
    import networkx as nx  # loads slowly

    S = chamber_sets.list_for_graph(W, offsets, rank, max_bytes, within)
    table = ChamberTable(S)
    P: nx.DiGraph[int] = nx.DiGraph()
    _add_chambers(P, S)
    if base is None and not len(S):  # the polyhedron meets none
        return P
    signs = base_signs(S, first_chamber(S) if base is None else base)
    nx.set_node_attributes(P, dict(enumerate(distances(table, signs).tolist())), "rank")
    _add_edges(P, table, _walls_of(table), signs)
    return P


def first_chamber(S: SignVectors) -> int:
    """Number of the chamber whose signs come first, + before -."""
    rows = S.to_array()
    found = np.arange(len(rows))
    for i in range(S.n):
        plus = found[rows[found, i] > 0]
        found = plus if len(plus) else found
    return int(found[0])


def ranking_graph(
    W: ArrangementLike | Rankings,
    offsets: ArrayLike | None = None,
    *,
    method: RankingMethod = "auto",
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_bytes: int | None = None,
) -> nx.Graph[int]:
    """Graph of the rankings of labels by score: neighbors differ in one crossing of scores.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, or Rankings
        Labels as in `rankings`, or the listed rankings.
    offsets : (n,) array_like, optional
        Default zeros.
    method, rank, ties, labels, within, workers, progress, max_bytes
        As in `rankings`, by which the labels are listed.

    Returns
    -------
    networkx.Graph
        Nodes 0..N-1 are the rankings in the order of their listing, with the attribute `order`:
        the rows of the labels, the best first; if they have names, also `names` in that order.
        Edges have the attribute `pairs`: the pairs (i, j), i < j, of rows whose order differs; if
        they have names, also `names`: pairs of these. In general there is one pair, and its labels
        stand next to each other in both rankings; pairs whose score differences vanish together
        change their order together.

    Notes
    -----
    Exact. If scores take all orders, it is the graph of the permutohedron.

    Examples
    --------
    >>> G = ranking_graph([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> G.number_of_nodes(), G.number_of_edges()
    (6, 6)
    >>> sorted({pairs for _, _, pairs in G.edges(data="pairs")})
    [((0, 1),), ((0, 2),), ((1, 2),)]
    """
    import networkx as nx  # loads slowly

    options = {"method": method, "rank": rank, "ties": ties, "labels": labels, "within": within}
    options |= {"workers": workers, "progress": progress, "max_bytes": max_bytes}
    R = _rankings(W, offsets, **options)
    limits.check_bytes(f"a graph of {len(R)} rankings", chamber_sets.NODE_BYTES * len(R))
    table = ChamberTable(R.to_sign_vectors())
    first, second = (side.tolist() for side in np.triu_indices(R.n, 1))
    exchanged: dict[int, dict[str, Any]] = {
        members[0]: {"pairs": tuple((first[k], second[k]) for k in members)}
        for members in table.members
    }
    G: nx.Graph[int] = nx.Graph()
    G.add_nodes_from(_attributed_nodes("order", map(tuple, R.to_array().tolist())))
    if R.is_named:
        names = R.label_names
        for _, node in G.nodes(data=True):
            node["names"] = tuple(names[i] for i in node["order"])
        for edge in exchanged.values():
            edge["names"] = tuple((names[i], names[j]) for i, j in edge["pairs"])
    _add_edges(G, table, exchanged, None)
    return G


def base_signs(S: SignVectors, base: int | ArrayLike | str) -> Signs:
    """Sign vector of a chamber given by its number or by itself."""
    if isinstance(base, (int, np.integer)) and not isinstance(base, bool):
        if not -len(S) <= base < len(S):
            raise InputError(f"chamber {quote(base)} of {len(S)} chambers.")
        return np.asarray(S[int(base)])
    return np.asarray(S[S.index(base)])


def distances(table: ChamberTable, signs: Signs) -> NDArray[np.int64]:
    """Number of hyperplanes between one and every chamber; coinciding ones count once."""
    S = table.chambers
    apart = (S.packed ^ pack_signs(signs[None])) & chamber_sets.mask(table.leads, S.n)
    near = np.bitwise_count(apart).sum(axis=1, dtype=np.int64)
    return np.concatenate([near, len(table.leads) - near]) if S.half else near


# ------------------------------------------------------------------ parts


def edges_in_blocks(table: ChamberTable, rows: int = _BLOCK_ROWS) -> Iterator[ChamberEdges]:
    """Blocks of the edges of at most `rows` stored rows each."""
    S = table.chambers
    stored, per_row = len(S.packed), (1 + S.half) * len(table.classes)
    if not per_row:
        return
    rows = min(rows, max(1, _MOST_PAIRS // per_row))
    for first in range(0, stored, rows):
        stop = min(first + rows, stored)
        room = per_row * (stop - first)
        edges, labels = np.empty((room, 2), np.int64), np.empty(room, np.int64)
        count = kernel.fill_edges(
            table.words, first, stop, table.flips, S.half, table.table, edges, labels
        )
        pairs = edges[:count]
        pairs = pairs if table.numbers is None else table.numbers[pairs]
        yield ChamberEdges(pairs, labels[:count])


def _add_chambers(G: nx.Graph[int], S: SignVectors) -> None:
    octets = S._full().astype("<u8", copy=False)
    if octets.shape[1] == 1:
        signs: Iterable[int] = octets[:, 0].tolist()
    else:
        signs = (int.from_bytes(row.tobytes(), "little") for row in octets)
    G.add_nodes_from(_attributed_nodes("signs", signs))
    name_signs(G, S)


def _attributed_nodes(name: str, values: Iterable[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    return ((k, {name: value}) for k, value in enumerate(values))


def name_signs(G: nx.Graph[int], S: Arrangement | SignVectors) -> None:
    """Give a graph the names of the rows that its signs belong to."""
    A = S.arrangement if isinstance(S, SignVectors) else S
    if A is not None and A.labels is not None:
        G.graph["names"] = names_of(A.labels, len(A))


def _walls_of(table: ChamberTable) -> dict[int, dict[str, Any]]:
    """Attributes of the edges across each hyperplane."""
    S, leads = table.chambers, table.leads.tolist()
    walls: dict[int, dict[str, Any]] = {lead: {"hyperplane": lead} for lead in leads}
    if S.is_named:
        for lead, name in zip(leads, name_rows(table.leads, S.label_names), strict=True):
            walls[lead]["name"] = name
    return walls


def _add_edges(
    G: nx.Graph[int], table: ChamberTable, attributes: dict[int, dict[str, Any]], base: Signs | None
) -> None:
    """Add the edges with the attributes of their hyperplanes; they lead away from a given base.

    networkx copies the attributes, so edges may share them. Edges made of the node objects
    themselves are found faster than those of equal integers.
    """
    node = list(G).__getitem__
    for edges, labels in edges_in_blocks(table, _BLOCK_ROWS):
        if base is not None:
            edges = np.where(base[labels, None] > 0, edges, edges[:, ::-1])
        tails, heads = (map(node, side) for side in edges.T.tolist())
        walls = map(attributes.__getitem__, labels.tolist())
        G.add_edges_from(zip(tails, heads, walls, strict=True))


def _rankings(W: ArrangementLike | Rankings, offsets: ArrayLike | None, **options: Any) -> Rankings:
    if not isinstance(W, Rankings):
        return rankings(W, offsets, **options)
    usual = inspect.signature(rankings).parameters
    if offsets is not None or any(options[name] != usual[name].default for name in options):
        raise InputError("offsets or keywords were given with Rankings, which are already listed.")
    if not W.complete:
        raise IncompleteError(f"{W!r} was cut short: neighbors would be missing.")
    return W
