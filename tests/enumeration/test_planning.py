"""Plans: how many chambers or rankings there are, how large the answer is, how long it takes."""

import time
from collections.abc import Callable
from functools import partial
from math import comb

import numpy as np
import pytest

from arrangements import (
    Arrangement,
    chambers,
    count_chambers,
    count_rankings,
    generators,
    rankings,
)
from arrangements.algebra import generic_ranking_count
from arrangements.enumeration import planning
from arrangements.enumeration.planning import plan, plan_size
from arrangements.errors import InputError, TooLargeError

BIASED = generators.generic(7, 3, 1).normals, np.random.default_rng(6).standard_normal(7)


def fastest(action: Callable[[], object]) -> float:
    """Seconds of the fastest of three calls."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arrangement", "method", "ranked"),
    [
        (generators.generic(100, 5, 1), "sweep", False),
        (generators.generic(40, 4, 1), "incremental", False),
        (generators.resonance(6), "sweep", False),
        (generators.generic(20, 4, 1), "sweep", True),
    ],
)
def test_plans_are_right_in_order_of_magnitude(
    arrangement: Arrangement, method: str, ranked: bool
) -> None:
    W = arrangement.normals
    listing = partial(rankings if ranked else chambers, W, method=method)
    listed = listing()
    taken = fastest(listing)
    found = plan(W, rankings=ranked, method=method, seconds=max(0.1, taken / 3))
    assert found.expected / 2 <= len(listed) <= min(2 * found.expected, found.most)
    stored = listed.orders if ranked else listed.packed
    assert found.listing_bytes / 2 <= stored.nbytes <= 2 * found.listing_bytes
    assert taken / 10 < found.listing_seconds < 10 * taken
    counting = partial(count_rankings if ranked else count_chambers, W, method=method)
    assert 0.1 < found.counting_seconds / fastest(counting) < 10


@pytest.mark.slow
def test_plans_of_degenerate_arrangements_are_exact() -> None:
    """The characteristic polynomial is tried where coincidences are seen."""
    for W, number in ((generators.braid(10), 3_628_800), (generators.shi(7), 8**6)):
        found = plan(W, method="incremental", seconds=3)
        assert found.exact and not found.listed and found.expected == number < found.most
        assert found.polynomial_seconds is not None
    found = plan(generators.generic(60, 7, 1), seconds=0.3)
    assert found.polynomial_seconds is None and not found.exact and found.expected == found.most
    # the time is not enough for the polynomial, and the estimate stays
    found = plan(generators.resonance(8), seconds=0.05)
    assert not found.exact and 4.2e11 / 3 < found.expected < 4.2e11 * 3


@pytest.mark.slow
def test_plans_name_the_method_of_a_count() -> None:
    found = plan(generators.resonance(7), seconds=3)
    assert found.counting_method == "characteristic" and found.polynomial_seconds is not None
    assert "the sweep is expected to take" in found.reason and found.counting_seconds < 60
    found = plan(generators.generic(30, 5, 1), seconds=0.1)
    assert found.counting_method == "sweep" and "no coincidences" in found.reason
    assert found.polynomial_seconds is None
    found = plan(generators.generic(6, 5, 1), seconds=0.1)
    assert found.counting_method == "closed form" and found.counted
    found = plan(generators.resonance(4), method="sweep", seconds=0.1)
    assert found.counting_method == "sweep" and not found.reason
    found = plan(*BIASED, rankings=True, seconds=0.1)
    assert found.counting_method == found.method and not found.reason


@pytest.mark.parametrize("method", ["sweep", "pairs", "incremental"])
def test_plans_count_what_is_listed(method: str) -> None:
    found = plan(*BIASED, rankings=True, method=method, seconds=30)
    assert found.listed and found.counted
    assert found.expected == generic_ranking_count(7, 3, bias=True)


@pytest.mark.slow
def test_plans_of_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    found = plan_size(1000, 8, seconds=0.02)
    generic = 2 * sum(comb(999, k) for k in range(8))
    assert found.expected == found.most == generic and not found.exact
    assert found.listing_bytes == generic // 2 * 8 * 16 and not found.fits
    with pytest.raises(InputError, match="at most 10000000"):
        plan_size(10**6, 11)
    monkeypatch.setattr(planning, "_MOST_BITS", 30)  # that of floats takes long
    with pytest.raises(TooLargeError, match=r"about 10\*\*11 rankings"):
        plan_size(1000, 3, rankings=True, seconds=0.01)
    with pytest.raises(InputError, match="seconds is 0"):
        plan([[1]], seconds=0)


def test_finished_plans_are_exact() -> None:
    found = plan([[1, 0], [0, 1], [1, 1]], [0, 0, -1], seconds=1)
    assert found.listed and found.expected == count_chambers([[1, 0], [0, 1], [1, 1]], [0, 0, -1])
    labels = [[0, 0], [1, 0], [0, 1], [1, 1]]
    found = plan(labels, rankings=True, seconds=1)
    assert found.listed and found.expected == count_rankings(labels)
