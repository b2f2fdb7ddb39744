"""Sweeps of networks that were stopped on the way, and what is exact there."""

import numpy as np

from arrangements.kernels.networks.search import find_regions
from arrangements.kernels.networks.workspace import LAYER, NODES, SIDE, UNIT
from arrangements.search.network_sweep import NetworkSweep
from kernels.networks.small_networks import box, network, sweep_layers


def stopped_sweeps(kind, widths, stops, seed=0):
    """The same sweep after more and more nodes."""
    rng = np.random.default_rng(seed)
    sweep = NetworkSweep(sweep_layers(network(kind, widths, rng)), box(widths[0]))
    sweep.restart(False)
    d = widths[0]
    nothing = np.empty((0, sweep.units), np.int8), np.empty((0, d)), np.empty((0, 0, d + 1))
    for stop in stops:
        status, _ = find_regions(sweep._net, sweep._path, *nothing, 0, stop)
        sweep._provide(status, 0, {})
        if sweep._path.state[NODES] == 0:
            return
        node = sweep._path.nodes[sweep._path.state[NODES] - 1]
        if node[UNIT] >= 0:  # the search sets it when it goes on
            sweep._path.signs[node[UNIT]] = node[SIDE]
        yield sweep


def last_layer(sweep):
    """The layer of the last node."""
    return int(sweep._path.nodes[sweep._path.state[NODES] - 1, LAYER])
