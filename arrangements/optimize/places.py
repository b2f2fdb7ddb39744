"""The best and the worst place that each label can take in a ranking."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours, check_option
from arrangements.core.alignment import align_columns, column_names
from arrangements.core.arrangement import Arrangement, ArrangementLike
from arrangements.core.labels import Label
from arrangements.core.score_model import ScoreModel, as_score_model, of_pairs
from arrangements.exact.numbers import as_objects
from arrangements.optimize.by_sweep import for_each, least_of_all
from arrangements.optimize.costs import Costs
from arrangements.optimize.regions import as_region, joined, outside_is_worst


def place_range(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rank: int | None = None,
    ties: str = "error",
    labels: Iterable[Label] | None = None,
    within: ArrangementLike | None = None,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[np.int64]:
    """Find the best and the worst place of each label, over all inputs without ties.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
        Label i has the score ``w_i . x + b_i``. Places count from 0, the largest score.
    offsets : (n,) array_like, optional
        Default zeros.
    rank, ties, labels
        As in `rankings`; a label that is dropped has no row in the answer.
    within : "simplex", (k, d) array_like or Arrangement, optional
        Only inputs x count that lie in this open region: "simplex", positive weights x of sum 1;
        or a polyhedron, in which all rows are positive: the cone ``A @ x > 0`` of a matrix A, or
        ``A @ x + c > 0`` of ``Arrangement(A, c)``.
    workers : int
        Threads, each for one label at a time.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        Refuse what is expected to take more. The default is a day.

    Returns
    -------
    (n, 2) ndarray of int64
        The least and the largest place of each label. A label whose least place is 0 can win: it
        is one of `argmax_labels`.

    Raises
    ------
    TiedLabelsError
        If two labels are equal, unless `ties` says otherwise.
    InputError
        If `within` is empty or has another number of columns.
    TooLargeError
        If it is expected to take more than `max_hours`.

    Notes
    -----
    The place of label i is the number of labels j with ``(w_j - w_i) . x + b_j - b_i > 0``, a sum
    over the signs of n - 1 differences. So its range is that over the chambers of these
    differences, of which a sweep sees each once: O(n**d) for each label with offsets, else
    O(n**(d - 1)). Within a region, the hyperplanes around it are added, and a chamber outside is
    worse than any inside. The closed region has the same range but for ties at its boundary. On the
    simplex an offset counts ``b_i * x.sum()``, so that its cone has the same rankings.

    Examples
    --------
    >>> W = [[0, 0], [4, 0], [0, 4], [1, 1]]
    >>> place_range(W).tolist()
    [[0, 3], [0, 3], [0, 3], [1, 2]]
    >>> place_range(W, within="simplex").tolist()
    [[3, 3], [0, 2], [0, 2], [1, 2]]
    """
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    check_max_hours(max_hours)
    if isinstance(within, str):
        check_option("within", within, ("simplex",), " (a polyhedron is a matrix or Arrangement)")
    model = as_score_model(W, offsets, labels, ties, rank)
    n, d = model.n_labels, model.weights.shape[1]
    region = None
    if isinstance(within, str):
        region = Arrangement(np.eye(d, dtype=np.int64))
        if model.offsets is not None:
            rows = as_objects(model.weights) + as_objects(model.offsets)[:, None]
            model = as_score_model(rows, None, model.labels)
    elif within is not None:
        within = align_columns(within, column_names(W), "within", "columns of W")
        region = as_region(within, d)
    if n == 1:
        return np.zeros((1, 2), np.int64)
    first = of_pairs(model, np.arange(1, n), [0])
    largest = first if region is None else joined(first, region)
    work = partial(_range, model, region)
    ranges = for_each(work, n, largest, "labels", workers, progress, max_hours)
    return np.array(ranges, np.int64)


def _range(model: ScoreModel, region: Arrangement | None, i: int) -> tuple[int, int]:
    """The least and the largest number of labels with a larger score than label i."""
    others = np.array([j for j in range(model.n_labels) if j != i], np.intp)
    differences = of_pairs(model, others, np.full_like(others, i))
    costs = Costs.of_number(len(others))
    if region is not None:
        both = joined(differences, region)
        low, high = (outside_is_worst(c, len(region)) for c in (costs, costs.negated()))
        least = least_of_all(both, low) + low.constant
        return least, -(least_of_all(both, high) + high.constant)
    least = least_of_all(differences, costs)
    if differences.is_central:  # the opposite of a chamber is one
        return least, len(others) - least
    return least, -least_of_all(differences, costs.negated())
