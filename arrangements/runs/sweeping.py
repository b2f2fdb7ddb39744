"""Sweep one part after the other, block by block."""

from __future__ import annotations

import threading
from collections.abc import Iterator

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
from arrangements.search.flag import Flag
from arrangements.search.gains import Gains
from arrangements.search.parts import Part
from arrangements.search.value_sweep import ValueSweep


class PartSweep:
    """Sweeps parts of a source; each thread has its own.

    Attributes
    ----------
    rest : list of Part
        What the part that was swept last left for others, in order: once it had `enough` rows, no
        line of it was begun.
    sums : ValueSweep or None
        Writes values and names in place of rows, if there are gains.
    """

    def __init__(
        self,
        source: Source,
        flag: Flag,
        enough: int,
        block_rows: int,
        stop: threading.Event | None = None,
        gains: Gains | None = None,
        counts: bool = False,
    ) -> None:
        self.rest: list[Part] = []
        self.sums: ValueSweep | None = None if gains is None else ValueSweep(flag, gains)
        self._source, self._sweep = source, self.sums or source.sweep(flag)
        self._enough, self._stop, self._counts = enough, stop, counts
        rows = 1 if counts else max(block_rows, source.line_rows)
        width, dtype = self._sweep.row
        # pages that are not written to take no memory
        self._out = empty_rows(rows, 2 if self.sums else width, dtype)

    def blocks(self, what: Part) -> Iterator[Rows]:
        """Rows of a part, or values and names, in an array that the next block overwrites.

        Rows that are only to be counted have no columns.
        """
        self.rest = []
        self._sweep.restart(what, self._enough)
        finished = False
        while not finished:
            full, count = False, 0
            while not (finished or full):
                if self._stop is not None and self._stop.is_set():
                    raise InterruptedError
                finished, full, count = self._sweep.advance(self._out, count, not self._counts)
                # the sooner a block of values is seen, the more may be passed over
                full = full or self.sums is not None
            had_enough = self._sweep.has_enough(count)
            if had_enough and not finished:
                self.rest = self._sweep.rest()
                finished = True
            if not count:
                continue
            if self._counts:
                yield np.empty((count, 0), np.uint64)
            else:
                found = self._out[:count]
                yield found if self.sums else self._source.trim(found)


# ------------------------------------------------------------------ order of rows


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
        if not words.size:  # perhaps read-only, which is another type to numba
            return rows
        if self._by_vectors:
            sort_words(words.reshape(-1), self._kept, self._stack, MOST_PARTINGS)
            return self._source.from_words(words)
        if words.size > self._spare.size:
            self._spare = self._room(len(words))
        spare = self._spare[: words.size]
        sort_rows(words.reshape(-1), spare, self._counts, words.shape[1])
        return self._source.from_words(words)

    def _room(self, rows: int) -> NDArray[np.uint64]:
        return empty_rows(rows, self._source.words, np.uint64).reshape(-1)
