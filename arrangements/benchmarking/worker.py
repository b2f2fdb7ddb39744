"""One job at a time in a process of its own: time, memory, references, and the check."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from statistics import median
from typing import Any

import numpy as np

from arrangements import Rankings, SignVectors
from arrangements.benchmarking import models, optimizing
from arrangements.benchmarking.cases import MODELS, OPTIMIZE, PROCESS, PROMISED, RANKINGS
from arrangements.benchmarking.extension import unpack
from arrangements.benchmarking.methods import (
    Method,
    WrongAnswerError,
    check,
    counted,
    expected,
    method_named,
)
from arrangements.benchmarking.peers import PEERS, Found
from arrangements.benchmarking.references import (
    Reference,
    given_witnesses,
    references,
    stored_bytes,
)
from arrangements.benchmarking.scale import measure_scale
from arrangements.benchmarking.suites import Job
from arrangements.errors import MissingDependencyError

Message = tuple[str, Any]

_LEAST, _REPEATS = 3, 7
# A first answer that takes longer (a second is for loading compiled kernels) is not repeated.
_SLOW = 3.0
# A prediction may look at the listing for this share of the time the listing takes.
_CALIBRATION = 0.1


def serve(connection: Connection) -> None:
    """Answer jobs until None comes.

    In come a job, its budget and what was registered for it; messages of `measure` go out.
    """
    with suppress(AttributeError, OSError):
        os.setsid()  # so that ending this process ends what it has started
    os.dup2(2, 1)  # other software may print
    threading.Thread(target=_end_with_parent, daemon=True).start()
    watch = _CompileWatch(connection.send)
    while (task := connection.recv()) is not None:
        job, budget, registered = task
        try:
            unpack(job.case, job.method, registered)
            for message in measure(job, budget, watch):
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
        from numba.core import event  # loads slowly

        self.seconds = 0.0
        self._send, self._lock = send, threading.Lock()
        self._depth, self._began = 0, 0.0
        watch = self

        class Listener(event.Listener):  # type: ignore[misc]
            def on_start(self, event: Any) -> None:
                watch.enter()

            def on_end(self, event: Any) -> None:
                watch.leave()

        event.register("numba:compile", Listener())

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


def measure(job: Job, budget: float, watch: _CompileWatch) -> Iterator[Message]:
    """Run a job.

    Yields
    ------
    ("ready", None), ("answered", None), ("done", record)
        Only the time between the first two is subject to the cap.
    """
    if job.case.topic in PROMISED:
        trials = {MODELS: models.TRIALS, OPTIMIZE: optimizing.TRIALS}.get(job.case.topic)
        yield from measure_scale(
            job.case, job.method, job.workers, budget, trials, lambda: watch.seconds
        )
        return
    case, peer = job.case, PEERS.get(job.method)
    method = method_named(case.topic, job.method)
    version = None if peer is None else peer.version()
    _ = case.W, case.offsets  # made before the clock starts
    if peer is not None and not peer.program:
        with suppress(Exception):  # it will fail again
            peer.run(np.eye(2))  # imports the software
    gc.collect()
    gc.freeze()  # what is loaded by now is not looked through again
    yield "ready", None

    spent: list[float] = []

    def run() -> Any:
        began = time.process_time()
        answer = method.run(case, job.workers)
        spent.append(time.process_time() - began)
        return answer

    compiled = watch.seconds
    answer, first, peak = timed(run)
    compiled = watch.seconds - compiled
    yield "answered", None

    count = check(case, job.method, answer)
    right = count
    if isinstance(answer, Found) and not answer.complete:
        right = expected(case, job.method)
    record: dict[str, Any] = {
        "chambers": right,
        "found": count,
        "first_call_seconds": first,
        "compile_seconds": compiled,
        "version": version,
    }
    beside: dict[str, Reference] = {}
    listed = None
    if case.topic != PROCESS:
        listed = answer if isinstance(answer, SignVectors | Rankings) else None
        beside = references(case, count, listed)
        _assert_same(case.topic, listed, beside)
    del answer, listed
    others: dict[str, list[float]] = {name: [] for name in beside}
    slow = first - compiled > max(budget, _SLOW)
    own = [first - compiled] if slow else []
    began = time.perf_counter()
    while len(own) < _LEAST or time.perf_counter() - began < budget:
        if not slow:  # they take turns, so that a slow spell of the machine hits all of them
            again, taken, peak = timed(run)
            if counted(again) != count:
                raise WrongAnswerError(
                    f"{job.name}: {count} found at first, {counted(again)} in a repetition."
                )
            del again  # before the next one is made
            own.append(taken)
        for name, reference in beside.items():
            others[name].append(reference.scale * timed(reference.action)[1])
        if slow or len(own) == _REPEATS:
            break
    record |= _rates(own, count, case.topic != PROCESS and stored_bytes(case, count), others)
    record["processor_seconds"] = spent[1:]
    outside = case.topic == PROCESS or (peer is not None and bool(peer.program))
    record["peak_bytes"] = None if outside else peak
    if method.planned:
        record["predicted"] = _predicted(job, method, median(own))
    yield "done", record


def timed(action: Callable[[], Any]) -> tuple[Any, float, int | None]:
    """What an action returns, its seconds, and by how much it raised the resident memory."""
    before = _reset_peak()
    began = time.perf_counter()
    answer = action()
    taken = time.perf_counter() - began
    if isinstance(answer, Found) and answer.seconds is not None:
        taken = answer.seconds
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
    if not given_witnesses(len(stored)):
        return
    for name in ("evaluation", "one call" if topic == RANKINGS else "tuned evaluation"):
        if not (beside[name].action() == stored).all():
            raise WrongAnswerError(f"NumPy's {name} at the witnesses gives other {topic}.")


def _rates(
    own: list[float], count: int, stored: int, others: dict[str, list[float]]
) -> dict[str, Any]:
    """Times, and everything that is computed from them."""
    taken = median(own)
    middle = {name: median(times) for name, times in others.items()}
    rates: dict[str, Any] = {
        "seconds": taken,
        "seconds_all": own,
        "references": middle,
        "ratio_to_evaluation": taken / middle["evaluation"] if middle else None,
        "ratio_to_copy": taken / middle["copy"] if middle else None,
    }
    if count:
        rates |= {"chambers_per_second": count / taken, "ns_per_chamber": 1e9 * taken / count}
    if stored:
        rates |= {"output_bytes": stored, "bytes_per_second": stored / taken}
    return rates


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
