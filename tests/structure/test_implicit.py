"""Chambers and rankings by number: all of them, each once, and back."""

from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare
from sympy import sqrt

from arrangements import Arrangement, Polyhedron, chambers, count_chambers, generators, rankings
from arrangements.algebra import generic_ranking_count, implicit_chambers, implicit_rankings
from arrangements.errors import InputError, TiedLabelsError
from arrangements.structure import descents, implicit

SMALL = {
    "braid(4)": generators.braid(4),
    "shi(3)": generators.shi(3),
    "resonance(3)": generators.resonance(3),
    "coinciding": Arrangement([[1, 0], [0, 1], [-2, 0], [0, 0]], [1, 0, -2, 5]),
    "points": Arrangement([[1], [1], [-2]], [0, 1, 2]),
    "no rows": Arrangement([[1, 2]])[:0],
    "fractions": Arrangement([[Fraction(1, 3), 1], [1, Fraction(2, 7)], [1, 1]], [1, 0, 2]),
}


@pytest.fixture(params=[1, 6, 10**6], ids="listed below {}".format)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(implicit, "_FEW", request.param)
    return request.param


def check(S: Any, expected: np.ndarray) -> None:
    rows = list(S)
    assert len(S) == len(rows) == len(expected)
    assert {tuple(row) for row in rows} == {tuple(row) for row in expected}
    assert [S.index(row) for row in rows] == list(range(len(rows)))
    assert all(row in S for row in rows)
    assert S[:].tolist() == [row.tolist() for row in rows]
    assert S[::-2].tolist() == [row.tolist() for row in rows[::-2]]


@pytest.mark.sampled(5)
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", SMALL)
def test_chambers(name: str) -> None:
    A = SMALL[name]
    S = implicit_chambers(A)
    check(S, chambers(A).to_array())
    for i in range(len(S)):
        values = [sum(map(np.multiply, row, (*S.point(i), 1))) for row in A.integer_rows]
        assert np.sign(values).astype(int).tolist() == S[i].tolist()


@pytest.mark.usefixtures("few")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize(("n", "d"), [(5, 3), (5, 2), (4, 4), (3, 4), (4, 1), (1, 1)])
def test_general_position(n: int, d: int, biased: bool) -> None:
    rng = np.random.default_rng([n, d])
    W, b = rng.standard_normal((n, d)), rng.standard_normal(n) if biased else None
    check(implicit_chambers(W, b, assume_generic=True), chambers(W, b).to_array())
    if n > 1:
        expected = rankings(W, b).to_array()
        check(implicit_rankings(W, b, assume_generic=True), expected)
        check(implicit_rankings(W, b), expected)


@pytest.mark.usefixtures("few")
@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(20))
def test_degenerate_labels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = rng.permutation(np.array([[x, y] for x in range(3) for y in range(3)]))[:5]
    b = rng.integers(0, 3, 5) if seed % 2 else None
    check(implicit_rankings(W, b), rankings(W, b).to_array())


@pytest.mark.usefixtures("few")
def test_within_a_polyhedron() -> None:
    A, P = generators.shi(3), Polyhedron.simplex(3)
    check(implicit_chambers(A, within=P), chambers(A, within=P).to_array())
    W, box = np.array([[1, 0], [0, 1], [2, 2], [-1, 3]]), Polyhedron.box(0, 1, dimension=2)
    check(implicit_rankings(W, within=box), rankings(W, within=box).to_array())


def test_irrational_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(implicit, "_FEW", 1)
    W = [[1, 0], [sqrt(2), 1], [0, 1], [1, sqrt(2)]]
    check(implicit_chambers(W), chambers(W).to_array())
    check(implicit_chambers(W, [0, 1, 1, 2]), chambers(W, [0, 1, 1, 2]).to_array())


@pytest.mark.slow
def test_more_than_memory_holds() -> None:
    W = np.random.default_rng(0).standard_normal((60, 12))
    S = implicit_chambers(W, assume_generic=True)
    assert S.count > 10**11 and repr(S) == "ImplicitChambers(7.157e+11 of 60 signs)"
    i = S.count // 3
    assert S.index(S[i]) == i and (S[i - S.count] == S[i]).all()
    R = implicit_rankings(np.eye(22), assume_generic=True)
    assert R.count == generic_ranking_count(22, 22) == factorial(22)
    with pytest.raises(OverflowError):
        len(R)
    assert R.index(R[10**20]) == 10**20


@pytest.mark.slow
def test_samples_are_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(implicit, "_FEW", 1)
    S = implicit_chambers(generators.resonance(3))
    drawn = S.sample(400, rng=3)
    assert drawn.shape == (400, 7) and (S.sample(9, rng=3) == drawn[:9]).all()
    number = {tuple(row): i for i, row in enumerate(S)}
    counts = np.bincount([number[tuple(row)] for row in drawn], minlength=len(S))
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.slow
def test_lists_of_restrictions_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(implicit, "_FEW", 100)
    monkeypatch.setattr(descents, "_MOST_LISTED", 150)
    monkeypatch.setattr(descents, "_MOST_KEPT", 2)
    A = generators.generic(12, 3, 0)
    S = implicit_chambers(A, assume_generic=True)
    check(S, chambers(A).to_array())
    assert sum(map(len, S._descent._lists.values())) <= 150
    assert len(S._descent._restrictions) <= 2


def test_what_is_not_in_general_position() -> None:
    for W in ([[1, 0], [2, 0]], [[1, 0, 0], [0, 1, 0], [1, 1, 0]]):
        with pytest.raises(InputError, match="not in general position"):
            implicit_chambers(W, assume_generic=True)
    with pytest.raises(InputError, match="not in general position"):
        implicit_rankings([[0, 0], [1, 1], [2, 2]], assume_generic=True)
    S = implicit_chambers([[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]], assume_generic=True)
    with pytest.raises(InputError, match="assume_generic=True says"):
        S[:]


def test_bad_input() -> None:
    S, R = implicit_chambers([[1, 0], [0, 1]]), implicit_rankings([[1, 0], [0, 1], [0, 0]])
    with pytest.raises(InputError, match="i is 4; expected"):
        S[4]
    with pytest.raises(InputError, match="sign vector of 3 signs; expected 2"):
        S.index("+++")
    with pytest.raises(InputError, match="ranking of 2 labels; expected 3"):
        R.index([0, 1])
    box = Polyhedron.box(1, 2, dimension=2)
    assert "--" not in implicit_chambers([[1, 0], [0, 1]], within=box)
    with pytest.raises(InputError, match=r"'--' is not in ImplicitChambers\(1 of 2 signs\)"):
        implicit_chambers([[1, 0], [0, 1]], within=box).index("--")
    with pytest.raises(InputError, match="no closed form within a polyhedron"):
        implicit_chambers([[1, 0], [0, 1]], within=box, assume_generic=True)
    with pytest.raises(TiedLabelsError):
        implicit_rankings([[1, 0], [1, 0]])
    assert implicit_chambers([[1]]).sample(0).shape == (0, 1)


def test_counts_that_need_no_list() -> None:
    S = implicit_chambers(generators.resonance(5))
    assert S.count == count_chambers(generators.resonance(5)) == 11292
    assert S.index(S[5000]) == 5000
