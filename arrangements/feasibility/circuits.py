"""Circuits proved in floating point: rows that combine to zero with positive weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_UNIT, _TINY = 2.0**-53, 1e-150
# Products of numbers for which OpenBLAS uses one thread, and fewer rows than are worth a call.
_ALONE, _FEW = 2**18, 8


def are_circuits(conditions: Floats, sizes: Floats) -> NDArray[np.bool_]:
    """Whether the D + 1 rows of each question certainly have one positive combination that is 0.

    Parameters
    ----------
    conditions, sizes
        As in `circuit_weights`.

    Returns
    -------
    (m,) ndarray of bool
        False where it cannot be proved.

    Examples
    --------
    >>> rows = np.array([[[1.0, 0.0], [0.0, 1.0], [-1.0, -2.0]], [[1, 0], [0, 1], [1, 2]]])
    >>> are_circuits(rows, np.abs(rows))
    array([ True, False])
    """
    weights, errors = circuit_weights(conditions, sizes)
    return np.asarray((weights > errors).all(axis=1))


def circuit_weights(conditions: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Weights, the first of them 1, of the one combination of D + 1 rows that is 0.

    Parameters
    ----------
    conditions : (m, D + 1, D) ndarray
        Rows, each entry off by at most 2**-52 times that of `sizes`.
    sizes : (m, D + 1, D) ndarray
        At least the absolute values of the entries.

    Returns
    -------
    weights, errors : (m, D + 1) ndarray
        The errors are bounds; infinite where it is not proved that there is one combination.

    Notes
    -----
    The weights w of all rows but the first solve ``A w = b``, where A has these rows as columns and
    b is the first row, negated. With R about the inverse of A and w about the solution,
    ``|R A - I| <= e < 1`` in the norm of row sums proves that A is regular, and that w is off by
    less than ``|R| |b - A w| + e / (1 - e) max(|R| |b - A w|)`` (Rump, Acta Numerica 19 (2010)
    287-449, 10.5). All rounding errors, and those of the entries, are added.

    Examples
    --------
    >>> rows = np.array([[[1.0, 0.0], [0.0, 1.0], [-1.0, -2.0]]])
    >>> weights, errors = circuit_weights(rows, np.abs(rows))
    >>> weights, bool((errors < 1e-12).all())
    (array([[1., 2., 1.]]), True)
    """
    A = conditions[:, 1:].transpose(0, 2, 1)
    absolute = sizes[:, 1:].transpose(0, 2, 1)
    b, b_size = -conditions[:, 0], sizes[:, 0]
    m, dimension = A.shape[:2]
    gamma = (2 * dimension + 12) * _UNIT
    weights, errors = np.ones((m, dimension + 1)), np.zeros((m, dimension + 1))
    with np.errstate(all="ignore"):
        R = _inverses(A)
        w = _times(R, b)
        w += _times(R, b - _times(A, w))
        spread = np.abs(R)
        off = _products(R, A)
        off -= np.eye(dimension)
        sums = np.abs(off, out=off).sum(axis=2)
        sums += gamma * (_times(spread, absolute.sum(axis=2)) + dimension)
        norm = sums.max(axis=1) * (1 + gamma)
        residual = np.abs(b - _times(A, w)) + gamma * (_times(absolute, np.abs(w)) + b_size)
        error = _times(spread, residual) * (1 + gamma)
        error += (norm / (1 - norm) * error.max(axis=1) * (1 + gamma))[:, None]
        # so large that what underflows, 2**-1022 of a product, is far below _TINY
        sure = (norm < 0.5) & (spread.max(axis=(1, 2)) < 1e100) & (sizes.max(axis=(1, 2)) < 1e100)
        weights[:, 1:] = w
        errors[:, 1:] = error * (1 + 1e-9) + _TINY
    errors[~(sure & np.isfinite(errors).all(axis=1))] = np.inf
    return weights, errors


def inner_coordinates(corners: Floats, points: Floats) -> tuple[Floats, Floats]:
    """Coordinates in one basis, of points at which all of them are positive.

    Parameters
    ----------
    corners : (D, D) ndarray
        The basis, in rows.
    points : (m, D) ndarray
        All entries may be off by 2**-52 of themselves.

    Returns
    -------
    coordinates, errors : (m, D) ndarray
        The errors are bounds; infinite where a coordinate seems to be 0 or negative, or where it is
        not proved that there is a basis.

    Notes
    -----
    As `circuit_weights`, with one inverse for all points: O(D^3 + m D^2).

    Examples
    --------
    >>> corners = np.array([[2.0, 0, 1], [0, 2, 1], [0, 0, 1]])
    >>> found, errors = inner_coordinates(corners, np.array([[0.5, 0.5, 1], [2, 2, 1], [0, 1, 1]]))
    >>> found[0], (found > errors).all(axis=1)
    (array([0.25, 0.25, 0.5 ]), array([ True, False, False]))
    """
    size = len(corners)
    gamma = (2 * size + 12) * _UNIT
    with np.errstate(all="ignore"):
        inverse = _inverses(corners[None])[0]
        coordinates = points @ inverse
        errors = np.full(coordinates.shape, np.inf)
        inside = np.flatnonzero((coordinates > 0).all(axis=1))
        points, found = points[inside], coordinates[inside]
        found += (points - found @ corners) @ inverse
        spread, absolute = np.abs(inverse), np.abs(corners)
        sums = np.abs(corners @ inverse - np.eye(size)).sum(axis=0)
        sums += gamma * (absolute.sum(axis=0) @ spread + size)
        norm = sums.max() * (1 + gamma)
        residual = np.abs(points - found @ corners)
        residual += gamma * (np.abs(found) @ absolute + np.abs(points))
        error = residual @ spread * (1 + gamma)
        error += norm / (1 - norm) * error.max(axis=1, keepdims=True, initial=0) * (1 + gamma)
        if norm < 0.5 and spread.max() < 1e100 and absolute.max() < 1e100:
            coordinates[inside], errors[inside] = found, error * (1 + 1e-9) + _TINY
    errors[~np.isfinite(errors).all(axis=1)] = np.inf
    return coordinates, errors


def _products(left: Floats, right: Floats) -> Floats:
    """Products of square matrices, some rows at a time, for which BLAS does not wake up threads.

    On a busy machine waiting for these took nearly all of the time.
    """
    step = _ALONE // max(1, left.shape[1]) ** 2
    if step < _FEW:
        return left @ right
    found = np.empty(left.shape)
    for start in range(0, left.shape[1], step):
        part = slice(start, start + step)
        found[:, part] = left[:, part] @ right
    return found


def _times(matrices: Floats, vectors: Floats) -> Floats:
    """Products of each matrix with its vector; BLAS would wake up its threads for each."""
    return np.asarray(np.einsum("kij,kj->ki", matrices, vectors))


def _inverses(A: Floats) -> Floats:
    """Inverses, rounded; NaN where there is none.

    NumPy's solve with many right sides, for which BLAS wakes up its threads: on a busy machine that
    took ten times as long.
    """
    from scipy.linalg.lapack import dgetrf, dgetri  # loads slowly

    found = np.full(A.shape, np.nan)
    for k, matrix in enumerate(A):
        factors, pivots, singular = dgetrf(matrix)
        if not singular:
            found[k] = dgetri(factors, pivots)[0]
    return found
