"""Points of a line that are all different, against a comparison of all intervals."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from arrangements.kernels.rankings import counts
from arrangements.kernels.rankings.workspace import Cells
from kernels import compiled
from kernels.rankings.exact_pairs import pairs_of

place_points, points_distinct = compiled(counts.place_points), compiled(counts.points_distinct)


def line(n, seed, error=1e-15):
    rng = np.random.default_rng(seed)
    table, bound = np.zeros((1, 2, n)), np.full((1, 2, 2), error)
    table[0] = rng.uniform(-1, 1, (2, n))
    return table, bound


def cells(n, number=2**12):
    pairs = n * (n - 1) // 2
    arrays = np.zeros((2, pairs)), np.zeros(2 * pairs, np.int64), np.zeros(number, np.int64)
    return Cells(*arrays)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_intervals_of_points(turn):
    table, bound = line(12, 0)
    table[0, 0, 7] = table[0, 0, 3]  # these two never cross
    points = np.zeros((2, 66))
    for c in range(12):
        place_points(table, bound, 0, turn, c, points)
    for k, (a, c) in enumerate(pairs_of(12)):
        slope = Fraction(table[0, 0, a]) - Fraction(table[0, 0, c])
        constant = (Fraction(table[0, 1, a]) - Fraction(table[0, 1, c])) * int(turn)
        if (a, c) == (3, 7):
            assert points[:, k].tolist() == [-2.0, 2.0]
            continue
        s = constant / (abs(slope) + abs(constant)) * (1 if slope > 0 else -1)
        assert Fraction(points[0, k]) <= s <= Fraction(points[1, k])
        assert points[1, k] - points[0, k] < 1e-12


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(12))
def test_intervals_are_compared_with_all_others(seed):
    """With errors of all sizes; cells keep what earlier lines have left there."""
    space, answers = cells(20), set()
    for stamp in range(1, 9):
        error = 10.0 ** -(stamp + 3)
        table, bound = line(20, [seed, stamp], error)
        found = points_distinct(table, bound, space, 0, 1.0, 1, 20, stamp)
        if found:
            low, high = space.points
            pairs = combinations(range(len(low)), 2)
            assert not any(low[p] <= high[q] and low[q] <= high[p] for p, q in pairs)
        answers.add(found)
    assert answers == {True, False}


def test_equal_points_are_found_in_any_two_places():
    for x, y in [((0, 1), (2, 3)), ((0, 5), (1, 6)), ((3, 9), (8, 9))]:
        table, bound = line(10, 4)
        assert points_distinct(table, bound, cells(10), 0, 1.0, 1, 10, 1)
        # both cross at t = 1/2: slope t + constant is the same for two labels
        for a, c in (x, y):
            table[0, 1, a] = table[0, 1, c] + 0.5 * (table[0, 0, c] - table[0, 0, a])
        assert not points_distinct(table, bound, cells(10), 0, 1.0, 1, 10, 1)
        # the lower label of the larger c is left out: only pairs from `first` on count
        assert points_distinct(table, bound, cells(10), 0, 1.0, max(x[1], y[1]) + 1, 10, 1)
