"""All regions of a network in blocks, by the method that suits the polyhedron."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.execution.tasks import run_tasks
from arrangements.networks.cells import iter_families
from arrangements.networks.charts import Sweeps, sweeps_of
from arrangements.networks.domain import Domain
from arrangements.networks.network import Network
from arrangements.search.parts import WHOLE, Part
from arrangements.sets.ternary import encode

if TYPE_CHECKING:
    from arrangements.search.network_sweep import NetworkSweep
    from arrangements.search.network_sweep import RegionBlock as SweptBlock

Item = TypeVar("Item")
# A search and a part of it.
_Task = tuple[int, Part]

# Rows of a block. In larger ones the system provides memory more slowly than regions are found.
_BLOCK = 4096
# Nodes, about as many regions, after which a thread looks whether another one waits for a part. To
# begin one takes as long as 200 regions.
_NODES = 2**10
# Blocks, or times as many nodes, after which it hands over what it found.
_BLOCKS, _COUNTS = 8, 64
# Seconds after which a block of few rows is yielded, too, for whoever looks at the time.
_SECONDS = 0.2


class RegionBlock(NamedTuple):
    """Some regions.

    Attributes
    ----------
    codes : (m, words) ndarray of int64
        Signs of the units, as in `sets.ternary`.
    points : (m, d) ndarray of float64, or None
        A point of each region, proved, or NaN; None where the method has none.
    """

    codes: NDArray[np.int64]
    points: NDArray[np.float64] | None


def region_blocks(network: Network, domain: Domain, workers: int = 1) -> Iterator[RegionBlock]:
    """All regions in a polyhedron, each once, in blocks; vertices take several threads.

    Examples
    --------
    >>> from arrangements.networks.domain import read_domain
    >>> from arrangements.sets.ternary import decode
    >>> net = Network([([[1], [2]], [0, -1]), ([[1, 1]], None)])
    >>> for within in None, ([[1], [-1]], [5, 5]):
    ...     blocks = region_blocks(net, read_domain(within, net))
    ...     print(sorted(row for block in blocks for row in decode(block.codes, 2).tolist()))
    [[-1, -1], [1, -1], [1, 1]]
    [[-1, -1], [1, -1], [1, 1]]
    """
    sweeps = sweeps_of(network, domain)
    if sweeps is None:
        yield from blocks_by_programs(network, domain)
        return
    for k, (codes, points) in _swept_blocks(sweeps, workers):
        if len(codes):
            yield RegionBlock(codes, None if sweeps.charts[k].inputs else points)


def _swept_blocks(sweeps: Sweeps, workers: int) -> Iterator[tuple[int, RegionBlock]]:
    """Blocks of all searches, each with the number of its search."""
    if workers == 1:
        for k, sweep in enumerate(sweeps):
            yield from ((k, _block(swept)) for swept in sweep.blocks(_BLOCK))
        return
    for k, blocks in _by_threads(sweeps, workers, _list_part):
        yield from ((k, block) for block in blocks)


def _block(swept: SweptBlock) -> RegionBlock:
    return RegionBlock(encode(swept.patterns), swept.points)


def region_counts(network: Network, domain: Domain, workers: int = 1) -> Iterator[int]:
    """Numbers that sum to the number of all regions in a polyhedron."""
    sweeps = sweeps_of(network, domain)
    if sweeps is None:
        for family in iter_families(network, domain):
            yield len(family.signs)
        return
    if workers == 1:
        yield from (count for sweep in sweeps for count in sweep.counts())
    else:
        yield from (count for _, count in _by_threads(sweeps, workers, _count_part))


def _by_threads(
    sweeps: Sweeps,
    workers: int,
    work: Callable[[NetworkSweep, Part, Callable[[], bool]], Item],
) -> Iterator[tuple[int, Item]]:
    """What `work` finds in parts of searches, until another thread waits, and their numbers."""
    idle = set[int]()

    def worker(stop: threading.Event) -> Callable[[_Task], tuple[Item, list[_Task]]]:
        own: dict[int, NetworkSweep] = {}
        thread = threading.get_ident()
        idle.add(thread)

        def ends() -> bool:
            return bool(idle) or stop.is_set()

        def run(task: _Task) -> tuple[Item, list[_Task]]:
            idle.discard(thread)
            k, part = task
            if k not in own:
                own.clear()
                own[k] = sweeps[k].another()
            item, left = work(own[k], part, ends), own[k].rest()
            idle.add(thread)
            return item, [(k, part) for part in left]

        return run

    tasks = [(k, WHOLE) for k in range(len(sweeps))]
    with closing(run_tasks(tasks, worker, rest=itemgetter(1), workers=workers)) as found:
        for (k, _), (item, _) in found:
            yield k, item


def _list_part(sweep: NetworkSweep, part: Part, ends: Callable[[], bool]) -> list[RegionBlock]:
    sweep.restart(True, part=part)
    found: list[RegionBlock] = []
    while not found or not (len(found) == _BLOCKS or sweep.is_done or ends()):
        found.append(_block(sweep.fill(_BLOCK, ends, _NODES)[1]))
    return found


def _count_part(sweep: NetworkSweep, part: Part, ends: Callable[[], bool]) -> int:
    sweep.restart(False, part=part)
    found, calls = sweep.count(_NODES), 1
    while not (calls == _COUNTS or sweep.is_done or ends()):
        found, calls = found + sweep.count(_NODES), calls + 1
    return found


def blocks_by_programs(network: Network, domain: Domain) -> Iterator[RegionBlock]:
    """The same in any polyhedron, by linear programs."""
    families = (family.patterns() for family in iter_families(network, domain))
    return (RegionBlock(encode(patterns), None) for patterns in _grouped(families))


def _grouped(blocks: Iterator[NDArray[np.int8]]) -> Iterator[NDArray[np.int8]]:
    """Rows of small blocks in larger ones; the first ones small, so that they come at once."""
    kept: list[NDArray[np.int8]] = []
    rows, wanted, began = 0, 1, time.monotonic()
    for block in blocks:
        kept.append(block)
        rows += len(block)
        if rows >= wanted or time.monotonic() > began + _SECONDS:
            yield np.concatenate(kept)
            kept, rows, wanted, began = [], 0, min(2 * wanted, _BLOCK), time.monotonic()
    if kept:
        yield np.concatenate(kept)
