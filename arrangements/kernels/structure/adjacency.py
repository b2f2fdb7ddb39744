"""Neighbours in a set of packed sign vectors, and with them the faces below it.

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

import numpy as np

from arrangements.kernels.compilation import (
    allocating_entry,
    allocating_kernel,
    entry,
    inlined,
    kernel,
)
from arrangements.kernels.llvm.bit_masks import trailing_zeros

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)
_HIGH = np.uint64(0xFFFFFFFF00000000)
_BITS = np.uint64(63)
_32 = np.uint64(32)


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
def fill_table(words, start, stop, keys, hashes, slots, marks):
    """Hash the rows start..stop-1 and enter them, numbered from 0, into the table.

    words : (rows, w) uint64
    hashes : (>= stop - start,) uint64, overwritten
    slots : (2**k,) uint64, overwritten; 2**k > stop - start, and stop - start < 2**32 - 1
    marks : (2**j,) uint64, overwritten
    """
    last, last_mark = np.uint64(slots.shape[0] - 1), np.uint64(64 * marks.shape[0] - 1)
    slots[:] = _ZERO
    marks[:] = _ZERO
    for k in range(stop - start):
        value = hash_of(words[start + k], keys)
        hashes[k] = value
        mark = (value >> _32) & last_mark
        marks[mark >> np.uint64(6)] |= _ONE << (mark & _BITS)
        at = value & last
        while slots[at]:
            at = (at + _ONE) & last
        slots[at] = (value & _HIGH) | np.uint64(k + 1)


@inlined
def find(words, start, k, flip, value, slots, marks):
    """Number of the row that is row k with the bits of `flip` flipped; -1 if there is none.

    value : the hash of the row looked for; the rest as in `fill_table`
    """
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
                if words[start + k, w] ^ words[start + other, w] != flip[w]:
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
def fill_classes(words, start, stop, active, half, masks):
    """Classes of the hyperplanes of `active`: those whose signs have a constant product.

    Hyperplanes of constant sign belong to none.

    words : (rows, w) uint64; the rows start..stop-1 are all the chambers
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
        while word:
            most += 1
            word &= word - _ONE
    for k in range(start + 1, stop):
        if count == most:
            break
        for c in range(count):
            inside, outside = _ZERO, _ZERO
            for w in range(width):
                flipped = words[k, w] ^ words[start, w]
                inside |= masks[c, w] & flipped
                outside |= masks[c, w] & ~flipped
            if inside and outside:
                for w in range(width):
                    flipped = words[k, w] ^ words[start, w]
                    masks[count, w] = masks[c, w] & flipped
                    masks[c, w] &= ~flipped
                count += 1
    if not half:
        count = _without_constant(words, start, stop, masks, count)
    return count


@allocating_kernel
def _without_constant(words, start, stop, masks, count):
    """Drop the class of the constant signs, if there is one; the number that remains."""
    for c in range(count):
        at = lowest_bit(masks[c])
        w, bit = at >> 6, _ONE << (np.uint64(at) & _BITS)
        constant = True
        for k in range(start + 1, stop):
            if (words[k, w] ^ words[start, w]) & bit:
                constant = False
                break
        if constant:
            masks[c] = masks[count - 1]
            return count - 1
    return count


@allocating_entry
def fill_flips(masks, everything, half, keys, flips, changes, leads):
    """For each class the bits to flip, what that does to a hash, and the lead.

    A neighbour across the class of the reference is not stored if `half`, but its negation is.

    masks : (c, w) uint64; everything : (w,) uint64, all hyperplanes
    flips : (c, w) uint64, changes : (c,) uint64, leads : (c,) int64, overwritten
    """
    for c in range(masks.shape[0]):
        leads[c] = lowest_bit(masks[c])
        flips[c] = masks[c]
        if half and leads[c] == 0:
            flips[c] = everything & ~masks[c]
        changes[c] = hash_of(flips[c], keys)


@allocating_entry
def fill_edges(
    words, first, stop, flips, changes, leads, half, hashes, slots, marks, edges, labels
):
    """Pairs of chambers that differ in one class, each once, found from the rows first..stop-1.

    words : (m, w) uint64; `hashes`, `slots` and `marks` filled with all of its rows
    flips, changes, leads : of the classes, as in `fill_flips`
    edges : (>= classes * (stop - first) * (1 + half), 2) int64, overwritten: first the chamber
        with + on the lead. Chamber m + k is the negation of row k if `half`
    labels : (as many,) int64, overwritten by the lead of the class in which they differ
    Returns the number of pairs.
    """
    m, width = words.shape
    class_of = np.empty(64 * width, np.int64)
    leading = np.zeros(width, np.uint64)
    for c in range(leads.shape[0]):
        class_of[leads[c]] = c
        leading[leads[c] >> 6] |= _ONE << (np.uint64(leads[c]) & _BITS)
    count = 0
    for k in range(first, stop):
        for w in range(width):
            # from the chamber with + on the lead, so that each pair is found once
            left = words[k, w] & leading[w]
            while left:
                lead = 64 * w + trailing_zeros(left)
                left &= left - _ONE
                c = class_of[lead]
                other = find(words, 0, k, flips[c], hashes[k] ^ changes[c], slots, marks)
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
def fill_faces(words, starts, flats, lasts, everything, half, keys, place, scratch, out):
    """Faces on the flats of the next rank, each flat reached once.

    A flat comes from its *parent*, spanned by all but the last of its lexicographically first
    basis; so a parent takes the classes whose lead exceeds its own last.

    words : (rows, w) uint64, signs of the faces, zero on their flats; those of flat f are the
        rows starts[f]..starts[f+1]-1
    flats : (f, w) uint64; lasts : (f,) int64, last of the first basis, -1 if it is empty
    everything : (w,) uint64, all hyperplanes
    place : (2,) int64, the flat and the class to begin with; overwritten by those to go on with,
        the flat being f when all is done
    scratch : hashes, slots, marks (as in `fill_table`) and masks (as in `fill_classes`), large
        enough for every flat
    out : words, starts, flats, lasts of the faces found, overwritten; room for one class at least
    Returns the number of flats found.
    """
    hashes, slots, marks, masks = scratch
    out_words, out_starts, out_flats, out_lasts = out
    flat, begin = place
    count, used, size, marked = 0, 0, 2, 1
    out_starts[0] = 0
    while flat < flats.shape[0]:
        start, stop = starts[flat], starts[flat + 1]
        active = everything & ~flats[flat]
        reference = lowest_bit(active)
        classes = fill_classes(words, start, stop, active, half, masks)
        filled = False
        for c in range(begin, classes):
            lead = lowest_bit(masks[c])
            if lead <= lasts[flat]:
                continue
            if used + stop - start > out_words.shape[0] or count == out_flats.shape[0]:
                place[0], place[1] = flat, c
                return count
            if not filled:
                # a table of a size that fits the flat
                size = 2
                while size < 2 * (stop - start):
                    size *= 2
                marked = max(1, size // 8)
                fill_table(words, start, stop, keys, hashes, slots[:size], marks[:marked])
                filled = True
            turned = half and lead == reference
            flip = active & ~masks[c] if turned else masks[c]
            need = lowest_bit(active & ~masks[c]) if turned else lead
            table = hashes, slots[:size], marks[:marked]
            used = _fill_class(
                words, start, stop, masks[c], flip, need, keys, table, out_words, used
            )
            out_flats[count] = flats[flat] | masks[c]
            out_lasts[count] = lead
            count += 1
            out_starts[count] = used
        flat, begin = flat + 1, 0
    place[0], place[1] = flat, 0
    return count


@kernel
def _fill_class(words, start, stop, mask, flip, need, keys, table, out, used):
    """Rows that have a neighbour across one class, without that class; the rows of `out` in use.

    Of each pair the row with + on the hyperplane `need` is taken, if there is such a hyperplane.
    """
    hashes, slots, marks = table
    change = hash_of(flip, keys)
    word, bit = need >> 6, _ONE << (np.uint64(need) & _BITS)
    if word == mask.shape[0]:
        word, bit = 0, _ZERO
    for k in range(stop - start):
        if words[start + k, word] & bit != bit:
            continue
        if find(words, start, k, flip, hashes[k] ^ change, slots, marks) < 0:
            continue
        for w in range(mask.shape[0]):
            out[used, w] = words[start + k, w] & ~mask[w]
        used += 1
    return used
