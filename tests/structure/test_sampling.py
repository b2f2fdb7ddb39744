"""Chambers drawn at random, and random walks on chambers.

Seeds are fixed. The chance that a chi-square test below fails for a sound sampler is 1e-4 each.
"""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare
from sympy import Matrix, Poly, Symbol
from sympy.polys.matrices import DomainMatrix

from arrangements import Arrangement, chambers, count_chambers, feasible, generators
from arrangements.algebra import chamber_walk, sample_chambers
from arrangements.errors import InputError
from arrangements.structure import covectors, sampling
from arrangements.structure.descents import Descent, integer_below
from arrangements.structure.sampling import ChamberSample

FALSE_ALARM = 1e-4
SMALL = {
    "braid(3)": generators.braid(3),
    "shi(3)": generators.shi(3),
    "resonance(3)": generators.resonance(3),
    "coinciding": Arrangement([[1, 0], [0, 1], [-2, 0], [0, 0]], [1, 0, -2, 5]),
    "points": Arrangement([[1], [1], [-2]], [0, 1, 2]),
    "no rows": Arrangement([[1, 2]])[:0],
}


def check_uniform(rows: np.ndarray, A: Arrangement) -> None:
    counts = Counter(map(tuple, rows.tolist()))
    S = chambers(A)
    assert all(row in S for row in counts)
    observed = [counts[tuple(row)] for row in S.to_array().tolist()]
    assert len(S) == 1 or chisquare(observed).pvalue > FALSE_ALARM


@pytest.mark.parametrize("name", SMALL)
def test_lists_are_drawn_uniformly(name: str) -> None:
    A = SMALL[name]
    sample = sample_chambers(A, 2000, rng=1)
    assert len(sample) == 2000 and sample.arrangement == A
    check_uniform(sample.to_array(), A)
    assert (sample[-1] == sample.to_array()[-1]).all() and len(list(sample)) == 2000
    again = sample_chambers(A, 2000, rng=1)
    assert (again.packed == sample.packed).all()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("name", "few"), [(name, 1) for name in SMALL] + [("shi(3)", 4)])
def test_descents_are_uniform(name: str, few: int) -> None:
    A = SMALL[name]
    packed = Descent(A, few).draw(500, np.random.default_rng(2))
    check_uniform(ChamberSample(packed, A).to_array(), A)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "name",
    [
        "B3",
        "A3",
        "I2(5)",
        "A1 x I2(3)",
        *(pytest.param(x, marks=pytest.mark.slow) for x in ("H3", "D4")),
    ],
)
def test_mirrors_are_uniform(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random elements of reflection groups, on all rows, reversed and repeated ones included."""
    monkeypatch.setattr(sampling, "_FEW", 1)
    A = generators.coxeter(name)
    normals = A.normals.tolist()
    W = Arrangement([[-e for e in normals[0]], *normals[1:], [2 * e for e in normals[0]]])
    check_uniform(sample_chambers(W, 30 * count_chambers(A), rng=0).to_array(), W)


@pytest.mark.slow
def test_a_large_reflection_group() -> None:
    A = generators.coxeter("E8")
    sample = sample_chambers(A, 20, rng=0)
    assert len({row.tobytes() for row in sample}) == 20
    # a length is the number of reversed mirrors; on average half of them are
    base = sample[0]
    lengths = [int((row != base).sum()) for row in sample]
    assert 45 < sum(lengths[1:]) / 19 < 75
    assert all(feasible(A, row).feasible for row in sample)


@pytest.mark.slow
def test_descent_in_a_large_arrangement() -> None:
    A = generators.generic(100, 5, 0)
    assert count_chambers(A) > 7_000_000
    rows = sample_chambers(A, 3, rng=3).to_array()
    assert all(A.feasible(row) for row in rows)


def test_integers_of_any_size() -> None:
    rng = np.random.default_rng(4)
    assert {integer_below(3, rng) for _ in range(100)} == {0, 1, 2}
    drawn = [integer_below(10**30, rng) for _ in range(1000)]
    observed = np.bincount([x * 10 // 10**30 for x in drawn], minlength=10)
    assert chisquare(observed).pvalue > FALSE_ALARM


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SMALL)
def test_eigenvalues_are_those_of_the_transition_matrix(name: str) -> None:
    A = SMALL[name]
    faces = covectors(A)
    weights = np.random.default_rng(5).integers(0, 9, len(faces)) + 1
    walk = chamber_walk(A, faces, weights=weights)
    matrix = walk.transition_matrix()
    assert (matrix.sum(axis=1) == 1).all()
    values = walk.eigenvalues()
    assert sum(m for _, m in values) == len(matrix)
    assert sum(e * m for e, m in values) == matrix.trace()
    if len(matrix) < 20:
        x = Symbol("x")
        found = DomainMatrix.from_Matrix(Matrix(matrix)).charpoly()
        expected = Poly(1, x)
        for e, m in values:
            expected *= Poly(x - e, x) ** m
        assert [Fraction(str(c)) for c in found] == [
            Fraction(str(c)) for c in expected.all_coeffs()
        ]


def test_the_tsetlin_library() -> None:
    """Sums of weights of s books, as often as there are derangements of the others."""
    w = [1, 2, 4, 8]
    A = generators.braid(4)
    tops = np.eye(4, dtype=int)
    faces = np.sign(tops @ A.normals.T)
    derangements = {4: 1, 2: 1, 1: 2, 0: 9}
    walk = chamber_walk(A, faces, weights=w)
    sums: Counter[Fraction] = Counter()
    for books in range(16):
        chosen = [w[i] for i in range(4) if books >> i & 1]
        if len(chosen) in derangements:
            sums[Fraction(sum(chosen), 15)] += derangements[len(chosen)]
    assert dict(walk.eigenvalues()) == sums


def test_a_walk_takes_its_steps() -> None:
    walk = chamber_walk(generators.braid(3), ["++0", "-0+", "0--"], weights=[3, 2, 1])
    S = chambers(generators.braid(3))
    path = walk.path("+++", 6000, rng=6)
    assert path[0].tolist() == [1, 1, 1] and len(path) == 6001
    rows = path.to_array()
    # the book in front, without memory: probabilities 1/2, 1/3, 1/6
    first = np.argmax([rows[1:] @ f for f in walk.faces], axis=0)
    expected = [3000, 2000, 1000]
    assert chisquare(np.bincount(first, minlength=3), expected).pvalue > FALSE_ALARM
    assert all(row in S for row in rows[:20])


def test_what_is_refused() -> None:
    A = generators.braid(3)
    with pytest.raises(InputError, match=r"faces\[0\] is .* no face"):
        chamber_walk(A, ["+0+"])
    with pytest.raises(InputError, match=r"faces\[1\] is .* no face"):
        chamber_walk(Arrangement([[1], [1]], [0, 1]), ["0+", "00"])
    with pytest.raises(InputError, match="negative number"):
        chamber_walk(A, ["++0"], weights=[-1])
    with pytest.raises(InputError, match="is not a chamber"):
        chamber_walk(A, ["++0"]).path("+-+", 3)
    with pytest.raises(InputError, match="faces has shape"):
        chamber_walk(A, [[1, 0]])
