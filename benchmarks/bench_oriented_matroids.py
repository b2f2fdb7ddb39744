"""Chirotopes and covectors beside plain NumPy: ``pytest benchmarks`` (extra ``bench``)."""

from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from arrangements import OrientedMatroid, generators


@pytest.mark.parametrize("how", ["exact", "numpy.linalg.det"])
def test_chirotope(benchmark: Any, how: str) -> None:
    n, d = 30, 5
    W = generators.generic(n, d, 0).normals
    subsets = np.array(list(combinations(range(n), d)))
    benchmark.group = f"chirotope generic n={n} d={d}"
    benchmark.extra_info.update(n=n, d=d, signs=comb(n, d))
    expected = np.sign(np.linalg.det(W[subsets]))  # no minor of this matrix is close to zero
    action = {
        "exact": lambda: OrientedMatroid.from_matrix(W).chirotope,
        "numpy.linalg.det": lambda: np.sign(np.linalg.det(W[subsets])),
    }[how]
    assert np.array_equal(benchmark.pedantic(action, rounds=5, warmup_rounds=1), expected)


@pytest.mark.parametrize("how", ["levels", "all compositions"])
def test_covectors(benchmark: Any, how: str) -> None:
    n, d = 8, 4
    W = generators.generic(n, d, 0).normals
    benchmark.group = f"covectors generic n={n} d={d}"
    # of k zeros: C(n, k) times the chambers of n - k generic hyperplanes in dimension d - k
    sizes = [2 * sum(comb(n - k - 1, j) for j in range(d - k)) for k in range(d)]
    count = 1 + sum(comb(n, k) * size for k, size in enumerate(sizes))
    benchmark.extra_info.update(n=n, d=d, covectors=count)
    action = {
        "levels": lambda: OrientedMatroid.from_matrix(W).covectors(),
        "all compositions": lambda: composed(OrientedMatroid.from_matrix(W).cocircuits()),
    }[how]
    assert len(benchmark.pedantic(action, rounds=5, warmup_rounds=1)) == count


def composed(cocircuits: np.ndarray) -> np.ndarray:
    """Close the cocircuits under composition: each new covector with every cocircuit."""
    found = {(0,) * cocircuits.shape[1], *map(tuple, cocircuits.tolist())}
    new = cocircuits
    while len(new):
        pairs = np.where(new[:, None] != 0, new[:, None], cocircuits)
        larger = np.unique(pairs.reshape(-1, pairs.shape[2]), axis=0)
        fresh = set(map(tuple, larger.tolist())) - found
        found |= fresh
        new = np.array(sorted(fresh), np.int8)
    return np.array(sorted(found), np.int8)
