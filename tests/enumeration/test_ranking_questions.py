"""Listing and counting rankings: every method against the naive oracle and known numbers."""

from fractions import Fraction
from itertools import product
from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranking_examples import SMALL, Example, cube, lattice, ranked, signed_units
from strategies import invertible, labels_with_offsets, small_integers

from arrangements import Arrangement, Rankings, count_rankings, generators, iter_rankings, rankings
from arrangements.algebra import generic_ranking_count
from arrangements.core.score_model import as_score_model
from arrangements.counting.ranking_counts import expected_count, known_count, looks_generic
from arrangements.enumeration.rankings import request_rankings
from arrangements.errors import (
    ArrangementError,
    IncompleteError,
    InputError,
    LowRankWarning,
    TiedLabelsError,
    TooLargeError,
    UnknownMethodError,
    WitnessWarning,
)

METHODS = ["sweep", "pairs", "incremental"]
# Rounding noise is what some examples are about.
pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


def as_set(found: Rankings) -> set[tuple[int, ...]]:
    """The rankings as tuples; checks that no row is repeated."""
    rows = [tuple(row) for row in found.to_array().tolist()]
    assert len(set(rows)) == len(rows) == len(found)
    return set(rows)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", [*METHODS, "auto"])
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_equals_naive(example: Example, method: Any) -> None:
    found = rankings(*example.arguments, method=method)
    assert as_set(found) == ranked(example)
    assert found.complete and found.to_array().dtype == np.uint8
    assert count_rankings(*example.arguments, method=method) == len(ranked(example))
    assert example.known in (None, len(found))
    if found.half:
        assert (found.ranks()[: len(found.orders), 0] < found.ranks()[: len(found.orders), 1]).all()


@pytest.mark.sampled(16)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_blocks_witnesses_and_reversals(example: Example) -> None:
    found = rankings(*example.arguments)
    blocks = [
        tuple(r) for b in iter_rankings(*example.arguments, block_size=7) for r in b.to_array()
    ]
    assert len(blocks) == len(set(blocks)) and set(blocks) == ranked(example)
    for i in {0, 1 % len(found), len(found) // 2, len(found) - 1}:
        assert naive.order_at(*example.arguments, found.witness(i)) == tuple(found[i].tolist())
    if found.half:
        array = found.to_array()
        assert np.array_equal(array[len(array) // 2 :], array[: len(array) // 2, ::-1])


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        (([1, 2],), {}),
        ((np.empty((0, 2)),), {}),
        (([[float("nan")]],), {}),
        (([[1], [2]], [1]), {}),
        (([[1], [1]],), {}),
        (([[1], [2]],), {"rank": 2}),
        (([[1], [2]],), {"labels": ["a"]}),
        ((generators.generic(60, 6, 0),), {"max_bytes": 10**6}),
        ((generators.generic(60, 6, 0),), {"max_bytes": 10**6, "method": "pairs"}),
    ],
)
def test_errors_speak_of_labels_and_rankings(arguments: Any, keywords: Any) -> None:
    with pytest.raises(ArrangementError) as raised:
        rankings(*arguments, **keywords)
    assert "hyperplane" not in str(raised.value) and "chamber" not in str(raised.value)


# Some of their regions are cones like 1 < x_2 / x_1 < 1 + 1e-30, too thin for floats.
WITHOUT_FLOATS = ("beyond int64", "close floats", "close floats with offsets")


@pytest.mark.sampled(16)
@pytest.mark.filterwarnings("ignore::arrangements.errors.WitnessWarning")
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_float_witnesses(example: Example) -> None:
    W, b = example.arguments
    found = rankings(W, b)
    points = found.witnesses()
    assert points.shape == (len(found), len(W[0])) and points.dtype == np.float64
    missing = np.isnan(points).any(axis=1)
    assert not missing.any() or str(example) in WITHOUT_FLOATS
    for i in np.flatnonzero(~missing)[:60]:
        point = [Fraction(x) for x in points[i].tolist()]
        assert naive.order_at(W, b, point) == tuple(found[i].tolist())


def test_float_witnesses_of_a_half_a_slice_and_a_factor() -> None:
    found = rankings(generators.generic(9, 3, 1))
    points = found.witnesses()
    stored = len(found.orders)
    assert found.half and np.array_equal(points[stored:], -points[:stored])
    part = found[stored - 20 : stored + 20].witnesses()
    assert np.array_equal(part[:20], points[stored - 20 : stored])
    product = np.random.default_rng(0).standard_normal((7, 2)) @ np.ones((2, 5))
    factored = rankings(product, rank=1)
    point = [Fraction(x) for x in factored.witnesses()[1].tolist()]
    assert naive.order_at(factored.factor, None, point) == tuple(factored[1].tolist())
    with pytest.raises(InputError, match="belong to no model"):
        Rankings.from_array([[0, 1]]).witnesses()


def test_a_ranking_without_float_points_is_said_so() -> None:
    # label 0 is between the others at 2**53 + 1, which is no float, and at no float
    found = rankings([[1], [0], [0]], [-(2**53), 0, 2])
    with pytest.warns(WitnessWarning, match="for 1 of the rankings, left NaN: rows"):
        points = found.witnesses()
    i = found.index([2, 0, 1])
    assert np.isnan(points[i]).all() and np.isfinite(np.delete(points, i, axis=0)).all()
    assert found.witness(i)[0] - 2**53 < 2


def test_every_witness() -> None:
    W, b = generators.generic(6, 2, 0, kind="integer").normals, [0, 1, 2, 3, 4, 2**20]
    for offsets in (None, b):
        found = rankings(W, offsets)
        for i, order in enumerate(found):
            assert naive.order_at(W.tolist(), offsets, found.witness(i)) == tuple(order.tolist())


@pytest.mark.parametrize(
    ("n", "d", "count"),
    [(4, 2, 12), (5, 2, 20), (5, 3, 72), (6, 3, 172), (6, 4, 480), (7, 4, 1512), (8, 3, 646)]
    + [(10, 3, 1742)],
)
def test_cover(n: int, d: int, count: int) -> None:
    W = generators.generic(n, d, 5).normals
    assert generic_ranking_count(n, d) == naive.cover(n, d) == count
    assert {count_rankings(W, method=m) for m in METHODS} == {count} == {len(rankings(W))}


def test_generic_counts() -> None:
    assert [generic_ranking_count(10, d, bias=True) for d in range(1, 6)] == [
        46, 916, 10366, 73639, 342964,
    ]  # fmt: skip
    for n in range(1, 9):
        for d in range(1, 10):
            assert generic_ranking_count(n, d) == naive.cover(n, d)
    assert generic_ranking_count(6, 5, bias=True) == generic_ranking_count(6, 9) == 720
    for bad in ((0, 1), (3, 0), (2.0, 1), (True, 1)):
        with pytest.raises(InputError, match="positive integer"):
            generic_ranking_count(*bad)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_good_tideman(d: int) -> None:
    W, b = generators.generic(10, d, 6).normals, generators.generic(10, 1, 7).normals[:, 0]
    count = generic_ranking_count(10, d, bias=True)
    assert count_rankings(W, b) == count == count_rankings(W, b, method="sweep")
    if d < 3:
        assert {len(rankings(W, b, method=m)) for m in METHODS} == {count}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("W", "count"),
    [(cube(d), count) for d, count in ((2, 8), (3, 96), (4, 5376))]
    + [(signed_units(d), count) for d, count in ((2, 8), (3, 48), (4, 384), (5, 3840))]
    + [(lattice(k), count) for k, count in ((2, 8), (3, 16), (4, 32), (5, 48))],
)
def test_degenerate_counts(W: Any, count: int) -> None:
    assert count_rankings(W) == count
    found = rankings(W, method="sweep")
    assert len(found) == count == len(as_set(found))
    assert found == rankings(W, method="incremental")
    if count < 5000:
        assert found == rankings(W, method="pairs")


@pytest.mark.slow
def test_five_dimensional_cube() -> None:
    found = rankings(cube(5))
    assert len(found) == 1981440 == len(np.unique(found.to_array().view("V32")))


def test_hundreds_of_labels_in_the_plane() -> None:
    W = generators.generic(300, 2, 1).normals
    assert count_rankings(W) == 300 * 299
    found = rankings(W)
    assert len(found) == 300 * 299 and found.orders.dtype == np.uint16
    assert (
        count_rankings(generators.generic(300, 1, 1), np.arange(300.0) ** 2) == 1 + 300 * 299 // 2
    )


def test_all_orders_without_search() -> None:
    found = rankings(np.eye(8))
    assert len(as_set(found)) == 40320 == count_rankings(np.eye(8))
    assert found == rankings(np.eye(8), range(8))
    assert count_rankings(np.eye(40)) == generic_ranking_count(40, 39) > 10**47
    first = next(iter(iter_rankings(np.eye(40), block_size=5)))
    assert len(first) == 10 and len(np.unique(first.to_array(), axis=0)) == 10


@given(rows=labels_with_offsets, method=st.sampled_from(METHODS))
def test_random_equals_naive(rows: Any, method: Any) -> None:
    W, b = [row[:-1] for row in rows], [row[-1] for row in rows]
    assert as_set(rankings(W, b, method=method)) == naive.rankings(W, b)
    W = list(dict.fromkeys(W))
    assert as_set(rankings(W, method=method)) == naive.rankings(W)


@given(rows=labels_with_offsets, data=st.data())
def test_invariance(rows: Any, data: st.DataObject) -> None:
    W, b = np.array([row[:-1] for row in rows]), np.array([row[-1] for row in rows])
    found = rankings(W, b)
    moved = data.draw(st.lists(small_integers, min_size=W.shape[1], max_size=W.shape[1]))
    assert rankings(W + np.array(moved), b + 7) == found
    assert rankings(3 * W, 3 * b) == found
    assert rankings(W @ np.array(data.draw(invertible(W.shape[1]))).T, b) == found
    reversed_ = {order[::-1] for order in as_set(found)}
    assert as_set(rankings(-W, -b)) == reversed_
    permutation = data.draw(st.permutations(range(len(W))))
    renamed = {
        tuple(permutation[i] for i in order)
        for order in as_set(rankings(W[permutation], b[permutation]))
    }
    assert renamed == as_set(found)


def test_ties() -> None:
    W = [[1, 0], [0, 1], [1, 0], [2, 2], [0, 1]]
    with pytest.raises(TiedLabelsError, match="labels 0 and 2; 1 and 4 have equal rows"):
        rankings(W)
    with pytest.raises(TiedLabelsError, match="0 \\('a'\\) and 2 \\('c'\\)"):
        count_rankings(W, labels="abcde")
    found = rankings(W, ties="drop")
    assert len(found) == 6 == count_rankings(W, ties="drop") and found.n == 3
    assert found.model.dropped == {2: 0, 4: 1} and found.model.kept == (0, 1, 3)
    assert "dropped 2 (ties 0), 4 (ties 1)" in repr(found)
    assert set(found.names(0)) == {"0", "1", "3"}
    assert rankings(W, ties="drop", labels="abcde").model.labels == ("a", "b", "d")
    assert rankings(W, [0, 0, 1, 0, 1]).model.dropped == {}
    assert len(rankings([[1, 2]] * 3, ties="drop")) == 1


def test_limit_and_truncation() -> None:
    W = generators.generic(12, 3, 0).normals
    for limit in (5, 6):
        found = rankings(W, limit=limit)
        assert len(found) == limit == sum(map(len, iter_rankings(W, limit=limit)))
        assert not found.complete and as_set(found) <= as_set(rankings(W))
        with pytest.raises(IncompleteError):
            _ = found == rankings(W)
    assert rankings(W, limit=10**6).complete


def test_workers_give_the_same_set() -> None:
    W = generators.generic(12, 4, 0).normals
    assert rankings(W, workers=2) == rankings(W)
    assert count_rankings(W, workers=2) == generic_ranking_count(12, 4)
    assert sum(map(len, iter_rankings(W, workers=2))) == generic_ranking_count(12, 4)


def test_arrangement_is_accepted() -> None:
    arrangement = Arrangement([[1, 0], [0, 1], [1, 1]], [0, 0, -1], labels="abc")
    found = rankings(arrangement)
    assert found == rankings([[1, 0], [0, 1], [1, 1]], [0, 0, -1]) and found.model.labels
    with pytest.raises(InputError, match="offsets"):
        rankings(arrangement, [1, 2, 3])


def test_low_rank_question() -> None:
    rng = np.random.default_rng(0)
    W = rng.standard_normal((7, 2)) @ rng.standard_normal((2, 4)) + rng.standard_normal(4)
    with pytest.warns(LowRankWarning, match="column-centered W has exact rank 4 .* rank=2"):
        count_rankings(W)
    found = rankings(W, rank=2)
    assert len(found) == 42 and found.factor.shape == (7, 2) and "rank 2" in repr(found)
    assert naive.order_at(found.factor, None, found.witness(3)) == tuple(found[3].tolist())
    W = [[1, 2, 3], [2, 4, 6], [-1, -2, -3], [0.5, 1, 1.5]]
    line = rankings(W, rank=2)
    assert len(line) == 2 and line.low_rank.source == "given"
    assert np.array_equal(line.factor, W)


def test_estimates() -> None:
    generic = as_score_model(generators.generic(30, 4, 0), np.arange(30) ** 3)
    assert looks_generic(generic)
    assert expected_count(generic) == generic_ranking_count(30, 4, bias=True)
    degenerate = as_score_model(cube(5))
    assert not looks_generic(degenerate) and known_count(degenerate) is None
    assert 4e5 < expected_count(degenerate) < 1e7


def test_refuses_what_cannot_fit() -> None:
    W = generators.generic(100, 6, 0).normals
    with pytest.raises(TooLargeError, match="about .* rankings .*iter_rankings.*count_rankings"):
        rankings(W)
    with pytest.raises(TooLargeError, match="max_bytes"):
        rankings(np.eye(30))
    with pytest.raises(TooLargeError, match="max_bytes"):
        rankings(generators.generic(12, 4, 0), max_bytes=1000)
    with pytest.raises(TooLargeError, match="rankings were found so far"):
        rankings(generators.generic(12, 4, 0), limit=10**6, max_bytes=1000)
    assert len(rankings(cube(4), max_bytes=2**20)) == 5376  # the bound alone would refuse it


@pytest.mark.parametrize(
    ("W", "offsets", "options", "error", "message"),
    [
        ([[1.0, float("nan")]], None, {}, InputError, "nan"),
        ([[1j, 2]], None, {}, InputError, "complex"),
        ([[1, 2], [3]], None, {}, InputError, "row 1"),
        ([1, 2, 3], None, {}, InputError, r"\(3,\)"),
        (np.empty((0, 3)), None, {}, InputError, "no labels"),
        (np.empty((3, 0)), None, {}, InputError, r"\(3, 0\)"),
        ([[1, 2]], [1, 2], {}, InputError, r"\(2,\)"),
        ([[1, 2]], None, {"workers": 0}, InputError, "workers"),
        ([[1, 2]], None, {"method": "magic"}, UnknownMethodError, "magic.*sweep.*pairs"),
        ([[1, 2]], None, {"rank": 3}, InputError, "rank"),
        ([[1, 2]], None, {"rank": "full"}, InputError, "rank"),
        ([[1, 2]], None, {"limit": -1}, InputError, "limit"),
        ([[1, 2]], None, {"ties": "keep"}, InputError, "ties is 'keep'"),
        ([[1, 2]], None, {"labels": "ab"}, InputError, "2 labels were given for 1 row"),
    ],
)
@pytest.mark.parametrize("function", [rankings, count_rankings, iter_rankings])
def test_bad_input(
    function: Any, W: Any, offsets: Any, options: Any, error: Any, message: str
) -> None:
    if function is count_rankings and "limit" in options:
        pytest.skip("count_rankings has no limit")
    with pytest.raises(error, match=message) as caught:
        list(function(W, offsets, **options))
    assert isinstance(caught.value, ArrangementError)


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        (["a", " ", "c"], "label 1 is blank"),
        ({"a", "b", "c"}, "expected a sequence"),
        ({0: "a", 1: "b", 2: "c"}, "expected a sequence"),
        (3, "expected a sequence"),
        (["a", "b"], "2 labels were given for 3 rows"),
    ],
)
def test_names_that_do_not_tell_labels_apart(labels, what):
    with pytest.raises(InputError, match=what):
        rankings([[0], [1], [3]], labels=labels)


def test_a_model_is_not_a_matrix():
    model = rankings([[0], [1], [3]]).model
    with pytest.raises(InputError, match=r"model\.weights"):
        count_rankings(model)


@pytest.mark.slow
def test_rankings_of_many_labels_are_refused_soon() -> None:
    # 256 labels, not in general position; 64 of them have 4e9 rankings
    with pytest.raises(TooLargeError, match="at least about .* years, but 3.6 seconds are allowed"):
        count_rankings(list(product([0, 1], repeat=8)), max_hours=0.001)


@pytest.mark.slow
def test_a_count_of_rankings_stops_when_its_hours_are_over() -> None:
    # the grid has 5e9 rankings; without an estimate, only the time that has passed tells
    question = request_rankings(list(product([0, 1, 2], repeat=4)), method="sweep")
    with pytest.raises(TooLargeError, match="counting rankings has taken .* 1 seconds are allowed"):
        question.count_rows(False, None, 1 / 3600)
