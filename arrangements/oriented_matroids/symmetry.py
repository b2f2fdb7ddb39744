"""Symmetries of an arrangement: signed permutations of its rows, and orbits of chambers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.checks import as_list, check_flag
from arrangements.core.arrangement import Arrangement, ArrangementLike, MatroidLike
from arrangements.core.questions import as_arrangement, oriented_matroid_of
from arrangements.counting.symmetries import as_permutation
from arrangements.errors import InputError
from arrangements.oriented_matroids.isomorphism import (
    Isomorphism,
    find_automorphisms,
    find_isomorphism,
)
from arrangements.oriented_matroids.oriented_matroid import OrientedMatroid
from arrangements.sets.packed import pack_signs, positions
from arrangements.structure.chamber_sets import (
    ChambersLike,
    arrangement_of,
    list_all_chambers,
)
from arrangements.structure.coordinates import cone

Symmetries = Iterable[Any]


@public_class
class Automorphisms(NamedTuple):
    """Group of the automorphisms of an arrangement; see `automorphisms`.

    Attributes
    ----------
    generators : tuple of Isomorphism
        Each holds a permutation of the rows (`relabeling`) and the rows that are then reversed
        (`reorientation`).
    order : int
        Number of elements of the group.
    """

    generators: tuple[Isomorphism, ...]
    order: int


def automorphisms(
    W: MatroidLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    oriented: bool = True,
) -> Automorphisms:
    """Signed permutations of the rows that keep the set of all sign vectors of faces.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.
    oriented : bool
        False asks for the permutations that take bases to bases: the automorphisms of the matroid
        below, or of the intersection poset.

    Returns
    -------
    Automorphisms
        Generators and the order of the group. It is that of the oriented matroid; of an affine
        arrangement, of the oriented matroid of the cone, without moving or reversing the hyperplane
        at infinity. A linear map need not induce them.

    Raises
    ------
    TooLargeError
        If the cocircuits do not fit.

    See Also
    --------
    chamber_orbits : orbits of chambers under these, or others.
    arrangement_isomorphism : between two arrangements.

    Notes
    -----
    Exact. A chain of stabilizers; each generator comes from a search by refinement of colors, as
    in `OrientedMatroid.isomorphism`, and is checked on the chirotope.

    Examples
    --------
    >>> from arrangements.generators import boolean, braid, shi
    >>> automorphisms(boolean(4)).order, automorphisms(braid(4)).order, automorphisms(shi(3)).order
    (384, 48, 6)
    >>> M = OrientedMatroid.from_chirotope(5, 3, "+" * 10)
    >>> automorphisms(M).order, automorphisms(M, oriented=False).order
    (20, 120)
    >>> automorphisms([[1], [1]], [0, -1])                   # the line between two points, turned
    Automorphisms(generators=(Isomorphism(relabeling=(1, 0), reorientation=(0, 1)),), order=2)
    """
    check_flag("oriented", oriented)
    if isinstance(W, OrientedMatroid):
        matroid = oriented_matroid_of(W, offsets, rank)
        generators, order = find_automorphisms(matroid, (), oriented)
        return Automorphisms(tuple(generators), order)
    A = as_arrangement(W, offsets, rank)
    if A.is_central:
        return automorphisms(OrientedMatroid.from_matrix(A), oriented=oriented)
    generators, order = find_automorphisms(_of_cone(A), (A.n_hyperplanes,), oriented)
    return Automorphisms(tuple(map(_without_infinity, generators)), order)


def arrangement_isomorphism(
    W1: ArrangementLike,
    W2: ArrangementLike,
    offsets1: ArrayLike | None = None,
    offsets2: ArrayLike | None = None,
) -> Isomorphism | None:
    """Signed permutation of rows that turns the faces of one arrangement into those of another.

    Parameters
    ----------
    W1, W2 : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets1, offsets2 : (n,) array_like, optional
        Default zeros: central arrangements.

    Returns
    -------
    Isomorphism or None
        If f, then ``chambers(W2).to_array()[:, f.relabeling]``, with the columns
        ``f.reorientation`` reversed, has the rows of ``chambers(W1)``; so for all faces. None if
        there is none. The hyperplane at infinity stays where it is.

    See Also
    --------
    OrientedMatroid.isomorphism : where infinity is a hyperplane like others.
    same_oriented_matroid : without permutation.

    Examples
    --------
    >>> points = arrangement_isomorphism([[1], [1], [1]], [[1], [-1], [1]], [0, 1, 2], [0, 5, 7])
    >>> points.relabeling[1], len(points.reorientation)     # the middle one
    (0, 1)
    >>> parallel, crossing = [[1, 0], [1, 0], [0, 1]], [[1, 0], [0, 1], [1, 1]]
    >>> arrangement_isomorphism(parallel, crossing, [0, 1, 0], [0, 0, 1]) is None
    True
    """
    A, B = Arrangement.coerce(W1, offsets1), Arrangement.coerce(W2, offsets2)
    if A.n_hyperplanes != B.n_hyperplanes:
        return None
    found = find_isomorphism(_of_cone(A), _of_cone(B), fixed=(A.n_hyperplanes,))
    return None if found is None else _without_infinity(found)


def chamber_orbits(
    W: ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    symmetry: Symmetries | None = None,
) -> NDArray[np.int64]:
    """Orbits of the chambers under a group of signed permutations of the rows.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, OrientedMatroid or SignVectors
        Chambers are numbered as in ``chambers(W, offsets)``; pass the listed set to be sure of the
        numbers.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`; not with SignVectors, for which it is settled.
    symmetry : sequence, optional
        Generators of the group: permutations of the rows, or pairs of a permutation and the rows
        that are then reversed, such as an `Isomorphism`. Default: all `automorphisms`. Then the
        orbits are the classes of acyclic reorientations up to isomorphism.

    Returns
    -------
    (N,) ndarray of int64
        Number of the orbit of each chamber: 0, 1, .., in the order of their first chambers.

    Raises
    ------
    InputError
        If an entry of `symmetry` is none: it takes some chamber to no chamber.

    Notes
    -----
    Exact. All chambers are mapped by each generator and looked up.

    Examples
    --------
    >>> from itertools import combinations
    >>> from arrangements.generators import resonance
    >>> A = resonance(3)                                     # sums over sets of coordinates
    >>> sums = A.normals.tolist()
    >>> swap = [sums.index([b, a, c]) for a, b, c in sums]
    >>> turn = [sums.index([c, a, b]) for a, b, c in sums]
    >>> int(chamber_orbits(A, symmetry=[swap, turn]).max()) + 1
    10
    >>> int(chamber_orbits(A).max()) + 1                     # with all automorphisms
    2
    """
    S = list_all_chambers(W, offsets, rank)
    generators: list[Any]
    if symmetry is None:
        subject = oriented_matroid_of(W) or arrangement_of(S, "automorphisms")
        generators = list(automorphisms(subject).generators)
    else:
        generators = as_list("symmetry", symmetry)
    signs = S.to_array()
    packed = pack_signs(signs)
    orbits = np.arange(len(signs))
    edges = [orbits]
    for k, entry in enumerate(generators):
        order, reversed_rows = _signed(entry, S.n, f"symmetry[{k}]")
        images = signs[:, order]
        images[:, reversed_rows] *= -1
        found = positions(pack_signs(images), packed)
        if (found < 0).any():
            raise InputError(
                f"symmetry[{k}] is not a symmetry: it takes a chamber to a sign vector that does "
                "not occur. If it reverses rows, pass the pair (permutation, reversed rows)."
            )
        edges.append(found)
    return _components(np.array(edges))


def _components(images: NDArray[np.int64]) -> NDArray[np.int64]:
    """Components of the graph that joins each number with its images; numbered by first members."""
    from scipy.sparse import coo_array  # loads slowly
    from scipy.sparse.csgraph import connected_components  # loads slowly

    maps, n = images.shape
    entries = np.ones(images.size, bool), (np.tile(np.arange(n), maps), images.ravel())
    _, labels = connected_components(coo_array(entries, shape=(n, n)), directed=False)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse])


def _signed(value: Any, n: int, name: str) -> tuple[list[int], list[int]]:
    """A permutation and the rows that it reverses."""
    entry = as_list(name, value)
    if len(entry) == 2 and not isinstance(entry[0], (int, np.integer)):
        order = as_permutation(entry[0], n, f"{name}[0]")
        turned = as_list(f"{name}[1]", entry[1])
        if not all(isinstance(i, (int, np.integer)) and 0 <= i < n for i in turned):
            raise InputError(f"{name}[1] is {turned}; expected rows 0, .., {n - 1}.")
        return order, [int(i) for i in turned]
    return as_permutation(entry, n, name), []


def _of_cone(A: Arrangement) -> OrientedMatroid:
    return OrientedMatroid.from_matrix(cone(A).arrangement)


def _without_infinity(g: Isomorphism) -> Isomorphism:
    return Isomorphism(g.relabeling[:-1], g.reorientation)
