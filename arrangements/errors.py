"""Exceptions and warnings, one class per cause; each is also a built-in error.

Catch `ArrangementError` for everything this package refuses on purpose.

The first argument of an error says what was given and what was expected. Advice that names Python
keywords follows as a `Remedy`: an interface with other words, such as the command line, recognizes
it by its name and gives its own advice.
"""

import math
import os
import re
import sys
import warnings
from dataclasses import dataclass

from arrangements.addresses import public_class


@dataclass(frozen=True)
class Remedy:
    """What to do about an error or a warning.

    Attributes
    ----------
    name : str
        The same for all messages with this remedy.
    text : str
        A sentence in terms of Python.
    value : str or int, optional
        The number or name in the sentence, if it differs from case to case.

    Examples
    --------
    >>> print(InputError("k is 0.", Remedy("larger k", "Pass k=1.")))
    k is 0. Pass k=1.
    """

    name: str
    text: str
    value: str | int | None = None

    def __str__(self) -> str:
        return self.text


class _Explained:
    """Message of an error or warning: its arguments, joined."""

    args: tuple[object, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.args))


def shown(value: object, most: int = 60) -> str:
    """A value as a message shows it: one line, cut if it is long.

    Examples
    --------
    >>> shown("cat"), shown(10**5000), shown("cat" * 50, most=12)
    ("'cat'", 'an integer of 5001 digits', "'catca.. (152 characters)")
    """
    if isinstance(value, int) and value.bit_length() > 3 * most:
        # Python refuses to print integers of more than 4300 digits
        return f"an integer of {_digits(abs(value))} digits"
    try:
        text = " ".join(repr(value).split())
    except Exception:  # such integers inside, a list that holds itself, or anything of theirs
        return f"a {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 6]}.. ({len(text)} characters)"


def named(path: str | os.PathLike[str], most: int = 200) -> str:
    """The name of a file as a message shows it: unchanged unless it is long or cannot be printed.

    Examples
    --------
    >>> named("w.csv"), named("x" * 300, most=12)
    ('w.csv', "'xxxxx.. (302 characters)")
    """
    text = os.fspath(path)
    return text if len(text) <= most and text.isprintable() else shown(text, most)


# Control characters, marks that reverse the direction of text, characters that nobody sees (but for
# the joiners of some scripts), and halves of characters.
_COMMANDS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069"
    r"\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""Text in which characters that command a terminal, or cannot be written, are escapes.

    Newlines and tabs stay.

    Examples
    --------
    >>> printable("cat\x1b[2J\n")
    'cat\\x1b[2J\n'
    """
    return _COMMANDS.sub(lambda found: ascii(found[0])[1:-1], text)


def first_line(error: Exception, most: int = 200) -> str:
    """The first line of an exception of another package, for a message; else its name.

    Examples
    --------
    >>> first_line(ValueError("no number.")), first_line(EOFError())
    ('no number', 'EOFError')
    """
    line = str(error).strip().partition("\n")[0].rstrip(".")
    return (line if len(line) <= most else f"{line[:most]}..") or type(error).__name__


def _digits(value: int) -> int:
    """Number of decimal digits of a large positive integer."""
    digits = int(value.bit_length() * math.log10(2))
    return digits + (value >= 10**digits)


@public_class
class ArrangementError(_Explained, ValueError):
    """Base class of the errors raised on purpose by this package.

    Examples
    --------
    >>> issubclass(DegenerateArrangementError, ArrangementError)
    True
    """


@public_class
class InputError(ArrangementError):
    """An argument is malformed: its shape, its value, or a combination that has no meaning.

    Examples
    --------
    >>> issubclass(InputError, ValueError)
    True
    """


@public_class
class InputTypeError(InputError, TypeError):
    """An argument has a type that does not hold exact rational numbers.

    Examples
    --------
    >>> issubclass(InputTypeError, TypeError)
    True
    """


@public_class
class UnknownMethodError(InputError):
    """A named choice (a method, a format) is not one of those offered.

    Examples
    --------
    >>> issubclass(UnknownMethodError, InputError)
    True
    """


@public_class
class DegenerateArrangementError(ArrangementError):
    """A row is zero and so is its offset: no point lies strictly on either side.

    Examples
    --------
    >>> issubclass(DegenerateArrangementError, InputError)
    False
    """


@public_class
class TiedLabelsError(DegenerateArrangementError):
    """Labels have equal weights and equal offsets: no point ranks one of them above the other.

    Examples
    --------
    >>> issubclass(TiedLabelsError, DegenerateArrangementError)
    True
    """


@public_class
class TooLargeError(ArrangementError, MemoryError):
    """The answer, or its proof, takes more memory or work than is allowed.

    Examples
    --------
    >>> issubclass(TooLargeError, MemoryError)
    True
    """


@public_class
class IncompleteError(ArrangementError):
    """Only a whole set can answer the question, but the listing was cut short.

    Examples
    --------
    >>> issubclass(IncompleteError, ArrangementError)
    True
    """


@public_class
class MissingDependencyError(ArrangementError, ImportError):
    """A required optional package is not installed; the message says how to get it.

    Examples
    --------
    >>> issubclass(MissingDependencyError, ImportError)
    True
    """


@public_class
class LowRankWarning(_Explained, UserWarning):
    """The exact rank exceeds the rank up to rounding: rounding errors count as directions.

    The rank up to rounding is an estimate from the digits of the entries and the singular values.

    Examples
    --------
    >>> issubclass(LowRankWarning, UserWarning)
    True
    """


@public_class
class RoundingWarning(_Explained, UserWarning):
    """An answer inferred from rounded numbers may be wrong: their rounding decides a part of it.

    Examples
    --------
    >>> issubclass(RoundingWarning, UserWarning)
    True
    """


@public_class
class WitnessWarning(UserWarning):
    """Some chambers, or regions of rankings, contain no point that float64 can represent.

    Examples
    --------
    >>> issubclass(WitnessWarning, UserWarning)
    True
    """


@public_class
class MissingGlyphWarning(_Explained, UserWarning):
    """The font of a picture lacks characters of the names; the message lists them.

    Examples
    --------
    >>> issubclass(MissingGlyphWarning, UserWarning)
    True
    """


@public_class
class SlowCountWarning(_Explained, UserWarning):
    """A count or search has begun that is expected to take hours.

    Examples
    --------
    >>> issubclass(SlowCountWarning, UserWarning)
    True
    """


@public_class
class NotGenericFlagError(ArrangementError):
    """The random coordinates of a sweep caused a coincidence that the arrangement does not have.

    A listing then starts again with other coordinates. Only a stream that has given out blocks
    raises this error.

    Examples
    --------
    >>> issubclass(NotGenericFlagError, ArrangementError)
    True
    """


def warn(warning: Warning) -> None:
    """Issue a warning that points at the line outside this package that led to it."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module == "arrangements" or module.startswith("arrangements.")
