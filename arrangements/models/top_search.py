"""Search for all tops of k labels: level by level, or by a sweep.

Sets and ordered prefixes of k labels on top are found from those of k - 1 labels: without the last
label of the prefix, or without the label in place k at some point of its region, the rest is on top
there. So each level of the search extends the one before by one label, and one exact feasibility
test decides each candidate.

For sets there is a second way. A threshold t between the k-th and the next score separates a top-k
set from the rest, so the top-k sets are the sign vectors with exactly k signs + of the n
hyperplanes ``w_i . x + b_i = t`` in one more dimension, with coordinate t: the k-th level of that
arrangement. The sweep lists all of its chambers, which is fast unless there are very many.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import cached_property
from itertools import chain, combinations, permutations
from math import comb, perm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.arrangement import Arrangement
from arrangements.core.score_model import ScoreModel, tied_groups
from arrangements.counting.ranking_counts import most_rankings
from arrangements.enumeration.chambers import iter_chambers
from arrangements.enumeration.rankings import request_of_model
from arrangements.exact.numbers import append_column, negative
from arrangements.execution import limits
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.feasibility.batch import FeasibilityBatch, Kind
from arrangements.feasibility.deciding import are_feasible
from arrangements.feasibility.label_rows import LabelRows, Labels
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.forecast.hours import check_hours, foreseen
from arrangements.forecast.sizes import generic_half
from arrangements.messages import Remedy, short_number
from arrangements.polyhedra.hull_coordinates import HullCoordinates
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.sets.orders import order_dtype
from arrangements.sets.packed import unpack_signs

# Row numbers (intp), or names.
Tops = NDArray[Any]

_FEWER = Remedy("fewer tops", "Choose a smaller k, or drop labels.")
# From this many labels on, tests are made in bulk.
_BULK = 100
# A feasibility test takes about as long as this many chambers of a sweep (10 microseconds a test
# and 0.05 a chamber for n = 100, d = 4); a test of many takes 1 / _BULK_PACE of that.
_CHAMBERS_PER_TEST, _BULK_PACE = 100, 5
# Listing this many rankings takes about as long as the first test.
_FEW_RANKINGS = 1000
# Candidates that are tested in one bulk.
_CANDIDATES = 2**16
# Least number of chambers that a sweep lists in a second.
_CHAMBERS_PER_SECOND = 2e7
# Fewer tests are not worth a prediction, which takes up to `_PROBES` descents or `_PROBE_SECONDS`.
_FEW_TESTS, _FEW_IN_BULK = 20_000, 1_000_000
_PROBES, _PROBE_SECONDS = 10, 2.0
# A descent tries this many further labels on each level.
_TRIED = 64
# This many tops of one size can neither be held nor tested.
_HOPELESS = 1e15
# Bytes that ordered tops take for each of their labels: int64, sorted, and copied.
_TOP_BYTES = 24


def read_effort(workers: int, progress: bool, max_hours: float | None) -> Effort:
    """Check the keywords of a search."""
    check_max_hours(max_hours)
    workers = check_integer("workers", workers, 1)
    return Effort(workers, check_flag("progress", progress), max_hours)


def feasible_orders(
    model: ScoreModel, k: int, effort: Effort, within: Polyhedron | None = None
) -> Labels:
    """Feasible orders of the first k places, sorted, in the numbers of the model.

    Examples
    --------
    >>> feasible_orders(ScoreModel([[1], [2], [3]]), 2, Effort()).tolist()
    [[0, 1], [2, 1]]
    """
    n = model.n_labels
    if within is not None and within.is_empty:
        return np.zeros((0, k), np.int64)
    if within is None and model.has_all_orders:
        return _all_tops(permutations(range(n), k), perm(n, k), k)
    if within is None and n <= _FEW_RANKINGS and most_rankings(model) <= _FEW_RANKINGS:
        orders = request_of_model(model, "pairs").collect().to_array()
        return np.unique(orders[:, :k], axis=0).astype(np.int64)
    tests = TopTests(model, "orders", within=within)
    forecast = predict(tests, [perm(n, j) for j in range(k + 1)])
    if forecast is not None:
        number, work, pace = forecast
        _check_forecast(f"orders of the first {k} places", number, k, work, pace, effort)
    found = np.zeros((1, 0), np.int64)
    for length in range(k):
        step = max(1, _CANDIDATES // (n - length))
        found = np.concatenate(
            [
                np.zeros((0, length + 1), np.int64),
                *(
                    tests.keep_feasible(_extend(found[start : start + step], n), effort)
                    for start in range(0, len(found), step)
                ),
            ]
        )
    return _sort(found)


def _all_tops(tops: Iterable[tuple[int, ...]], number: int, k: int) -> Labels:
    """All tops of k labels, if every choice occurs."""
    _check_size(f"all {short_number(number)} tops occur", number * k)
    labels = np.fromiter(chain.from_iterable(tops), np.int64, number * k)
    return labels.reshape(number, k)


def feasible_sets(
    model: ScoreModel, k: int, effort: Effort, within: Polyhedron | None = None
) -> Labels:
    """Feasible top-k sets, sorted, in the numbers of the model."""
    n = model.n_labels
    if within is not None and within.is_empty:
        return np.zeros((0, k), np.int64)
    if k == n or (within is None and model.has_all_orders):
        return _all_tops(combinations(range(n), k), comb(n, k), k)
    found = _grow_sets(model, k, effort, within)
    return _sort(_sweep_sets(model, k, effort, within) if found is None else found)


def _grow_sets(
    model: ScoreModel, k: int, effort: Effort, within: Polyhedron | None
) -> Labels | None:
    """Top-k sets level by level; None once a sweep is faster."""
    n, last = model.n_labels, 2 * k > model.n_labels
    levels = n - k if last else k
    tests, chambers = TopTests(model, "sets", last, within), _most_chambers(model)
    if within is not None and tests.has_ties:
        return None  # labels that tie in all of it are on top together, and in no smaller set
    room = chambers // _CHAMBERS_PER_TEST * (_BULK_PACE if tests.in_bulk else 1)
    if chambers > 3600 * _CHAMBERS_PER_SECOND:  # else the sweep takes less than an hour
        most = [comb(n, j) for j in range(levels + 1)]
        forecast = predict(tests, most)
        if forecast is not None:
            number, work, pace = forecast
            if work > room:
                work, pace, room = chambers, _CHAMBERS_PER_SECOND, -1
            _check_forecast(f"top-{k} sets", number, levels, work, pace, effort)
    found: Labels = np.zeros((1, 0), np.int64)
    for size in range(levels):
        room -= len(found) * (n - size)
        if room < 0:
            return None
        extended = 4 * len(found) * (n - size) * (size + 1) * order_dtype(n).itemsize
        what = f"extending {len(found)} top-{size} sets by each further label"
        limits.check_bytes(what, extended, _FEWER)
        candidates = np.sort(_extend(found.astype(order_dtype(n)), n), axis=1)
        found = tests.keep_feasible(_sort_distinct(candidates, n), effort)
    return _other_labels(found, n) if last else found


def _sweep_sets(
    model: ScoreModel, k: int, effort: Effort, within: Polyhedron | None = None
) -> Labels:
    """Top-k sets from all chambers of the hyperplanes score = threshold."""
    n, entries, room = model.n_labels, 0, limits.available_bytes()
    if within is None:
        lifted, prism = LabelRows(model, threshold=True).lifted(), None
    else:
        lifted = Arrangement(append_column(model.weights, np.full(n, -1)), model.offsets)
        prism = within.cylinder
    found = [np.zeros((0, k), np.int64)]
    blocks = iter_chambers(lifted, within=prism, workers=effort.workers, progress=effort.progress)
    for block in blocks:
        above = np.bitwise_count(block.packed).sum(axis=1)
        signs = unpack_signs(block.packed[above == k], n)
        found.append(np.nonzero(signs > 0)[1].reshape(-1, k))
        if block.half:
            signs = unpack_signs(block.packed[above == n - k], n)
            found.append(np.nonzero(signs < 0)[1].reshape(-1, k))
        entries += sum(part.size for part in found[-2:])
        _check_size(f"more than {entries // k} top-{k} sets were found", entries, room)
    return np.concatenate(found)


def _most_chambers(model: ScoreModel) -> int:
    """Most chambers that `_sweep_sets` lists."""
    if model.is_central:
        return generic_half(model.n_labels - 1, model.rank + 1)
    return generic_half(model.n_labels, model.rank + 2)


def _sort(found: Labels) -> Labels:
    """Tops in lexicographic order."""
    return np.asarray(found[np.lexsort(found.T[::-1])])


class Effort(NamedTuple):
    """How to search: options that do not change the answer."""

    workers: int = 1
    progress: bool = False
    max_hours: float | None = None


def rows_of_model(model: ScoreModel, within: Polyhedron | None, last: bool = False) -> ScoreRows:
    """The rows of a model for questions about tops, or with the other sign about the last.

    With the facets of a polyhedron that is not empty, in coordinates of its affine hull.
    """
    weights, offsets = model.weights, model.offsets
    if last:
        weights, offsets = negative(weights), None if offsets is None else negative(offsets)
    if within is None:
        return ScoreRows(weights, offsets, compared=True)
    return HullCoordinates(within).score_rows(weights, offsets, compared=True)


class TopTests:
    """Feasibility tests of tops: each by itself where there are few labels, else in bulk.

    kind : whether tops are sets or orders
    last : the sets shall be last instead
    within : where, or None for everywhere
    """

    def __init__(
        self,
        model: ScoreModel,
        kind: Kind,
        last: bool = False,
        within: Polyhedron | None = None,
    ) -> None:
        self.model, self.kind, self.last, self.n = model, kind, last, model.n_labels
        self.within = within
        self.in_bulk = self.n >= _BULK or within is not None

    @cached_property
    def rows(self) -> LabelRows:
        """For tests of their own."""
        return LabelRows(self.model, threshold=self.kind == "sets")

    @cached_property
    def bulk(self) -> ScoreRows:
        """For tests in bulk."""
        return rows_of_model(self.model, self.within, self.last)

    @property
    def has_ties(self) -> bool:
        """Whether labels tie in all of the polyhedron."""
        rows = append_column(self.bulk.weights, self.bulk.offsets)[: self.n]
        return bool(tied_groups(rows, None))

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
        answers = in_order(keep, batches, 1 if self.in_bulk else effort.workers)
        answers = foreseen(answers, number, size, what, effort.max_hours)
        answers = with_progress(answers, effort.progress, number, size, "candidates")
        found = np.concatenate([candidates[:0], *(feasible for _, feasible in answers)])
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
            rest = _other_labels(tops, self.n)
            lowest = np.broadcast_to(tops[:, -1:], rest.shape)
            return np.hstack([tops[:, :-1], lowest]), np.hstack([tops[:, 1:], rest])
        inside = np.zeros((len(tops), self.n), np.bool_)
        np.put_along_axis(inside, tops, True, axis=1)
        above = np.where(inside, np.arange(self.n), self.rows.threshold)
        below = np.where(inside, self.rows.threshold, np.arange(self.n))
        return (below, above) if self.last else (above, below)


def _extend(tops: Labels, n: int) -> Labels:
    """Each of the tops followed by each further label."""
    rest = _other_labels(tops, n)
    m, width = rest.shape
    return np.hstack([np.repeat(tops, width, axis=0), rest.reshape(m * width, 1)])


def _sort_distinct(tops: Labels, n: int) -> Labels:
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


def _other_labels(tops: Labels, n: int) -> Labels:
    """Labels that are not in each of the tops, ascending."""
    outside = np.ones((len(tops), n), np.bool_)
    np.put_along_axis(outside, tops.astype(np.int64), False, axis=1)
    return np.nonzero(outside)[1].reshape(len(tops), n - tops.shape[1]).astype(tops.dtype)


def predict(tests: TopTests, most: list[int]) -> tuple[int, int, float] | None:
    """Number of tops, tests to find them, and tests in a second; None if the tests are few.

    Random descents extend a top by a random feasible label. Take the product of the numbers of
    choices, each divided by the number of feasible tops from which the next could come: its mean is
    the number of tops of that size (Knuth, Math. Comp. 29 (1975) 121-136). ``most[j]`` bounds those
    of j labels. Sizes that a descent does not reach in time get the number of the last size.
    """
    few = _FEW_IN_BULK if tests.in_bulk else _FEW_TESTS
    if sum(_numbers_of_tests(tests, most)) <= few:
        return None
    rng = np.random.default_rng(0)
    sums, number, probes = np.zeros(len(most)), 0, 0
    tests.keep_feasible(_extend(np.zeros((1, 0), np.int64), tests.n)[:1], Effort())  # compiles
    # so does the first candidate of another kind, which the pace must not be taken from
    _descend(tests, sums.copy(), np.random.default_rng(1), time.perf_counter() + _PROBE_SECONDS)
    began = time.perf_counter()
    while probes < _PROBES and time.perf_counter() < began + _PROBE_SECONDS:
        number += _descend(tests, sums, rng, began + _PROBE_SECONDS)
        probes += 1
    pace = max(number, 1) / (time.perf_counter() - began)
    tops = [min(int(x / probes), m) for x, m in zip(sums.tolist(), most, strict=True)]
    return tops[-1], sum(_numbers_of_tests(tests, tops)), pace


def _numbers_of_tests(tests: TopTests, tops: list[int]) -> list[int]:
    """Candidates of each level, given the number of tops of each size."""
    n = tests.n
    candidates = [number * (n - j) for j, number in enumerate(tops[:-1])]
    if tests.kind == "orders":
        return candidates
    return [min(c, comb(n, j + 1)) for j, c in enumerate(candidates)]


def _descend(
    tests: TopTests, sums: NDArray[np.float64], rng: np.random.Generator, end: float
) -> int:
    """Add one descent's estimates of the numbers of tops to `sums`; return its number of tests."""
    top, weight, number = np.zeros((1, 0), np.int64), 1.0, 0
    for size in range(len(sums) - 1):
        sums[size] += weight
        candidates = rng.permutation(_extend(top, tests.n))
        found, tried = candidates[:0], 0
        while tried < min(_TRIED, len(candidates)) and time.perf_counter() < end:
            part = candidates[tried : tried + _TRIED // 8]
            found = np.concatenate([found, tests.keep_feasible(part, Effort())])
            tried += len(part)
        number += tried
        if time.perf_counter() > end or weight > _HOPELESS:
            sums[size + 1 :] += weight
            return number
        if not len(found):
            return number
        top = found[rng.integers(len(found))][None]
        weight *= len(found) * len(candidates) / tried
        if tests.kind == "sets" and size:
            smaller = np.array([np.delete(top[0], i) for i in range(size + 1)])
            weight /= len(tests.keep_feasible(smaller, Effort()))
            number += size + 1
    sums[-1] += weight
    return number


def _check_forecast(
    noun: str, number: int, size: int, work: int, pace: float, effort: Effort
) -> None:
    """Refuse tops of `size` labels that are not expected to fit into memory, or to end in time."""
    what = f"about {short_number(number)} {noun} are expected"
    _check_size(what, number * size)
    check_hours(f"{what}; finding them", work, pace * effort.workers, effort.max_hours)


def _check_size(what: str, entries: int, room: int | None = None) -> None:
    """Refuse tops if all their labels together do not fit into the memory allowed."""
    limits.check_bytes(what, entries * _TOP_BYTES, _FEWER, allowed=room)
