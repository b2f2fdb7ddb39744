"""The objects of the statements: patterns, braid matrix, differences of rows, exact matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.core.arrangement import ArrangementLike
from arrangements.core.rows import rows_and_offsets
from arrangements.core.score_model import Ties, as_score_model
from arrangements.enumeration.chambers import chambers
from arrangements.enumeration.rankings import request_of_model
from arrangements.errors import InputTypeError
from arrangements.exact.coercion import as_exact_matrix, as_fractions, refuse_masked
from arrangements.exact.numbers import as_objects, fractions
from arrangements.generators import braid
from arrangements.messages import quote

if TYPE_CHECKING:
    from sympy import ImmutableMatrix

    from arrangements.core.labels import Label
    from arrangements.sets.rankings import Rankings
    from arrangements.sets.sign_vectors import SignVectors


def sign_pattern(
    W: ArrangementLike, offsets: ArrayLike | None = None, *, rank: int | None = None
) -> SignVectors:
    """Sign pattern of W (definition 5.1): all sign vectors without zeros of ``W @ x``.

    Equivalently (proposition E.2) the open orthants of R^n that the column span of W intersects,
    and the topes of the central arrangement with the rows of W as normals. With offsets b, the
    sign vectors of ``W @ x + b``. These are the label sets that a sigmoid classifier with these
    weights and biases can output.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `arrangements.chambers`.

    Returns
    -------
    SignVectors

    Raises
    ------
    DegenerateArrangementError
        If a row of `W` and its offset are zero.

    See Also
    --------
    chambers : the same under the name of the field, with more options.

    Examples
    --------
    >>> sorted(map(list, sign_pattern([[1, 0], [1, 1]]).to_array().tolist()))
    [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    """
    return chambers(W, offsets, rank=rank)


# Up to this many labels the definition as it stands, chambers of B W, takes milliseconds, and needs
# no kernels but those of sign patterns: those of the sweep of rankings take longest to compile.
_FEW_LABELS = 12


def ranking_pattern(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
) -> Rankings:
    """Ranking pattern of W: all strict rankings of its n rows by the scores ``W @ x``.

    Equivalently the sign pattern of ``B @ W``, B the braid matrix: the regions of the braid
    arrangement that the column span of W intersects. With offsets b the scores are ``W @ x + b``.
    These are the rankings of labels that a softmax classifier with these weights and biases can
    output.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    rank : int, optional
        As in `arrangements.chambers`.
    ties : {"error", "drop"}
        As in `arrangements.rankings`.
    labels : sequence of int or str, optional
        As in `arrangements.rankings`.

    Returns
    -------
    Rankings

    Raises
    ------
    TiedLabelsError
        If two labels have equal rows and equal offsets, unless these are dropped.

    See Also
    --------
    rankings : the same under another name, with more options.

    Examples
    --------
    >>> W = np.array([[1, 0], [0, 1], [1, 1]])
    >>> ranking_pattern(W).to_sign_vectors() == sign_pattern(braid_matrix(3) @ W)
    True
    """
    model = as_score_model(W, offsets, labels, ties, rank)
    method = "pairs" if model.n_labels <= _FEW_LABELS else "auto"
    return request_of_model(model, method).collect()


def braid_matrix(n: int) -> NDArray[np.int8]:
    """Matrix B of all differences of n labels: rows ``e_i - e_j``, i < j.

    ``B @ W`` holds the differences ``w_i - w_j`` of the rows of W, pairs in lexicographic order.

    Parameters
    ----------
    n : int
        Number of labels, at least 1.

    Returns
    -------
    (n (n - 1) / 2, n) ndarray of int8

    See Also
    --------
    generators.braid : the arrangement with these rows.

    Examples
    --------
    >>> braid_matrix(3)
    array([[ 1, -1,  0],
           [ 1,  0, -1],
           [ 0,  1, -1]], dtype=int8)
    """
    return braid(n).normals.astype(np.int8)


def label_differences(W: Any) -> NDArray[Any]:
    """Exact ``braid_matrix(n) @ W``: all differences of rows, pairs in lexicographic order.

    Examples
    --------
    >>> label_differences([[1, 2], [0, 5], [1, 1]]).tolist()
    [[1, -3], [0, 1], [-1, 4]]
    """
    W = weights_of(W)
    rows = np.array(exact_matrix(W)) if is_algebraic(W) else as_objects(as_exact_matrix(W, "W"))
    first, second = np.triu_indices(len(rows), 1)
    return rows[first] - rows[second]


def weights_of(W: Any) -> Any:
    """Rows of an arrangement or a model; anything else unchanged."""
    refuse_masked(W, "W")
    return rows_and_offsets(W, None)[0]


# ------------------------------------------------------------------ exact numbers


def exact_vector(v: ArrayLike, name: str) -> tuple[Fraction, ...]:
    """Entries of a vector as Fractions; of SymPy it may be a row or a column.

    Examples
    --------
    >>> exact_vector([1, 0.5], "v")
    (Fraction(1, 1), Fraction(1, 2))
    """
    if getattr(v, "is_Matrix", False) and 1 in np.shape(v):
        v = np.array(v).ravel()
    return as_fractions(v, name)


def exact_number(value: Any) -> Any:
    """SymPy number of an int, Fraction, float (the dyadic number it is) or SymPy number.

    Examples
    --------
    >>> exact_number(0.25)
    1/4
    """
    import sympy  # loads slowly

    if getattr(value, "is_number", False) and value.is_real and not value.is_Float:
        return value
    if isinstance(value, str) or hasattr(value, "free_symbols"):
        raise InputTypeError(
            f"{quote(value)} is not an exact real number; expected a number of Python or "
            "SymPy, 0.5 or Fraction(1, 2) or sqrt(2) / 2."
        )
    return sympy.sympify(exact_vector([value], "a number")[0])


def exact_matrix(W: Any) -> ImmutableMatrix:
    """SymPy matrix of the exact entries of W; expressions for real numbers are taken as they are.

    Examples
    --------
    >>> exact_matrix([[0.5, 1]])
    Matrix([[1/2, 1]])
    """
    import sympy  # loads slowly

    if is_algebraic(W):
        rows = [list(map(exact_number, row)) for row in np.asarray(W)]
    else:
        rows = [list(map(sympy.sympify, fractions(row))) for row in as_exact_matrix(W, "W")]
    return sympy.ImmutableMatrix(rows)


def is_algebraic(W: Any) -> bool:
    """Whether an entry is a SymPy expression that is not a Rational (or a Float)."""
    if not (getattr(W, "is_Matrix", False) or isinstance(W, Sequence | np.ndarray)):
        return False
    try:
        array = np.asarray(W)
    except Exception:
        return False  # reading it raises the error
    if array.ndim != 2 or array.dtype != object:
        return False
    return any(
        getattr(entry, "is_Rational", None) is False and not getattr(entry, "is_Float", False)
        for entry in array.flat
    )
