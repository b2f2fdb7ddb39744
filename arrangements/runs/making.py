"""Make the parts of a run: in threads of this process, or as tasks of a Dask cluster."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

from arrangements.errors import InputError
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import run_tasks
from arrangements.files.folder import Folder, folder_at
from arrangements.log import logger
from arrangements.runs.manifest import (
    REPAIR,
    Manifest,
    file_digest,
    is_sealed,
    read_totals,
    write_manifest,
)
from arrangements.runs.part_files import (
    encode,
    file_name,
    parse_name,
    read_part,
    stem,
)
from arrangements.runs.partition import PartId, Task, pieces_left
from arrangements.runs.record import INPUT, RECORD, Record, flag_of, read_record, read_source
from arrangements.runs.sources import Rows, Source
from arrangements.runs.sweeping import PartSweep, RowOrder
from arrangements.search.flag import Flag
from arrangements.search.parts import Part


class Made(NamedTuple):
    """What there is to say of a part that was made."""

    part: PartId
    rows: int
    rest: tuple[Part, ...]
    name: str
    digest: str


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
        enough = min(record.rows_per_part, source.question.bound())
        room = enough + source.line_rows  # for all of a part, which is sorted
        self._sweep = None if flag is None else PartSweep(source, flag, enough, room, stop)
        self._order = RowOrder(source, room)

    def encode(self, task: Task) -> tuple[memoryview, Made]:
        """Sweep a part; the content of its file."""
        part, what = task
        rows, rest = self._sweep_part(what)
        in_order = self._order.sorted(rows)
        content = encode(self.record, self.source, part, what, in_order, rest)
        name = file_name(part, len(rest))
        return content, Made(part, len(rows), tuple(rest), name, file_digest(content))

    def _sweep_part(self, what: Part) -> tuple[Rows, list[Part]]:
        """Rows of a part, and what it leaves for others if they are enough."""
        if self._sweep is None:
            return self.source.all_rows(), []
        return next(self._sweep.blocks(what), self.source.no_rows), self._sweep.rest


def store(folder: Folder, encoded: tuple[memoryview, Made]) -> Made:
    """Write the file of a part, which takes time but hardly a processor."""
    content, made = encoded
    folder.write(made.name, content)
    return made


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
    rows, digests = _read_finished(folder, record, files.values())
    logger.info("parts of the run to make: %d; there: %d", len(tasks), len(files))
    found = run_tasks(
        tasks,
        lambda stop: Maker(folder, record, source, flag_of(record, source), stop).encode,
        lambda task: (make_part, folder.name, record.digest, task[0], tuple(task[1])),
        rest=lambda made: pieces_left(made.part, made.rest),
        then=partial(store, folder),
        name=lambda task: task_name(record.digest[:16], task[0]),
        workers=workers,
        client=client,
    )
    for made in with_bar(found, record, rows, progress, record.expected_rows):
        rows += made.rows
        logger.debug("part %s: %d rows", made.name, made.rows)
        digests[made.name] = made.digest
    write_manifest(folder, record, rows, digests)


def _read_finished(
    folder: Folder, record: Record, names: Iterable[str]
) -> tuple[int, dict[str, str]]:
    """Rows and digests of the parts that are there, whose bytes must be those that were written."""
    rows, digests = 0, {}
    for name in names:
        footer, content = read_part(folder, name, record.digest)
        if not is_sealed(content):
            raise InputError(
                f"{folder.url(name)} does not have the bytes that were written.", REPAIR
            )
        rows += footer.rows
        digests[name] = file_digest(content)
    begun = {name: file_digest(folder.read(name)) for name in (RECORD, INPUT)}
    Manifest(folder).refuse_other(folder, begun | digests)
    return rows, digests


def with_bar(
    answers: Iterator[tuple[Task, Any]], record: Record, rows: int, progress: bool, expected: int
) -> Iterator[Any]:
    """The answers about parts, with a bar that counts their patterns.

    Of about `expected` rows, `rows` were there before.
    """
    sides = 2 if record.half else 1
    total, before = max(expected, rows) * sides, rows * sides
    found = (answer for _, answer in answers)
    return with_progress(found, progress, total, lambda one: one.rows * sides, record.noun, before)


def task_name(key: str, part: PartId) -> str:
    """Name of a task on a cluster, which no other work has."""
    return f"arrangements-{key}-{'.'.join(map(str, part))}"


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
            rest = read_part(folder, files[part])[0].rest
            waiting += list(zip(children, rest, strict=False))[::-1]
        else:
            files.update({child: name for child, (name, _) in zip(children, names, strict=True)})
    return tasks, files


def make_part(path: str, digest: str, part: PartId, what: tuple[Any, ...]) -> Made:
    """One task on a worker. If it runs twice it writes the same file twice."""
    maker = _maker(path, digest, threading.get_ident())
    return store(maker.folder, maker.encode((part, Part(*what))))


@lru_cache(maxsize=8)
def _maker(path: str, digest: str, thread: int) -> Maker:
    """The maker of a thread, kept from task to task."""
    del thread  # one for each
    folder = folder_at(path)
    record = read_record(folder)
    if record is None or record.digest != digest:
        raise InputError(
            f"{path} does not hold the run of this part: it was replaced, or the workers of a "
            "cluster do not reach the folder."
        )
    source = read_source(folder, record)
    return Maker(folder, record, source, flag_of(record, source))
