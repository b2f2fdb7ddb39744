"""Ctrl-C and SIGTERM end a command within a second, whatever it does, and leave nothing behind.

Python runs the handler of a signal between two steps of its own, and a call of a kernel is one
step, as is its compilation by LLVM. So a thread learns of signals, too, and if the command has not
ended by itself after a moment, the thread ends the process. It waits only for code that is neither
Python nor a kernel and keeps Python's lock, such as one large product of FLINT.
"""

import atexit
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

# Seconds that a command has to end by itself.
_PATIENCE = 0.5
# Message and exit status for each signal that is handled; statuses are those of a shell.
_WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}


_patience_stack = [_PATIENCE]


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Give a step more time to end after a signal: one that keeps what it has found."""
    _patience_stack.append(seconds)
    try:
        yield
    finally:
        _patience_stack.pop()


_DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


def _ignore_signals() -> None:
    """Let a process end whose command has ended: it would die of a signal that comes too late."""
    for number in _WORDS:
        if signal.getsignal(number) in _DEFAULTS:
            signal.signal(number, signal.SIG_IGN)


class Interruption:
    """While it is entered, in the main thread, Ctrl-C and SIGTERM raise and end the process.

    Signals that the caller handles or ignores stay the caller's: a shell starts background jobs
    with SIGINT ignored.

    Attributes
    ----------
    received : int or None
        The first of the signals that came. Code that the exception interrupts, such as the
        compilation of a kernel, may raise another exception in its place.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._ended = threading.Event()

    @property
    def message(self) -> str:
        """What to say about the signal that came."""
        assert self.received is not None
        return _WORDS[signal.Signals(self.received)]

    @property
    def status(self) -> int:
        """Exit status for the signal that came."""
        assert self.received is not None
        return 128 + self.received

    def __enter__(self) -> "Interruption":
        found = {number: signal.getsignal(number) for number in _WORDS}
        self._previous = {n: handler for n, handler in found.items() if handler in _DEFAULTS}
        for number in self._previous:
            signal.signal(number, self._raise)
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._watch, daemon=True).start()
        atexit.register(_ignore_signals)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        signal.set_wakeup_fd(self._fd)
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._writer.close()

    def _raise(self, number: int, frame: FrameType | None) -> None:
        self.received = self.received or number
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise SystemExit(128 + number)

    def _watch(self) -> None:
        """Wait for a signal, then for the command to end."""
        with self._reader:
            while octet := self._reader.recv(1):
                number = octet[0]
                if number in self._previous:
                    self.received = self.received or number
                    if not self._ended.wait(_patience_stack[-1]):
                        self._end_process()
                    return

    def _end_process(self) -> None:
        if (files := sys.modules.get("arrangements.files.atomic")) is not None:
            files.remove_temporaries()
        if (processes := sys.modules.get("multiprocessing")) is not None:
            for child in processes.active_children():
                _kill_group(child)
        try:
            os.write(2, f"arrangements: error: {self.message}\n".encode())
        finally:
            os._exit(self.status)


def _kill_group(child: Any) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (AttributeError, OSError):  # not a group of its own, or no groups here
        child.kill()
