"""Restrictions level by level in a folder: out of memory, by threads or a Dask cluster, in pieces.

A level is a few files of states, told apart by their digests. A task restricts some of the rows of
one of them and writes the classes that it found, a file for each share of the next level; then
each share is gathered. What a task is depends on the level alone, and a file is complete as soon as
it has its name. So a computation that was interrupted, by anything, goes on with the tasks that
are missing, and it does no harm if two processes do the same one.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import threading
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from arrangements.counting.descents import (
    BadPrimeError,
    Descent,
    Setting,
    chunks_of,
    gathered,
    has_merged,
    no_good_primes,
    sizes_of,
)
from arrangements.counting.levels import Levels
from arrangements.errors import InputError
from arrangements.exact.field_entries import field_of_rows, integers_of, whole_number
from arrangements.exact.number_field import field_of_root
from arrangements.exact.residues import ATTEMPTS
from arrangements.execution import limits
from arrangements.execution.tasks import run_tasks
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.files.folder import Folder, folder_at
from arrangements.kernels.structure.states import Classes, States
from arrangements.messages import first_line
from arrangements.version import __version__

FORMAT = 1
RECORD, INPUT = "restrictions.json", "rows.json"
# Operations of a task, and of all tasks for each share of the next level: half a minute, a few.
_TASK, _SHARE = 1.5e9, 1e10
_MOST_SHARES = 64
_ARRAYS = ("rows", "multiplicity", "start", "digest", "weight", "used")


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


class Done(NamedTuple):
    """What there is to say of a task that was done."""

    restricted: int
    operations: float
    found: int
    rows: int
    spills: int
    sums: tuple[tuple[int, ...], ...]
    recognized: int = 0
    # in the names of its files: if two processes do one task, with other memory, their files differ
    token: str = ""


class StoredRestrictions(Levels):
    """The levels of one computation, in a folder.

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
        self.folder = folder_at(path)
        self._prepared, self._second = HomogeneousRows(rows), second
        self._question = json.dumps(_as_plain(rows, second))
        there = self._begun()
        primes = there.primes if there else ()
        super().__init__(Setting.of(self._prepared, second, primes=primes))
        self.progress = there or self._first(0)
        self.most_bytes, self.workers, self.client = most_bytes, workers, client

    @property
    def question(self) -> str:
        """What tells one computation from another."""
        return hashlib.sha256(f"{FORMAT} {self._question}".encode()).hexdigest()

    def portions(self) -> Iterator[int]:
        """Make the restrictions that are missing: numbers of them, task by task."""
        for attempt in range(self.progress.attempt, ATTEMPTS):
            if attempt > self.progress.attempt:  # with other primes, nothing stays
                self._forget()
                self.setting = Setting.of(self._prepared, self._second, attempt)
                self.progress = self._first(attempt)
            try:
                yield from self._levels()
                return
            except BadPrimeError:
                continue
        raise no_good_primes()

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
        made: dict[tuple[int, int], Done] = {}
        for task in tasks:
            if done_name(k, *task) in names:
                made[task] = read_done(self.folder, k, *task)
        missing = [task for task in tasks if task not in made]
        self._see(made.values(), before)
        for task, done in self._run(do_task, missing):
            made[task] = done
            self._see(made.values(), before)
            yield done.restricted
        for done in made.values():
            sums = (sums + np.array(done.sums, np.uint64)) % self.setting.moduli[:, 0]
        after = replace(progress, k=k - 1, sums=_as_tuples(sums))
        if k > 4:
            sources = tuple((*task, done.spills, done.token) for task, done in sorted(made.items()))
            shares = [(share, sources) for share in range(progress.shares)]
            sizes = [found for _, found in sorted(self._run(gather_share, shares))]
            merging = self._has_merged(made.values(), sizes)
            after = self._planned(replace(after, merging=merging), sizes)
        else:
            after = replace(after, k=2)
        self.progress = after
        self._write_progress()
        self._delete_older(after.k)

    def _has_merged(self, made: Iterable[Done], sizes: list[Sizes]) -> bool:
        """Whether images were found, within tasks or among what several of them found.

        Equal states that several tasks found are none.
        """
        if any(states and not different for states, *_, different in sizes):
            return self.progress.merging
        # what an earlier version did has no number of states that were recognized
        within = sum(max(0, done.recognized - done.found) for done in made)
        different = sum(different for *_, different in sizes)
        return has_merged(within + different, sum(states for states, *_ in sizes))

    def _planned(self, progress: Progress, sizes: list[Sizes]) -> Progress:
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
        return self._planned(first, [(1, n, n * n, 1)])

    # ------------------------------------------------------------------ the folder

    def _begun(self) -> Progress | None:
        """How far the computation in the folder is; None if the folder is empty."""
        names = self.folder.names()
        if RECORD not in names:
            other = [name for name in names if name != INPUT and _level_of(name) is None]
            if other:
                raise InputError(
                    f"{self.folder.url('')} holds {other[0]} and no restrictions; expected an "
                    "empty folder, a new name, or the folder of the same computation."
                )
            return None
        try:
            found = json.loads(self.folder.read(RECORD))
            found["sums"], found["totals"] = _as_tuples(found["sums"]), tuple(found["totals"])
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
            self.folder.write(part_name(self.setting.rank, 0), _packed(states=root))
        self.folder.write(RECORD, json.dumps(asdict(self.progress), indent=1).encode())

    def _delete_older(self, k: int) -> None:
        """Delete what led to the level in k coordinates."""
        for name in self.folder.names():
            level = _level_of(name)
            if level is not None and (level > k or (level == k and ".from-" in name)):
                self.folder.remove(name)

    def _forget(self) -> None:
        for name in self.folder.names():
            if name != INPUT:
                self.folder.remove(name)

    # ------------------------------------------------------------------ tasks

    def _run(
        self, work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[tuple[Any, ...], Any]]:
        """What the tasks answer, with their names, in any order."""
        progress = self.progress
        key = self.folder.name, progress.question, progress.primes, progress.k
        most_bytes = self.most_bytes // self.workers
        return run_tasks(
            list(tasks),
            lambda stop: lambda task: work(key, most_bytes, *task, stop=stop),
            lambda task: (work, key, None, *task),
            workers=self.workers,
            client=self.client,
        )

    def _see(self, done: Iterable[Done], before: float) -> None:
        """Take note of the tasks that were done."""
        stage, done = self.stages[-1], list(done)
        stage.restricted = sum(one.restricted for one in done)
        stage.operations = sum(one.operations for one in done)
        stage.see(len(done), sum(one.found for one in done), sum(one.rows for one in done))
        self.operations = before + stage.operations
        self.promising = stage.k == self.setting.rank and self.setting.rank > 4


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
    return Setting.of(HomogeneousRows(_rows_of(found)), found["second"], primes=primes)


def do_task(
    key: Key,
    most_bytes: int | None,
    part: int,
    piece: int,
    stop: threading.Event | None = None,
) -> Done:
    """Restrict a piece of a file of states, and write the classes of the next level."""
    path, question, primes, k = key
    folder, setting = folder_at(path), _setting(path, question, primes)
    progress = json.loads(folder.read(RECORD))
    if progress["question"] != question or progress["k"] != k:
        raise InputError(f"{folder.url('')} holds the level no more that this task belongs to.")
    states = read_states(folder, part_name(k, part))
    pieces, shares = progress["pieces"][part], progress["shares"]
    chunks = chunks_of(states, pieces)
    chosen = deque([chunks[piece]] if piece < len(chunks) else [])
    expected = sum(chunk.stop - chunk.first for chunk in chosen)
    memory, merging = most_bytes or limits.available_bytes() // 4, progress.get("merging", True)
    descent = Descent(setting, k, memory, expected, merging)
    found = rows = spills = 0
    token = uuid4().hex[:8]

    def spill() -> None:
        nonlocal found, rows, spills
        for share in range(shares):
            classes = gathered(setting, k - 1, [descent.classes], share, shares)
            content = _packed(keys=classes.keys, states=classes.states)
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
    done = Done(
        descent.restricted,
        descent.operations,
        found,
        rows,
        spills,
        _as_tuples(descent.sums),
        descent.recognized,
        token,
    )
    folder.write(done_name(k, part, piece), json.dumps(done).encode())
    return done


def gather_share(
    key: Key,
    most_bytes: int | None,
    share: int,
    done: tuple[tuple[int, int, int, str], ...],
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
        for part, piece, spills, token in done:
            for spill in range(spills):
                if stop is not None and stop.is_set():
                    raise InterruptedError
                fragment = fragment_name(k - 1, part, piece, share, spill, token)
                sources.append(read_classes(folder, fragment))
        states = gathered(setting, k - 1, sources).states
        # those by which the classes of each task are known
        different = len(np.unique(np.concatenate([one.states.digest for one in sources])))
        folder.write(name, _packed(states=states))
    sizes = sizes_of(states)
    return len(sizes), int(sizes.sum()), int((sizes * sizes).sum()), different


# ------------------------------------------------------------------ files


def part_name(k: int, part: int) -> str:
    """The file of some states in k coordinates."""
    return f"level-{k:02}.part-{part:03}.npz"


def done_name(k: int, part: int, piece: int) -> str:
    """What says that a piece of a file of states was restricted."""
    return f"level-{k:02}.part-{part:03}.piece-{piece:05}.json"


def fragment_name(k: int, part: int, piece: int, share: int, spill: int, token: str) -> str:
    """The file of classes that a task found for one share of the level in k coordinates."""
    number = f"{spill}-{token}" if token else str(spill)  # without: of an earlier version
    return f"level-{k:02}.from-{part:03}-{piece:05}.share-{share:03}.{number}.npz"


def _level_of(name: str) -> int | None:
    found = re.match(r"level-(\d+)\.", name)
    return int(found[1]) if found else None


def read_done(folder: Folder, k: int, part: int, piece: int) -> Done:
    """What a task that was done said."""
    name = done_name(k, part, piece)
    try:
        found = Done(*json.loads(folder.read(name)))
        return found._replace(sums=_as_tuples(found.sums))
    except (ValueError, TypeError) as error:
        raise InputError(
            f"{folder.url(name)} is damaged: {first_line(error)}. Remove this file, so that its "
            "task is done again."
        ) from error


def read_states(folder: Folder, name: str) -> States:
    """The states of a file."""
    return _unpacked(folder, name, "states")[0]


def read_classes(folder: Folder, name: str) -> Classes:
    """The classes of a file."""
    return Classes(*_unpacked(folder, name, "keys", "states"))


def _packed(**groups: States) -> bytes:
    """The bytes of a file of states, without room to spare and without a hash table.

    Compressed as fast as zlib does: a seventh of the bytes in about a hundredth of the time that
    the states took.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, array in _members(groups):
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return stream.getvalue()


def _members(groups: dict[str, States]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Names and arrays of a file."""
    for group, states in groups.items():
        count, rows = states.used.tolist()
        length = {"rows": rows, "multiplicity": rows, "start": count + 1, "used": 2}
        for name in _ARRAYS:
            yield f"{group}.{name}", getattr(states, name)[: length.get(name, count)]


def _unpacked(folder: Folder, name: str, *groups: str) -> list[States]:
    try:
        content = folder.read(name)
    except FileNotFoundError as error:
        raise InputError(
            f"{folder.url(name)} is missing. Remove the folder and begin anew."
        ) from error
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            return [
                States(
                    **{array: found[f"{group}.{array}"] for array in _ARRAYS},
                    slots=np.full(1, -1),
                )
                for group in groups
            ]
    except MemoryError:
        raise
    except Exception as error:  # almost any exception may come of damaged content
        raise InputError(
            f"{folder.url(name)} is damaged: {first_line(error)}. Remove the folder and begin anew."
        ) from error


def _as_plain(rows: list[list[Any]], second: bool) -> dict[str, Any]:
    """What is computed, as JSON holds it: numbers of a field by their coefficients."""
    field = field_of_rows(rows)
    if field is None:
        return {"rows": rows, "second": second}
    entries = [[integers_of(entry, field.degree) for entry in row] for row in rows]
    return {"field": [field.polynomial, field.root_number], "rows": entries, "second": second}


def _rows_of(plain: dict[str, Any]) -> list[list[Any]]:
    """The rows of a stored question."""
    if "field" not in plain:
        return plain["rows"]
    polynomial, place = plain["field"]
    field = field_of_root(tuple(polynomial), place, "a")
    return [[whole_number(field, entry) for entry in row] for row in plain["rows"]]


def _as_tuples(numbers: Iterable[Iterable[Any]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int(number) for number in row) for row in numbers)
