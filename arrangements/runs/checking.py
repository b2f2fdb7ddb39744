"""Check a run on disk: its files, its rows, their number, and some of them by exact points."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import notebook
from arrangements.addresses import public_class
from arrangements.checks import checked_flag, checked_integer
from arrangements.errors import InputError
from arrangements.files.folder import Folder
from arrangements.kernels.modular.hashing import hashed
from arrangements.resources import limits
from arrangements.resources.scale import xxhash
from arrangements.runs.making import finish, tasks_of
from arrangements.runs.part_files import (
    Footer,
    checksum,
    decode,
    file_name,
    parse_name,
    stem,
)
from arrangements.runs.reading import draw, open_run
from arrangements.runs.record import TOTALS, Record, read_totals
from arrangements.runs.scheduling import PartId
from arrangements.runs.sources import Rows, Source
from arrangements.search.parts import Part

# Missing parts that are named.
_NAMED = 10


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
        What would take too long to prove, one sentence each.
    """

    parts: int = 0
    rows: int = 0
    patterns: int = 0
    problems: list[str] = field(default_factory=list)
    proofs: list[str] = field(default_factory=list)
    unproved: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        parts = f"{self.parts} part{' is' if self.parts == 1 else 's are'} whole"
        found = f"{parts}, with {self.patterns} patterns in {self.rows} rows."
        wrong = [f"wrong: {problem}" for problem in self.problems]
        return "\n".join([found, *self.proofs, *self.unproved, *wrong])

    def _repr_html_(self) -> str:
        found, *said = str(self).splitlines()
        return notebook.card(found, (), *said[: notebook.ROWS])


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
        Remove what is damaged or foreign, and make what is missing.
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
        If there is no run, or its record or input is damaged, from which all else would follow:
        then begin it again in another folder.
    MissingDependencyError
        If pyarrow or xxhash is not installed.

    Notes
    -----
    Each part is read whole: the checksums of its pages, that of its rows, its place in the run. No
    row may occur twice, in one part or in several. The number of rows is compared with the closed
    form in general position, and with the characteristic polynomial where that is cheap; where
    neither is, the report says so.

    Examples
    --------
    >>> import tempfile
    >>> from arrangements import write_chambers
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = write_chambers([[1, 0], [0, 1], [1, 1]], folder)
    ...     print(check_run(folder))
    1 part is whole, with 6 patterns in 3 rows.
    No row occurs twice.
    There are 6 chambers, as the closed form says.
    3 rows drawn at random have exact points.
    """
    points = checked_integer("points", points, 0)
    workers = checked_integer("workers", workers, 1)
    repair, progress = checked_flag("repair", repair), checked_flag("progress", progress)
    run = open_run(path)
    xxhash()  # is there, or no part would be whole
    checking = _Checking(run.folder, run.record, run.source, progress)
    report = checking.report(points)
    if report or not repair:
        return report
    for name in [*checking.damaged, *checking.foreign, TOTALS]:
        run.folder.remove(name)
    run.folder.remove_temporaries()
    finish(run.folder, run.record, run.source, workers=workers, progress=progress)
    return _Checking(run.folder, run.record, run.source, progress).report(points)


class _Checking:
    """One reading of a run."""

    def __init__(self, folder: Folder, record: Record, source: Source, progress: bool) -> None:
        self.folder, self.record, self.source = folder, record, source
        self.progress = progress
        self.damaged: list[str] = []
        self.foreign: list[str] = []
        self.whole: list[tuple[str, int]] = []
        self.problems: list[str] = []

    def report(self, points: int) -> RunReport:
        self._read_all()
        rows = sum(count for _, count in self.whole)
        patterns = rows * (2 if self.source.half else 1)
        report = RunReport(len(self.whole), rows, patterns, self.problems)
        if self.problems:
            return report
        if self._has_repeated():
            report.problems.append("some rows occur more than once.")
            return report
        report.proofs.append("No row occurs twice.")
        self._check_number(report)
        self._check_points(report, points)
        return report

    def _read_all(self) -> None:
        """Look at every part that there should be, and at every file that there is."""
        names: dict[str, list[str]] = {}
        for name in self.folder.names():
            found = parse_name(name)
            if found is not None:
                names.setdefault(found[0], []).append(name)
            elif fnmatchcase(name, "part-*.parquet"):  # other programs would read it
                self.foreign.append(name)
        expected: set[str] = set()
        waiting = tasks_of(self.record)[::-1]
        total = len(waiting)
        missing = []
        for part, what in self._with_progress(waiting, total):
            there = names.get(stem(part), [])
            footer = None
            for name in there:
                footer = footer or self._read(name, part, what)
                if footer is not None and name == file_name(part, len(footer.rest)):
                    expected.add(name)
            if footer is None:
                if not there:
                    missing.append(file_name(part, 0))
                continue
            waiting += [((*part, k), piece) for k, piece in enumerate(footer.rest)][::-1]
        known = expected | set(self.damaged)
        listed = (name for there in names.values() for name in there)
        self.foreign += [name for name in listed if name not in known]
        self.problems += [f"{name} is missing." for name in missing[:_NAMED]]
        if len(missing) > _NAMED:
            self.problems.append(
                f"{len(missing) - _NAMED} more parts are missing: the call that began the run goes "
                "on with it."
            )
        self.problems += [f"{name} is no part of this run." for name in self.foreign]
        if not self.problems and read_totals(self.folder, self.record) != self._rows():
            self.problems.append(f"{TOTALS} is missing or says another number of rows.")

    def _rows(self) -> int:
        return sum(count for _, count in self.whole)

    def _with_progress(
        self, waiting: list[tuple[PartId, Part]], total: int
    ) -> Iterator[tuple[PartId, Part]]:
        def each() -> Iterator[tuple[PartId, Part]]:
            while waiting:
                yield waiting.pop()

        if not self.progress:
            return each()
        from tqdm import tqdm  # loads slowly

        bar: Any = tqdm(each(), total=total, unit=" parts", leave=False)
        return iter(bar)

    def _read(self, name: str, part: PartId, what: Part) -> Footer | None:
        """Footer of a part that is whole; else None, and the problem is noted."""
        try:
            footer, rows = decode(self.folder.read(name), self.source, name)
            self._refuse_wrong(footer, rows, name, part, what)
        except (InputError, OSError) as error:
            self.damaged.append(name)
            self.problems.append(str(error))
            return None
        self.whole.append((name, len(rows)))
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

    def _has_repeated(self) -> bool:
        """Whether a row occurs twice, in as many passes as memory asks for."""
        room = max(2**20, limits.available_bytes() // 4)
        passes = -(-8 * self._rows() // room)
        for number in range(passes):
            digests = np.concatenate(
                [
                    found[found % np.uint64(passes) == np.uint64(number)]
                    for found in map(_digests, self._keys())
                ]
                or [np.zeros(0, np.uint64)]
            )
            digests.sort()
            twice = np.unique(digests[1:][digests[1:] == digests[:-1]])
            if len(twice) and self._repeated_among(twice):
                return True
        return False

    def _repeated_among(self, digests: NDArray[np.uint64]) -> bool:
        """Whether rows with one of these digests are equal: a digest alone decides nothing."""
        found = [words[np.isin(_digests(words), digests)] for words in self._keys()]
        rows = np.concatenate(found)
        return len(np.unique(rows, axis=0)) < len(rows)

    def _check_number(self, report: RunReport) -> None:
        known = self.source.known_number()
        if known is None:
            report.unproved.append(
                f"The number of {self.source.noun} is not compared with another count: none is "
                "cheap."
            )
            return
        number, how = known
        if number == report.patterns:
            report.proofs.append(f"There are {number} {self.source.noun}, as {how} says.")
        else:
            report.problems.append(
                f"there are {report.patterns} {self.source.noun}, but {how} says {number}."
            )

    def _check_points(self, report: RunReport, points: int) -> None:
        points = min(points, self._rows())
        for k, drawn in draw([count for _, count in self.whole], points, np.random.default_rng()):
            name = self.whole[k][0]
            rows = decode(self.folder.read(name), self.source, name)[1]
            for i in drawn.tolist():
                if not self.source.proof(rows[i : i + 1]):
                    report.problems.append(f"row {i} of {name} does not occur.")
        if points and not report.problems:
            report.proofs.append(f"{points} rows drawn at random have exact points.")


def _digests(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A word for each row, different for most that are different."""
    digest = np.zeros(len(words), np.uint64)
    for word in words.T:
        digest = hashed(digest + word)
    return digest
