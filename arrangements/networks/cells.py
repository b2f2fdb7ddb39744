"""Regions layer by layer: in each region of the layers before, the chambers of the next layer.

Any polyhedron, any dimension, any graph of layers; one linear program for about each region and
each unit that may cut it, proved by error bounds and residues. All in homogeneous coordinates of
the affine hull of the polyhedron, in which a region is a cone and units are linear.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.exact.numbers import primitive
from arrangements.networks.affine_maps import AffineMap, Composition
from arrangements.networks.domain import Domain
from arrangements.networks.network import Network
from arrangements.search.incremental import IncrementalListing
from arrangements.sets.packed import unpack_signs

Signs = NDArray[np.int8]
IntRows = list[list[int]]


class Cell(NamedTuple):
    """A region of the first layers.

    Attributes
    ----------
    pattern : (k,) ndarray of int8
        The signs of the units of these layers.
    positive : list of lists of int
        Rows that are positive in the region, and nowhere else all of them.
    composition : Composition
        The functions of these layers.
    """

    pattern: Signs
    positive: IntRows
    composition: Composition


class Family(NamedTuple):
    """The regions of one more layer in a cell.

    Attributes
    ----------
    cell : Cell
    functions : AffineMap
        Of the units of the layer, before activation.
    signs : (m, n) ndarray of int8
        Of these units in each region.
    """

    cell: Cell
    functions: AffineMap
    signs: Signs

    def patterns(self) -> Signs:
        """The signs of all units so far, a row for each region."""
        before = np.broadcast_to(self.cell.pattern, (len(self.signs), len(self.cell.pattern)))
        return np.hstack([before, self.signs])

    def cells(self) -> Iterator[Cell]:
        """The regions, with the functions of the layer."""
        # A unit whose sign is the same in all of them follows from the rows of the cell.
        cuts = np.flatnonzero((self.signs != self.signs[0]).any(axis=0)).tolist()
        for signs, pattern in zip(self.signs, self.patterns(), strict=True):
            values, rows = signs.tolist(), self.functions.rows
            own = [primitive([values[i] * entry for entry in rows[i]]) for i in cuts]
            after = self.cell.composition.then(self.functions, values)
            yield Cell(pattern, [*self.cell.positive, *own], after)


def iter_families(
    network: Network, domain: Domain, layer: int | None = None, start: Cell | None = None
) -> Iterator[Family]:
    """Regions of the layers up to one with units, by default the last such, in families.

    Examples
    --------
    >>> from arrangements.networks.domain import read_domain
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 1], [0, 0]], [-1, 0]), ([[1, 1]], None)])
    >>> found = [family.patterns() for family in iter_families(net, read_domain(None, net))]
    >>> sum(map(len, found)), sorted(found[0].tolist())[0]
    (7, [1, 1, -1, 0])
    """
    widths = network.widths
    if layer is None:
        layer = max((k for k, n in enumerate(widths) if n), default=len(widths) - 1)
    if start is None:
        start = Cell(
            np.zeros(0, np.int8), domain.positive, Composition.of(network.layers, domain.basis)
        )
    z = start.composition.preactivations()
    k = len(start.composition.outputs)
    signs = signs_inside(start.positive, z.rows) if widths[k] else np.zeros((1, 0), np.int8)
    family = Family(start, z, signs)
    if k == layer:
        yield family
        return
    for cell in family.cells():
        yield from iter_families(network, domain, layer, cell)


def signs_inside(positive: IntRows, rows: IntRows) -> Signs:
    """The sign vectors of rows inside a cone where other rows are positive; 0 for rows of zeros.

    Examples
    --------
    >>> sorted(signs_inside([[0, 1]], [[1, 0], [0, 0], [0, -1]]).tolist())
    [[-1, 0, -1], [1, 0, -1]]
    """
    used = [i for i, row in enumerate(rows) if any(row)]
    listing = IncrementalListing.of_rows(positive, [primitive(rows[i]) for i in used])
    blocks = [unpack_signs(block, len(used)) for block in listing]
    signs = np.zeros((sum(map(len, blocks)), len(rows)), np.int8)
    signs[:, used] = np.concatenate(blocks)
    return signs
