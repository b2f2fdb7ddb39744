"""Words of bits: compare 64 int16 lanes with one value at once, find the lowest bit, count.

LLVM has these as instructions (one vector comparison and one bit cast for the first); the
loops that numba would need cost several times as much, and packing signs is what a sweep
does most.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _mask_intrinsic(predicate, count=64):
    @intrinsic
    def mask(typingctx, rows, row, start, value):
        def codegen(context, builder, signature, args):
            lanes = ir.VectorType(ir.IntType(16), count)
            undefined = ir.Constant(lanes, ir.Undefined)
            first = ir.Constant(ir.IntType(32), 0)
            array = context.make_array(signature.args[0])(context, builder, args[0])
            width = builder.extract_value(array.shape, 1)
            index = builder.add(builder.mul(args[1], width), args[2])
            address = builder.bitcast(builder.gep(array.data, [index]), lanes.as_pointer())
            single = builder.insert_element(undefined, args[3], first)
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
            splat = builder.shuffle_vector(single, undefined, zeros)
            loaded = builder.load(address, align=2)
            answers = builder.icmp_signed(predicate, loaded, splat)
            bits = builder.bitcast(answers, ir.IntType(count))
            return bits if count == 64 else builder.zext(bits, ir.IntType(64))

        return types.uint64(rows, types.intp, types.intp, types.int16), codegen

    return mask


@intrinsic
def trailing_zeros(typingctx, word):
    """Index of the lowest bit of a word that is not 0."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), codegen


@intrinsic
def population(typingctx, word):
    """Number of bits of a word that are 1."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen


# mask(rows, row, start, value): rows (m, >= start + 64) int16 contiguous;
# bit i of the answer is rows[row, start + i] < value; `half` of it are the lower 32 bits
mask_less, half_mask_less = _mask_intrinsic("<"), _mask_intrinsic("<", 32)
mask_less_equal, half_mask_less_equal = _mask_intrinsic("<="), _mask_intrinsic("<=", 32)
