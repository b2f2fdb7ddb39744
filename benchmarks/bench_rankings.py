"""Listing rankings beside NumPy: ``pytest benchmarks`` (extra ``bench``).

The reference sorts ``X @ W.T`` with a point of every stored ranking given. The answers are asserted
inside; `measure.py` prints the table with ratios.
"""

from typing import Any

import pytest
from cases import (
    Case,
    check_rankings,
    ranking_case,
    ranking_cases,
    ranking_points,
    ranking_references,
)

from arrangements import count_rankings, rankings, top_k_sets

LISTING = pytest.mark.parametrize("case", ranking_cases(), ids=lambda c: f"{c.name} {c.size}")
SMALL = pytest.mark.parametrize("case", [ranking_case(12, 3), ranking_case(10, 4)], ids=str)


def label(benchmark: Any, title: str, case: Case) -> None:
    benchmark.group = f"{title} {case.name} {case.size}"
    n, d = case.W.shape
    benchmark.extra_info.update(n=n, d=d, rankings=case.count)


@LISTING
def test_rankings(benchmark: Any, case: Case) -> None:
    label(benchmark, "rankings", case)
    found = benchmark.pedantic(rankings, (case.W,), rounds=3, warmup_rounds=1)
    check_rankings(found, case)
    benchmark.extra_info["rankings_per_second"] = case.count / benchmark.stats.stats.median


@LISTING
def test_count_rankings(benchmark: Any, case: Case) -> None:
    label(benchmark, "rankings", case)
    number = benchmark.pedantic(count_rankings, (case.W,), rounds=3, warmup_rounds=1)
    assert number == case.count


@LISTING
@pytest.mark.parametrize("form", ["one call", "blocks"])
def test_numpy(benchmark: Any, case: Case, form: str) -> None:
    label(benchmark, "rankings", case)
    found = rankings(case.W)
    points, true = ranking_points(found)
    action = ranking_references(points, case.W)[form == "blocks"]
    orders = benchmark.pedantic(action, rounds=3, warmup_rounds=1)
    benchmark.extra_info["true_witnesses"] = true
    assert orders.shape == found.orders.shape
    assert not true or (orders == found.orders).all()


@SMALL
@pytest.mark.parametrize("method", ["sweep", "pairs", "incremental"])
def test_methods(benchmark: Any, case: Case, method: str) -> None:
    label(benchmark, "ranking methods", case)
    found = benchmark.pedantic(rankings, (case.W,), {"method": method}, rounds=3, warmup_rounds=1)
    check_rankings(found, case)


def test_top_k_sets(benchmark: Any) -> None:
    case = ranking_case(40, 3)
    label(benchmark, "top-k sets", case)
    found = benchmark.pedantic(top_k_sets, (case.W, 3), rounds=3, warmup_rounds=1)
    tops = {frozenset(order) for order in rankings(case.W).to_array()[:, :3].tolist()}
    assert {frozenset(top) for top in found.tolist()} == tops
