"""Questions at the size of real models, beside HiGHS with a model that stays warm.

The reference answers some of the same questions; its time is scaled up to all of them. A sample of
all proofs is checked in exact arithmetic.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arrangements import Certificates, can_be_top, feasible_many, top_k_sets
from benchmarks.suites.cases import Case
from benchmarks.suites.matrices import rivals
from benchmarks.suites.methods import WrongAnswerError
from benchmarks.suites.promises import Trial, limit_of_seconds, time_answer

Floats = NDArray[np.float64]

# Questions that the reference answers, and the seconds after which it stops asking more.
_ASKED, _SECONDS = 20, 120.0
# Proofs that are checked exactly.
_CHECKED = 12
_BYTES = {("tokens", 30522, 384): 2 * 10**9, ("single", 128_000, 512): 4 * 10**9}


def _trial(
    case: Case,
    own: Callable[[], Any],
    proved: Callable[[Any], Certificates],
    asked: Sequence[Sequence[int]],
    offsets: Floats | None = None,
) -> Trial:
    """Questions that `own` answers, with proofs of some, and questions for the reference."""

    def is_proved(answer: Any) -> bool:
        found = proved(answer)
        chosen = np.random.default_rng(0).permutation(len(found))[:_CHECKED]
        return bool(found.decided.all()) and found[chosen].verify()

    assert case.known is not None
    name = "HiGHS" if find_spec("highspy") else "linprog (HiGHS)"
    return Trial(
        partial(time_answer, own, is_proved, case.name),
        {name: partial(_highs_seconds, case.W, offsets, asked, case.known)},
        limit_of_seconds(case),
        inverse=True,
        most_bytes=_BYTES.get((case.family, case.n, case.d), 0),
    )


def _some(number: int) -> list[int]:
    return np.random.default_rng(1).permutation(number)[:_ASKED].tolist()


def _as_it_is(answer: Certificates) -> Certificates:
    return answer


@contextmanager
def _argmax(case: Case, workers: int) -> Iterator[Trial]:
    """Which labels can be first, with a proof for each."""
    own = partial(can_be_top, case.W, workers=workers)
    yield _trial(case, own, _as_it_is, [[i] for i in _some(case.n)])


@contextmanager
def _pairs(case: Case, workers: int) -> Iterator[Trial]:
    """Which pairs of labels can be on top."""
    first, second = np.triu_indices(case.n, 1)
    everything = np.stack([first, second], axis=1)
    sample = everything[_some(len(everything))]

    def proved(answer: Any) -> Certificates:
        """Proofs of a sample and of pairs that are missing, as many as there are of the others."""
        found = set(map(tuple, answer.tolist()))
        missing = [pair for pair in map(tuple, everything.tolist()) if pair not in found]
        asked = np.array([*sample.tolist(), *missing[:_CHECKED]])
        proofs = can_be_top(case.W, asked)
        if proofs.feasible.tolist() != [tuple(pair) in found for pair in asked.tolist()]:
            raise WrongAnswerError(f"{case.name}: a pair is wrong.")
        return proofs

    own = partial(top_k_sets, case.W, 2, workers=workers)
    yield _trial(case, own, proved, sample.tolist())


@contextmanager
def _sets(case: Case, workers: int) -> Iterator[Trial]:
    """Which label sets a sigmoid classifier can output; half of them occur."""
    sets, offsets = label_sets(case)
    own = partial(feasible_many, case.W, on=sets, offsets=offsets, workers=workers)

    def proved(answer: Certificates) -> Certificates:
        half = len(sets) // 2
        if not answer.feasible[:half].all() or answer.feasible[half:].any():
            raise WrongAnswerError(f"{case.name}: a label set is wrong.")
        return answer

    yield _trial(case, own, proved, [sets[i] for i in _some(len(sets))], offsets)


def label_sets(case: Case) -> tuple[list[list[int]], Floats]:
    """Sets of 5 to 10 labels, and offsets of the labels: half of them occur, half do not.

    The first ones hold the labels of largest score at random points, scaled so that only these are
    on. The others hold a label that is the mean of four labels, which are off.
    """
    rng, W = np.random.default_rng(2), case.W
    assert case.known is not None
    half = case.known // 2
    sizes = rng.integers(5, 11, case.known).tolist()
    found: list[list[int]] = [
        np.argsort(-(W @ rng.standard_normal(case.d)))[:k].tolist() for k in sizes[:half]
    ]
    for i, k in enumerate(sizes[half:]):
        blocked = i % (case.n // 10)
        others = np.setdiff1d(np.arange(case.n // 2), rivals(case.n, blocked))
        found.append([case.n - 1 - blocked, *rng.permutation(others)[: k - 1].tolist()])
    return found, np.full(case.n, -1.0)


@contextmanager
def _curve(case: Case, workers: int) -> Iterator[Trial]:
    """Sets of five labels on top of rows that are nearly dependent."""
    rng = np.random.default_rng(3)
    sets = [rng.permutation(case.n)[:5].tolist() for _ in range(case.known or 0)]
    own = partial(can_be_top, case.W, sets, workers=workers)
    yield _trial(case, own, _as_it_is, sets[:_ASKED])


TRIALS: dict[str, Callable[[Case, int], Any]] = {
    "argmax": _argmax,
    "pairs": _pairs,
    "label sets": _sets,
    "sets of five": _curve,
}


# ------------------------------------------------------------------ the reference


def _highs_seconds(
    W: Floats,
    offsets: Floats | None,
    asked: Sequence[Sequence[int]],
    number: int,
) -> float:
    """Seconds for `number` questions, from the time that some of them take."""
    rows = np.asarray(W, np.float64)
    if offsets is None:  # labels in question score above a threshold, all others below
        rows = np.hstack([rows, np.full((len(rows), 1), -1.0)])
    solve = _warm(rows, offsets) if find_spec("highspy") else partial(_cold, rows, offsets)
    began, done = time.perf_counter(), 0
    for top in asked:
        solve(top)
        done += 1
        if time.perf_counter() - began > _SECONDS:
            break
    return (time.perf_counter() - began) * number / done


def _bounds(rows: Floats, offsets: Floats | None, top: Sequence[int]) -> tuple[Floats, Floats]:
    """Bounds of the products of rows and a point: 1 above or below the offsets."""
    b = np.zeros(len(rows)) if offsets is None else offsets
    low, high = np.full(len(rows), -np.inf), -1.0 - b
    low[top], high[top] = 1.0 - b[top], np.inf
    return low, high


def _warm(rows: Floats, offsets: Floats | None) -> Callable[[Sequence[int]], Any]:
    """A question to one model, in which bounds change."""
    import highspy  # an extra

    model = highspy.Highs()
    model.silent()
    model.setOptionValue("time_limit", _SECONDS)
    for _ in range(rows.shape[1]):
        model.addVar(-highspy.kHighsInf, highspy.kHighsInf)
    columns = np.arange(rows.shape[1], dtype=np.int32)
    for row in rows:
        model.addRow(-highspy.kHighsInf, highspy.kHighsInf, len(row), columns, row)

    def solve(top: Sequence[int]) -> Any:
        for i, (low, high) in enumerate(zip(*_bounds(rows, offsets, top), strict=True)):
            model.changeRowBounds(i, low, high)
        model.run()
        return model.getModelStatus()

    return solve


def _cold(rows: Floats, offsets: Floats | None, top: Sequence[int]) -> Any:
    """The same with a new model for each question."""
    from scipy.optimize import linprog  # loads slowly

    signs = np.full(len(rows), 1.0)
    signs[top] = -1.0
    b = np.zeros(len(rows)) if offsets is None else offsets
    return linprog(
        np.zeros(rows.shape[1]),
        signs[:, None] * rows,
        -1.0 - signs * b,
        bounds=(None, None),
        method="highs",
        options={"time_limit": _SECONDS},
    ).status
