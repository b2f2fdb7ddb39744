"""Cofactors and signs of determinants against expansion over the integers."""

import numpy as np
import pytest

from arrangements.kernels.modular import determinants
from kernels import compiled
from kernels.plain import determinant, dot, from_residue, residues_of, sign

find_weights = compiled(determinants.find_weights)
find_cofactors = compiled(determinants.find_cofactors)
column_sign = compiled(determinants.column_sign)
product_sign = compiled(determinants.product_sign)
determinant_sign = compiled(determinants.determinant_sign)


def scratch(r, primes):
    return np.zeros((r, r + 1), np.uint64), np.zeros(r, np.int64), np.zeros((primes, r), np.uint64)


def inputs(r):
    """Rows with many dependent choices, and some choices of r of them."""
    rng = np.random.default_rng(r)
    rows = rng.integers(-1, 2, (6, r)).tolist()
    rows += [[2 * e for e in rows[0]], rng.integers(-(2**25), 2**25, r).tolist()]
    return rows, rng.integers(0, len(rows), (40, r))


@pytest.mark.slow
@pytest.mark.parametrize("r", [1, 2, 3, 4])
def test_cofactors(r):
    rows, choices = inputs(r)
    residues, fields = residues_of(rows)
    matrix, pivots, cofactors = scratch(r, len(fields))
    residue = np.zeros(len(fields), np.uint64)
    for choice in choices:
        skip = int(choice[0]) % r
        find_cofactors(residues, fields, choice, r, skip, matrix, pivots, cofactors)
        chosen = [rows[i] for i in choice]
        units = np.eye(r, dtype=int).tolist()
        expected = [determinant([*chosen[:skip], e, *chosen[skip + 1 :]]) for e in units]
        for k, p in enumerate(fields[:, 0].tolist()):
            assert [from_residue(e, p) for e in cofactors[k]] == [e % p for e in expected]
        for i, row in enumerate(rows):
            found = product_sign(residues, fields, i, r, cofactors, residue)
            assert found == sign(dot(row, expected))


@pytest.mark.slow
@pytest.mark.parametrize("r", [1, 2, 3, 4])
def test_signs(r):
    rows, choices = inputs(r)
    residues, fields = residues_of(rows)
    matrix, pivots, cofactors = scratch(r, len(fields))
    residue, seen = np.zeros(len(fields), np.uint64), set()
    for choice in choices:
        found = determinant_sign(residues, choice, r, fields, matrix, pivots, cofactors, residue)
        assert found == sign(determinant([rows[i] for i in choice]))
        seen.add(found)
    assert seen == {-1, 0, 1}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("r", [1, 2, 3, 4])
def test_weights(r):
    rows, choices = inputs(r)
    _, fields = residues_of(rows)
    # Some determinants are multiples of one of the primes but not zero.
    rows += [[int(fields[0, 0]) * e for e in rows[7]]]
    divisible = choices.copy()
    divisible[:, 0] = 8
    choices = np.vstack([choices, divisible])
    residues, fields = residues_of(rows)
    matrix, pivots, _ = scratch(r, len(fields))
    residue = np.zeros(len(fields), np.uint64)
    weights, regular, divided = np.zeros((len(fields), r + 1), np.uint64), 0, 0
    for choice in choices:
        chosen = [rows[i] for i in choice]
        det = determinant(chosen)
        for i, row in enumerate(rows):
            find_weights(residues, fields, choice, r, i, matrix, pivots, weights)
            expected = [determinant([*chosen[:b], row, *chosen[b + 1 :]]) for b in range(r)]
            for k, p in enumerate(fields[:, 0].tolist()):
                assert [from_residue(e, p) for e in weights[k]] == [e % p for e in [*expected, det]]
            for b, value in enumerate([*expected, det]):
                assert column_sign(weights, b, fields, residue) == sign(value)
        regular += det != 0
        divided += det != 0 and det % int(fields[0, 0]) == 0
    assert regular > 5 and divided > 5
