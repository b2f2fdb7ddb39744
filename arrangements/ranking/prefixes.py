"""Which labels can be best? Feasible tops of rankings, without listing the rankings.

A set, or an ordered prefix, of k labels on top is found from those of k - 1 labels: leave out
the last label of the prefix, or at any point of its region the k-th label of the set, and the rest
is on top there. So each level of the search extends the one before by one label, and each
candidate is settled by one exact feasibility test.

Sets have a second way. A threshold t between the k-th and the next score separates a top-k set
from the rest, so the top-k sets are the sign vectors with exactly k signs + of the n hyperplanes
``w_i . x + b_i = t`` in one more dimension, the coordinate t: the k-th level of that arrangement.
The sweep lists all of its chambers, which is fast unless there are very many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.errors import InputError
from arrangements.hyperplanes import Arrangement
from arrangements.labels import Label, as_labels, given_labels, rows_of
from arrangements.listing import with_progress
from arrangements.packed import unpack_signs
from arrangements.prediction import generic_half
from arrangements.ranking.counts import most_rankings
from arrangements.ranking.label_rows import LabelRows, Labels
from arrangements.ranking.scores import ScoreModel, Ties, score_model
from arrangements.ranking.sets import Orders, order_dtype

Tops = NDArray[np.intp]
Pairs = Callable[[Labels], tuple[Labels, Labels]]

# A feasibility test takes about as long as so many chambers of a sweep (10 microseconds beside 0.05
# for n = 100, d = 4).
_CHAMBERS_PER_TEST = 100
# So few rankings are listed in about the time of the first test, with the kernels of chambers
# alone: those of the tests take as long to compile.
_FEW_RANKINGS = 1000
# Prefixes that are extended at a time.
_CANDIDATES = 2**16


def argmax_labels(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: int | Literal["exact"] = "exact",
    ties: Ties = "error",
    candidates: Iterable[Label] | None = None,
    progress: bool = False,
) -> NDArray[np.intp]:
    """Labels that some x ranks first.

    Parameters
    ----------
    W, offsets, rank, ties, progress
        As in `rankings`.
    candidates : iterable of int or str, optional
        Rows of W, or labels of an Arrangement: only these are asked about. Default all.

    Returns
    -------
    (m,) ndarray of int
        Rows of W, ascending. With ``ties="drop"`` the first of each group of equal labels may
        appear, the others never do.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`.

    See Also
    --------
    top_k_sets, top_k_rankings : more places.

    Notes
    -----
    Exact. Without offsets these are the vertices of the convex hull of the rows [1]_. One
    feasibility test of n - 1 differences for each label: most are settled by a few float64
    products of O(n d), verified by their error bound, the others by O(d) cone tests.

    References
    ----------
    .. [1] A. Grivas, N. Bogoychev, A. Lopez, Low-rank softmax can have unargmaxable classes in
       theory but rarely in practice, ACL (2022) 6738-6758.

    Examples
    --------
    >>> argmax_labels([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]])
    array([0, 1, 2, 3])
    """
    model = score_model(W, offsets, None, ties, rank)
    asked = _asked(candidates, model, W)
    n = model.n_labels
    if n == 1:
        return np.array(model.kept, np.intp)[asked]
    if (orders := _few_rankings(model)) is not None:
        return np.array(model.kept, np.intp)[asked[np.isin(asked, orders[:, 0])]]
    rows = LabelRows(model)
    others = np.arange(n - 1)

    def pairs(first: Labels) -> tuple[Labels, Labels]:
        below = others + (others >= first)
        return np.broadcast_to(first, below.shape), below

    return np.array(model.kept, np.intp)[_kept(rows, asked[:, None], pairs, progress)[:, 0]]


def top_k_rankings(
    W: ArrayLike | Arrangement,
    k: int,
    offsets: ArrayLike | None = None,
    *,
    rank: int | Literal["exact"] = "exact",
    ties: Ties = "error",
    progress: bool = False,
) -> Tops:
    """Feasible first k places: the beginnings of the rankings that some x produces.

    Parameters
    ----------
    W, offsets, rank, ties, progress
        As in `rankings`.
    k : int
        1 <= k <= n.

    Returns
    -------
    (m, k) ndarray of int
        Rows of W, the best first; sorted lexicographically, all distinct.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`, or if `k` is out of range.

    See Also
    --------
    top_k_sets : without the order.
    rankings : all n places.

    Notes
    -----
    Exact. Level by level: each feasible prefix of j < k labels is extended by each further
    label, and one feasibility test of n - 1 differences (O(d) cone tests of O(n d) each) settles
    it. So n tests per feasible prefix of fewer than k labels; memory for one level.

    Examples
    --------
    >>> top_k_rankings([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]], 2).tolist()
    [[0, 1], [0, 2], [0, 4], [1, 0], [1, 3], [1, 4], [2, 0], [2, 3], [3, 1], [3, 2]]
    """
    model = score_model(W, offsets, None, ties, rank)
    _check_k(k, model)
    return tops(model, k, progress)


def tops(model: ScoreModel, k: int, progress: bool = False) -> Tops:
    """Feasible orders of the first k places, sorted; see `top_k_rankings`.

    Examples
    --------
    >>> tops(score_model([[1], [2], [3]]), 2).tolist()
    [[0, 1], [2, 1]]
    """
    n = model.n_labels
    found = np.zeros((1, 0), np.int64)
    if n == 1:
        return _callers(model, np.zeros((1, 1), np.int64))
    if (orders := _few_rankings(model)) is not None:
        return _callers(model, np.unique(orders[:, :k], axis=0).astype(np.int64))
    rows = LabelRows(model)

    def pairs(prefixes: Labels) -> tuple[Labels, Labels]:
        rest = _others(prefixes, n)
        last = np.broadcast_to(prefixes[:, -1:], rest.shape)
        return np.hstack([prefixes[:, :-1], last]), np.hstack([prefixes[:, 1:], rest])

    for length in range(k):
        step = max(1, _CANDIDATES // (n - length))
        found = np.concatenate(
            [
                _kept(rows, _extended(found[start : start + step], n), pairs, progress)
                for start in range(0, len(found), step)
            ]
        )
    return _callers(model, found)


def _few_rankings(model: ScoreModel) -> Orders | None:
    """All rankings, if they are few."""
    if most_rankings(model) > _FEW_RANKINGS:
        return None
    from arrangements.ranking.enumeration import model_rankings

    return model_rankings(model, "pairs").to_array()


def top_k_sets(
    W: ArrayLike | Arrangement,
    k: int,
    offsets: ArrayLike | None = None,
    *,
    rank: int | Literal["exact"] = "exact",
    ties: Ties = "error",
    progress: bool = False,
) -> Tops:
    """Feasible top-k sets: the sets of k labels that some x ranks above all others.

    Parameters
    ----------
    W, offsets, rank, ties, progress
        As in `rankings`.
    k : int
        1 <= k <= n.

    Returns
    -------
    (m, k) ndarray of int
        Rows of W, ascending within a set; sorted lexicographically, all distinct.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`, or if `k` is out of range.

    See Also
    --------
    top_k_rankings : with the order.

    Notes
    -----
    Exact. If there are no offsets these are the k-sets of the rows: those that a hyperplane
    separates from the others. There are two ways, and the one with less work is taken: the
    sweep of the n hyperplanes ``w_i . x + b_i = t`` in the coordinates (x, t), of whose sign
    vectors those with k signs + are kept; or, where that arrangement has too many chambers, level
    by level: each feasible set of j < k labels is extended by each further label, and one
    feasibility test of n rows settles each candidate. Then beyond k = n / 2 the sets that can be
    last are searched instead, so there are at most n tests per feasible set of fewer than
    min(k, n - k) labels; memory for one level.

    Examples
    --------
    >>> top_k_sets([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]], 2).tolist()
    [[0, 1], [0, 2], [0, 4], [1, 3], [1, 4], [2, 3]]
    """
    model = score_model(W, offsets, None, ties, rank)
    _check_k(k, model)
    if k == model.n_labels:
        return _callers(model, np.arange(k)[None])
    rows = LabelRows(model, threshold=True)
    found = _grown_sets(rows, k, progress)
    return _callers(model, _swept_sets(rows, k, progress) if found is None else found)


def _grown_sets(rows: LabelRows, k: int, progress: bool) -> Labels | None:
    """Top-k sets level by level; None once a sweep is the better way."""
    n, last = rows.n, 2 * k > rows.n
    room = _chambers(rows.model) // _CHAMBERS_PER_TEST

    def pairs(chosen: Labels) -> tuple[Labels, Labels]:
        inside = np.zeros((len(chosen), n), np.bool_)
        np.put_along_axis(inside, chosen, True, axis=1)
        above = np.where(inside, np.arange(n), rows.threshold)
        below = np.where(inside, rows.threshold, np.arange(n))
        return (below, above) if last else (above, below)

    found: Labels = np.zeros((1, 0), np.int64)
    for size in range(n - k if last else k):
        room -= len(found) * (n - size)
        if room < 0:
            return None
        candidates = np.sort(_extended(found.astype(order_dtype(n)), n), axis=1)
        found = _kept(rows, np.unique(candidates, axis=0), pairs, progress)
    return _others(found, n) if last else found


def _swept_sets(rows: LabelRows, k: int, progress: bool) -> Labels:
    """Top-k sets from all chambers of the hyperplanes score = threshold."""
    from arrangements.enumeration import iter_chambers

    n = rows.n
    found = [np.zeros((0, k), np.int64)]
    for block in iter_chambers(rows.lifted(), progress=progress):
        above = np.bitwise_count(block.packed).sum(axis=1)
        signs = unpack_signs(block.packed[above == k], n)
        found.append(np.nonzero(signs > 0)[1].reshape(-1, k))
        if block.half:
            signs = unpack_signs(block.packed[above == n - k], n)
            found.append(np.nonzero(signs < 0)[1].reshape(-1, k))
    return np.concatenate(found)


def _chambers(model: ScoreModel) -> int:
    """Most chambers that `_swept_sets` lists."""
    if model.is_central:
        return generic_half(model.n_labels - 1, model.rank + 1)
    return generic_half(model.n_labels, model.rank + 2)


def _kept(rows: LabelRows, candidates: Labels, pairs: Pairs, progress: bool) -> Labels:
    """Candidates whose pairs can be met at some point."""

    def batches() -> Iterator[Labels]:
        size = rows.batch(rows.n)
        for start in range(0, len(candidates), size):
            yield candidates[start : start + size].astype(np.int64)

    found = [candidates[:0].astype(np.int64)]
    for batch in with_progress(batches(), progress, len(candidates), len, "candidates"):
        found.append(batch[rows.possible(*pairs(batch))])
    return np.concatenate(found)


def _extended(tops: Labels, n: int) -> Labels:
    """Each of the tops followed by each further label."""
    rest = _others(tops, n)
    m, width = rest.shape
    return np.hstack([np.repeat(tops, width, axis=0), rest.reshape(m * width, 1)])


def _others(tops: Labels, n: int) -> Labels:
    """Labels that are not in each of the tops, ascending."""
    outside = np.ones((len(tops), n), np.bool_)
    np.put_along_axis(outside, tops.astype(np.int64), False, axis=1)
    return np.nonzero(outside)[1].reshape(len(tops), n - tops.shape[1]).astype(tops.dtype)


def _callers(model: ScoreModel, found: Labels) -> Tops:
    """Tops in the caller's numbers, sorted."""
    kept = np.array(model.kept, np.intp)
    return np.asarray(kept[found[np.lexsort(found.T[::-1])]])


def _check_k(k: int, model: ScoreModel) -> None:
    n = model.n_labels
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= n:
        raise InputError(f"k is {k!r}; expected an integer from 1 to the number of labels, {n}.")


def _asked(candidates: Iterable[Label] | None, model: ScoreModel, W: Any) -> Labels:
    """Labels of the model to ask about, ascending; those that were dropped are left out."""
    if candidates is None:
        return np.arange(model.n_labels)
    n = model.n_labels + len(model.dropped)
    try:
        rows = rows_of(candidates, as_labels(given_labels(W), n), n)
    except InputError as error:
        raise InputError(f"candidates: {error}") from error
    return np.flatnonzero(np.isin(model.kept, rows))
