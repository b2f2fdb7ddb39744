"""Crossings of blocks against fractions, and rows of labels against their plain twins."""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import njit

from arrangements.kernels.llvm import crossings
from arrangements.kernels.llvm.crossings import (
    BLOCK_BITS,
    CHILD,
    CHUNK,
    CODE,
    POINT_BITS,
    PROVED,
    SINGLE,
    WIDTH,
)
from kernels import compiled, twins

cross_all, copy_row = compiled(crossings.cross_all), compiled(crossings.copy_row)
exchange = compiled(crossings.exchange)


class Line(NamedTuple):
    """What `cross_all` knows of a walk."""

    slope: Any
    constant: Any
    mark: Any
    multiplier: Any
    event: Any


def lines(blocks, seed, merges=0):
    """Blocks whose slopes increase, with 8 numbers more, and room for the crossings of one."""
    rng = np.random.default_rng(seed)
    slope, constant = np.full(blocks + 8, 1e100), np.zeros(blocks + 8)
    slope[:blocks] = np.sort(rng.uniform(-1, 1, blocks))
    constant[:blocks] = rng.uniform(-1, 1, blocks)
    mark, multiplier = np.zeros(blocks + 8, np.int64), np.zeros((merges, blocks + 8))
    mark[:blocks] = rng.permutation(1 << BLOCK_BITS)[:blocks] | 1 << PROVED
    mark[:blocks] |= rng.integers(0, 2, blocks) << SINGLE | rng.integers(0, 2, blocks) << CHILD
    multiplier[:, :blocks] = rng.uniform(-1, 1, (merges, blocks))
    return Line(slope, constant, mark, multiplier, np.zeros((2, blocks + 8), np.uint64))


def bounds(*least):
    """Errors of differences, as the second row of a table of two."""
    return np.array([[1.0] * len(least), least])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("blocks, merges", [(2, 0), (3, 1), (9, 2), (40, 0), (40, 1), (40, 6)])
def test_words_of_crossings(blocks, merges):
    slope, constant, mark, multiplier, event = line = lines(blocks, blocks, merges)
    bound, label = bounds(*[0.1] * merges, 1e-16, 2e-16), (1 << BLOCK_BITS) - 1
    flags = 0
    for block in range(blocks - 1):
        number = blocks - block - 1
        given = bound, merges + 2, block, blocks, 1, merges
        assert cross_all(line, *given) == 0
        words = event[0, 1 : 1 + number].tolist()
        twin = np.zeros_like(event)
        twins.cross_all(line._replace(event=twin), *given)
        for other, word, plain in zip(
            range(block + 1, blocks), words, twin[0, 1:].tolist(), strict=False
        ):
            assert word % 2**BLOCK_BITS == mark[other] & label
            assert (word >> BLOCK_BITS) % 2**BLOCK_BITS == mark[block] & label
            differences = [row[other] - row[block] for row in multiplier]
            proved = all(abs(value) > 0.1 for value in differences)
            for q, value in enumerate(differences):
                assert (word >> (CODE + q)) % 2 == (value < 0) or not proved
            assert (word >> PROVED) % 2 == proved
            for flag in (SINGLE, CHILD):
                assert (word >> flag) % 2 == (mark[block] & mark[other]) >> flag & 1
            flags |= word
            a = Fraction(slope[other]) - Fraction(slope[block])
            k = Fraction(constant[other]) - Fraction(constant[block])
            point = -k / (a + abs(k)) * Fraction(crossings.UNITS) + 2**31
            # a unit is more than two widths of a point, and keys are cut
            assert abs((word >> (64 - POINT_BITS)) - point) <= 2
            assert abs((word >> (64 - POINT_BITS)) - (plain >> (64 - POINT_BITS))) <= 1
            assert word % 2 ** (64 - POINT_BITS) == plain % 2 ** (64 - POINT_BITS)
    assert blocks < 40 or all(flags >> flag & 1 for flag in (SINGLE, CHILD, PROVED))
    assert 2 * crossings.UNITS * WIDTH < 1


def test_crossings_that_are_not_proved():
    line = lines(12, 5)
    slope, constant, *_ = line
    slope[4] = slope[3]  # never cross
    slope[8], constant[8] = slope[7] + 1e-13, constant[7] + 1e-13  # nearly everywhere
    found, bound = [], bounds(1e-15, 1e-15)
    for block in range(11):
        given = line, bound, 2, block, 12, 0, 0
        found.append(cross_all(*given))
        assert twins.cross_all(*given) == found[-1]
    assert found == [1 if block in (3, 7) else 0 for block in range(11)]


def test_steps_down():
    steps_down = compiled(crossings.steps_down)
    event = np.random.default_rng(3).integers(0, 2**64, (2, 40), np.uint64, endpoint=False)
    event[0, 7] = event[0, 8]
    for start in range(30):
        assert steps_down(event, start) == twins.steps_down(event, start)
    event[0, 20:29] = np.arange(9)
    assert steps_down(event, 20) == 0
    event[0, 22] = 2**63
    assert steps_down(event, 20) == 4


@pytest.mark.parametrize("width", [1, 2])
def test_exchanges_in_rows(width):
    window = np.zeros(4 * CHUNK, np.uint8)
    window[CHUNK : CHUNK + 2 * width] = 255
    rows = 200 if width == 1 else 300
    rng = np.random.default_rng(width)
    labels = rng.permutation(rows)
    row = np.zeros(2 * rows + CHUNK, np.uint8)
    kind = row.view(np.uint8 if width == 1 else np.uint16)
    kind[:rows] = labels
    plain = row.copy()
    for place in [0, 31, 62, 63, 64, 127, rows - 2, *rng.integers(0, rows - 1, 50).tolist()]:
        difference = int(kind[place]) ^ int(kind[place + 1])
        exchange(row, window, place, difference * (257 if width == 1 else 1), width)
        twins.exchange(plain, window, place, difference, width)
        assert (row == plain).all()


@pytest.mark.parametrize("size", [1, 63, 64, 65, 200])
def test_copies_of_rows(size):
    row = np.random.default_rng(size).integers(0, 256, 4 * CHUNK).astype(np.uint8)
    out, plain = np.zeros((3, 5 * CHUNK), np.uint8), np.zeros((3, 5 * CHUNK), np.uint8)
    copy_row(row, out, 100, size)
    twins.copy_row(row, plain, 100, size)
    assert (out == plain).all() and (out.ravel()[100 : 100 + size] == row[:size]).all()
    assert not out.ravel()[:100].any() and not out.ravel()[100 + size + CHUNK - 1 :].any()


@njit
def exchanged(row, window, places, out, start):
    """Exchange the labels at some places, in a register."""
    labels = crossings.load_labels(row)
    for place in places:
        difference = np.int64(row[place]) ^ np.int64(row[place + 1])
        labels = crossings.exchange_labels(labels, window, place, difference)
    crossings.store_labels(labels, out, start)


def test_exchanges_in_registers():
    rng = np.random.default_rng(2)
    row, window = rng.integers(0, 256, CHUNK).astype(np.uint8), np.zeros(4 * CHUNK, np.uint8)
    window[CHUNK : CHUNK + 2] = 255
    out, places = np.zeros((2, CHUNK), np.uint8), np.array([0, 5, 30, 62])
    exchanged(row, window, places, out, 37)
    labels = twins.load_labels(row)
    for place in places:
        difference = row[place] ^ row[place + 1]
        labels = twins.exchange_labels(labels, window, place, difference)
    plain = np.zeros_like(out)
    twins.store_labels(labels, plain, 37)
    assert (out == plain).all()
    expected = row.tolist()
    for place in places:
        expected[place], expected[place + 1] = expected[place + 1], expected[place]
    assert labels.tolist() == expected
