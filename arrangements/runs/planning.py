"""What a run would take: its parts, bytes and hours with this many workers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.questions import as_arrangement
from arrangements.core.score_model import as_score_model
from arrangements.enumeration.listing import on_generic_flag
from arrangements.enumeration.planning import refuse_beyond_floats
from arrangements.errors import MissingDependencyError
from arrangements.execution.memory import empty_rows
from arrangements.polyhedra.reading import Within
from arrangements.runs.part_files import encode
from arrangements.runs.partition import default_rows, most_rows, partition
from arrangements.runs.record import record_of
from arrangements.runs.sources import ChamberSource, PatternSource, RankingSource, Rows
from arrangements.runs.sweeping import RowOrder
from arrangements.search.flag import Flag
from arrangements.search.parts import Part

Floats = NDArray[np.float64]

# Parts that are swept into, and rows after which each of them is left: a few seconds' work where
# rows are slow.
_PROBES, _PROBED_ROWS = 48, 2**15
# Calls of the kernel after which a part with few rows is left, and nothing is known of its size.
_MOST_CALLS = 4
# Parts that are looked at: where a run would have more, larger ones stand for several.
_MOST_PARTS = 2**18


@dataclass(frozen=True)
class RunPlan:
    """What to expect of a run.

    Attributes
    ----------
    noun : str
        "chambers" or "rankings".
    workers : int
    expected : int
        Patterns; of a central run two to a row.
    rows_per_part : int
    parts : int
        Files: those of the partition, and those that parts with too many rows are split into.
    largest : float
        Share of all rows in the largest part before it is split.
    bytes : int
        Of all files, as far as those that were made tell; without the extra scale, of the rows
        before compression.
    hours : float
        Until the last worker ends.
    efficiency : float
        Share of the workers' time that they work, in a simulated schedule.
    assumed : str
        What the numbers rest on.
    """

    noun: str
    workers: int
    expected: int
    rows_per_part: int
    parts: int
    largest: float
    bytes: int
    hours: float
    efficiency: float
    assumed: str


def plan_run(
    W: ArrangementLike,
    offsets: ArrayLike | None = None,
    *,
    rankings: bool = False,
    within: Within | None = None,
    workers: int = 1,
    rows_per_part: int | None = None,
) -> RunPlan:
    """Predict the parts, the bytes and the hours of `write_chambers` or `write_rankings`.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    offsets : (n,) array_like, optional
        Default zeros.
    rankings : bool
        Of the rows as labels, instead of the chambers of the rows as hyperplanes.
    within : Polyhedron, or (A, c), optional
        As in `write_chambers`.
    workers : int
        As fast as one thread of this machine.
    rows_per_part : int, optional
        As in `write_chambers`.

    Returns
    -------
    RunPlan

    Raises
    ------
    InputError, TiedLabelsError, TooLargeError
        As `write_chambers` and `write_rankings`.

    Notes
    -----
    The parts are those of the run. How many rows they have is known in closed form where the
    hyperplanes (or the labels) seem to be in general position. Elsewhere parts that are drawn
    by a fixed seed are begun, as many rows of them as are quick: the share of its subtree that is
    done tells the size of such a part, the nearest one that was begun those of the others, and the
    estimate of all rows their sum. Of more than 262,144 parts, larger ones stand for several. The
    schedule hands the parts out in order, each to the worker
    that is free first; what a part with too many rows leaves comes last, in one piece, where a run
    has several.

    Examples
    --------
    >>> from arrangements import generators
    >>> found = plan_run(generators.generic(30, 6, 0), workers=8, rows_per_part=1000)
    >>> found.expected, found.parts, found.efficiency > 0.95
    (293192, 203, True)
    """
    rankings = check_flag("rankings", rankings)
    workers = check_integer("workers", workers, 1)
    if rows_per_part is not None:
        rows_per_part = check_integer("rows_per_part", rows_per_part, 1)
    source: PatternSource
    if rankings:
        source = RankingSource(as_score_model(W, offsets, droppable=False), within)
    else:
        source = ChamberSource(as_arrangement(W, offsets), within)
    return on_generic_flag(lambda seed: _plan(source, seed, workers, rows_per_part))


def _plan(source: PatternSource, seed: int, workers: int, rows_per_part: int | None) -> RunPlan:
    flag = source.flag(seed)
    expected = source.question.expected(0) or source.question.bound()
    refuse_beyond_floats(expected, source.noun)
    rows = rows_per_part or default_rows(source, expected)
    least = max(rows, expected // _MOST_PARTS)
    parts = partition(source, flag, expected, least)
    most = most_rows(source, flag, parts)
    probes = _Probes(source, flag, seed, expected, rows)
    places = _draw_parts(len(parts))
    shares = np.array([probes.share_of(parts[k], most[k]) for k in places.tolist()])
    generic = flag is None or expected >= source.bound(flag)
    sizes = most if generic else _sizes(most, places, shares, expected)
    total = float(sizes.sum()) or 1.0
    end = simulate(sizes.tolist(), least, workers)
    known = (
        "known in closed form, as in general position"
        if generic
        else f"told from the beginnings of {len(places)} of them"
    )
    return RunPlan(
        noun=source.noun,
        workers=workers,
        expected=expected * source.question.sides,
        rows_per_part=rows,
        parts=int(np.maximum(1, np.ceil(sizes / rows)).sum()),
        largest=float(sizes.max()) / total,
        bytes=int(expected * probes.bytes / max(1, probes.rows)),
        hours=end * probes.seconds / max(1, probes.rows) / 3600,
        efficiency=total / (workers * end) if end else 1.0,
        assumed=f"Assumed: parts of sizes that are {known}; rows that take as long as "
        f"{probes.rows:,} did here in one thread, {probes.steps}; nothing that waits for the disk "
        "or the scheduler.",
    )


def simulate(sizes: Iterable[float], rows: float, workers: int) -> float:
    """When the last part ends, in rows that one worker makes.

    Examples
    --------
    >>> simulate([3, 3, 2], 4, workers=2), simulate([8, 1], 4, workers=2)
    (5.0, 8.0)
    """
    waiting = deque(sizes)
    running: list[tuple[float, float]] = []  # when a worker is free, and what it leaves
    now = 0.0
    while waiting or running:
        while waiting and len(running) < workers:
            size = waiting.popleft()
            heappush(running, (now + min(size, rows), max(0.0, size - rows)))
        now, left = heappop(running)
        if left:
            waiting.append(left)
    return now


def _draw_parts(parts: int) -> NDArray[np.int64]:
    """Numbers of some parts, one of each of as many stretches of equal length, ascending."""
    rng = np.random.default_rng(0)
    stretches = min(parts, _PROBES)
    places = (np.arange(stretches) + rng.random(stretches)) * parts / stretches
    return np.minimum(places.astype(np.int64), parts - 1)


def _sizes(most: Floats, places: NDArray[np.int64], shares: Floats, expected: int) -> Floats:
    """Rows of all parts, from the shares of their bounds that some of them have."""
    middles = (places[1:] + places[:-1]) / 2
    nearest = np.searchsorted(middles, np.arange(len(most)))
    known = shares[~np.isnan(shares)]
    shares = np.where(np.isnan(shares), known.mean() if len(known) else 1.0, shares)
    sizes = most * shares[nearest]
    if not sizes.any():  # nothing was met
        sizes = most
    return np.asarray(sizes * (expected / max(1.0, float(sizes.sum()))))


class _Probes:
    """Parts that are begun, each up to this many rows, and what that takes."""

    def __init__(
        self, source: PatternSource, flag: Flag | None, seed: int, expected: int, rows: int
    ) -> None:
        self.source, self.flag = source, flag
        self.enough = min(rows, _PROBED_ROWS)
        self.record = record_of(source, flag, seed, expected, rows)
        self.rows, self.seconds, self.bytes = 0, 0.0, 0
        self.steps = "swept, sorted and compressed"
        self._sweep = None if flag is None else source.sweep(flag)
        room = self.enough + source.line_rows
        width, dtype = self._sweep.row if self._sweep else (source.width, source.dtype)
        self._out = empty_rows(room, width, dtype)
        self._order = RowOrder(source, room)

    def share_of(self, part: Part, most: float) -> float:
        """Rows of a part over the most that it may have, as its beginning tells; or nan."""
        if not self.rows:
            self._begin(part)  # what is compiled, or loaded, does not count
        began = time.perf_counter()
        rows, rest = self._begin(part)
        self.bytes += self._stored(part, rows, rest or [])
        self.seconds += time.perf_counter() - began
        self.rows += len(rows)
        if rest is None:
            return np.nan
        size = most - float(most_rows(self.source, self.flag, rest).sum()) if rest else most
        return min(1.0, len(rows) / max(1.0, size))

    def _begin(self, part: Part) -> tuple[Rows, list[Part] | None]:
        """The first rows of a part, and what is left of it; None if these rows took too long."""
        if self._sweep is None:
            return self.source.all_rows(), []
        self._sweep.restart(part, self.enough)
        count = 0
        for _ in range(_MOST_CALLS):
            finished, full, count = self._sweep.advance(self._out, count, True)
            if finished or full:
                rest = [] if finished else self._sweep.rest()
                return self.source.trim(self._out[:count]), rest
        return self.source.trim(self._out[:count]), None

    def _stored(self, part: Part, rows: Rows, rest: list[Part]) -> int:
        """Bytes of a file of these rows."""
        in_order = self._order.sorted(rows)
        try:
            return len(encode(self.record, self.source, (0,), part, in_order, rest))
        except MissingDependencyError:
            self.steps = "swept and sorted, not compressed (the extra scale is missing)"
            return in_order.nbytes
