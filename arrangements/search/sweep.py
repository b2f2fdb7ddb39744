"""The driver of all sweeps: calls of a kernel, parts, blocks and threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.errors import NotGenericFlagError
from arrangements.execution import threads
from arrangements.execution.memory import Spare, block_sizes, empty_rows
from arrangements.kernels.chambers import workspace as registers
from arrangements.search.flag import Flag
from arrangements.search.parts import ALL, WHOLE, Part, cut, most_rows, rest

# Room that threads get at most for the rows of all parts, as a multiple of the rows there may be.
_ROOM = 4
Rows = NDArray[Any]
Item = TypeVar("Item")


class Sweep(ABC):
    """A sweep along one flag, or over a part of it.

    Each sweep owns its `space`, so sweeps of one flag may run in several threads.

    Attributes
    ----------
    flag : Flag
    space : named tuple of arrays
        The workspace of the kernel. Exact decisions replace arrays of it.
    state : ndarray of int64
        Its registers.
    row : tuple of int and dtype
        Entries of a row that it writes, and their type.
    line_rows : int
        Rows that must be free before the kernel begins a line.
    """

    # Lanes in a call of the kernel: it takes below a quarter of a second, so that Python can
    # answer Ctrl-C.
    _lanes_per_call: ClassVar[int]
    row: tuple[int, np.dtype[Any]]
    line_rows: int

    def __init__(self, flag: Flag, space: Any, spare: Spare[Any], part: Part) -> None:
        self.flag = flag
        self.space: Any = space
        self._first_space = space
        self.state: NDArray[np.int64] = space.state
        self._spare = spare
        self._attempt = 0
        self._budget = max(1, self._lanes_per_call // (flag.n + 64))
        self.restart(part)

    def restart(self, part: Part, enough: int = ALL) -> None:
        """Go to the beginning of a part; start no line once there are `enough` rows."""
        self.part = part
        span, state, depth = self.space.span, self.state, len(part.prefix)
        span[:] = 0, ALL
        for e, child in enumerate(part.prefix):
            span[e] = child, child + 1
        span[depth] = part.first, part.stop
        state[registers.OWN] = depth if part.own else depth + 1
        state[registers.ENOUGH] = enough
        state[registers.DEPTH] = state[registers.STAGE] = 0

    def has_enough(self, count: int) -> bool:
        """Whether a part has enough rows, `count` of them since the last call.

        From then on, rows count from 0.
        """
        state = self.state
        state[registers.ENOUGH] -= count
        return bool(state[registers.STAGE] == 0 and state[registers.ENOUGH] <= 0)

    def rest(self) -> list[Part]:
        """Parts that are left after `enough` rows, the deepest first."""
        return rest(self.part, int(self.state[registers.DEPTH]), *self._position())

    @abstractmethod
    def _position(self) -> tuple[list[int], list[int], list[int]]:
        """`chain`, `after` and `most` of `parts.rest`."""

    def release(self) -> None:
        """Leave the workspace to later sweeps: this one is done."""
        self._spare.keep(self._first_space)

    def advance(
        self, out: Rows, count: int, store: bool, budget: int | None = None
    ) -> tuple[bool, bool, int]:
        """Call the kernel once: (finished, `out` may be full, rows of `out` in use).

        A sweep that counts has no multipliers: `store` stays as it is until `restart`.
        """
        self.state[registers.STORE] = store
        while True:
            status, count = self._call(budget or self._budget, out, count)
            if status <= registers.PAUSED:
                return status == registers.DONE, status == registers.FULL, count
            self._provide(status)

    @abstractmethod
    def _call(self, budget: int, out: Rows, count: int) -> tuple[int, int]:
        """(status, rows of `out` in use) of a call of the kernel."""

    def _provide(self, status: int) -> None:
        """Make what the kernel stopped for."""
        if status == registers.NOT_GENERIC:
            raise NotGenericFlagError("the random flag is not generic for this arrangement")
        if status == registers.NEEDS_SIGNS:
            self._decide_signs()
        elif status in (registers.NEEDS_EXACT, registers.BAD_PRIME):
            self._attempt += status == registers.BAD_PRIME
            self._decide_zeros(*self.flag.zero_residues(self._lanes[0], self._attempt))
            self.state[registers.EXACT_DEPTH] = 0
        else:
            self._load(status)

    @abstractmethod
    def _load(self, status: int) -> None:
        """Put the address of a late kernel into the workspace."""

    @property
    @abstractmethod
    def _lanes(self) -> tuple[int, int]:
        """Lanes of residues that decide zeros, and of those that decide signs."""

    def _decide_signs(self) -> None:
        """Decide signs by residues from now on."""
        while True:
            residues, fields = self.flag.sign_residues(self._lanes[1], self._attempt)
            if fields[:, -1].all():
                break
            self._attempt += 1  # a prime divides the first pivot
        digits = np.zeros(len(residues), np.uint64)
        self._replace(flag=residues, flag_fields=fields, digits=digits)

    @abstractmethod
    def _decide_zeros(self, matroid: Rows, fields: Rows) -> None:
        """Decide zeros by these residues from now on."""

    def _replace(self, **arrays: Rows) -> None:
        """Replace arrays for exact decisions."""
        self.space = self.space._replace(**arrays)

    def fill(self, out: Rows) -> tuple[bool, int]:
        """Go on until `out` may be full: (finished, rows of `out` in use)."""
        finished = full = False
        count = 0
        while not (finished or full):
            finished, full, count = self.advance(out, count, True)
        return finished, count

    def blocks(self, rows: int, growing: bool = False) -> Iterator[Rows]:
        """Blocks of at most `rows` rows (at least one line), each a new array."""
        for size in block_sizes(max(rows, 1), growing):
            out = empty_rows(max(size, self.line_rows), *self.row)
            finished, count = self.fill(out)
            if count:
                yield out[:count]
            if finished:
                return

    def counts(self) -> Iterator[int]:
        """Numbers of rows, one for each call of the kernel; no row is stored."""
        out = np.empty((1, self.row[0]), self.row[1])
        finished = False
        while not finished:
            finished, _, count = self.advance(out, 0, False)
            yield count


class Sweeps:
    """One sweep, or the parts of it that threads share out.

    Parameters
    ----------
    make : callable
        Makes a sweep of the flag.
    flag : Flag
    workers : int
        Threads.
    """

    def __init__(self, make: Callable[[Any], Sweep], flag: Flag, workers: int = 1) -> None:
        self._make, self._flag, self._workers = make, flag, workers
        if workers > 1:
            flag.check_workspace(workers)

    def rows(self, most: int) -> Rows:
        """All rows in one array; there are at most `most`."""
        sweep = self._make(self._flag)
        if self._workers > 1:
            return self._rows_of_threads(sweep, most)
        out = empty_rows(most + sweep.line_rows, *sweep.row)
        _, count = sweep.fill(out)
        sweep.release()
        return out[:count]

    def _rows_of_threads(self, sweep: Sweep, most: int) -> Rows:
        """All rows in one array, which threads fill side by side, one of them with `sweep`."""
        tasks = self.tasks()
        bounds = most_rows(tasks, self._flag.most_in_line(), self._flag.most_below(0))
        # different chambers may be one ranking, and some lie outside a polyhedron
        if sum(bounds) > _ROOM * most:
            return np.concatenate(list(self.blocks(2**16, False)))
        made = [sweep]

        def new() -> Sweep:
            try:
                return made.pop()  # atomic
            except IndexError:
                return self._make(self._flag)

        # pages that nobody writes to take no memory
        out = empty_rows(sum(bounds) + sweep.line_rows, *sweep.row)
        return threads.write_side_by_side(new, tasks, bounds, out, sweep.line_rows, self._workers)

    def blocks(self, rows: int, growing: bool) -> Iterator[Rows]:
        """Blocks of at most `rows` rows; the caller's thread takes no part."""
        return self._items(lambda sweep: sweep.blocks(rows, growing), takes_part=False)

    def counts(self) -> Iterator[int]:
        """Numbers of rows, which are not stored; the caller's thread takes part."""
        return self._items(lambda sweep: sweep.counts(), takes_part=True)

    def _items(self, work: Callable[[Sweep], Iterator[Item]], takes_part: bool) -> Iterator[Item]:
        make = partial(self._make, self._flag)
        return threads.items(make, self.tasks(), work, self._workers, takes_part)

    def tasks(self) -> list[Part]:
        """Parts that together are the sweep."""
        if self._flag.d == 2 or self._workers == 1:
            return [WHOLE]
        return cut(self._flag.most_below(0), self._workers)
