"""Arrays that are attributes stay as they are: what was computed from them is kept."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from numba import typeof

from arrangements import Arrangement, OrientedMatroid, Rankings, SignVectors, chambers, rankings
from arrangements.algebra import same_oriented_matroid
from arrangements.core.score_model import ScoreModel
from arrangements.exact.numbers import read_only
from arrangements.models import SigmoidClassifier, SoftmaxClassifier

FLOATS = [[1.5, 0.0], [0.0, 1.0], [1.0, 1.0]]
INTEGERS = [[1, 0], [0, 1], [1, 1]]
FRACTIONS = [[Fraction(1, 3), 0], [0, 1], [1, 1]]


def attributes():
    for W in (FLOATS, INTEGERS, FRACTIONS):
        for make in (Arrangement, ScoreModel, SoftmaxClassifier, SigmoidClassifier):
            made = make(W, [0, 1, Fraction(1, 3)])
            rows = made.normals if make is Arrangement else made.weights
            yield make.__name__, rows
            yield make.__name__, made.offsets
        matroid = OrientedMatroid.from_matrix(W)
        yield "OrientedMatroid", matroid.chirotope
        yield "OrientedMatroid", matroid.matrix
        comparison = same_oriented_matroid(W, INTEGERS)
        yield "comparison", comparison.first
        yield "comparison", comparison.second
    for S in (chambers(FLOATS), chambers(FLOATS)[:2], SignVectors.from_array(["+-"])):
        yield "SignVectors", S.packed
    W = np.random.default_rng(0).standard_normal((6, 3))
    yield "factor", chambers(W, rank=2).factor
    for R in (rankings(FLOATS), rankings(FLOATS)[:2], Rankings.from_array([[1, 0]])):
        yield "Rankings", R.orders


def test_no_public_array_can_be_made_writeable():
    for name, array in attributes():
        before = array.tolist()
        for view in (array, array[:1], array.view(), array.reshape(-1)):
            with pytest.raises(ValueError, match="WRITEABLE"):
                view.flags.writeable = True
            with pytest.raises(ValueError, match="read-only"):
                view[...] = 0
        assert array.flags.c_contiguous and array.tolist() == before, name


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3)),
        np.zeros((3, 0), np.int64),
        np.eye(3, dtype=np.uint64),
        np.ones((2, 3, 2), np.uint16),
        np.array([True, False]),
        np.eye(4)[:2],
        np.eye(4)[::2, ::2],
        np.array([[1, Fraction(1, 3)]], object),
        np.zeros((0, 2), object),
    ],
)
def test_read_only_views_are_the_same_to_everybody_else(array):
    view = read_only(array)
    assert (view.dtype, view.shape, view.tolist()) == (array.dtype, array.shape, array.tolist())
    assert view.flags.c_contiguous == array.flags.c_contiguous or not array.size
    if array.dtype != object:
        assert array.flags.writeable
        assert np.shares_memory(view, array) or not array.size
        # of one type to numba, so kernels have one version for both
        plain = array.view()
        plain.flags.writeable = False
        assert typeof(view) == typeof(plain)
    assert pickle.loads(pickle.dumps(view)).tolist() == array.tolist()
