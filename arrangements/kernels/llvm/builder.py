"""The parts of intrinsics: constants, broadcasts, addresses, loops, sums.

Each function adds LLVM instructions at the builder's position and returns their value.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from arrangements.kernels.numba_internals import BaseTuple, cgutils

I1: Any = ir.IntType(1)
I8: Any = ir.IntType(8)
I16: Any = ir.IntType(16)
I32: Any = ir.IntType(32)
I64: Any = ir.IntType(64)
FLOAT: Any = ir.FloatType()
DOUBLE: Any = ir.DoubleType()
_SUFFIXES = {FLOAT: "f32", DOUBLE: "f64", I8: "i8", I32: "i32", I64: "i64"}


def number(value: Any) -> Any:
    """A word of 64 bits."""
    return ir.Constant(I64, value)


def fill(kind: Any, value: Any) -> Any:
    """The vector whose lanes are all one known number."""
    return ir.Constant(kind, [value] * kind.count)


def lane_numbers(kind: Any) -> Any:
    """The lanes 0, 1, 2, .."""
    return ir.Constant(kind, list(range(kind.count)))


def broadcast(builder: Any, value: Any, count: Any) -> Any:
    """All of `count` lanes are `value`."""
    undefined = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
    single = builder.insert_element(undefined, value, ir.Constant(I32, 0))
    return builder.shuffle_vector(single, undefined, fill(ir.VectorType(I32, count), 0))


def join(builder: Any, first: Any, second: Any) -> Any:
    """The lanes of two vectors of one type, one after the other."""
    return builder.shuffle_vector(
        first, second, lane_numbers(ir.VectorType(I32, 2 * first.type.count))
    )


def absolute(builder: Any, numbers: Any) -> Any:
    """Absolute values of floats. Their patterns, as integers, are ordered like them."""
    return call(builder, "llvm.fabs", numbers)


def bits(builder: Any, lanes: Any) -> Any:
    """Lanes of one bit as the low bits of a word."""
    found = builder.bitcast(lanes, ir.IntType(lanes.type.count))
    return found if lanes.type.count == 64 else builder.zext(found, I64)


def lanes_of(builder: Any, word: Any, count: Any) -> Any:
    """The low bits of a word as lanes of one bit."""
    narrow = builder.trunc(word, ir.IntType(count))
    return builder.bitcast(narrow, ir.VectorType(I1, count))


def call(builder: Any, name: Any, vector: Any, result: Any = None) -> Any:
    """LLVM's function `name` of vectors of this type; `result` is the type of its value."""
    name = f"{name}.v{vector.type.count}{_SUFFIXES[vector.type.element]}"
    kind = ir.FunctionType(result or vector.type, [vector.type])
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [vector])


def store_in(builder: Any, value: Any, address: Any, chosen: Any, align: Any) -> Any:
    """Store the chosen lanes of a vector; memory at the others is not touched."""
    suffix = f"v{value.type.count}{_SUFFIXES[value.type.element]}"
    kind = ir.FunctionType(ir.VoidType(), [value.type, address.type, I32, chosen.type])
    name = f"llvm.masked.store.{suffix}.p0{suffix}"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    builder.call(function, [value, address, ir.Constant(I32, align), chosen])


def load_in(builder: Any, address: Any, chosen: Any, others: Any, align: Any) -> Any:
    """The chosen lanes of a vector in memory, which is not read at the others: these have a value
    of their own.
    """
    suffix = f"v{others.type.count}{_SUFFIXES[others.type.element]}"
    kind = ir.FunctionType(others.type, [address.type, I32, chosen.type, others.type])
    name = f"llvm.masked.load.{suffix}.p0{suffix}"
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [address, ir.Constant(I32, align), chosen, others])


def vector_at(builder: Any, pointer: Any, index: Any, kind: Any) -> Any:
    """Address of the vector that starts at an entry."""
    return builder.bitcast(builder.gep(pointer, [index]), kind.as_pointer())


def entry(builder: Any, pointer: Any, index: Any) -> Any:
    """One entry of an array."""
    return builder.load(builder.gep(pointer, [index]))


def steps(builder: Any, start: Any, stop: Any, step: Any) -> Any:
    """A loop from `start` by `step`: a context whose value is (index, number of turns)."""
    return cgutils.for_range_slice(builder, start, stop, number(step), inc=True)


def variable(builder: Any, value: Any) -> Any:
    """Memory for a value that changes in a loop; LLVM makes a register of it."""
    return cgutils.alloca_once_value(builder, value)


def unpack(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """An argument as builders take it.

    An array has `data`, `shape` and `nitems`. A NamedTuple and a tuple have unpacked fields, and
    their integers are words of 64 bits.
    """
    if isinstance(kind, types.Array):
        return context.make_array(kind)(context, builder, value)
    if not isinstance(kind, BaseTuple):
        return value
    fields = []
    for k, field in enumerate(kind):
        part = builder.extract_value(value, k)
        if isinstance(field, types.Integer):
            part = context.cast(builder, part, field, types.int64)
        fields.append(unpack(context, builder, field, part))
    return kind.instance_class(*fields) if hasattr(kind, "instance_class") else fields


def instruction(signature: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorator: an intrinsic with the code that ``build(builder, *arguments)`` adds.

    signature : function of the types of the arguments
    """

    def decorate(build: Any) -> Any:
        @wraps(build)
        def type_call(typingctx: Any, *kinds: Any) -> Any:
            def codegen(context: Any, builder: Any, call: Any, args: Any) -> Any:
                arguments = zip(call.args, args, strict=True)
                result = build(builder, *(unpack(context, builder, *pair) for pair in arguments))
                return context.get_dummy_value() if result is None else result

            return signature(*kinds), codegen

        return intrinsic(type_call)

    return decorate


def address_of(builder: Any, array: Any, indices: Any, pointee: Any) -> Any:
    """Address of ``array[indices]``, a contiguous array, as a pointer to `pointee`."""
    index = indices[0]
    for axis in range(1, len(indices)):
        width = builder.extract_value(array.shape, axis)
        index = builder.add(builder.mul(index, width), indices[axis])
    return vector_at(builder, array.data, index, pointee)
