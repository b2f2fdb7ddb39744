"""Signs that are left open: ``*`` or None. A 0 means "on the hyperplane" and is refused."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arrangements import Arrangement, Certificate, feasible, feasible_many, sign_vector_at
from arrangements.errors import InputError
from arrangements.structure import iter_faces

W = [[1, 0], [0, 1], [1, 1]]
OCCUR = {"+++", "---", "+-+", "+--", "-++", "-+-"}


def occurs(pattern: str) -> bool:
    return any(all(a in ("*", b) for a, b in zip(pattern, full, strict=True)) for full in OCCUR)


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
    with pytest.raises(InputError, match=r"signs\[2\] is '0'; expected -1 or 1, or None or"):
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


def test_signs_of_a_face_are_refused() -> None:
    at_origin = sign_vector_at(W, [0, 0])
    faces = [*next(iter_faces(W, 1)), at_origin]
    for face in faces:
        text = "".join("-0+"[s + 1] for s in face)
        for way in (face, face.tolist(), text, dict(enumerate(face.tolist()))):
            with pytest.raises(InputError, match='0.*which means "on the hyperplane".*None'):
                feasible(W, way)
        for several in (face[None], [face.tolist()], [text], pd.DataFrame(face[None])):
            with pytest.raises(InputError, match='0.*which means "on the hyperplane".*None'):
                feasible_many(W, several)


@pytest.mark.parametrize("signs", [[1, 0, 1], np.array([0, 1, 1], np.uint8), [0, 0, 0]])
def test_labels_of_0_and_1_are_told_from_signs(signs: Any) -> None:
    with pytest.raises(InputError, match="If 0 stands for -, pass np.where"):
        feasible(W, signs)


@pytest.mark.parametrize("signs", [[1, np.nan, -1], np.array([1, np.nan, -1])])
def test_nan_is_no_sign(signs: Any) -> None:
    with pytest.raises(InputError, match=r"signs\[1\] is nan; expected -1 or 1, or None"):
        feasible(W, signs)


@pytest.mark.parametrize("signs", [[1, None, -1], "+*-", np.ma.masked_equal([1, 0, -1], 0)])
def test_other_questions_take_no_open_signs(signs: Any) -> None:
    with pytest.raises(InputError):
        _ = signs in Arrangement(W).chambers()


def test_certificates_by_hand() -> None:
    A = Arrangement(W)
    assert Certificate(A, (1, None, 1), True, point=(1, -5)).verify() is False
    assert Certificate(A, (1, None, None), True, point=(1, -5)).verify()
    with pytest.raises(InputError, match="on the hyperplane"):
        Certificate(A, (1, 0, 1), True, point=(1, 1))
    proof = feasible(A, "++-")
    assert proof.weights is not None
    assert not Certificate(A, (1, None, -1), False, weights=proof.weights).verify()
