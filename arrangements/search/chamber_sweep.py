"""Driver of the flag sweep (``kernels.chambers.search``): workspace, blocks, threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb, prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import NotGenericFlagError
from arrangements.kernels.chambers import line_bounds, line_walk
from arrangements.kernels.chambers import search as kernel
from arrangements.kernels.chambers import tableau as lines
from arrangements.kernels.chambers import workspace as registers
from arrangements.kernels.chambers.workspace import COUNTED, LISTED, SUMMED, Sums, Workspace
from arrangements.resources import limits
from arrangements.resources.arrays import block_sizes, empty_rows
from arrangements.search import threads
from arrangements.search.flag import Flag
from arrangements.search.gains import Gains
from arrangements.search.parts import ALL, WHOLE, Part, cut, enter, had_enough, rest
from arrangements.sets.packed import used_bits

Packed = NDArray[np.uint64]
Item = TypeVar("Item")

# A call of the kernel takes well under a quarter of a second, so that Python can answer Ctrl-C.
_LANES_PER_CALL = 4_000_000


def _zeros(
    shapes: dict[str, tuple[tuple[int, ...], Any]],
) -> dict[str, NDArray[Any]]:
    """Arrays of zeros, one after the other, each starting at a multiple of 64 bytes.

    So no vector straddles two cache lines. Their distances, on which the speed of loads after
    stores depends, are the same in every run.
    """
    sizes = {k: prod(shape) * np.dtype(t).itemsize for k, (shape, t) in shapes.items()}
    octets = np.zeros(sum(size + 63 & -64 for size in sizes.values()) + 64, np.uint8)
    start, arrays = -octets.ctypes.data % 64, {}
    for name, (shape, dtype) in shapes.items():
        arrays[name] = octets[start : start + sizes[name]].view(dtype).reshape(shape)
        start += sizes[name] + 63 & -64
    return arrays


def check_workspace(flag: Flag, workers: int = 1) -> None:
    """Refuse a sweep if `ties` and `flip`, which hold a set of rows for each row, do not fit."""
    n, d = flag.n, flag.d
    needed = workers * n * n * max(d - 1, 2) // 8
    limits.check_workspace(f"a sweep of {n} hyperplanes in rank {d}", needed)


def workspace(flag: Flag) -> Workspace:
    """Fresh arrays at the root of the sweep of a flag."""
    n, d = flag.n, flag.d
    words = -(-n // 64)
    pad = 64 * words
    f32, f64 = np.float32, np.float64
    i16, i32, i64, u64 = np.int16, np.int32, np.int64, np.uint64
    shapes: dict[str, tuple[tuple[int, ...], Any]] = {
        "state": ((16,), i64),
        "chain": ((d,), i64),
        "cursor": ((d,), i64),
        "span": ((d, 2), i64),
        "masks": ((d, 7, words), u64),
        "multiplier": ((d, words), u64),
        "threshold": ((2, d), f32),
        "narrow_bound": ((1, 2, d), f64),
        "bound": ((d - 1, 2, d), f64),
        "narrow": ((d, pad), f32),
        "coefficient": ((7, pad + 16), f32),
        "low_high": ((2, pad), f32),
        "key": ((2, pad), i16),
        "wide": ((2, pad), f64),
        "order": ((pad + 1,), u64),
        "described": ((pad,), u64),
        "ends": ((2, pad), i32),
        "histogram": ((line_walk.BUCKETS,), i32),
        "flips": ((1 << min(d - 2, line_walk.MOST_LEVELS), 16), u64),
        "square": ((d, d), u64),
        "flip": ((words, pad), u64),
        "table": ((d - 1, d, pad), f64),
        "ties": ((max(d - 2, 1), pad, words), u64),
        "matroid": ((0, 1, d, pad), u64),
        "matroid_fields": ((0, 5), u64),
        "flag": ((0, d, pad), u64),
        "flag_fields": ((0, 5), u64),
        "digits": ((0,), u64),
        "gains": ((pad,), i64),
        "falling": ((words,), u64),
        "planes": ((0, words), u64),
        "weights": ((0,), i64),
        "least": ((1,), i64),
        "bits": ((1,), i64),
        "between": ((2,), i64),
        "passed": ((1,), i64),
        "reach": ((words,), u64),
        "before": ((2, words), u64),
        "pieces": ((line_bounds.most_pieces(n), line_bounds.FIELDS), i64),
        "wanted": ((1,), i64),
        "common": ((1,), i64),
        "name": ((1,), u64),
        "offset": ((pad,), u64),
        "turned": ((words,), u64),
        "change": ((d,), i64),
        "codes": ((1 << min(d - 2, line_walk.MOST_LEVELS),), i64),
        "row": ((1, words), u64),
    }
    check_workspace(flag)
    arrays = _zeros(shapes)
    sums = Sums(**{name: arrays.pop(name) for name in Sums._fields})
    space = Workspace(parallel=np.arange(pad), sums=sums, **arrays)
    space.table[0, :, :n] = flag.columns
    space.bound[0, 0] = flag.error
    space.bound[0, 1] = flag.magnitude
    space.low_high[:] = lines.BEYOND
    space.key[:] = np.iinfo(i16).max
    constant, positive = flag.constant_rows()
    for rows, name in ((constant, registers.NO_POINTS), (positive, registers.FIXED)):
        for i in rows:
            space.masks[d - 1, name, i >> 6] |= u64(1 << (int(i) & 63))
    space.masks[d - 1, registers.NO_POINTS] |= ~used_bits(n)  # padding
    space.state[registers.ROWS] = n
    space.state[registers.ROOT_SIGN] = flag.root_sign
    return space


class Sweep:
    """A sweep over one flag, or over a part of it.

    Iterating over `blocks` runs it. Each sweep owns its `space`, so sweeps of one flag may run in
    several threads.
    """

    def __init__(self, flag: Flag, part: Part = WHOLE) -> None:
        self.flag = flag
        self.space = workspace(flag)
        self._stored = LISTED
        self.restart(part)
        self._attempt = 0
        self._budget = max(1, _LANES_PER_CALL // (flag.n + 64))

    def restart(self, part: Part, enough: int = ALL) -> None:
        """Go to the beginning of a part; it starts no line once there are `enough` chambers."""
        self.part = part
        enter(part, enough, self.space.span, self.space.state)

    def add_up(self, gains: Gains) -> None:
        """From now on, write the value and the name of each chamber in place of its row."""
        self.space = self.space._replace(sums=gains.fill(self.space.sums))
        self._stored = SUMMED

    def pass_over(self, between: tuple[int, int]) -> None:
        """From now on, chambers may be left out whose values are strictly between these two."""
        self.space.sums.between[:] = between

    def line_of(self, name: int) -> Packed:
        """The chambers of the line on which a chamber is, by its name, as packed rows."""
        bits, chain = int(self.space.sums.bits[0]), []
        while name := name >> bits:
            chain.append((name & ((1 << bits) - 1)) - 1)
        line = Sweep(self.flag, Part(tuple(reversed(chain)), 0, 0, own=True))
        if len(self.space.flag):  # residues take longer than the line
            ws = self.space
            # only the first, a table of all depths, is ever written to
            exact = ws.matroid.copy(), ws.matroid_fields, ws.flag, ws.flag_fields
            line._decide_by(exact, self._attempt)
        return np.concatenate(list(line.blocks(1)))

    def has_enough(self, count: int) -> bool:
        """Whether a part had enough rows, the last `count` of which are taken out of the array."""
        return had_enough(count, self.space.state)

    def rest(self) -> list[Part]:
        """What is left of the part after `enough` chambers, as parts, the deepest first."""
        chain = self.space.chain.tolist()
        depth = int(self.space.state[registers.DEPTH])
        most = [self.flag.n, *chain]  # a child is below its parent
        return rest(self.part, depth, chain, self.space.cursor.tolist(), most)

    def advance(
        self, out: Packed, count: int, store: bool, budget: int | None = None
    ) -> tuple[bool, bool, int]:
        """One call of the kernel: (finished, `out` may be full, rows of `out` in use)."""
        self.space.state[registers.STORE] = self._stored if store else COUNTED
        while True:
            status, count = kernel.advance(self.space, budget or self._budget, out, count)
            if status in (registers.DONE, registers.FULL, registers.PAUSED):
                return status == registers.DONE, status == registers.FULL, count
            if status == registers.NOT_GENERIC:
                raise NotGenericFlagError("the random flag is not generic for this arrangement")
            if status == registers.BAD_PRIME:
                self._attempt += 1
            self._build_exact()

    def _build_exact(self) -> None:
        pad = self.space.table.shape[2]
        while not (arrays := self.flag.residues(pad, self._attempt))[3][:, -1].all():
            self._attempt += 1  # a prime divides the first pivot
        self._decide_by(arrays, self._attempt)

    def _decide_by(self, arrays: tuple[Packed, Packed, Packed, Packed], attempt: int) -> None:
        """Make exact decisions by these residues, of this attempt to find primes, from now on."""
        matroid, matroid_fields, flag, flag_fields = arrays
        self._attempt = attempt
        self.space = self.space._replace(
            matroid=matroid,
            matroid_fields=matroid_fields,
            flag=flag,
            flag_fields=flag_fields,
            digits=np.zeros(len(flag), np.uint64),
        )
        self.space.state[registers.EXACT_DEPTH] = 0

    def blocks(self, rows: int, growing: bool = False) -> Iterator[Packed]:
        """Blocks of at most `rows` chambers (at least one line), each a new (m, words) array."""
        words, line = self.space.masks.shape[2], self.flag.n + 2
        for size in block_sizes(rows, growing):
            out, count = empty_rows(max(size, line), words, np.uint64), 0
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


def parts(flag: Flag, pieces: int) -> list[Part]:
    """About equal parts that together are the sweep.

    The subtree of first hyperplane j has about C(j, d - 2) lines.
    """
    if flag.d == 2 or pieces == 1:
        return [WHOLE]
    return cut(np.array([float(comb(j, flag.d - 2)) for j in range(flag.n)]), pieces)


def listed_in_parallel(flag: Flag, workers: int) -> Packed:
    """All chambers in one array, which `workers` threads fill side by side."""
    check_workspace(flag, workers)
    tasks, spare = parts(flag, 32 * workers), flag.n + 2
    most = threads.most_rows(tasks, *_most_chambers(flag))
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
    flag: Flag, workers: int, work: Callable[[Sweep], Iterator[Item]]
) -> Iterator[Item]:
    """Items of ``work(sweep)`` over the parts of the sweep, by `workers` threads, in any order."""
    check_workspace(flag, workers)
    if workers == 1:
        return work(Sweep(flag))
    return threads.items(lambda: Sweep(flag), parts(flag, 16 * workers), work, workers)
