"""Lines through at least three rows of a state, whose hyperplanes are seen as projective points.

These are the flats of rank 2 that more than two hyperplanes contain. They are found in planes: a
projection keeps points of a line on a line, and almost every projection, here one that looks
random, brings no others there: one triple of points in 2**31, or of two planes at once, none. In
three coordinates it is only a change of coordinates, and lines found modulo all primes are exact.

In the plane, points of a line see each other under the same slope. All slopes take four products
and no inversion each: the differences of a column are inverted together.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import inlined, kernel
from arrangements.kernels.llvm.vectors import trailing_zeros
from arrangements.kernels.modular.hashing import with_word
from arrangements.kernels.modular.montgomery import (
    mont_inverses,
    mont_mul,
    mont_one,
    mont_product,
)
from arrangements.kernels.shared import zeros

# Rows whose slopes are found together; their inversions take a tenth of the time.
TILE = 64
# Projections that are tried: a point is at infinity in one of 2**31 / N of them.
_ATTEMPTS = 8
# Counters of `Lines.used`.
LINES, MEMBERS = range(2)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_63 = np.uint64(63)
_GOLDEN = np.uint64(0x9E3779B1)  # 2**32 over the golden ratio
_NONE = np.int32(-1)


class Lines(NamedTuple):
    """The lines of a state of at most N rows, seen in at most P planes, and room to find them.

    Attributes
    ----------
    member : (N (N - 1) / 2 + 1,) int32
        The rows on each line, at least three, a block per line.
    start : (N (N - 1) / 6 + 2,) int32
        First member of each line.
    used : (2,) int64
        Number of lines and of members.
    known : (N, ceil(N / 64)) uint64
        Bit i of row h < i: they are on a line that was found.
    aim : (3, k) uint64
        The projection.
    point : (3, N) uint64
    x, y : (P, N) uint32
        Coordinates in each plane.
    slope : (P, TILE, N) uint32
        Slopes from the rows of a tile to all after them; p itself is that of a vertical line.
    running : (N,) uint32
    entry, inverse : (N,) uint64
    slots : (power of 2 >= 4 N,) int32
    following, first : (N,) int32
        Rows of equal slope as linked lists.
    """

    member: NDArray[np.int32]
    start: NDArray[np.int32]
    used: NDArray[np.int64]
    known: NDArray[np.uint64]
    aim: NDArray[np.uint64]
    point: NDArray[np.uint64]
    x: NDArray[np.uint32]
    y: NDArray[np.uint32]
    slope: NDArray[np.uint32]
    running: NDArray[np.uint32]
    entry: NDArray[np.uint64]
    inverse: NDArray[np.uint64]
    slots: NDArray[np.int32]
    following: NDArray[np.int32]
    first: NDArray[np.int32]


def empty_lines(n: int, k: int, planes: int) -> Lines:
    """Room for the lines of states of at most n rows in k coordinates."""
    return zeros(
        Lines,
        (n * (n - 1) // 2 + 1, "member"),
        (n * (n - 1) // 6 + 2, "start"),
        (2, "used"),
        ((n, -(-n // 64)), "known"),
        ((3, k), "aim"),
        ((3, n), "point"),
        ((planes, n), "x y"),
        ((planes, TILE, n), "slope"),
        (n, "running entry inverse following first"),
        (1 << (4 * n).bit_length(), "slots"),
    )


@inlined
def _difference(a, b, p):
    result = np.uint64(a) + p - b
    return min(result, result - p)


@kernel
def _project(rows, count, k, t, fields, attempt, lines):
    """Coordinates of the rows in plane t; False if one is at infinity."""
    q = t % fields.shape[0]
    p, inv = fields[q, 0], fields[q, 1]
    for e in range(3):
        for c in range(k):
            word = np.uint64(3 * (_ATTEMPTS * t + attempt) + e)
            lines.aim[e, c] = with_word(with_word(_ZERO, word), np.uint64(c)) % p
        for i in range(count):
            total = _ZERO
            for c in range(k):
                total += mont_mul(np.uint64(rows[i, c, q]), lines.aim[e, c], p, inv)
            lines.point[e, i] = total % p
    for i in range(count):
        if lines.point[0, i] == _ZERO:
            return False
    mont_inverses(lines.point[0], count, p, inv, fields[q, 2], lines.inverse)
    for i in range(count):
        lines.x[t, i] = mont_mul(lines.point[1, i], lines.inverse[i], p, inv)
        lines.y[t, i] = mont_mul(lines.point[2, i], lines.inverse[i], p, inv)
    return True


@kernel
def project(rows, count, k, planes, fields, lines):
    """Begin with the lines of a state: its rows become points of this many planes.

    rows : (>= count, k, P) residues; plane t is one modulo prime t, or t - P
    Returns False if no projection has all points in sight, which takes a bad prime.
    """
    lines.used[:] = 0
    for h in range(count):
        for w in range((count + 63) >> 6):
            lines.known[h, w] = _ZERO
    for t in range(planes):
        seen = False
        for attempt in range(_ATTEMPTS):
            seen = seen or _project(rows, count, k, t, fields, attempt, lines)
        if not seen:
            return False
    return True


@kernel
def _multiply_differences(x, from_x, modulus, running, before):
    """Multiply the running products by ``x - from_x``, after they are kept in `before`.

    A vertical line has the difference 1, so that the product can be inverted.
    """
    p, inv = modulus[0], modulus[1]
    one = mont_one(p, inv, modulus[2])
    for i in range(x.shape[0]):
        difference = _difference(x[i], np.uint64(from_x), p)
        difference = one if difference == _ZERO else difference
        before[i] = running[i]
        running[i] = mont_product(np.uint64(running[i]), difference, p, inv)


@kernel
def _divide_differences(x, y, from_x, from_y, modulus, running, slope):
    """The slopes, where the products before were; `running` has inverses of those after.

    Returns the number of points that are the one looked from.
    """
    p, inv = modulus[0], modulus[1]
    one, same = mont_one(p, inv, modulus[2]), _ZERO
    for i in range(x.shape[0]):
        difference = _difference(x[i], np.uint64(from_x), p)
        rise = _difference(y[i], np.uint64(from_y), p)
        vertical = difference == _ZERO
        same += _ONE if vertical and rise == _ZERO else _ZERO
        difference = one if vertical else difference
        inverse = mont_product(np.uint64(running[i]), np.uint64(slope[i]), p, inv)
        running[i] = mont_product(np.uint64(running[i]), difference, p, inv)
        slope[i] = p if vertical else mont_product(rise, inverse, p, inv)
    return same


@kernel
def _find_slopes(begin, stop, count, t, fields, lines):
    """Slopes from each of the rows begin..stop - 1 to all rows after it, in plane t.

    Returns whether the points of these rows are different from each other and from all after.
    """
    modulus, running = fields[t % fields.shape[0]], lines.running
    x, y = lines.x[t], lines.y[t]
    p, inv, square = modulus[0], modulus[1], modulus[2]
    for i in range(begin, count):
        running[i] = mont_one(p, inv, square)
    for h in range(begin, stop):
        before = lines.slope[t, h - begin, h + 1 : count]
        _multiply_differences(x[h + 1 : count], x[h], modulus, running[h + 1 : count], before)
    for i in range(begin, count):
        lines.entry[i - begin] = running[i]
    mont_inverses(lines.entry, count - begin, p, inv, square, lines.inverse)
    for i in range(begin, count):
        running[i] = lines.inverse[i - begin]
    same = _ZERO
    for h in range(stop - 1, begin - 1, -1):
        xs, ys, products = x[h + 1 : count], y[h + 1 : count], running[h + 1 : count]
        slope = lines.slope[t, h - begin, h + 1 : count]
        same += _divide_differences(xs, ys, x[h], y[h], modulus, products, slope)
    return same == _ZERO


@inlined
def _same_slope(lines, h, i, j, planes):
    for t in range(planes):
        if lines.slope[t, h, i] != lines.slope[t, h, j]:
            return False
    return True


@inlined
def _enter_row(i, h, groups, planes, mask, shift, lines):
    """Put row i into the list of its slope; 1 if that has two rows now, so that it is a new group.

    shift : of a hash of 32 bits to a slot
    """
    slot = ((np.uint64(lines.slope[0, h, i]) * _GOLDEN) & _LOW) >> shift
    while True:
        j = lines.slots[slot]
        if j == _NONE:
            lines.slots[slot] = i
            lines.following[i] = _NONE
            return 0
        if _same_slope(lines, h, i, j, planes):
            break
        slot = (slot + _ONE) & mask
    second = lines.following[j]
    lines.following[i] = second
    lines.following[j] = i
    lines.first[groups] = j
    return 1 if second == _NONE else 0


@kernel
def _group_slopes(h, at, count, planes, lines):
    """Lists of rows after h that see h, whose slopes are ``slope[:, at]``, on a line not found yet.

    Returns the number of lists of more than one row.
    """
    shift, size = np.uint64(29), 8
    while size < 4 * (count - h):
        size, shift = 2 * size, shift - _ONE
    for j in range(size):
        lines.slots[j] = _NONE
    groups = 0
    for w in range((h + 1) >> 6, (count + 63) >> 6):
        unseen = ~lines.known[h, w]
        if 64 * w <= h:
            unseen &= ~_ZERO << np.uint64((h + 1) & 63)
        if count - 64 * w < 64:
            unseen &= (_ONE << np.uint64(count & 63)) - _ONE
        while unseen != _ZERO:
            i = 64 * w + trailing_zeros(unseen)
            unseen &= unseen - _ONE
            groups += _enter_row(i, at, groups, planes, np.uint64(size - 1), shift, lines)
    return groups


@kernel
def _add_line(h, i, lines):
    """Enter the line of row h and of the list of rows that begins with i."""
    begin = end = lines.used[MEMBERS]
    lines.member[end] = h
    end += 1
    while i != _NONE:
        lines.member[end] = i
        end += 1
        i = lines.following[i]
    for a in range(begin + 1, end):
        for b in range(a + 1, end):
            low = min(lines.member[a], lines.member[b])
            high = max(lines.member[a], lines.member[b])
            lines.known[low, high >> 6] |= _ONE << np.uint64(high & 63)
    lines.used[MEMBERS] = end
    lines.used[LINES] += 1
    lines.start[lines.used[LINES]] = end


@kernel
def find_lines(begin, stop, count, planes, fields, lines):
    """Add the lines whose first row is one of begin..stop - 1, after `project` and those before.

    There are at most TILE of these rows. Returns False if two points are the same in a plane;
    the lines through them may be missing then.
    """
    different = True
    for t in range(planes):
        different = _find_slopes(begin, stop, count, t, fields, lines) and different
    for h in range(begin, stop):
        for g in range(_group_slopes(h, h - begin, count, planes, lines)):
            _add_line(h, np.int64(lines.first[g]), lines)
    return different
