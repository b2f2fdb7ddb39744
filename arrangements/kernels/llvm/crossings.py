"""Crossings of blocks as sortable words, and rows of labels moved by whole vectors."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from arrangements.kernels.llvm.builder import (
    DOUBLE,
    I8,
    I16,
    I32,
    I64,
    absolute,
    array_of,
    bits,
    broadcast,
    call,
    data_of,
    entry,
    filled,
    number,
    steps,
    unpacked,
    variable,
    vector_at,
)

# A crossing is a word. The highest 32 bits are its point: points are proved to lie within WIDTH,
# and a unit of these bits is more than two of that: points whose keys differ by 2 are different.
# The lowest bits are the smallest labels of the two blocks, that of the lower one first. From CODE
# on each merge has a bit, 1 if it is forward at the crossing. Then there are flags.
POINT_BITS, BLOCK_BITS = 32, 11
CODE = 2 * BLOCK_BITS
MOST_MERGES = 6
# Both blocks have one label; both have labels below the last c; the bits of merges are proved.
SINGLE, CHILD, PROVED = 28, 29, 30
WIDTH = 2e-10
UNITS = 2.0**31 - 4096.0
# Bytes of a vector of labels; in `window` the ones of a pair begin here.
CHUNK = 64

TILE = _LANES = 8
_DOUBLES, _WORDS = ir.VectorType(DOUBLE, _LANES), ir.VectorType(I64, _LANES)
_LABEL, _FLAGS = (1 << BLOCK_BITS) - 1, 1 << SINGLE | 1 << CHILD | 1 << PROVED


class Labels(types.Type):  # type: ignore[misc]
    """Numba type of CHUNK labels in a vector register."""

    def __init__(self):
        super().__init__("Labels")


LABELS = Labels()
_LABELS = ir.VectorType(I8, CHUNK)


@register_model(Labels)
class _LabelsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager, labels):
        super().__init__(manager, labels, _LABELS)


def _failed(builder, a, k, least, errors):
    """(lanes whose points are not proved to lie within WIDTH, ``1 / (A + |K|)``)."""
    e_a, e_k = errors
    k_size = absolute(builder, k)
    size = builder.fadd(a, k_size)
    inverse = builder.fdiv(filled(_DOUBLES, 1.0), size)
    wrong = builder.fadd(builder.fmul(e_k, a), builder.fmul(e_a, k_size))
    scale = builder.fmul(filled(_DOUBLES, 1.35), inverse)
    wrong = builder.fmul(builder.fmul(wrong, inverse), scale)
    good = builder.and_(
        builder.fcmp_ordered(">", a, least[0]), builder.fcmp_ordered(">", size, least[1])
    )
    good = builder.and_(good, builder.fcmp_ordered("<", wrong, filled(_DOUBLES, WIDTH)))
    return builder.not_(good), inverse


def _point_keys(builder, k, inverse):
    """Points as the upper bits of words."""
    ints = ir.VectorType(I32, _LANES)
    point = builder.fmul(builder.fmul(k, inverse), filled(_DOUBLES, -UNITS))
    key = builder.xor(builder.fptosi(point, ints), filled(ints, -(2**31)))
    return builder.shl(builder.zext(key, _WORDS), filled(_WORDS, 64 - POINT_BITS))


def _merges_at(builder, words, own, s, multiplier, stride, bound, merges):
    """The words with a bit for each merge, PROVED only if all differences exceed their bounds."""
    found = variable(builder, words)
    unproved = filled(_WORDS, ~(1 << PROVED))
    with steps(builder, number(0), merges, 1) as (q, _):
        first = builder.mul(q, stride)
        mine = broadcast(builder, entry(builder, multiplier, builder.add(first, own)), _LANES)
        place = vector_at(builder, multiplier, builder.add(first, s), _DOUBLES)
        value = builder.fsub(builder.load(place, align=8), mine)
        least = broadcast(builder, entry(builder, bound, q), _LANES)
        proved = builder.fcmp_ordered(">", absolute(builder, value), least)
        sign = builder.lshr(builder.bitcast(value, _WORDS), filled(_WORDS, 63))
        code = builder.shl(sign, broadcast(builder, builder.add(q, number(CODE)), _LANES))
        kept = builder.select(proved, filled(_WORDS, -1), unproved)
        builder.store(builder.or_(builder.and_(builder.load(found), kept), code), found)
    return builder.load(found)


# cross_all(walk, bound, at, block, blocks, first, merges): crossings of one block with those of
# larger number (and slope) as words ``walk.event[0, first..]``, and up to 7 words more. `walk` has
# the numbers of blocks, ``kernels.rankings.workspace`` says which; they go on for 7 entries after
# the last block. From `at` on, `bound` has the errors of differences of multipliers, slopes and
# constants. Returns how many crossings are not proved to lie within WIDTH. A point is
# -K / (A + |K|), A > 0 the difference of the slopes, K that of the constants;
# ``kernels.rankings.counts`` derives its error.
@intrinsic
def cross_all(typingctx, walk, bound, at, block, blocks, first, merges):
    def codegen(context, builder, signature, args):
        walk = unpacked(context, builder, signature.args[0], args[0])
        slope, constant, mark, multiplier, event = (
            array.data
            for array in (walk.slope, walk.constant, walk.mark, walk.multiplier, walk.event)
        )
        stride = builder.extract_value(walk.multiplier.shape, 1)
        at, block, blocks, first, merges = args[2:]
        bound = array_of(context, builder, signature.args[1], args[1]).data
        bound = builder.gep(bound, [at])

        def differences(pointer, start, own):
            place = vector_at(builder, pointer, start, _DOUBLES)
            return builder.fsub(builder.load(place, align=8), own)

        own_slope, own_constant, own_mark = (
            broadcast(builder, entry(builder, pointer, block), _LANES)
            for pointer in (slope, constant, mark)
        )
        errors = [
            broadcast(builder, entry(builder, bound, builder.add(merges, number(k))), _LANES)
            for k in range(2)
        ]
        least = [builder.fmul(filled(_DOUBLES, 16.0), error) for error in errors]
        above = builder.and_(own_mark, filled(_WORDS, _LABEL))
        above = builder.shl(above, filled(_WORDS, BLOCK_BITS))
        common = builder.or_(own_mark, filled(_WORDS, _LABEL))
        bad = variable(builder, filled(_WORDS, 0))
        next_block = builder.add(block, number(1))
        shift = builder.sub(first, next_block)
        with steps(builder, next_block, blocks, _LANES) as (s, _):
            a, k = differences(slope, s, own_slope), differences(constant, s, own_constant)
            failed, inverse = _failed(builder, a, k, least, errors)
            failed = builder.zext(failed, _WORDS)
            builder.store(builder.add(builder.load(bad), failed), bad)
            others = builder.load(vector_at(builder, mark, s, _WORDS), align=8)
            pair = builder.or_(above, builder.and_(others, common))
            words = builder.or_(_point_keys(builder, k, inverse), pair)
            words = _merges_at(builder, words, block, s, multiplier, stride, bound, merges)
            place = vector_at(builder, event, builder.add(s, shift), _WORDS)
            builder.store(words, place, align=8)
        return call(builder, "llvm.vector.reduce.add", builder.load(bad), I64)

    return types.int64(walk, bound, *(types.int64,) * 5), codegen


# steps_down(event, start): bits for TILE words of ``event[0]`` that are larger than the next one.
@intrinsic
def steps_down(typingctx, event, start):
    def codegen(context, builder, signature, args):
        (event,) = data_of(context, builder, signature, args, 1)
        here, there = (
            builder.load(vector_at(builder, event, place, _WORDS), align=8)
            for place in (args[1], builder.add(args[1], number(1)))
        )
        return bits(builder, builder.icmp_unsigned(">", here, there))

    return types.int64(event, types.int64), codegen


# exchange(row, window, place, difference, width): exchange the labels at `place` and the next, of
# `width` bytes each; `difference` is the xor of the two, twice if a label is a byte. Vectors only:
# smaller stores would delay the loads of `copy_row`. `window` is 0 but for the bytes of two labels
# from CHUNK on, which are 255.
@intrinsic
def exchange(typingctx, row, window, place, difference, width):
    def codegen(context, builder, signature, args):
        row, window = data_of(context, builder, signature, args, 2)
        place, difference, width = args[2:]
        shorts = ir.VectorType(I16, CHUNK // 2)
        both = broadcast(builder, builder.trunc(difference, I16), shorts.count)
        low = builder.mul(place, width)
        last = builder.sub(builder.add(low, builder.mul(width, number(2))), number(1))
        start, stop = (builder.and_(end, number(-CHUNK)) for end in (low, last))

        def change(chunk):
            # the pair's bytes, as this chunk sees them
            offset = builder.add(builder.sub(chunk, low), number(CHUNK))
            here = vector_at(builder, window, offset, shorts)
            there = vector_at(builder, row, chunk, shorts)
            changed = builder.and_(builder.load(here, align=1), both)
            builder.store(builder.xor(builder.load(there, align=1), changed), there, align=1)

        change(start)
        with builder.if_then(builder.icmp_signed("!=", start, stop), likely=False):
            change(stop)
        return context.get_dummy_value()

    return types.void(row, window, *(types.int64,) * 3), codegen


# load_labels(row), exchange_labels(labels, window, place, difference), store_labels(labels, out,
# start): the same for the first CHUNK labels of one byte, as a value that stays in registers.
@intrinsic
def load_labels(typingctx, row):
    def codegen(context, builder, signature, args):
        (row,) = data_of(context, builder, signature, args, 1)
        return builder.load(vector_at(builder, row, number(0), _LABELS), align=1)

    return LABELS(row), codegen


@intrinsic
def store_labels(typingctx, labels, out, start):
    def codegen(context, builder, signature, args):
        out = array_of(context, builder, signature.args[1], args[1]).data
        builder.store(args[0], vector_at(builder, out, args[2], _LABELS), align=1)
        return context.get_dummy_value()

    return types.void(labels, out, types.int64), codegen


@intrinsic
def exchange_labels(typingctx, labels, window, place, difference):
    def codegen(context, builder, signature, args):
        window = array_of(context, builder, signature.args[1], args[1]).data
        here = vector_at(builder, window, builder.sub(number(CHUNK), args[2]), _LABELS)
        both = broadcast(builder, builder.trunc(args[3], I8), CHUNK)
        return builder.xor(args[0], builder.and_(builder.load(here, align=1), both))

    return LABELS(labels, window, types.int64, types.int64), codegen


# copy_row(row, out, start, size): the row as bytes start.. of `out`, and up to CHUNK - 1 more.
@intrinsic
def copy_row(typingctx, row, out, start, size):
    def codegen(context, builder, signature, args):
        row, out = data_of(context, builder, signature, args, 2)
        start, size = args[2:]
        with steps(builder, number(0), size, CHUNK) as (i, _):
            here = vector_at(builder, row, i, _LABELS)
            there = vector_at(builder, out, builder.add(start, i), _LABELS)
            builder.store(builder.load(here, align=1), there, align=1)
        return context.get_dummy_value()

    return types.void(row, out, types.int64, types.int64), codegen
