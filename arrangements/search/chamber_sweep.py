"""The sweep of chambers (``kernels.chambers.search``) and its workspace."""

from __future__ import annotations

from functools import cache, lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.execution.memory import Layout, Spare, aligned_zeros, layout_of
from arrangements.kernels.chambers import exact_signs, few_rows, line_walk, search
from arrangements.kernels.chambers import workspace as registers
from arrangements.kernels.chambers.minors import MOST
from arrangements.kernels.chambers.tableau import BEYOND
from arrangements.kernels.chambers.workspace import Workspace
from arrangements.kernels.numba_internals import is_ready
from arrangements.search.flag import Flag
from arrangements.search.parts import WHOLE, Part
from arrangements.search.sweep import Sweep
from arrangements.sets.packed import used_bits

Packed = NDArray[np.uint64]

_LARGEST_KEY = np.iinfo(np.int16).max
_BITS = np.uint64(1) << np.arange(64, dtype=np.uint64)
# Below 2**20 chambers, do not compile the kernel for few rows. Below 2**14, do not even look for
# it in the cache.
_WORTH_COMPILING, _WORTH_A_LOOK = 2**20, 2**14
# Give up that kernel after this many lines with ties: then almost every line has them.
_LINES_TRIED = 500


@lru_cache(maxsize=64)
def _layout(n: int, d: int) -> Layout:
    """Where the arrays of a workspace stand."""
    words = -(-n // 64)
    pad, columns = 64 * words, -(-d // 16) * 16
    f32, f64 = np.float32, np.float64
    i16, i32, i64, u64 = np.int16, np.int32, np.int64, np.uint64
    shapes: dict[str, tuple[tuple[int, ...], Any]] = {
        "state": ((16,), i64),
        "late": ((5,), i64),
        "chain": ((d,), i64),
        "cursor": ((d,), i64),
        "span": ((d, 2), i64),
        "masks": ((d, 7, words), u64),
        "multiplier": ((d, words), u64),
        "threshold": ((2, columns), f32),
        "narrow_bound": ((1, 2, columns), f64),
        "bound": ((d - 1, 2, columns), f64),
        "factors": ((3, columns), f64),
        "eliminator": ((d,), i64),
        "largest": ((columns, 8), f64),
        "narrow": ((d, pad), f32),
        "coefficient": ((8, pad + 16), f32),
        "low_high": ((2, pad), f32),
        "key": ((2, pad), i16),
        "wide": ((2, pad), f64),
        "order": ((pad + 1,), u64),
        "described": ((pad,), u64),
        "ends": ((2, pad), i32),
        "histogram": ((line_walk.BUCKETS,), i32),
        "flips": ((1 << min(d - 2, line_walk.MOST_LEVELS), 16), u64),
        "square": ((d, d), u64),
        "entries": ((d + 1, d), f64),
        "flip": ((words, pad), u64),
        "table": ((max(d - 1, 3), d, pad), f64),
        "ties": ((max(d - 2, 1), pad, words), u64),
        "matroid": ((0, 1, d, pad), u64),
        "matroid_fields": ((0, 5), u64),
        "minors": ((0, d, pad), f64),
        "flag": ((0, d, pad), u64),
        "flag_fields": ((0, 5), u64),
        "digits": ((0,), u64),
        "parallel": ((pad,), i64),
    }
    return layout_of(shapes)


@lru_cache(maxsize=16)
def _spare(n: int, d: int) -> Spare[Workspace]:
    def lay_out() -> Workspace:
        space = Workspace(**aligned_zeros(_layout(n, d)))
        space.parallel[:] = np.arange(len(space.parallel))
        space.low_high[:] = BEYOND
        space.key[:] = _LARGEST_KEY
        space.masks[d - 1, registers.NO_POINTS] = ~used_bits(n)  # padding
        space.state[registers.ROWS] = n
        return space

    return Spare(lay_out)


def workspace(flag: Flag) -> Workspace:
    """Arrays at the root of the sweep of a flag."""
    n, d = flag.n, flag.d
    flag.check_workspace()
    space = _spare(n, d).take()
    space.table[0, :, :n] = flag.columns
    space.bound[0, 0, :d] = flag.error
    space.bound[0, 1, :d] = flag.magnitude
    constant, positive = flag.constant_rows()
    for rows, name in ((constant, registers.NO_POINTS), (positive, registers.FIXED)):
        for i in rows:
            space.masks[d - 1, name, i >> 6] |= _BITS[i & 63]
    space.state[registers.ROOT_SIGN] = flag.root_sign
    return space


class ChamberSweep(Sweep):
    """A sweep that writes packed sign vectors."""

    _lanes_per_call = 4_000_000
    space: Workspace

    def __init__(self, flag: Flag, part: Part = WHOLE) -> None:
        self.row: tuple[int, np.dtype[Any]] = -(-flag.n // 64), np.dtype(np.uint64)
        self.line_rows: int = flag.n + 2
        super().__init__(flag, workspace(flag), _spare(flag.n, flag.d), part)
        if part == WHOLE:  # not one line only, for example
            self._use_fast_lines()

    def _use_fast_lines(self) -> None:
        """Call the kernel for few rows, if that pays."""
        if self.flag.n > few_rows.MOST_ROWS:
            return
        most = _most_chambers(self.flag.n, self.flag.d)
        if most > _WORTH_COMPILING or (most > _WORTH_A_LOOK and _has_few_rows()):
            self.space.late[registers.LATE_LINE] = few_rows.ADVANCE.address(self.space)
            self.state[registers.BALANCE] = _LINES_TRIED

    def _position(self) -> tuple[list[int], list[int], list[int]]:
        chain = self.space.chain.tolist()
        return chain, self.space.cursor.tolist(), [self.flag.n, *chain]  # children are smaller

    def _call(self, budget: int, out: Packed, count: int) -> tuple[int, int]:
        if self.state[registers.BALANCE] > 0:
            return few_rows.advance(self.space, budget, out, count)
        return search.advance(self.space, budget, out, count)

    def _load(self, status: int) -> None:
        self.space.late[registers.LATE_WALK] = line_walk.WALKER.address(self.space)

    @property
    def _lanes(self) -> tuple[int, int]:
        pad = self.space.table.shape[2]
        return pad, pad

    def decide_as(self, other: ChamberSweep) -> None:
        """Make exact decisions by the residues of another sweep of the same flag, if it has any."""
        ws, self._attempt = other.space, other._attempt
        if len(ws.matroid):
            # the sweep writes to it
            self._decide_zeros(ws.matroid.copy(), ws.matroid_fields)
            self.state[registers.EXACT_DEPTH] = 0
            digits = np.zeros_like(ws.digits)
            self._replace(flag=ws.flag, flag_fields=ws.flag_fields, digits=digits)

    def _decide_zeros(self, matroid: Packed, fields: Packed) -> None:
        self._replace(matroid=matroid, matroid_fields=fields, minors=self._minors())
        self.state[registers.MINOR_DEPTH] = 0
        self.space.late[registers.LATE_ANSWER] = exact_signs.ANSWER.address(self.space)

    def _minors(self) -> NDArray[np.float64]:
        """`minors` at the root, if no minor is too large for it."""
        rows, pad, d = self.flag.small_integers(MOST), self.space.table.shape[2], self.flag.d
        if rows is None:
            return self.space.minors
        minors = np.zeros((d, d, pad + 16))
        minors[0, :, : self.flag.n] = rows.T
        minors[0, -1, self.flag.n] = 1.0
        if self.flag.central:
            minors[0, :, self.flag.n] = minors[0, :, 0]
        return minors


@cache
def _kept_few_rows() -> bool:
    """Whether the code of `few_rows` was in the cache when this was asked first."""
    return is_ready(few_rows.advance)


def _has_few_rows() -> bool:
    return bool(few_rows.advance.overloads) or _kept_few_rows()


@lru_cache(maxsize=64)
def _most_chambers(n: int, d: int) -> int:
    """A bound for the rows that a sweep writes."""
    return sum(comb(n, k) for k in range(d))
