"""Montgomery arithmetic and signs from residues against Python integers."""

import numpy as np
import pytest

from arrangements.exact.residues import fields
from arrangements.kernels.modular import montgomery
from arrangements.kernels.modular.montgomery import mont_determinant
from kernels import compiled
from kernels.plain import MODULI, R, constants, determinant, from_residue, to_residue

mont_mul, mont_inverse = compiled(montgomery.mont_mul), compiled(montgomery.mont_inverse)
mont_inverses, crt_sign = compiled(montgomery.mont_inverses), compiled(montgomery.crt_sign)


def some_residues(p):
    return [1, 2, p - 2, p - 1, R % p, p - R % p, *np.random.default_rng(0).integers(1, p, 30)]


@pytest.mark.parametrize("p", MODULI)
def test_products(p):
    prime, inverse, _ = constants(p)
    for a in [0, *some_residues(p)]:
        for b in [0, *some_residues(p)]:
            product = mont_mul(np.uint64(a), np.uint64(b), prime, inverse)
            assert product == int(a) * int(b) * pow(R, -1, p) % p


@pytest.mark.parametrize("p", MODULI)
def test_one_and_inverses(p):
    one = compiled(montgomery.mont_one)(*constants(p))
    assert one == R % p
    for a in some_residues(p):
        inverse = mont_inverse(np.uint64(a), *constants(p))
        assert from_residue(inverse, p) == pow(from_residue(a, p), -1, p)


@pytest.mark.parametrize("p", MODULI)
@pytest.mark.parametrize("count", [0, 1, 2, 7, 36])
def test_many_inverses_at_once(p, count):
    a = np.array([0, *some_residues(p)], np.uint64)
    np.random.default_rng(count).shuffle(a)
    out = np.full(len(a), 77, np.uint64)
    mont_inverses(a, count, *constants(p), out)
    for x, y in zip(a[:count], out[:count], strict=True):
        assert y == (mont_inverse(x, *constants(p)) if x else 0)
    assert (out[count:] == 77).all()


@pytest.mark.parametrize("p", MODULI)
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4])
def test_determinants(p, k):
    rng = np.random.default_rng(k)
    for _ in range(20):
        rows = rng.choice([0, 0, 1, -1, 3, 2**40], (k, k)).tolist()
        a = np.zeros((5, 5), np.uint64)
        a[:k, :k] = [[to_residue(e, p) for e in row] for row in rows] or 0
        found = mont_determinant(a, k, *constants(p))
        assert from_residue(found, p) == determinant(rows) % p


@pytest.mark.sampled(1)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_signs_of_integers(count):
    moduli, product = MODULI[:count], 1
    for p in moduli:
        product *= p
    most = (product - 1) // 2
    rng = np.random.default_rng(count)
    values = [0, 1, -1, most, -most, most - 1, MODULI[0], -MODULI[0]]
    values += [int(x) * most >> 62 for x in rng.integers(-(2**62), 2**62, 60).tolist()]
    for value in values:
        if abs(value) <= most:
            residues = np.array([to_residue(value, p) for p in moduli], np.uint64)
            assert crt_sign(residues, fields(moduli)) == (value > 0) - (value < 0)
