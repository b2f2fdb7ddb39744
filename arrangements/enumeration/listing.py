"""Requests for chambers or rankings: in one set, in blocks, in part, or only counted."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from arrangements.checks import check_flag, check_integer, check_max_hours
from arrangements.errors import NotGenericFlagError
from arrangements.execution import limits
from arrangements.execution.progress import with_progress
from arrangements.forecast.hours import check_hours, foreseen
from arrangements.log import logger
from arrangements.messages import Remedy, short_number
from arrangements.sets.pattern_set import PatternSet

if TYPE_CHECKING:
    from arrangements.enumeration.inside import HyperplanesInside
    from arrangements.search.sweep import Sweeps

Rows = NDArray[Any]
Answer = TypeVar("Answer")
Found = TypeVar("Found", bound=PatternSet)

# Rows of a block by default: small enough for a cache, large enough for NumPy.
BLOCK_ROWS = 16384
# Rows of a block of a slow method with a progress bar.
FEW_ROWS = 512
# Up to this bound, list without an estimate of the memory needed.
_FREE_BYTES = 64 * 2**20
# Larger listings are collected in several blocks.
_ONE_BLOCK_BYTES = 512 * 2**20
# Size of a block that threads or a progress bar wait for.
_SHARED_BLOCK_BYTES = 2**22
_ATTEMPTS = 6
# Least number of patterns that a method counts in a second (2.6 GHz, one thread), for forecasts. A
# sweep in general position counts 4 to 10 times 10**7, of resonance(6) 1.6 * 10**6, of rankings of
# {0, 1}^5 by labels 3 * 10**5. The others solve linear programs.
_GENERIC_PACE, _DEGENERATE_PACE = 4e7, 4e5
_SLOW_PACE = {"incremental": 2e5, "reverse_search": 1e4}

SLOW_COUNT = Remedy(
    "slow count", "progress=True shows how far it is; workers=m divides the time by up to m."
)


class ListingRequest(ABC, Generic[Found]):
    """A checked call: what to list, and by which method.

    Attributes
    ----------
    noun : str
        Plural of what is listed; iter_<noun> and count_<noun> are functions.
    method : str
    workers : int
    half : bool
        Whether one of each pair of opposites is listed.
    sides : int
        Patterns of a row: 2 if `half`.
    n : int
        Length of a pattern.
    row_bytes : int
        Bytes of a stored row.
    inside : HyperplanesInside or None
        The hyperplanes and the polyhedron of ``within``, if any.
    """

    noun: str
    kind: type[Found]
    inside: HyperplanesInside | None = None

    def __init__(
        self, method: str, workers: int, half: bool, n: int, row_bytes: int, origin: Any
    ) -> None:
        self.method: str = method
        self.workers: int = workers
        self.half: bool = half
        self.sides: int = 2 if half else 1
        self.n: int = n
        self.row_bytes: int = row_bytes
        self._origin = origin

    @abstractmethod
    def sweeps(self, seed: int) -> Sweeps | None:
        """The sweep along the random flag number `seed`; None if there is none to make."""

    @abstractmethod
    def blocks_without_sweep(self, rows: int, growing: bool) -> Iterator[Rows]:
        """Blocks of at most about `rows` rows by the other methods."""

    @abstractmethod
    def closed_form(self) -> int | None:
        """The number of patterns if the method has a closed form for it; else None."""

    def wrap(self, rows: Rows | None, complete: bool, limit: int | None = None) -> Found:
        """The set of the rows (None: no rows); an odd limit cuts the last pair."""
        if rows is None:
            rows = self.kind._no_rows(self.n)
        within = None if self.inside is None else self.inside.polyhedron
        found = self.kind._of(rows, self.n, self.half, self._origin, complete, within)
        return found[:limit] if limit is not None and limit < len(found) else found

    @abstractmethod
    def bound(self) -> int:
        """Upper bound for the rows."""

    @abstractmethod
    def expected(self, most: int) -> int | None:
        """Expected rows: an estimate if the bound exceeds `most`, None if nothing is known."""

    @cached_property
    def most_rows(self) -> int:
        """`bound`, found once."""
        return self.bound()

    def expected_of_some(self) -> int | None:
        """Expected rows of a part of the answer, at most as many as all; None if unknown."""
        return None

    def collect(
        self, progress: bool = False, limit: int | None = None, max_bytes: int | None = None
    ) -> Found:
        """All in one set."""
        progress = check_flag("progress", progress)
        limit = None if limit is None else check_integer("limit", limit, 1)
        if max_bytes is not None:
            max_bytes = check_integer("max_bytes", max_bytes, 1)
        self._log("listing", self.method)
        room = self._room(max_bytes, limit)
        if room is None and limit is None and not progress:
            return self.wrap(on_generic_flag(self._all_rows), True)
        rows, complete = on_generic_flag(
            lambda seed: self._collect(
                self.blocks(self._block_rows(limit, room), progress, seed, growing=progress),
                limit,
                room,
            )
        )
        return self.wrap(rows, complete, limit)

    def _all_rows(self, seed: int) -> Rows | None:
        """Rows of a small listing, in one array."""
        sweeps = self.sweeps(seed)
        if sweeps is not None:
            return _trim(sweeps.rows(self.most_rows))
        return self._collect(self.blocks_without_sweep(BLOCK_ROWS, False), None, None)[0]

    def blocks(
        self, rows: int | None, progress: bool, seed: int = 0, *, growing: bool = False
    ) -> Iterator[Rows]:
        """Blocks of at most about `rows` rows, or as large as is convenient.

        If `growing`, the first ones are small, see `execution.memory.block_sizes`.
        """
        sweeps = self.sweeps(seed)
        if sweeps is None:
            found = self.blocks_without_sweep(rows or BLOCK_ROWS, growing)
            total = None if self.method in _SLOW_PACE else self.most_rows
            return with_progress(found, progress, total, len, self.noun)
        most = self.most_rows
        if rows is None and not progress and most * self.row_bytes <= _ONE_BLOCK_BYTES:
            return iter([sweeps.rows(most)])
        if rows is None:
            shared = progress or self.workers > 1
            rows = max(1, (_SHARED_BLOCK_BYTES if shared else _ONE_BLOCK_BYTES) // self.row_bytes)
        total = most
        if progress and self.inside is not None:
            total = self.expected(0) or most
        return with_progress(sweeps.blocks(rows, growing), progress, total, len, self.noun)

    def count(self, progress: bool, max_hours: float | None = None) -> int:
        """Number of patterns."""
        progress = check_flag("progress", progress)
        check_max_hours(max_hours)
        known = self.closed_form()
        if known is not None:
            return known
        return self.count_rows(progress, self.forecast(progress, max_hours), max_hours)

    def count_rows(self, progress: bool, total: int | None, max_hours: float | None = None) -> int:
        """Number of patterns, counted one by one; about `total` rows."""
        self._log("counting", self.method)

        def count(seed: int) -> int:
            counts = self.counts(progress, total, seed)
            if max_hours is not None:
                what = f"counting {self.noun}"
                counts = foreseen(counts, total, int, what, max_hours, quiet=True)
            return sum(counts)

        return self.sides * on_generic_flag(count)

    def counts(self, progress: bool, total: int | None, seed: int = 0) -> Iterator[int]:
        """Numbers of rows, portion by portion; a sweep stores none."""
        sweeps = self.sweeps(seed)
        if sweeps is None:
            return map(len, self.blocks(FEW_ROWS, progress))
        return with_progress(sweeps.counts(), progress, total, int, self.noun)

    def stream(
        self, progress: bool, limit: int | None, block_size: int, *, growing: bool = True
    ) -> Iterator[Found]:
        """Block by block, cut after `limit` patterns; the first ones small if `growing`."""
        progress = check_flag("progress", progress)
        limit = None if limit is None else check_integer("limit", limit, 1)
        block_size = self._fitting(check_integer("block_size", block_size, 1))
        self._log("listing", self.method)
        return self._limit(self._stream(block_size, progress, growing), limit)

    def _log(self, what: str, method: str) -> None:
        if logger.isEnabledFor(logging.INFO):
            most = short_number(self.most_rows * self.sides)
            words = what, self.noun, most, method, self.workers
            logger.info("%s %s, at most %s; method %s, threads: %d", *words)

    def forecast(self, progress: bool, max_hours: float | None = None) -> int | None:
        """Expected rows of a count, None if nothing is known; warns if it will take hours.

        It makes an estimate only for a progress bar, or if the bound does not exclude an hour.
        Raises TooLargeError if it will take more than `max_hours`.
        """
        bound = self.most_rows
        harmless = 0 if progress else self.harmless(max_hours)
        expected, about = self.expected(harmless), "about"
        least = expected
        if expected is None:
            least, about = self.expected_of_some(), "at least about"
        if least is None or least <= harmless:
            return expected
        generic = least >= bound and self.method not in _SLOW_PACE
        number = least * self.sides
        check_hours(
            f"{about} {short_number(number)} {self.noun} are expected; counting them",
            number,
            (_GENERIC_PACE if generic else self._least_pace) * self.workers,
            max_hours,
            SLOW_COUNT,
        )
        return expected

    def harmless(self, max_hours: float | None) -> int:
        """Rows that are certainly counted within an hour, or within `max_hours` if that is less."""
        hours = 1 if max_hours is None else min(1, max_hours)
        return int(self._least_pace * 3600 * hours / self.sides)

    @property
    def _least_pace(self) -> float:
        return _SLOW_PACE.get(self.method, _DEGENERATE_PACE)

    def _room(self, max_bytes: int | None, limit: int | None) -> int | None:
        """Bytes that the listing may take; None if it cannot take many.

        Raises TooLargeError if it is not expected to fit.
        """
        bound = self.most_rows * self.row_bytes
        if bound <= _FREE_BYTES and (max_bytes is None or bound <= max_bytes):
            return None
        room = limits.available_bytes() if max_bytes is None else max_bytes
        if limit is not None:
            return room  # the size of the listing is not known, but it is capped
        expected = self.expected(room // max(1, self.row_bytes))
        if expected is not None:
            number = short_number(expected * self.sides)
            what = f"about {number} {self.noun} are expected"
            self._check_room(what, expected * self.row_bytes, room)
        return room

    def _block_rows(self, limit: int | None, room: int | None) -> int | None:
        """Rows of a block, so that one block does not exceed the limits by much."""
        most = []
        if limit is not None and limit < self.sides * self.most_rows:
            most.append(-(-limit // self.sides) + 1)
        if room is not None and room < _ONE_BLOCK_BYTES:
            most.append(room // max(1, self.row_bytes) + 1)
        return self._fitting(min(most)) if most else None

    def _fitting(self, rows: int) -> int:
        """At most this many rows, and no more than fit into memory as one block."""
        return min(rows, max(BLOCK_ROWS, limits.available_bytes() // max(1, self.row_bytes)))

    def _collect(
        self, blocks: Iterator[Rows], limit: int | None, room: int | None
    ) -> tuple[Rows | None, bool]:
        """All rows, or those of the first `limit` patterns, and whether these are all."""
        kept: list[Rows] = []
        total = 0
        wanted = None if limit is None else -(-limit // self.sides)
        for block in blocks:
            kept.append(block)
            total += len(block)
            needed = self.row_bytes * (total if wanted is None else min(total, wanted))
            if room is not None:
                number = total * self.sides
                self._check_room(f"{number} {self.noun} were found so far", needed, room)
            if wanted is not None and total > wanted:
                break
        if not kept:
            return None, True
        rows = _trim(kept[0]) if len(kept) == 1 else np.concatenate(kept)
        complete = limit is None or total * self.sides <= limit
        return (rows if complete or wanted is None else rows[:wanted].copy()), complete

    def _stream(self, rows: int, progress: bool, growing: bool) -> Iterator[Rows]:
        """Blocks as they come; another flag is tried only before the first block."""
        for seed in range(_ATTEMPTS):
            started = False
            try:
                for block in self.blocks(rows, progress, seed, growing=growing):
                    started = True
                    yield block
                return
            except NotGenericFlagError as error:
                if started or seed == _ATTEMPTS - 1:
                    raise NotGenericFlagError(
                        "the random coordinates of the sweep caused a coincidence. The blocks "
                        "given out are correct, but not all of them.",
                        Remedy(
                            "another flag",
                            f"List them with {self.noun}, or stream them with "
                            "method='incremental'.",
                        ),
                    ) from error

    def _limit(self, blocks: Iterator[Rows], limit: int | None) -> Iterator[Found]:
        left = limit
        for block in blocks:
            if left is None:
                yield self.wrap(block, True)
                continue
            rows = block[: -(-left // self.sides)]
            yield self.wrap(rows, True, left)
            left -= self.sides * len(rows)
            if left <= 0:
                return

    def _check_room(self, what: str, needed: int, room: int) -> None:
        remedy = Remedy(
            "stream",
            f"Use iter_{self.noun} to stream them, count_{self.noun} to count them, limit=m "
            "for the first m, or raise max_bytes.",
        )
        limits.check_bytes(what, needed, remedy, allowed=room)


def _trim(rows: Rows) -> Rows:
    """The rows, copied if their array was allocated for many more."""
    base = rows.base
    return rows.copy() if base is not None and base.nbytes > 2 * rows.nbytes + 2**22 else rows


def on_generic_flag(attempt: Callable[[int], Answer]) -> Answer:
    """``attempt(seed)`` for the first random flag that turns out to be generic.

    The chance that one is not is about the number of flats over 2**30.
    """
    for seed in range(_ATTEMPTS - 1):
        try:
            return attempt(seed)
        except NotGenericFlagError:
            continue
    return attempt(_ATTEMPTS - 1)
