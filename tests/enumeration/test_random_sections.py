"""Estimates of what meets a polyhedron agree with what is listed."""

from typing import Any

import numpy as np
import pytest

from arrangements import Arrangement, Polyhedron, count_chambers, count_rankings, generators
from arrangements.enumeration.chambers import request_chambers
from arrangements.enumeration.planning import plan
from arrangements.enumeration.random_sections import chains_inside
from arrangements.search.within_sweep import rows_inside

RNG = np.random.default_rng(3)
RESONANCE = np.asarray(generators.resonance(5))
LARGE: dict[str, tuple[Any, Any, Any]] = {
    "box": (RNG.normal(size=(60, 5)), RNG.normal(size=60), Polyhedron.box(-0.2, 0.2, dimension=5)),
    "orthant": (RNG.normal(size=(30, 6)), None, (-np.eye(6), np.zeros(6))),
    "simplex": (RNG.normal(size=(30, 6)), None, Polyhedron.simplex(6)),
    "cone of braid": (np.asarray(generators.braid(7)), None, (-np.eye(7), np.zeros(7))),
    "resonance": (RESONANCE, -np.ones(len(RESONANCE), int), Polyhedron.box(-1, 1, dimension=5)),
    "strip": (
        RNG.normal(size=(50, 4)),
        RNG.normal(size=50),
        ([[1, 0, 0, 0], [-1, 0, 0, 0]], [1, 1]),
    ),
    "half-space": (RNG.normal(size=(50, 4)), RNG.normal(size=50), ([[1, 0, 0, 0]], [0.1])),
    "space": (RNG.normal(size=(50, 4)), RNG.normal(size=50), ([[0, 0, 0, 0]], [1])),
    "semiorders": (generators.semiorder(5), None, Polyhedron.box(-1, 1, dimension=5)),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", LARGE)
def test_estimates_of_many_chambers(name: str) -> None:
    W, b, P = LARGE[name]
    number = count_chambers(W, b, within=P)
    request = request_chambers(W, b, within=P)
    assert request.bound() >= number
    assert request.expected(0) == pytest.approx(number, rel=0.25)
    assert request.expected(request.bound()) == request.bound()


@pytest.mark.sampled(20)
@pytest.mark.parametrize("seed", range(60))
def test_few_chains_are_all(seed: int) -> None:
    rng = np.random.default_rng([seed, 11])
    d, n, m = (int(rng.integers(low, high)) for low, high in ((1, 4), (1, 9), (0, 6)))
    W, b = rng.integers(-2, 3, (n, d)), rng.integers(-2, 3, n)
    W[~W.any(axis=1), 0] = 1
    P = Polyhedron(rng.integers(-2, 3, (m, d)), rng.integers(-1, 3, m))
    inside, number = rows_inside(Arrangement(W, b), P), count_chambers(W, b, within=P)
    if inside is None:
        assert number == 0
        return
    chains = chains_inside(inside)
    assert chains is not None and sum(chains.betti_numbers()) == number


def test_a_cone_with_rays_of_very_different_lengths() -> None:
    W = RNG.normal(size=(6, 3))
    for scale in (1e-12, 1, 1e12):
        P = Polyhedron.box(-scale, 3 * scale, dimension=3)
        request = request_chambers(W, within=P)
        assert request.expected(0) == count_chambers(W, within=P)


@pytest.mark.slow
def test_plans() -> None:
    W, b, P = LARGE["box"]
    found = plan(W, b, within=P, seconds=0.3)
    assert found.expected == count_chambers(W, b, within=P) and found.exact
    found = plan(W[:8], b[:8], rankings=True, within=P, seconds=0.3)
    assert found.expected == count_rankings(W[:8], b[:8], within=P)
    huge = plan(
        generators.generic(200, 8, 0), within=Polyhedron.box(1, 2, dimension=8), seconds=0.2
    )
    assert huge.expected < huge.most / 5 and not huge.exact
    nothing = plan(W, b, within=([[0] * 5], [-1]), seconds=0.1)
    assert (nothing.expected, nothing.exact) == (0, True)
