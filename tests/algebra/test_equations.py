"""Defining polynomials, reductions modulo primes, and the finite field method."""

from itertools import combinations

import numpy as np
import pytest

from arrangements import Arrangement, characteristic_polynomial, flats, generators
from arrangements.algebra import (
    count_points_modulo,
    defining_polynomial,
    is_good_reduction,
    reduction_modulo,
)
from arrangements.errors import InputError, TooLargeError
from arrangements.exact import linear

SMALL = {
    "braid(4)": generators.braid(4),
    "shi(3)": generators.shi(3),
    "semiorder(3)": generators.semiorder(3),
    "resonance(3)": generators.resonance(3),
    "B3": generators.coxeter("B3"),
    "fractions": Arrangement([[0.5, 0.25], [1, 3], [3, 1]], [0, 0.5, 2]),
    "loops": Arrangement([[1, 2], [0, 0], [2, 4]], [1, 3, 2]),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_finite_field_method(name: str) -> None:
    A = SMALL[name]
    chi = characteristic_polynomial(A)
    for p in (2, 3, 5, 7, 11):
        if is_good_reduction(A, p):
            assert count_points_modulo(A, p) == chi.eval(p)
    assert is_good_reduction(A, 10007)


def test_bad_primes_change_the_count() -> None:
    bad = {"shi(3)": [2], "semiorder(3)": [2, 3], "resonance(3)": [2], "B3": [2], "braid(4)": []}
    for name, primes in bad.items():
        assert [p for p in (2, 3, 5, 7) if not is_good_reduction(SMALL[name], p)] == primes
        chi = characteristic_polynomial(SMALL[name])
        assert all(count_points_modulo(SMALL[name], p) != chi.eval(p) for p in primes)


def test_good_reduction_is_that_of_all_minors() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        rows = rng.integers(-4, 5, (5, 3)).tolist()
        if linear.rank(rows) < 3 or not all(map(any, rows)):
            continue
        A = Arrangement(rows)
        whole = A.integer_rows
        minors = [linear.determinant([whole[i][:3] for i in c]) for c in combinations(range(5), 3)]
        for p in (2, 3, 5, 7):
            assert is_good_reduction(A, p) == all(m % p for m in minors if m)


def test_the_polynomial_vanishes_on_the_hyperplanes() -> None:
    for A in SMALL.values():
        Q = defining_polynomial(A)
        assert Q.total_degree() == len(flats(A).of_rank(1))
        assert Q.is_homogeneous == A.is_central
    Q = defining_polynomial(Arrangement([[1, 2], [2, 4]], [3, 6]))
    assert str(Q.as_expr()) == "x0 + 2*x1 + 3"


def test_what_is_refused() -> None:
    for p in (0, 1, 4, 2**31 + 11, 2.5):
        with pytest.raises(InputError, match="p is"):
            reduction_modulo([[1]], p)
    with pytest.raises(TooLargeError, match="smaller prime"):
        count_points_modulo(generators.boolean(6), 10007)
    with pytest.raises(TooLargeError, match="polynomial of"):
        defining_polynomial(generators.generic(60, 8, 0))
