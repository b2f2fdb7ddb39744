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

# Bit of a code that says that the slope is negative; those below belong to the merges.
NEGATIVE_BIT = 1 << 30
# Scores are scaled to less than REACH in size; an addition of OFFSET makes them positive. A key and
# a margin, at most 301 or 0.01 WIDE_REACH + 1, must add up to less than 2**15 (after 2**15 is taken
# from the key) or 2**31.
OFFSET, REACH = 32500.0, 30000.0
WIDE_OFFSET, WIDE_REACH = 2.0**30, 2.0**30 - 2.0**24

_I16, _I32, _I64, _FLOAT = ir.IntType(16), ir.IntType(32), ir.IntType(64), ir.FloatType()


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
                # around 0, as only signed numbers compare without mask registers
                middle = ir.Constant(ir.VectorType(_I32, lanes), [1 << 15] * lanes)
                keys = builder.trunc(builder.sub(keys, middle), numbers)
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
            # in halves of 256 bits, for the same reason
            half = min(lanes, 256 // integer.width)
            halves = range(0, lanes, half)
            zeros = ir.Constant(ir.VectorType(integer, half), [0] * half)
            counts = [cgutils.alloca_once_value(builder, zeros) for _ in halves]
            limits = [_part(builder, limit, start, half) for start in halves]
            with cgutils.for_range(builder, rows) as loop:
                other = _splat(builder, builder.load(builder.gep(key, [loop.index])), half)
                for count, bound in zip(counts, limits, strict=True):
                    larger = builder.sext(builder.icmp_signed(">", other, bound), zeros.type)
                    builder.store(builder.sub(builder.load(count), larger), count)
            larger = _joined(builder, [builder.load(count) for count in counts])
            if integer is not _I16:
                larger = builder.trunc(larger, shorts)
            places = builder.add(builder.load(total), larger)
            builder.store(places, vector(position, zero, shorts), align=2)
            index = ir.Constant(shorts, list(range(lanes)))
            used = builder.icmp_signed(
                "<", index, _splat(builder, builder.trunc(rows, _I16), lanes)
            )
            counted = builder.select(used, places, ir.Constant(shorts, [0] * lanes))
            # places are below 64: sums of bytes are an instruction of their own
            bytes_ = builder.trunc(counted, ir.VectorType(ir.IntType(8), lanes))
            terms = builder.zext(bytes_, ir.VectorType(_I32, lanes))
            name = f"llvm.vector.reduce.add.v{lanes}i32"
            reduce = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(_I32, [terms.type]), name
            )
            return builder.sext(builder.call(reduce, [terms]), _I64)

        arrays = (line, shift, block, key, position)
        scalars = (*(types.int64,) * 5, *(types.float32,) * 2, *(types.int64,) * 2)
        return types.int64(*arrays, *scalars), codegen

    return place


def _aim_intrinsic(lanes):
    singles, words = ir.VectorType(_FLOAT, lanes), ir.VectorType(_I32, lanes)

    @intrinsic
    def aim(typingctx, line, blur, factor, verdict, e, c):
        def codegen(context, builder, signature, args):
            line, blur, factor, verdict = (
                context.make_array(t)(context, builder, v).data
                for t, v in zip(signature.args[:4], args[:4], strict=True)
            )
            e, c = args[4:]
            width = ir.Constant(_I64, lanes)

            def row(pointer, index, kind):
                place = builder.gep(pointer, [builder.mul(index, width)])
                return builder.bitcast(place, kind.as_pointer())

            def difference(index):
                """The row's entries of all labels, less that of c."""
                mine = builder.load(builder.gep(line, [builder.add(builder.mul(index, width), c)]))
                return builder.fsub(
                    builder.load(row(line, index, singles), align=4), _splat(builder, mine, lanes)
                )

            def size(value):
                bits = builder.bitcast(value, words)
                masked = builder.and_(bits, ir.Constant(words, [0x7FFFFFFF] * lanes))
                return builder.bitcast(masked, singles)

            def error(index):
                return _splat(builder, builder.load(builder.gep(blur, [index])), lanes)

            def constant(value, kind=singles):
                return ir.Constant(kind, [value] * lanes)

            zero, one, two = (ir.Constant(_I64, k) for k in range(3))
            a, k = difference(zero), difference(one)
            a_size, k_size = size(a), size(k)
            e_a, e_k = error(zero), error(one)
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
            code = cgutils.alloca_once_value(
                builder,
                builder.select(negative, constant(NEGATIVE_BIT, words), constant(0, words)),
            )
            proved = cgutils.alloca_once_value(builder, sure)
            with cgutils.for_range(builder, e) as loop:
                q = builder.add(loop.index, two)
                x = difference(q)
                below = builder.fcmp_ordered("<", x, constant(0.0))
                bit = builder.shl(ir.Constant(_I32, 1), builder.trunc(loop.index, _I32))
                forward = builder.select(
                    builder.xor(below, negative), _splat(builder, bit, lanes), constant(0, words)
                )
                builder.store(builder.or_(builder.load(code), forward), code)
                certain = builder.fcmp_ordered(">", size(x), error(q))
                builder.store(builder.and_(builder.load(proved), certain), proved)
            proved = builder.load(proved)
            margin = builder.add(builder.fptosi(wrong, words), constant(1, words))
            scale = builder.select(negative, builder.fneg(scale), scale)
            builder.store(builder.fmul(a, scale), row(factor, zero, singles), align=4)
            builder.store(builder.fmul(k, scale), row(factor, one, singles), align=4)
            answer = builder.select(proved, builder.load(code), constant(-1, words))
            builder.store(answer, row(verdict, zero, words), align=4)
            builder.store(margin, row(verdict, one, words), align=4)
            return context.get_dummy_value()

        return types.void(line, blur, factor, verdict, types.int64, types.int64), codegen

    return aim


def _aim_plain(line, blur, factor, verdict, e, c):
    pairs = (line - line[:, c : c + 1])[: e + 2]
    sizes = np.abs(pairs)
    with np.errstate(all="ignore"):
        scale = 2.0 * REACH / (sizes[0] + sizes[1])
        wrong = (1.02 + sizes[1]) * blur[0] + (1.02 + sizes[0]) * blur[1]
        wrong = 1.01 * wrong * scale + 0.05
        proved = (wrong < 300.0) & (sizes > blur[: e + 2, None])[[0, *range(2, e + 2)]].all(axis=0)
        negative = pairs[0] < 0
        scale = np.where(negative, -scale, scale)
        factor[0], factor[1] = pairs[0] * scale, pairs[1] * scale
        verdict[1] = np.where(proved, wrong, 0.0) + 1
    code = np.where(negative, NEGATIVE_BIT, 0)
    for q in range(e):
        code |= ((pairs[2 + q] < 0) != negative).astype(np.int32) << q
    verdict[0] = np.where(proved, code, -1)


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
#
# aim(line, blur, factor, verdict, e, c): for all labels a at once, what `place` needs for the pair
# (a, c). The rows of `line` are slopes, constants and e rows of multipliers, `blur` the errors of
# differences in each. With scale = 2 REACH / (|slope| + |constant|), the sign that of the slope,
# ``factor[0] = a, factor[1] = k``; ``verdict[0]`` is the code, or -1 if something is not proved,
# ``verdict[1]`` the margin. See ``ranking_sweep.start_line`` for its derivation.
if config.DISABLE_JIT:
    aim16 = aim32 = aim64 = _aim_plain
    place16 = place32 = place64 = _place_plain(OFFSET)
    place_wide16 = place_wide32 = place_wide64 = _place_plain(WIDE_OFFSET)
else:
    aim16, aim32, aim64 = (_aim_intrinsic(m) for m in (16, 32, 64))
    place16, place32, place64 = (_place_intrinsic(m, _I16, OFFSET) for m in (16, 32, 64))
    place_wide16, place_wide32, place_wide64 = (
        _place_intrinsic(m, _I32, WIDE_OFFSET) for m in (16, 32, 64)
    )
