"""One long step of work that Ctrl-C can interrupt."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import TypeVar, cast

Item = TypeVar("Item")

# Operations of a step that may last longer than a moment.
_LONG = 1e8


def answering_ctrl_c(work: Callable[[], Item], operations: float) -> Item:
    """``work()``, one step of about this many operations, in a thread if these are many.

    Python answers Ctrl-C between steps. A call of a kernel that lasts long cannot be stopped, but
    the caller need not wait for it: after Ctrl-C its thread goes on until the call ends, or the
    process does, and its result is dropped.
    """
    if operations < _LONG or threading.current_thread() is not threading.main_thread():
        return work()
    answer: queue.SimpleQueue[tuple[Item | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put((work(), None))
        except BaseException as error:  # handed to the caller's thread
            answer.put((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    value, error = answer.get()
    if error is not None:
        raise error
    return cast(Item, value)
