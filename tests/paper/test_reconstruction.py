"""Patterns from cosines alone, against the naive oracle, which sees W."""

from fractions import Fraction

import examples
import naive
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_examples import SMALL, ranked
from strategies import matrices

from arrangements import chambers, rankings
from arrangements.errors import InputError, InputTypeError, TiedLabelsError
from arrangements.exact.coercion import as_exact_matrix
from arrangements.paper import (
    cosine_matrix,
    difference_cosine_matrix,
    ranking_pattern_from_difference_cosines,
    rounded_cosine_matrix,
    rounded_difference_cosine_matrix,
    same_cosines,
    sign_pattern_from_cosines,
)
from arrangements.paper.reconstruction import rescaled_gram, spanning_columns

HALF = sympy.Rational(1, 2)


def as_set(patterns):
    return set(map(tuple, patterns.to_array().tolist()))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("example", examples.CENTRAL, ids=repr)
def test_sign_patterns(example):
    if example.n > 40 or "1e-300" in example.name:
        return  # long
    found = sign_pattern_from_cosines(cosine_matrix(example.normals))
    assert as_set(found) == example.chambers


@pytest.mark.sampled(5)
@pytest.mark.parametrize("example", [e for e in SMALL if e.is_central and 1 < e.n < 7], ids=repr)
def test_ranking_patterns(example):
    if "equal" in example.name or "1e-300" in example.name:
        return  # equal rows have no difference
    found = ranking_pattern_from_difference_cosines(difference_cosine_matrix(example.normals))
    assert as_set(found) == ranked(example)


@given(matrices(6, 3), st.data())
@settings(max_examples=25)
def test_cosines_and_patterns_do_not_see_lengths_and_rotations(W, data):
    rows = [[naive.fraction(x) for x in row] for row in W]
    scales = data.draw(st.lists(st.integers(1, 9), min_size=len(W), max_size=len(W)))
    turned = [
        [s * Fraction(3 * a - 4 * b, 5), s * Fraction(4 * a + 3 * b, 5), *(s * c for c in rest)]
        for s, (a, b, *rest) in zip(scales, [[*row, 0] for row in rows], strict=True)
    ]
    assert same_cosines(W, turned)
    C = cosine_matrix(turned)
    assert as_set(sign_pattern_from_cosines(C)) == naive.chambers(W)


def test_a_plain_matrix_of_fractions_and_square_roots():
    hexagon = [[1, HALF, -HALF], [HALF, 1, HALF], [-HALF, HALF, 1]]  # 0, 60 and 120 degrees
    expected = naive.chambers([[1, 0], [0, 1], [-1, 1]])
    assert as_set(sign_pattern_from_cosines(sympy.Matrix(hexagon))) == expected
    fractions = [[Fraction(int(2 * c), 2) for c in row] for row in hexagon]
    assert as_set(sign_pattern_from_cosines(fractions)) == expected
    root = sympy.sqrt(5) / 5
    nested = sympy.sqrt(6 - 2 * sympy.sqrt(5)) / (5 - sympy.sqrt(5))  # = 1/sqrt(5), not denested
    for entry in (root, nested):
        found = sign_pattern_from_cosines([[1, -entry], [-entry, 1]])
        assert len(found) == 4
        assert rescaled_gram([[1, -entry], [-entry, 1]]).rows[0][1] == Fraction(-1, 5)


def test_orthogonal_rows_are_trees_of_their_own():
    assert len(sign_pattern_from_cosines(np.eye(5, dtype=int))) == 32
    W = [[1, 1, 0, 0], [0, 0, 1, 2], [1, 0, 0, 0], [0, 0, 3, 1], [0, 1, 0, 0]]
    assert as_set(sign_pattern_from_cosines(cosine_matrix(W))) == naive.chambers(W)


def test_parallel_and_opposite_rows():
    found = sign_pattern_from_cosines([[1, 1, -1], [1, 1, -1], [-1, -1, 1]])
    assert as_set(found) == {(1, 1, -1), (-1, -1, 1)}


def test_rounded_cosines_need_the_rank():
    W = examples.gaussian(9, 3, 1)
    C = rounded_cosine_matrix(W)
    with pytest.raises(InputTypeError, match="Pass rank="):
        sign_pattern_from_cosines(C)
    assert sign_pattern_from_cosines(C, rank=3) == chambers(W)
    labels = W[:6]
    D = rounded_difference_cosine_matrix(labels)
    assert ranking_pattern_from_difference_cosines(D, rank=3) == rankings(labels)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n", "d"), [(2, 1), (5, 1), (7, 2), (8, 4), (5, 4)])
def test_labels_are_placed_by_rounded_cosines(n, d):
    W = examples.gaussian(n, d, n + d) + 10
    D = rounded_difference_cosine_matrix(W)
    assert ranking_pattern_from_difference_cosines(D, rank=d) == rankings(W)


def test_rounded_cosines_of_no_differences():
    with pytest.raises(InputError, match="not the cosine matrix of all differences"):
        ranking_pattern_from_difference_cosines(np.eye(3), rank=3)
    C = rounded_cosine_matrix(examples.gaussian(6, 2, 0))
    with pytest.raises(InputError, match="not the cosine matrix of all differences"):
        ranking_pattern_from_difference_cosines(C, rank=2)
    with pytest.raises(InputError, match="expected n"):
        ranking_pattern_from_difference_cosines(np.eye(2), rank=2)


def test_algebraic_cosines_are_exact():
    angles = [2 * sympy.pi * k / 5 for k in range(5)]
    C = cosine_matrix(sympy.Matrix([[sympy.cos(t), sympy.sin(t)] for t in angles]))
    pentagon = [[10, 0], [3, 10], [-8, 6], [-8, -6], [3, -10]]  # in the same cyclic order
    for cosines in (C, as_exact_matrix(C)):
        for rank in (None, 2):
            found = sign_pattern_from_cosines(cosines, rank=rank)
            assert as_set(found) == naive.chambers(pentagon)
    with pytest.raises(InputError, match="rank is 3, but C has rank 2, exactly"):
        sign_pattern_from_cosines(C, rank=3)
    a, b, c = (1 / sympy.sqrt(k) for k in (2, 3, 5))  # no two rows have a rational product
    assert len(sign_pattern_from_cosines([[1, a, b], [a, 1, c], [b, c, 1]])) == 8
    with pytest.raises(InputError, match="rational products"):
        rescaled_gram([[1, a, b], [a, 1, c], [b, c, 1]])


def third(c):
    """Three unit vectors, two cosines 1/2."""
    return [[1, HALF, HALF], [HALF, 1, c], [HALF, c, 1]]


@pytest.mark.parametrize(
    ("C", "message"),
    [
        ([[1, 0, 0], [0, 1, 0]], "shape"),
        ([[1, 0], [0]], "expected rows of one length"),
        ([[2, 0], [0, 1]], "not 1"),
        ([[1, HALF], [0, 1]], "not symmetric"),
        ([[1, 2], [2, 1]], "positive semidefinite"),
        (third(-1), "positive semidefinite"),
        ([[1, sympy.sqrt(2) / 2, 0], [sympy.sqrt(2) / 2, 1, 1], [0, 1, 1]], "semidefinite"),
        ([[1, "x"], ["x", 1]], "expected a real number"),
        ([[1, sympy.Symbol("c")], [sympy.Symbol("c"), 1]], "expected a real number"),
        ([[1, sympy.I], [sympy.I, 1]], "expected a real number"),
        ([[1, sympy.nan], [sympy.nan, 1]], "expected a real number"),
    ],
)
def test_what_is_no_cosine_matrix(C, message):
    with pytest.raises(InputError, match=message):
        sign_pattern_from_cosines(C)


@pytest.mark.parametrize(
    ("C", "rank", "message"),
    [
        (np.eye(3)[:2], 2, "shape"),
        ([[1, 0.5], [0.4, 1]], 1, "not symmetric"),
        ([[2.0, 0], [0, 1]], 1, "diagonal"),
        (np.eye(2), "all", "expected None"),
        (np.eye(2), 3, "rank"),
    ],
)
def test_bad_rounded_cosines(C, rank, message):
    with pytest.raises(InputError, match=message):
        sign_pattern_from_cosines(C, rank=rank)


def test_the_boundary_of_semidefinite():
    assert len(sign_pattern_from_cosines(third(-HALF))) == 6  # 120 degrees: rank 2
    slack = sympy.Rational(1, 10**30)
    with pytest.raises(InputError, match="positive semidefinite"):
        sign_pattern_from_cosines(third(-HALF - slack))
    assert len(sign_pattern_from_cosines(third(-HALF + slack))) == 8


def test_cosines_of_no_differences():
    with pytest.raises(InputError, match="no|expected n"):
        ranking_pattern_from_difference_cosines([[1, 0], [0, 1]])
    with pytest.raises(InputError, match="not the cosine matrix of all differences"):
        ranking_pattern_from_difference_cosines(np.eye(3, dtype=int))


def test_spanning_columns_of_a_singular_matrix():
    rows = [(Fraction(1), Fraction(-2)), (Fraction(-2), Fraction(4))]
    assert spanning_columns(rows).tolist() == [[1], [-1]]
    with pytest.raises(InputError, match="semidefinite"):
        spanning_columns([(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))])


def test_directions_that_belong_to_no_labels():
    # transitive, but the sides of four triangles have one condition more than four points
    D = cosine_matrix([[1, 0], [5, 1], [3, 3], [1, 2], [1, 5], [0, 1]])
    assert len(sign_pattern_from_cosines(D)) == 12  # as many as four labels have rankings
    with pytest.raises(InputError, match="not the cosine matrix of all differences"):
        ranking_pattern_from_difference_cosines(D)
    W = [[0, 0], [1, 0], [0, 1], [3, 1]]
    D = difference_cosine_matrix(W).tolist()
    for i in range(6):
        if i != 2:
            D[i][2], D[2][i] = -D[i][2], -D[2][i]
    with pytest.raises(InputError, match="not the cosine matrix of all differences"):
        ranking_pattern_from_difference_cosines(D)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "W",
    [
        [[0, 0], [1, 0], [3, 0], [1, 2], [2, 0]],  # labels 0, 1, 2 and 4 on a line
        [[5, 1], [4, 1], [0, 1], [-1, 1], [7, 1]],  # all on a line
        [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
        [[1, 2], [2, 1]],
        [[0.1, 1e300], [1e-300, 7], [3, 2]],
        [[1e-200, 3.0], [1e200, 1], [7.5, 1e199], [1e180, -2]],  # squares beyond float64
    ],
)
def test_labels_are_placed_exactly(W):
    found = ranking_pattern_from_difference_cosines(difference_cosine_matrix(W))
    assert as_set(found) == naive.rankings(W)
    assert len(found.witness(0)) < len(W)


def test_differences_of_square_roots():
    r = sympy.sqrt(3) / 2  # an equilateral triangle and its center
    W = sympy.Matrix([[1, 0], [-HALF, r], [-HALF, -r], [0, 0]])
    D = difference_cosine_matrix(W)
    assert D[0, 1] == HALF and D[0, 2] == r
    rational = [[2, 0], [-1, 1], [-1, -1], [0, 0]]  # x in another basis
    assert as_set(ranking_pattern_from_difference_cosines(D)) == naive.rankings(rational)
    with pytest.raises(TiedLabelsError, match="0 and 2"):
        difference_cosine_matrix(sympy.Matrix([[r, 0], [0, 0], [r, 0]]))
    with pytest.raises(InputError, match="one row"):
        difference_cosine_matrix(sympy.Matrix([[r, 0]]))


def test_numbers_of_all_kinds_in_a_list():
    C = [[sympy.Integer(1), np.int64(0), 0], [0, 1, Fraction(1, 2)], [0, HALF, True]]
    assert len(sign_pattern_from_cosines(C)) == 8
    with pytest.raises(InputTypeError, match="oo .*expected a real number"):
        sign_pattern_from_cosines([[1, sympy.oo], [sympy.oo, 1]])
    with pytest.raises(InputError, match=r"D\[0, 0\] is not 1"):
        ranking_pattern_from_difference_cosines([[0]])


@pytest.mark.parametrize(
    ("C", "rank", "message"),
    [
        ([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]], 2, "not positive semidefinite"),
        ([[1, 1.5], [1.5, 1]], 1, "not positive semidefinite"),
        (np.eye(3), 2, "has rank 3 at least"),
        (np.ones((3, 3)), 2, "has only rank 1 and rounding errors"),
    ],
)
def test_rounded_cosines_of_another_rank(C, rank, message):
    with pytest.raises(InputError, match=message):
        sign_pattern_from_cosines(C, rank=rank)


@pytest.mark.parametrize("rank", [None, 2])
def test_masked_cosines_are_refused(rank):
    masked = np.ma.array(np.eye(2), mask=[[False, True], [True, False]])
    for C in (masked, [masked[0], [0.0, 1.0]]):
        with pytest.raises(InputError, match="C has masked entries"):
            sign_pattern_from_cosines(C, rank=rank)
