"""Points of regions, also of those too small for the mean of their vertices."""

import numpy as np
import pytest

from arrangements.search.network_sweep import NetworkSweep
from kernels.networks.small_networks import KINDS, box, evaluate, network, sweep_layers


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [2, 100])
def test_points_have_their_patterns(kind, rows):
    layers = network(kind, [2, 7, 5, 1], np.random.default_rng(rows))
    sweep = NetworkSweep(sweep_layers(layers), box(2))
    number = 0
    for block in sweep.blocks(rows):
        assert 0 < len(block.patterns) <= rows
        number += len(block.patterns)
        for pattern, point in zip(block.patterns.tolist(), block.points.tolist(), strict=True):
            assert evaluate(layers, point) == tuple(pattern)
    assert number == sum(sweep.counts())
