"""Multiarrangements: against naive modules of derivations and published exponents."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import sympy

from arrangements import Arrangement, cone, generators, restriction
from arrangements.algebra import (
    exponents,
    free_arrangements,
    freeness,
    is_free,
    log_canonical_threshold,
    ziegler_restriction,
)
from arrangements.errors import InputError


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "h", "degrees"),
    [("A2", 3, (1, 2)), ("A3", 4, (1, 2, 3)), ("B2", 4, (1, 3)), ("B3", 6, (1, 3, 5))]
    + [("I2(5)", 5, (1, 4)), ("I2(7)", 7, (1, 6)), ("D4", 6, (1, 3, 3, 5)), ("H3", 10, (1, 5, 9))],
)
def test_constant_multiplicities(name: str, h: int, degrees: tuple[int, ...]) -> None:
    """H. Terao, Multiderivations of Coxeter arrangements, Invent. Math. 148 (2002) 659-674."""
    A = generators.coxeter(name)
    for k in (1, 2) if name in ("A2", "B2", "I2(5)", "A3") else (1,):
        even = freeness(A, multiplicities=[2 * k] * A.n_hyperplanes)
        assert even and even.exponents == (k * h,) * len(degrees)
        if name != "H3":
            odd = freeness(A, multiplicities=[2 * k + 1] * A.n_hyperplanes)
            assert odd and odd.exponents == tuple(k * h + e for e in degrees)


@pytest.mark.sampled(40)
@pytest.mark.parametrize("m", list(product(range(1, 6), repeat=3)))
def test_three_lines(m: tuple[int, int, int]) -> None:
    """A. Wakamiko, On the exponents of 2-multiarrangements, Tokyo J. Math. 30 (2007) 99-116."""
    total, largest = sum(m), max(m)
    small = min(total - largest, largest) if 2 * largest >= total - 1 else total // 2
    found = freeness([[1, 0], [0, 1], [1, 1]], multiplicities=m)
    assert found.exponents == tuple(sorted((small, total - small)))
    assert found.verify()


def naive_dimension(rows: list[list[int]], m: list[int], degree: int) -> int:
    """Dimension of the derivations of a degree, by division with remainder in SymPy."""
    d = len(rows[0])
    x = sympy.symbols(f"x:{d}")
    monomials = [
        sympy.prod(v**e for v, e in zip(x, power, strict=True))
        for power in product(range(degree + 1), repeat=d)
        if sum(power) == degree
    ]
    names = sympy.symbols(f"c:{d * len(monomials)}")
    parts = [
        sum(c * mono for c, mono in zip(names[i::d], monomials, strict=True)) for i in range(d)
    ]
    equations: list[Any] = []
    for row, power in zip(rows, m, strict=True):
        pivot = next(i for i, a in enumerate(row) if a)
        others = sum(a * v for i, (a, v) in enumerate(zip(row, x, strict=True)) if i != pivot)
        t = sympy.Symbol("t")
        value = sum(a * f for a, f in zip(row, parts, strict=True))
        moved = sympy.expand(value.subs(x[pivot], (t - others) / row[pivot]))
        rest = sympy.Poly(moved, t, *x)
        equations += [c for (k, *_), c in rest.terms() if k < power]
    matrix = sympy.linear_eq_to_matrix(equations, names)[0] if equations else sympy.zeros(0)
    return len(names) - (matrix.rank() if equations else 0)


@pytest.mark.slow
def test_bases_generate_all() -> None:
    rng = np.random.default_rng(2)
    verdicts = set()
    for _ in range(6):
        rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], *rng.integers(-1, 2, (2, 3)).tolist()]
        if any(not any(row) for row in rows) or len(Arrangement(rows).parallel_classes) < 5:
            continue
        m = rng.integers(1, 3, 5).tolist()
        found = freeness(rows, multiplicities=m)
        verdicts.add(bool(found))
        hilbert = [naive_dimension(rows, m, e) for e in range(5)]
        if found:
            assert found.exponents is not None and sum(found.exponents) == sum(m)
            expected = [
                sum(sympy.binomial(e - k + 2, 2) if e >= k else 0 for k in found.exponents)
                for e in range(5)
            ]
            assert hilbert == expected and found.verify()
            continue
        # no three degrees that add up to |m| have this Hilbert function
        for degrees in product(range(sum(m) + 1), repeat=3):
            if sum(degrees) == sum(m):
                sizes = [
                    sum(sympy.binomial(e - k + 2, 2) if e >= k else 0 for k in degrees)
                    for e in range(5)
                ]
                assert hilbert != sizes
    assert True in verdicts


def test_repeated_rows_add_up() -> None:
    rows = [[1, 0], [0, 1], [1, 1], [-2, 0]]
    assert freeness(rows, multiplicities=[1, 2, 2, 3]).exponents == (4, 4)
    assert freeness(rows[:3], multiplicities=[4, 2, 2]).exponents == (4, 4)
    assert freeness(rows).exponents == (1, 2)
    flat = freeness([[1, 0, 0], [1, 0, 0]], multiplicities=[2, 1])
    assert flat.exponents == (0, 0, 3) and flat.verify()
    assert not is_free(generators.generic(4, 3, 0), multiplicities=[2, 2, 2, 2])
    # a generic arrangement of three planes is boolean: a product of lines
    assert freeness(generators.generic(3, 3, 0), multiplicities=[5, 1, 2]).exponents == (1, 2, 5)
    for wrong, text in (
        ([1, 2], "multiplicities has 2 entries; expected 3"),
        ([1, 2, 0], r"multiplicities\[2\]"),
        ([1, 2, 1.5], r"multiplicities\[2\]"),
        (3, "multiplicities"),
    ):
        with pytest.raises(InputError, match=text):
            freeness(rows[:3], multiplicities=wrong)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["A3", "B3", "A4", "D4", "B4", "F4", "H3"])
def test_ziegler_restrictions_of_free_arrangements(name: str) -> None:
    A = generators.coxeter(name)
    for row in (0, A.n_hyperplanes - 1):
        Z = ziegler_restriction(A, row)
        assert sum(Z.multiplicities) == A.n_hyperplanes - 1
        assert len(set(map(tuple, Z.arrangement.normals.tolist()))) == len(Z.multiplicities)
        raw = restriction(A, row).arrangement
        assert sorted(map(len, raw.parallel_classes)) == sorted(Z.multiplicities)
        F = freeness(Z.arrangement, multiplicities=Z.multiplicities)
        assert F.exponents == exponents(A)[1:]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["E6", "E7", "E8", "B3 E6"])
def test_large_ziegler_restrictions_of_free_arrangements(name: str) -> None:
    """By theory, where equations for derivations are too large."""
    A = generators.coxeter(name)
    found = freeness(ziegler_restriction(A, -1))
    assert found.free and found.exponents == exponents(A)[1:] and found.basis is None
    assert "a reflection arrangement" in found.reason and found.verify()
    # the sum of exponents is that of multiplicities
    assert sum(found.exponents) == sum(found.multiplicities) == A.n_hyperplanes - 1


def test_theory_is_for_ziegler_restrictions_only() -> None:
    """Other multiplicities beside the same hyperplanes, or another arrangement above them."""
    Z = ziegler_restriction(generators.coxeter("E6"), 0)
    found = freeness(Z)
    assert found.verify() and not replace(found, exponents=(5, 5, 6, 8, 11)).verify()
    _, m, whole = Z
    assert whole is not None
    for other in (Z._replace(multiplicities=m[::-1]), Z._replace(arrangement=whole[: len(m)])):
        assert free_arrangements._of_the_whole(whole, *other[:2]) is None
    larger = Z._replace(whole=generators.coxeter("E7"))
    assert free_arrangements._of_the_whole(larger.whole, *larger[:2]) is None


def test_multiarrangements_in_place_of_rows() -> None:
    Z = ziegler_restriction(generators.braid(5), 0)
    A, m, whole = Z
    assert whole is not None and whole.same_hyperplanes(generators.braid(5))
    found = freeness(Z)
    assert found.exponents == freeness(A, multiplicities=m).exponents == (0, 2, 3, 4)
    assert found.verify() and is_free(Z) is True
    assert log_canonical_threshold(Z) == log_canonical_threshold(A, multiplicities=m)
    for ask in (freeness, is_free, log_canonical_threshold):
        with pytest.raises(InputError, match="has multiplicities; leave the others out"):
            ask(Z, multiplicities=m)


def test_ziegler_restriction_reads_rows() -> None:
    A = Arrangement([[1, 0], [0, 1], [1, 1], [2, 0]], labels="abcd")
    assert ziegler_restriction(A, "d").multiplicities == (2,)
    assert ziegler_restriction(A, -1).multiplicities == (2,)
    assert ziegler_restriction(A, ([1, 0], 0)).multiplicities == (2,)
    with pytest.raises(InputError, match="expected one hyperplane"):
        ziegler_restriction(A, [0, 1])
    with pytest.raises(InputError, match="expected a central one"):
        ziegler_restriction(generators.shi(3), 0)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("d", [3, 4])
def test_ziegler_decides_as_the_equations_do(d: int, monkeypatch: Any) -> None:
    rng = np.random.default_rng(d)
    some = []
    for k in [3, 4, 5, 6, 7] * (6 if d == 3 else 3):
        rows = rng.integers(-1, 2, (k, d))
        some.append(Arrangement(np.vstack([np.eye(d, dtype=int), rows[rows.any(axis=1)]])))
    some = [A[[g[0] for g in A.parallel_classes]] for A in some]
    some += [
        generators.coxeter("B3"),
        generators.braid(5),
        generators.type_d(4),
        generators.coxeter("H3"),
    ]
    expected = [freeness(A) for A in some]
    monkeypatch.setattr(free_arrangements, "_FEW_UNKNOWNS", 0)
    found = [freeness(A) for A in some]
    assert [F.free for F in found] == [F.free for F in expected]
    assert [F.exponents for F in found] == [F.exponents for F in expected]
    assert {F.free for F in found} == {True, False}
    for F in found:
        assert (F.basis is not None) == F.free
        assert F.verify()


def test_published_freeness() -> None:
    # P. Edelman, V. Reiner, Proc. AMS 118 (1993) 927-929: free, a restriction is not
    A = generators.named("Edelman-Reiner")
    F = freeness(A)
    assert F and F.exponents == (1, 5, 5, 5, 5)
    # cones of extended Catalan and Shi arrangements: M. Yoshinaga, Invent. Math. 157 (2004) 449-454
    for k in (1, 2):
        assert freeness(cone(generators.catalan("A3", k)).arrangement).exponents == (
            1,
            4 * k + 1,
            4 * k + 2,
            4 * k + 3,
        )
        assert freeness(cone(generators.shi("B3", k)).arrangement).exponents == (1, *(6 * k,) * 3)
    assert is_free(generators.simplicial(22)) is True
    assert is_free(cone(generators.linial(4)).arrangement) is False


# ---------------------------------------------------------------- log canonical thresholds


def test_log_canonical_thresholds() -> None:
    for n in (2, 3, 6):
        assert log_canonical_threshold(generators.braid(n)) == Fraction(2, n)
    # generic: M. Mustață, Trans. AMS 358 (2006), corollary 0.3 and example
    for n, d in ((3, 4), (5, 3), (9, 4)):
        assert log_canonical_threshold(generators.generic(n, d, 0)) == min(1, Fraction(d, n))
    assert log_canonical_threshold(generators.coxeter("E8")[:8]) == 1
    assert log_canonical_threshold([[1], [1]], [0, 1], multiplicities=[2, 5]) == Fraction(1, 5)
    assert log_canonical_threshold([[1, 0], [1, 0], [0, 1]]) == 1
    with pytest.raises(InputError, match="there is no hyperplane"):
        log_canonical_threshold(np.zeros((0, 2)))
    with pytest.raises(InputError, match="multiplicities has 1"):
        log_canonical_threshold([[1], [2]], multiplicities=[1])


@pytest.mark.slow
def test_log_canonical_threshold_by_definition() -> None:
    """The least codimension over multiplicity, over all intersections of all subsets."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        W = rng.integers(-1, 2, (5, 3))
        W = W[W.any(axis=1)]
        b = rng.integers(-1, 2, len(W))
        m = rng.integers(1, 4, len(W)).tolist()
        ratios = []
        for k in range(1, len(W) + 1):
            for chosen in combinations(range(len(W)), k):
                rank = sympy.Matrix(W[list(chosen)].tolist()).rank()
                both = np.column_stack([W, b])
                if sympy.Matrix(both[list(chosen)].tolist()).rank() > rank:
                    continue
                total = sum(
                    m[i]
                    for i in range(len(W))
                    if sympy.Matrix(both[[*chosen, i]].tolist()).rank() == rank
                )
                ratios.append(Fraction(rank, total))
        assert log_canonical_threshold(W, b, multiplicities=m) == min(ratios)


def test_exponents_are_those_of_freeness() -> None:
    Z = ziegler_restriction(generators.braid(4), 0)
    with pytest.raises(InputError, match=r"its exponents are freeness\(W\)\.exponents"):
        exponents(Z)  # type: ignore[arg-type]
    found = freeness(Z).exponents
    assert found is not None and sum(found) == sum(Z.multiplicities)
