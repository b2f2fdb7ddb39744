"""Flats of a matroid and their order, and its characteristic polynomial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arrangements.core.arrangement import Arrangement
from arrangements.errors import TooLargeError
from arrangements.execution import limits
from arrangements.sets.packed import pack_signs
from arrangements.structure.flat_orders import FEWER, FlatOrder, order_of_flats
from arrangements.structure.intersections import Flats, hasse_diagram

if TYPE_CHECKING:
    import networkx as nx


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


def whitney_numbers_of(M: Any, kind: int) -> list[int]:
    """Whitney numbers of a kind, by rank; of a matroid without loops, for the first kind.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> whitney_numbers_of(OrientedMatroid.from_chirotope(3, 2, "+++"), 1)
    [1, -3, 2]
    """
    order = order_of_matroid(M)
    values = mobius_of(order) if kind == 1 else np.ones((len(order.ranks), 1), np.int64)
    return [int(total) for (total,) in order.by_rank(values).tolist()]


def mobius_of(order: FlatOrder) -> Any:
    """The Möbius function between the least flat and each, in a column."""
    return order.inverted((np.arange(len(order.ranks)) == 0).astype(np.int64)[:, None])


def listed_flats(M: Any) -> Flats:
    """Flats as a public object.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> list(listed_flats(OrientedMatroid.from_chirotope(3, 2, "+++")))
    [(), (0,), (1,), (2,), (0, 1, 2)]
    """
    return _as_flats(M, order_of_matroid(M))


def intersection_poset_of(M: Any) -> nx.DiGraph[int]:
    """The flats with their order.

    Examples
    --------
    >>> from arrangements import OrientedMatroid
    >>> P = intersection_poset_of(OrientedMatroid.from_chirotope(3, 2, "+++"))
    >>> P.nodes[4], sorted(P.predecessors(4))
    ({'hyperplanes': (0, 1, 2), 'rank': 2, 'dimension': 0, 'mobius': 2}, [1, 2, 3])
    """
    order = order_of_matroid(M)
    values = np.ravel(mobius_of(order)) * (not M.loops)
    return hasse_diagram(_as_flats(M, order), order.covers, values)


def _as_flats(M: Any, order: FlatOrder) -> Flats:
    # without a matrix bits are numbers of elements, else of elements that are no loops
    elements = [e for e in range(M.n) if M.matrix is None or e not in M.loops]
    signs = np.full((len(order.members), M.n), -1, np.int8)
    for row, members in zip(signs, order.members, strict=True):
        row[[e for place, e in enumerate(elements) if members >> place & 1]] = 1
    signs[:, list(M.loops)] = 1
    return Flats(pack_signs(signs), order.ranks, M.n, M.rank, M.labels)
