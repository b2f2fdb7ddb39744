"""What any call may do: give an answer, or raise one ArrangementError of one line, in ten seconds.

A case is text, the Python expression that failed, so that it can be pasted and run again.
"""

import faulthandler
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from numba.core import event

from arrangements.errors import ArrangementError

resource = pytest.importorskip("resource", reason="alarms and limits of POSIX")

SECONDS = 10
# A kernel that never returns keeps Python from handling a signal; then the process ends.
_LAST_SECONDS = 120
# Of memory, beyond what the process has when the call begins.
_BYTES = 2**31
_MOST_CHARACTERS = 600


class Hang(BaseException):
    """A call takes too long; no `Exception`, so that nothing takes it for damaged input."""


class _Compilation(event.Listener):
    """Whether kernels were compiled: the first call of one takes as long as that takes."""

    def __init__(self) -> None:
        self.seen = False

    def on_start(self, event: Any) -> None:
        self.seen = True

    def on_end(self, event: Any) -> None:
        self.seen = True


_compilation = _Compilation()
event.register("numba:compile", _compilation)


@contextmanager
def watched() -> Iterator[None]:
    """Raise Hang when the block takes more than ten seconds, apart from compilation."""

    def late(number: int, frame: Any) -> None:
        if not _compilation.seen:
            raise Hang
        _compilation.seen = False
        signal.alarm(SECONDS)

    before = signal.signal(signal.SIGALRM, late)
    _compilation.seen = False
    signal.alarm(SECONDS)
    faulthandler.dump_traceback_later(_LAST_SECONDS, exit=True)
    try:
        yield
    finally:
        signal.alarm(0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


@contextmanager
def limited() -> Iterator[None]:
    """Let a call that takes more than two gigabytes fail, before the machine does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm", encoding="ascii") as numbers:
        taken = int(numbers.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + _BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def judged(call: Callable[[], Any]) -> tuple[Any, str | None, str | None]:
    """Answer, message of a refusal, and what is wrong; of each None if there is none."""
    answer = refusal = problem = None
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            with watched(), limited():
                answer = call()
        except ArrangementError as error:
            refusal = str(error)
            problem = _bad_message(refusal)
        except Hang:
            problem = f"takes more than {SECONDS} s"
        except Exception as error:
            problem = f"{type(error).__name__}: {str(error)[:200]} ({_place(error)})"
    own = ("arrangements.errors", "the later ones have numbers")
    foreign = [
        w for w in warned if w.category.__module__ != own[0] and own[1] not in str(w.message)
    ]
    if foreign:
        problem = problem or f"warns {foreign[0].category.__name__}: {foreign[0].message}"
    return answer, refusal, problem


def _bad_message(message: str) -> str | None:
    if not message.strip() or "\n" in message or len(message) > _MOST_CHARACTERS:
        return f"says {len(message)} characters: {message[:100]!r}"
    return None


def _place(error: BaseException) -> str:
    """Where the error was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return "nowhere"
    return f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"


def report(problems: list[str]) -> None:
    """Fail with all cases that went wrong."""
    assert not problems, "\n".join(["", *problems])
