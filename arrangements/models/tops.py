"""Which labels can be best: feasible tops of rankings, without listing the rankings."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.checks import check_flag, check_integer
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.label_sets import read_label_set
from arrangements.core.labels import Label, as_labels, labels_of, name_rows
from arrangements.core.score_model import ScoreModel, Ties, as_score_model
from arrangements.core.short_rows import check_size
from arrangements.errors import InputError
from arrangements.execution.devices import DeviceLike, read_device
from arrangements.feasibility.batch import FeasibilityBatch
from arrangements.feasibility.deciding import are_feasible
from arrangements.feasibility.kept_answers import decide_and_keep
from arrangements.feasibility.label_rows import Labels
from arrangements.feasibility.proof_arrays import Proofs
from arrangements.models.top_search import (
    Tops,
    feasible_orders,
    feasible_sets,
    read_effort,
    rows_of_model,
)
from arrangements.polyhedra.reading import Within, read_polyhedron


def argmax_labels(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    candidates: Iterable[Label] | None = None,
    named: bool = False,
    within: Within | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    device: DeviceLike | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops:
    """Labels that some x ranks first.

    Parameters
    ----------
    W, offsets, rank, ties, labels, progress
        As in `rankings`.
    candidates : iterable of int or str, or (n,) mask, optional
        Rows of W, or labels, to ask about. Default all.
    checkpoint, device : optional
        As in `can_be_top`.
    named, within, workers, max_hours
        As in `top_k_sets`.

    Returns
    -------
    (m,) ndarray of int, or of str
        Rows of W, ascending, or their names. With ``ties="drop"`` only the first of each group of
        equal labels can appear.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`, and for `checkpoint` and `device` as `can_be_top`.
    TooLargeError
        If the rows of a large head do not fit into memory.

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
    >>> from arrangements import Polyhedron
    >>> corners = [[1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]]
    >>> argmax_labels(corners), argmax_labels(corners, within=Polyhedron.box(0, 1, dimension=2))
    (array([0, 1, 2, 3]), array([0]))
    """
    labels = labels_of(W, labels)
    short = check_size(W, "a question about each") and rank is None and within is None
    model = as_score_model(W, offsets, labels, ties, rank, short=short)
    members = _read_candidates(candidates, model, labels)
    effort, answer = read_effort(workers, progress, max_hours), rows_of_caller(model, named)
    P = None if within is None else read_polyhedron(within, model)
    there = read_device(device)
    if P is not None and there is not None:
        raise InputError("device and within were given; expected one of them.")
    if P is None and model.has_all_orders:
        return answer[members]
    if P is not None and P.is_empty:
        return answer[members[:0]]
    rows = rows_of_model(model, P)
    rows.device = there
    batch = FeasibilityBatch.of_array(rows, "orders", members[:, None])
    if checkpoint is None:
        return answer[members[are_feasible(batch, effort.workers, effort.progress)]]
    others = () if P is None else (*P.inequalities, *P.equations)
    found = decide_and_keep(
        batch,
        lambda part, _: Proofs.without(are_feasible(part, effort.workers), rows.dimension),
        checkpoint,
        others,
        what="argmax_labels",
        progress=effort.progress,
    )
    return answer[members[found.feasible]]


def top_k_rankings(
    W: ArrangementLike,
    k: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops:
    """Feasible first k places: the beginnings of the rankings that some x produces.

    Parameters
    ----------
    W, offsets, rank, ties, labels, progress
        As in `rankings`.
    k : int
        1 <= k <= n.
    named, within, workers, max_hours
        As in `top_k_sets`.

    Returns
    -------
    (m, k) ndarray of int, or of str
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
    effort, answer = read_effort(workers, progress, max_hours), rows_of_caller(model, named)
    P = None if within is None else read_polyhedron(within, model)
    return answer[feasible_orders(model, _check_k(k, model), effort, P)]


def top_k_sets(
    W: ArrangementLike,
    k: int,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: Ties = "error",
    labels: Iterable[Label] | None = None,
    named: bool = False,
    within: Within | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> Tops:
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
    within : Polyhedron, or (A, c), optional
        Only where x is in the relative interior of this polyhedron, or of ``A @ x <= c``.
    workers : int
        Threads, both for the sweep and for feasibility tests.
    max_hours : float, optional
        Refuse a search that is expected to take more hours; default a day. ``math.inf`` allows
        every search.

    Returns
    -------
    (m, k) ndarray of int, or of str
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
    effort, answer = read_effort(workers, progress, max_hours), rows_of_caller(model, named)
    P = None if within is None else read_polyhedron(within, model)
    return answer[feasible_sets(model, _check_k(k, model), effort, P)]


def _check_k(k: int, model: ScoreModel) -> int:
    return check_integer("k", k, 1, model.n_labels, of="the number of labels")


def rows_of_caller(model: ScoreModel, named: bool) -> Tops:
    """What an answer holds for each label of the model: the caller's row, or the name."""
    kept = np.array(model.kept, np.intp)
    if not check_flag("named", named):
        return kept
    return name_rows(np.arange(len(kept)), model.names(range(len(kept))))


def _read_candidates(
    candidates: Iterable[Label] | None, model: ScoreModel, labels: Iterable[Any] | None
) -> Labels:
    """Labels of the model to ask about, ascending, without those that were dropped."""
    if candidates is None:
        return np.arange(model.n_labels)
    rows = read_rows(candidates, model, labels, "candidates")
    return np.flatnonzero(np.isin(model.kept, rows))


def read_rows(
    members: Any, model: ScoreModel, labels: Iterable[Any] | None, name: str
) -> list[int]:
    """The rows of the caller in a set of labels, including those that were dropped."""
    n = model.n_labels + len(model.dropped)
    return read_label_set(members, as_labels(labels, n), n, name)
