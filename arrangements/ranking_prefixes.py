"""Which labels can be best? Feasible tops of rankings, without listing the rankings.

A set, or an ordered prefix, of k labels on top is found from those of k - 1 labels: leave out
the last label of the prefix, or at any point of its region the k-th label of the set, and the rest
is on top there. So each level of the search extends the one before by one label, and each
candidate is settled by one exact feasibility test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.errors import InputError
from arrangements.hyperplanes import Arrangement
from arrangements.ranking_insertion import PairTable
from arrangements.ranking_sets import Orders, order_dtype
from arrangements.scores import ScoreModel, Ties, score_model

Top = tuple[int, ...]
Pairs = tuple[list[int], list[int]]

# Candidates tested in one call of the kernel, which then answers Ctrl-C.
_CANDIDATES = 256


def argmax_labels(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: int | Literal["exact"] = "exact",
    ties: Ties = "error",
) -> NDArray[np.intp]:
    """Labels that some x ranks first.

    Parameters
    ----------
    W, offsets, rank, ties
        As in `rankings`.

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
    feasibility test of n - 1 rows for each label, O(d) cone tests of O(n d) each.

    References
    ----------
    .. [1] A. Grivas, N. Bogoychev, A. Lopez, Low-rank softmax can have unargmaxable classes in
       theory but rarely in practice, ACL (2022) 6738-6758.

    Examples
    --------
    >>> argmax_labels([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]])
    array([0, 1, 2, 3])
    """
    from arrangements.certificates import feasible

    model = score_model(W, offsets, None, ties, rank)
    n = model.n_labels

    def can_be_first(i: int) -> bool:
        others = [j for j in range(n) if j != i]
        walls = model.arrangement([i] * (n - 1), others)
        return bool(feasible(walls, np.ones(n - 1, np.int8)))

    return np.array([model.kept[i] for i in range(n) if can_be_first(i)], np.intp)


def top_k_rankings(
    W: ArrayLike | Arrangement,
    k: int,
    offsets: ArrayLike | None = None,
    *,
    rank: int | Literal["exact"] = "exact",
    ties: Ties = "error",
) -> Orders:
    """Feasible first k places: the beginnings of the rankings that some x produces.

    Parameters
    ----------
    W, offsets, rank, ties
        As in `rankings`.
    k : int
        1 <= k <= n.

    Returns
    -------
    (m, k) ndarray of unsigned int
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

    def pairs(prefix: Top) -> Pairs:
        rest = _others(prefix, model.n_labels)
        return [*prefix[:-1], *prefix[-1:] * len(rest)], [*prefix[1:], *rest]

    return _array(model, _levels(model, k, pairs, lambda prefix, c: (*prefix, c)), k)


def top_k_sets(
    W: ArrayLike | Arrangement,
    k: int,
    offsets: ArrayLike | None = None,
    *,
    rank: int | Literal["exact"] = "exact",
    ties: Ties = "error",
) -> Orders:
    """Feasible top-k sets: the sets of k labels that some x ranks above all others.

    Parameters
    ----------
    W, offsets, rank, ties
        As in `rankings`.
    k : int
        1 <= k <= n.

    Returns
    -------
    (m, k) ndarray of unsigned int
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
    Exact. These are the k-sets of the rows (separated from the others by a hyperplane) if there
    are no offsets. Level by level: each feasible set of j < k labels is extended by each further
    label, and one feasibility test of j (n - j) differences settles each candidate; beyond
    k = n / 2 the sets that can be last are searched instead. So at most n tests per feasible set
    of fewer than min(k, n - k) labels; memory for one level.

    Examples
    --------
    >>> top_k_sets([[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]], 2).tolist()
    [[0, 1], [0, 2], [0, 4], [1, 3], [1, 4], [2, 3]]
    """
    model = score_model(W, offsets, None, ties, rank)
    _check_k(k, model)
    n = model.n_labels
    below = 2 * k > n

    def pairs(chosen: Top) -> Pairs:
        rest = _others(chosen, n)
        ours, theirs = [i for i in chosen for _ in rest], [*rest] * len(chosen)
        return (theirs, ours) if below else (ours, theirs)

    def extended(chosen: Top, c: int) -> Top:
        return tuple(sorted((*chosen, c)))

    found = _levels(model, n - k if below else k, pairs, extended)
    if below:
        found = {tuple(_others(chosen, n)) for chosen in found}
    return _array(model, found, k)


def _levels(
    model: ScoreModel, k: int, pairs: Callable[[Top], Pairs], extended: Callable[[Top, int], Top]
) -> set[Top]:
    """Tops of k labels, grown from those of none."""
    n = model.n_labels
    found: set[Top] = {()}
    if k == 0 or n == 1:
        return {tuple(range(k))}
    table = PairTable(model)
    for _ in range(k):
        candidates = iter({extended(top, c) for top in found for c in _others(top, n)})
        found = set()
        while batch := list(islice(candidates, _CANDIDATES)):
            above, below = (
                np.array(side, np.int64)
                for side in zip(*(pairs(top) for top in batch), strict=True)
            )
            feasible = table.possible(above, below)
            found |= {top for top, yes in zip(batch, feasible, strict=True) if yes}
    return found


def _others(top: Iterable[int], n: int) -> list[int]:
    inside = set(top)
    return [i for i in range(n) if i not in inside]


def _array(model: ScoreModel, found: set[Top], k: int) -> Orders:
    """Tops in the caller's numbers, sorted."""
    kept = np.array(model.kept)
    rows = np.array(sorted(found), np.intp).reshape(len(found), k)
    return kept[rows].astype(order_dtype(max(model.kept) + 1))


def _check_k(k: int, model: ScoreModel) -> None:
    n = model.n_labels
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 1 <= k <= n:
        raise InputError(f"k is {k!r}; expected an integer from 1 to the number of labels, {n}.")
