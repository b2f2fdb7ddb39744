"""Rows sorted by digits against NumPy's sorts."""

import numpy as np
import pytest

from arrangements.kernels.statistics.sorting import COUNTS, sort_rows


def words_like(kind, m, rng):
    words = rng.integers(0, 2**64, m, np.uint64)
    return {
        "any": words,
        "the lowest bits": words >> np.uint64(53),
        "the highest bits": words & ~np.uint64(2**53 - 1),
        "two digits": words & np.uint64(2047 << 22 | 1023 << 50),
        "repeated": words % np.uint64(7),
        "sorted": np.sort(words),
        "the ends": np.where(words & np.uint64(1), np.uint64(0), ~np.uint64(0)),
    }[kind]


@pytest.mark.parametrize("m", [0, 1, 2, 100, 20_000])
@pytest.mark.parametrize(
    "kind",
    ["any", "the lowest bits", "the highest bits", "two digits", "repeated", "sorted", "the ends"],
)
def test_order(kind, m):
    words = words_like(kind, m, np.random.default_rng(m))
    expected = np.sort(words)
    sort_rows(words, np.zeros_like(words), np.ones(COUNTS, np.uint64), 1)
    assert (words == expected).all()


@pytest.mark.parametrize("m", [0, 1, 2, 100, 5000])
@pytest.mark.parametrize(
    "kinds",
    [
        ("repeated", "any"),
        ("any", "repeated"),
        ("repeated", "repeated", "two digits"),
        ("the ends", "the highest bits", "repeated", "the lowest bits"),
    ],
)
def test_order_by_several_words(kinds, m):
    rng = np.random.default_rng(m)
    rows = np.zeros((m, len(kinds)), np.uint64)
    for k, kind in enumerate(kinds):
        rows[:, k] = words_like(kind, m, rng)
    expected = rows[np.lexsort(rows.T[::-1])]
    words = rows.reshape(-1)
    sort_rows(words, np.zeros_like(words), np.ones(COUNTS, np.uint64), len(kinds))
    assert (rows == expected).all()
