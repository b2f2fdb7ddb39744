"""Linear factors of polynomials."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from arrangements.algebra.derivations import Coefficients
from arrangements.errors import InputError
from arrangements.exact.field_entries import field_of
from arrangements.exact.number_field import NumberField
from arrangements.exchange.polynomials import Polynomial, natural_order

# SymPy factors over a number field in seconds if its degree times that of the polynomial is small.
_MOST_WORK_OF_SYMPY = 20
_MOST_DEGREE = 200


def linear_factors(polynomial: Polynomial, field: NumberField | None = None) -> list[Polynomial]:
    """Linear factors of a polynomial over a field, each as often as it occurs, in a fixed order.

    `field` is by default that of the coefficients. Constant factors are dropped.

    Examples
    --------
    >>> linear_factors({("x", "x"): Fraction(2), ("x", "y"): Fraction(-2)})
    [{('x',): Fraction(1, 1)}, {('x',): Fraction(1, 1), ('y',): Fraction(-1, 1)}]
    """
    names = sorted({name for m in polynomial for name in m}, key=natural_order)
    field = field_of(polynomial.values()) if field is None else field
    degree = max(map(len, polynomial))
    if degree > _MOST_DEGREE:
        raise InputError(
            f"a polynomial of degree {degree} takes too long to factor; write its factors."
        )
    numbers = [c if field is None else field(c) for c in polynomial.values()]
    exponents = [tuple(map(m.count, names)) for m in polynomial]
    terms = dict(zip(exponents, numbers, strict=True))
    factors = _rational_factors(terms) if field is None else _field_factors(terms, field)
    if any(sum(m) > 1 for factor, _ in factors for m in factor):
        raise InputError(
            f"a polynomial of degree {degree} in {', '.join(names[:5])} is not "
            f"a product of linear polynomials over {'the rationals' if field is None else field}. "
            "If it is one over a larger field, pass field=, or write its factors."
        )
    units = [tuple(int(i == j) for j in range(len(names))) for i in range(len(names) + 1)]
    keys: list[tuple[str, ...]] = [*((name,) for name in names), ()]
    monomial = dict(zip(units, keys, strict=True))
    found = [{monomial[m]: c for m, c in factor.items()} for factor, k in factors for _ in range(k)]
    return sorted(found, key=lambda form: [-form.get(m, Fraction(0)) for m in keys])


def _rational_factors(terms: dict[Any, Any]) -> list[tuple[dict[Any, Fraction], int]]:
    """Factors over the rationals; the polynomial itself if its zeros on a line are not rational."""
    from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpq_poly  # loads slowly

    d = len(next(iter(terms)))
    values = {m: fmpq(c.numerator, c.denominator) for m, c in terms.items()}
    # long factorizations are those of other polynomials, most of which have no roots on a line
    line = [fmpq_poly([i * i + 3, 2 * i + 1]) for i in range(d)]
    trace = fmpq_poly([])
    for m, c in values.items():
        term = fmpq_poly([c])
        for x, e in zip(line, m, strict=True):
            term *= x**e
        trace += term
    if any(factor.degree() > 1 for factor, _ in trace.factor()[1]):
        return [(terms, 1)]
    context = fmpq_mpoly_ctx.get([f"x{i}" for i in range(d)], Ordering.lex)
    return [
        ({m: Fraction(int(c.p), int(c.q)) for m, c in factor.to_dict().items()}, int(power))
        for factor, power in context.from_dict(values).factor()[1]
    ]


def _field_factors(terms: dict[Any, Any], field: NumberField) -> list[tuple[dict[Any, Any], int]]:
    from sympy import Poly, symbols  # loads slowly

    degree = max(map(sum, terms))
    if degree * field.degree > _MOST_WORK_OF_SYMPY:
        raise InputError(
            f"a polynomial of degree {degree} over {field} takes too long to factor; write its "
            "factors, each as one equation."
        )
    known, d = Coefficients(field), len(next(iter(terms)))
    given = {m: known(c) for m, c in terms.items()}
    factors = Poly.from_dict(given, *symbols(f"x:{d}"), domain=known.domain).factor_list()[1]
    return [
        ({m: known.number(c) for m, c in factor.as_dict(native=True).items()}, power)
        for factor, power in factors
    ]
