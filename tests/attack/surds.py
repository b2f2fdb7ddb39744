"""Exact numbers a + b sqrt(2) + c sqrt(3) + d sqrt(6), with nothing of the package or of SymPy.

The four roots are independent over the rationals, so such a number is 0 iff its coefficients are.
The sign of any other is that of an interval around it, narrowed until it leaves 0 out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import isqrt
from typing import Any

_RADICANDS = (1, 2, 3, 6)
_PLACE = {radicand: place for place, radicand in enumerate(_RADICANDS)}


class Surd:
    """A number with rational coefficients of 1, sqrt(2), sqrt(3), sqrt(6)."""

    def __init__(self, *coefficients: Any) -> None:
        given = tuple(Fraction(c) for c in coefficients)
        self.coefficients = given + (Fraction(0),) * (4 - len(given))

    def __add__(self, other: Surd) -> Surd:
        return Surd(*(a + b for a, b in zip(self.coefficients, other.coefficients, strict=True)))

    def __neg__(self) -> Surd:
        return Surd(*(-a for a in self.coefficients))

    def __sub__(self, other: Surd) -> Surd:
        return self + -other

    def __mul__(self, other: Surd) -> Surd:
        found = [Fraction(0)] * 4
        for (m, a), (n, b) in product(
            zip(_RADICANDS, self.coefficients, strict=True),
            zip(_RADICANDS, other.coefficients, strict=True),
        ):
            radicand, factor = m * n, 1
            for square in (2, 3):  # 2 and 3 are all primes there are
                while radicand % square**2 == 0:
                    radicand, factor = radicand // square**2, factor * square
            found[_PLACE[radicand]] += a * b * factor
        return Surd(*found)

    def sign(self) -> int:
        """-1, 0 or 1."""
        if not any(self.coefficients):
            return 0
        bits = 64
        while True:
            low = high = Fraction(0)
            for radicand, a in zip(_RADICANDS, self.coefficients, strict=True):
                root = isqrt(radicand << 2 * bits)
                exact = root * root == radicand << 2 * bits
                ends = a * Fraction(root, 1 << bits), a * Fraction(root + (not exact), 1 << bits)
                low, high = low + min(ends), high + max(ends)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2

    def __repr__(self) -> str:
        """A SymPy expression."""
        roots = ("1", "sympy.sqrt(2)", "sympy.sqrt(3)", "sympy.sqrt(6)")
        terms = [
            f"sympy.Rational({a.numerator}, {a.denominator})*{root}"
            for a, root in zip(self.coefficients, roots, strict=True)
            if a
        ]
        return " + ".join(terms) or "sympy.Integer(0)"


def positive_somewhere(rows: Sequence[Sequence[Surd]]) -> bool:
    """Whether some x makes every ``row[:-1] . x + row[-1]`` positive: Fourier-Motzkin."""
    rows = [list(row) for row in rows]
    while rows and len(rows[0]) > 1:
        signs = [row[0].sign() for row in rows]
        up = [row for row, s in zip(rows, signs, strict=True) if s > 0]
        down = [row for row, s in zip(rows, signs, strict=True) if s < 0]
        level = [row[1:] for row, s in zip(rows, signs, strict=True) if s == 0]
        crossed = [
            [p[0] * b - q[0] * a for a, b in zip(p[1:], q[1:], strict=True)]
            for p in up
            for q in down
        ]
        rows = level + crossed
    return all(row[0].sign() > 0 for row in rows)


def chambers(W: Sequence[Sequence[Surd]], offsets: Sequence[Surd]) -> set[tuple[int, ...]]:
    """All sign vectors without a zero."""
    rows = [[*row, b] for row, b in zip(W, offsets, strict=True)]
    negated = [[-x for x in row] for row in rows]
    return {
        signs
        for signs in product((-1, 1), repeat=len(rows))
        if positive_somewhere(
            [row if s > 0 else back for s, row, back in zip(signs, rows, negated, strict=True)]
        )
    }
