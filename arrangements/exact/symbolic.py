"""SymPy numbers as numbers of one real field."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from math import gcd, isqrt, lcm
from operator import add, mul
from typing import Any

from arrangements.errors import InputError, InputTypeError
from arrangements.exact.field_entries import images_in_common_field
from arrangements.exact.number_field import FieldElement, NumberField, field_of_root, in_field
from arrangements.exact.real_roots import MOST_DEGREE, at_precision, fraction_of, roots_between
from arrangements.messages import first_line

# Bits at which the roots of a polynomial are told apart, first and last.
_FIRST_BITS, _MOST_BITS = 128, 2**16
# Longer integers are divided by small primes only.
_FACTORED_BITS, _SMALL_PRIMES = 128, 2**15


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
    field = None
    for i, entry in enumerate(entries):
        if isinstance(entry, FieldElement):
            if entry.field is not field:  # to hash one takes longer
                field = entry.field
                fields[field] = None
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
    terms = [Fraction(int(c.p), int(c.q)) for c in reversed(polynomial.all_coeffs())]
    degree = len(terms) - 1
    if degree > MOST_DEGREE:
        raise InputError(
            f"{place} has {atom}, of degree {degree} over the rational numbers; expected at most "
            f"{MOST_DEGREE}: round it."
        )
    if degree == 1:
        return -terms[0] / terms[1]
    if not _may_be_real(atom):
        raise InputTypeError(f"{place} has {atom}, which is complex; expected real numbers.")
    return _quadratic(terms, atom) if degree == 2 else _of_higher_degree(terms, atom)


def _quadratic(terms: list[Fraction], atom: Any) -> tuple[NumberField, Any]:
    """A number of degree 2, by a square root of an integer without small square factors."""
    p, q = terms[1] / terms[2], terms[0] / terms[2]
    discriminant = p * p / 4 - q
    product = discriminant.numerator * discriminant.denominator
    free = 1
    for prime, power in _factors(product).items():
        free *= prime ** (power % 2)
    factor = Fraction(isqrt(product // free), discriminant.denominator)
    field = NumberField([-free, 0, 1], (0, free + 1), f"sqrt({free})")
    root = factor * field.generator
    candidates = [-p / 2 + root, -p / 2 - root]
    for low, high in _enclosures(atom):
        inside = [number for number in candidates if low <= number <= high]
        if len(inside) == 1:
            return field, inside[0]
    raise _unknown(atom)


def _of_higher_degree(terms: list[Fraction], atom: Any) -> tuple[NumberField, Any]:
    """A number of which an integral multiple is the generator of its field."""
    multiple, coefficients = _integral_multiple([c / terms[-1] for c in terms])
    text = str(multiple * atom)
    name = text if text.isidentifier() else f"({text})"
    for low, high in _enclosures(atom):
        # a root is no rational number, so it is inside if it is in the closed interval
        below, inside = roots_between(tuple(coefficients), multiple * low, multiple * high)
        if inside == 1:
            field = field_of_root(tuple(coefficients), below, name)
            return field, field.generator / multiple
    raise _unknown(atom)


def _integral_multiple(monic: list[Fraction]) -> tuple[int, list[int]]:
    """What to multiply the roots of a polynomial with, so that it is integer; and what it becomes.

    The least integer that does it, unless large factors are unknown.

    Examples
    --------
    >>> _integral_multiple([Fraction(1, 24), Fraction(0), Fraction(0), Fraction(1)])
    (6, [9, 0, 0, 1])
    """
    degree, multiple, scaled = len(monic) - 1, 1, monic
    for factor in _factors(lcm(*(c.denominator for c in monic))):
        while any(gcd(c.denominator, factor) > 1 for c in scaled):
            multiple *= factor
            scaled = [c * multiple ** (degree - k) for k, c in enumerate(monic)]
    return multiple, [int(c) for c in scaled]


def _factors(number: int) -> dict[int, int]:
    """Factors with their powers: primes, and a rest without small primes."""
    from sympy import factorint  # loads slowly

    # finding the factors of a long rest may take forever
    limit = None if number.bit_length() <= _FACTORED_BITS else _SMALL_PRIMES
    return {int(factor): int(power) for factor, power in factorint(number, limit=limit).items()}


def _unknown(atom: Any) -> InputError:
    return InputError(
        f"no enclosure of {atom} tells it from the other roots of its minimal polynomial; give it "
        "as a CRootOf, or by a NumberField."
    )


def _may_be_real(expression: Any) -> bool:
    """Whether an enclosure of an irrational number meets the real line: SymPy may not know it."""
    with at_precision(_FIRST_BITS):
        return bool(_ball(expression, _FIRST_BITS).imag.contains(0))


def _enclosures(expression: Any) -> Iterator[tuple[Fraction, Fraction]]:
    """Shorter and shorter intervals that hold a real number."""
    bits = _FIRST_BITS
    while bits <= _MOST_BITS:
        with at_precision(bits):
            ball = _ball(expression, bits).real
            ends = (ball.lower(), ball.upper()) if ball.is_finite() else ()
        if ends:
            yield fraction_of(ends[0]), fraction_of(ends[1])
        bits *= 2


def _ball(expression: Any, bits: int) -> Any:
    """An enclosure of a complex number, an acb, at the precision of FLINT that is set.

    SymPy's own decimals ignore what is lost where terms cancel inside a root.
    """
    from flint import acb, fmpq  # loads slowly

    if expression.is_Rational:
        return acb(fmpq(int(expression.p), int(expression.q)))
    if expression.is_Add or expression.is_Mul:
        balls = [_ball(part, bits) for part in expression.args]
        return reduce(add if expression.is_Add else mul, balls)
    if expression.is_Pow and expression.exp.is_Rational:
        base = _ball(expression.base, bits)
        if expression.exp.q == 2:
            return base.sqrt() ** int(expression.exp.p)
        return base ** _ball(expression.exp, bits)
    if expression.func.__name__ == "Abs":
        return acb(abs(_ball(expression.args[0], bits)))
    digits = bits // 3 + 10
    real, imaginary = expression.evalf(digits, maxn=4 * digits).as_real_imag()
    return acb(_rounded(real, bits), _rounded(imaginary, bits))


def _rounded(value: Any, bits: int) -> Any:
    """An enclosure of a real number that SymPy has rounded to more bits than asked for."""
    from flint import arb, fmpq  # loads slowly
    from sympy import Rational  # loads slowly

    exact = Rational(str(value))
    middle = arb(fmpq(int(exact.p), int(exact.q)))
    return middle + arb(0, (abs(middle) * arb(2) ** -bits).upper())
