"""Merges of blocks against their plain twins, and against lists of blocks."""

import numpy as np
import pytest

from arrangements.kernels.llvm import label_lines
from arrangements.kernels.llvm.label_lines import GROUP, LABEL_BITS
from kernels import compiled, twins

merge, sum_shifts = compiled(label_lines.merge), compiled(label_lines.sum_shifts)


def start(labels, pad, depths):
    block, size = np.full((depths, pad), -1, np.int16), np.ones((depths, pad), np.int16)
    block[0, :labels] = np.arange(labels)
    return block, size, np.full((depths + GROUP, 2, pad), 99, np.int16)


@pytest.mark.parametrize("pad", [16, 32, 64])
def test_merges_keep_the_order_of_either_side(pad):
    """Labels in order of their blocks, the merged block last, both ways round."""
    rng = np.random.default_rng(pad)
    labels, depths = pad - 3, 6
    arrays = block, size, shift = start(labels, pad, depths)
    for e in range(depths - 1):
        a, c = sorted(rng.choice(np.unique(block[e, :labels]), 2, replace=False).tolist())
        upper, lower = (a, c) if rng.integers(2) else (c, a)
        plain = [array.copy() for array in arrays]
        twins.merge(*plain, e, a, c, upper, lower)
        merge(block, size, shift, e, a, c, upper, lower)
        assert all((x == y).all() for x, y in zip(arrays, plain, strict=True))
        groups = {x: np.flatnonzero(block[e] == x).tolist() for x in (upper, lower)}
        assert np.flatnonzero(block[e + 1] == a).tolist() == sorted(sum(groups.values(), []))
        assert size[e + 1, a] == len(groups[upper]) + len(groups[lower])
        for forward, order in enumerate([(lower, upper), (upper, lower)]):
            for label in range(labels):
                before = len(groups[order[0]]) if label in groups[order[1]] else 0
                assert shift[e, forward, label] == before


@pytest.mark.sampled(8)
@pytest.mark.parametrize("pad", [16, 64])
@pytest.mark.parametrize("number", range(8))
def test_sums_of_what_merges_add(number, pad):
    rng = np.random.default_rng(number)
    shift = rng.integers(0, 40, (number + GROUP, 2, pad)).astype(np.int16)
    groups = max(-(-number // GROUP), 1)
    inner = np.full((groups << GROUP, pad), 7, np.int32)
    sum_shifts(shift, inner, number)
    for code in range(1 << number):
        total, places = np.zeros(pad, int), np.zeros(pad, int)
        for g in range(groups):
            total += inner[(g << GROUP) + (code >> GROUP * g) % (1 << GROUP)]
        for q in range(number):
            places += shift[q, code >> q & 1]
        assert (total == (places << LABEL_BITS) + np.arange(pad)).all()


@pytest.mark.parametrize("number", range(8))
def test_the_plain_twin_of_sums(number):
    shift = np.random.default_rng(number).integers(0, 40, (10, 2, 16)).astype(np.int16)
    found, plain = np.zeros((2, 24, 16), np.int32)
    sum_shifts(shift, found, number)
    twins.sum_shifts(shift, plain, number)
    used = [k for k in range(24) if k >> GROUP < max(-(-number // GROUP), 1)]
    used = [k for k in used if k % 8 < 1 << max(number - (k >> GROUP) * GROUP, 0)]
    assert used and (found[used] == plain[used]).all()
