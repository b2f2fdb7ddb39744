"""Units that a polyhedron of inputs does not need all of, proved."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from arrangements.addresses import public_class
from arrangements.checks import check_instance
from arrangements.networks.affine_maps import activate
from arrangements.networks.cells import Family, iter_families
from arrangements.networks.domain import Domain, read_domain
from arrangements.networks.network import Network
from arrangements.polyhedra.reading import Within


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

    See Also
    --------
    region_bounds : how many regions networks with such layers can have.

    Notes
    -----
    Exact, from all regions of each layer.

    Examples
    --------
    >>> net = Network([([[1], [-1], [2], [1]], [0, -1, 0, 9]), ([[1, 1, 1, 1]], None)])
    >>> unit_states(net, within=([[1], [-1]], [2, 2]))
    UnitStates(dead=(), always_on=(3,), equal=(), counts=(3,))
    """
    check_instance("network", network, Network)
    domain = read_domain(within, network)
    on, off = np.zeros(network.n_units, bool), np.zeros(network.n_units, bool)
    equal: list[tuple[int, ...]] = []
    counts = []
    for k, width in enumerate(network.widths):
        if not width:
            continue
        part = slice(network.starts[k], network.starts[k + 1])
        groups, count = [list(range(width))], 0
        for family in _families(network, domain, k):
            count += len(family.signs)
            on[part] |= (family.signs > 0).any(axis=0)
            off[part] |= (family.signs <= 0).any(axis=0)
            groups = _refined(groups, family)
        equal += [tuple(part.start + i for i in group) for group in groups]
        counts.append(count)
    dead, always = np.flatnonzero(~on).tolist(), np.flatnonzero(~off).tolist()
    return UnitStates(tuple(dead), tuple(always), tuple(equal), tuple(counts))


def _families(network: Network, domain: Domain | None, layer: int) -> Any:
    return iter(()) if domain is None else iter_families(network, domain, layer)


def _refined(groups: list[list[int]], family: Family) -> list[list[int]]:
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
