"""Methods that decide by floats first, on irrational rows with small coefficients and coincidences.

Such rows have few primes and short integer images, whose floats must still be those of the rows.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from arrangements import (
    Arrangement,
    NumberField,
    chambers,
    characteristic_polynomial,
    feasible,
    feasible_many,
    rankings,
)
from arrangements.algebra import whitney_numbers
from arrangements.errors import DegenerateArrangementError, TiedLabelsError

THETAS = [
    NumberField([-2, 0, 1], (1, 2), "sqrt2").generator,
    NumberField([-1, -1, 1], (1, 2), "phi").generator,
    NumberField([-1, -2, 1, 1], (1, 2), "c").generator,  # 2 cos(2 pi / 7)
    NumberField([-2, 0, 0, 1], (1, 2), "r").generator,  # the cube root of 2
]
SQRT2, PHI, *_ = THETAS


def small(rng: np.random.Generator, theta: Any, *shape: int) -> Any:
    """Numbers ``a + b theta`` with a, b in -1..1."""
    a, b = rng.integers(-1, 2, (2, *shape)).tolist()
    found = np.array(a, object) + np.array(b, object) * theta
    return found.tolist()


def test_three_lines_through_a_point() -> None:
    W, b = [[-1, -1 - PHI], [-1 - PHI, -1 - PHI], [1 - PHI, 1]], [1 - PHI, -1, 0]
    for method in ("sweep", "incremental", "reverse_search"):
        assert len(chambers(W, b, method=method)) == 6
    for signs in ("-+-", "+-+"):
        certificate = feasible(W, signs, offsets=b)
        assert certificate.point is None and certificate.verify()


def test_three_labels_that_tie_at_a_point() -> None:
    W, b = [[-SQRT2], [-2 + SQRT2], [-2 - SQRT2]], [-1, -1 - SQRT2, 1 + SQRT2]
    for method in ("sweep", "pairs", "incremental"):
        assert len(rankings(W, b, method=method)) == 2
    # a difference of irrational labels may be rational
    assert len(rankings([[SQRT2 / 2], [SQRT2 / 2]], [0.5, 1], method="incremental")) == 1


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(120))
def test_all_methods_agree(seed: int) -> None:
    rng, theta = np.random.default_rng(seed), THETAS[seed % 4]
    d, affine = int(rng.integers(2, 4)), seed % 3 > 0
    n = int(rng.integers(d + 1, 7))
    W, b = small(rng, theta, n, d), small(rng, theta, n) if affine else None
    try:
        found = chambers(W, b, method="sweep")
    except DegenerateArrangementError:
        return
    for method in ("incremental", "reverse_search"):
        assert chambers(W, b, method=method) == found
    assert chambers(W, b, prune=lambda signs: np.ones(len(signs), bool)) == found
    patterns = rng.choice([-1, 1], (12, n))
    expected = [tuple(row) in set(map(tuple, found.to_array().tolist())) for row in patterns]
    assert feasible_many(W, patterns, offsets=b).feasible.tolist() == expected
    for signs, is_there in zip(patterns, expected, strict=True):
        certificate = feasible(W, signs, offsets=b)
        assert (certificate.point is not None) == is_there and certificate.verify()


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(120))
def test_all_methods_rank_alike(seed: int) -> None:
    rng, theta = np.random.default_rng(seed), THETAS[seed % 4]
    n, d = int(rng.integers(3, 6)), int(rng.integers(1, 3))
    W, b = small(rng, theta, n, d), small(rng, theta, n) if seed % 3 else None
    try:
        found = rankings(W, b, method="sweep")
    except TiedLabelsError:
        return
    for method in ("pairs", "incremental"):
        assert rankings(W, b, method=method) == found


def test_irrational_weights_of_rational_normals() -> None:
    """The offsets alone are irrational, and so are weights that questions in bulk find."""
    certificates = feasible_many(
        [[1], [-1], [-1]], ["-+-", "---"], offsets=[0, 1 + PHI, PHI], time_limit=60
    )
    assert PHI in certificates[0].weights
    assert certificates.feasible.tolist() == [False, False] and certificates.verify()


def test_witnesses_of_irrational_rows() -> None:
    """Also where a float has to be found beside an exact point, which is irrational."""
    N = [[1, 1, 0], [-1, 1, 0], [2, -1, 1], [1, 1, 1], [1, -2, -1], [1, 2, 2]]
    r = SQRT2
    basis = [[-1 - 2 * r, 2 - r, -2 - 2 * r], [2 + r, -1 - r, -2 - 2 * r], [2, 1 - r, -1 + 2 * r]]
    W, b = np.array(N, object) @ np.array(basis, object), [-1, -1, 0, -2, -1, -1]
    found = chambers(W, b)
    for point, signs in zip(found.witnesses().tolist(), found.to_array().tolist(), strict=True):
        exact = W @ np.array([Fraction(x) for x in point], object) + b
        assert [1 if value > 0 else -1 for value in exact] == signs


def test_stored_restrictions_of_irrational_rows(tmp_path: Any) -> None:
    rows = [[int(i == j) for j in range(5)] for i in range(5)]
    rows += [[1, SQRT2, 1, 1, 1], [1, 1, 0, 0, 1], [1, -1, 0, 0, SQRT2]]
    A = Arrangement(rows)
    found = characteristic_polynomial(A, checkpoint=tmp_path / "run")
    assert found == characteristic_polynomial(Arrangement(rows))
    assert characteristic_polynomial(Arrangement(rows), checkpoint=tmp_path / "run") == found
    assert whitney_numbers(A, checkpoint=tmp_path / "other") == whitney_numbers(A)
