"""Listing chambers beside its references: ``pytest benchmarks`` (extra ``bench``).

The answers are asserted inside; `measure.py` prints the table with ratios and limits.
"""

from typing import Any

import pytest
from cases import (
    Case,
    check,
    gaussian,
    highs_loop,
    listing_cases,
    points_for,
    references,
)

from arrangements import chambers

LISTING = pytest.mark.parametrize("case", listing_cases(), ids=lambda c: f"{c.name} {c.size}")
INCREMENTAL = pytest.mark.parametrize(
    "case", [gaussian(20, 4), gaussian(40, 4)], ids=lambda c: c.size
)


def label(benchmark: Any, title: str, case: Case) -> None:
    benchmark.group = f"{title} {case.name} {case.size}"
    n, d = case.W.shape
    benchmark.extra_info.update(n=n, d=d, chambers=case.count)


@LISTING
def test_chambers(benchmark: Any, case: Case) -> None:
    label(benchmark, "chambers", case)
    found = benchmark.pedantic(chambers, (case.W,), rounds=5, warmup_rounds=1)
    check(found, case)
    benchmark.extra_info["chambers_per_second"] = case.count / benchmark.stats.stats.median


@LISTING
@pytest.mark.parametrize("form", ["plain", "tuned"])
def test_numpy(benchmark: Any, case: Case, form: str) -> None:
    label(benchmark, "chambers", case)
    found = chambers(case.W)
    points, true = points_for(found)
    action = references(points, case.W)[form == "tuned"]
    packed = benchmark.pedantic(action, rounds=5, warmup_rounds=1)
    benchmark.extra_info["true_witnesses"] = true
    assert packed.shape == found.packed.shape
    assert not true or (packed == found.packed).all()


@INCREMENTAL
def test_incremental(benchmark: Any, case: Case) -> None:
    label(benchmark, "incremental", case)
    found = benchmark.pedantic(
        chambers, (case.W,), {"method": "incremental"}, rounds=5, warmup_rounds=1
    )
    check(found, case)
    assert found == chambers(case.W)


def test_highs_loop(benchmark: Any) -> None:
    case = gaussian(20, 4)
    label(benchmark, "incremental", case)
    found, programs, _ = benchmark.pedantic(highs_loop, (case.W,), rounds=1)
    benchmark.extra_info["programs"] = programs
    assert 2 * found == case.count


@pytest.mark.parametrize("workers", [1, 2])
def test_workers(benchmark: Any, workers: int) -> None:
    case = gaussian(100, 5)
    label(benchmark, "workers", case)
    found = benchmark.pedantic(chambers, (case.W,), {"workers": workers}, rounds=3, warmup_rounds=1)
    check(found, case)
