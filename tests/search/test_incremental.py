"""Incremental enumeration: the naive oracle, polyhedra, predicates, memory and statistics."""

from collections import Counter
from fractions import Fraction

import naive
import numpy as np
import pytest
from examples import EXAMPLES
from hypothesis import given
from numba import njit
from strategies import arrangements

from arrangements import iter_chambers
from arrangements.core.arrangement import Arrangement
from arrangements.errors import InputError
from arrangements.search.incremental import IncrementalListing


def listed(listing, n):
    """Sign vectors of a listing as a set of tuples, checking that they are distinct."""
    rows = []
    for block in listing:
        assert block.dtype == np.uint64 and block.shape[1] == -(-n // 64)
        for words in block.tolist():
            number = sum(word << 64 * k for k, word in enumerate(words))
            assert number >> n == 0
            rows.append(tuple(1 if number >> i & 1 else -1 for i in range(n)))
    if listing.half:
        assert all(row[0] > 0 for row in rows)
        rows += [tuple(-s for s in row) for row in rows]
    assert len(set(rows)) == len(rows)
    return set(rows)


@pytest.mark.sampled(20)
@pytest.mark.parametrize("block_size", [1, 7, 4096])
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_same_chambers_as_the_oracle(example, block_size):
    listing = IncrementalListing(Arrangement(*example.arguments), block_size=block_size)
    assert listing.half == example.is_central
    assert listed(listing, example.n) == example.chambers


@given(arrangements())
def test_random_arrangements(drawn):
    W, b = drawn
    expected = naive.chambers(W, b)
    assert listed(IncrementalListing(Arrangement(W, b)), len(W)) == expected
    keep_all = IncrementalListing(Arrangement(W, b), prune=lambda block: np.ones(len(block), bool))
    assert listed(keep_all, len(W)) == expected


@pytest.mark.sampled(10)
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_a_predicate_that_keeps_all(example):
    arrangement = Arrangement(*example.arguments)
    listing = IncrementalListing(arrangement, prune=lambda block: np.ones(len(block), bool))
    assert not listing.half
    assert listed(listing, example.n) == example.chambers


@pytest.mark.sampled(8)
@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_within_a_halfspace(example):
    """Chambers of the arrangement with the halfspace added, on its inner side."""
    normal, bound = [1, *[2] * (example.dimension - 1)], Fraction(1, 3)
    W, b = example.arguments
    rows = [list(row) for row in W] + [[-e for e in normal]]
    offsets = [0] * example.n if b is None else list(b)
    expected = {s[:-1] for s in naive.chambers(rows, [*offsets, bound]) if s[-1] > 0}
    listing = IncrementalListing(Arrangement(W, b), within=([normal], [bound]))
    assert not listing.half
    assert listed(listing, example.n) == expected


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(8))
def test_within_a_box(seed):
    rng = np.random.default_rng(seed)
    W, b = rng.integers(-3, 4, (6, 3)), rng.integers(-2, 3, 6)
    W[~W.any(axis=1), 0] = 1
    A, c = np.vstack([np.eye(3), -np.eye(3)]).astype(int), rng.integers(1, 4, 6)
    expected = naive.chambers(np.vstack([W, -A]).tolist(), [*b.tolist(), *c.tolist()])
    expected = {s[:6] for s in expected if all(e > 0 for e in s[6:])}
    listing = IncrementalListing(Arrangement(W, b), within=(A, c))
    assert listed(listing, 6) == expected


def test_within_a_plane():
    # x + y + z = 1/2, by two inequalities: substitute z
    W = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, -1, 2]]
    flat = [[1, 0], [0, 1], [-1, -1], [-1, -3]]
    expected = naive.chambers(flat, [0, 0, Fraction(1, 2), 1])
    half = Fraction(1, 2)
    listing = IncrementalListing(W, within=([[1, 1, 1], [-1, -1, -1]], [half, -half]))
    assert listed(listing, 4) == expected


def test_within_a_segment_and_a_point():
    W = [[1, 0], [0, 1], [1, 1]]
    # x = 1, -2 <= y <= 0: the closed segment; y = 0 is on a hyperplane
    A, c = [[1, 0], [-1, 0], [0, 1], [0, -1]], [1, -1, 0, 2]
    assert listed(IncrementalListing(W, within=(A, c)), 3) == {(1, -1, 1), (1, -1, -1)}
    point = ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0.5, -0.5, -0.25, 0.25])
    assert listed(IncrementalListing(W, within=point), 3) == {(1, -1, 1)}
    on_a_line = ([[1, 0], [-1, 0], [0, 1], [0, -1]], [0, 0, 1, -1])
    assert listed(IncrementalListing(W, within=on_a_line), 3) == set()


def test_within_an_empty_polyhedron():
    assert listed(IncrementalListing([[1, 0]], within=([[1, 0], [-1, 0]], [0, -1])), 1) == set()
    assert listed(IncrementalListing([[1, 0]], within=([[0, 0]], [-1])), 1) == set()
    assert len(listed(IncrementalListing([[1, 0]], within=([[0, 0]], [0])), 1)) == 2
    assert len(listed(IncrementalListing([[1, 0]], within=(np.empty((0, 2)), [])), 1)) == 2


def test_within_one_ulp():
    # the hyperplane x = 1 and the polyhedra x <= 1, x <= 1 + ulp
    listing = IncrementalListing(Arrangement([[1.0]], [-1.0]), within=([[1]], [1.0]))
    assert listed(listing, 1) == {(-1,)}
    above = np.nextafter(1.0, 2.0)
    listing = IncrementalListing(Arrangement([[1.0]], [-1.0]), within=([[1]], [above]))
    assert listed(listing, 1) == {(-1,), (1,)}


@pytest.mark.parametrize(
    ("within", "message"),
    [
        (([[1, 0, 0]], [1]), r"within\[0\] has shape \(1, 3\)"),
        (([[1, 0]], [1, 2]), r"within\[1\] has shape"),
        ([[1, 0]], "pair"),
        (([[1, np.nan]], [1]), "nan"),
    ],
)
def test_malformed_polyhedra(within, message):
    with pytest.raises(InputError, match=message):
        IncrementalListing([[1, 0]], within=within)


def few_positive(block):
    return (block > 0).sum(axis=1) <= 2


@njit
def few_positive_compiled(block):
    mask = np.empty(block.shape[0], np.bool_)
    for i in range(block.shape[0]):
        mask[i] = (block[i] > 0).sum() <= 2
    return mask


@pytest.mark.sampled(7)
@pytest.mark.parametrize("prune", [few_positive, few_positive_compiled])
@pytest.mark.parametrize("example", EXAMPLES[::3], ids=repr)
def test_prune(example, prune):
    listing = IncrementalListing(Arrangement(*example.arguments), prune=prune, block_size=5)
    expected = {s for s in example.chambers if sum(e > 0 for e in s) <= 2}
    assert listed(listing, example.n) == expected


def test_prune_sees_prefixes_in_the_callers_order():
    W = np.array([[1, 0, 0], [2, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]])
    seen = {}

    def record(block):
        seen.setdefault(block.shape[1], set()).update(map(tuple, block.tolist()))
        return np.ones(len(block), bool)

    for _ in IncrementalListing(Arrangement(W, [0, 1, 0, 0, 1, 0]), prune=record):
        pass
    for k in range(1, 7):
        assert seen[k] == naive.chambers(W[:k].tolist(), [0, 1, 0, 0, 1, 0][:k])


def test_prune_with_within():
    W, b = [[1, 0], [0, 1], [1, 1], [1, -1]], [0, 0, -1, 0]
    box = ([[1, 0], [-1, 0], [0, 1], [0, -1]], [2, 0, 2, 2])
    everything = listed(IncrementalListing(Arrangement(W, b), within=box), 4)
    kept = listed(IncrementalListing(Arrangement(W, b), within=box, prune=few_positive), 4)
    assert kept == {s for s in everything if sum(e > 0 for e in s) <= 2}


@pytest.mark.parametrize("mask", [lambda b: np.ones(len(b)), lambda b: True, lambda b: [True] * 9])
def test_bad_predicates(mask):
    with pytest.raises(InputError, match="prune returned"):
        list(IncrementalListing([[1, 0], [0, 1]], prune=mask))


def test_published_counts():
    resonance = [[k >> j & 1 for j in range(4)] for k in range(1, 16)]
    threshold = [[1, *(k >> j & 1 for j in range(3))] for k in range(8)]
    for rows, count in ((resonance, 370), (threshold, 104)):
        assert 2 * sum(map(len, IncrementalListing(rows))) == count


@pytest.mark.parametrize(("n", "d"), [(20, 4), (12, 6), (63, 2), (64, 3), (65, 2), (130, 2)])
def test_generic_counts_and_statistics(n, d):
    W = np.random.default_rng(n).standard_normal((n, d))
    listing = IncrementalListing(W)
    sizes = [len(block) for block in listing]
    assert 2 * sum(sizes) == naive.generic_count(n, d)
    statistics = listing.statistics
    assert statistics.chambers == sum(sizes) <= statistics.nodes
    assert 0 < statistics.tests_per_chamber <= n


def test_blocks_are_bounded_and_the_listing_can_stop_early():
    W = np.random.default_rng(1).standard_normal((60, 6))  # 11 million chambers
    listing = IncrementalListing(W, block_size=100)
    for k, block in enumerate(listing):
        assert 0 < len(block) <= 100
        if k == 5:
            break
    assert listing.statistics.nodes < 200_000


def test_draws_of_few_chambers_are_all():
    W = np.array([[1, 0, 0], [0, 1, 0], [1, 1, -1], [1, -1, 2]])
    drawn = IncrementalListing(Arrangement(W[:, :2], W[:, 2])).draw(100, np.random.default_rng(0))
    assert drawn.complete and len(drawn.signs) == round(2**drawn.log_number)
    assert set(map(tuple, drawn.signs.tolist())) == naive.chambers(W[:, :2], W[:, 2])


@pytest.mark.slow
def test_draws_are_right_in_the_mean_and_fair():
    W = np.random.default_rng(0).standard_normal((9, 2))
    b, rng = np.random.default_rng(1).standard_normal(9), np.random.default_rng(2)
    expected = naive.chambers(W, b)
    listing, numbers, seen = IncrementalListing(Arrangement(W, b)), [], Counter()
    for _ in range(1000):
        drawn = listing.draw(8, rng)
        assert not drawn.complete and len(drawn.signs) == 8
        numbers.append(2**drawn.log_number)
        rows = list(map(tuple, drawn.signs.tolist()))
        assert len(set(rows)) == 8 and expected.issuperset(rows)
        seen.update(dict.fromkeys(rows, numbers[-1] / 8))
    assert abs(np.mean(numbers) / len(expected) - 1) < 0.05
    assert all(700 < seen[row] < 1300 for row in expected)  # 1000 in the mean


def test_no_hyperplanes():
    listing = IncrementalListing(Arrangement(np.empty((0, 3))))
    assert not listing.half
    assert [block.shape for block in listing] == [(1, 0)]


def test_block_size_must_be_positive():
    with pytest.raises(InputError, match="block_size is 0"):
        iter_chambers([[1]], method="incremental", block_size=0)
