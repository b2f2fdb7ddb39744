"""Hand out the parts of a sweep: to threads of this process, or as tasks of a Dask cluster.

What is done with a part, and what comes of it, does not matter here: an answer says which part it
is about, and what that part left for others.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from arrangements.execution.clusters import cluster_answers
from arrangements.search.parts import WHOLE, Part

PartId = tuple[int, ...]
Task = tuple[PartId, Part]

# Before all tasks: who takes it looks whether to stop.
_WAKE: Task = ((), WHOLE)


class Answer(Protocol):
    """What a worker says of a part."""

    @property
    def part(self) -> PartId:
        """Number of the part; (17, 1) is the second piece that part 17 left."""

    @property
    def rows(self) -> int:
        """Rows of it, those of the rest not counted."""

    @property
    def rest(self) -> Sequence[Part]:
        """Pieces that the part left for others, in order."""


Answered = TypeVar("Answered", bound=Answer)


def tasks_left(answer: Answer) -> list[Task]:
    """The tasks that an answer leaves, in order."""
    return [((*answer.part, k), piece) for k, piece in enumerate(answer.rest)]


def side_by_side(
    worker: Callable[[], Callable[[PartId, Part], Any]],
    tasks: Iterable[Task],
    workers: int,
    stop: threading.Event,
    then: Callable[[Any], Answered] | None = None,
) -> Generator[Answered, None, None]:
    """What that many threads answer to the tasks, and to those that their answers leave.

    The first parts are handed out first, and so are pieces of them.

    Parameters
    ----------
    then : function, optional
        Makes an answer of what a worker has made. It waits for a disk more than it computes: so it
        runs in another thread, while the worker goes on with its next task.
    """
    waiting: queue.PriorityQueue[Task] = queue.PriorityQueue()
    ready: queue.SimpleQueue[Answered | BaseException] = queue.SimpleQueue()

    def end(made: Any) -> None:
        try:
            ready.put(made if then is None else then(made))
        except BaseException as error:  # handed to the caller's thread
            ready.put(error)

    def run() -> None:
        try:
            work = worker()
            with ThreadPoolExecutor(1) as behind:
                last: Future[None] | None = None
                while (task := waiting.get()) and not stop.is_set():
                    made = work(*task)
                    if then is None:
                        end(made)
                        continue
                    if last is not None:  # at most one waits
                        last.result()
                    last = behind.submit(end, made)
        except BaseException as error:  # handed to the caller's thread
            ready.put(error)

    left = 0
    for task in tasks:
        waiting.put(task)
        left += 1
    # parts may be split, so that there are more of them than now, but not more processors
    useful = min(workers, max(left, os.cpu_count() or 1)) if left else 0
    threads = [threading.Thread(target=run, daemon=True) for _ in range(useful)]
    for thread in threads:
        thread.start()
    try:
        while left:
            answer = ready.get()
            if isinstance(answer, BaseException):
                raise answer
            for task in tasks_left(answer):
                waiting.put(task)
                left += 1
            left -= 1
            yield answer
    finally:
        stop.set()
        for _ in threads:
            waiting.put(_WAKE)
        for thread in threads:
            thread.join()


def on_cluster(
    client: Any,
    key: str,
    work: Callable[..., tuple[Any, ...]],
    given: tuple[Any, ...],
    answered: Callable[..., Answered],
    tasks: Iterable[Task],
) -> Generator[Answered, None, None]:
    """Answers to the tasks, and to those that they leave, from the workers of a Dask cluster.

    A task is ``work(*given, part, what)``, and ``answered(*..)`` makes an answer of what it
    returns; plain tuples travel. Dask may run it twice, so it must do no harm then.

    Parameters
    ----------
    key : str
        What the names of tasks begin with: no other work has it.
    """
    waiting = list(tasks)[::-1]

    def submit(task: Task) -> Any:
        part, what = task
        name = f"arrangements-{key}-{'.'.join(map(str, part))}"
        return client.submit(work, *given, part, tuple(what), key=name, pure=False)

    for _, found in cluster_answers(client, submit, waiting):
        answer = answered(*found)
        waiting += tasks_left(answer)[::-1]
        yield answer
