"""Patterns from cosines alone: lemma 5.3 and theorem 5.6 as algorithms.

The proof of lemma 5.3 has three steps, and so has the algorithm. (1) Rows may be scaled by
positive numbers: W and its rows of unit length have the same sign pattern. (2) C = U U^T, U the
rows of unit length, has the column span of U. (3) The sign pattern is that of any matrix with
this column span. Only step (1) meets square roots, and another scaling avoids them: see
`rescaled_gram`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, Literal, NamedTuple, NoReturn

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from arrangements.enumeration import chambers
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.linear import row_basis
from arrangements.exact.numbers import as_exact_matrix, integer_rows
from arrangements.low_rank import low_rank_factor
from arrangements.paper.definitions import FractionRows, cosine_matrix
from arrangements.ranking_enumeration import rankings
from arrangements.ranking_sets import Rankings
from arrangements.sign_vectors import SignVectors

_NO_DIFFERENCES = (
    "D is not the cosine matrix of all differences w_i - w_j, i < j in lexicographic order"
)

# Entries of a float C and of its transpose that differ by more were not computed as cosines.
_FLOAT_ERROR = 1e-6


class RescaledGram(NamedTuple):
    """Rational matrix ``diag(rho) C diag(rho)`` with the sign pattern of a cosine matrix C.

    Attributes
    ----------
    rows : list of n tuples of Fraction
        The matrix, symmetric.
    squares : tuple of n Fraction
        ``rho ** 2``, positive; rho itself is a square root of it.
    """

    rows: FractionRows
    squares: tuple[Fraction, ...]


def sign_pattern_from_cosines(C: Any, *, rank: int | Literal["exact"] = "exact") -> SignVectors:
    """Sign pattern of a matrix W from nothing but the cosines of its rows (lemma 5.3).

    Parameters
    ----------
    C : (n, n) SymPy matrix, or array_like of int, Fraction or SymPy numbers
        Cosine matrix of the non-zero rows of some W, rational or with rational products of
        rows: see `cosine_matrix`. Floats need `rank`.
    rank : "exact" or int
        An integer r takes the best rank-r approximation of C in float64, as in `chambers`: r
        is the rank of W, which rounded cosines no longer have. The answer is that of the
        float64 factor: linear dependencies among fewer than r + 1 rows of W are lost too.

    Returns
    -------
    SignVectors
        Equal to ``sign_pattern(W)`` of every such W. Witnesses are in coordinates of their
        own: x with the given signs of ``G[:, basis] @ x``, see Notes.

    Raises
    ------
    InputError
        If C is not square, symmetric, of unit diagonal and positive semidefinite, or not the
        cosine matrix of rows with rational products.
    InputTypeError
        If C holds floats and `rank` is "exact".

    See Also
    --------
    ranking_pattern_from_difference_cosines : the same for rankings.

    Notes
    -----
    Exact unless `rank` is an integer. `rescaled_gram` finds positive numbers rho for which G =
    diag(rho) C diag(rho) is rational. G is the matrix of products of the rows of W, each
    scaled by some positive number; so its column span is that of the scaled W, and a basis of its
    columns is a matrix of `chambers` with the same sign pattern. O(n^2) square roots of
    rationals, then the work of `chambers` on n rows in dimension rank(C).

    Examples
    --------
    >>> from arrangements import chambers, cosine_matrix
    >>> W = [[1, 2, 0], [0, 1, 1], [1, 1, -1], [2, 0, 1]]
    >>> C = cosine_matrix(W)
    >>> C[0, 1], C[0, 2]
    (sqrt(10)/5, sqrt(15)/5)
    >>> sign_pattern_from_cosines(C) == chambers(W)
    True

    Rounding breaks the linear dependency of the first three rows:

    >>> rounded = sign_pattern_from_cosines(cosine_matrix(W, exact=False), rank=3)
    >>> len(chambers(W)), len(rounded)
    (12, 14)
    """
    if not isinstance(rank, str):
        return chambers(_float_symmetric(C), rank=rank)
    if rank != "exact":
        raise InputError(f"rank is {rank!r}; expected 'exact' or the rank of W, an integer.")
    gram = rescaled_gram(C).rows
    return chambers(spanning_columns(gram))


def ranking_pattern_from_difference_cosines(
    D: Any, *, rank: int | Literal["exact"] = "exact"
) -> Rankings:
    """Ranking pattern of a matrix W from the cosines of the differences of its rows (theorem 5.6).

    Parameters
    ----------
    D : (m, m) SymPy matrix, or array_like, m = n (n - 1) / 2
        Cosines between all differences ``w_i - w_j``, pairs i < j in lexicographic order: see
        `difference_cosine_matrix`.
    rank : "exact" or int
        An integer r is the rank of the column-centred W, for rounded cosines: labels are
        placed in R^r, in float64, so that their differences have these cosines, and the
        rankings are those of these labels.

    Returns
    -------
    Rankings
        Equal to ``ranking_pattern(W)`` of every such W. Of no weights, so without witnesses; if
        `rank` is an integer, of the labels that were placed.

    Raises
    ------
    InputError
        As `sign_pattern_from_cosines`, or if D is not of the differences of any labels.

    Notes
    -----
    Exact unless `rank` is an integer. The ranking pattern is the sign pattern of the
    differences, to which lemma 5.3 applies. Rounding breaks the linear dependencies that the
    differences of labels always have, so rounded cosines are not treated as those of any rows:
    the directions of all differences determine the labels up to translation and scale (if they
    are not on a line, where the signs determine the order), by a least squares problem.

    Examples
    --------
    >>> from arrangements import difference_cosine_matrix, rankings
    >>> W = [[1, 2], [0, 5], [1, 1], [3, 0]]
    >>> D = difference_cosine_matrix(W)
    >>> D.shape
    (6, 6)
    >>> ranking_pattern_from_difference_cosines(D) == rankings(W)
    True
    """
    if not isinstance(rank, str):
        return rankings(_placed_labels(_float_symmetric(D), rank))
    signs = sign_pattern_from_cosines(D, rank=rank)
    try:
        return Rankings.from_sign_vectors(signs)
    except InputError as error:
        raise InputError(f"{_NO_DIFFERENCES}: {error}") from error


def rescaled_gram(C: Any) -> RescaledGram:
    """Scale rows and columns of a cosine matrix by positive numbers to a rational matrix.

    Along a spanning forest of the pairs (i, j) with C_ij != 0, set rho = 1 at the roots and
    ``rho_j = rho_i |C_ij|`` at the others. If C belongs to rows w_i, then |C_ij| is a rational
    number over |w_i| |w_j|, so by induction rho_j is one over |w_root| |w_j|; hence rho_i C_ij
    rho_j is rational within a tree, and zero between trees.

    Parameters
    ----------
    C : (n, n) SymPy matrix, or array_like of int, Fraction or SymPy numbers

    Returns
    -------
    RescaledGram

    Raises
    ------
    InputError
        If C is not square, symmetric and of unit diagonal, or this scaling is not rational.
    InputTypeError
        If C holds floats.

    Examples
    --------
    >>> from arrangements import cosine_matrix
    >>> gram = rescaled_gram(cosine_matrix([[1, 2], [1, 0]]))
    >>> gram.rows
    [(Fraction(1, 1), Fraction(1, 5)), (Fraction(1, 5), Fraction(1, 5))]
    >>> gram.squares
    (Fraction(1, 1), Fraction(1, 5))
    """
    squares = _signed_squares(C)
    _check_cosines(squares)
    rho = _forest_scaling(squares)
    rows = [
        tuple(_rational_root(rho[i] * c * rho[j], i, j) for j, c in enumerate(row))
        for i, row in enumerate(squares)
    ]
    return RescaledGram(rows, rho)


def spanning_columns(gram: FractionRows) -> NDArray[Any]:
    """Matrix of full column rank with the sign pattern of a positive semidefinite matrix.

    Parameters
    ----------
    gram : list of n tuples of Fraction
        Symmetric.

    Returns
    -------
    (n, rank) ndarray of int64 or object
        Columns of `gram` that span the others, each row times a positive number.

    Raises
    ------
    InputError
        If the matrix is not positive semidefinite.

    Notes
    -----
    Exact. If B are independent rows that span the others, the symmetric G_BB is regular, and
    all of G is positive semidefinite iff G_BB is positive definite: the Schur complement of G_BB
    has rank zero. That is decided by the pivots of G_BB.

    Examples
    --------
    >>> one = Fraction(1)
    >>> spanning_columns([(one, one, 0 * one), (one, one, 0 * one), (0 * one, 0 * one, one)])
    array([[1, 0],
           [1, 0],
           [0, 1]])
    """
    # a row times a positive number: other columns, the same sign pattern, smaller integers
    integers = integer_rows(np.array(gram, dtype=object))
    basis = row_basis(integers)
    if not _is_positive_definite([[gram[i][j] for j in basis] for i in basis]):
        raise InputError(
            "C is not positive semidefinite, so it holds no cosines of vectors. Rounded cosines "
            "need rank= (the rank of W)."
        )
    return as_exact_matrix([[row[j] for j in basis] for row in integers])


def _is_positive_definite(matrix: Sequence[Sequence[Fraction]]) -> bool:
    """Whether all pivots of a symmetric matrix are positive."""
    rest = [list(row) for row in matrix]
    for k, row in enumerate(rest):
        if row[k] <= 0:
            return False
        for lower in rest[k + 1 :]:
            factor = lower[k] / row[k]
            for j in range(k, len(row)):
                lower[j] -= factor * row[j]
    return True


def _forest_scaling(squares: FractionRows) -> tuple[Fraction, ...]:
    """Squares of the numbers rho of `rescaled_gram`."""
    n = len(squares)
    forest = nx.Graph()
    forest.add_nodes_from(range(n))
    forest.add_edges_from((i, j) for i in range(n) for j in range(i) if squares[i][j])
    rho: dict[int, Fraction] = {}
    for tree in nx.connected_components(forest):
        root = min(tree)
        rho[root] = Fraction(1)
        for i, j in nx.bfs_edges(forest, root):
            rho[j] = rho[i] * abs(squares[i][j])
    return tuple(rho[i] for i in range(n))


def _rational_root(square: Fraction, i: int, j: int) -> Fraction:
    """Square root with the sign of `square`, which must be the square of a rational."""
    size = abs(square)
    root = Fraction(isqrt(size.numerator), isqrt(size.denominator))
    if root * root != size:
        raise InputError(
            f"C is not the cosine matrix of rows with rational products: scaled along a spanning "
            f"forest, entry [{i}, {j}] is the square root of {size}. Pass rank= (the rank of W) "
            "to take C in float64."
        )
    return root if square >= 0 else -root


def _signed_squares(C: Any) -> FractionRows:
    """Entries c of a square matrix as c |c|, exact."""
    try:
        array = np.asarray(C.tolist() if getattr(C, "is_Matrix", False) else C)
    except ValueError as error:
        raise InputError("C is ragged; expected (n, n).") from error
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise InputError(f"C has shape {array.shape}; expected (n, n).")
    return [
        tuple(_signed_square(entry, i, j) for j, entry in enumerate(row))
        for i, row in enumerate(array.tolist())
    ]


def _signed_square(entry: Any, i: int, j: int) -> Fraction:
    if isinstance(entry, float) or getattr(entry, "is_Float", False):
        raise InputTypeError(
            f"C[{i}, {j}] is the float {entry}: rounded cosines have lost the rank of W. Pass "
            "rank= (the rank of W), or exact cosines (cosine_matrix(W), or Fractions)."
        )
    if isinstance(entry, int | Fraction):
        return entry * abs(Fraction(entry))
    if getattr(entry, "is_Rational", False):
        return _signed_square(Fraction(int(entry.p), int(entry.q)), i, j)
    if not getattr(entry, "is_number", False):
        _refuse(entry, i, j)
    coefficient, root = entry.as_coeff_Mul()
    if _is_square_root(root):  # times a rational: all cosines of rational rows
        value = _signed_square(coefficient, i, j)
        return value * Fraction(int(root.base.p), int(root.base.q))
    if not entry.is_extended_real:
        _refuse(entry, i, j)
    from sympy import simplify

    square = simplify(entry**2)
    if not square.is_Rational:
        raise InputError(
            f"C[{i}, {j}] is {entry}, of which the square is irrational: C is not the cosine "
            "matrix of rows with rational products. Pass rank= (the rank of W) to take C in "
            "float64."
        )
    value = Fraction(int(square.p), int(square.q))
    return -value if entry < 0 else value


def _refuse(entry: Any, i: int, j: int) -> NoReturn:
    raise InputTypeError(
        f"C[{i}, {j}] is {entry!r} of type {type(entry).__name__}; expected a real number."
    )


def _is_square_root(expression: Any) -> bool:
    """Whether a SymPy expression is the square root of a positive rational."""
    if not (expression.is_Pow and expression.base.is_Rational and expression.base.p > 0):
        return False
    return expression.exp.is_Rational and (expression.exp.p, expression.exp.q) == (1, 2)


def _check_cosines(squares: FractionRows) -> None:
    """Refuse what is no symmetric matrix of unit diagonal."""
    for i, row in enumerate(squares):
        if row[i] != 1:
            raise InputError(f"C[{i}, {i}] is not 1; expected the cosines of non-zero rows.")
        for j in range(i):
            if row[j] != squares[j][i]:
                raise InputError(f"C is not symmetric: C[{j}, {i}] and C[{i}, {j}] differ.")


def _float_symmetric(C: Any) -> NDArray[np.float64]:
    """A float64 copy of C, made exactly symmetric."""
    given = C.evalf(30).tolist() if getattr(C, "is_Matrix", False) else C
    values = np.array(given, dtype=float) if not isinstance(given, np.ndarray) else given
    cosines = as_exact_matrix(values, "C").astype(np.float64)
    if cosines.shape[0] != cosines.shape[1]:
        raise InputError(f"C has shape {cosines.shape}; expected (n, n).")
    if np.abs(cosines - cosines.T).max() > _FLOAT_ERROR:
        raise InputError("C is not symmetric; expected the cosines of the rows of W.")
    if np.abs(np.diag(cosines) - 1).max() > _FLOAT_ERROR:
        raise InputError("the diagonal of C is not 1; expected the cosines of non-zero rows.")
    return (cosines + cosines.T) / 2


def _placed_labels(D: NDArray[np.float64], r: int) -> NDArray[np.float64]:
    """Labels in R^r whose differences have the cosines D, in lexicographic order of the pairs.

    With the directions u_ij of the differences: the labels w that minimise the sum of squares of
    the parts of w_i - w_j orthogonal to u_ij, which vanishes; not all equal.
    """
    m = len(D)
    n = (1 + isqrt(1 + 8 * m)) // 2
    if n * (n - 1) // 2 != m:
        raise InputError(f"D has shape {D.shape}; expected n (n - 1) / 2 rows for n labels.")
    first, second = np.triu_indices(n, 1)
    factor = low_rank_factor(D, r)
    values = np.linalg.norm(factor, axis=0)
    directions = factor / np.sqrt(np.where(values > 0, values, 1))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    if r == 1:  # on a line: the number of labels below, minus that above
        labels = np.zeros((n, 1))
        np.add.at(labels, first, directions)
        np.add.at(labels, second, -directions)
    else:
        labels = _least_turned(directions, n)
    differences = labels[first] - labels[second]
    if (differences * directions).sum() < 0:
        labels, differences = -labels, -differences
    if not differences.any(axis=1).all() or (
        np.abs(cosine_matrix(differences, exact=False) - D).max() > _FLOAT_ERROR
    ):
        raise InputError(f"{_NO_DIFFERENCES}, of column-centred rank {r}.")
    return labels


def _least_turned(directions: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Centred labels of which the differences have the least parts across the directions."""
    r = directions.shape[1]
    first, second = np.triu_indices(n, 1)
    across = np.eye(r) - directions[:, :, None] * directions[:, None, :]
    form = np.zeros((n, r, n, r))
    for i, j, part in zip(first, second, across, strict=True):
        form[i, :, i] += part
        form[j, :, j] += part
        form[i, :, j] -= part
        form[j, :, i] -= part
    _, vectors = np.linalg.eigh(form.reshape(n * r, n * r))
    # the form vanishes on the translations and on the labels: what is left without translations
    vanishing = vectors[:, : r + 1].reshape(n, r, r + 1)
    centred = (vanishing - vanishing.mean(axis=0)).reshape(n * r, r + 1)
    return np.linalg.svd(centred)[0][:, 0].reshape(n, r)
