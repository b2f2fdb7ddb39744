"""Crossings of blocks as sortable words, and rows of labels moved by whole vectors."""

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

# A crossing is a word: its point in 32 bits, then the ranks of the two blocks in 16 bits each.
# Points are proved to lie within WIDTH, and a unit of the 32 bits is more than two of that: points
# whose keys differ by 2 are different.
POINT_BITS, RANK_BITS = 32, 16
WIDTH = 2e-10
_UNITS = 2.0**31 - 4096.0
# Bytes of a vector of labels; in `window` the ones of a pair begin here.
CHUNK = 64

_I16, _I32, _I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_DOUBLE = ir.DoubleType()
_LANES = 8


class Labels(types.Type):  # type: ignore[misc]
    """Numba type of CHUNK labels in a vector register."""

    def __init__(self):
        super().__init__("Labels")


LABELS = Labels()
_LABELS = ir.VectorType(ir.IntType(8), CHUNK)


@register_model(Labels)
class _LabelsModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager, labels):
        super().__init__(manager, labels, _LABELS)


def _splat(builder, value, lanes):
    undefined = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, lanes), [0] * lanes)
    return builder.shuffle_vector(single, undefined, zeros)


def _data(context, builder, signature, args, number):
    return [
        context.make_array(t)(context, builder, v).data
        for t, v in zip(signature.args[:number], args[:number], strict=True)
    ]


@intrinsic
def _cross_all(typingctx, slope, constant, event, rank, blocks, first, e_a, e_k):
    def codegen(context, builder, signature, args):
        slope, constant, event = _data(context, builder, signature, args, 3)
        rank, blocks, first, e_a, e_k = args[3:]
        doubles, words = ir.VectorType(_DOUBLE, _LANES), ir.VectorType(_I64, _LANES)
        ints = ir.VectorType(_I32, _LANES)

        def numbers(value):
            return ir.Constant(doubles, [value] * _LANES)

        def load(pointer, index):
            place = builder.bitcast(builder.gep(pointer, [index]), doubles.as_pointer())
            return builder.load(place, align=8)

        my_slope = _splat(builder, builder.load(builder.gep(slope, [rank])), _LANES)
        my_constant = _splat(builder, builder.load(builder.gep(constant, [rank])), _LANES)
        e_a, e_k = _splat(builder, e_a, _LANES), _splat(builder, e_k, _LANES)
        least_slope, least_size = (builder.fmul(numbers(16.0), x) for x in (e_a, e_k))
        above = _splat(builder, builder.shl(rank, ir.Constant(_I64, RANK_BITS)), _LANES)
        lanes = ir.Constant(words, list(range(_LANES)))
        bad = cgutils.alloca_once_value(builder, ir.Constant(words, [0] * _LANES))
        next_rank = builder.add(rank, ir.Constant(_I64, 1))
        shift = builder.sub(first, next_rank)
        with cgutils.for_range_slice(
            builder, next_rank, blocks, ir.Constant(_I64, _LANES), inc=True
        ) as (s, _):
            a = builder.fsub(load(slope, s), my_slope)
            k = builder.fsub(load(constant, s), my_constant)
            bits = builder.and_(
                builder.bitcast(k, words), ir.Constant(words, [0x7FFFFFFFFFFFFFFF] * _LANES)
            )
            k_size = builder.bitcast(bits, doubles)
            size = builder.fadd(a, k_size)
            inverse = builder.fdiv(numbers(1.0), size)
            wrong = builder.fadd(builder.fmul(e_k, a), builder.fmul(e_a, k_size))
            wrong = builder.fmul(builder.fmul(wrong, inverse), builder.fmul(numbers(1.35), inverse))
            good = builder.and_(
                builder.fcmp_ordered(">", a, least_slope),
                builder.fcmp_ordered(">", size, least_size),
            )
            good = builder.and_(good, builder.fcmp_ordered("<", wrong, numbers(WIDTH)))
            failed = builder.zext(builder.not_(good), words)
            builder.store(builder.add(builder.load(bad), failed), bad)
            point = builder.fmul(builder.fmul(k, inverse), numbers(-_UNITS))
            key = builder.fptosi(point, ints)
            key = builder.xor(key, ir.Constant(ints, [-(2**31)] * _LANES))
            key = builder.shl(
                builder.zext(key, words), ir.Constant(words, [64 - POINT_BITS] * _LANES)
            )
            ranks = builder.or_(above, builder.add(_splat(builder, s, _LANES), lanes))
            place = builder.gep(event, [builder.add(s, shift)])
            place = builder.bitcast(place, words.as_pointer())
            builder.store(builder.or_(key, ranks), place, align=8)
        name = f"llvm.vector.reduce.add.v{_LANES}i64"
        reduce = cgutils.get_or_insert_function(
            builder.module, name=name, fnty=ir.FunctionType(_I64, [words])
        )
        return builder.call(reduce, [builder.load(bad)])

    scalars = (*(types.int64,) * 3, *(types.float64,) * 2)
    return types.int64(slope, constant, event, *scalars), codegen


@intrinsic
def _exchange(typingctx, row, window, place, difference, width):
    def codegen(context, builder, signature, args):
        row, window = _data(context, builder, signature, args, 2)
        place, difference, width = args[2:]
        lanes = CHUNK // 2
        shorts = ir.VectorType(_I16, lanes)
        both = _splat(builder, builder.trunc(difference, _I16), lanes)
        low = builder.mul(place, width)
        last = builder.sub(
            builder.add(low, builder.mul(width, ir.Constant(_I64, 2))), ir.Constant(_I64, 1)
        )
        mask = ir.Constant(_I64, -CHUNK)
        start, stop = builder.and_(low, mask), builder.and_(last, mask)

        def change(chunk):
            # the pair's bytes, as this chunk sees them
            offset = builder.add(builder.sub(chunk, low), ir.Constant(_I64, CHUNK))
            here = builder.bitcast(builder.gep(window, [offset]), shorts.as_pointer())
            there = builder.bitcast(builder.gep(row, [chunk]), shorts.as_pointer())
            change = builder.and_(builder.load(here, align=1), both)
            builder.store(builder.xor(builder.load(there, align=1), change), there, align=1)

        change(start)
        with builder.if_then(builder.icmp_signed("!=", start, stop), likely=False):
            change(stop)
        return context.get_dummy_value()

    return types.void(row, window, *(types.int64,) * 3), codegen


@intrinsic
def _load_labels(typingctx, row):
    def codegen(context, builder, signature, args):
        (row,) = _data(context, builder, signature, args, 1)
        return builder.load(builder.bitcast(row, _LABELS.as_pointer()), align=1)

    return LABELS(row), codegen


@intrinsic
def _store_labels(typingctx, labels, out, start):
    def codegen(context, builder, signature, args):
        out = context.make_array(signature.args[1])(context, builder, args[1]).data
        there = builder.bitcast(builder.gep(out, [args[2]]), _LABELS.as_pointer())
        builder.store(args[0], there, align=1)
        return context.get_dummy_value()

    return types.void(labels, out, types.int64), codegen


@intrinsic
def _exchange_labels(typingctx, labels, window, place, difference):
    def codegen(context, builder, signature, args):
        window = context.make_array(signature.args[1])(context, builder, args[1]).data
        offset = builder.sub(ir.Constant(_I64, CHUNK), args[2])
        here = builder.bitcast(builder.gep(window, [offset]), _LABELS.as_pointer())
        both = _splat(builder, builder.trunc(args[3], ir.IntType(8)), CHUNK)
        return builder.xor(args[0], builder.and_(builder.load(here, align=1), both))

    return LABELS(labels, window, types.int64, types.int64), codegen


@intrinsic
def _copy_row(typingctx, row, out, start, size):
    def codegen(context, builder, signature, args):
        row, out = _data(context, builder, signature, args, 2)
        start, size = args[2:]
        bytes_ = ir.VectorType(ir.IntType(8), CHUNK)
        with cgutils.for_range_slice(
            builder, ir.Constant(_I64, 0), size, ir.Constant(_I64, CHUNK), inc=True
        ) as (i, _):
            here = builder.bitcast(builder.gep(row, [i]), bytes_.as_pointer())
            there = builder.gep(out, [builder.add(start, i)])
            there = builder.bitcast(there, bytes_.as_pointer())
            builder.store(builder.load(here, align=1), there, align=1)
        return context.get_dummy_value()

    return types.void(row, out, types.int64, types.int64), codegen


def _cross_all_plain(slope, constant, event, rank, blocks, first, e_a, e_k):
    a = slope[rank + 1 : blocks] - slope[rank]
    k = constant[rank + 1 : blocks] - constant[rank]
    with np.errstate(all="ignore"):
        size = a + np.abs(k)
        wrong = 1.35 * (e_k * a + e_a * np.abs(k)) / size / size
        good = (a > 16.0 * e_a) & (size > 16.0 * e_k) & (wrong < WIDTH)
        key = np.where(good, k / size * -_UNITS, 0.0).astype(np.int64) + 2**31
    ranks = (rank << RANK_BITS) + np.arange(rank + 1, blocks)
    words = (key.astype(np.uint64) << np.uint64(64 - POINT_BITS)) | ranks.astype(np.uint64)
    event.reshape(-1)[first : first + blocks - rank - 1] = words
    return int((~good).sum())


def _exchange_plain(row, window, place, difference, width):
    labels = row.view(np.uint8 if width == 1 else np.uint16)
    labels[place : place + 2] = labels[place : place + 2][::-1].copy()


def _load_labels_plain(row):
    return row[:CHUNK].copy()


def _store_labels_plain(labels, out, start):
    out.reshape(-1)[start : start + CHUNK] = labels


def _exchange_labels_plain(labels, window, place, difference):
    changed = labels.copy()
    changed[place : place + 2] ^= np.uint8(difference)
    return changed


def _copy_row_plain(row, out, start, size):
    stop = min(-(-size // CHUNK) * CHUNK, out.size - start)
    out.reshape(-1)[start : start + stop] = row[:stop]


# cross_all(slope, constant, event, rank, blocks, first, e_a, e_k): crossings of the block `rank`
# with those of larger rank (and slope) as words ``event[0, first..]``, and up to 7 words more. The
# two lists go on for 7 entries after the last block. Returns how many are not proved to lie within
# WIDTH. A point is -K / (A + |K|), A > 0 the difference of the slopes, K that of the constants; its
# error is that of ``ranking_counts``.
#
# exchange(row, window, place, difference, width): exchange the labels at `place` and the next, of
# `width` bytes each; `difference` is the xor of the two, twice if a label is a byte. Vectors only:
# smaller stores would delay the loads of `copy_row`. `window` is 0 but for the bytes of two labels
# from CHUNK on, which are 255.
#
# load_labels(row), exchange_labels(labels, window, place, difference), store_labels(labels, out,
# start): the same for the first CHUNK labels of one byte, as a value that stays in registers.
#
# copy_row(row, out, start, size): the row as bytes start.. of `out`, and up to CHUNK - 1 more.
if config.DISABLE_JIT:
    cross_all, exchange, copy_row = _cross_all_plain, _exchange_plain, _copy_row_plain
    load_labels, store_labels = _load_labels_plain, _store_labels_plain
    exchange_labels = _exchange_labels_plain
else:
    cross_all, exchange, copy_row = _cross_all, _exchange, _copy_row
    load_labels, store_labels, exchange_labels = _load_labels, _store_labels, _exchange_labels
