"""Neighbors in a set of packed sign vectors, and with them the faces below it.

Rows are kept in a hash table. The hash of a row is the xor of one random word (`keys`) for each
of its set bits, so flipping a fixed set of bits changes the hash of every row by the same word,
and no row is hashed a second time. A slot of the table is 0 if it is free; otherwise its upper
half is that of the hash and its lower half is 1 + the index of the row. Equal hashes prove
nothing: rows are compared word by word. Most rows looked for are not there, and most of these are
turned away by one bit of `marks` (a Bloom filter of one hash), which takes an eighth of the
memory of the slots and so stays in a cache.

Bits of a hyperplane are held in *masks*, (words,) uint64, bit ``i & 63`` of word ``i >> 6``.

Terms: a *class* is a set of hyperplanes whose traces coincide, so they change sign together; its
*lead* is its lowest hyperplane. If `half`, one of each pair +/- of rows is stored, the one with +
on the lowest hyperplane in use, the *reference*.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import (
    allocating_entry,
    allocating_kernel,
    entry,
    inlined,
    kernel,
)
from arrangements.kernels.llvm.vectors import population, trailing_zeros

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)
_HIGH = np.uint64(0xFFFFFFFF00000000)
_BITS = np.uint64(63)
_32 = np.uint64(32)


class RowTable(NamedTuple):
    """Hash table of m rows."""

    hashes: NDArray[np.uint64]  # (>= m,)
    slots: NDArray[np.uint64]  # (2**k > m,)
    marks: NDArray[np.uint64]  # (2**j,)


class Flips(NamedTuple):
    """The change of a row when it crosses each of c classes."""

    masks: NDArray[np.uint64]  # (c, w) the bits to flip
    changes: NDArray[np.uint64]  # (c,) the change of its hash
    leads: NDArray[np.int64]  # (c,) lowest hyperplane of the class


class FaceRows(NamedTuple):
    """Signs of faces, those on one flat after those on another."""

    words: NDArray[np.uint64]  # (rows, w) signs, zero on their flats
    starts: NDArray[np.int64]  # (f + 1,) first row of each flat
    flats: NDArray[np.uint64]  # (f, w) masks
    lasts: NDArray[np.int64]  # (f,) last of the lexicographically first basis, -1 if it is empty


@kernel
def hash_of(mask, keys):
    """Xor of the keys of the set bits.

    mask : (words,) uint64; keys : (64 * words,) uint64
    """
    total = _ZERO
    for w in range(mask.shape[0]):
        word = mask[w]
        while word:
            total ^= keys[64 * w + trailing_zeros(word)]
            word &= word - _ONE
    return total


@entry
def fill_table(rows, keys, table):
    """Hash rows and enter them, numbered from 0, into the table.

    rows : (m, w) uint64, m < 2**32 - 1
    keys : (64 w,) uint64
    table : RowTable, overwritten
    """
    slots, marks = table.slots, table.marks
    last, last_mark = np.uint64(slots.shape[0] - 1), np.uint64(64 * marks.shape[0] - 1)
    slots[:] = _ZERO
    marks[:] = _ZERO
    for k in range(rows.shape[0]):
        value = hash_of(rows[k], keys)
        table.hashes[k] = value
        mark = (value >> _32) & last_mark
        marks[mark >> np.uint64(6)] |= _ONE << (mark & _BITS)
        at = value & last
        while slots[at]:
            at = (at + _ONE) & last
        slots[at] = (value & _HIGH) | np.uint64(k + 1)


@inlined
def find(rows, k, flip, change, table):
    """Number of the row that is row k with the bits of `flip` flipped; -1 if there is none.

    rows, table : as filled by `fill_table`
    flip : (w,) uint64; change : its hash
    """
    value, slots, marks = table.hashes[k] ^ change, table.slots, table.marks
    mark = (value >> _32) & np.uint64(64 * marks.shape[0] - 1)
    if not (marks[mark >> np.uint64(6)] >> (mark & _BITS)) & _ONE:
        return np.int64(-1)
    last = np.uint64(slots.shape[0] - 1)
    at = value & last
    while slots[at]:
        slot = slots[at]
        if slot & _HIGH == value & _HIGH:
            other = np.int64(slot & _LOW) - 1
            same = True
            for w in range(flip.shape[0]):
                if rows[k, w] ^ rows[other, w] != flip[w]:
                    same = False
                    break
            if same:
                return other
        at = (at + _ONE) & last
    return np.int64(-1)


@kernel
def lowest_bit(mask):
    """Lowest hyperplane of a mask; 64 * words if it is empty."""
    for w in range(mask.shape[0]):
        if mask[w]:
            return 64 * w + trailing_zeros(mask[w])
    return np.int64(64 * mask.shape[0])


@entry
def fill_classes(rows, active, half, masks):
    """Classes of the hyperplanes of `active`: those whose signs have a constant product.

    Hyperplanes of constant sign belong to none.

    rows : (m, w) uint64, all the chambers
    active : (w,) uint64
    masks : (>= hyperplanes of `active` + 1, w) uint64, overwritten; first the classes
    Returns their number.
    """
    width = active.shape[0]
    most, count = 0, 0
    for w in range(width):
        word = active[w]
        masks[0, w] = word
        count |= word != _ZERO
        most += population(word)
    for k in range(1, rows.shape[0]):
        if count == most:
            break
        for c in range(count):
            inside, outside = _ZERO, _ZERO
            for w in range(width):
                flipped = rows[k, w] ^ rows[0, w]
                inside |= masks[c, w] & flipped
                outside |= masks[c, w] & ~flipped
            if inside and outside:
                for w in range(width):
                    flipped = rows[k, w] ^ rows[0, w]
                    masks[count, w] = masks[c, w] & flipped
                    masks[c, w] &= ~flipped
                count += 1
    if not half:
        count = _without_constant(rows, masks, count)
    return count


@allocating_kernel
def _without_constant(rows, masks, count):
    """Drop the class of the constant signs, if there is one; the number that remains."""
    for c in range(count):
        at = lowest_bit(masks[c])
        w, bit = at >> 6, _ONE << (np.uint64(at) & _BITS)
        constant = True
        for k in range(1, rows.shape[0]):
            if (rows[k, w] ^ rows[0, w]) & bit:
                constant = False
                break
        if constant:
            masks[c] = masks[count - 1]
            return count - 1
    return count


@allocating_entry
def fill_flips(masks, everything, half, keys, flips):
    """For each class the bits to flip, the change of a hash, and the lead.

    A neighbor across the class of the reference is not stored if `half`, but its negation is.

    masks : (c, w) uint64; everything : (w,) uint64, all hyperplanes
    flips : Flips, overwritten
    """
    for c in range(masks.shape[0]):
        lead = lowest_bit(masks[c])
        flips.leads[c] = lead
        flips.masks[c] = everything & ~masks[c] if half and lead == 0 else masks[c]
        flips.changes[c] = hash_of(flips.masks[c], keys)


@allocating_entry
def fill_edges(rows, first, stop, flips, half, table, edges, labels):
    """Pairs of chambers that differ in one class, each once, found from the rows first..stop-1.

    rows : (m, w) uint64; table : RowTable of all of them
    flips : Flips of the classes
    edges : (>= classes * (stop - first) * (1 + half), 2) int64, overwritten: first the chamber
        with + on the lead. Chamber m + k is the negation of row k if `half`
    labels : (as many,) int64, overwritten by the lead of the class in which they differ
    Returns the number of pairs.
    """
    m, width = rows.shape
    class_of = np.empty(64 * width, np.int64)
    leading = np.zeros(width, np.uint64)
    for c in range(flips.leads.shape[0]):
        lead = flips.leads[c]
        class_of[lead] = c
        leading[lead >> 6] |= _ONE << (np.uint64(lead) & _BITS)
    count = 0
    for k in range(first, stop):
        for w in range(width):
            # from the chamber with + on the lead, so that each pair is found once
            left = rows[k, w] & leading[w]
            while left:
                lead = 64 * w + trailing_zeros(left)
                left &= left - _ONE
                c = class_of[lead]
                other = find(rows, k, flips.masks[c], flips.changes[c], table)
                if other < 0:
                    continue
                turned = half and lead == 0
                labels[count] = lead
                edges[count, 0] = k
                edges[count, 1] = other + m if turned else other
                count += 1
                if half and not turned:
                    labels[count] = lead
                    edges[count, 0] = other + m
                    edges[count, 1] = k + m
                    count += 1
    return count


@allocating_entry
def fill_faces(faces, everything, half, keys, place, table, masks, out):
    """Faces on the flats of the next rank, each flat reached once.

    A flat comes from its *parent*, spanned by all but the last of its lexicographically first
    basis; so a parent takes the classes whose lead exceeds its own last.

    faces : FaceRows
    everything : (w,) uint64, all hyperplanes
    place : (2,) int64, the flat and the class to begin with; overwritten by those to go on with,
        the flat being f when all is done
    table : RowTable, masks : as in `fill_classes`; scratch, large enough for every flat
    out : FaceRows found, overwritten; room for one class at least
    Returns the number of flats found.
    """
    flat, begin = place
    count, used = 0, 0
    out.starts[0] = 0
    while flat < faces.flats.shape[0]:
        rows = faces.words[faces.starts[flat] : faces.starts[flat + 1]]
        active = everything & ~faces.flats[flat]
        classes = fill_classes(rows, active, half, masks)
        reference = lowest_bit(active)
        small, filled = table, False
        for c in range(begin, classes):
            lead = lowest_bit(masks[c])
            if lead <= faces.lasts[flat]:
                continue
            if used + rows.shape[0] > out.words.shape[0] or count == out.flats.shape[0]:
                place[0], place[1] = flat, c
                return count
            if not filled:
                small = _fitting(table, rows.shape[0])
                fill_table(rows, keys, small)
                filled = True
            flip, need = masks[c], lead
            if half and lead == reference:  # the neighbor's negation is stored
                flip = active & ~masks[c]
                need = lowest_bit(flip)
            used = _fill_class(rows, masks[c], flip, need, keys, small, out.words, used)
            out.flats[count] = faces.flats[flat] | masks[c]
            out.lasts[count] = lead
            count += 1
            out.starts[count] = used
        flat, begin = flat + 1, 0
    place[0], place[1] = flat, 0
    return count


@allocating_kernel
def _fitting(table, rows):
    """A part of the table, of a size that fits this many rows."""
    size = 2
    while size < 2 * rows:
        size *= 2
    return RowTable(table.hashes, table.slots[:size], table.marks[: max(1, size // 8)])


@kernel
def _fill_class(rows, mask, flip, need, keys, table, out, used):
    """Rows that have a neighbor across one class, without that class; the rows of `out` in use.

    Of each pair the row with + on the hyperplane `need` is taken, if there is such a hyperplane.
    """
    change = hash_of(flip, keys)
    word, bit = need >> 6, _ONE << (np.uint64(need) & _BITS)
    if word == mask.shape[0]:
        word, bit = 0, _ZERO
    for k in range(rows.shape[0]):
        if rows[k, word] & bit != bit or find(rows, k, flip, change, table) < 0:
            continue
        for w in range(mask.shape[0]):
            out[used, w] = rows[k, w] & ~mask[w]
        used += 1
    return used
