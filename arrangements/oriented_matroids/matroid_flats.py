"""Flats of a matroid and their order, and its characteristic polynomial."""

from __future__ import annotations

from typing import Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.errors import TooLargeError
from arrangements.execution import limits
from arrangements.structure.flat_orders import FEWER, FlatOrder, order_of_flats


def order_of_matroid(M: Any) -> FlatOrder:
    """Flats of a matroid: intersections of the complements of cocircuits.

    M is an oriented matroid; its class imports this module, so it is not imported here.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> order_of_matroid(OrientedMatroid.from_chirotope(3, 2, "+++")).ranks.tolist()
    [0, 1, 1, 1, 2]
    """
    if M.matrix is not None:
        kept = [e for e in range(M.n) if e not in set(M.loops)]
        found = order_of_flats(Arrangement(M.matrix[kept]))
        return FlatOrder(found.members, found.ranks, found.covers, M.n, len(M.loops))
    support = M.cocircuits() != 0
    loops = sum(1 << e for e in M.loops)
    hyperplanes = {sum(1 << e for e in np.flatnonzero(~row).tolist()) & ~loops for row in support}
    everything = (1 << M.n) - 1 & ~loops
    levels, covers, start = [[0]], [], 0
    for _ in range(M.rank):
        numbers: dict[int, int] = {}
        first = start + len(levels[-1])
        for place, flat in enumerate(levels[-1]):
            above = [h for h in hyperplanes if h & flat == flat]
            rest = everything & ~flat
            while rest:
                cover = everything
                for h in above:
                    if h & rest & -rest:
                        cover &= h
                rest &= ~cover
                covers.append((start + place, first + numbers.setdefault(cover, len(numbers))))
        if len(numbers) > limits.available_bytes() // 1000:
            raise TooLargeError(f"more than {len(numbers)} flats of one rank.", FEWER)
        levels.append(list(numbers))
        start = first
    members = [flat for level in levels for flat in level]
    ranks = np.repeat(np.arange(len(levels)), [len(level) for level in levels])
    return FlatOrder(
        members, ranks, np.array(covers, np.int64).reshape(-1, 2), M.n, loops.bit_count()
    )


def first_kind(M: Any) -> list[int]:
    """Whitney numbers of the first kind, by rank.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> first_kind(OrientedMatroid.from_chirotope(3, 2, "+++"))
    [1, -3, 2]
    """
    if M.loops:
        return [0] * (M.rank + 1)
    order = order_of_matroid(M)
    start = (np.arange(len(order.ranks)) == 0).astype(np.int64)[:, None]
    return [int(total) for (total,) in order.by_rank(order.inverted(start)).tolist()]
