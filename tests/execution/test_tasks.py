"""Tasks in threads and on a Dask cluster: the same answers, and no thread is left behind."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arrangements.errors import ArrangementError
from arrangements.execution.tasks import in_order, run_tasks


def halve(n: int) -> int:
    """What a task answers, here and on a cluster."""
    if n < 0:
        raise ArrangementError("negative")
    return n // 2


def rest(answer: int) -> list[int]:
    """Two smaller tasks."""
    return [answer, answer - 1] if answer > 1 else []


def tree(n: int) -> list[tuple[int, int]]:
    """All tasks below n, and their answers."""
    return [(n, n // 2), *(pair for each in rest(n // 2) for pair in tree(each))]


def worker(stop: threading.Event) -> Callable[[int], int]:
    return halve


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2}
    with (
        distributed.LocalCluster(**options, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_all_tasks_in_threads(workers: int) -> None:
    before = set(threading.enumerate())
    found = list(run_tasks([100, 30], worker, rest=rest, workers=workers))
    assert sorted(found) == sorted(tree(100) + tree(30))
    assert list(run_tasks([], worker, workers=workers)) == []
    assert set(threading.enumerate()) <= before


@pytest.mark.parametrize("workers", [1, 2])
def test_threads_go_on_while_the_caller_is_busy(workers: int) -> None:
    """They do what an answer left before it is read, but no more than some answers wait."""
    done = []

    def noted(stop: threading.Event) -> Callable[[int], int]:
        return lambda n: (done.append(n), n // 2)[1]

    found = run_tasks([1000], noted, rest=rest, workers=workers)
    read = [next(found)]
    end = time.monotonic() + 10
    while len(done) < 2 * workers and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(0.05)
    assert 2 * workers <= len(done) <= 1 + 3 * workers
    assert sorted([*read, *found]) == sorted(tree(1000))


def test_one_thread_goes_on_with_what_a_task_left() -> None:
    def slow(stop: threading.Event) -> Callable[[int], int]:
        return lambda n: (time.sleep(0.01), n // 2)[1]

    asked = [task for task, _ in run_tasks([1, 8], slow, rest=rest)]
    assert asked[:2] == [1, 8] and sorted(asked) == sorted(n for n, _ in tree(8) + tree(1))


@pytest.mark.slow
def test_all_tasks_on_a_cluster(client: Any) -> None:
    def call(task: int) -> tuple[Any, ...]:
        return halve, task

    found = list(run_tasks([100, 30], worker, call, rest=rest, client=client))
    assert sorted(found) == sorted(tree(100) + tree(30))
    named = run_tasks([7, 9], worker, call, name=lambda task: f"half-{task}", client=client)
    assert sorted(named) == [(7, 3), (9, 4)]
    with pytest.raises(ArrangementError, match="negative"):
        list(run_tasks([4, -1], worker, call, client=client))


@pytest.mark.parametrize("workers", [1, 3])
def test_answers_are_completed_in_order_of_each_thread(workers: int) -> None:
    seen: dict[int, list[int]] = {}

    def make(stop: threading.Event) -> Callable[[int], tuple[int, int]]:
        return lambda task: (threading.get_ident(), task)

    def then(answer: tuple[int, int]) -> int:
        thread, task = answer
        assert thread != threading.get_ident()
        seen.setdefault(thread, []).append(task)
        return -task

    found = list(run_tasks(range(40), make, then=then, workers=workers))
    assert sorted(found) == [(k, -k) for k in range(40)]
    assert all(tasks == sorted(tasks) for tasks in seen.values())


@pytest.mark.parametrize("place", ["worker", "work", "then"])
@pytest.mark.parametrize("error", [ZeroDivisionError("four"), KeyboardInterrupt()])
def test_an_error_anywhere_ends_all_threads(place: str, error: BaseException) -> None:
    before, stops = set(threading.enumerate()), []

    def fail(here: str, value: int) -> int:
        if here == place and value == 4:
            raise error
        return value

    def make(stop: threading.Event) -> Callable[[int], int]:
        stops.append(stop)
        fail("worker", 4)
        return lambda task: fail("work", task)

    with pytest.raises(type(error)):
        list(run_tasks(range(100), make, then=lambda value: fail("then", value), workers=3))
    assert stops[0].is_set() and set(threading.enumerate()) <= before


def test_tasks_that_nobody_waits_for_are_told() -> None:
    before = set(threading.enumerate())

    def make(stop: threading.Event) -> Callable[[int], int]:
        def work(task: int) -> int:
            if task:  # the first answers at once
                stop.wait(timeout=60)
            return task

        return work

    found = run_tasks(range(100), make, workers=3)
    assert next(found) == (0, 0)
    began = time.monotonic()
    found.close()
    assert time.monotonic() - began < 30 and set(threading.enumerate()) <= before


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_answers_come_in_order(workers: int) -> None:
    barrier = threading.Barrier(workers)

    def work(item: int) -> int:
        barrier.wait(timeout=60)  # so many threads are at work
        return item**2

    assert list(in_order(work, range(10 * workers), workers)) == [i**2 for i in range(10 * workers)]
    assert list(in_order(work, [], workers)) == []


def test_no_more_is_asked_than_is_wanted() -> None:
    asked = []

    def items() -> Iterator[int]:
        for i in range(1000):
            asked.append(i)
            yield i

    found = in_order(abs, items(), 2)
    assert [next(found) for _ in range(3)] == [0, 1, 2]
    found.close()  # type: ignore[attr-defined]
    assert len(asked) < 10


@pytest.mark.parametrize("workers", [1, 3])
def test_errors_are_those_of_the_question(workers: int) -> None:
    def work(item: int) -> int:
        if item == 4:
            raise ZeroDivisionError("four")
        return item

    found = []
    with pytest.raises(ZeroDivisionError, match="four"):
        for item in in_order(work, range(100), workers):
            found.append(item)  # noqa: PERF402
    assert found == [0, 1, 2, 3]
