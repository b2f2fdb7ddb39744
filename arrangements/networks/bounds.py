"""Bounds for the number of regions from the literature."""

from __future__ import annotations

from collections import Counter
from math import comb, prod
from typing import NamedTuple

from arrangements.addresses import public_class
from arrangements.checks import check_instance
from arrangements.networks.network import Network


@public_class
class RegionBounds(NamedTuple):
    """Bounds for the regions of the layers up to each one with units.

    Attributes
    ----------
    reached : tuple of int, or None
        Some network of ReLU layers of these widths has at least so many regions [1]_.
    serra : tuple of int, or None
        No network of ReLU layers of these widths has more [3]_.
    montufar : tuple of int
        No network with these layers has more [2]_; a weaker bound, for leaky units and other graphs
        of layers too.

    Notes
    -----
    None where a bound does not hold: if a layer takes anything but the layer before, has other
    slopes than 0, or is linear (but for the last). `reached` is also None where a layer has fewer
    units than there are inputs.

    References
    ----------
    .. [1] G. Montufar, R. Pascanu, K. Cho, Y. Bengio, On the number of linear regions of deep
       neural networks, NIPS 2014.
    .. [2] G. Montufar, Notes on the number of linear regions of deep neural networks, SampTA 2017.
    .. [3] T. Serra, C. Tjandraatmadja, S. Ramalingam, Bounding and counting linear regions of deep
       neural networks, ICML 2018.
    """

    reached: tuple[int, ...] | None
    serra: tuple[int, ...] | None
    montufar: tuple[int, ...]


def region_bounds(network: Network) -> RegionBounds:
    """Bounds for the number of regions of networks with layers like these.

    Parameters
    ----------
    network : Network

    Returns
    -------
    RegionBounds

    See Also
    --------
    unit_states : has the numbers of this network, by layer.

    Examples
    --------
    >>> import numpy as np
    >>> region_bounds(Network([(np.ones((n, m)), None) for m, n in ((2, 3), (3, 3), (3, 1))]))
    RegionBounds(reached=(7, 7), serra=(7, 40), montufar=(7, 49))
    """
    check_instance("network", network, Network)
    d, widths = network.dimension, [n for n in network.widths if n]
    plain = _is_plain(network)
    least = [min([d, *widths[:k]]) if plain else d for k in range(len(widths))]
    pieces = [sum(comb(n, j) for j in range(m + 1)) for n, m in zip(widths, least, strict=True)]
    montufar = tuple(prod(pieces[: k + 1]) for k in range(len(pieces)))
    if not plain:
        return RegionBounds(None, None, montufar)
    reached = None
    if min(widths, default=d) >= d:
        folds = [(n // d) ** d for n in widths]
        reached = tuple(prod(folds[:k]) * pieces[k] for k in range(len(widths)))
    return RegionBounds(reached, _serra(d, widths), montufar)


def _is_plain(network: Network) -> bool:
    """Whether each layer takes the one before, and all but the last are ReLU."""
    *hidden, last = network.layers
    chain = all(layer.inputs == ((k - 1) if k else "x",) for k, layer in enumerate(network.layers))
    slopes = [layer.slopes for layer in (hidden if last.is_linear else network.layers)]
    return chain and not any(s is None or s.any() for s in slopes)


def _serra(dimension: int, widths: list[int]) -> tuple[int, ...]:
    """Sums of products of binomials C(n_l, j_l), over j_l <= n_l and all n_k - j_k before.

    A region in which j of n units are negative has an image of dimension at most n - j.
    """
    # dimension of the image -> bound for the regions with such an image
    sums = Counter({dimension: 1})
    found = []
    for n in widths:
        following: Counter[int] = Counter()
        for m, total in sums.items():
            for j in range(min(m, n) + 1):
                following[min(m, n - j)] += total * comb(n, j)
        sums = following
        found.append(sum(sums.values()))
    return tuple(found)
