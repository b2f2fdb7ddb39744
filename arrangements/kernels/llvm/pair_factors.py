"""For all pairs of up to 64 labels: what ``kernels.llvm.places`` needs at their points."""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from arrangements.kernels.llvm.builder import (
    FLOAT,
    I32,
    absolute,
    broadcast,
    entry,
    filled,
    number,
    steps,
    unpacked,
    variable,
    vector_at,
)
from arrangements.kernels.llvm.label_words import (
    LOW_BITS,
    MOST_MARGIN,
    NEGATIVE_BIT,
    REACH,
    STRIDE,
)
from arrangements.kernels.numba_internals import cgutils

# Of the difference of two scores, 4.2 float32 roundings of numbers up to 2 REACH, and a little.
ROUNDINGS = 1.2
# Half a register, for most labels have few smaller ones.
_LANES = 8
_SINGLES, _WORDS = ir.VectorType(FLOAT, _LANES), ir.VectorType(I32, _LANES)


def _difference(builder, line, row, c, first):
    """Of the labels from `first` on and c, in a row of columns."""
    lane = builder.mul(row, builder.extract_value(line.columns.shape, 1))
    mine = entry(builder, line.columns.data, builder.add(lane, c))
    others = vector_at(builder, line.columns.data, builder.add(lane, first), _SINGLES)
    return builder.fsub(builder.load(others, align=4), broadcast(builder, mine, _LANES))


def _error(builder, line, row):
    return broadcast(builder, entry(builder, line.errors.data, row), _LANES)


def _scale_and_error(builder, a_size, k_size, e_a, e_k):
    """2 REACH / (|a| + |k|), and how wrong the difference of two scores may be."""
    scale = builder.fdiv(filled(_SINGLES, 2.0 * REACH), builder.fadd(a_size, k_size))
    wrong = builder.fadd(
        builder.fmul(builder.fadd(filled(_SINGLES, 1.02), k_size), e_a),
        builder.fmul(builder.fadd(filled(_SINGLES, 1.02), a_size), e_k),
    )
    wrong = builder.fmul(builder.fmul(wrong, scale), filled(_SINGLES, 1.01))
    return scale, builder.fadd(wrong, filled(_SINGLES, ROUNDINGS))


def _codes(builder, line, e, c, first, negative, sure):
    """Which of e merges are forward, as codes, where these and what is `sure` are proved, else -1;
    and where they are.
    """
    start = builder.select(negative, filled(_WORDS, NEGATIVE_BIT), filled(_WORDS, 0))
    code = variable(builder, start)
    # words, for LLVM would carry masks from one turn to the next bit by bit
    proved = variable(builder, builder.sext(sure, _WORDS))
    with cgutils.for_range(builder, e) as loop:
        row = builder.add(loop.index, number(2))
        x = _difference(builder, line, row, c, first)
        below = builder.fcmp_ordered("<", x, filled(_SINGLES, 0.0))
        bit = builder.shl(ir.Constant(I32, 1), builder.trunc(loop.index, I32))
        is_forward, bits = builder.xor(below, negative), broadcast(builder, bit, _LANES)
        forward = builder.select(is_forward, bits, filled(_WORDS, 0))
        builder.store(builder.or_(builder.load(code), forward), code)
        certain = builder.fcmp_ordered(">", absolute(builder, x), _error(builder, line, row))
        certain = builder.sext(certain, _WORDS)
        builder.store(builder.and_(builder.load(proved), certain), proved)
    proved = builder.icmp_signed("!=", builder.load(proved), filled(_WORDS, 0))
    return builder.select(proved, builder.load(code), filled(_WORDS, -1)), proved


def _margins(builder, wrong, proved):
    """`word_of_margin` of what is larger than the error by one to two."""
    # what is not finite has no integer
    finite = builder.select(proved, wrong, filled(_SINGLES, 0.0))
    margin = builder.add(builder.fptosi(finite, _WORDS), filled(_WORDS, 2))
    margin = builder.shl(margin, filled(_WORDS, LOW_BITS))
    return builder.sub(margin, filled(_WORDS, 1))


def _aim_pairs(builder, line, e, c, first, errors):
    """The pairs of c with the labels from `first` on."""
    e_a, e_k = errors
    a, k = (_difference(builder, line, number(row), c, first) for row in (0, 1))
    a_size, k_size = absolute(builder, a), absolute(builder, k)
    scale, wrong = _scale_and_error(builder, a_size, k_size, e_a, e_k)
    negative = builder.fcmp_ordered("<", a, filled(_SINGLES, 0.0))
    sure = builder.and_(
        builder.fcmp_ordered(">", a_size, e_a),
        builder.fcmp_ordered("<", wrong, filled(_SINGLES, MOST_MARGIN)),
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


# aim(line, e, last): `factor` and `code_and_margin` of a `LabelLine` from its columns and errors,
# for all pairs of labels below `last`. With scale = 2 REACH / (|slope| + |constant|), the sign
# that of the slope, ``factor[0] = slope * scale, factor[1] = constant * scale``. The margin is
# derived at ``kernels.rankings.search.start_line``.
@intrinsic
def aim(typingctx, line, e, last):
    def codegen(context, builder, signature, args):
        line = unpacked(context, builder, signature.args[0], args[0])
        e, last = args[1:]
        errors = [_error(builder, line, number(row)) for row in (0, 1)]
        with steps(builder, number(1), last, 1) as (c, _):
            # what is behind the pairs of c is overwritten by those of c + 1
            with steps(builder, number(0), c, _LANES) as (first, _):
                _aim_pairs(builder, line, e, c, first, errors)
        return context.get_dummy_value()

    return types.void(line, types.int64, types.int64), codegen
