"""Does one sign vector occur? By cone tests of few rows, or by a search among many."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from arrangements.core.arrangement import Arrangement
from arrangements.core.signs import as_signs
from arrangements.errors import InputError
from arrangements.exact.number_field import FieldElement
from arrangements.exact.numbers import fractions, nearest_float, primitive, quotient
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.cone_system import HomogeneousRows, homogeneous_rows
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.interior import (
    Point,
    in_caller_coordinates,
    rows_for_kernels,
    solve_signs,
)
from arrangements.feasibility.judging import judge
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.messages import quote

# Below this product of rows and the square of rank + 8, cone tests are faster; preparations take
# most of the time of the others.
_FEW = 100_000
# Bits after the binary point that are tried for a point.
_SHORT = (0, 1, 2, 4, 8, 16, 32)

SignTuple = tuple[int | None, ...]


class Solution(NamedTuple):
    """A point, or weights of rows that prove that there is none, as in a `Certificate`."""

    point: Point | None = None
    weights: tuple[Fraction, ...] | None = None


def solve(arrangement: Arrangement, signs: SignTuple) -> Solution:
    """A point with some signs, +1, -1, or None for either; or weights.

    Examples
    --------
    >>> solve(Arrangement([[1], [2]]), (1, -1)).weights
    (Fraction(2, 1), Fraction(1, 1))
    """
    number = len(signs) - signs.count(None)
    if number * (min(number, arrangement.dimension) + 8) ** 2 < _FEW:
        return solve_by_cone_tests(arrangement, signs)
    return _search(arrangement, signs)


def _search(arrangement: Arrangement, entries: SignTuple) -> Solution:
    """Decide one question about many rows."""
    signs = np.array([sign or 0 for sign in entries], np.int8)
    used = np.flatnonzero(signs)
    if len(used) == len(signs):
        rows = ScoreRows.of(arrangement)
    else:  # the others do not matter
        b = arrangement.offsets
        rows = ScoreRows(arrangement.normals[used], None if b is None else b[used])
    questions = FeasibilityBatch.of_signs(rows, signs[used][None])
    found = decide(questions)
    if found.feasible[0]:
        return Solution(_shortened(questions, found.point(0)))
    weights = [Fraction(0)] * len(entries)
    for i, weight in zip(used, questions.sign_weights(0, found.supports[0].tolist()), strict=True):
        weights[i] = weight
    return Solution(weights=tuple(weights))


def _shortened(questions: FeasibilityBatch, point: Point) -> Point:
    """The point with as few binary digits as suffice for a proof: they are easier to read."""
    floats = np.array([nearest_float(x) for x in point])
    if not np.isfinite(floats).all():
        return point
    with np.errstate(all="ignore"):
        if not questions.rows.affine:  # any multiple will do
            floats /= 2.0 ** (np.frexp(np.abs(floats).max(initial=0.0))[1] - 1)
        tried = np.array([np.round(floats * 2.0**bits) / 2.0**bits for bits in _SHORT])
    tried = tried[np.isfinite(tried).all(axis=1)]
    proved, _ = judge(questions, np.zeros(len(tried), np.int64), tried)
    return tuple(map(Fraction, tried[proved.argmax()].tolist())) if proved.any() else point


def solve_by_cone_tests(arrangement: Arrangement, signs: SignTuple) -> Solution:
    """The same by cone tests of all rows that have a sign: where these are few."""
    used = [i for i, s in enumerate(signs) if s]
    if not used:
        return Solution((Fraction(0),) * arrangement.dimension)
    empty = next((i for i in used if i in arrangement.zero_rows), None)
    if empty is not None:  # a row that vanishes everywhere has no sign
        return Solution(weights=tuple(Fraction(i == empty) for i in range(len(signs))))
    system, affine = _system(arrangement, used)
    vector = np.array([1.0] * affine + [signs[i] for i in used], np.float64)
    found = solve_signs(system, vector, affine)
    if isinstance(found, list):
        return Solution(in_caller_coordinates(system, found, arrangement.dimension, affine))
    weights = [Fraction(0)] * len(signs)
    for j, y in found.items():
        if j >= affine:  # the weight of the row at infinity is the slack of the inequality
            weights[used[j - affine]] = y * _row_scale(arrangement, used[j - affine])
    return Solution(weights=coprime(weights))


def interior_point(arrangement: Arrangement, signs: ArrayLike | str) -> Point:
    """Exact interior point of a chamber, in the caller's coordinates.

    Raises
    ------
    InputError
        If the sign vector does not occur.

    Examples
    --------
    >>> interior_point(Arrangement([[2, 1]]), "-")
    (Fraction(-1, 1), Fraction(0, 1))
    """
    entries = as_signs(signs, arrangement.n_hyperplanes).tolist()
    point = solve_by_cone_tests(arrangement, tuple(entries)).point
    if point is None:
        raise InputError(f"the sign vector {quote(signs)} does not occur in {arrangement}.")
    return point


def _system(arrangement: Arrangement, used: Sequence[int]) -> tuple[HomogeneousRows, bool]:
    """The rows that have a sign, and whether the row at infinity comes first."""
    if len(used) == arrangement.n_hyperplanes:
        return rows_for_kernels(arrangement)
    rows, affine = homogeneous_rows(arrangement)
    chosen = [rows[i + affine] for i in used]
    return HomogeneousRows([rows[0], *chosen] if affine else chosen), affine


def _row_scale(arrangement: Arrangement, i: int) -> Fraction:
    """The positive number by which row i was multiplied to make it integer."""
    integers = arrangement.integer_rows[i]
    k = next(k for k, a in enumerate(integers) if a)
    if k < arrangement.dimension:
        exact = arrangement.normals[i, k : k + 1]
    else:
        assert arrangement.offsets is not None
        exact = arrangement.offsets[i : i + 1]
    return quotient(integers[k], fractions(exact)[0])


def coprime(weights: Sequence[Any]) -> tuple[Any, ...]:
    """Positive multiple with coprime integer entries, or coefficients."""
    entries = primitive(list(weights))
    return tuple(y if isinstance(y, FieldElement) else Fraction(y) for y in entries)
