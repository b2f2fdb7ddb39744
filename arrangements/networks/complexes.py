"""Faces of all dimensions of the complex into which the regions of a network divide a polyhedron.

A face belongs to the region into which a generic direction leads from it: the one for which the
direction leads inwards through all facets that contain the face. So no face is stored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from itertools import count
from operator import and_, mul
from typing import TYPE_CHECKING

import numpy as np

from arrangements.checks import check_instance
from arrangements.exact.linear import inverse
from arrangements.networks.charts import Chart, no_searches, sweeps_of
from arrangements.networks.domain import read_domain
from arrangements.networks.network import Network
from arrangements.polyhedra.reading import Within

if TYPE_CHECKING:
    from arrangements.search.network_sweep import NetworkSweep

# Coordinates of a direction are below.
_LARGE = 2**20


def region_f_vector(network: Network, *, within: Within | None = None) -> list[int]:
    """Numbers of faces of the complex of regions, by dimension, from vertices to regions.

    A face is a largest set of points of which all units have the same signs +, - and 0. In this
    complex [1]_ the faces with as many dimensions as the polyhedron are the regions.

    Parameters
    ----------
    network : Network
    within : Polyhedron, or (A, c), optional
        Only the faces that meet the relative interior of this polyhedron.

    Returns
    -------
    list of int
        Entry k is the number of faces of dimension k. With alternating signs they sum to 1 or -1,
        the sign of the last one.

    Raises
    ------
    InputError
        If the network has so many inputs that regions are not kept as vertices.

    See Also
    --------
    count_regions : the last entry, sooner.

    Notes
    -----
    Exact: the faces of each region come from its vertices and their facets, in about a tenth of a
    millisecond for each region of a network with two inputs, and more with more inputs.

    References
    ----------
    .. [1] J. E. Grigsby, K. Lindsey, On transversality of bent hyperplane arrangements and the
       topological expressiveness of ReLU neural networks, SIAM J. Appl. Algebra Geom. 6
       (2022) 216-242.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1], [1, 1]], [0, 0, -1]), ([[1, -1, 0.5]], [0.25])])
    >>> region_f_vector(net)
    [3, 9, 7]
    """
    check_instance("network", network, Network)
    domain = read_domain(within, network)
    if domain is None:
        return [0] * (network.dimension + 1)
    dimension = len(domain.basis) - 1
    if not dimension or not network.n_units:  # no unit cuts it
        return [0] * dimension + [1]
    found = sweeps_of(network, domain)
    if found is None:
        instead = "dual_graph has the regions and their walls."
        raise no_searches(network, domain, "a count of faces", instead)
    for seed in count():
        total: Counter[int] | None = Counter()
        for sweep, chart in zip(found, found.charts, strict=True):
            own = _count_faces(sweep, chart, seed)
            total = None if own is None or total is None else total + own
            if total is None:  # the direction is not generic
                break
        if total is not None:
            lines = dimension + 1 - len(found.charts[0].infinity)  # of each face
            return [total[k - lines] for k in range(dimension + 1)]
    raise AssertionError


def _direction(chart: Chart, seed: int) -> list[Fraction]:
    """A direction in the polyhedron, in homogeneous coordinates of the polytope."""
    rng, t = np.random.default_rng(seed), chart.infinity
    y = [Fraction(int(x)) for x in rng.integers(-_LARGE, _LARGE, len(t))]
    p = next(i for i, entry in enumerate(t) if entry)
    y[p] -= Fraction(sum(map(mul, t, y))) / t[p]
    if chart.coordinates is None:
        return y
    return [sum(map(mul, row, y), Fraction(0)) for row in inverse(chart.coordinates) or ()]


def _count_faces(sweep: NetworkSweep, chart: Chart, seed: int) -> Counter[int] | None:
    """Faces by dimension, without those on the boundary; None if a direction is not generic."""
    direction, found, d = _direction(chart, seed), Counter[int](), len(chart.polytope.facets[0]) - 1
    for vertices, sides in sweep.incidences(direction):
        inward = 0
        for bit, (facet, side) in sides.items():
            if facet is not None and not chart.cuts[facet]:
                continue
            if side == 0:
                return None
            inward |= (side > 0) << bit
        found[d] += 1
        found.update(_dimensions(vertices, inward, d))
    return found


def _dimensions(vertices: list[int], inward: int, d: int) -> Iterator[int]:
    """Dimensions of the proper faces of a polytope that lie on inward facets only.

    vertices : the facets on which each vertex lies, as bits
    """
    for face in _faces(vertices, inward):
        tight = reduce(and_, (v for k, v in enumerate(vertices) if face >> k & 1))
        if not tight & ~inward:
            yield _dimension(vertices, face, tight, d)


def _faces(vertices: list[int], facets: int) -> set[int]:
    """Faces that are intersections of some facets, as bits of their vertices."""
    own = set()
    for bit in range(facets.bit_length()):
        if facets >> bit & 1:
            own.add(sum(1 << k for k, v in enumerate(vertices) if v >> bit & 1))
    found, new = set(own), own
    while new:
        new = {face & facet for face in new for facet in own} - found
        found |= new
    return found - {0}


def _dimension(vertices: list[int], face: int, tight: int, d: int) -> int:
    """The dimension of a face."""
    if any(face >> k & 1 and v.bit_count() == d for k, v in enumerate(vertices)):
        return d - tight.bit_count()  # near a simple vertex
    chains: dict[int, int] = {}
    below = _faces(vertices, reduce(lambda a, b: a | b, vertices))
    for smaller in sorted({face & other for other in below} - {0}, key=int.bit_count):
        longest = (n for other, n in chains.items() if other & smaller == other)
        chains[smaller] = 1 + max(longest, default=-1)
    return chains[face]
