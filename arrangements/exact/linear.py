"""Exact linear algebra: rank, bases, solutions, determinants.

Rows are lists of Python ints (see ``exact.numbers.integer_rows``), or of numbers of a real field,
whose matrices ``exact.field_linear`` turns into rational ones. The work is done by
FLINT through python-flint, imported on first use. Ranks are proved from both sides: a
minor that is non-zero modulo a prime is non-zero, and a null vector of the rows chosen
shows that the others add nothing. Neither side trusts the prime.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt, lcm, prod
from operator import mul
from typing import Any

from arrangements.exact import field_linear
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.integer_image import residue_rows
from arrangements.exact.numbers import primitive, times_common_denominator
from arrangements.exact.residues import primes

Rows = Sequence[Sequence[Any]]

# From this many columns on, FLINT solves equations much sooner than it finds a null space.
_MANY = 100


def rank(rows: Rows) -> int:
    """Exact rank of integer rows.

    Examples
    --------
    >>> rank([[1, 2], [2, 4], [0, 0]])
    1
    """
    return len(row_basis(rows))


def row_basis(rows: Rows) -> tuple[int, ...]:
    """Find independent rows that span all of them: their indices, ascending.

    Examples
    --------
    >>> row_basis([[0, 0], [1, 2], [2, 4], [1, 0]])
    (1, 3)
    """
    if not rows:
        return ()
    chosen = list(independent_rows(rows))
    if field_of_rows(rows) is not None:
        return tuple(chosen)
    full = min(len(rows), len(rows[0]))
    while len(chosen) < full:
        # A prime may hide a row, never invent one: look for rows outside the span.
        missed = _row_outside([rows[i] for i in chosen], rows)
        if missed is None:
            break
        chosen.append(missed)
    return tuple(sorted(chosen))


def column_basis(rows: Rows) -> tuple[int, ...]:
    """Find the first independent columns: each lies outside the span of those before it.

    Examples
    --------
    >>> column_basis([[0, 1, 2, 0], [0, 0, 0, 3]])
    (1, 3)
    """
    spanning = [rows[i] for i in row_basis(rows)]
    if not spanning:
        return ()
    if field_of_rows(spanning) is not None:
        return independent_rows(_transposed(spanning))
    leading = tuple(range(len(spanning)))
    # A prime proves independence, and nothing comes before these. Exact elimination of long numbers
    # takes minutes, in which FLINT does not answer Ctrl-C.
    if len(spanning) == len(spanning[0]) or independent_rows(_transposed(spanning)) == leading:
        return leading
    reduced, _, _ = _fmpz(spanning).rref()
    return _pivots(reduced)


def completion(first: Rows, others: Rows) -> tuple[int, ...] | None:
    """Find other rows that make a basis of all rows with the first ones; None if these depend.

    Examples
    --------
    >>> completion([[1, 1, 0]], [[2, 2, 0], [0, 1, 0]])
    (1,)
    """
    rows, count = [*first, *others], len(first)
    chosen = row_basis(rows)
    if not set(range(count)) <= set(chosen):  # a prime may hide one of them
        chosen = column_basis(_transposed(rows))
        if not set(range(count)) <= set(chosen):
            return None
    return tuple(i - count for i in chosen if i >= count)


def independent_rows(rows: Rows) -> tuple[int, ...]:
    """Find rows proved independent by a minor non-zero modulo a prime; rarely too few.

    Of numbers of a field these are all that lie outside the span of the rows before them.

    Examples
    --------
    >>> independent_rows([[1, 2], [2, 4], [1, 0]])
    (0, 2)
    """
    found = independent_modulo_prime(rows)
    most = min(len(rows), len(rows[0])) if rows else 0
    field = field_of_rows(rows)
    if field is None or found == tuple(range(most)):
        return found
    # after so many independent rows none lies outside their span
    stop = found[-1] + 1 if len(found) == most else len(rows)
    return field_linear.independent_rows(rows[:stop], field)


def independent_modulo_prime(rows: Rows) -> tuple[int, ...]:
    """Rows proved independent by a minor non-zero modulo a prime, also of numbers of a field.

    Examples
    --------
    >>> independent_modulo_prime([[1, 2], [2, 4], [1, 0]])
    (0, 2)
    """
    from flint import nmod_mat  # loads slowly

    if not rows or not rows[0]:
        return ()
    if field_of_rows(rows) is not None:
        p, residues = residue_rows(times_common_denominator(rows)[0], 0)
        return _pivots(nmod_mat(residues.T.tolist(), p).rref()[0])
    p = primes(1)[0]
    transposed = [[entry % p for entry in column] for column in zip(*rows, strict=True)]
    try:
        reduced, _ = nmod_mat(transposed, p).rref()
    except TypeError:
        reduced, _ = nmod_mat(_whole(transposed), p).rref()
    return _pivots(reduced)


def nullspace(rows: Rows, columns: int) -> list[list[int]]:
    """Primitive vectors that form a basis of {x : rows x = 0}, x with `columns` entries.

    Examples
    --------
    >>> nullspace([[2, 4]], 2) in ([[-2, 1]], [[2, -1]])
    True
    """
    if not rows:
        return [[int(i == j) for j in range(columns)] for i in range(columns)]
    if (field := field_of_rows(rows)) is not None:
        return [primitive(vector) for vector in field_linear.nullspace(rows, columns, field)]
    vectors, nullity = _fmpz(rows).nullspace()
    table = vectors.transpose().tolist()
    return [primitive([int(e) for e in vector]) for vector in table[: int(nullity)]]


def null_vector(rows: Rows, columns: int) -> list[int] | None:
    """One primitive vector x != 0 with rows x = 0, or None if there is none.

    Examples
    --------
    >>> null_vector([[1, 0], [0, 1]], 2) is None
    True
    """
    found = None
    if columns == len(rows) + 1 > _MANY and field_of_rows(rows) is None:
        found = _null_vector_by_solving(rows, columns)
    if found is not None:
        return found
    basis = nullspace(rows, columns)
    return basis[0] if basis else None


def _null_vector_by_solving(rows: Rows, columns: int) -> list[int] | None:
    """The null vector of n rows and n + 1 columns, if the first n are regular: sooner."""
    try:
        found = _fmpz([row[:-1] for row in rows]).solve(_fmpz([[-row[-1]] for row in rows]))
    except ZeroDivisionError:
        return None
    ratios = [Fraction(int(e.p), int(e.q)) for e in found.entries()]
    common = lcm(*(ratio.denominator for ratio in ratios))
    scaled = [ratio.numerator * (common // ratio.denominator) for ratio in ratios]
    return primitive([*scaled, common])


def solve(rows: Rows, right: Sequence[Any]) -> tuple[Any, ...] | None:
    """One exact solution x of rows x = right, or None if there is none.

    Variables that the equations leave free are zero.

    Examples
    --------
    >>> solve([[2, 0], [1, 3]], [1, 1])
    (Fraction(1, 2), Fraction(1, 6))
    >>> solve([[1, 1], [1, 1]], [0, 1]) is None
    True
    """
    width = len(rows[0])
    if len(rows) == width and field_of_rows([*rows, right]) is None:
        try:
            found = _rational(rows).solve(_rational([[value] for value in right]))
        except ZeroDivisionError:  # a singular matrix may have solutions, too
            pass
        else:
            return tuple(_as_fractions(found.entries()))
    augmented = [[*row, value] for row, value in zip(rows, right, strict=True)]
    table, pivots = reduced_rows(augmented, width + 1)
    if width in pivots:
        return None
    solution = [Fraction(0)] * width
    for row, pivot in zip(table, pivots, strict=True):
        solution[pivot] = row[-1]
    return tuple(solution)


def reduced_rows(
    rows: Sequence[Sequence[Any]], columns: int
) -> tuple[list[list[Any]], tuple[int, ...]]:
    """Non-zero rows of the reduced row echelon form, and the columns of their leading ones.

    Examples
    --------
    >>> reduced_rows([[0, 2, 3], [0, 4, 6]], 3)
    ([[Fraction(0, 1), Fraction(1, 1), Fraction(3, 2)]], (1,))
    """
    if not rows or not columns:
        return [], ()
    if (field := field_of_rows(rows)) is not None:
        return field_linear.reduced_rows(rows, columns, field)
    reduced, found = _rational(rows).rref()
    return [_as_fractions(row) for row in reduced.tolist()[: int(found)]], _pivots(reduced)


def inverse(rows: Sequence[Sequence[int | Fraction]]) -> list[list[Fraction]] | None:
    """Exact inverse of a square matrix, or None if it is singular.

    Examples
    --------
    >>> inverse([[0, 2], [1, 0]])
    [[Fraction(0, 1), Fraction(1, 1)], [Fraction(1, 2), Fraction(0, 1)]]
    """
    if not rows:
        return []
    if field_of_rows(rows) is not None:
        n = len(rows)
        unit = [[*row, *(int(i == j) for j in range(n))] for i, row in enumerate(rows)]
        reduced, pivots = reduced_rows(unit, 2 * n)
        return [row[n:] for row in reduced] if pivots == tuple(range(n)) else None
    try:
        inverted = _rational(rows).inv()
    except ZeroDivisionError:
        return None
    return [_as_fractions(row) for row in inverted.tolist()]


def matrix_product(
    a: Sequence[Sequence[int | Fraction]], b: Sequence[Sequence[int | Fraction]]
) -> list[list[Fraction]]:
    """Exact product of two matrices, `b` with at least one column.

    Examples
    --------
    >>> matrix_product([[1, Fraction(1, 2)]], [[3], [4]])
    [[Fraction(5, 1)]]
    """
    if not a or not b:
        return [[Fraction(0)] * (len(b[0]) if b else 1) for _ in a]
    if field_of_rows(a) is not None or field_of_rows(b) is not None:
        columns = _transposed(b)
        return [[sum(map(mul, row, column), Fraction(0)) for column in columns] for row in a]
    return [_as_fractions(row) for row in (_rational(a) * _rational(b)).tolist()]


class IntegerMatrix:
    """An integer matrix for many products.

    Examples
    --------
    >>> IntegerMatrix([[1, 2]]).product([[3], [4]])
    [[11]]
    """

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        self._matrix = _fmpz(rows)

    def product(self, right: Sequence[Sequence[int]]) -> list[list[int]]:
        """The product with a matrix of integers, or of numbers of a field, on the right."""
        from flint import fmpz_mat  # loads slowly

        try:
            found = self._matrix * fmpz_mat([list(row) for row in right])
        except TypeError:  # numbers of a field
            rows, columns = self._rows(), list(zip(*right, strict=True))
            return [[sum(map(mul, row, column)) for column in columns] for row in rows]
        return [[int(entry) for entry in row] for row in found.tolist()]

    def _rows(self) -> list[list[int]]:
        return [[int(entry) for entry in row] for row in self._matrix.tolist()]

    def __reduce__(self) -> tuple[type[IntegerMatrix], tuple[list[list[int]]]]:
        """FLINT's matrices do not pickle."""
        return IntegerMatrix, (self._rows(),)


def determinant(rows: Rows) -> Any:
    """Exact determinant of a square matrix.

    Examples
    --------
    >>> determinant([[1, 2], [3, 4]])
    -2
    """
    if field_of_rows(rows) is not None:
        return field_linear.determinant(rows)
    return int(_fmpz(rows).det()) if rows else 1


def minor_bits(rows: Sequence[Sequence[int]], order: int | None = None) -> int:
    """Bits of every minor of at most `order` rows, by default of as many as there are columns.

    Hadamard's inequality: a minor is at most the product of the norms of its rows.

    Examples
    --------
    >>> minor_bits([[3, 4], [0, 1], [5, 12]])  # at most 65
    7
    """
    if order is None:
        order = len(rows[0]) if rows else 0
    squares = sorted((sum(e * e for e in row) for row in rows), reverse=True)[:order]
    return -(-prod(max(1, square) for square in squares).bit_length() // 2)


def minor_bound(rows: Sequence[Sequence[int]]) -> int:
    """An integer that no minor exceeds in size.

    Hadamard's inequality for the rows and, so that rows of zeros and ones have the bound that
    those of -1 and 1 have, for rows ``(c, a - m)`` below one ``(1, -m / c)``, of which the
    determinant is that of the rows a: m is the middle of what entries of a column are.

    Examples
    --------
    >>> minor_bound([[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]])
    2
    >>> minor_bound([[2, 0], [0, 3]])
    6
    """
    middles = [max(column) + min(column) for column in zip(*rows, strict=True)]
    square, bounds = sum(m * m for m in middles), []
    plain = [(sum(e * e for e in row), 1) for row in rows]
    bounds.append(_largest_product(plain, len(middles)))
    for c in {1, isqrt(square // max(1, len(middles)))} - {0}:
        # everything twice, so that the middles are integers
        shifted = [
            (c * c + sum((2 * e - m) ** 2 for e, m in zip(row, middles, strict=True)), 4)
            for row in rows
        ]
        bounds.append((1 + Fraction(square, c * c)) * _largest_product(shifted, len(middles)))
    return isqrt(int(min(bounds)))


def _largest_product(squares: list[tuple[int, int]], count: int) -> Fraction:
    """Of at most `count` fractions with the same denominator; 1 if there are none."""
    found = product = Fraction(1)
    for numerator, denominator in sorted(squares, reverse=True)[:count]:
        product *= Fraction(numerator, denominator)
        found = max(found, product)
    return found


def gcd_of_minors(rows: Rows) -> int:
    """Greatest common divisor of the maximal minors of k integer rows; 0 if they are dependent.

    Examples
    --------
    >>> gcd_of_minors([[2, 0, 4], [0, 3, 3]]), gcd_of_minors([[1, 2], [2, 4]]), gcd_of_minors([])
    (6, 0, 1)
    """
    if not rows:
        return 1
    if len(rows) > len(rows[0]):
        return 0
    normal = _fmpz(rows).snf()
    return abs(prod(int(normal[k, k]) for k in range(len(rows))))


def determinant_sign(rows: Rows) -> int:
    """Sign (-1, 0, 1) of the determinant of a square integer matrix.

    Examples
    --------
    >>> determinant_sign([[1, 2], [2, 4]])
    0
    """
    value = determinant(rows)
    return (value > 0) - (value < 0)


def _row_outside(basis: Rows, rows: Rows) -> int | None:
    """Find the first row outside the span of `basis`, independent rows: its index, or None.

    Columns in which the basis is regular give every row's coefficients, if it has any.
    """
    columns = list(independent_rows(_transposed(basis))) if basis else []
    if len(basis) == len(rows[0]):
        return None
    if not basis:
        differences = _fmpz(rows)
    elif len(columns) < len(basis):  # the prime hides one
        differences = _fmpz(rows) * _fmpz(nullspace(basis, len(rows[0]))).transpose()
    else:
        regular = _fmpz([[row[c] for c in columns] for row in basis])
        inverse, denominator = regular.inv().numer_denom()
        coefficients = _fmpz([[row[c] for c in columns] for row in rows]) * inverse
        differences = coefficients * _fmpz(basis) - _fmpz(rows) * denominator
    for i, row in enumerate(differences.tolist()):
        if any(entry != 0 for entry in row):
            return i
    return None


def _transposed(rows: Rows) -> Rows:
    return list(zip(*rows, strict=True))


def _fmpz(rows: Rows) -> Any:
    from flint import fmpz_mat  # loads slowly

    try:
        return fmpz_mat([list(row) for row in rows])
    except TypeError:
        return fmpz_mat(_whole(rows))


def _whole(rows: Rows) -> list[list[int]]:
    """Rows as ints: a rational number that arithmetic in a field leaves is a Fraction."""
    assert all(entry.denominator == 1 for row in rows for entry in row)
    return [[int(entry) for entry in row] for row in rows]


def _rational(rows: Rows) -> Any:
    from flint import fmpq, fmpq_mat, fmpz_mat  # loads slowly

    try:
        return fmpq_mat(fmpz_mat([list(row) for row in rows]))
    except TypeError:  # fractions
        entries = [[fmpq(entry.numerator, entry.denominator) for entry in row] for row in rows]
        return fmpq_mat(entries)


def _as_fractions(row: Sequence[Any]) -> list[Fraction]:
    return [Fraction(int(entry.p), int(entry.q)) for entry in row]


def _pivots(reduced: Any) -> tuple[int, ...]:
    """Columns of the leading entries of a matrix in row echelon form."""
    found = []
    for row in reduced.tolist():
        pivot = next((j for j, entry in enumerate(row) if entry != 0), None)
        if pivot is None:
            break
        found.append(pivot)
    return tuple(found)
