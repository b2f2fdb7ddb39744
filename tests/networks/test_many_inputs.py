"""Networks of more inputs than vertices are kept for: lists that end early, forecasts, refusals."""

import time
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from naive_networks import all_patterns, evaluate, plain
from network_examples import KINDS, random_network

from arrangements import Polyhedron
from arrangements.enumeration import planning as enumeration_planning
from arrangements.errors import SlowCountWarning, TooLargeError
from arrangements.networks import (
    Network,
    Regions,
    can_output,
    count_regions,
    decision_regions,
    fold_regions,
    iter_regions,
    plan_regions,
    regions,
    unit_states,
)
from arrangements.networks.cell_sampling import estimate_by_programs
from arrangements.networks.domain import read_domain

# Seconds of the processor, many times what the questions take, and bytes.
_SECONDS, _BYTES = 60, 2 * 10**8


def he_initialised(*widths: int, seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    layers = [
        (rng.standard_normal((n, m)) * np.sqrt(2 / m), 0.1 * rng.standard_normal(n))
        for m, n in zip(widths, widths[1:], strict=False)
    ]
    return Network(layers)


DIGITS = he_initialised(64, 16, 16, 10)


@contextmanager
def few_seconds_and_bytes() -> Iterator[None]:
    tracemalloc.start()
    began = time.process_time()
    try:
        yield
        assert time.process_time() < began + _SECONDS
        assert tracemalloc.get_traced_memory()[1] < _BYTES
    finally:
        tracemalloc.stop()


def check_patterns(network: Network, found: Regions) -> None:
    """Patterns are distinct, and each holds at the region's point."""
    assert len({row.tobytes() for row in found.to_array()}) == len(found)
    for region in found[:3]:
        signs, _ = evaluate(plain(network), [Fraction(x) for x in region.point])
        assert signs == region.pattern.tolist()


@pytest.mark.parametrize("widths", [(64, 16, 16, 10), (64, 64, 64, 10), (100, 50, 5, 1)])
def test_a_limit_ends_a_list(widths: tuple[int, ...]) -> None:
    network = he_initialised(*widths)
    with few_seconds_and_bytes():
        found = regions(network, limit=5)
    assert len(found) == 5 and not found.complete
    check_patterns(network, found)


def test_time_ends_a_list() -> None:
    with few_seconds_and_bytes():
        found = regions(DIGITS, time_limit=0.5)
    assert 0 < len(found) < 10**6 and not found.complete
    check_patterns(DIGITS, found)
    *_, last = iter_regions(DIGITS, time_limit=0.5)
    assert not last.complete


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("question", "doing"),
    [
        (count_regions, "counting"),
        (regions, "listing"),
        (decision_regions, "listing"),
        (unit_states, "listing"),
        (lambda network: fold_regions(network, len), "visiting"),
    ],
)
def test_what_takes_too_long_is_refused(question: Any, doing: str) -> None:
    message = rf"about \S+ regions are expected; {doing} them takes about .* Ask inside a smaller"
    with pytest.raises(TooLargeError, match=message):
        question(he_initialised(64, 32, 32, 10))


@pytest.mark.slow
def test_what_takes_hours_warns() -> None:
    message = r"about \S+ regions are expected; counting them takes about .* (days|years)\.$"
    with pytest.raises(SlowCountWarning, match=message):  # warnings are errors in tests
        count_regions(he_initialised(64, 32, 32, 10), max_hours=inf)


@pytest.mark.slow
def test_forecasts_of_digits() -> None:
    plan = plan_regions(DIGITS)
    assert 2**25 < plan.expected < 2**32  # units of the first layer cut everything
    assert 0 < plan.error < plan.expected
    assert plan.counting_seconds > 1000
    box = Polyhedron.box(-1, 1, dimension=64)
    assert 2**20 < plan_regions(DIGITS, within=box).expected < 2**32
    assert can_output(DIGITS, 0, within=box).feasible


def test_a_number_beyond_floats_is_no_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enumeration_planning, "_MOST_BITS", 20)
    with pytest.raises(TooLargeError, match=r"about 10\*\*[78] regions are expected"):
        plan_regions(DIGITS)


@pytest.mark.parametrize("kind", ["generic", "integer", "zero_bias", "leaky", "skip"])
def test_a_sample_of_all_is_exact(kind: str) -> None:
    network = random_network(kind, np.random.default_rng(len(kind)), 7, [3, 3])
    plan = plan_regions(network)
    assert (plan.expected, plan.error) == (count_regions(network), 0)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", KINDS)
def test_regions_of_seven_inputs(kind: str) -> None:
    """Against exact feasibility of all patterns: values of units are coordinates, or not."""
    rng = np.random.default_rng(len(kind))
    network = random_network(kind, rng, 7, [2, 2])
    rows = [[1, *[0] * 6, 2], [0, -1, *[0] * 5, 1], [1, 1, *[0] * 5, 3]]  # positive
    wedge = Polyhedron([[-x for x in row[:-1]] for row in rows], [row[-1] for row in rows])
    for within, positive in ((None, []), (wedge, [tuple(map(Fraction, row)) for row in rows])):
        found = regions(network, within=within).to_array().tolist()
        assert len(found) == count_regions(network, within=within)
        assert set(map(tuple, found)) == all_patterns(plain(network), positive, 7)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("widths", [(7, 8, 4), (8, 5, 4, 3)])
def test_forecasts_are_near(widths: tuple[int, ...]) -> None:
    network = random_network("generic", np.random.default_rng(1), widths[0], list(widths[1:]))
    number, domain = count_regions(network), read_domain(None, network)
    assert domain is not None
    found = [estimate_by_programs(network, domain, 60, seed=seed) for seed in range(3)]
    assert abs(np.mean([number for number, _ in found]) / number - 1) < 0.3
    assert all(error < 0.5 * number for _, error in found)
