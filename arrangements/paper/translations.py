"""Models with the same probabilities and other similarities (section 3, appendix D)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.addresses import public_class
from arrangements.checks import check_option
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.labels import Label, as_labels, find_rows, labels_of
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector
from arrangements.exact.linear import determinant_sign
from arrangements.exact.numbers import as_objects, fractions, integer_rows, unify_fields
from arrangements.models.classifiers import SoftmaxClassifier
from arrangements.paper.cosines import FractionRows, gram_matrix, signed_squared_cosines
from arrangements.paper.definitions import exact_vector
from arrangements.paper.softmax import Vector, equivalent_softmax, exact_rows

Target = Literal[1, -1]


def translation_for_cosine(
    a: ArrayLike, b: ArrayLike, target: Target, *, avoid: ArrayLike | None = None
) -> Vector:
    """Vector v that makes the cosine of a + v and b + v equal to +1 or -1 (lemmas 3.2, 3.3).

    Parameters
    ----------
    a, b : (d,) array_like of int, float, Fraction or SymPy number
        Zero and parallel vectors are allowed.
    target : 1 or -1
    avoid : (m, d) array_like, optional
        Vectors that v must not move to zero, where they would have no direction; a and b are
        always among them.

    Returns
    -------
    tuple of d Fractions
        For -1: ``v = -(a + b) / 2``, unless `avoid` forbids it; a + v and b + v are opposite. For
        +1: ``v = a - 2 b``, unless forbidden; a + v is twice b + v.

    Raises
    ------
    InputError
        If a = b and `target` is -1: then a + v = b + v for every v, and the cosine is +1. If
        `target` is something else, or a and b are not vectors of the same length.

    Notes
    -----
    Only the position of the origin on the line through a and b matters: v moves the origin to
    a point of the line between them (-1) or beyond b (+1). At most m + 2 points are forbidden.

    Examples
    --------
    >>> translation_for_cosine([1, 0], [0, 1], -1)
    (Fraction(-1, 2), Fraction(-1, 2))
    >>> translation_for_cosine([1, 0], [0, 1], 1)
    (Fraction(1, 1), Fraction(-2, 1))
    """
    first, second = exact_vector(a, "a"), exact_vector(b, "b")
    if len(first) != len(second) or not first:
        raise InputError(
            f"a has {len(first)} entries and b {len(second)}; expected the same, at least one."
        )
    check_option("target", target, (1, -1))
    others = [] if avoid is None else [as_exact_matrix(avoid, "avoid", allow_no_rows=True)]
    pair, *others = unify_fields(np.array([first, second], dtype=object), *others)
    first, second = map(fractions, pair)
    rows = [first, second, *(fractions(row) for array in others for row in array)]
    forbidden = {tuple(-entry for entry in row) for row in rows}
    step = tuple(x - y for x, y in zip(first, second, strict=True))
    if not any(step) and target == -1:
        raise InputError(
            "a and b are equal, so a + v and b + v are equal for every v and their cosine is +1; "
            "expected different vectors for target -1."
        )

    def translation(k: int) -> Vector:
        if not any(step):
            return (Fraction(k), *(Fraction(0) for _ in first[1:]))
        # b + v = s (a - b) has a + v = (1 + s) (a - b): opposite if -1 < s < 0, parallel if s > 0
        s = Fraction(k + 1) if target == 1 else Fraction(-1, k + 2)
        return tuple(s * t - y for t, y in zip(step, second, strict=True))

    # all these are different, so one is not forbidden
    return next(v for v in map(translation, count()) if v not in forbidden)


@public_class
class EquivalentModels(NamedTuple):
    """A model and two others with the same probabilities (theorem 3.4).

    Attributes
    ----------
    W : (n, d) ndarray of int and Fraction
        The weights given.
    labels : (int, int)
        Two labels.
    parallel, opposite : (n, d) ndarray of Fraction
        W with a vector added to every row, so that the cosine of the two labels is +1, -1.
    translations : pair of tuples of Fraction
        The vectors added.
    """

    W: NDArray[Any]
    labels: tuple[int, int]
    parallel: NDArray[Any]
    opposite: NDArray[Any]
    translations: tuple[Vector, Vector]

    def probabilities(self, X: ArrayLike) -> NDArray[np.float64]:
        """Softmax probabilities of the three models at the rows of X, in float64.

        Parameters
        ----------
        X : (m, d) array_like of float

        Returns
        -------
        (3, m, n) ndarray of float64
            Of `W`, `parallel` and `opposite`: equal up to rounding.

        Raises
        ------
        InputError
            If X has another number of columns, or a score is not a finite float64.

        Examples
        --------
        >>> P = equivalent_models([[1, 0], [0, 1], [2, 2]], 0, 1).probabilities([[0.5, -1]])
        >>> bool(abs(P - P[0]).max() < 1e-15)
        True
        """
        models = (self.W, self.parallel, self.opposite)
        return np.stack([SoftmaxClassifier(weights).probabilities(X) for weights in models])

    def symbolic_ratios(self) -> list[Any]:
        """Probabilities of `parallel` and `opposite` over those of `W`, for symbolic x.

        Returns
        -------
        list of 2 n sympy expressions
            All 1: ``p_i' / p_i``, first for `parallel`.

        Examples
        --------
        >>> equivalent_models([[1, 0], [0, 1]], 0, 1).symbolic_ratios()
        [1, 1, 1, 1]
        """
        models = (self.parallel, self.opposite)
        return [ratio for weights in models for ratio in _softmax_ratios(self.W, weights)]


def equivalent_models(W: ArrangementLike, i: Label, j: Label) -> EquivalentModels:
    """Two models with the probabilities of W in which labels i and j have cosine +1 and -1.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        Weights of a softmax classifier (biases, if any, stay as they are).
    i, j : int
        Labels with different rows.

    Returns
    -------
    EquivalentModels
        Without zero rows, so that all cosines are defined.

    Raises
    ------
    InputError
        If rows i and j are equal, or a label is out of range.

    Examples
    --------
    >>> from arrangements.paper import cosine_matrix, same_softmax
    >>> models = equivalent_models([[1, 2], [3, 1], [0, 2]], 0, 1)
    >>> cosine_matrix(models.parallel)[0, 1], cosine_matrix(models.opposite)[0, 1]
    (1, -1)
    >>> same_softmax(models.W, models.parallel).same, same_softmax(models.W, models.opposite).same
    (True, True)
    """
    rows = exact_rows(W, "W")
    i, j = find_rows([i, j], as_labels(labels_of(W), len(rows), distinct=False), len(rows))
    if (rows[i] == rows[j]).all():
        raise InputError(
            f"rows {i} and {j} of W are equal: their cosine is +1 in every equivalent model; "
            "expected labels with different rows."
        )
    up = translation_for_cosine(rows[i], rows[j], 1, avoid=rows)
    down = translation_for_cosine(rows[i], rows[j], -1, avoid=rows)
    parallel, opposite = (equivalent_softmax(rows, np.array(v)) for v in (up, down))
    return EquivalentModels(rows, (i, j), parallel, opposite, (up, down))


def _softmax_ratios(W1: NDArray[Any], W2: NDArray[Any]) -> Sequence[Any]:
    """``p_i' / p_i`` of two models at a symbolic x, simplified."""
    import sympy  # loads slowly

    x = sympy.symbols(f"x:{W1.shape[1]}", real=True)

    def powers(W: NDArray[Any], shift: Any) -> list[Any]:
        scores = [sum(sympy.sympify(w) * e for w, e in zip(r, x, strict=True)) for r in W]
        return [sympy.exp(sympy.expand(score - shift)) for score in scores]

    # exp(change of the first score) is a factor of all probabilities that it is taken out of
    change = sum(sympy.sympify(w) * e for w, e in zip(W2[0] - W1[0], x, strict=True))
    before, after = powers(W1, 0), powers(W2, change)
    return [
        sympy.simplify((a / sympy.Add(*after)) / (b / sympy.Add(*before)))
        for a, b in zip(after, before, strict=True)
    ]


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


def transform_model(W1: ArrayLike, change: ArrayLike, shift: ArrayLike) -> NDArray[Any]:
    """``W1 @ change + shift``, exactly.

    Examples
    --------
    >>> transform_model([[1, 0], [0, 1]], [[2, 0], [0, 1]], [1, 1])
    array([[3, 1],
           [1, 2]])
    """
    rows = as_objects(as_exact_matrix(W1, "W1"))
    G, v = as_objects(as_exact_matrix(change, "change")), as_exact_vector(shift, rows.shape[1])
    return as_exact_matrix(rows @ G + as_objects(v) + Fraction(0), "W2")
