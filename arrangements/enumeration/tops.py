"""Which labels can be best? Feasible tops of rankings, without listing the rankings.

Sets and ordered prefixes of k labels on top are found from those of k - 1 labels: without the last
label of the prefix, or without the label in place k at some point of its region, the rest is on top
there. So each level of the search extends the one before by one label, and one exact feasibility
test settles each candidate.

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
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer
from arrangements.core.arrangement import Arrangement
from arrangements.core.label_sets import read_label_set
from arrangements.core.labels import Label, as_labels, labels_of, name_rows
from arrangements.core.score_model import ScoreModel, Ties, as_score_model
from arrangements.counting.prediction import generic_half
from arrangements.counting.ranking_counts import most_rankings
from arrangements.enumeration.chambers import iter_chambers
from arrangements.enumeration.listing import with_progress
from arrangements.enumeration.rankings import request_of_model
from arrangements.exact.numbers import ExactArray
from arrangements.execution import limits
from arrangements.execution.threads import answers
from arrangements.feasibility.batch import Kind, Questions
from arrangements.feasibility.certificate_table import Certificates
from arrangements.feasibility.deciding import decide
from arrangements.feasibility.label_rows import LabelRows, Labels
from arrangements.feasibility.score_rows import ScoreRows
from arrangements.messages import Remedy
from arrangements.sets.packed import unpack_signs
from arrangements.sets.rankings import Orders, order_dtype

# Row numbers (intp), or names.
Tops = NDArray[Any]

# A feasibility test takes about as long as this many chambers of a sweep (10 microseconds and 0.05
# for n = 100, d = 4).
_CHAMBERS_PER_TEST = 100
# From this many labels on, tests are made in bulk, this many times as fast.
_BULK, _BULK_PACE = 100, 5
# Listing this many rankings takes about as long as the first test, and needs only the kernels of
# chambers: those of the tests take as long to compile.
_FEW_RANKINGS = 1000
# Prefixes that are extended at a time.
_CANDIDATES = 2**16
# Fewer tests are not worth a prediction, which takes up to `_PROBES` descents or `_PROBE_SECONDS`.
_FEW_TESTS, _FEW_IN_BULK = 20_000, 1_000_000
_PROBES, _PROBE_SECONDS = 10, 2.0
# A descent tries this many further labels on each level.
_TRIED = 64
# This many tops of one size can neither be held nor tested.
_HOPELESS = 1e15
_FEWER = Remedy("fewer tops", "Choose a smaller k, or drop labels.")
# Least number of chambers that a sweep lists in a second.
_CHAMBERS_PER_SECOND = 2e7
# Bytes that ordered tops take for each of their labels: int64, sorted, and copied.
_TOP_BYTES = 24


class Effort(NamedTuple):
    """How to search: options that do not change the answer."""

    workers: int = 1
    progress: bool = False
    max_hours: float | None = None


@overload
def argmax_labels(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    candidates: Iterable[Label] | None = None,
    named: bool = False,
    proofs: Literal[False] = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops: ...
@overload
def argmax_labels(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    candidates: Iterable[Label] | None = None,
    named: bool = False,
    proofs: Literal[True],
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Certificates: ...
def argmax_labels(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    candidates: Iterable[Label] | None = None,
    named: bool = False,
    proofs: bool = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops | Certificates:
    """Labels that some x ranks first.

    Parameters
    ----------
    W, offsets, rank, ties, labels, progress
        As in `rankings`.
    candidates : iterable of int or str, or (n,) mask, optional
        Rows of W, or labels, to ask about. Default all.
    proofs : bool
        Return `Certificates` of all labels asked about, those that can be first and those that
        cannot, instead.
    named, workers, max_hours
        As in `top_k_sets`.

    Returns
    -------
    (m,) ndarray of int, or of str; or Certificates
        Rows of W, ascending, or their names. With ``ties="drop"`` only the first of each group of
        equal labels can appear.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`.

    See Also
    --------
    top_k_sets, top_k_rankings : more places.

    Notes
    -----
    Exact. Without offsets these are the vertices of the convex hull of the rows [1]_. Products of
    matrices, O(n d) for each label, find points for most labels that can be first, and an error
    bound proves them; a search among the labels that were first at some point settles the others,
    see docs/batches.md.

    References
    ----------
    .. [1] A. Grivas, N. Bogoychev, A. Lopez, Low-rank softmax can have unargmaxable classes in
       theory but rarely in practice, ACL (2022) 6738-6758.

    Examples
    --------
    >>> argmax_labels([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]])
    array([0, 1, 2, 3])
    """
    labels = labels_of(W, labels)
    model = as_score_model(W, offsets, labels, ties, rank)
    asked = _asked(candidates, model, labels)
    effort, answer = checked_effort(workers, progress, max_hours), callers_rows(model, named)
    if not check_flag("proofs", proofs):
        if model.has_all_orders:
            return answer[asked]
        if (orders := _few_rankings(model)) is not None:
            return answer[asked[np.isin(asked, orders[:, 0])]]
    found = _proved(model, "orders", asked[:, None], effort)
    return found if proofs else answer[asked[found.feasible]]


def _proved(model: ScoreModel, kind: Kind, tops: Labels, effort: Effort) -> Certificates:
    """Certificates of tops of one size."""
    labels = model.kept if model.labels is None and model.dropped else model.labels
    rows = ScoreRows(model.weights, model.offsets, labels, compared=True)
    kind = "orders" if tops.shape[1] == 1 else kind  # the same, without a threshold
    questions = Questions.of_array(rows, kind, tops)
    return decide(questions, workers=effort.workers, progress=effort.progress)


@overload
def top_k_rankings(
    W: ArrayLike | Arrangement,
    k: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    proofs: Literal[False] = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops: ...
@overload
def top_k_rankings(
    W: ArrayLike | Arrangement,
    k: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    proofs: Literal[True],
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Certificates: ...
def top_k_rankings(
    W: ArrayLike | Arrangement,
    k: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    proofs: bool = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops | Certificates:
    """Feasible first k places: the beginnings of the rankings that some x produces.

    Parameters
    ----------
    W, offsets, rank, ties, labels, progress
        As in `rankings`.
    k : int
        1 <= k <= n.
    named, proofs, workers, max_hours
        As in `top_k_sets`.

    Returns
    -------
    (m, k) ndarray of int, or of str; or Certificates
        Rows of W, or their names, the best first; sorted by row numbers, all distinct.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`, or if `k` is out of range.
    TooLargeError
        As `top_k_sets`.

    See Also
    --------
    top_k_sets : without the order.
    rankings : all n places.

    Notes
    -----
    Exact. The search goes level by level: each feasible prefix of j < k labels is extended by each
    further label, and one feasibility test of n - 1 differences (O(d) cone tests of O(n d) each)
    settles it. So there are at most n tests per feasible prefix of fewer than k labels. Memory is
    that of one level.

    Examples
    --------
    >>> top_k_rankings([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]], 2).tolist()
    [[0, 1], [0, 2], [0, 4], [1, 0], [1, 3], [1, 4], [2, 0], [2, 3], [3, 1], [3, 2]]
    """
    model = as_score_model(W, offsets, labels, ties, rank)
    effort, answer = checked_effort(workers, progress, max_hours), callers_rows(model, named)
    found = tops(model, _checked_k(k, model), effort)
    if check_flag("proofs", proofs):
        return _proved(model, "orders", found, effort)
    return answer[found]


def tops(model: ScoreModel, k: int, effort: Effort) -> Labels:
    """Feasible orders of the first k places, sorted, in the numbers of the model.

    Examples
    --------
    >>> tops(as_score_model([[1], [2], [3]]), 2, Effort()).tolist()
    [[0, 1], [2, 1]]
    """
    n = model.n_labels
    if model.has_all_orders:
        return _everything(permutations(range(n), k), perm(n, k), k)
    if (orders := _few_rankings(model)) is not None:
        return np.unique(orders[:, :k], axis=0).astype(np.int64)
    tests = _Tests(model, "orders")
    expected = _forecast(tests, k, [perm(n, j) for j in range(k + 1)])
    if expected is not None:
        _check_forecast(expected, f"orders of the first {k} places", effort)
    found = np.zeros((1, 0), np.int64)
    for length in range(k):
        step = max(1, _CANDIDATES // (n - length))
        found = np.concatenate(
            [
                tests.kept(_extended(found[start : start + step], n), effort)
                for start in range(0, len(found), step)
            ]
        )
    return _sorted(found)


def _everything(tops: Iterable[tuple[int, ...]], number: int, k: int) -> Labels:
    """All tops of k labels, if every choice occurs."""
    _check_size(f"all {limits.short(number)} tops occur", number * k)
    labels = np.fromiter(chain.from_iterable(tops), np.int64, number * k)
    return labels.reshape(number, k)


def _few_rankings(model: ScoreModel) -> Orders | None:
    """All rankings, if they are few."""
    if model.n_labels > _FEW_RANKINGS or most_rankings(model) > _FEW_RANKINGS:
        return None
    return request_of_model(model, "pairs").collect().to_array()


@overload
def top_k_sets(
    W: ArrayLike | Arrangement,
    k: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    proofs: Literal[False] = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops: ...
@overload
def top_k_sets(
    W: ArrayLike | Arrangement,
    k: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    proofs: Literal[True],
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Certificates: ...
def top_k_sets(
    W: ArrayLike | Arrangement,
    k: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    proofs: bool = False,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops | Certificates:
    """Feasible top-k sets: the sets of k labels that some x ranks above all others.

    Parameters
    ----------
    W, offsets, rank, ties, labels, progress
        As in `rankings`.
    k : int
        1 <= k <= n.
    named : bool
        Whether the answer holds names of labels (text; without labels, numbers as text) instead of
        row numbers.
    proofs : bool
        Return `Certificates` of the tops that occur, each with a point, in the same order. They do
        not prove that no other occurs.
    workers : int
        Threads, both for the sweep and for feasibility tests.
    max_hours : float, optional
        Refuse a search that is expected to take more hours; default a day. ``math.inf`` allows
        every search.

    Returns
    -------
    (m, k) ndarray of int, or of str; or Certificates
        Rows of W, or their names, ascending by row within a set; sorted by row numbers, all
        distinct.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`, or if `k` is out of range.
    TooLargeError
        If the sets are not expected to fit into half of the free memory, or the search to end
        within `max_hours`.

    Warns
    -----
    SlowCountWarning
        If the search is expected to take more than an hour.

    See Also
    --------
    top_k_rankings : with the order.

    Notes
    -----
    Exact. Without offsets these are the k-sets of the rows: sets of k rows that a hyperplane
    separates from the others. Of two ways the function takes the one with less work. A sweep of the
    n hyperplanes ``w_i . x + b_i = t`` in the coordinates (x, t) lists sign vectors, of which those
    with k signs + are kept. If that arrangement has too many chambers, the sets grow level by
    level: each feasible set of j < k labels is extended by each further label, and one feasibility
    test of n rows settles each candidate. If k > n / 2, this search is for the sets that can be
    last, so there are at most n tests per feasible set of fewer than min(k, n - k) labels. Memory
    is that of one level.

    Examples
    --------
    >>> top_k_sets([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]], 2).tolist()
    [[0, 1], [0, 2], [0, 4], [1, 3], [1, 4], [2, 3]]
    >>> top_k_sets([[0], [1], [3]], 2, labels=["low", "middle", "high"], named=True).tolist()
    [['low', 'middle'], ['middle', 'high']]
    """
    model = as_score_model(W, offsets, labels, ties, rank)
    effort, answer = checked_effort(workers, progress, max_hours), callers_rows(model, named)
    found = _top_sets(model, _checked_k(k, model), effort)
    if check_flag("proofs", proofs):
        return _proved(model, "sets", found, effort)
    return answer[found]


def _top_sets(model: ScoreModel, k: int, effort: Effort) -> Labels:
    """Feasible top-k sets, sorted, in the numbers of the model."""
    n = model.n_labels
    if k == n or model.has_all_orders:
        return _everything(combinations(range(n), k), comb(n, k), k)
    found = _grown_sets(model, k, effort)
    return _sorted(_swept_sets(model, k, effort) if found is None else found)


def _grown_sets(model: ScoreModel, k: int, effort: Effort) -> Labels | None:
    """Top-k sets level by level; None once a sweep is faster."""
    n, last = model.n_labels, 2 * k > model.n_labels
    levels = n - k if last else k
    tests, chambers = _Tests(model, "sets", last), _chambers(model)
    room = chambers // _CHAMBERS_PER_TEST * (_BULK_PACE if tests.in_bulk else 1)
    if chambers > 3600 * _CHAMBERS_PER_SECOND:  # else the sweep takes less than an hour
        most = [comb(n, j) for j in range(levels + 1)]
        expected = _forecast(tests, levels, most)
        if expected is not None and expected.work > room:
            expected = expected._replace(work=chambers, pace=_CHAMBERS_PER_SECOND)
            room = -1
        if expected is not None:
            _check_forecast(expected, f"top-{k} sets", effort)
    found: Labels = np.zeros((1, 0), np.int64)
    for size in range(levels):
        room -= len(found) * (n - size)
        if room < 0:
            return None
        extended = 4 * len(found) * (n - size) * (size + 1) * order_dtype(n).itemsize
        what = f"extending {len(found)} top-{size} sets by each further label"
        limits.check_bytes(what, extended, _FEWER)
        candidates = np.sort(_extended(found.astype(order_dtype(n)), n), axis=1)
        found = tests.kept(_distinct(candidates, n), effort)
    return _others(found, n) if last else found


def _swept_sets(model: ScoreModel, k: int, effort: Effort) -> Labels:
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
        _check_size(f"more than {entries // k} top-{k} sets were found", entries, room)
    return np.concatenate(found)


def _chambers(model: ScoreModel) -> int:
    """Most chambers that `_swept_sets` lists."""
    if model.is_central:
        return generic_half(model.n_labels - 1, model.rank + 1)
    return generic_half(model.n_labels, model.rank + 2)


class _Forecast(NamedTuple):
    """The expected size and work of a search level by level."""

    size: int  # labels of a top
    tops: int
    work: int  # tests, or chambers
    pace: float  # of them in a second


def _forecast(feasible: _Tests, k: int, most: list[int]) -> _Forecast | None:
    """Tops of k labels, and tests to find them, by random descents; None if these are few.

    A descent extends a top by a random feasible label. Take the product of the numbers of choices,
    each divided by the number of feasible tops from which the next could come: its mean is the
    number of tops of that size (Knuth, Math. Comp. 29 (1975) 121-136). `most` bounds it. Sizes that
    a descent does not reach in time get the number of the last size.
    """
    n, ordered = feasible.n, feasible.kind == "orders"
    few = _FEW_IN_BULK if feasible.in_bulk else _FEW_TESTS
    if sum(_tests(most, n, ordered)) <= few:
        return None
    rng = np.random.default_rng(0)
    sums, tests, probes = np.zeros(k + 1), 0, 0
    feasible.kept(_extended(np.zeros((1, 0), np.int64), n)[:1], Effort())  # compiles
    # so does the first candidate of another kind, which the pace must not be taken from
    _descend(feasible, sums.copy(), np.random.default_rng(1), time.perf_counter() + _PROBE_SECONDS)
    began = time.perf_counter()
    while probes < _PROBES and time.perf_counter() < began + _PROBE_SECONDS:
        tests += _descend(feasible, sums, rng, began + _PROBE_SECONDS)
        probes += 1
    pace = max(tests, 1) / (time.perf_counter() - began)
    expected = [min(int(x / probes), m) for x, m in zip(sums.tolist(), most, strict=True)]
    return _Forecast(k, expected[-1], sum(_tests(expected, n, ordered)), pace)


def _tests(sizes: list[int], n: int, ordered: bool) -> list[int]:
    """Number of candidates of each level, given the number of tops of each size."""
    candidates = [number * (n - j) for j, number in enumerate(sizes[:-1])]
    return candidates if ordered else [min(c, comb(n, j + 1)) for j, c in enumerate(candidates)]


def _descend(
    feasible: _Tests,
    sums: NDArray[np.float64],
    rng: np.random.Generator,
    end: float,
) -> int:
    """Add one descent's estimates of the numbers of tops to `sums`; return its number of tests."""
    top, weight, tests = np.zeros((1, 0), np.int64), 1.0, 0
    for size in range(len(sums) - 1):
        sums[size] += weight
        candidates = rng.permutation(_extended(top, feasible.n))
        found, tried = candidates[:0], 0
        while tried < min(_TRIED, len(candidates)) and time.perf_counter() < end:
            part = candidates[tried : tried + _TRIED // 8]
            found = np.concatenate([found, feasible.kept(part, Effort())])
            tried += len(part)
        tests += tried
        if time.perf_counter() > end or weight > _HOPELESS:
            sums[size + 1 :] += weight
            return tests
        if not len(found):
            return tests
        top = found[rng.integers(len(found))][None]
        weight *= len(found) * len(candidates) / tried
        if feasible.kind == "sets" and size:
            smaller = np.array([np.delete(top[0], i) for i in range(size + 1)])
            weight /= len(feasible.kept(smaller, Effort()))
            tests += size + 1
    sums[-1] += weight
    return tests


def _check_forecast(expected: _Forecast, noun: str, effort: Effort) -> None:
    """Refuse tops that are not expected to fit into memory, or to be found in time."""
    what = f"about {limits.short(expected.tops)} {noun} are expected"
    _check_size(what, expected.tops * expected.size)
    pace = expected.pace * effort.workers
    limits.check_hours(f"{what}; finding them", expected.work, pace, effort.max_hours)


def _check_size(what: str, entries: int, room: int | None = None) -> None:
    """Refuse tops if all their labels together do not fit into the memory allowed."""
    limits.check_bytes(what, entries * _TOP_BYTES, _FEWER, allowed=room)


class _Tests:
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
        return ScoreRows(_negated(weights), None if offsets is None else _negated(offsets))

    def kept(self, candidates: Labels, effort: Effort) -> Labels:
        """Those of the candidates that are feasible."""
        batches = [
            candidates[start : start + self._batch]
            for start in range(0, len(candidates), self._batch)
        ]

        def tested(batch: Labels) -> tuple[int, Labels]:
            return len(batch), batch[self._feasible(batch.astype(np.int64), effort.workers)]

        def size(answer: tuple[int, Labels]) -> int:
            return answer[0]

        number = len(candidates)
        what = f"testing {number} candidates"
        done = answers(tested, batches, 1 if self.in_bulk else effort.workers)
        watched = limits.foreseen(done, number, size, what, effort.max_hours)
        found = [candidates[:0]]
        for _, kept in with_progress(watched, effort.progress, number, size, "candidates"):
            found.append(kept)
        return np.concatenate(found).astype(np.int64)

    @property
    def _batch(self) -> int:
        """Candidates to test at a time."""
        return _CANDIDATES if self.in_bulk else self.rows.batch(self.n)

    def _feasible(self, tops: Labels, workers: int) -> NDArray[np.bool_]:
        if not self.in_bulk:
            return self.rows.possible(*self._pairs(tops))
        kind = "orders" if tops.shape[1] == 1 else self.kind
        return decide(Questions.of_array(self.bulk, kind, tops), workers=workers).feasible

    def _pairs(self, tops: Labels) -> tuple[Labels, Labels]:
        """Rows that shall score higher than others."""
        if self.kind == "orders":
            rest = _others(tops, self.n)
            lowest = np.broadcast_to(tops[:, -1:], rest.shape)
            return np.hstack([tops[:, :-1], lowest]), np.hstack([tops[:, 1:], rest])
        inside = np.zeros((len(tops), self.n), np.bool_)
        np.put_along_axis(inside, tops, True, axis=1)
        above = np.where(inside, np.arange(self.n), self.rows.threshold)
        below = np.where(inside, self.rows.threshold, np.arange(self.n))
        return (below, above) if self.last else (above, below)


def _negated(values: ExactArray) -> ExactArray:
    """The numbers with the other sign; int64 does not hold that of its least."""
    least = np.iinfo(np.int64).min
    wide = values.dtype == np.int64 and bool((values == least).any())
    return np.asarray(-values.astype(object) if wide else -values)


def _extended(tops: Labels, n: int) -> Labels:
    """Each of the tops followed by each further label."""
    rest = _others(tops, n)
    m, width = rest.shape
    return np.hstack([np.repeat(tops, width, axis=0), rest.reshape(m * width, 1)])


def _distinct(tops: Labels, n: int) -> Labels:
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


def _others(tops: Labels, n: int) -> Labels:
    """Labels that are not in each of the tops, ascending."""
    outside = np.ones((len(tops), n), np.bool_)
    np.put_along_axis(outside, tops.astype(np.int64), False, axis=1)
    return np.nonzero(outside)[1].reshape(len(tops), n - tops.shape[1]).astype(tops.dtype)


def _sorted(found: Labels) -> Labels:
    """Tops in lexicographic order."""
    return np.asarray(found[np.lexsort(found.T[::-1])])


def callers_rows(model: ScoreModel, named: bool) -> Tops:
    """What an answer holds for each label of the model: the caller's row, or the name."""
    kept = np.array(model.kept, np.intp)
    if not check_flag("named", named):
        return kept
    return name_rows(np.arange(len(kept)), model.names(range(len(kept))))


def checked_effort(workers: int, progress: bool, max_hours: float | None) -> Effort:
    """The keywords of a search, checked."""
    limits.check_max_hours(max_hours)
    workers = check_integer("workers", workers, 1)
    return Effort(workers, check_flag("progress", progress), max_hours)


def _checked_k(k: int, model: ScoreModel) -> int:
    return check_integer("k", k, 1, model.n_labels, of="the number of labels")


def _asked(
    candidates: Iterable[Label] | None, model: ScoreModel, labels: Iterable[Any] | None
) -> Labels:
    """Labels of the model to ask about, ascending, without those that were dropped."""
    if candidates is None:
        return np.arange(model.n_labels)
    rows = asked_rows(candidates, model, labels, "candidates")
    return np.flatnonzero(np.isin(model.kept, rows))


def asked_rows(given: Any, model: ScoreModel, labels: Iterable[Any] | None, name: str) -> list[int]:
    """The rows of the caller in a set of labels, including those that were dropped."""
    n = model.n_labels + len(model.dropped)
    return read_label_set(given, as_labels(labels, n), n, name)
