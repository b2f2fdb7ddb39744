"""The flats above states in four coordinates, against restrictions of restrictions in fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from arrangements.counting.states import small_field
from arrangements.exact.residues import fields, primes
from arrangements.kernels.structure.last_flats import add_last_flats, small_residues
from arrangements.kernels.structure.pencils import GROUPS, empty_pencils
from arrangements.kernels.structure.states import DONE, empty_scratch
from arrangements.kernels.structure.symmetries import empty_form, find_orbits
from kernels.plain import to_residue
from kernels.structure.plain_states import alone, level_of, restricted, scaled, weights_for_total


def state_of(rows):
    """A state of different rows, with some multiplicities."""
    different = list(dict.fromkeys(scaled(row) for row in rows if any(row)))
    return [(row, 1 + (3 * i) % 4) for i, row in enumerate(different)]


CUBE = state_of(product((0, 1), repeat=4))
SIGNS = state_of(product((-1, 0, 1), repeat=4))[:25]
FRAME = state_of(np.eye(4, dtype=int).tolist())
MIXED = state_of(np.random.default_rng(0).integers(-2, 3, (12, 4)).tolist())
STATES = [CUBE, SIGNS, FRAME, MIXED, CUBE[:7]]
# with symmetries: the same multiplicity for all rows, or one for those of the same length
ALIKE = [
    [(row, 2) for row, _ in CUBE],
    [(row, 1) for row, _ in FRAME],
    [(row, sum(map(abs, row))) for row, _ in SIGNS],
    [(row, 1 + sum(row) % 2) for row, _ in CUBE],
]
TOTAL = 90


def sums_of(states, total):
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


def in_orbits(states):
    """The states with rows that symmetries exchange one after the other, and how many these are."""
    level, position = level_of(states, 4), np.zeros(1, np.int64)
    size, moduli = max(map(len, states)), level.rows.shape[2]
    orbit = np.zeros(len(level.rows), np.int64)
    arguments = empty_scratch(size, 4, moduli), empty_form(size, 4, moduli), position, 99, orbit
    assert find_orbits(level, 4, fields(primes(moduli)).copy(), *arguments) == DONE
    found, copies = [], []
    for state, own in zip(states, np.split(orbit, level.start[1:-1]), strict=True):
        order = np.argsort(own, kind="stable")
        found.append([state[i] for i in order])
        copies += np.bincount(own, minlength=len(own))[order].tolist()
    return found, np.array(copies)


def counted(states, total, moduli=1, budget=1000, lines=None, copies=None):
    """(calls, sums of the kernel, what they should be); each weight is 1."""
    first, small = primes(moduli), small_field(2**14, total)
    ones = np.array([to_residue(1, p) for p in first], np.uint64)
    level = level_of(states, 4)._replace(weight=np.tile(ones, (len(states), 1, 1)))
    weights, rows = weights_for_total(total, 1, moduli), np.zeros((4, len(level.rows)), np.uint32)
    row_fields = fields(primes(1)).copy()
    assert small_residues(level.rows, row_fields, small, rows)
    pencils, position = empty_pencils(total, moduli, small), np.zeros(2, np.int64)
    if lines is not None:
        pencils.groups[2] = lines
    copies, calls = alone(level) if copies is None else copies, 0
    while position[0] < len(states):
        before = position.tolist()
        arguments = copies, rows, small, weights, pencils, position, budget
        assert add_last_flats(level, *arguments) == DONE
        assert position.tolist() > before
        calls += 1
    assert not pencils.total.any() and not pencils.number.any() and not pencils.groups[:2].any()
    assert (pencils.slots == -1).all() and (pencils.group_slots == -1).all()
    expected = [
        [to_residue(int(x.numerator * pow(x.denominator, -1, p)) % p, p) for p in first]
        for x in sums_of(states, total)
    ]
    return calls, weights.sums.tolist(), expected


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 5, 1000])
@pytest.mark.parametrize("moduli", [1, 2, 3])
def test_sums(moduli, budget):
    calls, sums, expected = counted(STATES, TOTAL, moduli, budget)
    assert sums == expected and (calls > 1) == (budget < 1000)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 5, 1000])
def test_one_row_of_an_orbit(budget):
    states, copies = in_orbits([*STATES, *ALIKE])
    assert np.count_nonzero(copies) < len(copies) - sum(map(len, ALIKE)) / 2
    _, sums, expected = counted(states, TOTAL, 2, budget, copies=copies)
    assert sums == expected


@pytest.mark.sampled(1)
@pytest.mark.parametrize("lines", [1, 7])
def test_few_lines_at_once(lines):
    """As many as 32 bits hold of arrangements of many hyperplanes."""
    _, sums, expected = counted(STATES, TOTAL, lines=lines)
    assert sums == expected


def test_more_kinds_of_lines_than_groups():
    """Multiplicities that all differ give almost each line a weight of its own."""
    different = state_of(product((-1, 0, 1), repeat=4))[:24]
    state = [(row, i + 1) for i, (row, _) in enumerate(different)]
    lines = [(c, e) for h, (_, c) in enumerate(state) for _, e in restricted(state, h)]
    assert len({tuple(sorted(pair)) for pair in lines}) > GROUPS
    _, sums, expected = counted([state], sum(c for _, c in state))
    assert sums == expected


def test_fractions_are_found_from_one_residue():
    small = small_field(40, 9)
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


def test_sums_of_multiplicities_have_16_bits():
    many = [40000, 20000, 5000, 500, 30, 5]
    state = [(row, m) for (row, _), m in zip(CUBE, many, strict=False)]
    assert small_field(2, sum(many)) is not None and sum(many) + 1 == 2**16
    _, sums, expected = counted([state], sum(many))
    assert sums == expected
    assert small_field(2, 2**16) is None
