"""Forecasts of the number of regions, and what is refused by them."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from network_examples import KINDS, random_network

from arrangements import Polyhedron
from arrangements.errors import TooLargeError
from arrangements.networks import (
    Layer,
    Network,
    count_regions,
    enumeration,
    listing,
    plan_regions,
    planning,
    region_bounds,
    regions,
    unit_states,
    units,
)
from arrangements.networks.charts import sweeps_of
from arrangements.networks.domain import read_domain
from arrangements.networks.sampling import Estimate, estimate_regions


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_of_all_is_exact(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    network = random_network(kind, rng, 2, [4, 3, 3])
    for within in (None, Polyhedron.box(-2, 3, dimension=2)):
        plan = plan_regions(network, within=within)
        assert (plan.expected, plan.error) == (count_regions(network, within=within), 0)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("widths", [[2, 40, 40, 40], [3, 20, 20], [4, 12, 12]])
def test_estimates_are_near(widths: list[int]) -> None:
    network = random_network("generic", np.random.default_rng(1), widths[0], widths[1:])
    box = Polyhedron.box(-2, 3, dimension=widths[0])
    number = count_regions(network, within=box)
    domain = read_domain(box, network)
    assert domain is not None
    sweeps = sweeps_of(network, domain) or ()
    found = [estimate_regions(sweeps, 60, seed) for seed in range(5)]
    assert abs(np.mean([number for number, _ in found]) / number - 1) < 0.2
    assert all(0 < error < 0.3 * number for _, error in found)
    assert sum(sum(sweep.counts()) for sweep in sweeps) == number


def test_many_regions_of_a_first_layer_everywhere() -> None:
    network = random_network("generic", np.random.default_rng(0), 4, [48])
    plan = plan_regions(network)
    assert plan.expected == region_bounds(network).montufar[0] == 213053
    assert plan.error > 0


def test_states_of_too_many_units_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "_LAP", 0.0)
    monkeypatch.setattr(planning, "_LAPS", 1)
    monkeypatch.setattr(units, "expected_regions", lambda *_: Estimate(10**16, 1.0))
    network = random_network("generic", np.random.default_rng(1), 2, [5, 4])
    with pytest.raises(TooLargeError, match="listing them takes about"):
        unit_states(network)


def test_forecasts_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "_MANY", 100)
    monkeypatch.setattr(planning, "_LAP", 0.0)
    monkeypatch.setattr(planning, "_LAPS", 1)
    monkeypatch.setattr(enumeration, "_BLOCK", 64)
    network = random_network("generic", np.random.default_rng(1), 2, [60, 60])
    box = Polyhedron.box(-2, 3, dimension=2)
    number = count_regions(network, within=box)
    with pytest.raises(TooLargeError, match="regions are expected"):
        regions(network, within=box, max_bytes=number * 12)
    with pytest.raises(TooLargeError, match="counting them takes about"):
        count_regions(network, within=box, max_hours=1e-9)
    assert len(regions(network, within=box)) == number


@pytest.mark.slow
def test_time_that_compilation_takes_is_not_the_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow_at_first(*_: object) -> Iterator[int]:
        time.sleep(0.3)
        for _ in range(8):
            yield 1000
            time.sleep(0.02)

    monkeypatch.setattr(listing, "region_counts", slow_at_first)
    monkeypatch.setattr(planning, "_LAP", 0.01)
    network = Network([([[1], [1]], [0, -1]), ([[1, 1]], None)])
    assert count_regions(network, max_hours=0.2 / 3600 / 1000) == 8000
    monkeypatch.setattr(planning, "_LAPS", 1)
    with pytest.raises(TooLargeError, match="3 regions are expected; counting them takes about"):
        count_regions(network, max_hours=0.2 / 3600 / 1000)


def test_forecasts_of_slices_and_of_nothing() -> None:
    wide = Network([Layer(np.eye(8)), (np.ones((1, 8)), None)])
    assert plan_regions(wide).expected == 256
    plane = Polyhedron(equations=(np.eye(8)[2:], [1] * 6))
    assert plan_regions(wide, within=plane).expected == count_regions(wide, within=plane) == 4
    network = Network([([[1]], None), ([[1]], None)])
    assert plan_regions(network, within=([[1], [-1]], [0, -1])).expected == 0
