"""Polyhedra of inputs as polytopes, in which regions can be kept as their vertices.

In homogeneous coordinates y of its affine hull a polyhedron is the cone where some rows are
positive (`domain`). If no line lies in this cone, its section with a hyperplane ``h @ y == 1``,
where h is a sum of positive multiples of the rows, is a polytope. Units are linear on the cone if
biases are multiplied by the coordinate at infinity, so the polytope has the same regions as the
polyhedron. A cone with lines is cut by some units of the first layer with units, each of which has
one sign in a region (docs/algorithms.md, section 14).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from arrangements.errors import InputError
from arrangements.exact.linear import column_basis, completion, inverse, row_basis
from arrangements.exact.numbers import primitive, times_common_denominator
from arrangements.networks.affine_maps import Composition
from arrangements.networks.domain import Domain
from arrangements.networks.layer import INPUT
from arrangements.networks.network import Network
from arrangements.polyhedra.polyhedron import Polyhedron

if TYPE_CHECKING:
    from arrangements.search.network_path import Polytope
    from arrangements.search.network_sweep import NetworkSweep
    from arrangements.search.network_tables import SweepLayer

IntRows = list[list[int]]

# Vertices of regions are worth their memory up to this dimension, where random networks take 14 us
# a region; with 8 inputs they take 240 us.
_MOST_DIMENSIONS, _MOST_INEQUALITIES = 6, 64
# Of rounded coordinates, relative to the largest.
_BITS = 20


class Chart(NamedTuple):
    """A polytope that has regions of a network.

    Attributes
    ----------
    polytope : Polytope
    inputs : list of lists of int, or None
        Rows of (t x, t), as functions of (u, 1) for points u of the polytope; None if u is x.
    coordinates : list of lists of Fraction, or None
        Those of y.
    infinity : list of int
        t as a function of y.
    cuts : list of bool
        Whether a facet of the polytope is a unit that cuts the polyhedron.
    """

    polytope: Polytope
    inputs: IntRows | None
    coordinates: list[list[Fraction]] | None
    infinity: list[int]
    cuts: list[bool]


class Sweeps(Sequence["NetworkSweep"]):
    """Searches that together find each region in a polyhedron once.

    They are made when they are asked for, since their tables are large: only the last one is kept.

    Attributes
    ----------
    charts : list of Chart
        That of each search; if it has no `inputs`, points are those of the network.
    """

    def __init__(self, network: Network, charts: list[Chart]) -> None:
        self.charts: list[Chart] = charts
        self._network = network
        self._last: tuple[int, NetworkSweep] | None = None

    def __len__(self) -> int:
        return len(self.charts)

    @overload
    def __getitem__(self, k: int) -> NetworkSweep: ...

    @overload
    def __getitem__(self, k: slice) -> Sweeps: ...

    def __getitem__(self, k: int | slice) -> NetworkSweep | Sweeps:
        from arrangements.search.network_sweep import NetworkSweep  # loads numba

        if isinstance(k, slice):
            return Sweeps(self._network, self.charts[k])
        last = self._last
        if last is None or last[0] != k:
            chart = self.charts[k]
            last = k, NetworkSweep(_layers(self._network, chart.inputs), chart.polytope)
            self._last = last
        return last[1]


def sweeps_of(network: Network, domain: Domain) -> Sweeps | None:
    """Searches for all regions in a polyhedron; None if they are too large.

    Examples
    --------
    >>> from arrangements.networks.domain import read_domain
    >>> net = Network([([[1, 0], [1, 1], [1, 2]], [0, 0, 1]), ([[1, 1, 1]], None)])
    >>> [sum(sweep.counts()) for sweep in sweeps_of(net, read_domain(None, net))]
    [2, 2, 1, 2]
    """
    charts = _charts(network, domain)
    return None if charts is None else Sweeps(network, charts)


def no_searches(network: Network, domain: Domain, what: str, instead: str) -> InputError:
    """The error about a question that needs such searches where there are none."""
    if network.n_units and len(domain.basis) <= _MOST_DIMENSIONS + 1:
        if (rows := len(domain.inequalities)) >= _MOST_INEQUALITIES:
            return InputError(
                f"within has {rows} inequalities; {what} expects at most {_MOST_INEQUALITIES - 1}. "
                f"{instead}"
            )
        return InputError(
            f"{what} expects inputs without lines where no unit of the first layer changes, since "
            f"a later layer of {network!r} takes inputs. Pass a bounded polyhedron within. "
            f"{instead}"
        )
    return InputError(
        f"network is {network!r}; {what} expects units, and at most {_MOST_DIMENSIONS} inputs or "
        f"a slice of at most {_MOST_DIMENSIONS} dimensions, within=Polyhedron(equations=(E, f)). "
        f"{instead}"
    )


def _layers(network: Network, inputs: IntRows | None) -> list[SweepLayer]:
    """The layers as functions of the points of a polytope."""
    from arrangements.search.network_tables import SweepLayer  # loads numba

    found = []
    for layer in network.layers:
        rows, denominator = layer.integer_rows
        sources = tuple(-1 if source == INPUT else int(source) for source in layer.inputs or ())
        slopes, common = (None, 1) if layer.is_linear else layer.integer_slopes
        if inputs is not None:
            rows = [_homogeneous(row, sources, network, inputs) for row in rows]
            sources = (*(source for source in sources if source >= 0), -1)
        found.append(SweepLayer(rows, denominator, sources, slopes, common))
    if not network.layers[-1].is_linear:  # the last layer of a sweep has no units
        row = [1] * network.n_outputs + [0]
        found.append(SweepLayer([row], 1, (len(found) - 1,)))
    return found


def _homogeneous(
    row: list[int], sources: tuple[int, ...], network: Network, inputs: IntRows
) -> list[int]:
    """Weights of earlier layers, then the sum of the terms of the inputs and of the bias."""
    kept: list[int] = []
    own, at = [0] * network.dimension, 0
    for source in sources:
        width = network.dimension if source < 0 else network.layers[source].n_outputs
        if source < 0:
            own = row[at : at + width]
        else:
            kept += row[at : at + width]
        at += width
    terms = [*own, row[-1]]
    return kept + [sum(map(mul, terms, column)) for column in zip(*inputs, strict=True)]


def _charts(network: Network, domain: Domain) -> list[Chart] | None:
    from arrangements.search.network_path import Polytope  # loads numba

    P = domain.polyhedron
    if not network.n_units or len(domain.positive) > _MOST_INEQUALITIES:
        return None
    if domain.is_full and P.is_bounded:
        if network.dimension > _MOST_DIMENSIONS:
            return None
        facets = [domain.positive[domain.inequalities.index(j)] for j in P.facets]
        polytope = Polytope(P.vertices, facets)
        return [Chart(polytope, None, None, domain.positive[-1], [False] * len(facets))]
    found = _cut(network, domain)
    if found is None:
        return None
    rows, units, basis = found
    cones = [
        rows + [[sign * entry for entry in unit] for sign, unit in zip(signs, units, strict=True)]
        for signs in product((1, -1), repeat=len(units))
    ]
    charts = []
    for polytope, numbers, points in (found for cone in cones for found in _sections(cone)):
        whole, _ = times_common_denominator(points)
        columns = list(zip(*whole, strict=True))
        inputs = [
            [sum(map(mul, row, column)) for column in columns] for row in zip(*basis, strict=True)
        ]
        cuts = [number >= len(rows) for number in numbers]
        charts.append(Chart(polytope, inputs, points, rows[-1], cuts))
    return charts


def _cut(network: Network, domain: Domain) -> tuple[IntRows, IntRows, IntRows] | None:
    """Rows of the cone, units that cut it until no line is left, and the basis of coordinates."""
    rows, basis, units = domain.positive, domain.basis, IntRows()
    if len(span := row_basis(rows)) < len(basis):
        first = next(k for k, width in enumerate(network.widths) if width)
        state = Composition.of(network.layers, basis)
        for _ in range(first):  # linear layers
            state = state.then(state.preactivations(), ())
        z = state.preactivations().rows
        units = [primitive(z[i]) for i in completion([rows[i] for i in span], z) or ()]
        if len(span) + len(units) > _MOST_DIMENSIONS + 1:
            return None
        if len(span) + len(units) < len(basis):
            later = {i for layer in network.layers[first + 1 :] for i in layer.inputs or ()}
            if later & {INPUT, *range(first)}:
                return None
            # nothing depends on the other coordinates
            kept = column_basis([rows[i] for i in span] + units)
            rows, units, basis = (
                [[row[j] for j in kept] for row in rows],
                [[row[j] for j in kept] for row in units],
                [basis[j] for j in kept],
            )
    return (rows, units, basis) if 2 <= len(basis) <= _MOST_DIMENSIONS + 1 else None


def _sections(rows: IntRows) -> Iterator[tuple[Polytope, Sequence[int], list[list[Fraction]]]]:
    """A section of the cone, the rows of its facets, and y as functions of (u, 1).

    None if it is flat.
    """
    from arrangements.search.network_path import Polytope  # loads numba

    d = len(rows[0]) - 1
    scaled = [[Fraction(x, 1 << max(map(abs, row)).bit_length()) for x in row] for row in rows]
    if len(rows) == d + 1:  # a simplex
        rays = list(zip(*(inverse(scaled) or ()), strict=True))
        *others, last = [[x / max(map(abs, ray)) for x in ray] for ray in rays]
        columns = [[x - y for x, y in zip(ray, last, strict=True)] for ray in others]
        exact = _transposed([*columns, last])
        whole = [times_common_denominator([ray])[0][0] for ray in rays]
        for points in _rounded(exact), exact:
            found, _ = times_common_denominator(inverse(points) or ())
            ends = [[sum(map(mul, row, ray)) for row in found] for ray in whole]
            if found and all(end[-1] > 0 for end in ends):
                break
        vertices = [tuple(Fraction(x, end[-1]) for x in end[:-1]) for end in ends]
        yield Polytope(vertices, _facets(rows, points)), range(d + 1), points
        return
    sums = [sum(column, Fraction(0)) for column in zip(*scaled, strict=True)]
    p = max(range(d + 1), key=lambda i: abs(sums[i]))
    points = [[Fraction(i == j) for j in range(d + 1)] for i in range(d)]
    points.insert(p, [*(-x / sums[p] for i, x in enumerate(sums) if i != p), 1 / sums[p]])
    facets = _facets(rows, points)
    table = np.array(facets, object)
    section = Polyhedron(-table[:, :d], table[:, d])
    if section.dimension == d:
        polytope = Polytope(section.vertices, [facets[j] for j in section.facets])
        yield polytope, section.facets, points


def _facets(rows: IntRows, points: list[list[Fraction]]) -> IntRows:
    """Positive multiples of rows, as functions of (u, 1)."""
    columns = _transposed(times_common_denominator(points)[0])
    return [primitive([sum(map(mul, row, column)) for column in columns]) for row in rows]


def _rounded(points: list[list[Fraction]]) -> list[list[Fraction]]:
    """About the same coordinates, with few bits, for these are in all numbers of the search."""
    found = []
    for row in points:
        size = max(map(abs, row)) or Fraction(1)
        shift = _BITS - size.numerator.bit_length() + size.denominator.bit_length()
        unit = Fraction(2) ** -shift
        found.append([round(x / unit) * unit for x in row])
    return found


def _transposed(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
