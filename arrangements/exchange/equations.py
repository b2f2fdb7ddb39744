"""Arrangements from equations: text, SymPy expressions, defining polynomials."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import comb, prod
from typing import TYPE_CHECKING, Any

from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.number_field import FieldElement, NumberField
from arrangements.exact.symbolic import in_common_field
from arrangements.exchange.fields import constants_of
from arrangements.exchange.forms import (
    arrangement_of,
    form_text,
    rows_of_factors,
)
from arrangements.exchange.polynomials import (
    MOST_EXPONENT,
    Polynomial,
    read_equation,
)
from arrangements.messages import first_line, quote

if TYPE_CHECKING:
    from sympy import Basic

_MOST_TERMS = 10_000  # of an expression of SymPy that is multiplied out


def from_equations(
    *equations: str | Basic,
    variables: Iterable[Any] | None = None,
    field: NumberField | None = None,
) -> Arrangement:
    """Arrangement of the hyperplanes that equations describe; a method of the class `Arrangement`.

    Parameters
    ----------
    *equations : str or SymPy expression, or one list of them
        ``"2*x - y/3 = 1"``, and ``"2*x - y/3 - 1"`` for the same with ``= 0``. Numbers are
        integers, fractions, decimals such as ``1e-3``, ``sqrt(2)``, ``cos(2*pi/7)`` and the
        generator of `field`; the power is ``^`` or ``**``. No text runs as code. SymPy: an
        expression, an equation ``Eq(x, y)`` or a ``Poly``. A product of linear polynomials, such as
        a defining polynomial, gives one row for each factor, a k-th power k equal rows.
    variables : sequence of str or SymPy symbols, optional
        Names of the coordinates in their order. Default those that occur, even if their
        coefficients are 0, sorted: x2 before x10.
    field : NumberField, optional
        Its generator may occur in the equations, under the name of the field (``a`` if that is no
        name of a variable), and polynomials are factored over it.

    Returns
    -------
    Arrangement
        Row i is left minus right side of equation i, not scaled; the text is its label. Rows of a
        polynomial with several factors are the factors as written or, where they must be found,
        factors up to scale. Constant factors of these are dropped. Labels are then the factors.

    Raises
    ------
    InputError
        If a text is no equation, is not a product of linear polynomials, or has unknown variables.

    See Also
    --------
    defining_polynomial : the way back.

    Examples
    --------
    >>> A = from_equations("x - y", "2*x + z = 1")
    >>> A.normals.tolist(), A.offsets.tolist(), A.labels
    ([[1, -1, 0], [2, 0, 1]], [0, -1], ('x - y', '2*x + z = 1'))
    >>> from_equations("x*y*(x^2 - y^2)").normals.tolist()
    [[1, 0], [0, 1], [1, 1], [1, -1]]
    >>> Arrangement.from_equations("y = sqrt(3)*x", variables="x y")[0].normal
    (-sqrt(3), 1)
    """
    if len(equations) == 1 and isinstance(equations[0], (list, tuple)):
        equations = tuple(equations[0])
    constants = constants_of(field)
    forms: list[Polynomial] = []
    labels: list[str] = []
    names: set[str] = set()
    symbols: set[Any] = set()
    for equation in equations:
        over = field
        if isinstance(equation, str):
            factors = read_equation(equation, constants, names)
        else:
            factors, over = _from_sympy(equation, field, symbols)
        rows = rows_of_factors(factors, over, equation)
        forms += rows
        try:
            text = " ".join(str(equation).split())
        except ValueError:  # Python writes no integers of more than 4300 digits
            text = form_text(rows[0])
        labels += [text] if len(rows) == 1 else map(form_text, rows)
    different = set(map(str, symbols))
    if len(different) < len(symbols):
        raise InputError(
            "different symbols of SymPy have the same name; expected one symbol for each name of "
            f"{quote(sorted(different))}, made with the same assumptions."
        )
    return arrangement_of(forms, variables, labels, names | different, constants)


def _from_sympy(
    equation: Any, field: NumberField | None, symbols: set[Any]
) -> tuple[list[Polynomial], Any]:
    """Factors of an expression of SymPy, and the field over which to factor them.

    The symbols in the expression are added to `symbols`.
    """
    from sympy import Eq, Expr, Mul, Poly, Pow, S  # loads slowly

    sides: Any = equation.args if isinstance(equation, Eq) else (equation,)
    if not all(isinstance(side, (Expr, Poly)) for side in sides):
        raise InputTypeError(
            f"an equation is {quote(equation)}; expected text or an expression of SymPy."
        )
    for side in sides:
        symbols.update(side.free_symbols, getattr(side, "gens", ()))
    equation = _exact(sides[0]) - _exact(sides[1]) if len(sides) > 1 else _exact(equation)
    if isinstance(equation, Poly) and equation.domain.is_Algebraic and field is None:
        (unit,) = in_common_field([equation.domain.to_sympy(equation.domain.unit)], str)
        field = unit.field
    if any(p.exp.is_Integer and abs(p.exp) > MOST_EXPONENT for p in equation.atoms(Pow)):
        raise InputError(f"{quote(equation)} has an exponent above {MOST_EXPONENT}.")
    found: list[Polynomial] = []
    for factor in equation.args if isinstance(equation, Mul) else (equation,):
        base, power = factor.as_base_exp() if isinstance(factor, Pow) else (factor, S.One)
        whole = base.free_symbols and power.is_Integer and power > 0
        found += [_polynomial(base)] * int(power) if whole else [_polynomial(factor)]
    return found, field


def _exact(expression: Any) -> Any:
    """The expression with its floats as the fractions that they are: SymPy would round others."""
    from sympy import Expr, Float, Rational  # loads slowly

    if not isinstance(expression, Expr):
        return expression
    return expression.xreplace({x: Rational(x) for x in expression.atoms(Float) if x.is_finite})


def _most_terms(part: Any) -> int:
    """A bound on the number of terms of an expression multiplied out."""
    if part.is_Add:
        return sum(map(_most_terms, part.args))
    terms = prod(map(_most_terms, part.args)) if part.is_Mul else 1
    if part.is_Pow and part.exp.is_Integer and part.exp > 0:
        terms, exponent = _most_terms(part.base), int(part.exp)
        terms = comb(terms + exponent - 1, exponent)
    return min(terms, 10 * _MOST_TERMS)


def _polynomial(given: Any) -> Polynomial:
    from sympy import Poly, Rational  # loads slowly

    if not isinstance(given, Poly) and _most_terms(given) > _MOST_TERMS + len(given.args):
        raise InputError(
            f"{quote(given)} takes too long to multiply out; write the factors by themselves."
        )
    try:
        polynomial = Poly(given, *given.free_symbols) if given.free_symbols else None
    except Exception as error:  # SymPy raises many kinds
        raise InputError(f"{quote(given)} is not a polynomial: {first_line(error)}.") from error
    terms = [((), given)] if polynomial is None else polynomial.terms()
    if any(c.is_finite is False for _, c in terms):
        raise InputError(f"{quote(given)} is infinite; expected finite coefficients.")
    coefficients = [Rational(c) if c.is_Float else c for _, c in terms]
    numbers = in_common_field(coefficients, lambda i: f"coefficient {i} of {quote(given)}")
    names = [] if polynomial is None else [str(x) for x in polynomial.gens]
    monomials = [
        tuple(sorted(x for x, e in zip(names, m, strict=True) for _ in range(e))) for m, _ in terms
    ]
    return {
        m: c if isinstance(c, FieldElement) else Fraction(int(c.numerator), int(c.denominator))
        for m, c in zip(monomials, numbers, strict=True)
        if c
    }
