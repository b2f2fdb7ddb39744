"""The address of public classes: what users, pickles and documentation call them."""

import inspect
from typing import TypeVar

Class = TypeVar("Class", bound=type)


def public_class(cls: Class) -> Class:
    """Say that a class is known as ``arrangements.X``, whatever file it stands in.

    So pickles and links keep working when it moves. Every class of ``__all__`` has it.

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
    cls.__module__ = "arrangements"
    return cls
