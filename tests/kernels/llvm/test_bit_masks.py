"""Words of bits against Python integers."""

import numpy as np

from arrangements.kernels.llvm import vectors
from kernels import compiled


def bits(answers):
    return sum(1 << i for i, answer in enumerate(answers) if answer)


def test_comparisons_of_many_lanes():
    rng = np.random.default_rng(0)
    rows = rng.integers(-3, 4, (3, 100)).astype(np.int16)
    rows[0, :3] = -(2**15), 2**15 - 1, 0
    cases = [
        (vectors.mask_less, np.less, 64),
        (vectors.mask_less_equal, np.less_equal, 64),
        (vectors.half_mask_less, np.less, 32),
        (vectors.half_mask_less_equal, np.less_equal, 32),
    ]
    for mask, compare, lanes in cases:
        function = compiled(mask)
        for row, start in [(0, 0), (1, 0), (2, 36), (1, 17)]:
            for value in (-(2**15), -1, 0, 2, 2**15 - 1):
                expected = bits(compare(rows[row, start : start + lanes], value))
                assert function(rows, row, start, np.int16(value)) == expected


def test_bits_of_words():
    zeros, population = compiled(vectors.trailing_zeros), compiled(vectors.population)
    words = [1, 2**63, 2**64 - 1, *(2**k + 2**63 for k in range(0, 63, 7))]
    words += np.random.default_rng(1).integers(1, 2**63, 20).tolist()
    for word in words:
        assert zeros(np.uint64(word)) == (word & -word).bit_length() - 1
        assert population(np.uint64(word)) == word.bit_count()
    assert population(np.uint64(0)) == 0
