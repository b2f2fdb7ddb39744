"""SymPy numbers as numbers of one real field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

from arrangements.errors import InputError, InputTypeError, first_line
from arrangements.exact.number_field import (
    MOST_DEGREE,
    FieldElement,
    NumberField,
    images_in_common_field,
    in_field,
)

# Digits at which the roots of a polynomial are told apart, at first.
_DIGITS = 30


def is_symbolic(entry: Any) -> bool:
    """Whether an entry is a SymPy expression that is not known to be rational or not finite."""
    return (
        hasattr(entry, "is_algebraic")
        and hasattr(entry, "free_symbols")
        and not entry.is_Rational
        and not getattr(entry, "is_Float", False)
        and entry.is_finite is not False
    )


def in_common_field(entries: Sequence[Any], place: Callable[[int], str]) -> list[Any]:
    """Entries with SymPy expressions, and numbers of several fields, as numbers of one field.

    Parameters
    ----------
    entries : sequence of int, Fraction, FieldElement or SymPy expressions
    place : function
        What to call entry i in messages.

    Examples
    --------
    >>> from sympy import sqrt
    >>> in_common_field([1, sqrt(2), 1 / (1 + sqrt(2))], str)
    [1, sqrt(2), -1 + sqrt(2)]
    """
    atoms: dict[Any, Any] = {}
    fields: dict[NumberField, None] = {}
    for i, entry in enumerate(entries):
        if isinstance(entry, FieldElement):
            fields[entry.field] = None
        elif is_symbolic(entry):
            for atom in _atoms_of(entry, place(i)):
                if atom not in atoms:
                    atoms[atom] = _number_of(atom, place(i))
                    if not isinstance(atoms[atom], Fraction):
                        fields[atoms[atom][0]] = None
    if not fields:
        return [_value(entry, atoms, {}) if is_symbolic(entry) else entry for entry in entries]
    if len(fields) == 1 and not any(map(is_symbolic, entries)):
        return list(entries)
    _, generators = images_in_common_field(list(fields))
    images = dict(zip(fields, generators, strict=True))
    return [
        _value(entry, atoms, images)
        if is_symbolic(entry)
        else in_field(entry, images[entry.field])
        if isinstance(entry, FieldElement)
        else entry
        for entry in entries
    ]


def _atoms_of(expression: Any, place: str) -> list[Any]:
    """Irrational parts of an expression that is made of them by rational operations."""
    if expression.free_symbols:
        raise InputTypeError(
            f"{place} is {expression}, which has the unknown "
            f"{min(map(str, expression.free_symbols))}; expected numbers."
        )
    if expression.is_real is False:
        raise InputTypeError(f"{place} is complex ({expression}); expected real numbers.")
    found: list[Any] = []
    parts = [expression]
    while parts:
        part = parts.pop()
        if part.is_Rational:
            continue
        whole = part.is_Pow and part.exp.is_Integer
        inner = part.args if part.is_Add or part.is_Mul else part.args[:1] if whole else ()
        if inner and all(p.is_real for p in inner):
            parts.extend(inner)
        else:
            found.append(part)
    return found


def _value(expression: Any, atoms: dict[Any, Any], images: dict[NumberField, Any]) -> Any:
    """The expression by arithmetic in the field of the images."""
    if expression.is_Rational:
        value = Fraction(int(expression.p), int(expression.q))
        return int(value) if value.denominator == 1 else value
    if expression in atoms:
        found = atoms[expression]
        if isinstance(found, Fraction):
            return int(found) if found.denominator == 1 else found
        field, element = found
        return in_field(element, images[field])
    parts = [_value(part, atoms, images) for part in expression.args]
    if expression.is_Pow:
        base, exponent = parts
        return Fraction(base) ** exponent if not isinstance(base, FieldElement) else base**exponent
    result: Any = int(expression.is_Mul)
    for part in parts:
        result = result * part if expression.is_Mul else result + part
    return result


def _number_of(atom: Any, place: str) -> Any:
    """An algebraic number: a Fraction, or a field and the number in it."""
    from sympy import Dummy, minimal_polynomial  # loads slowly
    from sympy.polys.polyerrors import BasePolynomialError

    try:
        polynomial = minimal_polynomial(atom, Dummy("x"), polys=True)
    except (NotImplementedError, BasePolynomialError, ValueError) as error:
        raise InputTypeError(
            f"{place} has {atom}, which is not known to be algebraic ({first_line(error)}); "
            "expected rational numbers or roots of polynomials with integer coefficients."
        ) from error
    given = [Fraction(int(c.p), int(c.q)) for c in reversed(polynomial.all_coeffs())]
    degree = len(given) - 1
    if degree > MOST_DEGREE:
        raise InputError(
            f"{place} has {atom}, of degree {degree} over the rational numbers; expected at most "
            f"{MOST_DEGREE}: round it."
        )
    if degree == 1:
        return -given[0] / given[1]
    return _quadratic(given, atom) if degree == 2 else _of_higher_degree(given, atom)


def _quadratic(given: list[Fraction], atom: Any) -> tuple[NumberField, Any]:
    """A number of degree 2, by a square root of an integer without square factors."""
    from sympy import factorint  # loads slowly

    p, q = given[1] / given[2], given[0] / given[2]
    discriminant = p * p / 4 - q
    product = discriminant.numerator * discriminant.denominator
    free = 1
    for prime, power in factorint(product).items():
        free *= int(prime) ** (power % 2)
    factor = Fraction(isqrt(product // free), discriminant.denominator)
    field = NumberField([-free, 0, 1], (0, free + 1), f"sqrt({free})")
    root = factor * field.generator
    candidates = [-p / 2 + root, -p / 2 - root]
    return field, min(candidates, key=lambda number: abs(_distance(number, atom)))


def _of_higher_degree(given: list[Fraction], atom: Any) -> tuple[NumberField, Any]:
    """A number whose least integral multiple is the generator of its field."""
    degree, multiple = len(given) - 1, 1
    leading = given[-1]
    while True:
        scaled = [c * multiple ** (degree - k) / leading for k, c in enumerate(given)]
        if all(c.denominator == 1 for c in scaled):
            break
        multiple += 1
    coefficients = [int(c) for c in scaled]
    text = str(multiple * atom)
    name = text if text.isidentifier() else f"({text})"
    digits = _DIGITS
    while True:
        value = _decimal(multiple * atom, digits)
        radius = Fraction(abs(value) + 1) / 10 ** (digits - 5)
        try:
            field = NumberField(coefficients, (value - radius, value + radius), name)
        except InputError:
            if digits > 1000:
                raise
            digits *= 2  # two roots are close to each other
            continue
        return field, field.generator / multiple


def _decimal(expression: Any, digits: int) -> Fraction:
    """A SymPy number rounded to some digits, as an exact fraction."""
    from sympy import Rational  # loads slowly

    value = Rational(str(expression.evalf(digits)))
    return Fraction(int(value.p), int(value.q))


def _distance(number: Any, atom: Any) -> Fraction:
    bits = 200
    return Fraction(number.approximation(bits), 2**bits) - _decimal(atom, 50)
