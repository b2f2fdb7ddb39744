"""Put the rows of a part in an order that depends on nothing but them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arrangements.execution.memory import empty_rows
from arrangements.kernels.statistics.sorting import (
    COUNTS,
    KEPT,
    MOST_PARTINGS,
    STACK,
    has_vectors,
    sort_rows,
    sort_words,
)
from arrangements.runs.sources import Rows, Source


class RowOrder:
    """Sorts rows of a source by their words, in memory that it keeps; each thread has its own."""

    def __init__(self, source: Source, most: int) -> None:
        self._source = source
        self._by_vectors = source.words == 1 and has_vectors()
        if self._by_vectors:
            self._kept, self._stack = np.empty(KEPT, np.uint64), np.empty(STACK, np.int64)
        else:
            self._counts, self._spare = np.empty(COUNTS, np.uint64), self._room(most)

    def sorted(self, rows: Rows) -> Rows:
        """The rows in order; those given are overwritten if they are words themselves."""
        words = self._source.to_words(rows)
        if self._by_vectors:
            sort_words(words.reshape(-1), self._kept, self._stack, MOST_PARTINGS)
            return self._source.from_words(words)
        if words.size > self._spare.size:
            self._spare = self._room(len(words))
        if words.size:
            spare = self._spare[: words.size]
            sort_rows(words.reshape(-1), spare, self._counts, words.shape[1])
        return self._source.from_words(words)

    def _room(self, rows: int) -> NDArray[np.uint64]:
        return empty_rows(rows, self._source.words, np.uint64).reshape(-1)
