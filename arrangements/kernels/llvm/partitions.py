"""What a sort of many words is made of: part vectors of 8 words, sort what fits into registers.

Words have no sign here, and those of ``kernels.llvm.sorting_networks`` have one: the highest bit is
changed on the way. This needs the compiler: there is no plain Python version.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from arrangements.kernels.llvm.builder import (
    I8,
    I32,
    I64,
    bits,
    broadcast,
    counted,
    data_of,
    filled,
    load_in,
    number,
    store_in,
    variable,
    vector_at,
)
from arrangements.kernels.llvm.sorting_networks import (
    has_masks,
    middle_of_eight,
    right_lanes,
    sorted_eights,
)
from arrangements.kernels.llvm.vectors import WORDS
from arrangements.kernels.numba_internals import cgutils

_LANES = 8
_WORDS, _OCTETS = ir.VectorType(I64, _LANES), ir.VectorType(I8, _LANES)
_HIGHEST = -(2**63)
# For each set of lanes, these lanes and then the others.
_ORDERS = [
    lane for code in range(256) for lane in sorted(range(_LANES), key=lambda i: not code >> i & 1)
]


@intrinsic
def below(typingctx, words, word):
    """The lanes with a smaller word."""

    def codegen(context, builder, signature, args):
        every = broadcast(builder, args[1], _LANES)
        return bits(builder, builder.icmp_unsigned("<", args[0], every))

    return types.uint64(WORDS, types.uint64), codegen


@intrinsic
def parted(typingctx, words, lanes):
    """The words of the lanes first, then the others, in any order.

    One instruction with masks, and slow without.
    """

    def codegen(context, builder, signature, args):
        if not has_masks(context):
            return _parted_slowly(builder, *args)
        kind = ir.ArrayType(I8, len(_ORDERS))
        table = cgutils.global_constant(builder, "orders", ir.Constant(kind, _ORDERS))
        first = builder.mul(args[1], number(_LANES))
        place = builder.gep(table, [ir.Constant(I32, 0), first])
        order = builder.load(builder.bitcast(place, _OCTETS.as_pointer()), align=1)
        kind = ir.FunctionType(_WORDS, [_WORDS, _WORDS])
        name = "llvm.x86.avx512.permvar.di.512"
        permute = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(permute, [args[0], builder.zext(order, _WORDS)])

    return WORDS(WORDS, types.uint64), codegen


def _parted_slowly(builder, words, lanes):
    """One word after the other, from both ends."""
    found, first = variable(builder, filled(_WORDS, 0)), number(0)
    place, last = builder.bitcast(found, I64.as_pointer()), number(_LANES - 1)
    for lane in range(_LANES):
        word = builder.extract_element(words, ir.Constant(I32, lane))
        is_first = builder.and_(builder.lshr(lanes, number(lane)), number(1))
        where = builder.select(builder.icmp_signed("!=", is_first, number(0)), first, last)
        builder.store(word, builder.gep(place, [where]))
        first = builder.add(first, is_first)
        last = builder.sub(last, builder.xor(is_first, number(1)))
    return builder.load(found)


@intrinsic
def middle_of_three(typingctx, first, second, third):
    """The middle one of three words, in each lane."""

    def codegen(context, builder, signature, args):
        first, second, third = args
        less = builder.icmp_unsigned("<", first, second)
        smaller, larger = (
            builder.select(less, first, second),
            builder.select(less, second, first),
        )
        larger = builder.select(builder.icmp_unsigned("<", larger, third), larger, third)
        return builder.select(builder.icmp_unsigned("<", smaller, larger), larger, smaller)

    return WORDS(WORDS, WORDS, WORDS), codegen


@intrinsic
def middle(typingctx, words):
    """The word that has 4 smaller ones beside it."""

    def codegen(context, builder, signature, args):
        words = builder.xor(args[0], filled(_WORDS, _HIGHEST))
        found = middle_of_eight(builder, words, right_lanes(builder, _LANES))
        return builder.xor(found, number(_HIGHEST))

    return types.uint64(WORDS), codegen


def _block_sort(registers):
    @intrinsic
    def sort_block(typingctx, words, first, count):
        def codegen(context, builder, signature, args):
            (data,) = data_of(context, builder, signature, args, 1)
            first, count = args[1:]
            places, loaded = [], []
            for r in range(registers):
                before = number(_LANES * r)
                place = vector_at(builder, data, builder.add(first, before), _WORDS)
                left = broadcast(builder, builder.sub(count, before), _LANES)
                there = builder.icmp_signed("<", counted(_WORDS), left)
                found = load_in(builder, place, there, filled(_WORDS, -1), align=8)
                places.append((place, there))
                loaded.append(builder.xor(found, filled(_WORDS, _HIGHEST)))
            ordered = sorted_eights(builder, loaded, right_lanes(builder, _LANES))
            for found, (place, there) in zip(ordered, places, strict=True):
                store_in(builder, builder.xor(found, filled(_WORDS, _HIGHEST)), place, there, 8)
            return context.get_dummy_value()

        return types.void(words, types.int64, types.int64), codegen

    return sort_block


# sort_32(words, first, count), ..: sort ``words[first : first + count]`` in place, count <= 32, ..
sort_32, sort_64, sort_128 = (_block_sort(registers) for registers in (4, 8, 16))
