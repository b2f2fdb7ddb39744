"""Hashes of 64-bit words."""

import numpy as np

from arrangements.kernels.compilation import inlined

# 2**64 over the golden ratio: 0, a fixed point of `mix`, is led away from
_GOLDEN = 0x9E3779B97F4A7C15


def scramble(words):
    """A permutation of 64-bit words without visible structure (the finalizer of SplitMix64).

    words : uint64, in compiled code, or an array of them
    """
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


mix = inlined(scramble)


def hash_words(words):
    """As `scramble`, but 0 is led away from, too: the generator SplitMix64 at these states."""
    return scramble(words + np.uint64(_GOLDEN))


@inlined
def with_word(digest, word):
    """Hash of a sequence with one more word, from the hash of the sequence."""
    return mix(digest + word + np.uint64(_GOLDEN))


@inlined
def with_word_fast(digest, word):
    """The same in a third of the time; only the upper bits are fit to address a table."""
    return (digest ^ word) * np.uint64(_GOLDEN)
