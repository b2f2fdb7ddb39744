"""Exact points of the smallest faces, the face of a point, and one chamber as a polyhedron."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.certificates.one_sign_vector import feasible
from arrangements.checks import check_flag
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import align_columns, column_names
from arrangements.core.questions import as_arrangement, coerce_with_zero_rows, unify_fields_with
from arrangements.core.signs import as_signs, sign_text
from arrangements.errors import InputError
from arrangements.exact import coercion, linear, numbers
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import append_column
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.sets.packed import Signs

Point = tuple[Fraction, ...]
Direction = tuple[int, ...]


def vertices(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    exclude_sandwiched: bool = False,
) -> list[Point]:
    """Exact points of the faces of dimension 0, where hyperplanes meet in a single point.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement, whose only vertex, if it has one, is the origin.
    rank : int, optional
        As in `chambers`: an integer gives points in the coordinates of the factor.
    exclude_sandwiched : bool
        Leave out hyperplanes between two parallel ones; the convex hull stays the same.

    Returns
    -------
    list of tuple of Fraction
        One point for each flat of rank d, in the order of ``flats(W, offsets).of_rank(d)``: in all
        ``f_vector(W, offsets)[0]`` points. There are none if the rank is less than d; then ask for
        those of the essentialization, as below.

    See Also
    --------
    rays : the directions of the unbounded edges.
    sign_vector_at : the sign vector of a point.

    Notes
    -----
    Exact: one rational linear system for each vertex.

    Examples
    --------
    >>> [tuple(map(str, point)) for point in vertices([[1, 0], [0, 2], [1, 1]], [0, -1, -1])]
    [('0', '1/2'), ('0', '1'), ('1/2', '1/2')]

    >>> len(vertices([[1, 0], [1, 0], [1, 0], [0, 1]], [0, -1, -2, 0], exclude_sandwiched=True))
    2

    Without vertices, a point of each face of least dimension:

    >>> from arrangements.structure import essentialization
    >>> E = essentialization([[1, -1], [1, -1]], [0, -1])
    >>> [tuple(map(str, E.to_original(point))) for point in vertices(E.arrangement)]
    [('0', '0'), ('1', '0')]
    """
    from arrangements.structure.intersections import flats  # loads numba

    arrangement = as_arrangement(W, offsets, rank)
    if check_flag("exclude_sandwiched", exclude_sandwiched):
        arrangement = arrangement[_outermost(arrangement)]
    if arrangement.rank < arrangement.dimension:
        return []
    if arrangement.is_central:
        return [(Fraction(0),) * arrangement.dimension]
    rows = arrangement.integer_rows
    found = []
    for flat in flats(arrangement).of_rank(arrangement.rank):
        members = [rows[i] for i in flat] or [[0] * (arrangement.dimension + 1)]
        point = linear.solve([row[:-1] for row in members], [-row[-1] for row in members])
        assert point is not None
        found.append(point)
    return found


def _outermost(A: Arrangement) -> list[int]:
    """Rows that are not between two parallel ones: at most two of each class."""
    kept: list[int] = []
    for group in A.parallel_classes:
        pivot = next(k for k, e in enumerate(A.integer_rows[group[0]]) if e)
        places = {
            i: numbers.quotient(A.integer_rows[i][-1], A.integer_rows[i][pivot]) for i in group
        }
        kept += {min(group, key=places.__getitem__), max(group, key=places.__getitem__)}
    return sorted(kept)


def rays(
    W: ArrangementLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> list[Direction]:
    """Directions of the unbounded edges of the essentialization: the cocircuits of the normals.

    Parameters
    ----------
    W, offsets, rank
        As in `vertices`. Offsets do not matter.

    Returns
    -------
    list of tuple of int
        Primitive vectors, each followed by its negation. If the rank is less than d, faces contain
        lines: the directions are modulo these lines, and coordinates that the hyperplanes leave
        free are 0.

    See Also
    --------
    OrientedMatroid.cocircuits, iter_faces : their sign vectors.

    Notes
    -----
    Exact: one null vector for each flat of rank r - 1 of the normals.

    Examples
    --------
    >>> rays([[1, 0], [0, 1], [1, 1]])
    [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)]
    """
    from arrangements.structure.intersections import flats  # loads numba

    arrangement = as_arrangement(W, offsets, rank)
    r, d = arrangement.rank, arrangement.dimension
    if r == 0:
        return []
    used = [i for i in range(len(arrangement)) if i not in set(arrangement.loops)]
    rows = [arrangement.integer_rows[i][:-1] for i in used]
    columns = linear.column_basis(rows)
    essential = [[row[c] for c in columns] for row in rows]
    lines = flats(Arrangement(essential), max_rank=r - 1).of_rank(r - 1)
    found = []
    for line in lines:
        vector = linear.null_vector([essential[i] for i in line], r)
        assert vector is not None
        direction = [0] * d
        for c, entry in zip(columns, vector, strict=True):
            direction[c] = entry
        lead = next(entry for entry in direction if entry)
        plus = tuple(entry if lead > 0 else -entry for entry in direction)
        found += [plus, tuple(-entry for entry in plus)]
    return found


def sign_vector_at(
    W: ArrangementLike, point: ArrayLike, *, offsets: ArrayLike | None = None
) -> Signs:
    """Exact sign vector of a point, or of each of several points.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    point : (d,) or (m, d) array_like of the same kinds of numbers
        A float counts as the exact dyadic number it is.
    offsets : (n,) array_like, optional
        Default zeros.

    Returns
    -------
    (n,) or (m, n) ndarray of int8
        Entry i is the side of hyperplane i, or 0 on it. Without zeros it is the sign vector of the
        chamber that contains the point, else of the face.

    Raises
    ------
    InputError
        If `point` has another number of coordinates, or is not finite.

    Examples
    --------
    >>> sign_vector_at([[1, 0], [0, 1], [1, 1]], [0.5, -0.5])
    array([ 1, -1,  0], dtype=int8)
    """
    arrangement = coerce_with_zero_rows(W, offsets)
    point = align_columns(point, column_names(arrangement), "point", "columns of W")
    single = coercion.plain_array(point, "point").ndim == 1
    points = coercion.as_exact_matrix(
        [point] if single else point,  # type: ignore[arg-type]
        "point",
        allow_no_rows=True,
        allow_no_columns=True,
    )
    if points.shape[1] != arrangement.dimension:
        raise InputError(
            f"point has {points.shape[1]} coordinates; expected {arrangement.dimension}."
        )
    signs = _signs(*unify_fields_with(arrangement, points))
    return signs[0] if single else signs


def _signs(arrangement: Arrangement, points: NDArray[Any]) -> Signs:
    """Signs of all rows at all points, (m, n)."""
    from flint import fmpz_mat  # type: ignore[import-not-found, unused-ignore]

    shape = len(points), arrangement.n_hyperplanes
    if 0 in shape:
        return np.zeros(shape, np.int8)
    # rows and points are scaled by positive numbers
    homogeneous = numbers.integer_rows(append_column(points, np.ones(len(points), np.int64)))
    rows = arrangement.integer_rows
    if field_of_rows([*homogeneous, *rows]) is not None:
        found = linear.matrix_product(homogeneous, list(zip(*rows, strict=True)))
        return np.array([[(v > 0) - (v < 0) for v in row] for row in found], np.int8)
    values = fmpz_mat(homogeneous) * fmpz_mat(rows).transpose()
    return np.array([(v > 0) - (v < 0) for v in values.entries()], np.int8).reshape(shape)


def chamber_polyhedron(
    W: ArrangementLike,
    chamber: ArrayLike | str,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
) -> Polyhedron:
    """The closure of one chamber as a polyhedron: its walls, vertices, rays and lines.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    chamber : sign vector
        A sequence, string or mapping of labels.
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement.
    rank : int, optional
        As in `chambers`.

    Returns
    -------
    Polyhedron
        Its inequality i is that of row i, ``-chamber[i] * W[i] @ x <= chamber[i] * offsets[i]``:
        ``facets`` are the walls.

    Raises
    ------
    InputError
        If it is not the sign vector of a chamber.

    See Also
    --------
    walls, neighbors : of all chambers, which are listed.

    Examples
    --------
    >>> P = chamber_polyhedron([[1, 0], [0, 1], [1, 1]], "+++", offsets=[0, 0, -1])
    >>> P.facets, P.rays
    ((0, 1, 2), [(0, 1), (1, 0)])
    >>> [tuple(map(str, point)) for point in P.vertices]
    [('0', '1'), ('1', '0')]
    """
    A = as_arrangement(W, offsets, rank)
    signs = as_signs(chamber, A.n_hyperplanes, A.labels)
    if not signs.all() or not feasible(A, signs).feasible:
        raise InputError(
            f"chamber is {sign_text(signs)[:60]}, which is the sign vector of no chamber."
        )
    b = np.zeros(len(signs), np.int64) if A.offsets is None else A.offsets
    opposite = numbers.negative(A.normals), numbers.negative(b)
    return Polyhedron(
        np.where(signs[:, None] > 0, opposite[0], A.normals.astype(opposite[0].dtype)),
        np.where(signs > 0, b.astype(opposite[1].dtype), opposite[1]),
    )


def point_off(rows: Sequence[Sequence[Any]], d: int) -> tuple[int, ...]:
    """A point on none of the hyperplanes, on the moment curve.

    Examples
    --------
    >>> point_off([[1, -1], [2, -1]], 2)
    (1, 3)
    """
    curve = (tuple(k**i for i in range(d)) for k in count(1))
    return next(
        point
        for point in curve
        if all(sum(a * c for a, c in zip(row, point, strict=True)) for row in rows)
    )
