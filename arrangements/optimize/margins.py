"""The hyperplane of largest margin with given signs, in floats: a small quadratic program."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from arrangements.exact.numbers import ExactArray, nearest_floats

# The offset counts this much less than the normal: the margin does not depend on it.
_FREE = 1e3
# Rows that enter the program together, and how often they may.
_ADDED, _ROUNDS = 32, 200
_TOLERANCE = 1e-9

Floats = NDArray[np.float64]


def widest(
    points: ExactArray, signs: NDArray[np.int8], offset: bool, share: float = 0.5
) -> Floats | None:
    """Normal, and offset if there is one, of largest margin; None if floats find none.

    What is found need not have the signs: who asks proves it.

    Parameters
    ----------
    points : (n, d) ndarray
        Exact numbers.
    signs : (n,) ndarray of int8
    offset : bool
        Whether the hyperplane may miss the origin.
    share : float
        Of the gap between both sides, what belongs to side -; the margin is largest with a half.

    Returns
    -------
    (d,) or (d + 1,) ndarray, or None
        The scores of the nearest points of both sides differ by 2.

    Examples
    --------
    >>> points = np.array([[0.0, 0], [2, 0], [3, 5]])
    >>> (widest(points, np.array([-1, 1, 1]), True).round(6) + 0).tolist()
    [1.0, 0.0, -1.0]
    """
    side = signs.astype(np.float64)
    if not len(side):
        return None
    if offset and abs(side.sum()) == len(side):
        return np.append(np.zeros(points.shape[1]), side[0])
    with np.errstate(over="ignore", invalid="ignore"):
        try:
            given = nearest_floats(points)
        except OverflowError:
            return None
        center = (given.max(axis=0) + given.min(axis=0)) / 2 if offset else np.zeros(len(given.T))
        size = np.abs(given - center).max()
    if not 0 < size < np.inf:
        return None
    scaled = (given - center) / size
    rows = np.column_stack([scaled, np.full(len(scaled), _FREE)]) if offset else scaled
    found = _shortest(side[:, None] * rows)
    if found is None:
        return None
    normal = found[: scaled.shape[1]]
    normal = np.where(np.abs(normal) < _TOLERANCE * np.abs(normal).max(), 0.0, normal)
    scores = scaled @ normal
    low = scores[side > 0].min(initial=np.inf)
    high = scores[side < 0].max(initial=-np.inf)
    with np.errstate(all="ignore"):  # of points too near each other, no float has the normal
        if not offset:
            plane = normal / size / min(low, -high)
        else:
            constant = -2 * (high + share * (low - high)) / (low - high)
            normal = 2 * normal / (low - high) / size
            plane = np.append(normal, constant - normal @ center)
    return plane if np.isfinite(plane).all() else None


def _shortest(rows: Floats) -> Floats | None:
    """The shortest z with ``rows @ z >= 1``; rows enter the program when they are violated."""
    z = rows.mean(axis=0)
    used: set[int] = set()
    for _ in range(_ROUNDS):
        values = rows @ z
        worst = np.argsort(values)[:_ADDED]
        missing = set(worst[values[worst] < 1 - _TOLERANCE].tolist()) - used
        if used and not missing:
            return np.asarray(z)
        used |= missing or set(worst.tolist())
        found = _by_least_squares(rows[sorted(used)])
        if found is None:
            return None
        z = found
    return None


def _by_least_squares(rows: Floats) -> Floats | None:
    """The same for few rows: least distance programming (Lawson and Hanson, chapter 23)."""
    lifted = np.vstack([rows.T, np.ones(len(rows))])
    target = np.append(np.zeros(rows.shape[1]), 1.0)
    try:
        weights, _ = nnls(lifted, target)
    except RuntimeError:  # it does not converge
        return None
    rest = lifted @ weights - target
    return -rest[:-1] / rest[-1] if rest[-1] < 0 else None
