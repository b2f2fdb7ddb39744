"""Rows sorted by digits and by vectors against NumPy's sorts."""

import numpy as np
import pytest

from arrangements.kernels.statistics.sorting import (
    COUNTS,
    KEPT,
    MOST_PARTINGS,
    STACK,
    sort_rows,
    sort_words,
)


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
        "the largest": np.full(m, ~np.uint64(0)),
        "one at the end": np.arange(m, dtype=np.uint64) == m - 1,
    }[kind].astype(np.uint64)


KINDS = [
    *("any", "the lowest bits", "the highest bits", "two digits", "repeated", "sorted"),
    *("the ends", "the largest", "one at the end"),
]


@pytest.mark.parametrize("m", [0, 1, 2, 100, 20_000])
@pytest.mark.parametrize("kind", KINDS)
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


@pytest.mark.sampled(15)
@pytest.mark.parametrize("partings", [0, 3, MOST_PARTINGS])
@pytest.mark.parametrize("kind", KINDS)
def test_order_by_vectors(kind, partings):
    """Of all lengths that fit into registers, that are parted in one way and in the other."""
    rng = np.random.default_rng(partings)
    for m in [*range(140), *range(505, 525), 2055, 2056, 20_000]:
        words = words_like(kind, m, rng)
        beside = np.concatenate([words[:1], words, words[:1]])  # which stay as they are
        expected = np.concatenate([words[:1], np.sort(words), words[:1]])
        kept, stack = np.ones(KEPT, np.uint64), np.ones(STACK, np.int64)
        sort_words(beside[1 : m + 1], kept, stack, partings)
        assert (beside == expected).all()
