"""Tops of rankings and points of rankings, beside one linear program for each label."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from arrangements import argmax_labels, generators, rankings, top_k_sets
from benchmarks.suites.cases import RANKINGS, Case


def test_top_k_sets(benchmark: Any) -> None:
    W = Case(RANKINGS, "gaussian", 40, 3).W
    benchmark.group = "top-k sets gaussian n=40 d=3 k=3"
    found = benchmark.pedantic(top_k_sets, (W, 3), rounds=3, warmup_rounds=1)
    tops = {frozenset(order) for order in rankings(W).to_array()[:, :3].tolist()}
    assert {frozenset(top) for top in found.tolist()} == tops


def test_middle_sets_of_a_cube(benchmark: Any) -> None:
    cube = Case(RANKINGS, "cube", 32, 5).W
    benchmark.group = "top-k sets {0,1}^5 k=16"
    found = benchmark.pedantic(top_k_sets, (cube, 16), rounds=3, warmup_rounds=1)
    assert len(found) == 1882  # self-dual threshold functions


@pytest.mark.parametrize("solver", ["arrangements", "HiGHS"])
def test_argmax_labels(benchmark: Any, solver: str) -> None:
    W = generators.generic(100, 6, 1).normals
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
    W = Case(RANKINGS, "gaussian", 20, 3).W
    benchmark.group = "witnesses"
    found = rankings(W)
    points = benchmark.pedantic(found.witnesses, rounds=3, warmup_rounds=1)
    assert (np.argsort(-points @ W.T) == found.to_array()).all()
