"""Crossings of blocks as sortable words, and rows of labels moved by whole vectors."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import models, register_model

from arrangements.kernels.llvm.builder import (
    DOUBLE,
    I8,
    I16,
    I32,
    I64,
    absolute,
    bits,
    broadcast,
    call,
    entry,
    fill,
    instruction,
    number,
    steps,
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

    def __init__(self) -> None:
        super().__init__("Labels")


LABELS: Any = Labels()
_LABELS = ir.VectorType(I8, CHUNK)


@register_model(Labels)
class _LabelsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager, labels):
        super().__init__(manager, labels, _LABELS)


def _find_failures(builder, a, k, least, errors):
    """(lanes whose points are not proved to lie within WIDTH, ``1 / (A + |K|)``)."""
    e_a, e_k = errors
    k_size = absolute(builder, k)
    size = builder.fadd(a, k_size)
    inverse = builder.fdiv(fill(_DOUBLES, 1.0), size)
    wrong = builder.fadd(builder.fmul(e_k, a), builder.fmul(e_a, k_size))
    scale = builder.fmul(fill(_DOUBLES, 1.35), inverse)
    wrong = builder.fmul(builder.fmul(wrong, inverse), scale)
    good = builder.and_(
        builder.fcmp_ordered(">", a, least[0]), builder.fcmp_ordered(">", size, least[1])
    )
    good = builder.and_(good, builder.fcmp_ordered("<", wrong, fill(_DOUBLES, WIDTH)))
    return builder.not_(good), inverse


def _point_keys(builder, k, inverse):
    """Points as the upper bits of words."""
    ints = ir.VectorType(I32, _LANES)
    point = builder.fmul(builder.fmul(k, inverse), fill(_DOUBLES, -UNITS))
    key = builder.xor(builder.fptosi(point, ints), fill(ints, -(2**31)))
    return builder.shl(builder.zext(key, _WORDS), fill(_WORDS, 64 - POINT_BITS))


def _merges_at(builder, words, own, s, multiplier, stride, bound, merges):
    """The words with a bit for each merge, PROVED only if all differences exceed their bounds."""
    found = variable(builder, words)
    unproved = fill(_WORDS, ~(1 << PROVED))
    with steps(builder, number(0), merges, 1) as (q, _):
        first = builder.mul(q, stride)
        mine = broadcast(builder, entry(builder, multiplier, builder.add(first, own)), _LANES)
        place = vector_at(builder, multiplier, builder.add(first, s), _DOUBLES)
        value = builder.fsub(builder.load(place, align=8), mine)
        least = broadcast(builder, entry(builder, bound, q), _LANES)
        proved = builder.fcmp_ordered(">", absolute(builder, value), least)
        sign = builder.lshr(builder.bitcast(value, _WORDS), fill(_WORDS, 63))
        code = builder.shl(sign, broadcast(builder, builder.add(q, number(CODE)), _LANES))
        kept = builder.select(proved, fill(_WORDS, -1), unproved)
        builder.store(builder.or_(builder.and_(builder.load(found), kept), code), found)
    return builder.load(found)


_INDEX = types.int64


@instruction(lambda walk, bound, *_: types.int64(walk, bound, *(_INDEX,) * 5))
def cross_all(builder, walk, bound, at, block, blocks, first, merges):
    """Crossings of one block with those of larger number (and slope), as words.

    They go to ``walk.event[0, first..]``, and up to 7 words more. ``kernels.rankings.workspace``
    describes `walk`, whose numbers of blocks go on for 7 entries after the last block. From `at`
    on, `bound` has the errors of differences of multipliers, slopes and constants.

    Returns how many crossings are not proved to lie within WIDTH. A point is -K / (A + |K|), A > 0
    the difference of the slopes, K that of the constants; ``kernels.rankings.counts`` derives its
    error.
    """
    bound = builder.gep(bound.data, [at])
    stride = builder.extract_value(walk.multiplier.shape, 1)

    def differences(array, start, own):
        place = vector_at(builder, array.data, start, _DOUBLES)
        return builder.fsub(builder.load(place, align=8), own)

    own_slope, own_constant, own_mark = (
        broadcast(builder, entry(builder, array.data, block), _LANES)
        for array in (walk.slope, walk.constant, walk.mark)
    )
    errors = [
        broadcast(builder, entry(builder, bound, builder.add(merges, number(k))), _LANES)
        for k in range(2)
    ]
    least = [builder.fmul(fill(_DOUBLES, 16.0), error) for error in errors]
    above = builder.and_(own_mark, fill(_WORDS, _LABEL))
    above = builder.shl(above, fill(_WORDS, BLOCK_BITS))
    common = builder.or_(own_mark, fill(_WORDS, _LABEL))
    bad = variable(builder, fill(_WORDS, 0))
    next_block = builder.add(block, number(1))
    shift = builder.sub(first, next_block)
    with steps(builder, next_block, blocks, _LANES) as (s, _):
        a, k = differences(walk.slope, s, own_slope), differences(walk.constant, s, own_constant)
        failed, inverse = _find_failures(builder, a, k, least, errors)
        failed = builder.zext(failed, _WORDS)
        builder.store(builder.add(builder.load(bad), failed), bad)
        others = builder.load(vector_at(builder, walk.mark.data, s, _WORDS), align=8)
        pair = builder.or_(above, builder.and_(others, common))
        words = builder.or_(_point_keys(builder, k, inverse), pair)
        multiplier = walk.multiplier.data
        words = _merges_at(builder, words, block, s, multiplier, stride, bound, merges)
        place = vector_at(builder, walk.event.data, builder.add(s, shift), _WORDS)
        builder.store(words, place, align=8)
    return call(builder, "llvm.vector.reduce.add", builder.load(bad), I64)


@instruction(lambda event, start: types.int64(event, _INDEX))
def steps_down(builder, event, start):
    """Bits for TILE words of ``event[0]`` that are larger than the next one."""
    here, there = (
        builder.load(vector_at(builder, event.data, place, _WORDS), align=8)
        for place in (start, builder.add(start, number(1)))
    )
    return bits(builder, builder.icmp_unsigned(">", here, there))


@instruction(lambda row, window, *_: types.void(row, window, _INDEX, _INDEX, _INDEX))
def exchange(builder, row, window, place, difference, width):
    """Exchange the labels at `place` and the next, of `width` bytes each.

    `difference` is the xor of the two, twice if a label is a byte. `window` is 0 but for the bytes
    of two labels from CHUNK on, which are 255. Vectors only: smaller stores would delay the loads
    of `copy_row`.
    """
    shorts = ir.VectorType(I16, CHUNK // 2)
    both = broadcast(builder, builder.trunc(difference, I16), shorts.count)
    low = builder.mul(place, width)
    last = builder.sub(builder.add(low, builder.mul(width, number(2))), number(1))
    start, stop = (builder.and_(end, number(-CHUNK)) for end in (low, last))

    def change(chunk):
        # the pair's bytes, as this chunk sees them
        offset = builder.add(builder.sub(chunk, low), number(CHUNK))
        here = vector_at(builder, window.data, offset, shorts)
        there = vector_at(builder, row.data, chunk, shorts)
        changed = builder.and_(builder.load(here, align=1), both)
        builder.store(builder.xor(builder.load(there, align=1), changed), there, align=1)

    change(start)
    with builder.if_then(builder.icmp_signed("!=", start, stop), likely=False):
        change(stop)


# The same for the first CHUNK labels of one byte, as a value that stays in registers.


@instruction(lambda row: LABELS(row))
def load_labels(builder, row):
    """The first labels of a row."""
    return builder.load(vector_at(builder, row.data, number(0), _LABELS), align=1)


@instruction(lambda labels, out, start: types.void(labels, out, _INDEX))
def store_labels(builder, labels, out, start):
    """Write labels to ``out[start:]``."""
    builder.store(labels, vector_at(builder, out.data, start, _LABELS), align=1)


@instruction(lambda labels, window, *_: LABELS(labels, window, _INDEX, _INDEX))
def exchange_labels(builder, labels, window, place, difference):
    """`exchange` for such a value."""
    here = vector_at(builder, window.data, builder.sub(number(CHUNK), place), _LABELS)
    both = broadcast(builder, builder.trunc(difference, I8), CHUNK)
    return builder.xor(labels, builder.and_(builder.load(here, align=1), both))


@instruction(lambda row, out, start, size: types.void(row, out, _INDEX, _INDEX))
def copy_row(builder, row, out, start, size):
    """Copy the row to the bytes ``out[start:]``, with up to CHUNK - 1 more."""
    with steps(builder, number(0), size, CHUNK) as (i, _):
        here = vector_at(builder, row.data, i, _LABELS)
        there = vector_at(builder, out.data, builder.add(start, i), _LABELS)
        builder.store(builder.load(here, align=1), there, align=1)
