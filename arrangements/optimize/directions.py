"""The least weight of an open side of the origin, by bisection of the directions."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.cone.directions import FOUND, MOST, Directions, least_side

# Looks at a row, for each chamber of a sweep, and at least: as many as take as long as the sweep.
_LOOKS, _FEW = 4, 20_000
# Exponent of zero, below that of every float.
_ZERO = -(10**6)
# Beyond, a sweep is faster.
_MOST_DIMENSIONS = 3
# Binary digits of the first corners.
_BITS = 10
# Nodes that wait, for each dimension: corners have at most 50 digits. Rows in all their lists.
_NODES, _LISTS = 60, 64


def least_weight(rows: NDArray[np.float64], weights: NDArray[np.int64]) -> int | None:
    """The least, over directions u, of what rows weigh by the signs of ``rows @ u``.

    Parameters
    ----------
    rows : (n, d) ndarray
        Finite, none of them zero; each entry is accurate to a relative 2**-53.
    weights : (n, 2) ndarray of int64
        Where negative, and where positive; not negative.

    Returns
    -------
    int or None
        None if floats do not decide it, or a sweep is faster.

    Examples
    --------
    >>> least_weight(np.array([[1.0, 0], [-1, 1], [-1, -1.5]]), np.array([[0, 1]] * 3))
    1
    """
    n, d = rows.shape
    if d > _MOST_DIMENSIONS or not n:
        return None if n else 0
    # Powers of two change no sign. Apply those of columns and rows at once: an entry that
    # underflows then stays below 2**-1022, where the kernel allows for the error.
    mantissas, exponents = np.frexp(rows)
    for axis in (0, 1):
        exponents[rows == 0] = _ZERO
        exponents -= exponents.max(axis=axis, keepdims=True)
    scaled = np.ldexp(mantissas, exponents)
    space = Directions(
        np.ascontiguousarray(scaled),
        np.ascontiguousarray(weights),
        np.zeros((_NODES * d, d, d)),
        np.zeros((_NODES * d, d), np.int64),
        np.zeros((_NODES * d, 5), np.int64),
        np.zeros(_LISTS * n + 64, np.int64),
        np.array([weights.sum()], np.int64),
        np.zeros(1, np.int64),
        np.zeros((MOST, 3)),
        np.zeros((MOST, 3)),
        np.zeros(MOST),
        np.zeros(MOST, np.int64),
    )
    most_looks = _FEW + _LOOKS * comb(n, d - 1)
    corners = _corners(d)
    for signs in product((1.0, -1.0), repeat=d - 1):
        cone = corners * np.array([1.0, *signs])[:, None]
        if least_side(space, cone, _BITS, most_looks) != FOUND:
            return None
    return int(space.least[0])


@cache
def _corners(d: int) -> NDArray[np.float64]:
    """Rows that, with their opposites, span cones that cover all directions.

    They are near those of the coordinates, but lie on few hyperplanes with small integers.
    """
    limit = 2**_BITS // 4
    tilt = np.random.default_rng(d).integers(-limit, limit + 1, (d, d))
    return np.eye(d) + np.where(np.eye(d) > 0, 0, tilt) / 2**_BITS
