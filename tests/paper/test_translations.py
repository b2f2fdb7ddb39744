"""Translations: cosines of any vectors become +1 and -1, probabilities stay."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import fractions

from arrangements import Arrangement
from arrangements.errors import InputError
from arrangements.paper import (
    cosine_matrix,
    equivalent_models,
    equivalent_softmax,
    same_softmax,
    translation_for_cosine,
)
from arrangements.paper.softmax import softmax_ratio


def ratio(a, b):
    """The number c with a = c b, or None."""
    pivot = next((k for k, y in enumerate(b) if y), None)
    if pivot is None:
        return None
    c = Fraction(a[pivot]) / b[pivot]
    return c if all(x == c * y for x, y in zip(a, b, strict=True)) else None


@given(st.data(), st.sampled_from([1, -1]))
def test_any_two_vectors(data, target):
    d = data.draw(st.integers(1, 4))
    vector = st.lists(fractions, min_size=d, max_size=d)
    a, b = data.draw(vector), data.draw(vector)
    avoid = data.draw(st.lists(vector, max_size=3))
    if a == b and target == -1:
        with pytest.raises(InputError, match="a and b are equal"):
            translation_for_cosine(a, b, -1)
        return
    v = translation_for_cosine(a, b, target, avoid=avoid or None)
    moved = [[x + t for x, t in zip(row, v, strict=True)] for row in (a, b, *avoid)]
    assert all(any(row) for row in moved)
    assert ratio(moved[0], moved[1]) * target > 0
    assert all(isinstance(entry, Fraction) for entry in v)


@pytest.mark.parametrize(
    ("a", "b", "v"),
    [
        ([1, 0], [0, 1], (Fraction(-1, 2), Fraction(-1, 2))),
        ([2, 4], [1, 2], (Fraction(-3, 2), -3)),
        ([0, 0], [1, 2], (Fraction(-1, 2), -1)),
        ([1.5], [-0.25], (Fraction(-5, 8),)),
    ],
)
def test_the_translation_of_the_lemma(a, b, v):
    assert translation_for_cosine(a, b, -1) == v


def test_a_forbidden_middle():
    v = translation_for_cosine([1, 0], [-1, 0], -1, avoid=[[0, 0]])
    assert any(v) and -1 < v[0] < 1 and v[1] == 0


@pytest.mark.parametrize(
    ("a", "b", "target", "message"),
    [
        ([1, 2], [1, 2], -1, "are equal"),
        ([0.1, 0], [0.1, 0], -1, "are equal"),
        ([1, 2], [1, 2, 3], 1, "entries"),
        ([1, 2], [2, 1], 0, "expected 1 or -1"),
        ([[1, 2]], [2, 1], 1, "shape"),
        ([1, float("nan")], [2, 1], 1, "finite"),
    ],
)
def test_bad_vectors(a, b, target, message):
    with pytest.raises(InputError, match=message):
        translation_for_cosine(a, b, target)


def test_equal_to_the_last_bit_only():
    assert translation_for_cosine([0.1], [np.nextafter(0.1, 1)], -1)[0] < 0


def test_softmax_identity():
    assert softmax_ratio() == 1
    u, w = sympy.IndexedBase("u"), sympy.IndexedBase("w")
    assert softmax_ratio(lambda i, k: 7 * k) == 1
    assert softmax_ratio(lambda i, k: 0) == 1
    for wrong in (lambda i, k: u[i, k], lambda i, k: w[i, k], lambda i, k: i * k):
        assert softmax_ratio(wrong) != 1


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True)


@given(st.integers(0, 2**32))
@settings(max_examples=20)
def test_probabilities_on_real_inputs(seed):
    rng = np.random.default_rng(seed)
    W, X = rng.standard_normal((6, 3)), rng.standard_normal((5, 3))
    models = equivalent_models(W, 1, 4)
    expected = softmax(X @ W.T)
    for weights, found in zip(
        (models.W, models.parallel, models.opposite), models.probabilities(X), strict=True
    ):
        assert same_softmax(W, weights)
        assert np.abs(softmax(X @ weights.astype(float).T) - expected).max() < 1e-12
        assert np.abs(found - expected).max() < 1e-12
    assert cosine_matrix(models.parallel)[1, 4] == 1
    assert cosine_matrix(models.opposite)[4, 1] == -1


def test_equivalent_models_without_zero_rows():
    # the middle of labels 0 and 1 is label 2, and 2 b - a is label 3
    models = equivalent_models([[2, 0], [4, 0], [3, 0], [6, 0]], 0, 1)
    assert models.parallel.any(axis=1).all() and models.opposite.any(axis=1).all()
    assert models.symbolic_ratios() == [1] * 8
    with pytest.raises(InputError, match="equal"):
        equivalent_models([[1, 2], [1, 2]], 0, 1)
    with pytest.raises(InputError, match="no label 2: rows are numbered from 0 to 1"):
        equivalent_models([[1, 2], [2, 1]], 0, 2)


def test_same_softmax_sees_the_last_bit_and_the_biases():
    W = np.array([[0.5, 1.0], [2.0, -3.0], [0.0, 0.25]])
    assert same_softmax(W, equivalent_softmax(W, [0.1, 1e-300]))
    assert not same_softmax(W, W + 0.1)  # rounded
    assert not same_softmax(W, 2 * W)
    assert same_softmax(W, W, [1, 2, 3], [2, 3, 4])
    assert not same_softmax(W, W, [1, 2, 3], [2, 3, 5])
    assert not same_softmax(W, W, None, [0, 0, 1])
    with pytest.raises(InputError, match="expected the same"):
        same_softmax(W, W[:2])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_what_only_rounding_changed(dtype):
    rng = np.random.default_rng(0)
    W, b = rng.standard_normal((30, 4)).astype(dtype), rng.standard_normal(30).astype(dtype)
    v = np.array([0.1, -3.3, 1e3, 1e-4], dtype)
    moved = W + v
    for other in (moved, (W.astype(float) + v).astype(dtype)):
        found = same_softmax(W, other, b, b + dtype(0.7))
        assert not found and found.rounding
        slack = np.abs(np.array(found.translation, float) - v)
        assert (slack <= 4 * np.finfo(dtype).eps * (np.abs(v.astype(float)) + 1)).all()
    assert same_softmax(moved, W + 2 * v).rounding  # both are rounded translates of W
    last = moved.copy()
    last[3, 1] += 40 * np.spacing(last[3, 1])
    for other in (last, 2 * W):
        found = same_softmax(W, other)
        assert not found and not found.rounding and found.translation is None
    assert not same_softmax(W, moved, b, 2 * b).rounding
    assert "but the same without rounding" in repr(same_softmax(W, moved))


def translates(kind):
    """Rows of a type of floats, the same plus a vector, and something else."""
    rng = np.random.default_rng(1)
    rows, v = rng.standard_normal((30, 4)), np.array([0.1, -3.3, 7.0, 1e-2])
    if kind == "Decimal":
        rows, v = (np.array([Decimal(x) / 3 for x in a.flat]).reshape(a.shape) for a in (rows, v))
    else:
        rows, v = rows.astype(kind) / np.array(3, kind), v.astype(kind)
    return rows, rows + v, rows * np.array([1, 1, 1, -1]).astype(v.dtype)


def scalars(array):
    """An object array of the numbers as they are; those of NumPy keep their types."""
    found = np.empty(array.shape, dtype=object)
    for place, entry in np.ndenumerate(array):
        found[place] = entry
    return found


def float64(array):
    return array.astype(float)


def in_an_arrangement(array):
    return Arrangement(float64(array))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("kind", "forms"),
    [
        ("float16", [scalars, float64, in_an_arrangement]),
        ("float32", [scalars, float64, in_an_arrangement, np.ndarray.tolist]),
        ("float64", [scalars, np.ndarray.tolist]),
        ("longdouble", [scalars]),
        ("Decimal", [np.ndarray.tolist]),
        ("bfloat16", [scalars, float64]),
        ("float8_e4m3fn", [scalars]),
        ("float8_e5m2", [scalars]),
    ],
)
def test_rounding_of_all_types_of_floats(kind, forms):
    if "bfloat" in kind or "8_" in kind:
        kind = getattr(pytest.importorskip("ml_dtypes"), kind)
    W, moved, other = translates(kind)
    for form in [np.asarray, *forms]:
        found = same_softmax(form(W), form(moved))
        assert not found and found.rounding, form
        assert not same_softmax(form(W), form(other)).rounding


def test_integers_and_fractions_are_not_rounded():
    large = [[10**20, 1], [10**20 + 1, 2]]
    assert not same_softmax(large, [[2 * 10**20, 1], [2 * 10**20 + 2, 2]]).rounding
    thirds = [[Fraction(1, 3)], [Fraction(2, 3)]]
    assert not same_softmax(thirds, [[0], [Fraction(1, 3) + Fraction(1, 10**40)]]).rounding


def test_arrangements_bring_their_biases():
    A, B = Arrangement([[1, 2], [3, 4]], [1, 2]), Arrangement([[0, 2], [2, 4]], [2, 3])
    assert same_softmax(A, B) and not same_softmax(A, B.normals)
    assert same_softmax(A, B.normals, offsets2=[5, 6])
    with pytest.raises(InputError, match="has its own"):
        same_softmax(A, B, offsets1=[5, 6])
    assert equivalent_softmax(A, [-1, 0]).tolist() == B.normals.tolist()
    assert equivalent_models(A, 0, 1).labels == (0, 1)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ((0.0, 1), "0.0 is neither"),
        (("0", 1), "'0' is not the name"),
        ((True, 0), "True is neither"),
        ((0, -1), "no label -1: rows are numbered"),
        ((0, 2), "rows 0 and 2 of W are equal"),
        ((1, 1), "rows 1 and 1 of W are equal"),
    ],
)
def test_bad_labels_of_equivalent_models(labels, message):
    with pytest.raises(InputError, match=message):
        equivalent_models([[1, 2], [3, 4], [1, 2]], *labels)


def test_vectors_of_sympy():
    a, b = sympy.Matrix([1, 2]), sympy.Matrix([[3, 1]])
    assert translation_for_cosine(a, b, 1) == translation_for_cosine([1, 2], [3, 1], 1)


def test_bad_points_and_vectors():
    models = equivalent_models([[1, 2], [3, 4]], 0, 1)
    with pytest.raises(InputError, match=r"expected \(..., 2\)"):
        models.probabilities([1, 2, 3])
    with pytest.raises(InputError, match="finite"):
        models.probabilities([[1, np.nan]])
    with pytest.raises(InputError, match="at least one"):
        translation_for_cosine([], [], 1)
