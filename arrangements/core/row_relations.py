"""Exact relations between the rows of a matrix, which every inference about it must keep.

Equal, opposite and proportional rows are one row and its multiples. A zero entry puts its row into
the hyperplane of all rows that are zero in this column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.exact import numbers
from arrangements.exact.numbers import ExactArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]
Vector = list[Fraction]

# Part of a vector outside the span of others below which it counts as rounding.
_DEPENDENT = 1e-6
# Rows move onto hyperplanes by at most this many times their errors.
_ROOM = 8
# Pairs of entries that may agree by chance.
_CHANCE = 1e-4


@dataclass(frozen=True)
class RowClasses:
    """Rows that are multiples of each other, each class with its first row.

    Attributes
    ----------
    first : (m,) ndarray of int
        The first row of each class, ascending.
    of : (n,) ndarray of int
        The class of each row; -1 for a zero row.
    multiples : list of n Fraction
        Each row is this multiple of the first row of its class.
    """

    first: Indices
    of: Indices
    multiples: list[Fraction]

    def expanded(self, rows: ExactArray) -> ExactArray:
        """Rows for all, from those for the first row of each class.

        Examples
        --------
        >>> classes = row_classes(np.array([[1.0, 2.0], [0.0, 0.0], [-2.0, -4.0]]), False)
        >>> classes.expanded(np.array([[3, 5]], dtype=object)).astype(int).tolist()
        [[3, 5], [0, 0], [-6, -10]]
        """
        found = np.zeros((len(self.of), rows.shape[1]), dtype=object)
        for i, (k, multiple) in enumerate(zip(self.of.tolist(), self.multiples, strict=True)):
            if k >= 0:
                found[i] = rows[k] if multiple == 1 else rows[k] * multiple
        return found


def row_classes(matrix: ExactArray, centered: bool) -> RowClasses:
    """Classes of proportional rows; of equal rows if `centered`, where 0 is a row like others.

    Parameters
    ----------
    matrix : (n, d) ndarray of float64

    Examples
    --------
    >>> W = np.array([[1.0, 0.5], [-2.0, -1.0], [0.0, 0.0], [1.0, 0.5]])
    >>> found = row_classes(W, False)
    >>> found.first.tolist(), found.of.tolist(), [int(c) for c in found.multiples]
    ([0], [0, 0, -1, 0], [1, -2, 1, 1])
    >>> row_classes(W, True).of.tolist()
    [0, 1, 2, 0]
    """
    rows: Sequence[Sequence[Any]] = matrix.tolist() if centered else numbers.integer_rows(matrix)
    seen: dict[tuple[Any, ...], int] = {}
    first: list[int] = []
    of, multiples = np.full(len(matrix), -1, np.intp), [Fraction(1)] * len(matrix)
    for i, row in enumerate(rows):
        at = 0 if centered else next((j for j, entry in enumerate(row) if entry), None)
        if at is None:
            continue
        key = tuple(-entry for entry in row) if not centered and row[at] < 0 else tuple(row)
        of[i] = seen.setdefault(key, len(seen))
        if of[i] == len(first):
            first.append(i)
        elif not centered:
            multiples[i] = Fraction(float(matrix[i, at])) / Fraction(
                float(matrix[first[of[i]], at])
            )
    return RowClasses(np.array(first, np.intp), of, multiples)


# ------------------------------------------------------------------ zero entries


def keep_zeros(
    matrix: Floats,
    basis: Indices,
    coordinates: ExactArray,
    loose: Flags,
    errors: Floats,
    centered: bool,
    unit: float = 0.0,
) -> int:
    """Move rows in place so that ``coordinates @ matrix[basis]`` has the zeros of the matrix.

    Rows that are zero in one column lie in one hyperplane, whose normal in the coordinates is this
    column of the basis. If `centered`, rows with one entry in common take their place.

    Parameters
    ----------
    matrix : (n, d) ndarray
    basis : (k,) ndarray of int
    coordinates : (n, k) ndarray of Fraction
        Of all rows in the basis; they sum to 1 if `centered`.
    loose : (n,) ndarray of bool
        Rows that may move; all others determine the hyperplanes.
    errors : (n, k) ndarray
        Errors of loose rows, which bound how far they move.
    centered : bool
    unit : float
        Chance that two entries agree although they were not meant to. It decides if entries in
        common prove anything.

    Returns
    -------
    int
        Number of rows that moved.

    Examples
    --------
    >>> W = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 3.0]])
    >>> rows = numbers.as_objects(np.array([[1, 0], [0, 1], [1e-9, 3]]))
    >>> loose, errors = np.array([False, False, True]), np.full((3, 2), 1e-8)
    >>> keep_zeros(W, np.array([0, 1]), rows, loose, errors, False), rows[2].astype(int).tolist()
    (1, [0, 3])
    """
    shared = centered and matrix.size * len(matrix) * unit <= _CHANCE
    normals: dict[int, list[Vector]] = {i: [] for i in np.flatnonzero(loose).tolist()}
    for members, normal in _hyperplanes(matrix, basis, loose, shared):
        exact = [coordinates[i].tolist() for i in np.flatnonzero(members & ~loose).tolist()]
        moved = _rest(normal, _orthogonal(exact))
        if _size(normal) * _DEPENDENT > _distance(normal, moved):
            for i in np.flatnonzero(members & loose).tolist():
                normals[i].append(moved)
    count = 0
    for i, entries in normals.items():
        if not entries:
            continue
        row = coordinates[i].tolist()
        axes = np.eye(len(row), dtype=int)[[not value for value in row]]  # zeros stay, too
        moved = _rest(row, _orthogonal([*numbers.as_objects(axes).tolist(), *entries]))
        total = sum(moved) if centered else Fraction(1)
        if not total:
            continue
        moved = [value / total for value in moved]
        if moved != row and _distance(row, moved) <= _ROOM * float(np.linalg.norm(errors[i])):
            coordinates[i] = moved
            count += 1
    return count


def _hyperplanes(
    matrix: Floats, basis: Indices, loose: Flags, shared: bool
) -> Iterator[tuple[Flags, Vector]]:
    """Rows that are zero in a column, or have a `shared` entry, some of them loose; the normal."""
    for column in matrix.T:
        values, counts = np.unique(column, return_counts=True)
        for value in values[counts > 1].tolist() if shared else (0.0,):
            members = column == value
            if (members & loose).any() and members.sum() > 1:
                normal = [Fraction(entry) - Fraction(value) for entry in column[basis].tolist()]
                if any(normal):
                    yield members, normal


def _orthogonal(vectors: Sequence[Vector]) -> list[Vector]:
    """Orthogonal vectors that span the same space, but for parts as small as rounding."""
    found: list[Vector] = []
    for vector in vectors:
        rest = _rest(vector, found)
        if len(found) < len(vector) - 1 and _size(rest) > _DEPENDENT * _size(vector):
            found.append(rest)
    return found


def _rest(vector: Vector, orthogonal: Sequence[Vector]) -> Vector:
    """The part of a vector that is orthogonal to orthogonal ones."""
    for other in orthogonal:
        share = _product(vector, other) / _product(other, other)
        vector = [a - share * b for a, b in zip(vector, other, strict=True)]
    return vector


def _product(a: Vector, b: Vector) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _size(vector: Vector) -> float:
    return float(np.linalg.norm([float(value) for value in vector]))


def _distance(a: Vector, b: Vector) -> float:
    return _size([x - y for x, y in zip(a, b, strict=True)])
