"""Numbers within errors of fractions with small denominators."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import ExactArray

Floats = NDArray[np.float64]


_TERMS = 40  # terms of a continued fraction: its denominator exceeds 2**27 long before


def simple_fractions(values: Floats, errors: Floats) -> tuple[Floats, Floats, Floats]:
    """First convergents within the errors: numerators, denominators, and the chance of each.

    A random number lies within e of a fraction of denominator at most q with a probability of
    less than 2 q**2 e. The chance is infinite where no convergent of moderate size is near.

    Examples
    --------
    >>> tops, bottoms, chances = simple_fractions(np.array([1 / 3, 2 / 7]), np.full(2, 1e-9))
    >>> tops.tolist(), bottoms.tolist(), bool((chances < 1e-6).all())
    ([1.0, 2.0], [3.0, 7.0], True)
    """
    tops, bottoms = np.floor(values), np.ones(values.shape)
    tops_before, bottoms_before = np.ones(values.shape), np.zeros(values.shape)
    rest = values - tops
    for _ in range(_TERMS):
        far = np.abs(values - tops / bottoms) > errors
        far &= (rest > 0) & (bottoms < 2.0**26)
        if not far.any():
            break
        inverse = 1 / np.where(far, rest, 1.0)
        term = np.floor(inverse)
        rest = np.where(far, inverse - term, rest)
        tops, tops_before = (
            np.where(far, term * tops + tops_before, tops),
            np.where(far, tops, tops_before),
        )
        bottoms, bottoms_before = (
            np.where(far, term * bottoms + bottoms_before, bottoms),
            np.where(far, bottoms, bottoms_before),
        )
    near = np.abs(values - tops / bottoms) <= errors
    return tops, bottoms, np.where(near, 2 * bottoms**2 * errors, np.inf)


def fraction_array(tops: Floats, bottoms: Floats) -> ExactArray:
    """Exact quotients of whole numbers, entry by entry."""
    fractions = np.empty(tops.size, dtype=object)
    pairs = zip(tops.flat, bottoms.flat, strict=True)
    fractions[:] = [Fraction(int(top), int(bottom)) for top, bottom in pairs]
    return fractions.reshape(tops.shape)
