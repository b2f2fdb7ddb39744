"""A convex polyhedron given by inequalities and equations, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from numbers import Number
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import Immutable, public_class
from arrangements.checks import check_flag, check_instance, check_integer
from arrangements.errors import InputError
from arrangements.exact import linear
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, as_fractions, axes_of
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    as_objects,
    fractions,
    integer_rows,
    negative,
    primitive,
    read_only,
    stack_rows,
    unify_fields,
)
from arrangements.exact.products import product
from arrangements.messages import quote
from arrangements.polyhedra.containment import contained
from arrangements.polyhedra.double_description import Cone, cone_of
from arrangements.polyhedra.reduction import (
    Reduction,
    facets_of,
    is_bounded,
    reduction_of,
    restrict_rows,
    restricted_to,
    scaled_rows,
    weigh_implicit,
    why_redundant,
)
from arrangements.polyhedra.volumes import triangulation_of

Point = tuple[Fraction, ...]
Direction = tuple[int, ...]
System = tuple[ArrayLike, ArrayLike]


@public_class
class Polyhedron(Immutable):
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

    inequalities: tuple[ExactArray, ExactArray]
    equations: tuple[ExactArray, ExactArray]

    def __init__(
        self,
        A: ArrayLike | None = None,
        c: ArrayLike | None = None,
        *,
        equations: System | None = None,
    ) -> None:
        none = np.zeros(0, np.int64)
        if equations is not None:
            try:
                E, f = equations
            except (TypeError, ValueError):
                raise InputError(
                    f"equations is {quote(equations)}; expected a pair (E, f) of a matrix and a "
                    "vector."
                ) from None
            equal = as_exact_matrix(E, "E", allow_no_rows=True)
            values = as_exact_vector(f, len(equal), "f")
        if A is None and c is None and equations is not None:
            rows, bounds = none.reshape(0, equal.shape[1]), none
        elif A is None or c is None:
            raise InputError(
                f"{'A' if A is None else 'c'} is None; expected a matrix A and a vector c, for "
                "A @ x <= c, or only equations=(E, f)."
            )
        else:
            rows = as_exact_matrix(A, "A", allow_no_rows=True)
            bounds = as_exact_vector(c, len(rows), "c")
        if equations is None:
            equal, values = none.reshape(0, rows.shape[1]), none
        if equal.shape[1] != rows.shape[1]:
            raise InputError(
                f"E has {equal.shape[1]} columns and A has {rows.shape[1]}; expected the same "
                "number, the dimension of the space."
            )
        rows, bounds, equal, values = unify_fields(rows, bounds, equal, values)
        self.__dict__["inequalities"] = read_only(rows), read_only(bounds)
        self.__dict__["equations"] = read_only(equal), read_only(values)

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
            found.__dict__["_reduction"] = Reduction(d, basis, tuple(inner), ())
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

    @property
    def ambient_dimension(self) -> int:
        """Dimension d of the space."""
        return int(self.inequalities[0].shape[1])

    @property
    def dimension(self) -> int:
        """Dimension of the affine hull; -1 if empty."""
        return self._reduction.dimension

    @property
    def is_empty(self) -> bool:
        """Whether no point satisfies everything."""
        return self.dimension < 0

    @cached_property
    def is_bounded(self) -> bool:
        """Whether it contains no ray."""
        return self.is_empty or is_bounded(self._matrix, self._equal[0])

    @property
    def interior_point(self) -> Point | None:
        """A point of the relative interior; None if empty."""
        return self._reduction.point

    @cached_property
    def implicit_equations(self) -> tuple[int, ...]:
        """The inequalities that hold with equality everywhere, ascending; all if empty."""
        return self._reduction.implicit

    @cached_property
    def facets(self) -> tuple[int, ...]:
        """The inequalities that carry a facet, ascending; of equal facets the first."""
        return () if self.is_empty else facets_of(self._matrix, self._reduction.basis)

    @cached_property
    def redundant(self) -> dict[int, Point]:
        """Why each inequality is redundant that is neither a facet nor an implicit equation.

        The weights y of row j are non-negative multiples of the facets, one for each inequality,
        and multiples of the equations: ``y @ vstack([A, E])`` is row j of A, and ``y @ hstack([c,
        f])`` is at most ``c[j]``. Implicit equations may have weights of both signs.

        Examples
        --------
        >>> P = Polyhedron([[-1, 0], [0, -1], [1, 1], [1, 2]], [0, 0, 1, 4])
        >>> y = P.redundant[3]
        >>> [int(entry) for entry in y @ P.inequalities[0]], y @ P.inequalities[1] <= 4
        ([1, 2], True)
        """
        parts = self._homogeneous, self._equal, self.facets
        return why_redundant(self._reduction, *parts)

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

    def contains(self, point: ArrayLike, *, interior: bool = False) -> Any:
        """Whether a point lies in it, or which points do, exactly.

        Parameters
        ----------
        point : (d,) or (m, d) array_like
            One point, or one in each row.
        interior : bool
            Whether no inequality may hold with equality that does not hold so everywhere.

        Returns
        -------
        bool, or (m,) ndarray of bool

        Examples
        --------
        >>> P = Polyhedron.box(0, 1, dimension=2)
        >>> P.contains([0, 1]), P.contains([0, 1], interior=True)
        (True, False)
        >>> P.contains([[0, 1], [0.5, 0.25], [2, 0]])
        array([ True,  True, False])
        """
        interior = check_flag("interior", interior)
        if axes_of(point) == 2:
            return self._contains_each(
                as_exact_matrix(point, "point", allow_no_rows=True), interior
            )
        x = as_fractions(point, "point")
        if len(x) != self.ambient_dimension:
            raise InputError(
                f"point has {len(x)} entries; expected {self.ambient_dimension}, the dimension of "
                "the space."
            )
        E, f = self.equations
        y = [*x, Fraction(1)]
        slack = product(self._matrix[:-1], y).tolist()
        gaps = product(append_column(negative(E), f), y)
        if gaps.any() or any(value < 0 for value in slack):
            return False
        tight = {j for j, value in enumerate(slack) if not value}
        return not interior or tight <= set(self.implicit_equations)

    def _contains_each(self, points: ExactArray, interior: bool) -> NDArray[np.bool_]:
        if points.shape[1] != self.ambient_dimension:
            raise InputError(
                f"point has shape {points.shape}; expected (m, {self.ambient_dimension}), a point "
                "in each row."
            )
        if interior and self.is_empty:
            return np.zeros(len(points), np.bool_)
        x, A, c, E, f = unify_fields(points, *self.inequalities, *self.equations)
        return contained((A, c), (E, f), x, self.implicit_equations if interior else None)

    def verify(self) -> bool:
        """Check in exact arithmetic that it is empty, or which inequalities are equations.

        Weights prove the one, and that implicit equations are equations; the interior point is no
        solution of the other inequalities as equations.

        Examples
        --------
        >>> Polyhedron([[1, 0], [-1, 0], [0, 1]], [2, -2, 0]).verify()
        True
        """
        return self._is_proved

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

    def __repr__(self) -> str:
        (A, _), (E, _) = self.inequalities, self.equations
        counted = [(len(A), "inequality", "inequalities"), (len(E), "equation", "equations")]
        parts = [f"{k} {one if k == 1 else more}" for k, one, more in counted if k]
        text = f"{', '.join(parts) or 'no inequality'} in dimension {A.shape[1]}"
        known: Reduction | None = self.__dict__.get("_reduction")
        if known is not None and known.dimension < A.shape[1]:  # which is known by now
            text += ", empty" if known.dimension < 0 else f", itself of dimension {known.dimension}"
        return f"Polyhedron({text})"

    # ------------------------------------------------------------------ how

    @cached_property
    def _matrix(self) -> ExactArray:
        """Rows (-A_j, c_j), and last the row at infinity, (0, .., 0, 1)."""
        A, c = self.inequalities
        if A.dtype == np.float64 and c.dtype == np.int64 and ((c < 2**53) & (c > -(2**53))).all():
            c = c.astype(np.float64)
        rows = append_column(negative(A), c)
        infinity = np.zeros((1, rows.shape[1]), rows.dtype)
        infinity[0, -1] = 1
        return np.concatenate([rows, infinity])

    @cached_property
    def _homogeneous(self) -> tuple[list[list[Any]], list[Any]]:
        """Integer rows (-A_j, c_j), and the positive number that row j was multiplied by."""
        A, c = self.inequalities
        return scaled_rows(append_column(negative(A), c))

    @cached_property
    def _reduction(self) -> Reduction:
        return reduction_of(self._matrix, self._equal[0])

    @cached_property
    def _is_proved(self) -> bool:
        """The answer of `verify`, once for all certificates."""
        weights = self.implicit_weights(positive=True)
        (A, c), (E, f) = self.inequalities, self.equations
        rows = stack_rows(append_column(negative(A), c), append_column(negative(E), f))
        *linear_part, constant = product(rows.T, weights).tolist()
        if any(linear_part) or min(weights[: len(A)], default=0) < 0:
            return False
        if (point := self.interior_point) is None:
            return bool(constant < 0)
        proved = constant == 0 and all(weights[j] > 0 for j in self.implicit_equations)
        return proved and self.contains(np.array(point, object), interior=True)

    def strict_rows(self) -> tuple[ExactArray, list[list[Any]]] | None:
        """Rows that are positive in the relative interior, and coordinates of the affine hull.

        Returns
        -------
        rows : (k, r) ndarray
            Values on the vectors of the basis: of the inequalities that are no equations, and last
            of the row at infinity. None in place of both if the polyhedron is empty.
        basis : list of r lists
            Vectors that span all (t x, t) with x in the affine hull.
        """
        if self.is_empty:
            return None
        basis = self._reduction.basis
        rows = restricted_to(self._matrix, basis)
        return rows[rows.any(axis=1)], basis

    def implicit_weights(
        self, target: Sequence[Any] | None = None, positive: bool = False
    ) -> tuple[Fraction, ...]:
        """Weights of inequalities and equations whose sum is a target (w, b).

        The sum means that of rows ``c - A @ x`` and ``f - E @ x``. The target vanishes on the
        affine hull. Weights of inequalities are not negative, and 0 unless they are implicit
        equations; if `positive`, those of all implicit equations are positive. If the polyhedron is
        empty, the constant of the sum is less than that of the target, which proves it for 0.

        Examples
        --------
        >>> P = Polyhedron([[1, 0], [-1, 0], [0, 1]], [2, -2, 0])
        >>> [int(weight) for weight in P.implicit_weights(positive=True)]
        [1, 1, 0]
        >>> [int(weight) for weight in P.implicit_weights([3, 0, -6])]
        [0, 3, 0]
        """
        (rows, scales), (equal, equal_scales) = self._homogeneous, self._equal
        target = [0] * (self.ambient_dimension + 1) if target is None else target
        found = weigh_implicit(self._reduction, rows, equal, target, positive)
        return tuple(w * s for w, s in zip(found, [*scales, *equal_scales], strict=True))

    @cached_property
    def _equal(self) -> tuple[list[list[Any]], list[Any]]:
        """The same of the equations."""
        E, f = self.equations
        return scaled_rows(append_column(negative(E), f))

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
