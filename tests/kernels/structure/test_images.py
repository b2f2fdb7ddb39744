"""Linear images of states: what is merged is one state, and images of one state are merged."""

from itertools import permutations

import numpy as np
import pytest

from arrangements.exact.residues import primes
from arrangements.kernels.structure.images import Images, merge_images
from arrangements.kernels.structure.states import BAD_PRIME, DONE
from kernels.plain import from_residue
from kernels.structure.plain_states import (
    empty_level,
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


def merged(states, thorough, budget=100):
    level, most = level_of(states, 3), len(states)
    found = Images(empty_level(3, most, most * len(ROWS)), np.full(most, -1))
    scratch, position = scratch_for(len(ROWS), 3), np.zeros(1, np.int64)
    moduli = weights_for(9).moduli
    while position[0] < most:
        arguments = row_fields(), moduli, found, scratch, position, budget
        assert merge_images(level, 3, thorough, *arguments) == DONE
    count = int(found.states.used[0])
    p = primes(1)[0]
    weights = [from_residue(w, p) for w in found.states.weight[:count, 0, 0]]
    return found.leader[:count].tolist(), weights


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("budget", [1, 4, 100])
def test_orders_of_coordinates(thorough, budget):
    matrices = [np.eye(3, dtype=int)[list(order)] for order in permutations(range(3))]
    states = [state(ROWS, OTHER), *images(matrices)]
    assert merged(states, thorough, budget) == ([0, 1], [1, 6])


def test_changes_of_basis():
    states = [*images(some_bases()), state(ROWS, OTHER)]
    assert merged(states, True) == ([0, 8], [8, 1])
    assert sum(merged(states, False)[1]) == 9


def test_rows_that_symmetries_exchange():
    """Any three rows of the projective frame are a basis in which the others look the same."""
    frame = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert merged(images(some_bases(), frame, [1] * 4), True) == ([0], [8])


def test_bad_primes():
    p = primes(1)[0]
    level = level_of([[((1, 0, 0), 1), ((0, 1, 0), 1), ((0, 1, p), 1)]], 3)
    found = Images(empty_level(3, 1, 3), np.zeros(1, np.int64))
    ends = row_fields(), weights_for(9).moduli, found, scratch_for(3, 3), np.zeros(1, np.int64), 9
    assert merge_images(level, 3, True, *ends) == BAD_PRIME
