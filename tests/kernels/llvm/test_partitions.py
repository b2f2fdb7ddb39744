"""What sorts words by vectors, part by part, against Python."""

import numpy as np
import pytest
from numba import njit

from arrangements.kernels.llvm import sorting_networks
from arrangements.kernels.llvm.sorting_networks import (
    below,
    middle,
    middle_of_three,
    sort_32,
    sort_64,
    sort_128,
)
from arrangements.kernels.llvm.vectors import load, store

RNG = np.random.default_rng(0)
SOME = np.concatenate([RNG.integers(0, 2**64, 56, np.uint64), RNG.integers(0, 3, 8, np.uint64)])
HALF = np.uint64(2**63)


@pytest.mark.parametrize("masks", [True, False])
def test_words_are_parted(masks, monkeypatch):
    """All sets of lanes, with the instruction and one word after the other."""
    if not masks:
        monkeypatch.setattr(sorting_networks, "has_masks", lambda context: False)
    elif not sorting_networks.has_masks(_context()):
        pytest.skip("this processor has no registers of masks")
    part_lanes = sorting_networks.part_lanes

    @njit
    def part(words, lanes):
        store(words, (0,), part_lanes(load(words, (0,)), lanes))

    for code in range(256):
        words = SOME[:8].copy()
        part(words, np.uint64(code))
        first = [word for k, word in enumerate(SOME[:8]) if code >> k & 1]
        assert sorted(words[: len(first)]) == sorted(first)
        assert sorted(words) == sorted(SOME[:8])


def _context():
    from arrangements.kernels.numba_internals import cpu_target

    return cpu_target.target_context


def test_words_are_compared_without_sign():
    @njit
    def lanes(words, word):
        return below(load(words, (0,)), word)

    words = np.array([0, 1, HALF - 1, HALF, HALF + 1, 2**64 - 1, 5, 7], np.uint64)
    for word in words:
        assert lanes(words, word) == sum(1 << k for k in range(8) if words[k] < word)


def test_middle_words():
    @njit
    def middles(words, found):
        three = middle_of_three(load(words, (0,)), load(words, (8,)), load(words, (16,)))
        store(found, (0,), three)
        return middle(three)

    for _ in range(100):
        words, found = RNG.choice(SOME, 24), np.zeros(8, np.uint64)
        one = middles(words, found)
        assert (found == np.sort(words.reshape(3, 8), axis=0)[1]).all()
        assert one == np.sort(found)[4]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("sort, most", [(sort_32, 32), (sort_64, 64), (sort_128, 128)])
def test_blocks_are_sorted(sort, most):
    """Of each length, and nothing beside them; a network that sorts 0 and 1 sorts everything."""

    @njit
    def sort_some(words, count):
        sort(words, 3, count)

    for count in range(most + 1):
        ones = np.zeros(most + 6, np.uint64)
        ones[RNG.permutation(most + 6)[: RNG.integers(most)]] = 1
        for words in (ones, RNG.choice(SOME, most + 6)):
            expected = words.copy()
            expected[3 : 3 + count].sort()
            sort_some(words, count)
            assert (words == expected).all()
