"""Arrays for the flats of the last ranks (``kernels.structure.last_flats``)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.shared import zeros

_NONE = np.int64(-1)


# A prime above it has 15 bits, and twice its square is below all primes of 31.
MOST_MINOR = 2**14


# A sum of multiplicities has 16 bits.
MOST_HYPERPLANES = 2**16 - 1


# Lines of as many hyperplanes and the same shares are counted together, this many kinds at a time.
GROUPS = 128


# Slots of the hash table for each row; few rows meet another in theirs.
_SPARSE = 8


class SmallField(NamedTuple):
    """An odd prime q below 2**15, above every minor.

    Attributes
    ----------
    constants : (3,) uint32
        q, ``-1 / q`` modulo 2**16, and ``2**32 % q``.
    inverse : (q,) uint32
        ``2**16 / a`` for each residue a; 0 for 0.
    bound : int
        No minor is larger.
    """

    constants: NDArray[np.uint32]
    inverse: NDArray[np.uint32]
    bound: int


class Pencils(NamedTuple):
    """Work space for states of at most N rows, Q primes of the weights, modulo q.

    Attributes
    ----------
    z, x, y, scale : (N,) uint32
        The rows as seen from one of them.
    near, far : (N,) int64
        The rows with z other than 0, and the others.
    slots : (power of 2 >= 8 N,) int64
        Hash table of the points, empty between two uses.
    slot : (N,) int64
        Where each point stands in it.
    key, point_x, point_y, multiplicity : (N,) uint32
        The points, that is, lines through the row looked from: those with z = 1 first. The others
        have x = 1, and `point_x` q, or x = 0, and then `point_y` is q as well.
    first : (N,) int64
        The first row on each of these lines.
    own : (N,) int64
        How many rows of the orbit of the row looked from lie on each, besides that row.
    passed, product : (N, Q) uint64
        For each row, the share of a weight that it gets, and that times its multiplicity.
    passed_there, product_there : (N, Q) uint64
        Their sums for the points.
    rise, run, slope : (N,) uint32
        From one point to all others; the slope q is vertical.
    total : (q + 1,) uint16
        Multiplicities of the points that are seen under each slope, zero between two uses.
    size, own_rows, copies, lines : (GROUPS,) int64
        Hyperplanes of each line of a group; how many of its rows are of the orbit of the row looked
        from, and of how many this is; how many lines there are.
    share, part : (GROUPS, Q) uint64
        Sums of `passed` and `product` on each line of a group.
    number : (GROUPS, N + 1) uint32
        Multiplicities of the points that see a line of the group, added up by the multiplicity of
        all in their plane; zero between two uses.
    kinds : (N + 1,) int64
        Where a row of `number` is not zero.
    group_slots : (2 GROUPS,) int64, group_slot : (GROUPS,) int64
        Hash table of the groups, empty between two uses; where each stands in it.
    groups : (3,) int64
        How many there are, how many lines they have, and how many lines `number` can hold.
    """

    z: NDArray[np.uint32]
    x: NDArray[np.uint32]
    y: NDArray[np.uint32]
    scale: NDArray[np.uint32]
    near: NDArray[np.int64]
    far: NDArray[np.int64]
    slots: NDArray[np.int64]
    slot: NDArray[np.int64]
    key: NDArray[np.uint32]
    point_x: NDArray[np.uint32]
    point_y: NDArray[np.uint32]
    multiplicity: NDArray[np.uint32]
    first: NDArray[np.int64]
    own: NDArray[np.int64]
    passed: NDArray[np.uint64]
    product: NDArray[np.uint64]
    passed_there: NDArray[np.uint64]
    product_there: NDArray[np.uint64]
    rise: NDArray[np.uint32]
    run: NDArray[np.uint32]
    slope: NDArray[np.uint32]
    total: NDArray[np.uint16]
    size: NDArray[np.int64]
    own_rows: NDArray[np.int64]
    copies: NDArray[np.int64]
    lines: NDArray[np.int64]
    share: NDArray[np.uint64]
    part: NDArray[np.uint64]
    number: NDArray[np.uint32]
    kinds: NDArray[np.int64]
    group_slots: NDArray[np.int64]
    group_slot: NDArray[np.int64]
    groups: NDArray[np.int64]


def empty_pencils(n: int, moduli: int, small: SmallField) -> Pencils:
    """Room for states of at most n rows."""
    return zeros(
        Pencils,
        (n, "z x y scale near far slot key point_x point_y multiplicity first own rise run slope"),
        ((n, moduli), "passed product passed_there product_there"),
        (len(small.inverse) + 1, "total"),
        (GROUPS, "size own_rows copies lines group_slot"),
        ((GROUPS, moduli), "share part"),
        ((GROUPS, n + 1), "number"),
        (n + 1, "kinds"),
        slots=np.full(1 << (_SPARSE * n).bit_length(), _NONE),
        group_slots=np.full(2 * GROUPS, _NONE),
        # a line adds the multiplicity of each point once: less than n, and that to one number
        groups=np.array([0, 0, (2**32 - 1) // n]),
    )
