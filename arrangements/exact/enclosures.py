"""Numbers of a real number field in powers of alpha, and how near they are to binary fractions."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import ceil
from typing import Any

from arrangements.exact.real_roots import FIRST_BITS, approximate_root, size_bounds


class Enclosed:
    """A number by its polynomial in alpha, which is not constant, and enclosures of its value."""

    __slots__ = ("_integers", "_polynomial", "field")

    field: Any
    _polynomial: Any
    _integers: tuple[tuple[int, ...], int] | None

    @property
    def numerators(self) -> tuple[int, ...]:
        """Coefficients of the powers of alpha, times `common_denominator`."""
        return self._integral[0]

    @property
    def common_denominator(self) -> int:
        """The least positive integer whose product with the number has integers for those."""
        return self._integral[1]

    @property
    def _integral(self) -> tuple[tuple[int, ...], int]:
        """Numerators and denominator, which take a microsecond to get: only once."""
        if self._integers is None:
            found = tuple(map(int, self._polynomial.numer().coeffs()))
            found += (0,) * (self.field.degree - len(found))
            self._integers = found, int(self._polynomial.denom())
        return self._integers

    def approximation(self, bits: int) -> int:
        """An integer that differs from the number times ``2**bits`` by less than 1."""
        coefficients = self._polynomial.numer().coeffs()
        longest = max(int(c).bit_length() for c in coefficients)
        bound = max(size_bounds(self.field.monic)) + 1
        guard = longest + self.field.degree * (ceil(bound).bit_length() + 2) + 4
        polynomial, place = self.field._root
        alpha, scale = approximate_root(polynomial, place, bits + guard), bits + guard
        # Horner's rule with alpha rounded: the error, in units of 2**-scale, is multiplied by
        # |alpha| + 1 in each step and grows by the size of what was computed so far
        value = 0
        for c in reversed(coefficients):
            value = (value * alpha >> scale) + (int(c) << scale)
        denominator = self.common_denominator << guard
        return (2 * value + denominator) // (2 * denominator)

    def _sign(self) -> int:
        bits = FIRST_BITS
        while True:
            value = self.approximation(bits)
            if abs(value) > 1:
                return 1 if value > 0 else -1
            bits *= 2

    def __hash__(self) -> int:
        # the floor of a multiple is the same in every field that holds the number
        guard = 8
        while True:
            value = self.approximation(FIRST_BITS + guard)
            if (floor := (value - 1) >> guard) == (value + 1) >> guard:
                return hash(floor)
            guard *= 2

    def __float__(self) -> float:
        """The float nearest to the number; OverflowError beyond their range, as of a Fraction."""
        bits = FIRST_BITS
        while True:
            value = self.approximation(bits)
            inner, outer = sorted((value - 1, value + 1), key=abs)
            nearest = inner / (1 << bits)  # OverflowError if the number is too large
            with suppress(OverflowError):  # if only the end beyond it is
                if value and nearest == (found := outer / (1 << bits)):
                    return found  # with the sign of the number, also if it is 0
            bits *= 2

    @property
    def nearby(self) -> Fraction:
        """A fraction that differs from the number by less than ``2**-62`` of it."""
        bits = FIRST_BITS - min(0, self.exponent)
        return Fraction(self.approximation(bits), 1 << bits)

    @property
    def exponent(self) -> int:
        """About the binary logarithm of the size of the number."""
        bits = FIRST_BITS
        while abs(value := self.approximation(bits)) <= 1:
            bits *= 2
        return value.bit_length() - bits
