"""Points of given score orders against Fourier-Motzkin elimination, by every branch."""

from fractions import Fraction
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranking_examples import cube, lattice
from strategies import labels_with_offsets

from arrangements import generators
from arrangements.core.score_model import ScoreModel
from arrangements.errors import InputError
from arrangements.execution import interrupts
from arrangements.feasibility import label_rows
from arrangements.feasibility.cone_system import operations_of
from arrangements.feasibility.label_rows import LabelRows


def expected(W: Any, b: Any, above: Any, below: Any) -> bool:
    labels = [[*row, c] for row, c in zip(W, [0] * len(W) if b is None else b, strict=True)]
    exact = [[naive.fraction(entry) for entry in row] for row in labels]
    return naive.positive_somewhere(
        [
            naive.integer_row(p - q for p, q in zip(exact[i], exact[j], strict=True))
            for i, j in zip(above, below, strict=True)
        ]
    )


def connected(rng: np.random.Generator, n: int, m: int) -> tuple[Any, Any]:
    """Random trees on n labels and one more pair each, in random directions."""
    above, below = np.zeros((m, n), np.int64), np.zeros((m, n), np.int64)
    for i in range(m):
        label = rng.permutation(n)
        for q in range(n):
            pair = [label[q], label[rng.integers(q)]] if q else rng.choice(n, 2, replace=False)
            above[i, q], below[i, q] = rng.permutation(pair)
    return above, below


def check(W: Any, b: Any, seed: int = 0, m: int = 12) -> None:
    rows = LabelRows(ScoreModel(W, b))
    above, below = connected(np.random.default_rng(seed), len(W), m)
    answer = [expected(W, b, i, j) for i, j in zip(above.tolist(), below.tolist(), strict=True)]
    assert rows.possible(above, below).tolist() == answer
    if rows.floats is not None:
        rows.__dict__["_float_table"] = rows._table  # residues from the start
        assert rows.possible(above, below).tolist() == answer
    met = np.flatnonzero(answer)
    for point, k in zip(rows.witnesses(above[met], below[met]), met, strict=True):
        if np.isnan(point).any():  # no float64 point; test_rankings_without_float_points
            continue
        x = [Fraction(value) for value in point.tolist()]
        for i, j in zip(above[k], below[k], strict=True):
            difference = [
                naive.fraction(p) - naive.fraction(q) for p, q in zip(W[i], W[j], strict=True)
            ]
            constant = 0 if b is None else naive.fraction(b[i]) - naive.fraction(b[j])
            assert naive.signs_at([difference], [constant], x) == (1,)


@given(rows=labels_with_offsets, seed=st.integers(0, 100))
def test_random_equals_naive(rows: Any, seed: int) -> None:
    W, b = [row[:-1] for row in rows], [row[-1] for row in rows]
    if len(rows) > 1:
        check(W, b, seed)


ULP = 2.0**-52
CASES = {
    "cube": (cube(3), None),
    "lattice": (lattice(3), None),
    "lattice with offsets": (lattice(3), [0, 1, 0, 2, 0, 0, 1, 1, 3]),
    "generic": (generators.generic(7, 3, 0).normals, None),
    "one ulp apart": ([[1.0, 1.0], [1.0 + ULP, 1.0], [1.0, 1.0 + ULP], [0.0, 0.0]], None),
    "equal rows": ([[2, 1]] * 3 + [[0, 1]], [0, 1, 3, 0]),
    "on a line": ([[1], [5], [-2], [3], [4]], None),
    "beyond 53 bits": ([[10**30, 1], [10**30 + 1, 0], [10**30, 0], [-1, 10**30]], None),
    "fractions": ([[Fraction(1, 3), 1], [Fraction(2, 3**40), 1], [1, 0], [0, 0]], [1, 0, 0, 2]),
    "wide range": ([[1e300, 1.0], [1e-300, 0.0], [-1e300, 1e-300], [0.0, 1e300]], None),
    "float32": (np.float32(generators.generic(6, 2, 1)), np.float32([1, 2, 3, 4, 5, 6])),
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", CASES)
def test_equals_naive(name: str) -> None:
    check(*CASES[name])


def test_floats_hold_the_labels_exactly_or_are_not_used() -> None:
    for name, (W, b) in CASES.items():
        rows = LabelRows(ScoreModel(W, b), threshold=True)
        assert (rows.floats is None) == (name in ("beyond 53 bits", "fractions", "wide range"))
        if rows.floats is not None:
            scale = [2**e for e in rows.column_exponents.tolist()]
            for floats, integers in zip(rows.floats.T.tolist(), rows.integers, strict=True):
                assert [Fraction(x) * s for x, s in zip(floats, scale, strict=True)] == integers


def test_ties_on_the_boundary_need_residues() -> None:
    # the middle of an edge is never first, and its cone has a ray on its boundary
    rows = LabelRows(ScoreModel([[0, 0], [2, 0], [0, 2], [1, 1]]))
    assert rows.possible(np.array([[3, 3, 3]]), np.array([[0, 1, 2]])).tolist() == [False]
    assert "_table" in rows.__dict__


def test_a_threshold_is_one_more_label() -> None:
    # a label above the threshold beside one below: the middle one of three on a line never is
    rows = LabelRows(ScoreModel([[0], [1], [2]]), threshold=True)
    t = rows.threshold
    for labels, answer in (([0], True), ([1], False), ([2], True), ([0, 2], False), ([0, 1], True)):
        inside = np.isin(np.arange(3), labels)[None]
        above, below = np.where(inside, np.arange(3), t), np.where(inside, t, np.arange(3))
        assert rows.possible(above, below).tolist() == [answer]
    assert rows.lifted().normals.tolist() == [[0, -1], [1, -1], [2, -1]]


def test_no_point_is_an_error() -> None:
    rows = LabelRows(ScoreModel([[0], [1], [2]]))
    with pytest.raises(InputError, match="does not occur"):
        rows.witnesses(np.array([[1, 1]]), np.array([[0, 2]]))


def test_large_questions_come_in_batches() -> None:
    W = generators.generic(3000, 2, 0).normals
    rows = LabelRows(ScoreModel(W))
    assert rows.batch(2999) == 256 and rows.batch(2**30) == 1
    hull = rows.possible(
        np.repeat(np.arange(600)[:, None], 2999, axis=1),
        np.array([[j for j in range(3000) if j != i] for i in range(600)]),
    )
    # a vertex has all others on one side of a line through it: angles of differences
    for i in range(0, 600, 7):
        angles = np.sort(np.arctan2(*np.delete(W - W[i], i, axis=0).T))
        gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
        assert hull[i] == (gaps.max() > np.pi)


def test_calls_of_the_kernel_are_short(monkeypatch):
    """In many dimensions a question takes long, with residues above all."""
    calls = []
    find = label_rows.find_points

    def found(table, above, *rest):
        calls.append((len(above), len(table.fields)))
        find(table, above, *rest)

    monkeypatch.setattr(label_rows, "find_points", found)
    W = np.random.default_rng(0).standard_normal((60, 40))
    rows = LabelRows(ScoreModel(W))
    first = np.arange(60)
    below = np.array([np.delete(first, i) for i in first])
    above = np.broadcast_to(first[:, None], below.shape)
    assert rows.possible(above, below).all()
    most = [label_rows._OPERATIONS / operations_of(t, 59) for t in (rows._float_table, rows._table)]
    assert all(m == 1 or m <= most[p > 0] for m, p in calls)
    # in as many calls as it takes, the answers are the same
    monkeypatch.setattr(label_rows, "_OPERATIONS", 1.0)
    monkeypatch.setattr(interrupts, "_LONG", 0.0)
    calls.clear()
    assert rows.possible(above, below).all() and {m for m, _ in calls} == {1}
