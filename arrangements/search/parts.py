"""Parts of a sweep: subtrees that are swept by themselves, in any order and on any machine.

A node of the tree is identified by the children that lead to it: hyperplanes, or numbers of pairs
of labels. Each row comes from the line of one node, so it belongs to one part, and a part is the
same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# More than the number of children of any node, or of rows.
ALL = 2**62
# A part is 1 / (_SHARES * threads) of what is left, and the last one at least about
# 1 / (_SMALLEST * threads) of all.
_SHARES, _SMALLEST = 2, 256


class Part(NamedTuple):
    """The subtrees of some children of one node.

    Attributes
    ----------
    prefix : tuple of int
        The children that lead from the root to the node.
    first, stop : int
        Its children first..stop-1.
    own : bool
        Whether the line of the node itself belongs to the part.
    """

    prefix: tuple[int, ...]
    first: int
    stop: int
    own: bool = False

    @classmethod
    def read(cls, plain: Sequence[Any]) -> Part:
        """The part that a list in a file stands for."""
        prefix, first, stop, own = plain
        return cls(tuple(prefix), first, stop, own)


WHOLE = Part((), 0, ALL, own=True)


def rest(part: Part, depth: int, chain: list[int], after: list[int], most: list[int]) -> list[Part]:
    """What is left of a part before the line of the current node, the deepest first.

    Parameters
    ----------
    depth : int
        Of the current node.
    chain, after : list of int
        The child being visited at each depth, and the number of the one to look at next.
    most : list of int
        The children of each depth have smaller numbers.
    """
    base = len(part.prefix)
    if depth <= base:
        return [part]
    left = []
    for e in range(depth - 1, base - 1, -1):
        first = chain[e] if e == depth - 1 else after[e]
        stop = min(most[e], part.stop) if e == base else most[e]
        if first < stop:
            left.append(Part(part.prefix + tuple(chain[base:e]), first, stop))
    return left


def most_rows(tasks: Sequence[Part], root: int, below: NDArray[np.float64]) -> list[int]:
    """Bounds for the rows of the parts, from those for the root's line and for its children."""
    total = [0, *np.cumsum(below).astype(np.int64).tolist()]
    return [
        (root if task.own else 0) + total[min(task.stop, len(below))] - total[task.first]
        for task in tasks
    ]


def cut(weights: NDArray[np.float64], workers: int) -> list[Part]:
    """Parts below the root that threads share out, the largest first, and before them its own line.

    Each part is a share of what is left, so that the last ones are small and all threads end at
    about the same time.

    Parameters
    ----------
    weights : (n,) ndarray
        Of the subtree of each child, in increasing order.
    workers : int
        Threads.
    """
    n = len(weights)
    workers = min(workers, n)  # others would have no part
    share = 1 / (_SHARES * workers)
    steps = math.ceil(math.log(_SMALLEST * workers) / -math.log1p(-share))
    goals = weights.sum() * (1 - share) ** np.arange(steps, 0, -1)
    cuts = np.unique(np.searchsorted(np.cumsum(weights), goals) + 1)
    edges = [0, *(int(c) for c in cuts if c < n), n]
    below = [Part((), first, stop) for first, stop in pairwise(edges)]
    return [Part((), 0, 0, own=True), *below[::-1]]
