"""A convex polyhedron given by inequalities and equations, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from numbers import Number
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.addresses import public_class
from arrangements.checks import check_instance, check_integer
from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    as_objects,
    fractions,
    integer_rows,
    primitive,
    unify_fields,
)
from arrangements.messages import quote
from arrangements.polyhedra.double_description import Cone, cone_of
from arrangements.polyhedra.inequalities import Inequalities, Point
from arrangements.polyhedra.reduction import (
    Reduction,
    restrict_rows,
)
from arrangements.polyhedra.volumes import triangulation_of

Direction = tuple[int, ...]


@public_class
class Polyhedron(Inequalities):
    """The points x with ``A @ x <= c`` and, if there are equations, ``E @ x == f``; immutable.

    Numbers count as what they are: a float is a dyadic number. Everything is decided exactly.
    Questions of emptiness, dimension and facets solve linear programs, one for each row at most;
    vertices and rays come from the double description method, which takes as long as there are
    many of them.

    Parameters
    ----------
    A : (m, d) array_like of int, float, Fraction or SymPy number
        A row of zeros is allowed. A and c may be left out if there are equations.
    c : (m,) array_like
    equations : (E, f), optional
        (k, d) and (k,) array_like.

    Attributes
    ----------
    inequalities : (A, c)
        The exact numbers given, (m, d) and (m,) read-only arrays.
    equations : (E, f)
        (k, d) and (k,) read-only arrays; k = 0 if none were given.

    Raises
    ------
    InputError
        Wrong shape, NaN, infinite or complex input.

    Examples
    --------
    >>> P = Polyhedron([[-1, 0], [0, -1], [1, 1], [1, 2]], [0, 0, 1, 4])
    >>> P, P.dimension, P.facets
    (Polyhedron(4 inequalities in dimension 2), 2, (0, 1, 2))
    >>> [tuple(map(str, point)) for point in P.vertices]
    [('0', '0'), ('0', '1'), ('1', '0')]
    """

    # ------------------------------------------------------------------ by other means

    @classmethod
    def box(cls, low: ArrayLike, high: ArrayLike, *, dimension: int | None = None) -> Polyhedron:
        """The box ``low <= x <= high``.

        Parameters
        ----------
        low, high : (d,) array_like, or numbers
            -inf and inf, of any type, or None leave a side open.
        dimension : int, optional
            d, where both are numbers.

        Examples
        --------
        >>> Polyhedron.box(-1, 1, dimension=3)
        Polyhedron(6 inequalities in dimension 3)
        >>> Polyhedron.box([0, 0], [1, np.inf]).is_bounded
        False
        """
        ends = [np.asarray(end, object) for end in (low, high)]
        sizes = {end.size for end in ends if end.ndim == 1}
        if dimension is not None:
            sizes.add(check_integer("dimension", dimension, 1))
        if len(sizes) != 1 or any(end.ndim > 1 for end in ends):
            raise InputError(
                f"low is {quote(low)} and high is {quote(high)}; expected vectors of one length, "
                "or two numbers and dimension=."
            )
        (d,) = sizes
        rows, bounds = [], []
        sides: list[list[Any]] = [[] for _ in range(d)]
        for name, end, sign in zip(("low", "high"), ends, (-1, 1), strict=True):
            for j, entry in enumerate(np.broadcast_to(end, d).tolist()):
                numeric = isinstance(entry, Number)
                if entry is None or (numeric and entry == sign * np.inf):
                    continue
                exact = as_exact_vector([entry], 1, name)
                rows.append([sign * int(k == j) for k in range(d)])
                bounds.append(sign * exact.tolist()[0])
                sides[j].append((fractions(exact)[0], sign))
        found = cls(np.array(rows, np.int64).reshape(-1, d), np.array(bounds, object))
        for j, side in enumerate(sides):
            if len(side) == 2 and side[0][0] > side[1][0]:
                raise InputError(
                    f"low is {quote(low)} and high is {quote(high)}, so that low > high for x_{j}; "
                    "expected low <= high."
                )
        if all(len(side) < 2 or side[0][0] < side[1][0] for side in sides):
            inner = [sum(x - sign for x, sign in side) / Fraction(len(side) or 1) for side in sides]
            basis = linear.nullspace([], d + 1)
            found.__dict__.update(  # no linear program is needed
                _reduction=Reduction(d, basis, tuple(inner), ()),
                is_bounded=all(len(side) == 2 for side in sides),
                facets=tuple(range(len(rows))),
            )
        return found

    @classmethod
    def simplex(cls, dimension: int) -> Polyhedron:
        """The standard simplex ``x >= 0``, ``sum(x) == 1`` in R^d: weights.

        Examples
        --------
        >>> P = Polyhedron.simplex(3)
        >>> P.dimension, len(P.vertices)
        (2, 3)
        """
        d = check_integer("dimension", dimension, 1)
        return cls(
            -np.eye(d, dtype=np.int64), np.zeros(d, int), equations=(np.ones((1, d), int), [1])
        )

    @classmethod
    def cone(cls, rays: ArrayLike, *, lines: ArrayLike = ()) -> Polyhedron:
        """The sums of non-negative multiples of rays and of multiples of lines.

        Parameters
        ----------
        rays, lines : (k, d) array_like

        Examples
        --------
        >>> Polyhedron.cone([[1, 0], [1, 1], [2, 1]]).rays
        [(1, 0), (1, 1)]
        """
        directions = as_exact_matrix(rays, "rays", allow_no_rows=True)
        d = directions.shape[1]
        return cls.hull(np.zeros((1, d), np.int64), rays=directions, lines=lines)

    @classmethod
    def hull(cls, points: ArrayLike, *, rays: ArrayLike = (), lines: ArrayLike = ()) -> Polyhedron:
        """The convex hull of points, moved along rays and lines.

        Parameters
        ----------
        points, rays, lines : (k, d) array_like
            At least one point.

        Returns
        -------
        Polyhedron
            One inequality for each facet.

        Examples
        --------
        >>> P = Polyhedron.hull([[0, 0], [1, 0], [0, 1], [0.25, 0.25]])
        >>> len(P.facets), P.volume
        (3, Fraction(1, 2))
        """
        corners = as_exact_matrix(points, "points")
        d = corners.shape[1]
        others = [
            _directions(values, name, d) for values, name in ((rays, "rays"), (lines, "lines"))
        ]
        corners, directions, free = unify_fields(corners, *others)
        rows = integer_rows(append_column(corners, np.ones(len(corners), np.int64)))
        rows += [[*row, 0] for row in integer_rows(directions)]
        for row in integer_rows(free):
            rows += [[*row, 0], [*(-entry for entry in row), 0]]
        dual = cone_of(rows, d + 1)
        facets = [ray for ray in dual.rays.tolist() if any(ray[:-1])]
        equal = [line for line in dual.lines if any(line[:-1])]
        A = np.array([[-entry for entry in ray[:-1]] for ray in facets], object).reshape(-1, d)
        E = np.array([line[:-1] for line in equal], object).reshape(-1, d)
        return cls(A, [ray[-1] for ray in facets], equations=(E, [-line[-1] for line in equal]))

    # ------------------------------------------------------------------ facts

    @cached_property
    def vertices(self) -> list[Point]:
        """The vertices, sorted; if there are lines, a point of each face of least dimension.

        Raises
        ------
        TooLargeError
            If there are millions of them, or of rays, on the way.
        """
        return sorted(
            tuple(Fraction(1) * x / ray[-1] for x in ray[:-1])
            for ray in self._cone.rays.tolist()
            if ray[-1] > 0 and not self.is_empty
        )

    @cached_property
    def rays(self) -> list[Direction]:
        """Extreme directions of the recession cone, modulo the lines; coprime integers, sorted."""
        found = [] if self.is_empty else self._cone.rays.tolist()
        return sorted(tuple(ray[:-1]) for ray in found if ray[-1] == 0)

    @cached_property
    def lines(self) -> list[Direction]:
        """A basis of the directions of the lines that it contains."""
        if self.is_empty:
            return []
        rows = [row[:-1] for row in self._homogeneous[0]] + [row[:-1] for row in self._equal[0]]
        return sorted(tuple(v) for v in linear.nullspace(rows, self.ambient_dimension))

    @cached_property
    def conic_hull(self) -> Polyhedron:
        """The closure of all non-negative multiples of its points; empty if it is.

        Where hyperplanes all pass through 0, those of its relative interior meet the same chambers.

        Examples
        --------
        >>> Polyhedron.simplex(2).conic_hull == Polyhedron.cone([[1, 0], [0, 1]])
        True
        """
        if self.is_empty:
            return self
        d = self.ambient_dimension
        if self.dimension == d and self.contains([0] * d, interior=True):
            return Polyhedron(np.zeros((0, d), np.int64), np.zeros(0, np.int64))
        rays = [point for point in (*self.vertices, *self.rays) if any(point)]
        return Polyhedron.cone(np.array(rays, object).reshape(-1, d), lines=self.lines)

    @cached_property
    def is_simplicial(self) -> bool:
        """Whether it is a simplex or a simplicial cone, modulo its lines."""
        free = self.dimension - len(self.lines)
        bounded = not self.rays and free > 0
        return len(self.facets) == free + bounded

    @cached_property
    def volume(self) -> Fraction:
        """The volume, exact; 0 if not of full dimension.

        Raises
        ------
        InputError
            If it is not bounded.

        Examples
        --------
        >>> Polyhedron.box(0, 0.5, dimension=3).volume
        Fraction(1, 8)
        """
        return self._mass[0]

    @cached_property
    def centroid(self) -> Point:
        """The center of mass, exact.

        Raises
        ------
        InputError
            If it is not bounded, or not of full dimension.

        Examples
        --------
        >>> [str(x) for x in Polyhedron.hull([[0, 0], [3, 0], [0, 3]]).centroid]
        ['1', '1']
        """
        volume, moments = self._mass
        if not volume:
            raise InputError(f"{self} has no volume; expected one of full dimension.")
        return tuple(moment / volume for moment in moments)

    def intersection(self, other: Polyhedron) -> Polyhedron:
        """The points of both, ``P & Q``: the inequalities of both, one after the other.

        Examples
        --------
        >>> P = Polyhedron.box(0, 2, dimension=1) & Polyhedron.box(1, 3, dimension=1)
        >>> [int(x) for (x,) in P.vertices]
        [1, 2]
        """
        check_instance("other", other, Polyhedron)
        if other.ambient_dimension != (d := self.ambient_dimension):
            raise InputError(f"other lies in dimension {other.ambient_dimension}; expected {d}.")
        parts = []
        both = (self.inequalities, other.inequalities), (self.equations, other.equations)
        for mine, theirs in both:
            rows = np.concatenate(
                [as_objects(append_column(*mine)), as_objects(append_column(*theirs))]
            )
            parts.append((rows[:, :-1], rows[:, -1]))
        return Polyhedron(*parts[0], equations=parts[1])

    @cached_property
    def cylinder(self) -> Polyhedron:
        """The points (x, t) with x in it and any t.

        Examples
        --------
        >>> Polyhedron.box([0], [1]).cylinder
        Polyhedron(2 inequalities in dimension 2)
        """
        (A, c), (E, f) = self.inequalities, self.equations
        return Polyhedron(append_column(A, None), c, equations=(append_column(E, None), f))

    def __and__(self, other: object) -> Polyhedron:
        return self.intersection(other) if isinstance(other, Polyhedron) else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Whether both are the same set of points, however they were given."""
        if not isinstance(other, Polyhedron):
            return NotImplemented
        if self.ambient_dimension != other.ambient_dimension or self.dimension != other.dimension:
            return False
        if self.is_empty:
            return True
        # equal numbers of different fields have different coefficients
        arrays = *self.inequalities, *self.equations, *other.inequalities, *other.equations
        A, c, E, f, B, b, G, g = same = unify_fields(*arrays)
        if all(new is old for new, old in zip(same, arrays, strict=True)):
            return self._canonical == other._canonical
        return Polyhedron(A, c, equations=(E, f)) == Polyhedron(B, b, equations=(G, g))

    def __hash__(self) -> int:
        return hash((self.ambient_dimension, self.dimension))

    # ------------------------------------------------------------------ how

    @cached_property
    def _cone(self) -> Cone:
        """The cone of all (t x, t), t >= 0, of which this is the part t = 1."""
        d = self.ambient_dimension
        if self.is_empty:
            return Cone(np.zeros((0, d + 1), np.int64), [], np.zeros((0, 0), np.bool_))
        rows = [self._homogeneous[0][j] for j in self.facets]
        rows.append([0] * d + [1])
        basis = self._reduction.basis
        found = cone_of(restrict_rows(rows, basis), len(basis))
        rays = [_combine(ray, basis) for ray in found.rays.tolist()]
        return found._replace(rays=np.array(rays, object).reshape(len(rays), d + 1))

    @cached_property
    def _canonical(self) -> tuple[Any, ...]:
        """Equations in reduced form, and the facets modulo these."""
        basis = self._reduction.basis
        hull = linear.nullspace(basis, self.ambient_dimension + 1)
        reduced, pivots = linear.reduced_rows(hull, self.ambient_dimension + 1)
        rows = []
        for j in self.facets:
            row = [Fraction(1) * entry for entry in self._homogeneous[0][j]]
            for equation, pivot in zip(reduced, pivots, strict=True):
                row = [a - row[pivot] * b for a, b in zip(row, equation, strict=True)]
            rows.append(tuple(primitive(row)))
        return tuple(map(tuple, reduced)), frozenset(rows)

    @cached_property
    def _mass(self) -> tuple[Fraction, list[Fraction]]:
        if not self.is_bounded:
            raise InputError(f"{self} is not bounded; expected one that is, which has a volume.")
        d = self.ambient_dimension
        if self.dimension < d:
            return Fraction(0), [Fraction(0)] * d
        return triangulation_of(self._cone.rays.tolist(), self._cone.tight[:, :-1], d)


def _directions(values: ArrayLike, name: str, d: int) -> ExactArray:
    if isinstance(values, (tuple, list)) and not values:  # it has no columns
        return np.zeros((0, d), np.int64)
    found = as_exact_matrix(values, name, allow_no_rows=True)
    if found.shape[1] != d:
        raise InputError(f"{name} has {found.shape[1]} columns; expected {d}, as the points have.")
    return found


def _combine(weights: Sequence[Any], basis: Sequence[Sequence[Any]]) -> list[Any]:
    return primitive([sum(map(mul, weights, column)) for column in zip(*basis, strict=True)])
