"""Threads that share out the parts of a sweep."""

import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from arrangements.execution.threads import items, write_side_by_side
from arrangements.search.parts import Part, cut

TASKS = [Part((), k, k + 1) for k in range(40)]


class Counting:
    """A sweep whose part k has k + 1 rows, all of them k, one for each call."""

    def __init__(self, meet: threading.Barrier) -> None:
        self.meet: threading.Barrier | None = meet

    def restart(self, part: Part) -> None:
        self.k = part.first

    def advance(self, out: Any, count: int, store: bool) -> tuple[bool, bool, int]:
        if self.meet is not None:  # so many threads are at work
            self.meet.wait(timeout=60)
            self.meet = None
        out[count] = self.k
        return count == self.k, False, count + 1

    def numbers(self) -> Iterator[tuple[int, int]]:
        """Each row and the thread that found it."""
        out, finished, count = np.zeros(99, np.int64), False, 0
        while not finished:
            finished, _, count = self.advance(out, count, True)
            yield int(out[count - 1]), threading.get_ident()


class Failing(Counting):
    """The same, until a call in the caller's thread, or in another, raises an error."""

    def __init__(self, meet: threading.Barrier, error: BaseException, here: bool) -> None:
        super().__init__(meet)
        self.error, self.here, self.caller = error, here, threading.main_thread()

    def advance(self, out: Any, count: int, store: bool) -> tuple[bool, bool, int]:
        answer = super().advance(out, count, store)
        if (threading.current_thread() is self.caller) == self.here:
            raise self.error
        return answer


def written(sweep: Any, workers: int) -> list[int]:
    """What threads write side by side; each part has room for one row more than it fills."""
    most = [part.stop + 1 for part in TASKS]
    out = np.zeros(sum(most) + 5, np.int64)
    return write_side_by_side(sweep, TASKS, most, out, 5, workers).tolist()


ROWS = [k for k in range(40) for _ in range(k + 1)]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_rows_are_written_side_by_side(workers: int) -> None:
    meet, before = threading.Barrier(workers), set(threading.enumerate())
    assert written(lambda: Counting(meet), workers) == ROWS
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("takes_part", [False, True])
@pytest.mark.parametrize("workers", [2, 5])
def test_items_are_those_of_all_parts(workers: int, takes_part: bool) -> None:
    meet, before = threading.Barrier(workers), set(threading.enumerate())
    found = list(
        items(lambda: Counting(meet), TASKS, Counting.numbers, workers, takes_part=takes_part)
    )
    assert sorted(number for number, _ in found) == ROWS
    threads = {thread for _, thread in found}
    assert len(threads) == workers and (threading.get_ident() in threads) == takes_part
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("here", [False, True])
@pytest.mark.parametrize("error", [ZeroDivisionError("four"), KeyboardInterrupt()])
def test_errors_of_any_thread_end_all(error: BaseException, here: bool) -> None:
    before = set(threading.enumerate())
    for _ in range(5):
        meet = threading.Barrier(3)
        with pytest.raises(type(error)):
            written(lambda meet=meet: Failing(meet, error, here), 3)
        assert set(threading.enumerate()) <= before
        meet = threading.Barrier(3)
        with pytest.raises(type(error)):
            list(
                items(
                    lambda meet=meet: Failing(meet, error, here), TASKS, Counting.numbers, 3, True
                )
            )
        assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("can't start new thread")])
@pytest.mark.parametrize("takes_part", [False, True, None])
def test_errors_while_threads_are_started_end_those_that_run(
    takes_part: bool | None, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, start, started = set(threading.enumerate()), threading.Thread.start, []

    def failing(thread: threading.Thread) -> None:
        if len(started) == 2:
            raise error
        start(thread)
        started.append(thread)

    def sweep() -> Counting:
        return Counting(threading.Barrier(1))

    monkeypatch.setattr(threading.Thread, "start", failing)
    with pytest.raises(type(error)):
        if takes_part is None:
            written(sweep, 5)
        else:
            list(items(sweep, TASKS, Counting.numbers, 5, takes_part))
    assert len(started) == 2 and set(threading.enumerate()) <= before


def test_items_that_nobody_asks_for_end_the_threads() -> None:
    before = set(threading.enumerate())
    for takes_part in (False, True):
        meet = threading.Barrier(2)
        found = items(lambda meet=meet: Counting(meet), TASKS, Counting.numbers, 2, takes_part)
        next(found)
        found.close()  # type: ignore[attr-defined]
        assert set(threading.enumerate()) <= before


def test_more_threads_than_children_have_a_child_each() -> None:
    _, *below = cut(np.ones(12), 10**15)
    assert below == [Part((), k, k + 1) for k in range(11, -1, -1)]


@pytest.mark.parametrize("workers", [2, 7])
@pytest.mark.parametrize("n", [3, 50, 20_000])
def test_parts_are_shares_of_what_is_left(n: int, workers: int) -> None:
    weights = np.arange(n) ** 2.0
    root, *below = cut(weights, workers)
    workers = min(workers, n)
    assert root == Part((), 0, 0, own=True)
    assert below[0].stop == n and below[-1].first == 0
    assert all(part.first == after.stop < part.stop for part, after in pairwise(below))
    for part in below[:-1]:
        left = weights[: part.stop].sum()
        # a share of what is left, or one child more
        assert weights[part.first + 1 : part.stop].sum() <= left / (2 * workers) * (1 + 1e-9)
    # the last threads to end wait for little
    last = weights[below[-1].first : below[-1].stop]
    assert last[:-1].sum() <= weights.sum() / (256 * workers)
