"""Decide many questions: points for all of them in bulk, then a search for each that is left."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.batches.asked import Numbers, Questions
from arrangements.batches.certificates import NO, UNDECIDED, YES, Certificates
from arrangements.batches.exact_answers import answer_exactly
from arrangements.batches.judging import judge
from arrangements.batches.proposals import proposals
from arrangements.feasibility.interior import Point
from arrangements.resources.progress import ProgressBar


def decide(
    questions: Questions,
    *,
    workers: int = 1,
    progress: bool = False,
    time_limit: float | None = None,
) -> Certificates:
    """Answer all questions, with proofs; after `time_limit` seconds the rest stays undecided.

    Examples
    --------
    >>> from arrangements.batches.score_rows import ScoreRows
    >>> rows = ScoreRows(np.array([[1.0], [3.0], [2.0]]))
    >>> decide(Questions.of_array(rows, "orders", np.array([[0], [1], [2]])))
    Certificates(3 questions: 2 feasible, 1 infeasible)
    """
    work = _Work(questions, workers, time_limit)
    if progress:
        with ProgressBar(len(questions), "questions") as bar:
            work.bar = bar
            work.run()
    else:
        work.run()
    return work.certificates()


class _Work:
    """Answers so far."""

    def __init__(self, questions: Questions, workers: int, time_limit: float | None) -> None:
        self.questions, self.workers = questions, workers
        self.bar: ProgressBar | None = None
        m, d = len(questions), questions.rows.dimension
        self.status = np.full(m, UNDECIDED, np.int8)
        self.points: NDArray[np.floating[Any]] = np.zeros((m, d), np.float32)
        self.exact: dict[int, Point] = {}
        self.supports: dict[int, NDArray[np.int32]] = {}
        self.worst = np.full(m, -1, np.int64)
        self.end = np.inf if time_limit is None else time.monotonic() + time_limit

    def run(self) -> None:
        """Decide as many as the time allows."""
        for propose in proposals(self.questions):
            left = np.flatnonzero(self.status == UNDECIDED)
            if not len(left) or self.late():
                break
            self._propose(left, propose(left))
        for i in np.flatnonzero(self.status == UNDECIDED).tolist():
            if self.late():
                break
            self._decide_exactly(i)

    def late(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.end

    def _propose(self, asked: Numbers, points: NDArray[np.float32]) -> None:
        verdict = judge(self.questions, asked, points)
        done = asked[verdict.proved]
        self.status[done] = YES
        self.points[done] = points[verdict.proved]
        self.worst[asked] = verdict.worst
        self.count(len(done))

    def _decide_exactly(self, i: int) -> None:
        active = [*self.questions.of(i), int(self.worst[i])]
        answer = answer_exactly(self.questions, i, [j for j in active if j >= 0])
        if answer.point is not None:
            self.status[i] = YES
            self.exact[i] = answer.point
        else:
            assert answer.support is not None
            self.status[i] = NO
            self.supports[i] = np.array(answer.support, np.int32)
        self.count(1)

    def count(self, number: int) -> None:
        """Show that more questions were answered."""
        if self.bar is not None:
            self.bar.add(number)

    def certificates(self) -> Certificates:
        """What was found."""
        floats = self.status == YES
        floats[list(self.exact)] = False
        places = np.where(floats, np.cumsum(floats) - 1, -1)
        points = self.points if floats.all() else self.points[floats]
        return Certificates(self.questions, self.status, points, places, self.exact, self.supports)
