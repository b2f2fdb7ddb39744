"""Sorting in registers against `sorted`."""

import numpy as np
import pytest
from llvmlite import ir
from numba import njit, types

from arrangements.kernels.llvm import builder as b
from arrangements.kernels.llvm.sorting_networks import WIDTH, right_lanes, sort_registers

MOST = 2**31 - 1


def sorting(registers):
    """Sort an array that fills the registers, words from `count` on of which are the largest."""

    @b.instruction(lambda words, count: types.void(words, types.int64))
    def part(builder, words, count):
        kind = ir.VectorType(b.I32, WIDTH)
        places = [
            b.vector_at(builder, words.data, b.number(WIDTH * r), kind) for r in range(registers)
        ]
        loaded = [builder.load(place, align=4) for place in places]
        ordered = sort_registers(builder, loaded, count, right_lanes(builder))
        for value, place in zip(ordered, places, strict=True):
            builder.store(value, place, align=4)

    return njit(lambda words, count: part(words, count))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("registers", [1, 2, 3, 4])
def test_words_are_sorted(registers):
    sort, rng = sorting(registers), np.random.default_rng(registers)
    for count in range(WIDTH * (registers - 1) + 1, WIDTH * registers + 1):
        words = np.full(WIDTH * registers, MOST, np.int32)
        words[:count] = rng.integers(-(2**31), 2**31, count)
        expected = sorted(words.tolist())
        sort(words, count)
        assert words.tolist() == expected
        few = rng.integers(-1, 2, len(words)).astype(np.int32)
        few[count:] = MOST
        expected = sorted(few.tolist())
        sort(few, count)
        assert few.tolist() == expected


def test_all_orders_of_zeros_and_ones_in_a_register():
    """A network of comparators that sorts these sorts everything (Knuth)."""
    sort = sorting(1)

    @njit
    def sort_all(rows):
        for k in range(rows.shape[0]):
            sort(rows[k], WIDTH)

    rows = (np.arange(2**WIDTH)[:, None] >> np.arange(WIDTH) & 1).astype(np.int32)
    ones = rows.sum(axis=1)
    sort_all(rows)
    assert (rows == (np.arange(WIDTH) >= WIDTH - ones[:, None])).all()
