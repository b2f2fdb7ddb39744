"""Signs of determinants that float64 proves, against fractions."""

from fractions import Fraction

import numpy as np
import pytest

from arrangements.exact.linear import determinant
from arrangements.kernels.chambers import float_minors
from arrangements.search.chamber_sweep import ChamberSweep
from kernels import compiled
from kernels.chambers.exact_tableau import affine_flag, sign

float_determinant_sign = compiled(float_minors.float_determinant_sign)
float_minor_sign = compiled(float_minors.float_minor_sign)


def exact_sign(matrix, moves=0.0, errors=0.0):
    """Sign of the determinant of ``matrix + moves * errors``, without rounding."""
    shape = matrix.shape
    parts = (np.broadcast_to(x, shape).ravel().tolist() for x in (matrix, moves, errors))
    moved = [Fraction(x) + Fraction(m) * Fraction(e) for x, m, e in zip(*parts, strict=True)]
    entries = [moved[k : k + shape[1]] for k in range(0, len(moved), shape[1])]
    scale = max(x.denominator for row in entries for x in row)
    return sign(determinant([[int(x * scale) for x in row] for row in entries]))


def matrices(rng, size):
    yield rng.standard_normal((size, size))
    yield rng.integers(-3, 4, (size, size)).astype(float)
    yield rng.standard_normal((size, size)) * 2.0 ** rng.integers(-30, 30, size)
    near = rng.integers(-3, 4, (size, size)).astype(float)
    near[-1] = near[:-1].sum(axis=0)  # singular, but for the next lines
    yield near
    for units in (1, 2**20, 2**40):
        other = near.copy()
        other[-1, rng.integers(size)] += units * 2.0**-51
        yield other


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 12])
def test_proved_signs_are_right(size):
    rng, proved = np.random.default_rng(size), 0
    for _ in range(40):
        for matrix in matrices(rng, size):
            error = 2.0 ** -rng.integers(20, 54) * np.abs(matrix).max(axis=0)
            found = {float_determinant_sign(matrix.copy(), error.copy(), size)}
            # whatever the entries are, within their errors
            for _ in range(4):
                moves = rng.choice([-1.0, 0.0, 1.0], matrix.shape)
                found.add(exact_sign(matrix, moves, error) if 0 not in found else 0)
            assert len(found) == 1 or 0 in found
            proved += 0 not in found
    assert proved > 40


@pytest.mark.slow
def test_a_random_minor_is_proved():
    """The errors grow by a small factor from column to column."""
    rng = np.random.default_rng(0)
    unproved = 0
    for _ in range(200):
        matrix = rng.uniform(-1, 1, (12, 12))
        found = float_determinant_sign(matrix.copy(), np.full(12, 2.0**-50), 12)
        assert found in (0, exact_sign(matrix))
        unproved += found == 0
    assert unproved < 4


def test_minors_of_a_root():
    """Rows of R, replaced by one or two others, and the columns that are asked for."""
    rng = np.random.default_rng(3)
    flag = affine_flag(rng.standard_normal((9, 4)), rng.standard_normal(9))
    ws = ChamberSweep(flag).space
    cases = (1, 0, 4, -1), (3, 2, 4, -1), (3, 4, 5, -1), (4, 4, 6, 8), (5, 4, 7, 0)
    for size, last, i, j in cases:
        ws.chain[:4] = 3, 2, 1, 0
        rows = [*ws.chain[: size - (1 if j < 0 else 2)], i, *([j] if j >= 0 else [])]
        minor = ws.table[0][[*range(size - 1), last]][:, rows]
        lanes, bound = ws.table[0], ws.bound[0]
        found = float_minor_sign(lanes, bound, ws.entries, ws.chain, size, last, i, j)
        assert found == exact_sign(minor) != 0
    ws.bound[0, 0] = 10.0
    assert float_minor_sign(ws.table[0], ws.bound[0], ws.entries, ws.chain, 2, 1, 4, 5) == 0


def test_deep_lines_need_no_residues_for_signs():
    """What a deep tableau leaves open is proved here: primes for signs are never made."""
    W = np.random.default_rng(0).standard_normal((16, 11))
    sweep = ChamberSweep(affine_flag(W, np.ones(16)))
    sum(sweep.counts())
    assert len(sweep.space.matroid) > 0 == len(sweep.space.flag)
