"""Sweep one part after the other, block by block."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np

from arrangements.runs.sources import Rows, Source
from arrangements.search.chamber_sweep import Sweep
from arrangements.search.flag import Flag
from arrangements.search.gains import Gains
from arrangements.search.parts import Part


class PartSweep:
    """Sweeps parts of a source; each thread has its own.

    Attributes
    ----------
    rest : list of Part
        What the part that was swept last left for others, in order: once it had `enough` rows, no
        line of it was begun.
    """

    def __init__(
        self,
        source: Source,
        flag: Flag,
        enough: int,
        block_rows: int,
        stop: threading.Event | None = None,
        gains: Gains | None = None,
    ) -> None:
        self.rest: list[Part] = []
        self._sums = gains is not None
        self._sweep, self._enough, self._stop = source.sweep(flag), enough, stop
        width, dtype = source.shape  # pages that are not written to take no memory
        if gains is not None:
            assert isinstance(self._sweep, Sweep)
            self._sweep.add_up(gains)
            width = 2
        self._out = np.empty((max(block_rows, source.line_rows), width), dtype)

    def pass_over(self, between: tuple[int, int]) -> None:
        """From now on, chambers may be left out whose values are strictly between these two."""
        assert isinstance(self._sweep, Sweep)
        self._sweep.pass_over(between)

    def passed(self) -> int:
        """About how many chambers were left out since this was asked last."""
        assert isinstance(self._sweep, Sweep)
        number = self._sweep.space.sums.passed
        passed, number[0] = int(number[0]), 0
        return passed

    def line_of(self, name: int) -> Rows:
        """The rows of the line on which the chamber of this name is."""
        assert isinstance(self._sweep, Sweep)
        return self._sweep.line_of(name)

    def blocks(self, what: Part) -> Iterator[Rows]:
        """Rows of a part, or values and names, in an array that the next block overwrites."""
        self.rest = []
        self._sweep.restart(what, self._enough)
        finished = False
        while not finished:
            full, count = False, 0
            while not (finished or full):
                if self._stop is not None and self._stop.is_set():
                    raise InterruptedError
                finished, full, count = self._sweep.advance(self._out, count, True)
                full = full or self._sums  # the sooner it is known what may be passed over
            had_enough = self._sweep.has_enough(count)
            if had_enough and not finished:
                self.rest = self._sweep.rest()
                finished = True
            if count:
                yield self._out[:count]
