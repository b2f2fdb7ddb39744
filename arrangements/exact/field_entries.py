"""Entries of exact rows that are numbers of one field, rational or not, and their coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from arrangements.exact.number_field import (
    FieldElement,
    NumberField,
    in_field,
    join_fields,
)
from arrangements.exact.real_roots import MOST_DEGREE, approximate_root, size_bounds
from arrangements.execution.limits import check_bytes, free_bytes

# Of 2 cos(2 pi / n) the roots of the polynomial are known, and primes modulo which it splits. First
# answers about dihedral arrangements take 0.2 s for degree 105, 2 s for 200, 20 s for 504, and so
# many bytes times the third power of the degree.
_BYTES_OF_COSINES = 7


def powers_of_alpha(field: NumberField, bits: int) -> tuple[list[int], int]:
    """Integers near ``alpha**k * 2**scale``, k below the degree, and the scale.

    Alpha is theta times the last coefficient of its polynomial.

    A sum of products of these with integers of at most 2**b differs from that of the powers, times
    2**scale, by less than ``2**(b + scale - bits)``.
    """
    m = field.degree
    # Rounded powers are off by less than (|alpha| + 2)**k units: a step multiplies the error by
    # |alpha| + 2**-scale, and adds |alpha|**(k - 1) and a rounding.
    guard = m * (ceil(max(size_bounds(field.monic)) + 2).bit_length() + 1) + m.bit_length()
    scale = bits + guard
    alpha, powers = approximate_root(*field._root, scale), [1 << scale]
    for _ in range(m - 1):
        powers.append(powers[-1] * alpha >> scale)
    return powers, scale


def twice_cosine(n: int) -> Fraction | FieldElement:
    """The number ``2 cos(2 pi / n)``.

    Examples
    --------
    >>> twice_cosine(6), twice_cosine(8) ** 2, twice_cosine(5).field
    (Fraction(1, 1), Fraction(2, 1), NumberField([-1, 1, 1], (2*cos(2*pi/5)) = 0.618034..))
    """
    from flint import fmpz_poly  # loads slowly
    from sympy import totient  # loads slowly

    degree = int(totient(n)) // 2
    if degree > MOST_DEGREE:
        what = f"answers over Q(2 cos(2 pi / {n})), of degree {degree}"
        check_bytes(what, _BYTES_OF_COSINES * degree**3, allowed=free_bytes())
    polynomial = tuple(int(c) for c in fmpz_poly.cos_minpoly(n).coeffs())
    if degree <= 1:
        return Fraction(-polynomial[0])
    # the largest of the conjugates, which all are real
    return NumberField._of_root(polynomial, degree - 1, f"(2*cos(2*pi/{n}))").generator


def field_of(entries: Any) -> NumberField | None:
    """The one field of the irrational numbers among some entries; None if all are rational.

    Examples
    --------
    >>> field_of([1, Fraction(1, 2)]) is None
    True
    """
    found = None
    for entry in entries:
        if type(entry) is FieldElement and entry.field is not found:
            # coefficients of another field would be taken for coefficients of this one
            assert found is None or entry.field == found, f"{entry} is not of {found}"
            found = entry.field
    return found


def field_of_rows(rows: Any) -> NumberField | None:
    """The same for rows of entries."""
    return field_of(entry for row in rows for entry in row)


def integers_of(entry: Any, degree: int) -> tuple[int, ...]:
    """Coefficients of the powers of alpha, all of which are integers, in a field of this degree.

    Examples
    --------
    >>> a = NumberField([-2, 0, 1], (1, 2), "a").generator
    >>> integers_of(3 - 2 * a, 2), integers_of(5, 2)
    ((3, -2), (5, 0))
    """
    if type(entry) is FieldElement:
        numerators, denominator = entry._integral
        assert denominator == 1  # other rows have to be made integral first
        return numerators
    assert entry.denominator == 1
    return (int(entry), *(0,) * (degree - 1))


def coefficients_of(entry: Any, degree: int) -> tuple[Fraction, ...]:
    """Coefficients of a number of a field of this degree, which may be rational."""
    if type(entry) is FieldElement:
        return entry.coefficients
    return (Fraction(entry), *[Fraction(0)] * (degree - 1))


def numerators_of(entry: Any) -> tuple[tuple[int, ...], int]:
    """Numerators of the coefficients of the powers of alpha, and their denominator.

    The number may be rational.

    Examples
    --------
    >>> a = NumberField([-2, 0, 1], (1, 2), "a").generator
    >>> numerators_of(a / 2 + 1), numerators_of(Fraction(2, 3))
    (((2, 1), 2), ((2,), 3))
    """
    if type(entry) is FieldElement:
        return entry._integral
    return (int(entry.numerator),), int(entry.denominator)


def whole_number(field: NumberField, coefficients: Sequence[int]) -> int | FieldElement:
    """The number with these coefficients of the powers of alpha: an int if it is rational.

    Examples
    --------
    >>> K = NumberField([-2, 0, 1], (1, 2), "a")
    >>> whole_number(K, [3, 1]), whole_number(K, [3])
    (3 + a, 3)
    """
    from flint import fmpq_poly  # loads slowly

    if not any(coefficients[1:]):
        return coefficients[0]
    element = FieldElement(field, fmpq_poly(list(coefficients)))
    element._integers = tuple(coefficients), 1
    return element


def images_in_common_field(fields: Sequence[NumberField]) -> tuple[NumberField, list[Any]]:
    """A field that contains all the fields, and their generators as its numbers.

    Examples
    --------
    >>> a, b = NumberField([-2, 0, 1], (1, 2), "a"), NumberField([-3, 0, 1], (1, 2), "b")
    >>> K, (x, y) = images_in_common_field([a, b])
    >>> K.degree, x * x, y * y, x > 0, y > 0
    (4, Fraction(2, 1), Fraction(3, 1), True, True)
    """
    common, images = fields[0], [fields[0].generator]
    for field in fields[1:]:
        joined, first, second = join_fields(common, field)
        if joined != common:
            images = [in_field(image, first) for image in images]
        common = joined
        images.append(second)
    return common, images
