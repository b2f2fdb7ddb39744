"""The counter-examples of the paper in exact numbers; everything but the matrices is computed."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.enumeration.chambers import chambers
from arrangements.errors import InputError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.models.ties import top_ties
from arrangements.paper.cosines import signed_squared_cosines
from arrangements.paper.definitions import label_differences, ranking_pattern
from arrangements.paper.translations import (
    Measure,
    SimilarityWitness,
    prefers_first,
    transform_model,
)
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

if TYPE_CHECKING:
    from sympy import ImmutableMatrix

Pair = tuple[int, int]


class RankingProof(NamedTuple):
    """A ranking that only one of two models has, with the proofs.

    Attributes
    ----------
    order : tuple of int
        Labels, the best first.
    in_1, in_2 : Certificate
        Whether the differences of the labels of W1 and of W2 (pairs i < j in lexicographic
        order) have the signs of this ranking: one holds a point, the other Farkas weights.
    """

    order: tuple[int, ...]
    in_1: Certificate
    in_2: Certificate

    def verify(self, W1: ArrayLike, W2: ArrayLike) -> bool:
        """Check in exact arithmetic that exactly one of the two models has the ranking.

        The certificates must be about the differences of `W1` and `W2` and about the signs of
        `order`, and each must hold.
        """
        signs = _pair_signs(self.order)
        return self.in_1.feasible != self.in_2.feasible and all(
            certificate.signs == signs
            and np.array_equal(certificate.arrangement.normals, label_differences(W))
            and certificate.arrangement.is_central
            and certificate.verify()
            for certificate, W in ((self.in_1, W1), (self.in_2, W2))
        )


class ModelPair(NamedTuple):
    """Two models with the same sign pattern, and the rankings that tell them apart.

    Attributes
    ----------
    W1, W2 : (n, d) ndarray
        Weights, one row for each of the same n labels.
    sign_vectors : SignVectors
        The sign pattern of both.
    only_in_1, only_in_2 : Rankings
        Rankings that only one of them has.
    certificates : tuple of RankingProof
        For each ranking in `only_in_1`, then in `only_in_2`, sorted: a point of the model that
        has it, and Farkas weights for the other.
    """

    W1: NDArray[Any]
    W2: NDArray[Any]
    sign_vectors: SignVectors
    only_in_1: Rankings
    only_in_2: Rankings
    certificates: tuple[RankingProof, ...]


class TieExample(NamedTuple):
    """A model whose cosines do not tell which labels can tie for the first place.

    Attributes
    ----------
    W : (n, d) sympy.ImmutableMatrix
        Weights, one row for each label.
    coordinates : (n, d) ndarray of int64
        W with each column times a non-zero number, hence the same patterns: only the coordinates
        of x differ.
    ties : (m, 2) ndarray of int
        Pairs of labels that can tie for the first place: ``top_ties(W)``.
    apart : (int, int)
        The pair with the largest cosine among those that cannot tie.
    together : (int, int)
        The pair with the smallest cosine among those that can tie; its cosine is smaller.
    """

    W: ImmutableMatrix
    coordinates: NDArray[np.int64]
    ties: NDArray[np.intp]
    apart: Pair
    together: Pair


def bjorner() -> ModelPair:
    """Two models with the same sign pattern and different ranking patterns (theorem H.1).

    Even a constant first column does not help. The rows (1, x, y) are five points of the plane,
    the corners of a quadrilateral and a point inside. In both models lines separate the same
    subsets of the points, 22 sign vectors. But two opposite sides of the quadrilateral converge
    to the left in one and to the right in the other, so the order of their slopes differs: each
    model has 20 rankings, and the other lacks two of them.

    Returns
    -------
    ModelPair

    References
    ----------
    .. [1] A. Bjorner, M. Las Vergnas, B. Sturmfels, N. White, G. M. Ziegler, Oriented
       Matroids, 2nd ed., Cambridge (1999), section 1.10, figures 1.10.1 and 1.10.2.

    Examples
    --------
    >>> pair = bjorner()
    >>> len(pair.sign_vectors), len(pair.only_in_1), len(pair.only_in_2)
    (22, 2, 2)
    >>> sorted(pair.only_in_1.to_array().tolist())
    [[1, 0, 4, 3, 2], [2, 3, 4, 0, 1]]
    >>> all(proof.verify(pair.W1, pair.W2) for proof in pair.certificates)
    True
    """
    W1 = np.array([[1, 0, 0], [1, 10, 1], [1, 9, 5], [1, 1, 3], [1, 2, 2]])
    W2 = W1.copy()
    W2[2] = 1, 9, 3
    return model_pair(W1, W2)


def shortened_row() -> ModelPair:
    """Two models with the same cosines and different ranking patterns (theorem 5.5).

    The last row is shortened from (5, 0) to (1, 0), into the convex hull of the others: no
    angle changes, but the last label can no longer be ranked first.

    Returns
    -------
    ModelPair

    Examples
    --------
    >>> from arrangements import argmax_labels
    >>> from arrangements.paper import same_cosines
    >>> pair = shortened_row()
    >>> same_cosines(pair.W1, pair.W2)
    True
    >>> argmax_labels(pair.W1), argmax_labels(pair.W2)
    (array([0, 1, 2, 3, 4]), array([0, 1, 2, 3]))
    >>> len(pair.only_in_1), len(pair.only_in_2)
    (4, 4)
    """
    W1 = np.array([[3, 4], [-4, 3], [-3, -4], [4, -3], [5, 0]])
    W2 = W1.copy()
    W2[4] = 1, 0
    return model_pair(W1, W2)


def model_pair(W1: ArrayLike, W2: ArrayLike) -> ModelPair:
    """Compare the rankings of two models that have the same sign pattern.

    Parameters
    ----------
    W1, W2 : (n, d) array_like of int, float, Fraction or SymPy number
        Weights, one row for each of the same n labels; a float is the dyadic number it is.

    Returns
    -------
    ModelPair

    Raises
    ------
    InputError
        If the sign patterns are different, or `W1` or `W2` is malformed.
    TiedLabelsError
        If two labels of a model always tie.

    Notes
    -----
    Exact. Both patterns of both models are listed, and each ranking that only one model has takes
    two feasibility tests of n (n - 1) / 2 rows.

    Examples
    --------
    >>> pair = model_pair([[1], [2], [-1]], [[2], [1], [-3]])
    >>> sorted(pair.only_in_1.to_array().tolist())
    [[1, 0, 2], [2, 0, 1]]
    >>> pair.certificates[0]
    RankingProof(order=(1, 0, 2), in_1=Certificate('-++', feasible, point (1)), \
in_2=Certificate('-++', infeasible, rows 0, 1 with weights 5, 1))
    """
    first, second = as_exact_matrix(W1, "W1"), as_exact_matrix(W2, "W2")
    signs = chambers(first)
    if len(first) != len(second) or signs != chambers(second):
        raise InputError(
            "the sign patterns of W1 and W2 are different; expected two models with the same one "
            "(compare any two with rankings(W1) - rankings(W2))."
        )
    R1, R2 = ranking_pattern(first), ranking_pattern(second)
    only_in_1, only_in_2 = R1 - R2, R2 - R1
    different = [order for R in (only_in_1, only_in_2) for order in sorted(R.to_array().tolist())]
    differences = [label_differences(W) for W in (first, second)]
    proofs = tuple(
        RankingProof(order, *(feasible(D, _pair_signs(order)) for D in differences))
        for order in map(tuple, different)
    )
    return ModelPair(first, second, signs, only_in_1, only_in_2, proofs)


def unrestricted() -> TieExample:
    """Five labels; two of them have the same direction and cannot tie for the first place.

    A convex pentagon anywhere in the plane (appendix C.1). All labels can be first, and which
    of them can tie does not depend on the position of the origin.

    Returns
    -------
    TieExample

    Examples
    --------
    >>> from arrangements.paper import cosine_matrix
    >>> example = unrestricted()
    >>> example.apart, cosine_matrix(example.W)[example.apart]
    ((0, 2), 1)
    >>> example.together, cosine_matrix(example.W)[example.together]
    ((0, 4), sqrt(5)/5)
    """
    return _tie_example([[1, 0], [2, -1], [4, 0], [3, 2], [1, 2]])


def centered() -> TieExample:
    """Five labels with zero sum whose cosines mislead about ties (appendix C.2).

    Returns
    -------
    TieExample

    Examples
    --------
    >>> from arrangements.paper import cosine_matrix
    >>> example = centered()
    >>> sum(example.coordinates).tolist()
    [0, 0]
    >>> example.apart, cosine_matrix(example.W)[example.apart]
    ((0, 2), 12/13)
    >>> example.together, cosine_matrix(example.W)[example.together]
    ((0, 4), -9*sqrt(130)/130)
    """
    return _tie_example([[5, -1], [6, 0], [5, 1], [-8, 4], [-8, -4]])


def centered_unit_length() -> TieExample:
    """Five labels of unit length with zero sum whose cosines mislead about ties (appendix C.3).

    The rows are ``(a, b sqrt(3)) / 3458`` with integers a and b. Rational rows do not exist: over
    a common denominator (an odd number, if it is the least) a row is a pair of integers of odd
    sum, and five odd numbers do not add up to zero.

    Returns
    -------
    TieExample

    Examples
    --------
    >>> from arrangements.paper import cosine_matrix
    >>> example = centered_unit_length()
    >>> (example.W * example.W.T).diagonal()
    Matrix([[1, 1, 1, 1, 1]])
    >>> sum(example.coordinates).tolist()
    [0, 0]
    >>> from arrangements import argmax_labels, count_rankings
    >>> argmax_labels(example.W).tolist(), count_rankings(example.W)
    ([0, 1, 2, 3, 4], 20)
    >>> C = cosine_matrix(example.W)
    >>> example.apart, C[example.apart], example.together, C[example.together]
    ((2, 4), -97/266, (0, 4), -347/494)
    """
    from sympy import Rational, sqrt  # loads slowly

    rows = [[3458, 0], [3211, 741], [-1406, 1824], [-2834, -1144], [-2429, -1421]]
    return _tie_example(rows, [Rational(1, 3458), sqrt(3) / 3458])


def other_similarities() -> tuple[SimilarityWitness, ...]:
    """For each other measure two models with the same predictions that it orders differently.

    Dot product, Euclidean distance and Euclidean distance of rows of unit length (appendix D).
    The first and the last depend on the position of the origin: the example adds a vector to all
    rows. The Euclidean distance depends on the coordinates of the last hidden layer, as all three
    do: its example multiplies the weights by a matrix and the layer by its inverse.

    Returns
    -------
    tuple of SimilarityWitness

    Examples
    --------
    >>> for witness in other_similarities():
    ...     print(witness.measure, witness.W1.tolist(), witness.W2.tolist())
    dot product [[1, 0], [0, 1], [2, 2]] [[-2, -3], [-3, -2], [-1, -1]]
    Euclidean distance [[0, 1], [3, 1], [0, 3]] [[0, 1], [3, 1], [0, 11]]
    normalized Euclidean distance [[6, 2], [8, 2], [2, 6]] [[-1, 0], [1, 0], [-5, 4]]
    """
    identity = [[1, 0], [0, 1]]
    return (
        _similarity_witness("dot product", [[1, 0], [0, 1], [2, 2]], identity, [-3, -3]),
        _similarity_witness(
            "Euclidean distance", [[0, 1], [3, 1], [0, 3]], [[1, 0], [0, 5]], [0, -4]
        ),
        _similarity_witness(
            "normalized Euclidean distance", [[6, 2], [8, 2], [2, 6]], identity, [-7, -2]
        ),
    )


def _similarity_witness(
    measure: Measure, rows: list[list[int]], change: list[list[int]], shift: list[int]
) -> SimilarityWitness:
    """Witness with the first two pairs of labels, lexicographic, whose order is reversed."""
    W1, G, v = np.array(rows), np.array(change), np.array(shift)
    W2 = transform_model(W1, G, v)
    pairs = combinations(range(len(rows)), 2)
    first, second = next(
        (a, b)
        for a, b in product(pairs, repeat=2)
        if prefers_first(W1, measure, a, b) and prefers_first(W2, measure, b, a)
    )
    return SimilarityWitness(measure, W1, W2, G, v, first, second)


def _tie_example(rows: list[list[int]], scales: list[Any] | None = None) -> TieExample:
    """Example with column j of the rows times ``scales[j]``."""
    from sympy import ImmutableMatrix, diag  # loads slowly

    coordinates = np.array(rows)
    W = ImmutableMatrix(rows) * diag(*(scales or [1] * coordinates.shape[1]))
    ties = top_ties(W)
    can = set(map(tuple, ties.tolist()))
    cosine = signed_squared_cosines(W)
    pairs = combinations(range(len(rows)), 2)
    apart = max((p for p in pairs if p not in can), key=lambda p: cosine[p[0]][p[1]])
    together = min(can, key=lambda p: cosine[p[0]][p[1]])
    return TieExample(W, coordinates, ties, apart, together)


def _pair_signs(order: tuple[int, ...]) -> tuple[int, ...]:
    """Signs of the pairs i < j in a ranking, lexicographic; + where i is above j."""
    pairs = combinations(range(len(order)), 2)
    return tuple(1 if order.index(i) < order.index(j) else -1 for i, j in pairs)
