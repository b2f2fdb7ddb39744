"""Rankings of up to 64 labels at points of a line, one after the other, in vector registers.

The labels are words, see ``kernels.llvm.label_lines``. These are sorted by a network of
comparators: a few instructions for a layer of 16 labels, no branch; then the lower bits
are written. Where vectors are shorter, the place of a label is the number of smaller
words: each is compared with all at once. It must stay in registers, which a loop over an array
would not let it; so this is LLVM code, like ``kernels.llvm.vectors``.
"""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from arrangements.kernels.llvm.builder import (
    FLOAT,
    I8,
    I16,
    I32,
    I64,
    bits,
    broadcast,
    call,
    entry,
    fill,
    lane_numbers,
    number,
    steps,
    store_in,
    unpack,
    variable,
    vector_at,
)
from arrangements.kernels.llvm.label_lines import (
    GROUP,
    LABEL_BITS,
    LOW_BITS,
    NEGATIVE_BIT,
    PLACE_BITS,
    STRIDE,
)
from arrangements.kernels.llvm.sorting_networks import (
    WIDTH,
    has_fused_products,
    has_masks,
    right_lanes,
    sort_registers,
)
from arrangements.kernels.numba_internals import cgutils

# A number near it is an integer in the last bits of its pattern.
_ROUND = 1.5 * 2.0**23
# Lanes of a row of the arrays, by the number of registers that hold all labels.
_PADS = {1: 16, 2: 32, 3: 64, 4: 64}
_OCTETS, _SHORTS = ir.VectorType(I8, WIDTH), ir.VectorType(I16, WIDTH)
_WORDS, _SINGLES = ir.VectorType(I32, WIDTH), ir.VectorType(FLOAT, WIDTH)


class Blocks(NamedTuple):
    """The blocks of labels of a node, at a point where two of them cross.

    Attributes
    ----------
    block : (d, pad) int16
        Smallest label of each label's block, per depth.
    size : (d, pad) int16
        Size of the block of each smallest label.
    depth : int
    groups : int
        Groups of merges in `inner` of the line.
    gaps : int
        Gaps between the blocks.
    rows : int
        Labels.
    """

    block: NDArray[np.int16]
    size: NDArray[np.int16]
    depth: int
    groups: int
    gaps: int
    rows: int


class Pairs(NamedTuple):
    """Pairs of labels, one after the other: (a, c), whose number is `first`, and those behind."""

    first: int
    a: int
    c: int
    number: int


class _Labels(NamedTuple):
    """Up to 64 labels in `registers` registers, and data shared by all points of the line.

    `integer` is the type in which places are counted, None if words are sorted.
    """

    registers: int
    integer: Any
    fused: bool
    line: Any
    blocks: Any
    slopes: list[Any]
    constants: list[Any]
    members: list[Any]
    used: Any
    right: Any
    keys: Any

    @property
    def starts(self):
        """The first label of each register."""
        return [number(WIDTH * r) for r in range(self.registers)]


class _Target(NamedTuple):
    """Where rankings are written: if at all, the first of them, the end of the array."""

    is_there: Any
    row: Any
    end: Any


def _load_registers(builder, array, row, registers, kind):
    """A row of an array in registers."""
    first = builder.mul(row, number(_PADS[registers]))
    starts = (builder.add(first, number(WIDTH * r)) for r in range(registers))
    align = kind.element.width // 8 if kind.element is not FLOAT else 4
    return [
        builder.load(vector_at(builder, array.data, start, kind), align=align) for start in starts
    ]


def _labels(builder, method, line, blocks):
    """Emit the code that runs once for all points."""
    registers, integer, _ = method
    columns = (
        _load_registers(builder, line.columns, number(k), registers, _SINGLES) for k in (0, 1)
    )
    members = _load_registers(builder, blocks.block, blocks.depth, registers, _SHORTS)
    left = builder.sub(blocks.rows, number(WIDTH * (registers - 1)))
    left = broadcast(builder, builder.trunc(left, I32), WIDTH)
    used = builder.icmp_signed("<", lane_numbers(_WORDS), left)
    keys = cgutils.alloca_once(builder, ir.ArrayType(I32, WIDTH * registers))
    keys.align = 64
    return _Labels(
        *method,
        line,
        blocks,
        *columns,
        members=[builder.zext(labels, _WORDS) for labels in members],
        used=used,
        right=right_lanes(builder) if integer is None else None,
        keys=builder.bitcast(keys, I32.as_pointer()),
    )


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


def _scores(builder, labels, pair):
    """The upper bits of the words at the point of a pair, which are also left in `keys`."""
    factor, numbers = labels.line.factor.data, []
    by = broadcast(builder, entry(builder, factor, pair), WIDTH)
    less = broadcast(builder, entry(builder, factor, builder.add(pair, number(STRIDE))), WIDTH)
    for slopes, constants, start in zip(
        labels.slopes, labels.constants, labels.starts, strict=True
    ):
        # best first: the larger the score, the smaller the number
        product = builder.fmul(constants, by)
        score = _product_minus(builder, slopes, less, product, labels.fused)
        center = broadcast(builder, ir.Constant(FLOAT, _ROUND), WIDTH)
        rounded = builder.bitcast(builder.fadd(score, center), _WORDS)
        numbers.append(builder.shl(rounded, fill(_WORDS, LOW_BITS)))
        builder.store(numbers[-1], vector_at(builder, labels.keys, start, _WORDS), align=4)
    return numbers


def _inner_orders(builder, labels, code):
    """Places that the inner orders of blocks add, after the merges with this code."""

    def of_group(which):
        shift = builder.mul(which, number(GROUP))
        chosen = builder.and_(builder.lshr(code, shift), number((1 << GROUP) - 1))
        row = builder.add(builder.shl(which, number(GROUP)), chosen)
        return _load_registers(builder, labels.line.inner, row, labels.registers, _WORDS)

    totals = [variable(builder, some) for some in of_group(number(0))]
    with steps(builder, number(1), labels.blocks.groups, 1) as (which, _):
        for total, more in zip(totals, of_group(which), strict=True):
            builder.store(builder.add(builder.load(total), more), total)
    return [builder.load(total) for total in totals]


def _words(builder, labels, pair, code, a, c):
    """(words of the labels at the point of (a, c), their lower bits)."""
    scores = _scores(builder, labels, pair)
    # of the two blocks that cross here, which have the same score, the lower one is behind the
    # other
    negative = builder.icmp_signed(">=", code, number(NEGATIVE_BIT))
    upper, lower = builder.select(negative, c, a), builder.select(negative, a, c)
    sizes = builder.mul(labels.blocks.depth, number(_PADS[labels.registers]))
    above = entry(builder, labels.blocks.size.data, builder.add(sizes, upper))
    above = builder.shl(builder.sext(above, I32), ir.Constant(I32, LABEL_BITS))
    above = broadcast(builder, above, WIDTH)
    equal = broadcast(builder, entry(builder, labels.keys, a), WIDTH)
    inner = _inner_orders(builder, labels, code)

    def members(label):
        lanes = broadcast(builder, builder.trunc(label, I32), WIDTH)
        return [builder.icmp_signed("==", blocks, lanes) for blocks in labels.members]

    words, low = [], []
    for score, order, is_c, is_lower in zip(scores, inner, members(c), members(lower), strict=True):
        behind = builder.select(is_lower, above, fill(_WORDS, 0))
        low.append(builder.add(order, behind))
        words.append(builder.add(builder.select(is_c, equal, score), low[-1]))
    return words, low


def _gaps(builder, registers, margin, rows):
    """How often in a sorted sequence the next number is larger by more than the margin."""
    least, found = broadcast(builder, margin, WIDTH), number(0)
    for r, numbers in enumerate(registers):
        is_last = r + 1 == len(registers)
        following = numbers if is_last else registers[r + 1]
        last = WIDTH - 1 if is_last else WIDTH
        index = ir.Constant(_WORDS, [*range(1, WIDTH), last])
        step = builder.sub(builder.shuffle_vector(numbers, following, index), numbers)
        # a difference of two sorted numbers of 32 bits is one without sign
        wide = bits(builder, builder.icmp_unsigned(">", step, least))
        found = builder.or_(found, builder.shl(wide, number(WIDTH * r)))
    one = number(1)
    before = builder.sub(builder.shl(one, builder.sub(rows, one)), one)
    return builder.ctpop(builder.and_(found, before))


def _by_sorting(builder, labels, words, margin):
    """(the words in order, whether this is not proved to be the ranking)."""
    rows, most = labels.blocks.rows, fill(_WORDS, 2**31 - 1)
    words = [*words[:-1], builder.select(labels.used, words[-1], most)]
    words = sort_registers(builder, words, rows, labels.right)
    gaps = _gaps(builder, words, margin, rows)
    return words, builder.icmp_signed("!=", gaps, labels.blocks.gaps)


def _first_bits(builder, labels, words, margin):
    """As many bits of the words as the integer has, left in `keys`, and of the margin."""
    integer, compared = labels.integer, []
    if integer is not I32:
        cut = ir.Constant(I32, 32 - integer.width)
        # the rest of a word counts for one
        margin = builder.add(builder.lshr(margin, cut), ir.Constant(I32, 1))
        margin = builder.trunc(margin, integer)
    pointer = builder.bitcast(labels.keys, integer.as_pointer())
    for some, start in zip(words, labels.starts, strict=True):
        if integer is not I32:
            some = builder.ashr(some, broadcast(builder, cut, WIDTH))
            some = builder.trunc(some, ir.VectorType(integer, WIDTH))
        place = vector_at(builder, pointer, start, some.type)
        builder.store(some, place, align=integer.width // 8)
        compared.append(builder.sub(some, broadcast(builder, margin, WIDTH)))
    return compared, pointer


def _count_places(builder, labels, words, margin):
    """Place of each label: the number of words that are smaller by more than the margin, and the
    place in its own. Only the first bits of words are compared.
    """
    compared, pointer = _first_bits(builder, labels, words, margin)
    counts = [variable(builder, fill(some.type, 0)) for some in compared]
    with cgutils.for_range(builder, labels.blocks.rows) as loop:
        other = broadcast(builder, entry(builder, pointer, loop.index), WIDTH)
        for some, count in zip(compared, counts, strict=True):
            larger = builder.sext(builder.icmp_signed(">", some, other), some.type)
            builder.store(builder.sub(builder.load(count), larger), count)
    places = []
    for some, count in zip(words, counts, strict=True):
        found = builder.load(count)
        found = found if labels.integer is I32 else builder.zext(found, _WORDS)
        own = builder.lshr(some, fill(_WORDS, LABEL_BITS))
        own = builder.and_(own, fill(_WORDS, (1 << PLACE_BITS) - 1))
        places.append(builder.add(found, own))
    return places


def _total(builder, registers):
    """Sum of the words."""
    total = registers[0]
    for words in registers[1:]:
        total = builder.add(total, words)
    return builder.zext(call(builder, "llvm.vector.reduce.add", total, I32), I64)


def _any_beyond(builder, registers, limit):
    """Whether a word is not below the limit."""
    found = number(0)
    for words in registers:
        beyond = builder.icmp_signed(">", words, fill(words.type, limit - 1))
        found = builder.or_(found, bits(builder, beyond))
    return builder.icmp_unsigned("!=", found, number(0))


def _by_counting(builder, labels, words, low, margin):
    """(places of the labels, whether these are not proved to be the ranking)."""

    def without_padding(registers):
        last = builder.select(labels.used, registers[-1], fill(_WORDS, 0))
        return [*registers[:-1], last]

    places, rows = _count_places(builder, labels, words, margin), labels.blocks.rows
    full = builder.lshr(builder.mul(rows, builder.sub(rows, number(1))), number(1))
    wrong = builder.icmp_signed("!=", _total(builder, without_padding(places)), full)
    beyond = _any_beyond(builder, without_padding(low), 1 << LOW_BITS)
    return places, builder.or_(wrong, beyond)


def _write_sorted(builder, labels, words, row, end):
    """The labels at `row`, by whole vectors where these end before `end`."""
    mask = fill(_OCTETS, (1 << LABEL_BITS) - 1)
    found = [builder.and_(builder.trunc(some, _OCTETS), mask) for some in words]
    places = [vector_at(builder, row, start, _OCTETS) for start in labels.starts]
    for some, place in zip(found[:-1], places[:-1], strict=True):
        builder.store(some, place, align=1)
    behind = builder.ptrtoint(builder.gep(places[-1], [number(1)]), I64)
    fits = builder.icmp_unsigned("<=", behind, end)
    with builder.if_else(fits, likely=True) as (then, otherwise):
        with then:
            # the next row overwrites the lanes behind this one
            builder.store(found[-1], places[-1], align=1)
        with otherwise:
            left = builder.sub(labels.blocks.rows, labels.starts[-1])
            left = broadcast(builder, builder.trunc(left, I8), WIDTH)
            used = builder.icmp_signed("<", lane_numbers(_OCTETS), left)
            store_in(builder, found[-1], places[-1], used, align=1)


def _write_places(builder, labels, places, row):
    """Each label at its place in `row`."""
    for some, start in zip(places, labels.starts, strict=True):
        builder.store(some, vector_at(builder, labels.keys, start, _WORDS), align=4)
    with cgutils.for_range(builder, labels.blocks.rows) as label:
        place = builder.zext(entry(builder, labels.keys, label.index), I64)
        builder.store(builder.trunc(label.index, I8), builder.gep(row, [place]))


def _find_at_pairs(builder, labels, pairs, target):
    """Emit the loop over the points; the number of rankings that are proved."""
    a_slot, c_slot, done, row = (
        variable(builder, value) for value in (pairs.a, pairs.c, number(0), target.row)
    )
    tests = labels.line.code_and_margin.data
    with cgutils.for_range(builder, pairs.number) as loop:
        pair = builder.add(pairs.first, loop.index)
        code = builder.sext(entry(builder, tests, pair), I64)
        with builder.if_then(builder.icmp_signed("<", code, number(0)), likely=False):
            loop.do_break()
        a, c = builder.load(a_slot), builder.load(c_slot)
        words, low = _words(builder, labels, pair, code, a, c)
        margin = entry(builder, tests, builder.add(pair, number(STRIDE)))
        if labels.integer is None:
            found, wrong = _by_sorting(builder, labels, words, margin)
        else:
            found, wrong = _by_counting(builder, labels, words, low, margin)
        with builder.if_then(wrong, likely=False):
            loop.do_break()
        with builder.if_then(target.is_there):
            here = builder.load(row)
            if labels.integer is None:
                _write_sorted(builder, labels, found, here, target.end)
            else:
                _write_places(builder, labels, found, here)
            builder.store(builder.gep(here, [labels.blocks.rows]), row)
        builder.store(builder.add(loop.index, number(1)), done)
        next_a = builder.add(a, number(1))
        wraps = builder.icmp_signed("==", next_a, c)
        builder.store(builder.select(wraps, number(0), next_a), a_slot)
        builder.store(builder.add(c, builder.zext(wraps, I64)), c_slot)
    return builder.load(done)


@intrinsic(prefer_literal=True)
def find_rankings(
    typingctx: Any,
    line: Any,
    blocks: Any,
    pairs: Any,
    out: Any,
    count: Any,
    registers: Any,
    fine: Any,
) -> Any:
    """Rankings at the points of pairs, to ``out[count:]``, or nowhere if count < 0.

    line, blocks, pairs : LabelLine, Blocks, Pairs
    registers : constant, the number of registers that hold all labels

    Returns how many are proved before the first that is not. Scores are constant * factor[0] -
    slope * factor[1]. The labels of a block have equal scores, and so have the two blocks that
    cross; a ranking is proved if it has as many larger steps as `gaps` between blocks. `inner`
    orders labels of equal score, and labels of the lower of the two blocks come behind the upper
    one. Where words are not sorted, their first 16 bits are compared, or all 32 if `fine`, and a
    ranking is proved if the places add up to those of all labels.
    """

    def codegen(context, builder, signature, args):
        tables, node, points, array = (
            unpack(context, builder, kind, value)
            for kind, value in zip(signature.args[:4], args[:4], strict=True)
        )
        target = _Target(
            is_there=builder.icmp_signed(">=", args[4], number(0)),
            row=builder.gep(array.data, [builder.mul(args[4], node.rows)]),
            end=builder.ptrtoint(builder.gep(array.data, [array.nitems]), I64),
        )
        result, fused = variable(builder, number(0)), has_fused_products(context)

        def find(integer):
            labels = _labels(builder, (registers.literal_value, integer, fused), tables, node)
            builder.store(_find_at_pairs(builder, labels, points, target), result)

        if has_masks(context):
            find(None)
        else:
            wide = context.is_true(builder, signature.args[6], args[6])
            with builder.if_else(wide) as (then, otherwise):
                with then:
                    find(I32)
                with otherwise:
                    find(I16)
        return builder.load(result)

    return types.int64(line, blocks, pairs, out, types.int64, registers, fine), codegen
