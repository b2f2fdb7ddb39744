"""Scores ``W x + b`` compared exactly: floats decide what their error bound proves."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import ExactArray, fractions, nearest_floats

_EPS = float(np.finfo(np.float64).eps)
# Far above the numbers whose last bits float64 drops.
_TINY = 1e-290
# Scores that are held at a time.
_BLOCK = 2**23


def float_scores(
    W: ExactArray, b: ExactArray | None, points: ExactArray
) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
    """Blocks: the first point, scores of all rows, and for each point a bound of their errors.

    Parameters are those of `largest_rows`.

    However a sum of d products and a number is arranged, its error is at most about (d + 1) eps
    times the sum of their sizes, which is bounded by the largest entries; each number may have been
    rounded before. Where numbers are too large or too small for this, the bound is infinite.
    """
    n, d = W.shape
    rows, constants = _floats(W), np.zeros(n) if b is None else _floats(b)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        step = max(1, _BLOCK // max(1, n))
        for start in range(0, len(points), step):
            x = _floats(points[start : start + step])
            scores = x @ rows.T + constants
            sizes = np.abs(x).max(axis=1, initial=0) * (d * np.abs(rows).max(initial=0))
            sizes += np.abs(constants).max(initial=0)
            bounds = 2 * (d + 8) * _EPS * sizes
            # a product may lose what is below the smallest normal number
            bounds[~((bounds > _TINY) & (bounds < 1 / _TINY))] = np.inf
            yield start, scores, bounds


def largest_rows(W: ExactArray, b: ExactArray | None, points: ExactArray) -> NDArray[np.intp]:
    """Row with the largest score at each point, the first of several.

    Parameters
    ----------
    W : (n, d) ndarray
        As `as_exact_matrix` returns it, n > 0.
    b : (n,) ndarray or None
    points : (m, d) ndarray
        Exact numbers, too.

    Examples
    --------
    >>> largest_rows(np.array([[0.1], [0.1 + 2**-56], [0.0]]), None, np.array([[1.0], [0.0]]))
    array([1, 0])
    """
    found = np.zeros(len(points), np.intp)
    for start, scores, bounds in float_scores(W, b, points):
        with np.errstate(invalid="ignore"):
            # NaN is no reason to leave a row out
            left = ~(scores < (scores.max(axis=1) - 2 * bounds)[:, None])
        found[start : start + len(left)] = left.argmax(axis=1)
        for k in np.flatnonzero(left.sum(axis=1) > 1):
            rows = np.flatnonzero(left[k])
            values = _exact_scores(W, b, points[start + k], rows)
            found[start + k] = rows[values.index(max(values))]
    return found


def positive_rows(W: ExactArray, b: ExactArray | None, points: ExactArray) -> NDArray[np.bool_]:
    """Which scores are positive at each point; parameters as those of `largest_rows`.

    Examples
    --------
    >>> positive_rows(np.array([[1.0, 2.0**-60], [1.0, 0.0]]), None, np.array([[0, 1]]))
    array([[ True, False]])
    """
    found = np.zeros((len(points), len(W)), np.bool_)
    for start, scores, bounds in float_scores(W, b, points):
        found[start : start + len(scores)] = scores > 0
        with np.errstate(invalid="ignore"):
            unsure = ~(np.abs(scores) > bounds[:, None])
        for k in np.flatnonzero(unsure.any(axis=1)):
            rows = np.flatnonzero(unsure[k])
            values = _exact_scores(W, b, points[start + k], rows)
            found[start + k, rows] = [value > 0 for value in values]
    return found


def _floats(values: ExactArray) -> NDArray[np.float64]:
    """The nearest float64 of each number; infinite if one is too large or too small for that."""
    floats = nearest_floats(values)
    if values.dtype == object and (np.abs(floats[values != 0]) < _TINY).any():
        return np.full(values.shape, np.inf)
    return floats


def _exact_scores(
    W: ExactArray, b: ExactArray | None, point: ExactArray, rows: NDArray[np.intp]
) -> list[Fraction]:
    """Scores of some rows at a point."""
    used = np.flatnonzero(point)
    x = fractions(point[used])
    constants = [Fraction(0)] * len(rows) if b is None else fractions(b[rows])
    return [
        sum((w * t for w, t in zip(fractions(row), x, strict=True)), constant)
        for row, constant in zip(W[rows][:, used], constants, strict=True)
    ]
