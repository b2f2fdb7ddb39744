"""Restrictions of a central arrangement, merged: the kernels behind the characteristic polynomial.

A restriction is expressed in the coordinates that are left, and which are left depends on the
flat only, not on the way to it: always the last possible coordinate is solved for. So the ways to
a flat end in equal states, and so do many flats of a symmetric arrangement. More
are merged by ``kernels.structure.images``.

Weisner's theorem, averaged over the hyperplanes through a flat X, is
``|X| mu(X) = - sum |X - Y| mu(Y)`` over the flats Y that X covers. The weight of a state is
the sum of ``|mu(Y)|`` over the flats Y that it stands for, so a restriction to a
hyperplane of multiplicity c gets ``c / |X|`` of it, ``|X| = |Y| + c``.

With L = total + 1 weights a state counts flats instead: weight z is the probability,
summed over the flats, that a random order of a flat X of z hyperplanes above Y meets Y as a
span; a restriction gets ``c / (z - |Y|)`` of it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import entry, kernel
from arrangements.kernels.modular.montgomery import mont_inverse, mont_mul
from arrangements.kernels.structure.states import (
    BAD_PRIME,
    COUNT,
    DONE,
    FULL,
    add,
    add_weights,
    equal_rows,
    find_or_add,
    has_room,
    normalize,
    row_digest,
    sort_rows,
)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_EMPTY = np.int64(-1)


class Weights(NamedTuple):
    """How restrictions get their weights, modulo Q primes; L weights of each state.

    Attributes
    ----------
    total : int
        Hyperplanes of the root.
    moduli : (Q, 4 + Q) uint64
        The primes.
    inverses : (Q, 2, total + 1) uint64
        Montgomery residues of 0, 1, 2, .. and of their inverses.
    passed : (L, Q) uint64
        Work space.
    sums : (2, Q) uint64
        Totals of the weights of the restrictions, and, from three coordinates on, of theirs.
    """

    total: int
    moduli: NDArray[np.uint64]
    inverses: NDArray[np.uint64]
    passed: NDArray[np.uint64]
    sums: NDArray[np.uint64]


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
    if not normalize(scratch, count, k - 1, fields):
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
        slot = row_digest(scratch.rows, i, k, moduli) & mask
        while True:
            j = scratch.slots[slot]
            if j == _EMPTY or equal_rows(scratch.rows, i, j, k, moduli):
                break
            slot = (slot + _ONE) & mask
        if j != _EMPTY:
            scratch.multiplicity[j] += scratch.multiplicity[i]
            continue
        scratch.slots[slot] = kept
        for c in range(k):
            for q in range(moduli):
                scratch.rows[kept, c, q] = scratch.rows[i, c, q]
        scratch.multiplicity[kept] = scratch.multiplicity[i]
        kept += 1
    return kept


@kernel
def _pass_on(weight, s, size, factor, copies, weights):
    """Weights that state s gives to restrictions by `factor` hyperplanes: into ``passed``.

    size : hyperplanes of the flat of a restriction
    copies : how many restrictions are linear images of each other
    """
    lengths, share = weight.shape[1], size - factor
    for q in range(weights.moduli.shape[0]):
        p, inv = weights.moduli[q, 0], weights.moduli[q, 1]
        inverses = weights.inverses[q]
        total = mont_mul(inverses[0, factor], inverses[0, copies], p, inv)
        if lengths == 1:
            ratio = mont_mul(total, inverses[1, size], p, inv)
            weights.passed[0, q] = mont_mul(weight[s, 0, q], ratio, p, inv)
            continue
        for z in range(lengths):
            if z < size:
                weights.passed[z, q] = _ZERO
                continue
            ratio = mont_mul(total, inverses[1, z - share], p, inv)
            weights.passed[z, q] = mont_mul(weight[s, z, q], ratio, p, inv)


@kernel
def _add_to_sum(weights, size):
    """Add the weight of a flat of this many hyperplanes, from ``passed``, to ``sums[0]``."""
    at = 0 if weights.passed.shape[0] == 1 else size
    for q in range(weights.moduli.shape[0]):
        weights.sums[0, q] = add(weights.sums[0, q], weights.passed[at, q], weights.moduli[q, 0])


@entry
def expand(states, copies, k, fields, weights, child, scratch, position, budget):
    """Restrict states to each of their hyperplanes, from `position` on, and merge the results.

    states, child : States, in k > 3 and in k - 1 coordinates
    copies : (R,) int64, for how many rows that symmetries exchange one stands, 0 for the others
    fields : (P, 4 + P) uint64, primes of the rows
    weights : Weights; scratch : Scratch
    position : (2,) int64, state and row to go on with; advanced
    budget : int, rows after which to return

    Returns DONE (at the end or out of budget), FULL (`child` needs room) or BAD_PRIME.
    """
    for s in range(position[0], states.used[COUNT]):
        first, stop = states.start[s], states.start[s + 1]
        share = weights.total  # becomes the number of hyperplanes of the flat of the state
        for i in range(first, stop):
            share -= states.multiplicity[i]
        for h in range(first + position[1], stop):
            if budget == 0:
                return DONE
            if copies[h] == 0:
                budget -= 1
                position[1] += 1
                continue
            if not has_room(child, stop - first):
                return FULL
            count = restrict(states.rows, states.multiplicity, first, stop, h, k, fields, scratch)
            if count < 0:
                return BAD_PRIME
            digest, good = sort_rows(scratch, count, k - 1, fields)
            if not good:
                return BAD_PRIME
            size = share + states.multiplicity[h]
            _pass_on(states.weight, s, size, states.multiplicity[h], copies[h], weights)
            t = find_or_add(child, digest, scratch, count, k - 1)
            add_weights(child, t, weights.passed, weights.moduli)
            _add_to_sum(weights, size)
            budget -= 1
            position[1] += 1
        position[0], position[1] = s + 1, 0
    return DONE
