"""Exact linear algebra over a real number field, by rational matrices.

Multiplication by a number of a field of degree m is a rational matrix of order m. With these
blocks in place of the entries, a matrix over the field becomes a rational one, and its reduced row
echelon form is that over the field, in blocks. So FLINT's elimination over the rationals serves.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from arrangements.exact.field_entries import coefficients_of
from arrangements.exact.number_field import FieldElement, NumberField

Rows = Sequence[Sequence[Any]]


def reduced_rows(
    rows: Rows, columns: int, field: NumberField
) -> tuple[list[list[Any]], tuple[int, ...]]:
    """Non-zero rows of the reduced row echelon form, and the columns of their leading ones.

    Examples
    --------
    >>> K = NumberField([-2, 0, 1], (1, 2), "a")
    >>> reduced_rows([[K.generator, 2], [1, K.generator]], 2, K)
    ([[Fraction(1, 1), a]], (0,))
    """
    from flint import fmpq, fmpq_mat  # loads slowly

    m = field.degree
    table = [[fmpq(0)] * (m * columns) for _ in range(m * len(rows))]
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            for s, line in enumerate(_multiplication(entry, field)):
                for t, c in enumerate(line):
                    if c:
                        table[m * i + s][m * j + t] = fmpq(c.numerator, c.denominator)
    reduced, rank = fmpq_mat(table).rref()
    lines = reduced.tolist()[: int(rank)]
    pivots = [next(j for j, c in enumerate(line) if c != 0) for line in lines[::m]]
    found = []
    for i in range(0, int(rank), m):
        # the first column of a block holds the coefficients of its number
        found.append(
            [
                field([Fraction(int(c.p), int(c.q)) for c in (lines[i + s][j] for s in range(m))])
                for j in range(0, m * columns, m)
            ]
        )
    return found, tuple(j // m for j in pivots)


def independent_rows(rows: Rows, field: NumberField) -> tuple[int, ...]:
    """Rows outside the span of those before them."""
    if not rows or not rows[0]:
        return ()
    return reduced_rows(list(zip(*rows, strict=True)), len(rows), field)[1]


def nullspace(rows: Rows, columns: int, field: NumberField) -> list[list[Any]]:
    """A basis of {x : rows x = 0}."""
    reduced, pivots = reduced_rows(rows, columns, field)
    basis = []
    for free in sorted(set(range(columns)) - set(pivots)):
        vector: list[Any] = [0] * columns
        vector[free] = 1
        for row, pivot in zip(reduced, pivots, strict=True):
            vector[pivot] = -row[free]
        basis.append(vector)
    return basis


def determinant(rows: Rows) -> Any:
    """Determinant by elimination."""
    table, value = [list(row) for row in rows], 1
    for c in range(len(table)):
        p = next((i for i in range(c, len(table)) if table[i][c]), None)
        if p is None:
            return 0
        if p != c:
            table[c], table[p], value = table[p], table[c], -value
        pivot = table[c][c]
        value = value * pivot
        inverse = 1 / pivot if isinstance(pivot, FieldElement) else Fraction(1, 1) / pivot
        for i in range(c + 1, len(table)):
            if table[i][c]:
                factor = table[i][c] * inverse
                table[i] = [a - factor * b for a, b in zip(table[i], table[c], strict=True)]
    return value


@lru_cache(maxsize=4096)
def _multiplication(entry: Any, field: NumberField) -> tuple[tuple[Fraction, ...], ...]:
    """The matrix of multiplication by a number: column k holds its product with theta**k."""
    m = field.degree
    columns, image = [], field(entry)
    for k in range(m):
        columns.append(coefficients_of(image, m))
        if k < m - 1:
            image = image * field.generator
    return tuple(zip(*columns, strict=True))
