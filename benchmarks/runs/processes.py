"""Worker processes, which are ended when they take too long, and started again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from arrangements.errors import InputError
from benchmarks.runs.run_files import Record
from benchmarks.runs.worker import serve
from benchmarks.suites.extension import packed
from benchmarks.suites.suites import PROCESSORS, Job

# Building the matrix and importing other software is not timed; neither is checking the answer.
PATIENCE = 900.0
# Each lap is in another one of so many processes.
PROCESSES = 2
_THREAD_VARIABLES = tuple(f"{library}_NUM_THREADS" for library in ("OPENBLAS", "OMP", "MKL")) + (
    "VECLIB_MAXIMUM_THREADS",
)
ONE_THREAD = dict.fromkeys(_THREAD_VARIABLES, "1")


class Crew:
    """Worker processes: some for each kind of processor, which measure the same jobs."""

    def __init__(self, ended: ExitStack) -> None:
        self._ended = ended
        self._workers: dict[tuple[str, int], WorkerProcess] = {}

    def worker(self, job: Job, lap: int = 0) -> WorkerProcess:
        """The process for a lap of a job."""
        key = job.processor, lap % PROCESSES
        if key not in self._workers:
            settings = PROCESSORS.get(job.processor, {})
            self._workers[key] = self._ended.enter_context(WorkerProcess(settings))
        return self._workers[key]

    def forget(self, job: Job) -> None:
        """Let no process keep anything of a job."""
        for (processor, _), workers in self._workers.items():
            if processor == job.processor:
                workers.forget(job)


class WorkerProcess:
    """A worker process, started again when it had to be ended.

    Parameters
    ----------
    settings : dict
        More of its environment.

    Attributes
    ----------
    stopped : bool
        Nothing is run any more.
    """

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        self._environment = ONE_THREAD | (settings or {})
        self._process: Any = None
        self._connection: Any = None
        self._temporary: Any = None
        self.stopped = False

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def run(self, job: Job, cap: float, budget: float) -> Record:
        """The first outcome of a job."""
        return self._call("first", job, (budget,), cap)

    def lap(self, job: Job, count: int, share: float, own: bool) -> Record:
        """Some more calls of a job that has answered."""
        return self._call("lap", job, (count, share, own), PATIENCE)

    def plan(self, job: Job, taken: float) -> Record:
        """What is predicted of a job."""
        return self._call("plan", job, (taken,), PATIENCE)

    def forget(self, job: Job) -> None:
        """Let the process keep nothing of a job."""
        if self._process is not None:
            self._call("forget", job, (), PATIENCE)

    def _call(self, action: str, job: Job, arguments: tuple[Any, ...], cap: float) -> Record:
        try:
            if self._process is None:
                self._start()
            self._connection.send((action, job, arguments, packed(job.case, job.method)))
            return self._outcome(cap)
        except InputError as error:  # what was registered cannot be sent
            return {"status": "failed", "message": str(error)}
        except (EOFError, OSError):
            self.end()
            return {"status": "failed", "message": "the process died (out of memory?)"}

    def _outcome(self, cap: float) -> Record:
        """Follow the messages of a worker."""
        left, compiling, answering = PATIENCE, False, False
        while True:
            began = time.perf_counter()
            if not self._connection.poll(PATIENCE if compiling else left):
                self.end()
                if answering and not compiling:
                    return {"status": "capped", "message": f"> {cap:g} s", "cap": cap}
                return {
                    "status": "failed",
                    "message": f"loading, compiling or checking took more than {PATIENCE:g} s",
                }
            if not compiling:
                left -= time.perf_counter() - began
            what, content = self._connection.recv()
            if what in ("compiling", "compiled"):
                compiling = what == "compiling"
            elif what in ("ready", "answered"):
                answering = what == "ready"
                left = cap if answering else PATIENCE
            elif what == "done":
                return {"status": "ok"} | content
            else:
                return {"status": what, "message": content}

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        # it may have children, such as workers of Dask, and ends with this process by itself
        process = context.Process(target=serve, args=(theirs,), daemon=False)
        with _STARTING:
            if self.stopped:
                raise ConnectionAbortedError
            # for its temporary files: one that is killed removes none
            self._temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            with _environment(self._environment | {"TMPDIR": self._temporary.name}):
                process.start()
            self._process, self._connection = process, ours
        theirs.close()

    def stop(self) -> None:
        """End the process, from another thread than that in which `run` waits for it."""
        with _STARTING:
            self.stopped = True
            if (process := self._process) is not None:
                process.kill()

    def end(self) -> None:
        """End the process and all that it has started."""
        if self._process is None:
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (AttributeError, OSError):  # not its own group yet, or no groups here
            self._process.kill()
        self._process.join()
        self._connection.close()
        self._temporary.cleanup()
        self._process = None


_STARTING = threading.Lock()  # the environment is that of all threads


@contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    """The environment with changes, for processes started meanwhile."""
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
