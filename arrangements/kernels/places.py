"""Places of up to 64 labels at a point of a line, in vector registers.

The place of a label is the number of labels with a larger score: one comparison of each label with
all the others at once. The accumulators must stay in registers, which a loop over an array
would not let them; so this is LLVM code, like ``kernels.masks``.
"""

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

# Scores are scaled to less than REACH in size; as unsigned keys they lie around OFFSET.
OFFSET, REACH = 32500.0, 30000.0
WIDE_OFFSET, WIDE_REACH = 2.0**30, 2.0**30 - 2.0**20

_I16, _I32, _I64, _FLOAT = ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()


def _splat(builder, value, lanes):
    vector = ir.VectorType(value.type, lanes)
    undefined = ir.Constant(vector, ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, lanes), [0] * lanes)
    return builder.shuffle_vector(single, undefined, zeros)


def _place_intrinsic(lanes, integer, center):
    shorts, singles = ir.VectorType(_I16, lanes), ir.VectorType(_FLOAT, lanes)
    numbers = ir.VectorType(integer, lanes)

    @intrinsic
    def place(
        typingctx,
        line,
        shift,
        block,
        key,
        position,
        e,
        merges,
        code,
        lower,
        above,
        a,
        k,
        margin,
        rows,
    ):
        def codegen(context, builder, signature, args):
            arrays = [
                context.make_array(t)(context, builder, v)
                for t, v in zip(signature.args[:5], args[:5], strict=True)
            ]
            line, shift, block, key, position = (array.data for array in arrays)
            e, merges, code, lower, above, a, k, margin, rows = args[5:]

            def vector(pointer, index, kind):
                return builder.bitcast(builder.gep(pointer, [index]), kind.as_pointer())

            width = ir.Constant(_I64, lanes)
            zero, one = ir.Constant(_I64, 0), ir.Constant(_I64, 1)
            # keys: slopes and constants of all lanes combined
            slopes = builder.load(vector(line, zero, singles), align=4)
            constants = builder.load(vector(line, width, singles), align=4)
            score = builder.fsub(
                builder.fmul(constants, _splat(builder, a, lanes)),
                builder.fmul(slopes, _splat(builder, k, lanes)),
            )
            offset = _splat(builder, ir.Constant(_FLOAT, center), lanes)
            keys = builder.fptosi(builder.fadd(score, offset), ir.VectorType(_I32, lanes))
            if integer is _I16:
                keys = builder.trunc(keys, numbers)
                margin = builder.trunc(margin, _I16)
            else:
                margin = builder.trunc(margin, _I32)
            builder.store(keys, vector(key, zero, numbers), align=2)
            limit = builder.add(keys, _splat(builder, margin, lanes))
            # what the blocks' inner orders add, and the two blocks that cross here
            row = builder.mul(e, width)
            blocks = builder.load(vector(block, row, shorts), align=2)
            is_lower = builder.icmp_signed(
                "==", blocks, _splat(builder, builder.trunc(lower, _I16), lanes)
            )
            size = _splat(builder, builder.trunc(above, _I16), lanes)
            start = builder.select(is_lower, size, ir.Constant(shorts, [0] * lanes))

            total = cgutils.alloca_once_value(builder, start)
            with cgutils.for_range(builder, merges) as loop:
                forward = builder.and_(builder.lshr(code, loop.index), one)
                row = builder.add(builder.shl(loop.index, one), forward)
                inner = builder.load(vector(shift, builder.mul(row, width), shorts), align=2)
                builder.store(builder.add(builder.load(total), inner), total)
            larger = cgutils.alloca_once_value(builder, ir.Constant(numbers, [0] * lanes))
            with cgutils.for_range(builder, rows) as loop:
                one_key = builder.load(builder.gep(key, [loop.index]))
                bits = builder.icmp_unsigned(">", _splat(builder, one_key, lanes), limit)
                counted = builder.sub(builder.load(larger), builder.sext(bits, numbers))
                builder.store(counted, larger)
            larger = builder.load(larger)
            if integer is not _I16:
                larger = builder.trunc(larger, shorts)
            places = builder.add(builder.load(total), larger)
            builder.store(places, vector(position, zero, shorts), align=2)
            index = ir.Constant(shorts, list(range(lanes)))
            used = builder.icmp_signed(
                "<", index, _splat(builder, builder.trunc(rows, _I16), lanes)
            )
            counted = builder.select(used, places, ir.Constant(shorts, [0] * lanes))
            name = f"llvm.vector.reduce.add.v{lanes}i16"
            reduce = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(_I16, [shorts]), name
            )
            return builder.sext(builder.call(reduce, [counted]), _I64)

        arrays = (line, shift, block, key, position)
        scalars = (*(types.int64,) * 5, *(types.float32,) * 2, *(types.int64,) * 2)
        return types.int64(*arrays, *scalars), codegen

    return place


def _place_plain(center):
    def place(line, shift, block, key, position, e, merges, code, lower, above, a, k, margin, rows):
        score = line[1] * np.float32(a) - line[0] * np.float32(k)
        keys = (score + np.float32(center)).astype(np.int64)
        total = np.where(block[e] == lower, above, 0)
        for q in range(merges):
            total = total + shift[q, (code >> q) & 1]
        total += (keys[None, :rows] > keys[:, None] + margin).sum(axis=1)
        position[:] = total
        return int(total[:rows].sum())

    return place


# place(line, shift, block, key, position, e, merges, code, lower, above, a, k, margin, rows): see
# ``kernels.ranking_workspace`` for the arrays; the scores are constant * a - slope * k, and a label
# is counted as larger if its key is larger by more than `margin`. Added are ``shift[q, bit q of
# code]`` for q < merges and, to labels of the block `lower`, `above`. Returns the sum over the
# labels. `key` is int16 for the first three, int32 for the wide ones.
if config.DISABLE_JIT:
    place16 = place32 = place64 = _place_plain(OFFSET)
    place_wide16 = place_wide32 = place_wide64 = _place_plain(WIDE_OFFSET)
else:
    place16, place32, place64 = (_place_intrinsic(m, _I16, OFFSET) for m in (16, 32, 64))
    place_wide16, place_wide32, place_wide64 = (
        _place_intrinsic(m, _I32, WIDE_OFFSET) for m in (16, 32, 64)
    )
