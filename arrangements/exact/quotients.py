"""Quotients of integers in their order: by floats, and by integers where floats are equal."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Quotients of integers up to here are equal if their floats are.
_SHORT = 2**25


def sort_quotients(
    numerators: NDArray[Any], denominators: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The order of the quotients of each row, and which of them differ from the one before.

    Parameters
    ----------
    numerators, denominators : (m, n) ndarray of int64 or of Python integers
        Denominators are positive.

    Returns
    -------
    order : (m, n) ndarray
    first : (m, n) ndarray of bool
        In that order, True for the first of equal quotients.

    Notes
    -----
    A correctly rounded quotient is a monotone function of the exact one.

    Examples
    --------
    >>> order, first = sort_quotients(np.array([[4, 1, 2]]), np.array([[2, 3, 6]]))
    >>> order.tolist(), first.tolist()
    ([[1, 2, 0]], [[True, False, True]])
    """
    size = max(_largest(numerators), _largest(denominators))
    if size <= 2**53:
        floats = numerators.astype(np.float64) / denominators.astype(np.float64)
    else:
        numerators, denominators = numerators.astype(object), denominators.astype(object)
        floats = np.asarray(_rounded(numerators, denominators), np.float64)
    order = np.argsort(floats, axis=1, kind="stable")
    ordered = np.take_along_axis(floats, order, axis=1)
    first = np.ones(order.shape, np.bool_)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    if size > _SHORT:
        _sort_equal_floats(numerators, denominators, order, first)
    return order, first


def _largest(values: NDArray[Any]) -> int:
    return int(np.abs(values).max(initial=0))


def _quotient(a: int, b: int) -> float:
    """The nearest float, which may be infinite."""
    try:
        return a / b
    except OverflowError:
        return inf if a > 0 else -inf


_rounded = np.frompyfunc(_quotient, 2, 1)


def _sort_equal_floats(
    numerators: NDArray[Any],
    denominators: NDArray[Any],
    order: NDArray[np.intp],
    first: NDArray[np.bool_],
) -> None:
    """Sort exactly the quotients whose floats are equal, in place."""
    n = order.shape[1]
    for row in np.flatnonzero(~first.all(axis=1)).tolist():
        ends = [*np.flatnonzero(first[row]).tolist(), n]
        for start, stop in zip(ends, ends[1:], strict=False):
            if stop - start > 1:
                places = order[row, start:stop].tolist()
                pairs = zip(numerators[row, places], denominators[row, places], strict=True)
                exact = [Fraction(int(a), int(b)) for a, b in pairs]
                by_value = sorted(range(len(places)), key=exact.__getitem__)
                order[row, start:stop] = [places[k] for k in by_value]
                for at, (j, k) in enumerate(zip(by_value, by_value[1:], strict=False), start + 1):
                    first[row, at] = exact[j] != exact[k]
