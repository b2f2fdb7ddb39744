"""All jobs of a suite, each in a worker process that may be ended: the run and its record."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from arrangements.benchmarking import cases, intervals, methods, references
from arrangements.benchmarking.cases import CHAMBERS, FAMILIES, PROCESS, PROMISED, RANKINGS, Case
from arrangements.benchmarking.compilation import entries_of
from arrangements.benchmarking.extension import packed
from arrangements.benchmarking.intervals import interval, is_narrow
from arrangements.benchmarking.machine import (
    describe_machine,
    load,
    origin,
    thread_variables,
    versions,
)
from arrangements.benchmarking.methods import METHODS, method_named
from arrangements.benchmarking.suites import PROCESSORS, Job, Suite, suite_named
from arrangements.benchmarking.worker import serve
from arrangements.errors import InputError
from arrangements.files.atomic import atomic_write
from arrangements.files.paths import check_name
from arrangements.messages import quote

Record = dict[str, Any]
RunRecord = dict[str, Any]

SCHEMA = 2
# Runs of schema 1 have no features, kernel, threads, load, seeds, command and intervals.
_SCHEMAS = (1, SCHEMA)
# Building the matrix and importing other software is not timed; neither is checking the answer.
_PATIENCE = 900.0
_MOST_CAP = 1e6
# Jobs that take turns; what they need for it stays in memory.
_TURNS = 8
# Each lap is in another one of so many processes.
_PROCESSES = 2
_LEAST_LAPS, _MOST_LAPS = 5, 25
# Laps end when the interval of the median is at most this share of it wide.
_NARROW = 0.03
# A first answer that takes longer (a second is for loading compiled kernels) is not repeated.
_SLOW = 3.0
# Small inputs, generic and degenerate, on which a method uses all kernels it ever uses.
_SMALL = {
    CHAMBERS: (
        Case(CHAMBERS, "gaussian", 9, 3),
        Case(CHAMBERS, "gaussian", 7, 5),
        Case(CHAMBERS, "resonance", 15, 4),
        Case(CHAMBERS, "threshold", 16, 5),
    ),
    RANKINGS: (Case(RANKINGS, "gaussian", 6, 3), Case(RANKINGS, "cube", 8, 3)),
}
# The methods whose compilation takes longest; the others of a topic partly use the same kernels.
_COMPILED_FIRST = [(RANKINGS, "sweep"), (CHAMBERS, "sweep"), (CHAMBERS, "incremental")]
_ONE_THREAD = tuple(f"{library}_NUM_THREADS" for library in ("OPENBLAS", "OMP", "MKL")) + (
    "VECLIB_MAXIMUM_THREADS",
)
_ALONE = dict.fromkeys(_ONE_THREAD, "1")


def run_suite(
    suite: str | Suite,
    *,
    cap: float | None = None,
    only: str = "",
    report: Callable[[str], None] = lambda line: None,
    output: str | None = None,
    command: str = "",
) -> RunRecord:
    """Run the jobs of a suite.

    Parameters
    ----------
    suite : str or Suite
        A key of `SUITES`, or another suite.
    cap : float, optional
        Seconds after which an answer is not waited for any longer, and the rest of that series
        is skipped; default that of the suite. Compilation does not count.
    only : str
        Only the jobs whose name contains this.
    report : callable
        Gets a line for every job.
    output : str, optional
        File to save the run to, after every job, so that an interrupted run is not lost.
    command : str
        What the run is made by, for the record.

    Returns
    -------
    dict
        As docs/benchmarks/schema.json describes it, ready for JSON. A record of `cases` names its
        job (suite, topic, family, n, d, method, workers) and has a status ("ok", "capped",
        "skipped", "missing", "wrong" or "failed"), and if that is "ok" the measured numbers. Of
        the compilation, which comes first and uses all cores, there are the seconds of each
        (topic, method); of the suite first the `entries` that each kind of question compiles.

    Raises
    ------
    InputError
        If there is no such suite, no such job, or `cap` is no time.
    """
    if isinstance(suite, str):
        suite = suite_named(suite)
    if cap is not None and not 0 < cap <= _MOST_CAP:
        raise InputError(
            f"cap is {cap!r}; expected seconds, more than 0 and at most {_MOST_CAP:g}."
        )
    chosen = chosen_jobs(suite, only)
    run = new_run(command)
    if output is not None:
        save_run(run, output)  # a file that cannot be written is better noticed now
    run["compilation"] = compile_kernels(chosen, report)
    with closing(run_jobs(chosen, suite.cap if cap is None else cap, suite.budget)) as records:
        for record in records:
            run["load"]["during"].append(load())
            run["cases"].append({"suite": suite.name} | record)
            if output is not None:
                save_run(run, output)
            report(f"{record_name(record)}: {said(record)}")
    compiled = [job.method.removeprefix(methods.KERNELS_OF) for job in chosen]
    kinds = [kind for kind, job in zip(compiled, chosen, strict=True) if kind != job.method]
    if kinds:
        run["entries"] = entries_of(kinds)
        if output is not None:
            save_run(run, output)
    return run


def chosen_jobs(suite: Suite, only: str) -> list[Job]:
    """The jobs of a suite whose name contains a text; an InputError if there are none."""
    chosen = [job for job in suite.jobs() if only in job.name]
    if not chosen:
        known = ", ".join(dict.fromkeys(job.case.name for job in suite.jobs()))
        raise InputError(
            f"no job of the suite {suite.name} has {quote(only)} in its name, of: {known}."
        )
    return chosen


def new_run(command: str = "") -> RunRecord:
    """A run before its first case, made by a command."""
    return {
        "schema": SCHEMA,
        "command": command,
        "machine": describe_machine(),
        # what processes that measure have
        "threads": thread_variables() | _ALONE,
        "load": {"before": load(), "during": []},
        "seeds": {
            "inputs": cases.SEED,
            "offsets": cases.OFFSETS_SEED,
            "points": references.SEED,
            "checked rows": methods.SEED,
            "intervals": intervals.SEED,
        },
        "versions": versions(),
        "made": [origin()],
        "compilation": [],
        "cases": [],
    }


def compile_kernels(jobs: Iterable[Job], report: Callable[[str], None]) -> list[Record]:
    """Compile the kernels of all methods of jobs that are not in the cache, on all cores.

    Jobs would compile them one after the other. Numba keeps them for the processes of the jobs.

    Returns
    -------
    list of dict
        The seconds for each topic and method; 0 if its kernels were there, or came with those of
        another method.
    """
    needed = dict.fromkeys(_COMPILED_FIRST) | dict.fromkeys(
        (topic, method) for topic in _SMALL for method in METHODS[topic]
    )
    wanted = {(job.case.topic, job.method) for job in jobs}
    seconds = {key: 0.0 for key in needed if key in wanted}
    waiting = deque(seconds)
    crew = [_Workers() for _ in range(min(len(seconds), os.cpu_count() or 1))]

    def work(workers: _Workers) -> None:
        with workers:
            while not workers.stopped:
                try:
                    topic, method = key = waiting.popleft()
                except IndexError:
                    return
                for case in _SMALL[topic]:
                    outcome = workers.run(Job(case, method), _PATIENCE, 0.0)
                    seconds[key] += outcome.get("compile_seconds", 0.0)
                if seconds[key]:
                    report(f"kernels of {topic}, {method}: compiled in {seconds[key]:.2g} s")

    with ThreadPoolExecutor(max(1, len(crew))) as pool:
        try:
            for done in as_completed([pool.submit(work, workers) for workers in crew]):
                done.result()
        except BaseException:
            for workers in crew:
                workers.stop()
            raise
    return [
        {"topic": topic, "method": method, "seconds": taken}
        for (topic, method), taken in seconds.items()
    ]


def run_jobs(jobs: Iterable[Job], cap: float, budget: float) -> Generator[Record, None, None]:
    """Run jobs, neighbors in turns; a series in which one was capped is not continued."""
    capped: set[tuple[Any, ...]] = set()
    with ExitStack() as ended:
        crew = _Crew(ended)
        waiting: list[_Trial] = []
        for job in jobs:
            if job.series in capped:
                outcome: Record = {"status": "skipped", "message": "a smaller one was capped"}
            else:
                outcome = crew.worker(job).run(job, cap, budget)
            if job.case.topic in PROMISED:
                crew.worker(job).end()  # the next one starts with fresh memory
            if outcome["status"] == "capped":
                capped.add(job.series)
            waiting.append(_Trial(job, outcome))
            if len(waiting) == _TURNS or job.case.topic in PROMISED:
                yield from _in_turns(crew, waiting, budget)
                waiting = []
        yield from _in_turns(crew, waiting, budget)


class _Crew:
    """Worker processes: some for each kind of processor, which measure the same jobs."""

    def __init__(self, ended: ExitStack) -> None:
        self._ended = ended
        self._workers: dict[tuple[str, int], _Workers] = {}

    def worker(self, job: Job, lap: int = 0) -> _Workers:
        """The process for a lap of a job."""
        key = job.processor, lap % _PROCESSES
        if key not in self._workers:
            settings = PROCESSORS.get(job.processor, {})
            self._workers[key] = self._ended.enter_context(_Workers(settings))
        return self._workers[key]

    def forget(self, job: Job) -> None:
        """Let no process keep anything of a job."""
        for (processor, _), workers in self._workers.items():
            if processor == job.processor:
                workers.forget(job)


class _Trial:
    """A job with its first outcome and what its laps found."""

    def __init__(self, job: Job, outcome: Record) -> None:
        self.job, self.outcome = job, outcome
        self.laps: list[Record] = []
        self._spent = 0.0

    @property
    def is_measured(self) -> bool:
        """It has answered, and is no promise, which has numbers of its own."""
        return self.outcome["status"] == "ok" and self.job.case.topic not in PROMISED

    def is_slow(self, budget: float) -> bool:
        """The first answer took so long that it counts, and is not repeated."""
        return self._first > max(budget, _SLOW)

    @property
    def _first(self) -> float:
        taken: float = self.outcome["first_call_seconds"] - self.outcome["compile_seconds"]
        return taken

    def goes_on(self, budget: float) -> bool:
        """Whether another lap is worth its time."""
        if not self.is_measured or len(self.laps) >= (1 if self.is_slow(budget) else _MOST_LAPS):
            return False
        if len(self.laps) < _LEAST_LAPS:
            return True
        return self._spent < budget and not is_narrow(self._times, _NARROW)

    def add(self, outcome: Record, spent: float) -> None:
        """Take a lap, or what came instead of it."""
        self._spent += spent
        if outcome["status"] == "ok":
            self.laps.append(outcome)
        else:
            self.outcome = outcome

    @property
    def _times(self) -> list[float]:
        return [median(lap["times"]) for lap in self.laps]

    def record(self, budget: float) -> Record:
        """All that is known of the job."""
        if not self.is_measured:
            return self.job.identity | self.outcome
        slow = self.is_slow(budget)
        times = [self._first] if slow else self._times
        beside = {
            name: [lap["references"][name] for lap in self.laps]
            for name in self.laps[0]["references"]
        }
        outcome = dict(self.outcome)
        if not slow and outcome["peak_bytes"] is not None:
            outcome["peak_bytes"] = self.laps[-1]["peak"]
        if not outcome["output_bytes"]:
            del outcome["output_bytes"]
        return (
            self.job.identity
            | outcome
            | {
                "calls": [1] if slow else [len(lap["times"]) for lap in self.laps],
                "processor_seconds": []
                if slow
                else [median(lap["processor"]) for lap in self.laps],
                "references_all": beside,
            }
            | _rates(times, outcome, beside)
        )


def _in_turns(crew: _Crew, trials: list[_Trial], budget: float) -> Generator[Record, None, None]:
    """Measure jobs lap by lap, so that a slow spell of the machine hits all of them.

    Laps alternate between processes: where one puts its arrays makes a difference, too.
    """
    lap = 0
    while going := [trial for trial in trials if trial.goes_on(budget)]:
        for trial in going:
            began = time.perf_counter()
            outcome = crew.worker(trial.job, lap).lap(
                trial.job, trial.outcome["found"], budget / _LEAST_LAPS, not trial.is_slow(budget)
            )
            # what another process needs to get ready is not measured
            taken = time.perf_counter() - began if lap >= _PROCESSES else 0.0
            trial.add(outcome, taken)
        lap += 1
    for trial in trials:
        record = trial.record(budget)
        if trial.is_measured:
            if method_named(trial.job.case.topic, trial.job.method).planned:
                outcome = crew.worker(trial.job).plan(trial.job, record["seconds"])
                if outcome.pop("status") == "ok":
                    record["predicted"] = outcome
            crew.forget(trial.job)
        yield record


def _rates(times: list[float], outcome: Record, beside: dict[str, list[float]]) -> Record:
    """Times, and everything that is computed from them."""
    taken, count = median(times), outcome["found"]
    middle = {name: median(found) for name, found in beside.items()}
    rates: Record = {
        "seconds": taken,
        "seconds_all": times,
        "interval": list(interval(times)),
        "references": middle,
        "ratio_to_evaluation": taken / middle["evaluation"] if middle else None,
        "ratio_to_copy": taken / middle["copy"] if middle else None,
    }
    if count:
        rates |= {"chambers_per_second": count / taken, "ns_per_chamber": 1e9 * taken / count}
    if outcome.get("output_bytes"):
        rates["bytes_per_second"] = outcome["output_bytes"] / taken
    return rates


def said(outcome: Record) -> str:
    """A record in a few words."""
    if outcome["status"] != "ok":
        return f"{outcome['status']}: {outcome['message']}"
    parts = [f"{outcome['seconds']:.4g} s"]
    if len(outcome["seconds_all"]) > 1:
        low, high = interval(outcome["seconds_all"])
        parts[0] += f" ({low:.4g} to {high:.4g})"
    if outcome.get("ns_per_chamber"):
        parts.append(f"{outcome['found']:,} at {outcome['ns_per_chamber']:.3g} ns")
    if outcome.get("limit"):
        parts.append(f"{'kept' if outcome['kept'] else 'NOT KEPT'}: {outcome['limit']}")
    if outcome.get("ratio_to_evaluation"):
        parts.append(f"{outcome['ratio_to_evaluation']:.3g} x NumPy")
    return ", ".join(parts)


class _Workers:
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
        self._environment = _ALONE | (settings or {})
        self._process: Any = None
        self._connection: Any = None
        self._temporary: Any = None
        self.stopped = False

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def run(self, job: Job, cap: float, budget: float) -> Record:
        """The first outcome of a job."""
        return self._asked("first", job, (budget,), cap)

    def lap(self, job: Job, count: int, share: float, own: bool) -> Record:
        """Some more calls of a job that has answered."""
        return self._asked("lap", job, (count, share, own), _PATIENCE)

    def plan(self, job: Job, taken: float) -> Record:
        """What is predicted of a job."""
        return self._asked("plan", job, (taken,), _PATIENCE)

    def forget(self, job: Job) -> None:
        """Let the process keep nothing of a job."""
        if self._process is not None:
            self._asked("forget", job, (), _PATIENCE)

    def _asked(self, action: str, job: Job, arguments: tuple[Any, ...], cap: float) -> Record:
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
        left, compiling, answering = _PATIENCE, False, False
        while True:
            began = time.perf_counter()
            if not self._connection.poll(_PATIENCE if compiling else left):
                self.end()
                if answering and not compiling:
                    return {"status": "capped", "message": f"> {cap:g} s", "cap": cap}
                return {
                    "status": "failed",
                    "message": f"loading, compiling or checking took more than {_PATIENCE:g} s",
                }
            if not compiling:
                left -= time.perf_counter() - began
            what, content = self._connection.recv()
            if what in ("compiling", "compiled"):
                compiling = what == "compiling"
            elif what in ("ready", "answered"):
                answering = what == "ready"
                left = cap if answering else _PATIENCE
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


def save_run(run: RunRecord, path: str) -> None:
    """Write a run as JSON, a line for each case; at no time is there half a file."""
    long = ("processors", "cases")
    head = json.dumps({key: value for key, value in run.items() if key not in long}, indent=1)
    apart = f' "processors": {json.dumps(run["processors"])},\n' if "processors" in run else ""
    cases = ",\n".join(json.dumps(record) for record in run["cases"])
    text = f'{head[:-2]},\n{apart} "cases": [\n{cases}\n]}}\n'.encode()
    with atomic_write(path) as file:
        file.write(text)


def load_run(path: str) -> RunRecord:
    """Read what `save_run` wrote.

    Raises
    ------
    InputError
        If it is something else.
    """
    check_name(path)
    try:
        run = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}.") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InputError(f"{path} is not JSON: {error}.") from error
    if not isinstance(run, dict) or not {"machine", "versions", "cases"} <= run.keys():
        raise InputError(f"{path} is not a run of benchmarks; make one with arrangements bench -o.")
    if run.get("schema") not in _SCHEMAS:
        raise InputError(
            f"{path} has schema {run.get('schema')!r}; expected {SCHEMA}. Run the suite again."
        )
    if not _is_run(run) or ("processors" in run and not _is_run(run["processors"])):
        raise InputError(
            f"{path} is not as arrangements bench saved it: entries are missing. "
            "Run the suite again."
        )
    return run


_MACHINE = {"cpu", "cores", "memory_bytes", "system", "copy_bytes_per_second"}
_JOB = {"suite", "topic", "family", "n", "d", "method", "workers", "status"}
_TIMES = {"chambers", "found", "seconds", "seconds_all", "references"}
_TIMES |= {"first_call_seconds", "compile_seconds"}
_RATES = {"chambers_per_second", "ns_per_chamber", "bytes_per_second", "peak_bytes"}
_RATES |= {"ratio_to_evaluation", "ratio_to_copy"}
_PROMISE = {"beside", "ratio", "seconds_per_task", "limit", "kept", "peak_bytes", "most_bytes"}


def _is_run(run: Any) -> bool:
    """It has what reports are made of; older ones do not say when and from what they were made."""
    if not isinstance(run, dict):
        return False
    machine, made, cases = run.get("machine"), run.get("made", []), run.get("cases")
    return (
        isinstance(machine, dict)
        and machine.keys() >= _MACHINE
        and isinstance(run.get("versions"), dict)
        and (isinstance(made, list) and all(map(_is_origin, made)))
        and (isinstance(cases, list) and all(map(_is_record, cases)))
    )


def _is_origin(made: Any) -> bool:
    return isinstance(made, dict) and made.keys() >= {"date", "commit"}


def _is_record(record: Any) -> bool:
    """It names a job and an outcome, with the numbers that reports are made of."""
    if not isinstance(record, dict) or not record.keys() >= _JOB:
        return False
    needed = {"message", "cap"} if record["status"] == "capped" else {"message"}
    if record["status"] == "ok":
        needed = _TIMES if record["topic"] in (PROCESS, *PROMISED) else _TIMES | _RATES
        needed = needed | (_PROMISE if record["topic"] in PROMISED else set())
    times = record.get("seconds_all", [1.0])
    measured = isinstance(times, list) and all(isinstance(t, float) and t > 0 for t in times)
    return record["topic"] in [*FAMILIES] and record.keys() >= needed and measured and times != []


def merged(runs: list[RunRecord]) -> RunRecord:
    """Several runs on one machine as one; of a job that occurs again the last record counts.

    One of the suite processors stays apart, as the entry ``"processors"``: it holds ratios, and
    may be of another machine.

    Raises
    ------
    InputError
        If they are of different machines or versions.
    """
    apart = [run["processors"] for run in runs if "processors" in run]
    apart += [run for run in runs if is_of_processors(run)]
    runs = [run for run in runs if not is_of_processors(run)]
    if not runs:
        return apart[-1]
    first = runs[0]
    for other in runs[1:]:
        if (
            other["versions"] != first["versions"]
            or other["machine"]["cpu"] != first["machine"]["cpu"]
        ):
            raise InputError("the runs are of different machines or versions: report them apart.")
    cases = {key_of(record): record for run in runs for record in run["cases"]}
    joined = first | {"cases": list(cases.values())}
    if all("load" in run for run in runs):
        during = [one for run in runs for one in run["load"]["during"]]
        joined["load"] = first["load"] | {"during": during}
        joined["command"] = "\n".join(dict.fromkeys(run["command"] for run in runs))
    for name in ("made", "entries"):
        if parts := [one for run in runs for one in run.get(name, [])]:
            joined[name] = parts
    return joined | ({"processors": apart[-1]} if apart else {})


def is_of_processors(run: RunRecord) -> bool:
    """Whether it compares processors that kernels are compiled for, and nothing else."""
    return bool(run["cases"]) and all(record["suite"] == "processors" for record in run["cases"])


def record_name(record: Record) -> str:
    """The name of the job."""
    several = f" workers={record['workers']}" if record["workers"] > 1 else ""
    compiled = f" for {record['processor']}" if "processor" in record else ""
    return (
        f"{record['topic']} {record['family']} n={record['n']} d={record['d']} "
        f"{record['method']}{several}{compiled}"
    )


def key_of(record: Record) -> tuple[Any, ...]:
    """What a record shares with that of the same job in another run."""
    names = ("topic", "family", "n", "d", "method", "workers")
    return (*(record[name] for name in names), record.get("processor", ""))
