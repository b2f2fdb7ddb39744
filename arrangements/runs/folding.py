"""Folds: statistics of all chambers or rankings, none of which is stored."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.core.arrangement import ArrangementLike
from arrangements.core.labels import Label
from arrangements.core.questions import as_arrangement
from arrangements.core.score_model import as_score_model
from arrangements.enumeration.listing import on_generic_flag
from arrangements.errors import InputError, NotGenericFlagError
from arrangements.execution.clusters import check_client
from arrangements.execution.tasks import run_tasks
from arrangements.polyhedra.reading import Within
from arrangements.runs.checkpoints import Checkpoint, Standing
from arrangements.runs.making import task_name, tasks_of, with_bar
from arrangements.runs.partition import PartId, Task, default_rows, partition, pieces_left
from arrangements.runs.record import Record, digest_of, flag_of, record_of
from arrangements.runs.source_files import source_of
from arrangements.runs.sources import ChamberSource, RankingSource, Rows, Source
from arrangements.runs.steps import Result, Step, combine_results, join_steps, make_step
from arrangements.runs.sweeping import PartSweep
from arrangements.search.flag import Flag
from arrangements.search.gains import gains_of
from arrangements.search.parts import Part
from arrangements.sets.rankings import Rankings
from arrangements.sets.sign_vectors import SignVectors

# Of the rows of a block: they stay in a cache of the processor from the sweep to the step, and are
# enough that calls from Python do not count.
_BLOCK_BYTES = 2**18
# Of the value and the name of a chamber.
_SUM_BYTES = 16
# To begin a part takes about as long as a thousand rows: a short sweep has this many parts, each of
# at most this many rows, unless a run would have fewer.
_FEW_PARTS, _MOST_ROWS = 16, 2**23
# Up to so many rows in general position there are few parts, which do no harm if there are fewer
# rows: an estimate would only take its time, a tenth of a second.
_NOT_PROBED = 2**30


def fold_chambers(
    W: ArrangementLike,
    step: Literal["positives", "on", "pairs"] | Callable[[SignVectors], ArrayLike],
    combine: Callable[[Any, Any], Any] = np.add,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    within: Within | None = None,
    name: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[Any]:
    """Combine what a step finds in blocks of chambers, all of which it sees once, storing none.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number, or Arrangement
    step : {"positives", "on", "pairs"} or callable
        ``"positives"``: an (n + 1,) array, how many chambers have k positive signs (labels on).
        ``"on"``: an (n,) array, in how many chambers each sign is +. ``"pairs"``: an (n, n)
        array, in how many signs i and j are both +. Or a function of your own: see Notes.
    combine : callable
        Makes one result of two that are neighbors; associative. The default adds, integers
        exactly: beyond 64 bits they become Python integers. Built-in steps are always summed.
    offsets : (n,) array_like, optional
        Default zeros.
    rank, within : optional
        As in `chambers`.
    name : str, optional
        What a checkpoint calls a `step` of your own and its `combine`.
    checkpoint : str or path-like, optional
        An .npz file, by name or URL, from which the same call goes on if this one is interrupted.
    workers : int
        Threads of this process. They call a step of your own side by side.
    client : distributed.Client, optional
        Fold on this Dask cluster instead, which is sent the step; results go through it.
    progress : bool
        Show a bar on standard error.
    max_hours : float, optional
        Refuse a fold that is expected to take more. The default is a day.

    Returns
    -------
    ndarray
        The results of all blocks, combined; of shape () if each is one number.

    Raises
    ------
    InputError
        If the checkpoint is damaged or is one of another question or step, if a step of your own
        is to have a checkpoint and has no `name`, or if results of several shapes are to be added.
    InputTypeError
        If a step returns no numbers.
    TooLargeError
        If the fold is expected to take more than `max_hours`.

    See Also
    --------
    iter_chambers : blocks one by one.
    write_chambers : all chambers on a disk.
    count_chambers : their number alone.

    Notes
    -----
    A step of your own takes a block and returns a number or an array of numbers. A block is a
    `SignVectors` of some thousand chambers, ``block.packed`` has their packed rows, and each
    chamber is in one block: of a central arrangement both of each opposite pair, in the same one.

    A step that numba compiled (``@njit``) takes one packed row instead, a (words,) array of uint64
    in which bit i % 64 of word i // 64 is set iff sign i is +, and returns a number; `combine` is
    then a ufunc, such as ``np.add`` or ``np.maximum``, and combines the numbers of rows too.

    Blocks depend on the question only, and results are combined in the order of the sweep. So the
    answer is the same, to the last bit, for any number of workers, and after any interruption,
    also if `combine` is not commutative or rounds.

    A checkpoint holds the combined result and what is left to do. It is written at the beginning,
    once a minute, at the end and when the fold is interrupted; what comes of a complete one is its
    result.

    Examples
    --------
    >>> W = [[1, 0], [0, 1], [1, 1]]
    >>> fold_chambers(W, "positives")
    array([1, 2, 2, 1])
    >>> fold_chambers(W, "pairs").tolist()
    [[3, 1, 2], [1, 3, 2], [2, 2, 3]]
    >>> fold_chambers(W, lambda block: (block.to_array()[:, 0] == 1).sum())
    array(3)
    """
    source = ChamberSource(as_arrangement(W, offsets, rank), within)
    own = make_step(source, step, combine, name)
    return run_fold(source, own, checkpoint, workers, client, progress, max_hours)


def fold_rankings(
    W: ArrangementLike,
    step: Literal["places"] | Callable[[Rankings], ArrayLike],
    combine: Callable[[Any, Any], Any] = np.add,
    *,
    offsets: ArrayLike | None = None,
    rank: int | None = None,
    ties: str = "error",
    labels: Iterable[Label] | None = None,
    within: Within | None = None,
    name: str | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
    max_hours: float | None = None,
) -> NDArray[Any]:
    """Combine what a step finds in blocks of rankings, all of which it sees once, storing none.

    Parameters
    ----------
    W : (n, d) array_like of int, float, Fraction or SymPy number
    step : "places" or callable
        ``"places"``: an (n, n) array, in how many rankings label i has place r, at (i, r). Or a
        function of your own, of a block (`Rankings`), or compiled, of one row: labels from the
        first place to the last, an (n,) array of uint8 or, beyond 256 labels, uint16.
    combine, offsets
        As in `fold_chambers`.
    rank, ties, labels, within
        As in `rankings`.
    name, checkpoint, workers, client, progress, max_hours
        As in `fold_chambers`.

    Returns
    -------
    ndarray
        The results of all blocks, combined.

    Raises
    ------
    InputError, InputTypeError, TooLargeError
        As `fold_chambers`.
    TiedLabelsError
        As `rankings`.

    See Also
    --------
    fold_chambers : its Notes say what a step is given.
    iter_rankings, write_rankings, count_rankings

    Examples
    --------
    >>> fold_rankings([[0, 0], [1, 0], [0, 1], [1, 1], [0.5, 0.5]], "places")
    array([[2, 2, 0, 2, 2],
           [2, 2, 0, 2, 2],
           [2, 2, 0, 2, 2],
           [2, 2, 0, 2, 2],
           [0, 0, 8, 0, 0]])
    """
    source = RankingSource(as_score_model(W, offsets, labels, ties, rank), within)
    own = make_step(source, step, combine, name)
    return run_fold(source, own, checkpoint, workers, client, progress, max_hours)


def fold_several(
    source: Source,
    steps: Sequence[str],
    *,
    workers: int = 1,
    progress: bool = False,
    max_hours: float | None = None,
) -> list[Result]:
    """Results of several built-in steps, all from one sweep.

    Examples
    --------
    >>> source = ChamberSource(as_arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -1]))
    >>> fold_several(source, ["positives", "on"])
    [array([1, 2, 3, 1]), array([4, 4, 3])]
    """
    joined, split = join_steps(source, steps)
    return split(run_fold(source, joined, None, workers, None, progress, max_hours))


def run_fold(
    source: Source,
    step: Step,
    checkpoint: str | os.PathLike[str] | None,
    workers: int,
    client: Any,
    progress: bool,
    max_hours: float | None,
    watch: Callable[[Result], None] | None = None,
) -> Result:
    """The result of a fold, in which each chamber or ranking is seen once.

    `watch` is called with the result of each part, in their order.
    """
    check_client(client)
    workers, progress = check_integer("workers", workers, 1), check_flag("progress", progress)
    check_max_hours(max_hours)
    saved = None
    if checkpoint is not None:
        if step.name is None:
            raise InputError(
                "a step of your own has no name by which its checkpoint is known; pass name=, and "
                "another one whenever step or combine change."
            )
        saved = Checkpoint(checkpoint, source, step.name)
    expected = source.question.forecast(progress, max_hours)

    def attempt(seed: int) -> Result:
        record, flag = _begun(source, saved, seed)
        fold = _Fold(source, step, record, flag, saved, watch, expected)
        try:
            return fold.result(workers, client, progress)
        except NotGenericFlagError:  # other coordinates, and so other parts
            if saved is not None:
                saved.remove()
            raise

    return on_generic_flag(attempt)


def _begun(source: Source, saved: Checkpoint | None, seed: int) -> tuple[Record, Flag | None]:
    """The record of a fold, as its checkpoint has it if there is one, and its coordinates."""
    there = saved and saved.record
    if there:
        record = there
        flag = flag_of(record, source)
    else:
        flag = source.flag(seed)
        expected = source.question.expected(_NOT_PROBED) or source.question.bound()
        record = record_of(source, flag, seed, expected, _part_rows(source, expected))
    parts = partition(source, flag, record.expected_rows, record.rows_per_part)
    return replace(record, parts=tuple(parts)), flag


def _part_rows(source: Source, expected: int) -> int:
    """Rows of a part; it depends on the question only."""
    return max(default_rows(source, expected), min(_MOST_ROWS, expected // _FEW_PARTS))


@dataclass(eq=False)
class _Fold:
    """A fold, from where it stands on."""

    source: Source
    step: Step
    record: Record
    flag: Flag | None
    saved: Checkpoint | None
    watch: Callable[[Result], None] | None
    expected: int | None

    def __post_init__(self) -> None:
        saved = self.saved
        self.standing = Standing() if saved is None else saved.standing(self.record)
        self._waiting: dict[PartId, Partial] = {}

    def result(self, workers: int, client: Any, progress: bool) -> Result:
        """Fold what is left."""
        tasks = [*self.standing.pieces, *tasks_of(self.record)[self.standing.begun :]]
        rows, expected = self.standing.rows, self.expected or self.record.expected_rows
        if tasks:  # where nothing can be written, that is said before the work
            self._save()
        try:
            # closed, so that no thread goes on if a step or combine fails
            with closing(self._partials(tasks, workers, client)) as partials:
                for partial in with_bar(partials, self.record, rows, progress, expected):
                    self._take(partial)
                    if self.saved is not None:
                        self.saved.save_sometimes(self.record, self.standing)
        except NotGenericFlagError:
            raise
        except BaseException:
            self._save()
            raise
        if tasks:
            self._save()
        total = self.standing.total
        return _empty_result(self.source, self.step) if total is None else total

    def _partials(
        self, tasks: list[Task], workers: int, client: Any
    ) -> Generator[tuple[Task, Partial], None, None]:
        job = None if client is None else _pack_job(self.source, self.step, self.record)
        key = "" if job is None else f"fold-{digest_of(job)[:16]}"
        return run_tasks(
            tasks,
            lambda stop: PartFold(self.source, self.step, self.record, self.flag, stop).fold,
            lambda task: (fold_part, job, task[0], tuple(task[1])),
            rest=lambda partial: pieces_left(partial.part, partial.rest),
            name=lambda task: task_name(key, task[0]),
            workers=workers,
            client=client,
        )

    def _take(self, partial: Partial) -> None:
        """Combine a partial result, and those that waited for it, in the order of parts."""
        self._waiting[partial.part] = partial
        while found := self._waiting.pop(self.standing.next_part, None):
            total = self.standing.total
            if found.result is not None:
                total = combine_results(self.step.combine, total, found.result)
                if self.watch is not None:
                    self.watch(found.result)
            # at once: an interruption finds it before or after
            self.standing = self.standing.after(
                pieces_left(found.part, found.rest), total, found.rows
            )

    def _save(self) -> None:
        if self.saved is not None:
            self.saved.save(self.record, self.standing)


def _empty_result(source: Source, step: Step) -> Result:
    """The result where no chamber meets the polyhedron."""
    tally = step.tally(source)
    if tally.of_caller:
        raise InputError(
            f"within meets none of the {source.noun}, and a step of your own has no result without "
            f"blocks; call count_{source.noun} with this polyhedron before."
        )
    return tally.result()


class Partial(NamedTuple):
    """The result of a part; None if it has no rows."""

    part: PartId
    rows: int
    result: Result | None
    rest: tuple[Part, ...]


class PartFold:
    """Folds parts of one sweep, one after the other; each thread has its own."""

    def __init__(
        self,
        source: Source,
        step: Step,
        record: Record,
        flag: Flag | None,
        stop: threading.Event | None = None,
    ) -> None:
        self._source, self._step = source, step
        self._block_rows = max(1, _BLOCK_BYTES // max(1, source.question.row_bytes))
        enough = record.rows_per_part
        self._sweep = None
        if flag is not None:
            gains = None
            if step.gains is not None and source.polyhedron is None:
                gains = gains_of(step.gains, flag)
            rows = self._block_rows if gains is None else _BLOCK_BYTES // _SUM_BYTES
            self._sweep = PartSweep(source, flag, enough, rows, stop, gains, step.counts)

    def fold(self, task: Task) -> Partial:
        """The result of a part, and what it leaves."""
        part, what = task
        tally, seen = self._step.tally(self._source), 0
        sums = self._sweep.sums if self._sweep else None
        if sums is not None:
            sums.pass_over(tally.indifferent)
        for block in self._blocks(what):
            if sums is not None:
                tally.add_sums(block, sums.line_of)
                sums.pass_over(tally.indifferent)
            else:
                tally.add(block)
            seen += len(block)
        rest = self._sweep.rest if self._sweep else []
        rows = seen if sums is None else seen + sums.passed()
        return Partial(part, rows, tally.result() if seen else None, tuple(rest))

    def _blocks(self, what: Part) -> Iterator[Rows]:
        if self._sweep is None:
            return self._source.blocks(self._block_rows)
        return self._sweep.blocks(what)


def _pack_job(source: Source, step: Step, record: Record) -> bytes:
    """What a worker elsewhere has to know, in bytes."""
    import cloudpickle  # comes with the extra

    job = source.noun, source.members(), step, replace(record, parts=())
    packed: bytes = cloudpickle.dumps(job)
    return packed


def fold_part(job: bytes, part: PartId, what: tuple[Any, ...]) -> Partial:
    """One task on a worker: see `PartFold.fold`."""
    return _part_fold(job, threading.get_ident()).fold((part, Part(*what)))


@lru_cache(maxsize=8)
def _part_fold(job: bytes, thread: int) -> PartFold:
    """What a thread folds with, kept from task to task."""
    import cloudpickle  # comes with the extra

    del thread  # one for each
    noun, members, step, record = cloudpickle.loads(job)
    source = source_of(noun, members)
    return PartFold(source, step, record, flag_of(record, source))
