"""Exact products of a matrix of floats or integers and a vector of rationals, in floating point.

Entries are cut into limbs, integers so small that sums of products of two of them stay below
2**53: then products of matrices in float64 are exact, in any order of summation.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.field_entries import field_of
from arrangements.exact.numbers import ExactArray, fractions, unify_fields

Floats = NDArray[np.float64]

# Bits of a limb, the most terms of a sum, and the most limbs of an entry.
_BITS, _TERMS, _LIMBS = 20, 2**12, 24
# Entries that are cut at a time.
_AT_ONCE = 2**22


def product(W: ExactArray, x: Sequence[Fraction]) -> NDArray[np.object_]:
    """``W @ x`` times a positive number, in Python integers; or itself, if it is irrational.

    Parameters
    ----------
    W : (n, d) ndarray
        As `as_exact_matrix` returns it.
    x : d Fractions, or numbers of a field

    Returns
    -------
    (n,) ndarray of int

    Examples
    --------
    >>> a, b = product(np.array([[0.5, 1.0], [3.0, -1.5]]), (Fraction(1), Fraction(1, 3)))
    >>> a > 0, Fraction(b, a)
    (True, Fraction(3, 1))
    """
    irrational = field_of(x) is not None
    if irrational:
        W, x = unify_fields(W, np.array([*x], dtype=object))
    shift = None if irrational else _shift(W)
    if shift is None or not 0 < W.shape[1] <= _TERMS:
        return _by_fractions(W, x)
    common = lcm(*(value.denominator for value in x))
    integers = [value.numerator * (common // value.denominator) for value in x]
    limbs = _limbs_of_integers(integers)
    found = np.zeros(len(W), dtype=object)
    step = max(1, _AT_ONCE // W.shape[1])
    for start in range(0, len(W), step):
        part = slice(start, start + step)
        found[part] = _of_limbs(np.ldexp(W[part].astype(np.float64), shift), limbs)
    return found


def _shift(W: ExactArray) -> int | None:
    """The power of two that makes all entries integers; None if there is none, or they are long."""
    if W.dtype == np.int64 and np.abs(W).max(initial=0) < 2**53 and W.min(initial=0) > -(2**53):
        return 0
    if W.dtype != np.float64:
        return None
    mantissas, exponents = np.frexp(W)
    used = mantissas != 0
    if not used.any():
        return 0
    short = bool((W.astype(np.float32, casting="unsafe") == W).all()) if _in_range(W) else False
    least = int(exponents[used].min()) - (24 if short else 53)
    return -least if int(exponents.max()) - least <= _BITS * _LIMBS else None


def _in_range(W: Floats) -> bool:
    """Whether all entries are within the range of float32, or zero."""
    sizes = np.abs(W)
    return bool((((sizes > 1e-37) & (sizes < 1e38)) | (sizes == 0)).all())


def _limbs_of_integers(integers: Sequence[int]) -> Floats:
    """(L, d) limbs of the integers, with their signs."""
    longest = max((abs(value).bit_length() for value in integers), default=0)
    mask = 2**_BITS - 1
    return np.array(
        [
            [(1 if value >= 0 else -1) * ((abs(value) >> k) & mask) for value in integers]
            for k in range(0, max(1, longest), _BITS)
        ],
        np.float64,
    )


def _of_limbs(rows: Floats, limbs: Floats) -> NDArray[np.object_]:
    """The product of rows of integers, in float64, and of integers in limbs."""
    found = np.zeros(len(rows), dtype=object)
    signs, rest, place = np.sign(rows), np.abs(rows), 0
    while rest.any():
        higher = np.floor(rest / 2**_BITS)
        sums = (signs * (rest - higher * 2**_BITS)) @ limbs.T  # exact: below 2**(2 BITS) TERMS
        for k, column in enumerate(sums.T):
            found += column.astype(np.int64).astype(object) << (_BITS * k + place)
        rest, place = higher, place + _BITS
    return found


def _by_fractions(W: ExactArray, x: Sequence[Fraction]) -> NDArray[np.object_]:
    sums = [
        sum((w * value for w, value in zip(fractions(row), x, strict=True)), Fraction(0))
        for row in W
    ]
    if field_of(sums) is not None:
        return np.array(sums, dtype=object)
    common = lcm(*(value.denominator for value in sums))
    found = np.empty(len(sums), dtype=object)
    found[:] = [value.numerator * (common // value.denominator) for value in sums]
    return found
