"""Rankings of up to 64 labels at points of a line, one after the other, in vector registers.

A label is one word: its score in the upper bits, then its place among the labels of equal score,
then its number. These words are sorted by a network of comparators: a few instructions for a
layer of 16 labels, no branch, and what is left to do is to write the lower bits. Where vectors are
shorter, the place of a label is the number of smaller words: each is compared with all at once. It
must stay in registers, which a loop over an array would not let it; so this is LLVM code, like
``kernels.llvm.bit_masks``.
"""

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

from arrangements.kernels.compilation import inlined
from arrangements.kernels.llvm.sorting_networks import (
    WIDTH,
    has_fused_products,
    has_masks,
    right_lanes,
    sorted_registers,
)

# Bit of a code that says that the slope is negative; those below belong to the merges.
NEGATIVE_BIT = 1 << 30
MOST_MERGES = 29
# Fields of a word below the score. Places of 16 and more run over into the score: that changes no
# order, see docs/exactness.md, but they cannot be read again.
_LABEL_BITS, _PLACE_BITS = 6, 4
_LOW_BITS = _LABEL_BITS + _PLACE_BITS
# Scores are scaled to at most REACH in size, and differ if by more than a margin of at most
# MOST_MARGIN; words and a word of it add up to less than 2**31.
REACH, MOST_MARGIN = 2.0**21 - 2.0**10, 2.0**9
# Merges that share a table of what they add to the places.
GROUP = 3
# Numbers for all pairs of 64 labels, and a vector.
STRIDE = 64 * 63 // 2 + 16

# Of the difference of two scores, 4.2 float32 roundings of numbers up to 2 REACH, and a little.
_ROUNDINGS = 1.2
# A number near it is an integer in the last bits of its pattern.
_ROUND = 1.5 * 2.0**23
# Half a register in `aim`, for most labels have few smaller ones.
_CHUNK = 8
# Lanes of a row of the arrays, by the number of registers that hold all labels.
_PADS = {1: 16, 2: 32, 3: 64, 4: 64}
_I8, _I16, _I32, _I64 = (ir.IntType(width) for width in (8, 16, 32, 64))
_FLOAT = ir.FloatType()


def _splat(builder, value, lanes):
    vector = ir.VectorType(value.type, lanes)
    undefined = ir.Constant(vector, ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(_I32, 0))
    zeros = ir.Constant(ir.VectorType(_I32, lanes), [0] * lanes)
    return builder.shuffle_vector(single, undefined, zeros)


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


def _gaps(builder, registers, margin, rows):
    """How often in a sorted sequence the next number is larger by more than the margin."""
    bits, count = ir.IntType(WIDTH), len(registers)
    least = _splat(builder, margin, WIDTH)
    found = ir.Constant(_I64, 0)
    for r, numbers in enumerate(registers):
        following = registers[r + 1] if r + 1 < count else numbers
        last = WIDTH if r + 1 < count else WIDTH - 1
        index = ir.Constant(ir.VectorType(_I32, WIDTH), [*range(1, WIDTH), last])
        step = builder.sub(builder.shuffle_vector(numbers, following, index), numbers)
        # a difference of two sorted numbers of 32 bits is one without sign
        wide = builder.bitcast(builder.icmp_unsigned(">", step, least), bits)
        moved = builder.shl(builder.zext(wide, _I64), ir.Constant(_I64, WIDTH * r))
        found = builder.or_(found, moved)
    one = ir.Constant(_I64, 1)
    before = builder.sub(builder.shl(one, builder.sub(rows, one)), one)
    return builder.ctpop(builder.and_(found, before))


def _write(builder, registers, target, end, rows):
    """The labels at `target`, by whole vectors where these end before `end`."""
    octets = ir.VectorType(_I8, WIDTH)
    mask = ir.Constant(octets, [(1 << _LABEL_BITS) - 1] * WIDTH)
    labels = [builder.and_(builder.trunc(numbers, octets), mask) for numbers in registers]
    for r, some in enumerate(labels[:-1]):
        place = builder.gep(target, [ir.Constant(_I64, WIDTH * r)])
        builder.store(some, builder.bitcast(place, octets.as_pointer()), align=1)
    before = ir.Constant(_I64, WIDTH * (len(labels) - 1))
    place = builder.gep(target, [before])
    vector = builder.bitcast(place, octets.as_pointer())
    behind = builder.ptrtoint(builder.gep(place, [ir.Constant(_I64, WIDTH)]), _I64)
    fits = builder.icmp_unsigned("<=", behind, end)
    with builder.if_else(fits, likely=True) as (then, otherwise):
        with then:
            # what is behind the row is overwritten by the next one
            builder.store(labels[-1], vector, align=1)
        with otherwise:
            index = ir.Constant(octets, list(range(WIDTH)))
            left = builder.trunc(builder.sub(rows, before), _I8)
            used = builder.icmp_signed("<", index, _splat(builder, left, WIDTH))
            kind = ir.FunctionType(ir.VoidType(), [octets, vector.type, _I32, used.type])
            name = f"llvm.masked.store.v{WIDTH}i8.p0v{WIDTH}i8"
            function = cgutils.get_or_insert_function(builder.module, kind, name)
            builder.call(function, [labels[-1], vector, ir.Constant(_I32, 1), used])


def _counted_places(builder, registers, integer, slot, margin, rows):
    """Place of each label: the number of words that are smaller by more than the margin, and the
    place in its own. Only as many bits of a word are compared as the integer has, the first ones.
    """
    numbers = ir.VectorType(integer, WIDTH)
    cut = ir.Constant(_I32, 32 - integer.width)
    if integer is not _I32:
        # the rest of a word counts for one
        margin = builder.add(builder.lshr(margin, cut), ir.Constant(_I32, 1))
        margin = builder.trunc(margin, integer)
    pointer, compared, counts = builder.bitcast(slot, integer.as_pointer()), [], []
    for r, register in enumerate(registers):
        if integer is not _I32:
            register = builder.trunc(builder.ashr(register, _splat(builder, cut, WIDTH)), numbers)
        place = _at(builder, pointer, ir.Constant(_I64, WIDTH * r), numbers)
        builder.store(register, place, align=integer.width // 8)
        compared.append(builder.sub(register, _splat(builder, margin, WIDTH)))
        counts.append(cgutils.alloca_once_value(builder, ir.Constant(numbers, [0] * WIDTH)))
    with cgutils.for_range(builder, rows) as loop:
        other = _splat(builder, _entry(builder, pointer, loop.index), WIDTH)
        for register, count in zip(compared, counts, strict=True):
            larger = builder.sext(builder.icmp_signed(">", register, other), numbers)
            builder.store(builder.sub(builder.load(count), larger), count)
    words = registers[0].type
    shift = ir.Constant(words, [_LABEL_BITS] * WIDTH)
    field = ir.Constant(words, [(1 << _PLACE_BITS) - 1] * WIDTH)
    places = []
    for register, count in zip(registers, counts, strict=True):
        number = builder.load(count)
        number = number if integer is _I32 else builder.zext(number, words)
        places.append(builder.add(number, builder.and_(builder.lshr(register, shift), field)))
    return places


def _total(builder, registers):
    """Sum of the words."""
    total = registers[0]
    for words in registers[1:]:
        total = builder.add(total, words)
    name = f"llvm.vector.reduce.add.v{WIDTH}i32"
    kind = ir.FunctionType(_I32, [total.type])
    reduce = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.zext(builder.call(reduce, [total]), _I64)


def _any_beyond(builder, registers, limit):
    """Whether a word is not below the limit."""
    least = ir.Constant(registers[0].type, [limit - 1] * WIDTH)
    found = ir.Constant(ir.IntType(WIDTH), 0)
    for words in registers:
        beyond = builder.icmp_signed(">", words, least)
        found = builder.or_(found, builder.bitcast(beyond, found.type))
    return builder.icmp_unsigned("!=", found, ir.Constant(found.type, 0))


def _product_minus(builder, x, y, z, fused):
    """``x y - z`` with the same roundings in every lane of every register.

    The labels of a block have equal numbers, and must have equal scores wherever they are. So the
    choice between one instruction and two is not left to the compiler.
    """
    if not fused:
        return builder.fsub(builder.fmul(x, y), z)
    kind = ir.FunctionType(x.type, [x.type] * 3)
    fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{WIDTH}f32")
    return builder.call(fma, [x, y, builder.fneg(z)])


def _rank_registers(builder, count, integer, fused, arrays, end, scalars):
    """`rank` for a number of registers: by counting with such integers, or by sorting if None."""
    shorts, singles = ir.VectorType(_I16, WIDTH), ir.VectorType(_FLOAT, WIDTH)
    words = ir.VectorType(_I32, WIDTH)
    line, block, size, inner, factor, verdict, out = arrays
    e, groups, gaps, j, first_a, first_c, number, rows, begin = scalars
    zero, one, pad = (ir.Constant(_I64, value) for value in (0, 1, _PADS[count]))
    stride, group = ir.Constant(_I64, STRIDE), ir.Constant(_I64, GROUP)
    low_bits = ir.Constant(words, [_LOW_BITS] * WIDTH)
    places = ir.Constant(_I32, _LABEL_BITS)
    most = ir.Constant(words, [2**31 - 1] * WIDTH)
    own = builder.mul(e, pad)
    starts = [ir.Constant(_I64, WIDTH * r) for r in range(count)]

    def load(pointer, first, kind, align):
        return [
            builder.load(_at(builder, pointer, builder.add(first, start), kind), align=align)
            for start in starts
        ]

    slopes, constants = load(line, zero, singles, 4), load(line, pad, singles, 4)
    blocks = [builder.zext(labels, words) for labels in load(block, own, shorts, 2)]
    left = builder.sub(rows, starts[-1])
    index = ir.Constant(words, list(range(WIDTH)))
    used = builder.icmp_signed("<", index, _splat(builder, builder.trunc(left, _I32), WIDTH))
    write = builder.icmp_signed(">=", begin, zero)
    sorting = integer is None
    right = right_lanes(builder) if sorting else None
    keys = cgutils.alloca_once(builder, ir.ArrayType(_I32, WIDTH * count))
    keys.align = 64
    key = builder.bitcast(keys, _I32.as_pointer())
    a_slot, c_slot, done, target = (
        cgutils.alloca_once_value(builder, value)
        for value in (first_a, first_c, zero, builder.gep(out, [builder.mul(begin, rows)]))
    )

    def merged(code, which):
        """What the inner orders of blocks add, that the merges of a group have made."""
        shift = builder.mul(which, group)
        bits = builder.and_(builder.lshr(code, shift), ir.Constant(_I64, (1 << GROUP) - 1))
        row = builder.add(builder.shl(which, group), bits)
        return load(inner, builder.mul(row, pad), words, 4)

    def members(label):
        lanes = _splat(builder, builder.trunc(label, _I32), WIDTH)
        return [builder.icmp_signed("==", labels, lanes) for labels in blocks]

    with cgutils.for_range(builder, number) as loop:
        here = builder.add(j, loop.index)
        there = builder.add(here, stride)
        code = builder.sext(_entry(builder, verdict, here), _I64)
        with builder.if_then(builder.icmp_signed("<", code, zero), likely=False):
            loop.do_break()
        by = _splat(builder, _entry(builder, factor, here), WIDTH)
        less = _splat(builder, _entry(builder, factor, there), WIDTH)
        numbers = []
        for r in range(count):
            # best first: the larger the score, the smaller the number
            product = builder.fmul(constants[r], by)
            score = _product_minus(builder, slopes[r], less, product, fused)
            center = _splat(builder, ir.Constant(_FLOAT, _ROUND), WIDTH)
            rounded = builder.bitcast(builder.fadd(score, center), words)
            numbers.append(builder.shl(rounded, low_bits))
            builder.store(numbers[r], _at(builder, key, starts[r], words), align=4)
        # of the two blocks that cross here, which have the same score, the lower one is behind the
        # other
        a, c = builder.load(a_slot), builder.load(c_slot)
        negative = builder.icmp_signed(">=", code, ir.Constant(_I64, NEGATIVE_BIT))
        upper, lower = builder.select(negative, c, a), builder.select(negative, a, c)
        above = builder.sext(_entry(builder, size, builder.add(own, upper)), _I32)
        above = _splat(builder, builder.shl(above, places), WIDTH)
        equal = _splat(builder, _entry(builder, key, a), WIDTH)
        totals = [cgutils.alloca_once_value(builder, some) for some in merged(code, zero)]
        with cgutils.for_range_slice(builder, one, groups, one, inc=True) as (which, _):
            for total, more in zip(totals, merged(code, which), strict=True):
                builder.store(builder.add(builder.load(total), more), total)
        nothing = ir.Constant(words, [0] * WIDTH)
        low = []
        for r, (is_c, is_lower) in enumerate(zip(members(c), members(lower), strict=True)):
            behind = builder.select(is_lower, above, nothing)
            low.append(builder.add(builder.load(totals[r]), behind))
            numbers[r] = builder.add(builder.select(is_c, equal, numbers[r]), low[r])
        margin = _entry(builder, verdict, there)
        if sorting:
            numbers[-1] = builder.select(used, numbers[-1], most)
            numbers = sorted_registers(builder, numbers, rows, right)
            wrong = builder.icmp_signed("!=", _gaps(builder, numbers, margin, rows), gaps)
        else:
            numbers = _counted_places(builder, numbers, integer, keys, margin, rows)
            counted = [*numbers[:-1], builder.select(used, numbers[-1], nothing)]
            full = builder.lshr(builder.mul(rows, builder.sub(rows, one)), one)
            wrong = builder.icmp_signed("!=", _total(builder, counted), full)
            low[-1] = builder.select(used, low[-1], nothing)
            wrong = builder.or_(wrong, _any_beyond(builder, low, 1 << _LOW_BITS))
        with builder.if_then(wrong, likely=False):
            loop.do_break()
        with builder.if_then(write):
            row = builder.load(target)
            if sorting:
                _write(builder, numbers, row, end, rows)
            else:
                for start, some in zip(starts, numbers, strict=True):
                    builder.store(some, _at(builder, key, start, words), align=4)
                with cgutils.for_range(builder, rows) as label:
                    place = builder.zext(_entry(builder, key, label.index), _I64)
                    builder.store(builder.trunc(label.index, _I8), builder.gep(row, [place]))
            builder.store(builder.gep(row, [rows]), target)
        builder.store(builder.add(loop.index, one), done)
        next_a = builder.add(a, one)
        wraps = builder.icmp_signed("==", next_a, c)
        builder.store(builder.select(wraps, zero, next_a), a_slot)
        builder.store(builder.add(c, builder.zext(wraps, _I64)), c_slot)
    return builder.load(done)


def _rank_intrinsic(integer):
    @intrinsic
    def rank(
        typingctx, line, block, size, inner, factor, verdict, out,
        e, groups, gaps, j, a, c, number, rows, count,
    ):  # fmt: skip
        def codegen(context, builder, signature, args):
            arrays = _pointers(context, builder, signature, args, 7)
            rows, result = args[14], cgutils.alloca_once_value(builder, ir.Constant(_I64, 0))
            octets = context.make_array(signature.args[6])(context, builder, args[6]).nitems
            end = builder.ptrtoint(builder.gep(arrays[6], [octets]), _I64)
            least = ir.Constant(_I64, WIDTH - 1)
            registers = builder.udiv(builder.add(rows, least), ir.Constant(_I64, WIDTH))
            counter, fused = None if has_masks(context) else integer, has_fused_products(context)
            for count in _PADS:
                here = builder.icmp_signed("==", registers, ir.Constant(_I64, count))
                with builder.if_then(here):
                    ranked = _rank_registers(builder, count, counter, fused, arrays, end, args[7:])
                    builder.store(ranked, result)
            return builder.load(result)

        arrays = (line, block, size, inner, factor, verdict, out)
        return types.int64(*arrays, *(types.int64,) * 9), codegen

    return rank


@intrinsic
def _sum_shifts(typingctx, shift, inner, merges, pad):
    def codegen(context, builder, signature, args):
        shift, inner = _pointers(context, builder, signature, args, 2)
        merges, pad = args[2:]
        shorts, words = ir.VectorType(_I16, WIDTH), ir.VectorType(_I32, WIDTH)
        zero, one, group, step = (ir.Constant(_I64, value) for value in (0, 1, GROUP, WIDTH))
        nothing = ir.Constant(shorts, [0] * WIDTH)
        places = ir.Constant(words, [_LABEL_BITS] * WIDTH)
        index = ir.Constant(words, list(range(WIDTH)))
        groups = builder.sdiv(builder.add(merges, ir.Constant(_I64, GROUP - 1)), group)
        some = builder.select(builder.icmp_signed(">", groups, one), groups, one)
        with (
            cgutils.for_range(builder, some) as loop,
            cgutils.for_range_slice(builder, zero, pad, step, inc=True) as (i, _),
        ):
            sums = [nothing]
            for k in range(GROUP):
                q = builder.add(builder.mul(loop.index, group), ir.Constant(_I64, k))
                # a merge that there is not is backward, and adds nothing
                is_there = builder.icmp_signed("<", q, merges)
                row = builder.add(builder.mul(builder.shl(q, one), pad), i)
                backward, forward = (
                    builder.load(_at(builder, shift, start, shorts), align=2)
                    for start in (row, builder.add(row, pad))
                )
                backward = builder.select(is_there, backward, nothing)
                sums = [builder.add(known, backward) for known in sums] + [
                    builder.add(known, forward) for known in sums
                ]
            labels = builder.add(index, _splat(builder, builder.trunc(i, _I32), WIDTH))
            is_first = builder.icmp_signed("==", loop.index, zero)
            labels = builder.select(is_first, labels, ir.Constant(words, [0] * WIDTH))
            first = builder.shl(loop.index, group)
            for code, total in enumerate(sums):
                row = builder.mul(builder.add(first, ir.Constant(_I64, code)), pad)
                total = builder.add(builder.shl(builder.zext(total, words), places), labels)
                builder.store(total, _at(builder, inner, builder.add(row, i), words), align=4)
        return context.get_dummy_value()

    return types.void(shift, inner, types.int64, types.int64), codegen


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
                builder.fmul(builder.fmul(wrong, scale), constant(1.01)), constant(_ROUNDINGS)
            )
            negative = builder.fcmp_ordered("<", a, constant(0.0))
            sure = builder.and_(
                builder.fcmp_ordered(">", a_size, e_a),
                builder.fcmp_ordered("<", wrong, constant(MOST_MARGIN)),
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
            # what is not finite has no integer
            finite = builder.select(proved, wrong, constant(0.0))
            margin = builder.add(builder.fptosi(finite, words), constant(2, words))
            margin = builder.shl(margin, constant(_LOW_BITS, words))
            margin = builder.sub(margin, constant(1, words))
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
            wrong = 1.01 * wrong * scale + _ROUNDINGS
            certain = sizes > blur[: e + 2, None]
            proved = (wrong < MOST_MARGIN) & certain[[0, *range(2, e + 2)]].all(axis=0)
            negative = found[0] < 0
            scale = np.where(negative, -scale, scale)
            factor[0, pairs], factor[1, pairs] = found[0] * scale, found[1] * scale
            margin = np.where(proved, wrong, 0.0).astype(np.int32)
            verdict[1, pairs] = word_of_margin(margin + 1)
        code = np.where(negative, NEGATIVE_BIT, 0)
        for q in range(e):
            code |= ((found[2 + q] < 0) != negative).astype(np.int32) << q
        verdict[0, pairs] = np.where(proved, code, -1)


@intrinsic
def _merge(typingctx, block, size, shift, e, a, c, upper, lower, pad):
    def codegen(context, builder, signature, args):
        block, size, shift = _pointers(context, builder, signature, args, 3)
        e, a, c, upper, lower, pad = args[3:]
        shorts = ir.VectorType(_I16, WIDTH)
        nothing = ir.Constant(shorts, [0] * WIDTH)
        zero, one, step = (ir.Constant(_I64, value) for value in (0, 1, WIDTH))
        old = builder.mul(e, pad)
        new, backward = builder.add(old, pad), builder.shl(old, one)
        forward = builder.add(backward, pad)
        below = _entry(builder, size, builder.add(old, lower))
        above = _entry(builder, size, builder.add(old, upper))

        def label(value):
            return _splat(builder, builder.trunc(value, _I16), WIDTH)

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
                more = _splat(builder, size_of_other, WIDTH)
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
    inner[0] = np.arange(pad)
    for q in range(merges):
        first, half = q // GROUP << GROUP, 1 << q % GROUP
        table = inner[first : first + 2 * half]
        if half == 1 and q > 0:
            table[0] = 0
        backward, forward = shift[q].astype(np.int32) << _LABEL_BITS
        table[half:] = table[:half] + forward
        table[:half] += backward


def _rank_plain(
    line, block, size, inner, factor, verdict, out,
    e, groups, gaps, j, a, c, number, rows, count,
):  # fmt: skip
    for k in range(number):
        code = int(verdict[0, j + k])
        if code < 0:
            return k
        score = line[0] * factor[1, j + k] - line[1] * factor[0, j + k]
        words = np.rint(score[:rows]).astype(np.int64)
        blocks = block[e, :rows]
        words[blocks == c] = words[a]
        words <<= _LOW_BITS
        upper, lower = (c, a) if code >= NEGATIVE_BIT else (a, c)
        words += np.where(blocks == lower, int(size[e, upper]) << _LABEL_BITS, 0)
        for g in range(max(groups, 1)):
            words += inner[(g << GROUP) + (code >> GROUP * g) % (1 << GROUP), :rows]
        words.sort()
        if np.count_nonzero(np.diff(words) > verdict[1, j + k]) != gaps:
            return k
        if count >= 0:
            out[count + k] = words & (1 << _LABEL_BITS) - 1
        a, c = (0, c + 1) if a + 1 == c else (a + 1, c)
    return number


@inlined
def word_of_margin(margin):
    """Words that differ by more than that have scores that differ by more than the margin."""
    return ((margin + 1) << _LOW_BITS) - 1


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
# each group of GROUP, for all codes: 2**GROUP rows of `inner` each, as places in words; those of
# the first group hold the labels, too.
#
# rank(line, block, size, inner, factor, verdict, out, e, groups, gaps, j, a, c, number, rows,
# count): the rankings at the points of the pairs j.. (in the order of their numbers; j is
# (a, c)), up to `number` of them, to ``out[count:]``, or nowhere if count < 0. Returns how many
# were proved before the first that was not. See ``kernels.rankings.workspace`` for the arrays.
# Scores are constant * factor[0] - slope * factor[1]. The labels of a block have equal scores, and
# so have the two blocks that cross; a ranking is proved if there are as many larger steps as `gaps`
# between blocks. What orders labels of equal score is in `inner`, and labels of the lower of the
# two blocks come behind the upper one. Where `rank` does not sort, it compares the first 16 bits of
# the words, and a ranking is proved if the places add up to those of all labels; `rank_wide`
# compares all 32.
if config.DISABLE_JIT:
    aim, merge, sum_shifts = _aim_plain, _merge_plain, _sum_shifts_plain
    rank = rank_wide = _rank_plain
else:
    aim, merge, sum_shifts = _aim, _merge, _sum_shifts
    rank, rank_wide = _rank_intrinsic(_I16), _rank_intrinsic(_I32)
