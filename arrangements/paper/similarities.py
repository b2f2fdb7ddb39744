"""Dot product, Euclidean distance, distance of directions: no better than cosines (appendix D)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.checks import check_option
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.linear import determinant_sign
from arrangements.exact.numbers import as_objects, integer_rows
from arrangements.paper.cosines import FractionRows, gram_matrix, signed_squared_cosines

Measure = Literal["cosine", "dot product", "Euclidean distance", "normalized Euclidean distance"]

MEASURES = ("cosine", "dot product", "Euclidean distance", "normalized Euclidean distance")


@public_class
class SimilarityWitness(NamedTuple):
    """Two models with the same predictions about which a measure of similarity contradicts itself.

    The scores of `W2` at x' are those of `W1` at ``x = change @ x'`` plus the same number
    ``shift . x'`` for all labels. So a network that ends in W1 and the one that ends in W2, its
    last hidden layer multiplied by the inverse of `change`, have the same softmax
    probabilities at every input.

    Attributes
    ----------
    measure : str
        One of `MEASURES`.
    W1, W2 : (n, d) ndarray
    change : (d, d) ndarray
        Regular: ``W2 = W1 @ change + shift``, exactly.
    shift : (d,) ndarray
        Added to all rows.
    first, second : (int, int)
        Two pairs of labels: the first is more similar in W1, the second in W2.
    """

    measure: Measure
    W1: NDArray[Any]
    W2: NDArray[Any]
    change: NDArray[Any]
    shift: NDArray[Any]
    first: tuple[int, int]
    second: tuple[int, int]


def similarity_keys(W: Any, measure: Measure) -> FractionRows:
    """Rational numbers in the order of the similarities of all pairs of rows: larger, more similar.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or SymPy matrix
        A SymPy matrix may be irrational if the products of its rows are rational.
    measure : {"cosine", "dot product", "Euclidean distance", "normalized Euclidean distance"}
        The last one is the distance of rows scaled to unit length, ``sqrt(2 - 2 cos)``: the
        smaller, the larger the cosine.

    Returns
    -------
    list of n tuples of Fraction
        The dot products; or the squared distances with a minus sign; or the squared cosines
        with the sign of the cosine (for the normalized distance too).

    Raises
    ------
    UnknownMethodError
        If `measure` is not one of these.

    Examples
    --------
    >>> [int(key) for key in similarity_keys([[0, 1], [3, 4]], "Euclidean distance")[0]]
    [0, -18]
    """
    check_option("measure", measure, MEASURES)
    if measure in ("cosine", "normalized Euclidean distance"):
        return signed_squared_cosines(W)
    gram = gram_matrix(W)
    if measure == "dot product":
        return gram
    n = range(len(gram))
    return [tuple(2 * gram[i][j] - gram[i][i] - gram[j][j] for j in n) for i in n]


def same_predictions(W1: ArrayLike, W2: ArrayLike, change: ArrayLike, shift: ArrayLike) -> bool:
    """Whether ``W2 = W1 @ change + shift`` with a regular `change`, exactly.

    Then the models have the same probabilities, at x and at ``inverse(change) @ x``, and the
    same ranking pattern.

    Parameters
    ----------
    W1, W2 : (n, d) array_like of int, float, Fraction or SymPy number
    change : (d, d) array_like
    shift : (d,) array_like
        Added to every row.

    Returns
    -------
    bool

    Examples
    --------
    >>> same_predictions([[1, 0], [0, 1]], [[3, 1], [1, 2]], [[2, 0], [0, 1]], [1, 1])
    True
    >>> same_predictions([[1, 0], [0, 1]], [[1, 1], [1, 1]], [[0, 0], [0, 0]], [1, 1])
    False
    """
    first, second = (as_objects(as_exact_matrix(W, "W")) for W in (W1, W2))
    G = as_exact_matrix(change, "change")
    if G.shape != (first.shape[1], first.shape[1]) or first.shape != second.shape:
        return False
    v = as_objects(as_exact_vector(shift, first.shape[1], "shift"))
    if not determinant_sign(integer_rows(G)):
        return False
    return bool((second == first @ as_objects(G) + v).all())


def prefers_first(W: Any, measure: Measure, first: ArrayLike, second: ArrayLike) -> bool:
    """Whether the first pair of labels is strictly more similar than the second, exactly.

    Examples
    --------
    >>> prefers_first([[1, 0], [2, 1], [-1, 0]], "cosine", (0, 1), (0, 2))
    True
    """
    keys = similarity_keys(W, measure)
    (a, b), (c, d) = np.asarray(first).tolist(), np.asarray(second).tolist()
    return bool(keys[a][b] > keys[c][d])


def moved_model(W1: ArrayLike, change: ArrayLike, shift: ArrayLike) -> NDArray[Any]:
    """``W1 @ change + shift``, exactly.

    Examples
    --------
    >>> moved_model([[1, 0], [0, 1]], [[2, 0], [0, 1]], [1, 1])
    array([[3, 1],
           [1, 2]])
    """
    rows = as_objects(as_exact_matrix(W1, "W1"))
    G, v = as_objects(as_exact_matrix(change, "change")), as_exact_vector(shift, rows.shape[1])
    return as_exact_matrix(rows @ G + as_objects(v) + Fraction(0), "W2")
