"""Shared by the kernels of the flag sweep: the workspace, its registers, sets of rows.

A *node* of depth e is a set R of e hyperplanes, chosen with decreasing index; the flat they
span meets the slice of the flag that has dimension e + 1 in a line. On it every other
hyperplane i is a point t_i = -c_i / a_i with slope a_i and constant c_i.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import inlined
from arrangements.kernels.shared import shared

# The sets of rows ``masks[depth]``:
#   NEGATIVE   negative slope
#   FIXED      no point, and + (constant, or in the closure of R, before multipliers flip them)
#   NO_POINTS  no point (constant, in the closure of R, or padding)
#   GROUP      tie of the chosen child
#   CHILDREN   children
#   TIED       children with ties
#   TAKEN      tied with a smaller row
NEGATIVE, FIXED, NO_POINTS, GROUP, CHILDREN, TIED, TAKEN = range(7)

# The registers `state` of both sweeps. Drivers write OWN, STORE, ENOUGH, ROWS and ROOT_SIGN, and
# begin a part with DEPTH = STAGE = 0; kernels write the others.
#   DEPTH        depth of the current node
#   STAGE        of its line, 1: done (of rankings 1: begun, 2: done)
#   EXACT_DEPTH  depth to which `matroid` is valid
#   ROWS         number of rows
#   ROOT_SIGN    sign of the pivot that eliminated the row at infinity
#   OWN          least depth whose lines give chambers; those above only lead to the part
#   STORE        whether chambers are stored
#   HAS_WIDE     whether `wide` and the float64 tableau belong to the current line
#   EXACT_COUNT  number of exact decisions
#   WORK         cost of the minors among them, in lines
#   ENOUGH       number of chambers from which on no line is begun
DEPTH, STAGE, EXACT_DEPTH, ROWS, ROOT_SIGN, OWN, STORE, HAS_WIDE, EXACT_COUNT, WORK, ENOUGH = range(
    11
)
# Those of chambers alone. (``kernels.rankings.workspace`` has those of rankings.)
#   MINOR_DEPTH   depth to which `minors` is valid
#   HAS_INFINITY  whether its last depth, or else that of `matroid`, belongs to the current line
#   BALANCE       lines done by `few_rows`, less two for each failure; a driver sets its beginning
#   SPENT         time of the last line of `search` with its minors, in lines
MINOR_DEPTH, HAS_INFINITY, BALANCE, SPENT = 11, 12, 13, 14

# The sets of rows ``sums.sets``:
#   FALLING  negative gain
#   TURNED   add to the value where they are above a point
#   BEFORE   points certainly before a cut of a line
#   PERHAPS  points that may be before it
#   REACH    children that are to be written
#   SIGNS    a chamber
FALLING, TURNED, BEFORE, PERHAPS, REACH, SIGNS = range(6)

# The registers ``sums.registers``. Drivers write the first four, and read and clear PASSED.
#   LEAST         sum of all negative gains
#   BITS          bits of a digit of a name
#   LOWER, UPPER  values strictly between them do not matter
#   PASSED        about how many chambers were left out because of that
#   COMMON        of the line: value of the rows that are no points
#   NAME          of the line: its name
#   WANTED        of the line: number of children to write
LEAST, BITS, LOWER, UPPER, PASSED, COMMON, NAME, WANTED = range(8)

# Answers of the kernels; those up to PAUSED need nothing from the driver.
DONE, FULL, PAUSED, NOT_GENERIC = range(4)
# The driver must provide: residues for zeros, others, those for signs, late kernels.
NEEDS_EXACT, BAD_PRIME, NEEDS_SIGNS, NEEDS_WALK, NEEDS_SETTLE = range(4, 9)

# Addresses of kernels in `late`, written by drivers:
#   LATE_ANSWER  answers exactly
#   LATE_WALK    walks along a line
#   LATE_SETTLE  orders the blocks at a point (rankings)
#   LATE_FIND    finds rankings in registers (rankings)
#   LATE_LINE    does a line of any kind (chambers)
LATE_ANSWER, LATE_WALK, LATE_SETTLE, LATE_FIND, LATE_LINE = range(5)

_ZERO, _ONE = np.uint64(0), np.uint64(1)


@shared
class Sums(NamedTuple):
    """Values that are sums over the rows, for a sweep.

    The value of a chamber is the sum of the gains of its rows +, modulo 2**64. It is written as
    ``registers[LEAST]`` and, for each row that differs from ``sets[FALLING]``, the weights of the
    planes with it.

    The digits of a name are those of a no-broken-circuit set: the last row of it, as the lowest
    digit, and before it the others, each plus 1; or n, of the far end of the first line.

    Attributes
    ----------
    gains : (pad,) int64
    planes : (k, words) uint64, weights : (k,) int64
        The gain of row i is, up to its sign, the sum of the weights of the planes that hold i.
    registers : (8,) int64
    sets : (6, words) uint64
    pieces : (m, 6) int64
        Work space, see ``kernels.chambers.line_sums``.
    offset : (pad,) uint64, change : (d,) int64, codes : (2**m,) int64
        Work space, see ``kernels.chambers.line_sums``.
    """

    gains: NDArray[np.int64]
    planes: NDArray[np.uint64]
    weights: NDArray[np.int64]
    registers: NDArray[np.int64]
    sets: NDArray[np.uint64]
    pieces: NDArray[np.int64]
    offset: NDArray[np.uint64]
    change: NDArray[np.int64]
    codes: NDArray[np.int64]


@shared
class Workspace(NamedTuple):
    """Arrays of a sweep of n rows and rank d; `pad` and `words` hold n rows, pad = 64 words.

    Attributes
    ----------
    table : (max(d - 1, 3), d, pad) float64
        Columns of the tableau of the node of each depth e: 0..e-1 the multipliers of R, e the
        slopes, e + 1 (on the last level d - 1) the constants. A pivot from depth e <= d - 3 reads a
        row of eight columns at once, and some behind depth e, but not behind the array.
    bound : (d - 1, 2, k) float64
        Absolute error and magnitude of each column; k is a multiple of 16.
    factors : (3, k) float64, eliminator : (d,) int64, largest : (k, 8) float64
        The factors of a pivot for each column.
    narrow : (d, pad) float32, narrow_bound : (1, 2, k) float64
        The node's columns in single precision.
    coefficient : (8, pad + 16) float32
        The line of each child in terms of the node's columns; last, the node's own line.
    low_high : (2, pad) float32
        Interval of each point in the coordinate c / (|a| + |c|); rows that are no points lie
        behind all points.
    key : (2, pad) int16
        The same interval in 16 bits.
    wide : (2, pad) float64
        Interval of t = c / a, computed when needed.
    threshold : (2, k) float32
        Above it the sign of a multiplier is proven: of the node's own, and of its children's.
    multiplier : (d, words) uint64
        Rows below the last of R in which its multipliers differ from the slope in sign; d - 1: the
        rows in which a sign is not proven.
    order : (pad + 1,) uint64, ends : (2, pad) int32, histogram : (k,) int32
        Work space of a walk, see ``kernels.chambers.line_walk.sort_points``.
    described : (pad,) uint64
        Data of each row for a walk, see ``kernels.chambers.line_walk.describe_rows``.
    flips : (2**m, 16) uint64
        Some words of the sign flips of each set of multipliers, on walks below depth m.
    masks : (d, 7, words) uint64
        Sets of rows per depth; depth d - 1 holds the rows that are constant everywhere.
    ties : (max(d - 2, 1), pad, words) uint64
        Tie of each child in ``masks[depth, TIED]``.
    flip : (words, pad) uint64
        Signs of R, of its closure and of the constant rows in the chamber of each child.
    parallel : (pad,) int64
        A representative of each row's parallel class.
    matroid : (k, d, d, pad + 16) uint64
        Residues of the integer rows, and in lane n of the row at infinity; at depth e the
        columns e.. are those modulo the span of R, up to a common factor, and at the last depth
        modulo the span of R and the row at infinity. k = 0: not built yet.
    matroid_fields : (k, 5 + k) uint64
        See ``kernels.modular.montgomery``.
    minors : (d, d, pad + 16) float64, or (0, d, pad)
        The same columns as integers, if all minors are small.
    flag : (m, d, pad) uint64
        Residues of the root's tableau. m = 0: not built yet.
    flag_fields : (m, 5 + m) uint64
        Last column: residue of the pivot that eliminated the row at infinity.
    square : (d, d) uint64, entries : (d + 1, d) float64, digits : (m,) uint64
        Work space.
    chain, cursor : (d,) int64
        R, and the next child to visit, per depth.
    span : (d, 2) int64
        First child to visit and the one to stop at, per depth.
    state : (16,) int64
        The registers.
    late : (5,) int64
        Addresses of kernels that are compiled late, 0 until they are needed.
    """

    table: NDArray[np.float64]
    bound: NDArray[np.float64]
    factors: NDArray[np.float64]
    eliminator: NDArray[np.int64]
    largest: NDArray[np.float64]
    narrow: NDArray[np.float32]
    narrow_bound: NDArray[np.float64]
    coefficient: NDArray[np.float32]
    low_high: NDArray[np.float32]
    key: NDArray[np.int16]
    wide: NDArray[np.float64]
    threshold: NDArray[np.float32]
    multiplier: NDArray[np.uint64]
    order: NDArray[np.uint64]
    ends: NDArray[np.int32]
    described: NDArray[np.uint64]
    histogram: NDArray[np.int32]
    flips: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    ties: NDArray[np.uint64]
    flip: NDArray[np.uint64]
    parallel: NDArray[np.int64]
    matroid: NDArray[np.uint64]
    matroid_fields: NDArray[np.uint64]
    minors: NDArray[np.float64]
    flag: NDArray[np.uint64]
    flag_fields: NDArray[np.uint64]
    square: NDArray[np.uint64]
    entries: NDArray[np.float64]
    digits: NDArray[np.uint64]
    chain: NDArray[np.int64]
    cursor: NDArray[np.int64]
    span: NDArray[np.int64]
    state: NDArray[np.int64]
    late: NDArray[np.int64]


@inlined
def bit(sets, a, b, i):
    """Whether row i is in the set ``sets[a, b]``."""
    return (sets[a, b, i >> 6] >> np.uint64(i & 63)) & _ONE != np.uint64(0)


@inlined
def set_bit(sets, a, b, i):
    sets[a, b, i >> 6] |= _ONE << np.uint64(i & 63)


@inlined
def rows_of_word(word, last):
    """The rows of a word that are below `last`."""
    return (_ONE << np.uint64(last & 63)) - _ONE if last < word * 64 + 64 else ~np.uint64(0)


@inlined
def rows_between(word, first, last):
    """The rows of a word from `first` to `last` - 1."""
    before = rows_of_word(word, first) if first > word * 64 else _ZERO
    return rows_of_word(word, last) & ~before if last > word * 64 else _ZERO
