"""The best chamber of all, from a sweep that sees each once and keeps only the best."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.core.arrangement import Arrangement
from arrangements.counting.prediction import expected_chambers
from arrangements.enumeration.questions import on_generic_flag, with_progress
from arrangements.execution import limits
from arrangements.execution.threads import answers
from arrangements.kernels.statistics.values import fill_tables, least_sums, least_values
from arrangements.optimize.costs import Costs
from arrangements.runs.folding import folded
from arrangements.runs.sources import Rows, Source, chamber_source
from arrangements.runs.steps import LineOf, Result, Step, Tally
from arrangements.runs.sweeping import PartSweep
from arrangements.search.gains import gains_of
from arrangements.search.parts import ALL, WHOLE
from arrangements.sets.packed import unpack_signs

# Above all values.
_NONE = 2**62
# Rows of a block of a sweep in one piece.
_BLOCK = 4096
# About how many chambers a sweep sees.
_CHAMBERS_PER_SECOND = 4e7

Answer = TypeVar("Answer")


class Known:
    """The least sum of gains that is known to occur; threads lower it side by side.

    Each sees a value that was true at some time, and leaves out what is larger than this: never
    what has the least value of all.
    """

    def __init__(self, value: int = _NONE) -> None:
        self.value = value


class _Least(Tally):
    """The least value among the rows of a part: (value, how many rows have it, words of the row).

    The value is the sum of the gains.
    """

    def __init__(self, source: Source, costs: Costs, known: Known) -> None:
        super().__init__(source)
        self._known = known
        words = source.shape[0]
        self._costs, (gains, self._slack) = costs, costs.rounded
        padded = np.zeros(64 * words, np.int64)
        padded[: len(gains)] = gains
        self._tables, self._total = np.zeros((words, 8, 256), np.int64), int(gains.sum())
        fill_tables(padded.reshape(words, 8, 8), self._tables)
        self._best = np.array([_NONE, 0], np.int64)
        self._found: list[Any] = [None, 0, np.zeros(words, np.uint64)]
        # of sums: a line is swept again for it, which takes as long as some hundred lines
        self._row_of_best: Callable[[], Rows] | None = None

    def add(self, rows: Rows) -> None:
        half, m = self.source.half, len(rows)
        chosen = np.empty(2 * m, np.int64)
        count = least_values(rows, self._tables, half, self._total, self._slack, self._best, chosen)
        if self._slack:
            for k in chosen[:count].tolist():
                self._compare(self._row(rows, k))
            return
        if count:
            self._found[2] = self._row(rows, int(chosen[count - 1]))
        self._found[:2] = self._best.tolist()

    def add_sums(self, sums: Rows, line_of: LineOf | None) -> None:
        """Without `line_of`, no row is found."""
        new = least_sums(sums, self.source.half, self._total, self._best)
        self._found[:2] = self._best.tolist()
        self._known.value = min(self._known.value, self._found[0])
        if new >= 0 and line_of is not None:
            self._row_of_best = partial(self._best_of_line, line_of, int(sums[new, 1]))

    def _best_of_line(self, line_of: LineOf, name: int) -> Rows:
        """The row of least value on the line of a chamber."""
        rows = line_of(name)
        best, chosen = np.array([_NONE, 0], np.int64), np.empty(2 * len(rows), np.int64)
        half = self.source.half
        count = least_values(rows, self._tables, half, self._total, 0, best, chosen)
        return self._row(rows, int(chosen[count - 1]))

    @property
    def indifferent(self) -> tuple[int, int]:
        least = self._known.value
        if least == _NONE:
            return 0, 0
        return least, self._total - least if self.source.half else _NONE

    def _row(self, rows: Rows, k: int) -> Rows:
        m = len(rows)
        return self.source.opposite(rows[k - m : k - m + 1])[0] if k >= m else rows[k].copy()

    def _compare(self, row: Rows) -> None:
        """Take one row into account, whose value is compared exactly."""
        value = self._costs.of_bits(unpack_signs(row[None], self.source.n)[0] > 0)
        least, count, _ = self._found
        if least is None or value < least:
            self._found = [value, 1, row]
        elif value == least:
            self._found[1] = count + 1

    def result(self) -> Result:
        if self._row_of_best is not None:
            self._found[2], self._row_of_best = self._row_of_best(), None
        value, count, row = self._found
        return np.array([value, count, *row.tolist()], object)


def better(first: Result, second: Result) -> Result:
    """The result with the lesser value; of equal ones the first, and both numbers of rows."""
    if second[0] < first[0]:
        return second
    if second[0] == first[0]:
        first = first.copy()
        first[1] += second[1]
    return first


def least_of_all(arrangement: Arrangement, costs: Costs) -> int:
    """The least sum of gains, by one thread and without preparations: for many small questions."""
    source = chamber_source(arrangement)

    def attempt(seed: int) -> int:
        tally, flag = _Least(source, costs, Known()), source.flag(seed)
        if flag is None:
            tally.add(source.in_one())
            return int(tally.result()[0])
        rounded, slack = costs.rounded
        sweep = PartSweep(
            source, flag, ALL, _BLOCK, gains=None if slack else gains_of(rounded, flag)
        )
        for block in sweep.blocks(WHOLE):
            if sweep.sums is None:
                tally.add(block)
            else:
                tally.add_sums(block, None)
                sweep.sums.pass_over(tally.indifferent)
        return int(tally.result()[0])

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
    what = f"about {limits.short(expected)} chambers are expected; seeing them"
    limits.check_hours(what, expected, workers * _CHAMBERS_PER_SECOND, max_hours)
    done = answers(work, range(number), workers)
    return list(with_progress(done, progress, number, lambda _: 1, noun))


class Found(NamedTuple):
    """What a sweep found.

    Attributes
    ----------
    value : int or Fraction
    signs : (n,) ndarray of int8
        A chamber that has it.
    number : int or None
        How many have it; None if the sweep did not end.
    """

    value: Any
    signs: NDArray[np.int8]
    number: int | None


class _Best:
    """The best result so far of a sweep, which may end early."""

    def __init__(self, deadline: float | None) -> None:
        self._deadline = deadline
        self.result: Result | None = None

    def __call__(self, result: Result) -> None:
        if result[0] is not None and (self.result is None or result[0] < self.result[0]):
            self.result = result
        if self._deadline is not None and self.result is not None and monotonic() > self._deadline:
            raise _TimeUpError


class _TimeUpError(Exception):
    """The deadline has passed."""


def best_of_step(
    source: Source,
    step: Step,
    *,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
    deadline: float | None = None,
) -> Found | None:
    """What a step finds, whose results are (value, number, words of a row).

    When the clock says `deadline`, or on Ctrl-C, what it found until then; None if that is nothing.
    """
    best = _Best(deadline)
    try:
        found = folded(source, step, None, workers, client, progress, max_hours, best)
        number = int(found[1])
    except (KeyboardInterrupt, _TimeUpError):
        if best.result is None:
            return None
        found, number = best.result, None
    if found[0] is None:
        return None
    row = np.array([found[2:].tolist()], np.uint64).reshape(1, -1)
    return Found(found[0], unpack_signs(row, source.n)[0], number)


def additive(costs: Costs, known: int | None = None) -> Step:
    """The step that finds the least sum of gains; if one is `known` to occur, sooner."""
    gains, slack = costs.rounded
    least = partial(_Least, costs=costs, known=Known(_NONE if known is None or slack else known))
    return Step(None, least, better, None if slack else gains)
