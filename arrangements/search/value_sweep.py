"""The sweep that adds up values (``kernels.chambers.value_search``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from arrangements.execution.memory import aligned_zeros, layout_of
from arrangements.kernels.chambers import line_sums, line_walk, value_search
from arrangements.kernels.chambers import workspace as registers
from arrangements.kernels.chambers.workspace import Sums
from arrangements.search.chamber_sweep import ChamberSweep, Packed
from arrangements.search.flag import Flag
from arrangements.search.gains import Gains
from arrangements.search.parts import WHOLE, Part
from arrangements.sets.packed import pack_signs


def sums_of(gains: Gains, d: int) -> Sums:
    """Arrays for the values of a sweep in rank d."""
    n = len(gains.gains)
    words = -(-n // 64)
    i64, u64 = np.int64, np.uint64
    planes = pack_signs(gains.planes.astype(np.int8)).reshape(len(gains.planes), words)
    shapes: dict[str, tuple[tuple[int, ...], Any]] = {
        "gains": ((64 * words,), i64),
        "planes": (planes.shape, u64),
        "weights": (gains.weights.shape, i64),
        "registers": ((8,), i64),
        "sets": ((6, words), u64),
        "pieces": ((line_sums.most_pieces(n), line_sums.FIELDS), i64),
        "offset": ((64 * words,), u64),
        "change": ((d,), i64),
        "codes": ((1 << min(d - 2, line_walk.MOST_LEVELS),), i64),
    }
    sums = Sums(**aligned_zeros(layout_of(shapes)))
    sums.gains[:n] = gains.gains
    sums.planes[:], sums.weights[:] = planes, gains.weights
    sums.sets[registers.FALLING] = pack_signs((gains.gains < 0).astype(np.int8)[None])[0]
    sums.registers[registers.LEAST] = np.minimum(gains.gains, 0).sum()
    sums.registers[registers.BITS] = gains.bits
    return sums


class ValueSweep(ChamberSweep):
    """A sweep that writes the value and the name of each chamber in place of its row."""

    def __init__(self, flag: Flag, gains: Gains, part: Part = WHOLE) -> None:
        super().__init__(flag, part)
        self.sums: Sums = sums_of(gains, flag.d)

    def pass_over(self, between: tuple[int, int]) -> None:
        """From now on, chambers may be left out whose values are strictly between these two."""
        self.sums.registers[[registers.LOWER, registers.UPPER]] = between

    def passed(self) -> int:
        """About how many chambers were left out since this was asked last."""
        state = self.sums.registers
        number, state[registers.PASSED] = int(state[registers.PASSED]), 0
        return number

    def line_of(self, name: int) -> Packed:
        """The chambers of the line on which a chamber is, by its name, as packed rows."""
        bits, chain = int(self.sums.registers[registers.BITS]), []
        while name := name >> bits:
            chain.append((name & ((1 << bits) - 1)) - 1)
        line = ChamberSweep(self.flag, Part(tuple(reversed(chain)), 0, 0, own=True))
        line.decide_as(self)  # residues take longer than the line
        return np.concatenate(list(line.blocks(1)))

    def _use_fast_lines(self) -> None:
        """Such lines have no values."""

    def _call(self, budget: int, out: Packed, count: int) -> tuple[int, int]:
        return value_search.advance(self.space, self.sums, budget, out, count)

    def _load(self, status: int) -> None:
        address = line_sums.WALKER.address(self.space, self.sums)
        self.space.late[registers.LATE_WALK] = address
