"""Orbits of the rows of states, beside all maps that take a frame to a frame."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from arrangements.exact.linear import inverse
from arrangements.kernels.structure.states import BAD_PRIME, DONE, empty_scratch
from arrangements.kernels.structure.symmetries import empty_form, find_orbits
from kernels.structure.plain_states import PRIMES, level_of, row_fields, scaled, scratch_for


def state_of(rows, multiplicity=None):
    different = list(dict.fromkeys(scaled(row) for row in rows if any(row)))
    return [(row, multiplicity(i, row) if multiplicity else 1) for i, row in enumerate(different)]


def found(states, k, budget=999):
    """Orbits of each state, and calls."""
    level, position, calls = level_of(states, k), np.zeros(1, np.int64), 0
    size, orbit = max(map(len, states)), np.full(len(level.rows), -1)
    arguments = scratch_for(size, k), empty_form(size, k, PRIMES), position, budget, orbit
    while position[0] < len(states):
        before = int(position[0])
        assert find_orbits(level, k, row_fields(), *arguments) == DONE
        assert before < position[0] <= before + budget
        calls += 1
    own = np.split(orbit, level.start[1:-1])
    return [sorted(np.flatnonzero(part == i).tolist() for i in set(part)) for part in own], calls


def coefficients(frame, rows):
    """The rows as combinations of the first of a frame; None unless all are needed for the last."""
    inverted = inverse([list(row) for row in frame[:-1]])
    if inverted is None:
        return None
    columns = list(zip(*inverted, strict=True))
    found = [[sum(a * b for a, b in zip(row, c, strict=True)) for c in columns] for row in rows]
    return found if all(found[rows.index(frame[-1])]) else None


def all_orbits(state):
    """By every map that takes one frame, a basis and a sum of multiples of it, to another."""
    rows, counts = [row for row, _ in state], dict(state)
    k, orbits = len(rows[0]), {row: {row} for row in rows}
    frames = permutations(rows, k + 1)
    first = next(frame for frame in frames if coefficients(frame, rows))
    ours = coefficients(first, rows)
    weights = ours[rows.index(first[-1])]
    for frame in permutations(rows, k + 1):
        theirs = coefficients(frame, rows)
        if theirs is None:
            continue
        scales = [b / a for a, b in zip(weights, theirs[rows.index(frame[-1])], strict=True)]
        basis = [[s * e for e in row] for s, row in zip(scales, frame, strict=False)]
        images = [
            scaled([sum(c * row[j] for c, row in zip(own, basis, strict=True)) for j in range(k)])
            for own in ours
        ]
        if all(counts.get(b) == counts[a] for a, b in zip(rows, images, strict=True)):
            for a, b in zip(rows, images, strict=True):
                orbits[a] |= {b}
    return sorted({tuple(sorted(rows.index(row) for row in orbit)) for orbit in orbits.values()})


CUBE = state_of(product((0, 1), repeat=3))
SIGNS = state_of(product((-1, 0, 1), repeat=3))
B3 = state_of(row for row in product((-1, 0, 1), repeat=3) if sum(map(abs, row)) < 3)
MARKED = state_of((row for row, _ in B3), lambda i, row: 1 + (i == 4))
GRID = state_of([(1, x, y) for x in range(3) for y in range(3)])
UNEVEN = state_of([(1, x, y * y) for x in range(3) for y in range(3)])
PLAIN = state_of(np.random.default_rng(0).integers(-9, 9, (8, 3)).tolist())
STATES = [CUBE, B3, MARKED, GRID, PLAIN]


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 999])
def test_all_symmetries(budget):
    orbits, calls = found(STATES, 3, budget)
    assert orbits == [[list(orbit) for orbit in all_orbits(state)] for state in STATES]
    assert [len(own) for own in orbits][:2] == [2, 2] and len(orbits[-1]) == len(PLAIN)
    assert calls == (len(STATES) if budget == 1 else 1)


@pytest.mark.slow
def test_many_ways_fail():
    """Nine rows look alike that only one reflection exchanges: it is overlooked, no more."""
    assert found([UNEVEN], 3)[0] == [[[i] for i in range(9)]]
    assert max(map(len, all_orbits(UNEVEN))) == 2


def test_images():
    """Orbits do not depend on coordinates, on the order of rows or on their scale."""
    rng = np.random.default_rng(1)
    for state in (*STATES, SIGNS):
        ((before,), _), rows = found([state], 3), [row for row, _ in state]
        for _ in range(5):
            matrix = rng.integers(-2, 3, (3, 3))
            if round(np.linalg.det(matrix)) == 0:
                continue
            order = rng.permutation(len(rows)).tolist()
            changed = [
                tuple(sum(a * int(b) for a, b in zip(row, c, strict=True)) for c in matrix.T)
                for row in rows
            ]
            ((after,), _) = found([[(scaled(changed[i]), state[i][1]) for i in order]], 3)
            assert sorted(sorted(order[i] for i in orbit) for orbit in after) == before


@pytest.mark.parametrize("k", [4, 5])
def test_known_groups(k):
    """0/1 vectors: subsets of k + 1 with their complements. B_k: units, and their sums."""
    cube = state_of(product((0, 1), repeat=k))
    units = [row for row in product((-1, 0, 1), repeat=k) if 0 < sum(map(abs, row)) < 3]
    (subsets, roots), _ = found([cube, state_of(units)], k)
    sizes = [
        min(int(sum(cube[orbit[0]][0])), k + 1 - int(sum(cube[orbit[0]][0]))) for orbit in subsets
    ]
    assert sorted(sizes) == list(range(1, (k + 1) // 2 + 1))
    assert sorted(map(len, roots)) == [k, k * (k - 1)]


def test_multiplicities_differ():
    """Equal rows of a common form with exchanged multiplicities are no symmetry."""
    rows = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)]
    given = sorted(set(permutations((1, 1, 1, 2, 2, 3))))
    states = [
        [(scaled(row), count) for row, count in zip(rows, counts, strict=True)] for counts in given
    ]
    for counts, orbits in zip(given, found(states, 3)[0], strict=True):
        assert all(len({counts[i] for i in orbit}) == 1 for orbit in orbits)


def test_bad_primes():
    level = level_of([[((Fraction(1), Fraction(0)), 1), ((Fraction(0), Fraction(1)), 1)]], 2)
    level.rows[1] = 0  # a row that vanishes
    arguments = empty_scratch(2, 2, PRIMES), empty_form(2, 2, PRIMES), np.zeros(1, np.int64), 9
    assert find_orbits(level, 2, row_fields(), *arguments, np.zeros(2, np.int64)) == BAD_PRIME
