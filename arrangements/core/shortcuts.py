"""A public function as a method of an arrangement, or of a network."""

from collections.abc import Callable
from functools import cached_property
from inspect import Parameter, Signature, cleandoc, signature
from types import MethodType
from typing import Any

from arrangements.public import address, find


class Shortcut:
    """The public function of the same name as a method, asked about the object itself.

    The object takes the place of the first parameter and has offsets of its own, so the method has
    the parameters of the function except these. The function is imported when the method is
    first accessed.

    Examples
    --------
    >>> class Boolean(list):
    ...     count_chambers = Shortcut("count_chambers")
    >>> Boolean([[1, 0], [0, 1]]).count_chambers()
    4
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., Any]:
        return self._method if instance is None else MethodType(self._method, instance)

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner = getattr(owner, "_methods_of", owner.__name__)

    @cached_property
    def _method(self) -> Callable[..., Any]:
        return _as_method(find(self.name), self.__dict__.get("_owner", "Arrangement"))


def _as_method(function: Any, owner: str) -> Callable[..., Any]:
    own = _without_arrangement(signature(function))
    kinds = [parameter.kind for parameter in own.parameters.values()]
    any_number = Parameter.VAR_POSITIONAL in kinds
    most = float("inf") if any_number else kinds.count(Parameter.POSITIONAL_OR_KEYWORD)

    name = function.__name__
    summary, _, _ = cleandoc(function.__doc__ or "").partition("\n\n")  # none with -OO

    def method(self: object, /, *args: Any, **options: Any) -> Any:
        if "offsets" in options:
            raise TypeError(f"{name}() got an unexpected keyword argument 'offsets'")
        if len(args) >= most:
            try:
                own.bind(self, *args, **options)
            except TypeError as error:
                raise TypeError(f"{name}() got {len(args)} arguments: {error}") from None
        return function(self, *args, **options)

    method.__name__, method.__qualname__ = name, f"{owner}.{name}"
    method.__doc__ = f"{summary}\n\nSee `{address(name)}.{name}` for the parameters.\n"
    method.__dict__["__signature__"] = own
    return method


def _without_arrangement(of: Signature) -> Signature:
    others = [p for p in of.parameters.values() if p.name not in ("W", "offsets", "network")]
    return of.replace(parameters=[Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *others])
