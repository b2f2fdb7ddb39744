"""The flats above states in four coordinates, against restrictions of restrictions in fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from arrangements.counting.descents import small_field
from arrangements.exact.residues import fields, primes
from arrangements.kernels.structure.last_flats import (
    GROUPS,
    add_last_flats,
    empty_pencils,
    small_residues,
)
from arrangements.kernels.structure.states import DONE
from kernels.plain import to_residue
from kernels.structure.plain_states import level_of, restricted, scaled, weights_for_total


def state_of(rows):
    """A state of different rows, with some multiplicities."""
    different = list(dict.fromkeys(scaled(row) for row in rows if any(row)))
    return [(row, 1 + (3 * i) % 4) for i, row in enumerate(different)]


CUBE = state_of(product((0, 1), repeat=4))
SIGNS = state_of(product((-1, 0, 1), repeat=4))[:25]
FRAME = state_of(np.eye(4, dtype=int).tolist())
MIXED = state_of(np.random.default_rng(0).integers(-2, 3, (12, 4)).tolist())
STATES = [CUBE, SIGNS, FRAME, MIXED, CUBE[:7]]
TOTAL = 90


def sums_of(states, total=TOTAL):
    """What flats of ranks 1 to 3 count if all weights are 1: sums over chains of restrictions."""
    sums = [Fraction(0)] * 3
    for state in states:
        share = total - sum(multiplicity for _, multiplicity in state)
        for h, (_, c) in enumerate(state):
            point = Fraction(c, share + c)
            sums[0] += point
            seen = restricted(state, h)
            for i, (_, e) in enumerate(seen):
                line = point * Fraction(e, share + c + e)
                sums[1] += line
                sums[2] += sum(
                    line * Fraction(f, share + c + e + f) for _, f in restricted(seen, i)
                )
    return sums


@pytest.mark.parametrize("budget", [1, 5, 1000])
@pytest.mark.parametrize("moduli", [1, 2, 3])
def test_sums(moduli, budget):
    level = level_of(STATES, 4)
    weights = weights_for_total(TOTAL, 1)
    first = primes(moduli)
    table = np.zeros((moduli, 2, TOTAL + 1), np.uint64)
    for q, p in enumerate(first):
        table[q, 0] = [to_residue(v, p) for v in range(TOTAL + 1)]
        table[q, 1, 1:] = [to_residue(pow(v, -1, p), p) for v in range(1, TOTAL + 1)]
    ones = np.array([to_residue(1, p) for p in first], np.uint64)
    level = level._replace(weight=np.tile(ones, (len(STATES), 1, 1)))
    weights = weights._replace(
        moduli=fields(first).copy(), inverses=table, sums=np.zeros((3, moduli), np.uint64)
    )
    small = small_field(2**14)
    rows, row_fields = np.zeros((4, len(level.rows)), np.uint32), fields(primes(1)).copy()
    assert small_residues(level.rows, row_fields, small, rows)
    pencils, position = empty_pencils(TOTAL, moduli, small), np.zeros(2, np.int64)
    calls = 0
    while position[0] < len(STATES):
        before = position.tolist()
        ends = small, weights, pencils, position, budget
        assert add_last_flats(level, rows, *ends) == DONE
        assert position.tolist() > before
        calls += 1
    assert (calls > 1) == (budget < 1000)
    assert weights.sums.tolist() == [
        [to_residue(int(x.numerator * pow(x.denominator, -1, p)) % p, p) for p in first]
        for x in sums_of(STATES)
    ]
    assert not pencils.total.any() and not pencils.number.any()
    assert (pencils.slots == -1).all() and (pencils.group_slots == -1).all()


def test_more_kinds_of_lines_than_groups():
    """Multiplicities that all differ give almost each line a weight of its own."""
    different = state_of(product((-1, 0, 1), repeat=4))[:24]
    state = [(row, i + 1) for i, (row, _) in enumerate(different)]
    total = sum(multiplicity for _, multiplicity in state)
    lines = {
        tuple(sorted((m, e))) for h, (_, m) in enumerate(state) for _, e in restricted(state, h)
    }
    assert len(lines) > GROUPS
    level, weights = level_of([state], 4), weights_for_total(total, 1)
    weights = weights._replace(sums=np.zeros((3, 1), np.uint64))
    small, p = small_field(2**14), primes(1)[0]
    rows = np.zeros((4, len(state)), np.uint32)
    assert small_residues(level.rows, fields((p,)).copy(), small, rows)
    pencils, position = empty_pencils(total, 1, small), np.zeros(2, np.int64)
    assert add_last_flats(level, rows, small, weights, pencils, position, 99) == DONE
    assert weights.sums[:, 0].tolist() == [
        to_residue(int(x.numerator * pow(x.denominator, -1, p)) % p, p)
        for x in sums_of([state], total)
    ]


def test_fractions_are_found_from_one_residue():
    small = small_field(40)
    (p,), q = primes(1), int(small.constants[0])
    assert q == 41
    found = np.zeros((4, 1), np.uint32)
    for a, b in product(range(-40, 41), range(1, 41)):
        residue = to_residue(a * pow(b, -1, p) % p, p)
        rows = np.full((1, 4, 1), residue, np.uint32)
        assert small_residues(rows, fields((p,)).copy(), small, found)
        assert (found == a * pow(b, -1, q) % q).all()
    rows = np.full((1, 4, 1), to_residue(41 * pow(43, -1, p) % p, p), np.uint32)
    assert not small_residues(rows, fields((p,)).copy(), small, found)


@pytest.mark.parametrize("bound", [0, 1, 2, 3, 521, 2**14])
def test_small_fields(bound):
    small = small_field(bound)
    q, inverse, square = small.constants.tolist()
    assert bound < q < 2**15 and q % 2 == 1 and all(q % f for f in range(2, int(q**0.5) + 1))
    assert (inverse * q + 1) % 2**16 == 0 and square == 2**32 % q
    assert all(a * b % q == 2**16 % q for a, b in enumerate(small.inverse.tolist()) if a)


def test_large_minors_have_no_small_field():
    assert small_field(2**14 + 1) is None
