"""The best and the worst place that each label can take in a ranking."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import checked_flag, checked_integer
from arrangements.counting.prediction import expected_chambers
from arrangements.model.arrangement import Arrangement
from arrangements.model.labels import Label
from arrangements.model.low_rank import Rank
from arrangements.model.score_model import ScoreModel, of_pairs, score_model
from arrangements.optimize.by_sweep import least_of_all
from arrangements.optimize.costs import Costs
from arrangements.resources import limits
from arrangements.resources.progress import ProgressBar

# About how long a sweep takes for a chamber.
_CHAMBER_SECONDS = 2e-8


def place_range(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: Rank = "exact",
    ties: str = "error",
    labels: Iterable[Label] | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[np.int64]:
    """Find the best and the worst place of each label, over all inputs without ties.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy rational, or Arrangement
        Label i has the score ``w_i . x + b_i``. Places count from 0, the largest score.
    offsets : (n,) array_like, optional
        Default zeros.
    rank, ties, labels
        As in `rankings`; a label that is dropped has no row in the answer.
    workers : int
        Threads, each for one label at a time.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        Refuse what is expected to take more. The default is a year.

    Returns
    -------
    (n, 2) ndarray of int64
        The least and the largest place of each label. A label whose least place is 0 can win: it
        is one of `argmax_labels`.

    Raises
    ------
    TiedLabelsError
        If two labels are equal, unless `ties` says otherwise.
    TooLargeError
        If it is expected to take more than `max_hours`.

    Notes
    -----
    The place of label i is the number of labels j with ``(w_j - w_i) . x + b_j - b_i > 0``, a sum
    over the signs of n - 1 differences. So its range is that over the chambers of these
    differences, of which a sweep sees each once: O(n**d) for each label with offsets, else
    O(n**(d - 1)).

    Examples
    --------
    >>> W = [[0, 0], [4, 0], [0, 4], [1, 1]]
    >>> place_range(W).tolist()
    [[0, 3], [0, 3], [0, 3], [1, 2]]
    """
    workers, progress = checked_integer("workers", workers, 1), checked_flag("progress", progress)
    limits.check_max_hours(max_hours)
    model = score_model(W, offsets, labels, ties, rank)
    if model.n_labels > 1:
        each = expected_chambers(of_pairs(model, np.arange(1, model.n_labels), [0]))
        number = each * model.n_labels
        what = f"about {limits.short(number)} chambers of differences are expected; seeing them"
        limits.check_hours(what, number, workers / _CHAMBER_SECONDS, max_hours)

    with ExitStack() as stack:
        bar = stack.enter_context(ProgressBar(model.n_labels, "labels")) if progress else None
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        ranges = []
        for found in pool.map(lambda i: _range(model, i), range(model.n_labels)):
            ranges.append(found)
            if bar is not None:
                bar.add(1)
    return np.array(ranges, np.int64).reshape(-1, 2)


def _range(model: ScoreModel, i: int) -> tuple[int, int]:
    """The least and the largest number of labels with a larger score than label i."""
    others = np.array([j for j in range(model.n_labels) if j != i], np.intp)
    if not len(others):
        return 0, 0
    differences = of_pairs(model, others, np.full_like(others, i))
    costs = _each(len(others))
    least = least_of_all(differences, costs)
    if differences.is_central:  # the opposite of a chamber is one
        return least, len(others) - least
    return least, -least_of_all(differences, costs.negated())


def _each(n: int) -> Costs:
    """Every sign + costs 1."""
    return Costs((1,) * n, 0, 1)
