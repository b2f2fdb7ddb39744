"""Kernels that others call by address, so that they are compiled when they are first needed.

Whoever calls one has a place for its address. While that is 0, the caller stops with a status that
says so; the driver puts the address there and calls again. So rare work, such as exact signs, is
in no other entry, and is compiled once for all of them.
"""

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import typeof, types
from numba.extending import intrinsic

from arrangements.kernels.numba_internals import address_of, cgutils

# Types of results and arguments: integers, rows of words, rows of bytes.
INT: Any = types.int64
PAIR: Any = types.UniTuple(INT, 2)
WORDS: Any = types.uint64[:, ::1]
BYTES: Any = types.uint8[:, ::1]


class Late:
    """An entry that kernels call by its address.

    Parameters
    ----------
    entry : dispatcher
        From `kernels.compilation.entry`. Its first parameters are shared named tuples.
    returns : type of numba
    arguments : sequence of types of numba
        Of the other parameters.

    Attributes
    ----------
    call : intrinsic
        ``call(address, (x, y, ..))`` in a kernel is ``entry(x, y, ..)``, integers as int64.
    """

    def __init__(self, entry: Any, returns: Any, arguments: Sequence[Any]) -> None:
        self.entry: Any = entry
        self.returns: Any = returns
        self.arguments: tuple[Any, ...] = tuple(arguments)
        self.call: Any = _caller(returns)
        self._address: int = 0

    def address(self, *spaces: Any) -> int:
        """The address of the code, which is compiled if need be; all `spaces` have one type."""
        if not self._address:
            kinds = *map(typeof, spaces), *self.arguments
            if kinds not in self.entry.overloads:
                self.entry.compile(kinds)
            found = self.entry.overloads[kinds]
            if found.signature.return_type != self.returns:
                raise TypeError(
                    f"{self.entry.__name__} returns {found.signature.return_type}; expected "
                    f"{self.returns}."
                )
            self._address = address_of(found)
        return self._address


def _as_passed(kind: Any) -> Any:
    return types.int64 if isinstance(kind, types.Integer) else kind


def _caller(returns: Any) -> Any:
    @intrinsic
    def call(typingctx: Any, address: Any, arguments: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            address, packed = args
            kinds = signature.args[1].types
            wanted = [_as_passed(kind) for kind in kinds]
            values = [
                context.cast(builder, builder.extract_value(packed, k), kind, wanted[k])
                for k, kind in enumerate(kinds)
            ]
            function = context.call_conv.get_function_type(returns, wanted)
            pointer = builder.inttoptr(address, ir.PointerType(function))
            status, value = context.call_conv.call_function(
                builder, pointer, returns, wanted, values
            )
            with cgutils.if_unlikely(builder, status.is_error):  # an index out of bounds
                context.call_conv.return_status_propagate(builder, status)
            return value

        return returns(types.int64, arguments), codegen

    return call
