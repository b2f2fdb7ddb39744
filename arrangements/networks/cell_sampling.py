"""Estimates of the number of regions in any polyhedron, from cells drawn by linear programs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import repeat
from math import inf, log2, sqrt

import numpy as np

from arrangements.forecast.random_chains import sum_of_powers
from arrangements.networks.cells import Cell, Family, draw_family, first_cell, last_with_units
from arrangements.networks.domain import Domain
from arrangements.networks.network import Network
from arrangements.networks.sampling import LEAST_VARIANCE, Estimate

# Cells in which regions of a layer are drawn, at most; and regions in the polyhedron, in each cell.
_CELLS, _FIRST, _IN_EACH = 200, 256, 64


def estimate_by_programs(
    network: Network, domain: Domain, seconds: float, layer: int | None = None, seed: int = 0
) -> Estimate:
    """Regions of the layers up to one with units, by default all, from a sample.

    Some regions of each layer are drawn in regions of the layers before, which were drawn with
    chances in proportion to how many they stand for. That takes about so many seconds, and more
    where single linear programs take as long.

    Examples
    --------
    >>> from arrangements.networks.domain import read_domain
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 1]], [-1]), ([[1]], None)])
    >>> estimate_by_programs(net, read_domain(None, net), 1.0)
    Estimate(number=7, error=0.0)
    """
    rng, last = np.random.default_rng(seed), last_with_units(network) if layer is None else layer
    layers = [k for k, width in enumerate(network.widths[: last + 1]) if width]
    log_number, variance, exact = 0.0, 0.0, True  # binary logarithm; of the natural one
    families, logs = list[Family](), list[float]()
    for k in layers:
        end = time.monotonic() + seconds / len(layers)
        if families:
            most, cells = _IN_EACH, _cells(families, logs, exact, rng)
            needed = sum(len(family.signs) for family in families)
        else:
            most, cells, needed = _FIRST, repeat(first_cell(network, domain), _CELLS), 1
        families, logs, complete = [], [], True
        for cell in cells:
            family, drawn = draw_family(network, cell, k, most, rng)
            families.append(family)
            logs.append(drawn.log_number)
            complete &= drawn.complete
            if (complete and len(logs) == needed) or (time.monotonic() > end and len(logs) > 1):
                break
        counts = np.exp2(np.array(logs) - max(logs))
        log_number += max(logs) + log2(counts.mean())
        exact = exact and complete and len(logs) == needed
        if not exact:
            variance += float(counts.var() / counts.mean() ** 2) / len(logs) or LEAST_VARIANCE
    error = sqrt(variance) * 2.0**log_number if log_number < 1000 else inf
    return Estimate(sum_of_powers(np.array([log_number])), error)


def _cells(
    families: list[Family], logs: list[float], every: bool, rng: np.random.Generator
) -> Iterator[Cell]:
    """Regions of families, each with a chance in proportion to how many it stands for.

    logs : binary logarithms of how many regions there are where each family was drawn
    every : whether the families are all regions; then these come, if they are few
    """
    sizes = [len(family.signs) for family in families]
    places = [(j, i) for j, size in enumerate(sizes) for i in range(size)]
    if every and len(places) <= 2 * _CELLS:
        chosen = rng.permutation(len(places))
    else:
        chances = np.repeat(np.exp2(np.array(logs) - max(logs)) / sizes, sizes)
        chosen = rng.choice(len(places), _CELLS, p=chances / chances.sum())
    for j, i in (places[c] for c in chosen.tolist()):
        yield from families[j]._replace(signs=families[j].signs[i : i + 1]).cells()
