"""Short vectors as values: 16 numbers in single or 8 in double precision, 8 words of bits.

The loops of the sweep often run over 16 or 32 rows. LLVM vectorises such a loop for hundreds of
rows and leaves short ones to its scalar remainder; with vectors as values the machine code is
what is meant. Sets of lanes are the low bits of a word.

This needs the compiler: there is no plain Python version.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable


class Vector(types.Type):  # type: ignore[misc]
    """Numba type of a vector of `count` numbers of type `dtype`."""

    def __init__(self, dtype, count):
        self.dtype, self.count = dtype, count
        super().__init__(f"Vector({dtype} x {count})")


SINGLES = Vector(types.float32, 16)
DOUBLES = Vector(types.float64, 8)
WORDS = Vector(types.uint64, 8)
_LLVM = {
    SINGLES: ir.VectorType(ir.FloatType(), 16),
    DOUBLES: ir.VectorType(ir.DoubleType(), 8),
    WORDS: ir.VectorType(ir.IntType(64), 8),
}
_OF_DTYPE = {vector.dtype: vector for vector in _LLVM}
_I16, _I32, _I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)


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
_operator(operator.xor, WORDS, lambda builder, x, y: builder.xor(x, y))
_operator(operator.and_, WORDS, lambda builder, x, y: builder.and_(x, y))


def _address(context, builder, array_type, array, indices, pointee):
    """Where array[indices] is, for a contiguous array, as a pointer to `pointee`."""
    view = context.make_array(array_type)(context, builder, array)
    index = indices[0]
    for axis in range(1, len(indices)):
        width = builder.extract_value(view.shape, axis)
        index = builder.add(builder.mul(index, width), indices[axis])
    return builder.bitcast(builder.gep(view.data, [index]), pointee.as_pointer())


def _broadcast(builder, value, count):
    vector = ir.VectorType(value.type, count)
    undefined = ir.Constant(vector, ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, count), [0] * count)
    return builder.shuffle_vector(single, undefined, zeros)


def _bits(builder, lanes):
    """A vector of i1 as the low bits of a word."""
    return builder.zext(builder.bitcast(lanes, ir.IntType(lanes.type.count)), _I64)


def _lanes(builder, bits, count):
    """The low bits of a word as a vector of i1."""
    narrow = builder.trunc(bits, ir.IntType(count))
    return builder.bitcast(narrow, ir.VectorType(ir.IntType(1), count))


def _call(builder, name, vector, result):
    """Call LLVM's function `name` for vectors of this type."""
    suffix = {ir.FloatType(): "f32", ir.DoubleType(): "f64", _I64: "i64"}[vector.type.element]
    name = f"{name}.v{vector.type.count}{suffix}"
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(result, [vector.type]), name
    )
    return builder.call(function, [vector])


@intrinsic
def splat(typingctx, number):
    """All lanes are `number`."""
    vector = _OF_DTYPE[number]

    def codegen(context, builder, signature, args):
        return _broadcast(builder, args[0], vector.count)

    return vector(number), codegen


@intrinsic
def load(typingctx, array, index):
    """Lanes ``array[index], .., `` along the last axis; index is a tuple."""
    vector = _OF_DTYPE[array.dtype]

    def codegen(context, builder, signature, args):
        indices = [builder.extract_value(args[1], k) for k in range(len(index))]
        address = _address(context, builder, array, args[0], indices, _LLVM[vector])
        return builder.load(address, align=vector.dtype.bitwidth // 8)

    return vector(array, index), codegen


@intrinsic
def store(typingctx, array, index, value):
    """``array[index], .. = value`` along the last axis."""

    def codegen(context, builder, signature, args):
        indices = [builder.extract_value(args[1], k) for k in range(len(index))]
        address = _address(context, builder, array, args[0], indices, args[2].type)
        builder.store(args[2], address, align=array.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, index, _OF_DTYPE[array.dtype]), codegen


@intrinsic
def store_narrow(typingctx, array, index, first, second):
    """16 numbers in single precision: in one store, for a load of them all would have to wait for
    two.
    """

    def codegen(context, builder, signature, args):
        indices = [builder.extract_value(args[1], k) for k in range(len(index))]
        halves = [builder.fptrunc(half, ir.VectorType(ir.FloatType(), 8)) for half in args[2:]]
        places = ir.Constant(ir.VectorType(_I32, 16), list(range(16)))
        lanes = builder.shuffle_vector(*halves, places)
        address = _address(context, builder, array, args[0], indices, lanes.type)
        builder.store(lanes, address, align=4)
        return context.get_dummy_value()

    return types.void(array, index, DOUBLES, DOUBLES), codegen


@intrinsic
def store_lanes(typingctx, array, index, value, lanes):
    """``array[index], .. = value`` along the last axis in `lanes`; the others stay as they are."""
    vector = _OF_DTYPE[array.dtype]

    def codegen(context, builder, signature, args):
        indices = [builder.extract_value(args[1], k) for k in range(len(index))]
        llvm_type = _LLVM[vector]
        address = _address(context, builder, array, args[0], indices, llvm_type)
        chosen = _lanes(builder, args[3], vector.count)
        name = f"llvm.masked.store.v{vector.count}i64.p0v{vector.count}i64"
        function_type = ir.FunctionType(
            ir.VoidType(), [llvm_type, llvm_type.as_pointer(), _I32, chosen.type]
        )
        function = cgutils.get_or_insert_function(builder.module, function_type, name)
        builder.call(function, [args[2], address, ir.Constant(_I32, 8), chosen])
        return context.get_dummy_value()

    return types.void(array, index, vector, types.uint64), codegen


# A key is a number times KEY_SCALE, rounded by adding KEY_CENTER: one increasing function of it,
# which takes that product and that sum to be rounded one by one, never fused.
KEY_SCALE, KEY_CENTER = 32400.0, 1.5 * 2.0**23
_END_SCALE, _END_OFFSET = 2.0**29, 2.0**29 + 2.0**23


def _scaled(builder, value, scale, offset):
    """Product and sum, each rounded."""
    count = value.type.count
    scaled = builder.fmul(value, ir.Constant(value.type, [scale] * count))
    return builder.fadd(scaled, ir.Constant(value.type, [offset] * count))


@intrinsic
def store_keys(typingctx, array, row, start, first, second):
    """32 integers of 16 bits in place of numbers between -1.01 and 1.01.

    In one store: a load of them all would have to wait for two.
    """

    def codegen(context, builder, signature, args):
        array_type = signature.args[0]
        _, row, start, *values = args
        shorts = [
            builder.trunc(
                builder.bitcast(
                    _scaled(builder, value, KEY_SCALE, KEY_CENTER), ir.VectorType(_I32, 16)
                ),
                ir.VectorType(_I16, 16),
            )
            for value in values
        ]
        index = ir.Constant(ir.VectorType(_I32, 32), list(range(32)))
        keys = builder.shuffle_vector(*shorts, index)
        address = _address(context, builder, array_type, args[0], [row, start], keys.type)
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
        ends = builder.fptosi(scaled, ir.VectorType(_I32, value.type.count))
        address = _address(context, builder, signature.args[0], args[0], [row, start], ends.type)
        builder.store(ends, address, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp, value), codegen


@intrinsic
def magnitude(typingctx, x):
    """Absolute values."""

    def codegen(context, builder, signature, args):
        return _call(builder, "llvm.fabs", args[0], args[0].type)

    return x(x), codegen


@intrinsic
def with_sign_of(typingctx, x, y):
    """x, negated where y has the sign bit."""

    def codegen(context, builder, signature, args):
        x, y = (builder.bitcast(a, ir.VectorType(_I32, a.type.count)) for a in args)
        sign = builder.and_(y, ir.Constant(y.type, [-(2**31)] * y.type.count))
        return builder.bitcast(builder.xor(x, sign), args[0].type)

    return SINGLES(SINGLES, SINGLES), codegen


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
        return _bits(builder, builder.fcmp_ordered("<", *args))

    return types.uint64(x, y), codegen


@intrinsic
def choose_lanes(typingctx, lanes, x, y):
    """x in `lanes`, y in the others."""

    def codegen(context, builder, signature, args):
        return builder.select(_lanes(builder, args[0], x.count), *args[1:])

    return x(types.uint64, x, y), codegen


@intrinsic
def largest(typingctx, x):
    """Largest lane; all are >= 0."""

    def codegen(context, builder, signature, args):
        # patterns of such numbers are ordered like them, and integers are never NaN
        integers = ir.VectorType(_I64, args[0].type.count)
        patterns = builder.bitcast(args[0], integers)
        top = _call(builder, "llvm.vector.reduce.umax", patterns, _I64)
        return builder.bitcast(top, ir.DoubleType())

    return types.float64(DOUBLES), codegen


@intrinsic
def word_where(typingctx, lanes, word):
    """`word` in `lanes`, 0 in the others, as a vector of words."""

    def codegen(context, builder, signature, args):
        words = _broadcast(builder, args[1], WORDS.count)
        zeros = ir.Constant(words.type, [0] * WORDS.count)
        return builder.select(_lanes(builder, args[0], WORDS.count), words, zeros)

    return WORDS(types.uint64, types.uint64), codegen


@intrinsic
def word_at(typingctx, lane, word):
    """`word` in one lane, 0 in the others and if there is no such lane."""

    def codegen(context, builder, signature, args):
        lanes = ir.Constant(_LLVM[WORDS], list(range(WORDS.count)))
        here = builder.icmp_unsigned("==", lanes, _broadcast(builder, args[0], WORDS.count))
        words = _broadcast(builder, args[1], WORDS.count)
        return builder.select(here, words, ir.Constant(words.type, [0] * WORDS.count))

    return WORDS(types.int64, types.uint64), codegen


@intrinsic
def counted_words(typingctx, first):
    """The words ``first, first + 1, ..``."""

    def codegen(context, builder, signature, args):
        lanes = ir.Constant(_LLVM[WORDS], list(range(WORDS.count)))
        return builder.add(_broadcast(builder, args[0], WORDS.count), lanes)

    return WORDS(types.int64), codegen
