"""Cosines between rows, and between differences of rows: exact, or in floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, compress
from math import gcd, isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.low_rank import unit_rows
from arrangements.errors import DegenerateArrangementError, InputError, TiedLabelsError
from arrangements.exact.coercion import as_exact_matrix, as_floats
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import exactly_equal, fractions
from arrangements.execution import limits
from arrangements.messages import Remedy
from arrangements.paper.definitions import (
    exact_matrix,
    is_algebraic,
    label_differences,
    weights_of,
)

if TYPE_CHECKING:
    from sympy import ImmutableMatrix

FractionRows = list[tuple[Fraction, ...]]
# Memory of a Fraction or a SymPy number, at least.
_EXACT_BYTES = 200
_FEWER_ROWS = Remedy("fewer rows", "Leave out rows, or ask about a part of them.")


def cosine_matrix(W: Any) -> ImmutableMatrix:
    """Exact cosines of the angles between all pairs of rows (definition 5.2).

    Entry (i, j) is ``w_i . w_j / (|w_i| |w_j|)``.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, SymPy matrix, or Arrangement
        A float counts as the exact dyadic number it is. A SymPy matrix may hold square roots
        and other algebraic numbers. The offsets of an Arrangement do not matter.

    Returns
    -------
    (n, n) sympy.ImmutableMatrix
        If W is rational, each entry is ``sqrt(q)`` or ``-sqrt(q)`` for a rational q.

    Raises
    ------
    InputError
        If `W` is malformed.
    DegenerateArrangementError
        If a row is zero: it has no direction.

    See Also
    --------
    rounded_cosine_matrix : in floats, for many rows.

    Notes
    -----
    O(n^2 d) multiplications. Square roots are simplified as far as small prime factors go, so
    equal cosines may be written differently: compare with `same_cosines`.

    Examples
    --------
    >>> cosine_matrix([[1, 1], [2, 0], [0, -1]])
    Matrix([
    [         1, sqrt(2)/2, -sqrt(2)/2],
    [ sqrt(2)/2,         1,          0],
    [-sqrt(2)/2,         0,          1]])
    """
    W = weights_of(W)
    _check_entries(_height(W))
    import sympy  # loads slowly

    if is_algebraic(W):
        matrix = exact_matrix(W)
        gram = (matrix * matrix.T).applyfunc(lambda e: sympy.radsimp(sympy.expand(e)))
    else:
        products = gram_matrix(W)
        if field_of_rows(products) is None:
            return _rational_cosines(products)
        gram = exact_matrix(products)
    _check_no_zero_row([not sympy.simplify(gram[i, i]).is_zero for i in range(gram.rows)])
    return _symmetric(
        gram.rows, lambda i, j: sympy.radsimp(gram[i, j] / sympy.sqrt(gram[i, i] * gram[j, j]))
    )


def rounded_cosine_matrix(W: Any) -> NDArray[np.float64]:
    """Cosines of the angles between all pairs of rows, in floats.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, SymPy matrix, or Arrangement
        As for `cosine_matrix`; numbers may be beyond the range of floats.

    Returns
    -------
    (n, n) ndarray of float64
        Symmetric, with ones on the diagonal.

    Raises
    ------
    InputError
        If `W` is malformed.
    DegenerateArrangementError
        If a row is zero: it has no direction.

    See Also
    --------
    cosine_matrix : exactly. sign_pattern_from_cosines : takes both.

    Examples
    --------
    >>> rounded_cosine_matrix([[3, 4], [4, 3]])
    array([[1.  , 0.96],
           [0.96, 1.  ]])
    """
    W = weights_of(W)
    _check_entries(_height(W), 16)
    if is_algebraic(W):
        W = as_floats(exact_matrix(W).evalf(30).tolist(), "W")
    matrix = as_exact_matrix(W, "W")
    _check_no_zero_row([bool(row.any()) for row in matrix])
    rows = unit_rows(matrix)
    cosines = np.clip(rows @ rows.T, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    return cosines


def signed_squared_cosines(W: Any) -> FractionRows:
    """Squares of all cosines, each with the sign of the cosine: in the order of the cosines.

    Parameters
    ----------
    W : (n, d) array_like, or SymPy matrix

    Returns
    -------
    list of n tuples of Fraction
        Irrational ones are numbers of a field.

    Examples
    --------
    >>> signed_squared_cosines([[1, 1], [-2, 0]])[0]
    (Fraction(1, 1), Fraction(-1, 2))
    """
    gram = gram_matrix(W)
    _check_no_zero_row([gram[i][i] > 0 for i in range(len(gram))])
    return [
        tuple(g * abs(g) / (gram[i][i] * gram[j][j]) for j, g in enumerate(row))
        for i, row in enumerate(gram)
    ]


def gram_matrix(W: Any) -> FractionRows:
    """Products ``w_i . w_j`` of rows, as Fractions, or irrational.

    Examples
    --------
    >>> gram_matrix([[1, 1], [-2, 0]])[0]
    (Fraction(2, 1), Fraction(-2, 1))
    """
    W = weights_of(W)
    _check_entries(_height(W))
    rows = [fractions(row) for row in as_exact_matrix(W, "W")]
    return [tuple(_product(a, b) for b in rows) for a in rows]


def same_cosines(W1: Any, W2: Any) -> bool:
    """Whether two matrices have exactly the same cosine matrix.

    Parameters
    ----------
    W1, W2 : (n, d) array_like, or SymPy matrix
        The numbers of columns may differ.

    Returns
    -------
    bool

    Examples
    --------
    >>> same_cosines([[3, 4], [5, 0]], [[0, 7, 0], [4, 3, 0]])
    True
    >>> same_cosines([[3, 4], [5, 0]], [[0, 1], [0.8, 0.6]])     # 0.8 and 0.6 are rounded
    False
    """
    first, second = (np.array(signed_squared_cosines(W), dtype=object) for W in (W1, W2))
    return exactly_equal(first, second)


def difference_cosine_matrix(W: Any) -> ImmutableMatrix:
    """Exact cosines between all differences ``w_i - w_j`` of rows, i < j in lexicographic order.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, SymPy matrix, or Arrangement
        At least two rows; as for `cosine_matrix`.

    Returns
    -------
    (m, m) sympy.ImmutableMatrix, m = n (n - 1) / 2

    Raises
    ------
    TiedLabelsError
        If two rows are equal: their difference has no direction.

    See Also
    --------
    rounded_difference_cosine_matrix : in floats, for many rows.

    Examples
    --------
    >>> difference_cosine_matrix([[0, 0], [1, 0], [1, 1]])
    Matrix([
    [        1, sqrt(2)/2,         0],
    [sqrt(2)/2,         1, sqrt(2)/2],
    [        0, sqrt(2)/2,         1]])
    """
    return cosine_matrix(_differences(W, _EXACT_BYTES))


def rounded_difference_cosine_matrix(W: Any) -> NDArray[np.float64]:
    """Cosines between all differences ``w_i - w_j`` of rows, in floats.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, SymPy matrix, or Arrangement
        At least two rows; as for `rounded_cosine_matrix`. The differences are exact.

    Returns
    -------
    (m, m) ndarray of float64, m = n (n - 1) / 2

    Raises
    ------
    TiedLabelsError
        If two rows are equal: their difference has no direction.

    See Also
    --------
    difference_cosine_matrix : exactly.
    ranking_pattern_from_difference_cosines : takes both.

    Examples
    --------
    >>> rounded_difference_cosine_matrix([[0], [1], [3]]).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    return rounded_cosine_matrix(_differences(W, 16))


def _differences(W: Any, entry_bytes: int) -> NDArray[Any]:
    """Differences of rows, none of them zero, whose cosines fit."""
    W = weights_of(W)
    n = _height(W)
    _check_entries(n * (n - 1) // 2, entry_bytes)
    differences = label_differences(W)
    if not len(differences):
        raise InputError("W has one row; expected at least two, to have a difference.")
    if is_algebraic(differences):
        from sympy import simplify  # loads slowly

        differences = np.vectorize(simplify, otypes=[object])(differences)
    non_zero = (differences != 0).any(axis=1)
    if not non_zero.all():
        i, j = next(compress(combinations(range(n), 2), ~non_zero))
        raise TiedLabelsError(f"labels {i} and {j} have equal rows: no difference. Drop one.")
    return differences


def _height(W: Any) -> int:
    """Number of rows; 0 for a value without rows, which is refused elsewhere."""
    shape = getattr(W, "shape", None)
    if shape is None:
        return len(W) if isinstance(W, Sequence) else 0
    return int(shape[0]) if len(shape) else 0


def _check_entries(n: int, entry_bytes: int = _EXACT_BYTES) -> None:
    """Refuse a square matrix of n rows that does not fit."""
    limits.check_bytes(f"products of all pairs of {n} rows", n * n * entry_bytes, _FEWER_ROWS)


def _check_no_zero_row(non_zero: Sequence[bool]) -> None:
    if not all(non_zero):
        row = non_zero.index(False)
        raise DegenerateArrangementError(
            f"row {row} of W is zero: it has no direction, so no cosines. Drop row {row}."
        )


def _product(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _symmetric(n: int, entry: Callable[[int, int], Any]) -> ImmutableMatrix:
    """Symmetric matrix of unit diagonal with the given entries below it."""
    import sympy  # loads slowly

    rows = [[entry(i, j) for j in range(i)] for i in range(n)]
    return sympy.ImmutableMatrix(
        n, n, lambda i, j: sympy.S.One if i == j else rows[max(i, j)][min(i, j)]
    )


def _rational_cosines(gram: FractionRows) -> ImmutableMatrix:
    """Cosines of rational products of rows; n integers are searched for square factors, not n^2."""
    from sympy import Integer, Mul, Pow, Rational  # loads slowly

    _check_no_zero_row([row[i] > 0 for i, row in enumerate(gram)])
    lengths = []  # numbers c and m without square factors: row i has length c sqrt(m)
    for i, row in enumerate(gram):
        p, q = row[i].numerator, row[i].denominator
        c, m = _root(p * q)
        lengths.append((Fraction(c, q), m))

    def cosine(i: int, j: int) -> Any:
        (a, m), (b, k) = lengths[i], lengths[j]
        common = gcd(m, k)
        rest = (m // common) * (k // common)  # sqrt(m k) = common sqrt(rest)
        value = gram[i][j] / (a * b * common * rest)
        number = Rational(value.numerator, value.denominator)
        if rest == 1 or not number:
            return number
        root = Pow(Integer(rest), Rational(1, 2), evaluate=False)
        return root if number == 1 else Mul(number, root, evaluate=False)

    return _symmetric(len(gram), cosine)


def _root(number: int) -> tuple[int, int]:
    """Numbers c and m such that the number is ``c^2 m``, m without small square factors."""
    from sympy import Integer, sqrt  # loads slowly

    factor = 1
    for prime in (2, 3, 5, 7):
        while number % prime**2 == 0:
            number //= prime**2
            factor *= prime
    if number.bit_length() < 1000:  # SymPy factors no others
        c, root = sqrt(Integer(number)).as_coeff_Mul()
        return factor * int(c), int(root**2)
    c = isqrt(number)
    return (factor * c, 1) if c * c == number else (factor, number)
