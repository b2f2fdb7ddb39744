"""Exact products equal sums of fractions, for all types, lengths and ranges of entries."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements.exact.coercion import as_exact_matrix
from arrangements.exact.numbers import as_objects
from arrangements.exact.products import product

RNG = np.random.default_rng(0)
NORMAL = RNG.standard_normal((20, 7))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "W",
    [
        NORMAL,
        NORMAL.astype(np.float32),
        NORMAL.astype(np.float16),
        NORMAL * 2.0 ** RNG.integers(-60, 60, (20, 7)),
        NORMAL * 2.0 ** RNG.integers(-600, 300, (20, 7)),
        NORMAL * 1e-310,
        RNG.integers(-(2**52), 2**52, (20, 7)),
        RNG.integers(-(2**63), 2**63 - 1, (20, 7)),
        np.zeros((3, 7)),
        np.full((5, 7), np.finfo(float).max),
        np.full((5, 4099), 1.0 - 2.0**-53),
        [[Fraction(1, 3), 2**80, 0, 1, -1, 5, 7]],
    ],
)
@pytest.mark.parametrize("bits", [3, 53, 300])
def test_equals_fractions(W: Any, bits: int) -> None:
    matrix = as_exact_matrix(W)
    numerators = [int.from_bytes(RNG.bytes(40)) % 2**bits for _ in range(matrix.shape[1])]
    x = [Fraction((-1) ** k * a, 3 + k % 5) for k, a in enumerate(numerators)]
    found = product(matrix, x)
    sums = [sum(Fraction(w) * v for w, v in zip(row, x, strict=True)) for row in as_objects(matrix)]
    factors = {Fraction(f) / s for f, s in zip(found, sums, strict=True) if s}
    assert len(factors) <= 1 and all(factor > 0 for factor in factors)
    assert [f == 0 for f in found] == [s == 0 for s in sums]
