"""States as lists: (row, multiplicity) pairs, rows of Fractions that begin with 1."""

from fractions import Fraction
from math import comb

import numpy as np

from arrangements.exact.residues import fields, inverses, primes
from arrangements.kernels.structure.restrictions import Weights
from arrangements.kernels.structure.states import Classes, States, empty_scratch
from kernels.plain import to_residue

PRIMES = 2


def scaled(row):
    lead = next(Fraction(e) for e in row if e)
    return tuple(e / lead for e in row)


def restricted(state, h):
    """Restriction to hyperplane h: its last coordinate that is not zero is solved for."""
    wall = state[h][0]
    pivot = max(c for c, e in enumerate(wall) if e)
    merged = {}
    for i, (row, multiplicity) in enumerate(state):
        if i != h:
            left = [a - row[pivot] * b / wall[pivot] for a, b in zip(row, wall, strict=True)]
            key = scaled(left[:pivot] + left[pivot + 1 :])
            merged[key] = merged.get(key, 0) + multiplicity
    return list(merged.items())


def residue(fraction, p):
    return to_residue(fraction.numerator * pow(fraction.denominator, -1, p) % p, p)


def residue_rows(rows):
    """(rows, k, P) Montgomery residues."""
    return [[[residue(Fraction(e), p) for p in primes(PRIMES)] for e in row] for row in rows]


def empty_level(k, states, rows, lengths=1):
    return States(
        rows=np.zeros((rows, k, PRIMES), np.uint32),
        multiplicity=np.zeros(rows, np.int64),
        start=np.zeros(states + 1, np.int64),
        digest=np.zeros(states, np.uint64),
        weight=np.zeros((states, lengths, 1), np.uint64),
        slots=np.full(1 << (2 * states + 2).bit_length(), -1, np.int64),
        used=np.zeros(2, np.int64),
    )


def level_of(states, k, lengths=1):
    """A level that holds states, each of weight 1; without a hash table."""
    level = empty_level(k, len(states), sum(map(len, states)), lengths)
    level.rows[:] = residue_rows([row for state in states for row, _ in state])
    level.multiplicity[:] = [multiplicity for state in states for _, multiplicity in state]
    level.start[:] = np.cumsum([0, *map(len, states)])
    level.used[:] = len(states), len(level.rows)
    level.weight[:] = to_residue(1, primes(1)[0])
    return level


def alone(level):
    """For how many rows each of a level stands: itself."""
    return np.ones(len(level.rows), np.int64)


def states_of(level):
    """Each state as (rows of residues, multiplicity) pairs, sorted."""
    found = []
    for s in range(level.used[0]):
        part = slice(level.start[s], level.start[s + 1])
        pairs = zip(level.rows[part].tolist(), level.multiplicity[part].tolist(), strict=True)
        found.append(sorted(pairs))
    return found


def residues_of_state(state):
    return sorted(zip(residue_rows([row for row, _ in state]), [m for _, m in state], strict=True))


def empty_classes(k, states, rows, lengths=1):
    return Classes(empty_level(k, states, rows, 0), empty_level(k, states, rows, lengths))


def scratch_for(n, k):
    return empty_scratch(n, k, PRIMES)


def fill_scratch(scratch, rows, multiplicity):
    """Put rows of integers or Fractions into the work space."""
    scratch.rows[: len(rows)] = residue_rows(rows)
    scratch.multiplicity[: len(rows)] = multiplicity


def row_fields():
    return np.array(fields(primes(PRIMES)))


def weights_for(total, lengths=1):
    """Weights modulo one prime, with all inverses up to `total`."""
    p = primes(1)[0]
    assert comb(total, total // 2) < p
    table = np.zeros((1, 2, total + 1), np.uint64)
    table[0, 0] = [to_residue(v, p) for v in range(total + 1)]
    inverted = inverses(np.arange(1, total + 1, dtype=np.uint64), p).tolist()
    table[0, 1, 1:] = [to_residue(v, p) for v in inverted]
    moduli = np.array(fields(primes(1)))
    passed, sums = np.zeros((lengths, 1), np.uint64), np.zeros((2, 1), np.uint64)
    return Weights(total, moduli, table, passed, sums)


def weights_for_total(total, lengths=1, moduli=1):
    """As `weights_for`, for totals whose binomials exceed the primes: residues are compared."""
    first = primes(moduli)
    table = np.zeros((moduli, 2, total + 1), np.uint64)
    for q, p in enumerate(first):
        table[q, 0] = [to_residue(v, p) for v in range(total + 1)]
        table[q, 1, 1:] = [to_residue(pow(v, -1, p), p) for v in range(1, total + 1)]
    passed, sums = np.zeros((lengths, moduli), np.uint64), np.zeros((3, moduli), np.uint64)
    return Weights(total, fields(first).copy(), table, passed, sums)
