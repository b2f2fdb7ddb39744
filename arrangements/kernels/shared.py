"""Named tuples of arrays: made of zeros, or taken by reference.

By value, each part that takes a workspace has an argument for every pointer, length and stride of
its arrays, hundreds of them; passing them on took 15 to 25 % of the time of compilation. By
reference it is one argument, and a part loads what it uses.
"""

import hashlib
from functools import cache
from typing import Any, TypeVar, get_args

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox

from arrangements.kernels.numba_internals import (
    AttributeTemplate,
    BaseTuple,
    cgutils,
    impl_ret_borrowed,
    infer_getattr,
    lower_getattr_generic,
)

Class = TypeVar("Class", bound=type)
Space = TypeVar("Space", bound=tuple[Any, ...])


def zeros(kind: type[Space], *shapes: tuple[Any, str], **others: Any) -> Space:
    """An instance of a named tuple, its arrays filled with zeros of the types that it declares.

    shapes : pairs of a shape and the names of the members that have it
    others : members that are made otherwise
    """
    for name, (shape, dtype) in shapes_of(kind, *shapes).items():
        others[name] = np.zeros(shape, dtype)
    return kind(**others)


def shapes_of(kind: type[Space], *shapes: tuple[Any, str]) -> dict[str, tuple[Any, Any]]:
    """Shapes and types of the members of a named tuple that are arrays, in its order.

    shapes : as for `zeros`
    """
    found = {name: shape for shape, names in shapes for name in names.split()}
    return {name: (found[name], dtype) for name, dtype in _dtypes(kind).items() if name in found}


@cache
def _dtypes(kind: type[Any]) -> dict[str, Any]:
    """The types of numbers of the members that are arrays."""
    kinds = {name: _number(found) for name, found in kind.__annotations__.items()}
    return {name: found for name, found in kinds.items() if found is not None}


def _number(found: Any) -> Any:
    """The type of numbers in ``NDArray[..]``, however NumPy spells it; None of other types."""
    inner = get_args(found)
    if inner:
        return _number(inner[-1])
    return found if isinstance(found, type) and issubclass(found, np.generic) else None


class Shared(types.Type):  # type: ignore[misc]
    """Numba type of a reference to a named tuple, `members`, that nobody replaces or frees."""

    def __init__(self, members: Any) -> None:
        self.members = members
        # short, for it is a part of the name of every function that takes it
        digest = hashlib.sha256(members.name.encode()).hexdigest()[:12]
        super().__init__(f"Shared({members.instance_class.__name__}, {digest})")


@register_model(Shared)
class _SharedModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Shared) -> None:
        pointee = manager.lookup(kind.members).get_value_type()
        super().__init__(manager, kind, pointee.as_pointer())


@infer_getattr
class _SharedAttributes(AttributeTemplate):  # type: ignore[misc]
    key = Shared

    def generic_resolve(self, shared: Shared, name: str) -> Any:
        fields = shared.members.fields
        return shared.members[fields.index(name)] if name in fields else None


@lower_getattr_generic(Shared)
def _load_member(context: Any, builder: Any, kind: Shared, value: Any, name: str) -> Any:
    place = kind.members.fields.index(name)
    pointer = cgutils.gep_inbounds(builder, value, 0, place)
    loaded = _load(context, builder, pointer)
    return impl_ret_borrowed(context, builder, kind.members[place], loaded)


def _load(context: Any, builder: Any, pointer: Any) -> Any:
    """The value at a pointer, part by part: LLVM drops the loads of parts that are not used."""
    kind = pointer.type.pointee
    if not isinstance(kind, ir.BaseStructType | ir.ArrayType):
        loaded = builder.load(pointer)
        module = builder.module
        # no write in between changes it
        loaded.set_metadata("invariant.load", module.add_metadata([]))
        if isinstance(kind, ir.PointerType) and isinstance(kind.pointee, ir.BaseStructType):
            # a reference in turn: its members may be loaded beforehand
            size = ir.Constant(ir.IntType(64), context.get_abi_sizeof(kind.pointee))
            loaded.set_metadata("dereferenceable", module.add_metadata([size]))
            loaded.set_metadata("align", module.add_metadata([ir.Constant(ir.IntType(64), 8)]))
        return loaded
    value = ir.Constant(kind, ir.Undefined)
    for place in range(len(kind)):
        part = _load(context, builder, cgutils.gep_inbounds(builder, pointer, 0, place))
        value = builder.insert_value(value, part, place)
    return value


@unbox(Shared)
def _unbox_shared(kind: Shared, instance: Any, c: Any) -> NativeValue:
    native = c.unbox(kind.members, instance)
    pointer = cgutils.alloca_once_value(c.builder, native.value)
    return NativeValue(pointer, is_error=native.is_error, cleanup=native.cleanup)


def shared(members: Class) -> Class:
    """Class decorator: kernels take instances of this named tuple by reference.

    All instances have arrays of the same types, so that kernels are compiled once.
    """
    known: list[Shared] = []

    @typeof_impl.register(members)
    def typeof(value: Any, context: Any) -> Shared:
        kinds = [typeof_impl(member, context) for member in value]
        found = Shared(BaseTuple.from_types(kinds, members))
        if known and found != known[0]:
            raise TypeError(
                f"a {members.__name__} has members of the types {found.members}, and an earlier "
                f"one of {known[0].members}; expected the same types."
            )
        known[:] = [found]
        return found

    return members
