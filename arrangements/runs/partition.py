"""Cut a sweep into parts of bounded size, before it runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arrangements.runs.sources import PatternSource, Source
from arrangements.search.flag import Flag
from arrangements.search.parts import Part

# Number of a part; (17, 1) is the second piece that part 17 left.
PartId = tuple[int, ...]
Task = tuple[PartId, Part]

# Bytes of the rows of a part: some copies of them fit beside each other into any memory.
_MOST_BYTES = 2**25
# A part has at most this share of the rows, but smaller ones than this are not worth a file.
_SHARE, _FEW_ROWS = 100, 2**16
# Parts that are planned; if the prediction is too large, they are merely small.
_MOST_PARTS = 2**20


def pieces_left(part: PartId, rest: Sequence[Part]) -> list[Task]:
    """Tasks of the pieces that a part left for others, in order."""
    return [((*part, k), piece) for k, piece in enumerate(rest)]


def default_rows(source: Source, expected: int) -> int:
    """Rows of a part if the caller does not say; it depends on the question only."""
    largest = max(1, _MOST_BYTES // max(1, source.question.row_bytes))
    return max(1, min(largest, max(_FEW_ROWS, expected // _SHARE)))


def partition(source: Source, flag: Flag | None, expected: int, rows: int) -> list[Part]:
    """Parts of about `rows` rows, or fewer, that together are the sweep.

    Parameters
    ----------
    expected : int
        Rows of the whole sweep. If they are fewer than in general position, each subtree is
        taken to have fewer in proportion; one that has more is split when it is swept.

    Returns
    -------
    list of Part
        Neighbors in the order of the sweep are neighbors here.
    """
    given = source.first_parts(flag)
    if given is not None:
        return given
    assert isinstance(source, PatternSource) and flag is not None
    return _Cutting(source, flag, expected, max(rows, expected // _MOST_PARTS)).cut()


def most_rows(source: PatternSource, flag: Flag | None, parts: list[Part]) -> NDArray[np.float64]:
    """Most rows of each part; they are reached in general position.

    Parameters
    ----------
    parts : list of Part
        Whose children are numbered below those of their node, as `partition` has them.
    """
    bound = float(min(source.bound(flag), 1 << 1000))
    if flag is None:
        return np.full(len(parts), bound)
    before = []
    for depth in range(flag.d - 1):
        below = np.cumsum(flag.most_below(depth))
        before.append(np.concatenate([[0.0], below]))
    root_line = bound - before[0][-1]
    lines = flag.most_below(flag.d - 3)  # a node has a row for each child of it

    def most(part: Part) -> float:
        sums = before[len(part.prefix)]
        line = float(lines[part.prefix[-1]]) if part.prefix else root_line
        return float(sums[part.stop] - sums[part.first]) + part.own * line

    return np.array([most(part) for part in parts])


class _Cutting:
    def __init__(self, source: PatternSource, flag: Flag, expected: int, rows: int) -> None:
        self.source, self.flag, self.rows = source, flag, rows
        self.scale = float(expected / max(expected, source.bound(flag)))
        self.weights = [flag.most_below(depth) * self.scale for depth in range(flag.d - 1)]
        self.parts: list[Part] = []

    def cut(self) -> list[Part]:
        self._node((), len(self.weights[0]))
        return self.parts

    def _node(self, prefix: tuple[int, ...], children: int) -> None:
        """Cut the subtree of a node whose children are below that number."""
        depth = len(prefix)
        weights = self.weights[depth][:children]
        total = np.cumsum(weights)
        large = np.flatnonzero(weights > self.rows).tolist()
        if depth + 1 > self.flag.d - 3:
            large = []  # a child has no children that have any
        first = 0
        for child in large:
            self._group(prefix, first, child, total)
            self._node((*prefix, child), self.source.children(self.flag, child))
            first = child + 1
        self._group(prefix, first, children, total)

    def _group(
        self, prefix: tuple[int, ...], first: int, stop: int, total: NDArray[np.float64]
    ) -> None:
        """Parts of the children first..stop-1; the first child comes with the node's own line."""
        own = first == 0
        while first < stop or own:
            before = float(total[first - 1]) if first else 0.0
            line = stop * self.scale if own else 0.0  # a row for each child
            end = int(np.searchsorted(total[:stop], before + self.rows - line, side="right"))
            end = min(stop, max(end, first if own else first + 1))
            self.parts.append(Part(prefix, first, end, own))
            first, own = end, False
