"""Values of packed rows, against sums bit by bit."""

import numpy as np
import pytest

from arrangements.kernels.statistics.values import fill_tables, least_sums, least_values


def tables_of(gains):
    tables = np.zeros((len(gains) // 64, 8, 256), np.int64)
    fill_tables(gains.reshape(-1, 8, 8), tables)
    return tables


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("words", [1, 2])
def test_least_values(words, both):
    rng = np.random.default_rng(words)
    gains = rng.integers(-3, 4, 64 * words)
    rows = rng.integers(0, 2**63, (50, words)).astype(np.uint64)
    bits = np.unpackbits(rows.view(np.uint8), axis=1, bitorder="little").astype(np.int64)
    values = bits @ gains
    if both:
        values = np.concatenate([values, gains.sum() - values])
    best, chosen = np.array([2**62, 0]), np.zeros(100, np.int64)
    tables, total = tables_of(gains), int(gains.sum())
    count = least_values(rows, tables, both, total, 0, best, chosen)
    assert best.tolist() == [values.min(), (values == values.min()).sum()]
    assert values[chosen[count - 1]] == values.min()
    best[:] = 2**62, 0
    count = least_values(rows, tables, both, total, 4, best, chosen)
    assert set(np.flatnonzero(values <= values.min() + 4)) <= set(chosen[:count].tolist())


@pytest.mark.parametrize("both", [False, True])
def test_least_sums(both):
    rng = np.random.default_rng(3)
    sums = np.column_stack([rng.integers(-5, 30, 100), np.arange(100)]).astype(np.uint64)
    values, best = sums[:, 0].astype(np.int64), np.array([2**62, 0])
    several = np.concatenate([values, 20 - values]) if both else values
    found = least_sums(sums, both, 20, best)
    assert best.tolist() == [several.min(), (several == several.min()).sum()]
    assert several.min() in (values[found], 20 - values[found] if both else values[found])
    assert least_sums(sums, both, 20, best) == -1
    assert best[1] == 2 * (several == several.min()).sum()
