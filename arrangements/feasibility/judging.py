"""Which conditions do points meet? Many points at a time, proved by the error bound of products."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arrangements.feasibility.batch import FeasibilityBatch, Numbers
from arrangements.feasibility.score_rows import Floats, upper_norms

# Bytes of a block of scores, which should stay in a cache, and its least number of rows, below
# which the product of matrices would take most of its time to arrange the table.
_BLOCK, _LEAST = 2**23, 256


def judge(
    questions: FeasibilityBatch, chosen: Numbers, points: Floats
) -> tuple[NDArray[np.bool_], Numbers]:
    """Prove that points[k] answers question chosen[k] with yes; all error bounds count.

    Parameters
    ----------
    questions : FeasibilityBatch
    chosen : (m,) ndarray of int
    points : (m, d) ndarray
        float64; float32 is faster, and is used only if it holds the rows exactly.

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
    proved, worst = np.zeros(len(chosen), np.bool_), np.zeros(len(chosen), np.int64)
    for part, scores, errors in _score_blocks(questions, points):
        n = questions.rows.n_own
        listed = ListedRows(questions, chosen[part])
        found = _margins(questions, listed, scores[:, :n])
        if questions.rows.facets:
            found = _least(scores[:, n:], np.arange(n, questions.rows.n)[None], *found)
        margins, worst[part] = found
        proved[part] = margins > errors
    return proved, worst


def _score_blocks(
    questions: FeasibilityBatch, points: Floats
) -> Iterator[tuple[slice, Floats, NDArray[np.float64]]]:
    """Blocks of points: which, the scores of all rows, and bounds of the errors of conditions.

    The scores may be overwritten, and are by the next block.
    """
    rows = questions.rows
    table = rows.table(points.dtype.type)
    if table is None:
        points, table = points.astype(np.float64), rows.floats
    largest = rows.norms.max(initial=0.0)
    step = block_rows(rows.n, points.itemsize)
    columns = table.T
    # one array for all blocks, since fresh memory takes as long as the product
    space = np.empty((min(step, len(points)), rows.n), points.dtype)
    for start in range(0, len(points), step):
        part = slice(start, min(start + step, len(points)))
        extended = rows.extended(points[part])
        with np.errstate(all="ignore"):
            scores = np.matmul(extended, columns, out=space[: len(extended)])
            # the sum or difference of two scores, each off by this much, and rounded itself
            one = rows.relative_error(extended) * largest + rows.absolute_error(extended)
            # no sum on the way to a score is larger than the product of norms; one that overflows
            # proves nothing
            one[~(upper_norms(extended) * largest < np.finfo(scores.dtype).max / 4)] = np.inf
            yield part, scores, 2.01 * one


def block_rows(n: int, itemsize: int) -> int:
    """How many points are evaluated at n rows at a time."""
    return max(_LEAST, _BLOCK // max(1, n * itemsize))


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
    questions: FeasibilityBatch, chosen: ListedRows, scores: Floats
) -> tuple[NDArray[np.float64], Numbers]:
    """The least left side of all conditions, and its row; `scores` is overwritten."""
    m = len(scores)
    along = np.arange(m)
    own = np.take_along_axis(scores, chosen.rows.astype(np.int64), axis=1).astype(np.float64)
    rest, rest_rows = _rest(chosen, scores)
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
    """The least score, times the default sign, of the rows that are not listed, and its row."""
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
