"""Exact points of the smallest faces, the face of a point, and one chamber as a polyhedron."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.core.alignment import align_columns, column_names
from arrangements.core.arrangement import (
    Arrangement,
    ArrangementLike,
    append_column,
    as_arrangement,
    coerce_with_zero_rows,
    unify_fields_with,
)
from arrangements.core.signs import as_signs, sign_text
from arrangements.errors import InputError
from arrangements.exact import coercion, linear, numbers
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import primitive
from arrangements.feasibility.one_sign_vector import feasible
from arrangements.sets.packed import Signs
from arrangements.structure.coordinates import essentialization

Point = tuple[Fraction, ...]
Direction = tuple[int, ...]


def vertices(
    W: ArrangementLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> list[Point]:
    """Exact points of the faces of dimension 0, where hyperplanes meet in a single point.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros: a central arrangement, whose only vertex, if it has one, is the origin.
    rank : int, optional
        As in `chambers`: an integer gives points in the coordinates of the factor.

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

    Without vertices, a point of each face of least dimension:

    >>> from arrangements.structure import essentialization
    >>> E = essentialization([[1, -1], [1, -1]], [0, -1])
    >>> [tuple(map(str, E.to_original(point))) for point in vertices(E.arrangement)]
    [('0', '0'), ('1', '0')]
    """
    from arrangements.structure.intersections import flats  # loads numba

    arrangement = as_arrangement(W, offsets, rank)
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


@public_class
@dataclass(frozen=True, eq=False)
class ChamberPolyhedron:
    """The closure of a chamber, as a polyhedron: see `chamber_polyhedron`.

    It consists of the sums of a convex combination of the vertices, non-negative multiples of the
    rays, and multiples of the lines.

    Attributes
    ----------
    signs : (n,) ndarray of int8
        Sign vector of the chamber.
    walls : tuple of int
        Rows that carry a facet; of rows that coincide only the first.
    vertices : list of tuple of Fraction
        If there are lines, a point of each face of least dimension.
    rays : list of tuple of int
        Extreme directions of the recession cone, modulo the lines; coprime integers.
    lines : list of tuple of int
        A basis of the directions that all hyperplanes contain.
    arrangement : Arrangement

    Examples
    --------
    >>> P = chamber_polyhedron([[1, 0], [0, 1], [1, 1]], "++-", offsets=[0, 0, -1])
    >>> P.walls, P.is_bounded, P.is_simplicial
    ((0, 1, 2), True, True)
    >>> [tuple(map(str, point)) for point in P.vertices]
    [('0', '0'), ('0', '1'), ('1', '0')]
    """

    signs: Signs
    walls: tuple[int, ...]
    vertices: list[Point]
    rays: list[Direction]
    lines: list[Direction]
    arrangement: Arrangement

    @property
    def is_bounded(self) -> bool:
        """Whether it is bounded in the essentialization."""
        return not self.rays

    @property
    def is_simplicial(self) -> bool:
        """Whether it is a simplicial cone, or a simplex, in the essentialization."""
        return len(self.walls) == self.arrangement.rank + self.is_bounded * (len(self.walls) > 0)

    @property
    def inequalities(self) -> tuple[NDArray[np.object_], NDArray[np.object_]]:
        """Integers A, (k, d), and c, (k,): points x with ``A @ x <= c``, a row for each wall."""
        rows = [self.arrangement.integer_rows[i] for i in self.walls]
        table = np.array(rows, object).reshape(len(rows), self.arrangement.dimension + 1)
        table = table * self.signs[list(self.walls)].astype(object)[:, None]
        return -table[:, :-1], table[:, -1]

    def __repr__(self) -> str:
        nouns = [("vertex", "vertices"), ("ray", "rays"), ("line", "lines")]
        counts = (len(self.vertices), len(self.rays), len(self.lines))
        named = [f"{k} {noun[k != 1]}" for noun, k in zip(nouns, counts, strict=True)]
        return f"ChamberPolyhedron({len(self.walls)} walls, {', '.join(named)})"


def chamber_polyhedron(
    W: ArrangementLike,
    chamber: ArrayLike | str,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
) -> ChamberPolyhedron:
    """One chamber as a polyhedron: its walls, vertices, rays and lines.

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
    ChamberPolyhedron

    Raises
    ------
    InputError
        If it is not the sign vector of a chamber.
    TooLargeError
        If the intersections of its walls do not fit.

    See Also
    --------
    walls, neighbors : of all chambers, which are listed.

    Notes
    -----
    Exact, without listing chambers. A hyperplane is a wall if the sign vector that differs there
    occurs: n questions of `feasible`. Vertices and rays are those of the arrangement of the walls
    that are on the right side of all walls.

    Examples
    --------
    >>> P = chamber_polyhedron([[1, 0], [0, 1], [1, 1]], "+++", offsets=[0, 0, -1])
    >>> P, P.rays
    (ChamberPolyhedron(3 walls, 2 vertices, 2 rays, 0 lines), [(0, 1), (1, 0)])
    """
    A = as_arrangement(W, offsets, rank)
    signs = as_signs(chamber, A.n_hyperplanes, A.labels)
    if not signs.all() or not feasible(A, signs).feasible:
        raise InputError(
            f"chamber is {sign_text(signs)[:60]}, which is the sign vector of no chamber."
        )
    walls = walls_of(A, signs)
    bounding = Arrangement(A.normals[walls], None if A.offsets is None else A.offsets[walls])
    E = essentialization(bounding)
    own = signs[walls].tolist()
    rows = E.arrangement.integer_rows
    corners = vertices(E.arrangement) if E.arrangement.dimension else [()]
    points = [p for p in corners if _on_sides(rows, own, (*p, 1))]
    normals = Arrangement(E.arrangement.normals)
    directions = [v for v in rays(normals) if _on_sides(rows, own, (*v, 0))]
    shift = E.to_original([0] * E.arrangement.dimension)
    moved = [
        tuple(primitive([a - b for a, b in zip(E.to_original(v), shift, strict=True)]))
        for v in directions
    ]
    lines = linear.nullspace([row[:-1] for row in bounding.integer_rows], A.dimension)
    return ChamberPolyhedron(
        signs,
        tuple(walls),
        sorted(E.to_original(p) for p in points),
        sorted(moved),
        sorted(map(tuple, lines)),
        A,
    )


def walls_of(A: Arrangement, signs: Signs) -> list[int]:
    """Rows that carry a facet of a chamber, the first of those that coincide.

    Examples
    --------
    >>> walls_of(Arrangement([[1, 0], [0, 1], [1, 1]]), np.array([1, 1, 1], np.int8))
    [0, 1]
    """
    found = []
    for group in A.coincident_classes:
        flipped = signs.copy()
        flipped[list(group)] *= -1
        if feasible(A, flipped).feasible:
            found.append(group[0])
    return found


def _on_sides(
    rows: Sequence[Sequence[int]], signs: Sequence[int], point: Sequence[int | Fraction]
) -> bool:
    return all(
        sign * sum(a * x for a, x in zip(row, point, strict=True)) >= 0
        for row, sign in zip(rows, signs, strict=True)
    )
