"""The largest feasible part with >=, against all parts."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron
from arrangements.errors import InputError
from arrangements.optimize import max_feasible


def some_system(seed):
    """Rows with ties: parallel, opposite and repeated ones, through common points."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    W = rng.integers(-2, 3, (n, d))
    W[~W.any(axis=1), 0] = 1
    offsets = [rng.integers(-2, 3, n), rng.integers(-3, 2, n) / 4, None][seed % 3]
    within = None
    if seed % 4 == 1:
        within = Polyhedron.box(1, 2, dimension=d)
    if seed % 4 == 2:
        within = Polyhedron([[-1] * d], [-1], equations=([[1] * d], [1]))
    return rng, W, offsets, within


def most(W, offsets, weights, within):
    """The largest weight of rows that hold at once."""
    n, d = W.shape
    b = np.zeros(n, int) if offsets is None else offsets
    everywhere = within if within is not None else Polyhedron(np.zeros((0, d), int), [])
    best = None
    for size in range(n + 1):
        for part in combinations(range(n), size):
            rows = list(part)
            if not (everywhere & Polyhedron(-W[rows].reshape(-1, d), b[rows])).is_empty:
                value = sum((Fraction(weights[i]) for i in part), Fraction(0))
                best = value if best is None else max(best, value)
    return best


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(240))
def test_no_part_is_larger(seed):
    rng, W, offsets, within = some_system(seed)
    n = len(W)
    weights = [1] * n if seed % 2 else rng.integers(0, 4, n).tolist()
    found = max_feasible(W, offsets, strict=False, weights=weights, within=within)
    assert found.value == found.bound == most(W, offsets, weights, within)
    b = [0] * n if offsets is None else offsets.tolist()
    values = [
        sum((int(w) * x for w, x in zip(row, found.point, strict=True)), Fraction(c))
        for row, c in zip(W, b, strict=True)
    ]
    assert found.signs.tolist() == [(v > 0) - (v < 0) for v in values]
    assert within is None or within.contains(np.array(found.point, object))
    assert found.verify() and found.verify(optimal=True)
    if all(weights):
        conflicts = found.conflicts()
        assert not conflicts.feasible.any() and conflicts.verify()


def test_the_origin_is_best():
    best = max_feasible([[1, 0], [-1, 0], [0, 1], [0, -1]], strict=False)
    assert (best.value, best.point, best.left_out.tolist()) == (4, (0, 0), [])


def test_a_polyhedron_holds_with_equality():
    # x <= 1 and x >= 1 meet in one point of the box
    best = max_feasible([[1], [-1]], [-1, 0.5], strict=False, within=([[1], [-1]], [1, 0]))
    assert best.value == 1 and best.verify()
    best = max_feasible([[1], [-1]], [-1, 1], strict=False, within=([[1], [-1]], [1, 0]))
    assert (best.value, best.point) == (2, (1,))


def test_large_numbers():
    """Three lines through a point that no float has; a fourth misses it by one part in 2**80."""
    p = Fraction(1, 3)
    W = np.array([[1, 1], [-1, 1], [1, -2], [-1, 0]], object)
    offsets = np.array([-2 * p, 0, p, p - Fraction(1, 2**80)], object)
    best = max_feasible(W, offsets, strict=False)
    assert best.value == 3 and best.verify(optimal=True)
    offsets[3] = p
    assert max_feasible(W, offsets, strict=False).value == 4


def test_labels_name_weights():
    A = Arrangement([[1], [-1]], [0, -1], labels=["up", "down"])
    assert max_feasible(A, strict=False, weights=[1, 5]).left_out.tolist() == [0]


def test_no_rows():
    found = max_feasible(np.zeros((0, 2)), strict=False)
    assert found.value == 0 and found.verify(optimal=True)
    inside = max_feasible(np.zeros((0, 2)), strict=False, within=Polyhedron.box(1, 1, dimension=2))
    assert inside.point == (1, 1) and inside.verify()


@pytest.mark.slow
def test_a_polyhedron_that_is_widened_by_next_to_nothing():
    """Rows of 1e300 make the widening so small that points inside have huge denominators."""
    W, b = [[1e300, 1], [1, -1e300], [-1e300, 1e-300]], [0, 1e-300, 1]
    P = Polyhedron([[1e300, 1e-300], [-1e300, -1e-300]], [1e-300, -1e-300])
    for method in ("bounds", "sweep"):
        found = max_feasible(W, b, strict=False, within=P, method=method)
        assert found.value == found.bound == most(np.array(W), np.array(b), [1] * 3, P)
        assert found.verify()


def test_bad_arguments():
    with pytest.raises(InputError, match=r"weights\[1\] is -2; expected 0 or more"):
        max_feasible([[1], [-1]], strict=False, weights=[1, -2])
    with pytest.raises(InputError, match="expected one that has a point"):
        max_feasible([[1]], strict=False, within=([[1], [-1]], [0, -1]))
