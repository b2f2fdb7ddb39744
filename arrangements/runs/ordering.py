"""Put the rows of a part in an order that depends on nothing but them."""

from __future__ import annotations

from functools import cache
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from arrangements.kernels.statistics.sorting import COUNTS, sort_rows
from arrangements.resources.arrays import empty_rows
from arrangements.runs.sources import Rows, Source

# NumPy sorts a word of a part in 5 ns with vectors of 512 bits, in 13 with shorter ones, in 70
# without or on Zen 4, which stores chosen lanes slowly; by digits it takes 15. Parts are large: of
# 2**13 words one takes Zen 4 only 23.
_FAST = 2e-8
_SAMPLE = 2**16


class RowOrder:
    """Sorts rows of a source by their words, in memory that it keeps; each thread has its own."""

    def __init__(self, source: Source, most: int) -> None:
        self._source = source
        self._counts = np.empty(COUNTS, np.uint64)
        self._by_numpy = source.words == 1 and numpy_sorts_fast()
        self._spare = self._room(0 if self._by_numpy else most)

    def sorted(self, rows: Rows) -> Rows:
        """The rows in order; those given are overwritten if they are words themselves."""
        words = self._source.to_words(rows)
        if self._by_numpy:
            words[:, 0].sort()
            return self._source.from_words(words)
        if words.size > self._spare.size:
            self._spare = self._room(len(words))
        if words.size:
            spare = self._spare[: words.size]
            sort_rows(words.reshape(-1), spare, self._counts, words.shape[1])
        return self._source.from_words(words)

    def _room(self, rows: int) -> NDArray[np.uint64]:
        return empty_rows(rows, self._source.words, np.uint64).reshape(-1)


@cache
def numpy_sorts_fast() -> bool:
    """Whether NumPy sorts words by vectors here, which only their time tells.

    The order is the same in any case.
    """
    words = np.random.default_rng(0).integers(0, 2**64, _SAMPLE, np.uint64, endpoint=False)
    seconds = []
    for _ in range(3):
        copy, start = words.copy(), perf_counter()
        copy.sort()
        seconds.append(perf_counter() - start)
    return min(seconds) < _FAST * _SAMPLE
