"""Sign vectors as a caller writes them: sequences of -1, 0 and 1, strings, or signs by label."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.core.labels import Label, align, find_rows
from arrangements.errors import InputError, InputTypeError
from arrangements.exact.coercion import plain_array, refuse_masked
from arrangements.messages import quote

Signs = NDArray[np.int8]
# Signs of which some may be left open, as a caller writes them.
SomeSigns = ArrayLike | Sequence[int | None] | str | Mapping[Label, int | None]

# In vectors of signs of which some may be left open, 0 leaves a sign open, and this stands for 0.
ON = 2
_VALUES = {"+": 1, "-": -1, "0": 0}
_OPEN_VALUES = {"+": 1, "-": -1, "0": ON, "*": 0}
_EXPECTED = "expected -1 and +1: pass np.where(signs, 1, -1)."


def as_signs(
    signs: Any, n: int, labels: tuple[Label, ...] | None = None, *, partial: bool = False
) -> Signs:
    """Read one sign vector of `n` signs, a sequence or a string, as int8.

    A mapping gives the signs of all rows or labels. A sequence of 0 and 1 without -1 is refused,
    since its zeros probably stand for -; in a string they are zeros.

    With `partial` some rows may have either sign, which becomes 0: those with ``*`` in a string,
    None, or a mask, and those that a mapping leaves out. Then 0 becomes `ON`.

    Examples
    --------
    >>> as_signs("+-0", 3)
    array([ 1, -1,  0], dtype=int8)
    >>> as_signs({"dog": -1, "cat": 1}, 2, ("cat", "dog"))
    array([ 1, -1], dtype=int8)
    >>> as_signs([1, None, -1, 0], 4, partial=True)
    array([ 1,  0, -1,  2], dtype=int8)
    """
    if isinstance(signs, Mapping):
        return _of_rows(signs, n, labels, partial)
    if isinstance(signs, str):
        vector = _of_text(signs, partial, "signs")
    else:
        vector = sign_values(align(signs, labels, "signs"), "signs", partial=partial)
        refuse_zero_one(vector, ON if partial else 0)
    if vector.shape != (n,):
        raise InputError(f"signs has shape {vector.shape}; expected ({n},).")
    return vector


def sign_rows(source: Any, name: str) -> Signs:
    """Array of -1, 0 and 1, one sign vector per row, from an array or texts; errors name the row.

    Examples
    --------
    >>> sign_rows(["+-", "0+"], "topes")
    array([[ 1, -1],
           [ 0,  1]], dtype=int8)
    """
    if isinstance(source, Mapping):
        raise InputError(
            f"{name} is a {type(source).__name__}; expected a sequence of sign vectors."
        )
    if isinstance(source, Iterable) and not isinstance(source, str | np.ndarray):
        if not hasattr(source, "__array__"):  # a table is an iterable of its columns
            source = list(source)
            if source and all(isinstance(row, str) for row in source):
                return _of_texts(source, name)
    return sign_values(source, name)


def _of_texts(rows: list[str], name: str) -> Signs:
    n = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != n:
            raise InputError(
                f"{name}[{i}] is {quote(row)}, of {len(row)} signs; expected {n}, as of {name}[0]."
            )
    found = [_of_text(row, False, f"{name}[{i}]") for i, row in enumerate(rows)]
    return np.array(found, np.int8).reshape(len(rows), n)


def _of_text(signs: str, partial: bool, name: str) -> Signs:
    values = _OPEN_VALUES if partial else _VALUES
    odd = next((i for i, c in enumerate(signs) if c not in values), None)
    if odd is not None:
        *most, last = map(repr, values)
        raise InputError(
            f"{name} has {signs[odd]!r} at position {odd}; expected only {', '.join(most)} and "
            f"{last}."
        )
    return np.array([values[c] for c in signs], np.int8)


def _of_rows(
    signs: Mapping[Any, Any], n: int, labels: tuple[Label, ...] | None, partial: bool
) -> Signs:
    """Signs by row or label as a vector."""
    rows = find_rows(list(signs), labels, n)
    if len(set(rows)) < len(rows):
        raise InputError(f"signs is {quote(signs)}; expected each row once.")
    if len(rows) < n and not partial:
        raise InputError(f"signs gives the signs of {len(rows)} rows; expected those of all {n}.")
    vector = np.zeros(n, np.int8)
    vector[rows] = [
        sign_values(sign, f"signs[{quote(row)}]", partial=partial) for row, sign in signs.items()
    ]
    return vector


def sign_values(source: Any, name: str, *, partial: bool = False) -> Signs:
    """Array of any shape of -1, 0 and 1, as int8; errors name the entry.

    With `partial`, None, "*" and masked entries stand for either sign and become 0, and 0 becomes
    `ON`.

    Examples
    --------
    >>> sign_values([[1.0, -1.0]], "signs")
    array([[ 1, -1]], dtype=int8)
    >>> sign_values(np.ma.masked_equal([1, 0, -1], 0), "signs", partial=True)
    array([ 1,  0, -1], dtype=int8)
    """
    if partial and np.ma.is_masked(source) and isinstance(source, np.ma.MaskedArray):
        mask, source = np.ma.getmaskarray(source), source.data.astype(object)
        source[mask] = None
    refuse_masked(source, name)
    values = plain_array(source, name)
    if values.dtype.kind in "US" and isinstance(source, (list, tuple)):  # numbers as they were
        values = np.array(source, dtype=object)
    if values.dtype == np.bool_:
        raise InputTypeError(f"{name} holds booleans; {_EXPECTED}")
    is_number = values.dtype.kind in "iuf"
    if is_number and (np.abs(values) == 1).all():
        return values.astype(np.int8)
    free = np.zeros(values.shape, np.bool_)
    if is_number:
        proper = (values == 0) | (values == 1) | (values == -1)
    else:
        if partial:
            entries = [v is None or (isinstance(v, str) and v == "*") for v in values.flat]
            free = np.array(entries, np.bool_).reshape(values.shape)
        entries = [
            isinstance(x, (Real, Decimal)) and not isinstance(x, bool) and x in (-1, 0, 1)
            for x in values.flat
        ]
        proper = np.array(entries, np.bool_).reshape(values.shape) | free
    if not proper.all():
        index = tuple(np.argwhere(~proper)[0].tolist())
        entry = values[index].item() if isinstance(values[index], np.generic) else values[index]
        refused = InputError if is_number else InputTypeError
        expected = "-1, 0 or 1" + (", or None or '*' for either" if partial else "")
        raise refused(f"{_entry(name, index)} is {quote(entry)}; expected {expected}.")
    if not partial:
        return values.astype(np.int8)
    signs = np.where(free, 0, values).astype(np.int8)
    signs[(signs == 0) & ~free] = ON
    return signs


def _entry(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def open_signs(signs: Signs) -> tuple[int | None, ...]:
    """Signs of `as_signs` with `partial`, as a caller writes them: None for either.

    Examples
    --------
    >>> open_signs(np.array([1, 0, -1, ON], np.int8))
    (1, None, -1, 0)
    """
    return tuple(0 if sign == ON else sign or None for sign in signs.ravel().tolist())


def sign_text(signs: Iterable[int | None]) -> str:
    """Signs as text.

    Examples
    --------
    >>> sign_text([1, None, -1, 0])
    '+*-0'
    """
    return "".join("*" if sign is None else "-0+"[sign + 1] for sign in signs)


def refuse_zero_one(signs: Signs, zero: int = 0) -> None:
    """Refuse signs that hold 0 and 1 but no -1; `zero` stands for 0."""
    if (signs == zero).any() and (signs == 1).any() and not (signs == -1).any():
        raise InputError(
            f'signs holds 0 and 1 but no -1; {_EXPECTED} If 0 stands for "on the hyperplane", '
            "write a text such as '+0'."
        )
