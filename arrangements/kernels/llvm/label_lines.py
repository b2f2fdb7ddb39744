"""Lines of up to 64 labels: data of a line, and labels as words.

A word holds the score of a label in its upper bits, then its place among the labels of equal score,
then its number. `aim` prepares the points of all pairs of labels, `merge` and `sum_shifts` prepare
the blocks of labels; ``kernels.llvm.places`` orders words.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numpy.typing import NDArray

from arrangements.kernels.compilation import inlined
from arrangements.kernels.llvm.builder import (
    FLOAT,
    I16,
    I32,
    absolute,
    broadcast,
    entry,
    fill,
    instruction,
    lane_numbers,
    number,
    steps,
    variable,
    vector_at,
)
from arrangements.kernels.llvm.sorting_networks import WIDTH
from arrangements.kernels.numba_internals import cgutils

# Bit of a code that says that the slope is negative; those below belong to the merges.
NEGATIVE_BIT = 1 << 30
MOST_MERGES = 29
# Fields of a word below the score. Places of 16 and more run over into the score: that changes no
# order, see docs/exactness.md, but they cannot be read again.
LABEL_BITS, PLACE_BITS = 6, 4
LOW_BITS = LABEL_BITS + PLACE_BITS
# Scores are scaled to at most REACH in size, and differ if by more than a margin of at most
# MOST_MARGIN; words and a word of it add up to less than 2**31.
REACH, MOST_MARGIN = 2.0**21 - 2.0**10, 2.0**9
# Merges that share a table of the places they add.
GROUP = 3
# Numbers for all pairs of 64 labels, and a vector.
STRIDE = 64 * 63 // 2 + 16

# Of the difference of two scores, 4.2 float32 roundings of numbers up to 2 REACH, and a little.
ROUNDINGS = 1.2

_INDEX = types.int64
_SHORTS, _WORDS = ir.VectorType(I16, WIDTH), ir.VectorType(I32, WIDTH)
# Half a register for pairs: most labels have few smaller ones.
_HALF = 8
_HALF_SINGLES, _HALF_WORDS = ir.VectorType(FLOAT, _HALF), ir.VectorType(I32, _HALF)


class LabelLine(NamedTuple):
    """Data of a line, at depth e, of the tableau of labels; `pad` lanes hold them.

    Attributes
    ----------
    columns : (d + 1, pad) float32
        Slopes, constants and e rows of multipliers, of sizes up to 1.
    errors : (d + 1,) float32
        Of differences of two lanes of each.
    factor : (2, STRIDE) float32
        For each pair of labels, by number: of constants and of slopes in the scores at the point
        where the two cross.
    code_and_margin : (2, STRIDE) int32
        For each pair: its code, or -1 if something is not proved; words that differ by more than
        the second row have different scores. Bit q of a code says that the q-th merge is forward.
    inner : (2**GROUP g, pad) int32
        Places that each of g groups of merges adds to the labels, by their bits of a code,
        and in the first group the labels: as words.
    """

    columns: NDArray[np.float32]
    errors: NDArray[np.float32]
    factor: NDArray[np.float32]
    code_and_margin: NDArray[np.int32]
    inner: NDArray[np.int32]


@inlined
def word_of_margin(margin):
    """Words that differ by more than that have scores that differ by more than the margin."""
    return ((margin + 1) << LOW_BITS) - 1


def _difference(builder, line, row, c, first):
    """Of the labels from `first` on and c, in a row of columns."""
    lane = builder.mul(row, builder.extract_value(line.columns.shape, 1))
    mine = entry(builder, line.columns.data, builder.add(lane, c))
    others = vector_at(builder, line.columns.data, builder.add(lane, first), _HALF_SINGLES)
    return builder.fsub(builder.load(others, align=4), broadcast(builder, mine, _HALF))


def _error(builder, line, row):
    return broadcast(builder, entry(builder, line.errors.data, row), _HALF)


def _scale_and_error(builder, a_size, k_size, e_a, e_k):
    """2 REACH / (|a| + |k|), and how wrong the difference of two scores may be."""
    scale = builder.fdiv(fill(_HALF_SINGLES, 2.0 * REACH), builder.fadd(a_size, k_size))
    wrong = builder.fadd(
        builder.fmul(builder.fadd(fill(_HALF_SINGLES, 1.02), k_size), e_a),
        builder.fmul(builder.fadd(fill(_HALF_SINGLES, 1.02), a_size), e_k),
    )
    wrong = builder.fmul(builder.fmul(wrong, scale), fill(_HALF_SINGLES, 1.01))
    return scale, builder.fadd(wrong, fill(_HALF_SINGLES, ROUNDINGS))


def _codes(builder, line, e, c, first, negative, sure):
    """Which of e merges are forward, as codes, where these and what is `sure` are proved, else -1;
    and where they are.
    """
    start = builder.select(negative, fill(_HALF_WORDS, NEGATIVE_BIT), fill(_HALF_WORDS, 0))
    code = variable(builder, start)
    # words, for LLVM would carry masks from one turn to the next bit by bit
    proved = variable(builder, builder.sext(sure, _HALF_WORDS))
    with cgutils.for_range(builder, e) as loop:
        row = builder.add(loop.index, number(2))
        x = _difference(builder, line, row, c, first)
        below = builder.fcmp_ordered("<", x, fill(_HALF_SINGLES, 0.0))
        bit = builder.shl(ir.Constant(I32, 1), builder.trunc(loop.index, I32))
        is_forward, bits = builder.xor(below, negative), broadcast(builder, bit, _HALF)
        forward = builder.select(is_forward, bits, fill(_HALF_WORDS, 0))
        builder.store(builder.or_(builder.load(code), forward), code)
        certain = builder.fcmp_ordered(">", absolute(builder, x), _error(builder, line, row))
        certain = builder.sext(certain, _HALF_WORDS)
        builder.store(builder.and_(builder.load(proved), certain), proved)
    proved = builder.icmp_signed("!=", builder.load(proved), fill(_HALF_WORDS, 0))
    return builder.select(proved, builder.load(code), fill(_HALF_WORDS, -1)), proved


def _margins(builder, wrong, proved):
    """`word_of_margin` of what is larger than the error by one to two."""
    # infinity has no integer
    finite = builder.select(proved, wrong, fill(_HALF_SINGLES, 0.0))
    margin = builder.add(builder.fptosi(finite, _HALF_WORDS), fill(_HALF_WORDS, 2))
    margin = builder.shl(margin, fill(_HALF_WORDS, LOW_BITS))
    return builder.sub(margin, fill(_HALF_WORDS, 1))


def _aim_pairs(builder, line, e, c, first, errors):
    """The pairs of c with the labels from `first` on."""
    e_a, e_k = errors
    a, k = (_difference(builder, line, number(row), c, first) for row in (0, 1))
    a_size, k_size = absolute(builder, a), absolute(builder, k)
    scale, wrong = _scale_and_error(builder, a_size, k_size, e_a, e_k)
    negative = builder.fcmp_ordered("<", a, fill(_HALF_SINGLES, 0.0))
    sure = builder.and_(
        builder.fcmp_ordered(">", a_size, e_a),
        builder.fcmp_ordered("<", wrong, fill(_HALF_SINGLES, MOST_MARGIN)),
    )
    code, proved = _codes(builder, line, e, c, first, negative, sure)
    margin = _margins(builder, wrong, proved)
    scale = builder.select(negative, builder.fneg(scale), scale)
    of_c = builder.lshr(builder.mul(c, builder.sub(c, number(1))), number(1))
    here = builder.add(of_c, first)
    there = builder.add(here, number(STRIDE))
    for value, array, index in (
        (builder.fmul(a, scale), line.factor, here),
        (builder.fmul(k, scale), line.factor, there),
        (code, line.code_and_margin, here),
        (margin, line.code_and_margin, there),
    ):
        builder.store(value, vector_at(builder, array.data, index, value.type), align=4)


@instruction(lambda line, e, last: types.void(line, _INDEX, _INDEX))
def aim(builder, line, e, last):
    """Set `factor` and `code_and_margin` of a `LabelLine`, for all pairs of labels below `last`.

    With scale = 2 REACH / (|slope| + |constant|), the sign that of the slope,
    ``factor[0] = slope * scale, factor[1] = constant * scale``.
    ``kernels.rankings.search.start_line`` derives the margin.
    """
    errors = [_error(builder, line, number(row)) for row in (0, 1)]
    with steps(builder, number(1), last, 1) as (c, _):
        # lanes behind the pairs of c are overwritten by those of c + 1
        with steps(builder, number(0), c, _HALF) as (first, _):
            _aim_pairs(builder, line, e, c, first, errors)


@instruction(lambda block, size, shift, *_: types.void(block, size, shift, *(_INDEX,) * 5))
def merge(builder, block, size, shift, e, a, c, upper, lower):
    """Set `block` and `size` of the child (a, c) of the node of depth e, and its `shift`.

    upper, lower : a and c as they are before they cross
    """
    pad = builder.extract_value(block.shape, 1)
    old = builder.mul(e, pad)
    new, backward = builder.add(old, pad), builder.shl(old, number(1))
    forward = builder.add(backward, pad)
    below = entry(builder, size.data, builder.add(old, lower))
    above = entry(builder, size.data, builder.add(old, upper))
    # places that a merge adds to the other block
    added = [(upper, below, backward), (lower, above, forward)]

    def label(value):
        return broadcast(builder, builder.trunc(value, I16), WIDTH)

    with steps(builder, number(0), pad, WIDTH) as (i, _):

        def place(array, start):
            return vector_at(builder, array.data, builder.add(start, i), _SHORTS)

        here = builder.load(place(block, old), align=2)
        members = {x: builder.icmp_signed("==", here, label(x)) for x in (upper, lower, c)}
        for x, of_other, start in added:
            more = builder.select(members[x], broadcast(builder, of_other, WIDTH), fill(_SHORTS, 0))
            builder.store(more, place(shift, start), align=2)
        merged = builder.select(members[c], label(a), here)
        builder.store(merged, place(block, new), align=2)
        builder.store(builder.load(place(size, old), align=2), place(size, new), align=2)
    builder.store(builder.add(below, above), builder.gep(size.data, [builder.add(new, a)]))


def _sums_of_group(builder, shift, first, merges, pad, i):
    """Sums of the shifts of GROUP merges from `first` on, lanes i.., for each code of theirs."""
    sums = [fill(_SHORTS, 0)]
    for k in range(GROUP):
        q = builder.add(first, number(k))
        # a merge that there is not is backward, and adds nothing
        is_there = builder.icmp_signed("<", q, merges)
        row = builder.add(builder.mul(builder.shl(q, number(1)), pad), i)
        backward, forward = (
            builder.load(vector_at(builder, shift, start, _SHORTS), align=2)
            for start in (row, builder.add(row, pad))
        )
        backward = builder.select(is_there, backward, fill(_SHORTS, 0))
        sums = [builder.add(known, backward) for known in sums] + [
            builder.add(known, forward) for known in sums
        ]
    return sums


@instruction(lambda shift, inner, merges: types.void(shift, inner, _INDEX))
def sum_shifts(builder, shift, inner, merges):
    """Sum ``shift[q, bit q of code]`` over the merges of each group of GROUP, for all codes.

    These are 2**GROUP rows of `inner` for each group, as places in words; those of the first group
    hold the labels, too.
    """
    pad = builder.extract_value(inner.shape, 1)
    group, places = number(GROUP), fill(_WORDS, LABEL_BITS)
    groups = builder.sdiv(builder.add(merges, number(GROUP - 1)), group)
    some = builder.select(builder.icmp_signed(">", groups, number(1)), groups, number(1))
    with (
        cgutils.for_range(builder, some) as loop,
        steps(builder, number(0), pad, WIDTH) as (i, _),
    ):
        first = builder.mul(loop.index, group)
        totals = _sums_of_group(builder, shift.data, first, merges, pad, i)
        lane = broadcast(builder, builder.trunc(i, I32), WIDTH)
        labels = builder.add(lane_numbers(_WORDS), lane)
        is_first = builder.icmp_signed("==", loop.index, number(0))
        labels = builder.select(is_first, labels, fill(_WORDS, 0))
        first = builder.shl(loop.index, group)
        for code, total in enumerate(totals):
            row = builder.mul(builder.add(first, number(code)), pad)
            total = builder.add(builder.shl(builder.zext(total, _WORDS), places), labels)
            place = vector_at(builder, inner.data, builder.add(row, i), _WORDS)
            builder.store(total, place, align=4)
