"""A system of inequalities and equations: what linear programs tell of its solutions."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import Immutable
from arrangements.checks import check_flag
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector, as_fractions, axes_of
from arrangements.exact.numbers import (
    ExactArray,
    append_column,
    fractions,
    negative,
    read_only,
    stack_rows,
    unify_fields,
)
from arrangements.exact.products import product
from arrangements.messages import quote
from arrangements.polyhedra.containment import contained
from arrangements.polyhedra.reduction import (
    Reduction,
    facets_of,
    is_bounded,
    reduction_of,
    restricted_to,
    scaled_rows,
    weigh_implicit,
    why_redundant,
)

Point = tuple[Fraction, ...]
System = tuple[ArrayLike, ArrayLike]


class Inequalities(Immutable):
    """The part of a `Polyhedron` that needs no vertices; see there."""

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
        >>> from arrangements import Polyhedron
        >>> P = Polyhedron([[-1, 0], [0, -1], [1, 1], [1, 2]], [0, 0, 1, 4])
        >>> y = P.redundant[3]
        >>> [int(entry) for entry in y @ P.inequalities[0]], y @ P.inequalities[1] <= 4
        ([1, 2], True)
        """
        parts = self._homogeneous, self._equal, self.facets
        return why_redundant(self._reduction, *parts)

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
        >>> from arrangements import Polyhedron
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
        >>> from arrangements import Polyhedron
        >>> Polyhedron([[1, 0], [-1, 0], [0, 1]], [2, -2, 0]).verify()
        True
        """
        return self._is_proved

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
        self, target: ArrayLike | None = None, positive: bool = False
    ) -> tuple[Fraction, ...]:
        """Weights of inequalities and equations whose sum is a target (w, b).

        The sum means that of rows ``c - A @ x`` and ``f - E @ x``. The target vanishes on the
        affine hull. Weights of inequalities are not negative, and 0 unless they are implicit
        equations; if `positive`, those of all implicit equations are positive. If the polyhedron is
        empty, the constant of the sum is less than that of the target, which proves it for 0.

        Raises
        ------
        InputError
            If the target does not vanish on the affine hull.

        Examples
        --------
        >>> from arrangements import Polyhedron
        >>> P = Polyhedron([[1, 0], [-1, 0], [0, 1]], [2, -2, 0])
        >>> [int(weight) for weight in P.implicit_weights(positive=True)]
        [1, 1, 0]
        >>> [int(weight) for weight in P.implicit_weights([3, 0, -6])]
        [0, 3, 0]
        """
        (rows, scales), (equal, equal_scales) = self._homogeneous, self._equal
        width = self.ambient_dimension + 1
        sums = fractions(
            as_exact_vector([0] * width if target is None else target, width, "target")
        )
        found = weigh_implicit(self._reduction, rows, equal, sums, positive)
        if found is None:
            raise InputError(f"target {quote(target)} does not vanish on {self!r}.")
        return tuple(w * s for w, s in zip(found, [*scales, *equal_scales], strict=True))

    @cached_property
    def _equal(self) -> tuple[list[list[Any]], list[Any]]:
        """The same of the equations."""
        E, f = self.equations
        return scaled_rows(append_column(negative(E), f))
