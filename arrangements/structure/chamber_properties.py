"""Properties of each chamber: its walls and neighbors, bounded or not, simplicial or not."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag
from arrangements.core.arrangement import Arrangement, MatroidLike
from arrangements.core.labels import name_rows
from arrangements.core.questions import as_arrangement, oriented_matroid_of, refuse_loops
from arrangements.core.signs import as_signs
from arrangements.counting.polynomials import betti_numbers, count_bounded
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.integer_image import norm_bits
from arrangements.polyhedra.inner_points import classes_inside
from arrangements.polyhedra.reading import Within, read_polyhedron
from arrangements.sets.packed import positions, union
from arrangements.structure import chamber_graphs, chamber_sets
from arrangements.structure.derived import restriction

Marks = NDArray[np.bool_]
Integers = NDArray[np.int64]


def walls(
    W: chamber_sets.ChambersLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    within: Within | None = None,
) -> NDArray[np.bool_]:
    """Which hyperplanes carry a facet of which chamber.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, OrientedMatroid or SignVectors
        Chambers are numbered as in ``chambers(W, offsets)``; pass the listed set to be sure of
        the numbers. The set must hold all chambers, since the chamber behind it shows a wall, or
        all that meet the polyhedron inside which it was listed, whose walls inside are meant then.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `chambers`; not with SignVectors, for which it is settled.
    within : Polyhedron, or (A, c), optional
        Only the chambers that meet it, as in `chambers`, and their walls that meet its relative
        interior; not with SignVectors.

    Returns
    -------
    (N, n) ndarray of bool
        Column i belongs to row i, and ``S.label_names`` of the set has the names of the columns. Of
        hyperplanes that coincide (inside a polyhedron, in its affine hull), all are walls or none
        is.

    Raises
    ------
    IncompleteError
        If the sign vectors given are not all chambers of their arrangement.

    See Also
    --------
    neighbors : of one chamber. simplicial_chambers : those with the fewest walls.
    chamber_edges : the pairs that share a wall.

    Notes
    -----
    Exact; see `chamber_edges`.

    Examples
    --------
    >>> from arrangements import chambers
    >>> S = chambers([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    >>> walls(S)[S.index("++-")].tolist(), walls(S)[S.index("--" + "-")].tolist()
    ([True, True, True], [True, True, False])
    """
    S = chamber_sets.list_all_chambers(W, offsets, rank, within, parts=True)
    marks = np.zeros((len(S), S.n), np.bool_)
    table = chamber_sets.ChamberTable(S)
    for edges, hyperplanes in chamber_graphs.edges_in_blocks(table):
        marks[edges, hyperplanes[:, None]] = True
    for members in table.members:
        if len(members) > 1:
            marks[:, members] = marks[:, members[:1]]
    return marks


class Neighbors(NamedTuple):
    """Chambers that share a wall with one, and the hyperplanes between; see `neighbors`."""

    numbers: Integers
    hyperplanes: chamber_graphs.Hyperplanes


def neighbors(
    W: chamber_sets.ChambersLike,
    chamber: int | ArrayLike | str,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    named: bool = False,
    within: Within | None = None,
) -> Neighbors:
    """Chambers that share a wall with one chamber.

    Parameters
    ----------
    W, offsets, rank, within
        As in `walls`.
    chamber : int, or sign vector
        Number of the chamber, or its signs as a sequence, string or mapping of labels.
    named : bool
        Whether hyperplanes are given by their names (text) instead of row numbers.

    Returns
    -------
    numbers : (k,) ndarray of int64
        First field of a named tuple.
    hyperplanes : (k,) ndarray of int64, or of str
        The hyperplane between, ascending by row; of those that coincide, the first.

    Examples
    --------
    >>> from arrangements import chambers
    >>> S = chambers([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    >>> numbers, hyperplanes = neighbors(S, "---")
    >>> S[numbers[0]].tolist(), hyperplanes.tolist()
    ([1, -1, -1], [0, 1])
    """
    named = check_flag("named", named)
    S = chamber_sets.list_chambers(W, offsets, rank, within)
    signs = chamber_graphs.base_signs(S, chamber)
    numbers, found = [], []
    for members in chamber_sets.ChamberTable(S).members:
        flipped = signs.copy()
        flipped[members] *= -1
        if flipped in S:
            numbers.append(S.index(flipped))
            found.append(members[0])
    hyperplanes = np.array(found, np.int64)
    walls_between = name_rows(hyperplanes, S.label_names) if named else hyperplanes
    return Neighbors(np.array(numbers, np.int64), walls_between)


def bounded_chambers(
    W: chamber_sets.ChambersLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> Marks:
    """Which chambers are relatively bounded: bounded in the essentialization, as in Sage.

    Parameters
    ----------
    W, offsets, rank
        As in `walls`.

    Returns
    -------
    (N,) ndarray of bool
        A central arrangement has none, except for the single chamber in rank 0; nor has an oriented
        matroid. (With element g at infinity, the bounded topes that are + at g are those without a
        cocircuit in their boundary that is 0 at g; the coefficient of x in `tutte_polynomial` is
        their number.)

    Raises
    ------
    InputError
        If the sign vectors given belong to no arrangement.

    See Also
    --------
    count_bounded : how many, without listing.

    Notes
    -----
    Exact. Let M exceed the size of every coordinate of a vertex, in r coordinates of the
    essentialization (Cramer's rule with Hadamard's bound). A chamber is unbounded iff it meets one
    of the 2 r hyperplanes ``x_j = M`` or ``x_j = -M``: it contains a ray, along which some
    coordinate grows beyond M, while a bounded chamber is the interior of the hull of vertices. So 2
    r arrangements of rank at most r - 1 are listed.

    Examples
    --------
    >>> int(bounded_chambers([[1, 0], [0, 1], [1, 1]], [0, 0, -1]).sum())
    1
    """
    S = chamber_sets.list_chambers(W, offsets, rank)
    if (matroid := oriented_matroid_of(W)) is not None:
        return np.full(len(S), matroid.rank == 0)
    arrangement = chamber_sets.arrangement_of(S, "boundedness")
    if arrangement.rank == 0:
        return np.ones(len(S), np.bool_)
    if arrangement.is_central:
        return np.zeros(len(S), np.bool_)
    far = [chambers_at(arrangement, j, side) for j in range(arrangement.rank) for side in (1, -1)]
    unbounded = reduce(union, far)
    return positions(S._full(), unbounded) < 0


def simplicial_chambers(
    W: chamber_sets.ChambersLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> Marks:
    """Which chambers are simplicial cones, or simplices, in the essentialization.

    Parameters
    ----------
    W, offsets, rank
        As in `walls`.

    Returns
    -------
    (N,) ndarray of bool
        Where r is the rank, these are the chambers with r walls, and the bounded ones with r + 1.
        (Chambers of the essentialization have a vertex, so r walls are independent.) Sage calls a
        region simplicial if the normals of its walls are independent, which excludes bounded
        simplices: that is ``simplicial_chambers(S) & ~bounded_chambers(S)``, if the rank is not 0.

    Examples
    --------
    >>> from arrangements import generators
    >>> bool(simplicial_chambers(generators.type_b(3)).all())
    True
    >>> simplicial_chambers([[1, 0], [0, 1], [1, 1]], [0, 0, -1]).sum()
    np.int64(4)
    """
    S = chamber_sets.list_chambers(W, offsets, rank)
    subject = oriented_matroid_of(W) or chamber_sets.arrangement_of(S, "being simplicial")
    if S.within is not None:
        raise InputError(
            "these sign vectors were listed inside a polyhedron; whole chambers are simplicial or "
            "not. Pass the arrangement itself, whose chambers are more."
        )
    number = walls(S)[:, chamber_sets.ChamberTable(S).leads].sum(axis=1)
    least = number == subject.rank
    # a set without an arrangement has the topes of an oriented matroid, which are cones
    return (
        least
        if S.arrangement is None
        else least | ((number == subject.rank + 1) & bounded_chambers(S))
    )


def is_simplicial(
    W: MatroidLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> bool:
    """Whether all chambers are simplicial cones, or simplices, in the essentialization.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, Arrangement or OrientedMatroid
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    bool

    See Also
    --------
    simplicial_chambers : which of them are. is_reflection : a stronger property.

    Notes
    -----
    Exact, without listing. A chamber has at least r walls, a bounded one r + 1, where r is the
    rank; it is simplicial if it has no more. All walls are counted by the chambers of the
    restrictions to the hyperplanes, twice each.

    Examples
    --------
    >>> from arrangements import generators
    >>> is_simplicial(generators.coxeter("E6")), is_simplicial(generators.resonance(4))
    (True, False)
    """
    if oriented_matroid_of(W, offsets, rank) is not None:
        return bool(simplicial_chambers(W).all())
    A = as_arrangement(W, offsets, rank)
    numbers = betti_numbers(A)
    least = A.rank * sum(numbers) + (count_bounded(A) if A.rank else 0)
    facets = 0
    for group in A.coincident_classes:
        facets += sum(betti_numbers(restriction(A, group[0]).arrangement))
        if 2 * facets > least:
            return False
    return 2 * facets == least


def chamber_distance(
    W: MatroidLike,
    first: ArrayLike | str,
    second: ArrayLike | str,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
) -> int:
    """Number of hyperplanes between two chambers; those that coincide count once.

    It is the least number of walls to cross on the way from one to the other.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement or OrientedMatroid
    first, second : sign vectors
        Sequences or strings. They are not checked to be chambers.
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `chambers`.
    within : Polyhedron, or (A, c), optional
        Count hyperplanes once that coincide in the affine hull of this polyhedron, which both
        chambers meet: the way inside it crosses them together.

    Returns
    -------
    int

    See Also
    --------
    chamber_distances : from one chamber to all others.

    Examples
    --------
    >>> chamber_distance([[1, 0], [0, 1], [2, 0]], "+++", "-+-")
    1
    """
    if (matroid := oriented_matroid_of(W, offsets, rank, within=within)) is not None:
        refuse_loops(matroid)
        n, labels = matroid.n, matroid.labels
    else:
        arrangement = as_arrangement(W, offsets, rank)
        n, labels = arrangement.n_hyperplanes, arrangement.labels
    a, b = (as_signs(signs, n, labels) for signs in (first, second))
    for name, signs in (("first", a), ("second", b)):
        if not signs.all():
            raise InputError(f"{name} has a zero: it is the sign vector of no chamber.")
    if matroid is not None:
        classes = matroid.parallel_classes
    elif within is None:
        classes = arrangement.coincident_classes
    else:
        classes = classes_inside(arrangement, read_polyhedron(within, arrangement))
    return sum(int(a[members[0]] != b[members[0]]) for members in classes)


def chamber_distances(
    W: chamber_sets.ChambersLike,
    base: int | ArrayLike | str,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
) -> Integers:
    """Number of hyperplanes between one chamber and every other; those that coincide count once.

    Parameters
    ----------
    W, offsets, rank, within
        As in `walls`.
    base : int, or sign vector
        Number of the base chamber, or its signs as a sequence or string.

    Returns
    -------
    (N,) ndarray of int64
        ``np.bincount`` of it is the rank generating function of `poset_of_chambers`.

    See Also
    --------
    chamber_distance : between two chambers, without listing.
    poset_of_chambers

    Examples
    --------
    >>> from arrangements import generators
    >>> np.bincount(chamber_distances(generators.braid(4), 0)).tolist()
    [1, 3, 5, 6, 5, 3, 1]
    """
    S = chamber_sets.list_chambers(W, offsets, rank, within)
    table = chamber_sets.ChamberTable(S)
    return chamber_graphs.distances(table, chamber_graphs.base_signs(S, base))


def chambers_at(arrangement: Arrangement, column: int, side: int) -> NDArray[np.uint64]:
    """Packed sign vectors of the chambers that meet a coordinate hyperplane beyond all vertices.

    column : which of the coordinates of the essentialization
    side : 1 or -1, for large or small values of it
    """
    rows = arrangement.integer_rows
    columns = linear.column_basis([row[:-1] for row in rows])
    rank = len(columns)
    # above each coordinate of a vertex: it is a quotient of two minors, and the lower one, or in a
    # field its norm, is an integer other than zero
    field = field_of_rows(rows)
    far = side << (linear.minor_bits(rows, rank) if field is None else norm_bits(rows, field, rank))
    fixed = columns[column]
    rest = [c for c in columns if c != fixed]
    # a column of zeros stands for the last coordinate of all
    normals = [[row[c] for c in rest] or [0] for row in rows]
    return chambers(Arrangement(normals, [row[-1] + far * row[fixed] for row in rows])).packed
