"""Which labels win at given inputs, and by how much."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.labels import align_columns
from arrangements.core.rows import Rows
from arrangements.errors import InputError
from arrangements.exact import coercion
from arrangements.exact.numbers import ExactArray, fractions, nearest_floats
from arrangements.feasibility.score_rows import ScoreRows, upper_norms

# Scores that are held at a time.
_SCORES = 2**24


def read_inputs(inputs: Any, rows: Rows) -> ExactArray:
    """Inputs of a model, a row each."""
    values = align_columns(inputs, rows.columns, "inputs", "columns of W")
    points = coercion.as_exact_matrix(values, "inputs")
    d = rows.weights.shape[1]
    if points.shape[1] != d:
        raise InputError(
            f"inputs have {points.shape[1]} coordinates, and W has {d} columns; expected the same."
        )
    return points


def largest_norm(points: ExactArray) -> float:
    """Upper bound of the lengths of points, 0 if there are none."""
    return float(upper_norms(nearest_floats(points)).max(initial=0.0))


def winners_at(rows: Rows, points: ExactArray) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The label that is strictly first at each point, or -1; by how much, rounded.

    The labels are exact: where rounding leaves doubt, exact scores decide.

    Examples
    --------
    >>> rows = Rows(np.array([[1, 0], [0, 1]]))
    >>> winners_at(rows, np.array([[3, 1], [2, 2]]))
    (array([ 0, -1]), array([2., 0.]))
    """
    scores = ScoreRows(rows.weights, rows.offsets, compared=True)
    winners, margins = np.full(len(points), -1), np.zeros(len(points))
    if scores.n == 1:
        return np.zeros_like(winners), np.full(len(points), np.inf)
    for part, values, errors in _blocks(scores, nearest_floats(points)):
        first = values.argmax(axis=1)
        along = np.arange(len(values))
        top = values[along, first]
        values[along, first] = -np.inf
        with np.errstate(invalid="ignore"):
            gaps = top - values.max(axis=1)
        values[along, first] = top
        sure = gaps > errors
        winners[part], margins[part] = np.where(sure, first, -1), gaps
        for k in np.flatnonzero(~sure).tolist():
            with np.errstate(invalid="ignore"):
                near = np.flatnonzero(~(values[k] < top[k] - errors[k]))
            winners[part.start + k] = _exact_winner(scores, points[part.start + k], near)
    margins[winners < 0] = 0.0
    return winners, margins


def _blocks(
    rows: ScoreRows, points: NDArray[np.float64]
) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.float64]]]:
    """Blocks of points: which, all scores, and bounds of errors of their differences."""
    step, largest = max(1, _SCORES // rows.n), float(rows.norms.max())
    for start in range(0, len(points), step):
        part = slice(start, min(start + step, len(points)))
        with np.errstate(all="ignore"):
            x = rows.extended(points[part])
            # points may be rounded, too
            one = 2 * (rows.relative_error(x) * largest + rows.absolute_error(x))
            values = x @ rows.floats.T
            one[~np.isfinite(values).all(axis=1)] = np.inf
        yield part, values, 2.01 * one


def _exact_winner(rows: ScoreRows, point: ExactArray, near: NDArray[np.intp]) -> int:
    x = fractions(point) + (Fraction(1),) * rows.affine
    found = [
        (sum(a * t for a, t in zip(row, x, strict=True)), i)
        for i, row in zip(near.tolist(), rows.exact_rows(near.tolist()), strict=True)
    ]
    best = max(value for value, _ in found)
    first = [i for value, i in found if value == best]
    return first[0] if len(first) == 1 else -1
