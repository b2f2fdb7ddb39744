"""Arrays against what is said about them."""

from arrangements.search.network_sweep import NetworkSweep
from kernels import dtypes
from kernels.networks.small_networks import box, network, sweep_layers


def test_arrays_have_the_types_that_are_promised(rng):
    sweep = NetworkSweep(sweep_layers(network("ternary", [2, 5, 1], rng)), box(2))
    assert sum(sweep.counts()) > 1
    for space in (sweep._net, sweep._path):
        found = [*dtypes(space)]
        assert len(found) == len(space)
        assert all(dtype == promised for _, dtype, promised in found)
