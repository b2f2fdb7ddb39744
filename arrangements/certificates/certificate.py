"""The answer to one question about a sign vector, with its exact proof."""

from collections.abc import Iterator, Sequence
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
from arrangements.exact.numbers import fractions
from arrangements.exact.products import product
from arrangements.exact.text import exact_text, rounded_text
from arrangements.feasibility.interior import Point
from arrangements.messages import quote


@public_class
@dataclass(frozen=True, repr=False)
class Certificate:
    """Proof that a sign vector occurs in an arrangement, or that it does not.

    Attributes
    ----------
    arrangement : Arrangement
        The hyperplanes that the proof is about.
    signs : tuple of int or None
        The question: entries -1, +1, and None for either.
    feasible : bool
        The answer, also ``bool(certificate)``.
    point : tuple of Fraction or None
        If feasible: x with ``signs[i] * (w_i . x + b_i) > 0`` for every i with a sign.
    weights : tuple of Fraction or None
        If infeasible: y, one entry per row, with y >= 0, y != 0, y_i = 0 where signs[i] is None,
        ``sum_i y_i signs[i] w_i = 0`` and ``sum_i y_i signs[i] b_i <= 0``.

    Raises
    ------
    InputError
        If a sign is not -1, 1 or None, or an entry of the proof is not a rational number.

    Notes
    -----
    A certificate holds exact numbers only: floats become the dyadic rationals that they are.

    The weights disprove the sign vector. At any x with these signs, the combination
    ``sum_i y_i signs[i] (w_i . x + b_i)`` would be positive, as a sum of terms >= 0 of which one is
    > 0, but it equals ``sum_i y_i signs[i] b_i <= 0``. This is Gordan's theorem for central
    arrangements (b = 0) and the affine form of Farkas' lemma otherwise.

    Examples
    --------
    >>> from arrangements import feasible
    >>> feasible([[1, 0], [0, 1], [1, 1]], "++-")
    Certificate('++-', infeasible, rows 0, 1, 2 with weights 1, 1, 1)
    """

    arrangement: Arrangement = field()
    signs: tuple[int | None, ...]
    feasible: bool
    point: Point | None = None
    weights: tuple[Fraction, ...] | None = None

    def __post_init__(self) -> None:
        check_instance("arrangement", self.arrangement, Arrangement)
        if not isinstance(self.feasible, bool | np.bool_):
            raise InputError(f"feasible is {quote(self.feasible)}; expected True or False.")
        signs = sign_values(self.signs, "signs", partial=True)
        exact: dict[str, Any] = {"signs": open_signs(signs)}
        for name in ("point", "weights"):
            if (values := getattr(self, name)) is not None:
                exact[name] = as_fractions(values, name)
        exact["feasible"] = check_flag("feasible", self.feasible)
        self.__dict__.update(exact)  # past the __setattr__ that makes the object immutable

    @property
    def support(self) -> tuple[int, ...]:
        """Rows with positive weight, a circuit of the homogenized rows; () if feasible."""
        return tuple(i for i, y in enumerate(self.weights or ()) if y)

    def verify(self) -> bool:
        """Check the proof in exact arithmetic, using only the numbers of the arrangement.

        Examples
        --------
        >>> from arrangements import feasible
        >>> feasible([[1.5, 0.25]], "-").verify()
        True
        """
        if len(self.signs) != self.arrangement.n_hyperplanes:
            return False
        if self.feasible:
            return self.point is not None and self._point_holds(self.point)
        return self.weights is not None and self._weights_hold(self.weights)

    def _point_holds(self, point: Point) -> bool:
        if len(point) != self.arrangement.dimension:
            return False
        return all(
            s * (sum(w * x for w, x in zip(row, point, strict=True)) + b) > 0
            for s, row, b in self._rows()
        )

    def _weights_hold(self, weights: tuple[Fraction, ...]) -> bool:
        if len(weights) != len(self.signs) or any(y < 0 for y in weights):
            return False
        if not self.support or not all(self.signs[i] for i in self.support):
            return False
        signed = [(self.signs[i] or 0) * weights[i] for i in self.support]
        normals, offsets = self.arrangement.normals, self.arrangement.offsets
        if product(normals[list(self.support)].T, signed).any():
            return False
        b = [Fraction(0)] if offsets is None else fractions(offsets[list(self.support)])
        return sum((y * constant for y, constant in zip(signed, b, strict=False)), Fraction(0)) <= 0

    def _rows(self) -> Iterator[tuple[int, Point, Fraction]]:
        """Sign, exact normal and exact offset of the rows that have a sign."""
        normals, offsets = self.arrangement.normals, self.arrangement.offsets
        for i, sign in enumerate(self.signs):
            if sign:
                b = Fraction(0) if offsets is None else fractions(offsets[i : i + 1])[0]
                yield sign, fractions(normals[i]), b

    def __bool__(self) -> bool:
        return self.feasible

    def __repr__(self) -> str:
        signs = sign_text(self.signs)
        if len(signs) > 40:
            signs = f"{signs[:30]}...({len(signs)} signs)"
        if self.point is not None:
            return f"Certificate({signs!r}, feasible, point ({_join(self.point)}))"
        weights = [self.weights[i] for i in self.support] if self.weights else []
        labels = self.arrangement.labels
        rows = _join([i if labels is None else repr(labels[i]) for i in self.support])
        return f"Certificate({signs!r}, infeasible, rows {rows} with weights {_join(weights)})"

    def _repr_html_(self) -> str:
        A = self.arrangement
        names = names_of(A.labels, len(self.signs))
        signs = notebook.sign_rows([self.signs], names, A.labels is not None)
        if self.point is not None:
            facts = [("an exact point", notebook.point(self.point))]
            return notebook.card("This sign vector occurs", facts, signs)
        y, support = self.weights or (), self.support
        rows = (
            [notebook.text(names[i]), notebook.sign(self.signs[i]), notebook.number(y[i])]
            for i in support
        )
        proof = notebook.table(["row", "sign", "weight"], rows, len(support))
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
