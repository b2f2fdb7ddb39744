"""Whitney numbers of a central arrangement, by restricting it and merging what comes out equal.

By Weisner's theorem, averaged over the hyperplanes through a flat X, the Möbius function is
``|X| mu(X) = - sum |X - Y| mu(Y)`` over the flats Y that X covers, where ``|X|`` counts
hyperplanes. The right side needs of Y only its restriction with multiplicities, so all flats with
restrictions that are linear images of each other are one state, level by level. A symmetric
arrangement has few of them: resonance(7) has 215,439 sets of 3 hyperplanes without broken
circuit, but 31 states of codimension 3. docs/algorithms.md (section 12) derives both kinds.

The levels are kept in memory (`MemoryRestrictions`) or in a folder (`StoredRestrictions`).
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from bisect import bisect
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import comb, inf, prod, sqrt
from threading import Event

import numpy as np
from numpy.typing import NDArray

from arrangements.counting.descents import Descent
from arrangements.counting.states import (
    BadPrimeError,
    Chunk,
    Setting,
    cut_into_chunks,
    gather_classes,
    join_states,
    sizes_of,
)
from arrangements.errors import TooLargeError
from arrangements.exact.numbers import nearest_float
from arrangements.exact.residues import ATTEMPTS
from arrangements.execution.tasks import in_order, run_tasks
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.forecast.merged_levels import MergedLevel, merged_levels
from arrangements.kernels.structure.states import COUNT, ROWS, States
from arrangements.log import logger

# What a descent yields after each step: the restrictions made, and whether memory is full.
Steps = Iterator[tuple[int, bool]]

# Chunks of a level for each thread.
_CHUNKS = 16
# Merging is promising as long as fewer states were seen, or a smaller share of them stays.
_FEW_STATES, _MANY = 50, 0.5
# Operations after which those that are left are predicted: a third of a second; half a minute where
# many of the first states are merged, which takes long and may save years; ten minutes at the
# beginning of a level, when most classes are new, after one that had few.
_PROBE, _LONG_PROBE, _LONGEST_PROBE = 1.5e7, 1.5e9, 3e10
# Operations after which levels are predicted from random chains, which takes a second.
_DRAWN = 1e8
# Seconds after which a thread reports progress.
_LOOK = 0.05
# By how much states in a folder are compressed, about.
_COMPRESSED = 7
# Share of the restrictions that is not equal to another, about.
_DIFFERENT = 0.7
# A level of which less was made may still be merged as much as the one before, if there less than
# this share of the restrictions stayed.
_KNOWN, _FEW = 0.1, 0.25
# And at least about this many of its states, or nearly all.
_STATES, _NEARLY_ALL = 12, 0.8
# Where most restrictions of the first level are merged, their number grows from 1 and says little
# about the levels below, until this many levels have begun or are left.
_BEGUN, _LEFT = 4, 4


@dataclass
class Stage:
    """How far the restrictions of one level are.

    Attributes
    ----------
    k : int
        Coordinates of its states.
    states : float
    rows : float
        Rows of a state, on average.
    total : float
        Restrictions to make.
    per_restriction : float
        Operations for one, as far as it is known.
    growth, shrinking : float
        States of the next level by states of this one; and their rows by rows. Before the first
        restriction, what they were a level before.
    restricted, operations : float
        Restrictions made, and what they took.
    recognized : int
        Restrictions that were put into classes, or known to be in one.
    seen : list of (float, float)
        Restrictions made and classes found, each time when some were put into classes.
    below : float
        Operations on deeper levels, for parts of this one.
    """

    k: int
    states: float
    rows: float
    total: float
    per_restriction: float
    growth: float
    shrinking: float
    restricted: float = 0.0
    operations: float = 0.0
    recognized: int = 0
    seen: list[tuple[float, float]] = field(default_factory=list)
    below: float = 0.0

    @property
    def share(self) -> float:
        """The share of the restrictions that was made."""
        return min(1.0, self.restricted / self.total)

    @property
    def left(self) -> float:
        """Operations that are left on this level."""
        each = self.operations / self.restricted if self.restricted else self.per_restriction
        return max(0.0, self.total - self.restricted) * each

    def see(self, recognized: int, found: float, rows: float) -> None:
        """Take note of the classes found so far, and of the rows that they have together."""
        if found and recognized > self.recognized:
            self.recognized = recognized
            self.seen.append((self.restricted, found))
            self.shrinking = min(1.0, rows / found / self.rows)

    def predict_growth(self, rank: int) -> None:
        """Predict how many states the next level, of this rank, will have."""
        if not self.seen:
            return
        made, found = self.seen[-1]
        before = self.seen[bisect(self.seen, (made / 2, inf)) - 1]
        if before[0] > made / 2:
            before = 0.0, 0.0
        # classes go on to be new as often as in the second half of what was made; and one that is
        # met from `rank` states, in any order, is new at the first of them
        rate = (found - before[1]) / (made - before[0])
        ways = 1 - (1 - min(1.0, made / self.total)) ** rank
        expected = min(found + rate * max(0.0, self.total - made), found / ways)
        self.growth = expected / self.states


class Restrictions(ABC):
    """The Whitney numbers, in absolute value, of the matroid of distinct non-zero primitive rows.

    Iterating over `portions` makes all restrictions, portion by portion; after that `numbers` holds
    the answer. Between two portions `remaining` predicts what is left.

    Parameters
    ----------
    rows : list of list of int or FieldElement
        No two of them proportional.
    second : bool
        Count the flats of each rank (second kind) instead of summing their Möbius function.
    most_bytes : int
        Memory for the states. When they need more, they are processed in several parts, which
        takes longer, since less is merged.
    workers : int
        Threads.
    seed : int
        Which primes: 0 for the largest, any other number for those that it draws.

    Attributes
    ----------
    numbers : list of int
        Entry k belongs to rank k; empty until they are known.
    operations : float
        Products of residues so far, and what takes as long.
    sums : (rank, Q) ndarray of uint64
        What the flats of each rank count, as far as they were met.
    stages : list of Stage
        Those under way; each is part of the one before.
    """

    setting: Setting
    sums: NDArray[np.uint64]

    def __init__(
        self,
        rows: list[list[int]],
        second: bool,
        most_bytes: int,
        workers: int = 1,
        seed: int = 0,
    ) -> None:
        self._second, self._most_bytes, self._seed = second, most_bytes, seed
        self.workers: int = workers
        self.numbers: list[int] = [] if rows else [1]
        if rows:
            self._homogeneous = HomogeneousRows(rows)
            rank, n = self._homogeneous.dimension, len(rows)
            if rank <= 2:
                self.numbers = [1, n, 1 if second else n - 1][: rank + 1]
        self.operations: float = 0.0
        self._promising, self._attempt = False, -1
        self._levels_ahead: dict[int, MergedLevel] = {}
        self._drawn = False
        self.stages: list[Stage] = []

    def begin(self, attempt: int, primes: tuple[int, ...] = ()) -> None:
        """Begin with the primes of an attempt; another attempt needs all restrictions again."""
        self._attempt = attempt
        self.setting = Setting.of(self._homogeneous, self._second, attempt, primes, self._seed)
        self.sums = np.zeros((self.setting.rank, len(self.setting.moduli)), np.uint64)
        self._promising = self.setting.rank > 4
        self.stages = []
        self._merged_before = False

    def portions(self) -> Iterator[int]:
        """Make the restrictions; yields how many were made since the last portion."""
        if self.numbers:
            return
        for attempt in range(max(0, self._attempt), ATTEMPTS):
            if attempt != self._attempt:
                self.begin(attempt)
            try:
                yield from self._levels()
            except BadPrimeError:
                continue
            self.numbers = self.setting.numbers(self.sums)
            return
        raise TooLargeError(
            f"{ATTEMPTS} sets of random primes met a coincidence that is not the arrangement's: "
            "there are too many restrictions for 31-bit primes."
        )

    def keep_record(self, affine: bool) -> None:
        """Leave what is known of a complete count, or of a cone's, where there is a folder."""
        del affine

    @abstractmethod
    def _levels(self) -> Iterator[int]:
        """Make all restrictions with the primes of the setting, and complete `sums`."""

    @property
    def is_predictable(self) -> bool:
        """Whether `remaining` can be relied on: enough was done, and merging is not promising yet.

        How many of the first states are merged decides about all that follows.
        """
        if self.operations > _DRAWN and self.look_ahead():
            return True
        if self.operations < (_LONG_PROBE if self._promising else _PROBE):
            return False
        return self.operations > _LONGEST_PROBE or not self.is_guess

    def look_ahead(self) -> bool:
        """Draw random chains to predict the levels below, where the first one is merged a lot.

        Returns whether `remaining` relies on them.
        """
        first = self.stages[0] if self.stages else None
        if self._drawn or first is None or self.setting.rank < 5:
            return bool(self._levels_ahead)
        if first.seen and not self._merges_at_first:
            return False
        self._drawn = True
        rows = [list(map(nearest_float, row)) for row in self._homogeneous.integers]
        try:
            found = merged_levels(np.array(rows), self.setting.rank - 4)
        except np.linalg.LinAlgError:  # the rank is less in floats
            return False
        sizes = ", ".join(f"{level.states:.3g}" for level in found)
        logger.info("about as many states by codimension, from random chains: %s", sizes)
        if found[1].states < _FEW * self.setting.n:
            self._levels_ahead = {self.setting.rank - c: level for c, level in enumerate(found)}
        return bool(self._levels_ahead)

    @property
    def storage(self) -> tuple[int, int] | None:
        """Bytes that the largest level takes, about: in memory, and in a folder as found by tasks.

        None without `look_ahead`.
        """
        ahead = self._levels_ahead
        if not ahead:
            return None
        setting, memory, disk = self.setting, 0.0, 0.0
        for k in range(5, setting.rank + 1):
            level, below = ahead[k], ahead[k - 1]
            row = 4 * (k - 1) * len(setting.fields) + 8
            weight = 8 * setting.lengths * len(setting.moduli)
            each = 2 * float(below.rows.mean()) * row + weight  # as they came, and their forms
            memory = max(memory, below.states * each)
            found = below.states + level.states * float(level.orbits.mean())
            disk = max(disk, found * each / _COMPRESSED)
        return int(memory), int(disk)

    @property
    def _merges_at_first(self) -> bool:
        """Whether most restrictions of the first level that were seen are in few classes.

        Or else whether a later level, with which a folder goes on, has few states.
        """
        if not self.stages:
            return False
        first, rank = self.stages[0], self.setting.rank
        if first.k < rank:
            return first.states < _FEW * comb(self.setting.n, rank - first.k)
        return bool(first.seen) and first.seen[-1][1] < _FEW * first.seen[-1][0]

    @property
    def is_guess(self) -> bool:
        """Whether little is known of the level under way, and those before were merged a lot."""
        if not self.stages:
            return True
        last = self.stages[-1]
        begun = len(self.stages) < _BEGUN and last.k > _LEFT
        if begun and self._merges_at_first:
            return True
        known = min(_KNOWN + _STATES / last.states, _NEARLY_ALL)
        return self._merged_before and last.share < known

    def stage(self, k: int, states: float, rows: float, squares: float) -> Stage:
        """A level of this many states that begins.

        squares : float
            The squares of their rows, added up.
        """
        logger.debug("restrictions of rank %d: %d", k, states)
        before = self.stages[-1] if self.stages else None
        if before:
            before.predict_growth(self.setting.rank - before.k + 1)
            made, found = before.seen[-1] if before.seen else (1.0, 1.0)
            self._merged_before = found < _FEW * made
        return Stage(
            k=k,
            states=states,
            rows=rows / states,
            total=rows,
            per_restriction=self.per_restriction(k, squares / rows),
            growth=before.growth if before else rows,
            shrinking=before.shrinking if before else 1.0,
        )

    def remaining(self) -> float:
        """Operations that are left, about: levels go on to grow as the last one did.

        Or they are as random chains show, if these were drawn (`look_ahead`). 0 before the first
        portion and after the last.
        """
        if self.numbers or not self.stages:
            return 0.0
        *outer, stage = self.stages
        if self._levels_ahead:
            left = stage.left
            if stage.share < _KNOWN:
                left = (1 - stage.share) * self._of_level(stage.k, stage.states)
            ahead = sum(self._of_level(k) for k in range(4, stage.k))
            left += ahead * prod(before.share for before in outer)
        else:
            left = stage.left + self._below(stage)
        for stage in reversed(outer):
            if stage.share < 1:  # the level below holds only a part of what this one will give
                whole = (left + stage.below) / stage.share if stage.share else 0.0
                left += stage.left + whole * (1 - stage.share)
        return left

    def _below(self, stage: Stage) -> float:
        """Operations on the levels below the deepest one that was begun, about."""
        states, rows, total = stage.states, stage.rows, 0.0
        rank = self.setting.rank - stage.k + 1
        seen = bool(stage.seen)
        stage.predict_growth(rank)
        growth = stage.growth
        for k in range(stage.k - 1, 3, -1):
            # each state is met from as many others as its rank, at least
            states *= growth if seen else min(growth, rows / rank)
            if seen and len(self.stages) > 1:  # a level of which little was merged may be followed
                growth = min(growth, sqrt(growth * self.stages[-2].growth))  # by one merged again
            rows = max(k - 1.0, rows * stage.shrinking)
            total += states * rows * self.per_restriction(k, rows)
            rank, seen = rank + 1, False
        return total

    def _of_level(self, k: int, states: float | None = None) -> float:
        """Operations on a level as random chains show it, with this many states if it is known."""
        level, setting = self._levels_ahead[k], self.setting
        rows, orbits = level.rows, level.orbits
        before, after = self._levels_ahead.get(max(k, 5)), self._levels_ahead.get(max(k, 5) - 1)
        shrinking = after.rows.mean() / before.rows.mean() if before and after else 1.0
        settling = setting.settling(k - 1, rows * shrinking)
        each = setting.restricting(k, rows) + _DIFFERENT * settling
        if k == setting.rank:  # whose symmetries are not looked for
            return float((rows * each).mean())
        looked_for = setting.finding_orbits(k, rows)
        states = level.states if states is None else states
        return states * float((looked_for + orbits * each).mean())

    def per_restriction(self, k: int, rows: float) -> float:
        """Operations for the restriction of a state of this many rows, and to recognize it."""
        if k == 3:
            return float(self.setting.settling(3, rows)) / rows
        settling = self.setting.settling(k - 1, rows)
        return float(self.setting.restricting(k, rows) + _DIFFERENT * settling)


class MemoryRestrictions(Restrictions):
    """Restrictions whose levels are in memory.

    Parameters
    ----------
    rows, second, most_bytes, workers, seed
        As in `Restrictions`.
    orbits : list of list of int, optional
        Rows that linear symmetries exchange: only the first of each is restricted to.

    Examples
    --------
    >>> found = MemoryRestrictions([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], False, 2**20)
    >>> sum(found.portions()), found.numbers, found.remaining()
    (4, [1, 4, 6, 3], 0.0)
    """

    def __init__(
        self,
        rows: list[list[int]],
        second: bool,
        most_bytes: int,
        workers: int = 1,
        orbits: list[list[int]] | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(rows, second, most_bytes, workers, seed)
        self._orbits = orbits

    def begin(self, attempt: int, primes: tuple[int, ...] = ()) -> None:
        """Begin with the primes of an attempt."""
        super().begin(attempt, primes)
        if self.setting.rank <= 3:
            self._orbits = None

    def _levels(self) -> Iterator[int]:
        yield from self._descend(self.setting.root(), self.setting.rank)

    def _descend(self, states: States, k: int) -> Iterator[int]:
        """All restrictions of the states in k coordinates, and theirs."""
        sizes = sizes_of(states).astype(np.float64)
        stage = self.stage(k, len(sizes), float(sizes.sum()), float((sizes * sizes).sum()))
        if k == self.setting.rank and self._orbits is not None:
            stage.total = len(self._orbits)
        self.stages.append(stage)
        chunks = self._chunks(states, k)
        threads = min(self.workers, len(chunks))
        expected = stage.total / threads
        most_bytes = self._most_bytes // self.setting.rank // self.workers
        descents = [Descent(self.setting, k, most_bytes, expected) for _ in range(threads)]
        for descent in descents:
            descent.team = descents
        runs = [descent.steps(chunks) for descent in descents]
        finished = False
        while not finished:
            finished = yield from self._run(stage, descents, runs)
            if k > 4:
                children = self._merge(descents, k - 1)
                before = self.operations
                yield from self._descend(children, k - 1)
                stage.below += self.operations - before
        for descent in descents:
            self.sums = (self.sums + descent.sums) % self.setting.moduli[:, 0]
        self.stages.pop()

    def _chunks(self, states: States, k: int) -> deque[Chunk]:
        if k == 3:
            return deque([Chunk(states, 0, int(states.used[ROWS]))])
        if k < self.setting.rank or self._orbits is None:
            pieces = 1 if self.workers == 1 else _CHUNKS * self.workers
            return cut_into_chunks(states, pieces, whole=k < self.setting.rank)
        weights = [self.setting.residues_of(len(orbit)) for orbit in self._orbits]
        return deque(
            Chunk(states._replace(weight=weight[None, None] + 0 * states.weight), first, first + 1)
            for weight, (first, *_) in zip(weights, self._orbits, strict=True)
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
            run, complete, full = answer
            any_full |= full
            return [] if complete or any_full else [run]

        for _ in run_tasks(runs, _go_on, rest=unfinished, workers=len(runs)):
            self._see(stage, descents)
            now = sum(descent.restricted for descent in descents)
            yield now - made
            made = now
        return not any_full

    def _merge(self, descents: list[Descent], k: int) -> States:
        """Take the states of all classes from the descents."""
        classes = [descent.classes for descent in descents]
        if self.workers > 1:
            gather = partial(gather_classes, self.setting, k, classes, shares=self.workers)
            classes = list(in_order(gather, range(self.workers), self.workers))
        for descent in descents:
            descent.clear()
        return join_states([part.states for part in classes])

    def _see(self, stage: Stage, descents: list[Descent]) -> None:
        """Record what was done."""
        operations = sum(descent.operations for descent in descents)
        self.operations += operations - stage.operations
        stage.operations = operations
        stage.restricted = sum(descent.restricted for descent in descents)
        recognized = sum(descent.recognized for descent in descents)
        used = np.sum([descent.classes.keys.used for descent in descents], axis=0)
        found = int(used[COUNT]) + sum(descent.found for descent in descents)
        stage.see(recognized, found, found * float(used[ROWS]) / max(1, int(used[COUNT])))
        few = recognized < _FEW_STATES or found < _MANY * recognized
        self._promising &= stage.k == self.setting.rank and few


def _go_on(stop: Event) -> Callable[[Steps], tuple[Steps, bool, bool]]:
    """A function that takes steps for a moment, and says whether all are done, or memory full."""

    def work(run: Steps) -> tuple[Steps, bool, bool]:
        began = time.monotonic()
        for _, full in run:
            if full or stop.is_set() or time.monotonic() - began > _LOOK:
                return run, False, full
        return run, True, False

    return work
