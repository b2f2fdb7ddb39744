"""Exact matrices by their entries, for affine maps of many inputs and few weights in each row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import ExactArray, as_objects, stack_rows
from arrangements.heads.head import simplest

Indices = NDArray[np.intp]

# Products of entries that are made to multiply two matrices whose rows have several entries.
_MOST_PRODUCTS = 2**18


class SparseRows(NamedTuple):
    """A matrix: entries in the order of rows, then columns, each place at most once.

    Attributes
    ----------
    rows, columns : (m,) ndarray of intp
    values : (m,) ndarray
        float64, int64, or object (int and Fraction).
    shape : tuple of int

    Examples
    --------
    >>> A = SparseRows.of([0, 0, 1], [2, 2, 0], np.array([0.5, 1, 3]), (2, 3))
    >>> A.dense().tolist(), A.take(np.array([1, -1, 1])).dense().tolist()
    ([[0.0, 0.0, 1.5], [3.0, 0.0, 0.0]], [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    """

    rows: Indices
    columns: Indices
    values: ExactArray
    shape: tuple[int, int]

    @classmethod
    def of(
        cls, rows: Indices, columns: Indices, values: ExactArray, shape: tuple[int, int]
    ) -> SparseRows:
        """Entries in any order; those of one place are added."""
        rows, columns = np.asarray(rows, np.intp), np.asarray(columns, np.intp)
        keys = rows * shape[1] + columns
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], values[order]
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        if len(first) < len(keys):
            values = _sums(values, first)
        kept = np.flatnonzero(values != 0)
        return cls(rows[order][first][kept], columns[order][first][kept], values[kept], shape)

    @classmethod
    def identity(cls, n: int) -> SparseRows:
        """The matrix that changes nothing."""
        places = np.arange(n)
        return cls(places, places, np.ones(n, np.int64), (n, n))

    @classmethod
    def column(cls, values: ExactArray) -> SparseRows:
        """A matrix of one column."""
        kept = np.flatnonzero(values != 0)
        return cls(kept, np.zeros(len(kept), np.intp), values[kept], (len(values), 1))

    @classmethod
    def of_dense(cls, W: ExactArray) -> SparseRows:
        """The entries of a matrix that are not 0."""
        rows, columns = np.nonzero(W != 0)
        return cls(rows, columns, W[rows, columns], W.shape)

    @property
    def is_identity(self) -> bool:
        """Whether it changes nothing."""
        n, k = self.shape
        places = np.arange(n)
        return (
            n == k
            and np.array_equal(self.rows, places)
            and np.array_equal(self.columns, places)
            and bool((self.values == 1).all())
        )

    def dense(self) -> ExactArray:
        """The matrix with all of its entries."""
        found = np.zeros(self.shape, self.values.dtype)
        found[self.rows, self.columns] = self.values
        return found

    def take(self, indices: Indices) -> SparseRows:
        """Rows in another order, or several times; -1 is a row of zeros."""
        entries, places = self._entries(indices)
        shape = (len(indices), self.shape[1])
        return SparseRows(places, self.columns[entries], self.values[entries], shape)

    def scaled(self, factors: ExactArray) -> SparseRows:
        """Row i times ``factors[i]``."""
        values = _products(self.values, factors[self.rows])
        kept = np.flatnonzero(values != 0)
        return SparseRows(self.rows[kept], self.columns[kept], values[kept], self.shape)

    def plus(self, other: SparseRows) -> SparseRows:
        """The sum of two matrices of one shape."""
        rows, columns = (
            np.concatenate([a, b])
            for a, b in ((self.rows, other.rows), (self.columns, other.columns))
        )
        return SparseRows.of(rows, columns, stack_rows(self.values, other.values), self.shape)

    def product(self, other: SparseRows) -> SparseRows | None:
        """The product ``self @ other``; None if it takes too long.

        It never does where `other` has at most one entry in each row.

        Examples
        --------
        >>> A = SparseRows.of_dense(np.array([[1, 2], [0, 3]]))
        >>> A.product(SparseRows.of_dense(np.array([[0.5, 0], [0.25, 1]]))).dense().tolist()
        [[1.0, 2.0], [0.75, 3.0]]
        """
        counts = np.bincount(other.rows, minlength=other.shape[0])
        if counts.max(initial=0) > 1 and counts[self.columns].sum() > _MOST_PRODUCTS:
            return None
        entries, places = other._entries(self.columns)
        values = _products(self.values[places], other.values[entries])
        shape = (self.shape[0], other.shape[1])
        return SparseRows.of(self.rows[places], other.columns[entries], values, shape)

    def _entries(self, indices: Indices) -> tuple[Indices, Indices]:
        """Entries of rows, one row after the other, and the place of each row."""
        starts = np.searchsorted(self.rows, np.arange(self.shape[0] + 1))
        begin = np.where(indices < 0, 0, starts[indices])
        counts = np.where(indices < 0, 0, starts[indices + 1] - begin)
        places = np.repeat(np.arange(len(indices)), counts)
        within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
        return begin[places] + within, places


def _products(a: ExactArray, b: ExactArray) -> ExactArray:
    """Products of numbers, exact.

    Examples
    --------
    >>> _products(np.array([0.5, 3.0]), np.array([3, 1]))
    array([1.5, 3. ])
    >>> _products(np.array([0.1]), np.array([0.1]))[0] == 0.1 * 0.1
    False
    """
    if (b == 1).all():
        return a
    if (a == 1).all():
        return b
    if _is_short(a) and _is_short(b):  # at most 48 bits
        return a.astype(np.float64) * b.astype(np.float64)
    return simplest(as_objects(a) * as_objects(b))


def _is_short(values: ExactArray) -> bool:
    """Whether float32 holds all of them."""
    if values.dtype != np.float64:
        return values.dtype != object and bool(((values <= 2**24) & (values >= -(2**24))).all())
    with np.errstate(over="ignore"):
        return np.array_equal(values.astype(np.float32), values)


def _sums(values: ExactArray, first: Indices) -> ExactArray:
    """Sums of runs of numbers, exact.

    first : where each run begins
    """
    counts = np.diff(first, append=len(values))
    several = np.flatnonzero(counts > 1)
    inside = np.repeat(counts > 1, counts)
    exact = as_objects(values[inside])
    starts = np.cumsum(counts[several]) - counts[several]
    added = simplest(np.add.reduceat(exact, starts))
    if added.dtype != values.dtype:
        joined = stack_rows(values[first], added)
        found, added = joined[: len(first)], joined[len(first) :]
    else:
        found = values[first]
    found = found.copy()
    found[several] = added
    return found
