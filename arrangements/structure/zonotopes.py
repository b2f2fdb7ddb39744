"""Zonotopes: sums of segments, dual to central arrangements.

Vertices are sums over chambers, edges are pairs of neighboring chambers, and outer normals of
facets are rays: no convex hull is computed. In space, the polygon of a facet is a walk along its
edges.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import public_class
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.hyperplane import canonical
from arrangements.core.rows import rows_and_offsets
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError
from arrangements.exact import numbers
from arrangements.exact.coercion import as_exact_matrix, as_floats
from arrangements.exact.linear import determinant_sign, gcd_of_minors, nullspace
from arrangements.files.atomic import atomic_write
from arrangements.forecast.hours import check_hours
from arrangements.structure.chamber_graphs import chamber_edges
from arrangements.structure.face_numbers import f_vector
from arrangements.structure.minors import SETS_PER_SECOND, sum_of_minors
from arrangements.structure.points import rays

if TYPE_CHECKING:
    from sympy import Poly

    from arrangements.sets.sign_vectors import SignVectors


@public_class
class Mesh(NamedTuple):
    """Triangles of a surface, as trimesh and others take them.

    Attributes
    ----------
    vertices : (m, 3) ndarray of float64
        Rounded to the nearest floats.
    faces : (t, 3) ndarray of int64
        Numbers of vertices, counterclockwise seen from outside.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]


def zonotope(W: ArrangementLike) -> Zonotope:
    """Zonotope of the rows of a matrix: the sum of the segments from 0 to w_i.

    Its vertices correspond to the chambers of the arrangement ``W @ x = 0``, its faces of dimension
    k to the faces of dimension d - k: it is dual to the arrangement.

    Parameters
    ----------
    W : (n, d) array_like of int, float or Fraction, or central Arrangement
        One segment per row; zero rows add nothing. A float counts as the dyadic number it is.

    Returns
    -------
    Zonotope
        Nothing is computed before it is asked for.

    Raises
    ------
    InputError
        If W is not a matrix of finite exact numbers, or is an arrangement with offsets.

    References
    ----------
    .. [1] G. M. Ziegler, Lectures on Polytopes, Springer 1995, chapter 7.

    Examples
    --------
    >>> Z = zonotope([[1, 0], [0, 1], [1, 1]])
    >>> Z
    Zonotope(3 segments in dimension 2)
    >>> sorted(Z.vertices.tolist()), Z.f_vector(), Z.volume, Z.n_lattice_points
    ([[0, 0], [0, 1], [1, 0], [1, 2], [2, 1], [2, 2]], (6, 6, 1), Fraction(3, 1), 7)
    """
    rows, offsets = rows_and_offsets(W, None, compared=False)
    if offsets is not None and offsets.any():
        raise InputError(f"W is {W!r}; expected a central one. Pass its cone, A.cone().")
    return Zonotope(numbers.read_only(as_exact_matrix(rows, "W", allow_no_rows=True)))


@public_class
@dataclass(frozen=True, eq=False, repr=False)
class Zonotope:
    """Sum of segments, immutable; made by `zonotope`.

    Attributes
    ----------
    segments : (n, d) ndarray, read-only
        Their ends; they begin at 0.
    """

    segments: numbers.ExactArray

    def __repr__(self) -> str:
        noun = "segment" if len(self.segments) == 1 else "segments"
        return f"Zonotope({len(self.segments)} {noun} in dimension {self.dimension})"

    @property
    def dimension(self) -> int:
        """Dimension of the space, d."""
        return self.segments.shape[1]

    @property
    def rank(self) -> int:
        """Dimension of the zonotope."""
        return self._arrangement.rank

    @cached_property
    def chambers(self) -> SignVectors:
        """Chambers of the arrangement without zero rows: vertex i belongs to chamber i."""
        return chambers(self._arrangement)

    @cached_property
    def vertices(self) -> numbers.ExactArray:
        """Vertices: the sum of the rows with sign +, for each chamber; (m, d), exact.

        Integers (int64 or, where these do not fit, int) if all segments are integer, otherwise
        Fractions and numbers of a field.
        """
        integers, common = self._integers
        plus = self.chambers.to_array() > 0
        table = np.array(integers, dtype=object).reshape(len(integers), self.dimension)
        small = not self._is_irrational and int(np.abs(table).sum()) < 2**63
        dtype = np.int64 if small else object
        found = plus.astype(dtype) @ table.astype(dtype)
        if common > 1:
            found = found.astype(object) * Fraction(1, common)
        return numbers.read_only(found)

    @property
    def edges(self) -> NDArray[np.int64]:
        """Edges: pairs of numbers of vertices, (m, 2)."""
        return chamber_edges(self.chambers).edges

    @cached_property
    def _directions(self) -> list[tuple[int, ...]]:
        """Outer normals of the facets; if the rank is less than d, in the span of some columns."""
        return list(rays(self._arrangement))

    @cached_property
    def inequalities(self) -> tuple[numbers.ExactArray, numbers.ExactArray]:
        """``(A, c)`` with a row for each facet: ``A @ x <= c`` on the zonotope, = on the facet.

        Rows of A are primitive integers. If the rank is less than d, the zonotope is what fulfils
        these and the `equations`.
        """
        normals = np.array(self._directions, dtype=object)
        values = map(self._values, self._directions)
        heights = [sum((value for value in row if value > 0), Fraction(0)) for row in values]
        shape = (len(heights), self.dimension)
        return normals.reshape(shape), np.array(heights, dtype=object)

    @cached_property
    def equations(self) -> numbers.ExactArray:
        """Rows e with ``E @ x == 0`` on the zonotope: independent, d - rank of them.

        They cut out its span; there are none if the rank is d. A point is in the zonotope if it
        fulfils these and the `inequalities`. Rows are primitive integers, whose first one that is
        not zero is positive.

        Examples
        --------
        >>> Z = zonotope([[1, 0, 0], [0, 1, 0]])
        >>> Z.equations.tolist()
        [[0, 0, 1]]
        >>> A, c = Z.inequalities
        >>> x = np.array([1, 1, 99])
        >>> bool((A @ x <= c).all()), bool((Z.equations @ x == 0).all())
        (True, False)
        """
        rows = [canonical(row) for row in nullspace(self._integers[0], self.dimension)]
        return np.array(rows, dtype=object).reshape(-1, self.dimension)

    def _values(self, y: tuple[int, ...]) -> list[Fraction]:
        """``w @ y`` for the rows that are not zero."""
        pairs = (zip(row, y, strict=True) for row in self._exact)
        return [sum((a * b for a, b in row), Fraction(0)) for row in pairs]

    @cached_property
    def facets(self) -> tuple[tuple[int, ...], ...]:
        """Facets, as in `inequalities`: the numbers of their vertices.

        Ascending; in space (rank 3 and d = 3) counterclockwise seen from outside.
        """
        signs = self.chambers.to_array().astype(np.float64)
        found = []
        for y in self._directions:
            sides = np.array([(value > 0) - (value < 0) for value in self._values(y)], np.float64)
            vertices = np.flatnonzero(signs @ sides == np.abs(sides).sum()).tolist()
            found.append(tuple(self._around(vertices, y) if self._in_space else vertices))
        return tuple(found)

    @property
    def _in_space(self) -> bool:
        return self.rank == self.dimension == 3

    @cached_property
    def _neighbors(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(len(self.chambers))]
        for i, j in self.edges.tolist():
            found[i].append(j)
            found[j].append(i)
        return found

    def _around(self, members: list[int], normal: tuple[int, ...]) -> list[int]:
        """Vertices of a polygon in circular order, counterclockwise seen against the normal."""
        inside = set(members)
        path = [members[0], next(j for j in self._neighbors[members[0]] if j in inside)]
        while len(path) < len(members):
            path.append(next(j for j in self._neighbors[path[-1]] if j in inside and j != path[-2]))
        corners = self.vertices.astype(object) * self._integers[1]
        sides = [corners[path[k + 1]] - corners[path[k]] for k in range(2)]
        rows = [numbers.primitive(list(row)) for row in (*sides, normal)]
        return path if determinant_sign(rows) > 0 else path[::-1]

    def f_vector(self) -> tuple[int, ...]:
        """Numbers of faces of dimension 0, .., rank."""
        return tuple(f_vector(self._arrangement)[::-1][: self.rank + 1])

    @cached_property
    def volume(self) -> Fraction:
        """Volume: the sum of the absolute values of the d x d minors; 0 for a rank below d."""
        common = self._integers[1]
        return numbers.quotient(
            sum_of_minors(self._integers[0], self.dimension), common**self.dimension
        )

    @cached_property
    def ehrhart_polynomial(self) -> Poly:
        """Ehrhart polynomial of a zonotope of integer segments: lattice points of its multiples.

        The value at a positive integer t is the number of integer points in t times the zonotope:
        the sum of ``g(X) t^|X|`` over the independent sets X of segments, where g is the greatest
        common divisor of the maximal minors [1]_.

        References
        ----------
        .. [1] R. P. Stanley, in: Applied Geometry and Discrete Mathematics, DIMACS Ser. 4 (1991)
           555-570.

        Examples
        --------
        >>> zonotope([[1, 1], [1, -1]]).ehrhart_polynomial
        Poly(2*t**2 + 2*t + 1, t, domain='ZZ')
        """
        from sympy import Poly, Symbol  # loads slowly

        if self._integers[1] > 1 or self._is_irrational:
            raise InputError("some segments are not integer; expected integer ends.")
        sums = [self._index_sum(k) for k in range(self.rank + 1)]
        return Poly(sums[::-1], Symbol("t"))

    @property
    def n_lattice_points(self) -> int:
        """Number of integer points, of a zonotope of integer segments."""
        return int(self.ehrhart_polynomial.eval(1))

    def halfspaces(self) -> NDArray[np.float64]:
        """`inequalities` as SciPy takes them: rows ``(a, -c)`` of floats with ``a @ x - c <= 0``.

        For ``scipy.spatial.HalfspaceIntersection``; rounded to the nearest floats. Each of the
        `equations` adds two rows.
        """
        normals, heights = self.inequalities
        normals = np.concatenate([normals, self.equations, -self.equations])
        heights = np.concatenate([heights, np.zeros(2 * len(self.equations), object)])
        return np.column_stack([as_floats(normals, "normals"), 0.0 - as_floats(heights, "heights")])

    def mesh(self) -> Mesh:
        """Triangles of the surface, in space; ``trimesh.Trimesh(*Z.mesh())`` is the solid.

        Raises
        ------
        InputError
            If the zonotope is not three-dimensional in a space of dimension 3.

        Examples
        --------
        >>> mesh = zonotope([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).mesh()
        >>> mesh.vertices.shape, mesh.faces.shape
        ((8, 3), (12, 3))
        """
        self._check_space()
        fans = [(f[0], f[k], f[k + 1]) for f in self.facets for k in range(1, len(f) - 1)]
        return Mesh(as_floats(self.vertices, "vertices"), np.array(fans, np.int64))

    def write_off(self, path: str | os.PathLike[str]) -> None:
        """Write the polygons to a file in the object file format (OFF), in space.

        Parameters
        ----------
        path : str or path-like
            Coordinates are rounded to the nearest floats.

        Raises
        ------
        InputError
            As `mesh`, or if the file cannot be written.
        """
        self._check_space()
        with atomic_write(path) as stream:
            stream.write("".join(f"{line}\n" for line in self._off_lines()).encode())

    def _off_lines(self) -> Iterator[str]:
        yield "OFF"
        yield f"{len(self.vertices)} {len(self.facets)} {len(self.edges)}"
        for vertex in as_floats(self.vertices, "vertices").tolist():
            yield " ".join(map(repr, vertex))
        for facet in self.facets:
            yield " ".join(map(str, (len(facet), *facet)))

    def _check_space(self) -> None:
        if not self._in_space:
            raise InputError(
                f"the zonotope has dimension {self.rank} in R^{self.dimension}; expected dimension "
                "3 in R^3."
            )

    @cached_property
    def _exact(self) -> list[tuple[Fraction, ...]]:
        """Segments that are not zero."""
        return [row for row in map(numbers.fractions, self.segments) if any(row)]

    @cached_property
    def _arrangement(self) -> Arrangement:
        """The hyperplanes orthogonal to the segments that are not zero."""
        return Arrangement(self.segments[[any(row) for row in self.segments.tolist()]])

    @property
    def _is_irrational(self) -> bool:
        return numbers.field_of_array(self.segments) is not None

    @cached_property
    def _integers(self) -> tuple[list[list[Any]], int]:
        """Segments that are not zero times a common denominator, and that."""
        return numbers.times_common_denominator(self._exact)

    def _index_sum(self, size: int) -> int:
        """Sum over sets of so many integer rows: the greatest common divisors of their minors."""
        rows, _ = self._integers
        if size == self.dimension:
            return int(sum_of_minors(rows, size))
        what = f"summing over the sets of {size} of {len(rows)} segments"
        check_hours(what, comb(len(rows), size), SETS_PER_SECOND)
        return sum(map(gcd_of_minors, combinations(rows, size)))
