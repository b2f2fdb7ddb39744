"""Whitney numbers of a central arrangement, by restricting it and merging what comes out equal.

By Weisner's theorem, averaged over the hyperplanes through a flat X, the Möbius function is
``|X| mu(X) = - sum |X - Y| mu(Y)`` over the flats Y that X covers, where ``|X|`` counts
hyperplanes. The right side needs of Y only its restriction with multiplicities, so all flats with
restrictions that are linear images of each other are one state, level by level. A symmetric
arrangement has few of them: resonance(7) has 215,439 sets of 3 hyperplanes without broken
circuit, but 31 states of codimension 3. docs/algorithms.md (section 12) derives both kinds.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from functools import partial
from threading import Event
from typing import Any

import numpy as np

from arrangements.counting.chunks import Chunk, chunks_of, gathered, joined, sizes_of
from arrangements.counting.descents import Descent
from arrangements.counting.levels import Levels, Stage
from arrangements.counting.setting import BadPrimeError, Setting, no_good_primes
from arrangements.exact.residues import ATTEMPTS
from arrangements.execution.tasks import in_order, run_tasks
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.structure.states import COUNT, ROWS, States

# Of a descent: after each, the restrictions made, and whether memory is full.
Steps = Iterator[tuple[int, bool]]

# Chunks of a level for each thread.
_CHUNKS = 16
# Merging is promising as long as fewer states were seen, or a smaller share of them stays.
_FEW, _MANY = 50, 0.5
# Operations after which those that are left may be foreseen: a third of a second; half a minute
# where many of the first states are merged, which takes long and may save years; ten minutes where
# a level is at its beginning, when most classes are new, after one that had few.
_PROBE, _LONG_PROBE, _LONGEST_PROBE = 1.5e7, 1.5e9, 3e10
# Seconds after which a thread says what it has done.
_LOOK = 0.05


class Restrictions:
    """The Whitney numbers, in absolute value, of the matroid of distinct non-zero primitive rows.

    They are found portion by portion: iterating over `portions` makes all restrictions, after
    which `numbers` holds the answer. Between two portions `remaining` predicts what is left.

    Parameters
    ----------
    rows : list of list of int
        No two of them proportional.
    second : bool
        Count the flats of each rank (second kind) instead of summing their Möbius function.
    most_bytes : int
        Memory for the states. When they need more, they are processed in several parts, which
        takes longer, since less is merged.
    orbits : list of list of int, optional
        Rows that linear symmetries exchange: only the first of each is restricted to.
    workers : int
        Threads.
    client : distributed.Client, optional
        Make the restrictions on this cluster instead; with a checkpoint.
    checkpoint : str or path-like, optional
        A folder for the states, instead of memory; what it holds is not done again. Symmetries are
        then left to be found.

    Attributes
    ----------
    numbers : list of int
        Entry k belongs to rank k; empty as long as they are not known.

    Examples
    --------
    >>> found = Restrictions([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], False, 2**20)
    >>> sum(found.portions()), found.numbers, found.remaining()
    (4, [1, 4, 6, 3], 0.0)
    """

    def __init__(
        self,
        rows: list[list[int]],
        second: bool,
        most_bytes: int,
        orbits: list[list[int]] | None = None,
        workers: int = 1,
        client: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> None:
        self.rows, self.second, self.most_bytes, self.orbits = rows, second, most_bytes, orbits
        self.workers, self.client, self.checkpoint = workers, client, checkpoint
        self.numbers: list[int] = []
        self._search: Levels | None = None
        self._wasted = 0.0

    @property
    def operations(self) -> float:
        """Products of residues so far, and what takes as long."""
        return self._wasted + (0.0 if self._search is None else self._search.operations)

    def portions(self) -> Iterator[int]:
        """Make the restrictions; numbers of those made since the last portion."""
        if not self.rows:
            self.numbers = [1]
            return
        prepared = HomogeneousRows(self.rows)
        rank, n = prepared.dimension, len(self.rows)
        if rank <= 2:
            self.numbers = [1, n, 1 if self.second else n - 1][: rank + 1]
            return
        if self.checkpoint is not None:
            yield from self._stored_portions(self.checkpoint)
            return
        for attempt in range(ATTEMPTS):
            setting = Setting.of(prepared, self.second, attempt)
            search = _Search(setting, self.most_bytes, self.orbits, self.workers)
            self._search = search
            try:
                yield from search.portions()
            except BadPrimeError:
                self._wasted = self.operations
                continue
            self.numbers = setting.numbers(search.sums)
            return
        raise no_good_primes()

    def _stored_portions(self, checkpoint: str | os.PathLike[str]) -> Iterator[int]:
        from arrangements.counting.stored_restrictions import StoredRestrictions  # seldom needed

        search = StoredRestrictions(
            self.rows, self.second, self.most_bytes, checkpoint, self.workers, self.client
        )
        self._search = search
        yield from search.portions()
        self.numbers = search.setting.numbers(search.sums)

    @property
    def settled(self) -> bool:
        """Whether `remaining` can be relied on: enough was done, and merging is not promising yet.

        How many of the first states are merged decides about all that follows.
        """
        search = self._search
        if search is None or self.operations < _PROBE:
            return False
        if search.promising and self.operations < _LONG_PROBE:
            return False
        return self.operations > _LONGEST_PROBE or not search.is_guess

    def remaining(self) -> float:
        """Operations that are left, about; 0 before the first portion and after the last."""
        return 0.0 if self._search is None or self.numbers else self._search.remaining()


class _Search(Levels):
    """The levels of one computation in memory."""

    def __init__(
        self,
        setting: Setting,
        most_bytes: int,
        orbits: list[list[int]] | None = None,
        workers: int = 1,
    ) -> None:
        super().__init__(setting)
        self.workers = workers
        self.orbits = orbits if setting.rank > 3 else None
        self.most_bytes = most_bytes // setting.rank // workers

    def portions(self) -> Iterator[int]:
        """Make all restrictions: numbers of them, portion by portion."""
        yield from self._descend(self.setting.root(), self.setting.rank)

    def _descend(self, states: States, k: int) -> Iterator[int]:
        """All restrictions of the states in k coordinates, and theirs."""
        sizes = sizes_of(states).astype(np.float64)
        stage = self.stage(k, len(sizes), float(sizes.sum()), float((sizes * sizes).sum()))
        if k == self.setting.rank and self.orbits is not None:
            stage.total = len(self.orbits)
        self.stages.append(stage)
        chunks = self._chunks(states, k)
        threads = min(self.workers, len(chunks))
        expected = stage.total / threads
        descents = [Descent(self.setting, k, self.most_bytes, expected) for _ in range(threads)]
        for descent in descents:
            descent.team = descents
        runs = [descent.steps(chunks) for descent in descents]
        finished = False
        while not finished:
            finished = yield from self._run(stage, descents, runs)
            if k > 4:
                children = self._merged(descents, k - 1)
                before = self.operations
                yield from self._descend(children, k - 1)
                stage.below += self.operations - before
        for descent in descents:
            self.sums = (self.sums + descent.sums) % self.setting.moduli[:, 0]
        self.stages.pop()

    def _chunks(self, states: States, k: int) -> deque[Chunk]:
        if k == 3:
            return deque([Chunk(states, 0, int(states.used[ROWS]))])
        if k < self.setting.rank or self.orbits is None:
            pieces = 1 if self.workers == 1 else _CHUNKS * self.workers
            return chunks_of(states, pieces, whole=k < self.setting.rank)
        weights = [self.setting.residues_of(len(orbit)) for orbit in self.orbits]
        return deque(
            Chunk(states._replace(weight=weight[None, None] + 0 * states.weight), first, first + 1)
            for weight, (first, *_) in zip(weights, self.orbits, strict=True)
        )

    def _run(
        self, stage: Stage, descents: list[Descent], runs: list[Steps]
    ) -> Generator[int, None, bool]:
        """Go on until all is done, or somewhere there is no more memory; whether all is done."""
        if len(runs) == 1:
            for made, full in runs[0]:
                self._see(stage, descents)
                yield made
                if full:
                    return False
            return True
        made, any_full = 0, False

        def unfinished(answer: tuple[Steps, bool, bool]) -> list[Steps]:
            nonlocal any_full
            run, done, full = answer
            any_full |= full
            return [] if done or any_full else [run]

        for _ in run_tasks(runs, _go_on, rest=unfinished, workers=len(runs)):
            self._see(stage, descents)
            now = sum(descent.restricted for descent in descents)
            yield now - made
            made = now
        return not any_full

    def _merged(self, descents: list[Descent], k: int) -> States:
        """The states of all classes that were found; they are forgotten where they were."""
        classes = [descent.classes for descent in descents]
        if self.workers > 1:
            gather = partial(gathered, self.setting, k, classes, shares=self.workers)
            classes = list(in_order(gather, range(self.workers), self.workers))
        for descent in descents:
            descent.clear()
        return joined([part.states for part in classes])

    def _see(self, stage: Stage, descents: list[Descent]) -> None:
        """Take note of what was done."""
        operations = sum(descent.operations for descent in descents)
        self.operations += operations - stage.operations
        stage.operations = operations
        stage.restricted = sum(descent.restricted for descent in descents)
        recognized = sum(descent.recognized for descent in descents)
        used = np.sum([descent.classes.keys.used for descent in descents], axis=0)
        found = int(used[COUNT]) + sum(descent.found for descent in descents)
        stage.see(recognized, found, found * float(used[ROWS]) / max(1, int(used[COUNT])))
        few = recognized < _FEW or found < _MANY * recognized
        self.promising &= stage.k == self.setting.rank and few


def _go_on(stop: Event) -> Callable[[Steps], tuple[Steps, bool, bool]]:
    """A function that takes steps for a moment, and says whether all are done, or memory full."""

    def work(run: Steps) -> tuple[Steps, bool, bool]:
        began = time.monotonic()
        for _, full in run:
            if full or stop.is_set() or time.monotonic() - began > _LOOK:
                return run, False, full
        return run, True, False

    return work
