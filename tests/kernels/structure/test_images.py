"""Linear images of states: what is merged is one state, and images of one state are merged."""

import numpy as np
import pytest

from arrangements.exact.residues import primes
from arrangements.kernels.structure.images import gather, recognize, tally
from arrangements.kernels.structure.states import BAD_PRIME, DONE, FULL
from kernels import compiled
from kernels.plain import from_residue
from kernels.structure.plain_states import (
    empty_classes,
    level_of,
    row_fields,
    scaled,
    scratch_for,
    weights_for,
)

ROWS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 2, 3], [0, 1, 5]]
# no two rows alike, so that nothing is left to chance
COUNTS = [1, 2, 3, 4, 5, 6]
OTHER = [1, 2, 3, 4, 6, 5]


def state(rows, counts):
    return [(scaled(row), count) for row, count in zip(rows, counts, strict=True)]


def images(matrices, rows=ROWS, counts=COUNTS):
    """The state after changes of basis, its rows shuffled."""
    rng, found = np.random.default_rng(0), []
    for matrix in matrices:
        changed = (np.array(rows) @ matrix).tolist()
        order = rng.permutation(len(rows))
        found.append(state([changed[i] for i in order], [counts[i] for i in order]))
    return found


def some_bases():
    rng, matrices = np.random.default_rng(1), [np.eye(3, dtype=int)]
    while len(matrices) < 8:
        matrix = rng.integers(-2, 3, (3, 3))
        if round(np.linalg.det(matrix)):
            matrices.append(matrix)
    return matrices


def recognized(states, by_image=True, budget=100, room=9):
    """Classes of the states, and the numbers of those that they keep."""
    level, most, rows = level_of(states, 3), len(states), max(map(len, states))
    level.digest[:] = [hash(frozenset(state)) % 2**60 for state in states]
    classes = empty_classes(3, most, most * rows)
    scratch, position = scratch_for(rows, 3), np.zeros(1, np.int64)
    few = [part._replace(start=part.start[: room + 1]) for part in classes]
    while position[0] < most:
        arguments = row_fields(), weights_for(9).moduli, type(classes)(*few), scratch
        status = recognize(level, 3, by_image, *arguments, position, budget)
        if status == FULL:
            few = list(classes)
        else:
            assert status == DONE
    count = int(classes.keys.used[0])
    kept = [
        next(
            s for s in range(most) if np.array_equal(rows_of(classes.states, t), rows_of(level, s))
        )
        for t in range(count)
    ]
    p = primes(1)[0]
    return classes, kept, [from_residue(w, p) for w in classes.states.weight[:count, 0, 0]]


def rows_of(level, s):
    return level.rows[level.start[s] : level.start[s + 1]]


@pytest.mark.parametrize("budget", [1, 4, 100])
@pytest.mark.parametrize("room", [1, 9])
def test_changes_of_basis(budget, room):
    states = [*images(some_bases()), state(ROWS, OTHER)]
    assert recognized(states, budget=budget, room=room)[1:] == ([0, 8], [8, 1])


def test_equal_states_only():
    states = [*images(some_bases()[:2]), state(ROWS, OTHER)]
    assert recognized([*states, *states[:2]], by_image=False)[1:] == ([0, 1, 2], [2, 2, 1])


def test_rows_that_symmetries_exchange():
    """Any three rows of the projective frame are a basis in which the others look the same."""
    frame = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert recognized(images(some_bases(), frame, [1] * 4))[1:] == ([0], [8])


def test_rows_that_only_look_alike():
    """Of two rows on a line with two of the basis, either scales a column; then another tells."""
    signed = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, -1, 0], [0, 1, 1], [0, 1, -1]]
    counts = [3, 4, 3, 2, 2, 2, 2]
    assert recognized(images(some_bases(), signed, counts))[1:] == ([0], [8])
    rows = [*signed, [1, 1, 1]]
    assert recognized(images(some_bases(), rows, [*counts, 5]))[1:] == ([0], [8])


def test_shares_are_gathered():
    """Classes of two threads, one of them found by both, in any number of shares."""
    frame = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    first, _, _ = recognized([*images(some_bases()), state(ROWS, OTHER)])
    second, _, _ = recognized([*images(some_bases(), frame, [1] * 4), state(ROWS, OTHER)])
    p, weights = primes(1)[0], []
    for shares in (1, 2, 5):
        weights.append([])
        for share in range(shares):
            classes, scratch = empty_classes(3, 9, 99), scratch_for(len(ROWS), 3)
            for source in (first, second):
                position = np.zeros(1, np.int64)
                ends = weights_for(9).moduli, classes, scratch, position
                while position[0] < source.keys.used[0]:
                    assert gather(source, 3, share, shares, *ends, 1) == DONE
            count = int(classes.keys.used[0])
            found = [from_residue(w, p) for w in classes.states.weight[:count, 0, 0]]
            weights[-1] += found
            assert classes.states.used.tolist() == classes.keys.used.tolist()
    assert all(sorted(found) == [2, 8, 8] for found in weights)


def test_bad_primes():
    p = primes(1)[0]
    level = level_of([[((1, 0, 0), 1), ((0, 1, 0), 1), ((0, 1, p), 1)]], 3)
    ends = row_fields(), weights_for(9).moduli, empty_classes(3, 1, 3)
    position = np.zeros(1, np.int64)
    assert recognize(level, 3, True, *ends, scratch_for(3, 3), position, 9) == BAD_PRIME


@pytest.mark.slow
def test_equal_values_are_counted_where_they_are_first():
    values = np.array([7, 2**63, 7, 9, 2**63 + 8, 7, 2**63], np.uint64)  # some meet in a slot
    slots, alike = np.zeros(16, np.int64), np.full(7, -5, np.int64)
    assert compiled(tally)(values, 7, slots, alike) == 4
    assert alike.tolist() == [3, 2, 0, 1, 1, 0, 0]
    assert compiled(tally)(values, 1, slots, alike) == 1
    assert alike[0] == 1
