"""States that are linear images of each other, recognised where that is cheap.

Nothing is decided here: an image that is overlooked is only restricted once more.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import allocating_kernel, entry, kernel
from arrangements.kernels.modular.hashing import mix
from arrangements.kernels.modular.montgomery import mont_inverse, mont_mul
from arrangements.kernels.structure.restrictions import restrict
from arrangements.kernels.structure.states import (
    BAD_PRIME,
    DONE,
    STATES,
    Level,
    add_weights,
    find_or_add,
    load,
    sort_rows,
)

_ROUNDS = 3

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


class Images(NamedTuple):
    """One state of each class of images, in a common form."""

    states: Level
    leader: NDArray[np.int64]  # (S,) the first state that was brought to this form


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


@allocating_kernel
def order_columns(scratch, count, k, moduli):
    """Order the coordinates by what does not depend on their order.

    A coordinate is told from others by the multiplicities and supports of the rows it occurs
    in, refined a few times like the colours of a graph. Ties stay in the order they have.
    """
    for c in range(k):
        scratch.columns[c] = _ONE
    for _ in range(_ROUNDS):
        for i in range(count):
            h = np.uint64(scratch.multiplicity[i])
            for c in range(k):
                if scratch.rows[i, c, 0] != _ZERO:
                    h += mix(scratch.columns[c] + _ONE)
            scratch.digest[i] = mix(h)
        for c in range(k):
            h = _ZERO
            for i in range(count):
                if scratch.rows[i, c, 0] != _ZERO:
                    h += scratch.digest[i]
            scratch.columns[c] = mix(h)
    order = np.argsort(scratch.columns[:k], kind="mergesort")
    _select_columns(scratch, count, order, moduli)


@kernel
def _refine(scratch, count):
    """New colours of the rows, from their colours and those of the rows on lines with them."""
    colour, pencil, line = scratch.colour, scratch.pencil, scratch.line
    for h in range(count):
        for i in range(count):
            pencil[i] = _ZERO
        for i in range(count):
            if i != h:
                pencil[line[h, i]] += mix(colour[i])
        total = colour[h]
        for i in range(count):
            if pencil[i] != _ZERO:
                total += mix(pencil[i] + _ONE)
        scratch.refined[h] = mix(total)
    for h in range(count):
        colour[h] = scratch.refined[h]


@allocating_kernel
def _rarest(scratch, rows, count, pivoted, k):
    """First row of the rarest colour among those outside the span of the chosen rows.

    These are the rows with an entry in a column that is not pivoted yet; -1 if there is none,
    which takes a bad prime.
    """
    outside = 0
    for i in range(count):
        for c in range(k):
            if not pivoted[c] and rows[i, c, 0] != _ZERO:
                scratch.lead[outside] = i
                scratch.refined[outside] = scratch.colour[i]
                outside += 1
                break
    if outside == 0:
        return -1
    order = np.argsort(scratch.refined[:outside], kind="mergesort")
    best, fewest, begin = scratch.lead[order[0]], count + 1, 0
    for j in range(1, outside + 1):
        if j == outside or scratch.refined[order[j]] != scratch.refined[order[begin]]:
            if j - begin < fewest:
                fewest, best = j - begin, scratch.lead[order[begin]]
            begin = j
    return best


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


@allocating_kernel
def _scale_columns(rows, count, k, order, fields):
    """Scale the columns: rows in this order that tie columns not tied yet get equal entries.

    Scales are units modulo every prime, so that it is the same arrangement; False if a prime is
    bad.
    """
    group = np.arange(k)
    for t in range(count):
        i = order[t]
        reference = -1
        for c in range(k):
            if rows[i, c, 0] == _ZERO:
                continue
            if reference < 0:
                for q in range(1, fields.shape[0]):
                    if rows[i, c, q] == _ZERO:
                        return False
                reference = c
                continue
            if group[c] == group[reference]:
                continue
            old = group[c]
            for q in range(fields.shape[0]):
                p, inv = fields[q, 0], fields[q, 1]
                if rows[i, c, q] == _ZERO:
                    return False
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
def rebase(level, s, k, fields, scratch):
    """Express state s in a basis of its own rows, chosen by how they lie to one another.

    Rows are coloured by their multiplicity and, repeatedly, by the colours of the rows on lines
    with them. One row of the rarest colour after the other enters the basis and gets
    a colour of its own. Where rows of a colour can be exchanged by a symmetry, which of them is
    taken does not matter, and all linear images of the state come out equal.
    The rows are left in `scratch`; False if a prime is bad.
    """
    first, stop = level.start[s], level.start[s + 1]
    for h in range(stop - first):
        scratch.colour[h] = mix(np.uint64(level.multiplicity[first + h]))
        if restrict(level.rows, level.multiplicity, first, stop, first + h, k, fields, scratch) < 0:
            return False
        for i in range(stop - first):
            if i != h:
                scratch.line[h, i] = scratch.member[i if i < h else i - 1]
    rows, count = scratch.rows, load(level, s, k, scratch)
    pivoted = np.zeros(k, np.bool_)
    chosen = np.zeros(k, np.int64)
    _refine(scratch, count)
    for j in range(k):
        _refine(scratch, count)
        b = _rarest(scratch, rows, count, pivoted, k)
        if b < 0:
            return False
        column = 0
        while pivoted[column] or rows[b, column, 0] == _ZERO:
            column += 1
        if not _pivot(rows, count, k, b, fields, column):
            return False
        pivoted[column] = True
        chosen[j] = column
        scratch.colour[b] = mix(scratch.colour[b] + np.uint64(j + 1))
    _refine(scratch, count)
    _select_columns(scratch, count, chosen, fields.shape[0])
    order = np.argsort(scratch.colour[:count], kind="mergesort")
    return _scale_columns(rows, count, k, order, fields)


@entry
def merge_images(level, k, thorough, fields, moduli, images, scratch, position, budget):
    """Bring states, from number position[0] on, to a common form and collect them in `images`.

    That is a common order of the coordinates, or, if `thorough`, a common basis. There must be
    room. position[0] is advanced. Returns DONE, also after `budget` states, or BAD_PRIME.
    """
    states = images.states
    for s in range(position[0], level.used[STATES]):
        if budget == 0:
            return DONE
        count = level.start[s + 1] - level.start[s]
        if thorough:
            good = rebase(level, s, k, fields, scratch)
        else:
            good = True
            load(level, s, k, scratch)
            order_columns(scratch, count, k, fields.shape[0])
        digest = _ZERO
        if good:
            digest, good = sort_rows(scratch, count, k, fields)
        if not good:
            return BAD_PRIME
        known = states.used[STATES]
        t = find_or_add(states, digest, scratch, count, k)
        if t == known:
            images.leader[t] = s
        add_weights(states, t, level.weight[s], moduli)
        position[0] = s + 1
        budget -= 1
    return DONE
