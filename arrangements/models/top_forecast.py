"""How many tops are expected, and how long it takes to find them."""

from __future__ import annotations

import time
from math import comb

import numpy as np
from numpy.typing import NDArray

from arrangements.execution import limits
from arrangements.forecast.hours import check_hours
from arrangements.messages import short_number
from arrangements.models.top_tests import FEWER, Effort, TopTests, extend

# Fewer tests are not worth a prediction, which takes up to `_PROBES` descents or `_PROBE_SECONDS`.
_FEW_TESTS, _FEW_IN_BULK = 20_000, 1_000_000
_PROBES, _PROBE_SECONDS = 10, 2.0
# A descent tries this many further labels on each level.
_TRIED = 64
# This many tops of one size can neither be held nor tested.
_HOPELESS = 1e15
# Bytes that ordered tops take for each of their labels: int64, sorted, and copied.
_TOP_BYTES = 24


def predict(tests: TopTests, most: list[int]) -> tuple[int, int, float] | None:
    """Number of tops, tests to find them, and tests in a second; None if the tests are few.

    Random descents extend a top by a random feasible label. Take the product of the numbers of
    choices, each divided by the number of feasible tops from which the next could come: its mean is
    the number of tops of that size (Knuth, Math. Comp. 29 (1975) 121-136). ``most[j]`` bounds those
    of j labels. Sizes that a descent does not reach in time get the number of the last size.
    """
    few = _FEW_IN_BULK if tests.in_bulk else _FEW_TESTS
    if sum(_numbers_of_tests(tests, most)) <= few:
        return None
    rng = np.random.default_rng(0)
    sums, number, probes = np.zeros(len(most)), 0, 0
    tests.keep_feasible(extend(np.zeros((1, 0), np.int64), tests.n)[:1], Effort())  # compiles
    # so does the first candidate of another kind, which the pace must not be taken from
    _descend(tests, sums.copy(), np.random.default_rng(1), time.perf_counter() + _PROBE_SECONDS)
    began = time.perf_counter()
    while probes < _PROBES and time.perf_counter() < began + _PROBE_SECONDS:
        number += _descend(tests, sums, rng, began + _PROBE_SECONDS)
        probes += 1
    pace = max(number, 1) / (time.perf_counter() - began)
    tops = [min(int(x / probes), m) for x, m in zip(sums.tolist(), most, strict=True)]
    return tops[-1], sum(_numbers_of_tests(tests, tops)), pace


def _numbers_of_tests(tests: TopTests, tops: list[int]) -> list[int]:
    """Candidates of each level, given the number of tops of each size."""
    n = tests.n
    candidates = [number * (n - j) for j, number in enumerate(tops[:-1])]
    if tests.kind == "orders":
        return candidates
    return [min(c, comb(n, j + 1)) for j, c in enumerate(candidates)]


def _descend(
    tests: TopTests, sums: NDArray[np.float64], rng: np.random.Generator, end: float
) -> int:
    """Add one descent's estimates of the numbers of tops to `sums`; return its number of tests."""
    top, weight, number = np.zeros((1, 0), np.int64), 1.0, 0
    for size in range(len(sums) - 1):
        sums[size] += weight
        candidates = rng.permutation(extend(top, tests.n))
        found, tried = candidates[:0], 0
        while tried < min(_TRIED, len(candidates)) and time.perf_counter() < end:
            part = candidates[tried : tried + _TRIED // 8]
            found = np.concatenate([found, tests.keep_feasible(part, Effort())])
            tried += len(part)
        number += tried
        if time.perf_counter() > end or weight > _HOPELESS:
            sums[size + 1 :] += weight
            return number
        if not len(found):
            return number
        top = found[rng.integers(len(found))][None]
        weight *= len(found) * len(candidates) / tried
        if tests.kind == "sets" and size:
            smaller = np.array([np.delete(top[0], i) for i in range(size + 1)])
            weight /= len(tests.keep_feasible(smaller, Effort()))
            number += size + 1
    sums[-1] += weight
    return number


def check_forecast(
    noun: str, number: int, size: int, work: int, pace: float, effort: Effort
) -> None:
    """Refuse tops of `size` labels that are not expected to fit into memory, or to end in time."""
    what = f"about {short_number(number)} {noun} are expected"
    check_size(what, number * size)
    check_hours(f"{what}; finding them", work, pace * effort.workers, effort.max_hours)


def check_size(what: str, entries: int, room: int | None = None) -> None:
    """Refuse tops if all their labels together do not fit into the memory allowed."""
    limits.check_bytes(what, entries * _TOP_BYTES, FEWER, allowed=room)
