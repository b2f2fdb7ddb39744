"""Circuits proved in floating point: rows that combine to zero with positive weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_UNIT, _TINY = 2.0**-53, 1e-150


def are_circuits(conditions: Floats, sizes: Floats) -> NDArray[np.bool_]:
    """Whether the D + 1 rows of each question certainly have one positive combination that is 0.

    Parameters
    ----------
    conditions : (m, D + 1, D) ndarray
        Rows, each entry off by at most 2**-52 times that of `sizes`.
    sizes : (m, D + 1, D) ndarray
        At least the absolute values of the entries.

    Returns
    -------
    (m,) ndarray of bool
        False where it cannot be proved.

    Notes
    -----
    The weights w of all rows but the first solve ``A w = b``, where A has these rows as columns and
    b is the first row, negated. With R about the inverse of A and w about the solution,
    ``|R A - I| <= e < 1`` in the norm of row sums proves that A is regular, and that w is off by
    less than ``|R| |b - A w| + e / (1 - e) max(|R| |b - A w|)`` (Rump, Acta Numerica 19 (2010)
    287-449, 10.5). All rounding errors, and those of the entries, are added.

    Examples
    --------
    >>> rows = np.array([[[1.0, 0.0], [0.0, 1.0], [-1.0, -2.0]], [[1, 0], [0, 1], [1, 2]]])
    >>> are_circuits(rows, np.abs(rows))
    array([ True, False])
    """
    A = conditions[:, 1:].transpose(0, 2, 1)
    absolute = sizes[:, 1:].transpose(0, 2, 1)
    b, b_size = -conditions[:, 0, :, None], sizes[:, 0, :, None]
    dimension = A.shape[1]
    gamma = (2 * dimension + 12) * _UNIT
    with np.errstate(all="ignore"):
        try:
            R = np.linalg.inv(A)
        except np.linalg.LinAlgError:  # one of them is singular
            return _one_by_one(conditions, sizes)
        w = R @ b
        w += R @ (b - A @ w)
        spread = np.abs(R)
        off = np.abs(R @ A - np.eye(dimension)) + gamma * (spread @ absolute + 1)
        norm = off.sum(axis=2).max(axis=1)
        residual = np.abs(b - A @ w) + gamma * (absolute @ np.abs(w) + b_size)
        error = (spread @ residual)[:, :, 0] * (1 + gamma)
        error += (norm / (1 - norm) * error.max(axis=1) * (1 + gamma))[:, None]
        proved = (norm < 0.5) & (w[:, :, 0] > error * (1 + 1e-9) + _TINY).all(axis=1)
        # so large that what underflows, 2**-1022 of a product, is far below _TINY
        proved &= (spread.max(axis=(1, 2)) < 1e100) & (sizes.max(axis=(1, 2)) < 1e100)
    return np.asarray(proved & np.isfinite(norm))


def _one_by_one(conditions: Floats, sizes: Floats) -> NDArray[np.bool_]:
    if len(conditions) == 1:
        return np.zeros(1, np.bool_)
    half = len(conditions) // 2
    return np.concatenate(
        [
            are_circuits(conditions[:half], sizes[:half]),
            are_circuits(conditions[half:], sizes[half:]),
        ]
    )
