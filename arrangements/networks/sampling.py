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
_DRAWN, _LISTED = 200, 2**17


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
    rng = np.random.default_rng(seed)
    found = [_estimate(sweep, seconds / len(sweeps), rng) for sweep in sweeps]
    number = sum(number for number, _ in found)
    return Estimate(round(number), float(np.sqrt(sum(error**2 for _, error in found))))


def _estimate(sweep: NetworkSweep, seconds: float, rng: np.random.Generator) -> tuple[float, float]:
    layers = [k for k, layer in enumerate(sweep.tables.layers) if layer.units]
    complete, drawn = sweep.list_first(layers[0], _LISTED)
    number, variance = float(len(drawn)), 0.0  # of the logarithm
    if not complete:  # at most
        units, d = sweep.tables.layers[layers[0]].units, sweep.tables.facets.shape[1] - 1
        number = float(sum(comb(units, k) for k in range(d + 1)))
    for place, layer in enumerate(layers[1:], 1):
        end = time.monotonic() + seconds / (len(layers) - 1)
        whole = variance == 0 and complete and len(drawn) == number
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
            variance += float(np.var(counts)) / mean**2 / len(counts) or 1e-12
        drawn = kept.rows()
    return number, number * np.sqrt(variance)


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
