"""Merges of two blocks of labels: what they do to blocks, and add to the places of labels."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from arrangements.kernels.llvm.builder import (
    I16,
    I32,
    array_of,
    broadcast,
    counted,
    data_of,
    entry,
    filled,
    number,
    steps,
    vector_at,
)
from arrangements.kernels.llvm.label_words import GROUP, LABEL_BITS
from arrangements.kernels.llvm.sorting_networks import WIDTH
from arrangements.kernels.numba_internals import cgutils

_SHORTS, _WORDS = ir.VectorType(I16, WIDTH), ir.VectorType(I32, WIDTH)


# merge(block, size, shift, e, a, c, upper, lower): `block` and `size` of the child (a, c) of the
# node of depth e, and its `shift`; upper and lower are a and c as they are before they cross.
@intrinsic
def merge(typingctx, block, size, shift, e, a, c, upper, lower):
    def codegen(context, builder, signature, args):
        pad = builder.extract_value(array_of(context, builder, block, args[0]).shape, 1)
        blocks, sizes, shifts = data_of(context, builder, signature, args, 3)
        e, a, c, upper, lower = args[3:]
        old = builder.mul(e, pad)
        new, backward = builder.add(old, pad), builder.shl(old, number(1))
        forward = builder.add(backward, pad)
        below = entry(builder, sizes, builder.add(old, lower))
        above = entry(builder, sizes, builder.add(old, upper))
        # what a merge adds to the places of the other block
        added = [(upper, below, backward), (lower, above, forward)]

        def label(value):
            return broadcast(builder, builder.trunc(value, I16), WIDTH)

        with steps(builder, number(0), pad, WIDTH) as (i, _):

            def load(pointer, start):
                place = vector_at(builder, pointer, builder.add(start, i), _SHORTS)
                return builder.load(place, align=2)

            def store(value, pointer, start):
                place = vector_at(builder, pointer, builder.add(start, i), _SHORTS)
                builder.store(value, place, align=2)

            here = load(blocks, old)
            members = {x: builder.icmp_signed("==", here, label(x)) for x in (upper, lower, c)}
            for x, of_other, start in added:
                more = broadcast(builder, of_other, WIDTH)
                store(builder.select(members[x], more, filled(_SHORTS, 0)), shifts, start)
            store(builder.select(members[c], label(a), here), blocks, new)
            store(load(sizes, old), sizes, new)
        builder.store(builder.add(below, above), builder.gep(sizes, [builder.add(new, a)]))
        return context.get_dummy_value()

    return types.void(block, size, shift, *(types.int64,) * 5), codegen


def _sums_of_group(builder, shift, first, merges, pad, i):
    """Sums of the shifts of GROUP merges from `first` on, lanes i.., for each code of theirs."""
    sums = [filled(_SHORTS, 0)]
    for k in range(GROUP):
        q = builder.add(first, number(k))
        # a merge that there is not is backward, and adds nothing
        is_there = builder.icmp_signed("<", q, merges)
        row = builder.add(builder.mul(builder.shl(q, number(1)), pad), i)
        backward, forward = (
            builder.load(vector_at(builder, shift, start, _SHORTS), align=2)
            for start in (row, builder.add(row, pad))
        )
        backward = builder.select(is_there, backward, filled(_SHORTS, 0))
        sums = [builder.add(known, backward) for known in sums] + [
            builder.add(known, forward) for known in sums
        ]
    return sums


# sum_shifts(shift, inner, merges): the sums of ``shift[q, bit q of code]`` over the merges of each
# group of GROUP, for all codes: 2**GROUP rows of `inner` each, as places in words; those of the
# first group hold the labels, too.
@intrinsic
def sum_shifts(typingctx, shift, inner, merges):
    def codegen(context, builder, signature, args):
        pad = builder.extract_value(array_of(context, builder, inner, args[1]).shape, 1)
        (shifts, sums), merges = data_of(context, builder, signature, args, 2), args[2]
        group, places = number(GROUP), filled(_WORDS, LABEL_BITS)
        groups = builder.sdiv(builder.add(merges, number(GROUP - 1)), group)
        some = builder.select(builder.icmp_signed(">", groups, number(1)), groups, number(1))
        with (
            cgutils.for_range(builder, some) as loop,
            steps(builder, number(0), pad, WIDTH) as (i, _),
        ):
            first = builder.mul(loop.index, group)
            totals = _sums_of_group(builder, shifts, first, merges, pad, i)
            lane = broadcast(builder, builder.trunc(i, I32), WIDTH)
            labels = builder.add(counted(_WORDS), lane)
            is_first = builder.icmp_signed("==", loop.index, number(0))
            labels = builder.select(is_first, labels, filled(_WORDS, 0))
            first = builder.shl(loop.index, group)
            for code, total in enumerate(totals):
                row = builder.mul(builder.add(first, number(code)), pad)
                total = builder.add(builder.shl(builder.zext(total, _WORDS), places), labels)
                place = vector_at(builder, sums, builder.add(row, i), _WORDS)
                builder.store(total, place, align=4)
        return context.get_dummy_value()

    return types.void(shift, inner, types.int64), codegen
