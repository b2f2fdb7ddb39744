"""One job at a time in a process of its own: time, memory, references, and the check."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from arrangements import Rankings, SignVectors
from arrangements.errors import LowRankWarning, MissingDependencyError
from benchmarks.suites import models, optimizing, scale
from benchmarks.suites.cases import MODELS, OPTIMIZE, PROCESS, PROMISED, RANKINGS, SCALE
from benchmarks.suites.extension import unpack
from benchmarks.suites.methods import (
    Method,
    WrongAnswerError,
    check,
    counted,
    expected,
    method_named,
)
from benchmarks.suites.peers import PEERS, Found
from benchmarks.suites.promises import measure_promise
from benchmarks.suites.references import (
    Reference,
    references,
    stored_bytes,
)
from benchmarks.suites.standard import digest, published_digest
from benchmarks.suites.suites import Job

Message = tuple[str, Any]

_TRIALS = {MODELS: models.TRIALS, OPTIMIZE: optimizing.TRIALS, SCALE: scale.TRIALS}

# Entries of a matrix whose digest is recorded: the text of a larger one takes long.
_DIGESTED = 1_000_000
# Calls of a lap, at most.
_CALLS = 7
# A prediction may look at the listing for this share of the time the listing takes.
_CALIBRATION = 0.1


def serve(connection: Connection) -> None:
    """Answer questions until None comes.

    In come the name of a method of `_Bench`, a job and more arguments of it, and what was
    registered for the job; what the method yields goes out.
    """
    with suppress(AttributeError, OSError):
        os.setsid()  # so that ending this process ends what it has started
    os.dup2(2, 1)  # other software may print
    warnings.simplefilter("ignore", LowRankWarning)  # inputs are meant as given
    threading.Thread(target=_end_with_parent, daemon=True).start()
    watch = _CompileWatch(connection.send)
    bench = _Bench(watch)
    while (task := connection.recv()) is not None:
        action, job, arguments, registered = task
        try:
            unpack(job.case, job.method, registered)
            for message in getattr(bench, action)(job, *arguments):
                watch.send(message)
        except MissingDependencyError as error:
            watch.send(("missing", str(error)))
        except WrongAnswerError as error:
            watch.send(("wrong", str(error)))
        except Exception as error:  # whatever other software raises is a result too
            watch.send(("failed", f"{type(error).__name__}: {error}"))


def _end_with_parent() -> None:
    """Do not go on computing when nobody listens any more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        with suppress(AttributeError, OSError):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


class _CompileWatch:
    """Tells when kernels are compiled, and for how long in all.

    Attributes
    ----------
    seconds : float
        Spent on compiling so far.
    """

    def __init__(self, send: Callable[[Message], None]) -> None:
        from arrangements.kernels.numba_internals import on_compilation  # loads slowly

        self.seconds = 0.0
        self._send, self._lock = send, threading.Lock()
        self._depth, self._began = 0, 0.0
        on_compilation(lambda _: self.enter(), lambda _: self.leave())

    def send(self, message: Message) -> None:
        """Pass a message on, also while another thread compiles."""
        with self._lock:
            self._send(message)

    def enter(self) -> None:
        """A compilation begins, maybe inside another one."""
        self._depth += 1
        if self._depth == 1:
            self._began = time.perf_counter()
            self.send(("compiling", None))

    def leave(self) -> None:
        """It ends."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.perf_counter() - self._began
            self.send(("compiled", None))


@dataclass(frozen=True)
class _Trial:
    """A job that has answered here, and is to be measured.

    Attributes
    ----------
    run : callable
        Answers; its answer and the seconds of the processor.
    count : int
        The number of patterns that it must have.
    beside : dict
        References.
    """

    run: Callable[[], tuple[Any, float]]
    count: int
    beside: dict[str, Reference]


class _Bench:
    """What a process measures: first answers, laps of jobs that take turns, predictions."""

    def __init__(self, watch: _CompileWatch) -> None:
        self._watch = watch
        self._trials: dict[Job, _Trial] = {}

    def first(self, job: Job, budget: float) -> Iterator[Message]:
        """The first answer of a job, checked.

        Yields
        ------
        ("ready", None), ("answered", None), ("done", record)
            Only the time between the first two is subject to the cap.
        """
        if job.case.topic in PROMISED:
            yield from measure_promise(
                job.case,
                job.method,
                job.workers,
                budget,
                _TRIALS[job.case.topic],
                lambda: self._watch.seconds,
            )
            return
        case, peer = job.case, PEERS.get(job.method)
        sha256 = digest(case) if case.W.size <= _DIGESTED else None
        if published_digest(case) not in (None, sha256):
            raise WrongAnswerError(f"{case.name}: the input is not the published one.")
        run, version = _prepared(job), None if peer is None else peer.version()
        yield "ready", None
        compiled = self._watch.seconds
        (answer, _), first, peak = timed(run)
        compiled = self._watch.seconds - compiled
        yield "answered", None
        count = right = check(case, job.method, answer)
        if isinstance(answer, Found) and not answer.complete:
            right = expected(case, job.method)
        self._keep(job, run, count, answer)
        del answer
        outside = case.topic == PROCESS or (peer is not None and bool(peer.program))
        yield (
            "done",
            {
                "chambers": right,
                "found": count,
                "first_call_seconds": first,
                "compile_seconds": compiled,
                "version": version,
                "sha256": sha256,
                "output_bytes": 0 if case.topic == PROCESS else stored_bytes(case, count),
                "peak_bytes": None if outside else peak,
            },
        )

    def lap(self, job: Job, count: int, share: float, own: bool = True) -> Iterator[Message]:
        """Some calls, for a share of seconds, and one of each reference.

        A process that has not answered before does so first, without being timed. Without `own`
        only the references are timed.
        """
        if job not in self._trials:
            run = _prepared(job)
            self._keep(job, run, count, run()[0] if own else None)
        trial = self._trials[job]
        times: list[float] = []
        processor: list[float] = []
        peak = None
        began = time.perf_counter()
        while own and (not times or (len(times) < _CALLS and time.perf_counter() - began < share)):
            (answer, spent), taken, peak = timed(trial.run)
            if counted(answer) != trial.count:
                raise WrongAnswerError(
                    f"{job.name}: {trial.count} found at first, {counted(answer)} in a repetition."
                )
            del answer  # before the next one is made
            times.append(taken)
            processor.append(spent)
        yield (
            "done",
            {
                "times": times,
                "processor": processor,
                "peak": peak,
                "references": {
                    name: reference.scale * timed(reference.action)[1]
                    for name, reference in trial.beside.items()
                },
            },
        )

    def plan(self, job: Job, taken: float) -> Iterator[Message]:
        """What `planning` says of a job that took this long."""
        yield "done", _predicted(job, method_named(job.case.topic, job.method), taken)

    def forget(self, job: Job) -> Iterator[Message]:
        """Keep nothing of a job."""
        self._trials.pop(job, None)
        yield "done", {}

    def _keep(self, job: Job, run: Callable[[], Any], count: int, answer: Any) -> None:
        beside: dict[str, Reference] = {}
        if job.case.topic != PROCESS:
            listed = answer if isinstance(answer, SignVectors | Rankings) else None
            beside = references(job.case, count, listed)
            _assert_same(job.case.topic, listed, beside)
        self._trials[job] = _Trial(run, count, beside)


def _prepared(job: Job) -> Callable[[], tuple[Any, float]]:
    """A call of the method, after the matrix is made and other software is imported."""
    case, peer = job.case, PEERS.get(job.method)
    method = method_named(case.topic, job.method)
    _ = case.W, case.offsets  # made before the clock starts
    if peer is not None:
        peer.version()  # it is there
        if not peer.program:
            with suppress(Exception):  # it will fail again
                peer.run(np.eye(2))  # imports the software
    gc.collect()
    gc.freeze()  # what is loaded by now is not looked through again

    def run() -> tuple[Any, float]:
        began = time.process_time()
        answer = method.run(case, job.workers)
        return answer, time.process_time() - began

    return run


def timed(action: Callable[[], Any]) -> tuple[Any, float, int | None]:
    """What an action returns, its seconds, and by how much it raised the resident memory."""
    before = _reset_peak()
    began = time.perf_counter()
    answer = action()
    taken = time.perf_counter() - began
    told = answer[0] if isinstance(answer, tuple) else answer
    if isinstance(told, Found) and told.seconds is not None:
        taken = told.seconds
    peak = None if before is None else max(0, _kilobytes("VmHWM:") * 1024 - before)
    return answer, taken, peak


def _reset_peak() -> int | None:
    """Give free memory back and let the peak start again from here; resident bytes (Linux)."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
        return 1024 * _kilobytes("VmRSS:")
    except (OSError, AttributeError):
        return None


def _kilobytes(field: str) -> int:
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(field))


def _assert_same(
    topic: str, found: SignVectors | Rankings | None, beside: dict[str, Reference]
) -> None:
    """At witnesses NumPy gives the stored patterns themselves."""
    if found is None:
        return
    stored = found.orders if isinstance(found, Rankings) else found.packed
    for name in ("evaluation", "one call" if topic == RANKINGS else "tuned evaluation"):
        if beside[name].at_witnesses and not (beside[name].action() == stored).all():
            raise WrongAnswerError(f"NumPy's {name} at the witnesses gives other {topic}.")


def _predicted(job: Job, method: Method, taken: float) -> dict[str, Any]:
    """What `planning` says after listing, counting for a tenth of the time, 0.1 s at least."""
    from arrangements.enumeration.planning import plan  # loads numba

    window = min(0.5, max(0.1, _CALIBRATION * taken))
    found = plan(
        job.case.W,
        job.case.offsets,
        rankings=job.case.topic == RANKINGS,
        method=method.planned,
        workers=job.workers,
        seconds=3 * window,
    )
    return {
        "chambers": found.expected,
        "bytes": found.listing_bytes,
        "seconds": getattr(found, f"{method.what}_seconds"),
        "complete": found.counted if method.what == "counting" else found.listed,
    }
