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

from arrangements.exact.linear import independent_rows, row_basis
from arrangements.exact.numbers import primitive
from arrangements.networks.affine_maps import AffineMap, Composition
from arrangements.networks.domain import Domain
from arrangements.networks.layer import INPUT, Layer
from arrangements.networks.network import Network
from arrangements.search.incremental import Draw, IncrementalListing
from arrangements.sets.packed import unpack_signs

Signs = NDArray[np.int8]
IntRows = list[list[int]]

_Block = tuple[Signs, list[int]]
# Of a layer without units.
_NO_UNITS: list[_Block] = [(np.zeros((1, 0), np.int8), [])]


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
    """Regions of one more layer in a cell: all of them, or a block.

    Attributes
    ----------
    cell : Cell
    functions : AffineMap
        Of the units of the layer, before activation.
    signs : (m, n) ndarray of int8
        Of these units in each region.
    cuts : list of int
        Units that may cut the cell; the sign of another one follows from the rows of the cell.
    """

    cell: Cell
    functions: AffineMap
    signs: Signs
    cuts: list[int]

    def patterns(self) -> Signs:
        """The signs of all units so far, a row for each region."""
        before = np.broadcast_to(self.cell.pattern, (len(self.signs), len(self.cell.pattern)))
        return np.hstack([before, self.signs])

    def cells(self) -> Iterator[Cell]:
        """The regions, with the functions of the layer."""
        for signs, pattern in zip(self.signs, self.patterns(), strict=True):
            values, rows = signs.tolist(), self.functions.rows
            own = [primitive([values[i] * entry for entry in rows[i]]) for i in self.cuts]
            after = self.cell.composition.then(self.functions, values)
            yield Cell(pattern, [*self.cell.positive, *own], after)


def first_cell(network: Network, domain: Domain) -> Cell:
    """The whole polyhedron, before the first layer, in coordinates that suit it.

    Where rows of the polyhedron and of the first layer are independent, their values are
    coordinates. Where they are fewer than the coordinates, they take all their values on some.
    """
    layers, basis, positive = network.layers, domain.basis, domain.positive
    first, skips = layers[0], any(INPUT in (layer.inputs or ()) for layer in layers[1:])
    if not skips and len(positive) + first.n_outputs <= len(basis):
        n = first.n_outputs
        rows = [*positive, *Composition.of(layers, basis).preactivations().rows]
        spanning = [rows[i] for i in row_basis(rows)]
        if len(spanning) == len(rows):  # the row at infinity is the last; others do not matter
            identity = Layer._of(np.eye(n, dtype=int), np.zeros(n, int), first.slopes, (INPUT,))
            start = Composition.of([identity, *layers[1:]])
            return Cell(np.zeros(0, np.int8), [start.one], start)
        kept = independent_rows(list(zip(*spanning, strict=True)))
        if len(kept) == len(spanning):
            basis = [basis[j] for j in kept]
            positive = [[row[j] for j in kept] for row in positive]
    return Cell(np.zeros(0, np.int8), positive, Composition.of(layers, basis))


def last_with_units(network: Network) -> int:
    """The last layer that has units; the last one of all if none has."""
    widths = network.widths
    return max((k for k, n in enumerate(widths) if n), default=len(widths) - 1)


def iter_families(
    network: Network, domain: Domain, layer: int | None = None, start: Cell | None = None
) -> Iterator[Family]:
    """Regions of the layers up to one with units, by default the last such, in families.

    Depth first: however many there are, the first ones come at once, and few are in memory.

    Examples
    --------
    >>> from arrangements.networks.domain import read_domain
    >>> net = Network([([[1, 0], [0, 1]], None), ([[1, 1], [0, 0]], [-1, 0]), ([[1, 1]], None)])
    >>> found = [family.patterns() for family in iter_families(net, read_domain(None, net))]
    >>> sum(map(len, found)), sorted(found[0].tolist())[0]
    (7, [1, 1, -1, 0])
    """
    if layer is None:
        layer = last_with_units(network)
    if start is None:
        start = first_cell(network, domain)
    z = start.composition.preactivations()
    k = len(start.composition.outputs)
    blocks = sign_blocks(start.positive, z.rows) if network.widths[k] else _NO_UNITS
    for signs, cuts in blocks:
        family = Family(start, z, signs, cuts)
        if k == layer:
            yield family
            continue
        for cell in family.cells():
            yield from iter_families(network, domain, layer, cell)


def draw_family(
    network: Network, start: Cell, layer: int, most: int, rng: np.random.Generator
) -> tuple[Family, Draw]:
    """Random regions, in a region of the layers with units before it, of a layer with units."""
    while len(start.composition.outputs) < layer:
        ((signs, cuts),) = _NO_UNITS
        (start,) = Family(start, start.composition.preactivations(), signs, cuts).cells()
    z = start.composition.preactivations()
    used = [i for i, row in enumerate(z.rows) if any(row)]
    drawn = _listing(start.positive, z.rows, used).draw(most, rng)
    signs = _with_zeros(drawn.signs, used, len(z.rows))
    return Family(start, z, signs, _varying(signs) if drawn.complete else used), drawn


def sign_blocks(positive: IntRows, rows: IntRows) -> Iterator[_Block]:
    """The sign vectors of rows inside a cone where other rows are positive; 0 for rows of zeros.

    They come in blocks, with the rows that may cut the cone; a single block, with those that do.

    Examples
    --------
    >>> ((signs, cuts),) = sign_blocks([[0, 1]], [[1, 0], [0, 0], [0, -1]])
    >>> sorted(signs.tolist()), cuts
    ([[-1, 0, -1], [1, 0, -1]], [0])
    """
    used = [i for i, row in enumerate(rows) if any(row)]
    listing = _listing(positive, rows, used)
    blocks = (_with_zeros(unpack_signs(block, len(used)), used, len(rows)) for block in listing)
    first, second = next(blocks), next(blocks, None)
    yield first, _varying(first) if second is None else used
    if second is not None:
        yield second, used
    for block in blocks:
        yield block, used


def _listing(positive: IntRows, rows: IntRows, used: list[int]) -> IncrementalListing:
    others = [primitive(rows[i]) for i in used]
    return IncrementalListing.of_rows(_entangled(positive, others), others, growing=True)


def _entangled(positive: IntRows, rows: IntRows) -> IntRows:
    """Those of the positive rows that may restrict the signs of other rows.

    A row with a coordinate of its own is positive wherever others are, if that is large enough. So
    are rows of units whose output is 0, if values of units are coordinates.

    Examples
    --------
    >>> _entangled([[1, 0, 0], [0, 1, 1], [0, 0, 1]], [[0, 0, 5]])
    [[0, 0, 1]]
    """
    used, left = np.array([*positive, *rows], object) != 0, np.ones(len(positive), bool)
    while True:
        own = used[: len(positive), used.sum(axis=0) == 1].any(axis=1)
        if not own.any():
            return [row for row, is_left in zip(positive, left.tolist(), strict=True) if is_left]
        left &= ~own
        used[: len(positive)][own] = False


def _varying(signs: Signs) -> list[int]:
    return np.flatnonzero((signs != signs[0]).any(axis=0)).tolist()


def _with_zeros(signs: Signs, used: list[int], n: int) -> Signs:
    found = np.zeros((len(signs), n), np.int8)
    found[:, used] = signs
    return found
