"""The sweep of rankings (``kernels.rankings.search``) and its workspace."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import TooLargeError
from arrangements.execution import limits
from arrangements.execution.memory import Layout, Spare, aligned_zeros, layout_of
from arrangements.kernels.chambers import workspace as registers
from arrangements.kernels.llvm.crossings import BLOCK_BITS, CHUNK
from arrangements.kernels.llvm.label_lines import GROUP, STRIDE, LabelLine
from arrangements.kernels.rankings import exact_signs, line_walk, placing, search, ties
from arrangements.kernels.rankings.workspace import (
    CENTRAL,
    LEAST,
    Cells,
    Exact,
    RankingWorkspace,
    Walk,
)
from arrangements.messages import Remedy
from arrangements.search.label_flag import LabelFlag
from arrangements.search.parts import WHOLE, Part
from arrangements.search.sweep import Sweep
from arrangements.sets.orders import order_dtype

# With fewer labels, sorting them is faster than walking along a line; with more, crossings take too
# much memory.
_WALK_FROM, _WALK_TO = 24, 1 << BLOCK_BITS


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


@lru_cache(maxsize=16)
def _spare(n: int, d: int) -> Spare[RankingWorkspace]:
    def lay_out() -> RankingWorkspace:
        space = _laid_out(_layout(n, d))
        space.block[:] = -1
        space.block[:, :n] = np.arange(n)
        space.size[:] = 1
        space.exact.chain[:] = np.arange(n + 1, n + 1 + d)
        width = 1 if n <= 256 else 2
        space.walk.window[CHUNK : CHUNK + 2 * width] = 255
        space.state[registers.ROWS] = n
        space.state[LEAST] = _WALK_FROM
        return space

    return Spare(lay_out)


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
    flag.check_workspace()
    space = _spare(n, d).take()
    space.table[0, :, :n] = flag.columns
    space.bound[0, 0, : flag.d] = flag.errors
    space.bound[0, 1, : flag.d] = flag.magnitude
    space.state[registers.ROOT_SIGN] = flag.root_sign
    space.state[CENTRAL] = flag.central
    if n <= placing.MOST_LABELS:
        space.exact.late[registers.LATE_FIND] = placing.finder(n).address(space)
    return space


class RankingSweep(Sweep):
    """A sweep over labels that writes rankings.

    The pairs (a, c), a < c, are numbered by c, then a.
    """

    _lanes_per_call = 50_000_000
    line_rows = 0
    space: RankingWorkspace

    def __init__(self, flag: LabelFlag, part: Part = WHOLE) -> None:
        self.row: tuple[int, np.dtype[Any]] = flag.n, order_dtype(flag.n)
        super().__init__(flag, workspace(flag), _spare(flag.n, flag.d), part)

    def _position(self) -> tuple[list[int], list[int], list[int]]:
        pair, cursor = self.space.exact.pair, self.space.cursor
        chain, after = ((_pairs(x[:, 1]) + x[:, 0]).tolist() for x in (pair, cursor))
        # children are pairs of labels below the larger one
        return chain, after, [_pairs(self.flag.n), *_pairs(pair[:, 1]).tolist()]

    def _call(self, budget: int, out: NDArray[Any], count: int) -> tuple[int, int]:
        # one kernel for both widths
        return search.advance(self.space, budget, out.view(np.uint8), count)

    def _load(self, status: int) -> None:
        late = self.space.exact.late
        if status == registers.NEEDS_WALK:
            late[registers.LATE_WALK] = line_walk.WALKER.address(self.space)
        else:
            late[registers.LATE_SETTLE] = ties.SETTLE.address(self.space)

    @property
    def _lanes(self) -> tuple[int, int]:
        n, d = self.flag.n, self.flag.d
        # beside the labels: the row at infinity or R, and two pairs
        return n + 3, n + d + 3

    def _replace(self, **arrays: NDArray[Any]) -> None:
        self.space = self.space._replace(exact=self.space.exact._replace(**arrays))

    def _decide_zeros(self, matroid: NDArray[np.uint64], fields: NDArray[np.uint64]) -> None:
        width = self.space.line.columns.shape[1]
        residue = np.zeros((len(matroid) * (self.flag.d - 1), width), np.uint64)
        self._replace(residue=residue, matroid=matroid, matroid_fields=fields)
        exact = self.space.exact
        exact.late[registers.LATE_ANSWER] = exact_signs.ANSWER.address(exact)

    def counts(self) -> Iterator[int]:
        """Numbers of rankings, one for each call of the kernel."""
        pairs = self.space.taken.shape[1]
        limits.check_workspace(f"a count of the rankings of {self.flag.n} labels", 32 * pairs)
        cells = Cells(
            points=np.zeros((2, pairs)),
            after=np.zeros(2 * pairs, np.int64),
            cell=np.zeros(min(2**16, 2 ** (8 * pairs).bit_length()), np.int64),
        )
        self.space = self.space._replace(cells=cells)
        return super().counts()


def _pairs(c: Any) -> Any:
    """Number of pairs of c labels; the number of the pair (a, c) is this plus a."""
    return c * (c - 1) // 2
