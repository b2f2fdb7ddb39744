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

from collections.abc import Iterable
from itertools import chain, combinations, permutations
from math import comb, perm

import numpy as np

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.score_model import ScoreModel
from arrangements.counting.ranking_counts import most_rankings
from arrangements.enumeration.chambers import iter_chambers
from arrangements.enumeration.rankings import request_of_model
from arrangements.execution import limits
from arrangements.feasibility.label_rows import LabelRows, Labels
from arrangements.forecast.sizes import generic_half
from arrangements.messages import short_number
from arrangements.models.top_forecast import check_forecast, check_size, predict
from arrangements.models.top_tests import (
    FEWER,
    Effort,
    TopTests,
    extend,
    other_labels,
    sort_distinct,
)
from arrangements.sets.packed import unpack_signs
from arrangements.sets.rankings import order_dtype

# A feasibility test takes about as long as this many chambers of a sweep (10 microseconds and 0.05
# for n = 100, d = 4), in bulk 1 / _BULK_PACE of it.
_CHAMBERS_PER_TEST, _BULK_PACE = 100, 5
# Listing this many rankings takes about as long as the first test.
_FEW_RANKINGS = 1000
# Prefixes that are extended at a time.
_CANDIDATES = 2**16
# Least number of chambers that a sweep lists in a second.
_CHAMBERS_PER_SECOND = 2e7


def read_effort(workers: int, progress: bool, max_hours: float | None) -> Effort:
    """Check the keywords of a search."""
    check_max_hours(max_hours)
    workers = check_integer("workers", workers, 1)
    return Effort(workers, check_flag("progress", progress), max_hours)


def feasible_orders(model: ScoreModel, k: int, effort: Effort) -> Labels:
    """Feasible orders of the first k places, sorted, in the numbers of the model.

    Examples
    --------
    >>> feasible_orders(ScoreModel([[1], [2], [3]]), 2, Effort()).tolist()
    [[0, 1], [2, 1]]
    """
    n = model.n_labels
    if model.has_all_orders:
        return _all_tops(permutations(range(n), k), perm(n, k), k)
    if n <= _FEW_RANKINGS and most_rankings(model) <= _FEW_RANKINGS:
        orders = request_of_model(model, "pairs").collect().to_array()
        return np.unique(orders[:, :k], axis=0).astype(np.int64)
    tests = TopTests(model, "orders")
    forecast = predict(tests, [perm(n, j) for j in range(k + 1)])
    if forecast is not None:
        number, work, pace = forecast
        check_forecast(f"orders of the first {k} places", number, k, work, pace, effort)
    found = np.zeros((1, 0), np.int64)
    for length in range(k):
        step = max(1, _CANDIDATES // (n - length))
        found = np.concatenate(
            [
                tests.keep_feasible(extend(found[start : start + step], n), effort)
                for start in range(0, len(found), step)
            ]
        )
    return _sort(found)


def _all_tops(tops: Iterable[tuple[int, ...]], number: int, k: int) -> Labels:
    """All tops of k labels, if every choice occurs."""
    check_size(f"all {short_number(number)} tops occur", number * k)
    labels = np.fromiter(chain.from_iterable(tops), np.int64, number * k)
    return labels.reshape(number, k)


def feasible_sets(model: ScoreModel, k: int, effort: Effort) -> Labels:
    """Feasible top-k sets, sorted, in the numbers of the model."""
    n = model.n_labels
    if k == n or model.has_all_orders:
        return _all_tops(combinations(range(n), k), comb(n, k), k)
    found = _grow_sets(model, k, effort)
    return _sort(_sweep_sets(model, k, effort) if found is None else found)


def _grow_sets(model: ScoreModel, k: int, effort: Effort) -> Labels | None:
    """Top-k sets level by level; None once a sweep is faster."""
    n, last = model.n_labels, 2 * k > model.n_labels
    levels = n - k if last else k
    tests, chambers = TopTests(model, "sets", last), _most_chambers(model)
    room = chambers // _CHAMBERS_PER_TEST * (_BULK_PACE if tests.in_bulk else 1)
    if chambers > 3600 * _CHAMBERS_PER_SECOND:  # else the sweep takes less than an hour
        most = [comb(n, j) for j in range(levels + 1)]
        forecast = predict(tests, most)
        if forecast is not None:
            number, work, pace = forecast
            if work > room:
                work, pace, room = chambers, _CHAMBERS_PER_SECOND, -1
            check_forecast(f"top-{k} sets", number, levels, work, pace, effort)
    found: Labels = np.zeros((1, 0), np.int64)
    for size in range(levels):
        room -= len(found) * (n - size)
        if room < 0:
            return None
        extended = 4 * len(found) * (n - size) * (size + 1) * order_dtype(n).itemsize
        what = f"extending {len(found)} top-{size} sets by each further label"
        limits.check_bytes(what, extended, FEWER)
        candidates = np.sort(extend(found.astype(order_dtype(n)), n), axis=1)
        found = tests.keep_feasible(sort_distinct(candidates, n), effort)
    return other_labels(found, n) if last else found


def _sweep_sets(model: ScoreModel, k: int, effort: Effort) -> Labels:
    """Top-k sets from all chambers of the hyperplanes score = threshold."""
    n, entries, room = model.n_labels, 0, limits.available_bytes()
    rows = LabelRows(model, threshold=True)
    found = [np.zeros((0, k), np.int64)]
    blocks = iter_chambers(rows.lifted(), workers=effort.workers, progress=effort.progress)
    for block in blocks:
        above = np.bitwise_count(block.packed).sum(axis=1)
        signs = unpack_signs(block.packed[above == k], n)
        found.append(np.nonzero(signs > 0)[1].reshape(-1, k))
        if block.half:
            signs = unpack_signs(block.packed[above == n - k], n)
            found.append(np.nonzero(signs < 0)[1].reshape(-1, k))
        entries += sum(part.size for part in found[-2:])
        check_size(f"more than {entries // k} top-{k} sets were found", entries, room)
    return np.concatenate(found)


def _most_chambers(model: ScoreModel) -> int:
    """Most chambers that `_sweep_sets` lists."""
    if model.is_central:
        return generic_half(model.n_labels - 1, model.rank + 1)
    return generic_half(model.n_labels, model.rank + 2)


def _sort(found: Labels) -> Labels:
    """Tops in lexicographic order."""
    return np.asarray(found[np.lexsort(found.T[::-1])])
