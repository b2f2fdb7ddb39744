"""Tops of rankings against the tops of all rankings."""

from typing import Any

import naive
import numpy as np
import pytest
from hypothesis import given
from ranking_examples import SMALL, Example, cube, ranked
from strategies import labels_with_offsets

from arrangements import (
    argmax_labels,
    generators,
    rankings,
    top_k_rankings,
    top_k_sets,
)
from arrangements.errors import InputError, TiedLabelsError
from arrangements.models import top_search

pytestmark = pytest.mark.filterwarnings("ignore::arrangements.errors.LowRankWarning")


@pytest.fixture(params=[0, 1000], ids=["tested", "listed"], autouse=True)
def few(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tops of few rankings by tests, and from a listing."""
    monkeypatch.setattr(top_search, "_FEW_RANKINGS", request.param)


def check(W: Any, offsets: Any, orders: Any) -> None:
    n = len(W)
    assert argmax_labels(W, offsets).tolist() == sorted({order[0] for order in orders})
    for k in range(1, n + 1):
        prefixes = sorted({order[:k] for order in orders})
        assert list(map(tuple, top_k_rankings(W, k, offsets=offsets).tolist())) == prefixes
        sets = sorted({tuple(sorted(order)) for order in prefixes})
        assert list(map(tuple, top_k_sets(W, k, offsets=offsets).tolist())) == sets


@pytest.mark.sampled(9)
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_equals_the_tops_of_naive(example: Example) -> None:
    check(*example.arguments, ranked(example))


@given(rows=labels_with_offsets)
def test_random_equals_naive(rows: Any) -> None:
    W, b = [row[:-1] for row in rows], [row[-1] for row in rows]
    check(W, b, naive.rankings(W, b))


def test_tops_of_many_rankings() -> None:
    W = generators.generic(12, 3, 3).normals
    orders = [tuple(order) for order in rankings(W).to_array().tolist()]
    for k in (1, 2, 3, 10):
        assert len(top_k_rankings(W, min(k, 3))) == len({order[: min(k, 3)] for order in orders})
        assert len(top_k_sets(W, k)) == len({frozenset(order[:k]) for order in orders})


def test_interior_labels_are_never_first() -> None:
    W = np.concatenate([cube(4), [[0.5] * 4]])
    assert argmax_labels(W).tolist() == list(range(16))
    assert argmax_labels(W, [0] * 16 + [1]).tolist() == list(range(17))


BOTH_WAYS = pytest.mark.parametrize("ratio", [1e-9, 1e9], ids=["grown", "swept"])


@pytest.fixture
def way(ratio: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets level by level (a test is cheap beside a chamber) or by a sweep (it is dear)."""
    monkeypatch.setattr(top_search, "_CHAMBERS_PER_TEST", ratio)


@pytest.mark.sampled(16)
@BOTH_WAYS
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("example", SMALL, ids=repr)
def test_sets_both_ways(example: Example) -> None:
    W, b = example.arguments
    for k in range(1, len(W) + 1):
        expected = {tuple(sorted(order[:k])) for order in ranked(example)}
        assert {tuple(row) for row in top_k_sets(W, k, offsets=b).tolist()} == expected


@pytest.mark.sampled(1)
@BOTH_WAYS
@pytest.mark.usefixtures("way")
def test_sets_of_the_cube_are_threshold_functions(ratio: float) -> None:
    # 104 and 1882 of 3 and 4 variables, the constant ones among them (Muroga, Threshold Logic,
    # 1971); 94572 of 5 variables
    for d, known in ((3, 104), (4, 1882), *([(5, 94572)] if ratio > 1 else [])):
        half = 2 ** (d - 1)
        counts = [len(top_k_sets(cube(d), k)) for k in range(1, half + 1)]
        assert 2 + 2 * sum(counts[:-1]) + counts[-1] == known
        assert len(top_k_sets(cube(d), 2**d - 1)) == counts[0] == 2**d
        # self-dual threshold functions are those of one variable less
        assert counts[-1] == {3: 14, 4: 104, 5: 1882}[d]


@BOTH_WAYS
@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("offsets", [None, [0] * 11 + [1]])
def test_sets_of_points_in_convex_position(offsets: Any) -> None:
    # a line cuts off consecutive vertices; with an offset, a plane cuts the lifted polygon
    polygon = [(i, i * i) for i in range(12)]
    for k in (1, 2, 6, 11):
        sets = top_k_sets(polygon, k, offsets=offsets).tolist()
        if offsets is None:
            runs = {tuple(sorted((i + j) % 12 for j in range(k))) for i in range(12)}
            assert {tuple(row) for row in sets} == runs
        complements = top_k_sets(
            -np.array(polygon), 12 - k, offsets=offsets and [-b for b in offsets]
        )
        others = {tuple(sorted(set(range(12)) - set(row))) for row in complements.tolist()}
        assert {tuple(row) for row in sets} == others


def test_candidates_and_progress(capsys: pytest.CaptureFixture[str]) -> None:
    W = generators.generic(60, 3, 5).normals
    everything = argmax_labels(W)
    assert argmax_labels(W, candidates=range(0, 60, 2)).tolist() == [
        i for i in everything if i % 2 == 0
    ]
    assert argmax_labels(W, candidates=[]).tolist() == []
    tied = np.concatenate([W, W[:1]])
    assert argmax_labels(tied, ties="drop", candidates=[0, 60]).tolist() == (
        [0] if 0 in everything else []
    )
    assert not capsys.readouterr().err
    for function, k in ((argmax_labels, ()), (top_k_sets, (2,)), (top_k_rankings, (2,))):
        function(W, *k, progress=True)  # type: ignore[operator]
        noun = "questions" if function is argmax_labels else "candidates"
        assert noun in capsys.readouterr().err
    for bad in ([60], [-1], [0.5], [[1]], "a"):
        with pytest.raises(InputError, match="candidates"):
            argmax_labels(W, candidates=bad)


def test_many_labels_in_many_dimensions() -> None:
    # on a sphere every label is a vertex, and the sum of a label and its nearest ranks both first
    W = generators.generic(200, 9, 2).normals.copy()
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    assert argmax_labels(W).tolist() == list(range(200))
    assert len(argmax_labels(np.concatenate([W, 0.1 * W]))) == 200
    pairs = {tuple(row) for row in top_k_sets(W[:60], 2).tolist()}
    nearest = (W[:60] @ W[:60].T - 2 * np.eye(60)).argmax(axis=1)
    assert {tuple(sorted((i, int(j)))) for i, j in enumerate(nearest)} <= pairs


@BOTH_WAYS
@pytest.mark.usefixtures("way")
def test_sets_of_more_labels_than_a_word_has_bits() -> None:
    polygon = [(i, i * i) for i in range(70)]
    for k in (1, 3, 66):
        runs = {tuple(sorted((i + j) % 70 for j in range(k))) for i in range(70)}
        assert {tuple(row) for row in top_k_sets(polygon, k).tolist()} == runs


def test_ties() -> None:
    W = [[1, 0], [1, 0], [0, 1], [0, 0]]
    with pytest.raises(TiedLabelsError):
        top_k_sets(W, 2)
    assert argmax_labels(W, ties="drop").tolist() == [0, 2, 3]
    assert top_k_sets(W, 2, ties="drop").tolist() == [[0, 2], [0, 3], [2, 3]]
    assert len(top_k_rankings(W, 3, ties="drop")) == 6


@pytest.mark.parametrize("function", [top_k_sets, top_k_rankings])
@pytest.mark.parametrize("k", [0, 4, 1.0, True])
def test_bad_k(function: Any, k: Any) -> None:
    with pytest.raises(InputError, match="k is .*; expected an integer from 1 to .* 3"):
        function([[1], [2], [3]], k)


@pytest.mark.parametrize("ties", ["error", "drop"])
def test_rows_can_be_calculated_with(ties: str) -> None:
    """An array of rows has NumPy's type of indices, in which 100 * 200 does not wrap around."""
    W = np.vstack([cube(3), cube(3)]) if ties == "drop" else cube(3)
    for found in (
        top_k_sets(W, 2, ties=ties),
        top_k_sets(W, 8, ties=ties),
        top_k_rankings(W, 2, ties=ties),
        argmax_labels(W, ties=ties),
    ):
        assert found.dtype == np.intp
    assert top_k_sets([[1], [5]], 1).dtype == top_k_rankings([[1]], 1).dtype == np.intp
