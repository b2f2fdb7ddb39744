"""Pairs of labels in fractions: their columns on a line, and the scores of labels at its points."""

from fractions import Fraction
from itertools import combinations

import numpy as np

from arrangements.kernels.chambers.workspace import NEEDS_EXACT, NEEDS_SETTLE, NEEDS_SIGNS
from arrangements.search import ranking_sweep
from arrangements.search.label_flag import LabelFlag
from kernels.chambers.exact_tableau import flag_columns, sign


def pairs_of(n):
    """All pairs (a, c), a < c, in the order of their numbers."""
    return sorted(combinations(range(n), 2), key=lambda pair: pair[::-1])


def label_flag(W, b, seed=0):
    return LabelFlag(np.column_stack([np.array(W, float), np.array(b, float)]), False, seed)


def label_columns(flag):
    """Exact coordinates of the labels of an affine flag, (d, n)."""
    assert all(
        Fraction(x) == Fraction(v) * Fraction(2) ** int(s)
        for row, values in zip(flag.scaled.tolist(), flag._integers, strict=True)
        for x, v, s in zip(row, values, flag.column_shift, strict=True)
    ), "numbers that are no floats"
    return flag_columns(flag)


def of_pairs(columns):
    """Columns of all pairs from those of labels."""
    return [[column[a] - column[c] for a, c in pairs_of(len(column))] for column in columns]


def exact_sweep(flag):
    """A sweep that has residues, and what settles ties, from the beginning."""
    sweep = ranking_sweep.RankingSweep(flag)
    for status in (NEEDS_SETTLE, NEEDS_EXACT, NEEDS_SIGNS):
        sweep._provide(status)
    return sweep


class Line:
    """The line of a node of depth e, from the exact columns of all pairs of labels."""

    def __init__(self, columns, e, n):
        self.slopes, self.constants, self.last = columns[e], columns[e + 1], columns[-1]
        self.turn = -1 if e < len(columns) - 2 else 1
        self.numbers = {pair: k for k, pair in enumerate(pairs_of(n))}

    def pair(self, x, y):
        """(slope, constant, last column) of the difference of two labels."""
        k, s = (self.numbers[x, y], 1) if x < y else (self.numbers[y, x], -1)
        return s * self.slopes[k], s * self.turn * self.constants[k], s * self.last[k]

    def compare(self, x, y, a, c):
        """(sign of score_x - score_y just after the point of (a, c), whether it is 0 there)."""
        slope, constant, last = self.pair(a, c)
        rise, gap, rest = self.pair(x, y)
        value = gap - rise * constant / slope
        if value == 0 and self.turn < 0:  # to leading order: the next one decides
            value = rest - rise * last / slope
        return (sign(value), False) if value != 0 else (sign(rise), True)

    def compare_far(self, x, y):
        """Sign of score_x - score_y at the far end of the line."""
        rise, gap, rest = self.pair(x, y)
        return -sign(rise) or sign(gap) or sign(rest)

    def tie(self, a, c):
        """All pairs that cross where (a, c) does, or None if it never crosses."""
        if self.pair(a, c)[0] == 0:
            return None
        crossing = (pair for pair in self.numbers if self.pair(*pair)[0] != 0)
        return [(x, y) for x, y in crossing if self.compare(x, y, a, c)[1]]


def small_labels(seed, n, d, high=2):
    """Different rows and offsets with many coincidences."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-high, high + 1, (9 * n, d + 1))
    rows = rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])][:n]
    assert len(rows) == n and np.linalg.matrix_rank(rows[1:, :d] - rows[0, :d]) == d
    return rows[:, :d].tolist(), rows[:, d].tolist()
