"""One question answered exactly, with few of its conditions at a time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.linear import nullspace
from arrangements.exact.numbers import nearest_float
from arrangements.feasibility.batch import INFINITY, FeasibilityBatch
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.feasibility.interior import Point, solve_signs

# Violated conditions that join the others after each round.
_MORE = 8
# Conditions that are evaluated exactly at a time.
_AT_ONCE = 64


def answer_exactly(questions: FeasibilityBatch, i: int, active: Sequence[int]) -> Point | list[int]:
    """Decide question i, beginning with the conditions of some rows.

    A circuit among some conditions refutes all of them. A point that meets some is tried on the
    others, and those that it violates join.

    Returns
    -------
    tuple of Fraction, or list of int
        A point in the coordinates of the rows, or the rows of a circuit: their conditions have a
        positive combination that is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[1], [3], [2]]))
    >>> questions = FeasibilityBatch.of_array(rows, "orders", np.array([[1], [2]]))
    >>> answer_exactly(questions, 0, [0]), answer_exactly(questions, 1, [])
    ((Fraction(1, 1),), [0, 1])
    """
    affine = questions.rows.affine
    lead = [INFINITY] * affine
    chosen = questions.with_conditions(i, active)
    while True:
        numbers = [*lead, *chosen]
        rows = questions.conditions(i, numbers)
        empty = next((j for j, row in zip(numbers, rows, strict=True) if not any(row)), None)
        if empty is not None:
            return [empty]
        point = [Fraction(0)] * questions.width
        if affine:
            point[-1] = Fraction(1)
        if chosen:
            system = HomogeneousRows(rows)
            found = solve_signs(system, np.ones(len(rows)), affine)
            if isinstance(found, dict):
                return sorted(numbers[k] for k in found)
            scale = found[0] if affine else Fraction(1)
            for column, value in zip(system.columns, found, strict=True):
                point[column] = value / scale
        violated = unmet(questions, i, point, set(chosen))
        if not violated:
            return tuple(point[: questions.rows.dimension])
        chosen += violated[:_MORE]


def circuit_within(questions: FeasibilityBatch, i: int, rows: Sequence[int]) -> list[int] | None:
    """The rows of the one circuit among some conditions, if it is one and refutes question i.

    Examples
    --------
    >>> import numpy as np
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[1, 0], [3, 0], [2, 0], [1, 1]]))
    >>> questions = FeasibilityBatch.of_array(rows, "orders", np.array([[2]]))
    >>> circuit_within(questions, 0, [0, 1, 3]), circuit_within(questions, 0, [0, 3])
    ([0, 1], None)
    """
    conditions = questions.conditions(i, rows)
    found = nullspace(list(zip(*conditions, strict=True)), len(rows)) if rows else []
    if len(found) != 1 or min(found[0]) < 0 < max(found[0]):
        return None
    return [row for row, weight in zip(rows, found[0], strict=True) if weight]


def meets(questions: FeasibilityBatch, i: int, point: Point) -> bool:
    """Whether a point, in the coordinates of the rows, answers question i with yes; exact.

    Examples
    --------
    >>> import numpy as np
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[1], [3], [2]]))
    >>> questions = FeasibilityBatch.of_array(rows, "sets", np.array([[0, 2], [1, 2]]))
    >>> [meets(questions, i, (Fraction(1),)) for i in (0, 1)]
    [False, True]
    """
    if questions.kind == "sets":
        listed = questions.of(i)
        scores = [
            sum((a * x for a, x in zip(row, point, strict=False)), row[-1] * questions.rows.affine)
            for row in questions.rows.exact_rows(listed)
        ]
        point = (*point, min(scores))  # the others must be below, and these at least there
    if questions.rows.affine:
        point = (*point, Fraction(1))
    known = set(questions.of(i)) if questions.kind == "sets" else set()
    return not unmet(questions, i, point, known)


def unmet(
    questions: FeasibilityBatch, i: int, point: Sequence[Fraction], known: set[int]
) -> list[int]:
    """Some rows whose conditions a point (x, t, 1) does not meet, the worst first; or none.

    Exact. `known` are rows whose conditions it meets.
    """
    values, bounds = _values(questions, i, point)
    numbers = questions.with_conditions(i, np.flatnonzero(~(values > bounds)).tolist())
    doubtful = [j for j in numbers if j not in known]
    sure = [j for j in doubtful if values[j] < -bounds[j]]
    if len(sure) >= _MORE:
        return sorted(sure, key=lambda j: values[j])
    doubtful.sort(key=lambda j: values[j])
    found: list[int] = []
    for start in range(0, len(doubtful), _AT_ONCE):
        tried = doubtful[start : start + _AT_ONCE]
        rows = questions.exact_conditions(i, tried)
        sums = [sum(a * x for a, x in zip(row, point, strict=True)) for row in rows]
        found += [j for j, value in zip(tried, sums, strict=True) if value <= 0]
        if len(found) >= _MORE:
            break
    return found


def _values(
    questions: FeasibilityBatch, i: int, point: Sequence[Fraction]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The left sides of all conditions and bounds of their errors; infinite where there is none."""
    rows, d = questions.rows, questions.rows.dimension
    none = np.full(rows.n, np.inf), np.zeros(rows.n)
    largest = max((abs(x) for x in point[:d]), default=Fraction(0))
    x = np.array([[nearest_float(value) for value in point[:d]]])
    t = nearest_float(point[d]) if questions.kind == "sets" else 0.0
    if not (np.isfinite(x).all() and np.isfinite(t)):
        return np.zeros(rows.n), none[1]  # all are doubtful
    extended = rows.extended(x)
    with np.errstate(all="ignore"):
        scores = rows.scores(extended)[0]
        # twice: the point is rounded, too
        errors = 2 * rows.relative_error(extended) * rows.norms + 2 * rows.absolute_error(extended)
        errors[~np.isfinite(scores)] = np.inf  # what overflows proves nothing
        values, bounds = _of_conditions(questions, i, scores, errors, t)
    if largest and nearest_float(largest) < 1e-290:
        bounds[:] = np.inf
    bad = np.isnan(values) | np.isnan(bounds)
    values[bad], bounds[bad] = 0.0, np.inf
    return values, bounds


def _of_conditions(
    questions: FeasibilityBatch,
    i: int,
    scores: NDArray[np.float64],
    errors: NDArray[np.float64],
    t: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values of all conditions of a question from the scores of all rows, and their errors."""
    listed = questions.of(i)
    if questions.kind == "orders":
        last = listed[-1]
        values, bounds = scores[last] - scores, errors[last] + errors
        for high, low in zip(listed, listed[1:], strict=False):
            values[low], bounds[low] = scores[high] - scores[low], errors[high] + errors[low]
        values[listed[0]] = np.inf
        bounds[listed[0]] = 0.0
        size = np.abs(scores) + abs(scores[last])
    else:
        signs = questions.all_signs(i)
        values, bounds = signs * (scores - t), errors + 2.0**-52 * abs(t)
        size = np.abs(scores) + abs(t)
        values[signs == 0] = np.inf
        bounds[signs == 0] = 0.0
    bounds = bounds + 2.0**-52 * np.where(np.isfinite(values), size, 0.0)
    facets = slice(questions.rows.n_own, None)
    values[facets], bounds[facets] = scores[facets], errors[facets]
    return values, bounds
