"""Columns of a tableau in one pass over their lanes, with no checks that arrays overlap.

A line of few labels is short: what numba adds to a loop over two or three arrays costs more than
the loop.
"""

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

_I64, _DOUBLE, _FLOAT = ir.IntType(64), ir.DoubleType(), ir.FloatType()
_LANES = 8
_DOUBLES = ir.VectorType(_DOUBLE, _LANES)
_WORDS = ir.VectorType(_I64, _LANES)


def _splat(builder, value):
    vector = ir.VectorType(value.type, _LANES)
    undefined = ir.Constant(vector, ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
    return builder.shuffle_vector(single, undefined, zeros)


def _at(builder, pointer, start, index, kind):
    place = builder.gep(pointer, [builder.add(start, index)])
    return builder.bitcast(place, kind.as_pointer())


def _steps(builder, lanes, step=_LANES):
    return cgutils.for_range_slice(
        builder, ir.Constant(_I64, 0), lanes, ir.Constant(_I64, step), inc=True
    )


@intrinsic
def _combine(typingctx, table, target, u, v, alpha, beta, lanes):
    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        target, u, v, alpha, beta, lanes = args[1:]
        alpha, beta = _splat(builder, alpha), _splat(builder, beta)
        mask = ir.Constant(_WORDS, [0x7FFFFFFFFFFFFFFF] * _LANES)
        largest = cgutils.alloca_once_value(builder, ir.Constant(_WORDS, [0] * _LANES))
        with _steps(builder, lanes) as (i, _):
            left = builder.fmul(alpha, builder.load(_at(builder, data, u, i, _DOUBLES), align=8))
            right = builder.fmul(beta, builder.load(_at(builder, data, v, i, _DOUBLES), align=8))
            value = builder.fsub(left, right)
            builder.store(value, _at(builder, data, target, i, _DOUBLES), align=8)
            # patterns of positive floats are ordered like them
            size = builder.and_(builder.bitcast(value, _WORDS), mask)
            known = builder.load(largest)
            larger = builder.icmp_signed(">", size, known)
            builder.store(builder.select(larger, size, known), largest)
        name = f"llvm.vector.reduce.umax.v{_LANES}i64"
        kind = ir.FunctionType(_I64, [_WORDS])
        reduce = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.bitcast(builder.call(reduce, [builder.load(largest)]), _DOUBLE)

    scalars = (*(types.int64,) * 3, *(types.float64,) * 2, types.int64)
    return types.float64(table, *scalars), codegen


@intrinsic
def _narrow(typingctx, table, source, line, target, factor, lanes):
    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        out = context.make_array(signature.args[2])(context, builder, args[2]).data
        source, target, lanes = args[1], args[3], args[5]
        factor = _splat(builder, args[4])
        half, whole = (ir.VectorType(_FLOAT, count) for count in (_LANES, 2 * _LANES))
        index = ir.Constant(ir.VectorType(ir.IntType(32), 2 * _LANES), list(range(2 * _LANES)))
        # in one store, for a load of them all would have to wait for two
        with _steps(builder, lanes, 2 * _LANES) as (i, _):
            halves = []
            for start in (i, builder.add(i, ir.Constant(_I64, _LANES))):
                value = builder.load(_at(builder, data, source, start, _DOUBLES), align=8)
                halves.append(builder.fptrunc(builder.fmul(value, factor), half))
            value = builder.shuffle_vector(*halves, index)
            builder.store(value, _at(builder, out, target, i, whole), align=4)
        return context.get_dummy_value()

    scalars = (types.int64, line, types.int64, types.float64, types.int64)
    return types.void(table, *scalars), codegen


def _combine_plain(table, target, u, v, alpha, beta, lanes):
    flat = table.reshape(-1)
    value = alpha * flat[u : u + lanes] - beta * flat[v : v + lanes]
    flat[target : target + lanes] = value
    return float(np.abs(value).max(initial=0.0))


def _narrow_plain(table, source, line, target, factor, lanes):
    line.reshape(-1)[target : target + lanes] = table.reshape(-1)[source : source + lanes] * factor


# Columns are given by the index of their first lane in the contiguous array; lanes % 16 == 0.
# combine(table, target, u, v, alpha, beta, lanes): target = alpha u - beta v; its largest size.
# narrow(table, source, line, target, factor, lanes): a row of `line` = factor * a column, rounded.
if config.DISABLE_JIT:
    combine, narrow = _combine_plain, _narrow_plain
else:
    combine, narrow = _combine, _narrow
