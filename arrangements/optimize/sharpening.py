"""Which rows have the same sign all over a chamber of earlier rows, where that is cheap to know.

A chamber lies within the cone of any d of its rows that are independent. A row that is a
combination of these d, signed, with weights >= 0 is positive all over that cone, and so on the
chamber. The d rows are chosen near a point of the chamber and around it, so that the cone is
small; the weights are proved by a bound for their errors.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

Floats = NDArray[np.float64]

_ROUNDING = 2.0**-53
# Added to the sizes of entries, and to bounds: far above all that underflow loses.
_TINY = 2.0**-1000
# Rows near a point among which those around it are looked for, for each dimension.
_NEAR = 8


def around(floats: Floats, signs: NDArray[np.int8], point: Floats) -> NDArray[np.intp] | None:
    """Rows of a chamber, as many as dimensions, whose signed cone contains the point.

    Parameters
    ----------
    floats : (D, k) ndarray
        Rows, as columns.
    signs : (k,) ndarray
    point : (D,) ndarray
        Of the chamber.

    Returns
    -------
    ndarray or None
        None if there are none, or they are not found.
    """
    signed = floats * signs
    distance = point @ signed
    if not (distance > 0).all():
        return None
    near = (
        np.argpartition(distance, most)[:most]
        if (most := _NEAR * len(point)) < len(distance)
        else np.arange(len(distance))
    )
    try:
        weights, _ = nnls(signed[:, near] / distance[near], point, maxiter=10 * len(near))
    except RuntimeError:  # too many iterations
        return None
    rows = near[np.flatnonzero(weights)]
    return rows if len(rows) == len(point) else None


def constant_signs(floats: Floats, bases: Floats) -> NDArray[np.int8]:
    """The sign that each row has all over each of some cones; 0 if it is not known to be constant.

    Parameters
    ----------
    floats : (D, N) ndarray
        Rows as columns, the largest entry of each at least 1; entries are rounded once, and those
        below 2**-1022 may have lost digits.
    bases : (M, D, D) ndarray
        Signed rows of each cone.

    Returns
    -------
    (M, N) ndarray of int8
    """
    d = len(floats)
    inverses = np.full_like(bases, np.nan)
    regular = np.abs(np.linalg.det(bases)) > 0
    inverses[regular] = np.linalg.inv(bases[regular])
    # B R = I - E for the exact B, so that its inverse is R + R E + R E E + ..
    error = np.abs(np.eye(d) - bases @ inverses)
    error += (d + 4) * _ROUNDING * ((np.abs(bases) + _TINY) @ np.abs(inverses)) + _TINY
    size = error.sum(axis=1).max(axis=1)
    with np.errstate(invalid="ignore"):
        # size / (1 - size) is at most 4 / 3 of it: twice leaves room for its own rounding
        share = np.where(size < 0.25, 2 * size, np.nan) + 2 * (d + 4) * _ROUNDING
        weights = floats.T @ inverses
        terms = (np.abs(floats.T) + _TINY) @ np.abs(inverses)
        bound = terms.max(axis=2) * share[:, None] + _TINY
        return np.where(
            weights.min(axis=2) > bound, 1, np.where(weights.max(axis=2) < -bound, -1, 0)
        ).astype(np.int8)
