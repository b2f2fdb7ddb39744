"""Quadratic forms of any weights, with conditions, against all vectors."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from arrangements import Polyhedron
from arrangements.errors import IncompleteError, InputError, TooLargeError
from arrangements.optimize import binary_quadratic
from arrangements.optimize.binary_programs import BinaryProgram
from arrangements.optimize.binary_proofs import proves
from arrangements.optimize.binary_search import BinarySearch

FREE = (None, None)


def dot(row, x):
    return sum(Fraction(a) * e for a, e in zip(row, x, strict=True))


def value(V, weights, linear, x):
    """The exact value at x."""
    columns = zip(*V, strict=True)
    squares = sum(Fraction(w) * dot(c, x) ** 2 for w, c in zip(weights, columns, strict=True))
    return squares + dot(linear, x)


def random_case(rng, seed):
    """V, weights and linear terms: ties, zero rows, large and small numbers."""
    n, r = int(rng.integers(1, 8)), int(rng.integers(1, 5))
    V = [
        rng.integers(-3, 4, (n, r)),
        rng.standard_normal((n, r)),
        rng.integers(-1, 2, (n, r)) * 1e150,
        rng.integers(-(2**62), 2**62, (n, r)),
        rng.integers(-2, 3, (n, r)) * 0.1,
    ][seed % 5]
    if seed % 4 == 1:
        V[rng.integers(0, n, n // 2)] = V[0]
        V[-1] = 0
    weights = [
        rng.integers(-2, 3, r),
        rng.standard_normal(r),
        rng.choice([-0.5, 1], r),
        -np.ones(r),
    ][seed % 4]
    linear = [np.zeros(n, int), rng.integers(-5, 6, n), rng.standard_normal(n) * 1e3][seed % 3]
    return V.tolist(), weights.tolist(), linear.tolist()


def random_conditions(rng, seed, domain, n):
    """Keywords, and the same as a function of x; some x may meet them."""
    x = rng.choice(domain, n)
    ones, E = int((x == 1).sum()), rng.integers(-2, 3, (1 + seed % 2, n)) / 2
    f = E @ x + 0.5 * (seed % 13 == 0)
    return [
        ({}, lambda x: True),
        ({"ones": ones}, lambda x: x.count(1) == ones),
        ({"ones": (0, ones)}, lambda x: x.count(1) <= ones),
        (
            {"equations": (E, f)},
            lambda x: all(dot(row, x) == b for row, b in zip(E.tolist(), f.tolist(), strict=True)),
        ),
        (
            {"within": (E, f), "ones": (1, n)},
            lambda x: (
                1 in x
                and all(dot(row, x) <= b for row, b in zip(E.tolist(), f.tolist(), strict=True))
            ),
        ),
    ][seed % 5]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(1500))
def test_no_vector_is_better(seed):
    rng = np.random.default_rng(seed)
    V, weights, linear = random_case(rng, seed)
    domain, minimize = [(-1, 1), (0, 1)][rng.integers(2)], bool(rng.integers(2))
    keywords, meets = random_conditions(rng, int(rng.integers(10**6)), domain, len(V))
    values = [value(V, weights, linear, x) for x in product(domain, repeat=len(V)) if meets(x)]

    def ask():
        return binary_quadratic(
            V,
            linear,
            weights=weights,
            domain=domain,
            minimize=minimize,
            method="bounds",
            **keywords,
        )

    if not values:
        with pytest.raises(InputError, match="no vector x meets"):
            ask()
        return
    found = ask()
    x = found.x.tolist()
    best = (min if minimize else max)(values)
    assert found.value == found.bound == best == value(V, weights, linear, x) and meets(x)
    assert found.verify(optimal=True)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(20))
def test_both_methods_agree(seed):
    rng = np.random.default_rng(seed)
    V, linear = rng.standard_normal((14, 3)), rng.standard_normal(14) * (seed % 2)
    weights = [1, 0.25, 3]
    swept = binary_quadratic(V, linear, weights=weights, method="sweep")
    found = binary_quadratic(V, linear, weights=weights, method="bounds")
    assert swept.value == found.value and swept.method == "sweep" and found.method == "bounds"
    least = binary_quadratic(V, -linear, weights=[-1, -0.25, -3], minimize=True)
    assert least.value == -swept.value and least.n_best == swept.n_best
    assert swept.verify(optimal=True)


def test_rank_four_of_both_signs():
    V = np.random.default_rng(0).integers(-1000, 1000, (60, 4))
    found = binary_quadratic(V, weights=[1, 1, -1, -1])
    assert (found.value, found.gap) == (1045893471, 0)
    assert found.verify(optimal=True)


def test_number_partitioning():
    numbers = np.random.default_rng(1).integers(1, 10**4, (10, 1))
    found = binary_quadratic(numbers, minimize=True, method="bounds")
    sums = (int(np.dot(x, numbers[:, 0])) for x in product((-1, 1), repeat=10))
    assert found.value == min(z * z for z in sums) and found.verify(optimal=True)


def test_equal_rows_are_seen_once():
    """15 equal rows have 2**15 vectors and 16 values."""
    V = [[1, 2]] * 15 + [[2, -1]] * 15
    found = binary_quadratic(V, weights=[1, -2], domain=(0, 1), ones=14)
    best = max((i + 2 * j) ** 2 - 2 * (2 * i - j) ** 2 for i in range(15) if (j := 14 - i) >= 0)
    assert found.value == best and found.verify(optimal=True)


def test_time_ends():
    V = np.random.default_rng(0).integers(-(10**9), 10**9, (40, 3))
    found = binary_quadratic(V, minimize=True, time_limit=0.1)
    assert -1e10 < found.bound <= 0 < found.value and found.gap == found.value - found.bound
    assert repr(found).startswith("BinaryOptimum(value ") and " of the best, x " in repr(found)
    assert found.verify()
    with pytest.raises(TooLargeError, match="more than 0.036 seconds; pass max_hours"):
        found.verify(optimal=True, max_hours=1e-5)
    E = np.random.default_rng(0).integers(-(10**9), 10**9, (2, 40))
    with pytest.raises(IncompleteError, match="is known after 0 seconds"):
        binary_quadratic(V, equations=(E, [1, 3]), time_limit=0)


def test_an_interruption_at_once_leaves_a_bound(monkeypatch):
    def interrupt(self):
        raise KeyboardInterrupt

    V = np.random.default_rng(1).integers(-9, 10, (12, 3))
    best = binary_quadratic(V, weights=[1, -1, 2]).value
    monkeypatch.setattr(BinarySearch, "_extend", interrupt)
    found = binary_quadratic(V, weights=[1, -1, 2])
    assert found.value <= best <= found.bound and found.verify()


@pytest.mark.filterwarnings("error")
def test_entries_at_both_ends_of_the_range():
    V = [[0.1, -1e300, -1e-310], [0.5, 0, 0], [-0.3, -1e-310, 5e-324], [5e-324, 0.1, 1e300]]
    weights, linear = [-1e-310, Fraction(3, 5), Fraction(1, 6)], [1e-300, 1e300, -2, 1]

    def value(x):
        columns = zip(*V, strict=True)
        sums = [sum(Fraction(v) * e for v, e in zip(c, x, strict=True)) for c in columns]
        squares = sum(Fraction(w) * z**2 for w, z in zip(weights, sums, strict=True))
        return squares + sum(Fraction(a) * e for a, e in zip(linear, x, strict=True))

    found = binary_quadratic(V, np.array(linear, object), weights=weights, domain=(0, 1))
    assert found.value == found.bound == max(map(value, product((0, 1), repeat=4)))


def test_a_wrong_proof_is_refused():
    program = BinaryProgram(((3,), (5,), (6,), (9,)), (-2,), (1,), (1, 0, 0, -2), (FREE,))
    search = BinarySearch(program, record=True)
    search.run()
    assert proves(program, search.branches, search.best)
    assert not proves(program, search.branches, search.best - program.step)
    last = max(search.branches)
    assert not last or not proves(
        program, {k: b for k, b in search.branches.items() if k < last}, search.best
    )


def test_a_polyhedron_with_equations():
    P = Polyhedron(np.zeros((0, 4), int), [], equations=([[1, 1, 1, 1]], [2]))
    found = binary_quadratic([[1], [2], [3], [4]], domain=(0, 1), within=P)
    assert found.x.tolist() == [0, 0, 1, 1] and found.value == 49


def test_values_that_floats_do_not_tell_apart():
    # the sums are 2**60 + 1 and 2**60; of rank 2, with a negative weight
    V = [[2**60, 0], [1, 0], [0, 1], [0, 2]]
    found = binary_quadratic(V, weights=[1, Fraction(-1, 3)])
    assert found.value == (2**60 + 1) ** 2 - Fraction(1, 3)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"weights": [1]}, r"weights has shape \(1,\)"),
        ({"minimize": "least"}, "minimize is 'least'"),
        ({"method": "cells"}, "method is 'cells'"),
        ({"ones": 4}, "ones is 4; expected an integer from 0 to the number of entries, 3"),
        ({"ones": (2, 1)}, r"ones is \(2, 1\); expected the smaller number first"),
        ({"ones": (0, 1, 2)}, "expected an integer or a pair"),
        ({"ones": 2, "equations": ([[1, 1, 1]], [0])}, "no vector x meets ones"),
        ({"equations": [1, 2, 3]}, r"expected a pair \(E, f\)"),
        ({"within": ([[1, 0]], [1])}, r"expected \(q, 3\)"),
        ({"weights": [1, -1], "method": "sweep"}, "needs a convex form"),
        ({"ones": 1, "method": "sweep"}, "but there are conditions"),
    ],
)
def test_bad_arguments(keywords, message):
    with pytest.raises(InputError, match=message):
        binary_quadratic([[1, 2], [0, 1], [3, 1]], **keywords)


def test_a_proof_stops_in_time():
    """A check in fractions takes longer than the search."""
    numbers = np.random.default_rng(1).integers(1, 10**6, (12, 1))
    program = BinaryProgram(
        tuple((int(x),) for x in numbers[:, 0]), (-1,), (0,), (0,) * 12, (FREE,)
    )
    search = BinarySearch(program, record=True)
    search.run()
    assert proves(program, search.branches, search.best, deadline=0.0) is None
