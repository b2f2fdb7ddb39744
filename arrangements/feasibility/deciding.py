"""Decide many questions: points for all of them in bulk, then a search for each that is left."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.execution.progress import with_progress
from arrangements.feasibility.batch import FeasibilityBatch, Numbers
from arrangements.feasibility.certificate_table import NO, UNDECIDED, YES, Certificates
from arrangements.feasibility.exact_answers import answer_exactly, circuit_within, meets
from arrangements.feasibility.interior import Point
from arrangements.feasibility.judging import judge
from arrangements.feasibility.proposals import proposals
from arrangements.feasibility.searching import Search
from arrangements.feasibility.small_batches import answer_small, is_small, solve_small
from arrangements.kernels.cone.nearest_points import ZERO
from arrangements.log import logger

# Products of questions and rows from which on bulk proposals are tried on some questions first,
# how many, and the share of proofs from which on the others are worth it.
_MANY, _SOME, _WELL = 2**24, 1024, 0.4
# Questions between two looks at the clock, and those that are searched for side by side.
_PORTION, _TOGETHER = 4096, 16384
# In this few coordinates few rows matter to all questions, and are looked at before the others.
_FLAT = 16
# Norms below which sums and differences of rows stay within the range of floats.
_LARGE = 2.0**980
# Listed rows with which an exact answer begins.
_LISTED = 64


def decide(
    questions: FeasibilityBatch,
    *,
    workers: int = 1,
    progress: bool = False,
    time_limit: float | None = None,
) -> Certificates:
    """Answer all questions, with proofs; after `time_limit` seconds the rest stays undecided.

    Examples
    --------
    >>> from arrangements.feasibility.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[1.0], [3.0], [2.0]]))
    >>> decide(FeasibilityBatch.of_array(rows, "orders", np.array([[0], [1], [2]])))
    Certificates(3 questions: 2 feasible, 1 infeasible)
    """
    if not progress and time_limit is None and is_small(questions):
        return solve_small(questions)
    logger.info("deciding %d questions, threads: %d", len(questions), workers)
    work = _BulkDecision(questions, workers, time_limit)
    for _ in with_progress(work.run(), progress, len(questions), int, "questions"):
        pass
    return work.certificates()


def are_feasible(
    questions: FeasibilityBatch, workers: int = 1, progress: bool = False
) -> NDArray[np.bool_]:
    """The answers of `decide`, without proofs."""
    if not progress and is_small(questions):
        return answer_small(questions)
    return decide(questions, workers=workers, progress=progress).feasible


class _BulkDecision:
    """Answers so far."""

    def __init__(self, questions: FeasibilityBatch, workers: int, time_limit: float | None) -> None:
        self.questions, self.workers = questions, workers
        m, d = len(questions), questions.rows.dimension
        self.status = np.full(m, UNDECIDED, np.int8)
        self.points: NDArray[np.floating[Any]] = np.zeros((m, d), np.float32)
        self.exact: dict[int, Point] = {}
        self.supports: dict[int, NDArray[np.int32]] = {}
        self.worst = np.full(m, -1, np.int64)
        # rows that were most in the way at some point: few, if few rows matter
        self.pool = np.zeros(questions.rows.n, np.bool_)
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
            yield from self._propose()
            left = np.flatnonzero(self.status == UNDECIDED)
            for start in range(0, len(left), _TOGETHER):
                yield from self._search(left[start : start + _TOGETHER])

    def late(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.end

    def _propose(self) -> Iterator[None]:
        """Bulk proposals: for some questions, and if these do well for all."""
        everything = np.arange(len(self.questions))
        some = everything
        if len(everything) * self.questions.rows.n > _MANY:
            some = np.sort(np.random.default_rng(0).permutation(everything)[:_SOME])
        for k, propose in enumerate(proposals(self.questions)):
            others = np.delete(everything, some)
            for chosen in [some] if k else [some, others]:
                left = chosen[self.status[chosen] == UNDECIDED]
                if not len(left) or self.late():
                    continue
                for start in range(0, len(left), _PORTION):
                    if self.late():
                        return
                    part = slice(start, start + _PORTION)
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
        if points.dtype == np.float32:
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
        search = Search(self.questions.part(left), self.worst[left], self.pool, self.workers)
        unclear: list[int] = []
        while len(search.alive) and not self.late():
            found = search.round()
            for i, support in zip(left[found.circuits].tolist(), found.supports, strict=True):
                self.status[i], self.supports[i] = NO, support
            unclear += found.unclear.tolist()
            stuck, points = found.positive, found.points
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
            for rows in (search.heavy(q), corral):
                if search.status[q] == ZERO and (
                    circuit := circuit_within(self.questions, i, rows)
                ):
                    self._refute(i, circuit)
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

    def certificates(self) -> Certificates:
        """What was found."""
        floats = self.status == YES
        floats[list(self.exact)] = False
        places = np.where(floats, np.cumsum(floats) - 1, -1)
        points = self.points if floats.all() else self.points[floats]
        return Certificates(self.questions, self.status, points, places, self.exact, self.supports)
