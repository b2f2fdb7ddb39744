"""Proved lower bounds of the distance from a row that cannot win to the nearest one that could."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.feasibility.score_rows import upper_norms

Floats = NDArray[np.float64]

_UNIT, _TINY = 2.0**-53, 1e-290
# Newton's steps to the analytic center, the decrement at which it is near enough, and steps towards
# better weights of rows.
_STEPS, _NEAR, _BETTER = 100, 0.05, 30
# How far these may lead from those at the center, in either direction.
_RANGE = 100
# Sizes of rows with which floats do not underflow or overflow.
_SMALL, _LARGE = 1e-100, 1e100


def proved_distance(steps: Floats, rises: Floats | None, error: float) -> float:
    """A radius such that no row within it of a row can win; 0 if floats prove none.

    Parameters
    ----------
    steps : (k, d) ndarray
        Rows of the rivals, minus the row.
    rises : (k,) ndarray, optional
        Biases of the rivals, minus its bias: no larger than they are. None if all are equal.
    error : float
        Bound of the norms by which rounding has changed `steps`.

    Notes
    -----
    The row cannot win as long as some weights y >= 0 of sum 1 have ``sum y_j p_j = 0`` for the
    steps p and ``sum y_j c_j >= 0`` for the rises c, that is ``V.T y = t`` with a further row for
    the slack. Let all of y be positive, D a positive diagonal and H = V.T D V. If the row moves by
    e, ``y + D V H^-1 e`` are the new weights: they are positive as long as |e| is less than y_j
    over the norm of row j of D V H^-1, for all j. Any y and D give a bound. y is the analytic
    center, which maximizes the product of all y_j. There D = diag(y)^2 gives an ellipsoid that lies
    inside (Nesterov and Nemirovskii, Interior-Point Polynomial Algorithms in Convex Programming,
    1994); then rows that allow least get less weight, in turn. Rounding errors are added: with M
    about the inverse of H and ``|H M - 1| <= e < 1``, the norm of v H^-1 is at most that of v M
    over 1 - e.

    Examples
    --------
    >>> corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> round(proved_distance(corners, None, 0.0), 3), proved_distance(corners[:2], None, 0.0)
    (0.707, 0.0)
    """
    k, d = steps.shape
    scale = float(np.abs(steps).max(initial=0.0))
    if not _SMALL < scale < _LARGE or k <= d:
        return 0.0
    exponent = int(np.frexp(scale)[1])
    V = _table(np.ldexp(steps, -exponent), rises)
    t = np.append(np.zeros(V.shape[1] - 1), 1.0)
    with np.errstate(all="ignore"):
        y = _center(V, t)
        if y is None:
            return 0.0
        radius = max(_radius(V, t, y, roots, d) for roots in (y, _root_weights(V, y, d)))
        found = float(np.ldexp(radius, exponent)) * (1 - 8 * _UNIT) - error * (1 + 8 * _UNIT)
    return found - _TINY if _TINY < found < np.inf else 0.0


def _table(steps: Floats, rises: Floats | None) -> Floats:
    """Rows V: steps, rises and ones, and a row for the slack."""
    k, d = steps.shape
    if rises is None:
        return np.hstack([steps, np.ones((k, 1))])
    V = np.ones((k + 1, d + 2))
    scaled = np.ldexp(rises, -int(np.frexp(np.abs(rises).max())[1]))
    V[:k, :d], V[:k, d] = steps, np.nextafter(scaled, -np.inf)  # no larger, whatever underflows
    V[k] = 0.0
    V[k, d] = -1.0
    return V


def _center(V: Floats, t: Floats) -> Floats | None:
    """Positive y, about the analytic center of ``V.T y = t``; None if there is none.

    By damped Newton steps for the dual: the least ``t x - sum log V x``, at which y = 1 / V x.
    """
    from scipy.linalg import cho_solve  # loads slowly

    x = t * len(V)
    if (V @ x <= 0).any():
        x[-2] = -x[-1] / 4  # the slack
    for _ in range(_STEPS):
        y = 1 / (V @ x)
        scaled, gap = V * y[:, None], t - V.T @ y
        factor = _cholesky(scaled.T @ scaled)
        if factor is None or not (y > 0).all():
            return None
        move = cho_solve((factor, True), gap)
        decrement = sqrt(max(0.0, float(gap @ move)))
        if decrement < _NEAR:
            y = y + y * (scaled @ move)
            return np.asarray(y) if (y > 0).all() else None
        x = x - move / (1 + decrement)
    return None


def _root_weights(V: Floats, y: Floats, d: int) -> Floats:
    """Square roots of D for which the row may move farthest, about."""
    roots, best, farthest = y, y, 0.0
    for _ in range(_BETTER):
        scaled = V * roots[:, None]
        try:
            moves = scaled @ np.linalg.inv(scaled.T @ scaled)[:, :d]
        except np.linalg.LinAlgError:
            break
        rates = np.linalg.norm(moves, axis=1) * roots / y
        if 1 / rates.max() > farthest:
            best, farthest = roots, 1 / rates.max()
        roots = np.clip(roots * (rates.mean() / rates) ** 0.25, y / _RANGE, y * _RANGE)
    return best


def _radius(V: Floats, t: Floats, y: Floats, roots: Floats, d: int) -> float:
    """How far the row may move in the first d coordinates while weights near y are positive."""
    from scipy.linalg import cho_solve  # loads slowly

    (k, width), scaled = V.shape, V * roots[:, None]
    H = scaled.T @ scaled
    factor = _cholesky(H)
    if factor is None:
        return 0.0
    M = cho_solve((factor, True), np.eye(width))
    gamma = (k + 2 * width + 16) * _UNIT * 1.01
    # |H M - 1|, with the roundings of H, which are at most gamma times its trace, and of H M
    trace, norm = float(np.trace(H)) * (1 + gamma), float(np.linalg.norm(M)) * (1 + gamma)
    off = float(np.linalg.norm(H @ M - np.eye(width))) * (1 + gamma) + 3 * gamma * trace * norm
    if not off < 0.5:
        return 0.0
    rows = scaled @ M
    slack = gamma * upper_norms(scaled) * norm  # of each product
    whole = upper_norms(rows) + slack
    # of row j of D V H^-1, its first d entries and all of it, over y_j
    part = (upper_norms(rows[:, :d]) + slack + whole * (off / (1 - off))) * (roots / y)
    whole *= roots / y / (1 - off)
    gap = float(np.linalg.norm(V.T @ y - t)) * (1 + gamma)
    gap += gamma * (float(np.linalg.norm(V)) * float(np.linalg.norm(y)) + 1)
    least = (1 - whole * gap) / part  # both sides over y_j
    return float(least.min()) * (1 - 2 * gamma)


def _cholesky(matrix: Floats) -> Any:
    """The lower factor, or None if the matrix is not positive definite beyond rounding."""
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return None
    return factor if np.isfinite(factor).all() else None
