"""The answer to one question about a sign vector, with its exact proof."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_instance
from arrangements.core.arrangement import Arrangement
from arrangements.core.labels import names_of
from arrangements.core.signs import open_signs, sign_text, sign_values
from arrangements.errors import InputError
from arrangements.exact.coercion import as_fractions
from arrangements.exact.numbers import ExactArray, append_column, negative, stack_rows
from arrangements.exact.products import product
from arrangements.exact.text import exact_text, rounded_text
from arrangements.feasibility.interior import Point
from arrangements.feasibility.one_sign_vector import Solution
from arrangements.messages import quote
from arrangements.polyhedra.polyhedron import Polyhedron


@public_class
@dataclass(frozen=True, repr=False)
class Certificate:
    """Proof that a sign vector occurs in an arrangement, or that it does not.

    Attributes
    ----------
    arrangement : Arrangement
        The hyperplanes that the proof is about.
    signs : tuple of int or None
        The question: entries -1, 0 (on the hyperplane), +1, and None for either.
    feasible : bool
        The answer, also ``bool(certificate)``.
    point : tuple of Fraction or None
        If feasible: x with these signs of ``w_i . x + b_i``, where the equations hold, and in the
        relative interior of `within`.
    weights : tuple of Fraction or None
        If infeasible: y, one entry for each row, then for each equation, inequality of `within` and
        equation of `within`. See Notes.
    equations : Arrangement or None
        Hyperplanes ``e_j . x - f_j = 0`` that shall contain the point.
    within : Polyhedron or None
        ``A @ x <= c`` and ``E @ x == f``: the point shall lie in its relative interior.

    Raises
    ------
    InputError
        If a sign is not -1, 0, 1 or None, or an entry of the proof is not a rational number.

    Notes
    -----
    A certificate holds exact numbers only: floats become the dyadic rationals that they are.

    The weights disprove the sign vector (Motzkin). Consider the functions ``signs[i] (w_i . x +
    b_i)`` of rows with sign + or -, ``w_i . x + b_i`` of those with 0, ``e_j . x - f_j`` of
    equations, and ``c_j - A_j . x`` and ``f_j - E_j . x`` of `within`, times their weights. At an x
    as asked for their sum would not be negative: rows with + or - and inequalities have weights y
    >= 0 and functions >= 0, all others are 0. But in the sum x cancels. What is left is negative;
    or it is 0, although a function that would be positive has a positive weight: a row with + or -,
    or an inequality that is not an equation everywhere in `within`. Without equations and `within`
    this is Gordan's theorem (b = 0) or Farkas' lemma. `Polyhedron.verify` proves which inequalities
    are equations.

    Examples
    --------
    >>> from arrangements import Polyhedron, feasible
    >>> feasible([[1, 0], [0, 1], [1, 1]], "++-")
    Certificate('++-', infeasible, rows 0, 1, 2 with weights 1, 1, 1)
    >>> feasible([[1, 0], [0, 1]], "+0", within=Polyhedron.box(0, 1, dimension=2))
    Certificate('+0', infeasible, rows 1, inequality 1 of within with weights -1, 1)
    """

    arrangement: Arrangement = field()
    signs: tuple[int | None, ...]
    feasible: bool
    point: Point | None = None
    weights: tuple[Fraction, ...] | None = None
    equations: Arrangement | None = None
    within: Polyhedron | None = None

    def __post_init__(self) -> None:
        check_instance("arrangement", self.arrangement, Arrangement)
        for name, kind in (("equations", Arrangement), ("within", Polyhedron)):
            if getattr(self, name) is not None:
                check_instance(name, getattr(self, name), kind)
        if not isinstance(self.feasible, bool | np.bool_):
            raise InputError(f"feasible is {quote(self.feasible)}; expected True or False.")
        signs = sign_values(self.signs, "signs", partial=True)
        exact: dict[str, Any] = {"signs": open_signs(signs)}
        for name in ("point", "weights"):
            if (values := getattr(self, name)) is not None:
                exact[name] = as_fractions(values, name)
        exact["feasible"] = check_flag("feasible", self.feasible)
        self.__dict__.update(exact)  # past the __setattr__ that makes the object immutable

    @classmethod
    def _found(
        cls,
        arrangement: Arrangement,
        signs: tuple[int | None, ...],
        solution: Solution,
        equations: Arrangement | None = None,
        within: Polyhedron | None = None,
    ) -> "Certificate":
        """A certificate of checked signs and exact numbers, which are taken as they are."""
        new = object.__new__(cls)
        new.__dict__.update(solution._asdict(), feasible=solution.point is not None)
        new.__dict__.update(arrangement=arrangement, signs=signs)
        new.__dict__.update(equations=equations, within=within)
        return new

    @property
    def support(self) -> tuple[int, ...]:
        """Rows with a weight, without equations a circuit of the homogenized rows; or ()."""
        return tuple(i for i, y in enumerate((self.weights or ())[: len(self.signs)]) if y)

    @property
    def terms(self) -> list[tuple[str, int, Fraction]]:
        """The proof of a refusal: name, sign and weight of each function that has a weight.

        The sign is that of the function at an x as asked for; see Notes.

        Examples
        --------
        >>> from arrangements import feasible
        >>> [(name, sign, int(weight)) for name, sign, weight in feasible([[1], [2]], "+-").terms]
        [('0', 1, 2), ('1', -1, 1)]
        """
        names = [*names_of(self.arrangement.labels, len(self.signs))]
        if self.equations is not None:
            names += [f"equation {j}" for j in range(len(self.equations))]
        if (P := self.within) is not None:
            names += [f"inequality {j} of within" for j in range(len(P.inequalities[0]))]
            names += [f"equation {j} of within" for j in range(len(P.equations[0]))]
        found = zip(names, self._functions()[1], self.weights or (), strict=False)
        return [(name, sign or 0, weight) for name, sign, weight in found if weight]

    def _functions(self) -> tuple[ExactArray, tuple[int | None, ...]]:
        """Rows (w, b) of all functions, in the order of the weights, and their signs at x."""
        own, signs = self.arrangement, self.signs
        rows = [append_column(own.normals, own.offsets)]
        if self.equations is not None:
            rows.append(append_column(self.equations.normals, self.equations.offsets))
            signs += (0,) * len(self.equations)
        if (P := self.within) is not None:
            (A, c), (E, f) = P.inequalities, P.equations
            rows += [append_column(negative(A), c), append_column(negative(E), f)]
            signs += tuple(int(j not in P.implicit_equations) for j in range(len(A)))
            signs += (0,) * len(E)
        return stack_rows(*rows), signs

    def verify(self) -> bool:
        """Check the proof in exact arithmetic, using only the numbers of the question.

        Examples
        --------
        >>> from arrangements import feasible
        >>> feasible([[1.5, 0.25]], "-").verify()
        True
        """
        if len(self.signs) != self.arrangement.n_hyperplanes:
            return False
        if self.within is not None and not self.within.verify():
            return False
        if self.feasible:
            return self.point is not None and self._point_holds(self.point)
        return self.weights is not None and self._weights_hold(self.weights)

    def _point_holds(self, point: Point) -> bool:
        if len(point) != self.arrangement.dimension or (
            self.within is not None and self.within.is_empty
        ):
            return False
        rows, signs = self._functions()
        values = product(rows, (*point, Fraction(1)))
        return all(
            sign is None or (value > 0) - (value < 0) == sign
            for value, sign in zip(values.tolist(), signs, strict=True)
        )

    def _weights_hold(self, weights: tuple[Fraction, ...]) -> bool:
        rows, signs = self._functions()
        if len(weights) != len(signs):
            return False
        used = [i for i, y in enumerate(weights) if y]
        if any(signs[i] is None or (signs[i] and weights[i] < 0) for i in used) or not used:
            return False
        signed = [(signs[i] or 1) * weights[i] for i in used]
        *linear, constant = product(rows[used].T, signed).tolist()
        return not any(linear) and (constant < 0 or (constant == 0 and any(signs[i] for i in used)))

    def __bool__(self) -> bool:
        return self.feasible

    def __repr__(self) -> str:
        signs = sign_text(self.signs)
        if len(signs) > 40:
            signs = f"{signs[:30]}...({len(signs)} signs)"
        if self.point is not None:
            return f"Certificate({signs!r}, feasible, point ({_join(self.point)}))"
        labels, support, terms = self.arrangement.labels, self.support, self.terms
        rows = [str(i) if labels is None else repr(labels[i]) for i in support]
        names = _join([*rows, *(name for name, _, _ in terms[len(support) :])])
        weights = _join([weight for _, _, weight in terms])
        of = "rows " if rows else ""
        return f"Certificate({signs!r}, infeasible, {of}{names} with weights {weights})"

    def _repr_html_(self) -> str:
        A = self.arrangement
        names = names_of(A.labels, len(self.signs))
        signs = notebook.sign_rows([self.signs], names, A.labels is not None)
        if self.point is not None:
            facts = [("an exact point", notebook.point(self.point))]
            return notebook.card("This sign vector occurs", facts, signs)
        rows = (
            [notebook.text(name), notebook.sign(sign), notebook.number(weight)]
            for name, sign, weight in self.terms
        )
        proof = notebook.table(["row", "sign", "weight"], rows, len(self.terms))
        conclusion = "No point has these signs in these rows: their weighted sum contradicts it."
        return notebook.card("This sign vector does not occur", (), signs, conclusion, proof)


def _join(values: Sequence[Any]) -> str:
    """The first few values, separated by commas."""
    text = ", ".join(v if isinstance(v, str) else _brief(v) for v in values[:8])
    return text + (f", .. ({len(values)})" if len(values) > 8 else "")


def _brief(value: Any) -> str:
    """A number, rounded if it is long."""
    text = exact_text(value)
    return text if len(text) < 25 else f"{rounded_text(value)}.."
