"""One check per statement: a function of the claim, which raises `FalseClaim` if it is wrong.

A check is given the claim of the statement (a translation, a cosine matrix with its pattern, a
counter-example) and decides in exact arithmetic. It never computes the claim itself, so a wrong
claim does not pass; the message shows the case in full.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.certificates.one_sign_vector import feasible
from arrangements.enumeration.chambers import chambers
from arrangements.errors import ArrangementError, TooLargeError
from arrangements.exact import linear
from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.numbers import as_objects, exactly_equal, integer_rows
from arrangements.models.tops import argmax_labels
from arrangements.paper import factorizations, reconstruction
from arrangements.paper.cosines import (
    cosine_matrix,
    gram_matrix,
    same_cosines,
    signed_squared_cosines,
)
from arrangements.paper.definitions import (
    exact_matrix,
    exact_number,
    exact_vector,
    label_differences,
    ranking_pattern,
)
from arrangements.paper.examples import ModelPair, TieExample
from arrangements.paper.softmax import same_softmax, softmax_ratio
from arrangements.paper.translations import (
    EquivalentModels,
    SimilarityWitness,
    prefers_first,
    same_predictions,
)
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

# A set is compared with all 2^n sign vectors or n! rankings up to here: seconds.
MOST_CANDIDATES = 5040


class FalseClaim(ArrangementError):
    """A claim does not hold; the message says which and shows the case in full.

    Examples
    --------
    >>> check_translation([1, 0], [0, 1], [0, 0], -1)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    arrangements.paper.checks.FalseClaim: the cosine of a + v and b + v is not -1: a = [1, 0], ...
    """


# ------------------------------------------------------------------ section 3


def check_softmax_identity(added: Callable[[Any, Any], Any] | None = None) -> None:
    """Lemma 3.1 in symbols: adding ``added(i, k)`` to entry k of row i changes no probability."""
    ratio = softmax_ratio(added)
    _require(ratio == 1, "the probabilities change", ratio=ratio)


def check_equivalent_softmax(W1: ArrayLike, W2: ArrayLike, points: ArrayLike) -> None:
    """Lemma 3.1 in numbers: the models agree, by their rows and by their scores at the points.

    Differences of scores are the logarithms of ratios of probabilities.
    """
    first, second, X = (as_objects(as_exact_matrix(W)) for W in (W1, W2, points))
    case = {"W1": W1, "W2": W2}
    _require(same_softmax(W1, W2), "W2 - W1 has different rows", **case)
    for x in X:
        before, after = first @ x, second @ x
        equal = (before - before[0] == after - after[0]).all()
        _require(equal, "differences of scores differ", x=x, **case)


def check_translation(a: ArrayLike, b: ArrayLike, v: ArrayLike, target: int) -> None:
    """Lemmas 3.2 and 3.3: the cosine of a + v and b + v is `target`, +1 or -1."""
    first, second, shift = (np.array(exact_vector(row, "a vector")) for row in (a, b, v))
    first, second = first + shift, second + shift
    case = {"a": a, "b": b, "v": v}
    _require(any(first) and any(second), "a + v or b + v is zero", **case)
    squared = signed_squared_cosines([list(first), list(second)])[0][1]
    _require(squared == target, f"the cosine of a + v and b + v is not {target:+d}", **case)


def check_equivalent_models(models: EquivalentModels) -> None:
    """Theorem 3.4: both models are translates with the probabilities of W, cosines +1 and -1."""
    i, j = models.labels
    case = {"W": models.W, "labels": (i, j)}
    for W, target, v in zip(
        (models.parallel, models.opposite), (1, -1), models.translations, strict=True
    ):
        _require(same_softmax(models.W, W), "the probabilities change", other=W, **case)
        cosine = signed_squared_cosines(W)[i][j]
        _require(cosine == target, f"the cosine is not {target:+d}", other=W, **case)
        moved = exactly_equal(W, models.W + np.array(v))
        _require(moved, "another vector was added", other=W, v=v, **case)
    ratios = models.symbolic_ratios()
    _require(all(r == 1 for r in ratios), "a ratio of probabilities", ratios=ratios, **case)


# ------------------------------------------------------------------ appendices C and D


def check_tie_example(
    example: TieExample, *, centered: bool = False, unit_length: bool = False
) -> None:
    """Appendix C: a pair with the larger cosine cannot tie for the first place, another can.

    Certificates decide again which pairs can, and each is verified.
    """
    W, rows = example.W, example.coordinates
    case = {"W": W.tolist(), "ties": example.ties.tolist()}
    _require(_proportional_columns(W, rows), "coordinates are of another W", rows=rows, **case)
    if centered:
        _require(
            not any(sum(W.row(i)[k] for i in range(W.rows)) for k in range(W.cols)),
            "the rows do not add up to zero",
            **case,
        )
    if unit_length:
        unit = all(row[i] == 1 for i, row in enumerate(gram_matrix(W)))
        _require(unit, "a row is not of unit length", **case)
    pairs = list(combinations(range(len(rows)), 2))
    exact = as_objects(as_exact_matrix(W))
    can = {pair for pair in pairs if _can_tie(exact, *pair)}
    claimed = set(map(tuple, example.ties.tolist()))
    _require(can == claimed, f"the pairs that can tie are {sorted(can)}", **case)
    apart, together = example.apart, example.together
    _require(apart not in can, f"labels {apart} can tie", **case)
    _require(together in can, f"labels {together} cannot tie", **case)
    cosine = signed_squared_cosines(W)
    larger = cosine[apart[0]][apart[1]] > cosine[together[0]][together[1]]
    _require(larger, f"the cosine of {apart} is not larger than that of {together}", **case)


def check_similarity(witness: SimilarityWitness) -> None:
    """Appendix D: the same predictions, but another pair of labels is more similar."""
    W1, W2, measure = witness.W1, witness.W2, witness.measure
    case = {"measure": measure, "W1": W1, "W2": W2}
    same = same_predictions(W1, W2, witness.change, witness.shift)
    _require(same, "W2 is not W1 @ change + shift", **case)
    _require(ranking_pattern(W1) == ranking_pattern(W2), "the rankings differ", **case)
    first, second = witness.first, witness.second
    _require(prefers_first(W1, measure, first, second), f"W1 prefers not {first}", **case)
    _require(prefers_first(W2, measure, second, first), f"W2 prefers not {second}", **case)


# ------------------------------------------------------------------ section 5


def check_braid_matrix(B: ArrayLike, W: ArrayLike) -> None:
    """``B @ W`` holds the differences of the rows of W, pairs i < j in lexicographic order."""
    rows = as_objects(as_exact_matrix(W))
    pairs = list(combinations(range(len(rows)), 2))
    expected = np.array([rows[i] - rows[j] for i, j in pairs])
    found = as_objects(as_exact_matrix(B)) @ rows
    _require(exactly_equal(found, expected), "B @ W is something else", B=B, W=W)


def check_sign_pattern(W: ArrayLike, signs: SignVectors) -> None:
    """Definition 5.1, proposition E.2: of all 2^n sign vectors exactly `signs` occur.

    Each of them has a verified point, and every other one verified Farkas weights; for small n.
    """
    n = len(as_exact_matrix(W))
    _check_few(2**n, f"sign vectors of {n} rows")
    for candidate in product((-1, 1), repeat=n):
        right = _occurs(W, candidate) == (candidate in signs)
        _require(right, "the set is wrong about one sign vector", signs=candidate, W=W)


def check_ranking_pattern(W: ArrayLike, orders: Rankings) -> None:
    """`orders` is the sign pattern of all differences, and correct for all n! rankings; small n."""
    differences = label_differences(W)
    same = orders.to_sign_vectors() == chambers(differences)
    _require(same, "not the sign pattern of the differences", W=W)
    rows = as_objects(as_exact_matrix(W))
    n = len(rows)
    _check_few(factorial(n), f"rankings of {n} labels")
    for order in map(list, permutations(range(n))):
        right = _occurs(rows[order[:-1]] - rows[order[1:]], [1] * (n - 1)) == (order in orders)
        _require(right, "the set is wrong about one ranking", order=order, W=W)


def check_row_scaling(W: ArrayLike, scales: Sequence[Fraction], signs: SignVectors) -> None:
    """Lemma 5.3, step 1: W with rows scaled by positive numbers has the sign pattern of W."""
    _require(all(s > 0 for s in scales), "a scale is not positive", scales=scales)
    rows = as_objects(as_exact_matrix(W)) * np.array(scales, dtype=object)[:, None]
    _require(chambers(rows) == signs, "the sign pattern changes", W=W, scales=scales)


def check_rescaled_gram(W: ArrayLike, gram: reconstruction.RescaledGram) -> None:
    """Lemma 5.3, step 2: the matrix holds the products of rows of W scaled by positive numbers.

    So it has their column span. Entry (i, j) must be ``s_i s_j w_i . w_j`` for the positive
    ``s_i = rho_i / |w_i|``; the check compares signed squares.
    """
    squares = signed_squared_cosines(W)
    for i, row in enumerate(gram.rows):
        for j, entry in enumerate(row):
            expected = gram.squares[i] * squares[i][j] * gram.squares[j]
            _require(entry * abs(entry) == expected, f"wrong entry [{i}, {j}]", W=W, gram=gram)
    _require(all(s > 0 for s in gram.squares), "a scale is not positive", W=W, gram=gram)


def check_column_span(W1: ArrayLike, W2: ArrayLike, signs: SignVectors) -> None:
    """Lemma 5.3, step 3: matrices with the same column span have the same sign pattern, `signs`."""
    first, second = (as_objects(as_exact_matrix(W)) for W in (W1, W2))
    both = np.hstack([first, second])
    ranks = {linear.rank(integer_rows(as_exact_matrix(W.T))) for W in (first, second, both)}
    case = {"W1": W1, "W2": W2}
    _require(len(ranks) == 1, "the column spans differ", **case)
    for W in (first, second):
        _require(chambers(W) == signs, "the sign patterns differ", **case)


def check_sign_pattern_from_cosines(C: Any, signs: SignVectors) -> None:
    """Lemma 5.3: the cosines alone give this sign pattern."""
    found = _reconstruct(reconstruction.sign_pattern_from_cosines, C)
    _require(found == signs, f"C gives {found}, not {signs}", C=C)


def check_ranking_pattern_from_cosines(D: Any, orders: Rankings) -> None:
    """Theorem 5.6: the cosines of all differences alone give this ranking pattern."""
    found = _reconstruct(reconstruction.ranking_pattern_from_difference_cosines, D)
    _require(found == orders, f"D gives {found}, not {orders}", D=D)


def check_model_pair(pair: ModelPair) -> None:
    """Two models with the same sign pattern and different rankings, all as claimed and proved."""
    case = {"W1": pair.W1, "W2": pair.W2}
    for W in (pair.W1, pair.W2):
        _require(chambers(W) == pair.sign_vectors, "a sign pattern is not the one claimed", **case)
    R1, R2 = ranking_pattern(pair.W1), ranking_pattern(pair.W2)
    _require(R1 != R2, "the ranking patterns are equal", **case)
    _require(R1 - R2 == pair.only_in_1, "other rankings are only in 1", **case)
    _require(R2 - R1 == pair.only_in_2, "other rankings are only in 2", **case)
    proved = {proof.order: proof.in_1.feasible for proof in pair.certificates}
    claimed = dict.fromkeys(map(tuple, pair.only_in_1.to_array().tolist()), True)
    claimed |= dict.fromkeys(map(tuple, pair.only_in_2.to_array().tolist()), False)
    _require(proved == claimed, "proofs are of other rankings", proved=proved, **case)
    for proof in pair.certificates:
        _require(proof.verify(pair.W1, pair.W2), "a proof does not hold", proof=proof, **case)


def check_shortened_row(pair: ModelPair, label: int) -> None:
    """Theorem 5.5: equal cosines, and the label can be first in W1 but not in W2."""
    check_model_pair(pair)
    case = {"W1": pair.W1, "W2": pair.W2}
    _require(same_cosines(pair.W1, pair.W2), "the cosines differ", **case)
    _require(label in argmax_labels(pair.W1), f"W1 never ranks label {label} first", **case)
    _require(label not in argmax_labels(pair.W2), f"W2 can rank label {label} first", **case)


def check_bjorner(pair: ModelPair, sign_vectors: int, orders: int, different: int) -> None:
    """Theorem H.1: a constant first column, and the numbers of patterns in the literature."""
    check_model_pair(pair)
    case = {"W1": pair.W1, "W2": pair.W2}
    for W in (pair.W1, pair.W2):
        _require((W[:, 0] == W[0, 0]).all() and W[0, 0], "no constant first column", **case)
        _require(len(ranking_pattern(W)) == orders, f"not {orders} rankings", **case)
    _require(len(pair.sign_vectors) == sign_vectors, f"not {sign_vectors} sign vectors", **case)
    for only in (pair.only_in_1, pair.only_in_2):
        _require(len(only) == different, f"not {different} different rankings", **case)


# ------------------------------------------------------------------ factorizations


def check_refactored(A: Any, B: Any, other: factorizations.Factors) -> None:
    """The factors have the same product, hence the same predictions."""
    same = factorizations.same_matrix(exact_matrix(A) * exact_matrix(B).T, other.A * other.B.T)
    _require(same, "the products differ", A=A, B=B, other=other)


def check_item_cosine(B: Any, i: int, j: int, cosine: Any) -> None:
    """Rows i and j of B have this cosine."""
    import sympy  # loads slowly

    found = cosine_matrix(exact_matrix(B)[[i, j], :])[0, 1]
    same = sympy.simplify(found - exact_number(cosine)) == 0
    _require(same, f"the cosine of items {i} and {j} is {found}", B=B, cosine=cosine)


def check_diagonal_range(
    x: ArrayLike, y: ArrayLike, cosines: Any, diagonals: Iterable[Sequence[Fraction]]
) -> None:
    """The cosine of D x and D y is in the set for each D, given by the squares of its diagonal."""
    low, high = (
        reconstruction.signed_square(end, "an end of the range")
        for end in (cosines.inf, cosines.sup)
    )
    for squares in diagonals:
        cosine = _weighted_cosine(x, y, squares)
        inside = low <= cosine <= high
        if cosine in (low, high):
            inside = cosines.contains(cosines.inf if cosine == low else cosines.sup) == True  # noqa: E712
        what = f"the cosine, of signed square {cosine}, is not in {cosines}"
        _require(inside, what, x=x, y=y, squares=squares)


def check_range_end(
    x: ArrayLike, y: ArrayLike, end: Any, squares: Sequence[Fraction], within: Fraction
) -> None:
    """The cosine for this D is within the given distance of the end of the range."""
    cosine, limit = (
        _weighted_cosine(x, y, squares),
        reconstruction.signed_square(end, "an end of the range"),
    )
    # (c - e)^2 <= w^2 iff c^2 + e^2 - w^2 <= 2 c e, compared by squares with signs
    rest = abs(cosine) + abs(limit) - within**2
    near = rest * abs(rest) <= 4 * cosine * limit
    what = f"the cosine, of signed square {cosine}, is not within {within} of {end}"
    _require(near, what, x=x, y=y, squares=squares)


def check_regularized(
    X: ArrayLike, penalty: int | Fraction, factors: factorizations.Factors, diagonal: Any
) -> None:
    """The factors are optimal, and B divided by these column lengths is an orthogonal matrix.

    So the cosines of all items vanish. No other positive diagonal matrix makes B orthogonal.
    """
    import sympy  # loads slowly

    case = {"X": X, "penalty": penalty, "factors": factors, "diagonal": diagonal}
    optimal = factorizations.same_matrix(
        factors.A * factors.B.T, factorizations.ridge_solution(X, penalty)
    )
    _require(optimal, "the factors are not optimal", **case)
    _require(factorizations.same_matrix(factors.A, factors.B), "A and B differ", **case)
    _require(diagonal.is_diagonal(), "the matrix is not diagonal", **case)
    _require(all(d > 0 for d in diagonal.diagonal()), "a length is not positive", **case)
    other = factorizations.refactored(*factors, diagonal)
    check_refactored(*factors, other)
    products = other.B * other.B.T
    orthogonal = factorizations.same_matrix(products, sympy.eye(products.rows))
    _require(orthogonal, "the items are not orthogonal and of unit length", **case)


# ------------------------------------------------------------------ parts


def _require(holds: Any, what: str, **case: Any) -> None:
    if not holds:
        text = ", ".join(f"{name} = {_format_value(value)}" for name, value in case.items())
        raise FalseClaim(f"{what}: {text}")


def _check_few(number: int, what: str) -> None:
    if number > MOST_CANDIDATES:
        raise TooLargeError(f"there are {number} {what}, too many to try each; take fewer rows.")


def _format_value(value: Any) -> str:
    """All of a value: lists rather than arrays, fractions as 1/2."""
    if isinstance(value, np.ndarray) or getattr(value, "is_Matrix", False):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_format_value, value))}]"
    return str(value)


def _occurs(W: ArrayLike, signs: Sequence[int]) -> bool:
    """Whether a sign vector occurs, by a certificate that verifies."""
    certificate = feasible(W, signs)
    _require(certificate.verify(), "a certificate does not verify", W=W, signs=signs)
    return certificate.feasible


def _can_tie(rows: np.ndarray[Any, Any], i: int, j: int) -> bool:
    """Whether i before j and j before i can both be on top: see `top_ties`."""
    others = [k for k in range(len(rows)) if k not in (i, j)]
    return all(
        _occurs(
            np.array([rows[a] - rows[b], *(rows[b] - rows[k] for k in others)]),
            [1] * (1 + len(others)),
        )
        for a, b in ((i, j), (j, i))
    )


def _proportional_columns(W: ArrayLike, rows: np.ndarray[Any, Any]) -> bool:
    """Whether each column of W is a non-zero number times that of `rows`."""
    exact = as_objects(as_exact_matrix(W))
    if exact.shape != rows.shape:
        return False
    pivots = [int(np.flatnonzero(column)[0]) for column in exact.T if column.any()]
    return len(pivots) == exact.shape[1] and all(
        bool(rows[p, k]) and (exact[:, k] * int(rows[p, k]) == exact[p, k] * rows[:, k]).all()
        for k, p in enumerate(pivots)
    )


def _reconstruct(function: Callable[[Any], Any], C: Any) -> Any:
    """The pattern that cosines give; refused cosines are a false claim."""
    try:
        return function(C)
    except ArrangementError as error:
        raise FalseClaim(f"no pattern, {error}: C = {_format_value(C)}") from error


def _weighted_cosine(x: ArrayLike, y: ArrayLike, squares: Sequence[Fraction]) -> Fraction:
    """Cosine of D x and D y, squared with its sign; D is given by the squares of its diagonal."""
    first, second = exact_vector(x, "x"), exact_vector(y, "y")
    _require(all(t > 0 for t in squares), "a square is not positive", squares=squares)
    xy, xx, yy = (
        sum((t * a * b for t, a, b in zip(squares, u, w, strict=True)), Fraction(0))
        for u, w in ((first, second), (first, first), (second, second))
    )
    return xy * abs(xy) / (xx * yy)
