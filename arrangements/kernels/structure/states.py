"""States, the arrangements met on the way to a characteristic polynomial, and their hash table.

A *state* is an arrangement in k coordinates whose hyperplanes carry multiplicities: what a flat
Y of the root leaves over, each hyperplane with the number of root hyperplanes it comes from. All
arithmetic is modulo primes whose product exceeds every minor of the root, so a zero is a zero
(an entry that vanishes modulo some primes only stops the kernel: BAD_PRIME). Rows are scaled so
that their first non-zero entry is 1 and are therefore equal iff the hyperplanes are.

Arrays hold one block of rows per state. Residues are Montgomery residues, see
``kernels.modular.montgomery``; the modulus of a `weight` is a prime larger than the number of
hyperplanes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.compilation import allocating_kernel, entry, inlined, kernel
from arrangements.kernels.modular.hashing import mix, with_word
from arrangements.kernels.modular.montgomery import mont_inverses, mont_mul, mont_one
from arrangements.kernels.structure.choices import Choices, empty_choices
from arrangements.kernels.structure.lines import Lines, empty_lines

DONE, FULL, BAD_PRIME = range(3)
# Counters of `States.used`.
COUNT, ROWS = range(2)

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_EMPTY = np.int64(-1)


class States(NamedTuple):
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
        Modulo Q primes: see `kernels.structure.restrictions`.
    slots : (power of 2 >= 2 S,) int64
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


class Classes(NamedTuple):
    """States, one of each class that was recognized, and the keys by which classes are told apart.

    A key is a linear image of its state, without weights. States keep coordinates of their own: in
    these their restrictions are equal to others more often than in those of a key.

    Attributes
    ----------
    keys : States
    states : States
        State s is that of key s; there is no hash table.
    """

    keys: States
    states: States


class Scratch(NamedTuple):
    """Work space for restrictions of states of at most N rows, k coordinates and P primes.

    Attributes
    ----------
    rows, sorted_rows : (N, k, P) uint64
    multiplicity, sorted_multiplicity : (N,) int64
    lead : (N,) int64
    entry, inverse : (N,) uint64
        First non-zero entries of the rows and their inverses, modulo one prime.
    unit : (k, P) uint64
    slots : (power of 2 >= 2 N,) int64
    digest : (N,) uint64
    order : (N,) int64
        Which rows the sorted ones are.
    row : (k,) uint64
    color, refined : (N,) uint64
    alike : (N,) int64
    lines : Lines
    choices : Choices
    """

    rows: NDArray[np.uint64]
    sorted_rows: NDArray[np.uint64]
    multiplicity: NDArray[np.int64]
    sorted_multiplicity: NDArray[np.int64]
    lead: NDArray[np.int64]
    entry: NDArray[np.uint64]
    inverse: NDArray[np.uint64]
    unit: NDArray[np.uint64]
    slots: NDArray[np.int64]
    digest: NDArray[np.uint64]
    order: NDArray[np.int64]
    row: NDArray[np.uint64]
    color: NDArray[np.uint64]
    refined: NDArray[np.uint64]
    alike: NDArray[np.int64]
    lines: Lines
    choices: Choices


def empty_scratch(n: int, k: int, moduli: int) -> Scratch:
    """Work space for states of at most n rows in k coordinates."""
    words, numbers = np.uint64, np.int64
    return Scratch(
        rows=np.zeros((n, k, moduli), words),
        sorted_rows=np.zeros((n, k, moduli), words),
        multiplicity=np.zeros(n, numbers),
        sorted_multiplicity=np.zeros(n, numbers),
        lead=np.zeros(n, numbers),
        entry=np.zeros(n, words),
        inverse=np.zeros(n, words),
        unit=np.zeros((k, moduli), words),
        slots=np.zeros(1 << (2 * n).bit_length(), numbers),
        digest=np.zeros(n, words),
        order=np.zeros(n, numbers),
        row=np.zeros(k, words),
        color=np.zeros(n, words),
        refined=np.zeros(n, words),
        alike=np.zeros(n, numbers),
        lines=empty_lines(n, k, max(2, moduli)),
        choices=empty_choices(n, k),
    )


@kernel
def normalize(scratch, count, k, fields):
    """Scale ``scratch.rows`` so that their first non-zero entry is 1; False if a prime is bad."""
    if not _find_leads(scratch, count, k, fields.shape[0]):
        return False
    rows, lead, entry, inverse = scratch.rows, scratch.lead, scratch.entry, scratch.inverse
    for q in range(fields.shape[0]):
        p, inv = fields[q, 0], fields[q, 1]
        one = mont_one(p, inv, fields[q, 2])
        ones = True
        for i in range(count):
            x = rows[i, lead[i], q]
            if x == _ZERO:
                return False
            ones = ones and x == one
            entry[i] = x
        if ones:
            continue
        mont_inverses(entry, count, p, inv, fields[q, 2], inverse)
        for i in range(count):
            scale = inverse[i]
            if scale != one:
                for c in range(lead[i], k):
                    rows[i, c, q] = mont_mul(rows[i, c, q], scale, p, inv)
    return True


@kernel
def _find_leads(scratch, count, k, moduli):
    """Columns of the first non-zero entries of the rows; False if a prime is bad."""
    rows = scratch.rows
    for i in range(count):
        c = 0
        while c < k and rows[i, c, 0] == _ZERO:
            for q in range(1, moduli):
                if rows[i, c, q] != _ZERO:
                    return False
            c += 1
        if c == k:
            return False
        scratch.lead[i] = c
    return True


@inlined
def row_digest(rows, i, k, moduli):
    """Hash of row i of a state."""
    h = _ZERO
    for c in range(k):
        for q in range(moduli):
            h = with_word(h, rows[i, c, q])
    return h


@inlined
def equal_rows(rows, i, j, k, moduli):
    """Whether rows i and j of a state are equal."""
    for c in range(k):
        for q in range(moduli):
            if rows[i, c, q] != rows[j, c, q]:
                return False
    return True


@allocating_kernel
def ordered(values, count):
    """Indices that sort the first values; sorting takes long to compile, so all sort alike."""
    return np.argsort(values[:count], kind="mergesort")


@allocating_kernel
def sort_rows(scratch, count, k, fields):
    """Scale ``scratch.rows`` and order them, into `sorted_rows`; `order` says which they are.

    Returns (digest of the state, False if a prime is bad).
    """
    moduli = fields.shape[0]
    if not normalize(scratch, count, k, fields):
        return _ZERO, False
    total = _ZERO
    for i in range(count):
        h = row_digest(scratch.rows, i, k, moduli)
        h = mix(h + np.uint64(scratch.multiplicity[i]))
        scratch.digest[i] = h
        total += mix(h)
    order = ordered(scratch.digest, count)
    for i in range(count):
        scratch.order[i] = order[i]
        for c in range(k):
            for q in range(moduli):
                scratch.sorted_rows[i, c, q] = scratch.rows[order[i], c, q]
        scratch.sorted_multiplicity[i] = scratch.multiplicity[order[i]]
    return total, True


@kernel
def load(states, s, k, scratch):
    """Copy state s into ``scratch.rows``; the number of its rows."""
    first, stop = states.start[s], states.start[s + 1]
    for i in range(first, stop):
        scratch.multiplicity[i - first] = states.multiplicity[i]
        for c in range(k):
            for q in range(states.rows.shape[2]):
                scratch.rows[i - first, c, q] = states.rows[i, c, q]
    return stop - first


@kernel
def _same_state(states, s, scratch, count, k):
    first = states.start[s]
    if states.start[s + 1] - first != count:
        return False
    for i in range(count):
        if states.multiplicity[first + i] != scratch.sorted_multiplicity[i]:
            return False
        for c in range(k):
            for q in range(states.rows.shape[2]):
                if states.rows[first + i, c, q] != scratch.sorted_rows[i, c, q]:
                    return False
    return True


@inlined
def has_room(states, count):
    """Whether one more state of this many rows fits."""
    return (
        states.used[ROWS] + count <= states.rows.shape[0]
        and states.used[COUNT] + 1 < states.start.shape[0]
    )


@kernel
def find_or_add(states, digest, scratch, count, k):
    """Number of the state in `scratch`, which is added when it is new; there must be room."""
    mask = np.uint64(states.slots.shape[0] - 1)
    slot = digest & mask
    while True:
        s = states.slots[slot]
        if s == _EMPTY:
            break
        if states.digest[s] == digest and _same_state(states, s, scratch, count, k):
            return s
        slot = (slot + _ONE) & mask
    s, first = states.used[COUNT], states.used[ROWS]
    states.slots[slot] = s
    states.digest[s] = digest
    states.start[s] = first
    states.start[s + 1] = first + count
    states.used[COUNT] = s + 1
    states.used[ROWS] = first + count
    for i in range(count):
        states.multiplicity[first + i] = scratch.sorted_multiplicity[i]
        for c in range(k):
            for q in range(states.rows.shape[2]):
                states.rows[first + i, c, q] = scratch.sorted_rows[i, c, q]
    for z in range(states.weight.shape[1]):
        for q in range(states.weight.shape[2]):
            states.weight[s, z, q] = _ZERO
    return s


@kernel
def append(states, source, s, k):
    """Add state s of `source`, without weights; there must be room, and no hash table."""
    t, first = states.used[COUNT], states.used[ROWS]
    begin, count = source.start[s], source.start[s + 1] - source.start[s]
    states.digest[t] = source.digest[s]
    states.start[t] = first
    states.start[t + 1] = first + count
    states.used[COUNT] = t + 1
    states.used[ROWS] = first + count
    for i in range(count):
        states.multiplicity[first + i] = source.multiplicity[begin + i]
        for c in range(k):
            for q in range(states.rows.shape[2]):
                states.rows[first + i, c, q] = source.rows[begin + i, c, q]
    states.weight[t] = _ZERO


@kernel
def load_sorted(states, s, k, scratch):
    """Copy state s, whose rows are in order, to ``scratch.sorted_rows``; the number of its rows."""
    first, stop = states.start[s], states.start[s + 1]
    for i in range(first, stop):
        scratch.sorted_multiplicity[i - first] = states.multiplicity[i]
        for c in range(k):
            for q in range(states.rows.shape[2]):
                scratch.sorted_rows[i - first, c, q] = states.rows[i, c, q]
    return stop - first


@entry
def enter_slots(states):
    """Fill the hash table anew, after it has grown."""
    states.slots[:] = _EMPTY
    mask = np.uint64(states.slots.shape[0] - 1)
    for s in range(states.used[COUNT]):
        slot = states.digest[s] & mask
        while states.slots[slot] != _EMPTY:
            slot = (slot + _ONE) & mask
        states.slots[slot] = s


@inlined
def add(total, x, p):
    """Sum modulo p."""
    total += x
    return total - p if total >= p else total


@kernel
def add_weights(states, s, weight, moduli):
    """Add weights to those of state s.

    weight : (L, Q) uint64
    """
    for z in range(weight.shape[0]):
        for q in range(moduli.shape[0]):
            states.weight[s, z, q] = add(states.weight[s, z, q], weight[z, q], moduli[q, 0])
