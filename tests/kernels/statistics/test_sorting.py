"""Words sorted by digits against NumPy's sort."""

import numpy as np
import pytest

from arrangements.kernels.statistics.sorting import COUNTS, sort_words
from arrangements.sets import packed


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
    sort_words(words, np.zeros_like(words), np.ones(COUNTS, np.int64))
    assert (words == expected).all()


def test_rows_in_order():
    """Of sets, above and below the size from which on words are sorted by digits."""
    rng = np.random.default_rng(0)
    for m in (0, 5, 1 << 16):
        rows = rng.integers(0, 2**64, (m, 1), np.uint64)
        given = rows.copy()
        assert (packed.in_order(rows) == np.sort(rows, axis=0)).all()
        assert (rows == given).all()
