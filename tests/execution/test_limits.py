"""What a count says before it starts."""

import math
import time
from collections.abc import Callable
from itertools import combinations
from itertools import count as counter
from math import prod
from typing import Any

import numpy as np
import pytest
from ranking_examples import cube

from arrangements import (
    argmax_labels,
    betti_numbers,
    chambers,
    characteristic_polynomial,
    count_chambers,
    count_rankings,
    f_vector,
    flats,
    generators,
    iter_chambers,
    iter_rankings,
    top_k_rankings,
    top_k_sets,
)
from arrangements.algebra import count_bounded, generic_ranking_count, whitney_numbers
from arrangements.core.score_model import as_score_model
from arrangements.enumeration import listing
from arrangements.enumeration.chambers import request_chambers
from arrangements.enumeration.planning import plan_size
from arrangements.enumeration.rankings import request_of_model
from arrangements.errors import InputError, SlowCountWarning, TooLargeError
from arrangements.execution import limits
from arrangements.forecast import hours
from arrangements.forecast.hours import foreseen
from arrangements.models import top_search
from arrangements.paper import cosine_matrix, rounded_difference_cosine_matrix, same_cosines
from arrangements.structure import (
    chamber_edges,
    chamber_graph,
    covectors,
    face_lattice,
    intersection_poset,
    intersections,
    tie_sets,
    walls,
)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that counts one pattern in 36 seconds, one in an hour if degenerate."""
    monkeypatch.setattr(listing, "_GENERIC_PACE", 1 / 36)
    monkeypatch.setattr(listing, "_DEGENERATE_PACE", 1 / 3600)


@pytest.mark.usefixtures("slow")
def test_a_slow_count_warns_and_counts() -> None:
    with pytest.warns(SlowCountWarning, match=r"about 382 chambers are expected.* takes about 3 h"):
        assert count_chambers(generators.generic(20, 3, 0), method="sweep") == 382
    with pytest.warns(SlowCountWarning, match="about 1742 rankings are expected.* 17 hours.*work"):
        assert count_rankings(generators.generic(10, 3, 0)) == 1742
    with pytest.warns(SlowCountWarning, match="about 1742 rankings are expected.* 8 hours"):
        assert count_rankings(generators.generic(10, 3, 0), workers=2) == 1742
    with pytest.warns(SlowCountWarning, match="rankings are expected.* days"):
        assert count_rankings(cube(3), method="pairs", max_hours=1000) == 96
    with pytest.warns(SlowCountWarning, match="chambers are expected.* days"):
        assert count_chambers(generators.resonance(4), method="sweep", max_hours=1000) == 370
    with pytest.raises(TooLargeError, match="days, but 24 hours are allowed"):
        count_chambers(generators.resonance(4), method="sweep")


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("W", [generators.boolean(9), [[1], [2]], [[1, 2], [3, 1], [0, 1]]])
def test_what_is_known_or_small_does_not_warn(W: Any) -> None:
    count_rankings(W)


def test_no_warning_at_the_real_pace() -> None:
    assert count_chambers(generators.generic(100, 4, 0)) == 2 * (1 + 99 + 4851 + 156849)
    assert count_rankings(cube(3)) == 96


def test_the_estimate_is_near() -> None:
    # Betti numbers of resonance(6) add up to 1066044; the rankings of {0, 1}^4 are 5376
    chambers = request_chambers(generators.resonance(6), method="sweep")
    expected = chambers.forecast(True)
    assert expected is not None and 0.8 < expected / 533022 < 1.25 < chambers.bound() / 533022
    rankings = request_of_model(as_score_model(cube(4)), "sweep", 1)
    expected = rankings.forecast(True)
    assert expected is not None and 0.5 < expected / 2688 < 2 < rankings.bound() / 2688


def test_hopeless_counts_are_told() -> None:
    W = generators.generic(300, 9, 0).normals
    for question, unit in (
        (request_chambers(W, method="sweep"), "days"),
        (request_of_model(as_score_model(cube(6)), "sweep", 1), "hours"),
        (request_of_model(as_score_model(generators.generic(60, 12, 0)), "sweep", 1), "years"),
    ):
        with pytest.warns(SlowCountWarning, match=unit):
            question.forecast(False, math.inf)


@pytest.mark.slow
def test_a_count_of_more_than_a_year_is_refused() -> None:
    W = generators.generic(200, 20, 0).normals
    for count in (count_chambers, count_rankings):
        with pytest.raises(TooLargeError, match=r"counting them takes about .* years.*max_hours"):
            count(W)


@pytest.mark.usefixtures("slow")
def test_max_hours_says_what_is_allowed() -> None:
    W = generators.generic(20, 3, 0).normals
    with pytest.raises(TooLargeError, match="about 3 hours, but 2 hours are allowed"):
        count_chambers(W, method="sweep", max_hours=2)
    with pytest.raises(TooLargeError, match="30 minutes are allowed"):
        count_chambers(W, method="sweep", max_hours=0.5)
    with pytest.warns(SlowCountWarning):
        assert count_chambers(W, method="sweep", max_hours=math.inf) == 382
    for most in (0, -1, float("nan"), "2", True):
        with pytest.raises(InputError, match="max_hours is .*; expected a positive number"):
            count_chambers(W, max_hours=most)  # type: ignore[arg-type]


@pytest.mark.slow
def test_first_blocks_come_at_once_and_grow() -> None:
    W = generators.generic(200, 20, 0).normals
    for method in ("sweep", "incremental", "reverse_search"):
        assert len(next(iter(iter_chambers(W, method=method)))) <= 2 * (2 + 200)
    labels = generators.generic(100, 20, 0).normals
    for method in ("sweep", "incremental"):
        assert len(next(iter(iter_rankings(labels, method=method)))) <= 128
    assert len(next(iter(iter_chambers(W, workers=2, limit=3)))) == 3
    sizes = [len(block) for block in iter_chambers(generators.generic(60, 4, 0), block_size=1000)]
    assert sizes[0] <= 2 * 64 and max(sizes) > 2 * (1000 - 62) and len(sizes) < 45
    assert sum(sizes) == count_chambers(generators.generic(60, 4, 0))


def refused(question: Callable[[], Any], message: str) -> None:
    """The question is refused with this message."""
    with pytest.raises(TooLargeError, match=message):
        question()


@pytest.mark.slow
def test_tops_are_foreseen() -> None:
    W = generators.generic(200, 20, 0).normals
    refused(lambda: top_k_sets(W, 5), r"about .*e\+\d+ top-5 sets are expected: .* bytes")
    refused(lambda: top_k_rankings(W, 5), r"orders of the first 5 places are expected: .* bytes")
    refused(lambda: top_k_sets(np.eye(65), 30), "tops occur: .* bytes, but .* smaller k")
    assert len(top_k_sets(np.eye(65), 2)) == 65 * 64 // 2
    assert len(top_k_rankings(np.eye(65), 2)) == 65 * 64
    assert len(argmax_labels(np.eye(65), np.arange(65))) == 65
    for ask in (top_k_sets, top_k_rankings):
        with pytest.raises(InputError, match="max_hours is 0"):
            ask(W, 2, max_hours=0)  # type: ignore[operator]


@pytest.mark.slow
def test_the_forecast_of_tops_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    W = generators.generic(16, 4, 0).normals
    monkeypatch.setattr(top_search, "_FEW_TESTS", 0)
    monkeypatch.setattr(top_search, "_PROBES", 200)
    monkeypatch.setattr(top_search, "_PROBE_SECONDS", 60.0)
    tests = top_search.TopTests(as_score_model(W), "sets")
    forecast = top_search.predict(tests, [1, 16, 120, 560])
    assert forecast is not None
    assert 0.8 < forecast[0] / len(top_k_sets(W, 3)) < 1.25


def test_work_is_watched_where_nothing_else_foresees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hours, "_SECONDS", 0.0)

    def work(hours: float) -> list[int]:
        return list(foreseen(range(3), 10**6, lambda item: 1, "asking", hours))

    refused(lambda: work(1e-9), "asking takes about .*, but 3.6e-06 seconds are allowed")
    assert work(math.inf) == [0, 1, 2]
    W = generators.generic(30, 3, 0).normals
    refused(lambda: tie_sets(W, max_hours=1e-12), "asking about .* pairs takes")


def test_forecasts_are_those_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is faster than nominal seconds; where it is slower, kernels may be compiled."""
    now = 100.0
    monkeypatch.setattr(hours.time, "monotonic", lambda: now)

    def forecast(share: float) -> None:
        nonlocal now
        watch, began = hours.Watch("counting", 1 / 6), now
        watch.look(1.0, lambda: 2000.0, False)
        for spent in 2.0, 4.0, 8.0:
            now = began + share * (spent - 1.0)
            watch.look(spent, lambda: 2000.0, spent > 2.0)

    forecast(0.25)
    refused(lambda: forecast(0.4), "counting takes about 13 minutes, but 10 minutes are allowed")
    refused(lambda: forecast(1.0), "about 33 minutes")
    refused(lambda: forecast(5.0), "about 33 minutes")


@pytest.mark.slow
def test_long_numbers_and_work_spaces_are_refused() -> None:
    assert generic_ranking_count(10**30, 2) == 10**30 * (10**30 - 1)
    assert generic_ranking_count(3000, 2) == 3000 * 2999
    assert generic_ranking_count(60, 4) == 2 * sum(
        sum(prod(chosen) for chosen in combinations(range(2, 60), k)) for k in range(4)
    )
    refused(lambda: generic_ranking_count(10**30, 10**30), "bytes, but")
    refused(lambda: generic_ranking_count(10**7, 10**5), "days, but an hour is allowed. Choose")
    W = np.random.default_rng(0).standard_normal((10**6, 3))
    refused(lambda: next(iter(iter_chambers(W))), "work space of a sweep of 1000000 hyperplanes")
    refused(lambda: next(iter(iter_chambers(W[:20000], workers=10**3))), "work space")
    refused(lambda: plan_size(10**6, 3), r"at most 1e\+12 chambers; the work space")
    refused(lambda: next(iter(iter_rankings(W[:32000], workers=10**3))), "work space of a sweep")


@pytest.mark.parametrize(
    "question",
    [flats, intersection_poset, face_lattice, covectors, chamber_graph, chamber_edges, walls],
)
def test_structures_are_foreseen(
    question: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    W = generators.generic(40, 5, 0).normals
    monkeypatch.setattr(limits, "available_bytes", lambda: 10**6)
    monkeypatch.setattr(listing.ListingRequest, "collect", None)
    monkeypatch.setattr(intersections, "_attempts", None)
    refused(lambda: question(W), "(faces|flats|chambers)( are expected)?: .* allowed")


@pytest.mark.slow
def test_polynomials_and_faces_take_no_years() -> None:
    W = generators.generic(200, 12, 0).normals
    for question in (characteristic_polynomial, whitney_numbers, count_bounded, f_vector):
        refused(lambda ask=question: ask(W), "years, but 24 hours are allowed")  # type: ignore[misc]
    refused(lambda: count_chambers(W, method="characteristic"), "restrictions are expected")
    assert sum(betti_numbers(generators.generic(9, 4, 0), max_hours=1)) == 186


@pytest.mark.slow
@pytest.mark.parametrize("method", ["pairs", "incremental"])
def test_pairs_of_labels_are_foreseen(method: Any) -> None:
    W = np.random.default_rng(0).standard_normal((20_000, 4))
    refused(lambda: next(iter(iter_rankings(W, method=method))), "the work space of")


def test_tables_of_cosines_are_foreseen() -> None:
    W = np.random.default_rng(0).integers(-9, 9, (20_000, 3))
    refused(lambda: cosine_matrix(W), "products of all pairs of 20000 rows: 8e")
    refused(lambda: same_cosines(W, W), "products of all pairs of 20000 rows")
    refused(lambda: rounded_difference_cosine_matrix(W[:2000]), "all pairs of 1999000 rows")


def test_an_array_of_a_set_is_foreseen(monkeypatch: pytest.MonkeyPatch) -> None:
    S = chambers(generators.generic(200, 4, 0))  # 10 MB packed, 525 MB unpacked
    monkeypatch.setattr(limits, "free_bytes", lambda: 10**8)
    refused(S.to_array, r"an array of 2627200 sign vectors: 5.254e\+08 bytes")
    assert S[:1000].to_array().shape == (1000, 200)


@pytest.mark.slow
def test_the_pace_of_tops_is_that_of_compiled_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that is slow the first time, as if a kernel were compiled for it, is not the pace."""
    kept, calls, paces = top_search.TopTests.keep_feasible, counter(), []

    def slow_at_first(self: Any, candidates: Any, effort: Any) -> Any:
        if next(calls) == 1:
            time.sleep(1.0)
        return kept(self, candidates, effort)

    monkeypatch.setattr(top_search.TopTests, "keep_feasible", slow_at_first)
    monkeypatch.setattr(top_search, "_FEW_TESTS", 0)
    for _ in range(2):
        tests = top_search.TopTests(as_score_model(generators.generic(16, 4, 0).normals), "sets")
        forecast = top_search.predict(tests, [1, 16, 120, 560])
        assert forecast is not None
        paces.append(forecast[2])
    assert paces[0] > paces[1] / 10
