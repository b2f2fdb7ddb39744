"""Shared by the kernels of the ranking sweep: the workspace and its registers.

The hyperplanes are the pairs (a, c), a < c, of labels, ordered by c, then a. A node R of depth e
is a set of e pairs with decreasing c. They merge labels into *blocks*, which a line of the slice
sees as one label; the smallest label of a block stands for it. Labels below the last c are all
the smallest of their blocks, and pairs of them are the candidates for children.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.llvm.label_lines import LabelLine
from arrangements.kernels.shared import shared

# Registers of `state` beside those of ``kernels.chambers.workspace``. The driver writes CENTRAL and
# LEAST; kernels write the others.
#   NEXT_A, NEXT_C  next pair of the line
#   BLOCKS          number of blocks
#   CENTRAL         whether the row at infinity is the pair (0, 1)
#   ORDERED         whether `order` is set for this line
#   HAS_RESIDUES    whether `residue` is set for this pair
#   STAMP           lines counted so far
#   WALK            state of the walk along the line: NOT_TRIED, ..
#   EVENTS, EVENT   crossings of the line, and the next of them
#   PENDING         children that the walk leaves to others
#   LEAST           least number of labels for a walk (0: all lines of the last level that allow it)
#   AIMED           whether `factor` and `code_and_margin` are those of this line
#   GROUPS          number of groups of merges in `inner`
NEXT_A, NEXT_C, BLOCKS, CENTRAL, ORDERED, HAS_RESIDUES, STAMP = range(11, 18)
WALK, EVENTS, EVENT, PENDING, LEAST, AIMED, GROUPS = range(18, 25)

# States of the walk along a line.
NOT_TRIED, WALKING, WALKED = range(3)

# States of a pair in `taken`: a child, or not yet reached; no child; a child in whose tie there
# are other pairs.
FREE, TAKEN, TIED = np.uint8(0), np.uint8(1), np.uint8(2)


@shared
class Exact(NamedTuple):
    """The exact side: apart, so that it can be passed by reference.

    Attributes
    ----------
    pair : (d, 2) int64, negative : (d,) int64
        R, and whether the slopes of its pairs were negative when they were chosen.
    residue : (k (d - 1), pad) uint64
        Scores at a point, as residues: equal for blocks that meet there.
    matroid : (k, d - 1, d, .) uint64, flag : (m, d, .) uint64
        As in ``kernels.chambers.workspace``, for labels; the lanes after n are for the row at
        infinity and for pairs.
    chain : (d,) int64
        The lanes of `flag` that hold R.
    lanes : (d, n + d + 3) float64
        The columns of the root for the pairs in these lanes of `flag`.
    matroid_fields, flag_fields, square, entries, digits, state, late
        As in ``kernels.chambers.workspace``.
    table, bound
        Those of the workspace.
    """

    pair: NDArray[np.int64]
    negative: NDArray[np.int64]
    residue: NDArray[np.uint64]
    matroid: NDArray[np.uint64]
    matroid_fields: NDArray[np.uint64]
    flag: NDArray[np.uint64]
    flag_fields: NDArray[np.uint64]
    lanes: NDArray[np.float64]
    square: NDArray[np.uint64]
    entries: NDArray[np.float64]
    digits: NDArray[np.uint64]
    chain: NDArray[np.int64]
    state: NDArray[np.int64]
    late: NDArray[np.int64]
    table: NDArray[np.float64]
    bound: NDArray[np.float64]


class Walk(NamedTuple):
    """Data of a walk along a line. A block is known by its smallest label, its head.

    Attributes
    ----------
    event : (2, p + 8) uint64
        Crossings of the blocks, see ``kernels.llvm.crossings``, and space to sort them.
    histogram : (2, 512) uint64
        Work space.
    slope, constant : (pad + 8,) float64, multiplier : (d - 1, pad + 8) float64
        Of the blocks, in their order at the far end of the line.
    mark : (pad + 8,) int64
        Their heads, in this order, with flags of ``kernels.llvm.crossings``.
    start, extent, first : (pad,) int64
        The place of each block in `row`, its size, its first place in `inner`, by head.
    several : (pad + 1,) int64
        Heads of blocks of more than one label, and -1.
    inner : (2 ** (d - 2), pad) int16
        Labels of each block as the merges that are bits of the index, forward, order them.
    flip : (2 ** (d - 2), pad) int64
        Exchanges the labels of each block in `several`, if it has two, where that is needed.
    row : (2 pad + 64,) uint8
        The labels in the present order, as bytes or uint16, blocks in any inner order.
    window : (256,) uint8
        See ``kernels.llvm.crossings.exchange``.
    pending : (p,) int64
        Children that are left to others.
    """

    event: NDArray[np.uint64]
    histogram: NDArray[np.uint64]
    slope: NDArray[np.float64]
    constant: NDArray[np.float64]
    multiplier: NDArray[np.float64]
    mark: NDArray[np.int64]
    start: NDArray[np.int64]
    extent: NDArray[np.int64]
    first: NDArray[np.int64]
    several: NDArray[np.int64]
    inner: NDArray[np.int16]
    flip: NDArray[np.int64]
    row: NDArray[np.uint8]
    window: NDArray[np.uint8]
    pending: NDArray[np.int64]


@shared
class Cells(NamedTuple):
    """The p points of a line that is only counted, and which of them lie in each part of the line.

    Attributes
    ----------
    points : (2, p) float64
        Intervals of the points.
    after : (2 p,) int64, cell : (s,) int64
        Linked lists of the points in each of s parts, see ``kernels.rankings.counts``. s = 0: the
        points of a line are not compared so.
    """

    points: NDArray[np.float64]
    after: NDArray[np.int64]
    cell: NDArray[np.int64]


@shared
class RankingWorkspace(NamedTuple):
    """Arrays of a ranking sweep of n labels and rank d; `pad` holds n labels.

    Attributes
    ----------
    table : (max(d - 1, 3), d, pad) float64
        Columns of the tableau of the node of each depth e, a lane for each label; the entry of a
        pair is the difference of two lanes; its size is that of ``kernels.chambers.workspace``.
        0..e-1 are the multipliers of R (of labels below its
        last c), e the slopes, e + 1 (on the last level d - 1) the constants.
    bound : (d - 1, 2, k) float64
        Absolute error of a difference of two lanes of each column, and its largest size; k is a
        multiple of 8.
    factors : (3, k) float64, eliminator : (d,) int64
        The factors of a pivot for each column, see ``kernels.chambers.tableau.find_factors``.
    line : LabelLine
        The current line, its columns divided by their sizes.
    start : (pad,) int16
        Labels in better blocks, per block.
    position : (pad,) uint16
        Places of the labels in a ranking.
    block : (d, pad) int16
        Smallest label of each label's block, per depth.
    size : (d, pad) int16
        Size of the block of each smallest label.
    merged : (pad,) int16, merges : (d,) int64
        Labels that are not the smallest of their block, and how many of them are at each depth.
    shift : (d + GROUP, 2, pad) int16
        Places that the q-th merge adds to the labels: in backward, in forward order.
    order : (pad,) int64, value : (pad,) float64, linked : (pad,) bool
        Blocks, best first, at a point; their scores; whether a block ties with the one before.
    taken : (d - 1, n (n - 1) / 2) uint8
        State of each pair on the line of each depth; dirty : (d,) int64, whether one is not FREE.
    span : (d, 2) int64
        First child to visit and the one to stop at, per depth, by the number of the pair.
    cursor : (d, 2) int64
        The next child to visit, per depth.
    cells : Cells
    exact : Exact
    walk : Walk
    state : (25,) int64
        The registers.
    """

    table: NDArray[np.float64]
    bound: NDArray[np.float64]
    factors: NDArray[np.float64]
    eliminator: NDArray[np.int64]
    line: LabelLine
    start: NDArray[np.int16]
    position: NDArray[np.uint16]
    block: NDArray[np.int16]
    size: NDArray[np.int16]
    merged: NDArray[np.int16]
    merges: NDArray[np.int64]
    shift: NDArray[np.int16]
    order: NDArray[np.int64]
    value: NDArray[np.float64]
    linked: NDArray[np.bool_]
    taken: NDArray[np.uint8]
    dirty: NDArray[np.int64]
    cursor: NDArray[np.int64]
    span: NDArray[np.int64]
    cells: Cells
    exact: Exact
    walk: Walk
    state: NDArray[np.int64]
