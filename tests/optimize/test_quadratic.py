"""Binary quadratic problems and the L1 component, against all vectors of signs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from arrangements.errors import InputError
from arrangements.optimize import binary_quadratic, l1_pca


def value(V, linear, x):
    """The exact value at x."""
    columns = zip(*V, strict=True)
    squares = sum(product_of(column, x) ** 2 for column in columns)
    return squares + product_of(linear, x)


def product_of(entries, x):
    return sum(Fraction(a) * e for a, e in zip(entries, x, strict=True))


@pytest.mark.sampled(13)
@pytest.mark.parametrize("domain", [(-1, 1), (0, 1)])
@pytest.mark.parametrize("seed", range(24))
def test_no_vector_is_better(domain, seed):
    rng = np.random.default_rng(seed)
    n, r = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    V = rng.integers(-3, 4, (n, r)) if seed % 3 else rng.standard_normal((n, r)) * 1e150
    linear = rng.integers(-5, 6, n) if seed % 2 else None
    found = binary_quadratic(V, linear, domain=domain)
    terms = [0] * n if linear is None else linear.tolist()
    best = max(value(V.tolist(), terms, x) for x in product(domain, repeat=n))
    assert found.value == best == value(V.tolist(), terms, found.x.tolist())
    assert found.certificate.verify()


def test_values_that_floats_do_not_tell_apart():
    # sums of 2**60 + 1 and of 2**60: squares differ beyond the precision of a float
    V = [[2**60, 0], [1, 0], [0, 2**60], [0, 1 + 2**-30]]
    found = binary_quadratic(V)
    assert found.value == (2**60 + 1) ** 2 + (2**60 + 1 + Fraction(1, 2**30)) ** 2
    assert found.n_best == 4


def test_linear_terms_far_beyond_the_squares():
    found = binary_quadratic([[1], [-2]], [10**400, -(10**400) + 1])
    assert found.x.tolist() == [1, -1]
    assert found.value == 9 + 2 * 10**400 - 1
    small = binary_quadratic([[10**200], [1]], [Fraction(1, 10**200), -3])
    assert small.value == (10**200 + 1) ** 2 + 3 - Fraction(1, 10**200)


def test_threads_find_the_same():
    V = np.random.default_rng(3).standard_normal((40, 3))
    one, two = binary_quadratic(V), binary_quadratic(V, workers=2)
    assert (one.value, one.x.tolist()) == (two.value, two.x.tolist())


def test_zero_rows_are_free():
    assert binary_quadratic([[0], [0]]).value == 0
    assert binary_quadratic([[0, 0], [1, 2]]).value == 5


@pytest.mark.parametrize("seed", range(6))
def test_l1_component(seed):
    X = np.random.default_rng(seed).integers(-5, 6, (9, 1 + seed % 3))
    X[0, 0] = 7
    found = l1_pca(X)
    sums = [np.array(s) @ X for s in product((-1, 1), repeat=9)]
    assert found.square == max(int(z @ z) for z in sums)
    assert np.isclose(np.linalg.norm(found.direction), 1)
    assert np.isclose(np.abs(X @ found.direction).sum(), found.value)
    assert np.isclose(found.value**2, float(found.square))


def test_l1_components_at_the_ends_of_the_range():
    """No float is the largest sum of absolute projections, but its square is exact."""
    found = l1_pca([[1e308], [1e308]])
    assert (found.value, found.direction.tolist()) == (np.inf, [1.0])
    assert found.square == (2 * Fraction(1e308)) ** 2
    found = l1_pca([[1e308, 1e-300], [-5e307, 5e-324]])
    assert found.value == 1.5e308 and found.signs.tolist() == [1, -1]
    assert l1_pca([[5e-324, 0], [0, 5e-324]]).value == 5e-324  # of 1.4 times as much, the nearest


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: binary_quadratic([[1]], domain=(0, 2)), r"domain is \(0, 2\)"),
        (lambda: binary_quadratic([[1]], [1, 2]), r"linear has shape \(2,\)"),
        (lambda: l1_pca([[1, 2]], 2), "k is 2; expected 1"),
        (lambda: l1_pca([[0, 0]]), "all rows of X are zero"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_texts_are_short():
    V = np.array([[0.1, 0.7], [1e-9, 3.3], [0.2, -0.4]])
    found = binary_quadratic(V)
    assert len(repr(found)) < 120 and repr(found).startswith("BinaryOptimum(value ≈ 19.")
    assert len(repr(l1_pca(V))) < 120 and repr(l1_pca(V)).startswith("L1Component(value ")
