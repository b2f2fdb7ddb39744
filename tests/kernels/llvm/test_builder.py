"""What intrinsics are built from, against NumPy."""

from typing import NamedTuple

import numpy as np
import pytest
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from arrangements.kernels.llvm import builder as b


def built(emit):
    """A function of several values that has the code of ``emit(context, builder, kinds, values)``;
    it returns the 64 bits of the answer.
    """

    @intrinsic
    def part(typingctx, arguments):
        def codegen(context, builder, signature, args):
            values = [builder.extract_value(args[0], k) for k in range(len(arguments))]
            return emit(context, builder, list(arguments), values)

        return types.int64(arguments), codegen

    return njit(lambda *arguments: part(arguments))


def pointer(context, builder, kinds, values, k=0):
    return b.array_of(context, builder, kinds[k], values[k]).data


def test_lanes_from_numbers():
    kind = ir.VectorType(b.I32, 8)

    def emit(context, builder, kinds, values):
        place = pointer(context, builder, kinds, values)
        value = builder.trunc(values[1], b.I32)
        first = builder.add(b.broadcast(builder, value, 8), b.counted(kind))
        both = b.joined(builder, first, b.filled(kind, -5))
        builder.store(both, b.vector_at(builder, place, b.number(2), both.type), align=4)
        return b.number(7)

    out = np.zeros(20, np.int32)
    assert built(emit)(out, 30) == 7
    assert out.tolist() == [0, 0, *range(30, 38), *[-5] * 8, 0, 0]


@pytest.mark.parametrize(("dtype", "kind"), [(np.float32, b.FLOAT), (np.float64, b.DOUBLE)])
def test_absolute_values_and_sums(dtype, kind):
    def emit(context, builder, kinds, values):
        place = pointer(context, builder, kinds, values)
        there = b.vector_at(builder, place, b.number(0), ir.VectorType(kind, 8))
        builder.store(b.absolute(builder, builder.load(there, align=4)), there, align=4)
        words = b.filled(ir.VectorType(b.I64, 8), 3)
        words = builder.add(words, b.counted(words.type))
        return b.call(builder, "llvm.vector.reduce.add", words, b.I64)

    numbers = np.array([-1.5, 0.0, -0.0, 2.25, -np.inf, 1e30, -1e-30, 7.0], dtype)
    expected = np.abs(numbers)
    assert built(emit)(numbers) == sum(range(3, 11))
    assert (numbers == expected).all() and not np.signbit(numbers).any()


@pytest.mark.parametrize("count", [8, 16, 64])
def test_sets_of_lanes(count):
    def emit(context, builder, kinds, values):
        place = pointer(context, builder, kinds, values)
        lanes = b.lanes_of(builder, values[1], count)
        octets = b.counted(ir.VectorType(b.I8, count))
        there = b.vector_at(builder, place, b.number(3), octets.type)
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
    def emit(context, builder, kinds, values):
        (place,) = b.data_of(context, builder, types.int64(*kinds), values, 1)
        start, stop = values[1:]
        total = b.variable(builder, b.number(0))
        with b.steps(builder, start, stop, 3) as (i, _):
            builder.store(builder.add(builder.load(total), b.entry(builder, place, i)), total)
        return builder.load(total)

    function, numbers = built(emit), np.arange(100) ** 2
    for start, stop in [(0, 100), (1, 98), (5, 6), (7, 7), (9, 3)]:
        assert function(numbers, start, stop) == numbers[start:stop:3].sum()


def test_addresses_in_arrays_of_three_axes():
    def emit(context, builder, kinds, values):
        return builder.load(b.address_of(context, builder, kinds[0], values[0], values[1:], b.I64))

    table, function = np.arange(2 * 3 * 5).reshape(2, 3, 5), built(emit)
    assert all(function(table, *index) == value for index, value in np.ndenumerate(table))


class Mixed(NamedTuple):
    table: np.ndarray
    small: int
    other: np.ndarray
    large: int


def test_named_tuples_of_arrays_and_integers():
    def emit(context, builder, kinds, values):
        mixed = b.unpacked(context, builder, kinds[0], values[0])
        assert isinstance(mixed, Mixed)
        first = b.entry(builder, mixed.table.data, mixed.small)
        second = builder.zext(b.entry(builder, mixed.other.data, mixed.large), b.I64)
        width = builder.extract_value(mixed.table.shape, 0)
        return builder.add(builder.mul(first, width), second)

    mixed = Mixed(np.array([5, 6, 7]), np.int32(2), np.array([1, 2, 3, 250], np.uint8), np.uint8(3))
    assert built(emit)(mixed) == 7 * 3 + 250
