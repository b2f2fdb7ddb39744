"""Rankings in registers, sorted and counted, against their plain twin and against NumPy."""

from functools import cache

import numpy as np
import pytest
from numba import njit

from arrangements.kernels.llvm import places
from arrangements.kernels.llvm.label_lines import (
    GROUP,
    MOST_MARGIN,
    REACH,
    STRIDE,
    LabelLine,
)
from arrangements.kernels.llvm.places import Blocks, Pairs
from arrangements.kernels.statistics.sorting import has_vectors
from kernels import twins


@cache
def finder(registers, fine=False):
    """`find_rankings` of labels that so many registers hold."""
    return njit(
        lambda line, blocks, pairs, out, count: places.find_rankings(
            line, blocks, pairs, out, count, registers, fine
        )
    )


@cache
def counting(registers, fine=False):
    """The same as on a processor without registers of masks, compiled by a first call."""
    by = finder.__wrapped__(registers, fine)
    rows, pad = 16 * registers, places._PADS[registers]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "has_masks", lambda context: False)
        ranked(np.zeros((2, pad), np.float32), np.zeros((1, rows), np.uint8), by=by)
    return by


def find_rankings(line, blocks, pairs, out, count):
    return finder(-(-blocks.rows // 16))(line, blocks, pairs, out, count)


def one_point(columns, margin=3):
    """A line with one point, at which scores are its second row minus its first, times REACH."""
    pad = columns.shape[1]
    code_and_margin = np.zeros((2, STRIDE), np.int32)
    code_and_margin[1, 0] = (margin + 1 << 10) - 1
    inner = np.zeros((8, pad), np.int32)
    inner[0] = np.arange(pad)
    factor = np.full((2, STRIDE), np.float32(REACH))
    return LabelLine(columns, np.zeros(2, np.float32), factor, code_and_margin, inner)


def single_labels(rows, pad):
    """The blocks of labels that are one each; none is that of a pair."""
    block, size = np.full((1, pad), 99, np.int16), np.ones((1, pad), np.int16)
    return Blocks(block, size, depth=0, groups=0, gaps=rows - 1, rows=rows)


def ranked(columns, out, row=0, margin=3, by=find_rankings):
    rows, pad = out.shape[1], columns.shape[1]
    return by(one_point(columns, margin), single_labels(rows, pad), Pairs(0, 0, 1, 1), out, row)


def random_columns(rng, pad):
    scores = rng.permutation(2**12)[:pad] - 2**11
    return scores, np.stack([-scores, scores]).astype(np.float32) / 2**12


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rows", range(2, 65))
def test_labels_are_sorted_by_their_scores(rows):
    pad = next(width for width in (16, 32, 64) if width >= rows)
    rng = np.random.default_rng(rows)
    out = np.zeros((2, rows), np.uint8)
    for _ in range(30):
        scores, columns = random_columns(rng, pad)
        assert ranked(columns, out) == 1
        assert (out[0] == np.argsort(-scores[:rows])).all()
        # what is behind the last row stays as it is, and there is none behind these rows
        ends = np.full((2, rows), 77, np.uint8)
        assert ranked(columns, ends[1:]) == 1
        assert (ends[0] == 77).all() and (ends[1] == out[0]).all()
        # scores as close as the margin are not told apart, and the ranking is not proved
        i, j = rng.permutation(rows)[:2]
        columns[:, i] = columns[:, j] + np.array([-1, 1]) * 1.2 / REACH
        assert ranked(columns, out) == 0
        assert ranked(columns, out, by=twins.find_rankings) == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("fine", [False, True], ids=["16 bits", "32 bits"])
def test_places_are_counted(fine):
    for rows in [2, 15, 16, 17, 33, 48, 64]:
        pad = next(width for width in (16, 32, 64) if width >= rows)
        rng, by = np.random.default_rng(rows), counting(-(-rows // 16), fine)
        out = np.zeros((2, rows), np.uint8)
        for _ in range(10):
            scores, columns = random_columns(rng, pad)
            assert ranked(columns, out, 1, by=by) == 1
            assert (out[1] == np.argsort(-scores[:rows])).all() and not out[0].any()
            i, j = rng.permutation(rows)[:2]
            columns[:, i] = columns[:, j] + np.array([-1, 1]) * 1.2 / REACH
            assert ranked(columns, out, by=by) == 0


def merged_lines(seed):
    """Lines on which labels have merged, as the sweep has them: equal columns in a block."""
    rng = np.random.default_rng(seed)
    for rows, pad, number in [(9, 16, 1), (16, 16, 3), (30, 32, 4), (48, 64, 2), (60, 64, 7)]:
        block, size = np.full((number + 1, pad), -1, np.int16), np.ones((number + 1, pad), np.int16)
        block[0, :rows] = np.arange(rows)
        shift = np.zeros((number + GROUP, 2, pad), np.int16)
        columns = rng.uniform(-0.5, 0.5, (2 + number, pad)).astype(np.float32)
        for e in range(number):
            a, c = rng.choice(np.unique(block[e, 6:rows]), 2, replace=False)
            a, c = min(a, c), max(a, c)
            upper, lower = (a, c) if rng.integers(2) else (c, a)
            twins.merge(block, size, shift, e, a, c, upper, lower)
        columns[:2, :rows] = columns[:2, block[-1, :rows]]
        groups = -(-number // GROUP)
        line = LabelLine(
            columns,
            np.full(2 + number, 1e-7, np.float32),
            np.zeros((2, STRIDE), np.float32),
            np.zeros((2, STRIDE), np.int32),
            np.zeros((groups << GROUP, pad), np.int32),
        )
        twins.sum_shifts(shift, line.inner, number)
        twins.aim(line, number, 6)
        # two of the blocks cross
        blocks = Blocks(block, size, number, groups, rows - number - 2, rows)
        yield line, blocks, shift


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_rankings_of_blocks(seed):
    """All pairs of six labels, two of which cross at a time, on lines with blocks."""
    for line, blocks, shift in merged_lines(seed):
        ways = find_rankings, counting(-(-blocks.rows // 16))
        plain = np.zeros((20, blocks.rows), np.uint8)
        pairs = Pairs(0, 0, 1, 15)
        proved = twins.find_rankings(line, blocks, pairs, plain, 0)
        assert proved > 0
        check_order(line, blocks, shift, plain[:proved])
        for by in ways:
            out = np.zeros((20, blocks.rows), np.uint8)
            found = by(line, blocks, pairs, out, 2)
            # places are counted with numbers of 16 bits, which prove less
            assert found == proved if by is find_rankings and has_vectors() else found <= proved
            assert (out[2 : 2 + found] == plain[:found]).all() and not out[:2].any()
            assert by(line, blocks, pairs, out, -1) == found  # nowhere


def check_order(line, blocks, shift, found):
    """Blocks in order of their scores at the point, labels of a block as its merges say."""
    a, c = 0, 1
    for k, ranking in enumerate(found.tolist()):
        by, less = line.factor[:, k].astype(float)
        scores = line.columns[1].astype(float) * by - line.columns[0].astype(float) * less
        scores[a] = scores[c]
        values = scores[ranking]
        assert (np.diff(values) <= 2).all()
        block = blocks.block[blocks.depth, ranking]
        code = int(line.code_and_margin[0, k]) & ~(1 << 30)
        inner = sum(shift[q, code >> q & 1].astype(int) for q in range(blocks.depth))
        for label in set(block.tolist()):
            members = [x for x in ranking if blocks.block[blocks.depth, x] == label]
            assert [inner[x] for x in members] == sorted(inner[x] for x in members)
        a, c = (0, c + 1) if a + 1 == c else (a + 1, c)


def test_words_and_margins_do_not_overflow():
    # label 0 has the largest score that there can be, label 15 the least
    columns = np.zeros((2, 16), np.float32)
    columns[0], columns[1] = np.linspace(-0.5, 0.5, 16), np.linspace(0.5, -0.5, 16)
    out = np.zeros((1, 16), np.uint8)
    assert ranked(columns, out, margin=int(MOST_MARGIN)) == 1
    assert out.tolist() == [list(range(16))]


def test_equal_lanes_have_equal_keys_in_every_register():
    """A product and a sum are one instruction for all labels or for none: no compiler chooses."""
    by = finder.__wrapped__(4)
    assert ranked(np.zeros((2, 64), np.float32), np.zeros((1, 64), np.uint8), by=by) == 0
    for code in by.inspect_llvm().values():
        assert "contract" not in code and "<16 x float>" in code
