"""Results of steps as arrays of numbers, and exact sums of them."""

from __future__ import annotations

from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import InputError, InputTypeError
from arrangements.messages import quote

_LARGEST = np.iinfo(np.int64).max


def as_numbers(found: Any, whose: str) -> NDArray[Any]:
    """An array of numbers from what the caller's function returned, and may write to again.

    Examples
    --------
    >>> as_numbers([1, 2.5], "step")
    array([1. , 2.5])
    >>> as_numbers([2**63, -1], "step")
    array([9223372036854775808, -1], dtype=object)
    >>> as_numbers("many", "step")
    Traceback (most recent call last):
        ...
    arrangements.errors.InputTypeError: step returned 'many'; expected a number or an array of \
numbers.
    """
    try:
        array = np.array(found)
    except Exception:  # rows of several lengths, or whatever the value raises
        array = np.array(None)
    if array.dtype.kind == "f" and isinstance(found, list | tuple):
        array = _unrounded(np.array(found, object), array)
    exact = array.dtype == object and all(isinstance(x, (int, Fraction)) for x in array.flat)
    if array.dtype.kind not in "biufc" and not exact:
        raise InputTypeError(
            f"{whose} returned {quote(found)}; expected a number or an array of numbers."
        )
    return array


def _unrounded(given: NDArray[Any], floats: NDArray[Any]) -> NDArray[Any]:
    """Numbers that NumPy made floats, exactly: integers alone, or beside floats that round one.

    Examples
    --------
    >>> _unrounded(np.array([2**60 + 1, 0.5], object), np.array([2.0**60, 0.5]))
    array([Fraction(1152921504606846977, 1), Fraction(1, 2)], dtype=object)
    """
    whole = [int(x) if isinstance(x, Integral) else None for x in given.flat]
    numbers = floats.ravel().tolist()
    exact: list[Any] = whole
    if None in whole:
        if all(x in (None, y) for x, y in zip(whole, numbers, strict=True)):
            return floats
        if not np.isfinite(floats).all():
            return floats
        exact = [
            Fraction(*y.as_integer_ratio()) if x is None else Fraction(x)
            for x, y in zip(whole, numbers, strict=True)
        ]
    found = np.empty(len(exact), object)
    found[:] = exact
    return found.reshape(floats.shape)


def added(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """The sum of two arrays of one shape; that of integers is exact, whatever their size.

    Examples
    --------
    >>> added(np.array([True, True]), np.array([2**63 - 1, 1]))
    array([9223372036854775808, 2], dtype=object)
    """
    if first.shape != second.shape:
        raise InputError(
            f"step returned an array of shape {second.shape}, and one of shape {first.shape} "
            "before; expected one shape, or a combine that copes with several."
        )
    first, second = widened(first), widened(second)
    if first.dtype != np.int64 or second.dtype != np.int64:
        return np.asarray(first + second)
    total = np.asarray(first + second)
    if ((first ^ total) & (second ^ total) < 0).any():  # a sign that neither has
        return np.asarray(first.astype(object) + second.astype(object), object)
    return total


def summed(numbers: NDArray[Any]) -> NDArray[Any]:
    """The sum of some numbers; that of integers is exact.

    Examples
    --------
    >>> int(summed(np.array([2**63, 2**63], np.uint64))) == 2**64
    True
    """
    numbers = widened(numbers)
    if numbers.dtype == np.int64:
        largest = max(int(numbers.max()), -int(numbers.min()))
        if largest * len(numbers) > _LARGEST:
            numbers = numbers.astype(object)
    return np.asarray(numbers.sum(), numbers.dtype)


def widened(numbers: NDArray[Any]) -> NDArray[Any]:
    """Integers and truth values as int64, or as Python integers where these do not suffice."""
    if numbers.dtype.kind not in "biu":
        return numbers
    if numbers.dtype == np.uint64 and (numbers > np.uint64(_LARGEST)).any():
        return numbers.astype(object)
    return numbers.astype(np.int64, copy=False)
