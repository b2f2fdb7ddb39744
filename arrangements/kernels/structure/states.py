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
from arrangements.kernels.shared import zeros
from arrangements.kernels.structure.lines import Lines, empty_lines

DONE, FULL, BAD_PRIME = range(3)
# Counters of `States.used`.
COUNT, ROWS = range(2)
# Counters of `Choices.used`.
GIVEN, MADE = range(2)

_ZERO, _ONE = np.uint64(0), np.uint64(1)
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


class Choices(NamedTuple):
    """Rows that were chosen among several of a color, at most 2 k of at most N.

    Attributes
    ----------
    row : (2 k,) int64
        The rows, of which the first may be given beforehand.
    alike : (2 k, N) int64, size : (2 k,) int64
        Among which rows each was chosen, and how many these are.
    used : (2,) int64
        How many are given, and how many were made.
    """

    row: NDArray[np.int64]
    alike: NDArray[np.int64]
    size: NDArray[np.int64]
    used: NDArray[np.int64]


def empty_choices(n: int, k: int) -> Choices:
    """Room for choices among at most n rows in k coordinates."""
    return zeros(Choices, (2 * k, "row size"), ((2 * k, n), "alike"), (2, "used"))


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
    return zeros(
        Scratch,
        ((n, k, moduli), "rows sorted_rows"),
        (n, "multiplicity sorted_multiplicity lead entry inverse digest order color refined alike"),
        ((k, moduli), "unit"),
        (k, "row"),
        (1 << (2 * n).bit_length(), "slots"),
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


@inlined
def copy_rows(rows, numbers, k, to_rows, to_numbers):
    """Copy rows in k coordinates, and a number for each."""
    for i in range(numbers.shape[0]):
        to_numbers[i] = numbers[i]
        for c in range(k):
            for q in range(rows.shape[2]):
                to_rows[i, c, q] = rows[i, c, q]


@kernel
def same_rows(rows, multiplicity, k, scratch):
    """Whether these are the sorted rows in `scratch`, with their multiplicities."""
    for i in range(multiplicity.shape[0]):
        if multiplicity[i] != scratch.sorted_multiplicity[i]:
            return False
        for c in range(k):
            for q in range(rows.shape[2]):
                if rows[i, c, q] != scratch.sorted_rows[i, c, q]:
                    return False
    return True


@inlined
def rows_of(states, s):
    """(rows, multiplicities) of state s."""
    first, stop = states.start[s], states.start[s + 1]
    return states.rows[first:stop], states.multiplicity[first:stop]


@kernel
def load(states, s, k, scratch):
    """Copy state s into ``scratch.rows``; the number of its rows."""
    rows, multiplicity = rows_of(states, s)
    copy_rows(rows, multiplicity, k, scratch.rows, scratch.multiplicity)
    return multiplicity.shape[0]


@kernel
def load_sorted(states, s, k, scratch):
    """Copy state s, whose rows are in order, to ``scratch.sorted_rows``; the number of its rows."""
    rows, multiplicity = rows_of(states, s)
    copy_rows(rows, multiplicity, k, scratch.sorted_rows, scratch.sorted_multiplicity)
    return multiplicity.shape[0]


@inlined
def _add_state(states, digest, rows, multiplicity, k):
    """Number of a new state with these rows, and without weights; there must be room."""
    s, first = states.used[COUNT], states.used[ROWS]
    last = first + multiplicity.shape[0]
    states.digest[s] = digest
    states.start[s], states.start[s + 1] = first, last
    states.used[COUNT], states.used[ROWS] = s + 1, last
    copy_rows(rows, multiplicity, k, states.rows[first:last], states.multiplicity[first:last])
    for z in range(states.weight.shape[1]):
        for q in range(states.weight.shape[2]):
            states.weight[s, z, q] = _ZERO
    return s


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
        if states.digest[s] == digest and states.start[s + 1] - states.start[s] == count:
            rows, multiplicity = rows_of(states, s)
            if same_rows(rows, multiplicity, k, scratch):
                return s
        slot = (slot + _ONE) & mask
    states.slots[slot] = states.used[COUNT]
    rows, multiplicity = scratch.sorted_rows[:count], scratch.sorted_multiplicity[:count]
    return _add_state(states, digest, rows, multiplicity, k)


@kernel
def append(states, source, s, k):
    """Add state s of `source`, without weights; there must be room, and no hash table."""
    rows, multiplicity = rows_of(source, s)
    _add_state(states, source.digest[s], rows, multiplicity, k)


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


@kernel
def choose(candidates, i, color, choices):
    """Row i, or the one given in its place. It is a choice if other candidates have its color.

    candidates : (C,) int64, row i among them
    """
    at, size = choices.used[MADE], 0
    alike = choices.alike[at]
    for j in candidates:
        alike[size] = j
        size += 1 if color[j] == color[i] else 0
    if size == 1:
        return i
    choices.size[at] = size
    if at >= choices.used[GIVEN]:
        choices.row[at] = i
    choices.used[MADE] = at + 1
    return choices.row[at]
