"""Points at which some labels score higher than others, from the rows of the labels alone.

A question is a list of pairs of labels: is there a point where the first of each pair scores
higher? Its rows are differences of two labels. They are formed for each question, so that nothing
of size n (n - 1) / 2 is ever stored.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel, of_pairs
from arrangements.exact.field_entries import field_of_rows
from arrangements.exact.numbers import difference
from arrangements.execution.interrupts import answering_ctrl_c
from arrangements.feasibility.cone_system import (
    HomogeneousRows,
    enough_fields,
    operations_of,
    residues_of,
    without_residues,
)
from arrangements.feasibility.interior import float_witnesses, solve_signs, unscaled_floats
from arrangements.kernels.cone.cone_test import UNDECIDED, Table, work_for
from arrangements.kernels.cone.label_differences import Differences, find_points

Labels = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]

# Most questions in one call of the kernel, most pairs, and about the most operations, so that
# Python can answer Ctrl-C.
_QUESTIONS, _PAIRS, _OPERATIONS = 256, 2**20, 1e8
# Floats smaller than 2**-_RANGE times the largest of their column are not used, since
# differences must stay far from underflow.
_RANGE = 900


class LabelRows:
    """Rows of labels, in columns where their differences have full rank.

    Parameters
    ----------
    model : ScoreModel
        Of at least two labels.
    threshold : bool
        Whether there is one more label, whose score is a free additional coordinate.

    Attributes
    ----------
    n : int
        Number of labels of the model, which are rows 0..n-1.
    threshold : int
        The row of the threshold.
    columns : list of int
        The caller's coordinate of each column; the offsets are number d.
    integers : list of list of int
        Rows of the labels and, if the model is affine, of two more whose difference is the first
        coordinate; it is positive at the points in question.
    column_exponents : (D,) int64 ndarray
    floats : (D, N) float64 ndarray or None
        ``integers`` times ``2**-column_exponents``, if floats hold that exactly.
    """

    def __init__(self, model: ScoreModel, threshold: bool = False) -> None:
        self.model: ScoreModel = model
        self.n: int = model.n_labels
        self._affine = not model.is_central
        self.columns: list[int] = [model.dimension] * self._affine + list(model.columns)
        rows = [[row[c] for c in self.columns] for row in model.integer_rows]
        if self._affine:
            rows += [[1] + [0] * (len(self.columns) - 1), [0] * len(self.columns)]
        self.threshold: int = len(rows)
        if threshold:
            rows = [[*row, 0] for row in rows] + [[0] * len(self.columns) + [1]]
        self.integers: list[list[int]] = rows
        self.column_exponents: NDArray[np.int64]
        self.floats: Floats | None
        self.column_exponents, self.floats = _exact_floats(rows)

    @property
    def dimension(self) -> int:
        """Number D of columns."""
        return len(self.integers[0])

    @cached_property
    def _float_table(self) -> Table:
        assert self.floats is not None
        return without_residues(self.floats)

    @cached_property
    def _table(self) -> Table:
        assert self.floats is not None
        squares = max(sum(e * e for e in row) for row in self.integers)
        # a determinant of differences, whose rows are at most twice as long, and its sign
        bits = self.dimension * (1 + -(-squares.bit_length() // 2)) + 2
        fields = enough_fields(bits)
        return Table(self.floats, residues_of(self.integers, fields), fields)

    def batch(self, pairs: int) -> int:
        """Number of questions of this many pairs to ask at a time."""
        return max(1, min(_QUESTIONS, _PAIRS // max(1, pairs)))

    def possible(self, above: Labels, below: Labels) -> NDArray[np.bool_]:
        """Whether some point scores above[i, q] higher than below[i, q] for all q, for each i.

        Parameters
        ----------
        above, below : (m, P) ndarray of int
            Rows; in each question the pairs connect all labels, and the threshold if there is
            one.

        Returns
        -------
        (m,) bool ndarray

        Examples
        --------
        >>> rows = LabelRows(ScoreModel([[0], [1], [2]]))
        >>> rows.possible(np.array([[2, 2], [1, 1]]), np.array([[0, 1], [0, 2]]))
        array([ True, False])
        """
        _, status = self._solved(above, below)
        for i in np.flatnonzero((status != 0) & (status != 1)):
            status[i] = self._exactly(above[i].tolist(), below[i].tolist())
        return status == 1

    def witnesses(self, above: Labels, below: Labels) -> Floats:
        """Float64 points in the caller's coordinates that prove `possible`.

        Returns
        -------
        (m, d) float64 ndarray
            NaN where no float64 point was found.

        Raises
        ------
        InputError
            If the answer is False.

        Examples
        --------
        >>> LabelRows(ScoreModel([[0], [3]])).witnesses(np.array([[1]]), np.array([[0]]))
        array([[1.]])
        """
        model = self.model
        scaled, status = self._solved(above, below)
        points, exact = unscaled_floats(
            scaled, self.column_exponents, self.columns, model.dimension, self._affine
        )
        for i in np.flatnonzero((status != 1) | ~exact):
            walls = of_pairs(model, above[i], below[i])
            points[i] = float_witnesses(walls, np.ones((1, above.shape[1]), np.int8))[0][0]
        return points

    def rough_points(self, above: Labels, below: Labels) -> tuple[Floats, NDArray[np.bool_]]:
        """Directions that prove `possible`, in scaled columns, and whether one was found."""
        scaled, status = self._solved(above, below)
        return scaled, status == 1

    def lifted(self) -> Arrangement:
        """Hyperplanes where a label scores as high as the threshold, + where it scores higher."""
        rows = np.array(self.integers[: self.n], dtype=object)
        normals = rows[:, int(self._affine) :]
        normals[:, -1] = -1
        return Arrangement(normals, rows[:, 0] if self._affine else None)

    def _solved(self, above: Labels, below: Labels) -> tuple[Floats, Labels]:
        """Points in scaled columns, and their status as `find_points` says."""
        points = np.zeros((len(above), self.dimension))
        status = np.full(len(above), UNDECIDED)
        if self.floats is not None:
            # with floats, then what they leave undecided with residues
            for exact in (False, True):
                left = np.flatnonzero(status == UNDECIDED)
                if not len(left):
                    break
                table = self._table if exact else self._float_table
                operations = operations_of(table, above.shape[1])
                size = int(max(1, min(self.batch(above.shape[1]), _OPERATIONS // operations)))
                for start in range(0, len(left), size):
                    part = left[start : start + size]
                    points[part], status[part] = answering_ctrl_c(
                        partial(self._solve, table, above[part], below[part]),
                        size * operations,
                    )
        return points, status

    def _solve(self, table: Table, above: Labels, below: Labels) -> tuple[Floats, Labels]:
        """One call of the kernel: points and status."""
        lead = int(self._affine)
        pairs = np.empty((2, len(above), lead + above.shape[1]), np.int64)
        pairs[0, :, :lead], pairs[1, :, :lead] = self.n, self.n + 1
        pairs[:, :, lead:] = above, below
        found, answer = np.zeros((len(above), self.dimension)), np.zeros(len(above), np.int64)
        differences = _differences(table, pairs.shape[2])
        find_points(table, pairs[0], pairs[1], lead == 1, differences, found, answer)
        return found, answer

    def _exactly(self, above: list[int], below: list[int]) -> bool:
        """`possible` for one question that the float kernel cannot answer."""
        pairs = [*[(self.n, self.n + 1)] * self._affine, *zip(above, below, strict=True)]
        system = HomogeneousRows([difference(self.integers[i], self.integers[j]) for i, j in pairs])
        return isinstance(solve_signs(system, np.ones(len(pairs)), self._affine), list)


def _differences(table: Table, pairs: int) -> Differences:
    """Empty small table for `pairs` pairs, with residues if the large one has them."""
    d, primes = len(table.floats), len(table.fields)
    small = Table(np.zeros((d, pairs)), np.zeros((primes, pairs, d), np.uint64), table.fields)
    return Differences(
        small,
        np.ones(pairs),
        np.arange(d),
        work_for(small),
        np.zeros((d, pairs)),
        np.zeros((pairs, d), np.uint64),
    )


def _exact_floats(rows: list[list[int]]) -> tuple[NDArray[np.int64], Floats | None]:
    """Exponent of each column, and the (D, N) floats that are the scaled entries exactly."""
    if field_of_rows(rows) is not None:
        return np.zeros(len(rows[0]), np.int64), None
    exponents, columns = [], []
    exact = True
    for column in zip(*rows, strict=True):
        size = max(abs(entry) for entry in column).bit_length()
        exponents.append(size)
        exact = exact and all(_fits(entry, size) for entry in column)
        # division of two integers is correctly rounded, whatever their sizes
        columns.append([entry / (1 << size) for entry in column] if exact else [])
    return np.array(exponents, np.int64), np.array(columns) if exact else None


def _fits(entry: int, size: int) -> bool:
    """Whether 53 bits hold the entry, far from underflow when divided by 2**size."""
    bits = entry.bit_length()
    mantissa = bits - ((entry & -entry).bit_length() - 1) if entry else 0
    return mantissa <= 53 and (not entry or size - bits < _RANGE)
