"""What is promised at scale: runs, folds, Dask and merged restrictions, each beside its reference.

A limit belongs to each promise: of the ratio to a reference that is timed in the same process, or
of seconds. Answers are checked whenever they are made.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from arrangements import (
    betti_numbers,
    chambers,
    checker,
    count_chambers,
    fold_chambers,
    fold_rankings,
    iter_chambers,
    iter_rankings,
    write_certificate,
    write_chambers,
)
from arrangements.benchmarking.cases import SCALE, Case
from arrangements.benchmarking.methods import WrongAnswerError
from arrangements.benchmarking.references import stored_bytes
from arrangements.errors import InputError
from arrangements.execution.clusters import local_cluster

Action = Callable[[], float]

# A short measurement is repeated, at most so often, and its median counts.
_REPEATS = 5
# Rows of a tiny part, so that a task is little more than its overhead.
_TINY_ROWS = 64
# What a measurement is made ready on: all kernels it uses are compiled and loaded there.
_SMALL = {
    **{"gaussian": (9, 3), "labels": (60, 3), "resonance": (31, 5), "threshold": (16, 5)},
    **{"patients": (40, 4), "haberman": (306, 4), "two clouds": (60, 3), "cloud": (30, 3)},
    **{"a quarter wrong": (30, 3), "one in a hundred wrong": (90, 4), "low rank": (20, 4)},
    **{"tokens": (200, 20), "single": (200, 20), "unit": (120, 5), "curve": (40, 16)},
}
# The merged restrictions are measured in times that resonance(7) takes on one thread.
_UNIT = Case(SCALE, "resonance", 127, 7)
# Seconds for the proof of a chamber.
_PER_ROW = 20e-6
# Seconds for Betti numbers; what is not here has no limit.
_BETTI_LIMITS = {("resonance", 8): 1.5, ("resonance", 9): 90.0, ("threshold", 9): 60.0}


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


def measure_scale(
    case: Case,
    method: str,
    workers: int,
    budget: float,
    trials: Mapping[str, Callable[[Case, int], Any]] | None = None,
    compiling: Callable[[], float] = lambda: 0.0,
) -> Iterator[Any]:
    """Run a case: messages as those of `worker.measure`.

    `compiling` tells the seconds that this process has spent on compilation.
    """
    trials = TRIALS if trials is None else trials
    if method not in trials:
        raise InputError(
            f"no method {method!r} of {case.topic}; expected one of {', '.join(trials)}."
        )
    trial_of = trials[method]
    with trial_of(Case(case.topic, case.family, *_SMALL[case.family]), workers) as small:
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
        record = _record(case, trial, own, beside, peak)
        yield "done", {**record, "first_call_seconds": first, "compile_seconds": compiled}


def _record(
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


def _timed(action: Callable[[], Any], check: Callable[[Any], bool], what: str) -> float:
    """Seconds of an action whose answer is right."""
    began = time.perf_counter()
    answer = action()
    taken = time.perf_counter() - began
    if not check(answer):
        raise WrongAnswerError(f"{what}: the answer is wrong.")
    return taken


# ------------------------------------------------------------------ runs


@contextmanager
def _written(case: Case, workers: int) -> Iterator[Trial]:
    """A run on disk, against the same chambers consumed, and its bytes written without them."""
    assert case.known is not None
    with _room(stored_bytes(case, case.known)) as folder:
        sizes: list[int] = []

        def own() -> float:
            taken = _timed(
                lambda: write_chambers(case.W, folder / "run", workers=workers),
                lambda run: len(run) == case.known,
                f"{case.name}, write",
            )
            sizes[:] = [path.stat().st_size for path in (folder / "run").iterdir()]
            shutil.rmtree(folder / "run")
            return taken

        references: dict[str, Action] = {
            "iter_chambers": partial(_streamed, case, workers),
            "disk": lambda: _disk_seconds(folder, sizes),
        }
        yield Trial(own, references, Limit(2.5), most_bytes=10**9)


@contextmanager
def _room(needed: int) -> Iterator[Path]:
    """A folder for temporary files on a disk with as many free bytes, removed afterwards."""
    with tempfile.TemporaryDirectory() as name:
        free = shutil.disk_usage(name).free
        if free < needed:
            raise InputError(
                f"the run takes up to {needed / 1e9:.3g} GB, and {tempfile.gettempdir()} has "
                f"{free / 1e9:.3g} GB free; expected more. Set TMPDIR to a folder on a larger disk."
            )
        yield Path(name)


def _disk_seconds(folder: Path, sizes: list[int]) -> float:
    """Seconds to write files of these sizes, each of them to the disk itself."""
    content = memoryview(np.random.default_rng(0).bytes(max(sizes)))  # nothing compresses it
    began = time.perf_counter()
    for k, size in enumerate(sizes):
        with open(folder / f"{k}.bytes", "wb") as file:
            file.write(content[:size])
            file.flush()
            os.fsync(file.fileno())
    taken = time.perf_counter() - began
    for k in range(len(sizes)):
        (folder / f"{k}.bytes").unlink()
    return taken


def _streamed(case: Case, workers: int) -> float:
    return _timed(
        lambda: sum(map(len, iter_chambers(case.W, workers=workers))),
        lambda count: count == case.known,
        f"{case.name}, iter_chambers",
    )


# ------------------------------------------------------------------ certificates


@contextmanager
def _certified(case: Case, workers: int) -> Iterator[Trial]:
    """A certificate of a set that is there, against the checker, which is plain Python."""
    assert case.known is not None
    found = chambers(case.W, workers=workers)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answer.jsonl"

        def write() -> float:
            return _timed(
                lambda: write_certificate(found, path),
                lambda _: path.exists(),
                f"{case.name}, certificate",
            )

        def check() -> float:
            checker.chambers.cache_clear()
            return _timed(
                lambda: checker.main(str(path), lambda verdict: None),
                lambda status: status == 0,
                f"{case.name}, checker",
            )

        write()
        name = f"checker, {path.stat().st_size / case.known:.0f} bytes a chamber"
        yield Trial(write, {name: check}, Limit(_PER_ROW * case.known, "seconds"))


# ------------------------------------------------------------------ Dask


@contextmanager
def _cluster(workers: int) -> Iterator[Any]:
    """A client of so many local worker processes of one thread, kernels loaded."""
    with local_cluster(workers) as client:
        client.wait_for_workers(workers)
        client.run(_warm)
        yield client


def _warm() -> None:
    """Load the kernels of folds and runs in this process."""
    W = Case(SCALE, "gaussian", *_SMALL["gaussian"]).W
    fold_chambers(W, "positives")
    with tempfile.TemporaryDirectory() as folder:
        write_chambers(W, folder)


@contextmanager
def _on_dask(case: Case, workers: int) -> Iterator[Trial]:
    """A fold on several worker processes, against one."""

    def fold(number: int) -> float:
        # one cluster at a time: a second one, even idle, takes its part of the cores
        with _cluster(number) as client:
            return _timed(
                lambda: fold_chambers(case.W, "positives", client=client),
                lambda found: right.array_equal(found),
                f"{case.name}, fold on Dask",
            )

    right = _Same(fold_chambers(case.W, "positives", workers=workers), case)
    references = {"one Dask worker": partial(fold, 1)}
    # workers share two cores with the scheduler and the client: ratios vary by a tenth
    limit = Limit(1.8, least=True)
    yield Trial(partial(fold, workers), references, limit, inverse=True, repeats=5)


class _Same:
    """A histogram that answers have to equal."""

    def __init__(self, histogram: Any, case: Case) -> None:
        if histogram.sum() != case.known:
            raise WrongAnswerError(f"{case.name}: {histogram.sum()} in the histogram.")
        self._histogram = histogram

    def array_equal(self, found: Any) -> bool:
        return np.array_equal(found, self._histogram)


@contextmanager
def _tiny_tasks(case: Case, workers: int) -> Iterator[Trial]:
    """A run of many tiny parts as tasks on Dask, against one thread."""
    with _cluster(workers) as client, tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"

        def write(client: Any) -> float:
            taken = _timed(
                lambda: write_chambers(case.W, folder, rows_per_part=_TINY_ROWS, client=client),
                lambda run: len(run) == case.known,
                f"{case.name}, tiny parts",
            )
            trial.tasks = len(list(folder.glob("*.parquet")))
            shutil.rmtree(folder)
            return taken

        trial = Trial(
            partial(write, client),
            {"one thread": partial(write, None)},
            Limit(0.05, "seconds per task"),
        )
        yield trial


# ------------------------------------------------------------------ folds


def _some_block(block: Any) -> Any:
    """A step of a user's own: how many chambers, and in how many the first sign is +."""
    return np.array([len(block), int((block.packed[:, 0] & np.uint64(1)).sum())])


def _half(found: Any, count: int) -> bool:
    """Of opposite chambers each sign is + in one."""
    return bool((2 * np.asarray(found) == count).all())


# Of each step of `fold_chambers`: whether a result is right for so many chambers.
_RIGHT: dict[Any, Callable[[Any, int], bool]] = {
    "positives": lambda found, count: (
        bool(found.sum() == count) and np.array_equal(found, found[::-1])
    ),
    "on": _half,
    "pairs": lambda found, count: _half(found.diagonal(), count),
    _some_block: lambda found, count: bool(found[0] == count) and _half(found[1], count),
}


def _folded(step: Any, counting: bool) -> Callable[[Case, int], Any]:
    """A fold of chambers, against counting or listing them."""

    @contextmanager
    def trial(case: Case, workers: int) -> Iterator[Trial]:
        assert case.known is not None
        count = case.known
        own = partial(
            _timed,
            lambda: fold_chambers(case.W, step, workers=workers),
            lambda found: _RIGHT[step](found, count),
            f"{case.name}, fold",
        )
        references = {"iter_chambers": partial(_streamed, case, workers)}
        if counting:
            counted = partial(
                _timed,
                lambda: count_chambers(case.W, method="sweep", workers=workers),
                lambda found: found == count,
                f"{case.name}, count",
            )
            references = {"count_chambers": counted}
        yield Trial(own, references, Limit(1.5))

    return trial


@contextmanager
def _places(case: Case, workers: int) -> Iterator[Trial]:
    """The matrix label x place, against listing the rankings."""
    own = partial(
        _timed,
        lambda: fold_rankings(case.W, "places", workers=workers),
        lambda found: bool((np.stack([found.sum(0), found.sum(1)]) == case.known).all()),
        f"{case.name}, places",
    )
    listed = partial(
        _timed,
        lambda: sum(map(len, iter_rankings(case.W, workers=workers))),
        lambda count: count == case.known,
        f"{case.name}, iter_rankings",
    )
    yield Trial(own, {"iter_rankings": listed}, Limit(1.5))


# ------------------------------------------------------------------ merged restrictions


@contextmanager
def _betti(case: Case, workers: int) -> Iterator[Trial]:
    """Betti numbers, in times of resonance(7) on one thread."""
    seconds = _BETTI_LIMITS.get((case.family, case.d))
    limit = None if seconds is None else Limit(seconds, "seconds")
    references = {"resonance(7), one thread": partial(_betti_seconds, _UNIT, 1)}
    yield Trial(partial(_betti_seconds, case, workers), references, limit)


def _betti_seconds(case: Case, workers: int) -> float:
    return _timed(
        lambda: betti_numbers(case.W, workers=workers),
        lambda numbers: sum(numbers) == case.known,
        f"{case.name}, betti",
    )


TRIALS: dict[str, Callable[[Case, int], Any]] = {
    "write": _written,
    "certificate": _certified,
    "fold on Dask": _on_dask,
    "tiny tasks": _tiny_tasks,
    "fold positives": _folded("positives", True),
    "fold on": _folded("on", True),
    "fold pairs": _folded("pairs", False),
    "fold own": _folded(_some_block, False),
    "fold places": _places,
    "betti": _betti,
}
