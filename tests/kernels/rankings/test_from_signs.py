"""Rankings from signs of hyperplanes, against scores at points, label by label."""

from itertools import combinations

import numpy as np
import pytest

from arrangements.kernels.rankings.from_signs import AT_ONCE, write_orders

RNG = np.random.default_rng(11)


def asked(rows):
    """Tables for labels with these integer rows, one row of a table for each pair of labels."""
    n = len(rows)
    pairs = list(combinations(range(n), 2))
    mask = np.zeros((len(pairs), -(-n // 8) * 8), np.uint64)
    flip = np.zeros_like(mask)
    word = np.arange(len(pairs)) // 64
    for p, (i, j) in enumerate(pairs):
        bit = np.uint64(1 << p % 64)
        mask[p, i] = mask[p, j] = bit  # 1: i is above j
        flip[p, i] = bit
    return pairs, word, mask, flip


@pytest.mark.parametrize(("n", "dtype"), [(2, np.uint8), (9, np.uint8), (30, np.uint16)])
def test_labels_are_in_the_order_of_their_scores(n, dtype):
    rows = RNG.integers(-20, 21, (n, 4))
    points = RNG.integers(-(10**6), 10**6, (40, 4))
    scores = points @ rows.T
    keep = [len(set(s)) == n for s in scores.tolist()]
    scores = scores[keep]
    assert len(scores) > 5
    pairs, word, mask, flip = asked(rows)
    signs = np.zeros((len(scores), -(-len(pairs) // 64)), np.uint64)
    for p, (i, j) in enumerate(pairs):
        above = (scores[:, i] > scores[:, j]).astype(np.uint64)
        signs[:, p // 64] |= above << np.uint64(p % 64)
    orders = np.full((len(scores) + 1, n), 77, dtype)
    place = np.full((AT_ONCE, mask.shape[1]), 5, np.uint64)  # as an earlier call left it
    for m in (len(scores), *range(6)):
        orders[:] = 77
        write_orders(signs[:m], word, mask, flip, place, orders[:m])
        assert orders[:m].tolist() == np.argsort(-scores[:m], axis=1).tolist()
        assert (orders[m:] == 77).all()


def test_one_bit_may_count_several_times():
    # labels 0 and 1 are above 2 where the bit is 1, and in the order 0, 1 always
    word = np.zeros(3, np.int64)
    mask, flip = np.zeros((3, 8), np.uint64), np.zeros((3, 8), np.uint64)
    mask[0, :3] = [1, 1, 1]
    flip[0, :2] = 1
    mask[1, 2] = 1
    mask[2, 1], flip[2, 1] = 2, 2  # a bit that is 0: label 0 is above 1
    signs = np.array([[1], [0]], np.uint64)
    orders = np.zeros((2, 3), np.uint8)
    write_orders(signs, word, mask, flip, np.zeros((AT_ONCE, 8), np.uint64), orders)
    assert orders.tolist() == [[0, 1, 2], [2, 0, 1]]
