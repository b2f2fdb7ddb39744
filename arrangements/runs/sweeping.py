"""Sweep one part after the other, block by block."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np

from arrangements.execution.memory import empty_rows
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
        self.sums = None if gains is None else ValueSweep(flag, gains)
        self._sweep = self.sums or source.sweep(flag)
        self._enough, self._stop, self._counts = enough, stop, counts
        width, dtype = source.shape  # pages that are not written to take no memory
        if self.sums:
            width = 2
        rows = 1 if counts else max(block_rows, source.line_rows)
        self._out = empty_rows(rows, width, dtype)

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
            if count:
                yield np.empty((count, 0), np.uint64) if self._counts else self._out[:count]
