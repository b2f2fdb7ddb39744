"""Rankings of up to 64 labels at points of a line, one after the other, in vector registers.

The place of a label is the number of labels with a larger score: one comparison of each label with
all the others at once. The accumulators must stay in registers, which a loop over an array
would not let them; so this is LLVM code, like ``kernels.masks``.
"""

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

# Bit of a code that says that the slope is negative; those below belong to the merges.
NEGATIVE_BIT = 1 << 30
MOST_MERGES = 29
# Scores are scaled to at most REACH in size. A key and a margin, at most 301 or 0.01 WIDE_REACH +
# 1, must add up to less than 2**15 or 2**31.
REACH = 30000.0
WIDE_OFFSET, WIDE_REACH = 2.0**30, 2.0**30 - 2.0**24
# Merges that share a table of what they add to the places.
GROUP = 3
# Numbers for all pairs of 64 labels, and a vector.
STRIDE = 64 * 63 // 2 + 16

# A number near it is an integer in the last bits of its pattern.
_ROUND = 1.5 * 2.0**23
# Half a register in `aim`, for most labels have few smaller ones.
_CHUNK, _SHORTS = 8, 16
# Few labels are compared with four at a time, as if there were a multiple of four; the others have
# the least key. (A loop that LLVM unrolls takes 5 % longer for 12 labels, and 10 % less for 22.)
_PADDED, _UNROLL = 16, 4
_I8, _I16, _I32, _I64 = (ir.IntType(width) for width in (8, 16, 32, 64))
_FLOAT = ir.FloatType()


def _splat(builder, value, lanes):
    vector = ir.VectorType(value.type, lanes)
    undefined = ir.Constant(vector, ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, lanes), [0] * lanes)
    return builder.shuffle_vector(single, undefined, zeros)


def _part(builder, vector, start, length):
    """Entries start.. of a vector."""
    index = ir.Constant(ir.VectorType(_I32, length), list(range(start, start + length)))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), index)


def _joined(builder, parts):
    """The vectors one after the other; their number is a power of two."""
    while len(parts) > 1:
        length = 2 * parts[0].type.count
        index = ir.Constant(ir.VectorType(_I32, length), list(range(length)))
        parts = [
            builder.shuffle_vector(left, right, index)
            for left, right in zip(parts[::2], parts[1::2], strict=True)
        ]
    return parts[0]


def _at(builder, pointer, index, kind):
    """Pointer to the vector that starts at an entry."""
    return builder.bitcast(builder.gep(pointer, [index]), kind.as_pointer())


def _entry(builder, pointer, index):
    return builder.load(builder.gep(pointer, [index]))


def _pointers(context, builder, signature, args, number):
    return [
        context.make_array(kind)(context, builder, value).data
        for kind, value in zip(signature.args[:number], args[:number], strict=True)
    ]


def _keys(builder, score, integer):
    """Scores as integers in their order."""
    lanes, words = score.type.count, ir.VectorType(_I32, score.type.count)
    center = _ROUND if integer is _I16 else WIDE_OFFSET
    moved = builder.fadd(score, _splat(builder, ir.Constant(_FLOAT, center), lanes))
    if integer is _I16:
        return builder.trunc(builder.bitcast(moved, words), ir.VectorType(_I16, lanes))
    return builder.fptosi(moved, words)


def _number_larger(builder, key, keys, margin, rows):
    """For each lane, how many labels have a larger key, by more than the margin."""
    integer, lanes = keys.type.element, keys.type.count
    limit = builder.add(keys, _splat(builder, margin, lanes))
    # signed and in halves of 256 bits, as only such vectors compare without mask registers
    half = min(lanes, 256 // integer.width)
    halves = range(0, lanes, half)
    zeros = ir.Constant(ir.VectorType(integer, half), [0] * half)
    counts = [cgutils.alloca_once_value(builder, zeros) for _ in halves]
    limits = [_part(builder, limit, start, half) for start in halves]

    def compare(label):
        other = _splat(builder, _entry(builder, key, label), half)
        for count, bound in zip(counts, limits, strict=True):
            larger = builder.sext(builder.icmp_signed(">", other, bound), zeros.type)
            builder.store(builder.sub(builder.load(count), larger), count)

    if lanes == _PADDED:
        zero, step = ir.Constant(_I64, 0), ir.Constant(_I64, _UNROLL)
        with cgutils.for_range_slice(builder, zero, rows, step, inc=True) as (first, _):
            for i in range(_UNROLL):
                compare(builder.add(first, ir.Constant(_I64, i)))
    else:
        with cgutils.for_range(builder, rows) as loop:
            compare(loop.index)
    larger = _joined(builder, [builder.load(count) for count in counts])
    return larger if integer is _I16 else builder.trunc(larger, ir.VectorType(_I16, lanes))


def _sum(builder, places):
    """Of places below 64: sums of bytes are an instruction of their own."""
    lanes = places.type.count
    octets = builder.trunc(places, ir.VectorType(_I8, lanes))
    terms = builder.zext(octets, ir.VectorType(_I32, lanes))
    kind = ir.FunctionType(_I32, [terms.type])
    name = f"llvm.vector.reduce.add.v{lanes}i32"
    reduce = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.zext(builder.call(reduce, [terms]), _I64)


def _rank_lanes(builder, lanes, integer, arrays, scalars):
    """`rank` for a number of lanes."""
    shorts, singles = ir.VectorType(_I16, lanes), ir.VectorType(_FLOAT, lanes)
    numbers = ir.VectorType(integer, lanes)
    line, block, size, inner, factor, verdict, out = arrays
    e, groups, j, first_a, first_c, number, rows, count = scalars
    zero, one, width = (ir.Constant(_I64, value) for value in (0, 1, lanes))
    stride, group = ir.Constant(_I64, STRIDE), ir.Constant(_I64, GROUP)
    slopes = builder.load(_at(builder, line, zero, singles), align=4)
    constants = builder.load(_at(builder, line, width, singles), align=4)
    own = builder.mul(e, width)
    blocks = builder.load(_at(builder, block, own, shorts), align=2)
    index = ir.Constant(shorts, list(range(lanes)))
    used = builder.icmp_signed("<", index, _splat(builder, builder.trunc(rows, _I16), lanes))
    nothing = ir.Constant(shorts, [0] * lanes)
    least = ir.Constant(numbers, [-(1 << (integer.width - 1))] * lanes)
    full = builder.lshr(builder.mul(rows, builder.sub(rows, one)), one)
    write = builder.icmp_signed(">=", count, zero)
    key_slot, place_slot = (cgutils.alloca_once(builder, kind) for kind in (numbers, shorts))
    key = builder.bitcast(key_slot, integer.as_pointer())
    position = builder.bitcast(place_slot, _I16.as_pointer())
    a_slot, c_slot, done, target = (
        cgutils.alloca_once_value(builder, value)
        for value in (first_a, first_c, zero, builder.gep(out, [builder.mul(count, rows)]))
    )

    def merged(code, which):
        """What the inner orders of blocks add, that the merges of a group have made."""
        shift = builder.mul(which, group)
        bits = builder.and_(builder.lshr(code, shift), ir.Constant(_I64, (1 << GROUP) - 1))
        row = builder.add(builder.shl(which, group), bits)
        return builder.load(_at(builder, inner, builder.mul(row, width), shorts), align=2)

    with cgutils.for_range(builder, number) as loop:
        here = builder.add(j, loop.index)
        there = builder.add(here, stride)
        code = builder.sext(_entry(builder, verdict, here), _I64)
        with builder.if_then(builder.icmp_signed("<", code, zero), likely=False):
            loop.do_break()
        by = _splat(builder, _entry(builder, factor, here), lanes)
        less = _splat(builder, _entry(builder, factor, there), lanes)
        score = builder.fsub(builder.fmul(constants, by), builder.fmul(slopes, less))
        keys = _keys(builder, score, integer)
        if lanes == _PADDED:
            keys = builder.select(used, keys, least)
        builder.store(keys, key_slot)
        # of the two blocks that cross here, the lower one is behind the other
        a, c = builder.load(a_slot), builder.load(c_slot)
        negative = builder.icmp_signed(">=", code, ir.Constant(_I64, NEGATIVE_BIT))
        upper, lower = builder.select(negative, c, a), builder.select(negative, a, c)
        above = _entry(builder, size, builder.add(own, upper))
        is_lower = builder.icmp_signed(
            "==", blocks, _splat(builder, builder.trunc(lower, _I16), lanes)
        )
        start = builder.select(is_lower, _splat(builder, above, lanes), nothing)
        total = cgutils.alloca_once_value(builder, builder.add(start, merged(code, zero)))
        with cgutils.for_range_slice(builder, one, groups, one, inc=True) as (which, _):
            builder.store(builder.add(builder.load(total), merged(code, which)), total)
        margin = builder.trunc(builder.zext(_entry(builder, verdict, there), _I64), integer)
        larger = _number_larger(builder, key, keys, margin, rows)
        places = builder.add(builder.load(total), larger)
        builder.store(places, place_slot)
        counted = builder.select(used, places, nothing)
        wrong = builder.icmp_signed("!=", _sum(builder, counted), full)
        with builder.if_then(wrong, likely=False):
            loop.do_break()
        with builder.if_then(write):
            row = builder.load(target)
            with cgutils.for_range(builder, rows) as label:
                place = builder.zext(_entry(builder, position, label.index), _I64)
                builder.store(builder.trunc(label.index, _I8), builder.gep(row, [place]))
            builder.store(builder.gep(row, [rows]), target)
        builder.store(builder.add(loop.index, one), done)
        next_a = builder.add(a, one)
        wraps = builder.icmp_signed("==", next_a, c)
        builder.store(builder.select(wraps, zero, next_a), a_slot)
        builder.store(builder.add(c, builder.zext(wraps, _I64)), c_slot)
    return builder.load(done)


def _for_lanes(builder, pad, emit):
    """What `emit` makes, for the number of lanes that there are; its value."""
    result = cgutils.alloca_once_value(builder, ir.Constant(_I64, 0))
    for lanes in (16, 32, 64):
        with builder.if_then(builder.icmp_signed("==", pad, ir.Constant(_I64, lanes))):
            builder.store(emit(lanes), result)
    return builder.load(result)


def _rank_intrinsic(integer):
    @intrinsic
    def rank(
        typingctx, line, block, size, inner, factor, verdict, out,
        e, groups, j, a, c, number, rows, count, pad,
    ):  # fmt: skip
        def codegen(context, builder, signature, args):
            arrays = _pointers(context, builder, signature, args, 7)
            scalars = args[7:-1]
            return _for_lanes(
                builder,
                args[-1],
                lambda lanes: _rank_lanes(builder, lanes, integer, arrays, scalars),
            )

        arrays = (line, block, size, inner, factor, verdict, out)
        return types.int64(*arrays, *(types.int64,) * 9), codegen

    return rank


def _sum_lanes(builder, lanes, shift, inner, merges):
    """`sum_shifts` for a number of lanes."""
    shorts = ir.VectorType(_I16, lanes)
    one, width, group = (ir.Constant(_I64, value) for value in (1, lanes, GROUP))
    nothing = ir.Constant(shorts, [0] * lanes)

    def row(pointer, index):
        return _at(builder, pointer, builder.mul(index, width), shorts)

    groups = builder.sdiv(builder.add(merges, ir.Constant(_I64, GROUP - 1)), group)
    some = builder.select(builder.icmp_signed(">", groups, one), groups, one)
    with cgutils.for_range(builder, some) as loop:
        sums = [nothing]
        for k in range(GROUP):
            q = builder.add(builder.mul(loop.index, group), ir.Constant(_I64, k))
            # a merge that there is not is backward, and adds nothing
            is_there = builder.icmp_signed("<", q, merges)
            twice = builder.shl(q, one)
            backward, forward = (
                builder.load(row(shift, builder.add(twice, ir.Constant(_I64, which))), align=2)
                for which in (0, 1)
            )
            backward = builder.select(is_there, backward, nothing)
            sums = [builder.add(known, backward) for known in sums] + [
                builder.add(known, forward) for known in sums
            ]
        first = builder.shl(loop.index, group)
        for code, total in enumerate(sums):
            place = builder.add(first, ir.Constant(_I64, code))
            builder.store(total, row(inner, place), align=2)
    return ir.Constant(_I64, 0)


@intrinsic
def _sum_shifts(typingctx, shift, inner, merges, pad):
    def codegen(context, builder, signature, args):
        arrays = _pointers(context, builder, signature, args, 2)
        return _for_lanes(
            builder, args[3], lambda lanes: _sum_lanes(builder, lanes, *arrays, args[2])
        )

    return types.int64(shift, inner, types.int64, types.int64), codegen


@intrinsic
def _aim(typingctx, line, blur, factor, verdict, e, last, pad):
    def codegen(context, builder, signature, args):
        line, blur, factor, verdict = _pointers(context, builder, signature, args, 4)
        e, last, pad = args[4:]
        singles, words = ir.VectorType(_FLOAT, _CHUNK), ir.VectorType(_I32, _CHUNK)
        zero, one, two = (ir.Constant(_I64, value) for value in range(3))
        chunk, stride = ir.Constant(_I64, _CHUNK), ir.Constant(_I64, STRIDE)

        def constant(value, kind=singles):
            return ir.Constant(kind, [value] * _CHUNK)

        def size(value):
            bits = builder.and_(builder.bitcast(value, words), constant(0x7FFFFFFF, words))
            return builder.bitcast(bits, singles)

        def error(row):
            return _splat(builder, _entry(builder, blur, row), _CHUNK)

        def pairs(c, first):
            """The pairs of c with the labels from `first` on."""

            def difference(row):
                lane = builder.mul(row, pad)
                mine = _splat(builder, _entry(builder, line, builder.add(lane, c)), _CHUNK)
                others = _at(builder, line, builder.add(lane, first), singles)
                return builder.fsub(builder.load(others, align=4), mine)

            a, k = difference(zero), difference(one)
            a_size, k_size = size(a), size(k)
            scale = builder.fdiv(constant(2.0 * REACH), builder.fadd(a_size, k_size))
            wrong = builder.fadd(
                builder.fmul(builder.fadd(constant(1.02), k_size), e_a),
                builder.fmul(builder.fadd(constant(1.02), a_size), e_k),
            )
            wrong = builder.fadd(
                builder.fmul(builder.fmul(wrong, scale), constant(1.01)), constant(0.05)
            )
            negative = builder.fcmp_ordered("<", a, constant(0.0))
            sure = builder.and_(
                builder.fcmp_ordered(">", a_size, e_a),
                builder.fcmp_ordered("<", wrong, constant(300.0)),
            )
            start = builder.select(negative, constant(NEGATIVE_BIT, words), constant(0, words))
            code = cgutils.alloca_once_value(builder, start)
            # words, for LLVM would carry masks from one turn to the next bit by bit
            proved = cgutils.alloca_once_value(builder, builder.sext(sure, words))
            with cgutils.for_range(builder, e) as loop:
                row = builder.add(loop.index, two)
                x = difference(row)
                below = builder.fcmp_ordered("<", x, constant(0.0))
                bit = builder.shl(ir.Constant(_I32, 1), builder.trunc(loop.index, _I32))
                forward = builder.select(
                    builder.xor(below, negative), _splat(builder, bit, _CHUNK), constant(0, words)
                )
                builder.store(builder.or_(builder.load(code), forward), code)
                certain = builder.sext(builder.fcmp_ordered(">", size(x), error(row)), words)
                builder.store(builder.and_(builder.load(proved), certain), proved)
            proved = builder.icmp_signed("!=", builder.load(proved), constant(0, words))
            margin = builder.add(builder.fptosi(wrong, words), constant(1, words))
            scale = builder.select(negative, builder.fneg(scale), scale)
            answer = builder.select(proved, builder.load(code), constant(-1, words))
            number = builder.lshr(builder.mul(c, builder.sub(c, one)), one)
            here = builder.add(number, first)
            there = builder.add(here, stride)
            builder.store(builder.fmul(a, scale), _at(builder, factor, here, singles), align=4)
            builder.store(builder.fmul(k, scale), _at(builder, factor, there, singles), align=4)
            builder.store(answer, _at(builder, verdict, here, words), align=4)
            builder.store(margin, _at(builder, verdict, there, words), align=4)

        e_a, e_k = error(zero), error(one)
        with cgutils.for_range_slice(builder, one, last, one, inc=True) as (c, _):
            # what is behind the pairs of c is overwritten by those of c + 1
            with cgutils.for_range_slice(builder, zero, c, chunk, inc=True) as (first, _):
                pairs(c, first)
        return context.get_dummy_value()

    arrays = (line, blur, factor, verdict)
    return types.void(*arrays, *(types.int64,) * 3), codegen


def _aim_plain(line, blur, factor, verdict, e, last, pad):
    for c in range(1, last):
        pairs = slice(c * (c - 1) // 2, c * (c + 1) // 2)
        found = line[: e + 2, :c] - line[: e + 2, c : c + 1]
        sizes = np.abs(found)
        with np.errstate(all="ignore"):
            scale = 2.0 * REACH / (sizes[0] + sizes[1])
            wrong = (1.02 + sizes[1]) * blur[0] + (1.02 + sizes[0]) * blur[1]
            wrong = 1.01 * wrong * scale + 0.05
            certain = sizes > blur[: e + 2, None]
            proved = (wrong < 300.0) & certain[[0, *range(2, e + 2)]].all(axis=0)
            negative = found[0] < 0
            scale = np.where(negative, -scale, scale)
            factor[0, pairs], factor[1, pairs] = found[0] * scale, found[1] * scale
            verdict[1, pairs] = np.where(proved, wrong, 0.0) + 1
        code = np.where(negative, NEGATIVE_BIT, 0)
        for q in range(e):
            code |= ((found[2 + q] < 0) != negative).astype(np.int32) << q
        verdict[0, pairs] = np.where(proved, code, -1)


@intrinsic
def _merge(typingctx, block, size, shift, e, a, c, upper, lower, pad):
    def codegen(context, builder, signature, args):
        block, size, shift = _pointers(context, builder, signature, args, 3)
        e, a, c, upper, lower, pad = args[3:]
        shorts = ir.VectorType(_I16, _SHORTS)
        nothing = ir.Constant(shorts, [0] * _SHORTS)
        zero, one, step = (ir.Constant(_I64, value) for value in (0, 1, _SHORTS))
        old = builder.mul(e, pad)
        new, backward = builder.add(old, pad), builder.shl(old, one)
        forward = builder.add(backward, pad)
        below = _entry(builder, size, builder.add(old, lower))
        above = _entry(builder, size, builder.add(old, upper))

        def label(value):
            return _splat(builder, builder.trunc(value, _I16), _SHORTS)

        with cgutils.for_range_slice(builder, zero, pad, step, inc=True) as (i, _):

            def load(pointer, start):
                return builder.load(_at(builder, pointer, builder.add(start, i), shorts), align=2)

            def store(value, pointer, start):
                place = _at(builder, pointer, builder.add(start, i), shorts)
                builder.store(value, place, align=2)

            blocks = load(block, old)
            is_upper, is_lower, is_c = (
                builder.icmp_signed("==", blocks, label(x)) for x in (upper, lower, c)
            )
            for which, size_of_other, place in (
                (is_upper, below, backward),
                (is_lower, above, forward),
            ):
                more = _splat(builder, size_of_other, _SHORTS)
                store(builder.select(which, more, nothing), shift, place)
            store(builder.select(is_c, label(a), blocks), block, new)
            store(load(size, old), size, new)
        builder.store(builder.add(below, above), builder.gep(size, [builder.add(new, a)]))
        return context.get_dummy_value()

    return types.void(block, size, shift, *(types.int64,) * 6), codegen


def _merge_plain(block, size, shift, e, a, c, upper, lower, pad):
    below, above = size[e, lower], size[e, upper]
    shift[e, 0] = np.where(block[e] == upper, below, 0)
    shift[e, 1] = np.where(block[e] == lower, above, 0)
    block[e + 1] = np.where(block[e] == c, a, block[e])
    size[e + 1] = size[e]
    size[e + 1, a] = below + above


def _sum_shifts_plain(shift, inner, merges, pad):
    inner[0] = 0
    for q in range(merges):
        first, half = q // GROUP << GROUP, 1 << q % GROUP
        table = inner[first : first + 2 * half]
        if half == 1:
            table[0] = 0
        table[half:] = table[:half] + shift[q, 1]
        table[:half] += shift[q, 0]


def _rank_plain(to_keys):
    def rank(
        line, block, size, inner, factor, verdict, out,
        e, groups, j, a, c, number, rows, count, pad,
    ):  # fmt: skip
        for k in range(number):
            code = int(verdict[0, j + k])
            if code < 0:
                return k
            score = line[1] * factor[0, j + k] - line[0] * factor[1, j + k]
            keys = to_keys(score)[:rows].astype(np.int64)
            upper, lower = (c, a) if code >= NEGATIVE_BIT else (a, c)
            places = np.where(block[e, :rows] == lower, size[e, upper], 0)
            for g in range(max(groups, 1)):
                places += inner[(g << GROUP) + (code >> GROUP * g) % (1 << GROUP), :rows]
            places += (keys[None] > keys[:, None] + int(verdict[1, j + k])).sum(axis=1)
            if places.sum() != rows * (rows - 1) // 2:
                return k
            if count >= 0:
                out[count + k, places] = np.arange(rows)
            a, c = (0, c + 1) if a + 1 == c else (a + 1, c)
        return number

    return rank


# aim(line, blur, factor, verdict, e, last, pad): what `rank` needs, for all pairs of labels below
# `last`. The rows of `line`, of `pad` lanes, are slopes, constants and e rows of multipliers;
# `blur` are the errors of differences in each. With scale = 2 REACH / (|slope| + |constant|), the
# sign that of the slope, ``factor[0] = slope * scale, factor[1] = constant * scale``;
# ``verdict[0]`` is the code, or -1 if something is not proved, ``verdict[1]`` the margin; rows have
# STRIDE entries. See ``ranking_sweep.start_line`` for its derivation.
#
# merge(block, size, shift, e, a, c, upper, lower, pad): `block` and `size` of the child (a, c) of
# the node of depth e, and its `shift`; upper and lower are a and c as they are before they cross.
#
# sum_shifts(shift, inner, merges, pad): the sums of ``shift[q, bit q of code]`` over the merges of
# each group of GROUP, for all codes: 2**GROUP rows of `inner` each.
#
# rank(line, block, size, inner, factor, verdict, out, e, groups, j, a, c, number, rows, count,
# pad): the rankings at the points of the pairs j.. (in the order of their numbers; j is (a, c)), up
# to `number` of them, to ``out[count:]``, or nowhere if count < 0. Returns how many were proved
# before the first that was not. See ``kernels.ranking_workspace`` for the arrays. Scores are
# constant * factor[0] - slope * factor[1]; a label is counted as larger if its key, of 16 bits (31
# for `rank_wide`), is larger by more than the margin. Added are what `inner` says, and to labels of
# the lower of the two blocks that cross, the size of the upper one.
if config.DISABLE_JIT:
    aim, merge, sum_shifts = _aim_plain, _merge_plain, _sum_shifts_plain
    rank = _rank_plain(np.rint)
    rank_wide = _rank_plain(lambda score: np.trunc(score + np.float32(WIDE_OFFSET)))
else:
    aim, merge, sum_shifts = _aim, _merge, _sum_shifts
    rank, rank_wide = _rank_intrinsic(_I16), _rank_intrinsic(_I32)
