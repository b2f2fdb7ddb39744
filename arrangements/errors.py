"""Exceptions and warnings, one class per cause; each is also a built-in error.

Catch `ArrangementError` for everything this package refuses on purpose.
"""


class ArrangementError(ValueError):
    """Base class of the errors raised on purpose by this package.

    Examples
    --------
    >>> issubclass(DegenerateArrangementError, ArrangementError)
    True
    """


class InputError(ArrangementError):
    """An argument is malformed: shape, value, or a combination that means nothing.

    Examples
    --------
    >>> issubclass(InputError, ValueError)
    True
    """


class InputTypeError(InputError, TypeError):
    """An argument has a type that holds no exact rational number.

    Examples
    --------
    >>> issubclass(InputTypeError, TypeError)
    True
    """


class UnknownMethodError(InputError):
    """A named choice (a method, a format) is not one of those offered.

    Examples
    --------
    >>> issubclass(UnknownMethodError, InputError)
    True
    """


class DegenerateArrangementError(ArrangementError):
    """A row is zero and so is its offset: no point lies strictly on either side.

    Examples
    --------
    >>> issubclass(DegenerateArrangementError, InputError)
    False
    """


class TiedLabelsError(DegenerateArrangementError):
    """Labels have equal weights and equal offsets: no point ranks one of them above the other.

    Examples
    --------
    >>> issubclass(TiedLabelsError, DegenerateArrangementError)
    True
    """


class TooLargeError(ArrangementError, MemoryError):
    """The answer, or the proof of it, does not fit into the memory or work allowed.

    Examples
    --------
    >>> issubclass(TooLargeError, MemoryError)
    True
    """


class IncompleteError(ArrangementError):
    """A truncated listing was asked a question that only the whole set can answer.

    Examples
    --------
    >>> issubclass(IncompleteError, ArrangementError)
    True
    """


class MissingDependencyError(ArrangementError, ImportError):
    """An optional package that this needs is not installed; the message says how to get it.

    Examples
    --------
    >>> issubclass(MissingDependencyError, ImportError)
    True
    """


class LowRankWarning(UserWarning):
    """The exact rank exceeds the numerical rank: rounding noise is being enumerated.

    Examples
    --------
    >>> issubclass(LowRankWarning, UserWarning)
    True
    """


class WitnessWarning(UserWarning):
    """Some chambers contain no point that float64 can represent.

    Examples
    --------
    >>> issubclass(WitnessWarning, UserWarning)
    True
    """


class NotGenericFlagError(ArrangementError):
    """The random coordinates of a sweep met a coincidence that is not the arrangement's.

    A listing then starts again with others; only a stream that has given out blocks stops.

    Examples
    --------
    >>> issubclass(NotGenericFlagError, ArrangementError)
    True
    """
