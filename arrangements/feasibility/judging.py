"""Which conditions do points meet? Many points at a time, proved by the error bound of products."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arrangements.feasibility.batch import FeasibilityBatch, Numbers
from arrangements.feasibility.score_rows import Floats, ScoreRows, upper_norms

# Bytes of a block of scores, which should stay in a cache, and its least number of rows, below
# which the product of matrices would take most of its time to arrange the table.
_BLOCK, _LEAST = 2**23, 256
# The same on a device.
_FAR_BLOCK = 2**28


def judge(
    questions: FeasibilityBatch, chosen: Numbers, points: Floats
) -> tuple[NDArray[np.bool_], Numbers]:
    """Prove that points[k] answers question chosen[k] with yes; all error bounds count.

    Parameters
    ----------
    questions : FeasibilityBatch
    chosen : (m,) ndarray of int
    points : (m, d) ndarray
        float64; float32 is faster. What its error bound leaves open is decided in float64.

    Returns
    -------
    proved : (m,) ndarray of bool
        The point meets all conditions.
    worst : (m,) ndarray of int
        Row of the least condition.

    Examples
    --------
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[1.0], [3.0], [2.0]]))
    >>> questions = FeasibilityBatch.of_array(rows, "orders", np.array([[1], [2]]))
    >>> judge(questions, np.arange(2), np.array([[1.0], [1.0]]))
    (array([ True, False]), array([2, 1]))
    """
    if questions.rows.table(points.dtype.type) is None:
        points = points.astype(np.float64)
    margins, errors, worst = _evaluate(questions, chosen, points)
    proved = margins > errors
    if points.dtype == np.float32:
        open_ = np.flatnonzero(~proved & ~(margins < -errors))
        wide = points[open_].astype(np.float64)
        margins, errors, worst[open_] = _evaluate(questions, chosen[open_], wide)
        proved[open_] = margins > errors
    return proved, worst


def _evaluate(
    questions: FeasibilityBatch, chosen: Numbers, points: Floats
) -> tuple[NDArray[np.float64], NDArray[np.float64], Numbers]:
    """The least left side of each question at its point, a bound of its error, and its row."""
    margins, errors = np.zeros(len(chosen)), np.zeros(len(chosen))
    worst, rows = np.zeros(len(chosen), np.int64), questions.rows
    there = points.dtype == np.float32 and rows.device is not None and not rows.facets
    step = block_rows(rows.n, points.itemsize, _FAR_BLOCK if there else _BLOCK)
    # one array for all blocks, since fresh memory takes as long as the product
    space = np.empty((0 if there else min(step, len(points)), rows.n), points.dtype)
    for start in range(0, len(points), step):
        part = slice(start, min(start + step, len(points)))
        extended, listed = rows.extended(points[part]), ListedRows(questions, chosen[part])
        with np.errstate(all="ignore"):
            look = _look_there if there else _look_here
            margins[part], worst[part] = look(questions, listed, extended, space)
            errors[part] = _errors(rows, extended, there)
    return margins, errors, worst


def _errors(rows: ScoreRows, points: Floats, there: bool) -> NDArray[np.float64]:
    """Bounds of the errors of conditions: the sum or difference of two scores."""
    largest = rows.norms.max(initial=0.0)
    relative, absolute = rows.relative_error(points) * largest, rows.absolute_error(points)
    if there:  # may truncate, and takes subnormal numbers for 0
        relative, absolute = 2 * relative, absolute * (1 + largest)
    one = relative + absolute
    # no sum on the way to a score is larger than the product of norms; one that overflows
    # proves nothing
    one[~(upper_norms(points) * largest < np.finfo(points.dtype).max / 4)] = np.inf
    return np.asarray(2.01 * one)


def _look_here(
    questions: FeasibilityBatch, listed: ListedRows, points: Floats, space: Floats
) -> tuple[NDArray[np.float64], Numbers]:
    """The least left side of each question, and its row; `space` is for scores."""
    rows, n = questions.rows, questions.rows.n_own
    scores = rows.scores(points, space[: len(points)])
    own = np.take_along_axis(scores, listed.rows.astype(np.int64), axis=1).astype(np.float64)
    found = _margins(questions, listed, own, *_rest(listed, scores[:, :n]))
    if rows.facets:
        return _least(scores[:, n:], np.arange(n, rows.n)[None], *found)
    return found


def _look_there(
    questions: FeasibilityBatch, listed: ListedRows, points: Floats, space: Floats
) -> tuple[NDArray[np.float64], Numbers]:
    """The same on the device of the rows."""
    rows, device = questions.rows, questions.rows.device
    assert device is not None
    xp, default = device.namespace, listed.default.astype(np.float32)
    scores = device.products(device.put(points), rows.table_there)
    flat, first = xp.reshape(scores, (-1,)), rows.n * np.arange(len(points))
    own = device.back(flat[device.put(first[:, None] + listed.rows)]).astype(np.float64)
    if not (default == -1).all():
        scores = scores * device.put(-default[:, None])
    numbers, hidden = (
        device.put(np.arange(rows.n)[None]),
        device.put(np.array([-np.inf], np.float32)),
    )
    for names, real in zip(listed.rows.T.astype(np.int64), listed.real.T, strict=True):
        mask = numbers == device.put(np.where(real, names, -1)[:, None])
        scores = xp.where(mask, hidden, scores)
    rest_rows = device.back(xp.argmax(scores, axis=1)).astype(np.int64)
    rest = device.back(xp.reshape(scores, (-1,))[device.put(first + rest_rows)])
    rest = np.where(default == 0, np.inf, -rest.astype(np.float64))
    return _margins(questions, listed, own, rest, rest_rows)


def block_rows(n: int, itemsize: int, most: int = _BLOCK) -> int:
    """How many points are evaluated at n rows at a time."""
    return max(_LEAST, most // max(1, n * itemsize))


class ListedRows:
    """Listed rows of some questions as a rectangle, padded."""

    def __init__(self, questions: FeasibilityBatch, chosen: Numbers) -> None:
        sizes = questions.sizes[chosen]
        width = int(sizes.max(initial=0))
        along = np.arange(width)
        self.real = along < sizes[:, None]
        places = np.minimum(questions.starts[chosen][:, None] + along, len(questions.listed) - 1)
        places = np.maximum(places, 0)
        self.rows = questions.listed[places] if width else np.zeros((len(chosen), 0), np.int32)
        self.signs = questions.signs[places] if width else np.zeros((len(chosen), 0), np.int8)
        self.signs = np.where(self.real, self.signs, 0)
        self.sizes, self.default = sizes, questions.default[chosen]


def _margins(
    questions: FeasibilityBatch,
    chosen: ListedRows,
    own: NDArray[np.float64],
    rest: NDArray[np.float64],
    rest_rows: Numbers,
) -> tuple[NDArray[np.float64], Numbers]:
    """The least left side of all conditions, and its row, from scores of rows that are listed.

    `rest` is the least score, times the default sign, of all others, and `rest_rows` its row.
    """
    along = np.arange(len(own))
    if questions.kind == "signs":
        values = np.where(chosen.signs != 0, chosen.signs * own, np.inf)
        return _least(values, chosen.rows, rest, rest_rows)
    if questions.kind == "sets":
        values = np.where(chosen.real, own, np.inf)
        lowest = values.min(axis=1, initial=np.inf)
        # without labels inside or outside there is no condition
        margin = np.where((rest == np.inf) | (lowest == np.inf), np.inf, lowest + rest)
        return margin, rest_rows
    last = own[along, np.maximum(chosen.sizes - 1, 0)]
    steps = np.where(chosen.real[:, 1:], own[:, :-1] - own[:, 1:], np.inf)
    return _least(steps, chosen.rows[:, 1:], last + rest, rest_rows)


def _rest(chosen: ListedRows, scores: Floats) -> tuple[NDArray[np.float64], Numbers]:
    """The least score, times the default sign, of the rows that are not listed, and its row.

    `scores` is overwritten.
    """
    along = np.arange(len(scores))
    rest, rows = np.full(len(scores), np.inf), np.zeros(len(scores), np.int64)
    k, column = np.nonzero(chosen.real)
    for sign in (-1, 1):
        some = chosen.default == sign
        if not some.any():
            continue
        scores[k, chosen.rows[k, column]] = sign * np.inf
        found = scores.argmax(axis=1) if sign < 0 else scores.argmin(axis=1)
        values = sign * scores[along, found].astype(np.float64)
        rest[some], rows[some] = values[some], found[some]
    return rest, rows


def _least(
    values: Floats, rows: Numbers, rest: NDArray[np.float64], rest_rows: Numbers
) -> tuple[NDArray[np.float64], Numbers]:
    """The smaller of the least value, whose row is in `rows`, and of `rest`, with its row."""
    if not values.shape[1]:
        return rest, rest_rows
    column = values.argmin(axis=1)
    along = np.arange(len(values))
    least = values[along, column].astype(np.float64)
    rows = np.broadcast_to(rows, values.shape)[along, column]
    return np.minimum(least, rest), np.where(least < rest, rows, rest_rows)
