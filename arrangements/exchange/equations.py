"""Arrangements from equations: text, SymPy expressions, defining polynomials."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
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
        integers, fractions, decimal fractions, ``sqrt(2)``, ``cos(2*pi/7)`` and the generator of
        `field`; the power is ``^`` or ``**``. No text runs as code. SymPy: an expression, an
        equation ``Eq(x, y)`` or a ``Poly``. A product of linear polynomials, such as a defining
        polynomial, gives one row for each factor, a k-th power k equal rows.
    variables : sequence of str or SymPy symbols, optional
        Names of the coordinates in their order. Default those that occur, sorted: x2 before x10.
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
    for equation in equations:
        over = field
        if isinstance(equation, str):
            factors = read_equation(equation, constants)
        else:
            factors, over = _from_sympy(equation, field)
        rows = rows_of_factors(factors, over, equation)
        forms += rows
        text = " ".join(str(equation).split())
        labels += [text] if len(rows) == 1 else map(form_text, rows)
    return arrangement_of(forms, variables, labels)


def _from_sympy(equation: Any, field: NumberField | None) -> tuple[list[Polynomial], Any]:
    """Factors of an expression of SymPy, and the field over which to factor them."""
    from sympy import Eq, Expr, Mul, Poly, Pow  # loads slowly

    if isinstance(equation, Eq):
        equation = _exact(equation.lhs) - _exact(equation.rhs)
    if not isinstance(equation, (Expr, Poly)):
        raise InputTypeError(
            f"an equation is {quote(equation)}; expected text or an expression of SymPy."
        )
    equation = _exact(equation)
    if isinstance(equation, Poly) and equation.domain.is_Algebraic and field is None:
        (unit,) = in_common_field([equation.domain.to_sympy(equation.domain.unit)], str)
        field = unit.field
    if any(p.exp.is_Integer and abs(p.exp) > MOST_EXPONENT for p in equation.atoms(Pow)):
        raise InputError(f"{quote(equation)} has an exponent above {MOST_EXPONENT}.")
    found: list[Polynomial] = []
    for factor in equation.args if isinstance(equation, Mul) else (equation,):
        base, power = factor.as_base_exp() if isinstance(factor, Pow) else (factor, 1)
        whole = base.free_symbols and power == int(power) and power > 0
        found += [_polynomial(base)] * int(power) if whole else [_polynomial(factor)]
    return found, field


def _exact(expression: Any) -> Any:
    """The expression with its floats as the fractions that they are: SymPy would round others."""
    from sympy import Expr, Float, Rational  # loads slowly

    if not isinstance(expression, Expr):
        return expression
    return expression.xreplace({x: Rational(x) for x in expression.atoms(Float) if x.is_finite})


def _polynomial(given: Any) -> Polynomial:
    from sympy import Poly, Rational  # loads slowly

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
