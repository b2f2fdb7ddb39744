"""Driver of the ranking sweep (``kernels.rankings.search``): workspace, blocks, threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import NotGenericFlagError, Remedy, TooLargeError
from arrangements.kernels.chambers import workspace as registers
from arrangements.kernels.llvm.crossings import CHUNK
from arrangements.kernels.llvm.label_words import GROUP, STRIDE, LabelLine
from arrangements.kernels.rankings import exact_signs, line_walk
from arrangements.kernels.rankings import search as kernel
from arrangements.kernels.rankings import workspace as ranking_workspace
from arrangements.kernels.rankings.workspace import Cells, Exact, RankingWorkspace, Walk
from arrangements.resources import limits
from arrangements.resources.arrays import block_sizes, empty_rows
from arrangements.search import threads
from arrangements.search.label_flag import LabelFlag
from arrangements.search.parts import ALL, WHOLE, Part, cut, enter, had_enough, rest

Item = TypeVar("Item")

# A call of the kernel takes well under a quarter of a second, so that Python can answer Ctrl-C.
_LANES_PER_CALL = 50_000_000

# With fewer labels, sorting them is faster than walking along a line; with more, crossings take too
# much memory.
_WALK_FROM, _WALK_TO = 24, 2048


# Places and blocks are int16.
_MOST_LABELS = 2**15 - 1


def walk_workspace(n: int, d: int, pad: int) -> Walk:
    """Arrays of the walk along a line; with too many labels, without room for crossings."""
    i64, pairs = np.int64, n * (n - 1) // 2
    width = 1 if n <= 256 else 2
    window = np.zeros(4 * CHUNK, np.uint8)
    window[CHUNK : CHUNK + 2 * width] = 255
    return Walk(
        event=np.zeros((2, pairs + 8 if n <= _WALK_TO else 0), np.uint64),
        histogram=np.zeros((2, 512), i64),
        slope=np.zeros(pad + 8),
        constant=np.zeros(pad + 8),
        multiplier=np.zeros((d - 1, pad)),
        head=np.zeros(pad, i64),
        start=np.zeros(pad, i64),
        extent=np.zeros(pad, i64),
        first=np.zeros(pad, i64),
        packed=np.zeros(pad, i64),
        block_of=np.zeros(pad, i64),
        several=np.zeros(pad + 1, i64),
        inner=np.zeros((2 ** min(d - 2, 6), pad), np.int16),
        flip=np.zeros((2 ** min(d - 2, 6), pad), i64),
        row=np.zeros(2 * pad + CHUNK, np.uint8),
        window=window,
        pending=np.zeros(pairs if n <= _WALK_TO else 0, i64),
    )


def check_workspace(flag: LabelFlag, workers: int = 1) -> None:
    """Refuse a sweep if `taken`, the states of the pairs, does not fit."""
    n, d = flag.n, flag.d
    needed = workers * n * (n - 1) // 2 * (d - 1)
    limits.check_workspace(f"a sweep of {n} labels in rank {d}", needed)


def workspace(flag: LabelFlag) -> RankingWorkspace:
    """Fresh arrays at the root of the sweep of a flag."""
    n, d = flag.n, flag.d
    if n > _MOST_LABELS:
        raise TooLargeError(
            f"the sweep ranks at most {_MOST_LABELS} labels, and there are {n}.",
            Remedy("fewer labels", "Ask for argmax_labels or top_k_sets, or drop labels."),
        )
    check_workspace(flag)
    pad = 16 if n <= 16 else 32 if n <= 32 else -(-n // 64) * 64
    u64, i16, i64 = np.uint64, np.int16, np.int64
    table, bound = np.zeros((d - 1, d, pad)), np.zeros((d - 1, 2, d))
    state = np.zeros(25, i64)
    exact = Exact(
        pair=np.zeros((d, 2), i64),
        negative=np.zeros(d, i64),
        residue=np.zeros((0, pad), u64),
        matroid=np.zeros((0, 1, d, 1), u64),
        matroid_fields=np.zeros((0, 5), u64),
        flag=np.zeros((0, d, 1), u64),
        flag_fields=np.zeros((0, 5), u64),
        square=np.zeros((d, d), u64),
        digits=np.zeros(0, u64),
        chain=np.arange(n + 1, n + 1 + d),
        state=state,
        late=np.zeros(2, i64),
    )
    space = RankingWorkspace(
        exact=exact,
        walk=walk_workspace(n, d, pad),
        state=state,
        table=table,
        bound=bound,
        line=LabelLine(
            columns=np.zeros((d + 1, pad), np.float32),
            errors=np.zeros(d + 1, np.float32),
            factor=np.zeros((2, STRIDE), np.float32),
            code_and_margin=np.zeros((2, STRIDE), np.int32),
            inner=np.zeros(((d // GROUP + 1) << GROUP, pad), np.int32),
        ),
        start=np.zeros(pad, i16),
        position=np.zeros(pad, np.uint16),
        block=np.full((d, pad), -1, i16),
        size=np.ones((d, pad), i16),
        merged=np.zeros(pad, i16),
        merges=np.zeros(d, i64),
        shift=np.zeros((d + GROUP, 2, pad), i16),
        order=np.zeros(pad, i64),
        value=np.zeros(pad),
        linked=np.zeros(pad, np.bool_),
        taken=np.zeros((d - 1, n * (n - 1) // 2), np.uint8),
        dirty=np.zeros(d, i64),
        cursor=np.zeros((d, 2), i64),
        span=np.zeros((d, 2), i64),
        cells=Cells(np.zeros((2, 0)), np.zeros(0, i64), np.zeros(0, i64)),
    )
    space.table[0, :, :n] = flag.columns
    space.bound[0, 0] = flag.errors
    space.bound[0, 1] = flag.magnitude
    space.block[:, :n] = np.arange(n)
    space.state[registers.ROWS] = n
    space.state[registers.ROOT_SIGN] = flag.root_sign
    space.state[ranking_workspace.CENTRAL] = flag.central
    space.state[ranking_workspace.LEAST] = _WALK_FROM
    return space


class RankingSweep:
    """A sweep over one flag, or over a part of it.

    The pairs (a, c), a < c, are numbered by c, then a. Iterating over `blocks` runs the sweep. Each
    sweep owns its `space`, so sweeps of one flag may run in several threads.
    """

    def __init__(self, flag: LabelFlag, part: Part = WHOLE) -> None:
        self.flag = flag
        self.space = workspace(flag)
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
            if status == registers.NEEDS_WALK:
                address = line_walk.WALKER.address(self.space, 0, 0, True, out, 0)
                self.space.exact.late[registers.LATE_WALK] = address
                continue
            if status == registers.BAD_PRIME:
                self._attempt += 1
            self._build_exact()

    def _build_exact(self) -> None:
        # lanes for the row at infinity and two pairs, for R and two pairs
        d = self.flag.d
        pad = self.flag.n + d + 3
        while not (arrays := self.flag.residues(pad, self._attempt))[3][:, -1].all():
            self._attempt += 1  # a prime divides the first pivot
        matroid, matroid_fields, flag, flag_fields = arrays
        width = self.space.line.columns.shape[1]
        exact = self.space.exact._replace(
            residue=np.zeros((len(matroid) * (d - 1), width), np.uint64),
            matroid=matroid,
            matroid_fields=matroid_fields,
            flag=flag,
            flag_fields=flag_fields,
            digits=np.zeros(len(flag), np.uint64),
        )
        self.space = self.space._replace(exact=exact)
        self.space.state[registers.EXACT_DEPTH] = 0
        exact.late[registers.LATE_ANSWER] = exact_signs.ANSWER.address(self.space, *(0,) * 7)

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


def parts(flag: LabelFlag, pieces: int) -> list[Part]:
    """About equal parts that together are the sweep."""
    if flag.d == 2 or pieces == 1:
        return [WHOLE]
    below = rankings_below(flag)
    return cut(np.repeat([float(x) for x in below], np.arange(flag.n)), pieces)


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
    tasks = parts(flag, 8 * workers)
    most = threads.most_rows(tasks, *_most_rankings(flag))
    out = empty_rows(sum(most), flag.n, np.uint8 if flag.n <= 256 else np.uint16)
    return threads.write_side_by_side(lambda: RankingSweep(flag), tasks, most, out, 0, workers)


def _most_rankings(flag: LabelFlag) -> tuple[int, list[int]]:
    """Bounds for the rankings of the root's line and of the subtree of each first pair.

    Generic differences reach them.
    """
    below = [most for c, most in enumerate(rankings_below(flag)) for _ in range(c)]
    return 1 + len(below) - flag.central, below


def in_parallel(
    flag: LabelFlag, workers: int, work: Callable[[RankingSweep], Iterator[Item]]
) -> Iterator[Item]:
    """Items of ``work(sweep)`` over the parts of the sweep, by `workers` threads, in any order."""
    check_workspace(flag, workers)
    if workers == 1:
        return work(RankingSweep(flag))
    return threads.items(lambda: RankingSweep(flag), parts(flag, 16 * workers), work, workers)
