"""Short vectors as values: 16 numbers in single or 8 in double precision, 8 words of bits.

Then words of bits, from a comparison of 64 int16 lanes with one value, and columns of a tableau in
one pass over their lanes. LLVM has instructions for these; loops of numba cost several times as
much.

The loops of the sweep often run over 16 or 32 rows. LLVM vectorizes such a loop for hundreds of
rows and leaves short ones to its scalar remainder; vectors as values fix the machine
code. Sets of lanes are the low bits of a word.

This needs the compiler: there is no plain Python version.
"""

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

from arrangements.kernels.llvm.builder import (
    DOUBLE,
    FLOAT,
    I1,
    I16,
    I32,
    I64,
    absolute,
    address_of,
    bits,
    broadcast,
    call,
    fill,
    instruction,
    join,
    lane_numbers,
    lanes_of,
    number,
    steps,
    store_in,
    variable,
    vector_at,
)


class Vector(types.Type):  # type: ignore[misc]
    """Numba type of a vector of `count` numbers of type `dtype`."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(f"Vector({dtype} x {count})")


SINGLES: Any = Vector(types.float32, 16)
DOUBLES: Any = Vector(types.float64, 8)
WORDS: Any = Vector(types.uint64, 8)
_LLVM = {
    SINGLES: ir.VectorType(FLOAT, 16),
    DOUBLES: ir.VectorType(DOUBLE, 8),
    WORDS: ir.VectorType(I64, 8),
}
_OF_DTYPE = {vector.dtype: vector for vector in _LLVM}
_OF_ENTRY = {kind.element: kind for kind in _LLVM.values()}


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


def _vector_of(array):
    """The type of vectors of an array's numbers, and their bytes."""
    kind = _OF_ENTRY[array.data.type.pointee]
    return kind, 4 if kind.element == FLOAT else 8


@instruction(lambda number: _OF_DTYPE[number](number))
def splat(builder, number):
    """All lanes are `number`."""
    return broadcast(builder, number, _OF_ENTRY[number.type].count)


@instruction(lambda array, index: _OF_DTYPE[array.dtype](array, index))
def load(builder, array, index):
    """Lanes ``array[index], .., `` along the last axis; index is a tuple."""
    kind, size = _vector_of(array)
    return builder.load(address_of(builder, array, index, kind), align=size)


@instruction(lambda array, index: _OF_DTYPE[array.dtype](array, index))
def load_across(builder, array, index):
    """Lanes ``array[index], ..`` along the axis before the last one; index is a tuple.

    They may extend beyond the end of that axis, but not of the array.
    """
    kind, size = _vector_of(array)
    step = builder.extract_value(array.shape, len(index) - 1)
    place = address_of(builder, array, index, kind.element)
    value = ir.Constant(kind, ir.Undefined)
    for lane in range(kind.count):
        entry = builder.load(place, align=size)
        value = builder.insert_element(value, entry, ir.Constant(I32, lane))
        place = builder.gep(place, [step])
    return value


@instruction(lambda array, index, value: types.void(array, index, _OF_DTYPE[array.dtype]))
def store(builder, array, index, value):
    """``array[index], .. = value`` along the last axis."""
    kind, size = _vector_of(array)
    builder.store(value, address_of(builder, array, index, kind), align=size)


@instruction(lambda array, index, x, y: types.void(array, index, DOUBLES, DOUBLES))
def store_narrow(builder, array, index, first, second):
    """Store 16 numbers in single precision.

    One store: a later load of all 16 would have to wait for two.
    """
    narrow = ir.VectorType(FLOAT, DOUBLES.count)
    lanes = join(builder, *(builder.fptrunc(half, narrow) for half in (first, second)))
    builder.store(lanes, address_of(builder, array, index, lanes.type), align=4)


@instruction(
    lambda array, index, value, lanes: types.void(
        array, index, _OF_DTYPE[array.dtype], types.uint64
    )
)
def store_lanes(builder, array, index, value, lanes):
    """``array[index], .. = value`` along the last axis in `lanes`; the others stay as they are."""
    address = address_of(builder, array, index, value.type)
    store_in(builder, value, address, lanes_of(builder, lanes, value.type.count), align=8)


# A key is a number times KEY_SCALE, rounded by adding KEY_CENTER. Product and sum must be rounded
# one by one, never fused: then a key is an increasing function of the number.
KEY_SCALE, KEY_CENTER = 32400.0, 1.5 * 2.0**23
_END_SCALE, _END_OFFSET = 2.0**29, 2.0**29 + 2.0**23


def _scale(builder, value, scale, offset):
    """Product and sum, each rounded."""
    scaled = builder.fmul(value, fill(value.type, scale))
    return builder.fadd(scaled, fill(value.type, offset))


@instruction(lambda array, row, start, x, y: types.void(array, types.intp, types.intp, x, y))
def store_keys(builder, array, row, start, first, second):
    """Store 32 integers of 16 bits for numbers between -1.01 and 1.01.

    One store: a later load of all 32 would have to wait for two.
    """
    shorts = []
    for value in (first, second):
        scaled = _scale(builder, value, KEY_SCALE, KEY_CENTER)
        pattern = builder.bitcast(scaled, ir.VectorType(I32, value.type.count))
        shorts.append(builder.trunc(pattern, ir.VectorType(I16, value.type.count)))
    keys = join(builder, *shorts)
    builder.store(keys, address_of(builder, array, [row, start], keys.type), align=2)


@instruction(lambda array, row, start, value: types.void(array, types.intp, types.intp, value))
def store_ends(builder, array, row, start, value):
    """Store positive integers of 31 bits for numbers between -1.01 and 1.01, in their order."""
    scaled = _scale(builder, value, _END_SCALE, _END_OFFSET)
    # truncation of a positive number is increasing
    ends = builder.fptosi(scaled, ir.VectorType(I32, value.type.count))
    builder.store(ends, address_of(builder, array, [row, start], ends.type), align=4)


@instruction(lambda x: x(x))
def magnitude(builder, x):
    """Absolute values."""
    return absolute(builder, x)


@instruction(lambda x, y: x(x, y))
def with_sign_of(builder, x, y):
    """x, negated where y has the sign bit."""
    whole = ir.VectorType(I32 if x.type.element == FLOAT else I64, x.type.count)
    number, other = builder.bitcast(x, whole), builder.bitcast(y, whole)
    sign = builder.and_(other, fill(whole, -(2 ** (whole.element.width - 1))))
    return builder.bitcast(builder.xor(number, sign), x.type)


@instruction(lambda x, y: x(x, y))
def maximum(builder, x, y):
    """The larger of two numbers, lane by lane; none is NaN."""
    return builder.select(builder.fcmp_ordered(">", x, y), x, y)


@instruction(lambda x, y: types.uint64(x, y))
def less(builder, x, y):
    """The lanes where x < y."""
    return bits(builder, builder.fcmp_ordered("<", x, y))


@instruction(lambda *vectors: types.uint64(*vectors))
def less_in_two(builder, x, next_x, y, next_y):
    """The lanes where x < y, and above them those where ``next_x < next_y``."""
    first, second = (builder.fcmp_ordered("<", *pair) for pair in ((x, y), (next_x, next_y)))
    return bits(builder, join(builder, first, second))


@instruction(lambda x, y: types.uint64(x, y))
def equal(builder, x, y):
    """The lanes where x == y."""
    return bits(builder, builder.fcmp_ordered("==", x, y))


@instruction(lambda lanes, x, y: x(types.uint64, x, y))
def choose_lanes(builder, lanes, x, y):
    """x in `lanes`, y in the others."""
    return builder.select(lanes_of(builder, lanes, x.type.count), x, y)


@instruction(lambda array, index: DOUBLES(array, index))
def largest_of_rows(builder, array, index):
    """The largest number of each of eight rows of eight, ``array[index], ..``; index is a tuple."""
    # pairs of rows, then of pairs, .. : those lanes of both that belong together
    steps = [0, 8, 2, 10, 4, 12, 6, 14], [0, 1, 8, 9, 4, 5, 12, 13], [0, 1, 2, 3, 8, 9, 10, 11]
    place = address_of(builder, array, index, _LLVM[DOUBLES])
    rows = [builder.load(builder.gep(place, [ir.Constant(I32, k)]), align=8) for k in range(8)]
    for k, lanes in enumerate(steps):
        others = [lane + 2**k for lane in lanes]
        kinds = [ir.Constant(ir.VectorType(I32, 8), chosen) for chosen in (lanes, others)]
        pairs = zip(rows[::2], rows[1::2], strict=True)
        halves = [[builder.shuffle_vector(*pair, kind) for kind in kinds] for pair in pairs]
        rows = [builder.select(builder.fcmp_ordered(">", *both), *both) for both in halves]
    return rows[0]


@instruction(lambda lanes, word: WORDS(types.uint64, types.uint64))
def word_where(builder, lanes, word):
    """`word` in `lanes`, 0 in the others, as a vector of words."""
    words = broadcast(builder, word, WORDS.count)
    return builder.select(lanes_of(builder, lanes, WORDS.count), words, fill(words.type, 0))


@instruction(lambda lane, word: WORDS(types.int64, types.uint64))
def word_at(builder, lane, word):
    """`word` in one lane, 0 in the others and if there is no such lane."""
    lane, words = (broadcast(builder, value, WORDS.count) for value in (lane, word))
    here = builder.icmp_unsigned("==", lane_numbers(words.type), lane)
    return builder.select(here, words, fill(words.type, 0))


@instruction(lambda first: WORDS(types.int64))
def words_from(builder, first):
    """The words ``first, first + 1, ..``."""
    return builder.add(broadcast(builder, first, WORDS.count), lane_numbers(_LLVM[WORDS]))


@instruction(lambda words: WORDS(WORDS))
def populations(builder, words):
    """Number of bits of each word that are 1."""
    return call(builder, "llvm.ctpop", words, words.type)


@instruction(lambda words: types.uint64(WORDS))
def zero_words(builder, words):
    """The lanes where a word is 0."""
    return bits(builder, builder.icmp_unsigned("==", words, fill(words.type, 0)))


@instruction(lambda words, least: types.uint64(WORDS, types.int64))
def at_least(builder, words, least):
    """The lanes where a word is not less than a number that is not negative."""
    return bits(builder, builder.icmp_unsigned(">=", words, broadcast(builder, least, WORDS.count)))


@instruction(lambda words: types.int64(WORDS))
def total(builder, words):
    """Sum of the words of a vector, modulo 2**64."""
    return call(builder, "llvm.vector.reduce.add", words, I64)


def _mask_intrinsic(predicate, count=64):
    @instruction(lambda rows, *_: types.uint64(rows, types.intp, types.intp, types.int16))
    def mask(builder, rows, row, start, value):
        address = address_of(builder, rows, [row, start], ir.VectorType(I16, count))
        loaded, every = builder.load(address, align=2), broadcast(builder, value, count)
        return bits(builder, builder.icmp_signed(predicate, loaded, every))

    return mask


@instruction(lambda word: types.int64(types.uint64))
def trailing_zeros(builder, word):
    """Index of the lowest bit of a word that is not 0."""
    return builder.cttz(word, ir.Constant(I1, 0))


@instruction(lambda word: types.int64(types.uint64))
def population(builder, word):
    """Number of bits of a word that are 1."""
    return builder.ctpop(word)


# mask(rows, row, start, value): rows (m, >= start + 64) int16 contiguous;
# bit i of the answer is rows[row, start + i] < value; `half` of it are the lower 32 bits
mask_less, half_mask_less = _mask_intrinsic("<"), _mask_intrinsic("<", 32)
mask_less_equal, half_mask_less_equal = _mask_intrinsic("<="), _mask_intrinsic("<=", 32)


def _load_column(builder, table, start, index):
    place = vector_at(builder, table.data, builder.add(start, index), _LLVM[DOUBLES])
    return builder.load(place, align=8)


# Columns are given by the index of their first lane in the contiguous array; lanes % 16 == 0.
_INDEX, _NUMBER = types.int64, types.float64


@instruction(
    lambda table, *_: _NUMBER(table, _INDEX, _INDEX, _INDEX, _NUMBER, _NUMBER, _INDEX),
)
def combine(builder, table, target, u, v, alpha, beta, lanes):
    """Column ``target = alpha u - beta v``; its largest size."""
    alpha, beta = broadcast(builder, alpha, DOUBLES.count), broadcast(builder, beta, DOUBLES.count)
    largest = variable(builder, fill(_LLVM[WORDS], 0))
    with steps(builder, number(0), lanes, DOUBLES.count) as (i, _):
        left = builder.fmul(alpha, _load_column(builder, table, u, i))
        right = builder.fmul(beta, _load_column(builder, table, v, i))
        value = builder.fsub(left, right)
        place = vector_at(builder, table.data, builder.add(target, i), _LLVM[DOUBLES])
        builder.store(value, place, align=8)
        size, known = builder.bitcast(absolute(builder, value), _LLVM[WORDS]), builder.load(largest)
        larger = builder.icmp_signed(">", size, known)
        builder.store(builder.select(larger, size, known), largest)
    top = call(builder, "llvm.vector.reduce.umax", builder.load(largest), I64)
    return builder.bitcast(top, DOUBLE)


@instruction(
    lambda table, source, line, *_: types.void(table, _INDEX, line, _INDEX, _NUMBER, _INDEX),
)
def narrow(builder, table, source, line, target, factor, lanes):
    """A row of `line` = factor * a column, rounded."""
    factor = broadcast(builder, factor, DOUBLES.count)
    half = ir.VectorType(FLOAT, DOUBLES.count)
    # in one store: a load of all would have to wait for two
    with steps(builder, number(0), lanes, 2 * DOUBLES.count) as (i, _):
        halves = []
        for start in (i, builder.add(i, number(DOUBLES.count))):
            value = builder.fmul(_load_column(builder, table, source, start), factor)
            halves.append(builder.fptrunc(value, half))
        value = join(builder, *halves)
        place = vector_at(builder, line.data, builder.add(target, i), value.type)
        builder.store(value, place, align=4)
