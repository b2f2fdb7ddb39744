"""Exceptions and warnings, one class per cause; each is also a built-in error.

Catch `ArrangementError` for everything this package refuses on purpose.

The first argument of an error says what was given and what was expected. Advice that names Python
keywords follows as a `messages.Remedy`: an interface with other words, such as the command line,
recognizes it by its name and gives its own advice.
"""

from arrangements.addresses import public_class
from arrangements.public import attach

__all__, _, __dir__ = attach("errors")


class _Explained:
    """Message of an error or warning: its arguments, joined."""

    args: tuple[object, ...]

    def __str__(self) -> str:
        return " ".join(map(str, self.args))


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
