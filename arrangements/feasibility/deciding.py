"""Decide many questions: points for all of them in bulk, then a search for each that is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.execution.progress import with_progress
from arrangements.feasibility.batch import INFINITY, FeasibilityBatch, Numbers
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.feasibility.exact_answers import answer_exactly, circuit_within, meets
from arrangements.feasibility.inner_labels import InnerLabels, holds_exactly
from arrangements.feasibility.interior import (
    Point,
    find_point,
    in_caller_coordinates,
    rows_for_kernels,
    solve_signs,
    unscaled_floats,
)
from arrangements.feasibility.judging import judge
from arrangements.feasibility.proof_arrays import INSIDE, NO, UNDECIDED, YES, Proofs
from arrangements.feasibility.score_rows import Regression, ScoreRows
from arrangements.feasibility.searching import Search
from arrangements.feasibility.shared_circuits import refuted_by
from arrangements.kernels.cone.interior_points import find_witness
from arrangements.kernels.cone.nearest_points import ZERO
from arrangements.kernels.numba_internals import is_ready
from arrangements.log import logger

Points = NDArray[np.float32]
Propose = Callable[[Numbers], Points]


def proposals(questions: FeasibilityBatch) -> Iterator[Propose]:
    """Functions that make a point, in float32, for each of some questions.

    The direction of a question is the sum of its rows with their signs, and for labels the listed
    rows minus their mean over all rows. Whitened, it is the point at which a regression would have
    these signs as values; it takes correlations of the columns into account. With offsets the point
    lies near 0, or so far away that they hardly matter, which suits labels better; in a polyhedron
    in this direction from its center, near the boundary.
    """
    regression = questions.rows.regression(questions.kind != "signs")
    if regression is None or not len(questions):
        return
    found, far = regression, _far(questions.rows)
    lengths = [1.0, far] if questions.kind == "signs" else [far, 1.0]

    def whitened(numbers: Numbers, length: float) -> Points:
        return _move(questions, _unit(found.solve(_sums(questions, numbers, found))), length)

    def plain(numbers: Numbers) -> Points:
        return _move(questions, _unit(_sums(questions, numbers, found)), lengths[0])

    for length in dict.fromkeys(lengths):
        yield partial(whitened, length=length)
    yield plain


def _sums(questions: FeasibilityBatch, numbers: Numbers, found: Regression) -> NDArray[np.float64]:
    """Sums of rows with their signs; those of the listed ones count as much as all others."""
    sizes = questions.sizes[numbers]
    if questions.kind != "signs" and (sizes == 1).all():
        listed = questions.rows.floats[questions.listed[questions.starts[numbers]]]
        return np.asarray(listed[:, : questions.rows.dimension] / found.scale - found.mean)
    from scipy.sparse import csr_array  # loads slowly

    W = questions.rows.floats[: questions.rows.n_own, : questions.rows.dimension]
    part = questions.part(numbers)
    owner = np.repeat(np.arange(len(numbers)), sizes)
    others = np.maximum(1, len(W) - sizes)
    default = part.default if questions.kind == "signs" else np.zeros(len(numbers), np.int8)
    weight = np.where(default == 0, 1.0, others / np.maximum(1, sizes))
    factor: NDArray[Any] = part.signs * weight[owner] - default[owner]
    if questions.kind == "orders":  # the first ones more
        place: NDArray[Any] = np.arange(len(part.listed)) - part.starts[owner]
        factor = 1.0 + 0.5 * (sizes[owner] - place)
    shares = csr_array(
        (factor.astype(np.float64), part.listed, part.starts), (len(numbers), len(W))
    )
    sums = shares @ W / found.scale - shares.sum(axis=1)[:, None] * found.mean
    return np.asarray(sums + default[:, None] * found.total)


def _unit(directions: NDArray[np.float64]) -> Points:
    """Directions of norm about 1, rounded to float32."""
    with np.errstate(all="ignore"):  # of rows that are equal but for rounding
        norms = np.linalg.norm(directions, axis=1, keepdims=True)
        return (directions / np.where(norms > 0, norms, 1.0)).astype(np.float32)


def _far(rows: ScoreRows) -> float:
    """The length of points at which offsets hardly matter, at least 1."""
    if not rows.affine or rows.center is not None:
        return 1.0
    with np.errstate(all="ignore"):
        *spreads, spread = (
            rows.floats[: rows.n_own : 1 + rows.n_own // _SAMPLE].std(axis=0).tolist()
        )
    typical = (sum(s * s for s in spreads) / max(1, len(spreads))) ** 0.5
    ratio = spread / typical if typical > 0 else np.inf
    return 1.0 + _OFF * ratio if ratio < _FAR else 1.0


def _move(questions: FeasibilityBatch, directions: Points, length: float) -> Points:
    """Points in these directions from the center, near the boundary; without one, from 0."""
    rows = questions.rows
    if rows.center is None:
        return directions * np.float32(length)
    facets = rows.floats[rows.n_own :]
    with np.errstate(all="ignore"):
        gaps = facets @ rows.extended(rows.center[None])[0]
        normals = facets[:, : rows.dimension]
        lengths = np.square(normals).sum(axis=1)

        def room(steps: NDArray[Any]) -> NDArray[Any]:
            """By which factors steps from the center lead to the boundary."""
            losses = -steps @ normals.T
            factors = np.where(losses * _FAR > gaps, gaps / losses, _FAR)
            return factors.min(axis=1, keepdims=True, initial=_FAR)

        steps = directions * room(directions) * _BEYOND
        for _ in range(2):  # to the facets that are violated, at once
            steps -= np.minimum(steps @ normals.T + gaps, 0) / lengths @ normals
        steps *= np.minimum(1, _NEAR * room(steps))
        return np.asarray(rows.center + steps).astype(np.float32)


# Longest step from the center of a polyhedron, how far beyond its boundary one may lead before it
# is shortened, and the share that is gone.
_FAR, _BEYOND, _NEAR = 1e4, 16, 0.98
# How many times as much as offsets scores differ at a proposed point.
_OFF = 32
# Rows whose spread is measured.
_SAMPLE = 4096
# Largest product of questions, rows and the square of dimension + 8. Bulk work takes 3 ms before
# the first answer.
_SMALL = 100_000


def is_small(batch: FeasibilityBatch) -> bool:
    """Tell if one by one is faster, with code that need not be compiled first."""
    n = batch.rows.n
    return (
        0 < len(batch) * n * (min(n, batch.width) + 8) ** 2 < _SMALL
        and (batch.kind != "orders" or bool((batch.sizes == 1).all()))
        and bool(batch.default.all() and batch.signs.all())
        and (batch.kind != "signs" or bool(batch.rows.weights.any(axis=1).all()))
        and is_ready(find_witness)
    )


def solve_small(batch: FeasibilityBatch) -> Proofs:
    """Answer all questions, with proofs.

    Labels are on top if they score above a threshold, and all others below.
    """
    ordered = batch.kind == "orders"  # labels by themselves, which have no condition in an order
    if ordered:
        batch = FeasibilityBatch(batch.rows, "sets", batch.starts, batch.listed)
    system, affine, signs = _cone_system(batch)
    m, d = len(batch), batch.rows.dimension
    scaled, found = _float_points(system, affine, signs)
    points, exact = unscaled_floats(
        scaled, system.column_exponents, system.columns, batch.width - batch.rows.affine, affine
    )
    proved = (found == YES) & exact
    status, exact_points, supports = np.full(m, YES, np.int8), {}, {}
    for i in np.flatnonzero(~proved).tolist():
        solution = solve_signs(system, signs[i], affine)
        if isinstance(solution, dict):
            status[i] = NO
            rows = [j - affine if j >= affine else INFINITY for j in sorted(solution)]
            rows = [j for j in rows if not ordered or j != batch.listed[i]]
            supports[i] = np.array(rows, np.int32)
        else:
            dimension = batch.width - batch.rows.affine
            exact_points[i] = in_caller_coordinates(system, solution, dimension, affine)[:d]
    places = np.where(proved, np.cumsum(proved) - 1, -1)
    return Proofs(status, points[proved, :d], places, exact_points, supports)


def answer_small(batch: FeasibilityBatch) -> NDArray[np.bool_]:
    """The answers alone: proofs of refusals take most of the time of `solve_small`."""
    system, affine, signs = _cone_system(batch)
    _, found = _float_points(system, affine, signs)
    for i in np.flatnonzero((found != YES) & (found != NO)).tolist():
        found[i] = isinstance(solve_signs(system, signs[i], affine), list)
    return found == YES


def _cone_system(batch: FeasibilityBatch) -> tuple[HomogeneousRows, bool, NDArray[np.float64]]:
    """Rows that all questions share, whether the row at infinity is first, and (m, N) signs."""
    rows = batch.rows
    normals: Any = rows.weights
    if batch.kind != "signs":
        threshold = np.where(np.arange(rows.n) < rows.n_own, -1, 0).astype(normals.dtype)
        normals = np.column_stack([normals, threshold])
    system, affine = rows_for_kernels(Arrangement(normals, rows.offsets if rows.affine else None))
    signs = np.ones((len(batch), affine + rows.n))
    signs[:, int(affine) : affine + rows.n_own] = batch.default[:, None]
    owner = np.repeat(np.arange(len(batch)), batch.sizes)
    signs[owner, affine + batch.listed] = batch.signs
    return system, affine, signs


def _float_points(
    system: HomogeneousRows, affine: bool, signs: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A point for each question in scaled columns, and its status as `find_witness` says."""
    table, points = system.float_table, np.zeros((len(signs), system.dimension))
    work = system.work_for(table)
    status = [
        find_point(system, table, row, affine, point, work)
        for row, point in zip(signs, points, strict=True)
    ]
    return points, np.array(status)


# Products of questions and rows from which on bulk proposals are tried on some questions first,
# how many, and the share of proofs from which on the others are worth it.
_MANY, _SOME, _WELL = 2**24, 1024, 0.4
# Questions between two looks at the clock, and those that are searched for side by side; and with
# large matrices the products of numbers that take about a second.
_PORTION, _TOGETHER, _SECOND = 4096, 16384, 2e10
# Fewer questions take longer each in a product of matrices, 64 twice as long as 256. These are for
# looks at the clock where the time is limited.
_LEAST, _BEFORE_LATE = 256, 64
# In this few coordinates few rows matter to all questions, and are looked at before the others.
_FLAT = 16
# Labels that are searched for first where there are many more, and after how many circuits that
# refute no other label the next ones are not tried; circuits that are kept for later questions.
_PILOTS, _MISSES, _SIMPLICES = 128, 4, 32
# Norms below which sums and differences of rows stay within the range of floats.
_LARGE = 2.0**980
# Coordinates from which on circuits take longer than positive combinations of all rows.
_WIDE = 400
# Listed rows with which an exact answer begins.
_LISTED = 64


def decide(
    questions: FeasibilityBatch,
    *,
    workers: int = 1,
    progress: bool = False,
    time_limit: float | None = None,
    circuits: bool = False,
) -> Proofs:
    """Answer all questions, with proofs; after `time_limit` seconds the rest stays undecided.

    With `circuits` each refusal has a circuit, also of a label that is easily proved to lie inside
    the hull of the others.

    Examples
    --------
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[1.0], [3.0], [2.0]]))
    >>> decide(FeasibilityBatch.of_array(rows, "orders", np.array([[0], [1], [2]]))).feasible
    array([ True,  True, False])
    """
    if not progress and time_limit is None and is_small(questions):
        return solve_small(questions)
    logger.info("deciding %d questions, threads: %d", len(questions), workers)
    work = _BulkDecision(questions, workers, time_limit)
    work.circuits = circuits
    for _ in with_progress(work.run(), progress, len(questions), int, "questions"):
        pass
    return work.proofs()


def are_feasible(
    questions: FeasibilityBatch, workers: int = 1, progress: bool = False
) -> NDArray[np.bool_]:
    """The answers of `decide`, without proofs."""
    if not progress and is_small(questions):
        return answer_small(questions)
    work = _BulkDecision(questions, workers, None, keep_points=False)
    for _ in with_progress(work.run(), progress, len(questions), int, "questions"):
        pass
    return np.asarray(work.status == YES)


class _BulkDecision:
    """Answers so far."""

    def __init__(
        self,
        questions: FeasibilityBatch,
        workers: int,
        time_limit: float | None,
        keep_points: bool = True,
    ) -> None:
        self.questions, self.workers = questions, workers
        m, d = len(questions), questions.rows.dimension
        self.status = np.full(m, UNDECIDED, np.int8)
        self._keeps, self.circuits = keep_points, False
        self.points: NDArray[np.floating[Any]] = np.zeros((m * keep_points, d), np.float32)
        self.exact: dict[int, Point] = {}
        self.supports: dict[int, NDArray[np.int32]] = {}
        self.worst = np.full(m, -1, np.int64)
        # rows that were most in the way at some point: few, if few rows matter
        self.pool = np.zeros(questions.rows.n, np.bool_)
        self._shares = questions.kind == "orders" and bool((questions.sizes == 1).all())
        self.end = np.inf if time_limit is None else time.monotonic() + time_limit

    def run(self) -> Iterator[int]:
        """Decide as many as the time allows; yield after each step how many it decided."""
        before = 0
        for _ in self._steps():
            now = int((self.status != UNDECIDED).sum())
            yield now - before
            before = now

    def _steps(self) -> Iterator[None]:
        if not self.questions.rows.n:  # without conditions the point 0 will do
            self.status[:] = YES
        elif not (self.questions.rows.norms < _LARGE).all():
            for i in range(len(self.questions)):
                if not self.late():
                    self._decide_exactly(i, [int(self.worst[i])])
                    yield
        else:
            self._refute_ties()
            yield from self._propose()
            if self._seeks_inner:
                yield from self._find_inner()
            for left in self._batches():
                yield from self._search(left)

    @property
    def _seeks_inner(self) -> bool:
        """Whether circuits are so large that labels inside the hull are looked for first."""
        rows = self.questions.rows
        few = rows.facets or rows.n_own <= rows.floats.shape[1] + 1
        if self.circuits:
            return False
        return self._shares and self.questions.width >= _WIDE and not few and holds_exactly(rows)

    def _find_inner(self) -> Iterator[None]:
        """Refute labels that are positive combinations of all rows, without a circuit."""
        left, rows = np.flatnonzero(self.status == UNDECIDED), self.questions.rows
        if not len(left) or self.late():
            return
        if rows.inner is None:
            rows.inner = InnerLabels(rows)
        yield
        step = self._at_once(_TOGETHER) if rows.inner.is_usable else len(left)
        for start in range(0, len(left), step):
            part = left[start : start + step]
            labels = self.questions.listed[self.questions.starts[part]]
            refuted = part[rows.inner.find(labels, self.late)]
            self.status[refuted] = NO
            self.supports |= dict.fromkeys(refuted.tolist(), INSIDE)
            yield

    def _batches(self) -> Iterator[Numbers]:
        """Questions to search for side by side: few at first, which may refute others."""
        self._share(list(self.questions.rows.simplices))
        left, together = np.flatnonzero(self.status == UNDECIDED), self._at_once(_TOGETHER)
        if self._shares and len(left) > 4 * _PILOTS:
            yield np.sort(np.random.default_rng(0).permutation(left)[:_PILOTS])
            left = left[self.status[left] == UNDECIDED]
        while len(left) and not self.late():
            yield left[:together]
            left = left[together:]
            left = left[self.status[left] == UNDECIDED]

    def _share(self, supports: Iterable[NDArray[np.int32]]) -> None:
        """Refute other labels by the same rows, until that fails some times in a row."""
        misses, known = 0, self.questions.rows.simplices
        for support in supports:
            asked = np.flatnonzero(self.status == UNDECIDED)
            if not self._shares or misses == _MISSES or not len(asked):
                return
            if len(support) == self.questions.width + 1:
                refuted = refuted_by(self.questions, support, asked)
                self.status[refuted] = NO
                self.supports |= dict.fromkeys(refuted.tolist(), support)
                misses = 0 if len(refuted) else misses + 1
                if len(refuted) and not any(support is other for other in known):
                    known[:] = [*known[1 - _SIMPLICES :], support]

    def _at_once(self, most: int) -> int:
        """For how many questions all rows are evaluated between two looks at the clock."""
        size = self.questions.rows.n * (self.questions.width + 1)
        least = _LEAST if self.end == np.inf else _BEFORE_LATE
        return min(most, max(least, int(_SECOND / size)))

    def late(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.end

    def _refute_ties(self) -> None:
        """Answer with no where a label has an equal row outside: floats do not see that they tie.

        An order is only looked at if it is one label.
        """
        questions, rows = self.questions, self.questions.rows
        if questions.kind == "signs" or not (rows.rivals >= 0).any():
            return
        places = np.flatnonzero(rows.rivals[questions.listed] >= 0)
        owners = np.searchsorted(questions.starts, places, side="right") - 1
        for i, label in zip(owners.tolist(), questions.listed[places].tolist(), strict=True):
            rival, listed = int(rows.rivals[label]), questions.of(i)
            if rival in listed or (questions.kind == "orders" and len(listed) > 1):
                continue
            support = [rival] if questions.kind == "orders" else [label, rival]
            self._refute(i, support + [INFINITY] * rows.is_above(rival, label))

    def _propose(self) -> Iterator[None]:
        """Bulk proposals: for some questions, and if these do well for all."""
        everything = np.arange(len(self.questions))
        far = self.questions.rows.device is not None  # where a product takes no second
        some, portion = everything, _PORTION if far else self._at_once(_PORTION)
        if len(everything) * self.questions.rows.n > _MANY:
            some = np.sort(np.random.default_rng(0).permutation(everything)[:_SOME])
        for k, propose in enumerate(proposals(self.questions)):
            others = np.delete(everything, some)
            for chosen in [some] if k else [some, others]:
                left = chosen[self.status[chosen] == UNDECIDED]
                if not len(left) or self.late():
                    continue
                for start in range(0, len(left), portion):
                    if self.late():
                        return
                    part = slice(start, start + portion)
                    self._judge(left[part], propose(left[part]))
                    yield
                if (self.status[chosen] == YES).mean() < _WELL:
                    break
            else:
                some = everything

    def _judge(self, chosen: Numbers, points: NDArray[Any]) -> tuple[NDArray[np.bool_], Numbers]:
        """Keep the points that prove their questions; which they are, and all worst rows."""
        proved, worst = judge(self.questions, chosen, points)
        sure = chosen[proved]
        self.status[sure] = YES
        if not self._keeps:
            pass
        elif points.dtype == np.float32:
            self.points[sure] = points[proved]
        else:
            for i, point in zip(sure.tolist(), points[proved].tolist(), strict=True):
                self.exact[i] = tuple(map(Fraction, point))
        self.worst[chosen] = worst
        self.pool[worst] = True
        if self.questions.kind == "orders":
            self.pool[self.questions.listed[self.questions.starts[sure]]] = True
        return proved, worst

    def _search(self, left: Numbers) -> Iterator[None]:
        """Rounds of the search for these questions, then exact answers for what is unclear."""
        questions = self.questions.part(left)
        search = Search(questions, self.worst[left], self.pool, self.workers, self.late)
        unclear: list[int] = []
        while len(search.alive) and not self.late():
            found = search.round()
            for i, support in zip(left[found.circuits].tolist(), found.supports, strict=True):
                self.status[i], self.supports[i] = NO, support
            self._share(found.supports)
            search.drop(search.alive[self.status[left[search.alive]] != UNDECIDED])
            if self.late():
                break
            unclear += found.unclear.tolist()
            stuck: Numbers = search.alive
            pool = np.flatnonzero(self.pool)
            few = self.questions.width <= _FLAT and 0 < 2 * len(pool) < len(self.pool)
            for candidates in [pool, None] if few else [None]:
                stuck = search.widen(stuck, candidates)
            points = found.points[np.searchsorted(found.positive, stuck)]
            unclear += self._try(search, left, stuck, points)
            yield
        for q in unclear:
            if self.late():
                break
            i, corral = int(left[q]), search.corral(q)
            if self.status[i] != UNDECIDED:
                continue
            for rows in (search.heavy(q), corral):
                if search.status[q] == ZERO and (
                    circuit := circuit_within(self.questions, i, rows)
                ):
                    self._refute(i, circuit)
                    self._share([self.supports[i]])
                    break
            else:
                self._decide_exactly(i, corral)
            yield

    def _try(
        self, search: Search, left: Numbers, stuck: Numbers, points: NDArray[np.float64]
    ) -> list[int]:
        """Try points that meet all conditions looked at; places that need an exact answer."""
        if not len(stuck):
            return []
        with np.errstate(all="ignore"):
            scaled = self._scaled(points)
            short = scaled.astype(np.float32)
        proved, _ = self._judge(left[stuck], short)
        search.drop(stuck[proved])
        stuck, scaled = stuck[~proved], scaled[~proved]
        if not len(stuck):
            return []
        proved, worst = self._judge(left[stuck], scaled)
        search.drop(stuck[proved])
        stuck, scaled = stuck[~proved], scaled[~proved]
        known = np.isin(stuck, search.include(stuck, worst[~proved]))
        search.drop(stuck[known])
        return [
            q
            for q, point in zip(stuck[known].tolist(), scaled[known].tolist(), strict=True)
            if not self._proved_exactly(int(left[q]), point)
        ]

    def _proved_exactly(self, i: int, point: list[float]) -> bool:
        """Whether a point answers question i in exact arithmetic; it is kept."""
        if not np.isfinite(point).all():  # numbers too large or too small for floats
            return False
        found = tuple(map(Fraction, point))
        if not meets(self.questions, i, found):
            return False
        self.status[i], self.exact[i] = YES, found
        return True

    def _scaled(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points of norm 1, if their length does not matter."""
        if self.questions.rows.affine:
            return points
        norms = np.linalg.norm(points, axis=1, keepdims=True)
        return np.where(norms > 0, points / np.where(norms > 0, norms, 1.0), points)

    def _decide_exactly(self, i: int, active: list[int]) -> None:
        answer = answer_exactly(self.questions, i, self.questions.of(i)[:_LISTED] + active)
        if isinstance(answer, list):
            self._refute(i, answer)
        else:
            self.status[i], self.exact[i] = YES, answer

    def _refute(self, i: int, support: list[int]) -> None:
        """Keep the rows of a circuit that answers question i with no."""
        self.status[i] = NO
        self.supports[i] = np.array(sorted(support), np.int32)

    def proofs(self) -> Proofs:
        """What was found."""
        floats = self.status == YES
        floats[list(self.exact)] = False
        places = np.where(floats, np.cumsum(floats) - 1, -1)
        return Proofs(self.status, self._points_of(floats), places, self.exact, self.supports)

    def _points_of(self, chosen: NDArray[np.bool_]) -> NDArray[np.floating[Any]]:
        """Points of some questions, moved to the front: there may be no room for a copy."""
        end = 0
        for start in range(0, len(chosen), _PORTION):
            part = slice(start, start + _PORTION)
            kept = self.points[part][chosen[part]]
            self.points[end : end + len(kept)] = kept
            end += len(kept)
        return self.points[:end]
