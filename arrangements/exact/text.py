"""Exact numbers as text, also those of more digits than Python writes."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from arrangements.exact.number_field import FieldElement
from arrangements.exact.real_roots import rounded


def exact_text(value: Fraction | FieldElement) -> str:
    """A number as text, also one of more digits than Python writes.

    Examples
    --------
    >>> exact_text(Fraction(-1, 3)), len(exact_text(Fraction(10**5000)))
    ('-1/3', 5001)
    """
    if isinstance(value, FieldElement):
        return repr(value)
    parts = [value.numerator] + [value.denominator] * (value.denominator != 1)
    return "/".join(str(Decimal(part)) for part in parts)


def rounded_text(value: Fraction | FieldElement, digits: int = 6) -> str:
    """A number rounded to some digits, also beyond the range of floats.

    Examples
    --------
    >>> rounded_text(Fraction(1, 3)), rounded_text(Fraction(10**400, 3), 4)
    ('0.333333', '3.333e+399')
    """
    return rounded(value.nearby if isinstance(value, FieldElement) else value, digits)


def brief_text(value: Fraction | FieldElement, most: int = 24) -> str:
    """A number as exact text; if this is long, rounded, which the text says.

    Examples
    --------
    >>> brief_text(Fraction(1, 3)), brief_text(Fraction(10**60, 7))
    ('1/3', '≈ 1.42857e+59')
    """
    parts = () if isinstance(value, FieldElement) else (value.numerator, value.denominator)
    if all(part.bit_length() <= 4 * most for part in parts):
        written = exact_text(value)
        if len(written) <= most:
            return written
    return f"≈ {rounded_text(value)}"


def exact_repr(value: Any) -> str:
    """A number, or a tuple of them, as `repr` writes it; numbers too long for that are rounded.

    Examples
    --------
    >>> exact_repr((1, 0.5)), exact_repr((10**5000,))
    ('(1, 0.5)', '(≈ 1.00000e+5000,)')
    """
    if isinstance(value, tuple):
        parts = ", ".join(map(exact_repr, value))
        return f"({parts}{',' * (len(value) == 1)})"
    try:
        return repr(value)
    except ValueError:  # Python writes at most 4300 digits
        return brief_text(Fraction(value))
