"""Values of pandas put into the order of the rows or columns that they belong to.

docs/words.md has the rule. If the index of a Series (or the columns of a DataFrame) holds the same
labels as the rows, its values go to the rows of these labels. Other labels are refused. An index
0, 1, .., which pandas makes by default, says nothing, and neither do rows without labels.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from arrangements.errors import InputError
from arrangements.exact.coercion import is_frame
from arrangements.messages import quote


def is_series(value: Any) -> bool:
    """Tell if this is a Series of pandas, or works like one."""
    return hasattr(value, "iloc") and hasattr(value, "index") and not hasattr(value, "columns")


def column_names(value: Any) -> tuple[str, ...] | None:
    """Names of the columns of a DataFrame, or those that a model remembers of its matrix.

    The names 0, 1, .., which pandas makes by default, do not count.

    Examples
    --------
    >>> column_names([[1, 2]]) is None
    True
    """
    known: Any = getattr(value, "_columns", False)
    if known is None or isinstance(known, tuple):
        return known
    if not _has_columns(value):
        return None
    names = tuple(map(str, value.columns))
    return None if names == _numbered(len(names)) else names


def _has_columns(value: Any) -> bool:
    return hasattr(value, "columns") and (is_frame(value) or hasattr(value, "to_numpy"))


def align(value: Any, names: Iterable[Any] | None, name: str, what: str = "rows") -> Any:
    """A Series, or the rows of a DataFrame, in the order of the names; anything else as it is.

    Parameters
    ----------
    value : object
    names : iterable of int or str, optional
        What the entries belong to, in order.
    name : str
        Name of the argument in messages.
    what : str
        What has the names, in messages.

    Raises
    ------
    InputError
        If the index has other labels than `names`, or one of both is 0, 1, .. in another order, so
        that it is not clear whether it means positions.
    """
    if not hasattr(value, "iloc") or not hasattr(value, "index"):
        return value
    order = matching_order(value.index, names, f"the index of {name}", what)
    return value if order is None else value.iloc[order]


def align_columns(value: Any, names: Iterable[Any] | None, name: str, what: str) -> Any:
    """A DataFrame with its columns in the order of the names, or a Series in that order.

    Anything else is returned as it is.
    """
    if not _has_columns(value):
        return align(value, names, name, what)
    order = matching_order(value.columns, names, f"the columns of {name}", what)
    if order is None:
        return value
    return value.iloc[:, order] if hasattr(value, "iloc") else np.asarray(value)[:, order]


def matching_order(
    values: Any, names: Iterable[Any] | None, name: str, what: str
) -> list[int] | None:
    """Positions of the names among the labels of an axis; None if positions count, or agree.

    Axes of different lengths without names are left to the check of the shape.

    Examples
    --------
    >>> matching_order(["b", "a"], ["a", "b"], "the index of offsets", "rows")
    [1, 0]
    >>> matching_order(["a", "c"], ["a", "b"], "the index of offsets", "rows")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputError: 'b', a label of the rows, is not in the index of offsets, and \
'c' is. Use the labels of the rows there, or pass an array to go by position.
    """
    own = tuple(str(label) for label in values)
    wanted = _numbered(len(own)) if names is None else tuple(map(str, names))
    if own == wanted:
        return None
    places = {label: i for i, label in enumerate(own)}
    same = len(places) == len(own) and places.keys() == set(wanted)
    if own == _numbered(len(own)) or wanted == _numbered(len(wanted)):
        if not same:
            return None
        raise InputError(
            f"{name} is {quote(list(values))}, and the {what} have the "
            f"{_numbers_or_labels(names)}: by label or by position? "
            "Put both into one order, or pass an array to go by position."
        )
    if same:
        return [places[label] for label in wanted]
    missing = next((label for label in wanted if label not in places), None)
    extra = next((label for label in own if label not in set(wanted)), None)
    if missing is None and extra is None:
        raise InputError(f"a label occurs twice in {name}; expected each label of the {what} once.")
    if missing is None:
        wrong = f"{extra!r}, in {name}, is no label of the {what}."
    else:
        instead = "" if extra is None else f", and {extra!r} is"
        wrong = f"{missing!r}, a label of the {what}, is not in {name}{instead}."
    raise InputError(
        f"{wrong} Use the labels of the {what} there, or pass an array to go by position."
    )


def _numbers_or_labels(names: Iterable[Any] | None) -> str:
    return "numbers 0, 1, .." if names is None else f"labels {quote(list(names))}"


def _numbered(n: int) -> tuple[str, ...]:
    return tuple(map(str, range(n)))
