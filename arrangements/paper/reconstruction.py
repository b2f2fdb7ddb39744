"""Patterns from cosines alone: lemma 5.3 and theorem 5.6 as algorithms.

The proof of lemma 5.3 has three steps, and so has the algorithm. (1) Rows may be scaled by
positive numbers: W and its rows of unit length have the same sign pattern. (2) C = U U^T, U the
rows of unit length, has the column span of U. (3) Every matrix with this column span has the
same sign pattern. Only step (1) involves square roots, and another scaling avoids them: see
`rescaled_gram`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from math import isqrt
from numbers import Rational
from typing import Any, NamedTuple, NoReturn

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import public_class
from arrangements.core.low_rank import check_rank
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.linear import row_basis
from arrangements.exact.number_field import FieldElement
from arrangements.exact.numbers import fractions, integer_rows
from arrangements.messages import Remedy, quote
from arrangements.paper import rounded_cosines
from arrangements.paper.cosines import FractionRows
from arrangements.paper.definitions import label_differences, ranking_pattern
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

_IN_FLOATS = Remedy("rank of cosines", "Pass rank= (the rank of W) to take the cosines in float64.")


@public_class
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


def sign_pattern_from_cosines(C: Any, *, rank: int | None = None) -> SignVectors:
    """Sign pattern of a matrix W from nothing but the cosines of its rows (lemma 5.3).

    Parameters
    ----------
    C : (n, n) SymPy matrix, or array_like of int, Fraction or SymPy numbers
        Cosine matrix of the non-zero rows of some W with algebraic entries: see `cosine_matrix`.
        Floats need `rank`.
    rank : int, optional
        An integer is the rank of W, which rounded cosines no longer have. The linear
        dependencies of fewer rows, which rounding loses too, are recovered if the rows are
        multiples of short rational vectors. Exact cosines are taken exactly, and must have this
        rank.

    Returns
    -------
    SignVectors
        Equal to ``sign_pattern(W)`` of every such W. Witnesses are in coordinates of their
        own: x with the given signs of ``G[:, basis] @ x``, see Notes.

    Raises
    ------
    InputError
        If C is not square, symmetric, of unit diagonal and positive semidefinite; if it is not of
        the given rank, as far as floats can tell; or if exact cosines are not algebraic, and
        `rank` is not given.
    InputTypeError
        If C holds floats and `rank` is None.

    Warns
    -----
    RoundingWarning
        If the rounding of floats decides whether some rows are dependent: the answer may be wrong.

    See Also
    --------
    ranking_pattern_from_difference_cosines : the same for rankings.

    Notes
    -----
    Exact unless C holds floats. `rescaled_gram` finds positive numbers rho for which G =
    diag(rho) C diag(rho) is rational, if W has rational products of rows. G is the matrix of
    products of the rows of W, each scaled by some positive number; so its column span is that of
    the scaled W, and a basis of its columns is a matrix of `chambers` with the same sign pattern.
    O(n^2) square roots of rationals, then the work of `chambers` on n rows in dimension rank(C).
    Other algebraic cosines are numbers of one real field, and G = C.

    From floats the answer is an inference. Their precision is that of their type or of their
    decimals, or worse if they deviate from a cosine matrix of this rank by more. The square of each
    cosine is replaced by the simplest fraction within its error; the fractions are used if they
    are simpler than chance explains and are, exactly, the squared cosines of rows of this rank.
    Otherwise rows are recovered as by `low_rank_structure`. Then every set of r rows that is
    dependent up to rounding must be dependent in the answer, or a warning names it (of more than
    2**18 sets, so many random ones are examined).

    Examples
    --------
    >>> from arrangements import chambers
    >>> from arrangements.paper import cosine_matrix, rounded_cosine_matrix
    >>> W = [[1, 2, 0], [0, 1, 1], [1, 1, -1], [2, 0, 1]]
    >>> C = cosine_matrix(W)
    >>> C[0, 1], C[0, 2]
    (sqrt(10)/5, sqrt(15)/5)
    >>> sign_pattern_from_cosines(C) == chambers(W)
    True

    Rounded cosines need the rank. The linear dependency of the first three rows is recovered:

    >>> rounded = sign_pattern_from_cosines(rounded_cosine_matrix(W), rank=3)
    >>> rounded == chambers(W)
    True
    """
    found = _directions(C, "C", rank)
    if not isinstance(found, rounded_cosines.RoundedCosines):
        return chambers(found)
    rows = _exact_rows(found)
    if rows is None:
        rows = rounded_cosines.likely_rows(found)
        rounded_cosines.warn_if_doubtful(found, rows, "C", "rows")
    return chambers(rows)


def ranking_pattern_from_difference_cosines(D: Any, *, rank: int | None = None) -> Rankings:
    """Ranking pattern of a matrix W from the cosines of the differences of its rows (theorem 5.6).

    Parameters
    ----------
    D : (m, m) SymPy matrix, or array_like, m = n (n - 1) / 2
        Cosines between all differences ``w_i - w_j``, pairs i < j in lexicographic order: see
        `difference_cosine_matrix`.
    rank : int, optional
        An integer is the rank of the column-centered W, for rounded cosines; as in
        `sign_pattern_from_cosines`.

    Returns
    -------
    Rankings
        Equal to ``ranking_pattern(W)`` of every such W. Witnesses are in coordinates of their
        own: those of the labels that were placed, see Notes.

    Raises
    ------
    InputError
        As `sign_pattern_from_cosines`, or if no labels have such differences.

    Warns
    -----
    RoundingWarning
        If the rounding of floats decides whether some differences are dependent: the answer may be
        wrong.

    Notes
    -----
    Exact unless D holds floats. By lemma 5.3 the cosines give the directions of all
    differences, up to a linear map that changes no ranking. They determine the labels up to
    translation and scale: label 0 is the origin, label 1 somewhere on its ray, and each other
    one where its rays from two labels meet. The signs give the order of labels on one line. All
    differences of the labels found are compared with all directions, so D is refused if it
    belongs to no labels.

    If rounded cosines are not recognized as those of differences of rational labels, rays only
    nearly meet, and a least squares problem places the labels in R^r, in float64. Coincidences that
    rounding broke are then recovered as in `rankings`.

    Examples
    --------
    >>> from arrangements import rankings
    >>> from arrangements.paper import difference_cosine_matrix
    >>> W = [[1, 2], [0, 5], [1, 1], [3, 0]]
    >>> D = difference_cosine_matrix(W)
    >>> D.shape
    (6, 6)
    >>> ranking_pattern_from_difference_cosines(D) == ranking_pattern(W)
    True
    """
    found = _directions(D, "D", rank)
    if not isinstance(found, rounded_cosines.RoundedCosines):
        return ranking_pattern(rounded_cosines.place_labels(found))
    rows = _exact_rows(found)
    if rows is not None:
        with suppress(InputError):  # these simple fractions were a chance
            return ranking_pattern(rounded_cosines.place_labels(rows))
    labels = rounded_cosines.likely_labels(found)
    differences = label_differences(labels)
    rounded_cosines.warn_if_doubtful(found, as_exact_matrix(differences), "D", "differences")
    return ranking_pattern(labels)


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
    >>> from arrangements.paper import cosine_matrix
    >>> gram = rescaled_gram(cosine_matrix([[1, 2], [1, 0]]))
    >>> gram.rows
    [(Fraction(1, 1), Fraction(1, 5)), (Fraction(1, 5), Fraction(1, 5))]
    >>> gram.squares
    (Fraction(1, 1), Fraction(1, 5))
    """
    return _rescale(C, "C")


def _rescale(C: Any, name: str) -> RescaledGram:
    squares = _signed_squares(C, name)
    _check_cosines(squares, name)
    return _rational_gram(squares, name)


def _rational_gram(squares: FractionRows, name: str) -> RescaledGram:
    """The same, from the squares of the cosines with their signs."""
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


def _directions(
    C: Any, name: str, rank: int | None
) -> NDArray[Any] | rounded_cosines.RoundedCosines:
    """Exact rows of full column rank with the cosines in C; or C, if only floats can tell them."""
    r = check_rank(rank)
    if r is None or not _has_floats(C, name):
        try:
            rows = spanning_columns(_exact_gram(C, name))
        except InputError as error:
            if r is None or error.args[-1] is not _IN_FLOATS:
                raise
        else:
            if r not in (None, rows.shape[1]):
                raise InputError(f"rank is {r}, but {name} has rank {rows.shape[1]}, exactly.")
            return rows
    return rounded_cosines.read_cosines(C, name, r)


def _exact_gram(C: Any, name: str) -> FractionRows:
    """Products of rows with the cosines C: rational ones if there are, else of unit rows."""
    try:
        return _rescale(C, name).rows
    except InputError as error:
        if error.args[-1] is not _IN_FLOATS:
            raise
        try:
            rows = [tuple(fractions(row)) for row in as_exact_matrix(C, name)]
        except InputError:  # of no field, or one of too large a degree
            raise error from None
        _check_cosines(rows, name)
        return rows


def _exact_rows(cosines: rounded_cosines.RoundedCosines) -> NDArray[Any] | None:
    """Rows of the right rank whose cosines are the simplest that round to these; None without."""
    squares = None if cosines.is_exact else rounded_cosines.likely_squares(cosines)
    if squares is None:
        return None
    try:
        rows = spanning_columns(_rational_gram(squares, "C").rows)
    except InputError:
        return None
    return rows if rows.shape[1] == cosines.rank else None


def _has_floats(C: Any, name: str) -> bool:
    array = rounded_cosines.plain_cosines(C, name)
    return (
        any(map(_is_float, array.flat)) if array.dtype == object else array.dtype.kind not in "biu"
    )


def _is_float(entry: Any) -> bool:
    return isinstance(entry, float | np.floating | Decimal) or getattr(entry, "is_Float", False)


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
            f"{place} is the square root of {size}.",
            _IN_FLOATS,
        )
    return root if square >= 0 else -root


def _signed_squares(C: Any, name: str) -> FractionRows:
    """Entries c of a square matrix as c |c|, exact."""
    array = rounded_cosines.plain_cosines(C, name)
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
    if _is_float(entry):
        raise InputTypeError(
            f"{place} is the float {entry}: rounded cosines have lost the rank of W. Pass "
            "rank= (the rank of W), or exact cosines (cosine_matrix(W), or Fractions)."
        )
    if isinstance(entry, Rational):
        value = Fraction(int(entry.numerator), int(entry.denominator))
        return value * abs(value)
    if isinstance(entry, FieldElement):
        square = entry * abs(entry)
        if isinstance(square, FieldElement):
            _refuse_irrational(entry, place)
        return Fraction(square)
    if not getattr(entry, "is_number", False):
        _refuse(entry, place)
    coefficient, root = entry.as_coeff_Mul()
    is_root = root.is_Pow and root.base.is_Rational and root.base.p > 0 and 2 * root.exp == 1
    if is_root:  # times a rational: all cosines of rational rows
        return signed_square(coefficient, place) * Fraction(int(root.base.p), int(root.base.q))
    if not entry.is_real:
        _refuse(entry, place)
    from sympy import simplify  # loads slowly

    square = simplify(entry**2)
    if not square.is_Rational:
        _refuse_irrational(entry, place)
    value = Fraction(int(square.p), int(square.q))
    # one of two known numbers, so SymPy tells the sign from a few digits
    return -value if entry < 0 else value


def _refuse(entry: Any, place: str) -> NoReturn:
    raise InputTypeError(
        f"{place} is {quote(entry)} of type {type(entry).__name__}; expected a real number."
    )


def _refuse_irrational(entry: Any, place: str) -> NoReturn:
    raise InputError(
        f"{place} is {entry}, whose square is irrational: not a cosine of rows with rational "
        "products.",
        _IN_FLOATS,
    )


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
