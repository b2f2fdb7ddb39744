"""How many bits the rows of a block have."""

import numpy as np

from arrangements.kernels.compilation import entry, inlined
from arrangements.kernels.llvm.vectors import population

# Histograms that take turns: a count need not wait for the same one of the row before.
TURNS = 4


@inlined
def _add(rows, words, histograms):
    """For one number of words: where it is a constant, the loop over them is none."""
    for k in range(rows.shape[0]):
        bits = np.int64(0)
        for w in range(words):
            bits += population(rows[k, w])
        histograms[np.uint64(k % TURNS), np.uint64(bits)] += 1


@entry
def add_populations(rows, histograms):
    """Count rows by the number of their bits.

    rows : (m, words) uint64
    histograms : (TURNS, >= 64 * words + 1) int64, entries (.., k) together grow by the number of
        rows with k bits
    """
    words = rows.shape[1]
    if words == 1:
        _add(rows, 1, histograms)
    elif words == 2:
        _add(rows, 2, histograms)
    elif words == 3:
        _add(rows, 3, histograms)
    elif words == 4:
        _add(rows, 4, histograms)
    else:
        _add(rows, words, histograms)


@entry
def add_numbers(numbers, histograms):
    """Count rows by the first of their numbers.

    numbers : (m, k) uint64, the first below 2**63
    histograms : (TURNS, h) int64, entries (.., x) together grow by the number of rows with x < h
    """
    for k in range(numbers.shape[0]):
        histograms[np.uint64(k % TURNS), numbers[k, 0]] += 1
