"""The address of public classes: what users, pickles and documentation call them."""

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
    cls.__module__ = "arrangements"
    return cls
