"""Restrictions level by level in a folder: out of memory, by threads or a Dask cluster, in pieces.

A level is a few files of states, told apart by their digests. A task restricts some of the rows of
one of them and writes the classes that it found, a file for each share of the next level; then
each share is gathered. What a task is depends on the level alone, and a file is complete as soon as
it has its name. So a computation that was interrupted, by anything, goes on with the tasks that
are missing, and it does no harm if two processes do the same one.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any
from uuid import uuid4

import numpy as np

from arrangements.counting.descents import Descent, has_merged
from arrangements.counting.restriction_files import (
    TaskReport,
    as_plain,
    as_tuples,
    fragment_name,
    level_of,
    pack,
    part_name,
    read_classes,
    read_report,
    read_states,
    report_name,
    rows_of_plain,
)
from arrangements.counting.restrictions import Restrictions
from arrangements.counting.states import Setting, cut_into_chunks, gather_classes, sizes_of
from arrangements.errors import InputError
from arrangements.execution import limits
from arrangements.execution.tasks import run_tasks
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.files.folder import Folder, folder_at
from arrangements.messages import first_line
from arrangements.version import __version__

FORMAT = 1
RECORD, INPUT = "restrictions.json", "rows.json"
# Operations of a task, and of all tasks for each share of the next level: half a minute, a few.
_TASK, _SHARE = 1.5e9, 1e10
_MOST_SHARES = 64


@dataclass(frozen=True)
class Progress:
    """How far a computation is: what ``restrictions.json`` holds.

    Attributes
    ----------
    question : str
        Digest of the rows and of what is counted.
    attempt : int
        Which primes.
    k : int
        Coordinates of the states of the level under way.
    parts : int
        Files of it.
    pieces : tuple of int
        Tasks of each file.
    shares : int
        Files of the next level.
    totals : tuple of (float, float, float)
        States of the level, their rows, and the squares of these.
    sums : tuple of tuple of int
        What the flats count that levels before this one met.
    primes : tuple of int
        Those of the rows.
    merging : bool
        Whether images were found on the level before. A task sees little of its level, so it does
        not decide alone that there are none.
    version : str
        Of the library that wrote this.
    """

    question: str
    attempt: int
    k: int
    parts: int
    pieces: tuple[int, ...]
    shares: int
    totals: tuple[float, float, float]
    sums: tuple[tuple[int, ...], ...]
    primes: tuple[int, ...]
    merging: bool = True
    version: str = __version__


# States of a file, their rows, the squares of these, and how many different ones were put into
# these classes; 0 if that was not seen.
Sizes = tuple[int, int, int, int]
# Of the tasks of a level: folder, question, primes, coordinates.
Key = tuple[str, str, tuple[int, ...], int]


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
    """

    def __init__(
        self,
        rows: list[list[int]],
        second: bool,
        most_bytes: int,
        path: str | os.PathLike[str],
        workers: int = 1,
        client: Any = None,
    ) -> None:
        super().__init__(rows, second, most_bytes, workers)
        self.folder: Folder = folder_at(path)
        self.client: Any = client
        self._question = json.dumps(as_plain(rows, second))
        if self.numbers:
            return
        progress = self._read_progress()
        if progress is None:
            self.begin(0)
        else:
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
        return hashlib.sha256(f"{FORMAT} {self._question}".encode()).hexdigest()

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
            yield report.restricted
        for report in made.values():
            sums = (sums + np.array(report.sums, np.uint64)) % self.setting.moduli[:, 0]
        after = replace(progress, k=k - 1, sums=as_tuples(sums))
        if k > 4:
            sources = tuple(
                (*task, report.spills, report.token) for task, report in sorted(made.items())
            )
            shares = [(share, sources) for share in range(progress.shares)]
            sizes = [found for _, found in sorted(self._run(gather_share, shares))]
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
        if any(states and not different for states, *_, different in sizes):
            return self.progress.merging
        # what an earlier version did has no number of states that were recognized
        within = sum(max(0, report.recognized - report.found) for report in made)
        different = sum(different for *_, different in sizes)
        return has_merged(within + different, sum(states for states, *_ in sizes))

    def _plan(self, progress: Progress, sizes: list[Sizes]) -> Progress:
        """The tasks of a level of which the sizes of all files are known."""
        k = progress.k
        # of few states, a share may have none
        work = [
            rows * self.per_restriction(k, squares / rows) if rows else 0.0
            for _, rows, squares, _ in sizes
        ]
        pieces = tuple(
            min(rows, 1 + int(cost / _TASK))
            for (_, rows, *_), cost in zip(sizes, work, strict=True)
        )
        states, rows, squares, _ = (float(sum(column)) for column in zip(*sizes, strict=True))
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
        first = Progress(self.question, attempt, k, 1, (1,), 0, totals, sums, primes)
        return self._plan(first, [(1, n, n * n, 1)])

    # ------------------------------------------------------------------ the folder

    def _read_progress(self) -> Progress | None:
        """How far the computation in the folder is; None if the folder is empty."""
        names = self.folder.names()
        if RECORD not in names:
            other = [name for name in names if name != INPUT and level_of(name) is None]
            if other:
                raise InputError(
                    f"{self.folder.url('')} holds {other[0]} and no restrictions; expected an "
                    "empty folder, a new name, or the folder of the same computation."
                )
            return None
        try:
            found = json.loads(self.folder.read(RECORD))
            found["sums"], found["totals"] = as_tuples(found["sums"]), tuple(found["totals"])
            found["pieces"], found["primes"] = tuple(found["pieces"]), tuple(found["primes"])
            progress = Progress(**found)
        except (ValueError, TypeError, KeyError) as error:
            raise InputError(
                f"{self.folder.url(RECORD)} is damaged: {first_line(error)}. Remove the folder and "
                "begin anew."
            ) from error
        if progress.question != self.question:
            raise InputError(
                f"{self.folder.url('')} holds the restrictions of another arrangement, or of "
                "another kind; expected an empty folder, a new name, or the folder of the same "
                "computation."
            )
        return progress

    def _write_progress(self) -> None:
        """Say how far it is; the rows first, which tasks read."""
        if RECORD not in self.folder.names():
            self.folder.write(INPUT, self._question.encode())
            root = self.setting.root()
            self.folder.write(part_name(self.setting.rank, 0), pack(states=root))
        self.folder.write(RECORD, json.dumps(asdict(self.progress), indent=1).encode())

    def _delete_older(self, k: int) -> None:
        """Delete what led to the level in k coordinates."""
        for name in self.folder.names():
            level = level_of(name)
            if level is not None and (level > k or (level == k and ".from-" in name)):
                self.folder.remove(name)

    # ------------------------------------------------------------------ tasks

    def _run(
        self, work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """What the tasks answer, with their names, in any order."""
        progress = self.progress
        key = self.folder.name, progress.question, progress.primes, progress.k
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


@lru_cache(maxsize=4)
def _setting(path: str, question: str, primes: tuple[int, ...]) -> Setting:
    """The setting of the computation in a folder, kept from task to task."""
    del question  # of one folder, but it might be another one now
    try:
        found = json.loads(folder_at(path).read(INPUT))
    except FileNotFoundError as error:
        raise InputError(
            f"{path} has no {INPUT}, seen from where a task is done: the workers of a cluster must "
            "reach the folder of the restrictions."
        ) from error
    return Setting.of(HomogeneousRows(rows_of_plain(found)), found["second"], primes=primes)


def do_task(
    key: Key,
    most_bytes: int | None,
    part: int,
    piece: int,
    stop: threading.Event | None = None,
) -> TaskReport:
    """Restrict a piece of a file of states, and write the classes of the next level."""
    path, question, primes, k = key
    folder, setting = folder_at(path), _setting(path, question, primes)
    progress = json.loads(folder.read(RECORD))
    if progress["question"] != question or progress["k"] != k:
        raise InputError(f"{folder.url('')} holds the level no more that this task belongs to.")
    states = read_states(folder, part_name(k, part))
    pieces, shares = progress["pieces"][part], progress["shares"]
    chunks = cut_into_chunks(states, pieces)
    chosen = deque([chunks[piece]] if piece < len(chunks) else [])
    expected = sum(chunk.stop - chunk.first for chunk in chosen)
    memory, merging = most_bytes or limits.available_bytes() // 4, progress.get("merging", True)
    descent = Descent(setting, k, memory, expected, merging)
    found = rows = spills = 0
    token = uuid4().hex[:8]

    def spill() -> None:
        nonlocal found, rows, spills
        for share in range(shares):
            classes = gather_classes(setting, k - 1, [descent.classes], share, shares)
            content = pack(keys=classes.keys, states=classes.states)
            folder.write(fragment_name(k - 1, part, piece, share, spills, token), content)
        used = descent.classes.keys.used.tolist()
        found, rows, spills = found + used[0], rows + used[1], spills + 1
        descent.clear()

    for _, full in descent.steps(chosen):
        if stop is not None and stop.is_set():
            raise InterruptedError
        if full:
            spill()
    if k > 4:
        spill()
    report = TaskReport(
        descent.restricted,
        descent.operations,
        found,
        rows,
        spills,
        as_tuples(descent.sums),
        descent.recognized,
        token,
    )
    folder.write(report_name(k, part, piece), json.dumps(report).encode())
    return report


def gather_share(
    key: Key,
    most_bytes: int | None,
    share: int,
    reports: tuple[tuple[int, int, int, str], ...],
    stop: threading.Event | None = None,
) -> Sizes:
    """Gather the classes of one share of the next level."""
    path, question, primes, k = key
    folder, setting = folder_at(path), _setting(path, question, primes)
    name, different = part_name(k - 1, share), 0
    if name in folder.names():
        states = read_states(folder, name)
    else:
        sources = []
        for part, piece, spills, token in reports:
            for spill in range(spills):
                if stop is not None and stop.is_set():
                    raise InterruptedError
                fragment = fragment_name(k - 1, part, piece, share, spill, token)
                sources.append(read_classes(folder, fragment))
        states = gather_classes(setting, k - 1, sources).states
        # those by which the classes of each task are known
        different = len(np.unique(np.concatenate([one.states.digest for one in sources])))
        folder.write(name, pack(states=states))
    sizes = sizes_of(states)
    return len(sizes), int(sizes.sum()), int((sizes * sizes).sum()), different
