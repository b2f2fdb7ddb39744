"""Driver of the flag sweep (``kernels.chambers.search``): workspace, blocks, threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from math import comb
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import NotGenericFlagError
from arrangements.execution import limits, threads
from arrangements.execution.memory import (
    Layout,
    Spare,
    aligned_zeros,
    block_sizes,
    empty_rows,
    layout_of,
)
from arrangements.kernels.chambers import exact_signs, few_rows, line_walk
from arrangements.kernels.chambers import search as kernel
from arrangements.kernels.chambers import tableau as lines
from arrangements.kernels.chambers import workspace as registers
from arrangements.kernels.chambers.minors import MOST
from arrangements.kernels.chambers.workspace import Workspace
from arrangements.kernels.numba_internals import is_ready
from arrangements.search.flag import Flag
from arrangements.search.parts import ALL, WHOLE, Part, cut, enter, had_enough, most_rows, rest
from arrangements.sets.packed import used_bits

Packed = NDArray[np.uint64]
Item = TypeVar("Item")

_LARGEST_KEY = np.iinfo(np.int16).max
_BITS = np.uint64(1) << np.arange(64, dtype=np.uint64)
# Fewer chambers are not worth the time to compile what few rows have of their own, and still fewer
# not that to look if it is compiled.
_WORTH_COMPILING, _WORTH_A_LOOK = 2**20, 2**14
# With ties at most points hardly a line is done so: after as many in vain it is no longer tried.
_LINES_TRIED = 500
# A call of the kernel takes well under a quarter of a second, so that Python can answer Ctrl-C.
_LANES_PER_CALL = 4_000_000


def check_workspace(flag: Flag, workers: int = 1) -> None:
    """Refuse a sweep if `ties` and `flip`, which hold a set of rows for each row, do not fit."""
    n, d = flag.n, flag.d
    needed = workers * n * n * max(d - 1, 2) // 8
    limits.check_workspace(f"a sweep of {n} hyperplanes in rank {d}", needed)


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
    return Spare(lambda: Workspace(**aligned_zeros(_layout(n, d))))


def workspace(flag: Flag) -> Workspace:
    """Arrays at the root of the sweep of a flag."""
    n, d = flag.n, flag.d
    check_workspace(flag)
    space = _spare(n, d).take()
    space.parallel[:] = np.arange(64 * -(-n // 64))
    space.table[0, :, :n] = flag.columns
    space.bound[0, 0, :d] = flag.error
    space.bound[0, 1, :d] = flag.magnitude
    space.low_high[:] = lines.BEYOND
    space.key[:] = _LARGEST_KEY
    everywhere = space.masks[d - 1]
    everywhere[registers.NO_POINTS] = ~used_bits(n)  # padding
    constant, positive = flag.constant_rows()
    for rows, name in ((constant, registers.NO_POINTS), (positive, registers.FIXED)):
        for i in rows:
            everywhere[name, i >> 6] |= _BITS[i & 63]
    space.state[registers.ROWS] = n
    space.state[registers.ROOT_SIGN] = flag.root_sign
    return space


class Sweep:
    """A sweep over one flag, or over a part of it.

    Iterating over `blocks` runs it. Each sweep owns its `space`, so sweeps of one flag may run in
    several threads.

    Attributes
    ----------
    row : tuple of int and dtype
        Entries of a row that it writes, and their type.
    """

    row: tuple[int, np.dtype[Any]]

    def __init__(self, flag: Flag, part: Part = WHOLE) -> None:
        self.flag = flag
        self.space = self._first_space = workspace(flag)
        self.row = -(-flag.n // 64), np.dtype(np.uint64)
        if part == WHOLE:  # not one line only, for example
            self._use_fast_lines()
        self.restart(part)
        self._attempt = 0
        self._budget = max(1, _LANES_PER_CALL // (flag.n + 64))

    def _use_fast_lines(self) -> None:
        """Let lines of few rows be done as ``kernels.chambers.few_rows`` does, if that pays."""
        if self.flag.n > few_rows.MOST_ROWS:
            return
        most = _most(self.flag.n, self.flag.d)
        if most > _WORTH_COMPILING or (most > _WORTH_A_LOOK and _has_few_rows()):
            address = few_rows.ADVANCE.address(self.space, 0, np.empty((1, 1), np.uint64), 0)
            self.space.late[registers.LATE_LINE] = address
            self.space.state[registers.BALANCE] = _LINES_TRIED

    def restart(self, part: Part, enough: int = ALL) -> None:
        """Go to the beginning of a part; it starts no line once there are `enough` chambers."""
        self.part = part
        enter(part, enough, self.space.span, self.space.state)

    def has_enough(self, count: int) -> bool:
        """Whether a part had enough rows, the last `count` of which are taken out of the array."""
        return had_enough(count, self.space.state)

    @property
    def line_rows(self) -> int:
        """Most rows of a line, for which a kernel needs room before it begins one."""
        return self.flag.n + 2

    def release(self) -> None:
        """Leave the workspace to later sweeps: this one is done."""
        _spare(self.flag.n, self.flag.d).keep(self._first_space)

    def rest(self) -> list[Part]:
        """What is left of the part after `enough` chambers, as parts, the deepest first."""
        chain = self.space.chain.tolist()
        depth = int(self.space.state[registers.DEPTH])
        most = [self.flag.n, *chain]  # a child is below its parent
        return rest(self.part, depth, chain, self.space.cursor.tolist(), most)

    def advance(
        self, out: Packed, count: int, store: bool, budget: int | None = None
    ) -> tuple[bool, bool, int]:
        """One call of the kernel: (finished, `out` may be full, rows of `out` in use).

        A sweep that counts has no multipliers: `store` stays as it is until `restart`.
        """
        self.space.state[registers.STORE] = store
        while True:
            status, count = self._call(budget or self._budget, out, count)
            if status in (registers.DONE, registers.FULL, registers.PAUSED):
                return status == registers.DONE, status == registers.FULL, count
            if status == registers.NOT_GENERIC:
                raise NotGenericFlagError("the random flag is not generic for this arrangement")
            self._provide(status, out)

    def _provide(self, status: int, out: Packed) -> None:
        """What the kernel stopped for."""
        if status == registers.NEEDS_WALK:
            self.space.late[registers.LATE_WALK] = self._walker(out)
        elif status == registers.NEEDS_SIGNS:
            self._decide_signs()
        else:
            self._attempt += status == registers.BAD_PRIME
            pad = self.space.table.shape[2]
            self._decide_zeros(*self.flag.zero_residues(pad, self._attempt))

    def _walker(self, out: Packed) -> int:
        """The address of what walks along a line."""
        return line_walk.WALKER.address(self.space, 0, 0, out, 0)

    def _call(self, budget: int, out: Packed, count: int) -> tuple[int, int]:
        """(status, rows of `out` in use) of a call of the kernel."""
        short = self.space.state[registers.BALANCE] > 0
        status, count = (few_rows if short else kernel).advance(self.space, budget, out, count)
        return status, count

    def decide_as(self, other: Sweep) -> None:
        """Make exact decisions by the residues of another sweep of the same flag, if it has any."""
        ws, self._attempt = other.space, other._attempt
        if len(ws.matroid):
            # the sweep writes to it
            self._decide_zeros(ws.matroid.copy(), ws.matroid_fields)
            self.space = self.space._replace(
                flag=ws.flag, flag_fields=ws.flag_fields, digits=np.zeros_like(ws.digits)
            )

    def _decide_signs(self) -> None:
        pad = self.space.table.shape[2]
        while not (arrays := self.flag.sign_residues(pad, self._attempt))[1][:, -1].all():
            self._attempt += 1  # a prime divides the first pivot
        flag, fields = arrays
        digits = np.zeros(len(flag), np.uint64)
        self.space = self.space._replace(flag=flag, flag_fields=fields, digits=digits)

    def _decide_zeros(self, matroid: Packed, fields: Packed) -> None:
        self.space = self.space._replace(
            matroid=matroid, matroid_fields=fields, minors=self._minors()
        )
        self.space.state[registers.EXACT_DEPTH] = self.space.state[registers.MINOR_DEPTH] = 0
        self.space.late[registers.LATE_ANSWER] = exact_signs.ANSWER.address(self.space, *(0,) * 5)

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

    def blocks(self, rows: int, growing: bool = False) -> Iterator[NDArray[Any]]:
        """Blocks of at most `rows` rows (at least one line), each a new array."""
        for size in block_sizes(rows, growing):
            out, count = empty_rows(max(size, self.line_rows), *self.row), 0
            finished = full = False
            while not (finished or full):
                finished, full, count = self.advance(out, count, True)
            if count:
                yield out[:count]
            if finished:
                return

    def counts(self) -> Iterator[int]:
        """Numbers of chambers, one for each call of the kernel; no chamber is stored."""
        out = np.empty((1, self.space.masks.shape[2]), np.uint64)
        finished = False
        while not finished:
            finished, _, count = self.advance(out, 0, False)
            yield count


@cache
def _kept_few_rows() -> bool:
    """Whether the code of `few_rows` was in the cache when this was asked first."""
    return is_ready(few_rows.advance)


def _has_few_rows() -> bool:
    return bool(few_rows.advance.overloads) or _kept_few_rows()


@lru_cache(maxsize=64)
def _most(n: int, d: int) -> int:
    """A bound for the rows that a sweep writes."""
    return sum(comb(n, k) for k in range(d))


def parts(flag: Flag, workers: int) -> list[Part]:
    """Parts that together are the sweep, for threads to share out.

    The subtree of first hyperplane j has about C(j, d - 2) lines.
    """
    if flag.d == 2 or workers == 1:
        return [WHOLE]
    return cut(np.array([float(comb(j, flag.d - 2)) for j in range(flag.n)]), workers)


def listed_in_parallel(flag: Flag, workers: int) -> Packed:
    """All chambers in one array, which `workers` threads fill side by side."""
    check_workspace(flag, workers)
    tasks, spare = parts(flag, workers), flag.n + 2
    most = most_rows(tasks, *_most_chambers(flag))
    out = empty_rows(sum(most) + spare, -(-flag.n // 64), np.uint64)
    return threads.write_side_by_side(lambda: Sweep(flag), tasks, most, out, spare, workers)


def _most_chambers(flag: Flag) -> tuple[int, list[int]]:
    """Bounds for the chambers of the root's line and of the subtree of each first hyperplane.

    Generic arrangements reach them.
    """
    varies = np.ones(flag.n, np.int64)
    varies[flag.constant_rows()[0]] = 0
    total = int(varies.sum())
    smaller = (np.cumsum(varies) - varies).tolist()
    return 1 + total, [sum(comb(m, k) for k in range(1, flag.d - 1)) for m in smaller]


def in_parallel(
    flag: Flag, workers: int, work: Callable[[Sweep], Iterator[Item]], *, takes_part: bool
) -> Iterator[Item]:
    """As `threads.items`, over the parts of the sweep."""
    check_workspace(flag, workers)
    return threads.items(lambda: Sweep(flag), parts(flag, workers), work, workers, takes_part)
