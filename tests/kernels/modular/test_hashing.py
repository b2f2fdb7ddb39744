"""Hashes against Python integers."""

import numpy as np

from arrangements.kernels.modular import hashing
from arrangements.kernels.modular.hashing import hash_words, scramble
from kernels import compiled

GOLDEN, WORD = 0x9E3779B97F4A7C15, 2**64 - 1


def plain(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def words():
    return [0, 1, 2**32, 2**63, WORD, *np.random.default_rng(0).integers(2**63, size=40).tolist()]


def test_of_arrays():
    assert scramble(np.array(words(), np.uint64)).tolist() == [plain(word) for word in words()]


def test_of_words_in_compiled_code():
    with_word, fast = compiled(hashing.with_word), compiled(hashing.with_word_fast)
    for a, b in zip(words(), reversed(words()), strict=True):
        assert with_word(np.uint64(a), np.uint64(b)) == plain(a + b + GOLDEN & WORD)
        assert fast(np.uint64(a), np.uint64(b)) == (a ^ b) * GOLDEN & WORD


def test_the_published_generator():
    """SplitMix64 with seed 0: its states are multiples of the golden ratio."""
    state = np.array([k * GOLDEN & WORD for k in (0, 1, 2)], np.uint64)
    published = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert hash_words(state).tolist() == published
