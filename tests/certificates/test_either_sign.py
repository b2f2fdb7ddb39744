"""Signs that are left open, ``*`` or None, and 0, which means "on the hyperplane"."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arrangements import Arrangement, Certificate, feasible, feasible_many
from arrangements.errors import InputError
from arrangements.structure import iter_faces

W = [[1, 0], [0, 1], [1, 1]]
OCCUR = {"+++", "---", "+-+", "+--", "-++", "-+-"}


def occurs(pattern: str) -> bool:
    return any(all(a in ("*", b) for a, b in zip(pattern, full, strict=True)) for full in OCCUR)


@pytest.mark.sampled(13)
@pytest.mark.parametrize("pattern", ["".join(p) for p in product("+-*", repeat=3)])
def test_every_way_to_leave_a_sign_open(pattern: str) -> None:
    signs = [{"+": 1, "-": -1, "*": None}[c] for c in pattern]
    numbers = np.array([s or 0 for s in signs])
    ways: list[Any] = [
        pattern,
        signs,
        np.array(signs, object),
        np.ma.masked_equal(numbers, 0),
        np.ma.masked_equal(numbers.astype(float), 0),
        dict(enumerate(signs)),
        {i: s for i, s in enumerate(signs) if s},
    ]
    for way in ways:
        found = feasible(W, way)
        assert found.feasible == occurs(pattern)
        assert found.signs == tuple(signs)
        assert found.verify()
        assert feasible(W, found.signs).feasible == found.feasible
    assert f"'{pattern}'" in repr(feasible(W, pattern))


def test_a_star_in_a_sequence() -> None:
    assert feasible(W, [1, "*", -1]).signs == (1, None, -1)
    assert feasible_many(W, [[1, "*", -1], ["*", 1, 1]]).feasible.tolist() == [True, True]
    for odd in ("0", "+", pd.NA, [1]):
        with pytest.raises(InputError, match="signs"):
            feasible(W, [1, 1, odd])
    with pytest.raises(InputError, match=r"signs\[2\] is '0'; expected -1, 0 or 1, or None or"):
        feasible(W, [1, 1, "0"])


def test_many_at_once() -> None:
    patterns = ["".join(p) for p in product("+-*", repeat=3)]
    signs = [[{"+": 1, "-": -1, "*": None}[c] for c in pattern] for pattern in patterns]
    numbers = np.array([[s or 0 for s in row] for row in signs])
    expected = list(map(occurs, patterns))
    ways: list[Any] = [
        patterns,
        signs,
        np.array(signs, object),
        np.ma.masked_equal(numbers, 0),
        pd.DataFrame(signs, dtype=object),
    ]
    for way in ways:
        found = feasible_many(W, way)
        assert found.feasible.tolist() == expected
        assert found.verify()
        assert [found.signs(i) for i in range(27)] == list(map(tuple, signs))
        assert [one.signs for one in found] == list(map(tuple, signs))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("offsets", [None, [1, -1, 0]])
def test_faces_are_the_sign_vectors_that_occur(offsets: Any) -> None:
    faces = {
        tuple(face) for k in (0, 1, 2) for b in iter_faces(W, k, offsets=offsets) for face in b
    }
    texts = ["".join(p) for p in product("-0+", repeat=3)]
    numbers = [tuple("-0+".index(c) - 1 for c in text) for text in texts]
    expected = [signs in faces for signs in numbers]
    found = feasible_many(W, texts, offsets=offsets)
    assert found.feasible.tolist() == expected and found.verify()
    assert [found.signs(i) for i in range(27)] == numbers
    for text, signs, answer in zip(texts, numbers, expected, strict=True):
        for way in (text, dict(enumerate(signs))):
            one = feasible(W, way, offsets=offsets)
            assert one.feasible == answer and one.verify() and one.signs == signs
        if -1 in signs:
            assert feasible(W, np.array(signs), offsets=offsets).feasible == answer
    assert feasible_many(W, np.array(numbers), offsets=offsets).feasible.tolist() == expected


@pytest.mark.parametrize("signs", [[1, 0, 1], np.array([0, 1, 1], np.uint8), [0, 1, None]])
def test_labels_of_0_and_1_are_told_from_signs(signs: Any) -> None:
    with pytest.raises(InputError, match="pass np.where.* write a text such as"):
        feasible(W, signs)
    with pytest.raises(InputError, match="pass np.where.* write a text such as"):
        feasible_many(W, [signs])
    assert feasible(W, [0, 0, 0]).point == (0, 0)


@pytest.mark.parametrize("signs", [[1, np.nan, -1], np.array([1, np.nan, -1])])
def test_nan_is_no_sign(signs: Any) -> None:
    with pytest.raises(InputError, match=r"signs\[1\] is nan; expected -1, 0 or 1, or None"):
        feasible(W, signs)


@pytest.mark.parametrize("signs", [[1, None, -1], "+*-", np.ma.masked_equal([1, 0, -1], 0)])
def test_other_questions_take_no_open_signs(signs: Any) -> None:
    with pytest.raises(InputError):
        _ = signs in Arrangement(W).chambers()


def test_certificates_by_hand() -> None:
    A = Arrangement(W)
    assert Certificate(A, (1, None, 1), True, point=(1, -5)).verify() is False
    assert Certificate(A, (1, None, None), True, point=(1, -5)).verify()
    assert not Certificate(A, (1, 0, 1), True, point=(1, 1)).verify()
    assert Certificate(A, (1, 0, 1), True, point=(1, 0)).verify()
    proof = feasible(A, "++-")
    assert proof.weights is not None
    assert not Certificate(A, (1, None, -1), False, weights=proof.weights).verify()
