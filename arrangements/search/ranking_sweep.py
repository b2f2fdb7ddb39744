"""Driver of the ranking sweep (``kernels.rankings.search``): workspace, blocks, threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import NotGenericFlagError, TooLargeError
from arrangements.execution import limits, threads
from arrangements.execution.memory import (
    Layout,
    Spare,
    aligned_zeros,
    block_sizes,
    empty_rows,
    layout_of,
)
from arrangements.kernels.chambers import workspace as registers
from arrangements.kernels.llvm.crossings import BLOCK_BITS, CHUNK
from arrangements.kernels.llvm.label_words import GROUP, STRIDE, LabelLine
from arrangements.kernels.rankings import exact_signs, line_walk, placing
from arrangements.kernels.rankings import search as kernel
from arrangements.kernels.rankings import workspace as ranking_workspace
from arrangements.kernels.rankings.workspace import Cells, Exact, RankingWorkspace, Walk
from arrangements.messages import Remedy
from arrangements.search.label_flag import LabelFlag
from arrangements.search.parts import ALL, WHOLE, Part, cut, enter, had_enough, most_rows, rest

Item = TypeVar("Item")

# A call of the kernel takes well under a quarter of a second, so that Python can answer Ctrl-C.
_LANES_PER_CALL = 50_000_000

# With fewer labels, sorting them is faster than walking along a line; with more, crossings take too
# much memory.
_WALK_FROM, _WALK_TO = 24, 1 << BLOCK_BITS


_NO_ROWS = np.empty((0, 1), np.uint8)

# Places and blocks are int16.
_MOST_LABELS = 2**15 - 1


@lru_cache(maxsize=64)
def _layout(n: int, d: int) -> Layout:
    """Where the arrays of a workspace stand: those of its parts have dotted names."""
    pad = 16 if n <= 16 else 32 if n <= 32 else -(-n // 64) * 64
    pairs, orders = n * (n - 1) // 2, 2 ** min(d - 2, 6)
    columns = -(-d // 8) * 8
    crossings = pairs if n <= _WALK_TO else 0
    i16, i32, i64, u8, u64 = np.int16, np.int32, np.int64, np.uint8, np.uint64
    f32, f64 = np.float32, np.float64
    return layout_of(
        {
            "state": ((25,), i64),
            "table": ((max(d - 1, 3), d, pad), f64),
            "bound": ((d - 1, 2, columns), f64),
            "factors": ((3, columns), f64),
            "eliminator": ((d,), i64),
            "line.columns": ((d + 1, pad), f32),
            "line.errors": ((d + 1,), f32),
            "line.factor": ((2, STRIDE), f32),
            "line.code_and_margin": ((2, STRIDE), i32),
            "line.inner": (((d // GROUP + 1) << GROUP, pad), i32),
            "start": ((pad,), i16),
            "position": ((pad,), np.uint16),
            "block": ((d, pad), i16),
            "size": ((d, pad), i16),
            "merged": ((pad,), i16),
            "merges": ((d,), i64),
            "shift": ((d + GROUP, 2, pad), i16),
            "order": ((pad,), i64),
            "value": ((pad,), f64),
            "linked": ((pad,), np.bool_),
            "taken": ((d - 1, pairs), u8),
            "dirty": ((d,), i64),
            "cursor": ((d, 2), i64),
            "span": ((d, 2), i64),
            "cells.points": ((2, 0), f64),
            "cells.after": ((0,), i64),
            "cells.cell": ((0,), i64),
            "exact.pair": ((d, 2), i64),
            "exact.negative": ((d,), i64),
            "exact.residue": ((0, pad), u64),
            "exact.matroid": ((0, 1, d, 1), u64),
            "exact.matroid_fields": ((0, 5), u64),
            "exact.flag": ((0, d, 1), u64),
            "exact.flag_fields": ((0, 5), u64),
            "exact.lanes": ((d, n + d + 3), f64),
            "exact.square": ((d, d), u64),
            "exact.entries": ((d + 1, d), f64),
            "exact.digits": ((0,), u64),
            "exact.chain": ((d,), i64),
            "exact.late": ((4,), i64),
            "walk.event": ((2, crossings and crossings + 8), u64),
            "walk.histogram": ((2, 512), u64),
            "walk.slope": ((pad + 8,), f64),
            "walk.constant": ((pad + 8,), f64),
            "walk.multiplier": ((d - 1, pad + 8), f64),
            "walk.mark": ((pad + 8,), i64),
            "walk.start": ((pad,), i64),
            "walk.extent": ((pad,), i64),
            "walk.first": ((pad,), i64),
            "walk.several": ((pad + 1,), i64),
            "walk.inner": ((orders, pad), i16),
            "walk.flip": ((orders, pad), i64),
            "walk.row": ((2 * pad + CHUNK,), u8),
            "walk.window": ((4 * CHUNK,), u8),
            "walk.pending": ((crossings,), i64),
        }
    )


def _members(part: str, kind: Any, *shared: str) -> tuple[str, Any, Any]:
    """A part of the workspace, its type, and what finds its arrays in a layout."""
    names = [name if name in shared else f"{part}.{name}" for name in kind._fields]
    return part, kind, itemgetter(*names)


_PARTS = (
    _members("line", LabelLine),
    _members("cells", Cells),
    _members("exact", Exact, "state", "table", "bound"),
    _members("walk", Walk),
)


def check_workspace(flag: LabelFlag, workers: int = 1) -> None:
    """Refuse a sweep if `taken`, the states of the pairs, does not fit."""
    n, d = flag.n, flag.d
    needed = workers * n * (n - 1) // 2 * (d - 1)
    limits.check_workspace(f"a sweep of {n} labels in rank {d}", needed)


@lru_cache(maxsize=16)
def _spare(n: int, d: int) -> Spare[RankingWorkspace]:
    return Spare(lambda: _laid_out(_layout(n, d)))


def _laid_out(layout: Layout) -> RankingWorkspace:
    arrays: dict[str, Any] = aligned_zeros(layout)
    for name, kind, members in _PARTS:
        arrays[name] = kind._make(members(arrays))
    return RankingWorkspace._make(map(arrays.__getitem__, RankingWorkspace._fields))


def workspace(flag: LabelFlag) -> RankingWorkspace:
    """Arrays at the root of the sweep of a flag."""
    n, d = flag.n, flag.d
    if n > _MOST_LABELS:
        raise TooLargeError(
            f"the sweep ranks at most {_MOST_LABELS} labels, and there are {n}.",
            Remedy("fewer labels", "Ask for argmax_labels or top_k_sets, or drop labels."),
        )
    check_workspace(flag)
    space = _spare(n, d).take()
    space.table[0, :, :n] = flag.columns
    space.bound[0, 0, : flag.d] = flag.errors
    space.bound[0, 1, : flag.d] = flag.magnitude
    space.block[:] = -1
    space.block[:, :n] = np.arange(n)
    space.size[:] = 1
    space.exact.chain[:] = np.arange(n + 1, n + 1 + d)
    width = 1 if n <= 256 else 2
    space.walk.window[CHUNK : CHUNK + 2 * width] = 255
    space.state[registers.ROWS] = n
    space.state[registers.ROOT_SIGN] = flag.root_sign
    space.state[ranking_workspace.CENTRAL] = flag.central
    space.state[ranking_workspace.LEAST] = _WALK_FROM
    if n <= placing.MOST_LABELS:
        address = placing.finder(n).address(space, *(0,) * 5, _NO_ROWS, 0, 0)
        space.exact.late[registers.LATE_FIND] = address
    return space


class RankingSweep:
    """A sweep over one flag, or over a part of it.

    The pairs (a, c), a < c, are numbered by c, then a. Iterating over `blocks` runs the sweep. Each
    sweep owns its `space`, so sweeps of one flag may run in several threads.
    """

    def __init__(self, flag: LabelFlag, part: Part = WHOLE) -> None:
        self.flag = flag
        self.space = self._first_space = workspace(flag)
        self.dtype = np.uint8 if flag.n <= 256 else np.uint16
        self.restart(part)
        self._attempt = 0
        self._budget = max(1, _LANES_PER_CALL // (flag.n + 64))

    def restart(self, part: Part, enough: int = ALL) -> None:
        """Go to the beginning of a part; it starts no line once there are `enough` rankings."""
        self.part = part
        enter(part, enough, self.space.span, self.space.state)

    def has_enough(self, count: int) -> bool:
        """Whether a part had enough rows, the last `count` of which are taken out of the array."""
        return had_enough(count, self.space.state)

    def release(self) -> None:
        """Leave the workspace to later sweeps: this one is done."""
        _spare(self.flag.n, self.flag.d).keep(self._first_space)

    def rest(self) -> list[Part]:
        """What is left of the part after `enough` rankings, as parts, the deepest first."""
        pair, cursor = self.space.exact.pair, self.space.cursor
        chain, after = ((_pairs(x[:, 1]) + x[:, 0]).tolist() for x in (pair, cursor))
        depth = int(self.space.state[registers.DEPTH])
        most = [_pairs(self.flag.n), *_pairs(pair[:, 1]).tolist()]  # of labels below its larger one
        return rest(self.part, depth, chain, after, most)

    def advance(self, out: NDArray[Any], count: int, store: bool) -> tuple[bool, bool, int]:
        """One call of the kernel: (finished, `out` is full, rows of `out` in use)."""
        self.space.state[registers.STORE] = store
        out = out.view(np.uint8)  # one kernel for both widths
        while True:
            status, count = kernel.advance(self.space, self._budget, out, count)
            if status in (registers.DONE, registers.FULL, registers.PAUSED):
                return status == registers.DONE, status == registers.FULL, count
            if status == registers.NOT_GENERIC:
                raise NotGenericFlagError("the random flag is not generic for this arrangement")
            self._provide(status)

    def _provide(self, status: int) -> None:
        """What the kernel stopped for."""
        late = self.space.exact.late
        if status == registers.NEEDS_WALK:
            late[registers.LATE_WALK] = line_walk.WALKER.address(
                self.space, 0, 0, True, _NO_ROWS, 0
            )
        elif status == registers.NEEDS_SETTLE:
            late[registers.LATE_SETTLE] = exact_signs.SETTLE.address(self.space, *(0,) * 5)
        elif status == registers.NEEDS_SIGNS:
            self._decide_signs()
        else:
            self._attempt += status == registers.BAD_PRIME
            self._decide_zeros()

    def _decide_signs(self) -> None:
        pad = self.flag.n + self.flag.d + 3  # lanes for R and two pairs
        while not (arrays := self.flag.sign_residues(pad, self._attempt))[1][:, -1].all():
            self._attempt += 1  # a prime divides the first pivot
        flag, fields = arrays
        exact = self.space.exact._replace(
            flag=flag, flag_fields=fields, digits=np.zeros(len(flag), np.uint64)
        )
        self.space = self.space._replace(exact=exact)

    def _decide_zeros(self) -> None:
        pad = self.flag.n + 3  # lanes for the row at infinity and two pairs
        matroid, fields = self.flag.zero_residues(pad, self._attempt)
        width = self.space.line.columns.shape[1]
        exact = self.space.exact._replace(
            residue=np.zeros((len(matroid) * (self.flag.d - 1), width), np.uint64),
            matroid=matroid,
            matroid_fields=fields,
        )
        self.space = self.space._replace(exact=exact)
        self.space.state[registers.EXACT_DEPTH] = 0
        exact.late[registers.LATE_ANSWER] = exact_signs.ANSWER.address(exact, *(0,) * 7)

    def blocks(self, rows: int, growing: bool = False) -> Iterator[NDArray[Any]]:
        """Blocks of at most `rows` rankings, each a new (m, n) array of labels, best first."""
        for size in block_sizes(max(rows, 1), growing):
            out, count = empty_rows(size, self.flag.n, self.dtype), 0
            finished = full = False
            while not (finished or full):
                finished, full, count = self.advance(out, count, True)
            if count:
                yield out[:count]
            if finished:
                return

    def counts(self) -> Iterator[int]:
        """Numbers of rankings, one for each call of the kernel; no ranking is stored."""
        pairs = self.space.taken.shape[1]
        limits.check_workspace(f"a count of the rankings of {self.flag.n} labels", 32 * pairs)
        cells = Cells(
            points=np.zeros((2, pairs)),
            after=np.zeros(2 * pairs, np.int64),
            cell=np.zeros(min(2**16, 2 ** (8 * pairs).bit_length()), np.int64),
        )
        self.space = self.space._replace(cells=cells)
        out = np.empty((0, self.flag.n), self.dtype)
        finished = False
        while not finished:
            finished, _, count = self.advance(out, 0, False)
            yield count


def _pairs(c: Any) -> Any:
    """Number of pairs of c labels; the number of the pair (a, c) is this plus a."""
    return c * (c - 1) // 2


def parts(flag: LabelFlag, workers: int) -> list[Part]:
    """Parts that together are the sweep, for threads to share out."""
    if flag.d == 2 or workers == 1:
        return [WHOLE]
    below = rankings_below(flag)
    return cut(np.repeat([float(x) for x in below], np.arange(flag.n)), workers)


def rankings_below(flag: LabelFlag, depth: int = 0) -> list[int]:
    """For each c, the most rankings in the subtree of a child (a, c) of a node of this depth.

    The child's own ranking does not count. There is one for each way to choose, from 1 to d - 2 -
    depth times, a smaller c and an a below it: the elementary symmetric polynomials of 1..c-1 (from
    2 on if central).
    """
    levels = flag.d - 2 - depth
    below, polynomial = [], [1] + [0] * levels
    for c in range(flag.n):
        below.append(sum(polynomial[1:]))
        if c > flag.central:
            for k in range(levels, 0, -1):
                polynomial[k] += c * polynomial[k - 1]
    return below


def listed_in_parallel(flag: LabelFlag, workers: int) -> NDArray[Any]:
    """All rankings in one array, which `workers` threads fill side by side."""
    check_workspace(flag, workers)
    tasks = parts(flag, workers)
    most = most_rows(tasks, *_most_rankings(flag))
    out = empty_rows(sum(most), flag.n, np.uint8 if flag.n <= 256 else np.uint16)
    return threads.write_side_by_side(lambda: RankingSweep(flag), tasks, most, out, 0, workers)


def _most_rankings(flag: LabelFlag) -> tuple[int, list[int]]:
    """Bounds for the rankings of the root's line and of the subtree of each first pair.

    Generic differences reach them.
    """
    below = [most for c, most in enumerate(rankings_below(flag)) for _ in range(c)]
    return 1 + len(below) - flag.central, below


def in_parallel(
    flag: LabelFlag,
    workers: int,
    work: Callable[[RankingSweep], Iterator[Item]],
    *,
    takes_part: bool,
) -> Iterator[Item]:
    """As `threads.items`, over the parts of the sweep."""
    check_workspace(flag, workers)
    return threads.items(
        lambda: RankingSweep(flag), parts(flag, workers), work, workers, takes_part
    )
