"""Short vectors as values: 16 numbers in single or 8 in double precision, 8 words of bits.

The loops of the sweep often run over 16 or 32 rows. LLVM vectorizes such a loop for hundreds of
rows and leaves short ones to its scalar remainder; with vectors as values the machine code is
what is meant. Sets of lanes are the low bits of a word.

This needs the compiler: there is no plain Python version.
"""

import operator

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from arrangements.kernels.llvm.builder import (
    DOUBLE,
    FLOAT,
    I16,
    I32,
    I64,
    absolute,
    address_of,
    array_of,
    bits,
    broadcast,
    call,
    counted,
    filled,
    joined,
    lanes_of,
    store_in,
)


class Vector(types.Type):  # type: ignore[misc]
    """Numba type of a vector of `count` numbers of type `dtype`."""

    def __init__(self, dtype, count):
        self.dtype, self.count = dtype, count
        super().__init__(f"Vector({dtype} x {count})")


SINGLES = Vector(types.float32, 16)
DOUBLES = Vector(types.float64, 8)
WORDS = Vector(types.uint64, 8)
_LLVM = {
    SINGLES: ir.VectorType(FLOAT, 16),
    DOUBLES: ir.VectorType(DOUBLE, 8),
    WORDS: ir.VectorType(I64, 8),
}
_OF_DTYPE = {vector.dtype: vector for vector in _LLVM}


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager, vector):
        super().__init__(manager, vector, _LLVM[vector])


def _operator(function, vector, emit):
    """Let `function` of two vectors be the instruction that `emit` builds."""

    @type_callable(function)
    def type_of(context):
        return lambda x, y: vector if x == y == vector else None

    @lower_builtin(function, vector, vector)
    def lower(context, builder, signature, args):
        return emit(builder, *args)


def _floating(name):
    # a product and a sum may become one instruction, which rounds once less
    return lambda builder, x, y: getattr(builder, name)(x, y, flags=("contract",))


for _vector in (SINGLES, DOUBLES):
    _operator(operator.add, _vector, _floating("fadd"))
    _operator(operator.sub, _vector, _floating("fsub"))
    _operator(operator.mul, _vector, _floating("fmul"))
    _operator(operator.truediv, _vector, _floating("fdiv"))
_operator(operator.add, WORDS, lambda builder, x, y: builder.add(x, y))
_operator(operator.xor, WORDS, lambda builder, x, y: builder.xor(x, y))
_operator(operator.and_, WORDS, lambda builder, x, y: builder.and_(x, y))
_operator(operator.or_, WORDS, lambda builder, x, y: builder.or_(x, y))
# by less than 64
_operator(operator.lshift, WORDS, lambda builder, x, y: builder.shl(x, y))
_operator(operator.rshift, WORDS, lambda builder, x, y: builder.lshr(x, y))


def _address(context, builder, signature, args, pointee):
    """Where ``args[0][args[1]]`` is, the index being a tuple."""
    array, index = signature.args[:2]
    indices = [builder.extract_value(args[1], k) for k in range(len(index))]
    return address_of(context, builder, array, args[0], indices, pointee)


@intrinsic
def splat(typingctx, number):
    """All lanes are `number`."""
    vector = _OF_DTYPE[number]

    def codegen(context, builder, signature, args):
        return broadcast(builder, args[0], vector.count)

    return vector(number), codegen


@intrinsic
def load(typingctx, array, index):
    """Lanes ``array[index], .., `` along the last axis; index is a tuple."""
    vector = _OF_DTYPE[array.dtype]

    def codegen(context, builder, signature, args):
        address = _address(context, builder, signature, args, _LLVM[vector])
        return builder.load(address, align=vector.dtype.bitwidth // 8)

    return vector(array, index), codegen


@intrinsic
def load_across(typingctx, array, index):
    """Lanes ``array[index], ..`` along the axis before the last one; index is a tuple.

    They may go on behind the end of that axis, but not of the array.
    """
    vector = _OF_DTYPE[array.dtype]

    def codegen(context, builder, signature, args):
        view = array_of(context, builder, array, args[0])
        step = builder.extract_value(view.shape, array.ndim - 1)
        place = _address(context, builder, signature, args, _LLVM[vector].element)
        value = ir.Constant(_LLVM[vector], ir.Undefined)
        for lane in range(vector.count):
            entry = builder.load(place, align=vector.dtype.bitwidth // 8)
            value = builder.insert_element(value, entry, ir.Constant(I32, lane))
            place = builder.gep(place, [step])
        return value

    return vector(array, index), codegen


@intrinsic
def store(typingctx, array, index, value):
    """``array[index], .. = value`` along the last axis."""

    def codegen(context, builder, signature, args):
        address = _address(context, builder, signature, args, args[2].type)
        builder.store(args[2], address, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, index, _OF_DTYPE[array.dtype]), codegen


@intrinsic
def store_narrow(typingctx, array, index, first, second):
    """16 numbers in single precision: in one store, for a load of them all would have to wait for
    two.
    """
    narrow = ir.VectorType(FLOAT, DOUBLES.count)

    def codegen(context, builder, signature, args):
        lanes = joined(builder, *(builder.fptrunc(half, narrow) for half in args[2:]))
        address = _address(context, builder, signature, args, lanes.type)
        builder.store(lanes, address, align=4)
        return context.get_dummy_value()

    return types.void(array, index, DOUBLES, DOUBLES), codegen


@intrinsic
def store_lanes(typingctx, array, index, value, lanes):
    """``array[index], .. = value`` along the last axis in `lanes`; the others stay as they are."""
    vector = _OF_DTYPE[array.dtype]

    def codegen(context, builder, signature, args):
        address = _address(context, builder, signature, args, _LLVM[vector])
        store_in(builder, args[2], address, lanes_of(builder, args[3], vector.count), align=8)
        return context.get_dummy_value()

    return types.void(array, index, vector, types.uint64), codegen


# A key is a number times KEY_SCALE, rounded by adding KEY_CENTER: one increasing function of it,
# which takes that product and that sum to be rounded one by one, never fused.
KEY_SCALE, KEY_CENTER = 32400.0, 1.5 * 2.0**23
_END_SCALE, _END_OFFSET = 2.0**29, 2.0**29 + 2.0**23


def _scaled(builder, value, scale, offset):
    """Product and sum, each rounded."""
    scaled = builder.fmul(value, filled(value.type, scale))
    return builder.fadd(scaled, filled(value.type, offset))


@intrinsic
def store_keys(typingctx, array, row, start, first, second):
    """32 integers of 16 bits in place of numbers between -1.01 and 1.01.

    In one store: a load of them all would have to wait for two.
    """

    def codegen(context, builder, signature, args):
        _, row, start, *values = args
        shorts = []
        for value in values:
            scaled = _scaled(builder, value, KEY_SCALE, KEY_CENTER)
            pattern = builder.bitcast(scaled, ir.VectorType(I32, value.type.count))
            shorts.append(builder.trunc(pattern, ir.VectorType(I16, value.type.count)))
        keys = joined(builder, *shorts)
        address = address_of(context, builder, array, args[0], [row, start], keys.type)
        builder.store(keys, address, align=2)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, first, second), codegen


@intrinsic
def store_ends(typingctx, array, row, start, value):
    """Positive integers of 31 bits in place of numbers between -1.01 and 1.01, in their order."""

    def codegen(context, builder, signature, args):
        _, row, start, value = args
        scaled = _scaled(builder, value, _END_SCALE, _END_OFFSET)
        # truncation of a positive number is increasing
        ends = builder.fptosi(scaled, ir.VectorType(I32, value.type.count))
        address = address_of(context, builder, array, args[0], [row, start], ends.type)
        builder.store(ends, address, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, value), codegen


@intrinsic
def magnitude(typingctx, x):
    """Absolute values."""

    def codegen(context, builder, signature, args):
        return absolute(builder, args[0])

    return x(x), codegen


@intrinsic
def with_sign_of(typingctx, x, y):
    """x, negated where y has the sign bit."""

    def codegen(context, builder, signature, args):
        whole = ir.VectorType(I32 if x == SINGLES else I64, x.count)
        number, other = (builder.bitcast(a, whole) for a in args)
        sign = builder.and_(other, filled(whole, -(2 ** (whole.element.width - 1))))
        return builder.bitcast(builder.xor(number, sign), args[0].type)

    return x(x, y), codegen


@intrinsic
def maximum(typingctx, x, y):
    """The larger of two numbers, lane by lane; none is NaN."""

    def codegen(context, builder, signature, args):
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return x(x, y), codegen


@intrinsic
def less(typingctx, x, y):
    """The lanes where x < y."""

    def codegen(context, builder, signature, args):
        return bits(builder, builder.fcmp_ordered("<", *args))

    return types.uint64(x, y), codegen


@intrinsic
def less_in_two(typingctx, x, next_x, y, next_y):
    """The lanes where x < y, and above them those where ``next_x < next_y``."""

    def codegen(context, builder, signature, args):
        x, next_x, y, next_y = args
        first, second = (builder.fcmp_ordered("<", *pair) for pair in ((x, y), (next_x, next_y)))
        return bits(builder, joined(builder, first, second))

    return types.uint64(x, next_x, y, next_y), codegen


@intrinsic
def equal(typingctx, x, y):
    """The lanes where x == y."""

    def codegen(context, builder, signature, args):
        return bits(builder, builder.fcmp_ordered("==", *args))

    return types.uint64(x, y), codegen


@intrinsic
def choose_lanes(typingctx, lanes, x, y):
    """x in `lanes`, y in the others."""

    def codegen(context, builder, signature, args):
        return builder.select(lanes_of(builder, args[0], x.count), *args[1:])

    return x(types.uint64, x, y), codegen


@intrinsic
def largest_of_rows(typingctx, array, index):
    """The largest number of each of eight rows of eight, ``array[index], ..``; index is a tuple."""
    # pairs of rows, then of pairs, .. : those lanes of both that belong together
    steps = [0, 8, 2, 10, 4, 12, 6, 14], [0, 1, 8, 9, 4, 5, 12, 13], [0, 1, 2, 3, 8, 9, 10, 11]

    def codegen(context, builder, signature, args):
        place = _address(context, builder, signature, args, _LLVM[DOUBLES])
        rows = [builder.load(builder.gep(place, [ir.Constant(I32, k)]), align=8) for k in range(8)]
        for k, lanes in enumerate(steps):
            others = [lane + 2**k for lane in lanes]
            kinds = [ir.Constant(ir.VectorType(I32, 8), chosen) for chosen in (lanes, others)]
            pairs = zip(rows[::2], rows[1::2], strict=True)
            halves = [[builder.shuffle_vector(*pair, kind) for kind in kinds] for pair in pairs]
            rows = [builder.select(builder.fcmp_ordered(">", *both), *both) for both in halves]
        return rows[0]

    return DOUBLES(array, index), codegen


@intrinsic
def word_where(typingctx, lanes, word):
    """`word` in `lanes`, 0 in the others, as a vector of words."""

    def codegen(context, builder, signature, args):
        words = broadcast(builder, args[1], WORDS.count)
        lanes = lanes_of(builder, args[0], WORDS.count)
        return builder.select(lanes, words, filled(words.type, 0))

    return WORDS(types.uint64, types.uint64), codegen


@intrinsic
def word_at(typingctx, lane, word):
    """`word` in one lane, 0 in the others and if there is no such lane."""

    def codegen(context, builder, signature, args):
        lanes = counted(_LLVM[WORDS])
        here = builder.icmp_unsigned("==", lanes, broadcast(builder, args[0], WORDS.count))
        words = broadcast(builder, args[1], WORDS.count)
        return builder.select(here, words, filled(words.type, 0))

    return WORDS(types.int64, types.uint64), codegen


@intrinsic
def counted_words(typingctx, first):
    """The words ``first, first + 1, ..``."""

    def codegen(context, builder, signature, args):
        return builder.add(broadcast(builder, args[0], WORDS.count), counted(_LLVM[WORDS]))

    return WORDS(types.int64), codegen


@intrinsic
def populations(typingctx, words):
    """Number of bits of each word that are 1."""

    def codegen(context, builder, signature, args):
        return call(builder, "llvm.ctpop", args[0], args[0].type)

    return WORDS(WORDS), codegen


@intrinsic
def total(typingctx, words):
    """Sum of the words of a vector, modulo 2**64."""

    def codegen(context, builder, signature, args):
        return call(builder, "llvm.vector.reduce.add", args[0], I64)

    return types.int64(WORDS), codegen
