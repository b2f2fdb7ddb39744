"""Units that a polyhedron of inputs does not need all of, proved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import public_class
from arrangements.checks import check_instance
from arrangements.networks.affine_maps import activate
from arrangements.networks.cells import Family, iter_families, last_with_units
from arrangements.networks.charts import sweeps_of
from arrangements.networks.domain import Domain, read_domain
from arrangements.networks.network import Network
from arrangements.networks.planning import FEWER_REGIONS, expected_regions, foreseen
from arrangements.polyhedra.reading import Within

if TYPE_CHECKING:
    from arrangements.search.network_sweep import NetworkSweep

Groups = list[list[int]]

# Regions of a block.
_BLOCK = 4096


@public_class
class UnitStates(NamedTuple):
    """How the units of a network act on all inputs, or on those of a polyhedron.

    Units have their numbers in the pattern; ``network.units`` has their layers and rows.

    Attributes
    ----------
    dead : tuple of int
        Units that are positive in no region: a ReLU unit among them has the output 0.
    always_on : tuple of int
        Units that are positive in all regions, and so affine functions of the layers before.
    equal : tuple of tuples of int
        Groups of two or more units of one layer whose outputs are equal everywhere.
    counts : tuple of int
        How many regions the layers up to each one with units have.
    """

    dead: tuple[int, ...]
    always_on: tuple[int, ...]
    equal: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]


def unit_states(network: Network, *, within: Within | None = None) -> UnitStates:
    """Which units of a network are dead, always on, or equal to another one, proved.

    Parameters
    ----------
    network : Network
    within : Polyhedron, or (A, c), optional
        Only for the inputs in this polyhedron.

    Returns
    -------
    UnitStates
        If the polyhedron is empty, all units are both dead and always on.

    Raises
    ------
    TooLargeError
        If a sample says, after some seconds, that the regions take more than a day.

    See Also
    --------
    region_bounds : how many regions networks with such layers can have.

    Notes
    -----
    Exact, from all regions of each layer, which take as long as `regions`. Functions are compared,
    in a millisecond for each region, only of units that are positive in the same regions.

    Examples
    --------
    >>> net = Network([([[1], [-1], [2], [1]], [0, -1, 0, 9]), ([[1, 1, 1, 1]], None)])
    >>> unit_states(net, within=([[1], [-1]], [2, 2]))
    UnitStates(dead=(), always_on=(3,), equal=(), counts=(3,))
    """
    check_instance("network", network, Network)
    domain = read_domain(within, network)
    sweeps = None if domain is None else sweeps_of(network, domain)
    on, off = np.zeros(network.n_units, bool), np.zeros(network.n_units, bool)
    equal: list[tuple[int, ...]] = []
    counts: list[int] = []
    # the last layer first: it has the most regions, which may be too many
    for k, width in reversed([(k, width) for k, width in enumerate(network.widths) if width]):
        start = network.starts[k]
        part = slice(start, start + width)
        if sweeps is None:
            states = _by_programs(network, domain, k)
        else:
            states = _by_vertices(network, domain, k, sweeps)
        on[part], off[part], groups, count = states
        equal[:0] = [tuple(start + i for i in group) for group in groups if len(group) > 1]
        counts.insert(0, count)
    dead, always = np.flatnonzero(~on).tolist(), np.flatnonzero(~off).tolist()
    return UnitStates(tuple(dead), tuple(always), tuple(equal), tuple(counts))


# Of a layer: units that are positive somewhere, and that are not; equal ones; number of regions.
_States = tuple[NDArray[np.bool_], NDArray[np.bool_], Groups, int]


def _by_programs(network: Network, domain: Domain | None, layer: int) -> _States:
    """States of the units of a layer, from linear programs."""
    width, count = network.widths[layer], 0
    on, off, groups = np.zeros(width, bool), np.zeros(width, bool), [list(range(width))]
    for family in () if domain is None else _families(network, domain, layer):
        count += len(family.signs)
        on |= (family.signs > 0).any(axis=0)
        off |= (family.signs <= 0).any(axis=0)
        groups = _refined(groups, family)
    return on, off, groups, count


def _families(network: Network, domain: Domain, layer: int) -> Iterator[Family]:
    """All regions of the layers up to one, unless a forecast says that they take too long."""
    return foreseen(
        iter_families(network, domain, layer),
        lambda family: len(family.signs),
        partial(expected_regions, network, domain, layer),
        "listing",
        refusal=FEWER_REGIONS,
    )


def _by_vertices(
    network: Network, domain: Domain | None, layer: int, sweeps: Sequence[NetworkSweep]
) -> _States:
    """The same from patterns; functions are compared only of units that are on in one set."""
    width, count = network.widths[layer], 0
    on, off, groups = np.zeros(width, bool), np.zeros(width, bool), [list(range(width))]
    blocks: Iterator[NDArray[np.int8]]
    blocks = (block for sweep in sweeps for block in sweep.blocks_of_first(layer, _BLOCK))
    if domain is not None and layer == last_with_units(network):  # the others have fewer regions
        expected = partial(expected_regions, network, domain)
        blocks = foreseen(blocks, len, expected, "listing", refusal=FEWER_REGIONS)
    for patterns in blocks:
        positive = patterns[:, network.starts[layer] :] > 0
        count += len(positive)
        on |= positive.any(axis=0)
        off |= ~positive.all(axis=0)
        groups = _split(groups, positive)
    slopes, _ = network.layers[layer].integer_slopes
    if min(slopes) < 0:  # outputs may be positive everywhere
        groups = [list(range(width))]
    dead = [group for group in groups if not any(on[i] or slopes[i] for i in group)]
    others = [group for group in groups if group not in dead]
    if others and domain is not None:
        for family in _families(network, domain, layer):
            others = _refined(others, family)
            if not others:
                break
    return on, off, sorted(dead + others), count


def _split(groups: Groups, columns: NDArray[np.bool_]) -> Groups:
    """Groups of two or more units with the same columns."""
    found: dict[tuple[int, bytes], list[int]] = {}
    for k, group in enumerate(groups):
        for i in group:
            found.setdefault((k, columns[:, i].tobytes()), []).append(i)
    return [group for group in found.values() if len(group) > 1]


def _refined(groups: Groups, family: Family) -> Groups:
    """Groups of units with equal outputs, split where the outputs differ in a family."""
    layer = family.cell.composition.layer
    for signs in family.signs.tolist():
        if not (groups := [group for group in groups if len(group) > 1]):
            break
        rows = activate(layer, family.functions, signs).rows
        split: dict[tuple[int, Any], list[int]] = {}
        for k, group in enumerate(groups):
            for i in group:
                split.setdefault((k, tuple(rows[i])), []).append(i)
        groups = list(split.values())
    return [group for group in groups if len(group) > 1]
