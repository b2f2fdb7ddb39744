"""Factors of pairs against their plain twin, and against fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from arrangements.kernels.llvm import label_lines
from arrangements.kernels.llvm.label_lines import (
    LOW_BITS,
    MOST_MARGIN,
    NEGATIVE_BIT,
    REACH,
    STRIDE,
    LabelLine,
)
from kernels import compiled, twins

aim = compiled(label_lines.aim)


def label_line(columns, error):
    rows, pad = columns.shape
    return LabelLine(
        columns=columns.astype(np.float32),
        errors=np.full(rows, error, np.float32),
        factor=np.zeros((2, STRIDE), np.float32),
        code_and_margin=np.full((2, STRIDE), 7, np.int32),
        inner=np.zeros((8, pad), np.int32),
    )


def lines():
    rng = np.random.default_rng(0)
    for merges, pad, last in [(0, 16, 16), (1, 16, 9), (3, 32, 32), (6, 64, 64), (2, 64, 40)]:
        columns = rng.uniform(-0.5, 0.5, (2 + merges, pad))
        for error in (1e-7, 1e-3, 0.3):
            yield label_line(columns, error), merges, last
        columns[:, 3] = columns[:, 7]
        columns[0, 5] = columns[0, 2]
        yield label_line(columns, 1e-6), merges, last


@pytest.mark.sampled(10)
@pytest.mark.parametrize("case", range(20))
def test_the_plain_twin(case):
    line, merges, last = list(lines())[case]
    plain = LabelLine(*(array.copy() for array in line))
    aim(line, merges, last)
    twins.aim(plain, merges, last)
    used = last * (last - 1) // 2
    assert (line.code_and_margin[0, :used] == plain.code_and_margin[0, :used]).all()
    # the compiler may leave out roundings where no sign depends on them
    proved = plain.code_and_margin[0, :used] >= 0
    factors, plainly = line.factor[:, :used][:, proved], plain.factor[:, :used][:, proved]
    assert np.allclose(factors, plainly, rtol=1e-6, atol=0)
    difference = line.code_and_margin[1, :used] - plain.code_and_margin[1, :used]
    assert (np.abs(difference[proved]) <= 1 << LOW_BITS).all()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", range(20))
def test_what_is_proved_is_true(case):
    """For all columns within the errors, the signs of slopes and multipliers are those of codes."""
    line, merges, last = list(lines())[case]
    aim(line, merges, last)
    exact = [[Fraction(float(x)) for x in row] for row in line.columns]
    error = Fraction(float(line.errors[0]))
    for number, (a, c) in enumerate(sorted(combinations(range(last), 2), key=lambda p: p[::-1])):
        code = int(line.code_and_margin[0, number])
        if code < 0:
            continue
        found = [row[a] - row[c] for row in exact]
        signed = [found[0], *found[2:]]
        assert all(abs(x) > error * Fraction(999, 1000) for x in signed)
        negative = found[0] < 0
        bits = sum(1 << q for q, x in enumerate(found[2:]) if (x < 0) != negative)
        assert code == (NEGATIVE_BIT if negative else 0) + bits and bits < 1 << max(merges, 1)
        # the scores at the point: constant * factor[0] - slope * factor[1] are those of a and c
        by, less = (Fraction(float(x)) for x in line.factor[:, number])
        assert abs(found[1] * by - found[0] * less) < 1 and max(abs(by), abs(less)) <= 2 * REACH
        margin = (int(line.code_and_margin[1, number]) + 1 >> LOW_BITS) - 1
        assert 1 <= margin <= MOST_MARGIN + 1


def test_pairs_without_a_finite_scale_have_a_margin_that_says_nothing():
    columns = np.zeros((2, 16))
    columns[:, 2] = 0.25
    line = label_line(columns, 1e-6)
    aim(line, 0, 3)
    # labels 0 and 1 are equal, so their scale is infinite
    code_and_margin = line.code_and_margin
    assert code_and_margin[0, 0] == -1 and (code_and_margin[0, 1:3] >= 0).all()
    assert code_and_margin[1, 0] == 2047  # margin 1
    assert (code_and_margin[1, 1:3] >= 2047).all()
