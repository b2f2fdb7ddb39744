"""Signs from residues alone: floats are told that they prove nothing."""

import numpy as np
import pytest

from arrangements.kernels.networks.workspace import EXACT
from arrangements.search.network_sweep import NetworkSweep
from kernels.networks.small_networks import KINDS, box, network, regions, sweep_layers


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", KINDS)
def test_residues_decide_all_signs(kind):
    for d, widths in [(1, [6, 5]), (2, [5, 4]), (3, [4, 3])]:
        layers = network(kind, [d, *widths, 1], np.random.default_rng(d))
        sweep = NetworkSweep(sweep_layers(layers), box(d))
        sweep._net.errors[:] = 10
        patterns = [
            tuple(pattern) for block in sweep.blocks(100) for pattern in block.patterns.tolist()
        ]
        assert sorted(patterns) == sorted(pattern for pattern, _ in regions(layers, box(d)))
        assert sweep._path.state[EXACT] >= len(patterns)
