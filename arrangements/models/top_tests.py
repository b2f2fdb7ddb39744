"""Feasibility tests of many tops."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.core.score_model import ScoreModel
from arrangements.exact.numbers import ExactArray
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.feasibility.batch import FeasibilityBatch, Kind
from arrangements.feasibility.deciding import are_feasible
from arrangements.feasibility.label_rows import LabelRows, Labels
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.forecast.hours import foreseen
from arrangements.messages import Remedy

# Row numbers (intp), or names.
Tops = NDArray[Any]

FEWER = Remedy("fewer tops", "Choose a smaller k, or drop labels.")
# From this many labels on, tests are made in bulk.
_BULK = 100
# Candidates of one bulk.
_CANDIDATES = 2**16


class Effort(NamedTuple):
    """How to search: options that do not change the answer."""

    workers: int = 1
    progress: bool = False
    max_hours: float | None = None


class TopTests:
    """Feasibility tests of tops: each by itself where there are few labels, else in bulk.

    kind : whether tops are sets or orders
    last : the sets shall be last instead
    """

    def __init__(self, model: ScoreModel, kind: Kind, last: bool = False) -> None:
        self.model, self.kind, self.last, self.n = model, kind, last, model.n_labels
        self.in_bulk = self.n >= _BULK

    @cached_property
    def rows(self) -> LabelRows:
        """For tests of their own."""
        return LabelRows(self.model, threshold=self.kind == "sets")

    @cached_property
    def bulk(self) -> ScoreRows:
        """For tests in bulk."""
        weights, offsets = self.model.weights, self.model.offsets
        offsets = None if self.model.is_central else offsets
        if not self.last:
            return ScoreRows(weights, offsets)
        return ScoreRows(_negate(weights), None if offsets is None else _negate(offsets))

    def keep_feasible(self, candidates: Labels, effort: Effort) -> Labels:
        """Those of the candidates that are feasible."""
        batches = [
            candidates[start : start + self._batch]
            for start in range(0, len(candidates), self._batch)
        ]

        def keep(batch: Labels) -> tuple[int, Labels]:
            return len(batch), batch[self._are_feasible(batch.astype(np.int64), effort.workers)]

        def size(answer: tuple[int, Labels]) -> int:
            return answer[0]

        number = len(candidates)
        what = f"testing {number} candidates"
        done = in_order(keep, batches, 1 if self.in_bulk else effort.workers)
        watched = foreseen(done, number, size, what, effort.max_hours)
        shown = with_progress(watched, effort.progress, number, size, "candidates")
        found = np.concatenate([candidates[:0], *(feasible for _, feasible in shown)])
        return found.astype(np.int64)

    @property
    def _batch(self) -> int:
        """Candidates to test at a time."""
        return _CANDIDATES if self.in_bulk else self.rows.batch(self.n)

    def _are_feasible(self, tops: Labels, workers: int) -> NDArray[np.bool_]:
        if not self.in_bulk:
            return self.rows.possible(*self._pairs(tops))
        kind = "orders" if tops.shape[1] == 1 else self.kind
        batch = FeasibilityBatch.of_array(self.bulk, kind, tops)
        return are_feasible(batch, workers)

    def _pairs(self, tops: Labels) -> tuple[Labels, Labels]:
        """Rows that shall score higher than others."""
        if self.kind == "orders":
            rest = other_labels(tops, self.n)
            lowest = np.broadcast_to(tops[:, -1:], rest.shape)
            return np.hstack([tops[:, :-1], lowest]), np.hstack([tops[:, 1:], rest])
        inside = np.zeros((len(tops), self.n), np.bool_)
        np.put_along_axis(inside, tops, True, axis=1)
        above = np.where(inside, np.arange(self.n), self.rows.threshold)
        below = np.where(inside, self.rows.threshold, np.arange(self.n))
        return (below, above) if self.last else (above, below)


def _negate(values: ExactArray) -> ExactArray:
    """The numbers with the other sign; int64 does not hold that of its least."""
    least = np.iinfo(np.int64).min
    wide = values.dtype == np.int64 and bool((values == least).any())
    return np.asarray(-values.astype(object) if wide else -values)


def extend(tops: Labels, n: int) -> Labels:
    """Each of the tops followed by each further label."""
    rest = other_labels(tops, n)
    m, width = rest.shape
    return np.hstack([np.repeat(tops, width, axis=0), rest.reshape(m * width, 1)])


def sort_distinct(tops: Labels, n: int) -> Labels:
    """Each of some tops of n labels once, sorted: as one number, which sorts 40 times as fast."""
    k = tops.shape[1]
    if n**k >= 2**63:
        return np.unique(tops, axis=0)
    keys = np.zeros(len(tops), np.int64)
    for column in tops.T:
        keys = keys * n + column
    keys.sort()
    first = np.ones(len(keys), np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    keys = keys[first]
    columns = [keys // n**j % n for j in reversed(range(k))]
    return np.stack(columns, axis=1).astype(tops.dtype)


def other_labels(tops: Labels, n: int) -> Labels:
    """Labels that are not in each of the tops, ascending."""
    outside = np.ones((len(tops), n), np.bool_)
    np.put_along_axis(outside, tops.astype(np.int64), False, axis=1)
    return np.nonzero(outside)[1].reshape(len(tops), n - tops.shape[1]).astype(tops.dtype)
