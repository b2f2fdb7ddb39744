"""Feasibility with proofs: brute force over sign vectors, both kinds of proof verified."""

import dataclasses
from fractions import Fraction
from itertools import product

import naive
import numpy as np
import pytest
from examples import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st
from strategies import arrangements

from arrangements.certificates.certificate import Certificate
from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.exact.linear import rank
from arrangements.feasibility.interior import float_witnesses
from arrangements.feasibility.one_sign_vector import interior_point

# Near-ties look like rounded products, which the library says.
pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


def questions(example):
    """All sign vectors if there are few; else chambers and some of their neighbors."""
    if example.n <= 9:
        return list(product((-1, 1), repeat=example.n))
    met = sorted(example.chambers)[:200]
    near = [
        tuple(-s if i == k % example.n else s for i, s in enumerate(c)) for k, c in enumerate(met)
    ]
    return met + near


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_every_answer_is_right_and_proved(example):
    arrangement = Arrangement(*example.arguments)
    for signs in questions(example):
        certificate = feasible(arrangement, signs)
        assert certificate.feasible == bool(certificate) == (signs in example.chambers)
        assert certificate.verify()
        assert (certificate.point is None) != (certificate.weights is None)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_float_witnesses_have_exactly_the_signs(example):
    arrangement = Arrangement(*example.arguments)
    signs = np.array(sorted(example.chambers), np.int8)
    points, ok = float_witnesses(arrangement, signs)
    assert points.shape == (len(signs), example.dimension) and points.dtype == np.float64
    for row, point, good in zip(signs.tolist(), points.tolist(), ok.tolist(), strict=True):
        if good:
            exact = tuple(map(Fraction, point))
            assert Certificate(arrangement, tuple(row), True, point=exact).verify()
        else:
            assert np.isnan(point).all()


@pytest.mark.parametrize("d", [2, 4, 9])
def test_generic_chambers_all_have_float_witnesses(d):
    W = np.random.default_rng(d).standard_normal((30, d))
    X = np.random.default_rng(d + 1).standard_normal((50, d))
    points, ok = float_witnesses(Arrangement(W), np.sign(X @ W.T).astype(np.int8))
    assert ok.all()
    assert (np.sign(points @ W.T) == np.sign(X @ W.T)).all()


small = st.integers(-3, 3) | st.fractions(-2, 2, max_denominator=5)


@pytest.mark.slow
@given(st.data())
def test_random_small_systems(data):
    d = data.draw(st.integers(1, 3))
    rows = st.lists(small, min_size=d, max_size=d)
    W = data.draw(st.lists(rows, min_size=1, max_size=7))
    b = data.draw(st.lists(small, min_size=len(W), max_size=len(W)) | st.none())
    keep = [i for i, row in enumerate(W) if any(row) or (b is not None and b[i])]
    if not keep:
        return
    W, b = [W[i] for i in keep], None if b is None else [b[i] for i in keep]
    signs = data.draw(st.lists(st.sampled_from([-1, None, 1]), min_size=len(W), max_size=len(W)))
    certificate = feasible(W, signs, offsets=b)
    assert certificate.verify()
    if not certificate:
        support = certificate.support
        homogeneous = [
            row for i, row in enumerate(certificate.arrangement.integer_rows) if i in support
        ]
        # a circuit of the rows, with the row at infinity if the sum is not zero
        assert rank(homogeneous) in (len(support) - 1, len(support))


@pytest.mark.slow
@given(arrangements())
def test_random_wide_systems(drawn):
    W, b = drawn
    arrangement, met = Arrangement(W, b), naive.chambers(W, b)
    for signs in product((-1, 1), repeat=len(W)):
        certificate = feasible(arrangement, signs)
        assert certificate.feasible == (signs in met) and certificate.verify()
    points, ok = float_witnesses(arrangement, np.array(sorted(met), np.int8))
    for signs, point, good in zip(sorted(met), points.tolist(), ok.tolist(), strict=True):
        assert not good or naive.signs_at(W, b, point) == signs


def test_support_is_a_circuit():
    W = np.random.default_rng(5).standard_normal((40, 4))
    certificate = feasible(W, "+-" * 20)
    assert not certificate and certificate.verify()
    support = list(certificate.support)
    rows = [certificate.arrangement.integer_rows[i][:4] for i in support]
    assert rank(rows) == len(rows) - 1
    for left_out in range(len(rows)):
        assert rank(rows[:left_out] + rows[left_out + 1 :]) == len(rows) - 1


def test_points_are_short_where_there_is_room():
    assert feasible([[1, 0], [0, 1]], "+-").point == (1, -1)
    assert all(x.denominator < 100 for x in feasible(np.eye(5) + 0.1, "+-+-+").point)


def test_rows_of_either_sign():
    W = [[1, 0], [0, 1], [1, 1]]
    assert feasible(W, "++*")
    assert feasible(W, "***").point == (0, 0)
    assert not feasible(W, [1, 1, -1])
    certificate = feasible([*W, [5, 7]], "++-*")
    assert certificate.verify() and certificate.weights[3] == 0


def test_affine_weights_use_the_offsets():
    certificate = feasible([[1], [-1]], "++", offsets=[-1, 0])  # x > 1 and x < 0
    assert certificate.weights == (1, 1) and certificate.verify()
    assert feasible([[1], [-1]], "++", offsets=[1, 0]).point is not None
    constant = feasible([[0], [1]], "-+", offsets=[3, 0])
    assert constant.support == (0,) and constant.verify()


def test_one_ulp_decides():
    above = np.nextafter(0.3, 1)
    for last, answer in ((0.3, False), (above, True)):
        # y > 0.3 x, y < last x, x > 0
        certificate = feasible([[-0.3, 1.0], [last, -1.0], [1.0, 0.0]], "+++")
        assert certificate.feasible == answer and certificate.verify()


def test_entries_from_1e_300_to_1e300():
    W = [[1e300, 1e-300], [-1e-300, 1e300], [-1e300, 1e300]]
    for signs in product((-1, 1), repeat=3):
        assert feasible(W, signs).verify()
        assert feasible(W, signs, offsets=[1e-300, -1e300, 1.0]).verify()


def test_thousands_of_rows():
    rng = np.random.default_rng(0)
    W, b, x = rng.standard_normal((4000, 6)), rng.standard_normal(4000), rng.standard_normal(6)
    signs = np.sign(W @ x + b).astype(int)
    certificate = feasible(W, signs, offsets=b)
    assert certificate and certificate.verify()
    certificate = feasible(W, -signs, offsets=b)
    assert not certificate and certificate.verify() and len(certificate.support) <= 7


def test_tampered_proofs_do_not_verify():
    good = feasible([[1, 0], [0, 1], [1, 1]], "+++")
    assert not dataclasses.replace(good, point=(Fraction(-1), Fraction(1))).verify()
    assert not dataclasses.replace(good, point=(Fraction(1),)).verify()
    assert not dataclasses.replace(good, feasible=False).verify()
    bad = feasible([[1, 0], [0, 1], [1, 1]], "++-")
    assert not dataclasses.replace(bad, weights=(Fraction(0),) * 3).verify()
    assert not dataclasses.replace(bad, weights=(Fraction(1), Fraction(1), Fraction(2))).verify()
    assert not dataclasses.replace(bad, weights=tuple(-y for y in bad.weights)).verify()
    assert not dataclasses.replace(bad, feasible=True).verify()
    assert not dataclasses.replace(bad, signs=(1, 1)).verify()


def test_certificates_are_immutable_and_readable():
    certificate = feasible([[1, 0], [0, 1]], "+-")
    with pytest.raises(dataclasses.FrozenInstanceError):
        certificate.feasible = False
    assert repr(certificate) == "Certificate('+-', feasible, point (1, -1))"
    assert len(repr(feasible(np.eye(100), "+" * 100))) < 200


@pytest.mark.parametrize(
    ("signs", "message"),
    [
        ("++", r"shape \(2,\); expected \(3,\)"),
        ("+x-", "'x' at position 1"),
        ([1, 2, 1], r"signs\[1\] is 2"),
        ([1, 0.5, 1], r"signs\[1\] is 0.5"),
        ([True, False, True], "booleans"),
        ([[1, 1, 1]], r"shape \(1, 3\)"),
        (["+", "-", "+"], r"signs\[0\] is '\+'"),
        ([1, 0, 1], r"pass np.where\(signs, 1, -1\).*such as '\+0'"),
        (np.array([1, 0, 0], np.uint8), "np.where"),
        ([[1], [1, 1]], r"signs is .*expected rows of one length"),
        ([np.nan, 1, 1], r"signs\[0\] is nan"),
        (None, r"shape \(\)"),
        ([1, np.ma.masked, 1], "signs has masked entries"),
    ],
)
def test_malformed_signs(signs, message):
    with pytest.raises(InputError, match=message):
        feasible([[1, 0], [0, 1], [1, 1]], signs)


def test_no_hyperplanes():
    arrangement = Arrangement(np.empty((0, 2)))
    assert feasible(arrangement, "").point == (0, 0)
    points, ok = float_witnesses(arrangement, np.zeros((1, 0), np.int8))
    assert points.tolist() == [[0, 0]] and ok.all()


def test_interior_point_and_witnesses_refuse_what_is_not_met():
    arrangement = Arrangement([[1], [2]])
    assert interior_point(arrangement, "++")[0] > 0
    with pytest.raises(InputError, match="does not occur"):
        interior_point(arrangement, "+-")
    with pytest.raises(InputError, match="does not occur"):
        float_witnesses(arrangement, np.array([[1, 1], [1, -1]], np.int8))


def test_where_makes_signs_of_what_is_refused():
    for row in ([1, 0, 1], np.array([1, 0, 1], np.uint8), [True, False, True]):
        assert feasible(np.eye(3), np.where(row, 1, -1)).signs == (1, -1, 1)


def test_proofs_are_exact_whatever_they_are_made_from():
    # x > 3 and x < 3, in tenths: at 3.0 floats round both products to the wrong side
    tenths = Arrangement(
        [[Fraction(1, 10)], [Fraction(-7, 10)]], [Fraction(-3, 10), Fraction(21, 10)]
    )
    claimed = Certificate(tenths, (1, 1), True, point=(3.0,))
    assert claimed.point == (Fraction(3),) and type(claimed.point[0]) is Fraction
    assert not claimed.verify()
    for point in ([4], np.array([4.0]), np.array([4], np.int8)):
        assert Certificate(tenths, np.array([1, -1]), True, point=point).verify()
    weights = Certificate(tenths, (1, 1), False, weights=[7.0, 1]).weights
    assert weights == (7, 1) and all(type(y) is Fraction for y in weights)
    assert Certificate(tenths, (1, 1), False, weights=[7.0, 1]).verify()


@pytest.mark.parametrize("sign", [2, -3, 0.5, "+", float("nan")])
def test_certificates_hold_signs_only(sign):
    with pytest.raises(InputError, match=r"signs\[\d\] is .*; expected -1, 0 or 1, or None"):
        Certificate(Arrangement([[1], [2]]), (1, sign), True, point=(Fraction(1),))


def test_certificates_hold_finite_numbers_only():
    A = Arrangement([[1]])
    with pytest.raises(InputError, match=r"point, entry 0, is inf"):
        Certificate(A, (1,), True, point=(float("inf"),))
    with pytest.raises(InputError, match=r"weights has dtype"):
        Certificate(A, (1,), False, weights=("one",))


@pytest.mark.parametrize("answer", [1, "no", None])
def test_certificates_answer_with_a_bool(answer):
    with pytest.raises(InputError, match="feasible is .*; expected True or False"):
        Certificate(Arrangement([[1]]), (1,), answer, point=(1,))


def test_repr_of_long_labels_and_of_numbers_beyond_floats() -> None:
    A = Arrangement([[1, 0], [0, 1], [1, 1]], labels=["a label of many characters", "b", "c"])
    assert "'a label of many characters', 'b'" in repr(feasible(A, "++-"))
    point = (Fraction(10**5000, 3), Fraction(1, 3))
    assert "point (3.33333e+4999.., 1/3)" in repr(
        Certificate(Arrangement([[1, 0]]), (1,), True, point=point)
    )
