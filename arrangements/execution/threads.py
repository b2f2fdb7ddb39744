"""Threads that share out the parts of a sweep."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Protocol, TypeVar

from numpy.typing import NDArray

from arrangements.execution.tasks import join_threads, new_threads, put

Item = TypeVar("Item")


class Sweeping(Protocol):
    """What the sweeps have in common."""

    def restart(self, part: Any) -> None:
        """Go to the beginning of a part."""

    def advance(self, out: NDArray[Any], count: int, store: bool) -> tuple[bool, bool, int]:
        """One call of the kernel: (finished, `out` may be full, rows of `out` in use)."""
        ...

    def release(self) -> None:
        """Leave the workspace to later sweeps."""
        ...


Sweeper = TypeVar("Sweeper", bound=Sweeping)


def write_side_by_side(
    sweeps: Callable[[], Sweeping],
    tasks: Sequence[Any],
    most: Sequence[int],
    out: NDArray[Any],
    spare: int,
    workers: int,
) -> NDArray[Any]:
    """All rows of the parts `tasks` of a sweep, by `workers` threads that write into `out`.

    The caller's thread is one of them: it is awake, and a new one takes a while to be.

    Part k gets room for ``most[k]`` rows, the most it can have; if every part fills its room,
    nothing is moved afterwards. The kernel may need room for `spare` rows more than it fills, so
    slices overlap.
    """
    starts = [0, *accumulate(most)]
    counts = [0] * len(tasks)
    order = iter(range(len(tasks)))
    stop, errors = threading.Event(), queue.SimpleQueue[BaseException]()

    def run() -> None:
        try:
            sweep = sweeps()
            for k in order:  # shared: next() on the iterator of a range is atomic
                sweep.restart(tasks[k])
                room = out[starts[k] : starts[k + 1] + spare]
                finished = False
                while not finished and not stop.is_set():
                    finished, _, counts[k] = sweep.advance(room, counts[k], True)
        except BaseException as error:  # handed to the caller's thread
            errors.put(error)
            stop.set()

    others = new_threads(run, min(workers, len(tasks)) - 1)
    try:
        for thread in others:
            thread.start()
        run()
        for thread in others:
            while thread.is_alive():
                thread.join(0.1)
    finally:
        stop.set()
        join_threads(others)
    if not errors.empty():
        raise errors.get()
    total = 0
    for start, count in zip(starts, counts, strict=False):
        if total < start:
            out[total : total + count] = out[start : start + count]
        total += count
    return out[:total]


def items(
    sweeps: Callable[[], Sweeper],
    tasks: Sequence[Any],
    work: Callable[[Sweeper], Iterator[Item]],
    workers: int,
    takes_part: bool,
) -> Iterator[Item]:
    """Items of ``work(sweep)`` over the parts `tasks`, by `workers` threads, in any order.

    takes_part : whether the caller's thread is one of them. Otherwise the others go on while it
    does something with an item. One worker is always that thread, and has one part, the whole.
    """
    if workers == 1:
        sweep = sweeps()
        yield from work(sweep)
        sweep.release()
        return
    shared = iter(tasks)
    ready: queue.Queue[Any] = queue.Queue(maxsize=2 * workers)
    stop = threading.Event()

    def found() -> Iterator[Item]:
        sweep = sweeps()
        for task in shared:  # next() on the iterator of a list is atomic
            sweep.restart(task)
            yield from work(sweep)

    def run() -> None:
        try:
            for item in found():
                if not put(ready, (item, None), stop):
                    return
            put(ready, (None, None), stop)
        except BaseException as error:  # handed to the caller's thread
            put(ready, (None, error), stop)

    others = new_threads(run, min(workers, len(tasks)) - takes_part)
    running = len(others)

    def taken() -> Iterator[Item]:
        nonlocal running
        item, error = ready.get()
        if error is not None:
            raise error
        if item is None:
            running -= 1
        else:
            yield item

    try:
        for thread in others:
            thread.start()
        for item in found() if takes_part else ():
            yield item
            while not ready.empty():
                yield from taken()
        while running:
            yield from taken()
    finally:
        stop.set()
        join_threads(others)
