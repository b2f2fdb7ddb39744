"""One question by cone tests and by the search for many: the same answers, both with proofs."""

import time

import numpy as np
import pytest

from arrangements.certificates.one_sign_vector import feasible
from arrangements.core.arrangement import Arrangement
from arrangements.errors import LowRankWarning
from arrangements.feasibility import one_sign_vector


@pytest.mark.sampled(1)
@pytest.mark.parametrize("offsets", [False, True])
@pytest.mark.parametrize("numbers", ["floats", "few integers"])
def test_both_ways_have_the_same_answers(monkeypatch, offsets, numbers):
    rng = np.random.default_rng(0)
    answers = []
    for _ in range(60):
        n, d = int(rng.integers(1, 12)), int(rng.integers(1, 5))
        W = rng.standard_normal((n, d))
        if numbers != "floats":
            W = rng.integers(-2, 3, (n, d)) + np.eye(n, d, dtype=int)
            W[~W.any(axis=1)] = 1
        b = rng.integers(-2, 3, n) if offsets else None
        signs = rng.choice([-1, None, 1], n, p=[0.45, 0.1, 0.45])
        A = Arrangement(W, b, labels=[f"row {i}" for i in range(n)])
        expected = feasible(A, signs)
        monkeypatch.setattr(one_sign_vector, "_FEW", 1)
        found = feasible(A, signs)
        monkeypatch.undo()
        assert found.feasible == expected.feasible
        assert found.verify()
        assert expected.verify()
        assert (found.arrangement, found.signs) == (A, expected.signs)
        answers.append(found.feasible)
    assert set(answers) == {True, False}


@pytest.mark.slow
def test_a_known_point_of_a_thousand_rows():
    """By cone tests over half a minute."""
    rng = np.random.default_rng(1)
    A = Arrangement(rng.standard_normal((1000, 384)))
    signs = np.sign(A.normals @ rng.standard_normal(384)).astype(int)
    began = time.monotonic()
    found = feasible(A, signs)
    assert found.feasible
    assert found.verify()
    assert feasible(A, dict(enumerate(signs[:300].tolist()))).verify()
    assert time.monotonic() - began < 30


def test_refusals_name_the_rows_that_were_asked_about():
    rng = np.random.default_rng(2)
    W = rng.standard_normal((400, 20))
    signs = np.ma.array(rng.choice([-1, 1], 400))
    signs[::3] = np.ma.masked
    found = feasible(W, signs)
    assert not found.feasible
    assert found.verify()
    assert len(found.support) == 21
    assert not signs.mask[list(found.support)].any()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_rounded_product_of_low_rank(kind):
    rng = np.random.default_rng(3)
    W = (rng.standard_normal((200, 8)) @ rng.standard_normal((8, 40))).astype(kind)
    with pytest.warns(LowRankWarning):
        assert not feasible(W, rng.choice([-1, 1], 200)).feasible
    with pytest.warns(LowRankWarning):
        found = feasible(W, np.sign(W @ rng.standard_normal(40)))
    assert found.feasible
    assert found.verify()
