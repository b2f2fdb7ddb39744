"""Words of bits: compare 64 int16 lanes with one value at once, find the lowest bit, count.

LLVM has these as instructions (one vector comparison and one bit cast for the first); the
loops that numba would need cost several times as much, and packing signs is what a sweep
does most.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from arrangements.kernels.llvm.builder import I1, I16, address_of, bits, broadcast


def _mask_intrinsic(predicate, count=64):
    @intrinsic
    def mask(typingctx, rows, row, start, value):
        def codegen(context, builder, signature, args):
            lanes = ir.VectorType(I16, count)
            address = address_of(context, builder, rows, args[0], args[1:3], lanes)
            loaded = builder.load(address, align=2)
            every = broadcast(builder, args[3], count)
            return bits(builder, builder.icmp_signed(predicate, loaded, every))

        return types.uint64(rows, types.intp, types.intp, types.int16), codegen

    return mask


@intrinsic
def trailing_zeros(typingctx, word):
    """Index of the lowest bit of a word that is not 0."""

    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(I1, 0))

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
