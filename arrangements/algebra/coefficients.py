"""Exact numbers as coefficients of SymPy polynomials, rational or of one real number field."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from arrangements.exact.field_entries import coefficients_of, field_of_rows
from arrangements.exact.number_field import NumberField


class Coefficients:
    """The domain of polynomials with coefficients in a field.

    Attributes
    ----------
    field : NumberField or None
        None for the rational numbers.
    domain : sympy.polys.domains.Domain

    Examples
    --------
    >>> known = Coefficients.of([[1, 2]])
    >>> known.domain, known(Fraction(1, 2)) * 2 == 1
    (QQ, True)
    """

    def __init__(self, field: NumberField | None) -> None:
        from sympy import QQ, sympify  # loads slowly

        self.field = field
        self.domain: Any = QQ
        if field is not None:
            self.domain = QQ.algebraic_field(sympify(field.generator))

    @classmethod
    def of(cls, rows: Sequence[Sequence[Any]]) -> Coefficients:
        """Those of the entries of rows."""
        return cls(field_of_rows(rows))

    def __call__(self, number: Any) -> Any:
        """A number as an element of the domain."""
        from sympy import QQ  # loads slowly

        if self.field is None:
            return QQ(number.numerator, number.denominator)
        parts = coefficients_of(number, self.field.degree)
        return self.domain([QQ(c.numerator, c.denominator) for c in reversed(parts)])

    def number(self, element: Any) -> Any:
        """An element of the domain as a number.

        Examples
        --------
        >>> phi = NumberField([-1, -1, 1], (1, 2), "phi").generator
        >>> known = Coefficients(phi.field)
        >>> known.number(known(1 - phi / 2)), known.number(known(3))
        (1 - 1/2*phi, Fraction(3, 1))
        """
        if self.field is None:
            return Fraction(int(element.numerator), int(element.denominator))
        parts = [Fraction(int(c.numerator), int(c.denominator)) for c in element.to_list()]
        return self.field(parts[::-1] or 0)
