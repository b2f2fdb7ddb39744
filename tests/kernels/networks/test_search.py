"""The search in small steps, with forced signs, and with parts of the network."""

import numpy as np

from arrangements.kernels.networks.search import find_regions
from arrangements.kernels.networks.workspace import DONE, FORCED, FULL, LAST, LIMIT
from arrangements.search.network_sweep import NetworkSweep
from kernels.networks.small_networks import box, network, regions, sweep_layers


def listed(sweep, rows, budget, forced=(), **registers):
    sweep.restart(True)
    sweep._path.forced[: len(forced)] = forced
    sweep._path.state[FORCED] = len(forced) > 0
    for name, value in registers.items():
        sweep._path.state[{"last": LAST, "limit": LIMIT}[name]] = value
    units = sum(layer.units for layer in sweep.tables.layers[: registers.get("last", 99) + 1])
    found, status = [], FULL
    while status != DONE:
        out = np.zeros((rows, units), np.int8), np.zeros((rows, 2)), np.zeros((rows, 0, 3))
        status, count = find_regions(sweep._net, sweep._path, *out, 0, budget)
        sweep._provide(status, count, {})
        found += map(tuple, out[0][:count].tolist())
    return found


def test_steps_do_not_matter(rng):
    sweep = NetworkSweep(sweep_layers(network("ternary", [2, 9, 8, 1], rng)), box(2))
    found = [listed(sweep, *steps) for steps in ((1, 1000), (1000, 1), (7, 3), (1000, 10**6))]
    assert found[0] == found[1] == found[2] == found[3] and len(set(found[0])) == len(found[0])


def test_forced_signs_and_parts_of_a_network(rng):
    layers = network("normal", [2, 7, 6, 1], rng)
    sweep = NetworkSweep(sweep_layers(layers), box(2))
    wanted = [pattern for pattern, _ in regions(layers, box(2))]
    first = listed(sweep, 100, 100, last=0)
    assert sorted(first) == sorted({pattern[:7] for pattern in wanted})
    few = listed(sweep, 100, 100, last=0, limit=3)
    assert {pattern[:3] for pattern in few} == {pattern[:3] for pattern in wanted}
    for pattern in first:
        found = listed(sweep, 100, 100, forced=pattern)
        assert sorted(found) == sorted(p for p in wanted if p[:7] == pattern)
