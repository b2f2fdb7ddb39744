"""Sets of rows of nodes against Python integers."""

import numpy as np
import pytest

from arrangements.kernels.chambers import nodes
from arrangements.kernels.chambers.workspace import (
    CHILDREN,
    EXACT_DEPTH,
    FIXED,
    GROUP,
    NEGATIVE,
    NO_POINTS,
    TIED,
)
from kernels import compiled

first_point, next_child = compiled(nodes.first_point), compiled(nodes.next_child)
choose = compiled(nodes.choose)


def set_of(rows):
    return sum(1 << i for i in rows)


def words_of(bits, words):
    return [bits >> 64 * w & 2**64 - 1 for w in range(words)]


def test_points_and_children():
    masks, rng = np.zeros((2, 7, 3), np.uint64), np.random.default_rng(0)
    for density in (0, 1, 5, 100):
        chosen = sorted(set(rng.integers(0, 192, density).tolist()))
        masks[1, CHILDREN] = words_of(set_of(chosen), 3)
        masks[1, NO_POINTS] = ~masks[1, CHILDREN]
        assert first_point(masks[1:2].repeat(2, 0), 1) == min(chosen, default=192)
        for start in (0, 1, 63, 64, 130, 191):
            for stop in (0, 64, 150, 192):
                expected = min([j for j in chosen if start <= j < stop], default=max(start, stop))
                found = next_child(masks, 1, start, stop)
                assert found == expected if start < stop else found >= stop


@pytest.mark.sampled(3)
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("words", [1, 2, 3])
def test_a_chosen_child_and_its_tie_have_no_points_below(words, tied):
    rng = np.random.default_rng(words)
    for _ in range(20):
        masks = rng.integers(0, 2**63, (3, 7, words)).astype(np.uint64)
        ties = rng.integers(0, 2**63, (2, 64 * words, words)).astype(np.uint64)
        j = int(rng.integers(64 * words))
        own = np.array(words_of(1 << j, words), np.uint64)
        masks[1, TIED] = masks[1, TIED] | own if tied else masks[1, TIED] & ~own
        chain, state = np.zeros(3, np.int64), np.full(16, 2)
        before = masks.copy()
        choose(masks, ties, chain, state, 1, j)
        group = ties[1, j] if tied else own
        assert (masks[1, GROUP] == group).all() and chain[1] == j and state[EXACT_DEPTH] == 1
        assert (masks[2, NO_POINTS] == before[1, NO_POINTS] | group).all()
        assert (masks[2, FIXED] == before[1, FIXED] | (group & before[1, NEGATIVE])).all()
