"""Promises: work that is timed beside its references, with a limit.

A limit is one of the ratio to a reference that is timed in the same process, or of seconds. Answers
are checked whenever they are made.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from arrangements.errors import InputError
from benchmarks.suites.cases import Case
from benchmarks.suites.methods import WrongAnswerError

Action = Callable[[], float]
# A short measurement is repeated, at most so often, and its median counts.
_REPEATS = 5
# What a measurement is made ready on: all kernels it uses are compiled and loaded there.
SMALL = {
    **{"gaussian": (9, 3), "labels": (60, 3), "resonance": (31, 5), "threshold": (16, 5)},
    **{"patients": (40, 4), "haberman": (306, 4), "two clouds": (60, 3), "cloud": (30, 3)},
    **{"a quarter wrong": (30, 3), "one in a hundred wrong": (90, 4), "low rank": (20, 4)},
    **{"tokens": (200, 20), "single": (200, 20), "unit": (120, 5), "curve": (40, 16)},
}


@dataclass(frozen=True)
class Limit:
    """What was promised.

    Attributes
    ----------
    value : float
    what : {"ratio", "seconds", "seconds per task"}
        What must not exceed it.
    least : bool
        It must be reached instead.
    """

    value: float
    what: str = "ratio"
    least: bool = False

    def __str__(self) -> str:
        bound = "at least" if self.least else "at most"
        unit = {"ratio": "", "seconds": " s", "seconds per task": " s a task"}[self.what]
        return f"{bound} {self.value:g}{unit}"

    def holds(self, found: float) -> bool:
        """Whether the promise is kept."""
        return found >= self.value if self.least else found <= self.value


@dataclass
class Trial:
    """Something that is timed beside its references.

    Attributes
    ----------
    own : callable
        Seconds of the work itself, after its answer was found right.
    references : dict
        The same of what it is compared with; the one that takes longest counts.
    limit : Limit or None
    inverse : bool
        The ratio is that of the reference to the work: how many times as fast.
    tasks : int
        Of the work, known once it is done; 0 if it is not about tasks.
    most_bytes : int
        Limit of the peak memory of the process, 0 if there is none.
    repeats : int
        At least so often it is measured, however long that takes.
    """

    own: Action
    references: Mapping[str, Action]
    limit: Limit | None = None
    inverse: bool = False
    tasks: int = 0
    most_bytes: int = 0
    repeats: int = 1


def measure_promise(
    case: Case,
    method: str,
    workers: int,
    budget: float,
    trials: Mapping[str, Callable[[Case, int], Any]],
    compiling: Callable[[], float] = lambda: 0.0,
) -> Iterator[Any]:
    """Run a case: messages as those of `worker.measure`.

    `compiling` tells the seconds that this process has spent on compilation.
    """
    if method not in trials:
        raise InputError(
            f"no method {method!r} of {case.topic}; expected one of {', '.join(trials)}."
        )
    trial_of = trials[method]
    with trial_of(Case(case.topic, case.family, *SMALL[case.family]), workers) as small:
        small.own()
        for action in small.references.values():
            action()
    _ = case.W, case.known
    with trial_of(case, workers) as trial:
        yield "ready", None
        began = time.perf_counter()  # what takes longer than the budget is not repeated
        compiled = compiling()
        first = trial.own()
        compiled = compiling() - compiled
        # the small case did not use all kernels of this one
        own = [trial.own() if compiled else first]
        peak = _peak_bytes()
        yield "answered", None
        beside = {name: [action()] for name, action in trial.references.items()}
        while len(own) < trial.repeats or (
            time.perf_counter() - began < budget and len(own) < _REPEATS
        ):
            own.append(trial.own())
            for name, action in trial.references.items():
                beside[name].append(action())
        record = _describe_trial(case, trial, own, beside, peak)
        yield "done", {**record, "first_call_seconds": first, "compile_seconds": compiled}


def _describe_trial(
    case: Case,
    trial: Trial,
    own: list[float],
    beside: dict[str, list[float]],
    peak: int | None,
) -> dict[str, Any]:
    """The numbers of a trial, and whether its promises are kept."""
    taken = median(own)
    middle = {name: median(times) for name, times in beside.items()}
    longest = max(middle.values())
    found = {"ratio": longest / taken if trial.inverse else taken / longest, "seconds": taken}
    if trial.tasks:
        found["seconds per task"] = max(0.0, taken - longest) / trial.tasks
    limit = trial.limit
    kept = limit is None or limit.holds(found[limit.what])
    if trial.most_bytes and peak is not None:
        kept = kept and peak <= trial.most_bytes
    return {
        "chambers": case.known,
        "found": case.known,
        "seconds": taken,
        "seconds_all": own,
        "references": {},  # none is an evaluation by NumPy
        "beside": middle,
        "ratio": found["ratio"],
        "seconds_per_task": found.get("seconds per task"),
        "limit": "" if limit is None else str(limit),
        "peak_bytes": peak,
        "most_bytes": trial.most_bytes or None,
        "kept": kept,
    }


def _peak_bytes() -> int | None:
    """The peak memory of this process, where the system tells."""
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def time_answer(action: Callable[[], Any], check: Callable[[Any], Any], what: str) -> float:
    """Seconds of an action whose answer is right, which `check` tells."""
    began = time.perf_counter()
    answer = action()
    taken = time.perf_counter() - began
    if not check(answer):
        raise WrongAnswerError(f"{what}: the answer is wrong.")
    return taken


# Seconds, by family and size; other cases have no limit.
SECONDS = {
    ("tokens", 30522, 384): 30.0,
    ("tokens", 30522, 32): 60.0,
    ("tokens", 30522, 8): 30.0,
    ("tokens", 30522, 3): 2.0,
    ("tokens", 30522, 2): 2.0,
    ("single", 128_000, 512): 600.0,
    ("labels", 10_000, 100): 20.0,
    ("unit", 1000, 32): 15.0,
    ("curve", 1000, 16): 100.0,
    ("patients", 283, 4): 0.15,
    ("two clouds", 5300, 3): 1.0,
    ("a quarter wrong", 748, 5): 600.0,
    ("one in a hundred wrong", 2000, 5): 60.0,
    ("low rank", 100, 4): 1.0,
}


def limit_of_seconds(case: Case) -> Limit | None:
    """The seconds that are promised for a case of models or of optimal chambers."""
    seconds = SECONDS.get((case.family, case.n, case.d))
    return None if seconds is None else Limit(seconds, "seconds")
