"""Exact cosines between rows, and between differences of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, isfinite, isqrt
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag
from arrangements.core.low_rank import unit_rows
from arrangements.core.score_model import ScoreModel
from arrangements.errors import (
    DegenerateArrangementError,
    InputError,
    InputTypeError,
    TiedLabelsError,
)
from arrangements.exact.coercion import as_exact_matrix, as_floats
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import exactly_equal, fractions
from arrangements.execution import limits
from arrangements.messages import Remedy
from arrangements.paper.definitions import label_differences, weights_of

if TYPE_CHECKING:
    from sympy import ImmutableMatrix

FractionRows = list[tuple[Fraction, ...]]
# Memory of a Fraction or a SymPy number, at least.
_EXACT_BYTES = 200
_FEWER_ROWS = Remedy("fewer rows", "Leave out rows, or ask about a part of them.")

_ONE_ROW = "W has one row; expected at least two, to have a difference."


@overload
def cosine_matrix(W: Any, *, exact: Literal[True] = True) -> ImmutableMatrix: ...


@overload
def cosine_matrix(W: Any, *, exact: Literal[False]) -> NDArray[np.float64]: ...


def cosine_matrix(W: Any, *, exact: bool = True) -> ImmutableMatrix | NDArray[np.float64]:
    """Cosines of the angles between all pairs of rows (definition 5.2).

    Entry (i, j) is ``w_i . w_j / (|w_i| |w_j|)``.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, SymPy matrix, or Arrangement
        A float counts as the exact dyadic number it is. A SymPy matrix may hold square roots
        and other algebraic numbers. The offsets of an Arrangement do not matter.
    exact : bool
        Whether the cosines are exact.

    Returns
    -------
    (n, n) sympy.ImmutableMatrix, or ndarray of float64 if not `exact`
        If W is rational, each entry is ``sqrt(q)`` or ``-sqrt(q)`` for a rational q.

    Raises
    ------
    InputError
        If `W` is malformed.
    DegenerateArrangementError
        If a row is zero: it has no direction.

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
    >>> cosine_matrix([[3, 4], [4, 3]], exact=False)
    array([[1.  , 0.96],
           [0.96, 1.  ]])
    """
    W = weights_of(W)
    exact = check_flag("exact", exact)
    _check_entries(_height(W), exact)
    if not exact:
        return _float_cosines(W)
    import sympy  # loads slowly

    if _is_algebraic(W):
        gram = _algebraic_gram(W)
    else:
        products = gram_matrix(W)
        if field_of_rows(products) is None:
            return _rational_cosines(products)
        gram = sympy.Matrix([list(map(sympy.sympify, row)) for row in products])
    _check_no_zero_row([not sympy.simplify(gram[i, i]).is_zero for i in range(gram.rows)])
    return _symmetric(
        gram.rows, lambda i, j: sympy.radsimp(gram[i, j] / sympy.sqrt(gram[i, i] * gram[j, j]))
    )


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


@overload
def difference_cosine_matrix(W: Any, *, exact: Literal[True] = True) -> ImmutableMatrix: ...


@overload
def difference_cosine_matrix(W: Any, *, exact: Literal[False]) -> NDArray[np.float64]: ...


def difference_cosine_matrix(
    W: Any, *, exact: bool = True
) -> ImmutableMatrix | NDArray[np.float64]:
    """Cosines between all differences ``w_i - w_j`` of rows, i < j in lexicographic order.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, SymPy matrix, or Arrangement
        At least two rows; as for `cosine_matrix`.
    exact : bool
        Whether the cosines are exact; the differences always are.

    Returns
    -------
    (m, m) sympy.ImmutableMatrix, or ndarray of float64, m = n (n - 1) / 2

    Raises
    ------
    TiedLabelsError
        If two rows are equal: their difference has no direction.

    Examples
    --------
    >>> difference_cosine_matrix([[0, 0], [1, 0], [1, 1]])
    Matrix([
    [        1, sqrt(2)/2,         0],
    [sqrt(2)/2,         1, sqrt(2)/2],
    [        0, sqrt(2)/2,         1]])
    """
    W, exact = weights_of(W), check_flag("exact", exact)
    _check_entries(_height(W) * (_height(W) - 1) // 2, exact)
    differences = _algebraic_differences(W) if _is_algebraic(W) else _rational_differences(W)
    if exact:
        return cosine_matrix(differences)
    return cosine_matrix(differences, exact=False)


def _rational_differences(W: ArrayLike) -> NDArray[Any]:
    if ScoreModel(W).n_labels < 2:  # which refuses equal rows
        raise InputError(_ONE_ROW)
    return label_differences(W)


def _algebraic_differences(W: Any) -> Any:
    import sympy  # loads slowly

    matrix = _exact_sympy(W)
    if matrix.rows < 2:
        raise InputError(_ONE_ROW)
    rows = [matrix.row(i) for i in range(matrix.rows)]
    pairs = list(combinations(range(matrix.rows), 2))
    differences = [(rows[i] - rows[j]).applyfunc(sympy.simplify) for i, j in pairs]
    for (i, j), difference in zip(pairs, differences, strict=True):
        if not any(difference):
            raise TiedLabelsError(f"labels {i} and {j} have equal rows: no difference. Drop one.")
    return sympy.Matrix.vstack(*differences)


def rational_entries(matrix: Any, what: str) -> FractionRows:
    """Rows of a SymPy matrix as Fractions; `what` names an entry in the error.

    Examples
    --------
    >>> import sympy
    >>> rational_entries(sympy.Matrix([[sympy.sqrt(2) ** 2, sympy.Rational(1, 3)]]), "it")
    [(Fraction(2, 1), Fraction(1, 3))]
    """
    return [
        tuple(_fraction(matrix[i, j], f"{what}, [{i}, {j}],") for j in range(matrix.cols))
        for i in range(matrix.rows)
    ]


def _fraction(value: Any, what: str) -> Fraction:
    import sympy  # loads slowly

    if not value.is_Rational:
        value = sympy.simplify(value)
    if not value.is_Rational:
        raise InputTypeError(f"{what} is {value}; expected a rational number.")
    return Fraction(int(value.p), int(value.q))


def _is_algebraic(W: Any) -> bool:
    """Whether an entry is a SymPy expression that is not a Rational (or a Float)."""
    if not (getattr(W, "is_Matrix", False) or isinstance(W, Sequence | np.ndarray)):
        return False
    try:
        array = np.asarray(W, dtype=object) if getattr(W, "is_Matrix", False) else np.asarray(W)
    except Exception:
        return False  # reading it raises the error
    return array.dtype == object and any(
        getattr(entry, "is_Rational", None) is False and not getattr(entry, "is_Float", False)
        for entry in array.flat
    )


def _algebraic_gram(W: Any) -> Any:
    """Products of the rows as a SymPy matrix, simplified."""
    import sympy  # loads slowly

    matrix = _exact_sympy(W)
    return (matrix * matrix.T).applyfunc(lambda e: sympy.radsimp(sympy.expand(e)))


def _exact_sympy(W: Any) -> Any:
    """SymPy matrix of real numbers; a float counts as the dyadic number it is."""
    import sympy  # loads slowly

    def exact(entry: Any) -> Any:
        if isinstance(entry, float) and isfinite(entry):
            return sympy.Rational(*entry.as_integer_ratio())
        entry = sympy.sympify(entry)
        if entry.is_Float:
            raise InputTypeError(
                f"W has the SymPy Float {entry}, which is rounded; expected float(..) or Rational."
            )
        if not entry.is_real:
            raise InputTypeError(f"W has the entry {entry}, which SymPy does not know to be real.")
        return entry

    if getattr(W, "is_Matrix", False):
        W = W.tolist()
    try:
        return sympy.Matrix([[exact(entry) for entry in row] for row in W])
    except (TypeError, ValueError) as error:
        if isinstance(error, InputTypeError):
            raise
        raise InputError("W is ragged or not a matrix; expected (n, d).") from error


def _height(W: Any) -> int:
    """Number of rows; 0 for a value without rows, which is refused elsewhere."""
    shape = getattr(W, "shape", None)
    if shape is None:
        return len(W) if isinstance(W, Sequence) else 0
    return int(shape[0]) if len(shape) else 0


def _check_entries(n: int, exact: bool = True) -> None:
    """Refuse a square matrix of n rows that does not fit."""
    needed = n * n * (_EXACT_BYTES if exact else 16)
    limits.check_bytes(f"products of all pairs of {n} rows", needed, _FEWER_ROWS)


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


def _float_cosines(W: Any) -> NDArray[np.float64]:
    if _is_algebraic(W):
        rows = W.tolist() if getattr(W, "is_Matrix", False) else W
        numbers = [[e.evalf(30) if hasattr(e, "evalf") else e for e in row] for row in rows]
        W = as_floats(numbers, "W")
    matrix = as_exact_matrix(W, "W")
    _check_no_zero_row([bool(row.any()) for row in matrix])
    rows = unit_rows(matrix)
    cosines = np.clip(rows @ rows.T, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    return cosines
