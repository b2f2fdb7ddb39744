"""Number fields as other systems write them: names of generators, and which root is meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, log2
from typing import Any

from arrangements.checks import check_instance
from arrangements.errors import InputError
from arrangements.exact.number_field import FieldElement, NumberField, field_of_root
from arrangements.exact.real_roots import check_polynomial, enclose_real_roots
from arrangements.exact.text import exact_text


def generator_name(field: NumberField) -> str:
    """What to call the generator of a field: its name, or ``a`` if that is no name.

    Examples
    --------
    >>> generator_name(NumberField([-1, -1, 1], (1, 2), "phi"))
    'phi'
    """
    return field.name if field.name.isidentifier() and field.name.isascii() else "a"


def constants_of(field: NumberField | None, name: str | None = None) -> dict[str, Any]:
    """The name of the generator of a field, with its value."""
    if field is None:
        return {}
    check_instance("field", field, NumberField)
    return {name or generator_name(field): field.generator}


def number_writer(field: NumberField | None, name: str, power: str) -> Callable[[Any], str]:
    """A function that writes numbers of a field, with another name of its generator.

    Examples
    --------
    >>> K = NumberField([-2, 0, 0, 1], (1, 2))
    >>> number_writer(K, "a", "^")(K.generator**2 + Fraction(1, 2))
    '1/2 + a^2'
    """
    if field is None:
        return exact_text
    own = field_of_root(field.polynomial, field.root_number, name)

    def write(number: Any) -> str:
        if not isinstance(number, FieldElement):
            return exact_text(Fraction(number))
        return repr(own(list(number.coefficients))).replace("**", power)

    return write


def separating_bits(field: NumberField) -> int:
    """Bits after the point at which the generator differs from the other roots (Mahler's bound).

    Examples
    --------
    >>> separating_bits(NumberField([-2, 0, 1], (1, 2)))
    11
    """
    degree = field.degree
    size = max(abs(c) for c in field.polynomial).bit_length() + log2(degree + 1) / 2
    return ceil((degree / 2 + 1) * log2(degree) + (degree - 1) * size) + 6


def nearest_field(polynomial: Sequence[Any], value: Fraction, name: str) -> NumberField:
    """The field of the real root of a polynomial that is nearest to a number.

    Examples
    --------
    >>> nearest_field([-2, 0, 1], Fraction(7, 5), "a")
    NumberField([-2, 0, 1], a = 1.41421..)
    """
    coefficients = check_polynomial(polynomial)
    bits = 64 + value.denominator.bit_length()
    roots = enclose_real_roots(coefficients, bits)
    if not roots:
        raise InputError(f"the polynomial {list(coefficients)} has no real roots.")
    distances = [abs(Fraction(low, 2**bits) - value) for low, _ in roots]
    return field_of_root(coefficients, distances.index(min(distances)), name)
