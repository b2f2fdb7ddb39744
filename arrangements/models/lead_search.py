"""By how much labels can lead: proved intervals for many labels at once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_time_limit
from arrangements.core.label_sets import read_label_set
from arrangements.core.labels import Label
from arrangements.core.rows import Rows, read_rows
from arrangements.errors import InputError
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.feasibility.score_rows import upper_norms
from arrangements.messages import quote
from arrangements.models.lead_bounds import Floats, LeadRows, Numbers, into_ball

# Scores that are held at a time, and labels of one product of matrices.
_SCORES, _LEAST = 2**24, 64
# Labels compared with a label at first, and those that join after each round.
_FIRST, _MORE = 48, 40
# Rounds, and steps to the length of the best input in one of them.
# After the first steps, every other one halves the interval.
_ROUNDS, _STEPS, _SURE = 60, 60, 3


def leads(
    W: Any,
    offsets: ArrayLike | None = None,
    *,
    labels: Iterable[Label] | None = None,
    candidates: Iterable[Label] | None = None,
    radius: float | None = None,
    tolerance: float = 0.01,
    workers: int = 1,
    progress: bool = False,
    time_limit: float | None = None,
) -> NDArray[np.float64]:
    """Intervals of the leads of labels: by how much a score can exceed all others.

    The lead of label i is the largest ``min_j (w_i - w_j) . x + b_i - b_j`` for inputs x of length
    at most `radius`. With equal biases and radius 1 it is the distance of w_i from the convex hull
    of the other rows: 0 if the label cannot win.

    Parameters
    ----------
    W : (n, d) array_like, Arrangement, ScoreModel or classifier
        Weights of the labels, a row for each. Models bring their offsets and labels.
    offsets : (n,) array_like, optional
        Biases of the labels. Default zeros.
    labels : sequence of int or str, optional
        Names of the rows.
    candidates : iterable of int or str, or (n,) mask, optional
        Rows of W, or labels, to ask about. Default all.
    radius : float, optional
        Largest length of an input. Default 1 if all biases are equal; otherwise it must be given.
    tolerance : float
        Largest width of an interval, relative to its larger end. Intervals are wider where leads
        are less than about 1e-12 of the differences of rows, and after `time_limit`.
    workers : int
        Threads.
    progress : bool
        Show a bar with the time left on stderr.
    time_limit : float, optional
        Seconds after which intervals stay as they are.

    Returns
    -------
    (m, 2) ndarray of float
        Lower and upper bounds, proved; both infinite for a single label.

    Raises
    ------
    InputError
        If an argument is malformed, or the biases differ and `radius` is missing.

    See Also
    --------
    arrangements.audit : the same in a report, with ``leads="exact"``.

    Notes
    -----
    Minimum-norm points [1]_ of few rows at a time: products of matrices then find the labels that
    exceed the bound, and these join. An input bounds the lead from below, a mean of the other
    labels from above; all rounding errors are counted. Each round takes O(n d) for a label, and
    there are rarely more than five.

    References
    ----------
    .. [1] P. Wolfe, Finding the nearest point in a polytope, Math. Programming 11 (1976) 128-149.

    Examples
    --------
    >>> W = [[3, 0], [0, 4], [0, 0], [1, 1]]
    >>> leads(W).round(3).tolist()
    [[2.236, 2.236], [3.162, 3.162], [1.414, 1.414], [0.0, 0.0]]
    >>> leads(W, [0, 0, 0, 3], candidates=[3], radius=10).round(3).tolist()
    [[3.0, 3.0]]
    """
    check_time_limit(time_limit)
    rows = read_rows(W, offsets, labels, allow_no_rows=False)
    n = len(rows.weights)
    chosen = np.arange(n)
    if candidates is not None:
        chosen = np.array(sorted(read_label_set(candidates, rows.labels, n, "candidates")), np.intp)
    tolerance = _read_positive("tolerance", tolerance)
    radius = read_radius(radius, rows)
    workers = check_integer("workers", workers, 1)
    end = None if time_limit is None else time.monotonic() + time_limit
    found = np.zeros((len(chosen), 2))
    blocks = iter_leads(rows, chosen, radius, tolerance, workers, end)
    progress = check_flag("progress", progress)
    for part, intervals in with_progress(
        blocks, progress, len(chosen), lambda answer: len(answer[0]), "labels"
    ):
        found[np.searchsorted(chosen, part)] = intervals
    return found


def read_radius(radius: Any, rows: Rows) -> float:
    """The largest length of inputs, which biases need."""
    if radius is not None:
        return _read_positive("radius", radius)
    b = rows.offsets
    if b is not None and (b != b[:1]).any():
        raise InputError(
            "the biases differ, so leads depend on the length of inputs; expected radius, the "
            "largest length of an input."
        )
    return 1.0


def _read_positive(name: str, value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = -1.0
    if not 0 < found < np.inf or isinstance(value, (bool, str)):
        raise InputError(f"{name} is {quote(value)}; expected a positive number.")
    return found


def iter_leads(
    rows: Rows,
    chosen: Numbers,
    radius: float,
    tolerance: float,
    workers: int,
    end: float | None,
) -> Iterator[tuple[Numbers, NDArray[np.float64]]]:
    """Intervals of the leads of some labels, block by block: which labels, (k, 2) bounds."""
    if len(rows.weights) == 1:
        yield chosen, np.full((len(chosen), 2), np.inf)
        return
    problem = LeadRows(rows, radius)
    size = max(_LEAST, 4 * _SCORES // problem.n)
    for start in range(0, len(chosen), size):
        part = chosen[start : start + size]
        block = _Block(problem, part, tolerance, workers, end)
        block.run()
        yield part, problem.unscaled(block.low, block.high)


class _Mean(NamedTuple):
    """The best mean of some labels, and the best point, as far as these know."""

    upper: float
    lower: float
    point: NDArray[np.float64]
    heavy: NDArray[np.bool_]
    level: float = np.nan
    label: int = -1


class _Block:
    """Labels whose intervals are narrowed side by side.

    low, high : (m,) float64, bounds in the units of the rows
    others : for each label, those with which it is compared
    """

    def __init__(
        self, problem: LeadRows, part: Numbers, tolerance: float, workers: int, end: float | None
    ) -> None:
        self.problem, self.part, self.tolerance = problem, part, tolerance
        self.workers, self.end = workers, end
        m = len(part)
        self.low = np.full(m, -np.inf if problem.affine else 0.0)
        self.high = np.full(m, np.inf)
        self.fine = np.zeros(m, np.bool_)
        self.heights = np.full(m, np.nan)
        self.others: list[Numbers] = [np.zeros(0, np.intp)] * m

    def run(self) -> None:
        """Narrow all intervals."""
        active = np.arange(len(self.part))
        self._begin(active)
        for _ in range(_ROUNDS):
            if not len(active) or self._late():
                return
            active = self._round(active)

    def _late(self) -> bool:
        return self.end is not None and time.monotonic() > self.end

    def _begin(self, active: Numbers) -> None:
        """First labels for comparison: the nearest ones, and those of large scores."""
        rows, first = self.problem, min(_FIRST, self.problem.n - 1)
        squares = np.square(rows.norms)
        own = into_ball(_unit(rows.table[self.part][:, : rows.dimension]), np.float32)
        for part, scores in self._scores(active, own, np.float32):
            lengths = np.linalg.norm(rows.table[self.part[part]], axis=1).astype(np.float32)
            nearness = scores * (2 * lengths[:, None]) - squares.astype(np.float32)
            along = np.arange(len(part)), self.part[part]
            scores[along] = nearness[along] = -np.inf
            high = _largest(scores, first // 2 + 1)
            near = _largest(nearness, first - first // 2)
            for k, i in enumerate(part.tolist()):
                found = np.union1d(high[k], near[k])
                self.others[i] = found[found != self.part[i]]

    def _scores(
        self, active: Numbers, points: Floats, kind: Any
    ) -> Iterator[tuple[Numbers, Floats]]:
        """Scores of all rows at points, one for each of `active`, in portions."""
        table = self.problem.short if kind is np.float32 else self.problem.table
        step = max(_LEAST, _SCORES // len(table))
        for start in range(0, len(active), step):
            some = slice(start, start + step)
            with np.errstate(under="ignore"):
                yield active[some], self.problem.extended(points[some]) @ table.T

    def _round(self, active: Numbers) -> Numbers:
        """Best means of the labels compared so far, then those that exceed; who is left."""
        portions = [active[start : start + 64] for start in range(0, len(active), 64)]
        found: dict[int, _Mean] = {}
        for means in in_order(lambda part: [self._mean(i) for i in part], portions, self.workers):
            found |= {mean.label: mean for mean in means}
        left = []
        for kind, some in (
            (np.float32, active[~self.fine[active]]),
            (np.float64, active[self.fine[active]]),
        ):
            points: Floats = np.array([found[i].point for i in some.tolist()], kind)
            error = self.problem.score_error(kind)
            for part, scores in self._scores(some, points, kind):
                for k, i in enumerate(part.tolist()):
                    if self._compare(i, found[i], scores[k], error):
                        left.append(i)
        return np.array(sorted(left), np.intp)

    def _mean(self, i: int) -> _Mean:
        """The best mean of the labels compared, and the best point, rounded as `fine` says."""
        rows, steps = self.problem, self.problem.differences(self.part[i], self.others[i])
        mean = best_mean(rows, steps, self.tolerance / 4, self.low[i] - self.heights[i])
        same = not rows.affine and rows.repeats(self.part[i], self.others[i][mean.heavy])
        self.high[i] = 0.0 if same else min(self.high[i], mean.upper)
        self.heights[i] = mean.lower - mean.level
        self.fine[i] |= rows.score_error(np.float32) > self.tolerance / 8 * abs(self.high[i])
        point = into_ball(mean.point[None], np.float64 if self.fine[i] else np.float32)[0]
        lower = rows.lower(point, steps, upper_norms(steps))
        return mean._replace(label=i, point=point, lower=lower)

    def _compare(self, i: int, mean: _Mean, scores: Floats, error: float) -> bool:
        """Bound the lead of a label by a point; tell if other labels joined."""
        own, others = self.part[i], self.others[i]
        margins = scores[own] - scores
        margins[own] = margins[others] = np.inf
        rest = float(margins.min()) - error
        self.low[i] = max(self.low[i], min(mean.lower, rest))
        width = self.tolerance * max(abs(self.low[i]), abs(self.high[i]))
        if self.high[i] - self.low[i] <= max(width, self.problem.noise):
            return False
        more = _largest(-margins[None], min(_MORE, self.problem.n - 1))[0]
        more = more[margins[more] - error < mean.lower]
        if not len(more):
            return False
        if not self.fine[i] and (margins[more] >= mean.lower).all():
            self.fine[i] = True
        self.others[i] = np.concatenate([others[mean.heavy], more])
        return True


def best_mean(rows: LeadRows, steps: NDArray[np.float64], narrow: float, level: float) -> _Mean:
    """Bounds of the lead over some labels, whose `differences` are the steps.

    With equal biases this is the point of the hull of the steps that is nearest to the origin.
    Otherwise it is such a point of the hull of the rows (p, c - t), where c are the differences of
    biases: for the right level t the point p / (c - t) has length 1 or less, and is best.
    """
    d, norms = rows.dimension, upper_norms(steps)
    if not rows.affine:
        weights = nearest_weights(steps)
        heavy = weights > 0
        upper, point = rows.upper(weights[heavy], steps[heavy]), _unit(weights @ steps)
        lower = rows.lower(into_ball(point[None], np.float64)[0], steps, norms)
        if lower < (1 - narrow) * upper:  # the mean is so short that rounding changes its direction
            across = steps[heavy] - steps[heavy][0]
            point = _unit(point - np.linalg.lstsq(across, across @ point)[0])
        return _Mean(upper, lower, point, heavy)
    P, c = steps[:, :d], steps[:, d]
    size = float(norms.max()) or 1.0
    least, most = float(c.min()) - size, np.inf
    level = level if np.isfinite(level) and level > least else least
    best, lower, point = None, -np.inf, np.zeros(d)
    for k in range(_STEPS):
        weights = nearest_weights(np.column_stack([P, c - level]))
        move, mean = weights @ P, float(weights @ c)
        height, length = mean - level, float(np.linalg.norm(move))
        heavy, tried = weights > 0, _direction(move, height, length)
        upper = rows.upper(weights[heavy], steps[heavy])
        reached = rows.lower(into_ball(tried[None], np.float64)[0], steps, norms)
        if reached > lower:
            lower, point = reached, tried
        if best is None or upper < best.upper:
            best = _Mean(upper, lower, point, heavy, level)
        if best.upper - lower <= narrow * max(abs(lower), abs(best.upper)):
            break
        if length > height:
            most = min(most, level)
        else:
            least = max(least, level)
        level = _next_level(P, c, weights, narrow * max(abs(upper), 1e-12 * size) / 4)
        end = min(most, best.upper)
        if not least < level < end or k % 2 and k > _SURE:
            level = (least + end) / 2
        if not least < level < end:
            break
    assert best is not None
    return best._replace(lower=lower, point=point)


def _direction(move: Any, height: float, length: float) -> NDArray[np.float64]:
    """The point that a level gives, of length 1 at most."""
    size = max(length, height)
    return np.asarray(move / size) if size > 0 else np.zeros(len(move))


def _next_level(P: Any, c: Any, weights: Any, least: float) -> float:
    """The level at which the labels with weights give a point of length 1, or are nearly it.

    Their weights at a height h above the level are ``a + h b``, and the point is ``(a + h b) P /
    h``. The height is at least `least`.
    """
    F = np.flatnonzero(weights > 0)
    k = len(F)
    system = np.zeros((k + 1, k + 1))
    scale = float(np.abs(P[F]).max(initial=0.0)) or 1.0
    A = P[F] / scale
    system[:k, :k] = A @ A.T
    system[k, :k] = system[:k, k] = 1.0
    right = np.zeros((k + 1, 2))
    right[k, 0], right[:k, 1] = 1.0, -c[F] / scale**2
    a, b = np.linalg.lstsq(system, right, rcond=1e-13)[0][:k].T
    still, turn = float(np.linalg.norm(a @ P[F])), float(np.linalg.norm(b @ P[F]))
    if not turn < 1:
        return np.nan
    height = max(still / np.sqrt(1 - turn**2), least)
    return float((a + height * b) @ c[F]) - height


def nearest_weights(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of the point of the convex hull of some rows that is nearest to the origin.

    They are at least 0, and their sum is about 1. Rounded.
    """
    from scipy.optimize import nnls  # loads slowly

    k, d = steps.shape
    lengths = np.sqrt(np.einsum("ij,ij->i", steps, steps))
    nearest = int(lengths.argmin())
    alone = np.zeros(k)
    alone[nearest] = 1.0
    scale = lengths.max()
    if k == 1 or lengths[nearest] == 0 or not scale < np.inf:
        return alone
    # y >= 0 that minimizes |y P|^2 + (sum y - 1)^2 is a multiple of these weights
    matrix, right = np.ones((d + 1, k)), np.zeros(d + 1)
    matrix[:d], right[d] = steps.T / scale, 1.0
    try:
        found, _ = nnls(matrix, right)
    except RuntimeError:  # too many steps
        return alone
    total = found.sum()
    return np.asarray(found / total) if 0 < total < np.inf else alone


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows divided by their lengths, zero rows as they are."""
    norms = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1.0))


def _largest(values: Floats, number: int) -> Numbers:
    """Columns of the largest entries of each row, in any order."""
    number = min(number, values.shape[1])
    if number == values.shape[1]:
        return np.broadcast_to(np.arange(number), values.shape)
    return np.argpartition(values, -number, axis=1)[:, -number:]
