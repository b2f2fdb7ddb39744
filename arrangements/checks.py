"""Arguments of public functions: integers, options and seeds, each checked in one place."""

from collections.abc import Collection, Iterable
from itertools import islice
from numbers import Real
from operator import index
from typing import Any

import numpy as np

from arrangements.errors import InputError, InputTypeError, UnknownMethodError
from arrangements.messages import quote

# No argument lists more: an iterator that yields as many may have no end.
_MOST_ITEMS = 10**6
# What NumPy takes as a seed, except iterables without end.
_SEEDS = (
    *(int, np.integer, list, tuple, np.ndarray),
    *(np.random.Generator, np.random.RandomState),
    *(np.random.BitGenerator, np.random.SeedSequence),
)


def check_integer(
    name: str, value: Any, least: int | None = None, most: int | None = None, of: str = ""
) -> int:
    """Check that an argument is an integer, and return it as an int.

    Parameters
    ----------
    name : str
        Name of the argument in messages.
    value : int, or anything that Python takes as an index (NumPy integers, 0-d arrays of them)
        A bool is refused: it would be 0 or 1 by accident.
    least, most : int, optional
        The range allowed, ends included.
    of : str
        Meaning of `most`, for the message.

    Raises
    ------
    InputError
        If it is not such an integer; the message says what was given and what is expected.

    Examples
    --------
    >>> check_integer("k", np.array(3), 1, 5)
    3
    >>> check_integer("k", 6, 1, 5, of="the number of labels")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: k is 6; expected an integer from 1 to the number of labels, 5.
    """
    try:
        number = None if isinstance(value, bool) else index(value)
    except Exception:  # whatever the value raises
        number = None
    too_small = number is not None and least is not None and number < least
    too_large = number is not None and most is not None and number > most
    if number is None or too_small or too_large:
        raise InputError(f"{name} is {quote(value)}; expected {_range(least, most, of)}.")
    return number


def _range(least: int | None, most: int | None, of: str) -> str:
    """The integers allowed, in words."""
    if most is not None:
        return f"an integer from {0 if least is None else least} to {of and f'{of}, '}{most}"
    if least is None:
        return "an integer"
    return "a positive integer" if least == 1 else f"an integer of at least {least}"


def check_flag(name: str, value: Any) -> bool:
    """Check that an argument is True or False, and return it as a bool.

    0 and 1 are accepted; other values that Python finds true are not.

    Examples
    --------
    >>> check_flag("exact", np.True_)
    True
    >>> check_flag("exact", "no")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputTypeError: exact is 'no'; expected True or False.
    """
    if not isinstance(value, (bool, np.bool_, int, np.integer)) or value not in (0, 1):
        raise InputTypeError(f"{name} is {quote(value)}; expected True or False.")
    return bool(value)


def check_instance(name: str, value: Any, kind: type) -> None:
    """Refuse a value that is not an instance of a class.

    Examples
    --------
    >>> check_instance("n", "x", int)
    Traceback (most recent call last):
        ...
    arrangements.errors.InputTypeError: n is 'x'; expected an instance of int.
    """
    if not isinstance(value, kind):
        raise InputTypeError(f"{name} is {quote(value)}; expected an instance of {kind.__name__}.")


def as_list(name: str, values: Iterable[Any], expected: str = "a sequence") -> list[Any]:
    """Items of an argument, at most a million; refuse an iterator without end.

    Examples
    --------
    >>> as_list("rows", (2, 0))
    [2, 0]
    >>> from itertools import repeat
    >>> as_list("rows", repeat(0))
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: rows is repeat(0), of more than 1000000 entries.
    """
    try:
        found = list(islice(values, _MOST_ITEMS + 1))
    except Exception as error:  # it is not iterable, or fails on the way
        raise InputTypeError(f"{name} is {quote(values)}; expected {expected}.") from error
    if len(found) > _MOST_ITEMS:
        raise InputError(f"{name} is {quote(values)}, of more than {_MOST_ITEMS} entries.")
    return found


def check_option(name: str, value: Any, options: Collection[str | int], note: str = "") -> None:
    """Refuse a value that is not one of the options; `note` says more about the value.

    Examples
    --------
    >>> check_option("ties", "keep", ("error", "drop"))
    Traceback (most recent call last):
        ...
    arrangements.errors.UnknownMethodError: ties is 'keep'; expected 'error' or 'drop'.
    """
    if not isinstance(value, (str, int, np.integer)) or value not in options:
        *others, last = map(repr, options)
        wanted = f"{', '.join(others)} or {last}" if others else last
        raise UnknownMethodError(f"{name} is {quote(value)}{note}; expected {wanted}.")


def random_generator(rng: Any) -> np.random.Generator:
    """NumPy's generator from a seed, from a generator, or, for None, from fresh entropy.

    Examples
    --------
    >>> random_generator(0).integers(10)
    np.int64(8)
    """
    try:
        if not (rng is None or isinstance(rng, _SEEDS)):
            raise TypeError
        return np.random.default_rng(rng)
    except Exception as error:  # NumPy asks entries of a list for integers
        raise InputError(
            f"rng is {quote(rng)}; expected a seed (an integer of at least 0), a "
            "numpy.random.Generator, or None."
        ) from error


def check_max_hours(max_hours: float | None) -> None:
    """Refuse a value that is neither a positive number of hours nor None."""
    if max_hours is None:
        return
    if isinstance(max_hours, bool) or not isinstance(max_hours, Real) or not max_hours > 0:
        text = quote(max_hours)
        raise InputError(f"max_hours is {text}; expected a positive number, or math.inf.")


def check_time_limit(time_limit: float | None) -> None:
    """Refuse a `time_limit` that is no number of seconds.

    Examples
    --------
    >>> check_time_limit(-1)
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: time_limit is -1; expected a number of seconds, at least 0, or \
None.
    """
    number = isinstance(time_limit, Real) and not isinstance(time_limit, bool)
    if time_limit is not None and not (number and time_limit >= 0):
        raise InputError(
            f"time_limit is {quote(time_limit)}; expected a number of seconds, at least 0, or None."
        )
