"""Comparisons of scores against fractions, with numbers of all sizes and near ties."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arrangements.exact import scores
from arrangements.exact.coercion import as_exact_matrix, as_exact_vector

NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0.1, 0.2, 0.3, 0.1 + 0.2, 1e-170, 1e170, 5e-324, 1e300, -1e300, 2.0**-60]),
    st.fractions(-2, 2, max_denominator=7),
    st.sampled_from([Fraction(1, 10**400), 10**400, Fraction(1, 10**310)]),
)
ROWS = st.integers(1, 3).flatmap(
    lambda d: st.tuples(
        st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=1, max_size=5),
        st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=1, max_size=4),
        st.none() | st.lists(NUMBERS, min_size=5, max_size=5),
    )
)


@given(ROWS)
def test_as_fractions(question: Any) -> None:
    rows, inputs, constants = question
    W, X = as_exact_matrix(rows), as_exact_matrix(inputs)
    b = None if constants is None else as_exact_vector(constants[: len(W)], len(W))
    offsets = [Fraction(0)] * len(W) if b is None else [Fraction(v) for v in b.tolist()]
    largest, on = scores.largest_rows(W, b, X), scores.positive_rows(W, b, X)
    for k, x in enumerate(X.tolist()):
        values = [
            sum((Fraction(w) * Fraction(t) for w, t in zip(row, x, strict=True)), constant)
            for row, constant in zip(W.tolist(), offsets, strict=True)
        ]
        assert largest[k] == values.index(max(values))
        assert on[k].tolist() == [value > 0 for value in values]


def test_most_scores_are_decided_by_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    W, X = rng.standard_normal((50, 20)), rng.standard_normal((300, 20))
    expected = (X @ W.T).argmax(axis=1)
    monkeypatch.setattr(scores, "_exact_scores", None)  # called in no case
    monkeypatch.setattr(scores, "_BLOCK", 700)
    assert np.array_equal(scores.largest_rows(W, None, X), expected)
    assert np.array_equal(scores.positive_rows(W, None, X), X @ W.T > 0)
