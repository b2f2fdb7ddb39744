"""Vectors as values, against NumPy. One function each, for compilation takes its time."""

import numpy as np
import pytest
from numba import njit

from arrangements.kernels.llvm import vectors as v

U32 = np.uint32


@njit
def compute(table, out, number):
    """Rows of `out`: what the arithmetic of vectors makes of the first two rows of `table`."""
    x, y = v.load(table, (0, 0)), v.load(table, (1, 0))
    every = v.splat(number)
    v.store(out, (0, 0), x + y)
    v.store(out, (1, 0), x - y)
    v.store(out, (2, 0), x * every)
    v.store(out, (3, 0), x / y)
    v.store(out, (4, 0), v.magnitude(x))
    v.store(out, (5, 0), v.maximum(x, y))
    lanes = v.less(x, y)
    v.store(out, (6, 0), v.choose_lanes(lanes, x, every))
    v.store(out, (7, 0), v.with_sign_of(x, y))
    return lanes


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("dtype", "count"), [(np.float32, 16), (np.float64, 8)])
def test_arithmetic(dtype, count):
    rng = np.random.default_rng(count)
    x, y = rng.standard_normal((2, count)).astype(dtype)
    out, number = np.zeros((8, count), dtype), dtype(3.5)
    lanes = compute(np.stack([x, y]), out, number)
    assert lanes == sum(1 << k for k in range(count) if x[k] < y[k])
    expected = [x + y, x - y, x * number, x / y, abs(x), np.maximum(x, y)]
    expected += [np.where(x < y, x, number), np.where(np.signbit(y), -x, x)]
    assert (out == expected).all()


@njit
def compute_across(table, numbers, rows, out):
    v.store(out, (0,), v.load_across(table, (1, 0, 2)))
    v.store(out, (8,), v.load_across(table, (0, 1, 2)))
    v.store(out, (16,), v.largest_of_rows(rows, (1, 0)))
    x, y = v.load(numbers, (0,)), v.load(numbers, (16,))
    return v.less_in_two(x, y, y, v.splat(np.float32(0.5)))


def test_lanes_across_columns_largest_ones_and_two_comparisons():
    table, out = np.arange(2 * 9 * 4.0).reshape(2, 9, 4), np.zeros(24)
    rows = np.random.default_rng(1).random((9, 8))
    numbers = np.random.default_rng(0).random(32).astype(np.float32)
    lanes = compute_across(table, numbers, rows, out)
    assert (out[:8] == table[1, :8, 2]).all() and (out[8:16] == table[0, 1:, 2]).all()
    assert (out[16:] == rows[1:].max(axis=1)).all()
    expected = [*(numbers[:16] < numbers[16:]), *(numbers[16:] < 0.5)]
    assert lanes == sum(1 << k for k in range(32) if expected[k])


@njit
def compute_words(table, out, lanes, lane, word):
    x, y = v.load(table, (0, 0)), v.load(table, (1, 0))
    v.store(out, (0, 0), x ^ y)
    v.store(out, (1, 0), x & y)
    v.store(out, (2, 0), v.word_where(lanes, word))
    v.store(out, (3, 0), v.word_at(lane, word))
    v.store(out, (4, 0), v.words_from(lane))
    v.store_lanes(out, (5, 0), x, lanes)
    v.store(out, (6, 0), x | y)
    v.store(out, (7, 0), x << v.splat(word & np.uint64(63)))
    v.store(out, (8, 0), x >> v.splat(word & np.uint64(63)))
    v.store(out, (9, 0), x + y)
    v.store(out, (10, 0), v.populations(x))
    v.store(out, (11, 0), v.words_from(np.int64(v.zero_words(x & v.splat(word)))))
    v.store(out, (12, 0), v.words_from(np.int64(v.at_least(v.populations(x), 32))))
    return v.total(y)


@pytest.mark.parametrize("lane", [-1, 0, 3, 7, 8])
def test_words(lane):
    rng = np.random.default_rng(lane + 1)
    x, y = rng.integers(0, 2**63, (2, 8)).astype(np.uint64) * 2 + 1
    out, word, k = np.full((13, 8), 5, np.uint64), np.uint64(2**63 + 8), np.arange(8)
    lanes = int(rng.integers(256))
    total = compute_words(np.stack([x, y]), out, np.uint64(lanes), lane, word)
    assert total % 2**64 == sum(y.tolist()) % 2**64
    chosen = (lanes >> k & 1) == 1
    expected = [x ^ y, x & y, np.where(chosen, word, 0), np.where(k == lane, word, 0)]
    expected += [(lane + k).astype(np.uint64), np.where(chosen, x, 5)]
    expected += [x | y, x << np.uint64(8), x >> np.uint64(8), x + y]
    expected.append(np.array([word.bit_count() for word in x.tolist()]))
    zeros = sum(1 << i for i, entry in enumerate(x.tolist()) if not entry & int(word))
    expected.append(zeros + k)
    expected.append(sum(1 << i for i, entry in enumerate(x.tolist()) if entry.bit_count() > 31) + k)
    assert (out == np.array(expected, np.uint64)).all()


@njit
def compute_stores(numbers, narrow, keys, ends):
    """Numbers as singles, as keys, and as ends."""
    first, second = v.load(numbers, (0,)), v.load(numbers, (8,))
    v.store_narrow(narrow, (0, 16), first, second)
    x, y = v.load(narrow, (0, 0)), v.load(narrow, (0, 16))
    v.store_keys(keys, 1, 0, x, y)
    v.store_ends(ends, 1, 0, x)
    v.store_ends(ends, 1, 16, y)
    v.store(narrow, (1, 0), v.with_sign_of(x, y))


def test_stores_of_other_types():
    rng = np.random.default_rng(3)
    x = rng.uniform(-1.01, 1.01, 16).astype(np.float32)
    numbers = rng.uniform(-1.01, 1.01, 16)
    x[:4], numbers[:4] = [-0.0, 1.01, -1.01, 1e-30], [-1.01, 0.0, -0.0, -1e-9]
    narrow = np.zeros((2, 32), np.float32)
    narrow[0, :16] = x
    keys, ends = np.zeros((2, 32), np.int16), np.zeros((2, 32), np.int32)
    compute_stores(numbers, narrow, keys, ends)
    y = numbers.astype(np.float32)
    assert (narrow[0] == [*x, *y]).all()
    assert (narrow[1, :16].view(U32) == np.where(np.signbit(y), -x, x).view(U32)).all()
    # increasing functions, the keys as ``kernels.chambers.tableau.place_row`` makes them
    both = np.concatenate([x, y])
    center, scale = np.float32(v.KEY_CENTER), np.float32(v.KEY_SCALE)
    assert (keys[1] == (both * scale + center - center).astype(np.int16)).all()
    order = np.argsort(both, kind="stable")
    assert (np.diff(keys[1, order]) >= 0).all() and (np.diff(ends[1, order]) >= 0).all()
    assert (ends[1] > 0).all() and (keys[0] == 0).all() and (ends[0] == 0).all()
    assert (np.abs(ends[1] / 2.0**29 - (both.astype(float) + 1 + 2.0**-6)) < 1e-6).all()
