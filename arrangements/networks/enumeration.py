"""All regions of a network in blocks, by the method that suits the polyhedron."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.cells import iter_families
from arrangements.networks.domain import Domain
from arrangements.networks.network import Network

# Rows of a block.
_BLOCK = 4096


class RegionBlock(NamedTuple):
    """Some regions.

    Attributes
    ----------
    patterns : (m, n_units) ndarray of int8
    points : (m, d) ndarray of float64, or None
        A point of each region, proved; None where the method has none.
    """

    patterns: NDArray[np.int8]
    points: NDArray[np.float64] | None


def region_blocks(network: Network, domain: Domain) -> Iterator[RegionBlock]:
    """All regions in a polyhedron, each once, in blocks.

    Examples
    --------
    >>> from arrangements.networks.domain import read_domain
    >>> net = Network([([[1], [2]], [0, -1]), ([[1, 1]], None)])
    >>> sorted(row for block in region_blocks(net, read_domain(None, net))
    ...     for row in block.patterns.tolist())
    [[-1, -1], [1, -1], [1, 1]]
    """
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
