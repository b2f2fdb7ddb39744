"""Whitney numbers of a central arrangement, by restricting it and merging what comes out equal.

By Weisner's theorem, averaged over the hyperplanes through a flat X, the Möbius function is
``|X| mu(X) = - sum |X - Y| mu(Y)`` over the flats Y that X covers, where ``|X|`` counts
hyperplanes. The right side needs of Y only its restriction with multiplicities, so all flats with
restrictions that are linear images of each other are one state, level by level. A symmetric
arrangement has few of them: resonance(7) has 3,831,835 sets of 4 hyperplanes without broken
circuit, but 391 states of codimension 4. docs/algorithms.md (section 12) derives both kinds.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import TooLargeError
from arrangements.exact.residues import ATTEMPTS, PRIME_BITS, fields, montgomery, primes
from arrangements.feasibility.cone_system import HomogeneousRows
from arrangements.kernels.structure import states as kernel
from arrangements.kernels.structure.images import Images, merge_images
from arrangements.kernels.structure.restrictions import Weights, expand
from arrangements.kernels.structure.states import Level, Scratch

# Operations of the first call of the kernel, and of the largest: a few milliseconds.
_FIRST_OPERATIONS, _OPERATIONS_PER_CALL = 30_000, 400_000
# What a row costs beside its residues, and rounds of ordering coordinates, in operations.
_ROW_OPERATIONS, _ROUNDS = 5, 3
# A level with fewer is not worth merging, nor, above all, the compilation of the kernel for that.
_FEW_ROWS = 1000
# States brought to a common form in one call of the kernel, and the share of a level after
# which it is decided whether to go on.
_FORMS_PER_CALL, _SAMPLE = 50, 0.25
# Merging is promising as long as fewer states were seen, or a smaller share of them stays.
_FEW_FORMS, _MANY = 12, 0.5
# Operations after which those that are left are foreseen: a third of a second; half a minute
# where many of the first states are merged, which takes long and may save years.
_PROBE, _LONG_PROBE = 1.5e7, 1.5e9


class BadPrimeError(ArithmeticError):
    """A minor vanishes modulo one of the primes but not modulo all."""


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
    ) -> None:
        self.rows, self.second, self.most_bytes, self.orbits = rows, second, most_bytes, orbits
        self.numbers: list[int] = []
        self._search: _Search | None = None
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
        for attempt in range(ATTEMPTS):
            self._search = _Search(prepared, self.second, self.most_bytes, attempt, self.orbits)
            try:
                yield from self._search.portions()
            except BadPrimeError:
                self._wasted = self.operations
                continue
            self.numbers = self._search.numbers()
            return
        raise TooLargeError(
            f"{ATTEMPTS} sets of random primes met a coincidence that is not the arrangement's: "
            "there are too many restrictions for 31-bit primes."
        )

    @property
    def settled(self) -> bool:
        """Whether `remaining` can be relied on: enough was done, and merging is not promising yet.

        How many of the first states are merged decides about all that follows.
        """
        if self._search is None or self.operations < _PROBE:
            return False
        return not self._search.promising or self.operations > _LONG_PROBE

    def remaining(self) -> float:
        """Operations that are left, about; 0 before the first portion and after the last."""
        return 0.0 if self._search is None or self.numbers else self._search.remaining()


@dataclass
class _Stage:
    """How far one level is: first its states are merged, then restricted to each of their rows.

    Attributes
    ----------
    k : int
        Coordinates of the states.
    found : int
        States before merging.
    rows : float
        Rows of a state, on average.
    each : float
        Operations for a row of a restriction.
    squares : float
        Squares of the rows of all states before merging.
    share : float
        The share of the states that is left after merging, as far as it went.
    merging : float
        Operations that merging still takes.
    total, done : float
        Rows of all restrictions, and of those made.
    child : Level
        Being filled.
    growth, shrinking : float
        States of the child, when it is full, by states; and their rows by rows. Before the first
        restriction, what they were a level before.
    below : float
        Operations on deeper levels, for parts of this one.
    """

    k: int
    found: int
    rows: float
    each: float
    squares: float
    total: float
    child: Level
    growth: float
    shrinking: float
    share: float = 1.0
    merging: float = 0.0
    done: float = 0.0
    below: float = 0.0

    @property
    def left(self) -> float:
        """Operations that are left on this level."""
        return self.merging + (self.total - self.done) * self.each


class _Search:
    """The levels of one computation; all arrays that the kernel needs."""

    def __init__(
        self,
        prepared: HomogeneousRows,
        second: bool,
        most_bytes: int,
        attempt: int,
        orbits: list[list[int]] | None,
    ) -> None:
        self.rank, self.n = prepared.dimension, len(prepared.integers)
        self.second, self.orbits = second, orbits
        self.most_bytes = most_bytes // self.rank
        self.residues, self.fields = prepared.residues(attempt)
        # no Whitney number exceeds the number of subsets of that size
        bits = max(comb(self.n, k) for k in range(self.rank)).bit_length()
        self.moduli = fields(primes(bits // PRIME_BITS + 1)).copy()
        self.inverses = _inverses(self.n, self.moduli[:, 0])
        lengths = self.n + 1 if second else 1
        self.weights = np.zeros((2, lengths, len(self.moduli)), np.uint64)
        self.sums = np.zeros((self.rank, len(self.moduli)), np.uint64)
        self.operations = 0.0
        self.promising = self.rank > 3  # that many of the first states are merged
        self.stages: list[_Stage] = []

    def numbers(self) -> list[int]:
        """The Whitney numbers, after all portions."""
        found = [1, *(_joined(row, self.moduli[:, 0]) for row in self.sums[1:])]
        # The characteristic polynomial vanishes at 1; and there is one flat of full rank.
        last = 1 if self.second else -sum((-1) ** (self.rank - k) * b for k, b in enumerate(found))
        return [*found, last]

    def portions(self) -> Iterator[int]:
        """Make all restrictions: numbers of them, call by call of the kernel."""
        root = self._empty(self.rank, 1, self.n)
        root.rows[:] = self.residues
        root.multiplicity[:] = 1
        root.start[1] = self.n
        root.used[:] = 1, self.n
        root.weight[:] = self._residues_of(1)
        return self._descend(root, self.rank, self.orbits)

    def _descend(
        self, level: Level, k: int, orbits: list[list[int]] | None = None
    ) -> Iterator[int]:
        """All restrictions of the states in k coordinates, and theirs.

        With orbits the level is the root, and only their first rows are restricted to.
        """
        stage = self._stage(level, k)
        self.stages.append(stage)
        if k < self.rank and level.used[kernel.ROWS] >= _FEW_ROWS:
            level = yield from self._merged(level, stage, thorough=False)
            # In three coordinates recognising an image costs as much as restricting it.
            if k > 3:
                level = yield from self._merged(level, stage, thorough=True)
        self.promising &= k == self.rank
        scratch, position = self._scratch(k), np.zeros(2, np.int64)
        for orbit in [None] if orbits is None else orbits:
            if orbit is not None:
                level.weight[:] = self._residues_of(len(orbit))
                position[:] = 0, orbit[0]
            yield from self._restricted(level, stage, scratch, position, orbit is not None)
        if k > 3:
            yield from self._descend(_trimmed(stage.child), k - 1)
        self.stages.pop()

    def _restricted(
        self,
        level: Level,
        stage: _Stage,
        scratch: Scratch,
        position: NDArray[np.int64],
        once: bool,
    ) -> Iterator[int]:
        """Restrictions from `position` on, or only the first, into ``stage.child``.

        When there is no more memory for them, they are followed down to the end.
        """
        sizes = np.diff(level.start)
        squares = np.concatenate([[0], np.cumsum(sizes * sizes)])
        longest = float(sizes.max()) * stage.each
        sums = self.sums[self.rank - stage.k + 1 :][:2]
        weights = Weights(self.n, self.moduli, self.inverses, self.weights, sums)
        begun, made = position.tolist(), 0
        while position[0] < len(sizes) and not (once and made):
            state, row = position.tolist()
            budget = 1 if once else int(self._portion() / longest) + 1
            status = expand(
                level, stage.k, self.fields, weights, stage.child, scratch, position, budget
            )
            if status == kernel.BAD_PRIME:
                raise BadPrimeError
            ahead, next_row = position.tolist()
            made += int(begun != [ahead, next_row])
            step = squares[ahead] - squares[state]
            step += next_row * sizes[ahead] if next_row else 0
            step -= row * sizes[state]
            stage.done += float(step)
            self.operations += float(step) * stage.each
            yield int(level.start[ahead] - level.start[state]) + next_row - row
            if status == kernel.FULL:
                yield from self._make_room(stage)

    def _make_room(self, stage: _Stage) -> Iterator[int]:
        """More room for the children, or none of them left."""
        child, k = stage.child, stage.k - 1
        if sum(array.nbytes for array in child) <= self.most_bytes // 2:
            stage.child = self._grown(child, k)
            return
        before = self.operations
        yield from self._descend(_trimmed(child), k)
        stage.below += self.operations - before
        stage.child = self._empty(k, len(child.digest), len(child.rows))

    def _stage(self, level: Level, k: int) -> _Stage:
        states, rows = level.used.tolist()
        squares = _squares(level)
        before = self.stages[-1] if self.stages else None
        return _Stage(
            k=k,
            found=states,
            rows=rows / states,
            each=self._each(k),
            squares=squares,
            total=squares * (1.0 if before else self._share_of_root()),
            child=self._empty(k - 1, 64, 64 * self.n),
            growth=before.growth if before else float(rows),
            shrinking=before.shrinking if before else 1.0,
        )

    def _share_of_root(self) -> float:
        """The share of the hyperplanes that the root is restricted to."""
        return 1.0 if self.orbits is None else len(self.orbits) / self.n

    def _portion(self) -> float:
        """Operations of the next call of the kernel: portions grow with what has been done."""
        return min(_OPERATIONS_PER_CALL, max(_FIRST_OPERATIONS, self.operations / 4))

    def _each(self, k: int) -> float:
        """Operations for a row of a restriction: its residues, on the last level its weights."""
        weights = self.weights[0].size if k == 3 else 0
        return k * len(self.fields) + _ROW_OPERATIONS + weights

    def remaining(self) -> float:
        """Operations that are left, about: levels go on to grow as the last one did."""
        if not self.stages:
            return 0.0
        *outer, stage = self.stages
        left = stage.left + self._below(stage)
        for stage in reversed(outer):
            share = stage.done / stage.total
            if share < 1:  # the level below holds only a part of what this one will give
                left += stage.left + (left + stage.below) * (1 - share) / share
        return left

    def _below(self, stage: _Stage) -> float:
        """Operations on the levels below the deepest one that was begun, about."""
        states, rows, total = stage.found * stage.share, stage.rows, 0.0
        rank = self.rank - stage.k + 1
        seen = bool(stage.child.used[kernel.STATES])
        if seen:
            _see_growth(stage, states, rank)
        for k in range(stage.k - 1, 2, -1):
            # each state is met from as many others as its rank, at least
            found = states * (stage.growth if seen else min(stage.growth, rows / rank))
            rows = max(k - 1.0, rows * stage.shrinking)
            states, rank, seen = found, rank + 1, False
            if found * rows >= _FEW_ROWS and k > 3:
                total += found * rows**2 * self._each(k)
                states = found * stage.share
            total += states * rows**2 * self._each(k)
        return total

    def _residues_of(self, number: int) -> NDArray[np.uint64]:
        """Montgomery residues of a number modulo the primes of the weights."""
        return np.array([montgomery(number, int(p)) for p in self.moduli[:, 0]], np.uint64)

    def _merged(self, level: Level, stage: _Stage, thorough: bool) -> Generator[int, None, Level]:
        """One state of each class of linear images, as far as they are recognised.

        It keeps its own coordinates: in those its restrictions are equal to others more often
        than in the form by which it is recognised.
        """
        k, (states, rows) = stage.k, level.used.tolist()
        merged, scratch = self._empty(k, states, rows), self._scratch(k)
        leader = np.zeros(states, np.int64)
        position = np.zeros(2, np.int64)
        sizes = np.diff(level.start).astype(np.float64)
        costs = np.cumsum(sizes * (sizes if thorough else _ROUNDS) * stage.each)
        each = costs[-1] / states
        before, done, news = stage.share, 0.0, np.zeros(states + 1, np.int64)
        while position[0] < states:
            status = merge_images(
                level,
                k,
                thorough,
                self.fields,
                self.moduli,
                Images(merged, leader),
                scratch,
                position,
                max(1, min(_FORMS_PER_CALL, int(self._portion() / each))),
            )
            if status == kernel.BAD_PRIME:
                raise BadPrimeError
            seen, different = int(position[0]), int(merged.used[kernel.STATES])
            self.operations += float(costs[seen - 1]) - done
            done = float(costs[seen - 1])
            news[seen:] = different
            # states go on to be new as often as those of the second half seen so far
            rate = (different - news[seen // 2]) / (seen - seen // 2)
            share = (different + rate * (states - seen)) / states
            sampled = seen >= max(_FORMS_PER_CALL, _SAMPLE * states)
            worthless = sampled and 8 * different > 7 * seen
            stage.merging = 0.0 if worthless else float(costs[-1]) - done
            stage.share = before if worthless else before * share
            stage.total = stage.squares * stage.share
            self.promising &= not thorough or seen < _FEW_FORMS or share < _MANY
            yield 0
            if worthless:
                return level
        count = int(merged.used[kernel.STATES])
        level = _chosen(level, leader[:count])._replace(weight=merged.weight[:count].copy())
        stage.total = _squares(level)
        return level

    def _empty(self, k: int, states: int, rows: int) -> Level:
        slots = 1 << (2 * states + 2).bit_length()
        return Level(
            rows=np.zeros((rows, k, len(self.fields)), np.uint32),
            multiplicity=np.zeros(rows, np.int64),
            start=np.zeros(states + 1, np.int64),
            digest=np.zeros(states, np.uint64),
            weight=np.zeros((states, self.weights.shape[1], len(self.moduli)), np.uint64),
            slots=np.full(slots, -1, np.int64),
            used=np.zeros(2, np.int64),
        )

    def _grown(self, level: Level, k: int) -> Level:
        """The same states with twice the room for rows or for states, whichever is short."""
        states, rows = len(level.digest), len(level.rows)
        short_of_rows = level.used[kernel.ROWS] + self.n > rows
        larger = self._empty(
            k, states if short_of_rows else 2 * states, 2 * rows if short_of_rows else rows
        )
        for name in ("rows", "multiplicity", "start", "digest", "weight", "used"):
            old: NDArray[Any] = getattr(level, name)
            getattr(larger, name)[: len(old)] = old
        kernel.enter_slots(larger)
        return larger

    def _scratch(self, k: int) -> Scratch:
        n, moduli = self.n, len(self.fields)
        return Scratch(
            rows=np.zeros((n, k, moduli), np.uint64),
            sorted_rows=np.zeros((n, k, moduli), np.uint64),
            multiplicity=np.zeros(n, np.int64),
            sorted_multiplicity=np.zeros(n, np.int64),
            lead=np.zeros(n, np.int64),
            entry=np.zeros(n, np.uint64),
            inverse=np.zeros(n, np.uint64),
            unit=np.zeros((k, moduli), np.uint64),
            slots=np.zeros(1 << (2 * n).bit_length(), np.int64),
            digest=np.zeros(n, np.uint64),
            columns=np.zeros(k, np.uint64),
            row=np.zeros(k, np.uint64),
            member=np.zeros(n, np.int32),
            line=np.zeros((n, n), np.int32),
            colour=np.zeros(n, np.uint64),
            refined=np.zeros(n, np.uint64),
            pencil=np.zeros(n, np.uint64),
        )


def _see_growth(stage: _Stage, states: float, rank: int) -> None:
    """How many states of the next rank will come of these, and of how many rows."""
    found, rows = (float(number) for number in stage.child.used)
    done = min(1.0, stage.done / stage.total)
    # one that is met from `rank` states, in any order, is new at the first of them
    stage.growth = found / (1 - (1 - done) ** rank) / states
    stage.shrinking = min(1.0, rows / found / stage.rows)


def _squares(level: Level) -> float:
    """Rows of the restrictions of all states to each of their rows, about."""
    sizes = np.diff(level.start[: level.used[kernel.STATES] + 1]).astype(np.float64)
    return float((sizes * sizes).sum())


def _trimmed(level: Level) -> Level:
    """The level without its hash table and the room that is left."""
    states, rows = level.used.tolist()
    return Level(
        rows=level.rows[:rows].copy(),
        multiplicity=level.multiplicity[:rows].copy(),
        start=level.start[: states + 1].copy(),
        digest=level.digest[:states].copy(),
        weight=level.weight[:states].copy(),
        slots=level.slots[:1].copy(),
        used=level.used.copy(),
    )


def _chosen(level: Level, states: NDArray[np.int64]) -> Level:
    """The level with only these states, without a hash table."""
    first, stop = level.start[states], level.start[states + 1]
    rows = np.concatenate([np.arange(a, b) for a, b in zip(first, stop, strict=True)])
    return Level(
        rows=level.rows[rows],
        multiplicity=level.multiplicity[rows],
        start=np.concatenate([[0], np.cumsum(stop - first)]),
        digest=level.digest[states],
        weight=level.weight[states],
        slots=level.slots[:1].copy(),
        used=np.array([len(states), len(rows)]),
    )


def _inverses(n: int, moduli: Any) -> Any:
    """Montgomery residues of 0..n, and of their inverses (0 for 0), modulo each prime."""
    table = np.zeros((len(moduli), 2, n + 1), np.uint64)
    for q, p in enumerate(int(p) for p in moduli):
        table[q, 0] = [montgomery(v, p) for v in range(n + 1)]
        table[q, 1, 1:] = [montgomery(pow(v, -1, p), p) for v in range(1, n + 1)]
    return table


def _joined(residues: Any, moduli: Any) -> int:
    """The integer with these Montgomery residues (Chinese remainder theorem)."""
    value, product = 0, 1
    for residue, p in zip(residues.tolist(), moduli.tolist(), strict=True):
        digit = (residue * pow(2**32, -1, p) - value) * pow(product, -1, p) % p
        value, product = value + product * digit, product * p
    return value
