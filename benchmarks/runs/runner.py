"""All jobs of a suite, each in a worker process that may be ended: the run and its record."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from statistics import median
from typing import Any

from arrangements.errors import InputError
from benchmarks.runs import intervals, processes
from benchmarks.runs.intervals import interval, is_narrow
from benchmarks.runs.machine import (
    describe_machine,
    load,
    origin,
    thread_variables,
    versions,
)
from benchmarks.runs.processes import ONE_THREAD, Crew, WorkerProcess
from benchmarks.runs.run_files import SCHEMA, Record, RunRecord, record_name, save_run
from benchmarks.suites import cases, methods, references
from benchmarks.suites.cases import CHAMBERS, PROMISED, RANKINGS, Case
from benchmarks.suites.compilation import entries_of
from benchmarks.suites.methods import METHODS, method_named
from benchmarks.suites.suites import Job, Suite, suite_named

_MOST_CAP = 1e6
# Jobs that take turns; what they need for it stays in memory.
_TURNS = 8
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
    chosen = select_jobs(suite, only)
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
            report(f"{record_name(record)}: {describe_record(record)}")
    compiled = [job.method.removeprefix(methods.KERNELS_OF) for job in chosen]
    kinds = [kind for kind, job in zip(compiled, chosen, strict=True) if kind != job.method]
    if kinds:
        run["entries"] = entries_of(kinds)
        if output is not None:
            save_run(run, output)
    return run


def select_jobs(suite: Suite, only: str) -> list[Job]:
    """The jobs of a suite whose name contains a text; an InputError if there are none."""
    chosen = [job for job in suite.jobs() if only in job.name]
    if not chosen:
        known = ", ".join(dict.fromkeys(job.case.name for job in suite.jobs()))
        raise InputError(f"no job of the suite {suite.name} has {only!r} in its name, of: {known}.")
    return chosen


def new_run(command: str = "") -> RunRecord:
    """A run before its first case, made by a command."""
    return {
        "schema": SCHEMA,
        "command": command,
        "machine": describe_machine(),
        # what processes that measure have
        "threads": thread_variables() | ONE_THREAD,
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
    crew = [WorkerProcess() for _ in range(min(len(seconds), os.cpu_count() or 1))]

    def work(workers: WorkerProcess) -> None:
        with workers:
            while not workers.stopped:
                try:
                    topic, method = key = waiting.popleft()
                except IndexError:
                    return
                for case in _SMALL[topic]:
                    outcome = workers.run(Job(case, method), processes.PATIENCE, 0.0)
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
        crew = Crew(ended)
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


def _in_turns(crew: Crew, trials: list[_Trial], budget: float) -> Generator[Record, None, None]:
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
            taken = time.perf_counter() - began if lap >= processes.PROCESSES else 0.0
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


def describe_record(outcome: Record) -> str:
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
