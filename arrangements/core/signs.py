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

_VALUES = {"+": 1, "-": -1, "0": 0, "*": 0}
_EXPECTED = "expected -1 and +1: pass np.where(signs, 1, -1)."


def as_signs(
    signs: Any, n: int, labels: tuple[Label, ...] | None = None, *, partial: bool = False
) -> Signs:
    """Read one sign vector of `n` signs, a sequence or a string, as int8.

    A mapping gives the signs of all rows or labels. A sequence of 0 and 1 without -1 is refused,
    since its zeros probably stand for -; in a string they are zeros.

    With `partial` some rows may have either sign, which becomes 0: those with ``*`` in a string,
    None, or a mask, and those that a mapping leaves out. Then 0 is refused.

    Examples
    --------
    >>> as_signs("+-0", 3)
    array([ 1, -1,  0], dtype=int8)
    >>> as_signs({"dog": -1, "cat": 1}, 2, ("cat", "dog"))
    array([ 1, -1], dtype=int8)
    >>> as_signs([1, None, -1], 3, partial=True)
    array([ 1,  0, -1], dtype=int8)
    """
    if isinstance(signs, Mapping):
        return _of_rows(signs, n, labels, partial)
    if isinstance(signs, str):
        vector = _of_text(signs, partial)
    else:
        vector = sign_values(align(signs, labels, "signs"), "signs", partial=partial)
        if not partial:
            refuse_zero_one(vector)
    if vector.shape != (n,):
        raise InputError(f"signs has shape {vector.shape}; expected ({n},).")
    return vector


def _of_text(signs: str, partial: bool) -> Signs:
    allowed = "+-*" if partial else "+-0"
    odd = next((i for i, c in enumerate(signs) if c not in allowed), None)
    if odd is not None and partial and signs[odd] == "0":
        raise _zero(f"signs has '0' at position {odd}")
    if odd is not None:
        raise InputError(
            f"signs has {signs[odd]!r} at position {odd}; expected only "
            f"{', '.join(map(repr, allowed[:-1]))} and {allowed[-1]!r}."
        )
    return np.array([_VALUES[c] for c in signs], np.int8)


def _zero(what: str, doubtful: bool = False) -> InputError:
    """The refusal of a 0 where a sign may be left open; `doubtful` if it probably stands for -."""
    advice = " If 0 stands for -, pass np.where(signs, 1, -1)." if doubtful else ""
    return InputError(
        f'{what}, which means "on the hyperplane"; expected + or -. For either sign write None, '
        f"or * in a text.{advice}"
    )


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

    With `partial`, None, "*" and masked entries stand for either sign and become 0, and 0 is
    refused.

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
        expected = "-1 or 1, or None or '*' for either" if partial else "-1, 0 or 1"
        raise refused(f"{_entry(name, index)} is {quote(entry)}; expected {expected}.")
    if not partial:
        return values.astype(np.int8)
    signs = np.where(free, 0, values).astype(np.int8)
    zeros = (signs == 0) & ~free
    if zeros.any():
        index = tuple(np.argwhere(zeros)[0].tolist())
        raise _zero(f"{_entry(name, index)} is 0", not (signs == -1).any())
    return signs


def _entry(name: str, index: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, index))}]" if index else name


def open_signs(signs: Signs) -> tuple[int | None, ...]:
    """Signs of `as_signs` with `partial`, as a caller writes them: None for either.

    Examples
    --------
    >>> open_signs(np.array([1, 0, -1], np.int8))
    (1, None, -1)
    """
    return tuple(sign or None for sign in signs.ravel().tolist())


def sign_text(signs: Iterable[int | None]) -> str:
    """Signs as text.

    Examples
    --------
    >>> sign_text([1, None, -1, 0])
    '+*-0'
    """
    return "".join("*" if sign is None else "-0+"[sign + 1] for sign in signs)


def refuse_zero_one(signs: Signs) -> None:
    """Refuse signs that hold 0 and 1 but no -1."""
    if (signs == 0).any() and (signs == 1).any() and not (signs == -1).any():
        raise InputError(f"signs holds 0 and 1 but no -1; {_EXPECTED}")
