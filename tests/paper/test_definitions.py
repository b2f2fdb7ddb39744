"""Cosines, differences and patterns by their definitions, written out again."""

from fractions import Fraction
from itertools import combinations

import examples
import naive
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from ranking_examples import SMALL, ranked
from strategies import fractions, matrices, small_integers

from arrangements import Arrangement, rankings
from arrangements.errors import (
    DegenerateArrangementError,
    InputError,
    InputTypeError,
    TiedLabelsError,
)
from arrangements.paper import (
    braid_matrix,
    cosine_matrix,
    difference_cosine_matrix,
    ranking_pattern,
    rounded_cosine_matrix,
    rounded_difference_cosine_matrix,
    same_cosines,
    sign_pattern,
)
from arrangements.paper.cosines import signed_squared_cosines
from arrangements.paper.definitions import label_differences
from arrangements.structure import top_ties

# Near-ties look like rounded products, which the library says.
pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


def exact_dot(a, b):
    return sum((naive.fraction(x) * naive.fraction(y) for x, y in zip(a, b, strict=True)), 0)


@given(matrices(5, 3, fractions | small_integers))
@settings(max_examples=20)
def test_cosines_are_those_of_the_definition(W):
    C = cosine_matrix(W)
    for i, j in combinations(range(len(W)), 2):
        g, size = exact_dot(W[i], W[j]), exact_dot(W[i], W[i]) * exact_dot(W[j], W[j])
        assert C[i, j] == C[j, i]
        square = g * g / size
        assert C[i, j] ** 2 == sympy.Rational(square.numerator, square.denominator)
        assert sympy.sign(C[i, j]) == (g > 0) - (g < 0)
        assert signed_squared_cosines(W)[i][j] == (square if g >= 0 else -square)
    assert list(C.diagonal()) == [1] * len(W)


def test_cosines_are_written_as_sympy_writes_them():
    W = np.random.default_rng(1).integers(-9, 10, (8, 3)) + [[0, 0, 20]]
    C = cosine_matrix(W)
    for i, j in combinations(range(8), 2):
        a, b = (sympy.Matrix(W[k].tolist()) for k in (i, j))
        assert C[i, j] == a.dot(b) / (a.norm() * b.norm())


def test_cosines_of_algebraic_numbers():
    angles = [2 * sympy.pi * k / 5 for k in range(5)]
    C = cosine_matrix(sympy.Matrix([[sympy.cos(t), sympy.sin(t)] for t in angles]))
    for i, j in combinations(range(5), 2):
        assert sympy.simplify(C[i, j] - sympy.cos(angles[i] - angles[j])) == 0
    W = [[sympy.cos(t), sympy.sin(t)] for t in angles]
    assert np.allclose(rounded_cosine_matrix(W), np.array(C.evalf().tolist(), float))
    for odd in (sympy.I, sympy.Symbol("t"), sympy.true):
        with pytest.raises(InputTypeError, match="real number"):
            rounded_cosine_matrix([[odd, 1], [1, 2]])
    unknown = sympy.Matrix([[sympy.Symbol("t"), 1]])
    with pytest.raises(InputTypeError, match="t is not an exact real number"):
        cosine_matrix(unknown)


@pytest.mark.parametrize("scale", [1.0, 1e300, 1e-300])
def test_float_cosines(scale):
    W = examples.gaussian(6, 3, 0) * scale
    C = rounded_cosine_matrix(W)
    assert np.abs(C - np.array(cosine_matrix(W), dtype=float)).max() < 1e-14
    assert (np.diag(C) == 1).all()


def test_float_cosines_of_numbers_beyond_floats():
    huge = [[10**400, 10**400], [Fraction(1, 10**400), 0]]
    assert np.allclose(rounded_cosine_matrix(huge), [[1, 0.5**0.5], [0.5**0.5, 1]])
    assert cosine_matrix(huge)[0, 1] == 1 / sympy.sqrt(2)


def test_cosines_of_an_arrangement():
    A = Arrangement([[1, 1], [1, 0]], [5, 6])
    assert cosine_matrix(A) == cosine_matrix([[1, 1], [1, 0]])
    assert same_cosines(A, [[2, 2], [3, 0]])
    assert difference_cosine_matrix(A).shape == (1, 1)
    assert rounded_cosine_matrix(A).shape == (2, 2)


def test_equal_cosines_to_the_last_bit():
    W = np.array([[3.0, 4.0, 0.0], [1.0, 0.5, 0.25], [0.0, -1.0, 2.0]])
    assert same_cosines(W, W * [[2], [3], [0.5]])
    assert same_cosines(W, W[:, [2, 0, 1]] * [1, -1, 1])
    near = W.copy()
    near[1, 1] = np.nextafter(0.5, 1)
    assert not same_cosines(W, near)
    assert not same_cosines(W, W[:2])


def test_zero_rows_have_no_cosines():
    for cosines in (cosine_matrix, rounded_cosine_matrix):
        with pytest.raises(DegenerateArrangementError, match="row 1 of W is zero"):
            cosines([[1, 2], [0, 0]])
    for cosines in (difference_cosine_matrix, rounded_difference_cosine_matrix):
        with pytest.raises(TiedLabelsError, match="0 and 2"):
            cosines([[1, 2], [0, 0], [1, 2]])


def test_differences_in_lexicographic_order():
    W = [[1, 2], [Fraction(1, 3), 0], [5, -7], [0, 1]]
    expected = [[a - b for a, b in zip(x, y, strict=True)] for x, y in combinations(W, 2)]
    assert label_differences(W).tolist() == expected
    assert (braid_matrix(4) @ np.array(W, dtype=object)).tolist() == expected
    assert braid_matrix(5).tolist() == examples.braid(5)
    assert braid_matrix(5).dtype == np.int8
    assert difference_cosine_matrix(W) == cosine_matrix(expected)


def test_patterns_have_another_name():
    W = [[1, 2], [2, 1], [-1, 1], [0, 1]]
    assert set(map(tuple, sign_pattern(W).to_array().tolist())) == naive.chambers(W)
    assert set(map(tuple, ranking_pattern(W).to_array().tolist())) == naive.rankings(W)
    assert len(sign_pattern(W, [1, 0, 0, 0])) == naive.count(W, [1, 0, 0, 0])
    assert len(ranking_pattern(W, [1, 0, 0, 0])) == len(naive.rankings(W, [1, 0, 0, 0]))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_top_ties_part_the_points_of_a_pair_on_top(example):
    """Crossing a tie for the top swaps the first two labels of a ranking."""
    if any(np.array_equal(a, b) for a, b in combinations(example.normals, 2)):
        return
    heads = {order[:2] for order in ranked(example) if len(order) > 1}
    expected = sorted([i, j] for i, j in heads if i < j and (j, i) in heads)
    assert top_ties(*example.arguments).tolist() == expected


@given(st.data())
@settings(max_examples=30)
def test_top_ties_are_hull_edges(data):
    point = st.tuples(st.integers(-4, 4), st.integers(-4, 4))
    points = data.draw(st.lists(point, min_size=2, max_size=7, unique=True))
    expected = []
    for i, j in combinations(range(len(points)), 2):
        (ax, ay), (bx, by) = points[i], points[j]
        others = [p for k, p in enumerate(points) if k not in (i, j)]
        sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in others]
        if all(s > 0 for s in sides) or all(s < 0 for s in sides):
            expected.append([i, j])
    assert top_ties(points).tolist() == expected


def test_one_label_has_no_rival():
    assert top_ties([[1, 2]]).shape == (0, 2)


def test_floats_among_square_roots_are_dyadic():
    root = sympy.sqrt(2)
    assert cosine_matrix([[root, 0.5], [1, 0]])[0, 1] == 2 * root / 3
    assert cosine_matrix(sympy.Matrix([[root, 1], [1, 0]])) == cosine_matrix([[root, 1], [1, 0]])
    for entry in (sympy.Float(0.5), sympy.I, float("nan")):
        with pytest.raises(InputError):
            cosine_matrix([[root, entry], [1, 0]])


def test_a_ranking_pattern_without_tied_labels():
    W = [[1, 2], [0, 0], [1, 2], [5, 1]]
    with pytest.raises(TiedLabelsError, match="pass ties='drop'"):
        ranking_pattern(W)
    found = ranking_pattern(W, ties="drop")
    assert found.model.dropped == {2: 0} and found == rankings(W, ties="drop")
