"""Coordinates in which rows are about uncorrelated: to find points, not to prove anything."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.feasibility.wide_rows import WideRows

Floats = NDArray[np.float64]

# Directions in which rows are this much less spread, in the square, are not stretched further.
_FLAT = 1e-13
# Rows that are copied at a time.
_AT_ONCE = 8192
# Sizes of whitened entries that float32 holds well.
_LEAST, _MOST = 1e-15, 1e15


class Whitened:
    """Rows in whitened coordinates.

    Attributes
    ----------
    basis : (D, w) ndarray
        A point y stands for ``basis @ y``.
    short : (n, w) ndarray of float32, or of float64 where its range is too small
        All rows.
    """

    def __init__(self, basis: Floats, table: Floats) -> None:
        self.basis: Floats = basis
        self._table = table
        self.short: NDArray[Any] = _shortened(table)

    def rows(self, numbers: NDArray[Any]) -> Floats:
        """Some rows."""
        return self._table[numbers]

    def table_of(self, *numbers: NDArray[np.int32]) -> tuple[Floats, list[NDArray[np.int32]]]:
        """A table with some rows, and the numbers that they have in it; negative ones stay."""
        return self._table, list(numbers)


class WhitenedSome(Whitened):
    """The same of rows kept in float32: few are made in float64, where a search needs them."""

    def __init__(self, basis: Floats, rows: WideRows, mean: Floats) -> None:
        self.basis: Floats = basis
        self._wide, self._mean = rows, mean
        self.short: NDArray[Any] = np.empty((len(rows), basis.shape[1]), np.float32)
        for part, block in rows.blocks():
            block -= mean
            self.short[part] = block @ basis
        self._places, self._lock = np.full(len(rows), -1), threading.Lock()
        self._kept, self._number = np.empty((0, basis.shape[1])), 0

    def rows(self, numbers: NDArray[Any]) -> Floats:
        """Some rows, kept for the next time."""
        with self._lock:
            new = np.unique(numbers)
            new = new[self._places[new] < 0]
            end = self._number + len(new)
            if end > len(self._kept):
                more = np.empty((max(end, 2 * len(self._kept)), self.basis.shape[1]))
                more[: self._number] = self._kept[: self._number]
                self._kept = more
            self._kept[self._number : end] = (self._wide[new] - self._mean) @ self.basis
            self._places[new] = np.arange(self._number, end)
            self._number = end
            return self._kept[self._places[numbers]]

    def table_of(self, *numbers: NDArray[np.int32]) -> tuple[Floats, list[NDArray[np.int32]]]:
        """A table with some rows, and the numbers that they have in it; negative ones stay."""
        used = np.unique(np.concatenate([each[each >= 0] for each in numbers]))
        places = [
            np.where(each >= 0, np.searchsorted(used, each), each).astype(np.int32)
            for each in numbers
        ]
        return np.ascontiguousarray(self.rows(used)), places


def whiten(floats: Any, n_own: int, affine: bool, center: bool) -> Whitened:
    """Rows in a basis in which they are about uncorrelated, of norm 1 in the mean.

    Parameters
    ----------
    floats : (n, D) ndarray, or WideRows
        The last column has the offsets if these matter.
    n_own : int
        The mean of the first ones is subtracted if `center`; the others are facets.

    Notes
    -----
    With fewer rows than coordinates, the basis spans the rows, and what bounds the offsets.
    """
    if isinstance(floats, WideRows):
        if len(floats) + affine >= floats.shape[1]:
            return _whiten_wide(floats, center)
        floats = floats[:]
    else:
        floats = floats.copy()
    if center:
        floats[:n_own] -= floats[:n_own].mean(axis=0)
    return Whitened(*_whiten(floats, affine))


def _shortened(table: Floats) -> NDArray[Any]:
    largest = max(table.max(initial=0.0), -table.min(initial=0.0))
    return table.astype(np.float32) if _LEAST < largest < _MOST else table


def _whiten_wide(rows: WideRows, center: bool) -> WhitenedSome:
    """A basis of many rows of moderate size, from their products."""
    n, D = rows.shape
    mean, lengths = np.zeros(D), np.zeros(D)
    if center:
        for _, block in rows.blocks():
            mean += block.sum(axis=0) / n
    for _, block in rows.blocks():
        block -= mean
        lengths = np.maximum(lengths, np.maximum(block.max(axis=0), -block.min(axis=0)))
    lengths = np.where(lengths > 0, lengths, 1.0)
    products = np.zeros((D, D))
    for _, block in rows.blocks():
        block -= mean
        block /= lengths
        products += block.T @ block
    return WhitenedSome(_basis(products, n) / lengths[:, None], rows, mean)


def _basis(products: Floats, n: int) -> Floats:
    """The basis in which n rows with these products are uncorrelated, of norm 1 in the mean."""
    values, vectors = np.linalg.eigh(products)
    return vectors * _scale(values, n)


def _scale(values: Floats, n: int) -> Floats:
    least = max(values.max() * _FLAT, 1e-300)
    return np.asarray(np.sqrt(n / len(values) / np.maximum(values, least)))


def _whiten(rows: Floats, affine: bool) -> tuple[Floats, Floats]:
    """A basis and the rows in it, which take the place of `rows`."""
    lengths = np.maximum(rows.max(axis=0, initial=0.0), -rows.min(axis=0, initial=0.0))
    lengths = np.where(lengths > 0, lengths, 1.0)
    rows /= lengths
    few = len(rows) + affine < rows.shape[1]
    if few:
        # the last coordinate is positive: this is a row, too
        infinity = np.zeros((int(affine), rows.shape[1]))
        infinity[:, -1] = 1.0
        _, sizes, directions = np.linalg.svd(np.vstack([rows, infinity]), full_matrices=False)
        basis = directions.T * _scale(sizes * sizes, len(rows))
    else:
        basis = _basis(rows.T @ rows, len(rows))
    with np.errstate(over="ignore"):  # what is infinite is left to exact answers
        if few:
            return basis / lengths[:, None], rows @ basis
        for start in range(0, len(rows), _AT_ONCE):
            rows[start : start + _AT_ONCE] = rows[start : start + _AT_ONCE] @ basis
        return basis / lengths[:, None], rows
