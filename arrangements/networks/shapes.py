"""Regions of a network with their vertices in floats, for pictures."""

from __future__ import annotations

from collections.abc import Iterator
from operator import mul
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arrangements.networks.charts import sweeps_of
from arrangements.networks.domain import read_domain
from arrangements.networks.layer import Layer
from arrangements.networks.network import Network
from arrangements.polyhedra.polyhedron import Polyhedron

if TYPE_CHECKING:
    from arrangements.search.network_sweep import RegionShape

# How much more than the vertices a view shows, as a share of their extent.
_MARGIN = 0.25
# Share of the vertices on each side that need not be in view.
_OUTSIDE = 0.05
# A vertex whose last homogeneous coordinate is smaller is far away, or at infinity.
_FAR = 1e-9


def region_shapes(network: Network, within: Polyhedron) -> Iterator[RegionShape]:
    """The regions in a bounded polyhedron of full dimension, with vertices and outputs.

    Examples
    --------
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 1]], None)])
    >>> shapes = list(region_shapes(net, Polyhedron.box(-1, 1, dimension=2)))
    >>> len(shapes), sorted(shapes[0].vertices.tolist())
    (4, [[-1.0, -1.0], [-1.0, 0.0], [0.0, -1.0], [0.0, 0.0]])
    """
    domain = read_domain(within, network)
    if domain is None:
        return
    units = network.n_units
    if not network.layers[-1].is_linear:  # the outputs of a search are affine functions of units
        eye = np.eye(network.n_outputs, dtype=np.int64)
        network = Network([*network.layers, Layer(eye, slope=1)])
    if not units:  # one unit that is always on, so that there is a search
        on = Layer(np.zeros((1, network.dimension), np.int64), [1], slope=0, inputs=["x"])
        network = Network([on, *(_after(layer) for layer in network.layers)])
        domain = read_domain(within, network)
        assert domain is not None
    for sweep in sweeps_of(network, domain) or ():
        for shape in sweep.shapes():
            yield shape._replace(pattern=shape.pattern[:units])


def _after(layer: Layer) -> Layer:
    """A layer whose network has one more layer in front."""
    sources = [source if source == "x" else int(source) + 1 for source in layer.inputs or ()]
    return Layer(layer.weights, layer.offsets, slope=layer.slopes, inputs=sources)


def view_of(network: Network, within: Polyhedron | None) -> Polyhedron:
    """A box in which most vertices of regions are; with `within`, its part in it."""
    if within is not None and within.is_bounded:
        return within
    points = _finite_vertices(network, within)
    d = network.dimension
    low, high = np.full(d, -1.0), np.full(d, 1.0)
    if len(points):
        low, high = np.quantile(points, [_OUTSIDE, 1 - _OUTSIDE], axis=0)
        size = float((high - low).max()) or 2.0
        margin = _MARGIN * size + np.maximum(0, (0.5 * size - (high - low)) / 2)
        low, high = low - margin, high + margin
    box = Polyhedron.box(low, high)
    return box if within is None else box & within


def _finite_vertices(network: Network, within: Polyhedron | None) -> NDArray[np.float64]:
    """The vertices of all regions that are not at infinity, rounded."""
    domain, found = read_domain(within, network), []
    sweeps = None if domain is None else sweeps_of(network, domain)
    for k, sweep in enumerate(sweeps or ()):
        assert sweeps is not None
        chart = sweeps.charts[k]
        for shape in sweep.shapes():
            for vertex, facets in zip(shape.vertices.tolist(), shape.facets, strict=True):
                if not any(layer >= 0 or chart.cuts[number] for layer, number in facets):
                    continue
                if chart.inputs is None:
                    found.append(vertex)
                    continue
                *x, t = (sum(map(mul, map(float, row), [*vertex, 1.0])) for row in chart.inputs)
                if t > _FAR * max(map(abs, x), default=0.0):
                    found.append([entry / t for entry in x])
    return np.array(found).reshape(len(found), network.dimension)
