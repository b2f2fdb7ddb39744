"""What intrinsics are built from, against NumPy."""

from typing import NamedTuple

import numpy as np
import pytest
from llvmlite import ir
from numba import njit, types

from arrangements.kernels.llvm import builder as b


def built(emit):
    """A function of several values that has the code of ``emit(builder, *values)``; it returns the
    64 bits of the answer.
    """

    @b.instruction(lambda arguments: types.int64(arguments))
    def part(builder, arguments):
        return emit(builder, *arguments)

    return njit(lambda *arguments: part(arguments))


def test_lanes_from_numbers():
    kind = ir.VectorType(b.I32, 8)

    def emit(builder, array, word):
        place = array.data
        value = builder.trunc(word, b.I32)
        first = builder.add(b.broadcast(builder, value, 8), b.lane_numbers(kind))
        both = b.join(builder, first, b.fill(kind, -5))
        builder.store(both, b.vector_at(builder, place, b.number(2), both.type), align=4)
        return b.number(7)

    out = np.zeros(20, np.int32)
    assert built(emit)(out, 30) == 7
    assert out.tolist() == [0, 0, *range(30, 38), *[-5] * 8, 0, 0]


@pytest.mark.parametrize(("dtype", "kind"), [(np.float32, b.FLOAT), (np.float64, b.DOUBLE)])
def test_absolute_values_and_sums(dtype, kind):
    def emit(builder, array):
        there = b.vector_at(builder, array.data, b.number(0), ir.VectorType(kind, 8))
        builder.store(b.absolute(builder, builder.load(there, align=4)), there, align=4)
        words = b.fill(ir.VectorType(b.I64, 8), 3)
        words = builder.add(words, b.lane_numbers(words.type))
        return b.call(builder, "llvm.vector.reduce.add", words, b.I64)

    numbers = np.array([-1.5, 0.0, -0.0, 2.25, -np.inf, 1e30, -1e-30, 7.0], dtype)
    expected = np.abs(numbers)
    assert built(emit)(numbers) == sum(range(3, 11))
    assert (numbers == expected).all() and not np.signbit(numbers).any()


@pytest.mark.parametrize("count", [8, 16, 64])
def test_sets_of_lanes(count):
    def emit(builder, array, word):
        lanes = b.lanes_of(builder, word, count)
        octets = b.lane_numbers(ir.VectorType(b.I8, count))
        there = b.vector_at(builder, array.data, b.number(3), octets.type)
        b.store_in(builder, octets, there, lanes, 1)
        return b.bits(builder, lanes)

    function, rng = built(emit), np.random.default_rng(count)
    for word in [0, -1, *rng.integers(-(2**63), 2**63, 20).tolist()]:
        out = np.full(count + 6, 99, np.uint8)
        kept = word % 2**count
        assert function(out, word) % 2**64 == kept
        expected = [k if kept >> k & 1 else 99 for k in range(count)]
        assert out.tolist() == [99] * 3 + expected + [99] * 3


def test_loops_and_entries():
    def emit(builder, array, start, stop):
        total = b.variable(builder, b.number(0))
        with b.steps(builder, start, stop, 3) as (i, _):
            builder.store(builder.add(builder.load(total), b.entry(builder, array.data, i)), total)
        return builder.load(total)

    function, numbers = built(emit), np.arange(100) ** 2
    for start, stop in [(0, 100), (1, 98), (5, 6), (7, 7), (9, 3)]:
        assert function(numbers, start, stop) == numbers[start:stop:3].sum()


def test_addresses_in_arrays_of_three_axes():
    def emit(builder, array, *indices):
        return builder.load(b.address_of(builder, array, indices, b.I64))

    table, function = np.arange(2 * 3 * 5).reshape(2, 3, 5), built(emit)
    assert all(function(table, *index) == value for index, value in np.ndenumerate(table))


class Mixed(NamedTuple):
    table: np.ndarray
    small: int
    other: np.ndarray
    large: int


def test_named_tuples_of_arrays_and_integers():
    def emit(builder, mixed):
        assert isinstance(mixed, Mixed)
        first = b.entry(builder, mixed.table.data, mixed.small)
        second = builder.zext(b.entry(builder, mixed.other.data, mixed.large), b.I64)
        width = builder.extract_value(mixed.table.shape, 0)
        return builder.add(builder.mul(first, width), second)

    mixed = Mixed(np.array([5, 6, 7]), np.int32(2), np.array([1, 2, 3, 250], np.uint8), np.uint8(3))
    assert built(emit)(mixed) == 7 * 3 + 250
