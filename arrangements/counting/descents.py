"""From states to their restrictions, one rank further: what one thread, or one task, does.

Restrictions are merged in two steps. Equal ones meet in a hash table of limited size, `fresh`.
Those that are left there are brought to a common form, by which linear images are recognized, and
go to their classes. States in three coordinates need neither: their lines tell all that is wanted.
Nor do states in four coordinates, if the minors of the arrangement are small.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements.counting.states import BadPrimeError, Chunk, Setting, sizes_of
from arrangements.kernels.structure import images, last_flats, last_ranks, restrictions, symmetries
from arrangements.kernels.structure import states as kernel
from arrangements.kernels.structure.pencils import empty_pencils
from arrangements.kernels.structure.restrictions import Weights
from arrangements.kernels.structure.states import Classes, States

# Operations of the first call of a kernel, and of the largest: a few milliseconds.
_FIRST_OPERATIONS, _OPERATIONS_PER_CALL = 30_000, 400_000
# States that `fresh` holds at first; it doubles when it is full, up to this many bytes.
_FEW_STATES, _FRESH_BYTES = 64, 2**27
# Images are given up when more than this share of the states is new, after a quarter of the
# restrictions and this many states: early, most are new whatever comes. What several threads found
# is compared again when one of them has put this many times as many states into classes.
_NEW, _QUARTER, _TRIED, _AGAIN = 7 / 8, 0.25, 50, 1.25
# So are orbits when more than this share of the rows is one alone, after this many states; they are
# not looked for among so few rows.
_ALONE, _FEW_TRIED, _FEW_ROWS = 0.9, 4, 300


def has_merged(recognized: int, found: float) -> bool:
    """Whether so many of the states were put into known classes that it is worth it."""
    return found < _NEW * recognized


class Descent:
    """The restrictions of states in k coordinates, as far as one thread makes them.

    Parameters
    ----------
    setting : Setting
    k : int
    most_bytes : int
        Memory for the classes.
    expected : float
        Rows that states will be restricted to, about.
    merging : bool
        Look for images to the end, though few are found here: others have the rest of the level.

    Attributes
    ----------
    team : list of Descent
        Those of all threads of the level, this one included: all decide what is worth it.
    classes : Classes
        What they were merged to, in k - 1 coordinates.
    sums : (rank, Q) ndarray of uint64
        Sums of the weights by rank.
    restricted : int
        Rows that states were restricted to.
    recognized, found : int
        States that were put into classes, and classes that were new.
    operations : float
        Products of residues, and what takes as long.
    """

    def __init__(
        self, setting: Setting, k: int, most_bytes: int, expected: float, merging: bool = False
    ) -> None:
        self.setting: Setting = setting
        self.k: int = k
        self._most_bytes, self._expected, self._merging = most_bytes, expected, merging
        self.sums: NDArray[np.uint64] = np.zeros((setting.rank, len(setting.moduli)), np.uint64)
        self.restricted: int = 0
        self.recognized: int = 0
        self.found: int = 0
        self.operations: float = 0.0
        self._symmetric = True
        self._rows_tried = self._orbits_found = self._states_tried = 0
        self.team: list[Descent] = [self]
        self._compared = 0
        self._form = symmetries.empty_form(setting.n, k, len(setting.fields))
        self._scratch, self._scratch_below = setting.scratch(k), setting.scratch(k - 1)
        self._pairs = last_ranks.empty_pairs(setting.n)
        states = _FEW_STATES if not self._is_last else 0
        self._fresh = setting.empty(k - 1, states, states * setting.n)
        self.clear()

    @property
    def _is_last(self) -> bool:
        """Whether the states themselves tell all that is wanted."""
        return self.k == 3 or (self.k == 4 and self.setting.small is not None)

    def clear(self) -> None:
        """Forget the classes."""
        states = _FEW_STATES if self.k > 4 else 0
        self.classes = self.setting.empty_classes(self.k - 1, states, states * self.setting.n)

    def steps(self, chunks: deque[Chunk]) -> Iterator[tuple[int, bool]]:
        """Restrict what the chunks say, which other threads may take from, too.

        Yields, after each call of a kernel, the number of restrictions that it made, and whether
        there is no more room for classes: then they must be cleared before it goes on.
        """
        while chunks:
            try:
                chunk = chunks.popleft()
            except IndexError:  # another thread was faster
                break
            if self.k == 3:
                yield from self._add_last_ranks(chunk.states)
            elif self._is_last:
                yield from self._add_last_flats(chunk)
            else:
                yield from self._restrict(chunk)
        if not self._is_last:
            yield from self._settle()

    def _walk(
        self,
        chunk: Chunk,
        each: NDArray[np.float64],
        call: Callable[[NDArray[np.int64], int], int],
    ) -> Iterator[tuple[int, int]]:
        """Go through the rows of a chunk, call by call of a kernel, from a position, with a budget.

        A row of a state takes `each` operations. Yields the rows that were done and the status of
        the call.
        """
        states, at, stop = chunk
        costs, longest = _Costs(states, sizes_of(states) * each), float(each.max(initial=0.0))
        first = int(np.searchsorted(states.start[: len(each) + 1], at, "right")) - 1
        position = np.array([first, at - states.start[first]])
        before = costs.until(position)
        while at < stop:
            status = call(position, min(stop - at, int(self._portion() / longest) + 1))
            if status == kernel.BAD_PRIME:
                raise BadPrimeError
            now, cost = _row_at(states, position), costs.until(position)
            self.operations += cost - before
            made, at, before = now - at, now, cost
            if states is not self._fresh:
                self.restricted += made
            yield made, status

    def _find_orbits(
        self, chunk: Chunk
    ) -> Generator[tuple[int, bool], None, tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Orbits of the rows of states: the first row of each, and its length there, 0 elsewhere.

        Of a state of which another chunk has rows too, each row is an orbit: both must agree. So it
        is with the root, of which a chunk may be one row alone.
        """
        states, k, setting, sizes = chunk.states, self.k, self.setting, sizes_of(chunk.states)
        start = states.start[: len(sizes) + 1]
        begin = np.repeat(start[:-1], sizes)
        orbit = np.arange(len(begin)) - begin
        stop = int(np.searchsorted(start, chunk.stop, "right")) - 1
        position = np.array([np.searchsorted(start, chunk.first)])
        if k == setting.rank or len(orbit) < _FEW_ROWS:
            position[0] = stop
        while (first := int(position[0])) < stop and self._has_orbits:
            cost = setting.settling(k, sizes[first:stop].mean())
            early = self._states_tried < _FEW_TRIED
            budget = _FEW_TRIED if early else int(self._portion() / cost) + 1
            status = symmetries.find_orbits(
                states,
                k,
                setting.fields,
                self._scratch,
                self._form,
                position,
                min(budget, stop - first),
                orbit,
            )
            if status == kernel.BAD_PRIME:
                raise BadPrimeError
            a, b = start[first], start[position[0]]
            self._states_tried += int(position[0]) - first
            tried = sizes[first : position[0]].astype(np.float64)
            self.operations += float(setting.finding_orbits(k, tried).sum())
            self._rows_tried += int(b - a)
            self._orbits_found += int(np.count_nonzero(orbit[a:b] + begin[a:b] == np.arange(a, b)))
            yield 0, False
        orbit += begin
        return orbit, np.bincount(orbit, minlength=len(orbit))

    @property
    def _has_orbits(self) -> bool:
        """Whether it is worth looking for symmetries of states."""
        tried = [(d._states_tried, d._rows_tried, d._orbits_found) for d in self.team]
        states, rows, found = map(sum, zip(*tried, strict=True))
        return not (found > _ALONE * rows and states >= _FEW_TRIED)

    def _has_images(self) -> bool:
        """Whether it is worth looking for images of states: the level is young, or some are found.

        Two threads may have found the same class, from images or from equal states, which are none.
        """
        own = int(self.classes.keys.used[kernel.COUNT])
        if has_merged(self.recognized, self.found + own):
            return True
        restricted = sum(d.restricted for d in self.team)
        recognized = sum(d.recognized for d in self.team)
        if restricted < _QUARTER * sum(d._expected for d in self.team) or recognized < _TRIED:
            return True
        if len(self.team) == 1:
            return False
        if self.recognized < _AGAIN * self._compared:
            return True  # as it was when they were compared
        self._compared = self.recognized
        classes = [d.classes for d in self.team]
        counts = [int(keys.used[kernel.COUNT]) for keys, _ in classes]
        forgotten = sum(d.found for d in self.team)
        keys, leaders = zip(*classes, strict=True)
        known, different = _count_digests(keys, counts), _count_digests(leaders, counts)
        within = recognized - forgotten - sum(counts)
        return has_merged(within + forgotten + different, forgotten + known)

    def _restrict(self, chunk: Chunk) -> Iterator[tuple[int, bool]]:
        states, k, fields = chunk.states, self.k, self.setting.fields
        weights = self._weights(k)
        _, copies = yield from self._find_orbits(chunk)
        each = self.setting.restricting(k, sizes_of(states)) * _first_shares(states, copies)

        def expand(position: NDArray[np.int64], budget: int) -> int:
            fresh, scratch = self._fresh, self._scratch
            return restrictions.expand(
                states, copies, k, fields, weights, fresh, scratch, position, budget
            )

        for made, status in self._walk(chunk, each, expand):
            yield made, False
            if status == kernel.FULL:
                yield from self._settle()
                self._enlarge_fresh()

    def _enlarge_fresh(self) -> None:
        fresh = self._fresh
        if fresh.rows.nbytes < min(_FRESH_BYTES, self._most_bytes // 4):
            self._fresh = self.setting.empty(self.k - 1, 2 * len(fresh.digest), 2 * len(fresh.rows))

    def _settle(self) -> Iterator[tuple[int, bool]]:
        """Put the states of `fresh` into classes, or count their lines; then it is empty."""
        if self.k == 4:
            yield from self._add_last_ranks(self._fresh)
        elif self.k > 4:
            yield from self._recognize()
        self._fresh.used[:] = 0
        self._fresh.slots[:] = -1

    def _recognize(self) -> Iterator[tuple[int, bool]]:
        setting, fresh, position = self.setting, self._fresh, np.zeros(2, np.int64)
        costs = _Costs(fresh, setting.settling(self.k - 1, sizes_of(fresh)))
        before = 0.0
        while (seen := int(position[0])) < fresh.used[kernel.COUNT]:
            status = images.recognize(
                fresh,
                self.k - 1,
                self._symmetric,
                setting.fields,
                setting.moduli,
                self.classes,
                self._scratch_below,
                position,
                int(self._portion() / costs.average) + 1,
            )
            if status == kernel.BAD_PRIME:
                raise BadPrimeError
            classes, cost = int(self.classes.keys.used[kernel.COUNT]), costs.until(position)
            self.recognized += int(position[0]) - seen
            if self._symmetric:
                self.operations += cost - before
                self._symmetric = self._merging or self._has_images()
            before = cost
            yield 0, False
            if status == kernel.FULL and not self._enlarge_classes():
                self.found += classes
                yield 0, True

    def _enlarge_classes(self) -> bool:
        """Make room for twice as many classes; False if that takes too much memory."""
        keys, states = self.classes
        if sum(array.nbytes for array in (*keys, *states)) > self._most_bytes // 2:
            return False
        self.classes = Classes(*(self._enlarge(part) for part in self.classes))
        kernel.enter_slots(self.classes.keys)
        return True

    def _enlarge(self, states: States) -> States:
        count, rows = len(states.digest), len(states.rows)
        short_of_rows = states.used[kernel.ROWS] + self.setting.n > rows
        larger = self.setting.empty(
            states.rows.shape[1],
            count if short_of_rows else 2 * count,
            2 * rows if short_of_rows else rows,
            states.weight.shape[1],
        )
        for name in ("rows", "multiplicity", "start", "digest", "weight", "used"):
            old: NDArray[Any] = getattr(states, name)
            getattr(larger, name)[: len(old)] = old
        return larger

    def _add_last_flats(self, chunk: Chunk) -> Iterator[tuple[int, bool]]:
        setting, small = self.setting, self.setting.small
        assert small is not None
        # only the states that the chunk has rows of
        start = chunk.states.start
        first = int(np.searchsorted(start, chunk.first, "right")) - 1
        stop = int(np.searchsorted(start, chunk.stop))
        orbit, lengths = yield from self._find_orbits(chunk)
        states, copies = _by_multiplicity(chunk.states, first, stop, orbit, lengths)
        rows = np.zeros((4, len(states.rows)), np.uint32)
        if not last_flats.small_residues(states.rows, setting.fields, small, rows):
            raise BadPrimeError
        pencils = empty_pencils(setting.n, len(setting.moduli), small)
        weights = self._weights(4)
        call = partial(last_flats.add_last_flats, states, copies, rows, small, weights, pencils)
        chunk = Chunk(states, chunk.first - int(start[first]), chunk.stop - int(start[first]))
        each = setting.restricting(4, sizes_of(states)) * _first_shares(states, copies)
        for made, _ in self._walk(chunk, each, call):
            yield made, False

    def _add_last_ranks(self, states: States) -> Iterator[tuple[int, bool]]:
        scratch = self._scratch if self.k == 3 else self._scratch_below
        sizes, fields, weights = sizes_of(states), self.setting.fields, self._weights(3)
        add = partial(last_ranks.add_last_ranks, states, fields, weights, self._pairs, scratch)
        chunk = Chunk(states, 0, int(sizes.sum()))
        for made, _ in self._walk(chunk, self.setting.settling(3, sizes) / sizes, add):
            yield made, False

    def _weights(self, k: int) -> Weights:
        """Where states in k coordinates pass their weights to."""
        setting = self.setting
        passed = np.zeros((setting.lengths, len(setting.moduli)), np.uint64)
        sums = self.sums[setting.rank - k + 1 :][: k - 1]
        return Weights(setting.n, setting.moduli, setting.inverses, passed, sums)

    def _portion(self) -> float:
        """Operations of the next call of a kernel: portions grow with what has been done."""
        return min(_OPERATIONS_PER_CALL, max(_FIRST_OPERATIONS, self.operations / 4))


class _Costs:
    """Operations that the states of a level take, up to any of their rows.

    Attributes
    ----------
    average : float
        For a state.
    """

    def __init__(self, states: States, costs: NDArray[np.float64]) -> None:
        self._states, self._costs = states, costs
        self._before = np.concatenate([[0.0], np.cumsum(costs)])
        self.average = float(costs.mean()) if len(costs) else 0.0

    def until(self, position: NDArray[np.int64]) -> float:
        """Operations before (state, row)."""
        s, row = position.tolist()
        if not row:
            return float(self._before[s])
        share = row / int(self._states.start[s + 1] - self._states.start[s])
        return float(self._before[s] + share * self._costs[s])


def _count_digests(parts: Iterable[States], counts: list[int]) -> int:
    """How many digests the first states of all parts have."""
    found = [part.digest[:count] for part, count in zip(parts, counts, strict=True)]
    return len(np.unique(np.concatenate(found)))


def _first_shares(states: States, copies: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of the rows of each state that are the first ones of their orbits."""
    sizes = sizes_of(states)
    return np.asarray(np.add.reduceat(copies > 0, states.start[: len(sizes)], dtype=float) / sizes)


def _row_at(states: States, position: NDArray[np.int64]) -> int:
    """The number of a row, given as (state, row), among the rows of all states."""
    return int(states.start[position[0]] + position[1])


def _by_multiplicity(
    states: States, first: int, stop: int, orbit: NDArray[np.int64], lengths: NDArray[np.int64]
) -> tuple[States, NDArray[np.int64]]:
    """The states first..stop - 1, each with the rows of largest multiplicity first; and `lengths`.

    Fewer points are seen from these, and rows of the same multiplicity have lines of the same kind.
    Orbits stay together.
    """
    begin, end = int(states.start[first]), int(states.start[stop])
    owner = np.repeat(np.arange(first, stop), np.diff(states.start[first : stop + 1]))
    order = begin + np.lexsort([orbit[begin:end], -states.multiplicity[begin:end], owner])
    chosen = States(
        rows=states.rows[order],
        multiplicity=states.multiplicity[order],
        start=states.start[first : stop + 1] - begin,
        digest=states.digest[first:stop],
        weight=states.weight[first:stop],
        slots=np.full(1, -1),
        used=np.array([stop - first, end - begin]),
    )
    return chosen, lengths[order]
