"""Sort words in vector registers, and part them there, as a sort of many words does.

A *layer* compares each lane of a register with another one and keeps the smaller word on the left:
a shuffle, a minimum, a maximum. Batcher's bitonic network (AFIPS Spring Joint Computer Conf. 32
(1968) 307-314) sorts a register in ten layers, and merges two sequences of registers by comparing
them once and a layer for each bit of a lane's number at the end.

Words are numbers with a sign, of 32 bits for labels. The sort of many words has 64 bits without
sign, whose highest bit is changed on the way.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from arrangements.kernels.llvm.builder import (
    I8,
    I32,
    I64,
    bits,
    broadcast,
    fill,
    instruction,
    lane_numbers,
    lanes_of,
    load_in,
    number,
    store_in,
    variable,
    vector_at,
)
from arrangements.kernels.llvm.vectors import WORDS
from arrangements.kernels.numba_internals import cgutils

# Words of a register, of 32 bits each, and of 64 bits.
WIDTH, _LANES = 16, WORDS.count
_WORDS, _HIGHEST = ir.VectorType(I64, _LANES), -(2**63)
# For each set of eight lanes, these lanes and then the others.
_ORDERS = [
    lane for code in range(256) for lane in sorted(range(_LANES), key=lambda i: not code >> i & 1)
]

# The layers that sort 4 words, 8 of which both fours are sorted, and 16 of which both eights are:
# lane i is compared with ``i ^ distance``.
_FOUR, _EIGHT, _SIXTEEN = (1, 3, 1), (7, 2, 1), (15, 4, 2, 1)
# Pairs of 8 registers whose words, lane by lane, are compared one pair after the other: a network
# of 19 comparators.
_COLUMNS = [
    *((0, 2), (1, 3), (4, 6), (5, 7), (0, 4), (1, 5), (2, 6), (3, 7), (0, 1), (2, 3), (4, 5)),
    *((6, 7), (2, 4), (3, 5), (1, 4), (3, 6), (1, 2), (3, 4), (5, 6)),
]


def has_masks(context: Any) -> bool:
    """Whether there are vectors of 16 words and registers of masks; sorting is slow without."""
    return "+avx512f" in context.codegen().magic_tuple()[-1]


def has_fused_products(context: Any) -> bool:
    """Whether one instruction multiplies and adds, with one rounding."""
    triple, _, features = context.codegen().magic_tuple()
    return triple.startswith(("aarch64", "arm64")) or "+fma" in features.split(",")


def right_lanes(builder: Any, width: int = WIDTH) -> Any:
    """The lanes that have a bit, for each bit: as numbers that the compiler does not know.

    Of a choice between known lanes and the shuffle that follows it would make other instructions,
    that are more and slower.
    """
    kind = ir.FunctionType(I32, [I32])
    right = {}
    for bit in (1 << k for k in range(width.bit_length() - 1)):
        known = ir.Constant(I32, sum(1 << i for i in range(width) if i & bit))
        unknown = builder.asm(kind, "", "=r,0", [known], False)
        right[bit] = lanes_of(builder, unknown, width)
    return right


def _smaller_and_larger(builder, x, y):
    """Of each lane; a register that is not there, None, holds words larger than all."""
    if x is None or y is None:
        return (x, y) if y is None else (y, x)
    smaller = builder.icmp_signed("<", x, y)
    return builder.select(smaller, x, y), builder.select(smaller, y, x)


def _partners(builder, words, distance):
    """For each lane i the word in lane ``i ^ distance``."""
    if words is None:
        return None
    lanes = [i ^ distance for i in range(words.type.count)]
    return _shuffle(builder, words, ir.Constant(words.type, ir.Undefined), lanes)


def _shuffle(builder, first, second, lanes):
    """These lanes of two registers, one after the other."""
    index = ir.Constant(ir.VectorType(I32, first.type.count), lanes)
    return builder.shuffle_vector(first, second, index)


def _layers(builder, words, distances, right):
    for distance in distances if words is not None else ():
        smaller, larger = _smaller_and_larger(builder, words, _partners(builder, words, distance))
        words = builder.select(right[1 << distance.bit_length() - 1], larger, smaller)
    return words


def _sort_register(builder, words, used, right):
    """The words of a register in order; those from `used` on are larger than all others."""
    result = variable(builder, _layers(builder, words, _FOUR, right))
    with builder.if_then(builder.icmp_signed(">", used, number(4))):
        eight = _layers(builder, builder.load(result), _EIGHT, right)
        builder.store(eight, result)
        with builder.if_then(builder.icmp_signed(">", used, number(8))):
            builder.store(_layers(builder, eight, _SIXTEEN, right), result)
    return builder.load(result)


def _merge_halves(builder, first, second, right):
    """The bitonic sequence of both lists of registers, which are as long, in order."""
    pairs = [_smaller_and_larger(builder, x, y) for x, y in zip(first, second, strict=True)]
    return [
        register
        for half in zip(*pairs, strict=True)
        for register in _sort_bitonic(builder, list(half), right)
    ]


def _sort_bitonic(builder, registers, right):
    """A sequence that increases and then decreases, or is so when turned round, in order.

    In a register each bit of a lane's number is a layer, the highest first.
    """
    half = len(registers) // 2
    if half == 0:
        return [_layers(builder, registers[0], sorted(right, reverse=True), right)]
    return _merge_halves(builder, registers[:half], registers[half:], right)


def _merge(builder, first, second, right):
    """Two sorted sequences of as many registers as one."""
    if second[0] is None:
        return first + second
    last = first[0].type.count - 1
    turned = [_partners(builder, words, last) for words in reversed(second)]
    return _merge_halves(builder, first, turned, right)


def sort_registers(builder: Any, registers: Any, count: Any, right: Any) -> Any:
    """Up to four registers of words in increasing order.

    Words from `count` on, all in the last register, are larger than all others; `right` is
    ``right_lanes``, made outside of loops.
    """
    before = number(WIDTH * (len(registers) - 1))
    used = [number(WIDTH)] * (len(registers) - 1) + [builder.sub(count, before)]
    parts = [
        [_sort_register(builder, words, some, right)]
        for words, some in zip(registers, used, strict=True)
    ]
    while len(parts) > 1:
        if len(parts) % 2:
            parts.append([None] * len(parts[0]))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [_merge(builder, first, second, right) for first, second in pairs]
    return parts[0][: len(registers)]


def _sort_eights(builder, registers, right):
    """Registers of 8 words each, 2**k of them, in increasing order.

    Eight of them are sorted as columns, without moving a word to another lane, and turned.
    """
    parts = []
    for first in range(0, len(registers), 8):
        some = list(registers[first : first + 8])
        if len(some) == 8:
            for i, j in _COLUMNS:
                some[i], some[j] = _smaller_and_larger(builder, some[i], some[j])
            parts += [[words] for words in _transpose(builder, some)]
        else:
            parts += [[_layers(builder, words, _FOUR + _EIGHT, right)] for words in some]
    while len(parts) > 1:
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [_merge(builder, first, second, right) for first, second in pairs]
    return parts[0]


def _transpose(builder, rows):
    """The columns of 8 registers: blocks of 1, 2 and 4 words change places."""
    for size in (1, 2, 4):
        turned = list(rows)
        for i in range(8):
            if not i & size:
                low = [8 + (k ^ size) if k & size else k for k in range(8)]
                high = [8 + k if k & size else k ^ size for k in range(8)]
                pair = rows[i], rows[i ^ size]
                turned[i] = _shuffle(builder, *pair, low)
                turned[i ^ size] = _shuffle(builder, *pair, high)
        rows = turned
    return rows


@instruction(lambda words, word: types.uint64(WORDS, types.uint64))
def below(builder, words, word):
    """The lanes with a smaller word."""
    every = broadcast(builder, word, _LANES)
    return bits(builder, builder.icmp_unsigned("<", words, every))


@intrinsic
def part_lanes(typingctx: Any, words: Any, lanes: Any) -> Any:
    """The words of the lanes first, then the others, in any order.

    One instruction with masks, and slow without.
    """

    def codegen(context, builder, signature, args):
        if not has_masks(context):
            return _part_slowly(builder, *args)
        kind = ir.ArrayType(I8, len(_ORDERS))
        table = cgutils.global_constant(builder, "orders", ir.Constant(kind, _ORDERS))
        first = builder.mul(args[1], number(_LANES))
        place = builder.gep(table, [ir.Constant(I32, 0), first])
        octets = ir.VectorType(I8, _LANES)
        order = builder.load(builder.bitcast(place, octets.as_pointer()), align=1)
        kind = ir.FunctionType(_WORDS, [_WORDS, _WORDS])
        name = "llvm.x86.avx512.permvar.di.512"
        permute = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(permute, [args[0], builder.zext(order, _WORDS)])

    return WORDS(WORDS, types.uint64), codegen


def _part_slowly(builder, words, lanes):
    """One word after the other, from both ends."""
    found, first = variable(builder, fill(_WORDS, 0)), number(0)
    place, last = builder.bitcast(found, I64.as_pointer()), number(_LANES - 1)
    for lane in range(_LANES):
        word = builder.extract_element(words, ir.Constant(I32, lane))
        is_first = builder.and_(builder.lshr(lanes, number(lane)), number(1))
        where = builder.select(builder.icmp_signed("!=", is_first, number(0)), first, last)
        builder.store(word, builder.gep(place, [where]))
        first = builder.add(first, is_first)
        last = builder.sub(last, builder.xor(is_first, number(1)))
    return builder.load(found)


@instruction(lambda first, second, third: WORDS(WORDS, WORDS, WORDS))
def middle_of_three(builder, first, second, third):
    """The middle one of three words, in each lane."""
    less = builder.icmp_unsigned("<", first, second)
    smaller, larger = (
        builder.select(less, first, second),
        builder.select(less, second, first),
    )
    larger = builder.select(builder.icmp_unsigned("<", larger, third), larger, third)
    return builder.select(builder.icmp_unsigned("<", smaller, larger), larger, smaller)


@instruction(lambda words: types.uint64(WORDS))
def middle(builder, words):
    """The word of eight that has 4 smaller ones."""
    words = builder.xor(words, fill(_WORDS, _HIGHEST))
    words = _layers(builder, words, _FOUR + _EIGHT, right_lanes(builder, _LANES))
    return builder.xor(builder.extract_element(words, ir.Constant(I32, 4)), number(_HIGHEST))


def _block_sort(registers):
    @instruction(lambda words, first, count: types.void(words, types.int64, types.int64))
    def sort_block(builder, words, first, count):
        places, loaded = [], []
        for r in range(registers):
            before = number(_LANES * r)
            place = vector_at(builder, words.data, builder.add(first, before), _WORDS)
            left = broadcast(builder, builder.sub(count, before), _LANES)
            there = builder.icmp_signed("<", lane_numbers(_WORDS), left)
            found = load_in(builder, place, there, fill(_WORDS, -1), align=8)
            places.append((place, there))
            loaded.append(builder.xor(found, fill(_WORDS, _HIGHEST)))
        ordered = _sort_eights(builder, loaded, right_lanes(builder, _LANES))
        for found, (place, there) in zip(ordered, places, strict=True):
            store_in(builder, builder.xor(found, fill(_WORDS, _HIGHEST)), place, there, 8)

    return sort_block


# sort_32(words, first, count), ..: sort ``words[first : first + count]`` in place, count <= 32, ..
sort_32, sort_64, sort_128 = (_block_sort(registers) for registers in (4, 8, 16))
