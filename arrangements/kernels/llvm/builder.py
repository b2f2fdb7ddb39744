"""What intrinsics are built from: constants, broadcasts, addresses, loops, sums.

Each function adds LLVM instructions where the builder stands and returns their value.
"""

from llvmlite import ir
from numba import types

from arrangements.kernels.numba_internals import cgutils

I1, I8, I16, I32, I64 = (ir.IntType(width) for width in (1, 8, 16, 32, 64))
FLOAT, DOUBLE = ir.FloatType(), ir.DoubleType()
_SUFFIXES = {FLOAT: "f32", DOUBLE: "f64", I8: "i8", I32: "i32", I64: "i64"}


def number(value):
    """A word of 64 bits."""
    return ir.Constant(I64, value)


def filled(kind, value):
    """The vector whose lanes are all one known number."""
    return ir.Constant(kind, [value] * kind.count)


def counted(kind):
    """The lanes 0, 1, 2, .."""
    return ir.Constant(kind, list(range(kind.count)))


def broadcast(builder, value, count):
    """All of `count` lanes are `value`."""
    undefined = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(I32, 0))
    return builder.shuffle_vector(single, undefined, filled(ir.VectorType(I32, count), 0))


def joined(builder, first, second):
    """The lanes of two vectors of one type, one after the other."""
    return builder.shuffle_vector(first, second, counted(ir.VectorType(I32, 2 * first.type.count)))


def absolute(builder, numbers):
    """Absolute values of floats. Their patterns, as integers, are ordered like them."""
    return call(builder, "llvm.fabs", numbers)


def bits(builder, lanes):
    """Lanes of one bit as the low bits of a word."""
    found = builder.bitcast(lanes, ir.IntType(lanes.type.count))
    return found if lanes.type.count == 64 else builder.zext(found, I64)


def lanes_of(builder, word, count):
    """The low bits of a word as lanes of one bit."""
    narrow = builder.trunc(word, ir.IntType(count))
    return builder.bitcast(narrow, ir.VectorType(I1, count))


def call(builder, name, vector, result=None):
    """LLVM's function `name` of vectors of this type; `result` is the type of its value."""
    name = f"{name}.v{vector.type.count}{_SUFFIXES[vector.type.element]}"
    kind = ir.FunctionType(result or vector.type, [vector.type])
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [vector])


def store_in(builder, value, address, chosen, align):
    """Store the chosen lanes of a vector; memory at the others is not touched."""
    suffix = f"v{value.type.count}{_SUFFIXES[value.type.element]}"
    kind = ir.FunctionType(ir.VoidType(), [value.type, address.type, I32, chosen.type])
    name = f"llvm.masked.store.{suffix}.p0{suffix}"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    builder.call(function, [value, address, ir.Constant(I32, align), chosen])


def load_in(builder, address, chosen, others, align):
    """The chosen lanes of a vector in memory, which is not read at the others: these have a value
    of their own.
    """
    suffix = f"v{others.type.count}{_SUFFIXES[others.type.element]}"
    kind = ir.FunctionType(others.type, [address.type, I32, chosen.type, others.type])
    name = f"llvm.masked.load.{suffix}.p0{suffix}"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [address, ir.Constant(I32, align), chosen, others])


def vector_at(builder, pointer, index, kind):
    """Address of the vector that starts at an entry."""
    return builder.bitcast(builder.gep(pointer, [index]), kind.as_pointer())


def entry(builder, pointer, index):
    """One entry of an array."""
    return builder.load(builder.gep(pointer, [index]))


def steps(builder, start, stop, step):
    """A loop from `start` by `step`: a context whose value is (index, number of turns)."""
    return cgutils.for_range_slice(builder, start, stop, number(step), inc=True)


def variable(builder, value):
    """Memory for a value that changes in a loop; LLVM makes a register of it."""
    return cgutils.alloca_once_value(builder, value)


def array_of(context, builder, kind, value):
    """An array argument, with its `data`, `shape` and `nitems`."""
    return context.make_array(kind)(context, builder, value)


def data_of(context, builder, signature, args, count):
    """Addresses of the first entries of the first `count` arguments, all of them arrays."""
    arguments = zip(signature.args[:count], args[:count], strict=True)
    return [array_of(context, builder, kind, value).data for kind, value in arguments]


def address_of(context, builder, kind, value, indices, pointee):
    """Where ``array[indices]`` is, for a contiguous array, as a pointer to `pointee`."""
    view = array_of(context, builder, kind, value)
    index = indices[0]
    for axis in range(1, len(indices)):
        width = builder.extract_value(view.shape, axis)
        index = builder.add(builder.mul(index, width), indices[axis])
    return vector_at(builder, view.data, index, pointee)


def unpacked(context, builder, kind, value):
    """The fields of a NamedTuple: those of arrays as arrays, integers as words of 64 bits."""
    found = []
    for k, field in enumerate(kind):
        part = builder.extract_value(value, k)
        if isinstance(field, types.Array):
            found.append(array_of(context, builder, field, part))
        else:
            found.append(context.cast(builder, part, field, types.int64))
    return kind.instance_class(*found)
