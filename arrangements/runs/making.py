"""Make the parts of a run: in threads of this process, or as tasks of a Dask cluster."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from arrangements.errors import InputError, InputTypeError, shown
from arrangements.files.folder import Folder, folder_at, missing
from arrangements.runs.part_files import (
    Footer,
    PartId,
    encode,
    file_name,
    parse_name,
    read_footer,
    stem,
)
from arrangements.runs.record import (
    Record,
    flag_of,
    read_record,
    read_source,
    read_totals,
    write_totals,
)
from arrangements.runs.sources import Rows, Source
from arrangements.search.flag import Flag
from arrangements.search.parts import Part

# Tasks beyond those that run: enough that no worker waits, few enough to forget quickly.
_AHEAD = 2


class Made(NamedTuple):
    """What there is to say of a part that was made."""

    part: PartId
    rows: int
    stored_bytes: int
    rest: tuple[Part, ...]


class Maker:
    """Makes parts of one run, one after the other; each thread has its own."""

    def __init__(
        self,
        folder: Folder,
        record: Record,
        source: Source,
        flag: Flag | None,
        stop: threading.Event | None = None,
    ) -> None:
        self.folder, self.record, self.source = folder, record, source
        self._stop = stop
        self._sweep = None if flag is None else source.sweep(flag)
        self._out: Rows | None = None

    @classmethod
    def at(cls, path: str, digest: str) -> Maker:
        """The maker of the run with this digest in a folder."""
        folder = folder_at(path)
        record = read_record(folder)
        if record is None or record.digest != digest:
            raise InputError(f"{path} holds the run no more that this part belongs to.")
        source = read_source(folder, record)
        return cls(folder, record, source, flag_of(record, source))

    def make(self, part: PartId, what: Part) -> Made:
        """Sweep a part and write its file."""
        rows, rest = self._swept(what)
        content = encode(self.record, self.source, part, what, self.source.sorted(rows), rest)
        self.folder.write(file_name(part, len(rest)), content)
        return Made(part, len(rows), len(content), tuple(rest))

    def _swept(self, what: Part) -> tuple[Rows, list[Part]]:
        """Rows of a part, and what it leaves for others if they are enough."""
        if self._sweep is None:
            return self.source.in_one(), []
        enough = self.record.rows_per_part
        self._sweep.restart(what, enough)
        if self._out is None:  # pages that are not written to take no memory
            width, dtype = self.source.shape
            self._out = np.empty((enough + self.source.line_rows, width), dtype)
        count, finished, full = 0, False, False
        while not (finished or full):
            if self._stop is not None and self._stop.is_set():
                raise InterruptedError
            finished, full, count = self._sweep.advance(self._out, count, True)
        return self._out[:count], [] if finished else self._sweep.rest()


Task = tuple[PartId, Part]


def tasks_of(record: Record) -> list[Task]:
    """The parts that a run began with."""
    return [((i,), part) for i, part in enumerate(record.parts)]


def finish(
    folder: Folder,
    record: Record,
    source: Source,
    *,
    workers: int = 1,
    client: Any = None,
    progress: bool = False,
) -> None:
    """Make the missing parts of a run, and say that it is complete."""
    tasks, files = missing_parts(folder, record)
    if not tasks and read_totals(folder, record) is not None:
        return
    if client is None:
        found = _make_in_threads(folder, record, source, tasks, workers)
    else:
        found = _make_on_dask(client, folder.name, record, tasks)
    rows = sum(own_footer(folder, record, name).rows for name in files.values())
    parts = len(files)
    for made in _with_bar(found, record, rows, progress):
        rows += made.rows
        parts += 1
    write_totals(folder, record, rows, parts)


def own_footer(folder: Folder, record: Record, name: str) -> Footer:
    """Footer of a part's file, which must be one of this run."""
    footer = read_footer(folder, name)
    if footer.run != record.digest:
        raise InputError(f"{folder.url(name)} belongs to another run; check the run and repair it.")
    return footer


def _with_bar(made: Iterator[Made], record: Record, rows: int, progress: bool) -> Iterator[Made]:
    """The parts made, with a bar that counts their patterns; `rows` were there before."""
    if not progress:
        yield from made
        return
    from tqdm import tqdm  # loads slowly

    sides = 2 if record.half else 1
    bar = tqdm(
        total=max(record.expected_rows, rows) * sides,
        initial=rows * sides,
        unit=f" {record.noun}",
        unit_scale=True,
        leave=False,
    )
    with bar:
        for one in made:
            bar.update(one.rows * sides)
            yield one


def check_client(client: Any) -> None:
    """Refuse what is neither a client of Dask nor None."""
    if client is None:
        return
    try:
        from distributed import Client  # an extra
    except ImportError as error:
        raise missing("dask[distributed]", "to use a client") from error
    if not isinstance(client, Client):
        raise InputTypeError(f"client is {shown(client)}; expected a distributed.Client.")


def missing_parts(folder: Folder, record: Record) -> tuple[list[Task], dict[PartId, str]]:
    """Parts that are still to be made, and the files of those that are there."""
    there: dict[str, tuple[str, int]] = {}
    for name in folder.names():
        found = parse_name(name)
        if found is not None:
            there[found[0]] = name, found[1]
    tasks: list[Task] = []
    files: dict[PartId, str] = {}
    waiting = tasks_of(record)[::-1]
    while waiting:
        part, what = waiting.pop()
        if stem(part) not in there:
            tasks.append((part, what))
            continue
        files[part], pieces = there[stem(part)]
        children = [(*part, k) for k in range(pieces)]
        names = [there.get(stem(child), ("", 1)) for child in children]
        if any(left for _, left in names):  # one is missing, or was split itself
            rest = read_footer(folder, files[part]).rest
            waiting += list(zip(children, rest, strict=False))[::-1]
        else:
            files.update({child: name for child, (name, _) in zip(children, names, strict=True)})
    return tasks, files


def _make_in_threads(
    folder: Folder, record: Record, source: Source, tasks: Iterable[Task], workers: int
) -> Iterator[Made]:
    """Make parts, and what they leave, in that many threads."""
    flag = flag_of(record, source)
    stop = threading.Event()
    return _side_by_side(
        lambda: Maker(folder, record, source, flag, stop).make, tasks, workers, stop
    )


def _side_by_side(
    worker: Callable[[], Callable[[PartId, Part], Made]],
    tasks: Iterable[Task],
    workers: int,
    stop: threading.Event,
) -> Iterator[Made]:
    """What the workers answer to the tasks, and to those that their answers leave."""
    waiting: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
    ready: queue.SimpleQueue[Made | BaseException] = queue.SimpleQueue()

    def run() -> None:
        try:
            work = worker()
            while (task := waiting.get()) is not None and not stop.is_set():
                ready.put(work(*task))
        except BaseException as error:  # handed to the caller's thread
            ready.put(error)

    left = 0
    for task in tasks:
        waiting.put(task)
        left += 1
    # parts may be split, so that there are more of them than now, but not more processors
    useful = min(workers, max(left, os.cpu_count() or 1)) if left else 0
    threads = [threading.Thread(target=run, daemon=True) for _ in range(useful)]
    for thread in threads:
        thread.start()
    try:
        while left:
            made = ready.get()
            if isinstance(made, BaseException):
                raise made
            for task in _rest(made):
                waiting.put(task)
                left += 1
            left -= 1
            yield made
    finally:
        stop.set()
        for _ in threads:
            waiting.put(None)
        for thread in threads:
            thread.join()


def _rest(made: Made) -> list[Task]:
    return [((*made.part, k), piece) for k, piece in enumerate(made.rest)]


def _make_on_dask(client: Any, path: str, record: Record, tasks: Iterable[Task]) -> Iterator[Made]:
    """Make parts, and what they leave, as tasks of a Dask cluster.

    A task is the number of a part and what it is; its answer is as small. A task that runs twice
    writes the same file twice.
    """
    from distributed import as_completed  # an extra

    ahead = _AHEAD * max(1, sum(client.nthreads().values()))
    waiting = list(tasks)[::-1]

    def submit() -> Any:
        part, what = waiting.pop()
        key = f"arrangements-{record.digest[:16]}-{'.'.join(map(str, part))}"
        return client.submit(make_part, path, record.digest, part, tuple(what), key=key, pure=False)

    running = as_completed([submit() for _ in range(min(ahead, len(waiting)))])
    for future in running:
        made = Made(*future.result())
        future.release()
        waiting += _rest(made)[::-1]
        while waiting and running.count() < ahead:
            running.add(submit())
        yield made


def make_part(path: str, digest: str, part: PartId, what: tuple[Any, ...]) -> tuple[Any, ...]:
    """One task on a worker: see `Maker.make`."""
    maker = _maker(path, digest, threading.get_ident())
    return tuple(maker.make(part, Part(*what)))


@lru_cache(maxsize=8)
def _maker(path: str, digest: str, thread: int) -> Maker:
    """The maker of a thread, kept from task to task."""
    del thread  # one for each
    return Maker.at(path, digest)
