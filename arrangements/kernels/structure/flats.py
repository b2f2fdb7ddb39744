"""Flats of one rank more: classes of rows that are proportional modulo the span of a flat.

Everything is done modulo primes, in the layout of ``kernels.modular.montgomery``. Row 0 of an
affine arrangement is the hyperplane at infinity and hyperplane i is row i + 1; of a central one,
hyperplane i is row i. Why the answer is exact: docs/structure.md.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import allocating_entry, allocating_kernel, kernel
from arrangements.kernels.modular.hashing import with_word_fast
from arrangements.kernels.modular.montgomery import mont_inverse, mont_inverses, mont_mul
from arrangements.kernels.shared import zeros

BAD_PRIME = -1

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_BITS = np.uint64(63)


class Scratch(NamedTuple):
    """Work space for N rows in D columns."""

    rows: NDArray[np.uint64]  # (N, D) rows modulo a flat, scaled; zero for the hyperplanes inside
    lead: NDArray[np.int64]  # (N,) column of the first entry of each row; -1: a zero row
    entry: NDArray[np.uint64]  # (N,) that entry, 0 for a zero row
    inverse: NDArray[np.uint64]  # (N,) its inverse
    first: NDArray[np.int64]  # (N,) the first row equal to each; -1: a zero row
    slots: NDArray[np.int64]  # (2**k >= 2 N,)


class Covers(NamedTuple):
    """Flats of one rank more, each as reached from one of those below it."""

    masks: NDArray[np.uint64]  # (c, w)
    parents: NDArray[np.int64]  # (c,)
    added: NDArray[np.int64]  # (c,) the new hyperplane, the least of its class


def scratch_for(height: int, width: int) -> Scratch:
    """Scratch arrays for this many rows and columns."""
    shapes = ((height, width), "rows"), (height, "lead entry inverse first")
    return zeros(Scratch, *shapes, (1 << (2 * height).bit_length(), "slots"))


@kernel
def _eliminate(rows, shift, basis, field, a):
    """Rows modulo those of the basis, into `a`; False if these are dependent: the prime is bad.

    rows : (N, D) uint64, Montgomery residues; shift : 1 if row 0 is at infinity, else 0
    basis : (k,) int64, hyperplanes; field : (4 + m,) uint64, constants of the prime
    """
    p, negative_inverse, square = field[0], field[1], field[2]
    n, d = rows.shape
    for r in range(n):
        for t in range(d):
            a[r, t] = rows[r, t]
    for i in basis:
        b = i + shift
        c = 0
        while c < d and a[b, c] == _ZERO:
            c += 1
        if c == d:
            return False
        inverse = mont_inverse(a[b, c], p, negative_inverse, square)
        for r in range(n):
            if a[r, c] == _ZERO or r == b:
                continue
            factor = p - mont_mul(a[r, c], inverse, p, negative_inverse)
            for t in range(c, d):
                x = a[r, t] + mont_mul(factor, a[b, t], p, negative_inverse)
                a[r, t] = x - p if x >= p else x
        for t in range(d):
            a[b, t] = _ZERO
    return True


@kernel
def _find_leads(shift, inside, scratch):
    """First entries of the rows not inside; False if there is none where there must be."""
    a = scratch.rows
    n, d = a.shape
    for r in range(n):
        i = r - shift
        scratch.lead[r] = -1
        scratch.entry[r] = _ZERO
        if i >= 0 and (inside[i >> 6] >> (np.uint64(i) & _BITS)) & _ONE:
            for c in range(d):
                a[r, c] = _ZERO
            continue
        c = 0
        while c < d and a[r, c] == _ZERO:
            c += 1
        if c == d:
            return False
        scratch.lead[r], scratch.entry[r] = c, a[r, c]
    return True


@kernel
def _reduce(rows, shift, basis, inside, field, scratch):
    """Rows modulo those of the basis, each divided by its first entry that is not 0.

    inside : (w,) uint64, mask of the hyperplanes in the span of the basis
    Returns False if the prime is bad; the rest as in `_eliminate`.
    """
    a = scratch.rows
    if not (_eliminate(rows, shift, basis, field, a) and _find_leads(shift, inside, scratch)):
        return False
    p, negative_inverse = field[0], field[1]
    n, d = a.shape
    mont_inverses(scratch.entry, n, p, negative_inverse, field[2], scratch.inverse)
    for r in range(n):
        c, factor = scratch.lead[r], scratch.inverse[r]
        if c >= 0:
            for t in range(c, d):
                a[r, t] = mont_mul(a[r, t], factor, p, negative_inverse)
    return True


@kernel
def _equal(a, r, s):
    """Whether two rows are equal."""
    for t in range(a.shape[1]):
        if a[r, t] != a[s, t]:
            return False
    return True


@kernel
def _fill_groups(a, slots, first):
    """For each row the first one equal to it; -1 for zero rows. The number of different ones.

    a : (N, D) uint64; slots : (2**k >= 2 N,) int64, scratch; first : (N,) int64, overwritten
    """
    last = np.uint64(slots.shape[0] - 1)
    slots[:] = -1
    count = 0
    for r in range(a.shape[0]):
        value, zero = _ZERO, True
        for t in range(a.shape[1]):
            zero &= a[r, t] == _ZERO
            value = with_word_fast(value, a[r, t])
        first[r] = -1
        if zero:
            continue
        at = (value >> np.uint64(32)) & last
        while slots[at] >= 0 and not _equal(a, r, slots[at]):
            at = (at + _ONE) & last
        if slots[at] < 0:
            slots[at] = r
            count += 1
        first[r] = slots[at]
    return count


@allocating_entry
def fill_covers(rows, fields, shift, flats, bases, every, place, scratch, covers):
    """Covers of flats: each spanned by a flat and one class of proportional rows.

    rows : (m, N, D) uint64, Montgomery residues of the rows modulo m primes
    fields : (m, 4 + m) uint64
    flats : (f, w) uint64, masks; bases : (f, k) int64, their lexicographically first bases
    every : whether all covers are wanted; else those whose parent the flat is: the new
        hyperplane exceeds the basis
    place : (1,) int64, the flat to begin with; overwritten by the one to go on with, f at the end
    covers : overwritten; c >= N
    Returns the number of covers, or BAD_PRIME.
    """
    count, f = 0, place[0]
    most = covers.masks.shape[0] - rows.shape[1] + shift
    while f < flats.shape[0] and count <= most:
        if not _find_classes(rows, fields, shift, flats[f], bases[f], scratch):
            return BAD_PRIME
        count = _emit(shift, flats[f], bases[f], every, f, scratch, covers, count)
        f += 1
    place[0] = f
    return count


@kernel
def _find_classes(rows, fields, shift, flat, basis, scratch):
    """Classes of rows that are proportional modulo a flat, into ``scratch.first``.

    Returns False if a prime is bad.
    """
    if not _reduce(rows[0], shift, basis, flat, fields[0], scratch):
        return False
    first = scratch.first
    groups = _fill_groups(scratch.rows, scratch.slots, first)
    nonzero = 0
    for r in range(first.shape[0]):
        nonzero += first[r] >= 0
    if groups == nonzero:
        return True
    # proportional modulo one prime: so they are if they are modulo all
    for k in range(1, rows.shape[0]):
        if not _reduce(rows[k], shift, basis, flat, fields[k], scratch):
            return False
        for r in range(first.shape[0]):
            if first[r] >= 0 and not _equal(scratch.rows, r, first[r]):
                return False
    return True


@allocating_kernel
def _emit(shift, flat, basis, every, f, scratch, covers, count):
    """Write the covers of one flat; the number written so far."""
    first, slots = scratch.first, scratch.slots
    last = basis[basis.shape[0] - 1] if basis.shape[0] else -1
    for r in range(first.shape[0]):
        leader = first[r]
        if leader < shift:  # inside, or parallel to the flat: it meets it at infinity
            continue
        if leader == r:
            slots[r] = -1
            if every or r - shift > last:
                slots[r] = count
                covers.masks[count] = flat
                covers.parents[count] = f
                covers.added[count] = r - shift
                count += 1
        i = r - shift
        if slots[leader] >= 0:
            covers.masks[slots[leader], i >> 6] |= _ONE << (np.uint64(i) & _BITS)
    return count
