"""Weights of many refusals in floats, all at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from arrangements.exact.numbers import nearest_float, quotient
from arrangements.feasibility.batch import INFINITY, FeasibilityBatch, Numbers
from arrangements.feasibility.circuits import Floats, circuit_weights
from arrangements.feasibility.shared_circuits import simplex_weights
from arrangements.kernels.cone.nearest_points import NOTHING, THRESHOLD

Shares = dict[int, float]

# Sum of errors, of weights of sum 1, up to which these count as known, and entries of matrices
# inverted at a time.
_ACCURATE, _ENTRIES = 2.0**-24, 2**22


def float_shares(questions: FeasibilityBatch, supports: Mapping[int, Numbers]) -> dict[int, Shares]:
    """Weights of rows in some refusals, as floats of sum 1.

    Each is off by at most 2**-23, by a wide bound; most by less than 2**-36 of itself.

    Parameters
    ----------
    questions : FeasibilityBatch
    supports : dict of int to ndarray of int
        Rows of a circuit for each question that it refutes.

    Returns
    -------
    dict of int to dict of int to float
        For each of these questions the weights of rows; facets and INFINITY do not count.

    Notes
    -----
    An exact elimination for each takes about a hundred times as long. It is left for circuits that
    are not of full size, and where floats do not tell the weights. Labels with the same rows have
    one inverse.

    Examples
    --------
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[0.0, 0], [4, 0], [0, 4], [1, 1]]))
    >>> questions = FeasibilityBatch.of_array(rows, "orders", np.array([[3]]))
    >>> float_shares(questions, {0: np.array([0, 1, 2])})
    {0: {0: 0.5, 1: 0.25, 2: 0.25}}
    """
    found: dict[int, Shares] = {}
    for numbers, bounded in _by_floats(questions, supports):
        for i, weights, errors in zip(numbers, *bounded, strict=True):
            if (weights > errors).all() and errors.sum() <= _ACCURATE * weights.sum():
                kept = _own(questions, supports[i].tolist(), weights.tolist())
                total = sum(kept.values())
                found[i] = {j: y / total for j, y in kept.items()}
    return {i: found[i] if i in found else _exactly(questions, i, supports[i]) for i in supports}


def _by_floats(
    questions: FeasibilityBatch, supports: Mapping[int, Numbers]
) -> Iterator[tuple[list[int], tuple[Floats, Floats]]]:
    """Questions with circuits of full size, the weights of these, and bounds of their errors."""
    size = questions.width + 1
    labels = questions.kind == "orders" and bool((questions.sizes == 1).all())
    groups: dict[bytes | int, list[int]] = {}
    for i, support in supports.items():
        if len(support) == size:
            groups.setdefault(support.tobytes() if labels else i, []).append(i)
    alone = [numbers[0] for numbers in groups.values() if len(numbers) == 1]
    for numbers in groups.values():
        if len(numbers) > 1:
            yield numbers, simplex_weights(questions, supports[numbers[0]], np.array(numbers))
    step = max(1, _ENTRIES // size**2)
    for start in range(0, len(alone), step):
        part = alone[start : start + step]
        rows = np.array([supports[i] for i in part])
        kinds = [_kinds(questions, i, supports[i]) for i in part]
        highs, signs = (np.array(values) for values in zip(*kinds, strict=True))
        conditions = questions.float_conditions(rows, highs, signs.astype(np.int8))
        yield part, circuit_weights(*conditions)


def _kinds(questions: FeasibilityBatch, i: int, support: Numbers) -> tuple[list[int], list[int]]:
    """From which row, or NOTHING or THRESHOLD, each row is subtracted, and its sign."""
    listed, n = questions.of(i), questions.rows.n_own
    own = dict(zip(listed, questions.listed_signs(i).tolist(), strict=True))
    before = dict(zip(listed[1:], listed, strict=False))
    highs, signs = [], []
    for j in support.tolist():
        free = j == INFINITY or j >= n
        if questions.kind == "orders":
            highs.append(NOTHING if free else before.get(j, listed[-1]))
        else:
            highs.append(THRESHOLD if questions.kind == "sets" and not free else NOTHING)
        signs.append(1 if free else own.get(j, int(questions.default[i])))
    return highs, signs


def _exactly(questions: FeasibilityBatch, i: int, support: Numbers) -> Shares:
    rows = support.tolist()
    kept = _own(questions, rows, questions.weights(i, rows))
    total = sum(kept.values(), Fraction(0))
    return {j: nearest_float(quotient(y, total)) for j, y in kept.items()}


def _own(questions: FeasibilityBatch, rows: list[int], weights: list[Any]) -> dict[int, Any]:
    """Weights of rows that are neither facets nor INFINITY."""
    n = questions.rows.n_own
    pairs = zip(rows, weights, strict=True)
    return {j: y for j, y in pairs if j != INFINITY and j < n}
