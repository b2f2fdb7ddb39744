"""Other processes of this machine, for work in plain Python, which threads do not share."""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from arrangements.errors import ArrangementError
from arrangements.messages import quote

# Started with -c, so that nothing runs the caller's own script again.
_PROGRAM = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from arrangements.execution.processes import serve
serve()
"""
_common: Any = None


class _Pickler(pickle.Pickler):
    """A pickler that leaves out an object which both sides have."""

    def __init__(self, stream: Any, common: Any) -> None:
        super().__init__(stream)
        self.common = common

    def persistent_id(self, value: Any) -> str | None:
        """The name of the common object."""
        return "common" if value is self.common else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: Any, common: Any) -> None:
        super().__init__(stream)
        self.common = common

    def persistent_load(self, name: str) -> Any:
        """The common object."""
        return self.common


def dumps(value: Any, common: Any) -> bytes:
    """A value for `loads` in a process that has the same common object."""
    stream = io.BytesIO()
    _Pickler(stream, common).dump(value)
    return stream.getvalue()


def loads(data: bytes) -> Any:
    """In a process of `Processes`: a value that `dumps` wrote."""
    return _Unpickler(io.BytesIO(data), _common).load()


class Processes:
    """Processes that answer calls, each started when it is first needed.

    Parameters
    ----------
    number : int
    common : object
        Sent once to each of them. Where it occurs in arguments and answers, it is not sent again.

    Examples
    --------
    >>> with Processes(1, None) as processes:
    ...     processes.submit(sum, [1, 2]).result()
    3
    """

    def __init__(self, number: int, common: Any) -> None:
        self.common = common
        self._children: list[subprocess.Popen[bytes]] = []
        self._mine = threading.local()
        self._threads = ThreadPoolExecutor(number)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """The answer of a function of a module, in one of the processes."""
        return self._threads.submit(self._ask, function, arguments)

    def _ask(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        if not hasattr(self._mine, "child"):
            self._mine.child = self._start()
        to, answers = self._mine.child.stdin, self._mine.child.stdout
        call = dumps((function, arguments), self.common)  # whole, or nothing is sent
        try:
            to.write(call)
            to.flush()
            answer, error = _Unpickler(answers, self.common).load()
        except (EOFError, OSError) as lost:
            raise ArrangementError(
                "a process of workers=.. ended before its answer, perhaps for lack of memory; pass "
                "fewer workers."
            ) from lost
        if error is not None:
            raise error
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        command, pipe = [sys.executable, "-c", _PROGRAM], subprocess.PIPE
        child = subprocess.Popen(command, stdin=pipe, stdout=pipe)
        self._children.append(child)
        assert child.stdin is not None
        pickle.dump(sys.path, child.stdin)
        pickle.dump(self.common, child.stdin)
        return child

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.kill()
        self._threads.shutdown(cancel_futures=True)
        for child in self._children:
            with child:
                pass


def serve() -> None:
    """Answer the calls of `Processes` until it ends, which closes the pipe."""
    global _common
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits
    calls, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed
    _common = pickle.load(calls)
    while True:
        try:
            function, arguments = _Unpickler(calls, _common).load()
        except EOFError:
            return
        try:
            answer = dumps((function(*arguments), None), _common)
        except Exception as error:  # raised again by the process that waits
            answer = _pack_error(error)
        answers.write(answer)
        answers.flush()


def _pack_error(error: Exception) -> bytes:
    """An exception as an answer; its text, if pickle cannot write it or read it again."""
    try:
        packed = dumps((None, error), _common)
        loads(packed)
    except Exception:
        text = f"a process of workers=.. raised {quote(error, 200)}."
        packed = dumps((None, ArrangementError(text)), _common)
    return packed
