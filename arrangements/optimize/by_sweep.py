"""The best chamber of all, from a sweep that sees each once and keeps only the best."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from time import monotonic
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.enumeration.chambers import request_chambers
from arrangements.enumeration.listing import on_generic_flag
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.forecast.hours import check_hours
from arrangements.forecast.sizes import expected_chambers
from arrangements.kernels.statistics.values import fill_tables, least_sums, least_values
from arrangements.messages import short_number
from arrangements.optimize.objectives import Costs, LeastTally, better, outside_is_worst
from arrangements.optimize.region import with_facets
from arrangements.polyhedra.polyhedron import Polyhedron
from arrangements.runs.folding import run_fold
from arrangements.runs.sources import ChamberSource, Rows, Source
from arrangements.runs.steps import LineOf, Result, Step
from arrangements.runs.sweeping import PartSweep
from arrangements.search.gains import gains_of, has_many_planes
from arrangements.search.parts import ALL, WHOLE
from arrangements.sets.packed import unpack_signs

# Above all values.
_NONE = 2**62
# Rows of a block of a sweep in one piece.
_BLOCK = 4096
# About how many chambers a sweep sees.
_CHAMBERS_PER_SECOND = 4e7
# About how long a sweep takes for a line, and for each point of it, where it adds up values; and
# where it looks up bytes of rows, for a row, and for each word of it.
_LINE_SECONDS, _POINT_SECONDS = 3e-7, 3e-9
_ROW_SECONDS, _WORD_SECONDS = 2.5e-8, 2.5e-8
# About how long a sweep takes for a chamber in a polyhedron.
_INSIDE_SECONDS = 5e-7
# About how long an estimate of their number takes.
_ESTIMATE_SECONDS = 0.4

Answer = TypeVar("Answer")


class Known:
    """The least sum of gains that is known to occur; threads lower it side by side.

    Each sees a value that was true at some time, and leaves out what is larger than this: never
    what has the least value of all.
    """

    def __init__(self, value: int = _NONE) -> None:
        self.value = value


class _LeastSum(LeastTally):
    """The least sum of gains among the rows of a part."""

    def __init__(self, source: Source, costs: Costs, known: Known) -> None:
        super().__init__(source)
        self._known = known
        words = source.width
        self._costs, (gains, self._slack) = costs, costs.rounded
        padded = np.zeros(64 * words, np.int64)
        padded[: len(gains)] = gains
        self._tables, self._total = np.zeros((words, 8, 256), np.int64), int(gains.sum())
        fill_tables(padded.reshape(words, 8, 8), self._tables)
        self._best = np.array([_NONE, 0], np.int64)
        # of sums: a line is swept again for it, which takes as long as some hundred lines
        self._row_of_best: Callable[[], Rows] | None = None

    def add(self, rows: Rows) -> None:
        chosen = self._least_rows(rows, self._slack, self._best)
        if not self._slack:
            if len(chosen):
                self.found[2] = self._row(rows, chosen[-1])
            self.found[:2] = self._best.tolist()
            return
        for k in chosen.tolist():
            row = self._row(rows, k)
            bits = unpack_signs(row[None], self.source.n)[0] > 0
            self.take(self._costs.of_bits(bits), row)

    def _least_rows(self, rows: Rows, slack: int, best: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows, and from their number on opposites of rows, of about the least value."""
        half, chosen = self.source.half, np.empty(2 * len(rows), np.int64)
        return chosen[: least_values(rows, self._tables, half, self._total, slack, best, chosen)]

    def add_sums(self, sums: Rows, line_of: LineOf | None) -> None:
        """Without `line_of`, no row is found."""
        new = least_sums(sums, self.source.half, self._total, self._best)
        self.found[:2] = self._best.tolist()
        self._known.value = min(self._known.value, self.found[0])
        if new >= 0 and line_of is not None:
            self._row_of_best = partial(self._best_of_line, line_of, int(sums[new, 1]))

    def _best_of_line(self, line_of: LineOf, name: int) -> Rows:
        """The row of least value on the line of a chamber."""
        rows = line_of(name)
        return self._row(rows, self._least_rows(rows, 0, np.array([_NONE, 0], np.int64))[-1])

    @property
    def indifferent(self) -> tuple[int, int]:
        least = self._known.value
        if least == _NONE:
            return 0, 0
        return least, self._total - least if self.source.half else _NONE

    def _row(self, rows: Rows, k: int) -> Rows:
        m = len(rows)
        return self.source.opposite(rows[k - m : k - m + 1])[0] if k >= m else rows[k].copy()

    def result(self) -> Result:
        if self._row_of_best is not None:
            self.found[2], self._row_of_best = self._row_of_best(), None
        return super().result()


def least_of_all(arrangement: Arrangement, costs: Costs) -> int:
    """The least sum of gains, by one thread and without preparations: for many small questions."""
    source = ChamberSource(arrangement)

    def attempt(seed: int) -> int:
        tally, flag = _LeastSum(source, costs, Known()), source.flag(seed)
        if flag is None:
            tally.add(source.all_rows())
            return int(tally.result()[0])
        rounded, slack = costs.rounded
        gains = None if slack else gains_of(rounded, flag)
        sweep = PartSweep(source, flag, ALL, _BLOCK, gains=gains)
        for block in sweep.blocks(WHOLE):
            if sweep.sums is None:
                tally.add(block)
            else:
                tally.add_sums(block, None)
                sweep.sums.pass_over(tally.indifferent)
        return int(tally.result()[0])

    return on_generic_flag(attempt)


def sweep_seconds(arrangement: Arrangement, costs: Costs, chambers: int) -> float:
    """Predict the time of a sweep from the number of chambers."""
    gains, slack = costs.rounded
    n, central = arrangement.n_hyperplanes, arrangement.is_central
    rows = min(1e18, chambers // (1 + central))
    if slack or has_many_planes(gains):
        return rows * (_ROW_SECONDS + _WORD_SECONDS * -(-n // 64))
    lines = rows * (arrangement.rank - central) / max(n, 1)
    return lines * (_LINE_SECONDS + _POINT_SECONDS * n)


def seconds_inside(
    arrangement: Arrangement, P: Polyhedron, costs: Costs, number: Callable[[Arrangement], int]
) -> tuple[float, float]:
    """Predict the times of listing the chambers that meet a polyhedron, and of adding up values.

    The latter is a sweep of the facets, too, and of `number` chambers. If it is shorter than an
    estimate of the former, that is inf.
    """
    adding = inf
    gains, slack = costs.rounded
    if not (slack or has_many_planes(gains)):
        whole, k = with_facets(arrangement, P)
        adding = sweep_seconds(whole, outside_is_worst(costs, k), number(whole))
        if adding < _ESTIMATE_SECONDS:
            return inf, adding
    expected = request_chambers(arrangement, method="sweep", within=P).expected(0)
    return inf if expected is None else expected * _INSIDE_SECONDS, adding


def should_list(arrangement: Arrangement, P: Polyhedron, costs: Costs) -> bool:
    """Whether to list the chambers that meet a polyhedron, rather than add up values of all.

    Examples
    --------
    >>> should_list(Arrangement([[1, 2], [3, 4]]), Polyhedron.simplex(2), Costs.of([1, 2], 2))
    False
    """
    listing, adding = seconds_inside(arrangement, P, costs, expected_chambers)
    return listing < adding or adding == inf


def extremes_behind(whole: Arrangement, k: int) -> tuple[int, int]:
    """The least and the largest number of signs + behind row k, where the first k rows are +.

    Some chamber has these signs.

    Examples
    --------
    >>> extremes_behind(Arrangement([[1, 0], [0, 1], [1, 1], [1, -1]]), 2)
    (1, 2)
    """
    costs = Costs.of_number(whole.n_hyperplanes - k)
    low, high = (outside_is_worst(side, k) for side in (costs, costs.negated()))
    least = least_of_all(whole, low) + low.constant
    return least, -(least_of_all(whole, high) + high.constant)


def extremes_within(arrangement: Arrangement, P: Polyhedron) -> tuple[int, int]:
    """The least and the largest number of signs + of the chambers that meet a polyhedron.

    There must be some.

    Examples
    --------
    >>> extremes_within(Arrangement([[1, 0], [0, 1]]), Polyhedron.simplex(2))
    (2, 2)
    """
    costs = Costs.of_number(arrangement.n_hyperplanes)
    source = ChamberSource(arrangement, P)

    def attempt(seed: int) -> tuple[int, int]:
        sides = [_LeastSum(source, side, Known()) for side in (costs, costs.negated())]
        flag = source.flag(seed)
        if flag is None:
            blocks = iter([source.all_rows()])
        else:
            blocks = PartSweep(source, flag, ALL, _BLOCK).blocks(WHOLE)
        for block in blocks:
            for tally in sides:
                tally.add(block)
        least, most = (int(tally.result()[0]) for tally in sides)
        return least, -most

    return on_generic_flag(attempt)


def for_each(
    work: Callable[[int], Answer],
    number: int,
    first: Arrangement,
    noun: str,
    workers: int,
    progress: bool,
    max_hours: float | None,
) -> list[Answer]:
    """What sweeps of this many arrangements answer, of which `first` is about as large as any."""
    expected = expected_chambers(first) * number
    what = f"about {short_number(expected)} chambers are expected; seeing them"
    check_hours(what, expected, workers * _CHAMBERS_PER_SECOND, max_hours)
    done = in_order(work, range(number), workers)
    return list(with_progress(done, progress, number, lambda _: 1, noun))


class _TimeUpError(Exception):
    """The deadline has passed."""


def best_of_step(
    source: Source, step: Step, deadline: float | None, **options: Any
) -> tuple[Any, list[int], int | None] | None:
    """The least value that a step finds, a row that has it, and how many have it.

    The number is None if the sweep ended early, by Ctrl-C or since the clock said `deadline`.
    Without a row the answer is None.
    """
    best: Result | None = None

    def watch(result: Result) -> None:
        nonlocal best
        best = result if best is None else better(best, result)
        if deadline is not None and best[0] is not None and monotonic() > deadline:
            raise _TimeUpError

    try:
        found: Result | None = run_fold(source, step, None, **options, watch=watch)
        ended = True
    except (KeyboardInterrupt, _TimeUpError):
        found, ended = best, False
    if found is None or found[0] is None:
        return None
    return found[0], found[2:].tolist(), int(found[1]) if ended else None


def additive(costs: Costs, known: int | None = None) -> Step:
    """The step that finds the least sum of gains; if one is `known` to occur, sooner."""
    gains, slack = costs.rounded
    least = partial(_LeastSum, costs=costs, known=Known(_NONE if known is None or slack else known))
    return Step(None, least, better, None if slack else gains)
