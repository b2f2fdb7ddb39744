"""Systems of inequalities with >=: each as a strict one, with the same feasible parts.

A part ``w_i . x + b_i >= 0`` for i in S is feasible if and only if ``w_i . x + b_i + e > 0`` is,
for every e > 0. For if it is not, Farkas' lemma has y >= 0 on at most d + 1 of the rows and
equations, with ``sum of y_i w_i = 0`` and ``sum of y_i b_i < 0``, which stays negative if e is
small. With integers, y is a vector of minors, so that its sum is bounded and the last sum is -1 or
less: some e is small enough for all parts.
"""

from __future__ import annotations

from math import isqrt, prod
from typing import Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.exact.coercion import as_fractions
from arrangements.exact.numbers import times_common_denominator
from arrangements.polyhedra.polyhedron import Polyhedron

Rows = list[list[int]]


def widened(A: Arrangement, P: Polyhedron | None) -> tuple[Arrangement, Polyhedron | None]:
    """The system ``A > 0`` on a polyhedron, whose feasible parts are those of ``A >= 0`` on P.

    Each row is an integer multiple of the given one, with a slightly larger offset; those of P,
    too. Equations stay.

    Examples
    --------
    >>> wide, _ = widened(Arrangement([[1], [-1]]), None)
    >>> wide.normals.tolist(), wide.offsets.tolist()
    ([[5], [-5]], [1, 1])
    """
    n, d = A.n_hyperplanes, A.dimension
    rows = [_whole(row) for row in _beside(A.normals, A.offsets, 1)]
    sides, equations = [], []
    if P is not None:
        sides = [_whole(row) for row in _beside(*P.inequalities, -1)]
        equations = [_whole(row) for row in _beside(*P.equations, 1)]
    factor = (d + 1) * _largest_minor(rows + sides + equations, d) + 1
    wide = [[factor * x for x in row] for row in rows + sides]
    for row in wide:
        row[-1] += 1
    table = np.array(wide, object).reshape(len(wide), d + 1)
    arrangement = Arrangement(table[:n, :-1], table[:n, -1], labels=A.labels)
    if P is None:
        return arrangement, None
    left, right = np.zeros((0, d), np.int64), np.zeros(0, np.int64)
    if sides:
        left, right = -table[n:, :-1], table[n:, -1]
    return arrangement, Polyhedron(left, right, equations=P.equations)


def _beside(normals: Any, offsets: Any, factor: int) -> list[list[Any]]:
    """Rows (w, b) of ``factor * w . x + b``, of the given numbers."""
    if offsets is None:
        offsets = np.zeros(len(normals), np.int64)
    pairs = zip(normals, offsets, strict=True)
    return [[*(factor * x for x in row.tolist()), b] for row, b in pairs]


def _whole(row: list[Any]) -> list[int]:
    exact = as_fractions(row, "W")
    [whole], _ = times_common_denominator([exact])
    return [int(x) for x in whole]


def _largest_minor(rows: Rows, d: int) -> int:
    """A bound of the minors of up to d rows and columns, by Hadamard."""
    squares = sorted((sum(x * x for x in row[:-1]) for row in rows), reverse=True)
    return isqrt(prod(max(1, square) for square in squares[:d])) + 1
