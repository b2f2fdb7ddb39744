"""Check a run on disk: its files, its rows, their number, and some of them by exact points."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_integer
from arrangements.errors import InputError
from arrangements.execution import limits
from arrangements.execution.progress import with_progress
from arrangements.files.folder import folder_at
from arrangements.kernels.modular.hashing import hash_words
from arrangements.messages import quote, quote_path
from arrangements.runs.making import finish, tasks_of
from arrangements.runs.manifest import REPAIR, TOTALS, Manifest, is_sealed, read_totals, xxhash
from arrangements.runs.part_files import (
    Footer,
    checksum,
    decode,
    file_name,
    parse_name,
    stem,
)
from arrangements.runs.partition import PartId, Task, pieces_left
from arrangements.runs.reading import Run, draw, open_run
from arrangements.runs.record import INPUT, RECORD
from arrangements.runs.sources import Rows
from arrangements.search.parts import Part

# Missing parts, and files of others, that are named.
_NAMED = 10
# What a process that was killed while it wrote a file of a run leaves.
_UNFINISHED = re.compile(r"\.(part-|run\.json|input\.npz|complete\.json)")
Words = NDArray[np.uint64]


@public_class
@dataclass
class RunReport:
    """What `check_run` found.

    Attributes
    ----------
    parts, rows, patterns : int
        That are there and whole.
    problems : list of str
        One sentence each; none if the run is as it should be.
    proofs : list of str
        What was proved, one sentence each.
    unproved : list of str
        What would take too long to prove, or cannot be proved, one sentence each.
    notes : list of str
        Files in the folder that do not belong to the run, and do no harm, one sentence each.
    """

    parts: int = 0
    rows: int = 0
    patterns: int = 0
    problems: list[str] = field(default_factory=list)
    proofs: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        parts = f"{self.parts} part{' is' if self.parts == 1 else 's are'} whole"
        found = f"{parts}, with {self.patterns} patterns in {self.rows} rows."
        wrong = [f"wrong: {problem}" for problem in self.problems]
        if wrong:
            wrong.append(
                "check_run(path, repair=True), or arrangements check RUN --repair, mends it."
            )
        return "\n".join([found, *self.proofs, *self.unproved, *self.notes, *wrong])

    def _repr_html_(self) -> str:
        found, *lines = str(self).splitlines()
        return notebook.card(found, (), *lines[: notebook.ROWS])


def check_run(
    path: str | os.PathLike[str],
    *,
    points: int = 100,
    repair: bool = False,
    workers: int = 1,
    progress: bool = False,
) -> RunReport:
    """Read every part of a run, and say what is wrong with it.

    Parameters
    ----------
    path : str or path-like
        Folder or URL.
    points : int
        Rows that are proved to occur, by an exact point.
    repair : bool
        Remove what is damaged or unfinished, and foreign parts, and make what is missing.
    workers : int
        Threads that make parts.
    progress : bool
        Show a bar on standard error.

    Returns
    -------
    RunReport
        True in a boolean context iff nothing is wrong; after a repair, of the run as it is then.

    Raises
    ------
    InputError
        If there is no run, or its record or input is damaged, from which all else follows. A repair
        takes both from the manifest of a complete run; the call that began a run writes its input
        again.
    MissingDependencyError
        If pyarrow or xxhash is not installed.

    Notes
    -----
    Every file of a complete run is compared with its digest in the manifest ``complete.json``, so
    any changed bit is found. Each part is read whole: its digest, the checksums of its pages, that
    of its rows, its place in the run. No row may occur twice, in one part or in several. The number
    of rows is compared with the closed form in general position, and with the characteristic
    polynomial where that is cheap; where neither is, the report says so.

    A repair removes files that are called as parts (``part-*.parquet``) and are none of this run,
    since other programs would read them, and files that a killed process of this package was
    writing: no other process may be writing the run. Other files are named, and stay.

    Examples
    --------
    >>> import tempfile
    >>> from arrangements import write_chambers
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_chambers([[1, 0], [0, 1], [1, 1]], folder)
    ...     print(check_run(folder))
    1 part is whole, with 6 patterns in 3 rows.
    Every file has the bytes with which the run was completed.
    No row occurs twice.
    There are 6 chambers, as the closed form says.
    3 rows drawn at random have exact points.
    """
    points = check_integer("points", points, 0)
    workers = check_integer("workers", workers, 1)
    repair, progress = check_flag("repair", repair), check_flag("progress", progress)
    xxhash()  # refuse now, or no part would be whole
    folder = folder_at(path)
    if repair:
        Manifest(folder).restore(folder)
    try:
        run = open_run(path)
    except InputError as error:
        if repair or not Manifest(folder).digests:
            raise
        raise InputError(str(error), REPAIR) from error
    check = _RunCheck(run, progress)
    report = check.report(points)
    if report or not repair:
        return report
    for name in [*check.damaged, *check.foreign, TOTALS]:
        folder.remove(name)
    finish(folder, run.record, run.source, workers=workers, progress=progress)
    return _RunCheck(run, progress).report(points)


class _RunCheck:
    """One reading of a run."""

    def __init__(self, run: Run, progress: bool) -> None:
        self.folder, self.record, self.source = run.folder, run.record, run.source
        self.progress, self.manifest = progress, Manifest(run.folder)
        if self.manifest.run not in ("", self.record.digest):
            self.manifest.digests = {}
            self.manifest.problem = f"{TOTALS} belongs to another run."
        self.damaged: list[str] = []
        self.foreign: list[str] = []
        self.whole: list[tuple[str, int]] = []
        self.problems: list[str] = []
        self._repeats = Repeats()

    def report(self, points: int) -> RunReport:
        manifest, notes = self.manifest, self._read_all()
        patterns = self._rows() * self.source.question.sides
        report = RunReport(len(self.whole), self._rows(), patterns, self.problems, notes=notes)
        if not manifest.digests:
            when = "is not as it was" if manifest.problem else "is written when the run is complete"
            report.unproved.append(
                "Only parts are compared, with digests of their own: "
                f"{TOTALS}, which has those of the other files, {when}."
            )
        if self.problems:
            return report
        if manifest.digests:
            report.proofs.append("Every file has the bytes with which the run was completed.")
        if self._repeats.found(self._keys):
            report.problems.append("some rows occur more than once.")
            return report
        report.proofs.append("No row occurs twice.")
        self._check_number(report)
        self._check_points(report, points)
        return report

    def _read_all(self) -> list[str]:
        """Look at every part that there should be, and at every file that there is.

        Returns the notes on files that do not belong to the run.
        """
        if self.manifest.problem:
            self.problems.append(self.manifest.problem)
        self._check_record()
        names, others = self._names()
        missing = self._read_parts(names)
        seen = {name for name, _ in self.whole} | set(self.damaged)
        for name in (name for there in names.values() for name in there if name not in seen):
            if name not in self.manifest.digests:
                self.foreign.append(name)
            elif self._is_changed(name, self.folder.read(name)):  # a piece of a part that is lost
                self.damaged.append(name)
        self.problems += [f"{name} is missing." for name in missing[:_NAMED]]
        if len(missing) > _NAMED:
            self.problems.append(
                f"{len(missing) - _NAMED} more parts are missing: the call that began the run goes "
                "on with it."
            )
        self.problems += [f"{quote_path(name)} is no part of this run." for name in self.foreign]
        unfinished = [x for x in self.folder.temporaries() if _UNFINISHED.match(x)]
        self.problems += [
            f"{quote_path(name)} is unfinished: a process was killed while it wrote this file, or "
            "is writing it."
            for name in unfinished
        ]
        self.foreign += unfinished
        if not self.problems and read_totals(self.folder, self.record) != self._rows():
            self.problems.append(f"{TOTALS} is missing or says another number of rows.")
        notes = [f"{quote_path(name)} does not belong to the run." for name in others[:_NAMED]]
        if len(others) > _NAMED:
            notes.append(f"{len(others) - _NAMED} more files do not belong to the run.")
        return notes

    def _names(self) -> tuple[dict[str, list[str]], list[str]]:
        """Files called as parts of this run, by the `stem` of the part, and files of others."""
        names: dict[str, list[str]] = {}
        others: list[str] = []
        for name in self.folder.names():
            found = parse_name(name)
            if found is not None:
                names.setdefault(found[0], []).append(name)
            elif fnmatchcase(name, "part-*.parquet"):  # other programs would read it
                self.foreign.append(name)
            elif name not in (RECORD, INPUT, TOTALS):
                others.append(name)
        return names, others

    def _read_parts(self, names: dict[str, list[str]]) -> list[str]:
        """Read every part that there should be; returns the names of those that are missing."""
        waiting = tasks_of(self.record)[::-1]
        missing = []

        def each() -> Iterator[Task]:
            while waiting:
                yield waiting.pop()

        for part, what in with_progress(
            each(), self.progress, len(waiting), lambda _: 1, noun="parts"
        ):
            there = names.get(stem(part), [])
            footer = None
            for name in there:
                footer = footer or self._read(name, part, what)
            if footer is not None:
                waiting += pieces_left(part, footer.rest)[::-1]
            elif not there:
                missing.append(file_name(part, 0))
        return missing

    def _check_record(self) -> None:
        """Compare what the run began with; a repair has restored both before."""
        for name in (RECORD, INPUT):
            content = self.folder.read(name)
            if self._is_changed(name, content) and name == RECORD:
                then = json.loads(self.manifest.copies[RECORD]).get("version")
                if then != self.record.version:
                    self.problems[-1] += (
                        f" Its version is {quote(self.record.version)}, and was {quote(then)}."
                    )

    def _is_changed(self, name: str, content: bytes) -> bool:
        """Whether the manifest has another digest of a file; the problem is noted."""
        problem = self.manifest.problem_of(name, content)
        if problem is not None:
            self.problems.append(problem)
        return problem is not None

    def _rows(self) -> int:
        return sum(count for _, count in self.whole)

    def _read(self, name: str, part: PartId, what: Part) -> Footer | None:
        """Footer of a part that is whole; else None, and the problem is noted."""
        try:
            content = self.folder.read(name)
            if self._is_changed(name, content):
                self.damaged.append(name)
                return None
            footer, rows = decode(content, self.source, name)
            if not is_sealed(content):
                raise InputError(f"{name} does not have the bytes that were written.")
            self._refuse_wrong(footer, rows, name, part, what)
        except (InputError, OSError) as error:
            self.damaged.append(name)
            self.problems.append(str(error))
            return None
        self.whole.append((name, len(rows)))
        self._repeats.add(self.source.to_words(rows))
        return footer

    def _refuse_wrong(
        self, footer: Footer, rows: Rows, name: str, part: PartId, what: Part
    ) -> None:
        if footer.run != self.record.digest:
            raise InputError(f"{name} belongs to another run.")
        if (footer.part, footer.what) != (part, what):
            raise InputError(f"{name} holds part {'.'.join(map(str, footer.part))}.")
        if name != file_name(part, len(footer.rest)):
            raise InputError(f"{name} has {len(footer.rest)} pieces, which its name denies.")
        if (len(rows), checksum(rows)) != (footer.rows, footer.checksum):
            raise InputError(f"{name} has other rows than its checksum says.")

    def _keys(self) -> Iterator[NDArray[np.uint64]]:
        for name, _ in self.whole:
            yield self.source.to_words(decode(self.folder.read(name), self.source, name)[1])

    def _check_number(self, report: RunReport) -> None:
        noun, known = self.source.noun, self.source.known_number()
        if known is None:
            report.unproved.append(
                f"The number of {noun} is not compared with another count: none is cheap."
            )
        elif known[0] == report.patterns:
            report.proofs.append(f"There are {known[0]} {noun}, as {known[1]} says.")
        else:
            report.problems.append(
                f"there are {report.patterns} {noun}, but {known[1]} says {known[0]}."
            )

    def _check_points(self, report: RunReport, points: int) -> None:
        points = min(points, self._rows())
        for k, drawn in draw([count for _, count in self.whole], points, np.random.default_rng()):
            name = self.whole[k][0]
            rows = decode(self.folder.read(name), self.source, name)[1]
            for i in drawn.tolist():
                if self.source.point_of(rows[i : i + 1]) is None:
                    report.problems.append(f"row {i} of {name} does not occur.")
        if points and not report.problems:
            report.proofs.append(f"{points} rows drawn at random have exact points.")


# ------------------------------------------------------------------ rows that occur twice


class Repeats:
    """Collects digests of rows while the parts are read, as long as memory has room for them."""

    def __init__(self) -> None:
        self._room = max(2**20, limits.available_bytes() // 4)
        self._rows = 0
        self._digests: list[Words] | None = []

    def add(self, words: Words) -> None:
        """Take the rows of one more part, as words."""
        self._rows += len(words)
        if self._digests is None or 8 * self._rows > self._room:
            self._digests = None  # the parts are read again
        else:
            self._digests.append(_digests(words))

    def found(self, parts: Callable[[], Iterator[Words]]) -> bool:
        """Whether a row occurs twice; reads the parts again, once or more, if memory is scarce."""
        passes = -(-8 * self._rows // self._room)
        for number in range(passes):
            if self._digests is None:
                every = map(_digests, parts())
                pieces = [x[x % np.uint64(passes) == np.uint64(number)] for x in every]
            else:
                pieces, self._digests = self._digests, None
            digests = np.concatenate([np.zeros(0, np.uint64), *pieces])
            pieces.clear()
            digests.sort()
            twice = np.unique(digests[1:][digests[1:] == digests[:-1]])
            if len(twice):
                rows = np.concatenate([x[np.isin(_digests(x), twice)] for x in parts()])
                if len(np.unique(rows, axis=0)) < len(rows):
                    return True
        return False


def _digests(words: Words) -> Words:
    """A word for each row, different for most that are different."""
    digest = np.zeros(len(words), np.uint64)
    for word in words.T:
        digest = hash_words(digest + word)
    return digest
