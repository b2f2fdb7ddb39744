"""Numbers of the graph of chambers, without the graph: degrees, diameter, distances, paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.core.arrangement import MatroidLike
from arrangements.core.questions import as_arrangement, oriented_matroid_of, refuse_loops
from arrangements.errors import InputError
from arrangements.structure import chamber_graphs
from arrangements.structure.chamber_sets import (
    ChambersLike,
    ChamberTable,
    list_chambers,
)

if TYPE_CHECKING:
    from sympy import Poly


def chamber_degrees(
    W: ChambersLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> NDArray[np.int64]:
    """Degrees in the graph of chambers: how many walls each chamber has.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, OrientedMatroid or SignVectors
        As in `chamber_edges`.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `chambers`; not with SignVectors, for which it is settled.

    Returns
    -------
    (N,) ndarray of int64
        Sorted, it is the degree sequence of `chamber_graph`; ``np.bincount`` of it counts the
        chambers by their walls.

    See Also
    --------
    walls : which hyperplanes.

    Notes
    -----
    Exact. The edges are found in blocks and only counted.

    Examples
    --------
    >>> from arrangements.generators import resonance
    >>> np.bincount(chamber_degrees(resonance(4))).tolist()
    [0, 0, 0, 0, 350, 0, 20]
    """
    S = list_chambers(W, offsets, rank)
    degrees = np.zeros(len(S), np.int64)
    for edges, _ in chamber_graphs.iter_chamber_edges(S):
        degrees += np.bincount(edges.ravel(), minlength=len(S))
    return degrees


def chamber_diameter(
    W: MatroidLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> int:
    """Diameter of the graph of chambers.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    int
        The number of distinct hyperplanes.

    See Also
    --------
    chamber_distance : between two chambers.

    Notes
    -----
    A line in general position crosses all hyperplanes, so that all of them separate its two ends;
    and no distance is larger. Nothing is listed.

    Examples
    --------
    >>> from arrangements.generators import shi
    >>> chamber_diameter(shi(4)), chamber_diameter([[1], [2]])
    (12, 1)
    """
    if (matroid := oriented_matroid_of(W, offsets, rank)) is not None:
        refuse_loops(matroid)
        return len(matroid.parallel_classes)
    return len(as_arrangement(W, offsets, rank).coincident_classes)


def distance_enumerator(
    W: ChambersLike,
    base: int | ArrayLike | str | None = None,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
) -> Poly:
    """Distance enumerator: chambers counted by their distance from one of them.

    Parameters
    ----------
    W, offsets, rank
        As in `chamber_degrees`.
    base : int, or sign vector, optional
        As in `poset_of_chambers`, whose rank generating function this is.

    Returns
    -------
    sympy.Poly
        In ``q``: the sum of ``q**chamber_distance(base, C)`` over the chambers C.

    Raises
    ------
    InputError
        If `base` is not a chamber.

    See Also
    --------
    chamber_distances : the distances themselves.

    References
    ----------
    .. [1] R. P. Stanley, An introduction to hyperplane arrangements, 2007, lecture 6.

    Examples
    --------
    >>> from arrangements.generators import braid
    >>> distance_enumerator(braid(4)).as_expr()              # inversions of permutations
    q**6 + 3*q**5 + 5*q**4 + 6*q**3 + 5*q**2 + 3*q + 1
    """
    from sympy import Poly, Symbol  # loads slowly

    S = list_chambers(W, offsets, rank)
    signs = chamber_graphs.base_signs(S, chamber_graphs.first_chamber(S) if base is None else base)
    counts = np.bincount(chamber_graphs.distances(ChamberTable(S), signs))
    return Poly.from_list(counts[::-1].tolist(), gens=Symbol("q"))


def count_monotone_paths(
    W: MatroidLike, base: int | ArrayLike | str | None = None, *, rank: int | None = None
) -> int:
    """Number of shortest paths from a chamber to the opposite one (minimal galleries).

    They are the monotone paths on the zonotope, from a vertex to the opposite one [1]_, and the
    maximal chains of the poset of chambers.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
        A central arrangement.
    base : int, or sign vector, optional
        As in `poset_of_chambers`.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    int

    Raises
    ------
    InputError
        If the arrangement is not central, or `base` is not a chamber.

    See Also
    --------
    poset_of_chambers

    Notes
    -----
    Exact. Chambers and their edges are listed, and the paths are added up by distance.

    References
    ----------
    .. [1] C. A. Athanasiadis, F. Santos, Monotone paths on zonotopes and oriented matroids, Canad.
       J. Math. 53 (2001) 1121-1140.

    Examples
    --------
    >>> from arrangements.generators import boolean, braid
    >>> count_monotone_paths(boolean(4)), count_monotone_paths(braid(4))   # reduced words
    (24, 16)
    """
    if oriented_matroid_of(W, None, rank) is None:
        W = as_arrangement(W, None, rank)
        if not W.is_central:
            raise InputError(
                f"W is {W!r}; expected a central one: others have no opposite chambers."
            )
    S = list_chambers(W)
    far = chamber_graphs.distances(
        ChamberTable(S),
        chamber_graphs.base_signs(S, chamber_graphs.first_chamber(S) if base is None else base),
    )
    edges = np.concatenate(
        [np.zeros((0, 2), np.int64), *(e for e, _ in chamber_graphs.iter_chamber_edges(S))]
    )
    # each edge from its near chamber to its far one, in the order of the distance
    edges = np.where((far[edges[:, 0]] > far[edges[:, 1]])[:, None], edges[:, ::-1], edges)
    edges = edges[np.argsort(far[edges[:, 0]], kind="stable")]
    paths: list[int] = (far == 0).astype(object).tolist()
    for near, next_one in edges.tolist():
        paths[next_one] += paths[near]
    return int(paths[int(far.argmax())])
