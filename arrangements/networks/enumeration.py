"""All regions of a network in blocks, by the method that suits the polyhedron."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.cells import iter_families
from arrangements.networks.domain import Domain
from arrangements.networks.layer import INPUT
from arrangements.networks.network import Network

if TYPE_CHECKING:
    from arrangements.search.network_sweep import NetworkSweep

# Rows of a block.
_BLOCK = 4096
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


def region_blocks(network: Network, domain: Domain) -> Iterator[RegionBlock]:
    """All regions in a polyhedron, each once, in blocks.

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
    if suits_vertices(network, domain):
        for patterns, points, *_ in _sweep(network, domain).blocks(_BLOCK):
            yield RegionBlock(patterns, points)
    else:
        yield from blocks_by_programs(network, domain)


def region_counts(network: Network, domain: Domain) -> Iterator[int]:
    """Numbers that sum to the number of all regions in a polyhedron."""
    if suits_vertices(network, domain):
        yield from _sweep(network, domain).counts()
    else:
        for family in iter_families(network, domain):
            yield len(family.signs)


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


def _sweep(network: Network, domain: Domain) -> NetworkSweep:
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
