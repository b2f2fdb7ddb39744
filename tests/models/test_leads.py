"""Leads against exact minimum-norm points, formulas in one and two dimensions, and odd numbers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import hypot, inf
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from arrangements import argmax_labels
from arrangements.errors import InputError
from arrangements.models import SoftmaxClassifier, leads

Row = list[Fraction]


def solve(rows: list[Row], right: Row) -> Row | None:
    """The one solution of a square system, or None."""

    def rational(x: Fraction) -> fmpq:
        return fmpq(x.numerator, x.denominator)

    n = len(rows)
    matrix = fmpq_mat(n, n, [rational(x) for row in rows for x in row])
    try:
        found = matrix.solve(fmpq_mat(n, 1, list(map(rational, right))))
    except ZeroDivisionError:
        return None
    return [Fraction(int(x.p), int(x.q)) for x in found.entries()]


def least_square(points: list[Row]) -> Fraction:
    """The square of the distance of the origin from a convex hull, by all corrals."""
    best = None
    for size in range(1, len(points[0]) + 2):
        for chosen in combinations(points, size):
            # weights y: all points have the same product with y P, and the sum is 1
            rows = [
                [sum(a * b for a, b in zip(p, q, strict=True)) for q in chosen] + [Fraction(-1)]
                for p in chosen
            ]
            rows.append([Fraction(1)] * size + [Fraction(0)])
            found = solve(rows, [Fraction(0)] * size + [Fraction(1)])
            if found is None or min(found[:-1]) < 0:
                continue
            mean = [
                sum(y * p[k] for y, p in zip(found, chosen, strict=False))
                for k in range(len(points[0]))
            ]
            square = sum(x * x for x in mean)
            best = square if best is None else min(best, square)
    assert best is not None
    return best


def differences(W: Any, i: int) -> list[Row]:
    rows = [[Fraction(x) for x in row] for row in np.asarray(W).tolist()]
    return [
        [a - b for a, b in zip(rows[i], row, strict=True)] for j, row in enumerate(rows) if j != i
    ]


def check_central(W: Any, tolerance: float = 0.01, floor: float = 0.0) -> None:
    found = leads(W, tolerance=tolerance)
    for i, (low, high) in enumerate(found.tolist()):
        square = least_square(differences(W, i))
        assert 0 <= low and Fraction(low) ** 2 <= square <= Fraction(high) ** 2
        assert high - low <= max(tolerance * high, floor)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_exact_distances_from_hulls(d: int) -> None:
    rng = np.random.default_rng(d)
    for _ in range(6):
        W = rng.standard_normal((6, d))
        check_central(W, floor=1e-13 * np.abs(W).max())
        W = rng.integers(-2, 3, (6, d))
        check_central(W, 1e-6, floor=1e-13)


def lead_on_line(P: list[Fraction], c: list[Fraction], r: Fraction) -> Fraction:
    """The largest least value of ``p x + c`` for x from -r to r, exactly."""
    points = [r, -r]
    for (p, a), (q, b) in combinations(list(zip(P, c, strict=True)), 2):
        if p != q:
            points.append((b - a) / (p - q))
    return max(min(p * x + a for p, a in zip(P, c, strict=True)) for x in points if abs(x) <= r)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("radius", [0.125, 1.0, 64.0])
def test_biases_in_one_dimension(radius: float) -> None:
    rng = np.random.default_rng(7)
    for k in range(8):
        W, b = rng.standard_normal((7, 1)), rng.standard_normal(7)
        if k % 2:
            W, b = rng.integers(-3, 4, (7, 1)), rng.integers(-3, 4, 7)
        found = leads(W, b, radius=radius)
        for i, (low, high) in enumerate(found.tolist()):
            P = [row[0] for row in differences(W, i)]
            c = [row[0] for row in differences(b[:, None], i)]
            right = lead_on_line(P, c, Fraction(radius))
            assert Fraction(low) <= right <= Fraction(high)
            assert high - low <= max(0.01 * max(abs(low), abs(high)), 1e-12 * radius)


def lead_in_plane(P: np.ndarray, c: np.ndarray, r: float) -> float:
    """The same in the plane: vertices, ties on the circle, and the best points of one function."""
    points = [r * p / hypot(*p) for p in P if hypot(*p)]
    for k, m in combinations(range(len(P)), 2):
        normal, shift = P[k] - P[m], c[m] - c[k]
        square = normal @ normal
        if square and (rest := r * r - shift * shift / square) >= 0:
            foot, along = normal * shift / square, np.array([-normal[1], normal[0]])
            points += [foot + s * along * (rest / square) ** 0.5 for s in (1, -1)]
    for some in combinations(range(len(P)), 3):
        system = np.column_stack([P[list(some)], -np.ones(3)])
        if abs(np.linalg.det(system)) > 1e-9:
            points.append(np.linalg.solve(system, -c[list(some)])[:2])
    return max((P @ x + c).min() for x in points if hypot(*x) <= r * (1 + 1e-12))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("radius", [0.05, 1.0, 40.0])
def test_biases_in_the_plane(radius: float) -> None:
    rng = np.random.default_rng(3)
    for _ in range(12):
        W, b = rng.standard_normal((8, 2)), rng.standard_normal(8)
        found = leads(W, b, radius=radius, tolerance=1e-3)
        for i, (low, high) in enumerate(found.tolist()):
            others = np.delete(np.arange(8), i)
            right = lead_in_plane(W[i] - W[others], b[i] - b[others], radius)
            assert low <= right + 1e-9 and right <= high + 1e-9
            assert high - low <= 1e-3 * max(abs(low), abs(high)) + 1e-12


def test_the_lead_of_a_bias() -> None:
    """Its distance from the largest other one, and as far as an input leads."""
    ((low, high),) = leads([[1, 0], [0, 1], [0, 0]], [0, 0, 5], candidates=[2], radius=3)
    assert low <= 5 + 3 * 0.5**0.5 <= high and high - low < 0.06


@pytest.mark.parametrize("exponent", [-1060, -900, 0, 900, 1015])
def test_scales(exponent: int) -> None:
    W = np.array([[3.0, 0], [0, 4], [0, 0], [1, 1]])
    for low, high in leads(np.ldexp(W, exponent))[:3].tolist():
        assert 0 <= low <= high < inf
    right = [Fraction(5), Fraction(10), Fraction(2)]
    for (low, high), square in zip(leads(np.ldexp(W, exponent)).tolist(), right, strict=False):
        square *= Fraction(4) ** exponent
        assert Fraction(low) ** 2 <= square <= Fraction(high) ** 2
        if exponent > -1060:
            assert high <= 1.01 * low
    b = np.ldexp(np.array([0.0, 0, 0, 3]), exponent)
    found = leads(np.ldexp(W, exponent), b, radius=10)
    plain = leads(W, [0, 0, 0, 3], radius=10)
    if exponent > -1060:
        assert np.allclose(np.ldexp(found, -exponent), plain, rtol=1e-6, atol=0)
    low, high = leads(W, [0.0, 1, 2, 3], radius=2.0**exponent if exponent > -1060 else 1.0)[0]
    assert low <= high


def test_rows_far_apart_in_size() -> None:
    W = [[2.0**900, 0], [2.0**-900, 0], [0, 1], [0, 0]]
    found = leads(W)
    assert (found[:, 0] <= [2.0**900, 0, 1, 0]).all() and found[0, 0] > 0.99 * 2.0**900
    # beside a row far away the others are lost, and the intervals say so
    assert (found[:, 1] >= [2.0**900 - 2.0**890, 0, 1, 0]).all()


@pytest.mark.parametrize("gap", [2.0**-10, 2.0**-30, 2.0**-40])
def test_near_ties(gap: float) -> None:
    """A row that is beyond the middle of two others by very little."""
    W = [[1.0, 1], [-1, 1], [0, 1 + gap], [0, -1]]
    low, high = leads(W)[2].tolist()
    assert Fraction(low) <= Fraction(gap) <= Fraction(high) and high <= 1.01 * low
    low, high = leads([[1.0, 1], [-1, 1], [0, 1 - gap], [0, -1]])[2].tolist()
    assert low == 0 and high < 1e-13


def test_large_integers_fractions_and_roots() -> None:
    big = 2**62
    W = [[big + 1, 0], [big, 0], [big, 1], [big, -1]]
    for (low, high), right in zip(leads(W).tolist(), (1.0, 0.0, 1.0, 1.0), strict=True):
        assert low <= right * (1 + 1e-12) and right <= high * (1 + 1e-12) and high - low < 0.01
    third = Fraction(1, 3)
    ((low, high),) = leads([[third, 0], [0, 0], [0, third]], candidates=[1])
    assert Fraction(low) ** 2 <= Fraction(1, 18) <= Fraction(high) ** 2
    huge = 10**400
    low, high = leads([[huge, 0], [0, 0], [0, 1]])[0].tolist()
    assert 1e308 < low < high == inf
    low, high = leads([[huge, 1], [huge, 0]])[0].tolist()
    assert low <= 1 and high >= 1
    sympy = pytest.importorskip("sympy")
    low, high = leads([[sympy.sqrt(2), 0], [0, 0]])[0].tolist()
    assert low**2 <= 2 * (1 + 1e-15) and high**2 >= 2 * (1 - 1e-15) and high <= 1.01 * low


def test_few_labels_and_equal_ones() -> None:
    assert leads([[3, 4]]).tolist() == [[inf, inf]]
    low, high = leads([[3, 4], [0, 0]])[0]
    assert low <= 5 <= high
    found = leads([[1, 2], [1, 2], [0, 0], [0, 0.0]])
    assert found.tolist() == [[0, 0]] * 4
    assert leads([[0, 0], [0, 0]], [1, 1]).tolist() == [[0, 0]] * 2
    found = leads([[0, 0], [0, 0]], [1, 3], radius=2)
    assert np.allclose(found, [[-2, -2], [2, 2]], atol=1e-12)
    assert found[0, 0] <= -2 <= found[0, 1] and found[1, 0] <= 2 <= found[1, 1]


def test_equal_biases_change_nothing_and_the_radius_scales() -> None:
    W = np.random.default_rng(0).standard_normal((9, 3))
    assert leads(W, np.full(9, 2.5)).tolist() == leads(W).tolist()
    assert np.allclose(leads(W, radius=3), 3 * leads(W), rtol=1e-9, atol=1e-13)


def test_labels_that_can_win_lead() -> None:
    rng = np.random.default_rng(1)
    W = rng.standard_normal((300, 6))
    found = leads(W)
    assert np.flatnonzero(found[:, 0] > 0).tolist() == argmax_labels(W).tolist()
    assert (found[found[:, 0] == 0, 1] < 1e-12).all()
    some = leads(W, candidates=[5, 3, 8])
    assert np.allclose(some, found[[3, 5, 8]], rtol=0.02)


@pytest.mark.slow
def test_many_labels_in_many_dimensions() -> None:
    """Several rounds, in float32 and float64; means and points agree within the tolerance."""
    rng = np.random.default_rng(2)
    W = rng.standard_normal((200, 20)) * rng.uniform(0.5, 1.5, (200, 1))
    found = leads(W, tolerance=1e-4)
    assert (found[:, 1] - found[:, 0] <= np.maximum(1e-4 * found[:, 1], 1e-12)).all()
    b = rng.standard_normal(100)
    both = leads(W[:100], b, radius=5.0)
    width = both[:, 1] - both[:, 0]
    assert (width <= 0.01 * np.abs(both).max(axis=1)).all()
    assert np.array_equal(both, leads(W[:100], b, radius=5.0, workers=2))


def test_time_is_up() -> None:
    W = np.random.default_rng(0).standard_normal((50, 5))
    found = leads(W, time_limit=0)
    assert (found[:, 0] == 0).all() and (found[:, 1] == inf).all()


def test_names_and_models() -> None:
    model = SoftmaxClassifier([[3, 0], [0, 4], [0, 0]], labels=["a", "b", "c"])
    assert leads(model, candidates=["c"]).tolist() == leads(model)[2:].tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"offsets": [0, 1]}, "the biases differ, so leads depend on the length of inputs"),
        ({"radius": 0}, "radius is 0; expected a positive number"),
        ({"radius": "far"}, "radius is 'far'"),
        ({"radius": inf}, "radius is inf"),
        ({"tolerance": -1}, "tolerance is -1"),
        ({"candidates": [2]}, "there is no label 2"),
        ({"time_limit": -1}, "time_limit is -1"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        leads([[0, 1], [1, 0]], **arguments)
