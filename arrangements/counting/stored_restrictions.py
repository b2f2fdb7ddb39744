"""Restrictions level by level in a folder: out of memory, by threads or a Dask cluster, in pieces.

A level is a few files of states, told apart by their digests. A task restricts some of the rows of
one of them and writes the classes that it found, a file for each share of the next level; then
each share is gathered. What a task is depends on the level alone, and a file is complete as soon as
it has its name. So a computation that was interrupted, by anything, goes on with the tasks that
are missing, and it does no harm if two processes do the same one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from arrangements.counting.descents import has_merged
from arrangements.counting.records import RECORD_FILE, record_of
from arrangements.counting.restriction_files import (
    INPUT,
    RECORD,
    Level,
    Progress,
    TaskReport,
    as_plain,
    as_tuples,
    level_of,
    pack,
    part_name,
    question_of,
    read_progress,
    read_report,
    report_name,
    rows_of_plain,
)
from arrangements.counting.restriction_tasks import Key, Sizes, do_task, gather_share, sum_of
from arrangements.counting.restrictions import Restrictions
from arrangements.errors import InputError, TooLargeError
from arrangements.execution.tasks import run_tasks
from arrangements.files.folder import Folder, folder_at

# Operations of a task, and of all tasks for each share of the next level: half a minute, a few.
_TASK, _SHARE = 1.5e9, 1e10
_MOST_SHARES = 64
# What a level will write is known after this share of it; then the folder must have room for it,
# for the same again when it is gathered, and for this many bytes of others.
_KNOWN, _SPARE = 0.02, 2**28


class StoredRestrictions(Restrictions):
    """Restrictions whose levels are in a folder; what it holds is not done again.

    Parameters
    ----------
    rows : list of list of int or FieldElement
        Of rank 3 at least.
    second : bool
    most_bytes : int
        Memory for the classes of all tasks that run at the same time in one process.
    path : str
        The folder.
    workers : int
        Threads of this process.
    client : distributed.Client, optional
        Do the tasks on this cluster instead.
    seed : int
        As in `Restrictions`.
    transcript : bool
        Keep the states of all levels, so that each task can be done again.
    """

    def __init__(
        self,
        rows: list[list[int]],
        second: bool,
        most_bytes: int,
        path: str | os.PathLike[str],
        workers: int = 1,
        client: Any = None,
        seed: int = 0,
        transcript: bool = False,
    ) -> None:
        super().__init__(rows, second, most_bytes, workers, seed)
        self._transcript = transcript
        self.folder: Folder = folder_at(path)
        self.client: Any = client
        self._plain = as_plain(rows, second)
        if self.numbers:
            return
        progress = self._read_progress()
        if progress is None:
            self.begin(0)
        else:
            self._check_same(progress)
            super().begin(progress.attempt, progress.primes)
            self.progress: Progress = progress

    def begin(self, attempt: int, primes: tuple[int, ...] = ()) -> None:
        """Begin with the primes of an attempt: nothing stays."""
        if attempt:
            for name in self.folder.names():
                if name != INPUT:
                    self.folder.remove(name)
        super().begin(attempt, primes)
        self.progress = self._first(attempt)

    @property
    def question(self) -> str:
        """What tells one computation from another."""
        return question_of(self._plain)

    def keep_record(self, affine: bool) -> None:
        """Leave what is known of a complete count beside it; of rank 2, there is nothing."""
        if not self.folder.names():
            return
        found = record_of(
            rows_of_plain(self._plain), self.numbers, self._second, affine, self.progress
        )
        self.folder.write(RECORD_FILE, json.dumps(found, indent=1).encode())

    def _levels(self) -> Iterator[int]:
        self._write_progress()
        while self.progress.k >= 3:
            yield from self._level()
        for name in self.folder.temporaries():  # of a process that was killed while it wrote
            self.folder.remove(name)
        self.sums = np.array(self.progress.sums, np.uint64)

    def _level(self) -> Iterator[int]:
        """One level, from its states to those of the next."""
        progress = self.progress
        k, before = progress.k, self.operations
        self.stages = [self.stage(k, *progress.totals)]
        self._delete_older(k)
        names = set(self.folder.names())
        tasks = [(part, piece) for part, n in enumerate(progress.pieces) for piece in range(n)]
        sums = np.array(progress.sums, np.uint64)
        made: dict[tuple[int, int], TaskReport] = {}
        for task in tasks:
            if report_name(k, *task) in names:
                made[task] = read_report(self.folder, k, *task)
        missing = [task for task in tasks if task not in made]
        self._see(made.values(), before)
        for task, report in self._run(do_task, missing):
            made[task] = report
            self._see(made.values(), before)
            self._check_room(made.values())
            yield report.restricted
        moduli = self.setting.moduli[:, 0]
        for report in made.values():
            sums = (sums + np.array(report.sums, np.uint64)) % moduli
        level = self._complete_level(list(made.values()))
        after = replace(progress, k=k - 1, sums=as_tuples(sums), levels=(*progress.levels, level))
        if k > 4:
            sources = tuple(
                (*task, report.spills, report.token) for task, report in sorted(made.items())
            )
            shares = [(share, sources) for share in range(progress.shares)]
            sizes = [found for _, found in sorted(self._run(gather_share, shares))]
            self._check_balance(made.values(), sizes)
            merging = self._has_merged(made.values(), sizes)
            after = self._plan(replace(after, merging=merging), sizes)
        else:
            after = replace(after, k=2)
        self.progress = after
        self._write_progress()
        self._delete_older(after.k)

    def _has_merged(self, made: Iterable[TaskReport], sizes: list[Sizes]) -> bool:
        """Whether images were found, within tasks or among what several of them found.

        Equal states that several tasks found are none.
        """
        if any(one.states and not one.different for one in sizes):
            return self.progress.merging
        within = sum(report.recognized - report.found for report in made)
        different = sum(one.different for one in sizes)
        return has_merged(within + different, sum(one.states for one in sizes))

    def _complete_level(self, made: list[TaskReport]) -> Level:
        """What there is to say of the level under way, of which all tasks are done."""
        progress = self.progress
        return Level(
            k=progress.k,
            states=int(progress.totals[0]),
            rows=int(progress.totals[1]),
            pieces=progress.pieces,
            shares=progress.shares,
            merging=progress.merging,
            restricted=sum(one.restricted for one in made),
            seconds=round(sum(one.seconds for one in made), 3),
            written=sum(one.written for one in made),
        )

    def _check_balance(self, made: Iterable[TaskReport], sizes: list[Sizes]) -> None:
        """Compare what the tasks passed on with what the next level has."""
        moduli = self.setting.moduli[:, 0]
        passed = sum_of((one.fingerprint for one in made), moduli)
        if passed != sum_of((one.fingerprint for one in sizes), moduli):
            raise InputError(
                f"{self.folder.url('')} is damaged: the states in {self.progress.k - 1} "
                "coordinates do not have the weights that the tasks before passed on. Remove the "
                "folder and begin anew."
            )

    def _check_room(self, made: Iterable[TaskReport]) -> None:
        """Refuse to go on where the folder will have no room for the rest of the level."""
        share, written = self.stages[-1].share, sum(one.written for one in made)
        free = self.folder.free_bytes()
        if free is None or share < _KNOWN or not written:
            return
        needed = written / share * (2 - share) + _SPARE
        if needed > free:
            raise TooLargeError(
                f"{self.folder.url('')} will need about {needed / 2**30:.3g} GiB more for the "
                f"restrictions of rank {self.progress.k}, but {free / 2**30:.3g} are free. Make "
                "room, or move the folder to where there is some: the same call goes on."
            )

    def _plan(self, progress: Progress, sizes: list[Sizes]) -> Progress:
        """The tasks of a level of which the sizes of all files are known."""
        k = progress.k
        # of few states, a share may have none
        work = [
            one.rows * self.per_restriction(k, one.squares / one.rows) if one.rows else 0.0
            for one in sizes
        ]
        pieces = tuple(
            min(one.rows, 1 + int(cost / _TASK)) for one, cost in zip(sizes, work, strict=True)
        )
        totals = [(one.states, one.rows, one.squares) for one in sizes]
        states, rows, squares = (float(sum(column)) for column in zip(*totals, strict=True))
        return replace(
            progress,
            parts=len(sizes),
            pieces=pieces if k > 3 else (1,),
            shares=min(_MOST_SHARES, 1 + int(sum(work) / _SHARE)) if k > 4 else 0,
            totals=(states, rows, squares),
        )

    def _first(self, attempt: int) -> Progress:
        """The root as the first level."""
        k, n = self.setting.rank, self.setting.n
        sums = ((0,) * len(self.setting.moduli),) * k
        totals, primes = (1.0, n, n * n), self.setting.primes
        first = Progress(
            self.question,
            attempt,
            k,
            parts=1,
            pieces=(1,),
            shares=0,
            totals=totals,
            sums=sums,
            primes=primes,
            seed=self._seed,
            transcript=self._transcript,
        )
        return self._plan(first, [Sizes(1, n, n * n, 1)])

    # ------------------------------------------------------------------ the folder

    def _read_progress(self) -> Progress | None:
        """How far the computation in the folder is; None if the folder is empty."""
        names = self.folder.names()
        if RECORD not in names:
            ours = (INPUT, RECORD_FILE)
            other = [name for name in names if name not in ours and level_of(name) is None]
            if other:
                raise InputError(
                    f"{self.folder.url('')} holds {other[0]} and no restrictions; expected an "
                    "empty folder, a new name, or the folder of the same computation."
                )
            return None
        return read_progress(self.folder)

    def _check_same(self, progress: Progress) -> None:
        """Refuse the folder of another computation."""
        if progress.question != self.question:
            raise InputError(
                f"{self.folder.url('')} holds the restrictions of another arrangement, or of "
                "another kind; expected an empty folder, a new name, or the folder of the same "
                "computation."
            )
        if (progress.seed, progress.transcript) != (self._seed, self._transcript):
            kept = "a transcript" if progress.transcript else "no transcript"
            raise InputError(
                f"{self.folder.url('')} holds restrictions with primes={progress.seed} and {kept}; "
                "expected the same, an empty folder or a new name."
            )

    def _write_progress(self) -> None:
        """Say how far it is; the rows first, which tasks read."""
        if RECORD not in self.folder.names():
            self.folder.write(INPUT, json.dumps(self._plain).encode())
            root = self.setting.root()
            self.folder.write(part_name(self.setting.rank, 0), pack(states=root))
        self.folder.write(RECORD, json.dumps(asdict(self.progress), indent=1).encode())

    def _delete_older(self, k: int) -> None:
        """Delete what led to the level in k coordinates."""
        for name in self.folder.names():
            level = level_of(name)
            older = level is not None and level > k and not self.progress.transcript
            if older or (level is not None and level >= k and ".from-" in name):
                self.folder.remove(name)

    # ------------------------------------------------------------------ tasks

    def _run(
        self, work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """What the tasks answer, with their names, in any order."""
        progress = self.progress
        key = Key(self.folder.name, progress.question, progress.primes, progress.seed, progress.k)
        most_bytes = self._most_bytes // self.workers
        return run_tasks(
            list(tasks),
            lambda stop: lambda task: work(key, most_bytes, *task, stop=stop),
            lambda task: (work, key, None, *task),
            workers=self.workers,
            client=self.client,
        )

    def _see(self, reports: Iterable[TaskReport], before: float) -> None:
        """Take note of the tasks that were done."""
        stage, reports = self.stages[-1], list(reports)
        stage.restricted = sum(one.restricted for one in reports)
        stage.operations = sum(one.operations for one in reports)
        stage.see(len(reports), sum(one.found for one in reports), sum(one.rows for one in reports))
        self.operations = before + stage.operations
        self._promising = stage.k == self.setting.rank and self.setting.rank > 4
