"""Which cases are run by which methods."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from arrangements.errors import InputError
from arrangements.preparation import KINDS
from benchmarks.suites.cases import (
    CHAMBERS,
    MODELS,
    OPTIMIZE,
    PROCESS,
    RANKINGS,
    SCALE,
    Case,
    register_family,
)
from benchmarks.suites.methods import ALL_KERNELS, KERNELS_OF
from benchmarks.suites.peers import PEERS
from benchmarks.suites.standard import standard_cases

Size = tuple[int, int]

# What kernels may be compiled for instead of the processor at hand: numba's settings of each.
PROCESSORS = {
    "x86-64-v3": {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": "+fma"},
    "x86-64": {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": ""},
}
_ROUNDS = 3

OWN = ("sweep", "incremental", "reverse_search", "characteristic")


@dataclass(frozen=True)
class Job:
    """A case to be run by a method.

    A `processor` is a key of `PROCESSORS`, or "" for the one at hand.
    """

    case: Case
    method: str
    workers: int = 1
    processor: str = ""

    @property
    def name(self) -> str:
        """All that tells it from other jobs."""
        several = f" workers={self.workers}" if self.workers > 1 else ""
        compiled = f" for {self.processor}" if self.processor else ""
        return f"{self.case.name} {self.method}{several}{compiled}"

    @property
    def series(self) -> tuple[str, str, int, str, int, str]:
        """Jobs that differ in n only: when one takes too long, so will the next."""
        case = self.case
        return case.topic, case.family, case.d, self.method, self.workers, self.processor

    @property
    def identity(self) -> dict[str, Any]:
        """The entries of a record that name the job."""
        named = asdict(self.case) | {"method": self.method, "workers": self.workers}
        return named | ({"processor": self.processor} if self.processor else {})


@dataclass(frozen=True)
class Suite:
    """Jobs, and how long they may take.

    Attributes
    ----------
    name : str
    jobs : callable
        Makes the jobs, those of a series by increasing n.
    cap : float
        Seconds after which the first answer of a job is no longer waited for.
    budget : float
        Seconds for the repetitions of a job, references included.
    describe : str
        What it is for.
    """

    name: str
    jobs: Callable[[], list[Job]]
    cap: float
    budget: float
    describe: str


def jobs(
    topic: str, family: str, sizes: Iterable[Size], methods: Iterable[str], workers: int = 1
) -> Iterator[Job]:
    """Every method on every size of a family."""
    sizes = list(sizes)
    for method in methods:
        for n, d in sizes:
            yield Job(Case(topic, family, n, d), method, workers)


def _quick() -> list[Job]:
    return [
        *jobs(CHAMBERS, "gaussian", [(100, 4), (200, 4), (1000, 3), (64, 5), (30, 8)], ["sweep"]),
        *jobs(CHAMBERS, "gaussian", [(100, 5)], ["stream"]),
        *jobs(CHAMBERS, "gaussian", [(100, 5)], ["sweep"], min(2, _cores())),
        *jobs(CHAMBERS, "gaussian", [(64, 5)], ["count"]),
        *jobs(CHAMBERS, "gaussian", [(20, 4), (40, 4)], ["incremental"]),
        *jobs(CHAMBERS, "gaussian", [(20, 4)], ["reverse_search", "characteristic"]),
        *jobs(CHAMBERS, "integer", [(64, 4)], ["sweep"]),
        *jobs(CHAMBERS, "low-rank braid", [(66, 3)], ["sweep"]),
        *jobs(CHAMBERS, "resonance", [(63, 6)], ["sweep", "characteristic"]),
        *jobs(CHAMBERS, "threshold", [(16, 5)], ["sweep", "incremental"]),
        *jobs(CHAMBERS, "threshold", [(32, 6)], ["characteristic"]),
        *jobs(CHAMBERS, "planes", [(145, 3)], ["sweep"]),
        *jobs(CHAMBERS, "float16 grid", [(40, 4)], ["sweep"]),
        *jobs(CHAMBERS, "affine", [(64, 4)], ["sweep"]),
        *jobs(CHAMBERS, "affine", [(20, 3)], ["incremental"]),
        *jobs(CHAMBERS, "shi", [(30, 6)], ["sweep"]),
        *jobs(RANKINGS, "gaussian", [(20, 4), (50, 3), (12, 5)], ["sweep"]),
        *jobs(RANKINGS, "gaussian", [(20, 4)], ["count"]),
        *jobs(RANKINGS, "gaussian", [(12, 3)], ["pairs", "incremental"]),
        *jobs(RANKINGS, "integer", [(20, 3)], ["sweep"]),
        *jobs(RANKINGS, "cube", [(16, 4)], ["sweep", "pairs"]),
        *jobs(RANKINGS, "float16 grid", [(16, 3)], ["sweep"]),
        *jobs(RANKINGS, "biases", [(16, 3)], ["sweep"]),
    ]


def _scaling() -> list[Job]:
    sweep = {
        2: (125, 250, 500, 1000),
        3: (50, 100, 200, 400, 800),
        4: (25, 50, 100, 200, 300),
        5: (16, 32, 64, 100),
        6: (12, 20, 32, 48),
        8: (12, 18, 24, 30),
    }
    found = [
        *chain.from_iterable(
            jobs(CHAMBERS, "gaussian", [(n, d) for n in sizes], ["sweep", "count"])
            for d, sizes in sweep.items()
        ),
        *_grid(CHAMBERS, "gaussian", (3, 4, 5), (10, 20, 40, 80), ["incremental"]),
        *_grid(CHAMBERS, "gaussian", (3, 4, 5), (10, 20, 40), ["reverse_search"]),
        *_grid(CHAMBERS, "gaussian", (3, 4, 5), (10, 20, 40, 80), ["characteristic"]),
        *_grid(CHAMBERS, "affine", (3,), (25, 50, 100, 200), ["sweep", "count"]),
        *_grid(RANKINGS, "gaussian", (2,), (25, 50, 100, 200), ["sweep"]),
        *_grid(RANKINGS, "gaussian", (3,), (10, 20, 40, 60), ["sweep"]),
        *_grid(RANKINGS, "gaussian", (4,), (8, 12, 16, 24), ["sweep"]),
        *_grid(RANKINGS, "gaussian", (3,), (6, 9, 12, 16), ["pairs", "incremental"]),
        *_grid(RANKINGS, "biases", (2,), (10, 20, 40, 60), ["sweep", "count"]),
        *chain.from_iterable(
            jobs(topic, "gaussian", [size], ["sweep"], workers)
            for topic, size in ((CHAMBERS, (100, 5)), (RANKINGS, (20, 4)))
            for workers in _worker_counts()
        ),
    ]
    return list(dict.fromkeys(found))


def _peers() -> list[Job]:
    methods = [*OWN, *PEERS]
    return [
        *jobs(CHAMBERS, "integer", [(n, 3) for n in (8, 16, 32, 64)], methods),
        *jobs(CHAMBERS, "integer", [(n, 4) for n in (8, 12, 16, 24, 32, 40)], methods),
        *jobs(CHAMBERS, "resonance", [(15, 4)], methods),
        *jobs(CHAMBERS, "threshold", [(16, 5)], methods),
        *jobs(CHAMBERS, "gaussian", [(20, 4), (40, 4)], ["sweep", "incremental", "HiGHS loop"]),
    ]


def _full() -> list[Job]:
    more = [
        *_grid(CHAMBERS, "integer", (3, 4, 5), (16, 32, 64), ["sweep"]),
        *_grid(CHAMBERS, "float16 grid", (3, 4, 5), (16, 32, 64), ["sweep", "characteristic"]),
        *_grid(CHAMBERS, "float16 grid", (3, 4), (16, 32), ["incremental", "reverse_search"]),
        *_grid(CHAMBERS, "planes", (3,), (49, 145, 300), ["sweep", "characteristic"]),
        *_grid(CHAMBERS, "low-rank braid", (3, 4), (66, 120, 190), ["sweep"]),
        *jobs(CHAMBERS, "low-rank braid", [(66, 3)], ["incremental", "characteristic"]),
        *jobs(CHAMBERS, "resonance", [(15, 4), (31, 5), (63, 6)], ["sweep", "characteristic"]),
        *jobs(CHAMBERS, "resonance", [(127, 7)], ["characteristic"]),
        *jobs(CHAMBERS, "resonance", [(15, 4), (31, 5)], ["incremental", "reverse_search"]),
        *jobs(CHAMBERS, "threshold", [(16, 5), (32, 6)], ["sweep", "characteristic"]),
        *_grid(CHAMBERS, "affine", (3, 4), (16, 32, 64), ["sweep", "characteristic"]),
        *_grid(CHAMBERS, "affine", (3,), (16, 32), ["incremental", "reverse_search"]),
        *jobs(CHAMBERS, "affine", [(64, 4)], ["stream", "count"]),
        *jobs(CHAMBERS, "shi", [(20, 5), (30, 6), (42, 7)], ["sweep", "characteristic"]),
        *jobs(CHAMBERS, "shi", [(20, 5)], ["incremental", "reverse_search"]),
        *_grid(RANKINGS, "integer", (3, 4), (12, 20), ["sweep"]),
        *_grid(RANKINGS, "float16 grid", (3, 4), (12, 20), ["sweep"]),
        *jobs(RANKINGS, "cube", [(16, 4), (32, 5)], ["sweep", "pairs"]),
        *jobs(RANKINGS, "cube", [(16, 4)], ["incremental"]),
        *jobs(RANKINGS, "gaussian", [(20, 4), (50, 3), (12, 5)], ["count", "stream"]),
        *jobs(RANKINGS, "biases", [(12, 3)], ["sweep", "pairs", "incremental"]),
        *jobs(PROCESS, "gaussian", [(20, 4)], ["import", "first count", "first count, no cache"]),
    ]
    return list(dict.fromkeys([*_quick(), *more, *_scaling(), *_peers(), *_standard()]))


def _standard() -> list[Job]:
    return [Job(case, "sweep") for case in standard_cases()]


def _processors() -> list[Job]:
    """In several rounds, so that a slow spell of the machine hits none of them alone."""
    if platform.machine() not in ("x86_64", "AMD64"):
        raise InputError(
            f"the suite processors compares kinds of x86-64; this machine is {platform.machine()}."
        )
    cases = [
        *jobs(CHAMBERS, "gaussian", [(100, 4), (64, 5), (30, 8)], ["sweep"]),
        *jobs(RANKINGS, "gaussian", [(20, 4), (50, 3), (12, 5)], ["sweep"]),
    ]
    kinds = ["", *PROCESSORS]
    return [replace(job, processor=kind) for _ in range(_ROUNDS) for job in cases for kind in kinds]


def _scale() -> list[Job]:
    """The smaller of two sizes first: a short cap leaves the larger one out."""
    chambers = [(64, 7), (64, 8)]
    return [
        *jobs(SCALE, "gaussian", [(64, 8)], ["write"], 2),
        *jobs(SCALE, "gaussian", [(64, 8)], ["fold on Dask"], 2),
        *jobs(SCALE, "gaussian", [(30, 4), (100, 4)], ["certificate"]),
        *jobs(SCALE, "gaussian", [(32, 5)], ["tiny tasks"]),
        *jobs(SCALE, "gaussian", chambers, [f"fold {name}" for name in ("positives", "on")]),
        *jobs(SCALE, "gaussian", chambers, [f"fold {name}" for name in ("pairs", "own")]),
        *jobs(SCALE, "labels", [(20, 4), (40, 4)], ["fold places"]),
        *jobs(SCALE, "resonance", [(127, 7)], ["betti"]),
        *jobs(SCALE, "resonance", [(255, 8), (511, 9)], ["betti"], 2),
        *jobs(SCALE, "threshold", [(256, 9), (512, 10)], ["betti"], 2),
    ]


def _first() -> list[Job]:
    answers = ["import", "first count", "first rankings"]
    uncached = ["first count, no cache", "first rankings, no cache", "demo, no cache"]
    kernels = [f"{KERNELS_OF}{kind}" for kind in KINDS]
    return [*jobs(PROCESS, "gaussian", [(20, 4)], [*answers, *uncached, *kernels, ALL_KERNELS])]


def _models() -> list[Job]:
    return [
        *jobs(MODELS, "tokens", [(30522, d) for d in (2, 3, 8, 32, 384)], ["argmax"], 2),
        *jobs(MODELS, "labels", [(10_000, 100)], ["label sets"], 2),
        *jobs(MODELS, "unit", [(1000, 32)], ["pairs"], 2),
        *jobs(MODELS, "curve", [(1000, 16)], ["sets of five"], 2),
        *jobs(MODELS, "single", [(128_000, 512)], ["argmax"], 2),
    ]


def _optimize() -> list[Job]:
    return [
        *jobs(OPTIMIZE, "patients", [(283, 4)], ["errors"], 2),
        *jobs(OPTIMIZE, "haberman", [(306, 4)], ["errors"], 2),
        *jobs(OPTIMIZE, "two clouds", [(704, 3), (5300, 3)], ["errors"], 2),
        *jobs(OPTIMIZE, "gaussian", [(150, 5)], ["best by sweep"], 2),
        *jobs(OPTIMIZE, "cloud", [(1000, 2), (1000, 3)], ["depths"], 2),
        *jobs(OPTIMIZE, "cloud", [(1000, 2), (100, 3)], ["simplices"], 2),
        *jobs(OPTIMIZE, "low rank", [(100, 4)], ["quadratic"], 2),
        *jobs(OPTIMIZE, "one in a hundred wrong", [(2000, 5)], ["errors"], 2),
        *jobs(OPTIMIZE, "a quarter wrong", [(748, 5)], ["errors"], 2),
    ]


def _grid(
    topic: str, family: str, dimensions: Iterable[int], rows: Iterable[int], methods: Iterable[str]
) -> Iterator[Job]:
    rows, methods = list(rows), list(methods)
    for d in dimensions:
        yield from jobs(topic, family, [(n, d) for n in rows], methods)


def _cores() -> int:
    return os.cpu_count() or 1


def _worker_counts() -> list[int]:
    """1, 2, 4, .. and all cores."""
    most = _cores()
    return sorted({1, most} | {2**k for k in range(1, most.bit_length()) if 2**k <= most})


SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (
        Suite("quick", _quick, 10.0, 0.6, "a bit of everything, in a few minutes"),
        Suite("standard", _standard, 60.0, 2.0, "40 inputs to cite, with published counts"),
        Suite("full", _full, 60.0, 3.0, "everything: all families and methods, scaling, peers"),
        Suite("scaling", _scaling, 20.0, 1.0, "growth in n for each d, and with the workers"),
        Suite("peers", _peers, 20.0, 1.0, "beside other software"),
        Suite("processors", _processors, 20.0, 6.0, "compiled for processors with shorter vectors"),
        Suite("first", _first, 600.0, 40.0, "first answers of fresh processes, and compilation"),
        Suite("models", _models, 1800.0, 1.0, "questions about models at the size of a vocabulary"),
        Suite("optimize", _optimize, 1800.0, 1.0, "the best chamber beside other software"),
        Suite("scale", _scale, 3600.0, 10.0, "runs, folds, Dask and merged restrictions: promises"),
    )
}


def suite_named(name: str) -> Suite:
    """The suite of this name.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> suite_named("quick").jobs()[0].name
    'chambers gaussian n=100 d=4 sweep'
    """
    if name not in SUITES:
        raise InputError(f"suite is {name!r}; expected one of {', '.join(SUITES)}.")
    return SUITES[name]


def of_matrix(
    name: str, W: Any, offsets: Any = None, *, topic: str = CHAMBERS, cap: float = 60.0
) -> Suite:
    """A suite of one case: a matrix, and maybe offsets, listed by the sweep.

    Examples
    --------
    >>> of_matrix("two lines", np.eye(2)).jobs()[0].name
    'chambers two lines n=2 d=2 sweep'
    """
    W = np.asarray(W)
    family = partial(_given, W if offsets is None else (W, np.asarray(offsets)))
    register_family(name, family, topic=topic, describe="as given")
    case = Case(topic, name, *W.shape)
    _ = case.W  # an array that is no matrix is better noticed now
    return Suite("file", lambda: [Job(case, "sweep")], cap, 3.0, "a matrix of the caller")


def _given(built: Any, n: int, d: int) -> Any:
    return built


def beside(suite: Suite, methods: Iterable[str]) -> Suite:
    """The suite, with the sweep and these methods on each case that it lists with the sweep.

    Examples
    --------
    >>> [job.method for job in beside(of_matrix("two lines", np.eye(2)), ["count"]).jobs()]
    ['sweep', 'count']
    """
    methods = list(dict.fromkeys(["sweep", *methods]))

    def jobs() -> list[Job]:
        cases = dict.fromkeys(job.case for job in suite.jobs() if job.method == "sweep")
        found = [Job(case, name) for case in cases for name in methods if _has(case.topic, name)]
        return sorted(found, key=lambda job: (job.case.topic, job.case.family, job.case.d))

    return replace(suite, jobs=jobs)


def _has(topic: str, method: str) -> bool:
    return PEERS[method].topic == topic if method in PEERS else True
