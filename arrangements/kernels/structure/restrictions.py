"""Restrictions of a central arrangement, merged: the kernels behind the characteristic polynomial.

A *state* is an arrangement in k coordinates whose hyperplanes carry multiplicities: what a flat
Y of the root leaves over, each hyperplane with the number of root hyperplanes it comes from. All
arithmetic is modulo primes whose product exceeds every minor of the root, so a zero is a zero
(an entry that vanishes modulo some primes only stops the kernel: BAD_PRIME). Rows are scaled so
that their first non-zero entry is 1 and are therefore equal iff the hyperplanes are.

A restriction is expressed in the coordinates that are left, and which are left depends on the
flat only, not on the way to it: always the last possible coordinate is solved for. So the ways to
a flat end in equal states, and so do many flats of a symmetric arrangement. More
are merged by `merge_images`, which decides nothing: what it overlooks is only done twice.

Arrays hold one block of rows per state. Residues are Montgomery residues, see
``kernels.modular.montgomery``; the modulus of a `weight` is a prime larger than the number of
hyperplanes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import allocating_kernel, entry, inlined, kernel
from arrangements.kernels.modular.montgomery import mont_inverse, mont_mul

DONE, FULL, BAD_PRIME = range(3)
# Counters of `Level.used`.
STATES, ROWS = range(2)
_ROUNDS = 3

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_EMPTY = np.int64(-1)


class Level(NamedTuple):
    """States with the same number k of coordinates; S of them, R rows in all (room for more).

    Attributes
    ----------
    rows : (R, k, P) uint32
        Residues of the rows modulo P primes, a block of consecutive rows per state.
    multiplicity : (R,) int64
    start : (S + 1,) int64
        First row of each state.
    digest : (S,) uint64
        Hash of each state.
    weight : (S, L, Q) uint64
        Modulo Q primes: see `expand`.
    slots : (power of 2,) int64
        Hash table of the states.
    used : (2,) int64
        Number of states and of rows.
    """

    rows: NDArray[np.uint32]
    multiplicity: NDArray[np.int64]
    start: NDArray[np.int64]
    digest: NDArray[np.uint64]
    weight: NDArray[np.uint64]
    slots: NDArray[np.int64]
    used: NDArray[np.int64]


class Scratch(NamedTuple):
    """Work space for restrictions of states of at most N rows, k coordinates and P primes.

    Attributes
    ----------
    rows, sorted_rows : (N, k, P) uint64
    multiplicity, sorted_multiplicity : (N,) int64
    lead : (N,) int64
    prefix : (max(N + 1, k),) uint64
    unit : (k, P) uint64
    slots : (power of 2 >= 2 N,) int64
    digest : (N,) uint64
    columns : (k,) uint64
    member : (N,) int32
        Row of the restriction that each row became.
    line : (N, N) int32
        `member` for the restriction to each row: which rows lie on a line with it.
    colour, refined, pencil : (N,) uint64
    """

    rows: NDArray[np.uint64]
    sorted_rows: NDArray[np.uint64]
    multiplicity: NDArray[np.int64]
    sorted_multiplicity: NDArray[np.int64]
    lead: NDArray[np.int64]
    prefix: NDArray[np.uint64]
    unit: NDArray[np.uint64]
    slots: NDArray[np.int64]
    digest: NDArray[np.uint64]
    columns: NDArray[np.uint64]
    member: NDArray[np.int32]
    line: NDArray[np.int32]
    colour: NDArray[np.uint64]
    refined: NDArray[np.uint64]
    pencil: NDArray[np.uint64]


@inlined
def _mix(h):
    """A permutation of 64-bit words without visible structure (the finalizer of SplitMix64)."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


@kernel
def _normalize(rows, count, k, fields, lead, prefix):
    """Scale rows so that their first non-zero entry is 1; False if a prime is bad.

    One inversion for all rows (Montgomery's trick): the products of the leading entries.
    """
    moduli = fields.shape[0]
    for i in range(count):
        c = 0
        while c < k and rows[i, c, 0] == _ZERO:
            for q in range(1, moduli):
                if rows[i, c, q] != _ZERO:
                    return False
            c += 1
        if c == k:
            return False
        lead[i] = c
    for q in range(moduli):
        p, inv = fields[q, 0], fields[q, 1]
        one = mont_mul(_ONE, fields[q, 2], p, inv)
        prefix[0] = one
        ones = True
        for i in range(count):
            entry = rows[i, lead[i], q]
            if entry == _ZERO:
                return False
            ones = ones and entry == one
            prefix[i + 1] = mont_mul(prefix[i], entry, p, inv)
        if ones:
            continue
        inverse = mont_inverse(prefix[count], p, inv, fields[q, 2])
        for i in range(count - 1, -1, -1):
            entry = rows[i, lead[i], q]
            scale = mont_mul(inverse, prefix[i], p, inv)
            inverse = mont_mul(inverse, entry, p, inv)
            if entry != one:
                for c in range(lead[i], k):
                    rows[i, c, q] = mont_mul(rows[i, c, q], scale, p, inv)
    return True


@inlined
def _row_digest(rows, i, k, moduli):
    h = _ZERO
    for c in range(k):
        for q in range(moduli):
            h = _mix(h + rows[i, c, q] + np.uint64(0x9E3779B97F4A7C15))
    return h


@inlined
def _equal_rows(rows, i, j, k, moduli):
    for c in range(k):
        for q in range(moduli):
            if rows[i, c, q] != rows[j, c, q]:
                return False
    return True


@kernel
def restrict(rows, multiplicity, first, stop, h, k, fields, scratch):
    """Restrict the rows first..stop - 1 to row h: the distinct rows, in k - 1 coordinates.

    They and their multiplicities are left in `scratch`. Returns their number; -1 if a prime is
    bad. Row h is solved for its last coordinate that is not zero, modulo every prime.
    """
    moduli = fields.shape[0]
    pivot = k - 1
    while pivot >= 0 and rows[h, pivot, 0] == _ZERO:
        for q in range(1, moduli):
            if rows[h, pivot, q] != _ZERO:
                return -1
        pivot -= 1
    if pivot < 0:
        return -1
    for q in range(moduli):
        p, inv = fields[q, 0], fields[q, 1]
        if rows[h, pivot, q] == _ZERO:
            return -1
        inverse = mont_inverse(np.uint64(rows[h, pivot, q]), p, inv, fields[q, 2])
        for c in range(k):
            scratch.unit[c, q] = p - mont_mul(np.uint64(rows[h, c, q]), inverse, p, inv)
    count = 0
    for i in range(first, stop):
        if i == h:
            continue
        for q in range(moduli):
            p, inv = fields[q, 0], fields[q, 1]
            factor = np.uint64(rows[i, pivot, q])
            for c in range(k - 1):
                source = c if c < pivot else c + 1
                x = np.uint64(rows[i, source, q])
                if factor != _ZERO:
                    x += mont_mul(factor, scratch.unit[source, q], p, inv)
                    x = x - p if x >= p else x
                scratch.rows[count, c, q] = x
        scratch.multiplicity[count] = multiplicity[i]
        count += 1
    if not _normalize(scratch.rows, count, k - 1, fields, scratch.lead, scratch.prefix):
        return -1
    return _merge_equal(scratch, count, k - 1, moduli)


@kernel
def _merge_equal(scratch, count, k, moduli):
    """Keep one of equal rows, with the sum of the multiplicities; the number that stays."""
    size = 2
    while size < 2 * count:
        size *= 2
    mask = np.uint64(size - 1)
    for slot in range(size):
        scratch.slots[slot] = _EMPTY
    kept = 0
    for i in range(count):
        slot = _row_digest(scratch.rows, i, k, moduli) & mask
        while True:
            j = scratch.slots[slot]
            if j == _EMPTY or _equal_rows(scratch.rows, i, j, k, moduli):
                break
            slot = (slot + _ONE) & mask
        if j != _EMPTY:
            scratch.multiplicity[j] += scratch.multiplicity[i]
            scratch.member[i] = j
            continue
        scratch.member[i] = kept
        scratch.slots[slot] = kept
        for c in range(k):
            for q in range(moduli):
                scratch.rows[kept, c, q] = scratch.rows[i, c, q]
        scratch.multiplicity[kept] = scratch.multiplicity[i]
        kept += 1
    return kept


@allocating_kernel
def sort_rows(scratch, count, k, fields):
    """Scale ``scratch.rows`` and order them, into `sorted_rows`.

    Returns (digest of the state, False if a prime is bad).
    """
    moduli = fields.shape[0]
    if not _normalize(scratch.rows, count, k, fields, scratch.lead, scratch.prefix):
        return _ZERO, False
    total = _ZERO
    for i in range(count):
        h = _row_digest(scratch.rows, i, k, moduli)
        h = _mix(h + np.uint64(scratch.multiplicity[i]))
        scratch.digest[i] = h
        total += _mix(h)
    order = np.argsort(scratch.digest[:count], kind="mergesort")
    for i in range(count):
        for c in range(k):
            for q in range(moduli):
                scratch.sorted_rows[i, c, q] = scratch.rows[order[i], c, q]
        scratch.sorted_multiplicity[i] = scratch.multiplicity[order[i]]
    return total, True


@kernel
def _select_columns(scratch, count, chosen, moduli):
    """Permute the columns of ``scratch.rows``: column c becomes the former column chosen[c]."""
    k = chosen.shape[0]
    for i in range(count):
        for q in range(moduli):
            for c in range(k):
                scratch.prefix[c] = scratch.rows[i, chosen[c], q]
            for c in range(k):
                scratch.rows[i, c, q] = scratch.prefix[c]


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
                    h += _mix(scratch.columns[c] + _ONE)
            scratch.digest[i] = _mix(h)
        for c in range(k):
            h = _ZERO
            for i in range(count):
                if scratch.rows[i, c, 0] != _ZERO:
                    h += scratch.digest[i]
            scratch.columns[c] = _mix(h)
    order = np.argsort(scratch.columns[:k], kind="mergesort")
    _select_columns(scratch, count, order, moduli)


@kernel
def _same_state(level, s, scratch, count, k):
    first = level.start[s]
    if level.start[s + 1] - first != count:
        return False
    for i in range(count):
        if level.multiplicity[first + i] != scratch.sorted_multiplicity[i]:
            return False
        for c in range(k):
            for q in range(level.rows.shape[2]):
                if level.rows[first + i, c, q] != scratch.sorted_rows[i, c, q]:
                    return False
    return True


@kernel
def find_or_add(level, digest, scratch, count, k):
    """Number of the state in `scratch`, which is added when it is new; there must be room."""
    mask = np.uint64(level.slots.shape[0] - 1)
    slot = digest & mask
    while True:
        s = level.slots[slot]
        if s == _EMPTY:
            break
        if level.digest[s] == digest and _same_state(level, s, scratch, count, k):
            return s
        slot = (slot + _ONE) & mask
    s, first = level.used[STATES], level.used[ROWS]
    level.slots[slot] = s
    level.digest[s] = digest
    level.start[s] = first
    level.start[s + 1] = first + count
    level.used[STATES] = s + 1
    level.used[ROWS] = first + count
    for i in range(count):
        level.multiplicity[first + i] = scratch.sorted_multiplicity[i]
        for c in range(k):
            for q in range(level.rows.shape[2]):
                level.rows[first + i, c, q] = scratch.sorted_rows[i, c, q]
    for z in range(level.weight.shape[1]):
        for q in range(level.weight.shape[2]):
            level.weight[s, z, q] = _ZERO
    return s


@entry
def enter_slots(level):
    """Fill the hash table anew, after it has grown."""
    level.slots[:] = _EMPTY
    mask = np.uint64(level.slots.shape[0] - 1)
    for s in range(level.used[STATES]):
        slot = level.digest[s] & mask
        while level.slots[slot] != _EMPTY:
            slot = (slot + _ONE) & mask
        level.slots[slot] = s


@kernel
def _refine(scratch, count):
    """New colours of the rows, from their colours and those of the rows on lines with them."""
    colour, pencil, line = scratch.colour, scratch.pencil, scratch.line
    for h in range(count):
        for i in range(count):
            pencil[i] = _ZERO
        for i in range(count):
            if i != h:
                pencil[line[h, i]] += _mix(colour[i])
        total = colour[h]
        for i in range(count):
            if pencil[i] != _ZERO:
                total += _mix(pencil[i] + _ONE)
        scratch.refined[h] = _mix(total)
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


@kernel
def _load(level, s, k, scratch):
    """Copy state s into ``scratch.rows``; the number of its rows."""
    first, stop = level.start[s], level.start[s + 1]
    for i in range(first, stop):
        scratch.multiplicity[i - first] = level.multiplicity[i]
        for c in range(k):
            for q in range(level.rows.shape[2]):
                scratch.rows[i - first, c, q] = level.rows[i, c, q]
    return stop - first


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
        scratch.colour[h] = _mix(np.uint64(level.multiplicity[first + h]))
        if restrict(level.rows, level.multiplicity, first, stop, first + h, k, fields, scratch) < 0:
            return False
        for i in range(stop - first):
            if i != h:
                scratch.line[h, i] = scratch.member[i if i < h else i - 1]
    rows, count = scratch.rows, _load(level, s, k, scratch)
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
        scratch.colour[b] = _mix(scratch.colour[b] + np.uint64(j + 1))
    _refine(scratch, count)
    _select_columns(scratch, count, chosen, fields.shape[0])
    order = np.argsort(scratch.colour[:count], kind="mergesort")
    return _scale_columns(rows, count, k, order, fields)


@entry
def merge_images(level, k, thorough, fields, moduli, merged, leader, scratch, position, budget):
    """Bring states, from number position[0] on, to a common form and collect them in `merged`.

    That is a common order of the coordinates, or, if `thorough`, a common basis. There must be
    room. leader[t] is the first state of `level` that became state t of `merged`.
    """
    for s in range(position[0], level.used[STATES]):
        if budget == 0:
            return DONE
        count = level.start[s + 1] - level.start[s]
        if thorough:
            good = rebase(level, s, k, fields, scratch)
        else:
            good = True
            _load(level, s, k, scratch)
            order_columns(scratch, count, k, fields.shape[0])
        digest = _ZERO
        if good:
            digest, good = sort_rows(scratch, count, k, fields)
        if not good:
            return BAD_PRIME
        known = merged.used[STATES]
        t = find_or_add(merged, digest, scratch, count, k)
        if t == known:
            leader[t] = s
        for z in range(level.weight.shape[1]):
            for q in range(moduli.shape[0]):
                merged.weight[t, z, q] = _add(
                    merged.weight[t, z, q], level.weight[s, z, q], moduli[q, 0]
                )
        position[0] = s + 1
        budget -= 1
    return DONE


@inlined
def _add(total, x, p):
    total += x
    return total - p if total >= p else total


@kernel
def _pass_on(weight, s, share, child_size, factor, inverses, moduli, result):
    """Weights that state s gives to a restriction by `factor` hyperplanes: into `result`.

    share = child_size - factor is the number of hyperplanes of the flat of s.
    """
    lengths = weight.shape[1]
    for q in range(moduli.shape[0]):
        p, inv = moduli[q, 0], moduli[q, 1]
        if lengths == 1:
            ratio = mont_mul(inverses[q, 0, factor], inverses[q, 1, child_size], p, inv)
            result[0, q] = mont_mul(weight[s, 0, q], ratio, p, inv)
            continue
        for size in range(lengths):
            if size < child_size:
                result[size, q] = _ZERO
                continue
            ratio = mont_mul(inverses[q, 0, factor], inverses[q, 1, size - share], p, inv)
            result[size, q] = mont_mul(weight[s, size, q], ratio, p, inv)


@entry
def expand(
    level, k, total, fields, moduli, inverses, child, scratch, weights, sums, position, budget
):
    """Restrict states to each of their hyperplanes, from `position` on, and merge what comes.

    Weisner's theorem, averaged over the hyperplanes through a flat X, is
    ``|X| mu(X) = - sum |X - Y| mu(Y)`` over the flats Y that X covers. The weight of a state is
    the sum of ``|mu(Y)|`` over the flats Y that it stands for, so a restriction to a
    hyperplane of multiplicity c gets ``c / |X|`` of it, ``|X| = |Y| + c``.

    With L = total + 1 weights a state counts flats instead: weight z is the probability,
    summed over the flats, that a random order of a flat X of z hyperplanes above Y meets Y as a
    span; a restriction gets ``c / (z - |Y|)`` of it.

    Parameters
    ----------
    level, child : Level
        In k and in k - 1 coordinates; `child` is not used when k is 3.
    total : int
        Hyperplanes of the root.
    fields, moduli : (P, 4 + P), (Q, 4 + Q) uint64
        Primes of the rows and of the weights.
    inverses : (Q, 2, total + 1) uint64
        Montgomery residues of 0, 1, 2, .. and of their inverses.
    scratch : Scratch
    weights : (2, L, Q) uint64
        Work space.
    sums : (2, Q) uint64
        Totals of the weights of the restrictions, and, when k is 3, of theirs.
    position : (2,) int64
        State and row to go on with; advanced.
    budget : int
        Restrictions after which to return.

    Returns
    -------
    int
        DONE (at the end or out of budget), FULL (`child` needs room) or BAD_PRIME.
    """
    last = k == 3
    lengths = level.weight.shape[1]
    for s in range(position[0], level.used[STATES]):
        first, stop = level.start[s], level.start[s + 1]
        share = total
        for i in range(first, stop):
            share -= level.multiplicity[i]
        for h in range(first + position[1], stop):
            if budget == 0:
                return DONE
            if not last and (
                child.used[ROWS] + stop - first > child.rows.shape[0]
                or 2 * child.used[STATES] + 2 > child.slots.shape[0]
                or child.used[STATES] + 1 >= child.start.shape[0]
            ):
                return FULL
            count = restrict(level.rows, level.multiplicity, first, stop, h, k, fields, scratch)
            if count < 0:
                return BAD_PRIME
            factor = level.multiplicity[h]
            size = share + factor
            at = 0 if lengths == 1 else size
            _pass_on(level.weight, s, share, size, factor, inverses, moduli, weights[0])
            if last:
                for i in range(count):
                    extra = scratch.multiplicity[i]
                    _pass_on(weights, 0, size, size + extra, extra, inverses, moduli, weights[1])
                    above = 0 if lengths == 1 else size + extra
                    for q in range(moduli.shape[0]):
                        sums[1, q] = _add(sums[1, q], weights[1, above, q], moduli[q, 0])
            else:
                digest, good = sort_rows(scratch, count, k - 1, fields)
                if not good:
                    return BAD_PRIME
                t = find_or_add(child, digest, scratch, count, k - 1)
                for z in range(lengths):
                    for q in range(moduli.shape[0]):
                        child.weight[t, z, q] = _add(
                            child.weight[t, z, q], weights[0, z, q], moduli[q, 0]
                        )
            for q in range(moduli.shape[0]):
                sums[0, q] = _add(sums[0, q], weights[0, at, q], moduli[q, 0])
            budget -= 1
            position[1] += 1
        position[0], position[1] = s + 1, 0
    return DONE
