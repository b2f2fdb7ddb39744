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
from arrangements.networks.domain import Domain
from arrangements.networks.layer import INPUT
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
# Vertices of regions are worth their memory up to this dimension, where random networks take 14 us
# a region; with 8 inputs they take 240 us.
_MOST_DIMENSIONS, _MOST_INEQUALITIES = 6, 64


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
    if not suits_vertices(network, domain):
        yield from blocks_by_programs(network, domain)
    elif workers == 1:
        for block in sweep_of(network, domain).blocks(_BLOCK):
            yield RegionBlock(block.patterns, block.points)
    else:
        for block in _by_threads(sweep_of(network, domain), workers, _list_part):
            if len(block.patterns):
                yield RegionBlock(block.patterns, block.points)


def region_counts(network: Network, domain: Domain, workers: int = 1) -> Iterator[int]:
    """Numbers that sum to the number of all regions in a polyhedron."""
    if suits_vertices(network, domain):
        sweep = sweep_of(network, domain)
        yield from sweep.counts() if workers == 1 else _by_threads(sweep, workers, _count_part)
    else:
        for family in iter_families(network, domain):
            yield len(family.signs)


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


def _count_part(
    sweep: NetworkSweep, part: Part, stop: threading.Event
) -> tuple[int, list[Part]]:
    sweep.restart(False, part=part)
    count = 0
    while count < _COUNTED and not sweep.is_done and not stop.is_set():
        count += sweep.count()
    return count, sweep.rest()


def blocks_by_programs(network: Network, domain: Domain) -> Iterator[RegionBlock]:
    """The same in any polyhedron, by linear programs."""
    families = (family.patterns() for family in iter_families(network, domain))
    return (RegionBlock(patterns, None) for patterns in _grouped(families))


def suits_vertices(network: Network, domain: Domain) -> bool:
    """Whether regions can be kept as their vertices: bounded, and of full, low dimension."""
    P = domain.polyhedron
    return (
        network.n_units > 0
        and domain.is_full
        and network.dimension <= _MOST_DIMENSIONS
        and len(P.inequalities[0]) <= _MOST_INEQUALITIES
        and P.is_bounded
    )


def sweep_of(network: Network, domain: Domain) -> NetworkSweep:
    """The search unit by unit in a polytope."""
    from arrangements.search import network_sweep, network_tables  # loads numba

    layers = []
    for layer in network.layers:
        rows, denominator = layer.integer_rows
        sources = tuple(-1 if source == INPUT else int(source) for source in layer.inputs or ())
        slopes, common = (None, 1) if layer.is_linear else layer.integer_slopes
        layers.append(network_tables.SweepLayer(rows, denominator, sources, slopes, common))
    if not network.layers[-1].is_linear:  # the last layer of a sweep has no units
        row = [1] * network.n_outputs + [0]
        layers.append(network_tables.SweepLayer([row], 1, (len(layers) - 1,)))
    facets = [domain.positive[domain.inequalities.index(j)] for j in domain.polyhedron.facets]
    polytope = network_sweep.Polytope(domain.polyhedron.vertices, facets)
    return network_sweep.NetworkSweep(layers, polytope)


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
