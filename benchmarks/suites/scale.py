"""Promises at scale: runs, certificates, folds, Dask and merged restrictions."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
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
from arrangements.errors import InputError
from arrangements.execution.clusters import local_cluster
from benchmarks.suites.cases import SCALE, Case
from benchmarks.suites.methods import WrongAnswerError
from benchmarks.suites.promises import SMALL, Action, Limit, Trial, time_answer
from benchmarks.suites.references import stored_bytes

# Rows of a tiny part, so that a task is little more than its overhead.
_TINY_ROWS = 64
# The merged restrictions are measured in times that resonance(7) takes on one thread.
_UNIT = Case(SCALE, "resonance", 127, 7)
# Seconds for the proof of a chamber.
_PER_ROW = 20e-6
# Seconds for Betti numbers; what is not here has no limit.
_BETTI_LIMITS = {("resonance", 8): 1.5, ("resonance", 9): 90.0, ("threshold", 9): 60.0}


# ------------------------------------------------------------------ runs


@contextmanager
def _written(case: Case, workers: int) -> Iterator[Trial]:
    """A run on disk, against the same chambers consumed, and its bytes written without them."""
    assert case.known is not None
    with _room(stored_bytes(case, case.known)) as folder:
        sizes: list[int] = []

        def own() -> float:
            taken = time_answer(
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
    return time_answer(
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
            return time_answer(
                lambda: write_certificate(found, path),
                lambda _: path.exists(),
                f"{case.name}, certificate",
            )

        def check() -> float:
            checker.chambers.cache_clear()
            return time_answer(
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
    W = Case(SCALE, "gaussian", *SMALL["gaussian"]).W
    fold_chambers(W, "positives")
    with tempfile.TemporaryDirectory() as folder:
        write_chambers(W, folder)


@contextmanager
def _on_dask(case: Case, workers: int) -> Iterator[Trial]:
    """A fold on several worker processes, against one."""

    def fold(number: int) -> float:
        # one cluster at a time: a second one, even idle, takes its part of the cores
        with _cluster(number) as client:
            return time_answer(
                lambda: fold_chambers(case.W, "positives", client=client),
                lambda found: np.array_equal(found, right),
                f"{case.name}, fold on Dask",
            )

    right = fold_chambers(case.W, "positives", workers=workers)
    if right.sum() != case.known:
        raise WrongAnswerError(f"{case.name}: {right.sum()} in the histogram.")
    references = {"one Dask worker": partial(fold, 1)}
    # workers share two cores with the scheduler and the client: ratios vary by a tenth
    limit = Limit(1.8, least=True)
    yield Trial(partial(fold, workers), references, limit, inverse=True, repeats=5)


@contextmanager
def _tiny_tasks(case: Case, workers: int) -> Iterator[Trial]:
    """A run of many tiny parts as tasks on Dask, against one thread."""
    with _cluster(workers) as client, tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"

        def write(client: Any) -> float:
            taken = time_answer(
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
            time_answer,
            lambda: fold_chambers(case.W, step, workers=workers),
            lambda found: _RIGHT[step](found, count),
            f"{case.name}, fold",
        )
        references = {"iter_chambers": partial(_streamed, case, workers)}
        if counting:
            counted = partial(
                time_answer,
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
        time_answer,
        lambda: fold_rankings(case.W, "places", workers=workers),
        lambda found: bool((np.stack([found.sum(0), found.sum(1)]) == case.known).all()),
        f"{case.name}, places",
    )
    listed = partial(
        time_answer,
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
    return time_answer(
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
