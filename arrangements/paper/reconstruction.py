"""Patterns from cosines alone: lemma 5.3 and theorem 5.6 as algorithms.

The proof of lemma 5.3 has three steps, and so has the algorithm. (1) Rows may be scaled by
positive numbers: W and its rows of unit length have the same sign pattern. (2) C = U U^T, U the
rows of unit length, has the column span of U. (3) Every matrix with this column span has the
same sign pattern. Only step (1) involves square roots, and another scaling avoids them: see
`rescaled_gram`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from numbers import Rational
from typing import Any, Literal, NamedTuple, NoReturn

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from arrangements.checks import checked_integer
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError, InputTypeError, shown
from arrangements.exact.linear import row_basis, solve
from arrangements.exact.numbers import (
    as_exact_matrix,
    as_objects,
    integer_rows,
    plain_array,
    refuse_masked,
)
from arrangements.model.low_rank import leading_directions
from arrangements.model.rounded_product import recovered_product
from arrangements.paper.definitions import FractionRows, cosine_matrix, ranking_pattern
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

_NO_DIFFERENCES = (
    "D is not the cosine matrix of all differences w_i - w_j, i < j in lexicographic order"
)

# Entries of a float C and of its transpose that differ by more were not computed as cosines.
_FLOAT_ERROR = 1e-6
# Bits of a label that least squares place, relative to the largest, where cosines have 53.
_PLACED_BITS = 44


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
        An integer r is the rank of W, which rounded cosines no longer have. As in `chambers`,
        it asks about the matrix of rank r that C was meant to be: see `low_rank_structure`. If the
        rows are multiples of rational vectors, their linear dependencies are recovered.

    Returns
    -------
    SignVectors
        Equal to ``sign_pattern(W)`` of every such W. Witnesses are in coordinates of their
        own: x with the given signs of ``G[:, basis] @ x``, see Notes.

    Raises
    ------
    InputError
        If C is not square, symmetric, of unit diagonal and positive semidefinite, or not the
        cosine matrix of rows with rational products; or not of the given rank, as far as
        floats can tell.
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

    Rounded cosines need the rank. The linear dependency of the first three rows is recovered:

    >>> rounded = sign_pattern_from_cosines(cosine_matrix(W, exact=False), rank=3)
    >>> rounded == chambers(W)
    True
    """
    if not isinstance(rank, str):
        return chambers(_float_cosines(C, "C", rank), rank=rank)
    return chambers(_coordinates(C, "C", rank))


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
        placed in R^r, in float64, so that their differences have these cosines. The rankings
        are those of these labels, after recovering coincidences that rounding broke, as in
        `rankings`.

    Returns
    -------
    Rankings
        Equal to ``ranking_pattern(W)`` of every such W. Witnesses are in coordinates of their
        own: those of the labels that were placed, see Notes.

    Raises
    ------
    InputError
        As `sign_pattern_from_cosines`, or if no labels have such differences.

    Notes
    -----
    Exact unless `rank` is an integer. By lemma 5.3 the cosines give the directions of all
    differences, up to a linear map that changes no ranking. They determine the labels up to
    translation and scale: label 0 is the origin, label 1 somewhere on its ray, and each other
    one where its rays from two labels meet. The signs give the order of labels on one line. All
    differences of the labels found are compared with all directions, so D is refused if it
    belongs to no labels.

    Rounding breaks the linear dependencies that the differences of labels always have. Then rays
    only nearly meet, and a least squares problem places the labels.

    Examples
    --------
    >>> from arrangements import difference_cosine_matrix, rankings
    >>> W = [[1, 2], [0, 5], [1, 1], [3, 0]]
    >>> D = difference_cosine_matrix(W)
    >>> D.shape
    (6, 6)
    >>> ranking_pattern_from_difference_cosines(D) == ranking_pattern(W)
    True
    """
    if not isinstance(rank, str):
        return ranking_pattern(_meant(_nearly_placed(_float_cosines(D, "D", rank), rank)))
    return ranking_pattern(_placed(_coordinates(D, "D", rank)))


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
    return _rescaled(C, "C")


def _rescaled(C: Any, name: str) -> RescaledGram:
    squares = _signed_squares(C, name)
    _check_cosines(squares, name)
    rho = _forest_scaling(squares)
    rows = [
        tuple(_rational_root(rho[i] * c * rho[j], f"{name}[{i}, {j}]") for j, c in enumerate(row))
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


def _coordinates(C: Any, name: str, rank: str) -> NDArray[Any]:
    """Rows of full column rank whose directions have the cosines in C."""
    if not isinstance(rank, str) or rank != "exact":
        raise InputError(f"rank is {shown(rank)}; expected 'exact' or the rank of W, an integer.")
    return spanning_columns(_rescaled(C, name).rows)


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


def _rational_root(square: Fraction, place: str) -> Fraction:
    """Square root with the sign of `square`, which must be the square of a rational."""
    size = abs(square)
    root = Fraction(isqrt(size.numerator), isqrt(size.denominator))
    if root * root != size:
        raise InputError(
            f"no cosine matrix of rows with rational products: scaled along a spanning forest, "
            f"{place} is the square root of {size}. Pass rank= (the rank of W) to take the "
            "cosines in float64."
        )
    return root if square >= 0 else -root


def _signed_squares(C: Any, name: str) -> FractionRows:
    """Entries c of a square matrix as c |c|, exact."""
    refuse_masked(C, name)
    array = plain_array(C.tolist() if getattr(C, "is_Matrix", False) else C, name)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise InputError(f"{name} has shape {array.shape}; expected (n, n).")
    return [
        tuple(signed_square(entry, f"{name}[{i}, {j}]") for j, entry in enumerate(row))
        for i, row in enumerate(array.tolist())
    ]


def signed_square(entry: Any, place: str) -> Fraction:
    """Square of a real number with its sign, exact; `place` names the number in errors.

    Examples
    --------
    >>> import sympy
    >>> signed_square(-sympy.sqrt(5) / 5, "it")
    Fraction(-1, 5)
    """
    if isinstance(entry, float) or getattr(entry, "is_Float", False):
        raise InputTypeError(
            f"{place} is the float {entry}: rounded cosines have lost the rank of W. Pass "
            "rank= (the rank of W), or exact cosines (cosine_matrix(W), or Fractions)."
        )
    if isinstance(entry, Rational):
        value = Fraction(int(entry.numerator), int(entry.denominator))
        return value * abs(value)
    if not getattr(entry, "is_number", False):
        _refuse(entry, place)
    coefficient, root = entry.as_coeff_Mul()
    if _is_square_root(root):  # times a rational: all cosines of rational rows
        value = signed_square(coefficient, place)
        return value * Fraction(int(root.base.p), int(root.base.q))
    if not entry.is_real:
        _refuse(entry, place)
    from sympy import simplify  # loads slowly

    square = simplify(entry**2)
    if not square.is_Rational:
        raise InputError(
            f"{place} is {entry}, whose square is irrational: not a cosine of rows with "
            "rational products. Pass rank= (the rank of W) to take the cosines in float64."
        )
    value = Fraction(int(square.p), int(square.q))
    # one of two known numbers, so SymPy tells the sign from a few digits
    return -value if entry < 0 else value


def _refuse(entry: Any, place: str) -> NoReturn:
    raise InputTypeError(
        f"{place} is {shown(entry)} of type {type(entry).__name__}; expected a real number."
    )


def _is_square_root(expression: Any) -> bool:
    """Whether a SymPy expression is the square root of a positive rational."""
    if not (expression.is_Pow and expression.base.is_Rational and expression.base.p > 0):
        return False
    return expression.exp.is_Rational and (expression.exp.p, expression.exp.q) == (1, 2)


def _check_cosines(squares: FractionRows, name: str) -> None:
    """Refuse a matrix that is not symmetric with unit diagonal."""
    for i, row in enumerate(squares):
        if row[i] != 1:
            raise InputError(f"{name}[{i}, {i}] is not 1; expected the cosines of non-zero rows.")
        for j in range(i):
            if row[j] != squares[j][i]:
                raise InputError(
                    f"{name} is not symmetric: {name}[{j}, {i}] and {name}[{i}, {j}] differ."
                )


def _placed(directions: NDArray[Any]) -> NDArray[Any]:
    """Labels whose differences are positive multiples of the rows, pairs i < j."""
    n = _number_of_labels(len(directions))
    rows = as_objects(directions)
    first, second = np.triu_indices(n, 1)
    towards = np.zeros((n, n, rows.shape[1]), dtype=object)  # from label i to label j
    towards[first, second], towards[second, first] = -rows, rows
    labels = _on_a_line(towards) if rows.shape[1] == 1 else _where_rays_meet(towards)
    if labels is not None:
        differences = integer_rows(as_exact_matrix(labels[first] - labels[second] + Fraction(0)))
        if differences == integer_rows(directions):
            return labels
    raise InputError(f"{_NO_DIFFERENCES}.")


def _on_a_line(towards: NDArray[Any]) -> NDArray[Any]:
    """Labels 0, 1, .. in the order of the signs of their differences."""
    return np.sum(towards < 0, axis=1).astype(object)


def _where_rays_meet(towards: NDArray[Any]) -> NDArray[Any] | None:
    """Labels from the directions between them, label 0 at the origin; None if rays miss."""
    n, _, r = towards.shape
    labels = np.zeros((n, r), dtype=object)
    labels[1] = towards[0, 1]
    placed, waiting = [1], list(range(2, n))
    while waiting:
        # two labels that are not on a line with 0, the first of them placed already
        p, k = next(
            ((p, k) for k in waiting for p in placed if _independent(labels[p], towards[0, k])),
            (None, None),
        )
        if k is None:
            return None
        rays = np.array([towards[0, k], -towards[p, k]])
        steps = solve(rays.T.tolist(), labels[p].tolist())
        if steps is None or steps[0] <= 0:
            return None
        labels[k] = steps[0] * towards[0, k]
        placed.append(k)
        waiting.remove(k)
    return labels


def _independent(a: NDArray[Any], b: NDArray[Any]) -> bool:
    pivot = np.flatnonzero(a)[0]
    return bool((a[pivot] * b != b[pivot] * a).any())


def _number_of_labels(m: int) -> int:
    n = (1 + isqrt(1 + 8 * m)) // 2
    if n * (n - 1) // 2 != m:
        raise InputError(
            f"D has shape {(m, m)}; expected n (n - 1) / 2 rows, one for each pair of n labels."
        )
    return n


def _float_cosines(C: Any, name: str, rank: int) -> NDArray[np.float64]:
    """A float64 copy of C, made exactly symmetric; refused if it is far from any of this rank."""
    refuse_masked(C, name)
    given = C.evalf(30).tolist() if getattr(C, "is_Matrix", False) else C
    values = np.array(given, dtype=float) if not isinstance(given, np.ndarray) else given
    cosines = as_exact_matrix(values, name).astype(np.float64)
    if cosines.shape[0] != cosines.shape[1]:
        raise InputError(f"{name} has shape {cosines.shape}; expected (n, n).")
    if np.abs(cosines - cosines.T).max() > _FLOAT_ERROR:
        raise InputError(f"{name} is not symmetric; expected the cosines of the rows of W.")
    if np.abs(np.diag(cosines) - 1).max() > _FLOAT_ERROR:
        raise InputError(f"the diagonal of {name} is not 1; expected the cosines of non-zero rows.")
    symmetric = (cosines + cosines.T) / 2
    _check_spectrum(symmetric, name, rank)
    return symmetric


def _check_spectrum(C: NDArray[np.float64], name: str, rank: int) -> None:
    n = len(C)
    largest_first = np.linalg.eigvalsh(C)[::-1]
    if largest_first[-1] < -n * _FLOAT_ERROR:
        raise InputError(
            f"{name} is not positive semidefinite (eigenvalue {largest_first[-1]:.3g}), so it "
            "holds no cosines of vectors."
        )
    rank = checked_integer("rank", rank, 1, n)
    found = int((largest_first > n * _FLOAT_ERROR).sum())
    if found > rank:
        raise InputError(f"rank is {rank}, but {name} has rank {found} at least, beyond rounding.")
    if largest_first[rank - 1] < n * np.finfo(np.float64).eps:
        found = int((largest_first >= n * np.finfo(np.float64).eps).sum())
        raise InputError(f"rank is {rank}, but {name} has only rank {found} and rounding errors.")


def _nearly_placed(D: NDArray[np.float64], r: int) -> NDArray[np.float64]:
    """Labels in R^r whose differences have the cosines D, in lexicographic order of the pairs.

    With the directions u_ij of the differences: the labels w that minimise the sum of squares of
    the parts of w_i - w_j orthogonal to u_ij, which vanishes; not all equal.
    """
    n = _number_of_labels(len(D))
    first, second = np.triu_indices(n, 1)
    factor = D @ leading_directions(D, r)
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


def _meant(labels: NDArray[np.float64]) -> NDArray[Any]:
    """The exact labels that these were meant to be, up to a linear map; else these."""
    found = recovered_product(labels, labels.shape[1], _PLACED_BITS, centred=True)
    return labels if found is None else found.factor


def _least_turned(directions: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Centred labels whose differences have the least parts across the directions."""
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
