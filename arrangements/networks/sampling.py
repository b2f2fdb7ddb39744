"""Estimates of the number of regions from a sample of them, layer by layer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from arrangements.search.network_sweep import NetworkSweep

# Regions of each layer that are drawn, and regions of the first layer that are listed at most.
# In each of several searches are at least some.
_DRAWN, _LISTED, _LEAST = 200, 2**17, 2**10
# What is drawn has no variance of 0: where counts happen to be equal, the estimate is no proof.
LEAST_VARIANCE = 1e-12


class Estimate(NamedTuple):
    """A number of regions.

    Attributes
    ----------
    number : int
    error : float
        Standard deviation of it, as the sample tells; 0 if the number is exact.
    """

    number: int
    error: float


def estimate_regions(sweeps: Sequence[NetworkSweep], seconds: float, seed: int = 0) -> Estimate:
    """Regions that some searches will find, from a sample; that takes about so many seconds.

    The regions of the first layer with units are listed, and some of them drawn; in these the
    regions of the next layer are listed, and some of them drawn, and so on: a stratified sample of
    the tree of the search (P. C. Chen, Heuristic sampling, SIAM J. Comput. 21 (1992)).

    Examples
    --------
    >>> from arrangements.networks import Network
    >>> from arrangements.networks.charts import sweeps_of
    >>> from arrangements.networks.domain import read_domain
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 1]], [-1]), ([[1]], None)])
    >>> estimate_regions(sweeps_of(net, read_domain(None, net)), 1.0)
    Estimate(number=7, error=0.0)
    """
    rng, left, found = np.random.default_rng(seed), _LISTED, list[_Sample]()
    for sweep in sweeps:
        found.append(_sample(sweep, max(left, _LEAST), seconds / len(sweeps), rng))
        left -= found[-1].first
    # The first layer has at most so many in all searches: in those that were cut short, equal parts
    cut = [sample for sample in found if not sample.complete]
    rest = max((sample.bound for sample in cut), default=0.0)
    rest -= sum(sample.first for sample in found if sample.complete)
    number = square = 0.0
    for sample in found:
        first = sample.first if sample.complete else max(sample.first, rest / len(cut))
        number += first * sample.factor
        square += (first * sample.factor) ** 2 * sample.variance
    return Estimate(round(number), float(np.sqrt(square)))


class _Sample(NamedTuple):
    """What a sample of one search says.

    Attributes
    ----------
    first : int
        Regions of the first layer with units that were listed.
    complete : bool
        Whether these are all.
    bound : float
        Regions of the first layer in general position, everywhere.
    factor : float
        Mean number of all regions in one of these.
    variance : float
        Of the logarithm of the number; 0 if it is exact.
    """

    first: int
    complete: bool
    bound: float
    factor: float
    variance: float


def _sample(sweep: NetworkSweep, most: int, seconds: float, rng: np.random.Generator) -> _Sample:
    layers = [k for k, layer in enumerate(sweep.tables.layers) if layer.units]
    complete, drawn = sweep.list_first(layers[0], most)
    units, d = sweep.tables.layers[layers[0]].units, sweep.tables.facets.shape[1] - 1
    bound = float(sum(comb(units, k) for k in range(d + 1)))
    first, number = len(drawn), float(len(drawn))
    variance = 0.0 if complete else LEAST_VARIANCE
    for place, layer in enumerate(layers[1:], 1):
        end = time.monotonic() + seconds / (len(layers) - 1)
        whole = variance == 0 and len(drawn) == number
        counts, kept = [], _Reservoir(rng)
        order = rng.permutation(len(drawn))
        for i in order.tolist():
            below = sweep.list_below(drawn[i], layer)
            counts.append(len(below))
            if place + 1 < len(layers):
                kept.add(below)
            if len(counts) >= _DRAWN and not (whole and len(drawn) <= 2 * _DRAWN):
                break
            if time.monotonic() > end and len(counts) > 1:
                break
        mean = float(np.mean(counts))
        number *= mean
        if not (whole and len(counts) == len(drawn)):
            variance += float(np.var(counts)) / mean**2 / len(counts) or LEAST_VARIANCE
        drawn = kept.rows()
    return _Sample(first, complete, bound, number / first, variance)


class _Reservoir:
    """A sample of rows that come in blocks."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rows: list[NDArray[np.int8]] = []
        self._keys: list[NDArray[np.float64]] = []

    def add(self, rows: NDArray[np.int8]) -> None:
        """Some rows more."""
        self._rows.append(rows)
        self._keys.append(self._rng.random(len(rows)))
        if sum(map(len, self._keys)) > 100 * _DRAWN:
            rows, keys = np.concatenate(self._rows), np.concatenate(self._keys)
            least = np.argsort(keys)[: 2 * _DRAWN]
            self._rows, self._keys = [rows[least]], [keys[least]]

    def rows(self) -> NDArray[np.int8]:
        """Rows of which each has been drawn with the same chance."""
        if not self._rows:
            return np.zeros((0, 0), np.int8)
        rows, keys = np.concatenate(self._rows), np.concatenate(self._keys)
        return rows[np.argsort(keys)[: 2 * _DRAWN]]
