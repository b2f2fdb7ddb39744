"""The cone kernel: exact determinant signs, valid error bounds, certified answers."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements.exact.linear import determinant, solve
from arrangements.feasibility.cone_system import HomogeneousRows, distinct_rows
from arrangements.kernels.cone import cone_test as cone
from arrangements.kernels.cone.cone_test import INSIDE, OUTSIDE, UNDECIDED, cone_test, invert
from arrangements.kernels.modular import determinants
from kernels import compiled

bound_errors, dual_sign = compiled(cone.bound_errors), compiled(cone.dual_sign)
determinant_sign = compiled(determinants.determinant_sign)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def sign(value):
    return (value > 0) - (value < 0)


def random_rows(rng, n, d, high):
    """Integer rows of rank d without zero rows, with ties when `high` is small."""
    while True:
        rows = [[int(e) for e in row] for row in rng.integers(-high, high + 1, (n, d))]
        rows = [row for row in rows if any(row)]
        system = HomogeneousRows(rows) if rows else None
        if system is not None and system.dimension == d and len(rows) > d:
            return system


def exact_sign(system, rows):
    table = system.table
    work = system.work_for(table)
    return determinant_sign(
        table.residues,
        np.array(rows, np.int64),
        len(rows),
        table.fields,
        work.matrix,
        work.pivots,
        work.cofactors,
        work.residue,
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("high", [1, 2, 1000, 2**53, 2**62])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 6])
def test_determinant_sign_agrees_with_flint(d, high):
    rng = np.random.default_rng(d * 1000 + high % 997)
    system = random_rows(rng, d + 8, d, high)
    for _ in range(50):
        rows = rng.integers(0, len(system.integers), d).tolist()
        expected = sign(determinant([system.integers[i] for i in rows]))
        assert exact_sign(system, rows) == expected


def test_determinant_sign_of_multiples_of_the_primes():
    # minors that vanish modulo the first prime but not over the integers
    p = 2**31 - 1
    system = HomogeneousRows([[p, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, p], [0, -p, p * p]])
    assert system.safe.tolist() == [0, 1, 2]  # although row 0 vanishes modulo p
    for rows in [(0, 1, 2), (1, 0, 2), (0, 4, 2), (4, 0, 3), (3, 4, 1), (0, 3, 1)]:
        expected = sign(determinant([system.integers[i] for i in rows]))
        assert exact_sign(system, list(rows)) == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize("shift", [0, 1e-3, 1e-6, 1e-9, 1e-12])
def test_error_bound_holds(shift):
    rng = np.random.default_rng(7)
    for d in (1, 2, 4, 7):
        rows = [[int(e) for e in r] for r in rng.integers(-(2**60), 2**60, (d + 10, d))]
        if shift and d > 1:  # nearly dependent rows
            rows[1] = [a + int(shift * b) for a, b in zip(rows[0], rows[1], strict=True)]
        system = HomogeneousRows(rows)
        basis = np.arange(d)
        work = system.work_for(system.float_table)
        assert invert(system.floats, basis, d, work.dual, work.pivots)
        if not bound_errors(system.floats, basis, d, work.dual, work.tolerance):
            continue
        scaled = exactly_scaled(system)
        unit = 2**300  # makes every entry an integer
        columns = [[int(e * unit) for e in scaled[b]] for b in range(d)]
        for h in range(d):
            exact = solve(columns, [unit * (b == h) for b in range(d)])
            for j, row in enumerate(scaled):
                computed = 0.0
                for c in range(d):
                    computed += system.floats[c, j] * work.dual[h, c]
                assert abs(Fraction(computed) - dot(row, exact)) <= Fraction(work.tolerance[h])


def exactly_scaled(system):
    """The exact rows that the float rows stand for, scaled by the same powers of two."""
    scaled = []
    for j, row in enumerate(system.integers):
        row = [
            Fraction(e) * Fraction(2) ** -int(c)
            for e, c in zip(row, system.column_exponents, strict=True)
        ]
        c = int(np.abs(system.floats[:, j]).argmax())
        ratio = row[c] / Fraction(system.floats[c, j])  # a power of two, nearly
        exponent = (4 * ratio / 3).numerator.bit_length() - (4 * ratio / 3).denominator.bit_length()
        exponent -= ratio < Fraction(3, 4) * Fraction(2) ** exponent
        row = [e * Fraction(2) ** -exponent for e in row]
        assert all(
            abs(e - Fraction(f)) <= Fraction(2) ** -53
            for e, f in zip(row, system.floats[:, j].tolist(), strict=True)
        )
        assert 1 <= max(abs(e) for e in row) < 2
        scaled.append(row)
    return scaled


def check_answer(system, signs, v, v_sign, status, work):
    """Verify the certificate that the kernel left, in exact arithmetic."""
    basis = work.basis.tolist()
    signed = [[int(s) * e for e in row] for s, row in zip(signs, system.integers, strict=True)]
    target = [int(v_sign) * e for e in system.integers[v]]
    if status == INSIDE:
        weights = solve(list(zip(*(signed[b] for b in basis), strict=True)), target)
        assert weights is not None and all(y >= 0 for y in weights)
    else:
        assert status == OUTSIDE
        h = int(work.state[0])
        ray = solve([signed[b] for b in basis], [int(k == h) for k in range(len(basis))])
        assert all(dot(row, ray) >= 0 for row in signed)
        assert dot(target, ray) < 0


@pytest.mark.sampled(9)
@pytest.mark.parametrize("high", [1, 2, 50, 2**53])
@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_answers_are_certified(d, high):
    rng = np.random.default_rng(d + high % 1009)
    seen = set()
    for _ in range(12):
        system = random_rows(rng, d + int(rng.integers(2, 9)), d, high)
        n = len(system.integers)
        signs = rng.choice([-1.0, 1.0], n)
        work = system.work_for(system.table)
        for v in range(n):
            for v_sign in (-1.0, 1.0):
                status = cone_test(system.table, signs, n, d, v, v_sign, system.safe, work)
                check_answer(system, signs, v, v_sign, status, work)
                seen.add(status)
                floats = system.work_for(system.float_table)
                alone = cone_test(system.float_table, signs, n, d, v, v_sign, system.safe, floats)
                assert alone in (status, UNDECIDED)
    assert seen == {INSIDE, OUTSIDE} or d == 1  # random signs rarely agree on a line


def test_singular_start_falls_back_to_the_safe_basis():
    rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 1]]
    system = HomogeneousRows(rows)
    signs = np.ones(5)
    for table in (system.table, system.float_table):
        work = system.work_for(table)
        work.basis[:] = [0, 1, 3]
        status = cone_test(table, signs, 5, 3, 4, 1.0, system.safe, work)
        if status == UNDECIDED:
            assert table is system.float_table
        else:
            check_answer(system, signs, 4, 1, status, work)


def test_ties_one_ulp_apart():
    above = np.nextafter(1.0, 2.0)
    for last, status in ((1.0, INSIDE), (above, OUTSIDE)):
        # is (1, last) in the cone of (1, 1) and (1, 0)?
        entries = [Fraction(last).numerator, Fraction(last).denominator]
        system = HomogeneousRows([[1, 1], [1, 0], [entries[1], entries[0]]])
        work = system.work_for(system.table)
        assert cone_test(system.table, np.ones(3), 2, 2, 2, 1.0, system.safe, work) == status


@pytest.mark.slow
def test_dual_sign_says_when_it_cannot_know():
    system = HomogeneousRows([[1, 0], [0, 1], [1, 1]])
    work = system.work_for(system.float_table)
    assert dual_sign(system.float_table, 2, 0, 2, work) == 2


def test_prefix_of_lower_rank_uses_leading_columns():
    rows = [[0, 0, 1], [0, 2, 1], [0, 1, 3], [5, 1, 1]]
    system = HomogeneousRows(rows)
    assert system.ranks.tolist() == [0, 1, 2, 2, 3]
    assert system.safe.tolist() == [0, 1, 3]
    work = system.work_for(system.table)
    work.basis[:2] = [0, 1]
    # (0, 1, 3) = 5/2 (0, 0, 1) + 1/2 (0, 2, 1)
    assert cone_test(system.table, np.ones(4), 2, 2, 2, 1.0, system.safe, work) == INSIDE
    assert cone_test(system.table, np.ones(4), 2, 2, 2, -1.0, system.safe, work) == OUTSIDE


@pytest.mark.parametrize("keep_order", [True, False])
def test_homogeneous_rows_of_a_rank_deficient_matrix(keep_order):
    rng = np.random.default_rng(3)
    product = rng.integers(-3, 4, (12, 2)) @ rng.integers(-3, 4, (2, 5))
    rows = [[int(e) for e in row] for row in product if row.any()]
    system = HomogeneousRows(rows, keep_order=keep_order)
    assert system.dimension == 2
    assert sorted(system.order) == list(range(len(rows)))
    if not keep_order:
        assert system.safe.tolist() == [0, 1]
    for j, i in enumerate(system.order):
        assert system.integers[j] == [rows[i][c] for c in system.columns]


def test_floats_of_huge_and_tiny_entries():
    system = HomogeneousRows([[10**400, 1], [1, 10**400], [-(3 * 10**300), 7]])
    exactly_scaled(system)
    assert np.isfinite(system.floats).all()


def test_distinct_rows():
    distinct, member, orientation = distinct_rows([[1, 2], [-1, -2], [0, 1], [1, 2], [0, -1]])
    assert distinct == [[1, 2], [0, 1]]
    assert member.tolist() == [0, 0, 1, 0, 1]
    assert orientation.tolist() == [1, -1, 1, 1, -1]
