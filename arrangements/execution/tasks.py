"""Tasks in threads of this process or on a Dask cluster: the one way to share out work."""

from __future__ import annotations

import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from arrangements.execution.clusters import scheduler_errors, threads_of
from arrangements.log import logger

Task = TypeVar("Task")
Answer = TypeVar("Answer")

# Tasks for each thread of a cluster: enough that none waits, few enough to forget quickly.
_AHEAD = 2
# Answers for each thread that may wait to be read, so that a slow reader's memory does not fill.
_UNREAD = 2
# Wakes a thread that waits for a task.
_WAKE: Any = object()


def _nothing(answer: Any) -> list[Any]:
    return []


def run_tasks(
    tasks: Sequence[Task],
    worker: Callable[[threading.Event], Callable[[Task], Any]],
    call: Callable[[Task], tuple[Any, ...]] | None = None,
    *,
    rest: Callable[[Any], list[Task]] = _nothing,
    then: Callable[[Any], Any] | None = None,
    name: Callable[[Task], str | None] = lambda task: None,
    workers: int = 1,
    client: Any = None,
) -> Generator[tuple[Task, Any], None, None]:
    """Run tasks, and those that their answers leave; yield each with its answer, in any order.

    Closing the generator, an error and Ctrl-C end all threads.

    Parameters
    ----------
    worker : callable
        Makes, in each thread, the function that answers a task there. It is given an event;
        once this is set, nobody waits for the answer.
    call : callable, optional
        With a client: the function, and its arguments, that answer a task on the cluster, which may
        call it twice.
    rest : callable
        Tasks that an answer leaves, which come next; asked in the thread that has the answer.
    then : callable, optional
        Completes the answer of a thread in another thread, while the first goes on with its next
        task: for writing to a disk, which waits more than it computes.
    name : callable
        Name of a task on a cluster; default a fresh one.
    workers : int
        Threads.
    client : distributed.Client, optional
        The cluster to use instead of threads.

    Examples
    --------
    >>> halves = run_tasks([8], lambda stop: lambda n: n // 2, rest=lambda n: [n] if n else [])
    >>> list(halves)
    [(8, 4), (4, 2), (2, 1), (1, 0)]
    """
    if client is None or call is None:
        logger.debug("%d tasks on %d threads", len(tasks), workers)
        return _in_threads(tasks, worker, rest, then, workers)
    logger.debug("%d tasks on a cluster", len(tasks))
    return on_cluster(client, tasks, call, rest=rest, name=name)


def _in_threads(
    tasks: Sequence[Task],
    worker: Callable[[threading.Event], Callable[[Task], Any]],
    rest: Callable[[Any], list[Task]],
    then: Callable[[Any], Any] | None,
    workers: int,
) -> Generator[tuple[Task, Any], None, None]:
    waiting: queue.LifoQueue[Task] = queue.LifoQueue()
    ready: queue.Queue[Any] = queue.Queue(_UNREAD * workers)
    stop, lock = threading.Event(), threading.Lock()
    left = 0

    def add(more: Sequence[Task]) -> None:
        nonlocal left
        with lock:  # before one can be done
            left += len(more)
        for each in reversed(more):
            waiting.put(each)

    def complete(task: Task, answer: Any) -> None:
        try:
            answer = answer if then is None else then(answer)
            add(rest(answer))  # now: the caller may be busy
            put(ready, (task, answer, None), stop)
        except BaseException as error:  # handed to the caller's thread
            put(ready, (None, None, error), stop)

    def run() -> None:
        try:
            work = worker(stop)
            with ThreadPoolExecutor(1) as behind:
                last: Future[None] | None = None
                while (task := waiting.get()) is not _WAKE and not stop.is_set():
                    answer = work(task)
                    if then is None:
                        complete(task, answer)
                        continue
                    if last is not None:  # at most one waits
                        last.result()
                    last = behind.submit(complete, task, answer)
        except BaseException as error:  # handed to the caller's thread
            put(ready, (None, None, error), stop)

    add(tasks)
    # tasks may leave more tasks than there are now, but there are no more processors
    threads = new_threads(run, min(workers, max(left, os.cpu_count() or 1)) if left else 0)
    try:
        for thread in threads:
            thread.start()
        while left:
            task, answer, error = ready.get()
            if error is not None:
                raise error
            with lock:
                left -= 1
            yield task, answer
    finally:
        stop.set()
        for _ in threads:
            waiting.put(_WAKE)
        join_threads(threads)


def on_cluster(
    client: Any,
    tasks: Sequence[Task],
    call: Callable[[Task], tuple[Any, ...]],
    *,
    rest: Callable[[Any], list[Task]] = _nothing,
    name: Callable[[Task], str | None] = lambda task: None,
) -> Generator[tuple[Task, Any], None, None]:
    """The same on a Dask cluster, which has as many tasks at a time as keep it busy."""
    from distributed import as_completed  # an extra

    waiting = list(tasks)[::-1]
    running: dict[Any, Task] = {}

    def submit() -> Any:
        task = waiting.pop()
        future = client.submit(*call(task), key=name(task), pure=False)
        running[future] = task
        return future

    with scheduler_errors(client):
        first = min(_AHEAD * threads_of(client), len(waiting))
        futures = as_completed([submit() for _ in range(first)])
        for future in futures:
            answer = future.result()
            task = running.pop(future)
            future.release()
            waiting += rest(answer)[::-1]
            yield task, answer
            most = _AHEAD * threads_of(client)  # workers come and go
            while waiting and futures.count() < most:
                futures.add(submit())


def in_order(
    work: Callable[[Task], Answer], tasks: Iterable[Task], workers: int
) -> Iterator[Answer]:
    """``work(task)`` for each task, in their order, by `workers` threads.

    Examples
    --------
    >>> list(in_order(abs, [-3, 2, -1], 2))
    [3, 2, 1]
    """
    if workers == 1:
        yield from map(work, tasks)
        return
    waiting: deque[Future[Answer]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for task in tasks:
                waiting.append(pool.submit(work, task))
                if len(waiting) == 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # on an error, or when the caller asks for no more
            for future in waiting:
                future.cancel()


def put(items: queue.Queue[Any], item: Any, stop: threading.Event) -> bool:
    """Put something into a queue when it has room; not once nobody waits for it (False)."""
    while not stop.is_set():
        try:
            items.put(item, timeout=0.05)
            return True
        except queue.Full:
            continue
    return False


def new_threads(run: Callable[[], None], number: int) -> list[threading.Thread]:
    """Threads that are still to be started; none keeps the process alive."""
    return [threading.Thread(target=run, daemon=True) for _ in range(number)]


def join_threads(threads: Iterable[threading.Thread]) -> None:
    """Wait for the end of those that were started: Ctrl-C may have come before, or an error."""
    for thread in threads:
        if thread.ident is not None:
            thread.join()
