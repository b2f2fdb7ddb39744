"""Proof in floats that the columns of a matrix are independent, beyond any rounding."""

from __future__ import annotations

from collections.abc import Iterator
from math import ldexp, sqrt
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact import numbers

Floats = NDArray[np.float64]

# A deviation counts as rounding up to this many times the norm of independent rounding errors.
NOISE_ROOM = 4
# Rows that are copied at a time, at most, and their entries.
_AT_ONCE, _ENTRIES = 8192, 2**24
# Entries of at most 1, rounded to 8 bits, spread rows by far less than this in each direction.
_SPREAD = 0.01
# For more columns LAPACK is faster than loops.
_MANY_COLUMNS = 6
# With a sum of squares between these (the first for each entry) no product overflows, and products
# below 2**-1022 lose less than 2**-1074 each: far less than the e of `is_clearly_full`.
_LEAST_SQUARES, _MOST_SQUARES = 1e-200, 1e200


def noise(shape: tuple[int, ...], size: float, bits: int) -> float:
    """Spectral norm of independent rounding errors of entries of a size, up to a small factor."""
    return ldexp(size * (sqrt(shape[0]) + sqrt(shape[1])), -bits)


def is_clearly_full(matrix: Floats) -> bool:
    """Whether the columns are independent, which is proved, and no rounding hides a smaller rank.

    Rows and columns are scaled as in `numerical_rank`, so that entries are at most 1, unless it
    shows without. If a Cholesky factorization of ``G - c I`` in floats succeeds, G the products of
    columns, then all singular values exceed ``sqrt(c - e)``, where ``e = 4 (n + d + 4) u trace(G)``
    is more than the rounding errors of products (in any order) and of the factorization [1]_ add up
    to. c is 1.21 times the square of the largest singular value that rounding to 8 bits explains,
    and at least 6 e, so that all singular values exceed this one.

    References
    ----------
    .. [1] S. M. Rump, Verification of positive definiteness, BIT 46 (2006) 433-452.

    Examples
    --------
    >>> is_clearly_full(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    True
    >>> is_clearly_full(np.array([[1.0, 1.0], [1.0, 1.001], [1.0, 0.999]]))  # for all it knows
    False
    """
    n, d = matrix.shape
    if not n >= d > 0:
        return False
    with np.errstate(all="ignore"):
        products = np.dot(matrix.T, matrix)
    squares: float = sum(products.diagonal().tolist())
    if _LEAST_SQUARES * n * d < squares < _MOST_SQUARES and _exceed_noise(products, n, squares):
        return True
    exponents = np.frexp(matrix)[1]
    exponents[matrix == 0] = numbers.NO_EXPONENT
    shift = -exponents.max(axis=1, keepdims=True)
    shift = shift - (exponents + shift).max(axis=0)
    shift -= (exponents + shift).max(axis=1, keepdims=True)
    scaled = np.ldexp(matrix, shift)
    products = scaled.T @ scaled
    return _exceed_noise(products, n, float(products.trace()))


def is_clearly_full_centered(matrix: Floats) -> bool:
    """The same of the rows less their mean: whether the differences of rows have rank d.

    Only the columns are scaled, unless it shows without. The rounding is that of the entries before
    centering, at most 1 then. A mean of n entries and the difference from it add errors of
    ``(n + 3) u``.
    Where there are many rows, they are not kept: a spread of a hundredth in each direction is far
    beyond the rounding to 8 bits. These may be in float32.

    Examples
    --------
    >>> is_clearly_full_centered(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    True
    >>> is_clearly_full_centered(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))
    False
    """
    n, d = matrix.shape
    if not n > d:
        return False
    if n < 4 * d and _few_clearly_full(matrix):
        return True
    largest = np.maximum(matrix.max(axis=0), -matrix.min(axis=0)).astype(np.float64)
    if not (largest.min() > 1e-290 and largest.max() < 1e290):
        return False
    if n < 4 * d:
        wide = matrix.astype(np.float64, copy=False)
        return _few_clearly_full(np.ldexp(wide, -np.frexp(largest)[1]))
    return _many_clearly_full(matrix, largest) or _few_clearly_full(matrix)


def _few_clearly_full(matrix: Floats) -> bool:
    n, d = matrix.shape
    with np.errstate(all="ignore"):
        squares = sum(float(np.vdot(rows, rows)) for rows in _widened(matrix))
    if not _LEAST_SQUARES * n * d < squares < _MOST_SQUARES:
        return False
    mean = np.add.reduce(matrix, dtype=np.float64) / n
    products: Floats | None = None
    for rows in _widened(matrix):
        rows = rows - mean
        own = np.dot(rows.T, rows)
        products = own if products is None else np.add(products, own, out=products)
    assert products is not None
    largest = sqrt(squares)  # at least as large as any entry, up to roundings
    error = largest * sqrt(n * d) * (n + 3) * 2.0**-53
    return _exceed_noise(products, n, squares, error)


def _widened(matrix: NDArray[Any]) -> Iterator[Floats]:
    """The rows in float64, some at a time."""
    step = _step(matrix.shape[1])
    for start in range(0, len(matrix), step):
        yield matrix[start : start + step].astype(np.float64, copy=False)


def _step(d: int) -> int:
    """How many rows are copied at a time."""
    return min(_AT_ONCE, max(1, _ENTRIES // d))


def _exceed_noise(products: Floats, n: int, squares: float, error: float = 0.0) -> bool:
    """Whether all singular values exceed those of rounding entries to 8 bits.

    products : of the columns of n rows
    squares : sum of the squares of the entries before centering
    error : bound for the norm of the errors of the rows, which must be far less
    """
    least = noise((n, len(products)), sqrt(squares / (n * len(products))), 8)
    return _exceed(1.1 * NOISE_ROOM * sqrt(1 / 6) * least, products, n, error)


def _exceed(least: float, products: Floats, n: int, error: float) -> bool:
    """Whether the singular values of n rows with these products exceed 0.8 `least`.

    The 6 e of `is_clearly_full` leave a factor of sqrt(5 / 6), errors of rows an eighth.
    """
    d, shift = len(products), least**2
    trace: float = sum(products.diagonal().tolist())
    if not (shift > 24 * (n + d + 4) * 2.0**-53 * trace and least > 9 * error):
        return False
    if d > _MANY_COLUMNS:
        products.flat[:: d + 1] -= shift
        try:
            np.linalg.cholesky(products)
        except np.linalg.LinAlgError:
            return False
        return True
    factor: list[list[float]] = []
    for i, row in enumerate(products.tolist()):
        new: list[float] = []
        for k, other in enumerate(factor):
            new.append((row[k] - sum(map(mul, new, other))) / other[k])
        pivot = row[i] - shift - sum(map(mul, new, new))
        if not pivot > 0.0:
            return False
        new.append(sqrt(pivot))
        factor.append(new)
    return True


def _many_clearly_full(matrix: Floats, largest: Floats) -> bool:
    """Whether all rows have a spread of a hundredth, which some of them by themselves often prove.

    The squares of the deviations of all rows from their mean sum up to at least those of some rows
    from the mean of these.
    """
    n, d = matrix.shape
    least = _SPREAD * sqrt(n)
    some = matrix[:: n // (4 * d)]
    return _spread(some, largest, least) or (len(some) < n and _spread(matrix, largest, least))


def _spread(matrix: Floats, largest: Floats, least: float) -> bool:
    """Whether the singular values of the centered rows, with scaled columns, exceed 0.8 `least`."""
    n, d = matrix.shape
    mean, products = matrix.mean(axis=0, dtype=np.float64) / largest, np.zeros((d, d))
    step = _step(d)
    for start in range(0, n, step):
        rows = matrix[start : start + step] / largest
        rows -= mean
        products += rows.T @ rows
    error = sqrt(n * d) * (n + 5) * 2.0**-53  # one more rounding each by division
    return _exceed(least, products, n, error)


def promising_rows(W: NDArray[Any]) -> list[int]:
    """Rows that probably span the space: d of them, chosen greedily in floats; only a proposal.

    Of other numbers the first ones.
    """
    n, d = W.shape
    if n <= d or W.dtype == object:
        return list(range(min(n, 8 * d)))
    # row scaling does not matter; powers of two keep 1e300 and 1e-300 from over- and underflow
    rest = np.ldexp(W, -np.frexp(np.abs(W).max(axis=1, initial=0))[1][:, None]).astype(np.float64)
    chosen: list[int] = []
    for _ in range(d):
        size = np.einsum("ij,ij->i", rest, rest)
        chosen.append(int(size.argmax()))
        if size[chosen[-1]] == 0.0:
            break
        axis = rest[chosen[-1]] / np.sqrt(size[chosen[-1]])
        rest -= np.outer(rest @ axis, axis)
    return sorted(set(chosen))
