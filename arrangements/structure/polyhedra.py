"""One chamber as a polyhedron: walls, vertices, rays and lines, without listing the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.core.arrangement import Arrangement, ArrangementLike, as_arrangement
from arrangements.core.signs import as_signs, sign_text
from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.exact.numbers import primitive
from arrangements.feasibility.one_sign_vector import feasible
from arrangements.sets.packed import Signs
from arrangements.structure.coordinates import essentialization
from arrangements.structure.points import rays, vertices

Point = tuple[Fraction, ...]
Direction = tuple[int, ...]


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
