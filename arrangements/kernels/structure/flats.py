"""Flats of one rank more: classes of rows that are proportional modulo the span of a flat.

Everything is done modulo primes, in the layout of ``kernels.modular.montgomery``. Row 0 of an
affine arrangement is the hyperplane at infinity and hyperplane i is row i + 1; of a central one,
hyperplane i is row i. Why the answer is exact: docs/structure.md.
"""

import numpy as np

from arrangements.kernels.compilation import allocating_entry, allocating_kernel, kernel
from arrangements.kernels.modular.montgomery import mont_inverse, mont_mul

BAD_PRIME = -1

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_BITS = np.uint64(63)


@allocating_kernel
def _reduce(rows, shift, basis, inside, field, a, lead, before):
    """Rows modulo those of the basis, each divided by its first entry that is not 0.

    rows : (N, D) uint64, Montgomery residues; shift : 1 if row 0 is at infinity, else 0
    basis : (k,) int64, hyperplanes; inside : (w,) uint64, mask of those in their span
    field : (4 + m,) uint64, constants of the prime
    a : (N, D) uint64, overwritten; zero rows for the hyperplanes inside
    lead : (N,) int64, before : (N,) uint64, scratch
    Returns False if a row vanishes that must not: the prime is bad.
    """
    p, negative_inverse, square = field[0], field[1], field[2]
    n, d = rows.shape
    a[:] = rows
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
        a[b] = _ZERO
    # all first entries are inverted with one inverse, that of their product
    product = mont_mul(_ONE, square, p, negative_inverse)
    for r in range(n):
        i = r - shift
        lead[r] = -1
        if i >= 0 and (inside[i >> 6] >> (np.uint64(i) & _BITS)) & _ONE:
            a[r] = _ZERO
            continue
        c = 0
        while c < d and a[r, c] == _ZERO:
            c += 1
        if c == d:
            return False
        lead[r], before[r] = c, product
        product = mont_mul(product, a[r, c], p, negative_inverse)
    inverse = mont_inverse(product, p, negative_inverse, square)
    for r in range(n - 1, -1, -1):
        c = lead[r]
        if c < 0:
            continue
        factor = mont_mul(inverse, before[r], p, negative_inverse)
        inverse = mont_mul(inverse, a[r, c], p, negative_inverse)
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
            value = (value ^ a[r, t]) * np.uint64(0x9E3779B97F4A7C15)
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
def fill_covers(rows, fields, shift, flats, bases, every, place, scratch, out):
    """Covers of flats: each spanned by a flat and one class of proportional rows.

    rows : (m, N, D) uint64, Montgomery residues of the rows modulo m primes
    fields : (m, 4 + m) uint64
    flats : (f, w) uint64, masks; bases : (f, k) int64, their lexicographically first bases
    every : whether all covers are wanted; else those whose parent the flat is: the new
        hyperplane exceeds the basis
    place : (1,) int64, the flat to begin with; overwritten by the one to go on with, f at the end
    scratch : rows (N, D) uint64, slots (2**k >= 2 N,) int64, first (N,) int64
    out : masks (c, w) uint64, parents (c,) int64, new hyperplanes (c,) int64, overwritten; c >= n
    Returns the number of covers, or BAD_PRIME.
    """
    a, slots, first = scratch
    masks, parents, added = out
    m, n, _ = rows.shape
    lead, before = np.empty(n, np.int64), np.empty(n, np.uint64)
    count, f = 0, place[0]
    while f < flats.shape[0] and count + n - shift <= masks.shape[0]:
        if not _reduce(rows[0], shift, bases[f], flats[f], fields[0], a, lead, before):
            return BAD_PRIME
        groups = _fill_groups(a, slots, first)
        nonzero = 0
        for r in range(n):
            nonzero += first[r] >= 0
        if groups < nonzero:
            # proportional modulo one prime: so they are if they are modulo all
            for k in range(1, m):
                if not _reduce(rows[k], shift, bases[f], flats[f], fields[k], a, lead, before):
                    return BAD_PRIME
                for r in range(n):
                    if first[r] >= 0 and not _equal(a, r, first[r]):
                        return BAD_PRIME
        count = _emit(
            first, shift, flats[f], bases[f], every, f, slots, masks, parents, added, count
        )
        f += 1
    place[0] = f
    return count


@allocating_kernel
def _emit(first, shift, flat, basis, every, f, slots, masks, parents, added, count):
    """Write the covers of one flat; the number written so far."""
    last = basis[basis.shape[0] - 1] if basis.shape[0] else -1
    for r in range(first.shape[0]):
        leader = first[r]
        if leader < shift:  # inside, or parallel to the flat: it meets it at infinity
            continue
        if leader == r:
            slots[r] = -1
            if every or r - shift > last:
                slots[r] = count
                masks[count] = flat
                parents[count] = f
                added[count] = r - shift
                count += 1
        i = r - shift
        if slots[leader] >= 0:
            masks[slots[leader], i >> 6] |= _ONE << (np.uint64(i) & _BITS)
    return count
