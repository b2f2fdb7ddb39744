"""Shared by the kernels of networks: the network, the path of the search, its registers.

A *row* is an affine function of the inputs, its constant last. Rows are numbered: the units, layer
by layer, each layer from a multiple of 8 on, then the outputs, then the facets of the polytope. A
*node* of the search is a polytope on which the signs of some units are known; it is given by its
vertices, each with the set of facets on which it lies.

Inputs are at most 1 in size, and rows times a power of 2 such that their values are, too.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.shared import shared

# Columns of `Layers.table`:
#   FIRST, NUMBER, END  first row, how many units (0: not activated), the end with padding
#   SOURCE, SOURCES     first row on whose activation the layer depends, how many
#   WEIGHTS             row of `weights` of the first of them
#   ROWS                number of rows
FIRST, NUMBER, END, SOURCE, SOURCES, WEIGHTS, ROWS = range(7)

# Columns of `Path.nodes`:
#   V0, V1      its vertices
#   C0, C1      units that may split it; what follows is free
#   LAYER       their layer
#   UNIT, SIDE  the unit that split its parent, -1 for none, and the sign
V0, V1, C0, C1, LAYER, UNIT, SIDE = range(7)

# The registers `Path.state`. Drivers write those from LAST on.
#   NODES     number of nodes
#   CLOCK     number of compositions
#   FOUND     regions found since the last call
#   EXACT     number of exact signs
#   LAST      last layer of units that split
#   LIMIT     how many units of the first layer do
#   STORE     whether regions are stored
#   OUTPUTS   whether the maps of the outputs are
#   POINT     whether `point` is one of the region that is next
#   FORCED    whether signs are forced
#   UNSOLVED  how many vertices were to be solved for while nothing did that
NODES, CLOCK, FOUND, EXACT, LAST, LIMIT, STORE, OUTPUTS, POINT, FORCED, UNSOLVED = range(11)

# Addresses of kernels in `Path.late`: exact signs, and solving for vertices.
LATE_SIGN, LATE_SOLVE = range(2)
# Vertices with large errors without the kernel that solves for them.
MOST_UNSOLVED = 16

# Answers of the kernels. The driver must provide: longer arrays, residues, a point.
DONE, FULL, PAUSED, NEEDS_ROOM, NEEDS_RESIDUES, NEEDS_POINT = range(6)


@shared
class Layers(NamedTuple):
    """A network.

    Attributes
    ----------
    table : (layers, 7) int64
        The outputs are the last layer.
    weights : (k, widest) float64
        Weights of one source in the units of a layer.
    factors : (rows, 2) float64
        Activation by preactivation of a unit with the sign - and +.
    base : (d + 1, rows) float64
        Rows that no source enters.
    errors : (rows,) float64
        Bounds for the errors of rows, on all inputs.
    whole : (rows,) float64
        Times this, a row has integers, which floats hold without an error; 0 if it has not.
    central : (rows,) uint8
        Whether the constants of the row are 0.
    layer_of : (rows,) int64
        -1 for facets.
    scales : (2,) float64
        What makes coefficients and constants of outputs of those of their rows.
    fields : (P, 4 + P) uint64
        Primes, see ``kernels.modular.montgomery``.
    base_residues : (P, rows, d + 1) uint64, weight_residues : (P, k, widest) uint64
    factor_residues : (P, rows, 2) uint64
        Of integer multiples.
    """

    table: NDArray[np.int64]
    weights: NDArray[np.float64]
    factors: NDArray[np.float64]
    base: NDArray[np.float64]
    errors: NDArray[np.float64]
    whole: NDArray[np.float64]
    central: NDArray[np.uint8]
    layer_of: NDArray[np.int64]
    scales: NDArray[np.float64]
    fields: NDArray[np.uint64]
    base_residues: NDArray[np.uint64]
    weight_residues: NDArray[np.uint64]
    factor_residues: NDArray[np.uint64]


@shared
class Path(NamedTuple):
    """The state of a search.

    Attributes
    ----------
    state : (11,) int64, late : (2,) int64
    nodes : (m, 7) int64, facets : (m, 64 * words) int64
        The row of each facet.
    points : (d, room) float64, doubts : (room,) float64
        Vertices, and bounds for their errors in each coordinate.
    tight : (words, room) uint64
        Facets on which a vertex lies.
    cofactors : (room, P, d + 1) uint64, known : (room,) int64
        Homogeneous coordinates of a vertex, and the sign of the last one; 0 if they are not known.
    candidates : (c,) int64
        Units that may split a node.
    signs, forced : (rows,) int8
        The signs of facets and of rows that are not activated are +.
    rows : (columns, rows) float64
        Those of the current layers; columns is d + 1 or more, a multiple of 4.
    lines : (rows, d + 3) float64
        Rows of candidates, a bound for the error of a value at a given point, and of how much it
        changes with the point.
    version, made, steps : (layers,) int64
        When a layer was composed; when the one below was then; how many terms were added.
    used : (k,) float64
        Factors of sources that are in the rows of a layer.
    changes : (most,) int64, terms : (most, columns) float64
    row_residues : (P, rows, d + 1) uint64, row_version : (rows,) int64
    values : (room,) float64, masks : (2, room // 64 + 1) uint64
        Of a unit at the vertices of a node: where it is positive and negative.
    above, below, onto : (room,) int64, near : (room,) uint64
    square : (64 * words, 2 d + 2) float64, chosen : (64 * words,) int64
    matrix : (d + 2, d + 2) uint64, pivots : (d + 2,) int64, digits : (P,) uint64
        Work space.
    point : (d,) float64, used_facets : (words,) uint64
        Work space.
    """

    state: NDArray[np.int64]
    late: NDArray[np.int64]
    nodes: NDArray[np.int64]
    facets: NDArray[np.int64]
    points: NDArray[np.float64]
    doubts: NDArray[np.float64]
    tight: NDArray[np.uint64]
    cofactors: NDArray[np.uint64]
    known: NDArray[np.int64]
    candidates: NDArray[np.int64]
    signs: NDArray[np.int8]
    forced: NDArray[np.int8]
    rows: NDArray[np.float64]
    lines: NDArray[np.float64]
    version: NDArray[np.int64]
    made: NDArray[np.int64]
    steps: NDArray[np.int64]
    used: NDArray[np.float64]
    changes: NDArray[np.int64]
    terms: NDArray[np.float64]
    row_residues: NDArray[np.uint64]
    row_version: NDArray[np.int64]
    values: NDArray[np.float64]
    masks: NDArray[np.uint64]
    above: NDArray[np.int64]
    below: NDArray[np.int64]
    onto: NDArray[np.int64]
    near: NDArray[np.uint64]
    square: NDArray[np.float64]
    chosen: NDArray[np.int64]
    matrix: NDArray[np.uint64]
    pivots: NDArray[np.int64]
    digits: NDArray[np.uint64]
    point: NDArray[np.float64]
    used_facets: NDArray[np.uint64]
