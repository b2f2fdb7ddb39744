"""Which labels can tie for the top."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.hyperplanes import Arrangement
from arrangements.ranking_prefixes import top_k_rankings
from arrangements.scores import Ties


def top_ties(
    W: ArrayLike | Arrangement,
    offsets: ArrayLike | None = None,
    *,
    rank: int | Literal["exact"] = "exact",
    ties: Ties = "error",
) -> NDArray[np.intp]:
    """Pairs of labels that can tie for the first place, strictly above all others.

    Parameters
    ----------
    W, offsets, rank, ties
        As in `rankings`.

    Returns
    -------
    (m, 2) ndarray of int
        Rows of W, i < j in each pair, sorted lexicographically: some x gives both the same
        score and every other label a smaller one.

    Raises
    ------
    InputError, TiedLabelsError
        As `rankings`.

    See Also
    --------
    top_k_rankings : feasible first places in order.

    Notes
    -----
    Exact. Labels i and j tie for the first place somewhere iff each of them can be first with
    the other one second: the points where {i, j} are on top form a convex set, which the tie
    cuts in two unless it misses it. Without offsets these are the edges of the convex hull of
    the rows (between vertices, and with no further row on them). The cost is that of
    ``top_k_rankings(W, 2)``.

    Examples
    --------
    >>> top_ties([[1, 1], [1, -1], [-1, 1], [-1, -1]]).tolist()
    [[0, 1], [0, 2], [1, 3], [2, 3]]
    """
    # one label has no rival; any other malformed input gets its error from the call below
    if np.shape(W.normals if isinstance(W, Arrangement) else W)[:1] == (1,):
        return np.zeros((0, 2), np.intp)
    tops = {tuple(pair) for pair in top_k_rankings(W, 2, offsets, rank=rank, ties=ties).tolist()}
    both = sorted((i, j) for i, j in tops if i < j and (j, i) in tops)
    return np.array(both, np.intp).reshape(len(both), 2)
