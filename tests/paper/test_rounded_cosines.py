"""Rounded cosines: the right pattern, or a doubt, against the naive oracle, which sees W."""

import warnings
from decimal import Decimal

import examples
import naive
import numpy as np
import pytest
import sympy

from arrangements import chambers, rankings
from arrangements.errors import InputError, RoundingWarning
from arrangements.paper import (
    cosine_matrix,
    difference_cosine_matrix,
    ranking_pattern_from_difference_cosines,
    rounded_cosine_matrix,
    rounded_difference_cosine_matrix,
    sign_pattern_from_cosines,
)

TYPES = ["float64", "float32", "float32 in float64", "exact"]


def as_set(patterns):
    return set(map(tuple, patterns.to_array().tolist()))


def rounded(cosines, W, kind):
    if kind == "exact":
        return cosines(W)
    floats = {
        cosine_matrix: rounded_cosine_matrix,
        difference_cosine_matrix: rounded_difference_cosine_matrix,
    }
    found = floats[cosines](W).astype(kind.split()[0])
    return found.astype(kind.split()[-1])


def answer(pattern, C, rank):
    """The pattern, and whether it is doubtful."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = as_set(pattern(C, rank=rank))
    assert all(w.category is RoundingWarning for w in caught)
    return found, bool(caught)


def integer_matrices(count, seed):
    """Small and large entries, and products with many dependent rows; no zero rows."""
    rng = np.random.default_rng(seed)
    while count:
        n, d = rng.integers(2, 7), rng.integers(1, 5)
        most = rng.choice([1, 3, 10])
        W = rng.integers(-most, most + 1, (n, d))
        if rng.random() < 0.3:
            r = rng.integers(1, d + 1)
            W = rng.integers(-2, 3, (n, r)) @ rng.integers(-3, 4, (r, d))
        if W.any(axis=1).all():
            count -= 1
            yield W


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", TYPES)
def test_sign_patterns_of_integer_matrices(kind):
    doubtful = 0
    for W in integer_matrices(60, 11):
        C, r = rounded(cosine_matrix, W, kind), np.linalg.matrix_rank(W)
        found, doubt = answer(sign_pattern_from_cosines, C, r)
        assert doubt or found == naive.chambers(W), W.tolist()
        doubtful += doubt
    assert doubtful <= (3 if "32" in kind else 0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", TYPES)
def test_ranking_patterns_of_integer_matrices(kind):
    doubtful = 0
    for W in integer_matrices(60, 12):
        if len(W) > 5 or len(set(map(tuple, W.tolist()))) < len(W):
            continue
        D, r = rounded(difference_cosine_matrix, W, kind), np.linalg.matrix_rank(W[1:] - W[0])
        found, doubt = answer(ranking_pattern_from_difference_cosines, D, r)
        assert doubt or found == naive.rankings(W), W.tolist()
        doubtful += doubt
    assert doubtful <= (3 if "32" in kind else 0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float8_e4m3fn"])
def test_short_types_are_right_or_in_doubt(kind):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    right = 0
    for W in integer_matrices(20, 13):
        C = rounded_cosine_matrix(W)
        C = C.astype(kind if kind == "float16" else getattr(ml_dtypes, kind))
        try:
            found, doubt = answer(sign_pattern_from_cosines, C, np.linalg.matrix_rank(W))
        except InputError as error:
            assert "rounding" in str(error)
            continue
        assert doubt or found == naive.chambers(W), W.tolist()
        right += not doubt
    assert right > 6


def test_rankings_from_cosines_in_float32():
    W = [[1, -2], [0, 2], [1, 1], [0, 1]]
    for kind in TYPES:
        D = rounded(difference_cosine_matrix, W, kind)
        assert answer(ranking_pattern_from_difference_cosines, D, 2) == (naive.rankings(W), False)


@pytest.mark.parametrize(
    "W",
    [
        [[-3, -2, 2, 3], [-1, 0, 2, 1], [10, 7, -4, -8], [5, 2, -6, -5]],
        [[-6, 2, 0], [3, 5, 4], [0, 6, 6], [-3, 1, 2], [-3, 1, -6]],
        [[4, 0], [-6, -6], [-2, 0], [-7, -9], [5, 9]],
    ],
)
def test_dependencies_of_large_integers(W):
    r = np.linalg.matrix_rank(W)
    for kind in ("float64", "exact"):
        C = rounded(cosine_matrix, np.array(W), kind)
        assert answer(sign_pattern_from_cosines, C, r) == (naive.chambers(W), False)


def test_exact_cosines_keep_their_rank():
    C = cosine_matrix([[1, 2, 0], [0, 1, 1], [1, 3, 1]])
    with pytest.raises(InputError, match="rank is 3, but C has rank 2, exactly"):
        sign_pattern_from_cosines(C, rank=3)
    D = difference_cosine_matrix([[1, 2], [0, 5], [1, 1]])
    with pytest.raises(InputError, match="rank is 1, but D has rank 2, exactly"):
        ranking_pattern_from_difference_cosines(D, rank=1)


def test_cosines_that_are_not_algebraic_are_rounded():
    c = sympy.cos(1)
    assert len(sign_pattern_from_cosines([[1, c], [c, 1]], rank=2)) == 4
    with pytest.raises(InputError, match="Pass rank="):
        sign_pattern_from_cosines([[1, c], [c, 1]])


def test_doubts_name_the_rows():
    W = np.array([[1, 4, 9], [7, -10, 1], [-6, 7, -4], [-4, 1, -10]])  # the last three dependent
    C = rounded_cosine_matrix(W)
    assert as_set(sign_pattern_from_cosines(C, rank=3)) == naive.chambers(W)
    with pytest.warns(RoundingWarning, match="of C .to 24 bits., rows 1, 2, 3 are linearly dep"):
        sign_pattern_from_cosines(C.astype(np.float32), rank=3)
    labels = np.array([[0, 0], [1, 0], [0, 1], [5000, 4999]]) + [7, 7]
    D = rounded_difference_cosine_matrix(labels).astype(np.float16)
    with pytest.warns(RoundingWarning, match="of D .to 11 bits., differences"):
        ranking_pattern_from_difference_cosines(D, rank=2)


def test_rows_that_are_no_integers():
    rows = examples.gaussian(6, 3, 4)
    W = np.vstack([rows, 2 * rows[0], -rows[1]])
    exact = [[naive.fraction(x) for x in row] for row in W]
    for kind in (np.float64, np.float32):
        C = rounded_cosine_matrix(W).astype(kind)
        assert answer(sign_pattern_from_cosines, C, 3) == (naive.chambers(exact), False)
    labels = examples.gaussian(5, 2, 9)
    D = rounded_difference_cosine_matrix(labels).astype(np.float32)
    found, doubt = answer(ranking_pattern_from_difference_cosines, D, 2)
    assert (found, doubt) == (as_set(rankings(labels)), False)


@pytest.mark.parametrize("digits", [4, 7, 10, 15])
def test_cosines_in_decimal(digits):
    W = [[1, -2], [0, 2], [1, 1], [0, 1], [1, 0]]
    texts = [[f"{c:.{digits}g}" for c in row] for row in rounded_cosine_matrix(W).tolist()]
    for number in (float, Decimal):
        C = [list(map(number, row)) for row in texts]
        assert answer(sign_pattern_from_cosines, C, 2) == (naive.chambers(W), False)


def test_cosines_of_rows_normalized_in_float32():
    W = np.random.default_rng(3).integers(-3, 4, (6, 3))
    W[5] = W[0] - 2 * W[1]
    units = W / np.linalg.norm(W, axis=1, keepdims=True)
    units = units.astype(np.float32).astype(float)
    C = units @ units.T  # a float64 matrix of numerical rank 3; its diagonal shows the rounding
    assert answer(sign_pattern_from_cosines, C, 3) == (naive.chambers(W), False)


def test_many_rows_are_examined_at_random():
    W = examples.gaussian(130, 3, 2)
    C = rounded_cosine_matrix(W)  # 357,760 sets of three rows
    assert sign_pattern_from_cosines(C, rank=3) == chambers(W)


@pytest.mark.parametrize(
    "C",
    [[[1, "x"], ["x", 1]], [[1, 1j], [1j, 1]], sympy.Matrix([[1, sympy.I], [sympy.I, 1]])],
    ids=["text", "complex", "SymPy"],
)
def test_cosines_are_real_numbers(C):
    with pytest.raises(InputError, match="expected (a )?real number"):
        sign_pattern_from_cosines(C, rank=2)
