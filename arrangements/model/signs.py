"""Sign vectors as a caller writes them: sequences of -1, 0 and 1, strings, or signs by label."""

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError, InputTypeError, shown
from arrangements.exact.numbers import plain_array, refuse_masked
from arrangements.model.alignment import align
from arrangements.model.labels import Label, rows_of

Signs = NDArray[np.int8]

_VALUES = {"+": 1, "-": -1, "0": 0}
_EXPECTED = "expected -1 and +1: pass np.where(signs, 1, -1)."


def as_signs(
    signs: Any,
    n: int,
    labels: tuple[Label, ...] | None = None,
    *,
    zero_one: bool = False,
    partial: bool = False,
) -> Signs:
    """Read one sign vector of `n` signs, a sequence or a string, as int8; zeros are allowed.

    A mapping gives the signs of all rows or labels, or if `partial` of some, and the others are 0.
    A sequence of 0 and 1 without -1 is refused unless `zero_one`, since its zeros probably stand
    for -; in a string they are zeros.

    Examples
    --------
    >>> as_signs("+-0", 3)
    array([ 1, -1,  0], dtype=int8)
    >>> as_signs({"dog": -1, "cat": 1}, 2, ("cat", "dog"))
    array([ 1, -1], dtype=int8)
    """
    if isinstance(signs, Mapping):
        return _of_rows(signs, n, labels, partial)
    if isinstance(signs, str):
        odd = next((i for i, c in enumerate(signs) if c not in _VALUES), None)
        if odd is not None:
            raise InputError(
                f"signs has {signs[odd]!r} at position {odd}; expected only '+', '-' and '0'."
            )
        vector = np.array([_VALUES[c] for c in signs], np.int8)
    else:
        vector = sign_values(align(signs, labels, "signs"), "signs")
        if not zero_one:
            refuse_zero_one(vector, " If 0 means either sign, ask feasible(.., either=0).")
    if vector.shape != (n,):
        raise InputError(f"signs has shape {vector.shape}; expected ({n},).")
    return vector


def _of_rows(
    signs: Mapping[Any, Any], n: int, labels: tuple[Label, ...] | None, partial: bool
) -> Signs:
    """Signs by row or label as a vector."""
    rows = rows_of(list(signs), labels, n)
    if len(set(rows)) < len(rows):
        raise InputError(f"signs is {shown(signs)}; expected each row once.")
    if len(rows) < n and not partial:
        raise InputError(f"signs gives the signs of {len(rows)} rows; expected those of all {n}.")
    vector = np.zeros(n, np.int8)
    vector[rows] = [sign_values(sign, f"signs[{shown(row)}]") for row, sign in signs.items()]
    return vector


def sign_values(given: Any, name: str) -> Signs:
    """Array of any shape of -1, 0 and 1, as int8; errors name the entry.

    Examples
    --------
    >>> sign_values([[1.0, -1.0]], "signs")
    array([[ 1, -1]], dtype=int8)
    """
    refuse_masked(given, name)
    values = plain_array(given, name)
    if values.dtype == np.bool_:
        raise InputTypeError(f"{name} holds booleans; {_EXPECTED}")
    if values.dtype.kind in "iuf":
        proper = (values == 0) | (values == 1) | (values == -1)
    else:
        entries = [_is_sign(value) for value in values.flat]
        proper = np.array(entries, np.bool_).reshape(values.shape)
    if not proper.all():
        index = tuple(np.argwhere(~proper)[0].tolist())
        entry = values[index].item() if isinstance(values[index], np.generic) else values[index]
        refused = InputError if values.dtype.kind in "iuf" else InputTypeError
        place = f"[{', '.join(map(str, index))}]" if index else ""
        raise refused(f"{name}{place} is {shown(entry)}; expected -1, 0 or 1.")
    return values.astype(np.int8)


def _is_sign(value: Any) -> bool:
    number = isinstance(value, (Real, Decimal)) and not isinstance(value, bool)
    return number and value in (-1, 0, 1)


def refuse_zero_one(signs: Signs, advice: str = "") -> None:
    """Refuse signs that hold 0 and 1 but no -1."""
    if (signs == 0).any() and (signs == 1).any() and not (signs == -1).any():
        raise InputError(f"signs holds 0 and 1 but no -1; {_EXPECTED}{advice}")
