"""All regions of a network in blocks, by the method that suits the polyhedron."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.execution.tasks import run_tasks
from arrangements.networks.cells import iter_families
from arrangements.networks.charts import sweeps_of
from arrangements.networks.domain import Domain
from arrangements.networks.network import Network
from arrangements.search.parts import WHOLE, Part

if TYPE_CHECKING:
    from arrangements.search.network_sweep import NetworkSweep
    from arrangements.search.network_sweep import RegionBlock as SweptBlock

Item = TypeVar("Item")

# Rows of a block. In larger ones the system provides memory more slowly than regions are found.
_BLOCK = 4096
# Regions of a part that a thread counts. To begin one takes about a millisecond.
_COUNTED = 2**16


class RegionBlock(NamedTuple):
    """Some regions.

    Attributes
    ----------
    patterns : (m, n_units) ndarray of int8
    points : (m, d) ndarray of float64, or None
        A point of each region, proved, or NaN; None where the method has none.
    """

    patterns: NDArray[np.int8]
    points: NDArray[np.float64] | None


def region_blocks(network: Network, domain: Domain, workers: int = 1) -> Iterator[RegionBlock]:
    """All regions in a polyhedron, each once, in blocks; vertices take several threads.

    Examples
    --------
    >>> from arrangements.networks.domain import read_domain
    >>> net = Network([([[1], [2]], [0, -1]), ([[1, 1]], None)])
    >>> for within in None, ([[1], [-1]], [5, 5]):
    ...     blocks = region_blocks(net, read_domain(within, net))
    ...     print(sorted(row for block in blocks for row in block.patterns.tolist()))
    [[-1, -1], [1, -1], [1, 1]]
    [[-1, -1], [1, -1], [1, 1]]
    """
    sweeps = sweeps_of(network, domain)
    if sweeps is None:
        yield from blocks_by_programs(network, domain)
        return
    for sweep, chart in sweeps:
        blocks = sweep.blocks(_BLOCK) if workers == 1 else _by_threads(sweep, workers, _list_part)
        for block in blocks:
            if len(block.patterns):
                yield RegionBlock(block.patterns, None if chart.inputs else block.points)


def region_counts(network: Network, domain: Domain, workers: int = 1) -> Iterator[int]:
    """Numbers that sum to the number of all regions in a polyhedron."""
    sweeps = sweeps_of(network, domain)
    if sweeps is None:
        for family in iter_families(network, domain):
            yield len(family.signs)
        return
    for sweep, _ in sweeps:
        yield from sweep.counts() if workers == 1 else _by_threads(sweep, workers, _count_part)


def _by_threads(
    sweep: NetworkSweep,
    workers: int,
    work: Callable[[NetworkSweep, Part, threading.Event], tuple[Item, list[Part]]],
) -> Iterator[Item]:
    """What `work` finds in parts of a search; it returns the parts that it leaves, too."""

    def worker(stop: threading.Event) -> Callable[[Part], tuple[Item, list[Part]]]:
        own = sweep.another()
        return lambda part: work(own, part, stop)

    with closing(run_tasks([WHOLE], worker, rest=itemgetter(1), workers=workers)) as found:
        for _, (item, _) in found:
            yield item


def _list_part(
    sweep: NetworkSweep, part: Part, stop: threading.Event
) -> tuple[SweptBlock, list[Part]]:
    sweep.restart(True, part=part)
    finished, block = sweep.fill(_BLOCK, stop.is_set)
    return block, [] if finished else sweep.rest()


def _count_part(sweep: NetworkSweep, part: Part, stop: threading.Event) -> tuple[int, list[Part]]:
    sweep.restart(False, part=part)
    count = 0
    while count < _COUNTED and not sweep.is_done and not stop.is_set():
        count += sweep.count()
    return count, sweep.rest()


def blocks_by_programs(network: Network, domain: Domain) -> Iterator[RegionBlock]:
    """The same in any polyhedron, by linear programs."""
    families = (family.patterns() for family in iter_families(network, domain))
    return (RegionBlock(patterns, None) for patterns in _grouped(families))


def _grouped(blocks: Iterator[NDArray[np.int8]]) -> Iterator[NDArray[np.int8]]:
    """Rows of small blocks in larger ones; the first ones small, so that they come at once."""
    kept: list[NDArray[np.int8]] = []
    rows, wanted = 0, 1
    for block in blocks:
        kept.append(block)
        rows += len(block)
        if rows >= wanted:
            yield np.concatenate(kept)
            kept, rows, wanted = [], 0, min(2 * wanted, _BLOCK)
    if kept:
        yield np.concatenate(kept)
