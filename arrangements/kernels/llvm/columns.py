"""Columns of a tableau in one pass over their lanes, with no checks that arrays overlap.

A line of few labels is short: what numba adds to a loop over two or three arrays costs more than
the loop.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from arrangements.kernels.llvm.builder import (
    DOUBLE,
    FLOAT,
    I64,
    absolute,
    array_of,
    broadcast,
    call,
    filled,
    joined,
    number,
    steps,
    variable,
    vector_at,
)

_LANES = 8
_DOUBLES, _WORDS = ir.VectorType(DOUBLE, _LANES), ir.VectorType(I64, _LANES)


def _load(builder, data, start, index):
    place = vector_at(builder, data, builder.add(start, index), _DOUBLES)
    return builder.load(place, align=8)


# Columns are given by the index of their first lane in the contiguous array; lanes % 16 == 0.
#
# combine(table, target, u, v, alpha, beta, lanes): target = alpha u - beta v; its largest size.
@intrinsic
def combine(typingctx, table, target, u, v, alpha, beta, lanes):
    def codegen(context, builder, signature, args):
        data = array_of(context, builder, signature.args[0], args[0]).data
        target, u, v, alpha, beta, lanes = args[1:]
        alpha, beta = broadcast(builder, alpha, _LANES), broadcast(builder, beta, _LANES)
        largest = variable(builder, filled(_WORDS, 0))
        with steps(builder, number(0), lanes, _LANES) as (i, _):
            left = builder.fmul(alpha, _load(builder, data, u, i))
            right = builder.fmul(beta, _load(builder, data, v, i))
            value = builder.fsub(left, right)
            place = vector_at(builder, data, builder.add(target, i), _DOUBLES)
            builder.store(value, place, align=8)
            size, known = builder.bitcast(absolute(builder, value), _WORDS), builder.load(largest)
            larger = builder.icmp_signed(">", size, known)
            builder.store(builder.select(larger, size, known), largest)
        top = call(builder, "llvm.vector.reduce.umax", builder.load(largest), I64)
        return builder.bitcast(top, DOUBLE)

    scalars = (*(types.int64,) * 3, *(types.float64,) * 2, types.int64)
    return types.float64(table, *scalars), codegen


# narrow(table, source, line, target, factor, lanes): a row of `line` = factor * a column, rounded.
@intrinsic
def narrow(typingctx, table, source, line, target, factor, lanes):
    def codegen(context, builder, signature, args):
        data = array_of(context, builder, signature.args[0], args[0]).data
        out = array_of(context, builder, signature.args[2], args[2]).data
        source, target, lanes = args[1], args[3], args[5]
        factor = broadcast(builder, args[4], _LANES)
        half = ir.VectorType(FLOAT, _LANES)
        # in one store, for a load of them all would have to wait for two
        with steps(builder, number(0), lanes, 2 * _LANES) as (i, _):
            halves = []
            for start in (i, builder.add(i, number(_LANES))):
                value = builder.fmul(_load(builder, data, source, start), factor)
                halves.append(builder.fptrunc(value, half))
            value = joined(builder, *halves)
            place = vector_at(builder, out, builder.add(target, i), value.type)
            builder.store(value, place, align=4)
        return context.get_dummy_value()

    scalars = (types.int64, line, types.int64, types.float64, types.int64)
    return types.void(table, *scalars), codegen
