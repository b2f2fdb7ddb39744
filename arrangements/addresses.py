"""Public classes: the address that users, pickles and documentation know; immutable objects."""

import inspect
from typing import Any, NoReturn, TypeVar

from arrangements.keywords import answer_other_names
from arrangements.public import address

Class = TypeVar("Class", bound=type)


def public_class(cls: Class) -> Class:
    """Give a class the address of its public module, whatever file defines it.

    So pickles and links keep working when it moves. Every public class has it.

    Examples
    --------
    >>> from arrangements.sets.rankings import Rankings
    >>> Rankings
    <class 'arrangements.Rankings'>
    """
    try:  # while it is known where the names in them are defined
        cls.__annotations__ = inspect.get_annotations(cls, eval_str=True)
    except NameError:  # some are for type checkers only
        pass
    cls.__module__ = address(cls.__name__)
    kind: Any = cls
    if (init := answer_other_names(kind.__init__, cls.__name__)) is not kind.__init__:
        kind.__init__ = init
    return cls


class Immutable:
    """Objects whose attributes are set once, in ``__dict__``, and never again."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"a {type(self).__name__} is immutable; build a new one to change {name!r}"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is immutable; {name!r} cannot be deleted")
