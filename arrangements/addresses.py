"""The address of public classes: what users, pickles and documentation call them."""

import inspect
from typing import TypeVar

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
    return cls
