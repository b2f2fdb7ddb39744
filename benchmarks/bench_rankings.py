"""Listing rankings beside NumPy: ``pytest benchmarks`` (extra ``bench``).

The reference sorts ``X @ W.T`` with a point of every stored ranking given. The answers are asserted
inside; `measure.py` prints the table with ratios.
"""

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from cases import (
    Case,
    check_rankings,
    ranking_case,
    ranking_cases,
    ranking_points,
    ranking_references,
)
from scipy.optimize import linprog

from arrangements import argmax_labels, count_rankings, generators, rankings, top_k_sets

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


def test_middle_sets_of_a_cube(benchmark: Any) -> None:
    cube = np.array(list(product((0, 1), repeat=5)))
    benchmark.group = "top-k sets {0,1}^5 k=16"
    found = benchmark.pedantic(top_k_sets, (cube, 16), rounds=3, warmup_rounds=1)
    assert len(found) == 1882  # self-dual threshold functions


@pytest.mark.parametrize("solver", ["arrangements", "HiGHS"])
def test_argmax_labels(benchmark: Any, solver: str) -> None:
    W = generators.generic(100, 6, 1)
    benchmark.group = "argmax Gaussian n=100 d=6"

    def by_linear_programs() -> list[int]:
        """Labels i with a point x where w_i . x >= w_j . x + 1 for all others: no proofs."""
        rows = [np.delete(W, i, axis=0) - W[i] for i in range(len(W))]
        free, below = (None, None), -np.ones(len(W) - 1)
        solved = [linprog(np.zeros(6), row, below, bounds=free).status == 0 for row in rows]
        return np.flatnonzero(solved).tolist()

    action = by_linear_programs if solver == "HiGHS" else partial(argmax_labels, W)
    found = benchmark.pedantic(action, rounds=3, warmup_rounds=1)
    assert list(found) == list(argmax_labels(W)) == by_linear_programs()


def test_float_witnesses(benchmark: Any) -> None:
    case = ranking_case(20, 3)
    label(benchmark, "witnesses", case)
    found = rankings(case.W)
    points = benchmark.pedantic(found.witnesses, rounds=3, warmup_rounds=1)
    assert (np.argsort(-points @ case.W.T) == found.to_array()).all()
