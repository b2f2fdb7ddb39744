"""The largest part of a system of strict inequalities that has a solution."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from arrangements.model.arrangement import Arrangement, asked_arrangement
from arrangements.model.low_rank import Rank
from arrangements.optimize.best_chamber import Optimum, best_chamber


def max_feasible(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    method: str = "auto",
    rank: Rank = "exact",
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
    time_limit: float | None = None,
) -> Optimum:
    """Find a point at which as many entries of ``W @ x + offsets`` as possible are positive.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy rational, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    weights : (n,) array_like, optional
        What each row counts; default 1.
    method, rank, workers, client, progress, max_hours, time_limit
        As in `best_chamber`.

    Returns
    -------
    Optimum
        Its `value` is the number (or the weight) of the positive rows, which are those with sign +
        in its `signs`; its `point` proves them.

    Raises
    ------
    InputError, TooLargeError
        As `best_chamber`.

    Notes
    -----
    Inequalities are strict, so the best point may be chosen within a chamber. With ``>=``, faces
    of lower dimension could be better: the origin satisfies all rows of a central arrangement.

    Examples
    --------
    >>> best = max_feasible([[1, 0], [0, 1], [-1, -1], [-2, -1]])
    >>> best.value, best.signs.tolist()
    (Fraction(3, 1), [1, -1, 1, 1])
    """
    arrangement = asked_arrangement(W, offsets, rank)
    costs = np.ones(arrangement.n_hyperplanes, np.int64) if weights is None else weights
    return best_chamber(
        arrangement,
        costs,
        sense="max",
        method=method,
        workers=workers,
        client=client,
        progress=progress,
        time_limit=time_limit,
        max_hours=max_hours,
    )
