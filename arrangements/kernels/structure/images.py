"""States that are linear images of each other, recognized where that is cheap.

Nothing is decided here: an image that is overlooked is only restricted once more.
"""

import numpy as np

from arrangements.kernels.compilation import allocating_kernel, entry, kernel
from arrangements.kernels.modular.hashing import mix
from arrangements.kernels.modular.montgomery import mont_inverse, mont_mul
from arrangements.kernels.structure.lines import LINES, TILE, find_lines, project
from arrangements.kernels.structure.states import (
    BAD_PRIME,
    COUNT,
    DONE,
    FULL,
    GIVEN,
    MADE,
    add_weights,
    append,
    choose,
    find_or_add,
    has_room,
    load,
    load_sorted,
    sort_rows,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_32 = np.uint64(32)
_NONE = -1
_MANY_ROWS = 600
# A gain of colors is small if it is at most this fraction of the rows.
_SMALL = 16


@kernel
def _select_columns(scratch, count, chosen, moduli):
    """Permute the columns of ``scratch.rows``: column c becomes the former column chosen[c]."""
    k = chosen.shape[0]
    for i in range(count):
        for q in range(moduli):
            for c in range(k):
                scratch.row[c] = scratch.rows[i, chosen[c], q]
            for c in range(k):
                scratch.rows[i, c, q] = scratch.row[c]


@kernel
def _refine(scratch, count):
    """New colors of the rows, from their colors and those of the rows on lines with them.

    Lines of two rows are left out: which they are follows from the others.
    """
    color, refined, lines = scratch.color, scratch.refined, scratch.lines
    for i in range(count):
        refined[i] = color[i]
    for g in range(lines.used[LINES]):
        first, stop = lines.start[g], lines.start[g + 1]
        a, b, c = lines.member[first], lines.member[first + 1], lines.member[first + 2]
        total = color[a] + color[b] + color[c]
        for u in range(first + 3, stop):
            total += color[lines.member[u]]
        total = mix(total + _ONE)
        refined[a] += total
        refined[b] += total
        refined[c] += total
        for u in range(first + 3, stop):
            refined[lines.member[u]] += total
    for i in range(count):
        color[i] = mix(refined[i])


@kernel
def tally(values, count, slots, alike):
    """Count equal values, in `alike` at the first place of each, with 0 at the others.

    values : hashes
    slots : (power of 2 >= 2 count,) int64, room for a hash table
    Returns the number of different values.
    """
    size, different = 2, 0
    while size < 2 * count:
        size *= 2
    mask = np.uint64(size - 1)
    for slot in range(size):
        slots[slot] = _NONE
    for i in range(count):
        alike[i] = 0
        slot = values[i] & mask
        while slots[slot] != _NONE and values[slots[slot]] != values[i]:
            slot = (slot + _ONE) & mask
        if slots[slot] == _NONE:
            slots[slot] = i
            different += 1
        alike[slots[slot]] += 1
    return different


@kernel
def _refine_all(scratch, count, colors):
    """Refine until hardly more rows differ; the number of colors, of which there were `colors`.

    A round that tells no more rows apart takes as long as one that does, so a small gain is taken
    for a sign that the next is smaller: the same for all linear images.
    """
    while colors < count:
        _refine(scratch, count)
        different = tally(scratch.color, count, scratch.slots, scratch.alike)
        gain = different - colors
        colors = max(colors, different)
        if gain <= count // _SMALL:
            break
    return colors


@kernel
def _single_out(scratch, count, i, colors):
    """Give row i a color of its own, and refine the others; the number of colors."""
    scratch.color[i] = mix(scratch.color[i] + _ONE)
    return _refine_all(scratch, count, colors)


@kernel
def _rarest(scratch, rows, count, pivoted, k):
    """A row of the rarest color among those outside the span of the chosen rows.

    These are the rows with an entry in a column that is not pivoted yet; there is one, unless a
    prime is bad. Returns (row or -1, number of rows of its color).
    """
    outside = 0
    for i in range(count):
        for c in range(k):
            if not pivoted[c] and rows[i, c, 0] != _ZERO:
                scratch.lead[outside] = i
                scratch.refined[outside] = scratch.color[i]
                outside += 1
                break
    tally(scratch.refined, outside, scratch.slots, scratch.alike)
    best, fewest = -1, count + 1
    for j in range(outside):
        alike = scratch.alike[j]
        if alike == 0 or alike > fewest:
            continue
        if alike < fewest or scratch.refined[j] < scratch.refined[best]:
            best, fewest = j, alike
    if best < 0:
        return -1, 0
    candidates = scratch.lead[:outside]
    return choose(candidates, candidates[best], scratch.color, scratch.choices), fewest


@kernel
def _pivot(rows, count, k, b, fields, column):
    """Change the basis of the columns so that row b becomes a unit row; False if a prime is bad."""
    for q in range(fields.shape[0]):
        p, inv = fields[q, 0], fields[q, 1]
        if rows[b, column, q] == _ZERO:
            return False
        inverse = mont_inverse(rows[b, column, q], p, inv, fields[q, 2])
        for i in range(count):
            rows[i, column, q] = mont_mul(rows[i, column, q], inverse, p, inv)
        for c in range(k):
            if c != column and rows[b, c, q] != _ZERO:
                factor = p - rows[b, c, q]
                for i in range(count):
                    x = mont_mul(rows[i, column, q], factor, p, inv) + rows[i, c, q]
                    rows[i, c, q] = x - p if x >= p else x
    return True


@kernel
def _is_between(rows, i, k, group):
    """Whether row i has entries in columns of two groups."""
    reference = -1
    for c in range(k):
        if rows[i, c, 0] != _ZERO:
            if reference >= 0 and group[c] != reference:
                return True
            reference = group[c]
    return False


@kernel
def _row_between(rows, count, k, group, scratch):
    """A row of least color among those with entries in columns of two groups; -1 if none has."""
    color, candidates, found, best = scratch.color, scratch.lead, 0, -1
    for i in range(count):
        if (best < 0 or color[i] <= color[best]) and _is_between(rows, i, k, group):
            best = i if best < 0 or color[i] < color[best] else best
            candidates[found] = i
            found += 1
    return choose(candidates[:found], best, color, scratch.choices) if best >= 0 else -1


@kernel
def _tie_columns(rows, count, k, i, fields, group):
    """Scale the columns in which row i has entries, with their groups, to make these equal.

    Scales are units modulo every prime, so that it is the same arrangement; False if a prime is
    bad.
    """
    reference = 0
    while rows[i, reference, 0] == _ZERO:
        reference += 1
    for c in range(reference, k):
        if rows[i, c, 0] == _ZERO or (c > reference and group[c] == group[reference]):
            continue
        old = group[c]
        for q in range(fields.shape[0]):
            p, inv = fields[q, 0], fields[q, 1]
            if rows[i, c, q] == _ZERO:
                return False
            if c == reference:
                continue
            scale = mont_inverse(rows[i, c, q], p, inv, fields[q, 2])
            scale = mont_mul(scale, rows[i, reference, q], p, inv)
            for e in range(k):
                if group[e] == old:
                    for j in range(count):
                        rows[j, e, q] = mont_mul(rows[j, e, q], scale, p, inv)
        for e in range(k):
            if group[e] == old:
                group[e] = group[reference]
    return True


@allocating_kernel
def _scale_columns(rows, count, k, fields, scratch, colors):
    """Scale the columns: one row after the other gets equal entries where it can.

    The rows' colors, to which their supports are added, say which.
    """
    color = scratch.color
    for i in range(count):
        for c in range(k):
            if rows[i, c, 0] != _ZERO:
                color[i] = mix(color[i] + np.uint64(c + 1))
    group = np.arange(k)
    while True:
        i = _row_between(rows, count, k, group, scratch)
        if i < 0:
            return True
        if not _tie_columns(rows, count, k, i, fields, group):
            return False
        colors = _single_out(scratch, count, i, colors)


@kernel
def color_rows(states, s, k, fields, scratch):
    """Load state s, and color its rows by how they lie to one another.

    Rows are colored by their multiplicity and, repeatedly, by the colors of the rows on lines
    with them. Returns (number of rows, of colors); there are no colors if a prime is bad.
    """
    rows, count = scratch.rows, load(states, s, k, scratch)
    # a line that is none would hide an image, which is likely only among many triples
    planes = 1 if count < _MANY_ROWS else 2
    if not project(rows, count, k, planes, fields, scratch.lines):
        return count, 0
    for begin in range(0, count, TILE):
        find_lines(begin, min(begin + TILE, count), count, planes, fields, scratch.lines)
    for i in range(count):
        scratch.color[i] = mix(np.uint64(scratch.multiplicity[i]))
    return count, _refine_all(scratch, count, 0)


@allocating_kernel
def choose_basis(scratch, count, k, fields, colors):
    """Express the rows in a basis of some of them, chosen by their colors.

    One row of the rarest color after the other enters the basis and gets a color of its own.
    Where rows of a color can be exchanged by a symmetry, which of them is taken does not matter,
    and all linear images of the state come out equal. Choices that are given are made so.
    The rows are left in `scratch`; False if a prime is bad.
    """
    rows = scratch.rows
    scratch.choices.used[MADE] = 0
    pivoted = np.zeros(k, np.bool_)
    chosen = np.zeros(k, np.int64)
    for j in range(k):
        b, alike = _rarest(scratch, rows, count, pivoted, k)
        if b < 0:
            return False
        column = 0
        while pivoted[column] or rows[b, column, 0] == _ZERO:
            column += 1
        if not _pivot(rows, count, k, b, fields, column):
            return False
        pivoted[column] = True
        chosen[j] = column
        if alike > 1:
            colors = _single_out(scratch, count, b, colors)
    _select_columns(scratch, count, chosen, fields.shape[0])
    return _scale_columns(rows, count, k, fields, scratch, colors)


@kernel
def rebase(states, s, k, fields, scratch):
    """Bring state s to a common form, with a basis of its own rows; False if a prime is bad."""
    count, colors = color_rows(states, s, k, fields, scratch)
    scratch.choices.used[GIVEN] = 0
    return colors > 0 and choose_basis(scratch, count, k, fields, colors)


@entry
def recognize(states, k, by_image, fields, moduli, classes, scratch, position, budget):
    """Put states, from number position[0] on, into classes: of linear images, or of equal ones.

    by_image : bool, whether to bring them to a common form; else a state is its own key
    moduli : (Q, 4 + Q) uint64, primes of the weights
    position : (1,) int64, advanced

    Returns DONE (at the end or after `budget` states), FULL (`classes` need room) or BAD_PRIME.
    """
    keys, leaders = classes.keys, classes.states
    for s in range(position[0], states.used[COUNT]):
        if budget == 0:
            return DONE
        count = states.start[s + 1] - states.start[s]
        if not (has_room(keys, count) and has_room(leaders, count)):
            return FULL
        digest, good = states.digest[s], True
        if by_image:
            good = rebase(states, s, k, fields, scratch)
            if good:
                digest, good = sort_rows(scratch, count, k, fields)
        else:
            load_sorted(states, s, k, scratch)
        if not good:
            return BAD_PRIME
        known = keys.used[COUNT]
        t = find_or_add(keys, digest, scratch, count, k)
        if t == known:
            append(leaders, states, s, k)
        add_weights(leaders, t, states.weight[s], moduli)
        position[0] = s + 1
        budget -= 1
    return DONE


@entry
def gather(source, k, share, shares, moduli, classes, scratch, position, budget):
    """Add the classes of `source` whose digests belong to one of this many shares.

    position, budget and the result are as those of `recognize`.
    """
    keys = source.keys
    for s in range(position[0], keys.used[COUNT]):
        if budget == 0:
            return DONE
        if (keys.digest[s] >> _32) % np.uint64(shares) == np.uint64(share):
            count = load_sorted(keys, s, k, scratch)
            if not (has_room(classes.keys, count) and has_room(classes.states, count)):
                return FULL
            known = classes.keys.used[COUNT]
            t = find_or_add(classes.keys, keys.digest[s], scratch, count, k)
            if t == known:
                append(classes.states, source.states, s, k)
            add_weights(classes.states, t, source.states.weight[s], moduli)
            budget -= 1
        position[0] = s + 1
    return DONE
