"""Check a long count in a folder: its numbers, its levels, and some of its tasks, done again."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.addresses import public_class
from arrangements.checks import check_flag, check_integer, random_generator
from arrangements.counting.records import RECORD_FILE, check_numbers
from arrangements.counting.restriction_files import (
    INPUT,
    RECORD,
    Level,
    TaskReport,
    part_name,
    question_of,
    read_progress,
    read_report,
    read_states,
    rows_of_plain,
)
from arrangements.counting.restriction_tasks import (
    Key,
    Piece,
    multiplicity_hashes,
    setting_of,
    sizes_with,
    sum_of,
)
from arrangements.counting.states import Setting, choose_states, join_states
from arrangements.errors import InputError
from arrangements.execution import limits
from arrangements.execution.progress import with_progress
from arrangements.execution.tasks import in_order
from arrangements.feasibility.cone_system import HomogeneousRows, residues_of
from arrangements.files.folder import Folder, folder_at
from arrangements.kernels.structure import images
from arrangements.kernels.structure.states import COUNT, Classes, States
from arrangements.messages import quote

# Classes of each task done again that are looked for among the states of the next level.
_PROBES = 3


@public_class
@dataclass
class CountReport:
    """What `check_count` found.

    Attributes
    ----------
    levels, tasks : int
        Of the count.
    redone : int
        Tasks that were done again.
    problems : list of str
        One sentence each; none if the count is as it should be.
    proofs : list of str
        What holds, one sentence each.
    """

    levels: int = 0
    tasks: int = 0
    redone: int = 0
    problems: list[str] = field(default_factory=list)
    proofs: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return not self.problems

    def __str__(self) -> str:
        done = f"{self.redone} of {self.tasks} tasks on {self.levels} levels were done again."
        wrong = [f"wrong: {problem}" for problem in self.problems]
        return "\n".join([done, *wrong, *self.proofs])


def check_count(
    path: str | os.PathLike[str],
    *,
    sample: float = 0.01,
    rng: int | np.random.Generator | None = None,
    workers: int = 1,
    progress: bool = False,
) -> CountReport:
    """Check a count that `betti_numbers` left in a folder, and do some of its tasks again.

    Of any complete count, the numbers are computed again from their residues and compared with the
    record and with theorems. Of one with a transcript, so are all levels: the weights that the
    tasks of each passed on have to be those of the next, the first has to be the arrangement, and
    tasks that are chosen at random have to find again what they found.

    Parameters
    ----------
    path : str or path-like
        The folder, or a URL that fsspec knows, that was `checkpoint`.
    sample : float
        Share of the tasks that are done again, above 0 and at most 1, and at least one of each
        level.
    rng : int or numpy.random.Generator, optional
        Chooses the tasks; default others each time.
    workers : int
        Threads.
    progress : bool
        Count tasks on standard error.

    Returns
    -------
    CountReport
        True if nothing is wrong.

    Raises
    ------
    InputError
        If the folder holds no complete count, or a file is damaged.

    Notes
    -----
    If a share f of the tasks were wrong, m tasks done again would miss them with a chance of
    (1 - f)^m. All of one level fit in memory only one file at a time, so that a check takes no
    more of it than a task.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from arrangements import betti_numbers
    >>> from arrangements.generators import resonance
    >>> folder = mkdtemp()
    >>> betti_numbers(resonance(5), checkpoint=folder, transcript=True)
    (1, 31, 375, 2130, 5270, 3485)
    >>> bool(check_count(folder, sample=1))
    True
    """
    if isinstance(sample, bool) or not isinstance(sample, (int, float)) or not 0 < sample <= 1:
        raise InputError(f"sample is {quote(sample)}; expected a share above 0 and at most 1.")
    check = _Check(folder_at(path), random_generator(rng), check_integer("workers", workers, 1))
    check.numbers()
    if check.progress.transcript:
        check.levels(float(sample), check_flag("progress", progress))
    return check.report


class _Check:
    """The check of one folder.

    Attributes
    ----------
    report : CountReport
    """

    def __init__(self, folder: Folder, rng: np.random.Generator, workers: int) -> None:
        if RECORD not in folder.names():
            raise InputError(
                f"{folder.url('')} holds no count; expected the folder that was checkpoint of "
                "betti_numbers, or of arrangements count."
            )
        self.folder, self.rng, self.workers = folder, rng, workers
        self.progress = read_progress(folder)
        if self.progress.k > 2:
            raise InputError(
                f"{folder.url('')} holds a count that is not complete: it is at rank "
                f"{self.progress.k}. Call again what began it; it goes on."
            )
        found = self.progress
        self.key = Key(folder.name, found.question, found.primes, found.seed, 0)
        self.setting: Setting = setting_of(self.key)
        self.plain: dict[str, Any] = json.loads(folder.read(INPUT))
        each = [sum(level.pieces) for level in found.levels]
        self.report = CountReport(levels=len(each), tasks=sum(each))

    def numbers(self) -> None:
        """Check the numbers, and that they are those of the record."""
        report, second = self.report, self.plain["second"]
        if question_of(self.plain) != self.progress.question:
            report.problems.append(f"{INPUT} is not the input that the count began with.")
        rows = rows_of_plain(self.plain)
        found = self.setting.numbers(np.array(self.progress.sums, np.uint64))
        proofs, problems = check_numbers(rows, found, second)
        report.proofs += proofs
        report.problems += problems
        record = json.loads(self.folder.read(RECORD_FILE))
        if record["whitney_numbers"] != found:
            report.problems.append(f"{RECORD_FILE} has other numbers than {RECORD}.")
        if not self.progress.transcript:
            report.proofs.append("The count has no transcript: none of its tasks can be redone.")

    def levels(self, sample: float, progress: bool) -> None:
        """Check all levels; if nothing is wrong, do some tasks of each again."""
        levels, moduli = self.progress.levels, self.setting.moduli[:, 0]
        reports = {
            level.k: {task: read_report(self.folder, level.k, *task) for task in _tasks(level)}
            for level in levels
        }
        self._check_root()
        passed = None
        for level in levels:
            mark = self._check_states(level)
            if passed not in (None, mark):
                self._wrong(level.k, "its states have other weights than were passed on")
            passed = sum_of((one.fingerprint for one in reports[level.k].values()), moduli)
        every = [one for of_level in reports.values() for one in of_level.values()]
        sums = np.sum([np.array(one.sums, np.uint64) for one in every], axis=0) % moduli
        if sums.tolist() != [list(row) for row in self.progress.sums]:
            self.report.problems.append("The sums of the tasks are not those of the count.")
        if not self.report.problems:
            self.report.proofs.append("All levels have the weights that were passed on to them.")
            self._redo_some(reports, sample, progress)

    def _redo_some(
        self, reports: dict[int, dict[tuple[int, int], TaskReport]], sample: float, progress: bool
    ) -> None:
        """Do tasks of each level again, and look for what they find on the next."""
        levels = self.progress.levels
        chosen = {level.k: self._choose(level, sample) for level in levels}
        every = [(level, task) for level in levels for task in chosen[level.k]]
        answers = in_order(self._redo, every, self.workers)
        redone = with_progress(answers, progress, len(every), lambda _: 1, "tasks")
        wanted: dict[int, list[States]] = {level.k: [] for level in levels}
        for (level, task), (again, some) in zip(every, redone, strict=True):
            self.report.redone += 1
            wanted[level.k] += some
            if _essence(again) != _essence(reports[level.k][task]):
                self._wrong(level.k, f"piece {task[1]} of file {task[0]} gives other states")
        for level, after in zip(levels, levels[1:], strict=False):
            self._look_for(wanted[level.k], after)

    def _check_root(self) -> None:
        """Compare the only state of the first level with the arrangement."""
        rows = HomogeneousRows(rows_of_plain(self.plain))
        root = read_states(self.folder, part_name(rows.dimension, 0))
        if rows.field is not None:
            self.report.proofs.append("The first level, of numbers of a field, is not checked.")
            return
        expected = residues_of(rows.integers, self.setting.fields).transpose(1, 2, 0)
        if not np.array_equal(root.rows, expected) or (root.multiplicity != 1).any():
            self._wrong(rows.dimension, "its state is not the arrangement")

    def _check_states(self, level: Level) -> tuple[int, ...]:
        """Check the numbers of states and rows of a level; its fingerprint."""
        parts = range(len(level.pieces))
        found = [
            sizes_with(read_states(self.folder, part_name(level.k, part)), self.setting)
            for part in parts
        ]
        states, rows = sum(one.states for one in found), sum(one.rows for one in found)
        if (states, rows) != (level.states, level.rows):
            self._wrong(level.k, f"it has {states} states, and had {level.states}")
        return sum_of((one.fingerprint for one in found), self.setting.moduli[:, 0])

    def _look_for(self, wanted: list[States], level: Level) -> None:
        """Check that a level has some states."""
        for part in range(len(level.pieces)):
            states = read_states(self.folder, part_name(level.k, part))
            hashes = multiplicity_hashes(states)
            wanted = [one for one in wanted if not self._has(states, hashes, one, level.k)]
        if wanted:
            self._wrong(level.k, "it lacks a state that a task finds")

    def _has(self, states: States, hashes: NDArray[np.uint64], one: States, k: int) -> bool:
        """Whether one state is a linear image of any of these."""
        alike = np.flatnonzero(hashes == multiplicity_hashes(one)[0])
        if not len(alike):
            return False
        both = join_states([one, choose_states(states, alike)])
        both.weight[0], both.weight[1:] = 0, 1
        setting, position = self.setting, np.zeros(2, np.int64)
        classes = setting.empty_classes(k, len(alike) + 2, len(both.rows) + setting.n)
        fields, moduli, scratch = setting.fields, setting.moduli, setting.scratch(k)
        images.recognize(both, k, True, fields, moduli, classes, scratch, position, len(alike) + 1)
        return bool(classes.states.weight[0].any())

    def _redo(self, chosen: tuple[Level, tuple[int, int]]) -> tuple[TaskReport, list[States]]:
        """Do a task again: what it reports, and some of the states that it finds."""
        level, (part, piece) = chosen
        some: list[States] = []

        def keep(classes: Classes) -> None:
            count = int(classes.states.used[COUNT])
            for number in np.unique(np.linspace(0, count - 1, _PROBES).astype(int)):
                if 0 <= number < count and len(some) < _PROBES:
                    some.append(choose_states(classes.states, np.array([number])))

        states = read_states(self.folder, part_name(level.k, part))
        task = Piece(level.k, piece, level.pieces[part], level.merging)
        most_bytes = limits.available_bytes() // 4 // self.workers
        return task.restrict(self.setting, states, most_bytes, keep), some

    def _wrong(self, k: int, what: str) -> None:
        self.report.problems.append(f"The level of rank {k}: {what}.")

    def _choose(self, level: Level, sample: float) -> list[tuple[int, int]]:
        tasks = _tasks(level)
        size = ceil(sample * len(tasks))
        numbers = self.rng.choice(len(tasks), size, replace=False)
        return [tasks[number] for number in sorted(numbers.tolist())]


def _tasks(level: Level) -> list[tuple[int, int]]:
    """The tasks of a level: a file, and a piece of it."""
    return [(part, piece) for part, pieces in enumerate(level.pieces) for piece in range(pieces)]


def _essence(report: TaskReport) -> tuple[Any, ...]:
    """What a report says that does not depend on time, memory and files."""
    return report.restricted, report.sums, report.fingerprint
